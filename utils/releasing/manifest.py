"""What is handed out: which files of a folder are the course's and not the learner's, and a release's account of them.

It has the release's version, and of each file and each notebook cell enough to see who changed it.
"""

import ast
import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from utils.course import CourseError
from utils.course.cells import defines
from utils.course.git import printed

MANIFEST = "release.json"
NotebookCell = dict[str, Any]  # as it stands in the file
# Made by learners, by programs, by git: no release has them, and no update touches them.
NOT_OURS = {
    *{"my_gpt", "my_chapters", "runs", "before_update"},
    *{".git", ".venv", ".venvs", ".ipynb_checkpoints", "__pycache__", ".pytest_cache", ".ruff_cache"},
    *{".npm", "node_modules"},
}


def is_ours(name: str) -> bool:
    """Whether a release may have a file of this name, which leads from the course's root."""
    path = PurePosixPath(name)
    parts = path.parts
    leads_inside = bool(parts) and not path.is_absolute() and ".." not in parts and ":" not in name and "\\" not in name
    return leads_inside and not any(part in NOT_OURS or part.endswith(".egg-info") for part in parts)


def course_files(root: Path) -> list[str]:
    """The course's files in a folder, by their paths from there: what git has, where it is a checkout; else all."""
    names = _tracked(root) or [path.relative_to(root).as_posix() for path in _walk(root)]
    return sorted(name for name in names if is_ours(name) and (root / name).is_file())


def git(root: Path, *arguments: str) -> str | None:
    """What git prints of this folder; None where it is no checkout of its own, git is missing, or says no."""
    if not (root / ".git").exists():
        return None
    return printed(root, *arguments)


def commit_of(root: Path) -> str:
    """The commit that is checked out; "" where there is none."""
    return (git(root, "rev-parse", "HEAD") or "").strip()


def _tracked(root: Path) -> list[str]:
    listed = git(root, "ls-files", "-z") or ""
    return list(filter(None, listed.split("\0")))


def _walk(root: Path) -> list[Path]:
    """All files, none within a folder that is not ours."""
    found: list[Path] = []
    waiting = [root]
    while waiting:
        for path in waiting.pop().iterdir():
            if path.name in NOT_OURS or path.is_symlink():
                continue
            (waiting if path.is_dir() else found).append(path)
    return found


def version_of(root: Path) -> str:
    """ "0.1.0"; "" where pyproject.toml is missing or says none."""
    path = root / "pyproject.toml"
    if not path.is_file():
        return ""
    project = tomllib.loads(path.read_text(encoding="utf-8")).get("project", {})
    return str(project.get("version", ""))


@dataclass(frozen=True)
class Given:
    """A cell as it was handed out."""

    id: str
    digest: str
    shape: str  # of its code without docstrings and comments


@dataclass(frozen=True)
class Manifest:
    """A release's account of itself. `notebooks` has the cells of each notebook, in order."""

    version: str
    commit: str
    solutions: bool
    files: dict[str, str]  # digests by paths from the course's root
    notebooks: dict[str, list[Given]] = field(default_factory=dict[str, list[Given]])


def manifest_of(root: Path, names: Iterable[str], version: str, commit: str, solutions: bool) -> Manifest:
    """The account of these files of a folder. A notebook that is no JSON has no cells."""
    files, notebooks = {}, {}
    for name in sorted(names):
        content = (root / name).read_bytes()
        files[name] = digest_of(content)
        if name.endswith(".ipynb"):
            notebooks[name] = list(map(given, cells_in(content) or []))
    return Manifest(version, commit, solutions, files, notebooks)


def text_of(manifest: Manifest) -> str:
    """The file's content."""
    return json.dumps(asdict(manifest), indent=1) + "\n"


def read_manifest(root: Path) -> Manifest | None:
    """That of a folder, None where there is none. Raises CourseError where it can't be read."""
    path = root / MANIFEST
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        notebooks = {name: [Given(**cell) for cell in cells] for name, cells in content.pop("notebooks").items()}
        return Manifest(**content, notebooks=notebooks)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        way = "take it from the release again, or delete it: then every cell that you have differently stays"
        raise CourseError(f"{path} can't be read ({type(error).__name__}: {error}): {way}.") from None


def digest_of(content: bytes) -> str:
    """A short name for a file's content; the ends of lines, which git changes on Windows, make no difference."""
    is_text = b"\0" not in content
    plain = content.replace(b"\r\n", b"\n") if is_text else content
    return hashlib.sha256(plain).hexdigest()[:16]


def cells_in(content: bytes) -> list[NotebookCell] | None:
    """The cells of a notebook of today's format; None for anything else."""
    notebook = notebook_in(content)
    return None if notebook is None else notebook["cells"]


def notebook_in(content: bytes) -> dict[str, Any] | None:
    """A notebook of today's format; None for anything else."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return None
    is_notebook = isinstance(found, dict) and found.get("nbformat") == 4 and isinstance(found.get("cells"), list)
    return found if is_notebook and all(map(_is_cell, found["cells"])) else None


def _is_cell(cell: Any) -> bool:
    if not isinstance(cell, dict):
        return False
    source = cell.get("source")
    return isinstance(cell.get("cell_type"), str) and isinstance(source, str | list)


def source_of(cell: NotebookCell) -> str:
    """Its text; files have it as one, or as a list of lines, which an editor on Windows may end in its own way."""
    source: str | Sequence[str] = cell["source"]
    text = source if isinstance(source, str) else "".join(source)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def given(cell: NotebookCell) -> Given:
    """The account of one cell."""
    source = source_of(cell).rstrip()
    kind = cell["cell_type"]
    shape = shape_of(source) if kind == "code" else source
    return Given(str(cell.get("id", "")), _digest(kind, source), _digest(kind, shape))


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:16]


def shape_of(source: str) -> str:
    """Code without docstrings and comments; the text itself where it is no Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return source
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)


def chapter_notebooks(root: Path) -> Iterator[Path]:
    """The notebooks in chapters/ and its folders, and those beside chapters/."""
    found = [*root.glob("*.ipynb"), *(root / "chapters").rglob("*.ipynb")]
    for path in sorted(found):
        if not NOT_OURS & set(path.relative_to(root).parts):
            yield path


def stem_of(notebook: dict[str, Any], symbols: Mapping[str, list[str]]) -> str:
    """The chapter that most of its cells are from by their ids; else the one most of whose exercises it defines."""
    cells = notebook["cells"]
    by_id = Counter(str(cell.get("id", "")).partition("-")[0] for cell in cells)
    counts = {stem: by_id[stem] for stem in symbols}
    if not any(counts.values()):
        code = [source_of(cell) for cell in cells if cell["cell_type"] == "code"]
        counts = {
            stem: sum(any(defines(text, name) for text in code) for name in names) for stem, names in symbols.items()
        }
    most = max(counts.values(), default=0)
    return next((stem for stem, count in counts.items() if count == most and most), "")
