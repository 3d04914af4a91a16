"""Tensor in, plotly Figure out; the caller decides where it is shown.

Numbers are rounded to three significant digits: enough for the eye, and the stored figure stays the same on another
processor, whose float32 sums may end in other digits.
"""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

# Paul Tol's "muted" colours, told apart in every common kind of colour blindness; symbols and dashes tell rounds apart.
_COLOURS = ["#332288", "#117733", "#cc6677", "#ddaa33", "#882255", "#44aa99", "#aa4499", "#3b6fb6"]
_ROUNDS = [("solid", "circle"), ("dash", "diamond"), ("dot", "square"), ("dashdot", "cross")]
_DIVERGING = [[0.0, "#b2432f"], [0.5, "#f7f7f7"], [1.0, "#2f6db2"]]
_FONT = {"family": "system-ui, sans-serif", "size": 13}


def heatmap(
    values: Float[Tensor, "row column"],
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    *,
    show_values: bool = False,
    row_title: str = "",
    column_title: str = "",
) -> go.Figure:
    """A table of numbers as colours, zero white, the first row on top. `show_values` writes each number too."""
    values = values.detach()
    limit = float(values.abs().max())
    figure = go.Figure(
        go.Heatmap(
            z=_numbers(values),
            x=_distinct(columns),
            y=_distinct(rows),
            colorscale=_DIVERGING,
            zmin=-round_for_show(limit),
            zmax=round_for_show(limit),
            texttemplate="%{z}" if show_values else None,
            hovertemplate="%{y}, %{x}: %{z}<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed", title=row_title, automargin=True)
    figure.update_xaxes(title=column_title)
    return _finish(figure, title, height=120 + 28 * min(len(rows), 15) + 40 * bool(column_title))


def bars(steps: dict[str, Float[Tensor, " d_model"]], title: str, *, y_title: str = "value") -> go.Figure:
    """The same few numbers at several steps, side by side: one group of bars for each step."""
    count = len(next(iter(steps.values())))
    groups = [
        go.Bar(
            name=f"dimension {index}",
            x=list(steps),
            y=[round_for_show(values[index].item()) for values in steps.values()],
            texttemplate="%{y}",
            hovertemplate="%{x}, dimension " + str(index) + ": %{y}<extra></extra>",
        )
        for index in range(count)
    ]
    figure = go.Figure(groups)
    figure.update_yaxes(title=y_title, zerolinecolor="black")
    return _finish(figure, title, height=340)


def lines(
    values: Float[Tensor, "line point"],
    names: Sequence[str],
    points: Sequence[str],
    title: str,
    *,
    y_title: str,
    x_title: str = "",
    instead: tuple[str, Float[Tensor, "line point"], str] | None = None,
) -> go.Figure:
    """One line for each row of `values`. `instead` = (name, values, y_title) adds buttons that swap in other values."""
    figure = go.Figure()
    for index, (name, row) in enumerate(zip(_distinct(names), _numbers(values), strict=True)):
        figure.add_scatter(name=name, x=list(points), y=row, mode="lines+markers", **_line_style(index))
    figure.update_traces(hovertemplate="%{fullData.name}<br>%{x}: %{y}<extra></extra>")
    figure.update_yaxes(title=y_title, rangemode="tozero")
    figure.update_xaxes(title=x_title, automargin=True)
    if instead:
        figure.update_layout(updatemenus=[_buttons(("before", values, y_title), instead)])
    return _finish(figure, title, height=420)


def path(
    points: Float[Tensor, "point xy"],
    names: Sequence[str],
    title: str,
    *,
    x_title: str,
    y_title: str,
    color_title: str,
    labelled: Sequence[int],
) -> go.Figure:
    """Points of a plane joined in order, dark first, light last; those at the indices `labelled` show their name."""
    x, y = _numbers(points.T)
    figure = go.Figure(
        go.Scatter(
            x=x,
            y=y,
            mode="lines+markers",
            customdata=list(names),
            hovertemplate="%{customdata}: %{x}, %{y}<extra></extra>",
            line={"color": "#c8ccd1", "width": 1},
            marker={
                "color": list(range(len(x))),
                "colorscale": "Viridis",
                "size": 7,
                "colorbar": {"title": color_title},
            },
        )
    )
    for index in labelled:
        figure.add_annotation(
            x=x[index],
            y=y[index],
            text=names[index],
            ax=0,
            ay=-28,
            arrowhead=0,
            standoff=4,
            bgcolor="white",
            borderpad=1,
        )
    figure.update_xaxes(title=x_title, zerolinecolor="#c8ccd1")
    figure.update_yaxes(title=y_title, zerolinecolor="#c8ccd1")
    return _finish(figure, title, height=460)


def round_for_show(value: float) -> float:
    """Three significant digits: 97.8949 becomes 97.9, 0.012345 becomes 0.0123."""
    return float(f"{value:.3g}")


def _line_style(index: int) -> dict:
    """A colour for each of the first lines, then the same colours with other dashes and symbols."""
    dash, symbol = _ROUNDS[index // len(_COLOURS) % len(_ROUNDS)]
    color = _COLOURS[index % len(_COLOURS)]
    return {"line": {"color": color, "dash": dash}, "marker": {"color": color, "symbol": symbol}}


def _buttons(*choices: tuple[str, Tensor, str]) -> dict:
    buttons = [
        {"label": name, "method": "update", "args": [{"y": _numbers(values)}, {"yaxis.title.text": y_title}]}
        for name, values, y_title in choices
    ]
    return {"type": "buttons", "direction": "right", "x": 1, "xanchor": "right", "y": 1.15, "buttons": buttons}


def _numbers(values: Tensor) -> Any:
    if values.ndim == 0:
        return round_for_show(values.item())
    return [_numbers(part) for part in values.detach()]


def _distinct(labels: Sequence[str]) -> list[str]:
    """Labels with invisible marks added, so that plotly keeps two equal ones apart."""
    return [label + "\u200b" * list(labels[:index]).count(label) for index, label in enumerate(labels)]


def _finish(figure: go.Figure, title: str, height: int) -> go.Figure:
    figure.update_layout(
        template=go.layout.Template(),
        title=title,
        font=_FONT,
        height=height,
        margin={"l": 70, "r": 30, "t": 70, "b": 60},
        paper_bgcolor="white",
        plot_bgcolor="white",
    )
    return figure
