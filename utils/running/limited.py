"""Stops code that takes too long: on every system, without threads or signals."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType


class TooSlow(Exception):
    """The code did not come to an end in its time."""


@contextlib.contextmanager
def limited(filename: str, seconds: float) -> Iterator[None]:
    """Raise TooSlow in the lines of this file after so many seconds; a library's lines come to their end."""
    end = time.monotonic() + seconds

    def trace(frame: FrameType, event: str, argument: object) -> Callable | None:
        if frame.f_code.co_filename != filename:
            return None
        if time.monotonic() > end:
            raise TooSlow(f"it takes longer than {seconds:g} seconds")
        frame.f_trace_opcodes = True  # `while True: pass` is one line
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)
