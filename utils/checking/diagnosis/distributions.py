"""What a softmax leaves in numbers that are wrong for another reason too: along one axis they add up to 1."""

from torch import Tensor

from utils.checking.diagnosis.evidence import Evidence
from utils.checking.diagnosis.numbers import of_finite_numbers
from utils.checking.likeness import ANOTHER_WAY

# Numbers that add up to 1: of two, both would by accident sooner.
FEWEST = 3


@of_finite_numbers
def adds_up_to_1(got: Tensor, want: Tensor, evidence: Evidence) -> str | None:
    """For probabilities, or their logarithms, where scores are due, or probabilities along another axis."""
    due = _axes_of(want, evidence)
    if found := [name for name in _axes_of(got, evidence) if name not in due]:
        if due:
            there = f"along {found[0]}, and should along {due[0]}"
            return f"The numbers add up to 1 {there}: look at the `dim` of the softmax."
        return f"Along {found[0]} the numbers add up to 1, and should not: is there a softmax?"
    # Of probabilities `exp` would add up to more.
    found = [] if due or not (got <= 0).all() else _axes_of(got.exp(), evidence)
    if not found or found[0] in _axes_of(want.exp(), evidence):
        return None
    return f"Along {found[0]} the `exp` of the numbers adds up to 1, and should not: is there a log_softmax?"


def _axes_of(numbers: Tensor, evidence: Evidence) -> list[str]:
    """The axes along which these are probabilities."""
    if (numbers < 0).any():
        return []
    sums = [(name, numbers.sum(dim=axis)) for axis, (name, size) in enumerate(evidence.sizes) if size >= FEWEST]
    return [name for name, sum_ in sums if bool(((sum_ - 1).abs() <= ANOTHER_WAY).all())]
