"""What is written and drawn over a panel: annotations and shapes."""

from typing import Any

from utils.drawing import colours
from utils.drawing.axes import Axis
from utils.drawing.frame import Frame, in_svg, percent
from utils.drawing.known import Plain, Unsupported, inside, one_of, require
from utils.drawing.scatters import DASHES
from utils.drawing.text import lines

_LINE = 16  # pixels from a line of text to the next
_ANCHORS = {"left": "start", "center": "middle", "right": "end", "auto": "middle"}
_ARROW = (-10, -30)  # where plotly puts a text beside its point


def is_outside(note: Plain) -> bool:
    """Whether an annotation stands below all panels."""
    return note.get("yref") == "paper" and note["y"] <= 0 and note.get("yanchor") == "top"


def belongs(entry: Plain, axis_ids: tuple[str, str]) -> bool:
    """Whether an annotation or a shape is placed by the axes of that panel, or by the whole figure."""
    references = [entry.get(f"{letter}ref", letter).removesuffix(" domain") for letter in "xy"]
    return all(reference in (axis, "paper") for reference, axis in zip(references, axis_ids, strict=True))


def annotation(note: Plain, frame: Frame) -> str:
    """A text at its place, with a line to its point where it has an arrow."""
    x = _share(note["x"], note.get("xref", "x"), frame.x)
    y = frame.drop(_share(note["y"], note.get("yref", "y"), frame.y))
    right, down, line = note.get("xshift", 0), -note.get("yshift", 0), ""
    anchor, lean = note.get("xanchor", "auto"), note.get("yanchor", "auto")
    if note.get("showarrow", True):
        right, down = note.get("ax", _ARROW[0]), note.get("ay", _ARROW[1])
        line = (
            f'<svg x="{percent(x)}" y="{y:g}" class="cf-mark">'
            f'<path d="M0 0L{right} {down}" stroke="currentColor" opacity=".6"/></svg>'
        )
        lean = "bottom" if down < 0 else "top"
    written = lines(note["text"])
    height = _LINE * len(written)
    beside = {"top": 4 + _LINE / 2, "bottom": -height - 2 + _LINE / 2}
    first = y + down + beside.get(lean, (_LINE - height) / 2)
    side = one_of(_ANCHORS, anchor, "a text to the")
    parts = [line]
    for index, words in enumerate(written):
        at = f'x="{percent(x)}" y="{first + _LINE * index:g}" dx="{right:g}"'
        parts.append(f'<text {at} class="cf-note" text-anchor="{side}">{in_svg(words)}</text>')
    return "".join(parts)


def shape(given: Plain, frame: Frame) -> str:
    """A line or a rectangle."""
    require(given["type"], ("line", "rect"), "the shape")
    x_ref, y_ref = given.get("xref", "x"), given.get("yref", "y")
    x0, x1 = (_share(given[name], x_ref, frame.x, shape=True) for name in ("x0", "x1"))
    shares = [_share(given[name], y_ref, frame.y, shape=True) for name in ("y0", "y1")]
    y0, y1 = map(frame.drop, shares)
    if given["type"] == "line":
        ends = f'x1="{percent(x0)}" x2="{percent(x1)}" y1="{y0:g}" y2="{y1:g}"'
        return f"<line {ends} {stroke(given)}/>"
    left, right = sorted((x0, x1))
    top, bottom = sorted((y0, y1))
    place = f'x="{percent(left)}" y="{top:g}"'
    size = f'width="{percent(right - left)}" height="{bottom - top:g}"'
    ground = colours.css(given["fillcolor"]) if "fillcolor" in given else "none"
    paint = f'fill="{ground}" opacity="{given.get("opacity", 1):g}"'
    return f'<rect {place} {size} {paint} class="cf-note" {stroke(given)}/>'


def stroke(given: Plain) -> str:
    """The attributes of a shape's line."""
    dash = one_of(DASHES, inside(given, "line.dash", "solid"), "the dash")
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    colour, width = colours.css(inside(given, "line.color")), inside(given, "line.width", 2)
    return f'stroke="{colour}" stroke-width="{width:g}"{dashes}'


def _share(value: Any, reference: str, axis: Axis, shape: bool = False) -> float:
    """Where something lies on an axis. On a log axis a shape has the value, an annotation its logarithm."""
    if reference == "paper" or reference.endswith(" domain"):
        return float(value)
    if isinstance(value, str):
        return axis.at(value)
    if axis.kind == "log" and not shape:
        return axis.share(value)
    if axis.kind == "category":
        return axis.share(float(value))
    if isinstance(value, int | float):
        return axis.at(value)
    raise Unsupported(f"the place {value!r}")
