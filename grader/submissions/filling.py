"""The statements of a cell that an answer may need: those that define something, and those that fill or change it.

A loop that fills a table is run with an answer that reads the table; where nothing needs it, it is left out.
"""

import ast
from collections.abc import Iterator
from dataclasses import replace

from utils.learner.statements import Statement, defines, owner, statement_of

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
        one = _read(source, node, tree.body)
        if one.binds or one.changes or _calls(node):
            yield one


def with_what_definitions_fill(everything: list[Statement]) -> list[Statement]:
    """Each function and class changes too what its decorators and bases do, as the notebook defines those.

    `@register("gelu")` fills the table that `register` writes to, a subclass that of `__init_subclass__`.
    """
    fills: dict[str, frozenset[str]] = {}
    found: list[Statement] = []
    for one in everything:
        if _is_definition(one):
            filled = frozenset[str]().union(*(fills.get(name, frozenset()) for name in one.reads_now))
            one = replace(one, changes=(one.changes | filled) - one.binds)
            fills.update(dict.fromkeys(one.binds, one.changes))
        found.append(one)
    return found


def _is_definition(one: Statement) -> bool:
    first = next((line for line in one.source.split("\n") if not line.startswith("#")), "")
    return first.startswith(("@", "def ", "class ", "async def "))


def _read(source: str, node: ast.stmt, body: list[ast.stmt]) -> Statement:
    one = statement_of(source, node, body)
    one = replace(one, changes=(one.changes | _changed(node)) - one.binds)
    if isinstance(node, ast.Assign):
        by_text = frozenset(filter(None, map(_set_by_text, node.targets)))
        return replace(one, binds=one.binds | by_text, certain=one.certain | by_text)
    if defines(node):
        return one
    return replace(one, certain=frozenset(), replaces=None)


def _changed(node: ast.stmt) -> frozenset[str]:
    """`table` of `table.append(3)`, `del table[3]` and `setattr(table, ...)`, in this statement or within a block.

    Of a function it is what its decorators are given: `@added_to(LayerNorm)`.
    """
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            changed = [part for one in node.decorator_list for part in _decorated(one)]
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Import() | ast.ImportFrom():
            return frozenset()
        case _:
            changed = [part for one in ast.walk(node) for part in changed_by(one)]
    return frozenset(filter(None, map(_name, changed)))


def changed_by(node: ast.AST) -> Iterator[ast.expr]:
    """What a single node changes in place: `table` of `table.append(3)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in _CHANGING or _in_place(method):
            yield value
        case ast.Delete(targets=targets):
            yield from (one.value for one in targets if isinstance(one, (ast.Attribute, ast.Subscript)))
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
        case ast.Call(func=ast.Name(id="vars"), args=[one]):
            return _name(one)
    return whole.id if isinstance(whole, ast.Name) else ""


def _calls(node: ast.stmt) -> bool:
    """Whether a call is in it: what that fills is for `calling` to see."""
    return any(isinstance(one, ast.Call) for one in ast.walk(node))


def _makes_nothing(node: ast.stmt) -> bool:
    """Such as a text, or `del LayerNorm` after all is done."""
    match node:
        case ast.Expr():
            names_something = any(isinstance(one, ast.NamedExpr) for one in ast.walk(node))
            return not names_something and not _changed(node) and not _calls(node)
        case ast.Delete():
            return any(isinstance(one, ast.Name) for one in node.targets)
    return isinstance(node, (ast.Assert, ast.Pass, ast.Raise))
