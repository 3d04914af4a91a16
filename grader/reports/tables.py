"""Grades as CSV: all of them, and as gradebooks of Canvas and Moodle. No cell can be taken for a formula."""

import csv
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from grader.grades import MEANING, Grade, Person, Status, SubmissionGrades
from grader.owners import by_person
from grader.reports.text import how_to_repeat

COLUMNS = (  # of the first release; those that `Grade` has had since follow, so that each keeps its place
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
    "person",
)
BEGINS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
MOODLES_KEYS = {"id": "ID number", "email": "Email address"}
Row = Sequence[object]


def grades_csv(graded: Iterable[SubmissionGrades]) -> str:
    """A row for each exercise of each submission, and of each of a group's people; no points of what is not graded."""
    columns = [*COLUMNS, *(field.name for field in fields(Grade) if field.metadata.get("in_csv"))]
    rows: list[Row] = []
    for submission in graded:
        for name in [person.name for person in submission.owners] or [""]:
            for grade in submission.grades:
                points = "" if grade.status == "not_graded" else grade.points
                values = {**vars(grade), "points": points, "person": name}
                rows.append([values[column] for column in columns])
    return as_csv(columns, rows)


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
    """The table as Canvas imports grades: a column for each chapter, for the assignment of that name, made if need be.

    Somebody without a submission has no row: an empty cell would take away a grade that was given by hand. Nor has
    somebody of whom an answer is not graded.
    """
    stems = _stems(graded)
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *stems]
    possible = ["    Points Possible", "", "", "", "", *_possible(graded, stems)]
    rows: list[Row] = [
        [person.name, person.id, person.sis_id, person.login, person.section, *_by_stem(grades, stems, "")]
        for person, grades in for_canvas(graded)
    ]
    return as_csv(header, [possible, *rows])


def for_canvas(graded: Iterable[SubmissionGrades]) -> list[tuple[Person, list[Grade]]]:
    """The submissions of which every answer is graded."""
    return [(person, grades) for person, grades in by_person(graded) if not _not_graded(grades)]


def _not_graded(grades: Iterable[Grade]) -> bool:
    return any(grade.status == "not_graded" for grade in grades)


def moodle_csv(graded: Sequence[SubmissionGrades]) -> str:
    """The table as Moodle imports grades: a column for each chapter, with feedback, for those that `for_moodle` has.

    Moodle deletes what a column of feedback without its grade had, so both stand here; "-" is its word for no grade.
    """
    stems = _stems(graded)
    known, keys = for_moodle(graded)
    header = ["Full name", *map(MOODLES_KEYS.__getitem__, keys)]
    for stem in stems:
        header += [stem, f"{stem} feedback"]
    rows: list[Row] = [
        [person.name, *(getattr(person, key) for key in keys), *_with_feedback(grades, stems)]
        for person, grades in known
    ]
    return as_csv(header, rows)


def for_moodle(graded: Sequence[SubmissionGrades]) -> tuple[list[tuple[Person, list[Grade]]], list[str]]:
    """The people whom Moodle can tell by one column, and the columns that all have: it gives a grade in a row
    without that to the person in the row before (grade/import/csv/classes/load_data.php, `studentid`)."""
    people = by_person(graded)
    having = {key: [(person, grades) for person, grades in people if getattr(person, key)] for key in MOODLES_KEYS}
    known = max(having.values(), key=len)
    return known, [key for key in MOODLES_KEYS if all(getattr(person, key) for person, _ in known)]


def _with_feedback(grades: Sequence[Grade], stems: list[str]) -> list[object]:
    cells: list[object] = []
    for stem, points in zip(stems, _by_stem(grades, stems, "-"), strict=True):
        words = [f"{grade.symbol}: {grade.status}" for grade in grades if grade.stem == stem]
        cells += [points, ", ".join(words)]
    return cells


def _stems(graded: Iterable[SubmissionGrades]) -> list[str]:
    return sorted({grade.stem for submission in graded for grade in submission.grades})


def _by_stem(grades: Sequence[Grade], stems: list[str], nothing: str) -> list[object]:
    """The points in each chapter; `nothing` where a chapter, or a part of it, was not graded."""
    cells: list[object] = []
    for stem in stems:
        of_it = [grade for grade in grades if grade.stem == stem]
        cells.append(nothing if not of_it or _not_graded(of_it) else sum(grade.points for grade in of_it))
    return cells


def _possible(graded: Iterable[SubmissionGrades], stems: list[str]) -> list[float]:
    """The most that any submission could have had in each chapter."""
    most = dict.fromkeys(stems, 0.0)
    for submission in graded:
        for stem in stems:
            points = sum(grade.max_points for grade in submission.grades if grade.stem == stem)
            most[stem] = max(most[stem], points)
    return list(most.values())


def results_json(submission: SubmissionGrades) -> dict[str, Any]:
    """What `json.dump` writes there. Text is shown as text: no output of a learner's code becomes HTML."""
    return {
        "score": submission.points,
        "execution_time": round(submission.seconds, 3),
        "output": "\n".join(submission.problems),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "stdout_visibility": "hidden",
        "extra_data": {"protection": submission.protection},
        "tests": [_test(grade, number) for number, grade in enumerate(submission.grades, start=1)],
    }


def _test(grade: Grade, number: int) -> dict[str, Any]:
    said = grade.said or f"{grade.status}: {MEANING[grade.status]}."
    return {
        "name": f"{grade.stem} {grade.symbol}",
        "number": str(number),
        "score": grade.points,
        "max_score": grade.max_points,
        "status": "passed" if grade.status == "pass" else "failed",
        "output": "\n".join([said, *grade.notes, how_to_repeat(grade)]),
        "tags": [grade.status],
        "visibility": "visible",
        "extra_data": {"seed": grade.seed, "seconds": round(grade.seconds, 3)},
    }


FAILURE: set[Status] = {"fail", "not_yet", "missing"}
ERROR: set[Status] = {"error", "limit", "not_graded"}
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(graded: Iterable[SubmissionGrades]) -> str:
    """The whole class."""
    root = ET.Element("testsuites", name="grades")
    for submission in graded:
        suite = ET.SubElement(root, "testsuite", _suite(submission))
        for grade in submission.grades:
            _add_case(suite, grade)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(submission: SubmissionGrades) -> dict[str, str]:
    return {
        "name": _allowed(submission.submission),
        "tests": str(len(submission.grades)),
        "failures": _how_many(submission, FAILURE),
        "errors": _how_many(submission, ERROR),
        "skipped": "0",
        "time": f"{submission.seconds:.3f}",
    }


def _how_many(submission: SubmissionGrades, statuses: set[Status]) -> str:
    return str(sum(grade.status in statuses for grade in submission.grades))


def _add_case(suite: ET.Element, grade: Grade) -> None:
    case = ET.SubElement(suite, "testcase", classname=grade.stem, name=grade.symbol, time=f"{grade.seconds:.3f}")
    if grade.status == "pass":
        return
    kind = "error" if grade.status in ERROR else "failure"
    message = _allowed(grade.check or MEANING[grade.status])
    found = ET.SubElement(case, kind, type=grade.status, message=message)
    found.text = _allowed(grade.said)


def _allowed(text: str) -> str:
    """Without the characters that XML can't have, not even escaped."""
    return NOT_IN_XML.sub("�", text)
