"""Starts a chapter: a source, tests, misconceptions and wrong answers that already build and verify.

Each says what to replace.
"""

import keyword
import re
from pathlib import Path

from author.filling import filled, template
from judge.checking.known import FOLDER
from utils.course import ROOT, STEM, CourseError, exercises, stems
from utils.course.files import write_text

FILES = {
    **{what: f"{what}.py" for what in ("solution", "tests", "misconceptions")},
    "wrong_answers": "wrong_answers.txt",  # edits are no Python
}


def new(stem: str, symbol: str | None = None, root: Path = ROOT) -> list[Path]:
    """Write the four files that an exercise in a new chapter begins with; return their paths.

    `symbol` is what learners will write: a class if it begins with a capital letter, else a function; by default the
    function that the stem is named after. Raises CourseError rather than overwrite anything.
    """
    if not STEM.fullmatch(stem):
        way = "write chNN_word in small letters, such as ch13_rotary"
        raise CourseError(f"{stem!r} is no stem of a chapter; {way}.")
    for known in stems(root):
        if known[:4] == stem[:4] and known != stem:
            raise CourseError(f"{known} has the number of {stem}; choose another.")
    symbol = symbol or stem[5:]
    _check_symbol(symbol, root)
    name = snake_case(symbol)
    paths = {
        "solution": Path("solutions") / f"{stem}.py",
        "tests": Path("tests") / f"{stem}.py",
        "misconceptions": Path("tests") / FOLDER / stem / f"{name}.py",
        "wrong_answers": Path("benchmarks") / "wrong_answers" / stem / f"{name}.py",
    }
    notebooks = [Path(folder, f"{stem}.ipynb") for folder in ("chapters", "solutions")]
    for path in (*paths.values(), *notebooks):
        if (root / path).exists():
            way = "nothing was written. Choose another stem, or edit that file."
            raise CourseError(f"{path} is there already; {way}")
    kind = "class" if symbol[0].isupper() else "function"
    texts = {what: template(f"{kind}/{FILES[what]}") for what in paths}
    texts["solution"] = f"{template('beginning.py')}\n\n{texts['solution']}"
    for what, path in paths.items():
        text = filled(texts[what], _names(stem, symbol))
        write_text(root / path, f"{text}\n")
    return list(paths.values())


def snake_case(symbol: str) -> str:
    """LayerNorm -> layer_norm, MLP -> mlp."""
    beginnings = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
    return re.sub(beginnings, "_", symbol).lower()


def _names(stem: str, symbol: str) -> dict[str, str]:
    """What stands in the place of the templates' names."""
    number, title = int(stem[2:4]), stem[5:].replace("_", " ").capitalize()
    return {
        "ch99_template": stem,
        "Chapter 99": f"Chapter {number}",
        "chapter 99": f"chapter {number}",
        "99 · Template": f"{number} · {title}",
        "test_template_symbol": f"test_{snake_case(symbol)}",
        "template_exercise": snake_case(symbol),
        "template_symbol": symbol,
        "TemplateSymbol": symbol,
    }


def _check_symbol(symbol: str, root: Path) -> None:
    is_name = symbol.isidentifier() and not keyword.iskeyword(symbol)
    if not is_name or symbol.startswith("_"):
        way = "choose another with --symbol, such as RotaryEmbed"
        raise CourseError(f"{symbol!r} can't be a name in Python; {way}.")
    for known in stems(root):
        if symbol in {exercise.symbol for exercise in exercises(known, root)}:
            what = f"{symbol} is an exercise of {known} already"
            raise CourseError(f"{what}; choose another name with --symbol.")
