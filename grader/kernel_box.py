"""A kernel in a bubblewrap box: it reads what is there, writes to one folder, and sees no process and no network.

No verdict comes from a kernel; this keeps the code in it from the files and from the memory of those that have one.
"""

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager
from nbval.kernel import NbvalKernelspecManager

NEW, OUTER = ("--proc", "/proc"), ("--bind", "/proc", "/proc")  # a container whose /proc is masked refuses a new one
WRITES = ("IPYTHONDIR", "TMPDIR", "MPLCONFIGDIR", "XDG_CACHE_HOME")  # where programs look for a folder to write to


class BoxedManager(KernelManager):
    """Starts the kernel's command behind another one; they talk through sockets in a folder."""

    box: tuple[str, ...] = ()

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        return [*self.box, *super().format_kernel_cmd(extra_arguments)]


def start_boxed(name: str, cwd: str, state: Path, patience: float) -> tuple[KernelManager, BlockingKernelClient]:
    """A kernel that may write into `state` alone. Raises RuntimeError where it does not answer."""
    folder = Path(tempfile.mkdtemp(prefix="k", dir=state))
    manager = BoxedManager(
        kernel_name=name,
        kernel_spec_manager=NbvalKernelspecManager(),
        transport="ipc",
        ip=str(folder / "s"),
        connection_file=str(folder / "kernel.json"),
    )
    manager.box = (*_command(_proc()), "--bind", str(state), str(state))
    manager.start_kernel(
        cwd=cwd,
        stdout=subprocess.DEVNULL,  # how to connect to it, which it says where it has no parent
        stderr=subprocess.DEVNULL,
        env=os.environ | dict.fromkeys(WRITES, str(folder)),
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
    return _proc() is not None


@cache
def _proc() -> tuple[str, ...] | None:
    """How the box gets its /proc; None where there is no box."""
    if not shutil.which("bwrap"):
        return None
    for proc in (NEW, OUTER):
        tried = subprocess.run([*_command(proc), "true"], capture_output=True)
        if tried.returncode == 0:
            return proc
    return None


def _command(proc: tuple[str, ...] | None) -> tuple[str, ...]:
    alone = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")
    nobody = ("--unshare-user",) if os.getuid() else ("--cap-drop", "ALL")
    return (
        *("bwrap", "--die-with-parent"),
        *alone,
        *nobody,
        *("--ro-bind", "/", "/", "--dev", "/dev"),
        *(proc or ()),
        *("--unsetenv", "JPY_PARENT_PID"),  # a process that it can't see
    )
