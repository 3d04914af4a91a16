"""Runs in Pyodide when the site is built: compiles what pages load, and parts Python's library.

A page loads the modules that judging imports, as they are found by judging here; the rest comes at the first import of
something in it. To compile all that in the page would take a second, and to load the rest two.
"""

import importlib.util
import inspect
import py_compile
import sys
import sysconfig
import zipfile
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from utils.course import ROOT, exercises
from utils.solving import inside
from utils.solving.rest import NAMES

LIBRARY = f"/lib/python{sys.version_info.major}{sys.version_info.minor}.zip"
PLACE = sysconfig.get_path("stdlib")  # the judge takes what is there for nobody's answer
SOURCELESS = {"judge", "utils"}  # of whose modules no page needs the text; that of tests and solutions is read to judge
FIRST, REST, COURSE = "python_stdlib.zip", "rest.zip", "course.zip"


def compile_all(made: str) -> list[str]:
    """Write the three archives into this folder, and give their names."""
    needed = used_in_judging()
    folder = Path(made)
    library = folder / "library"
    with zipfile.ZipFile(LIBRARY) as archive:
        archive.extractall(library)
    first, rest = [], []
    for path in sorted(library.rglob("*.py")):
        file = path.relative_to(library)
        _compile(path, str(path.with_suffix(".pyc")), f"{PLACE}/{file}")
        (first if _name(file) in needed else rest).append(path.with_suffix(".pyc"))
    (ROOT / NAMES).write_text("\n".join(_name(path.relative_to(library)) for path in rest))
    for path in sorted(ROOT.rglob("*.py")):
        if _name(path.relative_to(ROOT)) in needed:
            is_ours = path.relative_to(ROOT).parts[0] in SOURCELESS
            # what an answer is compared with keeps its `assert`s, as answers do
            _compile(path, importlib.util.cache_from_source(str(path)), str(path), optimize=2 if is_ours else 0)
            if is_ours:
                path.write_text("")
    _pack(folder / FIRST, library, first)
    _pack(folder / REST, library, rest)
    _pack(folder / COURSE, ROOT, (path for path in sorted(ROOT.rglob("*")) if path.is_file()))
    return [FIRST, REST, COURSE]


def used_in_judging() -> set[str]:
    """The modules that are loaded once every exercise was judged, right, wrong and unwritten, and one mended."""
    for stem in inside.given():
        for exercise in exercises(stem):
            right = inspect.getsource(getattr(import_module(f"solutions.{stem}"), exercise.symbol))
            unwritten = f"def {exercise.symbol}(*given):\n    raise NotImplementedError"
            for source in (right, f"def {exercise.symbol}(*given):\n    return len(given)", unwritten, "def"):
                inside.judged(stem, exercise.symbol, source, {})
    inside.mended("ch00_tokens", "bpe_decode", "def bpe_decode(pieces):\n    return b''.join(pieces)", {})
    return set(sys.modules)


def _compile(path: Path, compiled: str, told: str, optimize: int = 2) -> None:
    """As bytecode that is taken without a look at its source. By 2 it has no docstrings, which are a fifth of it."""
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(path), compiled, told, doraise=True, optimize=optimize, invalidation_mode=unchecked)


def _name(file: Path) -> str:
    """Of the module in a file."""
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


def _pack(archive: Path, folder: Path, paths: Iterable[Path]) -> None:
    """The files as they are: the archive is compressed as a whole, which makes it smaller than if each file were."""
    with zipfile.ZipFile(archive, "w") as opened:
        for path in paths:
            opened.writestr(zipfile.ZipInfo(path.relative_to(folder).as_posix()), path.read_bytes())
