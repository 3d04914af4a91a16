"""Runs a notebook from a fresh kernel and keeps its outputs, such as they would be on any machine."""

import os
import re
from pathlib import Path
from typing import Any

import traitlets
import zmq
from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.channels import AsyncZMQSocketChannel
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from author.notebooks import code_cells, tags_of
from utils.course import ROOT, CourseError, throwaway_state


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


COLOURS = re.compile(r"\x1b\[[0-9;]*m")
# nbval's tag for a cell whose output may differ from run to run
UNCHECKED = "nbval-ignore-output"
SETTINGS = {
    # seconds for a cell
    "timeout": 600,
    "record_timing": False,
    "store_widget_state": False,
}


def execute(notebook: NotebookNode, path: Path, root: Path = ROOT) -> None:
    """Run every cell and store what it shows; `path` is where the notebook will lie, and it runs there, as in nbval.

    Raises CourseError with the cell and its error if a cell fails, or shows what could not be the same elsewhere.
    """
    name, metadata = path.relative_to(root), dict(notebook.metadata)
    ours = {"PYTHONPATH": python_path(root), "COURSE_REFERENCE": "bundled"}
    with throwaway_state() as state:
        client = client_for(notebook, path.parent, **SETTINGS)
        try:
            client.execute(env={**os.environ, **ours})
        except (CellControlSignal, CellTimeoutError, DeadKernelError) as error:
            raise _stopped(notebook, name, error) from None
    notebook.metadata.clear()
    notebook.metadata.update(metadata)
    private = (str(root), f"{Path.home()}{os.sep}", str(state))
    for cell in notebook.cells:
        check_portable(cell, name, private)


def _stopped(notebook: NotebookNode, path: Path, error: Exception) -> CourseError:
    """The error of the first cell that has one; else what kept the notebook from running."""
    for cell in code_cells(notebook):
        for output in cell.outputs:
            if output.output_type == "error":
                what = f"stopped with {output.ename}: {output.evalue}"
                return _mistake(path, cell, what, _trace(output))
    said = f"{type(error).__name__}: {COLOURS.sub('', str(error))}"
    return CourseError(f"{path}: {said}\n{path} is left as it was.")


def _trace(output: NotebookNode) -> str:
    """What Python says of an error that does not say all itself."""
    if output.ename == CourseError.__name__:
        return ""
    trace = COLOURS.sub("", "\n".join(output.traceback))
    return f"\nWhat Python says:\n{_indent(trace)}"


def check_portable(cell: NotebookNode, path: Path, private: tuple[str, ...]) -> None:
    """Stored outputs must be the same on another machine, so warnings and names of folders must not be among them."""
    is_checked = UNCHECKED not in tags_of(cell)
    for output in cell.get("outputs", ()):
        if is_checked and output.get("name") == "stderr":
            way = f"fix that, or tag the cell {UNCHECKED}:\n{_indent(output.text)}"
            raise _mistake(path, cell, f"writes to stderr; {way}")
        for folder in private:
            if folder in str(output):
                way = "which is another folder on another machine"
                raise _mistake(path, cell, f"shows {folder}, {way}; print no paths.")


def _mistake(path: Path, cell: NotebookNode, what: str, more: str = "") -> CourseError:
    lines = [f"{path}: cell {cell.id} {what}", f"{path} is left as it was. The cell:", f"{_indent(cell.source)}{more}"]
    return CourseError("\n".join(lines))


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
