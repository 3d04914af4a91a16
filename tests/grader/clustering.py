"""Grades a folder here, and again on a Dask cluster of which a worker is killed meanwhile: a program of its own.

    python -m tests.grader.clustering SUBMISSIONS STEM HERE THERE

The cluster's scheduler is in this process, its workers are not. Prints how many grades there were when one was killed,
at how many jobs it was, and what became of the command.
"""

import os
import signal
import sys
from typing import Any

from distributed import LocalCluster

from grader.gradebook import Gradebook
from grader.grades import SubmissionGrades
from tests.grader.ready import end_of, grading, in_this_fork
from utils.__main__ import main as run

WORKERS = 2
ROWS = 3  # that are there when a worker is killed


def main(submissions: str, stem: str, here: str, there: str) -> None:
    words = grading(submissions, stem)
    if not (process := os.fork()):  # before Dask has threads
        in_this_fork([*words, "--workers", "1", "--gradebook", here])
    assert end_of(process) == 0
    with LocalCluster(
        n_workers=WORKERS, threads_per_worker=2, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        _kill_one_after(ROWS, cluster)
        status = run([*words, "--gradebook", there, "--dask", cluster.scheduler_address])
    print(f"exit status {status}")


def _kill_one_after(rows: int, cluster: Any) -> None:
    """As soon as so many grades are there, kill a worker that has jobs."""
    saved = 0
    save = Gradebook.save

    def counted(book: Gradebook, graded: SubmissionGrades, bases: dict[str, str]) -> None:
        nonlocal saved
        save(book, graded, bases)
        saved += 1
        if saved == rows:
            busy = {one.address: len(one.processing) for one in cluster.scheduler.workers.values() if one.processing}
            victim = next(one for one in cluster.workers.values() if one.worker_address in busy)
            os.kill(victim.pid, signal.SIGKILL)
            print(
                f"killed one of {len(cluster.workers)} workers at {saved} rows, and {busy[victim.worker_address]} jobs"
            )

    Gradebook.save = counted


if __name__ == "__main__":
    main(*sys.argv[1:])
