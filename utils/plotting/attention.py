"""Figures of attention: the patterns of all heads side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from utils.plotting.style import BLACK, PALE, color_bar, decimals, distinct, finish, from_nothing, numbers

WEIGHTS = [[0.0, "#f7f7f7"], [1.0, "#1f4f8b"]]
IN_A_ROW = 2
CELL, LEAST = 15, 220  # pixels
FEW = 20  # letters that fit below a square without being turned
GAP = 0.03  # between two squares, of the figure's width
BELOW = 60  # pixels below each square, for the words of the keys


def patterns(
    pattern: Float[Tensor, "head_index query_pos key_pos"],
    words: Sequence[str],
    title: str,
    *,
    names: Sequence[str] = (),
    show_values: bool = False,
) -> go.Figure:
    """One square for each head: a row for each query, from the top, a column for each key.

    The stronger a colour, the larger the weight, from 0 to 1.
    `names` stand above the squares, by default "head 0", "head 1", ... The queries' words stand once in each row.
    Raises ValueError where there is nothing to show, as for an empty text.
    """
    if len(words) < 2:
        raise ValueError("There is nothing to show yet: type a text of at least one word.")
    names = list(names) or [f"head {head}" for head in range(len(pattern))]
    columns = min(IN_A_ROW, len(pattern))
    rows = -(-len(pattern) // columns)
    side = max(LEAST, CELL * len(words))
    turned = len(words) * max(map(len, map(_short, words))) > FEW
    apart = BELOW + 12 * min(8, max(map(len, words))) * turned * 0.6 + 20
    high = rows * side + (rows - 1) * apart
    labels, z = distinct([_short(word) for word in words]), numbers(pattern.detach().round(decimals=3))
    spec = decimals(value for square in z for row in square for value in row) if show_values else ""
    data: list[dict] = []
    layout: dict[str, Any] = {"annotations": []}
    for head, name in enumerate(names):
        row, column = divmod(head, columns)
        axis = str(head + 1) if head else ""
        left = column * (1 + GAP) / columns
        top = 1 - row * (side + apart) / high
        across = [round(left, 4), round(left + (1 - GAP * (columns - 1)) / columns, 4)]
        down = [round(max(0.0, top - side / high), 4), round(top, 4)]
        data.append(_square(z[head], labels, name, axis, spec, legend=head == 0))
        layout |= _axes(axis, across, down, turned, column == 0, row == rows - 1)
        layout["annotations"].append(_name_above(name, across, down))
    made = {"data": data, "layout": layout}
    # The margin below is for long words.
    layout["margin"] = {"l": 70, "r": 30, "t": 80, "b": 90}
    return finish(made, title, height=round(170 + high))


def _square(z: list, labels: list[str], name: str, axis: str, spec: str, *, legend: bool) -> dict:
    """One head's trace, its numbers written by `spec`; only the first has a legend of colours."""
    square = {
        "type": "heatmap",
        "z": z,
        "x": labels,
        "y": labels,
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "colorscale": WEIGHTS,
        "zmin": 0.0,
        "zmax": 1.0,
        "showscale": legend,
        "colorbar": color_bar("weight"),
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": f"query %{{y}}, key %{{x}}: %{{z}}<extra>{name}</extra>",
    }
    if spec:
        square |= {"colorscale": from_nothing(PALE), "texttemplate": f"%{{z:{spec}}}"}
        square["textfont"] = {"color": BLACK}
    return square


def _axes(axis: str, across: list[float], down: list[float], turned: bool, first: bool, last: bool) -> dict:
    """The two axes of a square: where it is, and its words."""
    x = {"type": "category", "domain": across, "anchor": f"y{axis}", "tickangle": -90 if turned else 0, "dtick": 1}
    y = {"type": "category", "domain": down, "anchor": f"x{axis}", "autorange": "reversed", "dtick": 1}
    x |= {"title": {"text": "key", "standoff": 4}} if last else {}
    y |= {"title": {"text": "query"}, "automargin": True} if first else {"showticklabels": False}
    return {f"xaxis{axis}": x, f"yaxis{axis}": y}


def _name_above(name: str, across: list[float], down: list[float]) -> dict:
    where = {"xref": "paper", "yref": "paper", "x": round(sum(across) / 2, 4), "y": down[1]}
    return {"text": name, "showarrow": False, "xanchor": "center", "yanchor": "bottom", **where}


def _short(word: str) -> str:
    """A word that leaves the squares their room."""
    word = word.replace("<|endoftext|>", "<eot>")
    return word if len(word) <= 12 else word[:11] + "…"
