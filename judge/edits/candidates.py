"""All single edits of a piece of code, the plausible first; one edit may change the same text in several places.

The kinds of edit say how plausible each is as the one change that is due, and how a learner is told of it.
"""

import ast
import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from judge.edits.operators.proposals import Operator, Proposal
from judge.edits.sites import Site, is_of_self, is_stored, sites
from judge.edits.trees import Path, called_name, expression, replaced, statements, walk, words_of
from judge.edits.vocabulary import Vocabulary

TOO_MUCH = "Something here is too much: it works without it."
MISSING = "Something is missing here."
ANOTHER_NAME = "One of the names should be another."
ANOTHER_NUMBER = "A number, an index or a slice should be another."
ANOTHER_ORDER = "The parts are right, but not their order."
BRACKETS = "The steps are right, but not what they are applied to: think of brackets."
ANOTHER_OPERATOR = "An operator should be another."
ANOTHER_FUNCTION = "Another function is needed, a relative of this one."
ONE_MORE_STEP = "One more step is needed here."
IN_PLACE = "This changes a value in place; make a new one."


@dataclass(frozen=True)
class Kind:
    """`cost` orders the edits: the smaller comes first. `words` is all that a learner is told at first."""

    words: str
    cost: float


# The costs are set by hand, and fitted to nothing. Only their order counts: candidates are tried from the cheapest on.
# About 1 is one small slip; what makes several changes, or brings in a step, comes later. Costs that are close to each
# other say which of two kinds comes first where both can mend the same answer: a part is left out (0.88) before an
# argument is (0.9), arguments are swapped (0.98) before operands (1.0), and an operator comes before a comparison
KINDS = {
    # what keeps the code from running at all; these are proposed only where the form is wrong
    "name a method": Kind(ANOTHER_NAME, 0.3),
    "add self": Kind(MISSING, 0.3),
    "add a line to __init__": Kind(MISSING, 0.3),
    "keep nothing": Kind("Something is kept from one call to the next: compute it anew.", 0.3),
    "return it": Kind(MISSING, 0.5),
    "call it": Kind(MISSING, 0.5),
    "make it a parameter": Kind(MISSING, 0.5),
    "index it": Kind("Square brackets are needed here, not a call.", 0.6),
    "make it a tuple": Kind("Round brackets with a comma are needed here: a tuple.", 0.7),
    "one of a tuple": Kind(TOO_MUCH, 0.7),
    "swap targets": Kind(ANOTHER_ORDER, 0.8),
    "out of place": Kind(IN_PLACE, 0.8),
    "keep a result": Kind("A result is computed and not kept: give it a name.", 0.6),
    "library": Kind(ANOTHER_NAME, 0.6),
    "stars": Kind("These are settings with names: two stars hand them on.", 0.6),
    # small differences; what can simply be left out comes first
    "leave out an argument": Kind(TOO_MUCH, 0.9),
    "leave out a part": Kind(TOO_MUCH, 0.88),
    "bool": Kind("True and False are the wrong way round.", 1.0),
    "add keyword": Kind(MISSING, 1.0),
    "operator": Kind(ANOTHER_OPERATOR, 1.0),
    "swap operands": Kind(ANOTHER_ORDER, 1.0),
    "swap arguments": Kind(ANOTHER_ORDER, 0.98),
    "name": Kind(ANOTHER_NAME, 1.1),
    "comparison": Kind(ANOTHER_OPERATOR, 1.05),
    "slice": Kind(ANOTHER_NUMBER, 1.1),
    "index": Kind(ANOTHER_NUMBER, 1.1),
    "number": Kind(ANOTHER_NUMBER, 1.2),
    "brackets": Kind(BRACKETS, 1.2),
    "pattern": Kind("The pattern in quotes should be another.", 1.2),
    "text": Kind("A text in quotes should be another.", 1.2),
    "helper": Kind("The chapter has a function for this.", 1.5),
    "sibling": Kind(ANOTHER_FUNCTION, 1.2),
    "indentation": Kind("A line stands too far to the right.", 1.2),
    "begin anew": Kind("Something should begin anew in each round of a loop.", 1.2),
    "leave out a line": Kind(TOO_MUCH, 1.25),
    "name instead": Kind(ANOTHER_NAME, 1.3),
    "index instead": Kind("Square brackets are needed here, not a call.", 1.3),
    "size of an axis": Kind("This should be the size of an axis: read it off a shape.", 1.1),
    "setting": Kind("A number is written out that the Config or a shape knows.", 1.4),
    "minus infinity": Kind("This number is not low enough.", 0.9),
    # larger ones
    "parameter": Kind(MISSING, 1.6),
    "forgotten": Kind(ONE_MORE_STEP, 1.0),
    "frame": Kind(ONE_MORE_STEP, 1.9),
    "axis": Kind("An axis is missing here.", 2.0),
    "first of several": Kind("Only the first of these is needed here.", 2.0),
    "copy": Kind("The function changes what it was given: let it begin with a copy.", 2.0),
    "shape": Kind("The numbers are right, but not the shape that they are returned in.", 2.0),
    "dtype": Kind("This has the wrong dtype.", 2.2),
    # only for mutants
    "detach": Kind("This keeps gradients from flowing.", 3.0),
    "in place": Kind(IN_PLACE, 3.0),
}


@dataclass(frozen=True)
class Edit:
    """One change of the code: what stands in these places, all of them written alike, becomes something else."""

    kind: str
    places: tuple[tuple[Path, ast.AST | list[ast.stmt]], ...]
    before: str
    after: str
    line: int
    cost: float
    in_words: bool = False  # `before` and `after` are no piece of the code, but name what changes
    context: str = ""  # of two edits that are made together this must be the same

    def applied(self, tree: ast.Module) -> ast.Module:
        """The tree with this edit, ready to be compiled; the old one stays as it is."""
        from_the_end = sorted(self.places, key=lambda place: place[0], reverse=True)
        for path, new in from_the_end:
            tree = replaced(tree, path, new)
        return tree


Text = TypeVar("Text", str, list[str])
NOT_TOGETHER = {"leave out a line", "return it", "copy"}  # kinds that are not made in several places at once
TWICE = 0.05  # what each further place costs
MOST_RENAMED = 3
SAME = "□"


def together(single: list[Edit]) -> Iterator[Edit]:
    """The edit wherever it can be made: `dim=1` in both means, `keepdim=True` added to both."""
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
    """The edits of a group that do not lie inside one another."""
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
    """The edits that each operator makes of each site; the same edit may come several times."""
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
