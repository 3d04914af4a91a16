"""Wrong answers to the exercises of plain Python, as tests/solving/said.py reads them."""

import re
from collections.abc import Iterator
from typing import Any

from author.mutants import mutants_of
from benchmarks.answers import wrong_answers
from tests.solving.said import STEMS, tests_of
from utils.course import ROOT, ExerciseInfo, exercises
from utils.course.cells import cells_of

ANSWERS = ROOT / "benchmarks" / "wrong_answers"


def asked(every: int) -> dict[str, dict[str, Any]]:
    """By the name of each test the cells before its exercise, and every so manieth wrong answer and mutant by a title.

    No repair is looked for of mutants: it would take ten minutes.
    """
    return {
        info.test: {
            "before": list(_before(info.stem, info.symbol)),
            "answers": dict(list(_answers(info))[::every]),
            "mutants": dict(list(_mutants(info))[::every]),
        }
        for stem in STEMS
        for info in exercises(stem)
    }


def _answers(info: ExerciseInfo) -> Iterator[tuple[str, str]]:
    """The wrong answers of benchmarks/wrong_answers that need nothing but Python."""
    file = ANSWERS / info.stem / f"{info.test.removeprefix('test_')}.py"
    for one in wrong_answers(file):
        if not re.search(r"\b(torch|numpy)\b", one.cell):
            yield one.title, one.cell


def _mutants(info: ExerciseInfo) -> Iterator[tuple[str, str]]:
    for number, mutant in enumerate(mutants_of(tests_of(info.stem)[info.test].exercise)):
        yield f"mutant {number} {mutant.change}", mutant.text


def _before(stem: str, symbol: str) -> Iterator[str]:
    """The cells of plain Python: the chapter's stubs, then the solutions of the exercises that come before."""
    for folder in ("chapters", "solutions"):
        for cell in cells_of(ROOT / folder / f"{stem}.ipynb"):
            if cell["cell_type"] != "code" or {"active-ipynb", "colab"} & set(cell["metadata"].get("tags", ())):
                continue
            if folder == "solutions" and re.search(rf"^(?:def|class) {symbol}\b", cell["source"], re.MULTILINE):
                break
            yield cell["source"]
