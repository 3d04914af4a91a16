"""Edits of what a method keeps on `self` from one call to the next: it is read no more, or made anew each time."""

import ast

from judge.edits.operators.conditions import in_init
from judge.edits.operators.proposals import Texts, proposes
from judge.edits.sites import Site


@proposes("keep nothing", ast.If, unless=[in_init])
def first_call(node: ast.If, site: Site) -> Texts:
    """if not hasattr(self, 'n'): self.n = x → self.n = x; if hasattr(self, 'n'): x = self.n → nothing"""
    match node.test:
        case ast.UnaryOp(ast.Not(), asked) if _asks_for_kept(asked):
            yield "\n".join(map(ast.unparse, node.body))
        case asked if _asks_for_kept(asked):
            yield "\n".join(map(ast.unparse, node.orelse))


@proposes("keep nothing", ast.Call, unless=[in_init])
def default(node: ast.Call, site: Site) -> Texts:
    """getattr(self, 'n', 0) → 0"""
    match node:
        case ast.Call(ast.Name("getattr"), [ast.Name("self"), _, default]):
            yield ast.unparse(default)


def _asks_for_kept(node: ast.expr) -> bool:
    """hasattr(self, "n")"""
    match node:
        case ast.Call(ast.Name("hasattr"), [ast.Name("self"), _]):
            return True
    return False
