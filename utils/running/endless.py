"""Which loop does not come to its end: what many looks at running code have in common."""

import ast
import functools
import linecache
from collections import deque
from dataclasses import dataclass
from types import FrameType
from typing import cast

from utils.running.frames import line_of, own_running, told
from utils.running.records import Frame

LOOKS = 20  # the last ones, which all have to see the loop: what ends is not in all of them
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, eq=False)
class Loop:
    """A `while` or a `for`, and the innermost function that it stands in."""

    node: ast.While | ast.For
    function: ast.AST | None

    @property
    def head(self) -> str:
        """Its first line, as `while len(ids) < n:`."""
        if isinstance(self.node, ast.While):
            return f"while {ast.unparse(self.node.test)}:"
        return f"for {ast.unparse(self.node.target)} in {ast.unparse(self.node.iter)}:"


class Looks:
    """Looks at the learner's code while it runs. `frames` is where it was at the last look."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self._seen = deque[dict[tuple[FrameType, Loop], int | None]](maxlen=LOOKS)

    def look(self, frame: FrameType) -> None:
        """Note in which loops it is, and how long the list is that each goes through."""
        running = own_running(frame)
        self.frames = told(running)
        if not running and not self._seen:  # it has not begun: on a busy machine a look comes before
            return
        self._seen.append({(one, loop): _length(loop, one) for one in running for loop in _around(one)})

    def forget(self) -> None:
        """Let go of the frames, and with them of what their variables hold."""
        self._seen.clear()

    def sentence(self) -> str:
        """What kept the code from coming to its end, as far as the looks say so; else ""."""
        last = self._seen[-1] if self._seen else {}
        always = [one for one in last if all(one in seen for seen in self._seen)][::-1]
        for one in always:
            if (last[one] or 0) > (self._seen[0][one] or 0):
                return _growing(one[1])
        loops = [loop for _, loop in always]
        endless = [loop for loop in loops if isinstance(loop.node, ast.While)]
        return _still_running((endless or loops)[0]) if loops else ""


def _growing(loop: Loop) -> str:
    assert isinstance(loop.node, ast.For)
    name = ast.unparse(loop.node.iter)
    return (
        f"`{name}` grows while `{loop.head}` (line {loop.node.lineno}) goes through it, "
        f"so there is always another item. Go through a copy, `list({name})`, or collect what is new in another list."
    )


def _still_running(loop: Loop) -> str:
    node, line = loop.node, f"(line {loop.node.lineno})"
    if isinstance(node, ast.For):
        return f"`{loop.head}` {line} had not come to its end."
    if isinstance(node.test, ast.Constant):
        ways = {word for kind, word in ((ast.Break, "break"), (ast.Return, "return")) if _has(node, kind)}
        if not ways:
            return f"`{loop.head}` {line} has no `break` and no `return`, so it never ends."
        listed = " or ".join(f"`{one}`" for one in sorted(ways))
        return f"`{loop.head}` {line} goes on and on: it never came to its {listed}."
    said = f"`{ast.unparse(node.test)}` was still true, the condition of `{loop.head}` {line}."
    names = _never_changed(node)
    return f"{said} Nothing in the loop changes {names}." if names else said


def _has(node: ast.While, kind: type[ast.AST]) -> bool:
    return any(isinstance(one, kind) for line in node.body for one in ast.walk(line))


def _never_changed(node: ast.While) -> str:
    """What the condition compares, where these are plain variables that the loop only reads; else ""."""
    inside = [one for part in node.body for one in ast.walk(part)]
    compared = [node.test.left, *node.test.comparators] if isinstance(node.test, ast.Compare) else [node.test]
    read = [_read(one) for one in compared]
    names = [one.split(".")[0] for one in read if one]
    touched = {one.id for part in inside for one in _touched(part)}
    if None in read or touched & {*names} or any(isinstance(one, FUNCTIONS) for one in inside):
        return ""
    return " or ".join(f"`{one}`" for one in dict.fromkeys(read) if one)


def _read(value: ast.expr) -> str | None:
    """The variable that this is, an attribute of it, or its length; "" for a constant, None for anything else."""
    match value:
        case ast.Constant():
            return ""
        case ast.Call(func=ast.Name("len"), args=[inner]):
            return _read(inner)
        case ast.Name() | ast.Attribute(value=ast.Name()):
            return ast.unparse(value)
        case _:
            return None


def _touched(part: ast.AST) -> list[ast.Name]:
    """The variables that this part of a line may change: assigned, handed to a call, or with a method called."""
    match part:
        case ast.Name(ctx=ast.Store() | ast.Del()):
            return [part]
        case ast.Assign(value=ast.Name() as value):  # a second name for one list
            return [value]
        case ast.Attribute(ctx=ast.Store(), value=value):
            return _names(value)
        case ast.Subscript(ctx=ast.Store() | ast.Del(), value=value):
            return _names(value)
        case ast.Call():
            return _names(part)
        case _:
            return []


def _names(part: ast.AST) -> list[ast.Name]:
    return [one for one in ast.walk(part) if isinstance(one, ast.Name)]


def _around(frame: FrameType) -> list[Loop]:
    """The loops of this frame's function that its line stands in, the outermost first."""
    line = line_of(frame)
    functions, loops = _parsed(frame.f_code.co_filename)
    around = [one for one in functions if _has_line(one, line)]
    innermost = around[-1] if around else None
    return [one for one in loops if one.function is innermost and _has_line(one.node, line)]


def _has_line(node: ast.AST, line: int) -> bool:
    last = node
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.stmt) and part not in getattr(node, "orelse", ()):
            last = part
    return getattr(node, "lineno", 0) <= line <= getattr(last, "end_lineno", 0)


@functools.lru_cache(maxsize=64)
def _parsed(file: str) -> tuple[list[ast.AST], list[Loop]]:
    """The functions of a file and its loops, each before those inside it; none where it can't be read."""
    functions: list[ast.AST] = []
    loops: list[Loop] = []

    def visit(node: ast.AST, function: ast.AST | None) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.While, ast.For)):
                loops.append(Loop(child, function))
            if isinstance(child, FUNCTIONS[:2]):
                functions.append(child)
                visit(child, child)
            else:
                visit(child, function)

    try:
        visit(ast.parse("".join(linecache.getlines(file))), None)
    except (SyntaxError, ValueError, RecursionError):
        return [], []
    return functions, loops


def _length(loop: Loop, frame: FrameType) -> int | None:
    """How long the list is that a `for` goes through, where that is a variable, or an attribute of one."""
    if not isinstance(loop.node, ast.For):
        return None
    name, *attributes = ast.unparse(loop.node.iter).split(".")
    value: object = frame.f_locals.get(name, frame.f_globals.get(name))
    for attribute in attributes:
        value = _attribute(value, attribute)
    return len(cast(list[object], value)) if type(value) is list else None


def _attribute(value: object, name: str) -> object:
    """What stands in its `__dict__`: nothing of the learner's is run for it."""
    held: dict[str, object] = getattr(value, "__dict__", {})
    return held.get(name)
