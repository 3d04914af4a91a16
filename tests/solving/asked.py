"""The wrong answers of benchmarks/wrong_answers to the exercises of plain Python, as tests/solving/said.py reads them.

`python -m tests.solving.asked MORE.json` writes them.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.answers import wrong_answers
from tests.solving.said import STEMS
from utils.course import ROOT, ExerciseInfo, exercises
from utils.course.cells import cells_of

ANSWERS = ROOT / "benchmarks" / "wrong_answers"


def more() -> dict[str, dict[str, Any]]:
    """By the name of each test the cells before its exercise, and those of the answers by what the learner did."""
    return {
        info.test: {"before": list(_before(info.stem, info.symbol)), "answers": _answers(info)}
        for stem in STEMS
        for info in exercises(stem)
    }


def _answers(info: ExerciseInfo) -> dict[str, str]:
    """Those that need nothing but Python."""
    file = ANSWERS / info.stem / f"{info.test.removeprefix('test_')}.py"
    return {one.title: one.cell for one in wrong_answers(file) if not re.search(r"\b(torch|numpy)\b", one.cell)}


def _before(stem: str, symbol: str) -> Iterator[str]:
    """The cells of plain Python: the chapter's stubs, then the solutions of the exercises that come before."""
    for folder in ("chapters", "solutions"):
        for cell in cells_of(ROOT / folder / f"{stem}.ipynb"):
            if cell["cell_type"] != "code" or {"active-ipynb", "colab"} & set(cell["metadata"].get("tags", ())):
                continue
            if folder == "solutions" and re.search(rf"^(?:def|class) {symbol}\b", cell["source"], re.MULTILINE):
                break
            yield cell["source"]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(more()))
