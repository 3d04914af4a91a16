#!/usr/bin/env bash
# A test of nbgrader gives part of its points by ending in a number, say the share of checks that passed. If NumPy has
# computed that number, every answer gets all points, a wholly wrong one too: NumPy 2 writes its scalars as
# `np.float64(0.0)`, which is no number to nbgrader, and a result that is none counts as a success. With float()
# around it the points are right.
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
    "right": "def double(number):\n    return number + number",
    "half right": "def double(number):\n    return number * number",
    "wrong": "def double(number):\n    return number - 1",
}
PASSED = "import numpy as np\n\npassed = np.array([double(2) == 4, double(3) == 6])\n"
SCORES = {
    "np.mean(passed)": PASSED + "4 * np.mean(passed)",
    "float(np.mean(passed))": PASSED + "4 * float(np.mean(passed))",
}


def cell(source, **nbgrader):
    settings = {"schema_version": 3, "cell_type": "code", "task": False}
    return new_code_cell(source, metadata={"nbgrader": {**settings, **nbgrader}})


def nbgrader(*command):
    subprocess.run([sys.executable, "-m", "nbgrader", *command, "--log-level=ERROR"], check=True)


def write(folder, answer):
    """The assignment with this answer, in its folder of the course: one test for each way to write the score."""
    Path(folder, "doubles").mkdir(parents=True)
    cells = [cell(answer, grade_id="answer", solution=True, grade=False, locked=False)]
    for number, score in enumerate(SCORES.values()):
        cells.append(cell(score, grade_id=f"test{number}", solution=False, grade=True, points=4, locked=True))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), Path(folder, "doubles", "doubles.ipynb"))


print(*(f"{name} {version(name)}" for name in ("nbgrader", "ipykernel", "numpy")))
write("source", ANSWERS["right"])
nbgrader("generate_assignment", "doubles")
for student, answer in ANSWERS.items():
    write(f"submitted/{student}", answer)
nbgrader("autograde", "doubles")
points = {}
with Gradebook("sqlite:///gradebook.db") as book:
    for student in ANSWERS:
        grades = {grade.name: grade.score for grade in book.find_submission("doubles", student).notebooks[0].grades}
        points[student] = [grades[name] for name in sorted(grades)]
        print(
            f"{student:10}",
            *(f"{score}: {given:g} of 4 points" for score, given in zip(SCORES, points[student], strict=True)),
            sep="  ",
        )
raise SystemExit(points != {"right": [4, 4], "half right": [4, 2], "wrong": [4, 0]})
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet nbgrader==0.9.6 ipykernel==7.4.0 numpy==2.4.6
mkdir "$folder/course"
cd "$folder/course"
if ! HOME="$folder" PATH="$folder/venv/bin:$PATH" python "$folder/grade.py" 2>"$folder/errors"; then
  cat "$folder/errors" >&2
  echo "This has changed." >&2
  exit 1
fi
