"""grader.roster: a class's people, however a platform or a spreadsheet has written them down."""

import pytest

from grader.grades import Person
from grader.roster import Entry, read_roster
from utils.course import CourseError

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,LayerNorm (88123)
    Points Possible,,,,,2
"O'Neil, Bob",77,S7,bob,A,
"Student, Test",99,,,A,
"""
MOODLE = "First name,Last name,ID number,Email address\nEmmy,Noether,4,emmy@example.org\n"
CLASSROOM = "identifier,github_username,github_id,name\nEmmy Noether,emmy-n,12,\n"
ADA, GRACE = Person("Ada Lovelace", "901"), Person("Grace Hopper", "902")
HEADER, LINES = "person,id", "Ada Lovelace,901\nGrace Hopper,902\n"


def roster(text, folder, encoding="utf-8"):
    path = folder / "roster.csv"
    path.write_bytes(text.encode(encoding))
    return read_roster(path)


def people(*arguments):
    return [one.person for one in roster(*arguments)]


@pytest.mark.parametrize(
    ("text", "person"),
    [
        (CANVAS, Person("O'Neil, Bob", "77", "S7", "bob", "", "A")),
        (MOODLE, Person("Emmy Noether", "4", email="emmy@example.org")),
        (CLASSROOM, Person("Emmy Noether", login="emmy-n")),
    ],
)
def test_platforms_own_exports_will_do(text, person, tmp_path):
    assert people(text, tmp_path) == [person]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_spreadsheets_roster_will_do(encoding, separator, tmp_path):
    text = f'person{separator}id\r\n"Müller, Žofie"{separator}7\r\n'
    assert people(text, tmp_path, encoding) == [Person("Müller, Žofie", "7")]


@pytest.mark.parametrize(
    "before", ["\n", "sep=,\n", '"sep=,"\n', "Course: NLP 2026,,,\n", "Course; what follows is of 2026,\n\n,,\n"]
)
def test_what_stands_before_the_names_of_the_columns_is_left(before, tmp_path):
    assert people(f"{before}{HEADER}\n{LINES}", tmp_path) == [ADA, GRACE]


@pytest.mark.parametrize(
    "text",
    [
        "Name\nname,id,email\nAda Lovelace,901,ada@x\n",
        "Course,Name,Term\nTeacher,Dr X,\n\nperson,id,email\nAda Lovelace,901,ada@x\n",
        "Name, Week 3;;\nperson;id;email\nAda Lovelace;901;ada@x\n",
        "person,id,email\nAda Lovelace,901,ada@x\nPerson,ID,Email\n",
    ],
)
def test_a_cell_of_a_title_is_no_column_of_people(text, tmp_path):
    assert people(text, tmp_path) == [Person("Ada Lovelace", "901", email="ada@x")]


def test_a_person_may_be_called_like_a_column(tmp_path):
    assert [one.name for one in people("person,id\nMail,1\nAda Lovelace,2\n", tmp_path)] == ["Mail", "Ada Lovelace"]
    assert [one.name for one in people("person\nAda Lovelace\nName\n", tmp_path)] == ["Ada Lovelace", "Name"]


def test_excels_own_line_names_the_separator(tmp_path):
    text = f"sep=;\n{HEADER}\n{LINES}".replace(",", ";").replace("Ada Lovelace", "Lovelace, A., B., C.")
    assert people(text, tmp_path)[0] == Person("Lovelace, A., B., C.", "901")


def test_without_a_column_of_people_the_first_line_is_quoted(tmp_path):
    with pytest.raises(
        CourseError, match=r"no column names people\. The first line .*, and is: a,b\. Call one `person`"
    ):
        roster("a,b\n1,2\n", tmp_path)
    with pytest.raises(CourseError, match=r"no column names people, for the file is empty\.$"):
        roster("\n", tmp_path)
    with pytest.raises(CourseError, match=r"is no CSV that can be read: field larger than field limit"):
        roster(f"person\n{'a' * 200_000}\n", tmp_path)
    assert roster(HEADER, tmp_path) == []


def test_what_is_no_csv_is_said(tmp_path):
    with pytest.raises(CourseError, match=r"--roster .*none\.csv can't be read: No such file"):
        read_roster(tmp_path / "none.csv")
    for name, begins in (("roster.xlsx", b"PK\x03\x04"), ("roster.xls", b"\xd0\xcf\x11\xe0")):
        (tmp_path / name).write_bytes(begins + b"rest")
        with pytest.raises(CourseError, match=rf"{name} is a workbook: save it as CSV\."):
            read_roster(tmp_path / name)


def test_accents_have_one_form(tmp_path):
    assert people("person\nJose\u0301\n", tmp_path) == [Person("José")]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Ada,901,ada,Lecture", "Ada,901,ada,Lab 3"], [("Ada", "901", "Lecture, Lab 3")]),
        (["Ada,901,,Lecture", '"Lovelace, Ada",901,,Lecture'], [("Ada", "901", "Lecture")]),
        (["Ada,901,,A", "Ada,902,,A"], [("Ada", "901", "A"), ("Ada", "902", "A")]),
        (["Ada,,ada@x,A", "Ada,,,B"], [("Ada", "", "A, B")]),
        (["Ada B,a1,,A", "Ada  B,A1,,B"], [("Ada B", "a1", "A, B")]),
        (['"B, Ada",,ada@x,A', "Ada B,,Ada@X,B"], [("B, Ada", "", "A, B")]),
        (["Ada B,,team@x,A", "Emmy B,,team@x,A"], [("Ada B", "", "A"), ("Emmy B", "", "A")]),
        (["Ada B,,,A", "B Ada,,,A"], [("Ada B", "", "A"), ("B Ada", "", "A")]),
        (["Ada,,ada@x,A", "Ada,,other@x,B"], [("Ada", "", "A"), ("Ada", "", "B")]),
        (["Ada,901,,A", "Ada,902,,A", "Ada,,,B"], [("Ada", "901", "A"), ("Ada", "902", "A"), ("Ada", "", "B")]),
    ],
)
def test_who_stands_in_several_lines_is_one_person(lines, expected, tmp_path):
    text = "\n".join(["person,id,email,section", *lines])
    assert [(one.name, one.id, one.section) for one in people(text, tmp_path)] == expected


def test_who_has_two_ids_may_be_two_people(tmp_path):
    """Of one login: that is to be settled, and nobody's ID is lost."""
    found = people("person,id,login\nAda,901,ada\nAda,911,ada\n", tmp_path)
    assert [one.id for one in found] == ["901", "911"]


def test_all_names_of_ones_submissions_are_kept(tmp_path):
    text = "person,id,submission\nAda,901,ada\nAda,901,team1\nAda,901,ada\n"
    assert roster(text, tmp_path) == [Entry(Person("Ada", "901"), ("ada", "team1"))]
