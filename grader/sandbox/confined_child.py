"""A child that runs one answer, as its judge has it."""

import contextlib
import json
import os
import secrets
import select
import socket
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from grader.bounds import MB
from grader.boxes import Ended, Task
from grader.sandbox.endings import ended, exceeded, failed
from grader.sandbox.plans import Plans
from judge.running.confined.exchange import CONFINED, LENGTH, TOKEN, Gone, as_message
from judge.running.records import LearnerError, Question, Record
from judge.running.wire import from_bytes
from utils.course import CourseError

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
        """What comes before the other side closes, at most so much. Raises Late."""
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
        """What it returns. Raises Ended, once and then always."""
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
        if not isinstance(answers, list) or [one for one in answers if not isinstance(one, Record)]:
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
