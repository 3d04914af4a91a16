"""How a verdict looks in a notebook: a card in HTML with the words of `str(verdict)`.

Styles are inline and colours few, so that it reads alike on light and dark pages, in JupyterLab, VS Code and Colab.
A repair stands under it, behind folds: where, of what kind, and what. A learner opens as many as they want to be told.
No template: to import jinja2 takes a kernel longer than most tests take.
"""

import html
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from judge.checking.verdict import (
    AGAIN,
    DETAILS,
    MARK,
    PRINTED,
    Failure,
    Status,
    Verdict,
    again_of,
    cause,
    details_of,
    frames_seen,
    place,
    tail,
)
from judge.running.records import Frame
from utils.course.links import in_colab, to_chapter
from utils.learner.pictures import as_svg

if TYPE_CHECKING:
    from judge.repairing import Repair  # which only a failure needs

# each has a contrast of at least 4 on white, on JupyterLab's dark page (#111111) and on VS Code's (#1e1e1e)
_COLOUR: dict[Status, str] = {"passed": "#278f50", "failed": "#db4b3f", "not yet": "#a87400", "skipped": "#a87400"}
_CARD = "padding:.5em .9em;margin:.3em 0;line-height:1.5;max-width:60em"
_BOX = "border-radius:4px;padding:.3em .6em;margin:.4em 0"
_LINK = 'style="text-decoration:underline"'  # hidden by code in it otherwise
_GREY = "rgba(128,128,128,.6)"
_CODE = re.compile(r"(<code>.*?</code>)")
_STRESSED = re.compile(r"(?<![\w*])\*(\w[^*]*?)\*(?![\w*])")
_FURTHER_DOWN = re.compile(r"(<code>(\w+)</code>), further down")
_CHAPTER = re.compile(r"\bchapters/(\w+)\.ipynb")
# And a symbol: where JupyterLab finds the heading "Exercise: write `Embed`".
HEADING = "#Exercise:-write-"


def as_html(verdict: Verdict, footer: Sequence[str] = (), folds: str = "") -> str:
    """The card as HTML; `footer` says what was kept and what comes next, `folds` is HTML of a repair."""
    status, failure = verdict.status, verdict.failure
    colour = _COLOUR[status]
    not_judged = f": {status}" if status in ("not yet", "skipped") else ""
    symbol = f"<code>{html.escape(verdict.symbol)}</code>"
    parts = [_marked(status, f"<b>{symbol}{not_judged}</b>")]
    if verdict.skipped:
        parts.append(div(inline(verdict.skipped), "margin-left:1.6em"))
    if failure and not failure.not_yet:
        parts.append(_marked("failed", f"<b>{inline(failure.line)}</b>", indent=True))
    if failure:
        parts += [_explained(verdict, failure, colour), folds]
    parts += [_marked("passed", inline(line), indent=True) for line in verdict.passed]
    parts += [div(_linked(inline(line)), "margin-top:.5em") for line in footer]
    return div("".join(parts), f"border-left:4px solid {colour};{_CARD}")


def _explained(verdict: Verdict, failure: Failure, colour: str) -> str:
    """What is known about a failure, in the order of `verdict.explanation`; it stands open where no cause is known."""
    known = cause(failure)
    parts = [
        _boxed(_said(known), colour),
        _boxed("".join(map(_said, failure.hints)), _GREY),
        *map(_lines, failure.details),
        *map(_place, frames_seen(failure)),
        _pre(failure.call),
        as_svg(failure.picture) if failure.picture else "",
        _boxed(_said(failure.example), _GREY),
        _printed(failure.printed),
        _fold(DETAILS, "".join(map(_lines, details_of(verdict))), opened=not known),
        _fold(AGAIN, _pre(failure.again) + "".join(map(_lines, again_of(verdict)[len(failure.again) :]))),
    ]
    return div("".join(parts), "margin:.4em 0 .2em 1.6em;white-space:pre-wrap")


def _fold(title: str, content: str, opened: bool = False) -> str:
    """What is there for those who ask; nothing where there is nothing."""
    return _details(f"{title}:", _inner(content), "margin:.3em 0", opened) if content else ""


def _details(title: str, content: str, style: str, opened: bool = False) -> str:
    summary = f'<summary style="cursor:pointer;opacity:.85">{title}</summary>'
    return f'<details style="{style}"{" open" * opened}>{summary}{content}</details>'


def _inner(content: str) -> str:
    return div(content, "margin-left:1.1em")


def _pre(lines: Sequence[str]) -> str:
    """Code, as it stands."""
    if not lines:
        return ""
    block = "\n".join(html.escape(line) for line in lines)
    return f'<pre style="margin:.3em 0 .3em 1em;white-space:pre-wrap">{block}</pre>'


def _place(frame: Frame) -> str:
    """Where an error was raised, and the line."""
    source = f":  <code>{html.escape(frame.source)}</code>" if frame.source else ""
    return div(html.escape(place(frame)) + source)


def _boxed(content: str, colour: str) -> str:
    """A frame round what is said; nothing round nothing."""
    return div(content, f"border:1px solid {colour};{_BOX}") if content else ""


def _printed(text: str) -> str:
    return div(PRINTED + _pre(tail(text))) if text else ""


def _marked(status: Status, content: str, indent: bool = False) -> str:
    style = f"color:{_COLOUR[status]};font-weight:600"
    mark = f'<span style="{style}">{MARK[status]}</span>'
    return div(f"{mark} {content}", "margin-left:.4em" if indent else "")


def _lines(text: str) -> str:
    return "".join(map(div, map(inline, text.splitlines())))


def _said(text: str) -> str:
    """Sentences of the course's own: in them *a word* between asterisks is stressed."""
    return "".join(map(div, map(_stressed, text.splitlines())))


def _stressed(line: str) -> str:
    parts = _CODE.split(inline(line))
    prose = parts[::2]  # code stands at the odd places
    parts[::2] = [_STRESSED.sub(r"<em>\1</em>", part) for part in prose]
    return "".join(parts)


def _linked(line: str) -> str:
    """What a line says comes next becomes a link: another chapter, or the heading of an exercise in this one."""
    line = _CHAPTER.sub(lambda found: f"<a {to_chapter(found[1])} {_LINK}>{found[0]}</a>", line)
    if in_colab():  # an output there has a page of its own
        return line
    link = rf'<a href="{HEADING}\2" {_LINK}>\1</a>'
    return _FURTHER_DOWN.sub(f"{link}, further down", line)


def div(content: str, style: str = "") -> str:
    """A block of HTML."""
    return f'<div style="{style}">{content}</div>' if style else f"<div>{content}</div>"


def inline(line: str) -> str:
    """Escape a line; what stands between backticks becomes code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(line))


FIRST = "One change to your code would make every check pass. Where?"
SECOND = "What kind of change?"
THIRD = "Show the change"
LEFT_TO_YOU = "The change is most of the solution, so it is left for you to find."
WHY = "Why?"
_UNDER_THE_CARD = "margin:.3em 0 0 1.6em"


def as_line(repair: "Repair") -> str:
    """The first fold alone, for where nothing can be folded."""
    return f"One change to line {repair.line} of your cell would make every check pass."


def as_folds(repair: "Repair") -> str:
    """The three folds as HTML, each inside the one before; a change that is most of the solution is not shown."""
    where = f"Line {repair.line} of your cell: <code>{html.escape(repair.source)}</code>"
    kind = inline(repair.words) + (f" It is made in {repair.places} places." if repair.places > 1 else "")
    if repair.whole:
        what = _inner(LEFT_TO_YOU)
    else:
        what = _details(THIRD, _inner(_change(repair)) + _inner(WHY), _UNDER_THE_CARD)
    second = _details(SECOND, _inner(kind) + what, _UNDER_THE_CARD)
    return _details(FIRST, _inner(where) + second, _UNDER_THE_CARD)


def _change(repair: "Repair") -> str:
    before, after = (
        f'<code style="white-space:pre-wrap">{html.escape(text)}</code>' for text in (repair.before, repair.after)
    )
    if not repair.after:
        return f"Leave out {before}."
    return f"{before} → {after}" if repair.before else f"Add {after} here."
