"""What can be drawn here of plotly's figures: every trace and setting that is known, and an error for all others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import plotly.graph_objects as go

Plain = dict[str, Any]
Value = TypeVar("Value")

_ALL = "type name x y xaxis yaxis customdata hovertemplate showlegend legendgroup"
_TEXT = "text texttemplate textfont.color textfont.size textfont.family"
TRACES = {
    "heatmap": f"{_ALL} {_TEXT} z zmin zmax colorscale showscale xgap ygap "
    "colorbar.thickness colorbar.outlinewidth colorbar.title.text colorbar.title.side colorbar.tickformat",
    "bar": f"{_ALL} {_TEXT} base orientation textposition insidetextanchor textangle constraintext cliponaxis "
    "marker.color marker.line.color marker.line.width",
    "scatter": f"{_ALL} {_TEXT} mode textposition cliponaxis line.color line.dash line.width "
    "marker.color marker.symbol marker.size marker.line.width marker.line.color marker.colorscale "
    "marker.colorbar.title.text marker.colorbar.title.side marker.colorbar.thickness marker.colorbar.outlinewidth",
}
AXIS = (
    "type visible title.text title.standoff range autorange rangemode side domain anchor matches "
    "categoryorder categoryarray tickvals ticktext tickmode dtick tickangle tickformat ticks ticklen tickcolor "
    "nticks showticklabels automargin exponentformat showgrid gridcolor zeroline zerolinecolor zerolinewidth"
)
ANNOTATION = (
    "text x y xref yref xanchor yanchor xshift yshift ax ay showarrow arrowhead arrowcolor standoff align "
    "bgcolor borderpad font.color font.size name"
)
SHAPE = "type x0 x1 y0 y1 xref yref line.color line.dash line.width fillcolor opacity layer name showlegend"
LAYOUT = (
    "title.text title.x title.xanchor title.y title.yanchor title.xref title.yref title.pad.l title.pad.t "
    "title.font.size font.family "
    "font.size font.color height width margin.l margin.r margin.t margin.b margin.pad paper_bgcolor "
    "plot_bgcolor showlegend legend.orientation legend.x legend.y legend.xanchor legend.yanchor "
    "legend.title.text bargap barmode "
    "uniformtext.minsize uniformtext.mode hovermode modebar.orientation modebar.bgcolor modebar.remove "
    "modebar.color modebar.activecolor"
)


class Unsupported(Exception):
    """A figure asks for something that is not drawn here; plotly draws it instead."""


def plain(figure: go.Figure) -> tuple[list[Plain], Plain]:
    """The traces and the layout of a figure as dicts. Raises Unsupported for what is not known here."""
    whole = figure.to_dict()
    for trace in whole["data"]:
        kind = trace.get("type", "scatter")
        _refuse_unknown(trace, one_of(TRACES, kind, "a trace"), kind)
    layout = dict(whole["layout"])
    if set(_paths(layout.pop("template", {}))) - {"data.scatter"}:  # which plotly puts into an empty one
        raise Unsupported("a template")
    for name in [name for name in layout if name.rstrip("0123456789") in ("xaxis", "yaxis")]:
        _refuse_unknown(layout[name], AXIS, name)
    for entry in layout.get("annotations", ()):
        _refuse_unknown(entry, ANNOTATION, "annotation")
    for entry in layout.get("shapes", ()):
        _refuse_unknown(entry, SHAPE, "shape")
    rest = {name: value for name, value in layout.items() if name not in ("meta", "annotations", "shapes")}
    rest = {name: value for name, value in rest.items() if name[1:5] != "axis"}
    _refuse_unknown(rest, LAYOUT, "layout")
    return whole["data"], layout


def one_of(known: Mapping[str, Value], name: str, what: str) -> Value:
    """The entry of that name. Raises Unsupported where there is none."""
    if name not in known:
        raise Unsupported(f"{what} {name!r}")
    return known[name]


def require(given: Any, allowed: Sequence[Any], what: str) -> None:
    """Raise Unsupported unless what is given is one of those allowed."""
    if given not in allowed:
        raise Unsupported(f"{what} {given!r}")


def inside(settings: Mapping[str, Any], path: str, default: Any = None) -> Any:
    """The setting at a path such as `marker.line.color`."""
    for name in path.split("."):
        settings = settings.get(name) or {}
    return default if settings == {} else settings


def _refuse_unknown(settings: Plain, known: str, where: str) -> None:
    unknown = set(_paths(settings)) - set(known.split())
    if unknown:
        raise Unsupported(f"{where}: {', '.join(sorted(unknown))}")


def _paths(settings: Plain, above: str = "") -> Iterator[str]:
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _paths(value, f"{above}{name}.")
        elif value is not None:
            yield above + name
