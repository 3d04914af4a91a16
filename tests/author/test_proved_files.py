"""tests.proved_files: a file's slow tests are left out where all of them held of the same files before."""

import subprocess

import pytest

from author import proved
from author.proved import digests_that_held
from tests import proved_files
from tests.proved_files import digests_of, files_known_to_git

pytest_plugins = ["pytester"]
CONFTEST = """
from pathlib import Path

from tests import proved_files
from author import proved

# in xdist's workers too
proved.ROOT = proved_files.ROOT = Path(__file__).parent
proved.FILE = proved.ROOT / "tests" / "proved.json"

def pytest_configure(config):
    config.pluginmanager.register(proved_files.SlowFiles(config))
"""
TESTS = """
import os

import pytest

def test_quick():
    pass

@pytest.mark.slow
@pytest.mark.parametrize("row", "abc")
def test_slow(row):
    if row in os.environ.get("SKIPPED", ""):
        pytest.skip("there is no browser")
    assert row not in os.environ.get("WRONG", "")

@pytest.mark.slow
@pytest.mark.proves("something finer")
def test_of_its_own_digest():
    pass
"""
FILES = {
    "tests/test_some.py": TESTS,
    "tests/test_other.py": "",
    "tests/helper.py": "",
    "course.py": "",
    "findings/odd.sh": "",
    ".gitignore": "__pycache__\n",
}
PROOF = "slow tests of tests/test_some.py"


@pytest.fixture
def course(pytester, monkeypatch):
    """A checkout with two files of tests and one of the course; the sample that the commit draws is empty."""
    for module in (proved, proved_files):
        monkeypatch.setattr(module, "ROOT", pytester.path)
    monkeypatch.setattr(proved, "FILE", pytester.path / "tests" / "proved.json")
    monkeypatch.setattr(proved, "drawn", lambda names, commit: set())
    pytester.makeconftest(CONFTEST)
    pytester.makeini("[pytest]\nmarkers =\n    slow:\n    proves:\n")
    for name, source in FILES.items():
        file = pytester.path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(source, encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(pytester.path)], check=True)
    return pytester.path


@pytest.fixture
def run(course, pytester, monkeypatch):
    """Runs these tests, of which some rows fail or are skipped, and hands over the outcomes."""

    def ran(*options, **rows):
        for name in ("SKIPPED", "WRONG"):
            monkeypatch.setenv(name, rows.get(name.lower(), ""))
        plugins = ["-p", "author.unproved", "-p", "no:cacheprovider", "-W", "ignore"]
        return pytester.runpytest_inprocess(*plugins, *options).parseoutcomes()

    return ran


def test_what_has_passed_is_left_out_until_something_of_the_course_changes(run, course):
    assert run("--unproved") == {"passed": 5}
    assert list(digests_that_held()) == [PROOF]
    assert run("--unproved") == {"passed": 2, "deselected": 3}
    assert run() == {"passed": 5}
    (course / "course.py").write_text("changed = True", encoding="utf-8")
    assert run("--unproved") == {"passed": 5}
    assert run("--unproved") == {"passed": 2, "deselected": 3}


def test_what_the_sample_draws_runs_all_the_same(run, monkeypatch):
    run()
    monkeypatch.setattr(proved, "drawn", lambda names, commit: {PROOF})
    assert run("--unproved") == {"passed": 5}


def test_what_fails_is_forgotten(run):
    run()
    assert run(wrong="b") == {"passed": 4, "failed": 1}
    assert digests_that_held() == {}


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        pytest.param(["tests/test_some.py::test_slow[a]"], {}, id="one test by its name"),
        pytest.param(["--deselect", "tests/test_some.py::test_slow[b]"], {}, id="all but one"),
        pytest.param(["-m", "not slow"], {}, id="the quick ones"),
        pytest.param([], {"skipped": "c"}, id="one is skipped"),
        pytest.param([], {"wrong": "a"}, id="the first fails"),
    ],
)
def test_a_part_of_a_file_proves_nothing_of_the_whole(run, options, rows):
    run(*options, **rows)
    assert digests_that_held() == {}


@pytest.mark.slow
def test_workers_leave_out_and_write_down_the_same(run):
    assert run("--unproved", "-n", "1") == {"passed": 5}
    assert list(digests_that_held()) == [PROOF]
    assert run("--unproved", "-n", "1")["passed"] == 2


@pytest.mark.parametrize(
    ("changed", "content", "changes"),
    [
        ("course.py", "changed = True", True),
        ("tests/helper.py", "changed = True", True),
        ("tests/test_some.py", f"{TESTS}# changed", True),
        ("new.py", "", True),
        ("tests/test_other.py", "changed = True", False),
        ("findings/odd.sh", "# changed", False),
        ("tests/proved.json", "{}", False),
        ("__pycache__/some.pyc", "changed", False),
    ],
)
def test_a_digest_is_of_the_course_and_of_no_other_tests(course, changed, content, changes):
    before = digests_of(files_known_to_git())[PROOF]
    (course / changed).parent.mkdir(exist_ok=True)
    (course / changed).write_text(content, encoding="utf-8")
    assert (digests_of(files_known_to_git())[PROOF] != before) is changes


def test_a_file_of_tests_that_is_named_in_another_belongs_to_it(course):
    (course / "tests" / "test_some.py").write_text("from tests.test_other import helped", encoding="utf-8")
    before = digests_of(files_known_to_git())[PROOF]
    (course / "tests" / "test_other.py").write_text("helped = True", encoding="utf-8")
    assert digests_of(files_known_to_git())[PROOF] != before


def test_where_there_is_no_checkout_nothing_is_left_out(run, course, monkeypatch):
    monkeypatch.setattr(proved_files, "files_known_to_git", list)
    assert run("--unproved") == {"passed": 5}
    assert run("--unproved") == {"passed": 5}
