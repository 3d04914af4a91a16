"""What a test function found, as data: a `Verdict` with the `Failure` that ended it, or none; and its plain text."""

import re
from dataclasses import dataclass, field
from typing import Literal

from judge.checking.wording import number
from judge.running.records import Frame, Question

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Picture:
    """A matrix of a wrong answer: what is due, what came, and where the two differ."""

    of: str  # which matrix: "batch 0, head 1"; "" where there is but one
    rows: str  # the names of its axes
    columns: str
    want: Rows
    got: Rows
    wrong: tuple[tuple[bool, ...], ...]

    @property
    def first(self) -> tuple[int, int]:
        """The first wrong place, row by row."""
        return next((row, line.index(True)) for row, line in enumerate(self.wrong) if True in line)

    @property
    def in_words(self) -> str:
        """The picture in words, for those who don't see it."""
        row, column = self.first
        amount = sum(map(sum, self.wrong))
        size = f"{len(self.want)} × {len(self.want[0])}"
        which = f" of {self.of}" if self.of else ""
        numbers = f"expected {number(self.want[row][column])}, yours is {number(self.got[row][column])}"
        return (
            f"The {size} matrix{which}, expected and yours: {amount} of {len(self.want) * len(self.want[0])} differ, "
            f"the first at {self.rows} {row}, {self.columns} {column}: {numbers}."
        )


Status = Literal["passed", "failed", "not yet", "skipped"]
MARK: dict[Status, str] = {"passed": "✔", "failed": "✘", "not yet": "○", "skipped": "○"}
MOST_PRINTED = 12  # lines
MOST_FRAMES = 2  # that stand outside the fold
DETAILS, AGAIN = "Details", "Try it yourself"
PRINTED = "your code printed:"
# What a terminal obeys and nobody sees, but for tabs and ends of lines: there a grader reads what others' code printed
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
UNREADABLE = "\ufffd"


@dataclass(frozen=True)
class Failure:
    """Everything there is to say about the line that did not hold. Backticks stand round code."""

    line: str  # the title of that line
    details: tuple[str, ...]  # the difference in a plain sentence; an error
    # Its name: fits "The cause: {misconception}. {advice}".
    misconception: str | None = None
    # What to do, with or without a misconception.
    advice: str | None = None
    # What else was noticed: names read from the notebook.
    hints: tuple[str, ...] = ()
    # What the answer makes of the chapter's worked example.
    example: str = ""
    # The call of a function of plain data, what came, and what is due.
    call: tuple[str, ...] = ()
    # A small matrix of the answer, beside the right one.
    picture: Picture | None = None
    # What stands in the fold: numbers, places, parameters.
    more: tuple[str, ...] = ()
    # Lines for a cell that ask the question again.
    again: tuple[str, ...] = ()
    # The learner's own lines on the way to an error.
    frames: tuple[Frame, ...] = ()
    printed: str = ""
    # A stub was met: nothing is wrong yet.
    not_yet: bool = False
    # Whether random numbers had a part in it.
    drawn: bool = True
    # What of the answer is wrong, by the word that `Evidence.about` has for it.
    about: str = ""
    # The one whose answer is wrong.
    question: Question | None = field(default=None, repr=False, compare=False)


@dataclass
class Verdict:
    """What a test function found: the lines that held, and why the next one did not."""

    symbol: str
    seed: int = 0
    passed: list[str] = field(default_factory=list[str])
    failure: Failure | None = None
    # Why it was not judged at all: what it is written with is not installed here.
    skipped: str = ""
    # The largest among all comparisons that were made.
    error_over_tolerance: float = 0.0

    @property
    def status(self) -> Status:
        if self.skipped:
            return "skipped"
        if self.failure is None:
            return "passed"
        return "not yet" if self.failure.not_yet else "failed"

    def summary(self) -> str:
        """The verdict in one line."""
        reason = self.failure.line if self.status == "failed" and self.failure else self.status
        return f"{MARK[self.status]} {self.symbol}: {reason}"

    def __str__(self) -> str:
        """The card as plain text, the same for the same verdict on every machine."""
        alone = self.status in ("not yet", "skipped")
        title = self.summary() if alone else f"{MARK[self.status]} {self.symbol}"
        lines = [title, *([f"      {self.skipped}"] if self.skipped else [])]
        if self.failure:
            lines += [] if self.failure.not_yet else [f"  ✘ {self.failure.line}"]
            lines += [f"      {UNSEEN.sub(UNREADABLE, line)}" for line in explanation(self)]
        return "\n".join([*lines, *(f"  ✔ {line}" for line in self.passed)])


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


def explanation(verdict: Verdict) -> list[str]:
    """The explanation of a failure, line by line: the cause, the proof, and what a notebook folds away."""
    failure = verdict.failure
    assert failure
    said = [cause(failure), *failure.hints, *failure.details]
    lines = [line for paragraph in said for line in paragraph.splitlines()]
    lines += map(frame_line, frames_seen(failure))
    lines += [*failure.call, *failure.example.splitlines()]
    if failure.printed:
        lines += [PRINTED, *(f"  {line}" for line in tail(failure.printed))]
    for title, inside in ((DETAILS, details_of(verdict)), (AGAIN, again_of(verdict))):
        lines += [f"{title}:", *(f"  {line}" for line in inside)] if inside else []
    return lines


def details_of(verdict: Verdict) -> list[str]:
    """The fold of details."""
    failure = verdict.failure
    assert failure
    more = [line for paragraph in failure.more for line in paragraph.splitlines()]
    frames = frames_shown(failure)
    many = map(frame_line, frames) if len(frames) > MOST_FRAMES else ()
    seed = "" if failure.again else seed_line(verdict)
    return [*more, *many, *filter(None, [seed])]


def again_of(verdict: Verdict) -> list[str]:
    """The fold that asks again."""
    assert verdict.failure
    lines = verdict.failure.again
    return [*lines, *filter(None, [seed_line(verdict)])] if lines else []


def cause(failure: Failure) -> str:
    """The misconception with its advice, the advice alone, or nothing."""
    if failure.misconception is None:
        return failure.advice or ""
    name = failure.misconception.rstrip(".")
    return f"The cause: {name}. {failure.advice or ''}".rstrip()


def frames_seen(failure: Failure) -> list[Frame]:
    """The learner's lines that stand outside the fold: all where they are few, else the last."""
    frames = frames_shown(failure)
    return frames if len(frames) <= MOST_FRAMES else frames[-1:]


def frame_line(frame: Frame) -> str:
    """Where a frame is, and its code."""
    return place(frame) + f":  {frame.source}" * bool(frame.source)


def place(frame: Frame) -> str:
    """Where a frame is, for a reader."""
    return f"{frame.where}, line {frame.line}, in {frame.function}"


def tail(printed: str, most: int = MOST_PRINTED) -> list[str]:
    """The last lines of what the learner's code printed; of very much nobody knows how many there were."""
    lines = printed.rstrip().splitlines()
    return lines if len(lines) <= most else ["... (earlier lines are left out)", *lines[-most:]]
