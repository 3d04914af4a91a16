"""How far two values are apart: the numbers behind a comparison."""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from utils.running.records import Array


def distance(got: Any, other: Any) -> float:
    """The largest difference between two values, within nests too; infinite where form, type or words differ.

    NaN is no way from NaN; a dtype that differs, or the type of a plain value, is infinitely far.
    """
    if isinstance(got, Array) and isinstance(other, Array):
        return distance(got.tensor, other.tensor)
    if isinstance(got, Tensor) and isinstance(other, Tensor):
        return _tensor_distance(got, other)
    if type(got) is not type(other):
        return math.inf
    if isinstance(got, float):
        return 0.0 if got == other or (got != got and other != other) else _finite(abs(got - other))
    if isinstance(got, (list, tuple)):
        return max(map(distance, got, other), default=0.0) if len(got) == len(other) else math.inf
    if isinstance(got, dict):
        if got.keys() != other.keys():
            return math.inf
        return max((distance(got[key], other[key]) for key in got), default=0.0)
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
    if isinstance(want, Array):
        want = want.tensor
    if isinstance(want, Tensor) and not want.is_floating_point():
        return 0.0
    return tolerance * max(1.0, largest(want))


def error_over_tolerance(error: float, tolerance: float) -> float:
    """How many times the tolerance an error is; with no tolerance any error is infinitely many."""
    if not tolerance:
        return math.inf if error else 0.0
    return error / tolerance


def _tensor_distance(got: Tensor, other: Tensor) -> float:
    if got.shape != other.shape or got.dtype != other.dtype:
        return math.inf
    same = (got == other) | (got.isnan() & other.isnan())
    error = torch.where(
        same,
        0.0,
        (got.double() - other.double()).abs().nan_to_num(nan=math.inf, posinf=math.inf),
    )
    return float(error.max()) if error.numel() else 0.0


def _finite(error: float) -> float:
    return math.inf if error != error else error


def _sizes(value: Any) -> Iterator[float]:
    if isinstance(value, Array):
        value = value.tensor
    if isinstance(value, Tensor):
        size = value.double().abs().nan_to_num(nan=0.0, posinf=0.0)
        yield float(torch.where(size < 1e30, size, 0.0).max()) if value.numel() else 0.0
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _sizes(item)
    elif isinstance(value, dict):
        yield from _sizes(list(value.values()))
    elif isinstance(value, float) and math.isfinite(value):
        yield abs(value)
