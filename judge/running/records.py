"""What is asked of a learner's code, a `Question`, and what comes back, a `Record`: plain data, both.

What each field of what crosses may hold is said here once, for the writer, the reader and the validation.
"""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
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
    Array,
    Opaque,
    Unchanged,
    area,
    cut,
    dtypes,
    is_of_64_bits,
    is_setting,
    opaque_in,
    plain,
    unfit_key,
)
from judge.running.settings import CLASSES, is_allowed, types_of
from judge.running.values import is_dict, is_list, is_list_or_tuple, is_tuple

__all__ = ["Array", "Frame", "LearnerError", "Opaque", "Question", "Record", "Unchanged", "opaque_in", "plain"]

Values = list[Any]  # what a learner's code takes and gives may be anything
Arguments = tuple[Any, ...]
Options = dict[str, Any]
Weights = dict[str, Tensor]  # by the names of parameters
Gradients = dict[str, Tensor | None]
TOO_SLOW = "TooSlow"  # the type of the error that stands for code which did not come to its end
STOPPED = "KeyboardInterrupt"  # and for code that somebody stopped
CHANGES = "ChangesTheRest"  # and for code that leaves what all code shares otherwise than it was
MAX_SOURCE = 1_000  # characters of a line of code


@dataclass(frozen=True)
class Frame:
    """One of the learner's own lines on the way to an error."""

    where: str
    line: int
    function: str
    source: str

    def __post_init__(self):
        cut(self, where=MAX_NAME, function=MAX_NAME, source=MAX_SOURCE)


@dataclass(frozen=True)
class LearnerError:
    """An exception that left the learner's code; `frames` are theirs alone, innermost last.

    `bases` are those of Python's own types that it is a kind of, where its type is the learner's own. `meant` is the
    name that a misspelt one was meant to be.
    """

    type: str
    message: str
    frames: list[Frame] = field(default_factory=list[Frame])
    bases: list[str] = field(default_factory=list[str])
    meant: str = ""

    def __post_init__(self):
        cut(self, type=MAX_NAME, message=MAX_TEXT, meant=MAX_NAME)

    def is_a(self, kind: str) -> bool:
        """Whether `except kind` would catch it."""
        return kind in (self.type, *self.bases)

    @property
    def not_implemented(self) -> bool:
        """True for the stub: the learner's own line raises it. PyTorch raises it too, for a dtype that it can't do."""
        if self.type != "NotImplementedError" or not self.frames:
            return False
        source = self.frames[-1].source  # empty where Python can't look it up
        return not source or "raise" in source

    @property
    def by_a_raise(self) -> bool:
        """True where the learner's own line raises it."""
        return bool(self.frames) and self.frames[-1].source.strip().startswith("raise ")

    @property
    def in_the_call(self) -> bool:
        """True when no line of the learner's was reached: the arguments did not fit the signature."""
        return self.type == "TypeError" and not self.frames


@dataclass(frozen=True, eq=False)
class Question:
    """All that is asked in one run: `drive` names the driver that makes a component work with these arguments.

    Questions with the same content are equal, and have the same `name`.
    """

    drive: str
    args: Arguments = ()
    options: Options = field(default_factory=Options)
    seed: int = 0

    @cached_property
    def name(self) -> str:
        """The digest of its bytes."""
        from judge.running.wire import digest  # which writes what is defined here

        return digest(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Question) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True)
class Record:
    """All that a test may know of one run.

    `outputs` holds one value per call; `inputs_after` the last call's inputs once it returned, `Unchanged` for one that
    is as it was; `grads` and `input_grads` are filled when a cotangent was given; `parameters` holds initial values
    when no weights were given.
    """

    outputs: Values = field(default_factory=Values)
    inputs_after: Values = field(default_factory=Values)
    grads: Gradients = field(default_factory=Gradients)
    input_grads: list[Tensor | None] = field(default_factory=list[Tensor | None])
    parameters: Weights = field(default_factory=Weights)
    printed: str = ""
    error: LearnerError | None = None

    def __post_init__(self):
        cut(self, printed=MAX_TEXT)

    @property
    def output(self) -> Any:
        """The first call's result."""
        return self.outputs[0]

    @property
    def tensor_bytes(self) -> int:
        """The bytes of its tensors, each as often as it is in it: on the wire the record takes little more."""
        kept = (self.outputs, self.inputs_after, self.input_grads, self.grads, self.parameters)
        return sum(map(_tensor_bytes, kept))


def _tensor_bytes(value: object) -> int:
    if isinstance(value, Tensor):
        return value.numel() * value.element_size()
    if isinstance(value, Array):
        return _tensor_bytes(value.tensor)
    if is_dict(value):
        return sum(map(_tensor_bytes, value.values()))
    if is_list_or_tuple(value):
        return sum(map(_tensor_bytes, value))
    return 0


Fits = Callable[[object], bool]


@dataclass(frozen=True)
class Form:
    """The values that a field may hold, in words and as a test."""

    words: str
    fits: Fits


def content_of(instance: object) -> dict[str, Any]:
    """The declared fields of a dataclass that may cross, and what they hold."""
    return {name: getattr(instance, name) for name in declared_fields(type(instance))}


def declared_fields(cls: type) -> dict[str, Form]:
    """The values that each field of a class may hold. Raises KeyError for a class that does not cross."""
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
    """The fault of a single value, no tensor and no container; None where there is none."""
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
