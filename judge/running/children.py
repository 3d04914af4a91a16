"""Runs something in processes of its own, with limits, where that is possible: what it does there stays there."""

import contextlib
import ctypes
import gc
import json
import mmap
import os
import select
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from judge.running.confined.system import die_with
from judge.running.on_demand import is_imported, torch

MEMORY = 2**30  # bytes more than this process has
GRACE = 0.3  # seconds that a child gets beyond its own deadline
NOW_AND_THEN = 0.5  # seconds between two looks at whose time is up


def nothing() -> None:
    """A function that does nothing."""


@dataclass
class _Child:
    """A process that works, and the end of the pipe on which it answers."""

    number: int  # of its work among the others
    pid: int
    reading: int
    end: float
    parts: list[bytes] = field(default_factory=list)  # pyright: ignore[reportUnknownVariableType]


def processors() -> int:
    """How many children can work at the same time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def can_fork() -> bool:
    """A child of fork is safe on Linux, unless torch has threads for a GPU or JAX has any; macOS's libraries don't bear
    it."""
    torch_has_threads = is_imported("torch") and torch.cuda.is_available()
    return sys.platform == "linux" and not torch_has_threads and not jax_has_threads()


def jax_has_threads() -> bool:
    """It starts them at its first array. Imported alone, as by jaxtyping wherever it is installed, it has none."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    return bridge is not None and getattr(bridge, "backends_are_initialized", lambda: True)()


def shared_number(value: int) -> ctypes.c_longlong:
    """A number that children see, and change for all."""
    number = ctypes.c_longlong.from_buffer(mmap.mmap(-1, ctypes.sizeof(ctypes.c_longlong)))
    number.value = value
    return number


def in_children(
    works: Sequence[Callable[[], Any]],
    seconds: float,
    at_once: int,
    memory: int = MEMORY,
    work: float | None = None,
    meanwhile: Callable[[], None] = nothing,
    answered: Callable[[int, Any], None] = lambda number, answer: None,
) -> list[Any]:
    """What each of these returns, as JSON can say it; None where it does not return in time, or its process dies.

    `seconds` are by the clock; `work`, where it is less, is that of a processor. `meanwhile` is called now and then,
    `answered` with the number of each work that has ended and what it returned.

    Each works in a child of its own, so many at a time, which shares nothing with this process afterwards but a
    `shared_number`: it may write no file, and use a bounded amount of memory.
    """
    tempfile.gettempdir()  # found by writing a file, which a child may not
    answers: list[Any] = [None] * len(works)
    waiting, working = list(enumerate(works))[::-1], list[_Child]()
    try:
        while waiting or working:
            while waiting and len(working) < at_once:
                working.append(_started(*waiting.pop(), seconds, seconds if work is None else work, memory))
            for child in list(_ended(working)):
                working.remove(child)
                _reap(child)
                answers[child.number] = _read(child)
                answered(child.number, answers[child.number])
            meanwhile()
    finally:
        for child in working:
            _reap(child)
    return answers


def _started(number: int, does: Callable[[], Any], seconds: float, work: float, memory: int) -> _Child:
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 warns of threads, which a kernel always has
        end_history_threads()
        parent, pid = os.getpid(), os.fork()
    if pid == 0:
        _be_the_child(does, writing, parent, work, memory)
    os.close(writing)
    return _Child(number, pid, reading, time.monotonic() + seconds + GRACE)


def end_history_threads() -> None:
    """Have the threads end in which IPython writes its history, as a fork has them end too; it begins new ones itself.

    IPython 9.10 and later tell such a thread to end before each fork, and join it without a limit. One that was about
    to write clears the flag by which it is told, and waits for the next: then the notebook would stand still for ever.
    """
    history = getattr(sys.modules.get("IPython.core.history"), "HistoryManager", None)
    if not hasattr(history, "_stop_thread"):  # an earlier one, which does not begin them anew
        return
    for manager in list(history._instances):  # pyright: ignore[reportOptionalMemberAccess]
        thread = manager.save_thread
        while thread is not None and thread.is_alive():
            thread._stop_now = True
            thread.save_flag.set()
            thread.join(0.01)


def _be_the_child(does: Callable[[], Any], writing: int, parent: int, work: float, memory: int) -> None:
    """Never returns: the notebook that was copied along with everything else must not go on here."""
    try:
        with contextlib.suppress(OSError):  # else what waits for ever is left behind by a kernel that is restarted
            die_with(parent)
        gc.disable()  # what this process shares with its parent is not its own to finalise
        sys.stdout = sys.stderr = open(os.devnull, "w")  # what is printed here is nobody's output
        warnings.simplefilter("ignore")
        _limit(work, memory)
        if is_imported("torch"):
            torch.set_num_threads(1)
        os.write(writing, json.dumps(does()).encode())
    finally:
        os._exit(0)


def _limit(work: float, memory: int) -> None:
    import resource

    with open("/proc/self/statm") as statm:
        now = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + memory, now + memory))
    resource.setrlimit(resource.RLIMIT_CPU, (int(work) + 2, int(work) + 2))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _ended(working: list[_Child]) -> Iterator[_Child]:
    """The children that have said everything, and those whose time is up; waits a while for something to read."""
    left = max(0.0, min(child.end for child in working) - time.monotonic())
    left = min(left, NOW_AND_THEN)
    readable = select.select([child.reading for child in working], [], [], left)[0]
    for child in working:
        part = os.read(child.reading, 65536) if child.reading in readable else None
        if part:
            child.parts.append(part)
        elif part == b"":
            yield child
        elif time.monotonic() > child.end:
            child.parts.clear()
            yield child


def _reap(child: _Child) -> None:
    os.close(child.reading)
    os.kill(child.pid, signal.SIGKILL)
    os.waitpid(child.pid, 0)


def _read(child: _Child) -> Any:
    answer = b"".join(child.parts)
    return json.loads(answer) if answer else None
