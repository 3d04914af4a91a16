"""Figures of the MLP chapter: curves over numbers, a ranking as bars, and a text coloured by one number a token."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from utils.plotting.style import (
    BLACK,
    DASHES,
    PALE,
    STYLES,
    color_bar,
    decimals,
    distinct,
    escaped,
    finish,
    lying_bars,
    numbers,
    scale_of,
)


def curves(
    x: Float[Tensor, " point"],
    named: dict[str, Float[Tensor, " point"]],
    title: str,
    *,
    x_title: str = "x",
    y_title: str,
    log_x: bool = False,
) -> go.Figure:
    """At most four functions of x, each with a colour and a kind of dash of its own. `log_x` doubles at each step."""
    data = [
        {
            "type": "scatter",
            "x": numbers(x),
            "y": numbers(values),
            "name": escaped(name),
            "mode": "lines",
            "line": {"color": colour, "dash": dash, "width": 2},
            "hovertemplate": f"%{{x}}: %{{y}}<extra>{escaped(name)}</extra>",
        }
        for (name, values), (colour, _), dash in zip(named.items(), STYLES, DASHES, strict=False)
    ]
    layout = {
        "xaxis": {"title": {"text": x_title, "standoff": 8}},
        "yaxis": {"title": {"text": y_title}, "exponentformat": "none"},
    }
    if log_x:
        layout["xaxis"] |= {"type": "log", "tickvals": numbers(x)}
    return finish({"data": data, "layout": layout}, title, height=380, legend=len(data) > 1)


def ranking(labels: Sequence[str], values: Float[Tensor, " label"], title: str, *, x_title: str) -> go.Figure:
    """Horizontal bars, the first label on top."""
    shown = numbers(values)
    template = f"%{{x:{decimals(shown)}}}"
    trace = lying_bars(shown, distinct(labels), texttemplate=template)
    layout = {
        "yaxis": {"autorange": "reversed", "type": "category"},
        "xaxis": {"title": {"text": x_title, "standoff": 8}},
        "margin": {"l": 70, "r": 60, "t": 60, "b": 60},
    }
    return finish({"data": [trace], "layout": layout}, title, height=130 + 26 * len(labels))


def coloured_text(
    tokens: Sequence[str], values: Float[Tensor, " token"], title: str, *, columns: int = 12, limit: float | None = None
) -> go.Figure:
    """A text in rows of `columns` tokens, each on a ground of its colour: 0 white, large blue, negative red.

    `limit` is the value with the fullest colour; without it, the largest one.
    """
    rows = math.ceil(len(tokens) / columns)
    empty = rows * columns - len(tokens)
    colours = scale_of(torch.cat([values.detach(), torch.tensor([limit])]) if limit else values.detach(), PALE)
    shown = numbers(values)
    trace = {
        "type": "heatmap",
        "z": _cut(shown + [None] * empty, columns),
        "text": _cut([_visible(token) for token in tokens] + [""] * empty, columns),
        "texttemplate": "%{text}",
        "textfont": {"size": 14, "color": BLACK},
        "colorbar": color_bar(),
        "xgap": 2,
        "ygap": 4,
        "hovertemplate": "%{text}: %{z}<extra></extra>",
        **colours,
    }
    layout = {"xaxis": {"visible": False}, "yaxis": {"visible": False, "autorange": "reversed"}}
    most = max(range(len(tokens)), key=shown.__getitem__, default=0)
    largest = f"; largest: token {most + 1}, {_plain(tokens[most])}, {shown[most]:g}" if tokens else ""
    words = f"{title}. {len(tokens)} tokens in rows, each coloured by its number{largest}."
    return finish({"data": [trace], "layout": layout}, title, height=130 + 34 * rows, words=words)


def _visible(token: str) -> str:
    """A token with its spaces and line ends made visible, and nothing that plotly would read as a tag.

    What has no letter is bold, or a full stop would be a speck.
    """
    text = escaped(_plain(token))
    return text if any(one.isalnum() for one in text) else f"<b>{text}</b>"


def _plain(token: str) -> str:
    return token.replace("<|endoftext|>", "<eot>").replace("\n", "↵").replace(" ", "·", 1)


def _cut(entries: list, columns: int) -> list[list]:
    return [entries[start : start + columns] for start in range(0, len(entries), columns)]
