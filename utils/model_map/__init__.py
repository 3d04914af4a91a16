"""The one map of the model, drawn by `model_map`, with the parts that a chapter is about marked.

`modern_map` draws chapter 12's model in the same way, to be looked at beside GPT-2's.

It is an SVG inside an `<img>` tag. That needs no scripts, carries its words for those who can't see it, and is shown
even where a notebook's stored outputs are not trusted: JupyterLab then refuses SVG and strips it out of HTML, but
leaves an image with its source in it alone. A link lies over each box, placed by margins, since `left` and `top` in per
cent would be stripped there.
"""

from base64 import b64encode
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from utils.course import stems
from utils.course.links import to_chapter
from utils.model_map.drawing import (
    BOX_HEIGHT,
    DONE,
    GPT2,
    HERE,
    MODERN,
    NARROWEST,
    WIDTH,
    Mark,
    Plan,
    boxes,
    height_of,
    svg_of,
)

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
MODERN_WORDS = (
    "A model since GPT-2, from left to right: tokens [batch pos] go into one table, Embed, whose vectors are the start "
    "of the residual stream [batch pos d_model]; there is no PosEmbed. Twice in each block a copy of the stream leaves "
    "the line, passes through an RMSNorm and a sublayer (first Attention with rotary positions and grouped queries, "
    "then SwiGLU), and the result is added to the stream. After the last block, ln_final, an RMSNorm too, and Unembed "
    "turn the stream into logits [batch pos d_vocab]."
)
WIDEST = 800  # pixels


@dataclass(frozen=True)
class Drawing:
    """An SVG and the same in words: a notebook shows the first; a terminal and a screen reader get the second."""

    svg: str
    words: str
    loop: bool = False
    plan: Plan = GPT2

    def _repr_html_(self) -> str:
        source = b64encode(self.svg.encode()).decode()
        return (
            '<div style="overflow-x:auto">'
            f'<div style="position:relative;max-width:{WIDEST}px;min-width:{NARROWEST}px">'
            f'<img src="data:image/svg+xml;base64,{source}" alt="{self.words}" width="{WIDTH}" '
            'style="display:block;width:100%;max-width:none">'
            f"{''.join(self._links())}</div></div>"
        )

    def __repr__(self) -> str:
        return self.words

    def _links(self) -> Iterator[str]:
        """A link over each box, to its chapter, where the course has it."""
        known = {int(stem[2:4]): stem for stem in stems()}
        height = height_of(self.loop)
        for box in boxes(self.loop, self.plan):
            if box.chapter in known:
                left = _per_cent(box.x - box.width / 2, WIDTH)
                top = _per_cent(box.y - BOX_HEIGHT / 2, WIDTH)
                size = f"width:{_per_cent(box.width, WIDTH)};height:{_per_cent(BOX_HEIGHT, height)}"
                margin = f"margin:{top} 0px 0px {left}"
                place = f"position:absolute;top:0px;left:0px;{margin};{size};border-radius:6px"
                target = to_chapter(known[box.chapter])
                title = f"{box.label}: chapter {box.chapter}"
                yield f'<a {target} title="{title}" style="{place}"></a>'


def model_map(*here: str, done: Collection[str] = (), here_means: str = HERE.means, loop: bool = False) -> Drawing:
    """The map of the model, marked "you are here" at the parts named: any of `NAMES`. Those `done` are green.

    The loop in which the model writes text, through sampling, is drawn where that is marked, or with `loop`.

    Raises ValueError for a name that is not on the map.
    """
    unknown = [name for name in [*here, *done] if name not in NAMES]
    if unknown:
        known, others = ", ".join(NAMES), ", ".join(unknown)
        raise ValueError(f"model_map takes parts of the map ({known}), got {others}")
    mark = replace(HERE, means=here_means)
    told = _told(mark, here) + _told(DONE, [name for name in NAMES if name in done])
    loop = loop or "sampling" in {*here, *done}
    words = told + WORDS + LOOP_WORDS * loop
    marks = dict.fromkeys(done, DONE) | dict.fromkeys(here, mark)
    return Drawing(svg_of(words, marks, loop), words, loop)


def modern_map(*here: str, here_means: str = HERE.means) -> Drawing:
    """The map of a model with chapter 12's parts, marked at the parts named: any of `NAMES` but "pos_embed"."""
    mark = replace(HERE, means=here_means)
    words = _told(mark, here) + MODERN_WORDS
    return Drawing(svg_of(words, dict.fromkeys(here, mark), False, MODERN), words, plan=MODERN)


def _told(mark: Mark, names: Sequence[str]) -> str:
    """What a mark means, and which parts have it."""
    if not names:
        return ""
    return f"{mark.means}: {_listed([NAMES[name] for name in names])}. "


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def _per_cent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.2f}%"
