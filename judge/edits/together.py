"""Edits in several places that are one change to their author: the same slip made twice, names that were mixed up."""

import ast
import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeVar

from judge.edits.edit import Edit
from judge.edits.kinds import KINDS
from judge.edits.sites import is_of_self, is_stored
from judge.edits.trees import Path, walk
from judge.edits.vocabulary import Vocabulary

Text = TypeVar("Text", str, list[str])
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
            yield _joined(apart)


def _joined(apart: list[Edit]) -> Edit:
    first, *more = apart
    cheapest = min(edit.cost for edit in apart)
    return Edit(
        kind=first.kind,
        places=tuple(itertools.chain.from_iterable(edit.places for edit in apart)),
        before=first.before,
        after=first.after,
        line=first.line,
        cost=cheapest + TWICE * len(more),
    )


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
    inside = [any(_is_inside(path, other) for other in paths) for path in paths]
    return [edit for edit, within in zip(group, inside, strict=True) if not within]


def _is_inside(path: Path, other: Path) -> bool:
    return path != other and path[: len(other)] == other


def difference(before: Text, after: Text) -> tuple[Text, Text]:
    """What of two texts, or of their lines, is not common to both at the beginning and at the end."""
    start = _length_in_common(before, after)
    before, after = before[start:], after[start:]
    end = _length_in_common(before[::-1], after[::-1])
    return before[: len(before) - end], after[: len(after) - end]


def _length_in_common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many characters, or lines, both begin with."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def renamings(tree: ast.Module, vocabulary: Vocabulary) -> Iterator[Edit]:
    """self.gamma and self.beta → self.w and self.b: names that nothing defines for those that nothing uses."""
    of_self = [(node, path) for node, path in walk(tree) if is_of_self(node)]
    stored = {node.attr for node, _ in of_self if is_stored(node)}
    used = [node.attr for node, _ in of_self if not is_stored(node)]
    methods = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    unknown = [name for name in dict.fromkeys(used) if name not in stored | methods]
    unused = [name for name in vocabulary.attributes if name in stored and name not in used]
    if not 2 <= len(unknown) == len(unused) <= MOST_RENAMED:
        return
    places = [(node, path) for node, path in of_self if node.attr in unknown]
    for order in itertools.permutations(unused):
        yield _renaming(places, unknown, order)


def _renaming(places: list[tuple[ast.Attribute, Path]], unknown: list[str], order: tuple[str, ...]) -> Edit:
    names = dict(zip(unknown, order, strict=True))
    first, _ = places[0]
    return Edit(
        kind="name",
        places=tuple((path, _renamed(node, names)) for node, path in places),
        before=", ".join(map("self.{}".format, unknown)),
        after=", ".join(map("self.{}".format, order)),
        line=first.lineno,
        cost=KINDS["name"].cost,
        in_words=True,
    )


def _renamed(node: ast.Attribute, names: dict[str, str]) -> ast.Attribute:
    new = ast.Attribute(node.value, names[node.attr], node.ctx)
    return ast.copy_location(new, node)
