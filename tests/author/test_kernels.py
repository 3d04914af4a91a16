"""Running cells in a kernel: answers are never slept through, and a kernel that has died is noticed."""

import asyncio
import time
from queue import Empty

import nbformat
import pytest
import zmq.asyncio
from jupyter_client.channels import AsyncZMQSocketChannel
from jupyter_client.session import Session

from author.executing import WakingChannel, client_for, execute
from utils.course import CourseError

LIMIT = 1.5  # seconds


async def seconds_until_the_reply(channel_class, session):
    """From sending something while a reply is there that nobody has looked at yet, until it is read."""
    context = zmq.asyncio.Context()
    kernel = zmq.Context.shadow(context.underlying).socket(zmq.ROUTER)
    port = kernel.bind_to_random_port("tcp://127.0.0.1")
    channel = channel_class(context.socket(zmq.DEALER), session)
    channel.socket.connect(f"tcp://127.0.0.1:{port}")
    try:
        channel.send(session.msg("execute_request"))
        frontend, _ = session.recv(kernel, mode=0)
        waiting = asyncio.ensure_future(channel.get_msg(timeout=LIMIT))
        await asyncio.sleep(0.05)
        session.send(kernel, "execute_reply", ident=frontend)
        time.sleep(0.05)  # it arrives while this loop does something else
        channel.send(session.msg("comm_msg"))
        began = time.monotonic()
        assert (await waiting)["msg_type"] == "execute_reply"
        return time.monotonic() - began
    finally:
        channel.close()
        kernel.close(linger=0)
        context.term()


@pytest.mark.slow
def test_a_reply_that_came_while_something_was_sent_wakes_who_waits_for_it():
    session = Session(key=b"key")
    assert asyncio.run(seconds_until_the_reply(WakingChannel, session)) < LIMIT / 2
    try:
        slept = asyncio.run(seconds_until_the_reply(AsyncZMQSocketChannel, session))
    except Empty:
        return
    if slept < LIMIT / 2:
        pytest.skip("jupyter_client's own channel wakes up by itself now: WakingChannel can go")


def test_whatever_runs_cells_has_that_channel(tmp_path):
    manager = client_for(nbformat.v4.new_notebook(), tmp_path).create_kernel_manager()
    assert manager.client_factory.shell_channel_class.default_value is WakingChannel


@pytest.mark.slow
def test_a_kernel_that_dies_is_noticed_at_once(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import os\nos._exit(1)", id="here")])
    began = time.monotonic()
    with pytest.raises(CourseError, match=r"ch90\.ipynb: DeadKernelError: Kernel died\n.* is left as it was"):
        execute(notebook, tmp_path / "ch90.ipynb", tmp_path)
    assert time.monotonic() - began < 30


@pytest.mark.slow
def test_cells_whose_output_widgets_answer_do_not_stand_still(tmp_path):
    code = """
import ipywidgets
from IPython.display import display
one = ipywidgets.IntSlider(value=3)
display(ipywidgets.interactive_output(lambda value: display({"text/plain": "shown"}, raw=True), {"value": one}))
"""
    cells = [nbformat.v4.new_code_cell(code) for _ in range(40)]
    client = client_for(nbformat.v4.new_notebook(cells=cells), tmp_path, timeout=60)
    with client.setup_kernel():
        for index, cell in enumerate(cells):
            began = time.monotonic()
            client.execute_cell(cell, index)
            assert time.monotonic() - began < 50
    assert len(client.comm_objects) == len(cells)
