"""judge.repairing.senseless: an edit that only undoes something by a part that does nothing is no repair."""

import ast

import pytest

from judge.edits.candidates import edits
from judge.repairing import search, trying
from judge.repairing.senseless import is_senseless
from tests.judge.repairing.test_search import found, written

pytestmark = pytest.mark.usefixtures("unhurried")


@pytest.mark.parametrize(
    ("before", "after", "senseless"),
    [
        ("x.transpose(0, 1)", "x.transpose(0, -3)", True),
        ("x.transpose(0, 1)", "x.transpose(1, 1)", True),
        ("torch.transpose(x, 0, 1)", "torch.transpose(x, 1, 1)", True),
        ("x.transpose(1, 1)", "(x + 1).transpose(1, 2)", False),
        ("x.transpose(1, 1) + 1", "x.transpose(1, 1)", False),  # that was there before
        ("x.transpose(0, 1)", "x.transpose(0, 2)", False),
        ("x.transpose(0, 1)", "x.transpose(0, -1)", False),  # one axis alone has both names
        ("x.transpose(-1, 1)", "x.transpose(-1, -2)", False),
        ("k.transpose(1, 2)", "k.transpose(2, -1)", True),
        ("k.transpose(1, -1)", "k.transpose(2, -1)", False),  # the learner counts from both ends
        ("x.transpose(0, n)", "x.transpose(1, n)", False),
        ("1 - x", "1 - (1 - x)", True),
        ("x - y - y", "x - (y - y)", True),
        ("x / y", "x / y * y", True),
        ("x - y - z", "x - (y - z)", False),
        ("x - y", "x - y.mean()", False),
        ("x * y", "x * y - x", False),
    ],
)
def test_a_part_that_does_nothing_is_senseless_where_the_edit_brings_it(before, after, senseless):
    assert is_senseless(ast.parse(after), ast.parse(before)) == senseless


@pytest.mark.parametrize("swap", ["y.transpose(0, 1)", "torch.transpose(y, 0, 1)"])
def test_no_number_is_shown_that_makes_a_swap_do_nothing(swap, monkeypatch):
    def numbers(*arguments):
        return [edit for edit in edits(*arguments) if edit.kind == "number"]

    cell = written(f"y = x * self.w + self.b\nreturn {swap}")
    assert found(cell).before == swap  # it is left out
    monkeypatch.setattr(search, "edits", numbers)
    assert found(cell) is None
    monkeypatch.setattr(trying, "is_senseless", lambda mended, before: False)
    assert found(cell).after in ("y.transpose(-2, 1)", "torch.transpose(y, 1, 1)")
