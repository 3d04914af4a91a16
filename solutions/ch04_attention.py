"""Chapter 4: softmax, the causal mask, and multi-head attention. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 4 · Attention: positions read one another
#
# Attention is the only part of GPT-2 through which one position learns what is at another. You will write `softmax`,
# `apply_causal_mask`, and then `Attention` with all its heads. With your own code you then look into the 24 heads of a
# small GPT-2 and find the one that copies and the earlier heads that feed it.
#
# About 170 minutes in two sittings, 110 to *build* and 60 to *look inside*; 80 of them are for what you write.
# Afterwards you can
#
# - work out one head by hand: scores, mask, pattern, output;
# - write the layer for all heads at once, and read it in three other forms;
# - measure what a head looks at, test whether the model needs it, and find the heads it depends on;
# - recognise a mask that leaks, at inference and in training.

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
# # @title Imports what the chapter needs, its tests included
# import math
# from functools import lru_cache
#
# from tests.ch04_attention import test_apply_causal_mask, test_attention, test_softmax
# from tests.predictions.ch04_attention import predict, see
# from utils.controls import explore, slider, text_box
# from utils.model_map import model_map
# from utils.passages import OverPassages, passage_tokens
# from utils.pictures.arcs import arcs
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
#     scaled_and_shifted,
#     tell,
#     with_weights,
# )
# from utils.waiting import waiting

# %% tags=["active-ipynb"]
# model_map("attn")

# %% [markdown]
# This is the map of the model, from left to right; orange marks this chapter. Text comes in as **tokens**, which are
# words or pieces of words (chapter 0). At each position the model keeps one vector of `d_model` numbers, the **residual
# stream** (chapter 1). It runs through the **blocks**, and each block adds to it twice: first the output of attention,
# then the output of the MLP. At the end the stream becomes **logits**, one score for each token that might come next.
# Attention reads the stream through a LayerNorm, which brings every vector to one scale (chapter 3), as
# `normalized_resid_pre`.
#
# Our **reference model** is a small GPT-2, trained for this course on children's books: 6 blocks, also called layers,
# with 4 attention heads each. A small part of its training text was made to teach it copying: rows in which one
# passage comes again and again, its tokens in order or shuffled once, and later also rows in which a few short phrases
# come again and again in random order. You will meet the head that learned to copy.

# %% [markdown]
# ## Two stories that end alike
#
# Below are two texts of the same length, and both end in " the". What does the model expect next? We ask it twice: as
# it is, and with the output of every attention layer replaced by zeros.
#
# **Before you run it**: what will the model predict for the two texts when attention is silent?

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
# As it is, the model tells the stories apart: the king sits on the ground, and the fish swims in the water. With
# attention silent, both texts get the same three words with the same probabilities.
#
# It could not be otherwise. Embedding, LayerNorm, MLP and unembedding handle each position alone, and both texts end at
# the same position with the same token. Only attention can carry "king" or "fish" there. (This does not show how good a
# model without attention could be. This one was trained with it.)

# %% [markdown]
# ## One head by hand
#
# Five tokens: *the fox saw the moon*. From the vector at each position, one **head** of attention makes three short
# vectors of `d_head` numbers:
#
# - the **query** `q`, which stands for what this position looks for;
# - the **key** `k`, which stands for what this position can be found by;
# - the **value** `v`, which is what this position hands over.
#
# The names are only an analogy, borrowed from databases: what the numbers come to mean is up to training. Here we
# choose them ourselves, with `d_head` = 2.
#
# The head has a matrix [d_model d_head] for each of the three: `q = x @ W_Q`, `k = x @ W_K`, `v = x @ W_V`. Let the
# five vectors be the simplest there are, five numbers with a single 1. Then row i of `W_Q` *is* the query at position
# i. (The two *the*s get different vectors. In GPT-2 they differ too, because of their positions: chapter 2.)

# %% tags=["active-ipynb"]
# fox_words = ["the", "fox", "saw", "the", "moon"]
# fox_x = torch.eye(5)  # one row for each position, a 1 in a dimension of its own
# fox_W_Q = torch.tensor([[0.0, 0], [1, 0], [1, 0], [0, 1], [1, 1]])
# fox_W_K = torch.tensor([[0.0, 0], [2, 0], [0, 1], [0, 0], [1, 0]])
# fox_W_V = torch.tensor([[0.0, 0], [30, 0], [0, 30], [0, 0], [0, 0]])
# fox_q, fox_k, fox_v = fox_x @ fox_W_Q, fox_x @ fox_W_K, fox_x @ fox_W_V
# for name, made in {"query": fox_q, "key": fox_k, "value": fox_v}.items():
#     print(f"saw has the {name}", made[2].tolist())

# %% [markdown]
# A query and a key meet in a dot product, the **score**.

# %% tags=["active-ipynb"]
# fox_scores = fox_q @ fox_k.T
# heatmap(
#     fox_scores, fox_words, fox_words, "The score of each query with each key",
#     show_values=True, row_title="query", column_title="key",
# )

# %% [markdown]
# Rows are queries, columns are keys. The query of "saw" scores 2 with the key of "fox", 1 with the key of "moon", and 0
# with all other keys.
#
# Two more steps turn a row of scores into what the head hands back, `z`.
#
# 1. **Hide the future.** A position may read itself and what came before. "saw" keeps "the", "fox" and "saw", with the
#    scores 0, 2, 0.
# 2. **Blend.** Let one point of score double the share: "fox" gets 4 parts of 6, "the" and "saw" 1 each. Mixed in these
#    shares, the values of "fox" and "saw" make `z` = (20, 5); the value of "the" is zero.

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
# each row adds up to 1. The upper right half is 0, because it is the future.
#
# One matrix is left. `z` has `d_head` numbers, the stream has `d_model`. `W_O`, [d_head d_model], takes `z` back to
# `d_model` numbers, which are *added* to the vector that was there. Let ours put the two numbers of `z` in the
# dimensions of "fox" and "saw":

# %% tags=["active-ipynb"]
# fox_W_O = torch.tensor([[0.0, 1, 0, 0, 0], [0, 0, 1, 0, 0]])
# fox_after = fox_x + fox_z @ fox_W_O
# print("saw, before:", fox_x[2].tolist())
# print("saw, after: ", [f"{number:.0f}" for number in fox_after[2]])

# %% [markdown]
# Now the vector at "saw" holds 20 in the dimension that only "fox" had used. What was at one position is now at
# another, where later layers can use it. That is all attention does.
#
# **What it is not.**
#
# - **Softmax**, as this way of dividing up the weight is called, does not choose; it blends. "saw" gets 20 of fox's 30,
#   not all of them.
# - The pattern is **not stored** in the model. The matrices that make `q`, `k` and `v` are; the pattern is computed
#   afresh for each text.
# - The mask is **not only for training**. The model hides the future whenever it reads.

# %% [markdown]
# ## From scores to weights
#
# GPT-2 uses e = 2.718... instead of 2. So one point of score multiplies a share by e, and ln 2 points double it:
#
# $$\text{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$
#
# The formula looks ready to be typed in. But float32 ends at about 3.4 · 10³⁸:

# %% tags=["active-ipynb"]
# some_parts = torch.tensor([87.0, 88.0, 89.0]).exp()
# some_weights = some_parts / some_parts.sum()
# print("exp of 87, 88, 89:  ", *(f"{part:.3g}" for part in some_parts))
# print("divided by their sum:", *(f"{weight:.3g}" for weight in some_weights))

# %% [markdown]
# e⁸⁹ is too large and becomes infinite, and infinity divided by infinity is `nan`, not a number. That happens in
# practice: at 255 tokens the reference model nearly always has scores that large (More experiments, at the chapter's
# end).
#
# The cure costs one subtraction. Subtract the same number c from every score: every part is divided by the same eᶜ, and
# so is their sum, so the weights stay as they were. With the largest score as c, the largest part is e⁰ = 1.

# %% [markdown] exercise="softmax" difficulty=1 importance=4 minutes=15
# ## Exercise: write `softmax`
#
# **What goes in?** `x`, scores in a tensor of any shape, and `dim`, the axis along which they compete (by default the
# last).
#
# **What comes out?** A new tensor of the same shape: weights from 0 to 1 that add up to 1 along `dim`.
#
# The test also asks for the following:
#
# - scores of any size are handled, and minus infinity too, whose weight is 0 (no row is minus infinity throughout);
# - `x` itself is unchanged afterwards, and float32 gives float32;
# - gradients reach `x`: no `detach()` may cut the weights off from it.
#
# PyTorch has a `softmax` too, and it would pass; write it out once.
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
    """Turn scores into weights from 0 to 1 that add to 1 along `dim`.

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
# GPT-2 is trained to name the next token at *every* position at once. In the fox's tokens, the position of "saw" has to
# predict "the". If it could read the next position, it would find the answer there.
#
# So before softmax, every score whose key lies in the future is replaced by minus infinity. Since e to the power of −∞
# is 0, that key gets no weight, and the other weights still add up to 1.

# %% [markdown] exercise="apply_causal_mask" difficulty=2 importance=5 minutes=15
# ## Exercise: write `apply_causal_mask`
#
# **What goes in?** `attn_scores`: for each sentence and each head a square of scores, rows for queries, columns for
# keys.
#
# **What comes out?** A tensor of the same shape: minus infinity where the key's position comes after the query's, and
# elsewhere the score as it was. You may change `attn_scores` in place, but return it. Gradients must reach the scores
# that stay.
#
# In place of minus infinity a large negative number will do, −1e4 for instance. It must lie far below the scores that
# stay, so the test asks for −800 or less. It must also fit the dtype: in float16, which ends at −65504, `masked_fill`
# with −1e9 raises an error.
#
# **Before you code**: three positions make nine scores. Which of them do you hide?
#
# <details><summary>Answer</summary>
#
# Three: query 0 with keys 1 and 2, and query 1 with key 2. They lie right of the diagonal. The diagonal itself stays: a
# position may read itself. Position 0 has nothing else to read.
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
# Make a square of True and False, [query_pos key_pos], that is True where the key comes after the query. It lines up
# with the last two axes of the scores, so all sentences and heads get the same mask.
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
# Together your two functions make the pattern that we worked out by hand. The scores are multiplied by ln 2, so that a
# point doubles a weight again.

# %% tags=["active-ipynb"]
# fox_again = softmax(apply_causal_mask((fox_scores * math.log(2))[None, None]))[0, 0]
# print("the row of saw:", [f"{weight:.3f}" for weight in fox_again[2]])
# print("as by hand:", torch.allclose(fox_again, fox_pattern, atol=1e-5))

# %% [markdown]
# ## Why divide by the root of `d_head`?
#
# One thing is missing: GPT-2 divides every score by √`d_head` before it masks. A constant factor may seem a matter of
# taste. But a score is a sum of `d_head` products, so longer vectors make larger scores. What does that do to the best
# of ten keys? Draw random queries and keys in which every number has mean 0 and variance 1:

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
# Unscaled, the best of ten keys takes more of the weight the longer the vectors are, 0.92 at the end, though all are
# random. Scaled, it takes just under a third at every `d_head`.
#
# That is the argument of Vaswani et al. (2017). They *suspect* that the harm is done to the gradients: where one key
# has nearly all the weight, softmax passes back hardly any. But the argument is about random vectors. Training can make
# queries and keys of any size, and it does:

# %% tags=["active-ipynb"]
# for layer, name in enumerate(attn_names):
#     there = model.activations[f"{name}.hook_attn_scores"]
#     visible = there[there > -1e30]  # the others are masked
#     least, most = visible.min(), visible.max()
#     print(f"layer {layer}: scaled scores from {least:6.1f} to {most:5.1f}")

# %% [markdown]
# These are the scaled scores of the reference model on two short sentences: small in layer 1, beyond 40 in layer 2.
# **Scaled does not mean small.**

# %% [markdown]
# ## Many heads at once
#
# A layer has `n_heads` heads, each with its own matrices. They share nothing but the input, and their outputs are added
# up. No loop is needed: keep a `head_index` axis, and let `einops.einsum` name what is multiplied and summed.
#
# | | shape | |
# |---|---|---|
# | `W_Q`, `W_K`, `W_V` | `[n_heads d_model d_head]` | from the stream to q, k, v |
# | `b_Q`, `b_K`, `b_V` | `[n_heads d_head]` | added to these |
# | `W_O` | `[n_heads d_head d_model]` | from a head's z back to the size of the stream |
# | `b_O` | `[d_model]` | added once, after the sum over heads |
#
# Three steps remain, each of two lines at most, about 5 minutes each. Write them one by one; the cell below each one
# checks it. Then `Attention` only has to call them. (You may write `Attention` without them, but the figures after it
# need them.)

# %% [markdown]
# ### Step 1: make the queries
#
# `project_heads` makes the `q` of all heads at all positions from the weights and biases. Keys and values are made in
# the same way, so one function will do for all three.
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
# <details><summary>Hint</summary>
#
# For one text and one head it would be `x @ W`, a vector times a matrix at each position:
# `"pos d_model, d_model d_head -> pos d_head"`. `d_model` is in both and not on the right, so it is summed over.
#
# </details>
# <details><summary>The einsum step</summary>
#
# Now write the axes that you have: the input's are `batch pos d_model`, the weight's `head_index d_model d_head`. To
# the right of the arrow go the axes of the answer, in their order. You'll find them in the annotation of
# `project_heads`.
#
# The bias has no axis for the positions. `bias[:, None]` gives it one: [head_index 1 d_head].
#
# </details>
# <details><summary>One way to write it</summary>
#
# ```python
# axes = "batch pos d_model, head_index d_model d_head -> batch head_index pos d_head"
# return einops.einsum(normalized_resid_pre, weight, axes) + bias[:, None]
# ```
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
#     at = f"row {query_pos} (a query), column {key_pos} (a key)"
#     assert right, f"{at}: got {got:.3f}, expected {want:.3f}"
# print("✔ every query meets every key, scaled; rows are queries")

# %% [markdown]
# <details><summary>Hint</summary>
#
# The fox's scores were `fox_q @ fox_k.T`, or `fox_axes` above. Two axes have come to the front, `batch` and
# `head_index`, in `q`, in `k` and in the scores.
#
# </details>
# <details><summary>The einsum step</summary>
#
# Put `batch head_index` before each of the three parts of `fox_axes`. Then divide by the root of `d_head`, which is
# `q.shape[-1]`.
#
# </details>
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
# Each head has computed its `z`. Multiply it by that head's `W_O`, add up the heads, and add `b_O` once.


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
# <details><summary>Hint</summary>
#
# For one text and one head it is `z @ W_O`, as with the fox: `"pos d_head, d_head d_model -> pos d_model"`.
#
# </details>
# <details><summary>The einsum step</summary>
#
# `z` has `batch` and `head_index` in front, the weight has `head_index`. The heads have to be added up: which of the
# two axes must *not* be on the right of the arrow?
#
# </details>
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

# %% [markdown] exercise="Attention" difficulty=3 importance=5 minutes=25
# ## Exercise: write `Attention`
#
# **What goes in?** `normalized_resid_pre`: for each position a vector of `d_model` numbers, from the LayerNorm.
#
# **What comes out?** A tensor of the same shape: what the block will add to the residual stream. The input stays
# unchanged, and gradients reach it and every parameter.
#
# `__init__` is given. Write `forward`: queries, keys and values; scores; mask; softmax; the blend of values; back into
# the stream. Your five functions do everything except the blend, and `scaled_scores` has already divided by √`d_head`.
# Any other correct way will pass too.
#
# The test looks at one part after another, so begin at the first line with a ✘. A mistake can show up before the line
# that names it: a mask applied after softmax already fails at "keeps heads and positions apart", since its weights no
# longer add up to 1.
#
# **Before you code**: suppose every score is equal. What is `z` at position 3?
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
# You have all the parts. `project_heads` makes q, k and v from three pairs of weight and bias. `scaled_scores`, your
# mask and your `softmax` make the pattern. `mix_heads` comes last.
#
# The blend in between is a matrix product that sums over the keys: the pattern is [.. query_pos key_pos], the values
# are [.. key_pos d_head].

# %% [markdown] hint="pseudocode"
# ```text
# q, k, v = project the input with W_Q and b_Q, with W_K and b_K, with W_V and b_V
# scores  = scaled_scores of q and k  (divides by the root of d_head: not again)
# pattern = softmax over the keys of the masked scores
# z       = pattern times v
# return mix_heads of z with W_O and b_O
# ```

# %% tags=["active-ipynb"]
# test_attention(Attention)

# %% [markdown]
# ## See it work
#
# `with_weights` makes an `Attention` of yours with the trained weights of one layer. With your six in place of its own
# layers, the model reads a tale written for this course. The **loss** is the mean over all next tokens of −log(the
# probability that the model gave), in *nats*, the unit of the natural logarithm; perfect foresight would make it 0.

# %% tags=["active-ipynb"]
# def fresh_layers():
#     """Six Attentions of yours, each with the trained weights of its layer."""
#     return {name: with_weights(Attention, name) for name in attn_names}
#
#
# mine = fresh_layers()
# print(f"its own: {loss_on(TALE, {}):.3f} nats, yours: {loss_on(TALE, mine):.3f} nats")
# print(wrapped(tell("Once upon a time", mine, seed=5)))

# %% [markdown]
# The loss is the same, and the story is told through your attention. How much is a nat? With 0.03 more, the tokens that
# came have 3 % less probability, which is little. With 1 more, little more than a third of it is left.
#
# ## You can stop here
#
# You have built it. All of GPT-2's attention is now your code, and a trained model told the story above with it. Change
# its beginning or its `seed`, and it tells another. START shows how far you have come; here only two short measures
# are left to write and a bug to mend.
#
# The second sitting takes about an hour and asks what the 24 heads *do*. When you come back, select the next cell of
# code and choose Run > Run All Above Selected Cell.

# %% [markdown]
# ## Look inside
#
# `Attention` returns only its output, but your steps can give us the pattern. `patterns_of` runs the model with your
# six layers, records what each of them reads, and takes your steps as far as softmax.

# %% tags=["active-ipynb"]
# def open_scores_of(layer, vectors):
#     """The scores of a layer before the mask, [batch head_index query_pos key_pos]."""
#     part = mine[attn_names[layer]]
#     q = project_heads(vectors, part.W_Q, part.b_Q)
#     k = project_heads(vectors, part.W_K, part.b_K)
#     return scaled_scores(q, k)
#
#
# def pattern_and_blend(layer, vectors, hide=apply_causal_mask):
#     """The pattern of a layer and the z of its heads; `hide` may be another mask."""
#     part = mine[attn_names[layer]]
#     pattern = softmax(hide(open_scores_of(layer, vectors)))
#     return pattern, pattern @ project_heads(vectors, part.W_V, part.b_V)
#
#
# @torch.no_grad()
# def patterns_of(text_tokens, layers=mine):
#     """The patterns [layer batch head_index query_pos key_pos] of rows of tokens."""
#     read = given_to(layers, text_tokens)
#     both = [pattern_and_blend(i, read[name]) for i, name in enumerate(attn_names)]
#     return torch.stack([pattern for pattern, _ in both])

# %% tags=["active-ipynb"]
# layer_5 = mine["blocks.5.attn"]
# layer_5_reads = given_to(mine, model.tokens[:1])["blocks.5.attn"]
# with torch.no_grad():
#     _, layer_5_z = pattern_and_blend(5, layer_5_reads)
#     from_patterns = mix_heads(layer_5_z, layer_5.W_O, layer_5.b_O)
#     same = torch.allclose(from_patterns, layer_5(layer_5_reads), atol=1e-3)
# print("these patterns give your answer:", same)

# %% tags=["active-ipynb"]
# @lru_cache(maxsize=8)  # one run makes the patterns of all layers
# def patterns_in(text):
#     return patterns_of(typed(text, most=40))[:, 0]
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
# Each square is a head. A row is a query, the reader; the dark cells in its row are the keys that it reads. Type your
# own sentence, press Enter, and move through the layers.
#
# "Pugwit" is an invented name, four tokens long. In layer 5, look at head 2 and at the last rows, where the name occurs
# again. At "ug" the head reads "w"; at "w" it reads "it", and at "it" the word after the first Pugwit, " met". In most
# rows before, it reads the first column, `<|endoftext|>`. Is the copying an accident of this sentence?

# %% [markdown]
# ## Heads that can be named
#
# A picture can only suggest; we need a measure. Two kinds of heads have names in the literature (Elhage et al. 2021,
# Olsson et al. 2022):
#
# - a **previous-token head** looks at the position just before;
# - an **induction head** looks for an earlier copy of the current token, and reads what came *after* it.
#
# Write a measure for each, a line or two (difficulty ●●○○○, about 10 minutes). Both must accept patterns with more axes
# in front, such as `layer` or `batch`: so count axes from the end. `pattern.diagonal(offset=-1, dim1=-2, dim2=-1)` is
# the weight that every query gives to the key one before it.
#
# For the second measure, the text is `period` random tokens, and then the same tokens again: nobody can know such a
# phrase by heart. For a query in the second copy, its *twin*, the same token in the first, is `period` positions back,
# and what came after the twin is `period - 1` back.


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
# both = torch.stack([one_back, two_back])  # with one axis more in front
# for measured, expected, what in (
#     (looks_one_back(one_back), [1.0], "a head that only looks one back"),
#     (looks_one_back(two_back), [0.0], "a head that only looks two back"),
#     (looks_one_back(both), [[1.0], [0.0]], "both, in an axis in front"),
#     (looks_after_its_twin(two_back, 3), [1.0], "two back is after the twin, period 3"),
#     (looks_after_its_twin(one_back, 3), [0.0], "one back is not it, period 3"),
#     (looks_after_its_twin(halves, 3), [1.0], "only the last 3 look there, period 3"),
#     (looks_after_its_twin(both, 3), [[0.0], [1.0]], "both, in an axis in front"),
# ):
#     got = measured.tolist()
#     assert got == expected, f"{what}: got {got}, expected {expected}"
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
# One text is for looking. For conclusions we measure on the first 128 tokens of 48 passages that the model has not
# read, two sets with none in both. A number is the mean over all, with its standard error; where the sets disagree,
# the output says so.
#
# First, which heads look one back? Neighbouring words belong together, so heads that follow the meaning might. The
# control is random tokens, which mean nothing.

# %% tags=["active-ipynb"]
# period = 50
# token_dice = torch.Generator().manual_seed(0)
# highest = model.cfg.d_vocab
# phrase, others = torch.randint(1, highest, (2, 24, 2 * period), generator=token_dice)
# phrase = phrase[:, :period]
# begin = encode("\n").expand(24, -1)  # <|endoftext|> and a line break
# twice = torch.cat([begin, phrase, phrase], dim=1)
# no_twins = torch.cat([begin, others], dim=1)
# passages = passage_tokens()[:, :128]
# passage_read = given_to(mine, passages)  # what each attention layer reads there
#
#
# def brief(measured, digits=2):
#     """The mean over all rows and its error; and whether the two sets disagree."""
#     doubt = "" if measured.agree else " (the sets disagree)"
#     mean = round(measured.mean, digits) + 0.0  # no minus before a 0
#     return f"{mean:.{digits}f} ± {measured.error:.{digits}f}{doubt}"

# %% tags=["active-ipynb", "folded"]
# # @title Draws how much each head looks one back, on the passages
# layer_names = [f"layer {layer}" for layer in range(model.cfg.n_layers)]
# head_names = [f"head {head}" for head in range(model.cfg.n_heads)]
# passage_patterns, noise_patterns = patterns_of(passages), patterns_of(no_twins)
# back_on_passages = looks_one_back(passage_patterns)  # [layer passage head_index]
# back_on_noise = looks_one_back(noise_patterns).mean(dim=1)
# evenly = (1 / torch.arange(2.0, passages.shape[1] + 1)).mean()
# print(f"a head that reads all visible positions evenly: {evenly:.3f} on the passages")
# for layer, head in ((2, 0), (2, 1), (2, 2), (2, 3), (3, 2), (4, 1), (5, 1), (5, 3)):
#     here = brief(OverPassages(back_on_passages[layer, :, head]), 3)
#     print(f"{layer}.{head}: passages {here},", end=" ")
#     print(f"random tokens {back_on_noise[layer, head]:.2f}")
# heatmap(
#     back_on_passages.mean(dim=1).round(decimals=3),
#     layer_names,
#     head_names,
#     "Weight on the position just before, mean of 48 passages",
#     show_values=True,
# )

# %% [markdown]
# "2.1" is head 1 of layer 2. Eight heads give more than a fifth of their weight to the position just before: all four
# of layer 2, two later ones, 3.2 and 4.1, and two in layer 5. Of these, only 5.1 and 5.3 need real text: on random
# tokens they look back less than half as much. The six earlier heads look back there as much or more, so they go by
# position, not by meaning.
#
# Layer 2 does not even look for "one before me". Its heads prefer the latest position there is, and your mask cuts off
# everything later than the query. Heads 3.2 and 4.1, the **look-back heads**, do single out the position one back.
# (More experiments draws their scores.)
#
# ### Who looks for what followed?
#
# Now the second measure, on 24 rows in which 50 random tokens occur twice. The control is rows in which nothing is
# repeated.

# %% tags=["active-ipynb"]
# # [layer row head_index]
# twin_on_twice = looks_after_its_twin(patterns_of(twice), period)
# twin_on_noise = looks_after_its_twin(noise_patterns, period).mean(dim=1)
# of_52 = OverPassages(twin_on_twice[5, :, 2])
# print(f"5.2: {brief(of_52, 3)}; where nothing comes twice", end=" ")
# print(f"no head gives more than {twin_on_noise.max():.3f}")
# twin_title = "Weight on what came after the twin"
# twin_means = twin_on_twice.mean(dim=1).round(decimals=3)
# heatmap(twin_means, layer_names, head_names, twin_title, show_values=True)

# %% [markdown]
# One head stands out, 5.2, the **copying head**: it gives nearly three quarters of its weight to the token after the
# twin, and no other head gives more than a fiftieth. Where nothing is repeated, none does. The tokens are random, so
# the copying head can't know the phrase. It looks for what followed last time, which makes it an induction head.
#
# It is there by design. In models of ordinary size, trained on ordinary text, Olsson et al. (2022) see such heads form
# by themselves.

# %% [markdown]
# ## Does the model need them?
#
# A head may look somewhere without being of any use. So switch each head off in turn. There are two ways:
#
# - **zero ablation**: its `z` becomes 0, which later layers never met in training;
# - **mean ablation**: its `z` becomes that head's mean over texts and positions. Then only what *varies* is gone.
#
# (Position 0, which sees only itself, keeps its `z`.) We measure the loss on the second copy of the random rows, which
# can only be known by copying.

# %% tags=["active-ipynb"]
# @torch.no_grad()
# def mean_blends(text_tokens):
#     """Each head's mean z from position 1 on, [layer head_index d_head]."""
#     read = given_to(mine, text_tokens)
#     both = [pattern_and_blend(i, read[name]) for i, name in enumerate(attn_names)]
#     return torch.stack([z[:, :, 1:].mean(dim=(0, 2)) for _, z in both])
#
#
# def layer_without(layer, heads, stand_in):
#     """A layer whose `heads` hand over their row of `stand_in`, from position 1 on."""
#     part = mine[attn_names[layer]]
#
#     def answer(vectors):
#         _, z = pattern_and_blend(layer, vectors)
#         z[:, heads, 1:] = stand_in[layer, heads][:, None]
#         return mix_heads(z, part.W_O, part.b_O)
#
#     return answer
#
#
# def without(heads_off, stand_in):
#     """Your six layers, these heads (layer, head) replaced by their stand-in."""
#     layers = dict(mine)
#     for layer in {layer for layer, _ in heads_off}:
#         heads = [head for its_layer, head in heads_off if its_layer == layer]
#         layers[attn_names[layer]] = layer_without(layer, heads, stand_in)
#     return layers

# %% tags=["active-ipynb"]
# def losses(layers, rows, first=0):
#     """The loss of each row, from its guess at position `first` on."""
#     logits = logits_with(layers, rows)[:, first:-1]
#     targets = rows[:, first + 1 :]
#     each = nn.functional.cross_entropy(logits.mT, targets, reduction="none")
#     return OverPassages(each.mean(dim=-1))
#
#
# def copying(layers):
#     """The loss on the second copy alone, from its second token on."""
#     return losses(layers, twice, first=period + 1)
#
#
# def on_passages(layers):
#     return losses(layers, passages)
#
#
# means_on_twice, means_on_passages = mean_blends(twice), mean_blends(passages)
# zeros = torch.zeros_like(means_on_passages)
# all_heads = [(layer, head) for layer in range(6) for head in range(4)]

# %% tags=["active-ipynb"]
# predict(
#     "without_copying_head",
#     """With all heads, a token of the second copy costs 1.95 nats. To find all tokens
#     equally likely would cost 8.32. What does it cost when 5.2 is off, by the mean?
#     a) less than 5: of 24 heads only one is off
#     b) 5 to 8.32: without a clue, the model finds all tokens about equally likely
#     c) more than 8.32""",
#     answer="c",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws what copying costs without each head
# def costs(measure, stand_in):
#     """Nats more without each head, [head row]."""
#     whole = measure(mine)
#     each = [
#         (measure(without([head], stand_in)) - whole).values
#         for head in waiting(all_heads, "24 heads")
#     ]
#     return torch.stack(each)
#
#
# copying_mean = costs(copying, means_on_twice)
# whole = copying(mine)
# no_copying = copying(without([(5, 2)], means_on_twice))
# print(f"all heads: {whole.mean:.2f} nats; without 5.2:", end=" ")
# print(f"{no_copying.mean:.2f} by the mean,", end=" ")
# print(f"{copying(without([(5, 2)], zeros)).mean:.2f} by zero;", end=" ")
# print(f"all tokens equally likely: {math.log(model.cfg.d_vocab):.2f}")
# for layer, head in ((5, 2), (1, 0), (2, 2), (4, 0), (5, 0)):
#     by_mean = copying_mean[all_heads.index((layer, head))].mean()
#     by_zero = (copying(without([(layer, head)], zeros)) - whole).mean
#     print(f"{layer}.{head}: {by_mean:+.2f} by the mean, {by_zero:+.2f} by zero")
# heatmap(
#     copying_mean.mean(dim=1).view(6, 4).round(decimals=2) + 0.0,
#     layer_names,
#     head_names,
#     "Nats more on the second copy, head replaced by its mean",
#     show_values=True,
# )

# %% tags=["active-ipynb"]
# see("without_copying_head", nats=no_copying.mean)

# %% [markdown]
# Without the copying head, copying is gone, and both ways of switching it off agree on that. No other head costs more
# than about a nat. On small costs the two ways can disagree: by zero, head 4.0 seems to cost half a nat; by the mean it
# costs nothing. What the zeros took away there was mostly a constant.
#
# **A small cost does not mean that a head does nothing.** On the passages the copying head costs only 0.035 ± 0.010
# nats, and many of the other heads cost more. But when an invented name occurs a second time, its last token can
# depend on this head (More experiments has both).

# %% [markdown]
# ## How can it know what came after?
#
# Suppose a text says "fox" twice. At the second "fox", the copying head wants the position *after* the first one. It
# scores that position by a query times a key, each made from the stream at one position alone. But no position by
# itself holds what is needed. An earlier head must have carried something, and there are two ways:
#
# - to the **query**, at the second "fox": where the first one stood;
# - to the **key**, one position after the first "fox": which token came before.
#
# The suspects are the six heads that look back by position: the four of layer 2, and the two look-back heads. We make
# only the queries of 5.2, or only its keys, from a stream in which the six are replaced by their means. The control is
# the six other heads of layers 3 and 4.

# %% tags=["active-ipynb"]
# predict(
#     "keys_or_queries",
#     """Which part of 5.2, made without the six heads that look back, keeps less than
#     half of the weight on what came after the twin?
#     a) the queries
#     b) the keys
#     c) both: either part needs the six""",
#     answer="b",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Prints what 5.2 finds when its keys or queries lack some heads
# layer_heads = [[(layer, head) for head in range(4)] for layer in range(6)]
# twice_read = given_to(mine, twice)
# one_backs = [*layer_heads[2], (3, 2), (4, 1)]
# late = [*layer_heads[3], *layer_heads[4]]
# teams = {
#     "the six that look back": one_backs,
#     "the six others of 3, 4": [head for head in late if head not in one_backs],
# }
#
#
# @torch.no_grad()
# def pattern_of_52(for_queries, for_keys, hide=apply_causal_mask):
#     """Its pattern [row 1 query_pos key_pos]; queries and keys from two readings."""
#     q = project_heads(for_queries["blocks.5.attn"], layer_5.W_Q, layer_5.b_Q)
#     k = project_heads(for_keys["blocks.5.attn"], layer_5.W_K, layer_5.b_K)
#     return softmax(hide(scaled_scores(q, k)))[:, 2:3]
#
#
# def after_twin(pattern):
#     """The weight of 5.2's pattern on what came after the twin."""
#     return OverPassages(looks_after_its_twin(pattern, period)[:, 0])
#
#
# as_it_is = after_twin(pattern_of_52(twice_read, twice_read))
# print("5.2's weight after the twin:", brief(as_it_is))
# found = {}
# for label, heads_off in teams.items():
#     fewer = given_to(without(heads_off, means_on_twice), twice)
#     for part, read in (("keys", (twice_read, fewer)), ("queries", (fewer, twice_read))):
#         found[label, part] = after_twin(pattern_of_52(*read))
#         print(f"only the {part:7} without {label}:", brief(found[label, part]))

# %% tags=["active-ipynb"]
# see(
#     "keys_or_queries",
#     with_such_keys=found["the six that look back", "keys"].mean,
#     with_such_queries=found["the six that look back", "queries"].mean,
# )

# %% [markdown]
# So what the six heads write is read above all by the *keys* of the copying head: with keys made without it, next to
# nothing of the weight is left; with queries made without it, only a sixth is lost. Without the control team the keys
# are as good as ever. At each position, then, the key says which token came *before*, and a query that asks for its own
# token finds it there.
#
# ### Which layer tells it?
#
# The six heads are spread over three layers. If a layer's mean stands in for its output everywhere, later layers write
# something else too, and we can't tell whose message 5.2 lacks. So let only *some* of the later parts see the mean,
# while all others read the stream as it was. This is called **path patching**.

# %% tags=["active-ipynb"]
# predict(
#     "feeding_layer",
#     """Let only 5.2 see a layer's mean (the last five lines below). For which layers
#     does 5.2 keep less than half of its weight on what came after the twin? Write a
#     line that selects them, such as: (layer == 0) | (layer > 3)""",
#     layer=[0, 1, 2, 3, 4],
#     answer="layer == 2",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Prints what 5.2 finds when only some readers see a layer's mean
# @torch.no_grad()
# def mean_instead(layer):
#     """By how much a layer's output moves when its four heads hand over their means."""
#     name, vectors = attn_names[layer], twice_read[attn_names[layer]]
#     by_the_mean = layer_without(layer, range(4), means_on_twice)(vectors)
#     return by_the_mean - mine[name](vectors)
#
#
# def reading(names, change):
#     """LayerNorms of these names that read the stream plus `change`."""
#
#     def normalise(residual):
#         return nn.functional.layer_norm(residual + change, residual.shape[-1:])
#
#     return {name: scaled_and_shifted(name, normalise) for name in names}
#
#
# def found_by_52(layers):
#     """5.2's weight on what came after the twin."""
#     return after_twin(patterns_of(twice, layers)[5, :, 2:3])
#
#
# for layer in (1, 2):
#     change = mean_instead(layer)
#     print(f"layer {layer} replaced by its mean, seen by")
#     everything = without(layer_heads[layer], means_on_twice)
#     print(f"   {'everything later':31}", brief(found_by_52(everything)))
#     for label, names in {
#         "the attention of layer 2": ["blocks.2.ln1"],
#         "the attentions of 3 and 4": ["blocks.3.ln1", "blocks.4.ln1"],
#         "the MLPs up to layer 4": [f"blocks.{i}.ln2" for i in range(layer, 5)],
#     }.items():
#         if layer == 1 or "2.ln1" not in names[0]:
#             seen_by = {**mine, **reading(names, change)}
#             print(f"   only {label:26}", brief(found_by_52(seen_by)))
# without_layer_1 = without(layer_heads[1], means_on_twice)
# for label, layers in {"as it is": mine, "without layer 1": without_layer_1}.items():
#     one_back = looks_one_back(patterns_of(twice, layers)[2]).mean(dim=0)
#     print(f"layer 2 one back, {label:15}", *(f"{weight:.2f}" for weight in one_back))
# left_by = [
#     found_by_52({**mine, **reading(["blocks.5.ln1"], mean_instead(layer))})
#     for layer in range(5)
# ]
# for layer, left in enumerate(left_by):
#     print(f"layer {layer}'s mean, seen only by 5.2:", brief(left))

# %% tags=["active-ipynb"]
# see("feeding_layer", weight=[left.mean for left in left_by])

# %% [markdown]
# Layer 2 feeds the copying head directly. Layer 1 in turn feeds layer 2: most of the weight is lost if only the
# attention of layer 2 sees layer 1's mean, and little if only layers 3 and 4 do. So there is a chain of three: layer 1,
# layer 2, the copying head.
#
# But layer 1 reads broadly, so how can it help layer 2 look one back? A clue: without layer 1, layer 2 looks one back
# only half as much.
#
# When one head uses what another has written, that is called **composition**. It takes a second layer of attention:
# Elhage et al. (2021) find induction heads in models of two layers, and none in models of one. And when the copying
# head has found its place, what it writes raises the very token that it reads, at more than nine positions in ten (More
# experiments: two matrices, not four).
#
# ### All of it on one text
#
# Here is one text in which copying works. (It was chosen for that.) Point at a token, or click and use the arrow keys,
# and see which tokens each head reads there; *Layer* and *Head* choose whose arcs are drawn. Then switch a head off,
# below the text (by keyboard: Tab, arrows, Enter; Escape switches all on), and compare what the model expects after the
# last "ug". **Before you try**: for which of the 24 heads does "w" cease to be the likeliest?

# %% tags=["active-ipynb", "folded"]
# # @title Draws what each head reads, and the next token without it
# toad_tokens = encode(
#     "\nThere was once a boy whose name was Pugwit. "
#     "One day he met a toad, and the toad said to Pug"
# )
#
#
# def likeliest(heads_off):
#     """The five likeliest next tokens with these heads off, and their probabilities."""
#     logits = logits_with(without(heads_off, means_on_passages), toad_tokens)[0, -1]
#     top = logits.softmax(dim=-1).topk(5)
#     return list(zip(str_tokens(top.indices), top.values.tolist(), strict=True))
#
#
# for layer in (1, 2):
#     logits = logits_with(without(layer_heads[layer], means_on_passages), toad_tokens)
#     chance = logits[0, -1].softmax(dim=-1)[toad_tokens[0, 12]]
#     print(f"w without layer {layer}: {chance:.3f}")
# arcs(
#     patterns_of(toad_tokens)[:, 0],
#     str_tokens(toad_tokens[0]),
#     likeliest,
#     layer=5,
#     off="its z replaced by its mean over the passages",
# )

# %% [markdown]
# Only without the copying head does "w" cease to be the likeliest. In layer 5, head 2, the last "ug" reads the earlier
# "w"; in layer 4, head 1, that "w" reads the "ug" before it.
#
# **What this does not show**: that the other heads do nothing for "w". Each was off alone. With the four heads of layer
# 1 off together, or of layer 2, next to nothing is left of "w" (printed above the picture).

# %% [markdown]
# ## What if it could cheat?
#
# The reference model has never seen the future. One would think that a look at the answers can only help. Take away the
# mask in every head, in one layer, or in one head, and let the model read the passages.

# %% tags=["active-ipynb"]
# def with_mask(layer, hide):
#     """A layer made of your steps, with another mask in the place of yours."""
#     part = mine[attn_names[layer]]
#
#     def answer(vectors):
#         _, z = pattern_and_blend(layer, vectors, hide)
#         return mix_heads(z, part.W_O, part.b_O)
#
#     return answer
#
#
# def all_but(open_head):
#     """A mask that leaves one head's scores open."""
#
#     def hide(attn_scores):
#         hidden = apply_causal_mask(attn_scores.clone())
#         hidden[:, open_head] = attn_scores[:, open_head]
#         return hidden
#
#     return hide
#
#
# no_mask = {layer: lambda scores: scores for layer in range(6)}
# unmasked = {"all": no_mask}
# unmasked |= {f"layer {layer}": {layer: no_mask[layer]} for layer in range(6)}
# unmasked |= {f"5.{head}": {5: all_but(head)} for head in range(4)}

# %% tags=["active-ipynb"]
# predict(
#     "opened",
#     """`opened` says where the mask is off: "all", "layer 0" to "layer 5", or one head,
#     "5.0" to "5.3". Which of these 11 lower the loss by more than half a nat? Write a
#     line that selects them, such as: (opened == 'layer 0') | (opened == '5.0')""",
#     opened=list(unmasked),
#     answer='(opened == "layer 5") | (opened == "5.2")',
# )

# %% tags=["active-ipynb", "folded"]
# # @title Prints what the passages cost when masks are off
# whole_loss = on_passages(mine)
#
#
# def more_with(masks):
#     """Nats more on the passages when these layers have these masks."""
#     masked = {attn_names[i]: with_mask(i, hide) for i, hide in masks.items()}
#     return on_passages({**mine, **masked}) - whole_loss
#
#
# opened_costs = {label: more_with(masks) for label, masks in unmasked.items()}
# for label, more in opened_costs.items():
#     print(f"no mask in {label:8}", brief(more))

# %% tags=["active-ipynb"]
# see("opened", nats=[more.mean for more in opened_costs.values()])

# %% [markdown]
# Without any mask the model gets *worse*, by more than two nats, since it never learned to use the future. Layer 2
# looks for the latest, which is now the end of the text; layer 1, which reads broadly, now reads nearly the same at
# every position. Only two of the 11 lower the loss: the copying head alone, and layer 5, which holds it. What does that
# head read?

# %% tags=["active-ipynb"]
# cheating = softmax(open_scores_of(5, passage_read["blocks.5.attn"])).detach()
# top_choice = cheating.argmax(dim=-1)[:, :, :-1]
# is_next = (top_choice == torch.arange(1, cheating.shape[-1])).float().mean(dim=(0, 2))
# for head in range(4):
#     share = cheating[:, head].diagonal(1, -2, -1).mean()
#     print(f"5.{head} open: {share:.2f} of its weight on the next token,", end=" ")
#     print(f"its top choice at {is_next[head]:.0%}")
# for label, heads_off in teams.items():
#     fewer = given_to(without(heads_off, means_on_passages), passages)
#     opened_52 = pattern_of_52(passage_read, fewer, lambda scores: scores)[:, 0]
#     share = opened_52.diagonal(1, -2, -1).mean()
#     print(f"5.2 open, its keys made without {label}: {share:.3f}")

# %% [markdown]
# The copying head reads the next token: that is its top choice at more than a quarter of the positions, and hardly ever
# the choice of any other head of its layer. The head looks for what follows a copy of its token, and with the mask off
# the nearest copy is the token itself. What follows that is the answer.
#
# If this is the reason, the head needs keys that say which token came before. It does: with keys made without the six
# heads that look back, it puts hardly any weight on the next token; without the control team, nearly as much as before.
# So the model has not learned to cheat. One head does what it always did.
#
# ### And if it cheats from the start?
#
# A model *trained* with a mask that leaks is another matter: it learns to read the answer. So the sign of a leak is
# neither an error message nor a bad loss. **It is a loss too good to be true.**
#
# To find out in seconds whether a mask leaks, train on tokens drawn at random, 32 kinds, all equally likely. Nobody can
# predict these: on average no honest loss is below ln 32 = 3.47. Here is a toy model with one layer of your steps,
# trained briefly with three masks: yours, scores multiplied by a triangle of ones, and a diagonal off by one. Then it
# has to predict the token after the *end* of a text, where there is nothing to read ahead.

# %% tags=["active-ipynb"]
# class Masked(Attention):
#     """Your steps with a mask that is given."""
#
#     def __init__(self, cfg, hide):
#         super().__init__(cfg)
#         self.hide = hide
#
#     def forward(self, x):
#         q = project_heads(x, self.W_Q, self.b_Q)
#         k = project_heads(x, self.W_K, self.b_K)
#         v = project_heads(x, self.W_V, self.b_V)
#         pattern = softmax(self.hide(scaled_scores(q, k)))
#         return mix_heads(pattern @ v, self.W_O, self.b_O)
#
#
# class Toy(nn.Module):
#     """Embeddings, one attention layer, an unembedding."""
#
#     def __init__(self, hide, kinds=32, most=16, width=32):
#         super().__init__()
#         self.embed = nn.Embedding(kinds, width)
#         self.pos_embed = nn.Embedding(most, width)
#         self.attn = Masked(Config(d_model=width, n_heads=2, d_head=16), hide)
#         self.unembed = nn.Linear(width, kinds)
#
#     def forward(self, tokens):
#         x = self.embed(tokens) + self.pos_embed.weight[: tokens.shape[1]]
#         return self.unembed(x + self.attn(x))

# %% tags=["active-ipynb"]
# predict(
#     "multiplied_mask",
#     """With the diagonal off by one the toys read the answer, and the loss in training
#     falls to almost 0. How far does it fall where scores are multiplied by the triangle?
#     a) it stays at 3.47 or a little above: a score of 0 hides the future
#     b) clearly below 3.47, but not below 1
#     c) below 1: what is not hidden can be read here too""",
#     answer="b",
# )

# %% tags=["active-ipynb", "folded", "nbval-ignore-output"]
# # @title Trains nine toys, a few seconds
# def toy_losses(hide, seed):
#     """After 150 steps: the loss as in training, and on the token after the end."""
#     torch.manual_seed(seed)
#     toy = Toy(hide)
#     optimiser = torch.optim.Adam(toy.parameters(), lr=1e-2)
#     for _ in range(150):
#         tokens = torch.randint(32, (16, 16))
#         loss = nn.functional.cross_entropy(toy(tokens)[:, :-1].mT, tokens[:, 1:])
#         optimiser.zero_grad()
#         loss.backward()
#         optimiser.step()
#     tokens = torch.randint(32, (512, 16))
#     with torch.no_grad():
#         within = nn.functional.cross_entropy(toy(tokens)[:, :-1].mT, tokens[:, 1:])
#         at_end = nn.functional.cross_entropy(toy(tokens[:, :8])[:, -1], tokens[:, 8])
#     return within.item(), at_end.item()
#
#
# def one_too_late(scores):
#     """Leaves one position of the future open."""
#     return scores.masked_fill(torch.ones_like(scores).triu(2).bool(), -torch.inf)
#
#
# toy_masks = {
#     "your mask": apply_causal_mask,
#     "multiplied by the triangle": torch.tril,
#     "diagonal off by one": one_too_late,
# }
# mean_losses = {}
# print(f"no honest loss is below {math.log(32):.2f}")
# for label, hide in toy_masks.items():
#     runs = [toy_losses(hide, seed) for seed in waiting(range(3), label)]
#     losses_there = ", ".join(f"{within:.2f}" for within, _ in runs)
#     at_ends = ", ".join(f"{at_end:.1f}" for _, at_end in runs)
#     print(f"{label:27} as in training {losses_there}; after the end {at_ends}")
#     mean_losses[label] = sum(within for within, _ in runs) / 3

# %% tags=["active-ipynb", "nbval-ignore-output"]
# see("multiplied_mask", loss=mean_losses["multiplied by the triangle"])

# %% [markdown]
# With your mask the toys stay a little above the floor. With the diagonal off by one they go far below it, which no
# honest model can. The multiplied mask is harder to spot: it leaks a little, and 2.5 looks like an ordinary loss unless
# you know the floor. After the end, where nothing is left to read, both kinds of cheat lose far more than an even guess
# would: they have learned to be sure, and are wrong.
#
# So when a loss is better than you have any right to, look at the mask before you celebrate. On real text nobody knows
# the floor exactly, but a loss near 0 on unread text tells you the same.

# %% [markdown]
# ## Four ways to write one layer
#
# In other people's code you will meet all four, and each has its use. Yours, with a `head_index` axis, is best for
# taking a model apart. Here are the other three, each given the weights of your layer 5.
#
# **A loop over heads** is closest to the formulas in a paper:

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
#     """Whether another form of layer 5 gives on one text what yours gives."""
#     with torch.no_grad():
#         answer = form(layer_5, layer_5_reads)
#         return torch.allclose(answer, layer_5(layer_5_reads), atol=1e-3)
#
#
# print("a loop gives what yours gives:", as_yours(looped))

# %% [markdown]
# **Fused**, as in OpenAI's code and nanoGPT: one matrix, `c_attn`, makes q, k and v of all heads in one product.
# `split` cuts the result into the three, `view` cuts each into heads, and `transpose` moves `head_index` to the front.
# At the end the heads are put side by side again, and one matrix, `c_proj`, holds the `W_O` of all heads, stacked on
# top of each other.

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
#     three = qkv.split(qkv.shape[-1] // 3, dim=-1)
#     heads = (batch, pos, part.cfg.n_heads, part.cfg.d_head)
#     q, k, v = (each.view(heads).transpose(1, 2) for each in three)
#     z = softmax(apply_causal_mask(q @ k.mT / part.cfg.d_head**0.5)) @ v
#     c_proj = part.W_O.flatten(0, 1)
#     return z.transpose(1, 2).reshape(batch, pos, -1) @ c_proj + part.b_O
#
#
# print("fused gives what yours gives:", as_yours(fused))

# %% [markdown]
# **PyTorch's own**: `F.scaled_dot_product_attention` does scale, mask, softmax and blend in one call, and can do so
# without ever writing the whole pattern to memory (Dao et al. 2022). So it gives you no pattern to look at.

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
# These are four forms of one function, and they agree up to rounding. In all four, a query meets every key that it may
# read, so a text twice as long has about four times as many scores to compute (More experiments).

# %% [markdown]
# ## A bug in the wild
#
# This is how "GPT From Scratch", a blog post written after November 2023, computes its pattern: softmax of (tril · QKᵀ
# / √E), where tril is a triangle of ones and E is the size of the embedding. Below it is written with our names. It
# runs, every shape fits, and every row of the pattern adds up to 1.
#
# There are two mistakes. Find them, fix them, and let the test of your `Attention` decide. (What the course saves and
# counts is still your own `Attention`.)


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
# Multiplied by 0, a hidden score becomes 0, and e⁰ = 1: the future keeps a weight, and a larger one than the past where
# the visible scores are negative. The mask must make the score minus infinity: `scores = apply_causal_mask(scores)`.
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
# Nothing. The heads' outputs are added up, and a sum has no order. "Head 2" is only a label.
#
# </details>
#
# **2.** Add 10 to every number of `b_K`. What does the pattern do?
#
# <details><summary>Answer</summary>
#
# Nothing. Every key moves by the same vector c, so all scores of one query rise by the same q · c / √d_head, and
# softmax does not see what is added to a whole row. GPT-2 has a `b_K` all the same: its `c_attn` is one linear layer
# with one bias, and a third of that bias belongs to the keys. BEiT (Bao et al. 2021) leaves that third out.
#
# </details>
#
# **3.** Why not set the weights of the future to 0 *after* softmax?
#
# <details><summary>Answer</summary>
#
# The rest would no longer add up to 1. Unmasked, "saw" has scores 0, 2, 0, 0, 1, so parts 1, 4, 1, 1 and 2, 9 in all;
# what is left is 6/9. Dividing by the new sum puts that right on paper. But where the future held all the weight,
# float32 has rounded the past to 0, and 0/0 is `nan`.
#
# </details>
#
# **4.** Position 0 sees only itself. What can its attention do?
#
# <details><summary>Answer</summary>
#
# Its attention has no choice: the weight is 1 whatever the scores are. It adds `v` · `W_O` of its own vector, summed
# over the heads, plus `b_O`. Queries and keys make no difference there.
#
# </details>

# %% [markdown]
# Here are the two mistakes of the blog post in all six trained layers, one by one and together. Would you notice?

# %% tags=["active-ipynb"]
# half = (model.cfg.d_head / model.cfg.d_model) ** 0.5  # what the other root makes of it
# mistakes = {
#     "none": apply_causal_mask,
#     "divided by the root of d_model": lambda scores: apply_causal_mask(scores * half),
#     "multiplied by the mask": torch.tril,
#     "both": lambda scores: (scores * half).tril(),
# }
# for label, hide in mistakes.items():
#     more = more_with(dict.fromkeys(range(6), hide))
#     print(f"{label:31} {more.mean + 0.0:.2f} ± {more.error:.2f} nats more")

# %% [markdown]
# Here, yes: the multiplied mask costs more than a nat, the other root half a nat. But this model was trained *without*
# the mistakes. A model trained *with* the multiplied mask can look better than it is, as the toys did. The other root
# gives no such sign, because training can compensate with larger weights.

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
# - **`The size of tensor a (3) must match the size of tensor b (5) at non-singleton dimension 1`**: `k.T` reverses all
#   four axes. `k.transpose(-2, -1)` swaps the last two.
# - **`view size is not compatible with input tensor's size and stride`**: `view` comes after `transpose`. Use
#   `reshape`, and make sure that `head_index` and `d_head` are next to each other first.
# - **All values are `nan`**: a row of the scores is −∞ throughout, so that softmax computes −∞ − (−∞). Does the mask
#   hide the diagonal? Or it is 0 · ∞: a mask of infinities was multiplied instead of filled in.
# - **`masked_fill_ only supports boolean masks`**: turn the triangle into True and False, `.bool()`.
# - **`NotImplementedError: project_heads: write this part`** in a figure below your `Attention`: the figures call the
#   three steps. Write them, or copy "One way to write it".
# - **`NameError: name 'mine' is not defined`**: after a restart the cells above have to be run again. Run > Run All
#   Above Selected Cell.
#
# </details>

# %% [markdown]
# ## Where to read more
#
# - Vaswani et al. 2017, *Attention Is All You Need*, [arXiv:1706.03762](https://arxiv.org/abs/1706.03762): equation 1
#   is one head, section 3.2.2 many; the argument for the scale is in section 3.2.1.
# - Elhage et al. 2021, [*A Mathematical Framework for Transformer
#   Circuits*](https://transformer-circuits.pub/2021/framework/index.html): QK and OV, and how heads compose.
# - Olsson et al. 2022, [*In-context Learning and Induction
#   Heads*](https://transformer-circuits.pub/2022/in-context-learning-and-induction-heads/index.html).
# - [openai/gpt-2, src/model.py](https://github.com/openai/gpt-2/blob/master/src/model.py): `attn()`, `softmax()` and
#   `mask_attn_weights()`, which writes −10¹⁰ over the future.
# - Xiao et al. 2023, *Efficient Streaming Language Models with Attention Sinks*,
#   [arXiv:2309.17453](https://arxiv.org/abs/2309.17453): why a window that drops the first tokens fails.
# - Bao et al. 2021, *BEiT*, [arXiv:2106.08254](https://arxiv.org/abs/2106.08254).
# - Dao et al. 2022, *FlashAttention*, [arXiv:2205.14135](https://arxiv.org/abs/2205.14135).
# %% [markdown] tags=["folded"]
# ## More experiments

# %% [markdown]
# ### What do the heads that look back look for?
#
# A weight on the position before can come about in more than one way. The figure shows all scores of one query in layer
# 2, the query at position 50 of the tale, *before* the mask. The table measures the same on the passages and on random
# tokens: layers 1 and 2, and any other head whose scores follow the position almost as closely as layer 2's.

# %% tags=["active-ipynb"]
# @torch.no_grad()
# def open_scores(layer, text_tokens):
#     """A layer's scores before the mask, [batch head_index query_pos key_pos]."""
#     return open_scores_of(layer, given_to(mine, text_tokens)[attn_names[layer]])

# %% tags=["active-ipynb", "folded"]
# # @title Draws the scores of query 50, by the key's position
# def with_position(rows):
#     """How scores [batch key_pos] go with the key's position: correlation, slope."""
#     keys = torch.arange(float(rows.shape[-1]))
#     keys, rows = keys - keys.mean(), rows - rows.mean(dim=-1, keepdim=True)
#     slope = (rows * keys).sum(dim=-1) / keys.pow(2).sum()
#     spreads = rows.pow(2).mean(dim=-1).sqrt() / keys.pow(2).mean().sqrt()
#     return (slope / spreads).mean(), slope.mean()
#
#
# print("      follows the key's position    points a    weight at 0 to 4 back")
# print("      passages,    random tokens    position")
# for layer in range(model.cfg.n_layers):
#     of_50 = [open_scores(layer, texts)[:, :, 50] for texts in (passages, no_twins)]
#     for head in range(model.cfg.n_heads):
#         follows, slope = with_position(of_50[0][:, head])
#         if layer not in (1, 2) and follows < 0.95:
#             continue
#         on_random, _ = with_position(of_50[1][:, head])
#         its_pattern = passage_patterns[layer, :, head]
#         diagonals = [its_pattern.diagonal(-far, -2, -1).mean() for far in range(5)]
#         back = [f"{weight:.2f}" for weight in diagonals]
#         print(f"{layer}.{head}   {follows:8.2f}  {on_random:15.2f}", end=" ")
#         print(f"   {slope:8.2f}   ", *back)
#
# on_tale = open_scores(2, encode(TALE))[0, :, 50]
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
# In layer 2 the scores are nearly a straight line in the key's position, in all four heads and on random tokens too.
# The lines climb on into the future. So these heads do not look for "one before me". They look for "the latest", and
# your mask cuts off everything later than the query. In head 2.2, for instance, most weight falls on the query itself,
# one back and two back. A few later heads, such as 3.0, 3.2 and 4.1, follow the position nearly as closely.
#
# Layer 1 is the control. Its scores follow the position as well, but gain far less with each position, and so layer 1
# reads broadly. **A correlation is not a weight.**
#
# And what about the look-back heads, 3.2 and 4.1? Here is the mean score by how far the key is from the query, over all
# passages and queries.

# %% tags=["active-ipynb", "folded"]
# # @title Draws three heads' scores by distance
# def by_distance(layer, head, reach=6):
#     """A head's mean score before the mask, for keys 6 back to 6 ahead."""
#     scores = open_scores_of(layer, passage_read[attn_names[layer]])
#     scores = scores[:, head, reach:-reach].detach()  # whose keys all exist
#     steps = range(2 * reach + 1)
#     return torch.stack([scores.diagonal(step, 1, 2).mean() for step in steps])
#
#
# three = ((2, 2), (3, 2), (4, 1))
# curves(
#     torch.arange(-6.0, 7.0),
#     {f"{layer}.{head}": by_distance(layer, head) for layer, head in three},
#     "Mean score before the mask, by distance",
#     x_title="the key's position minus the query's",
#     y_title="score",
# )

# %% [markdown]
# Head 2.2 climbs from end to end, apart from a dip at the query's own position. The look-back heads climb too, but one
# back their score stands out from the slope: it is higher there than two back and than at the query itself. So they do
# know "one before me". They prefer later keys as well, but your mask hides those after the query. This does not
# show how they know it.

# %% [markdown]
# ### `nan` in practice
#
# In layer 2 a score can gain more than half a point with every position. Over 255 positions that adds up. Compute
# softmax as the formula is written, without subtracting the largest score:

# %% tags=["active-ipynb"]
# long_scores = apply_causal_mask(open_scores(2, passage_tokens()))
# unsafe_parts = long_scores.exp()
# unsafe = unsafe_parts / unsafe_parts.sum(dim=-1, keepdim=True)
# broken = unsafe.isnan().any(dim=-1).any(dim=1)  # [passage query_pos]
# first_broken = broken.any(dim=0).float().argmax()
# print(f"largest score in layer 2: {long_scores.max():.1f}")
# print(f"nan on {broken.any(dim=-1).sum()} of {len(broken)} passages,", end=" ")
# print(f"first at position {first_broken}")
# print("yours:", softmax(long_scores).isnan().sum().item(), "of its numbers are nan")

# %% [markdown]
# A test on short texts would not have noticed.

# %% [markdown]
# ### What ordinary text costs without each head
#
# The copying head decides what happens on random rows that repeat. What does ordinary text cost without it, compared
# with the other heads?

# %% tags=["active-ipynb", "folded"]
# # @title Draws what the passages cost without each head
# passages_mean = costs(on_passages, means_on_passages)
# without_52 = passages_mean[all_heads.index((5, 2))]
# dearer = (passages_mean.mean(dim=1) > without_52.mean()).sum()
# per_passage = (passages_mean > without_52).sum(dim=0)
# print(f"{dearer} heads cost more than 5.2;", end=" ")
# print(f"on one passage {per_passage.min()}, on another {per_passage.max()}")
# print("without 5.2, by the mean:", OverPassages(without_52))
# print("without 5.2, by zero:", on_passages(without([(5, 2)], zeros)) - whole_loss)
# more = losses(without([(5, 2)], means_on_passages), passage_tokens())
# more = more - losses(mine, passage_tokens())
# print("without 5.2 on all 255 tokens, by the mean:", more)
# heatmap(
#     passages_mean.mean(dim=1).view(6, 4).round(decimals=3) + 0.0,
#     layer_names,
#     head_names,
#     "Nats more on the passages, head replaced by its mean",
#     show_values=True,
# )

# %% [markdown]
# Here about half of the other heads cost more than the copying head, which costs 0.035 ± 0.010 nats by the mean, and
# 0.07 on all 255 tokens. It depends on the passage: on one, no other head costs more; on another, all 23 do.

# %% [markdown]
# ### The end of an invented name
#
# An invented name that occurs a second time needs copying. How likely is its last token? We put eight names into five
# sentences each. Head 5.3 is the control.

# %% tags=["active-ipynb"]
# frames = ["{0} met a toad. {0}", "Then {0} met a toad. Then {0}"]
# frames += ["One day {0} went out. In the evening {0}"]
# frames += ["The king asked {0} to stay. But {0}"]
# frames += ["I know a boy called {0}. His mother calls him {0}"]
# invented = ["Pugwit", "Fliblet", "Grizelda", "Mrakul"]
# invented += ["Quenby", "Ottokar", "Zibbeldorn", "Tomkin"]
#
#
# def chances_of_last(name, layers):
#     """How likely a name's last token is, the second time, in each of the sentences."""
#     rows = [encode("\n" + frame.format(name)) for frame in frames]
#     guesses = [logits_with(layers, row)[0, -2].softmax(dim=-1) for row in rows]
#     each = [guess[row[0, -1]] for guess, row in zip(guesses, rows, strict=True)]
#     return torch.stack(each)

# %% tags=["active-ipynb", "folded"]
# # @title Draws how likely the end of each invented name is
# versions = {
#     "all heads": mine,
#     "without 5.2": without([(5, 2)], means_on_passages),
#     "without 5.3": without([(5, 3)], means_on_passages),
# }
# chances = torch.stack(
#     [
#         torch.stack([chances_of_last(name, each) for each in versions.values()])
#         for name in waiting(invented, "8 names")
#     ]
# )  # [name version sentence]
# for name, with_all in zip(invented, chances[:, 0], strict=True):
#     print(f"{name:10}", *(f"{chance:.2f}" for chance in with_all))
# heatmap(
#     chances.mean(dim=-1).round(decimals=2),
#     invented,
#     list(versions),
#     "How likely a name's last token is, the second time: mean of 5 sentences",
#     show_values=True,
# )

# %% [markdown]
# For half of the names, the first four, copying works in most of these sentences: the last token is the likeliest.
# Without the copying head none of them keeps more than 0.05 on average; without the control, 5.3, they hardly change.
# The other four names fail even with all heads on.
#
# For Tomkin part of the reason can be tested. The first sentence starts with the name, with no space before it, so it
# is "T", "om", "kin" there and " Tom", "kin" later. There is no earlier " Tom" to find. So give it one, and do so with
# 27 more names that are cut like this:

# %% tags=["active-ipynb"]
# two_piece_names = [
#     first + last
#     for first in ("Tom", "Jack", "Mary", "Ben", "Sam", "Dick", "Bill")
#     for last in ("kin", "ling", "well", "let")
# ]
# for frame in ("{0} met a toad. {0}", "Then {0} met a toad. {0}"):
#     weights, likely = [], []
#     for name in two_piece_names:
#         row = encode("\n" + frame.format(name))
#         pieces = str_tokens(row[0])
#         weights.append(patterns_of(row)[5, 0, 2, -2, pieces.index(pieces[-1])])
#         likely.append(logits_with(mine, row)[0, -2].softmax(dim=-1)[row[0, -1]])
#     found = torch.tensor([weights, likely])
#     errors = found.std(dim=1) / len(two_piece_names) ** 0.5
#     weight, chance = (
#         f"{mean:.2f} ± {error:.2f}"
#         for mean, error in zip(found.mean(dim=1), errors, strict=True)
#     )
#     print(f"{frame.format('Tomkin'):32} weight of 5.2 {weight}, probability {chance}")

# %% [markdown]
# With an earlier " Tom", the copying head finds it: its weight on the end of the first name rises from 0.02 to 0.40, as
# a mean over the 28 names. **It matches tokens, not words.** The probability of the end rises only to 0.16. It tends to
# be higher for the few names whose end gets most of the weight.

# %% [markdown]
# ### Two matrices, not four
#
# Head 5.2 has four matrices, but `W_Q` and `W_K` meet only in the score, x `W_Q` `W_K`ᵀ yᵀ, and `W_V` and `W_O` only in
# what is written, x `W_V` `W_O` (biases aside). So a head is two matrices of [d_model d_model], each of rank `d_head`
# at most:
#
# - **QK** says *where to look*: which vector x scores how high with which y;
# - **OV** says *what is brought back* when it looks there.
#
# The patterns showed QK at work. What does OV bring? Send the vector at each position of the passages through it, as if
# the head had put all its weight there, and read the result off as logits. Which token does it raise most?

# %% tags=["active-ipynb", "folded"]
# # @title Prints how often each head's OV raises the token that it reads
# @torch.no_grad()
# def raises_itself(layer, head, read):
#     """How often OV raises most, of all tokens, the one that is read; by passage."""
#     part = mine[attn_names[layer]]
#     brought = read[attn_names[layer]][:, 1:] @ part.W_V[head] @ part.W_O[head]
#     brought = brought - brought.mean(dim=(0, 1))  # the same everywhere
#     brought = brought - brought.mean(dim=-1, keepdim=True)  # as the last LayerNorm does
#     logits = (brought * model.weights["ln_final.w"]) @ model.weights["unembed.W_U"]
#     return OverPassages((logits.argmax(dim=-1) == passages[:, 1:]).float().mean(dim=-1))
#
#
# copies = {head: raises_itself(*head, passage_read) for head in all_heads}
# by_share = sorted(copies, key=lambda head: copies[head].mean, reverse=True)
# for layer, head in by_share[:3]:
#     print(f"{layer}.{head}", copies[layer, head])
# W_QK = mine["blocks.5.attn"].W_Q[2] @ mine["blocks.5.attn"].W_K[2].T
# print("QK of 5.2:", list(W_QK.shape), "of rank", torch.linalg.matrix_rank(W_QK).item())

# %% [markdown]
# The copying head raises the very token that is there, at more than nine positions in ten. The next head does so at one
# in twenty. So each of its two matrices does half of the work: QK finds the position after the twin, OV copies the
# token found there.

# %% [markdown]
# ### Where does a head look when it finds nothing?
#
# The weights of a row add up to 1, so a head has to look somewhere. What does 5.2 do at a token that has not occurred
# before? In the figure of "Pugwit" most rows read the first column.

# %% tags=["active-ipynb", "folded"]
# # @title Prints how much layer 5 reads the first position
# came_before = (passages[:, :, None] == passages[:, None]).tril(-1).any(dim=-1)[:, 1:]
# on_first = passage_patterns[5, :, :, 1:, 0]  # [passage head_index query_pos]
# with torch.no_grad():
#     v = project_heads(passage_read["blocks.5.attn"], layer_5.W_V, layer_5.b_V)
#     norms = (v @ layer_5.W_O).norm(dim=-1).mean(dim=0)  # [head_index pos]
# print("     weight on the first     its token came    norm of what it would bring")
# print("     position                before   not      from the first   from others")
# for head in range(4):
#     weights = on_first[:, head]
#     came, new = (
#         (weights * which).sum(dim=-1) / which.sum(dim=-1)
#         for which in (came_before, ~came_before)
#     )
#     came, new = came.mean(), new.mean()
#     print(f"5.{head}  {brief(OverPassages(weights.mean(dim=-1)), 3)}", end=" ")
#     first_norm, other_norm = norms[head, 0], norms[head, 1:].mean()
#     print(f"{came:15.2f} {new:8.2f} {first_norm:13.1f} {other_norm:16.1f}")
# the_first = torch.full_like(passages[:, :1], encode(" the")[0, 1])
# the_passages = torch.cat([the_first, passages[:, 1:]], dim=1)
# on_the = OverPassages(patterns_of(the_passages)[5, :, 2, 1:, 0].mean(dim=-1))
# print('5.2 with " the" in place of <|endoftext|>:', end=" ")
# print(brief(on_the, 3))

# %% [markdown]
# About half of 5.2's weight goes to the first position, more where the token is new than where it came before. And the
# head takes little from there: what it would bring is a small fraction of what it would bring from other positions.
# Such a position is called an **attention sink** (Xiao et al. 2023): weight is parked where it does little harm. It is
# the position that counts, not the token: with " the" at the first position the weight stays. That fits the training,
# which cut its windows out of one long text at random, so that any token could stand there.
#
# The other heads of the layer are the control. 5.0 puts weight there too, but what it fetches from there is as large as
# what it fetches elsewhere; 5.1 and 5.3 hardly read the first position. Does 5.2 need it? The next cell hides the first
# position from it, and for comparison the second.

# %% tags=["active-ipynb"]
# def hiding(position):
#     """Your mask, and 5.2 can't read this position from any later one."""
#
#     def hide(attn_scores):
#         hidden = apply_causal_mask(attn_scores.clone())
#         hidden[:, 2, position + 1 :, position] = -torch.inf
#         return hidden
#
#     return hide
#
#
# for position in (0, 1):
#     hidden = {"blocks.5.attn": with_mask(5, hiding(position))}
#     more = on_passages({**mine, **hidden}) - whole_loss
#     print(f"position {position} hidden from 5.2:", more)
#     if position == 0:
#         print("   beyond switching 5.2 off:", more - OverPassages(without_52))

# %% [markdown]
# 5.2 does need its sink: hiding it costs a little, 0.07 nats, while hiding the second position costs next to nothing.
# Yet what 5.2 fetches from there is not what is missed: set the weight on the sink to 0 *after* softmax, so that none
# moves elsewhere, and the loss rises by only 0.002 ± 0.002 (measured when the course was made). With the sink hidden,
# 5.2 must put its weight elsewhere, and it copies what the text did not call for. That costs no less than switching off
# the whole head.

# %% [markdown]
# ### A head alone, and its team
#
# Switch off all four heads of a layer together, and compare the cost with the sum of what they cost one by one.

# %% tags=["active-ipynb", "folded"]
# # @title Draws what a layer's heads cost, alone and together
# one_by_one = passages_mean.view(6, 4, -1).sum(dim=1)  # [layer passage]
# together = [
#     on_passages(without(heads, means_on_passages)) - whole_loss
#     for heads in waiting(layer_heads, "6 layers")
# ]
# for layer in (1, 2):
#     sums, team = OverPassages(one_by_one[layer]), together[layer]
#     print(f"layer {layer}: one by one {brief(sums)}, together {brief(team)}")
# bars_shown = {
#     "one by one, added up": one_by_one.mean(dim=1),
#     "all four together": torch.tensor([team.mean for team in together]),
# }
# grouped_bars(
#     {label: more.round(decimals=2) for label, more in bars_shown.items()},
#     layer_names,
#     "Nats more with the four heads of a layer replaced by their means",
#     y_title="nats more",
# )

# %% [markdown]
# In layers 1 and 2 the four heads together (blue) cost four times as much as one by one (orange), or more. So a small
# cost for each head says little about the layer. A guess: its heads do much the same, so three can stand in for the
# fourth.

# %% [markdown]
# ### Would another scale do?
#
# Multiply all scores of the trained model by one number: 0.5 is what you get if you divide by √`d_model` = √192 instead
# of √`d_head` = √48, and 6.93 = √48 is what you get if you do not divide at all.

# %% tags=["active-ipynb"]
# def with_scores_times(factor):
#     layers = fresh_layers()
#     with torch.no_grad():
#         for part in layers.values():
#             part.W_Q *= factor
#             part.b_Q *= factor
#     return layers
#
#
# for factor in (0.0, 0.5, 0.8, 1.0, 1.25, 2.0, 48**0.5):
#     scaled = on_passages(with_scores_times(factor))
#     print(f"scores times {factor:4.3g}: {brief(scaled)} nats")

# %% [markdown]
# The model was trained at 1, and of these numbers 1 is best. Attention that is far too sharp, at 6.93, costs even a
# little more than attention that cannot choose, at 0.
#
# This does not show what training with another scale would lead to. The weights could grow or shrink to compensate.

# %% [markdown]
# ### What a longer text costs
#
# Every query meets every key. So a text twice as long has four times as many scores. Count the numbers of one layer of
# GPT-2 small, 12 heads and a stream of 768 numbers, at 4 bytes each:

# %% tags=["active-ipynb"]
# for length in (256, 1024, 8192, 131072):
#     stream, pattern = length * 768 * 4, 12 * length**2 * 4
#     print(f"{length:7,} tokens: stream {stream / 1e6:8.1f} MB,", end=" ")
#     print(f"pattern {pattern / 1e6:12,.1f} MB")

# %% [markdown]
# At GPT-2's 1024 tokens the pattern takes 50 MB a layer, at 131,072 tokens 825 GB, and the work of computing it grows
# in the same way. A call that never stores the pattern saves the memory. It does not save the work, which stays
# quadratic.

# %% [markdown]
# ### Questions 1 to 3, checked
#
# The first two answers are checked with your six layers on the tale. (The control leaves out `b_Q` instead of changing
# `b_K`.)

# %% tags=["active-ipynb", "folded"]
# # @title How far the logits move at most
# @torch.no_grad()
# def largest_change(change):
#     """How far the logits move at most when `change` is done to each of your layers."""
#     layers, text_tokens = fresh_layers(), encode(TALE)
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
