"""Controls and the figure that follows them; below it a button, where something takes too long to follow.

A front end sends a slider's next value only when the kernel has done with the one before, and then the newest: so
nothing queues up while a slider is dragged, however long a figure takes.
"""

import asyncio
import contextlib
import html
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ipywidgets
import plotly.graph_objects as go
from IPython.display import display

from utils.drawing import Unsupported, drawn
from utils.learner.cards import inline

WIDTH, NARROW = "min(100%, 640px)", "min(100%, 240px)"  # the second for a box with a number
LATE = 0.3  # seconds in which presses arrive that were made while the work ran
STYLE = "<style>.course-stale{opacity:.6} .course-busy button{opacity:.6;cursor:default}</style>"
# ipywidgets gives a slider's handle no name. Its label is written before or after this runs, so it looks a few times.
LABELS = """<style onload="
var box=this.closest('.course-controls'),left=20;
(function name(){
 box.querySelectorAll('.widget-slider').forEach(function(row){
  var label=row.querySelector('.widget-label'),handle=row.querySelector('[role=slider],.ui-slider-handle'),
   readout=row.querySelector('.widget-readout');
  if(label&&handle)handle.setAttribute('aria-label',label.textContent);
  if(label&&readout){readout.setAttribute('role','textbox');readout.setAttribute('aria-label',label.textContent)}});
 if(left--)setTimeout(name,250)})()
"></style>"""


class Live:
    """The widgets of one `explore`."""

    def __init__(self, draw: Callable[..., Any], then: Any, controls: Mapping[str, Any]) -> None:
        self._draw = draw
        room = f"{0.62 * max(map(len, controls), default=0) + 1:.1f}em"
        self.controls = {name: _widget(name, control, room) for name, control in controls.items()}
        self.place = Place()
        self.work = Work(then, self.values) if then else None
        for widget in self.controls.values():
            widget.observe(self._moved, names="value")

    def values(self) -> dict[str, Any]:
        """What the controls say now."""
        return {name: widget.value for name, widget in self.controls.items()}

    def display(self) -> None:
        """Show everything, and draw for the first time: so a stored notebook does not hold the figure as text."""
        below = [self.work.box] if self.work else []
        parts = [*self.controls.values(), self.place.box, *below, ipywidgets.HTML(LABELS)]
        box = ipywidgets.VBox(parts)
        box.add_class("course-controls")
        display(box)
        self.place.show(self._draw, self.values())

    def _moved(self, _change: Any) -> None:
        self.place.show(self._draw, self.values())
        if self.work:
            self.work.compare()


class Work:
    """A button, what it made, and the settings with which it was made."""

    def __init__(self, then: Any, values: Callable[[], dict[str, Any]]) -> None:
        self._then, self._values = then, values
        self._made_with: dict[str, Any] | None = None
        self._busy = False
        layout = {"width": "auto", "align_self": "flex-start"}
        self.button = ipywidgets.Button(description=then.label, layout=layout)
        self.button.on_click(self._pressed)
        self.state = ipywidgets.HTML(STYLE)
        self.place = Place()
        self.box = ipywidgets.VBox([self.button, self.state, self.place.box])

    def compare(self) -> None:
        """Say whether what stands here was made with other settings than the controls show now."""
        if self._made_with is None or self._busy:
            return
        stale = self._made_with != self._values()
        made = f"Made with {_listed(self._made_with)}."
        if stale:
            self._say(f"{made} The controls have moved since; “{self._then.label}” makes it anew.")
            self.place.box.add_class("course-stale")
        else:
            self._say(made)
            self.place.box.remove_class("course-stale")

    def _pressed(self, _button: Any) -> None:
        if self._busy:  # pressed again while it ran: the press was waiting in line
            return
        self._busy, values = True, self._values()
        # A button that is disabled would lose the keyboard's focus, so it stays and does nothing.
        self.box.add_class("course-busy")
        self.button.description = f"{self._then.label}: running ..."
        self._say(f"Running with {_listed(values)} ...", busy=True)
        self.place.show(self._then.work, values)
        self._made_with = values
        self.button.description = self._then.label
        self.box.remove_class("course-busy")
        _soon(self._ready)

    def _ready(self) -> None:
        self._busy = False
        self.compare()

    def _say(self, text: str, busy: bool = False) -> None:
        button = "this.closest('.course-controls').querySelector('button')"
        mark = f"{button}.setAttribute('aria-disabled',{str(busy).lower()})"
        marking = f'<style onload="{html.escape(mark)}"></style>'
        told = f'<div role="status" style="line-height:1.4">{html.escape(text)}</div>'
        self.state.value = f"{STYLE}{marking}{told}"


def _soon(action: Callable[[], None]) -> None:
    """Run an action when those messages have been read that were already waiting."""
    with contextlib.suppress(RuntimeError):
        asyncio.get_running_loop().call_later(LATE, action)
        return
    action()


def _listed(values: Mapping[str, Any]) -> str:
    settings = [f"{name.replace('_', ' ')} {_short(value)}" for name, value in values.items()]
    return ", ".join(settings)


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return f"“{value}”" if isinstance(value, str) else str(value)


def _widget(name: str, control: Any, room: str) -> Any:
    """The ipywidget of a control, labelled with its name, in a row of its own."""
    widget = getattr(ipywidgets, control.kind)
    is_narrow = control.kind.startswith("Bounded")
    return widget(
        value=control.start,
        description=name.replace("_", " "),
        style={"description_width": room},
        layout={"width": NARROW if is_narrow else WIDTH},
        **control.settings,
    )


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
