"""utils.grading.reports: what other programs read of the grades."""

import csv
import io
import json
import xml.etree.ElementTree as ET

from tests.grading.reports.made_up import HOSTILE, grade, made_up_class
from utils.grading.grades import Person, SubmissionGrades, points_for
from utils.grading.reports.gradescope import results_json
from utils.grading.reports.junit import junit_xml
from utils.grading.reports.tables import canvas_csv, grades_csv, moodle_csv
from utils.grading.reports.text import summary

LN, ATTENTION = "ch03_layernorm", "ch04_attention"
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
    header, *found = rows(grades_csv(graded()))
    assert ",".join(header) == "submission,stem,symbol,status,points,max_points,check,misconception,seed,seconds,person"
    assert found == [
        ["one", LN, "LayerNorm", "pass", "2", "2", "", "", "123", "0", ADA.name],
        ["one", ATTENTION, "softmax", "fail", "0", "2", AGREES, "'-x", "123", "0", ADA.name],
        ["'=two()", LN, "LayerNorm", "limit", "0", "2", "it takes longer than 5 seconds", "", "123", "0", ""],
    ]


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
    ours = SubmissionGrades("team", [grade("team", LN, "LayerNorm", "pass")], (ADA, BOB), submitted=1.0)
    again = [grade("ada", LN, "LayerNorm", "fail"), grade("ada", ATTENTION, "softmax", "pass")]
    later = SubmissionGrades("ada", again, (ADA,), submitted=2.0)
    last = [grade("last", LN, "LayerNorm", "missing"), grade("last", ATTENTION, "softmax", "missing")]
    latest = SubmissionGrades("last", last, (ADA,), submitted=3.0)
    found = {row[0]: row[5:] for row in rows(canvas_csv([ours, latest, later]))[2:]}
    assert found == {ADA.name: ["0", "2"], BOB.name: ["2", ""]}
    assert [(row[0], row[-1]) for row in rows(grades_csv([ours]))[1:]] == [("team", ADA.name), ("team", BOB.name)]


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
    assert many[0].split() == ["pass", "fail", "not_yet", "missing", "error", "limit"]
    assert [line.split()[0] for line in many[1:4]] == ["softmax", "apply_causal_mask", "Attention"]
    assert summary([]) == "No submission was found."
