"""Edits of loops: a line that stands in one and belongs before or after it, or the other way round."""

import ast
import copy

from judge.edits.operators.proposals import Texts, proposes
from judge.edits.sites import Site

Loop = ast.For | ast.While
BEGUN = (ast.List, ast.Dict, ast.Constant)


def several_lines(site: Site) -> bool:
    """A loop whose body has more than one line"""
    return isinstance(site.node, Loop) and len(site.node.body) > 1


@proposes("indentation", ast.For, ast.While, where=[several_lines])
def after_a_loop(node: Loop, site: Site) -> Texts:
    """The last line of a loop → after it, such as a `return` too far to the right"""
    *kept, last = node.body
    ends_the_loop = any(isinstance(inner, (ast.Break, ast.Continue)) for inner in ast.walk(last))
    if not ends_the_loop:
        yield f"{_with(node, kept)}\n{ast.unparse(last)}"


@proposes("indentation", ast.For, ast.While, where=[several_lines])
def before_a_loop(node: Loop, site: Site) -> Texts:
    """The first line of a loop → before it"""
    first, *kept = node.body
    if isinstance(first, ast.Assign):
        yield f"{ast.unparse(first)}\n{_with(node, kept)}"


@proposes("begin anew", ast.For, ast.While)
def into_a_loop(node: Loop, site: Site) -> Texts:
    """A list or a number that is begun before a loop → begun anew in each of its rounds"""
    before = site.block[: site.block.index(node)]
    begun = [one for one in before if isinstance(one, ast.Assign) and isinstance(one.value, BEGUN)]
    return [_with(node, [one, *node.body]) for one in begun]


def _with(loop: Loop, body: list[ast.stmt]) -> str:
    made = copy.copy(loop)
    made.body = body
    return ast.unparse(made)
