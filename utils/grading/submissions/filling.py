"""The statements of a cell that an answer may need: those that define something, and those that fill or change it.

A loop that fills a table is run with an answer that reads the table; where nothing needs it, it is left out.
"""

import ast
from collections.abc import Iterator
from dataclasses import replace

from utils.learner.statements import Statement, defines, statement_of

_BLOCKS = (ast.For, ast.While, ast.With)
_CHANGING = {"add", "append", "extend", "insert", "setdefault", "sort", "update"}


def statements_in(source: str, tree: ast.Module) -> Iterator[Statement]:
    """In their order. Raises what Python's symtable raises, a SyntaxError or a ValueError."""
    for node in tree.body:
        changed = _changed(node)
        if not (changed or isinstance(node, _BLOCKS) or defines(node)):
            continue
        one = statement_of(source, node, tree.body)
        if not defines(node):
            one = replace(
                one,
                certain=frozenset(),
                changes=one.changes | changed,
                replaces=None,
            )
        yield one


def _changed(node: ast.stmt) -> frozenset[str]:
    """`table` of `table.append(3)` and of `setattr(table, ...)`, in this statement or within a loop."""
    if not isinstance(node, (*_BLOCKS, ast.Expr)):
        return frozenset()
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    names = map(_changed_by, calls)
    return frozenset(filter(None, names))


def _changed_by(call: ast.Call) -> str:
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in _CHANGING:
            return name
        case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=name), *_]):
            return name
    return ""
