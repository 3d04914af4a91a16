"""The seam through which a test learns what is right: from the reference solution, or from a record made of it."""

import contextlib
import importlib
from collections.abc import Generator
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol

from judge.checking.declaration import Declaration
from judge.checking.places import calling_place, did_you_mean
from judge.checking.recorded import FOLDER, NotRecorded, archive_in
from judge.running.records import Question, Record, opaque_in


class Reference:
    """Stands for the reference solution where a component is asked: the oracle answers in its place."""


class Oracle(Protocol):
    """Knows what the reference solution of an exercise answers to a question."""

    def expected(self, exercise: Declaration, question: Question) -> Record: ...


class SolutionOracle:
    """Asks the reference solution itself."""

    def expected(self, exercise: Declaration, question: Question) -> Record:
        return exercise.asks_own(solution_of(exercise), question)


class RecordedOracle:
    """Reads answers that were recorded, so that a course can be handed out without its solutions.

    An answer is found by its question. Raises NotRecorded for one that was never recorded, such as one with another
    seed.
    """

    def __init__(self, folder: Path):
        self.folder = folder

    def expected(self, exercise: Declaration, question: Question) -> Record:
        test = exercise.body.__name__
        archive = archive_in(self.folder, exercise.stem, test)
        if archive is None:
            raise NotRecorded(f"{exercise.solution} is not here, and {self.folder} has no answers for {test}.")
        return archive.right(question)


class _WhicheverIsThere:
    """The solution where the course has it, else the records beside its tests, in expected/."""

    def expected(self, exercise: Declaration, question: Question) -> Record:
        try:
            importlib.import_module(exercise.solution)
        except ModuleNotFoundError as error:
            if error.name not in (exercise.solution, exercise.solution.partition(".")[0]):
                raise
            return RecordedOracle(exercise.declared_at.path.parent / FOLDER).expected(exercise, question)
        return SolutionOracle().expected(exercise, question)


_STANDARD = _WhicheverIsThere()
_oracle: ContextVar[Oracle] = ContextVar("oracle")


def expected(exercise: Declaration, question: Question) -> Record:
    """The reference solution's answer, by way of the current oracle; it may itself be an error."""
    return _oracle.get(_STANDARD).expected(exercise, question)


def right(exercise: Declaration, question: Question) -> Record:
    """The reference's answer to compare with. Raises CourseError where it raises, or gives what can't be compared."""
    record = expected(exercise, question)
    where = f"{exercise.solution}.{exercise.symbol}"
    if record.error:
        message = f"the reference solution {where} raised {record.error.type}: {record.error.message}"
        raise calling_place().mistake(message)
    if what := opaque_in(record.outputs):
        message = f"the reference solution {where} gives a {what}, which can't be compared; use a driver that reads it."
        raise calling_place().mistake(message)
    return record


@contextlib.contextmanager
def use_oracle(oracle: Oracle) -> Generator[None]:
    """Obtain expected values from another oracle within the block."""
    token = _oracle.set(oracle)
    try:
        yield
    finally:
        _oracle.reset(token)


def solution_of(exercise: Declaration) -> Any:
    """The reference solution. Raises CourseError, with the exercise's place, when its module does not define it."""
    module = importlib.import_module(exercise.solution)
    if not hasattr(module, exercise.symbol):
        there = did_you_mean(exercise.symbol, list(vars(module)))
        message = f"{exercise.solution} does not define {exercise.symbol}, the test function's first parameter{there}"
        raise exercise.declared_at.mistake(message)
    return getattr(module, exercise.symbol)
