"""Which files of a folder are the course's, and which belong to whoever learns there."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from utils.course.cells import defines
from utils.course.git import printed
from utils.releasing.manifest import source_of

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
    return printed(root, *arguments)


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


def chapter_notebooks(root: Path) -> Iterator[Path]:
    """The notebooks in chapters/ and its folders, and those beside chapters/."""
    found = [*root.glob("*.ipynb"), *(root / "chapters").rglob("*.ipynb")]
    for path in sorted(found):
        if not NOT_OURS & set(path.relative_to(root).parts):
            yield path


def stem_of(notebook: dict[str, Any], symbols: Mapping[str, list[str]]) -> str:
    """The chapter that most of its cells are from by their ids; else the one most of whose exercises it defines."""
    cells = notebook["cells"]
    by_id = Counter(str(cell.get("id", "")).partition("-")[0] for cell in cells)
    counts = {stem: by_id[stem] for stem in symbols}
    if not any(counts.values()):
        code = [source_of(cell) for cell in cells if cell["cell_type"] == "code"]
        counts = {
            stem: sum(any(defines(one, name) for one in code) for name in names) for stem, names in symbols.items()
        }
    most = max(counts.values(), default=0)
    return next((stem for stem, count in counts.items() if count == most and most), "")


def _count_defined(names: list[str], code: list[str]) -> int:
    """How many of these the cells define."""
    return sum(any(defines(one, name) for one in code) for name in names)
