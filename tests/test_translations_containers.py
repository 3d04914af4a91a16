"""What is said of a class that is no nn.Module, when it reads what it never kept."""

from tests.test_translations import cell, error_of
from utils.checking.translations import translate

WORDS = "class Words:\n    def encode(self):\n        return {}\nWords().encode()"


def test_what_was_never_kept_is_said_to_be_missing_from_init():
    told = translate(error_of(cell(WORDS.format("self.ids"))), {})
    assert told == "`self.ids` is read before anything has been put there: set it in `__init__`, under the same name."


def test_an_attribute_of_something_else_gets_no_such_advice():
    assert translate(error_of(cell(WORDS.format("Words.ids"))), {}) is None
    assert translate(error_of(cell(WORDS.format("(1.5).ids"))), {}) is None
