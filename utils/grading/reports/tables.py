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
MOODLES_KEYS = {"id": "ID number", "email": "Email address"}
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
    if isinstance(cell, str) and cell != "-" and cell.lstrip(" ").startswith(BEGINS_A_FORMULA):
        return f"'{cell}"
    return cell


def canvas_csv(graded: Sequence[SubmissionGrades]) -> str:
    """As Canvas imports grades: a column for each chapter, for the assignment of that name, made if need be.

    Somebody without a submission has no row: an empty cell would take away a grade that was given by hand.
    """
    stems = _stems(graded)
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *stems]
    possible = ["    Points Possible", "", "", "", "", *_possible(graded, stems)]
    rows: list[Row] = [[*_in_canvas(_person(one)), *_by_stem(one, stems, "")] for one in graded]
    return as_csv(header, [possible, *rows])


def _person(one: SubmissionGrades) -> Person:
    """Of nobody in the roster, the submission's name stands for a person."""
    return one.person or Person(one.submission)


def _in_canvas(person: Person) -> list[str]:
    return [person.name, person.id, person.sis_id, person.login, person.section]


def moodle_csv(graded: Sequence[SubmissionGrades]) -> str:
    """As Moodle imports grades: a column for each chapter, with feedback, for those that `for_moodle` has.

    Moodle deletes what a column of feedback without its grade had, so both stand here; "-" is its word for no grade.
    """
    stems = _stems(graded)
    known, keys = for_moodle(graded)
    header = ["Full name", *map(MOODLES_KEYS.__getitem__, keys)]
    for stem in stems:
        header += [stem, f"{stem} feedback"]
    rows: list[Row] = []
    for one in known:
        person = _person(one)
        rows.append([person.name, *(getattr(person, key) for key in keys), *_with_feedback(one, stems)])
    return as_csv(header, rows)


def for_moodle(graded: Sequence[SubmissionGrades]) -> tuple[list[SubmissionGrades], list[str]]:
    """Those whom Moodle can tell by one column, and the columns that all of them have: it gives a grade in a row
    without that to the person in the row before (grade/import/csv/classes/load_data.php, `studentid`)."""
    having = {key: [one for one in graded if getattr(_person(one), key)] for key in MOODLES_KEYS}
    known = max(having.values(), key=len)
    return known, [key for key in MOODLES_KEYS if all(getattr(_person(one), key) for one in known)]


def _with_feedback(one: SubmissionGrades, stems: list[str]) -> list[object]:
    cells: list[object] = []
    for stem, points in zip(stems, _by_stem(one, stems, "-"), strict=True):
        words = [f"{grade.symbol}: {grade.status}" for grade in _of(one, stem)]
        cells += [points, ", ".join(words)]
    return cells


def _stems(graded: Iterable[SubmissionGrades]) -> list[str]:
    return sorted({grade.stem for one in graded for grade in one.grades})


def _of(one: SubmissionGrades, stem: str) -> list[Grade]:
    return [grade for grade in one.grades if grade.stem == stem]


def _by_stem(one: SubmissionGrades, stems: list[str], nothing: str) -> list[object]:
    """Its points in each chapter; `nothing` where a chapter was not graded."""
    cells: list[object] = []
    for stem in stems:
        grades = _of(one, stem)
        points = sum(grade.points for grade in grades)
        cells.append(points if grades else nothing)
    return cells


def _possible(graded: Iterable[SubmissionGrades], stems: list[str]) -> list[float]:
    """The most that any submission could have had in each chapter."""
    most = dict.fromkeys(stems, 0.0)
    for one in graded:
        for stem in stems:
            points = sum(grade.max_points for grade in _of(one, stem))
            most[stem] = max(most[stem], points)
    return list(most.values())
