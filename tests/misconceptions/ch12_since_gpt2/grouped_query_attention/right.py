"""Right answers to GroupedQueryAttention that look different, and the class whose steps the others change."""

import math
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import nn

from tests.ch12_since_gpt2 import grouped_query_attention, heads


class Norm(nn.Module):
    """RMSNorm, of d_head numbers."""

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_head))

    def normalized(self, x, dim=-1):
        return x / (x.pow(2).mean(dim, keepdim=True) + self.cfg.rms_norm_eps).sqrt()

    def forward(self, x):
        return self.normalized(x) * self.w


class Given(nn.Module):
    """The class step by step, so that a wrong or right variant is another step."""

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        for name, axes in heads(replace(cfg, qk_norm=False)).items():
            shape = [getattr(cfg, axis) for axis in axes.split()]
            setattr(self, name, nn.Parameter(torch.randn(shape) * cfg.init_range))
        if cfg.qk_norm:
            self.q_norm, self.k_norm = Norm(cfg), Norm(cfg)
        angles = torch.arange(cfg.n_ctx)[:, None] * self.speeds(cfg.d_head, cfg.rotary_base)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def speeds(self, d_head, base):
        return base ** (-torch.arange(0, d_head, 2) / d_head)

    def heads_of(self, x, weight):
        """[batch pos head_index d_head]."""
        return torch.einsum("bpm,hmd->bphd", x, weight)

    def turn(self, x, positions):
        cos, sin = self.cos[positions][:, None], self.sin[positions][:, None]
        first, second = x.chunk(2, dim=-1)
        return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)

    def normed(self, q, k):
        return (self.q_norm(q), self.k_norm(k)) if self.cfg.qk_norm else (q, k)

    def parts(self, x):
        """Queries, keys and values before they are turned."""
        q, k, v = (self.heads_of(x, weight) for weight in (self.W_Q, self.W_K, self.W_V))
        return *self.normed(q, k), v

    def project(self, x, positions):
        q, k, v = self.parts(x)
        return self.turn(q, positions), self.turn(k, positions), v

    def repeated(self, x):
        """Keys or values, with a head for each head of queries."""
        return x.repeat_interleave(self.cfg.n_heads // self.cfg.n_kv_heads, dim=2)

    def later(self, q, k):
        return torch.ones(q.shape[1], k.shape[1], dtype=torch.bool).triu(k.shape[1] - q.shape[1] + 1)

    def scores(self, q, k):
        return torch.einsum("bqhd,bkhd->bhqk", q, k) / self.cfg.d_head**0.5

    def weigh(self, scores):
        return scores.softmax(dim=-1)

    def mix(self, z):
        return torch.einsum("bqhd,hdm->bqm", z, self.W_O)

    def attend(self, q, k, v):
        k, v = self.repeated(k), self.repeated(v)
        pattern = self.weigh(self.scores(q, k).masked_fill(self.later(q, k), -torch.inf))
        return self.mix(torch.einsum("bhqk,bkhd->bqhd", pattern, v))

    def forward(self, normalized_resid_pre):
        positions = torch.arange(normalized_resid_pre.shape[1])
        return self.attend(*self.project(normalized_resid_pre, positions))


@grouped_query_attention.correct
class ByPyTorchsAttention(Given):
    """With groups known to PyTorch; its own causal mask would count from 0."""

    def attend(self, q, k, v):
        q, k, v = (one.transpose(1, 2) for one in (q, k, v))
        may_read = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(k.shape[2] - q.shape[2])
        z = F.scaled_dot_product_attention(q, k, v, attn_mask=may_read, enable_gqa=True)
        return torch.einsum("bhqd,hdm->bqm", z, self.W_O)


@grouped_query_attention.correct
class ByPyTorchsAttentionRepeated(Given):
    """As in transformers: expanded on an axis of their own, which is then merged with the heads."""

    def repeated(self, x):
        batch, pos, n_kv_heads, d_head = x.shape
        group = self.cfg.n_heads // n_kv_heads
        wide = x[:, :, :, None].expand(batch, pos, n_kv_heads, group, d_head)
        return wide.reshape(batch, pos, n_kv_heads * group, d_head)

    def attend(self, q, k, v):
        q, k, v = (one.transpose(1, 2) for one in (q, self.repeated(k), self.repeated(v)))
        bias = torch.zeros(q.shape[2], k.shape[2]).masked_fill(self.later(q.mT.mT[:, 0], k[:, 0]), -math.inf)
        z = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        merged = z.transpose(1, 2).reshape(q.shape[0], q.shape[2], -1)
        return merged @ self.W_O.reshape(-1, self.cfg.d_model)


@grouped_query_attention.correct
class GroupsAsAnAxis(Given):
    """Nothing is repeated: the queries get an axis for their group, as in gpt-oss."""

    def attend(self, q, k, v):
        q = q.unflatten(2, (self.cfg.n_kv_heads, -1))
        scores = torch.einsum("bqngd,bknd->bngqk", q * self.cfg.d_head**-0.5, k)
        pattern = scores.masked_fill(self.later(q, k), -1e30).softmax(-1)
        z = torch.einsum("bngqk,bknd->bqngd", pattern, v)
        return z.flatten(2) @ self.W_O.flatten(0, 1)


@grouped_query_attention.correct
class OneMatrixForAll(Given):
    """Queries, keys and values in one product, as in Phi and lit-gpt, and complex numbers to turn them."""

    def heads_of(self, x, weight):
        flat = weight.transpose(0, 1).flatten(1)
        return (x @ flat).view(*x.shape[:2], len(weight), self.cfg.d_head)

    def turn(self, x, positions):
        turns = torch.polar(torch.ones_like(self.cos), torch.atan2(self.sin, self.cos))[positions]
        turned = torch.complex(*x.chunk(2, dim=-1)) * turns[:, None]
        return torch.cat([turned.real, turned.imag], dim=-1)


@grouped_query_attention.correct
class ByRotateHalf(Given):
    """As in transformers: tables of d_head numbers, and halves that change places."""

    def project(self, x, positions):
        q, k, v = (
            F.linear(x, weight.transpose(1, 2).flatten(0, 1)).view(*x.shape[:-1], -1, self.cfg.d_head).transpose(1, 2)
            for weight in (self.W_Q, self.W_K, self.W_V)
        )
        q, k = self.normed(q, k)
        cos, sin = (torch.cat([table, table], dim=-1)[positions] for table in (self.cos, self.sin))
        q, k = (one * cos + self.rotate_half(one) * sin for one in (q, k))
        return q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)

    def rotate_half(self, x):
        return torch.cat([-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]], dim=-1)


@grouped_query_attention.correct
class HeadByHead(Given):
    """Loops over heads of queries, and over new positions."""

    def attend(self, q, k, v):
        group, n_old = self.cfg.n_heads // self.cfg.n_kv_heads, k.shape[1] - q.shape[1]
        rows = []
        for new in range(q.shape[1]):
            end = n_old + new + 1
            row = 0
            for head in range(self.cfg.n_heads):
                keys, values = k[:, :end, head // group], v[:, :end, head // group]
                pattern = torch.softmax((keys @ q[:, new, head, :, None])[..., 0] / math.sqrt(self.cfg.d_head), dim=-1)
                row = row + (pattern[:, None] @ values)[:, 0] @ self.W_O[head]
            rows.append(row)
        return torch.stack(rows, dim=1)


@grouped_query_attention.correct
class IndexedHeads(Given):
    """Each head looks up its group's keys, by an index."""

    def repeated(self, x):
        return x[:, :, torch.arange(self.cfg.n_heads) // (self.cfg.n_heads // self.cfg.n_kv_heads)]

    def mix(self, z):
        return sum(z[:, :, head] @ self.W_O[head] for head in range(self.cfg.n_heads))


@grouped_query_attention.correct
class NormedByPyTorch(Given):
    """With F.rms_norm; the scale is in the queries, and positions in the mask."""

    def normed(self, q, k):
        if not self.cfg.qk_norm:
            return q, k
        size, eps = (self.cfg.d_head,), self.cfg.rms_norm_eps
        return F.rms_norm(q, size, self.q_norm.w, eps), F.rms_norm(k, size, self.k_norm.w, eps)

    def scores(self, q, k):
        return (q / self.cfg.d_head**0.5).transpose(1, 2) @ k.permute(0, 2, 3, 1)

    def later(self, q, k):
        n_new, n_all = q.shape[1], k.shape[1]
        return torch.arange(n_all) > torch.arange(n_all - n_new, n_all)[:, None]


for name in ("cos", "sin"):
    grouped_query_attention.equivalent(f"self.{name} → self.{name}.detach()", "The tables are not trained.")
grouped_query_attention.equivalent("2 → -2", "Keys and values have four axes, so that number 2 is the last but one.")
grouped_query_attention.equivalent("scores.shape[-2:] → scores.shape[2:]", "Scores have four axes.")
grouped_query_attention.equivalent("-1 → 3", "Scores have four axes, so that the last one is number 3.")
grouped_query_attention.equivalent("later → later.detach()", "A mask of booleans has no gradient.")
grouped_query_attention.equivalent(
    "torch.ones(n_new, n_all, dtype=torch.bool).triu(n_all - n_new + 1) → "
    "torch.ones(n_new, n_all, dtype=torch.bool).triu(n_all - n_new + 1).detach()",
    "A mask of booleans has no gradient.",
)
grouped_query_attention.equivalent(
    "scores.masked_fill(later, -torch.inf) → scores.masked_fill_(later, -torch.inf)",
    "The scores are made here, and nobody else reads them.",
)
