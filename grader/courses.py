"""The course that judges a fork: a folder, or a commit of this one's repository."""

import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.told import named
from utils.course import ROOT, CourseError

PARTS = ("grader/fork_items.py", "tests")  # of a course that can judge


@contextmanager
def chosen(course: str | None) -> Iterator[tuple[Path, str]]:
    """The folder of the course that judges, and what it is called: a folder, or a commit of this one's repository."""
    if course is None:
        yield _complete(ROOT), named(ROOT)
        return
    folder = Path(course).resolve()
    if folder.is_dir():
        yield _complete(folder), named(folder)
        return
    with tempfile.TemporaryDirectory(prefix="course-") as made:
        home = Path(made).resolve()
        _unpack(_commit(course), home)
        yield _complete(home), f"commit {course} of {ROOT}"


def _commit(name: str) -> str:
    found = _git(*("rev-parse", "--verify", "--end-of-options"), f"{name}^{{commit}}")
    if found.returncode:
        raise CourseError(f"--course {name}: neither a folder nor a commit of the repository in {ROOT}.")
    return found.stdout.strip()


def _unpack(commit: str, home: Path) -> None:
    packed = home / "course.tar"
    done = _git(*("archive", "--format=tar"), f"--output={packed}", commit)
    if done.returncode:
        said = done.stderr.strip()
        raise CourseError(f"Commit {commit} can't be unpacked: {said}")
    with tarfile.open(packed) as archive:
        archive.extractall(home, filter="data")
    packed.unlink()


def _git(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = ["git", "-C", str(ROOT), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise CourseError(f"A commit is read by git, which can't be started: {error.strerror}.") from None


def _complete(home: Path) -> Path:
    for part in PARTS:
        if not (home / part).exists():
            raise CourseError(f"{home} can't judge a fork: it has no {part}. Name a course of this version or a later.")
    return home
