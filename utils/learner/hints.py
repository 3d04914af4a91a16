"""The hints of an exercise for a terminal, read from its chapter's notebook: the idea, pseudocode, the solution."""

import json
import re
import shutil
import textwrap
from pathlib import Path

from utils.course import ROOT, CourseError, ExerciseInfo, exercises, stems
from utils.learner.own_gpt.parsing import did_you_mean
from utils.learner.progress import passed

KINDS = ("idea", "pseudocode", "solution")
NEXT = {"pseudocode": "For pseudocode: {} --more", "solution": "For the solution: {} --solution"}
FOLD = re.compile(r"<details>\s*<summary>(?P<title>.*?)</summary>\s*(?P<text>.*)</details>", re.DOTALL)
WIDEST = 88
COMMAND = "python -m utils hint"


def hint(symbol: str | None, furthest: str, root: Path = ROOT) -> str:
    """The hints of an exercise up to the `furthest` of KINDS; without a symbol, of the first that has not passed.

    Raises CourseError where there is no such exercise, or its notebook does not hold the hint.
    """
    exercise = _named(symbol, root) if symbol else next_open(root)
    if exercise is None:
        return f"Every exercise has passed. The hints of any are still there: {COMMAND} LayerNorm"
    place = root / "chapters" / f"{exercise.stem}.ipynb"
    written, reach = _written(place, exercise), KINDS.index(furthest) + 1
    found = [_shown(written[kind]) for kind in KINDS[:reach] if kind in written]
    if not found or (furthest == "solution" and "solution" not in written):
        raise CourseError(f"chapters/{place.name} holds no such hint for {exercise.symbol}: {furthest}.")
    rest = [NEXT[kind].format(f"{COMMAND} {exercise.symbol}") for kind in KINDS[reach:] if kind in written]
    return "\n\n".join([f"{exercise.symbol}, in chapters/{place.name}", *found, *rest[:1]])


def _named(symbol: str, root: Path) -> ExerciseInfo:
    known = {one.symbol: one for stem in stems(root) for one in exercises(stem, root)}
    by_letters = {name.lower(): one for name, one in known.items()}
    if found := known.get(symbol) or by_letters.get(symbol.lower()):
        return found
    guess = did_you_mean(symbol, known) or " `python -m utils progress` names them all."
    raise CourseError(f"There is no exercise {symbol}.{guess}")


def next_open(root: Path = ROOT) -> ExerciseInfo | None:
    """The first exercise that has not passed; None when all have."""
    done = passed()
    everything = (one for stem in stems(root) for one in exercises(stem, root))
    return next((one for one in everything if (one.stem, one.symbol) not in done), None)


def _written(place: Path, exercise: ExerciseInfo) -> dict[str, str]:
    """The cells that hold the hints, by their kinds: the build names each after its exercise."""
    try:
        cells = json.loads(place.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError) as error:
        raise CourseError(f"chapters/{place.name} can't be read: {type(error).__name__}: {error}") from None
    sources = {cell.get("id"): "".join(cell["source"]) for cell in cells}
    names = {kind: f"{exercise.stem}-{exercise.symbol}-{kind}" for kind in KINDS}
    return {kind: sources[name] for kind, name in names.items() if name in sources}


def _shown(cell: str) -> str:
    """A hint's Markdown as text: its title, its paragraphs in lines that fit, its code indented."""
    fold = FOLD.search(cell)
    title, text = (fold["title"], fold["text"]) if fold else ("Hint", cell)
    width = min(shutil.get_terminal_size().columns, WIDEST)
    parts = [title]
    for index, part in enumerate(re.split(r"^```.*$", text, flags=re.MULTILINE)):
        if index % 2:  # between two fences
            parts.append(textwrap.indent(part.strip("\n"), " " * 4))
        else:
            paragraphs = (" ".join(each.split()).replace("**", "") for each in part.split("\n\n"))
            wrapped = (textwrap.wrap(each, width, break_on_hyphens=False) for each in paragraphs if each)
            parts += ["\n".join(lines) for lines in wrapped]
    return "\n\n".join(parts)
