"""When two values count as the same: every measure of it that the judge uses, each with its reason.

All but the shares are errors relative to the largest number that is due, where that is above 1. float32 holds about
seven digits, and each step of a computation may lose a part of the last.
"""

import math
from typing import Any

import torch
from torch import Tensor

from judge.checking.measuring import absolute_tolerance, distance

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
