"""Which misconception is the cause: one that does what the learner's code does on all that the test asks."""

import math
from collections.abc import Callable
from typing import Any

from utils.checking.measuring import absolute_tolerance, distance
from utils.checking.oracle import expected, remembered
from utils.checking.session import session
from utils.checking.shares import are_indices, same_draws
from utils.running.records import Question, Record

Distance = float  # how far another record is from the learner's: 0 is the same, infinity is another thing
MOST_CONFIRMED, MOST_CANDIDATES = 60, 50  # questions that a cause must stand, causes that are tried
MOST_OTHER_ENDS = 0.15  # of these questions may end in an error with one of the two alone
DRAWS = range(100, 2001)  # of a question, that a cause must stand: fewer say little, more take long
AGAINST = -1  # in the place of how many draws a cause leaves unexplained
DEPENDING_ON_MORE = {"before", "times", "names", "manual_seed"}  # options of questions that ask for more than a value
EXPLAINED = 0.05  # of the learner's error, what a cause may leave unexplained


def known_cause(component: Any, question: Question, apart: Callable[[Record], Distance]) -> Any:
    """The nearest misconception that does the same here, nearer than what is right, and on all else that is asked."""
    known = session().exercise.misconceptions
    distances = [(apart(remembered(one.component, question)), index) for index, one in enumerate(known)]
    alike = sorted((far, index) for far, index in distances if math.isfinite(far))
    right = apart(expected(session().exercise, question)) if alike else 0.0
    nearest = [one for one in alike if one[0] < right][:MOST_CANDIDATES]
    standing: list[tuple[int, Any]] = []
    for _, index in nearest:
        if _stands(known[index].component, component):
            standing.append((_draws_unexplained(known[index].component, component), known[index]))
            if standing[-1][0] == 0:
                break
    return min((one for one in standing if one[0] != AGAINST), key=lambda one: one[0], default=(0, None))[1]


def _stands(cause: Any, component: Any) -> bool:
    """Whether the cause does what the learner's code does on the questions of the test, as far as these are alike."""
    if cause is component:  # in the proof that a misconception is named: it does what it does
        return True
    exercise, seed = session().exercise, session().seed
    questions = [one for one in exercise.questions(seed=seed) if _asks_for_a_value(one)]
    questions = questions[:: math.ceil(len(questions) / MOST_CONFIRMED) or 1]
    ends_differently = 0
    for question in questions:
        theirs, mine = remembered(cause, question), session().ask(component, question)
        if theirs.error or mine.error:
            ends_differently += (theirs.error and theirs.error.type) != (mine.error and mine.error.type)
        elif not _explains(theirs.outputs, mine.outputs, expected(exercise, question).outputs):
            return False
    return ends_differently <= MOST_OTHER_ENDS * len(questions)


def _asks_for_a_value(question: Question) -> bool:
    """Whether the answer is a value alone: how much is computed on the way differs among those who do the same."""
    return question.drive != "work_of" and not question.options.keys() & DEPENDING_ON_MORE


def _draws_unexplained(cause: Any, component: Any) -> int:
    """With how many draws of the test the learner's code is wrong and the cause is right.

    AGAINST where some speak against the cause: it draws wrongly, and the learner's code otherwise.
    """
    if cause is component:
        return 0
    unexplained = 0
    for question in session().exercise.questions(seed=session().seed):
        if question.options.get("times") not in DRAWS or "before" in question.options:
            continue
        right = expected(session().exercise, question)
        if not _of_indices(right):
            continue
        theirs, mine = remembered(cause, question), session().ask(component, question)
        if not (_of_indices(theirs) and _of_indices(mine)) or same_draws(theirs.outputs, mine.outputs):
            continue
        if not same_draws(theirs.outputs, right.outputs):
            return AGAINST
        unexplained += 1
    return unexplained


def _of_indices(record: Record) -> bool:
    return not record.error and bool(record.outputs) and are_indices(record.outputs)


def _explains(theirs: Any, mine: Any, right: Any) -> bool:
    theirs, mine, right = (list(map(session().view, outputs)) for outputs in (theirs, mine, right))
    error = distance(mine, right)
    allowed = EXPLAINED * error if math.isfinite(error) else 0.0
    return distance(theirs, mine) <= max(absolute_tolerance(1e-4, right), allowed)
