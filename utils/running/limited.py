"""Stops code that takes too long: on every system, without threads or signals."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType

PATIENCE = 10  # times as long by the clock, for code that waits, or shares the processor with other programs


class TooSlow(Exception):
    """The code did not come to an end in its time."""


@contextlib.contextmanager
def limited(filename: str, seconds: float) -> Iterator[None]:
    """Raise TooSlow in the lines of this file after so many seconds of work; a library's lines come to their end."""
    is_over = _deadline(seconds)

    def trace(frame: FrameType, event: str, argument: object) -> Callable | None:
        if frame.f_code.co_filename != filename:
            return None
        if is_over():
            raise TooSlow(f"it takes longer than {seconds:g} seconds")
        frame.f_trace_opcodes = True  # `while True: pass` is one line
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def _deadline(seconds: float) -> Callable[[], bool]:
    """Whether this thread has by now worked for so many seconds, or waited for many times as long."""
    began, worked = time.monotonic(), time.thread_time()

    def is_over() -> bool:
        passed = time.monotonic() - began
        if passed <= seconds:  # nobody works for longer than that; and this clock is the quicker one to read
            return False
        return passed > PATIENCE * seconds or time.thread_time() - worked > seconds

    return is_over
