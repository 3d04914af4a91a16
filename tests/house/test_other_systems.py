"""Windows and macOS: what only Linux has is asked for nowhere but where it is known to be there."""

import builtins
import importlib
import os
import signal
import sys
import traceback
from fnmatch import fnmatch

import pytest

from utils.course import ROOT

MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
IN_OS = {"fork", "getloadavg", "killpg", "sched_getaffinity", "setsid"}
IN_SIGNAL = {"SIGALRM", "SIGKILL", "alarm", "setitimer"}
OURS = ("solutions", "utils", "tests")
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
    """Every module of utils, and those that pytest collects with what they judge."""
    for folder in OURS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            is_asked = folder != "tests" or any(fnmatch(file.name, pattern) for pattern in COLLECTED)
            if is_asked and file.name != "__main__.py" and "templates" not in file.parts:
                yield ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def refused(names):
    """Each module that can't be imported, and why."""
    for name in names:
        try:
            importlib.import_module(name)
        except pytest.skip.Exception:
            continue
        except Exception:
            yield f"refused {name}", traceback.format_exc()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there everything else proves it")
def test_every_module_is_imported_without_what_windows_lacks(tmp_path):
    """Anew, in a fork of this process, which has imported what others wrote; and what asks for it is found out."""
    asking = [f"test_asking_{number}" for number in range(len(ASKING))]
    for name, line in zip(asking, ASKING, strict=True):
        (tmp_path / f"{name}.py").write_text(f"{line}\n", encoding="utf-8")
    names, said = [*modules(), *asking], tmp_path / "said"
    assert {"tests.repairing.test_search", "tests.conftest", "tests.ch11_dialects", "utils.course"} <= set(names)
    process, leave = os.fork(), os._exit
    if not process:
        try:
            for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
                del sys.modules[name]
            sys.path.append(str(tmp_path))
            lack_what_windows_lacks(*(f"{folder}/" for folder in (ROOT / "tests", ROOT / "utils", tmp_path)))
            found = [text for one in refused(names) for text in one]
            said.write_text("\n".join([*found, "all of them"]), encoding="utf-8")
        finally:
            leave(0)
    os.waitpid(process, 0)
    lines = said.read_text(encoding="utf-8").splitlines()
    assert lines[-1] == "all of them"
    assert [line for line in lines if line.startswith("refused ")] == [f"refused {name}" for name in asking], lines
