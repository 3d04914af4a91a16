"""author.checks: a new check is where authors look for it once the course is built."""

import shutil

import pytest

from author.checks import CHECKS, IMPORTS, TABLE, build_checks, check_checks
from utils.course import ROOT, CourseError

STALE = [f"{name} is out of date. Make it again: python -m utils build" for name in (IMPORTS, TABLE)]
SORTED = '''"""A check of order."""


@check
def check_sorted(session, component, *arguments, **options) -> None:
    """The answer is sorted,
    by size | by name.

    Ties stay as they are.
    """


def _is_sorted(values):
    return True
'''


@pytest.fixture
def root(tmp_path):
    shutil.copytree(ROOT / CHECKS, tmp_path / CHECKS)
    for name in (IMPORTS, TABLE):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_lists_of_checks_are_up_to_date():
    assert check_checks() == []


def test_a_new_check_is_listed_and_one_that_went_is_not(root):
    before = [(root / name).read_bytes() for name in (IMPORTS, TABLE)]
    (root / CHECKS / "order_of_a_test.py").write_text(SORTED)
    assert check_checks(root) == STALE
    assert build_checks(root) == [f"{IMPORTS}: written", f"{TABLE}: written"] and check_checks(root) == []
    names, guide = ((root / name).read_text(encoding="utf-8") for name in (IMPORTS, TABLE))
    outputs, order, parameters = (
        names.index(f"judge.checking.checks.{module} import") for module in ("outputs", "order_of_a_test", "parameters")
    )
    assert order < outputs < parameters and names.count("check_sorted") == 2
    assert "\n   | `check_sorted` | The answer is sorted, by size \\| by name. |\n" in guide
    (root / CHECKS / "order_of_a_test.py").unlink()
    build_checks(root)
    assert [(root / name).read_bytes() for name in (IMPORTS, TABLE)] == before


def test_a_guide_without_the_table_is_told(root):
    guide = root / TABLE
    guide.write_text(guide.read_text(encoding="utf-8").replace("| the check |", "| check |"), encoding="utf-8")
    with pytest.raises(CourseError, match=r"CONTRIBUTING\.md has 0 places for the list of checks, and needs one"):
        check_checks(root)


def test_a_course_without_our_guides_has_no_table(root):
    (root / TABLE).unlink()
    assert check_checks(root) == build_checks(root) == []
