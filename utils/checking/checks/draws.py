"""The check that draws come as often as their probabilities say, by an exact bound."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from jaxtyping import Float
from torch import Tensor

from utils.checking.checks.outputs import NO_RETURN
from utils.checking.diagnosis.explaining import Distance, mismatch
from utils.checking.diagnosis.shares import (
    MOST_DRAWS,
    are_indices,
    counts_of,
    divergence,
    limit_of,
    power_of,
    share_clue,
    surprise_of_both,
)
from utils.checking.places import calling_place
from utils.checking.session import session
from utils.checking.trial import check, trial_of
from utils.checking.wording import Difference, kind, short
from utils.running.records import Record

SAME_POWER = 0.2  # by how much the powers of two counts may differ, where one mistake makes them


@check
def check_draws(
    component: Any,
    *arguments: Any,
    want: Float[Tensor, " d_vocab"],
    times: int = MOST_DRAWS,
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
    trial = trial_of(arguments, options | {"times": times, "drawn": True})
    record = _viewed(trial.run(component), view)
    odd = [one for one in record.outputs if type(one) is not int or not 0 <= one < len(want)]
    if odd:
        raise mismatch(
            component,
            trial.question,
            record,
            _not_an_index(odd[0], len(want)),
            lambda other: _same_kind(odd[0], _viewed(other, view), len(want)),
            advice=NO_RETURN if odd[0] is None else None,
        )
    limit = limit_of(len(want))
    counts = counts_of(record.outputs, len(want))
    surprise = times * divergence(counts / times, want.double())
    worst, largest = int(surprise.argmax()), _surprise(counts, want.double())
    if largest > limit:
        often = f"index {worst} was drawn {int(counts[worst])} times in {times}, expected about"
        difference = Difference((f"{often} {float(times * want[worst]):.0f}",), largest / limit)
        raise mismatch(
            component,
            trial.question,
            record,
            difference,
            lambda other: _apart(counts, _viewed(other, view), limit, want.double()),
            advice=share_clue(counts, want.double()),
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


def _apart(counts: Tensor, other: Record, limit: float, want: Tensor) -> Distance:
    """How surprising it would be that both draw from one distribution; infinite beyond the limit, and for right draws.

    Two samples are harder to tell apart than one from `want`: what draws rightly here can look like a cause, and so can
    another power of the probabilities, or what is none.
    """
    if not are_indices(other.outputs, len(counts)):
        return math.inf
    theirs = counts_of(other.outputs, len(counts))
    powers = [power_of(one, want) or 0.0 for one in (counts, theirs)]
    if abs(powers[0] - powers[1]) > SAME_POWER * powers[0]:
        return math.inf
    surprise = surprise_of_both(counts, theirs)
    return surprise if surprise <= limit < _surprise(theirs, want) else math.inf


def _surprise(counts: Tensor, want: Tensor) -> float:
    return float((counts.sum() * divergence(counts / counts.sum(), want)).max())


def _same_kind(odd: Any, other: Record, size: int) -> Distance:
    if type(odd) is int:
        beyond = [one for one in other.outputs if type(one) is int and (one < 0 if odd < 0 else one >= size)]
        return 0.0 if beyond else math.inf
    return 0.0 if any(_form(one) == _form(odd) for one in other.outputs[:1]) else math.inf


def _form(odd: Any) -> tuple[Any, ...]:
    """What tells wrong answers apart: a token in a tensor from a whole text, one as a float from a probability."""
    one_number = odd.numel() == 1 if isinstance(odd, Tensor) else isinstance(odd, float) and odd.is_integer()
    return kind(odd), type(odd), one_number
