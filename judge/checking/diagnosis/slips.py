"""Slips that an answer's source shows by itself: what is computed and thrown away, never read, or no f-string."""

import ast
import re
from collections.abc import Iterator

import torch

from judge.checking.diagnosis.code import Code, Node, every, words_in

# Expressions that do nothing but give a value.
PURE = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.Attribute, ast.Name)
GIVING = {
    "sorted",
    "reversed",
    "sum",
    "len",
    "max",
    "min",
    "abs",
    "round",
    "list",
    "tuple",
    "dict",
    "set",
    "int",
    "float",
}
OF_MODULES = {"torch", "F", "einops"}
JOINING = {"cat", "stack", "where", "einsum"}
LONGEST = 60  # characters of an expression that is quoted


def thrown_away(code: Code) -> str | None:
    """For a line that computes something, and keeps it nowhere."""
    for statement in _of_type(code, ast.Expr):
        value = statement.value
        if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.UAdd | ast.USub):
            return (
                f"{_quoted(value)} stands on a line of its own, and what it gives is thrown away: a line that goes on "
                "in the next one needs round brackets around both."
            )
        if _only_gives(value):
            return f"{_quoted(value)} is computed and thrown away: nothing keeps what this line gives."
    return None


def never_read(code: Code) -> str | None:
    """For a name that is assigned, and read nowhere."""
    for function in _of_type(code, ast.FunctionDef):
        read = {name.id for name in every(ast.Name, function) if not isinstance(name.ctx, ast.Store)}
        for name, value in _assigned(function):
            if name not in read and name[0] != "_" and not isinstance(value, ast.Constant):
                return f"`{name} = {ast.unparse(value)[:LONGEST]}` is computed, and `{name}` is never read."
    return None


def _assigned(function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """The names that get one value each, with the values."""
    for statement in every(ast.Assign, function):
        if isinstance(statement.targets[0], ast.Name):
            yield statement.targets[0].id, statement.value


def no_f_string(code: Code) -> str | None:
    """For a text that has a variable's name in curly brackets, and is no f-string."""
    for function in _of_type(code, ast.FunctionDef):
        names = {name.id for name in every(ast.Name, function)}
        for text in _plain_texts(function):
            for name in re.findall(r"\{(\w+)\}", text):
                if name in names:
                    quoted = f"`{{{name}}}` in `{text!r}`"
                    return f"{quoted} is plain text: an `f` before the quotes puts the value in."
    return None


def _plain_texts(function: ast.FunctionDef) -> list[str]:
    """What stands in quotes and is no f-string, no pattern for `format`, and no docstring."""
    if "format" in set(words_in(function)):
        return []
    of_f_strings = {id(part) for text in every(ast.JoinedStr, function) for part in text.values}
    constants = [node.value for node in every(ast.Constant, function) if id(node) not in of_f_strings]
    docstring = ast.get_docstring(function, clean=False)
    return [text for text in constants if isinstance(text, str) and text != docstring]


def _only_gives(value: ast.expr) -> bool:
    """Whether an expression does nothing but give a value; a call that nobody knows may do more."""
    if not isinstance(value, ast.Call):
        return isinstance(value, PURE)
    called = value.func
    if any(word.arg == "out" for word in value.keywords):  # where the result is kept
        return False
    if isinstance(called, ast.Name):
        return called.id in GIVING
    if not isinstance(called, ast.Attribute):
        return False
    if isinstance(called.value, ast.Name) and called.value.id in OF_MODULES:
        return called.attr in JOINING or hasattr(torch.Tensor, called.attr)
    elsewhere = any(hasattr(kind, called.attr) for kind in (list, dict, set, torch.nn.Module))
    return hasattr(torch.Tensor, called.attr) and not elsewhere and called.attr[-1] != "_" and called.attr != "backward"


def _of_type(code: Code, kind: type[Node]) -> Iterator[Node]:
    for tree in code.trees:
        yield from every(kind, tree)


def _quoted(value: ast.expr) -> str:
    text = ast.unparse(value)
    return f"`{text if len(text) <= LONGEST else text[:LONGEST] + '...'}`"
