"""Chapter 99: what TemplateSymbol must do."""

from dataclasses import replace

from judge.checking import (
    Exercise,
    check_agrees,
    check_form,
    check_gradients,
    check_parameters,
    line,
    random_tensor,
    random_weights,
)
from utils.gpt import SMALL

template_exercise = Exercise(
    inputs={"residual": "batch pos d_model"},
    output="batch pos d_model",
    parameters={"w": "d_model"},
    initial={"w": 1.0},
)


@template_exercise.test
def test_template_symbol(TemplateSymbol):
    """TemplateSymbol against the reference solution, on random numbers."""
    check_parameters(TemplateSymbol, SMALL)
    check_form(TemplateSymbol, SMALL, lambda batch, pos: random_tensor(batch, pos, SMALL.d_model))
    weights, residual = random_weights(SMALL), random_tensor(3, 5, SMALL.d_model)
    with line("agrees with the reference solution on random weights"):
        check_agrees(TemplateSymbol, SMALL, weights, residual)
        check_agrees(TemplateSymbol, replace(SMALL, d_model=11), {"w": random_tensor(11)}, random_tensor(2, 3, 11))
    with line("passes gradients back to `w` and `residual`"):
        check_gradients(TemplateSymbol, SMALL, weights, residual)
