"""Checks of what a call does beside its answer: what it leaves of its model, and how much it computes."""

import math
from typing import Any

from judge.checking.answer import Answer, answered, check
from judge.checking.evidence import Evidence
from judge.checking.likeness import Distance
from judge.checking.places import calling_place
from judge.checking.session import Session
from judge.checking.trial import trial_of
from judge.checking.wording import Difference
from judge.running.kinds import drives_with
from judge.running.records import Record

MOST_NAMED = 3  # weights that a line names
FROZEN = "the call left weights that can't be trained"
MODES = {False: "training", True: "evaluation"}  # the mode that is not the one in which a model is handed over


@check
def check_model_unchanged(session: Session, component: Any, *arguments: Any, **options: Any) -> None:
    """The model has the weights and the mode that it had when the call got it: after `eval()`, and then in training.

    Its weights can still be trained. For kinds of exercise that hand a model over, such as `drive="with_model"`.
    """
    looking = session.exercise.kind.model_after
    if not looking:
        raise calling_place().mistake(f"check_model_unchanged is for {drives_with('model_after')}.")
    trials = {mode: trial_of(session, arguments, options | {"training": mode}).to(looking) for mode in MODES}
    for trial in trials.values():
        trial.record(component)
    for mode, trial in trials.items():
        _compare(answered(trial, component), mode)


def _compare(answer: Answer, mode: bool) -> None:
    left = answer.output
    other_mode = MODES[mode]
    for what, name, said in (
        ("changed", "changed", _changed(left["changed"])),
        ("mode", other_mode, f"the call left the model in {other_mode} mode"),
        ("frozen", "frozen", FROZEN),
    ):
        if left[what]:
            # Which weights were changed does not say how: no misconception is looked for.
            raise answer.mismatch(Difference((said,)), Evidence("model", name), lambda other: math.inf)


def _changed(weights: list[str]) -> str:
    names = ", ".join(f"`{name}`" for name in weights[:MOST_NAMED])
    others = " and others" if len(weights) > MOST_NAMED else ""
    return f"the call changed the model: {names}{others}"


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
