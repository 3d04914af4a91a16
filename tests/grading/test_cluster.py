"""The same command on a Dask cluster of several worker processes, one of which is killed in the middle."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import psutil
import pytest

from tests.grading.classes import write_class
from tests.grading.test_killed import rows, run
from utils.course import ROOT

STEM = "ch03_layernorm"
WORKERS = 3

pytest.importorskip("distributed")


@contextlib.contextmanager
def program(*arguments):
    """A program of Dask's, ended after the block with all that it has started."""
    command = [sys.executable, "-m", *map(str, arguments)]
    surroundings = os.environ | {"OMP_NUM_THREADS": "1"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=ROOT, env=surroundings, **quiet)
    try:
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(60)


def until(found, seconds=120):
    """What it finds, once that is something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if here := found():
            return here
        time.sleep(0.2)
    raise TimeoutError


def graded_in(gradebook):
    """How many grades are in it; 0 before it has its tables."""
    try:
        return len(rows(gradebook)[0]) if gradebook.exists() else 0
    except sqlite3.OperationalError:
        return 0


def workers(nanny):
    """The processes that grade: those that multiprocessing has spawned."""
    return [one for one in nanny.children() if "spawn_main" in " ".join(one.cmdline())]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
def test_a_worker_is_killed_and_nothing_is_lost_or_there_twice(tmp_path):
    learners = write_class(tmp_path / "class", STEM, 24, seed=5)
    here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
    settings = (tmp_path / "class", "--chapters", STEM, "--seed", 7, "--no-sandbox")
    assert run("utils", "grade", *settings, "--gradebook", here).returncode == 0
    file = tmp_path / "scheduler.json"
    quiet = ("--no-dashboard", "--scheduler-file", file)
    with program("distributed.cli.dask_scheduler", "--port", 0, *quiet):
        address = json.loads(until(lambda: file.exists() and file.read_text()))["address"]
        with program(
            "distributed.cli.dask_worker", address, "--nworkers", WORKERS, "--nthreads", 2, *quiet[:1]
        ) as nanny:
            until(lambda: len(workers(nanny)) == WORKERS)
            command = [sys.executable, "-m", "utils", "grade", *settings, "--gradebook", there, "--dask", address]
            grading = subprocess.Popen(list(map(str, command)), cwd=ROOT)
            until(lambda: 2 < graded_in(there) < len(learners) - 6)
            victim = workers(nanny)[0]
            os.kill(victim.pid, signal.SIGKILL)
            assert grading.wait(300) == 0
    assert json.dumps(rows(there)[0]) == json.dumps(rows(here)[0])
    assert len(rows(there)[0]) == len(learners) and rows(there)[1] == 0
