"""All single edits of a piece of code, the plausible first; one edit may change the same text in several places."""

import ast
from collections.abc import Iterable, Sequence

from utils.edits.edit import Edit
from utils.edits.kinds import KINDS
from utils.edits.operators.proposals import Operator, Proposal
from utils.edits.sites import Site, is_stored, sites
from utils.edits.together import renamings, together
from utils.edits.trees import Path, called_name, expression, statements
from utils.edits.vocabulary import Vocabulary

LENGTH = 0.004  # what each character that an edit adds costs, so that of two like edits the smaller comes first
ELSEWHERE = 0.6  # what an edit costs that is not in a line that raised an error


def edits(
    tree: ast.Module, vocabulary: Vocabulary, operators: Sequence[Operator], lines: Iterable[int] = ()
) -> list[Edit]:
    """Every edit that these operators propose, the cheapest first; `lines` are those that raised an error."""
    suspects = set(lines)
    single: dict[tuple[Path, str], Edit] = {}
    for site in sites(tree, vocabulary):
        for operator in operators:
            if isinstance(site.node, operator.types):
                for proposal in operator.propose(site):
                    edit = _edit(site, proposal, suspects)
                    if edit:
                        name = (site.path, edit.after)
                        single[name] = min(single.get(name, edit), edit, key=lambda one: one.cost)
    several = [*together(list(single.values())), *renamings(tree, vocabulary)]
    return sorted([*single.values(), *several], key=lambda edit: edit.cost)


def _edit(site: Site, proposal: Proposal, suspects: set[int]) -> Edit | None:
    """The edit that a proposal stands for; None where it is no Python, or no change."""
    try:
        new = statements(proposal.text) if isinstance(site.node, ast.stmt) else _expression(site, proposal.text)
    except SyntaxError:
        return None
    after = "\n".join(map(ast.unparse, new)) if isinstance(new, list) else ast.unparse(new)
    if after == site.text:
        return None
    line = site.node.lineno  # type: ignore[attr-defined]
    cost = KINDS[proposal.kind].cost + LENGTH * max(0, len(after) - len(site.text) - 1)
    cost += ELSEWHERE if suspects and line not in suspects else 0.0
    before, shown = proposal.before or site.text, proposal.after or after
    return Edit(proposal.kind, ((site.path, new),), before, shown, line, cost, context=_context(site))


def _context(site: Site) -> str:
    """What a number belongs to: 1 in `dim=1` and in `range(1, n)` are not the same."""
    if not isinstance(site.node, (ast.Constant, ast.UnaryOp)):
        return ""
    if isinstance(site.parent, ast.keyword):
        return site.parent.arg or ""
    return called_name(site.parent) if isinstance(site.parent, ast.Call) else type(site.parent).__name__


def _expression(site: Site, text: str) -> ast.expr:
    new = expression(text)
    if is_stored(site.node):
        if not isinstance(new, (ast.Attribute, ast.Subscript)):
            raise SyntaxError("nothing else can be assigned to")
        new.ctx = ast.Store()
    return new
