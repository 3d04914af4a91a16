"""What an exercise and its reference solution speak of: the words that an edit may add to a learner's code."""

import ast
import copy
import inspect
import sys
import textwrap
from collections.abc import Iterator, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeGuard

from judge.checking import Exercise
from judge.checking.oracle import solution_of
from judge.edits.trees import LIBRARIES, Path, called_name, expression, size, walk, words_of
from judge.running.libraries import TORCH, Library
from judge.running.settings import fields_of

HOLE = "HOLE"
LARGEST_FRAME, LARGEST_HOLE = 9, 12  # nodes: what is put round an expression, and what a solution has in that place
SHORT_TEXT = 12  # characters
FRAMES = (ast.BinOp, ast.Call, ast.Subscript)
HOLES = (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript)


@dataclass(frozen=True)
class Vocabulary:
    """The words of one exercise. Without a solution at hand only those of its declaration."""

    attributes: list[str]  # self.w, self.ln1
    ranks: dict[str, int] = field(default_factory=dict)  # how many axes each parameter has
    inputs: dict[str, list[str]] = field(default_factory=dict)  # what the exercise calls them, and the axes of each
    output: list[str] = field(default_factory=list)  # its axes
    fields: list[str] = field(default_factory=list)  # cfg.layer_norm_eps
    parts: list[str] = field(default_factory=list)  # attributes with an underscore of what is given: attn.b_K
    frames: list[str] = field(default_factory=list)  # "HOLE.sqrt()", "HOLE * self.w"
    keywords: dict[str, list[str]] = field(default_factory=dict)  # of each function: "keepdim=True"
    constants: list[str] = field(default_factory=list)  # numbers with a point that the solution writes out: 0.044715
    texts: list[str] = field(default_factory=list)  # short ones that the solution writes out: "replace"
    helpers: list[str] = field(default_factory=list)  # functions of the chapter that the solution calls: softmax
    methods: list[str] = field(default_factory=list)  # forward, encode
    solution: str = ""  # the body of its longest function but __init__
    sizes: list[str] = field(default_factory=list)  # of whatever it is made of: cfg.d_model
    numbers: list[str] = field(default_factory=list)  # and what is no size: cfg.layer_norm_eps
    usual: dict[str, Any] = field(default_factory=dict)  # what these hold by default
    small: dict[str, Any] = field(default_factory=dict)  # and in tests
    library: Library = TORCH

    @property
    def settings(self) -> list[str]:
        """All that it is made of."""
        return [*self.sizes, *self.numbers]


def with_solution(declared: Vocabulary, tree: ast.Module, beside: Set[str] = frozenset()) -> Vocabulary:
    """The words of the declaration, and those of the solution's code; `beside` are functions that it could call."""
    nodes = list(ast.walk(tree))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    working = [function for function in functions if function.name != "__init__"]
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    on_cfg = [node.attr for node in attributes if _is_cfg(node.value)]
    helpers = sorted(words_of(tree) & beside)
    frames = [frame for function in working for frame in _frames(function, helpers)]
    return replace(
        declared,
        fields=list(dict.fromkeys(on_cfg)),
        parts=list(dict.fromkeys(node.attr for node in attributes if _is_a_part(node))),
        frames=list(dict.fromkeys(frames)),
        keywords=_keywords(nodes),
        constants=[repr(node.value) for node in nodes if _is_a_float(node)],
        texts=list(dict.fromkeys(ast.unparse(node) for node in nodes if _is_a_short_text(node))),
        helpers=helpers,
        methods=[function.name for function in functions],
        solution=max(map(_written, working), key=len, default=""),
    )


def _keywords(nodes: list[ast.AST]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Call):
            given = found.setdefault(called_name(node), [])
            given.extend(map(ast.unparse, node.keywords))
    return found


def _written(function: ast.FunctionDef) -> str:
    """The body without the docstring."""
    has_docstring = ast.get_docstring(function) is not None
    body = function.body[has_docstring:]
    return "\n".join(map(ast.unparse, body))


def _is_cfg(node: ast.AST) -> bool:
    return ast.unparse(node) in ("cfg", "self.cfg")


def _is_a_part(node: ast.Attribute) -> bool:
    is_given = isinstance(node.value, ast.Name) and node.value.id not in {*LIBRARIES, "self", "cfg"}
    return is_given and "_" in node.attr


def _is_a_float(node: ast.AST) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def _is_a_short_text(node: ast.AST) -> TypeGuard[ast.Constant]:
    """No docstring, message or pattern"""
    return isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)) and len(node.value) <= SHORT_TEXT


def _frames(function: ast.FunctionDef, helpers: list[str]) -> Iterator[str]:
    """What the solution puts round an expression: each expression of it with a hole in the place of a part.

    Only what reads nothing but the function's arguments, `self`, libraries and the chapter's functions makes sense in
    other code.
    """
    known = {arg.arg for arg in function.args.args} | {*LIBRARIES, *helpers, HOLE}
    for whole, _ in walk(function):
        if isinstance(whole, FRAMES):
            frames = [_with_hole(whole, part) for part in _parts(whole)]
            yield from (frame for frame in frames if _fits(frame, known))


def _parts(whole: ast.expr) -> list[str]:
    """What of an expression may be replaced by a hole, each text once."""
    inside = list(walk(whole))[1:]
    return sorted({ast.unparse(part) for part, path in inside if _may_be_a_hole(part, path)})


def _may_be_a_hole(part: ast.AST, path: Path) -> bool:
    role, _ = path[-1]
    if role == "func" or not isinstance(part, HOLES):
        return False
    small = size(part) <= LARGEST_HOLE
    return small and ast.unparse(part) not in {*LIBRARIES, "self"}


def _with_hole(whole: ast.expr, part: str) -> str:
    return ast.unparse(_Hole(part).visit(copy.deepcopy(whole)))


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
    if isinstance(tree, ast.Name) or size(tree) > LARGEST_FRAME:
        return False
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return HOLE in read and read <= known


@lru_cache(maxsize=64)
def vocabulary_of(exercise: Exercise) -> Vocabulary:
    """The words of an exercise, those of its solution included where that can be read."""
    settings = exercise.known_settings
    axes = exercise.axes(settings.small) if exercise.kind.of_settings else {}
    names = list(dict.fromkeys(name.partition(".")[0] for name in axes))
    ranks = {name: len(of.split()) for name, of in axes.items() if "." not in name}
    declared = Vocabulary(
        names,
        ranks,
        inputs={name: _names(axes) for name, axes in exercise.inputs.items()},
        output=_names(exercise.output),
        sizes=settings.sizes,
        numbers=settings.numbers,
        usual=settings.defaults,
        small=fields_of(settings.small),
        library=exercise.written_with,
    )
    tree = _solution_tree(exercise)
    return with_solution(declared, tree, _functions_beside(exercise)) if tree else declared


def _names(axes: str) -> list[str]:
    """The axes that have names; of any shape, the dots alone."""
    names = axes.split()
    return [name for name in names if name != "..."] if len(names) > 1 else names


def _solution_tree(exercise: Exercise) -> ast.Module | None:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(_unwrapped(solution_of(exercise)))))
    except (ImportError, OSError, TypeError, SyntaxError):
        return None  # a course may be handed out without its solutions


def _functions_beside(exercise: Exercise) -> frozenset[str]:
    """The other functions that the solution's module defines or imports."""
    beside = vars(sys.modules[exercise.solution])
    functions = (name for name, value in beside.items() if inspect.isfunction(value))
    return frozenset(functions) - {exercise.symbol}


def _unwrapped(solution: Any) -> Any:
    return inspect.unwrap(solution) if inspect.isfunction(solution) else solution
