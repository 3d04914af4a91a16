"""When two values count as the same: every measure of it that the judge uses, each with its reason.

All but the shares are errors relative to the largest number that is due, where that is above 1. float32 holds about
seven digits, and each step of a computation may lose a part of the last.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from judge.running.on_demand import Tensor, torch
from judge.running.records import Array, LearnerError
from judge.running.values import is_list_or_tuple, is_mapping

# The same computation once more: only threads may have added in another order.
REPEATED = 1e-6
# The same sums in another order, as of one index alone and of the same among others.
REORDERED = 1e-5
# The same formula computed by other steps; what clues, causes and repairs take for right.
ANOTHER_WAY = 1e-4
# What a card's digits show: whatever differs by less plays no part that could be seen.
VISIBLE = 1e-3
# Of the learner's error, what a cause may leave unexplained where the check failed.
EXPLAINED = 0.01
# The same on other questions, where the mistake adds to roundings of another size.
EXPLAINED_ELSEWHERE = 0.05

# How often draws of one distribution may be taken for draws of two.
# By a check, which must not refuse what is right.
FALSE_ALARMS = 1e-6
# By a look at few draws, after which a cause is not tried any more.
FIRST_LOOK = 1e-4
# By a clue: the distribution that it speaks of must fit well, or nothing is said.
CLUE = 1e-2
# By the gate before a repair is judged whole: the search goes on to the next one.
QUICK_GATE = 0.05


def near(got: Any, want: Any, tolerance: float) -> bool:
    """Whether two values, of one form, differ by no more than this, at the size of what is due."""
    return distance(got, want) <= absolute_tolerance(tolerance, want)


def alike(got: Tensor, want: Tensor) -> bool:
    """Whether these are the same numbers, whatever their dtypes."""
    if got.shape != want.shape:
        return False
    return near(got.to(want.dtype), want, ANOTHER_WAY)


def alike_stacked(tensors: list[Tensor], want: Tensor) -> bool:
    """Whether tensors of one shape hold the same numbers, one after the other."""
    shapes = {item.shape for item in tensors}
    return len(shapes) == 1 and alike(torch.stack(tensors), want)


def unexplained(theirs: Any, mine: Any, right: Any, tolerance: float, share: float) -> float:
    """How far a cause's answer is from the learner's; infinite where that is too much to call them the same.

    It is little beside the tolerance, or beside the learner's error. `right` is None where no error is known.
    """
    far = distance(mine, theirs)
    if math.isinf(far):
        return far
    error = math.inf if right is None else distance(mine, right)
    allowed = absolute_tolerance(tolerance, mine)
    if math.isfinite(error):
        allowed = max(allowed, share * error)
    return far if far <= allowed else math.inf


# How far another record is from the learner's: 0 is the same, infinity is another thing.
Distance = float
# Numbers above this stand for infinity, as masked scores do: they are no measure.
HUGE = 1e30
# "This BatchTracer with object id 139 was created on line:" and the line, in messages of JAX.
OF_ONE_RUN = re.compile(r"\nThis \w+ with object id \d+ was created on line:\n[^\n]*")
Keyed = Mapping[Any, Any]


def distance(got: Any, other: Any) -> float:
    """The largest difference between two values, within nests too; infinite where form, type or words differ.

    NaN is no way from NaN; a dtype that differs, or the type of a plain value, is infinitely far.
    """
    if isinstance(got, Tensor) and isinstance(other, Tensor):
        return _tensor_distance(got, other)
    if type(got) is not type(other):
        return math.inf
    if isinstance(got, Array):
        return _tensor_distance(got.tensor, other.tensor) if got.of == other.of else math.inf
    if isinstance(got, float):
        return _float_distance(got, other)
    if isinstance(got, (list, tuple)):
        return _sequence_distance(got, other)
    if is_mapping(got):
        return _dict_distance(got, other)
    return 0.0 if got == other else math.inf


def equal(got: Any, want: Any) -> bool:
    """Whether two values of a Record are the same and of one type; NaN is the same as NaN."""
    return distance(got, want) == 0.0


def largest(value: Any) -> float:
    """The largest finite number in a value, within nests too, without its sign."""
    return max(_sizes(value), default=0.0)


def absolute_tolerance(tolerance: float, want: Any) -> float:
    """The tolerance at the size of the expected value: times its largest number where that is above 1.

    Nothing for tensors of whole numbers, such as tokens.
    """
    numbers = want.tensor if isinstance(want, Array) else want
    if isinstance(numbers, Tensor) and not numbers.is_floating_point():
        return 0.0
    return tolerance * max(1.0, largest(numbers))


def error_over_tolerance(error: float, tolerance: float) -> float:
    """How many times the tolerance an error is; with no tolerance any error is infinitely many."""
    if tolerance:
        return error / tolerance
    return math.inf if error else 0.0


def _tensor_distance(got: Tensor, other: Tensor) -> float:
    if got.shape != other.shape or got.dtype != other.dtype:
        return math.inf
    error = (got.double() - other.double()).abs()
    error = error.nan_to_num(nan=math.inf, posinf=math.inf)
    same = (got == other) | (got.isnan() & other.isnan())
    error = torch.where(same, 0.0, error)
    return float(error.max()) if error.numel() else 0.0


def _float_distance(got: float, other: float) -> float:
    both_nan = math.isnan(got) and math.isnan(other)
    if got == other or both_nan:
        return 0.0
    error = abs(got - other)
    return math.inf if math.isnan(error) else error


def _sequence_distance(got: Any, other: Any) -> float:
    if len(got) != len(other):
        return math.inf
    return max(map(distance, got, other), default=0.0)


def _dict_distance(got: Keyed, other: Keyed) -> float:
    if got.keys() != other.keys():
        return math.inf
    return max((distance(got[key], other[key]) for key in got), default=0.0)


def _sizes(value: Any) -> Iterator[float]:
    """The finite numbers of a value, without their signs; of a tensor the largest."""
    if isinstance(value, Array):
        yield _largest_of(value.tensor)
    elif isinstance(value, Tensor):
        yield _largest_of(value)
    elif is_list_or_tuple(value):
        for item in value:
            yield from _sizes(item)
    elif is_mapping(value):
        for item in value.values():
            yield from _sizes(item)
    elif isinstance(value, float) and math.isfinite(value):
        yield abs(value)


def _largest_of(value: Tensor) -> float:
    if not value.numel():
        return 0.0
    size = value.double().abs().nan_to_num(nan=0.0, posinf=0.0)
    return float(torch.where(size < HUGE, size, 0.0).max())


def error_in_short(error: LearnerError | None) -> tuple[str, str] | None:
    """The type of an error and its message, without the objects and places of one run, which JAX tells of tracers."""
    return (error.type, OF_ONE_RUN.sub("", error.message)) if error else None
