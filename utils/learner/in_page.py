"""Scripts for a notebook's page: a button that copies, links that jump and stay, a notice of where a run ended.

Where a page runs no scripts, or is none of JupyterLab's, nothing of them is seen.
"""

import html
import json
from pathlib import Path

SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
HTML = f"<script>{SCRIPT}</script>"

_COPY = """<script>{
const text = document.currentScript.previousElementSibling;
const button = document.createElement('button');
button.textContent = 'Copy';
button.onclick = async () => {
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(text);
  }
};
text.after(button);
}</script>"""


def copyable(text: str) -> str:
    """HTML of a block of text with a button that copies it."""
    return f'<pre style="white-space:pre-wrap"><code>{html.escape(text)}</code></pre>{_COPY}'


def stopped(words: str, time: float) -> str:
    """HTML that leads a reader to the cell that shows it, if they don't see it; `time` is now, in seconds.

    A page that is opened later shows it again: nothing then stops.
    """
    said = json.dumps(words).replace("<", "\\u003c")
    tell = f"window.courseStopped?.(here, {said}, {round(1000 * time)})"
    here = "const here = document.currentScript.parentElement"
    return f"<script>{{{here}; setTimeout(() => {tell}, 500)}}</script>"
