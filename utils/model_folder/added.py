"""Cuts the added tokens out of a text, where they are written out, as the library `tokenizers` does.

Source: huggingface/tokenizers, src/tokenizer/added_vocabulary.rs, find_matches() and extract_and_normalize().
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# Unicode's White_Space. Python's own \s takes U+001C to U+001F for white space too.
SPACES = "".join(map(chr, [*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)]))
SPACES += "\u2028\u2029\u202f\u205f\u3000"
# What Rust's \w takes: Alphabetic, Mark, Decimal_Number, Connector_Punctuation, Join_Control.
OF_WORDS = {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"}
OF_WORDS_TOO = re.compile("[\u200c\u200dⒶ-ⓩ🄰-🅉🅐-🅩🅰-🆉]")


class AddedToken(NamedTuple):
    """A text that is one token wherever it is written out."""

    content: str
    index: int
    single_word: bool = False  # only where no letter or digit stands beside it
    lstrip: bool = False  # white space before it, and after it, belongs to it
    rstrip: bool = False
    normalized: bool = False  # looked for in what the others have left


def cut(text: str, tokens: Iterable[AddedToken]) -> Iterator[str | int]:
    """The text in its order: the numbers of added tokens, and what stands between them."""
    tokens = list(tokens)
    later = [token for token in tokens if token.normalized]
    for part in _cut(text, [token for token in tokens if not token.normalized]):
        yield from [part] if isinstance(part, int) else _cut(part, later)


def _cut(text: str, tokens: list[AddedToken]) -> Iterator[str | int]:
    by_content = {token.content: token for token in tokens}
    names = sorted(by_content, key=len, reverse=True)  # of those that begin at one place the longest
    reached = 0
    for match in re.finditer("|".join(map(re.escape, names)), text) if names else ():
        token, (start, stop) = by_content[match[0]], match.span()
        if token.single_word and (_is_of_words(text[start - 1 : start]) or _is_of_words(text[stop : stop + 1])):
            continue
        if token.lstrip:
            start = max(reached, len(text[:start].rstrip(SPACES)))
        if token.rstrip:
            stop = len(text) - len(text[stop:].lstrip(SPACES))
        if reached < start:
            yield text[reached:start]
        yield token.index
        reached = stop
    if reached < len(text):
        yield text[reached:]


def _is_of_words(character: str) -> bool:
    return character != "" and (
        unicodedata.category(character) in OF_WORDS or OF_WORDS_TOO.match(character) is not None
    )
