"""A chapter, cell by cell as a learner runs it: what goes wrong, in a sentence each."""

from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from author.building import solution
from author.source import read_source
from tests.colab.runtime import MOVE, Notebook, Ran
from utils.course import exercises
from utils.course.cells import defines

SLOW = 5  # seconds of a cell that are worth a line


@dataclass
class Walk:
    """One notebook's way through the runtime."""

    name: str
    notebook: Notebook
    problems: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    seconds: float = 0.0
    first_cell: float = 0.0
    moved: int = 0
    slow: list[str] = field(default_factory=list)

    def fine(self, cell_id: str, code: str) -> Ran:
        """Run a cell in which nothing may go wrong, and then move its controls."""
        ran = self._run(cell_id, code)
        self._note(cell_id, ran)
        moved = self._run(f"{cell_id}, its controls moved", MOVE)
        self._note(f"{cell_id}, its controls moved", moved)
        self.moved += moved.text.count("moved ")
        return ran

    def not_yet(self, cell_id: str, code: str) -> None:
        """Run the test of an exercise that is still open."""
        ran = self._run(cell_id, code)
        if "not yet" not in ran.text or not ran.errors:
            self.problems.append(f"{self.name}, {cell_id}: an open exercise should be 'not yet': {ran.text[:300]!r}")

    def before(self, cell_id: str, code: str) -> None:
        """Run the check of a smaller task that is still open; it may say anything."""
        self._run(cell_id, code)

    def _run(self, what: str, code: str) -> Ran:
        ran = self.notebook.run(code)
        if ran.seconds > SLOW:
            self.slow.append(f"    {what}: {ran.seconds:.0f} s")
        self.seconds += ran.seconds
        self.pages += ran.pages
        return ran

    def _note(self, what: str, ran: Ran) -> None:
        self.problems += [f"{self.name}, {what} stops with {error}" for error in ran.errors]
        if ran.stderr.strip():
            self.problems.append(f"{self.name}, {what} writes to stderr: {ran.stderr.strip()}")


def walk_chapter(stem: str, notebook: Notebook, root: Path) -> Walk:
    """Run the whole chapter that `root` has: each exercise as a stub, then solved."""
    walk = Walk(stem, notebook)
    given = _code(root / "chapters" / f"{stem}.ipynb")
    solved = {cell.id: cell.source for cell in solution(read_source(stem, root)).cells}
    symbols = [one.symbol for one in exercises(stem, root)]
    cells = iter(given)
    clone = next(cells)
    walk.first_cell = walk.fine(clone.id, clone.source).seconds
    for cell in cells:
        if cell.source == solved[cell.id]:
            walk.fine(cell.id, cell.source)
            continue
        test = next(cells)
        walk.fine(cell.id, cell.source)
        opened = any(defines(cell.source, symbol) for symbol in symbols)
        (walk.not_yet if opened else walk.before)(test.id, test.source)
        walk.fine(cell.id, solved[cell.id])
        walk.fine(test.id, test.source)
    return walk


def walk_start_page(notebook: Notebook, root: Path) -> Walk:
    """Run the start page."""
    walk = Walk("START", notebook)
    clone, welcome = _code(root / "chapters" / "START.ipynb")
    walk.first_cell = walk.fine(clone.id, clone.source).seconds
    walk.fine(welcome.id, welcome.source)
    if not any("colab.research.google.com/github" in page for page in walk.pages):
        walk.problems.append("START: its links do not lead to Colab")
    return walk


def _code(path: Path) -> list[nbformat.NotebookNode]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
