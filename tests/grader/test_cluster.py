"""The same command on a Dask cluster of several worker processes, one of which is killed in the middle."""

import json
import re
import sys

import pytest

from tests.grader.classes import write_class
from tests.grader.ready import program
from tests.grader.test_killed import rows
from utils.course import exercises

STEM = "ch03_layernorm"

pytest.importorskip("distributed")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
def test_a_worker_is_killed_and_nothing_is_lost_or_there_twice(tmp_path):
    learners = write_class(tmp_path / "class", STEM, 13, seed=5)
    here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
    done = program("tests.grader.clustering", tmp_path / "class", STEM, here, there)
    said = done.stdout + done.stderr
    assert re.search(r"killed one of 2 workers at 3 rows, and [1-9]\d* jobs", done.stdout), said
    assert done.returncode == 0 and done.stdout.endswith("exit status 0\n"), said
    assert json.dumps(rows(there)[0]) == json.dumps(rows(here)[0])
    assert len(rows(there)[0]) == len(learners) * len(exercises(STEM)) and rows(there)[1] == 0
