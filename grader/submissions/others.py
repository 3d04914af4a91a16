"""What of a notebook belongs to other exercises: it is left out of an answer, which is judged with other parts."""

import ast
import re
from collections.abc import Set
from dataclasses import replace
from functools import lru_cache

from grader.submissions.chapters import beside
from grader.submissions.commands import parsed
from utils.learner.collecting import Statement

OURS = {"author", "benchmarks", "grader", "judge", "my_gpt", "solutions", "tests", "training", "utils"}
BORROWS = re.compile(r"\bpieces\s*\(")


def course_module(one: Statement) -> bool:
    """Whether it takes what it binds from the course: imports it from there, or calls `pieces`."""
    if one.is_import:
        return bool(own_imports(one.source))
    return "pieces" in one.reads_now and bool(BORROWS.search(one.source))


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


def left_out(everything: list[Statement], symbol: str, others: frozenset[str]) -> tuple[list[Statement], set[str]]:
    """The statements without those that make other exercises; and the names that, read, are those exercises.

    A name that was last taken from a library, as in `from torch import softmax`, is none; nor is a helper of its own
    that has the name of another chapter's exercise, such as a softmax in NumPy.
    """
    theirs = set(others)
    for one in everything:
        names = one.binds & others
        if one.is_import and not course_module(one):
            theirs -= names
        else:
            theirs |= names
    theirs -= _own_helpers(everything, others - beside(symbol))
    kept = (_without(theirs, symbol, one) for one in everything)
    return list(filter(None, kept)), theirs


def without_later_imports(everything: list[Statement], symbol: str) -> list[Statement]:
    """Without what is imported under its name after it was written: no import is an answer."""
    written = [index for index, one in enumerate(everything) if symbol in one.binds and not one.is_import]
    last = max(written, default=0)
    later = (_fewer(one, {symbol}) if one.is_import and symbol in one.binds else one for one in everything[last:])
    return everything[:last] + [one for one in later if one.source]


def without_borrowed(everything: list[Statement], names: frozenset[str]) -> list[Statement]:
    """Without what takes these names, and no others, from the course."""
    left = (without_those(names, one) if one.binds & names and course_module(one) else one for one in everything)
    return list(filter(None, left))


def _own_helpers(everything: list[Statement], names: frozenset[str]) -> set[str]:
    """Those of these names that the notebook defines, and nowhere borrows from the course."""
    defined, borrowed = set[str](), set[str]()
    for one in everything:
        if found := one.binds & names:
            is_the_courses = course_module(one) or bool(own_imports(one.source))
            (borrowed if is_the_courses else defined).update(found)
    return defined - borrowed


def _without(theirs: set[str], symbol: str, one: Statement) -> Statement | None:
    """A statement, None where it is left out; of an import what is not theirs."""
    is_the_answer = symbol in one.binds and not course_module(one)
    not_wanted = theirs if is_the_answer else theirs | {symbol}
    left = one.binds - not_wanted
    if not (one.binds | one.changes) & theirs and left == one.binds:
        return one
    return without_those(not_wanted, one)


def without_those(names: Set[str], one: Statement) -> Statement | None:
    """A statement where it binds something else too, an import without these names; else None."""
    left = one.binds - names
    if one.is_import and left:
        return _fewer(one, names)
    return one if left else None


def _fewer(one: Statement, names: Set[str]) -> Statement:
    """An import without these names; its source is empty where none is left."""
    (node,) = ast.parse(one.source).body
    assert isinstance(node, (ast.Import, ast.ImportFrom))
    node.names = [alias for alias in node.names if _bound(alias) not in names]
    return replace(
        one, source=ast.unparse(node) if node.names else "", binds=one.binds - names, certain=one.certain - names
    )


def imported_as(one: Statement) -> frozenset[tuple[str, ...]]:
    """Of an import each name that it binds, and what that stands for."""
    (node,) = ast.parse(one.source).body
    assert isinstance(node, (ast.Import, ast.ImportFrom))
    module = getattr(node, "module", None) or ""
    return frozenset((_bound(alias), module, alias.name) for alias in node.names)


def _bound(alias: ast.alias) -> str:
    name = alias.asname or alias.name
    return name.partition(".")[0]


def names_read(source: str) -> set[str]:
    """The names that it reads, wherever."""
    nodes = ast.walk(parsed(source) or ast.Pass())
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
