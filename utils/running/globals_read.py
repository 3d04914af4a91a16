"""Which variables of its notebook a piece of code reads: a common accident, since demonstrations leave theirs."""

import dis
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
from torch import Tensor, nn

DATA = (bool, int, float, complex, str, bytes, list, tuple, dict, set, Tensor, nn.Module, np.ndarray, np.generic)


def data_read(component: Any) -> list[str]:
    """The global names that hold data where the code of a class or function reads them; constants in capitals aside."""
    found: dict[str, None] = {}
    for function in _functions(component):
        for name in _names(function.__code__):
            if isinstance(function.__globals__.get(name), DATA) and not name.isupper() and not name.startswith("__"):
                found[name] = None
    return list(found)


def _functions(component: Any) -> Iterator[types.FunctionType]:
    if isinstance(component, types.FunctionType):
        yield component
    for value in vars(component).values() if isinstance(component, type) else ():
        if isinstance(value, types.FunctionType):
            yield value


def _names(code: types.CodeType) -> Iterator[str]:
    """The global names that code loads, inner functions included."""

    yield from (str(step.argval) for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL")
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
