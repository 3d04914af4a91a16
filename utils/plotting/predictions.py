"""What a model takes to come next: a bar for each of its likeliest tokens."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from utils.plotting.logits import visible
from utils.plotting.style import decimals, distinct, finish, lying_bars, numbers


def next_tokens(probabilities: Float[Tensor, " token"], tokens: Sequence[str], title: str) -> go.Figure:
    """A bar for each token, the first on top, with its probability written on it; spaces and line ends are shown."""
    values = numbers(probabilities, 2)
    names = distinct(list(map(visible, tokens)))
    bar = lying_bars(values, names, texttemplate=f"%{{x:{decimals(values, 2)}}}")
    widest = float(probabilities.max())
    layout = {
        "yaxis": {"autorange": "reversed", "type": "category"},
        "xaxis": {"title": {"text": "probability"}, "range": [0, min(1.05, 1.25 * widest)]},
    }
    return finish({"data": [bar], "layout": layout}, title, height=130 + 26 * len(values))
