"""What wrong numbers say by themselves: a telling factor, vectors at another index, lost digits, a limit.

Every clue is proved on the numbers before it is given.
"""

import math

import torch
from torch import Tensor

from utils.checking.diagnosis.forms import CASTS, CLOSE, alike, dtype_name, form_clue
from utils.checking.measuring import absolute_tolerance, distance
from utils.checking.tensors import Sizes
from utils.checking.wording import at
from utils.running.records import Array, Opaque

NAN = (
    "NaN comes from the root or the logarithm of a negative number, from 0/0, from 0 · ∞, or from ∞ − ∞: look at what "
    "goes into these."
)
INFINITE = "An infinite number comes from a division by 0, from the logarithm of 0, or from `exp` of a large number."
LAZY = (
    "What `yield`, `map` or a comprehension in round brackets gives is no list yet: put `list(...)` around it, or "
    "write the comprehension in square brackets."
)
SET = "A set keeps each item once and has no order: what is due here is a list."
WORDS = "All else is right, and so is how many words there are: spell each as the chapter does, to the letter."
WHOLE = "NumPy's whole numbers are no `int`: convert each, `int(...)`, or leave NumPy out."
JOINED = "A list is due here, and this is one piece of text: return the list itself, without `join` or `str(...)`."
ONCE = ("generator", "map", "filter", "zip", "chain", "islice", "dict_keys", "dict_values")  # types that are no lists
MOST_VECTORS = 200  # that are searched for among the expected ones
FREE = 3  # numbers that a clamp must have left as they were, between its limits


def value_clue(got: object, want: object, sizes: Sizes) -> str | None:
    """For numbers of the right form: a factor with a name, vectors at another index, lost digits, a limit.

    For lists: what will only become one, or holds the same. For tuples: words where nothing else is wrong.
    """
    if isinstance(want, list):
        return _list_clue(got, want)
    if isinstance(want, tuple):
        return _tuple_clue(got, want)
    if isinstance(got, Array) and isinstance(want, Array):
        return value_clue(got.tensor, want.tensor, sizes)
    if not (isinstance(got, Tensor) and isinstance(want, Tensor)) or got.shape != want.shape or not want.numel():
        return None
    if got.dtype != want.dtype:
        return form_clue(got, want, sizes)
    if not want.is_floating_point() or not want.isfinite().all():
        return None
    if not got.isfinite().all():
        return NAN if got.isnan().any() else INFINITE
    with_names = (_factor_clue, _moved_clue, _empty_clue)
    found = (clue(got, want, sizes) for clue in with_names)
    return next(filter(None, found), None) or _digits_clue(got, want) or _cut_clue(got, want)


def _list_clue(got: object, want: list) -> str | None:
    """For what stands in the place of a list, or of one of its items."""
    if isinstance(got, list) and len(got) == len(want):
        items = [_list_clue(one, other) for one, other in zip(got, want, strict=True) if isinstance(other, list)]
        whole = any(isinstance(one, Opaque) and one.type.startswith(("int", "uint")) for one in got)
        return WHOLE if whole else next(filter(None, items), None)
    if isinstance(got, tuple) and distance(list(got), want) == 0:
        return "The values are right, but a tuple holds them: make a list, with square brackets or `list(...)`."
    if isinstance(got, (str, bytes)):
        return JOINED
    if isinstance(got, Opaque) and got.type in ("set", "frozenset"):
        return SET
    return LAZY if isinstance(got, Opaque) and got.type in ONCE else None


def _tuple_clue(got: object, want: tuple) -> str | None:
    """For a list of words in which some are others than those that are due, where all else is right."""
    if not isinstance(got, tuple) or len(got) != len(want):
        return None
    wrong = [(one, other) for one, other in zip(got, want, strict=True) if not _agree(one, other)]
    if len(wrong) != 1:
        return None
    lists = all(isinstance(one, list) and all(isinstance(word, str) for word in one) for one in wrong[0])
    if lists and len(wrong[0][0]) == len(wrong[0][1]):
        return WORDS
    return _list_clue(*wrong[0]) if isinstance(wrong[0][1], list) else None


def _agree(got: object, want: object) -> bool:
    if isinstance(got, Tensor) and isinstance(want, Tensor):
        return alike(got, want)
    return distance(got, want) == 0


def _factor_clue(got: Tensor, want: Tensor, sizes: Sizes) -> str | None:
    factor = float((got.double() * want.double()).sum() / want.double().pow(2).sum().clamp_min(1e-30))
    if abs(factor) < 1e-9 or not alike(got, (factor * want).to(want.dtype)):
        return None
    named = {"-1": -1.0}
    for axis, size in sizes:
        name = axis if axis.isidentifier() else str(size)  # "..." and "axis 1" are no names
        if size > 2:  # a factor of 2 or a half has other reasons
            named |= {name: float(size), f"1/{name}": 1 / size}
        if math.isqrt(size) ** 2 != size:
            named |= {f"√{name}": math.sqrt(size), f"1/√{name}": size**-0.5}
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
        if 0 < len(kept) < size and alike(got.index_select(axis, kept), want.index_select(axis, kept)):
            return f"All is 0 at {name} {int(empty.nonzero()[0])}, as if nothing had been written there."
    return None


def _digits_clue(got: Tensor, want: Tensor) -> str | None:
    """Whether every number is one that half precision can hold, and as near as that gets."""
    for dtype, digits in ((torch.bfloat16, "two"), (torch.float16, "three")):
        held = want.dtype == torch.float32 and torch.equal(got.to(dtype).to(want.dtype), got)
        if held and distance(got, want) <= 4 * torch.finfo(dtype).eps * float(want.abs().max()):
            name = dtype_name(dtype)
            return f"The numbers have {digits} right digits, as {name} has: remove {CASTS[dtype]}. Stay in float32."
    return None


def _cut_clue(got: Tensor, want: Tensor) -> str | None:
    if alike(got, want):  # then a cut far out would be as like as any
        return None
    if (want < 0).any() and alike(got, want.clamp(min=0)):
        return "Every number that should be negative is 0: is there a ReLU?"
    top, bottom = float(got.max()), float(got.min())
    for limits in ({"max": top}, {"min": bottom}, {"min": bottom, "max": top}):
        held = want.clamp(**limits)
        free = (
            (held == want) & (held != top if "max" in limits else True) & (held != bottom if "min" in limits else True)
        )
        stopped = (held != want).sum() > len(limits) and not alike(held, want)
        if stopped and free.sum() >= FREE and alike(got, held):
            stops = " and ".join(f"{limit:.4g}" for limit in limits.values())
            return f"The numbers stop at {stops}, and some should go further: is there a clamp?"
    return None
