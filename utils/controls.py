"""Figures that are drawn anew while a control moves: sliders, number boxes, menus and text boxes above a figure.

Where outputs are stored and compared, no control is shown: the figure for the values at the start stands there alone,
which is also what a reader without a kernel sees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import plotly.graph_objects as go

from utils.learner.shell import widgets_off

Shown: TypeAlias = "go.Figure | str | Sequence[go.Figure | str]"


@dataclass(frozen=True)
class Control:
    """One control: `kind` names the ipywidget, `settings` are what it is made with, `start` is its first value."""

    kind: str
    start: Any
    settings: dict[str, Any]


@dataclass(frozen=True)
class Button:
    """What is done only when a button is pressed, for what takes too long to follow a slider."""

    label: str
    work: Callable[..., Shown]


def slider(low: float, high: float, start: float, step: float | None = None) -> Control:
    """A slider from `low` to `high`, both included; whole numbers give whole numbers."""
    is_whole = _are_whole(low, high, start, step or 1)
    usual = 1 if is_whole else (high - low) / 50
    settings = {"min": low, "max": high, "step": step or usual}
    kind = "IntSlider" if is_whole else "FloatSlider"
    return Control(kind, start, settings)


def number(low: float, high: float, start: float) -> Control:
    """A box for a number from `low` to `high`, both included, where a slider would have too many places."""
    is_whole = _are_whole(low, high, start)
    kind = "BoundedIntText" if is_whole else "BoundedFloatText"
    return Control(kind, start, {"min": low, "max": high})


def _are_whole(*values: float) -> bool:
    return all(isinstance(value, int) for value in values)


def menu(options: Sequence[Any], start: Any = None) -> Control:
    """A menu to choose from; without `start` the first is chosen."""
    return Control("Dropdown", options[0] if start is None else start, {"options": list(options)})


def text_box(start: str) -> Control:
    """A line of text; the figure is drawn anew when Enter is pressed or the box is left."""
    return Control("Text", start, {"continuous_update": False})


def button(label: str, work: Callable[..., Shown]) -> Button:
    """A button that shows work(name=value, ...) below the figure: a figure, a text, or several of them."""
    return Button(label, work)


def explore(draw: Callable[..., Shown], then: Button | None = None, **controls: Control) -> go.Figure | None:
    """Show draw(name=value, ...) below its controls, and draw it anew while one of them moves.

    The names of the controls are the arguments of `draw`. A ValueError that `draw` raises, such as for a text that is
    too long, is shown as its message. `then` puts a button below the figure, for what takes longer. Returns the first
    figure where no control can be shown.
    """
    if not widgets_off():
        from utils.live.controls import Live

        Live(draw, then, controls).display()
        return None
    values = {name: control.start for name, control in controls.items()}
    first = draw(**values)
    if then is None and isinstance(first, go.Figure):
        return first
    _store(first)
    if then:
        _store(then.work(**values))
    return None


def _store(shown: Shown) -> None:
    """Show it as a cell's output."""
    from IPython.display import display

    alone = isinstance(shown, go.Figure | str)
    for one in [shown] if alone else shown:
        show = print if isinstance(one, str) else display
        show(one)
