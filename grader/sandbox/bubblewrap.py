"""The commands that start a process in a bubblewrap box: few files, all read-only, no network, no other process."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from grader.sandbox.seen import DEVICES, PACKAGES, SYSTEM, hidden_folders, python_folders, scratch
from utils.course import ROOT

COURSE = "/course"  # where the box of answers has the course's modules
FILES = ("LICENSE", "pyproject.toml")  # of the course, which chapters read beside its packages
LINKS = ("bin", "sbin", "lib", "lib64", "lib32")  # in / on a system whose programs are all in /usr
ALONE = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")
# A container whose /proc is masked refuses a new one: then the box has the outer one
NEW_PROC, OUTER_PROC = ("--proc", "/proc"), ("--bind", "/proc", "/proc")


def bubblewrap() -> str:
    """Where the program is; "" where it is not installed."""
    return shutil.which("bwrap") or ""


def box_of_answers(
    command: Sequence[str], course: Path, environment: Mapping[str, str], proc_is_masked: bool
) -> list[str]:
    """The command, in a box.

    Nothing is asked to end with whoever started it: that would be a thread, and the box outlives it. It ends when its
    control is closed.
    """
    kept = () if os.getuid() else ("CAP_SETUID", "CAP_SETGID")  # root becomes somebody else in it
    box = [bubblewrap(), *ALONE, "--new-session", *_as_nobody(kept)]
    box += ["--clearenv", *_each("--setenv", environment.items())]
    box += [*(OUTER_PROC if proc_is_masked else NEW_PROC)]
    box += ["--perms", "1777", "--tmpfs", scratch()]  # each child puts one of its own over it
    box += [*_read_only(python_folders()), "--ro-bind", str(course), COURSE]
    box += _each("--tmpfs", ((str(folder),) for folder in hidden_folders()))
    box += ["--dir", "/dev", *_each("--dev-bind", ((path, path) for path in DEVICES))]
    return [*box, "--remount-ro", "/", "--chdir", "/", "--", *command]


def box_of_a_kernel(python: Path, folder: Path, state: Path) -> list[str]:
    """What comes before a kernel's command: it reads Python, the course and the folder that it starts in, and writes
    into `state` alone.
    """
    shown = [*python_folders(), *(ROOT / name for name in (*PACKAGES, *FILES)), folder.resolve()]
    prefix, venv = python.resolve().parents[1], python.parents[1]  # not those of this Python, where a kernel is named
    shown += [prefix, venv] if (venv / "pyvenv.cfg").is_file() else [prefix]
    return [
        *(bubblewrap(), *ALONE, "--die-with-parent", *_as_nobody()),
        *(proc_of_kernels() or ()),
        *("--unsetenv", "JPY_PARENT_PID"),  # a process that it can't see
        *_read_only(shown),
        *("--dev", "/dev", "--bind", str(state), str(state), "--remount-ro", "/"),
    ]


@cache
def proc_of_kernels() -> tuple[str, ...] | None:
    """How a kernel's box gets its /proc; None where bubblewrap is not there, or not allowed."""
    if not bubblewrap():
        return None
    for proc in (NEW_PROC, OUTER_PROC):
        tried = [bubblewrap(), *ALONE, *_as_nobody(), *proc, *_read_only([]), "true"]
        if subprocess.run(tried, capture_output=True).returncode == 0:
            return proc
    return None


def _as_nobody(kept: Sequence[str] = ()) -> list[str]:
    """An ordinary user needs a user namespace; root keeps these capabilities, and nothing more."""
    if os.getuid():
        return ["--unshare-user"]
    return ["--cap-drop", "ALL", *_each("--cap-add", ((one,) for one in kept))]


def _read_only(paths: Iterable[Path]) -> list[str]:
    """The system's programs and libraries, and these.

    Everybody may go through the folders above them: those that bubblewrap makes by itself are for their owner.
    """
    shown: list[str] = []
    for path in [Path("/", name) for name in LINKS]:
        if path.is_symlink():
            shown += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            shown += ["--ro-bind", str(path), str(path)]
    for path in [*map(Path, SYSTEM), *paths]:
        if path.exists():
            shown += _each("--dir", ((str(one),) for one in [*path.parents][-2::-1]))
            shown += ["--ro-bind", str(path.resolve()), str(path)]
    return shown


def _each(option: str, values: Iterable[tuple[str, ...]]) -> list[str]:
    return [word for value in values for word in (option, *value)]
