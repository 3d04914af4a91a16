"""Bars, upright or lying, beside each other or as boxes with a text in them."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import add
from typing import Any

from utils.drawing import colours
from utils.drawing.axes import Extent, Frame, not_below, numbers_or_names, percent
from utils.drawing.known import Plain, Unsupported, inside, require
from utils.drawing.text import each_of, filled, in_svg, lines, said, tag, title, width_of

GAP = 0.2  # plotly's, of the room that a group has
PER_BAR = 8  # least pixels
LETTERS = 14  # pixels: the height of a number
FONT = 12  # pixels: the size of a drawing's letters
WIDE = 13.5  # the size that letters of one width seem to have, which are wider than others


@dataclass(frozen=True)
class Bar:
    """One bar: its sides on the axis of the names, its ends on that of the values, and all that is told of it."""

    before: float
    after: float
    start: float
    end: float
    colour: str
    fields: Plain


def extents(trace: Plain) -> tuple[Extent, Extent]:
    """What the bars take on both axes."""
    names, values, bases = _columns(trace)
    ends = list(map(add, bases, values))
    across = Extent(names, _unit([trace]) / 2, pad_low=False, pad_high=False)
    along = Extent([*bases, *ends], pad_low=min(ends, default=0) < 0)
    return (along, across) if _lies(trace) else (across, along)


def draw(traces: Sequence[Plain], frame: Frame, layout: Plain) -> str:
    """All bars of a panel as SVG."""
    mode = layout.get("barmode", "group")
    require(mode, ("group", "overlay"), "bars in mode")
    if len(set(map(_lies, traces))) > 1:
        raise Unsupported("upright and lying bars together")
    beside = len(traces) if mode == "group" else 1
    side = frame.y if _lies(traces[0]) else frame.x
    unit = 1.0 if side.kind == "category" else _unit(traces)
    width = unit * (1 - layout.get("bargap", GAP)) / beside
    shown = []
    for place, trace in enumerate(traces):
        step = place % beside - (beside - 1) / 2  # 0 for all that lie over one another
        bars = _bars(trace, frame, step * width, width)
        shown += [_drawn(trace, bar, frame) for bar in bars]
    return tag("g", "", *shown, class_="cf-bars")


def least_width(traces: Sequence[Plain], span: float) -> float:
    """How many pixels the bars need, `span` being that of the x axis."""
    if not _lies(traces[0]):
        return PER_BAR * sum(len(trace["x"]) for trace in traces)
    boxes = (trace for trace in traces if trace.get("constraintext") == "none")
    widths = itertools.chain.from_iterable(map(_box_widths, boxes))
    return span * max(widths, default=0.0)


def _box_widths(trace: Plain) -> Iterator[float]:
    """For each of the texts in boxes, how wide one unit has to be."""
    for text, value in zip(trace["text"], trace["x"], strict=True):
        if value:
            yield 0.9 * width_of(text, WIDE) / value


def _lies(trace: Plain) -> bool:
    return trace.get("orientation") == "h"


def _columns(trace: Plain) -> tuple[list[Any], list[float], list[float]]:
    """Of each bar its name, its number, and where it starts."""
    names, values = trace["x"], trace["y"]
    if _lies(trace):
        names, values = values, names
    base = trace.get("base", 0.0)
    bases = [each_of(base, index) for index in range(len(values))]
    return numbers_or_names(names), list(values), bases


def _unit(traces: Sequence[Plain]) -> float:
    """The least step from a bar to the next, 1 between names."""
    names = itertools.chain.from_iterable(_columns(trace)[0] for trace in traces)
    places = sorted(set(names))
    if str in map(type, places):
        return 1.0
    steps = [after - before for before, after in itertools.pairwise(places)]
    return min(steps, default=1.0)


def _bars(trace: Plain, frame: Frame, offset: float, width: float) -> Iterator[Bar]:
    side, along = (frame.y, frame.x) if _lies(trace) else (frame.x, frame.y)
    require(along.kind, ("linear", "log"), "bars along an axis of type")
    columns = zip(*_columns(trace), strict=True)
    for index, (name, value, base) in enumerate(columns):
        centre = side.number(name) + offset
        before, after = sorted(side.share(centre + half) for half in (-width / 2, width / 2))
        lowest = along.low if along.kind == "log" else base
        yield Bar(
            before,
            after,
            start=along.share(lowest),
            end=along.at(base + value),
            colour=each_of(trace["marker"]["color"], index),
            fields=_fields(trace, name, value, index),
        )


def _fields(trace: Plain, name: Any, value: float, index: int) -> Plain:
    """What a bar's words may be made of."""
    x, y = (value, name) if _lies(trace) else (name, value)
    more = {field: each_of(trace.get(field), index) for field in ("text", "customdata")}
    return {"x": x, "y": y, **more}


def _drawn(trace: Plain, bar: Bar, frame: Frame) -> str:
    across, up = (bar.before, bar.after), sorted((bar.start, bar.end))
    if _lies(trace):
        across, up = up, across
    left, right = across
    bottom, top = map(frame.drop, up)
    template = trace.get("hovertemplate", "%{x}, %{y}<extra></extra>")
    box = tag(
        "rect",
        title(said(template, bar.fields)),
        x=percent(left),
        y=top,
        width=percent(right - left),
        height=f"{bottom - top:.4g}",
        fill=colours.css(bar.colour),
        **_edge(trace),
    )
    return box + _number(trace, bar, frame)


def _edge(trace: Plain) -> Plain:
    width = inside(trace, "marker.line.width")
    if not width:
        return {}
    colour = inside(trace, "marker.line.color", "currentColor")
    return {"stroke": colours.css(colour), "stroke_width": width}


def _number(trace: Plain, bar: Bar, frame: Frame) -> str:
    """The text of a bar: in the middle of a box, else at its end."""
    given = "%{text}" if "text" in trace else ""
    text = filled(trace.get("texttemplate", given), bar.fields)
    if not text:
        return ""
    position = trace.get("textposition")
    require(position, ("outside", "inside"), "a bar's text at")
    [words] = lines(text)
    size = inside(trace, "textfont.size", FONT)
    is_inside = position == "inside"
    if _lies(trace):
        place = _in_box(trace, bar, frame) if is_inside else _beside(bar, frame)
    else:
        place = _above(bar, frame, is_inside, width_of(text, size))
    return tag(
        "text",
        in_svg(words),
        **place,
        font_family=inside(trace, "textfont.family"),
        font_size=None if size == FONT else size,
    )


def _beside(bar: Bar, frame: Frame) -> Plain:
    """Where a text stands at the end of a lying bar."""
    y = frame.drop((bar.before + bar.after) / 2)
    dx, anchor = (-4, "end") if bar.end < bar.start else (4, "start")
    return {"x": percent(bar.end), "y": y, "dx": dx, "text_anchor": anchor}


def _in_box(trace: Plain, bar: Bar, frame: Frame) -> Plain:
    """Where a text stands in a lying bar."""
    ink = inside(trace, "textfont.color") or _ink(bar.colour)
    return {
        "x": percent((bar.start + bar.end) / 2),
        "y": frame.drop((bar.before + bar.after) / 2),
        "class_": "cf-mid",
        "fill": colours.css(ink),
    }


def _above(bar: Bar, frame: Frame, is_inside: bool, wide: float) -> Plain:
    """Where the text of an upright bar stands; it is left out where the bar is too narrow for it."""
    least = not_below((wide + 3) / max(bar.after - bar.before, 1e-6))
    end = frame.drop(bar.end)
    height = abs(frame.drop(bar.start) - end)
    fits = height > LETTERS + 4
    within = is_inside and fits
    goes_up = bar.end >= bar.start
    return {
        "x": percent((bar.before + bar.after) / 2),
        "y": end + (10 if goes_up == within else -9),
        "class_": f"cf-mid {least}",
        "fill": _ink(bar.colour) if within else None,
    }


def _ink(colour: str) -> str:
    return colours.ink_on(colours.rgb(colour))
