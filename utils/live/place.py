"""A place below the controls: figures, texts and messages, exchanged in one step so that nothing jumps or flashes."""

import contextlib
import html
import io
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets
import plotly.graph_objects as go

from utils.drawing import Unsupported, drawn
from utils.learner.cards import inline

_TEXT = "white-space:pre-wrap;max-width:88ch;line-height:1.4;margin:.4em 0"


class Place:
    """Shows what a function returns, or why it could not."""

    def __init__(self) -> None:
        self.page = ipywidgets.HTML(layout={"width": "100%"})
        self.rest = ipywidgets.Output()  # for what is not drawn here: plotly shows it, and IPython a traceback
        # ipywidgets lets a box scroll; this one never needs to, and what scrolls must take the keyboard's focus
        self.box = ipywidgets.VBox([self.page, self.rest], layout={"overflow": "visible"})
        self._rest_is_used = False

    def show(self, work: Callable[..., Any], values: dict[str, Any]) -> None:
        """Put what work(**values) returns here. A ValueError is a message to whoever moved the controls."""
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                made = work(**values)
        except ValueError as error:
            self._put(f'<div role="status" style="{_TEXT}">{inline(str(error))}</div>')
        except Exception:
            self._put(_as_printed(printed))
            self._use_rest()
            with self.rest:
                raise
        else:
            is_one = isinstance(made, go.Figure | str)
            parts = [made] if is_one else made
            self._show_all(parts, _as_printed(printed))

    def _show_all(self, parts: Sequence[go.Figure | str], printed: str) -> None:
        shown, left = [], []
        for part in parts:
            try:
                shown.append(_text(part) if isinstance(part, str) else drawn(part))
            except Unsupported:
                left.append(part)
        self._put("".join(shown) + printed)
        if left:
            self._use_rest()
            self._show_by_plotly(left)

    def _show_by_plotly(self, figures: Sequence[go.Figure]) -> None:
        from IPython.display import display

        with self.rest:
            for figure in figures:
                display(figure)

    def _put(self, content: str) -> None:
        if self._rest_is_used:
            self.rest.outputs = ()
            self._rest_is_used = False
        self.page.value = content

    def _use_rest(self) -> None:
        self._rest_is_used = True


def _text(text: str) -> str:
    return f'<div style="{_TEXT}">{html.escape(text)}</div>'


def _as_printed(printed: io.StringIO) -> str:
    text = html.escape(printed.getvalue())
    return f'<pre style="line-height:1.3">{text}</pre>' if text else ""
