"""The people of a class, as a CSV has them, whose first line names its columns; a platform's own export will do.

`submission` is the name of a submission, or a pattern such as `lovelace*`. Who stands in several lines is one person.
"""

import codecs
import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path

from grader.grades import Person
from grader.submissions.entries import shown
from utils.course import CourseError

ALIASES = {
    "submission": {"submission", "file", "pattern"},
    "name": {"person", "name", "student", "full name", "student name", "identifier"},
    "id": {"id", "id number", "student id", "sid"},
    "sis_id": {"sis user id", "sis_id"},
    "login": {"sis login id", "login", "username", "user name", "github_username"},
    "email": {"email", "email address", "e-mail", "mail"},
    "section": {"section", "group", "groups"},
}
FIRST, LAST = {"first name", "firstname"}, {"last name", "surname", "lastname"}
NAMES_PEOPLE = {*ALIASES["name"], *ALIASES["email"], *FIRST, *LAST}
COLUMNS = NAMES_PEOPLE.union(*ALIASES.values())
SEPARATORS = ",;\t|"  # a semicolon where numbers have a decimal comma
MOST_BEFORE_THE_HEADER = 20  # lines: a title, or nothing
NO_PEOPLE = {"points possible", "student, test", "test student"}  # in Canvas's exports
ENCODINGS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # a zip, as .xlsx and .ods are; .xls
TELL_APART = ("id", "sis_id", "login")  # no two people have the same


@dataclass(frozen=True)
class Entry:
    """A person of the roster."""

    person: Person
    submissions: tuple[str, ...] = ()  # names of their submissions, or patterns of names


def read_roster(path: Path) -> list[Entry]:
    """Raises CourseError for what is no CSV, and where there is no column with people."""
    text = _text(path)
    try:
        rows = _rows(text)
    except csv.Error as error:  # such as a cell of 131,073 characters
        raise CourseError(f"{path} is no CSV that can be read: {error}.") from None
    if rows is None:
        first = next((line for line in text.splitlines() if line.strip()), "")
        if not first:
            raise CourseError(f"{path}: no column names people, for the file is empty.")
        raise CourseError(
            f"{path}: no column names people. The first line is taken for the columns' names, and is: {shown(first)}. "
            "Call one `person`, and others `submission`, `id`, `email`."
        )
    return _each_once(
        entry for entry in map(_entry, rows) if entry.person.name and entry.person.name.lower() not in NO_PEOPLE
    )


def _text(path: Path) -> str:
    """The rows of a CSV as Excel and others write it. Raises CourseError where there is none."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CourseError(f"--roster {path} can't be read: {error.strerror}.") from None
    if data.startswith(WORKBOOKS):
        raise CourseError(f"--roster {path} is a workbook: save it as CSV.")
    unmarked = json.detect_encoding(data)  # by where zeros are: no CSV in UTF-8 has any
    encoding = next((name for mark, name in ENCODINGS.items() if data.startswith(mark)), unmarked)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    return unicodedata.normalize("NFC", text)


def _rows(text: str) -> list[dict[str, str]] | None:
    """By the columns' names in lower case; None where no line names a column of people."""
    first, _, rest = text.partition("\n")
    excels = re.fullmatch(r'"?sep=(.)"?', first.strip(" \r"))  # a line of Excel's own
    separators, text = (excels[1], rest) if excels else (SEPARATORS, text)
    tables = [table for table in (_table(text, separator) for separator in separators) if table]
    if not tables:
        return None
    header, *lines = max(tables, key=lambda table: (_known(table[0]), len(table[0])))
    # It stands there again where two exports are put together
    return [dict(zip(header, line, strict=False)) for line in lines if any(line) and [*map(str.lower, line)] != header]


def _table(text: str, separator: str) -> list[list[str]]:
    """The lines from that on which names a column of people, that in lower case; nothing where none does.

    Of several it is that which names most columns: a title may have a cell `Name`, and so may a person.
    """
    lines = [list(map(str.strip, line)) for line in csv.reader(io.StringIO(text, newline=""), delimiter=separator)]
    headers = [list(map(str.lower, line)) for line in lines[:MOST_BEFORE_THE_HEADER]]
    naming = [number for number, header in enumerate(headers) if NAMES_PEOPLE & set(header)]
    if not naming:
        return []
    number = max(naming, key=lambda number: _known(headers[number]))
    return [headers[number], *lines[number + 1 :]]


def _known(header: Iterable[str]) -> int:
    """How many of the columns that are read it names."""
    return len(COLUMNS & set(header))


def _entry(row: dict[str, str]) -> Entry:
    values = {name: _value(row, aliases) for name, aliases in ALIASES.items()}
    submission = values.pop("submission")
    first_and_last = f"{_value(row, FIRST)} {_value(row, LAST)}".strip()
    values["name"] = values["name"] or first_and_last or values["email"]
    return Entry(Person(**values), (submission,) if submission else ())


def _value(row: dict[str, str], names: set[str]) -> str:
    values = map(row.get, sorted(names))
    return next(filter(None, values), "")


def _each_once(entries: Iterable[Entry]) -> list[Entry]:
    """Each person once, with all that their lines say: who is in two sections has two."""
    found: list[Entry] = []
    for entry in entries:
        same = [number for number, other in enumerate(found) if _are_one(entry.person, other.person)]
        if len(same) == 1:
            found[same[0]] = _together(found[same[0]], entry)
        else:
            found.append(entry)
    return found


def _are_one(one: Person, other: Person) -> bool:
    """By what tells people apart; where neither has that, by all that they have. Case and spaces tell nobody apart."""
    compared = [(getattr(one, key).casefold(), getattr(other, key).casefold()) for key in TELL_APART]
    known = [mine == theirs for mine, theirs in compared if mine and theirs]
    if known:
        return all(known)
    emails = one.email.casefold(), other.email.casefold()
    return _words(one.name) == _words(other.name) and (len(set(emails)) == 1 or not all(emails))


def _words(name: str) -> list[str]:
    """Of `Lovelace, Ada` as of `Ada Lovelace`."""
    last, _, first = name.casefold().partition(",")
    return [*first.split(), *last.split()]


def _together(one: Entry, other: Entry) -> Entry:
    values = {
        column.name: getattr(one.person, column.name) or getattr(other.person, column.name) for column in fields(Person)
    }
    sections = dict.fromkeys(filter(None, (one.person.section, other.person.section)))
    person = replace(Person(**values), section=", ".join(sections))
    return Entry(person, tuple(dict.fromkeys((*one.submissions, *other.submissions))))
