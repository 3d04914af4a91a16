"""The notebooks of each chapter: builds them from the solution source, and says which ones are out of date."""

from collections.abc import Iterator
from pathlib import Path

import nbformat

from utils.authoring.carrying import carry_outputs
from utils.authoring.drawing_code import drawing_code, drawn_with, remember_drawing_code
from utils.authoring.executing import check_portable, execute
from utils.authoring.opened import executed, same_sources
from utils.authoring.rendering import chapter, solution, text_of
from utils.authoring.source import Source, read_source
from utils.cells import defines
from utils.course import ROOT, CourseError
from utils.files import write_text


def build(stem: str, root: Path = ROOT, force: bool = False, may_execute: bool = True) -> Iterator[str]:
    """Write the chapter's notebook and its executed solution, where they are out of date; yields what was done.

    A solution keeps its outputs as long as its code is the same, and that which draws its figures; `force` executes it
    all the same.
    Raises CourseError if the source has a mistake or a cell fails, or where code has changed without `may_execute`;
    a notebook that fails is left as it was.
    """
    source = read_source(stem, root)
    stale = stale_notebooks(source, root)
    path = chapter_path(stem, root)
    if path in stale or force:
        if not force:
            _refuse_to_lose_answers(path, source, root)
        write_text(path, text_of(chapter(source, root)))
        yield f"{path.relative_to(root)}: written"
    path = solution_path(stem, root)
    if path in stale or force:
        yield _build_solution(source, path, root, force, may_execute)


def _build_solution(source: Source, path: Path, root: Path, force: bool, may_execute: bool) -> str:
    notebook = solution(source, root)
    kept = not force and carry_outputs(notebook, path)
    if not kept and not may_execute:
        raise CourseError(_out_of_date(path, root, source.stem))
    name = path.relative_to(root)
    if kept:
        for cell in notebook.cells:  # one may have lost its nbval-ignore-output
            check_portable(cell, name, (str(root),))
    else:
        path.parent.mkdir(exist_ok=True)
        execute(notebook, path, root)
    remember_drawing_code(notebook)
    write_text(path, text_of(notebook))
    done = "written, its outputs kept" if kept else "executed"
    return f"{name}: {done}"


def check(stem: str, root: Path = ROOT) -> list[str]:
    """What is wrong with the chapter's stored notebooks, one sentence each; nothing is written."""
    stale = stale_notebooks(read_source(stem, root), root)
    return [_out_of_date(path, root, stem) for path in stale]


def stale_notebooks(source: Source, root: Path = ROOT) -> list[Path]:
    """The stored notebooks that are missing or have not the cells that `build` would write, all of a solution run.

    Nor may the code have changed that drew a solution's figures.
    """
    for_learners, solved = chapter_path(source.stem, root), solution_path(source.stem, root)
    stale = []
    if not same_sources(for_learners, chapter(source, root)):
        stale.append(for_learners)
    built, stored = solution(source, root), executed(solved)
    if stored is None or not same_sources(solved, built) or drawn_with(stored) != drawing_code(built):
        stale.append(solved)
    return stale


def chapter_path(stem: str, root: Path = ROOT) -> Path:
    """Where the learner's notebook is."""
    return root / "chapters" / f"{stem}.ipynb"


def solution_path(stem: str, root: Path = ROOT) -> Path:
    """Where the executed solution is."""
    return root / "solutions" / f"{stem}.ipynb"


def _out_of_date(path: Path, root: Path, stem: str) -> str:
    what = "is out of date" if path.exists() else "is missing"
    return f"{path.relative_to(root)} {what}. Make it again: python -m utils build {stem}"


def _refuse_to_lose_answers(path: Path, source: Source, root: Path) -> None:
    """A generated chapter has a NotImplementedError in each exercise; where one is gone, a learner has worked."""
    if not path.exists():
        return
    try:
        cells = nbformat.read(path, as_version=nbformat.NO_CONVERT).cells
    except (ValueError, AttributeError):
        return
    written = [cell.source for cell in cells if "NotImplementedError" not in cell.source]
    for task in source.tasks:
        if any(defines(cell, task.symbol) for cell in written):
            raise CourseError(
                f"{path.relative_to(root)} holds an answer for {task.symbol}, so it is left as it is. "
                f"Move it away, or write over it: python -m utils build {source.stem} --force"
            )
