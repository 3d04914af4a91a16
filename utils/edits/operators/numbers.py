"""Edits of numbers, slices, the order of an index, and of True and False."""

import ast
from collections.abc import Iterator

from utils.edits.operators.proposals import Proposal, operator
from utils.edits.sites import Scope, Site

NEUTRAL = {ast.Add: (0,), ast.Sub: (0,), ast.Mult: (0, 1), ast.Div: (0, 1), ast.Pow: (0, 1), ast.FloorDiv: (0, 1)}
AXES = (-1, 0, 1, 2, -2, 3, -3)


@operator(ast.Constant, ast.UnaryOp)
def number(site: Site) -> Iterator[Proposal]:
    """1 → -1, 0.5 → 2.0; never to what changes nothing, since leaving it out says the same more clearly"""
    value = number_in(site.node)
    if value is None or (isinstance(site.parent, ast.UnaryOp) and number_in(site.parent) is not None):
        return
    if isinstance(value, int):
        others: list[float] = [*AXES, value + 1, value - 1]
    else:
        others = [1.0, -value, value * 2, value / 2, *([1 / value] if value else []), *([0.0] if value == 1 else [])]
    of = site.parent.op if isinstance(site.parent, (ast.BinOp, ast.AugAssign)) else None
    twin = _twin(site.parent)
    for other in dict.fromkeys(others):
        if other not in (value, twin and twin - value, *NEUTRAL.get(type(of), ())):
            yield Proposal("number", repr(other))


def _twin(node: ast.AST) -> float | None:
    """The sum of the two axes in x.transpose(1, 2), so that no edit makes them equal; None for anything else."""
    if isinstance(node, ast.Call) and len(node.args) == 2 and ast.unparse(node.func).endswith("transpose"):
        one, other = map(number_in, node.args)
        return None if one is None or other is None else one + other
    return None


@operator(ast.Constant)
def bool_(site: Site) -> Iterator[Proposal]:
    """True → False"""
    assert isinstance(site.node, ast.Constant)
    if isinstance(site.node.value, bool):
        yield Proposal("bool", repr(not site.node.value))


@operator(ast.Subscript)
def slice_(site: Site) -> Iterator[Proposal]:
    """x[:n] → x[n:], x[1:] → x[:-1]; x[n] → x[:n], x[:n] → x[n]"""
    node = site.node
    assert isinstance(node, ast.Subscript)
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    texts = [ast.unparse(part) for part in parts]
    for place, part in enumerate(parts):
        if isinstance(part, ast.Constant):
            continue
        for other in [*_slices(part), *_slices_by_name(part, site.scope)]:
            if other != texts[place]:
                written = ", ".join([*texts[:place], other, *texts[place + 1 :]])
                yield Proposal("slice", f"({ast.unparse(node.value)})[{written}]")


def _slices(part: ast.expr) -> list[str]:
    if not isinstance(part, ast.Slice):
        return [f":{ast.unparse(part)}", f"{ast.unparse(part)}:"]
    low, high = (ast.unparse(end) if end else "" for end in (part.lower, part.upper))
    ends = [(high, low), ("", high), (low, ""), ("", low), (high, ""), ("", "")]
    ends += [(low.lstrip("-"), high), (low, high.lstrip("-"))]
    ends += [("", f"-{low}")] if low.isdigit() else []
    ends += [(low, f"{high} + 1"), (low, f"{high} - 1")] if high else []
    alone = [low or high] if bool(low) != bool(high) else []
    return list(dict.fromkeys([*alone, *(f"{one}:{other}" for one, other in ends)]))


def _slices_by_name(part: ast.expr, scope: Scope) -> Iterator[str]:
    if isinstance(part, ast.Name):
        yield from (f"{part.id}:len({name})" for name in scope.arguments)
    elif isinstance(part, ast.Slice) and part.lower and number_in(part.lower) is not None:
        yield from (f"{name}:{ast.unparse(part.upper) if part.upper else ''}" for name in scope.locals)


@operator(ast.Subscript)
def order_of_an_index(site: Site) -> Iterator[Proposal]:
    """x[:, None] → x[None, :], x[:, None] → x[..., None]"""
    node = site.node
    assert isinstance(node, ast.Subscript)
    if not isinstance(node.slice, ast.Tuple):
        return
    texts = [ast.unparse(part) for part in node.slice.elts]
    orders = [[*texts[:i], texts[i + 1], texts[i], *texts[i + 2 :]] for i in range(len(texts) - 1)]
    if "None" in texts:
        orders += [["...", *[text for text in texts if text == "None"]], [*texts, ":"], [":", *texts]]
    for order in orders:
        if order != texts:
            yield Proposal("index", f"({ast.unparse(node.value)})[{', '.join(order)}]")


def number_in(node: ast.AST) -> float | None:
    """The number that is written here, its sign included; None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = number_in(node.operand)
        return None if value is None else -value
    is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
    return node.value if is_number else None  # type: ignore[attr-defined,return-value]


OPERATORS = [number, bool_, slice_, order_of_an_index]
