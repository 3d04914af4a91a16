"""What opening or running a notebook changes in its file, left out, so that it is not called out of date for that."""

import copy
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from utils.authoring.rendering import METADATA, text_of

OURS = {"tags"}  # of a cell's metadata; whoever has it open folds, scrolls and times it as they like


def stored(path: Path) -> NotebookNode | None:
    """The notebook in a file; None where there is none."""
    try:
        return nbformat.read(path, as_version=nbformat.NO_CONVERT)
    except (OSError, ValueError, AttributeError):
        return None


def sources(notebook: NotebookNode) -> str | None:
    """A notebook as text without its outputs and what else opening and running it change; None for no notebook."""
    built = copy.deepcopy(notebook)
    built.metadata = NotebookNode(copy.deepcopy(METADATA))
    try:
        for cell in built.cells:
            cell.metadata = NotebookNode({key: cell.metadata[key] for key in OURS & cell.metadata.keys()})
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        built.nbformat_minor = nbformat.v4.nbformat_minor
        return text_of(built)
    except (ValueError, AttributeError):
        return None


def same_sources(path: Path, built: NotebookNode) -> bool:
    """Whether the notebook stored there is the one that `build` makes, outputs aside."""
    found = stored(path)
    return found is not None and sources(found) == sources(built)


def executed(path: Path) -> NotebookNode | None:
    """The notebook in a file, if each of its code cells has been run."""
    found = stored(path)
    whole = found and all(cell.execution_count is not None for cell in found.cells if cell.cell_type == "code")
    return found if whole else None
