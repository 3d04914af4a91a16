"""utils.learner.cards, and the reporter's second card: a repair is told step by step, to the learner alone."""

import contextlib
import linecache
import re
from types import SimpleNamespace

import pytest

from judge import repairing
from judge.checking import CheckFailed
from judge.checking.verdict import Failure, Verdict
from judge.repairing import Repair
from tests.ch03_layernorm import test_layer_norm as judge_layer_norm
from tests.learner.test_cards import Page
from utils.course import UNWATCHED
from utils.learner.cards import as_folds, as_html, as_line
from utils.learner.reporter import STILL_LOOKING, LearnerReporter

STEM = "ch03_layernorm"
CELL = """\
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual):
        centred = residual - residual.mean(dim=-1, keepdim=True)
        variance = centred.pow(2).mean(dim=-1, keepdim=True)
        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
"""
WRONG = CELL.replace("+ self.b", "+ self.b + 0.37")
FAILED = Verdict("LayerNorm", failure=Failure("holds", ("it does not",)))
REPAIR = Repair(7, "y = x[<b>] * `w`", "A `name` is another.", "x[<b>]", "x[<i>]", 1, False)


def repair(**different):
    return Repair(**{**vars(REPAIR), **different})


def words(one):
    """What a reader sees who opens one fold after the other."""
    return "".join(Page(re.sub("(<details)", r"FOLD\1", as_folds(one))).words)


def test_where_what_kind_and_what_are_told_one_after_the_other():
    _, where, kind, change = words(REPAIR).split("FOLD")
    assert "y = x[<b>] * `w`" in where and "ine 7" in where and "name" not in where
    assert "A name is another." in kind and "x[" not in kind
    assert "x[<b>] → x[<i>]" in change


@pytest.mark.parametrize("one", [REPAIR, repair(whole=True), repair(after=""), repair(before=""), repair(places=2)])
def test_folds_are_html_without_script_and_escape_what_the_learner_wrote(one):
    page = Page(as_folds(one))
    assert page.open == [] and page.tags == {"details", "summary", "div", "code"} and page.attributes == {"style"}
    assert as_folds(one).count("<details") == (2 if one.whole else 3)
    assert "y = x[<b>] * `w`" in "".join(page.words)


def test_a_repair_that_is_the_whole_solution_is_not_shown():
    whole = repair(whole=True, before="SECRET BEFORE", after="SECRET AFTER")
    assert "SECRET" not in as_folds(whole) + as_line(whole)


@pytest.mark.parametrize(
    ("one", "change"),
    [
        (repair(after=""), "Leave out x[<b>]."),
        (repair(before=""), "Add x[<i>] here."),
        (repair(places=2), "A name is another. It is made in 2 places."),
    ],
)
def test_the_change_is_put_in_words(one, change):
    assert change in words(one)


def test_as_text_it_is_one_line_with_the_number_alone():
    assert "line 7 " in as_line(REPAIR) and len(as_line(REPAIR).splitlines()) == 1 and "x[" not in as_line(REPAIR)


def test_the_folds_stand_in_the_card():
    page = as_html(FAILED, folds=as_folds(REPAIR))
    assert as_folds(REPAIR) in page and Page(page).open == []
    assert page.replace(as_folds(REPAIR), "") == as_html(FAILED)


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """What a notebook displays: each card, and in its place each later one."""
    found = []
    handle = SimpleNamespace(update=lambda data, raw: found.append(("again", data)))
    monkeypatch.setattr("IPython.display.display", lambda data, **options: found.append(("first", data)) or handle)
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    for name in UNWATCHED:
        monkeypatch.delenv(name)
    return found


@pytest.fixture
def searched(monkeypatch):
    """The cells in which a repair was looked for; it is always found."""
    cells = []
    monkeypatch.setattr(repairing, "find_repair", lambda exercise, verdict, cell, *more: cells.append(cell) or REPAIR)
    return cells


def run_cells(monkeypatch, *cells, in_notebook=True):
    """The names of a shell in which these cells were run."""
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        file = f"/tmp/ipykernel_1/{number}.py"
        monkeypatch.setitem(linecache.cache, file, (len(cell), None, cell.splitlines(keepends=True), file))
        exec(compile(cell, file, "exec"), names)
    history = SimpleNamespace(input_hist_parsed=["", *cells])
    shell = SimpleNamespace(kernel=in_notebook or None, user_ns=names, history_manager=history)
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    return names


def report(component, verdict=FAILED):
    return LearnerReporter().report(STEM, verdict, component)


@pytest.mark.slow
def test_a_test_function_shows_its_card_at_once_and_anew_with_the_repair(shown, unhurried, monkeypatch):
    names = run_cells(monkeypatch, "import torch", WRONG, "layer = LayerNorm")
    with pytest.raises(CheckFailed) as caught:
        judge_layer_norm(names["LayerNorm"])
    (first, before), *_, (again, after) = shown  # a slow machine says meanwhile that it is still looking
    card = caught.value.verdict
    assert (first, again) == ("first", "again")
    assert before == {"text/plain": str(card), "text/html": as_html(card)}
    assert after["text/plain"].startswith(f"{card}\n") and "line 15 " in after["text/plain"].splitlines()[-1]
    assert "<details" in after["text/html"]
    assert str(caught.value) == str(card) and caught.value.card_is_seen


def test_the_card_is_updated_once_with_the_folds(shown, searched, monkeypatch):
    assert report(run_cells(monkeypatch, WRONG)["LayerNorm"]) is True
    (_, before), (_, after) = shown
    assert before == {"text/plain": str(FAILED), "text/html": as_html(FAILED)}
    assert after["text/plain"] == f"{FAILED}\n  {as_line(REPAIR)}"
    assert after["text/html"] == as_html(FAILED, folds=as_folds(REPAIR))


@pytest.mark.parametrize("result", [REPAIR, None, KeyboardInterrupt])
def test_a_card_says_that_it_is_still_looked_for_and_no_longer(result, shown, monkeypatch):
    def find(exercise, verdict, cell, names, still_looking):
        still_looking()
        if result is KeyboardInterrupt:
            raise result
        return result

    names = run_cells(monkeypatch, WRONG)
    monkeypatch.setattr(repairing, "find_repair", find)
    with pytest.raises(KeyboardInterrupt) if result is KeyboardInterrupt else contextlib.nullcontext():
        report(names["LayerNorm"])
    _, (_, meanwhile), (_, after) = shown
    assert STILL_LOOKING in meanwhile["text/html"] and meanwhile["text/plain"] == str(FAILED)
    assert STILL_LOOKING not in after["text/html"]
    assert (as_folds(REPAIR) in after["text/html"]) == (result is REPAIR)


def test_the_cell_that_ran_last_is_the_one_that_is_mended(shown, searched, monkeypatch):
    cells = ["import torch", CELL, WRONG, "layer = LayerNorm"]
    report(run_cells(monkeypatch, *cells)["LayerNorm"])
    assert searched == [WRONG]


def test_nothing_is_looked_for_where_the_cell_that_made_it_is_unknown(shown, searched, monkeypatch):
    names = run_cells(monkeypatch, WRONG)
    monkeypatch.setitem(linecache.cache, "<string>", (6, None, ["pass\n"], "<string>"))  # as in `python -c`, from 3.13
    exec(CELL, names)  # as below %%time
    report(names["LayerNorm"])
    assert len(shown) == 1 and searched == []


def test_nothing_is_looked_for_in_a_graded_run(shown, searched, monkeypatch):
    monkeypatch.setenv("COURSE_REPAIRS", "off")
    report(run_cells(monkeypatch, WRONG)["LayerNorm"])
    assert len(shown) == 1 and searched == []


def test_nothing_is_looked_for_under_another_name(shown, searched, monkeypatch):
    report(run_cells(monkeypatch, WRONG, "Mine, LayerNorm = LayerNorm, None")["Mine"])
    assert len(shown) == 1 and searched == []


def test_nothing_is_looked_for_outside_a_notebook(shown, searched, monkeypatch):
    assert report(run_cells(monkeypatch, WRONG, in_notebook=False)["LayerNorm"]) is False
    assert shown == [] and searched == []


@pytest.mark.parametrize("failure", [None, Failure("", ("Write it.",), not_yet=True)])
def test_nothing_is_looked_for_after_a_pass_or_in_a_stub(failure, shown, searched, monkeypatch):
    report(run_cells(monkeypatch, CELL)["LayerNorm"], Verdict("LayerNorm", failure=failure))
    assert len(shown) == 1 and searched == []


@pytest.mark.parametrize(
    "broken", ["judge.repairing.find_repair", "utils.learner.reporter.as_folds", "utils.learner.reporter.exercises"]
)
def test_a_failure_of_the_search_leaves_the_card(broken, shown, searched, monkeypatch):
    def fail(*arguments):
        raise RuntimeError("out of order")

    names = run_cells(monkeypatch, WRONG)
    monkeypatch.setattr(broken, fail)
    assert report(names["LayerNorm"]) is True
    assert shown == [("first", {"text/plain": str(FAILED), "text/html": as_html(FAILED)})]


def test_a_display_that_can_not_be_changed_keeps_its_card(shown, searched, monkeypatch):
    names = run_cells(monkeypatch, WRONG)
    monkeypatch.setattr("IPython.display.display", lambda data, **options: shown.append(data))
    assert report(names["LayerNorm"]) is True and len(shown) == 1
