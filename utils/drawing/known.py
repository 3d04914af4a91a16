"""What can be drawn here of plotly's figures: every trace and setting that is known, and an error for all others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import plotly.graph_objects as go

Plain = dict[str, Any]
Value = TypeVar("Value")

# Paths of settings, by what has them. The first are those that every kind of trace may have.
_ALL = "type name x y xaxis yaxis hovertemplate text "
TRACES = {
    "heatmap": _ALL + "texttemplate textfont.color textfont.size "
    "textfont.family z zmin zmax colorscale showscale xgap ygap "
    "colorbar.thickness colorbar.outlinewidth "
    "colorbar.title.text colorbar.title.side",
    "bar": _ALL + "texttemplate textfont.color textfont.size "
    "textfont.family customdata showlegend base orientation "
    "textposition insidetextanchor textangle constraintext cliponaxis "
    "marker.color marker.line.color marker.line.width",
    "scatter": _ALL + "customdata showlegend legendgroup mode "
    "textposition cliponaxis line.color line.dash line.width "
    "marker.color marker.symbol marker.size "
    "marker.line.width marker.line.color marker.colorscale "
    "marker.colorbar.title.text marker.colorbar.title.side "
    "marker.colorbar.thickness marker.colorbar.outlinewidth",
}
_AXIS = (
    "type visible title.text title.standoff range autorange rangemode "
    "side domain anchor categoryorder categoryarray "
    "tickvals ticktext dtick tickangle ticks ticklen tickcolor "
    "showticklabels automargin exponentformat "
    "showgrid gridcolor zeroline zerolinecolor"
)
_PARTS = {
    "xaxis": _AXIS,
    "yaxis": _AXIS,
    "annotations": "text x y xref yref xanchor yanchor xshift yshift "
    "ax ay showarrow arrowhead arrowcolor standoff align",
    "shapes": "type x0 x1 y0 y1 xref yref line.color line.dash line.width fillcolor opacity name showlegend",
    "meta": "words",
    "template": "data.scatter",  # plotly puts it into an empty one
    "title": "text x xanchor y yanchor xref yref pad.l pad.t font.size",
    "font": "family size color",
    "margin": "l r t b",
    "legend": "orientation x y xanchor yanchor",
    "uniformtext": "minsize mode",
    "modebar": "bgcolor remove color activecolor",
}
_LAYOUT = {*("height", "width", "paper_bgcolor", "plot_bgcolor"), *("showlegend", "bargap", "barmode")}


class Unsupported(Exception):
    """A figure asks for something that is not drawn here; plotly draws it instead."""


def plain(figure: go.Figure) -> tuple[list[Plain], Plain]:
    """The traces and the layout of a figure as dicts. Raises Unsupported for what is not known here."""
    whole = figure.to_dict()
    for trace in whole["data"]:
        known = one_of(TRACES, trace["type"], "a trace")
        _refuse_unknown(trace, known, trace["type"])
    layout = whole["layout"]
    for name in layout.keys() - _LAYOUT:
        known = one_of(_PARTS, name.rstrip("0123456789"), "the layout's")
        _refuse_unknown(layout[name], known, name)
    return whole["data"], layout


def one_of(known: Mapping[str, Value], name: str, what: str) -> Value:
    """The entry of that name. Raises Unsupported where there is none."""
    require(name, known, what)
    return known[name]


def require(given: Any, allowed: Mapping | Sequence, what: str) -> None:
    """Raise Unsupported unless what is given is one of those allowed."""
    if given not in allowed:
        raise Unsupported(f"{what} {given!r}")


def inside(settings: Mapping[str, Any], path: str, default: Any = None) -> Any:
    """The setting at a path such as `marker.line.color`."""
    for name in path.split("."):
        settings = settings.get(name) or {}
    return default if settings == {} else settings


def _refuse_unknown(settings: Any, known: str, where: str) -> None:
    unknown = set(_paths(settings)) - set(known.split())
    if unknown:
        raise Unsupported(f"{where}: {', '.join(sorted(unknown))}")


def _paths(settings: Any, above: str = "") -> Iterator[str]:
    """The paths of all settings in a part of a figure, or in each of several."""
    if isinstance(settings, list | tuple):
        for one in settings:
            yield from _paths(one)
        return
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _paths(value, f"{above}{name}.")
        elif value is not None:
            yield above + name
