"""How two tensors differ, said so that a tired person sees what to look for: shape, amount, worst place, pattern."""

import math
from itertools import pairwise

import torch
from torch import Tensor

from utils.checking.measuring import absolute_tolerance, distance, error_over_tolerance
from utils.checking.wording import Difference, at, count, number, told_apart

# Of the largest error: the first such entry is shown, whichever way the last digit was rounded
NEARLY = 0.999
# Each axis's name and size, in order
Sizes = list[tuple[str, int]]


def shape_difference(got: Tensor, sizes: Sizes) -> Difference | None:
    """None when the tensor has these named sizes, else which axis is at fault."""
    want = [size for _, size in sizes]
    if list(got.shape) == want:
        return None
    lines = [f"got shape {list(got.shape)}, expected {at(want, [name for name, _ in sizes])}"]
    lines += _shape_reason(list(got.shape), sizes)
    return Difference(tuple(lines))


def _shape_reason(got: list[int], sizes: Sizes) -> list[str]:
    want = [size for _, size in sizes]
    by_size = {size: name for name, size in sizes}
    if len(by_size) == len(sizes) and sorted(got) == sorted(want):
        return ["the axes are in another order: " + " ".join(by_size[size] for size in got)]
    if len(got) == len(want):
        wrong = [f"{name} is {size}, not {w}" for (name, w), size in zip(sizes, got, strict=True) if size != w]
        return ["; ".join(wrong)]
    if len(got) > len(want):
        return [f"{count(len(got) - len(want), 'axis', 'axes')} too many"]
    for index, ((first, one), (second, other)) in enumerate(pairwise(sizes)):
        if got == [*want[:index], one * other, *want[index + 2 :]] and 1 not in (one, other):
            return [f"{first} and {second} are merged into one axis of {one} × {other} = {one * other}"]
    missing = [name for name, size in sizes if size not in got]
    lacking = len(sizes) - len(got)
    if len(missing) == lacking:
        return [f"missing: {', '.join(missing)}"]
    return [f"{count(lacking, 'axis', 'axes')} too few"]


def dtype_difference(got: Tensor, want: torch.dtype) -> Difference | None:
    """None when the dtype is the expected one."""
    if got.dtype == want:
        return None
    names = [str(dtype).removeprefix("torch.") for dtype in (got.dtype, want)]
    return Difference((f"the result is {names[0]}, expected {names[1]}",))


def number_difference(
    got: Tensor,
    want: Tensor,
    axes: list[str],
    tolerance: float,
) -> Difference | None:
    """None when no number of a tensor of the right shape is too far from the expected one.

    `tolerance` is an absolute error, times the largest expected number if that is above 1.
    """
    tolerance = absolute_tolerance(tolerance, want)
    error = (got.double() - want.double()).abs()
    same_odd = (got == want) | (got.isnan() & want.isnan())
    error = torch.where(same_odd, 0.0, error.nan_to_num(nan=math.inf, posinf=math.inf))
    wrong = error > tolerance
    if not wrong.any():
        return None
    lines, explained = _not_finite(got, want, axes)
    unexplained = torch.where(explained, 0.0, error)
    if (unexplained > tolerance).any():
        most = float(unexplained.max())
        worst = tuple((unexplained >= NEARLY * most).nonzero()[0].tolist())
        lines.append(_amount(wrong, most, tolerance))
        where = f"at {at(list(worst), axes)}: " if worst else ""
        numbers = told_apart(got[worst].item(), want[worst].item())
        lines.append("{}got {}, expected {}".format(where, *numbers))
    lines += _pattern(got, want, wrong, axes, tolerance)
    largest = float(error.max()) if error.numel() else 0.0
    return Difference(tuple(lines), error_over_tolerance(largest, tolerance))


def _amount(wrong: Tensor, worst: float, tolerance: float) -> str:
    amount = f"{int(wrong.sum())} of {wrong.numel()} values {'differs' if wrong.sum() == 1 else 'differ'}"
    return f"{amount}, by up to {number(worst)} (allowed {number(tolerance)})" if tolerance else amount


def _not_finite(got: Tensor, want: Tensor, axes: list[str]) -> tuple[list[str], Tensor]:
    """Lines about the NaN and infinite values that should not be, and where these are."""
    lines, explained = [], torch.zeros_like(got, dtype=torch.bool)
    for name, test in (("NaN", torch.isnan), ("infinite", torch.isinf)):
        odd = test(got) & ~test(want)
        explained |= odd
        if odd.any():
            are = "is" if odd.sum() == 1 else "are"
            first = at(odd.nonzero()[0].tolist(), axes)
            lines.append(f"{int(odd.sum())} of {odd.numel()} values {are} {name}, the first at {first}")
    return lines, explained


def _pattern(
    got: Tensor,
    want: Tensor,
    wrong: Tensor,
    axes: list[str],
    tolerance: float,
) -> list[str]:
    """One line about the form of the error where there is one: a factor, an offset, or only part of an axis."""
    where = [index.unique().tolist() for index in wrong.nonzero(as_tuple=True)]
    partial = [
        f"{name} {', '.join(map(str, there[:4]))}{' ...' if len(there) > 4 else ''}"
        for name, there, size in zip(axes, where, wrong.shape, strict=False)
        if len(there) < size
    ]
    if partial:
        return [f"all of them at {' and '.join(partial)}; elsewhere the values are right"]
    if not got.isfinite().all() or not want.isfinite().all() or want.numel() < 4 or not got.is_floating_point():
        return []
    factor = float((got.double() * want.double()).sum() / want.double().pow(2).sum().clamp_min(1e-30))
    if distance(got, (factor * want).to(got.dtype)) <= tolerance and abs(factor) > 1e-6:
        return [f"every value is the expected one times {number(factor)}"]
    offset = float((got.double() - want.double()).mean())
    if distance(got, (want + offset).to(got.dtype)) <= tolerance:
        return [f"every value is the expected one plus {number(offset)}"]
    return []
