"""Advice that tells no solution: its sentences without those that hold a piece of one."""

import re
from collections.abc import Collection

NOTHING_LEFT = "Look at this part once more."


def squeezed(text: str) -> str:
    """The text without blanks, with one kind of quotes."""
    return re.sub(r"\s+", "", text).replace("'", '"')


def discreet(advice: str, secrets: Collection[str]) -> str:
    """The advice without the sentences that hold one of these pieces, which are squeezed."""
    if not _holds(advice, secrets):
        return advice
    sentences = re.split(r"(?<=[.?:]) (?=[A-Z`])", advice)
    kept = [one for one in sentences if not _holds(one, secrets)]
    whole = re.sub(r":$", ".", " ".join(kept))
    return NOTHING_LEFT if _holds(whole, secrets) else whole or NOTHING_LEFT


def _holds(text: str, secrets: Collection[str]) -> bool:
    whole = squeezed(text)
    return any(one in whole for one in secrets)
