"""Figures of the choice of a token: a distribution under several settings, and how far its likeliest tokens reach."""

import math
import textwrap
from collections.abc import Sequence

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from utils.plotting.logits import token_bars, visible
from utils.plotting.style import STYLES, finish, numbers

DASHES = ("solid", "dash", "dot", "dashdot")
POINTS = 60  # of each curve: enough for the eye
CHARACTERS, LINE = 84, 19  # of a line of text, and its height in pixels
ABOVE = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}  # a legend that leaves the figure its whole width


def side_by_side(groups: dict[str, Float[Tensor, " token"]], tokens: Sequence[str], title: str) -> go.Figure:
    """A few tokens' probabilities under several settings, each bar with its number above it, to two digits."""
    figure = token_bars(groups, tokens, title, y_title="probability")
    figure.update_traces(texttemplate="%{y:.2~g}", textposition="outside", cliponaxis=False)
    return figure.update_layout(legend=ABOVE, margin={"t": 90})


def reach(named: dict[str, Float[Tensor, " d_vocab"]], title: str, *, k: int, p: float) -> go.Figure:
    """How much probability the likeliest tokens hold together: a curve for each distribution, ranks on a log axis.

    An upright line stands at `k`, a level one at `p`. A circle marks where each curve reaches `p`.
    """
    figure = go.Figure()
    for (name, probabilities), (colour, _), dash in zip(named.items(), STYLES, DASHES, strict=False):
        held = probabilities.detach().sort(descending=True).values.cumsum(dim=0)
        ranks = torch.logspace(0, math.log10(len(held)), POINTS).round().long().unique()
        figure.add_scatter(
            x=ranks.tolist(),
            y=numbers(held[ranks - 1]),
            name=name,
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2},
            hovertemplate="the %{x} likeliest hold %{y}<extra>" + name + "</extra>",
        )
        needed = int((held < p).sum()) + 1
        figure.add_scatter(
            x=[needed],
            y=numbers(held[needed - 1 : needed]),
            mode="markers+text",
            marker={"color": colour, "size": 10, "symbol": "circle-open", "line": {"width": 2}},
            text=[f"{needed}"],
            textposition="bottom right",
            textfont={"color": colour},
            showlegend=False,
            cliponaxis=False,
            hovertemplate=f"{needed:,} tokens hold %{{y}}<extra>{name}</extra>",
        )
    grey = {"color": "#8a929c", "width": 1}
    figure.add_shape(type="line", x0=k, x1=k, y0=0, y1=1, yref="paper", line=grey)
    figure.add_shape(type="line", x0=0, x1=1, xref="paper", y0=p, y1=p, line=grey)
    # On a log axis a shape takes the value, and an annotation its logarithm.
    at_k = {"x": round(math.log10(k), 4), "y": 0, "xanchor": "left", "yanchor": "bottom"}
    at_p = {"x": 1, "xref": "paper", "y": p, "xanchor": "right", "yanchor": "top"}
    figure.add_annotation(text=f"k = {k}", showarrow=False, **at_k)
    figure.add_annotation(text=f"p = {p:g}", showarrow=False, **at_p)
    widest = max(len(probabilities) for probabilities in named.values())
    figure.update_xaxes(title="how many of the likeliest tokens", type="log", dtick=1)
    figure.update_xaxes(range=[-0.15, round(math.log10(widest) + 0.1, 4)], exponentformat="none")
    figure.update_yaxes(title="probability they hold together", range=[0, 1.08], zerolinecolor="#c8ccd1")
    finish(figure, title, height=400)
    return figure.update_layout(legend=ABOVE, margin={"t": 90})


def reshaped(groups: dict[str, Float[Tensor, " token"]], tokens: Sequence[str], title: str, *, text: str) -> go.Figure:
    """Bars for each token, one group before and one after, and below them a text that was drawn so."""
    figure = token_bars(groups, tokens, title, y_title="probability").update_traces(texttemplate=None)
    lines = textwrap.wrap(visible_breaks(text), CHARACTERS)
    figure.add_annotation(
        text="<br>".join(escaped(line) for line in lines),
        xref="paper",
        yref="paper",
        x=0,
        y=0,
        xanchor="left",
        yanchor="top",
        yshift=-60,
        align="left",
        showarrow=False,
    )
    below = 85 + LINE * len(lines)
    return figure.update_layout(height=340 + below, legend=ABOVE, margin={"t": 90, "b": below})


def visible_breaks(text: str) -> str:
    """The text with each line break shown as `⏎`, and `<|endoftext|>` short."""
    return text.replace("<|endoftext|>", visible("<|endoftext|>")).replace("\n", " ⏎ ")


def escaped(text: str) -> str:
    """The text with what plotly would read as markup made harmless."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
