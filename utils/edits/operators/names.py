"""Edits that put another name in the place of one: a variable, an attribute of self, a field of cfg, a library."""

import ast
import builtins
from collections.abc import Iterator

from utils.edits.operators.proposals import Proposal, operator
from utils.edits.sites import SETTINGS, SIZES, Site, is_of_cfg, is_of_library, is_of_self
from utils.edits.trees import LIBRARIES

INSTEAD = {"np": ["torch"], "numpy": ["torch"], "math": ["torch"], "F": ["torch"], "torch": ["F", "nn.functional"]}
KEYWORDS = {"ddof": ["correction"], "axis": ["dim"], "keepdims": ["keepdim"], "mean": ["std"], "k": ["diagonal"]}
KEYWORDS |= {"axes": ["dims"], "value": ["fill_value"], "n": ["repeats"], "sd": ["std"], "scale": ["std"]}


@operator(ast.Name)
def variable(site: Site) -> Iterator[Proposal]:
    """centred → variance; w → self.w; d_model → self.cfg.d_model; np → torch"""
    assert isinstance(site.node, ast.Name)
    name, scope = site.node.id, site.scope
    if name in LIBRARIES:
        yield from (Proposal("name", other) for other in INSTEAD.get(name, []))
    elif name != "self" and not (hasattr(builtins, name) and name not in scope.names):
        yield from (Proposal("name", other) for other in scope.names if other != name)
        yield from (Proposal("name", f"self.{other}") for other in scope.attributes)
        if name not in scope.names:
            yield from (Proposal("name", other) for other in ("self", "self.cfg"))
            yield from (Proposal("name", f"{scope.cfg}.{other}") for other in [*SIZES, *SETTINGS])


@operator(ast.Call, ast.Subscript)
def unused(site: Site) -> Iterator[Proposal]:
    """values, places = x.topk(k), and later range(k) → places: what was computed for something, and is never read"""
    yield from (Proposal("name", name) for name in site.scope.unused)


@operator(ast.Attribute)
def attribute(site: Site) -> Iterator[Proposal]:
    """self.w → self.b; self.eps → self.cfg.layer_norm_eps"""
    assert isinstance(site.node, ast.Attribute)
    if is_of_self(site.node) and site.node.attr != "cfg":
        yield from (Proposal("name", f"self.{name}") for name in site.scope.attributes if name != site.node.attr)
        if site.node.attr not in site.scope.attributes:
            yield from (Proposal("name", f"{site.scope.cfg}.{name}") for name in [*SIZES, *SETTINGS])


@operator(ast.Attribute)
def field(site: Site) -> Iterator[Proposal]:
    """cfg.d_vocab → cfg.d_model or pos; where a tensor is made of it, only to sizes that the solution uses"""
    assert isinstance(site.node, ast.Attribute)
    if is_of_cfg(site.node):
        made = isinstance(site.parent, ast.Call) and is_of_library(site.parent.func) and site.role in ("args", "value")
        others = site.scope.vocabulary.fields if made else [*SIZES, *SETTINGS]
        base = ast.unparse(site.node.value)
        yield from (Proposal("name", f"{base}.{name}") for name in others if name != site.node.attr)
        yield from (Proposal("name", name) for name in site.scope.locals)


@operator(ast.Name)
def method(site: Site) -> Iterator[Proposal]:
    """normalise(x) → self.normalise(x)"""
    assert isinstance(site.node, ast.Name)
    if site.is_called and site.node.id in site.scope.methods:
        yield Proposal("add self", f"self.{site.node.id}")


@operator(ast.Call)
def keyword(site: Site) -> Iterator[Proposal]:
    """x.var(ddof=0) → x.var(correction=0): NumPy's word for torch's"""
    assert isinstance(site.node, ast.Call)
    given = {one.arg for one in site.node.keywords}
    for index, one in enumerate(site.node.keywords):
        for name in set(KEYWORDS.get(one.arg or "", ())) - given:
            renamed = [*site.node.keywords]
            renamed[index] = ast.keyword(name, one.value)
            yield Proposal("name", ast.unparse(ast.Call(site.node.func, site.node.args, renamed)))


OPERATORS = [variable, unused, attribute, field, method, keyword]
