"""A notebook's kernel whose process is watched: what waits for it is told at once when it has ended.

nbval waits for the reply alone: of a process that is gone it waits for as long as a cell may take, 2,000 s.
"""

import os
import re
import shutil
import site
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from queue import Empty
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager
from nbval.kernel import NbvalKernelspecManager, RunningKernel, start_new_kernel

from grader.sandbox.bubblewrap import box_of_a_kernel, proc_of_kernels
from utils.course import ROOT

GLANCE = 0.5  # seconds between two looks at the process
ENDED = "The kernel's process has ended: code of the notebook killed or left it."
COLOURS = re.compile(r"\x1b\[[\d;]*m")


class KernelDied(Exception):
    """The process of the kernel has ended, and nobody here ended it."""


@dataclass(frozen=True)
class Trouble:
    """Why a cell did not run to its end."""

    kind: str  # the error's type; "timeout" or "died" if there is none
    said: str
    traceback: str = ""

    @property
    def ended_the_kernel(self) -> bool:
        return self.kind in ("died", "timeout")


# Of the environment, beside the Python's and the course's own: whoever grades has tokens and passwords in the rest
PASSED_ON = {
    *("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
    *("LANG", "LANGUAGE", "TZ", "TERM", "HOME", "USER", "LOGNAME", "TMPDIR"),
    *("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "JAX_PLATFORMS"),
    *("MPLBACKEND", "PLOTLY_RENDERER", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE"),
    # without which a program of Windows does not start, or finds no folder of its user's
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERNAME", "USERPROFILE"),
    *("HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "NUMBER_OF_PROCESSORS"),
}
PASSED_ON_BY_NAME = ("PYTHON", "COURSE_", "LC_")  # what they begin with


def environment() -> dict[str, str]:
    """The variables of this process's environment that a learner's code gets."""
    return {
        name: value for name, value in os.environ.items() if name in PASSED_ON or name.startswith(PASSED_ON_BY_NAME)
    }


class WatchedKernel(RunningKernel):
    """nbval's kernel. `get_message` raises KernelDied soon after the process has ended, whatever the timeout."""

    def __init__(self, kernel_name: str, cwd: str = ".", startup_timeout: float = 60, box: Path | None = None):
        """With a folder for `box`, that is all that the kernel may write to, where boxes can be had.

        What it reads is Python, the course, and the folder that it starts in; and of the environment what `PASSED_ON`
        says, in a box or not. Without a folder the notebook is one's own.
        """
        if box and can_box():
            started = start_boxed(kernel_name, cwd, box, startup_timeout)
        else:
            seen = environment() if box else {**os.environ}
            started = start_new_kernel(int(startup_timeout), kernel_name, stderr=subprocess.DEVNULL, cwd=cwd, env=seen)
        self.km, self.kc = started
        self._ensure_iopub_up()

    def get_message(self, stream: str, timeout: float | None = None) -> dict[str, Any]:
        ends = None if timeout is None else time.monotonic() + timeout
        while True:
            left = GLANCE if ends is None else min(GLANCE, ends - time.monotonic())
            try:
                return super().get_message(stream, timeout=max(left, 0.0))
            except Empty:
                if not self.is_alive():
                    raise KernelDied(ENDED) from None
                if ends is not None and time.monotonic() >= ends:
                    raise

    def run(self, source: str, seconds: float) -> Trouble | None:
        """Run a cell; what went wrong, if anything. One that takes longer than that costs the kernel."""
        if not self.is_alive():
            return Trouble("died", "The kernel has ended before.")
        message, ends = self.execute_cell_input(source, allow_stdin=False), time.monotonic() + seconds
        trouble = None
        try:
            while (left := ends - time.monotonic()) > 0:
                said = self.get_message("iopub", timeout=left)
                if said["parent_header"].get("msg_id") != message:
                    continue
                if said["msg_type"] == "error":
                    content = said["content"]
                    traceback = COLOURS.sub("", "\n".join(content["traceback"]))
                    trouble = Trouble(content["ename"], content["evalue"], traceback)
                elif said["content"].get("execution_state") == "idle":
                    return trouble
        except Empty:
            pass
        except KernelDied as died:
            return Trouble("died", str(died))
        self.stop()
        return Trouble("timeout", f"It took more than {seconds:g} seconds, so the kernel was ended.")

    def close(self) -> None:
        """End it, or what is left of it."""
        if hasattr(self, "km"):
            self.stop()


WRITES = ("HOME", "IPYTHONDIR", "TMPDIR", "MPLCONFIGDIR", "XDG_CACHE_HOME")  # where programs look for their folder


class BoxedManager(KernelManager):
    """Starts the kernel's command behind another one; they talk through sockets in a folder."""

    box: tuple[str, ...] = ()

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        return [*self.box, *super().format_kernel_cmd(extra_arguments)]


def start_boxed(name: str, cwd: str, state: Path, patience: float) -> tuple[KernelManager, BlockingKernelClient]:
    """A kernel that may write into `state` alone, and reads the course that this module is of.

    Raises RuntimeError where it does not answer.
    """
    folder = Path(tempfile.mkdtemp(prefix="k", dir=state))
    manager = BoxedManager(
        kernel_name=name,
        kernel_spec_manager=NbvalKernelspecManager(),
        transport="ipc",
        ip=str(folder / "s"),
        connection_file=str(folder / "kernel.json"),
    )
    spec = manager.kernel_spec
    assert spec
    python = Path(shutil.which(spec.argv[0]) or sys.executable)
    manager.box = tuple(box_of_a_kernel(python, Path(cwd), state))
    surroundings = environment()
    path = filter(None, (str(ROOT), surroundings.get("PYTHONPATH")))
    surroundings |= {
        **dict.fromkeys(WRITES, str(folder)),
        "PYTHONUSERBASE": site.getuserbase(),  # which else follows HOME, away from libraries of this user alone
        "PYTHONPATH": os.pathsep.join(path),
    }
    manager.start_kernel(
        cwd=cwd,
        stdout=subprocess.DEVNULL,  # how to connect to it, which it says where it has no parent
        stderr=subprocess.DEVNULL,
        env=surroundings,
    )
    client: Any = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=patience)
    except RuntimeError:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        raise
    return manager, client


def can_box() -> bool:
    """Whether bubblewrap is there, and allowed."""
    return proc_of_kernels() is not None
