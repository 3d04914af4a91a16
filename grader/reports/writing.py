"""Writes what an instructor asked for of the grades: tables, files for other programs, pages."""

import errno
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from grader.grades import Grade, SubmissionGrades, mark_late, points_for
from grader.lending import symbols
from grader.owners import Matched, by_person, match
from grader.reports.class_page import class_page
from grader.reports.page import learner_page
from grader.reports.tables import canvas_csv, for_canvas, for_moodle, grades_csv, junit_xml, moodle_csv, results_json
from grader.reports.text import summary
from grader.roster import read_roster
from grader.submissions.answers import find_answer
from grader.submissions.notebooks import cells_of
from utils.course import ROOT, CourseError, all_exercises
from utils.course.files import replacing

LEFT_OUT = "{} has no row for {} of the people: the roster has no ID number or e-mail address for these."
HALF_GRADED = "{} has no row for {} of the people: an answer of theirs is not graded."


@dataclass(frozen=True)
class Wanted:
    """The reports that are wanted, and where; and what is to be known beside the grades."""

    csv: Path | None = None
    junit: Path | None = None
    canvas: Path | None = None
    moodle: Path | None = None
    html: Path | None = None
    gradescope: Path | None = None
    roster: Path | None = None
    partial: bool = False  # points for the checks that hold, where not all do


def report(
    graded: Sequence[SubmissionGrades],
    wanted: Wanted,
    notes: Sequence[str] = (),
    places: Mapping[str, str] | None = None,
    deadlines: Mapping[str, datetime] | None = None,
) -> str:
    """Write it, and return the table for a terminal; `places` say by name where submissions lie, `deadlines` are those
    of chapters.

    Raises CourseError for a roster that can't be read, and where there is no room.
    """
    with_points: list[SubmissionGrades] = []
    for submission in graded:
        grades: list[Grade] = []
        for grade in submission.grades:
            points = points_for(grade.status, grade.max_points, grade.passed, grade.checks, wanted.partial)
            grades.append(replace(grade, points=points))
        with_points.append(replace(submission, grades=grades))
    marked = mark_late(with_points, deadlines or {})
    matched = match(marked, read_roster(wanted.roster) if wanted.roster else [])
    tables: list[tuple[Path | None, Callable[[Sequence[SubmissionGrades]], str]]] = [
        (wanted.csv, grades_csv),
        (wanted.junit, junit_xml),
        (wanted.canvas, canvas_csv),
        (wanted.moodle, moodle_csv),
    ]
    for path, table in tables:
        if path:
            _write(path, table(matched.graded))
    if wanted.gradescope:
        _write_results(matched.graded, wanted.gradescope)
    if wanted.html:
        _write_pages(matched, wanted.html, [*notes, *_told(deadlines or {})], places or {})
    said = [f"{submission}: nobody in the roster." for submission in matched.unknown]
    said += [f"{person.name}: no submission." for person in matched.absent]
    return "\n".join([summary(matched.graded), *said, *_without_a_row(matched.graded, wanted), *matched.notes])


def _without_a_row(graded: Sequence[SubmissionGrades], wanted: Wanted) -> Iterator[str]:
    """Of whom a platform's table has nothing, and why."""
    people = len(by_person(graded))
    in_moodle, in_canvas = len(for_moodle(graded)[0]), len(for_canvas(graded))
    if wanted.moodle and in_moodle < people:
        yield LEFT_OUT.format(wanted.moodle, people - in_moodle)
    if wanted.canvas and in_canvas < people:
        yield HALF_GRADED.format(wanted.canvas, people - in_canvas)


def _write(path: Path, text: str) -> None:
    try:
        with replacing(path) as partial, partial.open("wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())  # some systems say only now that there is no room
    except OSError as error:
        said = f"{path} can't be written ({error.strerror}), and is as it was before. The grades are in the gradebook: "
        raise CourseError(f"{said}{_what_helps(error)}, and give the command again.") from None


def _what_helps(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return "make room"
    if isinstance(error, PermissionError):  # on Windows also of a table that is open in Excel
        return "close it where it is open, or name another place"
    return "name another place"


def _told(deadlines: Mapping[str, datetime]) -> list[str]:
    return [f"Deadline of {stem}: {moment:%Y-%m-%d %H:%M:%S %z}." for stem, moment in deadlines.items()]


def _write_results(graded: Sequence[SubmissionGrades], folder: Path) -> None:
    """What Gradescope reads of each submission; without it, it says that its grader has failed."""
    for person, name in _file_names(graded).items():
        results = folder / name / "results.json"
        if graded[person].not_graded:
            results.unlink(missing_ok=True)
        else:
            _write(results, json.dumps(results_json(graded[person]), indent=1))


def _write_pages(matched: Matched, folder: Path, notes: Sequence[str], places: Mapping[str, str]) -> None:
    """A learner's page for each submission, and the class's, index.html, last: it links to none that is not there."""
    names = _file_names(matched.graded)
    links = {matched.graded[person].submission: f"learners/{name}.html" for person, name in names.items()}
    for person, name in names.items():
        graded = matched.graded[person]
        file = places.get(graded.submission, graded.submission)
        _write(folder / "learners" / f"{name}.html", learner_page(graded, file))
    _write(folder / "index.html", class_page(matched, "Grades", _known_shapes(), links, notes, places))


def _file_names(graded: Sequence[SubmissionGrades]) -> dict[int, str]:
    """A name for a file of each, of letters, digits and what else is harmless in every system; no two alike."""
    taken: set[str] = set()
    names: dict[int, str] = {}
    for number, submission in enumerate(graded):
        plain = "".join(letter if letter.isalnum() or letter in "-_. " else "-" for letter in submission.submission)[
            :80
        ]
        name = plain.strip(". ") or "submission"
        name = f"{name}-{number}" if name.lower() in taken else name
        taken.add(name.lower())
        names[number] = name
    return names


def _known_shapes() -> set[str]:
    """Of the stubs and of the course's own solutions, which many hand in."""
    found: set[str] = set()
    for folder in ("chapters", "solutions"):
        for exercise in all_exercises():
            path = ROOT / folder / f"{exercise.stem}.ipynb"
            if path.is_file():
                cells = cells_of(path.read_bytes()).sources
                found.add(find_answer(cells, exercise.symbol, symbols()).shape)
    return found
