"""A GPT-2 that is handed to a learner's code: the course's own Transformer, with its names, written once more.

It is made on the learner's side of the wall, where neither the solutions nor what the learner wrote before can be had.
The tests compare it with solutions.ch07_transformer.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.config import Config

Stream = Float[Tensor, "batch pos d_model"]


class Part(nn.Module):
    """A part of the model that was made with a Config."""

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg

    def table(self, *axes: str) -> nn.Parameter:
        """A parameter with these axes, to be loaded."""
        return nn.Parameter(torch.zeros([getattr(self.cfg, axis) for axis in axes]))


class Embed(Part):
    def __init__(self, cfg: Config):
        super().__init__(cfg)
        self.W_E = self.table("d_vocab", "d_model")

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Stream:
        return self.W_E[tokens]


class PosEmbed(Part):
    def __init__(self, cfg: Config):
        super().__init__(cfg)
        self.W_pos = self.table("n_ctx", "d_model")

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Stream:
        length = tokens.shape[1]
        if length > self.cfg.n_ctx:
            raise IndexError(f"{length} tokens are more than n_ctx = {self.cfg.n_ctx}")
        return F.embedding(torch.arange(length).expand_as(tokens), self.W_pos)


class LayerNorm(Part):
    def __init__(self, cfg: Config):
        super().__init__(cfg)
        self.w, self.b = self.table("d_model"), self.table("d_model")

    def forward(self, residual: Stream) -> Stream:
        return F.layer_norm(residual, self.w.shape, self.w, self.b, self.cfg.layer_norm_eps)


class Attention(Part):
    def __init__(self, cfg: Config):
        super().__init__(cfg)
        inward = "n_heads", "d_model", "d_head"
        self.W_Q = self.table(*inward)
        self.W_K = self.table(*inward)
        self.W_V = self.table(*inward)
        self.b_Q = self.table("n_heads", "d_head")
        self.b_K = self.table("n_heads", "d_head")
        self.b_V = self.table("n_heads", "d_head")
        self.W_O = self.table("n_heads", "d_head", "d_model")
        self.b_O = self.table("d_model")

    def forward(self, normalized_resid_pre: Stream) -> Stream:
        x = normalized_resid_pre
        q = _in_each_head(x, self.W_Q, self.b_Q)
        k = _in_each_head(x, self.W_K, self.b_K)
        v = _in_each_head(x, self.W_V, self.b_V)
        scores = q @ k.mT / self.cfg.d_head**0.5
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        z = scores.masked_fill(later, -torch.inf).softmax(-1) @ v
        return torch.einsum("bhpd,hdm->bpm", z, self.W_O) + self.b_O


def _in_each_head(x: Stream, weight: Tensor, bias: Tensor) -> Tensor:
    return torch.einsum("bpm,hmd->bhpd", x, weight) + bias[:, None]


class MLP(Part):
    def __init__(self, cfg: Config):
        super().__init__(cfg)
        self.W_in, self.b_in = self.table("d_model", "d_mlp"), self.table("d_mlp")
        self.W_out, self.b_out = self.table("d_mlp", "d_model"), self.table("d_model")

    def forward(self, normalized_resid_mid: Stream) -> Stream:
        pre = normalized_resid_mid @ self.W_in + self.b_in
        return F.gelu(pre, approximate="tanh") @ self.W_out + self.b_out


class TransformerBlock(Part):
    def __init__(self, cfg: Config):
        super().__init__(cfg)
        self.ln1, self.attn, self.ln2, self.mlp = LayerNorm(cfg), Attention(cfg), LayerNorm(cfg), MLP(cfg)

    def forward(self, resid_pre: Stream) -> Stream:
        between = self.attn(self.ln1(resid_pre)) + resid_pre
        return self.mlp(self.ln2(between)) + between


class Unembed(Part):
    def __init__(self, cfg: Config):
        super().__init__(cfg)
        self.W_U, self.b_U = self.table("d_model", "d_vocab"), self.table("d_vocab").requires_grad_(False)

    def forward(self, normalized_resid_final: Stream) -> Float[Tensor, "batch pos d_vocab"]:
        return torch.matmul(normalized_resid_final, self.W_U) + self.b_U


class GPT(Part):
    """All parameters are zero until they are loaded. Raises IndexError for a text longer than n_ctx."""

    def __init__(self, cfg: Config):
        super().__init__(cfg)
        self.embed, self.pos_embed = Embed(cfg), PosEmbed(cfg)
        self.blocks = nn.ModuleList([TransformerBlock(cfg) for _ in range(cfg.n_layers)])
        self.ln_final, self.unembed = LayerNorm(cfg), Unembed(cfg)

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
        if tokens.ndim != 2:
            raise ValueError(f"the model takes tokens [batch pos], got shape {list(tokens.shape)}")
        stream = self.pos_embed(tokens) + self.embed(tokens)
        for one in self.blocks:
            stream = one(stream)
        return self.unembed(self.ln_final(stream))


class TableModel(nn.Module):
    """A language model that a test can see through: each token adds its row of the table to all logits from there on.

    It is causal, depends on the whole text, and raises IndexError for a text longer than n_ctx, as GPT-2 does.
    """

    def __init__(self, table: Float[Tensor, "d_vocab d_vocab"], n_ctx: int):
        super().__init__()
        self.cfg = Config(d_vocab=len(table), n_ctx=n_ctx)
        self.table = nn.Parameter(table.detach().clone())

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
        if tokens.ndim != 2:
            raise ValueError(f"the model takes tokens [batch pos], got shape {list(tokens.shape)}")
        if tokens.shape[1] > self.cfg.n_ctx:
            raise IndexError(f"{tokens.shape[1]} tokens are more than n_ctx = {self.cfg.n_ctx}")
        return torch.cumsum(self.table[tokens], dim=1)
