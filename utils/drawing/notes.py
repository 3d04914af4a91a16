"""The legend above a figure, and what is written and drawn over a panel: annotations and shapes."""

from utils.drawing import colours, scatters
from utils.drawing.axes import Axis, Frame, percent
from utils.drawing.known import Plain, inside, one_of, require
from utils.drawing.scatters import stroke
from utils.drawing.text import div, formatted, in_svg, lines, rich, tag

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


WIDE, HIGH = 28, 14  # pixels: a line or a marker before its name; a bar's swatch is as wide as high


def legend(traces: list[Plain], layout: Plain) -> str:
    """The legend, nothing where there is nothing to tell apart."""
    entries: list[str] = []
    named: list[Plain] = []
    for trace in traces:
        if trace["type"] != "heatmap":
            named.append(trace)
        elif trace.get("showscale", True):
            entries.append(_scale(trace))
    marked = (trace for trace in named if inside(trace, "marker.colorbar"))
    entries += map(_marker_scale, marked)
    if layout.get("showlegend", len(named) > 1):
        entries += map(_named, named)
        entries += map(_level, layout.get("shapes", ()))
    return div("cf-legend", *entries) if any(entries) else ""


def _named(trace: Plain) -> str:
    name = trace.get("name")
    if not name or not trace.get("showlegend", True):
        return ""
    return tag("span", _swatch(trace), rich(name))


def _level(shape: Plain) -> str:
    if not shape.get("showlegend"):
        return ""
    swatch = tag("svg", _line(shape), width=WIDE, height=HIGH)
    return tag("span", swatch, rich(shape["name"]))


def _swatch(trace: Plain) -> str:
    """What stands before a trace's name."""
    if trace["type"] == "bar":
        colour = trace["marker"]["color"]
        shown = colour if isinstance(colour, str) else "currentColor"
        box = tag("rect", width=HIGH, height=HIGH, fill=colours.css(shown))
        return tag("svg", box, width=HIGH, height=HIGH)
    mode = scatters.mode(trace)
    line = _line(trace) if "lines" in mode else ""
    mark = scatters.marker(trace, 0.5, HIGH / 2) if "markers" in mode else ""
    return tag("svg", line, mark, width=WIDE, height=HIGH)


def _line(given: Plain) -> str:
    ends = {"x1": 0, "x2": WIDE, "y1": HIGH / 2, "y2": HIGH / 2}
    return tag("line", **ends, **scatters.stroke(given))


def _scale(trace: Plain) -> str:
    title = inside(trace, "colorbar.title.text", "")
    scale = colours.scale(trace["colorscale"])
    return _gradient(scale, trace["zmin"], trace["zmax"], title, "cf-cells-scale")


def _marker_scale(trace: Plain) -> str:
    marker = trace["marker"]
    title = inside(marker, "colorbar.title.text", "")
    values = marker["color"]
    scale = colours.scale(marker["colorscale"])
    return _gradient(scale, min(values), max(values), title, "cf-marks-scale")


def _gradient(scale: colours.Scale, low: float, high: float, title: str, kind: str) -> str:
    stops = [f"{colours.as_css(colour)} {place:.0%}" for place, colour in scale]
    ground = f"background:linear-gradient(to right,{','.join(stops)})"
    bar = tag("span", "", class_=f"cf-scale {kind}", style=ground)
    name = f"{rich(title)} " if title else ""
    ends = formatted(low, ".3~g"), formatted(high, ".3~g")
    return tag("span", name, ends[0], bar, ends[1])
