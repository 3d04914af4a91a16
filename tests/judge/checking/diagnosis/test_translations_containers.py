"""What is said of a class that is no nn.Module, when it reads what it never kept."""

import pytest

from judge.running.records import LearnerError
from tests.judge.checking.diagnosis.test_translations import cell, error_of, translate

WORDS = "class Words:\n    def encode(self):\n        return {}\nWords().encode()"


def test_what_was_never_kept_is_said_to_be_missing_from_init():
    told = translate(error_of(cell(WORDS.format("self.ids"))), {})
    assert told == "`self.ids` is read before anything has been put there: set it in `__init__`, under the same name."


def test_an_attribute_of_something_else_gets_no_such_advice():
    assert translate(error_of(cell(WORDS.format("Words.ids"))), {}) is None
    assert translate(error_of(cell(WORDS.format("(1.5).ids"))), {}) is None


@pytest.mark.parametrize(
    "error",
    [LearnerError("TypeError", "unhashable type: 'slice'"), LearnerError("KeyError", "slice(1, None, None)")],
    ids=["Python 3.11", "Python 3.12"],
)
def test_a_slice_of_a_dict_gets_its_advice_on_every_python(error):
    assert translate(error, {}) == "A dict has no slices: look one key up, `d[key]`."


def test_a_key_that_reads_like_a_slice_gets_no_such_advice():
    assert translate(LearnerError("KeyError", "'slice(1, None, None)'"), {}) is None
