"""What an exercise and its reference solution speak of: the words that an edit may add to a learner's code."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass, field

from utils.edits.trees import LIBRARIES, Path, called_name, expression, size, walk

HOLE = "HOLE"
LARGEST_FRAME, LARGEST_HOLE = 9, 12  # nodes: what is put round an expression, and what a solution has in that place


@dataclass(frozen=True)
class Vocabulary:
    """The words of one exercise. Without a solution at hand only those of its declaration."""

    attributes: list[str]  # self.w, self.ln1
    ranks: dict[str, int] = field(default_factory=dict)  # how many axes each parameter has
    arguments: list[str] = field(default_factory=list)  # what the exercise calls its inputs
    fields: list[str] = field(default_factory=list)  # cfg.layer_norm_eps
    frames: list[str] = field(default_factory=list)  # "HOLE.sqrt()", "HOLE * self.w"
    keywords: dict[str, list[str]] = field(default_factory=dict)  # of each function: "keepdim=True"
    methods: list[str] = field(default_factory=list)  # forward, encode
    solution: str = ""  # the body of its longest function but __init__


def with_solution(declared: Vocabulary, tree: ast.Module) -> Vocabulary:
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    keywords: dict[str, list[str]] = {}
    for call in calls:
        keywords.setdefault(called_name(call), []).extend(map(ast.unparse, call.keywords))
    on_cfg = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _is_cfg(node.value)]
    frames = [frame for function in functions if function.name != "__init__" for frame in _frames(function)]
    return Vocabulary(
        declared.attributes,
        declared.ranks,
        declared.arguments,
        list(dict.fromkeys(on_cfg)),
        list(dict.fromkeys(frames)),
        keywords,
        [function.name for function in functions],
        max((_written(function) for function in functions if function.name != "__init__"), key=len, default=""),
    )


def _written(function: ast.FunctionDef) -> str:
    """The body without the docstring."""
    return "\n".join(map(ast.unparse, function.body[ast.get_docstring(function) is not None :]))


def _is_cfg(node: ast.AST) -> bool:
    return ast.unparse(node) in ("cfg", "self.cfg")


def _frames(function: ast.FunctionDef) -> Iterator[str]:
    """What the solution puts round an expression: each expression of it with a hole in the place of a part.

    Only what reads nothing but the function's arguments, `self` and libraries makes sense in other code.
    """
    known = {one.arg for one in function.args.args} | {*LIBRARIES, HOLE}
    for whole, _ in walk(function):
        if isinstance(whole, (ast.BinOp, ast.Call, ast.Subscript)):
            parts = {ast.unparse(part) for part, path in walk(whole) if path and _may_be_a_hole(part, path)}
            frames = (ast.unparse(_Hole(part).visit(copy.deepcopy(whole))) for part in sorted(parts))
            yield from (frame for frame in frames if _fits(frame, known))


def _may_be_a_hole(part: ast.AST, path: Path) -> bool:
    fit = isinstance(part, (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript))
    return (
        fit and path[-1][0] != "func" and size(part) <= LARGEST_HOLE and ast.unparse(part) not in {*LIBRARIES, "self"}
    )


class _Hole(ast.NodeTransformer):
    """Puts a hole wherever an expression is written so."""

    def __init__(self, text: str):
        self.text = text

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr) and ast.unparse(node) == self.text:
            return ast.Name(HOLE, ast.Load())
        return super().generic_visit(node)


def _fits(frame: str, known: set[str]) -> bool:
    tree = expression(frame)
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return HOLE in read and read <= known and not isinstance(tree, ast.Name) and size(tree) <= LARGEST_FRAME
