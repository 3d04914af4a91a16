"""nbgrader, otter-grader and plain nbval, each in an environment of its own, at the same notebook.

Each gets the chapter's notebook with the reference answers, and its test cells as what it grades by. What is timed is
the command that an instructor runs, from its start to its end, over its number of submissions.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat

from utils.course import ROOT, exercises
from utils.course.cells import calls, defines

INSTALL = ROOT / ".ci" / "install.py"
OTTER_TEST = """OK_FORMAT = True
test = {{"name": "{symbol}", "points": 1, "suites": [{{"type": "doctest", "scored": True, "setup": "", "teardown": "",
    "cases": [{{"hidden": False, "locked": False, "code": '''>>> import contextlib, io
>>> with contextlib.redirect_stdout(io.StringIO()):
...     {test}({symbol})'''}}]}}]}}
"""


@dataclass(frozen=True)
class Peer:
    """A grader: `prepare` makes its course of a notebook, `grade` grades so many copies of it."""

    name: str
    package: str
    grade: Callable[[Path, Path, str, int], float]  # environment, folder, stem, submissions -> seconds


def environment(peer: Peer, folder: Path) -> Path:
    """Its virtual environment, with the course and the constraints, made where it is missing."""
    place = folder / peer.package
    if not (place / "installed").exists():
        subprocess.run([sys.executable, INSTALL, place, "lab"], check=True, stdout=sys.stderr)
        installing = [sys.executable, "-m", "uv", "pip", "install", "--quiet"]
        subprocess.run([*installing, "--python", place / "bin" / "python", peer.package], check=True)
        (place / "installed").touch()
    return place / "bin"


def solved(stem: str) -> nbformat.NotebookNode:
    """The chapter's notebook with the reference answers; of the rest the set-up and the test cells."""
    notebook = nbformat.read(ROOT / "solutions" / f"{stem}.ipynb", as_version=4)
    found = exercises(stem)

    def is_kept(index: int, source: str) -> bool:
        answers = any(defines(source, one.symbol) for one in found)
        return index == 0 or answers or any(calls(source, one.test, one.symbol) for one in found) or "import" in source

    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    notebook.cells = [cell for index, cell in enumerate(code) if is_kept(index, cell.source)]
    for cell in notebook.cells:
        cell.outputs, cell.execution_count = [], None
    return notebook


def nbval(bin: Path, folder: Path, stem: str, submissions: int) -> float:
    """Plain nbval, as it judged this course before: without the course's plugin."""
    for number in range(submissions):
        nbformat.write(solved(stem), folder / f"{stem}_{number}.ipynb")
    arguments = ["-m", "pytest", "-q", "--nbval-lax", "--nbval-current-env", "-p", "no:gpt-from-scratch", "--rootdir=."]
    return timed([bin / "python", *arguments, "-c", os.devnull, "."], folder)


def nbgrader(bin: Path, folder: Path, stem: str, submissions: int) -> float:
    """`nbgrader autograde`: all submissions in one command."""
    source = folder / "source" / stem
    source.mkdir(parents=True)
    nbformat.write(_for_nbgrader(stem), source / f"{stem}.ipynb")
    (folder / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'gpt'\n")
    run([bin / "nbgrader", "generate_assignment", stem], folder)
    for number in range(submissions):
        shutil.copytree(folder / "release" / stem, folder / "submitted" / f"student{number}" / stem)
    seconds = timed([bin / "nbgrader", "autograde", stem], folder)
    graded = list((folder / "autograded").glob(f"*/{stem}/{stem}.ipynb"))
    assert len(graded) == submissions, "nbgrader did not grade them all"
    return seconds


def _for_nbgrader(stem: str) -> nbformat.NotebookNode:
    """Test cells are graded and locked, answers are solutions whose text stays as it is."""
    notebook = solved(stem)
    for number, cell in enumerate(notebook.cells):
        is_test = any(calls(cell.source, one.test, one.symbol) for one in exercises(stem))
        about = {"grade": is_test, "solution": False, "locked": is_test, "task": False, "schema_version": 3}
        if is_test:
            cell.metadata["nbgrader"] = about | {"grade_id": f"cell{number}", "points": 1}
    return notebook


def otter(bin: Path, folder: Path, stem: str, submissions: int) -> float:
    """`otter run`, which grades one submission and needs no container; started once for each."""
    tests = folder / "tests_of_otter"
    tests.mkdir()
    for one in exercises(stem):
        (tests / f"{one.symbol}.py").write_text(OTTER_TEST.format(symbol=one.symbol, test=one.test))
    nbformat.write(solved(stem), folder / f"{stem}.ipynb")
    about = ["--no-config", "--no-requirements", "--no-environment", "-o", "autograder.zip"]
    run([bin / "otter", "generate", "-t", tests.name, *about], folder)
    command = [bin / "otter", "run", "-a", "autograder.zip", "--no-logo", f"{stem}.ipynb"]
    seconds = sum(timed(command, folder) for _ in range(submissions))
    results = json.loads((folder / "results.json").read_text())
    scores = [one.get("score") for one in results["tests"]]
    assert sum(score or 0 for score in scores) >= len(exercises(stem)), f"otter graded {scores}"
    return seconds


def run(command: list[object], folder: Path) -> None:
    """Run it there; what it says is shown where it fails."""
    path = f"{Path(str(command[0])).parent}{os.pathsep}{os.environ['PATH']}"
    surroundings = os.environ | {"PATH": path, "OMP_NUM_THREADS": "1", "COURSE_PROGRESS": "hidden"}
    done = subprocess.run(list(map(str, command)), cwd=folder, env=surroundings, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")


def timed(command: list[object], folder: Path) -> float:
    """Seconds by the clock."""
    began = time.perf_counter()
    run(command, folder)
    return time.perf_counter() - began


PEERS = [
    Peer("pytest --nbval-lax", "nbval", nbval),
    Peer("nbgrader autograde", "nbgrader", nbgrader),
    Peer("otter run", "otter-grader", otter),
]
