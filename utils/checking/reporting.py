"""The seam through which a verdict is shown and what passed is kept: utils.checking itself shows and writes nothing."""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, Protocol

from utils.checking.verdict import Verdict


class Reporter(Protocol):
    """Whoever shows verdicts. `component` is None where the judged code does not live in this process."""

    def report(self, stem: str, verdict: Verdict, component: Any | None) -> bool:
        """Show the verdict, keep what passed; True if a reader now sees the card. Never raises."""
        ...


class SilentReporter:
    """Shows and keeps nothing; the exception that a failure raises still carries the card as its text."""

    def report(self, stem: str, verdict: Verdict, component: Any | None) -> bool:
        return False


_standard: Reporter = SilentReporter()
_reporter: ContextVar[Reporter] = ContextVar("reporter")


def set_standard_reporter(reporter: Reporter) -> None:
    """Put in place the reporter that is used wherever `use_reporter` names no other; `tests/__init__.py` does."""
    global _standard
    _standard = reporter


def current_reporter() -> Reporter:
    """The reporter of the innermost `use_reporter`, else the standard one."""
    return _reporter.get(_standard)


@contextlib.contextmanager
def use_reporter(reporter: Reporter) -> Iterator[None]:
    """Report through another reporter within the block."""
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)
