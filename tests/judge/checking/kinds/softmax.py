"""A function of a tensor of any shape, with an argument that may also be given by keyword."""

import torch

from judge.checking import (
    Exercise,
    check_agrees,
    check_gradients,
    check_inputs_unchanged,
    check_shape,
    line,
    random_tensor,
)
from solutions.ch04_attention import softmax

exercise = Exercise(inputs={"x": "...", "dim": ""}, output="...", solution="solutions.ch04_attention")


@exercise.test
def test_softmax(softmax):
    scores = random_tensor(2, 3, 4, scale=3.0)
    with line("keeps the shape, whatever it is"):
        for shape in ((2, 3, 4), (5,), (2, 3)):
            check_shape(softmax, random_tensor(*shape))
    with line("weighs along the last axis, or along `dim`"):
        check_agrees(softmax, scores)
        check_agrees(softmax, scores, 1)
        check_agrees(softmax, scores, dim=0)
    with line("leaves `x` as it was"):
        check_inputs_unchanged(softmax, scores)
    with line("stays finite at large scores"):
        check_agrees(softmax, scores * 1e3)
    with line("passes gradients back to `x`"):
        check_gradients(softmax, scores, dim=1)


@exercise.correct
def by_logsumexp(x, dim=-1):
    return torch.exp(x - torch.logsumexp(x, dim, keepdim=True))


@exercise.correct
def last_axis_first(x, dim=-1):
    turned = x.movedim(dim, 0)
    return torch.stack([1 / torch.exp(turned - row).sum(0) for row in turned]).movedim(0, dim)


@exercise.misconception("always the last axis", "Use `dim` wherever an axis is named.")
def last_axis(x, dim=-1):
    return torch.softmax(x, -1)


@exercise.misconception("one softmax over all numbers", "The sum runs along `dim` alone: `sum(dim, keepdim=True)`.")
def over_everything(x, dim=-1):
    return x.flatten().softmax(0).view(x.shape)


@exercise.misconception(
    "exp without the maximum subtracted", "exp(1000) is infinite: subtract the largest score first."
)
def overflowing(x, dim=-1):
    return x.exp() / x.exp().sum(dim, keepdim=True)


@exercise.misconception("dividing the scores by their sum", "Take `exp` of the scores first.")
def no_exp(x, dim=-1):
    return x / x.sum(dim, keepdim=True)


@exercise.misconception("subtracting in place", "`x -= ...` changes the caller's tensor.")
def in_place(x, dim=-1):
    x -= x.amax(dim, keepdim=True)
    return softmax(x, dim)


@exercise.misconception("weights cut out of the graph", "Training must reach the scores: no detach, no `.data`.")
def detached(x, dim=-1):
    return torch.softmax(x.detach(), dim)
