"""Edits in several places that are one change to their author: the same slip made twice, names that were mixed up."""

import ast
import itertools
from collections import defaultdict
from collections.abc import Iterator

from utils.edits.edit import Edit
from utils.edits.kinds import KINDS
from utils.edits.sites import is_of_self, is_stored
from utils.edits.trees import walk
from utils.edits.vocabulary import Vocabulary

NOT_TOGETHER = {"leave out a line", "return it", "copy"}  # kinds that are not made in several places at once
TWICE = 0.05  # what each further place costs
MOST_RENAMED = 3
SAME = "□"


def together(single: list[Edit]) -> Iterator[Edit]:
    """The same edit wherever it can be made: `dim=1` in both means, `keepdim=True` added to both."""
    groups: dict[tuple[str, ...], list[Edit]] = defaultdict(list)
    for edit in single:
        if edit.kind not in NOT_TOGETHER:
            groups[edit.kind, edit.context, *_what_changes(edit)].append(edit)
    for group in groups.values():
        apart = _apart(group)
        if len(apart) > 1:
            places = tuple(place for edit in apart for place in edit.places)
            first = apart[0]
            cost = min(edit.cost for edit in apart) + TWICE * (len(apart) - 1)
            yield Edit(first.kind, places, first.before, first.after, first.line, cost)


def _what_changes(edit: Edit) -> tuple[str, str]:
    """The change without what it is made to: `x` → `x.sqrt()` and `y` → `y.sqrt()` are the same."""
    before, after = edit.before, edit.after
    if before in after:
        return SAME, after.replace(before, SAME)
    if after in before:
        return before.replace(after, SAME), SAME
    return difference(before, after)


def _apart(group: list[Edit]) -> list[Edit]:
    """Those that do not lie inside one another."""
    paths = [edit.places[0][0] for edit in group]
    inside = [any(path != other and path[: len(other)] == other for other in paths) for path in paths]
    return [edit for edit, within in zip(group, inside, strict=True) if not within]


def difference(before: str, after: str) -> tuple[str, str]:
    """What of two texts is not common to both at the beginning and at the end."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return before[start : len(before) - end], after[start : len(after) - end]


def renamings(tree: ast.Module, vocabulary: Vocabulary) -> Iterator[Edit]:
    """self.gamma and self.beta → self.w and self.b: names that nothing defines for those that nothing uses."""
    of_self = [(node, path) for node, path in walk(tree) if is_of_self(node)]
    stored = {node.attr for node, _ in of_self if is_stored(node)}  # type: ignore[attr-defined]
    used = [node.attr for node, _ in of_self if not is_stored(node)]  # type: ignore[attr-defined]
    methods = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    unknown = [name for name in dict.fromkeys(used) if name not in stored | methods]
    unused = [name for name in vocabulary.attributes if name in stored and name not in used]
    if not 2 <= len(unknown) == len(unused) <= MOST_RENAMED:
        return
    for order in itertools.permutations(unused):
        names = dict(zip(unknown, order, strict=True))
        read = [(node, path) for node, path in of_self if node.attr in names]  # type: ignore[attr-defined]
        places = tuple((path, _renamed(node, names)) for node, path in read)
        before, after = (", ".join(f"self.{name}" for name in some) for some in (unknown, order))
        line = read[0][0].lineno  # type: ignore[attr-defined]
        yield Edit("name", places, before, after, line, KINDS["name"].cost, in_words=True)


def _renamed(node: ast.AST, names: dict[str, str]) -> ast.Attribute:
    assert isinstance(node, ast.Attribute)
    return ast.copy_location(ast.Attribute(node.value, names[node.attr], node.ctx), node)
