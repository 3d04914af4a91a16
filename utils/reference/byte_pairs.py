"""The reference model's tokenizer as bytes: its merges in order, and the id of each token.

GPT-2's files write each of the 256 bytes as one printable character: a byte that has one keeps it, the others get
characters from U+0100 on, so that a space reads Ġ. Source: openai/gpt-2 src/encoder.py, bytes_to_unicode().
"""

import json
from functools import cache
from itertools import chain, count

from utils.reference.reader import tokenizer

_KEPT = {*chain(range(0x21, 0x7F), range(0xA1, 0xAD), range(0xAE, 0x100))}
_REST = count(0x100)
CHARACTERS = [chr(byte) if byte in _KEPT else chr(next(_REST)) for byte in range(256)]
BYTES = {character: byte for byte, character in enumerate(CHARACTERS)}


def printable(token: bytes) -> str:
    """The token as GPT-2's files write it: one printable character for each byte."""
    return "".join(CHARACTERS[byte] for byte in token)


def from_printable(text: str) -> bytes:
    """The bytes of a token that is written so. Raises KeyError for a character that stands for no byte."""
    return bytes(BYTES[character] for character in text)


def merges() -> list[tuple[bytes, bytes]]:
    """The pairs that the reference model's tokenizer merges, first come first."""
    pairs = [pair if isinstance(pair, list) else pair.split(" ") for pair in _bpe()["merges"]]
    return [(from_printable(one), from_printable(other)) for one, other in pairs]


def token_ids() -> dict[bytes, int]:
    """The id of each token that a text can be cut into; `<|endoftext|>` is none of them."""
    added = tokenizer().get_added_tokens_decoder().values()
    special = {token.content for token in added}
    vocab = _bpe()["vocab"]
    ordinary = [token for token in vocab if token not in special]
    return {from_printable(token): vocab[token] for token in ordinary}


def _bpe() -> dict:
    return _read(tokenizer().to_str())


@cache
def _read(description: str) -> dict:
    return json.loads(description)["model"]
