"""Chapters that are not in a fork's chapters/ folder: their exercises are failures too."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from grader.fork_items import ForkNotebook
from utils.course import stems


def items_of_missing(session: pytest.Session, items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Those of the chapters that should be in the folders that pytest was given, and were not collected from there.

    Whether a file of that name was hidden from pytest or is gone: the one is judged, the other says that it is missing.
    """
    ignored = session.config.option.ignore or []
    seen = {*(item.path for item in items), *map(partial(_absolute, session), ignored)}
    for path in _expected(session):
        if path not in seen:
            notebook = ForkNotebook.from_parent(session, path=path)
            yield from notebook.collect()


def _expected(session: pytest.Session) -> Iterator[Path]:
    """Where the chapters should be: in the folders of chapters among what pytest was given, or in it."""
    for argument in session.config.args:
        asked = _absolute(session, argument)
        folder = asked if asked.name == "chapters" else asked / "chapters"
        if folder.is_dir():
            names = map("{}.ipynb".format, stems())
            yield from map(folder.joinpath, names)


def _absolute(session: pytest.Session, argument: str) -> Path:
    name, _, _ = argument.partition("::")
    here = session.config.invocation_params.dir
    return Path(here, name).resolve()
