"""Edits that only break a right answer: gradients cut off, an input changed in place, a size written out."""

import ast
from collections.abc import Iterator

from utils.config import SMALL, Config
from utils.repairing.operators.arithmetic import SIGNS
from utils.repairing.operators.proposals import Proposal, operator
from utils.repairing.operators.wrapping import VALUES
from utils.repairing.sites import SIZES, Site, is_of_cfg, is_of_library


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


OPERATORS = [detach, written_out, in_place]
