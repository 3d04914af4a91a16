"""Which variables of its notebook a piece of code reads: a common accident, since demonstrations leave theirs."""

import ast
import dis
import linecache
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
from torch import Tensor, nn

PLAIN = (bool, int, float, complex, str, bytes, list, tuple, dict, set)
DATA = (*PLAIN, Tensor, nn.Module, np.ndarray, np.generic)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign)


def data_read(component: Any) -> list[str]:
    """The global names that hold data where the code of a class or function reads them.

    Constants in capitals aside, and what the same cell makes: that is no accident.
    """
    found: dict[str, None] = {}
    for function in _functions(component):
        meant = _made_in_its_cell(function.__code__.co_filename)
        for name in _names(function.__code__):
            value = function.__globals__.get(name)
            if isinstance(value, DATA) and _may_be_an_accident(name, meant):
                found[name] = None
    return list(found)


def _may_be_an_accident(name: str, meant: set[str]) -> bool:
    is_constant = name.isupper() or name.startswith("__")
    return not is_constant and name not in meant


def _functions(component: Any) -> list[types.FunctionType]:
    """The function itself, or those of a class."""
    of_a_class = vars(component).values() if isinstance(component, type) else ()
    candidates = [component, *of_a_class]
    return [one for one in candidates if isinstance(one, types.FunctionType)]


def _made_in_its_cell(filename: str) -> set[str]:
    """The names that a notebook's cell assigns outside of its functions and classes; none where this is no cell."""
    is_a_cell = "ipykernel" in filename or filename.startswith("<")
    if not is_a_cell:
        return set()
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError, RecursionError):  # such as a cell with a line of IPython's
        return set()
    assignments = [line for line in tree.body if isinstance(line, ASSIGNMENTS)]
    nodes = [node for line in assignments for node in ast.walk(line)]
    names = [node for node in nodes if isinstance(node, ast.Name)]
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _names(code: types.CodeType) -> Iterator[str]:
    """The global names that code loads, inner functions included."""
    for step in dis.get_instructions(code):
        if step.opname == "LOAD_GLOBAL":
            yield str(step.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
