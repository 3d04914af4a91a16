"""Counts the floating-point operations in products of matrices, by the registry of torch's own counter."""

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry, sdpa_flop_count


class CountedOperations(TorchDispatchMode):
    """Within its block `total` grows by the operations of each product, whatever it is a part of.

    It is what torch.utils.flop_counter.FlopCounterMode counts, and two products more.
    """

    def __init__(self) -> None:
        super().__init__()
        self.total = 0
        self.counts = flop_registry | _not_counted_by_torch()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here; else the first operation would import the compiler, in 2 s

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None) -> Any:
        settings = kwargs or {}
        count = self.counts.get(func.overloadpacket)
        if count is None:
            with self:
                result = func.decompose(*args, **settings)
            if result is not NotImplemented:
                return result
        result = func(*args, **settings)
        if count is not None:
            self.total += count(*args, **settings, out_val=result)
        return result


def _not_counted_by_torch() -> dict[Any, Callable]:
    """The products that its counter leaves out, and how many operations each is."""

    def product(one: torch.Tensor, *others: Any, out_val: Any) -> int:
        return 2 * one.numel()  # of a matrix, or a vector, and a vector

    def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, *others: Any, **settings: Any) -> int:
        return sdpa_flop_count(query.shape, key.shape, value.shape)

    aten = torch.ops.aten
    return {aten.mv: product, aten.dot: product, aten._scaled_dot_product_flash_attention_for_cpu: attention}
