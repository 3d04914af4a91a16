"""Windows and macOS: what only Linux has is asked for nowhere but where it is known to be there."""

import builtins
import importlib
import os
import signal
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.house.fresh_python import fresh_python
from utils.course import ROOT

MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
IN_OS = {"fork", "getloadavg", "killpg", "sched_getaffinity", "setsid"}
IN_SIGNAL = {"SIGALRM", "SIGKILL", "alarm", "setitimer"}
OURS = ("solutions", "judge", "grader", "author", "utils", "tests")
COLLECTED = ("conftest.py", "test_*.py", "ch*.py")  # of the tests; they import the others
ASKING = ["import resource", "import os\n\nos.fork  # noqa: B018", "from signal import SIGALRM"]


def lack_what_windows_lacks(*folders):
    """From now on modules of these folders find none of it; other people's know what their system has."""
    any_import = builtins.__import__

    def without_modules(name, names=None, *more, **named):
        if name in MODULES and str((names or {}).get("__file__")).startswith(folders):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return any_import(name, names, *more, **named)

    builtins.__import__ = without_modules
    for name in IN_OS:
        delattr(os, name)
    for name in IN_SIGNAL:
        delattr(signal, name)


def modules():
    """Every module of the course, and of the tests those that pytest collects with what they judge."""
    for folder in OURS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            is_asked = folder != "tests" or any(fnmatch(file.name, pattern) for pattern in COLLECTED)
            if is_asked and file.name != "__main__.py" and "templates" not in file.parts:
                yield ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def import_all(folder):
    """Import each module anew, and those of this folder; prints those that can't be, and why."""
    names = [*modules(), *sorted(file.stem for file in Path(folder).glob("*.py"))]
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    sys.path.append(folder)
    lack_what_windows_lacks(*(f"{one}/" for one in (*map(ROOT.joinpath, OURS), folder)))
    for name in names:
        try:
            importlib.import_module(name)
        except pytest.skip.Exception:
            pass
        except Exception as error:
            print("refused", name, type(error).__name__, error)
    print("imported", *names)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there everything else proves it")
def test_every_module_is_imported_without_what_windows_lacks(tmp_path):
    """In a Python of its own; and what asks for it is found out."""
    asking = [f"test_asking_{number}" for number in range(len(ASKING))]
    for name, line in zip(asking, ASKING, strict=True):
        (tmp_path / f"{name}.py").write_text(f"{line}\n", encoding="utf-8")
    ran = fresh_python(f"from {__name__} import import_all; import_all({str(tmp_path)!r})", check=False, warm=True)
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    *lines, last = ran.stdout.splitlines()
    assert {"tests.judge.repairing.test_search", "tests.conftest", "tests.ch11_dialects", "utils.course"} <= {
        *last.split()
    }
    refused = [line.split()[1] for line in lines if line.startswith("refused ")]
    assert refused == asking, ran.stdout[-2000:]
