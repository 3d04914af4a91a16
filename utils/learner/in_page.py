"""Scripts for a notebook's page: a button that copies. Where a page runs no scripts, nothing of them is seen."""

import html

_COPY = """<script>{
const text = document.currentScript.previousElementSibling, button = document.createElement('button');
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
