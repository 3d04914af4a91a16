"""Edits that put a number of the reference solution in the place of one that it does not have."""

import ast

from utils.edits.operators.numbers import number_in
from utils.edits.operators.proposals import Texts, proposes
from utils.edits.sites import Site


@proposes("number", ast.Constant)
def constant(node: ast.Constant, site: Site) -> Texts:
    """0.047415 → 0.044715"""
    known = site.scope.vocabulary.constants
    if isinstance(number_in(node), float) and repr(node.value) not in known:
        yield from known
