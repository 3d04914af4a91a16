"""The process that children are forked of, as the judge has it: started in a box, told what to fork for."""

import contextlib
import os
import socket
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from grader.boxes import Task
from grader.sandbox.confined_child import ConfinedChild
from grader.sandbox.plans import Plans
from judge.running.confined.exchange import STARTED_BY, Start, as_message
from utils.course import CourseError

READY = 120.0  # seconds to import torch, on a machine that does much else
TO_CLOSE = 30.0  # seconds
MOST_READ = 4_000  # characters of what it wrote to its standard error
Boxed = Callable[[Sequence[str], Mapping[str, str]], list[str]]  # a command and its environment, as it is started
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",  # as on the judge's side: more threads add in another order, and take room
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "NPROC": "1",  # the threads that XLA starts
}


class SourceProcess:
    """Starts when it is made. Raises CourseError, with what it said, where it does not get ready."""

    def __init__(self, start: Start, boxed: Boxed, python_path: Sequence[str], python: str):
        self.control, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        start = {**start, "control": far.fileno()}
        environment = ENVIRONMENT | {
            "HOME": start["scratch"],
            "TMPDIR": start["scratch"],
            "PYTHONPATH": os.pathsep.join(python_path),
            STARTED_BY: as_message(start).decode(),
        }
        command = boxed([python, "-P", "-s", "-m", "judge.running.confined"], environment)
        self.said = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command,
            pass_fds=[far.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self.said,
            env=environment,
            cwd="/",
        )
        far.close()
        self._wait_until_ready()

    def start(self, task: Task, plans: Plans) -> ConfinedChild:
        """A child for this task. Raises CourseError where there is none of whom it could be forked."""
        connection, far_connection = socket.socketpair()
        status, far_status = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with far_connection, far_status:
            descriptors = [far_connection.fileno(), far_status.fileno()]
            try:
                socket.send_fds(self.control, [as_message(asdict(task.bounds))], descriptors)
            except OSError:
                raise CourseError(f"the process that answers are forked of has ended: {self._last_words()}") from None
        return ConfinedChild(connection, status, task, plans)

    def close(self) -> None:
        """End it, with all that was forked of it."""
        self.control.close()
        try:
            self.process.wait(TO_CLOSE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.said.close()

    def _wait_until_ready(self) -> None:
        self.control.settimeout(READY)
        with contextlib.suppress(OSError):
            if self.control.recv(MOST_READ):
                return
        self.process.kill()
        self.process.wait()
        words = self._last_words()
        self.close()
        raise CourseError(words)

    def _last_words(self) -> str:
        self.said.seek(0)
        lines = self.said.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:MOST_READ] if lines else f"exit status {self.process.poll()}"
