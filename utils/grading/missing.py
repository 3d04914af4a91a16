"""Chapters that are not in a fork's chapters/ folder: their exercises are failures too."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from utils.course import stems
from utils.grading.fork_items import ForkNotebook


def items_of_missing(session: pytest.Session, items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Those of the chapters that should be in the folders that pytest was given, and were not collected from there.

    Whether a file of that name was hidden from pytest or is gone: the one is judged, the other says that it is missing.
    """
    collected = {item.path for item in items}
    left_out = {_absolute(session, name) for name in session.config.option.ignore or ()}
    for folder in _folders(session):
        for path in (folder / f"{stem}.ipynb" for stem in stems()):
            if path not in collected | left_out:
                yield from ForkNotebook.from_parent(session, path=path).collect()


def _folders(session: pytest.Session) -> Iterator[Path]:
    """The folders of chapters among what pytest was given, or in it."""
    for argument in session.config.args:
        asked = _absolute(session, argument.partition("::")[0])
        folder = asked if asked.name == "chapters" else asked / "chapters"
        if folder.is_dir():
            yield folder


def _absolute(session: pytest.Session, name: str) -> Path:
    return Path(session.config.invocation_params.dir, name).resolve()
