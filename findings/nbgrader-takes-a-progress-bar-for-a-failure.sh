#!/usr/bin/env bash
# nbgrader gives no points for a test that passes and writes something to stderr. That is where a warning goes, what
# `logging` says, and tqdm's progress bar: a right answer that shows its progress gets the 0 of a wrong one, and the
# gradebook does not say why. `print` costs nothing. Some kernels report errors on stderr alone, so for every kernel
# stderr counts as an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/grade.py" <<'END'
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.api import Gradebook

ANSWERS = {
    "plain": "def total(numbers):\n    return sum(numbers)",
    "prints": "def total(numbers):\n    print('adding')\n    return sum(numbers)",
    "progress": "from tqdm import tqdm\n\ndef total(numbers):\n    return sum(tqdm(numbers))",
    "logs": "import logging\n\ndef total(numbers):\n    logging.warning('adding')\n    return sum(numbers)",
    "warns": "import warnings\n\ndef total(numbers):\n    warnings.warn('slow')\n    return sum(numbers)",
    "wrong": "def total(numbers):\n    return 0",
}


def cell(source, **nbgrader):
    settings = {"grade_id": "answer", "schema_version": 3, "cell_type": "code", "task": False, "locked": False}
    return new_code_cell(source, metadata={"nbgrader": {**settings, **nbgrader}})


def nbgrader(*command):
    subprocess.run([sys.executable, "-m", "nbgrader", *command, "--log-level=ERROR"], check=True)


def write(folder, answer):
    """The assignment with this answer, in its folder of the course."""
    Path(folder, "sums").mkdir(parents=True)
    cells = [
        cell(answer, solution=True, grade=False),
        cell("assert total([1, 2, 3]) == 6", solution=False, grade=True, grade_id="test", points=2, locked=True),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), Path(folder, "sums", "sums.ipynb"))


print(*(f"{name} {version(name)}" for name in ("nbgrader", "ipykernel", "tqdm")))
write("source", ANSWERS["plain"])
nbgrader("generate_assignment", "sums")
for student, answer in ANSWERS.items():
    write(f"submitted/{student}", answer)
nbgrader("autograde", "sums")
with Gradebook("sqlite:///gradebook.db") as book:
    points = {student: book.find_submission("sums", student).score for student in ANSWERS}
for student, score in points.items():
    print(f"{student:9} {score:g} of 2 points")
raise SystemExit(points != {"plain": 2, "prints": 2, "progress": 0, "logs": 0, "warns": 0, "wrong": 0})
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet nbgrader==0.9.6 ipykernel==7.4.0 tqdm==4.70.1
mkdir "$folder/course"
cd "$folder/course"
if ! HOME="$folder" PATH="$folder/venv/bin:$PATH" python "$folder/grade.py" 2>"$folder/errors"; then
  cat "$folder/errors" >&2
  echo "This has changed." >&2
  exit 1
fi
