"""All single edits of a piece of code, the plausible first; one edit may change the same text in several places."""

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence

from judge.edits.edit import Edit
from judge.edits.kinds import KINDS
from judge.edits.operators.proposals import Operator, Proposal
from judge.edits.sites import Site, is_stored, sites
from judge.edits.together import renamings, together
from judge.edits.trees import Path, called_name, expression, statements, words_of
from judge.edits.vocabulary import Vocabulary

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
