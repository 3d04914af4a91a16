"""Solution regions: the lines between `# BEGIN SOLUTION` and `# END SOLUTION` that a chapter leaves to the learner.

In a bug hunt the learner gets other lines in their place: those after `# INSTEAD OF`, written as comments.
"""

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from utils.course import CourseError

BEGIN, INSTEAD, END = "# BEGIN SOLUTION", "# INSTEAD OF", "# END SOLUTION"
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
LOOKS_LIKE_A_MARKER = re.compile(r"#.*\b(BEGIN|END)\s*SOLUTION\b", re.IGNORECASE)


@dataclass(frozen=True)
class Region:
    """The lines of one region within its cell, markers included, counted from 0."""

    symbol: str  # "LayerNorm", the class or function at top level that it is in
    where: str  # "LayerNorm.forward", the innermost function that it is in
    first: int
    last: int
    instead: int | None = None  # where the lines begin that a learner gets in its place

    @property
    def end(self) -> int:
        """The line that ends the solution itself."""
        return self.last if self.instead is None else self.instead


def find_regions(path: Path, line: int, source: str) -> tuple[Region, ...]:
    """The regions of one code cell, whose `# %%` stands in line `line` of `path`.

    Raises CourseError, with the line, for a marker that is not alone, not paired or not inside a function.
    """
    pairs = _pairs(path, line, source.split("\n"))
    regions = tuple(_region(path, line, source, first, last) for first, last in pairs)
    _check_stub(path, line, source, regions)
    return regions


def _pairs(path: Path, line: int, lines: list[str]) -> list[tuple[int, int]]:
    """The lines that begin and end each region."""
    pairs: list[tuple[int, int]] = []
    begun = None
    for number, text in enumerate(lines):
        marker = text.strip()
        if marker == BEGIN and begun is None:
            begun = number
        elif marker == BEGIN:
            raise _mistake(path, line, number, f"`{BEGIN}` again before `{END}`; regions can't be nested")
        elif marker == END and begun is not None:
            pairs.append((begun, number))
            begun = None
        elif marker == END:
            raise _mistake(path, line, number, f"`{END}` without a `{BEGIN}` in the same cell")
        elif LOOKS_LIKE_A_MARKER.search(text):
            raise _mistake(path, line, number, f"a marker stands alone on its line, exactly `{BEGIN}` or `{END}`")
    if begun is not None:
        raise _mistake(path, line, begun, f"`{BEGIN}` has no `{END}` in the same cell")
    return pairs


def stub(source: str, regions: tuple[Region, ...]) -> str:
    """The cell as a learner gets it: each region is one NotImplementedError, or what stands there instead."""
    lines = source.split("\n")
    for region in reversed(regions):
        indent = _indent(lines[region.first])
        given = [f'{indent}raise NotImplementedError("{region.where}: write this part")']
        if region.instead is not None:
            given = [line.replace("# ", "", 1) for line in lines[region.instead + 1 : region.last]]
        lines[region.first : region.last + 1] = given
    return "\n".join(lines)


def solved(source: str) -> str:
    """The cell as a reader of the solution gets it: without the markers and what stands instead, else unchanged."""
    kept, instead = [], False
    for line in source.split("\n"):
        marker = line.strip()
        instead = marker == INSTEAD or (instead and marker != END)
        if not instead and marker not in (BEGIN, END):
            kept.append(line)
    return "\n".join(kept)


def answer(source: str, regions: tuple[Region, ...]) -> str:
    """What is inside the regions, for the last hint; each of several says which function it belongs to."""
    lines = source.split("\n")
    parts = []
    for region in regions:
        text = textwrap.dedent("\n".join(lines[region.first + 1 : region.end]))
        parts.append(f"# in {region.where}\n{text}" if len(regions) > 1 else text)
    return "\n\n".join(parts)


def _region(path: Path, line: int, source: str, first: int, last: int) -> Region:
    lines = source.split("\n")
    if _indent(lines[first]) != _indent(lines[last]):
        raise _mistake(path, line, last, f"`{END}` is not indented like its `{BEGIN}`")
    stripped = list(map(str.strip, lines))
    instead = None
    if INSTEAD in stripped[first:last]:
        instead = stripped.index(INSTEAD, first)
        others = stripped[instead + 1 : last]
        if not all(text.startswith("# ") for text in others):
            raise _mistake(
                path, line, instead, f"the lines between `{INSTEAD}` and `{END}` are comments, each `# code`"
            )
    written = range(first + 1, instead or last)
    code = [number for number in written if stripped[number][:1] not in ("", "#")]
    if not code:
        raise _mistake(path, line, first, "this region holds no code, so there would be nothing to write")
    names, kind = _owner(ast.parse(source), first + 1, code[0] + 1)
    if kind not in (ast.FunctionDef, ast.AsyncFunctionDef):
        raise _mistake(path, line, first, "a region must be inside a function; here it would stop the chapter at once")
    return Region(names[0], ".".join(names), first, last, instead)


def _owner(tree: ast.Module, begin: int, code: int) -> tuple[list[str], type]:
    """The names of the definitions around a region that begins in line `begin` and whose code begins in line `code`."""
    around = [node for node in _definitions(tree.body) if node.lineno < begin and code <= _end(node)]
    if not around:
        return [], ast.Module
    return [node.name for node in around], type(around[-1])


def _definitions(body: list[ast.stmt]) -> Iterator[Definition]:
    """Classes and functions, and those that stand directly in them, the outer first."""
    for node in body:
        if isinstance(node, Definition):
            yield node
            yield from _definitions(node.body)


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _check_stub(path: Path, line: int, source: str, regions: tuple[Region, ...]) -> None:
    try:
        ast.parse(stub(source, regions))
    except SyntaxError:
        message = "without its regions this cell is no Python; put the markers around whole statements"
        raise _mistake(path, line, regions[0].first, message) from None


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _mistake(path: Path, line: int, number: int, message: str) -> CourseError:
    return CourseError.at(path, line + 1 + number, f"{message}.")
