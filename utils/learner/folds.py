"""How a repair is shown: a quiet line under the card, and behind it three folds: where, of what kind, and what.

A learner opens as many of them as they want to be told. A change that is most of the solution is not shown at all.
"""

import html

from utils.learner.cards import inline
from utils.repairing import Repair

_FOLD = "margin:.3em 0 0 1.6em"
LEFT_TO_YOU = "The change is most of the solution, so it is left for you to find."
_SUMMARY = "cursor:pointer;opacity:.85"


def as_line(repair: Repair) -> str:
    """The first fold alone, for where nothing can be folded."""
    return f"One change to line {repair.line} of your cell would make every check pass."


def as_folds(repair: Repair) -> str:
    """The three folds as HTML, each inside the one before."""
    what = _div(LEFT_TO_YOU) if repair.whole else _fold("Show the change", _change(repair))
    kind = _fold("What kind of change?", _div(inline(repair.words + _places(repair))) + what)
    where = f"Line {repair.line} of your cell: <code>{html.escape(repair.source)}</code>"
    return _fold("One change to your code would make every check pass. Where?", _div(where) + kind)


def _places(repair: Repair) -> str:
    return f" It is made in {repair.places} places." if repair.places > 1 else ""


def _change(repair: Repair) -> str:
    if not repair.after:
        change = f"Leave out {_code(repair.before)}."
    elif not repair.before:
        change = f"Add {_code(repair.after)} here."
    else:
        change = f"{_code(repair.before)} → {_code(repair.after)}"
    return _div(change) + _div("With this every check passes. Why does it?")


def _fold(summary: str, content: str) -> str:
    return f'<details style="{_FOLD}"><summary style="{_SUMMARY}">{summary}</summary>{content}</details>'


def _code(text: str) -> str:
    return f'<code style="white-space:pre-wrap">{html.escape(text)}</code>'


def _div(content: str) -> str:
    return f'<div style="margin-left:1.1em">{content}</div>'
