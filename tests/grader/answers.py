"""Chapters as lists of code cells: solved, unwritten, or with other answers in their places."""

from pathlib import Path

import nbformat

from grader.grades import Grade, SubmissionGrades
from utils.course import ROOT
from utils.course.cells import code_of, defines


def chapter(stem: str, folder: str = "solutions") -> list[str]:
    """The code cells of a solved chapter."""
    return code_of(ROOT / folder / f"{stem}.ipynb")


def stub_cells(stem: str) -> list[str]:
    """The code cells that a learner begins with."""
    return chapter(stem, "chapters")


def replaced(stem: str, **answers: str) -> list[str]:
    """A solved chapter with these sources where its answers to the exercises of these names stood."""
    return [next((text for name, text in answers.items() if defines(cell, name)), cell) for cell in chapter(stem)]


def grade_of(graded: SubmissionGrades, symbol: str) -> Grade:
    """A submission's grade in this exercise; its chapter may have others."""
    return next(one for one in graded.grades if one.symbol == symbol)


def write_submission(path: Path, cells: list[str]) -> Path:
    """A notebook of these cells."""
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, cells)]), path)
    return path
