"""How two tensors differ, so that a tired person sees what to look for: shapes, dtypes, amount, place, pattern."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from judge.checking.likeness import absolute_tolerance, distance, error_over_tolerance
from judge.checking.wording import UNNAMED, Difference, at, count, number, sized, told_apart
from judge.running.on_demand import Tensor, torch

Sizes = list[tuple[str, int]]  # each axis's name and size, in order


def shape_difference(got: Tensor, sizes: Sizes) -> Difference | None:
    """None when the tensor has these named sizes, else which axis is at fault."""
    shape = list(got.shape)
    want = [size for _, size in sizes]
    if shape == want:
        return None
    named = sized(want, [name for name, _ in sizes])
    heading = f"got shape {shape}, expected {named}"
    return Difference((heading, _shape_reason(shape, sizes)))


def _shape_reason(got: list[int], sizes: Sizes) -> str:
    if other_order := _other_order(got, sizes):
        return other_order
    more = len(got) - len(sizes)
    if more == 0:
        return _wrong_sizes(got, sizes)
    if more > 0:
        return f"{count(more, 'axis', 'axes')} too many"
    if merged := _merged(got, sizes):
        return merged
    missing = [name for name, size in sizes if size not in got]
    if len(missing) == -more:
        return f"missing: {', '.join(missing)}"
    return f"{count(-more, 'axis', 'axes')} too few"


def _other_order(got: list[int], sizes: Sizes) -> str | None:
    by_size = {size: name for name, size in sizes}
    all_differ = len(by_size) == len(sizes)
    if not all_differ or sorted(got) != sorted(by_size):
        return None
    names = " ".join(by_size[size] for size in got)
    return f"the axes are in another order: {names}"


def _wrong_sizes(got: list[int], sizes: Sizes) -> str:
    pairs = zip(sizes, got, strict=True)
    wrong = [f"{name} is {size}, not {due}" for (name, due), size in pairs if size != due]
    return "; ".join(wrong)


def _merged(got: list[int], sizes: Sizes) -> str | None:
    """Whether two axes that lie side by side are one."""
    want = [size for _, size in sizes]
    for index, ((first, one), (second, other)) in enumerate(pairwise(sizes)):
        merged = [*want[:index], one * other, *want[index + 2 :]]
        if got == merged and 1 not in (one, other):
            product = f"{one} × {other} = {one * other}"
            return f"{first} and {second} are merged into one axis of {product}"
    return None


def dtype_difference(got: Tensor, want: torch.dtype) -> Difference | None:
    """None when the dtype is the expected one."""
    if got.dtype == want:
        return None
    names = (str(dtype).removeprefix("torch.") for dtype in (got.dtype, want))
    return Difference(("the result is {}, expected {}".format(*names),))


# Of the largest error: the first such entry is shown, whichever way the last digit was rounded.
NEARLY = 0.999
# Indices of an axis that a line names.
MOST_NAMED = 4
# Below it what came is nothing beside what is due, and so no multiple of it.
NO_FACTOR = 1e-6
# Numbers that a pattern needs: fewer have one by accident.
FEWEST = 4


@dataclass(frozen=True)
class _Cut:
    """The part of a tensor that is looked at: the names of its axes, and where it begins along each."""

    axes: list[str]
    start: Sequence[int]

    def place(self, index: Sequence[int]) -> str:
        """A place in it, counted in the whole tensor."""
        return at([place + start for place, start in zip(index, self.start, strict=True)], self.axes)


def number_difference(
    got: Tensor, want: Tensor, axes: list[str], tolerance: float, start: Sequence[int] = ()
) -> Difference | None:
    """None when no number of a tensor of the right shape is too far from the expected one.

    `tolerance` is an absolute error, times the largest expected number if that is above 1. Where both are cut out of
    larger tensors, `start` is where the cut begins in these.
    """
    tolerance = absolute_tolerance(tolerance, want)
    error = _errors(got, want)
    wrong = error > tolerance
    if not wrong.any():
        return None
    cut = _Cut(axes, start or [0] * got.ndim)
    lines, more = list(_not_finite(got, want, cut)), list[str]()
    finite_error = torch.where(_odd(got, want), 0.0, error)
    if (finite_error > tolerance).any():
        lines.append(_worst(got, want, cut, finite_error, tolerance))
        more += _measured(float(finite_error.max()), tolerance)
    more += _pattern(got, want, wrong, cut, tolerance)
    over = error_over_tolerance(float(error.max()), tolerance)
    return Difference(tuple(lines), over, tuple(more))


def _errors(got: Tensor, want: Tensor) -> Tensor:
    """How far each number is off; infinitely where one of the two is no finite number, and not both the same."""
    same = (got == want) | (got.isnan() & want.isnan())
    error = (got.double() - want.double()).abs()
    error = error.nan_to_num(nan=math.inf, posinf=math.inf)
    return torch.where(same, 0.0, error)


def _odd(got: Tensor, want: Tensor) -> Tensor:
    """Where there is a NaN or an infinite number that should not be."""
    return (got.isnan() & ~want.isnan()) | (got.isinf() & ~want.isinf())


def _not_finite(got: Tensor, want: Tensor, cut: _Cut) -> Iterator[str]:
    """Lines about the NaN and infinite values that should not be."""
    for name, test in (("NaN", torch.isnan), ("infinite", torch.isinf)):
        odd = test(got) & ~test(want)
        amount = int(odd.sum())
        if not amount:
            continue
        first = indices(odd.nonzero()[0])
        if not first:
            yield f"the result is {name}, expected {number(want.item())}"
            return
        are = "is" if amount == 1 else "are"
        the_first = "" if amount == 1 else "the first "
        due = number(want[tuple(first)].item())
        yield f"{amount} of {odd.numel()} values {are} {name}, {the_first}at {cut.place(first)}: expected {due}"


def _measured(worst: float, tolerance: float) -> list[str]:
    """How far that is, and what is allowed, where it can be measured."""
    if not tolerance or math.isinf(worst):
        return []
    return [f"the largest difference is {number(worst)}; {number(tolerance)} is allowed"]


def _worst(got: Tensor, want: Tensor, cut: _Cut, error: Tensor, tolerance: float) -> str:
    """How many numbers are off, and the first of those that are furthest; of whole numbers the first."""
    wrong = error > tolerance
    index = _furthest(error, tolerance)
    numbers = told_apart(got[index].item(), want[index].item())
    said = "got {}, expected {}".format(*numbers)
    if not index:
        return said
    amount = int(wrong.sum())
    place = f"{cut.place(index)}: {said}"
    if amount == 1:
        return f"1 of {wrong.numel()} values differs, at {place}" if wrong.numel() > 1 else f"at {place}"
    which = "most at" if tolerance else "the first at"
    return f"{amount} of {wrong.numel()} values differ, {which} {place}"


def _furthest(error: Tensor, tolerance: float) -> tuple[int, ...]:
    """The first of the places that are furthest off; of whole numbers, which have no tolerance, the first."""
    least = NEARLY * float(error.max()) if tolerance else 0.0
    furthest = (error > tolerance) & (error >= least)
    return tuple(indices(furthest.nonzero()[0]))


def first_named(got: Tensor, want: Tensor, tolerance: float) -> tuple[int, ...] | None:
    """The place that `number_difference` names first: of a NaN, of an infinite number, or of the largest difference.

    None where nothing is wrong. `tolerance` is the absolute error that is allowed.
    """
    for test in (torch.isnan, torch.isinf):
        odd = test(got) & ~test(want)
        if odd.any():
            return tuple(indices(odd.nonzero()[0]))
    error = _errors(got, want)
    return _furthest(error, tolerance) if (error > tolerance).any() else None


def _pattern(got: Tensor, want: Tensor, wrong: Tensor, cut: _Cut, tolerance: float) -> list[str]:
    """One line about the form of the error where there is one: a factor, an offset, or only part of an axis."""
    enough = got.is_floating_point() and int(wrong.sum()) >= FEWEST
    finite = bool(got.isfinite().all() and want.isfinite().all())
    # Where 0 is due, a factor leaves the values right.
    factor = multiple_of(got, want) if enough and finite else 0.0
    if abs(factor) > NO_FACTOR and distance(got, (factor * want).to(got.dtype)) <= tolerance:
        return [f"every value is the expected one times {number(factor)}"]
    # The place of a single number is told already.
    partial = _partial(wrong, cut) if int(wrong.sum()) > 1 else []
    if partial:
        most = 2 * int(wrong.sum()) > wrong.numel()
        others = "" if most else "; elsewhere the values are right"
        return [f"all of them at {' and '.join(partial)}{others}"]
    if not enough or not finite:
        return []
    offset = float((got.double() - want.double()).mean())
    if distance(got, (want + offset).to(got.dtype)) <= tolerance:
        return [f"every value is the expected one plus {number(offset)}"]
    return []


def _partial(wrong: Tensor, cut: _Cut) -> list[str]:
    """The indices of each axis at which something is wrong, where that is not all of them."""
    found: list[str] = []
    places = wrong.nonzero(as_tuple=True)
    for name, index, size, start in zip(cut.axes, places, wrong.shape, cut.start, strict=False):
        there = sorted(set(indices(index)))
        if len(there) == size:
            continue
        listed = ", ".join(str(start + offset) for offset in there[:MOST_NAMED])
        more = " ..." if len(there) > MOST_NAMED else ""
        place = "index" if name == "..." or name.startswith(UNNAMED) else name
        of = f" of {name}" if name.startswith(UNNAMED) else ""
        found.append(f"{place} {listed}{more}{of}")
    return found


def indices(found: Tensor) -> list[int]:
    """The whole numbers of a tensor with one axis."""
    return found.numpy().tolist()


def multiple_of(got: Tensor, want: Tensor) -> float:
    """By what `want` is multiplied to come nearest to `got`, by least squares."""
    product = (got.double() * want.double()).sum()
    square = want.double().pow(2).sum()
    # Of zeros alone it is 0.
    return float(product / square.clamp_min(1e-30))
