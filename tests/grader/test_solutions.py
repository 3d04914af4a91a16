"""The grader's judge passes every solution of the course, and gives no points for a stub."""

import json
import subprocess
import sys

import pytest

from author.dependencies import digest, graph
from grader.grades import Grade
from grader.sandbox.bubblewrap import bubblewrap
from tests.grader.answers import chapter, stub_cells
from utils.course import ROOT, doable, exercises, stems

GRADES = "grades of {stem}"


@pytest.fixture(scope="module")
def digests():
    """By the name of each proof, the digest of the grader, and of what it judges and lends in this chapter."""
    return {GRADES.format(stem=stem): digest_of(stem) for stem in stems()}


def digest_of(stem):
    known = f"tests.misconceptions.{stem}."
    earlier = [one for one in stems() if one <= stem]
    modules = [f"tests.{stem}", *(f"solutions.{one}" for one in earlier)]
    modules += [name for name in graph().modules if name.startswith(known)]
    asked = [one.symbol for one in doable(exercises(stem))]
    cells = [*stub_cells(stem), *(cell for one in earlier for cell in chapter(one))]
    return digest([__name__, *modules], texts=[*asked, *cells, f"in bubblewrap: {bool(bubblewrap())}"])


@pytest.fixture(scope="module")
def grades(left_out):
    """By chapter, state and symbol, of the solutions and stubs of all chapters that are not left out."""
    chosen = [stem for stem in stems() if GRADES.format(stem=stem) not in left_out]
    if not chosen:
        return {}
    command = [sys.executable, "-m", "tests.grader.solving", "11", *chosen]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=800)
    assert done.returncode == 0, done.stderr
    found = {}
    for stem, state, symbol, row in json.loads(done.stdout):
        found.setdefault((stem, state), {})[symbol] = Grade(**row)
    return found


@pytest.mark.slow
@pytest.mark.proves(GRADES)
@pytest.mark.parametrize("stem", stems())
def test_solutions_pass_and_stubs_are_not_yet(grades, stem):
    symbols = [one.symbol for one in doable(exercises(stem))]
    solved = grades[stem, "solved"]
    assert {symbol: one.status for symbol, one in solved.items()} == dict.fromkeys(symbols, "pass"), _said(solved)
    assert all(one.passed == one.checks > 0 and one.points == one.max_points for one in solved.values())
    unwritten = grades[stem, "unwritten"]
    assert {symbol: one.status for symbol, one in unwritten.items()} == dict.fromkeys(symbols, "not_yet")
    assert all(one.points == 0 for one in unwritten.values())


def _said(grades):
    return "\n".join(one.said for one in grades.values() if one.status != "pass")
