"""The reference model's tokenizer as bytes: its merges in order, and the id of each token.

GPT-2's files write each of the 256 bytes as one printable character, so that a space reads Ġ: utils.model_folder has
the table.
"""

import json
from functools import cache

from utils.model_folder.vocabulary import BYTES, CHARACTERS
from utils.reference.tokens import tokenizer


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
