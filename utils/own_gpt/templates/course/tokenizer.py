"""The tokenizer of a HuggingFace GPT-2 folder: its merges and its vocabulary; `bpe_encode` does the work."""

import unicodedata
from collections.abc import Callable
from pathlib import Path

from .added import cut
from .errors import CannotTell
from .vocabulary import END_OF_TEXT, Vocabulary, raw, read_vocabulary

Encode = Callable[[str, list[tuple[bytes, bytes]]], list[bytes]]


class Tokenizer:
    """Text to token numbers, and these back to bytes."""

    def __init__(self, vocabulary: Vocabulary, bpe_encode: Encode):
        self.ids, self.added, self.bpe_encode = vocabulary.ids, vocabulary.added, bpe_encode
        self.digits_apart = vocabulary.digits_apart
        self.merges = [(raw(one), raw(other)) for one, other in vocabulary.merges]
        self.tokens = {index: token for token, index in self.ids.items()}
        self.tokens |= {index: text.encode() for text, index in vocabulary.special.items()}
        self.end = vocabulary.special.get(END_OF_TEXT)
        self.begin = [] if self.end is None else [self.end]  # what stands before every text
        self._never_seen = {byte for byte in range(256) if bytes([byte]) not in self.ids}  # none in GPT-2's own

    @classmethod
    def read(cls, folder: Path, bpe_encode: Encode, digits: bool = False) -> "Tokenizer":
        """From tokenizer.json, or from vocab.json and merges.txt. Raises Unreadable for another kind of tokenizer.

        `digits` says that one may be read which cuts digits apart.
        """
        return cls(read_vocabulary(folder, digits), bpe_encode)

    def encode(self, text: str) -> list[int]:
        """The token numbers of a text; added tokens such as <|endoftext|> are read where they are written out."""
        found = []
        for part in cut(text, self.added):
            if isinstance(part, int):
                found.append(part)
            else:
                self._must_know(part)
                pieces = _digits_apart(part) if self.digits_apart else [part]
                found += [self._id(token) for piece in pieces for token in self.bpe_encode(piece, self.merges)]
        return found

    def bytes_of(self, index: int) -> bytes:
        """What a token writes; a number that is no token writes U+FFFD."""
        return self.tokens.get(index, "\ufffd".encode())

    def _must_know(self, text: str) -> None:
        """A model of characters has no tokens for those that it never saw; GPT-2's own have one for each byte."""
        for letter in text if self._never_seen else "":
            if self._never_seen.intersection(letter.encode()):
                raise CannotTell(
                    f"this model knows the characters of the text it was trained on, and {letter!r} is none of them."
                )

    def _id(self, token: bytes) -> int:
        if token not in self.ids:
            raise CannotTell(f"bpe_encode made the token {token!r}, which is not in this model's vocabulary.")
        return self.ids[token]


def _digits_apart(text: str) -> list[str]:
    """The text, cut before and after each character that Unicode calls a number, as `tokenizers` does."""
    pieces = [""]
    for character in text:
        if unicodedata.category(character).startswith("N"):
            pieces += [character, ""]
        else:
            pieces[-1] += character
    return [piece for piece in pieces if piece]
