"""Two dozen passages that the reference model was not trained on, for the chapters that need more text than a tale.

Each is the beginning of a story or chapter, about 250 of the reference model's tokens long. All are in the public
domain in the United States; training/corpus.md says how the text was cleaned.

One text is for looking, many are for concluding: `over_passages` measures something on each, and subtracting the
control's measures pairs the two passage by passage.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import torch
from jaxtyping import Float, Int
from torch import Tensor

from utils.reference import encode

FILE = Path(__file__).with_name("passages.txt")


def sources() -> list[str]:
    """Book, author, year and Project Gutenberg's number of each passage, in order."""
    return [source for source, _ in _entries()]


def texts() -> list[str]:
    """The passages, in order."""
    return [text for _, text in _entries()]


def passage_tokens() -> Int[Tensor, "batch pos"]:
    """One row of tokens for each passage, `<|endoftext|>` first, all cut to the length of the shortest."""
    rows = [encode(text)[0] for text in texts()]
    pos = min(len(row) for row in rows)
    return torch.stack([row[:pos] for row in rows])


@dataclass(frozen=True)
class OverPassages:
    """One number for each passage; prints as `0.584 ± 0.041 on 24 passages, above 0 on 23`."""

    values: Float[Tensor, " passage"]

    @property
    def mean(self) -> float:
        """The mean over the passages."""
        return self.values.mean().item()

    @property
    def error(self) -> float:
        """The standard error of the mean: the passages' standard deviation over the root of their number."""
        return (self.values.std() / len(self.values) ** 0.5).item()

    @property
    def above(self) -> int:
        """On how many passages the number is above 0."""
        return int((self.values > 0).sum())

    def __sub__(self, control: Self) -> "OverPassages":
        """The difference on each passage: what the passages share falls out of its error."""
        return OverPassages(self.values - control.values)

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.error:.3f} on {len(self.values)} passages, above 0 on {self.above}"


def over_passages(measure: Callable[[Int[Tensor, "1 pos"]], float | Tensor]) -> OverPassages:
    """What `measure` says of each passage's tokens, `<|endoftext|>` first; without gradients."""
    with torch.no_grad():
        values = [float(measure(row[None])) for row in passage_tokens()]
    return OverPassages(torch.tensor(values))


def _entries() -> list[tuple[str, str]]:
    """Source and text of each passage; in the file a line "# source" stands above it."""
    parts = FILE.read_text(encoding="utf-8").removeprefix("# ").split("\n# ")
    entries = []
    for part in parts:
        source, _, text = part.partition("\n")
        entries.append((source, text.strip()))
    return entries
