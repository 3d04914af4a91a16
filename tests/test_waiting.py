"""The bar of a long cell: it hands on every item, and is not there where outputs are stored."""

import pytest

from utils.waiting import waiting


@pytest.mark.parametrize("hidden", ["off", ""])
def test_every_item_comes_once_and_in_order(monkeypatch, capsys, hidden):
    monkeypatch.setenv("COURSE_WIDGETS", hidden)
    assert list(waiting((number for number in range(3)), "counting", total=3)) == [0, 1, 2]
    shown = "".join(capsys.readouterr())
    assert ("counting" in shown) == (not hidden)
