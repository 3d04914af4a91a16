"""utils.grading.reports.roster: submissions get their people, nobody is dropped, and late ones are marked."""

from datetime import UTC, datetime

import pytest

from utils.course import CourseError
from utils.grading.grades import Person, SubmissionGrades
from utils.grading.reports.roster import mark_late, match, read_roster

ROSTER = """\
submission,person,id,email
lovelace*,Ada Lovelace,2301,ada@example.org
,Bob O'Neil,77,bob@example.org
,Grace Hopper,,grace@example.org
,Emmy Noether,4,emmy@example.org
,Alan Turing,5,alan@example.org
"""
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,LayerNorm (88123)
    Points Possible,,,,,2
"O'Neil, Bob",77,S7,bob,A,
"Student, Test",99,,,A,
"""
MOODLE = "First name,Last name,ID number,Email address\nEmmy,Noether,4,emmy@example.org\n"


def roster(text: str, folder):
    path = folder / "roster.csv"
    path.write_text(text, encoding="utf-8-sig")
    return read_roster(path)


def test_platforms_own_exports_will_do(tmp_path):
    (bob,) = roster(CANVAS, tmp_path)
    assert bob.person == Person("O'Neil, Bob", "77", "S7", "bob", "", "A")
    (emmy,) = roster(MOODLE, tmp_path)
    assert emmy.person == Person("Emmy Noether", "4", email="emmy@example.org")
    with pytest.raises(CourseError, match="no column names people"):
        roster("a,b\n1,2\n", tmp_path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_spreadsheets_roster_will_do(encoding, separator, tmp_path):
    path = tmp_path / "roster.csv"
    path.write_bytes(f'person{separator}id\r\n"Müller, Žofie"{separator}7\r\n'.encode(encoding))
    assert [one.person for one in read_roster(path)] == [Person("Müller, Žofie", "7")]


def test_a_roster_that_is_not_there_is_said(tmp_path):
    with pytest.raises(CourseError, match=r"--roster .*none\.csv can't be read: No such file"):
        read_roster(tmp_path / "none.csv")


def test_submissions_get_their_people_and_nobody_is_dropped(tmp_path):
    names = {"LovelaceAda_1": "Ada Lovelace", "oneilbob_77": "Bob O'Neil", "Emmy Noether_4711": "Emmy Noether"}
    graded = [SubmissionGrades(name) for name in [*names, "somebody"]]
    graded.append(SubmissionGrades("submission_9", people=("grace@example.org",)))
    found = match(graded, roster(ROSTER, tmp_path))
    assert [one.person and one.person.name for one in found.graded] == [*names.values(), None, "Grace Hopper"]
    assert found.unknown == ["somebody"]
    assert [person.name for person in found.absent] == ["Alan Turing"]
    assert found.notes == []


def test_two_of_one_person_and_one_of_two_are_said(tmp_path):
    entries = roster("submission,person\na*,Ada\n*b,Bob\n", tmp_path)
    found = match([SubmissionGrades(name) for name in ("a1", "a2", "ab")], entries)
    assert found.notes == ["ab may be of Ada, Bob: say which in the roster.", "Ada has 2 submissions: a1, a2."]
    assert found.unknown == ["ab"] and [person.name for person in found.absent] == ["Bob"]


def test_a_name_counts_before_a_pattern(tmp_path):
    entries = roster("submission,person\nc*,Ada\nCase,Bob\n", tmp_path)
    found = match([SubmissionGrades("case"), SubmissionGrades("cat")], entries)
    assert [one.person.name for one in found.graded] == ["Bob", "Ada"] and found.notes == []


def test_without_a_roster_nobody_is_unknown():
    found = match([SubmissionGrades("a")], [])
    assert (found.unknown, found.absent) == ([], [])


def test_late_ones_are_marked_and_unknown_times_are_said():
    deadline = datetime(2026, 1, 1, tzinfo=UTC)
    at = deadline.timestamp()
    times = [SubmissionGrades("a", submitted=at), SubmissionGrades("b", submitted=at + 1), SubmissionGrades("c")]
    marked = mark_late([*times, SubmissionGrades("d", late=True)], deadline)
    assert [one.late for one in marked] == [False, True, False, True]
    assert marked[2].problems == ("When it was handed in is not known, so it is not marked as late.",)
    assert mark_late(times, None) == times
