"""How the course is opened in a browser, as far as that can be told without one; with one: tests/browser."""

import os
import shutil

import pytest

from author.browsing import NoBrowser, chromium, copy_course, find_chromium, lab_command
from author.screenshots import pictures, screenshots
from utils.course import ROOT, CourseError


@pytest.fixture
def on_path(tmp_path, monkeypatch):
    """An empty PATH; what it returns puts a program there, whose path it gives."""
    monkeypatch.delenv("COURSE_BROWSER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("author.browsing.ELSEWHERE", ())

    def put(name):
        program = tmp_path / (f"{name}.exe" if os.name == "nt" else name)
        program.touch(mode=0o755)
        return str(program)

    return put


def test_a_browser_is_found_by_any_of_its_names(on_path):
    chrome = on_path("google-chrome")
    assert find_chromium() == chrome


def test_the_browser_that_is_named_comes_first(on_path, monkeypatch):
    on_path("chromium")
    mine = on_path("my-chrome")
    monkeypatch.setenv("COURSE_BROWSER", mine)
    assert find_chromium() == mine


def test_where_there_is_no_browser_it_says_how_to_get_one(on_path):
    with pytest.raises(NoBrowser, match=r"No Chromium or Chrome is to be found: apt-get install chromium, or name one"):
        find_chromium()


def test_a_browser_that_is_named_must_be_there(on_path, monkeypatch):
    on_path("chromium")
    monkeypatch.setenv("COURSE_BROWSER", "opera")
    with pytest.raises(NoBrowser, match="COURSE_BROWSER is opera, and there is no such program"), chromium():
        pass


@pytest.mark.skipif(not shutil.which("make") or os.name == "nt", reason="there is no make here")
def test_jupyterlab_is_started_by_the_makefiles_own_command_in_a_copy(tmp_path):
    copy_course(tmp_path)
    assert (tmp_path / "chapters" / "START.ipynb").read_bytes() == (ROOT / "chapters" / "START.ipynb").read_bytes()
    assert not (tmp_path / "my_gpt").exists() and not (tmp_path / ".git").exists()
    command = lab_command(tmp_path)
    assert "lab" in command and "install" not in command and "pip" not in command


def test_every_picture_of_the_readme_can_be_made_anew():
    """Those of the site by benchmarks/site.py and solving.py, which have it open."""
    of_the_site = {"site", "solve-stub", "solve-failed", "solve-passed"}
    assert {*pictures()} | of_the_site == {path.stem for path in (ROOT / "docs").glob("*.png")}


def test_a_picture_that_nobody_knows_is_no_picture():
    with pytest.raises(CourseError, match="no picture panorama; there are: not-yet, "):
        list(screenshots(["panorama"]))
