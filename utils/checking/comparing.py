"""How two values of any kind differ: tensors and arrays, numbers, words, and nests of them, with the path."""

import math
from typing import Any

from torch import Tensor

from utils.checking.measuring import equal
from utils.checking.tensors import dtype_difference, number_difference, shape_difference
from utils.checking.wording import Difference, kind, short
from utils.running.records import Array, Opaque

TINY = 1e-12  # what a float may be off where 0 is expected


def value_difference(
    got: Any,
    want: Any,
    axes: list[str],
    tolerance: float,
) -> Difference | None:
    """None when `got` is `want`: form, types and words exactly, numbers within the tolerance.

    For tensors that is `number_difference`'s; for a float it is relative. `axes` names those of a tensor in the answer.
    """
    if isinstance(want, Array):
        return _tensor_difference(got.tensor, want.tensor, axes, tolerance) if isinstance(got, Array) else no_array(got)
    if isinstance(want, Tensor):
        return _tensor_difference(got, want, axes, tolerance)
    if type(got) is not type(want):
        return _type_difference(got, want)
    if isinstance(want, float):
        return _float_difference(got, want, tolerance)
    if isinstance(want, (list, tuple)):
        return _sequence_difference(got, want, axes, tolerance)
    if isinstance(want, dict):
        return _dict_difference(got, want, axes, tolerance)
    if isinstance(want, (str, bytes)) and got != want:
        return _words_difference(got, want)
    return None if equal(got, want) else Difference((f"got {short(got)}, expected {short(want)}",))


def axis_names(axes: list[str], ndim: int) -> list[str]:
    """The names where they fit, else numbers."""
    return axes if len(axes) == ndim else [f"axis {index}" for index in range(ndim)]


def no_tensor(got: Any, wanted: str = "a tensor") -> Difference:
    """For a result that should have been a tensor and is not."""
    what = "None: is there a `return`?" if got is None else f"of type {kind(got)}, not {wanted}"
    if isinstance(got, Opaque) and "Tensor" in got.type:
        what = f"a {got.type}, where an ordinary tensor is expected"
    return Difference((f"the result is {what}",))


def no_array(got: Any) -> Difference:
    """For a result that should have been a NumPy array and is not."""
    return no_tensor(got, "a NumPy array")


def _tensor_difference(
    got: Any,
    want: Tensor,
    axes: list[str],
    tolerance: float,
) -> Difference | None:
    if not isinstance(got, Tensor):
        return no_tensor(got)
    names = axis_names(axes, want.ndim)
    return (
        shape_difference(got, list(zip(names, want.shape, strict=True)))
        or dtype_difference(got, want.dtype)
        or number_difference(got, want, names, tolerance)
    )


def _type_difference(got: Any, want: Any) -> Difference:
    if got is None:
        return Difference((f"the result is None, expected {short(want)}: is there a `return`?",))
    if isinstance(got, (Tensor, Array)) or isinstance(want, (Tensor, Array)):
        return Difference((f"the result is of type {kind(got)}, expected {kind(want)}",))
    return Difference((f"got {short(got)} ({kind(got)}), expected {short(want)} ({kind(want)})",))


def _float_difference(got: float, want: float, tolerance: float) -> Difference | None:
    allowed = max(tolerance * abs(want), TINY) if math.isfinite(want) else 0.0
    if equal(got, want) or abs(got - want) <= allowed:
        return None
    error = abs(got - want)
    numbers = "got {}, expected {}".format(*(f"{value:.9g}".replace("nan", "NaN") for value in (got, want)))
    return Difference(
        (numbers,),
        error / allowed if allowed and math.isfinite(error) else math.inf,
    )


def _sequence_difference(
    got: Any,
    want: Any,
    axes: list[str],
    tolerance: float,
) -> Difference | None:
    for index, (one, other) in enumerate(zip(got, want, strict=False)):
        if difference := value_difference(one, other, axes, tolerance):
            return _whole(got, want) or _within(f"at index {index}", difference)
    if len(got) != len(want):
        return _whole(got, want) or Difference((f"got {len(got)} items, expected {len(want)}",))
    return None


def _dict_difference(
    got: dict,
    want: dict,
    axes: list[str],
    tolerance: float,
) -> Difference | None:
    missing, extra = [key for key in want if key not in got], [key for key in got if key not in want]
    if missing or extra:
        lines = [f"{name}: {', '.join(map(short, keys))}" for name, keys in _named(missing, extra)]
        return Difference(tuple(lines))
    for key in want:
        if difference := value_difference(got[key], want[key], axes, tolerance):
            return _within(f"at key {short(key)}", difference)
    return None


def _named(missing: list, extra: list) -> list[tuple[str, list]]:
    return [(name, keys) for name, keys in (("missing keys", missing), ("unexpected keys", extra)) if keys]


def _within(where: str, difference: Difference) -> Difference:
    """The difference with the path in front: `at index 1, pos 3`."""
    first, *rest = difference.lines
    joined = f"{where}, {first[3:]}" if first.startswith("at ") else f"{where}: {first}"
    return Difference((joined, *rest), difference.error_over_tolerance)


def _whole(got: Any, want: Any) -> Difference | None:
    """For sequences of words and whole numbers: both, and where they part. None where there is anything else."""
    if not _wordy(got) or not _wordy(want):
        return None
    return _words_difference(got, want)


def _wordy(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_wordy, value))
    return isinstance(value, (str, bytes, int)) or value is None


def _words_difference(got: Any, want: Any) -> Difference:
    pairs = [(got[i : i + 1], want[i : i + 1]) for i in range(min(len(got), len(want)))]
    index = next((i for i, pair in enumerate(pairs) if not equal(*pair)), len(pairs))
    lines = [f"got {short(got)}", f"expected {short(want)}", f"they first differ at index {index}"]
    if index < len(pairs):
        lines[-1] += f": got {short(got[index])}, expected {short(want[index])}"
    if len(got) != len(want):
        lines.append(f"got length {len(got)}, expected {len(want)}")
    return Difference(tuple(lines))
