"""Which files of a folder are the course's, and which belong to whoever learns there."""

import subprocess
from pathlib import Path, PurePosixPath

# Made by learners, by programs, by git: no release has them, and no update touches them.
NOT_OURS = {
    *{"my_gpt", "my_chapters", "runs", "before_update"},
    *{".git", ".venv", ".venvs", ".ipynb_checkpoints", "__pycache__", ".pytest_cache", ".ruff_cache", "node_modules"},
}


def is_ours(name: str) -> bool:
    """Whether a release may have a file of this name, which leads from the course's root."""
    path = PurePosixPath(name)
    parts = path.parts
    leads_inside = bool(parts) and not path.is_absolute() and ".." not in parts and ":" not in name and "\\" not in name
    return leads_inside and not any(part in NOT_OURS or part.endswith(".egg-info") for part in parts)


def course_files(root: Path) -> list[str]:
    """The course's files in a folder, by their paths from there: what git has, where it is a checkout; else all."""
    names = _tracked(root) or [path.relative_to(root).as_posix() for path in _walk(root)]
    return sorted(name for name in names if is_ours(name) and (root / name).is_file())


def git(root: Path, *arguments: str) -> str | None:
    """What git prints of this folder; None where it is no checkout of its own, git is missing, or says no."""
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), *arguments]
    try:
        ran = subprocess.run(command, capture_output=True, encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    return ran.stdout if ran.returncode == 0 else None


def commit_of(root: Path) -> str:
    """The commit that is checked out; "" where there is none."""
    return (git(root, "rev-parse", "HEAD") or "").strip()


def _tracked(root: Path) -> list[str]:
    listed = git(root, "ls-files", "-z") or ""
    return list(filter(None, listed.split("\0")))


def _walk(root: Path) -> list[Path]:
    """All files, none within a folder that is not ours."""
    found: list[Path] = []
    waiting = [root]
    while waiting:
        for path in waiting.pop().iterdir():
            if path.name in NOT_OURS or path.is_symlink():
                continue
            (waiting if path.is_dir() else found).append(path)
    return found
