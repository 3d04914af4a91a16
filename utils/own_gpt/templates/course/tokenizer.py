"""The tokenizer of a HuggingFace GPT-2 folder: its merges and its vocabulary; `bpe_encode` does the work."""

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
        self.merges = [(raw(one), raw(other)) for one, other in vocabulary.merges]
        self.tokens = {index: token for token, index in self.ids.items()}
        self.tokens |= {index: text.encode() for text, index in vocabulary.special.items()}
        self.end = vocabulary.special.get(END_OF_TEXT)
        self.begin = [] if self.end is None else [self.end]  # what stands before every text
        self._never_seen = {byte for byte in range(256) if bytes([byte]) not in self.ids}  # none in GPT-2's own

    @classmethod
    def read(cls, folder: Path, bpe_encode: Encode) -> "Tokenizer":
        """From tokenizer.json, or from vocab.json and merges.txt. Raises Unreadable for another kind of tokenizer."""
        return cls(read_vocabulary(folder), bpe_encode)

    def encode(self, text: str) -> list[int]:
        """The token numbers of a text; added tokens such as <|endoftext|> are read where they are written out."""
        found = []
        for part in cut(text, self.added):
            if isinstance(part, int):
                found.append(part)
            else:
                self._must_know(part)
                found += [self._id(token) for token in self.bpe_encode(part, self.merges)]
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
