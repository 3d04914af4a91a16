"""Edits that write down what does nothing: two axes that are one, a number that is added and taken off again."""

import ast
from collections.abc import Iterator

from judge.edits.operators.numbers import number_in

SWAPS = {"transpose", "swapaxes", "swapdims", "movedim", "moveaxis"}
INVERSE: list[tuple[type[ast.operator], type[ast.operator]]] = [(ast.Add, ast.Sub), (ast.Mult, ast.Div)]


def is_senseless(mended: ast.AST, before: ast.AST) -> bool:
    """Whether the mended code has a part that does nothing, and that was not there before.

    x.transpose(0, -3) does nothing where there are three axes. How many there are is not known here, so a swap whose
    two numbers may mean one axis is kept only where the learner has written such a one.
    """
    if any(map(_may_be_one_axis, ast.walk(mended))) and not any(map(_may_be_one_axis, ast.walk(before))):
        return True
    return not set(_idle_parts(mended)) <= set(_idle_parts(before))


def _idle_parts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        swaps_nothing = len(set(_swapped(node))) == 1
        if swaps_nothing or any(_cancels(node, *signs) for signs in INVERSE):
            yield ast.unparse(node)


def _may_be_one_axis(node: ast.AST) -> bool:
    """Whether it swaps 0 and -3, as of three axes: 0 and -1 are one only where there is no other."""
    axes = _swapped(node)
    return bool(axes) and min(axes) < 0 <= max(axes) and max(axes) - min(axes) > 1


def _swapped(node: ast.AST) -> list[int]:
    """The two axes that a call swaps, where both are written as numbers; else none."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name), args=[*_, one, other]) if name in SWAPS:
            axes = [number_in(one), number_in(other)]
            return [int(axis) for axis in axes if axis is not None] if None not in axes else []
        case _:
            return []


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
