"""An answer's use of another library than its exercise asks for: no mistake in what it gives, but somebody may mind."""

import ast
from collections.abc import Iterator

from grader.submissions.commands import parsed
from judge.running.libraries import LIBRARIES, Library

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
                bound = [(one.asname or one.name.partition(".")[0], one.name) for one in aliases]
            case ast.ImportFrom(module=str(module), level=0, names=aliases):
                bound = [(one.asname or one.name, module) for one in aliases]
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
        if field in ("annotation", "returns") or (field == "slice" and _only_names(value)):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST):
                yield from _used(part)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _only_names(node: ast.AST) -> bool:
    return not any(isinstance(one, ast.Call) for one in ast.walk(node))
