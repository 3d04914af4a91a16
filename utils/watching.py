"""A training run seen while it trains: its loss curve, how far it is, the time left, and what the model writes.

A `Watch` is handed to a run as its `report`: it keeps each entry, shows it, and ends well when the run is stopped. In a
notebook it is shown in one output that changes in place, elsewhere in lines of text.
"""

import html
import pickle
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from utils.learner.shell import notebook_shell, widgets_off

MEASURED = {"loss": "loss", "held_out": "held out"}
WIDTH = 20  # characters of a bar
EVERY = 1.0  # seconds between two lines of text
TEXT = "white-space:pre-wrap;max-width:88ch;line-height:1.4;margin:.4em 0"
SAMPLES = 4  # times in a run that the model writes
SHARE = 0.02  # of the time at most is spent on drawing
# Errors of a file that is no checkpoint; `train` says what is to be done with such a one.
UNREADABLE = (RuntimeError, pickle.PickleError, EOFError, OSError, KeyError, TypeError, ValueError)


@dataclass(frozen=True)
class Standing:
    """A run of `steps` that began at step `start` and has trained for so many seconds since."""

    steps: int
    start: int
    seconds: float
    history: Sequence[dict[str, float]]
    samples: Sequence[tuple[int, str]]
    stopped: bool = False

    @property
    def step(self) -> int:
        """The step of the last entry."""
        return int(self.history[-1]["step"]) if self.history else self.start

    @property
    def share(self) -> float:
        """How much of the run is done, between 0 and 1."""
        return min(1.0, self.step / self.steps) if self.steps else 1.0

    @property
    def seconds_left(self) -> float | None:
        """As long as the steps that are left take at the pace until now; None before the first entry."""
        done = self.step - self.start
        return self.seconds * (self.steps - self.step) / done if done > 0 else None

    def line(self) -> str:
        """`step 120 of 400 · loss 2.613 · held out 2.598 · 0:14 left`."""
        parts = [f"step {self.step:{len(str(self.steps))}d} of {self.steps}"]
        last = self.history[-1] if self.history else {}
        parts += [f"{name} {last[key]:.3f}" for key, name in MEASURED.items() if key in last]
        return " · ".join([*parts, self.time()])

    def time(self) -> str:
        """The time that is left, or that it took."""
        if self.step >= self.steps:
            return f"took {clock(self.seconds)}"
        if self.stopped:
            return f"stopped after {clock(self.seconds)}"
        left = self.seconds_left
        return "starting" if left is None else f"{clock(left)} left"

    def bar(self) -> str:
        """A bar of plain characters."""
        full = round(WIDTH * self.share)
        return f"[{'#' * full}{'.' * (WIDTH - full)}]"


def clock(seconds: float) -> str:
    """`0:07`, `12:30` or `1:02:03`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


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


@dataclass(frozen=True)
class Kept:
    """A run that has not begun, unless a checkpoint says otherwise."""

    step: int = 0
    history: list[dict[str, float]] = field(default_factory=list)


def read_kept(checkpoint: Path | None) -> Kept:
    """What is kept there; a run that has not begun where nothing is, or nothing that can be read."""
    if checkpoint is None or not Path(checkpoint).is_file():
        return Kept()
    import torch

    try:
        run = torch.load(checkpoint, weights_only=True, mmap=True)
        return Kept(int(run["step"]), [dict(entry) for entry in run["history"]])
    except UNREADABLE:
        return Kept()


class Run(Protocol):
    """What a watch has to know of a run's settings."""

    @property
    def steps(self) -> int: ...
    @property
    def checkpoint(self) -> Path | None: ...


def watching(args: Run, samples: Callable[[], str] | None = None, stopped: str = "") -> "Watch":
    """To be used as `with watching(args) as watch: train(model, data, replace(args, report=watch))`.

    `samples` writes a line with the model as it is; it is called four times, and draws nothing that the run would have
    drawn. **Stop** (Kernel → Interrupt, Ctrl+C) ends the block and not the notebook: the model stays as it is, and
    `watch.history` has every entry until then. `stopped` is said then, in place of how to go on.
    """
    return Watch(args, samples, screen_here(), stopped)


class Watch:
    """The entries of a run until now, in `history`, and those who look at them."""

    def __init__(self, args: Run, samples: Callable[[], str] | None, screen: Screen, stopped: str = "") -> None:
        self.steps = args.steps
        self.checkpoint = args.checkpoint
        self.history: list[dict[str, float]] = []
        self.samples: list[tuple[int, str]] = []
        self.stopped = False
        self._write = samples
        self._screen = screen
        self._said_if_stopped = stopped
        self._kept = Kept()
        self._began = self._free_from = 0.0

    def __enter__(self) -> "Watch":
        self._kept = read_kept(self.checkpoint)
        self.history = list(self._kept.history)
        self._began = time.perf_counter()
        self._screen.begin(self.standing())
        return self

    def __call__(self, entry: dict[str, float]) -> None:
        """Take the next entry, and show it, unless the last one was drawn so lately that this would slow the run."""
        self.history.append(dict(entry))
        self._sample()
        began = time.perf_counter()
        if began < self._free_from:
            return
        self._screen.show(self.standing())
        ended = time.perf_counter()
        self._free_from = ended + (ended - began) / SHARE

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.stopped = kind is not None and issubclass(kind, KeyboardInterrupt)
        self._screen.end(self.standing(), (self._said_if_stopped or self._stopped_words()) if self.stopped else "")
        return self.stopped

    def standing(self) -> Standing:
        """How far the run is, as the screens show it."""
        seconds = time.perf_counter() - self._began
        return Standing(self.steps, self._kept.step, seconds, self.history, self.samples, self.stopped)

    def _sample(self) -> None:
        """Let the model write, where another quarter of the run is done."""
        due = SAMPLES * self.history[-1]["step"] // self.steps
        before = SAMPLES * self._kept.step // self.steps
        if self._write is None or due <= len(self.samples) + before:
            return
        self.samples.append((int(self.history[-1]["step"]), undisturbed_by(self._write)))

    def _stopped_words(self) -> str:
        seen = int(self.history[-1]["step"]) if self.history else 0
        said = f"Stopped; the last entry is that of step {seen:,} of {self.steps:,}. "
        said += "The model stays as it is now, and the curve is kept"
        if self.checkpoint is None:
            return f"{said}. To go on from here another time, give `args.checkpoint` a path before you start."
        reached = read_kept(self.checkpoint).step
        if not reached:
            return f"{said}. {self.checkpoint} was not written yet, so training again starts anew."
        return (
            f"{said}. Train again with the same settings, and the run goes on from step {reached:,}: {self.checkpoint}"
        )


def undisturbed_by(write: Callable[[], str]) -> str:
    """What it writes, always with the same draws, and without a change to those that the run makes."""
    import torch

    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        return write()
