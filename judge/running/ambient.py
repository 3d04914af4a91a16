"""What all code of a process shares: `undisturbed` sets it as a fresh process has it, and puts it back as it was."""

import contextlib
import functools
import importlib
from collections.abc import Callable, Generator
from typing import Any

from judge.running.on_demand import is_imported
from judge.running.sharing.setting import Change, Setting, Shared
from judge.running.uncompiled import uncompiled

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
        return [one for one in changes if one.after != one.before]

    try:
        with uncompiled():
            yield changed
    finally:
        for known in (known for of_one in _all_shared() if of_one not in shared for known in of_one.computing):
            _put(known.setting, known.fresh)  # of a library that the block was the first to import
        for one, value in held:
            _put(one, value)
        for one, value in drawing:
            one.set(value)


def seed_all(seed: int) -> None:
    """Let all random numbers begin anew."""
    for of_one in _all_shared():
        of_one.seed(seed)


def _all_shared() -> list[Shared]:
    """What is shared of Python, and of each library that is there by now: one that comes later comes fresh."""
    names = ["python", *(library for library in LIBRARIES if is_imported(library))]
    return [_shared_of(name) for name in names]


@functools.cache
def _shared_of(name: str) -> Shared:
    return importlib.import_module(f"judge.running.sharing.of_{name}").SHARED


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
