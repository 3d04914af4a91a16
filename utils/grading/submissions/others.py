"""What of a notebook belongs to other exercises: it is left out of an answer, which is judged with other parts."""

import ast
import re
from collections.abc import Callable
from dataclasses import replace

from utils.grading.submissions.commands import parsed
from utils.learner.statements import Statement

OURS = {"benchmarks", "my_gpt", "solutions", "tests", "training", "utils"}
BORROWS = re.compile(r"\bpieces\s*\(")


def course_module(one: Statement) -> bool:
    """Whether it takes what it binds from the course: imports it from there, or calls `pieces`."""
    if one.is_import:
        return bool(own_imports(one.source))
    return "pieces" in one.reads_now and bool(BORROWS.search(one.source))


def own_imports(source: str) -> set[str]:
    """The modules of the course that it imports, wherever."""
    tree = parsed(source)
    nodes = ast.walk(tree) if tree else ()
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.partition(".")[0] in OURS}


def left_out(
    everything: list[Statement],
    symbol: str,
    others: frozenset[str],
) -> tuple[list[Statement], set[str]]:
    """The statements without those that make other exercises; and the names that, read, are those exercises.

    A name that was last taken from a library, as in `from torch import softmax`, is none.
    """
    last = {name: one for one in everything for name in one.binds & others}
    theirs = {name for name, one in last.items() if not one.is_import or course_module(one)}
    theirs |= others - last.keys()
    kept = [one for one in map(_without(theirs, symbol), everything) if one]
    return kept, theirs


def _without(theirs: set[str], symbol: str) -> Callable[[Statement], Statement | None]:
    """Leaves a statement out, or of an import the names that are theirs."""

    def without(one: Statement) -> Statement | None:
        made = (one.binds | one.changes) & theirs
        if not made:
            return None if symbol in one.binds and course_module(one) else one
        rest = one.binds - theirs - {symbol}
        if not rest:
            return one if symbol in one.binds and not course_module(one) else None
        return _fewer(one, theirs | {symbol}) if one.is_import else one

    return without


def _fewer(one: Statement, names: set[str]) -> Statement:
    """An import without these names."""
    (node,) = ast.parse(one.source).body
    assert isinstance(node, (ast.Import, ast.ImportFrom))
    bound = [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    node.names = [alias for alias, name in zip(node.names, bound, strict=True) if name not in names]
    return replace(
        one,
        source=ast.unparse(node),
        binds=one.binds - names,
        certain=one.certain - names,
    )


def names_read(source: str) -> set[str]:
    """The names that it reads, wherever."""
    tree = parsed(source)
    nodes = ast.walk(tree) if tree else ()
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
