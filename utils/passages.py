"""Two sets of 24 passages that the reference model was not trained on, for the chapters that need more than a tale.

Each passage is the beginning of another story or chapter, about 250 of the reference model's tokens long. All are in
the public domain in the United States; training/corpus.md says how the text was cleaned.

One text is for looking, many are for concluding: `over_passages` measures something on each, and subtracting the
control's measures pairs the two passage by passage. The two sets share nothing, so that what holds on one by chance
need not hold on the other: an `OverPassages` prints both, and says when they disagree.
"""

import math
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
    """One row of tokens for each passage, the first set's 24 first, all cut to the length of the shortest.

    Each begins with `<|endoftext|>` and a line break, as nearly every text did that the model was trained on.
    """
    rows = [encode("\n" + text)[0] for text in texts()]
    pos = min(len(row) for row in rows)
    return torch.stack([row[:pos] for row in rows])


@dataclass(frozen=True)
class OverPassages:
    """One number for each passage, the first set's half first.

    Prints as `0.584 ± 0.041 and 0.601 ± 0.050 on 24 + 24 passages, above 0 on 45`.
    """

    values: Float[Tensor, " passage"]

    @property
    def mean(self) -> float:
        """The mean over the passages of both sets."""
        return self.values.mean().item()

    @property
    def error(self) -> float:
        """The standard error of the mean: the passages' standard deviation over the root of their number."""
        return _standard_error(self.values)

    @property
    def above(self) -> int:
        """On how many passages the number is above 0."""
        return int((self.values > 0).sum())

    @property
    def sets(self) -> tuple[Float[Tensor, " passage"], Float[Tensor, " passage"]]:
        """The numbers of the first set's passages, and of the second's."""
        half = len(self.values) // 2
        return self.values[:half], self.values[half:]

    @property
    def agree(self) -> bool:
        """Whether the two sets' means lie within three standard errors of their difference."""
        first, second = self.sets
        allowed = 3 * math.hypot(_standard_error(first), _standard_error(second))
        return abs(first.mean() - second.mean()).item() <= allowed

    def __sub__(self, control: Self) -> "OverPassages":
        """The difference on each passage: what the passages share falls out of its error."""
        return OverPassages(self.values - control.values)

    def __str__(self) -> str:
        first, second = self.sets
        means = " and ".join(f"{numbers.mean():.3f} ± {_standard_error(numbers):.3f}" for numbers in self.sets)
        doubt = "" if self.agree else "; the two sets disagree"
        return f"{means} on {len(first)} + {len(second)} passages, above 0 on {self.above}{doubt}"


def over_passages(measure: Callable[[Int[Tensor, "1 pos"]], float | Tensor]) -> OverPassages:
    """What `measure` says of each passage's tokens, `<|endoftext|>` and a line break first; without gradients."""
    with torch.no_grad():
        values = [float(measure(row[None])) for row in passage_tokens()]
    return OverPassages(torch.tensor(values))


def _standard_error(numbers: Float[Tensor, " passage"]) -> float:
    return (numbers.std() / len(numbers) ** 0.5).item()


def _entries() -> list[tuple[str, str]]:
    """Source and text of each passage; in the file a line "# source" stands above it."""
    parts = FILE.read_text(encoding="utf-8").removeprefix("# ").split("\n# ")
    entries = []
    for part in parts:
        source, _, text = part.partition("\n")
        entries.append((source, text.strip()))
    return entries
