"""Where there is no Linux: a process for each answer, whose time alone is bounded. It takes seconds to start."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any, BinaryIO

from grader.boxes import Child, Ended, Task, exceeded, failed
from judge.running.confined.answering import bound_in
from judge.running.far_side import LENGTH, send
from judge.running.records import Question, Record
from judge.running.wire import from_bytes
from utils.course import ROOT

TO_IMPORT = 120.0  # seconds beside those of the answer
STOPPED = 5.0  # seconds for a process to end that is killed


class PlainBox:
    """Keeps nothing from anything: see `protection`."""

    def __init__(self, modules: Sequence[str], protection: str):
        self.modules, self.protection = list(modules), protection

    def start(self, task: Task) -> Child:
        return PlainChild(self.modules, task)

    def close(self) -> None:
        """Nothing is open but children."""


class PlainChild:
    """The other side of judge/running/far_side.py."""

    def __init__(self, modules: Sequence[str], task: Task):
        self.bounds = task.bounds
        self.left = task.bounds.wall_seconds + TO_IMPORT
        self.where = {"source": "\n".join([*task.parts.values(), task.source]), "name": task.name}
        self.over: Ended | None = None
        surroundings = {
            "PYTHONPATH": str(ROOT),
            "COURSE_SECONDS": str(task.bounds.cpu_seconds),
            "OMP_NUM_THREADS": "1",  # more of them add in another order
        }
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "judge.running.far_side", *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | surroundings,
        )

    def ask_all(self, questions: Sequence[Question]) -> list[Record]:
        """A reply's records."""
        return self.records(self.reply(questions), len(questions))

    def reply(self, questions: Sequence[Question]) -> bytes:
        """See `Child`."""
        if self.over:
            raise self.over
        began = time.monotonic()
        timer = threading.Timer(max(0.0, self.left), self.process.kill)
        timer.start()
        try:
            return self._replied(questions)
        except Ended as told:
            self.over = told
        except (OSError, EOFError):
            if time.monotonic() - began >= self.left:
                self.over = exceeded("wall_seconds", self.bounds)
            else:
                self.over = Ended("error", f"it ended its process, with exit status {self.process.wait(STOPPED)}")
        finally:
            timer.cancel()
            self.left -= time.monotonic() - began
        self._stop()
        raise self.over

    def records(self, reply: bytes, count: int) -> list[Record]:
        """See `Child`."""
        try:
            return self._records(reply)
        except Ended as told:
            self.over = told
        self._stop()
        raise self.over

    def close(self) -> None:
        self.over = self.over or Ended("error", "its process was closed")
        self._stop()

    def _replied(self, questions: Sequence[Question]) -> bytes:
        into, out = self._pipes()
        send(into, (self.where, list(questions)))
        size = int.from_bytes(_exactly(out, LENGTH), "little")
        if size > self.bounds.answered:
            raise exceeded("answered", self.bounds)
        return _exactly(out, size)

    def _records(self, reply: bytes) -> list[Record]:
        answers = _read(reply)
        if isinstance(answers, str):
            raise Ended("error", f"running it raises {answers}")
        for answer in answers:
            if answer.error and bound_in(answer.error):
                raise failed(answer.error, self.bounds)
        return answers

    def _pipes(self) -> tuple[BinaryIO, BinaryIO]:
        into, out = self.process.stdin, self.process.stdout
        assert into and out
        return into, out  # pyright: ignore[reportReturnType]

    def _stop(self) -> None:
        self.process.kill()
        self.process.wait(STOPPED)
        for pipe in self._pipes():
            try:
                pipe.close()
            except OSError:  # what was written did not arrive
                continue


def _exactly(out: BinaryIO, size: int) -> bytes:
    content = out.read(size)
    if len(content) < size:
        raise EOFError
    return content


def _read(content: bytes) -> Any:
    """A text, or records. Raises Ended for anything else."""
    try:
        answers = from_bytes(content)
    except ValueError as error:
        raise Ended("error", f"it writes to the grader by itself: {error}") from None
    is_a_list = isinstance(answers, list) and all(isinstance(answer, Record) for answer in answers)
    if not is_a_list and not isinstance(answers, str):
        raise Ended("error", "it writes to the grader by itself: what came are no records")
    return answers
