"""utils.repairing.search: how much is tried, and what a reader is told meanwhile."""

import os

import pytest
import torch
from torch import nn

from tests.checking.tiny import scale
from tests.repairing.test_search import LEFT_OUT, SEED, WRONG, forked, found, written
from utils.repairing import find_repair, search

pytestmark = pytest.mark.usefixtures("unhurried")


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
    monkeypatch.setattr(search, "passes", lambda *arguments: tried.append(arguments))
    monkeypatch.setattr(search, "MOST_CANDIDATES", 7)
    assert found(written(WRONG)) is None and len(tried) == 7
