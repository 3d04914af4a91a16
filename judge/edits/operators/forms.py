"""Edits of a class's form: the names of its methods and attributes, `self`, and what its __init__ must not forget."""

import ast

from judge.edits.operators.proposals import Proposal, Texts, each, in_a_class, of_self, others, proposes
from judge.edits.sites import Site, is_stored
from judge.edits.trees import statements

SUPER, KEEPING_CFG = "super().__init__()", "self.cfg = cfg"


@proposes("name a method", ast.FunctionDef, where=[in_a_class])
def method_name(node: ast.FunctionDef, site: Site) -> Texts:
    """def foward → def forward"""
    wanted = site.scope.vocabulary.methods
    if node.name in wanted:
        return
    there = {one.name for one in site.block if isinstance(one, ast.FunctionDef)}
    for name in wanted:
        if name not in there:
            yield _with_head("name a method", node, name, node.args)


@proposes("add self", ast.FunctionDef, where=[in_a_class])
def self_(node: ast.FunctionDef, site: Site) -> Texts:
    """def forward(residual) → def forward(self, residual)"""
    names = [one.arg for one in node.args.args]
    if node.decorator_list or names[:1] == ["self"]:
        return
    arguments = ast.arguments(**dict(ast.iter_fields(node.args)))
    arguments.args = [ast.arg("self"), *node.args.args]
    yield _with_head("add self", node, node.name, arguments)


def in_init_of_a_cfg(site: Site) -> bool:
    """def __init__(self, cfg)"""
    is_init = isinstance(site.node, ast.FunctionDef) and site.node.name == "__init__"
    return is_init and "cfg" in site.scope.arguments


@proposes("add a line to __init__", ast.FunctionDef, where=[in_init_of_a_cfg])
def super_init(node: ast.FunctionDef, site: Site) -> Texts:
    """__init__ without super().__init__() → with it, as the first line"""
    if "super().__init__" not in site.text:
        yield _function(node, node.name, node.args, [*statements(SUPER), *node.body])


@proposes("add a line to __init__", ast.FunctionDef, where=[in_init_of_a_cfg])
def keeping_cfg(node: ast.FunctionDef, site: Site) -> Texts:
    """__init__ without self.cfg = cfg → with it, as the last line"""
    if "self.cfg =" not in site.text:
        yield _function(node, node.name, node.args, [*node.body, *statements(KEEPING_CFG)])


def set_(site: Site) -> bool:
    """x in x = y"""
    return is_stored(site.node)


@proposes("name", ast.Attribute, where=[of_self, set_])
def target(node: ast.Attribute, site: Site) -> Texts:
    """self.weight = ... → self.w = ..."""
    return each("self.{}", others(site.scope.vocabulary.attributes, node.attr))


def _with_head(kind: str, node: ast.FunctionDef, name: str, arguments: ast.arguments) -> Proposal:
    """The function with another first line, of which alone a reader is told."""
    text = _function(node, name, arguments, node.body)
    return Proposal(kind, text, _head(node.name, node.args), _head(name, arguments))


def _function(node: ast.FunctionDef, name: str, arguments: ast.arguments, body: list[ast.stmt]) -> str:
    new = ast.FunctionDef(name, arguments, body, node.decorator_list, node.returns)
    return ast.unparse(ast.fix_missing_locations(ast.copy_location(new, node)))


def _head(name: str, arguments: ast.arguments) -> str:
    return f"def {name}({ast.unparse(arguments)})"
