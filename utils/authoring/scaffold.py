"""Starts a chapter: a source, tests and misconceptions that already build and verify, and say what to replace."""

import keyword
import re
from pathlib import Path

from utils.checking.known import FOLDER
from utils.course import ROOT, STEM, CourseError, exercises, stems
from utils.files import write_text

TEMPLATES = Path(__file__).parent / "templates"


def new(stem: str, symbol: str | None = None, root: Path = ROOT) -> list[Path]:
    """Write solutions/<stem>.py, tests/<stem>.py and tests/misconceptions/<stem>/<symbol>.py; return the paths.

    `symbol` is what learners will write: a class if it begins with a capital letter, else a function; by default the
    function that the stem is named after. Raises CourseError rather than overwrite anything.
    """
    if not STEM.fullmatch(stem):
        raise CourseError(f"{stem!r} is no stem of a chapter; write chNN_word in small letters, such as ch12_rotary.")
    symbol = symbol or stem[5:]
    _check_symbol(symbol, root)
    paths = {
        "solution": Path("solutions") / f"{stem}.py",
        "tests": Path("tests") / f"{stem}.py",
        "misconceptions": Path("tests") / FOLDER / stem / f"{snake_case(symbol)}.py",
    }
    taken = [path for path in (*paths.values(), *_notebooks(stem)) if (root / path).exists()]
    if taken:
        raise CourseError(f"{taken[0]} is there already; nothing was written. Choose another stem, or edit that file.")
    templates = TEMPLATES / ("class" if symbol[0].isupper() else "function")
    for name, path in paths.items():
        template = (templates / f"{name}.py").read_text(encoding="utf-8")
        chapter = _filled(template, stem, symbol)
        write_text(root / path, chapter)
    return list(paths.values())


def snake_case(symbol: str) -> str:
    """LayerNorm -> layer_norm, MLP -> mlp."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", symbol).lower()


def _filled(template: str, stem: str, symbol: str) -> str:
    number, word = stem[2:4], stem[5:]
    names = {
        "ch99_template": stem,
        "Chapter 99": f"Chapter {int(number)}",
        "99 · Template": f"{int(number)} · {word.replace('_', ' ').capitalize()}",
        "test_template_symbol": f"test_{snake_case(symbol)}",
        "template_exercise": snake_case(symbol),
        "template_symbol": symbol,
        "TemplateSymbol": symbol,
    }
    return re.sub("|".join(map(re.escape, names)), lambda found: names[found[0]], template)


def _check_symbol(symbol: str, root: Path) -> None:
    if not symbol.isidentifier() or keyword.iskeyword(symbol) or symbol.startswith("_"):
        raise CourseError(f"{symbol!r} can't be a name in Python; choose another with --symbol, such as RotaryEmbed.")
    for known in stems(root):
        if symbol in {exercise.symbol for exercise in exercises(known, root)}:
            raise CourseError(f"{symbol} is an exercise of {known} already; choose another name with --symbol.")


def _notebooks(stem: str) -> tuple[Path, Path]:
    return Path("chapters") / f"{stem}.ipynb", Path("solutions") / f"{stem}.ipynb"
