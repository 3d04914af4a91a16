"""The questions of a test depend on its seed alone: not on what was answered, not on what was asked before."""

import functools

import pytest

from judge.checking.oracle import solution_of
from tests.judge.checking.spare_answers import nothing, raising, stub
from tests.judge.running.test_wall import JUDGED, KINDS

QUICK = [name for name in JUDGED if name != "generate_with_cache"]  # this takes seconds


@functools.cache
def asked(exercise, seed):
    """What a stub is asked: below, and by the proof of each chapter, others are asked the same."""
    return exercise.questions(stub, seed=seed)


def digests(exercise, *components, seed=0):
    return [question.name for question in exercise.questions(*components, seed=seed)]


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_same_questions_whatever_is_answered(name):
    """Of the chapters' exercises tests/author/test_misconceptions.py proves it."""
    exercise = JUDGED[name]
    expected = digests(exercise)
    known = [(one.name, one.component) for one in (*exercise.misconceptions, *exercise.variants)]
    spare = [("the stub", stub), ("an answer that raises", raising), ("one without a return", nothing)]
    for what, component in (("the solution", solution_of(exercise)), *known, *spare):
        assert digests(exercise, component) == expected, what


@pytest.mark.parametrize("name", QUICK)
def test_another_seed_asks_other_questions(name):
    exercise = JUDGED[name]
    questions = [asked(exercise, seed) for seed in range(3)]
    assert len(set(map(len, questions))) == 1
    assert len({digest for names in questions for digest in names}) == sum(map(len, questions))


@pytest.mark.slow
@pytest.mark.parametrize("name", JUDGED)
def test_another_seed_asks_with_other_numbers(name):
    """The seed that every question carries apart, something in the arguments changes too."""
    if name in ("counting", "timing"):
        pytest.skip("asks about sizes alone, without random numbers")
    exercise = JUDGED[name]
    first, second = (asked(exercise, seed) for seed in (0, 1))
    assert any(repr(one.args) != repr(other.args) for one, other in zip(first, second, strict=True))
