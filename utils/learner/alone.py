"""Runs a learner's definitions on their own, without the notebook round them: as my_gpt/ will hold them."""

import contextlib
import io
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from types import ModuleType

from utils.running.ambient import undisturbed
from utils.running.limited import MEMORY, Limit, limited

SECONDS = 2.0  # definitions take no time; what takes longer computes something
# Times as long by the clock: the machine may be busy, but what sleeps or waits comes to an end too.
PATIENCE = 20


@contextlib.contextmanager
def running_alone(source: str, name: str, seconds: float = SECONDS) -> Iterator[ModuleType]:
    """The module `name` that `source` makes, in sys.modules within the block; no other has this name.

    Nothing that it prints is seen. Raises what the source raises, and TooSlow where it does not come to an end.
    """
    module = ModuleType(name)
    filename = f"<{name}>"
    sys.modules[name] = module
    try:
        with _quiet(), undisturbed():
            code = compile(source, filename, "exec", dont_inherit=True)
            limited(Limit(seconds, PATIENCE * seconds, MEMORY), partial(exec, code, module.__dict__))
        yield module
    finally:
        sys.modules.pop(name, None)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    unheard = io.StringIO()
    with (
        contextlib.redirect_stdout(unheard),
        contextlib.redirect_stderr(unheard),
        warnings.catch_warnings(action="ignore"),
    ):
        yield
