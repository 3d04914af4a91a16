"""The figures about next tokens: bars for a few tokens, and the guess of the residual stream at each of its stops."""

from collections.abc import Sequence

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from utils.plotting.style import STYLES, distinct, finish, numbers

BLUES = [[0.0, "#f7f7f7"], [1.0, "#2f6db2"]]
FEW = 16  # bars that have room for their number
FEW_COLUMNS, WIDE = 6, 68  # positions that fit any window; beyond, how many pixels each has: the figure then scrolls


def visible(token: str) -> str:
    """A token with its spaces and line breaks to be seen, and short: `·fox`, `⏎`, `<|eot|>`."""
    return token.replace(" ", "·").replace("\n", "⏎").replace("<|endoftext|>", "<|eot|>") or "(empty)"


def token_bars(
    groups: dict[str, Float[Tensor, " token"]], tokens: Sequence[str], title: str, *, y_title: str
) -> go.Figure:
    """A bar for each token; several groups of numbers stand side by side. Few bars carry their number."""
    names = distinct([visible(token) for token in tokens])
    uniform = {"minsize": 9, "mode": "show"}
    figure = go.Figure(layout={"bargap": 0.25, "showlegend": len(groups) > 1, "uniformtext": uniform})
    for (group, values), (colour, _) in zip(groups.items(), STYLES, strict=False):
        figure.add_bar(
            name=group,
            x=names,
            y=numbers(values),
            marker={"color": colour},
            texttemplate="%{y:.3~g}" if len(names) <= FEW else None,
            textangle=0,
            hovertemplate="%{x}: %{y}<extra>" + group + "</extra>",
        )
    figure.update_xaxes(type="category", automargin=True)
    figure.update_yaxes(title=y_title, zerolinecolor="black")
    return finish(figure, title, height=340)


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
            f"<b>✓ {visible(guess)}</b>" if guess == after else visible(guess)
            for guess, after in zip(row, following, strict=True)
        ]
        for row in guesses
    ]
    figure = go.Figure(
        go.Heatmap(
            z=numbers(chances),
            x=distinct([visible(token) for token in read]),
            y=list(stops),
            text=words,
            texttemplate="%{text}",
            textfont={"size": 12},
            colorscale=BLUES,
            zmin=0,
            zmax=1,
            colorbar={"title": "probability"},
            xgap=2,
            ygap=2,
            hovertemplate="%{y}, after %{x}: %{text} %{z}<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed", automargin=True)
    figure.update_xaxes(title="the token that was read", side="bottom", automargin=True, tickangle=0)
    finish(figure, title, height=150 + 38 * len(stops))
    return figure.update_layout(width=None if len(read) <= FEW_COLUMNS else 180 + WIDE * len(read))
