"""Edits that only keep a branch or a mask from having an effect: what it guards stays wrong, so they name no cause."""

import ast
from collections.abc import Callable
from typing import Any

from utils.edits.edit import Edit
from utils.edits.trees import Path, node_at, replaced

NAME = "_watched_condition"
BRANCHES = (ast.If, ast.IfExp, ast.While)
MASKED = {"where", "masked_fill", "masked_fill_"}  # calls whose condition, or mask, is one yes or no for each value
TURNING = {"comparison", "bool"}
Watch = Callable[[object], object]


def makes_idle(edit: Edit, tree: ast.Module, tried: Callable[[ast.Module, dict[str, Watch]], object]) -> bool:
    """Whether the edit stands in a condition that never holds with it, in anything that is tried.

    The same for a mask that holds nowhere, or everywhere. To turn a condition round may well be what is due of a guard;
    but where order is put in the place of equality, or the other way round, one that always holds is out of reach too.

    `tried` is given the edited tree, and the name that it needs to run.
    """
    path = _condition(edit, tree)
    if path is None or edit.before == f"not {edit.after}":
        return False
    branch = path[-1] == ("test", None)
    crossed = edit.kind == "comparison" and _is_equality(edit.before) != _is_equality(edit.after)
    if branch and edit.kind in TURNING and not crossed:
        return False
    held: set[bool] = set()

    def watch(condition: Any) -> object:
        held.update({bool(condition)} if branch else {bool(one) for one in (condition.any(), condition.all())})
        return condition

    tried(_watched(edit.applied(tree), path), {NAME: watch})
    always = crossed or not branch
    return held == {False} or (always and held == {True})


def _is_equality(comparison: str) -> bool:
    node = ast.parse(comparison, mode="eval").body
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq))


def _condition(edit: Edit, tree: ast.Module) -> Path | None:
    """The path of the innermost condition or mask that the edit is made in."""
    for path, _ in edit.places:
        for length in range(len(path), 0, -1):
            if _is_condition(path[length - 1], node_at(tree, path[: length - 1])):
                return path[:length]
    return None


def _is_condition(step: tuple[str, int | None], owner: ast.AST) -> bool:
    if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute) and owner.func.attr in MASKED:
        after_tensor = owner.func.attr != "where" and getattr(owner.func.value, "id", "") == "torch"
        return step == ("args", int(after_tensor))
    return step == ("test", None) and isinstance(owner, BRANCHES)


def _watched(tree: ast.Module, path: Path) -> ast.Module:
    """The tree with this condition handed through the watch."""
    condition = node_at(tree, path)
    call = ast.copy_location(ast.Call(ast.Name(NAME, ast.Load()), [condition], []), condition)  # type: ignore[list-item]
    return replaced(tree, path, ast.fix_missing_locations(call))  # type: ignore[return-value]
