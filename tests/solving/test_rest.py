"""utils.solving.rest: what a page lacks is said where an answer asks for it."""

import importlib.util
import sys

import pytest

from utils.solving import rest


def test_a_library_that_no_page_has_is_told_of():
    with pytest.raises(ModuleNotFoundError, match=f"^No module named 'numpy': {rest.ELSEWHERE}$"):
        rest.Others().find_spec("numpy")


def test_of_other_names_nothing_is_said():
    assert [rest.Others().find_spec(name) for name in ("jsn", "numpy_", "_ctypes", "my.numpy")] == [None] * 4


def test_it_can_be_asked_whether_a_library_is_here(monkeypatch):
    monkeypatch.setattr(rest, "OTHERS", {"nowhere_at_all"})
    monkeypatch.setattr("sys.meta_path", [*sys.meta_path, rest.Others()])
    assert importlib.util.find_spec("nowhere_at_all") is None
    with pytest.raises(ModuleNotFoundError, match=rest.ELSEWHERE):
        importlib.import_module("nowhere_at_all")


def test_nobody_types(monkeypatch):
    monkeypatch.setattr("sys.stdin", rest.Nobody())
    with pytest.raises(OSError, match="nobody can type here"):
        input("who? ")
