"""Byte-pair encoding, played: a text as boxes, the counts of its pairs, and merge after merge."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from utils.pictures.picture import Picture, visible

Pair = tuple[bytes, bytes]


def play_merges(pieces: Sequence[Sequence[bytes]], merges: Sequence[Pair]) -> Picture:
    """A picture in which these merges are done one by one, beside the counts of all pairs as they are then.

    `pieces` are those of a text, each as the parts that it starts with, single bytes; no pair crosses from one to the
    next. `merges` come in their order, whatever rule found them: where one is not the most frequent pair, of equally
    frequent ones the greatest, the picture says so.
    Raises ValueError for a text without a pair, TypeError for merges that are no pairs of bytes.
    """
    counts = Counter(pair for parts in pieces for pair in pairwise(parts))
    if not counts:
        message = "There is nothing to merge: the text has no two parts side by side."
        raise ValueError(message)
    for merge in merges:
        _check(merge)
    data = {"pieces": list(map(_letters, pieces)), "merges": list(map(_letters, merges))}
    best = max(counts, key=lambda pair: (counts[pair], pair))
    one, other = map(_shown, best)
    first = ", ".join(_shown(b"".join(merge)) for merge in merges[:5])
    left = sum(len(_merged(parts, merges)) for parts in pieces)
    words = [
        f"A text as {sum(map(len, pieces))} boxes, one for each byte.",
        f"The pair {one}, {other} is the most frequent, {counts[best]} times.",
        f"Merge by merge boxes fuse ({first} first);",
        f"after {len(merges)} merges {left} boxes are left.",
    ]
    return Picture("pairs", data, " ".join(words))


def _check(merge: Pair) -> None:
    right = isinstance(merge, tuple) and [*map(type, merge)] == [bytes, bytes]
    if not right:
        example = "a tuple of two bytes, such as (b'h', b'e')"
        raise TypeError(f"A merge is {example}; one of these is {merge!r}.")


def _letters(parts: Sequence[bytes]) -> list[str]:
    """A letter for each byte, as JSON has no bytes."""
    return [part.decode("latin-1") for part in parts]


def _merged(parts: Sequence[bytes], merges: Sequence[Pair]) -> list[bytes]:
    done = list(parts)
    for pair in merges:
        at = 0
        while at + 1 < len(done):
            if (done[at], done[at + 1]) == pair:
                done[at : at + 2] = [pair[0] + pair[1]]
            at += 1
    return done


def _shown(part: bytes) -> str:
    return f"“{visible(part.decode(errors='replace'))}”"
