"""What an exercise's cell is as it is given and as it is solved; and a chapter in the browser, solved at one stroke."""

from pathlib import Path

import nbformat

from utils.authoring.browsing.notebook import Notebook
from utils.cells import defines
from utils.course import ROOT


def fill_in(notebook: Notebook) -> None:
    """Each cell becomes that of the solution."""
    solutions = _sources(ROOT / "solutions" / f"{notebook.stem}.ipynb")
    for index, (key, source) in enumerate(zip(notebook.ids, notebook.sources, strict=True)):
        if solutions.get(key, source) != source:
            notebook.put(index, solutions[key])


def given(stem: str, symbol: str) -> str:
    """The cell of an exercise as a learner gets it."""
    return _defining(ROOT / "chapters" / f"{stem}.ipynb", symbol)


def solution_of(stem: str, symbol: str) -> str:
    """The cell of an exercise as the solution has it."""
    return _defining(ROOT / "solutions" / f"{stem}.ipynb", symbol)


def _defining(path: Path, symbol: str) -> str:
    return next(source for source in _sources(path).values() if defines(source, symbol))


def _sources(path: Path) -> dict[str, str]:
    cells = nbformat.read(path, as_version=4).cells
    return {cell.id: cell.source for cell in cells if cell.cell_type == "code"}
