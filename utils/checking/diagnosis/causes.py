"""Which misconception is the cause: one that does what the learner's code does on all that the test asks."""

import math
from collections.abc import Callable
from typing import Any

from utils.checking.diagnosis.shares import MOST_DRAWS, are_indices, briefly, same_draws
from utils.checking.measuring import absolute_tolerance, distance
from utils.checking.oracle import expected, remembered
from utils.checking.session import session
from utils.checking.survey import questions_of
from utils.running.kinds import is_drawn, kind_of
from utils.running.records import Question, Record

Distance = float  # how far another record is from the learner's: 0 is the same, infinity is another thing
MOST_CONFIRMED, MOST_CANDIDATES = 60, 50  # questions that a cause must stand, causes that are tried
MOST_OTHER_ENDS = 0.15  # of these questions may end in an error with one of the two alone
DRAWS = range(100, MOST_DRAWS + 1)  # of a question, that a cause must stand: fewer say little
UNLIKELY = 1e-4  # how often a first look at its draws loses the cause
EXPLAINED = 0.05  # of the learner's error, what a cause may leave unexplained


def known_cause(component: Any, question: Question, apart: Callable[[Record], Distance]) -> Any:
    """The nearest misconception that does the same here, nearer than what is right, and on all else that is asked."""
    known = session().exercise.misconceptions
    possible = [one for one in known if _is_possible(one.component, component, question)]
    same = [one for one in possible if _draws_the_same(one.component, component, question)]
    cause = None
    for some in filter(None, (same, possible)):  # those that draw the same are mostly few, and the others take seconds
        left, cause = _nearest(some, component, question, apart)
        if left == (0, 0):
            break
    return cause


def _nearest(
    known: list[Any], component: Any, question: Question, apart: Callable[[Record], Distance]
) -> tuple[tuple[int, int] | None, Any]:
    """The nearest of these that stands, and what it leaves; (None, None) where none does."""
    distances = [(apart(remembered(one.component, question)), index) for index, one in enumerate(known)]
    alike = sorted((far, index) for far, index in distances if math.isfinite(far))
    right = apart(expected(session().exercise, question)) if alike else 0.0
    nearest = [one for one in alike if one[0] < right][:MOST_CANDIDATES]
    standing: list[tuple[tuple[int, int], Any]] = []
    for _, index in nearest:
        if not _stands(known[index].component, component):
            continue
        left = _draws_left(known[index].component, component)
        if left is not None:
            standing.append((left, known[index]))
        if left == (0, 0):
            break
    return min(standing, key=lambda one: one[0], default=(None, None))


def _is_possible(cause: Any, component: Any, question: Question) -> bool:
    """Whether a few draws leave it possible: to ask every misconception for thousands would take seconds."""
    few = briefly(question)
    if few is question or cause is component:
        return True
    theirs, mine = remembered(cause, few), session().ask(component, question)
    return not (_of_indices(theirs) and _of_indices(mine)) or same_draws(theirs.outputs, mine.outputs, UNLIKELY)


def _draws_the_same(cause: Any, component: Any, question: Question) -> bool:
    """Whether the same random numbers make the same draws of both, as of the same steps."""
    few = briefly(question)
    if few is question:
        return False
    theirs, mine = remembered(cause, few), session().ask(component, question).outputs
    return cause is component or (_are_draws(theirs, mine) and theirs.outputs == mine[: len(theirs.outputs)])


def _stands(cause: Any, component: Any) -> bool:
    """Whether the cause does what the learner's code does on the questions of the test, as far as these are alike."""
    if cause is component:  # in the proof that a misconception is named: it does what it does
        return True
    exercise, seed = session().exercise, session().seed
    questions = [one for one in questions_of(exercise, seed) if kind_of(one).asks_for_a_value(one)]
    questions = questions[:: math.ceil(len(questions) / MOST_CONFIRMED) or 1]
    ends_differently = 0
    for question in questions:
        theirs, mine = remembered(cause, question), session().ask(component, question)
        if theirs.error or mine.error:
            ends_differently += (theirs.error and theirs.error.type) != (mine.error and mine.error.type)
        elif not _explains(theirs.outputs, mine.outputs, expected(exercise, question).outputs):
            return False
    return ends_differently <= MOST_OTHER_ENDS * len(questions)


def _draws_left(cause: Any, component: Any) -> tuple[int, int] | None:
    """With how many draws of the test the learner's code is wrong and the cause right, and how many are not the same.

    The same random numbers make the same draws of the same steps. None where some draws speak against the cause: it
    draws wrongly, and the learner's code otherwise, or always the same.
    """
    if cause is component:
        return 0, 0
    asked = [one for one in questions_of(session().exercise, session().seed) if _asks_for_draws(one)]
    answers = [(one, session().ask(component, one).outputs, expected(session().exercise, one).outputs) for one in asked]
    if any(_speak_against(remembered(cause, briefly(one)), mine, right) for one, mine, right in answers):
        return None  # sooner than by all draws
    unexplained = different = 0
    for question, mine, right in answers:
        theirs = remembered(cause, question)
        if _speak_against(theirs, mine, right):
            return None
        if _are_draws(theirs, mine):
            different += theirs.outputs != mine
            unexplained += not same_draws(theirs.outputs, mine)
    return unexplained, different


def _asks_for_draws(question: Question) -> bool:
    if not is_drawn(question) or question.options.get("times") not in DRAWS:
        return False
    return _of_indices(expected(session().exercise, question))


def _speak_against(theirs: Record, mine: list[Any], right: list[Any]) -> bool:
    """Whether the cause draws otherwise, and wrongly; or rightly, where the learner's code always gives the same."""
    if not _are_draws(theirs, mine) or same_draws(theirs.outputs, mine):
        return False
    return not same_draws(theirs.outputs, right) or len(set(mine)) == 1


def _are_draws(theirs: Record, mine: list[Any]) -> bool:
    return _of_indices(theirs) and bool(mine) and are_indices(mine)


def _of_indices(record: Record) -> bool:
    return not record.error and bool(record.outputs) and are_indices(record.outputs)


def _explains(theirs: Any, mine: Any, right: Any) -> bool:
    theirs, mine, right = (list(map(session().view, outputs)) for outputs in (theirs, mine, right))
    error = distance(mine, right)
    allowed = EXPLAINED * error if math.isfinite(error) else 0.0
    return distance(theirs, mine) <= max(absolute_tolerance(1e-4, right), allowed)
