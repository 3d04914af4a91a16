"""The source of a notebook without what is stored beside it, piece by piece: that may be more than memory has."""

import re
from collections.abc import Iterable, Iterator

from grader.submissions.entries import MB, TooLarge

# What it printed and drew, pictures in its prose, the state of its controls
_KEY = rb'"(?:outputs|attachments|widgets)"\s*+'
STORED = re.compile(_KEY + rb":\s*+(?=[\[{])")
UNDECIDED = re.compile(_KEY + rb":?\s*+\Z")  # what follows is in the next piece
DEEPER = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}
# A text, which may end in a later piece, or where a list or an object begins or ends
TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+(?P<end>"?)|[\[\]{}]', re.DOTALL)


class _Sieve:
    """Takes a notebook's pieces in their order."""

    def __init__(self):
        self.depth = 0  # within what is left out
        self.rest = b""  # of the piece before: a text that has not ended yet

    def kept_of(self, piece: bytes) -> Iterator[bytes]:
        text, self.rest = self.rest + piece, b""
        begin, opening = 0, -1  # of what is kept, and where what is left out begins
        for token in TOKEN.finditer(text):
            start = token.start()
            if token["end"] == b"" or (not self.depth and UNDECIDED.match(text, start)):
                if self.depth:
                    self.rest = b'"' + text[token.end() :]  # no more of it than a backslash that ends the piece
                else:
                    yield text[begin:start]
                    self.rest = text[start:]
                return
            if self.depth:
                self.depth += DEEPER.get(token[0], 0)
                begin = start
            elif start == opening:
                yield text[begin : opening + 1]
                self.depth = 1
            elif found := STORED.match(text, start):
                opening = found.end()
        if not self.depth:
            yield text[begin:]


def without_outputs(pieces: Iterable[bytes], most: int) -> bytes:
    """A notebook in UTF-8, or whatever else has ASCII's brackets, with nothing in its outputs, attachments and widgets.

    Raises TooLarge where more than `most` bytes are left.
    """
    sieve = _Sieve()
    kept = bytearray()
    for piece in pieces:
        for part in sieve.kept_of(piece):
            kept += part
        if len(kept) + len(sieve.rest) > most:
            raise TooLarge(f"is larger than {most // MB} MB, without its outputs")
    return bytes(kept + sieve.rest)
