"""A tiny exercise, `Scale`, with its reference solution and misconceptions, for the tests of judge.checking."""

from dataclasses import replace

import torch
from torch import nn

from judge.checking import Exercise, check_agrees, check_gradients, check_parameters, check_shape, line
from judge.running.local import LocalRunner
from utils.gpt import SMALL

scale = Exercise(
    inputs={"x": "batch pos d_model"},
    output="batch pos d_model",
    parameters={"w": "d_model", "b": "d_model"},
    initial={"w": 1.0, "b": 0.0},
    solution="tests.judge.checking.tiny",
)


class Scale(scale.given):
    """The reference solution."""

    def forward(self, x):
        return x * self.w + self.b


WEIGHTS = {"w": torch.arange(1.0, 9.0), "b": torch.full((8,), 0.5)}
X = torch.arange(48.0).view(2, 3, 8) / 10


@scale.test
def judge_scale(Scale):
    """The whole judgement, on fixed numbers, so that a card can be compared word for word."""
    check_parameters(Scale, SMALL)
    with line("keeps the shape"):
        check_shape(Scale, SMALL, WEIGHTS, X)
    with line("agrees with the reference solution"):
        check_agrees(Scale, SMALL, WEIGHTS, X)
    with line("passes gradients back to `w`, `b` and `x`"):
        check_gradients(Scale, SMALL, WEIGHTS, X)


def written(forward):
    """The learner's Scale, when all that they wrote is this `forward`."""
    return type("Scale", (scale.given,), {"forward": forward})


def judged_by(body, component, exercise=scale, seed=0):
    """The verdict of a test function with this body, on a component of this exercise with its misconceptions."""
    one = replace(exercise)
    one.misconceptions.extend(exercise.misconceptions)
    one.test(body)
    one.symbol = exercise.symbol
    return one.judge(component, seed=seed)


def judged_by_check(check, component, *arguments, exercise=scale, **options):
    """What a test function of only this check says."""

    def body(component):
        with line("it holds"):
            check(component, *arguments, **options)

    return judged_by(body, component, exercise)


@scale.misconception("leaving out `b`", "Add `self.b`.")
def no_offset(self, x):
    return x * self.w


@scale.misconception("an offset of 1 too much", "Take off 1.")
def one_too_much(self, x):
    return x * self.w + self.b + 1


@scale.misconception("an offset of 1.001 too much", "Take off 1.001.")
def more_than_one_too_much(self, x):
    return x * self.w + self.b + 1.001


@scale.misconception("averaging over `pos`", "Keep the positions apart.")
def averaged(self, x):
    return (x * self.w + self.b).mean(dim=1)


@scale.misconception("one number each", "Both have `d_model` numbers.")
class OneNumberEach(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.w = nn.Parameter(torch.ones(1))
        self.b = nn.Parameter(torch.zeros(1))


@scale.misconception("asking for `x.size`", "It is a method: `x.size(-1)`.")
def asking_for_size(self, x):
    return x * self.w + self.b / x.size


# What a learner may have written, none of it known to the exercise.


def shape_lost(self, x):
    return x.sum(dim=1) + self.w


def two_too_much(self, x):
    return x * self.w + self.b + 2


def not_a_number(self, x):
    return torch.where(x > 4.6, torch.nan, x * self.w + self.b)


def no_input(self):
    return self.w


def nothing(self, x):
    x * self.w + self.b


def stub(self, x):
    raise NotImplementedError("write this part")


def helper(x):
    return x.wieght


def raising(self, x):
    print("x is <here>")
    return self.w * helper(x)


class OtherNames(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model, 1))


class Counting:
    """Asks here, and remembers how often and what."""

    def __init__(self):
        self.crossings, self.asked = 0, []

    def ask(self, component, question):
        self.crossings += 1
        self.asked.append(question)
        return LocalRunner().ask(component, question)
