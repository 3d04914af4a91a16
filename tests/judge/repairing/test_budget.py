"""judge.repairing.search: how much is looked at and tried, and what a reader is told meanwhile."""

import ast
import os
import time

import pytest
import torch
from torch import nn

from judge.repairing import find_repair, search, trying
from judge.repairing.trust import reached_by
from tests.judge.checking.tiny import scale
from tests.judge.repairing.test_search import LEFT_OUT, RIGHT, SEED, WRONG, forked, found, written
from tests.judge.repairing.test_trust import notebook

pytestmark = pytest.mark.usefixtures("unhurried")


@pytest.mark.slow
@pytest.mark.parametrize("fork", [pytest.param(True, marks=forked), False])
@pytest.mark.parametrize(("after", "times"), [(-1.0, 1), (600.0, 0)])
def test_a_reader_is_told_once_of_a_search_that_takes_a_while(after, times, fork, monkeypatch):
    monkeypatch.setattr(search, "A_WHILE", after)
    monkeypatch.setattr(search, "can_fork", lambda: fork)
    names = {"__name__": "__main__", "torch": torch, "nn": nn}
    exec(written(WRONG), names)
    verdict = scale.judge(names["Scale"], seed=SEED)
    told = []
    assert find_repair(scale, verdict, written(WRONG), names, lambda: told.append(os.getpid())) == LEFT_OUT
    assert told == [os.getpid()] * times


def test_the_number_that_is_tried_is_bounded(monkeypatch):
    monkeypatch.setattr(search, "can_fork", lambda: False)
    tried = []
    monkeypatch.setattr(search, "mends", lambda *arguments: tried.append(arguments))
    monkeypatch.setattr(search, "MOST_CANDIDATES", 7)
    assert found(written(WRONG)) is None and len(tried) == 7


def test_no_candidate_gets_more_time_than_is_left(monkeypatch):
    worked = 0.0

    def endless(*given):
        nonlocal worked
        worked += min(given[-1], trying.WHOLE)  # all that it may take

    monkeypatch.setattr(search, "can_fork", lambda: False)
    monkeypatch.setattr(search, "WORK", 2 * trying.WHOLE + 1)
    monkeypatch.setattr(search, "work_time", lambda: worked)
    monkeypatch.setattr(search, "mends", endless)
    assert found(written(WRONG)) is None and worked == search.WORK


def test_nothing_that_is_tried_may_take_longer_than_a_search(monkeypatch):
    most = set()

    def limited(limit, work):
        most.add(limit.seconds)
        return work()

    monkeypatch.setattr(search, "can_fork", lambda: False)
    monkeypatch.setattr(search, "WORK", 3.0)
    monkeypatch.setattr(search, "work_time", lambda: 0.0)
    monkeypatch.setattr(trying, "limited", limited)
    assert found(written(WRONG)) == LEFT_OUT
    assert max(most) == 3.0 < trying.WHOLE


MUCH = {
    "many lines": (f"{RIGHT} * 2\n{written(RIGHT)}" + "x = 1\n" * 10_000, ""),
    "many functions beside it": (written(WRONG), "\n".join(f"def f{n}(x): return f{n + 1}(x)" for n in range(2_000))),
    "a long answer": (written("\n".join(["y = x * 2 + (x - 1)"] * 1_000) + f"\n{WRONG}"), ""),
    "a large table": (written(f"table\n{WRONG}"), "table = [[n] for n in range(100_000)]"),
    "a deep table": (written(f"table\n{WRONG}"), "table = []\nfor n in range(100_000): table = [table]"),
    "many numbers": (written(f"table\n{WRONG}"), "table = torch.zeros(10_000_000)"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("cell", "before"), MUCH.values(), ids=MUCH)
def test_what_is_too_much_to_look_at_is_not_tried(cell, before, monkeypatch):
    monkeypatch.setattr(search, "can_fork", lambda: False)
    names = notebook(before, written(WRONG))
    cell = cell.replace("return x", "f0(x)\n        return x") if "f0" in names else cell
    verdict = scale.judge(names["Scale"], seed=SEED)
    started = time.process_time()
    assert find_repair(scale, verdict, cell, names) is None
    assert time.process_time() - started < 2


def test_functions_that_call_one_another_are_read_once():
    names = notebook("\n".join(f"def f{n}(x): return f{n + 1}(x) + f{n + 2}(x)" for n in range(100)))
    started = time.process_time()
    assert reached_by(ast.parse("def answer(x): return f0(x)"), names) is not None
    assert time.process_time() - started < 1
