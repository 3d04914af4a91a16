"""The hints of an exercise for a terminal, read from its chapter's notebook: the idea, pseudocode, the solution."""

import re
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path

from utils.course import ROOT, CourseError, ExerciseInfo, all_exercises
from utils.course.cells import cells_of
from utils.learner.parsing import did_you_mean
from utils.learner.progress import next_open

KINDS = ("idea", "pseudocode", "solution")
COMMAND = "python -m utils hint"
FURTHER = {"pseudocode": "For pseudocode: {} --more", "solution": "For the solution: {} --solution"}
ALL_PASSED = f"Every exercise has passed. The hints of any are still there: {COMMAND} LayerNorm"
FOLD = re.compile(r"<details>\s*<summary>(.*?)</summary>\s*(.*)</details>", re.DOTALL)
FENCE = re.compile(r"^```.*$", re.MULTILINE)
WIDEST = 88


def hint(symbol: str | None, furthest: str, root: Path = ROOT) -> str:
    """The hints of an exercise up to the `furthest` of KINDS; without a symbol, of the first that has not passed.

    Raises CourseError where there is no such exercise, or its notebook does not hold the hint.
    """
    exercise = _named(symbol, root) if symbol else next_open(root)
    if exercise is None:
        return ALL_PASSED
    place = root / "chapters" / f"{exercise.stem}.ipynb"
    written = _written(place, exercise)
    reach = KINDS.index(furthest) + 1
    told = [written[kind] for kind in KINDS[:reach] if kind in written]
    left = [kind for kind in KINDS[reach:] if kind in written]
    is_wanting = furthest == "solution" and furthest not in written
    if not told or is_wanting:
        raise CourseError(f"chapters/{place.name} holds no such hint for {exercise.symbol}: {furthest}.")
    heading = f"{exercise.symbol}, in chapters/{place.name}"
    command = f"{COMMAND} {exercise.symbol}"
    way_on = [FURTHER[kind].format(command) for kind in left[:1]]
    return "\n\n".join([heading, *map(_as_text, told), *way_on])


def _named(symbol: str, root: Path) -> ExerciseInfo:
    known = {exercise.symbol: exercise for exercise in all_exercises(root)}
    by_letters = {name.lower(): exercise for name, exercise in known.items()}
    found = known.get(symbol) or by_letters.get(symbol.lower())
    if found:
        return found
    guess = did_you_mean(symbol, known) or " `python -m utils progress` names them all."
    raise CourseError(f"There is no exercise {symbol}.{guess}")


def _written(place: Path, exercise: ExerciseInfo) -> dict[str, str]:
    """The cells that hold the hints, by their kinds: the build names each after its exercise."""
    sources = {cell.get("id"): cell["source"] for cell in cells_of(place)}
    names = {f"{exercise.stem}-{exercise.symbol}-{kind}": kind for kind in KINDS}
    return {names[name]: sources[name] for name in names.keys() & sources.keys()}


def _as_text(cell: str) -> str:
    """A hint's Markdown as text: its title, its paragraphs in lines that fit, its code indented."""
    fold = FOLD.search(cell)
    title, text = fold.groups() if fold else ("Hint", cell)
    parts = [title]
    for index, part in enumerate(FENCE.split(text)):
        if index % 2:  # between two fences: code
            parts.append(textwrap.indent(part.strip("\n"), " " * 4))
        else:
            parts += _paragraphs(part)
    return "\n\n".join(parts)


def _paragraphs(prose: str) -> Iterator[str]:
    width = min(shutil.get_terminal_size().columns, WIDEST)
    plain = prose.replace("**", "")
    for paragraph in filter(str.strip, plain.split("\n\n")):
        yield textwrap.fill(" ".join(paragraph.split()), width, break_on_hyphens=False)
