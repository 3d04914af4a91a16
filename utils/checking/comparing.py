"""How two values differ, said so that a tired person sees what to look for: shape, amount, place, pattern."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from utils.checking.measuring import distance, equal, ratio, scaled
from utils.running.records import Opaque


@dataclass(frozen=True)
class Difference:
    """What to say about two values that differ; `ratio` is the largest error over the allowed one."""

    lines: tuple[str, ...]
    ratio: float = math.inf


def number(value: float) -> str:
    """A number as a card shows it: four decimals, or the exponent form where these would say nothing."""
    if isinstance(value, int):
        return str(value)
    if value != value or math.isinf(value):
        return {"nan": "NaN"}.get(str(value), str(value))
    return f"{value:.4f}" if value == 0 or 1e-3 <= abs(value) < 1e4 else f"{value:.3g}"


def place(index: list[int], axes: str) -> str:
    """An index with axis names: `[batch 0, pos 3, d_model 1]`."""
    names = axes.split()
    if len(names) != len(index):
        return str(index)
    return "[" + ", ".join(f"{name} {i}" for name, i in zip(names, index, strict=True)) + "]"


def shape_difference(got: Any, sizes: dict[str, int]) -> Difference | None:
    """None when `got` is a tensor of these named sizes, else what it is instead and which axis is at fault."""
    if not isinstance(got, Tensor):
        what = "None: is there a `return`?" if got is None else f"{_kind(got)}, not a tensor"
        return Difference((f"the result is {what}",))
    if tuple(got.shape) == tuple(sizes.values()):
        return None
    lines = [f"got shape {list(got.shape)}, expected {place(list(sizes.values()), ' '.join(sizes))}"]
    unique = len(set(sizes.values())) == len(sizes)
    if unique and sorted(got.shape) == sorted(sizes.values()):
        by_size = {size: name for name, size in sizes.items()}
        lines.append("the axes are in another order: " + " ".join(by_size[size] for size in got.shape))
    elif got.ndim < len(sizes):
        missing = [name for name, size in sizes.items() if size not in got.shape]
        lacking = len(sizes) - got.ndim
        lines.append(f"missing: {', '.join(missing)}" if len(missing) == lacking else f"{_axes(lacking)} too few")
    elif got.ndim == len(sizes):
        wrong = [f"{name} is {g}, not {w}" for (name, w), g in zip(sizes.items(), got.shape, strict=True) if g != w]
        lines.append("; ".join(wrong))
    else:
        lines.append(f"{_axes(got.ndim - len(sizes))} too many")
    return Difference(tuple(lines))


def dtype_difference(got: Tensor, want: torch.dtype) -> Difference | None:
    """None when the dtype is the expected one."""
    if got.dtype == want:
        return None
    names = [str(dtype).removeprefix("torch.") for dtype in (got.dtype, want)]
    return Difference((f"the result is {names[0]}, expected {names[1]}",))


def tensor_difference(got: Tensor, want: Tensor, axes: str, allowed: float) -> Difference | None:
    """None when no value is further than `allowed` (times the largest expected value, if above 1) from the expected."""
    allowed = scaled(allowed, want)
    error = (got.double() - want.double()).abs()
    same_odd = (got == want) | (got.isnan() & want.isnan())
    error = torch.where(same_odd, 0.0, error.nan_to_num(nan=math.inf))
    wrong = error > allowed
    if not wrong.any():
        return None
    lines, told = _not_finite(got, want, axes)
    untold = wrong & ~told
    if untold.any():
        lines.append(_amount(wrong, error[untold].max().item(), allowed))
        first = tuple(untold.nonzero()[0].tolist())
        where = f"at {place(list(first), axes)}: " if first else ""
        lines.append("{}got {}, expected {}".format(where, *_told_apart(got[first].item(), want[first].item())))
    lines.extend(_pattern(got, want, wrong, axes, allowed))
    return Difference(tuple(lines), ratio(error, allowed))


def value_difference(got: Any, want: Any, axes: str, allowed: float) -> Difference | None:
    """None when a tensor has the expected shape, dtype and values, or when a plain value is equal."""
    if not isinstance(want, Tensor):
        return plain_difference(got, want)
    names = axes.split() if len(axes.split()) == want.ndim else [f"axis {index}" for index in range(want.ndim)]
    return (
        shape_difference(got, dict(zip(names, want.shape, strict=True)))
        or dtype_difference(got, want.dtype)
        or tensor_difference(got, want, axes, allowed)
    )


def plain_difference(got: Any, want: Any) -> Difference | None:
    """None when two plain values (int, str, list, ...) are equal and of one type."""
    if equal(got, want):
        return None
    if isinstance(got, (list, tuple, str, bytes)) and type(got) is type(want):
        pairs = [(got[i : i + 1], want[i : i + 1]) for i in range(min(len(got), len(want)))]
        index = next((i for i, pair in enumerate(pairs) if not equal(*pair)), len(pairs))
        lines = [f"got {_short(got)}", f"expected {_short(want)}", f"they first differ at index {index}"]
        if index < len(pairs):
            lines[-1] += f": got {_short(got[index])}, expected {_short(want[index])}"
        if len(got) != len(want):
            lines.append(f"got length {len(got)}, expected {len(want)}")
        return Difference(tuple(lines))
    return Difference((f"got {_short(got)} ({_kind(got)}), expected {_short(want)} ({_kind(want)})",))


def _kind(value: Any) -> str:
    return value.type if isinstance(value, Opaque) else type(value).__name__


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 100 else text[:97] + "..."


def _axes(count: int) -> str:
    return "1 axis" if count == 1 else f"{count} axes"


def _amount(wrong: Tensor, worst: float, allowed: float) -> str:
    amount = f"{int(wrong.sum())} of {wrong.numel()} values differ"
    return f"{amount}, by up to {number(worst)} (allowed {number(allowed)})" if allowed else amount


def _told_apart(got: float, want: float) -> tuple[str, str]:
    """Two unequal numbers with as many digits as it takes to see that they are."""
    said = number(got), number(want)
    return said if said[0] != said[1] else (f"{got:.9g}", f"{want:.9g}")


def _not_finite(got: Tensor, want: Tensor, axes: str) -> tuple[list[str], Tensor]:
    """Lines about the NaN and infinite values that should not be, and where these are."""
    lines, told = [], torch.zeros_like(got, dtype=torch.bool)
    for name, test in (("NaN", torch.isnan), ("infinite", torch.isinf)):
        odd = test(got) & ~test(want)
        told |= odd
        if odd.any():
            count, first = int(odd.sum()), odd.nonzero()[0].tolist()
            lines.append(f"{count} of {odd.numel()} values are {name}, the first at {place(first, axes)}")
    return lines, told


def _pattern(got: Tensor, want: Tensor, wrong: Tensor, axes: str, allowed: float) -> list[str]:
    """One line about the shape of the error where there is one: a factor, an offset, or only part of an axis."""
    where = [index.unique().tolist() for index in wrong.nonzero(as_tuple=True)]
    partial = [
        f"{name} {', '.join(map(str, there[:4]))}{' ...' if len(there) > 4 else ''}"
        for name, there, size in zip(axes.split(), where, wrong.shape, strict=False)
        if len(there) < size
    ]
    if partial:
        return [f"all of them at {' and '.join(partial)}; elsewhere the values are right"]
    if not got.isfinite().all() or want.numel() < 4:
        return []
    factor = float((got.double() * want.double()).sum() / want.double().pow(2).sum().clamp_min(1e-30))
    if distance(got, factor * want) <= allowed and abs(factor) > 1e-6:
        return [f"every value is the expected one times {number(factor)}"]
    offset = float((got.double() - want.double()).mean())
    if distance(got, want + offset) <= allowed:
        return [f"every value is the expected one plus {number(offset)}"]
    return []
