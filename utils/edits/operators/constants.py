"""Edits of a number or a text that is written out: what the reference solution has, or the function's own axis."""

import ast
from functools import partial

from utils.edits.operators.numbers import AXES, a_number, number_in, with_a_sign
from utils.edits.operators.proposals import Texts, proposes
from utils.edits.sites import Site
from utils.edits.trees import words_of

NAMES_OF_AN_AXIS = {"dim", "axis"}
FAR_BELOW_0 = -10  # whoever writes such a number into scores means what no score lies below


@proposes("number", ast.Constant)
def constant(node: ast.Constant, site: Site) -> Texts:
    """0.047415 → 0.044715"""
    known = site.scope.vocabulary.constants
    if isinstance(number_in(node), float) and repr(node.value) not in known:
        yield from known


def a_text(site: Site) -> bool:
    """ "ignore", b" " """
    return isinstance(site.node, ast.Constant) and isinstance(site.node.value, (str, bytes))


@proposes("text", ast.Constant, where=[a_text])
def text(node: ast.Constant, site: Site) -> Texts:
    """ "ignore" → "replace", " " → "": of the same kind, text or bytes"""
    known = site.scope.vocabulary.texts
    if site.text in known:
        return []
    return filter(partial(_is_of_one_type, node.value), known)


def _is_of_one_type(value: object, written: str) -> bool:
    return type(ast.literal_eval(written)) is type(value)


def an_axis(site: Site) -> bool:
    """-1 in x.sum(-1) and in x.sum(dim=-1), but not in x[-1]"""
    return isinstance(site.parent, (ast.keyword, ast.Call)) and number_in(site.node) in AXES


@proposes("name", ast.Constant, ast.UnaryOp, where=[a_number, an_axis], unless=[with_a_sign])
def axis_that_is_given(node: ast.Constant | ast.UnaryOp, site: Site) -> Texts:
    """x.sum(-1) → x.sum(dim), in a function that has an argument `dim`"""
    return NAMES_OF_AN_AXIS.intersection(site.scope.arguments)


def far_below_0(site: Site) -> bool:
    """-100.0 in masked_fill(mask, -100.0)"""
    return (number_in(site.node) or 0.0) <= FAR_BELOW_0


def where_infinity_is_due(site: Site) -> bool:
    """In an exercise whose solution speaks of it"""
    return "inf" in site.scope.vocabulary.solution


@proposes("minus infinity", ast.UnaryOp, where=[far_below_0, where_infinity_is_due])
def minus_infinity(node: ast.UnaryOp, site: Site) -> Texts:
    """masked_fill(mask, -100.0) → masked_fill(mask, float('-inf'))"""
    return ["float('-inf')"]


def begun_with_a_number(site: Site) -> bool:
    """best = 0"""
    return isinstance(site.node, ast.Assign) and number_in(site.node.value) is not None


@proposes("number", ast.Assign, where=[begun_with_a_number])
def begun_below_all(node: ast.Assign, site: Site) -> Texts:
    """best = 0; if x > best: best = x → best = float('-inf')"""
    name = ast.unparse(node.targets[0])
    block = ast.Module(site.block, [])
    compared = [words_of(one) for one in ast.walk(block) if isinstance(one, ast.Compare)]
    if name in set().union(*compared):
        yield f"{name} = float('-inf')"
