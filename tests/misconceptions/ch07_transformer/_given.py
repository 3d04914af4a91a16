"""A block and a model with their parts, which the wrong and right variants are made of."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from tests.ch07_transformer import HEADS, MLP, NORM, block, transformer
from utils.config import Config


class Part(nn.Module):
    """A part of the model with its parameters, which the wrong and right variants below are made of."""

    def __init__(self, cfg: Config, axes: dict[str, str]):
        super().__init__()
        self.cfg = cfg
        for name, sizes in axes.items():
            shape = [getattr(cfg, axis) for axis in sizes.split()]
            start = torch.randn(shape) * cfg.init_range if name[0] == "W" else torch.full(shape, 1.0 * (name == "w"))
            self.register_parameter(name, nn.Parameter(start, requires_grad=name != "b_U"))

    def __getattr__(self, name) -> Any:
        return super().__getattr__(name)


class GivenNorm(Part):
    def __init__(self, cfg):
        super().__init__(cfg, NORM)

    def forward(self, residual):
        return F.layer_norm(residual, residual.shape[-1:], self.w, self.b, self.cfg.layer_norm_eps)


class GivenAttention(Part):
    scale, mask, merge = None, True, "bhpk,hkd->bpd"

    def __init__(self, cfg):
        super().__init__(cfg, HEADS)

    def forward(self, x):
        query, key, value = (
            torch.einsum("bpd,hdk->bhpk", x, weight) + bias[:, None]
            for weight, bias in ((self.W_Q, self.b_Q), (self.W_K, self.b_K), (self.W_V, self.b_V))
        )
        z = F.scaled_dot_product_attention(query, key, value, is_causal=self.mask, scale=self.scale)
        return torch.einsum(self.merge, z, self.W_O) + self.b_O


class GivenMLP(Part):
    def __init__(self, cfg):
        super().__init__(cfg, MLP)

    def activate(self, pre):
        return F.gelu(pre, approximate="tanh")

    def forward(self, x):
        return self.activate(x @ self.W_in + self.b_in) @ self.W_out + self.b_out


class GivenBlock(nn.Module):
    norm, attention, neurons = GivenNorm, GivenAttention, GivenMLP

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
        self.embed, self.pos_embed = Part(cfg, {"W_E": "d_vocab d_model"}), Part(cfg, {"W_pos": "n_ctx d_model"})
        self.blocks = nn.ModuleList(self.block(cfg) for _ in range(cfg.n_layers))
        self.ln_final = self.norm(cfg)
        self.unembed = Part(cfg, {"W_U": "d_model d_vocab", "b_U": "d_vocab"})

    def tokens_in(self, tokens):
        return self.embed.W_E[tokens]

    def positions_in(self, tokens):
        return self.pos_embed.W_pos[: tokens.shape[1]]

    def logits_of(self, resid):
        return resid @ self.unembed.W_U + self.unembed.b_U

    def forward(self, tokens):
        resid = self.tokens_in(tokens) + self.positions_in(tokens)
        for one in self.blocks:
            resid = one(resid)
        return self.logits_of(self.ln_final(resid))


block.given, transformer.given = GivenBlock, GivenModel
