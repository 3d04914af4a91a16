"""Python code as a tree: where each node stands, and a copy of the tree with another node in its place."""

import ast
import copy
from collections.abc import Iterator

Step = tuple[str, int | None]  # a field of a node, and which of a list
Path = tuple[Step, ...]
LIBRARIES = {"torch", "nn", "F", "np", "numpy", "math", "einops", "functional"}
_NO_NODES = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


def walk(node: ast.AST, path: Path = ()) -> Iterator[tuple[ast.AST, Path]]:
    """Every node with the path that leads to it, from the outside to the inside."""
    yield node, path
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, ast.AST) and not isinstance(item, _NO_NODES):
                    yield from walk(item, (*path, (name, index)))
        elif isinstance(value, ast.AST) and not isinstance(value, _NO_NODES):
            yield from walk(value, (*path, (name, None)))


def node_at(tree: ast.AST, path: Path) -> ast.AST:
    """The node that the path leads to."""
    for name, index in path:
        value = getattr(tree, name)
        tree = value if index is None else value[index]
    return tree


def replaced(tree: ast.AST, path: Path, new: ast.AST | list[ast.stmt]) -> ast.AST:
    """A copy of the tree with `new` at this path; it shares everything beside the path with the old one.

    A list takes the place of one statement; an empty one leaves it out.
    """
    (name, index), rest = path[0], path[1:]
    made, value = copy.copy(tree), getattr(tree, name)
    if index is None:
        setattr(made, name, replaced(value, rest, new) if rest else new)
        return made
    if rest:
        inner = [replaced(value[index], rest, new)]
    else:
        inner = new if isinstance(new, list) else [new]
    items = [*value[:index], *inner, *value[index + 1 :]]
    setattr(made, name, items or [ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)])
    return made


def expression(text: str) -> ast.expr:
    """The expression that is written so. Raises SyntaxError."""
    return ast.parse(text, mode="eval").body


def statements(text: str) -> list[ast.stmt]:
    """The statements that are written so. Raises SyntaxError."""
    return ast.parse(text).body


def size(tree: ast.AST) -> int:
    """How many names, numbers, calls, ... something is made of."""
    return sum(isinstance(node, (ast.expr, ast.stmt)) for node in ast.walk(tree))


def called_name(node: ast.Call) -> str:
    """The last part of what is called: `mean` of x.mean(...), torch.mean(...)"""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def bare(tree: ast.Module) -> ast.Module:
    """A copy without annotations of arguments and without docstrings: nothing that changes what the code does."""
    made = copy.deepcopy(tree)
    for node in ast.walk(made):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.returns = None
            for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
                argument.annotation = None
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and ast.get_docstring(node, False):
            node.body[0] = ast.copy_location(ast.Pass(), node.body[0])
    return made
