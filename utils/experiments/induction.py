"""Rows of tokens that repeat after a while that differs from row to row, and which head looks where in them."""
# A model is any nn.Module here, and pyright takes what such a module holds for Tensor | Module.
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportIndexIssue=false

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.config import Config


def periodic(
    generator: torch.Generator, cfg: Config, batch_size: int
) -> tuple[Int[Tensor, "batch pos"], Int[Tensor, " batch"]]:
    """Rows of `cfg.n_ctx` random tokens, each repeated after its own number of tokens, and these numbers.

    A row's first tokens all differ, and its period lies between a quarter and a half of the row. So where a token
    stands says nothing about what follows it: only its earlier copy does.
    """
    longest = cfg.n_ctx // 2
    periods = torch.randint(cfg.n_ctx // 4, longest + 1, (batch_size,), generator=generator)
    order = torch.rand(batch_size, cfg.d_vocab, generator=generator).argsort(dim=-1)
    places = torch.arange(cfg.n_ctx) % periods[:, None]
    return order.gather(1, places), periods


@torch.no_grad()
def second_half(model: nn.Module, tokens: Int[Tensor, "batch pos"]) -> float:
    """The mean loss where the token to come has been there before: in the second half of each row."""
    half = tokens.shape[1] // 2
    log_probs = model(tokens)[:, half:-1].log_softmax(dim=-1)
    return -float(log_probs.gather(-1, tokens[:, half + 1 :, None]).mean())


@torch.no_grad()
def patterns(model: nn.Module, tokens: Int[Tensor, "batch pos"]) -> list[Float[Tensor, "batch head_index query key"]]:
    """The attention pattern of each layer, computed from the parameters and from what each layer reads."""
    read: list[Tensor] = []
    hooks = [block.attn.register_forward_pre_hook(lambda _, given: read.append(given[0])) for block in model.blocks]
    try:
        model(tokens)
    finally:
        for hook in hooks:
            hook.remove()
    return [_pattern(block.attn, x) for block, x in zip(model.blocks, read, strict=True)]


def _pattern(attn: nn.Module, x: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch head_index query key"]:
    q = torch.einsum("bpd,hdk->bhpk", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpd,hdk->bhpk", x, attn.W_K) + attn.b_K[:, None]
    scores = q @ k.mT / attn.W_Q.shape[-1] ** 0.5
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(later, -torch.inf).softmax(dim=-1)


@torch.no_grad()
def head_scores(model: nn.Module, tokens: Int[Tensor, "batch pos"], periods: Int[Tensor, " batch"]) -> dict[str, float]:
    """How much attention the head with the most gives, as a mean over the second half of the rows.

    In the first layer: to one position back, and to those two to eight back, together. In the last layer: to the
    position behind the earlier copy, which is one period less one back, and to those three to five behind it.
    """
    found = patterns(model, tokens)
    queries = torch.arange(tokens.shape[1] // 2, tokens.shape[1])
    backs = torch.stack([found[0][:, :, queries, queries - back].mean(dim=(0, 2)) for back in range(1, 9)])
    rows = torch.arange(len(tokens))[:, None]
    copies = queries - periods[:, None]
    # batch query head_index, then a mean for each head
    behind = torch.stack([found[-1][rows, :, queries, copies + step].mean(dim=(0, 1)) for step in range(1, 6)])
    return {
        "one_back": float(backs[0].max()),
        "two_to_eight_back": float(backs[1:].sum(dim=0).max()),
        "behind_copy": float(behind[0].max()),
        "three_to_five_behind": float(behind[2:].sum(dim=0).max()),
    }
