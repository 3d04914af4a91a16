"""grader.batch: what a grade rests on."""

import pytest

from author.dependencies import file_of, modules_behind
from grader.batch import JUDGES
from utils.course import ROOT

# What these import and no verdict depends on: cards and repairs, what is kept of a pass, the learner's package
ASIDE = (
    *("judge/edits/", "judge/repairing/", "utils/handed_over.py", "utils/learner/", "utils/model_map/"),
    *("utils/own_gpt/", "utils/pictures/", "utils/pieces.py", "grader/grades.py"),
    "grader/bounds.py",  # whose values are a part of what a grade rests on
)


@pytest.mark.slow
def test_a_grade_rests_on_every_module_that_judges():
    behind = modules_behind(["grader.judging", "judge.running.confined.__main__", "utils.gpt"])
    files = {file_of(name).relative_to(ROOT).as_posix() for name in behind if not is_empty(file_of(name))}
    counted = {file for file in files if any(file == one or file.startswith(f"{one}/") for one in JUDGES)}
    assert {file for file in files - counted if not file.startswith(ASIDE)} == set()


def is_empty(file):
    """Whether it is a package that says what it is, and does nothing."""
    text = file.read_text(encoding="utf-8")
    return file.name == "__init__.py" and text.count('"""') == 2 and text.rstrip().endswith('"""')
