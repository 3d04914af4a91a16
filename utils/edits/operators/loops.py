"""Edits of loops: a line that stands in one and belongs before or after it, or the other way round."""

import ast
import copy
from collections.abc import Iterator

from utils.edits.operators.proposals import Proposal, operator
from utils.edits.sites import Site

Loop = ast.For | ast.While


@operator(ast.For, ast.While)
def out_of_a_loop(site: Site) -> Iterator[Proposal]:
    """The last line of a loop → after it, such as a `return` too far to the right; the first → before it"""
    assert isinstance(site.node, Loop)
    if len(site.node.body) == 1:
        return
    first, *_, last = site.node.body
    ends_the_loop = any(isinstance(inner, (ast.Break, ast.Continue)) for inner in ast.walk(last))
    if not ends_the_loop:
        yield Proposal("indentation", f"{_with(site.node, site.node.body[:-1])}\n{ast.unparse(last)}")
    if isinstance(first, ast.Assign):
        yield Proposal("indentation", f"{ast.unparse(first)}\n{_with(site.node, site.node.body[1:])}")


@operator(ast.For, ast.While)
def into_a_loop(site: Site) -> Iterator[Proposal]:
    """A list or a number that is begun before a loop → begun anew in each of its rounds"""
    assert isinstance(site.node, Loop)
    before = site.block[: site.block.index(site.node)]
    for one in before:
        if isinstance(one, ast.Assign) and isinstance(one.value, (ast.List, ast.Dict, ast.Constant)):
            yield Proposal("begin anew", _with(site.node, [one, *site.node.body]))


def _with(loop: Loop, body: list[ast.stmt]) -> str:
    made = copy.copy(loop)
    made.body = body
    return ast.unparse(made)


OPERATORS = [out_of_a_loop, into_a_loop]
