"""Grades a folder, is killed at random moments, goes on, and says what became of it: a program of its own, which forks.

    python -m tests.grading.killing SUBMISSIONS STEM GRADEBOOK KILLS

Each run is a fork of this process, which has imported all that grading takes, so that a moment is one of grading. One
that comes to its end before it is killed begins with a new gradebook. Prints how many processes outlived their grader.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import psutil
import torch

from utils.grading.batch import prepare
from utils.grading.command import grade
from utils.grading.jobs import Terms
from utils.grading.plans import plan_of
from utils.learner.parsing import Parser

SEED = 7
LONGEST = 3.0  # seconds until it is killed
PATIENCE = 60.0  # seconds for what it started to end


def main(submissions: str, stem: str, gradebook: str, kills: str) -> None:
    torch.set_num_threads(1)
    prepare([stem], Terms(SEED))
    assert plan_of.cache_info().currsize
    moments = random.Random(0)
    killed, outlived = 0, list[psutil.Process]()
    while killed < int(kills):
        run = psutil.Process(_run([submissions, "--chapters", stem, "--gradebook", gradebook]))
        if _has_ended_within(run, moments.uniform(0, LONGEST)):
            _forget(Path(gradebook))
            continue
        started = run.children(recursive=True)
        os.kill(run.pid, signal.SIGKILL)
        os.waitpid(run.pid, 0)
        killed += 1
        outlived += psutil.wait_procs(started, PATIENCE)[1]
    os.waitpid(_run([submissions, "--chapters", stem, "--gradebook", gradebook]), 0)
    print(f"killed {killed} times, {len(outlived)} processes outlived it: {outlived}")


def _run(arguments: list[str]) -> int:
    """A grader of its own; its process id."""
    sys.stdout.flush()
    if process := os.fork():
        return process
    from utils.grading.command import add_options

    parser = Parser()
    add_options(parser)
    status = 1
    try:
        status = grade(parser.parse_args([*arguments, "--workers", "2", "--seed", str(SEED), "--no-sandbox"]))
    finally:
        sys.stdout.flush()
        os._exit(status)


def _has_ended_within(run: psutil.Process, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if os.waitpid(run.pid, os.WNOHANG)[0]:
            return True
        time.sleep(0.01)
    return False


def _forget(gradebook: Path) -> None:
    for file in gradebook.parent.glob(f"{gradebook.name}*"):
        file.unlink()


if __name__ == "__main__":
    main(*sys.argv[1:])
