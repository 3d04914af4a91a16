"""What may be drawn: the likeliest tokens before and after a distribution is reshaped, and where it is cut off."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from utils.plotting.logits import token_bars
from utils.plotting.style import LEVEL


def cut_off(
    before: Float[Tensor, " token"], after: Float[Tensor, " token"], tokens: Sequence[str], title: str, *, kept: int
) -> go.Figure:
    """Two bars for each token, the likeliest after reshaping first; a dotted line behind the `kept` tokens."""
    groups = {"the model": before, "reshaped and cut": after}
    figure = token_bars(groups, tokens, title, y_title="probability").update_traces(texttemplate=None)
    if kept < len(tokens):
        line = {"color": LEVEL, "dash": "dot", "width": 2}
        place = kept - 0.5  # on an axis of names the first is at 0
        figure.add_shape(type="line", x0=place, x1=place, y0=0, y1=1, yref="paper", line=line)
        figure.add_annotation(
            text="cut off →", x=place, y=1, yref="paper", xanchor="left", yanchor="top", xshift=4, showarrow=False
        )
    return figure
