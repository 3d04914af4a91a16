"""Nests of tensors, arrays and plain data: copied deeply, compared to the last bit, turned into NumPy's arrays."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, TypeGuard

from judge.running.on_demand import Tensor, ndarray, np, torch


def is_dict(value: object) -> TypeGuard[dict[Any, Any]]:
    """Whether this is a dict, and of no subclass."""
    return type(value) is dict


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Whether this is a dict, or of a subclass."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether this is a list, and of no subclass."""
    return type(value) is list


def is_list_or_tuple(value: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Whether this is one of them, and of no subclass."""
    return type(value) in (list, tuple)


def is_tuple(value: object) -> TypeGuard[tuple[Any, ...]]:
    """Whether this is a tuple, and of no subclass."""
    return type(value) is tuple


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """The nest of lists, tuples and dicts with each leaf changed."""
    if is_dict(value):
        return {key: mapped(item, change) for key, item in value.items()}
    if is_list_or_tuple(value):
        items = [mapped(item, change) for item in value]
        return type(value)(items)
    return change(value)


def copied(value: Any) -> Any:
    """A deep copy of tensors, arrays, lists, tuples and dicts; a copy of a leaf is in its graph."""
    return mapped(value, _copied_leaf)


def as_arrays(value: Any) -> Any:
    """The nest with NumPy arrays in the place of tensors."""
    return mapped(value, _leaf_as_array)


def as_tensor(array: ndarray) -> Tensor:
    """The tensor that shares an array's memory, as of `torch.from_numpy`, whose type nobody has written down."""
    return torch.as_tensor(array, device="cpu")


def is_of_jax(value: Any) -> bool:
    """Whether this is an array of JAX's, which is asked only where somebody has imported JAX."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.Array)


def same(now: Any, before: Any) -> bool:
    """Whether two values are alike in type, form and every number; NaN is like NaN."""
    if isinstance(now, Tensor) and isinstance(before, Tensor):
        return _same_tensor(now, before)
    if type(now) is not type(before):
        return False
    if _is_array(now) or is_of_jax(now):
        return _same_array(np.asarray(now), np.asarray(before))
    if _is_sequence(now):
        return _same_items(now, before)
    if is_mapping(now):
        same_keys = list(now) == list(before)
        return same_keys and _same_items(list(now.values()), list(before.values()))
    is_nan = bool(now != now)
    return is_nan or bool(now == before)


@contextlib.contextmanager
def empty_means_nan() -> Generator[None]:
    """Within the block torch.empty gives NaN, not what happens to be in memory, such as another's finished weights."""
    mode = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("warn")
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(mode)


def _is_array(value: object) -> TypeGuard[ndarray]:
    return isinstance(value, ndarray)


def _is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, (list, tuple))


def _copied_leaf(leaf: Any) -> Any:
    if isinstance(leaf, Tensor):
        return leaf.clone()
    return leaf.copy() if _is_array(leaf) else leaf


def _leaf_as_array(leaf: Any) -> Any:
    if not isinstance(leaf, Tensor):
        return leaf
    return leaf.detach().numpy().copy()


def _same_items(now: Sequence[Any], before: Sequence[Any]) -> bool:
    if len(now) != len(before):
        return False
    return all(map(same, now, before))


def _same_array(now: ndarray, before: ndarray) -> bool:
    if now.dtype != before.dtype:
        return False
    return _same_tensor(as_tensor(now), as_tensor(before))


def _same_tensor(now: Tensor, before: Tensor) -> bool:
    if now.shape != before.shape or now.dtype != before.dtype:
        return False
    if torch.equal(now, before):
        return True
    both_nan = (now != now) & (before != before)
    return bool(((now == before) | both_nan).all())
