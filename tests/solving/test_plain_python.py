"""Chapters 0 and 10 are judged where nothing but the standard library is installed, in the same words as elsewhere."""

import json
import os
import subprocess
import sys

import pytest

from tests.solving.asked import asked
from tests.solving.stand_ins import IN_THE_PAGE, STAND_INS
from utils.course import ROOT
from utils.learner.cards import FIRST

ABSENT = ("torch", "numpy", "jax", "pandas", "jaxtyping", "beartype", "einops", "IPython", "plotly", "safetensors")
IMPORTS = f"""
import sys, time
from importlib.util import find_spec
began = time.process_time()
import tests.ch00_tokens, tests.ch10_cost, utils.learner.cards
took = time.process_time() - began
import judge.repairing, utils.learner.reporter, solutions.ch00_tokens, solutions.ch10_cost
assert not any(map(find_spec, {ABSENT})), "what is installed can be imported"
print(took, sys.modules["regex"].__file__, find_spec("tokenizers").origin)
"""


JUDGES = """
from importlib import import_module
from tests.solving.said import STEMS, tests_of
for stem in STEMS:
    for test in tests_of(stem).values():
        test(getattr(import_module(f"solutions.{stem}"), test.exercise.symbol))
"""


def python(*arguments: str, installed: bool) -> str:
    """What it prints, in a Python to which all is installed, or (by -S) nothing."""
    flags, path = ([], str(ROOT)) if installed else (["-S"], IN_THE_PAGE)
    command = [sys.executable, *flags, *arguments]
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_importing_all_that_judges_takes_a_moment():
    took, *stand_ins = python("-c", IMPORTS, installed=False).split()
    assert float(took) < 0.3
    assert stand_ins == [str(STAND_INS / "regex.py"), str(STAND_INS / "tokenizers.py")]


@pytest.mark.slow
def test_a_terminal_shows_the_same_cards():
    printed = python("-c", JUDGES, installed=False)
    assert printed.count("✔") >= 8 and printed == python("-c", JUDGES, installed=True)


@pytest.mark.slow
def test_every_known_answer_gets_the_same_card(tmp_path):
    """The right ones pass; the causes of the wrong ones are named.

    So do a tenth of the answers in benchmarks/wrong_answers, some of which are mended by one change.
    """
    given = asked(10)
    (tmp_path / "asked.json").write_text(json.dumps(given))
    said = {}
    for installed in (True, False):
        files = tmp_path / "asked.json", tmp_path / f"{installed}.json"
        python(str(ROOT / "tests" / "solving" / "said.py"), *map(str, files), installed=installed)
        said[installed] = json.loads(files[1].read_text())
    differ = [name for name, card in said[True].items() if said[False].get(name) != card]
    assert differ == [] and said[False].keys() == said[True].keys()
    right = {name: card for name, card in said[False].items() if "the solution" in name or ": variant " in name}
    assert len([name for name in right if name.endswith("the solution")]) == 8
    assert [name for name, card in right.items() if "✔" not in card] == []
    others = ("error: ", *(f"{test}: mutant " for test in given))  # a mutant may do the same as the solution
    wrong = {name: card for name, card in said[False].items() if name not in right and not name.startswith(others)}
    assert [name for name, card in wrong.items() if "✘" not in card] == []
    assert len(wrong) > 500 and sum(FIRST in card for card in wrong.values()) >= 3
