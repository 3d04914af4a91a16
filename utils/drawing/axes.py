"""An axis: where a value lies on it, from 0 to 1, and where its ticks stand."""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from utils.drawing.known import Plain, Unsupported, require
from utils.drawing.text import formatted

Ticks = list[tuple[float, str]]
End = tuple[float, bool]  # a number, and whether there is to be some room beyond it
PAD = 0.05  # of the span, where a range is not given
TICKS = 6


class Name(str):
    """What stands on an axis of categories: a name, also where it could be read as a number."""


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
        placed = ((self.share(number), str(name)) for number, name in self._all_ticks())
        return [tick for tick in placed if -0.001 <= tick[0] <= 1.001]

    def _all_ticks(self) -> Iterable[tuple[float, str]]:
        """Ticks by their numbers, those beyond the axis's ends too."""
        values = self.settings.get("tickvals")
        if values is not None:
            names = self.settings.get("ticktext", map(formatted, values))
            return zip(map(self.number, values), names, strict=True)
        if self.kind == "category":
            return ((number, name) for name, number in self.names.items())
        return self._log_ticks() if self.kind == "log" else self._linear_ticks()

    def _linear_ticks(self) -> Iterable[tuple[float, str]]:
        low, high = sorted((self.low, self.high))
        step = self.settings.get("dtick") or _nice_step((high - low) / TICKS)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        first = math.ceil(low / step - 1e-9)
        last = math.floor(high / step + 1e-9)
        for index in range(first, last + 1):
            yield index * step, formatted(index * step + 0.0, f",.{digits}f")

    def _log_ticks(self) -> Iterable[tuple[float, str]]:
        """At powers of ten, at most eight of them; where there are few, between them too."""
        low, high = sorted((self.low, self.high))
        inner = math.floor(high + 1e-9) - math.ceil(low - 1e-9) + 1
        every = max(1, math.ceil(inner / 8))
        marks = (1,) if inner > 2 else (1, 2, 5)
        first = math.ceil(math.floor(low) / every) * every
        powers = range(first, math.floor(high) + 1, every)
        for power, mark in itertools.product(powers, marks):
            number = mark * 10.0**power
            yield math.log10(number), formatted(round(number, 12), ",")


def make_axis(settings: Plain, extents: Sequence[Extent]) -> Axis:
    """The axis that has room for all that is shown on it."""
    everything = itertools.chain.from_iterable(extent.values for extent in extents)
    values = [value for value in everything if value is not None]
    fitting = "category" if any(map(_is_name, values)) else "linear"
    kind = settings.get("type", fitting)
    require(kind, ("category", "linear", "log"), "an axis of type")
    names = _names(settings, values) if kind == "category" else {}
    unplaced = Axis(kind, 0.0, 1.0, names, settings)
    turned = settings.get("autorange")
    require(turned, (None, "reversed"), "the autorange")
    if turned:
        high, low = _reach(unplaced, extents)
    else:
        low, high = settings.get("range") or _reach(unplaced, extents)
    return Axis(kind, float(low), float(high), names, settings)


def _names(settings: Plain, values: Sequence[Any]) -> dict[str, int]:
    order = settings.get("categoryorder", "trace")
    require(order, ("trace", "array"), "the order")
    first = settings.get("categoryarray", ())
    names = dict.fromkeys(map(str, [*first, *values]))
    return {name: place for place, name in enumerate(names)}


def _reach(axis: Axis, extents: Sequence[Extent]) -> tuple[float, float]:
    """The lowest and the highest number that is to be seen, with some room beyond them."""
    if axis.kind == "category":
        return -0.5, len(axis.names) - 0.5
    lows, highs = _ends(axis, extents)
    if not lows:
        return 0.0, 1.0
    (low, pad_low), (high, pad_high) = min(lows), max(highs)
    rises = axis.settings.get("rangemode") == "tozero"
    if rises and axis.kind == "linear":
        low, high = min(low, 0.0), max(high, 0.0)
        pad_low &= low < 0
        pad_high &= high > 0
    if low == high:
        return low - 1, high + 1
    room = (high - low) * PAD
    return low - room * pad_low, high + room * pad_high


def _ends(axis: Axis, extents: Sequence[Extent]) -> tuple[list[End], list[End]]:
    """The lower ends of all that is shown, and the upper ones. On a log axis that is what is above 0."""
    lows: list[End] = []
    highs: list[End] = []
    is_log = axis.kind == "log"
    least = 0.0 if is_log else -math.inf
    for extent in extents:
        pad_low = extent.pad_low or is_log  # where no bar can start at 0
        for value in extent.values:
            if value is None or value <= least:
                continue
            number = axis.number(value)
            lows.append((number - extent.half, pad_low))
            highs.append((number + extent.half, extent.pad_high))
    return lows, highs


def named(values: Sequence[Any], settings: Plain) -> Sequence[Any]:
    """The values of an axis. Where it says that it is one of categories, all texts are names: "128" too."""
    if settings.get("type") != "category":
        return values
    return [Name(value) if isinstance(value, str) else value for value in values]


def numbers_or_names(values: Sequence[Any]) -> list[Any]:
    """As plotly reads them: numbers written as texts are numbers, unless a name is among them."""
    if any(map(_is_name, values)):
        return list(map(str, values))
    return [float(value) if isinstance(value, str) else value for value in values]


def even_step(values: Sequence[float], what: str) -> float:
    """The step between neighbours. Raises Unsupported where it is not the same everywhere."""
    pairs = itertools.pairwise(values)
    steps = [after - before for before, after in pairs] or [1.0]
    low, high = min(steps), max(steps)
    if low <= 0 or high - low > 1e-6 * high:
        raise Unsupported(f"{what} that are not evenly spaced")
    return steps[0]


def _is_name(value: Any) -> bool:
    if isinstance(value, Name) or not isinstance(value, str):
        return isinstance(value, Name)
    try:
        float(value)
    except ValueError:
        return True
    return False


def _nice_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    steps = [nice * power for nice in (1, 2, 5, 10)]
    return next(step for step in steps if step >= rough * 0.999)


STEP = 20  # pixels: widths at which something is hidden are rounded up to these


@dataclass(frozen=True)
class Frame:
    """Where values are in a panel."""

    x: Axis
    y: Axis
    height: float

    def drop(self, share: float) -> float:
        """Pixels below the top for a share of the axis from below."""
        return round((1 - share) * self.height, 1)


def percent(share: float) -> str:
    """A share as CSS and SVG write it."""
    return f"{100 * share:.4g}%"


def not_below(width: float) -> str:
    """The class of what is hidden where the panel is narrower than so many pixels."""
    return f"cf-n{_stepped(width)}"


def upright_below(width: float) -> str:
    """The class of labels that stand upright where the panel is narrower than so many pixels."""
    return f"cf-u{_stepped(width)}"


def _stepped(width: float) -> int:
    return int(-(-width // STEP) * STEP)
