"""The gradebook: an SQLite file that takes each submission's grades as they are made, in one transaction.

Tables: `batch` (its seed), `submission` (what was read of it), `grade` (a row for each exercise), `earlier_grade`
(those that a later run replaced), `deadline` (of each chapter that has one). sqlite-utils brings tables up to date and
guards transactions, filelock keeps a second grader from the same file.
"""

import contextlib
import errno
import json
import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import DatabaseError, IntegrityError, OperationalError
from typing import Any

import filelock
from sqlite_utils import Database, Migrations

from grader.grades import Grade, SubmissionGrades
from grader.lending import seed_for
from grader.submissions.entries import shown
from utils.course import CourseError

migrations = Migrations("gradebook")
NO_GRADEBOOK = (
    "{path} is no gradebook, or a damaged one ({why}). Name another file with --gradebook; "
    "`sqlite3 {path} .recover` prints what can still be read of it."
)


# A migration stays as it is: what changes is one more, which brings the books of earlier releases along
@migrations()
def first_tables(book: Database) -> None:
    """The tables of the first release."""
    book.table("batch").create({"id": int, "seed": int, "created": str}, pk="id")
    submission = {
        "name": str,
        "submitted": float,
        "graded": str,
        "seconds": float,
        "protection": str,
        "problems": str,
        "late": int,
        "people": str,
    }
    book.table("submission").create(submission, pk="name")
    grade = {
        "submission": str,
        "stem": str,
        "symbol": str,
        "status": str,
        "points": float,
        "max_points": float,
        "check": str,
        "misconception": str,
        "seed": int,
        "seconds": float,
        "said": str,
        "card": str,
        "notes": str,
        "with_own_parts": str,
        "shape": str,
        "protection": str,
        "passed": int,
        "checks": int,
        "basis": str,
    }
    book.table("grade").create(grade, pk=("submission", "stem", "symbol"))
    book.table("earlier_grade").create({**grade, "replaced": str})


@migrations()
def when_of_each_chapter(book: Database) -> None:
    """When a chapter was handed in belongs to its grades: the next week's download says nothing of the last's."""
    for name in ("grade", "earlier_grade"):
        table = book.table(name)
        table.add_column("submitted", float)
        table.add_column("late", int)
        book.execute(
            f"update {name} set submitted = one.submitted, late = one.late from submission as one "
            f"where one.name = {name}.submission and {name}.status != 'missing'"
        )
    book.table("submission").transform(drop={"submitted", "late"})
    book.table("deadline").create({"stem": str, "moment": float}, pk="stem")


def add_columns(known: Migrations, kind: type[Grade]) -> None:
    """A migration for each field that is a `column` (grades.py)."""
    for field in fields(kind):
        if "kind" in field.metadata:
            known(name=f"grade_has_{field.name}")(_adding(field.name, field.metadata["kind"]))


def _adding(name: str, kind: type):
    def add(book: Database) -> None:
        for table in ("grade", "earlier_grade"):
            book.table(table).add_column(name, kind)

    return add


add_columns(migrations, Grade)


@dataclass(frozen=True)
class Gradebook:
    """An open gradebook."""

    book: Database
    seed: int

    def bases(self) -> dict[tuple[str, str], set[str]]:
        """What each chapter of each submission was graded from, as `basis_of` has it, of all its exercises.

        What could not be graded rests on nothing, so that the next run tries again.
        """
        found: dict[tuple[str, str], set[str]] = {}
        for row in self.book.query("select distinct submission, stem, basis from grade"):
            found.setdefault((row["submission"], row["stem"]), set()).add(row["basis"])
        return found

    def save(self, graded: SubmissionGrades, bases: dict[str, str]) -> None:
        """Take a submission's grades, all or none; `bases` says of each chapter what they were made from."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        rows: list[dict[str, Any]] = []
        for grade in graded.grades:
            basis = "" if grade.status == "not_graded" else bases[grade.stem]
            row = asdict(grade) | {"notes": json.dumps(grade.notes)}
            rows.append({**row, "submission": graded.submission, "basis": basis})
        with self.book.atomic():
            for stem in bases:  # keep the grades that new ones are about to replace
                these = "submission = ? and stem = ?", [graded.submission, stem]
                old = list(self.book.table("grade").rows_where(*these))
                self.book.table("earlier_grade").insert_all(row | {"replaced": now} for row in old)
                self.book.table("grade").delete_where(*these)
            self.book.table("submission").upsert(_summary(graded, now), pk="name")
            self.book.table("grade").insert_all(rows)

    def set_deadline(self, stems: Iterable[str], moment: datetime) -> None:
        """From now on what comes later of these chapters is late."""
        rows = ({"stem": stem, "moment": moment.timestamp()} for stem in stems)
        self.book.table("deadline").upsert_all(rows, pk="stem")

    def deadlines(self) -> dict[str, datetime]:
        """By chapter, in this machine's time zone."""
        rows = self.book.table("deadline").rows_where(order_by="stem")
        return {row["stem"]: datetime.fromtimestamp(row["moment"]).astimezone() for row in rows}

    def protections(self) -> list[str]:
        """What kept the code of its submissions from the rest, each once."""
        found = self.book.query("select distinct protection from grade where protection != '' order by 1")
        return [row["protection"] for row in found]

    def stems(self) -> set[str]:
        """The chapters of which it has grades."""
        return {row["stem"] for row in self.book.query("select distinct stem from grade")}

    def submissions(self, stems: Collection[str] | None = None) -> list[SubmissionGrades]:
        """All that have grades in these chapters or in any, by name; the grades of each in the order of the course."""
        grades: dict[str, list[Grade]] = {}
        for row in self.book.table("grade").rows_where(order_by="submission, stem, rowid"):
            if stems is None or row["stem"] in stems:
                grades.setdefault(row["submission"], []).append(_from_row(row))
        return [
            SubmissionGrades(
                submission=row["name"],
                grades=grades[row["name"]],
                seconds=sum(grade.seconds for grade in grades[row["name"]]),  # chapters may be graded on different days
                protection=row["protection"],
                problems=json.loads(row["problems"]),
                people=json.loads(row["people"]),
            )
            for row in self.book.table("submission").rows_where(order_by="name")
            if row["name"] in grades
        ]


@contextlib.contextmanager
def open_gradebook(path: Path, seed: int | None = None, anew: bool = False) -> Iterator[Gradebook]:
    """The gradebook in this file, made where there is none. Its seed is drawn once, or `anew`, unless one is given.

    Raises CourseError where another grader has it open, or the file is something else.
    """
    if os.path.isdir(path):
        raise CourseError(f"{path} is a folder, and no gradebook. Name a file with --gradebook.")
    lock = filelock.FileLock(f"{path}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _see_that_it_can_be_written(path)
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise CourseError(f"Another grader is writing {path}: wait for it, or name another --gradebook.") from None
    except OSError as error:
        raise CourseError(_why_not_written(path, error)) from None
    with contextlib.ExitStack() as closing:
        closing.callback(lock.release)
        try:
            book = Database(path)
            closing.callback(book.close)
            _see_that_it_is_whole(book)
            if (tables := set(book.table_names())) and not tables & {"grade", "_sqlite_migrations"}:
                raise CourseError(
                    f"{path} is another program's database, and no gradebook ({', '.join(sorted(tables)[:3])}). "
                    "Name another file with --gradebook."
                )
            book.enable_wal()
            migrations.apply(book)
            yield Gradebook(book, _seed(book, seed, anew))
        except OperationalError as error:
            said = f"{path} can't be written ({error}). What it had until now is kept. "
            raise CourseError(f"{said}Make room, or name another --gradebook, and give the command again.") from None
        except IntegrityError:  # of ours, and not the file's
            raise
        except DatabaseError as error:
            raise CourseError(NO_GRADEBOOK.format(path=path, why=error)) from None


def _see_that_it_can_be_written(path: Path) -> None:
    """Raises OSError: filelock takes some of what keeps its file from being made for another's lock."""
    for file in (Path(f"{path}.lock"), path):
        if file != path or os.path.lexists(path):  # a gradebook that is refused later is not made here
            os.close(os.open(file, os.O_RDWR | (os.O_CREAT if file != path else 0), 0o644))


def _why_not_written(path: Path, error: OSError) -> str:
    """The cause of an error of the file, and what to do."""
    at = Path(error.filename or path)
    there = next(place for place in (at, *at.absolute().parents) if os.path.lexists(place))
    file = next((parent for parent in path.parents if os.path.isfile(parent)), None)
    if file:
        return f"{path} would lie in {file}, which is a file and no folder. Name a file in a folder with --gradebook."
    if os.path.isdir(at):
        return f"{at} is a folder, where the gradebook has a file. Remove it, or name another --gradebook."
    if os.path.islink(path) and error.errno in (errno.ENOENT, errno.ELOOP):
        return f"{path} is a link that leads to no file. Remove it, or name another --gradebook."
    match error.errno:
        case errno.EACCES | errno.EPERM:
            return f"You may not write to {there}. Change that, or name a --gradebook where you may."
        case errno.EROFS:
            return f"{there} lies where nothing can be written. Name a --gradebook in another place."
        case errno.ENAMETOOLONG:
            return f"The name of {shown(path)} is too long. Name a shorter --gradebook."
        case errno.ENOSPC | errno.EDQUOT:
            return f"There is no room for {path}. Make room, or name a --gradebook in another place."
    return f"{path} can't be written ({error.strerror}). Name a --gradebook in another place."


def _see_that_it_is_whole(book: Database) -> None:
    """Raises DatabaseError where pages of the file are not what SQLite has written."""
    (found, *_) = [row["quick_check"] for row in book.query("pragma quick_check(1)")]
    if found != "ok":
        raise DatabaseError(found.splitlines()[-1])


def _seed(book: Database, wanted: int | None, anew: bool) -> int:
    """The seed of the last batch, or that of a new one."""
    last = next(iter(book.query("select seed from batch order by id desc limit 1")), None)
    if last and not anew and wanted in (None, last["seed"]):
        return last["seed"]
    seed = seed_for(wanted)
    book.table("batch").insert({"seed": seed, "created": datetime.now(UTC).isoformat(timespec="seconds")})
    return seed


def _summary(graded: SubmissionGrades, now: str) -> dict[str, Any]:
    return {
        "name": graded.submission,
        "graded": now,
        "seconds": graded.seconds,
        "protection": graded.protection,
        "problems": json.dumps(graded.problems),
        "people": json.dumps(graded.people),
    }


def _from_row(row: dict[str, Any]) -> Grade:
    known: dict[str, Any] = {}
    for field in fields(Grade):
        value = row[field.name]
        if "kind" in field.metadata:  # a column that the book may have got after the grade
            value = field.default if value is None else field.metadata["kind"](value)
        known[field.name] = value
    known["notes"] = tuple(json.loads(row["notes"]))
    known["late"] = bool(row["late"])
    return Grade(**known)
