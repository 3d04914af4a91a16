"""Figures of texts cut into tokens, and of the tokens that a model expects next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from utils.plotting.style import distinct, escaped, finish, round_for_show

# Neighbours differ in colour, and each box has a frame, for who sees no difference in colour.
GROUNDS = ("#ffe2c2", "#d3e4f7", "#d5efdd", "#e8dbf5")
FRAME = "#57606a"
SHADES = [[0.0, "#ffffff"], [1.0, "#7fb0e3"]]
CAME = "#d9480f"  # the frame of the token that did follow


def shown(token: bytes) -> str:
    """A token for the eye: a dot for each space, arrows for line breaks and tabs.

    A byte that is no character by itself, or of one that can't be seen, is written like <E2>.
    """
    marks = {" ": "·", "\n": "↵", "\t": "→"}
    text = token.decode("utf-8", errors="surrogateescape").replace("<|endoftext|>", "<eot>")
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
    if not boxes:
        raise ValueError("There is nothing to show yet: type a text of at least one letter.")
    trace = {
        "type": "bar",
        "orientation": "h",
        "y": [row for row, *_ in boxes],
        "base": [at for _, at, *_ in boxes],
        "x": [len(text) for *_, text, _ in boxes],
        "text": [escaped(text) for *_, text, _ in boxes],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "constraintext": "none",
        "textfont": {"family": "monospace", "size": 12, "color": "black"},
        "marker": {
            "color": [GROUNDS[index % len(GROUNDS)] for *_, index in boxes],
            "line": {"color": FRAME, "width": 1},
        },
        "customdata": [index for *_, index in boxes],
        "hovertemplate": "token %{customdata}: %{text}<extra></extra>",
    }
    widest = max(width // 3, *(at + len(text) for _, at, text, _ in boxes))
    layout = {
        "bargap": 0.25,
        "xaxis": {"visible": False, "range": [0, widest]},
        "yaxis": {"range": [row + 0.6, -0.6], "tickvals": list(names), "ticktext": [*map(escaped, names.values())]}
        | {"automargin": True, "showgrid": False, "zeroline": False},
        "margin": {"l": 10, "r": 10, "t": 60, "b": 20},  # all the room for the boxes, so that the letters fit in them
    }
    words = " ".join(f"{name}: {'|'.join(map(shown, tokens))}." for name, tokens in cuts.items())
    words = f"{title}. Each token in a box of its own. {words}"
    return finish({"data": [trace], "layout": layout}, title, height=90 + 30 * (row + 1), words=words)


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
    trace = {
        "type": "heatmap",
        "z": [[round_for_show(probability, 2) for _, probability in row] for row in rows],
        "x": columns,
        "y": distinct(labels),
        "text": [[f"{escaped(shown(token))}<br>{probability:.2f}" for token, probability in row] for row in rows],
        "texttemplate": "%{text}",
        "textfont": {"family": "monospace", "size": 12, "color": "black"},
        "colorscale": SHADES,
        "zmin": 0,
        "zmax": 1,
        "showscale": False,
        "hovertemplate": "after %{y}: %{text}<extra></extra>",
        "xgap": 2,
        "ygap": 2,
    }
    frames = []
    for index, row in enumerate(rows[:-1]):
        for rank, (token, _) in enumerate(row):
            if token == read[first + index + 1]:
                place = {"x0": rank - 0.49, "x1": rank + 0.49, "y0": index - 0.47, "y1": index + 0.47}
                frames.append({"type": "rect", "line": {"color": CAME, "width": 2}, **place})
    layout = {
        "shapes": frames,
        "yaxis": {"autorange": "reversed", "automargin": True, "type": "category"},  # "2" is a label here, no number
        "xaxis": {"side": "top", "type": "category"},
        "margin": {"l": 70, "r": 30, "t": 90, "b": 20},
    }
    told = "; ".join(
        f"after {shown(token)}: {shown(row[0][0])} {row[0][1]:.2f}"
        for token, row in zip(read[first:], rows, strict=True)
    )
    words = f"{title}. A row for each position with its likeliest next tokens. The likeliest: {told}."
    return finish({"data": [trace], "layout": layout}, title, height=130 + 38 * len(rows), words=words)


def _as_bytes(character: str) -> str:
    """The bytes of a character, each like <E2>."""
    return "".join(f"<{byte:02X}>" for byte in character.encode("utf-8", errors="surrogateescape"))
