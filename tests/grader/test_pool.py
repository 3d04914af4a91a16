"""Several at once: whatever happens in a worker, there are grades for everybody; threads of one judge take turns."""

import sys
import threading

import pytest

from grader.boxes import Task
from grader.judging import Judge
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
        print(graded.submission, {one.status for one in graded.grades})
        print(all("LookupError: never seen before" in one.said for one in graded.grades))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the grader's workers are forked on Linux alone")
def test_what_nobody_foresaw_is_told_in_a_grade():
    assert fresh_python(FAILING).stdout.splitlines() == ["ada {'not_graded'}", "True", "bob {'not_graded'}", "True"]


# Two workers, one of which is killed: the one in its place shares the box too
SHARING = """
import contextlib
import tempfile
from pathlib import Path

import psutil

from grader import batch, jobs
from grader.jobs import Job, Terms
from grader.submissions.reading import read_submission
from tests.grader.answers import chapter, write_submission

stem, terms = "ch03_layernorm", Terms(seed=0, allow_none=True)


def boxes():  # how many processes run the module of a box whose parents do not
    running = psutil.Process().children(recursive=True)
    return sum(is_of_a_box(process) and not is_of_a_box(process.parent()) for process in running)


def is_of_a_box(process):
    try:
        return "judge.running.confined" in process.cmdline()
    except psutil.Error:  # it has just ended
        return False


with tempfile.TemporaryDirectory() as place:
    folders = [Path(place, name) for name in ("ada", "bob", "cyd")]
    written = [write_submission(folder / f"{stem}.ipynb", chapter(stem)) for folder in folders]
    work = [Job(read_submission(folder), {stem: ""}) for folder in folders]
    batch.prepare([stem], terms)
    with contextlib.closing(batch.Pool(2, terms)) as workers:
        workers.workers[0].process.kill()
        graded = list(workers.results(work))
        print([grade.status for one in graded for grade in one.grades], boxes())
    print(boxes())
    jobs.close_here()
    print(boxes())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the grader's workers are forked on Linux alone")
def test_workers_share_the_box_of_the_process_that_forks_them():
    assert fresh_python(SHARING).stdout.splitlines() == ["['pass', 'pass', 'pass'] 1", "1", "0"]


def test_answers_with_a_library_run_one_after_another_and_keep_nobody_else_waiting():
    judge = Judge(box=None, seed=0)
    running, together = [], []
    began, may_end = threading.Event(), threading.Event()

    def run(number):
        with judge.alone, judge._in_turn(Task("", "model", needs="jax")):
            running.append(number)
            together.append(len(running))
            began.set()
            with judge._others_first():
                may_end.wait(30)
            running.remove(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    assert began.wait(30)
    with judge.alone, judge._in_turn(Task("", "softmax")):  # the others hold nothing that this one needs
        may_end.set()
    for thread in threads:
        thread.join(30)
    assert together == [1, 1, 1] and not running and not judge._with_a_library.locked()
