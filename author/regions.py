"""Solution regions: the lines between `# BEGIN SOLUTION` and `# END SOLUTION` that a chapter leaves to the learner.

In a bug hunt the learner gets other lines in their place: those after `# INSTEAD OF`, written as comments.
"""

import ast
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from utils.course import CourseError

BEGIN, INSTEAD, END = "# BEGIN SOLUTION", "# INSTEAD OF", "# END SOLUTION"
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
LOOKS_LIKE_A_MARKER = re.compile(r"#.*\b(BEGIN|END)\s*SOLUTION\b", re.IGNORECASE)
CODE = re.compile(r"\s*[^\s#]")
MARKERS = f"exactly `{BEGIN}` or `{END}`"
NO_MARKER = f"a marker stands alone on its line, {MARKERS}"
NOT_DUE = {
    BEGIN: f"`{BEGIN}` again before `{END}`; regions can't be nested",
    END: f"`{END}` without a `{BEGIN}` in the same cell",
}


@dataclass(frozen=True)
class Region:
    """The lines of one region within its cell, markers included, counted from 0."""

    # "LayerNorm", the class or function at top level that it is in
    symbol: str
    # "LayerNorm.forward", the innermost function that it is in
    where: str
    first: int
    last: int
    # where the lines begin that a learner gets in its place
    instead: int | None = None

    @property
    def end(self) -> int:
        """The line that ends the solution itself."""
        return self.last if self.instead is None else self.instead

    def stub(self, lines: list[str]) -> list[str]:
        """What a learner gets of these lines of the cell: one NotImplementedError, or what stands there instead."""
        if self.instead is not None:
            others = lines[self.instead + 1 : self.last]
            return [line.replace("# ", "", 1) for line in others]
        indent = _indent(lines[self.first])
        told = f"{self.where}: write this part"
        return [f'{indent}raise NotImplementedError("{told}")']

    def solution(self, lines: list[str]) -> list[str]:
        """What a reader of the solution gets."""
        return lines[self.first + 1 : self.end]


Part = Callable[[Region, list[str]], list[str]]


def rewritten(source: str, regions: tuple[Region, ...], part: Part) -> str:
    """The cell with a part of each region, such as `Region.stub`, in its place."""
    lines = source.split("\n")
    for region in reversed(regions):
        lines[region.first : region.last + 1] = part(region, lines)
    return "\n".join(lines)


def answer(source: str, regions: list[Region]) -> str:
    """What is inside the regions, for the last hint; each of several says which function it belongs to."""
    lines = source.split("\n")
    texts = []
    for region in regions:
        text = textwrap.dedent("\n".join(region.solution(lines)))
        texts.append(f"# in {region.where}\n{text}" if len(regions) > 1 else text)
    return "\n\n".join(texts)


def find_regions(path: Path, line: int, source: str) -> tuple[Region, ...]:
    """The regions of one code cell, whose `# %%` stands in line `line` of `path`.

    Raises CourseError, with the line, for a marker that is not alone, not paired or not inside a function.
    """
    cell = _Code(path, line, source.split("\n"))
    pairs = _pairs(cell)
    alone = "this cell alone is no Python; put `# %%` between whole statements"
    tree = cell.parsed(source, -1, alone)
    regions = tuple(_region(cell, tree, *pair) for pair in pairs)
    if regions:
        given = rewritten(source, regions, Region.stub)
        without = "without its regions this cell is no Python"
        message = f"{without}; put the markers around whole statements"
        cell.parsed(given, regions[0].first, message)
    return regions


@dataclass(frozen=True)
class _Code:
    """The lines of a code cell, which are counted from 0, and where in its file the cell begins."""

    path: Path
    line: int
    lines: list[str]

    def mistake(self, number: int, message: str) -> CourseError:
        return CourseError.at(self.path, self.line + 1 + number, f"{message}.")

    def parsed(self, text: str, number: int, message: str) -> ast.Module:
        """Raises the mistake where the text is no Python."""
        try:
            return ast.parse(text)
        except SyntaxError:
            raise self.mistake(number, message) from None


def _pairs(cell: _Code) -> list[tuple[int, int]]:
    """The lines that begin and end each region."""
    numbered = enumerate(cell.lines)
    markers = [number for number, text in numbered if LOOKS_LIKE_A_MARKER.search(text)]
    for number, due in zip(markers, cycle((BEGIN, END)), strict=False):
        marker = cell.lines[number].strip()
        if marker != due:
            raise cell.mistake(number, NOT_DUE.get(marker, NO_MARKER))
    firsts, lasts = markers[::2], markers[1::2]
    if len(firsts) > len(lasts):
        raise cell.mistake(firsts[-1], f"`{BEGIN}` has no `{END}` in the same cell")
    return list(zip(firsts, lasts, strict=True))


def _region(cell: _Code, tree: ast.Module, first: int, last: int) -> Region:
    if _indent(cell.lines[first]) != _indent(cell.lines[last]):
        raise cell.mistake(last, f"`{END}` is not indented like its `{BEGIN}`")
    instead = _instead(cell, first, last)
    written = range(first + 1, instead or last)
    code = [number for number in written if CODE.match(cell.lines[number])]
    if not code:
        message = "this region holds no code, so there would be nothing to write"
        raise cell.mistake(first, message)
    begun = [node for node in _definitions(tree.body) if node.lineno <= first]
    around = [node for node in begun if code[0] < (node.end_lineno or 0)]
    if not around or isinstance(around[-1], ast.ClassDef):
        message = "a region must be inside a function; here it would stop the chapter at once"
        raise cell.mistake(first, message)
    names = [node.name for node in around]
    return Region(names[0], ".".join(names), first, last, instead)


def _instead(cell: _Code, first: int, last: int) -> int | None:
    """The line after which stands what a learner gets in the place of a region; None where nothing does."""
    stripped = list(map(str.strip, cell.lines[:last]))
    if INSTEAD not in stripped[first:]:
        return None
    instead = stripped.index(INSTEAD, first)
    if not all(text.startswith("# ") for text in stripped[instead + 1 :]):
        what = f"the lines between `{INSTEAD}` and `{END}`"
        raise cell.mistake(instead, f"{what} are comments, each `# code`")
    return instead


def _definitions(body: list[ast.stmt]) -> Iterator[Definition]:
    """Classes and functions, and those that stand directly in them, the outer first."""
    for node in body:
        if isinstance(node, Definition):
            yield node
            yield from _definitions(node.body)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
