"""The seam through which code is run: the current `Runner` is asked, and what it answers is validated before use.

Here code runs in this process. A grader puts a runner in its place that reaches through a wall, with `use_runner`; if
that one can `ask_all`, all questions of a test cross in one go.
"""

import contextlib
import functools
from collections.abc import Callable, Generator, Sequence
from contextvars import ContextVar
from typing import Any, Protocol, TypeGuard, runtime_checkable

from judge.running.local import LocalRunner
from judge.running.records import LearnerError, Question, Record
from judge.running.validation import validated

# The type of the error that stands for an answer that does not fit its question.
UNREADABLE = "UnreadableAnswer"
# Records, of solutions and of misconceptions, that are kept.
MOST_REMEMBERED = 4096


class Answering(Protocol):
    """A component of the course's own that is no code: it has its answers recorded."""

    def answer(self, question: Question) -> Record: ...

    def knows(self, question: Question) -> bool: ...


class Runner(Protocol):
    """Whatever can put a question to a component and report a Record; it never raises for the learner's errors."""

    def ask(self, component: Any, question: Question) -> Record: ...


@runtime_checkable
class BatchRunner(Protocol):
    """A runner that answers many questions in one crossing, in their order."""

    def ask(self, component: Any, question: Question) -> Record: ...

    def ask_all(self, component: Any, questions: Sequence[Question]) -> list[Record]: ...


NO_ANSWER = "no answer came back from the process that runs your code: it broke, or was ended"
_THIS_PROCESS = LocalRunner()
_runner: ContextVar[Runner] = ContextVar("runner")


@contextlib.contextmanager
def use_runner(runner: Runner) -> Generator[None]:
    """Put questions to components through another runner within the block."""
    token = _runner.set(runner)
    try:
        yield
    finally:
        _runner.reset(token)


def current_runner() -> Runner:
    """The runner of the innermost `use_runner`, else the one in this process."""
    return _runner.get(_THIS_PROCESS)


def runs_locally() -> bool:
    """True while code runs in this process, so that a learner's source can be looked up."""
    return isinstance(current_runner(), LocalRunner)


def record_of(component: Any, question: Question) -> Record:
    """The current runner's answer; one that does not fit the question is an error of the component's."""
    if _is_recorded(component):
        return component.answer(question)
    runner = current_runner()
    if runner is _THIS_PROCESS:
        return fitting(runner.ask(component, question), question)
    return _records(lambda: [runner.ask(component, question)], [question])[0]


def records_of(runner: BatchRunner, component: Any, questions: Sequence[Question]) -> list[Record]:
    """A runner's answers to all of these in one crossing, each as `record_of` has it."""
    return _records(lambda: runner.ask_all(component, questions), questions)


def _records(crossing: Callable[[], Sequence[Any]], questions: Sequence[Question]) -> list[Record]:
    """The records of a crossing; where the runner breaks, or gives another number of them, each says so."""
    try:
        records = list(crossing())
    except Exception as error:
        return [_broken(f"{type(error).__name__}: {error}")] * len(questions)
    if len(records) != len(questions):
        return [_broken(f"{len(records)} answers to {len(questions)} questions")] * len(questions)
    if odd := [record for record in records if not isinstance(record, Record)]:
        return [_broken(f"an answer of type {type(odd[0]).__name__}")] * len(questions)
    return list(map(fitting, records, questions))


def _broken(why: str) -> Record:
    return Record(error=LearnerError(UNREADABLE, f"{NO_ANSWER} ({why})"))


def ask_locally(component: Any, question: Question) -> Record:
    """The answer of a component of the course's own, always in this process."""
    if _is_recorded(component):
        return component.answer(question)
    return _THIS_PROCESS.ask(component, question)


@functools.lru_cache(maxsize=MOST_REMEMBERED)
def ask_own(component: Any, question: Question) -> Record:
    """The same answer, asked once for each question in a process; read it only."""
    return ask_locally(component, question)


def can_answer(component: Any, question: Question) -> bool:
    """Whether it can be asked this: whatever is code can be, and what is recorded knows some questions."""
    return not _is_recorded(component) or component.knows(question)


def _is_recorded(component: Any) -> TypeGuard[Answering]:
    """By its class alone: a learner's object is asked for nothing."""
    return Answering in type(component).__mro__


def fitting(record: Record, question: Question) -> Record:
    """The record, or one that says why it can't be the answer to this question."""
    try:
        return validated(record, question)
    except ValueError as error:
        return Record(error=LearnerError(UNREADABLE, str(error)))
