"""In which order the cells of an updated notebook stand: the release's, unless the learner has moved some."""

from collections.abc import Sequence


def arranged(before: Sequence[str], now: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """All of `now`, in its own order, or in the learner's where that is another than what was handed out.

    What the learner does not have stands behind the cell that it follows in the release. `before` is empty where nobody
    knows what was handed out.
    """
    handed_out = before or now
    if not _are_moved(handed_out, theirs):
        return list(now)
    order = [key for key in theirs if key in now]
    for place, key in enumerate(now):
        if key not in order:
            order.insert(_behind(now[:place], order), key)
    return order


def _are_moved(handed_out: Sequence[str], theirs: Sequence[str]) -> bool:
    places = {key: place for place, key in enumerate(handed_out)}
    found = [places[key] for key in theirs if key in places]
    return found != sorted(found)


def _behind(earlier: Sequence[str], order: Sequence[str]) -> int:
    """The place behind the nearest earlier cell, which is in the order already."""
    return order.index(earlier[-1]) + 1 if earlier else 0
