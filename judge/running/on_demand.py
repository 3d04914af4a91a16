"""torch and NumPy for modules that also judge exercises without them: imported at first use, by whoever uses them.

A course of plain Python has neither, and waits for neither. So the judge imports them from here and nowhere else, but
for modules that only an exercise of torch brings in, such as operations.py:

- `torch`, `nn` and `np` stand for modules. The first name that is read of one imports the library; from then on both
  share their names, so that a stand-in is as quick as the module, and shows what somebody puts into it.
- `Tensor`, `Module`, `ndarray`, `generic` and `integer` stand for classes, in annotations and where something is asked
  of a class or its methods: `isinstance`, `issubclass`, `hasattr`. They import nothing: until somebody has imported the
  library, no value is of its classes, and none of their methods is known.
- `Float[Tensor, "batch pos"]` only says the axes to the reader: jaxtyping would import NumPy.

Annotations that name anything else of a library, such as `torch.dtype`, are not evaluated:
`from __future__ import annotations`.
"""

import importlib
import sys
from typing import TYPE_CHECKING, Annotated, Any

if TYPE_CHECKING:
    import numpy as np
    import torch
    from jaxtyping import Float
    from numpy import generic, integer, ndarray
    from torch import Tensor, nn
    from torch.nn import Module

__all__ = ["Float", "Module", "Tensor", "generic", "integer", "is_imported", "ndarray", "nn", "np", "torch"]


def is_imported(library: str) -> bool:
    """Whether anybody has imported it: else no value is one of its own, and none of its settings can have changed."""
    return sys.modules.get(library) is not None


class _Module:
    """Stands for a module that is imported once a name of it is read."""

    def __init__(self, name: str):
        self._stands_for = name

    def __getattr__(self, name: str) -> Any:
        found = vars(self).get("_stands_for") or vars(self).get("__name__")
        if not found or (name.startswith("__") and "_stands_for" in vars(self)):
            raise AttributeError(name)  # of a copy, or of whoever only looks what this is
        module = importlib.import_module(found)
        self.__dict__ = vars(module)
        return getattr(module, name)


class _Class(type):
    """The type of what stands for a class."""

    _library: str
    _found: Any = ()  # the class, once it has been found

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls._found or cls._find())

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls._found or cls._find())

    def __getattr__(cls, name: str) -> Any:
        found = cls._found or cls._find()
        if not found:
            raise AttributeError(name)
        return getattr(found, name)

    def _find(cls) -> Any:
        """The class; () where its library is not imported, or only begins to be: nothing is an instance of that."""
        cls._found = getattr(sys.modules.get(cls._library), cls.__name__, ())
        return cls._found


def _class(library: str, name: str) -> Any:
    return _Class(name, (), {"_library": library})


if not TYPE_CHECKING:
    torch, nn, np = _Module("torch"), _Module("torch.nn"), _Module("numpy")
    Tensor, Module = _class("torch", "Tensor"), _class("torch.nn", "Module")
    ndarray, generic, integer = (_class("numpy", name) for name in ("ndarray", "generic", "integer"))
    Float = Annotated
