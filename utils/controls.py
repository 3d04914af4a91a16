"""Figures that are drawn anew when a control moves: sliders, menus and text boxes above a plotly figure.

Where outputs are stored and compared, no control is shown: the figure for the values at the start stands there alone,
which is also what a reader without a kernel sees.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from utils.learner.progress import progress_hidden


@dataclass(frozen=True)
class Control:
    """One control: `kind` names the ipywidget, `settings` are what it is made with, `start` is its first value."""

    kind: str
    start: Any
    settings: dict[str, Any]


def slider(low: float, high: float, start: float, step: float | None = None) -> Control:
    """A slider from `low` to `high`, both included; whole numbers give whole numbers."""
    whole = all(isinstance(value, int) for value in (low, high, start, step or 1))
    settings = {"min": low, "max": high, "step": step or (1 if whole else (high - low) / 50)}
    return Control("IntSlider" if whole else "FloatSlider", start, settings)


def menu(options: Sequence[Any], start: Any = None) -> Control:
    """A menu to choose from; without `start` the first is chosen."""
    return Control("Dropdown", options[0] if start is None else start, {"options": list(options)})


def text_box(start: str) -> Control:
    """A line of text; the figure is drawn anew when Enter is pressed or the box is left."""
    return Control("Text", start, {"layout": {"width": "min(100%, 480px)"}})


def explore(draw: Callable[..., go.Figure], **controls: Control) -> go.Figure | None:
    """Show draw(name=value, ...) below its controls, and draw it anew whenever one of them moves.

    The names of the controls are the arguments of `draw`. A ValueError that `draw` raises, such as for a text that is
    too long, is shown as its message. Returns the first figure where no control can be shown.
    """
    if progress_hidden():
        return draw(**{name: control.start for name, control in controls.items()})
    import ipywidgets
    from IPython.display import Markdown, display

    made = {name: _widget(ipywidgets, name, control) for name, control in controls.items()}

    def redraw(**values: Any) -> None:
        try:
            display(draw(**values))
        except ValueError as error:
            display(Markdown(str(error)))

    figure = ipywidgets.interactive_output(redraw, made)
    figure.layout.min_height = "320px"  # so that the page does not jump while it is drawn
    display(ipywidgets.VBox([ipywidgets.HBox(list(made.values()), layout={"flex_flow": "row wrap"}), figure]))
    return None


def _widget(ipywidgets: Any, name: str, control: Control) -> Any:
    """The ipywidget of a control, labelled with its name."""
    settings = {} if control.kind == "Dropdown" else {"continuous_update": False}
    return getattr(ipywidgets, control.kind)(
        value=control.start,
        description=name.replace("_", " "),
        style={"description_width": "initial"},
        **settings,
        **control.settings,
    )
