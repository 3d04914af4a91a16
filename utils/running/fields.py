"""What each field of what crosses may hold, said once for the writer, the reader and the validation."""

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from utils.running.plain import (
    DTYPES,
    LEAVES,
    MAX_AREA,
    MAX_BITS,
    MAX_DEPTH,
    MAX_DIMENSIONS,
    MAX_KEYS,
    MAX_NAME,
    MAX_TEXT,
    ROLES,
    area,
    is_setting,
    unfit_key,
)
from utils.running.records import MAX_SOURCE, Array, Frame, LearnerError, Opaque, Question, Record, Unchanged
from utils.running.settings import CLASSES, is_allowed, types_of


def content_of(instance: Any) -> dict[str, Any]:
    """The declared fields of a dataclass that may cross, and what they hold."""
    return {name: getattr(instance, name) for name in declared_fields(type(instance))}


def declared_fields(cls: type) -> dict[str, tuple[str, Callable[[Any], bool]]]:
    """What each field of a class may hold, in words and as a test. Raises KeyError for one that does not cross."""
    return _fields_of_settings(cls) if is_allowed(cls) else FIELDS[cls]


def crosses(cls: type) -> bool:
    """Whether it is one of the dataclasses that are written field by field."""
    return cls in FIELDS or is_allowed(cls)


def class_called(name: str) -> type | None:
    """The dataclass that crosses under this name."""
    return _OURS.get(name) or CLASSES.get(name)


def misfit(cls: type, content: dict[str, Any]) -> str | None:
    """What in the content of a dataclass that may cross is not as declared; None where all is."""
    declared = declared_fields(cls)
    if content.keys() != declared.keys():
        return f"{cls.__name__} has the fields {', '.join(declared) or 'none'}, not {', '.join(content)[:MAX_NAME]}"
    wrong = (name for name, (_, fits) in declared.items() if not fits(content[name]))
    return next((f"{cls.__name__}.{name} is not {declared[name][0]}" for name in wrong), None)


def unfit_leaf(value: Any) -> str | None:
    """What is wrong with a single value, no tensor and no container; None where nothing is."""
    if type(value) in (str, bytes) and len(value) > MAX_TEXT:
        return f"a {type(value).__name__} of {len(value)}, more than {MAX_TEXT}"
    if type(value) is int and value.bit_length() > MAX_BITS:
        return f"an int of more than {MAX_BITS} bits"
    return None if type(value) in LEAVES else f"a {type(value).__qualname__}, which has no form as bytes"


def is_tensor(value: Any) -> bool:
    """Dense, of a dtype and a shape that cross."""
    dense = isinstance(value, Tensor) and value.layout is torch.strided and not value.is_nested
    return dense and value.dtype in DTYPES.values() and value.ndim <= MAX_DIMENSIONS and area(value.shape) <= MAX_AREA


def is_value(value: Any, depth: int = 0) -> bool:
    """Tensors, arrays and plain data, nested no deeper than `plain` makes them."""
    if type(value) in (list, tuple, dict):
        if depth == MAX_DEPTH or (type(value) is dict and (len(value) > MAX_KEYS or any(map(unfit_key, value)))):
            return False
        return all(is_value(item, depth + 1) for item in (value.values() if type(value) is dict else value))
    if type(value) in (Array, Opaque) or is_allowed(type(value)):
        return misfit(type(value), content_of(value)) is None
    return is_tensor(value) or not unfit_leaf(value)


def _text(limit: int, least: int = 0) -> tuple[str, Callable]:
    return f"a text of at most {limit} characters", lambda value: type(value) is str and least <= len(value) <= limit


def _of(cls: type) -> Callable:
    return lambda value: type(value) is cls and misfit(cls, content_of(value)) is None


def _all(kind: type, fits: Callable) -> Callable:
    return lambda value: type(value) is kind and all(map(fits, value))


def _named(fits: Callable) -> Callable:
    def all_fit(value: Any) -> bool:
        names = type(value) is dict and all(type(name) is str and len(name) <= MAX_NAME for name in value)
        return names and all(map(fits, value.values()))

    return all_fit


@functools.cache
def _fields_of_settings(cls: type) -> dict[str, tuple[str, Callable]]:
    return {name: _setting(declared) for name, declared in types_of(cls).items()}


def _setting(declared: type) -> tuple[str, Callable]:
    return f"of type {declared.__name__}", lambda value: is_setting(value, declared)


def _is_gradient(value: Any) -> bool:
    return value is None or (is_tensor(value) and value.is_floating_point())


def _is_input_after(value: Any) -> bool:
    return type(value) is Unchanged or is_value(value)


_NAME = _text(MAX_NAME, least=1)
_WHOLE = ("an int of 64 bits", lambda value: type(value) is int and -(2**63) <= value < 2**63)
_ROLE = (f"one of {', '.join(ROLES)}", lambda value: type(value) is str and value in ("", *ROLES))
FIELDS: dict[type, dict[str, tuple[str, Callable[[Any], bool]]]] = {
    Frame: {"where": _text(MAX_NAME), "line": _WHOLE, "function": _text(MAX_NAME), "source": _text(MAX_SOURCE)},
    LearnerError: {
        "type": _NAME,
        "message": _text(MAX_TEXT),
        "frames": ("a list of Frames", _all(list, _of(Frame))),
        "bases": ("a list of short texts", _all(list, _NAME[1])),
        "meant": _text(MAX_NAME),
    },
    Opaque: {"type": _NAME, "role": _ROLE},
    Unchanged: {},
    Array: {"tensor": ("a tensor", is_tensor)},
    Question: {
        "drive": _NAME,
        "args": ("a tuple of values", _all(tuple, is_value)),
        "options": ("a dict of values by name", _named(is_value)),
        "seed": _WHOLE,
    },
    Record: {
        "outputs": ("a list of values", _all(list, is_value)),
        "inputs_after": ("a list of values or Unchanged", _all(list, _is_input_after)),
        "grads": ("a dict of floating tensors or None by name", _named(_is_gradient)),
        "input_grads": ("a list of floating tensors or None", _all(list, _is_gradient)),
        "parameters": ("a dict of tensors by name", _named(is_tensor)),
        "printed": _text(MAX_TEXT),
        "error": ("a LearnerError or None", lambda value: value is None or _of(LearnerError)(value)),
    },
}
_OURS = {cls.__name__: cls for cls in FIELDS}
