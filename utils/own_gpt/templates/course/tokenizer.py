"""The tokenizer of a HuggingFace GPT-2 folder: its merges and its vocabulary; `bpe_encode` does the work.

GPT-2's files write each of the 256 bytes as one printable character: a byte that has one keeps it, the others get
characters from U+0100 on, so that a space reads Ġ. Source: openai/gpt-2 src/encoder.py, bytes_to_unicode().
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path

from .errors import CannotTell
from .files import json_object

END_OF_TEXT = "<|endoftext|>"
Pair = tuple[bytes, bytes]
Encode = Callable[[str, list[Pair]], list[bytes]]
Found = tuple[dict[bytes, int], list[Pair], dict[str, int]]

_KEPT = {*chain(range(0x21, 0x7F), range(0xA1, 0xAD), range(0xAE, 0x100))}
_REST = count(0x100)
_BYTES = {chr(byte) if byte in _KEPT else chr(next(_REST)): byte for byte in range(256)}


class Tokenizer:
    """Text to token numbers, and these back to bytes."""

    def __init__(self, ids: dict[bytes, int], merges: list[Pair], special: dict[str, int], bpe_encode: Encode):
        self.ids, self.merges, self.special, self.bpe_encode = ids, merges, special, bpe_encode
        self.tokens = {index: token for token, index in ids.items()}
        self.tokens |= {index: text.encode() for text, index in special.items()}
        self.end = special.get(END_OF_TEXT)

    @classmethod
    def read(cls, folder: Path, bpe_encode: Encode) -> "Tokenizer":
        """From tokenizer.json, or from vocab.json and merges.txt. Raises CannotTell for another kind of tokenizer."""
        if (folder / "tokenizer.json").is_file():
            return cls(*_from_one_file(folder / "tokenizer.json"), bpe_encode)
        if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
            return cls(*_from_two_files(folder), bpe_encode)
        raise CannotTell(
            f"{folder} holds no tokenizer: neither tokenizer.json, nor vocab.json and merges.txt; "
            "copy there those that the model was trained with."
        )

    def encode(self, text: str) -> list[int]:
        """The token numbers of a text; special tokens such as <|endoftext|> are read where they are written out."""
        found = []
        names = sorted(self.special, key=len, reverse=True)
        pieces = re.split(f"({'|'.join(map(re.escape, names))})", text) if names else [text]
        for piece in filter(None, pieces):
            if piece in self.special:
                found.append(self.special[piece])
            else:
                found += [self._id(token) for token in self.bpe_encode(piece, self.merges)]
        return found

    def bytes_of(self, index: int) -> bytes:
        """What a token writes; a number that is no token writes U+FFFD."""
        return self.tokens.get(index, "\ufffd".encode())

    def _id(self, token: bytes) -> int:
        if token not in self.ids:
            raise CannotTell(f"bpe_encode made the token {token!r}, which is not in this model's vocabulary.")
        return self.ids[token]


def _from_one_file(file: Path) -> Found:
    content = json_object(file)
    with _its_own_words(file):
        model, before = content.get("model") or {}, content.get("pre_tokenizer") or {}
        named = model.get("type", "BPE" if "merges" in model else None)  # OpenAI's own file leaves the type out
        kinds = (named, before.get("type"), content.get("normalizer"))
        if kinds != ("BPE", "ByteLevel", None) or before.get("add_prefix_space") or not before.get("use_regex", True):
            raise CannotTell(f"{file} is not GPT-2's kind of tokenizer (byte-level BPE with GPT-2's pattern).")
        special = {token["content"]: token["id"] for token in content.get("added_tokens", [])}
        merges = [pair.split(" ") if isinstance(pair, str) else pair for pair in model["merges"]]
        return _ids(model["vocab"], special), _pairs(merges), special


def _from_two_files(folder: Path) -> Found:
    vocab, merges = json_object(folder / "vocab.json"), folder / "merges.txt"
    with _its_own_words(folder / "vocab.json"):
        special = {text: vocab[text] for text in (END_OF_TEXT,) if text in vocab}
        ids = _ids(vocab, special)
    with _its_own_words(merges):
        lines = merges.read_text(encoding="utf-8").split("\n")
        return ids, _pairs([line.split(" ") for line in lines if line and not line.startswith("#version")]), special


@contextmanager
def _its_own_words(file: Path) -> Iterator[None]:
    """Raises CannotTell for a file that is not as GPT-2's are."""
    try:
        yield
    except (AttributeError, KeyError, OSError, TypeError, ValueError) as error:
        raise CannotTell(f"{file} is not written in GPT-2's way: {type(error).__name__}: {error}.") from None


def _ids(vocab: dict[str, int], special: dict[str, int]) -> dict[bytes, int]:
    return {_raw(text): index for text, index in vocab.items() if text not in special}


def _pairs(merges: list[list[str]]) -> list[Pair]:
    return [(_raw(one), _raw(other)) for one, other in merges]


def _raw(text: str) -> bytes:
    return bytes(_BYTES[character] for character in text)
