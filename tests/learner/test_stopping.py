"""utils.learner.in_page and in_page: where a run of many cells ended, and the scripts of a page."""

import re
from types import SimpleNamespace

import pytest
from IPython.core.events import EventManager, available_events

from judge.checking import CheckFailed
from judge.checking.verdict import Failure, Verdict
from utils import setup
from utils.learner import in_page
from utils.learner.in_page import copyable, stopped, tell_where_it_stops
from utils.live import in_page as figures_in_page

STUB = CheckFailed(Verdict("softmax", failure=Failure("agrees", (), not_yet=True)), card_is_seen=True)


@pytest.fixture
def shown(monkeypatch):
    """The HTML that a notebook displays."""
    found = []
    monkeypatch.setattr("IPython.display.display", lambda shown: found.append(shown.data))
    return found


def shell():
    """As much of a notebook's shell as has events."""
    made = SimpleNamespace(kernel=object())
    made.events = EventManager(made, available_events)
    return made


def ran(in_shell, in_exec=None, before_exec=None):
    result = SimpleNamespace(error_in_exec=in_exec, error_before_exec=before_exec)
    in_shell.events.trigger("post_run_cell", result)


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ({"in_exec": STUB}, "The run stopped. \\u25cb softmax: not yet"),
        ({"in_exec": NameError("name")}, "The run stopped. NameError"),
        ({"before_exec": SyntaxError("here")}, "The run stopped. SyntaxError"),
    ],
)
def test_a_cell_that_stops_leads_the_reader_to_it_once(shown, errors, words):
    notebook = shell()
    tell_where_it_stops(notebook)
    tell_where_it_stops(notebook)  # the first cell is run again
    ran(notebook, **errors)
    (page,) = shown
    assert f'"{words}"' in page and "window.courseStopped?.(" in page


@pytest.mark.parametrize("errors", [{}, {"in_exec": KeyboardInterrupt()}])
def test_nothing_is_told_where_nothing_stopped_or_the_reader_stopped_it(shown, errors):
    notebook = shell()
    tell_where_it_stops(notebook)
    ran(notebook, **errors)
    assert shown == []


def test_the_time_is_told_so_that_a_page_opened_later_is_quiet():
    assert "1500000)" in stopped("words", 1500.0) and "Date.now() - time > 60000" in in_page.HTML


def test_no_words_end_the_script():
    assert stopped("</script><b>", 0).count("</script>") == 1


def test_what_can_be_copied_is_a_block_and_its_button_needs_a_script():
    page = copyable("python -m a < b")
    assert page.startswith('<pre style="white-space:pre-wrap"><code>python -m a &lt; b</code></pre><script>')
    assert "<button" not in re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)


@pytest.mark.parametrize("hidden", [True, False])
def test_the_first_cell_of_a_chapter_dresses_the_page_unless_outputs_are_stored(hidden, shown, monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    if not hidden:
        monkeypatch.delenv("COURSE_PROGRESS")
    notebook = shell()
    monkeypatch.setattr("IPython.get_ipython", lambda: notebook)
    setup.start("ch03_layernorm")
    assert shown == ([] if hidden else [in_page.HTML + figures_in_page.HTML])
    assert bool(notebook.events.callbacks["post_run_cell"]) != hidden
