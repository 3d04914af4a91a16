"""Bars, upright or lying, beside each other or as boxes with a text in them."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
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
    ends = [base + value for base, value in zip(bases, values, strict=True)]
    across = Extent(names, 0.5 if any(isinstance(one, str) for one in names) else _unit([trace]) / 2, False, False)
    along = Extent([*bases, *ends], 0.0, any(end < 0 for end in ends), True)
    return (along, across) if _lying(trace) else (across, along)


def draw(traces: Sequence[Plain], frame: Frame, layout: Plain) -> str:
    """All bars of a panel as SVG."""
    mode = layout.get("barmode", "group")
    require(mode, ("group", "overlay"), "bars in mode")
    if len({_lying(trace) for trace in traces}) > 1:
        raise Unsupported("upright and lying bars together")
    beside = len(traces) if mode == "group" else 1
    unit = 1.0 if _axes(traces[0], frame)[0].kind == "category" else _unit(traces)
    width = unit * (1 - layout.get("bargap", GAP)) / beside
    shown = []
    for place, trace in enumerate(traces):
        offset = (place - (beside - 1) / 2) * width if mode == "group" else 0.0
        shown += [_drawn(trace, bar, frame) for bar in _bars(trace, frame, offset, width)]
    return f'<g class="cf-bars">{"".join(shown)}</g>'


def least_width(traces: Sequence[Plain], span: float) -> float:
    """How many pixels the bars need, `span` being that of the x axis."""
    if not _lying(traces[0]):
        return PER_BAR * sum(len(trace["x"] or ()) for trace in traces)
    size = 13.5  # letters of one width are wider than others
    boxes = [
        (width_of(text, size), value)
        for trace in traces
        if inside(trace, "constraintext") == "none"
        for text, value in zip(trace.get("text") or (), trace["x"], strict=True)
    ]
    return max((span * 0.9 * width / value for width, value in boxes if value), default=0.0)


def _lying(trace: Plain) -> bool:
    return trace.get("orientation", "v") == "h"


def _axes(trace: Plain, frame: Frame) -> tuple[Any, Any]:
    """The axis of the names and that of the values."""
    return (frame.y, frame.x) if _lying(trace) else (frame.x, frame.y)


def _columns(trace: Plain) -> tuple[list[Any], list[float], list[float]]:
    names, values = (trace.get("y"), trace.get("x")) if _lying(trace) else (trace.get("x"), trace.get("y"))
    if names is None or values is None or any(value is None for value in values):
        raise Unsupported("bars without names or numbers")
    base = trace.get("base") or 0.0
    bases: list[float] = list(base) if isinstance(base, list | tuple) else [float(base)] * len(values)
    return numbers_or_names(list(names)), list(values), bases


def _unit(traces: Sequence[Plain]) -> float:
    places = sorted({place for trace in traces for place in _columns(trace)[0]})
    return min((after - before for before, after in itertools.pairwise(places)), default=1.0)


def _bars(trace: Plain, frame: Frame, offset: float, width: float) -> list[Bar]:
    side, along = _axes(trace, frame)
    require(along.kind, ("linear", "log"), "bars along an axis of type")
    names, values, bases = _columns(trace)
    texts, custom = trace.get("text"), trace.get("customdata")
    made = []
    for index, (name, value, base) in enumerate(zip(names, values, bases, strict=True)):
        centre = side.number(name) + offset
        fields = {"y": name, "x": value} if _lying(trace) else {"x": name, "y": value}
        fields |= {"text": texts[index]} if texts is not None and not isinstance(texts, str) else {}
        fields |= {"customdata": custom[index]} if custom is not None else {}
        sides = side.share(centre - width / 2), side.share(centre + width / 2)
        start = along.share(along.low) if along.kind == "log" else along.share(base)
        made.append(Bar(min(sides), max(sides), start, along.at(base + value), fields, index))
    return made


def _drawn(trace: Plain, bar: Bar, frame: Frame) -> str:
    low, high = sorted((bar.start, bar.end))
    if _lying(trace):
        left, right, top, bottom = low, high, frame.drop(bar.after), frame.drop(bar.before)
    else:
        left, right, top, bottom = bar.before, bar.after, frame.drop(high), frame.drop(low)
    colour = inside(trace, "marker.color")
    colour = colour[bar.index] if isinstance(colour, list | tuple) else colour
    if not isinstance(colour, str):
        raise Unsupported("bars without a colour")
    line = inside(trace, "marker.line.width")
    edge = f' stroke="{colours.css(inside(trace, "marker.line.color"))}" stroke-width="{line:g}"' if line else ""
    told = title(escaped(said(trace.get("hovertemplate") or "%{x}, %{y}<extra></extra>", bar.fields)))
    rectangle = (
        f'<rect x="{percent(left)}" y="{top:g}" width="{percent(right - left)}" height="{bottom - top:.4g}" '
        f'fill="{colours.css(colour)}"{edge}>{told}</rect>'
    )
    return rectangle + _number(trace, bar, frame, colour)


def _number(trace: Plain, bar: Bar, frame: Frame, colour: str) -> str:
    """The text of a bar: in the middle of a box, else at its end."""
    template = trace.get("texttemplate") or ("%{text}" if "text" in bar.fields else "")
    text = filled(template, bar.fields) if template else ""
    if not text:
        return ""
    if len(bare_lines(text)) > 1:
        raise Unsupported("a bar's text of several lines")
    position = trace.get("textposition", "auto")
    require(position, ("auto", "outside", "inside", "none"), "a bar's text at")
    if position == "none":
        return ""
    words = in_svg(lines(text)[0])
    middle, size = (bar.before + bar.after) / 2, inside(trace, "textfont.size", 12)
    font = f' font-family="{escaped(inside(trace, "textfont.family"))}"' if inside(trace, "textfont.family") else ""
    font += f' font-size="{size:g}"' if size != 12 else ""
    if _lying(trace):
        if position == "inside":
            ink = colours.css(inside(trace, "textfont.color")) if inside(trace, "textfont.color") else _ink(colour)
            x = percent((bar.start + bar.end) / 2)
            return f'<text x="{x}" y="{frame.drop(middle):g}" class="cf-mid" fill="{ink}"{font}>{words}</text>'
        side = 'dx="-4" text-anchor="end"' if bar.end < bar.start else 'dx="4" text-anchor="start"'
        return f'<text x="{percent(bar.end)}" y="{frame.drop(middle):g}" {side}{font}>{words}</text>'
    least = not_below((width_of(text, size) + 3) / max(bar.after - bar.before, 1e-6))
    up, end = bar.end >= bar.start, frame.drop(bar.end)
    within = position == "inside" and abs(frame.drop(bar.start) - end) > LETTERS + 4
    y = end + (10 if up == within else -9)
    ink = f' fill="{_ink(colour)}"' if within else ""
    return f'<text x="{percent(middle)}" y="{y:g}" class="cf-mid {least}"{ink}{font}>{words}</text>'


def _ink(colour: str) -> str:
    return colours.ink_on(colours.rgb(colour))
