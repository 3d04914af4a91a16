"""Gets the rest of Python's library, at the first import of something in it; and says what a page lacks."""

import gzip
import io
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from utils.course import ROOT

NAMES = "rest.txt"  # of the modules that the rest has
REST = "/lib/rest.zip"
OTHERS = {  # libraries that answers to plain exercises are written with elsewhere
    *("IPython", "datasets", "einops", "jax", "jaxtyping", "matplotlib", "nltk", "numpy", "pandas", "scipy"),
    *("sentencepiece", "sklearn", "spacy", "tensorflow", "tiktoken", "torch", "tqdm", "transformers"),
}
NOBODY_TYPES = "nobody can type here: write the value into your code, in the place of `input()`"
ELSEWHERE = "this page has only Python's own library; a notebook also has what is installed beside it"


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


class Others:
    """Finds no library that is not here, and says why to who imports it; `importlib.util.find_spec` gets its None."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        asked_by = sys._getframe(2).f_code.co_name  # pyright: ignore[reportPrivateUsage]
        if name in OTHERS and asked_by != "find_spec":
            raise ModuleNotFoundError(f"No module named {name!r}: {ELSEWHERE}", name=name)


class Nobody(io.TextIOBase):
    """Types nothing."""

    def readline(self, size: int = -1, /) -> str:
        raise OSError(NOBODY_TYPES)


def get_when_needed(load: Callable[[], Any]) -> None:
    """From now on what was not loaded first is found too. `load` is JavaScript's, as its bytes are."""
    sys.meta_path.append(Rest(load))


def tell_what_is_lacking() -> None:
    """From now on an import of a library that pages lack says so, and so does `input()`."""
    sys.meta_path.append(Others())
    sys.stdin = Nobody()
