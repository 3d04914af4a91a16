"""Reads a notebook's cells as statements: which of them define something, what each binds, changes and reads."""

import ast
import symtable
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

RUNS_ITS_CELL = {"capture", "prun", "time"}  # magics after which the cell's names are there
_IMPORTS = (ast.Import, ast.ImportFrom)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, getattr(ast, "TypeAlias", ast.ClassDef))
_ACTS = {"breakpoint", "compile", "eval", "exec", "exit", "get_ipython", "input", "open", "print", "quit"}
_AT_ONCE = {"listcomp", "setcomp", "dictcomp", "genexpr"}  # functions to Python's compiler, but they run in passing


@dataclass(frozen=True)
class Statement:
    """A top-level statement that defines something."""

    source: str
    binds: frozenset[str]  # what it may bind; "*" for a star import
    certain: frozenset[str]  # what it binds in any case: earlier definitions of these no longer matter
    changes: frozenset[str]  # Embed in Embed.forward = forward
    reads_now: frozenset[str]
    reads_later: frozenset[str]  # in the bodies of functions, when they are called
    replaces: str | None  # of two statements that replace the same thing the later one counts
    is_import: bool


@cache
def statements(cell: str) -> tuple[Statement, ...]:
    """What a cell defines, as IPython remembers it; nothing when it is not Python."""
    try:
        body = ast.parse(cell).body
        inner = _below_magic(body)
        return statements(inner) if inner else tuple(_statement(cell, node, body) for node in body if _defines(node))
    except (SyntaxError, ValueError):
        return ()


def _below_magic(body: list[ast.stmt]) -> str | None:
    """The cell below %%time, which IPython keeps as get_ipython().run_cell_magic('time', '', CELL)."""
    match body:
        case [
            ast.Expr(ast.Call(ast.Attribute(attr="run_cell_magic"), [ast.Constant(name), _, ast.Constant(str(cell))]))
        ]:
            if name in RUNS_ITS_CELL:
                from IPython.core.inputtransformer2 import TransformerManager

                return TransformerManager().transform_cell(cell)
    return None


def _defines(node: ast.stmt) -> bool:
    """Whether all that a statement does is to define names: that may be done twice."""
    if isinstance(node, _ASSIGNMENTS):
        calls = [inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call)]
        return not any(isinstance(called, ast.Name) and called.id in _ACTS for called in calls)
    if isinstance(node, (ast.If, ast.Try)):
        inert = (ast.Pass, ast.Raise)
        return all(_defines(inner) or isinstance(inner, inert) or _is_text(inner) for inner in _within(node))
    return isinstance(node, (*_IMPORTS, *_DEFINITIONS))


def _within(node: ast.If | ast.Try) -> Iterator[ast.stmt]:
    yield from [*node.body, *node.orelse]
    if isinstance(node, ast.Try):
        yield from [*node.finalbody, *(inner for handler in node.handlers for inner in handler.body)]


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _statement(cell: str, node: ast.stmt, body: list[ast.stmt]) -> Statement:
    source = _source(cell, node, body)
    table = symtable.symtable(source, "cell", "exec")
    binds = _bound(table, node)
    now, later = frozenset(_globals(table, now=True)), frozenset(_globals(table, now=False))
    certain = frozenset(_certain([node]))
    changes = frozenset(_changed(node)) - binds
    if isinstance(node, ast.AugAssign):
        now |= binds
    if isinstance(node, (ast.If, ast.Try)):
        now -= certain
    if isinstance(node, ast.Assign) and not changes & {inner.id for inner in _names(node.value)}:
        now -= changes  # f.size = 2 asks nothing of f, f.size = 2 * f.size does
    return Statement(source, binds, certain, changes, now, later, _replaces(node), isinstance(node, _IMPORTS))


def _source(cell: str, node: ast.stmt, body: list[ast.stmt]) -> str:
    """The statement's lines with their comments; of a line that it shares with another statement, its own part."""
    first, last = _lines(node)
    others = [_lines(other) for other in body if other is not node]
    if any(begin <= last and first <= end for begin, end in others):
        return ast.get_source_segment(cell, node) or ""
    lines = cell.splitlines()
    if isinstance(node, _DEFINITIONS):  # with the comments right above it
        while first > 1 and lines[first - 2].startswith("#"):
            first -= 1
    return "\n".join(lines[first - 1 : last])


def _lines(node: ast.stmt) -> tuple[int, int]:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)]), node.end_lineno or node.lineno


def _bound(table: symtable.SymbolTable, node: ast.stmt) -> frozenset[str]:
    if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
        return frozenset("*")
    names = (name for name in table.get_symbols() if name.is_assigned() or name.is_imported())
    return frozenset(name.get_name() for name in names)


def _certain(nodes: list[ast.stmt]) -> set[str]:
    """What these statements bind whichever way a condition goes."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.If):
            found |= _certain(node.body) & _certain(node.orelse)
        elif isinstance(node, ast.Try):
            ways = [_certain([*node.body, *node.orelse]), *(_certain(handler.body) for handler in node.handlers)]
            found |= set.intersection(*ways) | _certain(node.finalbody)
        elif not isinstance(node, (ast.AugAssign, ast.Pass, ast.Raise, ast.Expr)):
            table = symtable.symtable(ast.unparse(node), "cell", "exec")
            found |= _bound(table, node)
    return found


def _changed(node: ast.stmt) -> Iterator[str]:
    """Embed, where an attribute or an item of Embed is assigned to, at any depth: Embed.forward.scale = 2."""
    for inner in ast.walk(node):
        if isinstance(inner, (ast.Attribute, ast.Subscript)) and isinstance(inner.ctx, ast.Store):
            while isinstance(inner, (ast.Attribute, ast.Subscript)):
                inner = inner.value
            if isinstance(inner, ast.Name):
                yield inner.id


def _names(node: ast.expr) -> Iterator[ast.Name]:
    return (inner for inner in ast.walk(node) if isinstance(inner, ast.Name))


def _replaces(node: ast.stmt) -> str | None:
    """`N += 1` run twice is not the same as once; of `Embed.forward = forward` or an `if`, the last run counts."""
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0])
    return ast.unparse(node) if isinstance(node, (ast.If, ast.Try)) else None


def _globals(table: symtable.SymbolTable, now: bool, running: bool = True) -> Iterator[str]:
    """The names that code reads from its module, at once or when its functions are called.

    A function's local variable of the same name is another thing.
    """
    is_module = table.get_type() == "module"
    if running == now:
        for name in table.get_symbols():
            if name.is_referenced() and (is_module or name.is_global()):
                yield name.get_name()
    for inner in table.get_children():
        at_once = inner.get_type() != "function" or inner.get_name().strip("<>") in _AT_ONCE
        yield from _globals(inner, now, running and at_once)
