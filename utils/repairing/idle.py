"""Edits that only keep a branch from being run: the code under the condition stays wrong, so they name no cause."""

import ast
import re
from collections.abc import Callable

from utils.repairing.edit import Edit
from utils.repairing.trees import Path, node_at, replaced

NAME = "_watched_condition"
BRANCHES = (ast.If, ast.IfExp, ast.While)
TURNING = {"comparison", "bool"}  # these turn a condition round, and of a guard that may well be what is due
DRAWS = re.compile(r"\brand")  # but one that depends on a draw guards nothing
Watch = Callable[[object], object]


def makes_idle(edit: Edit, tree: ast.Module, tried: Callable[[ast.Module, dict[str, Watch]], object]) -> bool:
    """Whether the edit stands in a condition that never holds with it, in anything that is tried.

    `tried` is given the edited tree, and the name that it needs to run.
    """
    path = _condition(edit, tree)
    if path is None or edit.before == f"not {edit.after}":
        return False
    if edit.kind in TURNING and not DRAWS.search(ast.unparse(node_at(tree, path))):  # type: ignore[arg-type]
        return False
    held = set()

    def watch(condition: object) -> object:
        held.add(bool(condition))
        return condition

    tried(_watched(edit.applied(tree), path), {NAME: watch})
    return held == {False}


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
