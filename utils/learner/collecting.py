"""Collects what a learner wrote: a passing component's source goes to my_gpt/, with the imports and helpers it uses."""

import ast
import itertools
import symtable
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_IMPORTS = (ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class _Statement:
    """A top-level statement that binds names: its source, what it binds, what it uses."""

    source: str
    binds: frozenset[str]
    uses: frozenset[str]
    is_import: bool


def gather(symbol: str, cells: list[str]) -> str:
    """The source of `symbol` as last defined in the executed `cells`, after all that it uses, imports first.

    Raises LookupError when no cell defines it.
    """
    statements = [statement for cell in cells for statement in _statements(cell)]
    needed: dict[int, _Statement] = {}
    wanted, known = [symbol], set()
    while wanted:
        name = wanted.pop()
        known.add(name)
        found = [index for index, statement in enumerate(statements) if name in statement.binds]
        if found and found[-1] not in needed:
            needed[found[-1]] = statements[found[-1]]
            wanted.extend(needed[found[-1]].uses - known)
    if not any(symbol in statement.binds for statement in needed.values()):
        raise LookupError(f"no cell of this notebook defines {symbol}")
    ordered = [needed[index] for index in sorted(needed)]
    imports = sorted({statement.source for statement in ordered if statement.is_import})
    definitions = [statement.source for statement in ordered if not statement.is_import]
    return "\n".join(imports) + "\n\n\n" * bool(imports) + "\n\n\n".join(definitions) + "\n"


def save(source: str, file: Path) -> None:
    """Write `source` to `file`; another text that stands there is kept in the folder `earlier` beside it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.exists():
        before = file.read_text(encoding="utf-8")
        if before == source:
            return
        earlier = file.parent / "earlier"
        earlier.mkdir(exist_ok=True)
        places = (earlier / f"{file.stem}.{number}.py" for number in itertools.count(1))
        next(place for place in places if not place.exists()).write_text(before, encoding="utf-8")
    partial = file.with_suffix(".partial")
    partial.write_text(source, encoding="utf-8")
    partial.replace(file)


def _statements(cell: str) -> list[_Statement]:
    """What a cell binds; nothing, when it is no Python (IPython remembers such cells too)."""
    found = []
    try:
        for node in ast.parse(cell).body:
            if binds := _binds(node):
                source = _source(cell, node)
                uses = frozenset(_globals(symtable.symtable(source, "cell", "exec"))) - binds
                found.append(_Statement(source, binds, uses, isinstance(node, _IMPORTS)))
    except SyntaxError:
        return []
    return found


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    """The names that code reads from its module; a function's local variable of the same name is another thing."""
    is_module = table.get_type() == "module"
    for name in table.get_symbols():
        if name.is_referenced() and (is_module or name.is_global()):
            yield name.get_name()
    for inner in table.get_children():
        yield from _globals(inner)


def _binds(node: ast.stmt) -> frozenset[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return frozenset({node.name})
    if isinstance(node, _IMPORTS):
        return frozenset((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [part for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
        return frozenset(name.id for name in names if isinstance(name.ctx, ast.Store))  # not X in X.forward = ...
    return frozenset()


def _source(cell: str, node: ast.stmt) -> str:
    lines = cell.splitlines()
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return "\n".join(lines[first - 1 : node.end_lineno])
