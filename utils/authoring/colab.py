"""What a notebook needs to run in Google Colab: a badge that opens it there, and a cell that fetches the course."""

TAG = "colab"  # of the cell that fetches the course
IMAGE = "https://colab.research.google.com/assets/colab-badge.svg"

CLONE_CELL = """\
# Google Colab only: fetch the course and install what it needs. Anywhere else this cell does nothing.
import sys

if "google.colab" in sys.modules:
    import importlib.metadata
    import site
    import subprocess
    from pathlib import Path

    course = Path("/content/{name}")
    if not course.exists():
        subprocess.run(["git", "clone", "--depth", "1", "https://github.com/{repository}", str(course)], check=True)
    keep = course / "colab-torch.txt"  # Colab's own torch fits its GPU, so pip must leave it as it is
    keep.write_text(f"torch=={{importlib.metadata.version('torch')}}")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "-c", str(keep), "-r", "requirements.txt", "-e", "."]
    subprocess.run(install, cwd=course, check=True)
    for folder in site.getsitepackages():
        site.addsitedir(folder)  # a running kernel does not see a new editable install by itself"""


def badge(repository: str, path: str) -> str:
    """Markdown for a badge that opens the notebook at `path` of "owner/name" in Colab."""
    return f"[![Open in Colab]({IMAGE})](https://colab.research.google.com/github/{repository}/blob/main/{path})"


def clone_cell(repository: str) -> str:
    """The code of a notebook's first code cell."""
    return CLONE_CELL.format(repository=repository, name=repository.split("/")[1])
