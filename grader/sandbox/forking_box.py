"""A box in which children are forked of a process that has imported torch: the same for each way to confine them.

The questions of a test are bytes in memory that children read: written once, however many answers are judged.
"""

import contextlib
import json
import os
import secrets
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from grader.bounds import MB
from grader.boxes import Child, Ended, Task, ended, exceeded, failed
from grader.sandbox.bubblewrap import COURSE, box_of_answers, copy_course, libraries, python_folders, readable, scratch
from judge.running.confined.exchange import CONFINED, LENGTH, STARTED_BY, TOKEN, Gone, Start, as_message
from judge.running.records import LearnerError, Question, Record
from judge.running.wire import from_bytes, to_bytes
from utils.course import CourseError

MOST = 64  # sequences of questions that are kept
LARGEST = 500_000_000  # bytes of one


class Plans:
    """From a sequence of questions to the descriptor of its bytes. May be used by several threads."""

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[int, ...], tuple[list[Question], int]] = OrderedDict()
        self._lock = threading.Lock()

    def descriptor(self, questions: Sequence[Question]) -> int:
        """A descriptor that whoever gets it closes. Raises ValueError where the questions have no form as bytes."""
        key = tuple(map(id, questions))  # a plan is made of the same objects for each answer
        with self._lock:
            if key not in self._made:
                self._made[key] = list(questions), _sealed(to_bytes(list(questions), LARGEST))
            self._made.move_to_end(key)
            descriptor = os.dup(self._made[key][1])
            self._forget(MOST)
        return descriptor

    def close(self) -> None:
        with self._lock:
            self._forget(0)

    def _forget(self, most: int) -> None:
        while len(self._made) > most:
            _, (_, descriptor) = self._made.popitem(last=False)
            os.close(descriptor)


def _sealed(content: bytes) -> int:
    """A file in memory that nobody can change: one child must not tell another one anything by it."""
    import fcntl  # not on Windows

    descriptor = os.memfd_create("questions", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    seals = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    return descriptor


PIECE = 1 << 20  # bytes that are read at once


class Late(Exception):
    """The time is over."""


class Over(Exception):
    """The other side has closed, or has never been there."""


class Line:
    """Sends and reads; `left` is how many seconds may still be waited, in all calls together."""

    def __init__(self, connection: socket.socket, seconds: float):
        self.connection, self.left = connection, seconds
        connection.setblocking(False)
        self.events = select.poll()

    def send(self, content: bytes, descriptors: Sequence[int] = ()) -> None:
        """All of it. Raises Late and Over."""
        rest = memoryview(content)
        while rest:
            rest = rest[self._sent(rest, descriptors) :]
            descriptors = ()

    def read(self, size: int) -> bytearray:
        """So many bytes. Raises Late and Over."""
        content = bytearray()
        while len(content) < size:
            content += self._piece(min(PIECE, size - len(content)))
        return content

    def rest(self, most: int) -> bytes:
        """The bytes that come before the other side closes, at most so many. Raises Late."""
        content = bytearray()
        try:
            while len(content) < most:
                content += self._piece(most - len(content))
        except Over:
            pass
        return bytes(content)

    def _sent(self, rest: memoryview, descriptors: Sequence[int]) -> int:
        while True:
            try:
                return socket.send_fds(self.connection, [rest], descriptors)
            except BlockingIOError:
                self._wait(select.POLLOUT)
            except OSError:
                raise Over from None

    def _piece(self, most: int) -> bytes:
        while True:
            try:
                piece = self.connection.recv(most)
            except BlockingIOError:
                self._wait(select.POLLIN)
                continue
            except OSError:
                raise Over from None
            if not piece:
                raise Over
            return piece

    def _wait(self, event: int) -> None:
        self.events.register(self.connection, event)
        began = time.monotonic()
        happened = self.events.poll(max(0.0, self.left) * 1000)
        self.left -= time.monotonic() - began
        if not happened:
            raise Late


CLOSED = Ended("error", "its process was closed")
TO_END = 2.0  # seconds between the end of what a process has open and its own
PATIENCE = 30.0  # seconds for the system to end a process that is killed
MOST_CODE = 8 * MB  # bytes
MOST_SAID = 10_000  # bytes
T = TypeVar("T")


class ConfinedChild:
    """Is asked by one thread at a time."""

    def __init__(self, connection: socket.socket, status: socket.socket, task: Task, plans: Plans):
        self.status, self.bounds, self.plans = status, task.bounds, plans
        self.line = Line(connection, task.bounds.wall_seconds)
        self.over: Ended | None = None
        self.greeted = False
        content = as_message({"name": task.name, "source": task.source, "parts": dict(task.parts)})
        if len(content) > MOST_CODE:
            self.over = Ended("limit", f"its code is longer than {MOST_CODE // MB} MB")
            return
        with contextlib.suppress(Late, Over):  # said when it is asked
            self.line.send(len(content).to_bytes(LENGTH, "little") + content)

    def reply(self, questions: Sequence[Question]) -> bytes:
        """See `Child`. Raises CourseError where it is not the answer's fault that there is none."""
        return self._until_over(lambda: self._replied(questions))

    def records(self, reply: bytes, count: int) -> list[Record]:
        """See `Child`."""
        return self._until_over(lambda: self._read(reply, count))

    def ask_all(self, questions: Sequence[Question]) -> list[Record]:
        """A reply's records."""
        return self.records(self.reply(questions), len(questions))

    def _until_over(self, work: Callable[[], T]) -> T:
        """The result of the work. Raises Ended, once and then always."""
        if self.over:
            raise self.over
        try:
            return work()
        except Late:
            gone = self._end()
            told = ended(gone, self.bounds) if gone["stopped"] else exceeded("wall_seconds", self.bounds)
        except Over:
            told = self._ended()
        except Ended as error:
            told = error
        self.close()
        self.over = told
        raise told

    def close(self) -> None:
        self.over = self.over or CLOSED
        self.line.connection.close()
        self.status.close()

    def _replied(self, questions: Sequence[Question]) -> bytes:
        self._greet()
        token = secrets.token_bytes(TOKEN)  # an answer that was there before its question does not begin with it
        descriptor = self.plans.descriptor(questions)
        try:
            self.line.send(token, [descriptor])
        finally:
            os.close(descriptor)
        if self.line.read(TOKEN) != token:
            raise Ended("error", "it writes to the grader by itself")
        size = int.from_bytes(self.line.read(LENGTH), "little")
        if size > self.bounds.answered:
            raise exceeded("answered", self.bounds)
        return bytes(self.line.read(size))

    def _greet(self) -> None:
        """See that it is confined, which it says before it reads anything of a learner's."""
        if self.greeted:
            return
        begun = bytes(self.line.read(1))
        if begun != CONFINED:
            said = begun + self.line.rest(MOST_SAID)
            raise CourseError(f"the process for an answer can't be confined: {said.decode(errors='replace')}")
        self.greeted = True

    def _read(self, content: bytes, count: int) -> list[Record]:
        try:
            answers = from_bytes(content, self.bounds.answered)
        except ValueError as error:
            raise Ended("error", f"it writes to the grader by itself: {error}") from None
        if isinstance(answers, LearnerError):
            raise failed(answers, self.bounds)
        if not isinstance(answers, list) or [answer for answer in answers if not isinstance(answer, Record)]:
            raise Ended("error", "it writes to the grader by itself: what came are no records")
        if len(answers) != count:
            raise Ended("error", f"it writes to the grader by itself: {len(answers)} answers to {count} questions")
        return answers

    def _ended(self) -> Ended:
        """How it ended, which it has done by itself, or else has closed the way to here and goes on."""
        self.status.settimeout(TO_END)
        try:
            return ended(self._gone(), self.bounds)
        except TimeoutError:
            self._end()
            return Ended("error", "it closes the way to the grader")

    def _end(self) -> Gone:
        """End it, and hear how it was."""
        self.status.settimeout(PATIENCE)
        try:
            self.status.shutdown(socket.SHUT_WR)
            return self._gone()
        except OSError as error:
            raise CourseError(f"an answer's process could not be ended: {error}") from None

    def _gone(self) -> Gone:
        said = self.status.recv(MOST_SAID)
        if not said:
            raise CourseError("the process that answers are forked of has ended; open the box anew")
        return json.loads(said)


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
    """Starts when it is made. Raises CourseError, with what it said, where it does not get ready.

    An answer that needs a library beside torch is a child of a fork of this process, which has imported the library:
    what torch takes is there once.
    """

    def __init__(self, start: Start, boxed: Boxed, python_path: Sequence[str], python: str):
        control, far = _control()
        self.controls = {"": control}  # by the library that has been imported
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
        if not _is_ready(control):
            self.process.kill()
            self.process.wait()
            words = self._last_words()
            self.close()
            raise CourseError(words)

    def prepare(self, library: str) -> None:
        """Have a fork that has imported the library. Raises CourseError where there can be none."""
        if library in self.controls:
            return
        control, far = _control()
        with far:
            self._send("", library, far)
        if not _is_ready(control):
            control.close()
            raise CourseError(self._last_words())
        self.controls[library] = control

    def start(self, task: Task, plans: Plans) -> ConfinedChild:
        """A child for this task, whose library is prepared. Raises CourseError where there is nothing to fork of."""
        connection, far_connection = socket.socketpair()
        status, far_status = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with far_connection, far_status:
            self._send(task.needs, asdict(task.bounds), far_connection, far_status)
        return ConfinedChild(connection, status, task, plans)

    def close(self) -> None:
        """End it, with all that was forked of it."""
        for control in self.controls.values():
            control.close()
        try:
            self.process.wait(TO_CLOSE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.said.close()

    def _send(self, library: str, message: object, *ends: socket.socket) -> None:
        """To the process with this library, and these ends of sockets with it."""
        try:
            socket.send_fds(self.controls[library], [as_message(message)], [end.fileno() for end in ends])
        except OSError:
            raise CourseError(f"the process that answers are forked of has ended: {self._last_words()}") from None

    def _last_words(self) -> str:
        self.said.seek(0)
        lines = self.said.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:MOST_READ] if lines else f"exit status {self.process.poll()}"


def _control() -> tuple[socket.socket, socket.socket]:
    """Two ends between which whole messages go."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _is_ready(control: socket.socket) -> bool:
    """Whether whoever is at the other end says in time that it has imported all that it needs."""
    control.settimeout(READY)
    try:
        return bool(control.recv(MOST_READ))
    except OSError:
        return False


NOBODY = range(65_533, 60_000, -1)  # users whom nothing belongs to, on most systems


class ForkingBox:
    """May be used in forks of the process that made it, if no child runs and no thread uses it when they are forked.

    Whoever made it closes it, after them.
    """

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
        self.source: SourceProcess | None = None
        self._lock = threading.Lock()

    def start(self, task: Task) -> Child:
        """See `Box`. Raises CourseError where no process can be started."""
        return self._source(task.needs).start(task, self.plans)

    def prepare(self) -> None:
        """Start what answers without a library beside torch are forked of. Raises CourseError."""
        self._source("")

    def close(self) -> None:
        with self._lock:
            if self.source:
                self.source.close()
            self.source = None
        self.plans.close()
        self.folder.cleanup()

    def _source(self, library: str) -> SourceProcess:
        with self._lock:
            self.source = self.source or self._new_source()
            self.source.prepare(library)
            return self.source

    def _new_source(self) -> SourceProcess:
        in_a_box = self.confinement == "namespaces"
        start = Start(
            control=-1,
            confinement=self.confinement,
            modules=self.modules,
            readable=[] if in_a_box else readable(self.course),
            user=nobody() if in_a_box or everybody_reads() else 0,
            scratch=scratch(),
        )

        def boxed(command: Sequence[str], environment: Mapping[str, str]) -> list[str]:
            if not in_a_box:
                return [*command]
            return box_of_answers(command, self.course, environment, self.proc_is_masked)

        path = [COURSE if in_a_box else str(self.course), str(libraries())]
        return SourceProcess(start, boxed, path, sys.executable)


def nobody() -> int:
    """A user to become, for root; 0 for others, who stay who they are."""
    if os.getuid():
        return 0
    import pwd  # not on Windows

    taken = {account.pw_uid for account in pwd.getpwall()}
    return next(user for user in NOBODY if user not in taken)


def everybody_reads() -> bool:
    """Whether another user finds Python and its libraries, where no box shows them."""
    folders = [parent for path in python_folders() for parent in (path.resolve(), *path.resolve().parents)]
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in folders)
