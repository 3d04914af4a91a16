"""utils.setup: the first cell of a chapter proves that `tests` is ours, whatever else the kernel would import."""

import importlib.util
import os
import subprocess
import sys
from importlib.machinery import ModuleSpec

import plotly.io as pio
import pytest

from tests.house.fresh_python import fresh_python
from utils import setup
from utils.course import ROOT
from utils.learner.progress import progress_line
from utils.setup import WrongPackage, start

STEM = "ch03_layernorm"
HINT = f"run `make lab` in {ROOT}, or choose its .venv as the kernel"
# what lies in the folder where the kernel starts
OTHERS = {
    "a package": ("tests/__init__.py", "raise SystemExit('it was run')"),
    "a package with a chapter of that name": (f"tests/{STEM}.py", ""),
    "a module": ("tests.py", "raise SystemExit('it was run')"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("file", "content"), OTHERS.values(), ids=OTHERS.keys())
def test_another_package_of_that_name_is_named_with_the_way_out(file, content, tmp_path):
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(content)
    run = subprocess.run(
        [sys.executable, "-c", f"from utils.setup import start; start({STEM!r})"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    last = run.stderr.splitlines()[-1]
    found = tmp_path / "tests" if file.endswith(f"{STEM}.py") else tmp_path / file
    assert last.startswith(f"utils.setup.WrongPackage: `import tests` finds {found}, not {ROOT / 'tests'}. ")
    assert HINT in last and sys.executable in last and run.stdout == ""
    assert last.endswith("Or there is another `tests` beside the notebook: rename it, or move the notebook.")


def test_the_first_cell_shows_progress_and_how_figures_are_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    monkeypatch.delenv("COURSE_PROGRESS")
    monkeypatch.delenv("PLOTLY_RENDERER", raising=False)
    start(STEM)
    assert capsys.readouterr().out == progress_line(STEM) + "\n"
    assert os.environ["PLOTLY_RENDERER"] == "plotly_mimetype"
    assert len(list((tmp_path / "my_gpt" / "opened").iterdir())) == 1


def test_a_folder_that_cannot_be_written_does_not_stop_the_chapter(tmp_path, monkeypatch, capsys):
    (tmp_path / "my_gpt").touch()  # a file where the folder should be
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    monkeypatch.delenv("COURSE_PROGRESS")
    start(STEM)
    assert capsys.readouterr().out == progress_line(STEM) + "\n"


def test_progress_that_cannot_be_read_does_not_stop_the_chapter(tmp_path, monkeypatch, capsys):
    def refused(stem):
        raise PermissionError("my_gpt/passed")

    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    monkeypatch.delenv("COURSE_PROGRESS")
    monkeypatch.setattr(setup, "progress_line", refused)
    start(STEM)
    assert capsys.readouterr().out == f"{STEM}: ready, but how far you are can't be read: my_gpt/passed\n"


def test_what_killed_writers_left_is_cleared(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    monkeypatch.delenv("COURSE_PROGRESS")
    old, new = (tmp_path / "my_gpt" / "model" / f".model.safetensors.{age}.partial" for age in ("old", "new"))
    old.parent.mkdir(parents=True)
    for one in (old, new):
        one.touch()
    os.utime(old, (0, 0))
    start(STEM)
    assert not old.exists() and new.exists()


def another_course(folder):
    (folder / "utils").mkdir(parents=True)
    (folder / "utils" / "setup.py").touch()
    (folder / "chapters").mkdir()
    return folder


@pytest.mark.parametrize("how", ["the notebook lies there", "it is on sys.path"])
def test_a_second_course_is_named_with_the_one_that_counts(how, tmp_path, monkeypatch, capsys):
    other = another_course(tmp_path / "other")
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    monkeypatch.delenv("COURSE_PROGRESS")
    monkeypatch.chdir(other / "chapters" if how == "the notebook lies there" else tmp_path)
    if how == "it is on sys.path":
        monkeypatch.syspath_prepend(str(other))
    start(STEM)
    said = capsys.readouterr().out
    assert f"belongs to the one in {other},\nbut the kernel has the one in {ROOT}, which judges" in said
    for own in (ROOT, ROOT / "chapters", tmp_path):
        monkeypatch.chdir(own)
        monkeypatch.setattr(sys, "path", [str(ROOT)])
        start(STEM)
        assert "There are two courses" not in capsys.readouterr().out


def test_what_was_chosen_stays_and_hidden_progress_is_not_shown(monkeypatch, capsys):
    monkeypatch.setenv("COURSE_PROGRESS", "hidden")
    monkeypatch.setenv("PLOTLY_RENDERER", "png")
    start(STEM)
    assert capsys.readouterr().out == f"{STEM}: ready\n"
    assert os.environ["PLOTLY_RENDERER"] == "png"


@pytest.fixture
def in_colab(monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", sys)
    monkeypatch.setattr(pio.renderers, "default", pio.renderers.default)


def test_in_colab_figures_are_html_that_waits_for_plotly(in_colab, monkeypatch, capsys):
    monkeypatch.delenv("PLOTLY_RENDERER", raising=False)
    start(STEM)
    assert "PLOTLY_RENDERER" not in os.environ and pio.renderers.default == "course_in_colab"


def test_in_colab_what_was_chosen_stays(in_colab, monkeypatch, capsys):
    monkeypatch.setenv("PLOTLY_RENDERER", "png")
    before = pio.renderers.default
    start(STEM)
    assert pio.renderers.default == before


def test_in_colab_the_way_out_is_colabs(in_colab, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: ModuleSpec(name, None, origin="/IPython/tests.py"))
    with pytest.raises(WrongPackage, match=r"finds /IPython/tests.py, .* Run the first code cell of this") as caught:
        start(STEM)
    assert "make lab" not in str(caught.value) and "Restart session" in str(caught.value)


@pytest.mark.slow
def test_torch_is_left_alone_by_the_collector_but_nothing_that_comes_later():
    code = """
import gc
from utils.setup import start
for _ in range(2):
    start("ch03_layernorm")
    print(gc.get_freeze_count())
    made = [[] for _ in range(1000)]
"""
    printed = fresh_python(code, COURSE_PROGRESS="hidden").stdout.split("\n")
    first, second = (int(line) for line in printed if line.isdigit())
    assert 100_000 < second <= first  # fewer, where some of these have gone


@pytest.mark.slow
@pytest.mark.parametrize("before", ["enable", "disable"])
def test_nothing_is_collected_while_torch_is_imported(before):
    """Else some three hundred times, which takes a sixth of the import's time."""
    code = f"""
import gc
from utils.setup import start
gc.{before}()
runs = sum(one["collections"] for one in gc.get_stats())
start("ch03_layernorm")
print(sum(one["collections"] for one in gc.get_stats()) - runs, gc.isenabled())
"""
    runs, enabled = fresh_python(code, COURSE_PROGRESS="hidden").stdout.split()[-2:]
    assert int(runs) < 20 and enabled == str(before == "enable")
