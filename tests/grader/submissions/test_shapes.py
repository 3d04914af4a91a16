"""grader.submissions.shapes: copies have the same shape whatever they are called, and nothing else has."""

from grader.submissions.shapes import shape_of, size_of

ONE = """
import torch
SIZE = 3

def helper(x: int) -> int:
    "What it does."
    return x + SIZE

class LayerNorm(torch.nn.Module):
    def forward(self, residual: "Float[Tensor, 'batch']") -> "Tensor":
        # the mean
        mean: float = residual.mean(dim=-1)
        pairs = [value for value in mean]
        return helper(mean), lambda other: other * SIZE, pairs
"""
COPY = """
from torch import nn
import torch
N = 3
def h(value):
    return value + N
class LayerNorm(torch.nn.Module):
    "Mine!"

    def forward(this, r):
        m = r.mean(dim=-1)
        p = [one for one in m]
        return h(m), (lambda o: o * N), p
"""


def test_renamed_and_formatted_anew_it_is_the_same():
    assert shape_of(ONE, "LayerNorm") == shape_of(COPY, "LayerNorm")
    assert size_of(shape_of(ONE, "LayerNorm")) > 50


def test_another_number_step_or_order_is_another():
    for before, after in (("= 3", "= 4"), ("-1", "1"), ("x + SIZE", "SIZE + x"), ("mean(dim", "sum(dim")):
        assert shape_of(ONE, "LayerNorm") != shape_of(ONE.replace(before, after), "LayerNorm")


def test_names_of_libraries_stay():
    assert shape_of("def f(x): return min(x)", "f") != shape_of("def f(x): return max(x)", "f")
    assert shape_of("def f(x): return a.b(x)", "f") != shape_of("def f(x): return a.c(x)", "f")


def test_what_is_no_python_has_none():
    assert shape_of("def", "f") == shape_of("x = " + "-" * 3_000 + "1", "x") == ""
    assert size_of("") == 0
