"""Figures of attention: the patterns of all heads side by side."""

from collections.abc import Sequence

import plotly.graph_objects as go
from jaxtyping import Float
from plotly.subplots import make_subplots
from torch import Tensor

from utils.plotting.style import distinct, finish, numbers

FROM_NOTHING = [[0.0, "#f7f7f7"], [1.0, "#1f4f8b"]]
IN_A_ROW = 2
CELL, LEAST = 15, 220  # pixels
FEW = 6  # words that fit below a square without being turned


def patterns(
    pattern: Float[Tensor, "head_index query_pos key_pos"],
    words: Sequence[str],
    title: str,
    *,
    names: Sequence[str] = (),
    show_values: bool = False,
) -> go.Figure:
    """One square for each head: a row for each query, from the top, a column for each key; white is 0, dark is 1.

    `names` stand above the squares, by default "head 0", "head 1", ... The queries' words stand once in each row.
    """
    names = names or [f"head {head}" for head in range(len(pattern))]
    columns = min(IN_A_ROW, len(pattern))
    rows = -(-len(pattern) // columns)
    side = max(LEAST, CELL * len(words)) + 110
    figure = make_subplots(
        rows=rows,
        cols=columns,
        subplot_titles=list(names),
        shared_yaxes=True,
        horizontal_spacing=0.03,
        vertical_spacing=0.4 / rows if rows > 1 else 0.0,
    )
    labels = distinct(words)
    for head, values in enumerate(pattern):
        square = go.Heatmap(
            z=numbers(values.detach().round(decimals=3)),
            x=labels,
            y=labels,
            colorscale=FROM_NOTHING,
            zmin=0.0,
            zmax=1.0,
            showscale=head == 0,
            xgap=1,
            ygap=1,
            texttemplate="%{z}" if show_values else None,
            hovertemplate="query %{y}, key %{x}: %{z}<extra>" + names[head] + "</extra>",
        )
        figure.add_trace(square, row=head // columns + 1, col=head % columns + 1)
    figure.update_yaxes(autorange="reversed", type="category", automargin=True, dtick=1)
    figure.update_yaxes(title="query", col=1)
    figure.update_xaxes(type="category", tickangle=0 if len(words) <= FEW else -60, dtick=1)
    figure.update_xaxes(title="key", title_standoff=4, row=rows)
    return finish(figure, title, height=110 + rows * side).update_layout(margin={"b": 100})  # room for long words
