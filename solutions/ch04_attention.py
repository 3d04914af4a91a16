"""Chapter 4: softmax, the causal mask, and multi-head attention. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 4 · Attention: positions read one another
#
# Attention is the only part of GPT-2 through which one position learns what stands at another. You will write
# `softmax`, `apply_causal_mask`, and then `Attention` with all its heads. Through your own code you will look into the
# 24 heads of a small GPT-2, search them for two kinds that have a name, and switch heads off to see what it loses.
#
# About 2 hours, of which 50 minutes for the exercises. Afterwards you can
#
# - work out one head by hand: scores, mask, pattern, output;
# - write the layer for all heads at once, and read it in three other forms;
# - measure what a head looks at, and test whether the model needs it.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError(
#         "This kernel does not have the course. In Colab, run the cell above this one; "
#         "elsewhere, in the course's folder: make lab"
#     ) from None
#
# start("ch04_attention")

# %%
import einops
import torch
from jaxtyping import Float
from torch import Tensor, nn

from utils.config import Config

# %% tags=["active-ipynb", "folded"]
# # @title Imports what the chapter needs, its tests among it
# import math
# from functools import lru_cache
#
# from tests.ch04_attention import test_apply_causal_mask, test_attention, test_softmax
# from utils.controls import explore, slider, text_box
# from utils.model_map import model_map
# from utils.plotting import heatmap
# from utils.plotting.attention import patterns
# from utils.plotting.neurons import curves
# from utils.plotting.stream import grouped_bars
# from utils.reference import encode, reference, str_tokens
# from utils.texts import typed, wrapped
# from utils.transplant import (
#     TALE,
#     given_to,
#     logits_with,
#     loss_on,
#     next_token_loss,
#     tell,
#     with_weights,
# )
# from utils.waiting import waiting

# %% tags=["active-ipynb"]
# model_map("attn")

# %% [markdown]
# The map of the model, from left to right; orange marks this chapter. Text comes in as **tokens**, words or pieces of
# words (chapter 0). At each position the model keeps one vector of `d_model` numbers, the **residual stream** (chapter
# 1). It runs through the **blocks**, and each block adds to it twice: first what attention says, then what the MLP
# says. At the end the stream becomes **logits**, one score for each token that might come next.
#
# Attention reads the stream through a LayerNorm, which brings every vector to one scale (chapter 3). What it reads is
# called `normalized_resid_pre`.
#
# Our **reference model** is a small GPT-2, trained for this course on 73 children's books: 6 blocks, also called
# layers, with 4 attention heads each.

# %% [markdown]
# ## Two stories that end alike
#
# Below are two texts. Both are 7 tokens long, and both end in " the". What does the model expect next? We ask it twice:
# as it is, and with the answer of every attention layer replaced by zeros.
#
# **Before you run it**: what will the two texts get when attention is silent?

# %% tags=["active-ipynb"]
# model = reference()
# attn_names = [f"blocks.{layer}.attn" for layer in range(model.cfg.n_layers)]
# silence = dict.fromkeys(attn_names, torch.zeros_like)
# for label, replaced in {"as it is": {}, "silent": silence}.items():
#     for story in ("The king sat down on the", "The fish swam deep in the"):
#         story_logits = logits_with(replaced, encode(story))[0, -1]
#         likely = story_logits.softmax(dim=-1).topk(3)
#         guesses = zip(str_tokens(likely.indices), likely.values, strict=True)
#         said = (f"{word} {chance:.3f}" for word, chance in guesses)
#         print(f"{label:8} {story:25}", *said)

# %% [markdown]
# As it is, the model tells the stories apart: the king sits on the ground, 0.129, and the fish swims in the water,
# 0.249. With attention silent, both get the same three words with the same chances, " other" first with 0.081.
#
# It could not be otherwise. Embedding, LayerNorm, MLP and unembedding handle each position alone, and the last position
# is the same number and holds the same token in both texts. Only attention can carry king or fish there.
#
# (What it does not show: how good a model without attention could be. This one was trained with it.)

# %% [markdown]
# ## One head by hand
#
# Five tokens: *the fox saw the moon*. One **head** of attention works like this. From the vector at each position it
# makes three short ones, of `d_head` numbers each, here 2:
#
# - the **query** `q`, which stands for what this position looks for;
# - the **key** `k`, which stands for what this position can be found by;
# - the **value** `v`, which is what this position hands over.
#
# The names come from databases, and they are an analogy: the numbers mean what training makes of them. We choose ours
# by hand. A query and a key meet in a dot product, the **score**.

# %% tags=["active-ipynb"]
# fox_words = ["the", "fox", "saw", "the", "moon"]
# fox_q = torch.tensor([[0.0, 0], [1, 0], [1, 0], [0, 1], [1, 1]])
# fox_k = torch.tensor([[0.0, 0], [2, 0], [0, 1], [0, 0], [1, 0]])
# fox_v = torch.tensor([[0.0, 0], [30, 0], [0, 30], [0, 0], [0, 0]])
#
# fox_scores = fox_q @ fox_k.T
# heatmap(
#     fox_scores, fox_words, fox_words, "The score of each query with each key",
#     show_values=True, row_title="query", column_title="key",
# )

# %% [markdown]
# Rows are queries, columns are keys. The query of "saw" is (1, 0). It scores 2 with the key of "fox", 1 with the key of
# "moon", and 0 with the others.
#
# Two more steps turn a row of scores into what the head hands back, `z`.
#
# 1. **Hide the future.** A position may read itself and what came before. "saw" keeps the, fox and saw: scores 0, 2, 0.
# 2. **Blend.** Let one point of score double the share: 1, 4 and 1 parts, 6 in all. Mix the values in these shares:
#    4/6 of fox's (30, 0) and 1/6 of saw's (0, 30) make `z` = (20, 5).

# %% tags=["active-ipynb"]
# fox_parts = torch.exp2(fox_scores).tril()  # tril() leaves 0 right of the diagonal
# fox_pattern = fox_parts / fox_parts.sum(dim=-1, keepdim=True)
# fox_z = fox_pattern @ fox_v
# for word, parts, z in zip(fox_words, fox_parts, fox_z, strict=True):
#     print(f"{word:5} parts {parts.int().tolist()}, z = ({z[0]:.0f}, {z[1]:.0f})")
#
# who_whom = "The pattern: who reads whom"
# patterns(fox_pattern[None], fox_words, who_whom, names=["by hand"], show_values=True)

# %% [markdown]
# The shares are the **attention weights**, and all of them together are the **pattern**: one row for each query, and
# each row adds up to 1. "saw" gives 0.667 to "fox" and 0.167 each to "the" and to itself. The upper right half is 0:
# that is the future.
#
# **What it is not.**
#
# - This kind of sharing out, **softmax**, does not choose; it blends. "saw" gets 20 of fox's 30, not all of them.
# - The pattern is **not stored**. Stored is how to make `q`, `k` and `v`; the pattern is computed for each text.
# - The hidden half is **not about training only**. The model hides the future whenever it reads; below you will see
#   what it does when it does not.

# %% [markdown]
# ## From scores to weights
#
# GPT-2 takes e = 2.718... instead of 2. So one point of score multiplies a share by e, and ln 2 points double it:
#
# $$\text{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$
#
# Scores of 0, ln 4, 0 make 1, 4 and 1 parts, and the weights 1/6, 4/6, 1/6, as above. But written down as it stands the
# formula has a flaw. float32 numbers end at about 3.4 · 10³⁸:

# %% tags=["active-ipynb"]
# some_parts = torch.tensor([87.0, 88.0, 89.0]).exp()
# some_weights = some_parts / some_parts.sum()
# print("exp of 87, 88, 89:  ", *(f"{part:.3g}" for part in some_parts))
# print("divided by their sum:", *(f"{weight:.3g}" for weight in some_weights))

# %% [markdown]
# e⁸⁹ is too large and becomes infinite, and infinity divided by infinity is `nan`, not a number. In the reference model
# scores reach 47 on two short sentences, as you will see; nothing holds them below 88.
#
# The cure costs one subtraction. Take the same number c from every score, and every part is divided by the same eᶜ, and
# so is their sum: the weights stay as they were. With the largest score as c, the largest part is e⁰ = 1.

# %% [markdown] exercise="softmax" difficulty=1 importance=4 minutes=10
# ## Exercise: write `softmax`
#
# **What goes in?** `x`, scores in a tensor of any shape, and `dim`, the axis along which they compete (by default the
# last).
#
# **What comes out?** The same shape: positive weights that add up to 1 along `dim`.
#
# It must hold for any size of score, and for minus infinity, whose weight is 0. PyTorch has a `softmax` too, and it
# would pass; write it out once.
#
# **Before you code**: a tensor holds two rows of scores, 0, 1, 2 and 1000, 1001, 1002. You subtract the largest score
# of the whole tensor. What happens to the first row?
#
# <details><summary>Answer</summary>
#
# Its scores become −1002, −1001, −1000, and `exp` of each is 0 in float32. So the row is divided by a sum of 0, which
# makes `nan`. Each row needs its own largest score: take it along `dim`.
#
# </details>


# %%
def softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    """Turn scores into positive weights that add to 1 along `dim`.

    Subtracting the largest score first changes nothing in exact arithmetic and keeps
    `exp` from overflowing.

    Source: openai/gpt-2 src/model.py, softmax().
    """
    # BEGIN SOLUTION
    exp_scores = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
    return exp_scores / exp_scores.sum(dim=dim, keepdim=True)
    # END SOLUTION


# %% [markdown] hint="idea"
# Three steps, each along `dim`: subtract the largest score, take `exp`, divide by the sum.
#
# `x.amax(dim=dim)` and `x.sum(dim=dim)` drop that axis. `keepdim=True` keeps it with size 1, so that what you subtract
# or divide by lines up with `x`.

# %% [markdown] hint="pseudocode"
# ```text
# shifted = x minus its largest number along dim (keepdim)
# weights = exp of shifted
# return weights divided by their sum along dim (keepdim)
# ```

# %% tags=["active-ipynb"]
# test_softmax(softmax)

# %% [markdown]
# ## Hiding the future
#
# GPT-2 is trained to name the next token at *every* position at once. On the fox's five tokens the position of "saw"
# is asked for "the". If it could read the position after it, the answer would be lying there.
#
# So before softmax each score of a key in the future is replaced by minus infinity. Since e to the power of −∞ is 0,
# that key gets no weight, and the other weights still add up to 1.

# %% [markdown] exercise="apply_causal_mask" difficulty=2 importance=5 minutes=10
# ## Exercise: write `apply_causal_mask`
#
# **What goes in?** `attn_scores`: for each sentence and each head a square of scores, rows for queries, columns for
# keys.
#
# **What comes out?** The same shape. Where the key's position comes after the query's, minus infinity; elsewhere the
# score as it was. A large negative number, such as −1e9, is as good. You may change `attn_scores` in place, but return
# it.
#
# **Before you code**: with three positions there are nine scores. Which of them do you hide?
#
# <details><summary>Answer</summary>
#
# Three: query 0 with keys 1 and 2, and query 1 with key 2. They lie right of the diagonal. The diagonal itself stays:
# a position may read itself. For position 0 that is all there is to read.
#
# </details>


# %%
def apply_causal_mask(
    attn_scores: Float[Tensor, "batch head_index query_pos key_pos"],
) -> Float[Tensor, "batch head_index query_pos key_pos"]:
    """Put minus infinity wherever the key lies in the query's future.

    Source: openai/gpt-2 src/model.py, attention_mask() and mask_attn_weights().
    """
    # BEGIN SOLUTION
    query_pos, key_pos = attn_scores.shape[-2:]
    in_future = torch.ones(
        query_pos, key_pos, dtype=torch.bool, device=attn_scores.device
    ).triu(1)
    return attn_scores.masked_fill(in_future, float("-inf"))
    # END SOLUTION


# %% [markdown] hint="idea"
# Make a square of True and False that is True where the key comes after the query, [query_pos key_pos]. It lines up
# with the last two axes of the scores, so all sentences and heads get the same.
#
# `torch.triu(a, 1)` keeps what lies right of the diagonal of `a`. `tensor.masked_fill(mask, value)` returns a new
# tensor with the value wherever the mask is True.

# %% [markdown] hint="pseudocode"
# ```text
# in_future = square of ones, as large as the last two axes
#             keep what is right of the diagonal; as bool
# return attn_scores with -inf where in_future is True
# ```

# %% tags=["active-ipynb"]
# test_apply_causal_mask(apply_causal_mask)

# %% [markdown]
# Together your two functions make the pattern that we made by hand. The scores are multiplied by ln 2, so that a point
# doubles a weight again.

# %% tags=["active-ipynb"]
# fox_again = softmax(apply_causal_mask((fox_scores * math.log(2))[None, None]))[0, 0]
# print("the row of saw:", [f"{weight:.3f}" for weight in fox_again[2]])
# print("as by hand:", torch.allclose(fox_again, fox_pattern, atol=1e-5))

# %% [markdown]
# ## Why divide by the root of `d_head`?
#
# One thing is missing. GPT-2 divides every score by √`d_head` before it masks. Draw random queries and keys, every
# number with mean 0 and variance 1. Their dot product is a sum of `d_head` products. How large is it, and how much
# weight does the best of ten keys get?

# %% tags=["active-ipynb"]
# dice = torch.Generator().manual_seed(0)
# print("d_head  variance of a score  best of ten keys: unscaled  scaled")
# for width in (3, 12, 48, 192):
#     drawn_q = torch.randn(4000, 1, width, generator=dice)
#     drawn_k = torch.randn(4000, 10, width, generator=dice)
#     drawn_scores = (drawn_q * drawn_k).sum(dim=-1)
#     raw = softmax(drawn_scores).amax(dim=-1).mean()
#     scaled = softmax(drawn_scores / width**0.5).amax(dim=-1).mean()
#     print(f"{width:6}  {drawn_scores.var():19.3g}  {raw:26.2f}  {scaled:6.2f}")

# %% [markdown]
# The variance of a score is about `d_head`. Unscaled, the best of ten keys takes more of the weight the more numbers a
# vector has, 0.44 at 3 and 0.92 at 192, though all are random. Scaled, it takes 0.30 to 0.32 at every `d_head`.
#
# That is the argument of Vaswani et al. (2017). They add that they *suspect* the reason to be gradients: where one key
# has nearly all the weight, softmax passes hardly any. The argument is about random vectors.
# Training can make queries and keys of any size, and it does:

# %% tags=["active-ipynb"]
# for layer, name in enumerate(attn_names):
#     there = model.activations[f"{name}.hook_attn_scores"]
#     visible = there[there > -1e30]  # the others are masked
#     least, most = visible.min(), visible.max()
#     print(f"layer {layer}: scaled scores from {least:6.1f} to {most:5.1f}")

# %% [markdown]
# These are the scaled scores of the reference model on two short sentences. In layer 1 they stay between −2.5 and 2.7;
# in layer 2 they run from −47.0 to 46.7. Scaled does not mean small.

# %% [markdown]
# ## Many heads at once
#
# A layer has `n_heads` heads, each with matrices of its own. They share nothing but the input, and their answers are
# added up. No loop is needed: keep a `head_index` axis, and let `einops.einsum` name what is multiplied and summed.
#
# | | shape | |
# |---|---|---|
# | `W_Q`, `W_K`, `W_V` | `[n_heads d_model d_head]` | from the stream to q, k, v |
# | `b_Q`, `b_K`, `b_V` | `[n_heads d_head]` | added to these |
# | `W_O` | `[n_heads d_head d_model]` | from a head's z back to the size of the stream |
# | `b_O` | `[d_model]` | added once, after all heads |
#
# Three steps remain, each of two lines or less. Write them one by one; the cell below each checks it. Then `Attention`
# only has to call them. (You may write `Attention` without them. The figures after it need them all the same.)

# %% [markdown]
# ### Step 1: make the queries
#
# `project_heads` makes the `q` of all heads at all positions, from their weight and bias. Keys and values are made in
# the same way, so one function does for all three.
#
# In `einsum` an axis that is on the left of the arrow and not on the right is summed over. In the line below, which
# makes the fox's scores again, that is `d_head`. In your function it will be `d_model`.

# %% tags=["active-ipynb"]
# fox_axes = "query_pos d_head, key_pos d_head -> query_pos key_pos"
# fox_by_einsum = einops.einsum(fox_q, fox_k, fox_axes)
# print("einsum makes the same scores:", torch.equal(fox_by_einsum, fox_scores))


# %%
def project_heads(
    normalized_resid_pre: Float[Tensor, "batch pos d_model"],
    weight: Float[Tensor, "head_index d_model d_head"],
    bias: Float[Tensor, "head_index d_head"],
) -> Float[Tensor, "batch head_index pos d_head"]:
    """Each position's vector times the matrix of each head, plus that head's bias."""
    # BEGIN SOLUTION
    axes = "batch pos d_model, head_index d_model d_head -> batch head_index pos d_head"
    return einops.einsum(normalized_resid_pre, weight, axes) + bias[:, None]
    # INSTEAD OF
    # raise NotImplementedError("project_heads: write this part")
    # END SOLUTION


# %% tags=["active-ipynb", "folded"]
# # @title Checks your project_heads
# step_dice = torch.Generator().manual_seed(1)
# step_input = torch.randn(2, 5, 8, generator=step_dice)  # 2 texts, 5 pos, d_model = 8
# step_weight = torch.randn(3, 8, 4, generator=step_dice)  # 3 heads, d_head = 4
# step_bias = torch.randn(3, 4, generator=step_dice)
#
# made_q = project_heads(step_input, step_weight, step_bias)
# expected = "[batch 2, head_index 3, pos 5, d_head 4]"
# assert made_q.shape == (2, 3, 5, 4), f"got {list(made_q.shape)}, expected {expected}"
# for head, pos in ((0, 0), (2, 4)):
#     want_q = step_input[1, pos] @ step_weight[head] + step_bias[head]
#     right = torch.allclose(made_q[1, head, pos], want_q, atol=1e-5)
#     assert right, f"head {head}, position {pos} is not x @ W + b"
# print("✔ each head makes its query of each position alone")

# %% [markdown]
# <details><summary>One way to write it</summary>
#
# ```python
# axes = "batch pos d_model, head_index d_model d_head -> batch head_index pos d_head"
# return einops.einsum(normalized_resid_pre, weight, axes) + bias[:, None]
# ```
#
# `bias` is [head_index d_head]. `bias[:, None]` is [head_index 1 d_head], so that every position gets it.
#
# </details>
#
# ### Step 2: let queries meet keys
#
# For each sentence and each head: the dot product of every query with every key, divided by √`d_head`.


# %%
def scaled_scores(
    q: Float[Tensor, "batch head_index query_pos d_head"],
    k: Float[Tensor, "batch head_index key_pos d_head"],
) -> Float[Tensor, "batch head_index query_pos key_pos"]:
    """The score of each query with each key, divided by the root of d_head."""
    # BEGIN SOLUTION
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    # INSTEAD OF
    # raise NotImplementedError("scaled_scores: write this part")
    # END SOLUTION


# %% tags=["active-ipynb", "folded"]
# # @title Checks your scaled_scores
# step_dice = torch.Generator().manual_seed(2)
# step_q, step_k = torch.randn(2, 2, 3, 5, 4, generator=step_dice)
# step_scores = scaled_scores(step_q, step_k)
# got, expected = list(step_scores.shape), "[batch 2, head_index 3, 5, 5]"
# assert got == [2, 3, 5, 5], f"got {got}, expected {expected}"
# for query_pos, key_pos in ((4, 1), (1, 4)):
#     want = step_q[1, 2, query_pos] @ step_k[1, 2, key_pos] / 2  # the root of d_head = 4
#     got = step_scores[1, 2, query_pos, key_pos]
#     right = torch.isclose(got, want, atol=1e-5)
#     assert right, f"query {query_pos}, key {key_pos}: {got:.3f}"
# print("✔ every query meets every key, scaled; rows are queries")

# %% [markdown]
# <details><summary>One way to write it</summary>
#
# ```python
# return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
# ```
#
# `@` multiplies the matrices in the last two axes, for each sentence and head. With `einsum` it is
# `"batch head q d_head, batch head k d_head -> batch head q k"`.
#
# </details>
#
# ### Step 3: back into the stream
#
# Each head has found its `z`. It goes through that head's own `W_O`, all heads are added up, and `b_O` is added once.


# %%
def mix_heads(
    z: Float[Tensor, "batch head_index pos d_head"],
    weight: Float[Tensor, "head_index d_head d_model"],
    bias: Float[Tensor, " d_model"],
) -> Float[Tensor, "batch pos d_model"]:
    """The sum over heads of each z times its matrix, plus the bias once."""
    # BEGIN SOLUTION
    axes = "batch head_index pos d_head, head_index d_head d_model -> batch pos d_model"
    return einops.einsum(z, weight, axes) + bias
    # INSTEAD OF
    # raise NotImplementedError("mix_heads: write this part")
    # END SOLUTION


# %% tags=["active-ipynb", "folded"]
# # @title Checks your mix_heads
# mix_dice = torch.Generator().manual_seed(3)
# step_z = torch.randn(2, 3, 5, 4, generator=mix_dice)
# step_out = torch.randn(3, 4, 8, generator=mix_dice)
# step_out_bias = torch.randn(8, generator=mix_dice)
# step_answer = mix_heads(step_z, step_out, step_out_bias)
# got = list(step_answer.shape)
# assert got == [2, 5, 8], f"got {got}, expected [batch 2, pos 5, d_model 8]"
# want = sum(step_z[1, head, 4] @ step_out[head] for head in range(3)) + step_out_bias
# right = torch.allclose(step_answer[1, 4], want, atol=1e-4)
# assert right, "it is not the sum of z @ W_O, plus b_O once"
# print("✔ the heads are added up, and the bias once")

# %% [markdown]
# <details><summary>One way to write it</summary>
#
# ```python
# axes = "batch head_index pos d_head, head_index d_head d_model -> batch pos d_model"
# return einops.einsum(z, weight, axes) + bias
# ```
#
# `head_index` is missing on the right, so `einsum` sums over it: that adds the heads up.
#
# </details>

# %% [markdown] exercise="Attention" difficulty=3 importance=5 minutes=20
# ## Exercise: write `Attention`
#
# **What goes in?** `normalized_resid_pre`: for each position a vector of `d_model` numbers, out of `ln1`.
#
# **What comes out?** The same shape: what the block will add to the residual stream.
#
# `__init__` is given. Write `forward`: queries, keys and values; scores; mask; softmax; the blend of values; back into
# the stream. Your five functions do all of it but the blend. Any other way that is right will pass.
#
# The test looks at one part after another, and the first line with a ✘ is where to look. It sees the parts through
# weights that it chooses. With `W_Q`, `W_K` and their biases at 0, for instance, all scores are equal, and what is left
# is mask, values and output.
#
# **Before you code**: let every score be equal. What does position 3 get as its `z`?
#
# <details><summary>Answer</summary>
#
# The mean of the values at positions 0, 1, 2 and 3, each with the weight ¼. Not the mean over the whole text: the mask
# comes before softmax.
#
# </details>


# %%
class Attention(nn.Module):
    """Let each position read from itself and those before it, with heads side by side.

    Source: openai/gpt-2 src/model.py, attn(); Vaswani et al. 2017, eq. 1 and section
    3.2.2.
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

    def forward(
        self, normalized_resid_pre: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        project = (
            "batch pos d_model, head_index d_model d_head"
            " -> batch head_index pos d_head"
        )
        q = einops.einsum(normalized_resid_pre, self.W_Q, project) + self.b_Q[:, None]
        k = einops.einsum(normalized_resid_pre, self.W_K, project) + self.b_K[:, None]
        v = einops.einsum(normalized_resid_pre, self.W_V, project) + self.b_V[:, None]
        attn_scores = q @ k.transpose(-2, -1) / self.cfg.d_head**0.5
        pattern = softmax(apply_causal_mask(attn_scores), dim=-1)
        z = pattern @ v
        mix = (
            "batch head_index pos d_head, head_index d_head d_model"
            " -> batch pos d_model"
        )
        return einops.einsum(z, self.W_O, mix) + self.b_O
        # END SOLUTION


# %% [markdown] hint="idea"
# You have all the parts. `project_heads` makes q, k and v from the three pairs of weight and bias. `scaled_scores`,
# your mask and your `softmax` make the pattern. `mix_heads` ends it.
#
# The blend in between is a product of matrices: the pattern is [.. query_pos key_pos], the values are [.. key_pos
# d_head], and `pattern @ v` sums over the keys.

# %% [markdown] hint="pseudocode"
# ```text
# q, k, v = project the input with W_Q and b_Q, with W_K and b_K, with W_V and b_V
# scores  = q times k transposed, divided by the root of d_head
# pattern = softmax over the keys of the masked scores
# z       = pattern times v
# return the sum over heads of z times W_O, plus b_O
# ```

# %% tags=["active-ipynb"]
# test_attention(Attention)

# %% [markdown]
# ## See it work
#
# `with_weights` gives an `Attention` of yours the trained weights of one layer. The model then reads a tale written for
# this course with your six in place of its own. The **loss** is the mean over all next tokens of −log(the probability
# that the model gave), in *nats*, the unit of the natural logarithm. 0 would be perfect foresight.

# %% tags=["active-ipynb"]
# def mine_without(*heads_off):
#     """Your six layers, trained; these heads (layer, head) write nothing."""
#     layers = {name: with_weights(Attention, name) for name in attn_names}
#     with torch.no_grad():
#         for layer, head in heads_off:
#             layers[attn_names[layer]].W_O[head] = 0.0
#     return layers
#
#
# mine = mine_without()
# print(f"its own: {loss_on(TALE, {}):.3f} nats, yours: {loss_on(TALE, mine):.3f} nats")
# print(wrapped(tell("Once upon a time", mine, seed=5)))

# %% [markdown]
# The same loss, 3.303 nats, and a story told by your attention.
#
# Now look inside. `Attention` returns only its answer, but your steps can be asked for the pattern. `patterns_of` lets
# the model run with your six layers, notes what each of them reads, and takes your steps up to softmax. The cell
# after it checks that these patterns lead to what your `Attention` answered.

# %% tags=["active-ipynb"]
# def pattern_of(layer, vectors):
#     """The pattern [head_index query_pos key_pos] of a layer on one text."""
#     part = mine[attn_names[layer]]
#     q = project_heads(vectors, part.W_Q, part.b_Q)
#     k = project_heads(vectors, part.W_K, part.b_K)
#     return softmax(apply_causal_mask(scaled_scores(q, k)))[0]
#
#
# @torch.no_grad()
# def patterns_of(text_tokens):
#     """The patterns [layer head_index query_pos key_pos] of one row of tokens."""
#     read = given_to(mine, text_tokens)
#     return torch.stack([pattern_of(i, read[name]) for i, name in enumerate(attn_names)])

# %% tags=["active-ipynb"]
# fox_part = mine["blocks.5.attn"]
# fox_read = given_to(mine, model.tokens[:1])["blocks.5.attn"]
# with torch.no_grad():
#     fox_values = project_heads(fox_read, fox_part.W_V, fox_part.b_V)
#     fox_blend = pattern_of(5, fox_read) @ fox_values
#     from_patterns = mix_heads(fox_blend, fox_part.W_O, fox_part.b_O)
#     same = torch.allclose(from_patterns, fox_part(fox_read), atol=1e-3)
# print("these patterns give your answer:", same)

# %% tags=["active-ipynb"]
# @lru_cache(maxsize=8)  # one run makes the patterns of all layers
# def patterns_in(text):
#     return patterns_of(typed(text, most=40))
#
#
# def draw_patterns(text, layer):
#     words = str_tokens(typed(text, most=40)[0])
#     return patterns(patterns_in(text)[layer], words, f"The four heads of layer {layer}")
#
#
# pugwit = text_box("Pugwit met a toad. Pugwit")
# explore(draw_patterns, text=pugwit, layer=slider(0, 5, 5))

# %% [markdown]
# Each square is a head. A row is a query, the reader; the dark cells in its row are the keys that it reads. Right of
# the diagonal all is empty. Write a sentence of your own, press Enter, and move through the layers. (An emoji is
# several tokens of one byte each, shown as �.)
#
# "Pugwit" is an invented name, four tokens long. Look at the last four rows, where it comes again, in head 2 of layer
# 5. Where the text says "ug", the head reads "w"; at "w" it reads "it", and at "it" the word after the first Pugwit, "
# met". In most other rows it reads the first column, `<|endoftext|>`. Is that an accident of this sentence?

# %% [markdown]
# ## Heads that can be named
#
# A picture suggests; a measure tells. Two kinds of heads have names in the literature (Elhage et al. 2021, Olsson et
# al. 2022):
#
# - a **previous-token head** looks at the position just before;
# - an **induction head** looks for an earlier copy of the current token, and reads what came *after* it.
#
# Write both measures, a line or two each. `pattern.diagonal(offset=-1, dim1=-2, dim2=-1)` is what every query gives to
# the key one before it.
#
# For the second, the text is a row of `period` random tokens, and then the same row again: nobody can know such a
# phrase by heart. A query in the second copy finds its token `period` positions back, and what came after it `period -
# 1` back.


# %%
def looks_one_back(
    pattern: Float[Tensor, "*layer head_index query_pos key_pos"],
) -> Float[Tensor, "*layer head_index"]:
    """The mean weight of a query on the position just before it; query 0 has none."""
    # BEGIN SOLUTION
    return pattern.diagonal(offset=-1, dim1=-2, dim2=-1).mean(dim=-1)
    # INSTEAD OF
    # raise NotImplementedError("looks_one_back: write this part")
    # END SOLUTION


def looks_after_its_twin(
    pattern: Float[Tensor, "*layer head_index query_pos key_pos"], period: int
) -> Float[Tensor, "*layer head_index"]:
    """The mean weight of the last `period` queries on what is `period - 1` before."""
    # BEGIN SOLUTION
    after_twin = pattern.diagonal(offset=1 - period, dim1=-2, dim2=-1)
    return after_twin[..., -period:].mean(dim=-1)
    # INSTEAD OF
    # raise NotImplementedError("looks_after_its_twin: write this part")
    # END SOLUTION


# %% tags=["active-ipynb", "folded"]
# # @title Checks both measures on patterns made by hand
# one_back = torch.eye(7).roll(1, dims=0)[None]  # all weight on the key one before
# two_back = torch.eye(7).roll(2, dims=0)[None]
# halves = torch.cat([one_back[:, :4], two_back[:, 4:]], dim=1)  # only the last 3 do
# for measured, expected, what in (
#     (looks_one_back(one_back), 1.0, "a head that only looks one back measures 1"),
#     (looks_one_back(two_back), 0.0, "a head that only looks two back measures 0"),
#     (looks_after_its_twin(two_back, 3), 1.0, "after the twin is 2 back at period 3"),
#     (looks_after_its_twin(one_back, 3), 0.0, "1 back is not it at period 3"),
#     (looks_after_its_twin(halves, 3), 1.0, "only the last `period` queries count"),
# ):
#     assert measured.tolist() == [expected], what
# print("✔ both measures hold on patterns made by hand")

# %% [markdown]
# <details><summary>One way to write them</summary>
#
# ```python
# return pattern.diagonal(offset=-1, dim1=-2, dim2=-1).mean(dim=-1)
# ```
#
# ```python
# after_twin = pattern.diagonal(offset=1 - period, dim1=-2, dim2=-1)
# return after_twin[..., -period:].mean(dim=-1)
# ```
#
# </details>

# %% [markdown]
# First, which heads look one back? We measure on the tale, and on 101 random tokens, in which there is nothing to
# understand.

# %% tags=["active-ipynb"]
# period = 50
# token_dice = torch.Generator().manual_seed(0)
# highest = model.cfg.d_vocab
# no_twins = torch.randint(1, highest, (1, 1 + 2 * period), generator=token_dice)
# no_twins[0, 0] = 0  # every text begins with <|endoftext|>
# four_rows = torch.randint(1, highest, (4, period), generator=token_dice)
# first_column = torch.zeros(4, 1, dtype=torch.int64)
# twice = torch.cat([first_column, four_rows, four_rows], dim=1)

# %% tags=["active-ipynb", "folded"]
# # @title Draws how much each head looks one back, on the tale
# layer_names = [f"layer {layer}" for layer in range(model.cfg.n_layers)]
# head_names = [f"head {head}" for head in range(model.cfg.n_heads)]
# back_on_tale = looks_one_back(patterns_of(encode(TALE)))
# back_on_noise = looks_one_back(patterns_of(no_twins))
# evenly = (1 / torch.arange(2.0, len(encode(TALE)[0]) + 1)).mean()
# print(f"a head that reads all visible positions evenly: {evenly:.3f} on the tale")
# for layer, head in ((2, 0), (2, 1), (2, 2), (2, 3), (3, 2), (4, 1), (5, 1), (5, 3)):
#     on_tale, on_noise = back_on_tale[layer, head], back_on_noise[layer, head]
#     print(f"{layer}.{head}: tale {on_tale:.2f}, random tokens {on_noise:.2f}")
# heatmap(
#     back_on_tale,
#     layer_names,
#     head_names,
#     "Weight on the position just before, on the tale",
#     show_values=True,
# )

# %% [markdown]
# "2.1" is head 1 of layer 2. All four heads of layer 2 stand out, with 0.23 to 0.42, and so do 3.2 with 0.40 and 4.1,
# 5.1 and 5.3 with 0.20 to 0.26; even reading would give 0.04. On random tokens layer 2, 3.2 and 4.1 do the same or
# more. 5.1 and 5.3 fall to 0.07 and 0.08, so what they read depends on the words.
#
# ### Do they count one back?
#
# A weight on the position before can come about in more than one way. Here are all scores of one query in layer 2, the
# query at position 50, *before* the mask: what does it give to the keys before it, and to those in its future?

# %% tags=["active-ipynb"]
# @torch.no_grad()
# def open_scores(layer, text_tokens):
#     """The scores of a layer before the mask, [head_index query_pos key_pos]."""
#     name = attn_names[layer]
#     part, vectors = mine[name], given_to(mine, text_tokens)[name]
#     q = project_heads(vectors, part.W_Q, part.b_Q)
#     k = project_heads(vectors, part.W_K, part.b_K)
#     return scaled_scores(q, k)[0]

# %% tags=["active-ipynb", "folded"]
# # @title Draws the scores of query 50, by the key's position
# def with_position(row):
#     """The correlation of a query's scores with the position; points a position."""
#     keys = torch.arange(float(len(row)))
#     both = torch.cov(torch.stack([row, keys]))
#     return both[0, 1] / (both[0, 0] * both[1, 1]).sqrt(), both[0, 1] / both[1, 1]
#
#
# tale_patterns = patterns_of(encode(TALE))
# print("      follows the key's position    points a    weight at 0 to 4 back")
# print("      on the tale, random tokens    position")
# for layer in (1, 2):
#     on_tale, on_noise = (
#         open_scores(layer, text)[:, 50] for text in (encode(TALE), no_twins)
#     )
#     for head in range(model.cfg.n_heads):
#         follows, slope = with_position(on_tale[head])
#         on_random, _ = with_position(on_noise[head])
#         its_pattern = tale_patterns[layer, head]
#         back = [f"{its_pattern.diagonal(offset=-far).mean():.2f}" for far in range(5)]
#         print(f"{layer}.{head}   {follows:11.2f}  {on_random:13.2f}", end=" ")
#         print(f"   {slope:8.2f}   ", *back)
#
# score_figure = curves(
#     torch.arange(float(on_tale.shape[-1])),
#     {f"2.{head}": row for head, row in enumerate(on_tale)},
#     "The scores of query 50 in layer 2, before the mask",
#     x_title="position of the key",
#     y_title="score",
# )
# score_figure.add_vrect(
#     x0=50.5,
#     x1=on_tale.shape[-1] - 1,
#     line_width=0,
#     fillcolor="#8a929c",
#     opacity=0.2,
#     annotation_text="hidden by the mask",
#     annotation_position="bottom right",
# )

# %% [markdown]
# In layer 2 the scores are nearly a straight line in the key's position, with a correlation of 0.99 in all four heads,
# on random tokens too. The lines climb on into the future. So these heads do not look for "one before me". They look
# for "the latest", and your mask cuts off all that is later than the query.
#
# Layer 1 is the control. Its scores follow the position as well, but gain 0.04 points a position or less, against 0.52
# to 0.78 in layer 2. So it reads almost evenly, 0.04 or 0.05 everywhere. **A correlation is not a weight.**
#
# In layer 2 the weight falls on the latest few: in head 2.2, 0.27 on the query itself, 0.42 one back, 0.17 two back.
# What this does not tell is why one back gets more than the query itself.
#
# Now the second measure, on four texts in which 50 random tokens come twice. As a control the same measure is taken
# where nothing comes twice.

# %% tags=["active-ipynb"]
# each_row = [looks_after_its_twin(patterns_of(row[None]), period) for row in twice]
# twin_on_twice = torch.stack(each_row).mean(dim=0).round(decimals=3)
# twin_on_noise = looks_after_its_twin(patterns_of(no_twins), period)
# print(f"the same measure where nothing comes twice: {twin_on_noise.max():.3f} at most")
# twin_title = "Weight on what came after the twin"
# heatmap(twin_on_twice, layer_names, head_names, twin_title, show_values=True)

# %% [markdown]
# One head of 24: 5.2 gives 0.775 of its weight to the token after the twin. No other gives more than 0.022, and where
# nothing comes twice none gives more than 0.016. The tokens are random, so 5.2 can't know the phrase. It looks for what
# followed last time.

# %% [markdown]
# ## Does the model need them?
#
# Looking somewhere is one thing, being of use another. So switch each head off in turn: its `W_O` is set to 0, and it
# writes nothing. Two losses tell: the second copy of the random rows, which can only be known by copying, and the tale.

# %% tags=["active-ipynb"]
# def copying_loss(layers):
#     """The loss on the second copy alone, from its second token on."""
#     logits, second = logits_with(layers, twice)[:, period + 1 :], twice[:, period + 1 :]
#     each = [next_token_loss(logits[[row]], second[[row]]) for row in range(len(twice))]
#     return torch.stack(each).mean()
#
#
# all_heads = [(layer, head) for layer in range(6) for head in range(4)]

# %% tags=["active-ipynb", "folded"]
# # @title Draws what copying costs without each head
# whole_copying = copying_loss(mine)
# copying_without = torch.stack(
#     [copying_loss(mine_without(head)) for head in waiting(all_heads, "24 heads")]
# ).view(6, 4)
# even = math.log(model.cfg.d_vocab)
# print(f"second copy, all heads: {whole_copying:.2f} nats;", end=" ")
# print(f"all tokens equally likely: {even:.2f}")
# heatmap(
#     (copying_without - whole_copying).round(decimals=2),
#     layer_names,
#     head_names,
#     "Nats more on the second copy without this head",
#     show_values=True,
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws what the tale costs without each head
# whole_tale = loss_on(TALE, mine)
# tale_without = torch.tensor(
#     [loss_on(TALE, mine_without(head)) for head in waiting(all_heads, "24 heads")]
# ).view(6, 4)
# dearer = (tale_without > tale_without[5, 2]).sum()
# print(f"the tale, all heads: {whole_tale:.3f} nats; {dearer} heads cost more than 5.2")
# heatmap(
#     (tale_without - whole_tale).round(decimals=3),
#     layer_names,
#     head_names,
#     "Nats more on the tale without this head",
#     show_values=True,
# )

# %% [markdown]
# Without 5.2 copying is gone: 8.15 nats more, 10.00 instead of 1.85, which is worse than giving all tokens the same
# chance. No other head costs more than 1.90. Without 5.0 copying even gets better, by 0.34.
#
# On the tale the same head costs 0.026 nats, and 15 others cost more. **A small cost does not mean that a head does
# nothing.** It may do one thing that this text does not ask for. An invented name that comes again does ask: how likely
# is its last token? Head 5.3 is the control.

# %% tags=["active-ipynb"]
# def chance_of_last(name, layers):
#     """How likely the last token of an invented name is, when the name comes again."""
#     text_tokens = encode(f"{name} met a toad. {name}")
#     logits = logits_with(layers, text_tokens)[0, -2]
#     return logits.softmax(dim=-1)[text_tokens[0, -1]]
#
#
# invented = ["Pugwit", "Fliblet", "Grizelda", "Mrakul"]
# invented += ["Quenby", "Ottokar", "Zibbeldorn", "Tomkin"]

# %% tags=["active-ipynb", "folded"]
# # @title Draws how likely the end of each invented name is
# versions = {
#     "all heads": mine,
#     "without 5.2": mine_without((5, 2)),
#     "without 5.3": mine_without((5, 3)),
# }
# chances = torch.tensor(
#     [[chance_of_last(name, each) for each in versions.values()] for name in invented]
# )
# first, again = (str_tokens(encode(name)[0, 1:]) for name in ("Tomkin", " Tomkin"))
# print("Tomkin is first", first, "and then", again)
# heatmap(
#     chances.round(decimals=2),
#     invented,
#     list(versions),
#     "How likely the name's last token is, the second time",
#     show_values=True,
# )

# %% [markdown]
# Five of the eight names end as expected, with chances of 0.72 to 0.99. Without 5.2 none of them keeps more than 0.01;
# without 5.3 none is any lower. The other three fail with all heads on. For Tomkin there is a reason: a sentence's
# first word has no space before it, so the name was "T", "om", "kin", and now it is " Tom", "kin". The head looks for
# an earlier copy of " Tom", and there is none. It matches tokens, not words.

# %% [markdown]
# ### A head alone, and its team
#
# Switch off all four heads of a layer together, and compare with the sum of what they cost one by one.

# %% tags=["active-ipynb", "folded"]
# # @title Draws what a layer's heads cost, alone and together
# whole_layers = [[(layer, head) for head in range(4)] for layer in range(6)]
# together = torch.tensor([loss_on(TALE, mine_without(*heads)) for heads in whole_layers])
# sums = {
#     "one by one, added up": (tale_without - whole_tale).sum(dim=-1),
#     "all four together": together - whole_tale,
# }
# grouped_bars(
#     {label: more.round(decimals=2) for label, more in sums.items()},
#     layer_names,
#     "Nats more on the tale without the four heads of a layer",
#     y_title="nats more",
# )

# %% [markdown]
# In layer 2 the four cost 0.21 nats one by one (orange), and 1.75 together (blue). In layer 1 it is 0.41 and 1.32. So
# one head's small cost says little about the layer. A guess that fits: its heads do much the same, and three stand in
# for the fourth. All four of layer 2 look at the latest positions, as you saw.

# %% [markdown]
# ## What if it could cheat?
#
# The reference model has never seen the future. Take away the mask, in every head, in one layer or in one head, and let
# it read the tale.
#
# **Before you run it**: will the loss fall to 0?

# %% tags=["active-ipynb"]
# def with_mask(layer, hide):
#     """A layer made of your steps, with another mask in the place of yours."""
#     part = mine[attn_names[layer]]
#
#     def answer(vectors):
#         q = project_heads(vectors, part.W_Q, part.b_Q)
#         k = project_heads(vectors, part.W_K, part.b_K)
#         v = project_heads(vectors, part.W_V, part.b_V)
#         pattern = softmax(hide(scaled_scores(q, k)))
#         return mix_heads(pattern @ v, part.W_O, part.b_O)
#
#     return answer

# %% tags=["active-ipynb"]
# def all_but(open_head):
#     """A mask that leaves one head's scores open."""
#
#     def hide(attn_scores):
#         hidden = apply_causal_mask(attn_scores.clone())
#         hidden[:, open_head] = attn_scores[:, open_head]
#         return hidden
#
#     return hide

# %% tags=["active-ipynb", "folded"]
# # @title Draws what the tale costs when one head's mask is off
# def tale_with(masks):
#     """The tale's loss when these layers have these masks."""
#     masked = {attn_names[i]: with_mask(i, hide) for i, hide in masks.items()}
#     return loss_on(TALE, {**mine, **masked})
#
#
# open_tale = torch.tensor(
#     [tale_with({i: all_but(head)}) for i, head in waiting(all_heads, "24 heads")]
# ).view(6, 4)
# no_mask = {layer: lambda scores: scores for layer in range(6)}
# print(f"masked everywhere {whole_tale:.2f} nats,", end=" ")
# print(f"no mask at all {tale_with(no_mask):.2f} nats")
# for layer, unmasked in no_mask.items():
#     more = tale_with({layer: unmasked}) - whole_tale
#     print(f"no mask in layer {layer}: {more:+.2f} nats")
# heatmap(
#     (open_tale - whole_tale).round(decimals=2) + 0.0,
#     layer_names,
#     head_names,
#     "Nats more with this head's mask off",
#     show_values=True,
# )

# %% [markdown]
# Without any mask the model gets *worse*, 5.85 nats instead of 3.30. Most of it comes from layers 1 and 2: opened
# alone, they cost 2.42 and 2.19. That fits what you saw of them. Layer 2 looks for the latest, which is now the end of
# the text; layer 1 reads evenly, and now what it reads is the mean of the whole text, nearly the same at every
# position.
#
# One head at a time, 23 of 24 change the loss by −0.04 to +0.16. And 5.2 takes 1.41 nats off. What does it read?

# %% tags=["active-ipynb"]
# cheating = softmax(open_scores(5, encode(TALE)))
# top_choice = cheating.argmax(dim=-1)[:, :-1]
# is_next = (top_choice == torch.arange(1, cheating.shape[-1])).float().mean(dim=-1)
# for head in range(4):
#     share = cheating[head].diagonal(offset=1).mean()
#     print(f"5.{head} open: {share:.2f} of its weight on the next token,", end=" ")
#     print(f"its top choice at {is_next[head]:.0%}")

# %% [markdown]
# 5.2 gives 0.22 of its weight to the next token, which is its top choice at 30 % of the positions; the others of its
# layer give 0.03 at most. A guess at the reason: 5.2 looks for what follows a copy of its token, and with the mask off
# the nearest copy is the token itself. What follows that is the answer.
#
# **What it is not**: a test of training without a mask. A model trained that way could learn to read one ahead
# everywhere, and its loss would say nothing of how it goes on where the next token does not exist yet.

# %% [markdown]
# ## Would another scale do?
#
# Multiply all scores of the trained model by one number: 0.5 is what you get if you divide by √`d_model` = √192 instead
# of √`d_head` = √48, and 6.93 = √48 is no scale at all.

# %% tags=["active-ipynb"]
# def with_scores_times(factor):
#     layers = mine_without()
#     with torch.no_grad():
#         for part in layers.values():
#             part.W_Q *= factor
#             part.b_Q *= factor
#     return layers
#
#
# for factor in (0.0, 0.5, 0.8, 1.0, 1.25, 2.0, 48**0.5):
#     loss = loss_on(TALE, with_scores_times(factor))
#     print(f"scores times {factor:4.3g}: {loss:.2f} nats")

# %% [markdown]
# The model was trained at 1, and of these it is best at 1: 3.30 nats. At 0.5 it has 4.12, at 6.93 it has 6.11. At 0,
# where every head reads evenly, it has 5.58: here, far too sharp is worse than no choice at all.
#
# What it does not show is how training with another scale would end. The weights could learn to make up for it.

# %% [markdown]
# ## Four ways to write one layer
#
# You will meet attention in other forms. Here are three, each given the weights of your layer 5.
#
# **A loop over heads**, as one would explain it:

# %% tags=["active-ipynb"]
# def looped(part, x):
#     answer = part.b_O
#     for head in range(part.cfg.n_heads):
#         q = x @ part.W_Q[head] + part.b_Q[head]
#         k = x @ part.W_K[head] + part.b_K[head]
#         v = x @ part.W_V[head] + part.b_V[head]
#         scores = q @ k.mT / part.cfg.d_head**0.5
#         pattern = softmax(apply_causal_mask(scores[:, None]))[:, 0]
#         answer = answer + pattern @ v @ part.W_O[head]
#     return answer

# %% tags=["active-ipynb"]
# def as_yours(form):
#     """Whether another form of layer 5 gives on the fox's text what yours gives."""
#     with torch.no_grad():
#         answer = form(fox_part, fox_read)
#         return torch.allclose(answer, fox_part(fox_read), atol=1e-3)
#
#
# print("a loop gives what yours gives:", as_yours(looped))

# %% [markdown]
# **Fused**, as in OpenAI's code and nanoGPT: one matrix, `c_attn`, makes q, k and v of all heads in one product. Then
# `view` cuts its last axis into three and into heads, and `transpose` moves `head_index` to the front. At the end the
# heads go back next to each other, and one matrix, `c_proj`, holds all `W_O` on top of each other.

# %% tags=["active-ipynb"]
# def side_by_side(weight):
#     """[head_index d_model d_head] as one matrix [d_model, n_heads * d_head]."""
#     return weight.transpose(0, 1).flatten(1)
#
#
# def fused(part, x):
#     batch, pos, _ = x.shape
#     weights, biases = (part.W_Q, part.W_K, part.W_V), (part.b_Q, part.b_K, part.b_V)
#     c_attn = torch.cat([side_by_side(weight) for weight in weights], dim=1)
#     c_attn_bias = torch.cat([bias.flatten() for bias in biases])
#     qkv = x @ c_attn + c_attn_bias
#     qkv = qkv.view(batch, pos, 3, part.cfg.n_heads, part.cfg.d_head)
#     q, k, v = (qkv[:, :, which].transpose(1, 2) for which in range(3))
#     z = softmax(apply_causal_mask(q @ k.mT / part.cfg.d_head**0.5)) @ v
#     c_proj = part.W_O.flatten(0, 1)
#     return z.transpose(1, 2).reshape(batch, pos, -1) @ c_proj + part.b_O
#
#
# print("fused gives what yours gives:", as_yours(fused))

# %% [markdown]
# **By PyTorch**: `F.scaled_dot_product_attention` does scale, mask, softmax and blend in one call, and can do so
# without ever writing the whole pattern to memory (Dao et al. 2022). It gives you no pattern to look at, either.

# %% tags=["active-ipynb"]
# def by_torch(part, x):
#     q = project_heads(x, part.W_Q, part.b_Q)
#     k = project_heads(x, part.W_K, part.b_K)
#     v = project_heads(x, part.W_V, part.b_V)
#     z = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
#     return mix_heads(z, part.W_O, part.b_O)
#
#
# print("PyTorch gives what yours gives:", as_yours(by_torch))

# %% [markdown]
# Four forms, one function, up to rounding: the sums run in another order. Which one is fastest depends on sizes and
# machine. On yours, `%timeit fused(fox_part, fox_read)` in a new cell tells.

# %% [markdown]
# ## A bug in the wild
#
# This is how "GPT From Scratch", a blog post from after November 2023, computes its pattern: softmax of (tril · QKᵀ /
# √E), where tril is a triangle of ones and E the size of the embedding. It stands below in our names. It runs, every
# shape fits, and every row of the pattern adds up to 1.
#
# There are two mistakes. Find them, mend them, and let the test of your `Attention` decide. (What is kept and counted
# stays your own class.)


# %%
class TutorialAttention(Attention):
    """Attention as the blog post has it."""

    def forward(
        self, normalized_resid_pre: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        q = project_heads(normalized_resid_pre, self.W_Q, self.b_Q)
        k = project_heads(normalized_resid_pre, self.W_K, self.b_K)
        v = project_heads(normalized_resid_pre, self.W_V, self.b_V)
        # BEGIN SOLUTION
        scores = q @ k.transpose(-2, -1) / self.cfg.d_head**0.5
        scores = apply_causal_mask(scores)
        # INSTEAD OF
        # scores = q @ k.transpose(-2, -1) / self.cfg.d_model**0.5
        # scores = scores * torch.ones_like(scores).tril()
        # END SOLUTION
        return mix_heads(softmax(scores) @ v, self.W_O, self.b_O)


# %% tags=["active-ipynb"]
# test_attention(TutorialAttention)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Multiplied by 0, a hidden score is 0, and e⁰ = 1: the future keeps a weight, and where the visible scores are negative
# even the larger one. The mask must make the score minus infinity: `scores = apply_causal_mask(scores)`.
#
# And q and k of one head have `d_head` numbers, not `d_model`: divide by `self.cfg.d_head**0.5`.
#
# </details>

# %% [markdown]
# ## Check your understanding
#
# **1.** You swap heads 0 and 1 of a layer: all of `W_Q`, `W_K`, `W_V`, `W_O` and the biases. What changes?
#
# <details><summary>Answer</summary>
#
# Nothing. The heads' answers are added up, and a sum has no order. "Head 2" is a name, not a place.
#
# </details>
#
# **2.** Add 10 to every number of `b_K`. What does the pattern do?
#
# <details><summary>Answer</summary>
#
# Nothing. Every key moves by the same vector c, so all scores of one query rise by the same q · c / √d_head, and
# softmax does not see what is added to a whole row. GPT-2 has a `b_K` all the same; we know of no reason.
#
# </details>
#
# **3.** Why not set the weights of the future to 0 *after* softmax?
#
# <details><summary>Answer</summary>
#
# The rest would no longer add up to 1: with the scores of "saw" unmasked, 1, 4, 1, 1, 2 out of 9, what is left is 6/9.
# If you divide anew, it is right on paper. But where the future held all the weight, float32 has rounded the past to 0,
# and 0/0 is `nan`.
#
# </details>
#
# **4.** Position 0 sees only itself. What can its attention do?
#
# <details><summary>Answer</summary>
#
# It has no choice: the weight is 1 whatever the scores. It adds `v` · `W_O` of its own vector, summed over the heads,
# plus `b_O`. Queries and keys make no difference there.
#
# </details>

# %% [markdown]
# Questions 1 to 3, put to your six layers on the tale. (The control leaves out `b_Q` instead of changing `b_K`.)

# %% tags=["active-ipynb", "folded"]
# # @title How far the logits move at most
# @torch.no_grad()
# def largest_change(change):
#     """How far the logits move at most when `change` is done to each of your layers."""
#     layers, text_tokens = mine_without(), encode(TALE)
#     for part in layers.values():
#         change(part)
#     moved = logits_with(layers, text_tokens) - logits_with(mine, text_tokens)
#     return moved.abs().max()
#
#
# def heads_in_reverse(part):
#     for name, weight in part.named_parameters():
#         if name != "b_O":
#             weight.copy_(weight.flip(0))
#
#
# for label, change in {
#     "1. heads in reverse order": heads_in_reverse,
#     "2. 10 added to b_K": lambda part: part.b_K.add_(10),
#     "   b_Q left out": lambda part: part.b_Q.zero_(),
# }.items():
#     moved = largest_change(change)
#     size = f"{moved:.2f}" if moved > 1e-3 else "less than 0.001"
#     print(f"{label:26} largest change of a logit:", size)
# past, future = softmax(torch.tensor([0.0, 200.0]))
# print("3. scores 0 (past), 200 (future), masked after softmax:", (past / past).item())

# %% [markdown]
# And the two mistakes of the hunt, in all six layers, one by one and together. Would you have heard them?

# %% tags=["active-ipynb"]
# half = (model.cfg.d_head / model.cfg.d_model) ** 0.5  # what the other root makes of it
# mistakes = {
#     "none": apply_causal_mask,
#     "divided by the root of d_model": lambda scores: apply_causal_mask(scores * half),
#     "multiplied by the mask": torch.tril,
#     "both": lambda scores: (scores * half).tril(),
# }
# for label, hide in mistakes.items():
#     mistaken = tale_with(dict.fromkeys(range(6), hide))
#     print(f"{label:31} {mistaken:.2f} nats")

# %% [markdown]
# Here, yes: 5.39 nats instead of 3.30. Whoever trains with the mistakes has no 3.30 to compare with, and no cell fails.

# %% [markdown]
# <details><summary><b>I get this error</b></summary>
#
# - **`The size of tensor a (5) must match the size of tensor b (3) at non-singleton dimension 2`**: a bias of shape
#   [head_index d_head] was added to [batch head_index pos d_head]. Write `bias[:, None]`, so that it has an axis for
#   the positions.
# - **`einsum(): subscript c has size 3 for operand 1 which does not broadcast with previously seen size 8`**: the names
#   in the pattern are in another order than the tensor's axes. `W_Q` is `head_index d_model d_head`, `W_O` is
#   `head_index d_head d_model`.
# - **`Expected size for first two dimensions of batch2 tensor to be: [6, 4] but got: [6, 5]`**: in `q @ k` the keys
#   must be transposed, `k.transpose(-2, -1)`.
# - **`The size of tensor a (3) must match the size of tensor b (5) at non-singleton dimension 1`**: `k.T` turns all
#   four axes round. `k.transpose(-2, -1)` swaps the last two.
# - **`view size is not compatible with input tensor's size and stride`**: `view` comes after `transpose`. Use
#   `reshape`, and make sure that `head_index` and `d_head` are next to each other first.
# - **All values are `nan`**: a row of the scores is −∞ throughout, so that softmax divides 0 by 0. Does the mask hide
#   the diagonal? Or 0 · ∞: a mask of infinities was multiplied instead of filled in.
# - **`masked_fill_ only supports boolean masks`**: turn the triangle into True and False, `.bool()`.
# - **`NotImplementedError: project_heads: write this part`** in a figure below your `Attention`: the figures call the
#   three steps. Write them, or copy "One way to write it".
# - **`NameError: name 'mine' is not defined`**: after a restart the cells above must run again. Run > Run All Above
#   Selected Cell.
#
# </details>

# %% [markdown]
# ## Where to read more
#
# - Vaswani et al. 2017, *Attention Is All You Need*, [arXiv:1706.03762](https://arxiv.org/abs/1706.03762): equation 1
#   is one head, section 3.2.2 many; the argument for the scale is in section 3.2.1.
# - Elhage et al. 2021, [*A Mathematical Framework for Transformer
#   Circuits*](https://transformer-circuits.pub/2021/framework/index.html): heads as things that read, move and write.
# - Olsson et al. 2022, [*In-context Learning and Induction
#   Heads*](https://transformer-circuits.pub/2022/in-context-learning-and-induction-heads/index.html).
# - [openai/gpt-2, src/model.py](https://github.com/openai/gpt-2/blob/master/src/model.py): `attn()`, `softmax()` and
#   `mask_attn_weights()`, which writes −10¹⁰ over the future.
# - Dao et al. 2022, *FlashAttention*, [arXiv:2205.14135](https://arxiv.org/abs/2205.14135): the same function, without
#   ever storing the pattern.
