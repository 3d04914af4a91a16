"""The one map of the model, drawn by `model_map`, with the parts that a chapter is about marked.

It is an SVG inside an `<img>` tag. That needs no scripts, carries its words for those who can't see it, brings its own
white ground into a dark theme, and is shown even where a notebook's stored outputs are not trusted: JupyterLab then
refuses SVG and strips it out of HTML, but leaves an image with its source in it alone.
"""

from base64 import b64encode
from collections.abc import Collection
from dataclasses import dataclass

WIDTH, HEIGHT = 1000, 330
STREAM_Y, SUBLAYER_Y, LN_Y = 236, 92, 160
LOOP_Y, LOOP_HEIGHT = 340, 66  # the way back from the logits to the tokens, where it is drawn
INK, LINE, PLAIN, STREAM = "#1f2328", "#57606a", "#f6f8fa", "#3b6fb6"
HERE, HERE_LINE = "#ffe2c2", "#b4470a"
DONE, DONE_LINE = "#d5f0dd", "#1a7f37"
NAMES = {
    "tokens": "the tokens",
    "embed": "Embed",
    "pos_embed": "PosEmbed",
    "stream": "the residual stream",
    "ln": "ln1, ln2",
    "attn": "Attention",
    "mlp": "the MLP",
    "ln_final": "ln_final",
    "unembed": "Unembed",
    "sampling": "sampling",
    "block": "the block",
    "model": "the whole model",
}
WORDS = (
    "The model, from left to right: tokens [batch pos] go into two tables. Embed gives a vector for each token, "
    "PosEmbed one for each position, and their sum is the start of the residual stream [batch pos d_model], a thick "
    "line through all blocks. Twice in each block a copy of the stream leaves the line, passes through a LayerNorm and "
    "a sublayer (first Attention, then the MLP), and the result is added to the stream. After the last block, ln_final "
    "and Unembed turn the stream into logits [batch pos d_vocab]."
)
LOOP_WORDS = (
    " Sampling chooses one token by the last position's logits. It is put behind the other tokens, and the model reads "
    "again."
)


Mark = tuple[str, str] | None  # the colours of a part: its ground and its line


@dataclass(frozen=True)
class Box:
    """A part of the model on the map: the name that marks it, where its centre is, what it says, its chapter."""

    name: str
    x: int
    y: int
    label: str
    chapter: int
    width: int = 96


BOXES = (
    Box("tokens", 62, STREAM_Y, "tokens", 0, 84),
    Box("embed", 178, STREAM_Y - 46, "Embed", 2, 104),
    Box("pos_embed", 178, STREAM_Y + 46, "PosEmbed", 2, 104),
    Box("ln", 386, LN_Y, "ln1", 3, 60),
    Box("attn", 386, SUBLAYER_Y, "Attention", 4),
    Box("ln", 586, LN_Y, "ln2", 3, 60),
    Box("mlp", 586, SUBLAYER_Y, "MLP", 5),
    Box("ln_final", 780, STREAM_Y, "ln_final", 3, 80),
    Box("unembed", 880, STREAM_Y, "Unembed", 6, 84),
)
SAMPLING = Box("sampling", 880, LOOP_Y, "sampling", 8)
SUMS = (270, 472, 672)
# Each text: where it is, what it says.
LABELS = (
    (62, STREAM_Y + 40, "[batch pos]"),
    (334, STREAM_Y + 30, "resid_pre"),
    (472, STREAM_Y + 30, "resid_mid"),
    (672, STREAM_Y + 30, "resid_post"),
    (352, STREAM_Y - 22, "copy"),
    (552, STREAM_Y - 22, "copy"),
    (926, STREAM_Y + 40, "[batch pos d_vocab]"),
)
# Each arrow as an SVG path: the tokens into the tables, the tables into their sum, the two detours, and the way out.
ARROWS = (
    *(f"M105 {STREAM_Y + side * 10} L124 {STREAM_Y + side * 34}" for side in (-1, 1)),
    *(f"M231 {STREAM_Y + side * 46} H270 V{STREAM_Y + side * 16}" for side in (-1, 1)),
    *(f"M{x} {STREAM_Y} V{LN_Y + 24}" for x in (386, 586)),
    *(f"M{x} {LN_Y - 20} V{SUBLAYER_Y + 24}" for x in (386, 586)),
    *(f"M{x + 49} {SUBLAYER_Y} H{x + 86} V{STREAM_Y - 16}" for x in (386, 586)),
    f"M821 {STREAM_Y} H834",
    f"M923 {STREAM_Y} H938",
)
# And the loop's: from the logits down to the sampling, and from there back to the tokens.
LOOP_ARROWS = (f"M968 {STREAM_Y + 48} V{LOOP_Y} H932", f"M832 {LOOP_Y} H62 V{STREAM_Y + 50}")


@dataclass(frozen=True)
class Drawing:
    """An SVG and the same in words: a notebook shows the first; a terminal and a screen reader get the second."""

    svg: str
    words: str

    def _repr_html_(self) -> str:
        source = b64encode(self.svg.encode()).decode()
        return (
            f'<img src="data:image/svg+xml;base64,{source}" alt="{self.words}" width="{WIDTH}" style="max-width: 100%">'
        )

    def __repr__(self) -> str:
        return self.words


def model_map(*here: str, done: Collection[str] = (), here_means: str = "You are here", loop: bool = False) -> Drawing:
    """The map of the model, marked "you are here" at the parts named: any of `NAMES`. Those `done` are green.

    The loop in which the model writes text, through sampling, is drawn where that is marked, or with `loop`.

    Raises ValueError for a name that is not on the map, and where there is nothing to mark.
    """
    unknown = [name for name in [*here, *done] if name not in NAMES]
    if unknown or not (here or done):
        raise ValueError(f"model_map takes parts of the map ({', '.join(NAMES)}), got {', '.join(unknown) or 'none'}")
    legend = [(here_means, here, HERE, HERE_LINE), ("Done", [name for name in NAMES if name in done], DONE, DONE_LINE)]
    told = [
        (f"{what}: {_listed([NAMES[name] for name in names])}.", *colours) for what, names, *colours in legend if names
    ]
    loop = loop or "sampling" in {*here, *done}
    height = HEIGHT + LOOP_HEIGHT * loop
    words = f"{' '.join(text for text, *_ in told)} {WORDS}" + LOOP_WORDS * loop
    marks = {name: (DONE, DONE_LINE) for name in done} | {name: (HERE, HERE_LINE) for name in here}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="system-ui, sans-serif">',
        f"<title>{words}</title>",
        f'<marker id="head" orient="auto" refX="6" refY="4" markerWidth="8" markerHeight="8"><path d="M0 0L8 4L0 8z" '
        f'fill="{LINE}"/></marker>',
        _rectangle(0, 0, WIDTH, height, fill="white", line=marks.get("model", ("", "white"))[1], weight=6),
        *(part for y, entry in zip((16, height - 24), told, strict=False) for part in _legend(y, *entry)),
        _block(marks.get("block")),
        _stream(marks.get("stream")),
        *(
            f'<path d="{path}" fill="none" stroke="{LINE}" stroke-width="1.5" marker-end="url(#head)"/>'
            for path in ARROWS + LOOP_ARROWS * loop
        ),
        *(_sum(x) for x in SUMS),
        *(_box(box, marks.get(box.name)) for box in (*BOXES, *[SAMPLING] * loop)),
        *(_text(x, y, label, size=13) for x, y, label in LABELS),
        _text(968, STREAM_Y + 5, "logits"),
        *[_text(447, LOOP_Y - 8, "the chosen token, behind the others", size=13)] * loop,
        "</svg>",
    ]
    return Drawing("\n".join(parts), words)


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def _legend(y: int, text: str, fill: str, line: str) -> tuple[str, str]:
    size = min(16, 1550 // len(text))  # a long list in smaller letters, so that it ends on the map
    return _rectangle(20, y, 18, 18, fill=fill, line=line, weight=2), _text(
        46, y + 15, text, size=size, bold=True, anchor="start"
    )


def _box(box: Box, marked: Mark) -> str:
    fill, line, weight = (*marked, 3) if marked else (PLAIN, LINE, 1)
    frame = _rectangle(box.x - box.width // 2, box.y - 20, box.width, 40, fill=fill, line=line, weight=weight)
    return (
        frame
        + _text(box.x, box.y - 1, box.label, bold=bool(marked))
        + _text(box.x, box.y + 14, f"ch. {box.chapter}", size=11)
    )


def _block(marked: Mark) -> str:
    fill, line, weight = (*marked, 3) if marked else ("none", LINE, 1)
    frame = _rectangle(294, 44, 432, 232, fill=fill, line=line, weight=weight)
    return frame.replace("/>", ' stroke-dasharray="7 5"/>') + _text(
        510, 62, "block, n_layers times (ch. 7)", bold=bool(marked)
    )


def _stream(marked: Mark) -> str:
    colour, width = (marked[1], 12) if marked else (STREAM, 5)
    line = f'<path d="M270 {STREAM_Y} H740" stroke="{colour}" stroke-width="{width}"/>'
    return line + _text(510, STREAM_Y + 64, "the residual stream [batch pos d_model]", bold=bool(marked), color=colour)


def _sum(x: int) -> str:
    circle = f'<circle cx="{x}" cy="{STREAM_Y}" r="13" fill="white" stroke="{LINE}" stroke-width="2"/>'
    return circle + _text(x, STREAM_Y + 7, "+", size=20)


def _rectangle(x: int, y: int, width: int, height: int, *, fill: str, line: str, weight: int) -> str:
    place = f'x="{x}" y="{y}" width="{width}" height="{height}" rx="6"'
    return f'<rect {place} fill="{fill}" stroke="{line}" stroke-width="{weight}"/>'


def _text(
    x: int, y: int, text: str, *, size: int = 15, bold: bool = False, anchor: str = "middle", color: str = INK
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x}" y="{y}" fill="{color}" font-size="{size}" text-anchor="{anchor}"{weight}>{text}</text>'
