"""Edits that only keep a branch from being run: the code under the condition stays wrong, so they name no cause."""

import ast
from collections.abc import Callable

from utils.repairing.edit import Edit
from utils.repairing.trees import Path, node_at, replaced

NAME = "_watched_condition"
BRANCHES = (ast.If, ast.IfExp, ast.While)
Watch = Callable[[object], object]


def makes_idle(edit: Edit, tree: ast.Module, tried: Callable[[ast.Module, dict[str, Watch]], object]) -> bool:
    """Whether the edit stands in a condition that never holds with it, in anything that is tried.

    To turn a condition round may well be what is due of a guard. But where order is put in the place of equality, or
    the other way round, a condition that always holds is one out of reach too.

    `tried` is given the edited tree, and the name that it needs to run.
    """
    path = _condition(edit, tree)
    crossed = edit.kind == "comparison" and _is_equality(edit.before) != _is_equality(edit.after)
    if path is None or edit.before == f"not {edit.after}" or (edit.kind in {"comparison", "bool"} and not crossed):
        return False
    held = set()

    def watch(condition: object) -> object:
        held.add(bool(condition))
        return condition

    tried(_watched(edit.applied(tree), path), {NAME: watch})
    return held == {False} or (crossed and held == {True})


def _is_equality(comparison: str) -> bool:
    node = ast.parse(comparison, mode="eval").body
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq))


def _condition(edit: Edit, tree: ast.Module) -> Path | None:
    """The path of the innermost condition that the edit is made in."""
    for path, _ in edit.places:
        for length in range(len(path), 0, -1):
            if path[length - 1] == ("test", None) and isinstance(node_at(tree, path[: length - 1]), BRANCHES):
                return path[:length]
    return None


def _watched(tree: ast.Module, path: Path) -> ast.Module:
    """The tree with this condition handed through the watch."""
    condition = node_at(tree, path)
    call = ast.copy_location(ast.Call(ast.Name(NAME, ast.Load()), [condition], []), condition)  # type: ignore[list-item]
    return replaced(tree, path, ast.fix_missing_locations(call))  # type: ignore[return-value]
