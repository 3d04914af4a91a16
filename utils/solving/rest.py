"""Gets the rest of Python's library, at the first import of something in it."""

import gzip
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from utils.course import ROOT

NAMES = "rest.txt"  # of the modules that the rest has
REST = "/lib/rest.zip"


class Rest:
    """Finds modules in the rest; `load` gives its archive, compressed."""

    def __init__(self, load: Callable[[], Any]):
        self.load, self.names = load, set((ROOT / NAMES).read_text().split())

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self.names:
            return None
        if not Path(REST).exists():
            Path(REST).write_bytes(gzip.decompress(self.load().to_bytes()))
        package = name.rpartition(".")[0].replace(".", "/")  # parts of it may be in what was loaded first
        return PathFinder.find_spec(name, [f"{REST}/{package}".rstrip("/")], target)


def get_when_needed(load: Callable[[], Any]) -> None:
    """From now on what was not loaded first is found too. `load` is JavaScript's, as its bytes are."""
    sys.meta_path.append(Rest(load))
