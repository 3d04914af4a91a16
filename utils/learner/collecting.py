"""Collects what a learner wrote: `gather` takes it out of the cells that ran, `save` puts it into my_gpt/.

Cells are read as statements: which of them define something, what each binds, changes and reads.
"""

import ast
import builtins
import itertools
import symtable
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path

from judge.running.sources import lines_of
from utils.course.cells import as_python
from utils.course.files import write_text

RUNS_ITS_CELL = {"capture", "prun", "time"}  # magics that leave the cell's names
_IMPORTS = (ast.Import, ast.ImportFrom)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
_DEFINITIONS = (*(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), getattr(ast, "TypeAlias", ast.ClassDef))
_BRANCHING = (ast.If, ast.Try)
_BINDS_NOTHING_NEW = (ast.AugAssign, ast.Pass, ast.Raise, ast.Expr)
_PARTS = (ast.Attribute, ast.Subscript)
_ACTS = {*{"breakpoint", "compile", "eval", "exec", "exit"}, *{"get_ipython", "input", "open", "print", "quit"}}
# Functions to Python's compiler, but they run in passing.
_AT_ONCE = {"listcomp", "setcomp", "dictcomp", "genexpr"}


@dataclass(frozen=True)
class Statement:
    """A top-level statement that defines something."""

    source: str
    binds: frozenset[str]  # what it may bind; "*" for a star import
    certain: frozenset[str]  # what it binds in any case: what was before no longer matters
    changes: frozenset[str]  # Embed in Embed.forward = forward
    reads_now: frozenset[str]
    reads_later: frozenset[str]  # in the bodies of functions, when they are called
    replaces: str | None  # of two that replace the same thing the later one counts
    is_import: bool


@cache
def statements(cell: str) -> tuple[Statement, ...]:
    """What a cell defines, as IPython remembers it; nothing when it is not Python."""
    try:
        body = ast.parse(cell).body
        inner = _below_magic(body)
        if inner:
            return statements(inner)
        defining = filter(defines, body)
        return tuple(statement_of(cell, node, body) for node in defining)
    except (SyntaxError, ValueError):
        return ()


def _below_magic(body: list[ast.stmt]) -> str | None:
    """The cell below %%time, which IPython keeps as get_ipython().run_cell_magic('time', '', CELL)."""
    match body:
        case [ast.Expr(ast.Call(ast.Attribute(attr="run_cell_magic"), arguments))]:
            name, _, cell = map(ast.literal_eval, arguments)
            return as_python(cell) if name in RUNS_ITS_CELL else None
    return None


def defines(node: ast.AST) -> bool:
    """Whether all that a statement does is to define names: that may be done twice."""
    if isinstance(node, _ASSIGNMENTS):
        calls = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
        called = {func.id for func in calls if isinstance(func, ast.Name)}
        return called.isdisjoint(_ACTS)
    if isinstance(node, (*_BRANCHING, ast.ExceptHandler)):
        parts = ast.iter_child_nodes(node)
        inner = [part for part in parts if not isinstance(part, ast.expr)]
        return all(defines(part) or _is_inert(part) for part in inner)
    return isinstance(node, (*_IMPORTS, *_DEFINITIONS))


def _is_inert(node: ast.AST) -> bool:
    """Whether it does nothing, or ends what is being done."""
    match node:
        case ast.Pass() | ast.Raise() | ast.Expr(value=ast.Constant()):
            return True
    return False


def statement_of(cell: str, node: ast.stmt, body: list[ast.stmt]) -> Statement:
    """One statement of a cell's body."""
    source = _source(cell, node, body)
    table = symtable.symtable(source, "cell", "exec")
    binds = _bound(table, node)
    certain = frozenset(_certain([node]))
    changes = _changed(node) - binds
    now = frozenset(_globals(table, now=True))
    if isinstance(node, ast.AugAssign):
        now |= binds
    if isinstance(node, _BRANCHING):
        now -= certain
    if isinstance(node, ast.Assign) and not changes & _names(node.value):
        now -= changes  # f.size = 2 asks nothing of f, f.size = 2 * f.size does
    return Statement(
        source=source,
        binds=binds,
        certain=certain,
        changes=changes,
        reads_now=now,
        reads_later=frozenset(_globals(table, now=False)),
        replaces=_replaces(node),
        is_import=isinstance(node, _IMPORTS),
    )


def _source(cell: str, node: ast.stmt, body: list[ast.stmt]) -> str:
    """The statement's lines with their comments; of a line that it shares with another statement, its own part."""
    first, last = _lines(node)
    others = [_lines(other) for other in body if other is not node]
    lines = [line.rstrip("\n") for line in lines_of(cell)]
    goes_on = node.col_offset > 0 or lines[last - 1].endswith("\\")  # import math; \
    if goes_on or any(begin <= last and first <= end for begin, end in others):
        return ast.get_source_segment(cell, node) or ""
    if isinstance(node, _DEFINITIONS):
        above = reversed(lines[: first - 1])
        comments = takewhile(lambda line: line.startswith("#"), above)
        first -= len(list(comments))
    return "\n".join(lines[first - 1 : last])


def _lines(node: ast.stmt) -> tuple[int, int]:
    """The first line, that of a decorator included, and the last."""
    decorators = getattr(node, "decorator_list", [])
    first = min(line.lineno for line in [node, *decorators])
    return first, node.end_lineno or node.lineno


def _bound(table: symtable.SymbolTable, node: ast.stmt) -> frozenset[str]:
    if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
        return frozenset("*")
    symbols = table.get_symbols()
    bound = [symbol for symbol in symbols if symbol.is_assigned() or symbol.is_imported()]
    return frozenset(symbol.get_name() for symbol in bound)


def _certain(nodes: list[ast.stmt]) -> set[str]:
    """What these statements bind whichever way a condition goes."""
    return set().union(*map(_certainly_bound, nodes))


def _certainly_bound(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.If):
        return _certain(node.body) & _certain(node.orelse)
    if isinstance(node, ast.Try):
        without_error = _certain([*node.body, *node.orelse])
        after_errors = [_certain(handler.body) for handler in node.handlers]
        return without_error.intersection(*after_errors) | _certain(node.finalbody)
    if isinstance(node, _BINDS_NOTHING_NEW):
        return set()
    table = symtable.symtable(ast.unparse(node), "cell", "exec")
    return set(_bound(table, node))


def _changed(node: ast.stmt) -> frozenset[str]:
    """Embed, where an attribute or an item of Embed is assigned to, at any depth: Embed.forward.scale = 2."""
    parts = [part for part in ast.walk(node) if isinstance(part, _PARTS)]
    owners = [owner(part) for part in parts if isinstance(part.ctx, ast.Store)]
    return frozenset(target.id for target in owners if isinstance(target, ast.Name))


def owner(node: ast.expr) -> ast.expr:
    """Embed of Embed.forward.scale."""
    while isinstance(node, _PARTS):
        node = node.value
    return node


def _names(node: ast.expr) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _replaces(node: ast.stmt) -> str | None:
    """`N += 1` run twice is not the same as once; of `Embed.forward = forward` or an `if`, the last run counts."""
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0])
    if isinstance(node, _BRANCHING):
        return ast.unparse(node)
    return None


def _globals(table: symtable.SymbolTable, now: bool, running: bool = True) -> Iterator[str]:
    """The names that code reads from its module, at once or when its functions are called.

    A function's local variable of the same name is another thing. What it calls `global` counts in any case: to Python
    `calls += 1` is no look at `calls`.
    """
    if running == now:
        is_module = table.get_type() == "module"
        for symbol in table.get_symbols():
            read = symbol.is_referenced() if is_module else symbol.is_global()
            if read:
                yield symbol.get_name()
    for inner in table.get_children():
        is_function = inner.get_type() == "function"
        at_once = not is_function or inner.get_name().strip("<>") in _AT_ONCE
        yield from _globals(inner, now, running and at_once)


# What this process has saved, and so has run before
saved_here: set[bytes] = set()


def gather(symbol: str, cells: list[str]) -> str:
    """The source of `symbol` as the executed `cells` left it, after all that it uses, imports first.

    Definitions alone are gathered, in the order in which they ran. Raises LookupError when no cell defines `symbol`.
    """
    return gathered(symbol, list(itertools.chain.from_iterable(map(statements, cells))))


def gathered(symbol: str, everything: list[Statement]) -> str:
    """The source of a symbol with all that it needs, of statements in the order in which they ran."""
    found = needed(symbol, everything)
    binding = [statement for statement in found if symbol in statement.binds]
    if not binding:
        raise LookupError(f"no cell of this notebook defines `{symbol}`")
    if all(statement.is_import for statement in binding):
        raise LookupError(f"`{symbol}` is imported here; what is written in a cell can be kept")
    of_the_future = [statement for statement in everything if statement.source.startswith("from __future__ ")]
    importing = [statement for statement in found if statement.is_import]
    imports = [statement.source for statement in of_the_future + importing]
    definitions = [statement.source for statement in found if not statement.is_import]
    head = "\n".join(dict.fromkeys(imports))
    parts = [head, *definitions] if imports else definitions
    return "\n\n\n".join(parts) + "\n"


def save(source: str, file: Path) -> None:
    """Write `source` to `file`; every text that ever was in it stays in the folder `versions` beside it, numbered.

    What was there may have come from anywhere, and need not be text.
    """
    new = source.encode()
    texts = [file.read_bytes()] if file.exists() else []
    saved_here.add(new)
    if texts == [new]:
        return
    for text in [*texts, new]:
        remember(text, file)
    write_text(file, source)


def remember(text: bytes, file: Path) -> None:
    """Add a text to the versions beside the file, under the next free number, unless it is among them."""
    folder = file.parent / "versions"
    folder.mkdir(parents=True, exist_ok=True)
    for number in itertools.count(1):
        place = folder / f"{file.stem}.{number}{file.suffix}"
        try:
            new = place.open("xb")
        except FileExistsError:
            if place.is_file() and place.read_bytes() == text:
                return
            continue
        try:
            with new:
                new.write(text)
            return
        except OSError:  # such as a full disk: half a version is none
            place.unlink()
            raise


def needed(symbol: str, everything: list[Statement]) -> list[Statement]:
    """The statements that made `symbol` what it is and those that it uses, in order.

    What runs at once saw the names of its time; what runs when it is called sees them as they are now.
    """
    end = len(everything)
    places = set[int]()
    looked_up = set[tuple[str, int]]()
    wanted = [(symbol, end)]
    while wanted:
        name, before = wanted.pop()
        for index in _origins(name, everything[:before]):
            places.add(index)
            statement = everything[index]
            further = {
                *zip(statement.reads_now, itertools.repeat(index), strict=False),
                *zip(statement.reads_later, itertools.repeat(end), strict=False),
            }
            wanted.extend(further - looked_up)
            looked_up |= further
    return [everything[index] for index in sorted(places)]


def _origins(name: str, earlier: list[Statement]) -> list[int]:
    """The last statement that surely binds the name, and what may have bound or changed it since."""
    found: dict[object, int] = {}
    for index in reversed(range(len(earlier))):
        statement = earlier[index]
        if name in statement.certain:
            since = [] if statement.is_import else found.values()  # a library's changes are no definition
            return [*since, index]
        if name in statement.binds | statement.changes:
            found.setdefault(statement.replaces or index, index)
    if found:
        return list(found.values())
    from_libraries = [index for index, statement in enumerate(earlier) if "*" in statement.binds]
    if not hasattr(builtins, name):
        return from_libraries
    return [index for index in from_libraries if _shadows(earlier[index].source, name)]


def _shadows(star_import: str, name: str) -> bool:
    """Whether a library from which all is imported has a name that Python has too: torch's `sum` and `max`.

    Nothing is imported to see it: one that is not there already may not be there for the answer either.
    """
    module = sys.modules.get(star_import.split()[1])
    public = getattr(module, "__all__", None)
    return hasattr(module, name) if public is None else name in public
