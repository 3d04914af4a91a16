"""The figures that most chapters need: tables of numbers as colours, bars, lines, and paths in a plane."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from utils.plotting.style import (
    BLACK,
    DIVERGING,
    PALE,
    SMALL_NUMBERS,
    STYLES,
    ZERO,
    color_bar,
    decimals,
    distinct,
    escaped,
    finish,
    numbers,
    room_for_numbers,
    scale_of,
)


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
    z = numbers(values)
    trace = {
        "type": "heatmap",
        "z": z,
        "x": distinct(columns),
        "y": distinct(rows),
        "colorbar": color_bar(),
        "hovertemplate": "%{y}, %{x}: %{z}<extra></extra>",
        **scale_of(values, PALE if show_values else DIVERGING),
    }
    if show_values:
        spec = decimals(number for row in z for number in row)
        trace |= {"texttemplate": f"%{{z:{spec}}}", "textfont": {"color": BLACK}}
    layout = {
        "yaxis": {"autorange": "reversed", "title": {"text": row_title}, "automargin": True},
        "xaxis": {"title": {"text": column_title}, "automargin": True},
    }
    height = 120 + 28 * min(len(rows), 15) + 40 * bool(column_title)
    return finish({"data": [trace], "layout": layout}, title, height)


def bars(steps: dict[str, Float[Tensor, " d_model"]], title: str, *, y_title: str = "value") -> go.Figure:
    """The same few numbers at several steps, side by side: one group of bars for each step."""
    heights = [numbers(values) for values in steps.values()]
    spec = decimals(value for step in heights for value in step)
    groups = [
        {
            "type": "bar",
            "name": f"dimension {index}",
            "x": list(steps),
            "y": [step[index] for step in heights],
            "marker": {"color": STYLES[index % len(STYLES)][0]},
            "texttemplate": f"%{{y:{spec}}}",
            "textposition": "outside",
            "textangle": 0,
            "cliponaxis": False,
            "hovertemplate": "%{x}, dimension " + str(index) + ": %{y}<extra></extra>",
        }
        for index in range(len(heights[0]))
    ]
    layout = {"bargap": 0.1, "uniformtext": SMALL_NUMBERS, "yaxis": {"title": {"text": y_title}}}
    layout["xaxis"] = {"type": "category"}
    layout["yaxis"]["range"] = room_for_numbers([value for step in heights for value in step])
    return finish({"data": groups, "layout": layout}, title, height=360, legend=len(groups) > 1)


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
    firsts = [group for group, _ in rows]
    data = [
        {
            "type": "scatter",
            "x": list(points),
            "y": row,
            "name": escaped(group),
            "legendgroup": group,
            "showlegend": firsts.index(group) == index,
            "mode": "lines+markers+text",
            "line": {"color": styles[group][0], "width": 1.5},
            "marker": {"color": styles[group][0], "symbol": styles[group][1], "size": 7},
            "hovertemplate": f"{escaped(name)}<br>%{{x}}: %{{y}}<extra>{escaped(group)}</extra>",
            "text": [""] * (len(row) - 1) + [escaped(ends[index])] if ends else None,
            "textposition": "middle right",
            "cliponaxis": False,
        }
        for index, ((group, row), name) in enumerate(zip(rows, names, strict=True))
    ]
    rises = {"type": "log", "dtick": 1} if log_y else {"rangemode": "tozero"}
    layout = {
        "xaxis": {"title": {"text": x_title}, "automargin": True},
        "yaxis": {"title": {"text": y_title}, **rises},
        "margin": {"l": 70, "r": 80 if ends else 40, "t": 90, "b": 60},
    }
    return finish({"data": data, "layout": layout}, title, height=420, legend=len(groups) > 1)


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
    trace = {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines+markers",
        "customdata": list(names),
        "hovertemplate": "%{customdata}: %{x}, %{y}<extra></extra>",
        "line": {"color": ZERO, "width": 1},
        "marker": {
            "color": list(range(len(x))),
            "colorscale": "Viridis",
            "size": 7,
            "colorbar": color_bar(color_title),
            "line": {"color": ZERO, "width": 1},  # for the dark ones on a dark page, and the light ones on white
        },
    }
    notes = [
        {"x": x[index], "y": y[index], "text": names[index], "ax": 0, "ay": -28, "arrowhead": 0, "standoff": 4}
        for index in labelled
    ]
    layout = {
        "annotations": [note | {"arrowcolor": ZERO} for note in notes],
        "xaxis": {"title": {"text": x_title}},
        "yaxis": {"title": {"text": y_title}},
    }
    reach = f"from ({x[0]:g}, {y[0]:g}) at {names[0]} to ({x[-1]:g}, {y[-1]:g}) at {names[-1]}"
    words = f"{title}. A path of {len(x)} points in a plane, {x_title} and {y_title}: {reach}."
    return finish({"data": [trace], "layout": layout}, title, height=460, words=words)
