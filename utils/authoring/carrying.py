"""Outputs carried over: what a solution's notebook stores is kept as long as its code stays the same.

Stored numbers so change with the code alone, never with the day or the machine of a build.
"""

from pathlib import Path

import nbformat
from nbformat import NotebookNode

from utils.authoring.colab import TAG


def carry_outputs(notebook: NotebookNode, path: Path) -> bool:
    """Give a new notebook the outputs of the one stored at `path`; whether both run the same code in the same order.

    The cell that fetches the course in Colab doesn't count: it shows nothing elsewhere.
    """
    stored = _stored(path)
    cells = _code(notebook)
    if stored is None or [cell.source for cell in cells] != [cell.source for cell in stored]:
        return False
    for cell, old in zip(cells, stored, strict=True):
        cell.outputs = old.outputs
    for count, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), 1):
        cell.execution_count = count
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = count
    return True


def _stored(path: Path) -> list[NotebookNode] | None:
    """The code cells of a notebook that was executed whole; None where there is none."""
    try:
        cells = _code(nbformat.read(path, as_version=nbformat.NO_CONVERT))
        return None if any(cell.execution_count is None for cell in cells) else cells
    except (OSError, ValueError, AttributeError):
        return None


def _code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code" and TAG not in cell.metadata.get("tags", ())]
