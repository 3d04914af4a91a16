"""Edits that leave something out, or out of a loop: a call, a part of a sum, an argument, an index, a line."""

import ast
import copy
from typing import TypeVar

from judge.edits.operators.proposals import (
    Texts,
    called,
    calls_self,
    method_call,
    of_self,
    proposes,
    rewrites,
    statement,
    subscripted,
    with_arguments,
    with_keywords,
)
from judge.edits.sites import Site, method_of

Item = TypeVar("Item")
PART, ARGUMENT, LINE = "leave out a part", "leave out an argument", "leave out a line"
VIEWS = {"data", "T", "mT", "values", "indices", "weight", "real"}  # attributes that can be left out


@proposes(PART, ast.Call, where=[method_call], unless=[statement, calls_self])
def method(node: ast.Call, site: Site) -> Texts:
    """x.float() → x"""
    method = method_of(node)
    if method:
        yield ast.unparse(method.value)


brackets = rewrites(
    PART,
    ast.Call,
    "{func}",  # x.shape() → x.shape
    where=[method_call],
    unless=[statement, calls_self, with_arguments, with_keywords],
)


@proposes(PART, ast.Call, where=[with_arguments], unless=[statement, method_call])
def function(node: ast.Call, site: Site) -> Texts:
    """torch.sqrt(x) → x, torch.where(c, x, y) → y"""
    if isinstance(node.args[0], ast.Starred):
        return []
    match node.func:
        case ast.Attribute(attr="where"):
            operands = node.args[1:]
        case _:
            operands = node.args[:1]
    return map(ast.unparse, operands)


operand = rewrites(
    PART,
    ast.BinOp,
    "{left}",  # x + y → x
    "{right}",
)


def number(site: Site) -> bool:
    """-1, whose sign is a matter of numbers"""
    return isinstance(site.node, ast.UnaryOp) and isinstance(site.node.operand, ast.Constant)


sign = rewrites(
    PART,
    ast.UnaryOp,
    "{operand}",  # -x → x
    unless=[number],
)


@proposes(ARGUMENT, ast.Call)
def argument(node: ast.Call, site: Site) -> Texts:
    """x.mean(dim=0) → x.mean()"""
    several = len(node.args) + len(node.keywords) > 1
    if not several and method_of(node) is None:
        return
    for args in _each_left_out(node.args):
        yield ast.unparse(ast.Call(node.func, args, node.keywords))
    for keywords in _each_left_out(node.keywords):
        yield ast.unparse(ast.Call(node.func, node.args, keywords))


def view(site: Site) -> bool:
    """x.data"""
    return isinstance(site.node, ast.Attribute) and site.node.attr in VIEWS


attribute = rewrites(
    PART,
    ast.Attribute,
    "{value}",  # x.data → x
    where=[view],
    unless=[called, of_self],
)
index = rewrites(
    PART,
    ast.Subscript,
    "{value}",  # x[0] → x
)


@proposes("index", ast.Subscript)
def one_of_an_index(node: ast.Subscript, site: Site) -> Texts:
    """x[:, None] → x[None]"""
    if not isinstance(node.slice, ast.Tuple) or len(node.slice.elts) == 1:
        return
    for kept in _each_left_out(node.slice.elts):
        inside = kept[0] if len(kept) == 1 else ast.Tuple(kept, ast.Load())
        yield ast.unparse(ast.Subscript(node.value, inside, ast.Load()))


@proposes("one of a tuple", ast.Tuple, unless=[subscripted])
def one_of_a_tuple(node: ast.Tuple, site: Site) -> Texts:
    """return x, y → return x"""
    return map(ast.unparse, node.elts)


condition = rewrites(
    PART,
    ast.IfExp,
    "{body}",  # x if c else y → x
    "{orelse}",
)


def only_return(site: Site) -> bool:
    """A return that stands alone in its block"""
    return isinstance(site.node, ast.Return) and len(site.block) == 1


line = rewrites(LINE, ast.stmt, "", unless=[only_return])


@proposes(LINE, ast.With, ast.If)
def head(node: ast.With | ast.If, site: Site) -> Texts:
    """with torch.no_grad(): x = y → x = y"""
    yield "\n".join(map(ast.unparse, node.body))


def _each_left_out(items: list[Item]) -> list[list[Item]]:
    """The list without its first, without its second, ..."""
    return [items[:place] + items[place + 1 :] for place in range(len(items))]


Loop = ast.For | ast.While
BEGUN = (ast.List, ast.Dict, ast.Constant)


def several_lines(site: Site) -> bool:
    """A loop whose body has more than one line"""
    return isinstance(site.node, Loop) and len(site.node.body) > 1


@proposes("indentation", ast.For, ast.While, where=[several_lines])
def after_a_loop(node: Loop, site: Site) -> Texts:
    """The last line of a loop → after it, such as a `return` too far to the right"""
    *kept, last = node.body
    ends_the_loop = any(isinstance(inner, (ast.Break, ast.Continue)) for inner in ast.walk(last))
    if not ends_the_loop:
        yield f"{_with(node, kept)}\n{ast.unparse(last)}"


@proposes("indentation", ast.For, ast.While, where=[several_lines])
def before_a_loop(node: Loop, site: Site) -> Texts:
    """The first line of a loop → before it"""
    first, *kept = node.body
    if isinstance(first, ast.Assign):
        yield f"{ast.unparse(first)}\n{_with(node, kept)}"


@proposes("begin anew", ast.For, ast.While)
def into_a_loop(node: Loop, site: Site) -> Texts:
    """A list or a number that is begun before a loop → begun anew in each of its rounds"""
    before = site.block[: site.block.index(node)]
    begun = [line for line in before if isinstance(line, ast.Assign) and isinstance(line.value, BEGUN)]
    return [_with(node, [line, *node.body]) for line in begun]


def _with(loop: Loop, body: list[ast.stmt]) -> str:
    made = copy.copy(loop)
    made.body = body
    return ast.unparse(made)
