"""utils.grading.submissions.finding: each submission is found once, however a platform or a person has packed them."""

from pathlib import Path

import pytest

from tests.grading.submissions.making import LAYER_NORM, notebook, write, zipped
from utils.grading.submissions.finding import find_submissions, names_of
from utils.grading.submissions.reading import read_submission

LN, ATTENTION = "ch03_layernorm", "ch04_attention"
METADATA = """\
---
submission_345:
  :submitters:
  - :name: Ada Lovelace
    :sid: '4711'
    :email: ada@example.org
  - :name: Charles
    :email: charles@example.org
  :created_at: 2024-02-01 12:34:56.789000000 Z
  :score: 3.0
  :results:
    tests:
    - name: x
      :email: forged@example.org
submission_346:
  :submitters:
  - :name: Grace
  :created_at: 2024-02-01 13:34:56 +0100
"""
# Files as they lie there; the submissions, each with its chapters
LAYOUTS = {
    "chapters of one": ([f"{LN}.ipynb", f"{ATTENTION}.ipynb"], {"": [LN, ATTENTION]}),
    "copies of one": ([f"{LN}.ipynb", f"{LN}-Copy1.ipynb", "old/ch03_layernorm.ipynb"], {"": [LN]}),
    "renamed chapters of one": ([f"{LN}_final.ipynb", f"{ATTENTION}_v2.ipynb"], {"": [LN, ATTENTION]}),
    "a fork": (["chapters/ch03_layernorm.ipynb", "solutions/ch03_layernorm.ipynb", "x.txt"], {"": [LN]}),
    "folders by chapter": ([f"{LN}/{LN}.ipynb", f"{ATTENTION}/{ATTENTION}.ipynb"], {"": [LN, ATTENTION]}),
    "one wrapped": (["mine/ch03_layernorm.ipynb"], {"mine": [LN]}),
    "one wrapped fork": (["course-main/chapters/ch03_layernorm.ipynb"], {"course-main": [LN]}),
    "folders": ([f"ada/{LN}.ipynb", f"bob/{LN}.ipynb", "eve/notes.txt"], {"ada": [LN], "bob": [LN], "eve": []}),
    "folders, wrapped": ([f"all/ada/{LN}.ipynb", f"all/bob/{LN}.ipynb"], {"all/ada": [LN], "all/bob": [LN]}),
    "nbgrader's": (
        [f"submitted/{who}/{stem}/{stem}.ipynb" for who in ("ada", "bob") for stem in (LN, ATTENTION)],
        {"submitted/ada": [LN, ATTENTION], "submitted/bob": [LN, ATTENTION]},
    ),
    "loose, by name": ([f"ada_{LN}.ipynb", f"{LN}-bob.ipynb"], {"ada": [LN], "bob": [LN]}),
    "loose, two chapters": (
        [f"ada_{LN}.ipynb", f"ada_{ATTENTION}.ipynb", f"bob_{LN}.ipynb"],
        {"ada": [LN, ATTENTION], "bob": [LN]},
    ),
    "loose, without a chapter": (["ada.ipynb", "bob.ipynb"], {"ada.ipynb": [LN], "bob.ipynb": [LN]}),
    "loose, beside folders": (["ada.ipynb", f"bob/{LN}.ipynb"], {"ada.ipynb": [LN], "bob": [LN]}),
    "sections with a copy of the released": (
        [f"{LN}.ipynb", f"ada/{LN}.ipynb", f"bob/{LN}.ipynb"],
        {"ada": [LN], "bob": [LN], f"{LN}.ipynb": [LN]},
    ),
    "Moodle's folders": (
        [
            "Ada Lovelace_4711_assignsubmission_file_/ch03_layernorm.ipynb",
            "Ada Lovelace_4711_assignsubmission_onlinetext_/onlinetext.html",
            "Bob O'Neil_12_assignsubmission_file/ch03_layernorm.ipynb",
        ],
        {"Ada Lovelace_4711": [LN], "Bob O'Neil_12": [LN]},
    ),
    "Moodle's files": (
        ["Ada Lovelace_4711_assignsubmission_file_x.ipynb", "Bob_12_assignsubmission_file_essay.pdf"],
        {"Ada Lovelace_4711": [LN], "Bob_12": []},
    ),
    "Canvas's": (
        [
            "lovelaceada_2301_88123_ch03_layernorm-1.ipynb",
            "lovelaceada_2301_88124_ch04_attention.ipynb",
            "oneilbob_LATE_77_88125_ch03_layernorm.ipynb",
        ],
        {"lovelaceada_2301": [LN, ATTENTION], "oneilbob_77": [LN]},
    ),
    "Gradescope's": (
        [
            "assignment_12_export/submission_345/ch03_layernorm.ipynb",
            "assignment_12_export/submission_346/readme.txt",
            "assignment_12_export/submission_metadata.yml",
        ],
        {"assignment_12_export/submission_345": [LN], "assignment_12_export/submission_346": []},
    ),
}


def content(name: str) -> str:
    return METADATA if name.endswith(".yml") else notebook(LAYER_NORM)


@pytest.mark.parametrize("kind", LAYOUTS)
@pytest.mark.parametrize("packed", [False, True], ids=["folder", "zip"])
def test_each_submission_is_found_once(kind, packed, tmp_path):
    names, expected = LAYOUTS[kind]
    root = tmp_path / "all.zip" if packed else tmp_path / "all"
    if packed:
        write(root, zipped({name: content(name) for name in names}))
    for name in names if not packed else ():
        write(root / name, content(name))
    found = find_submissions(root)
    inside = {one.relative_to(root).as_posix(): list(read_submission(one).notebooks) for one in found}
    assert inside == {name or ".": stems for name, stems in expected.items()}
    assert len(set(names_of(found))) == len(found)


def test_zips_among_others_are_submissions(tmp_path):
    inside = zipped({f"{LN}.ipynb": notebook(LAYER_NORM)})
    write(tmp_path / "ada.zip", inside)
    write(tmp_path / "bob" / f"{LN}.ipynb")
    write(tmp_path / "notes.pdf")
    found = find_submissions(tmp_path)
    assert [one.name for one in found] == ["ada.zip", "bob"]
    assert [list(read_submission(one).notebooks) for one in found] == [[LN], [LN]]
    bulk = write(tmp_path / "bulk.zip", zipped({"eve_1_2_work.zip": inside, f"kim_3_4_{LN}.ipynb": notebook("x")}))
    found = find_submissions(bulk)
    assert {one.name: list(read_submission(one).notebooks) for one in found} == {"eve_1": [LN], "kim_3": [LN]}


def test_a_notebook_is_one(tmp_path):
    path = write(tmp_path / "x.ipynb")
    assert find_submissions(path) == [path]
    with pytest.raises(FileNotFoundError, match="is not there"):
        find_submissions(tmp_path / "gone")
    assert find_submissions(write(tmp_path / "empty" / ".hidden", "").parent) == [tmp_path / "empty"]


def test_no_two_have_one_name():
    paths = [Path(name) for name in ("a/ada.zip", "b/ada.ipynb", "ada", "c/ada", "bob.zip")]
    assert names_of(paths) == ["ada.zip", "ada.ipynb", "ada", "ada (2)", "bob"]
    paths = [
        Path(name)
        for name in ("a (2)", "a\x01", "a\x02", "x/a", "y/a", f"{'l' * 99}1{'l' * 99}", f"{'l' * 99}2{'l' * 99}")
    ]
    names = names_of(paths)
    assert names[:5] == ["a (2)", "a�", "a� (2)", "a", "a (3)"] and names[6] == f"{names[5]} (2)"


def test_gradescopes_list_says_when_and_who(tmp_path):
    root = tmp_path / "assignment_12_export"
    for name in LAYOUTS["Gradescope's"][0]:
        write(tmp_path / name, content(name))
    one, other = map(read_submission, find_submissions(root))
    assert (one.submitted, one.people) == (1706790896.0, ("ada@example.org", "charles@example.org"))
    assert (other.submitted, other.people) == (1706790896.0, ("Grace",))


def test_canvas_marks_late_ones(tmp_path):
    root = write(tmp_path / "all.zip", zipped({name: content(name) for name in LAYOUTS["Canvas's"][0]}))
    assert {one.name: read_submission(one).late for one in find_submissions(root)} == {
        "lovelaceada_2301": False,
        "oneilbob_77": True,
    }
