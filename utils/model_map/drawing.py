"""The map of the model as an SVG: where each part stands, and how it looks when it is marked.

The ground is left to the page. What stands on it has colours of a contrast of 4 on white and on JupyterLab's dark page
(#111111); boxes bring a ground of their own, on which white letters have 4.5. A mark is a colour and a sign.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

WIDTH, HEIGHT = 720, 372
LOOP_HEIGHT = 74  # more, where the loop is drawn
NARROWEST = 564  # pixels: the smallest letters, 15 of WIDTH, are then over 11 high
STREAM_Y = 214
SUBLAYER_Y = 92
LN_Y = 156
BOX_HEIGHT = 42
SMALL = 15
INK = "#7d7d7d"
LINE = "#7d7d7d"
PLAIN = "#57606a"
STREAM = "#4a80c9"


@dataclass(frozen=True)
class Mark:
    """How a part is marked: what that means, the ground of its box, its line elsewhere, and the sign beside it."""

    means: str
    fill: str
    line: str
    sign: str  # an SVG path of 12 by 12 around 0 0


HERE = Mark("You are here", "#b4470a", "#cc5c14", "M-5 -5 L5 0 L-5 5 Z")
DONE = Mark("Done", "#1a7f37", "#278f50", "M-6 0 L-2 4 L6 -5 L4 -6 L-2 1 L-4 -2 Z")


@dataclass(frozen=True)
class Box:
    """A part of the model on the map: the name that marks it, where its centre is, what it says, its chapter."""

    name: str
    x: int
    y: int
    label: str
    chapter: int
    width: int = 94


BOXES = (
    Box("tokens", 48, STREAM_Y, "tokens", 0, 70),
    Box("embed", 152, STREAM_Y - 50, "Embed", 2),
    Box("pos_embed", 152, STREAM_Y + 50, "PosEmbed", 2),
    Box("ln", 314, LN_Y, "ln1", 3, 64),
    Box("attn", 314, SUBLAYER_Y, "Attention", 4),
    Box("ln", 472, LN_Y, "ln2", 3, 64),
    Box("mlp", 472, SUBLAYER_Y, "MLP", 5),
    Box("ln_final", 648, STREAM_Y, "ln_final", 3),
    Box("unembed", 648, STREAM_Y + 64, "Unembed", 6),
)
SAMPLING = Box("sampling", 648, 412, "sampling", 8)
FRAME = (250, 38, 336, 218)  # of the block: x, y, width, height
SUMS = (226, 394, 550)
LABELS = (
    (48, STREAM_Y + 40, "[batch pos]"),
    (290, STREAM_Y + 32, "resid_pre"),
    (394, STREAM_Y + 32, "resid_mid"),
    (540, STREAM_Y + 32, "resid_post"),
    (292, STREAM_Y - 10, "copy"),
    (450, STREAM_Y - 10, "copy"),
    (648, STREAM_Y + 126, "logits"),
    (632, STREAM_Y + 144, "[batch pos d_vocab]"),
)
# Each arrow as an SVG path: the tokens into the tables, the tables into their sum, the two detours, and the way out.
ARROWS = (
    *(f"M84 {STREAM_Y + side * 10} L102 {STREAM_Y + side * 34}" for side in (-1, 1)),
    *(f"M200 {STREAM_Y + side * 50} H226 V{STREAM_Y + side * 16}" for side in (-1, 1)),
    *(f"M{x} {STREAM_Y} V{LN_Y + 24}" for x in (314, 472)),
    *(f"M{x} {LN_Y - 22} V{SUBLAYER_Y + 24}" for x in (314, 472)),
    *(f"M{x} {SUBLAYER_Y} H{sum_x} V{STREAM_Y - 16}" for x, sum_x in ((362, 394), (520, 550))),
    f"M648 {STREAM_Y + 22} V{STREAM_Y + 40}",
    f"M648 {STREAM_Y + 86} V{STREAM_Y + 110}",
)


@dataclass(frozen=True)
class Plan:
    """What one kind of model is drawn with, the loop left out: its boxes, its sums on the stream, its arrows."""

    boxes: tuple[Box, ...]
    sums: tuple[int, ...]
    arrows: tuple[str, ...]


GPT2 = Plan(BOXES, SUMS, ARROWS)
# Chapter 12's: the same parts in the same places, written in other ways, and no table of positions.
WRITTEN_ANEW = {"ln1": "RMSNorm", "ln2": "RMSNorm", "Attention": "Attention", "MLP": "SwiGLU", "ln_final": "ln_final"}
MODERN = Plan(
    tuple(
        replace(box, label=WRITTEN_ANEW[box.label], chapter=12, width=94) if box.label in WRITTEN_ANEW else box
        for box in BOXES
        if box.name != "pos_embed"
    ),
    SUMS[1:],
    (
        *(arrow for arrow in ARROWS if not arrow.startswith((f"M84 {STREAM_Y + 10} ", "M200 "))),
        f"M200 {STREAM_Y - 50} H226 V{STREAM_Y - 4}",
    ),
)
# And the loop's: from the logits down to the sampling, and from there back to the tokens.
LOOP_ARROWS = (f"M648 {STREAM_Y + 150} V388", f"M600 412 H48 V{STREAM_Y + 50}")


def svg_of(words: str, marks: Mapping[str, Mark], loop: bool, plan: Plan = GPT2) -> str:
    """The drawing; `words` are its title, `marks` says how the parts named are marked, `loop` draws the way back."""
    height = height_of(loop)
    arrow = f'fill="none" stroke="{LINE}" stroke-width="1.5" marker-end="url(#head)"'
    view = f'viewBox="0 0 {WIDTH} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {view} font-family="system-ui, sans-serif">',
        f"<title>{words}</title>",
        '<marker id="head" orient="auto" refX="6" refY="4" markerWidth="8" markerHeight="8">'
        f'<path d="M0 0L8 4L0 8z" fill="{LINE}"/></marker>',
        *_whole(marks.get("model"), height),
        *_legend(dict.fromkeys(marks.values())),
        *_block(marks.get("block")),
        *_stream(marks.get("stream")),
        *(f'<path d="{path}" {arrow}/>' for path in plan.arrows + LOOP_ARROWS * loop),
        *(part for x in plan.sums for part in _sum(x)),
        *(part for box in boxes(loop, plan) for part in _box(box, marks.get(box.name))),
        *(_text(x, y, label, size=SMALL) for x, y, label in LABELS),
        *[_text(330, 404, "the chosen token, behind the others", size=SMALL)] * loop,
        "</svg>",
    ]
    return "\n".join(parts)


def height_of(loop: bool) -> int:
    """The drawing's height, where it is WIDTH wide."""
    return HEIGHT + LOOP_HEIGHT * loop


def boxes(loop: bool, plan: Plan = GPT2) -> tuple[Box, ...]:
    """The boxes that are drawn, in the order of reading."""
    return (*plan.boxes, *[SAMPLING] * loop)


def _whole(mark: Mark | None, height: int) -> list[str]:
    """A frame round the whole model, where that is marked."""
    if not mark:
        return []
    frame = _rectangle(4, 26, WIDTH - 8, height - 30, fill="none", line=mark.line, weight=4)
    return [frame, *_sign(WIDTH - 16, 26, mark)]


def _legend(marks: Mapping[Mark, None]) -> list[str]:
    parts, x = [], 14
    for mark in marks:
        parts += [*_sign(x, 11, mark), _text(x + 16, 16, mark.means, anchor="start", bold=True)]
        x += 60 + 9 * len(mark.means)
    return parts


def _box(box: Box, mark: Mark | None) -> list[str]:
    left = box.x - box.width // 2
    top = box.y - BOX_HEIGHT // 2
    fill, line, weight = PLAIN, PLAIN, 0
    if mark:
        fill, line, weight = mark.fill, mark.line, 3
    parts = [
        _rectangle(left, top, box.width, BOX_HEIGHT, fill=fill, line=line, weight=weight),
        _text(box.x, box.y - 3, box.label, color="white", bold=bool(mark)),
        _text(box.x, box.y + 14, f"ch. {box.chapter}", size=SMALL, color="white"),
    ]
    return parts + (_sign(left - 2, top - 4, mark) if mark else [])


def _block(mark: Mark | None) -> list[str]:
    x, y, width, height = FRAME
    line, weight = (mark.line, 3) if mark else (LINE, 1)
    frame = _rectangle(x, y, width, height, fill="none", line=line, weight=weight)
    middle = x + width // 2
    parts = [
        frame.replace("/>", ' stroke-dasharray="7 5"/>'),
        _text(middle, y + 18, "block, n_layers times (ch. 7)", bold=bool(mark), color=line),
    ]
    return parts + (_sign(x + width - 14, y, mark) if mark else [])


def _stream(mark: Mark | None) -> list[str]:
    colour, width = (mark.line, 12) if mark else (STREAM, 5)
    line = f'<path d="M226 {STREAM_Y} H602" stroke="{colour}" stroke-width="{width}"/>'
    label = "residual stream [batch pos d_model]"
    caption = _text(424, STREAM_Y + 66, label, size=SMALL, bold=bool(mark), color=colour)
    return [line, caption, *(_sign(246, STREAM_Y + 61, mark) if mark else [])]


def _sum(x: int) -> list[str]:
    place = f'cx="{x}" cy="{STREAM_Y}" r="12"'
    circle = f'<circle {place} fill="{PLAIN}" stroke="{LINE}" stroke-width="1.5"/>'
    return [circle, _text(x, STREAM_Y + 7, "+", size=20, color="white")]


def _sign(x: int, y: int, mark: Mark) -> list[str]:
    place = f'cx="{x}" cy="{y}" r="10"'
    disc = f'<circle {place} fill="{mark.fill}" stroke="white" stroke-width="1.5"/>'
    return [disc, f'<path d="{mark.sign}" transform="translate({x} {y})" fill="white"/>']


def _rectangle(x: int, y: int, width: int, height: int, *, fill: str, line: str, weight: int) -> str:
    place = f'x="{x}" y="{y}" width="{width}" height="{height}" rx="6"'
    return f'<rect {place} fill="{fill}" stroke="{line}" stroke-width="{weight}"/>'


def _text(
    x: int, y: int, text: str, *, size: int = 16, bold: bool = False, anchor: str = "middle", color: str = INK
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    letters = f'fill="{color}" font-size="{size}" text-anchor="{anchor}"{weight}'
    return f'<text x="{x}" y="{y}" {letters}>{text}</text>'
