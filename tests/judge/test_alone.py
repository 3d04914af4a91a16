"""The judge is a library of its own: of plain Python it judges where nothing else is installed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.fresh_python import fresh_python
from utils.course import ROOT

README = (ROOT / "judge" / "README.md").read_text(encoding="utf-8")
ABSENT = ("torch", "numpy", "jax", "pandas", "jaxtyping", "einops", "IPython", "utils", "tests", "solutions", "grader")
ANSWERS = """
import inspect, json, math, sys
from judge import CheckFailed
from judge.repairing import find_repair
from mini_course import longest_exercise, shares, Shelf, test_longest, test_shares, test_shelf


def longest(words):
    best = ""
    for word in words:
        if len(word) >= len(best):
            best = word
    return best


def right(words):
    best = words[0]
    for word in words[1:]:
        best = word if len(word) > len(best) else best
    return best


def last_of_several(words):
    return sorted(words, key=len)[-1]


def alphabet(words):
    return sorted(words)[-1]


def raising(words):
    return words[len(words)]


def misspelling(words):
    return max(words, key=lambda word: math.sqr(len(word)))


def endless(words):
    while words:
        best = words[0]


def emptying(counts):
    total = sum(counts.values())
    return {name: counts.pop(name) / total for name in list(counts)} if total else {}[total]


class FirstOut:
    def __init__(self, books):
        self.books = [*books]

    def put(self, book):
        self.books += [book]
        return len(self.books)

    def take(self):
        first, *self.books = self.books
        return first


WRITTEN = right, last_of_several, alphabet, raising, misspelling, endless


def card(test, answer):
    try:
        test(answer)
    except CheckFailed as failed:
        return str(failed)
    return "passed"


cards = {one.__name__: card(test_longest, one) for one in WRITTEN}
cards |= {"shares": card(test_shares, shares), "emptying": card(test_shares, emptying)}
cards |= {"Shelf": card(test_shelf, Shelf), "FirstOut": card(test_shelf, FirstOut)}
names = {"__name__": "__main__"}
cell = inspect.getsource(longest)
exec(cell, names)
repair = find_repair(longest_exercise, longest_exercise.judge(names["longest"]), cell, names)
print(json.dumps([cards, repair and repair.after, sorted(sys.modules)]))
"""
SAID = {
    "last_of_several": "✘ of several, gives the first",
    "alphabet": "The cause: the alphabet. This is the word that the alphabet has last.",
    "raising": "IndexError: list index out of range",
    "misspelling": "`math` has no `sqr`; the nearest name is `sqrt`.",
    "endless": "so it was stopped",
    "emptying": "✘ leaves the counts as they were",
    "FirstOut": "The cause: first in, first out.",
}


def ran(folder: Path, file: str, **environment: str) -> str:
    """What a program in this folder prints, which has the judge but not the rest of the course."""
    (folder / "here").mkdir()
    (folder / "here" / "judge").symlink_to(ROOT / "judge")
    path = {"PYTHONPATH": os.pathsep.join([str(folder / "absent"), str(folder / "here")])}
    command = [sys.executable, file]
    environment = {**os.environ, **path, **environment}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_plain_python_is_judged_where_no_library_can_be_imported(tmp_path):
    (tmp_path / "absent").mkdir()
    for name in ABSENT:
        (tmp_path / "absent" / f"{name}.py").write_text(f"raise ImportError('there is no {name} here')")
    (tmp_path / "mini_course.py").write_text(Path(__file__).with_name("mini_course.py").read_text(encoding="utf-8"))
    (tmp_path / "answers.py").write_text(ANSWERS)
    *_, last = ran(tmp_path, "answers.py", COURSE_SECONDS="0.3").splitlines()
    cards, mended, imported = json.loads(last)
    assert [name for name, card in cards.items() if card == "passed"] == ["right", "shares", "Shelf"]
    assert {name: said for name, said in SAID.items() if said not in cards[name]} == {}
    assert mended == "len(word) > len(best)"
    assert not {*ABSENT} & {*imported}


@pytest.mark.slow
def test_nothing_else_is_imported_where_it_is_installed(tmp_path):
    """Nor is there long to wait: it takes a tenth of a second, and torch takes two."""
    (tmp_path / "program.py").write_text(
        "import sys, time\n"
        "began = time.process_time()\n"
        "from judge import Exercise, check_agrees, line\n"
        "print(time.process_time() - began, *sys.modules)"
    )
    took, *imported = ran(tmp_path, "program.py").split()
    assert float(took) < 0.3 and not {*ABSENT} & {*imported}


@pytest.mark.slow
def test_what_shows_grades_and_makes_exercises_needs_no_library_either():
    """Those of a chapter come with its tests, or with what a box is warmed by."""
    code = """
import sys
from importlib.abc import MetaPathFinder

class Refusing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "numpy", "jax", "jaxtyping", "einops"):
            raise ImportError(f"{name} is not needed here")

sys.meta_path.insert(0, Refusing())
import judge.repairing, judge.running.far_side
import utils.setup, utils.learner.reporter, utils.learner.predictions, utils.learner.terminal
import grader.command, grader.jobs, grader.fork_items, grader.nbval_plugin, grader.sandbox.opening
import author.building, author.mutants, author.proofs
print("all imported")
"""
    assert fresh_python(code).stdout == "all imported\n"


@pytest.mark.slow
def test_the_course_in_the_readme_runs_as_printed(tmp_path):
    course, answer = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (tmp_path / "course.py").write_text(course)
    (tmp_path / "answer.py").write_text(answer)
    assert f"```text\n{ran(tmp_path, 'answer.py')}```" in README
