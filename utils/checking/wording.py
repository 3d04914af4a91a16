"""Words that all checks share: numbers, places with axis names, types, and `Difference`, which a check has to say."""

import math
import re
from dataclasses import dataclass
from typing import Any

from utils.running.plain import ARRAYS
from utils.running.records import Array, Opaque


@dataclass(frozen=True)
class Difference:
    """What to say about two values that differ, and the largest error over the tolerance."""

    lines: tuple[str, ...]
    error_over_tolerance: float = math.inf

    def under(self, *headings: str) -> "Difference":
        """The same with these lines before."""
        return Difference((*headings, *self.lines), self.error_over_tolerance)


def number(value: float) -> str:
    """A number as a card shows it: four decimals, or the exponent form where these would say nothing."""
    if isinstance(value, int):
        return str(value)
    if value != value or math.isinf(value):
        return {"nan": "NaN"}.get(str(value), str(value))
    return f"{value:.4f}" if value == 0.0 or 1e-3 <= abs(value) < 1e4 else f"{value:.3g}"


def told_apart(got: float, want: float) -> tuple[str, str]:
    """Two unequal numbers with as many digits as it takes to see that they are."""
    short = number(got), number(want)
    return short if short[0] != short[1] else (f"{got:.9g}", f"{want:.9g}")


def at(index: list[int], axes: list[str]) -> str:
    """An index, or sizes, with axis names: `[batch 0, pos 3, d_model 1]`."""
    if len(axes) != len(index):
        return str(index)
    return "[" + ", ".join(f"{name} {i}" for name, i in zip(axes, index, strict=True)) + "]"


def count(amount: int, one: str, many: str) -> str:
    """1 axis, 2 axes."""
    return f"{amount} {one if amount == 1 else many}"


def kind(value: Any) -> str:
    """A value's type, as the learner knows it."""
    if isinstance(value, Array):
        return ARRAYS[value.of]
    return value.type if isinstance(value, Opaque) else type(value).__name__


def short(value: Any, most: int = 100) -> str:
    """A value as Python writes it, on one line, cut where it is long."""
    text = re.sub(r"\n\s*", " ", repr(value))
    return text if len(text) <= most else text[: most - 3] + "..."
