"""Edits that write down what does nothing: two axes that are one, a number that is added and taken off again."""

import ast
from collections.abc import Iterator

from utils.edits.operators.numbers import number_in

SWAPS = {"transpose", "swapaxes", "swapdims", "movedim", "moveaxis"}
INVERSE: list[tuple[type[ast.operator], type[ast.operator]]] = [(ast.Add, ast.Sub), (ast.Mult, ast.Div)]


def is_senseless(mended: ast.AST, before: ast.AST) -> bool:
    """Whether the mended code has a part that does nothing, and that was not there before."""
    return not set(_idle_parts(mended)) <= set(_idle_parts(before))


def _idle_parts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if _swaps_nothing(node) or any(_cancels(node, *signs) for signs in INVERSE):
            yield ast.unparse(node)


def _swaps_nothing(node: ast.AST) -> bool:
    """x.transpose(1, 1), and x.transpose(0, -3), whose axes are one where there are three"""
    match node:
        case ast.Call(func=ast.Attribute(attr=name), args=[*_, one, other]) if name in SWAPS:
            axes = [axis for axis in map(number_in, (one, other)) if axis is not None]
        case _:
            return False
    if len(axes) < 2:
        return False
    low, high = sorted(axes)
    return low == high or (low < 0 <= high and high - low > 1)


def _cancels(node: ast.AST, plus: type[ast.operator], minus: type[ast.operator]) -> bool:
    """x - (x - y), x * y / y: a part stands there once to be added, and once to be taken off."""
    if not isinstance(node, ast.BinOp):
        return False
    signed = set(_signed(node, plus, minus, 1))
    return any((text, -sign) in signed for text, sign in signed)


def _signed(
    node: ast.expr, plus: type[ast.operator], minus: type[ast.operator], sign: int
) -> Iterator[tuple[str, int]]:
    """What a sum adds, or a product multiplies by, with 1; what it takes off, or divides by, with -1."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, plus | minus):
        yield from _signed(node.left, plus, minus, sign)
        yield from _signed(node.right, plus, minus, -sign if isinstance(node.op, minus) else sign)
    else:
        yield ast.unparse(node), sign
