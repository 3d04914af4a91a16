"""What right numbers in a wrong shape say: axes in another order, cut wrongly or too long, or one index alone.

Each clue is proved on the numbers before it is given. All are for tensors where another tensor is due.
"""

import functools
import itertools
from collections.abc import Callable

from judge.checking.diagnosis.cases import proved_by
from judge.checking.evidence import Evidence
from judge.checking.likeness import alike
from judge.running.on_demand import Tensor, torch

Shaped = Callable[[Tensor, Tensor, list[str]], str | None]
Clue = Callable[[Evidence], str | None]
FLATTENING = {"flatten", "ravel", "view", "reshape", "tolist"}


def of_another_shape(clue: Shaped) -> Clue:
    """A clue that takes floats of a wrong shape, the tensor that is due, and the names of its axes."""

    @functools.wraps(clue)
    def guarded(evidence: Evidence) -> str | None:
        if evidence.tensors is None:
            return None
        got, want = evidence.tensors
        if not got.is_floating_point() or got.shape == want.shape:
            return None
        return clue(got.to(want.dtype), want, evidence.axes)

    return guarded


def _right_when_reshaped(got: Tensor, want: Tensor) -> bool:
    return got.numel() == want.numel() and alike(got.reshape(want.shape), want)


@proved_by(
    case={
        "form(WANT.transpose(1, 2))": "batch pos d_model",
        "value(WANT.transpose(1, 2))": "batch pos d_model",
        "value(WANT.transpose(1, 2), names=NUMBERED)": "what `transpose`",
    },
    near=("form(WANT.transpose(1, 2) + 1)", "value(WANT.transpose(1, 2) + 1)"),
)
@of_another_shape
def order_of_axes(got: Tensor, want: Tensor, names: list[str]) -> str | None:
    """For the right numbers with their axes in another order."""
    if got.ndim != want.ndim:
        return None
    orders = itertools.permutations(range(got.ndim))
    if not any(alike(got.permute(order), want) for order in orders):
        return None
    if not _have_names(names):
        return "The numbers are right, their axes are not: what `transpose` or its like moved has to be moved back."
    return f"The numbers are right, their axes are not: bring them into the order {' '.join(names)}."


def _have_names(axes: list[str]) -> bool:
    """Whether all have: "..." and "axis 1" are no names."""
    return all(name.isidentifier() for name in axes)


@proved_by(
    case={
        "form(torch.cat([WANT, WANT], dim=1))": "right numbers … 2",
        "form(torch.cat([WANT, WANT[:, :2] + 1], dim=1))": "5 … pos are … 2",
        "form(torch.cat([WANT[:, :1], WANT[:, :1] + 1], dim=1), WANT[:, :1])": "pos is … 1",
        "form(WANT[:, 1:])": "left out: pos",
        "form(WANT[..., :-1])": "d_model 7",
    },
    near=(
        "form(WANT[:1].expand(3, -1, -1))",
        "form(torch.cat([WANT + 1, WANT[:, :2]], dim=1))",
        "form(torch.cat([WANT[:, :1] + 1, WANT[:, :1]], dim=1), WANT[:, :1])",
        "form(WANT[:, 1:] + 1)",
        "form(WANT[..., ::2])",
    ),
)
@of_another_shape
def size_of_an_axis(got: Tensor, want: Tensor, names: list[str]) -> str | None:
    """For the right numbers along an axis that is too long, or too short."""
    if got.ndim != want.ndim:
        return None
    for axis, name in enumerate(names):
        found = _too_long(got, want, axis, name) or _too_short(got, want, axis, name)
        if found:
            return found
    return None


def _too_long(got: Tensor, want: Tensor, axis: int, name: str) -> str | None:
    """Where the right numbers come along this axis more than once, or are followed by others."""
    due, size = want.shape[axis], got.shape[axis]
    if size <= due or due == 0 or not alike(got.narrow(axis, 0, due), want):
        return None
    times = size // due
    if size % due == 0 and alike(got, torch.cat([want] * times, dim=axis)):
        return (
            f"Along {name} the right numbers come {times} times, "
            "and once is due here: look for what says how many copies are "
            "made along it, such as a number written out, "
            "a list of fixed length, or another axis's size."
        )
    right = f"first {due} along {name} are" if due > 1 else f"first along {name} is"
    return (
        f"The {right} right, followed by {size - due} too many: "
        "look for what sets this size. An axis that the input has too "
        "takes it from the same axis of the input, not from another, "
        "from `cfg`, from a number written out or from a value."
    )


def _too_short(got: Tensor, want: Tensor, axis: int, name: str) -> str | None:
    """Where one end of this axis was left out, or both, and more than one index is left."""
    size, left = want.shape[axis], got.shape[axis]
    if not 1 < left < size:
        return None
    starts = [start for start in range(size - left + 1) if alike(got, want.narrow(axis, start, left))]
    if len(starts) != 1:
        return None
    kept = range(starts[0], starts[0] + left)
    missing = ", ".join(str(index) for index in range(size) if index not in kept)
    return f"The numbers are right, but some are left out: {name} {missing}."


@proved_by(
    case={"form(WANT[0])": "batch 0 alone", "form(WANT[1:])": "batch 1 alone", "form(WANT[:, -1])": "numbers for pos"},
    near=("form(SAME_ROWS[0], SAME_ROWS)", "form(WANT[1:] + 1)", "form(WANT[:, 0] + 1)"),
)
@of_another_shape
def one_index_alone(got: Tensor, want: Tensor, names: list[str]) -> str | None:
    """For what belongs to one index of an axis, and to no other, with that axis gone or of size 1."""
    for axis, name in enumerate(names):
        size = want.shape[axis]
        if size < 2 or list(got.shape) not in _without(axis, want):
            continue
        alone = got.reshape(want.select(axis, 0).shape)
        same = [index for index in range(size) if alike(alone, want.select(axis, index))]
        if len(same) == 1:
            return (
                f"These are the right numbers for {name} {same[0]} alone. "
                "Look for what drops the others: an index such as `[0]` or "
                "`[-1]`, a `return` inside a loop, a loop that starts at 1, "
                "or one that keeps its last result only."
            )
    return None


def _without(axis: int, want: Tensor) -> list[list[int]]:
    """The shapes with this axis gone, and with it of size 1."""
    before, after = want.shape[:axis], want.shape[axis + 1 :]
    return [[*before, *after], [*before, 1, *after]]


@proved_by(case="reshaped(flattened)", near="reshaped(joined)")
def in_one_row(evidence: Evidence) -> str | None:
    """For the right numbers, flattened and left so."""
    trial = evidence.trial
    if evidence.tensors is None or trial is None:
        return None
    got, want = evidence.tensors
    if got.ndim != 1 or not _right_when_reshaped(got, want):
        return None
    given = zip(trial.session.exercise.inputs, trial.inputs, strict=False)
    alike_in_shape = [name for name, value in given if isinstance(value, Tensor) and value.shape == want.shape]
    if not alike_in_shape or FLATTENING.isdisjoint(evidence.code.words):
        return None
    way = f"`.view({alike_in_shape[0]}.shape)`"
    return f"The numbers are right, but all in one row: bring them back into the shape that came in, {way}."


@proved_by(
    case={
        "form(WANT.unsqueeze(2))": "for `unsqueeze`",
        "form(WANT[:, :, :1].squeeze(), WANT[:, :, :1])": "gone: remove",
    },
    near=("form(WANT.unsqueeze(2) + 1)", "form(WANT[:, :, :1].squeeze() + 1, WANT[:, :, :1])"),
)
@of_another_shape
def axes_of_size_1(got: Tensor, want: Tensor, names: list[str]) -> str | None:
    """For the right numbers with an axis of size 1 too many, or too few."""
    if not _right_when_reshaped(got, want):
        return None
    if _longer(got) == list(want.shape):
        return (
            "The numbers are right, but there is an axis of size 1 too many: look for `unsqueeze`, `None` or `[...]`."
        )
    gone = list(got.shape) == _longer(want)
    return "The numbers are right, but axes of size 1 are gone: remove `squeeze()`." if gone else None


def _longer(value: Tensor) -> list[int]:
    return [size for size in value.shape if size != 1]


@proved_by(
    case={
        "form(WANT.flatten(0, 1))": "merged: `.view(batch, pos, -1)`",
        "form(WANT.view(5, 2, 8))": "right, but they … batch, pos",
        "form(WANT.flatten(0, 1), names=NUMBERED)": "[2, 5, 8]",
    },
    near=("form(WANT.flatten(0, 1) + 1)", "form(WANT.view(5, 2, 8) + 1)"),
)
@of_another_shape
def cut_into_axes(got: Tensor, want: Tensor, names: list[str]) -> str | None:
    """For the right numbers in the right order, cut into other axes."""
    if not _right_when_reshaped(got, want):
        return None
    fault = "axes are merged" if got.ndim < want.ndim else "they are cut into the wrong axes"
    if _have_names(names):
        way = f"`.view({', '.join(names[:-1])}, -1)` makes the shape"
    else:
        way = f"the shape is {list(want.shape)}"
    return f"The numbers are right, but {fault}: {way}."
