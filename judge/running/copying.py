"""`plain`: whatever a learner's code gives, as values that cross between it and the judge."""

from __future__ import annotations

from typing import Any

from judge.running.on_demand import Tensor, is_imported, ndarray, np, torch
from judge.running.plain import (
    ARRAYS,
    DTYPES,
    LEAVES,
    MAX_BITS,
    MAX_DEPTH,
    MAX_DIMENSIONS,
    MAX_ELEMENTS,
    MAX_KEYS,
    MAX_TENSOR_BYTES,
    MAX_TEXT,
    Array,
    Opaque,
    Unchanged,
    area,
    dtypes,
    is_setting,
    role_of,
    unfit_key,
)
from judge.running.settings import fields_of, is_allowed, types_of
from judge.running.values import as_tensor, is_dict, is_of_jax, is_tuple

TOO_MUCH_TEXT = f"beyond the {MAX_TEXT} characters that are read of one value"
TOO_MANY = f"beyond the {MAX_ELEMENTS} that are read of one value"
TOO_MANY_BYTES = f"beyond the {MAX_TENSOR_BYTES // 10**6} MB that are read of one value"


def plain(value: Any) -> Any:
    """Copy a value into tensors (detached, dense, on the CPU), arrays and plain data.

    Anything else, and what is too deep or too large to cross, becomes `Opaque`.
    """
    return _Copy().of(value)


class _Copy:
    """One call of `plain`, and how much it may still copy."""

    def __init__(self):
        self.elements = MAX_ELEMENTS
        self.text = MAX_TEXT
        self.tensor_bytes = MAX_TENSOR_BYTES

    def of(self, value: object, depth: int = 0) -> Any:
        kind = type(value)
        if isinstance(value, Tensor):
            return self._tensor(value)
        if kind in (list, tuple, dict):
            return self._container(value, depth)
        if kind in LEAVES:
            return self._leaf(value)
        if kind in (Opaque, Unchanged):
            return value
        if is_imported("numpy") and kind is np.ndarray:
            return self._array(np.asarray(value), "NumPy")
        if is_of_jax(value):
            return self._array(np.asarray(value), "JAX")
        if type(value) is Array:
            copied = self.of(value.tensor)
            return Array(copied, value.of) if isinstance(copied, Tensor) else copied
        if is_allowed(kind):
            return self._settings(value)
        return Opaque(kind.__qualname__, role_of(kind))

    def _settings(self, value: object) -> Any:
        declared = types_of(type(value))
        held = fields_of(value)
        fits = all(is_setting(held[name], kind) for name, kind in declared.items())
        return value if fits else Opaque(f"{type(value).__name__} with a field of another type")

    def _container(self, value: Any, depth: int) -> Any:
        name = type(value).__name__
        if depth == MAX_DEPTH:
            return Opaque(f"{name} nested more than {MAX_DEPTH} deep")
        if len(value) > self.elements:
            return Opaque(f"{name} of {len(value)} elements, {TOO_MANY}")
        self.elements -= len(value)
        if is_dict(value):
            return self._dict(value, depth)
        items = [self.of(item, depth + 1) for item in value]
        return type(value)(items)

    def _dict(self, value: dict[Any, Any], depth: int) -> Any:
        if len(value) > MAX_KEYS:
            return Opaque(f"dict of {len(value)} keys, more than {MAX_KEYS}")
        unfit = next(filter(None, map(unfit_key, value)), None)
        if unfit:
            return Opaque(f"dict with {unfit} as a key")
        if not all(map(self._has_room_for, value)):
            return Opaque(f"dict with keys {TOO_MUCH_TEXT}")
        return {key: self.of(item, depth + 1) for key, item in value.items()}

    def _leaf(self, value: Any) -> Any:
        if type(value) is int and value.bit_length() > MAX_BITS:
            return Opaque(f"int of more than {MAX_BITS} bits")
        if self._has_room_for(value):
            return value
        return Opaque(f"{type(value).__name__} {TOO_MUCH_TEXT}")

    def _has_room_for(self, value: Any) -> bool:
        if is_tuple(value):
            return all(map(self._has_room_for, value))
        self.text -= min(_length(value), self.text + 1)
        return self.text >= 0

    def _tensor(self, value: Tensor) -> Tensor | Opaque:
        dtype = str(value.dtype).removeprefix("torch.")
        if value.is_nested:
            return Opaque(f"nested Tensor of {dtype}")
        if value.dtype not in dtypes().values():
            return Opaque(f"Tensor of {dtype}")
        try:
            too_large = self._too_large(value.shape, value.element_size())
            return Opaque(f"Tensor {too_large}") if too_large else _dense(value)
        except (RuntimeError, TypeError, ValueError):
            return Opaque(f"Tensor that can't be copied, on {value.device}")

    def _array(self, value: ndarray, of: str) -> Array | Opaque:
        is_native = value.dtype.kind in "biuf"  # JAX's bfloat16 is none of NumPy's own
        if not is_native or value.dtype.name not in DTYPES:
            return Opaque(f"{ARRAYS[of]} of {value.dtype.name}")
        too_large = self._too_large(value.shape, value.itemsize)
        if too_large:
            return Opaque(f"{ARRAYS[of]} {too_large}")
        native = value.dtype.newbyteorder("=")
        copied = np.array(value, dtype=native, order="C")
        return Array(as_tensor(copied), of)

    def _too_large(self, shape: tuple[int, ...], itemsize: int) -> str | None:
        if len(shape) > MAX_DIMENSIONS:
            return f"with more than {MAX_DIMENSIONS} dimensions"
        size = area(shape) * itemsize
        if size > self.tensor_bytes:
            return TOO_MANY_BYTES
        self.tensor_bytes -= size
        return None


def _length(value: Any) -> int:
    """How many characters a leaf takes, about; numbers take few, but for ints of many digits."""
    if type(value) is int:
        return value.bit_length() // 64 * 20
    return len(value) if isinstance(value, (str, bytes)) else 0


def _dense(value: Tensor) -> Tensor:
    """A copy of its own, contiguous, on the CPU, and of no subclass."""
    with torch.DisableTorchFunctionSubclass():
        dense = value.detach().cpu().to_dense()
        ordinary = dense.resolve_neg().as_subclass(torch.Tensor)
        return ordinary.clone(memory_format=torch.contiguous_format)
