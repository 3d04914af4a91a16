"""Errors of NumPy and JAX: shapes of arrays, the truth of many values, and arguments called as in torch."""

import re

from judge.checking.diagnosis.translations.raised import Match, Raised, Rule


def _listed(shape: str) -> str:
    """2, 5 of (2,5) and of (2,5,)"""
    return ", ".join(re.findall(r"\d{1,15}", shape))


def clash(match: Match, raised: Raised) -> str:
    one, other = (raised.shape(_listed(shape)) for shape in match.groups())
    return (
        f"These shapes do not fit together: {one} and {other}. Sizes are lined up from the last axis, and only an axis "
        "of size 1 or a new one in front can be stretched."
    )


def product(match: Match, raised: Raised) -> str:
    left, right = raised.sized(match["left"]), raised.sized(match["right"])
    return (
        f"In a matrix product the last axis of the first array, of size {left}, must be as long as the "
        f"last but one of the second, of size {right}: look at which of the two needs `.T`, or another "
        "order."
    )


def no_such_axis(match: Match, raised: Raised) -> str:
    axis, ndim = match.groups()
    return f"There is no axis {axis} in an array with {ndim} axes: they are numbered from 0, or from -1 at the end."


def other_keyword(match: Match, raised: Raised) -> str | None:
    """torch's word for an argument in a call of NumPy or JAX, such as `keepdim`."""
    word = match[1]
    own = raised.library.keywords.get(word)
    if own is None or not raised.says(rf"\b{word}\s*="):
        return None
    return f"`{word}` is torch's word. {raised.library.called} calls this argument `{own}`."


ARRAY_RULES: list[Rule] = [
    (r"ValueError: operands could not be broadcast together with shapes (\([\d,]+\)) (\([\d,]+\)) ?", clash),
    (
        r"ValueError: matmul: Input operand 1 has a mismatch in its core dimension 0, .* "
        r"\(size (?P<right>\d+) is different from (?P<left>\d+)\)",
        product,
    ),
    (r"ValueError: shapes .* not aligned: (?P<left>\d+) \(dim \d+\) != (?P<right>\d+) \(dim \d+\)", product),
    (r"(?:numpy\.exceptions\.)?AxisError: axis (-?\d+) is out of bounds for array of dimension (\d+)", no_such_axis),
    (r"TypeError: \w+\(\) got an unexpected keyword argument '(\w+)'.*", other_keyword),
    (
        r"ValueError: The truth value of an array with more than one element is ambiguous\..*",
        "`if`, `and`, `or` and `not` need one yes or no, and an array gives one for each value: choose value by value "
        "with `np.where`, or ask `.all()` or `.any()`.",
    ),
]
