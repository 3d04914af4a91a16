"""What a wrong form says by itself: axes in another order or cut wrongly, a part alone, a list, another dtype.

Every clue is proved on the numbers before it is given.
"""

import itertools

import torch
from torch import Tensor, nn

from utils.checking.measuring import absolute_tolerance, distance
from utils.checking.tensors import Sizes
from utils.running.records import Array, Opaque

CLOSE = 1e-4
CASTS = {
    torch.float64: "`.double()`, `dtype=torch.float64`, or a NumPy array on the way",
    torch.float16: "`.half()` or `.to(torch.float16)`",
    torch.bfloat16: "`.bfloat16()` or `.to(torch.bfloat16)`",
    torch.int64: "`.long()`, `.int()` or a tensor of whole numbers in the place of the parameters",
    torch.bool: "a comparison in the place of a number",
}


def form_clue(got: object, want: object, sizes: Sizes) -> str | None:
    """For an answer of the wrong type, dtype or shape: what to do to its form, where its numbers are right."""
    if not isinstance(want, Tensor):
        return None
    if isinstance(got, (tuple, list)):
        return _sequence_clue(got, want)
    if isinstance(got, Array) or (isinstance(got, Opaque) and got.type == "ndarray"):
        return "Stay in torch: return a tensor, not a NumPy array."
    if isinstance(got, dict):
        return _sequence_clue(list(got.values()), want, "dict")
    if isinstance(got, Opaque):
        return _uncalled(got.type)
    if not isinstance(got, Tensor):
        return None
    if list(got.shape) == list(want.shape):
        cast = CASTS.get(got.dtype)
        return f"Everything here is {dtype_name(want.dtype)}. Look for {cast}." if cast else None
    return _shape_clue(got.to(want.dtype), want, sizes) if got.is_floating_point() else None


def _uncalled(name: str) -> str | None:
    """What to call, where the answer is a layer or a function and not what it gives."""
    if name in ("function", "method", "builtin_function_or_method", "method-wrapper"):
        return "What is returned is a function itself: put round brackets behind it, to call it."
    layer = getattr(nn, name, None)
    if not (isinstance(layer, type) and issubclass(layer, nn.Module)):
        return None
    return f"`nn.{name}(...)` makes a layer, and only the layer gives a tensor, called in its turn: `layer(x)`."


def _sequence_clue(got: tuple | list, want: Tensor, name: str = "") -> str | None:
    name = name or type(got).__name__
    tensors = [item for item in got if isinstance(item, Tensor)]
    if any(alike(item, want) for item in tensors):
        comma = "" if name == "dict" else ": is there a comma after it?"
        return f"Return the tensor alone, not a {name} that holds it{comma or '.'}"
    if name == "dict":
        return None
    if len(tensors) == len(got) and got and _alike_stacked(tensors, want):
        return f"The {name} holds the right tensors: `torch.stack` makes one tensor of them."
    if not tensors and isinstance(got, list):
        return "Return the tensor itself: a list holds no gradient. Leave out `.tolist()`, or what builds the list."
    return None


def _alike_stacked(tensors: list[Tensor], want: Tensor) -> bool:
    return len({item.shape for item in tensors}) == 1 and alike(torch.stack(tensors), want)


def _shape_clue(got: Tensor, want: Tensor, sizes: Sizes) -> str | None:
    names = [name for name, _ in sizes]
    return _axes_clue(got, want, names) or _part_clue(got, want, names) or _cutting_clue(got, want, names)


def _axes_clue(got: Tensor, want: Tensor, names: list[str]) -> str | None:
    """Axes in another order, or one that is too long."""
    if got.ndim == want.ndim:
        for order in itertools.permutations(range(got.ndim)):
            if alike(got.permute(order), want):
                return f"The numbers are right, their axes are not: bring them into the order {' '.join(names)}."
        for axis, name in enumerate(names):
            if too_long := _too_long(got, want, axis, name):
                return too_long
            if missing := _missing(got, want, axis):
                return f"The numbers are right, but some are left out: {name} {missing}."
    return None


def _too_long(got: Tensor, want: Tensor, axis: int, name: str) -> str | None:
    """Whether the right numbers come along this axis more than once, or are followed by others."""
    due, size = want.shape[axis], got.shape[axis]
    if size <= due or due == 0 or not alike(got.narrow(axis, 0, due), want):
        return None
    times = size // due
    if size % due == 0 and alike(got, torch.cat([want] * times, dim=axis)):
        return (
            f"Along {name} the right numbers come {times} times, and once is due here: look for what says how many "
            "copies are made along it, such as a number written out, a list of fixed length, or another axis's size."
        )
    right = f"first {due} along {name} are" if due > 1 else f"first along {name} is"
    return (
        f"The {right} right, followed by {size - due} too many: look for what sets this size. An axis that the input "
        "has too takes it from the input's shape, not from `cfg`, from a number written out or from a value."
    )


def _cutting_clue(got: Tensor, want: Tensor, names: list[str]) -> str | None:
    """The same numbers in the same order, cut into other axes."""
    if [size for size in got.shape if size != 1] == list(want.shape) and alike(got.reshape(want.shape), want):
        return (
            "The numbers are right, but there is an axis of size 1 too many: look for `unsqueeze`, `None` or `[...]`."
        )
    if list(got.shape) == [size for size in want.shape if size != 1] and alike(got.reshape(want.shape), want):
        return "The numbers are right, but axes of size 1 are gone: remove `squeeze()`."
    if got.numel() == want.numel() and alike(got.reshape(want.shape), want):
        fault = "axes are merged" if got.ndim < want.ndim else "they are cut into the wrong axes"
        named = all(name.isidentifier() for name in names)
        way = f"`.view({', '.join(names[:-1])}, -1)` makes the shape" if named else f"the shape is {list(want.shape)}"
        return f"The numbers are right, but {fault}: {way}."
    return None


def _part_clue(got: Tensor, want: Tensor, names: list[str]) -> str | None:
    """Whether this is what belongs to one index of an axis, and to no other, with that axis gone or of size 1."""
    for axis, name in enumerate(names):
        size = want.shape[axis]
        if size < 2 or got.numel() * size != want.numel() or list(got.shape) not in _without(axis, want):
            continue
        same = [
            index for index in range(size) if alike(got.reshape(want.select(axis, 0).shape), want.select(axis, index))
        ]
        if len(same) == 1:
            return (
                f"These are the right numbers for {name} {same[0]} alone. Look for what drops the others: an index "
                "such as `[0]` or `[-1]`, a `return` inside a loop, a loop that starts at 1, or one that keeps its "
                "last result only."
            )
    return None


def _missing(got: Tensor, want: Tensor, axis: int) -> str | None:
    """Which indices of an axis were left out at its ends, where more than one is left and nothing else is wrong."""
    left, size = got.shape[axis], want.shape[axis]
    if not 1 < left < size:
        return None
    starts = [start for start in range(size - left + 1) if alike(got, want.narrow(axis, start, left))]
    if len(starts) != 1:
        return None
    return ", ".join(str(index) for index in range(size) if not starts[0] <= index < starts[0] + left)


def _without(axis: int, want: Tensor) -> list[list[int]]:
    shape = list(want.shape)
    return [shape[:axis] + shape[axis + 1 :], [*shape[:axis], 1, *shape[axis + 1 :]]]


def alike(got: Tensor, want: Tensor) -> bool:
    return got.shape == want.shape and distance(got.to(want.dtype), want) <= absolute_tolerance(CLOSE, want)


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
