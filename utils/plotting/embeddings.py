"""Figures of token vectors: which rows of the table lie closest to a direction."""

from collections.abc import Sequence

import plotly.graph_objects as go
from jaxtyping import Bool, Float
from torch import Tensor

from utils.plotting.style import STYLES, distinct, finish, numbers, round_for_show


def nearest(
    cosines: Float[Tensor, " token"],
    tokens: Sequence[str],
    asked: Bool[Tensor, " token"],
    title: str,
    *,
    level: float,
    level_name: str,
) -> go.Figure:
    """A bar for each token, the first on top; those `asked` for in another colour. `level` is a dotted line."""
    names, values = distinct([token.replace(" ", "␣").replace("\n", "⏎") for token in tokens]), numbers(cosines, 2)
    figure = go.Figure()
    for is_asked, label, (colour, _) in ((True, "words you typed", STYLES[0]), (False, "other tokens", STYLES[1])):
        shown = [index for index, one in enumerate(asked.tolist()) if one == is_asked]
        figure.add_bar(
            x=[values[index] for index in shown],
            y=[names[index] for index in shown],
            name=label,
            orientation="h",
            marker={"color": colour},
            texttemplate="%{x}",
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{y}: %{x}<extra></extra>",
        )
    figure.add_vline(x=round_for_show(level, 2), line_dash="dot", name=level_name, showlegend=True)
    figure.update_yaxes(categoryorder="array", categoryarray=names[::-1], automargin=True)
    figure.update_xaxes(title="cosine", range=[min(0.0, *values), 1.1], zerolinecolor="black")
    finish(figure, title, height=150 + 26 * len(names))
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    return figure.update_layout(barmode="overlay", showlegend=True, legend=legend, margin={"t": 90})
