"""Edits of numbers, slices, the order of an index, and of True and False."""

import ast
from itertools import pairwise

from judge.edits.operators.proposals import Texts, each, others, proposes
from judge.edits.sites import Scope, Site

NEUTRAL = {
    **{ast.Add: (0,), ast.Sub: (0,)},
    **{ast.Mult: (0, 1), ast.Div: (0, 1), ast.Pow: (0, 1), ast.FloorDiv: (0, 1)},
}
TINY = 1e-3
AXES = (-1, 0, 1, 2, -2, 3, -3)


def number_in(node: ast.AST) -> float | None:
    """The number that is written here, its sign included; None for anything else."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = number_in(operand)
            return None if value is None else -value
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
    return None


def a_number(site: Site) -> bool:
    """2, -1"""
    return number_in(site.node) is not None


def with_a_sign(site: Site) -> bool:
    """1 in -1"""
    return isinstance(site.parent, ast.UnaryOp) and number_in(site.parent) is not None


def tiny(site: Site) -> bool:
    """1e-5, 1e-9: what keeps something from being 0"""
    return is_tiny(number_in(site.node) or 0.0)


@proposes("number", ast.Constant, ast.UnaryOp, where=[a_number], unless=[with_a_sign, tiny])
def number(node: ast.Constant | ast.UnaryOp, site: Site) -> Texts:
    """1 → -1, 0.5 → 2.0"""
    return other_numbers(node, site)


def other_numbers(node: ast.Constant | ast.UnaryOp, site: Site) -> list[str]:
    """The numbers near it; never one that changes nothing, since leaving it out says the same more clearly."""
    value = number_in(node)
    assert value is not None
    twin = _twin(site.parent)
    left_out = [value, twin and twin - value, *_neutral(site.parent)]
    likely = _integers(value) if isinstance(value, int) else _floats(value)
    return [repr(one) for one in dict.fromkeys(likely) if one not in left_out]


def _integers(value: int) -> list[float]:
    return [*AXES, value + 1, value - 1]


def _floats(value: float) -> list[float]:
    inverse = [1 / value] if value else []
    nothing = [0.0] if value == 1 else []
    return [1.0, -value, value * 2, value / 2, *inverse, *nothing]


def is_tiny(value: float) -> bool:
    """1e-5, 1e-9"""
    return 0 < abs(value) < TINY


def _neutral(parent: ast.AST) -> tuple[int, ...]:
    """The numbers with which this operation does nothing, or leaves nothing."""
    if not isinstance(parent, (ast.BinOp, ast.AugAssign)):
        return ()
    return NEUTRAL.get(type(parent.op), ())


def _twin(node: ast.AST) -> float | None:
    """The sum of the two axes in x.transpose(1, 2), so that no edit makes them equal; None for anything else."""
    if not isinstance(node, ast.Call) or len(node.args) != 2:
        return None
    one, other = map(number_in, node.args)
    if one is None or other is None:
        return None
    is_swap = ast.unparse(node.func).endswith("transpose")
    return one + other if is_swap else None


@proposes("bool", ast.Constant)
def bool_(node: ast.Constant, site: Site) -> Texts:
    """True → False"""
    if isinstance(node.value, bool):
        yield repr(not node.value)


@proposes("slice", ast.Subscript)
def slice_(node: ast.Subscript, site: Site) -> Texts:
    """x[:n] → x[n:], x[1:] → x[:-1]; x[n] → x[:n], x[:n] → x[n]"""
    owner = ast.unparse(node.value)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    texts = list(map(ast.unparse, parts))
    for place, part in enumerate(parts):
        slices = _other_slices(part, site.scope)
        for other in others(slices, texts[place]):
            written = [*texts[:place], other, *texts[place + 1 :]]
            yield f"({owner})[{', '.join(written)}]"


def _other_slices(part: ast.expr, scope: Scope) -> list[str]:
    match part:
        case ast.Constant():
            return []
        case ast.Slice():
            return [*_slices(part), *_begun_elsewhere(part, scope)]
        case ast.Name(id=name):
            to_the_end = each("{}:len({})", [name], scope.arguments)
            return [f":{name}", f"{name}:", *to_the_end]
    text = ast.unparse(part)
    return [f":{text}", f"{text}:"]


def _slices(part: ast.Slice) -> list[str]:
    """Slices of the same ends: turned round, one left out, without a sign, one further, from the other end"""
    low, high = _text(part.lower), _text(part.upper)
    ends = [(high, low), ("", high), (low, ""), ("", low), (high, ""), ("", "")]
    ends += [(low.lstrip("-"), high), (low, high.lstrip("-")), ("", low.lstrip("-"))]
    if low.isdigit():
        ends += [("", f"-{low}")]
    if high:
        ends += [(low, f"{high} + 1"), (low, f"{high} - 1"), (f"-{high}", low)]
    if low and high.endswith(f" + {low}"):
        ends += [("", high.removesuffix(f" + {low}"))]
    has_one_end = bool(low) != bool(high)
    alone = [low or high] if has_one_end else []
    slices = [f"{one}:{other}" for one, other in ends]
    return list(dict.fromkeys([*alone, *slices]))


def _begun_elsewhere(part: ast.Slice, scope: Scope) -> list[str]:
    """x[-1:] → x[i:]"""
    if part.lower is None or number_in(part.lower) is None:
        return []
    return each("{}:{}", scope.locals, [_text(part.upper)])


def _text(end: ast.expr | None) -> str:
    return ast.unparse(end) if end else ""


@proposes("index", ast.Subscript)
def order_of_an_index(node: ast.Subscript, site: Site) -> Texts:
    """x[:, None] → x[None, :], x[:, None] → x[..., None]"""
    if not isinstance(node.slice, ast.Tuple):
        return
    owner = ast.unparse(node.value)
    texts = list(map(ast.unparse, node.slice.elts))
    for order in _orders(texts):
        if order != texts:
            yield f"({owner})[{', '.join(order)}]"


def _orders(texts: list[str]) -> list[list[str]]:
    """Two neighbours changed, or a new axis in another place."""
    orders = []
    for first, second in pairwise(range(len(texts))):
        order = list(texts)
        order[first], order[second] = order[second], order[first]
        orders.append(order)
    new_axes = ["None"] * texts.count("None")
    if new_axes:
        orders += [["...", *new_axes], [*texts, ":"], [":", *texts]]
    return orders
