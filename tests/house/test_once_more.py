""".ci/tests.py: what fails beside others is run once more by itself, and what fails twice is a failure."""

import pytest

from tests.house.test_installing import script

pytestmark = pytest.mark.slow
tests = script("tests")
FAILS_AT_FIRST = """
from pathlib import Path

def test_{name}():
    been = Path(__file__).with_name("{name}.been")
    before, _ = been.exists(), been.touch()
    assert before
"""


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr(tests, "ROOT", tmp_path)
    tmp_path.joinpath("suite").mkdir()
    return tmp_path / "suite"


def ran(*more):
    return tests.main(["-q", "-p", "no:gpt-from-scratch", "--numprocesses", "2", *more, "suite"])


def fails_at_first(folder, *names):
    for name in names:
        folder.joinpath(f"test_{name}.py").write_text(FAILS_AT_FIRST.format(name=name))


def test_what_passes_by_itself_is_named_and_no_failure(folder, capfd):
    fails_at_first(folder, "a")
    folder.joinpath("test_b.py").write_text("def test_b(): pass")
    assert ran("--dist", "loadfile", "-m", "not slow") == 0
    said = capfd.readouterr().out
    assert "1 failed, 1 passed" in said and "\n1 passed" in said
    assert said.splitlines()[-1].endswith("which should be mended: suite/test_a.py::test_a")


def test_what_fails_twice_is_a_failure(folder, capfd):
    fails_at_first(folder, "a")
    folder.joinpath("test_b.py").write_text("def test_b(): assert False")
    assert ran() == 1
    assert "should be mended" not in capfd.readouterr().out


def test_many_failures_have_another_cause(folder, capfd):
    fails_at_first(folder, *"abcdef")
    assert ran() == 1
    assert "Once more" not in capfd.readouterr().out


@pytest.mark.parametrize(("source", "status"), [("def test_b(): pass", 0), ("import nothing_of_that_name", 1)])
def test_what_passes_is_run_once_and_what_can_not_be_read_fails(folder, source, status, capfd):
    folder.joinpath("test_b.py").write_text(source)
    assert ran() == status
    assert "Once more" not in capfd.readouterr().out


def test_a_notebook_is_run_again_as_a_whole():
    failed = ["solutions/a.ipynb::Cell 3", "solutions/a.ipynb::Cell 4", "tests/test_a.py::test_a[x.ipynb]"]
    assert tests.again_as(failed) == ["solutions/a.ipynb", "tests/test_a.py::test_a[x.ipynb]"]
