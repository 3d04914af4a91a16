"""What a killed run leaves behind ends by itself: JupyterLab, its kernels, the browser."""

import signal
import subprocess
import sys
import time

import psutil
import pytest

from utils.course import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.usefixtures("shown")]
SECONDS = 30
STARTS = """
import time, urllib.request
from author.browsing import chromium
from author.browsing import server

with server() as running, chromium() as browser:
    browser.new_page()
    kernels = f"{running.address}/api/kernels"
    headers = {"Authorization": f"token {running.token}"}
    urllib.request.urlopen(urllib.request.Request(kernels, b"{}", headers)).close()
    print("all there", flush=True)
    while True:
        time.sleep(60)
"""
KINDS = ("utils.learner.lab", "ipykernel", "--type=renderer", "playwright")


def test_nothing_is_left_of_a_run_that_is_killed():
    with subprocess.Popen([sys.executable, "-c", STARTS], cwd=ROOT, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout and run.stdout.readline() == "all there\n"
        started = psutil.Process(run.pid).children(recursive=True)
        lines = [" ".join(process.cmdline()) for process in started]
        assert [kind for kind in KINDS if not any(kind in line for line in lines)] == []
        run.send_signal(signal.SIGKILL)
        until = time.monotonic() + SECONDS
        while (left := [process for process in started if works(process)]) and time.monotonic() < until:
            time.sleep(0.1)
        for process in left:
            process.kill()
    assert left == []


def works(process):
    """Whether it is there, and more than a zombie: not every machine's first process sees to these."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
