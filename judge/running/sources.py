"""A learner's code as text: run as a notebook runs a cell, and read again: its functions, the variables it reads."""

import ast
import dis
import hashlib
import inspect
import io
import linecache
import textwrap
import types
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from judge.running.on_demand import Module, Tensor, generic, ndarray


def lines_of(source: str) -> list[str]:
    """Its lines with their ends, as Python counts them: a form feed ends none, nor does what Unicode has for that."""
    return io.StringIO(source, newline=None).readlines()


def run_cell(source: str, names: dict[str, Any]) -> None:
    """Run it with these names, among which it leaves what it defines. Raises what the source raises."""
    name = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
    file = f"<{name[:16]}>"
    linecache.cache[file] = (len(source), None, lines_of(source), file)  # for what is said of an error
    exec(compile(source, file, "exec", dont_inherit=True), names)


MOST_FUNCTIONS = 50
MOST_CHARACTERS = 20_000  # of one function


def sources_of(component: Any) -> list[str]:
    """The text of each function, methods of a class included; nothing where it can't be read.

    Empty lines stand above it, so that each line has the number that it has in its file.
    """
    found: dict[CodeType, str] = {}
    waiting = list(_functions(component))
    while waiting and len(found) < MOST_FUNCTIONS:
        function = waiting.pop(0)
        if function.__code__ in found:
            continue
        found[function.__code__] = _text(function)
        waiting += _called_in_its_file(function)
    return [text for text in found.values() if text]


def _functions(component: Any) -> Iterator[FunctionType]:
    """The function itself, or those of a class, of those that it is made of in the same file too."""
    classes = component.__mro__ if isinstance(component, type) else ()
    file = ""
    for value in [component, *(value for owner in classes for value in vars(owner).values())]:
        function = inspect.unwrap(value) if callable(value) and not isinstance(value, type) else value
        if isinstance(function, FunctionType):
            file = file or function.__code__.co_filename
            if function.__code__.co_filename == file:
                yield function


def _called_in_its_file(function: FunctionType) -> Iterator[FunctionType]:
    """The functions and classes of the same file that it reads by name."""
    for name in _names(function.__code__):
        for called in _functions(function.__globals__.get(name)):
            if called.__code__.co_filename == function.__code__.co_filename:
                yield called


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _text(function: FunctionType) -> str:
    try:
        lines, first = inspect.getsourcelines(function)
        return "\n" * (first - 1) + textwrap.dedent("".join(lines))[:MOST_CHARACTERS]
    except (OSError, TypeError, SyntaxError, IndexError):
        return ""


PLAIN = (bool, int, float, complex, str, bytes, list, tuple, dict, set)
DATA = (*PLAIN, Tensor, Module, ndarray, generic)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign)


def data_read(component: Any) -> list[str]:
    """The global names that hold data where the code of a class or function reads them.

    Constants in capitals aside, and what the same cell makes, or the code itself as a `global`: that is no accident.
    """
    found: dict[str, None] = {}
    for function in _functions_in(component):
        code = function.__code__
        meant = _made_in_its_cell(code.co_filename).union(_globals_in(code, "STORE_GLOBAL"))
        for name in _globals_in(code, "LOAD_GLOBAL"):
            value = function.__globals__.get(name)
            if isinstance(value, DATA) and _may_be_an_accident(name, meant):
                found[name] = None
    return list(found)


def _may_be_an_accident(name: str, meant: set[str]) -> bool:
    is_constant = name.isupper() or name.startswith("__")
    return not is_constant and name not in meant


def _functions_in(component: Any) -> list[types.FunctionType]:
    """The function itself, or those of a class."""
    of_a_class = vars(component).values() if isinstance(component, type) else ()
    candidates = [component, *of_a_class]
    return [candidate for candidate in candidates if isinstance(candidate, types.FunctionType)]


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


def _globals_in(code: types.CodeType, step_of: str) -> Iterator[str]:
    """The global names in such steps of code, inner functions included: those that it loads, or stores."""
    for step in dis.get_instructions(code):
        if step.opname == step_of:
            yield str(step.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals_in(constant, step_of)
