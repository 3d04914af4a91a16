"""All single edits of a piece of code, the plausible first; one edit may change the same text in several places."""

import ast
import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypeVar

from judge.edits.kinds import KINDS, Edit
from judge.edits.operators.proposals import Operator, Proposal
from judge.edits.sites import Site, is_of_self, is_stored, sites
from judge.edits.trees import Path, called_name, expression, statements, walk, words_of
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


LENGTH = 0.004  # what each character that an edit adds costs, so that of two like edits the smaller comes first
ELSEWHERE = 0.6  # what an edit costs that is not in a line that raised an error


def edits(
    tree: ast.Module, vocabulary: Vocabulary, operators: Sequence[Operator], lines: Iterable[int] = ()
) -> list[Edit]:
    """Every edit that these operators propose, the cheapest first; `lines` are those that raised an error."""
    suspects = frozenset(lines)
    single: dict[tuple[Path, str], Edit] = {}
    for edit in _proposed(tree, vocabulary, operators, suspects):
        path, _ = edit.places[0]
        name = (path, edit.after)
        known = single.get(name, edit)
        single[name] = min(known, edit, key=_cost)
    several = [*together(list(single.values())), *renamings(tree, vocabulary)]
    return sorted([*single.values(), *several], key=_cost)


def _cost(edit: Edit) -> float:
    return edit.cost


def _proposed(
    tree: ast.Module, vocabulary: Vocabulary, operators: Sequence[Operator], suspects: Collection[int]
) -> Iterator[Edit]:
    """What each operator makes of each site; the same edit may come several times."""
    for site in sites(tree, vocabulary):
        for operator in operators:
            for proposal in operator.proposals(site):
                edit = _edit(site, proposal, suspects)
                if edit:
                    yield edit


def _edit(site: Site, proposal: Proposal, suspects: Collection[int]) -> Edit | None:
    """The edit that a proposal stands for; None where it is no Python, or no change."""
    try:
        new = _parsed(site, proposal.text)
    except SyntaxError:
        return None
    after = _unparsed(new)
    if after == site.text or _is_foreign(new, site):
        return None
    line = site.node.lineno
    longer = max(0, len(after) - len(site.text) - 1)
    cost = KINDS[proposal.kind].cost + LENGTH * longer
    if suspects and line not in suspects:
        cost += ELSEWHERE
    return Edit(
        kind=proposal.kind,
        places=((site.path, new),),
        before=proposal.before or site.text,
        after=proposal.after or after,
        line=line,
        cost=cost,
        context=_context(site),
    )


def _is_foreign(new: ast.expr | list[ast.stmt], site: Site) -> bool:
    """Whether it brings in what belongs to another library than the exercise's."""
    library = site.scope.vocabulary.library
    if library.has_tensors:  # everything that operators propose is torch's, or nobody's
        return False
    added = words_of(new) - words_of(site.node)
    return not added.isdisjoint(library.foreign_words)


def _context(site: Site) -> str:
    """What a number belongs to: 1 in `dim=1` and in `range(1, n)` are not the same."""
    if not isinstance(site.node, (ast.Constant, ast.UnaryOp)):
        return ""
    match site.parent:
        case ast.keyword(arg=name):
            return name or ""
        case ast.Call():
            return called_name(site.parent)
    return type(site.parent).__name__


def _parsed(site: Site, text: str) -> ast.expr | list[ast.stmt]:
    """The text as what can stand in this place. Raises SyntaxError."""
    if isinstance(site.node, ast.stmt):
        return statements(text)
    new = expression(text)
    if not is_stored(site.node):
        return new
    if not isinstance(new, (ast.Attribute, ast.Subscript)):
        raise SyntaxError("nothing else can be assigned to")
    new.ctx = ast.Store()
    return new


def _unparsed(new: ast.expr | list[ast.stmt]) -> str:
    if isinstance(new, list):
        return "\n".join(map(ast.unparse, new))
    return ast.unparse(new)
