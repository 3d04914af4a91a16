"""How a verdict looks in a notebook: a card in HTML with the words of `str(verdict)`.

Styles are inline and colours few, so that it reads alike on light and dark pages, in JupyterLab, VS Code and Colab.
A repair stands under it, behind folds: where, of what kind, and what. A learner opens as many as they want to be told.
A small matrix is drawn as SVG: what is expected, what came, and where they differ, side by side. Colours let the
page shine through, and words have its own colour.
No template: to import jinja2 takes a kernel longer than most tests take.
"""

import html
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from judge.checking.verdict import (
    AGAIN,
    DETAILS,
    MARK,
    PRINTED,
    Failure,
    Picture,
    Rows,
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


def as_note(status: Status, title: str, lines: Sequence[str], code: Sequence[str] = ()) -> str:
    """A card that says one thing, such as how a prediction went: its title, lines below it, and code below these."""
    below = [div(inline(line), "margin-left:1.6em") for line in lines]
    if code:  # in lines that do not break, for what is marked below a place in them
        text = html.escape("\n".join(code))
        below.append(div(f'<pre style="margin:.3em 0;overflow-x:auto">{text}</pre>', "margin-left:1.6em"))
    title = _marked(status, f"<b>{inline(title)}</b>")
    return div("".join([title, *below]), f"border-left:4px solid {_COLOUR[status]};{_CARD}")


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
    """A fold with its title; nothing where there is no content."""
    return _details(title, _inner(content), "margin:.3em 0", opened) if content else ""


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


CELL, HIGH = 38, 22  # pixels
LEFT, TOP, GAP = 22, 50, 22
OF_SMALL = 6.2  # pixels of a small letter
POSITIVE, NEGATIVE, WRONG = "59,130,246", "217,119,6", "219,75,63"
RED = "#db4b3f"
SMALL = 'font-size="10"'


def as_svg(picture: Picture) -> str:
    """Three panels; the first wrong place has a frame in each of them."""
    n_rows, n_columns = len(picture.want), len(picture.want[0])
    wide = n_columns * CELL + LEFT
    panels = (
        _panel("expected", _valued(picture.want), picture),
        _panel("yours", _valued(picture.got), picture),
        _panel("difference", _differing(picture), picture),
    )
    placed: list[str] = []
    for index, panel in enumerate(panels):
        left = index * (wide + GAP)
        placed.append(f'<g transform="translate({left},0)">{panel}</g>')
    axes = f"{picture.rows} ↓  {picture.columns} →"
    said = f"{picture.of}:  {axes}" if picture.of else axes
    placed.append(_text(LEFT, 12, said, f'{SMALL} text-anchor="start"'))
    width = max(3 * wide + 2 * GAP, math.ceil(LEFT + len(said) * OF_SMALL))
    height = TOP + n_rows * HIGH + 4
    words = html.escape(picture.in_words, quote=True)
    return (
        f'<svg role="img" aria-label="{words}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'style="max-width:100%;height:auto;margin:.3em 0" font-size="11" font-family="monospace" '
        f'fill="currentColor" text-anchor="middle">{"".join(placed)}</svg>'
    )


Cell = tuple[str, str]  # what stands in it, and its colour


def _panel(title: str, cells: list[list[Cell]], picture: Picture) -> str:
    n_columns = len(cells[0])
    middle = LEFT + n_columns * CELL / 2
    parts = [_text(middle, 31, title, 'font-weight="bold"')]
    for index in range(n_columns):
        x = LEFT + (index + 0.5) * CELL
        parts.append(_text(x, TOP - 4, str(index), SMALL))
    for index, row in enumerate(cells):
        y = TOP + (index + 0.65) * HIGH
        parts.append(_text(LEFT - 10, y, str(index), SMALL))
        parts += [_cell(index, column, cell) for column, cell in enumerate(row)]
    row, column = picture.first
    frame = f'fill="none" stroke="{RED}" stroke-width="2.5"'
    return "".join([*parts, f"<rect {_box(row, column)} {frame}/>"])


def _cell(row: int, column: int, cell: Cell) -> str:
    said, colour = cell
    box = f'<rect {_box(row, column)} fill="{colour}" stroke="rgba(128,128,128,.35)"/>'
    x = LEFT + (column + 0.5) * CELL
    y = TOP + (row + 0.65) * HIGH
    return box + _text(x, y, said)


def _box(row: int, column: int) -> str:
    x = LEFT + column * CELL
    y = TOP + row * HIGH
    return f'x="{x}" y="{y}" width="{CELL}" height="{HIGH}"'


def _text(x: float, y: float, said: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" {more}>{html.escape(said)}</text>'


def _valued(rows: Rows) -> list[list[Cell]]:
    """Numbers above 0 in one colour, those below in another, the fuller the larger they are."""
    finite = [abs(value) for row in rows for value in row if math.isfinite(value)]
    largest = max(finite, default=0.0) or 1.0
    return [[(short(value), _shade(value / largest)) for value in row] for row in rows]


def _differing(picture: Picture) -> list[list[Cell]]:
    """Where the two differ, by how much; elsewhere a dot."""
    cells: list[list[Cell]] = []
    for got, want, wrong in zip(picture.got, picture.want, picture.wrong, strict=True):
        cells.append(list(map(_difference, got, want, wrong)))
    return cells


def _difference(got: float, want: float, wrong: bool) -> Cell:
    if not wrong:
        return "·", "none"
    return short(got - want), f"rgba({WRONG},.4)"


def _shade(share: float) -> str:
    if not math.isfinite(share):
        return "rgba(128,128,128,.3)"
    colour = POSITIVE if share > 0 else NEGATIVE
    return f"rgba({colour},{0.5 * min(abs(share), 1.0):.2f})"


def short(value: float) -> str:
    """A number in five characters."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    if value == 0:
        return "0"
    size = abs(value)
    if not 0.005 <= size < 1e4:
        return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{value:.2f}" if size < 9.995 else f"{value:.0f}"
