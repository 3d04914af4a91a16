"""A block and a model with their parts, which the wrong and right variants of both are made of."""

from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from tests.ch12_since_gpt2 import MATRICES, heads, modern_block, modern_transformer


class Part(nn.Module):
    """A part of the model with its parameters: matrices drawn at random, scales of RMSNorm at 1."""

    def __init__(self, cfg, axes: dict[str, str]):
        super().__init__()
        self.cfg = cfg
        for name, sizes in axes.items():
            shape = [getattr(cfg, axis) for axis in sizes.split()]
            start = torch.randn(shape) * cfg.init_range if name[0] == "W" else torch.ones(shape)
            self.register_parameter(name, nn.Parameter(start))

    def __getattr__(self, name) -> Any:
        return super().__getattr__(name)


class GivenNorm(Part):
    def __init__(self, cfg):
        super().__init__(cfg, {"w": "d_model"})

    def forward(self, residual):
        return F.rms_norm(residual, residual.shape[-1:], self.w, self.cfg.rms_norm_eps)


class GivenAttention(Part):
    norm = GivenNorm
    mask, turned = True, True
    scale = None

    def __init__(self, cfg):
        super().__init__(cfg, {name: axes for name, axes in heads(cfg).items() if name[0] == "W"})
        if cfg.qk_norm:
            of_a_head = replace(cfg, d_model=cfg.d_head)
            self.q_norm, self.k_norm = self.norm(of_a_head), self.norm(of_a_head)

    def base(self):
        return self.cfg.rotary_base

    def turn(self, x):
        """Turn [batch head_index pos d_head] by position."""
        if not self.turned:
            return x
        speeds = self.base() ** (-torch.arange(0, x.shape[-1], 2) / x.shape[-1])
        angles = torch.arange(x.shape[-2])[:, None] * speeds
        first, second = x.chunk(2, dim=-1)
        cos, sin = angles.cos(), angles.sin()
        return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)

    def shared(self, x):
        return x.repeat_interleave(self.cfg.n_heads // self.cfg.n_kv_heads, dim=1)

    def forward(self, x):
        query, key, value = (torch.einsum("bpd,hdk->bhpk", x, weight) for weight in (self.W_Q, self.W_K, self.W_V))
        if self.cfg.qk_norm:
            query, key = self.q_norm(query), self.k_norm(key)
        query, key, value = self.turn(query), self.shared(self.turn(key)), self.shared(value)
        z = F.scaled_dot_product_attention(query, key, value, is_causal=self.mask, scale=self.scale)
        return torch.einsum("bhpk,hkd->bpd", z, self.W_O)


class GivenSwiGLU(Part):
    def __init__(self, cfg):
        super().__init__(cfg, MATRICES)

    def gate(self, pre):
        return F.silu(pre)

    def forward(self, x):
        return (self.gate(x @ self.W_gate) * (x @ self.W_in)) @ self.W_out


class GivenBlock(nn.Module):
    norm, attention, neurons = GivenNorm, GivenAttention, GivenSwiGLU

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.ln1, self.attn = self.norm(cfg), self.attention(cfg)
        self.ln2, self.mlp = self.norm(cfg), self.neurons(cfg)

    def forward(self, resid_pre):
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))


class GivenModel(nn.Module):
    block, norm = GivenBlock, GivenNorm

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.embed = Part(cfg, {"W_E": "d_vocab d_model"})
        self.blocks = nn.ModuleList(self.block(cfg) for _ in range(cfg.n_layers))
        self.ln_final = self.norm(cfg)
        if not cfg.tied:
            self.W_U = nn.Parameter(torch.randn(cfg.d_model, cfg.d_vocab) * cfg.init_range)

    def tokens_in(self, tokens):
        return self.embed.W_E[tokens]

    def table(self):
        """The matrix that makes logits."""
        return self.embed.W_E.T if self.cfg.tied else self.W_U

    def logits_of(self, resid):
        return resid @ self.table()

    def forward(self, tokens):
        resid = self.tokens_in(tokens)
        for one in self.blocks:
            resid = one(resid)
        return self.logits_of(self.ln_final(resid))


modern_block.given, modern_transformer.given = GivenBlock, GivenModel
