"""Python code as a tree: where each node stands, and a copy of the tree with another node in its place."""

import ast
import copy
from collections.abc import Iterator
from typing import TypeVar

Tree = TypeVar("Tree", bound=ast.AST)
Step = tuple[str, int | None]  # a field of a node, and which of a list
Path = tuple[Step, ...]
LIBRARIES = {"torch", "nn", "F", "np", "numpy", "math", "einops", "functional"}
SIGNS = {
    **{ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@"},
    **{ast.Pow: "**", ast.BitXor: "^", ast.Mod: "%", ast.FloorDiv: "//"},
    **{ast.BitAnd: "&", ast.BitOr: "|"},
}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NO_NODES = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


def walk(node: ast.AST, path: Path = ()) -> Iterator[tuple[ast.AST, Path]]:
    """Every node with the path that leads to it, from the outside to the inside."""
    yield node, path
    for step, child in _children(node):
        yield from walk(child, (*path, step))


def _children(node: ast.AST) -> Iterator[tuple[Step, ast.AST]]:
    for name, value in ast.iter_fields(node):
        if _is_node(value):
            yield (name, None), value
        elif isinstance(value, list):
            numbered = enumerate(value)
            yield from (((name, index), item) for index, item in numbered if _is_node(item))


def _is_node(value: object) -> bool:
    """Whether it has a place of its own in the text; an operator is a part of what it joins."""
    return isinstance(value, ast.AST) and not isinstance(value, _NO_NODES)


def node_at(tree: ast.AST, path: Path) -> ast.AST:
    """The node that the path leads to."""
    for name, index in path:
        value = getattr(tree, name)
        tree = value if index is None else value[index]
    return tree


def replaced(tree: Tree, path: Path, new: ast.AST | list[ast.stmt]) -> Tree:
    """A copy of the tree with `new` at this path; it shares everything beside the path with the old one.

    A list takes the place of one statement; an empty one leaves it out.
    """
    (name, index), rest = path[0], path[1:]
    value = getattr(tree, name)
    made = copy.copy(tree)
    if index is None:
        inner = replaced(value, rest, new) if rest else new
        setattr(made, name, inner)
        return made
    items = _spliced(value, index, rest, new)
    setattr(made, name, items or [_nothing()])
    return made


def _spliced(items: list, index: int, rest: Path, new: ast.AST | list[ast.stmt]) -> list:
    """The list with one of its items replaced, or with something replaced in it."""
    if rest:
        inner = [replaced(items[index], rest, new)]
    else:
        inner = new if isinstance(new, list) else [new]
    return [*items[:index], *inner, *items[index + 1 :]]


def _nothing() -> ast.stmt:
    return ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)


def expression(text: str) -> ast.expr:
    """The expression that is written so. Raises SyntaxError."""
    return ast.parse(text, mode="eval").body


def statements(text: str) -> list[ast.stmt]:
    """The statements that are written so. Raises SyntaxError."""
    return ast.parse(text).body


def size(tree: ast.AST) -> int:
    """How many names, numbers, calls, ... something is made of."""
    return sum(isinstance(node, (ast.expr, ast.stmt)) for node in ast.walk(tree))


def words_of(code: ast.AST | list[ast.stmt]) -> set[str]:
    """The names, attributes and keywords in a piece of code."""
    nodes = ast.walk(ast.Module(code, []) if isinstance(code, list) else code)
    words = (getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "arg", None) for node in nodes)
    return {word for word in words if word}


def called_name(node: ast.Call) -> str:
    """The last part of what is called: `mean` of x.mean(...), torch.mean(...)"""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return getattr(node.func, "id", "")


def keyword_names(node: ast.Call) -> set[str | None]:
    """The arguments that are given by name; None stands for `**options`."""
    return {keyword.arg for keyword in node.keywords}


def bare(tree: ast.Module) -> ast.Module:
    """A copy without annotations of arguments and without docstrings: nothing that changes what the code does."""
    made = copy.deepcopy(tree)
    for node in ast.walk(made):
        if isinstance(node, FUNCTIONS):
            _drop_annotations(node)
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and ast.get_docstring(node, False):
            node.body[0] = ast.copy_location(ast.Pass(), node.body[0])
    return made


def _drop_annotations(function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    function.returns = None
    given = function.args
    for argument in [*given.posonlyargs, *given.args, *given.kwonlyargs]:
        argument.annotation = None
