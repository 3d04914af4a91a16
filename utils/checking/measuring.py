"""How far two values are apart: the numbers behind a comparison."""

import math
from typing import Any

import torch
from torch import Tensor


def distance(got: Tensor, other: Tensor) -> float:
    """The largest difference between two tensors: infinite for other shapes or dtypes; NaN is no way from NaN."""
    if got.shape != other.shape or got.dtype != other.dtype:
        return math.inf
    same = (got == other) | (got.isnan() & other.isnan())
    error = torch.where(same, 0.0, (got.double() - other.double()).abs().nan_to_num(nan=math.inf))
    return float(error.max()) if error.numel() else 0.0


def equal(got: Any, want: Any) -> bool:
    """Whether two values of a Record are the same and of one type; NaN is the same as NaN."""
    if type(got) is not type(want):
        return False
    if isinstance(want, Tensor):
        return distance(got, want) == 0.0
    if isinstance(want, (list, tuple)):
        return len(got) == len(want) and all(map(equal, got, want))
    if isinstance(want, dict):
        return got.keys() == want.keys() and all(equal(got[key], want[key]) for key in want)
    return got == want or (got != got and want != want)


def error_ratio(got: Tensor, want: Tensor, allowed: float) -> float:
    """The largest error over the allowed one: how close a passing value came to failing."""
    return ratio((got.double() - want.double()).abs().nan_to_num(0.0), scaled(allowed, want))


def scaled(allowed: float, want: Tensor) -> float:
    """What may be allowed at the size of the expected values; nothing for whole numbers, such as tokens."""
    return allowed * max(1.0, _largest(want)) if want.is_floating_point() else 0.0


def ratio(error: Tensor, allowed: float) -> float:
    """The largest error over the allowed one."""
    worst = float(error.max()) if error.numel() else 0.0
    if not allowed:
        return math.inf if worst else 0.0
    return worst / allowed


def _largest(want: Tensor) -> float:
    size = want.double().abs().nan_to_num(nan=0.0, posinf=0.0)
    return float(torch.where(size < 1e30, size, 0.0).max()) if want.numel() else 0.0
