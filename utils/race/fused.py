"""The parts of chapter 7's Transformer in PyTorch's fused operations: the same parameters and numbers, in less time."""

from typing import Any, TypeVar

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from utils.config import Config

Model = TypeVar("Model", bound=nn.Module)


class Part(nn.Module):
    """Takes over another part's parameters, under their names."""

    def __init__(self, part: nn.Module, cfg: Config) -> None:
        super().__init__()
        self.cfg = cfg
        for name, parameter in part.named_parameters(recurse=False):
            self.register_parameter(name, parameter)


class FusedLayerNorm(Part):
    """Chapter 3's LayerNorm in one pass over the memory."""

    w: nn.Parameter
    b: nn.Parameter

    def forward(self, residual: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        return F.layer_norm(residual, (self.cfg.d_model,), self.w, self.b, self.cfg.layer_norm_eps)


class FusedAttention(Part):
    """Chapter 4's Attention, with one product for the queries, keys and values of all heads.

    Scores, mask, softmax and blend are one call, as in chapter 11's CausalSelfAttention.
    """

    W_Q: nn.Parameter
    W_K: nn.Parameter
    W_V: nn.Parameter
    W_O: nn.Parameter
    b_Q: nn.Parameter
    b_K: nn.Parameter
    b_V: nn.Parameter
    b_O: nn.Parameter

    def forward(self, normalized_resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        weight = torch.cat([self.W_Q, self.W_K, self.W_V])  # [3*n_heads d_model d_head]
        bias = torch.cat([self.b_Q, self.b_K, self.b_V])
        columns = weight.transpose(0, 1).flatten(1)
        qkv = F.linear(normalized_resid_pre, columns.mT, bias.flatten())
        heads = qkv.unflatten(-1, (3, self.cfg.n_heads, self.cfg.d_head))
        q, k, v = heads.permute(2, 0, 3, 1, 4)
        blended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        z_side_by_side = blended.transpose(1, 2).flatten(2)
        return F.linear(z_side_by_side, self.W_O.flatten(0, 1).mT, self.b_O)


class FusedMLP(Part):
    """Chapter 5's MLP, with GELU in one pass and the biases added inside the products."""

    W_in: nn.Parameter
    b_in: nn.Parameter
    W_out: nn.Parameter
    b_out: nn.Parameter

    def forward(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        pre = F.linear(normalized_resid_mid, self.W_in.mT, self.b_in)
        post = F.gelu(pre, approximate="tanh")
        return F.linear(post, self.W_out.mT, self.b_out)


def fused(model: Model) -> Model:
    """The model with its LayerNorms, attention and MLPs replaced; parameters and their names stay as they are."""
    inner: Any = model
    for block in inner.blocks:
        block.ln1 = FusedLayerNorm(block.ln1, inner.cfg)
        block.attn = FusedAttention(block.attn, inner.cfg)
        block.ln2 = FusedLayerNorm(block.ln2, inner.cfg)
        block.mlp = FusedMLP(block.mlp, inner.cfg)
    inner.ln_final = FusedLayerNorm(inner.ln_final, inner.cfg)
    return model
