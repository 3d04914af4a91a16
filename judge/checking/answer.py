"""What checks are made of: a line of the card to stand in, an `Answer` to look at, a `Mismatch` to raise.

A mismatch only says what was found. What it means is thought about once the test's body has ended (explaining.py).
"""

import contextlib
import functools
import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec

from judge.checking.evidence import Evidence
from judge.checking.likeness import Distance
from judge.checking.places import calling_place
from judge.checking.session import Session, session
from judge.checking.trial import Trial
from judge.checking.wording import Difference
from judge.running.records import Record

Options = ParamSpec("Options")


def outputs_of(record: Record) -> list[Any]:
    """The draws, where the outputs are the draws."""
    return record.outputs


@dataclass(frozen=True)
class Answer:
    """A record with the question that it answers, and whose it is."""

    trial: Trial
    component: Any
    record: Record

    @property
    def output(self) -> Any:
        """The first call's result."""
        return self.record.output

    @property
    def viewed(self) -> Any:
        """The first call's result as the exercise looks at it."""
        return self.trial.session.exercise.viewed(self.output)

    def mismatch(
        self,
        difference: Difference,
        evidence: Evidence,
        apart: Callable[[Record], Distance],
        draws: Callable[[Record], list[Any]] = outputs_of,
    ) -> "Mismatch":
        """The Mismatch for this difference; `apart` and `draws` are the Mismatch's."""
        return Mismatch(self, difference, evidence.of(self.trial, self.component), apart, draws)

    def raised(self) -> "Mismatch":
        """The Mismatch for an answer that is an error."""
        assert self.record.error
        return Mismatch(self, Difference((self.record.error.message,)))


class Mismatch(Exception):
    """A check did not hold: in which line, whose answer it is, what differs, and what is known of that.

    `apart` says how far another record is from this one in just what is wrong, and `draws` what was drawn in a record.
    Where the answer is an error nothing was compared, and there is no evidence.
    """

    def __init__(
        self,
        answer: Answer,
        difference: Difference,
        evidence: Evidence | None = None,
        apart: Callable[[Record], Distance] = lambda other: math.inf,
        draws: Callable[[Record], list[Any]] = outputs_of,
    ):
        super().__init__(*difference.lines)
        self.answer, self.difference, self.evidence = answer, difference, evidence
        self.apart, self.draws = apart, draws
        self.line = ""


def asked(trial: Trial, component: Any) -> Answer:
    """The component's answer, which may be an error."""
    return Answer(trial, component, trial.record(component))


def answered(trial: Trial, component: Any) -> Answer:
    """The component's answer. Raises Mismatch when that is an error."""
    answer = asked(trial, component)
    if answer.record.error:
        raise answer.raised()
    return answer


def check(function: Callable[Concatenate[Session, Options], None]) -> Callable[Options, None]:
    """Make a check, which authors call without the session: it stands in a line of the card of the judging under way.

    While questions are collected it does not end the test.
    """

    @functools.wraps(function)
    def checked(*arguments: Options.args, **options: Options.kwargs) -> None:
        current = session()
        if current.line is None:
            name = function.__name__
            reason = "so the card could not say what did not hold."
            raise calling_place().mistake(f"{name} stands outside `with line(...)`, {reason}")
        try:
            function(current, *arguments, **options)
        except Mismatch as mismatch:
            if not current.surveying:
                raise
            current.close_call(mismatch.difference.error_over_tolerance)

    return checked


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
        mismatch.line = title
        raise
    except KeyboardInterrupt:
        current.stopped_in = title
        raise
    finally:
        current.line = None
    current.verdict.passed.append(title)
