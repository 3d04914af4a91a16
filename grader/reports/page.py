"""A page of HTML that stands by itself: its style and scripts are in it, it loads nothing, and follows the theme.

Only its own scripts run, by their digests: should a learner's text ever come in unescaped, it does nothing.
"""

import base64
import hashlib
import html
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from grader.grades import MEANING, Grade, Status
from grader.reports.text import MARK

TEMPLATES = Path(__file__).parent / "templates"
NAMES: dict[Status, str] = {
    "pass": "passed",
    "fail": "failed",
    "not_yet": "not yet written",
    "missing": "missing",
    "error": "error",
    "limit": "limit",
    "not_graded": "not graded",
}


def page(title: str, body: str, scripts: Sequence[str] = ()) -> str:
    """The whole page."""
    digests = " ".join(map(_digest, scripts)) or "'none'"
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; script-src {digests}"
    written = "".join(f"<script>{script}</script>\n" for script in scripts)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escaped(title)}</title>
<style>
{template("page.css")}</style>
</head>
<body>
<main>
{body}
</main>
{written}</body>
</html>
"""


def _digest(script: str) -> str:
    """As a policy names a script that it allows."""
    found = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(found).decode()}'"


def template(name: str) -> str:
    """A file beside this module."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def escaped(text: object) -> str:
    """Of whatever a learner may have written."""
    return html.escape(str(text))


def code(text: object) -> str:
    """As code."""
    return f"<code>{escaped(text)}</code>"


def items(texts: Iterable[object]) -> str:
    """A list of sentences; nothing of none."""
    found = [f"<li>{escaped(text)}</li>" for text in texts]
    return f"<ul>{''.join(found)}</ul>" if found else ""


def mark(status: Status) -> str:
    """The sign of a status, which is read out as a word."""
    return f'<span class="mark {status}" role="img" aria-label="{NAMES[status]}">{MARK[status]}</span>'


def card(grade: Grade) -> str:
    """The notebook's card, or what there is to say instead."""
    if grade.card:
        return f'<div class="card">{grade.card}</div>'
    said = grade.said or f"{grade.status}: {MEANING[grade.status]}."
    return f'<pre class="card">{escaped(said)}</pre>'


def moment(seconds: float | None) -> str:
    """A time that machines can read too."""
    if seconds is None:
        return "at a time that is not known"
    when = datetime.fromtimestamp(seconds, UTC)
    return f'<time datetime="{when.isoformat()}">{when:%Y-%m-%d %H:%M} UTC</time>'
