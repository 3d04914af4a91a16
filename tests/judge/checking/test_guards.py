"""judge.checking.guard: a misconception is said of code whose source shows it, and of other code what is true of it."""

import json
import zipfile

import pytest
import torch

from judge.checking import Exercise, check_agrees, line
from judge.checking.code import Code
from judge.checking.guard import ALWAYS, Guard
from judge.checking.judging import judge
from judge.checking.known import recalled
from judge.checking.recorded import INDEX, Archive
from utils.course import CourseError
from utils.releasing.leaks import NOTHING_LEFT
from utils.releasing.recording import record

X = torch.arange(1.0, 6.0)


def tripled(x):
    """The reference solution."""
    return 3 * x


SORTED = Exercise(inputs={"x": "pos"}, output="pos", solution=__name__)
OTHERWISE = "The order of the numbers stays: put none in another place."


@SORTED.misconception("sorted", "Leave `sort` out.", said_of="sort", otherwise=OTHERWISE)
def by_sort(x):
    return (3 * x).sort(descending=True).values


@SORTED.also("sorted")
def by_argsort(x):
    return 3 * x[x.argsort(descending=True)]


@SORTED.misconception("the numbers rounded", "Leave `round` out.", said_of=r"\bround\(", not_of="float")
def by_round(x):
    return (3 * x).round() + 1.0


@SORTED.test
def judge_tripled(tripled):
    with line("triples x"):
        check_agrees(tripled, X)


def said_of(component):
    failure = judge(SORTED, (component,), 0).failure
    return failure.misconception, failure.advice


def by_flip(x):  # sort, says the comment
    """Neither sort nor argsort."""
    return (3 * x).flip(0)


def one_more(x):
    return 3 * x + 1


def rounded_as_float(x):
    return (3 * x).round().float() + 1


@pytest.mark.parametrize(
    ("component", "said"),
    [
        (by_sort, ("sorted", "Leave `sort` out.")),
        (by_argsort, ("sorted", "Leave `sort` out.")),
        (by_flip, (None, OTHERWISE)),
        (by_round, ("the numbers rounded", "Leave `round` out.")),
        (eval("lambda x: (3 * x).flip(0)"), (None, OTHERWISE)),  # whose source can't be read
    ],
)
def test_a_cause_is_said_of_the_code_that_shows_it(component, said):
    assert said_of(component) == said


@pytest.mark.parametrize("component", [one_more, rounded_as_float, eval("lambda x: (3 * x).round() + 1")])
def test_without_other_words_nothing_is_said_of_code_that_does_not_show_it(component):
    name, advice = said_of(component)
    assert name is None and "round" not in (advice or "")


@pytest.mark.parametrize(
    ("text", "admitted"),
    [
        ("def f(x):\n    return x.sort()", True),
        ("def f(x):\n    'sort'\n    return x", False),
        ("@sort\ndef f(x):\n    return x  # sort", False),
        ("", False),
    ],
)
def test_comments_docstrings_and_decorators_show_nothing(text, admitted):
    assert Guard("sort").admits(Code((text,) if text else ()).plain) == admitted


def test_a_guard_that_can_not_be_right_is_refused():
    with pytest.raises(CourseError, match="no regular expression"):
        SORTED.misconception("a", "B.", said_of="(")
    with pytest.raises(CourseError, match="otherwise= is said"):
        SORTED.misconception("a", "B.", otherwise="C.")


def test_a_guard_travels_with_recorded_answers(tmp_path, monkeypatch):
    archive = Archive(record(SORTED, tmp_path, secrets=frozenset({"nobodys"})))
    guards = [one.guard for one in SORTED.misconceptions]
    assert [one.guard for one in archive.mistakes] == guards

    monkeypatch.setattr("judge.checking.known.archive_in", lambda *_: archive)
    monkeypatch.setattr(SORTED, "_misconceptions", recalled(tmp_path, "a_chapter", "test_tripled"))
    assert said_of(by_sort) == ("sorted", "Leave `sort` out.")
    assert said_of(by_flip) == (None, OTHERWISE)


def test_what_is_said_otherwise_tells_no_solution(tmp_path):
    archive = Archive(record(SORTED, tmp_path, secrets=frozenset({"order"})))
    assert archive.mistakes[0].guard.otherwise == NOTHING_LEFT


def test_an_archive_from_before_guards_is_read(tmp_path):
    path = tmp_path / "old.zip"
    with zipfile.ZipFile(path, "w") as archive:
        old = {"mistakes": [{"name": "a", "advice": "B.", "another_form": False}], "wrong": []}
        archive.writestr(INDEX, json.dumps(old))
    assert Archive(path).mistakes[0].guard == ALWAYS
