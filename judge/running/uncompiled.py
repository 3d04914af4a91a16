"""Where answers are judged and lent, no compiler starts: `torch.compile` leaves what it is given as it is."""

import contextlib
import sys
import threading
from collections.abc import Generator
from typing import Any

from judge.running.on_demand import is_imported, torch


def as_it_is(model: Any = None, **options: Any) -> Any:
    """What `torch.compile` is given: to start a compiler takes longer than an answer may, and more room."""
    return as_it_is if model is None else model


_lock = threading.Lock()
_blocks = 0  # that are open, in all threads together: what torch.compile is they share
_opened = contextlib.ExitStack()


@contextlib.contextmanager
def uncompiled() -> Generator[None]:
    """Within the block nothing is compiled, and what was compiled before runs as it was written.

    The compiler's tracer also refuses right shapes, where jaxtyping checks them. Where threads have blocks at the same
    time the compiler is back once the last of them has ended.
    """
    global _blocks
    with _lock:
        if not _blocks:
            _opened.enter_context(_without_a_compiler())
        _blocks += 1
    try:
        yield
    finally:
        with _lock:
            _blocks -= 1
            if not _blocks:
                _opened.close()


@contextlib.contextmanager
def _without_a_compiler() -> Generator[None]:
    if not is_imported("torch"):
        yield
        return
    before: Any = torch.compile  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    torch.compile = as_it_is  # pyright: ignore[reportAttributeAccessIssue]
    try:
        if "torch._dynamo" in sys.modules:  # else nothing was compiled; to import it takes seconds
            with torch.compiler.set_stance("force_eager"):
                yield
        else:
            yield
    finally:
        torch.compile = before
