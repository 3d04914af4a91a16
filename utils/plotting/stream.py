"""Figures of the residual stream: what each part writes into it, and what the model loses without it."""

from collections.abc import Sequence

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from utils.plotting.basic import heatmap
from utils.plotting.style import DIVERGING, STYLES, finish, numbers


def writes_by_position(
    values: Float[Tensor, "component pos"], names: Sequence[str], tokens: Sequence[str], title: str
) -> go.Figure:
    """A number for each component at each position as colours, the first component on top; blue is above 0, red below.

    Raises ValueError where there is nothing to show, as for an empty text.
    """
    if not len(tokens):
        raise ValueError("There is nothing to show yet: type a text of at least one word.")
    figure = heatmap(values, names, tokens, title, row_title="written by", column_title="token")
    if values.min() >= 0:  # then the red half of the scale would stand there for nothing
        figure.update_traces(zmin=0, colorscale=[[0.0, DIVERGING[1][1]], [1.0, DIVERGING[2][1]]])
    figure.update_xaxes(automargin=True, title_standoff=10)  # below the tokens, also where these stand upright
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
    figure = go.Figure(
        [
            go.Bar(
                name=group,
                x=list(names),
                y=numbers(values),
                marker={"color": colour},
                texttemplate="%{y}",
                textposition="outside" if level is None else "inside",  # where the line does not cross it
                textangle=0,
                textfont={"size": 13 if len(groups) == 1 else 10},
                cliponaxis=False,
                hovertemplate=f"%{{x}}: %{{y}}<extra>{group}</extra>",
            )
            for (group, values), (colour, _) in zip(groups.items(), STYLES[: len(groups)], strict=True)
        ]
    )
    if level is not None:
        figure.add_hline(y=level, line_dash="dot", annotation_text=level_name, annotation_position="top left")
    figure.update_xaxes(automargin=True, type="category")  # "0 1 2" is a name here, no number and no date
    figure.update_yaxes(title=y_title, zerolinecolor="black")
    finish(figure, title, height=380)
    return figure.update_layout(
        showlegend=len(groups) > 1, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"}, margin={"t": 90}
    )
