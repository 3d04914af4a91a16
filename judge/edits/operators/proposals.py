"""How an operator is declared: the kind of its edits, the types of node that it looks at, and where it proposes."""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from judge.edits.operators.conditions import Condition
from judge.edits.sites import Site
from judge.edits.trees import SIGNS

Node = TypeVar("Node", bound=ast.AST)


class Proposal(NamedTuple):
    """Another text for an expression or a statement; an empty one leaves a statement out."""

    kind: str  # of KINDS
    text: str
    before: str = ""  # what a reader is shown of the change, where that is not the whole text
    after: str = ""


Texts = Iterable[str | Proposal]


@dataclass(frozen=True)
class Operator:
    """A function that proposes other texts for a node, and what must hold of the node's site.

    A text that comes without a kind of its own is of the operator's.
    """

    kind: str
    types: tuple[type[ast.AST], ...]
    where: tuple[Condition, ...]
    unless: tuple[Condition, ...]
    propose: Callable[[Any, Site], Texts]

    def proposals(self, site: Site) -> Iterator[Proposal]:
        """What is proposed for this site; nothing where a condition does not hold."""
        if not isinstance(site.node, self.types):
            return
        if not all(condition(site) for condition in self.where):
            return
        if any(condition(site) for condition in self.unless):
            return
        for text in self.propose(site.node, site):
            yield Proposal(self.kind, text) if isinstance(text, str) else text


def proposes(
    kind: str, *types: type[Node], where: Iterable[Condition] = (), unless: Iterable[Condition] = ()
) -> Callable[[Callable[[Node, Site], Texts]], Operator]:
    """Make an operator of a function of a node of these types and its site.

    It is asked only where all of `where` and none of `unless` holds; a condition may rely on those before it.
    """
    conditions = tuple(where), tuple(unless)
    return lambda propose: Operator(kind, types, *conditions, propose)


def rewrites(
    kind: str,
    types: type[ast.AST] | tuple[type[ast.AST], ...],
    *forms: str,
    where: Iterable[Condition] = (),
    unless: Iterable[Condition] = (),
) -> Operator:
    """Make an operator of forms such as "{right} - {left}": fields of the node as code, "{it}" for the whole node."""

    def forms_filled(node: ast.AST, site: Site) -> Texts:
        return [form.format_map(_Fields(site)) for form in forms]

    types = types if isinstance(types, tuple) else (types,)
    return Operator(kind, types, tuple(where), tuple(unless), forms_filled)


class _Fields(dict[str, str]):
    """The fields of a node as code, each written when it is asked for."""

    def __init__(self, site: Site):
        super().__init__(it=site.text)
        self.node = site.node

    def __missing__(self, name: str) -> str:
        value = getattr(self.node, name)
        if isinstance(value, ast.operator):
            return sign_of(value)
        return ast.unparse(value)


def sign_of(op: ast.operator) -> str:
    """The operator as it is written; shifts, which no exercise needs, count as sums."""
    return SIGNS.get(type(op), "+")


def each(form: str, *choices: Iterable[object]) -> list[str]:
    """The form, filled with every combination of what there is to choose from; the last place changes fastest."""
    return [form.format(*chosen) for chosen in product(*choices)]


def others(names: Iterable[str], own: str) -> list[str]:
    """The names but for one."""
    return [name for name in names if name != own]


def operators_of(module: ModuleType) -> dict[str, Operator]:
    """The operators of a module by name, in the order in which they are proposed: that of the module."""
    return {name: one for name, one in vars(module).items() if isinstance(one, Operator)}
