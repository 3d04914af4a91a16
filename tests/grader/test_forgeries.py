"""Whatever is edited round a wrong answer, it stays wrong; round a right one nothing harmless makes it so."""

import importlib
import pkgutil

import pytest

from grader.given import Restored, places
from grader.judging import open_judge
from grader.submitted import code_cells
from tests.grader import forgeries
from tests.grader.forgeries.forging import EDITS, RIGHT, STEM, SYMBOL, WRONG, forged

for module in pkgutil.iter_modules(forgeries.__path__):
    importlib.import_module(f"tests.grader.forgeries.{module.name}")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def judge():
    with open_judge(seed=11) as opened:
        yield opened


def graded(judge, notebook, folder):
    """The grade of a notebook's LayerNorm, as a run of pytest takes it."""
    restored = Restored(places(STEM), code_cells(notebook.write(folder)))
    return judge.grades(restored.judged, STEM)[SYMBOL]


def test_there_are_enough_of_them():
    assert sum(edit.wrong != "pass" for edit in EDITS) >= 54
    assert len({edit.name for edit in EDITS}) == len(EDITS)


@pytest.mark.parametrize("answer", ["wrong", "right"])
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_an_edit_comes_to(judge, edit, answer, tmp_path):
    notebook = forged(RIGHT if answer == "right" else WRONG)
    edit.change(notebook)
    grade = graded(judge, notebook, tmp_path)
    assert grade.status == getattr(edit, answer), grade.said


def test_the_last_of_two_counts_and_that_is_said(judge, tmp_path):
    notebook = forged(WRONG)
    notebook.cells.append({**notebook.answer, "id": "last", "source": RIGHT})
    number = [cell for cell in notebook.cells if cell["cell_type"] == "code"].index(notebook.answer) + 1
    grade = graded(judge, notebook, tmp_path)
    assert grade.status == "pass"
    assert any(f"in cells {number} and" in note and "the last counts" in note for note in grade.notes), grade.notes
