"""How far the learner has come, as data: the chapters with what has passed, what is next, the map, and how it ends."""

import os
import re
import sys
from collections import ChainMap
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from utils.course import ROOT, CourseError, doable, exercises, left_out, state_dir, stems
from utils.course.cells import cells_of
from utils.learner.handed import handed_over
from utils.learner.progress import PAUSE, passed, time_spent

ALL_PASSED = "Every exercise has passed. The model is yours."
IT_TOOK = (
    "It took you about {long}: the time from opening chapters to passing exercises, without pauses of more than "
    "{pause} hours, and without what you read after the last pass."
)
MINUTES = {"minute": 1, "hour": 60}


@dataclass(frozen=True)
class Chapter:
    """One chapter as the list shows it: each exercise's symbol with whether it has passed."""

    stem: str
    title: str
    minutes: int  # as its first cell estimates them; 0 where it does not
    exercises: dict[str, bool]
    left_out: tuple[str, ...] = ()  # those that can't be done here, each with what it needs

    @property
    def done(self) -> bool:
        return all(self.exercises.values())


class Standing:
    """How far the learner has come; without `begun`, the course before anybody has."""

    def __init__(self, root: Path = ROOT, begun: bool = True):
        done = {symbol for _, symbol in passed()} if begun else set()
        self.chapters = [_chapter(stem, done, root) for stem in stems(root)]
        everything = ChainMap(*(one.exercises for one in self.chapters))
        not_done = (one for one in self.chapters if not one.done)
        self.next = next(not_done, None)
        following = self.next.exercises if begun and self.next else {}
        self.map = handed_over().draw_map(everything, following, begun)

    @property
    def count(self) -> str:
        """How many exercises have passed."""
        passes = [done for one in self.chapters for done in one.exercises.values()]
        return f"{sum(passes)} of {len(passes)} exercises"

    @property
    def end(self) -> list[str]:
        """What there is to say to one who has solved everything, but for the way to a story."""
        took = time_in_words(time_spent())
        return [ALL_PASSED, took] if took else [ALL_PASSED]

    @property
    def story(self) -> tuple[str, str] | None:
        """Where to type what for a story of the learner's own model; None as long as that can't tell one.

        A terminal's `python` may be another than this one: the course's own is named.
        """
        folder = state_dir()
        if self.next or not (folder / "my_gpt" / "__main__.py").exists():
            return None
        where, program = str(folder), sys.executable
        if folder == ROOT:
            where = "the course's folder"
            program = program.removeprefix(f"{ROOT}{os.sep}")
        if " " in program:
            program = f'"{program}"'
        return f"In a terminal, in {where}:", f'{program} -m my_gpt "Once upon a time"'


def time_in_words(spent: timedelta) -> str:
    """How long it took, and what that measures; "" where too little is known to say it."""
    minutes = round(spent.total_seconds() / 60)
    if minutes < 1:
        return ""
    unit = "minute" if minutes == 1 else "minutes"
    long = f"{minutes} {unit}" if minutes < 90 else f"{round(minutes / 60)} hours"
    pause = round(PAUSE.total_seconds() / 3600)
    return IT_TOOK.format(long=long, pause=pause)


def estimate(minutes: int) -> str:
    """A time as the course writes it: 75 min, 2 hours, 2½ hours; "" for 0."""
    hours, rest = divmod(minutes, 60)
    if minutes < 120 or rest not in (0, 30):
        return f"{minutes} min" if minutes else ""
    return f"{hours}{'½' * (rest == 30)} hours"


def hours_in_all(root: Path = ROOT) -> str:
    """How long all chapters take together; from two hours on to half an hour."""
    minutes = sum(minutes_of(stem, root) for stem in stems(root))
    exactly = minutes < 120
    return estimate(minutes if exactly else 30 * round(minutes / 30))


def title_of(stem: str, root: Path = ROOT) -> str:
    """The heading of a chapter's notebook, such as "3 · LayerNorm: one scale for every vector"; else its stem."""
    heading = re.match(r"#\s+(.+)", _beginning(stem, root))
    return heading[1].strip() if heading else stem


def minutes_of(stem: str, root: Path = ROOT) -> int:
    """How long a chapter takes, as its first cell says it ("About 2½ hours"); 0 where it does not."""
    said = re.search(r"\bAbout (\d+)(½?) (minute|hour)", _beginning(stem, root))
    if not said:
        return 0
    whole, half, unit = said.groups()
    number = int(whole) + 0.5 * bool(half)
    return round(number * MINUTES[unit])


def _beginning(stem: str, root: Path) -> str:
    """The first cell of prose in a chapter's notebook."""
    try:
        cells = cells_of(root / "chapters" / f"{stem}.ipynb")
    except CourseError:
        return ""
    prose = (cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    return next(prose, "")


def _chapter(stem: str, done: Collection[str], root: Path) -> Chapter:
    found = exercises(stem, root)
    symbols = {one.symbol: one.symbol in done for one in doable(found)}
    return Chapter(stem, title_of(stem, root), minutes_of(stem, root), symbols, tuple(left_out(found)))
