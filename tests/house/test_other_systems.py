"""Windows and macOS: what only Linux has is asked for nowhere but where it is known to be there."""

import re

import pytest

from tests.house.fresh_python import fresh_python
from utils.course import ROOT

MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
IN_OS = {"fork", "getloadavg", "killpg", "sched_getaffinity", "setsid"}
IN_SIGNAL = {"SIGALRM", "SIGKILL", "alarm", "setitimer"}
AS_ON_WINDOWS = """\
import builtins, importlib, os, signal, sys
from pathlib import Path

import pytest, torch  # other people's modules know what their system has

any_import = builtins.__import__

def without_modules(name, names=None, *more, **named):
    if name in {modules} and str((names or {{}}).get("__file__")).startswith({ours}):
        raise ModuleNotFoundError("No module named " + repr(name), name=name)
    return any_import(name, names, *more, **named)

builtins.__import__ = without_modules
for name in {in_os}:
    delattr(os, name)
for name in {in_signal}:
    delattr(signal, name)
"""
COLLECT = "pytest.main(['--collect-only', '-qq', '--color=no', '-p', 'no:cacheprovider', 'tests', {asking!r}])\n"
IMPORT_ALL = """\
for file in sorted(Path("utils").rglob("*.py")):
    if file.name != "__main__.py" and "templates" not in file.parts:
        importlib.import_module(".".join(file.with_suffix("").parts))
"""
ASKING = ["import resource", "import os\n\nos.fork  # noqa: B018", "from signal import SIGALRM"]


def as_on_windows(code, *folders):
    """What a fresh Python does, in which modules of these folders find nothing that Windows lacks."""
    ours = tuple(f"{folder}/" for folder in folders)
    lacking = AS_ON_WINDOWS.format(modules=MODULES, ours=ours, in_os=IN_OS, in_signal=IN_SIGNAL)
    return fresh_python(lacking + code, check=False)


@pytest.mark.slow
def test_every_test_is_collected_and_every_module_imported_without_what_windows_lacks(tmp_path):
    """And what asks for it is found out."""
    for number, line in enumerate(ASKING):
        (tmp_path / f"test_asking_{number}.py").write_text(f"{line}\n", encoding="utf-8")
    work = COLLECT.format(asking=str(tmp_path)) + IMPORT_ALL
    ran = as_on_windows(work, ROOT / "tests", ROOT / "utils", tmp_path)
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    assert "tests/repairing/test_search.py" in ran.stdout
    refused = re.findall(r"^ERROR \S*?(\w+)\.py", ran.stdout, re.MULTILINE)
    assert refused == [f"test_asking_{number}" for number in range(len(ASKING))], ran.stdout[-2000:]
