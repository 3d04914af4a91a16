"""A matrix that never changes, laid out once for products with a few rows: x @ weight + bias.

A single core spends most of a step on fetching weights. Where each of them is a number that 16 bits hold exactly, as in
a file of float16, 16 bits are fetched, and multiplied and added as float32 all the same: FBGEMM's kernel does so. Other
weights, and machines without the kernel, have torch.addmm.
"""

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

Product = Callable[[Tensor], Tensor]


def product(weight: Tensor, bias: Tensor, half: bool = True) -> Product:
    """The function x -> x @ weight + bias, for x [rows d_in]; with `half` from 16 bits, where that is exact."""
    packed = _packed(weight, bias) if half and fits_16_bits(weight) else None
    return packed or (lambda x: torch.addmm(bias, x, weight))


def fits_16_bits(weight: Tensor) -> bool:
    """Whether float16 holds every one of the numbers exactly."""
    return torch.equal(weight, weight.half().float())


def _packed(weight: Tensor, bias: Tensor) -> Product | None:
    """The product by FBGEMM, or None where it is missing or not exact."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # once in a process: a later torch may be without it
            packed: Any = torch.fbgemm_pack_gemm_matrix_fp16(weight.T.contiguous())
            multiply: Any = torch.fbgemm_linear_fp16_weight

            def by_fbgemm(x: Tensor) -> Tensor:
                return multiply(x, packed, bias)

            x = torch.linspace(-1, 1, 2 * len(weight)).view(2, -1)
            exact = torch.allclose(by_fbgemm(x), torch.addmm(bias, x, weight), rtol=1e-4, atol=1e-4)
        return by_fbgemm if exact else None
    except (AttributeError, RuntimeError):
        return None
