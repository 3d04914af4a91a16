"""The tokenizer of a HuggingFace GPT-2 folder: its merges and its vocabulary; `bpe_encode` does the work.

GPT-2's files write each of the 256 bytes as one printable character: a byte that has one keeps it, the others get
characters from U+0100 on, so that a space reads Ġ. Source: openai/gpt-2 src/encoder.py, bytes_to_unicode().
"""

import json
import re
from collections.abc import Callable
from itertools import chain, count
from pathlib import Path

from .errors import CannotTell

END_OF_TEXT = "<|endoftext|>"
Pair = tuple[bytes, bytes]

_KEPT = {*chain(range(0x21, 0x7F), range(0xA1, 0xAD), range(0xAE, 0x100))}
_REST = count(0x100)
_BYTES = {chr(byte) if byte in _KEPT else chr(next(_REST)): byte for byte in range(256)}


class Tokenizer:
    """Text to token numbers, and these back to bytes."""

    def __init__(
        self,
        ids: dict[bytes, int],
        merges: list[Pair],
        special: dict[str, int],
        bpe_encode: Callable[[str, list[Pair]], list[bytes]],
    ):
        self.ids, self.merges, self.special, self.bpe_encode = ids, merges, special, bpe_encode
        self.tokens = {index: token for token, index in ids.items()}
        self.tokens |= {index: text.encode() for text, index in special.items()}
        self.end = special.get(END_OF_TEXT)

    @classmethod
    def read(cls, folder: Path, bpe_encode: Callable[[str, list[Pair]], list[bytes]]) -> "Tokenizer":
        """From tokenizer.json, or from vocab.json and merges.txt. Raises CannotTell for another kind of tokenizer."""
        if (folder / "tokenizer.json").is_file():
            return cls(*_from_one_file(folder / "tokenizer.json"), bpe_encode)
        if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
            return cls(*_from_two_files(folder), bpe_encode)
        raise CannotTell(f"{folder} holds no tokenizer: neither tokenizer.json, nor vocab.json and merges.txt")

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
            raise CannotTell(f"bpe_encode made the token {token!r}, which is not in this model's vocabulary")
        return self.ids[token]


def _from_one_file(file: Path) -> tuple[dict[bytes, int], list[Pair], dict[str, int]]:
    content = _json(file)
    model, before = content.get("model") or {}, content.get("pre_tokenizer") or {}
    kinds = (model.get("type"), before.get("type"), content.get("normalizer"))
    if kinds != ("BPE", "ByteLevel", None) or before.get("add_prefix_space") or not before.get("use_regex", True):
        raise CannotTell(f"{file} is not GPT-2's kind of tokenizer (byte-level BPE with GPT-2's pattern)")
    special = {token["content"]: token["id"] for token in content.get("added_tokens", [])}
    merges = [pair.split(" ") if isinstance(pair, str) else pair for pair in model["merges"]]
    return _read(file, model["vocab"], merges, special)


def _from_two_files(folder: Path) -> tuple[dict[bytes, int], list[Pair], dict[str, int]]:
    vocab = _json(folder / "vocab.json")
    lines = (folder / "merges.txt").read_text(encoding="utf-8").split("\n")
    merges = [line.split(" ") for line in lines if line and not line.startswith("#version")]
    special = {text: vocab[text] for text in (END_OF_TEXT,) if text in vocab}
    return _read(folder / "vocab.json", vocab, merges, special)


def _read(
    file: Path, vocab: dict[str, int], merges: list[list[str]], special: dict[str, int]
) -> tuple[dict[bytes, int], list[Pair], dict[str, int]]:
    try:
        ids = {_raw(text): index for text, index in vocab.items() if text not in special}
        return ids, [(_raw(one), _raw(other)) for one, other in merges], special
    except (KeyError, ValueError) as error:
        raise CannotTell(f"{file} is not written in GPT-2's way: {error!r}") from None


def _raw(text: str) -> bytes:
    return bytes(_BYTES[character] for character in text)


def _json(file: Path) -> dict:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CannotTell(f"{file} can't be read: {error}") from None
