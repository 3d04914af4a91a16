"""Edits of a class's form: the names of its methods and attributes, `self`, and what its __init__ must not forget."""

import ast
from collections.abc import Iterator

from utils.edits.operators.proposals import Proposal, operator
from utils.edits.sites import Site, is_of_self, is_stored

NEEDED = {"super().__init__": "super().__init__()", "self.cfg =": "self.cfg = cfg"}


@operator(ast.FunctionDef)
def method_name(site: Site) -> Iterator[Proposal]:
    """def foward → def forward"""
    node, wanted = site.node, site.scope.vocabulary.methods
    assert isinstance(node, ast.FunctionDef)
    if isinstance(site.parent, ast.ClassDef) and node.name not in wanted:
        there = {one.name for one in site.parent.body if isinstance(one, ast.FunctionDef)}
        for name in wanted:
            if name not in there:
                yield _proposal("name a method", node, node.args, node.body, name)


@operator(ast.FunctionDef)
def self_(site: Site) -> Iterator[Proposal]:
    """def forward(residual) → def forward(self, residual)"""
    node = site.node
    assert isinstance(node, ast.FunctionDef)
    if isinstance(site.parent, ast.ClassDef) and not node.decorator_list:
        if not node.args.args or node.args.args[0].arg != "self":
            arguments = ast.parse(f"def f(self, {ast.unparse(node.args)}): pass").body[0].args  # type: ignore[attr-defined]
            yield _proposal("add self", node, arguments, node.body)


@operator(ast.FunctionDef)
def needed_lines(site: Site) -> Iterator[Proposal]:
    """__init__ without super().__init__() or self.cfg = cfg → with it"""
    node = site.node
    assert isinstance(node, ast.FunctionDef)
    if node.name == "__init__" and "cfg" in site.scope.arguments:
        written = ast.unparse(node)
        for sign, line in NEEDED.items():
            if sign not in written:
                new = ast.parse(line).body
                body = [*new, *node.body] if line.startswith("super") else [*node.body, *new]
                yield Proposal("add a line to __init__", ast.unparse(_function(node, node.args, body, node.name)))


@operator(ast.Attribute)
def target(site: Site) -> Iterator[Proposal]:
    """self.weight = ... → self.w = ..."""
    node = site.node
    assert isinstance(node, ast.Attribute)
    if is_stored(node) and is_of_self(node):
        others = [name for name in site.scope.vocabulary.attributes if name != node.attr]
        yield from (Proposal("name", f"self.{name}") for name in others)


def _proposal(kind: str, node: ast.FunctionDef, arguments: ast.arguments, body: list, name: str = "") -> Proposal:
    new = _function(node, arguments, body, name or node.name)
    return Proposal(kind, ast.unparse(new), _head(node), _head(new))


def _function(node: ast.FunctionDef, arguments: ast.arguments, body: list, name: str) -> ast.FunctionDef:
    new = ast.FunctionDef(name, arguments, body, node.decorator_list, node.returns)
    return ast.fix_missing_locations(ast.copy_location(new, node))


def _head(node: ast.FunctionDef) -> str:
    return f"def {node.name}({ast.unparse(node.args)})"


OPERATORS = [method_name, self_, needed_lines, target]
