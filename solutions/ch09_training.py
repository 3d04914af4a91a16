"""Chapter 9: batches, the loss, the learning rate; the reference model was trained with these."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from solutions.ch06_unembed import cross_entropy_loss


def get_batch(
    data: Int[Tensor, " n_tokens"],
    n_ctx: int,
    batch_size: int,
    generator: torch.Generator,
) -> Int[Tensor, "batch pos"]:
    """Cut `batch_size` windows of `n_ctx` tokens at random starts out of one long row of tokens.

    Raises ValueError when the data is shorter than one window.
    """
    if len(data) < n_ctx:
        raise ValueError(
            f"the data has {len(data)} tokens, fewer than one window of n_ctx = {n_ctx}"
        )
    starts = torch.randint(len(data) - n_ctx + 1, (batch_size, 1), generator=generator)
    return data[starts + torch.arange(n_ctx)].long()


def lm_loss(model: nn.Module, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, ""]:
    """Mean next-token loss of `model` on a batch, in nats per token."""
    return cross_entropy_loss(model(tokens), tokens)


def cosine_lr(
    step: int, warmup: int, total: int, lr_max: float, lr_min: float
) -> float:
    """Learning rate at `step`: a straight line up for `warmup` steps, then half a cosine down to `lr_min`.

    Source: Loshchilov and Hutter 2017 (SGDR), eq. 5, without restarts.
    """
    if step < warmup:
        return lr_max * (step + 1) / warmup
    progress = min(1.0, (step - warmup) / max(1, total - warmup))
    return lr_min + 0.5 * (lr_max - lr_min) * (1 + math.cos(math.pi * progress))
