"""judge.repairing.trying: an edit that adds a part which does nothing, or keeps a branch from running, is no repair."""

import ast
from dataclasses import replace

import pytest
import torch

from judge.checking.asking import record_of
from judge.edits.candidates import Edit, edits
from judge.edits.trees import expression
from judge.repairing import search, trying
from judge.repairing.trying import is_senseless, makes_idle, reference_still_passes
from judge.running.records import Question
from tests.judge.checking.tiny import SMALL, WEIGHTS, Scale, X, scale
from tests.judge.repairing.test_search import found, written

pytestmark = pytest.mark.usefixtures("unhurried")
passes = type(scale).passes


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


def test_a_condition_that_never_holds_any_more_is_no_repair():
    repair = found(written("if x.shape[1] == 3:\n    x = x + 1\nreturn x * self.w + self.b"))
    assert (repair.line, repair.before, repair.after) == (9, "x + 1", "x")  # and not shape[0] in line 8


def test_a_condition_that_draws_is_not_turned_off():
    repair = found(written("if torch.rand(()) < 0.5:\n    return x\nreturn x * self.w + self.b"))
    assert (repair.line, repair.after) == (8, "")  # and not `torch.rand(()) == 0.5`


def test_a_condition_that_always_holds_is_no_repair():
    repair = found(written("if x.shape[1] == 3:\n    return x * self.w + self.b\nreturn x * self.w"))
    assert repair is None or repair.after != "x.shape[1] >= 3"


def test_order_in_the_place_of_equality_is_no_repair_where_the_condition_never_holds():
    repair = found(written("if x.shape[1] > 0:\n    x = x + 1\nreturn x * self.w + self.b"))
    assert (repair.line, repair.before, repair.after) == (9, "x + 1", "x")


def test_a_condition_may_be_turned_round_though_it_never_holds_then():
    repair = found(written("if x is not None:\n    return None\nreturn x * self.w + self.b"))
    assert (repair.line, repair.before) == (8, "x is not None")


@pytest.mark.parametrize(
    ("code", "argument", "becomes", "idle"),
    [
        ("torch.where(x > 3, x, -x)", 0, "x == 3", True),
        ("x.where(x > 3, -x)", 0, "x < 9", True),
        ("torch.masked_fill(x, x > 3, 0)", 1, "x > 8", True),
        ("x.masked_fill(x > 3, 0)", 0, "x < 3", False),
        ("torch.masked_fill(x, x > 3, 0)", 0, "x + 1", False),  # that is no mask
    ],
)
def test_a_mask_that_holds_nowhere_or_everywhere_is_no_repair(code, argument, becomes, idle):
    path = (("body", 0), ("body", 0), ("value", None), ("args", argument))
    edit = Edit("comparison", ((path, expression(becomes)),), code, becomes, 2, 1.0)

    def tried(tree, more):
        names = {"torch": torch} | more
        exec(compile(ast.fix_missing_locations(tree), "<answer>", "exec"), names)
        names["answer"](torch.tensor([5.0, 1.0]))

    assert makes_idle(edit, ast.parse(f"def answer(x):\n    return {code}"), tried) == idle


def test_a_choice_between_two_tensors_can_be_left_out():
    repair = found(written("y = x * self.w + self.b\nreturn torch.where(x > 0, torch.zeros_like(y), y)"))
    assert (repair.line, repair.after) == (9, "y")  # and no mask that holds nowhere


@pytest.mark.parametrize("kind", ["name", "index"])
@pytest.mark.parametrize(("values", "idle"), [([5], True), ([5, 1], False)])
def test_another_name_or_index_in_a_condition_is_no_repair_where_it_always_holds_then(values, idle, kind):
    path = (("body", 0), ("body", 0), ("test", None))
    edit = Edit(kind, ((path, expression("x > 3")),), "y > 3", "x > 3", 2, 1.0)

    def tried(tree, more):
        names = dict(more)
        exec(compile(ast.fix_missing_locations(tree), "<answer>", "exec"), names)
        for value in values:
            names["answer"](value, 0)

    tree = ast.parse("def answer(x, y):\n    if y > 3:\n        x = x + 1\n    return x")
    assert makes_idle(edit, tree, tried) == idle


@pytest.mark.parametrize(("library", "asked"), [("torch", "all"), ("jax", "one")])
def test_what_changes_the_reference_is_seen_and_where_questions_are_compiled_one_is_asked(library, asked, monkeypatch):
    question, calls = Question("component", (SMALL, WEIGHTS, X), {}, 0), []
    monkeypatch.setattr(type(scale), "passes", lambda *arguments, **options: calls.append("all") or passes(*arguments))
    monkeypatch.setattr(trying, "record_of", lambda *arguments: calls.append("one") or record_of(*arguments))
    exercise = replace(scale, library=library)
    exercise.symbol, exercise.body, exercise.declared_at = scale.symbol, scale.body, scale.declared_at
    assert reference_still_passes(exercise, question, 0)
    assert calls == [asked]
    right = Scale.forward
    monkeypatch.setattr(Scale, "forward", lambda self, x: right(self, x) + 1)
    assert not reference_still_passes(exercise, question, 0)
