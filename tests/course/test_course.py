"""utils.course: stems, exercises and folders are found by looking, and mistakes are named with their line."""

import ast
import os

import pytest

from utils import course
from utils.course import CourseError, ExerciseInfo


@pytest.fixture
def root(tmp_path):
    """A course whose test files would fail if they were run."""
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "ch02_two.py").write_text(
        "raise SystemExit\n\nclass Given:\n    def test_inner(self): ...\n\n"
        "def helper(): ...\n\ndef test_one_thing(OneThing, *, seed=0): ...\n\n@once\ndef test_softmax(softmax): ...\n"
    )
    (tests / "ch10_ten.py").write_text("def test_last(last): ...\n")
    for other in ("test_course.py", "ch1_short.py", "ch03_Capital.py", "conftest.py", "chapters.py"):
        (tests / other).touch()
    return tmp_path


def test_stems_are_the_chapters_test_files_in_order(root):
    assert course.stems(root) == ["ch02_two", "ch10_ten"]


def test_exercises_are_read_in_order_without_running_the_file(root):
    assert course.exercises("ch02_two", root) == [
        ExerciseInfo("ch02_two", "OneThing", "test_one_thing"),
        ExerciseInfo("ch02_two", "softmax", "test_softmax"),
    ]


def test_the_library_of_an_exercise_is_read_from_its_declaration(root):
    declared = (
        "a = Exercise(library='numpy')\nb = Exercise(library='jax')\nc = Exercise()\nd = Exercise(library=name)\n"
    )
    asked = "".join(f"@{name}.test\ndef test_of_{name}(of_{name}): ...\n" for name in "abcd")
    (root / "tests" / "ch04_four.py").write_text(declared + asked)
    found = course.exercises("ch04_four", root)
    assert [(one.library, one.needs) for one in found] == [("numpy", ""), ("jax", "jax"), ("", ""), ("", "")]


def test_a_function_may_hold_texts_whose_lines_are_not_indented(root):
    text = 'def test_a(a):\n    """\nFirst\n\nSecond\n    """\n\n\ndef test_c(c):\n    ...\n\ndef test_d(): ...\n'
    (root / "tests" / "ch04_four.py").write_text(text)
    with pytest.raises(CourseError, match=r"ch04_four\.py:12: test_d\(\) has no parameter"):
        course.exercises("ch04_four", root)
    (root / "tests" / "ch04_four.py").write_text(text.replace("()", "(d)"))
    assert [exercise.symbol for exercise in course.exercises("ch04_four", root)] == ["a", "c", "d"]


@pytest.mark.parametrize("stem", course.stems())
def test_what_functions_do_says_nothing_of_exercises(stem, monkeypatch):
    found = course.exercises(stem)
    course._exercises.cache_clear()
    monkeypatch.setattr(course, "_parsed", ast.parse)
    assert course.exercises(stem) == found


def test_a_changed_test_file_is_read_again(root):
    assert len(course.exercises("ch10_ten", root)) == 1
    (root / "tests" / "ch10_ten.py").write_text("def test_last(last): ...\ndef test_more(more): ...\n")
    assert [exercise.symbol for exercise in course.exercises("ch10_ten", root)] == ["last", "more"]


def test_the_next_exercise_is_in_this_chapter_or_the_next_one(root):
    assert course.next_exercise("ch02_two", "OneThing", root) == ExerciseInfo("ch02_two", "softmax", "test_softmax")
    assert course.next_exercise("ch02_two", "softmax", root) == ExerciseInfo("ch10_ten", "last", "test_last")
    assert course.next_exercise("ch10_ten", "last", root) is None
    assert course.next_exercise("ch10_ten", "unheard_of", root) is None


def test_mistakes_say_what_where_and_what_next(root):
    with pytest.raises(CourseError, match=r"no chapter ch77_none: .*ch77_none\.py is missing.*ch02_two, ch10_ten"):
        course.exercises("ch77_none", root)
    (root / "tests" / "ch04_four.py").write_text("def test_right(right): ...\n\ndef test_empty(): ...\n")
    with pytest.raises(CourseError, match=r"ch04_four\.py:3: test_empty\(\) has no parameter.*under its name"):
        course.exercises("ch04_four", root)
    (root / "tests" / "ch04_four.py").write_text("\ndef test_right(right: ...\n")
    with pytest.raises(CourseError, match=r"ch04_four\.py:2: .* fix that"):
        course.exercises("ch04_four", root)


def test_the_state_is_kept_where_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    assert course.state_dir() == tmp_path
    monkeypatch.delenv("COURSE_STATE")
    assert course.state_dir() == course.ROOT


def test_a_throwaway_state_leaves_no_trace(monkeypatch):
    monkeypatch.setenv("COURSE_STATE", "mine")
    for name in course.UNWATCHED:
        monkeypatch.delenv(name)
    with course.throwaway_state() as folder:
        (folder / "my_gpt").mkdir()
        assert course.state_dir() == folder and os.environ.items() >= course.UNWATCHED.items()
    assert os.environ["COURSE_STATE"] == "mine" and not os.environ.keys() & course.UNWATCHED.keys()
    assert not folder.exists()


def test_the_repository_is_optional_and_checked(tmp_path):
    assert course.repository(tmp_path) is None
    settings = tmp_path / "pyproject.toml"
    settings.write_text("[project]\nname = 'x'\n")
    assert course.repository(tmp_path) is None
    settings.write_text('[tool.course]\nrepository = "ada/gpt-from-scratch"\n')
    assert course.repository(tmp_path) == "ada/gpt-from-scratch"
    settings.write_text('[tool.course]\nrepository = "https://github.com/ada/gpt"\n')
    with pytest.raises(CourseError, match='repository = "owner/name"'):
        course.repository(tmp_path)
