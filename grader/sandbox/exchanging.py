"""A child's socket as the judge has it: it reads no more than it asks for, and waits no longer than it says."""

import select
import socket
import time
from collections.abc import Sequence

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
