"""The package `einops` where it is installed, else what a GPT-2 needs of it: einsum, rearrange, reduce and repeat."""

import math
import re
from importlib import import_module
from string import ascii_letters
from typing import Any

from torch import Tensor
from torch import einsum as _einsum

REST, JOINED_REST = "...", "(...)"


def einsum(*arguments: Any) -> Tensor:
    """torch.einsum, with names for the axes, and the pattern last."""
    *tensors, pattern = arguments
    names = list(dict.fromkeys(re.findall(r"\w+", pattern)))
    letters = dict(zip(names, ascii_letters, strict=False))
    return _einsum(re.sub(r"\w+", lambda name: letters[name[0]], pattern).replace(" ", ""), *tensors)


def rearrange(tensor: Tensor, pattern: str, **sizes: int) -> Tensor:
    """Axes taken apart, put in another order and joined, as the pattern says."""
    return _changed(tensor, pattern, sizes)


def repeat(tensor: Tensor, pattern: str, **sizes: int) -> Tensor:
    """The same, with new axes along which everything is repeated."""
    return _changed(tensor, pattern, sizes)


def reduce(tensor: Tensor, pattern: str, reduction: Any, **sizes: int) -> Tensor:
    """The same, with axes left out: by "mean", "sum", "min", "max" or "prod"."""
    return _changed(tensor, pattern, sizes, reduction)


def _changed(tensor: Tensor, pattern: str, sizes: dict[str, int], reduction: Any = None) -> Tensor:
    left, right = (_axes(side) for side in pattern.split("->"))
    n_rest = tensor.ndim - sum(group != [REST] for group in left)
    left, right = (_spelt_out(side, n_rest) for side in (left, right))
    sizes = _all_sizes(tensor, left, sizes)
    before = [name for group in left for name in group]
    after = [name for group in right for name in group]
    tensor = tensor.reshape([sizes[name] for name in before])
    gone = [name for name in before if name not in after]
    if gone and reduction:
        tensor = _reduced(tensor, [before.index(name) for name in gone], reduction)
    elif any(sizes[name] != 1 for name in gone):
        raise ValueError(f"{pattern!r} loses the axes {', '.join(gone)}")
    kept = [name for name in before if name in after]
    tensor = tensor.reshape([sizes[name] for name in kept])
    tensor = tensor.permute([kept.index(name) for name in after if name in kept])
    for index, name in enumerate(after):
        if name not in kept:
            tensor = tensor.unsqueeze(index)
    tensor = tensor.expand([sizes[name] for name in after])
    return tensor.reshape([math.prod(sizes[name] for name in group) for group in right])


def _axes(side: str) -> list[list[str]]:
    """`b (h d) ...` as groups of names: [[b], [h, d], [...]]."""
    groups = re.findall(r"\(([^)]*)\)|(\.\.\.|\w+)", side.replace("…", REST))
    return [[single] if single else inner.replace(REST, JOINED_REST).split() for inner, single in groups]


def _spelt_out(side: list[list[str]], n_rest: int) -> list[list[str]]:
    """With a name for each axis that `...` stands for, and for each 1."""
    rest = [f"{REST}{index}" for index in range(n_rest)]
    spelt = []
    for place, group in enumerate(side):
        if group == [REST]:
            spelt += [[name] for name in rest]
        else:
            names = [rest if name == JOINED_REST else [f"1 {place}" if name == "1" else name] for name in group]
            spelt.append([one for some in names for one in some])
    return spelt


def _all_sizes(tensor: Tensor, left: list[list[str]], given: dict[str, int]) -> dict[str, int]:
    sizes = dict(given)
    for size, group in zip(tensor.shape, left, strict=True):
        unknown = [name for name in group if name not in sizes]
        known = math.prod(sizes[name] for name in group if name in sizes)
        if len(unknown) > 1 or size % known or (not unknown and size != known):
            raise ValueError(f"an axis of {size} can't be taken apart into {' '.join(group)} with the sizes {given}")
        sizes |= {name: size // known for name in unknown}
    return _Sizes(sizes)


class _Sizes(dict):
    def __missing__(self, name: str) -> int:
        if name.startswith("1 "):
            return 1
        if name.isdigit():
            return int(name)
        raise ValueError(f"the size of the new axis {name} is not given")


def _reduced(tensor: Tensor, axes: list[int], reduction: Any) -> Tensor:
    if callable(reduction):
        return reduction(tensor, tuple(axes))
    if reduction == "prod":
        for axis in sorted(axes, reverse=True):
            tensor = tensor.prod(axis)
        return tensor
    return getattr(tensor, {"min": "amin", "max": "amax"}.get(reduction, reduction))(axes)


try:
    _real: Any = import_module("einops")
    einsum, rearrange, reduce, repeat = _real.einsum, _real.rearrange, _real.reduce, _real.repeat
except ImportError:
    _real = None


def __getattr__(name: str) -> Any:
    if _real is None or name.startswith("__"):
        raise AttributeError(f"{name} needs the package einops itself: pip install einops")
    return getattr(_real, name)
