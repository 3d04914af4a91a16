"""Chapter 12: what has changed since GPT-2. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 12 · Since GPT-2: what has changed, piece by piece
#
# INTRODUCTION: to be written.
#
# About 3 hours, of which 100 minutes for the seven exercises.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError(
#         "This kernel does not have the course. In Colab, run the cell above this one; "
#         "elsewhere, in the course's folder: make lab"
#     ) from None
#
# start("ch12_since_gpt2")

# %%
from dataclasses import replace

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from solutions.ch02_embeddings import Embed
from utils.config import Config, ModernConfig

# %% tags=["active-ipynb", "folded"]
# # @title Imports what the chapter needs, its tests included
# from tests.ch12_since_gpt2 import (
#     test_apply_rotary,
#     test_grouped_query_attention,
#     test_modern_block,
#     test_modern_transformer,
#     test_rms_norm,
#     test_rotary_tables,
#     test_swiglu,
# )
# from utils.pieces import pieces

# %% [markdown]
# ## A scale without a slide
#
# SECTION RMSNorm: to be written.

# %% [markdown] exercise="RMSNorm" difficulty=2 importance=4 minutes=10 draft=true
# ## Exercise: write `RMSNorm`
#
# **What goes in?** `residual`, a vector of `d_model` numbers for each position. **What comes out?** The same shape.


# %%
class RMSNorm(nn.Module):
    """Divide each vector by the root of its mean square, then scale it by w.

    The division is done in float32, whatever comes in, and what it gives is brought
    back to the input's dtype before it is scaled.

    Source: Zhang and Sennrich 2019, eq. 4; transformers' LlamaRMSNorm.
    """

    def __init__(self, cfg: ModernConfig):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))

    def forward(
        self, residual: Float[Tensor, "... d_model"]
    ) -> Float[Tensor, "... d_model"]:
        # BEGIN SOLUTION
        wide = residual.float()
        mean_square = wide.pow(2).mean(dim=-1, keepdim=True)
        normalized = wide / (mean_square + self.cfg.rms_norm_eps).sqrt()
        return normalized.to(residual.dtype) * self.w
        # END SOLUTION


# %% [markdown] hint="idea"
# To be written.

# %% [markdown] hint="pseudocode"
# ```text
# to be written
# ```

# %% tags=["active-ipynb"]
# test_rms_norm(RMSNorm)

# %% [markdown]
# ## A position that turns
#
# SECTION rotary: to be written.

# %% [markdown] exercise="rotary_tables" difficulty=3 importance=5 minutes=15 draft=true
# ## Exercise: write `rotary_tables`
#
# **What goes in?** The number of positions, the size of a head, and the base. **What comes out?** Two tables
# [n_ctx d_head/2], of cosines and of sines.


# %%
def rotary_tables(
    n_ctx: int, d_head: int, base: float
) -> tuple[Float[Tensor, "pos pair"], Float[Tensor, "pos pair"]]:
    """The cosine and the sine of the angle by which each pair turns at each position.

    Pair i of the d_head / 2 turns by base ** (-2 i / d_head) radians a position.

    Source: Su et al. 2021, RoFormer, section 3.2.2.
    """
    # BEGIN SOLUTION
    speeds = base ** (-torch.arange(0, d_head, 2) / d_head)
    angles = torch.arange(n_ctx)[:, None] * speeds
    return angles.cos(), angles.sin()
    # END SOLUTION


# %% [markdown] hint="idea"
# To be written.

# %% [markdown] hint="pseudocode"
# ```text
# to be written
# ```

# %% tags=["active-ipynb"]
# test_rotary_tables(rotary_tables)

# %% [markdown] exercise="apply_rotary" difficulty=3 importance=5 minutes=15 draft=true
# ## Exercise: write `apply_rotary`
#
# **What goes in?** Queries or keys, the two tables, and the position of each row. **What comes out?** The same shape,
# each pair turned by the angle of its position.


# %%
def apply_rotary(
    x: Float[Tensor, "batch pos head_index d_head"],
    tables: tuple[Float[Tensor, "n_ctx pair"], Float[Tensor, "n_ctx pair"]],
    positions: Int[Tensor, " pos"],
) -> Float[Tensor, "batch pos head_index d_head"]:
    """Turn each pair of numbers by the angle that the tables have for its position.

    A pair is a number of the first half of d_head and its fellow of the second half.

    Source: Su et al. 2021, eq. 34, with the halves of GPT-NeoX and transformers.
    """
    # BEGIN SOLUTION
    cos, sin = (table[positions][:, None] for table in tables)  # [pos 1 pair]
    first, second = x.chunk(2, dim=-1)
    turned = first * cos - second * sin, first * sin + second * cos
    return torch.cat(turned, dim=-1)
    # END SOLUTION


# %% [markdown] hint="idea"
# To be written.

# %% [markdown] hint="pseudocode"
# ```text
# to be written
# ```

# %% tags=["active-ipynb"]
# test_apply_rotary(apply_rotary)

# %% [markdown]
# ## A gate in the MLP
#
# SECTION SwiGLU: to be written.

# %% [markdown] exercise="SwiGLU" difficulty=2 importance=4 minutes=10 draft=true
# ## Exercise: write `SwiGLU`
#
# **What goes in?** A vector of `d_model` numbers for each position. **What comes out?** The same shape.


# %%
class SwiGLU(nn.Module):
    """An MLP whose hidden numbers are let through by a gate.

    Source: Shazeer 2020, GLU Variants Improve Transformer, eq. 6: FFN_SwiGLU.
    """

    def __init__(self, cfg: ModernConfig):
        super().__init__()
        self.cfg = cfg
        self.W_gate = nn.Parameter(torch.empty(cfg.d_model, cfg.d_mlp))
        self.W_in = nn.Parameter(torch.empty(cfg.d_model, cfg.d_mlp))
        self.W_out = nn.Parameter(torch.empty(cfg.d_mlp, cfg.d_model))
        for weight in self.parameters():
            nn.init.normal_(weight, std=cfg.init_range)

    def forward(
        self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        gate = F.silu(normalized_resid_mid @ self.W_gate)
        return (gate * (normalized_resid_mid @ self.W_in)) @ self.W_out
        # END SOLUTION


# %% [markdown] hint="idea"
# To be written.

# %% [markdown] hint="pseudocode"
# ```text
# to be written
# ```

# %% tags=["active-ipynb"]
# test_swiglu(SwiGLU)

# %% [markdown]
# ## Fewer keys than queries
#
# SECTION grouped queries: to be written.

# %% [markdown] exercise="GroupedQueryAttention" difficulty=4 importance=5 minutes=25 draft=true
# ## Exercise: write `GroupedQueryAttention`
#
# **What goes in?** A normalised vector for each position. **What comes out?** What attention writes, the same shape.


# %%
class GroupedQueryAttention(nn.Module):
    """Attention whose heads of queries share heads of keys and values, in groups.

    Heads of queries 0 to n_heads / n_kv_heads - 1 read keys and values 0, and so on.

    Source: Ainslie et al. 2023, GQA, section 2.2; Su et al. 2021 for rotary positions;
    Qwen3Attention in transformers for q_norm and k_norm.
    """

    cos: Tensor
    sin: Tensor

    def __init__(self, cfg: ModernConfig):
        super().__init__()
        self.cfg = cfg
        self.W_Q = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_model, cfg.d_head))
        self.W_K = nn.Parameter(torch.empty(cfg.n_kv_heads, cfg.d_model, cfg.d_head))
        self.W_V = nn.Parameter(torch.empty(cfg.n_kv_heads, cfg.d_model, cfg.d_head))
        self.W_O = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_head, cfg.d_model))
        for weight in self.parameters():
            nn.init.normal_(weight, std=cfg.init_range)
        if cfg.qk_norm:
            of_a_head = replace(cfg, d_model=cfg.d_head)
            self.q_norm, self.k_norm = RMSNorm(of_a_head), RMSNorm(of_a_head)
        # They can be computed anew, so they are not saved with the weights.
        cos, sin = rotary_tables(cfg.n_ctx, cfg.d_head, cfg.rotary_base)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)

    def project(
        self,
        normalized_resid_pre: Float[Tensor, "batch pos d_model"],
        positions: Int[Tensor, " pos"],
    ) -> tuple[
        Float[Tensor, "batch pos n_heads d_head"],
        Float[Tensor, "batch pos n_kv_heads d_head"],
        Float[Tensor, "batch pos n_kv_heads d_head"],
    ]:
        """Queries, keys and values; queries and keys are turned by their position."""
        # BEGIN SOLUTION
        weights = self.W_Q, self.W_K, self.W_V
        q, k, v = (torch.einsum("bpm,hmd->bphd", normalized_resid_pre, W) for W in weights)
        if self.cfg.qk_norm:
            q, k = self.q_norm(q), self.k_norm(k)
        tables = self.cos, self.sin
        return apply_rotary(q, tables, positions), apply_rotary(k, tables, positions), v
        # END SOLUTION

    def attend(
        self,
        q: Float[Tensor, "batch new_pos n_heads d_head"],
        k: Float[Tensor, "batch all_pos n_kv_heads d_head"],
        v: Float[Tensor, "batch all_pos n_kv_heads d_head"],
    ) -> Float[Tensor, "batch new_pos d_model"]:
        """What attention writes at the positions of the queries, the last of all."""
        # BEGIN SOLUTION
        group = self.cfg.n_heads // self.cfg.n_kv_heads
        k, v = k.repeat_interleave(group, dim=2), v.repeat_interleave(group, dim=2)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.cfg.d_head**0.5
        n_new, n_all = scores.shape[-2:]
        later = torch.ones(n_new, n_all, dtype=torch.bool).triu(n_all - n_new + 1)
        pattern = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
        z = torch.einsum("bhqk,bkhd->bqhd", pattern, v)
        return torch.einsum("bqhd,hdm->bqm", z, self.W_O)
        # END SOLUTION

    def forward(
        self, normalized_resid_pre: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        positions = torch.arange(normalized_resid_pre.shape[1])
        return self.attend(*self.project(normalized_resid_pre, positions))


# %% [markdown] hint="idea"
# To be written.

# %% [markdown] hint="pseudocode"
# ```text
# to be written
# ```

# %% tags=["active-ipynb"]
# test_grouped_query_attention(GroupedQueryAttention)

# %% [markdown]
# ## The block, and the whole model
#
# SECTION block and model: to be written.

# %% [markdown] exercise="ModernBlock" difficulty=2 importance=4 minutes=10 draft=true
# ## Exercise: write `ModernBlock`
#
# **What goes in?** `resid_pre`. **What comes out?** `resid_post`, the same shape.


# %%
class ModernBlock(nn.Module):
    """Attention, then the MLP; each reads a normalised copy of the stream, adds to it.

    Source: transformers' LlamaDecoderLayer; Touvron et al. 2023, LLaMA, section 2.2.
    """

    def __init__(self, cfg: ModernConfig):
        super().__init__()
        self.cfg = cfg
        # BEGIN SOLUTION
        self.ln1 = RMSNorm(cfg)
        self.attn = GroupedQueryAttention(cfg)
        self.ln2 = RMSNorm(cfg)
        self.mlp = SwiGLU(cfg)
        # END SOLUTION

    def forward(
        self, resid_pre: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))
        # END SOLUTION


# %% [markdown] hint="idea"
# To be written.

# %% [markdown] hint="pseudocode"
# ```text
# to be written
# ```

# %% tags=["active-ipynb"]
# test_modern_block(ModernBlock)

# %% [markdown] exercise="ModernTransformer" difficulty=3 importance=5 minutes=15 draft=true
# ## Exercise: write `ModernTransformer`
#
# **What goes in?** Tokens. **What comes out?** Logits.


# %%
class ModernTransformer(nn.Module):
    """Tokens to logits: embed, the blocks, ln_final, unembed; no table of positions.

    With cfg.tied the table of embed is the unembedding too, and there is no W_U.

    Source: transformers' LlamaForCausalLM; Touvron et al. 2023, LLaMA, section 2.2.
    """

    def __init__(self, cfg: ModernConfig):
        super().__init__()
        self.cfg = cfg
        # All that Embed reads of chapter 2's Config, which has no field for groups.
        self.embed = Embed(Config(cfg.d_model, cfg.d_vocab, init_range=cfg.init_range))
        # BEGIN SOLUTION
        self.blocks = nn.ModuleList(ModernBlock(cfg) for _ in range(cfg.n_layers))
        self.ln_final = RMSNorm(cfg)
        # END SOLUTION
        if not cfg.tied:
            self.W_U = nn.Parameter(torch.empty(cfg.d_model, cfg.d_vocab))
            nn.init.normal_(self.W_U, std=cfg.init_range)

    def forward(
        self, tokens: Int[Tensor, "batch pos"]
    ) -> Float[Tensor, "batch pos d_vocab"]:
        # BEGIN SOLUTION
        resid = self.embed(tokens)
        for block in self.blocks:
            resid = block(resid)
        W_U = self.embed.W_E.T if self.cfg.tied else self.W_U
        return self.ln_final(resid) @ W_U
        # END SOLUTION


# %% [markdown] hint="idea"
# To be written.

# %% [markdown] hint="pseudocode"
# ```text
# to be written
# ```

# %% tags=["active-ipynb"]
# test_modern_transformer(ModernTransformer)

# %% [markdown]
# ## What does each change buy?
#
# SECTION measured: to be written.

# %% [markdown]
# ## Check your understanding
#
# To be written.

# %% [markdown]
# ## Where to read more
#
# To be written.
