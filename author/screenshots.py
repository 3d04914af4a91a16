"""The pictures of the README, made by doing what they show: `python -m utils screenshots` writes docs/*.png anew."""

import html
import os
import shlex
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from subprocess import DEVNULL, check_output
from tempfile import TemporaryDirectory
from unittest.mock import patch

import nbformat
from playwright.sync_api import Browser, FloatRect

from author.browsing import Lab, Notebook, lab
from author.filling import filled, template
from author.notebooks import code_cells
from utils.course import ROOT, CourseError, exercises, stems, throwaway_state
from utils.course.cells import defines
from utils.learner.cards import FIRST, SECOND, THIRD
from utils.learner.handed import handed_over
from utils.learner.progress import record_pass


def fill_in(notebook: Notebook) -> None:
    """Each cell becomes that of the solution."""
    solutions = _sources("solutions", notebook.stem)
    sources = notebook.sources
    for index, name in enumerate(notebook.ask("ids")):
        solved = solutions.get(name, sources[index])
        if solved != sources[index]:
            notebook.ask("put", index, solved)


def cell_of(folder: str, stem: str, symbol: str) -> str:
    """The cell of an exercise as it is in chapters/, which a learner gets, or in solutions/."""
    sources = _sources(folder, stem).values()
    return next(source for source in sources if defines(source, symbol))


def _sources(folder: str, stem: str) -> dict[str, str]:
    path = ROOT / folder / f"{stem}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    return {cell.id: cell.source for cell in code_cells(notebook)}


STEMS = ("ch02_embeddings", "ch03_layernorm")
WIDTH, HEIGHT = 1000, 900


def class_picture(browser: Browser, wrong: Sequence[tuple[str, str, int]], right: int) -> bytes:
    """From each exercise's statuses to the first misconception's card, unfolded.

    `wrong` has answers: the symbol, the source, and how many learners have it; so many others have all right.
    """
    answers = [{symbol: source} for symbol, source, learners in wrong for _ in range(learners)]
    with TemporaryDirectory() as name:
        folder = Path(name)
        for number, answer in enumerate([*answers, *[{}] * right], start=1):
            _hand_in(folder / "class" / f"learner {number}", answer)
        _grade(folder)
        return _part_of(browser, folder / "report" / "index.html")


def _grade(folder: Path) -> None:
    command = [sys.executable, "-m", "utils", "grade", str(folder / "class")]
    command += ["--chapters", *STEMS]
    command += ["--seed", "7"]
    command += ["--gradebook", str(folder / "gradebook.sqlite")]
    command += ["--html", str(folder / "report")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


def _part_of(browser: Browser, file: Path) -> bytes:
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.goto(file.as_uri())
    page.locator("#s-misconceptions summary").first.click()
    figure = page.locator("#s-each-exercise")
    figure.locator(".main-svg").first.wait_for()
    top = figure.evaluate("one => one.getBoundingClientRect().top + scrollY")
    clip: FloatRect = {"x": 0, "y": top, "width": WIDTH, "height": HEIGHT}
    picture = page.screenshot(clip=clip, full_page=True)
    page.close()
    return picture


def _hand_in(folder: Path, answers: Mapping[str, str]) -> None:
    """Solved chapters, with these sources in the place of the answers to the exercises of their names."""
    folder.mkdir(parents=True)
    for stem in STEMS:
        path = ROOT / "solutions" / f"{stem}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        for cell in code_cells(notebook):
            for symbol, source in answers.items():
                if defines(cell.source, symbol):
                    cell.source = source
        nbformat.write(notebook, folder / f"{stem}.ipynb")


# Without its side bar JupyterLab then shows cells of 1,080 px.
SIZE = (1180, 1500)
GAP = 4
# What is JupyterLab's own around a cell, and says nothing here.
QUIET = ".jp-cell-toolbar, .jp-Collapser, .jp-Toolbar { visibility: hidden !important }"
STORY = 'python -m my_gpt "Once upon a time" --seed 5'


@dataclass(frozen=True)
class Written:
    """What a learner has written into a stub, and what the card must say of it."""

    symbol: str
    stem: str
    says: str
    # None: nothing yet; the solution where it is ""
    body: str | None = None


LAYER_NORM = ("LayerNorm", "ch03_layernorm")
CARDS = {
    "not-yet": Written(*LAYER_NORM, "not yet"),
    "named-mistake": Written(
        *LAYER_NORM,
        "The cause: the unbiased variance",
        """
        mean = residual.mean(dim=-1, keepdim=True)
        variance = residual.var(dim=-1, keepdim=True)
        return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b""",
    ),
    "card-brackets": Written(
        *LAYER_NORM,
        "The cause: a division that ends before + eps",
        """
        eps, w, b = self.cfg.layer_norm_eps, self.w, self.b
        centred = residual - residual.mean(dim=-1, keepdim=True)
        variance = centred.pow(2).mean(dim=-1, keepdim=True)
        return centred / variance.sqrt() + eps * w + b""",
    ),
    "passed": Written(*LAYER_NORM, "✔ LayerNorm", ""),
    "card-random": Written(
        *("Embed", "ch02_embeddings"),
        "The cause: a new table in every call",
        """
        table = nn.Embedding(self.cfg.d_vocab, self.cfg.d_model)
        return table(tokens)""",
    ),
    "card-axes": Written(
        *("PosEmbed", "ch02_embeddings"),
        "The cause: a batch axis in the second place",
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
    return {
        **{name: partial(_card, written=written) for name, written in CARDS.items()},
        "card-folds": _folds,
        "attention": _attention,
        "story": _story,
        "class": _class,
    }


def screenshots(names: Iterable[str], folder: Path = ROOT / "docs") -> Iterator[str]:
    """Write these pictures, all where none is named; says which were. Raises CourseError for one that is unknown."""
    made_by = pictures()
    unknown = sorted(set(names) - made_by.keys())
    if unknown:
        raise CourseError(f"no picture {', '.join(unknown)}; there are: {', '.join(made_by)}")
    with lab(SIZE) as shown:
        shown.order("application:toggle-left-area")
        _come_to("ch03_layernorm", shown.course)
        for name in names or made_by:
            (folder / f"{name}.png").write_bytes(made_by[name](shown))
            yield f"docs/{name}.png: written"


def _come_to(stem: str, course: Path) -> None:
    """Progress of one who has come as far as this chapter."""
    earlier = [one for one in stems() if one < stem]
    with patch.dict(os.environ, {"COURSE_STATE": str(course)}):
        for exercise in chain.from_iterable(map(exercises, earlier)):
            record_pass(exercise.stem, exercise.symbol)


def _card(shown: Lab, written: Written) -> bytes:
    chapter = _answered(shown, written)
    first, last = chapter.defining(written.symbol), chapter.testing(written.symbol)
    return _picture(chapter, first, last)


def _answered(shown: Lab, written: Written) -> Notebook:
    """The chapter, with this in its stub, and the test cell run. Raises CourseError if the card says something else."""
    chapter = shown.open(f"chapters/{written.stem}.ipynb")
    if not chapter.output(chapter.code[0]).is_visible():
        chapter.run_to(chapter.saying("model_map("))
    card = chapter.answer(written.symbol, _source(written))
    if written.says not in card:
        due = f"the card of {written.symbol} should say {written.says!r}"
        raise CourseError(f"{due}; it says:\n{card}")
    return chapter


def _source(written: Written) -> str:
    """The stub, the solution, or the stub with the body in the place of what it raises."""
    folder = "chapters" if written.body != "" else "solutions"
    stub = cell_of(folder, written.stem, written.symbol)
    if not written.body:
        return stub
    head, raises, _ = stub.partition("\n        raise NotImplementedError")
    assert raises, f"the stub of {written.symbol} is not as it was:\n{stub}"
    return head + written.body


def _picture(chapter: Notebook, first: int, last: int) -> bytes:
    """From the top of one cell to the end of another, as wide as they are."""
    # Its frame is then out of the picture.
    chapter.choose(0)
    chapter.cell(first).evaluate("node => node.scrollIntoView()")
    top, end = chapter.cell(first).bounding_box(), chapter.cell(last).bounding_box()
    assert top and end
    y = top["y"] - GAP
    bottom = end["y"] + end["height"]
    clip: FloatRect = {"x": top["x"], "y": y, "width": top["width"], "height": bottom - y}
    return chapter.page.screenshot(clip=clip, style=QUIET)


def _folds(shown: Lab) -> bytes:
    """The card of an answer that is one change away, its folds opened one after another."""
    # Two of them stand side by side.
    shown.width(SIZE[0] - 260)
    chapter = _answered(shown, ONE_CHANGE_AWAY)
    shows = chapter.output(chapter.testing("LayerNorm")).locator(".jp-RenderedHTML")
    card = shows.filter(has_text=ONE_CHANGE_AWAY.says)
    states = [card.screenshot(style=QUIET)]
    for title in (FIRST, SECOND, THIRD):  # the folds above are of numbers, and how to ask again
        card.locator("summary", has_text=title).last.click()
        states.append(card.screenshot(style=QUIET))
    shown.width(SIZE[0])
    coded = [b64encode(state).decode() for state in states]
    cards = "".join(map('<img src="data:image/png;base64,{}">'.format, coded))
    return _page(shown, "div", "side_by_side.html", {"CARDS": cards})


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
    command = [sys.executable, *shlex.split(STORY)[1:]]
    with throwaway_state() as folder:
        handed_over().write_package()
        told = check_output(command, cwd=folder, encoding="utf-8", stderr=DEVNULL)
    texts = {"COMMAND": STORY, "TOLD": told.strip()}
    escaped = {name: html.escape(text) for name, text in texts.items()}
    return _page(shown, "pre", "terminal.html", escaped)


def _class(shown: Lab) -> bytes:
    """The page of a class, in which some have the mistakes of the cards above."""
    having = {"named-mistake": 4, "card-axes": 3, "card-random": 2, "card-brackets": 1}
    wrong = [(CARDS[name].symbol, _source(CARDS[name]), learners) for name, learners in having.items()]
    return class_picture(shown.browser, wrong, right=15)


def _page(shown: Lab, seen: str, source: str, texts: dict[str, str]) -> bytes:
    """A picture of a part of a page of our own, made of a template."""
    page = shown.browser.new_page(viewport={"width": 1600, "height": 1200})
    page.set_content(filled(template(source), texts))
    try:
        return page.locator(seen).screenshot(omit_background=True)
    finally:
        page.close()
