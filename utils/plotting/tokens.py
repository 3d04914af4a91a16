"""Figures of texts cut into tokens, and of the tokens that a model expects next."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from utils.plotting.style import distinct, finish, round_for_show

# Neighbours differ in colour, and each box has a frame, for who sees no difference in colour.
GROUNDS = ("#ffe2c2", "#d3e4f7", "#d5efdd", "#e8dbf5")
FRAME = "#57606a"
SHADES = [[0.0, "#ffffff"], [1.0, "#7fb0e3"]]


def shown(token: bytes) -> str:
    """A token for the eye: a dot for each space, arrows for line breaks and tabs.

    A byte that is no character by itself, or of one that can't be seen, is written like <E2>.
    """
    marks = {" ": "·", "\n": "↵", "\t": "→"}
    text = token.decode("utf-8", errors="surrogateescape")
    return "".join(marks.get(one) or (one if one.isprintable() else _as_bytes(one)) for one in text)


def cut_text(cuts: Mapping[str, Sequence[bytes]], title: str, *, width: int = 64) -> go.Figure:
    """Texts as rows of boxes, one box for each token; a text of more than `width` characters goes on in the next row.

    Each key of `cuts` names a text at the left of its first row.
    """
    boxes, names = [], {}
    row = -1
    for name, tokens in cuts.items():
        row, at = row + 1, 0
        names[row] = name
        for index, token in enumerate(tokens):
            text = shown(token)
            if at and at + len(text) > width:
                row, at = row + 1, 0
            boxes.append((row, at, text, index))
            at += len(text)
    figure = go.Figure(
        go.Bar(
            orientation="h",
            y=[row for row, *_ in boxes],
            base=[at for _, at, *_ in boxes],
            x=[len(text) for *_, text, _ in boxes],
            text=[_escaped(text) for *_, text, _ in boxes],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            constraintext="none",
            textfont={"family": "monospace", "size": 12, "color": "black"},
            marker={
                "color": [GROUNDS[index % len(GROUNDS)] for *_, index in boxes],
                "line": {"color": FRAME, "width": 1},
            },
            customdata=[index for *_, index in boxes],
            hovertemplate="token %{customdata}: %{text}<extra></extra>",
        ),
        layout={"bargap": 0.25},
    )
    figure.update_xaxes(visible=False, range=[0, max([width // 3, *(at + len(text) for _, at, text, _ in boxes)])])
    figure.update_yaxes(
        range=[row + 0.6, -0.6], tickvals=list(names), ticktext=list(names.values()), automargin=True, showgrid=False
    )
    # All the room for the boxes, so that the letters fit in them in a narrow window too.
    return finish(figure, title, height=110 + 30 * (row + 1)).update_layout(margin={"l": 10, "r": 10, "b": 30})


def expected_next(
    read: Sequence[bytes], best: Sequence[Sequence[tuple[bytes, float]]], title: str, *, last: int = 12
) -> go.Figure:
    """For each token that was read, the likeliest next ones with their probabilities, best first, as a table.

    Only the `last` positions are drawn. The token that does follow has a frame where it is among them.
    """
    first = max(0, len(read) - last)
    labels = [f"{position}: {shown(token)}" for position, token in enumerate(read)][first:]
    rows = best[first:]
    columns = ["likeliest", *(f"number {rank}" for rank in range(2, len(rows[0]) + 1))]
    figure = go.Figure(
        go.Heatmap(
            z=[[round_for_show(probability, 2) for _, probability in row] for row in rows],
            x=columns,
            y=distinct(labels),
            text=[[f"{_escaped(shown(token))}<br>{probability:.2f}" for token, probability in row] for row in rows],
            texttemplate="%{text}",
            textfont={"family": "monospace", "size": 12, "color": "black"},
            colorscale=SHADES,
            zmin=0,
            zmax=1,
            showscale=False,
            hovertemplate="after %{y}: %{text}<extra></extra>",
            xgap=2,
            ygap=2,
        )
    )
    for index, row in enumerate(rows[:-1]):
        follows = read[first + index + 1]
        for rank, (token, _) in enumerate(row):
            if token == follows:
                place = {"x0": rank - 0.49, "x1": rank + 0.49, "y0": index - 0.47, "y1": index + 0.47}
                figure.add_shape(type="rect", line={"color": "#b4470a", "width": 2}, **place)
    figure.update_yaxes(autorange="reversed", automargin=True, type="category")  # "2" is a label here, no number
    figure.update_xaxes(side="top", type="category")
    return finish(figure, title, height=150 + 38 * len(rows)).update_layout(margin={"t": 90, "b": 20})


def _as_bytes(character: str) -> str:
    """The bytes of a character, each like <E2>."""
    return "".join(f"<{byte:02X}>" for byte in character.encode("utf-8", errors="surrogateescape"))


def _escaped(text: str) -> str:
    """The text with what plotly would read as markup made harmless."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
