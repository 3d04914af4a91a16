"""A run that is watched in a real kernel: one output is exchanged in place, and Stop ends the cell without an error."""

import queue
import time

import pytest
from jupyter_client.manager import start_new_kernel

from utils.course import ROOT

CODE = """
import time
from types import SimpleNamespace
from utils.watching import watching

with watching(SimpleNamespace(steps=1000, checkpoint=None)) as watch:
    for step in range(1, 1001):
        time.sleep(0.05)
        watch({"step": step, "loss": 4 / step, "held_out": 4 / step})
print("kept", len(watch.history), watch.stopped)
"""


@pytest.fixture
def kernel(monkeypatch):
    monkeypatch.delenv("COURSE_WIDGETS", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    manager, client = start_new_kernel(cwd=str(ROOT))
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def messages(client, until, seconds=120):
    """What the kernel publishes, up to a message for which `until` holds, and for so long at most."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            message = client.get_iopub_msg(timeout=1)
        except queue.Empty:
            continue
        yield message
        if until(message):
            return
    pytest.fail("the kernel did not come so far")


def has_a_curve(message):
    return message["msg_type"] == "update_display_data" and "<svg" in message["content"]["data"]["text/html"]


def is_idle(message):
    return message["msg_type"] == "status" and message["content"]["execution_state"] == "idle"


@pytest.mark.slow
def test_stop_in_a_notebook(kernel):
    manager, client = kernel
    client.execute(CODE)
    before = list(messages(client, has_a_curve))
    shown = [message for message in before if message["msg_type"] == "display_data"]
    assert len(shown) == 1  # all later ones take its place
    manager.interrupt_kernel()
    after = list(messages(client, is_idle))
    assert not [message for message in after if message["msg_type"] == "error"]
    last = [message for message in after if message["msg_type"] == "update_display_data"][-1]
    page = last["content"]["data"]["text/html"]
    assert (
        "Stopped; the last entry is that of step" in page and "The model stays as it is now" in page and "<svg" in page
    )
    told = "".join(message["content"]["text"] for message in after if message["msg_type"] == "stream")
    assert told.startswith("kept ") and told.endswith(" True\n")
