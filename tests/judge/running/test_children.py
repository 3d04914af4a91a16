"""judge.running.children: children do not outlive who started them."""

import os
import signal
import subprocess
import sys

import pytest

from tests.judge.repairing.test_search import forked
from utils.course import ROOT

WAITS = """
import os, time
from judge.running.children import in_children

def waits():
    print(os.getpid(), file=told, flush=True)
    time.sleep(1000)

told = os.fdopen(os.dup(1), "w")
in_children([waits], 1000, 1)
"""


@pytest.mark.slow
@forked
def test_a_child_that_waits_ends_with_its_parent():
    parent = subprocess.Popen([sys.executable, "-c", WAITS], cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8")
    child = int(parent.stdout.readline())
    parent.kill()
    try:
        parent.communicate(timeout=60)  # until nobody can say anything any more
    except subprocess.TimeoutExpired:
        os.kill(child, signal.SIGKILL)
        raise


def test_a_child_may_make_a_temporary_folder_though_it_writes_no_file():
    """Which folder is for temporary things Python finds out by writing a file there."""
    source = """
import tempfile
from judge.running.children import in_children
assert tempfile.tempdir is None

def made():
    with tempfile.TemporaryDirectory() as folder:
        return folder

print(*in_children([made], 30.0, 1))
"""
    done = subprocess.run([sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=True)
    assert os.path.isabs(done.stdout.strip()), done
