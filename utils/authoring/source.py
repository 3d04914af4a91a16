"""Reads solutions/<stem>.py, the single source of a chapter: its cells, its exercises and their solution regions.

The format is jupytext's py:percent; `python -m utils new` makes an example. A mistake in a source is a CourseError
that begins with the file and the line.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import jupytext
from nbformat import NotebookNode

from utils.authoring.regions import BEGIN, END, LOOKS_LIKE_A_MARKER, Region, find_regions
from utils.cells import calls
from utils.course import ROOT, CourseError, ExerciseInfo, exercises

FORMAT = {"extension": ".py", "format_name": "percent", "comment_magics": False}
MARKER = re.compile(r"#\s?%%+(\s|$)")
NOTEBOOK_ONLY = "active-ipynb"  # jupytext's tag: commented out in the .py, code in the notebook
FOLDED = "folded"  # the tag of a given cell that is not worth reading first: closed, under its first line
FOLDS = {"jupyter": {"source_hidden": True}, "cellView": "form"}  # JupyterLab and VS Code read the one, Colab the other
TITLE = re.compile(r"# @title \S.*")  # that first line, in the form that Colab shows as a heading
HINTS = ("idea", "pseudocode")
KEYS = {"tags", "exercise", "difficulty", "importance", "minutes", "draft", "hint"}
NUMBERS = {"difficulty": range(1, 6), "importance": range(1, 6), "minutes": range(1, 601)}
JUPYTEXTS_OWN = {"lines_to_next_cell", "cell_marker", "title"}


@dataclass(frozen=True)
class Cell:
    """One cell of a source, and the number of its `# %%` line."""

    kind: str  # "markdown", "code" or "raw"
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
        found = re.match(r"#+\s+(.+)", self.source) if self.kind == "markdown" else None
        return found[1].strip() if found else None


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
    """A whole chapter as its author wrote it."""

    stem: str
    path: Path
    cells: list[Cell]
    tasks: list[Task]


def read_source(stem: str, root: Path = ROOT) -> Source:
    """The cells and exercises of solutions/<stem>.py, checked against the test functions in tests/<stem>.py."""
    tested = exercises(stem, root)
    path = Path("solutions") / f"{stem}.py"
    if not (root / path).is_file():
        raise CourseError(f"{path} is missing, though tests/{stem}.py is there. Write the one or remove the other.")
    cells = _read_cells(path, (root / path).read_text(encoding="utf-8"))
    source = Source(stem, path, cells, _read_tasks(path, cells))
    _check_complete(source, tested)
    return source


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
        _check_preamble(path, parsed.pop(0))
    if len(parsed) != len(starts):
        message = f"{len(parsed)} cells, but {len(starts)} lines begin with `# %%`; use no other marker for cells."
        raise CourseError.at(path, 1, message)
    bodies = [lines[start : end - 1] for start, end in pairwise([*starts, len(lines) + 1])]
    return [_read_cell(path, *cell) for cell in zip(starts, bodies, parsed, strict=True)]


def _read_cell(path: Path, line: int, body: list[str], parsed: NotebookNode) -> Cell:
    cell = Cell(parsed.cell_type, parsed.source, line, _checked_metadata(path, line, parsed))
    if FOLDED in cell.tags and not TITLE.match(cell.source):
        message = f"a cell tagged {FOLDED} begins with what it does: `# # @title Draws the pattern of each head`."
        raise CourseError.at(path, line + 1, message)
    if cell.kind == "code" and not cell.notebook_only:
        return replace(cell, regions=find_regions(path, line, cell.source))
    if cell.notebook_only:
        _check_commented_out(path, line, body)
    return cell


def _check_commented_out(path: Path, line: int, body: list[str]) -> None:
    for number, text in enumerate(body, line + 1):
        if text.strip() and not text.startswith("#"):
            raise CourseError.at(path, number, f"a cell tagged {NOTEBOOK_ONLY} is commented out; begin this with `# `.")
        if LOOKS_LIKE_A_MARKER.search(text):
            raise CourseError.at(path, number, "a solution region can't be in a cell that only the notebook runs.")


def _check_preamble(path: Path, parsed: NotebookNode) -> None:
    """Above the first `# %%` only the module's docstring may stand: it is for those who read the .py."""
    tree = ast.parse(parsed.source if parsed.cell_type == "code" else "")
    if len(tree.body) > 1 or (tree.body and ast.get_docstring(tree) is None):
        raise CourseError.at(path, 1, "code above the first `# %%` would be in no notebook; put a `# %%` before it.")


def _checked_metadata(path: Path, line: int, parsed: NotebookNode) -> dict:
    """What the author wrote on the `# %%` line. Raises CourseError for a key or a value that means nothing."""
    metadata = {key: value for key, value in parsed.metadata.items() if key not in JUPYTEXTS_OWN}
    mistakes = list(_mistakes(metadata, parsed.cell_type))
    if mistakes:
        raise CourseError.at(path, line, mistakes[0])
    return metadata


def _mistakes(metadata: dict, kind: str) -> Iterator[str]:
    """What is wrong with them, the gravest first."""
    if {"exercise", "hint"} & metadata.keys() and kind != "markdown":
        yield "exercise= and hint= belong on a Markdown cell: `# %% [markdown] ...`."
    if metadata.get("hint", HINTS[0]) not in HINTS:
        yield f"hint={metadata['hint']!r} is none of {', '.join(HINTS)}; the build itself adds the solution."
    for key in reversed(NUMBERS):
        allowed, value = NUMBERS[key], metadata.get(key, NUMBERS[key][0])
        if type(value) is not int or value not in allowed:
            yield f"{key}={value!r} is not a whole number from {allowed[0]} to {allowed[-1]}."
    unknown = sorted(metadata.keys() - KEYS)
    if unknown:
        known = ", ".join(sorted(KEYS))
        yield f'can\'t read {", ".join(unknown)} here; {known} are known, as key="text" or key=3.'


def _read_tasks(path: Path, cells: list[Cell]) -> list[Task]:
    tasks: list[Task] = []
    for cell in cells:
        if "exercise" in cell.metadata:
            tasks.append(_task(path, cell))
        elif "hint" in cell.metadata:
            _add_hint(path, cell, tasks)
    return tasks


def _task(path: Path, cell: Cell) -> Task:
    about = cell.metadata
    if not cell.heading:
        raise CourseError.at(path, cell.line, "the cell of an exercise begins with a heading: `# ## Exercise`.")
    numbers = map(about.get, NUMBERS)
    return Task(about["exercise"], cell.line, *numbers, draft=bool(about.get("draft")))


def _add_hint(path: Path, cell: Cell, tasks: list[Task]) -> None:
    hint = cell.metadata["hint"]
    if not tasks:
        message = 'a hint before the first exercise; put it after the stub, and exercise="Name" on the cell before.'
        raise CourseError.at(path, cell.line, message)
    if hint in tasks[-1].hints:
        message = f"a second hint={hint!r} for {tasks[-1].symbol}; join the two."
        raise CourseError.at(path, cell.line, message)
    tasks[-1].hints.append(hint)


def _check_complete(source: Source, tested: list[ExerciseInfo]) -> None:
    """Each test function has its exercise, region and test call, in the same order, and nothing else is left out."""
    path, test_file = source.path, f"tests/{source.stem}.py"
    written = [task.symbol for task in source.tasks]
    wanted = [exercise.symbol for exercise in tested]
    if written != wanted:
        here, there = (", ".join(symbols) or "none" for symbols in (written, wanted))
        way = 'Give each a cell `# %% [markdown] exercise="Name" ...`, in the order of the tests.'
        raise CourseError.at(path, 1, f"exercises here: {here}; tested in {test_file}: {there}. {way}")
    found = [(region, cell.line) for cell in source.cells for region in cell.regions]
    regions = {region.symbol: line for region, line in found}
    in_the_notebook = [cell.source for cell in source.cells if cell.notebook_only]
    for task, exercise in zip(source.tasks, tested, strict=True):
        if task.symbol not in regions:
            strangers = sorted(regions.keys() - {*wanted})
            raise CourseError.at(path, task.line, _no_region(task.symbol, strangers))
        if not any(calls(cell, exercise.test, task.symbol) for cell in in_the_notebook):
            message = f"no cell tagged {NOTEBOOK_ONLY} calls {exercise.test}({task.symbol}); it comes after the hints."
            raise CourseError.at(path, task.line, message)
    hunted = {region.symbol for region, _ in found if region.instead is not None}
    for symbol in regions:
        if symbol not in {*wanted, *hunted}:
            message = f"{symbol} has a solution region, but no function of {test_file} tests it."
            raise CourseError.at(path, regions[symbol], message)


def _no_region(symbol: str, strangers: list[str]) -> str:
    """What to do where nothing is left to write; the region may stand in what has a mistyped name."""
    if strangers:
        return f"{symbol} has no solution region, but {', '.join(strangers)} has one: is that a typing mistake?"
    markers = f"`{BEGIN}` and `{END}`"
    return f"{symbol} has no solution region, so nothing is left to write. Put {markers} around what learners write."
