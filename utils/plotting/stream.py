"""Figures of the residual stream: what each part writes into it, and what the model loses without it."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from utils.plotting.basic import heatmap
from utils.plotting.style import (
    SMALL_NUMBERS,
    ZERO,
    decimals,
    distinct,
    finish,
    grouped,
    numbers,
    room_for_numbers,
    stands_upright,
)


def writes_by_position(
    values: Float[Tensor, "component pos"], names: Sequence[str], tokens: Sequence[str], title: str
) -> go.Figure:
    """A number for each component at each position as colours, the first component on top; blue is above 0, red below.

    Raises ValueError where there is nothing to show, as for an empty text.
    """
    if not len(tokens):
        raise ValueError("There is nothing to show yet: type a text of at least one word.")
    figure = heatmap(values, names, tokens, title, row_title="written by", column_title="token")
    figure.update_xaxes(title_standoff=10)  # below the tokens, also where these stand upright
    return figure.update_layout(height=180 + 24 * len(names))


def grouped_bars(
    groups: dict[str, Float[Tensor, " bar"]],
    names: Sequence[str],
    title: str,
    *,
    y_title: str,
    level: float | None = None,
    level_name: str = "",
) -> go.Figure:
    """One bar for each name and group, groups side by side; `level` draws a dotted line across, with its name."""
    heights = {group: numbers(values) for group, values in groups.items()}
    shown = [value for row in heights.values() for value in row]
    spec, upright = decimals(shown), level is None and stands_upright(shown)
    data = grouped(
        heights,
        distinct(names),
        texttemplate=f"%{{y:{spec}}}",
        textposition="outside" if level is None else "inside",  # where the line does not cross it
        textangle=-90 if upright else 0,
        textfont={"size": 13 if len(groups) == 1 else 11},
    )
    layout = {
        "xaxis": {"automargin": True, "type": "category"},  # "0 1 2" is a name here, no number and no date
        "uniformtext": SMALL_NUMBERS,
        "yaxis": {"title": {"text": y_title}},
    }
    if level is None:
        layout["yaxis"]["range"] = room_for_numbers(shown, upright=upright)
    else:
        ends = {"xref": "x domain", "yref": "y", "x0": 0, "x1": 1, "y0": level, "y1": level}
        layout["shapes"] = [{"type": "line", "line": {"color": ZERO, "dash": "dot"}, **ends}]
        at = {"xref": "x domain", "yref": "y", "x": 0, "y": level, "xanchor": "left", "yanchor": "bottom"}
        layout["annotations"] = [{"text": level_name, "showarrow": False, **at}]
    return finish({"data": data, "layout": layout}, title, height=380, legend=len(groups) > 1)
