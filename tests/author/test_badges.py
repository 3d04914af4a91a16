"""python -m utils badges: an instructor's copy gets its badges in seconds, and loses them again without a trace."""

import subprocess

import nbformat
import pytest

from author import building
from author.badges import forget_repository, name_repository, need_repository, put_badges
from author.building import build, chapter_path, solution_path
from author.start_page import START, build_start_page
from tests.author.mini_course import STEM, write_course
from utils.course import CourseError, branch, repository

PROJECT = "# what this is\n[project]\nname = 'x'  # a comment\n"


@pytest.fixture
def root(tmp_path, monkeypatch):
    def number(notebook, path, root):
        for count, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), 1):
            cell.execution_count = count

    monkeypatch.setattr(building, "execute", number)
    write_course(tmp_path)
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    list(build(STEM, tmp_path))
    build_start_page(tmp_path)
    monkeypatch.setattr(building, "execute", lambda *_: pytest.fail("a notebook was executed"))
    return tmp_path


def test_every_notebook_gets_its_badge_and_loses_it_again(root):
    files = [chapter_path(STEM, root), solution_path(STEM, root), (root / START), root / "pyproject.toml"]
    before = [file.read_bytes() for file in files]
    name_repository("ada/gpt", root=root)
    assert list(put_badges(root)) == [
        "chapters/START.ipynb: written",
        f"chapters/{STEM}.ipynb: written",
        f"solutions/{STEM}.ipynb: written, its outputs kept",
    ]
    for file in files[:3]:
        heading, fetching = nbformat.read(file, as_version=4).cells[:2]
        assert f"github/ada/gpt/blob/main/{file.relative_to(root).as_posix()})" in heading.source
        assert '"google.colab" in sys.modules' in fetching.source
    assert list(put_badges(root)) == []
    forget_repository(root)
    assert len(list(put_badges(root))) == 3
    assert before == [file.read_bytes() for file in files]


def test_a_notebook_that_is_out_of_date_is_named_and_the_others_are_done(root):
    source = root / "solutions" / f"{STEM}.py"
    source.write_text(source.read_text().replace("number + number", "2 * number"))
    name_repository("ada/gpt", root=root)
    with pytest.raises(CourseError, match=f"solutions/{STEM}.ipynb is out of date. Make it again: python -m"):
        list(put_badges(root))
    assert "ada/gpt" in (root / START).read_text() and "ada/gpt" in chapter_path(STEM, root).read_text()


FILES = [
    "",
    PROJECT,
    PROJECT + "\n[tool.course]  # where it lives\nrepository = 'old/name'  # once\nother = 1\n\n[tool.x]\ny = 2\n",
    PROJECT + '[tool.course]\nbranch = "old"\nrepository = "old/name"\n[tool.course.more]\nz = 3\n',
]


@pytest.mark.parametrize("text", FILES)
def test_pyproject_is_changed_in_these_two_entries_alone(tmp_path, text):
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    name_repository("ada/gpt", "term-2", tmp_path)
    assert (repository(tmp_path), branch(tmp_path)) == ("ada/gpt", "term-2")
    name_repository("ada/gpt", root=tmp_path)
    assert (repository(tmp_path), branch(tmp_path)) == ("ada/gpt", "main")
    kept = [line for line in text.splitlines() if not line.startswith(("repository", "branch"))]
    assert [line for line in path.read_text().splitlines() if line in kept and line] == [line for line in kept if line]
    forget_repository(tmp_path)
    assert (repository(tmp_path), branch(tmp_path)) == (None, "main")


@pytest.mark.parametrize("text", ["[tool]\ncourse.repository = 'a/b'\n", "course = [\n"])
def test_what_cannot_be_changed_safely_is_left_alone(tmp_path, text):
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    with pytest.raises(CourseError, match="Write there by hand"):
        name_repository("ada/gpt", root=tmp_path)
    assert path.read_text() == text


@pytest.mark.parametrize("names", [("gpt",), ('a/b"',), ("https://github.com/ada/gpt",), ("ada/gpt", 'x"')])
def test_a_name_of_another_form_is_refused_and_not_written(tmp_path, names):
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    with pytest.raises(CourseError, match=r"write OWNER/NAME, such as|is no branch's name"):
        name_repository(*names, root=tmp_path)
    assert (tmp_path / "pyproject.toml").read_text() == PROJECT


@pytest.mark.parametrize("url", ["git@github.com:ada/gpt.git", "https://github.com/ada/gpt", ""])
def test_without_a_name_the_one_of_git_is_proposed(tmp_path, url):
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    if url:
        subprocess.run(["git", "remote", "add", "origin", url], cwd=tmp_path, check=True)
    with pytest.raises(CourseError, match="python -m utils badges " + ("ada/gpt" if url else "OWNER/NAME")):
        need_repository(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.course]\nrepository = "ada/gpt"\n')
    need_repository(tmp_path)
