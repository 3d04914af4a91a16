"""Figures of the choice of a token: a distribution under several settings, and how far its likeliest tokens reach."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from utils.plotting.logits import token_bars, visible
from utils.plotting.style import DASHES, STYLES, ZERO, escaped, finish, numbers

POINTS = 60  # of each curve: enough for the eye
CHARACTERS, LINE = 84, 19  # of a line of text, and its height in pixels


def side_by_side(groups: dict[str, Float[Tensor, " token"]], tokens: Sequence[str], title: str) -> go.Figure:
    """A few tokens' probabilities under several settings, each bar with its number above it, to two digits."""
    return token_bars(groups, tokens, title, y_title="probability", digits=2)


def reach(named: dict[str, Float[Tensor, " d_vocab"]], title: str, *, k: int, p: float) -> go.Figure:
    """How much probability the likeliest tokens hold together: a curve for each distribution, ranks on a log axis.

    An upright line stands at `k`, a level one at `p`. A circle marks where each curve reaches `p`.
    """
    data, told = [], []
    for (name, probabilities), (colour, _), dash in zip(named.items(), STYLES, DASHES, strict=False):
        held = probabilities.detach().sort(descending=True).values.cumsum(dim=0)
        needed = int((held < p).sum()) + 1
        data += [_curve(held, name, colour, dash), _circle(held, needed, name, colour)]
        told.append(f"{name}: {needed:,} tokens hold {p:g}")
    grey = {"type": "line", "line": {"color": ZERO, "width": 1}}
    at_k = {**grey, "xref": "x", "yref": "paper", "x0": k, "x1": k, "y0": 0, "y1": 1}
    at_p = {**grey, "xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": p, "y1": p}
    # On a log axis a shape takes the value, and an annotation its logarithm.
    beside_k = {"x": round(math.log10(k), 4), "y": 0, "xanchor": "left", "yanchor": "bottom"}
    beside_p = {"x": 0, "xref": "paper", "y": p, "xanchor": "left", "yanchor": "bottom"}
    widest = max(len(probabilities) for probabilities in named.values())
    ends = [-0.15, round(math.log10(widest) + 0.1, 4)]
    layout = {
        "shapes": [at_k, at_p],
        "annotations": [
            {"text": f"k = {k}", "showarrow": False, **beside_k},
            {"text": f"p = {p:g}", "showarrow": False, **beside_p},
        ],
        "xaxis": {"title": {"text": "how many of the likeliest tokens"}, "type": "log", "dtick": 1, "range": ends}
        | {"exponentformat": "none"},
        "yaxis": {"title": {"text": "probability they hold together"}, "range": [0, 1.08]},
    }
    words = f"{title}. Curves of the probability that the likeliest tokens hold together. {'; '.join(told)}."
    return finish({"data": data, "layout": layout}, title, height=400, legend=True, words=words)


def _curve(held: Float[Tensor, " rank"], name: str, colour: str, dash: str) -> dict:
    ranks = torch.logspace(0, math.log10(len(held)), POINTS).round().long().unique()
    return {
        "type": "scatter",
        "x": ranks.tolist(),
        "y": numbers(held[ranks - 1]),
        "name": escaped(name),
        "mode": "lines",
        "line": {"color": colour, "dash": dash, "width": 2},
        "hovertemplate": f"the %{{x}} likeliest hold %{{y}}<extra>{escaped(name)}</extra>",
    }


def _circle(held: Float[Tensor, " rank"], needed: int, name: str, colour: str) -> dict:
    return {
        "type": "scatter",
        "x": [needed],
        "y": numbers(held[needed - 1 : needed]),
        "mode": "markers+text",
        "marker": {"color": colour, "size": 10, "symbol": "circle-open", "line": {"width": 2}},
        "text": [f"{needed}"],
        "textposition": "bottom right",
        "showlegend": False,
        "cliponaxis": False,
        "hovertemplate": f"{needed:,} tokens hold %{{y}}<extra>{escaped(name)}</extra>",
    }


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
    return figure.update_layout(height=340 + below, margin={"b": below})


def visible_breaks(text: str) -> str:
    """The text with each line break shown as `⏎`, and `<|endoftext|>` short."""
    return text.replace("<|endoftext|>", visible("<|endoftext|>")).replace("\n", " ⏎ ")
