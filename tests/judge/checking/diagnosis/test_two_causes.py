"""judge.checking.diagnosis.causes: one of two misconceptions is named where the other explains what it leaves."""

import pytest
import torch

from judge.checking import Exercise, check_agrees, line
from judge.checking.judging import judge

X, ZEROS = torch.arange(1.0, 6.0), torch.zeros(5)


def doubled(x, n):
    """The reference solution."""
    return 2 * x + n


def neither(x, n):
    """Both mistakes."""
    return x.clone()


def one_and_then_another(x, n):
    """Not doubled where n is 0; elsewhere something that nobody knows."""
    return 2 * x + n + 1 if n else x.clone()


def one_of_them_right_at_times(x, n):
    """Not doubled where n is 0, nothing added where x is; where both are asked for, right."""
    return 2 * x + n if n and x.any() else x.clone()


def an_error_in_place_of_the_other(x, n):
    """Not doubled, and nothing added but an error."""
    if n:
        raise ValueError("n")
    return x.clone()


both = Exercise(inputs={"x": "pos", "n": ""}, output="pos", solution=__name__)
both.misconception("x not doubled", "Double it.")(lambda x, n: x + n)
both.misconception("n left out", "Add it.")(lambda x, n: 2 * x)


@both.test
def judge_doubled(doubled):
    judging_doubled(doubled)


def judging_doubled(doubled):
    with line("doubles x"):
        check_agrees(doubled, X, 0)
    with line("adds n"):
        check_agrees(doubled, ZEROS, 3)
    with line("does both"):
        check_agrees(doubled, X, 3)


def named(component):
    return judge(both, (component,), 0).failure.misconception


def test_what_shows_first_is_named():
    assert named(neither) == "x not doubled"


@pytest.mark.parametrize(
    "component", [one_and_then_another, one_of_them_right_at_times, an_error_in_place_of_the_other]
)
def test_where_the_two_do_not_explain_all_none_is_named(component):
    assert named(component) is None


FAR = {"n left out": lambda x, n: 2 * x, "x not doubled": lambda x, n: 1.005 * x + n}
NEAR = {"x not doubled, and 7 added": lambda x, n: x + n + 7 * bool(n)}


def judged_with(known):
    exercise = Exercise(inputs={"x": "pos", "n": ""}, output="pos", solution=__name__)
    for name, wrong in known.items():
        exercise.misconception(name, f"Not {name}.")(wrong)
    exercise.test(judging_doubled)
    return judge(exercise, (neither,), 0).failure.misconception


def test_a_mistake_of_nearly_the_same_size_is_not_named_where_a_nearer_one_is_known():
    assert judged_with(FAR) == "x not doubled"
    assert judged_with(FAR | NEAR) is None
