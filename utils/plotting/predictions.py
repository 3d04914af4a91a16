"""What a model takes to come next: a bar for each of its likeliest tokens."""

from collections.abc import Sequence

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from utils.plotting.logits import visible
from utils.plotting.style import STYLES, decimals, distinct, finish, numbers


def next_tokens(probabilities: Float[Tensor, " token"], tokens: Sequence[str], title: str) -> go.Figure:
    """A bar for each token, the first on top, with its probability written on it; spaces and line ends are shown."""
    values = numbers(probabilities, 2)
    bar = {
        "type": "bar",
        "x": values,
        "y": distinct([visible(token) for token in tokens]),
        "orientation": "h",
        "marker": {"color": STYLES[1][0]},
        "texttemplate": f"%{{x:{decimals(values, 2)}}}",
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": "%{y}: %{x}<extra></extra>",
    }
    widest = float(probabilities.max())
    layout = {
        "yaxis": {"autorange": "reversed", "type": "category"},
        "xaxis": {"title": {"text": "probability"}, "range": [0, min(1.05, 1.25 * widest)]},
    }
    return finish({"data": [bar], "layout": layout}, title, height=130 + 26 * len(values))
