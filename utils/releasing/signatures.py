"""Whether an answer has what a stub asks for, where nobody knows which stub it was written for."""

import ast
from collections.abc import Iterator


def has_signatures_of(stub: str, answer: str) -> bool:
    """Whether the answer defines all that the stub defines, with the same parameters."""
    due, there = (set(_signatures(text)) for text in (stub, answer))
    return bool(due) and due <= there


def _signatures(text: str) -> Iterator[tuple[str, ...]]:
    """The names of each class, function and method, and of its parameters."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield (node.name,)
            yield from ((node.name, *_signature(one)) for one in node.body if isinstance(one, ast.FunctionDef))
        elif isinstance(node, ast.FunctionDef):
            yield _signature(node)


def _signature(function: ast.FunctionDef) -> tuple[str, ...]:
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return (function.name, *(one.arg for one in parameters))
