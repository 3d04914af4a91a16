"""Reads solutions/<stem>.py, the single source of a chapter: its cells, its exercises and their solution regions.

The format is jupytext's py:percent; `python -m utils new` makes an example. A mistake in a source is a CourseError
that begins with the file and the line.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import jupytext
from nbformat import NotebookNode

from utils.authoring.regions import BEGIN, END, LOOKS_LIKE_A_MARKER, Region, find_regions
from utils.course import ROOT, CourseError, ExerciseInfo, exercises
from utils.course.cells import calls

FORMAT = {"extension": ".py", "format_name": "percent", "comment_magics": False}
MARKER = re.compile(r"#\s?%%+(\s|$)")
# jupytext's tag: commented out in the .py, code in the notebook
NOTEBOOK_ONLY = "active-ipynb"
# The tag of a given cell that is not worth reading first: closed, under its first line, which Colab shows as a heading.
FOLDED = "folded"
TITLE = re.compile(r"# @title \S.*")
HINTS = ("idea", "pseudocode")
NUMBERS = {
    "difficulty": range(1, 6),
    "importance": range(1, 6),
    "minutes": range(1, 601),
}
KEYS = {"tags", "exercise", *NUMBERS, "draft", "hint"}
JUPYTEXTS_OWN = {"lines_to_next_cell", "cell_marker", "title"}


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
        """What is written here of an exercise."""
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


# the line, and what is wrong there
Mistake = tuple[int, str]


def read_source(stem: str, root: Path = ROOT) -> Source:
    """The cells and exercises of solutions/<stem>.py, checked against the test functions in tests/<stem>.py."""
    tested = exercises(stem, root)
    path = Path("solutions") / f"{stem}.py"
    if not (root / path).is_file():
        what = f"{path} is missing, though tests/{stem}.py is there"
        raise CourseError(f"{what}. Write the one or remove the other.")
    cells = _read_cells(path, (root / path).read_text(encoding="utf-8"))
    source = Source(root, stem, path, cells, _read_tasks(path, cells))
    _refuse(path, _left_out(source, tested))
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
    starts = [number for number, line in enumerate(lines, 1) if MARKER.match(line)]
    parsed = jupytext.reads(text, fmt=FORMAT).cells
    if len(parsed) == len(starts) + 1:
        _refuse(path, _lost_code(parsed.pop(0)))
    if len(parsed) != len(starts):
        counted = f"{len(parsed)} cells, but {len(starts)} lines begin with `# %%`"
        raise CourseError.at(path, 1, f"{counted}; use no other marker for cells.")
    ends = [*starts[1:], len(lines) + 1]
    bodies = [lines[start : end - 1] for start, end in zip(starts, ends, strict=True)]
    return list(map(partial(_read_cell, path), starts, bodies, parsed))


def _lost_code(above: NotebookNode) -> Iterator[Mistake]:
    """Above the first `# %%` only the module's docstring may stand: it is for those who read the .py."""
    tree = ast.parse(above.source if above.cell_type == "code" else "")
    has_docstring = ast.get_docstring(tree) is not None
    if len(tree.body) > has_docstring:
        what = "code above the first `# %%` would be in no notebook"
        yield 1, f"{what}; put a `# %%` before it."


def _read_cell(path: Path, line: int, body: list[str], parsed: NotebookNode) -> Cell:
    """One cell; `parsed.metadata` is what the author wrote on the `# %%` line, and some that is jupytext's."""
    given = parsed.metadata.items()
    metadata = {key: value for key, value in given if key not in JUPYTEXTS_OWN}
    cell = Cell(parsed.cell_type, parsed.source, line, metadata)
    _refuse(path, _mistakes(cell))
    if cell.notebook_only:
        _refuse(path, _not_commented_out(body, line + 1))
    elif cell.kind == "code":
        return replace(cell, regions=find_regions(path, line, cell.source))
    return cell


def _mistakes(cell: Cell) -> Iterator[Mistake]:
    """What is wrong with a cell's metadata, the gravest first, and with its first line."""
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
    if FOLDED in cell.tags and not TITLE.match(cell.source):
        example = "`# # @title Draws the pattern of each head`"
        yield line + 1, f"a cell tagged {FOLDED} begins with what it does: {example}."


def _not_commented_out(body: list[str], first: int) -> Iterator[Mistake]:
    for number, text in enumerate(body, first):
        if not text.startswith("#") and text.strip():
            what = f"a cell tagged {NOTEBOOK_ONLY} is commented out"
            yield number, f"{what}; begin this with `# `."
        if LOOKS_LIKE_A_MARKER.search(text):
            yield number, "a solution region can't be in a cell that only the notebook runs."


def _read_tasks(path: Path, cells: list[Cell]) -> list[Task]:
    tasks: list[Task] = []
    for cell in cells:
        _refuse(path, _misplaced(cell, tasks))
        about = cell.metadata
        if "exercise" in about:
            numbers = map(about.get, NUMBERS)
            is_draft = bool(about.get("draft"))
            tasks.append(Task(about["exercise"], cell.line, *numbers, draft=is_draft))
        elif "hint" in about:
            tasks[-1].hints.append(about["hint"])
    return tasks


def _misplaced(cell: Cell, before: list[Task]) -> Iterator[Mistake]:
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


def _left_out(source: Source, tested: list[ExerciseInfo]) -> Iterator[Mistake]:
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
