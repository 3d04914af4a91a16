"""tests.grader.classes: the made-up class is the same each time, and each submission is what it is said to be."""

import json

import pytest

from grader.submissions.answers import find_answer
from grader.submissions.finding import find_submissions
from grader.submissions.reading import read
from tests.grader.classes import write_class, wrong_cells
from utils.course import all_exercises, exercises, stems

SYMBOLS = {exercise.symbol for exercise in all_exercises()}


def read_class(folder):
    return [read(one) for one in find_submissions(folder).handed_in]


@pytest.mark.slow
@pytest.mark.parametrize("stem", ["ch03_layernorm", "ch04_attention", "ch08_sampling"])
def test_each_submission_is_what_it_is_said_to_be(stem, tmp_path):
    learners = write_class(tmp_path / "class", stem, 12, seed=7, at_least=1)
    assert {one.kind for one in learners} == {"right", "wrong", "unfinished", "broken", "hostile", "endless"}
    for learner, submission in zip(learners, read_class(tmp_path / "class"), strict=True):
        assert submission.name == learner.name
        notebook = submission.notebooks[stem]
        assert bool(notebook.problem) == (learner.kind == "broken")
        for symbol, status in learner.status.items() if learner.kind != "broken" else ():
            answer = find_answer(notebook.cells, symbol, SYMBOLS)
            assert answer.missing == (status == "missing")
            assert bool(answer.problem) == (status == "missing"), answer.problem


@pytest.mark.slow
def test_the_same_seed_makes_the_same_class(tmp_path):
    stem = "ch04_attention"
    first, second, third = (
        write_class(tmp_path / name, stem, 10, seed) for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert first == second != third
    digests = [[one.digest for one in read_class(tmp_path / name)] for name in ("a", "b", "c")]
    assert digests[0] == digests[1] != digests[2]
    assert json.loads((tmp_path / "a.json").read_text()) == [vars(one) for one in first]


@pytest.mark.slow
def test_right_ones_do_not_look_alike(tmp_path):
    learners = write_class(tmp_path / "class", "ch04_attention", 30)
    right = [
        submission.digest
        for one, submission in zip(learners, read_class(tmp_path / "class"), strict=True)
        if one.kind == "right"
    ]
    assert len(set(right)) > len(right) * 0.8


@pytest.mark.parametrize("stem", stems())
def test_every_exercise_has_wrong_answers(stem):
    for exercise in exercises(stem):
        assert len(wrong_cells(exercise)) >= 5
