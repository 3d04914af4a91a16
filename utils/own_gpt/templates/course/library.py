"""Tokenizers that are not GPT-2's kind, which your `bpe_encode` can't read: the library `tokenizers` reads them."""

import re
import sys
from pathlib import Path
from typing import Any

from .begin import read_begin
from .errors import CannotTell
from .files import json_object
from .unreadable import ANOTHER, Unreadable, as_written
from .vocabulary import AS_TRAINED, BYTES

NOTE = (
    "The tokenizer of this folder is of another kind than GPT-2's: the library tokenizers cuts the text, "
    "and not your bpe_encode."
)
SPACE = "\u2581"  # what SentencePiece writes for a space
OF_A_BYTE = re.compile("<0x([0-9A-F]{2})>")


class LibrarysTokenizer:
    """Text to token numbers, and these back to bytes, as the library does it."""

    def __init__(self, folder: Path):
        """Read tokenizer.json. Raises CannotTell where the library is missing, Unreadable where it can't read it."""
        file = folder / "tokenizer.json"
        try:
            from tokenizers import Tokenizer
        except ModuleNotFoundError:
            install = f'"{sys.executable}" -m pip install tokenizers'
            another = f"{file} is of another kind than GPT-2's, which your bpe_encode can't read"
            raise CannotTell(f"{another}. The library tokenizers reads it: {install}") from None
        self._decoders = {step.get("type") for step in _steps(json_object(file).get("decoder"))}
        if not self._decoders & {"ByteLevel", "ByteFallback", "Metaspace"}:
            said = as_written(json_object(file).get("decoder"))
            raise Unreadable(
                f"{file} writes its tokens in a way that my_gpt does not know (decoder: {said}); {ANOTHER}."
            )
        try:
            self.inner: Any = Tokenizer.from_str(file.read_text(encoding="utf-8"))
        except Exception as error:  # the library has no other class for it
            raise Unreadable(f"{file} can't be read by the library tokenizers: {error}; {AS_TRAINED}.") from None
        self.inner.no_truncation()
        self.inner.no_padding()
        self.begin = read_begin(folder)
        self._added = {index: token.content for index, token in self.inner.get_added_tokens_decoder().items()}

    def encode(self, text: str) -> list[int]:
        """The token numbers of a text, without those that stand before every text."""
        return self.inner.encode(text, add_special_tokens=False).ids

    def bytes_of(self, index: int) -> bytes:
        """What a token writes; a number that is no token writes U+FFFD."""
        token = self.inner.id_to_token(index)
        if token is None:
            return "\ufffd".encode()
        if index in self._added:
            return self._added[index].encode()
        if "ByteLevel" in self._decoders:
            return bytes(BYTES[character] for character in token)
        if byte := OF_A_BYTE.fullmatch(token):
            return bytes.fromhex(byte[1])
        return token.replace(SPACE, " ").encode()


def _steps(decoder: Any) -> list[dict]:
    """A decoder, one after another."""
    if not isinstance(decoder, dict):
        return []
    return [step for one in decoder.get("decoders") or [] for step in _steps(one)] or [decoder]
