"""utils.grading.nbval_plugin: a notebook's items are its exercises by name, and what is missing fails by name."""

import os
import re
import subprocess
import sys

import nbformat
import pytest
from nbval.plugin import IPyNbFile

from tests.authoring.mini_course import STEM, copy_utils, write_course
from utils.authoring.building import build, chapter_path
from utils.course.cells import calls, defines
from utils.grading.nbval_items import FIGURE, CourseNotebook, as_stored

ANSWERS = {
    "double: write this part": "return 2 * number",
    "Counter.__init__: write this part": "self.count = 0",
    "Counter.next: write this part": "self.count += self.step; return self.count",
}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A whole small course with its tools, built, and copies of its chapter in many states."""
    root = write_course(tmp_path_factory.mktemp("course"))
    copy_utils(root)
    list(build(STEM, root))
    for folder in ("filled", "broken"):
        (root / folder).mkdir()
    nbformat.write(answered(root, ANSWERS), root / "filled" / f"my_{STEM}-Copy1.ipynb")
    wrong = answered(root, ANSWERS | {"double: write this part": "return 3 * number"})
    nbformat.write(wrong, root / "broken" / f"wrong_{STEM}.ipynb")
    for cell in wrong.cells:
        cell.source = cell.source.replace("test_double(double)", "# NBVAL_SKIP\ntest_double(double)")
    nbformat.write(wrong, root / "broken" / f"skipped_{STEM}.ipynb")
    for name, start in [("no_test", "test_double("), ("no_definition", "class Counter")]:
        without = answered(root, ANSWERS)
        without.cells = [cell for cell in without.cells if not cell.source.startswith(start)]
        nbformat.write(without, root / "broken" / f"{name}_{STEM}.ipynb")
    write_others(root / "others")
    return root


# What the environment is told must reach the kernel: a state of its own, and no progress shown.
STATE = "import os\nassert (os.environ['COURSE_PROGRESS'], os.environ['COURSE_STATE'] == {home!r}) == ('hidden', False)"
DRAW = f"""\
from IPython.display import display
display({{{FIGURE!r}: {{'data': [{{'z': [[0.123, 2]]}}]}}}}, raw=True)"""


def write_others(folder):
    """Notebooks that are no chapters: what a run's kernels are told, and a figure beside two that were stored."""
    folder.mkdir()
    codes = {"state": (STATE.format(home=str(folder)), [])}
    for name, stored in (("near", 0.124), ("apart", 0.13)):
        figure = {FIGURE: {"data": [{"z": [[stored, 2]]}]}}
        codes[name] = (DRAW, [nbformat.v4.new_output("display_data", data=figure)])
    for name, (code, outputs) in codes.items():
        cell = nbformat.v4.new_code_cell(code, outputs=outputs, execution_count=1)
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), folder / f"{name}.ipynb")


def answered(root, answers):
    """The chapter with each stub replaced; cells as a learner's editor leaves them, without ids and tags of ours."""
    notebook = nbformat.read(chapter_path(STEM, root), as_version=4)
    for cell in notebook.cells:
        for message, answer in answers.items():
            cell.source = cell.source.replace(f'raise NotImplementedError("{message}")', answer)
        cell.metadata = {}
    return notebook


def run_pytest(root, *arguments, plugins=("nbval.plugin", "utils.grading.nbval_plugin"), **told):
    """Outcome of each item by "file::name", and the whole output, of a pytest in that course."""
    command = [sys.executable, "-m", "pytest", "-W", "error", "-rA", "--color=no", "-p", "no:cacheprovider", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **told}
    for plugin in plugins:
        command += ["-p", plugin]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, encoding="utf-8")
    found = re.findall(r"^(PASSED|FAILED|XFAIL|ERROR) \S*?([^/\s]+\.ipynb::.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return {name: outcome for outcome, name in found}, done.stdout + done.stderr


@pytest.fixture(scope="module")
def lax(course):
    """One run over all of the chapters, which takes most of this file's time."""
    return run_pytest(course, "--nbval-lax", "chapters", "filled", "broken")


@pytest.mark.slow
def test_a_stub_chapter_fails_each_exercise_by_its_name(lax):
    outcomes, output = lax
    assert {name: outcome for name, outcome in outcomes.items() if name.startswith(STEM)} == {
        f"{STEM}.ipynb::Cell 0": "PASSED",
        f"{STEM}.ipynb::Cell 1": "PASSED",
        f"{STEM}.ipynb::Cell 2": "PASSED",
        f"{STEM}.ipynb::double": "FAILED",
        f"{STEM}.ipynb::Cell 4": "PASSED",
        f"{STEM}.ipynb::Counter": "FAILED",
        f"{STEM}.ipynb::Cell 6": "XFAIL",
        f"{STEM}.ipynb::Cell 7": "PASSED",
    }
    assert "after double, Counter, which failed or is missing" in output
    assert re.search(rf"^_+ double in {STEM}\.ipynb _+\ndouble: not yet\n_", output, re.MULTILINE)


@pytest.mark.slow
def test_a_filled_copy_under_another_name_passes(lax):
    outcomes, output = lax
    filled = {name: outcome for name, outcome in outcomes.items() if name.startswith(f"my_{STEM}-Copy1.ipynb::")}
    assert set(filled.values()) == {"PASSED"}, output
    assert {"double", "Counter"} < {name.split("::")[1] for name in filled}


@pytest.mark.slow
def test_what_is_wrong_or_missing_fails_by_name(lax):
    outcomes, output = lax
    failed = {name for name, outcome in outcomes.items() if outcome == "FAILED" and not name.startswith(STEM)}
    assert failed == {
        f"wrong_{STEM}.ipynb::double",
        f"skipped_{STEM}.ipynb::double",
        f"no_test_{STEM}.ipynb::double",
        f"no_definition_{STEM}.ipynb::Counter",
    }
    assert "double: got 9, expected 6" in output
    assert f"No cell of no_test_{STEM}.ipynb calls test_double(double). Add a code cell with that line" in output
    assert f"No cell of no_definition_{STEM}.ipynb defines Counter. Define it in a code cell" in output
    assert f"published chapters/{STEM}.ipynb" in output


@pytest.fixture(scope="module")
def strict(course):
    """One run that compares outputs with the stored ones, of the solution and of the other notebooks."""
    told = {"COURSE_STATE": str(course / "others"), "COURSE_PROGRESS": ""}
    return run_pytest(course, "--nbval", f"solutions/{STEM}.ipynb", "others", **told)


@pytest.mark.slow
def test_a_run_over_any_folder_has_a_state_of_its_own_and_hides_progress(strict):
    outcomes, output = strict
    assert outcomes["state.ipynb::Cell 0"] == "PASSED", output


@pytest.mark.slow
def test_the_solution_passes_strictly(strict):
    outcomes, output = strict
    of_the_solution = {name: outcome for name, outcome in outcomes.items() if name.startswith(STEM)}
    assert set(of_the_solution.values()) == {"PASSED"}, output
    assert {f"{STEM}.ipynb::double", f"{STEM}.ipynb::Counter"} < outcomes.keys()


@pytest.mark.slow
def test_a_figure_may_be_one_apart_in_its_third_digit(strict):
    outcomes, output = strict
    assert (outcomes["near.ipynb::Cell 0"], outcomes["apart.ipynb::Cell 0"]) == ("PASSED", "FAILED"), output


@pytest.mark.parametrize(
    ("value", "stored", "same"),
    [
        (0.123, 0.124, True),
        (0.123, 0.125, False),
        (9.99, 10.0, True),
        (1.0, -1.0, False),
        (2e-7, 0.0, True),
        ({"z": [[1.0, 2.0]]}, {"z": [[1.0, 2.01]]}, True),
        ({"z": [[1.0, 2.0]]}, {"z": [[1.0, 2.0, 3.0]]}, False),
        ({"z": [1.0]}, {"y": [1.0]}, False),
        ({"name": "0.123"}, {"name": "0.124"}, False),
    ],
)
def test_what_counts_as_the_stored_figure(value, stored, same):
    assert (as_stored(value, stored) == stored) is same


@pytest.mark.slow
def test_one_exercise_can_be_run_by_its_name(course):
    outcomes, output = run_pytest(course, "--nbval-lax", f"filled/my_{STEM}-Copy1.ipynb::Counter")
    assert outcomes == {f"my_{STEM}-Copy1.ipynb::Counter": "PASSED"}, output


@pytest.mark.slow
def test_it_does_nothing_unless_nbval_is_there_and_asked_for(course):
    for plugins in (("nbval.plugin", "utils.grading.nbval_plugin"), ("utils.grading.nbval_plugin",)):
        outcomes, output = run_pytest(course, "chapters", f"tests/{STEM}.py", "--collect-only", plugins=plugins)
        assert outcomes == {}
        assert "error" not in output.lower()
        assert "tests collected" in output


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
