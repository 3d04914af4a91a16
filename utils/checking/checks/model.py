"""The check that a model is handed back as it was: its weights, its mode, and whether it can be trained."""

import math
from typing import Any

from utils.checking.diagnosis.explaining import mismatch
from utils.checking.places import calling_place
from utils.checking.session import session
from utils.checking.trial import check, trial_of
from utils.checking.wording import Difference

READ_ALONE = (
    "The model is the caller's, who goes on using it: read its weights, and write to none. A slice such as "
    "`W_pos[:n]` is a view: `+=` on it, or a method that ends in `_`, changes the model."
)
NO_MODE = "Nothing is trained here: leave `model.train()` out, or put the mode back that you found, `model.training`."
NO_FREEZING = (
    "The caller may want to train the model: leave `requires_grad` alone. To do without gradients here, "
    "`with torch.no_grad():` is enough."
)
NO_SWITCH = (
    "What comes next may need gradients: `with torch.no_grad():` and `@torch.no_grad()` put them back on at their end, "
    "`torch.set_grad_enabled(False)` does not."
)
MOST_NAMED = 3


@check
def check_model_unchanged(component: Any, *arguments: Any, **options: Any) -> None:
    """The model that the call was given after `eval()` has the weights that it had, and is not in training mode.

    Its weights can still be trained, and gradients are not switched off for what comes next. For `drive="with_model"`
    and `drive="with_gpt"`. Who calls `eval()` on it is right, since it makes no difference.
    """
    looking = session().exercise.kind.model_after
    if not looking:
        raise calling_place().mistake('check_model_unchanged is for drive="with_model" and drive="with_gpt".')
    trial = trial_of(arguments, options).to(looking)
    record = trial.run(component)
    left = record.output
    changed = left["changed"]
    names = ", ".join(f"`{name}`" for name in changed[:MOST_NAMED]) + " and others" * (len(changed) > MOST_NAMED)
    for found, what, advice in (
        (changed, f"the call changed the model: {names}", READ_ALONE),
        (left["training"], "the call left the model in training mode", NO_MODE),
        (left["frozen"], "the call left weights that can't be trained", NO_FREEZING),
        (left["without_gradients"], "the call left gradients switched off", NO_SWITCH),
    ):
        if found:
            raise mismatch(
                component,
                trial.question,
                record,
                Difference((what,)),
                lambda other: math.inf,  # which weights were changed does not say how
                advice=advice,
            )
