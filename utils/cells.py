"""Finds answers in notebook cells: by the symbol that a cell defines, never by metadata, which copying destroys.

Lines are searched, not parsed, so that a cell with a mistake in its syntax or with a magic is still found.
"""

import re


def defines(source: str, symbol: str) -> bool:
    """Whether a line of this cell defines `symbol` at top level: a class, a function or an assignment."""
    name = re.escape(symbol)
    return bool(re.search(rf"^(?:(?:async\s+)?def|class)\s+{name}\b|^{name}\s*(?::[^=]*)?=(?!=)", source, re.MULTILINE))


def calls(source: str, test: str, symbol: str) -> bool:
    """Whether a line of this cell calls test(symbol), and is not a comment."""
    return bool(re.search(rf"^[^#\n]*\b{re.escape(test)}\s*\(\s*{re.escape(symbol)}\s*[,)]", source, re.MULTILINE))
