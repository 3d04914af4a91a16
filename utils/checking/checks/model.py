"""The check that a model is handed back as it was: its weights, its mode, and whether it can be trained."""

import math
from typing import Any

from utils.checking.answer import answered
from utils.checking.diagnosis.evidence import Evidence
from utils.checking.places import calling_place
from utils.checking.session import Session
from utils.checking.trial import check, trial_of
from utils.checking.wording import Difference
from utils.running.kinds import drives_with

MOST_NAMED = 3  # weights that a line names
LEFT = {
    "training": "the call left the model in training mode",
    "frozen": "the call left weights that can't be trained",
}


@check
def check_model_unchanged(session: Session, component: Any, *arguments: Any, **options: Any) -> None:
    """The model that the call was given after `eval()` has the weights that it had, and is not in training mode.

    Its weights can still be trained. For kinds of exercise that hand a model over, such as `drive="with_model"`. Who
    calls `eval()` on it is right, since it makes no difference.
    """
    looking = session.exercise.kind.model_after
    if not looking:
        raise calling_place().mistake(f"check_model_unchanged is for {drives_with('model_after')}.")
    answer = answered(
        trial_of(session, arguments, options).to(looking),
        component,
    )
    left = answer.output
    for what, said in ({"changed": _changed(left["changed"])} | LEFT).items():
        if left[what]:
            # Which weights were changed does not say how: no misconception is looked for.
            raise answer.mismatch(
                Difference((said,)),
                Evidence("model", what),
                lambda other: math.inf,
            )


def _changed(weights: list[str]) -> str:
    names = ", ".join(f"`{name}`" for name in weights[:MOST_NAMED])
    others = " and others" if len(weights) > MOST_NAMED else ""
    return f"the call changed the model: {names}{others}"
