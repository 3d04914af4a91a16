"""A fork in a notebook does not wait for ever for the thread in which IPython writes its history."""

import subprocess
import sys

import pytest

from judge.running.children import can_fork
from utils.course import ROOT

pytestmark = pytest.mark.skipif(not can_fork(), reason="candidates run in a child only where fork is safe")
# The thread is about to write when it is told to end: it clears the flag once it has been set again for that.
SHELL = """
import os, sys, threading
from IPython.core import history
from IPython.core.interactiveshell import InteractiveShell
from judge.running.children import in_children

class Flag(threading.Event):
    def __init__(self):
        super().__init__()
        self.clearing, self.told = threading.Event(), threading.Event()

    def set(self):
        super().set()
        if thread._stop_now:
            self.told.set()

    def clear(self):
        self.clearing.set()
        self.told.wait()
        super().clear()

shell = InteractiveShell()
manager = shell.history_manager
thread = manager.save_thread
assert thread.is_alive()
thread.stop()
thread = manager.save_thread = history.HistorySavingThread(manager)
thread.save_flag = Flag()
thread.start()
thread.save_flag.set()
assert thread.save_flag.clearing.wait(60)
print(in_children([lambda: 7], 60, 1), manager.save_thread)
"""


@pytest.mark.slow
def test_a_thread_that_was_about_to_write_ends(tmp_path, monkeypatch):
    """`os.fork` alone waits here without an end, with IPython 9.18."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    done = subprocess.run([sys.executable, "-c", SHELL], capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert done.stdout == "[7] None\n", done.stderr
