"""A box in which children are forked of a process that has imported torch: the same for each way to confine them."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from grader.boxes import Child, Task
from grader.sandbox.bubblewrap import COURSE, box_of_answers
from grader.sandbox.confined_child import ConfinedChild
from grader.sandbox.plans import Plans
from grader.sandbox.seen import copy_course, libraries, python_folders, readable, scratch
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


NOBODY = range(65_533, 60_000, -1)  # users whom nothing belongs to, on most systems


class ForkingBox:
    """One of these for each process that judges: it is not to be used in a fork of that."""

    def __init__(self, modules: Sequence[str], confinement: str, protection: str, proc_is_masked: bool = False):
        self.protection, self.confinement, self.proc_is_masked = protection, confinement, proc_is_masked
        self.modules = list(modules)
        self.plans = Plans()
        self.folder = tempfile.TemporaryDirectory(prefix="course-box-")
        self.course = Path(self.folder.name, "course")
        Path(self.folder.name).chmod(0o755)
        try:
            copy_course(self.modules, self.course)
        except OSError:  # where there is no room, least of all is there room for half a course
            self.folder.cleanup()
            raise
        self.sources: dict[str, SourceProcess] = {}  # by what else they have imported
        self._lock = threading.Lock()

    def start(self, task: Task) -> Child:
        """See `Box`. Raises CourseError where no process can be started."""
        return self._source(task.needs).start(task, self.plans)

    def prepare(self) -> None:
        """Start what answers without a library beside torch are forked of. Raises CourseError."""
        self._source("")

    def close(self) -> None:
        with self._lock:
            for source in self.sources.values():
                source.close()
            self.sources.clear()
        self.plans.close()
        self.folder.cleanup()

    def _source(self, needs: str) -> SourceProcess:
        with self._lock:
            if needs not in self.sources:
                self.sources[needs] = self._new_source(needs)
            return self.sources[needs]

    def _new_source(self, needs: str) -> SourceProcess:
        in_a_box = self.confinement == "namespaces"
        start = Start(
            control=-1,
            confinement=self.confinement,
            needs=needs,
            modules=self.modules,
            readable=[] if in_a_box else readable(self.course),
            user=nobody() if in_a_box or everybody_reads() else 0,
            scratch=scratch(),
        )
        path = [COURSE if in_a_box else str(self.course), str(libraries())]
        return SourceProcess(start, self._boxed if in_a_box else _as_it_is, path, sys.executable)

    def _boxed(self, command: Sequence[str], environment: Mapping[str, str]) -> list[str]:
        return box_of_answers(command, self.course, environment, self.proc_is_masked)


def nobody() -> int:
    """A user to become, for root; 0 for others, who stay who they are."""
    if os.getuid():
        return 0
    import pwd  # not on Windows

    taken = {one.pw_uid for one in pwd.getpwall()}
    return next(user for user in NOBODY if user not in taken)


def everybody_reads() -> bool:
    """Whether another user finds Python and its libraries, where no box shows them."""
    folders = [one for path in python_folders() for one in (path.resolve(), *path.resolve().parents)]
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in folders)


def _as_it_is(command: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    return list(command)
