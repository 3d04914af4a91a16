"""What an operator gives: a `Proposal`; and `operator`, which says what kinds of node it looks at."""

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from utils.edits.sites import Site


class Proposal(NamedTuple):
    """Another text for an expression or a statement; an empty one leaves a statement out."""

    kind: str  # of KINDS
    text: str
    before: str = ""  # what a reader is shown of the change, where that is not the whole text
    after: str = ""


class Operator(NamedTuple):
    """A function that proposes, and the types of node that it looks at."""

    types: tuple[type[ast.AST], ...]
    propose: Callable[[Site], Iterator[Proposal]]


def operator(*types: type[ast.AST]) -> Callable[[Callable[[Site], Iterator[Proposal]]], Operator]:
    """Make an operator of a function of a Site."""
    return lambda propose: Operator(types, propose)
