"""pytest --nbval on notebooks, --nbval-lax on what a learner did with a chapter: the items, and their outcomes."""

import nbformat
import pytest
from nbval.plugin import IPyNbFile

from grader.nbval_items import FIGURE, CourseNotebook
from tests.grader.mini_fork import MENDED, STEM, STUBS, WRONG, chapter, hand_in, run_pytest, without, write_small_course
from tests.house.fresh_python import fresh_python
from utils.course.cells import calls, defines
from utils.pictures.picture import Picture

DOUBLE, COUNTER, BUG = f"{STEM}.ipynb::ch90 double", f"{STEM}.ipynb::ch90 Counter", "ch90 bug in the wild: area"
AFTER_COUNTER = f"{STEM}.ipynb::Cell 9"


def test_a_pytest_without_notebooks_imports_nothing_of_them():
    """Which may not be installed, and every run of pytest in the course has the plugin."""
    loaded = "import sys, grader.nbval_plugin; print(sys.modules.keys() & {'nbval', 'torch', 'nbformat'})"
    assert fresh_python(loaded).stdout == "set()\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A whole small course, and copies of its chapter in many states."""
    root = write_small_course(tmp_path_factory.mktemp("course"))
    filled = chapter(root, STUBS, MENDED)
    hand_in(root / "filled", filled, f"my_{STEM}-Copy1")
    hand_in(root / "named", filled, f"my_{STEM}-Copy2")
    wrong = chapter(root, WRONG)
    skipped = chapter(root, WRONG, ("test_double(double)", "# NBVAL_SKIP\ntest_double(double)"))
    hand_in(root / "broken", wrong, f"wrong_{STEM}")
    hand_in(root / "broken", skipped, f"skipped_{STEM}")
    hand_in(root / "broken", without(chapter(root, STUBS), "test_double("), f"no_test_{STEM}")
    hand_in(root / "broken", without(chapter(root, STUBS), "class Counter"), f"no_definition_{STEM}")
    write_others(root / "others")
    return root


# What the environment is told must reach the kernel: a state of its own, and no progress shown.
STATE = "import os\nassert (os.environ['COURSE_PROGRESS'], os.environ['COURSE_STATE'] == {home!r}) == ('hidden', False)"
DRAW = f"""\
from IPython.display import display
from utils.pictures.picture import Picture
display({{{FIGURE!r}: {{'data': [{{'z': [[0.123, 2]]}}]}}}}, raw=True)
Picture('arcs', {{'next': 0.967}}, '0.97')"""
OTHERS = ["state", "near", "apart"]


def write_others(folder):
    """A notebook that is no chapter: what a run's kernels are told, and a figure and a picture beside stored ones."""
    folder.mkdir()
    cells = {"state": nbformat.v4.new_code_cell(STATE.format(home=str(folder)), execution_count=1)}
    for name, stored in (("near", 0.124), ("apart", 0.13)):
        figure = {FIGURE: {"data": [{"z": [[stored, 2]]}]}}
        picture = Picture("arcs", {"next": 0.968}, "0.96")
        html = {"text/html": picture._repr_html_(), "text/plain": repr(picture)}
        number = 1 + len(cells)
        outputs = [("display_data", {"data": figure}), ("execute_result", {"data": html, "execution_count": number})]
        made = [nbformat.v4.new_output(kind, **what) for kind, what in outputs]
        cells[name] = nbformat.v4.new_code_cell(DRAW, outputs=made, execution_count=number)
    assert [*cells] == OTHERS
    nbformat.write(nbformat.v4.new_notebook(cells=[*cells.values()]), folder / "others.ipynb")


@pytest.fixture(scope="module")
def lax(course):
    """One run over all of the chapters; of what is broken in an answer, no kernel says more."""
    one = f"named/my_{STEM}-Copy2.ipynb::ch90 Counter"
    return run_pytest(
        course, "--nbval-lax", "chapters", "filled", "broken", one, "-k", "not broken or double or Counter"
    )


@pytest.mark.slow
def test_a_stub_chapter_fails_each_exercise_by_its_name(lax):
    outcomes, output = lax
    assert {name: outcome for name, outcome in outcomes.items() if name.startswith(STEM)} == {
        f"{STEM}.ipynb::Cell 0": "PASSED",
        f"{STEM}.ipynb::Cell 1": "PASSED",
        DOUBLE: "FAILED",
        COUNTER: "FAILED",
        f"{STEM}.ipynb::{BUG}": "XFAIL",
        f"{STEM}.ipynb::Cell 8": "XFAIL",
        AFTER_COUNTER: "PASSED",
    }, output
    assert "after double, Counter, which failed or is missing" in output
    assert "double: not yet" in output
    assert f"judged by the tests and the code beside the chapters, in {lax_root(output)}" in output
    assert "verdicts: each answer ran in" in output and "--course-seed" in output


def lax_root(output):
    return output.partition("beside the chapters, in ")[2].partition(";")[0]


@pytest.mark.slow
def test_a_filled_copy_under_another_name_passes(lax):
    outcomes, output = lax
    filled = {name: outcome for name, outcome in outcomes.items() if name.startswith(f"my_{STEM}-Copy1.ipynb::")}
    assert set(filled.values()) == {"PASSED"}, output
    assert {"ch90 double", "ch90 Counter", BUG} < {name.split("::")[1] for name in filled}


@pytest.mark.slow
def test_what_is_wrong_or_missing_fails_by_name(lax):
    outcomes, output = lax
    failed = {name for name, outcome in outcomes.items() if outcome == "FAILED" and not name.startswith(STEM)}
    assert failed == {
        f"wrong_{STEM}.ipynb::ch90 double",
        f"skipped_{STEM}.ipynb::ch90 double",
        f"no_definition_{STEM}.ipynb::ch90 Counter",
    }
    assert "No cell defines `Counter`" in output
    assert f"Its first lines are in the published chapters/{STEM}.ipynb." in output


@pytest.fixture(scope="module")
def strict(course):
    """One run that compares outputs with the stored ones, of the solution and of the other notebooks."""
    told = {"COURSE_STATE": str(course / "others"), "COURSE_PROGRESS": ""}
    return run_pytest(course, "--nbval", f"solutions/{STEM}.ipynb", "others", **told)


def of_others(name):
    return f"others.ipynb::Cell {OTHERS.index(name)}"


@pytest.mark.slow
def test_a_run_over_any_folder_has_a_state_of_its_own_and_hides_progress(strict):
    outcomes, output = strict
    assert outcomes[of_others("state")] == "PASSED", output


@pytest.mark.slow
def test_the_solution_passes_strictly(strict):
    outcomes, output = strict
    of_the_solution = {name: outcome for name, outcome in outcomes.items() if name.startswith(STEM)}
    assert set(of_the_solution.values()) == {"PASSED"}, output
    assert {DOUBLE, COUNTER} < outcomes.keys()
    assert "--nbval-lax judges what a learner wrote" in output


@pytest.mark.slow
def test_a_figure_may_be_one_apart_in_its_third_digit_and_a_picture_in_its_last(strict):
    outcomes, output = strict
    assert (outcomes[of_others("near")], outcomes[of_others("apart")]) == ("PASSED", "FAILED"), output


@pytest.mark.slow
def test_one_exercise_can_be_run_by_its_name(lax):
    outcomes, output = lax
    of_the_named = {name: outcome for name, outcome in outcomes.items() if name.startswith(f"my_{STEM}-Copy2.ipynb::")}
    assert of_the_named == {f"my_{STEM}-Copy2.ipynb::ch90 Counter": "PASSED"}, output


@pytest.mark.slow
def test_it_does_nothing_unless_it_is_asked_for(course):
    outcomes, output = run_pytest(course, "chapters", "--collect-only")
    assert outcomes == {}
    assert "error" not in output.lower() and "no tests collected" in output


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("class Pair:\n    pass", True),
        ("class Pair(nn.Module): pass", True),
        ("import torch\n@torch.no_grad()\ndef Pair(x):\n    return (", True),
        ("Pair = make()", True),
        ("Pair: type = make()", True),
        ("async def Pair(): ...", True),
        ("# class Pair:", False),
        ("    class Pair:", False),
        ("class Pairs:", False),
        ("Pair == 3", False),
        ("Pair.forward = forward", False),
        ("from solutions import Pair", False),
    ],
)
def test_a_definition_is_found_in_any_cell(source, found):
    assert defines(source, "Pair") is found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("test_pair(Pair)", True),
        ("%time test_pair( Pair )", True),
        ("x = 1\nfor seed in range(3):\n    test_pair(Pair, seed=seed)", True),
        ("# test_pair(Pair)", False),
        ("test_pair(Other)", False),
        ("test_pair(Pairs)", False),
        ("my_test_pair(Pair)", False),
    ],
)
def test_a_call_is_found_unless_it_is_a_comment(source, found):
    assert calls(source, "test_pair", "Pair") is found


def test_a_kernel_that_does_not_answer_is_started_once_more(monkeypatch):
    started = []

    def start(notebook):
        started.append(notebook)
        if len(started) == 1:
            raise RuntimeError("Kernel didn't respond in 60 seconds")

    monkeypatch.setattr(IPyNbFile, "setup", start)
    notebook = CourseNotebook.__new__(CourseNotebook)
    notebook.missing = {}
    notebook.setup()
    notebook.state.close()
    assert started == [notebook, notebook]
