"""Edits of the patterns of einsum and einops: the order of their axes, one axis for another, one more, one less."""

import ast
import re
from dataclasses import dataclass
from itertools import pairwise

from judge.edits.operators.proposals import Texts, each, proposes
from judge.edits.sites import Site

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
    return [one.arg for one in call.keywords if one.arg]
