"""utils.repairing.named: a misconception beside an edit is named only where it is true of the answer as written."""

import ast

import pytest
import torch
from torch import nn

from tests.checking.tiny import scale
from tests.repairing.test_search import SEED, written
from utils.edits.edit import Edit
from utils.edits.trees import statements
from utils.repairing import looking, named
from utils.repairing.trying import Answer

FIRST_LINE = (("body", 0), ("body", 1), ("body", 0))
LEFT = named.Left("leaving out `b`", "Add `self.b`.")


def searched(body):
    """A search with this answer."""
    cell = written(body)
    names = {"__name__": "__main__", "torch": torch, "nn": nn}
    exec(cell, names)
    question = next(one for one in scale.questions(seed=SEED) if not one.options)
    return looking.Search(Answer(scale, cell, ast.parse(cell), names), question, (), SEED)


def edited(search, becomes, kind="text"):
    edit = Edit(kind, ((FIRST_LINE, statements(becomes)),), "before", becomes, 8, 1.0)
    return looking.First(search, edit)


@pytest.mark.parametrize("kind", ["text", "bool", "name"])
def test_what_the_edit_itself_has_made_is_not_named(kind):
    search = searched("return (x * self.w + self.b) * 2")
    first = edited(search, "return x * self.w", kind)
    assert named._misconception(first.answer, SEED) == LEFT
    assert named._left(search, first) is None


@pytest.mark.parametrize("mends", [True, False])
def test_the_edit_mends_something_by_itself(mends, monkeypatch):
    search = searched("return x * self.w")
    first = edited(search, "return x * self.w")
    monkeypatch.setattr(named, "_mends", lambda *arguments: mends)
    assert named._left(search, first) == (LEFT if mends else None)


@pytest.mark.parametrize(
    ("becomes", "mends"),
    [("return x * self.w + self.b", True), ("return x * self.w", False), ("return x", False)],
)
def test_to_mend_is_to_answer_a_question_that_was_answered_wrongly(becomes, mends):
    search = searched("return x * self.w + self.b + 1")
    assert named._mends(search, edited(search, becomes)) == mends


@pytest.mark.parametrize(
    ("body", "shows"),
    [
        ("return x * self.w", True),
        ("return x * self.w + self.b * 2", False),  # wrong, but otherwise
        ("return x * self.w + (self.b if x.requires_grad else 0)", False),  # right at a question where that is wrong
    ],
)
def test_a_misconception_shows_where_the_answer_is_never_right_against_it(body, shows):
    known = next(one for one in scale.misconceptions if one.name == LEFT.name)
    assert named._has(searched(body), known) == shows
