"""Which of the course's files a module depends on, and a digest of them: what is the same need not be proved again."""

import ast
import hashlib
import io
import re
import tokenize
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import grimp
from nbformat import NotebookNode

from author.notebooks import code_cells
from utils.course import ROOT, ExerciseInfo
from utils.course.cells import as_python

PACKAGES = ("judge", "grader", "author", "utils", "tests", "solutions", "training")
HOUSES = PACKAGES[:4]  # whose rooms hold data beside their modules
VERSIONS = "constraints.txt"  # where the course names any
# importlib.import_module("utils.handed_over"): a module that is imported by its name
BY_NAME = re.compile(rf"""["']((?:{"|".join(PACKAGES)})(?:\.\w+)+)["']""")
MISTAKES = "tests/misconceptions"  # whose folders are no packages for grimp
# What the rooms read beside modules: weights, templates, styles, texts
NO_DATA = {".py", ".pyc"}


@cache
def graph() -> grimp.ImportGraph:
    """Which module imports which, wherever in it, and whichever it imports by a name that stands in it."""
    here = [name for name in PACKAGES if (ROOT / name / "__init__.py").exists()]
    found = grimp.build_graph(*here, cache_dir=None)
    mistakes = {_name_of(path): path for path in (ROOT / MISTAKES).rglob("*.py")}
    for name in mistakes.keys() - found.modules:
        found.add_module(name)
    for name, path in mistakes.items():
        for imported in imports_in(_source(path)) & found.modules:
            found.add_import(importer=name, imported=imported)
    for module in found.modules:
        for name in BY_NAME.findall(_source(file_of(module))):
            if name in found.modules:
                found.add_import(importer=module, imported=name)
    return found


def imports_in(source: str) -> set[str]:
    """The modules that a source imports, wherever in it; of a package also what may be a module in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                found.update(name.name for name in names)
            case ast.ImportFrom(module=str(package), names=names):
                found.add(package)
                found.update(f"{package}.{name.name}" for name in names)
    return found


def modules_behind(modules: Iterable[str]) -> set[str]:
    """These modules, those that they import, and so on, each with the packages that it lies in."""
    waiting, found = set(modules), set[str]()
    while waiting:
        module = waiting.pop()
        found.add(module)
        packages = {module.rpartition(".")[0]} & graph().modules
        waiting |= (graph().find_modules_directly_imported_by(module) | packages) - found
    return found


def mistakes_of(exercise: ExerciseInfo) -> list[str]:
    """The modules with an exercise's misconceptions: one, or a folder of them."""
    whole = f"tests.misconceptions.{exercise.stem}.{exercise.test.removeprefix('test_')}"
    return [name for name in graph().modules if name == whole or name.startswith(f"{whole}.")]


def modules_ahead(modules: Iterable[str]) -> set[str]:
    """These modules, those that import them, and so on."""
    return set(modules).union(*map(graph().find_downstream_modules, modules))


def imported_by(notebook: NotebookNode) -> set[str]:
    """The course's modules that the cells of a notebook import."""
    sources = (as_python(cell.source) for cell in code_cells(notebook))
    return set[str]().union(*map(imports_in, sources)) & graph().modules


def module_of(path: Path) -> str | None:
    """The name of the module in this file, None where it is none of the graph's."""
    name = _name_of(path)
    return name if path.suffix == ".py" and name in graph().modules else None


def _name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def file_of(module: str) -> Path:
    folder = ROOT.joinpath(*module.split("."))
    return folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")


def digest(modules: Iterable[str], files: Iterable[Path] = (), texts: Iterable[str] = ()) -> str:
    """Of all that these modules depend on, of these files and texts, and of the versions that are installed.

    Of a module without its comments, and with the data that lie in its room.
    """
    behind = modules_behind(modules)
    rooms = set(map(room_of, behind))
    of_files = {*map(file_of, behind), *_data(rooms), *files, *ROOT.glob(VERSIONS)}
    lines = [f"{path.relative_to(ROOT).as_posix()} {digest_of(path)}" for path in sorted(of_files)]
    return hashlib.sha256("\n".join([*lines, *texts]).encode()).hexdigest()[:16]


@cache
def digest_of(path: Path) -> str:
    content = without_comments(_source(path)).encode() if module_of(path) else path.read_bytes()
    return hashlib.sha256(content).hexdigest()


def without_comments(source: str) -> str:
    """A module's lines that do something; an empty one in a text is one of them only for Python."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    return "\n".join(filter(None, lines))


def _data(rooms: set[str]) -> set[Path]:
    """The files beside modules in these rooms, and in folders that hold no module at all."""
    return {path for room, path in _all_data() if room in rooms or room not in _rooms_of_modules()}


@cache
def _all_data() -> list[tuple[str, Path]]:
    files = [path for house in HOUSES for path in (ROOT / house).rglob("*") if path.is_file() and not _is_cached(path)]
    named = [(room_of(".".join(path.relative_to(ROOT).parts)), path) for path in files]
    return [(room, path) for room, path in named if path.suffix not in NO_DATA or not module_of(path)]


def room_of(name: str) -> str:
    """The part of the house that a module lies in, or a file by its dotted path: judge.checking, utils.race, grader."""
    top, _, within = name.partition(".")
    room = within.partition(".")[0]
    return f"{top}.{room}" if top in ("judge", "utils") and room else top


def _is_cached(path: Path) -> bool:
    """Whether it lies in a folder of Python's, ruff's or an editor's own, which git ignores."""
    return any(part == "__pycache__" or part.startswith(".") for part in path.relative_to(ROOT).parts[:-1])


@cache
def _rooms_of_modules() -> set[str]:
    return {room_of(module) for module in graph().modules}


@cache
def _source(path: Path) -> str:
    return path.read_text(encoding="utf-8")
