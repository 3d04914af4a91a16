"""Which variables of its notebook a piece of code reads: a common accident, since demonstrations leave theirs."""

import ast
import dis
import linecache
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
from torch import Tensor, nn

DATA = (bool, int, float, complex, str, bytes, list, tuple, dict, set, Tensor, nn.Module, np.ndarray, np.generic)


def data_read(component: Any) -> list[str]:
    """The global names that hold data where the code of a class or function reads them.

    Constants in capitals aside, and what the same cell makes: that is no accident.
    """
    found: dict[str, None] = {}
    for function in _functions(component):
        meant = _made_in_its_cell(function.__code__.co_filename)
        for name in _names(function.__code__):
            if name in meant or name.isupper() or name.startswith("__"):
                continue
            if isinstance(function.__globals__.get(name), DATA):
                found[name] = None
    return list(found)


def _functions(component: Any) -> Iterator[types.FunctionType]:
    if isinstance(component, types.FunctionType):
        yield component
    for value in vars(component).values() if isinstance(component, type) else ():
        if isinstance(value, types.FunctionType):
            yield value


def _made_in_its_cell(filename: str) -> set[str]:
    """The names that a notebook's cell assigns outside of its functions and classes; none where this is no cell."""
    if "ipykernel" not in filename and not filename.startswith("<"):
        return set()
    try:
        lines = ast.parse("".join(linecache.getlines(filename))).body
    except (SyntaxError, ValueError, RecursionError):  # such as a cell with a line of IPython's
        return set()
    assigned = (node for line in lines if isinstance(line, (ast.Assign, ast.AnnAssign)) for node in ast.walk(line))
    return {node.id for node in assigned if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _names(code: types.CodeType) -> Iterator[str]:
    """The global names that code loads, inner functions included."""

    yield from (str(step.argval) for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL")
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
