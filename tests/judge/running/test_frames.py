"""judge.running.frames: which lines of an error are the learner's own."""

import pytest

from tests.ch10_cost import counting

CELL = "def count_parameters(cfg, tied=True):\n    cfg.n_heads = 12\n"


def frames_of(file):
    """Where the error comes up: in a method that a dataclass has made, which a cell of this file name calls."""
    names = {}
    exec(compile(CELL, file, "exec"), names)
    failure = counting.judge(names["count_parameters"]).failure
    assert failure.advice == "A `Config` can't be changed: keep the value under a name of your own."
    return [(frame.where, frame.line, frame.function) for frame in failure.frames]


@pytest.mark.parametrize("file", ["/tmp/ipykernel_0/1.py", "<ipython-input-1-0a>"])
def test_a_method_that_a_dataclass_makes_is_not_in_the_cell_that_calls_it(file):
    assert frames_of(file) == [("your cell", 2, "count_parameters")]


def test_code_that_was_handed_to_exec_as_text_is_the_learners():
    """Where all of it is text, nobody can say which line a dataclass has made."""
    assert frames_of("<string>")[0] == ("your cell", 2, "count_parameters")
