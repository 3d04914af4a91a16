"""Runs a learner's definitions on their own, without the notebook round them: as my_gpt/ will hold them."""

import contextlib
import io
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType

import torch

SECONDS = 2.0  # definitions take no time; what takes longer computes something


class TooSlow(Exception):
    """Running the definitions took longer than a definition should."""


@contextlib.contextmanager
def running_alone(source: str, name: str, seconds: float = SECONDS) -> Iterator[ModuleType]:
    """The module `name` that `source` makes, in sys.modules within the block.

    Nothing that it prints is seen. Raises what the source raises, and TooSlow where it does not come to an end.
    """
    module, filename, before = ModuleType(name), f"<{name}>", sys.modules.get(name)
    sys.modules[name] = module
    try:
        with _quiet(), torch.random.fork_rng(devices=[]), _limited(filename, seconds):
            exec(compile(source, filename, "exec", dont_inherit=True), module.__dict__)
        yield module
    finally:
        if before is None:
            sys.modules.pop(name, None)
        else:
            sys.modules[name] = before


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield


@contextlib.contextmanager
def _limited(filename: str, seconds: float) -> Iterator[None]:
    """Stop the lines of this file after so many seconds, on every system; a library's lines come to their end."""
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
