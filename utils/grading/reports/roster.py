"""Whose submission is whose: a roster maps them, and nobody is dropped; and which of them are late.

A roster is a CSV whose first line names its columns; Canvas's and Moodle's own exports will do. `submission` is a name,
or a pattern such as `lovelace*`. Without it, people are found by what a platform puts into names and lists.
"""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path

from utils.course import CourseError
from utils.grading.grades import Person, SubmissionGrades

ALIASES = {
    "submission": {"submission", "file", "pattern"},
    "name": {"person", "name", "student", "full name", "student name"},
    "id": {"id", "id number", "student id", "sid"},
    "sis_id": {"sis user id", "sis_id"},
    "login": {"sis login id", "login", "username", "user name"},
    "email": {"email", "email address", "e-mail", "mail"},
    "section": {"section", "group", "groups"},
}
FIRST, LAST = {"first name", "firstname"}, {"last name", "surname", "lastname"}
SEPARATORS = ",;\t"  # a semicolon where numbers have a decimal comma
NO_PEOPLE = {"points possible", "student, test", "test student"}  # in Canvas's exports


@dataclass(frozen=True)
class Entry:
    """A line of the roster."""

    person: Person
    submission: str = ""  # a name, or a pattern of names


@dataclass(frozen=True)
class Matched:
    """A class with its people."""

    graded: list[SubmissionGrades]
    absent: list[Person]  # without a submission
    unknown: list[str]  # submissions of nobody in the roster
    notes: list[str]  # such as two submissions of one person


def read_roster(path: Path) -> list[Entry]:
    """Raises CourseError where there is no column with people."""
    text = _text(path)
    separator = max(SEPARATORS, key=text.partition("\n")[0].count)
    rows = [_tidied(row) for row in csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)]
    entries = list(filter(_is_somebody, map(_entry, rows)))
    if rows and not entries:
        raise CourseError(f"{path}: no column names people; call one `person`, and others `submission`, `id`, `email`.")
    return entries


def _text(path: Path) -> str:
    """Of a file in UTF-8, or as Excel writes it on Windows. Raises CourseError where there is none."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CourseError(f"--roster {path} can't be read: {error.strerror}.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _tidied(row: dict[str, str | None]) -> dict[str, str]:
    """With names of columns in lower case; what stands beyond the last column has none."""
    row.pop(None, None)  # pyright: ignore[reportArgumentType, reportCallIssue]
    return {name.strip().lower(): (value or "").strip() for name, value in row.items()}


def _is_somebody(entry: Entry) -> bool:
    name = entry.person.name.lower()
    return bool(name) and name not in NO_PEOPLE


def _entry(row: dict[str, str]) -> Entry:
    values = {name: _value(row, aliases) for name, aliases in ALIASES.items()}
    submission = values.pop("submission")
    first_and_last = f"{_value(row, FIRST)} {_value(row, LAST)}".strip()
    values["name"] = values["name"] or first_and_last or values["email"]
    return Entry(Person(**values), submission)


def _value(row: dict[str, str], names: set[str]) -> str:
    values = map(row.get, sorted(names))
    return next(filter(None, values), "")


def match(graded: Sequence[SubmissionGrades], roster: Sequence[Entry]) -> Matched:
    """Give each submission its person.

    Its own name in the roster counts before a pattern, that before what a platform says, that before a likely name.
    """
    matched: list[SubmissionGrades] = []
    notes: list[str] = []
    submissions: defaultdict[Person, list[str]] = defaultdict(list)
    for one in graded:
        people = _people_of(one, roster)
        if len(people) > 1:
            names = ", ".join(person.name for person in people)
            notes.append(f"{one.submission} may be of {names}: say which in the roster.")
        person = people[0] if len(people) == 1 else None
        matched.append(replace(one, person=person))
        if person:
            submissions[person].append(one.submission)
    for person, names in submissions.items():
        if len(names) > 1:
            notes.append(f"{person.name} has {len(names)} submissions: {', '.join(names)}.")
    absent = [one.person for one in roster if one.person not in submissions]
    of_nobody = [one.submission for one in matched if not one.person]
    return Matched(
        matched,
        absent,
        of_nobody if roster else [],
        notes,
    )


def _people_of(one: SubmissionGrades, roster: Sequence[Entry]) -> list[Person]:
    """By the first way in which there is anybody."""
    ways: list[Callable[[Entry], bool]] = [
        lambda entry: one.submission.lower() == entry.submission.lower(),
        lambda entry: bool(entry.submission) and fnmatchcase(one.submission.lower(), entry.submission.lower()),
        lambda entry: bool({entry.person.email, entry.person.name} & set(one.people) - {""}),
        lambda entry: bool(entry.person.id) and one.submission.endswith(f"_{entry.person.id}"),
        lambda entry: _plain(one.submission) in _likely_names(entry.person),
    ]
    for is_theirs in ways:
        found = list(dict.fromkeys(entry.person for entry in roster if is_theirs(entry)))
        if found:
            return found
    return []


def _likely_names(person: Person) -> set[str]:
    written = {person.name, person.login, person.id, person.email, person.email.partition("@")[0]}
    return {_plain(name) for name in written} - {""}


def _plain(name: str) -> str:
    """Letters and digits; of Moodle's `Ada Lovelace_4711` without its number."""
    without_number = re.sub(r"_\d+$", "", name)
    return re.sub(r"[\W_]", "", without_number).lower()


def mark_late(graded: Iterable[SubmissionGrades], deadline: datetime | None) -> list[SubmissionGrades]:
    """Those after the deadline are late, as are those that a platform has marked; of an unknown time it is said."""
    if deadline is None:
        return list(graded)
    last = deadline.timestamp()
    return [_late(one, last) for one in graded]


def _late(one: SubmissionGrades, last: float) -> SubmissionGrades:
    if one.submitted is None:
        said = "When it was handed in is not known, so it is not marked as late."
        return one if one.late else replace(one, problems=(*one.problems, said))
    return replace(one, late=one.late or one.submitted > last)
