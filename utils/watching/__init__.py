"""A training run seen while it trains: its loss curve, how far it is, the time left, and what the model writes.

A `Watch` is handed to a run as its `report`: it keeps each entry, shows it, and ends well when the run is stopped.
"""

import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Protocol

from utils.watching.screens import Screen, Standing, screen_here

# Errors of a file that is no checkpoint; `train` says what is to be done with such a one.
UNREADABLE = (RuntimeError, pickle.PickleError, EOFError, OSError, KeyError, TypeError, ValueError)


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


SAMPLES = 4  # times in a run that the model writes
SHARE = 0.02  # of the time at most is spent on drawing


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
