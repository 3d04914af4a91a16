"""Edits that break a right answer: gradients cut off, an input changed in place, a size written out, a near name.

A wrong answer is mended with any name that is known; to break a right one, those that are easily taken for it do.
"""

import ast
from collections.abc import Iterator

from utils.config import SMALL, Config
from utils.edits.operators import patterns
from utils.edits.operators.arithmetic import SIGNS
from utils.edits.operators.proposals import Proposal, operator
from utils.edits.operators.wrapping import VALUES
from utils.edits.sites import SIZES, Site, is_of_cfg, is_of_library, is_of_self


@operator(*VALUES)
def detach(site: Site) -> Iterator[Proposal]:
    """x → x.detach()"""
    inner = site.is_called or isinstance(site.parent, ast.Attribute) or is_of_library(site.node)
    made = site.scope.function == "__init__"  # where nothing has a gradient yet
    if not (inner or made) and not is_of_cfg(site.node) and site.text not in ("self", "cfg", "self.cfg"):
        yield Proposal("detach", f"({site.text}).detach()")


@operator(ast.Attribute)
def written_out(site: Site) -> Iterator[Proposal]:
    """self.cfg.d_model → 768"""
    if is_of_cfg(site.node):
        name = site.node.attr  # type: ignore[attr-defined]
        if name not in SIZES or site.scope.function != "__init__":
            yield Proposal("number", repr(getattr(Config(), name)))
        if name in SIZES:
            yield Proposal("number", repr(getattr(SMALL, name)))


@operator(ast.Assign)
def in_place(site: Site) -> Iterator[Proposal]:
    """y = x - m → x -= m; y = x"""
    assert isinstance(site.node, ast.Assign)
    value = site.node.value
    if isinstance(value, ast.BinOp) and isinstance(value.left, ast.Name) and type(value.op) in SIGNS:
        changed = f"{value.left.id} {SIGNS[type(value.op)]}= {ast.unparse(value.right)}"
        yield Proposal("in place", f"{changed}\n{ast.unparse(site.node.targets[0])} = {value.left.id}")


@operator(ast.Name)
def neighbour(site: Site) -> Iterator[Proposal]:
    """centred → variance: the name that is made before it, and the one after"""
    assert isinstance(site.node, ast.Name)
    names = site.scope.names
    if site.node.id in names:
        place = names.index(site.node.id)
        near = names[max(0, place - 1) : place] + names[place + 1 : place + 2]
        yield from (Proposal("name", name) for name in near)


@operator(ast.Attribute)
def relative(site: Site) -> Iterator[Proposal]:
    """self.W_Q → self.W_K, self.ln1 → self.ln2: whatever of self has as many axes"""
    assert isinstance(site.node, ast.Attribute)
    if is_of_self(site.node) and site.node.attr in site.scope.attributes:
        ranks = site.scope.vocabulary.ranks
        for name in site.scope.attributes:
            if name != site.node.attr and ranks.get(name) == ranks.get(site.node.attr):
                yield Proposal("name", f"self.{name}")


@operator(ast.Attribute)
def field(site: Site) -> Iterator[Proposal]:
    """cfg.d_vocab → cfg.d_model, if the solution speaks of both"""
    assert isinstance(site.node, ast.Attribute)
    if is_of_cfg(site.node):
        others = [name for name in site.scope.vocabulary.fields if name != site.node.attr]
        yield from (Proposal("name", f"{ast.unparse(site.node.value)}.{name}") for name in others)


OPERATORS = [detach, written_out, in_place, neighbour, relative, field, patterns.order]
