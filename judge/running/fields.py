"""What each field of what crosses may hold, said once for the writer, the reader and the validation."""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeGuard

from judge.running.on_demand import Tensor, torch
from judge.running.plain import (
    ARRAYS,
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
    dtypes,
    is_of_64_bits,
    is_setting,
    unfit_key,
)
from judge.running.records import MAX_SOURCE, Array, Frame, LearnerError, Opaque, Question, Record, Unchanged
from judge.running.settings import CLASSES, is_allowed, types_of
from judge.running.values import is_dict, is_list, is_list_or_tuple, is_tuple

Fits = Callable[[object], bool]


@dataclass(frozen=True)
class Form:
    """What a field may hold, in words and as a test."""

    words: str
    fits: Fits


def content_of(instance: object) -> dict[str, Any]:
    """The declared fields of a dataclass that may cross, and what they hold."""
    return {name: getattr(instance, name) for name in declared_fields(type(instance))}


def declared_fields(cls: type) -> dict[str, Form]:
    """What each field of a class may hold. Raises KeyError for a class that does not cross."""
    return _fields_of_settings(cls) if is_allowed(cls) else FIELDS[cls]


def crosses(cls: type) -> bool:
    """Whether it is one of the dataclasses that are written field by field."""
    return cls in FIELDS or is_allowed(cls)


def class_called(name: str) -> type | None:
    """The dataclass that crosses under this name."""
    return OURS.get(name) or CLASSES.get(name)


def misfit(cls: type, content: dict[str, Any]) -> str | None:
    """What in the content of a dataclass that may cross is not as declared; None where all is."""
    declared = declared_fields(cls)
    if content.keys() != declared.keys():
        due = ", ".join(declared) or "none"
        there = ", ".join(content)[:MAX_NAME]
        return f"{cls.__name__} has the fields {due}, not {there}"
    for name, form in declared.items():
        if not form.fits(content[name]):
            return f"{cls.__name__}.{name} is not {form.words}"
    return None


def unfit_leaf(value: object) -> str | None:
    """What is wrong with a single value, no tensor and no container; None where nothing is."""
    kind = type(value)
    if kind not in LEAVES:
        return f"a {kind.__qualname__}, which has no form as bytes"
    if _is_text(value) and len(value) > MAX_TEXT:
        return f"a {kind.__name__} of {len(value)}, more than {MAX_TEXT}"
    if type(value) is int and value.bit_length() > MAX_BITS:
        return f"an int of more than {MAX_BITS} bits"
    return None


def is_tensor(value: Any) -> bool:
    """Dense, of a dtype and a shape that cross."""
    if not isinstance(value, Tensor) or value.is_nested:
        return False
    if value.layout is not torch.strided or value.dtype not in dtypes().values():
        return False
    return value.ndim <= MAX_DIMENSIONS and area(value.shape) <= MAX_AREA


def is_value(value: object, depth: int = 0) -> bool:
    """Tensors, arrays and plain data, nested no deeper than `plain` makes them."""
    kind = type(value)
    if is_dict(value):
        return _has_fit_keys(value) and _are_values(list(value.values()), depth)
    if is_list_or_tuple(value):
        return _are_values(value, depth)
    if kind in (Array, Opaque) or is_allowed(kind):
        return _is_as_declared(value)
    return is_tensor(value) or not unfit_leaf(value)


def _has_fit_keys(value: dict[Any, Any]) -> bool:
    return len(value) <= MAX_KEYS and not any(map(unfit_key, value))


def _are_values(items: Iterable[Any], depth: int) -> bool:
    """Whether these may stand in a container at this depth."""
    if depth == MAX_DEPTH:
        return False
    return all(is_value(item, depth + 1) for item in items)


def _is_as_declared(value: object) -> bool:
    cls = type(value)
    return misfit(cls, content_of(value)) is None


def _text(limit: int, least: int = 0) -> Form:
    lengths = range(least, limit + 1)
    return Form(f"a text of at most {limit} characters", lambda value: type(value) is str and len(value) in lengths)


def _all(fits: Fits) -> Fits:
    """Of a list."""
    return lambda value: is_list(value) and all(map(fits, value))


def _named(fits: Fits) -> Fits:
    """Of a dict with short texts for keys."""

    def all_fit(value: Any) -> bool:
        if not is_dict(value) or not all(map(_is_name, value)):
            return False
        return all(map(fits, value.values()))

    return all_fit


def _is_text(value: object) -> TypeGuard[str | bytes]:
    return type(value) in (str, bytes)


def _is_name(value: Any) -> bool:
    return type(value) is str and len(value) <= MAX_NAME


@functools.cache
def _fields_of_settings(cls: type) -> dict[str, Form]:
    return {name: _setting(declared) for name, declared in types_of(cls).items()}


def _setting(declared: type) -> Form:
    return Form(f"of type {declared.__name__}", lambda value: is_setting(value, declared))


def _is_gradient(value: Any) -> bool:
    return value is None or (is_tensor(value) and value.is_floating_point())


def _is_input_after(value: Any) -> bool:
    return type(value) is Unchanged or is_value(value)


def _is_frame(value: Any) -> bool:
    return type(value) is Frame and _is_as_declared(value)


def _is_error(value: Any) -> bool:
    return value is None or (type(value) is LearnerError and _is_as_declared(value))


def _are_values_of_a_tuple(value: Any) -> bool:
    return is_tuple(value) and all(map(is_value, value))


NAME = _text(MAX_NAME, least=1)
WHOLE = Form("an int of 64 bits", lambda value: type(value) is int and is_of_64_bits(value))
ROLE = Form(f"one of {', '.join(ROLES)}", lambda value: type(value) is str and value in ("", *ROLES))
WHOSE = Form(f"one of {', '.join(ARRAYS)}", lambda value: type(value) is str and value in ARRAYS)
FIELDS: dict[type, dict[str, Form]] = {
    Frame: {"where": _text(MAX_NAME), "line": WHOLE, "function": _text(MAX_NAME), "source": _text(MAX_SOURCE)},
    LearnerError: {
        "type": NAME,
        "message": _text(MAX_TEXT),
        "frames": Form("a list of Frames", _all(_is_frame)),
        "bases": Form("a list of short texts", _all(NAME.fits)),
        "meant": _text(MAX_NAME),
    },
    Opaque: {"type": NAME, "role": ROLE},
    Unchanged: {},
    Array: {"tensor": Form("a tensor", is_tensor), "of": WHOSE},
    Question: {
        "drive": NAME,
        "args": Form("a tuple of values", _are_values_of_a_tuple),
        "options": Form("a dict of values by name", _named(is_value)),
        "seed": WHOLE,
    },
    Record: {
        "outputs": Form("a list of values", _all(is_value)),
        "inputs_after": Form("a list of values or Unchanged", _all(_is_input_after)),
        "grads": Form("a dict of floating tensors or None by name", _named(_is_gradient)),
        "input_grads": Form("a list of floating tensors or None", _all(_is_gradient)),
        "parameters": Form("a dict of tensors by name", _named(is_tensor)),
        "printed": _text(MAX_TEXT),
        "error": Form("a LearnerError or None", _is_error),
    },
}
OURS = {cls.__name__: cls for cls in FIELDS}
