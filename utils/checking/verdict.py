"""What a test function found, as data: a `Verdict` with the `Failure` that ended it, or none; and its plain text."""

from dataclasses import dataclass, field
from typing import Literal

from utils.running.records import Frame, Question

Status = Literal["passed", "failed", "not yet"]
MARK: dict[Status, str] = {"passed": "✔", "failed": "✘", "not yet": "○"}
MOST_PRINTED = 12  # lines


@dataclass(frozen=True)
class Failure:
    """Everything there is to say about the line that did not hold. Backticks stand round code."""

    line: str  # the title of that line
    details: tuple[str, ...]  # what, how much, where
    # Its name: fits "This is what you get from {misconception}: {advice}".
    misconception: str | None = None
    # What to do, with or without a misconception.
    advice: str | None = None
    # What else was noticed: names read from the notebook; the worked example.
    hints: tuple[str, ...] = ()
    # The learner's own lines on the way to an error.
    frames: tuple[Frame, ...] = ()
    printed: str = ""
    # A stub was met: nothing is wrong yet.
    not_yet: bool = False
    # Whether random numbers had a part in it.
    drawn: bool = True
    # The one whose answer is wrong.
    question: Question | None = field(default=None, repr=False, compare=False)


@dataclass
class Verdict:
    """What a test function found: the lines that held, and why the next one did not."""

    symbol: str
    seed: int = 0
    passed: list[str] = field(default_factory=list[str])
    failure: Failure | None = None
    # The largest among all comparisons that were made.
    error_over_tolerance: float = 0.0

    @property
    def status(self) -> Status:
        if self.failure is None:
            return "passed"
        return "not yet" if self.failure.not_yet else "failed"

    def summary(self) -> str:
        """The verdict in one line."""
        reason = self.failure.line if self.status == "failed" and self.failure else self.status
        return f"{MARK[self.status]} {self.symbol}: {reason}"

    def __str__(self) -> str:
        """The card as plain text, the same for the same verdict on every machine."""
        title = self.summary() if self.status == "not yet" else f"{MARK[self.status]} {self.symbol}"
        lines = [title, *(f"  ✔ {line}" for line in self.passed)]
        if self.failure:
            lines += [] if self.failure.not_yet else [f"  ✘ {self.failure.line}"]
            lines += [f"      {line}" for line in explanation(self.failure)]
            lines += [f"      {seed_line(self)}"] if seed_line(self) else []
        return "\n".join(lines)


def seed_line(verdict: Verdict) -> str:
    """From which seed the random numbers came; "" where there were none."""
    failure = verdict.failure
    return f"(random numbers from seed {verdict.seed})" if failure and failure.drawn and not failure.not_yet else ""


def frames_shown(failure: Failure) -> list[Frame]:
    """The learner's own lines, each once: a comprehension is a function to Python, in the line that it stands in."""
    shown: list[Frame] = []
    for frame in failure.frames:
        before = shown[-1] if shown else None
        if not (before and frame.function[:1] == "<" and (before.where, before.line) == (frame.where, frame.line)):
            shown.append(frame)
    return shown


def explanation(failure: Failure) -> list[str]:
    """What is known about a failure, line by line."""
    lines = [line for detail in failure.details for line in detail.splitlines()]
    lines += [place(frame) + f":  {frame.source}" * bool(frame.source) for frame in frames_shown(failure)]
    lines += [line for hint in failure.hints for line in hint.splitlines()]
    lines += cause(failure).splitlines()
    if failure.printed:
        lines += ["your code printed:", *(f"  {line}" for line in tail(failure.printed))]
    return lines


def cause(failure: Failure) -> str:
    """The misconception with its advice, the advice alone, or nothing."""
    if failure.misconception is None:
        return failure.advice or ""
    what = f"This is what you get from {failure.misconception}"
    return f"{what}: {failure.advice}" if failure.advice else f"{what}."


def place(frame: Frame) -> str:
    """Where a frame is, for a reader."""
    return f"{frame.where}, line {frame.line}, in {frame.function}"


def tail(printed: str, most: int = MOST_PRINTED) -> list[str]:
    """The last lines of what the learner's code printed."""
    lines = printed.rstrip().splitlines()
    return lines if len(lines) <= most else [f"... ({len(lines) - most} lines before)", *lines[-most:]]
