"""What of this machine's files a learner's code may see: Python, its libraries, and the few modules that run it."""

import shutil
import sys
import sysconfig
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from judge.running.confined.system import PROCESSORS
from utils.course import ROOT

ALWAYS = ("judge/__init__.py", "judge/running", "utils/__init__.py", "utils/running")  # of the course
SYSTEM = ("/usr", "/etc/ld.so.cache", "/sys/devices/system/cpu")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
PACKAGES = ("solutions", "tests", "training", "judge", "grader", "author", "utils", "benchmarks", "chapters")
HIDDEN = (*PACKAGES, "my_gpt")  # the course's own, where it is installed among the libraries


def copy_course(modules: Sequence[str], where: Path) -> None:
    """Copy what the far side needs of the course: whoever edits the course meanwhile changes no grade.

    Everybody may read the copy: who runs a learner's code owns nothing. Raises OSError, as where there is no room.
    """
    for name in (*ALWAYS, *map(_file_of, modules)):
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


def _file_of(module: str) -> str:
    path = module.replace(".", "/")
    return path if (ROOT / path).is_dir() else f"{path}.py"


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
    if not any(one.is_relative_to(folder) for one in hidden):
        return [folder]
    found: list[Path] = []
    for path in sorted(folder.iterdir()):
        if path not in hidden:
            found += _around(path, hidden)
    return found
