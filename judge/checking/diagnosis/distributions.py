"""What a softmax leaves in numbers that are wrong for another reason too: along one axis they add up to 1."""

from torch import Tensor

from judge.checking.diagnosis.evidence import Evidence
from judge.checking.diagnosis.numbers import of_finite_numbers
from judge.checking.likeness import ANOTHER_WAY

# Numbers that add up to 1: of two, both would by accident sooner.
FEWEST = 3


@of_finite_numbers
def adds_up_to_1(got: Tensor, want: Tensor, evidence: Evidence) -> str | None:
    """For probabilities, or their logarithms, where scores are due, or probabilities along another axis."""
    if axis := _axis_of(got, want, evidence):
        if due := _axis_of(want, got, evidence):
            return f"Along {axis} the numbers add up to 1, and along {due} they should."
        return f"Along {axis} the numbers add up to 1, and should not: is there a softmax?"
    if axis := _axis_of(got.exp(), want.exp(), evidence):
        return f"Along {axis} the `exp` of the numbers adds up to 1, and should not: is there a log_softmax?"
    return None


def _axis_of(got: Tensor, want: Tensor, evidence: Evidence) -> str | None:
    """The first axis along which `got` are probabilities, and `want` are not."""
    sizes = enumerate(evidence.sizes)
    return next(
        (name for axis, (name, size) in sizes if size >= FEWEST and _are_shares(got, axis) > _are_shares(want, axis)),
        None,
    )


def _are_shares(numbers: Tensor, axis: int) -> bool:
    near_1 = (numbers.sum(dim=axis) - 1).abs() <= ANOTHER_WAY
    return bool((numbers >= 0).all() and near_1.all())
