"""What the start page shows, in a notebook and in a terminal: how far the learner has come, and what is next.

The HTML has only styles that JupyterLab leaves in an output that is not trusted, and reads well
without them, as on GitHub.
"""

import html
import textwrap
from itertools import starmap
from pathlib import Path

from utils.course import ROOT
from utils.course.links import to_chapter
from utils.learner.in_page import copyable
from utils.learner.progress import mark
from utils.learner.standing import Chapter, Standing, estimate

WIDTH = 78  # characters in a line of a terminal
INDENT = " " * 4
STORIES = "It tells stories, without this course too."
_CELL = "text-align:left;vertical-align:top;font-weight:normal;white-space:normal;padding:4px 12px 4px 0px"
_HEADING = f'<th scope="col" style="{_CELL};font-weight:bold;width:{{1}}">{{0}}</th>'
_COLUMNS = {"Chapter": "40%", "You write": "auto", "About": "auto"}
_WHOLE = "white-space:nowrap"  # a mark stays with its name on a narrow page


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
        told, commands = [standing.count, *self._what_next()], []
        if standing.story:
            where, command = standing.story
            told.append(f"{STORIES} {where}")
            commands.append(INDENT + command)
        lines = [textwrap.fill(one, WIDTH) for one in told]
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
        if standing.next:
            return f"<p><b>{standing.count}</b>. Next: {_link(standing.next)}</p>"
        told = f"<p><b>{standing.count}</b>. {'<br>'.join(map(html.escape, standing.end))}</p>"
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
