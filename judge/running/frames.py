"""The learner's own frames: of an error, of what runs right now; and which loop does not come to its end.

That is the loop which many looks at running code have in common.
"""

import ast
import functools
import linecache
import os
import sysconfig
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, cast

from judge.running.plain import LEAVES
from judge.running.records import Frame
from judge.running.values import is_dict, is_list_or_tuple, same

_PYTHON = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_LIBRARIES = {"site-packages", "dist-packages"}  # wherever these are: a user's own, or another environment's
NO_FILE = "<string>"  # of what was handed to exec as text
_OURS = [str(Path(__file__).parents[1]) + os.sep]  # the judge, and what a course has said is its own


def add_course(folder: Path) -> None:
    """A course tells the judge that what lies in this folder is no learner's."""
    _OURS.append(str(folder) + os.sep)


def own_frames(error: BaseException) -> list[Frame]:
    """The frames of an error that lie in no folder of the judge's, the course's or a library's: the learner's own.

    Of a long chain, such as a recursion without an end, the first and the last few.
    """
    own = [entry for entry in traceback.extract_tb(error.__traceback__) if is_own(entry.filename)]
    # A method that a dataclass makes of a text is in no file, and not in the cell that calls it.
    entries = [entry for entry in own if entry.filename != NO_FILE] or own
    return _few(
        [Frame(_where(entry.filename), entry.lineno or 0, entry.name, (entry.line or "").strip()) for entry in entries]
    )


def told(running: list[tuple[FrameType, int]]) -> list[Frame]:
    """Frames that run, each at a line of its file, as a card shows them."""
    return _few([_told(frame, line) for frame, line in running])


def own_running(frame: FrameType) -> list[FrameType]:
    """The learner's own frames that lead to this one, innermost last."""
    own = [outer for outer in _outwards(frame) if is_own(outer.f_code.co_filename)]
    return own[::-1]


def is_own(filename: str) -> bool:
    """Whether a file is the learner's: neither the course's nor a library's."""
    if filename.startswith((*_OURS, *_PYTHON, "<frozen")):
        return False
    return not _LIBRARIES & {*Path(filename).parts}


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    """From this frame to the one that asks; whoever asked that one is not looked at."""
    while frame and frame.f_code.co_filename != __file__.replace("frames.py", "local.py"):
        yield frame
        frame = frame.f_back


def _told(frame: FrameType, line: int) -> Frame:
    file = frame.f_code.co_filename
    return Frame(_where(file), line, frame.f_code.co_name, linecache.getline(file, line).strip())


def line_of(frame: FrameType) -> int:
    """Where a frame is; 0 at an instruction that Python has put there itself, which belongs to no line."""
    return frame.f_lineno or 0


def _few(frames: list[Frame]) -> list[Frame]:
    return frames if len(frames) <= 6 else [*frames[:3], *frames[-3:]]


def _where(filename: str) -> str:
    """How a reader would call the file: their cell, or its name."""
    in_a_cell = "ipykernel" in filename or filename.startswith("<")
    return "your cell" if in_a_cell else Path(filename).name


LOOKS = 20  # that have to see a loop, or all that there were
MOST_ITEMS = 2000  # in a value that is copied at a look, to see whether it changes
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
Values = dict[str, Any]  # of variables, by their names


@dataclass(frozen=True, eq=False)
class Loop:
    """A `while` or a `for`, and the innermost function that it stands in."""

    node: ast.While | ast.For
    function: ast.AST | None
    source: str  # of its file

    @property
    def head(self) -> str:
        """Its first line, as `while len(ids) < n:`."""
        if isinstance(self.node, ast.While):
            return f"while {self._written(self.node.test)}:"
        return f"for {self._written(self.node.target)} in {self._written(self.node.iter)}:"

    def _written(self, node: ast.expr) -> str:
        """An expression in the learner's own words, on one line."""
        return " ".join((ast.get_source_segment(self.source, node) or ast.unparse(node)).split())

    @functools.cached_property
    def decided_by(self) -> tuple[str, ...]:
        """The function's variables by which a `while` ends or goes on: those that its condition reads.

        Where the condition is a constant these are all that the loop reads and that were set outside of it.
        """
        if isinstance(self.node, ast.For) or self.function is None:
            return ()
        for_ever = isinstance(self.node.test, ast.Constant)
        names = _names(self.node if for_ever else self.node.test)
        names.sort(key=lambda name: (name.lineno, name.col_offset))
        read = [name.id for name in names if isinstance(name.ctx, ast.Load)]
        inside = {id(node) for node in ast.walk(self.node)} if for_ever else set[int]()
        own: set[str] = set()
        for node in ast.walk(self.function):
            match node:
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) if id(node) not in inside:
                    own.add(name)
                case _:
                    pass
        # From Python 3.12 on a comprehension has its variable in the function's frame, in the place of another.
        loops = [node for node in ast.walk(self.function) if isinstance(node, ast.comprehension)]
        own -= {name.id for loop in loops for name in _names(loop.target)}
        return tuple(dict.fromkeys(name for name in read if name in own))


Place = tuple[FrameType, Loop]  # a loop as one call runs it


@dataclass
class Sight:
    """The looks at a loop that has not ended since."""

    looks: int
    length: int  # of the list that it goes through, at the first look; 0 where it goes through none
    grows: bool
    values: Values  # by which it ends or goes on, where all of these were the same at all looks; else none


class Looks:
    """Looks at the learner's code while it runs."""

    def __init__(self) -> None:
        self._total = 0
        self._running: list[FrameType] = []
        self._sights: dict[Place, Sight] = {}
        self._ended: set[Place] = set()  # what came to its end once does so again

    def look(self, frame: FrameType) -> None:
        """Note in which loops it is, and how long the list is that each goes through."""
        self._running = own_running(frame)
        if not self._running and not self._total:  # it has not begun: on a busy machine a look comes before
            return
        self._total += 1
        seen: dict[Place, Sight] = {}
        for place in [(outer, loop) for outer in self._running for loop in _around(outer)]:
            length = _length(*place)
            before = self._sights.get(place)
            values = _values(*place) if before is None or before.values else {}
            before = before or Sight(0, length, False, values)
            unchanged = values if same(values, before.values) else {}
            seen[place] = Sight(before.looks + 1, before.length, length > before.length, unchanged)
        ended = self._ended | (self._sights.keys() - seen.keys())
        self._ended = {key for key in ended if key[0] in self._running}  # others hold what their calls did
        self._sights = seen

    def forget(self) -> None:
        """Let go of the frames, and with them of what their variables hold."""
        self._running, self._sights, self._ended = [], {}, set()

    @property
    def frames(self) -> list[Frame]:
        """Where the code was at the last look, down to the loop that kept it: what goes on within that is chance."""
        kept = self._kept()
        if kept is None:
            return told([(running, line_of(running)) for running in self._running])
        frame, loop = kept
        around = self._running[: self._running.index(frame)]
        return told([*((running, line_of(running)) for running in around), (frame, loop.node.lineno)])

    def sentence(self) -> str:
        """The reason why the code did not come to its end, as far as the looks say so; else ""."""
        kept = self._kept()
        if kept is None:
            return ""
        frame, loop = kept
        sight = self._sights[kept]
        if sight.grows:
            return _growing(loop)
        return _still_running(loop, _as_before(frame, loop) if sight.values else "")

    def _kept(self) -> Place | None:
        """The innermost loop whose list grows; else the innermost `while`; else the outermost `for`."""
        least = min(LOOKS, self._total)
        lasting = [key for key, sight in self._sights.items() if sight.looks >= least and key not in self._ended]
        growing = [key for key in lasting if self._sights[key].grows]
        endless = [key for key in lasting if isinstance(key[1].node, ast.While)]
        return ([*lasting[:1], *endless, *growing] or [None])[-1]


def _growing(loop: Loop) -> str:
    assert isinstance(loop.node, ast.For)
    name = ast.unparse(loop.node.iter)
    return (
        f"`{name}` grows while `{loop.head}` (line {loop.node.lineno}) goes through it, "
        f"so there is always another item. Go through a copy, `list({name})`, or collect what is new in another list."
    )


def _still_running(loop: Loop, as_before: str) -> str:
    """Of a loop of which the looks have seen that it goes on, and perhaps that it changes nothing."""
    node, line = loop.node, f"(line {loop.node.lineno})"
    if isinstance(node, ast.For):
        return f"`{loop.head}` {line} had not come to its end."
    if isinstance(node.test, ast.Constant):
        ways = {word for kind, word in ((ast.Break, "break"), (ast.Return, "return")) if _has(node, kind)}
        if not ways:
            return f"`{loop.head}` {line} has no `break` and no `return`, so it never ends."
        listed = " or ".join(f"`{way}`" for way in sorted(ways))
        return f"`{loop.head}` {line} goes on and on: it never came to its {listed}. {as_before}".rstrip()
    names = _never_changed(node)
    why = f"Nothing in the loop changes {names}." if names else as_before
    return f"The condition of `{loop.head}` {line} was still true. {why}".rstrip()


def _as_before(frame: FrameType, loop: Loop) -> str:
    """The sentences about a loop whose variables were the same at all looks."""
    *others, last = (f"`{name}`" for name in loop.decided_by)
    listed = f"{', '.join(others)} and {last}" if others else last
    return f"Each time the test looked, {listed} had not changed. {_kept_nowhere(frame, loop)}".rstrip()


def _kept_nowhere(frame: FrameType, loop: Loop) -> str:
    """The sentence about a call on a line of its own that is given one of the variables and returns something."""
    for node in ast.walk(loop.node):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Name(id=called)) as call):
                given = {name.id for name in _names(call)} & {*loop.decided_by}
                # Of `co_names` are globals: no function that is made inside of this one.
                if given and called in frame.f_code.co_names and _returns(frame.f_globals.get(called)):
                    return f"Nothing keeps what `{ast.unparse(call)}` (line {call.lineno}) returns."
            case _:
                pass
    return ""


def _returns(function: object) -> bool:
    """Whether this is a function whose source says that it returns something."""
    if not isinstance(function, FunctionType):
        return False
    code = function.__code__
    functions, _ = _parsed(code.co_filename)
    here = [node for node in functions if getattr(node, "lineno", 0) == code.co_firstlineno]
    inside = [part for node in here for part in ast.walk(node)]
    if len([part for part in inside if isinstance(part, FUNCTIONS[:2])]) != 1:  # a `return` may be another's
        return False
    values = [part.value for part in inside if isinstance(part, ast.Return)]
    return any(value and not isinstance(value, ast.Constant) for value in values)


def _has(node: ast.While, kind: type[ast.AST]) -> bool:
    return any(isinstance(one, kind) for line in node.body for one in ast.walk(line))


def _never_changed(node: ast.While) -> str:
    """The names that the condition compares, where these are plain variables that the loop only reads; else ""."""
    inside = [one for part in node.body for one in ast.walk(part)]
    compared = [node.test.left, *node.test.comparators] if isinstance(node.test, ast.Compare) else [node.test]
    read = [_read(one) for one in compared]
    names = [name.split(".")[0] for name in read if name]
    touched = {name.id for part in inside for name in _touched(part)}
    if None in read or touched & {*names} or any(isinstance(one, FUNCTIONS) for one in inside):
        return ""
    return " or ".join(f"`{name}`" for name in dict.fromkeys(read) if name)


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
    return [node for node in ast.walk(part) if isinstance(node, ast.Name)]


def _around(frame: FrameType) -> list[Loop]:
    """The loops of this frame's function that its line stands in, the outermost first."""
    line = line_of(frame)
    functions, loops = _parsed(frame.f_code.co_filename)
    around = [function for function in functions if _has_line(function, line)]
    innermost = around[-1] if around else None
    return [loop for loop in loops if loop.function is innermost and _has_line(loop.node, line)]


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
                loops.append(Loop(child, function, source))
            if isinstance(child, FUNCTIONS[:2]):
                functions.append(child)
                visit(child, child)
            else:
                visit(child, function)

    source = "".join(linecache.getlines(file))
    try:
        visit(ast.parse(source), None)
    except (SyntaxError, ValueError, RecursionError):
        return [], []
    return functions, loops


def _values(frame: FrameType, loop: Loop) -> Values:
    """Copies of the values by which the loop ends or goes on; none where one is no plain data, or too much of it."""
    if not loop.decided_by:
        return {}
    held = frame.f_locals
    try:
        return {name: _copied(held[name], iter(range(MOST_ITEMS))) for name in loop.decided_by}
    except (KeyError, TypeError, StopIteration, RuntimeError):  # the last where its thread changes it meanwhile
        return {}


def _copied(value: Any, room: Iterator[int]) -> Any:
    """A nest of lists, tuples, dicts and sets; nothing of the learner's is run for it. Raises TypeError for others."""
    next(room)
    if is_dict(value):
        return {_copied(key, room): _copied(item, room) for key, item in value.items()}
    if is_list_or_tuple(value):
        return type(value)([_copied(item, room) for item in value])
    if type(value) in (set, frozenset):
        return {_copied(item, room) for item in cast(set[Any], value)}
    if type(value) not in LEAVES:
        raise TypeError
    return value


def _length(frame: FrameType, loop: Loop) -> int:
    """How long the list is that a `for` goes through, where that is a variable, or an attribute of one; else 0."""
    if not isinstance(loop.node, ast.For):
        return 0
    name, *attributes = ast.unparse(loop.node.iter).split(".")
    value: object = frame.f_locals.get(name, frame.f_globals.get(name))
    for attribute in attributes:
        value = _attribute(value, attribute)
    return len(cast(list[object], value)) if type(value) is list else 0


def _attribute(value: object, name: str) -> object:
    """The content of its `__dict__`: nothing of the learner's is run for it."""
    held: dict[str, object] = getattr(value, "__dict__", {})
    return held.get(name)
