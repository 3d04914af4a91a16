"""The judging under way: whose verdict grows, which line of it is open, what was asked, and the random numbers."""

import contextlib
from collections.abc import Generator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import torch

from judge.checking.asking import BatchRunner, name_of, record_of, records_of
from judge.checking.counts import briefly
from judge.checking.declaration import Declaration
from judge.checking.oracle import Reference, expected
from judge.checking.places import calling_place
from judge.checking.tensors import Sizes
from judge.checking.verdict import Failure, Verdict
from judge.running.records import TOO_SLOW, Arguments, Question, Record
from judge.running.settings import factors_of, fields_of, size_of

NONE: Mapping[str, int] = MappingProxyType({})


class Mismatch(Exception):
    """A check did not hold; `failure` says all there is to say, but for the line's title."""

    def __init__(self, failure: Failure, error_over_tolerance: float, component: Any):
        super().__init__(*failure.details)
        self.failure, self.error_over_tolerance, self.component = failure, error_over_tolerance, component


class Session:
    """One judging. `surveying` only collects the questions: checks then look at answers, but nothing ends the test.

    With `few_draws` a component is asked for few where a question wants many: whoever surveys looks at no shares.
    Without `diagnosing` a failure says what is wrong, but nobody looks for the cause, which takes longer than judging.
    """

    def __init__(
        self,
        exercise: Declaration,
        seed: int,
        surveying: bool = False,
        diagnosing: bool = True,
        few_draws: bool = False,
    ):
        self.exercise, self.seed, self.surveying = exercise, seed, surveying
        self.diagnosing = diagnosing and not surveying
        self.few_draws = few_draws
        self.verdict = Verdict(exercise.symbol, seed)
        self.generator = torch.Generator().manual_seed(seed)
        self.line: str | None = None
        self.asked: dict[tuple[int, str], Question] = {}
        self.answers: dict[tuple[int, str], Record] = {}
        self.hanging: dict[int, Record] = {}  # what components answer that took too long
        self.stopped_in = ""  # the line in which somebody stopped it

    def ask_in_test(self, component: Any, question: Question) -> Record:
        """What the component answers to a question of the test."""
        self.asked.setdefault((id(component), name_of(question)), question)
        return self.ask(component, question)

    def ask(self, component: Any, question: Question) -> Record:
        """What the component answers, asked once."""
        key = id(component), name_of(question)
        if id(component) in self.hanging:
            return self.hanging[id(component)]
        if key not in self.answers:
            if type(component) is Reference:
                self.answers[key] = self.expected(question)
            else:
                self.answers[key] = record_of(component, briefly(question) if self.few_draws else question)
                self._remember_if_it_hangs(component, self.answers[key])
        return self.answers[key]

    def _remember_if_it_hangs(self, component: Any, record: Record) -> None:
        """What took too long is not asked again: each further question would take as long."""
        if record.error and record.error.type == TOO_SLOW:
            self.hanging[id(component)] = record

    def expected(self, question: Question) -> Record:
        """What the reference solution answers; it may itself be an error."""
        return expected(self.exercise, question)

    def ask_ahead(self, runner: BatchRunner, component: Any, questions: Sequence[Question]) -> None:
        """Put these questions to the component in one crossing."""
        for question, record in zip(questions, records_of(runner, component, questions), strict=True):
            self.answers[id(component), name_of(question)] = record

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
        return known[axes] if axes == "..." else [(name, size_of(name, known)) for name in axes.split()]

    def known_sizes(self, made_of: Any, inputs: Arguments) -> dict[str, Any]:
        """The sizes of axes by name: the Config's, and before these the inputs'; under "..." those of any shape."""
        known: dict[str, Any] = fields_of(made_of)
        for value, names in zip(inputs, self.exercise.inputs.values(), strict=False):
            if isinstance(value, torch.Tensor):
                known["..."] = [(f"axis {index}", size) for index, size in enumerate(value.shape)]
                known |= dict(zip(names.split(), value.shape, strict=False)) if names != "..." else {}
        return known

    def view(self, answer: Any) -> Any:
        """The exercise's view of an answer; of one that it can't look at, such as None, the answer itself."""
        try:
            return self.exercise.view(answer)
        except Exception:
            return answer


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


@contextlib.contextmanager
def line(title: str) -> Generator[None]:
    """One line of the card: ✔ when every check in the block holds, else ✘ with the reason, and the test ends."""
    current = session()
    if current.line is not None:
        message = f"the line {title!r} stands inside the line {current.line!r}; close that one first."
        raise calling_place().mistake(message)
    current.line = title
    try:
        yield
    except Mismatch as mismatch:
        mismatch.failure = replace(mismatch.failure, line=title)
        raise
    except KeyboardInterrupt:
        current.stopped_in = title
        raise
    finally:
        current.line = None
    current.verdict.passed.append(title)
