"""Lines, markers and the words beside points."""

from typing import Any

from utils.drawing import colours
from utils.drawing.axes import Extent, numbers_or_names
from utils.drawing.frame import Frame, in_svg, percent, title
from utils.drawing.known import Plain, Unsupported, inside, one_of, require
from utils.drawing.text import escaped, filled, lines, said

DASHES = {"solid": "", "dash": "8 5", "dot": "2 4", "dashdot": "8 4 2 4", "longdash": "12 6", "longdashdot": "12 5 2 5"}
# Each symbol as a path around its middle, one unit being half its size.
SYMBOLS = {
    "circle": "",
    "circle-open": "",
    "diamond": "M0-1.25L1.25 0L0 1.25L-1.25 0Z",
    "square": "M-.9-.9H.9V.9H-.9Z",
    "cross": "M-.4-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
    "x": "M0-.55L.65-1.2L1.2-.65L.55 0L1.2.65L.65 1.2L0 .55L-.65 1.2L-1.2.65L-.55 0L-1.2-.65L-.65-1.2Z",
    "triangle-up": "M0-1.2L1.15.8H-1.15Z",
}
# Where words stand beside their point: their anchor and how far they are moved.
POSITIONS = {
    "middle right": ("start", 8, 0),
    "middle left": ("end", -8, 0),
    "top center": ("middle", 0, -13),
    "bottom center": ("middle", 0, 13),
    "middle center": ("middle", 0, 0),
    "top right": ("start", 6, -11),
    "top left": ("end", -6, -11),
    "bottom right": ("start", 6, 11),
    "bottom left": ("end", -6, 11),
}
Place = tuple[float, float]  # a share of the width from the left, pixels from above
_WIDE = 1000  # units across of the picture in which a line is drawn


def extents(trace: Plain) -> tuple[Extent, Extent]:
    """What the points take on both axes; markers and words keep away from the edges."""
    x, y = _points(trace)
    roomy = mode(trace) != {"lines"}
    return Extent(x, 0.0, roomy, roomy), Extent(y)


def mode(trace: Plain) -> set[str]:
    """What is drawn: some of lines, markers and text."""
    asked: set[str] = set((trace.get("mode") or "lines+markers").split("+"))
    if asked - {"lines", "markers", "text"}:
        raise Unsupported(f"the mode {trace.get('mode')!r}")
    return asked


def draw(trace: Plain, frame: Frame) -> str:
    """The line, its markers and its words as SVG."""
    points = _points(trace)
    places = [_place(frame, *point) for point in zip(*points, strict=True)]
    asked, parts = mode(trace), []
    if "lines" in asked:
        parts.append(_line(trace, places, frame.height))
    for index, place in enumerate(places):
        if place is None:
            continue
        told = _told(trace, *points, index)
        if "markers" in asked:
            parts.append(marker(trace, *place, told, index))
        else:
            parts.append(_unseen(*place, told))
        if "text" in asked:
            parts.append(_words(trace, *place, index))
    return "".join(parts)


def _place(frame: Frame, x: Any, y: Any) -> Place | None:
    """Where a point lies; None for a gap."""
    if x is None or y is None:
        return None
    return frame.x.at(x), frame.down(y)


def _unseen(x: float, y: float, told: str) -> str:
    """What the mouse finds where no marker is."""
    return f'<circle cx="{percent(x)}" cy="{y:g}" r="6" class="cf-hit">{told}</circle>'


def marker(trace: Plain, x: float, y: float, told: str = "", index: int = 0) -> str:
    """One marker; `told` is its <title>."""
    symbol, size = inside(trace, "marker.symbol", "circle"), inside(trace, "marker.size", 6)
    path, colour = one_of(SYMBOLS, symbol, "the symbol"), _colour_of(trace, index)
    if not isinstance(size, int | float):
        raise Unsupported("markers of several sizes")
    paint = f'fill="{colour}"'
    if symbol == "circle-open":
        paint = f'fill="none" stroke="{colour}" stroke-width="{inside(trace, "marker.line.width", 1):g}"'
    at = f'x="{percent(x)}" y="{y:g}"'
    if path:
        return f'<svg {at} class="cf-mark"><path d="{path}" transform="scale({size / 2:g})" {paint}>{told}</path></svg>'
    return f'<circle c{at.replace(" y", " cy")} r="{size / 2:g}" class="cf-mark" {paint}>{told}</circle>'


def stroke(trace: Plain) -> str:
    """The attributes of a line."""
    dash = one_of(DASHES, inside(trace, "line.dash", "solid"), "the dash")
    colour = colours.css(inside(trace, "line.color") or inside(trace, "marker.color"))
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'stroke="{colour}" stroke-width="{inside(trace, "line.width", 2):g}"{dashes}'


def _points(trace: Plain) -> tuple[list[Any], list[Any]]:
    x, y = trace.get("x"), trace.get("y")
    if y is None or isinstance(x, dict) or isinstance(y, dict):
        raise Unsupported("points without lists of numbers")
    x = list(range(len(y))) if x is None else list(x)
    require(len(x), (len(y),), "numbers on x, not as many as on y:")
    return numbers_or_names(x), numbers_or_names(list(y))


def _line(trace: Plain, places: list[Any], height: float) -> str:
    path, pen = "", "M"
    for place in places:
        if place is None:
            pen = "M"
            continue
        x, y = place
        path += f"{pen}{x * _WIDE:.4g} {y:g}"
        pen = "L"
    size = f'viewBox="0 0 {_WIDE} {height:g}" width="100%" height="{height:g}"'
    line = f'<path d="{path}" {stroke(trace)}/>'
    return f'<svg {size} preserveAspectRatio="none" class="cf-line">{line}</svg>'


def _colour_of(trace: Plain, index: int) -> str:
    colour = inside(trace, "marker.color") or inside(trace, "line.color")
    if not isinstance(colour, list | tuple):
        return colours.css(colour)
    if isinstance(colour[index], str):
        return colours.css(colour[index])
    given = inside(trace, "marker.colorscale")
    if given is None:
        raise Unsupported("markers coloured by numbers without a scale")
    low, high = min(colour), max(colour)
    share = (colour[index] - low) / ((high - low) or 1)
    return colours.as_css(colours.at(colours.scale(given), share))


def _told(trace: Plain, x: list[Any], y: list[Any], index: int) -> str:
    fields = {"x": x[index], "y": y[index]}
    for field in ("customdata", "text"):
        values = trace.get(field)
        if isinstance(values, list | tuple):
            fields[field] = values[index]
    template = trace.get("hovertemplate") or "%{x}, %{y}<extra></extra>"
    return title(escaped(said(template, fields)))


def _words(trace: Plain, x: float, y: float, index: int) -> str:
    texts = trace.get("text")
    text = texts[index] if isinstance(texts, list | tuple) else texts
    if trace.get("texttemplate"):
        fields = {"text": text, "x": trace["x"][index], "y": trace["y"][index]}
        text = filled(trace["texttemplate"], fields)
    if not text:
        return ""
    anchor, right, down = one_of(POSITIONS, trace.get("textposition", "middle center"), "words at")
    colour = inside(trace, "textfont.color")
    ink = f' fill="{colours.css(colour)}"' if colour else ""
    words = in_svg(" ".join(lines(text)))
    return f'<text x="{percent(x)}" y="{y + down:g}" dx="{right}" text-anchor="{anchor}"{ink}>{words}</text>'
