"""The engine needs no GPT: a course in plain Python and NumPy is built, verified, repaired and judged behind a wall."""

import json
import os
import subprocess
import sys

import pytest

from tests.author.plain_course import write_plain_course
from utils.course import ROOT

# In a Python of its own, in whose path the course in the folder stands before the engine's.
WORK = '''
import json, subprocess, sys
from pathlib import Path

from author.building import build, check
from author.verifying import verify_exercise
from judge.checking import use_runner
from utils.course import exercises
from judge.running.far_side import receive, send

root = Path.cwd()
told = {"built": list(build("ch90_mini", root)), "stale": check("ch90_mini", root)}
rows = [verify_exercise(one, root) for one in exercises("ch90_mini", root)]
told["proved"] = {row.exercise.symbol: row.marks for row in rows}
told["reasons"] = [reason for row in rows for reason in row.reasons]

from judge.repairing import find_repair, search, trying
from tests.ch90_mini import counting, keeping, scaling
import solutions.ch90_mini as solutions

search.WORK, trying.SLOW = 60.0, 1.0
CELL = """
def standardise(table):
    centred = table - table.mean(axis=0)
    return centred / np.sqrt((centred**3).mean(axis=0))
"""
names = {"np": solutions.np}
exec(CELL, names)
verdict = scaling.judge(names["standardise"])
repair = find_repair(scaling, verdict, CELL, names)
told["card"] = str(verdict)
told["repair"] = repair and (repair.before, repair.after)


far = subprocess.Popen(
    [sys.executable, "-P", "-m", "judge.running.far_side"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
)


class Wall:
    """Asks a component that lives in the other process."""

    def __init__(self, **where):
        self.where = where

    def ask(self, component, question):
        return self.ask_all(component, [question])[0]

    def ask_all(self, component, questions):
        send(far.stdin, (self.where, list(questions)))
        return receive(far.stdout)


def behind_the_wall(exercise, **where):
    with use_runner(Wall(**where)):
        return str(exercise.judge(object()))


told["behind"] = {
    one.symbol: behind_the_wall(one, module="solutions.ch90_mini", name=one.symbol).splitlines()[0]
    for one in (counting, keeping, scaling)
}
cell = f"import numpy as np{CELL}"
told["same card behind"] = behind_the_wall(scaling, source=cell, name="standardise") == told["card"]
LOADED = "import sys\\ndef loaded():\\n    return sorted(sys.modules)"
from judge.running.records import Question
told["far side"] = Wall(source=LOADED, name="loaded").ask(None, Question("function")).output
far.stdin.close()
far.wait()
told["here"] = sorted(sys.modules)
print(json.dumps(told))
'''


pytestmark = pytest.mark.journey


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    root = write_plain_course(tmp_path_factory.mktemp("plain"))
    path = os.pathsep.join((str(root), str(ROOT)))
    surroundings = os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-P", "-c", WORK]
    done = subprocess.run(command, cwd=root, env=surroundings, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_course_without_torch_is_built_and_proved(told):
    assert told["built"] == ["chapters/ch90_mini.ipynb: written", "solutions/ch90_mini.ipynb: executed"]
    assert told["stale"] == told["reasons"] == []
    assert set(told["proved"]) == {"count_words", "Recent", "standardise"}


def test_a_slip_in_it_is_mended(told):
    assert told["repair"] == ["centred**3", "centred ** 2"], told["card"]


def test_it_is_judged_behind_a_wall_as_here(told):
    assert told["behind"] == {"count_words": "✔ count_words", "Recent": "✔ Recent", "standardise": "✔ standardise"}
    assert told["same card behind"]


@pytest.mark.parametrize("side", ["here", "far side"])
def test_nothing_of_this_course_was_imported(told, side):
    assert "judge.running" in told[side]
    rooms = {name.split(".")[1] for name in told[side] if name.startswith("utils.")}
    assert rooms <= {"course", "learner"}
