"""The tokenizer of a HuggingFace GPT-2 folder: its merges and its vocabulary; `bpe_encode` does the work."""

import re
from collections.abc import Callable
from pathlib import Path

from .errors import CannotTell
from .vocabulary import END_OF_TEXT, Pair, from_one_file, from_two_files

Encode = Callable[[str, list[Pair]], list[bytes]]


class Tokenizer:
    """Text to token numbers, and these back to bytes."""

    def __init__(self, ids: dict[bytes, int], merges: list[Pair], special: dict[str, int], bpe_encode: Encode):
        self.ids, self.merges, self.special, self.bpe_encode = ids, merges, special, bpe_encode
        self.tokens = {index: token for token, index in ids.items()}
        self.tokens |= {index: text.encode() for text, index in special.items()}
        self.end = special.get(END_OF_TEXT)
        self._never_seen = {byte for byte in range(256) if bytes([byte]) not in ids}  # none in GPT-2's own

    @classmethod
    def read(cls, folder: Path, bpe_encode: Encode) -> "Tokenizer":
        """From tokenizer.json, or from vocab.json and merges.txt. Raises CannotTell for another kind of tokenizer."""
        if (folder / "tokenizer.json").is_file():
            return cls(*from_one_file(folder / "tokenizer.json"), bpe_encode)
        if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
            return cls(*from_two_files(folder), bpe_encode)
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
                self._must_know(piece)
                found += [self._id(token) for token in self.bpe_encode(piece, self.merges)]
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
