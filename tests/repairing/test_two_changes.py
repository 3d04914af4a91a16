"""utils.repairing.looking and nearness: of two mistakes at once both are found, the nearest steps first."""

import ast
import math
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from tests.checking.tiny import scale
from tests.repairing.test_search import FOUND, SEED, found, written
from utils.edits.edit import Edit
from utils.edits.trees import expression, node_at, walk
from utils.repairing import dealing, looking
from utils.repairing.nearness import how_far, is_nearer
from utils.repairing.trying import Answer
from utils.repairing.two import alone_in, are_two_slips
from utils.running.records import LearnerError, Record

pytestmark = pytest.mark.usefixtures("unhurried")

TWO = {
    "in two lines": (
        "y = x * self.w * 2\nreturn y + self.b.exp()",
        [(8, "x * self.w * 2", "x * self.w"), (9, "self.b.exp()", "self.b")],
    ),
    "an error, and then another": (
        "y = x * self.w.sqroot()\nreturn y + self.b.exq()",
        [(8, "self.w.sqroot()", "self.w"), (9, "self.b.exq()", "self.b")],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("body", "changes"), TWO.values(), ids=TWO)
def test_both_changes_are_found(body, changes):
    repair = found(written(body))
    assert sorted((one.line, one.before, one.after) for one in repair.changes) == sorted(changes)


NOT_TWO = {
    "in one line": "return (x * self.w + self.b * 2).tanh()",
    "one statement written anew": "y = x\nz = self.b\nreturn y.exp() - z.sum() * self.w",
}


@pytest.mark.slow
@pytest.mark.parametrize("body", NOT_TWO.values(), ids=NOT_TWO)
def test_one_line_is_no_two_things(body):
    assert found(written(body)) is None


BODY = ast.parse("def f(x, y):\n    z = x + y + 1\n    z = z * y\n    return z.exp() + y")
Z, W, END = ((("body", 0), ("body", number), ("value", None)) for number in range(3))


def edit_of(path, text, line):
    return Edit("name", ((path, expression(text)),), "", text, line, 1.0)


@pytest.mark.parametrize(
    ("first", "second", "are_two"),
    [
        (edit_of(Z, "x + y", 2), edit_of(W, "z * x", 3), True),
        (edit_of(Z, "x + y", 2), edit_of((*Z, ("left", None)), "x - y", 2), False),  # in one line
        (edit_of(Z, "y.sum() - x", 2), edit_of(W, "x.mean()", 3), False),  # more than a statement
    ],
)
def test_two_slips_are_in_two_lines_and_small(first, second, are_two):
    assert are_two_slips(BODY, first, first.applied(BODY), second) == are_two


def test_an_edit_is_undone_by_making_the_other_alone():
    first, second = edit_of(Z, "x + y", 2), edit_of(W, "z * x", 3)
    alone = alone_in(BODY, first.applied(BODY), second)
    assert ast.unparse(alone) == ast.unparse(second.applied(BODY))
    later = edit_of(Z, "x", 2)  # an edit of what the first has written
    assert alone_in(BODY, first.applied(BODY), later) is None


@pytest.fixture
def search():
    """A search with the answer of `TWO`, and its first edit."""
    cell = written(TWO["in two lines"][0])
    names = {"__name__": "__main__", "torch": torch, "nn": nn}
    exec(cell, names)
    verdict = scale.judge(names["Scale"], seed=SEED)
    answer = Answer(scale, cell, ast.parse(cell), names)
    return looking.Search(answer, verdict.failure.question, (), SEED)


def edit_to(search, after, line):
    """The edit of the answer that makes a line this."""
    return next(one for one in search.edits if one.line == line and one.after == after)


def test_both_of_two_edits_are_due(search):
    first, second = edit_to(search, "x * self.w", 8), edit_to(search, "self.b", 9)
    step = looking.First(search, first)
    assert looking._are_both_due(search, step, second)


def test_where_the_second_alone_is_enough_two_things_are_not_wrong(search, monkeypatch):
    first, second = edit_to(search, "x * self.w", 8), edit_to(search, "self.b", 9)
    monkeypatch.setattr(looking, "passes", lambda *arguments: True)
    assert not looking._are_both_due(search, looking.First(search, first), second)


def test_nor_where_the_second_alone_does_harm(search, monkeypatch):
    first, second = edit_to(search, "x * self.w", 8), edit_to(search, "self.b", 9)
    monkeypatch.setattr(
        looking, "far_from_right", lambda answer, tree, question: 1.2 + (tree is not answer.definitions)
    )
    assert not looking._are_both_due(search, looking.First(search, first), second)


@pytest.mark.parametrize("cell", [cell for cell, _ in FOUND.values()], ids=FOUND)
def test_where_one_change_is_enough_there_is_no_second(cell):
    assert found(cell).then is None


@pytest.mark.slow
def test_without_a_child_too(monkeypatch):
    monkeypatch.setattr(dealing, "can_fork", lambda: False)
    assert len(found(written(TWO["in two lines"][0])).changes) == 2


@pytest.mark.slow
def test_how_many_pairs_are_tried_is_bounded(monkeypatch):
    monkeypatch.setattr(dealing, "can_fork", lambda: False)
    monkeypatch.setattr(looking, "SECONDS", 1)
    assert found(written(TWO["in two lines"][0])) is None


def test_pairs_begin_with_the_nearest_and_the_likeliest():
    pairs = list(looking._pairs(3, 6))
    assert pairs[:3] == [(0, 0), (0, 1), (1, 0)]
    assert sorted(pairs) == [(first, second) for first in range(3) for second in range(6 // (first + 1))]


def test_of_steps_that_come_equally_near_few_are_gone_on_with():
    kinds = [*"bcdefg", "name", "name", "slice", "slice", "bool", "frame", "number"]
    search = SimpleNamespace(edits=[SimpleNamespace(kind=kind) for kind in kinds])
    through, alike = [(-1.0, place) for place in range(5)], [(1.5, place) for place in range(6, 13)]
    others = [(1.5, place) for place in (6, 8, 10, 11)]  # one of each kind, four at most
    assert looking.nearest(search, [*alike, (1.2, 5), *through]) == [*through, (1.2, 5), *others]
    errors = [(3.1, place) for place in range(6, 13)]  # which say less of what an edit does
    assert looking.nearest(search, errors) == errors[: looking.MOST_ALIKE]


def test_what_an_edit_brings_in_stands_in_the_lines_of_what_it_replaces():
    tree = ast.parse("def f(x):\n    y = x + 1\n    return y")
    edit = Edit("name", (((("body", 0), ("body", 1), ("value", None)), expression("y.exp()")),), "y", "y.exp()", 3, 1.0)
    lines = {node.lineno for node, path in walk(edit.located(tree)) if path[1:3] == (("body", 1), ("value", None))}
    assert lines == {3}
    assert node_at(tree, (("body", 0), ("body", 1))).lineno == 3


QUESTION = next(one for one in scale.questions() if "names" not in one.options)
RIGHT = Record([torch.tensor([1.0, -2.0, 3.0])])


def far(*outputs, monkeypatch, error=None, want=RIGHT):
    monkeypatch.setattr("utils.repairing.nearness.expected", lambda exercise, question: want)
    monkeypatch.setattr("utils.repairing.gate.expected", lambda exercise, question: want)
    return how_far(scale, QUESTION, Record(list(outputs), error=error))


def test_less_that_is_wrong_is_nearer(monkeypatch):
    def of(*values):
        return far(torch.tensor(values), monkeypatch=monkeypatch)

    in_order = [
        of(1.0, -2.0, 3.0),
        of(1.0, -2.0, 3.5),
        of(1.0, -2.0, 9.0),
        of(1.0, 2.0, 9.0),
        of(1.0, math.inf, math.nan),
    ]
    assert in_order[0] == 0.0 and in_order == sorted(set(in_order))
    other_shape, other_rank = of(1.0, -2.0), far(torch.ones(3, 1), monkeypatch=monkeypatch)
    errors = [far(error=LearnerError("ValueError", "no"), monkeypatch=monkeypatch)]
    assert in_order[-1] < other_shape < other_rank < errors[0]


def test_of_lists_more_that_is_the_same_is_nearer(monkeypatch):
    want = Record([["the", " fox", " ran"]])
    almost, little = (far(one, want=want, monkeypatch=monkeypatch) for one in (["the", " fox"], ["a", "b", " ran"]))
    assert 1 < almost < little < 2 <= far("the fox ran", want=want, monkeypatch=monkeypatch)


@pytest.mark.parametrize(
    ("now", "before", "nearer"),
    [
        (1.3, 1.4, True),
        (1.4, 1.4, False),
        (1.39999, 1.4, False),
        (0.0, 1.1, True),
        (2.1, 1.9, False),
        (0.5, 0.5, False),
    ],
)
def test_a_step_is_more_than_rounding(now, before, nearer):
    assert is_nearer(now, before) == nearer
