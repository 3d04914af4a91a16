"""Checks of what is no component: functions, errors that are due, draws, two functions that agree, views."""

import random

import pytest
import torch

from tests.tiny_exercise import X, judged_by_check
from utils import checking
from utils.checking import Exercise
from utils.checking.checks.invariance import NO_CHANCE, OTHER_CHANCE


def square_mean(x):
    return x.pow(2).mean()


def count(x):
    return x.numel()


SCALAR = Exercise(inputs={"x": "pos d_model"}, solution=__name__)
SCALAR.test(lambda square_mean: None)
WHOLE = Exercise(inputs={"x": "pos d_model"}, solution=__name__)
WHOLE.test(lambda count: None)


def test_functions_are_judged_too():
    for check in (checking.check_shape, checking.check_agrees, checking.check_repeatable, checking.check_gradients):
        right = judged_by_check(check, square_mean, X[0], exercise=SCALAR)
        assert right.status == "passed" and right.error_over_tolerance < 1
    wrong = judged_by_check(checking.check_agrees, lambda x: x.pow(2).sum(), X[0], exercise=SCALAR)
    assert wrong.failure.details[-1] == "got 43.2400, expected 1.8017"
    for check in (checking.check_agrees, checking.check_repeatable):
        assert judged_by_check(check, count, X[0], exercise=WHOLE).status == "passed"
    wrong = judged_by_check(checking.check_agrees, lambda x: [x, x], X[0], exercise=WHOLE)
    assert wrong.failure.details[0].endswith("(list), expected 24 (int)")
    wrong = judged_by_check(checking.check_repeatable, lambda x: torch.rand(1).item(), X[0], exercise=WHOLE)
    assert wrong.failure.details[0] == "on the same input, a later call gives another answer than the first"
    wrong = judged_by_check(checking.check_agrees, lambda: 24, X[0], exercise=WHOLE)
    assert wrong.failure.details[0] == "it is called as `count(x)`, and Python answered"


def lookup(word):
    return {"the": 0, "cat": 1}[word]


LOOKUP = Exercise(inputs={"word": ""}, solution=__name__)
LOOKUP.test(lambda lookup: None)


def raising(error):
    def lookup(word):
        raise error

    return lookup


@pytest.mark.parametrize(
    ("component", "said"),
    [
        (lambda word: 0, "no error was raised, expected KeyError; got 0"),
        (raising(ValueError("dog")), "got ValueError: dog, expected KeyError"),
        (raising(KeyError("a word")), "the message of the KeyError does not name `dog`: \"'a word'\""),
    ],
)
def test_an_error_can_be_the_right_answer(component, said):
    def check(component):
        return judged_by_check(checking.check_raises, component, "dog", error="KeyError", naming="dog", exercise=LOOKUP)

    assert check(lookup).status == "passed"
    assert check(component).failure.details == (said,)


def test_a_stub_or_a_wrong_signature_is_no_error_that_was_asked_for():
    def check(component):
        return judged_by_check(checking.check_raises, component, "dog", error="KeyError", exercise=LOOKUP)

    assert check(raising(NotImplementedError("lookup: write this part"))).status == "not yet"
    assert check(lambda: 0).failure.details[0] == "it is called as `lookup(word)`, and Python answered"


def test_two_of_the_learners_functions_must_agree():
    def check(component, other):
        return judged_by_check(checking.check_equal_to, component, other, X[0], exercise=SCALAR)

    assert check(square_mean, lambda x: (x * x).mean()).status == "passed"
    assert check(square_mean, None).status == "passed"
    assert check(square_mean, lambda x: x.mean()).failure.details[-1] == "got 1.8017, expected 1.1500"
    assert "division by zero" in check(square_mean, lambda x: 1 / 0).failure.details[0]


def draw(p):
    return int(torch.multinomial(p, 1))


DRAW = Exercise(inputs={"p": "d_vocab"}, solution=__name__)
DRAW.test(lambda draw: None)
P = torch.tensor([0.5, 0.0, 0.3, 0.2])


@pytest.mark.parametrize(
    ("component", "said"),
    [
        (lambda p: int(p.argmax()), "index 0 was drawn 5000 times in 5000, expected about 2500"),
        (lambda p: 1, "index 1 was drawn 5000 times in 5000, expected about 0"),
        (lambda p: torch.multinomial(p, 1), "got tensor([2]) (Tensor), expected an int from 0 to 3"),
        (lambda p: 4, "got 4 (int), expected an int from 0 to 3"),
        (lambda p: True, "got True (bool), expected an int from 0 to 3"),
    ],
)
def test_draws_must_come_as_often_as_they_should(component, said):
    assert judged_by_check(checking.check_draws, draw, P, want=P, exercise=DRAW).status == "passed"
    bad = judged_by_check(checking.check_draws, component, P, want=P, exercise=DRAW)
    assert bad.failure.details[0] == said and bad.error_over_tolerance > 1


def draw_longer(p):
    return torch.cat([torch.zeros(2), p.multinomial(1)])


LONGER = Exercise(inputs={"p": "d_vocab"}, solution=__name__)
LONGER.test(lambda draw_longer: None)


def test_a_draw_may_be_looked_for_in_the_answer():
    def check(component):
        last = {"want": P, "view": lambda answer: int(answer[-1])}
        return judged_by_check(checking.check_draws, component, P, **last, exercise=LONGER)

    assert check(draw_longer).status == "passed"
    assert check(lambda p: p.argmax(keepdim=True)).failure.details[0].startswith("index 0 was drawn 5000 times")
    assert check(lambda p: p.new_tensor([])).failure.details[0].startswith("got tensor([]) (Tensor), expected an int")


def draws(p, library):
    return torch.rand(3) if library == "torch" else torch.tensor([random.random()] * 3)


DRAWS = Exercise(inputs={"p": "d_vocab", "library": ""}, solution=__name__)
DRAWS.test(lambda draws: None)


def test_draws_are_the_same_again_after_torchs_manual_seed():
    def check(library, **options):
        return judged_by_check(checking.check_repeatable, draws, P, library, exercise=DRAWS, **options)

    assert check("torch", manual_seed=3).status == "passed"
    assert check("torch").failure.advice == NO_CHANCE
    said = check("random", manual_seed=3).failure
    assert said.details[0] == "after `torch.manual_seed`, a later call gives another answer than the first"
    assert said.advice == OTHER_CHANCE


def sorted_items(items):
    return sorted(items)


VIEWED = Exercise(inputs={"items": ""}, view=lambda answer: sorted(answer, key=str), solution=__name__)
VIEWED.test(lambda sorted_items: None)


def test_answers_are_compared_in_the_exercises_view():
    def check(component):
        return judged_by_check(checking.check_agrees, component, [2, 1, 3], exercise=VIEWED)

    assert check(lambda items: items).status == "passed"
    assert check(lambda items: [1, 2]).failure.details[0] == "got [1, 2]"
    none = check(lambda items: None)  # the view can't look at it
    assert none.failure.details == ("the result is None, expected [1, 2, 3]: is there a `return`?",)
