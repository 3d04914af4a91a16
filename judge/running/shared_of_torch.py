"""What all code shares of torch."""

import importlib
from functools import partial
from typing import Any, cast

import torch

from judge.running.ambient import Computing, Setting, Shared


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


def _print_options() -> dict[str, Any]:
    return dict(_PRINTING)


def _set_print_options(options: dict[str, Any]) -> None:
    _PRINTING.update(options)


_NEXT_TO_0 = 5e-324


def _flushes_to_zero() -> bool:
    """Whether numbers nearer to 0 than the ordinary ones become 0, Python's own too; torch has no way to read it."""
    return _NEXT_TO_0 * 1.0 == 0.0


SHARED = Shared(
    COMPUTING,
    (
        Setting(torch.get_num_threads, torch.set_num_threads),
        Setting(_print_options, _set_print_options),
        Setting(torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly),
        Setting(_flushes_to_zero, torch.set_flush_denormal),
    ),
    Setting(torch.get_rng_state, torch.set_rng_state),
    torch.default_generator.manual_seed,  # torch.manual_seed also notes, slowly, who asked it to seed the GPU
)
