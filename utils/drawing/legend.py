"""The legend above a figure: scales of colours, a swatch for each trace, and lines that have a name."""

from utils.drawing import colours, scatters
from utils.drawing.known import Plain, inside
from utils.drawing.text import div, formatted, rich, tag

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
