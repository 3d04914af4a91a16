"""grader.batch: whatever happens in a worker, there are grades for every submission."""

import sys

import pytest

from tests.house.fresh_python import fresh_python

# A worker is a fork, and what other tests have imported may have started threads
FAILING = """
import contextlib
from pathlib import Path

from grader import batch
from grader.jobs import Job, Terms
from grader.submissions.reading import Submission


def fail(job, terms):
    raise LookupError("never seen before")


batch.done_here = fail
jobs = [Job(Submission(name, Path(name)), {"ch03_layernorm": ""}) for name in ("ada", "bob")]
with contextlib.closing(batch.Pool(1, Terms(seed=0))) as workers:
    for graded in sorted(workers.results(jobs), key=lambda one: one.submission):
        (grade,) = graded.grades
        print(graded.submission, grade.status, "LookupError: never seen before" in grade.said)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the grader's workers are forked on Linux alone")
def test_what_nobody_foresaw_is_told_in_a_grade():
    assert fresh_python(FAILING).stdout.split() == ["ada", "not_graded", "True", "bob", "not_graded", "True"]
