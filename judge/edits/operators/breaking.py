"""Edits that break a right answer: gradients cut off, an input changed in place, a size written out, a near name.

A wrong answer is mended with any name that is known; to break a right one, those that are easily taken for it do.
"""

import ast

from judge.edits.operators.numbers import a_number, other_numbers, tiny, with_a_sign
from judge.edits.operators.proposals import (
    Texts,
    called,
    each,
    in_init,
    of_cfg,
    of_library,
    of_self,
    others,
    part_of_an_attribute,
    proposes,
    rewrites,
)
from judge.edits.operators.wrapping import VALUES
from judge.edits.sites import Site
from judge.edits.trees import SIGNS


def no_tensor(site: Site) -> bool:
    """self, cfg"""
    return site.text in ("self", "cfg", "self.cfg")


detach = rewrites(
    "detach",
    VALUES,
    "({it}).detach()",  # x → x.detach(); in __init__ nothing has a gradient yet
    unless=[called, part_of_an_attribute, of_library, in_init, of_cfg, no_tensor],
)


def a_size(site: Site) -> bool:
    """cfg.d_model"""
    return isinstance(site.node, ast.Attribute) and site.node.attr in site.scope.vocabulary.sizes


def size_of_a_parameter(site: Site) -> bool:
    """cfg.d_model in __init__"""
    return a_size(site) and in_init(site)


@proposes("number", ast.Constant, ast.UnaryOp, where=[a_number, tiny], unless=[with_a_sign])
def tiny_number(node: ast.Constant | ast.UnaryOp, site: Site) -> Texts:
    """1e-5 → 1.0, 1e-5 → 2e-5"""
    return other_numbers(node, site)


@proposes("number", ast.Attribute, where=[of_cfg], unless=[size_of_a_parameter])
def written_out(node: ast.Attribute, site: Site) -> Texts:
    """self.cfg.d_model → 768"""
    usual = site.scope.vocabulary.usual
    if node.attr in usual:
        yield repr(usual[node.attr])


@proposes("number", ast.Attribute, where=[of_cfg, a_size])
def size_of_the_tests(node: ast.Attribute, site: Site) -> Texts:
    """self.cfg.d_model → what it is in tests"""
    yield repr(site.scope.vocabulary.small[node.attr])


@proposes("in place", ast.Assign)
def in_place(node: ast.Assign, site: Site) -> Texts:
    """y = x - m → x -= m; y = x"""
    match node.value:
        case ast.BinOp(left=ast.Name(id=name), op=op, right=right) if type(op) in SIGNS:
            yield f"{name} {SIGNS[type(op)]}= {ast.unparse(right)}\n{ast.unparse(node.targets[0])} = {name}"


@proposes("name", ast.Name)
def neighbour(node: ast.Name, site: Site) -> Texts:
    """centred → variance: the name that is made before it, and the one after"""
    names = site.scope.names
    if node.id not in names:
        return []
    place = names.index(node.id)
    return names[max(0, place - 1) : place] + names[place + 1 : place + 2]


@proposes("name", ast.Attribute, where=[of_self])
def relative(node: ast.Attribute, site: Site) -> Texts:
    """self.W_Q → self.W_K, self.ln1 → self.ln2: whatever of self has as many axes"""
    known = site.scope.attributes
    if node.attr not in known:
        return []
    ranks = site.scope.vocabulary.ranks
    alike = [name for name in known if ranks.get(name) == ranks.get(node.attr)]
    return each("self.{}", others(alike, node.attr))


@proposes("name", ast.Attribute, where=[of_cfg])
def field(node: ast.Attribute, site: Site) -> Texts:
    """cfg.d_vocab → cfg.d_model, if the solution speaks of both"""
    fields = site.scope.vocabulary.fields
    return each("{}.{}", [ast.unparse(node.value)], others(fields, node.attr))
