"""Runs a learner's definitions on their own, without the notebook round them: as my_gpt/ will hold them."""

import contextlib
import importlib.util
import io
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType

from judge.running.ambient import undisturbed
from judge.running.limited import MEMORY, Limit, TooSlow, limited

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
            _soon(partial(exec, code, module.__dict__), seconds)
        yield module
    finally:
        sys.modules.pop(name, None)


def module_in(file: Path, seconds: float = SECONDS) -> ModuleType:
    """The module that a file of my_gpt/ makes.

    It may have been changed by hand. Nobody is warned, and `torch.compile` leaves what it is given as it is. Raises
    what the file raises, and TimeoutError where it does not come to an end.
    """
    spec = importlib.util.spec_from_file_location(f"my_gpt_{file.stem}", file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    try:
        with warnings.catch_warnings(action="ignore"), undisturbed():
            _soon(partial(spec.loader.exec_module, module), seconds)
    except TooSlow as error:
        raise TimeoutError(str(error)) from None
    return module


def module_of(source: str, name: str, seconds: float = SECONDS) -> ModuleType:
    """The module `name` that `source` makes. Raises what it raises, and TimeoutError where it does not end."""
    module = ModuleType(name)
    code = compile(source, f"<{name}>", "exec", dont_inherit=True)
    try:
        with _quiet(), undisturbed():
            _soon(partial(exec, code, module.__dict__), seconds)
    except TooSlow as error:
        raise TimeoutError(str(error)) from None
    return module


def _soon(run: Callable[[], None], seconds: float) -> None:
    limited(Limit(seconds, PATIENCE * seconds, MEMORY), run)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    unheard = io.StringIO()
    with (
        contextlib.redirect_stdout(unheard),
        contextlib.redirect_stderr(unheard),
        warnings.catch_warnings(action="ignore"),
    ):
        yield
