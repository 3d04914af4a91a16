"""Of HuggingFace's `tokenizers` the part that utils.reference.tokens needs, for Pyodide, which has no wheel of it."""

import json
import re
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, NamedTuple

import regex

# Source: openai/gpt-2 src/encoder.py, Encoder.pat
PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
KEPT = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}


class AddedToken:
    """A token that is cut out of a text before anything else."""

    def __init__(self, content: str, special: bool = False, **flags: bool):
        if flags.get("single_word") or flags.get("lstrip") or flags.get("rstrip"):
            raise NotImplementedError(f"{content} is to be cut out in a way that only the library knows")
        self.content = content


class BPE(NamedTuple):
    """Tokens by number, and what is merged, the first first; written with a printable character for each byte."""

    vocab: dict[str, int]
    merges: list[tuple[str, str]]


class Encoding(NamedTuple):
    """A text that was cut."""

    ids: list[int]
    tokens: list[str]


class Tokenizer:
    """Cuts by GPT-2's pattern, and merges bytes within the pieces."""

    pre_tokenizer: Any = None  # always ByteLevel's
    decoder: Any = None

    def __init__(self, model: BPE):
        self.model = model
        self.ranks = {pair: rank for rank, pair in reversed(list(enumerate(map(tuple, model.merges))))}
        self.added: dict[str, int] = {}

    def add_special_tokens(self, tokens: list[AddedToken]) -> None:
        """Let these be cut out first."""
        for token in tokens:
            self.added[token.content] = self.model.vocab[token.content]

    def encode(self, text: str, add_special_tokens: bool = True) -> Encoding:
        """The tokens of a text, and their numbers."""
        around = "|".join(map(re.escape, self.added))
        tokens: list[str] = []
        for part in re.split(f"({around})", text) if around else [text]:
            tokens += [part] if part in self.added else self._cut(part)
        return Encoding([self.model.vocab[token] for token in tokens], tokens)

    def to_str(self) -> str:
        """As tokenizer.json has it, what it merges."""
        return json.dumps({"model": self.model._asdict()})

    def _cut(self, text: str) -> list[str]:
        characters = byte_level()
        pieces = regex.findall(PATTERN, text)
        return [token for piece in pieces for token in self._merged([characters[byte] for byte in piece.encode()])]

    def _merged(self, parts: list[str]) -> list[str]:
        while known := [(self.ranks[pair], at) for at, pair in enumerate(pairwise(parts)) if pair in self.ranks]:
            _, at = min(known)
            parts[at : at + 2] = ["".join(parts[at : at + 2])]
        return parts


@cache
def byte_level() -> list[str]:
    """A printable character for each byte."""
    others = iter(range(0x100, 0x200))
    return [chr(byte if byte in KEPT else next(others)) for byte in range(256)]


class ByteLevel:
    """Bytes written with a printable character for each."""

    def __init__(self, **options: bool):
        """The options are those that utils.reference.tokens gives it, and what Tokenizer does anyhow."""

    def decode(self, tokens: list[str]) -> str:
        """The text of tokens that are written so."""
        characters = byte_level()
        return bytes(map(characters.index, "".join(tokens))).decode("utf-8", errors="replace")


models = SimpleNamespace(BPE=BPE)
pre_tokenizers = decoders = SimpleNamespace(ByteLevel=ByteLevel)
