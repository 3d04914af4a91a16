"""Counts the floating-point operations in products of matrices, by the registry of torch's own counter."""

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from judge.running.records import Arguments, Options


class CountedOperations(TorchDispatchMode):
    """Within its block `total` grows by the operations of each product, whatever it is a part of.

    It is what torch.utils.flop_counter.FlopCounterMode counts, and two products more.
    """

    total = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here; else the first operation would import the compiler, in 2 s

    def __torch_dispatch__(self, func: Any, types: Any, args: Arguments = (), kwargs: Options | None = None) -> Any:
        settings = kwargs or {}
        count = _counts().get(func.overloadpacket)
        if count is None:
            with self:
                result = func.decompose(*args, **settings)
            if result is not NotImplemented:
                return result
        result = func(*args, **settings)
        if count is not None:
            self.total += count(*args, **settings, out_val=result)
        return result


@functools.cache
def _counts() -> dict[Any, Callable[..., int]]:
    """How many operations a product is: of those that torch's counter knows, and of those that it leaves out."""

    def product(left: torch.Tensor, *others: Any, out_val: Any) -> int:
        return 2 * left.numel()  # of a matrix, or a vector, and a vector

    aten = torch.ops.aten
    others = {
        aten.mv: product,
        aten.dot: product,
        aten._scaled_dot_product_flash_attention_for_cpu: flop_registry[aten._scaled_dot_product_flash_attention],
    }
    return flop_registry | others
