"""Outputs carried over: what a solution's notebook stores is kept as long as its code, and what draws, stay the same.

Stored numbers so change with the code alone, never with the day or the machine of a build.
"""

from pathlib import Path

from nbformat import NotebookNode

from utils.authoring.colab import TAG
from utils.authoring.drawing_code import drawing_code, drawn_with
from utils.authoring.opened import executed


def carry_outputs(notebook: NotebookNode, path: Path) -> bool:
    """Give a new notebook the outputs of the one stored at `path`; whether both run the same code in the same order.

    The cell that fetches the course in Colab doesn't count: it shows nothing elsewhere.
    """
    before = executed(path)
    if before is None or drawn_with(before) != drawing_code(notebook):
        return False
    cells, old_cells = _course_cells(notebook), _course_cells(before)
    if _sources(cells) != _sources(old_cells):
        return False
    for cell, old in zip(cells, old_cells, strict=True):
        cell.outputs = old.outputs
    for count, cell in enumerate(_code_cells(notebook), 1):
        _number(cell, count)
    return True


def _number(cell: NotebookNode, count: int) -> None:
    cell.execution_count = count
    for output in cell.outputs:
        if "execution_count" in output:
            output.execution_count = count


def _code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _course_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """Those that run everywhere."""
    code = _code_cells(notebook)
    return [cell for cell in code if TAG not in cell.metadata.get("tags", ())]


def _sources(cells: list[NotebookNode]) -> list[str]:
    return [cell.source for cell in cells]
