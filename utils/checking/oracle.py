"""The seam through which a test obtains an expected value: from the reference solution, or from a record made of it."""

import contextlib
import importlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol

from utils.course import ROOT
from utils.running.records import Record, from_bytes, to_bytes


class Oracle(Protocol):
    """Knows what the reference solution does. `key` names one question of one test; `ask` runs a component on it."""

    def expected(self, solution: str, symbol: str, key: str, ask: Callable[[Any], Record]) -> Record: ...


class SolutionOracle:
    """Asks the reference solution itself."""

    def expected(self, solution, symbol, key, ask) -> Record:
        record = ask(getattr(importlib.import_module(solution), symbol))
        if record.error:
            raise RuntimeError(
                f"the reference solution {solution}.{symbol} raised {record.error.type}: {record.error.message}"
            )
        return record


class RecordedOracle:
    """Reads answers that a RecordingOracle wrote, so that a course can be handed out without its solutions.

    Raises LookupError for a question that was never recorded, such as one with another seed.
    """

    def __init__(self, folder: Path):
        self.folder = folder

    def expected(self, solution, symbol, key, ask) -> Record:
        file = self.folder / f"{key}.safetensors"
        if not file.exists():
            raise LookupError(f"no recorded answer {file.name} in {self.folder}: record it where the solutions are")
        return from_bytes(file.read_bytes())


class RecordingOracle(SolutionOracle):
    """Asks the reference solution and writes each answer down."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def expected(self, solution, symbol, key, ask) -> Record:
        record = super().expected(solution, symbol, key, ask)
        (self.folder / f"{key}.safetensors").write_bytes(to_bytes(record))
        return record


class _WhicheverIsThere:
    """The solution where the course has it, else the records in tests/expected."""

    def expected(self, solution, symbol, key, ask) -> Record:
        try:
            importlib.import_module(solution)
        except ModuleNotFoundError as error:
            if error.name not in (solution, solution.partition(".")[0]):
                raise
            return RecordedOracle(ROOT / "tests" / "expected").expected(solution, symbol, key, ask)
        return SolutionOracle().expected(solution, symbol, key, ask)


_BY_DEFAULT = _WhicheverIsThere()
_oracle: ContextVar[Oracle] = ContextVar("oracle")


def expected(solution: str, symbol: str, key: str, ask: Callable[[Any], Record]) -> Record:
    """What the reference solution answers to `ask`, by way of the current oracle."""
    return _oracle.get(_BY_DEFAULT).expected(solution, symbol, key, ask)


@contextlib.contextmanager
def use_oracle(oracle: Oracle) -> Iterator[None]:
    """Obtain expected values from another oracle within the block."""
    token = _oracle.set(oracle)
    try:
        yield
    finally:
        _oracle.reset(token)
