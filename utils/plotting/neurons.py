"""Figures of the MLP chapter: curves over numbers, a ranking as bars, and a text coloured by one number a token."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from utils.plotting.style import DIVERGING, STYLES, distinct, finish, numbers, round_for_show

DASHES = ("solid", "dash", "dot", "dashdot")


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
    figure = go.Figure()
    for (name, values), (colour, _), dash in zip(named.items(), STYLES, DASHES, strict=False):
        figure.add_scatter(
            x=numbers(x),
            y=numbers(values),
            name=name,
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2},
            hovertemplate="%{x}: %{y}<extra>" + name + "</extra>",
        )
    figure.update_xaxes(title={"text": x_title, "standoff": 8}, zerolinecolor="#c8ccd1")
    if log_x:
        figure.update_xaxes(type="log", tickvals=numbers(x))
    figure.update_yaxes(title=y_title, zerolinecolor="#c8ccd1", exponentformat="none")
    finish(figure, title, height=380)
    figure.update_layout(title={"y": 0.98, "yanchor": "top"})  # above a legend that takes two rows in a narrow window
    return figure.update_layout(legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"}, margin={"t": 90})


def ranking(labels: Sequence[str], values: Float[Tensor, " label"], title: str, *, x_title: str) -> go.Figure:
    """Horizontal bars, the first label on top."""
    figure = go.Figure(
        go.Bar(
            x=numbers(values),
            y=distinct(labels),
            orientation="h",
            marker={"color": STYLES[1][0]},
            texttemplate="%{x}",
            hovertemplate="%{y}: %{x}<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed", automargin=True)
    figure.update_xaxes(title={"text": x_title, "standoff": 8}, zerolinecolor="black")
    return finish(figure, title, height=130 + 26 * len(labels))


def coloured_text(
    tokens: Sequence[str], values: Float[Tensor, " token"], title: str, *, columns: int = 12, limit: float | None = None
) -> go.Figure:
    """A text in rows of `columns` tokens, each on a ground of its colour: 0 white, large blue, negative red.

    `limit` is the value with the fullest colour; without it, the largest one.
    """
    rows = math.ceil(len(tokens) / columns)
    empty = rows * columns - len(tokens)
    limit = limit or float(values.detach().abs().max()) or 1.0
    shown = [_visible(token) for token in tokens] + [""] * empty
    coloured = numbers(values) + [None] * empty
    figure = go.Figure(
        go.Heatmap(
            z=_cut(coloured, columns),
            text=_cut(shown, columns),
            texttemplate="%{text}",
            colorscale=DIVERGING,
            zmin=-round_for_show(limit),
            zmax=round_for_show(limit),
            xgap=2,
            ygap=4,
            hovertemplate="%{text}: %{z}<extra></extra>",
        )
    )
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, autorange="reversed")
    return finish(figure, title, height=130 + 34 * rows)


def _visible(token: str) -> str:
    """A token with its spaces and line ends made visible, and nothing that plotly would read as a tag."""
    return token.replace("<", "&lt;").replace("\n", "↵").replace(" ", "·", 1)


def _cut(entries: list, columns: int) -> list[list]:
    return [entries[start : start + columns] for start in range(0, len(entries), columns)]
