"""How far a run is: the same in words for a terminal and above a curve."""

from collections.abc import Sequence
from dataclasses import dataclass

MEASURED = {"loss": "loss", "held_out": "held out"}
WIDTH = 20  # characters of a bar


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
