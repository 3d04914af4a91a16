"""Chapter 11: GPT-2 in NumPy, with fused attention, and in JAX. Source of the chapter and of the solution notebook."""
# JAX may be missing, and is None then.
# pyright: reportInvalidTypeForm=false, reportOptionalMemberAccess=false

# %% [markdown]
# # 11 · One model, three more ways to say it
#
# GPT-2 is a list of numbers and an order in which they are multiplied and added. You wrote that order once, in the
# style of TransformerLens. Now you write it three more times: in NumPy alone, in PyTorch with nanoGPT's attention
# fused into one call, and as a pure function in JAX. All should write what your Transformer writes, token for token.
#
# About 2½ hours, of which 80 minutes for the three exercises. Afterwards you can
#
# - read a GPT in any of the four dialects, and find your way in one that you have not seen;
# - take weights from one tree of names into another, and tell [in out] from [out in];
# - say what a dialect makes easy and what it makes hard.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError(
#         "This kernel does not have the course. In Colab, run the cell above this one; "
#         "elsewhere, in the course's folder: make lab"
#     ) from None
#
# start("ch11_dialects")

# %% [markdown]
# The third dialect needs JAX, which the course does not install. If the next cell says that it is missing, you may do
# the first two exercises without it, and the last is skipped. To install it, run `%pip install jax` in a cell, restart
# the kernel, and begin again.

# %%
import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.config import Config
from utils.dialects import GPTParams

try:
    import jax
    import jax.numpy as jnp
except ModuleNotFoundError:  # optional: only the last exercise needs it
    jax = jnp = None

Array = Any if jax is None else jax.Array

# %% tags=["active-ipynb", "folded"]
# # @title Imports what the chapter needs, its tests included
# import time
#
# from tests.ch11_dialects import (
#     test_causal_self_attention,
#     test_gpt2_jax,
#     test_gpt2_numpy,
# )
# from tests.predictions.ch11_dialects import predict, see
# from utils.dialects import fused_attention, jax_params, numpy_params
# from utils.pieces import pieces
# from utils.plotting import heatmap
# from utils.plotting.neurons import coloured_text, curves
# from utils.reference import encode, reference, str_tokens
# from utils.running.parameters import load_weights
# from utils.texts import wrapped
# from utils.transplant import TALE, logits_with, loss_on
# from utils.waiting import waiting
#
# if jax is None:
#     print("JAX is not installed: the last exercise will be skipped")

# %% [markdown]
# ## The reference text
#
# Your parts of chapters 4, 7 and 8 (or the reference solutions', as the next cell says), with the weights of the
# **reference model**: a small GPT-2 trained for this course on 73 children's books (6 blocks, 4 heads, `d_model` 192).
#
# It continues a beginning **greedily**: always with the likeliest token. Nothing is drawn, so every right program
# should write the same text.

# %% tags=["active-ipynb"]
# Attention, Transformer, generate_with_cache = pieces(
#     "Attention", "Transformer", "generate_with_cache"
# )
# model = reference()
# my_gpt2 = Transformer(model.cfg)
# load_weights(my_gpt2, model.weights)
#
# BEGUN = encode("Once upon a time there was a")[0]
# reference_text = generate_with_cache(my_gpt2, BEGUN, 40, temperature=0).tolist()
# print(wrapped("".join(str_tokens(torch.tensor(reference_text[1:])))))

# %% [markdown]
# ## NumPy: nothing but arrays
#
# A GPT seems to need a framework. In 2023 Jay Mody wrote "GPT in 60 Lines of NumPy". His picoGPT has no classes, no
# gradients and no batch: one text goes in, as an array of token numbers [pos], and logits [pos d_vocab] come out. The
# weights are dicts in dicts.

# %% tags=["active-ipynb"]
# def print_tree(tree, indent=""):
#     """The names of a tree of weights with their shapes, of the first block alone."""
#     for name, inner in tree.items():
#         if name == "blocks":
#             print(f"{indent}blocks, {len(inner)} of them; each:")
#             print_tree(inner[0], indent + "    ")
#         elif isinstance(inner, dict) and "b" in inner:
#             shapes = [f"{key} {list(array.shape)}" for key, array in inner.items()]
#             print(f"{indent}{name:8}", ", ".join(shapes))
#         elif isinstance(inner, dict):
#             print(f"{indent}{name}:")
#             print_tree(inner, indent + "    ")
#         else:
#             print(f"{indent}{name:8} {list(inner.shape)}")
#
#
# np_params, np_cfg = numpy_params()
# print_tree(np_params)

# %% [markdown]
# The names are OpenAI's own: `wte` and `wpe` are the tables of tokens and positions, your `W_E` and `W_pos`. `ln_1` and
# `ln_2` have a scale `g` and a shift `b`, your `w` and `b`. `c_fc` and `c_proj` in `mlp` are `W_in` and `W_out`.
#
# There is no `W_U`: GPT-2 uses `wte` a second time, transposed. And `W_Q`, `W_K` and `W_V` are one matrix, `c_attn`.
#
# ### One matrix for three
#
# The columns of `c_attn` are in this order: the queries of head 0, of head 1, and so on; then the keys of all heads;
# then the values. Here each of the four heads has 48 columns of each kind.

# %% tags=["active-ipynb"]
# predict(
#     "key_of_head_1",
#     """Columns and heads are numbered from 0. At which of the 576 columns of c_attn does
#     the key of head 1 begin? (A whole number, that is, ± 0.5.)""",
#     answer="240",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws the columns of c_attn as blocks, in two orders
# kinds_of_column = np.repeat(["q", "k", "v"], 4 * 48).reshape(3, 4, 48)
# numbers_of_head = np.arange(4)[None, :, None].repeat(3, 0).repeat(48, 2)
# column_names = np.char.add(kinds_of_column, numbers_of_head.astype(str))  # [3 4 48]
# in_gpt2 = column_names.reshape(-1)
# in_neox = column_names.transpose(1, 0, 2).reshape(-1)  # each head's q, k and v together
# for owner, columns in {"GPT-2": in_gpt2, "GPT-NeoX": in_neox}.items():
#     begins = [f"{one} {list(columns).index(one)}" for one in columns[::48]]
#     print(f"{owner:8}", *begins, sep="  ")
# block_names = [*in_gpt2[::48], *in_neox[::48]]
# coloured_text(
#     block_names,
#     torch.tensor([{"q": -1.0, "k": 0.4, "v": 1.0}[name[0]] for name in block_names]),
#     "The columns of c_attn: GPT-2's order above, GPT-NeoX's below",
# ).update_traces(showscale=False).update_layout(
#     meta={"words": f"GPT-2, then GPT-NeoX: {', '.join(block_names)}"}
# )

# %% tags=["active-ipynb"]
# see("key_of_head_1", column=list(in_gpt2).index("k1"))

# %% [markdown]
# GPT-NeoX, a later GPT, keeps its matrix in the second order. Both have the same shape, so nothing complains if you
# take the wrong one. To take the columns apart, name the axes in the order in which the numbers lie, because `reshape`
# only counts them off. Here is one position with two heads of two numbers each:

# %% tags=["active-ipynb"]
# one_position = np.arange(12)
# by_thirds = one_position.reshape(3, 2, 2)  # [query-key-value head_index d_head]
# for kind, heads_of_kind in zip(("query", "key", "value"), by_thirds, strict=True):
#     print(f"{kind:6} of head 0: {heads_of_kind[0]}, of head 1: {heads_of_kind[1]}")
# by_heads = one_position.reshape(2, 3, 2)  # [head_index query-key-value d_head]
# print("in another order, the query of head 1 would be", by_heads[1, 0])

# %% [markdown]
# ### Axes, masks, and a float that grows
#
# First axes and a mask, on a square of scores [query_pos key_pos]:

# %% tags=["active-ipynb"]
# three_scores = np.array([[1, 5, 2], [0, 1, 9], [3, 3, 3]], dtype=np.float32)
# may_see = np.tri(3, dtype=bool)  # True on the diagonal and left of it
# print(np.where(may_see, three_scores, -np.inf))
# print("largest of each row:", three_scores.max(axis=-1, keepdims=True).tolist())
# print("without keepdims:   ", three_scores.max(axis=-1).tolist())

# %% [markdown]
# `axis` is torch's `dim`, `keepdims` its `keepdim`. Without it the maxima would broadcast along the wrong axis.
#
# Now the float. The parameters are float32. Which of these products is still float32?

# %% tags=["active-ipynb"]
# in_single = np.ones(3, dtype=np.float32)
# products = {
#     "math.sqrt(2)": in_single * math.sqrt(2),
#     "np.sqrt(2)": in_single * np.sqrt(2),
#     "np.tri(3)[2]": in_single * np.tri(3)[2],
#     "np.tri(3, dtype=bool)[2]": in_single * np.tri(3, dtype=bool)[2],
# }
# for factor, product in products.items():
#     print(f"times {factor:25} {product.dtype}")

# %% [markdown]
# A plain Python number adapts. A float64 of NumPy's, such as `np.sqrt(2)`, turns the whole array into float64. (This
# is so since NumPy 2.) From then on everything is computed in float64: not wrong, but slower, about twice as slow on
# 100 tokens (More experiments). Our test accepts either.
#
# ### Two parts, alone
#
# A mistake in a part of a long function may show only at its end. So write two parts of `gpt2_numpy` first, and try
# them alone; then it can call them. LayerNorm's eps is 1e-5; `w` of `linear` is [in out]. The next cell checks both.
# (Or go straight to the exercise.)


# %%
def layer_norm(
    x: Float[np.ndarray, "pos d_model"],
    g: Float[np.ndarray, " d_model"],
    b: Float[np.ndarray, " d_model"],
) -> Float[np.ndarray, "pos d_model"]:
    """Each position's vector with mean 0 and variance 1, then scaled and shifted."""
    # BEGIN SOLUTION
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5) * g + b
    # INSTEAD OF
    # raise NotImplementedError("layer_norm: write this part")
    # END SOLUTION


def linear(
    x: Float[np.ndarray, "pos d_in"],
    w: Float[np.ndarray, "d_in d_out"],
    b: Float[np.ndarray, " d_out"],
) -> Float[np.ndarray, "pos d_out"]:
    """Each position's vector times the matrix, plus the bias."""
    # BEGIN SOLUTION
    return x @ w + b
    # INSTEAD OF
    # raise NotImplementedError("linear: write this part")
    # END SOLUTION


# %% tags=["active-ipynb", "folded"]
# # @title Checks your layer_norm and linear
# part_dice = np.random.default_rng(0)
# part_x, part_g, part_b = part_dice.standard_normal((3, 5, 6)).astype(np.float32)
# part_w = part_dice.standard_normal((6, 4)).astype(np.float32)
# for part_scale in (1, 0.003):  # the second is so short that eps shows
#     scaled_x = np.float32(part_scale) * part_x
#     made_norm = layer_norm(scaled_x, part_g[0], part_b[0])
#     norm_x, norm_g, norm_b = map(torch.from_numpy, (scaled_x, part_g[0], part_b[0]))
#     torch_norm = F.layer_norm(norm_x, (6,), norm_g, norm_b).numpy()
#     expected = "layer_norm: got {}, expected [pos 5, d_model 6]"
#     assert made_norm.shape == (5, 6), expected.format(list(made_norm.shape))
#     assert np.allclose(made_norm, torch_norm, atol=1e-4), (
#         f"layer_norm: wrong where the vectors are {part_scale} times as long. "
#         "Mean and variance are each position's own; 1e-5 is added to the variance."
#     )
# print("✔ layer_norm: each position alone, eps in its place")
# made_linear = linear(part_x, part_w, part_b[0, :4])
# expected = "linear: got {}, expected [pos 5, d_out 4]"
# assert made_linear.shape == (5, 4), expected.format(list(made_linear.shape))
# by_hand = sum(part_x[2, i] * part_w[i] for i in range(6)) + part_b[0, :4]
# assert np.allclose(made_linear[2], by_hand, atol=1e-4), "position 2 is not x @ w + b"
# print("✔ linear: each position times the matrix, plus the bias")

# %% [markdown] exercise="gpt2_numpy" difficulty=4 importance=4 minutes=35
# ## Exercise: write `gpt2_numpy`
#
# **What goes in?** `input_ids`, the tokens of one text, whole numbers [pos]; `params`, the tree above; `n_heads`. Not
# all models are as large as this one: take sizes from the arrays.
#
# **What comes out?** The logits, [pos d_vocab], float32 or float64. `params` stay as they were.
#
# You know every part: LayerNorm, attention, the tanh form of GELU, two residual additions a block. Use NumPy and
# `math`, no torch. In softmax subtract the row's maximum first, as in chapter 4: the test has scores too large for
# `exp`. Write the cube as `x * x * x`, because NumPy is slow at `x**3` where x is below 0.
#
# A dict with the keys `w` and `b` can be handed over as it is: `linear(x, **block["mlp"]["c_fc"])` calls `linear(x, w,
# b)`. The reference solution has 25 lines, all parts inside; functions inside the function keep it readable. The test
# silences parts of the model by zeros in the tree, so begin at the first line with a ✘.
#
# **Before you code**: `c_attn` of one text gives `[pos 3*n_heads*d_head]`. Which shape do the scores need, and how do
# you get there?
#
# <details><summary>Answer</summary>
#
# Scores are [head_index query_pos key_pos], so queries and keys must be [head_index pos d_head]. `reshape(pos, 3,
# n_heads, -1)` names the axes in the order in which the numbers lie; `transpose(1, 2, 0, 3)` then moves them to [3
# head_index pos d_head], which unpacks into q, k and v.
#
# </details>


# %%
def gpt2_numpy(
    input_ids: Int[np.ndarray, " pos"], params: dict[str, Any], n_heads: int
) -> Float[np.ndarray, "pos d_vocab"]:
    """The logits of GPT-2 for one text, in NumPy alone.

    Source: openai/gpt-2 src/model.py, model(); the tree of `params` is picoGPT's.
    """

    # BEGIN SOLUTION
    def layer_norm(x, g, b):
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = (centred**2).mean(axis=-1, keepdims=True)
        return centred / np.sqrt(variance + 1e-5) * g + b

    def linear(x, w, b):
        return x @ w + b

    def gelu(x):
        inner = x + 0.044715 * x * x * x  # x**3 is far slower
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * inner))

    def attention(x, c_attn, c_proj):
        pos = len(x)
        parts = linear(x, **c_attn).reshape(pos, 3, n_heads, -1)
        q, k, v = parts.transpose(1, 2, 0, 3)  # each [head_index pos d_head]
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        scores = np.where(np.tri(pos, dtype=bool), scores, -np.inf)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        pattern = weights / weights.sum(axis=-1, keepdims=True)
        z = (pattern @ v).transpose(1, 0, 2)  # [pos head_index d_head]
        return linear(z.reshape(pos, -1), **c_proj)

    resid = params["wte"][input_ids] + params["wpe"][: len(input_ids)]
    for block in params["blocks"]:
        resid = resid + attention(layer_norm(resid, **block["ln_1"]), **block["attn"])
        neurons = linear(layer_norm(resid, **block["ln_2"]), **block["mlp"]["c_fc"])
        resid = resid + linear(gelu(neurons), **block["mlp"]["c_proj"])
    return layer_norm(resid, **params["ln_f"]) @ params["wte"].T
    # END SOLUTION


# %% [markdown] hint="idea"
# Besides your `layer_norm` and `linear` write `gelu(x)` and `attention(x, c_attn, c_proj)`, and use all four in a loop
# over `params["blocks"]`.
#
# In attention `@` multiplies the last two axes and keeps those in front, so no loop over heads is needed. Afterwards
# the positions must come to the front again, `transpose(1, 0, 2)`, before `reshape(pos, -1)` puts the heads side by
# side.

# %% [markdown] hint="pseudocode"
# ```text
# resid = rows of wte for the tokens, plus the first rows of wpe
# for each block:
#     x      = layer_norm of resid with ln_1
#     q k v  = linear with c_attn, taken apart: [3 head_index pos d_head]
#     scores = q times k transposed, divided by the root of d_head
#     scores = -inf where the key comes after the query
#     z      = softmax over the keys, times v
#     resid  = resid + linear with attn's c_proj of the heads side by side
#     x      = layer_norm of resid with ln_2
#     resid  = resid + linear with mlp's c_proj of gelu of linear with c_fc
# return layer_norm of resid with ln_f, times wte transposed
# ```

# %% tags=["active-ipynb"]
# test_gpt2_numpy(gpt2_numpy)

# %% [markdown]
# The loop around it keeps nothing: the whole text goes through each time.


# %%
def generate_greedy_numpy(
    input_ids: list[int], params: dict[str, Any], n_heads: int, max_new_tokens: int
) -> list[int]:
    """The text and `max_new_tokens` more tokens, each the likeliest at its place."""
    ids = list(input_ids)
    for _ in range(max_new_tokens):
        logits = gpt2_numpy(np.array(ids), params, n_heads)
        ids.append(int(logits[-1].argmax()))
    return ids


# %% tags=["active-ipynb"]
# numpy_text = generate_greedy_numpy(BEGUN.tolist(), np_params, np_cfg.n_heads, 40)
# print("the same 40 tokens as your Transformer:", numpy_text == reference_text)

# %% [markdown]
# So a GPT needs no framework. **What NumPy makes easy**: the whole model is one function that you can read from top to
# bottom, and print in the middle.
#
# **What it makes hard**: there are no gradients and no GPU. And nothing stops an array from becoming float64, or a `+=`
# on a slice of `wpe` from changing the table itself.
#
# ### A bug in the wild
#
# At first picoGPT had a line that made it slower without making it wrong. Ondřej Čertík fixed it a month later (pull
# request 12, "Ensure the computation stays in single precision"). The function below is ours, with that mistake. Fix
# it; the next cell checks the dtype.


# %%
def blend_of_values(
    q: Float[np.ndarray, "pos d_head"],
    k: Float[np.ndarray, "pos d_head"],
    v: Float[np.ndarray, "pos d_head"],
) -> Float[np.ndarray, "pos d_head"]:
    """One head: softmax of the masked scores, times the values."""
    # BEGIN SOLUTION
    mask = (1 - np.tri(len(q), dtype=q.dtype)) * -1e10
    # INSTEAD OF
    # mask = (1 - np.tri(len(q))) * -1e10
    # END SOLUTION
    scores = q @ k.T / math.sqrt(q.shape[-1]) + mask
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


# %% tags=["active-ipynb"]
# bug_dice = np.random.default_rng(0)
# bug_q, bug_k, bug_v = bug_dice.standard_normal((3, 200, 48)).astype(np.float32)
# bug_blend = blend_of_values(bug_q, bug_k, bug_v)
# torch_blend = F.scaled_dot_product_attention(
#     *(torch.from_numpy(part)[None] for part in (bug_q, bug_k, bug_v)), is_causal=True
# )[0].numpy()
# assert np.allclose(bug_blend, torch_blend, atol=1e-5), "the numbers were right before"
# assert bug_blend.dtype == np.float32, (
#     f"the answer is {bug_blend.dtype}, though q, k and v are float32. "
#     "Which array in it is made without a dtype?"
# )
# print("Fixed: float32 in, float32 out.")

# %% [markdown]
# <details><summary>Answer</summary>
#
# `np.tri(n)` is float64 unless told otherwise, and so are the mask, the scores, the output and, from the first block
# on, the whole stream. So write `np.tri(len(q), dtype=q.dtype)`. Or add nothing at all: `np.where(np.tri(n,
# dtype=bool), scores, -np.inf)` stays float32.
#
# </details>

# %% [markdown]
# ## PyTorch, fused: few and large steps
#
# nanoGPT, Andrej Karpathy's GPT for training, is PyTorch like your chapters 4 to 7, so you might expect to read it at
# sight. But its attention has two `nn.Linear`, `c_attn` and `c_proj`, and no weight has an axis of heads: heads are
# *views* of the result. And scores, mask, softmax and blend are one call.
#
# ### Views
#
# A tensor is a row of numbers in memory, and a rule for walking along it: how far to step for each axis. `view` and
# `transpose` change the rule and move no number. Two positions with two heads of three numbers:

# %% tags=["active-ipynb"]
# in_memory = torch.arange(12).view(2, 6)  # [pos n_heads*d_head]
# apart = in_memory.view(2, 2, 3)  # [pos head_index d_head]
# heads_first = apart.transpose(0, 1)  # [head_index pos d_head]
# for label, seen in {"apart": apart, "heads first": heads_first}.items():
#     same_memory = seen.data_ptr() == in_memory.data_ptr()
#     print(f"{label:12} {list(seen.shape)}, steps {seen.stride()}, {same_memory = }")
# print("head 1 at both positions:", heads_first[1].tolist())
# print("cut without transpose:   ", in_memory.view(2, 2, 3).tolist()[1])

# %% [markdown]
# The first line of head 1 is the second half of position 0. Without `transpose` the shape is right, and "head 1" is
# position 1.
#
# On the way back a `view` may be refused. Some kernels of attention return the heads first in memory. Then the numbers
# of one position no longer lie side by side, and no rule of steps makes one axis of them. `reshape` copies where it
# must.

# %% tags=["active-ipynb"]
# returned_z = heads_first.contiguous()  # a copy, the heads first in memory
# try:
#     returned_z.transpose(0, 1).view(2, 6)
# except RuntimeError as refused:
#     print("back by view:", str(refused)[:62], "...")
# copied_back = returned_z.transpose(0, 1).reshape(2, 6)
# print("back by reshape, the numbers as they were:", torch.equal(copied_back, in_memory))

# %% [markdown]
# ### One call for four steps
#
# `F.scaled_dot_product_attention(q, k, v, is_causal=True)` takes q, k and v, each [... pos d_head]. It divides by the
# root of `d_head`, masks, takes softmax and blends. It also takes a mask of your own, `attn_mask`. Two positions, one
# head of one number; both queries are 0, so that all scores are equal. The values are 1 and 3.

# %% tags=["active-ipynb"]
# mask_calls = ["is_causal", "tril", "triu", "none"] * 2
# mask_positions = [0] * 4 + [1] * 4
# predict(
#     "sees_later",
#     """`call` has is_causal=True ("is_causal"), an attn_mask that is True on and below
#     the diagonal ("tril") or above it ("triu"), or no mask ("none"). In which calls
#     does position 0 or 1 get a value from a later position? Write a line that selects
#     calls and positions, such as: (call == 'tril') & (position == 1)""",
#     call=mask_calls,
#     position=mask_positions,
#     answer='(position == 0) & ((call == "triu") | (call == "none"))',
# )

# %% tags=["active-ipynb"]
# equal_q, equal_k = torch.zeros(1, 2, 1), torch.ones(1, 2, 1)
# two_values = torch.tensor([[[1.0], [3.0]]])
# hide_later = torch.ones(2, 2, dtype=torch.bool).tril()
# calls = {
#     "is_causal=True": {"is_causal": True},
#     "attn_mask=tril()": {"attn_mask": hide_later},
#     "attn_mask=triu(1)": {"attn_mask": ~hide_later},
#     "nothing": {},
# }
# blended_at = [[], []]  # of position 0, of position 1
# for label, settings in calls.items():
#     blended = F.scaled_dot_product_attention(equal_q, equal_k, two_values, **settings)
#     print(f"{label:18} {blended.flatten().tolist()}")
#     for position in range(2):
#         blended_at[position].append(float(blended[0, position]))

# %% tags=["active-ipynb"]
# see("sees_later", position=mask_positions, blended=blended_at[0] + blended_at[1])

# %% [markdown]
# In `attn_mask` True means *may be seen*. For `masked_fill`, which you used in chapter 4, it means *is hidden*. Given
# such a mask here, position 0 sees only the future. Position 1 sees nothing at all, and gets 0.
#
# ### [in out] and [out in]
#
# A matrix is a matrix, one would think. GPT-2's files keep those of the blocks as [in out], for `x @ w` (HuggingFace's
# `Conv1D`). `nn.Linear` keeps [out in], for `x @ weight.T`. So each of them has to be transposed on the way.
# `fused_attention` does that for a layer of the reference model:

# %% tags=["active-ipynb"]
# layer_0 = fused_attention(model.weights, "blocks.0.attn")
# for name, weight in layer_0.items():
#     print(f"{name:14} {list(weight.shape)}")
# as_in_the_file = torch.from_numpy(np_params["blocks"][0]["attn"]["c_attn"]["w"])
# same = torch.equal(layer_0["c_attn.weight"].T, as_in_the_file)
# print("the transpose of what the file has:", same)

# %% [markdown]
# Attention's `c_proj` is square in GPT-2. A loader that forgets to transpose it gets no error, only another model.

# %% [markdown] exercise="CausalSelfAttention" difficulty=2 importance=4 minutes=20
# ## Exercise: write `CausalSelfAttention`
#
# **What goes in?** `x`, [batch pos d_model]: what `ln1` hands over.
#
# **What comes out?** The same shape: what the block adds to the residual stream.
#
# `__init__` is given. In GPT-2 `n_heads * d_head` is `d_model`; the test has models in which it is not, so take
# `self.cfg.d_head`. There is no dropout. If you keep a mask in a buffer, make it with `persistent=False`: otherwise
# `load_state_dict`, with which the next cell loads the weights, looks for the mask among them.
#
# **Before you code**: nanoGPT writes `self.c_attn(x).split(self.n_embd, dim=2)`. What do you write in place of
# `self.n_embd`?
#
# <details><summary>Answer</summary>
#
# `n_heads * d_head`, the size of one third. Or `chunk(3, dim=-1)`, which asks for the number of pieces and not for
# their size.
#
# </details>


# %%
class CausalSelfAttention(nn.Module):
    """Causal attention; queries, keys and values come from one matrix, as in nanoGPT.

    Source: openai/gpt-2 src/model.py, attn(); its names, `c_attn` and `c_proj`.
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        inner = cfg.n_heads * cfg.d_head
        self.c_attn = nn.Linear(cfg.d_model, 3 * inner)
        self.c_proj = nn.Linear(inner, cfg.d_model)

    def forward(
        self, x: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        batch, pos, _ = x.shape
        inner = self.cfg.n_heads * self.cfg.d_head
        q, k, v = self.c_attn(x).split(inner, dim=-1)
        heads = (batch, pos, self.cfg.n_heads, self.cfg.d_head)
        q = q.view(heads).transpose(1, 2)  # [batch head_index pos d_head]
        k = k.view(heads).transpose(1, 2)
        v = v.view(heads).transpose(1, 2)
        z = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(z.transpose(1, 2).reshape(batch, pos, inner))
        # END SOLUTION


# %% [markdown] hint="idea"
# Five steps: `c_attn`; split into q, k, v; each of them into heads, `view` and then `transpose(1, 2)`; the one call;
# back, `transpose(1, 2)` and `reshape`, and through `c_proj`.
#
# The call works on the last two axes. Whatever comes before them, here batch and head_index, is kept apart.

# %% [markdown] hint="pseudocode"
# ```text
# batch, pos = the first two sizes of x
# q, k, v = c_attn of x, split into three pieces of n_heads * d_head
# each of them: view as [batch pos n_heads d_head], then swap axes 1 and 2
# z = scaled_dot_product_attention of q, k, v, causal
# z: swap axes 1 and 2 back, then reshape to [batch pos n_heads*d_head]
# return c_proj of z
# ```

# %% tags=["active-ipynb"]
# test_causal_self_attention(CausalSelfAttention)

# %% [markdown]
# Now chapter 4's `Attention` and this one, with the same weights, on what each layer of the reference model reads;
# then all six new layers in the model.

# %% tags=["active-ipynb"]
# fused_layers = {}
# for layer in range(model.cfg.n_layers):
#     name = f"blocks.{layer}.attn"
#     fused_layers[name] = CausalSelfAttention(model.cfg)
#     fused_layers[name].load_state_dict(fused_attention(model.weights, name))
#     from_chapter_4 = Attention(model.cfg)
#     prefix = f"{name}."
#     its_weights = {
#         key.removeprefix(prefix): weight
#         for key, weight in model.weights.items()
#         if key.startswith(prefix)
#     }
#     load_weights(from_chapter_4, its_weights)
#     read_there = model.activations[f"{name}.hook_in"]
#     with torch.no_grad():
#         other = from_chapter_4(read_there)
#         largest = (fused_layers[name](read_there) - other).abs().max()
#     print(f"layer {layer}: nowhere more than 0.0001 apart: {bool(largest < 1e-4)}")
# its_own, fused_loss = loss_on(TALE, {}), loss_on(TALE, fused_layers)
# print(f"loss on a tale: its own {its_own:.3f} nats, with yours {fused_loss:.3f} nats")

# %% tags=["active-ipynb"]
# fused_text = BEGUN.tolist()
# for _ in waiting(range(40), "writing with fused attention"):
#     last_scores = logits_with(fused_layers, torch.tensor([fused_text]))[0, -1]
#     fused_text.append(int(last_scores.argmax()))
# print("the same 40 tokens as your Transformer:", fused_text == reference_text)

# %% [markdown]
# **What this dialect makes easy**: speed, above all. There is one product where there were three, and a call that
# PyTorch can hand to a kernel made for it. On a GPU that kernel (FlashAttention) never writes the square of scores to
# memory.
#
# **What it makes hard**: you can't look inside. Which head looks where, chapter 4's question, has no answer here, and a
# head is only a range of columns.
#
# ### A bug in the wild
#
# Here is a function for the cache of chapter 8: some new positions read all positions so far. It says `is_causal=True`,
# as your class does. So did those who wrote PyTorch's issues 103082 and 144858. With as many queries as keys it is
# right. Find out what it does where there are more keys, and fix it.


# %%
def attend_to_cached(
    q: Float[Tensor, "head_index new_pos d_head"],
    k: Float[Tensor, "head_index all_pos d_head"],
    v: Float[Tensor, "head_index all_pos d_head"],
) -> Float[Tensor, "head_index new_pos d_head"]:
    """What the last positions blend; keys and values are those of all positions."""
    # BEGIN SOLUTION
    n_new, n_all = q.shape[1], k.shape[1]
    seen = torch.ones(n_new, n_all, dtype=torch.bool).tril(n_all - n_new)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=seen)
    # INSTEAD OF
    # return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    # END SOLUTION


# %% tags=["active-ipynb", "folded"]
# # @title Checks your attend_to_cached against the same positions read at once
# cache_dice = torch.Generator().manual_seed(0)
# all_q, all_k, all_v = torch.randn(3, 2, 6, 4, generator=cache_dice)
# at_once = F.scaled_dot_product_attention(all_q, all_k, all_v, is_causal=True)
# for n_new in (6, 1, 2, 4):
#     blended = attend_to_cached(all_q[:, -n_new:], all_k, all_v)
#     apart_by = (blended - at_once[:, -n_new:]).abs().amax(dim=(0, 2))
#     wrong = [6 - n_new + place for place in range(n_new) if apart_by[place] > 1e-5]
#     assert not wrong, (
#         f"{n_new} new of 6 positions: wrong at {wrong}. "
#         "Print what a single new position blends, and compare it with all_v[:, 0]."
#     )
# print("Fixed: new positions blend what they do when all are read at once.")

# %% [markdown]
# <details><summary>Answer</summary>
#
# The triangle of `is_causal` begins in the upper left corner: query 0 sees key 0 alone, query 1 sees keys 0 and 1. So a
# single new query sees only position 0, whatever the text. There is no error, but the model cannot read on: greedily,
# the reference model ends in "once in a time ago there was once in a time ago" after each of three beginnings that we
# gave it. The last query must see the last key, so the triangle has to end in the lower *right* corner, `tril(n_all -
# n_new)`. For one new position that is no mask at all. (A pull request that was to give nanoGPT a cache, number 694 of
# 2026, calls it with `is_causal=False` for that reason.)
#
# </details>

# %% [markdown]
# Three new positions read six keys: above, what `is_causal=True` lets them see; below, what they need.

# %% tags=["active-ipynb", "folded"]
# # @title Draws which keys three new positions may see
# upper_left = torch.ones(3, 6).tril()  # is_causal=True
# lower_right = torch.ones(3, 6).tril(6 - 3)
# heatmap(
#     torch.cat([upper_left, torch.full((1, 6), 0.0), lower_right]),
#     [
#         *(f"is_causal, position {position}" for position in (3, 4, 5)),
#         "",
#         *(f"needed, position {position}" for position in (3, 4, 5)),
#     ],
#     [f"key {key}" for key in range(6)],
#     "Dark: the keys that each new position may see",
# ).update_traces(showscale=False, xgap=2, ygap=2)

# %% [markdown]
# In a square both triangles are the same. In a rectangle `is_causal` begins in the upper *left* corner, so that
# position 3 sees nothing but position 0. The triangle has to end in the lower *right* corner.
#
# ## JAX: a function, and what can be done to it
#
# JAX looks like NumPy, so you might expect the same rules. But it asks that your function be **pure**: what comes out
# depends on the arguments alone, and nothing outside is changed. In return it can rework the function: `jax.jit`
# compiles it, `jax.grad` makes its gradient, `jax.vmap` runs it over an axis.
#
# So there is no module that owns weights. They are an argument, a tree of **NamedTuples**:

# %% tags=["active-ipynb"]
# if jax:
#     jnp_params, jnp_cfg = jax_params()
#     print("GPTParams:", ", ".join(jnp_params._fields))
#     for name, part in jnp_params.blocks[0]._asdict().items():
#         shapes = {field: list(array.shape) for field, array in part._asdict().items()}
#         print(f"  a block's {name}: {shapes}")

# %% [markdown]
# `ln_f` has a `gamma` and a `beta` too. All matrices are [in out]. `W_qkv` has its columns in the order that you
# know. `params.blocks[0].mha_params.W_qkv` is how you reach one.
#
# ### Arrays that never change
#
# **Before you run it**: which of the three lines gives the array with a 0 in front?

# %% tags=["active-ipynb"]
# if jax:
#     four = jnp.arange(1, 5)
#     try:
#         four[0] = 0
#     except TypeError as refused:
#         print("four[0] = 0:       ", str(refused).partition(".")[0])
#     four.at[0].set(0)
#     print("four.at[0].set(0), then four:", four)
#     print("what .set returned:          ", four.at[0].set(0))

# %% [markdown]
# The second line computes a new array and drops it. A mask written in this way hides nothing, and no error says so.
#
# ### When is it compiled?
#
# `jax.jit` calls your function with **tracers**: stand-ins that have a shape and a dtype and no values. It writes down
# what happens to them, and compiles that. The function below notes when it is traced.

# %% tags=["active-ipynb"]
# predict(
#     "traced",
#     """A compiled function is called with arrays of 3, 3, 4 and 3 numbers, in this
#     order. How many times is it traced?
#     a) once, at the first call
#     b) twice
#     c) four times, at each call""",
#     answer="b",
# )

# %% tags=["active-ipynb"]
# traced_shapes = []
# if jax:
#
#     @jax.jit
#     def doubled(numbers):
#         is_tracer = isinstance(numbers, jax.core.Tracer)
#         print(f"  traced with {numbers.shape}, {is_tracer = }")
#         traced_shapes.append(numbers.shape)
#         return 2 * numbers
#
#     for length in (3, 3, 4, 3):
#         print(f"called with {length}:")
#         doubled(jnp.ones(length))
#     see("traced", times_traced=len(traced_shapes))

# %% [markdown]
# So a new shape or dtype is compiled anew. A tracer has no value, and therefore `if scores.max() > 80` is an error, and
# so is `np.exp(scores)`. A loop over `params.blocks` is fine, because how many there are is not a value in an array.
# And `n_heads` decides about a *shape*, so it must stay a plain number: `static_argnums=2` tells `jit` not to trace it.
#
# ### One head, then `vmap`
#
# Instead of an axis of heads in every line, write one head, and let JAX add the axis. Here `spread` is written for one
# vector:

# %% tags=["active-ipynb"]
# if jax:
#
#     def spread(vector):
#         return vector.max() - vector.min()
#
#     grid = jnp.array([[0, 1, 9], [5, 5, 6]])
#     print("of everything:           ", spread(grid))
#     print("jax.vmap(spread):        ", jax.vmap(spread)(grid))
#     print("jax.vmap(.., in_axes=1): ", jax.vmap(spread, in_axes=1)(grid))

# %% [markdown]
# `in_axes` says which axis of the arguments is taken apart, by default the first, and `out_axes` where it goes in the
# result. With q, k and v as [pos head_index d_head] the heads are axis 1, in and out.

# %% [markdown] exercise="gpt2_jax" difficulty=3 importance=3 minutes=25
# ## Exercise: write `gpt2_jax`
#
# **What goes in?** `input_ids` [pos], `params`, a `GPTParams`, and `n_heads`.
#
# **What comes out?** The logits [pos d_vocab], a JAX array in float32.
#
# It must be possible to compile it: the test calls `jax.jit(gpt2_jax, static_argnums=2)` too. You need not compile
# anything yourself. Use `vmap` for the heads, or any other way. The first run takes several seconds, in which JAX
# compiles.
#
# **Before you code**: how do you mask, where nothing can be assigned to?
#
# <details><summary>Answer</summary>
#
# `jnp.where(jnp.tri(len(q), dtype=bool), scores, -jnp.inf)` makes a new array: where the triangle is True the score,
# elsewhere minus infinity.
#
# </details>


# %%
def gpt2_jax(
    input_ids: Int[Array, " pos"], params: GPTParams, n_heads: int
) -> Float[Array, "pos d_vocab"]:
    """The logits of GPT-2 for one text: a pure function, which JAX can compile.

    Source: openai/gpt-2 src/model.py, model().
    """

    # BEGIN SOLUTION
    def layer_norm(x, norm):
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = (centred**2).mean(axis=-1, keepdims=True)
        return centred / jnp.sqrt(variance + 1e-5) * norm.gamma + norm.beta

    def head(q, k, v):  # each [pos d_head]
        scores = q @ k.T / math.sqrt(q.shape[-1])
        seen = jnp.tri(len(q), dtype=bool)
        return jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1) @ v

    def attention(x, mha):
        parts = (x @ mha.W_qkv + mha.b_qkv).reshape(len(x), 3, n_heads, -1)
        q, k, v = (parts[:, index] for index in range(3))  # [pos head_index d_head]
        z = jax.vmap(head, in_axes=1, out_axes=1)(q, k, v)
        return z.reshape(len(x), -1) @ mha.W_out + mha.b_out

    def mlp(x, ffn):
        neurons = jax.nn.gelu(x @ ffn.W1 + ffn.b1, approximate=True)
        return neurons @ ffn.W2 + ffn.b2

    resid = params.W_e[input_ids] + params.W_p[: len(input_ids)]
    for block in params.blocks:
        read = layer_norm(resid, block.ln_1_params)
        resid = resid + attention(read, block.mha_params)
        read = layer_norm(resid, block.ln_2_params)
        resid = resid + mlp(read, block.ffn_params)
    return layer_norm(resid, params.ln_f) @ params.W_e.T
    # END SOLUTION


# %% [markdown] hint="idea"
# Begin with your `gpt2_numpy`: `jnp` for `np`, attributes for keys. What remains is attention. Write `head(q, k, v)`
# for [pos d_head] each, as you would by hand, and then `jax.vmap(head, in_axes=1, out_axes=1)(q, k, v)` for [pos
# head_index d_head].
#
# `jax.nn.softmax` and `jax.nn.gelu` exist; the latter is the tanh form unless told otherwise.

# %% [markdown] hint="pseudocode"
# ```text
# head(q, k, v): softmax of the masked, scaled scores, times v
# attention(x, mha):
#     parts = x times W_qkv plus b_qkv, as [pos 3 n_heads d_head]
#     q, k, v = the three parts, each [pos n_heads d_head]
#     z = head for each index of axis 1: [pos n_heads d_head]
#     return z as [pos n_heads*d_head], times W_out plus b_out
# resid = rows of W_e plus the first rows of W_p
# for each block: add attention of ln_1, then the MLP of ln_2
# return layer_norm of resid with ln_f, times W_e transposed
# ```

# %% tags=["active-ipynb"]
# test_gpt2_jax(gpt2_jax)

# %% [markdown]
# ### A text that grows
#
# A function is compiled for each shape, and a text gets a new shape with every token. The way out: hand over `n_ctx`
# tokens each time, the text and then zeros, and read off the row of the last real token. **Before you read on**: why do
# the zeros after it change nothing?
#
# <details><summary>Answer</summary>
#
# The causal mask: no position reads a later one. The rows after the last real token are nonsense, and nobody reads
# them.
#
# </details>


# %%
def generate_greedy_jax(
    input_ids: list[int],
    params: GPTParams,
    n_heads: int,
    max_new_tokens: int,
    compiled: Any = None,
) -> list[int]:
    """The text with `max_new_tokens` more tokens, while all of it fits into n_ctx.

    Compiled once: the text is filled up with zeros, which no earlier position sees.
    """
    compiled = compiled or jax.jit(gpt2_jax, static_argnums=2)
    ids = list(input_ids)
    for _ in range(max_new_tokens):
        filled = np.zeros(len(params.W_p), dtype=np.int32)
        filled[: len(ids)] = ids
        logits = compiled(jnp.asarray(filled), params, n_heads)
        ids.append(int(logits[len(ids) - 1].argmax()))
    return ids


# %% tags=["active-ipynb"]
# jax_text = None
# if jax:
#     jax_text = generate_greedy_jax(BEGUN.tolist(), jnp_params, jnp_cfg.n_heads, 40)
#     print("the same 40 tokens as your Transformer:", jax_text == reference_text)

# %% [markdown]
# **What JAX makes easy**: compiling a function, running it over an axis, taking its gradient. That of a loss, below, is
# a tree of the same form.
#
# **What it makes hard**: everything that changes, such as shapes that grow, arrays written in place (a cache!), a look
# at values in the middle.
#
# ### An index too large
#
# A token number that is not in the vocabulary asks for a row that `wte` does not have. NumPy and PyTorch raise.

# %% tags=["active-ipynb"]
# predict(
#     "index_too_large",
#     """rows = jnp.array([10, 20, 30]). What is rows[7] in JAX?
#     a) an error
#     b) 30
#     c) 0""",
#     answer="b",
# )

# %% tags=["active-ipynb"]
# if jax:
#     rows = jnp.array([10, 20, 30])
#     print("rows[7] of three rows:", rows[7], " and with mode='fill':", end=" ")
#     print(jnp.array([1.0, 2.0, 3.0]).at[7].get(mode="fill"))
#     see("index_too_large", found=int(rows[7]))

# %% [markdown]
# JAX does not check an index in brackets: it takes the last row instead, in silence.
#
# ### A bug in the wild
#
# picoGPT's author said on Hacker News (item 34726115) how easily his NumPy code becomes trainable: import `jax.numpy as
# np`, and take the gradient of this loss.
#
# ```python
# x, y = inputs[:-1], inputs[1:]
# output = gpt(x, **params, n_head=n_head)
# loss = np.mean(-np.log(output[y]))
# ```
#
# The idea holds. But the last line has two mistakes, and JAX hides one that NumPy would have shown. Fix it in our
# version below, so that it is chapter 6's loss: the mean of −log of the probability of each next token.


# %%
def next_token_loss_jax(
    input_ids: Int[Array, " pos"], params: GPTParams, n_heads: int
) -> Float[Array, ""]:
    """How badly the model guesses each next token, in nats."""
    before, after = input_ids[:-1], input_ids[1:]
    logits = gpt2_jax(before, params, n_heads)
    # BEGIN SOLUTION
    log_probabilities = jax.nn.log_softmax(logits, axis=-1)
    return -log_probabilities[jnp.arange(len(after)), after].mean()
    # INSTEAD OF
    # return jnp.mean(-jnp.log(logits[after]))
    # END SOLUTION


# %% tags=["active-ipynb", "folded"]
# # @title Checks your loss against chapter 6's on a tale, and takes its gradient
# if jax:
#     tale_tokens = encode(TALE)[0, :60]
#     jax_loss = next_token_loss_jax(jnp.asarray(tale_tokens.numpy()), jnp_params, 4)
#     with torch.no_grad():
#         tale_scores = my_gpt2(tale_tokens[None])[0, :-1]
#         torch_loss = F.cross_entropy(tale_scores, tale_tokens[1:])
#     assert jnp.ndim(jax_loss) == 0, "the loss is one number"
#     assert not jnp.isnan(jax_loss), (
#         "not a number: logits may be below 0, and then they have no logarithm. "
#         "What must come between the logits and the logarithm?"
#     )
#     assert abs(float(jax_loss) - float(torch_loss)) < 1e-3, (
#         f"{float(jax_loss):.3f}, and chapter 6's loss is {float(torch_loss):.3f}. "
#         "Which number of which row is the probability of the next token?"
#     )
#     slope = jax.grad(next_token_loss_jax, argnums=1)(
#         jnp.asarray(tale_tokens.numpy()), jnp_params, 4
#     )
#     print(f"Fixed: {float(jax_loss):.3f} nats, as chapter 6 has it.")
#     print("its gradient is a", type(slope).__name__, "with W_e", slope.W_e.shape)

# %% [markdown]
# <details><summary>Answer</summary>
#
# `output` holds logits, and the logarithm wants probabilities: softmax first, or `log_softmax` at once. And `output[y]`
# takes the *rows* y, where the number at y in each row is meant: `output[arange(len(y)), y]`. A token number in the
# thousands is no row of a text of 59 tokens, so NumPy raises an IndexError. JAX does not check: it takes the last row
# instead, in silence.
#
# </details>

# %% [markdown]
# ## See it work
#
# Programs that add the same numbers in another order get sums that differ in the seventh digit. Yet all four write the
# same 40 tokens:

# %% tags=["active-ipynb"]
# texts = {"NumPy": numpy_text, "fused": fused_text, "JAX": jax_text}
# for dialect, text in texts.items():
#     verdict = "not installed" if text is None else text == reference_text
#     print(f"{dialect:6} writes what your Transformer writes: {verdict}")

# %% [markdown]
# Was that luck? For each token the figure below shows by how much the best logit was ahead of the second, and by how
# much any logit differed between your Transformer and the other programs, in powers of ten: −1 is 0.1.

# %% tags=["active-ipynb"]
# predict(
#     "margin",
#     """Which is larger, the smallest lead of a best logit or the largest difference
#     between two programs?
#     a) the difference: the same text was luck
#     b) the lead, by less than a factor of 100
#     c) the lead, by a factor of 100 or more""",
#     answer="c",
# )

# %% tags=["active-ipynb", "nbval-ignore-output"]
# text_ids = torch.tensor(reference_text[:-1])
# with torch.no_grad():
#     text_logits = my_gpt2(text_ids[None])[0]
# other_logits = [
#     torch.from_numpy(gpt2_numpy(text_ids.numpy(), np_params, np_cfg.n_heads)),
#     logits_with(fused_layers, text_ids[None])[0],
# ]
# if jax:
#     by_jax = gpt2_jax(jnp.asarray(text_ids.numpy()), jnp_params, jnp_cfg.n_heads)
#     other_logits.append(torch.from_numpy(np.array(by_jax)))
# new_rows = slice(len(BEGUN) - 1, None)
# best_two = text_logits[new_rows].topk(2).values
# lead = best_two[:, 0] - best_two[:, 1]
# apart = torch.stack(
#     [(one - text_logits)[new_rows].abs().amax(dim=-1) for one in other_logits]
# ).amax(dim=0)
# print(f"smallest lead {lead.min():.3f}, largest difference {apart.max():.1g}")
# curves(
#     torch.arange(1.0, 41.0),
#     {"lead of the best logit": lead.log10(), "difference of programs": apart.log10()},
#     "The lead of the best logit, and the difference of programs",
#     x_title="new token",
#     y_title="power of ten",
# )

# %% tags=["active-ipynb", "nbval-ignore-output"]
# see("margin", smallest_lead=float(lead.min()), largest_difference=float(apart.max()))

# %% [markdown]
# So greedy text is safe here, since what counts is only *which* logit is the largest. It is not a law: in 80 other
# texts the smallest lead was 0.0005, only some 25 times the largest difference here. Sooner or later two right programs
# will part.
#
# Which program is fastest? For 40 tokens, whatever keeps a cache is ahead of whatever reads the whole text each time;
# for five, NumPy keeps up. Of the three without a cache, `generate_greedy_jax` is the slowest for 40 tokens, because it
# computes `n_ctx` positions for each. With less to fill up, all three are within a factor of two, and their order
# changes with the model (More experiments).

# %% [markdown]
# ## Side by side
#
# | | chapters 4 to 7 | NumPy | fused | JAX |
# |---|---|---|---|---|
# | weights are | parameters, heads on an axis | a dict of dicts | two `nn.Linear` a layer | an argument, a tree |
# | queries, keys, values | three einsums | one product, `reshape` | one product, `view` | one product, `vmap` |
# | a look inside | hooks anywhere | `print` anywhere | not in attention | not while compiled |
# | gradients | yes | no | yes | `jax.grad` |
# | it raises for an index too large | yes | yes | yes | no |
# | made for | understanding | reading | training fast | transforming |
#
# None of the four is another model: load the same weights, and only the rounding differs.

# %% [markdown]
# ## Check your understanding
#
# **1.** A colleague loads HuggingFace's `c_proj.weight` into `nn.Linear` without transposing it. What happens? And with
# `c_attn.weight`?
#
# <details><summary>Answer</summary>
#
# `c_attn.weight` is [192 576] where [576 192] is expected: an error. `c_proj.weight` of attention is square: it loads,
# and the model writes nonsense. In the MLP both are refused. So a test on shapes finds three of four.
#
# </details>
#
# **2.** In NumPy your text is right, but takes twice as long as your neighbour's. What do you print?
#
# <details><summary>Answer</summary>
#
# The dtype of the stream after each step: after one float64 constant or mask, everything is float64.
#
# </details>
#
# **3.** `jax.jit(gpt2_jax)` without `static_argnums`: where does it fail, and why not at the loop over blocks?
#
# <details><summary>Answer</summary>
#
# At the first shape that is computed from `n_heads`, the `reshape`: a tracer has no value. The loop over
# `params.blocks` runs while tracing, over a tuple, whose length Python knows. It is unrolled: six blocks are compiled
# one after the other.
#
# </details>
#
# **4.** Your cached loop with `F.scaled_dot_product_attention(..., is_causal=True)` writes "once in a time ago there
# was once in a time ago", whatever the beginning. Which token's value does each new position get?
#
# <details><summary>Answer</summary>
#
# That of position 0, and of no other: the triangle is aligned with the upper left corner. For one new query leave the
# mask out.
#
# </details>

# %% [markdown]
# <details><summary><b>I get this error</b></summary>
#
# - **`matmul: Input operand 1 has a mismatch in its core dimension 0`**: two sizes do not meet in `@`. `wte` needs `.T`
#   at the end; the matrices of the blocks need none.
# - **`cannot reshape array of size 75 into shape ...`**: the sizes do not multiply to as many numbers. A written-out
#   192 or 64? Take sizes from `x.shape`.
# - **`NotImplementedError: layer_norm: write this part`**: the cell that checks your two parts needs both of them.
# - **`linear() got an unexpected keyword argument 'w'`**: with `**` the dict's keys are the names of the arguments, so
#   your function must call them `w` and `b`, and a LayerNorm's `g` and `b`.
# - **`view size is not compatible with input tensor's size and stride`**: after `transpose` use `reshape`, or
#   `.contiguous().view(...)`.
# - **`split_with_sizes` or `too many values to unpack (expected 3)`**: `split` takes the size of a piece, here
#   `n_heads * d_head`, not how many there should be. `chunk(3, dim=-1)` takes that.
# - **`Error(s) in loading state_dict ... size mismatch for c_attn.weight`**: [in out] meets [out in]: transpose.
# - **`JAX arrays are immutable`**: `jnp.where`, or keep what `.at[...].set(...)` returns.
# - **`TracerArrayConversionError`**: a function of `np` met a tracer. Write `jnp`.
# - **`TracerBoolConversionError`**: an `if` asks for a value while `jit` compiles. `jnp.where` chooses value by value.
# - **`Shapes must be 1D sequences of concrete values of integer type`**: `n_heads` was traced: `static_argnums=2`.
# - **`vmap got inconsistent sizes`**: the arguments have different lengths along the mapped axis. For what is the same
#   in every call, such as a mask, write None in `in_axes`.
#
# </details>

# %% [markdown]
# ## Where to read more
#
# - Mody 2023, [*GPT in 60 Lines of NumPy*](https://jaykmody.com/blog/gpt-from-scratch/), and
#   [jaymody/picoGPT](https://github.com/jaymody/picoGPT), with pull request 12. His words on JAX: [Hacker News
#   34726115](https://news.ycombinator.com/item?id=34726115).
# - Karpathy 2022, [nanoGPT](https://github.com/karpathy/nanoGPT), `model.py`: `CausalSelfAttention`, and
#   `from_pretrained`.
# - [`torch.nn.functional.scaled_dot_product_attention`](https://docs.pytorch.org/docs/stable/nn.functional.html): the
#   whole computation in fifteen lines of Python. The mask's corner: issues
#   [103082](https://github.com/pytorch/pytorch/issues/103082),
#   [108108](https://github.com/pytorch/pytorch/issues/108108) and
#   [144858](https://github.com/pytorch/pytorch/issues/144858).
# - Dao et al. 2022, *FlashAttention*, [arXiv:2205.14135](https://arxiv.org/abs/2205.14135).
# - [JAX: the sharp bits](https://docs.jax.dev/en/latest/notebooks/Common_Gotchas_in_JAX.html).
# - openai/gpt-2, [src/model.py](https://github.com/openai/gpt-2/blob/master/src/model.py): TensorFlow 1.
# - Ansel et al. 2024, *PyTorch 2: Faster Machine Learning Through Dynamic Python Bytecode Transformation and Graph
#   Compilation*, [doi:10.1145/3620665.3640366](https://doi.org/10.1145/3620665.3640366): what `torch.compile` does.

# %% [markdown] tags=["folded"]
# ## More experiments

# %% [markdown]
# ### What a float64 costs
#
# The whole model on 100 tokens of a tale: all in float32; with one table in float64, so that, as with picoGPT's bug,
# the stream is float64 and the weights are not; and all in float64:

# %% tags=["active-ipynb", "nbval-ignore-output"]
# def in_doubles(tree):
#     """The same tree in float64."""
#     if isinstance(tree, dict):
#         return {name: in_doubles(inner) for name, inner in tree.items()}
#     if isinstance(tree, list):
#         return [in_doubles(inner) for inner in tree]
#     return tree.astype(np.float64)
#
#
# tale_ids = encode(TALE)[0, :100].numpy()
# trees = {
#     "all float32": np_params,
#     "wpe float64": np_params | {"wpe": in_doubles(np_params["wpe"])},
#     "all float64": in_doubles(np_params),
# }
# fastest = dict.fromkeys(trees, float("inf"))
# for _ in range(8):  # in turns, so that a busy moment hits all three
#     for label, tree in trees.items():
#         began = time.process_time()
#         tale_logits = gpt2_numpy(tale_ids, tree, np_cfg.n_heads)
#         fastest[label] = min(fastest[label], time.process_time() - began)
# for label, seconds in fastest.items():
#     print(f"{label}: {1000 * seconds:.1f} ms, the fastest of eight")

# %% [markdown]
# On these 100 tokens one float64 table makes the whole model about twice as slow, as float64 throughout does.

# %% [markdown]
# ### Nearly GPT-2
#
# One part of nanoGPT is no longer GPT-2's. Since June 2023 (commit 594068e, "Use nn.GELU") its MLP has the *exact*
# GELU. Chapter 5 measured how near the two forms are. In the reference model the exact one moves a logit by 0.005 on
# average and by 0.06 at most, and 79 of 80 greedy texts stay the same. Our test asks for the tanh form.

# %% [markdown]
# ### Where the time goes
#
# The fastest way to write 40 tokens with your own parts is `generate_with_cache`. What does a token cost there, and how
# much of that is arithmetic? The next cell listens in between PyTorch and its operations. It counts them, and times the
# products of matrices, which do nearly all of the arithmetic.

# %% tags=["active-ipynb", "folded", "nbval-ignore-output"]
# # @title Counts the operations of generate_with_cache, and times its products
# from torch.utils._python_dispatch import TorchDispatchMode
#
# PRODUCTS = {"mm", "addmm", "bmm", "baddbmm"}
# VIEWS = {"view", "_unsafe_view", "transpose", "permute", "unsqueeze", "squeeze"}
# VIEWS |= {"expand", "slice", "select", "t", "detach", "alias", "as_strided"}
#
#
# class Listening(TorchDispatchMode):
#     """Notes how often each kind of operation comes, and how long the products take."""
#
#     def __init__(self):
#         super().__init__()
#         self.count = {"products of matrices": 0, "views": 0, "all others": 0}
#         self.in_products = 0.0
#
#     def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
#         began = time.thread_time()
#         answer = operation(*args, **(kwargs or {}))
#         name = operation.overloadpacket.__name__
#         if name in PRODUCTS:
#             self.count["products of matrices"] += 1
#             self.in_products += time.thread_time() - began
#         else:
#             self.count["views" if name in VIEWS else "all others"] += 1
#         return answer
#
#
# def write_cached(count):
#     return generate_with_cache(my_gpt2, BEGUN, count, temperature=0)
#
#
# threads_before = torch.get_num_threads()
# torch.set_num_threads(1)
# write_cached(10)
# began = time.thread_time()
# write_cached(40)
# each_token = (time.thread_time() - began) / 40
# with Listening() as listening:
#     write_cached(40)
# torch.set_num_threads(threads_before)
# print("operations a token:", end=" ")
# print(", ".join(f"{count // 40} {kind}" for kind, count in listening.count.items()))
# share = listening.in_products / 40 / each_token
# print(f"{1000 * each_token:.1f} ms a token, {share:.0%} of it in products of matrices")

# %% [markdown]
# One token takes more than 600 operations, if your parts are written as the reference solutions are: 49 products of
# matrices, about 310 that only make a view, 265 others. The products took between a quarter and somewhat more than
# half of the time here. The rest is many small things: a LayerNorm in seven steps, a softmax over a few numbers, a
# `cat` for each cache. In a model as small as this one, how many steps there are counts for more than how large each
# is. (A `cat` copies the whole cache, and takes longer the longer the text.)
#
# The arithmetic has a price of its own. A token needs each weight once, and reading 3.5 million floats from memory
# takes time however they are multiplied. Two ways to be faster follow: **fewer operations**, and **fewer bytes**.

# %% [markdown]
# ### A copy that nobody wrote
#
# Chapter 8 gave you `project`, with a comment that `einsum` would copy the weights. Would it? These two compute the
# queries of one position, in the sizes of GPT-2 small:

# %% tags=["active-ipynb", "nbval-ignore-output"]
# one_read = torch.randn(1, 1, 768)
# many_W_Q = [torch.randn(12, 768, 64) for _ in range(36)]
#
#
# def queries_by_einsum(weight):
#     return torch.einsum("bpm,hmd->bphd", one_read, weight)
#
#
# def queries_by_heads(weight):
#     return (one_read[:, None] @ weight).transpose(1, 2)
#
#
# by_einsum, by_heads = queries_by_einsum(many_W_Q[0]), queries_by_heads(many_W_Q[0])
# torch.testing.assert_close(by_einsum, by_heads)
# torch.set_num_threads(1)
# for way in (queries_by_einsum, queries_by_heads):
#     took = []
#     for _ in range(5):
#         began = time.process_time()
#         for weight in many_W_Q:
#             way(weight)
#         took.append(time.process_time() - began)
#     print(f"{way.__name__:18} {1e6 * min(took) / len(many_W_Q):5.0f} µs")
# torch.set_num_threads(threads_before)

# %% [markdown]
# The same numbers, and usually in more time. `einsum` turns its work into one product of two matrices, and for this
# pattern the matrix is [d_model, n_heads · d_head]. In memory `W_Q` lies head by head, so that all 590,000 weights are
# copied into that order first. A batch of a thousand positions hardly notices. A single position does, and a cache
# means one position at a time. `@` takes the heads one by one, where they lie.
#
# It is an easy trap. `"bqhd,hdm->bqm"` with `W_O` copies too, and `"bqhk,hkm->bqm"`, the same product, does not:
# PyTorch sorts the summed axes by their letters.

# %% [markdown]
# ### Four dialects, timed

# %% tags=["active-ipynb", "folded", "nbval-ignore-output"]
# # @title Times 40 tokens in each dialect, on one thread
# def by_fused(count):
#     ids = BEGUN[None]
#     for _ in range(count):
#         best = logits_with(fused_layers, ids)[0, -1].argmax()
#         ids = torch.cat([ids, best.view(1, 1)], dim=1)
#
#
# ways = {
#     "your generate_with_cache": lambda count: generate_with_cache(
#         my_gpt2, BEGUN, count, temperature=0
#     ),
#     "fused, whole text each time": by_fused,
#     "NumPy, whole text each time": lambda count: generate_greedy_numpy(
#         BEGUN.tolist(), np_params, np_cfg.n_heads, count
#     ),
# }
# torch.set_num_threads(1)
# fastest = dict.fromkeys(ways, float("inf"))
# for _ in waiting(range(4), "timing, all in turns"):
#     for label, write in ways.items():
#         began = time.process_time()
#         write(40)
#         fastest[label] = min(fastest[label], time.process_time() - began)
# torch.set_num_threads(threads_before)
# for label, seconds in fastest.items():
#     print(f"{label:28} {40 / seconds:6.0f} tokens a second of processor time")

# %% [markdown]
# These figures mix two things: the dialect, and what is kept. Only `generate_with_cache` keeps keys and values; NumPy
# and the fused model read the whole text for every token, and pay more the longer it gets.
#
# `python benchmarks/dialects.py` sets all of them beside HuggingFace's `generate`, nanoGPT (`--nanogpt`, a folder with
# its `model.py`) and the loop of `python -m my_gpt --fast`. On one thread of a busy server, in tokens per second of
# processor time (in brackets: times HuggingFace):
#
# | | this model, 100 tokens | GPT-2 small's shape, 20 tokens |
# |---|---|---|
# | HuggingFace, with a cache | 252 | 22.3 |
# | nanoGPT, whole text each time | 129 (0.51) | 11.6 (0.52) |
# | NumPy, whole text each time | 121 (0.48) | 8.7 (0.39) |
# | fused attention, whole text each time | 99 (0.39) | 8.5 (0.38) |
# | JAX, compiled, whole text each time | 88 (0.35) | 9.1 (0.41) |
# | `generate_with_cache` | 282 (1.12) | 25.4 (1.14) |
# | `my_gpt --fast`, 32 bits | 599 (2.38) | 31.7 (1.42) |
# | `my_gpt --fast`, 16 bits read, 32 computed | 1,627 (6.46) | its weights do not fit in 16 bits |
#
# All wrote the same tokens. Between the two models the order of NumPy, fused attention and JAX changes; whatever keeps
# a cache is ahead of them. The loop of `--fast` needs fewer operations: queries, keys and values are one product,
# `scaled_dot_product_attention` reads them as views of a cache that is written in place, and LayerNorm is PyTorch's
# own. And it needs fewer bytes: where 16 bits hold every weight exactly, as in this model's file, it reads 16 bits and
# computes in 32, so that nothing is lost.
#
# `python -m my_gpt --bits 8` reads fewer still. It rounds each weight to one of 255 steps of its column, and the text
# may become another one. At GPT-2 small's shape it is about three times as fast as HuggingFace
# (`benchmarks/generation.py`). What it costs is measured on this model: the loss on held-out passages rises by
# 0.001 nats a token.

# %% [markdown]
# ### What `torch.compile` does
#
# JAX compiles a function. PyTorch 2 can do so too, and one line is enough: `torch.compile(my_gpt2)`. At the first call
# it follows your Python code, notes every operation on tensors in a *graph*, and hands the graph to a compiler. That
# compiler is only a function. Here is one that compiles nothing. It counts the operations and gives the graph back, to
# be run as it is:

# %% tags=["active-ipynb", "nbval-ignore-output"]
# graphs = []
#
#
# def only_counting(graph, example_inputs):
#     """A compiler that changes nothing: it notes how many operations it is given."""
#     graphs.append(sum(node.op.startswith("call") for node in graph.graph.nodes))
#     return graph.forward
#
#
# torch.compiler.reset()  # forget the graphs of an earlier run of this cell
# counted_gpt2 = torch.compile(my_gpt2, backend=only_counting)
# with torch.no_grad():
#     as_graph, as_written = counted_gpt2(BEGUN[None]), my_gpt2(BEGUN[None])
# print(f"the logits differ by {(as_graph - as_written).abs().max():g} at most")
# print("graphs:", len(graphs), "with this many operations:", graphs)

# %% [markdown]
# With the reference solutions' parts the whole model is one graph of 351 operations. Yours may have more operations or
# fewer, and it becomes several graphs if one of your lines needs Python (such a line comes below). If the cell stops
# with a TypeCheckError, one of your parts is under `@jaxtyped`, which `torch.compile` can't follow.
#
# At the next call on a text of this length the graph runs, and your lines are not followed again.
#
# Like JAX, `torch.compile` makes a graph for the shapes that it meets. Does a text of another length need another one?
# Try it on PyTorch's own LayerNorm, which is the same for everybody:

# %% tags=["active-ipynb"]
# predict(
#     "graphs_of_lengths",
#     """PyTorch's LayerNorm, compiled, reads 200 positions, then 100, then 50, then 1.
#     How many graphs are made?
#     a) 1: nothing in its code depends on the number of positions
#     b) 3: one for 200, one for 1, and one for every other number
#     c) 4: one for each number of positions""",
#     answer="b",
# )

# %% tags=["active-ipynb"]
# norm = torch.nn.LayerNorm(model.cfg.d_model)
# torch.compiler.reset()
# graphs.clear()
# counted_norm = torch.compile(norm, backend=only_counting)
# with torch.no_grad():
#     for length in (200, 100, 50, 1):
#         counted_norm(torch.randn(1, length, model.cfg.d_model))
#         print(f"after {length:3} positions, graphs so far: {len(graphs)}")

# %% tags=["active-ipynb"]
# see("graphs_of_lengths", graphs=len(graphs))

# %% [markdown]
# The first graph is for 200 positions exactly. At 100 it is clear that the length changes, and the second graph leaves
# it open; 50 positions need no new one. A single position is special: an axis of size 1 broadcasts, so it gets a graph
# of its own.
#
# A graph can't hold a decision that depends on a *value*. A function that makes one is cut in two there, which is
# called a **graph break**, and Python runs again between the two parts. Here the LayerNorm runs twice, with such a
# decision in between:

# %% tags=["active-ipynb", "nbval-ignore-output"]
# def warned(resid):
#     """A LayerNorm twice, and a warning in between if a number is large."""
#     resid = norm(resid)
#     if resid.abs().max() > 1000:
#         print("a number over 1000")
#     return norm(resid)
#
#
# torch.compiler.reset()
# graphs.clear()
# with torch.no_grad():
#     torch.compile(warned, backend=only_counting)(torch.randn(1, 5, model.cfg.d_model))
# print("graphs:", len(graphs), "with this many operations:", graphs)

# %% [markdown]
# The first graph ends with the comparison; the second is the LayerNorm after it. JAX raises an error at such a line;
# `torch.compile` goes on, with two graphs where one would do. (With `fullgraph=True` it raises an error too.)
#
# What does a real compiler make of the graph? The default one is *Inductor*, which writes C++ where a model runs on a
# CPU. It needs a C++ compiler (Colab has one, Windows and macOS come without) and more time than a cell should take. So
# `python benchmarks/compiled.py` measures it, in a fresh process on one thread:
#
# | it reads | as written | compiled | times as fast | the first call | pays off after |
# |---|---|---|---|---|---|
# | 255 tokens | 42 to 46 ms | 29 to 30 ms | 1.45 to 1.50 | 24 to 26 s | 1,700 to 1,900 calls |
# | 100 tokens | 15 to 17 ms | 11 to 12 ms | 1.36 to 1.42 | 20 to 23 s | 3,900 to 4,800 calls |
# | 50 tokens | 9 to 10 ms | 6 to 7 ms | 1.47 to 1.52 | no new graph | |
# | 1 token | 2.7 to 3.5 ms | 1.3 to 1.9 ms | 1.7 to 2.1 | 11 to 12 s | 7,800 to 7,900 calls |
#
# (Three runs on a busy server, with the reference solutions' parts. All times are processor time, the C++ compiler's
# included; a call's time is that of the fastest of 30. To try it yourself, run `torch.compile(my_gpt2)(BEGUN[None])`
# below `with torch.no_grad():` in a new cell. An error that names `InvalidCxxCompiler` says that this computer has no
# C++ compiler.)
#
# What changes is how many steps there are. Inductor turns the 351 operations into 50 loops of its own and 49 calls of a
# library, one for each product of matrices. Operations that work number by number, or along a row, are **fused**: a
# whole LayerNorm is one loop, another one scales the scores, masks them and takes their softmax, a third is GELU with
# its bias. What comes between need not be written to memory.
#
# For a single token most products become part of loops as well: 14 loops and 13 calls are left. This is where compiling
# gains most. It also changes the order in which numbers are added, and with it the rounding: the compiled model's
# logits were off by 0.00005 at most.
#
# **What it is not**: free. A cell that reads ten texts is slower with `torch.compile` than without. It pays where
# thousands of steps have one shape, as in training: nanoGPT's README speaks of about 250 ms a step without it and 135
# ms with it. Nor does a compiler find what takes an idea, such as the cache that `generate_with_cache` has.
