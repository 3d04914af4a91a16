"""Tries one candidate: makes the component of changed code, asks it, judges it whole."""

import ast
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

from utils.checking import Exercise
from utils.checking.asking import record_of
from utils.checking.counts import briefly
from utils.checking.judging import judge
from utils.checking.oracle import solution_of
from utils.edits.edit import Edit
from utils.repairing.fresh import stands
from utils.repairing.gate import gets_through
from utils.repairing.idle import makes_idle
from utils.repairing.lending import Reached
from utils.repairing.nearness import THERE, WITHOUT_END, how_far
from utils.running.limited import Limit, TooSlow, limited
from utils.running.records import Question

SLOW = 0.1  # seconds of work: an answer that always takes longer is not tried
TIMES = 3  # that it is asked to find out: on a busy machine one may take longer
EACH = 0.5  # seconds of work for one candidate on one question
FILE = "<candidate>"
SEEDS = 2  # with which a candidate is judged whole


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


@dataclass(frozen=True)
class Outcome:
    """What became of a candidate: whether it passes the test and stands, and else how near it is. See `how_far`."""

    far: float
    passes: bool = False


NOTHING = Outcome(WITHOUT_END)


def tried(
    answer: Answer,
    edit: Edit,
    question: Question,
    seed: int,
) -> Outcome:
    """What becomes of the edited code, asked this question first, then all of the test, and last fresh questions."""
    try:
        with answer.reached.lent():
            return _tried(answer, edit, question, seed)
    except (Exception, TooSlow):  # whatever an edited line does while the class is made
        return NOTHING


def _tried(answer: Answer, edit: Edit, question: Question, seed: int) -> Outcome:
    component, far = _made_and_looked_at(answer, edit.applied(answer.definitions), looks(question))
    if far != THERE:
        return Outcome(far)
    verdict = judge(answer.exercise, (component,), seed, diagnosing=False)
    others = range(seed + 1, seed + SEEDS)
    if verdict.failure or not all(answer.exercise.passes(component, seed=one) for one in others):
        return Outcome(far - len(verdict.passed))
    judged = partial(answer.judged, seed=seed)
    if makes_idle(edit, answer.definitions, judged):
        return Outcome(far)
    mended = edit.applied(answer.definitions)
    return Outcome(far, passes=stands(answer.exercise, component, question, mended, seed))


def _made_and_looked_at(answer: Answer, tree: ast.Module, looks: list[Question]) -> tuple[Any, float]:
    """What the code makes, and how far its first wrong answer to these is. Raises whatever it raises, or TooSlow."""

    def component_and_far() -> tuple[Any, float]:
        component = answer.made(tree)
        for question in looks:
            far = how_far(answer.exercise, question, record_of(component, question))
            if far != THERE:
                break
        return component, far

    return limited(Limit(EACH * len(looks)), component_and_far)


def distance_of(answer: Answer, question: Question, seed: int) -> float:
    """How far the code is as it stands; where the question does not show what is wrong, by what holds of it."""
    with answer.reached.lent():
        component = answer.made(answer.definitions)
        far = how_far(answer.exercise, question, record_of(component, question))
        if far != THERE:
            return far
        return far - len(judge(answer.exercise, (component,), seed, diagnosing=False).passed)


def next_failed(answer: Answer, seed: int) -> Question | None:
    """The question of the test at which this code fails; None where there is none."""
    try:
        with answer.reached.lent():
            verdict = judge(answer.exercise, (answer.made(answer.definitions),), seed, diagnosing=False)
    except (Exception, TooSlow):
        return None
    return verdict.failure and verdict.failure.question


def reference_still_passes(exercise: Exercise, seed: int) -> bool:
    """Whether nothing that a candidate did has changed how right answers are judged."""
    try:
        return exercise.passes(solution_of(exercise), seed=seed)
    except ImportError:
        return True  # a course without its solutions: answers are recorded, which nothing here can change


def far_from_right(answer: Answer, tree: ast.Module, question: Question) -> float:
    """How far the answer to this question is with this code; `WITHOUT_END` where it can't be asked."""
    try:
        with answer.reached.lent():
            _, far = _made_and_looked_at(answer, tree, [question])
            return far
    except (Exception, TooSlow):
        return WITHOUT_END


def passes(answer: Answer, tree: ast.Module, seed: int) -> bool:
    """Whether this code passes the test; False where it can't be made."""
    try:
        with answer.reached.lent():
            return answer.judged(tree, {}, seed=seed)
    except (Exception, TooSlow):
        return False
