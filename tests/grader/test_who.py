"""`grade --who`: whose each file is, what was left aside, and what must be settled before anything is graded."""

import os
import re

import pytest

from tests.grader.submissions.making import LAYER_NORM, notebook, write, zipped
from utils.__main__ import main

LN, ATTENTION = "ch03_layernorm", "ch04_attention"
ROSTER = "person,id,login,submission\nAda Lovelace,901,ada,\nGrace Hopper,902,grace,\nEmmy Noether,2,emmy,\n"


@pytest.fixture
def class_(tmp_path):
    """A folder, and beside it a roster."""
    (tmp_path / "roster.csv").write_text(ROSTER, encoding="utf-8")
    (tmp_path / "class").mkdir()
    return tmp_path / "class"


@pytest.fixture
def who(class_, capsys):
    """What `grade --who` says of the class."""

    def said(*options):
        assert main(["grade", str(class_), "--who", *map(str, options)]) == 0
        return capsys.readouterr().out

    return said


@pytest.fixture
def roster(class_):
    return "--roster", class_.parent / "roster.csv"


def test_each_file_is_somebodys_or_left_aside(class_, who, roster):
    write(class_ / f"{LN}_ada.ipynb")
    write(class_ / "grace" / "answer.ipynb")
    write(class_ / "zed_2.zip", zipped({f"{LN}.ipynb": notebook(LAYER_NORM)}))
    write(class_ / "notes.pdf", "")
    left = ["notes.pdf is left aside: it is no notebook, no folder and no zip."]
    assert cells(who()) == [
        ["submission", "handed in as", "chapters"],
        ["ada", "its name beside the chapter's", f"{LN} ({LN}_ada.ipynb)"],
        ["grace", "a folder", f"{LN} (answer.ipynb)"],
        ["zed_2", "a zip", LN],
        left,
    ]
    assert cells(who(*roster)) == [
        ["submission", "whose", "told by", "handed in as", "chapters"],
        ["ada", "Ada Lovelace", "its name", "its name beside the chapter's", f"{LN} ({LN}_ada.ipynb)"],
        ["grace", "Grace Hopper", "its name", "a folder", f"{LN} (answer.ipynb)"],
        ["zed_2", "nobody in the roster (perhaps Emmy Noether)", "a zip", LN],
        left,
        ["Emmy Noether has handed in nothing."],
    ]


def test_what_is_left_aside_is_named_with_whose_it_is(class_, who, roster):
    write(class_ / f"{LN}_ada.ipynb")
    write(class_ / f"{LN}_grace.py", "x = 1")
    write(class_ / f"{LN}.py", "x = 1")
    write(class_ / f"{LN}_zed.ipynb.pdf", "")
    write(class_ / "emmy" / "notes.ipynb", notebook("x = 1"))
    of_none = "notes.ipynb belongs to no chapter: its name has none, and it defines no exercise."
    why = "is left aside: it is no notebook, no folder and no zip."
    lines = who(*roster).splitlines()
    assert [one for one in lines if "left aside" in one or "no chapter" in one] == [
        f"{LN}.py {why}",
        f"{LN}_grace.py {why} By its name it is of grace (Grace Hopper).",
        f"{LN}_zed.ipynb.pdf {why} By its name it is of zed.",
        f"emmy (Emmy Noether): {of_none}",
    ]
    assert f"emmy: {of_none}" in who() and f"{why} By its name it is of grace.\n" in who()
    for number in range(12):
        write(class_ / f"{number}.pdf", "")
    assert who().count(why) == 10 and "And 6 more are left aside.\n" in who()


def test_two_people_of_one_name_are_told_apart(class_, who, roster):
    (class_.parent / "roster.csv").write_text("person,id\nAda Lovelace,901\nAda Lovelace,902\n", encoding="utf-8")
    write(class_ / "ada lovelace" / f"{LN}.ipynb")
    write(class_ / "zed" / f"{LN}.ipynb")
    said = who(*roster)
    assert "nobody in the roster (perhaps Ada Lovelace (901) or Ada Lovelace (902))" in said
    assert "Ada Lovelace (902) has handed in nothing." in said


def cells(said):
    return [re.split(" {2,}", line) for line in said.splitlines()]


def test_of_two_versions_it_is_said_which_counts(class_, who):
    for day, name in enumerate((f"{LN}.ipynb", f"{LN} (1).ipynb")):
        os.utime(write(class_ / "ada" / name, notebook(f"{LAYER_NORM}# {day}")), (day * 1e6, day * 1e6))
    write(class_ / "grace" / f"{LN}.ipynb")
    assert f"ada: {LN} (1).ipynb (1970-01-12 " in who() and f"counts for {LN}, not {LN}.ipynb (1970-01-01 " in who()


AMBIGUOUS = {
    "of two people": (
        [f"a/{LN}.ipynb", f"b/{LN}.ipynb"],
        "person,submission\nAda,?\nGrace,a*\nEmmy,*\n",
        "a may be of Ada, Grace, Emmy: say which in the roster.",
    ),
    "twice": (
        [f"a1/{LN}.ipynb", f"a2/{LN}.ipynb"],
        "person,submission\nAda,a*\n",
        f"Ada has {LN} in 2 submissions: a1, a2. The newest counts",
    ),
    "a section": (
        [f"b/ada/{LN}.ipynb", f"b/eve/{LN}.ipynb", f"c/{LN}.ipynb"],
        "person\nAda\n",
        "b has folders with notebooks of one chapter (ada, eve).",
    ),
}


@pytest.mark.parametrize("kind", AMBIGUOUS)
def test_what_is_ambiguous_stops_the_run_with_the_choice(kind, class_, who, roster, capsys, monkeypatch):
    files, text, said = AMBIGUOUS[kind]
    for name in files:
        write(class_ / name)
    (class_.parent / "roster.csv").write_text(text, encoding="utf-8")
    assert said in who(*roster)
    monkeypatch.chdir(class_.parent)
    assert main(["grade", "class", "--roster", "roster.csv"]) == 1
    told = capsys.readouterr()
    assert said in told.err and told.err.endswith(
        "Nothing is graded yet. Settle this, or let it be as it is said here: --yes.\n"
    )
    assert not (class_.parent / "gradebook.sqlite").exists()


def test_what_is_obvious_is_not_said_and_the_rest_in_short(class_, roster, capsys, monkeypatch):
    """Before anything is graded: here that stops at a gradebook that is none."""
    write(class_ / "ada" / f"{LN}.ipynb")
    monkeypatch.chdir(class_.parent)
    (class_.parent / "none.sqlite").write_text("no database, but long enough to be looked at as one. " * 50)
    command = ["grade", "class", "--gradebook", "none.sqlite", *map(str, roster)]
    assert main(command) == 1 and capsys.readouterr().out == ""
    write(class_ / "zed" / f"{LN}.ipynb")
    write(class_ / "bob.rar", "")
    assert main(command) == 1
    assert cells(capsys.readouterr().out.strip())[1:] == [
        ["bob.rar", "nobody in the roster", "a file", "none"],
        ["zed", "nobody in the roster", "a folder", LN],
    ]


def test_two_chapters_in_two_submissions_of_one_person_are_no_question(class_, who, roster):
    write(class_ / "ada" / f"{LN}.ipynb")
    write(class_ / "ada_2" / f"{ATTENTION}.ipynb", notebook("x = 1"))
    assert "newest counts" not in who(*roster) and who(*roster).count("Ada Lovelace") == 2
