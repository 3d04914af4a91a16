"""A code cell as the statements that an answer may need, whatever else stands in it; most are read once for a class.

Those are needed that define something, and those that fill or change it: a loop that fills a table is run with an
answer that reads the table; where nothing needs it, it is left out.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from grader.submissions.chapters import names_defined
from grader.submissions.commands import (
    TOO_LONG,
    Newer,
    below_unknown_magic,
    in_older_syntax,
    of_a_newer_python,
    parsed,
    runnable,
    tree_or_mistake,
)
from utils.learner.collecting import Statement, defines, owner, statement_of

_CHANGING = {
    *{"add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "popleft"},
    *{"register", "register_buffer", "register_parameter", "remove", "reverse", "setdefault", "sort", "update"},
}
_CHANGES_ITS_FIRST = {"delattr", "fill_diagonal", "heapify", "heappop", "heappush", "setattr", "shuffle"}


def statements_in(source: str, tree: ast.Module) -> Iterator[Statement]:
    """In their order, calls among them. Raises what Python's symtable raises, a SyntaxError or a ValueError."""
    for node in tree.body:
        if _makes_nothing(node):
            continue
        statement = _read(source, node, tree.body)
        if statement.binds or statement.changes or _calls(node):
            yield statement


def with_what_definitions_fill(everything: list[Statement]) -> list[Statement]:
    """Each function and class changes too what its decorators and bases do, as the notebook defines those.

    `@register("gelu")` fills the table that `register` writes to, a subclass that of `__init_subclass__`.
    """
    fills: dict[str, frozenset[str]] = {}
    found: list[Statement] = []
    for statement in everything:
        first = next((line for line in statement.source.split("\n") if not line.startswith("#")), "")
        if first.startswith(("@", "def ", "class ", "async def ")):
            filled = frozenset[str]().union(*(fills.get(name, frozenset()) for name in statement.reads_now))
            statement = replace(statement, changes=(statement.changes | filled) - statement.binds)
            fills.update(dict.fromkeys(statement.binds, statement.changes))
        found.append(statement)
    return found


def _read(source: str, node: ast.stmt, body: list[ast.stmt]) -> Statement:
    statement = statement_of(source, node, body)
    statement = replace(statement, changes=(statement.changes | _changed(node)) - statement.binds)
    if isinstance(node, ast.Assign):
        by_text = frozenset(filter(None, map(_set_by_text, node.targets)))
        return replace(statement, binds=statement.binds | by_text, certain=statement.certain | by_text)
    if defines(node):
        return statement
    return replace(statement, certain=frozenset(), replaces=None)


def _changed(node: ast.stmt) -> frozenset[str]:
    """`table` of `table.append(3)`, `del table[3]` and `setattr(table, ...)`, in this statement or within a block.

    Of a function it is what its decorators are given: `@added_to(LayerNorm)`.
    """
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            changed = [part for decorator in node.decorator_list for part in _decorated(decorator)]
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Import() | ast.ImportFrom():
            return frozenset()
        case _:
            changed = [part for inner in ast.walk(node) for part in changed_by(inner)]
    return frozenset(filter(None, map(_name, changed)))


def changed_by(node: ast.AST) -> Iterator[ast.expr]:
    """What a single node changes in place: `table` of `table.append(3)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in _CHANGING or _in_place(method):
            yield value
        case ast.Delete(targets=targets):
            yield from (target.value for target in targets if isinstance(target, (ast.Attribute, ast.Subscript)))
    match node:
        case ast.Call(func=ast.Attribute(attr=called) | ast.Name(id=called), args=[first, *_]):
            if called in _CHANGES_ITS_FIRST or _in_place(called):
                yield first


def _in_place(name: str) -> bool:
    """Whether it is one of torch's that change what they are called for: `fill_`, `nn.init.normal_`."""
    return name.endswith("_") and not name.endswith("__")


def _decorated(decorator: ast.expr) -> Iterator[ast.expr]:
    """`LayerNorm` of `@added_to(LayerNorm)` and of `@LayerNorm.register`; of `@registry("gelu")` the registry."""
    if isinstance(decorator, ast.Call):
        yield from decorator.args
        decorator = decorator.func
        yield decorator
    elif isinstance(decorator, ast.Attribute):
        yield decorator


def _set_by_text(target: ast.expr) -> str:
    """`NAME` of `globals()["NAME"]`."""
    match target:
        case ast.Subscript(value=ast.Call(func=ast.Name(id="globals")), slice=ast.Constant(value=str(name))):
            return name
    return ""


def _name(changed: ast.expr) -> str:
    """`table` of `table["a"].rows` and of `vars(table)`."""
    whole = owner(changed)
    match whole:
        case ast.Call(func=ast.Name(id="vars"), args=[argument]):
            return _name(argument)
    return whole.id if isinstance(whole, ast.Name) else ""


def _calls(node: ast.stmt) -> bool:
    """Whether a call is in it: what that fills is for `calling` to see."""
    return any(isinstance(part, ast.Call) for part in ast.walk(node))


def _makes_nothing(node: ast.stmt) -> bool:
    """Such as a text, or `del LayerNorm` after all is done."""
    match node:
        case ast.Expr():
            names_something = any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))
            return not names_something and not _changed(node) and not _calls(node)
        case ast.Delete():
            return any(isinstance(target, ast.Name) for target in node.targets)
    return isinstance(node, (ast.Assert, ast.Pass, ast.Raise))


OURS = {"author", "benchmarks", "grader", "judge", "my_gpt", "solutions", "tests", "training", "utils"}
BORROWS = re.compile(r"\bpieces\s*\(")


def course_module(statement: Statement) -> bool:
    """Whether it takes what it binds from the course: imports it from there, or calls `pieces`."""
    if statement.is_import:
        return bool(own_imports(statement.source))
    return "pieces" in statement.reads_now and bool(BORROWS.search(statement.source))


@lru_cache(maxsize=4096)  # most statements are the same in all submissions of a chapter
def own_imports(source: str) -> frozenset[str]:
    """The modules of the course that it imports, wherever."""
    found: set[str] = set()
    for node in ast.walk(parsed(source) or ast.Pass()):
        match node:
            case ast.ImportFrom(module=str(module)):
                found.add(module)
            case ast.Import(names=aliases):
                found |= {alias.name for alias in aliases}
    return frozenset(module for module in found if module.partition(".")[0] in OURS)


MOST_STATEMENTS = 2_000  # of a cell
REMEMBERED = 60_000  # characters of a cell: all that a chapter gives is half as long


@dataclass(frozen=True)
class ParsedCell:
    """A code cell as it is read."""

    source: str
    statements: tuple[Statement, ...] = ()
    mistake: SyntaxError | None = None
    too_long: bool = False

    @property
    def is_read(self) -> bool:
        """Whether its statements are all there."""
        return not self.mistake and not self.too_long

    @property
    def newer(self) -> Newer | None:
        """What it has of a newer Python than this one, which alone keeps it from being read."""
        return of_a_newer_python(self.source) if self.mistake else None

    @property
    def unread(self) -> tuple[Statement, ...]:
        """What it would bind and change, where it is of a newer Python: their sources are not the cell's."""
        return parsed_cell(in_older_syntax(self.source)).statements if self.newer else ()

    def defining(self, symbol: str) -> list[Statement]:
        """The statements that write it here, and take it neither from a library nor from the course."""
        written = [statement for statement in self.statements if symbol in statement.binds and not statement.is_import]
        return [statement for statement in written if not course_module(statement)]

    def seems_to_define(self, symbol: str) -> bool:
        """Whether it is no Python, and would otherwise define it."""
        return self.mistake is not None and symbol in names_defined(self.source)


def parsed_cell(cell: str) -> ParsedCell:
    """Raises nothing."""
    return (_parsed_once if len(cell) <= REMEMBERED else _parsed_lately)(cell)


def _parsed_anew(cell: str) -> ParsedCell:
    if cell == TOO_LONG:
        return ParsedCell(cell, too_long=True)
    source = runnable(cell)
    below = "" if source else below_unknown_magic(cell)
    if below and of_a_newer_python(below):  # dropped for what this Python can't read
        source = below
    tree = tree_or_mistake(source)
    if isinstance(tree, SyntaxError):
        return ParsedCell(source, mistake=tree)
    if len(tree.body) > MOST_STATEMENTS:
        return ParsedCell(source, too_long=True)
    try:
        return ParsedCell(source, tuple(statements_in(source, tree)))
    except SyntaxError as error:  # what symtable alone minds
        return ParsedCell(source, mistake=error)
    except ValueError as error:
        return ParsedCell(source, mistake=SyntaxError(str(error)))
    except (RecursionError, MemoryError):
        return ParsedCell(source, mistake=SyntaxError("it is nested too deeply"))


# Most cells are the same in all submissions of a chapter
_parsed_once = lru_cache(maxsize=4096)(_parsed_anew)
# and a long one is the same for each exercise that is looked for in it
_parsed_lately = lru_cache(maxsize=16)(_parsed_anew)
