"""An axis: where a value lies on it, from 0 to 1, and where its ticks stand."""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from utils.drawing.known import Plain, Unsupported, require
from utils.drawing.text import formatted

Ticks = list[tuple[float, str]]
PAD = 0.05  # of the span, where a range is not given
TICKS = 6


@dataclass(frozen=True)
class Extent:
    """What a trace shows on an axis: its values, how far it reaches to both sides of each, how the range is padded."""

    values: Sequence[Any]
    half: float = 0.0
    pad_low: bool = True
    pad_high: bool = True


@dataclass(frozen=True)
class Axis:
    """`low` is the value at the left or below, `high` that at the right or above; logarithms on a log axis."""

    kind: str
    low: float
    high: float
    names: dict[str, int]
    settings: Plain

    def number(self, value: Any) -> float:
        """A value as a number on this axis: the place of a category, the logarithm on a log axis."""
        if isinstance(value, str) and self.kind == "category":
            return self.names[value]
        return math.log10(float(value)) if self.kind == "log" else float(value)

    def at(self, value: Any) -> float:
        """Where a value lies, as a share of the axis from the left or from below."""
        return self.share(self.number(value))

    def share(self, number: float) -> float:
        """Where a number lies that is already this axis's own."""
        return (number - self.low) / (self.high - self.low)

    def ticks(self) -> Ticks:
        """Where the ticks are, and what stands there."""
        if not self.settings.get("visible", True):
            return []
        values = self.settings.get("tickvals")
        if values is not None:
            names = self.settings.get("ticktext") or [formatted(value) for value in values]
            return self._inside(zip((self.number(value) for value in values), names, strict=True))
        if self.kind == "category":
            return self._inside((place, name) for name, place in self.names.items())
        return self._inside(self._log_ticks() if self.kind == "log" else self._linear_ticks())

    def _inside(self, ticks: Iterable[tuple[float, str]]) -> Ticks:
        placed = [(self.share(number), str(name)) for number, name in ticks]
        return [(share, name) for share, name in placed if -0.001 <= share <= 1.001]

    def _linear_ticks(self) -> list[tuple[float, str]]:
        step = self.settings.get("dtick") or _nice_step(abs(self.high - self.low) / TICKS)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        spec = self.settings.get("tickformat") or f",.{digits}f"
        first = math.ceil(min(self.low, self.high) / step - 1e-9)
        last = math.floor(max(self.low, self.high) / step + 1e-9)
        return [(index * step, formatted(index * step + 0.0, spec)) for index in range(first, last + 1)]

    def _log_ticks(self) -> list[tuple[float, str]]:
        low, high = sorted((self.low, self.high))
        powers = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
        every = max(1, -(-len(powers) // 8))
        marks = (1,) if len(powers) > 2 else (1, 2, 5)
        lowest = math.floor(low)
        places = [power for power in range(lowest, math.floor(high) + 1) if power % every == 0]
        numbers = [mark * 10.0**power for power in places for mark in marks]
        return [(math.log10(number), formatted(round(number, 12), ",")) for number in numbers]


def make_axis(settings: Plain, extents: Sequence[Extent]) -> Axis:
    """The axis that has room for all that is shown on it."""
    values = [value for extent in extents for value in extent.values if value is not None]
    kind = settings.get("type") or ("category" if any(map(_is_name, values)) else "linear")
    require(kind, ("category", "linear", "log"), "an axis of type")
    names = _names(settings, values) if kind == "category" else {}
    unplaced = Axis(kind, 0.0, 1.0, names, settings)
    given, turned = settings.get("range"), settings.get("autorange") == "reversed"
    require(settings.get("autorange"), (None, True, False, "reversed"), "the autorange")
    if given is not None and not turned and settings.get("autorange") is not True:
        low, high = given
    else:
        low, high = _reach(unplaced, extents)
    if turned:
        low, high = high, low
    return Axis(kind, float(low), float(high), names, settings)


def _names(settings: Plain, values: Sequence[Any]) -> dict[str, int]:
    order = settings.get("categoryorder", "trace")
    require(order, ("trace", "array"), "the order")
    first = [str(one) for one in settings.get("categoryarray") or ()]
    return {name: place for place, name in enumerate(dict.fromkeys([*first, *map(str, values)]))}


def _reach(axis: Axis, extents: Sequence[Extent]) -> tuple[float, float]:
    """The lowest and the highest number that is to be seen, with some room beyond them."""
    if axis.kind == "category":
        return -0.5, len(axis.names) - 0.5
    lows, highs = [], []
    for extent in extents:
        seen = [value for value in extent.values if value is not None and (axis.kind != "log" or value > 0)]
        numbers = [axis.number(value) for value in seen]
        pad_low = extent.pad_low or axis.kind == "log"  # where no bar can start at 0
        lows += [(number - extent.half, pad_low) for number in numbers]
        highs += [(number + extent.half, extent.pad_high) for number in numbers]
    if not lows:
        return 0.0, 1.0
    (low, pad_low), (high, pad_high) = min(lows), max(highs)
    if axis.settings.get("rangemode") == "tozero" and axis.kind == "linear":
        low, high, pad_low, pad_high = min(low, 0.0), max(high, 0.0), pad_low and low < 0, pad_high and high > 0
    if low == high:
        return low - 1, high + 1
    room = (high - low) * PAD
    return low - room * pad_low, high + room * pad_high


def numbers_or_names(values: Sequence[Any]) -> list[Any]:
    """As plotly reads them: numbers written as texts are numbers, unless a name is among them."""
    if any(map(_is_name, values)):
        return [str(value) for value in values]
    return [float(value) if isinstance(value, str) else value for value in values]


def even_step(values: Sequence[float], what: str) -> float:
    """The step between neighbours. Raises Unsupported where it is not the same everywhere."""
    steps = [after - before for before, after in itertools.pairwise(values)] or [1.0]
    if max(steps) - min(steps) > 1e-6 * max(map(abs, steps)) or steps[0] <= 0:
        raise Unsupported(f"{what} that are not evenly spaced")
    return steps[0]


def _is_name(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        float(value)
    except ValueError:
        return True
    return False


def _nice_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(nice * power for nice in (1, 2, 5, 10) if nice * power >= rough * 0.999)
