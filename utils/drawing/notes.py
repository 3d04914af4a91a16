"""What is written and drawn over a panel: annotations and shapes."""

from utils.drawing import colours
from utils.drawing.axes import Axis, Frame, percent
from utils.drawing.known import Plain, one_of, require
from utils.drawing.scatters import stroke
from utils.drawing.text import in_svg, lines, tag

_LINE = 16  # pixels from a line of text to the next
_ANCHORS = {"left": "start", "center": "middle", "right": "end", "auto": "middle"}
_ARROW = (-10, -30)  # where plotly puts a text beside its point


def is_outside(note: Plain) -> bool:
    """Whether an annotation stands below all panels."""
    hangs = note.get("yref") == "paper" and note.get("yanchor") == "top"
    return hangs and note["y"] <= 0


def belongs(entry: Plain, axis_ids: tuple[str, str]) -> bool:
    """Whether an annotation or a shape is placed by the axes of that panel, or by the whole figure."""
    x, y = (reference(entry, letter).removesuffix(" domain") for letter in "xy")
    return {x, y} <= {*axis_ids, "paper"}


def annotation(note: Plain, frame: Frame) -> str:
    """A text at its place, with a line to its point where it has an arrow."""
    x = percent(_share(note, "x", frame.x))
    y = frame.drop(_share(note, "y", frame.y))
    if note.get("showarrow", True):
        right, down = note.get("ax", _ARROW[0]), note.get("ay", _ARROW[1])
        lean = "bottom" if down < 0 else "top"
        line = f"M0 0L{right} {down}"
        path = tag("path", d=line, stroke="currentColor", opacity=".6")
        arrow = tag("svg", path, x=x, y=y, class_="cf-mark")
    else:
        right, down = note.get("xshift", 0), -note.get("yshift", 0)
        lean, arrow = note.get("yanchor", "auto"), ""
    written = lines(note["text"])
    height = _LINE * len(written)
    above = {"top": 4 + _LINE / 2, "bottom": -height - 2 + _LINE / 2}
    top = y + down + above.get(lean, (_LINE - height) / 2)
    look = {
        "dx": right,
        "class_": "cf-note",
        "text_anchor": one_of(_ANCHORS, note.get("xanchor", "auto"), "a text to the"),
    }
    texts = (tag("text", in_svg(line), x=x, y=top + _LINE * index, **look) for index, line in enumerate(written))
    return "".join([arrow, *texts])


def shape(given: Plain, frame: Frame) -> str:
    """A line or a rectangle."""
    require(given["type"], ("line", "rect"), "the shape")
    x0, x1 = (_share(given, name, frame.x, is_shape=True) for name in ("x0", "x1"))
    shares = (_share(given, name, frame.y, is_shape=True) for name in ("y0", "y1"))
    y0, y1 = map(frame.drop, shares)
    if given["type"] == "line":
        across = {"x1": percent(x0), "x2": percent(x1)}
        return tag("line", **across, y1=y0, y2=y1, **stroke(given))
    return tag(
        "rect",
        x=percent(min(x0, x1)),
        y=min(y0, y1),
        width=percent(abs(x1 - x0)),
        height=abs(y1 - y0),
        fill=colours.css(given.get("fillcolor", "none")),
        opacity=given.get("opacity", 1),
        class_="cf-note",
        **stroke(given),
    )


def reference(entry: Plain, letter: str) -> str:
    """What an annotation or a shape is placed by: an axis, an axis's domain or the paper."""
    return entry.get(f"{letter}ref", letter)


def _share(entry: Plain, name: str, axis: Axis, *, is_shape: bool = False) -> float:
    """Where something lies on an axis. On a log axis a shape has the value, an annotation its logarithm."""
    value, by = entry[name], reference(entry, name[0])
    if by == "paper" or by.endswith(" domain"):
        return float(value)
    is_logarithm = axis.kind == "log" and not is_shape
    is_own = axis.kind == "category" or is_logarithm
    if isinstance(value, str) or not is_own:
        return axis.at(value)
    return axis.share(float(value))
