"""A fork judged whole: by pytest in it, and by `utils.grading.fork`, which reads nothing of it but its notebooks."""

import re
import shutil
import subprocess

import pytest

from tests.authoring.mini_course import STEM
from tests.grading.mini_fork import (
    MENDED,
    STUBS,
    WRONG,
    chapter,
    hand_in,
    run,
    run_pytest,
    write_small_course,
)

pytestmark = pytest.mark.slow
DOUBLE, COUNTER = f"{STEM}.ipynb::ch90 double", f"{STEM}.ipynb::ch90 Counter"
# Each would end every test as a pass, or every run before its first test.
PASSES = "import pytest\n\n\ndef pytest_runtest_protocol(item, nextitem):\n    return True\n"
HOSTILE = {
    "conftest.py": PASSES,
    "chapters/conftest.py": PASSES,
    "pytest.ini": "[pytest]\naddopts = --collect-only -q\n",
    "chapters/pytest.ini": "[pytest]\naddopts = --collect-only -q\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = ['--collect-only']\n",
    "tox.ini": "[pytest]\naddopts = --collect-only\n",
    "sitecustomize.py": "import os\nos._exit(0)\n",
    "utils/__init__.py": "",
    "utils/grading/__init__.py": "import os\nos._exit(0)\n",
    "tests/__init__.py": "import os\nos._exit(0)\n",
    "chapters/torch.py": "import os\nos._exit(0)\n",
    "pytest.py": "import os\nos._exit(0)\n",
    "nbval/__init__.py": "import os\nos._exit(0)\n",
}
LEAVES = "import os, sys; 'ipykernel' in sys.modules and os._exit(0); return 2 * number"
HANGS = "import sys\n    while 'ipykernel' in sys.modules: pass\n    return 2 * number"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return write_small_course(tmp_path_factory.mktemp("course"))


@pytest.fixture
def fork(course, tmp_path):
    """The folder of a learner, with whatever may deceive a pytest that is started there."""
    for name, text in HOSTILE.items():
        path = tmp_path / "fork" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "fork"


def judged(course, fork, *options):
    """By the command, started in the fork itself, whose Python and pytest settings are hostile too."""
    hostile = {"PYTEST_ADDOPTS": "--collect-only", "PYTEST_PLUGINS": "conftest"}
    return run(["utils.grading.fork", str(fork), *options, "--", "-rA", "--color=no"], course, fork, **hostile)


def test_nothing_but_notebooks_is_read_round_a_wrong_answer(course, fork):
    hand_in(fork / "chapters", chapter(course, WRONG))
    outcomes, output = judged(course, fork)
    assert (outcomes[DOUBLE], outcomes[COUNTER]) == ("FAILED", "PASSED"), output
    assert output.endswith("exit code 1")
    assert f"judged by the course in {course}" in output and "nothing but its notebooks was read" in output


def test_nothing_but_notebooks_is_read_round_a_right_answer(course, fork):
    hand_in(fork / "chapters", chapter(course, STUBS, MENDED))
    outcomes, output = judged(course, fork, "--junitxml", str(fork / "report.xml"))
    assert set(outcomes.values()) == {"PASSED"}, output
    assert output.endswith("exit code 0")
    assert 'name="ch90 double"' in (fork / "report.xml").read_text(encoding="utf-8")


def test_plain_pytest_with_a_course_hands_over(course, tmp_path):
    """The fork's conftest.py is not read; its pytest.ini was, before any plugin could say anything."""
    fork = tmp_path / "fork"
    hand_in(fork / "chapters", chapter(course, WRONG))
    (fork / "conftest.py").write_text(PASSES, encoding="utf-8")
    outcomes, output = run_pytest(course, "--nbval-lax", "--course", str(course), "chapters", "-k", "ch90", cwd=fork)
    assert (outcomes[DOUBLE], outcomes[COUNTER]) == ("FAILED", "PASSED"), output
    assert output.endswith("exit code 1")


@pytest.mark.parametrize("name", [f"my_{STEM}", "ch91_other", "unnamed"])
def test_a_chapter_under_another_name_is_missing(course, tmp_path, name):
    hand_in(tmp_path / "chapters", "{}", name)
    outcomes, output = judged(course, tmp_path)
    assert outcomes[DOUBLE] == outcomes[COUNTER] == "FAILED", output
    assert f"chapters/{STEM}.ipynb is missing." in output
    assert (f"my_{STEM}.ipynb beside it does not count in its place" in output) is name.startswith("my_")


def test_what_is_no_notebook_is_a_failure_without_a_traceback(course, tmp_path):
    hand_in(tmp_path / "chapters", "{")
    outcomes, output = judged(course, tmp_path)
    assert outcomes[DOUBLE] == outcomes[COUNTER] == "FAILED", output
    assert "is not JSON" in output and "INTERNALERROR" not in output and "Traceback" not in output


def test_a_linked_notebook_is_a_failure(course, tmp_path):
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / f"{STEM}.ipynb").symlink_to(course / "solutions" / f"{STEM}.ipynb")
    outcomes, output = judged(course, tmp_path)
    assert outcomes[DOUBLE] == outcomes[COUNTER] == "FAILED", output
    assert "is a symbolic link" in output


@pytest.mark.parametrize("named", [".", "chapters"])
def test_a_linked_folder_of_chapters_is_a_failure_by_name(course, tmp_path, named):
    """Where both are checked out side by side, it may lead to the solutions of the course that judges."""
    (tmp_path / "chapters").symlink_to(course / "solutions")
    outcomes, output = judged(course, tmp_path / named)
    assert outcomes[DOUBLE] == outcomes[COUNTER] == "FAILED", output
    assert f"{STEM}.ipynb is a symbolic link" in output


TABLE = "return TABLE[0] * number"


def test_demos_run_with_all_that_a_right_answer_uses(course, tmp_path):
    notebook = chapter(course, STUBS | {"double: write this part": TABLE}, MENDED)
    filled = "TABLE = []\nif True:\n    TABLE.append(2)\n    print(TABLE)"
    notebook["cells"].append({**notebook["cells"][-1], "cell_type": "code", "id": "mine", "source": filled})
    hand_in(tmp_path / "chapters", notebook)
    outcomes, output = judged(course, tmp_path)
    assert set(outcomes.values()) == {"PASSED"}, output


def test_a_cell_that_nobody_can_read_costs_nobody_the_report(course, tmp_path):
    notebook = chapter(course, STUBS, MENDED)
    for source in ("x = " + "-" * 100_000 + "1", "%x\n" * 200_000):
        notebook["cells"].insert(0, {"cell_type": "code", "metadata": {}, "source": source})
    hand_in(tmp_path / "chapters", notebook)
    outcomes, output = judged(course, tmp_path)
    assert set(outcomes.values()) == {"PASSED"}, output


@pytest.mark.parametrize(("answer", "said"), [(LEAVES, "process has ended"), (HANGS, "more than 12 seconds")])
def test_a_kernel_that_ends_leaves_the_verdicts_alone(course, tmp_path, answer, said):
    right = STUBS | {"double: write this part": answer}
    hand_in(tmp_path / "chapters", chapter(course, right, MENDED))
    outcomes, output = run_pytest(course, "--nbval-lax", "--nbval-cell-timeout=12", str(tmp_path / "chapters"))
    assert {name.partition("::")[2]: outcome for name, outcome in outcomes.items()} == {
        "Cell 0": "PASSED",
        "Cell 1": "PASSED",
        "ch90 double": "PASSED",
        "ch90 Counter": "PASSED",
        "ch90 bug in the wild: area": "PASSED",
        "Cell 8": "FAILED",
        "Cell 9": "FAILED",
    }, output
    assert said in output
    assert "Not run: the kernel ended in Cell 8." in output
    assert float(re.findall(r"in (\d+\.\d+)s", output)[-1]) < 100


def test_a_bug_in_the_wild_counts_where_the_course_says_so(course, tmp_path):
    hand_in(tmp_path / "chapters", chapter(course, STUBS))
    settings = course / "pyproject.toml"
    settings.write_text('[tool.course]\nbugs = "count"\n', encoding="utf-8")
    outcomes, output = run_pytest(course, "--nbval-lax", str(tmp_path / "chapters"))
    settings.unlink()
    failed = {name for name, outcome in outcomes.items() if outcome == "FAILED"}
    assert failed == {f"{STEM}.ipynb::ch90 bug in the wild: area"}, output


def test_a_commit_of_the_course_judges(course, tmp_path):
    """Not what has become of the folder since."""
    home, fork = tmp_path / "home", tmp_path / "fork"
    shutil.copytree(course, home, ignore=shutil.ignore_patterns("__pycache__", "broken", "filled"))
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "released"]):
        who = ["-c", "user.name=course", "-c", "user.email=course@example.org"]
        subprocess.run(["git", *who, *command], cwd=home, check=True)
    tests = home / "tests" / f"{STEM}.py"
    tests.write_text(tests.read_text("utf-8").replace("for number in (3, 0, -7, 21)", "for number in ()"), "utf-8")
    hand_in(fork / "chapters", chapter(course, WRONG))
    outcomes, output = run(["utils.grading.fork", str(fork), "--course", "HEAD", "--", "-rA"], home, fork)
    assert outcomes[DOUBLE] == "FAILED", output
    assert f"judged by commit HEAD of {home}" in output
    _, output = run(["utils.grading.fork", str(fork), "--course", "no-such-commit"], home, fork)
    assert "--course no-such-commit: neither a folder nor a commit" in output and output.endswith("exit code 2")


@pytest.mark.parametrize("course_named", ["empty", "."])
def test_a_course_that_is_none_is_refused(course, tmp_path, course_named):
    (tmp_path / "empty").mkdir()
    hand_in(tmp_path / "chapters", chapter(course, STUBS))
    named = str(tmp_path / course_named)
    outcomes, output = run(["utils.grading.fork", str(tmp_path), "--course", named], course, tmp_path)
    assert outcomes == {} and "can't judge a fork: it has no utils/grading/fork_items.py" in output
    assert output.endswith("exit code 2")
