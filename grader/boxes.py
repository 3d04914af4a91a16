"""The seam between a grader and whatever runs an answer: a `Box` starts processes, each with the code of one answer.

And how it is said that an answer took more than it may, or ended without one.
"""

import hashlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from grader.bounds import MB, Bounds
from judge.running.confined.answering import bound_in
from judge.running.confined.exchange import Gone
from judge.running.records import TOO_SLOW, Frame, LearnerError, Question, Record


@dataclass(frozen=True)
class Task:
    """The code of one answer.

    `source` is run as a notebook's cell is, in a namespace of its own; `name` is what it defines. `parts` are sources
    too, by the name that each defines: what the answer uses of other exercises. Each is run on its own, in their order,
    before `source`, which finds all their names as if its notebook had imported them.
    """

    source: str
    name: str
    parts: Mapping[str, str] = field(default_factory=dict[str, str])
    bounds: Bounds = field(default_factory=Bounds)
    needs: str = ""  # the library beside torch that its exercise is written with, such as jax

    @property
    def digest(self) -> str:
        """A short name for its code: tasks with equal code have equal names."""
        code = (self.name, self.source, *self.parts.items())
        return hashlib.sha256(repr(code).encode()).hexdigest()


class Ended(Exception):
    """The process gave no answer: `limit` says that it took more than it may, `error` that it ended by itself.

    The text says which limit, or how it ended, in a sentence without its full stop.
    """

    def __init__(self, status: Literal["limit", "error"], said: str):
        super().__init__(said)
        self.status: Literal["limit", "error"] = status


class Child(Protocol):
    """A process with the code of one answer; nothing else of that answer's outlives it."""

    def ask_all(self, questions: Sequence[Question]) -> list[Record]:
        """The records of its reply."""
        ...

    def reply(self, questions: Sequence[Question]) -> bytes:
        """What it answers, in one crossing: equal bytes for equal answers. Raises Ended; after that, and after
        `close`, at once and always."""
        ...

    def records(self, reply: bytes, count: int) -> list[Record]:
        """The answers in a reply to so many questions. Raises Ended where these are not in it."""
        ...

    def close(self) -> None:
        """End it, with whatever it has started. Raises nothing."""
        ...


class Box(Protocol):
    """Where the processes of answers are started, one after another or several at once, from several threads too."""

    protection: str  # what keeps them from the rest, in a few words: stands in every row of the gradebook

    def start(self, task: Task) -> Child: ...

    def close(self) -> None: ...


SHARE = 0.8  # of its time that a process has surely had when it was ended for that: the system counts in two ways
SAID = {
    "wall_seconds": "it takes longer than {wall_seconds:g} seconds by the clock",
    "cpu_seconds": "it takes more than {cpu_seconds:g} s of a processor",
    "memory": "it takes more than {memory} of memory",
    "processes": "it starts more processes or threads than the {processes} it may",
    "open_files": "it has more than {open_files} files open",
    "written": "it writes more than {written} to files",
    "answered": "it answers more than {answered}",
}
IN_BYTES = ("memory", "written", "answered")


def exceeded(bound: str, bounds: Bounds, where: str = "") -> Ended:
    """It took more of this than it may."""
    values = {name: getattr(bounds, name) for name in SAID}
    for name in IN_BYTES:
        size = values[name]
        values[name] = f"{size / MB:,.0f} MB" if size >= MB else f"{size:,} bytes"
    return Ended("limit", SAID[bound].format(**values) + where)


def ended(gone: Gone, bounds: Bounds) -> Ended:
    """What the system says of a process that is no more."""
    if gone["stopped"]:
        return Ended("limit", "it stopped itself")
    code = os.waitstatus_to_exitcode(gone["status"])
    has_worked = gone["cpu"] > SHARE * bounds.cpu_seconds
    if has_worked and code in (-signal.SIGXCPU, -signal.SIGKILL):
        return exceeded("cpu_seconds", bounds)
    if code >= 0:
        return Ended("error", f"it ended its process, with exit status {code}")
    return Ended("error", f"its process was ended by the signal {signal.Signals(-code).name}")


def failed(error: LearnerError, bounds: Bounds) -> Ended:
    """The source can't be run to its end, or a question took more than it may."""
    where = _where(error.frames)
    bound = bound_in(error)
    if bound == "answered":
        return Ended("limit", f"it answers too much: {error.message}")
    if bound:
        return exceeded(bound, bounds, where)
    if error.type == TOO_SLOW:
        return Ended("limit", ": ".join(error.message.splitlines()) + ("" if "\n" in error.message else where))
    said = f"{error.type}: {error.message}".removesuffix(": ").rstrip(".")
    return Ended("error", f"running it raises {said}{where}")


def _where(frames: list[Frame]) -> str:
    """The learner's own line, where one is known."""
    if not frames:
        return ""
    last = frames[-1]
    source = f": `{last.source}`" if last.source else ""
    return f", in line {last.line}{source}"
