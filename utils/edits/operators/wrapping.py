"""Edits that put something round an expression: only what the reference solution itself has, an axis, or a setting."""

import ast
from collections.abc import Iterator

from utils.edits.operators.numbers import number_in
from utils.edits.operators.proposals import Proposal, operator
from utils.edits.sites import SETTINGS, SIZES, Site, is_of_cfg, is_of_library, is_of_self, is_stored
from utils.edits.vocabulary import HOLE

VALUES = (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript)


@operator(*VALUES)
def frame(site: Site) -> Iterator[Proposal]:
    """variance → variance + self.cfg.layer_norm_eps"""
    if _is_value(site):
        scope = site.scope
        for text in scope.vocabulary.frames:
            yield Proposal("frame", _renamed(text, scope.vocabulary.arguments, scope.arguments, site.text))


@operator(*VALUES)
def axis(site: Site) -> Iterator[Proposal]:
    """mean → mean.unsqueeze(-1)"""
    if _is_value(site) and not is_of_cfg(site.node):
        yield from (Proposal("axis", f"({site.text}){form}") for form in (".unsqueeze(-1)", ".unsqueeze(0)", "[0]"))


@operator(*VALUES)
def dtype(site: Site) -> Iterator[Proposal]:
    """tokens → tokens.long()"""
    if _is_value(site) and not is_of_cfg(site.node) and not isinstance(site.parent, ast.Return):
        yield from (Proposal("dtype", f"({site.text}).{name}()") for name in ("float", "long"))


@operator(ast.Attribute)
def first_rows(site: Site) -> Iterator[Proposal]:
    """self.W_pos → self.W_pos[:pos]"""
    if is_of_self(site.node) and not site.is_called and not isinstance(site.parent, ast.Subscript):
        if site.node.attr in site.scope.vocabulary.attributes:  # type: ignore[attr-defined]
            shapes = [f"{name}.shape[{index}]" for name in site.scope.arguments for index in (1, 0)]
            yield from (Proposal("slice", f"{site.text}[:{end}]") for end in [*site.scope.locals, *shapes])


@operator(ast.Constant)
def setting(site: Site) -> Iterator[Proposal]:
    """1e-5 → self.cfg.layer_norm_eps; 8 → self.cfg.d_model or residual.shape[-1]"""
    value = number_in(site.node)
    if value is None or (isinstance(value, int) and abs(value) < 3):
        return
    fields = SETTINGS if isinstance(value, float) else [*site.scope.vocabulary.fields, *SIZES]
    yield from (Proposal("setting", f"{site.scope.cfg}.{name}") for name in dict.fromkeys(fields))
    if isinstance(value, int) and site.scope.function != "__init__":
        shapes = [f"{name}.shape[{index}]" for name in site.scope.arguments for index in (-1, 1, 0)]
        yield from (Proposal("setting", shape) for shape in shapes)


def _is_value(site: Site) -> bool:
    """Whether more can be done with this value: no library, function, `self` or part of a target, no plain number."""
    node = site.node
    if not any(isinstance(inner, ast.Name) for inner in ast.walk(node)):
        return False
    if site.is_called or is_of_library(node) or isinstance(site.parent, ast.Expr):
        return False
    if is_stored(site.parent) or (isinstance(node, ast.Name) and node.id == "self"):
        return False
    return not (is_of_self(node) and node.attr == "cfg")  # type: ignore[attr-defined]


def _renamed(frame: str, declared: list[str], own: list[str], inside: str) -> str:
    """The frame round `inside`, with the arguments called as the learner calls them."""
    names = dict(zip(declared, own, strict=False))
    tree = ast.parse(frame, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]
    return ast.unparse(tree).replace(HOLE, f"({inside})")


OPERATORS = [frame, axis, dtype, first_rows, setting]
