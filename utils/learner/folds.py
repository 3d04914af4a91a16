"""How a repair is shown: a quiet line under the card, and behind it three folds: where, of what kind, and what.

A learner opens as many of them as they want to be told. A change that is most of the solution is not shown at all.
"""

import html

from utils.learner.cards import div, inline
from utils.repairing import Repair

FIRST = "One change to your code would make every check pass. Where?"
FIRST_OF_TWO = "Two things are wrong here: two changes to your code would make every check pass. Where?"
FIRST_BESIDE = "Two things are wrong here. Where is the first?"
SECOND, SECOND_OF_TWO = "What kind of change?", "What kind of changes?"
THIRD, THIRD_OF_TWO = "Show the change", "Show the changes"
OTHER = "What is the other one?"
_FOLD = "margin:.3em 0 0 1.6em"
LEFT_TO_YOU = "The change is most of the solution, so it is left for you to find."
WHY = "Why?"
_SUMMARY = "cursor:pointer;opacity:.85"


def as_line(repair: Repair) -> str:
    """The first fold alone, for where nothing can be folded."""
    if repair.left:
        return f"Two things are wrong here. One is in line {repair.line} of your cell; the other: {repair.left}"
    if not repair.then:
        return f"One change to line {repair.line} of your cell would make every check pass."
    lines = sorted({change.line for change in repair.changes})
    where = "line {}" if len(lines) == 1 else "lines {} and {}"
    return f"Two changes, to {where.format(*lines)} of your cell, would make every check pass."


def as_folds(repair: Repair) -> str:
    """The three folds as HTML, each inside the one before; where a misconception is left, a fourth one below them."""
    if repair.left:
        first = _three_folds((repair,), FIRST_BESIDE, SECOND, THIRD)
        return first + _fold(OTHER, _inner(inline(f"The cause: {repair.left}")))
    if repair.then:
        return _three_folds(
            repair.changes,
            FIRST_OF_TWO,
            SECOND_OF_TWO,
            THIRD_OF_TWO,
        )
    return _three_folds((repair,), FIRST, SECOND, THIRD)


def _three_folds(
    changes: tuple[Repair, ...],
    first: str,
    second: str,
    third: str,
) -> str:
    """Where, of what kind, and what."""
    lines = dict.fromkeys((change.line, change.source) for change in changes)
    where = [_inner(f"Line {line} of your cell: <code>{html.escape(source)}</code>") for line, source in lines]
    kinds = [_inner(kind) for kind in dict.fromkeys(map(_kind, changes))]
    what = _fold(third, *map(_change, changes), _inner(WHY))
    if any(change.whole for change in changes):
        what = _inner(LEFT_TO_YOU)
    return _fold(first, *where, _fold(second, *kinds, what))


def _kind(change: Repair) -> str:
    places = f" It is made in {change.places} places." if change.places > 1 else ""
    return inline(change.words) + places


def _change(change: Repair) -> str:
    if not change.after:
        return _inner(f"Leave out {_code(change.before)}.")
    if not change.before:
        return _inner(f"Add {_code(change.after)} here.")
    return _inner(f"{_code(change.before)} → {_code(change.after)}")


def _fold(title: str, *content: str) -> str:
    summary = f'<summary style="{_SUMMARY}">{title}</summary>'
    inside = "".join(content)
    return f'<details style="{_FOLD}">{summary}{inside}</details>'


def _code(text: str) -> str:
    return f'<code style="white-space:pre-wrap">{html.escape(text)}</code>'


def _inner(content: str) -> str:
    return div(content, "margin-left:1.1em")
