"""What a notebook needs to run in Google Colab: a badge that opens it there, and a cell that fetches the course."""

import copy
from pathlib import Path

from nbformat import NotebookNode, v4

from author.filling import filled, template
from author.notebooks import FOLDS
from utils.course import branch, repository
from utils.course.links import colab_address

# of the cell that fetches the course
TAG = "colab"
IMAGE = "https://colab.research.google.com/assets/colab-badge.svg"


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
