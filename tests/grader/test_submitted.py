"""grader: what is no notebook is refused in a sentence; what is given is told from what is a learner's."""

import json
import re
import time
from functools import partial

import pytest

from grader import given
from grader.fork import copy_notebooks
from grader.given import Place, Restored, as_json, places
from grader.submissions import answers
from grader.submitted import LARGEST, CodeCell, UnreadableNotebook, code_cells
from utils.course import ROOT, stems
from utils.course.cells import cells_of, unanswered

CELL = {"cell_type": "code", "source": ["x = 1\n", "y = 2"], "id": "a", "metadata": {}}


def notebook(cells=(CELL,)):
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"  \n", "is empty"), (b"{", "is no notebook: it is not JSON ("), (b"{}", "is no notebook: it has no cells")],
)
def test_what_is_no_notebook_is_refused(tmp_path, content, said):
    """All that can be wrong with it: tests/grader/submissions/test_reading.py."""
    path = tmp_path / "ch03_layernorm.ipynb"
    path.write_bytes(content)
    with pytest.raises(UnreadableNotebook, match=f"/ch03_layernorm.ipynb {re.escape(said)}") as refused:
        code_cells(path)
    assert "take back the published one" in str(refused.value)


def test_what_is_no_file_is_refused(tmp_path):
    folder, link, gone, large = (tmp_path / f"{name}.ipynb" for name in ("folder", "link", "gone", "large"))
    folder.mkdir()
    (tmp_path / "there.ipynb").write_bytes(notebook())
    link.symlink_to(tmp_path / "there.ipynb")
    with large.open("wb") as file:
        file.truncate(LARGEST + 1)
    for path, said in (
        (folder, "is a folder, not a notebook"),
        (link, "symbolic link"),
        (gone, "is missing"),
        (large, "larger than"),
    ):
        with pytest.raises(UnreadableNotebook, match=said):
            code_cells(path)


def test_a_notebook_in_a_linked_folder_of_chapters_is_refused(tmp_path):
    """The link may lead to the course's solutions. What another folder is called is nobody's business."""
    there, chapters, mine = (tmp_path / name for name in ("there", "chapters", "mine"))
    there.mkdir()
    (there / "ch03_layernorm.ipynb").write_bytes(notebook())
    chapters.symlink_to(there)
    mine.symlink_to(there)
    with pytest.raises(UnreadableNotebook, match="symbolic link"):
        code_cells(chapters / "ch03_layernorm.ipynb")
    assert code_cells(mine / "ch03_layernorm.ipynb")
    copy_notebooks(tmp_path, tmp_path / "copied")
    copy_notebooks(chapters, tmp_path / "copied too")
    assert all((tmp_path / name / "ch03_layernorm.ipynb").is_symlink() for name in ("copied", "copied too"))


def test_a_folder_with_a_notebooks_name_is_said(tmp_path):
    """It was left out of the copy, so that the chapter was missing, without a word of the folder."""
    fork, copied = tmp_path / "fork", tmp_path / "copied"
    folder = fork / "chapters" / "ch03_layernorm.ipynb"
    folder.mkdir(parents=True)
    (folder / folder.name).write_bytes(notebook())
    with pytest.raises(UnreadableNotebook, match=r"a folder, not a notebook: the notebook lies in it"):
        code_cells(folder)
    copy_notebooks(fork, copied)
    with pytest.raises(UnreadableNotebook, match="a folder, not a notebook"):
        code_cells(copied / folder.name)


def test_odd_notebooks_are_read(tmp_path):
    path = tmp_path / "odd.ipynb"
    odd = [CELL, 3, {"cell_type": "code"}, {"cell_type": "code", "source": [1, "z"]}, {**CELL, "cell_type": "raw"}]
    path.write_bytes(b"\xef\xbb\xbf" + notebook(cells=odd))
    assert code_cells(path) == [CodeCell("a", "x = 1\ny = 2"), CodeCell("", ""), CodeCell("", ""), CodeCell("", "")]


@pytest.mark.parametrize("stem", stems())
def test_the_learners_places_are_those_that_are_empty_in_the_chapter(stem):
    """Told from the solution, they are the cells in which the two notebooks differ, but for predictions."""
    stored = [cells_of(ROOT / name / f"{stem}.ipynb") for name in ("chapters", "solutions")]
    published, solved = ({one["id"]: one["source"] for one in cells if one["cell_type"] == "code"} for cells in stored)
    found = places(stem)
    assert [place.id for place in found] == list(published)
    assert [place.id for place in found if place.writes] == [
        name for name in published if published[name] != unanswered(solved[name])
    ]
    assert all(place.source == ("" if place.writes else published[place.id]) for place in found)
    headings = "\n".join("".join(one["source"]) for one in stored[0] if one["cell_type"] == "markdown")
    assert sum(bool(place.mends) for place in found) == headings.lower().count("# a bug in the wild")


def test_a_release_without_solutions_has_them_in_a_file(tmp_path):
    (tmp_path / "tests" / "given").mkdir(parents=True)
    stem = "ch03_layernorm"
    text = as_json(places(stem))
    assert "residual.mean(" not in text
    (tmp_path / "tests" / "given" / f"{stem}.json").write_text(text, encoding="utf-8")
    assert places(stem, tmp_path) == places(stem)


GIVEN = [
    Place(0, "one", "import torch\nfrom torch import nn"),
    Place(1, "two", "def helper(x):\n    return x"),
    Place(2, "three", "", writes=("Answer",)),
    Place(3, "four", "test_answer(Answer)", tests=("Answer",)),
    Place(4, "five", 'predict("one", "How much?", answer="")'),
]


@pytest.mark.parametrize(
    ("cell", "own"),
    [
        (CodeCell("one", "import torch\nfrom torch import nn"), ""),
        (CodeCell("", "import torch  \nfrom torch import nn\n\n"), ""),
        (CodeCell("one", "import torch\nimport math\nfrom numpy import nn"), "import math"),
        (CodeCell("two", "def helper(x):\n    return 0"), ""),
        (CodeCell("five", 'predict("one", "How much?", answer="b")'), ""),
        (CodeCell("two", "class Answer:\n    pass"), "class Answer:\n    pass"),
        (CodeCell("four", "x = Answer\nAnswer.y = 1\nprint(x)"), "x = Answer\nAnswer.y = 1"),
        (CodeCell("three", "class Answer:\n    pass"), "class Answer:\n    pass"),
        (CodeCell("mine", "def helper(x):\n    return 0"), "def helper(x):\n    return 0"),
        (CodeCell("four", "not ( python"), ""),
        (
            CodeCell("one", "table = []\nfor i in range(3):\n    table.append(i)"),
            "table = []\nfor i in range(3):\n    table.append(i)",
        ),
    ],
)
def test_what_is_the_learners_in_a_cell(cell, own):
    assert Restored(GIVEN, [cell]).own == [own]


GIVEN_TEXT = "import torch\nfrom torch import nn\ndef helper"


@pytest.mark.parametrize("first", ["", "x = 1", "%%time\nx = 1", "%%bash\nls", "def broken(:", "-" * 99_999])
def test_what_is_given_stands_above_the_first_cell_that_can_be_read(first):
    own = "class Answer: pass"
    above, below = Restored(GIVEN, [CodeCell("", first), CodeCell("", own)]).judged
    if first.startswith(("def", "-")):
        assert above == first and below.startswith(GIVEN_TEXT) and below.endswith(f"\n{own}")
    else:
        assert above.startswith(GIVEN_TEXT) and below == own


def test_where_none_can_be_read_it_stands_alone():
    (given, broken) = Restored(GIVEN, [CodeCell("", "def broken(:")]).judged
    assert given.startswith(GIVEN_TEXT) and broken == "def broken(:"


HUGE = {
    "deep": ["x = " + "-" * 100_000 + "1"],
    "deep sums": ["x = 1" + " + 1" * 5_000],
    "commands": ["%x\n" * 200_000],
    "many statements": ["a = 1\n" * 1_900] * 20,
    "many names": ["\n".join(f"a{i} = " + " + ".join(f"a{j}" for j in range(i)) for i in range(400))] * 20,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HUGE)
def test_huge_and_odd_cells_cost_nobody_the_report(kind, monkeypatch):
    """Whatever is done with them ends when the time for it is over: a second here, in place of five."""
    assert answers.SECONDS == given.SECONDS == 5
    monkeypatch.setattr(answers, "SECONDS", 1.0)
    monkeypatch.setattr(given, "SECONDS", 1.0)
    answer = CodeCell("", "class Answer: pass")
    began = time.thread_time()
    restored = Restored(
        GIVEN, [*map(partial(CodeCell, "one"), HUGE[kind]), *map(partial(CodeCell, ""), HUGE[kind]), answer]
    )
    assert restored.judged[-1] == "class Answer: pass"
    restored.written_at(GIVEN[2])
    assert time.thread_time() - began < 6


@pytest.mark.slow
def test_hundreds_of_cells_that_nobody_can_read_take_little_time():
    """Half a second; it was most of a minute, with each of them read below all that is given."""
    cells = [CodeCell("", "!ls\n" * 30 + f"x{number} = (") for number in range(300)]
    restored = Restored(places("ch04_attention"), [*cells, CodeCell("", "class Answer: pass")])
    began = time.thread_time()
    assert restored.judged[-1].endswith("\nclass Answer: pass")
    assert time.thread_time() - began < 8


def test_a_demo_runs_with_what_is_judged():
    """What fills a table that the answer reads, too."""
    cells = ["table = []", "for i in range(3):\n    table.append(i)", "class Answer:\n    size = len(table)"]
    written = Restored(GIVEN, list(map(partial(CodeCell, ""), cells))).written_at(GIVEN[2])
    names: dict[str, object] = {}
    exec(written, names)
    assert names["table"] == [0, 1, 2]
