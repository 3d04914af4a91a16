"""What wrong numbers say by themselves: a telling factor, zeros, lost digits, a limit.

Each clue is proved on the numbers before it is given, and takes them as `Evidence.finite` has them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator

from judge.checking.diagnosis.cases import proved_by
from judge.checking.evidence import ARRAYS, Evidence
from judge.checking.likeness import ANOTHER_WAY, absolute_tolerance, alike, distance
from judge.checking.tensors import MOST_NAMED, NO_FACTOR, Sizes, indices, multiple_of
from judge.checking.wording import at
from judge.running.on_demand import Tensor, torch

Numbers = Callable[[Tensor, Tensor, Evidence], str | None]
CASTS = {
    "float64": "`.double()`, `dtype=torch.float64`, or a NumPy array on the way",
    "float16": "`.half()` or `.to(torch.float16)`",
    "bfloat16": "`.bfloat16()` or `.to(torch.bfloat16)`",
    "int64": "`.long()`, `.int()` or a tensor of whole numbers in the place of the parameters",
    "bool": "a comparison in the place of a number",
}
# Half precision, and how many digits each kind of it has.
HALVES = {"bfloat16": "two", "float16": "three"}
# A step taken twice, a mean of two: such a factor says nothing of an axis of size 2.
COMMON = (2.0, 0.5)
# Numbers that a clamp must have left as they were: fewer lie between two limits by accident.
FREE = 3
# Roundings to half precision on the way to the result: each may lose the last digit.
ROUNDINGS = 4


@proved_by(
    case={
        "form(WANT.double())": "for `.double()`",
        "form(WANT.bool())": "a comparison",
        "value(WANT.half())": "for `.half()`",
    },
    near=("form(WANT.to(torch.uint8))", "form(WANT.long())", "value(WANT.to(torch.int8))"),
)
def another_dtype(evidence: Evidence) -> str | None:
    """For numbers of the right shape and the wrong dtype: where they may have got it."""
    if evidence.same_form is None or evidence.library == ARRAYS:
        return None
    got, want = evidence.same_form
    cast = CASTS.get(dtype_name(got.dtype))
    if got.dtype == want.dtype or cast is None:
        return None
    return f"Everything here is {dtype_name(want.dtype)}. Look for {cast}."


@proved_by(
    case={
        "value(torch.where(WANT > 2, torch.nan, WANT))": "negative number",
        "value(torch.where(WANT > 2, torch.inf, WANT))": "infinite number",
    },
    near="value(torch.where(WANT > 2, torch.inf, WANT), torch.where(WANT > 2, torch.inf, WANT + 1))",
)
def not_finite(evidence: Evidence) -> str | None:
    """For NaN and infinite numbers where none are due."""
    if evidence.floats is None or evidence.finite:
        return None
    got, _ = evidence.floats
    if got.isnan().any():
        return (
            "NaN comes from the root or the logarithm of a negative number, from 0/0, from ∞/∞, "
            "from 0 · ∞, or from ∞ − ∞: look at what goes into these."
        )
    return "An infinite number comes from a division by 0, from the logarithm of 0, or from `exp` of a large number."


def of_finite_numbers(clue: Numbers) -> Callable[[Evidence], str | None]:
    """A clue that takes finite numbers of the right form, and those that are due."""

    @functools.wraps(clue)
    def guarded(evidence: Evidence) -> str | None:
        if evidence.finite is None:
            return None
        return clue(*evidence.finite, evidence)

    return guarded


@proved_by(
    case={
        "value(-WANT)": "wrong everywhere",
        "value(Array(-WANT), Array(WANT))": "wrong everywhere",
        "value(WANT / 5)": "number is 1/pos",
        "value(WANT * 8**0.5)": "√d_model times",
        "value(WANT / 5, names=NUMBERED)": "number is 1/5",
        'value(WANT[0, 0, :3] * 3, WANT[0, 0, :3], names=["..."])': "3 times what",
    },
    near=(
        "value(-1.001 * WANT)",
        "value(Array(-WANT + 0.1), Array(WANT))",
        "value(WANT / 2)",
        "value(WANT * 8**0.5 + 0.1)",
        "value(WANT / 6, names=NUMBERED)",
        'value(WANT[0, 0, :3] * 2, WANT[0, 0, :3], names=["..."])',
    ),
)
@of_finite_numbers
def factor(got: Tensor, want: Tensor, evidence: Evidence) -> str | None:
    """For numbers that are all too large by one factor, which is minus one or has to do with the size of an axis."""
    times = _multiple(got, want)
    if times is None:
        return None
    if _close(times, -1.0):
        return "The sign is wrong everywhere."
    names = [name for name, value in _named_factors(evidence.sizes) if _close(times, value)]
    return f"Every number is {names[0]} times what it should be." if len(set(names)) == 1 else None


def _multiple(got: Tensor, want: Tensor) -> float | None:
    """By what `want` is multiplied; None where that does not give `got`."""
    times = multiple_of(got, want)
    if abs(times) < NO_FACTOR:
        return None
    return times if alike(got, (times * want).to(want.dtype)) else None


def _named_factors(sizes: Sizes) -> Iterator[tuple[str, float]]:
    """The factors that the sizes of axes make, with what a card calls them."""
    for axis, size in sizes:
        # "..." and "axis 1" are no names
        name = axis if axis.isidentifier() else str(size)
        factors = {name: float(size), f"1/{name}": 1 / size if size else math.inf}
        # A whole root may as well be another axis's size.
        if math.isqrt(size) ** 2 != size:
            factors |= {f"√{name}": math.sqrt(size), f"1/√{name}": size**-0.5}
        yield from ((name, value) for name, value in factors.items() if value not in (1.0, *COMMON))


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=ANOTHER_WAY)


@proved_by(
    case={"value(emptied(3))": "at pos 3, as", "value(emptied([1, 4]))": "pos 1 and 4"},
    near=("value(emptied(3) * 1.1)", "value(emptied([1, 4]) * 1.1)"),
)
@of_finite_numbers
def never_written(got: Tensor, want: Tensor, evidence: Evidence) -> str | None:
    """Where all is right but for zeros that fill some indices of an axis."""
    for axis, (name, size) in enumerate(evidence.sizes):
        others = [index for index in range(want.ndim) if index != axis]
        empty = (got == 0).sum(dim=others) == got.numel() // max(size, 1)
        kept = (~empty).nonzero().flatten()
        some = 0 < len(kept) < size
        if some and alike(got.index_select(axis, kept), want.index_select(axis, kept)):
            where = _in_words(indices(empty.nonzero().flatten()))
            return f"All is 0 at {name} {where}, as if nothing had been written there."
    return None


def _in_words(places: list[int]) -> str:
    """0, 1 and 2; of many the first, and that there are others."""
    *others, last = [*map(str, places[:MOST_NAMED]), *["others"] * (len(places) > MOST_NAMED)]
    return f"{', '.join(others)} and {last}" if others else last


@proved_by(
    case={"value(WANT.half().float())": "three … float16", "value(WANT.bfloat16().float())": "bfloat16 has … bfloat16"},
    near=("value(WANT + 1e-3)", "value(WANT.bfloat16().float() + 1)"),
)
@of_finite_numbers
def few_digits(got: Tensor, want: Tensor, evidence: Evidence) -> str | None:
    """Where every number is one that half precision can hold, and as near as that gets."""
    if evidence.library == ARRAYS or want.dtype != torch.float32:
        return None
    error, largest = distance(got, want), float(want.abs().max())
    for name, digits in HALVES.items():
        dtype = getattr(torch, name)
        held = torch.equal(got.to(dtype).to(want.dtype), got)
        if held and error <= ROUNDINGS * torch.finfo(dtype).eps * largest:
            return f"The numbers have {digits} right digits, as {name} has: remove {CASTS[name]}. Stay in float32."
    return None


@proved_by(case="value(WANT.relu())", near="value(WANT.relu() + 0.1)")
@of_finite_numbers
def relu(got: Tensor, want: Tensor, evidence: Evidence) -> str | None:
    """Where every number that should be negative is 0."""
    # What is nearly right is no cut.
    if alike(got, want) or not (want < 0).any():
        return None
    cut = alike(got, want.clamp(min=0))
    return "Every number that should be negative is 0: is there a ReLU?" if cut else None


@proved_by(
    case={
        "value(WANT.clamp(max=2))": "numbers stop at 2",
        "value(WANT.clamp(-2, 2))": "numbers stop at -2",
        'value(STAIRS.clamp(max=12), STAIRS, names=["batch", "pos", "pair"])': "12, and some",
        'value(RAMP.clamp(max=3), RAMP, names=["..."])': "numbers stop at 3",
    },
    near=(
        "value(torch.where(WANT == WANT.max(), WANT - 1e-3, WANT))",
        'value(torch.tensor([0.2366, 0.5268, 0.2366]), torch.tensor([1 / 6, 4 / 6, 1 / 6]), names=["..."])',
        'value(STAIRS * (1 - 3e-5), STAIRS, names=["batch", "pos", "pair"])',
        'value(RAMP.clamp(max=4.1), RAMP, names=["..."])',
    ),
)
@of_finite_numbers
def clamp(got: Tensor, want: Tensor, evidence: Evidence) -> str | None:
    """Where the numbers stop at one limit or two, and between these are right."""
    # Of what is nearly right, a cut far out would be as like as any.
    if alike(got, want):
        return None
    top, bottom = float(got.max()), float(got.min())
    for limits in ({"max": top}, {"min": bottom}, {"min": bottom, "max": top}):
        if _stops_at(limits, got, want):
            stops = " and ".join(f"{limit:.4g}" for limit in limits.values())
            return f"The numbers stop at {stops}, and some should go further: is there a clamp?"
    return None


def _stops_at(limits: dict[str, float], got: Tensor, want: Tensor) -> bool:
    """Whether this is what a clamp makes: several numbers are held, and several within the limits are left alone."""
    held = want.clamp(**limits)
    stopped = held != want
    at_a_limit = torch.zeros_like(stopped)
    for limit in limits.values():
        at_a_limit |= held == limit
    free = ~stopped & ~at_a_limit
    enough = stopped.sum() > len(limits) and free.sum() >= FREE
    return bool(enough) and not alike(held, want) and alike(got, held)


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


# Vectors that are searched for: each is compared with all the others.
MOST_VECTORS = 200
# Different vectors that are needed: of two, each is the other's, whatever went wrong.
FEWEST_VECTORS = 3


@proved_by(
    case={
        "value(WANT[:, 4:].expand(-1, 5, -1))": "4 alone. Look",
        "value(WANT[:, :1].expand(-1, 5, -1))": "0 alone. Look",
    },
    near=("value(WANT.roll(1, dims=1))", "value(SAME_ROWS[:, :1].expand(-1, 5, -1) + 1)"),
)
@of_finite_numbers
def of_one_index(got: Tensor, want: Tensor, evidence: Evidence) -> str | None:
    """Where all indices of an axis have what is due at one of them alone."""
    for axis, (name, size) in enumerate(evidence.sizes[:-1]):
        first = got.select(axis, 0)
        same = [index for index in range(size) if alike(first, want.select(axis, index))]
        if size < FEWEST_VECTORS or len(same) != 1 or not alike(got, first.unsqueeze(axis).expand_as(got)):
            continue
        advice = "Look for what is the same for all of them, such as an index that never moves on"
        if same[0] == size - 1:
            advice += ", or a loop that keeps its last result, or for a part that should hide what comes later"
        return f"Every index of {name} has what is due at {name} {same[0]} alone. {advice}."
    return None


@proved_by(
    case={
        'value((WANT.roll(1, dims=1), ["embed"]), (WANT, ["embed"]))': "batch 0, pos 0 … batch 0, pos 4",
        "value(WANT.flip(1))": "batch 0, pos 0 … batch 0, pos 4",
        "alone(WANT.flip(1))": "batch 0, pos 0 … batch 0, pos 4",
    },
    near=(
        'value((WANT, ["pos_embed"]), (WANT, ["embed"]))',
        "value(WANT.flip(1) + 0.01)",
        "alone(WANT.flip(1) + 0.01)",
    ),
)
@of_finite_numbers
def moved(got: Tensor, want: Tensor, evidence: Evidence) -> str | None:
    """Where each vector along the last axis is one of the expected ones, but at another place."""
    # Single numbers are alike by accident.
    if got.ndim < 2 or got.shape[-1] < 2:
        return None
    rows, expected = (tensor.reshape(-1, tensor.shape[-1]) for tensor in (got, want))
    if len(rows) > MOST_VECTORS or _n_distinct(expected) < FEWEST_VECTORS:
        return None
    apart = torch.cdist(rows.double(), expected.double(), p=math.inf)
    near = apart <= absolute_tolerance(ANOTHER_WAY, want)
    in_place = near.diagonal()
    if not near.any(dim=1).all() or in_place.all():
        return None
    first = int((~in_place).nonzero()[0])
    owner = int(near[first].nonzero()[0])
    there, its = (_place(index, evidence) for index in (first, owner))
    return f"Each vector is one of the expected ones, but not always its own: {there} has the one of {its}."


def _n_distinct(rows: Tensor) -> int:
    return len({tuple(row) for row in rows.detach().double().numpy()})


def _place(index: int, evidence: Evidence) -> str:
    """Where the vector of this number stands, for a reader."""
    shape = tuple(size for _, size in evidence.sizes[:-1])
    where = torch.unravel_index(torch.tensor(index), shape)
    return at([int(place) for place in where], evidence.axes[:-1])
