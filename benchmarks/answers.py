"""The wrong answers of benchmarks/wrong_answers/: one file for each exercise, of many cells."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

RIGHT = "# right: "


@dataclass(frozen=True)
class WrongAnswer:
    """One cell of a file of wrong answers."""

    symbol: str
    title: str  # what the learner did
    causes: tuple[str, ...]  # the misconceptions that are it
    cell: str


def wrong_answers(path: Path) -> Iterator[WrongAnswer]:
    """The cells of a file, in order."""
    for text in re.split(r"^# %% ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, *lines = text.splitlines()
        symbol, _, title = head.partition(": ")
        causes = []
        while lines and lines[0].startswith(RIGHT):
            causes.append(lines.pop(0).removeprefix(RIGHT))
        yield WrongAnswer(symbol, title, tuple(causes), "\n".join(lines).strip() + "\n")
