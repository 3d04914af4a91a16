"""An update of what is no chapter's cell: other files, whole notebooks, what can't be read, and ends in the middle."""

import os
import zipfile

import pytest

from tests.releasing.courses import (
    ANSWER,
    CHAPTER,
    FILES,
    STEM,
    cells_of,
    chapter,
    course,
    everything,
    prose,
    sources,
    updated,
    work,
)
from utils.course import CourseError
from utils.releasing import updating
from utils.releasing.updating import update

COPY = "chapters/my_ch90.ipynb"


@pytest.fixture
def mine(tmp_path):
    """A learner's folder, in which an answer stands."""
    root = course(tmp_path / "mine")
    work(root, answered())
    (root / "my_gpt" / "passed").mkdir(parents=True)
    (root / "my_gpt" / "double.py").write_text(ANSWER, encoding="utf-8")
    return root


@pytest.fixture
def new(tmp_path):
    """The next release."""
    cells = [{**one, "source": "# 90 · Mini, once more"} if place == 0 else one for place, one in enumerate(chapter())]
    return course(tmp_path / "new", {CHAPTER: cells}, version="2.0", utils__tool_py="TWO = 2\n")


def answered():
    return [{**one, "source": ANSWER} if one["id"].endswith("double-2") else one for one in chapter()]


def test_what_nobody_has_changed_is_replaced_and_what_is_gone_goes(mine, tmp_path):
    (mine / "my_own.py").write_text("x = 1\n")
    old = course(tmp_path / "old", utils__old_py="x = 1\n")
    for name, content in everything(old).items():
        if not name.startswith("chapters"):
            (mine / name).write_bytes(content)
    said = updated(mine, course(tmp_path / "new", version="2.0", utils__tool_py="TWO = 2\n"))
    assert (mine / "utils" / "tool.py").read_text() == "TWO = 2\n"
    assert not (mine / "utils" / "old.py").exists() and (mine / "my_own.py").exists()
    assert "3 other files of the course brought up to date" in said
    assert "What the course needs has changed: `make lab` installs it" in "\n".join(said)


def test_what_the_learner_has_changed_is_kept_beside_and_named(mine, new):
    (mine / "utils" / "tool.py").write_text("ONE = 1.5\n")
    (mine / "utils" / "tool.py.yours").write_text("from another time\n")
    said = updated(mine, new)
    assert "utils/tool.py: you had changed it; yours is now utils/tool.py.yours.2" in said
    assert (mine / "utils" / "tool.py").read_text() == "TWO = 2\n"
    assert (mine / "utils" / "tool.py.yours.2").read_text() == "ONE = 1.5\n"
    assert (mine / "utils" / "tool.py.yours").read_text() == "from another time\n"


def test_what_only_the_learner_has_changed_stays(mine, new):
    (mine / "tests" / f"{STEM}.py").write_text("# mine\n" + FILES[f"tests/{STEM}.py"])
    updated(mine, new)
    assert (mine / "tests" / f"{STEM}.py").read_text().startswith("# mine\n")


def test_the_ends_of_lines_are_no_change(mine, new):
    path = mine / "utils" / "tool.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert not any("yours" in line for line in updated(mine, new))


def test_what_was_here_is_in_a_backup_and_my_gpt_is_untouched(mine, new):
    before = everything(mine)
    said = updated(mine, new)
    assert said[0] == "What was here before is in before_update/1/"
    assert (mine / "before_update" / "1" / CHAPTER).read_bytes() == before[CHAPTER]
    assert (mine / "my_gpt" / "double.py").read_text() == ANSWER
    assert {name for name in everything(mine) if name.startswith("before_update")} == {f"before_update/1/{CHAPTER}"}


def test_a_notebook_under_another_name_is_updated_too_and_the_chapter_comes_back(mine, new):
    (mine / CHAPTER).rename(mine / COPY)
    said = updated(mine, new)
    again = "was not here, and comes again without answers; in one that you have renamed they stay"
    assert f"{CHAPTER}: {again}" in said and f"{COPY}: 1 answer kept, 1 given cell renewed" in said
    assert sources(mine, COPY)[3] == ANSWER and sources(mine, COPY)[0] == "# 90 · Mini, once more"
    assert "NotImplementedError" in sources(mine)[3]


def test_a_copy_without_ids_is_known_by_what_it_defines(mine, new):
    (mine / CHAPTER).unlink()
    cells = [{key: value for key, value in one.items() if key != "id"} for one in answered()]
    work(mine, cells, "ch90 of mine.ipynb")
    updated(mine, new)
    assert sources(mine, "ch90 of mine.ipynb")[3] == ANSWER


def test_a_notebook_of_their_own_is_left_alone(mine, new):
    work(mine, [prose("x", "Notes.") | {"id": "notes"}], "chapters/notes.ipynb")
    before = (mine / "chapters" / "notes.ipynb").read_bytes()
    updated(mine, new)
    assert (mine / "chapters" / "notes.ipynb").read_bytes() == before


@pytest.mark.parametrize("content", [b"{not json", b"", b"\xff\xfe\0", b'{"nbformat": 3, "worksheets": []}', b"[1]"])
def test_a_notebook_that_cannot_be_read_is_kept_beside_and_said(mine, new, content):
    (mine / CHAPTER).write_bytes(content)
    said = updated(mine, new)
    assert f"{CHAPTER}: is no notebook that can be read; it is now {CHAPTER}.yours, and a new one in its place" in said
    assert (mine / f"{CHAPTER}.yours").read_bytes() == content and cells_of(mine)


def test_a_new_chapter_comes_and_a_removed_one_stays(mine, tmp_path):
    other = [{**one, "id": one["id"].replace(STEM, "ch91_more")} for one in chapter()]
    names = {"tests__ch91_more_py": FILES[f"tests/{STEM}.py"]}
    new = course(tmp_path / "new", {"chapters/ch91_more.ipynb": other}, version="2.0", **names)
    said = updated(mine, new)
    assert "chapters/ch91_more.ipynb: new" in said
    assert f"{CHAPTER}: no longer part of the course; it stays as it is" in said
    assert sources(mine)[3] == ANSWER


def test_files_that_may_only_be_read_are_updated(mine, new):
    for name in (CHAPTER, "utils/tool.py"):
        (mine / name).chmod(0o444)
    updated(mine, new)
    assert (mine / "utils" / "tool.py").read_text() == "TWO = 2\n" and sources(mine)[0].endswith("once more")


def test_a_zip_with_a_folder_in_it_will_do(mine, new, tmp_path):
    with zipfile.ZipFile(tmp_path / "new.zip", "w") as archive:
        for name, content in everything(new).items():
            archive.writestr(f"course-2.0/{name}", content)
    assert updated(mine, tmp_path / "new.zip")[-1] == "This is now version 2.0."
    assert updated(mine, new) == ["Everything is as in version 2.0: nothing to do."]


@pytest.mark.parametrize("name", ["../outside.py", "/tmp/outside.py", "a/../../outside.py", "my_gpt/double.py"])
def test_a_zip_that_leads_elsewhere_is_refused(mine, tmp_path, name):
    with zipfile.ZipFile(tmp_path / "new.zip", "w") as archive:
        archive.writestr(name, "x = 1")
    before = everything(mine)
    with pytest.raises(CourseError, match="is no release of the course: it holds"):
        updated(mine, tmp_path / "new.zip")
    assert everything(mine) == before


def test_what_is_no_zip_is_refused(mine, tmp_path):
    (tmp_path / "new.zip").write_text("no zip")
    with pytest.raises(CourseError, match=r"new\.zip can't be read as a zip"):
        updated(mine, tmp_path / "new.zip")


class Killed(BaseException):
    """As by kill -9: nothing runs any more."""


@pytest.mark.parametrize("after", range(6))
def test_an_update_that_was_killed_is_begun_again(mine, new, monkeypatch, after):
    """Whatever was written before, the second run ends where an undisturbed one does, and the answer is there."""
    written = []

    def write(path, content, whole=updating.write_bytes):
        if len(written) == after:
            raise Killed
        written.append(path)
        whole(path, content)

    before = (mine / CHAPTER).read_bytes()
    (mine / "utils" / "tool.py").write_text("ONE = 1.5\n")
    with monkeypatch.context() as patch:
        patch.setattr(updating, "write_bytes", write)
        try:
            list(update(str(new), mine))
        except Killed:
            pass
    updated(mine, new)
    assert sources(mine)[3] == ANSWER and sources(mine)[0].endswith("once more")
    assert (mine / "utils" / "tool.py").read_text() == "TWO = 2\n"
    assert (mine / "utils" / "tool.py.yours").read_text() == "ONE = 1.5\n"
    assert (mine / "before_update" / "1" / CHAPTER).read_bytes() == before
    assert updated(mine, new) == ["Everything is as in version 2.0: nothing to do."]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root and Windows may write anywhere")
def test_a_folder_that_cannot_be_written_is_said(mine, new):
    (mine / "utils").chmod(0o555)
    with pytest.raises(CourseError, match=r"utils/tool\.py can't be written: .*is in before_update/1"):
        updated(mine, new)
    (mine / "utils").chmod(0o755)
    assert updated(mine, new)[-1] == "This is now version 2.0."
