"""A fork judged whole: by pytest in it, and by `grader.fork`, which reads nothing of it but its notebooks."""

import re
import shutil
import subprocess

import pytest

from grader import fork as command
from tests.author.mini_course import STEM
from tests.grader.mini_fork import MENDED, STUBS, WRONG, chapter, hand_in, run, run_pytest, write_small_course

pytestmark = pytest.mark.slow
OTHERS = [f"ch{number}_mini" for number in range(91, 99)]
COPIED, OTHER_NAME, UNNAMED, NO_JSON, LINKED, LEAVING, HANGING, WITH_BUG = OTHERS  # in a fork where much is wrong
WITH_TABLE, UNREADABLE = OTHERS[:2]  # in one where all is right
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
    "grader/__init__.py": "import os\nos._exit(0)\n",
    "tests/__init__.py": "import os\nos._exit(0)\n",
    "chapters/torch.py": "import os\nos._exit(0)\n",
    "pytest.py": "import os\nos._exit(0)\n",
    "nbval/__init__.py": "import os\nos._exit(0)\n",
}
TABLE = "return TABLE[0] * number"
FILLED = "TABLE = []\nif True:\n    TABLE.append(2)\n    print(TABLE)"
LEAVES = "import os, sys; 'ipykernel' in sys.modules and os._exit(0); return 2 * number"
HANGS = "import sys, time\n    while 'ipykernel' in sys.modules: time.sleep(0.1)\n    return 2 * number"
SECONDS = 6  # for a cell, of which none but the hanging one takes any


def double(stem):
    return f"{stem}.ipynb::ch{stem[2:4]} double"


def counter(stem):
    return f"{stem}.ipynb::ch{stem[2:4]} Counter"


DOUBLE, COUNTER = double(STEM), counter(STEM)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """One that says that a bug in the wild counts."""
    root = write_small_course(tmp_path_factory.mktemp("course"), *OTHERS)
    (root / "pyproject.toml").write_text('[tool.course]\nbugs = "count"\n', encoding="utf-8")
    return root


def hostile_fork(folder):
    """The folder of a learner, with whatever may deceive a pytest that is started there."""
    for name, text in HOSTILE.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def judged(course, fork, *options):
    """By the command, started in the fork itself, whose Python and pytest settings are hostile too."""
    hostile = {"PYTEST_ADDOPTS": "--collect-only", "PYTEST_PLUGINS": "conftest"}
    return run(["grader.fork", str(fork), *options, "-rA", "--color=no"], course, fork, **hostile)


@pytest.fixture(scope="module")
def wrong(course, tmp_path_factory):
    """A hostile fork, judged, whose chapters are each wrong in another way; of a wrong answer no kernel says more."""
    fork = hostile_fork(tmp_path_factory.mktemp("wrong"))
    chapters = fork / "chapters"
    hand_in(chapters, chapter(course, WRONG))
    for name in (f"my_{COPIED}", f"{OTHER_NAME[:5]}other", "unnamed"):
        hand_in(chapters, "{}", name)
    hand_in(chapters, "{", NO_JSON)
    (chapters / f"{LINKED}.ipynb").symlink_to(course / "solutions" / f"{LINKED}.ipynb")
    for stem, answer in ((LEAVING, LEAVES), (HANGING, HANGS)):
        hand_in(chapters, chapter(course, STUBS | {"double: write this part": answer}, MENDED, stem=stem), stem)
    hand_in(chapters, chapter(course, STUBS, stem=WITH_BUG), WITH_BUG)
    cells = f"not {STEM} or double or Counter"
    return judged(course, fork, "--", f"--nbval-cell-timeout={SECONDS}", "-k", cells)


@pytest.fixture(scope="module")
def right(course, tmp_path_factory):
    """A hostile fork in which all is right, judged; its report."""
    fork = hostile_fork(tmp_path_factory.mktemp("right"))
    hand_in(fork / "chapters", chapter(course, STUBS, MENDED))
    with_table = chapter(course, STUBS | {"double: write this part": TABLE}, MENDED, stem=WITH_TABLE)
    with_table["cells"].append({**with_table["cells"][-1], "cell_type": "code", "id": "mine", "source": FILLED})
    hand_in(fork / "chapters", with_table, WITH_TABLE)
    unreadable = chapter(course, STUBS, MENDED, stem=UNREADABLE)
    for source in ("x = " + "-" * 100_000 + "1", "%x\n" * 200_000):
        unreadable["cells"].insert(0, {"cell_type": "code", "metadata": {}, "source": source})
    hand_in(fork / "chapters", unreadable, UNREADABLE)
    report, handed_in = fork / "report.xml", f"{STEM} or {WITH_TABLE} or {UNREADABLE}"
    outcomes, output = judged(course, fork, "--junitxml", str(report), "--", "-k", handed_in)
    return outcomes, output, report.read_text(encoding="utf-8")


def of(stem, outcomes):
    """Those of one chapter's items, by their names."""
    split = {tuple(name.split(".ipynb::")): outcome for name, outcome in outcomes.items()}
    return {name: outcome for (of_stem, name), outcome in split.items() if of_stem == stem}


def said(name, stem, output):
    """What the report says of an item that failed."""
    heading = re.escape(f"{name} in {stem}.ipynb")
    found = re.search(rf"^_+ {heading} _+\n(.*?)^[_=]+ ", output, re.MULTILINE | re.DOTALL)
    assert found, output
    return found[1]


def of_both(stem, wrong):
    """What is said of either exercise of a chapter, both of which failed."""
    outcomes, output = wrong
    number = stem[:4]
    assert of(stem, outcomes) == {f"{number} double": "FAILED", f"{number} Counter": "FAILED"}, output
    return [said(f"{number} {symbol}", stem, output) for symbol in ("double", "Counter")]


def test_nothing_but_notebooks_is_read_round_a_wrong_answer(course, wrong):
    outcomes, output = wrong
    assert (outcomes[DOUBLE], outcomes[COUNTER]) == ("FAILED", "PASSED"), output
    assert output.endswith("exit code 1")
    assert f"judged by the course in {course}" in output and "nothing but its notebooks was read" in output


def test_nothing_but_notebooks_is_read_round_a_right_answer(right):
    outcomes, output, report = right
    assert set(outcomes.values()) == {"PASSED"} and output.endswith("exit code 0"), output
    assert 'name="ch90 double"' in report


def test_plain_pytest_with_a_course_hands_over(course, tmp_path):
    """The fork's conftest.py is not read; its pytest.ini was, before any plugin could say anything."""
    fork = tmp_path / "fork"
    hand_in(fork / "chapters", chapter(course, WRONG))
    (fork / "conftest.py").write_text(PASSES, encoding="utf-8")
    asked = ("chapters", "-k", f"{STEM} and (double or Counter)")
    outcomes, output = run_pytest(course, "--nbval-lax", "--course", str(course), *asked, cwd=fork)
    assert outcomes == {DOUBLE: "FAILED", COUNTER: "PASSED"}, output
    assert output.endswith("exit code 1")


@pytest.mark.parametrize("stem", [COPIED, OTHER_NAME, UNNAMED])
def test_a_chapter_under_another_name_is_missing(wrong, stem):
    for what in of_both(stem, wrong):
        assert f"chapters/{stem}.ipynb is missing." in what
        assert what.count("beside it does not count in its place") == (stem == COPIED)
        assert (f"my_{stem}.ipynb beside it does not count in its place" in what) is (stem == COPIED)


def test_what_is_no_notebook_is_a_failure_without_a_traceback(wrong):
    for what in of_both(NO_JSON, wrong):
        assert "is not JSON" in what and "Traceback" not in what
    assert "INTERNALERROR" not in wrong[1]


def test_a_linked_notebook_is_a_failure(wrong):
    for what in of_both(LINKED, wrong):
        assert "is a symbolic link" in what


@pytest.mark.parametrize("named", [".", "chapters"])
def test_a_linked_folder_of_chapters_is_a_failure_by_name(course, tmp_path, named):
    """Where both are checked out side by side, it may lead to the solutions of the course that judges."""
    (tmp_path / "chapters").symlink_to(course / "solutions")
    outcomes, output = judged(course, tmp_path / named, "--")
    assert outcomes[DOUBLE] == outcomes[COUNTER] == "FAILED", output
    assert set(outcomes.values()) == {"FAILED"}, output
    assert f"{STEM}.ipynb is a symbolic link" in output


@pytest.mark.parametrize("stem", [STEM, WITH_TABLE, UNREADABLE])
def test_a_right_answer_passes_with_a_table_and_beside_cells_that_nobody_can_read(right, stem):
    outcomes, output, _ = right
    assert len(of(stem, outcomes)) == 7 and set(of(stem, outcomes).values()) == {"PASSED"}, output


@pytest.mark.parametrize(("stem", "why"), [(LEAVING, "process has ended"), (HANGING, f"more than {SECONDS} seconds")])
def test_a_kernel_that_ends_leaves_the_verdicts_alone(wrong, stem, why):
    outcomes, output = wrong
    assert of(stem, outcomes) == {
        "Cell 0": "PASSED",
        "Cell 1": "PASSED",
        f"{stem[:4]} double": "PASSED",
        f"{stem[:4]} Counter": "PASSED",
        f"{stem[:4]} bug in the wild: area": "PASSED",
        "Cell 8": "FAILED",
        "Cell 9": "FAILED",
    }, output
    assert why in said("Cell 8", stem, output)
    assert "Not run: the kernel ended in Cell 8." in said("Cell 9", stem, output)


def test_a_bug_in_the_wild_counts_where_the_course_says_so(wrong):
    """Where it does not, see test_nbval_plugin.py."""
    outcomes, output = wrong
    found = of(WITH_BUG, outcomes)
    failed = {name for name, outcome in found.items() if outcome == "FAILED"}
    assert failed == {f"{WITH_BUG[:4]} bug in the wild: area"} and len(found) == 7, output


def test_a_commit_of_the_course_judges(course, tmp_path):
    """Not what has become of the folder since."""
    home, fork = tmp_path / "home", tmp_path / "fork"
    shutil.copytree(course, home, ignore=shutil.ignore_patterns("__pycache__"))
    for git in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "released"]):
        who = ["-c", "user.name=course", "-c", "user.email=course@example.org"]
        subprocess.run(["git", *who, *git], cwd=home, check=True)
    tests = home / "tests" / f"{STEM}.py"
    tests.write_text(tests.read_text("utf-8").replace("for number in (3, 0, -7, 21)", "for number in ()"), "utf-8")
    hand_in(fork / "chapters", chapter(course, WRONG))
    asked = ("--course", "HEAD", "--", "-rA", "-k", f"{STEM} and double")
    outcomes, output = run(["grader.fork", str(fork), *asked], home, fork)
    assert outcomes == {DOUBLE: "FAILED"}, output
    assert f"judged by commit HEAD of {home}" in output
    _, output = run(["grader.fork", str(fork), "--course", "no-such-commit"], home, fork)
    assert "--course no-such-commit: neither a folder nor a commit" in output and output.endswith("exit code 2")


@pytest.mark.parametrize("course_named", ["empty", "."])
def test_a_course_that_is_none_is_refused(course, tmp_path, course_named, capfd):
    """What the command calls; that 2 becomes its exit code is shown where a commit is none."""
    (tmp_path / "empty").mkdir()
    hand_in(tmp_path / "chapters", chapter(course, STUBS))
    assert command.main([str(tmp_path), "--course", str(tmp_path / course_named)]) == 2
    said = capfd.readouterr()
    assert said.out == "" and "can't judge a fork: it has no grader/fork_items.py" in said.err
