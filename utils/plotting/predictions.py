"""What a model takes to come next: a bar for each of its likeliest tokens."""

from collections.abc import Sequence

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from utils.plotting.logits import visible
from utils.plotting.style import STYLES, distinct, finish, numbers


def next_tokens(probabilities: Float[Tensor, " token"], tokens: Sequence[str], title: str) -> go.Figure:
    """A bar for each token, the first on top, with its probability written on it; spaces and line ends are shown."""
    names = [visible(token) for token in tokens]
    bar = go.Bar(
        x=numbers(probabilities, 2),
        y=distinct(names),
        orientation="h",
        marker={"color": STYLES[1][0]},
        texttemplate="%{x:.2~g}",
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{x}<extra></extra>",
    )
    figure = go.Figure(bar)
    figure.update_yaxes(autorange="reversed", automargin=True)
    widest = float(probabilities.max())
    figure.update_xaxes(title="probability", range=[0, min(1.05, 1.25 * widest)], zerolinecolor="black")
    return finish(figure, title, height=130 + 26 * len(names))
