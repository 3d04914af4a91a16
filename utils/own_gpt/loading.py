"""Runs the learner's package under a name of its own: whether each part can be imported, and how right it is."""

import contextlib
import faulthandler
import importlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import IO, Any, NamedTuple
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
            with _unseen():
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
        with _unseen(), torch.no_grad():
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
def _unseen() -> Iterator[None]:
    """Nothing that the package prints is seen, and nothing that it draws or sets stays."""
    with contextlib.redirect_stdout(io.StringIO()), undisturbed():
        yield


def _forget() -> None:
    ours = [name for name in sys.modules if f"{name}.".startswith(f"{NAME}.")]
    for name in ours:
        del sys.modules[name]


SECONDS = 10  # for each part; all of them take a tenth of one
EMERGENCY = 120  # for the whole process, with importing torch, should its own watchdog be stopped
MARK = "my_gpt tries "  # before what the other process says on its output
STUCK = f"TimeoutError: it takes longer than {SECONDS} seconds"
ENDED = "SystemExit: it ends the Python that runs it"
CODE = "from utils.own_gpt.loading import answer; answer()"


class Tried(NamedTuple):
    """What came of the parts."""

    broken: tuple[str, str] | None  # the first that can't be used, and why
    measured: dict[str, Any]  # what all of them make


def tried(folder: Path, parts: Iterable[Any], apart: bool) -> Tried:
    """Import these parts of the package in a folder, and measure it.

    Here that takes a tenth of a second. `apart` is for code that nobody has run: a process of its own, which imports
    torch anew, and may loop, end itself or write as it likes.
    """
    named = [(part.symbol, part.module) for part in parts]
    return _apart(folder, named) if apart else _tried(folder, named, begin=lambda symbol: None)


def answer() -> None:
    """Be the other process: read what to try, say what is begun, so that it is known if it never ends, and the end."""
    folder, named = json.load(sys.stdin)

    def begin(symbol: str) -> None:
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        _say(symbol)

    said = _tried(Path(folder), named, begin)
    _say(list(said))
    os._exit(0)  # whatever threads a part has started


def _tried(folder: Path, named: list[tuple[str, str]], begin: Callable[[str], None]) -> Tried:
    with loaded(folder):
        if broken := first_broken(named, begin):
            return Tried(broken, {"failed": broken[1].removeprefix("it stops with ")})
        begin("")
        return Tried(None, measured())


def _apart(folder: Path, named: list[tuple[str, str]]) -> Tried:
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    stuck = False
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:  # nobody waits for who holds a file
        try:
            subprocess.run(
                [sys.executable, "-c", CODE],
                input=json.dumps([str(folder.absolute()), named]).encode(),
                env=os.environ | {"PYTHONPATH": path},
                stdout=output,
                stderr=errors,
                timeout=EMERGENCY,
            )
        except subprocess.TimeoutExpired:
            stuck = True
        stuck = stuck or b"Timeout (" in _written(errors)
        lines = _written(output).decode(errors="replace").splitlines()
    *_, last = [json.loads(line.removeprefix(MARK)) for line in lines if line.startswith(MARK)] or [""]
    if isinstance(last, list):
        return Tried(*last)
    reason = STUCK if stuck else ENDED
    return Tried((last, f"it stops with {reason}") if last else None, {"failed": reason})


def _written(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _say(what: Any) -> None:
    os.write(1, f"\n{MARK}{json.dumps(what)}\n".encode())
