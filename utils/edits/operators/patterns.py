"""Edits of the patterns of einsum and einops: the order of their axes, one axis for another, one more, one less."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from utils.edits.operators.proposals import Proposal, operator
from utils.edits.sites import Site

WORDS, LETTERS = re.compile(r"\.\.\.|\w+"), re.compile(r"\w")


@dataclass(frozen=True)
class Pattern:
    """A pattern such as "b p d -> b p" or "bpd,hde->bphe", and where its axes stand in it."""

    text: str

    @property
    def spaced(self) -> bool:
        """Whether axes are words with blanks between them, as in einops."""
        return " " in self.text.split("->")[1].strip()

    @property
    def axes(self) -> list[tuple[int, int]]:
        return [match.span() for match in (WORDS if self.spaced else LETTERS).finditer(self.text)]

    @property
    def names(self) -> list[str]:
        return sorted({self.text[first:last] for first, last in self.axes})


def _pattern(node: ast.AST) -> Pattern | None:
    text = node.value if isinstance(node, ast.Constant) else None
    return Pattern(text) if isinstance(text, str) and text.count("->") == 1 else None


@operator(ast.Constant)
def order(site: Site) -> Iterator[Proposal]:
    """ "bpd,hde->bphe" → "bpd,hed->bphe": two neighbours change places"""
    pattern = _pattern(site.node)
    if pattern is None:
        return
    text = pattern.text
    for (first, last), (after, end) in pairwise(pattern.axes):
        between = text[last:after]
        if "->" not in between and "," not in between:
            swapped = text[after:end] + between + text[first:last]
            yield Proposal("pattern", repr(text[:first] + swapped + text[end:]))


@operator(ast.Constant)
def axis(site: Site) -> Iterator[Proposal]:
    """ "b p d -> b d" → "b p d -> b p": another axis in the place of one, or none"""
    pattern = _pattern(site.node)
    for first, last in pattern.axes if pattern else []:
        before, after = pattern.text[:first], pattern.text[last:]  # type: ignore[union-attr]
        yield Proposal("pattern", repr(before + after.lstrip()))
        yield from (Proposal("pattern", repr(before + name + after)) for name in pattern.names)  # type: ignore[union-attr]


@operator(ast.Constant)
def another_axis(site: Site) -> Iterator[Proposal]:
    """ "p d -> p d" → "p d -> b p d", with the names that the call gives a size to; or with an axis of size 1"""
    pattern = _pattern(site.node)
    if pattern is None:
        return
    space, names = (" ", [*pattern.names, "1"]) if pattern.spaced else ("", pattern.names)
    if isinstance(site.parent, ast.Call):
        names = [*names, *(one.arg for one in site.parent.keywords if one.arg)]
    head, right = pattern.text.split("->")
    axes = right.split() if space else list(right.strip())
    for name in dict.fromkeys(names):
        for place in range(len(axes) + 1):
            if name not in axes:
                yield Proposal("pattern", repr(f"{head}->{space}{space.join([*axes[:place], name, *axes[place:]])}"))


OPERATORS = [order, axis, another_axis]
