"""What right numbers say that stand at the wrong place: of one index everywhere, or of each at another.

Each clue is proved on the numbers before it is given, and takes them as `Evidence.finite` has them.
"""

import math

import torch
from torch import Tensor

from judge.checking.diagnosis.evidence import Evidence
from judge.checking.diagnosis.numbers import of_finite_numbers
from judge.checking.likeness import ANOTHER_WAY, alike
from judge.checking.measuring import absolute_tolerance
from judge.checking.wording import at

# Vectors that are searched for: each is compared with all the others.
MOST_VECTORS = 200
# Different vectors that are needed: of two, each is the other's, whatever went wrong.
FEWEST_VECTORS = 3


@of_finite_numbers
def of_one_index(got: Tensor, want: Tensor, evidence: Evidence) -> str | None:
    """Where all indices of an axis have what is due at one of them alone."""
    for axis, (name, size) in enumerate(evidence.sizes[:-1]):
        first = got.select(axis, 0)
        same = [index for index in range(size) if alike(first, want.select(axis, index))]
        if size < FEWEST_VECTORS or len(same) != 1 or not alike(got, first.unsqueeze(axis).expand_as(got)):
            continue
        advice = "Look for what is the same for all of them, such as an index that never moves on"
        if same[0] == size - 1:
            advice += ", or a loop that keeps its last result, or for a part that should hide what comes later"
        return f"Every index of {name} has what is due at {name} {same[0]} alone. {advice}."
    return None


@of_finite_numbers
def moved(got: Tensor, want: Tensor, evidence: Evidence) -> str | None:
    """Where each vector along the last axis is one of the expected ones, but at another place."""
    # Single numbers are alike by accident.
    if got.ndim < 2 or got.shape[-1] < 2:
        return None
    rows, expected = (one.reshape(-1, one.shape[-1]) for one in (got, want))
    if len(rows) > MOST_VECTORS or _n_distinct(expected) < FEWEST_VECTORS:
        return None
    apart = torch.cdist(rows.double(), expected.double(), p=math.inf)
    near = apart <= absolute_tolerance(ANOTHER_WAY, want)
    in_place = near.diagonal()
    if not near.any(dim=1).all() or in_place.all():
        return None
    first = int((~in_place).nonzero()[0])
    owner = int(near[first].nonzero()[0])
    there, its = (_place(index, evidence) for index in (first, owner))
    return f"Each vector is one of the expected ones, but not always its own: {there} has the one of {its}."


def _n_distinct(rows: Tensor) -> int:
    return len({tuple(row) for row in rows.detach().double().numpy()})


def _place(index: int, evidence: Evidence) -> str:
    """Where the vector of this number stands, for a reader."""
    shape = tuple(size for _, size in evidence.sizes[:-1])
    where = torch.unravel_index(torch.tensor(index), shape)
    return at([int(one) for one in where], evidence.axes[:-1])
