"""A notebook file in a fork as its code cells, or refused in a sentence that says what to do."""

from dataclasses import dataclass
from pathlib import Path

from grader.submissions.chapters import stem_named
from grader.submissions.entries import Unreadable
from grader.submissions.notebooks import LARGEST, cells_of

CHAPTERS = "chapters"  # a fork's folder of them


class UnreadableNotebook(Exception):
    """What the file is instead of a notebook, and what to do."""


@dataclass(frozen=True)
class CodeCell:
    """One code cell, as it stands in the file."""

    id: str  # "" where the file gives it none
    source: str


def code_cells(path: Path) -> list[CodeCell]:
    """The code cells in their order; one that can't be read is empty. Raises UnreadableNotebook for no notebook."""
    try:
        found = cells_of(_bytes(path))
    except Unreadable as what:
        said = f"{path.parent.name}/{path.name} {what}."
        what_to_do = (
            "Save it as a notebook of this name again, or take back the published one and put your answers into it."
        )
        raise UnreadableNotebook(f"{said} {what_to_do}") from None
    return list(map(CodeCell, found.ids, found.sources))


def _bytes(path: Path) -> bytes:
    """Raises Unreadable."""
    if is_linked(path):
        raise Unreadable("is a symbolic link, which may lead out of the fork")
    if path.is_dir():
        inner = path / path.name
        where = f": the notebook lies in it, as {inner.relative_to(path.parent)}" if inner.is_file() else ""
        raise Unreadable(f"is a folder, not a notebook{where}; move or rename the folder")
    try:
        if path.stat().st_size > LARGEST:
            raise Unreadable(f"is larger than {LARGEST // 1_000_000} MB")
        return path.read_bytes()
    except FileNotFoundError:
        raise Unreadable("is missing") from None
    except OSError as error:
        raise Unreadable(f"can't be read: {error.strerror}") from None


def is_linked(path: Path) -> bool:
    """Whether it is a symbolic link, or lies in a folder of chapters that is one."""
    folder = path.parent
    return path.is_symlink() or (folder.name == CHAPTERS and folder.is_symlink())


def stem_of(path: Path) -> str | None:
    """The chapter that a notebook is a copy of, under whatever name."""
    return stem_named(path.stem)


def chapter_and(stem: str, name: str) -> str:
    """An item's name: "ch03 LayerNorm"."""
    return f"{stem.partition('_')[0]} {name}"
