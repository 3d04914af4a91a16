"""grader.submissions.finding: each submission is found once, however a platform or a person has packed them."""

from pathlib import Path, PurePosixPath

import pytest

from grader.submissions.finding import find_submissions, key, names_of
from grader.submissions.reading import read
from tests.grader.submissions.making import LAYER_NORM, notebook, write, zipped

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
  - :name: Emmy Noether
    :sid: ''
    :email: ''
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
    "a chapter's folder of many": (
        [f"{LN}/ada/x.ipynb", f"{LN}/bob/x.ipynb", f"{ATTENTION}/ada/{ATTENTION}.ipynb"],
        {f"{LN}/ada": [LN, ATTENTION], f"{LN}/bob": [LN]},
    ),
    "folders by chapter and person": (
        [f"ch03-layernorm-{who}/chapters/{LN}.ipynb" for who in ("ada-l", "ghopper")],
        {"ada-l": [LN], "ghopper": [LN]},
    ),
    "folders by chapter and person, wrapped": (
        [f"ch03-layernorm-submissions/ch03-layernorm-{who}/{LN}.ipynb" for who in ("ada", "bob")],
        {"ch03-layernorm-submissions/ada": [LN], "ch03-layernorm-submissions/bob": [LN]},
    ),
    "two chapters by person": (
        [f"{stem}_{who}/answer_{stem}.ipynb" for who in ("ada", "bob") for stem in (LN, ATTENTION)],
        {"ada": [LN, ATTENTION], "bob": [LN, ATTENTION]},
    ),
    "loose, with marks of copies": (
        [f"{LN}_ada.ipynb", f"{ATTENTION}_ada (1).ipynb", f"Copy of {LN}_bob.ipynb", f"{ATTENTION}_bob.ipynb"],
        {"ada": [LN, ATTENTION], "bob": [LN, ATTENTION]},
    ),
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
    "loose, by number": ([f"{LN}_4711.ipynb", f"{LN}_4712.ipynb"], {"4711": [LN], "4712": [LN]}),
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


def packed(kind: str, root: Path, as_zip: bool) -> Path:
    """The files of a layout, in a folder or a zip."""
    names, _ = LAYOUTS[kind]
    if as_zip:
        return write(root.with_suffix(".zip"), zipped({name: content(name) for name in names}))
    for name in names:
        write(root / name, content(name))
    return root


def chapters_in(root: Path) -> dict[str, list[str]]:
    """By the submissions, as they lie in a folder or a zip."""
    found = find_submissions(root).handed_in
    assert len({one.name for one in found}) == len(found)
    return {one.path.relative_to(root).as_posix(): list(read(one).notebooks) for one in found}


@pytest.mark.parametrize("kind", LAYOUTS)
@pytest.mark.parametrize("as_zip", [False, True], ids=["folder", "zip"])
def test_each_submission_is_found_once(kind, as_zip, tmp_path):
    expected = {name or ".": stems for name, stems in LAYOUTS[kind][1].items()}
    assert chapters_in(packed(kind, tmp_path / "all", as_zip)) == expected


@pytest.mark.parametrize("kind", ["Moodle's folders", "Moodle's files", "Canvas's", "Gradescope's"])
def test_a_platforms_download_is_opened_wherever_it_lies(kind, tmp_path):
    download = packed(kind, tmp_path / "class" / "download", as_zip=True)
    expected = {f"download.zip/{name}": stems for name, stems in LAYOUTS[kind][1].items()}
    assert chapters_in(tmp_path / "class") == expected
    write(tmp_path / "class" / "notes.pdf", "")
    assert chapters_in(tmp_path / "class") == expected
    wrapped = write(tmp_path / "wrapped.zip", zipped({"class/download.zip": download.read_bytes()}))
    assert chapters_in(wrapped) == {f"class/{name}": stems for name, stems in expected.items()}


def test_what_looks_like_a_download_beside_others_is_one_persons_and_asked_about(tmp_path):
    """A learner could hand in others' work in their names."""
    write(tmp_path / "class" / "eve.zip", zipped({f"lovelaceada_901_1_{LN}.ipynb": notebook("x = 1")}))
    write(tmp_path / "class" / "bob.zip", zipped({f"{LN}.ipynb": notebook("x = 1")}))
    assert chapters_in(tmp_path / "class") == {"bob.zip": [LN], "eve.zip": [LN]}
    (said,) = find_submissions(tmp_path / "class").questions
    assert said.startswith("eve.zip looks like a platform's download, and lies among other submissions.")


def test_downloads_may_be_zipped_together_and_again(tmp_path):
    sections = [
        zipped({f"{who}_1{number}_assignsubmission_file_/{LN}.ipynb": notebook("x = 1")})
        for number, who in enumerate(("Ada Lovelace", "Grace Hopper"))
    ]
    together = zipped({f"Section {number}.zip": one for number, one in enumerate(sections)})
    again = zipped({"sections.zip": together})
    for number, data in enumerate((together, again)):
        found = find_submissions(write(tmp_path / f"{number}.zip", data))
        assert [one.name for one in found.handed_in] == ["Ada Lovelace_10", "Grace Hopper_11"] and not found.questions
    deep = again
    for _ in range(5):
        deep = zipped({"deep.zip": deep})
    (one,) = find_submissions(write(tmp_path / "deep.zip", deep)).handed_in
    assert any("is a zip within a zip, which is not read" in said for said in read(one).problems)
    own = zipped({"sections.zip": together, "own.zip": zipped({f"{LN}.ipynb": notebook("x = 1")})})
    found = find_submissions(write(tmp_path / "own.zip", own))
    assert [one.name for one in found.handed_in] == ["own", "sections"] and "sections.zip" in found.questions[0]


@pytest.mark.parametrize(("written", "read"), [("é".encode(), "é"), (b"\x82", "é"), (b"\x82\xb5", "é╡")])
def test_a_zips_names_are_in_utf_8_or_in_the_old_code_page(written, read, tmp_path):
    """A Mac writes UTF-8, and does not say so; Windows' own zips have their code page."""
    data = zipped({f"Jos{'_' * len(written)}_12_assignsubmission_file_x.ipynb": notebook(LAYER_NORM)})
    path = write(tmp_path / "class.zip", data.replace(b"Jos" + b"_" * len(written), b"Jos" + written))
    assert [one.name for one in find_submissions(path).handed_in] == [f"Jos{read}_12"]


def test_who_is_in_two_downloads_is_one(tmp_path):
    for week, stem in enumerate((LN, ATTENTION)):
        names = [f"lovelaceada_901_{week}1_{stem}.ipynb", f"hoppergrace_902_{week}2_{stem}.ipynb"]
        write(tmp_path / "class" / f"{week}.zip", zipped({name: notebook("x = 1") for name in names}))
    found = find_submissions(tmp_path / "class").handed_in
    assert {one.name: list(read(one).notebooks) for one in found} == {
        "hoppergrace_902": [LN, ATTENTION],
        "lovelaceada_901": [LN, ATTENTION],
    }


def test_zips_among_others_are_submissions(tmp_path):
    inside = zipped({f"{LN}.ipynb": notebook(LAYER_NORM)})
    write(tmp_path / "ada.zip", inside)
    write(tmp_path / "bob" / f"{LN}.ipynb")
    assert chapters_in(tmp_path) == {"ada.zip": [LN], "bob": [LN]}
    bulk = write(tmp_path / "bulk.zip", zipped({"eve_1_2_work.zip": inside, f"kim_3_4_{LN}.ipynb": notebook("x")}))
    assert chapters_in(bulk) == {"eve_1": [LN], "kim_3": [LN]}


def test_what_is_nobodys_is_said(tmp_path):
    for name in ("notes.pdf", "grades.csv", f"{LN}_ada.ipynb", f"{LN}_eva.ipynb.txt", "bob.tar.gz", "carl.rar"):
        write(tmp_path / name)
    found = find_submissions(tmp_path)
    assert [one.name for one in found.handed_in] == ["ada", "bob.tar.gz", "carl.rar", "eva"]
    assert found.left == [
        "grades.csv is left aside: it is no notebook, no folder and no zip.",
        "notes.pdf is left aside: it is no notebook, no folder and no zip.",
    ]
    assert read(found.handed_in[1]).problems[-1].startswith("bob.tar.gz is an archive of a kind that is not read")
    assert list(read(found.handed_in[3]).notebooks) == [LN]


def test_a_zip_that_may_be_a_class_is_asked_about(tmp_path):
    packed("folders, wrapped", tmp_path / "class" / "all", as_zip=True)
    (said,) = find_submissions(tmp_path / "class").questions
    assert said.endswith(f"if it is a class, grade {tmp_path / 'class' / 'all.zip'} by itself.")
    assert list(chapters_in(tmp_path / "class" / "all.zip")) == ["all/ada", "all/bob"]


def test_a_folder_that_may_be_a_class_is_asked_about(tmp_path):
    for name in ("section/ada", "section/bob", "carl"):
        write(tmp_path / name / f"{LN}.ipynb")
    write(tmp_path / "dora" / "mine" / f"{LN}.ipynb")
    write(tmp_path / "dora" / "more" / f"{ATTENTION}.ipynb")
    (said,) = find_submissions(tmp_path).questions
    assert said.startswith("section has folders with notebooks of one chapter (ada, bob). It is taken for one person's")


@pytest.mark.parametrize("where", ["beside a copy of the released", "in a zip alone"])
def test_several_names_beside_a_chapter_may_be_people(where, tmp_path):
    names = [f"{LN}_ada.ipynb", f"{LN}_bob.ipynb", f"{ATTENTION}_eve.ipynb", f"{LN}.ipynb"]
    if where == "in a zip alone":
        write(tmp_path / "all.zip", zipped({name: notebook(LAYER_NORM) for name in names[:3]}))
    else:
        for name in names:
            write(tmp_path / name)
    (said,) = find_submissions(tmp_path).questions
    whole = "all.zip" if where == "in a zip alone" else tmp_path.name
    assert said.startswith(f"{whole} has notebooks of one chapter under several names (ada, bob). It is taken for one")


def test_versions_and_copies_are_no_question(tmp_path):
    for name in (f"{LN}.ipynb", f"{LN} (1).ipynb", f"{LN}_final.ipynb", f"{ATTENTION}_v2.ipynb"):
        write(tmp_path / "mine" / name)
    assert find_submissions(tmp_path / "mine").questions == []
    versions = {f"{LN}_{name}.ipynb": notebook(LAYER_NORM) for name in ("v1", "final")}
    for name in ("ada.zip", "bob.zip"):
        write(tmp_path / "class" / name, zipped(versions))
    assert find_submissions(tmp_path / "class").questions == []


def test_a_notebook_is_one(tmp_path):
    path = write(tmp_path / "x.ipynb")
    assert [one.path for one in find_submissions(path).handed_in] == [path]
    with pytest.raises(FileNotFoundError, match="is not there"):
        find_submissions(tmp_path / "gone")
    empty = write(tmp_path / "empty" / ".hidden", "").parent
    assert [one.path for one in find_submissions(empty).handed_in] == [empty]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Copy of ch03_layernorm_grace.ipynb", "grace"),
        ("Kopie von ch03_layernorm_grace.ipynb", "grace"),
        ("ch03_layernorm_ada (1).ipynb", "ada"),
        ("ch03-layernorm-ada-Copy2.ipynb", "ada"),
        ("ada - Copy (2).ipynb", "ada.ipynb"),
        ("ada (2).zip", "ada.zip"),
        ("ada copy", "ada"),
        ("ch03-layernorm-ada-l", "ada-l"),
        ("team-1", "team-1"),
        ("ch03_layernorm_ada (another copy).ipynb", "ada"),
        ("ada (3rd copy).zip", "ada.zip"),
        ("ada – Kopi", "ada"),
        ("ada - 副本", "ada"),
        ("Copia di ch03_layernorm_ada.ipynb", "ada"),
        ("Kopie (2) van ada", "ada"),
        ("eve-kopi", "eve-kopi"),
        ("ch03_layernorm - Kopie_zoe.ipynb", "zoe"),
        ("ch03_layernorm – Copy (2) zoe.ipynb", "zoe"),
        ("ch03_layernorm (1)_zoe.ipynb", "zoe"),
        ("ch03_layernorm-Copy1-ada.ipynb", "ada"),
        ("ch03_layernorm_copy_4711.ipynb", "4711"),
        ("ch03_layernorm-copy-ada.ipynb", "ada"),
        ("ch03_layernorm_kopi-anna.ipynb", "kopi-anna"),
        ("ch03_layernorm-copywright.ipynb", "copywright"),
        ("ch03_layernorm-12-ada.ipynb", "12-ada"),
        ("ch03_layernorm_4711.ipynb", "4711"),
        ("ch03_layernorm_4711 (1).ipynb", "4711"),
        ("ch03_layernorm-12.ipynb", "ch03_layernorm-12.ipynb"),
        ("team_2.zip", "team_2.zip"),
        ("ada (2026).ipynb", "ada (2026).ipynb"),
        ("(1).ipynb", "(1).ipynb"),
        ("ch03_layernorm (1).ipynb", "ch03_layernorm.ipynb"),
        ("Jose\u0301_12_assignsubmission_file", "José_12"),
    ],
)
def test_marks_of_a_copy_split_nobody(name, expected):
    assert key(PurePosixPath(name)) == expected


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
    one, other = map(read, find_submissions(root).handed_in)
    assert (one.submitted, one.people) == (1706790896.0, ("ada@example.org", "charles@example.org", "Emmy Noether"))
    assert (other.submitted, other.people) == (1706790896.0, ("Grace",))


def test_canvas_marks_late_ones(tmp_path):
    root = write(tmp_path / "all.zip", zipped({name: content(name) for name in LAYOUTS["Canvas's"][0]}))
    assert {one.name: read(one).late for one in find_submissions(root).handed_in} == {
        "lovelaceada_2301": False,
        "oneilbob_77": True,
    }
