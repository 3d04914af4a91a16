"""What all code of a process shares: `undisturbed` sets it as a fresh process has it, and puts it back as it was."""

import contextlib
import gc
import importlib
import os
import random
import sys
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
import torch

from judge.running.uncompiled import uncompiled


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


def _device() -> torch.device | None:
    """The default device; None where it is the CPU, as in a fresh process."""
    device = torch.empty(0).device  # torch.get_default_device takes four times as long
    return None if device.type == "cpu" else device


COMPUTING = (
    Computing(
        Setting(torch.get_default_dtype, torch.set_default_dtype),
        torch.float32,
        "torch's default dtype",
        "Give `dtype=` to the tensor that needs another one, or call `.to(...)` on it.",
    ),
    Computing(
        Setting(_device, torch.set_default_device),
        None,
        "torch's default device",
        "Give `device=` to the tensor that needs another one: `device=x.device`.",
    ),
    Computing(
        Setting(torch.is_grad_enabled, torch.set_grad_enabled),
        True,
        "whether torch keeps what gradients need",
        "What comes next may need gradients: `with torch.no_grad():` and `@torch.no_grad()` put them back on at their "
        "end, `torch.set_grad_enabled(False)` does not.",
    ),
    Computing(
        Setting(torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode),
        0,
        "whether torch takes deterministic algorithms alone",
        "Leave it out: on a processor the same call gives the same numbers.",
    ),
    Computing(
        Setting(torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
        "highest",
        "the precision of torch's products",
        "Leave it out: products are compared to the last digits.",
    ),
    Computing(
        Setting(partial(torch.is_autocast_enabled, "cpu"), partial(torch.set_autocast_enabled, "cpu")),
        False,
        "whether torch computes in half precision by itself",
        "Leave it out: products are compared to the last digits.",
    ),
)


# what torch.set_printoptions changes; torch has no public way to read it
_PRINTING = cast(dict[str, Any], vars(importlib.import_module("torch._tensor_str").PRINT_OPTS))


_NEXT_TO_0 = 5e-324


def _print_options() -> dict[str, Any]:
    return dict(_PRINTING)


def _set_print_options(options: dict[str, Any]) -> None:
    _PRINTING.update(options)


def _flushes_to_zero() -> bool:
    """Whether numbers nearer to 0 than the ordinary ones become 0, Python's own too; torch has no way to read it."""
    return _NEXT_TO_0 * 1.0 == 0.0


def _set_numpy_errors(errors: dict[str, Any]) -> None:
    np.seterr(**errors)


def _set_numpy_printing(options: dict[str, Any]) -> None:
    np.set_printoptions(**options)


def _trace_threads(function: Any) -> None:
    threading.settrace(function)


def _profile_threads(function: Any) -> None:
    threading.setprofile(function)


def _collect(on: bool) -> None:
    if on:
        gc.enable()
    else:
        gc.disable()


SILENT = (
    Setting(torch.get_num_threads, torch.set_num_threads),
    Setting(_print_options, _set_print_options),
    Setting(torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly),
    Setting(np.geterr, _set_numpy_errors),
    Setting(np.get_printoptions, _set_numpy_printing),
    Setting(sys.gettrace, sys.settrace),
    Setting(sys.getprofile, sys.setprofile),
    Setting(threading.gettrace, _trace_threads),
    Setting(threading.getprofile, _profile_threads),
    Setting(_flushes_to_zero, torch.set_flush_denormal),
    Setting(sys.getrecursionlimit, sys.setrecursionlimit),
    Setting(gc.isenabled, _collect),
    Setting(os.getcwd, os.chdir),
)
SETTINGS = (*(known.setting for known in COMPUTING), *SILENT)
DRAWING = (
    Setting(torch.get_rng_state, torch.set_rng_state),
    Setting(random.getstate, random.setstate),
    Setting(np.random.get_state, np.random.set_state),
)


@contextlib.contextmanager
def undisturbed(fresh: bool = True, draws_go_on: bool = True) -> Generator[Callable[[], list[Change]]]:
    """Whatever the block does to what all code shares is undone after it: random numbers, torch's settings, tracing.

    Within it nothing is compiled, and torch has its ordinary settings, if it is to be `fresh`. What is given tells
    which the block has changed. Where nobody draws afterwards but from a seed, `draws_go_on` may be False: to keep
    NumPy's state takes longest.
    """
    held = [(one, _read(one)) for one in SETTINGS]
    drawing = [(one, one.read()) for one in DRAWING if draws_go_on]
    before = [known.fresh if fresh else value for known, (_, value) in zip(COMPUTING, held, strict=False)]
    for known, (_, value), wanted in zip(COMPUTING, held, before, strict=False):
        if value != wanted:
            known.setting.set(wanted)

    def changed() -> list[Change]:
        changes = [Change(known, value, known.setting.read()) for known, value in zip(COMPUTING, before, strict=True)]
        return [one for one in changes if one.after != one.before]

    try:
        with uncompiled():
            yield changed
    finally:
        for one, value in held:
            _put(one, value)
        for one, value in drawing:
            one.set(value)


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
