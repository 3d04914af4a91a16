"""Every exercise, proved quickly: `verify` asks with a second seed too, and judges all misconceptions and mutants."""

import pytest

from author.verifying import table, verify_exercise
from utils.course import exercises, stems

EXERCISES = [exercise for stem in stems() for exercise in exercises(stem)]


@pytest.mark.proof
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.symbol)
def test_exercise_is_proved(exercise):
    row = verify_exercise(exercise, thorough=False)
    assert not row.reasons, table([row])
