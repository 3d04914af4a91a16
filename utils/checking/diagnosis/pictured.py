"""The small matrix of a wrong answer that a card shows beside the right one."""

from torch import Tensor

from utils.checking.diagnosis.evidence import Evidence
from utils.checking.likeness import ANOTHER_WAY
from utils.checking.measuring import absolute_tolerance
from utils.checking.pictures import Picture, Rows
from utils.checking.tensors import indices
from utils.checking.wording import are_names, at

LARGEST = 8  # rows, and columns


def picture_of(evidence: Evidence) -> Picture | None:
    """The first wrong matrix, along the last two axes; None where these are too long, or it is no matrix."""
    pair = evidence.same_form if evidence.about == "value" else None
    if pair is None or not _is_small(pair[1]):
        return None
    got, want = (one.double() for one in pair)
    wrong = _wrong(got, want, evidence.tolerance or ANOTHER_WAY)
    if not wrong.any():
        return None
    before = indices(wrong.nonzero()[0])[:-2]
    place = tuple(before)
    axes = evidence.axes
    rows, columns = axes[-2:] if are_names(axes) else ("row", "column")
    return Picture(
        at(before, axes[:-2]) if before else "",
        rows,
        columns,
        _rows(want[place]),
        _rows(got[place]),
        _flags(wrong[place]),
    )


def _is_small(want: Tensor) -> bool:
    if want.ndim < 2:
        return False
    return 1 < min(want.shape[-2:]) and max(want.shape[-2:]) <= LARGEST


def _wrong(
    got: Tensor,
    want: Tensor,
    tolerance: float,
) -> Tensor:
    same = (got == want) | (got.isnan() & want.isnan())
    allowed = absolute_tolerance(tolerance, want)
    near = (got - want).abs() <= allowed
    return ~(same | near)


def _rows(matrix: Tensor) -> Rows:
    lines: list[list[float]] = matrix.numpy().tolist()
    return tuple(map(tuple, lines))


def _flags(matrix: Tensor) -> tuple[tuple[bool, ...], ...]:
    lines: list[list[bool]] = matrix.numpy().tolist()
    return tuple(map(tuple, lines))
