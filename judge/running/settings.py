"""Settings, such as a Config: what components are made of, what is known of it, and which of it may cross the wall.

Settings are an instance of a frozen dataclass whose fields hold numbers, texts or True and False, or a plain dict of
such values. A class has to be known on both sides of the wall before an instance of it crosses: the reader never makes
an object of a class that only the bytes name.
"""

import contextlib
import dataclasses
import functools
import math
import typing
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from judge.running.values import is_dict

VALUES = (bool, int, float, str)
Names = dict[str, Collection[str]]
CLASSES: dict[str, type] = {}  # those that may cross, by their names


@dataclass(frozen=True)
class Settings:
    """What the judge knows of the settings that components are made of."""

    small: Any = None  # settings in which no two sizes are equal, so that no mix-up of axes can hide
    whose: str = "the course"  # whose sizes the defaults of the fields are, such as GPT-2
    names_from: str = ""  # whose names parameters have, such as TransformerLens
    other_names: Mapping[str, Collection[str]] = field(default_factory=Names)  # of fields and parameters, elsewhere

    @property
    def names(self) -> list[str]:
        """All fields."""
        return list(fields_of(self.small))

    @property
    def sizes(self) -> list[str]:
        """The fields that hold whole numbers: axes have their names."""
        return self._fields_with(int)

    @property
    def numbers(self) -> list[str]:
        """The fields that hold other numbers."""
        return self._fields_with(float)

    def _fields_with(self, kind: type) -> list[str]:
        return [name for name, value in fields_of(self.small).items() if type(value) is kind]

    @property
    def defaults(self) -> dict[str, Any]:
        """The fields' values where nothing is said; without the fields that always have to be."""
        if not dataclasses.is_dataclass(self.small):
            return {}
        fields = dataclasses.fields(self.small)
        return {field.name: field.default for field in fields if field.default is not dataclasses.MISSING}

    def is_another_name(self, other: str, name: str) -> bool:
        """Whether what is called `name` here is called `other` elsewhere."""
        return other in self.other_names.get(name, ())

    def field_called(self, word: str) -> str | None:
        """The field of this name, or that has it elsewhere; None where there is none."""
        if word in self.names:
            return word
        return next((name for name in self.names if self.is_another_name(word, name)), None)

    @property
    def usual_sizes(self) -> dict[int, str]:
        """The field that has this size by default; of several, the first."""
        usual = self.defaults
        known = [name for name in self.sizes if name in usual]
        return {usual[name]: name for name in reversed(known)}


_standard = [Settings()]


def use_settings(settings: Settings) -> None:
    """Let this be known of the settings of every exercise that is declared from here on and names none of its own."""
    small: object = settings.small
    allow(type(small))
    _standard[0] = settings


def standard_settings() -> Settings:
    """What `use_settings` said last; of nothing at all where it said nothing."""
    return _standard[0]


def allow(cls: type) -> None:
    """Let instances of this class cross. Raises TypeError, saying what to do, where they can't."""
    if cls is dict:
        return
    if not _is_frozen(cls):
        raise TypeError(f"{cls.__name__} is no frozen dataclass: write @dataclass(frozen=True) above it, or use a dict")
    for name, kind in types_of(cls).items():
        if kind not in VALUES:
            held = getattr(kind, "__name__", str(kind))
            raise TypeError(f"{cls.__name__}.{name} is declared as {held}: settings hold bool, int, float or str")
    other = CLASSES.get(cls.__name__, cls)
    if (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
        raise TypeError(f"there are two classes of settings called {cls.__name__}: give one of them another name")
    CLASSES[cls.__name__] = cls


def _is_frozen(cls: type) -> bool:
    parameters = getattr(cls, "__dataclass_params__", None)  # as `dataclass` leaves them
    return parameters is not None and parameters.frozen


def allow_those_of(module: ModuleType) -> None:
    """Let instances of the settings cross that a module defines, such as those of one exercise."""
    classes = [value for value in vars(module).values() if isinstance(value, type)]
    own = [cls for cls in classes if cls.__module__ == module.__name__]
    for cls in own:
        with contextlib.suppress(TypeError):  # a dataclass for something else
            allow(cls)


@functools.cache
def types_of(cls: type) -> dict[str, type]:
    """The type that each field of a class of settings is declared with."""
    hints = typing.get_type_hints(cls)
    return {own.name: hints[own.name] for own in dataclasses.fields(cls)}


def is_allowed(cls: type) -> bool:
    """Whether instances of exactly this class cross."""
    return CLASSES.get(cls.__name__) is cls


def fields_of(made_of: Any) -> dict[str, Any]:
    """The settings by name; none where this is no settings."""
    if is_dict(made_of):
        are_settings = all(type(value) in VALUES for value in made_of.values())
        are_named = all(type(name) is str for name in made_of)
        return dict(made_of) if are_settings and are_named else {}
    is_a_class = isinstance(made_of, type)
    if is_a_class or not dataclasses.is_dataclass(made_of):
        return {}
    return dict(vars(made_of))


def with_field(made_of: Any, name: str, value: Any) -> Any:
    """The settings with another value for one of them."""
    if is_dict(made_of):
        return made_of | {name: value}
    return dataclasses.replace(made_of, **{name: value})


def factors_of(axis: str) -> list[str]:
    """The names in an axis that is a product of sizes, such as 3*n_heads*d_head; of one name, that name."""
    return [part for part in axis.split("*") if not part.isdigit()]


def size_of(axis: str, known: Mapping[str, Any]) -> Any:
    """The size of an axis, which may be a product of those that are known. Raises KeyError for another."""
    if axis in known:
        return known[axis]
    return math.prod(int(part) if part.isdigit() else known[part] for part in axis.split("*"))


def field_of(made_of: Any, name: str) -> Any:
    """One of the settings. Raises KeyError, naming it, where there is none of this name."""
    return fields_of(made_of)[name]
