"""A grader that is killed at any moment goes on where it was, and ends with the grades of one that nobody disturbed."""

import contextlib
import json
import re
import sqlite3
import sys

import pytest

from tests.grader.classes import write_class
from tests.grader.ready import program

STEM = "ch03_layernorm"
NOT_COMPARED = "seconds"  # which no two runs share


def rows(gradebook):
    """All rows of grades, and how many were replaced."""
    with contextlib.closing(sqlite3.connect(gradebook)) as book:
        book.row_factory = sqlite3.Row
        found = [dict(row) for row in book.execute("select * from grade order by submission, stem, symbol")]
        replaced = book.execute("select count(*) from earlier_grade").fetchone()[0]
    return [{name: value for name, value in row.items() if name != NOT_COMPARED} for row in found], replaced


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the grader's workers are forked on Linux alone")
def test_killed_at_twenty_moments_it_ends_with_the_gradebook_of_an_undisturbed_run(tmp_path):
    learners = write_class(tmp_path / "class", STEM, 13, seed=3)
    undisturbed, killed = tmp_path / "undisturbed.sqlite", tmp_path / "killed.sqlite"
    done = program("tests.grader.killing", tmp_path / "class", STEM, undisturbed, killed)
    assert re.search(r"killed 20 times, 0 processes outlived it", done.stdout), done.stdout + done.stderr
    found, replaced = rows(killed)
    assert json.dumps(found) == json.dumps(rows(undisturbed)[0])
    assert len({row["submission"] for row in found}) == len(learners) and replaced == 0
