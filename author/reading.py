"""Reads a chapter's source. A mistake in it is a CourseError that begins with the file and the line."""

import ast
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

import jupytext
from nbformat import NotebookNode

from author.mistakes import Mistake, cell_mistakes, left_out, lost_code, misnamed, misplaced, not_commented_out
from author.regions import find_regions
from author.source import NUMBERS, Cell, Source, Task
from utils.course import ROOT, CourseError, exercises

FORMAT = {"extension": ".py", "format_name": "percent", "comment_magics": False}
MARKER = re.compile(r"#\s?%%+(\s|$)")
JUPYTEXTS_OWN = {"lines_to_next_cell", "cell_marker", "title"}


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
