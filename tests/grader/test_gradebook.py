"""grader.gradebook: each submission whole or not at all, nothing thrown away, one writer."""

import contextlib
import errno
import os
import re
import sqlite3
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlite_utils import Database, Migrations

from grader import gradebook
from grader.gradebook import add_columns, first_tables, migrations, open_gradebook, when_of_each_chapter
from grader.grades import Grade, SubmissionGrades, column
from utils.course import CourseError

BOOKS = sorted((Path(__file__).parent / "gradebooks").glob("*.sql"))  # one of each earlier form, as text
with contextlib.closing(Database(memory=True)) as empty:
    BEHIND_THE_FIRST = [migration.name for migration in migrations.pending(empty)][1:]
SOFTMAX = "ch04_attention", "softmax"
ROW = Grade(
    "", *SOFTMAX, "fail", 0.0, 1.0, check="sums to 1", seconds=0.5, notes=("defined twice",), submitted=7.5, late=True
)


def graded(name, *rows):
    return SubmissionGrades(name, rows, seconds=0.5, protection="box", problems=("odd",))


def test_what_is_saved_is_there_when_it_is_opened_again(tmp_path):
    path = tmp_path / "new" / "grades.sqlite"
    ada = graded("ada", ROW)
    with open_gradebook(path) as book:
        book.save(ada, {"ch04_attention": "first"})
    with open_gradebook(path) as book:
        (found,) = book.submissions()
        assert book.stems() == {"ch04_attention"} and book.submissions(["ch03_layernorm"]) == []
        assert book.bases() == {("ada", "ch04_attention"): {"first"}}
    assert (
        found.submission == "ada"
        and found.grades[0].submission == "ada"
        and found.grades[0].notes == ("defined twice",)
    )
    assert (found.submitted, found.late, found.seconds) == (7.5, True, 0.5)
    assert (found.protection, found.problems) == ("box", ["odd"])
    with contextlib.closing(sqlite3.connect(path)) as book:
        assert book.execute("pragma journal_mode").fetchone() == ("wal",)


def test_new_grades_replace_those_of_their_chapter_alone_and_the_old_ones_stay(tmp_path):
    other = Grade("", "ch03_layernorm", "LayerNorm", "pass", 1.0, 1.0)
    better = Grade("", "ch04_attention", "softmax", "pass", 1.0, 1.0)
    with open_gradebook(tmp_path / "g.sqlite") as book:
        book.save(graded("ada", ROW, other), {"ch04_attention": "1", "ch03_layernorm": "1"})
        book.save(graded("ada", better), {"ch04_attention": "2"})
        (found,) = book.submissions()
        assert [(one.symbol, one.status) for one in found.grades] == [("LayerNorm", "pass"), ("softmax", "pass")]
        (old,) = book.book.table("earlier_grade").rows
        assert (old["status"], old["basis"]) == ("fail", "1") and old["replaced"]


def test_when_a_chapter_was_handed_in_is_not_changed_by_the_next(tmp_path):
    on_time = Grade("", "ch05_mlp", "MLP", "pass", 1.0, 1.0, submitted=9.5)
    with open_gradebook(tmp_path / "g.sqlite") as book:
        book.save(graded("ada", ROW), {"ch04_attention": "1"})
        book.save(graded("ada", on_time), {"ch05_mlp": "1"})
        (found,) = book.submissions()
    assert {one.stem: (one.submitted, one.late) for one in found.grades} == {
        "ch04_attention": (7.5, True),
        "ch05_mlp": (9.5, False),
    }


def test_a_deadline_belongs_to_its_chapters_and_can_be_moved(tmp_path):
    first, second = (datetime(2026, 12, day, tzinfo=UTC) for day in (1, 8))
    with open_gradebook(tmp_path / "g.sqlite") as book:
        book.set_deadline(["ch04_attention", "ch05_mlp"], first)
        book.set_deadline(["ch05_mlp"], second)
        assert book.deadlines() == {"ch04_attention": first, "ch05_mlp": second}


def test_what_could_not_be_graded_rests_on_nothing_so_that_it_is_graded_again(tmp_path):
    with open_gradebook(tmp_path / "g.sqlite") as book:
        book.save(graded("ada", Grade("", *SOFTMAX, "not_graded", 0.0, 1.0)), {"ch04_attention": "1"})
        assert book.bases() == {("ada", "ch04_attention"): {""}}
        book.save(graded("ada", ROW), {"ch04_attention": "1"})
        assert book.bases() == {("ada", "ch04_attention"): {"1"}}


def test_half_a_character_in_what_is_said_costs_nobody_the_grades(tmp_path):
    said = dict.fromkeys(("check", "misconception", "said", "card"), "`x\ud800` is one too many")
    row = Grade("", "ch04_attention", "softmax", "fail", 0.0, 1.0, **said)
    with open_gradebook(tmp_path / "g.sqlite") as book:
        book.save(graded("ada", row), {"ch04_attention": "1"})
        (found,) = book.submissions()[0].grades
    assert found.said == found.card == r"`x\ud800` is one too many"


def test_a_submission_is_saved_whole_or_not_at_all(tmp_path):
    twice = graded("ada", ROW, ROW)  # two rows with one key
    with open_gradebook(tmp_path / "g.sqlite") as book:
        book.save(graded("ada", ROW), {"ch04_attention": "1"})
        with pytest.raises(sqlite3.IntegrityError):
            book.save(twice, {"ch04_attention": "2"})
        assert book.bases() == {("ada", "ch04_attention"): {"1"}}
        assert [len(one.grades) for one in book.submissions()] == [1]
        assert not list(book.book.table("earlier_grade").rows)


def test_the_seed_is_drawn_once_unless_it_is_given_or_wanted_anew(tmp_path):
    path = tmp_path / "g.sqlite"

    def seed(**wanted):
        with open_gradebook(path, **wanted) as book:
            return book.seed

    first = seed()
    assert seed() == first
    assert seed(seed=5) == 5 and seed() == 5
    assert seed(anew=True) != 5


def test_a_second_grader_and_another_kind_of_file_are_refused(tmp_path):
    path = tmp_path / "g.sqlite"
    with open_gradebook(path), pytest.raises(CourseError, match="Another grader is writing"):
        with open_gradebook(path):
            pass
    text = tmp_path / "text.sqlite"
    text.write_text("no database, but long enough to be looked at as one. " * 50)
    with pytest.raises(CourseError, match="is no gradebook"), open_gradebook(text):
        pass
    with pytest.raises(CourseError, match="is a folder"), open_gradebook(tmp_path):
        pass
    other = tmp_path / "other.sqlite"
    with contextlib.closing(sqlite3.connect(other)) as database:
        database.execute("create table photos (name)")
        database.commit()
    before = other.read_bytes()
    with pytest.raises(CourseError, match=r"is another program's database, and no gradebook \(photos\)"):
        with open_gradebook(other):
            pass
    assert other.read_bytes() == before


UNWRITABLE = {
    "a folder": (lambda path: path.mkdir(), "g.sqlite is a folder, and no gradebook. Name a file"),
    "below a file": (lambda path: path.parent.write_text(""), "new, which is a file and no folder. Name a file in a "),
    "a folder for its lock": (lambda path: Path(f"{path}.lock").mkdir(), "g.sqlite.lock is a folder, where the grade"),
    "a dead link": (lambda path: path.symlink_to("none/x"), "g.sqlite is a link that leads to no file. Remove it"),
    "a link to itself": (lambda path: path.symlink_to(path.name), "g.sqlite is a link that leads to no file. Remove"),
}


@pytest.mark.parametrize("kind", UNWRITABLE)
@pytest.mark.skipif(os.name == "nt", reason="has links for administrators alone")
def test_where_nothing_can_be_written_the_cause_is_said(tmp_path, kind):
    make, said = UNWRITABLE[kind]
    path = tmp_path / "new" / "g.sqlite"
    if kind != "below a file":
        path.parent.mkdir()
    make(path)
    with pytest.raises(CourseError, match=re.escape(said)), open_gradebook(path):
        pass


REFUSED = {
    errno.EACCES: "You may not write to {}. Change that, or name a --gradebook where you may.",
    errno.EROFS: "{} lies where nothing can be written. Name a --gradebook in another place.",
    errno.ENOSPC: "There is no room for {}{}g.sqlite. Make room, or name a --gradebook in another place.",
    errno.EIO: "{}{}g.sqlite can't be written (Input/output error). Name a --gradebook in another place.",
}


@pytest.mark.parametrize("number", REFUSED)
def test_what_the_system_refuses_is_said_in_words(tmp_path, monkeypatch, number):
    opening = os.open

    def refused(path, *how, **more):
        if str(path).endswith(".lock"):
            raise OSError(number, os.strerror(number), str(path))
        return opening(path, *how, **more)

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(CourseError) as told, open_gradebook(tmp_path / "g.sqlite"):
        pass
    assert str(told.value) == REFUSED[number].format(tmp_path, os.sep)


def test_a_name_that_is_too_long_and_folders_that_are_missing(tmp_path):
    with pytest.raises(CourseError, match=r"is too long\. Name a shorter"), open_gradebook(tmp_path / ("x" * 300)):
        pass
    with open_gradebook(tmp_path / "missing" / "too" / "g.sqlite") as book:
        assert book.submissions() == []


def test_pages_of_zeros_in_a_book_are_seen_before_anything_is_graded(tmp_path):
    path = tmp_path / "g.sqlite"
    rows = [Grade("", "ch04_attention", f"f{number}", "fail", 0.0, 1.0, said="x" * 900) for number in range(60)]
    with open_gradebook(path) as book:
        book.save(graded("ada", *rows), {"ch04_attention": "1"})
    whole = path.read_bytes()
    page = 4096
    refused = 0
    for start in range(page, len(whole), page):
        path.write_bytes(whole[:start] + bytes(page) + whole[start + page :])
        try:
            with open_gradebook(path) as book:
                (found,) = book.submissions()
                assert len(found.grades) == len(rows), "what is read is whole, or nothing is"
        except CourseError as error:
            assert "a damaged one" in str(error) and ".recover" in str(error)
            refused += 1
    assert refused > 10


def test_a_full_disk_is_said_and_what_was_saved_stays(tmp_path):
    path = tmp_path / "g.sqlite"
    with open_gradebook(path) as book:
        book.save(graded("ada", ROW), {"ch04_attention": "1"})
    large = Grade("", *SOFTMAX, "fail", 0.0, 1.0, said="x" * 10_000_000)
    with pytest.raises(CourseError, match=r"can't be written.*full.*is kept"), open_gradebook(path) as book:
        book.book.execute("pragma max_page_count = 40")  # as where there is no room for more
        book.save(graded("ben", large), {"ch04_attention": "1"})
    with open_gradebook(path) as book:
        assert [one.submission for one in book.submissions()] == ["ada"]


@pytest.mark.parametrize("text", BOOKS, ids=lambda path: path.stem)
def test_a_book_of_each_earlier_form_is_read_and_written(text, tmp_path):
    path = tmp_path / "g.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as book:
        book.executescript(text.read_text(encoding="utf-8"))
    with open_gradebook(path) as book:
        (found,) = book.submissions()
        answer, missing = found.grades
        assert (book.seed, found.submission, answer.check) == (7, "ada", "sums to 1")
        assert [(one.submitted, one.late) for one in found.grades] == [(7.5, True), (None, False)], missing
        book.save(graded("ada", ROW), {"ch04_attention": "2"})
        (old,) = book.book.table("earlier_grade").rows
        assert (old["submitted"], old["late"]) == (7.5, 1)


@dataclass(frozen=True)
class Wider(Grade):
    """With columns that a later release might add, of each kind."""

    hints: int = field(default=0, metadata=column(int))
    how: str = field(default="alone", metadata=column(str))
    why: str | None = field(default=None, metadata=column(str))
    share: float = field(default=0.5, metadata=column(float))
    again: bool = field(default=True, metadata=column(bool))


def made_by_the_release_before(path, name):
    """A book with one grade, made by the migrations up to this one."""
    with contextlib.closing(Database(path)) as book:
        migrations.apply(book, stop_before=name)
        made = book.table("grade").columns_dict
        row = {**vars(Grade("ada", *SOFTMAX, "fail", 0.0, 1.0)), "notes": "[]"}
        book.table("grade").insert({name: value for name, value in row.items() if name in made})
        book.table("submission").insert({"name": "ada", "protection": "", "problems": "[]", "people": "[]"})


@pytest.mark.parametrize("name", BEHIND_THE_FIRST)
def test_a_book_that_lacks_any_migration_gets_it(name, tmp_path):
    made_by_the_release_before(tmp_path / "g.sqlite", name)
    with open_gradebook(tmp_path / "g.sqlite") as book:
        (found,) = book.submissions()
        assert found.grades[0] == Grade("ada", *SOFTMAX, "fail", 0.0, 1.0)
        book.save(graded("ada", ROW), {"ch04_attention": "2"})
        assert book.submissions()[0].grades == [replace(ROW, submission="ada")]


def test_a_new_column_needs_a_field_alone(tmp_path, monkeypatch):
    """A book of today gets it, and a fresh one has it; of a grade without it the default is read."""
    wide = Wider("", *SOFTMAX, "fail", 0.0, 1.0, hints=3, how="half \ud800", share=0.25, again=False)
    paths = [tmp_path / "today.sqlite", tmp_path / "fresh.sqlite"]
    with open_gradebook(paths[0]) as book:
        book.save(graded("ada", ROW), {"ch04_attention": "1"})
    later = Migrations("gradebook")
    later()(first_tables)
    later()(when_of_each_chapter)
    add_columns(later, Wider)
    monkeypatch.setattr(gradebook, "Grade", Wider)
    monkeypatch.setattr(gradebook, "migrations", later)
    with open_gradebook(paths[0]) as book:
        (found,) = book.submissions()[0].grades
        assert found == Wider(**vars(ROW) | {"submission": "ada"})
    for path in paths:
        with open_gradebook(path) as book:
            book.save(graded("ada", wide), {"ch04_attention": "2"})
            (found,) = book.submissions()[0].grades
            assert found == replace(wide, submission="ada") and found.how == r"half \ud800" and found.again is False
            book.save(graded("ada", wide), {"ch04_attention": "3"})
            assert list(book.book.table("earlier_grade").rows)[-1]["hints"] == 3


def test_todays_form_has_a_column_for_all_that_a_grade_says(tmp_path):
    """A field beside those of the first tables is a `column`."""
    with open_gradebook(tmp_path / "g.sqlite") as book:
        columns = [one.name for one in book.book.table("grade").columns]
        assert sorted(columns) == sorted([*(one.name for one in fields(Grade)), "basis"])
        assert {one.name for one in book.book.table("earlier_grade").columns} == {*columns, "replaced"}
