"""Of two mistakes at once the one that shows here, where both have names: together they explain all that is asked."""

from collections.abc import Callable
from typing import Any

from judge.checking.diagnosis.causes import Suspect, nearer_than_right, suspects_of
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
    suspects = suspects_of(session, component, trial.question)
    firsts = _nearest(trial, nearer_than_right(trial, suspects, apart), apart)[:MOST_FIRST]
    return next((one.known for one in firsts if _is_one_of_two(one, suspects)), None)


def _nearest(trial: Trial, some: list[Suspect], apart: Callable[[Record], Distance]) -> list[Suspect]:
    """Those that are as near as the first of these: what is further off is another mistake, of nearly the same size."""
    if not some:
        return []
    question = trial.question
    distances = [apart(one.answer(question)) for one in some]
    noise = absolute_tolerance(REORDERED, trial.session.expected(question).outputs)
    return [one for one, far in zip(some, distances, strict=True) if far <= distances[0] + noise]


def _is_one_of_two(first: Suspect, suspects: list[Suspect]) -> bool:
    """Whether one of the others explains what this one leaves."""
    session = first.session
    asked = [one for one in questions_of(session.exercise, session.seed) if _has_one_answer(one) and first.knows(one)]
    left = [one for one in asked if first.is_right(one) and not first.does_the_same(one)]
    others = [one for one in suspects if one.known.name != first.known.name]
    return any(map(first.has_an_answer, left)) and any(_explain_all(first, one, left, asked) for one in others)


def _has_one_answer(question: Question) -> bool:
    return not is_drawn(question) and kind_of(question).asks_for_a_value(question)


def _explain_all(first: Suspect, second: Suspect, left: list[Question], asked: list[Question]) -> bool:
    """Whether the second does what the first leaves, and wherever one of them is right, the other explains the code."""
    if not all(map(second.knows, left)) or not all(map(second.does_the_same, left)):  # no of most after one question
        return False
    return all(_explained(first, second, question) for question in asked if second.knows(question))


def _explained(first: Suspect, second: Suspect, question: Question) -> bool:
    if first.is_right(question):
        return second.does_the_same(question)
    if second.is_right(question):
        return first.does_the_same(question)
    return first.is_wrong_too(question)
