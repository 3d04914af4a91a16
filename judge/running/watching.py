"""Looks at code that runs, again and again, and raises TooSlow in it: by a timer's signal, else from another thread.

In a browser's Python, which has neither, it looks at every so manieth jump back and call, which every loop of Python's
own makes and every recursion; what C does there is ended by whoever runs the interpreter.

A signal reaches the main thread alone, also where that sleeps. On Windows, and in other threads, what is raised comes
with the next line of Python. Code may catch it, as a bare `except:` does: then it comes anew as soon as it is dropped,
outside of that `except`. From Python 3.12 on that is done by tracing: what a thread is set to raise comes there at the
jump that ends an `except:` in a loop, where the same `except:` catches it.
"""

import ctypes
import functools
import gc
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol, TypeVar

EVERY = 0.05  # seconds between two looks
AGAIN = 0.5  # and once something was raised
EVENTS = 256  # jumps and calls, after which a clock is read
TOOL = 4  # of the numbers of sys.monitoring one that neither debuggers nor profilers have
MONITORING: Any = getattr(sys, "monitoring", None)  # Python 3.11 has none
BY_TRACING = sys.version_info >= (3, 12)
IN_A_BROWSER = sys.platform == "emscripten"
# Seconds that this process has worked. A browser's Python counts them in 32 bits of microseconds, and from minute 36 on
# its process_time() raises a RuntimeError; its one thread has nobody to wait for
work_time = time.monotonic if IN_A_BROWSER else time.process_time
T = TypeVar("T")


class TooSlow(BaseException):
    """The code did not come to an end in its time. No Exception: whoever catches those must not go on."""


class Watched(Protocol):
    """Whoever says whether it is time; once it is, it stays so."""

    def is_over(self, frame: FrameType, worked: float) -> bool:
        """Whether to raise in this frame, whose thread has worked so many seconds; of all threads where none tells."""
        ...


_inside: dict[int, list[Watched]] = {}  # what is watched in each thread, the outermost first
_lock = threading.Lock()  # what another thread raises must not come after the block
_raise_in: Callable[[Any, Any], int] = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_ulong, ctypes.py_object)(
    ("PyThreadState_SetAsyncExc", ctypes.pythonapi)
)


class _Raising:
    """Raises in one thread. From `begin` to `stop`, what was raised and then dropped is raised again.

    Python drops what is raised in a callback of the garbage collector, and would print that it does.
    """

    def __init__(self) -> None:
        self.thread = ctypes.c_ulong(0)
        self.is_tracing = False
        self.traced_before: Any = None  # by a debugger, or by what measures coverage
        self.dropped_before: Any = None
        self.error = type(TooSlow.__name__, (TooSlow,), {})
        # no method: a function of C, which is not interrupted by what it sets
        again = functools.partial(_raise_in, self.thread)
        error: Any = self.error  # a type checker knows of no `__del__` that is set
        error.__del__ = self.begin_tracing if BY_TRACING else functools.partial(again, self.error)

    def begin(self, thread: int) -> None:
        if not self.thread.value:
            self.thread.value = thread
            self.dropped_before, sys.unraisablehook = sys.unraisablehook, self.drop

    def drop(self, dropped: Any) -> None:
        """Say what is dropped in code that is watched, but for what is raised here."""
        if dropped.exc_type is not self.error:
            self.dropped_before(dropped)

    def begin_tracing(self) -> None:
        """Raise with the next line that begins in code that is watched."""
        if self.thread.value != threading.get_ident():
            return
        if not self.is_tracing:
            self.is_tracing, self.traced_before = True, sys.gettrace()
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        while frame and frame.f_code.co_filename != __file__:
            frame.f_trace = self.trace
            frame = frame.f_back
        sys.settrace(self.trace)

    def trace(self, frame: FrameType, event: str, value: Any) -> Any:
        """What a thread calls with each line; once this raises, it is called no more."""
        if not self.thread.value or frame.f_code.co_filename == __file__:
            return None
        if event == "line":
            raise self.error
        return self.trace

    def stop(self) -> None:
        """Nothing is raised any more."""
        if self.thread.value:
            thread, self.thread.value = self.thread.value, 0
            _take_back(thread)
            sys.unraisablehook = self.dropped_before
        if self.is_tracing:
            self.is_tracing = False
            sys.settrace(self.traced_before)


class _TakenBack(BaseException):
    """Comes in the place of what a thread was set to raise, and is caught at once."""


def _take_back(thread: int) -> None:
    """Nothing comes any more of what this thread was set to raise. It calls this itself.

    To set it to raise nothing is not enough: Python 3.11 and 3.12 look for that at every step from then on, and 3.11
    never comes to its end with it where a debugger traces.
    """
    try:
        _raise_in(thread, _TakenBack)
        for _ in range(2):  # it comes here at the latest
            pass
    except _TakenBack:
        pass


@functools.cache
def _raising(thread: int) -> _Raising:
    return _Raising()


def run_watched(watched: Watched, work: Callable[[], T]) -> T:
    """The result of `work`; it is looked at while it runs in this thread."""
    block = _Block(watched)
    try:
        try:
            return work()
        finally:
            block.end()
    finally:  # what was raised anew may have come in the line above
        block.end()


class _Block:
    """The block in which a thread is watched, with those who look at it if nobody did before."""

    def __init__(self, watched: Watched):
        self.watched, self.thread = watched, threading.get_ident()
        self.others = _inside.setdefault(self.thread, [])
        self.looks = None if self.others else _looks(self.thread)
        self.others.append(watched)

    def end(self) -> None:
        with _lock:
            if self.watched in self.others:
                self.others.remove(self.watched)
            _raising(self.thread).stop()
        if self.looks:
            self.looks.end()
            self.looks = None  # ended once: another's timer would be set twice


class _Timer:
    """Looks where a timer interrupts the main thread."""

    def __init__(self, thread: int):
        self.thread, self.is_looking = thread, False
        # another's timer is stopped before its handler is taken away, and set again once that is back
        self.before = signal.setitimer(signal.ITIMER_REAL, 0)
        self.handler = signal.signal(signal.SIGALRM, self.look)
        signal.setitimer(signal.ITIMER_REAL, EVERY, EVERY)

    def look(self, number: int, frame: FrameType | None) -> None:
        if self.is_looking or not frame:  # a look that takes long is interrupted by the next
            return
        self.is_looking = True
        try:
            over = _is_over(self.thread, frame, time.thread_time())
        finally:
            self.is_looking = False
        if over:
            signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
            raise _raising(self.thread).error

    def end(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.handler)
        signal.setitimer(signal.ITIMER_REAL, *self.before)  # another's goes on where it was


class _Thread:
    """Looks from another thread."""

    def __init__(self, thread: int):
        self.thread, self.worked, self.ended = thread, _clock_of(thread), threading.Event()
        threading.Thread(target=self.look, daemon=True).start()

    def look(self) -> None:
        pause = EVERY
        while not self.ended.wait(pause):
            with _lock:
                frame = _frame_of(self.thread)
                if frame and not self.ended.is_set() and _is_over(self.thread, frame, self.worked()):
                    _raise_in(self.thread, _raising(self.thread).error)
                    pause = AGAIN

    def end(self) -> None:
        self.ended.set()


class _Monitor:
    """Looks from within the code, where it jumps or calls: in a browser, where there is no timer and no second thread.

    Code that does little else takes two to three times as long.
    """

    def __init__(self, thread: int):
        self.thread, self.seen, self.next = thread, 0, time.monotonic() + EVERY
        MONITORING.use_tool_id(TOOL, "judge")
        jump, call = MONITORING.events.JUMP, MONITORING.events.PY_START
        MONITORING.register_callback(TOOL, jump, self.count)
        MONITORING.register_callback(TOOL, call, self.count)
        MONITORING.set_events(TOOL, jump | call)

    def count(self, *event: Any) -> None:
        self.seen += 1
        if self.seen % EVENTS or time.monotonic() < self.next:
            return
        self.next = time.monotonic() + EVERY
        if _is_over(self.thread, sys._getframe(1), work_time()):  # pyright: ignore[reportPrivateUsage]
            raise _raising(self.thread).error

    def end(self) -> None:
        MONITORING.set_events(TOOL, 0)
        MONITORING.free_tool_id(TOOL)


def _looks(thread: int) -> _Timer | _Thread | _Monitor:
    if IN_A_BROWSER:
        return _Monitor(thread)
    in_main = threading.current_thread() is threading.main_thread()
    return _Timer(thread) if in_main and hasattr(signal, "setitimer") else _Thread(thread)


def _frame_of(thread: int) -> FrameType | None:
    """What it runs. Python 3.11 makes frames for it behind a lock, and waits for ever where garbage that is collected
    meanwhile wants that lock too, as what raises anew does: github.com/python/cpython/issues/106883.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return sys._current_frames().get(thread)  # pyright: ignore[reportPrivateUsage]
    finally:
        if collects:
            gc.enable()


def _is_over(thread: int, frame: FrameType, worked: float) -> bool:
    over = any([watched.is_over(frame, worked) for watched in _inside[thread]])
    if over:
        _raising(thread).begin(thread)
    return over


def _clock_of(thread: int) -> Callable[[], float]:
    """How long a thread has worked, as another one asks; of all threads where the system does not tell."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.process_time
    return functools.partial(time.clock_gettime, time.pthread_getcpuclockid(thread))
