"""`python -m utils grade`: a whole class of made-up learners, what is written of it, and what is said of a mistake."""

import csv
import json
import re
import shutil
import sys
from functools import partial

import pytest

from tests.grader.answers import chapter, write_submission
from tests.grader.classes import SHARES, write_class
from tests.grader.ready import SEED, program, ready
from tests.grader.test_killed import rows
from utils.course import exercises

pytestmark = pytest.mark.slow
STEM = "ch04_attention"


started = partial(program, "utils")


@pytest.fixture(scope="module")
def run():
    """Runs a command as one starts it, but in a Python that has imported what it takes."""
    with ready(STEM, SEED) as run:
        yield run


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class that was graded once, by the command itself; the folder with all that was written, and what it said."""
    folder = tmp_path_factory.mktemp("graded")
    learners = write_class(folder / "class", STEM, 16, seed=2, at_least=1)
    assert {one.kind for one in learners} == {"right", *SHARES}
    return folder, learners, grade(started, folder, "--html", folder / "report", "--csv", folder / "grades.csv")


def grade(run, folder, *options):
    book = ("--gradebook", folder / "grades.sqlite", "--seed", SEED)
    done = run("grade", folder / "class", "--chapters", STEM, *book, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def fits(learner, status, wanted):
    """A wrong answer is told by a check or by an error that it raises."""
    return status == wanted or (learner.kind == "wrong" and (wanted, status) == ("fail", "error"))


def test_everybody_gets_what_is_due(graded):
    folder, learners, _ = graded
    found = {(row["submission"], row["symbol"]): row for row in rows(folder / "grades.sqlite")[0]}
    assert len(found) == sum(len(learner.status) for learner in learners)
    odd = {
        (learner.name, learner.kind, symbol): (wanted, found[learner.name, symbol]["status"])
        for learner in learners
        for symbol, wanted in learner.status.items()
        if not fits(learner, found[learner.name, symbol]["status"], wanted)
    }
    assert not odd


def test_what_is_written_has_everybody(graded):
    folder, learners, said = graded
    with (folder / "grades.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert len(table) == len(exercises(STEM)) * len(learners) and {row["seed"] for row in table} == {"7"}
    assert {path.stem for path in (folder / "report" / "learners").iterdir()} == {one.name for one in learners}
    assert f"{len(learners)} graded, 0 unchanged" in said and f"{len(learners)} submissions:" in said


def test_a_second_run_grades_what_has_changed_alone(graded, run, tmp_path):
    others, learners, _ = graded
    folder = shutil.copytree(others, tmp_path / "copy")
    before = rows(folder / "grades.sqlite")[0]
    assert f"0 graded, {len(learners)} unchanged" in grade(run, folder)
    assert rows(folder / "grades.sqlite")[0] == before
    new = folder / "class" / "newcomer"
    write_submission(new / f"{STEM}.ipynb", chapter(STEM))
    assert f"1 graded, {len(learners)} unchanged" in grade(run, folder)
    shutil.rmtree(new)
    assert f"{len(learners)} graded, 0 unchanged" in grade(run, folder, "--cpu-seconds", 1, "--workers", 1)
    assert len(rows(folder / "grades.sqlite")[0]) == len(before) + len(exercises(STEM)), "nobody's grades are dropped"


def test_one_grade_is_repeated_and_explained(graded, run):
    folder, _, _ = graded
    row = next(row for row in rows(folder / "grades.sqlite")[0] if row["status"] == "fail")
    path = folder / "class" / row["submission"]  # as reports call it: a zip has another name
    done = run("grade", path, "--exercise", row["symbol"], "--seed", row["seed"])
    assert done.returncode == 1
    assert row["said"] in done.stdout and "fail (a check does not hold), seed 7" in done.stdout


def test_without_chapters_those_handed_in_are_graded(tmp_path, run):
    write_submission(tmp_path / "class" / "ada" / f"{STEM}.ipynb", chapter(STEM))
    book, table = tmp_path / "grades.sqlite", tmp_path / "grades.csv"

    def graded(*options):
        done = run("grade", tmp_path / "class", "--gradebook", book, "--csv", table, *options)
        assert done.returncode == 0, done.stderr
        with table.open(encoding="utf-8") as file:
            return {row["stem"] for row in csv.DictReader(file)}

    assert graded() == {STEM}
    assert graded("--chapters", "ch03_layernorm") == {"ch03_layernorm"}
    assert graded() == {"ch03_layernorm", STEM}, "what has been graded is reported too"


def test_a_roster_and_a_deadline_drop_nobody(graded, run):
    folder, learners, _ = graded
    roster = folder / "roster.csv"
    roster.write_text("person,submission,email\nAda,learner-000,ada@example.org\nEve,nobody,eve@example.org\n")
    canvas, moodle = folder / "canvas.csv", folder / "moodle.csv"
    files = ("--roster", roster, "--canvas", canvas, "--moodle", moodle)
    said = grade(run, folder, *files, "--deadline", "2020-01-01", "--partial")
    assert "Eve: no submission." in said and "learner-001: nobody in the roster." in said
    text = canvas.read_text(encoding="utf-8")
    assert text.count("\nlearner-") == len(learners) - 1 and "\nAda," in text and "Eve" not in text
    assert re.search(r"moodle\.csv has no row for \d+ of the people", said)
    assert [line.split(",")[0] for line in moodle.read_text(encoding="utf-8").splitlines()] == ["Full name", "Ada"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["nowhere"], "There is no nowhere."),
        ([".", "--chapters", "ch99_none"], "There is no chapter ch99_none."),
        ([".", "--exercise", "LayerNrm"], "No exercise is called LayerNrm. Did you mean LayerNorm?"),
        ([".", "--deadline", "soon"], "--deadline soon is no time"),
        ([".", "--workers", "0"], "--workers is a number from 1 up."),
        ([".", "--require-sandbox", "--no-sandbox"], "exclude each other"),
    ],
)
def test_a_mistake_is_said_before_anything_is_graded(run, options, said):
    done = run("grade", *options)
    assert done.returncode == 1 and re.search(re.escape(said), done.stderr), done.stderr


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="knows what is written here")
def test_who_is_not_graded_is_told_with_the_reason_and_graded_by_the_next_run(run, tmp_path):
    path = {name: tmp_path / "class" / f"{name}.ipynb" for name in ("ada", "bob", "cyd", "dan")}
    of_the_course = chapter(STEM)
    for one in path.values():
        write_submission(one, [*of_the_course, "def softmax(x, dim=-1):\n    return t'{x}'"])
    words = ("grade", tmp_path / "class", "--chapters", STEM, "--gradebook", tmp_path / "grades.sqlite")
    done = run(*words)
    first, ada, *others, more = done.stderr.splitlines()
    assert done.returncode == 1 and first.startswith("Not graded: 4.") and len(others) == 2
    assert ada.startswith("  ada, softmax: ") and "is Python from 3.14 on" in ada
    assert more == "1 more: why stands on their pages and in --junit's file."
    for one in path.values():
        write_submission(one, of_the_course)
    again = run(*words)
    assert (again.returncode, again.stderr) == (0, "") and "4 graded, 0 unchanged" in again.stdout


def test_a_mistake_is_one_of_the_command_too():
    """As one starts it: what is said stands where errors do, and the exit status is that of a mistake."""
    done = started("grade", ".", "--workers", "0")
    assert (done.returncode, done.stdout) == (1, "") and done.stderr == "--workers is a number from 1 up.\n"


def test_the_class_says_what_is_due(tmp_path):
    write_class(tmp_path / "class", STEM, 5)
    assert len(json.loads((tmp_path / "class.json").read_text(encoding="utf-8"))) == 5
