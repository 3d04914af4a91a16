"""Imports the package's parts and measures what they make: here, or, where anything may happen, in another process."""

import faulthandler
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any, NamedTuple

from utils.course import ROOT
from utils.own_gpt.loading import first_broken, loaded, measured

SECONDS = 10  # for each part; all of them take a tenth of one
EMERGENCY = 120  # for the whole process, with importing torch, should its own watchdog be stopped
MARK = "my_gpt tries "  # before what the other process says on its output
STUCK = f"TimeoutError: it takes longer than {SECONDS} seconds"
ENDED = "SystemExit: it ends the Python that runs it"
CODE = "from utils.own_gpt.trying import answer; answer()"


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
