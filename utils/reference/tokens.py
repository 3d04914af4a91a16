"""The reference model's tokenizer, which needs no torch: chapter 0 is judged where there is none (utils.solving)."""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from utils.reference import folders

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def tokenizer() -> "Tokenizer":
    """The tokenizer of the model that COURSE_REFERENCE names, from the `tokenizers` library."""
    return tokenizer_of(chosen())


def chosen() -> str:
    """The name of the reference model: bundled, gpt2, or a folder."""
    name = os.environ.get("COURSE_REFERENCE") or "bundled"
    return name if name in ("bundled", "gpt2") else str(Path(name).expanduser().resolve())


@cache
def tokenizer_of(name: str) -> "Tokenizer":
    """The `tokenizers` library's, made of what the folder of this model says. Raises ReferenceUnavailable."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    read = folders.read_vocabulary(folders.directory(name))
    made = Tokenizer(models.BPE(read.vocab, read.merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    for token in read.added:
        flags = {flag: getattr(token, flag) for flag in ("single_word", "lstrip", "rstrip", "normalized")}
        made.add_special_tokens([AddedToken(token.content, special=True, **flags)])
    return made
