"""The questions of a test, as bytes in memory that children read: written once, however many answers are judged."""

import os
import threading
from collections import OrderedDict
from collections.abc import Sequence

from judge.running.records import Question
from judge.running.wire import to_bytes

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
