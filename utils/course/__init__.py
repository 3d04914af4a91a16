"""What the course consists of: stems, exercises and folders, found by looking at the files; nothing is imported."""

import ast
import importlib.util
import os
import re
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from judge.errors import CourseError as CourseError  # for whoever knows the course

ROOT = Path(__file__).resolve().parents[2]
STEM = re.compile(r"ch\d\d_[a-z][a-z0-9_]*")
# What a run without a reader leaves out: lines of progress, the search for repairs, controls and bars
UNWATCHED = {"COURSE_PROGRESS": "hidden", "COURSE_REPAIRS": "off", "COURSE_WIDGETS": "off"}
OPTIONAL = {"jax"}  # packages that an exercise may need and the course does not install
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
BRANCH = re.compile(r"\w[\w./-]*")
BUGS = re.compile("count|shown")
BODY = re.compile(r"^(def .*:)\n(?:(?:[ \t].*)?\n)+", re.MULTILINE)  # a function and all lines that are indented


@dataclass(frozen=True)
class ExerciseInfo:
    """One thing that the learner writes, and the test function that judges it."""

    stem: str  # "ch03_layernorm"
    symbol: str  # "LayerNorm", the first parameter of the test function
    test: str  # "test_layer_norm"
    library: str = ""  # the one that its declaration names, such as numpy

    @property
    def needs(self) -> str:
        """The optional package that it is written with, such as jax; "" where the course installs all that it needs."""
        return self.library if self.library in OPTIONAL else ""

    @property
    def is_missing_its_package(self) -> bool:
        """Whether it can't be done here, because what it is written with is not installed."""
        if not self.needs:
            return False
        return importlib.util.find_spec(self.needs) is None

    @property
    def lacks(self) -> str:
        """What it needs and has not, in brackets; "" where it can be done here."""
        if not self.is_missing_its_package:
            return ""
        return f" (needs {self.needs})"


def stems(root: Path = ROOT) -> list[str]:
    """The chapters, in order: every tests/chNN_word.py is one."""
    found = [path.stem for path in (root / "tests").glob("ch*.py")]
    return sorted(filter(STEM.fullmatch, found))


def exercises(stem: str, root: Path = ROOT) -> list[ExerciseInfo]:
    """The exercises of one chapter in the order of its test functions, read without running tests/<stem>.py.

    What its functions do is not looked at. Raises CourseError if the file is missing, does not parse, or has a test
    function without a parameter.
    """
    path = root / "tests" / f"{stem}.py"
    if not path.is_file():
        known = ", ".join(stems(root)) or "none"
        missing = f"There is no chapter {stem}: {path} is missing"
        raise CourseError(f"{missing}. The chapters are: {known}.")
    return list(_exercises(path, path.stat().st_mtime_ns))


def all_exercises(root: Path = ROOT) -> list[ExerciseInfo]:
    """The exercises of every chapter, in order."""
    return [exercise for stem in stems(root) for exercise in exercises(stem, root)]


@cache
def _exercises(path: Path, _modified: int) -> tuple[ExerciseInfo, ...]:
    try:
        tree = _parsed(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        message = f"{error.msg}; fix that to read its exercises."
        raise CourseError.at(path, error.lineno or 1, message) from None
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    tests = [node for node in functions if node.name.startswith("test_")]
    libraries = _libraries(tree)
    return tuple(_exercise(path, test, libraries) for test in tests)


def _parsed(text: str) -> ast.Module:
    """The tree of a chapter's tests, with "..." for what its functions do: to parse that takes most of the time."""
    try:
        return ast.parse(BODY.sub(lambda found: f"{found[1]} ..." + "\n" * found[0].count("\n"), text))
    except SyntaxError:  # a text within a body may have lines that are not indented
        return ast.parse(text)


def _libraries(tree: ast.Module) -> dict[str, str]:
    """What each exercise declares by `library=`, by the name that it is assigned to."""
    found: dict[str, str] = {}
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(keywords=keywords)):
                found[name] = _library(keywords)
    return found


def _library(keywords: list[ast.keyword]) -> str:
    """The text behind `library=`; "" where there is none."""
    values = {one.arg: one.value for one in keywords}
    named = getattr(values.get("library"), "value", "")
    return named if isinstance(named, str) else ""


def _exercise(path: Path, test: ast.FunctionDef, libraries: dict[str, str]) -> ExerciseInfo:
    parameters = [*test.args.posonlyargs, *test.args.args]
    if not parameters:
        takes = "A test function takes what the learner wrote, under its name"
        message = f"{test.name}() has no parameter. {takes}: def test_layer_norm(LayerNorm)."
        raise CourseError.at(path, test.lineno, message)
    owner = ast.unparse(test.decorator_list[0]).partition(".")[0] if test.decorator_list else ""
    return ExerciseInfo(path.stem, parameters[0].arg, test.name, libraries.get(owner, ""))


def doable(found: Iterable[ExerciseInfo]) -> list[ExerciseInfo]:
    """Those that can be done here: what they are written with is installed."""
    return [one for one in found if not one.is_missing_its_package]


def left_out(found: Iterable[ExerciseInfo]) -> list[str]:
    """Those that can't be done here, each with what it needs."""
    lacking = [one for one in found if one.lacks]
    return [one.symbol + one.lacks for one in lacking]


def next_exercise(stem: str, symbol: str, root: Path = ROOT) -> ExerciseInfo | None:
    """The exercise after `symbol` that can be done here, in this chapter or a later one; None after the last."""
    for one, following in pairwise(doable(all_exercises(root))):
        if (one.stem, one.symbol) == (stem, symbol):
            return following
    return None


def state_dir() -> Path:
    """The folder that holds my_gpt/ and the progress: environment COURSE_STATE, else the repository's root."""
    return Path(os.environ.get("COURSE_STATE") or ROOT)


@contextmanager
def throwaway_state() -> Iterator[Path]:
    """A state that is deleted at the end, for this process and those it starts, which nobody watches meanwhile."""
    from unittest.mock import patch  # much to import, and pages that judge import this module

    with tempfile.TemporaryDirectory(prefix="course-") as folder:
        with patch.dict(os.environ, {"COURSE_STATE": folder, **UNWATCHED}):
            yield Path(folder)


def repository(root: Path = ROOT) -> str | None:
    """The GitHub repository "owner/name" that pyproject.toml names under [tool.course]; None if it names none."""
    return _setting("repository", REPOSITORY, "owner/name", root)


def branch(root: Path = ROOT) -> str:
    """The branch that learners get from the repository: `branch` under [tool.course], else main."""
    return _setting("branch", BRANCH, "main", root) or "main"


def bugs_count(root: Path = ROOT) -> bool:
    """Whether a bug in the wild that is not mended fails a run of pytest: `bugs` under [tool.course]; else no."""
    return _setting("bugs", BUGS, "count", root) == "count"


def _setting(name: str, form: re.Pattern[str], example: str, root: Path) -> str | None:
    """An entry of [tool.course]; None where there is none. Raises CourseError for one of another form."""
    path = root / "pyproject.toml"
    if not path.is_file():
        return None
    tools = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {})
    value = tools.get("course", {}).get(name)
    if value is None:
        return None
    if not (isinstance(value, str) and form.fullmatch(value)):
        what = f"{path}: [tool.course] {name} is {value!r}"
        raise CourseError(f'{what}; write it as {name} = "{example}".')
    return value
