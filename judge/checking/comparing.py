"""How two values of any kind differ: tensors and arrays, numbers, words, and nests of them, with the path."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from judge.checking.likeness import equal
from judge.checking.tensors import dtype_difference, number_difference, shape_difference
from judge.checking.wording import UNNAMED, WHERE, Difference, Key, Places, count, kind, short, spelled_out
from judge.running.on_demand import Tensor
from judge.running.records import Array, Opaque
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
    if not got or not want:
        return Difference((_one_empty(got, want),), more=more)
    index = first_to_differ(got, want)
    return Difference((_parting(index, got, want),), more=more, path=(index,))


def _one_empty(got: Any, want: Any) -> str:
    """The sentence for two of which one is empty."""
    there = got or want
    items = f"{_amount(there)}, {'beginning with ' if len(there) > 1 else ''}{_item(there, 0)}"
    return f"yours should be empty: got {items}" if got else f"yours is empty: expected {items}"


def _parting(index: int, got: Any, want: Any) -> str:
    amounts = "" if len(got) == len(want) else f" (got {_amount(got)}, expected {len(want)})"
    if index < min(len(got), len(want)):
        items = f"got {_item(got, index)}, expected {_item(want, index)}"
        return f"they first differ at {WHERE}: {items}{amounts}"
    if len(got) < len(want):
        return f"yours ends too early: {_item(want, index)} is missing at {WHERE}{amounts}"
    return f"yours goes on too long: {_item(got, index)} at {WHERE} is not expected{amounts}"


def _item(value: Any, index: int) -> str:
    """What stands at an index; a byte as bytes, not as its number."""
    return short(value[index : index + 1] if isinstance(value, bytes) else value[index])


def _amount(value: Any) -> str:
    """How much it holds: 1 character, 2 items."""
    one = "character" if isinstance(value, str) else "byte" if isinstance(value, bytes) else "item"
    return count(len(value), one, f"{one}s")


def first_to_differ(got: Any, want: Any) -> int:
    """The index at which two sequences part; their common length where that is none of it."""
    common = min(len(got), len(want))
    for index in range(common):
        one = slice(index, index + 1)
        if not equal(got[one], want[one]):
            return index
    return common


def counts_apart(got: Any, want: Any) -> str:
    """Two whole numbers, where one is large, and where both are with their difference and ratio; nothing for others."""
    large = [_is_a_large_count(value) for value in (got, want)]
    if not any(large) or not (_is_a_count(got) and _is_a_count(want)):
        return ""
    both = f"got {int(got):,}, expected {int(want):,}"
    if not all(large):
        return both
    apart = f"{abs(got - want):,.0f} {'less' if got < want else 'more'}"
    return f"{both} ({apart}{_ratio(got / want)})"


def _ratio(ratio: float) -> str:
    """Behind a difference, where it tells something."""
    told = f"{ratio:.4g}"
    if told == "1":
        return ""
    if ratio < 1:
        return f", {100 * ratio:.4g} % of what is expected"
    return f", {'twice' if told == '2' else f'{told} times'} as much"


def _is_a_large_count(value: Any) -> bool:
    return _is_a_count(value) and value >= LARGE


def _is_a_count(value: Any) -> bool:
    is_whole = type(value) is int or (type(value) is float and value.is_integer())
    return is_whole and abs(value) < IMMENSE


# What a float may be off where 0 is expected.
TINY = 1e-12
Axes = list[str]
Keyed = dict[Any, Any]


def value_difference(got: Any, want: Any, axes: Axes, tolerance: float, places: Places = ()) -> Difference | None:
    """None when `got` is `want`: form, types and words exactly, numbers within the tolerance.

    For tensors that is `number_difference`'s; for a float it is relative. `axes` names those of a tensor in the answer,
    `places` the items of a list.
    """
    found = _difference(got, want, axes, tolerance)
    return found and found.placed(places)


def _difference(got: Any, want: Any, axes: Axes, tolerance: float) -> Difference | None:
    """The difference as `value_difference` has it, with the path to it not yet in words."""
    if isinstance(want, Tensor):
        return _tensor_difference(got, want, axes, tolerance)
    if isinstance(want, Array):
        return _array_difference(got, want, axes, tolerance)
    if type(got) is not type(want):
        return _type_difference(got, want)
    for kinds, difference in BY_TYPE:
        if isinstance(want, kinds):
            return difference(got, want, axes, tolerance)
    return None if equal(got, want) else _unequal(got, want)


def axis_names(axes: Axes, ndim: int) -> Axes:
    """The names where they fit, else numbers."""
    if axes != ["..."]:
        axes = spelled_out(axes, ndim)
    if len(axes) == ndim:
        return axes
    return [f"{UNNAMED}{index}" for index in range(ndim)]


def no_tensor(got: Any, wanted: str = "a tensor") -> Difference:
    """For a result that should have been a tensor and is not."""
    if got is None:
        return _said("the result is None")
    if isinstance(got, Opaque) and "Tensor" in got.type:
        ordinary = "where an ordinary tensor is expected"
        return _said(f"the result is a {got.type}, {ordinary}")
    return _said(f"the result is of type {kind(got)}, not {wanted}")


def no_array(got: Any, of: str) -> Difference:
    """For a result that should have been an array of this library's, such as NumPy's, and is not."""
    return no_tensor(got, f"a {of} array")


def _said(*lines: str) -> Difference:
    return Difference(lines)


def _unequal(got: Any, want: Any) -> Difference:
    return _said(counts_apart(got, want) or f"got {short(got)}, expected {short(want)}")


def _tensor_difference(got: Any, want: Tensor, axes: Axes, tolerance: float) -> Difference | None:
    if not isinstance(got, Tensor):
        return no_tensor(got)
    names = axis_names(axes, want.ndim)
    sizes = list(zip(names, want.shape, strict=True))
    return (
        shape_difference(got, sizes)
        or dtype_difference(got, want.dtype)
        or number_difference(got, want, names, tolerance)
    )


def _array_difference(got: Any, want: Array, axes: Axes, tolerance: float) -> Difference | None:
    if not isinstance(got, Array) or got.of != want.of:
        return no_array(got, want.of)
    return _tensor_difference(got.tensor, want.tensor, axes, tolerance)


def _type_difference(got: Any, want: Any) -> Difference:
    if got is None:
        return _said(f"the result is None, expected {_counted(want)}")
    types = kind(got), kind(want)
    if isinstance(got, (Tensor, Array)):
        return _said("the result is of type {}, expected {}".format(*types))
    return _said(f"got {_counted(got)} ({types[0]}), expected {_counted(want)} ({types[1]})")


def _counted(value: Any) -> str:
    """A value in a sentence, a large count of it with commas."""
    return f"{value:,}" if _is_a_large_count(value) else short(value)


def _float_difference(got: float, want: float, axes: Axes, tolerance: float) -> Difference | None:
    error = abs(got - want)
    allowed = _allowed(want, tolerance)
    if equal(got, want) or error <= allowed:
        return None
    numbers = (f"{value:{',' * (abs(value) >= LARGE)}.9g}".replace("nan", "NaN") for value in (got, want))
    said = counts_apart(got, want) or "got {}, expected {}".format(*numbers)
    measured = allowed and math.isfinite(error)
    return Difference((said,), error / allowed if measured else math.inf)


def _allowed(want: float, tolerance: float) -> float:
    if not math.isfinite(want):
        return 0.0
    return max(tolerance * abs(want), TINY)


def _sequence_difference(got: Any, want: Any, axes: Axes, tolerance: float) -> Difference | None:
    found = _first_difference(got, want, axes, tolerance)
    if found is None:
        return None
    return words_difference(got, want) if wordy(got) and wordy(want) else found


def _first_difference(got: Any, want: Any, axes: Axes, tolerance: float) -> Difference | None:
    """The first items that differ, else the lengths."""
    pairs = zip(got, want, strict=False)
    for index, (one, other) in enumerate(pairs):
        difference = _difference(one, other, axes, tolerance)
        if difference:
            return difference.within(index)
    if len(got) != len(want):
        return _said(f"got {_amount(got)}, expected {len(want)}")
    return None


def _dict_difference(got: Keyed, want: Keyed, axes: Axes, tolerance: float) -> Difference | None:
    keys = list(_key_lines(got, want))
    if keys:
        return _said(*keys)
    for key in want:
        difference = _difference(got[key], want[key], axes, tolerance)
        if difference:
            return difference.within(Key(key))
    return None


def _key_lines(got: Keyed, want: Keyed) -> Iterator[str]:
    missing = [short(key) for key in want if key not in got]
    extra = [short(key) for key in got if key not in want]
    if missing:
        yield f"missing keys: {', '.join(missing)}"
    if extra:
        yield f"unexpected keys: {', '.join(extra)}"


def _text_difference(got: Any, want: Any, axes: Axes, tolerance: float) -> Difference | None:
    return None if got == want else words_difference(got, want)


Compared = Callable[[Any, Any, Axes, float], Difference | None]
# How values of one type are compared, by that type.
BY_TYPE: list[tuple[type | tuple[type, ...], Compared]] = [
    (float, _float_difference),
    ((list, tuple), _sequence_difference),
    (dict, _dict_difference),
    ((str, bytes), _text_difference),
]
