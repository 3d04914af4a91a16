"""Edits of what is written out: a number or a text as the reference solution has it, an axis, a pattern."""

import ast
import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import Any

from judge.edits.operators.numbers import AXES, a_number, is_tiny, number_in, tiny, with_a_sign
from judge.edits.operators.proposals import Texts, each, proposes
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
        yield from (value for value in known if is_tiny(float(value)) == is_tiny(number))


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
            place = [argument is node for argument in given].index(True)
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


WORDS, LETTERS = re.compile(r"\.\.\.|\w+"), re.compile(r"\w")
ARROW_OR_COMMA = re.compile("->|,")


@dataclass(frozen=True)
class Pattern:
    """A pattern such as "b p d -> b p" or "bpd,hde->bphe", and where its axes stand in it."""

    text: str

    @property
    def spaced(self) -> bool:
        """Whether axes are words with blanks between them, as in einops."""
        _, right = self.text.split("->")
        return " " in right.strip()

    @property
    def axes(self) -> list[tuple[int, int]]:
        axis = WORDS if self.spaced else LETTERS
        return [match.span() for match in axis.finditer(self.text)]

    @property
    def names(self) -> list[str]:
        return sorted({self.text[first:last] for first, last in self.axes})


def a_pattern(site: Site) -> bool:
    """A text with one arrow"""
    match site.node:
        case ast.Constant(value=str(text)):
            return text.count("->") == 1
    return False


@proposes("pattern", ast.Constant, where=[a_pattern])
def order(node: ast.Constant, site: Site) -> Texts:
    """ "bpd,hde->bphe" → "bpd,hed->bphe": two neighbours change places"""
    pattern = Pattern(str(node.value))
    text = pattern.text
    for (first, last), (after, end) in pairwise(pattern.axes):
        between = text[last:after]
        if not ARROW_OR_COMMA.search(between):
            swapped = text[after:end] + between + text[first:last]
            yield repr(text[:first] + swapped + text[end:])


@proposes("pattern", ast.Constant, where=[a_pattern])
def axis(node: ast.Constant, site: Site) -> Texts:
    """ "b p d -> b d" → "b p d -> b p": another axis in the place of one, or none"""
    pattern = Pattern(str(node.value))
    for first, last in pattern.axes:
        before, after = pattern.text[:first], pattern.text[last:]
        yield repr(before + after.lstrip())
        yield from map(repr, each("{}{}{}", [before], pattern.names, [after]))


@proposes("pattern", ast.Constant, where=[a_pattern])
def another_axis(node: ast.Constant, site: Site) -> Texts:
    """ "p d -> p d" → "p d -> b p d", with the names that the call gives a size to; or with an axis of size 1"""
    pattern = Pattern(str(node.value))
    head, right = pattern.text.split("->")
    space, one = (" ", ["1"]) if pattern.spaced else ("", [])
    axes = right.split() if space else list(right.strip())
    for name in dict.fromkeys([*pattern.names, *one, *_sizes(site.parent)]):
        places = [] if name in axes else range(len(axes) + 1)
        for place in places:
            written = space.join([*axes[:place], name, *axes[place:]])
            yield repr(f"{head}->{space}{written}")


def _sizes(call: ast.AST) -> list[str]:
    """`b` in rearrange(x, pattern, b=3)"""
    if not isinstance(call, ast.Call):
        return []
    return [keyword.arg for keyword in call.keywords if keyword.arg]
