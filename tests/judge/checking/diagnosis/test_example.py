"""judge.checking.diagnosis.example: what an answer gives for the chapter's example, where nothing else is known."""

from dataclasses import replace

import torch

from judge.checking import Exercise, WorkedExample, check_agrees, line
from tests.ch03_layernorm import layer_norm
from tests.judge.checking import tiny
from tests.judge.checking.tiny import WEIGHTS, X, scale, written
from utils.config import Config
from utils.gpt import SMALL


def with_example(shows):
    numbers = (Config(d_model=4), {"w": torch.ones(4), "b": torch.zeros(4)}, torch.tensor([[[0.0, 2.0, 2.0, 8.0]]]))
    one = Exercise(
        scale.inputs,
        scale.output,
        scale.parameters,
        scale.initial,
        example=WorkedExample("the vector 0, 2, 2, 8, with `w` = 1 and `b` = 0", numbers, shows),
        solution="tests.judge.checking.tiny",
    )
    one.misconceptions.extend(scale.misconceptions)

    @one.test
    def test_scale(Scale):
        with line("agrees"):
            check_agrees(Scale, SMALL, WEIGHTS, X)

    return one


MEAN = {"mean": lambda out: float(out.mean()), "largest": lambda out: float(out.max())}


def test_the_worked_example_is_the_last_resort():
    one = with_example(MEAN)
    failure = one.judge(written(lambda self, x: x * self.w + self.b + 2)).failure
    assert (failure.misconception, failure.advice) == (None, None)
    assert failure.example == (
        "On the vector 0, 2, 2, 8, with `w` = 1 and `b` = 0:\n"
        "  yours: 2.000, 4.000, 4.000, 10.000\n"
        "  the text: 0.000, 2.000, 2.000, 8.000\n"
        "  mean: 5.0000, but should be 3.0000\n"
        "  largest: 10.0000, but should be 8.0000"
    )


def test_the_worked_example_stands_beside_what_plays_no_part():
    failure = with_example(MEAN).judge(written(lambda self, x: x * self.w + 2)).failure
    assert failure.advice.startswith("`self.b` plays no part") and "  mean: 5.0000, but" in failure.example


def test_the_worked_example_shows_numbers_that_are_none():
    failure = with_example(MEAN).judge(written(lambda self, x: x * self.w + self.b + torch.nan)).failure
    assert "  mean: NaN, but should be 3.0000" in failure.example.splitlines()


def test_where_a_cause_is_known_or_the_example_is_right_it_is_not_shown():
    one = with_example(MEAN)
    assert one.judge(written(tiny.one_too_much)).failure.example == ""
    assert one.judge(written(lambda self, x: x * self.w.square().square().sqrt())).failure.example == ""
    assert one.judge(written(lambda self, x: x[0])).failure.example == ""  # another shape: nothing to lay beside it


def test_the_worked_example_of_layer_norm_shows_what_sums_for_means_do():
    def sums(self, residual):
        centred = residual - residual.mean(-1, keepdim=True)
        return centred / (centred.pow(2).sum(-1, keepdim=True) + self.cfg.layer_norm_eps).sqrt() * self.w + self.b

    without_causes = replace(layer_norm)
    without_causes.test(layer_norm.body)
    failure = without_causes.judge(type("LayerNorm", (layer_norm.given,), {"forward": sums})).failure
    assert failure.example.splitlines()[1:] == [
        "  yours: -0.500, -0.167, -0.167, 0.833",
        "  the text: -1.000, -0.333, -0.333, 1.667",
        "  variance: 0.2500, but should be 1.0000",
    ]
