"""Of the `regex` library the part that chapter 0 needs, for Pyodide, which has no wheel of it: `\\p{L}` and `\\p{N}`.

`\\s` is said anew too: for Python's own `re` U+001C to U+001F are white space, but for Unicode, `regex` and the
reference model's tokenizer they are not. The rest is left to `re`, whose `\\w` has no combining marks. This Python's
version of Unicode says what is a letter, and `regex` often knows a later one.
"""

import re
import unicodedata
from functools import cache
from typing import Any

SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
PLANES_WITH_WRITING = 0x40000
TOKEN = re.compile(r"\\p\{(\w)\}|\\(s)|\\S|\\.|\[\^?\]?|\]|[^\\\[\]]+", re.DOTALL)


@cache
def compile(pattern: str | re.Pattern[str]) -> re.Pattern[str]:
    """The pattern, its classes of Unicode written out."""
    return re.compile(_written_out(pattern) if isinstance(pattern, str) else pattern)


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
    runs = [(run.start() // 2, run.end() // 2 - 1) for run in re.finditer(f"(?:{letter}.)+", _categories())]
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in runs)


@cache
def _categories() -> str:
    """The category of one character after the other, two letters for each."""
    return "".join(map(unicodedata.category, map(chr, range(PLANES_WITH_WRITING))))


def _by_method(name: str) -> Any:
    return lambda pattern, *arguments, **options: getattr(compile(pattern), name)(*arguments, **options)


findall, finditer, fullmatch, match = map(_by_method, ("findall", "finditer", "fullmatch", "match"))
search, split, sub = map(_by_method, ("search", "split", "sub"))
