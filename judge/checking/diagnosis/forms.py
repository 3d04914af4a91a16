"""What stands in a tensor's place says by itself: a list, a tuple, an array, or something uncalled.

Each clue is proved on the numbers before it is given. All are for answers where a tensor is due.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torch import Tensor, nn

from judge.checking.diagnosis.evidence import Evidence
from judge.checking.likeness import alike, alike_stacked
from judge.running.records import Array, Opaque, Values

Typed = Callable[[Any, Tensor], str | None]
Clue = Callable[[Evidence], str | None]


def instead_of_a_tensor(*types: type) -> Callable[[Typed], Clue]:
    """A clue that takes an answer of one of these types, and the tensor that is due."""

    def decorate(clue: Typed) -> Clue:
        @functools.wraps(clue)
        def guarded(evidence: Evidence) -> str | None:
            fits = isinstance(evidence.got, types) and isinstance(evidence.want, Tensor)
            return clue(evidence.got, evidence.want) if fits else None

        return guarded

    return decorate


@instead_of_a_tensor(Array)
def an_array(got: Array, want: Tensor) -> str:
    """For an array."""
    return f"Stay in torch: return a tensor, not a {got.of} array."


@instead_of_a_tensor(Opaque)
def uncalled(got: Opaque, want: Tensor) -> str | None:
    """For a layer or a function, where what it gives is due."""
    if got.role == "function":
        return "What is returned is a function itself: put round brackets behind it, to call it."
    layer = getattr(nn, got.type, None)
    if not isinstance(layer, type) or not issubclass(layer, nn.Module):
        return None
    return f"`nn.{got.type}(...)` makes a layer, and only the layer gives a tensor, called in its turn: `layer(x)`."


@instead_of_a_tensor(tuple, list)
def among_others(got: Sequence[Any], want: Tensor) -> str | None:
    """For a tuple or a list that holds the right tensor."""
    name = type(got).__name__
    if not _holds(got, want):
        return None
    if len(got) > 1:
        return f"Return the tensor alone, not a {name} of {len(got)} in which it is one."
    return f"Return the tensor alone, not a {name} that holds it: is there a comma after it?"


@instead_of_a_tensor(dict)
def in_a_dict(got: dict[Any, Any], want: Tensor) -> str | None:
    """For a dict that holds the right tensor."""
    if not _holds(got.values(), want):
        return None
    return "Return the tensor alone, not a dict that holds it."


def _holds(items: Iterable[Any], want: Tensor) -> bool:
    tensors = [item for item in items if isinstance(item, Tensor)]
    return any(alike(item, want) for item in tensors)


@instead_of_a_tensor(tuple, list)
def one_by_one(got: Sequence[Any], want: Tensor) -> str | None:
    """For a tuple or a list of tensors that make the right one, stacked."""
    tensors = [item for item in got if isinstance(item, Tensor)]
    if len(tensors) < len(got) or not alike_stacked(tensors, want):
        return None
    return f"The {type(got).__name__} holds the right tensors: `torch.stack` makes one tensor of them."


@instead_of_a_tensor(list)
def plain_list(got: Values, want: Tensor) -> str | None:
    """For a list of numbers."""
    if any(isinstance(item, Tensor) for item in got):
        return None
    return "Return the tensor itself: a list holds no gradient. Leave out `.tolist()`, or what builds the list."


@instead_of_a_tensor(tuple, dict)
def several(got: Values | dict[Any, Any], want: Tensor) -> str:
    """For a tuple or a dict in which not even the right tensor is."""
    return f"One tensor is due: return it alone, not a {type(got).__name__} of {len(got)}."
