"""What all code of a process shares: `undisturbed` sets it as a fresh process has it, and puts it back as it was.

What is Python's stands here; what is a library's in a module of its own, imported only beside the library. Where
answers are judged and lent no compiler starts either: `torch.compile` leaves what it is given as it is.
"""

import contextlib
import functools
import gc
import importlib
import os
import random
import sys
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, NamedTuple

from judge.running.on_demand import is_imported, torch


class Setting(NamedTuple):
    """Something that all code shares, such as torch's default dtype."""

    read: Callable[[], Any]
    set: Callable[[Any], object]


@dataclass(frozen=True)
class Computing:
    """A setting that changes what other code computes: how a fresh process has it, and what a card says of it."""

    setting: Setting
    fresh: Any
    name: str
    instead: str


class Change(NamedTuple):
    """What code has made of a setting."""

    of: Computing
    before: Any
    after: Any


class Shared(NamedTuple):
    """All that code shares of one library."""

    computing: tuple[Computing, ...]
    silent: tuple[Setting, ...]  # what changes no result, or can't be told of
    drawing: Setting  # how far the random numbers are
    seed: Callable[[int], object]  # lets them begin anew


def _trace_threads(function: Any) -> None:
    threading.settrace(function)


def _profile_threads(function: Any) -> None:
    threading.setprofile(function)


def _collect(on: bool) -> None:
    if on:
        gc.enable()
    else:
        gc.disable()


OF_PYTHON = Shared(
    (),
    (
        Setting(sys.gettrace, sys.settrace),
        Setting(sys.getprofile, sys.setprofile),
        Setting(threading.gettrace, _trace_threads),
        Setting(threading.getprofile, _profile_threads),
        Setting(sys.getrecursionlimit, sys.setrecursionlimit),
        Setting(gc.isenabled, _collect),
        Setting(os.getcwd, os.chdir),
    ),
    Setting(random.getstate, random.setstate),
    random.seed,
)


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


LIBRARIES = "torch", "numpy"


@contextlib.contextmanager
def undisturbed(fresh: bool = True, draws_go_on: bool = True) -> Generator[Callable[[], list[Change]]]:
    """Whatever the block does to what all code shares is undone after it: random numbers, torch's settings, tracing.

    Within it nothing is compiled, and torch has its ordinary settings, if it is to be `fresh`. What is given tells
    which the block has changed. Where nobody draws afterwards but from a seed, `draws_go_on` may be False: to keep
    NumPy's state takes longest.
    """
    shared = _all_shared()
    computing = [known for of_one in shared for known in of_one.computing]
    silent = [setting for of_one in shared for setting in of_one.silent]
    held = [(one, _read(one)) for one in (*(known.setting for known in computing), *silent)]
    drawing = [(of_one.drawing, of_one.drawing.read()) for of_one in shared if draws_go_on]
    before = [known.fresh if fresh else value for known, (_, value) in zip(computing, held, strict=False)]
    for known, (_, value), wanted in zip(computing, held, before, strict=False):
        if value != wanted:
            known.setting.set(wanted)

    def changed() -> list[Change]:
        changes = [Change(known, value, known.setting.read()) for known, value in zip(computing, before, strict=True)]
        return [change for change in changes if change.after != change.before]

    try:
        with uncompiled():
            yield changed
    finally:
        for known in (known for of_one in _all_shared() if of_one not in shared for known in of_one.computing):
            _put(known.setting, known.fresh)  # of a library that the block was the first to import
        for one, value in held:
            _put(one, value)
        for generator, value in drawing:
            generator.set(value)


def seed_all(seed: int) -> None:
    """Let all random numbers begin anew."""
    for of_one in _all_shared():
        of_one.seed(seed)


def _all_shared() -> list[Shared]:
    """All that code shares of Python, and of each library that is there by now: one that comes later comes fresh."""
    return [OF_PYTHON, *(_shared_of(library) for library in LIBRARIES if is_imported(library))]


@functools.cache
def _shared_of(library: str) -> Shared:
    return importlib.import_module(f"judge.running.shared_of_{library}").SHARED


def _read(setting: Setting) -> Any:
    try:
        return setting.read()
    except OSError:  # a folder that is gone
        return None


def _put(setting: Setting, value: Any) -> None:
    try:
        is_changed = setting.read() != value
    except OSError:
        is_changed = True
    if is_changed:
        with contextlib.suppress(OSError, RecursionError, TypeError):  # the last for a folder that was gone before
            setting.set(value)
