"""The judging under way: whose verdict grows, which line of it is open, its transcript, and the random numbers."""

from __future__ import annotations

import contextlib
import functools
import random
from collections.abc import Callable, Generator, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from judge.checking.declaration import Declaration
from judge.checking.places import calling_place
from judge.checking.tensors import Sizes
from judge.checking.transcript import Transcript
from judge.checking.verdict import Verdict
from judge.checking.wording import UNNAMED, spelled_out
from judge.running.on_demand import Tensor, torch
from judge.running.records import Arguments, Question
from judge.running.settings import factors_of, fields_of, size_of

NONE: Mapping[str, int] = MappingProxyType({})


class Session:
    """One judging. `surveying` only collects the questions: checks then look at answers, but nothing ends the test.

    `survey` finds all questions of the test, which are asked for at a failure alone.
    """

    def __init__(
        self,
        exercise: Declaration,
        seed: int,
        surveying: bool = False,
        transcript: Transcript | None = None,
        survey: Callable[[Declaration, int], list[Question]] = lambda exercise, seed: [],
    ):
        self.exercise, self.seed, self.surveying, self._survey = exercise, seed, surveying, survey
        self.transcript = transcript or Transcript(exercise)
        self.verdict = Verdict(exercise.symbol, seed)
        self.line: str | None = None
        self.stopped_in = ""  # the line in which somebody stopped it

    @functools.cached_property
    def questions(self) -> list[Question]:
        """All that the test asks with this seed, to the line that did not hold and behind it."""
        return self._survey(self.exercise, self.seed)

    @functools.cached_property
    def generator(self) -> torch.Generator:
        """Of the test's random numbers, which not every test draws: torch's are."""
        return torch.Generator().manual_seed(self.seed)

    @functools.cached_property
    def dice(self) -> random.Random:
        """Python's own random numbers, of the same seed, for a test without torch."""
        return random.Random(self.seed)

    def random(self, *shape: int) -> torch.Tensor:
        """Normal random numbers, the next ones of the test's seed."""
        return torch.randn(shape, generator=self.generator)

    def close_call(self, error_over_tolerance: float) -> None:
        """Remember how close a passing answer came to failing."""
        self.verdict.error_over_tolerance = max(self.verdict.error_over_tolerance, error_over_tolerance)

    def sizes(self, made_of: Any, inputs: Arguments, axes: str, free: Mapping[str, int] = NONE) -> Sizes:
        """Each named axis with its size. Raises CourseError, with the line, for one that nothing here tells.

        `free` has those that only the answer knows.
        """
        known: dict[str, Any] = {**free, **self.known_sizes(made_of, inputs)}
        if missing := [name for axis in axes.split() for name in _names(axis, known) if name not in known]:
            message = f"the size of {missing[0]!r} is known neither from the inputs nor from a Config."
            raise calling_place().mistake(message)
        sized = [known[name] if name == "..." else [(name, size_of(name, known))] for name in axes.split()]
        return [one for several in sized for one in several]

    def known_sizes(self, made_of: Any, inputs: Arguments) -> dict[str, Any]:
        """The sizes of axes by name: the Config's, and before these the inputs'; under "..." those without a name."""
        known: dict[str, Any] = fields_of(made_of)
        for value, names in zip(inputs, self.exercise.inputs.values(), strict=False):
            if isinstance(value, Tensor):
                axes = names.split() if "..." in names.split() else ["..."]
                sized = list(zip(spelled_out(axes, value.ndim), value.shape, strict=False))
                known["..."] = [(name, size) for name, size in sized if name.startswith(UNNAMED)]
                known |= dict(zip(spelled_out(names.split(), value.ndim), value.shape, strict=False))
        return known


def _names(axis: str, known: Mapping[str, Any]) -> list[str]:
    """The names whose sizes must be known for an axis, which may be a product of some."""
    return [axis] if axis in known else factors_of(axis)


_session: ContextVar[Session] = ContextVar("session")


def session() -> Session:
    """The judging under way. Raises RuntimeError outside a test function."""
    try:
        return _session.get()
    except LookupError:
        raise RuntimeError("checks run inside a test function made by @exercise.test") from None


@contextlib.contextmanager
def in_session(current: Session) -> Generator[None]:
    """Let `session()` be this one within the block."""
    token = _session.set(current)
    try:
        yield
    finally:
        _session.reset(token)
