"""utils.learner.welcome and the start page: where the learner is, on the map and as a list, and how long it took."""

import html
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from utils.authoring.start_page import build_start_page, check_start_page, path_of
from utils.course import exercises, stems
from utils.learner.progress import record_pass
from utils.learner.welcome import PARTS, Welcome, time_in_words, title_of


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))


EVERYTHING = [(stem, one.symbol) for stem in stems() for one in exercises(stem)]


def test_at_the_beginning_the_first_chapter_is_next(state):
    page = Welcome()
    assert str(page).splitlines()[:2] == [
        f"0 of {len(EVERYTHING)} exercises",
        f"Next: {title_of(stems()[0])}, in chapters/{stems()[0]}.ipynb",
    ]
    assert f'<a href="{stems()[0]}.ipynb">' in page._repr_html_()


def test_what_has_passed_is_marked_on_the_map_and_in_the_list(state):
    record_pass("ch03_layernorm", "LayerNorm")
    page = Welcome()
    assert "Done: ln1, ln2 and ln_final." in page.map.words and page.map.words.startswith("Next: ")
    assert ">✔ LayerNorm</code>" in page._repr_html_() and "✔ 3 · LayerNorm" in str(page)


def test_at_the_end_nothing_is_next(state):
    for stem, symbol in EVERYTHING:
        record_pass(stem, symbol)
    page = Welcome()
    assert page.next is None and page.map and "Next" not in page.map.words
    assert "Every exercise has passed." in str(page) and "Every exercise has passed." in page._repr_html_()
    assert "It took you" not in str(page) and "python -m my_gpt" not in str(page)


def test_at_the_end_the_hours_are_told_and_the_way_to_a_story(state, tmp_path, monkeypatch):
    for stem, symbol in EVERYTHING:
        record_pass(stem, symbol)
    for file, at in zip((tmp_path / "my_gpt" / "passed").iterdir(), range(len(EVERYTHING)), strict=True):
        file.write_text(f"2026-01-{1 + at // 20:02}T{at % 20:02}:00:00+00:00\n")
    (tmp_path / "my_gpt" / "__main__.py").touch()
    page = Welcome()
    hours = len(EVERYTHING) - 1 - (len(EVERYTHING) - 1) // 20  # one apart, less the nights
    assert page.end[1].startswith(f"It took you about {hours} hours: the time from opening chapters to passing")
    told = f'In a terminal, in {tmp_path}: {sys.executable} -m my_gpt "Once upon a time"'
    assert told in str(page) and html.escape(told) in page._repr_html_()
    monkeypatch.setattr("utils.learner.welcome.ROOT", tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    assert f'in the course\'s folder: {Path(".venv/bin/python")} -m my_gpt "Once upon a time"' in page.end[-1]


@pytest.mark.parametrize(
    ("spent", "words"),
    [
        (timedelta(seconds=20), ""),
        (timedelta(seconds=70), "It took you about 1 minute: "),
        (timedelta(minutes=89), "It took you about 89 minutes: "),
        (timedelta(minutes=99), "It took you about 2 hours: "),
        (timedelta(days=1, hours=2), "It took you about 26 hours: "),
    ],
)
def test_hours_and_minutes_are_told_and_what_they_measure(spent, words):
    told = time_in_words(spent)
    assert told.startswith(words) and bool(told) == bool(words)
    assert not told or told.endswith(
        "without pauses of more than 2 hours, and without what you read after the last pass."
    )


def test_every_part_of_the_map_belongs_to_exercises_of_the_course():
    symbols = {symbol for _, symbol in EVERYTHING}
    for name, needed in PARTS.items():
        assert needed <= symbols or not needed & symbols, f"{name} is only half in the course"


def test_a_chapter_without_a_notebook_is_called_by_its_stem(tmp_path):
    assert title_of("ch03_layernorm", tmp_path) == "ch03_layernorm"


def test_the_start_page_is_made_and_checked(tmp_path):
    (tmp_path / "chapters").mkdir()
    assert check_start_page(tmp_path) == ["chapters/START.ipynb is out of date. Make it again: python -m utils build"]
    assert build_start_page(tmp_path) == ["chapters/START.ipynb: written"] and build_start_page(tmp_path) == []
    assert path_of(tmp_path).exists() and check_start_page(tmp_path) == []
