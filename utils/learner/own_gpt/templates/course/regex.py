r"""The package `regex` where it is installed, else Python's own `re`, with `\p{L}` and the like spelt out for it."""

import re
import sys
import unicodedata
from functools import cache
from typing import Any

try:
    import regex as _real
except ImportError:
    _real = None

_TOKEN = re.compile(r"\\[pP]\{(\^?)(\w+)\}|\\[pP](\w)|\\.|\[\^?\]?|\]|[^\\\[\]]+", re.DOTALL)
_SPACES = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_FUNCTIONS = {"compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if _real:
        return getattr(_real, name)
    found = getattr(re, name)
    return (lambda pattern, *more, **named: found(_for_re(pattern), *more, **named)) if name in _FUNCTIONS else found


@cache
def _for_re(pattern: Any) -> Any:
    """The pattern in the language of `re`: Unicode's categories as lists of characters."""
    if not isinstance(pattern, str):
        return pattern
    written, inside = [], False
    for token in _TOKEN.finditer(pattern):
        text, category = token[0], token[2] or token[3]
        if category:
            text = _class(_characters(category, (text[1] == "P") != bool(token[1])), inside)
        elif text in (r"\s", r"\S"):
            text = _class(_SPACES, inside) if text == r"\s" else f"[^{_SPACES}]" if not inside else text
        elif not inside and text.startswith("["):
            inside = True
        elif inside and text == "]":
            inside = False
        elif inside and text.startswith("["):
            text = text.replace("[", r"\[", 1)
        written.append(text)
    return "".join(written)


def _class(characters: str, inside: bool) -> str:
    return characters if inside else f"[{characters}]"


@cache
def _characters(category: str, others: bool) -> str:
    """The ranges of characters whose category begins so, or of all others."""
    ranges: list[list[int]] = []
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)).startswith(category) != others:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(rf"\U{first:08x}-\U{last:08x}" for first, last in ranges)
