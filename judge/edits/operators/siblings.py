"""Edits that call a relative of what is called: the mean for the sum, tril for triu."""

import ast
from collections import defaultdict

from judge.edits.operators.proposals import Texts, calling, each, part_of_an_attribute, proposes, rewrites, subscripted
from judge.edits.sites import Site

FAMILIES = """
    mean sum median amax amin
    var std
    var_mean std_mean
    max amax
    min amin
    argmax argmin
    amax amin
    sqrt rsqrt square
    exp log expm1 log1p
    sin cos
    tanh sigmoid erf
    softmax log_softmax
    relu gelu
    repeat expand repeat_interleave tile
    repeat rearrange reduce
    view reshape
    view expand
    triu tril
    transpose permute
    stack cat
    stack concat
    ones zeros empty randn rand
    ones_like zeros_like ones
    zeros_like zeros
    full_like full
    mm matmul bmm
    float long double
    normal_ uniform_
    masked_fill masked_fill_
    squeeze unsqueeze
    append extend
    encode decode
    pow mul
    ceil floor round
    cumsum sum cumprod
    sort argsort topk
    gather index_select take
    norm std
"""
RELATIVES: dict[str, list[str]] = defaultdict(list)
for family in map(str.split, FAMILIES.strip().splitlines()):
    for name in family:
        # nothing is made right by whatever memory happens to hold: `empty` has relatives, and is nobody's
        RELATIVES[name] += [other for other in family if other not in (name, "empty")]


@proposes("sibling", ast.Call)
def relative(node: ast.Call, site: Site) -> Texts:
    """x.sum(dim=-1) → x.mean(dim=-1)"""
    if not isinstance(node.func, ast.Attribute):
        return
    for other in RELATIVES[node.func.attr]:
        renamed = ast.Attribute(node.func.value, other, ast.Load())
        yield ast.unparse(ast.Call(renamed, node.args, node.keywords))


@proposes("sibling", ast.Call, where=[calling("std")])
def root_of_the_variance(node: ast.Call, site: Site) -> Texts:
    """x.std(...) → x.var(...).sqrt()"""
    if isinstance(node.func, ast.Attribute):
        variance = ast.Attribute(node.func.value, "var", ast.Load())
        yield f"{ast.unparse(ast.Call(variance, node.args, node.keywords))}.sqrt()"


values = rewrites(
    "sibling",
    ast.Call,
    "{it}.values",  # x.max(dim=-1) → x.max(dim=-1).values
    where=[calling("max", "min", "median", "sort", "topk")],
    unless=[part_of_an_attribute, subscripted],
)


@proposes("sibling", ast.Attribute)
def without_values(node: ast.Attribute, site: Site) -> Texts:
    """x.median(dim=-1).values → x.mean(dim=-1)"""
    match node:
        case ast.Attribute(value=ast.Call(func=ast.Attribute(value=owner)) as call, attr="values"):
            given = ", ".join(map(ast.unparse, [*call.args, *call.keywords]))
            names = ("mean", "sum", "amax", "amin")
            return each("({}).{}({})", [ast.unparse(owner)], names, [given])
    return []
