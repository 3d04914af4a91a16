"""The README's picture of the page of a class: made-up learners, graded as an instructor grades."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from playwright.sync_api import Browser, FloatRect

from author.notebooks import code_cells
from utils.course import ROOT
from utils.course.cells import defines

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
