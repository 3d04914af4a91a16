"""The life of a child: it is confined, then reads what a learner wrote, then answers until nobody asks any more."""

import json
import mmap
import os
import socket
from collections.abc import Callable, Sequence
from typing import Any

from judge.running.confined.answering import TOO_LARGE, Answering
from judge.running.confined.exchange import CONFINED, LENGTH, TOKEN, Bounded
from judge.running.confined.ways import give_room_to_answer, take_room_back
from judge.running.records import LearnerError, Question, Record
from judge.running.wire import from_bytes, to_bytes

STANDARD = (0, 1, 2)
CONNECTION = 3
WHY_TOO_LARGE = "are read"  # in what `to_bytes` says of it; it has other reasons to refuse what was tampered with


def live(connection: int, bounds: Bounded, confine: Callable[[Bounded], None]) -> None:
    """All of it. Ends the process, whatever happens."""
    try:
        _become_silent()
        confine(bounds)
        os.dup2(connection, CONNECTION)
        os.closerange(CONNECTION + 1, os.sysconf("SC_OPEN_MAX"))
    except BaseException as error:
        os.write(connection, f"{type(error).__name__}: {error}".encode())
        os._exit(1)
    try:
        _answer(socket.socket(fileno=CONNECTION), bounds)
        os._exit(0)
    finally:
        os._exit(1)


def _become_silent() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in STANDARD:
        os.dup2(nothing, descriptor)


def _answer(connection: socket.socket, bounds: Bounded) -> None:
    connection.sendall(CONFINED)
    task = json.loads(_exactly(connection, _length(connection)))
    answering = Answering(bounds)
    wrong = answering.make(**task)
    while questions := _next_questions(connection):
        token, content = questions
        answers = wrong or answering.answers(content)
        connection.sendall(_reply(token, _as_bytes(answers, bounds)))


def _as_bytes(answers: list[Record] | LearnerError, bounds: Bounded) -> bytes:
    give_room_to_answer()
    try:
        return to_bytes(answers, bounds["answered"])
    except ValueError as error:
        return to_bytes(LearnerError(TOO_LARGE if WHY_TOO_LARGE in str(error) else "ValueError", str(error)))
    finally:
        take_room_back(bounds)


def _reply(token: bytes, content: bytes) -> bytes:
    return token + len(content).to_bytes(LENGTH, "little") + content


def _next_questions(connection: socket.socket) -> tuple[bytes, Sequence[Question]] | None:
    """A token, and the questions, which the judge keeps in memory once for all; None where nobody asks any more."""
    token, descriptors, _, _ = socket.recv_fds(connection, TOKEN, 1)
    if not descriptors:
        return None
    (descriptor,) = descriptors
    size = os.fstat(descriptor).st_size
    with mmap.mmap(descriptor, size, prot=mmap.PROT_READ) as content:
        os.close(descriptor)
        return token, _read(content, size)


def _read(content: Any, size: int) -> Sequence[Question]:
    """The questions, with memory of their own."""
    return from_bytes(content, size)


def _length(connection: socket.socket) -> int:
    return int.from_bytes(_exactly(connection, LENGTH), "little")


def _exactly(connection: socket.socket, size: int) -> bytes:
    """So many bytes. Raises EOFError where there are fewer."""
    read = bytearray()
    while len(read) < size:
        more = connection.recv(size - len(read))
        if not more:
            raise EOFError
        read += more
    return bytes(read)
