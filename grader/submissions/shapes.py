"""What an answer's syntax tree tells, for information: its shape, and what it uses of other libraries.

The shape is a digest that renaming, comments and formatting leave as it is. Another library than the exercise asks for
is no mistake in what an answer gives, but somebody may mind.
"""

import ast
import builtins
import hashlib
from collections.abc import Iterator

from grader.submissions.commands import parsed
from judge.running.libraries import LIBRARIES, Library

_IMPORTS = (ast.Import, ast.ImportFrom)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def shape_of(source: str, symbol: str) -> str:
    """The number of nodes, and a digest: "120:9f3a..."; "" for what can't be read.

    Names that the source gives are numbered in the order in which they come; docstrings, annotations and imports are
    left out.
    """
    tree = parsed(source)
    if tree is None:
        return ""
    tree.body = [node for node in tree.body if not isinstance(node, _IMPORTS)]
    try:
        plain = _Plain(symbol).visit(tree)
        text = ast.dump(plain)
    except RecursionError:
        return ""
    nodes = sum(1 for _ in ast.walk(plain))
    return f"{nodes}:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:32]}"


def size_of(shape: str) -> int:
    """How many nodes an answer of this shape has."""
    return int(shape.partition(":")[0] or 0)


class _Plain(ast.NodeTransformer):
    """Takes out of a tree what does not change what it does, and what names it goes by."""

    def __init__(self, symbol: str):
        self.symbol = symbol
        self.names: list[dict[str, str]] = [{}]

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self.names = [self._numbered(node, 0)]
        self.names[0].pop(self.symbol, None)
        return self.generic_visit(_without_docstring(node))

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = self._named(node.name)
        return self.generic_visit(_without_docstring(node))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self._named(node.name)
        node.returns = None
        return self._in_scope(_without_docstring(node))

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._in_scope(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(arg=self._named(node.arg))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(id=self._named(node.id), ctx=node.ctx)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node.name = node.name and self._named(node.name)
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        plain = ast.Assign(targets=[node.target], value=node.value)
        return self.generic_visit(plain)

    def _in_scope(self, node: ast.AST) -> ast.AST:
        self.names.append(self._numbered(node, len(self.names)))
        plain = self.generic_visit(node)
        self.names.pop()
        return plain

    def _named(self, name: str) -> str:
        found = (names[name] for names in reversed(self.names) if name in names)
        return next(found, name)

    def _numbered(self, node: ast.AST, depth: int) -> dict[str, str]:
        bound = dict.fromkeys(_bound_in(node))
        return {name: f"{depth}.{number}" for number, name in enumerate(bound) if not hasattr(builtins, name)}


def _bound_in(scope: ast.AST) -> Iterator[str]:
    """The names that a function or a module gives, in order; those of functions within it are theirs."""
    for node in ast.iter_child_nodes(scope):
        yield from _names_bound(node)
        if not isinstance(node, (*_SCOPES, ast.ClassDef)):
            yield from _bound_in(node)


def _names_bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ExceptHandler(name=str(name)):
            yield name


def _without_docstring(node: ast.AST) -> ast.AST:
    match node:
        case ast.Module(body=body) | ast.ClassDef(body=body) | ast.FunctionDef(body=body):
            if ast.get_docstring(node, clean=False) is not None:
                node.body = body[1:]
    return node


# What computes as NumPy and JAX do, or has a whole GPT-2, by the package; NumPy's constants belong in JAX too
PACKAGES = {
    **{"torch": "PyTorch", "jax": "JAX", "tensorflow": "TensorFlow", "keras": "Keras"},
    **{"transformers": "Hugging Face's transformers", "transformer_lens": "TransformerLens"},
}
_ASKS_FOR_A_TYPE = {"isinstance", "issubclass"}


def uses_of_other_libraries(source: str, library: str) -> list[str]:
    """A sentence for each library that an exercise in arrays, of `library`, does not ask for; [] for other exercises.

    What only says a type is no use: an annotation, `Float[Tensor, "pos d_model"]`, `isinstance(x, Tensor)`.
    """
    tree = parsed(source)
    own = LIBRARIES.get(library)
    if not tree or not own or not own.has_arrays:
        return []
    packages = dict(_bound_to_packages(tree, own))
    found: dict[str, str] = {}
    for name, text in _used(tree):
        if package := packages.get(name):
            found.setdefault(package, text)
    return [
        f"It uses {PACKAGES[package]} (`{text}`), where the exercise asks for {own.called}."
        for package, text in found.items()
    ]


def _bound_to_packages(tree: ast.Module, own: Library) -> Iterator[tuple[str, str]]:
    """The names under which it imports such a package, or something of it, wherever; and which package that is."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                bound = [(alias.asname or alias.name.partition(".")[0], alias.name) for alias in aliases]
            case ast.ImportFrom(module=str(module), level=0, names=aliases):
                bound = [(alias.asname or alias.name, module) for alias in aliases]
            case _:
                continue
        for name, module in bound:
            package = module.partition(".")[0]
            if package in PACKAGES and package != own.name:
                yield name, package


def _used(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Each name that is read for more than a type, and what is read of it: `torch` and `torch.nn.functional.gelu`."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            yield name, name
            return
        case ast.Attribute() if name := _root(node):
            yield name, ast.unparse(node)
            return
        case ast.Call(func=ast.Name(id=name)) if name in _ASKS_FOR_A_TYPE:
            return
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        if field == "slice" and not any(isinstance(one, ast.Call) for one in ast.walk(value)):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST):
                yield from _used(part)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
