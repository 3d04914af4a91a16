"""Which misconception is the cause: one that does what the learner's code does on all that the test asks."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from judge.checking.asking import can_answer
from judge.checking.counts import MOST_DRAWS, are_indices, briefly, same_draws
from judge.checking.diagnosis.code import code_of
from judge.checking.known import Misconception
from judge.checking.likeness import (
    ANOTHER_WAY,
    EXPLAINED_ELSEWHERE,
    FIRST_LOOK,
    Distance,
    absolute_tolerance,
    distance,
    near,
)
from judge.checking.oracle import remembered
from judge.checking.session import Session
from judge.checking.survey import questions_of
from judge.checking.trial import Trial
from judge.running.kinds import is_drawn, kind_of
from judge.running.records import Question, Record

# What a cause leaves of the test's draws: how many differ clearly, and how many at all.
Left = tuple[int, int]
# Questions that a cause must stand: among so many, what is no cause differs somewhere.
MOST_CONFIRMED = 60
# Causes that are tried, the nearest first: a learner waits, and no exercise has more that are alike.
MOST_CANDIDATES = 50
# The share of these questions that may end in an error with one of the two alone.
MOST_OTHER_ENDS = 0.15
# The share that may end in an error of the learner's code alone, where a wrong answer failed: that is a mistake more.
MOST_CRASHES = 1 / 3
# Draws of a question that a cause must stand: fewer say little.
DRAWS = range(100, MOST_DRAWS + 1)
NOTHING_LEFT: Left = (0, 0)


def known_cause(
    trial: Trial,
    component: Any,
    apart: Callable[[Record], Distance],
    unless: Callable[[Misconception], bool] = lambda known: False,
) -> Misconception | None:
    """The nearest misconception that does the same here, nearer than what is right, and on all else that is asked.

    `unless` says of which one the learner's code shows that it is another mistake.
    """
    session, question = trial.session, trial.question
    possible = [one for one in suspects_of(session, component, question) if one.is_possible(question)]
    same = [one for one in possible if one.draws_the_same(question)]
    cause = None
    # Those that draw the same are mostly few, and the others take seconds.
    for some in filter(None, (same, possible)):
        left, cause = _nearest(trial, some, apart, unless)
        if left == NOTHING_LEFT:
            break
    return cause


def suspects_of(session: Session, component: Any, question: Question) -> list["Suspect"]:
    """The misconceptions whose answer to this question is known, each to be held against the learner's code.

    Left out are those of which its source does not show that their words are true of it, and that have no others; with
    others they come last, for of two with the same answers the one that the source shows is meant.
    """
    known = [one for one in session.exercise.misconceptions if can_answer(one.component, question)]
    if any(one.guard.is_there for one in known):
        source = code_of(component).plain
        true = [one for one in known if one.guard.admits(source)]
        known = true + [one for one in known if one.guard.otherwise and not one.guard.admits(source)]
    return [Suspect(session, one, component) for one in known]


def _nearest(
    trial: Trial,
    suspects: list["Suspect"],
    apart: Callable[[Record], Distance],
    unless: Callable[[Misconception], bool],
) -> tuple[Left | None, Misconception | None]:
    """The nearest of these that stands, and what it leaves; (None, None) where none does."""
    standing: list[tuple[Left, Misconception]] = []
    for suspect in nearer_than_right(trial, suspects, apart):
        left = suspect.leaves() if not unless(suspect.known) and suspect.stands(trial.question) else None
        if left is not None:
            standing.append((left, suspect.known))
        if left == NOTHING_LEFT:
            break
    return min(standing, key=lambda one: one[0], default=(None, None))


def nearer_than_right(trial: Trial, suspects: list["Suspect"], apart: Callable[[Record], Distance]) -> list["Suspect"]:
    """Those that do the same on the question that failed, the nearest first."""
    distances = [apart(suspect.answer(trial.question)) for suspect in suspects]
    alike = sorted((far, index) for index, far in enumerate(distances) if math.isfinite(far))
    if not alike:
        return []
    right = apart(trial.session.expected(trial.question))
    return [suspects[index] for far, index in alike if far < right][:MOST_CANDIDATES]


@dataclass(frozen=True)
class Suspect:
    """A misconception, held against the learner's code."""

    session: Session
    known: Misconception
    component: Any

    @property
    def is_the_component(self) -> bool:  # in the proof that a misconception is named
        return self.known.component is self.component

    def answer(self, question: Question) -> Record:
        """What the misconception answers."""
        return remembered(self.known.component, question)

    def knows(self, question: Question) -> bool:
        """Whether its answer is known: of a course that was handed out without it, some are."""
        return can_answer(self.known.component, question)

    def both(self, question: Question) -> tuple[Record, Record]:
        """What the misconception answers, and what the learner's code does."""
        return self.answer(question), self.session.ask(self.component, question)

    def is_possible(self, question: Question) -> bool:
        """Whether a few draws leave it possible: to ask every misconception for thousands would take seconds."""
        few = briefly(question)
        if few is question or self.is_the_component or not self.knows(few):
            return True
        theirs, mine = self.both(few)
        if not _of_indices(theirs) or not _of_indices(mine):
            return _of_indices(theirs) == _of_indices(mine)
        return same_draws(theirs.outputs, mine.outputs, FIRST_LOOK)

    def draws_the_same(self, question: Question) -> bool:
        """Whether the same random numbers make the same draws of both, as of the same steps."""
        few = briefly(question)
        if few is question or not self.knows(few):
            return False
        if self.is_the_component:
            return True
        theirs, mine = self.answer(few), self.session.ask(self.component, question).outputs
        return _are_draws(theirs, mine) and theirs.outputs == mine[: len(theirs.outputs)]

    def stands(self, failed: Question) -> bool:
        """Whether it does what the learner's code does on the questions of the test, as far as these are alike."""
        if self.is_the_component:
            return True
        questions = [one for one in self._asked() if kind_of(one).asks_for_a_value(one)]
        step = math.ceil(len(questions) / MOST_CONFIRMED) or 1
        ends_differently = crashes = 0
        for question in questions[::step]:
            theirs, mine = self.both(question)
            if theirs.error or mine.error:
                ends_differently += _end(theirs) != _end(mine)
                crashes += theirs.error is None
            elif not self._explains(theirs.outputs, mine.outputs, question):
                return False
        asked = len(questions[::step])
        if self.session.ask(self.component, failed).error is None and crashes <= MOST_CRASHES * asked:
            ends_differently -= crashes
        return ends_differently <= MOST_OTHER_ENDS * asked

    def _explains(self, theirs: list[Any], mine: list[Any], question: Question) -> bool:
        """Whether the two answers are the same, or so near that little is left of the learner's error."""
        right = self.session.expected(question).outputs
        theirs, mine, right = (list(map(self.session.view, one)) for one in (theirs, mine, right))
        allowed = absolute_tolerance(ANOTHER_WAY, right)
        error = distance(mine, right)
        if math.isfinite(error):
            allowed = max(allowed, EXPLAINED_ELSEWHERE * error)
        return distance(theirs, mine) <= allowed

    def does_the_same(self, question: Question) -> bool:
        """Whether the learner's code does as it does: the same answer, or an error of the same type."""
        theirs, mine = self.both(question)
        if theirs.error or mine.error:
            return _end(theirs) == _end(mine)
        return self._explains(theirs.outputs, mine.outputs, question)

    def is_right(self, question: Question) -> bool:
        """Whether the misconception does not show here."""
        return self._as_it_should_be(self.answer(question), question)

    def is_wrong_too(self, question: Question) -> bool:
        """Whether the learner's code answers wrongly."""
        return not self._as_it_should_be(self.session.ask(self.component, question), question)

    def has_an_answer(self, question: Question) -> bool:
        """Whether the learner's code ends in no error."""
        return self.session.ask(self.component, question).error is None

    def _as_it_should_be(self, record: Record, question: Question) -> bool:
        right = self.session.expected(question)
        if record.error or right.error:
            return _end(record) == _end(right)
        got, want = (list(map(self.session.view, one.outputs)) for one in (record, right))
        return near(got, want, ANOTHER_WAY)

    def leaves(self) -> Left | None:
        """How many draws of the test are wrong with the learner's code and not the cause, and how many not the same.

        The same random numbers make the same draws of the same steps. None where some draws speak against the cause:
        it draws wrongly, and the learner's code otherwise, or always the same.
        """
        if self.is_the_component:
            return NOTHING_LEFT
        asked = [one for one in self._asked() if self._asks_for_draws(one)]
        # A few draws say so sooner than all.
        if any(self._is_contradicted(one, briefly(one)) for one in asked):
            return None
        unexplained = different = 0
        for question in asked:
            if self._is_contradicted(question, question):
                return None
            theirs, mine = self.both(question)
            if _are_draws(theirs, mine.outputs):
                different += theirs.outputs != mine.outputs
                unexplained += not same_draws(theirs.outputs, mine.outputs)
        return unexplained, different

    def _asked(self) -> Sequence[Question]:
        return list(filter(self.knows, questions_of(self.session.exercise, self.session.seed)))

    def _asks_for_draws(self, question: Question) -> bool:
        if not is_drawn(question) or question.options.get("times") not in DRAWS:
            return False
        return _of_indices(self.session.expected(question))

    def _is_contradicted(self, question: Question, of_the_cause: Question) -> bool:
        """Whether it draws otherwise, and wrongly; or rightly, where the learner's code always gives the same."""
        theirs, mine = self.answer(of_the_cause), self.session.ask(self.component, question).outputs
        if not _are_draws(theirs, mine) or same_draws(theirs.outputs, mine):
            return False
        right = self.session.expected(question).outputs
        return len(set(mine)) == 1 or not same_draws(theirs.outputs, right)


def _end(record: Record) -> str | None:
    return record.error.type if record.error else None


def _are_draws(theirs: Record, mine: list[Any]) -> bool:
    return _of_indices(theirs) and bool(mine) and are_indices(mine)


def _of_indices(record: Record) -> bool:
    return not record.error and bool(record.outputs) and are_indices(record.outputs)
