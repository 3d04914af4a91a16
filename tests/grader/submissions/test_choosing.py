"""grader.submissions.reading: which of several notebooks of one chapter counts."""

import os
import re

from grader.submissions.reading import read_submission
from tests.grader.submissions.making import LAYER_NORM, NAME, STEM, notebook, write


def written(folder, **times):
    """Notebooks of one chapter, each with an answer of its own; by what their names have behind the chapter's."""
    for number, (name, modified) in enumerate(times.items()):
        path = write(folder / f"{STEM}{name}.ipynb", notebook(f"{LAYER_NORM}# {number}"))
        os.utime(path, (modified, modified))


def test_of_two_notebooks_the_newest_counts_and_that_is_said(tmp_path):
    written(tmp_path, **{"": 1_000_000, " (1)": 2_000_000, "-Copy1": 1_500_000})
    read = read_submission(tmp_path)
    assert read.notebooks[STEM].file == f"{STEM} (1).ipynb"
    assert read.problems == read.choices and len(read.choices) == 2
    said = rf"{STEM} \(1\)\.ipynb \(1970-01-2\d \d\d:\d\d\) counts for {STEM}, not {STEM}\.ipynb \(1970-01-1\d .*\)\."
    assert re.fullmatch(said, read.choices[1])


def test_of_two_of_one_time_the_one_nearest_to_the_released_name_counts(tmp_path):
    """As a clone has them, or an unpacked zip."""
    written(tmp_path, **{" (1) old": 1_000_030, "-Copy1": 1_000_020, "-Copy2": 1_000_010})
    assert read_submission(tmp_path).notebooks[STEM].file == f"{STEM}-Copy1.ipynb"
    written(tmp_path, **{"": 1_000_000})
    assert read_submission(tmp_path).notebooks[STEM].file == NAME


def test_of_two_that_are_equal_nothing_is_said(tmp_path):
    for name in (NAME, f"{STEM}-Copy1.ipynb"):
        write(tmp_path / name)
    assert read_submission(tmp_path).problems == ()


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
    (said,) = read.problems
    assert said.startswith(f"mine {NAME} (") and f") counts for {STEM}, not {NAME} (" in said


def test_a_copy_that_can_be_read_counts_before_one_that_cannot(tmp_path):
    write(tmp_path / NAME, "")
    write(tmp_path / f"{STEM}-Copy1.ipynb")
    assert read_submission(tmp_path).notebooks[STEM].problem == ""
