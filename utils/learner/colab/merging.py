"""Puts one my_gpt/ into another, so that nothing is lost: of two answers the later is used, the other is a version."""

import filecmp
import re
import shutil
from pathlib import Path

from utils.learner.collecting import remember

PACKAGE = {"__init__.py", "__main__.py"}  # beside the answers, the course's own


def merge(source: Path, target: Path) -> list[str]:
    """Bring what is in `source` into `target`; what there is to say of it, a line each. `source` stays as it is.

    The package around the answers (README.md, course/, parts/, model/) is made of them. Where there is one already, it
    stays, to be written anew.
    """
    if not source.is_dir() or source.resolve() == target.resolve():
        return []
    told = []
    brought = answers(source)
    for file in sorted(filter(Path.is_file, source.rglob("*"))):
        name = file.relative_to(source)
        there = target / name
        if name.parts[0] == "versions":
            unnumbered = re.sub(r"\.\d+(?=\.|$)", "", name.name)
            _remember(file, target / unnumbered)
        elif not there.exists():
            _copy(file, there)
        elif name in brought and not filecmp.cmp(file, there, shallow=False):
            told.append(_settled(file, there))
    return told


def answers(folder: Path) -> dict[Path, str]:
    """The texts of a learner's own components, each under its name."""
    files = [path for path in folder.glob("*.py") if path.name not in PACKAGE]
    return {path.relative_to(folder): _text(path) for path in files}


def _settled(file: Path, there: Path) -> str:
    """Two answers to one exercise: the later one is used, and both are among the versions."""
    _remember(there, there)
    _remember(file, there)
    which = "there"
    if file.stat().st_mtime > there.stat().st_mtime:
        which = "brought"
        _copy(file, there)
    in_use = f"In use is the later, the one that was {which}"
    return f"{there.name}: there were two. {in_use}; both are in my_gpt/versions/."


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _remember(file: Path, answer: Path) -> None:
    remember(file.read_bytes(), answer)


def _copy(file: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(file, place)
