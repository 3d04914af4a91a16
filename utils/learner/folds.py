"""How a repair is shown: a quiet line under the card, and behind it three folds: where, of what kind, and what.

A learner opens as many of them as they want to be told. A change that is most of the solution is not shown at all.
"""

import html

from judge.repairing import Repair
from utils.learner.cards import div, inline

FIRST = "One change to your code would make every check pass. Where?"
SECOND = "What kind of change?"
THIRD = "Show the change"
_FOLD = "margin:.3em 0 0 1.6em"
LEFT_TO_YOU = "The change is most of the solution, so it is left for you to find."
WHY = "Why?"
_SUMMARY = "cursor:pointer;opacity:.85"


def as_line(repair: Repair) -> str:
    """The first fold alone, for where nothing can be folded."""
    return f"One change to line {repair.line} of your cell would make every check pass."


def as_folds(repair: Repair) -> str:
    """The three folds as HTML, each inside the one before."""
    where = f"Line {repair.line} of your cell: <code>{html.escape(repair.source)}</code>"
    what = _inner(LEFT_TO_YOU) if repair.whole else _fold(THIRD, _inner(_change(repair)), _inner(WHY))
    return _fold(FIRST, _inner(where), _fold(SECOND, _inner(_kind(repair)), what))


def _kind(repair: Repair) -> str:
    places = f" It is made in {repair.places} places." if repair.places > 1 else ""
    return inline(repair.words) + places


def _change(repair: Repair) -> str:
    if not repair.after:
        return f"Leave out {_code(repair.before)}."
    if not repair.before:
        return f"Add {_code(repair.after)} here."
    return f"{_code(repair.before)} → {_code(repair.after)}"


def _fold(title: str, *content: str) -> str:
    summary = f'<summary style="{_SUMMARY}">{title}</summary>'
    inside = "".join(content)
    return f'<details style="{_FOLD}">{summary}{inside}</details>'


def _code(text: str) -> str:
    return f'<code style="white-space:pre-wrap">{html.escape(text)}</code>'


def _inner(content: str) -> str:
    return div(content, "margin-left:1.1em")
