"""The check that a model is handed back as it was: its weights, and its mode."""

import math
from dataclasses import replace
from typing import Any

from utils.checking.declaring import calling_place
from utils.checking.diagnosis import mismatch
from utils.checking.session import session
from utils.checking.trial import Trial, check, trial_of
from utils.checking.wording import Difference

READ_ALONE = (
    "The model is the caller's, who goes on using it: read its weights, and write to none. A slice such as "
    "`W_pos[:n]` is a view: `+=` on it, or a method that ends in `_`, changes the model."
)
NO_MODE = "Nothing is trained here: leave `model.train()` out, or put the mode back that you found, `model.training`."
MOST_NAMED = 3


@check
def check_model_unchanged(component: Any, *arguments: Any, **options: Any) -> None:
    """The model that the call was given after `eval()` has the weights that it had, and is not in training mode.

    For `drive="with_model"` and `drive="with_gpt"`. Who calls `eval()` on it is right, since it makes no difference.
    """
    if session().exercise.drive not in ("with_model", "with_gpt"):
        raise calling_place().mistake('check_model_unchanged is for drive="with_model" and drive="with_gpt".')
    trial = Trial(replace(trial_of(arguments, options).question, drive="model_after"))
    record = trial.run(component)
    changed, in_training = record.output["changed"], record.output["training"]
    if not changed and not in_training:
        return
    names = ", ".join(f"`{name}`" for name in changed[:MOST_NAMED]) + " and others" * (len(changed) > MOST_NAMED)
    lines = (f"the call changed the model: {names}",) if changed else ("the call left the model in training mode",)
    raise mismatch(
        component,
        trial.question,
        record,
        Difference(lines),
        lambda other: math.inf,  # which weights were changed does not say how
        advice=READ_ALONE if changed else NO_MODE,
    )
