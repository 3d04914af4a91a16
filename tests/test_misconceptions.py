"""Every exercise, proved as `verify` proves it: each misconception is named, each correct variant passes."""

import pytest

from utils.authoring.verifying import table, verify_exercise
from utils.course import exercises, stems

EXERCISES = [exercise for stem in stems() for exercise in exercises(stem)]


@pytest.mark.slow
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.symbol)
def test_exercise_is_proved(exercise):
    row = verify_exercise(exercise)
    assert not row.reasons, table([row])
