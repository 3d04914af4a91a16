"""A page of HTML that stands by itself: its style and scripts are in it, it loads nothing, and follows the theme.

Only its own scripts run, by their digests: should a learner's text ever come in unescaped, it does nothing.
"""

import base64
import hashlib
import html
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from grader.grades import MEANING, Status, SubmissionGrades
from grader.reports.text import MARK, how_to_repeat
from utils.learner.cards import inline

NAMES: dict[Status, str] = {
    "pass": "passed",
    "fail": "failed",
    "not_yet": "not yet written",
    "missing": "missing",
    "error": "error",
    "limit": "limit",
    "not_graded": "not graded",
}


def escaped(value: Any) -> Markup:
    """Whatever is put into a template and is not HTML already; jinja2 itself writes quotation marks otherwise."""
    return value if hasattr(value, "__html__") else Markup(html.escape(str(value)))


PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    finalize=escaped,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    undefined=StrictUndefined,
)
PAGES.globals.update(
    NAMES=NAMES,
    MARK=MARK,
    MEANING=MEANING,
    how_to_repeat=how_to_repeat,
    inline=lambda line: Markup(inline(line)),
    moment_of=lambda seconds: datetime.fromtimestamp(seconds, UTC),
)


def page(template: str, scripts: Sequence[str] = (), **facts: Any) -> str:
    """The whole page, with these scripts and no others."""
    digests = " ".join(map(_digest, scripts)) or "'none'"
    return PAGES.get_template(template).render(scripts=scripts, digests=digests, **facts)


def learner_page(submission: SubmissionGrades, file: str = "FILE") -> str:
    """The page that a learner gets: all of one submission, the notebook's cards with points and how to repeat each.

    `file` is what the command that repeats a grade is given.
    """
    chapters = [(stem, list(grades)) for stem, grades in groupby(submission.grades, lambda grade: grade.stem)]
    return page("learner.html", title=f"Grades of {submission.who}", one=submission, file=file, chapters=chapters)


def _digest(script: str) -> str:
    """The hash by which a policy names a script that it allows."""
    found = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(found).decode()}'"
