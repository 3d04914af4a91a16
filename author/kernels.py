"""Running cells in a kernel of this Python, for all who do: builds, the journey, benchmarks."""

import os
from pathlib import Path
from typing import Any

import traitlets
import zmq
from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.channels import AsyncZMQSocketChannel
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode


class WakingChannel(AsyncZMQSocketChannel):
    """Notices a message that arrived while another was sent.

    ZeroMQ signals an arrival once, and sending takes that signal away: jupyter_client sends past pyzmq's asynchronous
    socket, so whoever waits there sleeps on until the time is up. nbclient sends while it waits for a cell's reply
    (an output widget's state goes back to the kernel), and so stood still for the whole limit of a cell.
    """

    def send(self, msg: dict[str, Any]) -> None:
        """Send the message, then look whether one has come: asking for its events wakes an asynchronous socket."""
        super().send(msg)
        self.socket.get(zmq.EVENTS)


class WakingClient(AsyncKernelClient):
    """A kernel's client whose answers are never slept through."""

    shell_channel_class = traitlets.Type(WakingChannel)
    control_channel_class = traitlets.Type(WakingChannel)


class OwnKernel(AsyncKernelManager):
    """Starts the Python that runs this program, even where a user has registered another one as python3."""

    client_factory = traitlets.Type(WakingClient)

    @traitlets.default("kernel_spec_manager")
    def _no_registered_kernels(self) -> KernelSpecManager:
        return KernelSpecManager(kernel_dirs=[])


def client_for(notebook: NotebookNode, folder: Path, **settings: Any) -> NotebookClient:
    """What runs the cells of a notebook in a kernel of their own that works in this folder, and keeps their outputs."""
    return NotebookClient(
        notebook,
        kernel_name="python3",
        kernel_manager_class=OwnKernel,
        extra_arguments=["--log-level=ERROR"],
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
        **settings,
    )


def python_path(course: Path) -> str:
    """The environment's PYTHONPATH with a course before an installed one."""
    folders = (str(course), os.environ.get("PYTHONPATH"))
    return os.pathsep.join(filter(None, folders))
