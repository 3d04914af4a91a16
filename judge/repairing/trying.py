"""Tries one candidate: makes the component of changed code, asks it, judges it whole."""

import ast
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

from judge.checking import Exercise
from judge.checking.asking import record_of
from judge.checking.counts import briefly
from judge.checking.oracle import solution_of
from judge.edits.edit import Edit
from judge.repairing.fresh import stands
from judge.repairing.gate import gets_through
from judge.repairing.idle import makes_idle
from judge.repairing.lending import Reached
from judge.repairing.senseless import is_senseless
from judge.running.limited import Limit, TooSlow, limited
from judge.running.records import Question

SLOW = 0.1  # seconds of work: an answer that always takes longer is not tried
TIMES = 3  # that it is asked to find out: on a busy machine one may take longer
EACH = 0.5  # seconds of work for one candidate on one question
FILE = "<candidate>"


@dataclass(frozen=True)
class Answer:
    """What a learner wrote, ready to be changed and run."""

    exercise: Exercise
    cell: str
    definitions: ast.Module  # the functions and classes of the cell
    namespace: dict[str, Any]  # of the notebook
    reached: Reached = field(default_factory=Reached)  # what the code reads there

    def made(self, tree: ast.Module, more: Mapping[str, Any] = MappingProxyType({})) -> Any:
        """The component that the changed definitions make; the notebook's own names stay as they are."""
        names = {**self.namespace, **more}
        exec(compile(tree, FILE, "exec", dont_inherit=True), names)
        return names[self.exercise.symbol]

    def judged(self, tree: ast.Module, more: Mapping[str, Any], *, seed: int) -> bool:
        """Whether what the changed definitions make passes."""
        return self.exercise.passes(self.made(tree, more), seed=seed)


def looks(question: Question) -> list[Question]:
    """The question as it is asked of each candidate: of draws a few first, then as many as the test takes."""
    brief = briefly(question)
    return [question] if brief is question else [brief, question]


def is_slow(answer: Answer, question: Question) -> bool:
    """Whether the answer takes too long to be tried again and again, each time that it is asked."""
    return all(_takes_long(answer, question) for _ in range(TIMES))


def _takes_long(answer: Answer, question: Question) -> bool:
    started = time.process_time()
    try:
        with answer.reached.lent():
            limited(Limit(EACH), lambda: record_of(answer.made(answer.definitions), question))
    except TooSlow:
        return True
    return time.process_time() - started > SLOW


def is_right(answer: Answer, question: Question, seed: int) -> bool:
    """Whether it passes as it is, so that it is not what was judged."""
    with answer.reached.lent():
        component = answer.made(answer.definitions)
        record = record_of(component, question)
        first = gets_through(answer.exercise, question, record)  # most answers are told from right by it
        return first and answer.exercise.passes(component, seed=seed)


def mends(answer: Answer, edit: Edit, question: Question, seed: int) -> bool:
    """Whether the edited code passes and stands: asked this question first, then all of the test, then fresh ones."""
    try:
        with answer.reached.lent():
            return _mends(answer, edit, question, seed)
    except (Exception, TooSlow):  # whatever an edited line does while the class is made
        return False


def _mends(answer: Answer, edit: Edit, question: Question, seed: int) -> bool:
    mended = edit.applied(answer.definitions)
    component = _made_that_gets_through(answer, mended, looks(question))
    if component is None:
        return False
    if not answer.exercise.passes(component, seed=seed):
        return False
    if is_senseless(mended, answer.definitions):
        return False
    if makes_idle(edit, answer.definitions, partial(answer.judged, seed=seed)):
        return False
    return stands(answer.exercise, component, question, mended, seed)


def _made_that_gets_through(answer: Answer, tree: ast.Module, looks: list[Question]) -> Any | None:
    """What the code makes, where it answers all of these rightly. Raises whatever it raises, or TooSlow."""

    def made() -> Any | None:
        component = answer.made(tree)
        is_right = all(gets_through(answer.exercise, one, record_of(component, one)) for one in looks)
        return component if is_right else None

    return limited(Limit(EACH * len(looks)), made)


def reference_still_passes(exercise: Exercise, seed: int) -> bool:
    """Whether nothing that a candidate did has changed how right answers are judged."""
    try:
        return exercise.passes(solution_of(exercise), seed=seed)
    except ImportError:
        return True  # a course without its solutions: answers are recorded, which nothing here can change
