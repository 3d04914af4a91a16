"""Edits that call a relative of what is called: the mean for the sum, tril for triu."""

import ast
from collections import defaultdict
from collections.abc import Iterator

from utils.edits.operators.proposals import Proposal, operator
from utils.edits.sites import Site
from utils.edits.trees import called_name

FAMILIES = (
    *(
        "mean sum median amax amin",
        "var std",
        "var_mean std_mean",
        "max amax",
        "min amin",
        "argmax argmin",
        "amax amin",
    ),
    *("sqrt rsqrt square", "exp log expm1 log1p", "sin cos", "tanh sigmoid erf", "softmax log_softmax", "relu gelu"),
    *("repeat expand repeat_interleave tile", "repeat rearrange reduce", "view reshape", "view expand", "triu tril"),
    *("transpose permute", "stack cat", "stack concat"),
    *("ones zeros empty randn rand", "ones_like zeros_like", "mm matmul bmm", "float long double", "normal_ uniform_"),
    *("masked_fill masked_fill_", "squeeze unsqueeze", "append extend", "encode decode", "pow mul", "ceil floor round"),
    *("cumsum sum cumprod", "sort argsort topk", "gather index_select take", "norm std"),
)
RELATIVES: dict[str, list[str]] = defaultdict(list)
for family in FAMILIES:
    for name in family.split():
        # nothing is made right by whatever memory happens to hold: `empty` has relatives, and is nobody's
        RELATIVES[name] += [other for other in family.split() if other not in (name, "empty")]


@operator(ast.Call)
def relative(site: Site) -> Iterator[Proposal]:
    """x.sum(dim=-1) → x.mean(dim=-1)"""
    node = site.node
    assert isinstance(node, ast.Call)
    if not isinstance(node.func, ast.Attribute):
        return
    for other in RELATIVES[node.func.attr]:
        renamed = ast.Attribute(node.func.value, other, ast.Load())
        yield Proposal("sibling", ast.unparse(ast.Call(renamed, node.args, node.keywords)))


@operator(ast.Call)
def root_of_the_variance(site: Site) -> Iterator[Proposal]:
    """x.std(...) → x.var(...).sqrt(), x.max(dim=-1) → x.max(dim=-1).values"""
    node = site.node
    assert isinstance(node, ast.Call)
    name = called_name(node)
    if name == "std" and isinstance(node.func, ast.Attribute):
        of = ast.Attribute(node.func.value, "var", ast.Load())
        yield Proposal("sibling", f"{ast.unparse(ast.Call(of, node.args, node.keywords))}.sqrt()")
    if name in ("max", "min", "median", "sort", "topk") and not isinstance(site.parent, (ast.Attribute, ast.Subscript)):
        yield Proposal("sibling", f"{site.text}.values")


@operator(ast.Attribute)
def without_values(site: Site) -> Iterator[Proposal]:
    """x.median(dim=-1).values → x.mean(dim=-1)"""
    node = site.node
    assert isinstance(node, ast.Attribute)
    if node.attr == "values" and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        for name in ("mean", "sum", "amax", "amin"):
            function = ast.Attribute(node.value.func.value, name, ast.Load())
            yield Proposal("sibling", ast.unparse(ast.Call(function, node.value.args, node.value.keywords)))


OPERATORS = [relative, root_of_the_variance, without_values]
