"""Which code draws the figures that a solution stores: they are stale once it has changed, whatever the cells say."""

import ast
import hashlib
import re
from itertools import chain
from pathlib import Path

from nbformat import NotebookNode

from author.notebooks import code_cells
from utils.course import ROOT
from utils.course.cells import as_python

DRAWS = ("utils.plotting", "utils.pictures", "utils.model_map", "utils.model_map.drawing")
# a picture's module has namesakes beside it
BESIDE = (".mjs", ".css")
IMPORTED = re.compile(r'^import [^;]*"\./(\w+\.mjs)";$', re.MULTILINE)
COMMENTS = ("#", "//")
# in the metadata of an executed solution
KEY = "drawn_with"


def drawing_code(notebook: NotebookNode) -> str:
    """A digest of the modules that draw and that the cells import, with those that these import; "" without any.

    A picture's script and its style are modules too.
    """
    modules: dict[Path, str] = {}
    sources = [as_python(cell.source) for cell in code_cells(notebook)]
    waiting = set().union(*map(_drawing_modules, sources))
    while waiting:
        path = waiting.pop()
        modules[path] = path.read_text(encoding="utf-8")
        waiting |= _needed_by(path, modules[path]) - modules.keys()
    if not modules:
        return ""
    in_order = [modules[path] for path in sorted(modules)]
    lines = chain.from_iterable(map(_statements, in_order))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def is_drawn_as_now(old: NotebookNode, new: NotebookNode) -> bool:
    """Whether the figures of an executed notebook were drawn by the code that would draw those of a new one."""
    return old.metadata.get(KEY, "") == drawing_code(new)


def remember_drawing_code(notebook: NotebookNode) -> None:
    """Note in a notebook which code has drawn its figures."""
    if digest := drawing_code(notebook):
        notebook.metadata[KEY] = digest


def _needed_by(path: Path, source: str) -> set[Path]:
    if path.suffix != ".py":
        return {path.with_name(name) for name in IMPORTED.findall(source)}
    namesakes = map(path.with_suffix, BESIDE)
    return _drawing_modules(source) | set(filter(Path.is_file, namesakes))


def _drawing_modules(source: str) -> set[Path]:
    """The modules that draw, of those that a source imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=imported):
                names.update(one.name for one in imported)
            case ast.ImportFrom(module=str(package), names=imported):
                names.add(package)
                # each may be a module of the package
                names.update(f"{package}.{one.name}" for one in imported)
    drawing = [name for name in names if name.startswith(DRAWS)]
    folders = [ROOT.joinpath(*name.split(".")) for name in drawing]
    packages = [folder / "__init__.py" for folder in folders]
    modules = [folder.with_suffix(".py") for folder in folders]
    return set(filter(Path.is_file, packages + modules))


def _statements(source: str) -> list[str]:
    """The lines of a module that do something; comments and empty lines draw nothing."""
    lines = map(str.rstrip, source.splitlines())
    return [line for line in lines if line and not line.lstrip().startswith(COMMENTS)]
