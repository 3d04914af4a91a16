"""Edits towards the reference solution: its functions, what it puts round an expression, nothing beside that."""

import ast
from collections.abc import Iterator

from judge.edits.operators.numbers import a_number, number_in
from judge.edits.operators.proposals import (
    Proposal,
    Texts,
    called,
    calls_self,
    each,
    form_of_a_like,
    in_init,
    of_cfg,
    of_self,
    others,
    proposes,
    rewrites,
    statement,
    stored,
    subscripted,
    with_arguments,
)
from judge.edits.sites import Scope, Site, is_of_library, is_of_self, is_stored
from judge.edits.trees import called_name, expression
from judge.edits.vocabulary import HOLE
from judge.running.on_demand import Tensor


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


# What a learner has added is left out to mend alone: of a solution these would leave out what makes a parameter, and
# memory may still hold what was there before.
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


VALUES = (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript)


def a_value(site: Site) -> bool:
    """Whether more can be done with this value: no library, function, `self` or part of a target, no plain number."""
    node = site.node
    if not any(isinstance(inner, ast.Name) for inner in ast.walk(node)):
        return False
    if called(site) or is_of_library(node) or stored(site):
        return False
    if isinstance(site.parent, ast.Expr) or is_stored(site.parent):
        return False
    return site.text != "self" and not _is_cfg_of_self(node)


def _is_cfg_of_self(node: ast.AST) -> bool:
    return is_of_self(node) and node.attr == "cfg"


@proposes("frame", *VALUES, where=[a_value], unless=[form_of_a_like, in_init])
def frame(node: ast.expr, site: Site) -> Texts:
    """variance → variance + self.cfg.layer_norm_eps; sooner where the code has nothing of that name"""
    for frame in site.scope.vocabulary.frames:
        tree = _round(frame, site.scope)
        text = ast.unparse(tree).replace(HOLE, f"({site.text})")
        is_forgotten = any(name not in site.scope.words for name in _own_names(tree, site.scope))
        yield Proposal("forgotten" if is_forgotten else "frame", text)


def _round(frame: str, scope: Scope) -> ast.expr:
    """The frame, with the arguments called as the learner calls them."""
    names = dict(zip(scope.vocabulary.inputs, scope.arguments, strict=False))
    tree = expression(frame)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    return tree


def _own_names(tree: ast.expr, scope: Scope) -> Iterator[str]:
    """The exercise's own names in it: self.b_O, attn.b_O, softmax"""
    owners = {"self", *scope.arguments}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(owner), attr=name) if owner in owners and not hasattr(Tensor, name):
                yield name
            case ast.Name(name) if name in scope.vocabulary.helpers:
                yield name


axis = rewrites(
    "axis",
    VALUES,
    "({it}).unsqueeze(-1)",  # mean → mean.unsqueeze(-1)
    "({it}).unsqueeze(0)",
    where=[a_value],
    unless=[of_cfg],
)
first = rewrites(
    "first of several",
    VALUES,
    "({it})[0]",  # max(pairs) → max(pairs)[0]
    where=[a_value],
    unless=[of_cfg],
)


def returned(site: Site) -> bool:
    """x in return x"""
    return isinstance(site.parent, ast.Return)


dtype = rewrites(
    "dtype",
    VALUES,
    "({it}).float()",
    "({it}).long()",  # tokens → tokens.long()
    where=[a_value],
    unless=[of_cfg, returned, form_of_a_like],
)


def a_mask(site: Site) -> bool:
    """x in ~x and in y.masked_fill(x, 0)"""
    match site.parent:
        case ast.UnaryOp(op=ast.Invert()):
            return True
        case ast.Call(ast.Attribute(attr="masked_fill" | "masked_fill_"), [mask, *_]):
            return mask is site.node
    return False


mask = rewrites(
    "dtype",
    VALUES,
    "({it}).bool()",  # x.masked_fill(~allowed, 0) → x.masked_fill(~allowed.bool(), 0)
    where=[a_value, a_mask],
)


@proposes("slice", ast.Attribute, where=[of_self], unless=[called, stored, subscripted])
def first_rows(node: ast.Attribute, site: Site) -> Texts:
    """self.W_pos → self.W_pos[:pos]"""
    scope = site.scope
    if node.attr not in scope.vocabulary.attributes:
        return []
    shapes = each("{}.shape[{}]", scope.arguments, (1, 0))
    return each("{}[:{}]", [site.text], [*scope.locals, *shapes])


def a_decimal(site: Site) -> bool:
    """1e-5"""
    return isinstance(number_in(site.node), float)


def of_use(site: Site) -> bool:
    """8, but not 1, which is no size and no setting"""
    return abs(number_in(site.node) or 0) >= 3


@proposes("setting", ast.Constant, where=[a_decimal])
def setting(node: ast.Constant, site: Site) -> Texts:
    """1e-5 → self.cfg.layer_norm_eps"""
    return each("{}.{}", [site.scope.cfg], site.scope.vocabulary.numbers)


@proposes("setting", ast.Constant, where=[a_number, of_use], unless=[a_decimal])
def size(node: ast.Constant, site: Site) -> Texts:
    """8 → self.cfg.d_model"""
    words = site.scope.vocabulary
    fields = dict.fromkeys([*words.fields, *words.sizes])
    return each("{}.{}", [site.scope.cfg], fields)


@proposes("setting", ast.Constant, where=[a_number, of_use], unless=[a_decimal, in_init])
def axis_of_an_input(node: ast.Constant, site: Site) -> Texts:
    """8 → residual.shape[-1]"""
    return each("{}.shape[{}]", site.scope.arguments, (-1, 1, 0))
