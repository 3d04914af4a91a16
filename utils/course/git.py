"""git, as the course calls it: for what it knows of a folder, and to lay out a commit."""

import subprocess
import tarfile
from pathlib import Path

from judge.errors import CourseError


def run(folder: Path, *arguments: str, seconds: float | None = None) -> "subprocess.CompletedProcess[str]":
    """A command in this folder. Raises OSError where git can't be started, TimeoutExpired where it takes longer."""
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="surrogateescape", timeout=seconds)


def printed(folder: Path, *arguments: str, seconds: float | None = None) -> str | None:
    """What the command prints; None where git says no, is missing, or takes longer."""
    try:
        ran = run(folder, *arguments, seconds=seconds)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ran.stdout if ran.returncode == 0 else None


def lay_out(root: Path, commit: str, folder: Path) -> None:
    """Put the files of a commit into a folder; the checkout stays as it is. Raises CourseError."""
    archive = folder / ".course.tar"
    ran = run(root, "archive", "--format=tar", f"--output={archive}", commit)
    if ran.returncode:
        raise CourseError(f"git could not lay out {commit[:12]}: {ran.stderr.strip()}")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    archive.unlink()
