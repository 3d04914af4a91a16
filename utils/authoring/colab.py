"""What a notebook needs to run in Google Colab: a badge that opens it there, and a cell that fetches the course."""

import copy
from pathlib import Path

from nbformat import NotebookNode, v4

from utils.authoring.source import FOLDS
from utils.course import ROOT, branch, repository
from utils.links import colab_address

TAG = "colab"  # of the cell that fetches the course
IMAGE = "https://colab.research.google.com/assets/colab-badge.svg"

# It stands alone until the course is there; from then on utils.learner.colab does the work. The course is put first on
# sys.path because IPython 7.34, Colab's, brings a package `tests` of its own. An interrupted fetch leaves `.partial`.
CLONE_CELL = """\
# @title In Google Colab, run this cell first: it fetches the course. Elsewhere it does nothing.
import sys

keep_on_drive = False  # @param {{type:"boolean"}}

if "google.colab" in sys.modules:
    import shutil
    import subprocess
    from pathlib import Path

    course, partial = Path("/content/{name}"), Path("/content/{name}.partial")
    if not course.exists():
        print("Fetching the course, about half a minute. This happens once for a runtime.", flush=True)
        shutil.rmtree(partial, ignore_errors=True)
        source = "https://github.com/{repository}"
        git = ["git", "clone", "--quiet", "--depth", "1", "--branch", "{branch}", source, str(partial)]
        fetched = subprocess.run(git, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if fetched.returncode:
            advice = "Run this cell again; if it stays so, this runtime has no network, or the address is wrong."
            raise ConnectionError(f"{{source}} could not be fetched. {{advice}}\\n{{fetched.stderr}}")
        partial.rename(course)
    sys.path.insert(0, str(course))
    from utils.learner.colab import prepare

    prepare(keep_on_drive)"""


def badge(path: str, root: Path = ROOT) -> str | None:
    """Markdown for a badge that opens the notebook at `path` in Colab; None where no repository is configured."""
    name = repository(root)
    return f"[![Open in Colab]({IMAGE})]({colab_address(name, branch(root), path)})" if name else None


def clone_cell(root: Path = ROOT) -> str | None:
    """The code of a notebook's first code cell; None where no repository is configured."""
    name = repository(root)
    return CLONE_CELL.format(repository=name, name=name.split("/")[1], branch=branch(root)) if name else None


def add_colab(cells: list[NotebookNode], stem: str, path: str, root: Path = ROOT) -> None:
    """Give a notebook its badge, under its heading, and after that the cell; without a repository it stays as it is."""
    mark, code = badge(path, root), clone_cell(root)
    if mark is None or code is None:
        return
    first = next((index for index, cell in enumerate(cells) if cell.cell_type == "markdown"), 0)
    heading, _, rest = cells[first].source.partition("\n")
    cells[first].source = "\n\n".join(part for part in (heading, mark, rest.strip("\n")) if part)
    metadata = {"tags": [TAG], **copy.deepcopy(FOLDS)}
    cells.insert(first + 1, v4.new_code_cell(code, id=f"{stem}-colab-clone", metadata=metadata))
