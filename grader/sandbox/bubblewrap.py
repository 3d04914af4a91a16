"""The command that starts a process in a bubblewrap box: few files, all read-only, no network, no other process."""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from grader.sandbox.seen import DEVICES, SYSTEM, hidden_folders, python_folders, scratch

COURSE = "/course"  # where the box has the course's modules
LINKS = ("bin", "sbin", "lib", "lib64", "lib32")  # in / on a system whose programs are all in /usr


def bubblewrap() -> str:
    """Where the program is; "" where it is not installed."""
    return shutil.which("bwrap") or ""


def boxed(command: Sequence[str], course: Path, environment: Mapping[str, str], proc_is_masked: bool) -> list[str]:
    """The command, in a box. In a container, whose /proc is masked, a new one is refused: then it has the outer one.

    Nothing is asked to end with whoever started it: that would be a thread, and the box outlives it. It ends when its
    control is closed.
    """
    box = [bubblewrap(), "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--new-session"]
    box += _as_nobody()
    box += ["--clearenv", *_each("--setenv", environment.items())]
    box += ["--bind", "/proc", "/proc"] if proc_is_masked else ["--proc", "/proc"]
    box += ["--perms", "1777", "--tmpfs", scratch()]  # each child puts one of its own over it
    return [*box, *_files(course), "--remount-ro", "/", "--chdir", "/", "--", *command]


def _as_nobody() -> list[str]:
    """An ordinary user needs a user namespace; root keeps what it takes to become somebody else, and nothing more."""
    if os.getuid():
        return ["--unshare-user"]
    kept = ("CAP_SETUID", "CAP_SETGID")
    return ["--cap-drop", "ALL", *_each("--cap-add", ((one,) for one in kept))]


def _files(course: Path) -> list[str]:
    shown = _links()
    for path in [*map(Path, SYSTEM), *python_folders()]:
        if path.exists():
            shown += [*_parents(path), "--ro-bind", str(path.resolve()), str(path)]
    shown += ["--ro-bind", str(course), COURSE]
    for folder in hidden_folders():
        shown += ["--tmpfs", str(folder)]
    return [*shown, "--dir", "/dev", *_each("--dev-bind", ((path, path) for path in DEVICES))]


def _parents(path: Path) -> list[str]:
    """Folders that everybody may go through: those that bubblewrap makes by itself are for their owner."""
    return _each("--dir", ((str(one),) for one in [*path.parents][-2::-1]))


def _links() -> list[str]:
    found: list[str] = []
    for name in LINKS:
        path = Path("/", name)
        if path.is_symlink():
            found += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            found += ["--ro-bind", str(path), str(path)]
    return found


def _each(option: str, values: Iterable[tuple[str, ...]]) -> list[str]:
    return [word for value in values for word in (option, *value)]
