"""An instructor's term: three weeks, two platforms, a roster that changes, groups and late work, in one gradebook."""

import csv
import io
import os
import zipfile
from pathlib import Path

import nbformat
import pytest

from tests.grader.answers import chapter, replaced, write_submission
from tests.grader.ready import SEED, ready
from utils.course import exercises

LN, EMBED, MLP = "ch03_layernorm", "ch02_embeddings", "ch05_mlp"
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section
"    Points Possible",,,,
"Lovelace, Ada",901,s901,ada,Lecture
"Hopper, Grace",902,s902,grace,Lecture
"Hopper, Grace",902,s902,grace,Lab 3
"Noether, Emmy",903,s903,emmy,Lecture
"""
WITH_GROUPS = CANVAS.replace("Section\n", "Section,submission\n").replace("Noether, Emmy", "Álvarez, José") + (
    '"Lovelace, Ada",901,s901,ada,Lab 1,team 1\n"Hopper, Grace",902,s902,grace,Lab 1,team 1\n'
)


@pytest.fixture(scope="module")
def run():
    with ready(LN, SEED) as run:
        yield run


@pytest.fixture
def term(run, tmp_path):
    """Grades what was handed in by a roster; returns what was said, and the table for Canvas by people."""

    def grade(handed_in, roster, *options, status=0):
        (tmp_path / "roster.csv").write_text(roster, encoding="utf-8")
        book, canvas = tmp_path / "grades.sqlite", tmp_path / "canvas.csv"
        files = ("--roster", tmp_path / "roster.csv", "--gradebook", book, "--canvas", canvas)
        done = run("grade", handed_in, *files, "--seed", SEED, "--no-sandbox", *options)
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr, table(canvas.read_text(encoding="utf-8"))

    return grade


def table(text):
    header, _, *rows = csv.reader(io.StringIO(text))
    return {row[0]: dict(zip(header[5:], row[5:], strict=True)) for row in rows}


def notebook(cells):
    return nbformat.writes(nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, cells)]))


def download(path: Path, files, day):
    """A platform's zip, whose files were handed in on a day of November."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as made:
        for name, cells in files.items():
            made.writestr(zipfile.ZipInfo(name, (2026, 11, day, 12, 0, 0)), notebook(cells))
    return path


RIGHT = chapter(LN)
WRONG = replaced(LN, **{one.symbol: f"def {one.symbol}(*given): return 0" for one in exercises(LN)})
ALL = str(len(exercises(LN)))  # the points of one who has them all


@pytest.mark.slow
def test_a_term(term, tmp_path):
    one = download(
        tmp_path / "week 1.zip",
        {f"lovelaceada_901_1_{LN}.ipynb": RIGHT, f"hoppergrace_LATE_902_2_{LN}-1.ipynb": WRONG},
        day=2,
    )
    said, grades = term(one, CANVAS)
    assert grades == {"Lovelace, Ada": {LN: ALL}, "Hopper, Grace": {LN: "0"}}
    assert "Noether, Emmy: no submission." in said and "1 late" in said

    # The next chapter takes nothing away from those who have handed in the last
    two = download(tmp_path / "week 2.zip", {f"noetheremmy_903_3_{EMBED}.ipynb": chapter(EMBED)}, day=9)
    said, grades = term(two, CANVAS, "--deadline", "2026-11-01T12:00+00:00")
    assert "2 late" in said, "Grace's by Canvas, Emmy's by the deadline, and Ada's chapter has none"
    assert {name: grade[LN] for name, grade in grades.items()} == {
        "Lovelace, Ada": ALL,
        "Hopper, Grace": "0",
        "Noether, Emmy": "",
    }
    assert grades["Noether, Emmy"][EMBED] not in ("", "0")

    # On another platform somebody hands in once more, and two hand in together; José has Emmy's ID, so her grades
    folder = tmp_path / "week 3"
    download(folder / "NLP-Week 3-1234.zip", {f"Grace Hopper_4711_assignsubmission_file/{LN}.ipynb": RIGHT}, day=16)
    (folder / "notes.pdf").write_text("")
    said, _ = term(folder, WITH_GROUPS)
    assert "notes.pdf is left aside" in said
    by_mail = tmp_path / "by mail"
    write_submission(by_mail / "team 1" / f"{MLP} (1).ipynb", chapter(MLP))
    _, grades = term(by_mail, WITH_GROUPS)
    ada, grace, jose = (grades[name] for name in ("Lovelace, Ada", "Hopper, Grace", "Álvarez, José"))
    assert len(grades) == 3 and (ada[LN], grace[LN], jose[LN]) == (ALL, ALL, "")
    assert ada[MLP] == grace[MLP] not in ("", "0") and (jose[MLP], jose[EMBED] in ("", "0")) == ("", False)

    # Two submissions of one person with one chapter are a question, and nothing is graded before it is answered
    write_submission(by_mail / "Grace Hopper" / f"{LN}.ipynb", WRONG)
    write_submission(by_mail / "gh" / f"{LN}.ipynb", RIGHT)
    twice = WITH_GROUPS + '"Hopper, Grace",902,s902,grace,,gh\n"Hopper, Grace",902,s902,grace,,Grace Hopper\n'
    said, unchanged = term(by_mail, twice, status=1)
    assert f"Hopper, Grace has {LN} in 2 submissions: Grace Hopper, gh." in said and unchanged == grades
    os.utime(by_mail / "gh" / f"{LN}.ipynb", (1.0, 1.0))
    _, now = term(by_mail, twice, "--yes")
    assert now["Hopper, Grace"][LN] == "0", "the newest counts"
