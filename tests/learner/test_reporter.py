"""utils.learner.reporter: who sees which card, and what of a pass is kept, counted and told."""

import io
import logging
import shutil
import sys
from types import SimpleNamespace

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from judge.checking.reporting import current_reporter
from judge.checking.verdict import Failure, Verdict
from tests.ch03_layernorm import test_layer_norm as judge_layer_norm
from tests.house.fresh_python import fresh_python
from utils.course import UNWATCHED, exercises, stems
from utils.learner import reporter
from utils.learner.cards import as_html
from utils.learner.progress import passed
from utils.learner.reporter import LearnerReporter

STEM = "ch03_layernorm"
CELL = """\
from solutions.ch03_layernorm import LayerNorm as Given


class LayerNorm(Given):
    'Written in a cell.'
"""
TOTAL = sum(len(exercises(stem)) for stem in stems())
BAR = "▰" + "▱" * 19 + f" 1 of {TOTAL} exercises"
NEXT = reporter.next_line(STEM, "LayerNorm")
FAILED = Verdict("LayerNorm", failure=Failure("holds", ("it does not",)))


@pytest.fixture
def state(tmp_path, monkeypatch):
    """An empty folder for what the learner keeps; progress is shown."""
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    for name in UNWATCHED:
        monkeypatch.delenv(name)
    return tmp_path


@pytest.fixture
def shown(monkeypatch):
    """What a notebook displays."""
    found = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw, display_id: found.append(data))
    return found


@pytest.fixture
def notebook(state, shown, monkeypatch):
    """The names of a running notebook in which CELL was run."""
    return run_cells(monkeypatch, CELL)


def run_cells(monkeypatch, *cells):
    names = {"__name__": "__main__"}
    for cell in cells:
        exec(cell, names)
    history = SimpleNamespace(input_hist_parsed=["", *cells])
    shell = SimpleNamespace(kernel=object(), user_ns=names, history_manager=history)
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    return names


def footer(card):
    """What a card in a notebook ends with."""
    return [line.strip() for line in card["text/plain"].splitlines()[1:]]


def report(component, verdict=None):
    return LearnerReporter().report(STEM, verdict or Verdict("LayerNorm"), component)


@pytest.mark.slow
def test_tests_bring_the_reporter_with_them():
    assert isinstance(current_reporter(), LearnerReporter)
    ran = fresh_python("import sys, tests; print('IPython' in sys.modules)")
    assert ran.stdout == "False\n"


def test_a_pass_in_a_notebook_is_kept_counted_and_told(notebook, state, shown):
    assert report(notebook["LayerNorm"]) is True
    lines = [BAR, "Kept as `my_gpt/layer_norm.py`.", NEXT]
    text = "\n".join(["✔ LayerNorm", *(f"  {line}" for line in lines)])
    assert shown == [{"text/plain": text, "text/html": as_html(Verdict("LayerNorm"), lines)}]
    kept = (state / "my_gpt" / "layer_norm.py").read_text(encoding="utf-8")
    first, rest = CELL.split("\n\n\n")
    header = f'"""LayerNorm, written by you; it passed the checks of {STEM}."""'
    assert kept == f"{header}\n\n{first}\n\n\n{rest}"
    assert passed() == {(STEM, "LayerNorm")}


def test_after_a_pass_my_gpt_is_a_package_that_has_the_part(notebook, state, shown, monkeypatch):
    report(notebook["LayerNorm"])
    part = (state / "my_gpt" / "parts" / "layer_norm.py").read_text(encoding="utf-8")
    assert "written by you" in part and part.endswith("'Written in a cell.'\n")
    assert (state / "my_gpt" / "__main__.py").is_file() and len(shown) == 1
    shutil.rmtree(state / "my_gpt")
    monkeypatch.setenv("COURSE_PROGRESS", "hidden")  # a build or a graded run: nobody will tell stories there
    report(notebook["LayerNorm"])
    assert not (state / "my_gpt" / "parts").exists() and (state / "my_gpt" / "layer_norm.py").exists()


def test_a_package_that_can_not_be_written_is_said_on_the_card(notebook, state, shown, monkeypatch):
    updated = []
    handle = SimpleNamespace(update=lambda data, raw: updated.append(data))
    monkeypatch.setattr("IPython.display.display", lambda data, raw, display_id: shown.append(data) or handle)
    (state / "my_gpt").mkdir()
    (state / "my_gpt" / "parts").touch()  # a file in the folder's place
    report(notebook["LayerNorm"])
    (first,), (second,) = shown, updated
    assert "Kept as `my_gpt/layer_norm.py`." in footer(first) and footer(second)[:-1] == footer(first)
    told = footer(second)[-1]
    assert told.startswith("(The package that my_gpt/ is does not have it yet: ") and str(state) in told
    assert told.endswith(" `python -m utils generate` tries again.)")
    (state / "my_gpt" / "parts").unlink()
    report(notebook["LayerNorm"])
    assert len(updated) == 1


def test_a_test_function_reports_the_whole_card(notebook, shown):
    judge_layer_norm(notebook["LayerNorm"])
    (card,) = shown
    assert footer(card)[-3:] == [BAR, "Kept as `my_gpt/layer_norm.py`.", NEXT] and "✘" not in card["text/plain"]


def test_a_failure_in_a_notebook_is_the_card_and_keeps_nothing(notebook, state, shown):
    assert report(notebook["LayerNorm"], FAILED) is True
    assert shown == [{"text/plain": str(FAILED), "text/html": as_html(FAILED)}]
    assert list(state.iterdir()) == []


def test_elsewhere_a_pass_is_printed_and_a_failure_left_to_the_exception(state, shown, monkeypatch, capsys):
    terminal = SimpleNamespace(user_ns={})  # IPython without a kernel
    for shell in (None, terminal):
        monkeypatch.setattr("IPython.get_ipython", lambda shell=shell: shell)
        assert report(object()) is True
        assert capsys.readouterr().out == "✔ LayerNorm\n"
        assert report(object(), FAILED) is False
        assert capsys.readouterr().out == ""
    assert shown == [] and list(state.iterdir()) == []


def test_code_that_lives_elsewhere_is_not_kept(notebook, state, shown):
    assert report(None) is True
    assert footer(shown[0]) == [] and list(state.iterdir()) == []


def test_what_is_not_the_learners_own_is_neither_counted_nor_kept(notebook, state, shown):
    report(notebook["Given"])
    for name in ("LayerNorm", "PublishedNorm"):
        report(type(name, (notebook["Given"],), {"__module__": "__main__"}))
    assert [footer(card) for card in shown] == [
        ["This is the reference solution: it is neither counted nor kept."],
        ["Neither counted nor kept: this notebook does not call it `LayerNorm`. Give it that name and test it again."],
        ["`PublishedNorm` does what `LayerNorm` should. It is not counted or kept as yours: that goes by the name."],
    ]
    assert list(state.iterdir()) == []


def test_what_can_not_be_kept_counts_and_says_why(state, shown, monkeypatch):
    base, rest = CELL.replace("'Written", "forward = None; 'Written").split("\n\n\n")
    loop = "for _ in [1]:\n    LayerNorm.forward = Given.forward"
    names = run_cells(monkeypatch, base, rest, loop)
    judge_layer_norm(names["LayerNorm"])
    counted, kept, following = footer(shown[0])[-3:]
    assert [counted, following] == [BAR, NEXT]
    assert kept.startswith("Not kept: run on its own, without the rest of this notebook, your code no longer passes")
    assert kept.endswith(" Write what `LayerNorm` needs without these, run it, then run this cell again.")
    assert [path.name for path in (state / "my_gpt").iterdir()] == ["passed"]


def test_where_progress_is_hidden_it_is_kept_but_not_told(notebook, state, shown, monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS", "hidden")
    assert report(notebook["LayerNorm"]) is True
    assert footer(shown[0]) == [] and passed() == {(STEM, "LayerNorm")}
    assert (state / "my_gpt" / "layer_norm.py").exists()


def test_a_folder_that_can_not_be_written_changes_no_verdict(notebook, state, shown, monkeypatch):
    (state / "file").touch()
    monkeypatch.setenv("COURSE_STATE", str(state / "file"))
    assert report(notebook["LayerNorm"]) is True
    counted, kept, following = footer(shown[0])
    assert counted.startswith("(It could not be counted: NotADirectoryError: ")
    assert kept.startswith("(It could not be kept in my_gpt/: NotADirectoryError: ") and following == NEXT


BROKEN = {
    "keep": "(It could not be kept in my_gpt/: RuntimeError: out of order)",
    "exercises": "(It could not be kept in my_gpt/: RuntimeError: out of order)",
    "record_pass": "(It could not be counted: RuntimeError: out of order)",
    "progress_bar": "(It could not be counted: RuntimeError: out of order)",
}


@pytest.mark.parametrize(("broken", "said"), BROKEN.items(), ids=BROKEN)
def test_whatever_breaks_becomes_a_line_of_the_card(broken, said, notebook, shown, monkeypatch):
    def fail(*arguments):
        raise RuntimeError("out of order")

    monkeypatch.setattr(reporter, broken, fail)
    assert report(notebook["LayerNorm"]) is True
    assert said in footer(shown[0]) and len(footer(shown[0])) == 3


def test_an_output_that_can_not_be_written_changes_no_verdict(monkeypatch):
    class Ascii:
        def write(self, text):
            text.encode("ascii")

    monkeypatch.setattr("sys.stdout", Ascii())
    assert report(object()) is False


def test_a_fault_of_ours_is_said_once_and_logged_and_breaks_nothing(notebook, state, shown, monkeypatch, capsys):
    def fail(*arguments):
        raise RuntimeError("out of\norder")

    reporter._say_once.cache_clear()
    assert report(notebook["LayerNorm"]) is True
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(reporter, "_card", fail)
    log, logged = logging.Logger("the reporter's"), io.StringIO()
    log.addHandler(logging.StreamHandler(logged))
    monkeypatch.setattr(reporter, "LOG", log)
    assert report(notebook["LayerNorm"]) is False
    assert "in _display" in logged.getvalue() and "RuntimeError: out of\norder" in logged.getvalue()
    assert report(notebook["LayerNorm"]) is False
    said = "(Something went wrong while the card was shown; your verdict stands. Please report this: "
    assert capsys.readouterr().err == f"{said}RuntimeError: out of order)\n"
    reporter._say_once.cache_clear()
    monkeypatch.setattr("sys.stderr", None)
    assert report(notebook["LayerNorm"]) is False


def test_a_real_shell_remembers_its_cells_as_we_read_them(state, shown, monkeypatch):
    """With a magic on top and one within, as IPython itself transforms and keeps them."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])  # the shell puts its own there
    monkeypatch.setenv("IPYTHONDIR", str(state / "ipython"))
    # without a file of its history, whose thread each fork in this process would wait for
    shell = InteractiveShell(config=Config(HistoryManager={"enabled": False}))
    shell.kernel = object()
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    shell.run_cell("%%time\n" + CELL, store_history=True)
    shell.run_cell("forward = Given.forward\nLayerNorm.forward = forward", store_history=True)
    report(shell.user_ns["LayerNorm"])
    assert "Kept as `my_gpt/layer_norm.py`." in footer(shown[0])
    kept = (state / "my_gpt" / "layer_norm.py").read_text(encoding="utf-8")
    assert kept.endswith("'Written in a cell.'\n\n\nforward = Given.forward\n\n\nLayerNorm.forward = forward\n")
