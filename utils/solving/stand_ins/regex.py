"""Of the `regex` library the part that chapter 0 needs, for Pyodide, which has no wheel of it: `\\p{L}` and `\\p{N}`.

The rest is left to Python's own `re`. `\\s` is said anew: for `re` U+001C to U+001F are white space, but for Unicode,
`regex` and the reference model's tokenizer they are not. What is a letter, this Python's version of Unicode says.
"""

import re
import unicodedata
from functools import cache
from typing import Any

SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
PLANES_WITH_WRITING = 0x40000
TOKEN = re.compile(r"\\p\{(\w)\}|\\(s)|\\S|\\.|\[\^?\]?|\]|[^\\\[\]]+", re.DOTALL)


@cache
def compile(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern, its classes of Unicode written out."""
    return re.compile(_written_out(pattern), flags)


def _written_out(pattern: str) -> str:
    parts: list[str] = []
    in_a_class = False
    for token in TOKEN.finditer(pattern):
        text = token[0]
        if letter := token[1] or token[2]:
            inner = SPACE if letter == "s" else _class_of(letter)
            text = inner if in_a_class else f"[{inner}]"
        elif text == r"\S" and not in_a_class:
            text = f"[^{SPACE}]"
        elif text[0] == "[" or text == "]":
            in_a_class = text != "]"
        parts.append(text)
    return "".join(parts)


@cache
def _class_of(letter: str) -> str:
    """The ranges of all characters whose category begins with this letter: between square brackets for `re`."""
    categories = "".join(map(unicodedata.category, map(chr, range(PLANES_WITH_WRITING))))  # two letters for each
    runs = [(run.start() // 2, run.end() // 2 - 1) for run in re.finditer(f"(?:{letter}.)+", categories)]
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in runs)


def _by_method(name: str) -> Any:
    def function(pattern: str, *arguments: Any, flags: int = 0, **options: Any) -> Any:
        return getattr(compile(pattern, flags), name)(*arguments, **options)

    return function


findall, finditer, fullmatch, match = map(_by_method, ("findall", "finditer", "fullmatch", "match"))
search, split, sub = map(_by_method, ("search", "split", "sub"))
escape = re.escape
