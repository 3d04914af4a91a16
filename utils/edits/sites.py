"""Where an edit may be made: one node of the learner's code, with the names that are known there."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property

from utils.config import Config
from utils.edits.trees import LIBRARIES, Path, node_at, walk
from utils.edits.vocabulary import Vocabulary

SIZES = [field.name for field in fields(Config) if field.type is int]
SETTINGS = [field.name for field in fields(Config) if field.type is float]


@dataclass(frozen=True)
class Scope:
    """What code at one place may call by name, and what the exercise speaks of."""

    function: str  # the name of the function that the place is in
    arguments: list[str]  # of that function, without `self`
    locals: list[str]  # that it assigns, in the order of the code
    attributes: list[str]  # of `self`
    methods: list[str]  # of `self`, which the code defines
    unused: list[str]  # locals that nothing reads
    vocabulary: Vocabulary

    @property
    def names(self) -> list[str]:
        return [*self.arguments, *self.locals]

    @property
    def cfg(self) -> str:
        """How the Config is called here."""
        return "cfg" if "cfg" in self.arguments else "self.cfg"


@dataclass(frozen=True)
class Site:
    """One node of a function's body."""

    node: ast.AST
    path: Path
    parent: ast.AST
    scope: Scope

    @cached_property
    def text(self) -> str:
        return ast.unparse(self.node)

    @property
    def role(self) -> str:
        """The field of the parent that the node stands in."""
        return self.path[-1][0]

    @property
    def is_called(self) -> bool:
        return isinstance(self.parent, ast.Call) and self.role == "func"

    @property
    def block(self) -> list[ast.stmt]:
        """The statements among which this one stands."""
        return getattr(self.parent, self.role)

    @property
    def is_last(self) -> bool:
        return self.path[-1][1] == len(self.block) - 1


def sites(tree: ast.Module, vocabulary: Vocabulary) -> Iterator[Site]:
    """Every function of the tree, and in its body every statement, what is read, and self.w or x[0] that are set."""
    attributes, methods = _attributes(tree, vocabulary), _methods(tree)
    for function, outer in walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        scope = _scope(function, attributes, methods, vocabulary)
        yield Site(function, outer, node_at(tree, outer[:-1]), scope)
        for index, statement in enumerate(function.body):
            for node, path in walk(statement, (*outer, ("body", index))):
                if _is_site(node):
                    yield Site(node, path, node_at(tree, path[:-1]), scope)


def _is_site(node: ast.AST) -> bool:
    if isinstance(node, ast.stmt):
        return not isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Pass))
    can_change = not is_stored(node) or is_of_self(node) or isinstance(node, ast.Subscript)
    return isinstance(node, ast.expr) and can_change and not is_super(node)


def _scope(function: ast.FunctionDef, attributes: list[str], methods: list[str], vocabulary: Vocabulary) -> Scope:
    arguments = [one.arg for one in function.args.args if one.arg != "self"]
    stored = [node.id for node in ast.walk(function) if is_stored(node) and isinstance(node, ast.Name)]
    own = [name for name in dict.fromkeys(stored) if name not in arguments and name != "_"]
    read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not is_stored(node)}
    unused = [name for name in own if name not in read]
    return Scope(function.name, arguments, own, attributes, methods, unused, vocabulary)


def _attributes(tree: ast.Module, vocabulary: Vocabulary) -> list[str]:
    """What hangs on `self`: the exercise's own names first."""
    stored = [node.attr for node in ast.walk(tree) if is_of_self(node) and is_stored(node)]  # type: ignore[attr-defined]
    return [name for name in dict.fromkeys([*vocabulary.attributes, *stored]) if name != "cfg"]


def _methods(tree: ast.Module) -> list[str]:
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return [one.name for node in classes for one in node.body if isinstance(one, ast.FunctionDef)]


def is_stored(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)


def is_super(node: ast.AST) -> bool:
    """super()"""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def is_of_self(node: ast.AST) -> bool:
    """self.w"""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def is_of_cfg(node: ast.AST) -> bool:
    """cfg.d_model, self.cfg.d_model"""
    return isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("cfg", "self.cfg", "self.config", "config")


def is_of_library(node: ast.AST) -> bool:
    """torch.sqrt, nn.functional.softmax; torch itself"""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in LIBRARIES


def is_method_call(node: ast.AST) -> bool:
    """x.mean(...), but not torch.mean(...) and not self.attn(...)"""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not is_of_library(node.func)
