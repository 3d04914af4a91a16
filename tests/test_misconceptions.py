"""Every check proved both ways: each misconception is rejected under its own name, each correct variant passes."""

import importlib

import pytest

from utils.checking import CheckFailed
from utils.course import exercises, stems

JUDGED = [
    getattr(importlib.import_module(f"tests.{one.stem}"), one.test) for stem in stems() for one in exercises(stem)
]
WRONG = [(test, wrong) for test in JUDGED for wrong in test.exercise.misconceptions]
RIGHT = [(test, right) for test in JUDGED for right in test.exercise.variants]


@pytest.mark.parametrize(
    ("test", "wrong"), WRONG, ids=[f"{test.exercise.symbol}: {wrong.name}" for test, wrong in WRONG]
)
@pytest.mark.parametrize("seed", [0, 1])
def test_misconception_is_rejected_by_name(test, wrong, seed):
    with pytest.raises(CheckFailed) as caught:
        test(wrong.component, seed=seed)
    assert caught.value.verdict.failure.misconception == wrong.name, str(caught.value)
    assert wrong.advice in str(caught.value)


@pytest.mark.parametrize(
    ("test", "right"), RIGHT, ids=[f"{test.exercise.symbol}: {right.name}" for test, right in RIGHT]
)
@pytest.mark.parametrize("seed", [0, 1])
def test_correct_variant_passes(test, right, seed):
    test(right.component, seed=seed)


@pytest.mark.parametrize("test", JUDGED, ids=[test.exercise.symbol for test in JUDGED])
def test_names_and_advice_are_distinct(test):
    for part in ("name", "advice"):
        said = [getattr(wrong, part) for wrong in test.exercise.misconceptions]
        assert len(set(said)) == len(said)
