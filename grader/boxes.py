"""The seam between a grader and whatever runs an answer: a `Box` starts processes, each with the code of one answer."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from grader.bounds import Bounds
from judge.running.records import Question, Record


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
