"""Scripts for a notebook's page: a button that copies, links that jump and stay, a notice of where a run ended.

Where a page runs no scripts, or is none of JupyterLab's, nothing of them is seen.
"""

import html
import json
from pathlib import Path

HERE = Path(__file__).parent
HTML = f"<script>{(HERE / 'in_page.js').read_text(encoding='utf-8')}</script>"
COPYING = f"<script>{(HERE / 'copying.js').read_text(encoding='utf-8')}</script>"


def copyable(text: str) -> str:
    """HTML of a block of text with a button that copies it."""
    code = f"<code>{html.escape(text)}</code>"
    return f'<pre style="white-space:pre-wrap">{code}</pre>{COPYING}'


def stopped(words: str, time: float) -> str:
    """HTML that leads a reader to the cell that shows it, if they don't see it; `time` is now, in seconds.

    A page that is opened later shows it again: nothing then stops.
    """
    said = json.dumps(words).replace("<", "\\u003c")
    tell = f"window.courseStopped?.(here, {said}, {round(1000 * time)})"
    here = "const here = document.currentScript.parentElement"
    return f"<script>{{{here}; setTimeout(() => {tell}, 500)}}</script>"
