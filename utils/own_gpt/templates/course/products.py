"""A matrix that never changes, laid out once for products with a few rows: x @ weight + bias.

A single core spends most of a step on fetching weights. Where each of them is a number that 16 bits hold exactly, as in
a file of float16, 16 bits are fetched, and multiplied and added as float32 all the same: FBGEMM's kernel does so. Other
weights, and machines without the kernel, have torch.addmm.

Who asks for 8 bits gets weights that are rounded. torch.quantize_per_channel would round, and quantized::linear_dynamic
multiply, but torch 2.13 says that their dtypes will be removed, and torchao's int8 weights are slower than float32
unless they are compiled. So the kernel is the one that torch.compile takes for torchao's weights.
"""

import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .errors import CannotTell

Product = Callable[[Tensor], Tensor]
AT_ONCE = 16  # rows of a weight that the kernel for 8 bits reads together, without looking whether they are there
STEPS = 127  # on each side of 0
NO_KERNEL = (
    "--bits 8 needs torch._weight_int8pack_mm, which does not work in torch {version} of {python}. "
    "Tell the story without --bits 8, or install torch 2.13, which has it."
)
ODD = (
    "--bits 8 needs matrices whose number of rows {at_once} divides, and one of this model has {rows}. "
    "Tell the story without --bits 8."
)


def product(weight: Tensor, bias: Tensor, bits: int = 16) -> Product:
    """The function x -> x @ weight + bias, for x [rows d_in] and weight [d_in d_out].

    `bits` is how many of each weight are fetched: 32; 16 where that is exact, and else 32; or 8, rounded.
    Raises CannotTell where 8 bits can't be had.
    """
    if bits == 8:
        return _rounded(weight, bias)
    packed = _packed(weight, bias) if bits == 16 and fits_16_bits(weight) else None
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


def _rounded(weight: Tensor, bias: Tensor) -> Product:
    """The product with each column of the weight in whole steps, of which its largest number is 127."""
    if len(weight) % AT_ONCE:
        raise CannotTell(ODD.format(at_once=AT_ONCE, rows=len(weight)))
    step = weight.abs().amax(dim=0).clamp(min=torch.finfo(weight.dtype).tiny) / STEPS
    steps = (weight / step).round().to(torch.int8).T.contiguous()
    # The kernel's own scale would be rounded to bfloat16, as x is: 8 bits, no more than the weights have.
    ones = torch.ones_like(step, dtype=torch.bfloat16)

    def by_int8(x: Tensor) -> Tensor:
        return torch.addcmul(bias, multiply(x.bfloat16(), steps, ones), step)

    try:
        multiply: Any = torch._weight_int8pack_mm
        by_int8(torch.zeros(1, len(weight)))
    except (AttributeError, RuntimeError):
        raise CannotTell(NO_KERNEL.format(version=torch.__version__, python=sys.executable)) from None
    return by_int8
