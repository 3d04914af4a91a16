"""What the system counts of a child, and ends or refuses: processor time, memory, processes, files."""

import functools
from typing import Any

from judge.running.confined.exchange import Bounded

STACK = 16 * 2**20  # bytes
MORE = 1  # seconds of a processor after which code is ended that has not let itself be ended from inside
ROOM_TO_ANSWER = 3  # times `answered`: what writing an answer takes beyond what the code may have


@functools.cache
def _resource() -> Any:
    import resource  # not on Windows

    return resource


def prepare() -> None:
    """Import what this needs, so that no child has to."""
    _resource()


def limit(bounds: Bounded, already: int) -> None:
    """Hold this process to its bounds, for good: its memory to what it has mapped already, in bytes, and its bound."""
    memory = already + bounds["memory"]
    most = memory + ROOM_TO_ANSWER * bounds["answered"]
    _resource().setrlimit(_resource().RLIMIT_AS, (memory, most))
    _set(_resource().RLIMIT_STACK, STACK)
    _set(_resource().RLIMIT_CPU, bounds["cpu_seconds"] + MORE)
    _set(_resource().RLIMIT_FSIZE, bounds["written"])
    _set(_resource().RLIMIT_NOFILE, bounds["open_files"])
    _set(_resource().RLIMIT_CORE, 0)
    _set(_resource().RLIMIT_MEMLOCK, 0)
    _set(_resource().RLIMIT_MSGQUEUE, 0)


def limit_processes(bounds: Bounded) -> None:
    """Of whoever this process belongs to, itself too: to be called where these are the child's alone."""
    _set(_resource().RLIMIT_NPROC, 1 + bounds["processes"])


def give_room_to_answer() -> None:
    """The code is done, or has used up its memory: there is some left to say so."""
    _, most = _resource().getrlimit(_resource().RLIMIT_AS)
    _resource().setrlimit(_resource().RLIMIT_AS, (most, most))


def take_room_back(bounds: Bounded) -> None:
    """The code goes on with what it may have."""
    _, most = _resource().getrlimit(_resource().RLIMIT_AS)
    _resource().setrlimit(_resource().RLIMIT_AS, (most - ROOM_TO_ANSWER * bounds["answered"], most))


def _set(what: int, most: int) -> None:
    _, hard = _resource().getrlimit(what)
    most = most if hard == _resource().RLIM_INFINITY else min(most, hard)
    _resource().setrlimit(what, (most, most))
