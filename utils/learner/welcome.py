"""What the start page shows, in a notebook and in a terminal: how far the learner has come, and what is next.

The HTML has only styles that JupyterLab leaves in an output that is not trusted, and reads well
without them, as on GitHub.
"""

import html
import textwrap
from pathlib import Path

from utils.course import ROOT
from utils.learner.in_page import copyable
from utils.learner.standing import Chapter, Standing, estimate
from utils.links import to_chapter

WIDTH, INDENT = 78, 4  # characters in a line of a terminal
_CELL = "text-align:left;vertical-align:top;font-weight:normal;white-space:normal;padding:4px 12px 4px 0px"
_HEAD = f"{_CELL};font-weight:bold"
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
        next_one = standing.next
        told = [f"Next: {next_one.title}, in chapters/{next_one.stem}.ipynb"] if next_one else standing.end
        if standing.story:
            told.append(f"It tells stories, without this course too. {standing.story[0]}")
        lines = [part for line in [standing.count, *told] for part in textwrap.wrap(line, WIDTH)]
        lines += [" " * INDENT + standing.story[1]] if standing.story else []
        return "\n".join([*lines, "", *(line for one in standing.chapters for line in _as_text(one))])

    def _repr_html_(self) -> str:
        rows = "".join(self._row(one) for one in self.standing.chapters)
        widths = {"Chapter": "40%", "You write": "auto", "About": "auto"}
        heads = "".join(f'<th scope="col" style="{_HEAD};width:{wide}">{name}</th>' for name, wide in widths.items())
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
        return f"{told}<p>It tells stories, without this course too. {html.escape(where)}</p>{copyable(command)}"

    def _row(self, chapter: Chapter) -> str:
        symbols = " ".join(
            f'<code style="{_WHOLE}">{self._sign(done)}{name}</code>' for name, done in chapter.exercises.items()
        )
        return (
            f'<tr><th scope="row" style="{_CELL}">{self._sign(chapter.done)}{_link(chapter)}</th>'
            f'<td style="{_CELL}">{symbols}</td><td style="{_CELL};{_WHOLE}">{estimate(chapter.minutes)}</td></tr>'
        )

    def _sign(self, done: bool) -> str:
        return f"{mark(done)} " if self.begun else ""


def welcome() -> Welcome:
    """How far the learner has come; run it again whenever you come back."""
    return Welcome()


def mark(done: bool) -> str:
    """The sign before what has passed, and before what has not."""
    return "✔" if done else "○"


def _link(chapter: Chapter) -> str:
    return f"<a {to_chapter(chapter.stem)}>{html.escape(chapter.title)}</a>"


def _as_text(chapter: Chapter) -> list[str]:
    """A chapter in lines of a terminal: its title and time, and below it what is written there."""
    *head, last = textwrap.wrap(f"{mark(chapter.done)} {chapter.title}", WIDTH - 12, subsequent_indent="  ")
    lines = [*head, f"{last:<{WIDTH - 12}}{estimate(chapter.minutes):>12}".rstrip()]
    indent = " " * INDENT
    symbols = "  ".join(f"{mark(done)}\xa0{name}" for name, done in chapter.exercises.items())
    below = textwrap.wrap(symbols, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    return [*lines, *(line.replace("\xa0", " ") for line in below)]
