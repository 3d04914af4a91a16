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
# from tests.predictions.ch12_since_gpt2 import predict, see
# from utils.pieces import pieces
# from utils.reference.modern import modern_references

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
# Every part of GPT-2 has a successor now. What of the block is left? Its shape: two sublayers, each of which reads a
# normalised copy of the stream and *adds* its answer to it. The lines that you wrote in chapter 7 for GPT-2 are also
# Llama's:
#
# ```text
# resid_mid  = resid_pre + attn(ln1(resid_pre))
# resid_post = resid_mid + mlp(ln2(resid_mid))
# ```
#
# (The *stream*, or residual stream, is the one vector for each position that all blocks read and add to.) So which
# models use which of this chapter's parts?
#
# | | norm, and where | positions | MLP | biases | heads of keys | QK-norm | one table |
# |---|---|---|---|---|---|---|---|
# | GPT-2 | LayerNorm, before | a table | GELU | yes | all | no | yes |
# | Llama 2 | RMSNorm, before | rotary | SwiGLU | no | all; 70B: 8 of 64 | no | no |
# | Llama 3 | RMSNorm, before | rotary | SwiGLU | no | 8 | no | 3.2 of 1B, 3B |
# | Qwen 3 | RMSNorm, before | rotary | SwiGLU | no | 8 | each head | up to 4B |
# | OLMo 2 | RMSNorm, after | rotary | SwiGLU | no | 7B, 13B: all | all heads at once | no |
# | Gemma 2 | RMSNorm, before and after | rotary | GeGLU | no | half | no | yes |
#
# "Before" and "after" are said of a sublayer; "heads of keys" tells how many heads of keys and values there are; "one
# table" means *tied*: the table of the embedding is the unembedding too. (GeGLU has a GELU where SwiGLU has silu.) Of
# Qwen 3 the table shows the dense models, from 0.6B to 32B.
#
# <details><summary>Where this table comes from</summary>
#
# GPT-2: Radford et al. 2019, section 2.3, and `src/model.py` of openai/gpt-2. Llama 2: Touvron et al. 2023, *Llama 2*,
# section 2.2. Llama 3: Grattafiori et al. 2024, *The Llama 3 Herd of Models*, section 3.2. Qwen 3: Yang et al. 2025,
# *Qwen3 Technical Report*, section 2. OLMo 2: *2 OLMo 2 Furious*, 2025. Gemma 2: Gemma Team 2024, section 2. Where the
# norms stand, and what QK-norm reads, is also in the code of the transformers library: `LlamaDecoderLayer`,
# `Qwen3Attention`, `Olmo2DecoderLayer`, `Olmo2Attention`, `Gemma2DecoderLayer`.
#
# </details>

# %% [markdown]
# ### Who has post-norm after all?
#
# The Transformer of 2017 normalised each sum, `ln1(x + attn(x))`: *post-norm*. GPT-2 moved the norm in front of the
# sublayer, *pre-norm*, and most of its successors left it there. Two in the table did not:
#
# - **OLMo 2** normalises what a sublayer *writes*: `x + ln1(attn(x))`. Attention reads the stream as it is.
# - **Gemma 2** does both: `x + post(attn(pre(x)))`, with four norms in a block.
#
# Neither has gone back to 2017, since in both the sum itself stays as it is: nothing normalises the stream on its way
# from block to block. Both teams say that they did it to make training more stable.
#
# **A name that misleads.** In transformers' Llama the second norm is called `post_attention_layernorm`. It is not a
# post-norm. It is your `ln2`: it comes after attention, and what it makes is read by the MLP. In transformers' OLMo 2
# and Gemma 2 the same name belongs to a norm of what attention writes.

# %% [markdown] exercise="ModernBlock" difficulty=2 importance=4 minutes=10
# ## Exercise: write `ModernBlock`
#
# **What goes in?** `resid_pre`, one vector of `d_model` numbers for each position.
#
# **What comes out?** `resid_post`, the same shape: the stream with both answers added.
#
# This time you write `__init__` as well: choose the four parts among this chapter's classes, make each of `cfg`, and
# keep them as `self.ln1`, `self.attn`, `self.ln2` and `self.mlp`. These are TransformerLens's names, by which weights
# are loaded.
#
# **Before you code**: how many norms does a block make, one or two?
#
# <details><summary>Answer</summary>
#
# Two. Both are of the same class, but each has a scale `w` of its own, which training makes fit its reader. If `ln1`
# and `ln2` are two names of one object, they share one `w`.
#
# </details>


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
# Nothing of the block's shape is new since chapter 7: two sums, and in each a sublayer that reads through a norm. What
# is new are the four classes.
#
# For each sum ask: what is added to, and a copy of which stream does the sublayer read? The second sum starts from
# `resid_mid`, in both places.

# %% [markdown] hint="pseudocode"
# ```text
# __init__: ln1 and ln2, one norm each; attn, with grouped queries; mlp, with a gate: all made of cfg
#
# resid_mid = resid_pre, plus what attention answers to its normalised copy
# return the same again, one sublayer later
# ```

# %% tags=["active-ipynb"]
# test_modern_block(ModernBlock)

# %% [markdown]
# The test silenced the sublayers first: with `W_O` and `W_out` at 0 they write nothing, whatever they read, and your
# block has to give `resid_pre` back. (There are no biases that could still write something.)

# %% [markdown]
# ## From tokens to logits
#
# The whole model is shorter than GPT-2's:
#
# 1. **The start**: each token's vector, from `embed`. There is no table of positions to add, since attention turns its
#    queries and keys.
# 2. **The blocks**, `cfg.n_layers` of them, one after the other.
# 3. **The end**: `ln_final`, an RMSNorm, then the *unembedding*: a product with a matrix [d_model d_vocab] that makes
#    one score, a logit, for each token of the vocabulary. It has no bias.
#
# Which matrix that is, `cfg.tied` decides. If it is false, the model has a matrix `W_U` of its own. If it is true,
# there is no `W_U`: the table of `embed`, `W_E` [d_vocab d_model], is used a second time, transposed (chapter 6).
#
# **What it is not.** Tying does not copy the table. There is one tensor, it is stored once, and in training it gets the
# gradients of both ends.

# %% [markdown] exercise="ModernTransformer" difficulty=3 importance=5 minutes=15
# ## Exercise: write `ModernTransformer`
#
# **What goes in?** `tokens`, whole numbers [batch pos].
#
# **What comes out?** `logits` [batch pos d_vocab].
#
# `embed` and `W_U` are given. Make the rest in `__init__`, as `self.blocks` and `self.ln_final`, and write `forward`.
# The blocks belong in an `nn.ModuleList`, because PyTorch does not look for parameters in a Python list.
#
# **Before you code**: a model without a table of positions gets the same token twice in one text. Does anything in its
# first block differ between the two?
#
# <details><summary>Answer</summary>
#
# What `ln1` reads is the same at both positions, and so are the values, and the queries and keys before they are
# turned. What differs is the angle by which queries and keys are turned, and what each position may see.
#
# </details>


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
# From `embed(tokens)` on there is one tensor, the stream, and every block replaces it with a new one. Only at the end
# is there something to decide: which matrix makes the logits, and whether it has to be transposed. Compare its shape
# with that of the stream.

# %% [markdown] hint="pseudocode"
# ```text
# __init__: as many blocks as cfg.n_layers, each a new one, in a list that PyTorch knows; ln_final
#
# the stream = the tokens' vectors
# for each block, in order: the stream = what the block gives
# W_U = the table of embed, transposed, if the model is tied; else the model's own
# return the normalised stream times W_U
# ```

# %% tags=["active-ipynb"]
# test_modern_transformer(ModernTransformer)

# %% [markdown]
# ## Is it a Llama?
#
# A test of the course's own would pass if course and learner misread Llama in the same way. So the last lines of this
# chapter's tests have a judge from outside. The transformers library built five small models with random weights, three
# of Llama's shape and two of Qwen 3's, and TransformerLens recorded what happens inside them. Here are their logits and
# yours:

# %% tags=["active-ipynb"]
# for recorded in modern_references():
#     yours = ModernTransformer(recorded.cfg)
#     yours.load_state_dict(dict(recorded.weights))
#     theirs = recorded.activations["unembed.hook_out"]
#     with torch.no_grad():
#         gap = (yours(recorded.tokens) - theirs).abs().max()
#     print(f"{recorded.name}: logits from {theirs.min():.1f} to {theirs.max():.1f},", end=" ")
#     print(f"yours differ by {gap:.5f} at most")

# %% [markdown]
# To five places there is no difference. (Random weights have one merit: no scale is 1 and no two rows are alike, so a
# mistake has nowhere to hide. In a trained model some mistakes hardly show, as chapter 7 found.)
#
# The weights have other names and shapes in transformers' files. An `nn.Linear` keeps its matrix as [out in], and ours
# are [in out], with an axis for the heads in attention, so most have to be transposed:
#
# | in transformers | here | |
# |---|---|---|
# | `embed_tokens` | `embed.W_E` | |
# | `input_layernorm`, `post_attention_layernorm` | `ln1.w`, `ln2.w` | |
# | `q_proj`, `k_proj`, `v_proj` | `attn.W_Q`, `W_K`, `W_V` | cut into heads, transposed |
# | `q_norm`, `k_norm` (Qwen 3) | `attn.q_norm.w`, `k_norm.w` | |
# | `o_proj` | `attn.W_O` | transposed, cut into heads |
# | `gate_proj`, `up_proj`, `down_proj` | `mlp.W_gate`, `W_in`, `W_out` | transposed |
# | `norm` | `ln_final.w` | |
# | `lm_head` | `W_U`; none if tied | transposed |
#
# `utils/model_folder/llama.py` does this for a whole folder, and refuses a model that your class would compute
# otherwise than transformers does. Llama 3.1, for instance, slows its slow pairs down further (`rope_scaling`), which
# your `rotary_tables` does not.

# %% [markdown]
# ## Where have the parameters gone?
#
# SmolLM2-135M (Allal et al. 2025) is a Llama of about the size of GPT-2 small, and the defaults of `ModernConfig` are
# its sizes. Its stream is narrower, 576 numbers instead of 768, and it has 30 blocks instead of 12. The hidden layers
# of its MLPs are 1536 wide, 2.7 times the stream; GPT-2's are 4 times as wide as its stream. GPT-2 small has 46 % of
# its parameters in its MLPs.

# %% tags=["active-ipynb"]
# predict(
#     "mlp_share",
#     """How much of SmolLM2-135M is in its MLPs?
#     a) less than 40 %: their hidden layers are narrower
#     b) from 40 to 52 %: about as much as in GPT-2 small
#     c) more than 52 %""",
#     answer="c",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Counts the parameters of both models, part by part
# [Transformer] = pieces("Transformer")
# part_of = {"embed": "token table", "pos_embed": "position table"}
# part_of |= {"attn": "attention", "mlp": "MLPs"}
#
#
# def counted(whole):
#     """How many parameters each part holds; the table of GPT-2's unembed is that of embed."""
#     counts = dict.fromkeys((*part_of.values(), "norms"), 0)
#     for name, weight in whole.named_parameters():
#         if not name.startswith("unembed."):
#             counts[part_of.get(name.split(".")[-2], "norms")] += weight.numel()
#     return counts
#
#
# with torch.device("meta"):  # where tensors have a shape and hold no numbers
#     of_gpt2 = counted(Transformer(Config()))
#     of_smollm2 = counted(ModernTransformer(ModernConfig()))
# totals = sum(of_gpt2.values()), sum(of_smollm2.values())
# print(f"{'':14} {'GPT-2 small':>20} {'SmolLM2-135M':>21}")
# for part, number in of_gpt2.items():
#     cells = [
#         f"{here:13,} {100 * here / total:5.1f} %"
#         for here, total in zip((number, of_smollm2[part]), totals, strict=True)
#     ]
#     print(f"{part:14}", *cells)
# print(f"{'together':14} {totals[0]:13,} {totals[1]:21,}")
# in_blocks = [found["attention"] + found["MLPs"] for found in (of_gpt2, of_smollm2)]
# print(
#     f"MLPs alone, of MLPs and attention: {of_gpt2['MLPs'] / in_blocks[0]:.1%},",
#     f"{of_smollm2['MLPs'] / in_blocks[1]:.1%}",
# )

# %% tags=["active-ipynb"]
# see("mlp_share", percent=100 * of_smollm2["MLPs"] / totals[1])

# %% [markdown]
# The MLPs hold 59.2 % of SmolLM2, and 45.5 % of GPT-2 small. Two things add up:
#
# - **Within a block, attention got smaller.** GPT-2's MLP has two matrices of 4 d_model², 8 together. SwiGLU has three
#   of 8/3, which is 8 again: Shazeer 2020 (section 2) made the hidden layer narrower for that reason. But attention
#   went from 4 d_model² to 2.7, since three heads of keys and values serve nine heads of queries. So the MLPs' share of
#   what is in the blocks rose from two thirds to three quarters.
# - **The token table got smaller**, 21.0 % instead of 31.0 %: the stream is narrower, and more blocks stand beside it.
#
# Most of what is new has not added any parameters. The rotary tables are computed, an RMSNorm has half as many as a
# LayerNorm, and there are no biases.

# %% [markdown]
# ### What it means for real models
#
# Whoever can read GPT-2 can read a Llama: the stream, the two sums of each block and most names of activations are the
# same, in TransformerLens too. What differs is inside the parts.
#
# With this chapter's parts you have three rows of the table: Llama 2, Llama 3 and Qwen 3. The other two need more.
# OLMo 2 has its norms elsewhere, and its QK-norm reads all heads at once. Gemma 2 has four norms in a block and a GELU
# in its gate; it also multiplies the embedding by √d_model, caps its scores and logits by a tanh, and lets every other
# block see a window only (Gemma Team 2024, section 2, and `modeling_gemma2.py` in transformers).

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
