"""What has changed since GPT-2, one change at a time or several: a Transformer of chapter 7 with other parts.

The parts compute in PyTorch's fused operations, as utils/race/fused.py does, so that a run takes a minute. Two models
of one seed begin with the same numbers only up to the first MLP: its width differs, and the rest is drawn after it.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.config import Config
from utils.race.fused import FusedLayerNorm, Part

CHANGES = {
    "rmsnorm": "RMSNorm for LayerNorm: no mean is taken away, and no bias added",
    "rotary": "queries and keys turned by their position, and no position table",
    "swiglu": "SwiGLU for the MLP with GELU: a third matrix, the gate",
    "nobias": "no biases in attention and MLP",
    "gqa": "grouped queries: half as many heads of keys and values",
    "qknorm": "RMSNorm of each query and key",
}
ALL = frozenset(CHANGES)
ROTARY_BASE = 10_000.0  # Su et al. 2021, section 3.2.2
LONGEST = 4  # times n_ctx: the longest text that rotary positions are ready for
Stream = Float[Tensor, "batch pos d_model"]


def changed(Transformer: Callable[[Config], nn.Module], cfg: Config, changes: Collection[str], seed: int) -> nn.Module:
    """A fresh Transformer with these changes, and about as many parameters as the one of `cfg` without any.

    `d_mlp` makes up for what a change adds or takes away. Raises ValueError for a change that is not known.
    """
    known = known_changes(changes)
    torch.manual_seed(seed)
    fitted = replace(cfg, d_mlp=fitting_d_mlp(Transformer, cfg, known))
    return with_changes(Transformer(fitted), known)


def known_changes(names: str | Collection[str]) -> frozenset[str]:
    """Changes by their names, or as a text: "rotary,rmsnorm", "all" or "none". Raises ValueError for one not known."""
    if isinstance(names, str):
        words = {"all": ALL, "none": frozenset[str]()}
        names = words.get(names.strip(), frozenset(word.strip() for word in names.split(",")))
    unknown = sorted(frozenset(names) - ALL, key=str)
    if unknown:
        raise ValueError(f"no change is called {', '.join(map(repr, unknown))}; there are {', '.join(CHANGES)}")
    return frozenset(names)


def named(changes: Collection[str]) -> str:
    """Changes in words, in the order of the list."""
    if frozenset(changes) == ALL:
        return "all changes"
    return ", ".join(name for name in CHANGES if name in changes) or "no changes"


def fitting_d_mlp(Transformer: Callable[[Config], nn.Module], cfg: Config, changes: Collection[str]) -> int:
    """The width of the MLPs with which a changed model has as many trained parameters as one without changes."""

    def count(d_mlp: int, some: Collection[str]) -> int:
        with torch.device("meta"):
            model = with_changes(Transformer(replace(cfg, d_mlp=d_mlp)), frozenset(some))
        return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)

    here = count(cfg.d_mlp, changes)
    per_neuron = count(cfg.d_mlp + 1, changes) - here
    return cfg.d_mlp + round((count(cfg.d_mlp, ()) - here) / per_neuron)


def with_changes(model: nn.Module, changes: frozenset[str]) -> nn.Module:
    """The model with its parts replaced; `d_mlp` stays as it is."""
    inner: Any = model
    norm = RMSNorm if "rmsnorm" in changes else FusedLayerNorm
    for block in inner.blocks:
        block.ln1, block.ln2 = norm(block.ln1, inner.cfg), norm(block.ln2, inner.cfg)
        block.attn = Attention(block.attn, inner.cfg, changes)
        block.mlp = MLP(block.mlp, inner.cfg, changes)
    inner.ln_final = norm(inner.ln_final, inner.cfg)
    if "rotary" in changes:
        inner.pos_embed = NoPositions()
    return model


def has_changed_parts(model: nn.Module) -> bool:
    """Whether all its blocks are made of the parts below."""
    blocks: Any = getattr(model, "blocks", [])
    return all(isinstance(block.attn, Attention) and isinstance(block.mlp, MLP) for block in blocks)


class NoPositions(nn.Module):
    """In the place of the position table: nothing is added to the tokens' vectors."""

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> float:
        return 0.0


class RMSNorm(Part):
    """Zhang and Sennrich 2019: LayerNorm without its mean and its bias."""

    w: nn.Parameter

    def __init__(self, part: nn.Module, cfg: Config) -> None:
        super().__init__(part, cfg)
        del self.b

    def forward(self, residual: Stream) -> Stream:
        return F.rms_norm(residual, (self.cfg.d_model,), self.w, self.cfg.layer_norm_eps)


class Attention(Part):
    """FusedAttention with any of rotary, nobias, gqa and qknorm."""

    W_Q: nn.Parameter
    W_K: nn.Parameter
    W_V: nn.Parameter
    W_O: nn.Parameter
    b_Q: nn.Parameter
    b_K: nn.Parameter
    b_V: nn.Parameter
    b_O: nn.Parameter
    cos: Tensor
    sin: Tensor

    def __init__(self, part: nn.Module, cfg: Config, changes: frozenset[str]) -> None:
        super().__init__(part, cfg)
        self.n_kv_heads = cfg.n_heads // 2 if "gqa" in changes else cfg.n_heads
        names = ["W_K", "W_V"] if "nobias" in changes else ["W_K", "W_V", "b_K", "b_V"]
        if "nobias" in changes:
            del self.b_Q, self.b_K, self.b_V, self.b_O
        if "gqa" in changes:
            for name in names:
                setattr(self, name, nn.Parameter(getattr(self, name)[: self.n_kv_heads].detach().clone()))
        if "qknorm" in changes:
            self.q_norm = nn.RMSNorm(cfg.d_head, cfg.layer_norm_eps)
            self.k_norm = nn.RMSNorm(cfg.d_head, cfg.layer_norm_eps)
        if "rotary" in changes:
            speeds = ROTARY_BASE ** (-torch.arange(0, cfg.d_head, 2) / cfg.d_head)
            # Longer than n_ctx, since what was trained at one length can be read at another.
            angles = torch.outer(torch.arange(LONGEST * cfg.n_ctx), speeds)[:, None]  # [pos 1 d_head/2]
            self.register_buffer("cos", angles.cos(), persistent=False)
            self.register_buffer("sin", angles.sin(), persistent=False)
        self.changes = changes

    def forward(self, normalized_resid_pre: Stream) -> Stream:
        cfg, has_bias = self.cfg, "nobias" not in self.changes
        weight = torch.cat([self.W_Q, self.W_K, self.W_V])  # [all_heads d_model d_head]
        bias = torch.cat([self.b_Q, self.b_K, self.b_V]).flatten() if has_bias else None
        heads = F.linear(normalized_resid_pre, weight.transpose(0, 1).flatten(1).mT, bias)
        q, k, v = heads.unflatten(-1, (-1, cfg.d_head)).split([cfg.n_heads, self.n_kv_heads, self.n_kv_heads], dim=2)
        if "qknorm" in self.changes:
            k, q = self.k_norm(k), self.q_norm(q)
        if "rotary" in self.changes:
            q, k = self._turned(torch.cat([q, k], dim=2)).split([cfg.n_heads, self.n_kv_heads], dim=2)
        q, k, v = (one.transpose(1, 2) for one in (q, k, v))
        if "gqa" in self.changes:
            k, v = (one.repeat_interleave(cfg.n_heads // self.n_kv_heads, dim=1) for one in (k, v))
        blended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return F.linear(blended.transpose(1, 2).flatten(2), self.W_O.flatten(0, 1).mT, self.b_O if has_bias else None)

    def _turned(self, x: Float[Tensor, "batch pos head_index d_head"]) -> Float[Tensor, "batch pos head_index d_head"]:
        left, right = x.chunk(2, dim=-1)
        cos, sin = self.cos[: x.shape[1]], self.sin[: x.shape[1]]
        return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)


class MLP(Part):
    """FusedMLP with any of swiglu and nobias."""

    W_in: nn.Parameter
    b_in: nn.Parameter
    W_out: nn.Parameter
    b_out: nn.Parameter

    def __init__(self, part: nn.Module, cfg: Config, changes: frozenset[str]) -> None:
        super().__init__(part, cfg)
        if "nobias" in changes:
            del self.b_in, self.b_out
        if "swiglu" in changes:
            self.W_gate = nn.Parameter(torch.empty_like(self.W_in).normal_(std=cfg.init_range))
        self.changes = changes

    def forward(self, normalized_resid_mid: Stream) -> Stream:
        has_bias = "nobias" not in self.changes
        pre = F.linear(normalized_resid_mid, self.W_in.mT, self.b_in if has_bias else None)
        if "swiglu" in self.changes:
            post = F.silu(F.linear(normalized_resid_mid, self.W_gate.mT)) * pre
        else:
            post = F.gelu(pre, approximate="tanh")
        return F.linear(post, self.W_out.mT, self.b_out if has_bias else None)
