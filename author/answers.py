"""What an exercise's cell is as it is given and as it is solved; and a chapter in the browser, solved at one stroke."""

import nbformat

from author.browsing.notebook import Notebook
from author.notebooks import code_cells
from utils.course import ROOT
from utils.course.cells import defines


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
