"""Busy loops beside the diagnosis of wrong answers, and which cards they change."""

import contextlib
import multiprocessing
from collections.abc import Generator, Sequence
from difflib import unified_diff


def _for_ever() -> None:
    while True:
        pass


@contextlib.contextmanager
def busy(loops: int) -> Generator[None]:
    """So many processes that do nothing but keep a processor busy, within the block."""
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_for_ever, daemon=True) for _ in range(loops)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()


def told(before: Sequence[str], after: Sequence[str], loops: int) -> str:
    """How many cards differ, and in what."""
    pairs = [(one, other) for one, other in zip(before, after, strict=True) if one != other]
    differences = [_difference(one, other) for one, other in pairs]
    beside = f"with {loops} busy loop{'s' * (loops != 1)} beside it"
    return "\n".join([*differences, f"{len(pairs)} of {len(before)} cards differ {beside}"])


def _difference(before: str, after: str) -> str:
    lines = unified_diff(before.splitlines(), after.splitlines(), "idle", "busy", lineterm="")
    return "\n".join([before.splitlines()[0], *lines, ""])
