"""Where an edit may be made: one node of the learner's code, with the names that are known there."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard

from judge.edits.trees import LIBRARIES, Path, called_name, node_at, walk, words_of
from judge.edits.vocabulary import Vocabulary

CONFIGS = ("cfg", "self.cfg", "self.config", "config")
NO_SITES = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Pass)  # among statements


@dataclass(frozen=True)
class Scope:
    """The names that code at one place may call, and those that the exercise speaks of."""

    function: str  # the name of the function that the place is in
    arguments: list[str]  # of that function, without `self`
    locals: list[str]  # that it assigns, in the order of the code
    attributes: list[str]  # of `self`
    methods: list[str]  # of `self`, which the code defines
    unused: list[str]  # locals that nothing reads
    vocabulary: Vocabulary
    has_self: bool = True
    words: frozenset[str] = frozenset()  # in all of the code but `__init__`
    only_reads: frozenset[ast.Name] = frozenset()  # of a local, after the last line that assigns it
    asked: frozenset[str] = frozenset()  # names of what is asked whether it holds something
    kept: frozenset[str] = frozenset()  # items that are set or read, as they are written: cache[piece]

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

    node: ast.expr | ast.stmt
    path: Path
    parent: ast.AST
    scope: Scope
    gives_its_form: bool = False  # and nothing else: its numbers are never read

    @cached_property
    def text(self) -> str:
        return ast.unparse(self.node)

    @property
    def role(self) -> str:
        """The field of the parent that the node stands in."""
        name, _ = self.path[-1]
        return name

    @property
    def block(self) -> list[ast.stmt]:
        """The statements among which this one stands."""
        return getattr(self.parent, self.role)

    @property
    def is_last(self) -> bool:
        _, index = self.path[-1]
        return index == len(self.block) - 1


def sites(tree: ast.Module, vocabulary: Vocabulary) -> Iterator[Site]:
    """Every function of the tree, and in its body every statement, what is read, and self.w or x[0] that are set."""
    attributes, methods = _attributes(tree, vocabulary), _methods(tree)
    words = frozenset(_words_of_work(tree))
    for function, path in walk(tree):
        if isinstance(function, ast.FunctionDef):
            scope = _scope(function, attributes, methods, words, vocabulary)
            yield Site(function, path, node_at(tree, path[:-1]), scope)
            yield from _inside(tree, function, path, scope)


def _inside(tree: ast.Module, function: ast.FunctionDef, outer: Path, scope: Scope) -> Iterator[Site]:
    for index, statement in enumerate(function.body):
        forms, kept = list[Path](), list[Path]()
        for node, path in walk(statement, (*outer, ("body", index))):
            forms += [(*path, *step) for step in _form_of(node)]
            kept += _kept(node, path, scope)
            if _is_site(node) and not _is_within(path, kept):
                yield Site(node, path, node_at(tree, path[:-1]), scope, _is_within(path, forms))


def _is_within(path: Path, outer: list[Path]) -> bool:
    return any(path[: len(place)] == place for place in outer)


def _form_of(node: ast.AST) -> list[Path]:
    """Where a call has the tensor of which it takes the form alone: x in torch.full_like(x, 2) and in x.new_zeros(3)"""
    if not isinstance(node, ast.Call):
        return []
    if called_name(node).endswith("_like"):
        return [(("args", 0),)]
    return [(("func", None), ("value", None))] if called_name(node).startswith("new_") else []


def _kept(node: ast.AST, path: Path, scope: Scope) -> list[Path]:
    """cache[piece] in cache[piece] = x, where `piece in cache` is asked: an edit there only keeps it from holding"""
    match node:
        case ast.Subscript(ctx=ast.Store()) if ast.unparse(node.value) in scope.asked:
            return [path]
    return []


def _is_site(node: ast.AST) -> TypeGuard[ast.expr | ast.stmt]:
    if isinstance(node, ast.stmt):
        return not isinstance(node, NO_SITES)
    if not isinstance(node, ast.expr) or is_super(node):
        return False
    can_be_set = is_of_self(node) or isinstance(node, ast.Subscript)
    return can_be_set or not is_stored(node)


def _scope(
    function: ast.FunctionDef, attributes: list[str], methods: list[str], words: frozenset[str], vocabulary: Vocabulary
) -> Scope:
    arguments = [arg.arg for arg in function.args.args if arg.arg != "self"]
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    stored = dict.fromkeys(node.id for node in names if is_stored(node))
    own = [name for name in stored if name not in {*arguments, "_"}]
    read = {node.id for node in names if not is_stored(node)}
    return Scope(
        function=function.name,
        arguments=arguments,
        locals=own,
        attributes=attributes,
        methods=methods,
        unused=[name for name in own if name not in read],
        vocabulary=vocabulary,
        words=words,
        has_self=any(arg.arg == "self" for arg in function.args.args),
        only_reads=frozenset(filter(None, (_only_read(name, names) for name in own))),
        asked=frozenset(_asked(function)),
        kept=frozenset(ast.unparse(node) for node in ast.walk(function) if isinstance(node, ast.Subscript)),
    )


def _only_read(name: str, names: list[ast.Name]) -> ast.Name | None:
    """Where a local is read after it was last assigned, if that is one place alone."""
    here = [node for node in names if node.id == name]
    last = max(node.lineno for node in here if is_stored(node))
    reads = [node for node in here if node.lineno > last]
    return reads[0] if len(reads) == 1 else None


def _asked(function: ast.FunctionDef) -> Iterator[str]:
    """cache in `piece in cache`"""
    for node in ast.walk(function):
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[asked]):
                yield ast.unparse(asked)


def _attributes(tree: ast.Module, vocabulary: Vocabulary) -> list[str]:
    """The names that hang on `self`: the exercise's own first."""
    of_self = filter(is_of_self, ast.walk(tree))
    stored = [node.attr for node in of_self if is_stored(node)]
    names = dict.fromkeys([*vocabulary.attributes, *stored])
    names.pop("cfg", None)
    return list(names)


def _words_of_work(tree: ast.Module) -> set[str]:
    """The words of all functions but `__init__`."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return words_of([function for function in functions if function.name != "__init__"])


def _methods(tree: ast.Module) -> list[str]:
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return [method.name for node in classes for method in node.body if isinstance(method, ast.FunctionDef)]


def is_stored(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)


def is_super(node: ast.AST) -> bool:
    """super()"""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def is_of_self(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """self.w"""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def is_of_cfg(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """cfg.d_model, self.cfg.d_model"""
    return isinstance(node, ast.Attribute) and ast.unparse(node.value) in CONFIGS


def is_of_library(node: ast.AST) -> bool:
    """torch.sqrt, nn.functional.softmax; torch itself"""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in LIBRARIES


def method_of(node: ast.AST) -> ast.Attribute | None:
    """x.mean of x.mean(...); None of torch.mean(...) and of whatever is no call. self.attn counts as a method."""
    if not isinstance(node, ast.Call) or is_of_library(node.func):
        return None
    return node.func if isinstance(node.func, ast.Attribute) else None
