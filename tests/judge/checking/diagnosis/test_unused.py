"""judge.checking.diagnosis.unused: what plays no part in an answer is named where it should, and nothing else."""

import pytest
import torch

from judge.checking import Exercise, check_agrees, line
from judge.checking.diagnosis.unused import _others
from tests.judge.checking.tiny import X, judged_by, judged_by_check, written
from utils.gpt import SMALL

ENDS = ", which stays the same whatever is in {}: use {}, or look for what stands in {} place."
ONE, MORE = ENDS.format("it", "it", "its"), ENDS.format("them", "them", "their")
READ = ": your answer stays the same whatever is in {0}. Use {0}, or look for the line where {1} lost."  # that is read
WEIGHTS = {"w": torch.arange(1.0, 9.0), "b": torch.full((8,), 0.5)}
FORWARDS = {
    "another name": (lambda self, x: x * self.b + self.b, f"`self.w` plays no part in your answer{ONE}"),
    "three": (lambda self, x: torch.ones(2, 3, 8), f"`x`, `self.w` and `self.b` play no part in your answer{MORE}"),
    "two": (lambda self, x: x * 2.5, f"`self.w` and `self.b` play no part in your answer{MORE}"),
    "the input": (lambda self, x: torch.ones(2, 3, 8) * self.w + self.b, f"`x` plays no part in your answer{ONE}"),
    "all play a part": (lambda self, x: x * self.w * self.w + self.b, None),
    "one that is read": (
        lambda self, x: x * self.b + 0 * self.w + self.b,
        f"`self.w` changes nothing here{READ.format('it', 'it is')}",
    ),
    "nothing can be seen of NaN": (lambda self, x: x * torch.nan, "NaN comes from"),
}


@pytest.mark.parametrize(("forward", "said"), FORWARDS.values(), ids=FORWARDS)
def test_what_plays_no_part_is_named(forward, said):
    advice = judged_by_check(check_agrees, written(forward), SMALL, WEIGHTS, X).failure.advice
    assert advice == said if said is None or said.startswith("`") else said in advice


def by_position(self, x):
    """At position 0 nothing else has a part in it."""
    return torch.arange(x.shape[1])[:, None] * (x * self.w + self.b)


def test_at_one_position_alone_nobody_can_say():
    def agreement(*inputs):
        def body(Scale):
            with line("agrees"):
                for x in inputs:
                    check_agrees(Scale, SMALL, WEIGHTS, x)

        return body

    for inputs in ((X[:, :1],), (X[:, :1], X)):
        assert judged_by(agreement(*inputs), written(by_position)).failure.advice is None
    assert judged_by(agreement(X[:, :1], X), written(lambda self, x: 0 * x)).failure.advice.startswith(
        "`x`, `self.w` and `self.b` change nothing here"
    )


def lost_in_large_inputs(self, x):
    """At three positions nothing has a part in it, at two everything has."""
    return (x * self.w + self.b + x) * (x.shape[1] == 2)


def test_what_plays_a_part_in_the_question_that_failed_is_not_named():
    def body(Scale):
        with line("agrees"):
            check_agrees(Scale, SMALL, WEIGHTS, X[:, :2])
            check_agrees(Scale, SMALL, WEIGHTS, X)

    assert judged_by(body, written(lost_in_large_inputs)).failure.advice is None


def right(x, y):
    return x * 0 + y


functions = Exercise(inputs={"x": "...", "y": "..."}, output="...", solution=__name__)


def test_what_plays_no_part_in_the_right_answer_either_is_not_named():
    functions.symbol = "right"
    tensors = torch.ones(3), torch.arange(3.0)
    advice = judged_by_check(check_agrees, lambda x, y: 0 * x + 3.3, *tensors, exercise=functions).failure.advice
    assert advice == f"`y` plays no part in your answer{ONE}"
    advice = judged_by_check(check_agrees, lambda x, y: y.square() + 1.1, *tensors, exercise=functions).failure.advice
    assert advice is None


def counted(tokens):
    """The reference solution: the tokens, and the sum of all."""
    return torch.cat([tokens, tokens.sum()[None]])


def as_many(tokens):
    return torch.arange(4)


counting = Exercise(inputs={"tokens": "pos"}, output="all_pos", free_axes="all_pos", solution=__name__)


def test_a_sum_depends_on_its_numbers_though_not_on_their_order():
    counting.symbol = "counted"
    tokens = torch.tensor([3, 1, 4])
    advice = judged_by_check(check_agrees, lambda tokens: tokens.sum()[None], tokens, exercise=counting).failure.advice
    assert "plays no part" not in (advice or "")
    advice = judged_by_check(check_agrees, as_many, tokens, exercise=counting).failure.advice
    assert advice == f"`tokens` plays no part in your answer{ONE}"


def test_what_is_written_over_is_not_called_unused():
    counting.symbol = "counted"

    def zeroed(tokens):
        return counted(tokens.zero_())

    advice = judged_by_check(check_agrees, zeroed, torch.tensor([3, 1, 2]), exercise=counting).failure.advice
    assert advice is None


def test_an_input_without_numbers_is_no_obstacle():
    counting.symbol = "counted"

    def body(counted):
        with line("agrees"):
            check_agrees(counted, torch.tensor([], dtype=torch.long))
            check_agrees(counted, torch.tensor([3, 1, 2]))

    exercise = Exercise(inputs={"tokens": "pos"}, output="all_pos", free_axes="all_pos", solution=__name__)
    exercise.symbol = "counted"
    exercise.test(body)
    failure = exercise.judge(lambda tokens: torch.arange(4)).failure
    assert failure.advice == f"`tokens` plays no part in your answer{ONE}"


def test_other_numbers_can_be_read_in_any_dtype():
    """A view as bytes wants neighbours that lie side by side, of one number too."""
    for other in _others(torch.zeros(1, 1, dtype=torch.int64)):
        assert other.view(torch.uint8).shape == (1, 8)
