"""Which course judges, in the words of a report."""

import os
import subprocess
from pathlib import Path

from utils.course import ROOT

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
    asked = ["git", "-C", str(course), "describe", "--always", "--tags", "--dirty"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return f"the course in {course}"
    commit = done.stdout.strip()
    return f"the course in {course} (commit {commit})" if commit else f"the course in {course}"
