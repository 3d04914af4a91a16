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
        placed = [(self.share(number), str(name)) for number, name in self._all_ticks()]
        return [(share, name) for share, name in placed if -0.001 <= share <= 1.001]

    def _all_ticks(self) -> Iterable[tuple[float, str]]:
        """Ticks by their numbers, those beyond the axis's ends too."""
        values = self.settings.get("tickvals")
        if values is not None:
            names = self.settings.get("ticktext") or list(map(formatted, values))
            return zip(map(self.number, values), names, strict=True)
        if self.kind == "category":
            return zip(self.names.values(), self.names, strict=True)
        return self._log_ticks() if self.kind == "log" else self._linear_ticks()

    def _linear_ticks(self) -> list[tuple[float, str]]:
        step = self.settings.get("dtick") or _nice_step(abs(self.high - self.low) / TICKS)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        spec = self.settings.get("tickformat") or f",.{digits}f"
        low, high = sorted((self.low, self.high))
        first = math.ceil(low / step - 1e-9)
        last = math.floor(high / step + 1e-9)
        numbers = [index * step for index in range(first, last + 1)]
        return [(number, formatted(number + 0.0, spec)) for number in numbers]

    def _log_ticks(self) -> list[tuple[float, str]]:
        low, high = sorted((self.low, self.high))
        powers = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
        every = max(1, -(-len(powers) // 8))
        marks = (1,) if len(powers) > 2 else (1, 2, 5)
        reached = range(math.floor(low), math.floor(high) + 1)
        places = [power for power in reached if power % every == 0]
        numbers = [mark * 10.0**power for power, mark in itertools.product(places, marks)]
        return [(math.log10(number), formatted(round(number, 12), ",")) for number in numbers]


def make_axis(settings: Plain, extents: Sequence[Extent]) -> Axis:
    """The axis that has room for all that is shown on it."""
    everything = itertools.chain.from_iterable(extent.values for extent in extents)
    values = [value for value in everything if value is not None]
    fitting = "category" if any(map(_is_name, values)) else "linear"
    kind = settings.get("type") or fitting
    require(kind, ("category", "linear", "log"), "an axis of type")
    names = _names(settings, values) if kind == "category" else {}
    unplaced = Axis(kind, 0.0, 1.0, names, settings)
    given, chosen = settings.get("range"), settings.get("autorange")
    require(chosen, (None, True, False, "reversed"), "the autorange")
    if given is None or chosen in (True, "reversed"):
        given = _reach(unplaced, extents)
    low, high = given
    if chosen == "reversed":
        low, high = high, low
    return Axis(kind, float(low), float(high), names, settings)


def _names(settings: Plain, values: Sequence[Any]) -> dict[str, int]:
    order = settings.get("categoryorder", "trace")
    require(order, ("trace", "array"), "the order")
    first = settings.get("categoryarray") or ()
    names = dict.fromkeys(map(str, [*first, *values]))
    return dict(zip(names, itertools.count(), strict=False))


def _reach(axis: Axis, extents: Sequence[Extent]) -> tuple[float, float]:
    """The lowest and the highest number that is to be seen, with some room beyond them."""
    if axis.kind == "category":
        return -0.5, len(axis.names) - 0.5
    lows, highs = [], []
    for extent in extents:
        numbers = [axis.number(value) for value in _seen(axis, extent)]
        pad_low = extent.pad_low or axis.kind == "log"  # where no bar can start at 0
        lows += [(number - extent.half, pad_low) for number in numbers]
        highs += [(number + extent.half, extent.pad_high) for number in numbers]
    if not lows:
        return 0.0, 1.0
    (low, pad_low), (high, pad_high) = min(lows), max(highs)
    if axis.settings.get("rangemode") == "tozero" and axis.kind == "linear":
        pad_low, low = pad_low and low < 0, min(low, 0.0)
        pad_high, high = pad_high and high > 0, max(high, 0.0)
    if low == high:
        return low - 1, high + 1
    room = (high - low) * PAD
    return low - room * pad_low, high + room * pad_high


def _seen(axis: Axis, extent: Extent) -> list[Any]:
    """The values that can be shown: on a log axis those above 0."""
    values = [value for value in extent.values if value is not None]
    return [value for value in values if value > 0] if axis.kind == "log" else values


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
    steps = [nice * power for nice in (1, 2, 5, 10)]
    return next(step for step in steps if step >= rough * 0.999)
