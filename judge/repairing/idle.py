"""Edits that only keep a branch or a mask from having an effect: what it guards stays wrong, so they name no cause."""

import ast
from collections.abc import Callable
from typing import Any

from judge.edits.edit import Edit
from judge.edits.trees import Path, Step, node_at, replaced

NAME = "_watched_condition"
BRANCHES = (ast.If, ast.IfExp, ast.While)
TEST: Step = ("test", None)  # where the condition of these stands
METHODS = {"where", "masked_fill", "masked_fill_"}  # calls whose condition, or mask, is a yes or no for each value
TURNING = {"comparison", "bool"}
Watch = Callable[[object], object]


def makes_idle(edit: Edit, tree: ast.Module, tried: Callable[[ast.Module, dict[str, Watch]], object]) -> bool:
    """Whether the edit stands in a condition that never holds with it, or always, in anything that is tried.

    The same for a mask that holds nowhere, or everywhere. To turn a condition round may well be what is due of a guard;
    but where order is put in the place of equality, or the other way round, one that always holds is out of reach too.

    `tried` is given the edited tree, and the name that it needs to run.
    """
    path = _condition(edit, tree)
    if path is None or edit.before == f"not {edit.after}":
        return False
    branch = path[-1] == TEST
    crossed = edit.kind == "comparison" and _is_equality(edit.before) != _is_equality(edit.after)
    if branch and edit.kind in TURNING and not crossed:
        return False
    held: set[bool] = set()

    def watch_branch(condition: Any) -> object:
        held.add(bool(condition))
        return condition

    def watch_mask(mask: Any) -> object:
        held.update([bool(mask.any()), bool(mask.all())])
        return mask

    watch = watch_branch if branch else watch_mask
    tried(_watched(edit.applied(tree), path), {NAME: watch})
    return len(held) == 1


def _is_equality(comparison: str) -> bool:
    match ast.parse(comparison, mode="eval").body:
        case ast.Compare(ops=[ast.Eq() | ast.NotEq(), *_]):
            return True
    return False


def _condition(edit: Edit, tree: ast.Module) -> Path | None:
    """The path of the innermost condition or mask that the edit is made in."""
    for path, _ in edit.places:
        for length in range(len(path), 0, -1):
            *outer, step = path[:length]
            if _is_condition(step, node_at(tree, tuple(outer))):
                return path[:length]
    return None


def _is_condition(step: Step, owner: ast.AST) -> bool:
    match owner:
        case ast.Call(func=ast.Attribute(value=ast.Name("torch"), attr="masked_fill" | "masked_fill_")):
            return step == ("args", 1)
        case ast.Call(func=ast.Attribute(attr=method)) if method in METHODS:
            return step == ("args", 0)
    return step == TEST and isinstance(owner, BRANCHES)


def _watched(tree: ast.Module, path: Path) -> ast.Module:
    """The tree with this condition handed through the watch."""
    condition = node_at(tree, path)
    assert isinstance(condition, ast.expr)
    call = ast.Call(ast.Name(NAME, ast.Load()), [condition], [])
    located = ast.copy_location(call, condition)
    return replaced(tree, path, ast.fix_missing_locations(located))
