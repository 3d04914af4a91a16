"""grader.submissions.reading: whatever somebody hands in is read without an error, and what can't be is said."""

import json
import os
import stat
import zipfile
from pathlib import Path

import pytest

from grader.submissions import notebooks, reading
from grader.submissions.commands import TOO_LONG
from grader.submissions.reading import Submission, read_submission
from tests.grader.submissions.making import LAYER_NORM, NAME, STEM, notebook, write, zipped
from utils.course import ROOT, stems

V3 = json.dumps(
    {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [{"cells": [{"cell_type": "code", "input": LAYER_NORM, "outputs": [], "language": "python"}]}],
    }
)


def problem_of(content: str | bytes, folder: Path) -> str:
    return read_submission(write(folder / NAME, content)).notebooks[STEM].problem


def cells_in(content: str | bytes, folder: Path) -> tuple[str, ...]:
    read = read_submission(write(folder / NAME, content)).notebooks[STEM]
    assert read.problem == ""
    return read.cells


def said_of(path: Path) -> str:
    return "\n".join(read_submission(path).problems)


NO_JSON = "is no notebook: it is not JSON (Expecting value: line 1 column 1 (char 0))"
BROKEN = {
    "is empty": "  \n",
    NO_JSON: "no JSON",
    "is no notebook: its JSON is no object": "[1, 2]",
    "is no notebook: it has no cells": '{"nbformat": 4}',
    "is no notebook: its cells are no list": '{"nbformat": 4, "cells": 3}',
    "is of notebook format 9, where 4 is the newest that can be read": notebook(nbformat=9),
    "is of notebook format 'four', where 4 is the newest that can be read": notebook(nbformat="four"),
    "is of notebook format '4444444444444444444, where 4 is the newest that can be read": notebook(nbformat="4" * 100),
    "is of the old notebook format 3, and can't be made a new one": '{"nbformat": 3, "worksheets": [{"cells": 3}]}',
    "is nested too deeply to be read": '{"cells": ' + "[" * 100_000,
    "is no notebook: it is not JSON (a number is too long)": '{"cells": ' + "1" * 5_000 + "}",
    "holds more than 2,000,000 lists": "[" * 2_000_001,
    "has 2,001 code cells; at most 2,000 are read": notebook(*["x = 1"] * 2_001),
    "holds more than 1 MB of code": notebook(*["#" * 900_000] * 2),
    "is larger than 20 MB, without its outputs": '{"cells": ' + " " * 20_000_000,
}


@pytest.mark.parametrize(("said", "content"), [*BROKEN.items(), ("is empty", b""), (NO_JSON, b"\xff\xfe\x00")])
def test_a_notebook_that_cannot_be_read_is_its_chapters_problem(said, content, tmp_path):
    assert problem_of(content, tmp_path) == f"{NAME} {said}."


READABLE = {
    "lines": notebook(["class LayerNorm:\n", "    pass\n"]),
    "old": V3,
    "no format": json.dumps({"cells": [{"cell_type": "code", "source": LAYER_NORM}]}),
    "NaN": notebook(LAYER_NORM, metadata={"x": float("nan")}),
    "marked": b"\xef\xbb\xbf" + notebook(LAYER_NORM).encode(),
    "utf-16": notebook(LAYER_NORM).encode("utf-16"),
    "utf-16 without a mark": notebook(LAYER_NORM).encode("utf-16-le"),
    "windows": notebook(LAYER_NORM.replace("\n", "\r\n")),
    "an old Mac's": notebook(LAYER_NORM.replace("\n", "\r")),
}


@pytest.mark.parametrize("kind", READABLE)
def test_odd_notebooks_are_read(kind, tmp_path):
    assert cells_in(READABLE[kind], tmp_path) == (LAYER_NORM,)


STORED = {
    "printed": {"cells": [{"outputs": [{"output_type": "stream", "text": ["[[1, 2]]\n"] * 3_000_000}]}]},
    "lists": {"cells": [{"outputs": [{"data": {"application/json": [[]] * 2_100_000}}]}]},
    "a picture": {"cells": [{"attachments": {"map.png": {"image/png": "A" * 21_000_000}}}]},
    "controls": {"metadata": {"widgets": {"state": "x" * 21_000_000}}},
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", STORED)
def test_what_is_stored_beside_an_answer_does_not_count(kind, tmp_path):
    """However much it is, and however well it packs."""
    content = json.loads(notebook(LAYER_NORM))
    stored = STORED[kind]
    content["cells"][-1] |= stored.get("cells", [{}])[0]
    content["metadata"] = stored.get("metadata", {})
    path = write(tmp_path / "ada.zip", zipped({NAME: json.dumps(content)}))
    assert read_submission(path).notebooks[STEM].cells == (LAYER_NORM,)


def test_an_answer_that_speaks_of_outputs_stays_as_it_is(tmp_path):
    answer = LAYER_NORM + 'kept = {"outputs": [1, {"widgets": {}}]}\nsaid = "\\"outputs\\": ["\n'
    assert cells_in(notebook(answer, "x = 1"), tmp_path) == (answer, "x = 1")


def test_what_is_not_utf_8_is_read_as_latin_1_and_that_is_said(tmp_path):
    content = json.loads(notebook("# café"))
    latin = json.dumps(content, ensure_ascii=False).encode("latin-1")
    read = read_submission(write(tmp_path / NAME, latin)).notebooks[STEM]
    assert read.cells == ("# café",) and "Latin-1" in read.notes[0]


def test_a_cell_that_cannot_be_read_keeps_the_others_numbers(tmp_path):
    long = "x" * 1_000_001
    content = json.loads(notebook(3, LAYER_NORM, long, "\ud800", [1]))
    content["cells"].append("no cell")
    read = read_submission(write(tmp_path / NAME, json.dumps(content))).notebooks[STEM]
    assert read.cells == ("", LAYER_NORM, TOO_LONG, "�", "", "")
    assert read.notes == (
        "Code cell 1 can't be read: its source is of type int, so it counts as empty.",
        "Code cell 3 is longer than 1 MB, so it counts as empty.",
        "Code cell 5 can't be read: its source is of type list, so it counts as empty.",
        "Code cell 6 is no cell, so it counts as empty.",
    )


def test_a_chapter_under_another_name_is_found_by_what_it_defines(tmp_path):
    read = read_submission(write(tmp_path / "homework.ipynb"))
    assert read.notebooks[STEM].notes == (f"homework.ipynb is taken for {STEM}, whose exercises it holds.",)
    assert said_of(write(tmp_path / "mine.ipynb", notebook("x = 1"))).startswith("mine.ipynb belongs to no chapter")
    assert read_submission(tmp_path / "mine.ipynb").notebooks == {}


@pytest.mark.parametrize("name", ["Ch03-LayerNorm (2).ipynb", "my_ch03_layernorm_final.ipynb", f"{STEM}-Copy1.ipynb"])
def test_a_chapter_is_found_in_a_name(name, tmp_path):
    assert list(read_submission(write(tmp_path / name)).notebooks) == [STEM]


def test_of_a_copy_of_the_course_its_chapters_count(tmp_path):
    write(tmp_path / "chapters" / NAME, notebook("x = 1"))
    write(tmp_path / "solutions" / NAME)
    assert read_submission(tmp_path).notebooks[STEM].cells == ("x = 1",)
    assert read_submission(tmp_path).problems == ()


def test_what_lies_beside_its_chapters_is_not_read_and_that_is_said(tmp_path):
    write(tmp_path / "chapters" / NAME)
    write(tmp_path / "ch04_attention.ipynb")
    read = read_submission(tmp_path)
    assert list(read.notebooks) == [STEM]
    assert read.problems == ("ch04_attention.ipynb is not read: it lies beside chapters/, not in it.",)


def digest(path: Path) -> str:
    return read_submission(path).digest


def test_the_digest_is_that_of_the_cells(tmp_path):
    one = notebook(LAYER_NORM, "x = 1")
    ran = one.replace('"execution_count": null', '"execution_count": 7').replace("[]", '[{"output_type": "x"}]')
    first = digest(write(tmp_path / "a" / NAME, one))
    assert first == digest(write(tmp_path / "b" / NAME, ran))
    forth, back = {NAME: one, "ch02_embeddings.ipynb": one}, {"ch02_embeddings.ipynb": one, NAME: one}
    assert digest(write(tmp_path / "a.zip", zipped(forth))) == digest(write(tmp_path / "b.zip", zipped(back)))
    assert first != digest(write(tmp_path / "c" / NAME, notebook(LAYER_NORM, "x = 2")))
    assert first != digest(write(tmp_path / "d" / NAME, ""))


def test_paths_links_and_rubbish_in_a_zip_are_left(tmp_path):
    link = zipfile.ZipInfo("link.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = tmp_path / "one.zip"
    with zipfile.ZipFile(path, "w") as file, pytest.warns(UserWarning, match="Duplicate"):
        file.writestr(link, "/etc/passwd")
        for name in ("../ch04_attention.ipynb", "/ch05_mlp.ipynb", "C:/ch06_unembed.ipynb", f"..\\{NAME}"):
            file.writestr(name, notebook(LAYER_NORM))
        for name in ("__MACOSX/._x.ipynb", ".ipynb_checkpoints/ch02_embeddings-checkpoint.ipynb"):
            file.writestr(name, "rubbish")
        file.writestr(NAME, notebook("x = 1"))
        file.writestr(NAME, notebook(LAYER_NORM))
    read = read_submission(path)
    assert {stem: one.cells for stem, one in read.notebooks.items()} == {STEM: (LAYER_NORM,)}
    assert sum("leads out of the zip" in said for said in read.problems) == 4
    assert "link.ipynb is a link, which is not followed." in read.problems
    assert f"The zip holds {NAME} more than once: the last counts." in read.problems
    assert len(read.problems) == 6


def printed(text: str) -> str:
    """A notebook whose cell has printed this, as JSON has it."""
    return notebook(LAYER_NORM).replace('"outputs": []', f'"outputs": [{{"text": ["{text}"]}}]')


@pytest.mark.slow
def test_outputs_of_any_usual_size_cost_no_answer(tmp_path):
    large = printed("x" * 110_000_000)
    assert cells_in(large, tmp_path) == (LAYER_NORM,)
    assert read_submission(write(tmp_path / "ada.zip", zipped({NAME: large}))).notebooks[STEM].cells == (LAYER_NORM,)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32-be"])
def test_a_notebook_is_the_same_in_pieces_of_any_size(encoding):
    odd = printed(r"a\\\"]}[\\").replace("pass", r"\"outputs\": [\\ é")
    data = odd.encode(encoding)
    whole = notebooks.cells_of(data)
    assert whole.sources == ('class LayerNorm:\n    "outputs": [\\ é\n',)
    for size in range(4, 90):
        pieces = [data[start : start + size] for start in range(0, len(data), size)]
        assert notebooks.cells_in(pieces) == whole


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LARGEST", 3_000_000)
    bomb = printed("x" * 3_000_001)
    read = read_submission(write(tmp_path / "a.zip", zipped({NAME: bomb, "ch04_attention.ipynb": notebook("x")})))
    assert read.notebooks[STEM].problem.startswith(f"{NAME} is larger than 3 MB: clear its outputs, ")
    assert read.notebooks["ch04_attention"].problem == "" and read.notebooks[STEM].too_large


def test_what_is_too_large_to_tell_its_chapter_and_a_zip_that_is_are_not_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LARGEST", 3_000_000)
    monkeypatch.setattr(reading, "LARGEST_ZIP", 3_000_000)
    write(tmp_path / "homework.ipynb", printed("x" * 3_000_001))
    write(tmp_path / "work.zip", b"x" * 3_000_001)
    read = read_submission(tmp_path)
    assert read.notebooks == {} and [said.partition(" MB")[0] for said in sorted(read.unopened)] == [
        "homework.ipynb is larger than 3",
        "work.zip is larger than 3",
    ]


def test_of_many_notebooks_no_more_is_read_than_of_some(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LARGEST_TOGETHER", 5_000_000)
    large = printed("x" * 3_000_000)
    files = {f"{stem}.ipynb": large for stem in (STEM, "ch04_attention")}
    read = read_submission(write(tmp_path / "ada.zip", zipped(files)))
    assert read.notebooks[STEM].problem == ""
    assert "is not read to its end" in read.notebooks["ch04_attention"].problem


def test_an_encrypted_notebook_and_an_odd_packing_are_said(tmp_path):
    data = bytearray(zipped({NAME: notebook(LAYER_NORM)}))
    for header, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(header) + offset] |= 1
    assert read_submission(write(tmp_path / "a.zip", bytes(data))).notebooks[STEM].problem == f"{NAME} is encrypted."
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_LZMA) as file:
        file.writestr(NAME, notebook(LAYER_NORM))
    assert "packed in an unusual way" in read_submission(tmp_path / "b.zip").notebooks[STEM].problem


def test_damaged_zips_are_said(tmp_path):
    assert "damaged" in said_of(write(tmp_path / "a.zip", b"no zip"))
    data = bytearray(zipped({NAME: notebook(LAYER_NORM)}))
    data[60:90] = bytes(30)
    assert "can't be read" in read_submission(write(tmp_path / "b.zip", bytes(data))).notebooks[STEM].problem


def test_a_zip_in_a_folder_is_read_and_one_within_that_is_not(tmp_path):
    inner = zipped({"ch04_attention.ipynb": notebook("x")})
    write(tmp_path / "mine" / "work.zip", zipped({NAME: notebook(LAYER_NORM), "inner.zip": inner}))
    read = read_submission(tmp_path / "mine")
    assert list(read.notebooks) == [STEM]
    assert read.problems == ("inner.zip is a zip within a zip, which is not read.",)


@pytest.mark.skipif(os.name == "nt", reason="has no pipes in folders, and links for administrators alone")
def test_links_and_pipes_in_a_folder_are_left(tmp_path):
    secret = write(tmp_path / "secret.ipynb")
    folder = tmp_path / "mine"
    write(folder / "ch04_attention.ipynb", notebook("x"))
    (folder / NAME).symlink_to(secret)
    (folder / "outside").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.ipynb")
    read = read_submission(folder)
    assert list(read.notebooks) == ["ch04_attention"]
    assert sorted(read.problems) == [
        f"{NAME} is a link, which is not followed.",
        "outside is a link, which is not followed.",
        "pipe.ipynb is no file but a device or a pipe, which is not read.",
    ]
    os.mkfifo(tmp_path / "alone.ipynb")
    assert "no file but a device" in said_of(tmp_path / "alone.ipynb")


def test_names_are_shown_on_one_line(tmp_path):
    if os.name == "nt":
        pytest.skip("allows no such names")
    read = read_submission(write(tmp_path / "a\nb\x1b[31m.ipynb", "").parent / "a\nb\x1b[31m.ipynb")
    assert read.name == "a�b�[31m" and "\n" not in read.problems[0]


@pytest.mark.parametrize("name", ["gone.ipynb", "a" * 300, "x" * 300 + ".zip"])
def test_what_is_not_there_raises_nothing(name, tmp_path):
    assert read_submission(tmp_path / name) == Submission(
        name=read_submission(tmp_path / name).name,
        path=tmp_path / name,
        problems=("It holds no file.",),
        why="all that is there",
        digest=digest(tmp_path / name),
    )


def test_the_courses_own_notebooks_have_no_problems():
    read = read_submission(ROOT / "chapters")
    assert [*read.notebooks] == stems()
    assert all(one.problem == "" and one.notes == () for one in read.notebooks.values())
    assert read.problems == ()
