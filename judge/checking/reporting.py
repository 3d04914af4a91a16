"""The seam through which a verdict is shown and what passed is kept: judge.checking itself shows and writes nothing."""

import contextlib
import functools
import importlib
from collections.abc import Generator
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


STANDARD = "utils.learner.reporter"  # by its name: the judge imports nothing that shows or keeps
_reporter: ContextVar[Reporter] = ContextVar("reporter")


def current_reporter() -> Reporter:
    """The reporter of the innermost `use_reporter`, else the one that shows a learner their card."""
    return _reporter.get(None) or _standard()


@functools.cache
def _standard() -> Reporter:
    return importlib.import_module(STANDARD).LearnerReporter()


@contextlib.contextmanager
def use_reporter(reporter: Reporter) -> Generator[None]:
    """Report through another reporter within the block."""
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)
