"""How two texts differ, or two lists of words and whole numbers: where they part, in one sentence; and two counts."""

from typing import Any

from judge.checking.measuring import equal
from judge.checking.wording import WHERE, Difference, short
from judge.running.values import is_list_or_tuple

LARGE = 10_000  # where a count is hard to read; no number of a token
IMMENSE = 1e100  # where it is no count any more; there are ints that no float holds


def wordy(value: Any) -> bool:
    """Whether these are words and whole numbers, of which a card shows all, and where they part."""
    if is_list_or_tuple(value):
        return all(map(wordy, value))
    return isinstance(value, (str, bytes, int, type(None)))


def words_difference(got: Any, want: Any) -> Difference:
    """For two that differ."""
    more = (f"got {short(got)}", f"expected {short(want)}")
    index = first_to_differ(got, want)
    return Difference((_parting(index, got, want),), more=more, path=(index,))


def _parting(index: int, got: Any, want: Any) -> str:
    lengths = "" if len(got) == len(want) else f" (got length {len(got)}, expected {len(want)})"
    if index < min(len(got), len(want)):
        items = f"got {short(got[index])}, expected {short(want[index])}"
        return f"they first differ at {WHERE}: {items}{lengths}"
    if len(got) < len(want):
        ending = f"where {short(want[index])} is missing" if index else f"the first thing expected is {short(want[0])}"
        return f"yours ends at {WHERE}, {ending}{lengths}"
    return f"yours goes on at {WHERE} with {short(got[index])}, where nothing more is expected{lengths}"


def first_to_differ(got: Any, want: Any) -> int:
    """The index at which two sequences part; their common length where that is none of it."""
    common = min(len(got), len(want))
    for index in range(common):
        one = slice(index, index + 1)
        if not equal(got[one], want[one]):
            return index
    return common


def counts_apart(got: Any, want: Any) -> str:
    """Two large whole numbers with their difference and their ratio; nothing for others."""
    if not all(_is_a_large_count(one) for one in (got, want)):
        return ""
    apart = f"{abs(got - want):,.0f} {'less' if got < want else 'more'}"
    ratio = f"{got / want:.4g}"
    times = "" if ratio == "1" else f", {ratio} times as much"
    return f"got {got:,.0f}, expected {want:,.0f} ({apart}{times})"


def _is_a_large_count(value: Any) -> bool:
    is_whole = type(value) is int or (type(value) is float and value.is_integer())
    return is_whole and LARGE <= value < IMMENSE
