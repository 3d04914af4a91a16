"""Ends code that takes too long: `limited`, and how much of a processor a question may have."""

import contextlib
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import TypeVar

from judge.running.watching import TooSlow, run_watched

STATM = "/proc/self/statm"  # of Linux: sizes in pages, the second of what is held in memory


def memory_used() -> float:
    """Bytes: on macOS the most that it ever held, on Windows 0, since only a library could tell."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError), open(STATM) as file:
            return int(file.read().split()[1]) * float(os.sysconf("SC_PAGE_SIZE"))
    if sys.platform == "darwin":
        import resource  # not on Windows

        return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return 0.0


__all__ = ["Limit", "TooSlow", "for_a_question", "limited"]

SECONDS = 10.0  # of work for one question, where COURSE_SECONDS says nothing else
PATIENCE = 12  # times as long by the clock: the machine may be busy, but what sleeps or waits comes to an end too
MEMORY = 4 * 2**30  # bytes more than there were before a question
T = TypeVar("T")


def _not_at_all(frame: FrameType) -> None:
    pass


@dataclass(eq=False)
class Limit:
    """How long a block may take, and how much memory; `look` is called with the frame that runs, now and then."""

    seconds: float
    by_the_clock: float = math.inf
    memory: float = math.inf
    look: Callable[[FrameType], None] = _not_at_all
    reason: str = ""  # why it was ended; "" where it was not
    began: float = field(default_factory=time.monotonic)
    # At the first look, which few questions come to: the system may let others run at every reading of this clock.
    worked: float | None = None
    held: float | None = None

    def is_over(self, frame: FrameType, worked: float) -> bool:
        """Whether it has taken more; `worked` is the time of its thread."""
        if self.worked is None:
            self.worked = worked
        if not self.reason:
            self.look(frame)
            self.reason = self._reason(worked - self.worked)
        return bool(self.reason)

    def _reason(self, worked: float) -> str:
        passed = time.monotonic() - self.began
        if min(worked, passed) > self.seconds:  # nobody works for longer than that
            return f"it takes longer than {self.seconds:g} seconds"
        if passed > self.by_the_clock:
            return f"it takes longer than {self.by_the_clock:g} seconds by the clock"
        held = memory_used()
        if self.held is None:
            self.held = held
        if held - self.held > self.memory:
            return f"it takes more than {self.memory / 2**30:g} GiB of memory"
        return ""


def limited(limit: Limit, work: Callable[[], T]) -> T:
    """What `work` returns. Raises TooSlow in it, in this thread, once it takes more than this limit.

    Seconds are those of work, which this thread does on a processor: on a busy machine it takes longer by the clock,
    and so does waiting. What a library does in C comes to its end first. Limits may stand inside one another.
    """
    try:
        result = run_watched(limit, work)
    except Exception as error:
        if limit.reason:  # the code has put its own in the place of what should have ended it
            raise TooSlow(limit.reason) from error
        raise
    except TooSlow as error:
        if limit.reason:
            error.args = (limit.reason,)
        raise
    if limit.reason:  # the code has caught it
        raise TooSlow(limit.reason)
    return result


def for_a_question(look: Callable[[FrameType], None]) -> Limit:
    """The limit of one question: COURSE_SECONDS of work, in the environment, else 10."""
    seconds = _seconds_wanted()
    return Limit(seconds, PATIENCE * seconds, MEMORY, look)


def _seconds_wanted() -> float:
    """The number in COURSE_SECONDS; SECONDS where that is no number above 0."""
    wanted = os.environ.get("COURSE_SECONDS", "")
    try:
        seconds = float(wanted)
    except ValueError:
        return SECONDS
    return seconds if seconds > 0 else SECONDS
