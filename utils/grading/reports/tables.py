"""Grades as CSV: all of them, and as gradebooks of Canvas and Moodle. No cell can be taken for a formula."""

import csv
import io
from collections.abc import Iterable, Sequence

from utils.grading.grades import Grade, Person, SubmissionGrades

COLUMNS = (
    "submission",
    "stem",
    "symbol",
    "status",
    "points",
    "max_points",
    "check",
    "misconception",
    "seed",
    "seconds",
)
BEGINS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
Row = Sequence[object]


def grades_csv(graded: Iterable[SubmissionGrades]) -> str:
    """A row for each exercise of each submission."""
    rows = [[getattr(grade, name) for name in COLUMNS] for one in graded for grade in one.grades]
    return as_csv(COLUMNS, rows)


def as_csv(header: Row, rows: Iterable[Row]) -> str:
    """Text that a spreadsheet would compute stands behind an apostrophe (OWASP, "CSV Injection")."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_harmless(cell) for cell in row] for row in rows)
    return written.getvalue()


def _harmless(cell: object) -> object:
    if isinstance(cell, float):
        return f"{cell:g}"
    if isinstance(cell, str) and cell.lstrip(" ").startswith(BEGINS_A_FORMULA):
        return f"'{cell}"
    return cell


def canvas_csv(
    graded: Sequence[SubmissionGrades],
    absent: Iterable[Person] = (),
    columns: dict[str, str] | None = None,
) -> str:
    """As Canvas imports grades: a column for each chapter.

    `columns` are the assignments' names by stem, such as "LayerNorm (88123)": one without Canvas's number makes a new
    assignment. People without a submission have empty cells, which Canvas leaves as they are.
    """
    stems = _stems(graded)
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    possible = ["    Points Possible", "", "", "", ""]
    nothing = [""] * len(stems)
    rows: list[Row] = [[*possible, *_possible(graded, stems)]]
    for one in graded:
        points = _by_stem(one, stems)
        rows.append([*_in_canvas(_person(one)), *points])
    for person in absent:
        rows.append([*_in_canvas(person), *nothing])
    names = dict(zip(stems, stems, strict=True)) | (columns or {})
    return as_csv([*header, *map(names.__getitem__, stems)], rows)


def _person(one: SubmissionGrades) -> Person:
    """Of nobody in the roster, the submission's name stands for a person."""
    return one.person or Person(one.submission)


def _in_canvas(person: Person) -> list[str]:
    return [person.name, person.id, person.sis_id, person.login, person.section]


def moodle_csv(graded: Sequence[SubmissionGrades], absent: Iterable[Person] = ()) -> str:
    """As Moodle imports grades: Map from "Email address" or "ID number"; a grade item for each chapter, with feedback.

    Moodle deletes what a column of feedback without its grade had, so both stand here.
    """
    stems = _stems(graded)
    header = ["Full name", "ID number", "Email address"]
    nothing = [""] * (2 * len(stems))
    rows: list[Row] = []
    for stem in stems:
        header += [stem, f"{stem} feedback"]
    for one in graded:
        grades = _with_feedback(one, stems)
        rows.append([*_in_moodle(_person(one)), *grades])
    for person in absent:
        rows.append([*_in_moodle(person), *nothing])
    return as_csv(header, rows)


def _in_moodle(person: Person) -> list[str]:
    return [person.name, person.id, person.email]


def _with_feedback(one: SubmissionGrades, stems: list[str]) -> list[object]:
    cells: list[object] = []
    for stem, points in zip(stems, _by_stem(one, stems), strict=True):
        words = [f"{grade.symbol}: {grade.status}" for grade in _of(one, stem)]
        cells += [points, ", ".join(words)]
    return cells


def _stems(graded: Iterable[SubmissionGrades]) -> list[str]:
    return sorted({grade.stem for one in graded for grade in one.grades})


def _of(one: SubmissionGrades, stem: str) -> list[Grade]:
    return [grade for grade in one.grades if grade.stem == stem]


def _by_stem(one: SubmissionGrades, stems: list[str]) -> list[object]:
    """Its points in each chapter; nothing where a chapter was not graded."""
    cells: list[object] = []
    for stem in stems:
        grades = _of(one, stem)
        points = sum(grade.points for grade in grades)
        cells.append(points if grades else "")
    return cells


def _possible(graded: Iterable[SubmissionGrades], stems: list[str]) -> list[float]:
    """The most that any submission could have had in each chapter."""
    most = dict.fromkeys(stems, 0.0)
    for one in graded:
        for stem in stems:
            points = sum(grade.max_points for grade in _of(one, stem))
            most[stem] = max(most[stem], points)
    return list(most.values())
