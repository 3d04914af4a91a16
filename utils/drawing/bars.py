"""Bars, upright or lying, beside each other or as boxes with a text in them."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import add
from typing import Any

from utils.drawing import colours
from utils.drawing.axes import Extent, numbers_or_names
from utils.drawing.frame import Frame, in_svg, not_below, percent, title
from utils.drawing.known import Plain, Unsupported, inside, require
from utils.drawing.text import bare_lines, escaped, filled, lines, said, width_of

GAP = 0.2  # plotly's, of the room that a group has
PER_BAR = 8  # least pixels
LETTERS = 14  # pixels: the height of a number


@dataclass(frozen=True)
class Bar:
    """One bar: its sides on the axis of the names, its ends on that of the values, and all that is told of it."""

    before: float
    after: float
    start: float
    end: float
    fields: Plain
    index: int


def extents(trace: Plain) -> tuple[Extent, Extent]:
    """What the bars take on both axes."""
    names, values, bases = _columns(trace)
    ends = list(map(add, bases, values))
    has_names = any(isinstance(one, str) for one in names)
    half = 0.5 if has_names else _unit([trace]) / 2
    across = Extent(names, half, pad_low=False, pad_high=False)
    along = Extent([*bases, *ends], 0.0, pad_low=min(ends, default=0) < 0)
    return (along, across) if _lying(trace) else (across, along)


def draw(traces: Sequence[Plain], frame: Frame, layout: Plain) -> str:
    """All bars of a panel as SVG."""
    mode = layout.get("barmode", "group")
    require(mode, ("group", "overlay"), "bars in mode")
    if len({_lying(trace) for trace in traces}) > 1:
        raise Unsupported("upright and lying bars together")
    beside = len(traces) if mode == "group" else 1
    side, _ = _axes(traces[0], frame)
    unit = 1.0 if side.kind == "category" else _unit(traces)
    width = unit * (1 - layout.get("bargap", GAP)) / beside
    shown = []
    for place, trace in enumerate(traces):
        step = place - (beside - 1) / 2
        offset = step * width if mode == "group" else 0.0
        made = _bars(trace, frame, offset, width)
        shown += [_drawn(trace, bar, frame) for bar in made]
    return f'<g class="cf-bars">{"".join(shown)}</g>'


def least_width(traces: Sequence[Plain], span: float) -> float:
    """How many pixels the bars need, `span` being that of the x axis."""
    if not _lying(traces[0]):
        return PER_BAR * sum(len(trace["x"] or ()) for trace in traces)
    needed = [0.0]
    for trace in traces:
        if inside(trace, "constraintext") == "none":
            needed += _box_widths(trace, span)
    return max(needed)


def _box_widths(trace: Plain, span: float) -> Iterator[float]:
    """How wide the panel has to be for each of the texts in boxes."""
    size = 13.5  # letters of one width are wider than others
    for text, value in zip(trace.get("text") or (), trace["x"], strict=True):
        if value:
            yield span * 0.9 * width_of(text, size) / value


def _lying(trace: Plain) -> bool:
    return trace.get("orientation", "v") == "h"


def _axes(trace: Plain, frame: Frame) -> tuple[Any, Any]:
    """The axis of the names and that of the values."""
    return (frame.y, frame.x) if _lying(trace) else (frame.x, frame.y)


def _columns(trace: Plain) -> tuple[list[Any], list[float], list[float]]:
    x, y = trace.get("x"), trace.get("y")
    names, values = (y, x) if _lying(trace) else (x, y)
    if names is None or values is None or None in list(values):
        raise Unsupported("bars without names or numbers")
    base = trace.get("base") or 0.0
    is_list = isinstance(base, list | tuple)
    bases: list[float] = list(base) if is_list else [float(base)] * len(values)
    return numbers_or_names(list(names)), list(values), bases


def _unit(traces: Sequence[Plain]) -> float:
    """The least step from a bar to the next."""
    names = itertools.chain.from_iterable(_columns(trace)[0] for trace in traces)
    places = sorted(set(names))
    steps = [after - before for before, after in itertools.pairwise(places)]
    return min(steps, default=1.0)


def _bars(trace: Plain, frame: Frame, offset: float, width: float) -> list[Bar]:
    side, along = _axes(trace, frame)
    require(along.kind, ("linear", "log"), "bars along an axis of type")
    names, values, bases = _columns(trace)
    made = []
    for index, (name, value, base) in enumerate(zip(names, values, bases, strict=True)):
        centre = side.number(name) + offset
        sides = side.share(centre - width / 2), side.share(centre + width / 2)
        lowest = along.low if along.kind == "log" else base
        bar = Bar(
            before=min(sides),
            after=max(sides),
            start=along.share(lowest),
            end=along.at(base + value),
            fields=_fields(trace, name, value, index),
            index=index,
        )
        made.append(bar)
    return made


def _fields(trace: Plain, name: Any, value: float, index: int) -> Plain:
    """What a bar's words may be made of."""
    names = "yx" if _lying(trace) else "xy"
    fields: Plain = dict(zip(names, (name, value), strict=True))
    texts, custom = trace.get("text"), trace.get("customdata")
    if texts is not None and not isinstance(texts, str):
        fields["text"] = texts[index]
    if custom is not None:
        fields["customdata"] = custom[index]
    return fields


def _drawn(trace: Plain, bar: Bar, frame: Frame) -> str:
    low, high = sorted((bar.start, bar.end))
    if _lying(trace):
        left, right, top, bottom = low, high, frame.drop(bar.after), frame.drop(bar.before)
    else:
        left, right, top, bottom = bar.before, bar.after, frame.drop(high), frame.drop(low)
    colour = _colour(trace, bar)
    template = trace.get("hovertemplate") or "%{x}, %{y}<extra></extra>"
    told = title(escaped(said(template, bar.fields)))
    place = f'x="{percent(left)}" y="{top:g}"'
    size = f'width="{percent(right - left)}" height="{bottom - top:.4g}"'
    paint = f'fill="{colours.css(colour)}"{_edge(trace)}'
    return f"<rect {place} {size} {paint}>{told}</rect>" + _number(trace, bar, frame, colour)


def _colour(trace: Plain, bar: Bar) -> str:
    colour = inside(trace, "marker.color")
    if isinstance(colour, list | tuple):
        colour = colour[bar.index]
    if not isinstance(colour, str):
        raise Unsupported("bars without a colour")
    return colour


def _edge(trace: Plain) -> str:
    width = inside(trace, "marker.line.width")
    if not width:
        return ""
    colour = colours.css(inside(trace, "marker.line.color"))
    return f' stroke="{colour}" stroke-width="{width:g}"'


def _number(trace: Plain, bar: Bar, frame: Frame, colour: str) -> str:
    """The text of a bar: in the middle of a box, else at its end."""
    text = _text(trace, bar)
    if not text:
        return ""
    if len(bare_lines(text)) > 1:
        raise Unsupported("a bar's text of several lines")
    position = trace.get("textposition", "auto")
    require(position, ("auto", "outside", "inside", "none"), "a bar's text at")
    if position == "none":
        return ""
    is_inside = position == "inside"
    words = in_svg(lines(text)[0])
    if _lying(trace):
        attributes = _beside(trace, bar, frame, colour, is_inside)
    else:
        attributes = _above(trace, bar, frame, colour, is_inside, width_of(text, _size(trace)))
    return f"<text {attributes}{_font(trace)}>{words}</text>"


def _text(trace: Plain, bar: Bar) -> str:
    usual = "%{text}" if "text" in bar.fields else ""
    template = trace.get("texttemplate") or usual
    return filled(template, bar.fields) if template else ""


def _beside(trace: Plain, bar: Bar, frame: Frame, colour: str, is_inside: bool) -> str:
    """Where the text of a lying bar stands."""
    y = frame.drop((bar.before + bar.after) / 2)
    if is_inside:
        given = inside(trace, "textfont.color")
        ink = colours.css(given) if given else _ink(colour)
        middle = percent((bar.start + bar.end) / 2)
        return f'x="{middle}" y="{y:g}" class="cf-mid" fill="{ink}"'
    to_the_left = bar.end < bar.start
    side = 'dx="-4" text-anchor="end"' if to_the_left else 'dx="4" text-anchor="start"'
    return f'x="{percent(bar.end)}" y="{y:g}" {side}'


def _above(trace: Plain, bar: Bar, frame: Frame, colour: str, is_inside: bool, wide: float) -> str:
    """Where the text of an upright bar stands; it is left out where the bar is too narrow for it."""
    least = not_below((wide + 3) / max(bar.after - bar.before, 1e-6))
    end = frame.drop(bar.end)
    height = abs(frame.drop(bar.start) - end)
    within = is_inside and height > LETTERS + 4
    up = bar.end >= bar.start
    y = end + (10 if up == within else -9)
    ink = f' fill="{_ink(colour)}"' if within else ""
    middle = percent((bar.before + bar.after) / 2)
    return f'x="{middle}" y="{y:g}" class="cf-mid {least}"{ink}'


def _size(trace: Plain) -> float:
    return inside(trace, "textfont.size", 12)


def _font(trace: Plain) -> str:
    family, size = inside(trace, "textfont.family"), _size(trace)
    font = f' font-family="{escaped(family)}"' if family else ""
    return font if size == 12 else f'{font} font-size="{size:g}"'


def _ink(colour: str) -> str:
    return colours.ink_on(colours.rgb(colour))
