"""Two dozen passages that the reference model was not trained on, for the chapters that need more text than a tale.

Each is the beginning of a story or chapter, about 250 of the reference model's tokens long. All are in the public
domain in the United States; training/corpus.md says how the text was cleaned.
"""

from pathlib import Path

import torch
from jaxtyping import Int
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


def _entries() -> list[tuple[str, str]]:
    """Source and text of each passage; in the file a line "# source" stands above it."""
    parts = FILE.read_text(encoding="utf-8").removeprefix("# ").split("\n# ")
    entries = []
    for part in parts:
        source, _, text = part.partition("\n")
        entries.append((source, text.strip()))
    return entries
