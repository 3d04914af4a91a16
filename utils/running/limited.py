"""Stops code that takes too long: on every system, without threads or signals."""

import contextlib
import math
import sys
import time
from collections.abc import Callable, Generator
from types import FrameType
from typing import Any


class TooSlow(Exception):
    """The code did not come to an end in its time."""


@contextlib.contextmanager
def limited(filename: str, seconds: float, by_the_clock: float = math.inf) -> Generator[None]:
    """Raise TooSlow in the lines of this file after so many seconds of work; a library's lines come to their end.

    Work is what this thread does on a processor: on a busy machine it takes longer by the clock, and so does waiting.
    """
    is_over = _deadline(seconds, by_the_clock)

    def trace(frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
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


def _deadline(seconds: float, by_the_clock: float) -> Callable[[], bool]:
    began, worked = time.monotonic(), time.thread_time()

    def is_over() -> bool:
        passed = time.monotonic() - began
        if passed <= seconds:  # nobody works for longer than that; and this clock is the quicker one to read
            return False
        return passed > by_the_clock or time.thread_time() - worked > seconds

    return is_over
