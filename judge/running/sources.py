"""The source of what a learner wrote: of each function of an answer, and of those in the same file that it calls."""

import inspect
import textwrap
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

MOST_FUNCTIONS = 50
MOST_CHARACTERS = 20_000  # of one function


def sources_of(component: Any) -> list[str]:
    """The text of each function, methods of a class included; nothing where it can't be read."""
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
    for value in [component, *(value for one in classes for value in vars(one).values())]:
        one = inspect.unwrap(value) if callable(value) and not isinstance(value, type) else value
        if isinstance(one, FunctionType):
            file = file or one.__code__.co_filename
            if one.__code__.co_filename == file:
                yield one


def _called_in_its_file(function: FunctionType) -> Iterator[FunctionType]:
    """Those functions and classes of the same file that it reads by name."""
    for name in _names(function.__code__):
        for one in _functions(function.__globals__.get(name)):
            if one.__code__.co_filename == function.__code__.co_filename:
                yield one


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _text(function: FunctionType) -> str:
    try:
        return textwrap.dedent(inspect.getsource(function))[:MOST_CHARACTERS]
    except (OSError, TypeError, SyntaxError, IndexError):
        return ""
