"""Puts one my_gpt/ into another, so that nothing is lost: of two answers the later is used, the other is a version."""

import filecmp
import re
import shutil
from pathlib import Path

from utils.learner.collecting import remember

PACKAGE = {"__init__.py", "__main__.py"}  # beside the answers, and the course's own


def merge(source: Path, target: Path) -> list[str]:
    """Bring what is in `source` into `target`; what there is to say of it, a line each. `source` stays as it is.

    The package around the answers (README.md, course/, parts/, model/) is made of them. Where there is one already, it
    stays, to be written anew.
    """
    if not source.is_dir() or source.resolve() == target.resolve():
        return []
    told = []
    for file in sorted(path for path in source.rglob("*") if path.is_file()):
        name = file.relative_to(source)
        if name.parts[0] == "versions":
            _remember(file, target / re.sub(r"\.\d+(?=\.|$)", "", name.name))
        elif not (target / name).exists():
            _copy(file, target / name)
        elif name in answers(source) and not filecmp.cmp(file, target / name, shallow=False):
            told.append(_settled(file, target / name))
    return told


def answers(folder: Path) -> dict[Path, str]:
    """The texts of a learner's own components, each under its name."""
    files = (path for path in folder.glob("*.py") if path.name not in PACKAGE)
    return {path.relative_to(folder): path.read_text(encoding="utf-8", errors="replace") for path in files}


def _settled(file: Path, there: Path) -> str:
    """Two answers to one exercise: the later one is used, and both are among the versions."""
    _remember(there, there)
    _remember(file, there)
    newer = file.stat().st_mtime > there.stat().st_mtime
    if newer:
        _copy(file, there)
    which = "the one that was brought" if newer else "the one that was there"
    return f"{there.name}: there were two. In use is the later, {which}; both are in my_gpt/versions/."


def _remember(file: Path, answer: Path) -> None:
    remember(file.read_text(encoding="utf-8", errors="replace"), answer)


def _copy(file: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(file, place)
