"""Every chapter stands in its places, and what it asks is read without what goes wrong in it."""

import re

import pytest

from author.scaffold import new
from author.source import read_source
from tests.house.fresh_python import fresh_python
from tests.house.test_layout import imports
from utils.course import ROOT, exercises, stems

WIDEST = 88  # characters of code that a notebook shows whole in a window of 1100 pixels
FENCED = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("stem", stems())
def test_chapter_stands_in_its_places(stem):
    for place in (f"chapters/{stem}.ipynb", f"solutions/{stem}.py", f"solutions/{stem}.ipynb", f"tests/{stem}.py"):
        assert (ROOT / place).is_file(), f"{place} is missing: python -m utils build {stem}"


@pytest.mark.parametrize("stem", stems())
def test_set_up_cell_is_the_same_everywhere(stem):
    template = (ROOT / "author" / "templates" / "beginning.py").read_text(encoding="utf-8")
    start = template.index('# %% tags=["active-ipynb", "setup"]')
    cell = template[start:].replace("ch99_template", stem)
    assert cell in (ROOT / "solutions" / f"{stem}.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("stem", stems())
def test_code_in_a_notebook_is_narrow(stem):
    """Each line of code, in cells that only the notebook runs, in hints and in answers too."""
    code_is_narrow(read_source(stem))


@pytest.mark.parametrize("symbol", ["MultiHeadScale", "multi_head_scale"])
def test_code_in_a_new_chapter_is_narrow(symbol, tmp_path):
    new("ch12_scale", symbol, tmp_path)
    code_is_narrow(read_source("ch12_scale", tmp_path))


def code_is_narrow(source):
    for cell in source.cells:
        blocks = [cell.source] if cell.kind == "code" else FENCED.findall(cell.source)
        for line in "\n".join(blocks).splitlines():
            where = f"solutions/{source.stem}.py, cell of line {cell.line}"
            assert len(line) <= WIDEST, f"{where}: {len(line)} characters: {line}"


@pytest.mark.parametrize("stem", stems())
def test_what_a_chapter_asks_is_read_without_what_goes_wrong_in_it(stem):
    """The misconceptions import the chapter's tests, and are imported by name, at the first failure."""
    asked = imports(ROOT / "tests" / f"{stem}.py")
    assert not any(name.startswith("tests.misconceptions") for name in asked)


@pytest.mark.parametrize("stem", stems())
def test_misconceptions_are_named_after_test_functions(stem):
    """Or else nobody would ever import them."""
    there = {path.stem for path in (ROOT / "tests" / "misconceptions" / stem).iterdir() if path.stem[0] != "_"}
    assert there == {exercise.test.removeprefix("test_") for exercise in exercises(stem)}


@pytest.mark.slow
def test_a_pass_imports_only_what_a_pass_needs():
    """Why an answer failed is asked at a failure: till then neither misconceptions nor repairs are imported."""
    code = """
import sys
from solutions.ch04_attention import softmax
from tests.ch04_attention import test_softmax
test_softmax(softmax)
print(*sys.modules)
"""
    loaded = fresh_python(code).stdout.split()
    assert "tests.ch04_attention" in loaded
    why = ("tests.misconceptions", "judge.repairing", "judge.checking.diagnosis.explaining")
    assert not [name for name in loaded if name.startswith(why)]


@pytest.mark.slow
def test_a_cause_is_looked_for_in_the_same_order_whichever_test_failed_before():
    """The misconceptions of an exercise may import a part of those of another."""
    code = """
import importlib
from utils.course import all_exercises
infos = list(all_exercises())[::STEP]
tests = {info.test: getattr(importlib.import_module(f"tests.{info.stem}"), info.test) for info in infos}
found = {name: [known.name for known in test.exercise.misconceptions] for name, test in tests.items()}
print(*(f"{name}: {found[name]}" for name in sorted(found)), sep="\\n")
"""
    forwards, backwards = (fresh_python(code.replace("STEP", step), warm=True).stdout for step in ("1", "-1"))
    assert forwards and forwards == backwards
