"""grader.lending: what is lent to an answer, and of the learner's own parts what can't be read."""

import sys

import pytest

from grader.lending import among, before, of_other_libraries, of_the_reference, parts_for, why_unread
from grader.submissions.answers import Answer
from utils.course import all_exercises

EXERCISES = {one.symbol: one for one in all_exercises()}


def test_to_a_model_in_arrays_none_of_another_library_is_lent():
    assert not before(EXERCISES["gpt2_numpy"]) and not before(EXERCISES["gpt2_jax"])
    assert of_other_libraries(EXERCISES["gpt2_jax"]) >= {"Transformer", "softmax", "gpt2_numpy", "CausalSelfAttention"}


@pytest.mark.parametrize("symbol", ["sample_top_k", "train", "count_parameters", "CausalSelfAttention"])
def test_to_others_all_that_comes_before_is_lent(symbol):
    earlier = before(EXERCISES[symbol])
    assert {"softmax", "Transformer"} <= earlier and symbol not in earlier
    assert not of_other_libraries(EXERCISES[symbol])


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda one: one.symbol)
def test_what_a_solution_uses_is_lent(exercise):
    assert {*of_the_reference(exercise.symbol).uses} <= before(exercise)


USES_BOTH = Answer("Transformer", uses=("Attention", "LayerNorm"))
ATTENTION = ["def Attention(): return softmax", "def softmax(x): return stable(x)"]
NORM = {"ch03_layernorm": ["def LayerNorm(): return 1"]}


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="knows what is written here")
@pytest.mark.parametrize("newer", ["def stable[T](x: T): return x", "def stable(x): return f'{x['a']}'"])
def test_an_own_part_of_a_newer_python_is_told_with_its_chapter(newer):
    find = among(NORM | {"ch04_attention": [newer, *ATTENTION]})
    said = why_unread(USES_BOTH, find)
    assert said.startswith("It uses `softmax` of ch04_attention. Cell 1, line 1 is Python from 3.12 on: `def stable")
    unused = among(NORM | {"ch04_attention": [newer, ATTENTION[0], "def softmax(x): return x"]})
    assert why_unread(USES_BOTH, unused) == "" and [*parts_for(USES_BOTH, unused)] == [
        "softmax",
        "Attention",
        "LayerNorm",
    ]


def test_an_own_part_that_is_missing_or_broken_is_none_of_a_newer_python():
    assert why_unread(USES_BOTH, among(NORM)) == ""
    assert why_unread(USES_BOTH, among(NORM | {"ch04_attention": ["def Attention(: return 1"]})) == ""
