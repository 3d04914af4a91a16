"""The check that draws come as often as their probabilities say, by an exact bound."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from utils.checking.declaring import calling_place
from utils.checking.diagnosis import Distance, mismatch
from utils.checking.session import session
from utils.checking.trial import check, trial_of
from utils.checking.wording import Difference, kind, short
from utils.running.records import Record

FALSE_ALARMS = 1e-6  # how often a right answer may be refused, at most


@check
def check_draws(
    component: Any,
    *arguments: Any,
    want: Float[Tensor, " d_vocab"],
    times: int = 5000,
    view: Callable[[Any], Any] = lambda answer: answer,
    **options: Any,
) -> None:
    """`times` draws come as often as `want`, the probability of each index, says.

    `view` finds the index in an answer that is none itself, such as the last token of a text.

    By Chernoff, P(n · KL(share ‖ p) ≥ t) ≤ 2 exp(-t) for each index, exactly and for every n (Hoeffding 1963, theorem
    1); with t = ln(2d / 1e-6) over d indices, a right answer is refused in less than one of a million tests. What the
    check can see is for the test's author to prove by misconceptions: spread the logits, and permute them.
    """
    if abs(float(want.sum()) - 1) > 1e-4:
        message = f"want= adds up to {float(want.sum()):.4g}; it is the probability of each index, and adds up to 1."
        raise calling_place().mistake(message)
    trial = trial_of(arguments, options | {"times": times})
    record = _viewed(trial.run(component), view)
    odd = [one for one in record.outputs if type(one) is not int or not 0 <= one < len(want)]
    if odd:
        difference = _not_an_index(odd[0], len(want))
        raise mismatch(
            component, trial.question, record, difference, lambda other: _same_kind(odd[0], _viewed(other, view))
        )
    limit = math.log(2 * len(want) / FALSE_ALARMS)
    counts = _counts(record, len(want))
    surprise = times * _divergence(counts / times, want.double())
    worst, largest = int(surprise.argmax()), float(surprise.max())
    if largest > limit:
        often = f"index {worst} was drawn {int(counts[worst])} times in {times}, expected about"
        difference = Difference((f"{often} {float(times * want[worst]):.0f}",), largest / limit)
        raise mismatch(
            component,
            trial.question,
            record,
            difference,
            lambda other: _apart(counts, _viewed(other, view), limit),
        )
    session().close_call(largest / limit)


def _viewed(record: Record, view: Callable[[Any], Any]) -> Record:
    """The record with what `view` makes of its outputs; of those that it can't look at, as they are."""
    return replace(record, outputs=[_seen(one, view) for one in record.outputs])


def _seen(answer: Any, view: Callable[[Any], Any]) -> Any:
    try:
        return view(answer)
    except Exception:
        return answer


def _not_an_index(odd: Any, size: int) -> Difference:
    wanted = f"expected an int from 0 to {size - 1}"
    if odd is None:
        return Difference((f"the result is None, {wanted}: is there a `return`?",))
    return Difference((f"got {short(odd, 60)} ({kind(odd)}), {wanted}",))


def _counts(record: Record, size: int) -> Float[Tensor, " d_vocab"]:
    return torch.bincount(torch.tensor(record.outputs), minlength=size).double()


def _divergence(share: Tensor, p: Tensor) -> Tensor:
    """KL(share ‖ p) of a coin for each index, in nats; infinite where what can't be was drawn."""
    drawn = torch.xlogy(share, share / p).nan_to_num(0.0)
    others = torch.xlogy(1 - share, (1 - share) / (1 - p)).nan_to_num(0.0)
    impossible = ((p <= 0) & (share > 0)) | ((p >= 1) & (share < 1))
    return torch.where(impossible, math.inf, drawn + others)


def _apart(counts: Tensor, other: Record, limit: float) -> Distance:
    """How surprising it would be that both draw from one distribution; infinite beyond the limit."""
    if any(type(one) is not int or not 0 <= one < len(counts) for one in other.outputs):
        return math.inf
    theirs, draws = _counts(other, len(counts)), float(counts.sum())
    pooled = (counts + theirs) / (counts.sum() + theirs.sum())
    surprise = draws * (_divergence(counts / draws, pooled) + _divergence(theirs / draws, pooled))
    return float(surprise.max()) if float(surprise.max()) <= limit else math.inf


def _same_kind(odd: Any, other: Record) -> Distance:
    return 0.0 if any(kind(one) == kind(odd) and type(one) is type(odd) for one in other.outputs[:1]) else math.inf
