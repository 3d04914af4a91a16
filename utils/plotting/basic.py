"""The figures that most chapters need: tables of numbers as colours, bars, lines, and paths in a plane."""

from collections.abc import Sequence

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from utils.plotting.style import DIVERGING, STYLES, distinct, finish, numbers, round_for_show


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
            z=numbers(values),
            x=distinct(columns),
            y=distinct(rows),
            colorscale=DIVERGING,
            zmin=-round_for_show(limit),
            zmax=round_for_show(limit),
            texttemplate="%{z}" if show_values else None,
            hovertemplate="%{y}, %{x}: %{z}<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed", title=row_title, automargin=True)
    figure.update_xaxes(title=column_title)
    return finish(figure, title, height=120 + 28 * min(len(rows), 15) + 40 * bool(column_title))


def bars(steps: dict[str, Float[Tensor, " d_model"]], title: str, *, y_title: str = "value") -> go.Figure:
    """The same few numbers at several steps, side by side: one group of bars for each step."""
    count = len(next(iter(steps.values())))
    groups = [
        go.Bar(
            name=f"dimension {index}",
            x=list(steps),
            y=[round_for_show(values[index].item()) for values in steps.values()],
            marker={"color": STYLES[index % len(STYLES)][0]},
            texttemplate="%{y}",
            textangle=0,
            hovertemplate="%{x}, dimension " + str(index) + ": %{y}<extra></extra>",
        )
        for index in range(count)
    ]
    figure = go.Figure(groups, layout={"bargap": 0.1, "uniformtext": {"minsize": 9, "mode": "show"}})
    figure.update_yaxes(title=y_title, zerolinecolor="black")
    return finish(figure, title, height=340)


def lines(
    groups: dict[str, Float[Tensor, "line point"]],
    names: Sequence[str],
    points: Sequence[str],
    title: str,
    *,
    y_title: str,
    x_title: str = "",
    log_y: bool = False,
    ends: Sequence[str] = (),
    digits: int = 3,
) -> go.Figure:
    """Lines in at most four groups, each group with one colour, one marker and one entry in the legend.

    `names` are shown when the mouse is over a line; `ends` are written at the lines' right ends. Both have one entry
    for each line, group after group. Values keep `digits` significant digits.
    """
    styles = dict(zip(groups, STYLES[: len(groups)], strict=True))
    rows = [(group, row) for group, values in groups.items() for row in numbers(values, digits)]
    figure = go.Figure()
    for index, ((group, row), name) in enumerate(zip(rows, names, strict=True)):
        colour, symbol = styles[group]
        figure.add_scatter(
            x=list(points),
            y=row,
            name=group,
            legendgroup=group,
            showlegend=[group for group, _ in rows].index(group) == index,
            mode="lines+markers+text",
            line={"color": colour, "width": 1.5},
            marker={"color": colour, "symbol": symbol, "size": 7},
            hovertemplate=f"{name}<br>%{{x}}: %{{y}}<extra>{group}</extra>",
            text=[""] * (len(row) - 1) + [ends[index]] if ends else None,
            textposition="middle right",
            textfont={"color": colour},
            cliponaxis=False,
        )
    figure.update_xaxes(title=x_title, automargin=True)
    figure.update_yaxes({"type": "log", "dtick": 1} if log_y else {"rangemode": "tozero"}, title=y_title)
    finish(figure, title, height=420)
    return figure.update_layout(legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"}, margin={"t": 90, "r": 80})


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
    x, y = numbers(points.T)
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
    return finish(figure, title, height=460)
