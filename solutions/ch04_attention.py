"""Chapter 4: softmax, the causal mask, and multi-head attention."""

import einops
import torch
from jaxtyping import Float
from torch import Tensor, nn

from utils.config import Config


def softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    """Turn scores into positive weights that add to 1 along `dim`.

    Subtracting the largest score first changes nothing in exact arithmetic and keeps `exp` from overflowing.

    Source: openai/gpt-2 src/model.py, softmax().
    """
    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)


def apply_causal_mask(
    attn_scores: Float[Tensor, "batch head_index query_pos key_pos"],
) -> Float[Tensor, "batch head_index query_pos key_pos"]:
    """Put minus infinity wherever the key lies in the query's future.

    Source: openai/gpt-2 src/model.py, attention_mask() and mask_attn_weights().
    """
    query_pos, key_pos = attn_scores.shape[-2:]
    in_future = torch.ones(query_pos, key_pos, dtype=torch.bool, device=attn_scores.device).triu(1)
    return attn_scores.masked_fill(in_future, float("-inf"))


class Attention(nn.Module):
    """Let each position read from itself and the positions before it, with `n_heads` heads side by side.

    Source: openai/gpt-2 src/model.py, attn(); Vaswani et al. 2017, eq. 1 and section 3.2.2.
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        heads_in = (cfg.n_heads, cfg.d_model, cfg.d_head)
        self.W_Q = nn.Parameter(torch.empty(heads_in))
        self.W_K = nn.Parameter(torch.empty(heads_in))
        self.W_V = nn.Parameter(torch.empty(heads_in))
        self.W_O = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_head, cfg.d_model))
        self.b_Q = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_K = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_V = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_O = nn.Parameter(torch.zeros(cfg.d_model))
        for weight in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.normal_(weight, std=cfg.init_range)

    def forward(self, normalized_resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        project = "batch pos d_model, head_index d_model d_head -> batch head_index pos d_head"
        q = einops.einsum(normalized_resid_pre, self.W_Q, project) + self.b_Q[:, None]
        k = einops.einsum(normalized_resid_pre, self.W_K, project) + self.b_K[:, None]
        v = einops.einsum(normalized_resid_pre, self.W_V, project) + self.b_V[:, None]
        attn_scores = q @ k.transpose(-2, -1) / self.cfg.d_head**0.5
        pattern = softmax(apply_causal_mask(attn_scores), dim=-1)
        z = pattern @ v
        mix = "batch head_index pos d_head, head_index d_head d_model -> batch pos d_model"
        return einops.einsum(z, self.W_O, mix) + self.b_O
