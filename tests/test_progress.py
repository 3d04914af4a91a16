"""utils.learner.progress: a pass in a notebook is kept and counted, what can't be kept changes no verdict."""

import json
from types import SimpleNamespace

import pytest

from tests.ch03_layernorm import test_layer_norm as judge_layer_norm
from utils import course
from utils.checking import CheckFailed, use_runner
from utils.course import exercises, stems
from utils.learner import progress
from utils.learner.progress import kept_path, passed, progress_line, record_pass
from utils.running.local import LocalRunner

STEM = "ch03_layernorm"
EXERCISE = exercises(STEM)[0]
CELL = """\
from solutions.ch03_layernorm import LayerNorm as Given


class LayerNorm(Given):
    'Written in a cell.'
"""
TOTAL = sum(len(exercises(stem)) for stem in stems())
BAR = "▰" + "▱" * (TOTAL - 1) + f" 1 of {TOTAL} exercises"


@pytest.fixture
def state(tmp_path, monkeypatch):
    """An empty folder for the learner's progress, which is shown."""
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    monkeypatch.delenv("COURSE_PROGRESS")
    return tmp_path


@pytest.fixture
def component(state, monkeypatch):
    """A LayerNorm that was written in a cell of a running notebook."""
    namespace = {"__name__": "__main__", "In": ["", CELL]}
    exec(CELL, namespace)
    shell = SimpleNamespace(kernel=object(), user_ns=namespace)
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    monkeypatch.setattr("IPython.display.display", lambda data, raw: print(data["text/plain"]))
    return namespace["LayerNorm"]


def test_a_pass_is_kept_counted_and_told(component, state, capsys):
    assert passed() == set()
    judge_layer_norm(component)
    end = capsys.readouterr().out.splitlines()[-2:]
    assert end[0] == f"  Kept as `my_gpt/layer_norm.py`. {BAR}"
    assert end[1].startswith("  Next: ")
    kept = (state / "my_gpt" / "layer_norm.py").read_text(encoding="utf-8")
    assert kept == f'"""LayerNorm, written by you; it passed the checks of {STEM}."""\n\n{CELL}'
    assert kept_path(EXERCISE) == state / "my_gpt" / "layer_norm.py"
    assert passed() == passed(state) == {(STEM, "LayerNorm")}
    assert progress_line(STEM) == f"✔ LayerNorm     {BAR}"


def test_the_first_pass_keeps_its_time(component, state):
    record_pass(STEM, "LayerNorm", component)
    file = state / "my_gpt" / "progress.json"
    content = json.loads(file.read_text())
    content[STEM]["LayerNorm"] = "2001-01-01T00:00:00+00:00"
    content["ch99_gone"] = {"Other": "2002-02-02T00:00:00+00:00"}
    file.write_text(json.dumps(content))
    record_pass(STEM, "LayerNorm", component)
    assert json.loads(file.read_text()) == content
    assert progress_line(STEM).endswith(BAR)  # what the course no longer has is not counted


def test_nothing_has_passed_yet(state):
    assert progress_line(STEM) == f"○ LayerNorm     {'▱' * TOTAL} 0 of {TOTAL} exercises"
    assert list(state.iterdir()) == []


def test_a_failure_keeps_nothing(component, state, capsys):
    wrong = type("LayerNorm", (component,), {"forward": lambda self, residual: residual, "__module__": "__main__"})
    with pytest.raises(CheckFailed):
        judge_layer_norm(wrong)
    assert list(state.iterdir()) == []


def test_outside_a_notebook_nothing_is_touched(component, state, monkeypatch):
    elsewhere = type("LayerNorm", (component,), {"__module__": "solutions.ch03_layernorm"})
    assert record_pass(STEM, "LayerNorm", elsewhere) == ()
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(user_ns={}))  # IPython in a terminal
    assert record_pass(STEM, "LayerNorm", component) == ()
    monkeypatch.setattr("IPython.get_ipython", lambda: None)
    assert record_pass(STEM, "LayerNorm", component) == ()
    judge_layer_norm(component)
    assert list(state.iterdir()) == []


def test_code_that_runs_behind_a_wall_is_not_kept(component, state):
    class Wall:
        run, call = LocalRunner().run, LocalRunner().call

    with use_runner(Wall()):
        judge_layer_norm(component)
    assert list(state.iterdir()) == []


def test_where_progress_is_hidden_it_is_kept_but_not_told(component, state, monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS", "hidden")
    assert record_pass(STEM, "LayerNorm", component) == ()
    assert passed() == {(STEM, "LayerNorm")}


def test_a_folder_that_can_not_be_written_changes_no_verdict(component, state, monkeypatch, capsys):
    (state / "file").touch()
    monkeypatch.setenv("COURSE_STATE", str(state / "file"))
    judge_layer_norm(component)
    card = capsys.readouterr().out.splitlines()
    assert card[0] == "✔ LayerNorm" and "✘" not in "".join(card)
    assert card[-2].startswith("  (It could not be kept in my_gpt/: NotADirectoryError: ")
    assert card[-1].startswith("  Next: ")


@pytest.mark.parametrize("broken", ["gather", "save", "_count", "_next_line", "exercises", "state_dir"])
def test_whatever_breaks_becomes_a_line_of_the_card(broken, component, monkeypatch, capsys):
    def raise_it(*arguments):
        raise RuntimeError("out of order")

    monkeypatch.setattr(progress, broken, raise_it)
    judge_layer_norm(component)
    end = "\n".join(capsys.readouterr().out.splitlines()[-2:])
    assert "RuntimeError: out of order)" in end
    assert ("What comes next is unknown" if broken == "_next_line" else "It could not be kept in my_gpt/") in end


@pytest.mark.parametrize("content", ["", "{", "[]", "3", "null", '{"ch03": 1}', '{"ch03": "abc"}', "\xff"])
def test_a_damaged_file_says_so_and_what_to_do(content, component, state):
    file = state / "my_gpt" / "progress.json"
    file.parent.mkdir()
    file.write_bytes(content.encode("latin-1"))
    said = f"{file} is damaged. Delete it and run the test cells again: your code is not in it."
    for read in (passed, lambda: progress_line(STEM)):
        with pytest.raises(ValueError) as caught:
            read()
        assert str(caught.value) == said
    assert record_pass(STEM, "LayerNorm", component)[0] == f"(It could not be kept in my_gpt/: ValueError: {said})"
    assert file.read_bytes() == content.encode("latin-1")
    file.unlink()
    assert record_pass(STEM, "LayerNorm", component)[0].startswith("Kept as ")


def test_what_comes_next(component, tmp_path, monkeypatch):
    (tmp_path / "tests").mkdir()
    for stem, symbols in {"ch01_one": ("First", "Second"), "ch02_two": ("Third",)}.items():
        bodies = "".join(f"def test_{symbol.lower()}({symbol}): ...\n" for symbol in symbols)
        (tmp_path / "tests" / f"{stem}.py").write_text(bodies)
    monkeypatch.setattr(progress, "next_exercise", lambda stem, symbol: course.next_exercise(stem, symbol, tmp_path))
    following = [
        record_pass(*one, component)[-1]
        for one in (("ch01_one", "First"), ("ch01_one", "Second"), ("ch02_two", "Third"))
    ]
    assert following == [
        "Next: `Second`, further down.",
        "Next: read on here, then `Third` in chapters/ch02_two.ipynb.",
        "Next: read on here, then `Embed` in chapters/ch02_embeddings.ipynb, which is still open.",
    ]
    everything = {(stem, one.symbol) for stem in course.stems() for one in course.exercises(stem)}
    monkeypatch.setattr(progress, "passed", lambda: everything)
    last = "That was the last exercise there is. Read on: the rest of this chapter uses what you wrote."
    assert record_pass("ch02_two", "Third", component)[-1] == last
