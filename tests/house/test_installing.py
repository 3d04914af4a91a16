""".ci/install.py and .ci/environments.py: what uv is told, which Pythons are found, what is said at the end."""

import importlib.util
import sys
from types import SimpleNamespace

import pytest

from utils.course import ROOT


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


install, environments = script("install"), script("environments")
CONFIGURED = """\
:env:.find-links='/opt/mine /opt/more'
global.extra-index-url='https://one/simple\\nhttps://two/simple'
global.find-links='/opt/others'
install.index-url='https://mirror/simple'
global.timeout='60'
"""


@pytest.fixture
def pip_says(monkeypatch):
    def say(text):
        monkeypatch.setattr(install.subprocess, "run", lambda command, **options: SimpleNamespace(stdout=text))

    for variable in (*install.OF_UV.values(), "UV_INDEX_STRATEGY"):
        monkeypatch.delenv(variable, raising=False)
    return say


def test_uv_looks_where_pip_is_told_to_look(pip_says):
    pip_says(CONFIGURED)
    assert install.settings_for_uv("python") == {
        "UV_DEFAULT_INDEX": "https://mirror/simple",
        "UV_INDEX": "https://one/simple https://two/simple",
        "UV_FIND_LINKS": "/opt/mine,/opt/more",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
    }


def test_what_is_said_to_uv_itself_goes_first(pip_says, monkeypatch):
    monkeypatch.setenv("UV_INDEX", "https://three/simple")
    pip_says(CONFIGURED)
    assert "UV_INDEX" not in install.settings_for_uv("python")
    pip_says("")
    assert install.settings_for_uv("python") == {"UV_INDEX_STRATEGY": "unsafe-best-match"}


@pytest.fixture
def called(monkeypatch, tmp_path):
    """As in an empty folder with `install.py FOLDER lab`, which has an environment."""
    monkeypatch.setattr(install, "made", lambda folder: "python")
    monkeypatch.setattr(sys, "argv", ["install.py", str(tmp_path), "lab"])
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("uv", "works", "used"), [("uv", {"uv"}, ["uv"]), ("uv", {"pip"}, ["uv", "pip"]), (None, {"pip"}, ["pip"])]
)
def test_pip_goes_on_where_uv_is_missing_or_fails(called, uv, works, used, monkeypatch, capsys):
    tried = []

    def ran(command, environment=None):
        tried.append("uv" if command[0] == "uv" else "pip")
        return tried[-1] in works

    monkeypatch.setattr(install, "found_uv", lambda python, bring: uv)
    monkeypatch.setattr(install, "settings_for_uv", lambda python: {})
    monkeypatch.setattr(install, "ran", ran)
    install.main()
    assert tried == used and ("pip tries" in capsys.readouterr().out) == (used == ["uv", "pip"])


def test_where_neither_can_it_says_so(called, monkeypatch):
    monkeypatch.setattr(install, "found_uv", lambda python, bring: None)
    monkeypatch.setattr(install, "ran", lambda command, environment=None: False)
    with pytest.raises(SystemExit, match=r"could not be installed"):
        install.main()


def test_a_python_that_is_named_on_path_but_does_not_run_is_not_found(monkeypatch):
    monkeypatch.setattr(environments, "candidates", lambda version: iter(["no-such-python", sys.executable]))
    assert environments.interpreter(environments.OWN) == sys.executable
    assert environments.interpreter("3.10") is None


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine with these Pythons, on which the tests end as told."""
    ends = {"3.12": (True, "9 passed"), "3.13": (False, "1 failed, 8 passed")}
    installed = []

    def run(command, **options):
        installed.append(command[2:])
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(environments, "OWN", "3.11")
    monkeypatch.setattr(environments, "interpreter", lambda version: version if version in ends else None)
    monkeypatch.setattr(environments, "tested", lambda python: ends.get(python.split("/")[1], (True, "9 passed")))
    monkeypatch.setattr(environments.subprocess, "run", run)
    monkeypatch.chdir(tmp_path)
    return SimpleNamespace(ends=ends, installed=installed)


def test_the_table_says_how_each_python_went_and_a_failure_is_one(machine, capsys):
    with pytest.raises(SystemExit, match=r"^They failed with 3\.13\.$"):
        environments.main(environments.PYTHONS)
    table = capsys.readouterr().out.split("The fast tests\n")[1].splitlines()
    assert table == [
        "  3.11     left to make test, which runs on it",
        "  3.12     9 passed",
        "  3.13     1 failed, 8 passed",
    ]


def test_a_python_that_is_not_there_is_said_to_be_missing_and_no_failure(machine, capsys):
    del machine.ends["3.13"]
    environments.main(environments.PYTHONS)
    assert "  3.13     not on this machine\n" in capsys.readouterr().out


def test_lowest_versions_go_with_the_lowest_python_and_newest_with_the_newest(machine):
    environments.main(["lowest", "newest"])
    assert machine.installed == [
        [".venvs/lowest", "lab", "test", "--versions", "lowest"],
        [".venvs/newest", "lab", "test", "--versions", "newest"],
    ]


def test_a_command_ran_where_it_ended_well():
    assert install.ran([sys.executable, "-c", ""]) and not install.ran([sys.executable, "-c", "raise SystemExit(3)"])
