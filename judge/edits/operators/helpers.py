"""Edits that call one of the chapter's functions, as the reference solution does, in the place of something else."""

import ast

from judge.edits.operators.proposals import Texts, each, others, proposes
from judge.edits.sites import Site
from judge.edits.trees import called_name


@proposes("helper", ast.Call, ast.ListComp)
def helper(node: ast.Call | ast.ListComp, site: Site) -> Texts:
    """text.split() → pre_tokenize(text), [c.encode() for c in piece] → single_bytes(piece)"""
    helpers = others(site.scope.vocabulary.helpers, called_name(node) if isinstance(node, ast.Call) else "")
    match node:
        case ast.ListComp(generators=[ast.comprehension(iter=of)]):
            return each("{}({})", helpers, [ast.unparse(of)])
        case ast.Call(ast.Attribute(value=of), [] | [ast.Constant()]) | ast.Call(args=[of, *_]):
            return each("{}({})", helpers, [ast.unparse(of)])
    return []
