"""utils.learner.progress: what has passed is counted, once and for all, whoever else counts at the same time."""

from datetime import timedelta

import pytest

from tests.house.fresh_python import at_once, fresh_python
from utils import course
from utils.course import all_exercises, exercises, stems
from utils.learner import progress
from utils.learner.progress import (
    next_line,
    passed,
    progress_bar,
    progress_line,
    record_opening,
    record_pass,
    time_spent,
)

STEM = "ch03_layernorm"
TOTAL = sum(len(exercises(stem)) for stem in stems())
BAR = "▰" + "▱" * 19 + f" 1 of {TOTAL} exercises"


@pytest.fixture
def state(tmp_path, monkeypatch):
    """An empty folder for the learner's progress."""
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    return tmp_path


def test_a_long_line_breaks_between_exercises():
    *marks, bar = progress_line("ch08_sampling").splitlines()
    assert max(map(len, [*marks, bar])) <= 78 and len(marks) > 1
    assert "\xa0" not in "".join(marks) and {line[0] for line in marks} == {"○"} and bar[0] == "▱"


def test_nothing_has_passed_yet(state):
    assert passed() == set()
    line = progress_line(STEM)
    assert "○ LayerNorm  " in line and line.endswith(f"{'▱' * 20} 0 of {TOTAL} exercises")
    assert list(state.iterdir()) == []


def test_a_pass_is_counted_once(state):
    for _ in range(2):
        record_pass(STEM, "LayerNorm")
    assert passed() == {(STEM, "LayerNorm")}
    line = progress_line(STEM)
    assert "✔ LayerNorm  " in line and line.endswith(BAR) and progress_bar() == BAR


def test_the_first_pass_keeps_its_time(state):
    record_pass(STEM, "LayerNorm")
    (file,) = (state / "my_gpt" / "passed").iterdir()
    assert file.name == "ch03_layernorm.LayerNorm" and file.read_text().endswith("+00:00\n")
    file.write_text("2001-01-01T00:00:00+00:00\n")
    record_pass(STEM, "LayerNorm")
    assert file.read_text() == "2001-01-01T00:00:00+00:00\n"


def test_the_time_spent_is_that_between_openings_and_passes_without_long_pauses(state):
    assert time_spent() == timedelta()
    record_opening(STEM)
    record_pass(STEM, "LayerNorm")
    assert len(list((state / "my_gpt" / "opened").glob(f"{STEM}.*"))) == 1
    assert timedelta() <= time_spent() <= timedelta(minutes=1)
    opened, passed_at = state / "my_gpt" / "opened", state / "my_gpt" / "passed"
    for file in opened.iterdir():
        file.write_text("2026-01-01T08:00:00+00:00\n")
    (passed_at / f"{STEM}.LayerNorm").write_text("2026-01-01T09:50:00+01:00\n")  # 08:50
    assert time_spent() == timedelta(minutes=50)
    (opened / f"{STEM}.later").write_text("2026-01-01T10:51:00+00:00\n")  # a pause of 2 hours and a minute
    (passed_at / "ch04_attention.softmax").write_text("2026-01-01T11:01:00+00:00\n")
    assert time_spent() == timedelta(minutes=60)


def test_a_time_that_cannot_be_read_is_left_out(state):
    for name, text in {"a": "", "b": "soon", "c": "2026-01-01T08:00:00", "d": "2026-01-01T08:00:00+00:00"}.items():
        file = state / "my_gpt" / "opened" / f"ch03_layernorm.{name}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert time_spent() == timedelta()


def test_only_the_last_pass_fills_the_bar(state):
    everything = [(one.stem, one.symbol) for one in all_exercises()]
    for stem, symbol in everything[:-1]:
        record_pass(stem, symbol)
    assert progress_bar() == "▰" * 19 + f"▱ {TOTAL - 1} of {TOTAL} exercises"
    record_pass(*everything[-1])
    assert progress_bar() == "▰" * 20 + f" {TOTAL} of {TOTAL} exercises"


def test_what_the_course_no_longer_has_is_not_counted(state):
    for stem, symbol in (("ch99_gone", "Other"), (STEM, "Gone"), (STEM, "LayerNorm")):
        record_pass(stem, symbol)
    assert progress_bar() == BAR


def test_what_another_program_left_behind_is_not_counted(state):
    record_pass(STEM, "LayerNorm")
    for name in (".ch03_layernorm.Other.1f.partial", ".DS_Store", "notes.txt"):
        (state / "my_gpt" / "passed" / name).touch()
    assert passed() == {(STEM, "LayerNorm")}


OLD = {STEM: {"LayerNorm": "2001-01-01T00:00:00+00:00"}, "ch02_embeddings": {"Embed": "2001-01-01T00:00:00+00:00"}}
TWO = {(STEM, "LayerNorm"), ("ch02_embeddings", "Embed")}
PASS_MANY = """\
from utils.learner.progress import record_pass
# ready
for number in range(200):
    record_pass("ch{chapter}_many", f"symbol_{{number}}")
    record_pass("ch03_layernorm", "LayerNorm")
"""


@pytest.mark.parametrize("is_a_file", ["my_gpt", "my_gpt/passed", "my_gpt/opened"])
def test_files_in_the_place_of_folders_are_no_progress(is_a_file, state):
    place = state / is_a_file
    place.parent.mkdir(exist_ok=True)
    place.write_text("mine")
    assert passed() == set() and time_spent() == timedelta()
    assert "○ LayerNorm" in progress_line(STEM) and next_line(STEM, "LayerNorm").startswith("Next: ")
    assert place.read_text() == "mine"


@pytest.mark.slow
def test_three_notebooks_at_once_lose_no_pass(state):
    at_once([PASS_MANY.format(chapter=chapter) for chapter in (91, 92, 93)], state / "waiting")
    many = {(f"ch{chapter}_many", f"symbol_{number}") for chapter in (91, 92, 93) for number in range(200)}
    assert passed() == many | {(STEM, "LayerNorm")}
    assert len(list((state / "my_gpt" / "passed").iterdir())) == 601
    assert (state / "my_gpt" / "passed" / "ch03_layernorm.LayerNorm").read_text().endswith("+00:00\n")


def test_what_comes_next(state, monkeypatch):
    (state / "tests").mkdir()
    for stem, symbols in {"ch01_one": ("First", "Second"), "ch02_two": ("Third",)}.items():
        bodies = "".join(f"def test_{symbol.lower()}({symbol}): ...\n" for symbol in symbols)
        (state / "tests" / f"{stem}.py").write_text(bodies)
    monkeypatch.setattr(progress, "next_exercise", lambda stem, symbol: course.next_exercise(stem, symbol, state))
    first = exercises(stems()[0])[0]  # of the course as it is
    assert [next_line(*one) for one in (("ch01_one", "First"), ("ch01_one", "Second"), ("ch02_two", "Third"))] == [
        "Next: `Second`, further down.",
        "Next: read on here, then `Third` in chapters/ch02_two.ipynb.",
        f"Next: read on here, then `{first.symbol}` in chapters/{first.stem}.ipynb, which is still open.",
    ]
    for stem in stems():
        for exercise in exercises(stem):
            record_pass(stem, exercise.symbol)
    last = "That was the last exercise. Read on: the rest of this chapter uses what you wrote."
    assert next_line("ch02_two", "Third") == last


def test_the_set_up_cell_needs_no_torch():
    ran = fresh_python("import sys, utils.setup; print([name for name in ('torch', 'IPython') if name in sys.modules])")
    assert ran.stdout == "[]\n"
