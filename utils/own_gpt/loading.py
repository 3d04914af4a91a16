"""Runs the learner's package here, under a name of its own: whether each part can be imported, and how right it is."""

import contextlib
import importlib
import io
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import torch
from safetensors.torch import load_file

from judge.running.ambient import undisturbed
from utils.course import ROOT

NAME = "my_gpt_as_written"
BUNDLED = ROOT / "utils" / "reference_model"
LOGITS = "unembed.hook_out"


@contextlib.contextmanager
def loaded(folder: Path) -> Iterator[ModuleType]:
    """The package in a folder, for the time of the block; nothing of it stays, and no bytecode is written."""
    package = ModuleType(NAME)  # without running its __init__, which imports everything
    package.__path__ = [str(folder)]
    _forget()
    importlib.invalidate_caches()
    try:
        with patch.object(sys, "dont_write_bytecode", True):
            sys.modules[NAME] = package
            yield package
    finally:
        _forget()


def module(name: str) -> ModuleType:
    """A module of the package that is loaded, such as course.telling."""
    return importlib.import_module(f"{NAME}.{name}")


def first_broken(named: Iterable[tuple[str, str]], begin: Callable[[str], None]) -> tuple[str, str] | None:
    """Of symbols and their modules the first symbol that can't be imported, and why; None where all can.

    `begin` hears of each symbol before it is imported.
    """
    for symbol, name in named:
        begin(symbol)
        try:
            with _apart():
                made = module(f"parts.{name}")
        except (Exception, SystemExit) as error:
            return symbol, f"it stops with {type(error).__name__}: {error}"
        if not hasattr(made, symbol):
            return symbol, f"it does not define `{symbol}`"
    return None


def measured() -> dict[str, float | int | str]:
    """How far the package's Transformer is from the reference model's logits, on the record that every check reads."""
    record = load_file(BUNDLED / "activations.safetensors")
    tokens, right = record["tokens"], record[LOGITS]
    try:
        cfg, weights = module("course.weights").read(BUNDLED)
        with _apart(), torch.no_grad():
            model = module("parts.transformer").Transformer(cfg)
            got = module("course.checkpoint").fill(model, weights)(tokens)
    except (Exception, SystemExit) as error:
        return {"failed": f"{type(error).__name__}: {error}"}
    return {
        "positions": tokens.numel(),
        "difference": float((got - right).abs().max()),
        "largest": float(right.abs().max()),
        "same": int((got.argmax(dim=-1) == right.argmax(dim=-1)).sum()),
    }


@contextlib.contextmanager
def _apart() -> Iterator[None]:
    """Nothing that the package prints is seen, and nothing that it draws or sets stays."""
    with contextlib.redirect_stdout(io.StringIO()), undisturbed():
        yield


def _forget() -> None:
    ours = [name for name in sys.modules if f"{name}.".startswith(f"{NAME}.")]
    for name in ours:
        del sys.modules[name]
