"""Edits that add what was forgotten in an expression: brackets, an index, a tuple, a step."""

import ast

from judge.edits.operators.proposals import (
    Texts,
    argument,
    called,
    calls_self,
    each,
    of_library,
    of_self,
    others,
    proposes,
    rewrites,
    subscripted,
    with_arguments,
    with_keywords,
)
from judge.edits.sites import Site, is_of_library, is_of_self
from judge.edits.trees import called_name
from judge.running.on_demand import Tensor

SHAPING = {"expand", "repeat", "view", "reshape", "tile", "unsqueeze", "zeros", "ones", "empty"}
ONE_AXIS = (ast.List, ast.ListComp, ast.Dict, ast.Tuple)
NO_INDEX = (ast.Constant, ast.Starred)


def of_a_library(site: Site) -> bool:
    """x in torch.sqrt(x)"""
    return isinstance(site.parent, ast.Call) and is_of_library(site.parent.func)


tuple_ = rewrites(
    "make it a tuple",
    (ast.Name, ast.Attribute),
    "({it},)",  # F.layer_norm(x, d_model) → F.layer_norm(x, (d_model,))
    where=[argument, of_a_library],
)


def part_of_a_sum_or_slice(site: Site) -> bool:
    """x in x + 1 and in y[:x]"""
    return isinstance(site.parent, (ast.Slice, ast.BinOp))


@proposes("size of an axis", ast.Name)
def size_of_an_axis(node: ast.Name, site: Site) -> Texts:
    """x[:tokens] → x[:tokens.shape[1]], range(tokens) → range(tokens.shape[1])"""
    if node.id not in site.scope.arguments:
        return []
    counts = argument(site) or part_of_a_sum_or_slice(site)
    return each("{}.shape[{}]", [node.id], (1, 0, -1)) if counts else []


def one_of_a_shape(site: Site) -> bool:
    """y in x.view(y, z)"""
    return isinstance(site.parent, ast.Call) and called_name(site.parent) in SHAPING


any_size = rewrites(
    "number",
    (ast.Name, ast.Constant),
    "1",  # x.repeat(batch, pos, 1) → x.repeat(batch, 1, 1)
    "-1",
    where=[argument, one_of_a_shape],
)


@proposes("name", ast.Name, ast.Constant, where=[argument, one_of_a_shape])
def any_local(node: ast.Name | ast.Constant, site: Site) -> Texts:
    """x.repeat(2, 1) → x.repeat(batch, 1)"""
    return site.scope.locals


def method_of_tensors(site: Site) -> bool:
    """x.sqrt"""
    return isinstance(site.node, ast.Attribute) and callable(getattr(Tensor, site.node.attr, None))


call = rewrites(
    "call it",
    ast.Attribute,
    "{it}()",  # variance.sqrt → variance.sqrt()
    where=[method_of_tensors],
    unless=[called, of_library, of_self],
)


@proposes("call it", ast.Attribute, unless=[called, of_library, of_self])
def size(node: ast.Attribute, site: Site) -> Texts:
    """tokens.size → tokens.size(1)"""
    if node.attr != "size":
        return []
    return each("{}({})", [site.text], (1, 0, -1))


def starred(site: Site) -> bool:
    """x in f(*x)"""
    return isinstance(site.parent, ast.Starred)


@proposes("index", ast.Attribute, unless=[called, of_library, of_self, subscripted, starred])
def shape(node: ast.Attribute, site: Site) -> Texts:
    """tokens.shape → tokens.shape[1]"""
    if node.attr != "shape":
        return []
    return each("{}[{}]", [site.text], (1, 0, -1))


@proposes("index it", ast.Call, where=[with_arguments], unless=[with_keywords])
def index(node: ast.Call, site: Site) -> Texts:
    """self.W_E(tokens) → self.W_E[tokens]"""
    if is_of_self(node.func) or isinstance(node.func, ast.Name):
        yield f"{ast.unparse(node.func)}[{_arguments(node)}]"


@proposes("index it", ast.Call, where=[with_arguments, calls_self], unless=[with_keywords])
def index_of_another(node: ast.Call, site: Site) -> Texts:
    """self.wte(tokens) → self.W_E[tokens]"""
    if not is_of_self(node.func) or node.func.attr in site.scope.attributes:
        return []
    return each("self.{}[{}]", site.scope.vocabulary.attributes, [_arguments(node)])


def _arguments(node: ast.Call) -> str:
    return ", ".join(map(ast.unparse, node.args))


@proposes("index instead", ast.Call)
def index_instead(node: ast.Call, site: Site) -> Texts:
    """torch.matmul(tokens, self.W_E) → self.W_E[tokens]"""
    pool = _operands(node)
    of_self = filter(is_of_self, pool)
    tables = [one for one in of_self if one.attr in site.scope.attributes]
    for table in tables:
        indices = [one for one in pool if one is not table and _may_index(one)]
        yield from each("{}[{}]", [ast.unparse(table)], map(ast.unparse, indices))


def _operands(node: ast.Call) -> list[ast.expr]:
    """What a function is given, and what a method is called of."""
    given = [*node.args, *(one.value for one in node.keywords)]
    owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    return given + owner


def _may_index(node: ast.expr) -> bool:
    return not isinstance(node, NO_INDEX) and not is_of_library(node)


@proposes("index instead", ast.BinOp)
def index_by_matmul(node: ast.BinOp, site: Site) -> Texts:
    """tokens @ self.W_E → self.W_E[tokens]"""
    if not isinstance(node.op, (ast.MatMult, ast.Mult)):
        return
    if is_of_self(node.left):
        yield f"{ast.unparse(node.left)}[{ast.unparse(node.right)}]"
    if is_of_self(node.right):
        yield f"{ast.unparse(node.right)}[{ast.unparse(node.left)}]"


@proposes("index", ast.Subscript)
def last(node: ast.Subscript, site: Site) -> Texts:
    """logits[0] → logits[0, -1]; not of what has one axis, or keys"""
    if isinstance(node.value, ONE_AXIS):
        return
    match node.slice:
        case ast.Constant(value=str()):
            return
    given = ast.unparse(node.slice).removeprefix("(").removesuffix(")")
    yield f"({ast.unparse(node.value)})[{given}, -1]"


@proposes("frame", ast.Name)
def comparison(node: ast.Name, site: Site) -> Texts:
    """if eos → if token == eos"""
    if site.role != "test":
        return []
    return each("{} == {}", others(site.scope.names, node.id), [node.id])


def may_be_0(site: Site) -> bool:
    """rank in `if rank` and in `rank and x`, where 0 counts as nothing"""
    return isinstance(site.parent, ast.BoolOp) or site.role == "test"


@proposes("comparison", ast.Name, ast.UnaryOp, where=[may_be_0])
def none(node: ast.Name | ast.UnaryOp, site: Site) -> Texts:
    """if rank → if rank is not None, if not rank → if rank is None"""
    match node:
        case ast.Name(name):
            yield f"{name} is not None"
        case ast.UnaryOp(ast.Not(), ast.Name(name)):
            yield f"{name} is None"


@proposes("stars", ast.Call, where=[with_arguments])
def stars(node: ast.Call, site: Site) -> Texts:
    """f(x, options) → f(x, **options), where `options` is no ordinary parameter: `def g(x, **options)`"""
    *args, last = node.args
    if not isinstance(last, ast.Name) or last.id in site.scope.names:
        return
    settings = ast.keyword(None, last)
    yield ast.unparse(ast.Call(node.func, args, [*node.keywords, settings]))


stack = rewrites(
    "frame",
    (ast.List, ast.ListComp),
    "torch.stack({it})",  # [f(x) for x in batch] → torch.stack([f(x) for x in batch])
)
