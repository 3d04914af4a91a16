"""utils.learner.welcome and the start page: where the learner is, on the map and as a list, and how long it took."""

import html
import os
import re
import shlex
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from author.start_page import COMMAND, START, STORY, build_start_page, check_start_page, start_page
from utils.course import ROOT, exercises, stems
from utils.learner.progress import record_pass
from utils.learner.welcome import WIDTH, Standing, Welcome, estimate, hours_in_all, minutes_of, time_in_words, title_of


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))


EVERYTHING = [(stem, one.symbol) for stem in stems() for one in exercises(stem)]


def test_at_the_beginning_the_first_chapter_is_next(state):
    page = Welcome()
    assert " ".join(str(page).partition("\n\n")[0].split()) == (
        f"0 of {len(EVERYTHING)} exercises Next: {title_of(stems()[0])}, in chapters/{stems()[0]}.ipynb"
    )
    assert f'<a href="{stems()[0]}.ipynb">' in page._repr_html_()


def pass_all_of(stem):
    for one in exercises(stem):
        record_pass(stem, one.symbol)


def test_what_has_passed_is_marked_on_the_map_and_in_the_list(state):
    pass_all_of("ch03_layernorm")
    page, words = Welcome(), Standing().map.words
    assert "Done: ln1, ln2 and ln_final." in words and words.startswith("Next: ")
    assert ">✔ LayerNorm</code>" in page._repr_html_() and "✔ 3 · LayerNorm" in str(page)


def test_at_the_end_nothing_is_next(state):
    for stem, symbol in EVERYTHING:
        record_pass(stem, symbol)
    page, standing = Welcome(), Standing()
    assert standing.next is None and "Next" not in standing.map.words
    assert "Every exercise has passed." in str(page) and "Every exercise has passed." in page._repr_html_()
    assert "It took you" not in str(page) and "python -m my_gpt" not in str(page)


def test_at_the_end_the_hours_are_told_and_the_way_to_a_story(state, tmp_path, monkeypatch):
    for stem, symbol in EVERYTHING:
        record_pass(stem, symbol)
    for file, at in zip((tmp_path / "my_gpt" / "passed").iterdir(), range(len(EVERYTHING)), strict=True):
        file.write_text(f"2026-01-{1 + at // 20:02}T{at % 20:02}:00:00+00:00\n")
    (tmp_path / "my_gpt" / "__main__.py").touch()
    page, standing = Welcome(), Standing()
    hours = len(EVERYTHING) - 1 - (len(EVERYTHING) - 1) // 20  # one apart, less the nights
    assert standing.end[1].startswith(f"It took you about {hours} hours: the time from opening chapters to passing")
    command = f'{sys.executable} -m my_gpt "Once upon a time"'
    assert standing.story == (f"In a terminal, in {tmp_path}:", command)
    assert f"\n    {command}\n" in str(page)  # a line of its own, to be copied
    assert f"<code>{html.escape(command)}</code></pre>" in page._repr_html_()
    monkeypatch.setattr("utils.learner.welcome.ROOT", tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    where, command = standing.story
    assert where == "In a terminal, in the course's folder:"
    assert command == f'{Path(".venv/bin/python")} -m my_gpt "Once upon a time"'


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


def test_a_chapter_without_a_notebook_is_called_by_its_stem(tmp_path):
    assert title_of("ch03_layernorm", tmp_path) == "ch03_layernorm"


@pytest.mark.parametrize(
    ("said", "minutes"),
    [
        ("About 75 minutes, 20 of them for the exercise.", 75),
        ("Allow about 1¾ hours.", 105),
        ("About 2½ hours in two sittings.", 150),
        ("Allow about an evening.", 0),
    ],
)
def test_a_chapters_first_cell_says_how_long_it_takes(tmp_path, said, minutes):
    (tmp_path / "chapters").mkdir()
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell(f"# 12 · Since GPT-2\n\n{said}")])
    nbformat.write(notebook, tmp_path / "chapters" / "ch12_since_gpt2.ipynb")
    assert minutes_of("ch12_since_gpt2", tmp_path) == minutes


def test_a_terminal_of_80_columns_shows_every_line_whole(state):
    pass_all_of("ch03_layernorm")
    lines = str(Welcome()).splitlines()
    assert max(map(len, lines)) <= WIDTH < 80
    (chapter,) = [line for line in lines if "3 · LayerNorm: one scale for every vector  " in line]
    assert chapter.startswith("✔ ") and chapter.endswith(f"  {estimate(minutes_of('ch03_layernorm'))}")
    assert any("✔ LayerNorm" in line for line in lines if line.startswith("    "))


@pytest.mark.parametrize(
    ("minutes", "words"), [(0, ""), (75, "75 min"), (120, "2 hours"), (150, "2½ hours"), (690, "11½ hours")]
)
def test_times_are_written_as_the_course_writes_them(minutes, words):
    assert estimate(minutes) == words


def test_the_course_takes_so_many_half_hours(monkeypatch):
    monkeypatch.setattr("utils.learner.welcome.stems", lambda root: ["ch00", "ch01", "ch02"])
    for each, words in ((20, "60 min"), (35, "105 min"), (53, "2½ hours"), (62, "3 hours")):
        monkeypatch.setattr("utils.learner.welcome.minutes_of", lambda stem, root, each=each: each)
        assert hours_in_all() == words


def test_the_start_page_says_what_to_expect_before_anything_is_run():
    page = start_page()
    before = page.cells[0].source
    for said in ("Run every cell of a chapter from the top", "Three hints", "**Training comes late.**"):
        assert said in before
    shown = page.cells[1].outputs[0].data["text/html"]
    assert "<img " in shown and all(f"{stem}.ipynb" in shown for stem in stems())


def test_the_start_page_says_how_long_the_chapters_take_together():
    assert f"about {hours_in_all()} in all" in start_page().cells[0].source


def test_the_start_page_is_made_and_checked(tmp_path):
    (tmp_path / "chapters").mkdir()
    assert check_start_page(tmp_path) == ["chapters/START.ipynb is out of date. Make it again: python -m utils build"]
    assert build_start_page(tmp_path) == ["chapters/START.ipynb: written"] and build_start_page(tmp_path) == []
    assert (tmp_path / START).exists() and check_start_page(tmp_path) == []


def test_a_start_page_that_was_run_is_up_to_date_and_one_with_an_old_map_is_not(tmp_path):
    (tmp_path / "chapters").mkdir()
    build_start_page(tmp_path)
    page = nbformat.read((tmp_path / START), as_version=4)
    page.cells[1].outputs = [nbformat.v4.new_output("stream", text="3 of 27")]
    for count, stale in ((None, True), (1, False)):
        page.cells[1].execution_count = count
        (tmp_path / START).write_text(nbformat.writes(page), encoding="utf-8")
        assert bool(check_start_page(tmp_path)) == stale


def test_before_it_is_run_the_start_page_shows_the_map_and_a_story():
    before, cell, _ = start_page().cells
    assert COMMAND in before.source and STORY.splitlines()[0] in before.source
    (shown,) = cell.outputs
    page = shown.data["text/html"]
    assert 'title="Attention: chapter 4"' in page and '<a href="ch04_attention.ipynb"' in page
    assert "0 of" not in page and "✔" not in page  # whoever opens it may have begun
    assert "one by one" in before.source and "Run All" in before.source


def test_the_page_needs_nothing_that_jupyterlab_strips_from_stored_outputs(state):
    page = Welcome(begun=False)._repr_html_()
    assert not re.search(r"<(script|style|svg|button)|aria-|left:\d+(\.\d+)?%|calc\(|var\(", page)


@pytest.mark.slow
def test_the_story_is_what_its_command_tells(tmp_path):
    command = [sys.executable, *shlex.split(COMMAND)[1:], "--tokens", "40"]
    told = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "COURSE_STATE": str(tmp_path)}, capture_output=True, encoding="utf-8"
    ).stdout
    story = " ".join(told[told.index("Once upon a time") :].split())
    assert len(story) > 120 and " ".join(STORY.split()).startswith(story)


def test_the_list_is_a_table_with_heads_in_both_directions(state):
    page = Welcome()._repr_html_()
    assert page.count('<th scope="col"') == 3 and page.count('<th scope="row"') == len(stems())
