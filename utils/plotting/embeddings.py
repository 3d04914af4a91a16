"""Figures of token vectors: which rows of the table lie closest to a direction."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from jaxtyping import Bool, Float
from torch import Tensor

from utils.plotting.style import STYLES, ZERO, distinct, finish, lying_bars, numbers, round_for_show


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
    names = distinct([token.replace(" ", "␣").replace("\n", "⏎") for token in tokens])
    values = numbers(cosines, 2)
    data = []
    labels = {"words you typed": True, "other tokens": False}
    for (label, is_asked), (colour, _) in zip(labels.items(), STYLES, strict=False):
        shown = [index for index, one in enumerate(asked.tolist()) if one == is_asked]
        bars = lying_bars(
            [values[index] for index in shown],
            [names[index] for index in shown],
            name=label,
            marker={"color": colour},
            texttemplate="%{x:.2f}",
        )
        data.append(bars)
    at = round_for_show(level, 2)
    line = {"type": "line", "xref": "x", "yref": "paper", "x0": at, "x1": at, "y0": 0, "y1": 1}
    named = {"name": level_name, "showlegend": True, "line": {"color": ZERO, "dash": "dot"}}
    layout = {
        "barmode": "overlay",
        "shapes": [line | named],
        "yaxis": {"categoryorder": "array", "categoryarray": names[::-1], "type": "category"},
        "xaxis": {"title": {"text": "cosine"}, "range": [min(0.0, *values), 1.1]},
    }
    return finish({"data": data, "layout": layout}, title, height=150 + 26 * len(names), legend=True)
