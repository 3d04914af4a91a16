"""The seam through which a verdict is shown and what passed is kept: judge.checking itself shows and writes nothing."""

import contextlib
from collections.abc import Callable, Generator
from contextvars import ContextVar
from typing import Any, Protocol

from judge.checking.verdict import Verdict


class Reporter(Protocol):
    """Whoever shows verdicts. `component` is None where the judged code does not live in this process."""

    def report(self, stem: str, verdict: Verdict, component: Any | None) -> bool:
        """Show the verdict, keep what passed; True if a reader now sees the card. Never raises."""
        ...


class SilentReporter:
    """Shows and keeps nothing; the exception that a failure raises still carries the card as its text."""

    def report(self, stem: str, verdict: Verdict, component: Any | None) -> bool:
        return False


class PrintingReporter:
    """Prints what passed, and keeps nothing; the exception that a failure raises has the card as its text."""

    def report(self, stem: str, verdict: Verdict, component: Any | None) -> bool:
        if verdict.status in ("passed", "skipped"):
            print(verdict)
            return True
        return False


_reporter: ContextVar[Reporter] = ContextVar("reporter")
_standard: Callable[[], Reporter] = PrintingReporter


def current_reporter() -> Reporter:
    """The reporter of the innermost `use_reporter`, else the course's own, else one that prints."""
    return _reporter.get(None) or _standard()


def report_to(standard: Callable[[], Reporter]) -> None:
    """A course says once where its verdicts go: to what this gives, which is first asked for at a verdict."""
    global _standard
    _standard = standard


@contextlib.contextmanager
def use_reporter(reporter: Reporter) -> Generator[None]:
    """Report through another reporter within the block."""
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)
