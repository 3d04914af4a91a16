"""A release holds what a learner needs and nothing else; without solutions it holds none of them, in any form."""

import json
import zipfile
from pathlib import Path

import pytest

from tests.author.mini_course import STEM, TESTS, write_course
from tests.releasing.courses import everything
from utils.course import CourseError
from utils.releasing.making import release
from utils.releasing.manifest import digest_of, read_manifest

SOLUTION = ("return number + number", "self.count += self.step", "return self.count\n")

PREDICTIONS = "from utils.learner.predictions import Predictions\n\nchapter = Predictions(__name__)\n"


@pytest.fixture
def mini(tmp_path):
    """The course of one small chapter, built, with files that are no learner's."""
    root = tmp_path / "course"
    root.mkdir()
    write_course(root)
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# 90 · Mini\n"]},
        {
            "cell_type": "markdown",
            "id": "b",
            "metadata": {},
            "source": "<details>\n<summary>Hint 2: pseudocode</summary>",
        },
        {
            "cell_type": "markdown",
            "id": "c",
            "metadata": {},
            "source": ["<details>\n", "<summary>Hint 3: the solution</summary>\n", "\n", "return number + number\n"],
        },
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    others = {
        f"chapters/{STEM}.ipynb": json.dumps(notebook),
        "pyproject.toml": '[project]\nname = "mini"\nversion = "1.2"\n\n[tool.ruff]\nline-length = 120\n',
        f"tests/misconceptions/{STEM}/double.py": "def by_twos(number):\n    return 2 * number\n",
        f"tests/predictions/{STEM}.py": PREDICTIONS,
        "tests/judge/checking/test_checks.py": "def test_x(): pass\n",
        "benchmarks/speed.py": "x = 1\n",
        "changelog.d/+x.learner.md": "New.\n",
        "utils/tool.py": "x = 1\n",
        "author/building.py": "x = 1\n",
        "utils/releasing/leaks.py": "x = 1\n",
        "utils/releasing/updating.py": "x = 1\n",
        "my_gpt/double.py": "x = 1\n",
        "LICENSE": "MIT\n",
    }
    for name, text in others.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def made(root, out, **options):
    """The files of a release, and what was said."""
    said = list(release(out, root, recorded=[], **options))
    return {name: content.decode() for name, content in everything(out).items()}, said


def test_with_solutions_it_has_all_that_runs_and_none_of_the_projects_own(mini, tmp_path):
    files, said = made(mini, tmp_path / "out")
    assert set(files) == {
        *("LICENSE", "Makefile", "README.md", "pyproject.toml", "release.json"),
        *("chapters/__init__.py", f"chapters/{STEM}.ipynb", "solutions/__init__.py", f"solutions/{STEM}.py"),
        *("tests/__init__.py", "tests/conftest.py", f"tests/{STEM}.py", f"tests/misconceptions/{STEM}/double.py"),
        f"tests/predictions/{STEM}.py",
        *("utils/tool.py", "utils/releasing/updating.py"),
    } - {"chapters/__init__.py"}
    assert files["README.md"].startswith("# GPT from scratch, 1.2\n") and "`solutions/`" in files["README.md"]
    assert "[tool.ruff]" not in files["pyproject.toml"] and 'version = "1.2"' in files["pyproject.toml"]
    assert said[-1].startswith(f"{tmp_path / 'out'}: {len(files)} files, 0.0 MB")


def test_without_solutions_no_file_holds_one(mini, tmp_path):
    files, said = made(mini, tmp_path / "out", without_solutions=True)
    assert not any(name.startswith(("solutions", "tests/misconceptions")) for name in files)
    assert f"tests/predictions/{STEM}.py" in files  # which the cells of chapters import
    for name, text in files.items():
        assert not any(one in text for one in SOLUTION), name
    cells = json.loads(files[f"chapters/{STEM}.ipynb"])["cells"]
    assert [cell["id"] for cell in cells] == ["a", "b"]
    assert "handed out without its solutions" in files["README.md"] and "are public" in files["README.md"]
    assert said[-1].endswith("; no line of a solution is in it")


def test_the_manifest_names_every_file(mini, tmp_path):
    files, _ = made(mini, tmp_path / "out")
    manifest = read_manifest(tmp_path / "out")
    assert manifest and manifest.version == "1.2" and manifest.solutions
    assert manifest.files == {name: digest_of(text.encode()) for name, text in files.items() if name != "release.json"}
    assert [cell.id for cell in manifest.notebooks[f"chapters/{STEM}.ipynb"]] == ["a", "b", "c"]


def test_two_releases_of_the_same_are_the_same(mini, tmp_path):
    assert made(mini, tmp_path / "one")[0] == made(mini, tmp_path / "two")[0]


def test_a_folder_in_use_is_refused_and_an_empty_one_is_filled(mini, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    made(mini, out)
    before = everything(out)
    with pytest.raises(CourseError, match="is there already, and not empty: name a folder that is to be made"):
        made(mini, out)
    assert everything(out) == before


def test_beside_the_course_is_outside_and_within_is_refused(mini, monkeypatch):
    (mini / ".git").mkdir()
    monkeypatch.chdir(mini)
    made(mini, Path("../out"))
    with pytest.raises(CourseError, match="lies in the course itself: name a folder outside"):
        made(mini, Path("out"))


LEAKS = {
    "a line": ("tests/ch90_mini.py", TESTS + "\n\ndef right(step):\n    self.count += self.step  # so\n"),
    "in another layout": ("utils/tool.py", "self.count   +=\\\n    self.step\n"),
    "in a notebook": (f"chapters/{STEM}.ipynb", None),
}


@pytest.mark.parametrize("where", LEAKS)
def test_what_leaks_is_named_with_its_place_and_nothing_is_made(mini, tmp_path, where):
    name, text = LEAKS[where]
    path = mini / name
    if text is None:
        notebook = json.loads(path.read_text())
        notebook["cells"][0]["source"] = ["# Mini\n", "    self.count += self.step\n"]
        text = json.dumps(notebook, indent=1)
    path.write_text(text)
    with pytest.raises(CourseError) as caught:
        made(mini, tmp_path / "out", without_solutions=True)
    first, leak = str(caught.value).split("\n")[:2]
    assert first == "This release would hold parts of solutions, so it was not made:"
    place, said = leak.split(": ", 1)
    assert place.rpartition(":")[0] == name and said.startswith(
        "holds a part of Counter's solution: self.count+=self.step"
    )
    assert not (tmp_path / "out").exists() and not list(tmp_path.glob(".out*"))


def test_an_archive_is_looked_into(mini, tmp_path):
    from author.source import read_source
    from utils.releasing.leaks import leaks_in, secrets_of

    folder = tmp_path / "archives"
    folder.mkdir()
    with zipfile.ZipFile(folder / "x.zip", "w") as archive:
        archive.writestr("index.json", '{"advice": "Write `self.count += self.step`."}')
    found = [str(one) for one in leaks_in(folder, secrets_of([read_source(STEM, mini)]))]
    assert found == ["x.zip/index.json:1: holds a part of Counter's solution: self.count+=self.step"]
