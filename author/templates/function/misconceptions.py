"""How template_symbol goes wrong, and right answers that look different."""

import torch

from tests.ch99_template import template_exercise

template_exercise.equivalent("-1 → 2", "`vectors` has three axes, so the last one is also number 2.")


@template_exercise.correct
def vector_norm(vectors):
    return torch.linalg.vector_norm(vectors, dim=-1)


@template_exercise.misconception(
    "the sum of the absolute values", "Add the squares of the numbers, and take the root of their sum."
)
def sum_of_absolute_values(vectors):
    return vectors.abs().sum(dim=-1)
