"""The names of what is judged: which chapter a notebook is of, and what an item of it is called."""

from pathlib import Path

from grader.submissions.chapters import stem_named


def stem_of(path: Path) -> str | None:
    """The chapter that a notebook is a copy of, under whatever name."""
    return stem_named(path.stem)


def chapter_and(stem: str, name: str) -> str:
    """An item's name: "ch03 LayerNorm"."""
    return f"{stem.partition('_')[0]} {name}"
