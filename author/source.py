"""A chapter as its author wrote it in solutions/<stem>.py: its cells, its exercises and their solution regions.

The format is jupytext's py:percent; `python -m utils new` makes an example. A mistake in a source is a CourseError that
begins with the file and the line. Solution regions are the lines between `# BEGIN SOLUTION` and `# END SOLUTION`, which
a chapter leaves to the learner. In a bug hunt the learner gets other lines in their place: those after `# INSTEAD OF`,
written as comments.
"""

import ast
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle
from pathlib import Path

import jupytext
from nbformat import NotebookNode

from author.predicting import prediction_mistakes
from utils.course import ROOT, CourseError, ExerciseInfo, exercises, stems
from utils.course.cells import as_python, calls

# jupytext's tag: commented out in the .py, code in the notebook
NOTEBOOK_ONLY = "active-ipynb"
# The tag of what is not worth reading first: a given cell, closed under its first line, which Colab shows as a heading;
# or a section, closed under its heading, with all its cells.
FOLDED = "folded"
HINTS = ("idea", "pseudocode")
NUMBERS = {"difficulty": range(1, 6), "importance": range(1, 6), "minutes": range(1, 601)}
TITLE = re.compile(r"# @title \S.*")
STARTS = re.compile(r"^start\(", re.MULTILINE)
KEYS = {"tags", "exercise", *NUMBERS, "draft", "hint"}
FORMAT = {"extension": ".py", "format_name": "percent", "comment_magics": False}
CELL_MARKER = re.compile(r"#\s?%%+(\s|$)")
JUPYTEXTS_OWN = {"lines_to_next_cell", "cell_marker", "title"}

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


# the line, and what is wrong there
Mistake = tuple[int, str]


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
    """The lines inside the regions, for the last hint; each of several says which function it belongs to."""
    lines = source.split("\n")
    texts = []
    for region in regions:
        text = textwrap.dedent("\n".join(region.solution(lines)))
        texts.append(f"# in {region.where}\n{text}" if len(regions) > 1 else text)
    return "\n\n".join(texts)


@dataclass(frozen=True)
class Cell:
    """One cell of a source, and the number of its `# %%` line."""

    # "markdown", "code" or "raw"
    kind: str
    source: str
    line: int
    metadata: dict
    regions: tuple[Region, ...] = ()

    @property
    def tags(self) -> list[str]:
        return self.metadata.get("tags", [])

    @property
    def notebook_only(self) -> bool:
        return NOTEBOOK_ONLY in self.tags

    @property
    def heading(self) -> str | None:
        """The text of its first line, if that is a Markdown heading."""
        if self.kind != "markdown":
            return None
        found = re.match(r"#+\s+(.+)", self.source)
        return found and found[1].strip()

    def regions_of(self, symbol: str) -> list[Region]:
        """The solution regions of an exercise."""
        return [region for region in self.regions if region.symbol == symbol]


@dataclass(frozen=True)
class Task:
    """What a source says about one exercise; None where it says nothing."""

    symbol: str
    line: int
    difficulty: int | None
    importance: int | None
    minutes: int | None
    draft: bool
    hints: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Source:
    """A whole chapter as its author wrote it; `path` leads to its file from the course's root."""

    root: Path
    stem: str
    path: Path
    cells: list[Cell]
    tasks: list[Task]


def read_source(stem: str, root: Path = ROOT) -> Source:
    """The cells and exercises of solutions/<stem>.py, checked against the test functions in tests/<stem>.py."""
    tested = exercises(stem, root)
    path = Path("solutions") / f"{stem}.py"
    if not (root / path).is_file():
        what = f"{path} is missing, though tests/{stem}.py is there"
        raise CourseError(f"{what}. Write the one or remove the other.")
    cells = _read_cells(path, (root / path).read_text(encoding="utf-8"))
    source = Source(root, stem, path, cells, _read_tasks(path, cells))
    _refuse(path, misnamed(source))
    _refuse(path, left_out(source, tested))
    _refuse(path, prediction_mistakes(root, stem, [(cell.line, cell.source) for cell in cells if cell.notebook_only]))
    return source


def _refuse(path: Path, mistakes: Iterable[Mistake]) -> None:
    """Raise CourseError for the first of these, if there is one."""
    for line, message in mistakes:
        raise CourseError.at(path, line, message)


def _read_cells(path: Path, text: str) -> list[Cell]:
    try:
        ast.parse(text)
    except SyntaxError as error:
        message = f"{error.msg}. Fix that first, then build; prose stands behind `# `."
        raise CourseError.at(path, error.lineno or 1, message) from None
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines, 1) if CELL_MARKER.match(line)]
    parsed = jupytext.reads(text, fmt=FORMAT).cells
    if len(parsed) == len(starts) + 1:
        _refuse(path, lost_code(parsed.pop(0)))
    if len(parsed) != len(starts):
        counted = f"{len(parsed)} cells, but {len(starts)} lines begin with `# %%`"
        raise CourseError.at(path, 1, f"{counted}; use no other marker for cells.")
    ends = [*starts[1:], len(lines) + 1]
    bodies = [lines[start : end - 1] for start, end in zip(starts, ends, strict=True)]
    return list(map(partial(_read_cell, path), starts, bodies, parsed))


def _read_cell(path: Path, line: int, body: list[str], parsed: NotebookNode) -> Cell:
    """One cell; `parsed.metadata` is what the author wrote on the `# %%` line, and some that is jupytext's."""
    given = parsed.metadata.items()
    metadata = {key: value for key, value in given if key not in JUPYTEXTS_OWN}
    cell = Cell(parsed.cell_type, parsed.source, line, metadata)
    _refuse(path, cell_mistakes(cell))
    if cell.notebook_only:
        _refuse(path, not_commented_out(body, line + 1))
    elif cell.kind == "code":
        return replace(cell, regions=find_regions(path, line, cell.source))
    return cell


def _read_tasks(path: Path, cells: list[Cell]) -> list[Task]:
    tasks: list[Task] = []
    for cell in cells:
        _refuse(path, misplaced(cell, tasks))
        about = cell.metadata
        if "exercise" in about:
            numbers = map(about.get, NUMBERS)
            is_draft = bool(about.get("draft"))
            tasks.append(Task(about["exercise"], cell.line, *numbers, draft=is_draft))
        elif "hint" in about:
            tasks[-1].hints.append(about["hint"])
    return tasks


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


def lost_code(above: NotebookNode) -> Iterator[Mistake]:
    """Above the first `# %%` only the module's docstring may stand: it is for those who read the .py."""
    tree = ast.parse(above.source if above.cell_type == "code" else "")
    has_docstring = ast.get_docstring(tree) is not None
    if len(tree.body) > has_docstring:
        what = "code above the first `# %%` would be in no notebook"
        yield 1, f"{what}; put a `# %%` before it."


def cell_mistakes(cell: Cell) -> Iterator[Mistake]:
    """The mistakes of a cell's metadata, the gravest first, and with its first line."""
    given, line = cell.metadata, cell.line
    if {"exercise", "hint"} & given.keys() and cell.kind != "markdown":
        example = "`# %% [markdown] ...`"
        yield line, f"exercise= and hint= belong on a Markdown cell: {example}."
    if given.get("hint", HINTS[0]) not in HINTS:
        hint, known = repr(given["hint"]), ", ".join(HINTS)
        yield line, f"hint={hint} is none of {known}; the build itself adds the solution."
    for key, allowed in reversed(NUMBERS.items()):
        value = given.get(key, allowed[0])
        if type(value) is not int or value not in allowed:
            first, last = allowed[0], allowed[-1]
            yield line, f"{key}={value!r} is not a whole number from {first} to {last}."
    if unknown := sorted(given.keys() - KEYS):
        here, known = ", ".join(unknown), ", ".join(sorted(KEYS))
        yield line, f'can\'t read {here} here; {known} are known, as key="text" or key=3.'
    if FOLDED in cell.tags and cell.kind == "markdown" and not cell.heading:
        yield line + 1, f"text tagged {FOLDED} begins with the heading of the section to close: `# ### More`."
    elif FOLDED in cell.tags and cell.kind == "code" and not TITLE.match(cell.source):
        example = "`# # @title Draws the pattern of each head`"
        yield line + 1, f"a cell tagged {FOLDED} begins with what it does: {example}."


def not_commented_out(body: list[str], first: int) -> Iterator[Mistake]:
    """Lines that Python would run, or a solution region, in a cell that only the notebook runs."""
    for number, text in enumerate(body, first):
        if not text.startswith("#") and text.strip():
            what = f"a cell tagged {NOTEBOOK_ONLY} is commented out"
            yield number, f"{what}; begin this with `# `."
        if LOOKS_LIKE_A_MARKER.search(text):
            yield number, "a solution region can't be in a cell that only the notebook runs."


def misplaced(cell: Cell, before: list[Task]) -> Iterator[Mistake]:
    """An exercise without a heading; a hint before the first exercise, or given twice for one."""
    hint = cell.metadata.get("hint")
    if "exercise" in cell.metadata:
        if not cell.heading:
            yield cell.line, "the cell of an exercise begins with a heading: `# ## Exercise`."
    elif hint and not before:
        way = 'put it after the stub, and exercise="Name" on the cell before.'
        yield cell.line, f"a hint before the first exercise; {way}"
    elif hint and hint in before[-1].hints:
        yield cell.line, f"a second hint={hint!r} for {before[-1].symbol}; join the two."


def misnamed(source: Source) -> Iterator[Mistake]:
    """Another chapter of its number; a set-up cell that starts no chapter, or another one."""
    twins = [stem for stem in stems(source.root) if stem[:4] == source.stem[:4]]
    if len(twins) > 1:
        yield 1, f"{' and '.join(twins)} are two chapters of one number; give one of them another."
    started = list(_started(source))
    due = f'start("{source.stem}")'
    if not started:
        yield 1, f"no cell tagged {NOTEBOOK_ONLY} calls {due}, as a chapter's first code cell does."
    for line, stem in started:
        if stem != source.stem:
            yield line, f"start({stem or ''!r}) starts another chapter than this one; write {due}."


def _started(source: Source) -> Iterator[tuple[int, str | None]]:
    """The lines in which cells call `start`, and with which chapter; None where that is no text."""
    for cell in [cell for cell in source.cells if cell.notebook_only and STARTS.search(cell.source)]:
        for node in ast.walk(ast.parse(as_python(cell.source))):
            match node:
                case ast.Call(func=ast.Name(id="start"), args=[ast.Constant(value=str(stem))]):
                    yield cell.line + node.lineno, stem
                case ast.Call(func=ast.Name(id="start")):
                    yield cell.line + node.lineno, None


def left_out(source: Source, tested: list[ExerciseInfo]) -> Iterator[Mistake]:
    """Each test function has its exercise, region and test call, in the same order, and no region is nobody's."""
    test_file = f"tests/{source.stem}.py"
    written = [task.symbol for task in source.tasks]
    wanted = [exercise.symbol for exercise in tested]
    if written != wanted:
        here, there = ", ".join(written) or "none", ", ".join(wanted) or "none"
        example = '`# %% [markdown] exercise="Name" ...`'
        way = f"Give each a cell {example}, in the order of the tests."
        yield 1, f"exercises here: {here}; tested in {test_file}: {there}. {way}"
    regions = [region for cell in source.cells for region in cell.regions]
    lines = {region.symbol: cell.line for cell in source.cells for region in cell.regions}
    strangers = [symbol for symbol in lines if symbol not in wanted]
    run = [cell.source for cell in source.cells if cell.notebook_only]
    for task, exercise in zip(source.tasks, tested, strict=True):
        if task.symbol not in lines:
            yield task.line, f"{task.symbol} has no solution region, {_what_to_do(strangers)}"
        if not calls("\n".join(run), exercise.test, task.symbol):
            call = f"{exercise.test}({task.symbol})"
            what = f"no cell tagged {NOTEBOOK_ONLY} calls {call}"
            yield task.line, f"{what}; it comes after the hints."
    hunted = {region.symbol for region in regions if region.instead is not None}
    for symbol in strangers:
        if symbol not in hunted:
            what = f"{symbol} has a solution region"
            yield lines[symbol], f"{what}, but no function of {test_file} tests it."


def _what_to_do(strangers: list[str]) -> str:
    """Where nothing is left to write; the region may stand in what has a mistyped name."""
    if strangers:
        names = ", ".join(sorted(strangers))
        return f"but {names} has one: is that a typing mistake?"
    markers = f"`{BEGIN}` and `{END}`"
    return f"so nothing is left to write. Put {markers} around what learners write."
