"""The known cause of a mistake: a misconception that does what the learner's code does on all that the test asks.

Of two mistakes at once it is the one that shows here, where another explains what it leaves (`one_of_two`). Both are
decided on rows of the transcript: what the learner's code, a misconception and the reference answer to one question.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from judge.checking.asking import can_answer
from judge.checking.code import code_of
from judge.checking.diagnosis.drawn import NOTHING_LEFT, Draws, Left, draws_of, first_looks, what_it_leaves
from judge.checking.known import Misconception
from judge.checking.likeness import (
    ANOTHER_WAY,
    EXPLAINED_ELSEWHERE,
    REORDERED,
    Distance,
    absolute_tolerance,
    distance,
    near,
)
from judge.checking.transcript import Row, Suspect
from judge.checking.trial import Trial
from judge.running.kinds import is_drawn, kind_of
from judge.running.records import Question, Record

# Questions that a cause must stand: among so many, what is no cause differs somewhere.
MOST_CONFIRMED = 60
# Causes that are tried, the nearest first: a learner waits, and no exercise has more that are alike.
MOST_CANDIDATES = 50
# The share of these questions that may end in an error with one of the two alone.
MOST_OTHER_ENDS = 0.15
# The share that may end in an error of the learner's code alone, where a wrong answer failed: that is a mistake more.
MOST_CRASHES = 1 / 3
MOST_FIRST = 3  # causes of what shows here that may be one of two; with each of them all others are tried


def known_cause(
    trial: Trial,
    component: Any,
    apart: Callable[[Record], Distance],
    unless: Callable[[Misconception], bool] = lambda known: False,
    draws: Draws = lambda record: record.outputs,
) -> Misconception | None:
    """The nearest misconception that does the same here, nearer than what is right, and on all else that is asked.

    `unless` says of which one the learner's code shows that it is another mistake, and `draws` what was drawn.
    """
    cause = None
    for suspects in first_looks(suspects_of(trial, component), trial.question, draws):
        left, cause = _nearest(trial, suspects, apart, unless)
        if left == NOTHING_LEFT:
            break
    return cause


def suspects_of(trial: Trial, component: Any) -> list[Suspect]:
    """The misconceptions whose answer to this question is known, each to be held against the learner's code.

    Left out are those of which its source does not show that their words are true of it, and that have no others; with
    others they come last, for of two with the same answers the one that the source shows is meant.
    """
    transcript = trial.session.transcript
    known = [
        misconception
        for misconception in trial.session.exercise.misconceptions
        if can_answer(misconception.component, trial.question)
    ]
    if any(misconception.guard.is_there for misconception in known):
        source = code_of(component).plain
        true = [misconception for misconception in known if misconception.guard.admits(source)]
        known = true + [
            misconception
            for misconception in known
            if misconception.guard.otherwise and not misconception.guard.admits(source)
        ]
    return [Suspect(transcript, misconception, component) for misconception in known]


def _nearest(
    trial: Trial, suspects: list[Suspect], apart: Callable[[Record], Distance], unless: Callable[[Misconception], bool]
) -> tuple[Left | None, Misconception | None]:
    """The nearest of these that stands, and what it leaves; (None, None) where none does."""
    standing: list[tuple[Left, Misconception]] = []
    for suspect in islice(nearest_first(trial, suspects, apart), MOST_CANDIDATES):
        asked = trial.session.questions
        if unless(suspect.known) or not stands(suspect, asked, trial.question):
            continue
        left = what_it_leaves(suspect, asked)
        if left is not None:
            standing.append((left, suspect.known))
        if left == NOTHING_LEFT:
            break
    return min(standing, key=lambda left_by: left_by[0], default=(None, None))


def nearest_first(trial: Trial, suspects: list[Suspect], apart: Callable[[Record], Distance]) -> Iterator[Suspect]:
    """The suspects that do the same on the question that failed, nearer than what is right, the nearest first.

    One that does exactly the same comes before the next is asked: to ask all of them is most of the work of a card.
    Most make no mistake here, and draw what is right: of those that draw alike one is asked for all draws.
    """
    question, expected = trial.question, trial.session.transcript.expected
    further: list[tuple[Distance, int]] = []
    too_far: set[tuple[int, ...]] = set()
    for place, suspect in enumerate(suspects):
        drawn = draws_of(suspect, question)
        if drawn in too_far:
            continue
        far = apart(suspect.row(question).theirs)
        if far == 0.0 and apart(expected(question)) > 0.0:
            yield suspect
        elif math.isfinite(far):
            further.append((far, place))
        elif drawn:
            too_far.add(drawn)
    for far, place in sorted(further):
        if far < apart(expected(question)):
            yield suspects[place]


def one_of_two(trial: Trial, component: Any, apart: Callable[[Record], Distance]) -> Misconception | None:
    """The misconception that shows here, where another one explains what it leaves; None where there are no such two.

    Wherever the one is right the learner's code does as the other, and the other way round; and each shows somewhere
    where the other does not. Where both are wrong, the learner's code is wrong too.
    """
    if not _has_one_answer(trial.question):
        return None
    suspects = suspects_of(trial, component)
    nearest = list(islice(nearest_first(trial, suspects, apart), MOST_CANDIDATES))
    firsts = _as_near_as_the_first(trial, nearest, apart)[:MOST_FIRST]
    if not firsts:
        return None
    asked = list(filter(_has_one_answer, trial.session.questions))
    return next((first.known for first in firsts if _is_one_of_two(first, suspects, asked)), None)


def _has_one_answer(question: Question) -> bool:
    return not is_drawn(question) and kind_of(question).asks_for_a_value(question)


def _as_near_as_the_first(trial: Trial, some: list[Suspect], apart: Callable[[Record], Distance]) -> list[Suspect]:
    """The suspects as near as the first: what is further off is another mistake, of nearly the same size."""
    if not some:
        return []
    rows = [suspect.row(trial.question) for suspect in some]
    noise = absolute_tolerance(REORDERED, rows[0].right.outputs)
    limit = apart(rows[0].theirs) + noise
    return [suspect for suspect, row in zip(some, rows, strict=True) if apart(row.theirs) <= limit]


def _is_one_of_two(first: Suspect, suspects: list[Suspect], asked: list[Question]) -> bool:
    """Whether one of the others explains what this one leaves."""
    rows = list(first.rows(asked))
    left = [row for row in rows if is_right(row, row.theirs) and not does_the_same(row)]
    if not any(row.mine.error is None for row in left):
        return False
    left_over, all_asked = ([row.question for row in some] for some in (left, rows))
    others = (suspect for suspect in suspects if suspect.known.name != first.known.name)
    return any(_explain_all(first, other, left_over, all_asked) for other in others)


def _explain_all(first: Suspect, second: Suspect, left: list[Question], asked: list[Question]) -> bool:
    """Whether the second does what the first leaves, and wherever one of them is right, the other explains the code."""
    if not all(map(second.knows, left)) or not _does_the_same(second, left):  # most fail at the first question
        return False
    return all(_explained(first, second, question) for question in asked if second.knows(question))


def _does_the_same(suspect: Suspect, questions: Iterable[Question]) -> bool:
    return all(does_the_same(suspect.row(question)) for question in questions)


def _explained(first: Suspect, second: Suspect, question: Question) -> bool:
    one, other = first.row(question), second.row(question)
    if is_right(one, one.theirs):
        return does_the_same(other)
    if is_right(other, other.theirs):
        return does_the_same(one)
    return not is_right(one, one.mine)


def stands(suspect: Suspect, asked: Sequence[Question], failed: Question) -> bool:
    """Whether it does what the learner's code does on the questions of the test, as far as these are alike."""
    if suspect.is_the_component:
        return True
    rows = [
        asked_row
        for asked_row in suspect.rows(asked)
        if kind_of(asked_row.question).asks_for_a_value(asked_row.question)
    ]
    rows = rows[:: math.ceil(len(rows) / MOST_CONFIRMED) or 1]
    ends_differently = crashes = 0
    for row in rows:
        if row.theirs.error or row.mine.error:
            ends_differently += not _end_alike(row.theirs, row.mine)
            crashes += row.theirs.error is None
        elif not _explains(row):
            return False
    if suspect.row(failed).mine.error is None and crashes <= MOST_CRASHES * len(rows):
        ends_differently -= crashes
    return ends_differently <= MOST_OTHER_ENDS * len(rows)


def does_the_same(row: Row) -> bool:
    """Whether the learner's code does as the misconception does: the same answer, or an error of the same type."""
    if row.theirs.error or row.mine.error:
        return _end_alike(row.theirs, row.mine)
    return _explains(row)


def _explains(row: Row) -> bool:
    """Whether the two answers are the same, or so near that little is left of the learner's error."""
    theirs, mine, right = (row.viewed(record) for record in (row.theirs, row.mine, row.right))
    allowed = absolute_tolerance(ANOTHER_WAY, right)
    error = distance(mine, right)
    if math.isfinite(error):
        allowed = max(allowed, EXPLAINED_ELSEWHERE * error)
    return distance(theirs, mine) <= allowed


def is_right(row: Row, record: Record) -> bool:
    """Whether this answer to the question is as it should be."""
    if record.error or row.right.error:
        return _end_alike(record, row.right)
    return near(row.viewed(record), row.viewed(row.right), ANOTHER_WAY)


def _end_alike(one: Record, other: Record) -> bool:
    """Whether both end in an error of the same type, or neither does."""
    return (one.error and one.error.type) == (other.error and other.error.type)
