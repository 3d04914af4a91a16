"""Scripts for a notebook's page: a button that copies, links that jump and stay, a notice of where a run ended.

Where a page runs no scripts, or is none of JupyterLab's, nothing of them is seen.
"""

import html
import json
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
HTML = f"<script>{(HERE / 'in_page.js').read_text(encoding='utf-8')}</script>"
COPYING = f"<script>{(HERE / 'copying.js').read_text(encoding='utf-8')}</script>"


def copyable(text: str) -> str:
    """HTML of a block of text with a button that copies it."""
    code = f"<code>{html.escape(text)}</code>"
    return f'<pre style="white-space:pre-wrap">{code}</pre>{COPYING}'


def stopped(words: str, now: float) -> str:
    """HTML that leads a reader to the cell that shows it, if they don't see it; `now` is in seconds.

    A page that is opened later shows it again: nothing then stops.
    """
    said = json.dumps(words).replace("<", "\\u003c")
    tell = f"window.courseStopped?.(here, {said}, {round(1000 * now)})"
    here = "const here = document.currentScript.parentElement"
    return f"<script>{{{here}; setTimeout(() => {tell}, 500)}}</script>"


def tell_where_it_stops(shell: Any) -> None:
    """From now on a cell that stops with an error leads the reader to it, where they don't see it."""
    shell.events.register("post_run_cell", _tell)


def _tell(result: Any) -> None:
    error = result.error_before_exec or result.error_in_exec
    if error is None or isinstance(error, KeyboardInterrupt):
        return
    from IPython import display

    verdict = getattr(error, "verdict", None)  # of a CheckFailed
    words = verdict.summary() if verdict else type(error).__name__
    display.display(display.HTML(stopped(f"The run stopped. {words}", time.time())))
