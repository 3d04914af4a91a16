"""What of this machine's files a learner's code may see, and the commands that start it in a bubblewrap box.

It sees Python, its libraries, and the few modules that run it, all read-only; no network, and no other process.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from judge.running.confined.system import PROCESSORS
from utils.course import ROOT

ALWAYS = ("judge/__init__.py", "judge/running", "utils/__init__.py", "utils/running")  # of the course
# Debian's links lead through /etc/alternatives: its NumPy's BLAS, and a Python that an administrator has chosen
SYSTEM = ("/usr", "/etc/ld.so.cache", "/etc/alternatives", "/sys/devices/system/cpu")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
IMPORTED = ("solutions", "tests", "training", "judge", "utils", "chapters")  # by a chapter's cells, or read by them
HIDDEN = (
    *IMPORTED,
    "grader",
    "author",
    "benchmarks",
    "my_gpt",
)  # the course's own, where it is installed among the libraries


def copy_course(modules: Sequence[str], where: Path) -> None:
    """Copy what the far side needs of the course: whoever edits the course meanwhile changes no grade.

    Everybody may read the copy: who runs a learner's code owns nothing. Raises OSError, as where there is no room.
    """
    paths = [module.replace(".", "/") for module in modules]
    for name in (*ALWAYS, *(path if (ROOT / path).is_dir() else f"{path}.py" for path in paths)):
        there = where / name
        there.parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        try:
            copy(ROOT / name, there)
        except shutil.Error as error:  # tells of each file that could not be copied
            (_, _, why), *_ = error.args[0]
            raise OSError(why.partition(": '")[0]) from None
    for path in (where, *where.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def python_folders() -> list[Path]:
    """Where Python and its libraries are, each folder once, beside those of the system."""
    installed = [Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")]
    found = [Path(sys.base_prefix), Path(sys.prefix), *installed, libraries()]
    kept: list[Path] = []
    for folder in found:
        if not any(map(folder.is_relative_to, [*kept, Path("/usr")])):
            kept.append(folder)
    return kept


def scratch() -> str:
    """The folder that is a child's own: /tmp, unless Python lies there and would be hidden."""
    hides_python = any(folder.is_relative_to("/tmp") for folder in python_folders())
    return "/scratch" if hides_python else "/tmp"


def libraries() -> Path:
    """The folder that torch is installed in: a user's own, where it is not Python's."""
    found = find_spec("torch")  # which a kernel's box need not wait for
    assert found and found.origin
    return Path(found.origin).parents[1]


def hidden_folders() -> list[Path]:
    """The course's own packages, where it is installed among the libraries."""
    folders = {Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("platlib")), libraries()}
    return [folder / name for folder in sorted(folders) for name in HIDDEN if (folder / name).is_dir()]


def readable(course: Path) -> list[str]:
    """All that may be read, for a rule that knows no exceptions: what lies beside something hidden, one by one."""
    hidden = hidden_folders()
    paths = [course, *map(Path, SYSTEM), *map(Path, DEVICES), PROCESSORS]
    for folder in python_folders():
        paths += _around(folder, hidden)
    return [str(path.resolve()) for path in paths if path.exists()]


def _around(folder: Path, hidden: Sequence[Path]) -> list[Path]:
    if not any(place.is_relative_to(folder) for place in hidden):
        return [folder]
    found: list[Path] = []
    for path in sorted(folder.iterdir()):
        if path not in hidden:
            found += _around(path, hidden)
    return found


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
    """What comes before a kernel's command: it reads Python, what chapters use of the course, and the folder that it
    starts in, and writes into `state` alone.
    """
    shown = [*python_folders(), *(ROOT / name for name in (*IMPORTED, *FILES)), folder.resolve()]
    # A named kernel may run another Python than this one, and one in /bin or ~/bin has no folder of its own to show.
    prefix, venv = python.resolve().parents[1], python.parents[1]
    shown += [prefix] if prefix not in (Path("/"), Path.home()) else []
    shown += [venv] if (venv / "pyvenv.cfg").is_file() else []
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
    return ["--cap-drop", "ALL", *_each("--cap-add", ((name,) for name in kept))]


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
            shown += _each("--dir", ((str(parent),) for parent in [*path.parents][-2::-1]))
            shown += ["--ro-bind", str(path.resolve()), str(path)]
    return shown


def _each(option: str, values: Iterable[tuple[str, ...]]) -> list[str]:
    return [word for value in values for word in (option, *value)]
