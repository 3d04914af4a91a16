"""utils.grading.submissions.reading: which of several notebooks of one chapter counts."""

import os

from tests.grading.submissions.making import LAYER_NORM, notebook, write
from utils.grading.submissions.reading import read_submission

STEM = "ch03_layernorm"
NAME = f"{STEM}.ipynb"


def test_of_two_notebooks_the_one_nearest_the_released_name_counts_then_the_newest(tmp_path):
    for age, name in enumerate([f"{STEM}-Copy1.ipynb", f"{STEM}-Copy2.ipynb", f"{STEM} (1) old.ipynb"]):
        os.utime(write(tmp_path / name), (1000 - age, 1000 - age))
    assert read_submission(tmp_path).notebooks[STEM].file == f"{STEM}-Copy1.ipynb"
    write(tmp_path / NAME)
    read = read_submission(tmp_path)
    assert read.notebooks[STEM].file == NAME
    assert f"{NAME} counts for {STEM}, not {STEM}-Copy2.ipynb." in read.problems


def test_a_chapter_that_was_not_begun_does_not_count_beside_one_that_was(tmp_path):
    """As an update leaves it where somebody has renamed theirs."""
    stub = (
        'class LayerNorm:\n    def forward(self, x):\n        raise NotImplementedError("LayerNorm: write this part")'
    )
    write(tmp_path / "ada" / NAME, notebook(stub))
    write(tmp_path / "ada" / f"mine {NAME}", notebook(LAYER_NORM))
    write(tmp_path / "ada" / "before_update" / NAME, notebook("class LayerNorm: pass"))
    read = read_submission(tmp_path / "ada")
    assert read.notebooks[STEM].cells == (LAYER_NORM,)
    assert read.problems == (f"mine {NAME} counts for {STEM}, not {NAME}.",)


def test_a_copy_that_can_be_read_counts_before_one_that_cannot(tmp_path):
    write(tmp_path / NAME, "")
    write(tmp_path / f"{STEM}-Copy1.ipynb")
    assert read_submission(tmp_path).notebooks[STEM].problem == ""
