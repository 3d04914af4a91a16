"""The pictures of the README, made by doing what they show: `python -m utils screenshots` writes docs/*.png anew."""

import html
import os
import shlex
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from utils.authoring.answers import fill_in, given, solution_of
from utils.authoring.browsing import Lab, Notebook, lab
from utils.course import ROOT, CourseError, exercises, stems, throwaway_state
from utils.learner.handed import handed_over
from utils.learner.progress import record_pass

SIZE = (1180, 1500)  # without its side bars JupyterLab then shows cells of 1,080 px
GAP = 4
# What is JupyterLab's own around a cell, and says nothing here.
QUIET = ".jp-cell-toolbar, .jp-Collapser, .jp-Toolbar { visibility: hidden !important }"
STORY = 'python -m my_gpt "Once upon a time" --seed 5'
TERMINAL = """<style>
body { margin: 0 }
pre { margin: 0; padding: 24px; width: 1032px; border-radius: 8px; white-space: pre-wrap;
      background: #16191d; color: #e8eaed; font: 17.6px/1.59 "DejaVu Sans Mono", monospace }
b { color: #7ee2a8; font-weight: normal }
</style><pre><b>$</b> $command\n\n$told</pre>"""
FOUR = """<style>
body { margin: 0 }
div { display: grid; grid-template-columns: 1fr 1fr; align-items: start; gap: 16px; padding: 12px; width: 1476px }
img { width: 100%; box-sizing: border-box; border: 1px solid #d0d4d9 }
</style><div>$cards</div>"""


@dataclass(frozen=True)
class Written:
    """What a learner has written into a stub, and what the card must say of it."""

    symbol: str
    stem: str
    says: str
    body: str | None = None  # None: nothing yet; the solution where it is ""


LAYER_NORM = ("LayerNorm", "ch03_layernorm")
CARDS = {
    "not-yet": Written(*LAYER_NORM, "not yet"),
    "named-mistake": Written(
        *LAYER_NORM,
        "This is what you get from the unbiased variance",
        """
        mean = residual.mean(dim=-1, keepdim=True)
        variance = residual.var(dim=-1, keepdim=True)
        return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b""",
    ),
    "card-brackets": Written(
        *LAYER_NORM,
        "This is what you get from a division that ends before + eps",
        """
        eps, w, b = self.cfg.layer_norm_eps, self.w, self.b
        centred = residual - residual.mean(dim=-1, keepdim=True)
        variance = centred.pow(2).mean(dim=-1, keepdim=True)
        return centred / variance.sqrt() + eps * w + b""",
    ),
    "passed": Written(*LAYER_NORM, "✔ LayerNorm", ""),
    "card-random": Written(
        *("Embed", "ch02_embeddings"),
        "This is what you get from a new table in every call",
        """
        table = nn.Embedding(self.cfg.d_vocab, self.cfg.d_model)
        return table(tokens)""",
    ),
    "card-axes": Written(
        *("PosEmbed", "ch02_embeddings"),
        "This is what you get from a batch axis in the second place",
        """
        batch, pos = tokens.shape
        return torch.stack([self.W_pos[:pos]] * batch, dim=1)""",
    ),
}
ONE_CHANGE_AWAY = Written(
    *LAYER_NORM,
    "One change to your code would make every check pass",
    """
        mean = residual.mean(dim=-1, keepdim=True)
        variance = residual.var(dim=-1, keepdim=True, unbiased=False)
        std = (variance + self.cfg.layer_norm_eps).sqrt()
        return (residual - mean / std) * self.w + self.b""",
)


def pictures() -> dict[str, Callable[[Lab], bytes]]:
    """What makes each picture, by the name of its file."""
    cards = {name: _card_of(written) for name, written in CARDS.items()}
    return {**cards, "card-folds": _folds, "attention": _attention, "story": _story}


def screenshots(names: Iterable[str], folder: Path = ROOT / "docs") -> Iterator[str]:
    """Write these pictures, all where none is named; says which were. Raises CourseError for one that is unknown."""
    made_by = pictures()
    if unknown := set(names) - set(made_by):
        raise CourseError(f"no picture {', '.join(sorted(unknown))}; there are: {', '.join(made_by)}")
    with lab(SIZE) as shown:
        shown.without_side_bars()
        _pass_what_comes_before(shown.course, "ch03_layernorm")
        for name in names or made_by:
            (folder / f"{name}.png").write_bytes(made_by[name](shown))
            yield f"docs/{name}.png: written"


def _pass_what_comes_before(course: Path, stem: str) -> None:
    """Progress of one who has come as far as this chapter."""
    with patch.dict(os.environ, {"COURSE_STATE": str(course)}):
        for earlier in stems()[: stems().index(stem)]:
            for one in exercises(earlier):
                record_pass(earlier, one.symbol)


def _card_of(written: Written) -> Callable[[Lab], bytes]:
    def picture(shown: Lab) -> bytes:
        chapter = _answered(shown, written)
        return _picture(chapter, chapter.defining(written.symbol), chapter.testing(written.symbol))

    return picture


def _answered(shown: Lab, written: Written) -> Notebook:
    """The chapter, with this in its stub, and the test cell run. Raises CourseError if the card says something else."""
    chapter = shown.open(f"chapters/{written.stem}.ipynb")
    if not chapter.output(chapter.code[0]).is_visible():
        chapter.run_to(chapter.saying("model_map("))
    stub = given(written.stem, written.symbol)
    card = chapter.answer(written.symbol, stub if written.body is None else _filled(stub, written))
    if written.says not in card:
        raise CourseError(f"the card of {written.symbol} should say {written.says!r}; it says:\n{card}")
    return chapter


def _filled(stub: str, written: Written) -> str:
    """The stub with the body in the place of what it raises."""
    if not written.body:
        return solution_of(written.stem, written.symbol)
    head, raises, _ = stub.partition("\n        raise NotImplementedError")
    assert raises, f"the stub of {written.symbol} is not as it was:\n{stub}"
    return head + written.body


def _picture(chapter: Notebook, first: int, last: int) -> bytes:
    """From the top of one cell to the end of another, as wide as they are."""
    chapter.choose(0)  # whose frame is then out of the picture
    chapter.cell(first).evaluate("node => node.scrollIntoView()")
    top, end = chapter.cell(first).bounding_box(), chapter.cell(last).bounding_box()
    assert top and end
    width, height = top["width"], end["y"] + end["height"] - top["y"] + GAP
    return chapter.page.screenshot(
        clip={"x": top["x"], "y": top["y"] - GAP, "width": width, "height": height}, style=QUIET
    )


def _folds(shown: Lab) -> bytes:
    """The card of an answer that is one change away, its folds opened one after another."""
    shown.width(SIZE[0] - 260)  # two of them stand side by side
    chapter = _answered(shown, ONE_CHANGE_AWAY)
    card = (
        chapter.output(chapter.testing("LayerNorm")).locator(".jp-RenderedHTML").filter(has_text=ONE_CHANGE_AWAY.says)
    )
    states = [card.screenshot(style=QUIET)]
    for fold in card.locator("summary").all():
        fold.click()
        states.append(card.screenshot(style=QUIET))
    shown.width(SIZE[0])
    cards = "".join(f'<img src="data:image/png;base64,{b64encode(one).decode()}">' for one in states)
    return _page(shown, FOUR.replace("$cards", cards), "div")


def _attention(shown: Lab) -> bytes:
    """Chapter 4's patterns, drawn by an Attention that has passed."""
    chapter = shown.open("chapters/ch04_attention.ipynb")
    fill_in(chapter)
    patterns = chapter.saying("explore(")
    chapter.run_to(patterns)
    chapter.output(patterns).get_by_role("slider").first.wait_for()
    return _picture(chapter, patterns, patterns)


def _story(shown: Lab) -> bytes:
    """What `python -m my_gpt` prints, in a terminal of our own."""
    with throwaway_state() as folder:
        handed_over().write_package()
        command = [sys.executable, *shlex.split(STORY)[1:]]
        told = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=True).stdout.strip()
    return _page(shown, TERMINAL.replace("$command", html.escape(STORY)).replace("$told", html.escape(told)), "pre")


def _page(shown: Lab, source: str, seen: str) -> bytes:
    """A picture of a part of a page of our own."""
    page = shown.browser.new_page(viewport={"width": 1600, "height": 1200})
    page.set_content(source)
    try:
        return page.locator(seen).screenshot(omit_background=True)
    finally:
        page.close()
