"""The values that cross between the judge and a learner's code: their types, and how large they may be.

`plain` makes such values of whatever a learner's code gives.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, MappingView, Set
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, MethodWrapperType
from typing import Any

from judge.running.on_demand import Tensor, integer, is_imported, ndarray, np, torch
from judge.running.settings import fields_of, is_allowed, types_of
from judge.running.values import as_tensor, is_dict, is_list_or_tuple, is_of_jax, is_tuple

MAX_DEPTH = 8  # lists, tuples and dicts inside one another, in one value
MAX_ELEMENTS = 20_000  # in all the lists, tuples and dicts of one value together
MAX_KEYS = 4_096  # in one dict: keys chosen to share one hash cost the square of their number
MAX_DIMENSIONS = 8
MAX_AREA = 2**40  # the product of a tensor's lengths, a length of 0 left out: torch can't lay out any
MAX_TENSOR_BYTES = 256_000_000  # in one value; GPT-2's largest table, W_E, has 154 MB
MAX_TEXT = 100_000  # characters, or bytes, in one value
MAX_NAME = 200  # characters of the name of a type or a function
MAX_BITS = 10_000  # of an int: Python itself refuses to write more than 4300 digits, which are 14,285 bits
WHOLE = ("bool", "uint8", "int8", "int16", "int32", "int64")
FLOATING = ("float16", "bfloat16", "float32", "float64")
DTYPES = WHOLE + FLOATING  # those that cross


@functools.cache
def dtypes() -> dict[str, torch.dtype]:
    """torch's own, by these names."""
    return {name: getattr(torch, name) for name in DTYPES}


def cut(instance: Any, **limits: int) -> None:
    """Shorten fields of a frozen dataclass, texts that a learner's code made; a subclass of str becomes a str."""
    for name, limit in limits.items():
        text = str.__str__(getattr(instance, name))
        if len(text) > limit:
            text = text[: limit - 1] + "…"
        object.__setattr__(instance, name, text)


@dataclass(frozen=True)
class Opaque:
    """A value that is neither a tensor, an array nor plain data, or that is too large: `type` says what it was.

    `role` is what it does, in one word of `ROLES`, whatever it is called; "" where that is something else.
    """

    type: str
    role: str = ""

    def __post_init__(self):
        cut(self, type=MAX_NAME)

    def __repr__(self) -> str:
        return f"<{self.type}>"


ARRAYS = {"NumPy": "ndarray", "JAX": "jax.Array"}  # whose arrays cross, and what these call them


@dataclass(frozen=True)
class Array:
    """What an array of NumPy's or JAX's held, its dtype kept. It is a value like a tensor, and equals none."""

    tensor: Tensor
    of: str = "NumPy"


@dataclass(frozen=True)
class Unchanged:
    """Stands in inputs_after for an input that holds what it held before the call."""


ROLES: dict[str, tuple[type, ...]] = {
    "lazy": (Iterator, MappingView),  # gives its items one by one, and is no list yet
    "set": (Set,),
    "NumPy integer": (integer,),
    "function": (FunctionType, MethodType, BuiltinFunctionType, MethodWrapperType),
}
LEAVES = (bool, int, float, str, bytes, type(None))
KEYS = (str, int, bytes)  # of a dict


def opaque_in(value: object) -> str | None:
    """The type of something in this value that is neither a tensor, an array nor plain data."""
    kind = type(value)
    if is_dict(value):
        return opaque_in(list(value.values()))
    if is_list_or_tuple(value):
        found = (opaque_in(item) for item in value)
        return next(filter(None, found), None)
    if type(value) is Opaque:
        return value.type
    if isinstance(value, Tensor) or kind in (*LEAVES, Array) or is_allowed(kind):
        return None
    return kind.__qualname__


def role_of(kind: type) -> str:
    """The use of values of this type, in a word of `ROLES`; "" where none fits."""
    fitting = (role for role, kinds in ROLES.items() if issubclass(kind, kinds))
    return next(fitting, "")


def unfit_key(key: object) -> str | None:
    """The fault that keeps a dict's key from crossing; None for a str, an int, bytes, or a tuple of those."""
    if not is_tuple(key):
        return _unfit_part(key)
    wrong = any(map(_unfit_part, key))
    return "a tuple that holds another kind" if wrong else None


def _unfit_part(key: object) -> str | None:
    kind = type(key)
    if type(key) is int and not is_of_64_bits(key):
        return "an int of more than 64 bits"
    return None if kind in KEYS else f"a {kind.__qualname__}"


def is_of_64_bits(number: int) -> bool:
    """Whether an int is small enough for a tensor."""
    return -(2**63) <= number < 2**63


def is_length(value: Any) -> bool:
    """Whether a tensor may be of this length along an axis."""
    return type(value) is int and value >= 0


def require(holds: Any, otherwise: str | None) -> None:
    """Raises ValueError that says so where it does not hold."""
    if not holds:
        raise ValueError(otherwise)


def area(shape: Iterable[int]) -> int:
    """The product of the lengths, without those of 0: even an empty tensor's must be bounded."""
    return math.prod(length or 1 for length in shape)


def is_setting(value: Any, declared: type) -> bool:
    """Whether a field of settings may hold this: of the very type that is declared, an int of 64 bits at most."""
    if type(value) is not declared:
        return False
    return declared is not int or is_of_64_bits(value)


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
