"""The house stays in order: imports run one way, and every module says what it is."""

import ast
import functools
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.house.fresh_python import fresh_python
from utils.course import ROOT

# Each folder, and the course's own packages that its modules may import.
MAY_IMPORT = {
    "utils": {"utils"},
    "solutions": {"utils", "solutions"},
    "tests": {"utils", "solutions", "tests", "training"},
    "training": {"utils", "solutions", "training"},
    "benchmarks": {"utils", "solutions", "tests"},
}
# Each part of utils, and the other parts that its modules may import.
PARTS = {
    "config": set(),
    "course": set(),
    "plotting": {"config"},
    "model_map": {"course"},
    "running": set(),
    "gpt": {"config", "running"},
    "model_folder": {"config"},
    "reference": {"config", "huggingface", "model_folder"},
    "checking": {"course", "running"},
    "transplant": {"config", "gpt", "plotting", "reference", "running"},
    "edits": {"running", "checking"},
    "repairing": {"course", "running", "checking", "edits"},
    "learner": {"course", "running", "checking", "repairing"},
    "drawing": set(),
    "live": {"drawing", "learner"},
    "controls": {"learner", "live"},
    "waiting": {"learner"},
    "watching": {"drawing", "learner", "plotting"},
    "experiments": {"config"},
    "race": {"characters", "config", "course", "learner", "pieces", "runs", "watching"},
    "passages": {"reference"},
    "huggingface": {"config"},
    "javascript": set(),
    "pictures": {"course", "gpt", "model_map", "reference"},
    "runs": {"config", "course", "huggingface"},
    "texts": {"reference"},
    "characters": set(),
    "first_difference": {"reference"},
    "dialects": {"config", "gpt", "huggingface", "reference"},
    "pieces": {"course", "learner"},
    "own_gpt": {"course", "running", "learner"},
    "handed_over": {"course", "learner", "model_map", "own_gpt", "pictures"},
    "setup": {"config", "course", "checking", "learner", "live", "own_gpt", "plotting"},
    "site": {
        "course",
        "drawing",
        "gpt",
        "javascript",
        "model_folder",
        "model_map",
        "passages",
        "pictures",
        "reference",
    },
    "authoring": {"course", "running", "checking", "edits", "learner"},
    "grading": {"course", "running", "checking", "learner"},
    "releasing": {"authoring", "checking", "course", "grading", "learner", "running"},
    "__main__": {"course", "authoring", "grading", "learner", "own_gpt", "race", "releasing", "site"},
}
WHY = {
    "config": "it is the bottom",
    "running": "the sandboxed process imports it, and of ours gets nothing else but what the course tells it",
    "checking": "the judge shows nothing and writes nothing; cards and progress come in through use_reporter",
    "learner": "what a learner runs needs neither the author's tools nor the grader's",
}
ENGINE = {"running", "checking", "edits", "repairing", "learner", "authoring", "grading", "releasing"}
COURSE = {
    *{
        "config",
        "gpt",
        "model_folder",
        "reference",
        "plotting",
        "transplant",
        "model_map",
        "passages",
        "texts",
        "dialects",
    },
    *{"characters", "experiments", "own_gpt", "handed_over", "race", "runs", "huggingface", "model_folder"},
    *{"javascript", "pictures", "site"},
}
SOLUTIONS_MAY_IMPORT = {  # the rest is for cells of the notebook
    *{"utils.config", "utils.dialects", "utils.plotting", "utils.reference"}
}


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
    own = frozenset(name for name in found if name.partition(".")[0] in MAY_IMPORT)
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


FOUND = {folder: sorted((ROOT / folder).rglob("*.py")) for folder in MAY_IMPORT}
PYTHON = {folder: [path for path in paths if "templates" not in path.parts] for folder, paths in FOUND.items()}
IN_UTILS = [path for path in PYTHON["utils"] if path != ROOT / "utils" / "__init__.py"]


def imported_in(folder: str) -> Iterator[tuple[Path, str]]:
    for path in PYTHON[folder]:
        yield from ((path, name) for name in imports(path))


@pytest.mark.slow
@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_imports_run_one_way(folder):
    for path, name in imported_in(folder):
        assert name.partition(".")[0] in MAY_IMPORT[folder], f"{path} must not import {name}"
        if folder == "solutions" and name.startswith("utils"):
            assert name in SOLUTIONS_MAY_IMPORT, f"a solution must not import {name}"
        if folder == "solutions" and name.startswith("solutions."):
            assert name.removeprefix("solutions.") < path.stem, f"{path} imports {name}, a later chapter"
        command_line = name in ("utils.__main__", "training.__main__")
        assert not command_line or folder == "tests", f"{path} imports a command line"


def part_of(path: Path) -> str:
    """The room of utils in which a module stands, or the module's own name."""
    return path.relative_to(ROOT / "utils").parts[0].removesuffix(".py")


def test_every_part_of_utils_is_known():
    parts = {part_of(path) for path in IN_UTILS}
    assert parts - PARTS.keys() == set(), "new: say in PARTS what it may import, in ARCHITECTURE why"
    assert PARTS.keys() - parts == set(), "gone, and still in PARTS"


@pytest.mark.parametrize("part", PARTS)
def test_inside_utils_imports_run_one_way(part):
    for path in (path for path in IN_UTILS if part_of(path) == part):
        for name in imports(path):
            other = name.split(".")[1]
            because = WHY.get(part, f"it may import {', '.join(sorted(PARTS[part])) or 'nothing'} of utils")
            assert other in PARTS[part] | {part}, f"{path}: utils.{part} must not import {name}: {because}"


def test_no_module_of_utils_imports_itself_by_way_of_others():
    """Imports for types alone count too: what needs one another's types is one thing in two places."""
    named = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in IN_UTILS
    }
    known = named.keys() - {"utils.__main__"}
    try:
        TopologicalSorter({name: imports(named[name]) & known - {name} for name in known}).prepare()
    except CycleError as circle:
        pytest.fail(" ← ".join(circle.args[1]))


@pytest.mark.parametrize("part", sorted(ENGINE))
def test_the_engine_knows_no_gpt(part):
    """The course registers its kinds of exercise, its sizes and its names; the engine imports nothing of it."""
    assert PARTS[part] & COURSE == set()


@pytest.mark.slow
@pytest.mark.parametrize("part", ["running", "checking", "course", "reference"])
def test_importing_a_part_brings_in_only_what_it_may(part):
    """Imports at run time too, by whatever way: what a fresh Python holds of ours afterwards."""
    ours = tuple(MAY_IMPORT)
    code = f"import sys, utils.{part}; print(*(name for name in sys.modules if name.partition('.')[0] in {ours}))"
    loaded = {name.partition(".")[2].partition(".")[0] or name for name in fresh_python(code, warm=True).stdout.split()}
    assert loaded - {"utils", part} <= PARTS[part], f"importing utils.{part} brings in {', '.join(sorted(loaded))}"


@pytest.mark.slow
def test_the_figures_are_imported_without_what_draws_them():
    """Every chapter's first cells import them, and a verdict waits for that; a figure comes later, if at all."""
    code = "import sys, utils.controls, utils.plotting; print(*(name for name in sys.modules if 'plotly.' in name))"
    assert "plotly.basedatatypes" not in fresh_python(code, warm=True).stdout.split()


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_module_says_what_it_is(folder):
    for path in PYTHON[folder]:
        says = module_of(path).says
        assert says and says.splitlines()[0][-1] in ".:,;", f"{path}: the first line says what the module is"


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_nobody_edits_sys_path(folder):
    for path in (path for path in PYTHON[folder] if not path.name.startswith("test_")):
        for line in module_of(path).sys_path:
            pytest.fail(f"{path}:{line}: no sys.path edits")


WHOLE = re.compile(r"^ *(import transformers|from transformers import)\b", re.MULTILINE)


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_transformers_is_imported_by_its_parts(folder):
    """`from transformers.models.gpt2 import ...`: of the whole, pyright binds 2,500 modules, which takes it 15 s."""
    assert [path for path in PYTHON[folder] if WHOLE.search(module_of(path).text)] == []
