"""Edits that leave out what a learner has added: they mend, and as mutants would say little.

Of a solution they would leave out what makes a parameter, and memory may still hold what was there before.
"""

import ast

from judge.edits.operators.proposals import Texts, calls_self, proposes, statement, subscripted, with_arguments
from judge.edits.sites import Site


@proposes("leave out a part", ast.Call, where=[calls_self, with_arguments], unless=[statement])
def own_part(node: ast.Call, site: Site) -> Texts:
    """self.dropout(x) → x, but not self.attn(x), which is due"""
    if isinstance(node.func, ast.Attribute) and node.func.attr not in site.scope.vocabulary.attributes:
        yield ast.unparse(node.args[0])


@proposes("one of a tuple", ast.Tuple, unless=[subscripted])
def item(node: ast.Tuple, site: Site) -> Texts:
    """key=lambda p: (n[p], len(p), p) → key=lambda p: (n[p], p)"""
    if len(node.elts) < 3:
        return
    for place in range(len(node.elts)):
        kept = node.elts[:place] + node.elts[place + 1 :]
        yield ast.unparse(ast.Tuple(kept, node.ctx))
