"""The process that children are forked of: it is told what to fork for by messages, and tells how each child ended.

A message is the bounds of a child, or the name of a library: then a process like this one is forked that imports it.
"""

import contextlib
import gc
import importlib
import json
import os
import selectors
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from judge.running.confined.exchange import Bounded, Gone, as_message
from judge.running.confined.system import die_with

MOST = 4096  # bytes of a message
KILO = 1024  # bytes, in which the most memory is counted


Life = Callable[[int, Bounded, Callable[[Bounded], None]], None]  # a child's, which ends its process: see child.py


class Confinement(Protocol):
    """A way to confine a child."""

    def begin(self) -> None: ...

    def prepare(self) -> None: ...

    def fork(self) -> int: ...

    def confine(self, bounds: Bounded) -> None: ...


class Forking:
    """Forks children, each between two sockets: one is its own, by the other it is ended and told of here.

    Whoever closes that one, or dies, ends the child; so nothing has to be asked for.
    """

    def __init__(self, control: int, confinement: Confinement, live: Life):
        self.control = socket.socket(fileno=control)
        self.confinement, self.live = confinement, live
        self.events = selectors.DefaultSelector()

    def serve(self) -> None:
        """Until the other side closes. Ends the process, and so all children."""
        self.control.send(as_message("ready"))
        self.events.register(self.control, selectors.EVENT_READ, self._do_as_asked)
        while True:
            for key, _ in self.events.select():
                if self.events.get_map().get(key.fd) is key:  # not gone with what was looked at before
                    happened: Callable[[], None] = key.data
                    happened()

    def _do_as_asked(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(self.control, MOST, 2)
        if not message:
            os._exit(0)
        asked = json.loads(message)
        if isinstance(asked, str):
            self._fork_with_library(asked, *descriptors)
        else:
            self._fork_child(asked, *descriptors)

    def _fork_with_library(self, library: str, control: int) -> None:
        """Fork a process like this one that imports a library too: what both have imported takes memory once."""
        parent = os.getpid()
        if os.fork():
            os.close(control)
            return
        die_with(parent)
        self.control.close()  # whoever is at its other end must see it when the parent ends
        self.events.close()  # lets go of the children, which are the parent's
        importlib.import_module(library)
        gc.collect()
        gc.freeze()
        Forking(control, self.confinement, self.live).serve()

    def _fork_child(self, bounds: Bounded, connection: int, status: int) -> None:
        child = self.confinement.fork()
        if not child:
            self.live(connection, bounds, self.confinement.confine)
        os.close(connection)
        _Watched(child, socket.socket(fileno=status), self.events).begin()


@dataclass(eq=False)
class _Watched:
    """A child that runs: it is ended when the other side closes, and told of when it has ended."""

    child: int
    status: socket.socket
    events: selectors.BaseSelector
    stopped: bool = False

    def begin(self) -> None:
        self.process = os.pidfd_open(self.child)
        self.events.register(self.process, selectors.EVENT_READ, self.tell)
        self.events.register(self.status, selectors.EVENT_READ, self.end)

    def end(self) -> None:
        self.events.unregister(self.status)
        with contextlib.suppress(ChildProcessError):  # it has ended by itself
            self.stopped = os.waitid(os.P_PID, self.child, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None
        signal.pidfd_send_signal(self.process, signal.SIGKILL)

    def tell(self) -> None:
        _, status, used = os.wait4(self.child, 0)
        self.events.unregister(self.process)
        os.close(self.process)
        with contextlib.suppress(KeyError):  # it was ended from the other side
            self.events.unregister(self.status)
        gone = Gone(status=status, cpu=used.ru_utime + used.ru_stime, held=used.ru_maxrss * KILO, stopped=self.stopped)
        with contextlib.suppress(OSError):  # nobody listens any more
            self.status.send(as_message(gone))
        self.status.close()
