"""The small matrix of a wrong answer that a card shows beside the right one."""

from torch import Tensor

from judge.checking.diagnosis.evidence import Evidence
from judge.checking.likeness import ANOTHER_WAY
from judge.checking.measuring import absolute_tolerance
from judge.checking.pictures import Picture, Rows
from judge.checking.tensors import first_named
from judge.checking.wording import are_names, at

LARGEST = 8  # rows, and columns


def picture_of(evidence: Evidence) -> Picture | None:
    """The matrix, along the last two axes, of the place that the card names; None where it is long, or no matrix."""
    pair = evidence.same_form if evidence.about == "value" else None
    if pair is None or not _is_small(pair[1]):
        return None
    got, want = (one.double() for one in pair)
    allowed = absolute_tolerance(evidence.tolerance or ANOTHER_WAY, want)
    named = first_named(got, want, allowed)
    if named is None:
        return None
    before = list(named[:-2])
    place = tuple(before)
    wrong = _wrong(got[place], want[place], allowed)
    axes = evidence.axes
    rows, columns = axes[-2:] if are_names(axes) else ("row", "column")
    return Picture(
        at(before, axes[:-2]) if before else "", rows, columns, _rows(want[place]), _rows(got[place]), _flags(wrong)
    )


def _is_small(want: Tensor) -> bool:
    if want.ndim < 2:
        return False
    return 1 < min(want.shape[-2:]) and max(want.shape[-2:]) <= LARGEST


def _wrong(got: Tensor, want: Tensor, allowed: float) -> Tensor:
    same = (got == want) | (got.isnan() & want.isnan())
    near = (got - want).abs() <= allowed
    return ~(same | near)


def _rows(matrix: Tensor) -> Rows:
    lines: list[list[float]] = matrix.numpy().tolist()
    return tuple(map(tuple, lines))


def _flags(matrix: Tensor) -> tuple[tuple[bool, ...], ...]:
    lines: list[list[bool]] = matrix.numpy().tolist()
    return tuple(map(tuple, lines))
