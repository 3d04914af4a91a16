"""Nests of tensors, arrays and plain data: copied deeply, compared to the last bit, turned into NumPy's arrays."""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor


def copied(value: Any) -> Any:
    """A deep copy of tensors, arrays, lists, tuples and dicts; a copy of a leaf is in its graph."""
    if isinstance(value, Tensor):
        return value.clone()
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value) in (list, tuple):
        return type(value)(map(copied, value))
    return {key: copied(item) for key, item in value.items()} if type(value) is dict else value


def same(now: Any, before: Any) -> bool:
    """Whether two values are alike in type, form and every number; NaN is like NaN."""
    if type(now) is not type(before):
        return isinstance(now, Tensor) and isinstance(before, Tensor) and _same_tensor(now, before)
    if isinstance(now, Tensor):
        return _same_tensor(now, before)
    if isinstance(now, np.ndarray):
        return now.dtype == before.dtype and _same_tensor(torch.from_numpy(now), torch.from_numpy(before))
    if isinstance(now, (list, tuple)):
        return len(now) == len(before) and all(map(same, now, before))
    if isinstance(now, dict):
        return list(now) == list(before) and all(same(now[key], before[key]) for key in now)
    return bool(now == before) or now != now


def as_arrays(value: Any) -> Any:
    """The same nest with NumPy arrays in the place of tensors."""
    if isinstance(value, Tensor):
        return value.detach().numpy().copy()
    if type(value) in (list, tuple):
        return type(value)(map(as_arrays, value))
    return {key: as_arrays(item) for key, item in value.items()} if type(value) is dict else value


@contextlib.contextmanager
def empty_means_nan() -> Iterator[None]:
    """Within the block torch.empty gives NaN, not what happens to be in memory, such as another's finished weights."""
    mode = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("warn")
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(mode)


def _same_tensor(now: Tensor, before: Tensor) -> bool:
    if now.shape != before.shape or now.dtype != before.dtype:
        return False
    return torch.equal(now, before) or bool(((now == before) | ((now != now) & (before != before))).all())
