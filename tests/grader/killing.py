"""Grades a folder, is killed at many moments, goes on, and says what became of it: a program of its own, which forks.

    python -m tests.grader.killing SUBMISSIONS STEM UNDISTURBED KILLED

Each run is a fork of this process, which has imported all that grading takes. The first is left alone; of the others
each stops itself at a moment, is killed there by this one, and the next goes on. Prints how many were killed, and how
many processes outlived their grader.
"""

import os
import signal
import sys
from typing import Any

import psutil
import sqlite_utils.db

from grader import batch, gradebook
from grader.batch import Pool
from grader.gradebook import Gradebook
from tests.grader.ready import end_of, grading, in_this_fork

PATIENCE = 300.0  # seconds for what it started to end
Moment = tuple[Any, str, int, bool]  # whose function, its name, the how manieth call in a run, and whether after it
BEFORE: dict[str, Moment] = {
    "before the gradebook has its tables": (gradebook.migrations, "apply", 1, False),
    "when it has them": (gradebook.migrations, "apply", 1, True),
    "before it is known what there is to do": (batch, "jobs_for", 1, False),
    "when it is known": (batch, "jobs_for", 1, True),
    "before any worker": (Pool, "__init__", 1, False),
    "with a worker": (Pool, "_start", 1, True),
    "with all workers": (Pool, "_start", 2, True),
    "with their jobs handed out": (Pool, "_hand_out", 1, True),
}
MEANWHILE: dict[str, Moment] = {
    "before a row": (Gradebook, "save", 1, False),
    "within a row": (sqlite_utils.db.Table, "upsert", 1, True),
    "after a row": (Gradebook, "save", 1, True),
    "within the second row": (sqlite_utils.db.Table, "upsert", 2, True),
}
BY_ONE = {"before a row", "after a row", "within the second row"}  # a row is the grader's own doing, not a worker's


def main(submissions: str, stem: str, undisturbed: str, killed: str) -> None:
    words = grading(submissions, stem)
    # one worker where there need not be two
    one, two = (["--workers", number, "--gradebook", killed] for number in "12")
    assert end_of(_run([*words, "--workers", "1", "--gradebook", undisturbed])) == 0
    kills, outlived = 0, list[psutil.Process]()
    # those before any row again, where there are some
    for name, moment in [*BEFORE.items(), *MEANWHILE.items(), *BEFORE.items()]:
        workers = one if name in BY_ONE else two
        run = psutil.Process(_run([*words, *workers], moment))
        _, status = os.waitpid(run.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), f"It was to be killed {name}, and came to its end."
        started = run.children(recursive=True)
        os.kill(run.pid, signal.SIGKILL)
        os.waitpid(run.pid, 0)
        kills += 1
        outlived += psutil.wait_procs(started, PATIENCE)[1]
    assert end_of(_run([*words, *one])) == 0
    print(f"killed {kills} times, {len(outlived)} processes outlived it: {outlived}")


def _run(words: list[str], moment: Moment | None = None) -> int:
    """A grader of its own, which stops at this moment; its process id."""
    sys.stdout.flush()
    process = os.fork()
    if not process:
        if moment:
            _stop_at(*moment)
        in_this_fork(words)
    return process


def _stop_at(owner: Any, name: str, number: int, after: bool) -> None:
    whole = getattr(owner, name)
    calls = 0

    def counted(*given: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number and not after:
            os.kill(os.getpid(), signal.SIGSTOP)
        done = whole(*given, **named)
        if calls == number and after:
            os.kill(os.getpid(), signal.SIGSTOP)
        return done

    setattr(owner, name, counted)


if __name__ == "__main__":
    main(*sys.argv[1:])
