"""The figures about next tokens: bars for a few tokens, and the guess of the residual stream at each of its stops."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from utils.plotting.style import (
    BLACK,
    PALE,
    SMALL_NUMBERS,
    color_bar,
    decimals,
    distinct,
    escaped,
    finish,
    from_nothing,
    grouped,
    numbers,
    room_for_numbers,
    stands_upright,
)

FEW = 16  # names whose bars have room for their number
FEW_COLUMNS, WIDE = 6, 68  # positions that fit any window; beyond, how many pixels each has: the figure then scrolls


def visible(token: str) -> str:
    """A token with its spaces and line breaks to be seen, and short: `·fox`, `⏎`, `<eot>`."""
    return token.replace(" ", "·").replace("\n", "⏎").replace("<|endoftext|>", "<eot>") or "(empty)"


def token_bars(
    groups: dict[str, Float[Tensor, " token"]], tokens: Sequence[str], title: str, *, y_title: str, digits: int = 3
) -> go.Figure:
    """A bar for each token; several groups of numbers stand side by side. Few bars carry their number."""
    names = distinct([visible(token) for token in tokens])
    heights = {group: numbers(values) for group, values in groups.items()}
    shown, few = [value for row in heights.values() for value in row], len(names) <= FEW
    spec, upright = decimals(shown, digits), stands_upright(shown)
    data = grouped(heights, names, texttemplate=f"%{{y:{spec}}}" if few else None, textangle=-90 if upright else 0)
    layout = {
        "bargap": 0.25,
        "uniformtext": SMALL_NUMBERS,
        "xaxis": {"type": "category", "automargin": True},
        "yaxis": {"title": {"text": y_title}},
    }
    if few:
        layout["yaxis"]["range"] = room_for_numbers(shown, upright=upright)
    return finish({"data": data, "layout": layout}, title, height=360, legend=len(groups) > 1)


def lens(
    chances: Float[Tensor, "stop pos"],
    guesses: Sequence[Sequence[str]],
    stops: Sequence[str],
    read: Sequence[str],
    title: str,
) -> go.Figure:
    """The likeliest next token at each stop of the stream, the first stop on top, and its probability as a colour.

    `read` are the tokens of the text; a guess that is the next of them is bold, with a tick.
    """
    following = [*read[1:], None]
    words = [
        [
            f"<b>✓ {escaped(visible(guess))}</b>" if guess == after else escaped(visible(guess))
            for guess, after in zip(row, following, strict=True)
        ]
        for row in guesses
    ]
    trace = {
        "type": "heatmap",
        "z": numbers(chances),
        "x": distinct([visible(token) for token in read]),
        "y": list(stops),
        "text": words,
        "texttemplate": "%{text}",
        "textfont": {"size": 12, "color": BLACK},
        "colorscale": from_nothing(PALE),
        "zmin": 0,
        "zmax": 1,
        "colorbar": color_bar("probability"),
        "xgap": 2,
        "ygap": 2,
        "hovertemplate": "%{y}, after %{x}: %{text} %{z}<extra></extra>",
    }
    layout = {
        "yaxis": {"autorange": "reversed", "automargin": True},
        "xaxis": {"title": {"text": "the token that was read"}, "side": "bottom", "automargin": True, "tickangle": 0},
        "width": None if len(read) <= FEW_COLUMNS else 180 + WIDE * len(read),
    }
    return finish({"data": [trace], "layout": layout}, title, height=150 + 38 * len(stops))
