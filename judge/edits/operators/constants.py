"""Edits of a number or a text that is written out: what the reference solution has, or the function's own axis."""

import ast
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

from judge.edits.operators.numbers import AXES, a_number, is_tiny, number_in, tiny, with_a_sign
from judge.edits.operators.proposals import Texts, proposes
from judge.edits.sites import Site
from judge.edits.trees import called_name, words_of

NAMES_OF_AN_AXIS = {"dim", "axis"}
SIGN, ALIKE = 2, 0.6  # characters of a text that is no word; the share that a misspelt one has in common
FAR_BELOW_0 = -10  # whoever writes such a number into scores means what no score lies below


@proposes("number", ast.Constant)
def constant(node: ast.Constant, site: Site) -> Texts:
    """0.047415 → 0.044715"""
    known, number = site.scope.vocabulary.constants, number_in(node)
    if isinstance(number, float) and repr(node.value) not in known:
        yield from (one for one in known if is_tiny(float(one)) == is_tiny(number))


@proposes("number", ast.Constant, where=[a_number, tiny])
def tiny_number(node: ast.Constant, site: Site) -> Texts:
    """1e-8 → 1e-05; an ordinary number in its place would be another formula"""
    value = number_in(node) or 0.0
    return [f"{other:g}" for other in (value * 1000, value / 1000)]


def a_text(site: Site) -> bool:
    """ "ignore", b" " """
    return isinstance(site.node, ast.Constant) and isinstance(site.node.value, (str, bytes))


@proposes("text", ast.Constant, where=[a_text])
def text(node: ast.Constant, site: Site) -> Texts:
    """ "ignore" → "replace", " " → "": of the same kind, text or bytes, and for the same use"""
    words = site.scope.vocabulary
    if site.text in words.texts:
        return
    role, roles = role_in(node, site.parent), roles_in(words.solution)
    for written in words.texts:
        value = ast.literal_eval(written)
        is_for_it = role in roles.get(written, ()) or _are_alike(node.value, value)
        if type(value) is type(node.value) and is_for_it:
            yield written


def role_in(node: ast.AST, parent: ast.AST) -> str:
    """What a text is for: the call that it is handed to, with its name or number there; "" for any other use.

    Texts that stand elsewhere, such as keys and the parts of names, name things of which one is no other.
    """
    match parent:
        case ast.keyword(arg=str(name)):
            return name
        case ast.Call(args=given) if node in given:
            place = [one is node for one in given].index(True)
            return f"{called_name(parent)} {place}"
    return ""


@lru_cache(maxsize=64)
def roles_in(solution: str) -> dict[str, set[str]]:
    """The uses of each text in a solution."""
    found: dict[str, set[str]] = {}
    for parent in ast.walk(ast.parse(solution)):
        for node in ast.iter_child_nodes(parent):
            role = role_in(node, parent)
            if role and isinstance(node, ast.Constant):
                found.setdefault(ast.unparse(node), set()).add(role)
    return found


def _are_alike(text: Any, other: Any) -> bool:
    """Whether one is the other misspelt, or both are no more than a sign or none."""
    both_short = max(len(text), len(other)) <= SIGN
    return both_short or SequenceMatcher(None, text, other, autojunk=False).ratio() >= ALIKE


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
