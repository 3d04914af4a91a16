"""Which course judges, in the words of a report."""

import os
from pathlib import Path

from utils.course import ROOT, git

JUDGE = "COURSE_JUDGE"  # set by fork.py: the course that must judge, and its name for people


def who_judges(judged: Path) -> str:
    """The course whose tests and code these are, and whether they are the learner's to change."""
    if name := os.environ.get(JUDGE):
        return f"judged by {name}; of the fork nothing but its notebooks was read"
    if judged.resolve() == ROOT:
        return f"judged by the tests and the code beside the chapters, in {ROOT}; --course takes a release's"
    return f"judged by {named(ROOT)}; --course keeps the settings of {judged} out too"


def named(course: Path) -> str:
    """A course by its folder, and by its commit where that is known."""
    commit = (git.printed(course, "describe", "--always", "--tags", "--dirty", seconds=20) or "").strip()
    return f"the course in {course} (commit {commit})" if commit else f"the course in {course}"
