"""The course's notebooks and their files: made, read, and compared without what opening or running one changes in it.

Each has what it needs to run in Google Colab: a badge that opens it there, and a cell that fetches the course.
"""

import copy
import json
from pathlib import Path
from typing import TypeGuard

import nbformat
from nbformat import NotebookNode, v4

from author.filling import filled, template
from utils.course import branch, repository
from utils.course.links import colab_address

# The metadata of a closed cell: JupyterLab and VS Code read the one, Colab the other.
FOLDS = {"jupyter": {"source_hidden": True}, "cellView": "form"}
# That of a heading whose section is closed: JupyterLab reads it, and Colab the notebook's list of such cells.
FOLDS_SECTION = {"jp-MarkdownHeadingCollapsed": True}
# What lasts of a cell, beside its tags; whoever has it open folds, scrolls and times it.
LASTING = ("cell_type", "id", "source")
# Of the cell that fetches the course in Colab.
TAG = "colab"
IMAGE = "https://colab.research.google.com/assets/colab-badge.svg"


def notebook_of(cells: list[NotebookNode]) -> NotebookNode:
    """A notebook of these cells; its metadata are ipykernel's, but for Python's version."""
    metadata = json.loads(template("metadata.json"))
    if closed := [cell.id for cell in cells if FOLDS_SECTION.items() <= cell.metadata.items()]:
        metadata["colab"] = {"collapsed_sections": closed}
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


def badge(repository: str, branch: str, path: str) -> str:
    """Markdown for a badge that opens the notebook at `path` in Colab."""
    address = colab_address(repository, branch, path)
    return f"[![Open in Colab]({IMAGE})]({address})"


def clone_cell(repository: str, branch: str) -> str:
    """The code of a notebook's first code cell.

    It stands alone until the course is there; from then on utils.learner.colab does the work. The course is put first
    on sys.path because IPython 7.34, Colab's, brings a package `tests` of its own. An interrupted fetch leaves
    `.partial`.
    """
    _, name = repository.split("/")
    names = {"OWNER/NAME": repository, "NAME": name, "BRANCH": branch}
    return filled(template("clone_cell.py"), names)


def add_colab(cells: list[NotebookNode], stem: str, path: str, root: Path) -> None:
    """Give a notebook its badge, under its heading, and after that the cell; without a repository it stays as it is."""
    name = repository(root)
    if name is None:
        return
    place = name, branch(root)
    kinds = [cell.cell_type for cell in cells]
    first = kinds.index("markdown") if "markdown" in kinds else 0
    heading, _, rest = cells[first].source.partition("\n")
    parts = (heading, badge(*place, path), rest.strip("\n"))
    cells[first].source = "\n\n".join(filter(None, parts))
    fetching = v4.new_code_cell(
        clone_cell(*place), id=f"{stem}-colab-clone", metadata={"tags": [TAG], **copy.deepcopy(FOLDS)}
    )
    cells.insert(first + 1, fetching)
