"""The check that nothing is computed in vain: the work of a call is counted, and compared with the reference's."""

import math
from typing import Any

from judge.checking.answer import answered
from judge.checking.diagnosis.evidence import Evidence
from judge.checking.measuring import Distance
from judge.checking.places import calling_place
from judge.checking.session import Session
from judge.checking.trial import check, trial_of
from judge.checking.wording import Difference
from judge.running.kinds import drives_with
from judge.running.records import Record

# How far the work of a misconception may be from the learner's: both have other steps beside it.
ALIKE = 0.1


@check
def check_work(session: Session, component: Any, *arguments: Any, at_most: float = 1.5, **options: Any) -> None:
    """A call takes at most so many times the reference solution's floating-point operations in products of matrices.

    For kinds of exercise that say how their work is counted, such as `drive="with_gpt"`. What the call answers is not
    looked at: another check does that. Sums, softmax and products number by number do not count.
    """
    counting = session.exercise.kind.work
    if not counting:
        raise calling_place().mistake(f"check_work counts the work of a model: it is for {drives_with('work')}.")
    trial = trial_of(session, arguments, options).to(counting)
    answer, enough = answered(trial, component), trial.right().output
    work = answer.output
    times = work / enough
    if times <= at_most:
        session.close_call(times / at_most)
        return

    def apart(other: Record) -> Distance:
        far = abs(other.output / work - 1)
        return far if far <= ALIKE else math.inf

    lines = (
        f"it takes {times:.1f} times the work of the reference solution; {at_most:g} times is allowed",
        f"{work:,.0f} operations in products of matrices, where {enough:,.0f} are enough",
    )
    raise answer.mismatch(Difference(lines, times / at_most), Evidence("work"), apart)
