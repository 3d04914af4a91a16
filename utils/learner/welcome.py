"""What the start page shows, in a notebook and in a terminal: how far the learner has come, and what is next.

First as data: the chapters with what has passed, the map, and how it ends. The HTML has only styles that JupyterLab
leaves in an output that is not trusted, and reads well without them, as on GitHub.
"""

import html
import os
import re
import sys
import textwrap
import unicodedata
from collections import ChainMap
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from itertools import starmap
from pathlib import Path

from utils.course import ROOT, CourseError, doable, exercises, left_out, state_dir, stems
from utils.course.cells import cells_of
from utils.course.links import to_chapter
from utils.learner.handed import handed_over
from utils.learner.in_page import copyable
from utils.learner.progress import PAUSE, mark, passed, predictions_line, time_spent

ALL_PASSED = "Every exercise has passed. The model is yours."
IT_TOOK = (
    "It took you about {long}: the time from opening chapters to passing exercises, without pauses of more than "
    "{pause} hours, and without what you read after the last pass."
)
MINUTES = {"minute": 1, "hour": 60}
WIDTH = 78  # characters in a line of a terminal
INDENT = " " * 4
STORIES = "It tells stories, without this course too."
_CELL = "text-align:left;vertical-align:top;font-weight:normal;white-space:normal;padding:4px 12px 4px 0px"
_HEADING = f'<th scope="col" style="{_CELL};font-weight:bold;width:{{1}}">{{0}}</th>'
_COLUMNS = {"Chapter": "40%", "You write": "auto", "About": "auto"}
_WHOLE = "white-space:nowrap"  # a mark stays with its name on a narrow page


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
        everything = ChainMap(*(chapter.exercises for chapter in self.chapters))
        not_done = (chapter for chapter in self.chapters if not chapter.done)
        self.next = next(not_done, None)
        following = self.next.exercises if begun and self.next else {}
        self.map = handed_over().draw_map(everything, following, begun)

    @property
    def count(self) -> str:
        """How many exercises have passed."""
        passes = [done for chapter in self.chapters for done in chapter.exercises.values()]
        return f"{sum(passes)} of {len(passes)} exercises"

    @property
    def predictions(self) -> list[str]:
        """How predictions went, where any was made."""
        return list(filter(None, [predictions_line()]))

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
    """How long a chapter takes, as its first cell says it, such as "Allow about 1¾ hours"; 0 where it does not."""
    said = re.search(r"\b[Aa]bout (\d+)([¼½¾]?) (minute|hour)", _beginning(stem, root))
    if not said:
        return 0
    whole, part, unit = said.groups()
    number = int(whole) + (unicodedata.numeric(part) if part else 0)
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
    symbols = {exercise.symbol: exercise.symbol in done for exercise in doable(found)}
    return Chapter(stem, title_of(stem, root), minutes_of(stem, root), symbols, tuple(left_out(found)))


class Welcome:
    """How far the learner has come: HTML in a notebook, the same as text elsewhere.

    Without `begun` it is the course before anybody has: what the start page shows before it is run.
    """

    def __init__(self, root: Path = ROOT, begun: bool = True):
        self.standing, self.begun = Standing(root, begun), begun

    def __repr__(self) -> str:
        standing = self.standing
        if not self.begun:
            return standing.map.words
        told, commands = [standing.count, *standing.predictions, *self._what_next()], []
        if standing.story:
            where, command = standing.story
            told.append(f"{STORIES} {where}")
            commands.append(INDENT + command)
        lines = [textwrap.fill(paragraph, WIDTH) for paragraph in told]
        chapters = map(_as_text, standing.chapters)
        return "\n".join([*lines, *commands, "", *chapters])

    def _what_next(self) -> list[str]:
        following = self.standing.next
        if following is None:
            return self.standing.end
        return [f"Next: {following.title}, in chapters/{following.stem}.ipynb"]

    def _repr_html_(self) -> str:
        rows = "".join(map(self._row, self.standing.chapters))
        heads = "".join(starmap(_HEADING.format, _COLUMNS.items()))
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        scrolls = f'<div style="overflow-x:auto">{table}</div>'  # in a narrow window
        return f'<div lang="en">{self._told()}{self.standing.map._repr_html_()}{scrolls}</div>'

    def _told(self) -> str:
        standing = self.standing
        if not self.begun:
            return "<p>The model that you will write. A box opens the chapter about it.</p>"
        count = f"<b>{standing.count}</b>. " + "".join(f"{line}. " for line in standing.predictions)
        if standing.next:
            return f"<p>{count}Next: {_link(standing.next)}</p>"
        told = f"<p>{count}{'<br>'.join(map(html.escape, standing.end))}</p>"
        if not standing.story:
            return told
        where, command = standing.story
        return f"{told}<p>{STORIES} {html.escape(where)}</p>{copyable(command)}"

    def _row(self, chapter: Chapter) -> str:
        symbols = " ".join([*starmap(self._symbol, chapter.exercises.items()), *map(html.escape, chapter.left_out)])
        title = f"{self._sign(chapter.done)}{_link(chapter)}"
        cells = [
            f'<th scope="row" style="{_CELL}">{title}</th>',
            f'<td style="{_CELL}">{symbols}</td>',
            f'<td style="{_CELL};{_WHOLE}">{estimate(chapter.minutes)}</td>',
        ]
        return f"<tr>{''.join(cells)}</tr>"

    def _symbol(self, name: str, done: bool) -> str:
        return f'<code style="{_WHOLE}">{self._sign(done)}{name}</code>'

    def _sign(self, done: bool) -> str:
        return f"{mark(done)} " if self.begun else ""


def welcome() -> Welcome:
    """How far the learner has come; run it again whenever you come back."""
    return Welcome()


def _link(chapter: Chapter) -> str:
    return f"<a {to_chapter(chapter.stem)}>{html.escape(chapter.title)}</a>"


def _as_text(chapter: Chapter) -> str:
    """A chapter in lines of a terminal: its title and time, and below it what is written there."""
    title = f"{mark(chapter.done)} {chapter.title}"
    times = 12  # the width of their column
    *head, last = textwrap.wrap(title, WIDTH - times, subsequent_indent="  ")
    timed = f"{last:<{WIDTH - times}}{estimate(chapter.minutes):>{times}}"
    marked = [f"{mark(done)}\xa0{name}" for name, done in chapter.exercises.items()]
    marked += chapter.left_out
    written = textwrap.wrap(
        "  ".join(marked), WIDTH, initial_indent=INDENT, subsequent_indent=INDENT, break_on_hyphens=False
    )
    lines = [*head, timed.rstrip(), *written]
    return "\n".join(lines).replace("\xa0", " ")
