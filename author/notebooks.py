"""Notebooks and their files: made, read, and compared without what opening or running one changes in it."""

import json
from pathlib import Path
from typing import TypeGuard

import nbformat
from nbformat import NotebookNode, v4

from author.filling import template

# The metadata of a closed cell: JupyterLab and VS Code read the one, Colab the other.
FOLDS = {"jupyter": {"source_hidden": True}, "cellView": "form"}
# What lasts of a cell, beside its tags; whoever has it open folds, scrolls and times it.
LASTING = ("cell_type", "id", "source")


def notebook_of(cells: list[NotebookNode]) -> NotebookNode:
    """A notebook of these cells; its metadata are ipykernel's, but for Python's version."""
    metadata = json.loads(template("metadata.json"))
    return v4.new_notebook(cells=cells, metadata=metadata)


def text_of(notebook: NotebookNode) -> str:
    """The file's content, the same for the same notebook on every machine."""
    nbformat.validate(notebook)
    return nbformat.writes(notebook, version=nbformat.NO_CONVERT) + "\n"


def stored(path: Path) -> NotebookNode | None:
    """The notebook in a file; None where there is none."""
    try:
        found = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    except (OSError, ValueError, AttributeError):
        return None
    return found if {"cells", "metadata"} <= found.keys() else None


def executed(path: Path) -> NotebookNode | None:
    """The notebook in a file, if each of its code cells has been run."""
    notebook = stored(path)
    counts = [cell.execution_count for cell in code_cells(notebook)] if notebook else []
    return None if None in counts else notebook


def same_sources(one: NotebookNode | None, other: NotebookNode) -> TypeGuard[NotebookNode]:
    """Whether a notebook is there, and has the same cells as the other, outputs aside."""
    return one is not None and _sources(one) == _sources(other)


def _sources(notebook: NotebookNode) -> list[tuple]:
    return [(*map(cell.get, LASTING), tags_of(cell)) for cell in notebook.cells]


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tags_of(cell: NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])
