"""A tiny course as it was released, as a learner has worked in it, and as it is released next; for tests of updates."""

import json
from pathlib import Path

from utils.releasing.manifest import MANIFEST, course_files, manifest_of, text_of
from utils.releasing.updating import update

STEM = "ch90_mini"
CHAPTER = f"chapters/{STEM}.ipynb"
STUB = 'def double(number):\n    """Twice."""\n    raise NotImplementedError("double: write this part")'
ANSWER = 'def double(number):\n    """Twice."""\n    return 2 * number'
COUNTER = 'class Counter:\n    def next(self):\n        raise NotImplementedError("Counter.next: write this part")'
TESTS = "def test_double(double):\n    pass\n\n\ndef test_counter(Counter):\n    pass\n"
FILES = {
    "pyproject.toml": '[project]\nname = "mini"\nversion = "1.0"\n',
    f"tests/{STEM}.py": TESTS,
    "tests/__init__.py": "",
    "utils/__init__.py": "",
    "utils/tool.py": "ONE = 1\n",
}


def cell(name, source, kind="code", **more):
    """One cell as it stands in the file."""
    made = {"cell_type": kind, "id": f"{STEM}-{name}", "metadata": {}, "source": source, **more}
    return {"execution_count": None, "outputs": [], **made} if kind == "code" else made


def prose(name, text):
    return cell(name, text, "markdown")


def chapter():
    """The cells as they are released first."""
    return [
        prose("start-1", "# 90 · Mini"),
        cell("start-2", "import math"),
        prose("double-1", "## Exercise: `double`"),
        cell("double-2", STUB),
        cell("double-3", "test_double(double)"),
        cell("Counter-1", COUNTER),
        cell("Counter-2", "test_counter(Counter)"),
        prose("end-1", "## The end"),
    ]


def written(cells):
    """The file of a notebook."""
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def course(root: Path, notebooks=None, version="1.0", **files):
    """Write a release into this folder; the other files by their names, with / as __."""
    named = {name.replace("__", "/").replace("_py", ".py"): text for name, text in files.items()}
    content = {**FILES, "pyproject.toml": FILES["pyproject.toml"].replace("1.0", version), **named}
    for name, cells in (notebooks or {CHAPTER: chapter()}).items():
        content[name] = written(cells)
    for name, text in content.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    manifest = manifest_of(root, course_files(root), version, "", True)
    (root / MANIFEST).write_text(text_of(manifest), encoding="utf-8")
    return root


def work(root: Path, cells, name=CHAPTER):
    """What a learner has made of a notebook."""
    (root / name).write_bytes(written(cells).encode())


def cells_of(root: Path, name=CHAPTER):
    return json.loads((root / name).read_bytes())["cells"]


def sources(root: Path, name=CHAPTER):
    """The texts of a notebook's cells."""
    return ["".join(one["source"]) for one in cells_of(root, name)]


def updated(root: Path, release, **options):
    """Bring the folder to the release; the lines that it says."""
    return "\n".join(update(str(release), root, **options)).split("\n")


def everything(root: Path):
    """All files of a folder with their content."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
