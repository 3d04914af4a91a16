"""Chapter 99: what template_symbol must do, and a way it goes wrong."""

import torch

from utils.checking import Exercise, check_agrees, check_form, check_gradients, line, random_tensor

template_exercise = Exercise(inputs={"vectors": "batch pos d_model"}, output="batch pos")


@template_exercise.test
def test_template_symbol(template_symbol):
    """template_symbol against the reference solution, on random numbers."""
    check_form(template_symbol, None, lambda batch, pos: random_tensor(batch, pos, 7))
    vectors = random_tensor(3, 5, 7)
    with line("agrees with the reference solution on random vectors"):
        check_agrees(template_symbol, vectors)
    with line("passes gradients back to `vectors`"):
        check_gradients(template_symbol, vectors)


template_exercise.equivalent("-1 → 2", "`vectors` has three axes, so the last one is also number 2.")


@template_exercise.correct
def vector_norm(vectors):
    return torch.linalg.vector_norm(vectors, dim=-1)


@template_exercise.misconception(
    "the sum of the absolute values",
    "Add the squares of the numbers, and take the root of their sum.",
)
def sum_of_absolute_values(vectors):
    return vectors.abs().sum(dim=-1)
