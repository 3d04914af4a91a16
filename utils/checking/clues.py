"""What a wrong answer says by itself: right numbers in a wrong form, a telling factor, vectors at another index.

Every clue is proved on the numbers before it is given.
"""

import itertools
import math

import torch
from torch import Tensor

from utils.checking.measuring import absolute_tolerance, distance
from utils.checking.tensors import Sizes
from utils.checking.wording import at
from utils.running.records import Array, Opaque

CLOSE = 1e-4
MOST_VECTORS = 200  # that are searched for among the expected ones
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
    if not isinstance(got, Tensor):
        return None
    if list(got.shape) == list(want.shape):
        cast = CASTS.get(got.dtype)
        return f"Everything here is {_name(want.dtype)}. Look for {cast}." if cast else None
    return _shape_clue(got.to(want.dtype), want, sizes) if got.is_floating_point() else None


def value_clue(got: object, want: object, sizes: Sizes) -> str | None:
    """For numbers of the right form: a factor with a name, vectors at another index, lost digits, a limit."""
    if not (isinstance(got, Tensor) and isinstance(want, Tensor)) or got.shape != want.shape or not want.numel():
        return None
    if got.dtype != want.dtype:
        return form_clue(got, want, sizes)
    if not want.is_floating_point() or not (got.isfinite().all() and want.isfinite().all()):
        return None
    with_names = (_factor_clue, _moved_clue, _empty_clue)
    found = (clue(got, want, sizes) for clue in with_names)
    return next(filter(None, found), None) or _digits_clue(got, want) or _cut_clue(got, want)


def _sequence_clue(got: tuple | list, want: Tensor) -> str | None:
    name = type(got).__name__
    tensors = [item for item in got if isinstance(item, Tensor)]
    if any(_alike(item, want) for item in tensors):
        return f"Return the tensor alone, not a {name} that holds it: is there a comma after it?"
    if len(tensors) == len(got) and got and _alike_stacked(tensors, want):
        return f"The {name} holds the right tensors: `torch.stack` makes one tensor of them."
    if not tensors and isinstance(got, list):
        return "Return the tensor itself: a list holds no gradient. Leave out `.tolist()`, or what builds the list."
    return None


def _alike_stacked(tensors: list[Tensor], want: Tensor) -> bool:
    return len({item.shape for item in tensors}) == 1 and _alike(torch.stack(tensors), want)


def _shape_clue(got: Tensor, want: Tensor, sizes: Sizes) -> str | None:
    names = [name for name, _ in sizes]
    return _axes_clue(got, want, names) or _part_clue(got, want, names) or _cutting_clue(got, want, names)


def _axes_clue(got: Tensor, want: Tensor, names: list[str]) -> str | None:
    """Axes in another order, or one that is too long."""
    if got.ndim == want.ndim:
        for order in itertools.permutations(range(got.ndim)):
            if _alike(got.permute(order), want):
                return f"The numbers are right, their axes are not: bring them into the order {' '.join(names)}."
        for axis, name in enumerate(names):
            if got.shape[axis] > want.shape[axis] and _alike(got.narrow(axis, 0, want.shape[axis]), want):
                return f"The first {want.shape[axis]} along {name} are right: cut off the rest."
    return None


def _cutting_clue(got: Tensor, want: Tensor, names: list[str]) -> str | None:
    """The same numbers in the same order, cut into other axes."""
    if list(got.shape) == [size for size in want.shape if size != 1] and _alike(got.reshape(want.shape), want):
        return "The numbers are right, but axes of size 1 are gone: remove `squeeze()`."
    if got.numel() == want.numel() and _alike(got.reshape(want.shape), want):
        fault = "axes are merged" if got.ndim < want.ndim else "they are cut into the wrong axes"
        return f"The numbers are right, but {fault}: `.view({', '.join(names[:-1])}, -1)` makes the shape."
    return None


def _part_clue(got: Tensor, want: Tensor, names: list[str]) -> str | None:
    """Whether this is what belongs to one index of an axis, and to no other, with that axis gone or of size 1."""
    for axis, name in enumerate(names):
        size = want.shape[axis]
        if size < 2 or got.numel() * size != want.numel() or list(got.shape) not in _without(axis, want):
            continue
        same = [
            index for index in range(size) if _alike(got.reshape(want.select(axis, 0).shape), want.select(axis, index))
        ]
        if len(same) == 1:
            return (
                f"These are the right numbers for {name} {same[0]} alone. Look for what drops the others: an index "
                "such as `[0]` or `[-1]`, a `return` inside a loop, or a loop that keeps its last result only."
            )
    return None


def _without(axis: int, want: Tensor) -> list[list[int]]:
    shape = list(want.shape)
    return [shape[:axis] + shape[axis + 1 :], [*shape[:axis], 1, *shape[axis + 1 :]]]


def _factor_clue(got: Tensor, want: Tensor, sizes: Sizes) -> str | None:
    factor = float((got.double() * want.double()).sum() / want.double().pow(2).sum().clamp_min(1e-30))
    if abs(factor) < 1e-9 or not _alike(got, (factor * want).to(want.dtype)):
        return None
    named = {"-1": -1.0}
    for name, size in sizes:
        named |= {name: float(size), f"√{name}": math.sqrt(size), f"1/{name}": 1 / size, f"1/√{name}": size**-0.5}
    close = [name for name, value in named.items() if math.isclose(factor, value, rel_tol=1e-4) and value != 1.0]
    if len(close) != 1:
        return None
    return (
        "The sign is wrong everywhere." if close == ["-1"] else f"Every number is {close[0]} times what it should be."
    )


def _moved_clue(got: Tensor, want: Tensor, sizes: Sizes) -> str | None:
    """Whether each vector along the last axis is one of the expected ones, but at another place."""
    if got.ndim < 2:
        return None
    rows, expected = got.reshape(-1, got.shape[-1]), want.reshape(-1, want.shape[-1])
    if len(rows) > MOST_VECTORS or got.shape[-1] < 2 or len(torch.unique(expected, dim=0)) < 3:
        return None
    near = torch.cdist(rows.double(), expected.double(), p=math.inf) <= absolute_tolerance(CLOSE, want)
    if not near.any(dim=1).all() or near.diagonal().all():
        return None
    first = int((~near.diagonal()).nonzero()[0])
    names, shape = [name for name, _ in sizes[:-1]], want.shape[:-1]
    found, owner = (
        at([int(i) for i in torch.unravel_index(torch.tensor(index), shape)], names)
        for index in (first, int(near[first].nonzero()[0]))
    )
    return f"Each vector is one of the expected ones, but not always its own: {found} has the one of {owner}."


def _empty_clue(got: Tensor, want: Tensor, sizes: Sizes) -> str | None:
    """Whether all is right but for zeros that fill some indices of an axis."""
    for axis, (name, size) in enumerate(sizes):
        others = [one for one in range(want.ndim) if one != axis]
        empty = (got == 0).sum(dim=others) == got.numel() // max(size, 1)
        kept = (~empty).nonzero().flatten()
        if 0 < len(kept) < size and _alike(got.index_select(axis, kept), want.index_select(axis, kept)):
            return f"All is 0 at {name} {int(empty.nonzero()[0])}, as if nothing had been written there."
    return None


def _digits_clue(got: Tensor, want: Tensor) -> str | None:
    """Whether every number is one that half precision can hold, and as near as that gets."""
    for dtype, digits in ((torch.bfloat16, "two"), (torch.float16, "three")):
        held = want.dtype == torch.float32 and torch.equal(got.to(dtype).to(want.dtype), got)
        if held and distance(got, want) <= 4 * torch.finfo(dtype).eps * float(want.abs().max()):
            name = _name(dtype)
            return f"The numbers have {digits} right digits, as {name} has: remove {CASTS[dtype]}. Stay in float32."
    return None


def _cut_clue(got: Tensor, want: Tensor) -> str | None:
    if (want < 0).any() and _alike(got, want.clamp(min=0)):
        return "Every number that should be negative is 0: is there a ReLU?"
    top, bottom = float(got.max()), float(got.min())
    for limits in ({"max": top}, {"min": bottom}, {"min": bottom, "max": top}):
        held = want.clamp(**limits)
        if (held != want).sum() > len(limits) and bottom < top and _alike(got, held):
            stops = " and ".join(f"{limit:.4g}" for limit in limits.values())
            return f"The numbers stop at {stops}, and some should go further: is there a clamp?"
    return None


def _alike(got: Tensor, want: Tensor) -> bool:
    return got.shape == want.shape and distance(got.to(want.dtype), want) <= absolute_tolerance(CLOSE, want)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
