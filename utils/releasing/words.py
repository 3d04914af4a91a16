"""What an update did to a notebook, in words."""

from collections.abc import Mapping

# One and many, in the order in which they are said.
KINDS = {
    "answer": ("answer kept", "answers kept"),
    "renewed": ("given cell renewed", "given cells renewed"),
    "new": ("new cell", "new cells"),
    "edited": ("given cell that you changed kept", "given cells that you changed kept"),
    "own": ("cell of your own kept", "cells of your own kept"),
    "restored": ("deleted cell restored", "deleted cells restored"),
    "removed": ("given cell taken out", "given cells taken out"),
}


def in_words(done: Mapping[str, int]) -> str:
    """ "1 answer kept, 2 given cells renewed"."""
    counts = {kind: done.get(kind, 0) for kind in KINDS}
    said = (f"{count} {KINDS[kind][count > 1]}" for kind, count in counts.items() if count)
    return ", ".join(said)
