"""Chapter 99: what TemplateSymbol must do, and a way it goes wrong."""

import torch
from torch import nn

from utils.checking import (
    SMALL,
    Exercise,
    check_agrees,
    check_gradients,
    check_inputs_unchanged,
    check_parameters,
    check_shape,
    line,
    random_tensor,
    random_weights,
)


class Given(nn.Module):
    """TemplateSymbol's parameter, for implementations that are only a `forward`."""

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))


template_exercise = Exercise(
    "TemplateSymbol",
    solution="solutions.ch99_template",
    parameters={"w": "d_model"},
    inputs={"residual": "batch pos d_model"},
    output="batch pos d_model",
    given=Given,
)


@template_exercise.test
def test_template_symbol(TemplateSymbol):
    """TemplateSymbol against the reference solution, on random numbers."""
    check_parameters(TemplateSymbol, SMALL)
    weights, residual = random_weights(SMALL), random_tensor(3, 5, SMALL.d_model)
    with line("keeps the shape of the residual stream"):
        for batch, pos in [(2, 5), (1, 1)]:
            check_shape(TemplateSymbol, SMALL, weights, random_tensor(batch, pos, SMALL.d_model))
    with line("leaves `residual` as it was"):
        check_inputs_unchanged(TemplateSymbol, SMALL, weights, residual)
    with line("agrees with the reference solution on random weights"):
        check_agrees(TemplateSymbol, SMALL, weights, residual)
    with line("passes gradients back to `w` and `residual`"):
        check_gradients(TemplateSymbol, SMALL, weights, residual)


@template_exercise.correct
def einsum(self, residual):
    return torch.einsum("bpd,d->bpd", residual, self.w)


@template_exercise.misconception("`w` added to each vector", "A scale multiplies: `residual * self.w`.")
def adds(self, residual):
    return residual + self.w
