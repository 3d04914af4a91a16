"""How the shapes of two tensors differ, and their dtypes: which axis is at fault, and in what way."""

from itertools import pairwise

import torch
from torch import Tensor

from judge.checking.wording import Difference, count, sized

Sizes = list[tuple[str, int]]  # each axis's name and size, in order


def shape_difference(got: Tensor, sizes: Sizes) -> Difference | None:
    """None when the tensor has these named sizes, else which axis is at fault."""
    shape = list(got.shape)
    want = [size for _, size in sizes]
    if shape == want:
        return None
    named = sized(want, [name for name, _ in sizes])
    heading = f"got shape {shape}, expected {named}"
    return Difference((heading, _shape_reason(shape, sizes)))


def _shape_reason(got: list[int], sizes: Sizes) -> str:
    if other_order := _other_order(got, sizes):
        return other_order
    more = len(got) - len(sizes)
    if more == 0:
        return _wrong_sizes(got, sizes)
    if more > 0:
        return f"{count(more, 'axis', 'axes')} too many"
    if merged := _merged(got, sizes):
        return merged
    missing = [name for name, size in sizes if size not in got]
    if len(missing) == -more:
        return f"missing: {', '.join(missing)}"
    return f"{count(-more, 'axis', 'axes')} too few"


def _other_order(got: list[int], sizes: Sizes) -> str | None:
    by_size = {size: name for name, size in sizes}
    all_differ = len(by_size) == len(sizes)
    if not all_differ or sorted(got) != sorted(by_size):
        return None
    names = " ".join(by_size[size] for size in got)
    return f"the axes are in another order: {names}"


def _wrong_sizes(got: list[int], sizes: Sizes) -> str:
    pairs = zip(sizes, got, strict=True)
    wrong = [f"{name} is {size}, not {due}" for (name, due), size in pairs if size != due]
    return "; ".join(wrong)


def _merged(got: list[int], sizes: Sizes) -> str | None:
    """Whether two axes that lie side by side are one."""
    want = [size for _, size in sizes]
    for index, ((first, one), (second, other)) in enumerate(pairwise(sizes)):
        merged = [*want[:index], one * other, *want[index + 2 :]]
        if got == merged and 1 not in (one, other):
            product = f"{one} × {other} = {one * other}"
            return f"{first} and {second} are merged into one axis of {product}"
    return None


def dtype_difference(got: Tensor, want: torch.dtype) -> Difference | None:
    """None when the dtype is the expected one."""
    if got.dtype == want:
        return None
    names = (str(dtype).removeprefix("torch.") for dtype in (got.dtype, want))
    return Difference(("the result is {}, expected {}".format(*names),))
