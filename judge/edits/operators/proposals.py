"""How an operator is declared: the kind of its edits, the types of node that it looks at, and where it proposes."""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from judge.edits.sites import Site, is_of_cfg, is_of_library, is_of_self, is_stored, method_of
from judge.edits.trees import SIGNS, called_name

Condition = Callable[[Site], bool]


def of_self(site: Site) -> bool:
    """self.w"""
    return is_of_self(site.node)


def of_cfg(site: Site) -> bool:
    """cfg.d_model"""
    return is_of_cfg(site.node)


def of_library(site: Site) -> bool:
    """torch.sqrt"""
    return is_of_library(site.node)


def called(site: Site) -> bool:
    """f in f(x)"""
    return isinstance(site.parent, ast.Call) and site.role == "func"


def argument(site: Site) -> bool:
    """x in f(x)"""
    return isinstance(site.parent, ast.Call) and site.role == "args"


def form_of_a_like(site: Site) -> bool:
    """x in torch.ones_like(x): its numbers are never read, so that what is done to them can say nothing"""
    return site.gives_its_form


def stored(site: Site) -> bool:
    """x[0] in x[0] = y"""
    return is_stored(site.node)


def subscripted(site: Site) -> bool:
    """x in x[0], and the index of that"""
    return isinstance(site.parent, ast.Subscript)


def statement(site: Site) -> bool:
    """A call whose result nothing reads"""
    return isinstance(site.parent, ast.Expr)


def part_of_an_attribute(site: Site) -> bool:
    """x in x.shape"""
    return isinstance(site.parent, ast.Attribute)


def in_init(site: Site) -> bool:
    """Whatever stands in __init__"""
    return site.scope.function == "__init__"


def in_a_class(site: Site) -> bool:
    """A method"""
    return isinstance(site.parent, ast.ClassDef)


def in_a_function(site: Site) -> bool:
    """A statement of a function's own body, in no loop and no condition"""
    return isinstance(site.parent, ast.FunctionDef)


def method_call(site: Site) -> bool:
    """x.mean(...), self.attn(...), but not torch.mean(...)"""
    return method_of(site.node) is not None


def calls_self(site: Site) -> bool:
    """self.attn(...)"""
    return isinstance(site.node, ast.Call) and is_of_self(site.node.func)


def with_arguments(site: Site) -> bool:
    """f(x), f(x, y=z), but not f() and not f(y=z)"""
    return isinstance(site.node, ast.Call) and bool(site.node.args)


def with_keywords(site: Site) -> bool:
    """f(y=z)"""
    return isinstance(site.node, ast.Call) and bool(site.node.keywords)


def calling(*names: str) -> Condition:
    """x.mean(...) and torch.mean(...), if `mean` is among the names"""
    wanted = frozenset(names)
    return lambda site: isinstance(site.node, ast.Call) and called_name(site.node) in wanted


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
        """The proposals for this site; nothing where a condition does not hold."""
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
    return {name: value for name, value in vars(module).items() if isinstance(value, Operator)}
