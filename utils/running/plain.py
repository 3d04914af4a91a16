"""The values that cross between the judge and a learner's code, and `plain`, which makes them of whatever comes."""

import math
from collections.abc import Iterable, Iterator, MappingView, Set
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, MethodWrapperType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from utils.running.settings import fields_of, is_allowed, types_of

MAX_DEPTH = 8  # lists, tuples and dicts inside one another, in one value
MAX_ELEMENTS = 20_000  # in all the lists, tuples and dicts of one value together
MAX_KEYS = 4_096  # in one dict: keys chosen to share one hash cost the square of their number
MAX_DIMENSIONS = 8
MAX_AREA = 2**40  # the product of a tensor's lengths, a length of 0 left out: torch can't lay out any
MAX_TENSOR_BYTES = 256_000_000  # in one value; GPT-2's largest table, W_E, has 154 MB
MAX_TEXT = 100_000  # characters, or bytes, in one value
MAX_NAME = 200  # characters of the name of a type or a function
MAX_BITS = 10_000  # of an int: Python itself refuses to write more than 4300 digits, which are 14,285 bits
DTYPES = {
    **{name: getattr(torch, name) for name in ("bool", "uint8", "int8", "int16", "int32", "int64")},
    **{name: getattr(torch, name) for name in ("float16", "bfloat16", "float32", "float64")},
}


def cut(instance: Any, **limits: int) -> None:
    """Shorten fields of a frozen dataclass, texts that a learner's code made; a subclass of str becomes a str."""
    for name, limit in limits.items():
        text = str.__str__(getattr(instance, name))
        object.__setattr__(instance, name, text if len(text) <= limit else text[: limit - 1] + "…")


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


@dataclass(frozen=True)
class Array:
    """What a NumPy array held, its dtype kept. It is a value like a tensor, and equals none."""

    tensor: Tensor


@dataclass(frozen=True)
class Unchanged:
    """Stands in inputs_after for an input that holds what it held before the call."""


ROLES: dict[str, tuple[type, ...]] = {
    "lazy": (Iterator, MappingView),  # gives its items one by one, and is no list yet
    "set": (Set,),
    "NumPy integer": (np.integer,),
    "function": (FunctionType, MethodType, BuiltinFunctionType, MethodWrapperType),
}
LEAVES = (bool, int, float, str, bytes, type(None))


def plain(value: Any) -> Any:
    """Copy a value into tensors (detached, dense, on the CPU), arrays and plain data.

    Anything else, and what is too deep or too large to cross, becomes `Opaque`.
    """
    return _Copy().of(value)


def opaque_in(value: Any) -> str | None:
    """The type of something in this value that is neither a tensor, an array nor plain data."""
    if type(value) in (list, tuple, dict):
        items = value.values() if type(value) is dict else value
        return next((found for found in map(opaque_in, items) if found is not None), None)
    if isinstance(value, Opaque):
        return value.type
    known = isinstance(value, Tensor) or type(value) in (*LEAVES, Array) or is_allowed(type(value))
    return None if known else type(value).__qualname__


def role_of(kind: type) -> str:
    """What values of this type do, in a word of `ROLES`; "" where none fits."""
    return next((role for role, kinds in ROLES.items() if issubclass(kind, kinds)), "")


def unfit_key(key: Any) -> str | None:
    """What keeps a dict's key from crossing; None for a str, an int, bytes, or a tuple of those."""
    if type(key) is tuple:
        return next(("a tuple that holds another kind" for part in key if type(part) is tuple or unfit_key(part)), None)
    if type(key) is int and not -(2**63) <= key < 2**63:
        return "an int of more than 64 bits"
    return None if type(key) in (str, int, bytes) else f"a {type(key).__qualname__}"


def area(shape: Iterable[int]) -> int:
    """The product of the lengths, without those of 0: even an empty tensor's must be bounded."""
    return math.prod(length or 1 for length in shape)


def is_setting(value: Any, declared: type) -> bool:
    """Whether a field of settings may hold this: of the very type that is declared, an int of 64 bits at most."""
    return type(value) is declared and (declared is not int or -(2**63) <= value < 2**63)


class _Copy:
    """One call of `plain`, and how much it may still copy."""

    def __init__(self):
        self.elements, self.text, self.tensor_bytes = MAX_ELEMENTS, MAX_TEXT, MAX_TENSOR_BYTES

    def of(self, value: Any, depth: int = 0) -> Any:
        kind = type(value)
        if isinstance(value, Tensor):
            return self._tensor(value)
        if kind is np.ndarray:
            return self._array(value)
        if kind is Array:
            copied = self.of(value.tensor)
            return Array(copied) if isinstance(copied, Tensor) else copied
        if kind in (list, tuple, dict):
            return self._container(value, depth)
        if kind in (Opaque, Unchanged):
            return value
        if is_allowed(kind):
            return self._settings(value)
        return self._leaf(value) if kind in LEAVES else Opaque(kind.__qualname__, role_of(kind))

    def _settings(self, value: Any) -> Any:
        declared = types_of(type(value))
        if not all(is_setting(held, declared[name]) for name, held in fields_of(value).items()):
            return Opaque(f"{type(value).__name__} with a field of another type")
        return value

    def _container(self, value: Any, depth: int) -> Any:
        name = type(value).__name__
        if depth == MAX_DEPTH:
            return Opaque(f"{name} nested more than {MAX_DEPTH} deep")
        if len(value) > self.elements:
            return Opaque(f"{name} of {len(value)} elements, beyond the {MAX_ELEMENTS} that are read of one value")
        self.elements -= len(value)
        if type(value) is dict:
            return self._dict(value, depth)
        return type(value)([self.of(item, depth + 1) for item in value])

    def _dict(self, value: dict, depth: int) -> Any:
        if len(value) > MAX_KEYS:
            return Opaque(f"dict of {len(value)} keys, more than {MAX_KEYS}")
        if unfit := next(filter(None, map(unfit_key, value)), None):
            return Opaque(f"dict with {unfit} as a key")
        if not all(self._has_room_for(key) for key in value):
            return Opaque(f"dict with keys beyond the {MAX_TEXT} characters that are read of one value")
        return {key: self.of(item, depth + 1) for key, item in value.items()}

    def _leaf(self, value: Any) -> Any:
        name = type(value).__name__
        if type(value) is int and value.bit_length() > MAX_BITS:
            return Opaque(f"int of more than {MAX_BITS} bits")
        if not self._has_room_for(value):
            return Opaque(f"{name} beyond the {MAX_TEXT} characters that are read of one value")
        return value

    def _has_room_for(self, value: Any) -> bool:
        if type(value) is tuple:
            return all(self._has_room_for(part) for part in value)
        length = len(value) if isinstance(value, (str, bytes)) else 0
        if type(value) is int:
            length = value.bit_length() // 64 * 20  # digits, from where they are many
        self.text -= min(length, self.text + 1)
        return self.text >= 0

    def _tensor(self, value: Tensor) -> Tensor | Opaque:
        dtype = str(value.dtype).removeprefix("torch.")
        if value.dtype not in DTYPES.values() or value.is_nested:
            return Opaque(f"nested Tensor of {dtype}" if value.is_nested else f"Tensor of {dtype}")
        try:
            if too_large := self._too_large(value.shape, value.element_size()):
                return Opaque(f"Tensor {too_large}")
            with torch._C.DisableTorchFunctionSubclass():  # else a subclass of Tensor stays one
                dense = value.detach().cpu().to_dense().resolve_neg().as_subclass(Tensor)
                return dense.clone(memory_format=torch.contiguous_format)
        except (RuntimeError, TypeError, ValueError):
            return Opaque(f"Tensor that can't be copied, on {value.device}")

    def _array(self, value: np.ndarray) -> Array | Opaque:
        if value.dtype.name not in DTYPES:
            return Opaque(f"ndarray of {value.dtype.name}")
        if too_large := self._too_large(value.shape, value.itemsize):
            return Opaque(f"ndarray {too_large}")
        return Array(torch.from_numpy(np.array(value, dtype=value.dtype.newbyteorder("="), order="C")))

    def _too_large(self, shape: tuple[int, ...], itemsize: int) -> str | None:
        if len(shape) > MAX_DIMENSIONS:
            return f"with more than {MAX_DIMENSIONS} dimensions"
        size = area(shape) * itemsize
        if size > self.tensor_bytes:
            return f"beyond the {MAX_TENSOR_BYTES // 10**6} MB that are read of one value"
        self.tensor_bytes -= size
        return None
