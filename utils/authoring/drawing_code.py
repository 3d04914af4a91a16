"""Which code draws the figures that a solution stores: they are stale once it has changed, whatever the cells say."""

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from utils.cells import as_python
from utils.course import ROOT

DRAWS = ("utils.plotting", "utils.model_map", "utils.model_drawing")
KEY = "drawn_with"  # in the metadata of an executed solution


def drawing_code(notebook: NotebookNode) -> str:
    """A digest of the modules that draw and that the cells import, with those that these import; "" without any."""
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    used = _with_what_they_import(name for source in cells for name in _imported(as_python(source)))
    if not used:
        return ""
    lines = (line for path in sorted(used) for line in _statements(path))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def drawn_with(notebook: NotebookNode) -> str:
    """The digest of the code that drew the figures of an executed notebook."""
    return notebook.metadata.get(KEY, "")


def remember_drawing_code(notebook: NotebookNode) -> None:
    """Note in a notebook which code has drawn its figures."""
    if digest := drawing_code(notebook):
        notebook.metadata[KEY] = digest


def _with_what_they_import(names: Iterator[str]) -> set[Path]:
    found: set[Path] = set()
    waiting = list(names)
    while waiting:
        path = _path_of(waiting.pop())
        if path and path not in found:
            found.add(path)
            waiting.extend(_imported(path.read_text(encoding="utf-8")))
    return found


def _imported(source: str) -> Iterator[str]:
    """The modules that draw, of those that a source imports; of a name in a package, the package's module if it is."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.startswith(DRAWS))


def _path_of(name: str) -> Path | None:
    path = ROOT.joinpath(*name.split("."))
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((one for one in candidates if one.is_file()), None)


def _statements(path: Path) -> Iterator[str]:
    """The lines of a module that do something; comments and empty lines draw nothing."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield line.rstrip()
