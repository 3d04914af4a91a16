"""Of two mistakes at once the one that shows here, where both have names: together they explain all that is asked."""

from collections.abc import Callable, Iterable
from typing import Any

from judge.checking.diagnosis.causes import Suspect, does_the_same, is_right, nearer_than_right, suspects_of
from judge.checking.known import Misconception
from judge.checking.likeness import REORDERED, Distance, absolute_tolerance
from judge.checking.survey import questions_of
from judge.checking.trial import Trial
from judge.running.kinds import is_drawn, kind_of
from judge.running.records import Question, Record

MOST_FIRST = 3  # causes of what shows here; with each of them all others are tried


def one_of_two(trial: Trial, component: Any, apart: Callable[[Record], Distance]) -> Misconception | None:
    """The misconception that shows here, where another one explains what it leaves; None where there are no such two.

    Wherever the one is right the learner's code does as the other, and the other way round; and each shows somewhere
    where the other does not. Where both are wrong, the learner's code is wrong too.
    """
    session = trial.session
    if not _has_one_answer(trial.question):
        return None
    suspects = suspects_of(trial, component)
    firsts = _nearest(trial, nearer_than_right(trial, suspects, apart), apart)[:MOST_FIRST]
    if not firsts:
        return None
    asked = list(filter(_has_one_answer, questions_of(session.exercise, session.seed)))
    return next((one.known for one in firsts if _is_one_of_two(one, suspects, asked)), None)


def _has_one_answer(question: Question) -> bool:
    return not is_drawn(question) and kind_of(question).asks_for_a_value(question)


def _nearest(trial: Trial, some: list[Suspect], apart: Callable[[Record], Distance]) -> list[Suspect]:
    """Those that are as near as the first of these: what is further off is another mistake, of nearly the same size."""
    if not some:
        return []
    rows = [one.row(trial.question) for one in some]
    noise = absolute_tolerance(REORDERED, rows[0].right.outputs)
    limit = apart(rows[0].theirs) + noise
    return [one for one, row in zip(some, rows, strict=True) if apart(row.theirs) <= limit]


def _is_one_of_two(first: Suspect, suspects: list[Suspect], asked: list[Question]) -> bool:
    """Whether one of the others explains what this one leaves."""
    rows = list(first.rows(asked))
    left = [row for row in rows if is_right(row, row.theirs) and not does_the_same(row)]
    if not any(row.mine.error is None for row in left):
        return False
    left_over, all_asked = ([row.question for row in some] for some in (left, rows))
    others = (one for one in suspects if one.known.name != first.known.name)
    return any(_explain_all(first, one, left_over, all_asked) for one in others)


def _explain_all(first: Suspect, second: Suspect, left: list[Question], asked: list[Question]) -> bool:
    """Whether the second does what the first leaves, and wherever one of them is right, the other explains the code."""
    if not all(map(second.knows, left)) or not _does_the_same(second, left):  # no of most after one question
        return False
    return all(_explained(first, second, question) for question in asked if second.knows(question))


def _does_the_same(suspect: Suspect, questions: Iterable[Question]) -> bool:
    return all(does_the_same(suspect.row(one)) for one in questions)


def _explained(first: Suspect, second: Suspect, question: Question) -> bool:
    one, other = first.row(question), second.row(question)
    if is_right(one, one.theirs):
        return does_the_same(other)
    if is_right(other, other.theirs):
        return does_the_same(one)
    return not is_right(one, one.mine)
