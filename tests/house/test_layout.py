"""The house stays in order, where lint-imports (pyproject.toml) can't see it; and every module says what it is."""

import ast
import functools
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.house.fresh_python import fresh_python
from utils.course import ROOT

HOUSES = ("judge", "grader", "author", "utils", "solutions", "tests", "training", "benchmarks")
SOLUTIONS_MAY_IMPORT = {"utils.config", "utils.dialects", "utils.plotting", "utils.reference"}  # the rest is for cells


class Module(NamedTuple):
    """What the house asks of a file."""

    text: str
    says: str  # its docstring
    imports: frozenset[str]  # the course's own modules, wherever in the file
    sys_path: list[int]  # lines that call or change a part of it


@functools.cache
def module_of(path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    found, sys_path = set[str](), list[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{path}:{node.lineno}: imports are absolute"
            assert all(alias.name != "*" for alias in node.names), f"{path}:{node.lineno}: no star imports"
            found |= {_imported(node.module, alias.name) for alias in node.names}
        elif isinstance(node, ast.Attribute) and _is_sys_path(node.value):
            sys_path.append(node.lineno)
    own = frozenset(name for name in found if name.partition(".")[0] in HOUSES)
    return Module(text, ast.get_docstring(tree) or "", own, sys_path)


def _is_sys_path(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "path"
        and isinstance(node.value, ast.Name)
        and node.value.id == "sys"
    )


def imports(path: Path) -> frozenset[str]:
    return module_of(path).imports


@functools.cache
def _imported(package: str, name: str) -> str:
    """What `from package import name` imports: the module of that name in it, where there is one."""
    inner = ROOT.joinpath(*package.split("."), name)
    is_module = inner.is_dir() or inner.with_suffix(".py").is_file()
    return f"{package}.{name}" if is_module or package == "utils" else package


EDITS = ROOT / "benchmarks" / "wrong_answers"  # in which most answers are no Python
FOUND = {house: sorted(one for one in (ROOT / house).rglob("*.py") if EDITS not in one.parents) for house in HOUSES}
PYTHON = {folder: [path for path in paths if "templates" not in path.parts] for folder, paths in FOUND.items()}


def test_a_solution_imports_what_a_learner_would():
    """Of the course the few modules that its cells import too, and of the chapters those before it."""
    for path in PYTHON["solutions"]:
        for name in imports(path):
            if name.startswith("solutions."):
                assert name.removeprefix("solutions.") < path.stem, f"{path} imports {name}, a later chapter"
            else:
                assert name in SOLUTIONS_MAY_IMPORT, f"{path} must not import {name}"


@pytest.mark.slow
@pytest.mark.parametrize("folder", [one for one in HOUSES if one not in ("tests", "benchmarks")])
def test_tests_and_command_lines_are_imported_by_tests_alone(folder):
    for path in PYTHON[folder]:
        for name in imports(path):
            assert name.partition(".")[0] not in ("tests", "benchmarks"), f"{path} must not import {name}"
            assert not name.endswith(".__main__"), f"{path} imports a command line"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "may_bring"),
    [
        ("judge.running", set()),
        ("judge.checking", {"judge.errors", "judge.running"}),
        ("utils.course", {"judge.errors"}),
        ("utils.reference", {"utils.config", "utils.huggingface", "utils.model_folder"}),
    ],
)
def test_importing_a_part_brings_in_only_what_it_may(part, may_bring):
    """Imports at run time too, by whatever way, which lint-imports can't see: what a fresh Python holds of ours."""
    code = f"import sys, {part}; print(*(name for name in sys.modules if name.partition('.')[0] in {HOUSES}))"
    may = (part, *may_bring)
    packages = {name.rpartition(".")[0] for name in may}
    brought = set(fresh_python(code, warm=True).stdout.split()) - packages
    assert [name for name in sorted(brought) if not f"{name}.".startswith(tuple(f"{one}." for one in may))] == []


@pytest.mark.slow
def test_the_figures_are_imported_without_what_draws_them():
    """Every chapter's first cells import them, and a verdict waits for that; a figure comes later, if at all."""
    code = "import sys, utils.controls, utils.plotting; print(*(name for name in sys.modules if 'plotly.' in name))"
    assert "plotly.basedatatypes" not in fresh_python(code, warm=True).stdout.split()


@pytest.mark.parametrize("folder", HOUSES)
def test_module_says_what_it_is(folder):
    for path in PYTHON[folder]:
        says = module_of(path).says
        assert says and says.splitlines()[0][-1] in ".:,;", f"{path}: the first line says what the module is"


@pytest.mark.parametrize("folder", HOUSES)
def test_nobody_edits_sys_path(folder):
    for path in (path for path in PYTHON[folder] if not path.name.startswith("test_")):
        for line in module_of(path).sys_path:
            pytest.fail(f"{path}:{line}: no sys.path edits")


WHOLE = re.compile(r"^ *(import transformers|from transformers import)\b", re.MULTILINE)


@pytest.mark.parametrize("folder", HOUSES)
def test_transformers_is_imported_by_its_parts(folder):
    """`from transformers.models.gpt2 import ...`: of the whole, pyright binds 2,500 modules, which takes it 15 s."""
    assert [path for path in PYTHON[folder] if WHOLE.search(module_of(path).text)] == []
