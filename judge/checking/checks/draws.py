"""The check that draws come as often as their probabilities say, by an exact bound."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from judge.checking.answer import answered, check
from judge.checking.counts import (
    GROUP,
    MOST_DRAWS,
    are_indices,
    counts_of,
    is_index,
    limit_of,
    regularity,
    surprise_of_both,
    surprises,
)
from judge.checking.evidence import Evidence
from judge.checking.likeness import ANOTHER_WAY, Distance
from judge.checking.places import calling_place
from judge.checking.session import Session
from judge.checking.trial import trial_of
from judge.checking.wording import Difference, kind, short
from judge.running.on_demand import Float, Tensor
from judge.running.records import Record

View = Callable[[Any], Any]
# By how much the powers of two counts may differ, where one mistake makes them.
SAME_POWER = 0.2
SHORT = 60  # characters of what is no index


@check
def check_draws(
    session: Session,
    component: Any,
    *arguments: Any,
    want: Float[Tensor, " d_vocab"],
    times: int = MOST_DRAWS,
    view: View = lambda answer: answer,
    **options: Any,
) -> None:
    """Draws come as often as `want` says, the probability of each index (sum 1), neither too evenly nor in runs.

    `times` are drawn. `view` finds the index in an answer that is none itself, such as the last token of a text.

    That they follow one another more evenly than chance, or less (`regularity`), shows where calls are counted.

    The bound is `limit_of`'s: with t = ln(2(d + 1) / 1e-6) over d indices and the order in which they come, a right
    answer is refused in less than one of a million tests. What the check can see is for the test's author to prove by
    misconceptions: spread the logits, and permute them.
    """
    if abs(float(want.sum()) - 1) > ANOTHER_WAY:
        message = f"want= adds up to {float(want.sum()):.4g}; it is the probability of each index, and adds up to 1."
        raise calling_place().mistake(message)
    size, p = len(want), want.double()
    answer = answered(trial_of(session, arguments, options | {"times": times, "drawn": True}), component)
    drawn = _viewed(answer.record, view)
    odd = [output for output in drawn.outputs if not is_index(output, size)]
    if odd:
        raise answer.mismatch(
            _not_an_index(odd[0], size),
            Evidence("index", odd[0]),
            lambda other: _same_kind(odd[0], _viewed(other, view), size),
            lambda record: _viewed(record, view).outputs,
        )
    limit, counts = limit_of(size + 1), counts_of(drawn.outputs, size)
    surprise = surprises(counts, p)
    largest = float(surprise.max())
    if largest > limit:
        worst = int(surprise.argmax())
        often = f"index {worst} was drawn {int(counts[worst])} times in {times}, expected about"
        raise answer.mismatch(
            Difference((f"{often} {float(times * want[worst]):.0f}",), largest / limit),
            Evidence("draws", counts, p),
            lambda other: _apart(counts, _viewed(other, view), p),
            lambda record: _viewed(record, view).outputs,
        )
    variation, surprise_in_order = regularity(drawn.outputs, p)
    if surprise_in_order > limit:
        less = "less" if variation < 1 else "more"
        said = f"neighbouring draws are too {'even' if variation < 1 else 'uneven'}: groups of {GROUP} differ {less}"
        raise answer.mismatch(
            Difference((f"{said} than chance makes them, by a factor of {max(variation, 1 / variation):.1f}",)),
            Evidence(),
            lambda other: _as_regular(variation, _viewed(other, view), p),
            lambda record: _viewed(record, view).outputs,
        )
    session.close_call(max(largest, surprise_in_order) / limit)


def _as_regular(variation: float, other: Record, p: Tensor) -> Distance:
    """0 where the other's draws are too even as well, or too uneven as well."""
    if not are_indices(other.outputs, len(p)):
        return math.inf
    theirs, _ = regularity(other.outputs, p)
    return 0.0 if (theirs < 0.5 if variation < 1 else theirs > 2.0) else math.inf


def _viewed(record: Record, view: View) -> Record:
    """The record with what `view` makes of its outputs; of those that it can't look at, as they are."""
    return replace(record, outputs=[_seen(output, view) for output in record.outputs])


def _seen(answer: Any, view: View) -> Any:
    try:
        return view(answer)
    except Exception:
        return answer


def _not_an_index(odd: Any, size: int) -> Difference:
    wanted = f"expected an int from 0 to {size - 1}"
    if odd is None:
        return Difference((f"the result is None, {wanted}",))
    return Difference((f"got {short(odd, SHORT)} ({kind(odd)}), {wanted}",))


def _apart(counts: Tensor, other: Record, want: Tensor) -> Distance:
    """How surprising it would be that both draw from one distribution; infinite beyond the limit, and for right draws.

    Two samples are harder to tell apart than one from `want`: what draws rightly here can look like a cause, and so can
    another power of the probabilities, or what is none.
    """
    from judge.checking.diagnosis.shares import power_of  # as a failure alone needs it

    if not are_indices(other.outputs, len(counts)):
        return math.inf
    theirs = counts_of(other.outputs, len(counts))
    power, their_power = (power_of(draws, want) or 0.0 for draws in (counts, theirs))
    if abs(power - their_power) > SAME_POWER * power:
        return math.inf
    limit, surprise = limit_of(len(counts)), surprise_of_both(counts, theirs)
    right = float(surprises(theirs, want).max()) <= limit
    return math.inf if right or surprise > limit else surprise


def _same_kind(odd: Any, other: Record, size: int) -> Distance:
    """0 where the other record is no index in the same way."""
    if type(odd) is int:
        alike = any(_lies_beyond(output, odd, size) for output in other.outputs)
    else:
        alike = any(_form(output) == _form(odd) for output in other.outputs[:1])
    return 0.0 if alike else math.inf


def _lies_beyond(value: Any, odd: int, size: int) -> bool:
    """Whether this is an int beyond the same end."""
    if type(value) is not int:
        return False
    return value < 0 if odd < 0 else value >= size


def _form(odd: object) -> tuple[Any, ...]:
    """The form of a draw, which tells wrong answers apart: a token from a whole text, a float from a probability."""
    if isinstance(odd, Tensor):
        one_number = odd.numel() == 1
    else:
        one_number = isinstance(odd, float) and odd.is_integer()
    return kind(odd), type(odd), one_number
