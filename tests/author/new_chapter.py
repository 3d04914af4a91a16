"""A new chapter in a folder of its own, importable beside the course's, for the tests that spoil it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import solutions
import tests
import tests.misconceptions
from author.scaffold import new

STEM = "ch91_length"
SOLUTION, TESTS, KNOWN = f"solutions/{STEM}.py", f"tests/{STEM}.py", f"tests/misconceptions/{STEM}/length.py"
PACKAGES = (solutions, tests, tests.misconceptions)


def new_chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """For a fixture: a folder with a new chapter, which `import tests.ch91_length` finds beside the course's own."""
    for package in PACKAGES:
        there = tmp_path.joinpath(*package.__name__.split("."))
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(there)])
    new(STEM, root=tmp_path)
    yield tmp_path
    forget(STEM)


def forget(stem: str) -> None:
    """Take the chapter's modules out of those that are imported."""
    chapters = tuple(f"{package.__name__}.{stem}" for package in PACKAGES)
    for name in [name for name in sys.modules if name.startswith(chapters)]:
        del sys.modules[name]


def spoil(root: Path, file: str, *changes: tuple[str, str]) -> None:
    """Replace the first of each pair by the second; it must be there."""
    text = (root / file).read_text(encoding="utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    (root / file).write_text(text, encoding="utf-8")
