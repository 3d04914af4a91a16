"""Writes what an instructor asked for of the grades: tables, files for other programs, pages."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from utils.course import ROOT, all_exercises
from utils.course.files import write_text
from utils.grading.grades import Grade, SubmissionGrades, points_for
from utils.grading.lending import symbols
from utils.grading.owners import Matched, by_person, match
from utils.grading.reports.class_page import class_page
from utils.grading.reports.gradescope import results_json
from utils.grading.reports.junit import junit_xml
from utils.grading.reports.lateness import mark_late, moment_of
from utils.grading.reports.learner_page import learner_page
from utils.grading.reports.tables import canvas_csv, for_moodle, grades_csv, moodle_csv
from utils.grading.reports.text import summary
from utils.grading.roster import read_roster
from utils.grading.submissions.answers import find_answer
from utils.grading.submissions.notebooks import cells_of

LEFT_OUT = "{} has no row for {} of the people: the roster has no ID number or e-mail address for these."


@dataclass(frozen=True)
class Wanted:
    """What is to be written, and where; and what is to be known beside the grades."""

    csv: Path | None = None
    junit: Path | None = None
    canvas: Path | None = None
    moodle: Path | None = None
    html: Path | None = None
    gradescope: Path | None = None
    roster: Path | None = None
    deadline: str | None = None  # ISO 8601
    partial: bool = False  # points for the checks that hold, where not all do


def report(
    graded: Sequence[SubmissionGrades],
    wanted: Wanted,
    notes: Sequence[str] = (),
    places: Mapping[str, str] | None = None,
) -> str:
    """Write it, and return the table for a terminal; `places` say by name where submissions lie.

    Raises CourseError for a roster or a time that can't be read.
    """
    with_points = [replace(one, grades=[_worth(grade, wanted.partial) for grade in one.grades]) for one in graded]
    matched = match(
        mark_late(with_points, moment_of(wanted.deadline)), read_roster(wanted.roster) if wanted.roster else []
    )
    files: list[tuple[Path | None, Callable[[], str]]] = [
        (wanted.csv, lambda: grades_csv(matched.graded)),
        (wanted.junit, lambda: junit_xml(matched.graded)),
        (wanted.canvas, lambda: canvas_csv(matched.graded)),
        (wanted.moodle, lambda: moodle_csv(matched.graded)),
    ]
    for path, text in files:
        if path:
            write_text(path, text())
    if wanted.gradescope:
        for one, name in _file_names(matched.graded).items():
            write_text(
                wanted.gradescope / name / "results.json", json.dumps(results_json(matched.graded[one]), indent=1)
            )
    if wanted.html:
        _write_pages(matched, wanted.html, [*notes, *_deadline(wanted.deadline)], places or {})
    said = [f"{one}: nobody in the roster." for one in matched.unknown]
    said += [f"{person.name}: no submission." for person in matched.absent]
    if wanted.moodle:
        left_out = len(by_person(matched.graded)) - len(for_moodle(matched.graded)[0])
        said += [LEFT_OUT.format(wanted.moodle, left_out)] * bool(left_out)
    return "\n".join([summary(matched.graded), *said, *matched.notes])


def _deadline(deadline: str | None) -> list[str]:
    moment = moment_of(deadline)
    return [f"Deadline: {moment:%Y-%m-%d %H:%M:%S %z}."] if moment else []


def _worth(grade: Grade, by_check: bool) -> Grade:
    return replace(grade, points=points_for(grade.status, grade.max_points, grade.passed, grade.checks, by_check))


def _write_pages(matched: Matched, folder: Path, notes: Sequence[str], places: Mapping[str, str]) -> None:
    """The class's page, index.html, and a learner's page for each submission."""
    names = _file_names(matched.graded)
    links = {matched.graded[one].submission: f"learners/{name}.html" for one, name in names.items()}
    write_text(folder / "index.html", class_page(matched, "Grades", _known_shapes(), links, notes, places))
    for one, name in names.items():
        graded = matched.graded[one]
        file = places.get(graded.submission, graded.submission)
        write_text(folder / "learners" / f"{name}.html", learner_page(graded, file))


def _file_names(graded: Sequence[SubmissionGrades]) -> dict[int, str]:
    """A name for a file of each, of letters, digits and what else is harmless in every system; no two alike."""
    taken: set[str] = set()
    names: dict[int, str] = {}
    for number, one in enumerate(graded):
        plain = "".join(letter if letter.isalnum() or letter in "-_. " else "-" for letter in one.submission)[:80]
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
