"""Lines, markers and the words beside points."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

from utils.drawing import colours
from utils.drawing.axes import Extent, Frame, numbers_or_names, percent
from utils.drawing.known import Plain, inside, one_of, require
from utils.drawing.text import each_of, in_svg, lines, said, tag, title, width_of

DASHES = {"solid": None, "dash": "8 5", "dot": "2 4", "dashdot": "8 4 2 4"}
# Each symbol as a path around its middle, one unit being half its size.
SYMBOLS = {
    "circle": "",
    "circle-open": "",
    "diamond": "M0-1.25L1.25 0L0 1.25L-1.25 0Z",
    "square": "M-.9-.9H.9V.9H-.9Z",
    "cross": "M-.4-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
}
# Where words stand beside their point: their anchor and how far they are moved.
POSITIONS = {"middle right": ("start", 8, 0), "middle center": ("middle", 0, 0), "bottom right": ("start", 6, 11)}
FONT = 12  # pixels: the size of the words
MODES = ("lines", "markers", "text")
Place = tuple[float, float]  # a share of the width from the left, pixels from above
_WIDE = 1000  # units across of the picture in which a line is drawn


def extents(trace: Plain) -> tuple[Extent, Extent]:
    """What the points take on both axes; markers and words keep away from the edges."""
    x, y = _points(trace)
    roomy = mode(trace) != ["lines"]
    return Extent(x, 0.0, roomy, roomy), Extent(y)


def reaches_beyond(trace: Plain) -> int:
    """How many pixels the words beside the last point may need beyond it."""
    if trace["type"] != "scatter" or "text" not in mode(trace) or not trace["y"]:
        return 0
    position = trace.get("textposition", "middle center")
    anchor, right, _ = one_of(POSITIONS, position, "words at")
    words = each_of(trace.get("text"), len(trace["y"]) - 1)
    if not words or anchor != "start":
        return 0
    return math.ceil(right + width_of(words, FONT))


def mode(trace: Plain) -> list[str]:
    """What is drawn: some of lines, markers and text."""
    asked = trace.get("mode", "lines+markers").split("+")
    for one in asked:
        require(one, MODES, "the mode")
    return asked


def draw(trace: Plain, frame: Frame) -> str:
    """The line, its markers and its words as SVG."""
    points = list(zip(*_points(trace), strict=True))
    places = [_place(frame, *point) for point in points]
    asked = mode(trace)
    parts = [_line(trace, places, frame.height)] if "lines" in asked else []
    for index, place in enumerate(places):
        if place:
            told = _told(trace, points[index], index)
            parts += _at_point(trace, asked, place, told, index)
    return "".join(parts)


def marker(trace: Plain, x: float, y: float, told: str = "", index: int = 0) -> str:
    """One marker; `told` is its <title>."""
    symbol = inside(trace, "marker.symbol", "circle")
    path = one_of(SYMBOLS, symbol, "the symbol")
    radius = inside(trace, "marker.size", 6) / 2
    colour = _colour_of(trace, index)
    paint = {"fill": colour}
    if symbol == "circle-open":
        width = inside(trace, "marker.line.width", 1)
        paint = {"fill": "none", "stroke": colour, "stroke_width": width}
    if not path:
        look = {"r": radius, "class_": "cf-mark", **paint}
        return tag("circle", told, cx=percent(x), cy=y, **look)
    mark = tag("path", told, d=path, transform=f"scale({radius:g})", **paint)
    return tag("svg", mark, x=percent(x), y=y, class_="cf-mark")


def stroke(given: Plain) -> dict[str, Any]:
    """The attributes of a line: a trace's, or a shape's."""
    dash = inside(given, "line.dash", "solid")
    usual = inside(given, "marker.color", "currentColor")
    return {
        "stroke": colours.css(inside(given, "line.color", usual)),
        "stroke_width": inside(given, "line.width", 2),
        "stroke_dasharray": one_of(DASHES, dash, "the dash"),
    }


def _points(trace: Plain) -> tuple[list[Any], list[Any]]:
    y = list(trace["y"])
    x = list(trace.get("x", range(len(y))))
    require(len(x), (len(y),), "numbers on x, not as many as on y:")
    return numbers_or_names(x), numbers_or_names(y)


def _place(frame: Frame, x: Any, y: Any) -> Place | None:
    """Where a point lies; None for a gap."""
    if x is None or y is None:
        return None
    return frame.x.at(x), frame.drop(frame.y.at(y))


def _line(trace: Plain, places: Sequence[Place | None], height: float) -> str:
    steps = itertools.pairwise([None, *places])
    path = tag("path", d="".join(_step(*ends) for ends in steps), **stroke(trace))
    return tag(
        "svg",
        path,
        viewBox=f"0 0 {_WIDE} {height:g}",
        width="100%",
        height=height,
        preserveAspectRatio="none",
        class_="cf-line",
    )


def _step(before: Place | None, place: Place | None) -> str:
    """The line to a place from the one before it; without one the pen is set down there."""
    if not place:
        return ""
    x, y = place
    return f"{'L' if before else 'M'}{x * _WIDE:.4g} {y:g}"


def _at_point(trace: Plain, asked: list[str], place: Place, told: str, index: int) -> list[str]:
    """A marker, or without one what the mouse finds, and the words beside it."""
    x, y = place
    unseen = tag("circle", told, cx=percent(x), cy=y, r=6, class_="cf-hit")
    found = marker(trace, x, y, told, index) if "markers" in asked else unseen
    return [found, _words(trace, x, y, index)] if "text" in asked else [found]


def _colour_of(trace: Plain, index: int) -> str:
    usual = inside(trace, "line.color", "currentColor")
    given = inside(trace, "marker.color", usual)
    colour = each_of(given, index)
    if isinstance(colour, str):
        return colours.css(colour)
    low, high = min(given), max(given)
    share = (colour - low) / ((high - low) or 1)
    scale = colours.scale(trace["marker"]["colorscale"])
    return colours.as_css(colours.at(scale, share))


def _told(trace: Plain, point: tuple[Any, Any], index: int) -> str:
    fields = dict(zip("xy", point, strict=True))
    for field in ("customdata", "text"):
        fields[field] = each_of(trace.get(field), index)
    template = trace.get("hovertemplate", "%{x}, %{y}<extra></extra>")
    return title(said(template, fields))


def _words(trace: Plain, x: float, y: float, index: int) -> str:
    text = each_of(trace.get("text"), index)
    if not text:
        return ""
    position = trace.get("textposition", "middle center")
    anchor, right, down = one_of(POSITIONS, position, "words at")
    words = in_svg(" ".join(lines(text)))
    return tag("text", words, x=percent(x), y=y + down, dx=right, text_anchor=anchor)
