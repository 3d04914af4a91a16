"""grader.reports: what other programs read of the grades."""

import csv
import errno
import io
import json
import os
import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field, replace
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

from grader.grades import Grade, Person, SubmissionGrades, column, points_for
from grader.reports import tables, writing
from grader.reports.tables import canvas_csv, grades_csv, junit_xml, moodle_csv, results_json
from grader.reports.text import summary
from grader.reports.writing import Wanted, report
from tests.grader.reports.made_up import HOSTILE, grade, made_up_class
from utils.course import CourseError
from utils.course.files import PARTIAL

LN, ATTENTION = "ch03_layernorm", "ch04_attention"
HTML = pytest.param("html", marks=pytest.mark.slow)
AGREES = "the output agrees with the reference's"
ADA = Person("Lovelace, Ada", "2301", "S1", "ada", "ada@example.org", "A")
BOB = Person("O'Neil, Bob", "77", "", "bob", "bob@example.org", "A")


def graded() -> list[SubmissionGrades]:
    one = [grade("one", LN, "LayerNorm", "pass"), grade("one", ATTENTION, "softmax", "fail", misconception="-x")]
    two = [grade("=two()", LN, "LayerNorm", "limit", check="it takes longer than 5 seconds")]
    return [SubmissionGrades("one", one, (ADA,), seconds=0.25), SubmissionGrades("=two()", two)]


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_the_csv_has_a_row_for_each_exercise_and_no_formula():
    header, *found = [row[:11] for row in rows(grades_csv(graded()))]  # later ones follow
    assert ",".join(header) == "submission,stem,symbol,status,points,max_points,check,misconception,seed,seconds,person"
    assert found == [
        ["one", LN, "LayerNorm", "pass", "2", "2", "", "", "123", "0", ADA.name],
        ["one", ATTENTION, "softmax", "fail", "0", "2", AGREES, "'-x", "123", "0", ADA.name],
        ["'=two()", LN, "LayerNorm", "limit", "0", "2", "it takes longer than 5 seconds", "", "123", "0", ""],
    ]


def test_a_new_column_of_grades_follows_those_that_were_there(monkeypatch):
    @dataclass(frozen=True)
    class Wider(Grade):
        hints: int = field(default=0, metadata=column(int, in_csv=True))
        unseen: int = field(default=0, metadata=column(int))

    before = rows(grades_csv(graded()))
    monkeypatch.setattr(tables, "Grade", Wider)
    wider = [replace(one, grades=[Wider(**vars(grade), hints=3) for grade in one.grades]) for one in graded()]
    assert rows(grades_csv(wider)) == [[*row, last] for row, last in zip(before, ["hints", *"333"], strict=True)]


def test_hostile_text_stays_in_its_cell():
    text = '=1+1\n@x,"y"\t'
    one = SubmissionGrades(text, [grade(text, LN, "LayerNorm", "error")])
    assert rows(grades_csv([one]))[1][0] == f"'{text}"
    assert rows(canvas_csv([one]))[2][0] == f"'{text}"


def test_canvas_gets_its_columns_and_the_points_possible():
    assert rows(canvas_csv(graded())) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", LN, ATTENTION],
        ["    Points Possible", "", "", "", "", "2", "2"],
        ["Lovelace, Ada", "2301", "S1", "ada", "A", "2", "0"],
        ["'=two()", "", "", "", "", "0", ""],
    ]


def test_moodle_gets_people_by_id_and_email_with_feedback():
    bobs = SubmissionGrades("bob", [grade("bob", LN, "LayerNorm", "pass")], (BOB,))
    header, *found = rows(moodle_csv([*graded(), bobs]))
    feedback = LN, f"{LN} feedback", ATTENTION, f"{ATTENTION} feedback"
    assert header == ["Full name", "ID number", "Email address", *feedback]
    assert found[0] == ["Lovelace, Ada", "2301", "ada@example.org", "2", "LayerNorm: pass", "0", "softmax: fail"]
    assert found[1] == ["O'Neil, Bob", "77", "bob@example.org", "2", "LayerNorm: pass", "-", ""]
    assert len(found) == 2  # =two() is nobody: Moodle would give this row's grades to Ada


def test_moodle_gets_nobody_whom_it_can_not_tell():
    people = [Person("A", "1", email="a@x"), Person("B", "2"), Person("C", email="c@x"), Person("D", "4")]
    class_ = [SubmissionGrades(one.name, [grade(one.name, LN, "LayerNorm", "pass")], (one,)) for one in people]
    found = [row[:2] for row in rows(moodle_csv(class_))]
    assert found == [["Full name", "ID number"], ["A", "1"], ["B", "2"], ["D", "4"]]


def test_each_of_a_group_has_a_row_and_each_chapter_of_one_person_counts_once():
    """Of two submissions with a chapter the newer; what is missing in it takes nothing away."""
    ours = SubmissionGrades("team", [grade("team", LN, "LayerNorm", "pass", submitted=1.0)], (ADA, BOB))
    again = [
        grade("ada", LN, "LayerNorm", "fail", submitted=2.0),
        grade("ada", ATTENTION, "softmax", "pass", submitted=0.5),
    ]
    later = SubmissionGrades("ada", again, (ADA,))
    last = [grade("last", LN, "LayerNorm", "missing"), grade("last", ATTENTION, "softmax", "missing")]
    latest = SubmissionGrades("last", last, (ADA,))
    found = {row[0]: row[5:] for row in rows(canvas_csv([later, latest, ours]))[2:]}
    assert found == {ADA.name: ["0", "2"], BOB.name: ["2", ""]}
    assert [(row[0], row[10]) for row in rows(grades_csv([ours]))[1:]] == [("team", ADA.name), ("team", BOB.name)]


def test_what_is_not_graded_has_no_points_in_any_table(tmp_path):
    answers = [grade("ada", LN, "LayerNorm", "pass"), grade("ada", ATTENTION, "softmax", "not_graded")]
    half = [SubmissionGrades("ada", answers, (ADA,)), SubmissionGrades("bob", answers[:1], (BOB,))]
    assert [row[3:5] for row in rows(grades_csv(half))[1:]] == [["pass", "2"], ["not_graded", ""], ["pass", "2"]]
    assert [row[0] for row in rows(canvas_csv(half))[2:]] == [BOB.name], "an empty cell would take a grade away"
    assert rows(moodle_csv(half))[1][3:] == ["2", "LayerNorm: pass", "-", "softmax: not_graded"]
    assert ET.fromstring(junit_xml(half))[0][1][0].attrib["type"] == "not_graded"
    results = tmp_path / "ada" / "results.json"
    results.parent.mkdir()
    results.write_text("of the last run")
    said = report(half, Wanted(gradescope=tmp_path, canvas=tmp_path / "canvas.csv"))
    assert not results.exists() and (tmp_path / "bob" / "results.json").exists()
    assert "canvas.csv has no row for 1 of the people" in said and "1 not_graded" in said


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
@pytest.mark.parametrize("table", ["csv", "junit", "canvas", "moodle", HTML, "gradescope"])
def test_where_there_is_no_room_a_table_stays_as_it_was(table, tmp_path, monkeypatch):
    place = tmp_path / "out"
    file = {"html": place / "index.html", "gradescope": place / "one" / "results.json"}.get(table, place)
    report(graded(), Wanted(**{table: place}))
    before = file.read_bytes()
    with open("/dev/full", "wb") as full:  # all that is written to it fails when it is flushed
        monkeypatch.setattr(writing.os, "fsync", lambda number: os.write(full.fileno(), b"x"))
        with pytest.raises(CourseError, match=r"can't be written .No space left.*is as it was before"):
            report(graded()[:1], Wanted(**{table: place}))
    assert file.read_bytes() == before
    assert not [path for path in tmp_path.rglob("*") if PARTIAL in path.name]


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
@pytest.mark.parametrize("table", ["csv", HTML, "gradescope"])
def test_where_there_is_no_room_no_new_folder_is_left(table, tmp_path, monkeypatch):
    (tmp_path / "old").mkdir()
    with open("/dev/full", "wb") as full:
        monkeypatch.setattr(writing.os, "fsync", lambda number: os.write(full.fileno(), b"x"))
        for place in (tmp_path / "new" / "within", tmp_path / "old" / "new"):
            with pytest.raises(CourseError, match=r"can't be written"):
                report(graded(), Wanted(**{table: place}))
    assert [*tmp_path.rglob("*")] == [tmp_path / "old"]


@pytest.mark.parametrize(
    ("number", "helps"),
    [
        (errno.ENOSPC, "make room"),
        (errno.EACCES, "close it where it is open, or name another place"),
        (errno.ENOTDIR, "name another place"),
    ],
)
def test_what_helps_where_a_table_can_not_be_written_is_said(number, helps, tmp_path, monkeypatch):
    def refused(opened):
        raise OSError(number, "refused")

    monkeypatch.setattr(writing.os, "fsync", refused)
    with pytest.raises(CourseError, match=f": {helps}, and give the command again[.]$"):
        report(graded(), Wanted(csv=tmp_path / "grades.csv"))


def test_an_index_links_only_to_pages_that_are_there(tmp_path, monkeypatch):
    wanted = Wanted(html=tmp_path / "report")
    written: list[Path] = []

    def first_alone(path, text):
        if written:
            raise CourseError("no room")
        written.append(path)
        write(path, text)

    write = writing._write
    monkeypatch.setattr(writing, "_write", first_alone)
    with pytest.raises(CourseError, match="no room"):
        report(graded(), wanted)
    assert written[0].is_file() and not (tmp_path / "report" / "index.html").exists()
    monkeypatch.setattr(writing, "_write", write)
    report(graded(), wanted)
    links = re.findall(r'href="(learners/[^"]+)"', (tmp_path / "report" / "index.html").read_text(encoding="utf-8"))
    assert links and all((tmp_path / "report" / unquote(unescape(link))).is_file() for link in links)


def test_junit_counts_failures_and_errors_whatever_the_text():
    root = ET.fromstring(junit_xml([*graded(), *made_up_class(1)]))
    assert [suite.attrib["name"] for suite in root][:2] == ["one", "=two()"]
    assert {name: root[0].attrib[name] for name in ("tests", "failures", "errors", "time")} == {
        "tests": "2",
        "failures": "1",
        "errors": "0",
        "time": "0.250",
    }
    case = root[0][1]
    assert (case.attrib["classname"], case.attrib["name"], case[0].tag) == (ATTENTION, "softmax", "failure")
    assert case[0].text.startswith("✘ softmax")
    assert root[1][0][0].tag == "error" and root[1][0][0].attrib["message"] == "it takes longer than 5 seconds"
    assert root[2].attrib["name"] == HOSTILE.replace("\x1b", "�").replace("\x00", "�")


def test_gradescope_gets_points_and_text_alone():
    found = json.loads(json.dumps(results_json(graded()[0])))
    assert (found["score"], found["execution_time"], found["test_output_format"]) == (2.0, 0.25, "text")
    test = found["tests"][1]
    assert (test["name"], test["score"], test["max_score"]) == (f"{ATTENTION} softmax", 0.0, 2.0)
    assert test["status"] == "failed" and test["tags"] == ["fail"]
    assert test["output"].splitlines()[-1] == "python -m utils grade FILE --exercise softmax --seed 123"


def test_points_by_check():
    assert points_for("pass", 3) == 3 and points_for("fail", 3, 2, 4) == 0
    assert points_for("fail", 3, 2, 4, by_check=True) == 1.5
    assert points_for("fail", 3, 0, 0, by_check=True) == points_for("limit", 3, 2, 4, by_check=True) == 0


def test_the_summary_of_few_and_of_many():
    assert summary(graded()) == (
        "Lovelace, Ada  2 of 4  ✔ LayerNorm ✘ softmax\n"
        "=two()         0 of 2  ⊘ LayerNorm\n"
        "\n"
        "2 submissions: 1 pass, 1 fail, 1 limit.\n"
        "The most common misconceptions:\n"
        "    1 × softmax: -x"
    )
    many = summary(made_up_class(30, stems="ch04")).splitlines()
    assert many[0].split() == ["pass", "fail", "not_yet", "missing", "error", "limit", "not_graded"]
    assert [line.split()[0] for line in many[1:4]] == ["softmax", "apply_causal_mask", "Attention"]
    assert summary([]) == "No submission was found."
