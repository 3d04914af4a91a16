"""How TemplateSymbol goes wrong, and right answers that look different."""

import torch

from tests.ch99_template import template_exercise


@template_exercise.correct
def einsum(self, residual):
    return torch.einsum("bpd,d->bpd", residual, self.w)


@template_exercise.misconception("`w` added to each vector", "A scale multiplies: `residual * self.w`.")
def adds(self, residual):
    return residual + self.w
