"""A new chapter in a folder of its own, importable beside the course's, for the tests that spoil it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import solutions
import tests
from utils.authoring.scaffold import new

STEM = "ch91_length"
SOLUTION, TESTS = f"solutions/{STEM}.py", f"tests/{STEM}.py"


def new_chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """For a fixture: a folder with a new chapter, which `import tests.ch91_length` finds beside the course's own."""
    for package in (solutions, tests):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path / package.__name__)])
    new(STEM, root=tmp_path)
    yield tmp_path
    for package in (solutions, tests):
        sys.modules.pop(f"{package.__name__}.{STEM}", None)


def spoil(root: Path, file: str, *changes: tuple[str, str]) -> None:
    """Replace the first of each pair by the second; it must be there."""
    text = (root / file).read_text(encoding="utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    (root / file).write_text(text, encoding="utf-8")
