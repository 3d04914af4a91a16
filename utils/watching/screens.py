"""Where a run is shown: in a notebook one output that changes in place, elsewhere lines of text."""

import html
import sys
import time
from typing import Any, Protocol

from utils.learner.shell import notebook_shell, widgets_off
from utils.watching.standing import Standing

EVERY = 1.0  # seconds between two lines of text
TEXT = "white-space:pre-wrap;max-width:88ch;line-height:1.4;margin:.4em 0"


class Screen(Protocol):
    """What shows a run."""

    def begin(self, standing: Standing) -> None: ...
    def show(self, standing: Standing) -> None: ...
    def end(self, standing: Standing, words: str) -> None: ...


def screen_here() -> Screen:
    """The one that fits: in a notebook whose outputs are stored and compared, only the end is shown."""
    if notebook_shell() is None:
        return Lines()
    return Stored() if widgets_off() else Page()


class Lines:
    """A line of text for what is new, at most one a second, and the samples as they come."""

    def __init__(self) -> None:
        self._next = 0.0
        self._told = -1
        self._samples = 0

    def begin(self, standing: Standing) -> None:
        if standing.start:
            print(f"going on from step {standing.start} of {standing.steps}", flush=True)

    def show(self, standing: Standing) -> None:
        new = standing.samples[self._samples :]
        self._samples = len(standing.samples)
        if time.monotonic() >= self._next or new or standing.step >= standing.steps:
            self._next = time.monotonic() + EVERY
            self._told = standing.step
            print(f"{standing.bar()} {standing.line()}", flush=True)
        for _, text in new:
            print(_indented(text), flush=True)

    def end(self, standing: Standing, words: str) -> None:
        if standing.history and standing.step != self._told:
            print(f"{standing.bar()} {standing.line()}")
        if words:
            print(f"\n{words}")
        sys.stdout.flush()


class Page:
    """One output of the cell, exchanged as a whole; no widget is needed, so it stays where a notebook is saved."""

    def __init__(self) -> None:
        self._handle: Any = None

    def begin(self, standing: Standing) -> None:
        from IPython.display import HTML, display

        self._handle = display(HTML(page(standing)), display_id=True)

    def show(self, standing: Standing) -> None:
        from IPython.display import HTML

        self._handle.update(HTML(page(standing)))

    def end(self, standing: Standing, words: str) -> None:
        from IPython.display import HTML

        self._handle.update(HTML(page(standing, words)))


class Stored:
    """The last line, the curve, and what was written: once, at the end."""

    def begin(self, standing: Standing) -> None:
        pass

    def show(self, standing: Standing) -> None:
        pass

    def end(self, standing: Standing, words: str) -> None:
        from IPython.display import display

        if standing.history:
            display(curve(standing))
        print(standing.line())
        for step, text in standing.samples:
            print(f"after step {step}:\n{_indented(text)}")
        if words:
            print(words)


def curve(standing: Standing) -> Any:
    """The figure of the run until now."""
    from utils.plotting.training import loss_curves

    steps = [entry["step"] for entry in standing.history]
    groups = {"batch": [(steps, [entry["loss"] for entry in standing.history])]}
    if "held_out" in standing.history[-1]:
        groups["held out"] = [(steps, [entry["held_out"] for entry in standing.history])]
    return loss_curves(groups, "Loss while it trains", steps=standing.steps)


def page(standing: Standing, words: str = "") -> str:
    """The bar, the curve and the last sample as HTML that needs nothing else."""
    from utils.drawing import drawn

    percent = round(100 * standing.share)
    bar = (
        f'<progress value="{percent}" max="100" aria-label="steps done" style="width:min(100%,320px)"></progress>'
        f'<div role="status" style="{TEXT}">{html.escape(standing.line())}</div>'
    )
    figure = drawn(curve(standing)) if standing.history else ""
    written = ""
    if standing.samples:
        step, text = standing.samples[-1]
        written = f'<div style="{TEXT}">after step {step}:</div><pre style="{TEXT}">{html.escape(text)}</pre>'
    said = f'<div role="status" style="{TEXT}">{_marked(words)}</div>' if words else ""
    return f"{bar}{figure}{written}{said}"


def _marked(words: str) -> str:
    from utils.learner.cards import inline

    return inline(words)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
