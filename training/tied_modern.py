"""Chapter 12's ModernTransformer as it is trained: the same parameters and numbers, with attention in one call."""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from solutions.ch12_since_gpt2 import GroupedQueryAttention, ModernTransformer, apply_rotary
from utils.config import ModernConfig


class TiedModernTransformer(nn.Module):
    """The course's ModernTransformer, which ties its embedding itself, and the products in `dtype`.

    It begins as TiedTransformer does: what is added to the stream is drawn smaller, the deeper the model.
    """

    def __init__(self, cfg: ModernConfig, dtype: torch.dtype = torch.float32):
        super().__init__()
        self.model, self.dtype = ModernTransformer(cfg), dtype
        residual_scale = (2 * cfg.n_layers) ** -0.5  # Radford et al. 2019, section 2.3
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                if name.endswith((".attn.W_O", ".mlp.W_out")):
                    parameter.mul_(residual_scale)
        blocks: Any = self.model.blocks
        for block in blocks:
            block.attn = FusedGroupedQueryAttention(block.attn)

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
        with torch.autocast("cpu", self.dtype, enabled=self.dtype != torch.float32):
            return self.model(tokens).float()

    def trained_parameters(self) -> dict[str, nn.Parameter]:
        """Every parameter that an optimiser moves, by the chapter's names."""
        return dict(self.model.named_parameters())


class FusedGroupedQueryAttention(nn.Module):
    """GroupedQueryAttention with one product for queries, keys and values, and one call for scores, softmax and blend.

    It takes over the other's parameters, under their names.
    """

    W_Q: nn.Parameter
    W_K: nn.Parameter
    W_V: nn.Parameter
    W_O: nn.Parameter
    q_norm: nn.Module
    k_norm: nn.Module
    cos: Tensor
    sin: Tensor

    def __init__(self, part: GroupedQueryAttention):
        super().__init__()
        self.cfg = part.cfg
        for name, parameter in part.named_parameters(recurse=False):
            self.register_parameter(name, parameter)
        for name, norm in part.named_children():
            self.add_module(name, norm)
        for name, table in part.named_buffers(recurse=False):
            self.register_buffer(name, table, persistent=False)

    def forward(self, normalized_resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        cfg = self.cfg
        weight = torch.cat([self.W_Q, self.W_K, self.W_V])  # [n_heads + 2*n_kv_heads, d_model, d_head]
        heads = F.linear(normalized_resid_pre, weight.transpose(0, 1).flatten(1).mT).unflatten(-1, (-1, cfg.d_head))
        q_and_k, v = heads.split([cfg.n_heads + cfg.n_kv_heads, cfg.n_kv_heads], dim=2)
        if cfg.qk_norm:
            q, k = q_and_k.split([cfg.n_heads, cfg.n_kv_heads], dim=2)
            q_and_k = torch.cat([self.q_norm(q), self.k_norm(k)], dim=2)
        positions = torch.arange(heads.shape[1])
        q_and_k = apply_rotary(q_and_k, (self.cos, self.sin), positions).to(v.dtype)
        q, k = q_and_k.split([cfg.n_heads, cfg.n_kv_heads], dim=2)
        k, v = (one.repeat_interleave(cfg.n_heads // cfg.n_kv_heads, dim=2) for one in (k, v))
        q, k, v = (one.transpose(1, 2) for one in (q, k, v))
        z = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        return F.linear(z, self.W_O.flatten(0, 1).mT)
