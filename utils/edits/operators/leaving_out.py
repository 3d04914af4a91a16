"""Edits that leave something out: a call, a part of a sum, an argument, an index, a line."""

import ast
from collections.abc import Iterator

from utils.edits.operators.proposals import Proposal, operator
from utils.edits.sites import Site, is_method_call, is_of_self

PART, ARGUMENT, LINE = "leave out a part", "leave out an argument", "leave out a line"
VIEWS = {"data", "T", "mT", "values", "indices", "weight", "real"}  # attributes that can be left out


@operator(ast.Call)
def call(site: Site) -> Iterator[Proposal]:
    """x.float() → x, torch.sqrt(x) → x, x.shape() → x.shape, torch.where(c, x, y) → y"""
    node = site.node
    assert isinstance(node, ast.Call)
    if isinstance(site.parent, ast.Expr):
        return  # then the whole line can be left out
    if is_method_call(node):
        if not is_of_self(node.func):
            yield Proposal(PART, ast.unparse(node.func.value))  # type: ignore[attr-defined]
            if not node.args and not node.keywords:
                yield Proposal(PART, ast.unparse(node.func))
    elif node.args and not isinstance(node.args[0], ast.Starred):
        is_choice = isinstance(node.func, ast.Attribute) and node.func.attr == "where"
        for one in node.args[1:] if is_choice else node.args[:1]:
            yield Proposal(PART, ast.unparse(one))


@operator(ast.BinOp)
def operand(site: Site) -> Iterator[Proposal]:
    """x + y → x, x + y → y"""
    assert isinstance(site.node, ast.BinOp)
    yield Proposal(PART, ast.unparse(site.node.left))
    yield Proposal(PART, ast.unparse(site.node.right))


@operator(ast.UnaryOp)
def sign(site: Site) -> Iterator[Proposal]:
    """-x → x; a number's own sign is a matter of numbers"""
    assert isinstance(site.node, ast.UnaryOp)
    if not isinstance(site.node.operand, ast.Constant):
        yield Proposal(PART, ast.unparse(site.node.operand))


@operator(ast.Call)
def argument(site: Site) -> Iterator[Proposal]:
    """x.mean(dim=0) → x.mean()"""
    node = site.node
    assert isinstance(node, ast.Call)
    if len(node.args) + len(node.keywords) > 1 or is_method_call(node):
        for index in range(len(node.args)):
            kept = node.args[:index] + node.args[index + 1 :]
            yield Proposal(ARGUMENT, ast.unparse(ast.Call(node.func, kept, node.keywords)))
        for index in range(len(node.keywords)):
            others = node.keywords[:index] + node.keywords[index + 1 :]
            yield Proposal(ARGUMENT, ast.unparse(ast.Call(node.func, node.args, others)))


@operator(ast.Attribute)
def attribute(site: Site) -> Iterator[Proposal]:
    """x.data → x"""
    assert isinstance(site.node, ast.Attribute)
    if site.node.attr in VIEWS and not site.is_called and not is_of_self(site.node):
        yield Proposal(PART, ast.unparse(site.node.value))


@operator(ast.Subscript)
def index(site: Site) -> Iterator[Proposal]:
    """x[0] → x, x[:, None] → x[None]"""
    node = site.node
    assert isinstance(node, ast.Subscript)
    yield Proposal(PART, ast.unparse(node.value))
    if isinstance(node.slice, ast.Tuple) and len(node.slice.elts) > 1:
        for place in range(len(node.slice.elts)):
            kept = node.slice.elts[:place] + node.slice.elts[place + 1 :]
            inside = kept[0] if len(kept) == 1 else ast.Tuple(kept, ast.Load())
            yield Proposal("index", ast.unparse(ast.Subscript(node.value, inside, ast.Load())))


@operator(ast.Tuple)
def one_of_a_tuple(site: Site) -> Iterator[Proposal]:
    """return x, y → return x"""
    assert isinstance(site.node, ast.Tuple)
    if not isinstance(site.parent, ast.Subscript):
        for one in site.node.elts:
            yield Proposal("one of a tuple", ast.unparse(one))


@operator(ast.IfExp)
def condition(site: Site) -> Iterator[Proposal]:
    """x if c else y → x"""
    assert isinstance(site.node, ast.IfExp)
    yield Proposal(PART, ast.unparse(site.node.body))
    yield Proposal(PART, ast.unparse(site.node.orelse))


@operator(ast.stmt)
def line(site: Site) -> Iterator[Proposal]:
    """A statement → nothing; of a `with`, an `if` or a `for` the body alone"""
    if not isinstance(site.node, ast.Return) or len(site.block) > 1:
        yield Proposal(LINE, "")
    if isinstance(site.node, (ast.With, ast.If)):
        yield Proposal(LINE, "\n".join(map(ast.unparse, site.node.body)))


OPERATORS = [call, operand, sign, argument, attribute, index, one_of_a_tuple, condition, line]
