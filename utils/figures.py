"""Figures that `utils.plotting` has no pattern for: many lines in few colours, one colour for each group."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from utils.plotting import lines

# Told apart by colour and by marker, for readers who see no difference between the colours.
STYLES = (("#b4570a", "diamond"), ("#3b6fb6", "circle"), ("#2b8a57", "square"))


def line_groups(
    groups: dict[str, Float[Tensor, "line point"]],
    names: Sequence[str],
    points: Sequence[str],
    title: str,
    *,
    y_title: str,
    x_title: str = "",
    log_y: bool = False,
    ends: Sequence[str] = (),
    digits: int = 4,
) -> go.Figure:
    """Lines in at most three groups, each group with one colour, one marker and one line in the legend.

    `names` are shown when the mouse is over a line; `ends` are written at the lines' right ends. Both have one entry
    for each line, group after group. Values keep `digits` significant digits.
    """
    of_line = [group for group, values in groups.items() for _ in values]
    styles = dict(zip(groups, STYLES[: len(groups)], strict=True))
    values = torch.cat([values.detach() for values in groups.values()])
    figure = lines(values, names, points, title, x_title=x_title, y_title=y_title)
    traces: list[Any] = list(figure.select_traces())
    for index, (trace, row) in enumerate(zip(traces, values.tolist(), strict=True)):
        group = of_line[index]
        colour, symbol = styles[group]
        trace.update(
            y=[float(f"{value:.{digits}g}") for value in row],
            name=group,
            legendgroup=group,
            showlegend=of_line.index(group) == index,
            line={"color": colour, "width": 1.5},
            marker={"color": colour, "symbol": symbol, "size": 7},
            hovertemplate=f"{names[index]}<br>%{{x}}: %{{y}}<extra>{group}</extra>",
        )
        if ends:
            trace.update(mode="lines+markers+text", textposition="middle right", cliponaxis=False)
            trace.update(text=[""] * (len(points) - 1) + [ends[index]], textfont={"color": colour})
    figure.update_layout(legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"}, margin={"t": 90, "r": 80})
    if log_y:
        figure.update_yaxes(type="log", rangemode="normal", dtick=1)
    return figure
