"""Chapter 12: what has changed since GPT-2. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 12 · Since GPT-2: what has changed, piece by piece
#
# You have built GPT-2, a model of 2019. Open the code of Llama, Qwen, Gemma or OLMo, and nearly every line looks
# familiar, and nearly every line is a little different. This chapter takes the six differences one by one: you build
# each, you see what it is for, and at the end each is measured alone, on a model that you can train.
#
# About 3½ hours, 100 minutes of them for the seven exercises, in two sittings: *the parts*, as far as "You can stop
# here" (2¼ hours), and *the whole model* and what each change buys (1¼). Afterwards you can
#
# - read a modern model's code and its `config.json`, and say of each line what GPT-2 has in its place;
# - build such a model, a Llama of GPT-2's size, from parts of your own;
# - say which of the changes make a model better, which make it cheaper, and which only make it simpler, and how sure
#   that is.

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
import math
from dataclasses import replace

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from solutions.ch02_embeddings import Embed
from utils.config import Config, ModernConfig

# %% tags=["active-ipynb", "folded"]
# # @title Imports what the chapter needs, its tests included
# from statistics import mean
#
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
# from utils.experiments import (
#     against_gpt2,
#     changes_table,
#     losses_of,
#     modern_runs,
#     recorded_changes,
# )
# from utils.model_map import model_map, modern_map
# from utils.passages import OverPassages, over_passages, passage_tokens
# from utils.pieces import pieces
# from utils.plotting import heatmap, lines
# from utils.plotting.neurons import curves
# from utils.plotting.training import loss_curves, seeds
# from utils.race.changes import CHANGES, changed
# from utils.race.track import nanogpts_track, whole_loss
# from utils.reference import encode, reference, str_tokens
# from utils.reference.modern import modern_model, modern_references
# from utils.texts import wrapped
# from utils.transplant import (
#     given_to,
#     layer_norm_names,
#     logits_with,
#     next_token_loss,
#     scaled_and_shifted,
# )
# from utils.waiting import waiting

# %% [markdown]
# ## Two models of one size
#
# A model on HuggingFace comes with a file `config.json`, which holds its sizes and settings. Here are two of them:
# GPT-2 small, and SmolLM2-135M (Allal et al. 2025), which is built as Llama is.
#
# | | GPT-2 small, 2019 | SmolLM2-135M, 2024 |
# |---|---|---|
# | numbers in a vector | `n_embd` 768 | `hidden_size` 576 |
# | blocks | `n_layer` 12 | `num_hidden_layers` 30 |
# | LayerNorm, or what is there instead | `layer_norm_epsilon` 1e-5 | `rms_norm_eps` 1e-5 |
# | positions | `n_positions` 1024 | `rope_theta` 100000, `max_position_embeddings` 8192 |
# | the MLP's bend | `activation_function` `gelu_new` | `hidden_act` `silu` |
# | the MLP's width | not said: 4 · 768 = 3072 | `intermediate_size` 1536 |
# | heads of queries | `n_head` 12 | `num_attention_heads` 9 |
# | heads of keys and values | not said: 12 too | `num_key_value_heads` 3 |
# | biases | not said: in every sublayer and LayerNorm | `attention_bias` false, and none in the MLP |
# | the embedding is the unembedding too | not said: yes | `tie_word_embeddings` true |
#
# The two are nearly the same size: GPT-2 small has 124 million parameters, SmolLM2-135M has 135 million. (A
# `ModernConfig` holds such sizes, and those of SmolLM2-135M are its defaults.) The map of GPT-2 shows what is built in
# another way today:

# %% tags=["active-ipynb"]
# model_map(
#     "pos_embed", "ln", "attn", "mlp", "ln_final", here_means="Changed since GPT-2"
# )

# %% [markdown]
# And this is the map of such a model:

# %% tags=["active-ipynb"]
# modern_map("ln", "attn", "mlp", "ln_final", here_means="Built in another way")

# %% [markdown]
# Much has stayed. Tokens go in, a residual stream of one vector for each position runs through, each sublayer reads a
# normalised copy and adds to the stream, a causal mask hides what is later, and logits come out. Here is one block
# beside the other:
#
# ```text
# GPT-2's block                              a block of SmolLM2-135M
#
# resid_pre                                  resid_pre
#  ├ LayerNorm: mean to 0, length, w, b       ├ RMSNorm: length, w
#  ├ heads of queries, keys, values:          ├ heads of queries, keys, values:
#  │   12, 12, 12, each with a bias           │   9, 3, 3, without a bias
#  │                                          ├ (QK-norm, in Qwen 3 and OLMo 2)
#  │                                          ├ queries and keys turned
#  ├ softmax of the masked scores             ├ softmax of the masked scores
#  ├ W_O, b_O                                 ├ W_O
#  +  = resid_mid                             +  = resid_mid
#  ├ LayerNorm                                ├ RMSNorm
#  ├ gelu(x W_in + b_in) W_out + b_out        ├ (silu(x W_gate) * (x W_in)) W_out
#  +  = resid_post                            +  = resid_post
# ```
#
# Six changes, then. Each answers a question that can be asked of GPT-2:
#
# 1. LayerNorm sets the mean of a vector and its length. Are both needed? **RMSNorm** sets the length alone.
# 2. The table of positions ends at row 1023, and what "three tokens back" means has to be learned for each position.
#    Can a score depend on the distance by itself? **Rotary positions** turn queries and keys, so that it does.
# 3. A neuron of the MLP computes one number and bends it. What if it multiplied two? **SwiGLU** has a third matrix, the
#    *gate*: what it computes is bent, and scales what `W_in` computes.
# 4. While a model writes, each new token reads the keys and values of all tokens before it. Must every head have its
#    own? With **grouped queries** several heads of queries share one head of keys and values.
# 5. A bias adds the same whatever the text is. Is it missed? Most of these models have **no biases**.
# 6. Long queries and keys make large scores, and then softmax may give nearly all weight to one key. Can that be
#    prevented? **QK-norm**, which some models have, is an RMSNorm of queries and keys.

# %% [markdown]
# **What these changes are not**, as far as anybody has shown: the main reason why today's models are better than
# GPT-2. GPT-2 was trained on 40 GB of text (Radford et al. 2019, section 2.1), SmolLM2-135M on 2 trillion tokens (Allal
# et al. 2025), many of them chosen with care. Narang et al. (2021) tried many changes to a Transformer, all in one code
# with one recipe. Most made no difference to speak of; RMSNorm and gated MLPs were among the few that helped. So ask of
# each change: what does it buy, and who has measured it?

# %% [markdown]
# ## A stretch without a slide: RMSNorm
#
# At each position a GPT keeps one vector of `d_model` numbers, the **residual stream**. Each sublayer reads it through
# a **LayerNorm** (chapter 3), which *slides* the vector, by subtracting the mean of its numbers, and then *stretches*
# it, by dividing by their standard deviation. A learned scale `w` and a learned offset `b` follow.
#
# Is the slide worth its price? Zhang and Sennrich (2019) leave it out and keep the stretch. Look first at how much
# there is to subtract. The mean of a vector's squares is the square of its mean plus its variance, so a slide takes
# away a *share* of the mean square, and what it leaves is the variance:

# %% tags=["active-ipynb"]
# drawn_at_random = torch.randn(192, generator=torch.Generator().manual_seed(0))
# for slide_example in (torch.tensor([0.0, 2.0, 2.0, 8.0]), drawn_at_random):
#     whole_square = slide_example.pow(2).mean()
#     of_the_mean = slide_example.mean() ** 2
#     print(f"mean square {whole_square:.3f}, of which the mean's: {of_the_mean:.3f}")

# %% [markdown]
# In `0, 2, 2, 8` half of the mean square is the mean's, 9 of 18. In a vector of numbers drawn at random around 0 it is
# hardly any. The mean is one direction of `d_model`, so of such a vector it gets one part in `d_model` on average. Our
# **reference model**, a small GPT-2 that was trained with LayerNorm, has `d_model = 192`: that would be 0.52 %.
#
# Let this model read 48 passages that it was not trained on, and take the mean's share in what each of its 13
# LayerNorms is given.

# %% tags=["active-ipynb"]
# predict(
#     "mean_share",
#     """At the LayerNorm where it is largest, what share of the mean square is the
#     mean's? (On average, over all tokens but the first.)
#     a) less than 0.3 %: less than in a random vector
#     b) 0.3 % to 3 %
#     c) more than 3 %""",
#     answer="a",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws the share of the mean at each LayerNorm
# def torch_layer_norm(vectors):
#     return F.layer_norm(vectors, vectors.shape[-1:], eps=1e-5)
#
#
# reference_model = reference()
# norm_names = layer_norm_names(reference_model.cfg)
# own_norms = {name: scaled_and_shifted(name, torch_layer_norm) for name in norm_names}
# all_given = given_to(own_norms, passage_tokens()[:, :128])
# mean_shares = {}
# for name in norm_names:
#     some_given = all_given[name][:, 1:]
#     mean_share = some_given.mean(dim=-1).pow(2) / some_given.pow(2).mean(dim=-1)
#     mean_shares[name] = OverPassages(100 * mean_share.mean(dim=-1))
# for name in norm_names[:2]:
#     one_share = mean_shares[name]
#     print(f"{name}: {one_share.mean:.3f} % ± {one_share.error:.3f}")
# percent = torch.tensor([mean_share.mean for mean_share in mean_shares.values()])
# print(f"the other eleven: {percent[2:].min():.3f} % to {percent[2:].max():.3f} %")
# lines(
#     {
#         "trained model": percent[None],
#         "random vector": torch.full_like(percent, 100 / 192)[None],
#     },
#     ["trained model", "random vector"],
#     [name.removeprefix("blocks.") for name in norm_names],
#     "What a slide takes away",
#     x_title="LayerNorm",
#     y_title="% of the mean square",
#     log_y=True,
# )

# %% tags=["active-ipynb"]
# see("mean_share", largest_percent=round(percent.max().item(), 3))

# %% [markdown]
# The level line is the random vector, and the line below it the model, norm by norm. On average over the tokens, the
# slide takes away at most 0.12 %, a quarter of what it would take from a random vector, and after block 0 much less.
# (From a single token it may take more. ± is the *standard error*, roughly how far a mean may be off.)
#
# A likely reason, which this figure does not prove: whatever reads the stream reads it through a LayerNorm, which
# removes the mean. The loss does not change when all numbers of a vector rise together, so training has no use for the
# mean while it makes the rest of the vector grow.
#
# Now put RMSNorm in LayerNorm's place, with the trained `w` and `b`. As a control, do the same where there *is* a mean:
# before each norm, add to all numbers of a vector its own root mean square.

# %% tags=["active-ipynb", "folded"]
# # @title Measures the loss with either norm, as it is and with a mean added
# def torch_rms_norm(vectors):
#     return F.rms_norm(vectors, vectors.shape[-1:], eps=1e-5)
#
#
# def mean_added(vectors):
#     return vectors + vectors.pow(2).mean(dim=-1, keepdim=True).sqrt()
#
#
# four_norms = {
#     "LayerNorm": torch_layer_norm,
#     "RMSNorm": torch_rms_norm,
#     "LayerNorm, a mean added": lambda x: torch_layer_norm(mean_added(x)),
#     "RMSNorm, a mean added": lambda x: torch_rms_norm(mean_added(x)),
# }
# norm_losses = {}
# for label, half in waiting(four_norms.items(), "four norms, 48 passages each"):
#     whole_norms = {name: scaled_and_shifted(name, half) for name in norm_names}
#
#     def loss_of(passage, norms=whole_norms):
#         logits = logits_with(norms, passage[:, :128])
#         return next_token_loss(logits, passage[:, :128])
#
#     norm_losses[label] = over_passages(loss_of)
#     rise = norm_losses[label] - norm_losses["LayerNorm"]
#     print(f"{label:24} {norm_losses[label].mean:.3f} nats", end=", ")
#     higher = (rise.values > 1e-6).sum()  # less is rounding
#     print(f"{rise.mean:+.4f} ± {rise.error:.4f}, higher on {higher} of 48")

# %% [markdown]
# The **loss** is the mean of −log(the probability of the token that came), in nats. RMSNorm changes it by no more than
# the standard error: the loss rises on half of the passages and falls on the others. The control shows that this is a
# fact about these vectors and not about the norms: LayerNorm does not notice an added mean, and RMSNorm then costs 2.9
# nats.
#
# **What this does not show**: what a model learns that is *trained* with RMSNorm. There the mean is read like any other
# direction, and training may use it. How such a model does is measured at the end of this chapter.

# %% [markdown]
# ### Four numbers by hand
#
# Take the vector `2, 4, 4, 8`. Its squares are 4, 16, 16 and 64, and their mean is 25. The root of that, 5, is the
# **root mean square**. Divide by it:

# %% tags=["active-ipynb"]
# rms_by_hand = torch.tensor([2.0, 4.0, 4.0, 8.0])
# divided_by_hand = rms_by_hand / rms_by_hand.pow(2).mean().sqrt()
# by_layer_norm = F.layer_norm(rms_by_hand, (4,))
# for label, four in {"RMSNorm": divided_by_hand, "LayerNorm": by_layer_norm}.items():
#     print(f"{label:10}", *(f"{number:5.2f}" for number in four), end="   ")
#     of_four = four.mean().round(decimals=2) + 0  # 0 and not −0
#     print(f"mean {of_four:.2f}, mean square {four.pow(2).mean():.2f}")

# %% [markdown]
# Both give a vector whose mean square is 1, and so whose norm is √`d_model`. RMSNorm keeps the signs and the ratios of
# the four numbers: the vector points where it pointed before.
#
# As in LayerNorm, a small `eps` is added under the root, and a learned `w` scales each dimension, at first by 1. There
# is no `b`:
#
# $$\text{out} = \frac{\text{residual}}{\sqrt{\text{mean}(\text{residual}^2) + \text{eps}}} \cdot w$$
#
# **What it is not.**
#
# - It is not LayerNorm without `b`. Of `5, 5, 5, 5` LayerNorm leaves zeros, RMSNorm ones.
# - It does not bring vectors to norm 1. The squares are averaged, not added up.
# - It is not much of a saving in arithmetic, of which norms never needed much:

# %% tags=["active-ipynb"]
# gpt2_d_model = 768
# in_products = 2 * 12 * gpt2_d_model**2  # for each position, a block's matrices
# for label, steps in {"LayerNorm": 7, "RMSNorm": 4}.items():
#     operations = 2 * steps * gpt2_d_model
#     in_part = operations / in_products
#     print(f"two {label}s: {operations:,} operations, {in_part:.2%} of the products'")

# %% [markdown]
# (LayerNorm adds, subtracts, squares, adds, divides, scales and shifts each number; RMSNorm squares, adds, divides and
# scales.) But a norm takes more time than these shares say, since it reads and writes whole vectors for little
# arithmetic. In a BERT layer in training, LayerNorm and softmax were 0.17 % of the operations and 25.5 % of the time
# (Ivanov et al. 2021, *Data Movement Is All You Need*). LayerNorm needs two sums over each vector before it can scale a
# number, RMSNorm needs one.
#
# Zhang and Sennrich report that their models, recurrent ones among them, ran in 7 % to 64 % less time, with results
# that were about as good (abstract). The 64 % are those of a variant that takes the root from a part of the numbers
# alone; RMSNorm itself saved 7 % to 41 %.

# %% [markdown]
# ### Why float32 inside
#
# Models of today mostly compute in *half precision*, two bytes a number. **float16** keeps three digits and ends at
# 65504; **bfloat16** reaches as far as float32, but keeps only two digits. What happens to squares?

# %% tags=["active-ipynb"]
# for half_dtype in (torch.float16, torch.bfloat16):
#     four_halves = torch.tensor([1.0, 3.01, 255.0, 256.0], dtype=half_dtype)
#     print(f"{half_dtype!s:15} {four_halves.tolist()}, squares", end=" ")
#     print(four_halves.pow(2).tolist())

# %% [markdown]
# The square of 256 is infinite in float16, and a vector divided by infinity is 0. That would happen: in the streams of
# large models single numbers are in the thousands (Sun et al. 2024, *Massive Activations in Large Language Models*).
#
# So Llama's RMSNorm brings what comes in to float32, whatever it is, divides, brings the result *back* to the input's
# dtype, and multiplies by `w` last. Others differ in that last step (all in Hugging Face's transformers):
#
# | | the last line | `w` starts at |
# |---|---|---|
# | Llama, Mistral, Qwen 3 | `weight * normalized.to(dtype)` | 1 |
# | OLMo 2 | `(weight * normalized).to(dtype)` | 1 |
# | Gemma 1 to 3 | `(normalized * (1 + weight)).to(dtype)` | 0 |
#
# In float32 the first two are the same; in half precision they may differ in the last digit. None is wrong. But a
# model's weights were trained with one of them, and `1 + w` where `w` is due changes everything. PyTorch's `F.rms_norm`
# has OLMo 2's order if it is given a weight.

# %% [markdown] exercise="RMSNorm" difficulty=2 importance=4 minutes=10
# ## Exercise: write `RMSNorm`
#
# **What goes in?** `residual`: vectors of `d_model` numbers along the last axis. In front of it stand two axes or more:
# [batch pos d_model] in a block, and later [batch pos head_index d_head], when a norm is put on each head.
#
# **What comes out?** A tensor of the same shape: each vector divided by the root of (its mean square + eps), brought
# back to the dtype of `residual`, and then scaled by `w`. `residual` itself stays as it was.
#
# `__init__` is given. Write `forward`, in Llama's order. The test asks that `eps` comes from `cfg.rms_norm_eps`, that
# float16 and bfloat16 are divided in float32, and that `w` scales the vector once it is back in its dtype. (So if
# `residual` is float16 and `w` float32, the product is float32.) PyTorch's functions may be used.
#
# **Before you code**: which axis is the mean taken over, `dim=2` or `dim=-1`?
#
# <details><summary>Answer</summary>
#
# `dim=-1`, the last. It is axis 2 only where there are three axes. With [batch pos head_index d_head] axis 2 is
# `head_index`, and its mean would mix the heads.
#
# </details>


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
# The steps of the example by hand, for every vector at once: square, average over the last axis, add eps, take the
# root, divide. `mean(dim=-1, keepdim=True)` keeps an axis of size 1, along which the division can stretch.
#
# Put a cast in front of these steps and a cast behind them: `residual.float()` is float32 whatever comes in, and
# `.to(residual.dtype)` brings the result back. `w` comes last.

# %% [markdown] hint="pseudocode"
# ```text
# wide        = residual in float32
# mean square = mean over the last axis of wide squared
# normalized  = wide divided by the root of (mean square + eps)
# return normalized, in the dtype of residual, times w
# ```

# %% tags=["active-ipynb"]
# test_rms_norm(RMSNorm)

# %% [markdown]
# ## A position that turns
#
# A layer of attention does not see order by itself: shuffle the vectors before a position, and what it reads there
# stays the same (chapter 4). So GPT-2 tells its layers where each token stands: it *adds* a second vector to the
# token's, row `pos` of a trained table `W_pos`. That has two drawbacks.
#
# **The table ends.** The reference model's has 256 rows. It has nothing to add at position 256.
#
# **The same two words, five apart, look different at other positions.** A *head*, one of the parts of attention, makes
# a *query* at one position and a *key* at another. The larger their dot product, the *score*, the more the first
# position reads of the second. Below, the query is that of ` fox` and the key that of ` the`, five positions before it.
# Only the place in the text differs.

# %% tags=["active-ipynb", "folded"]
# # @title Computes the scores of ` fox` and ` the` at every pair of positions
# trained = reference()
# w_pos, w_e = trained.weights["pos_embed.W_pos"], trained.weights["embed.W_E"]
# of_block_0 = "blocks.0.attn."
#
#
# def scores_in_block_0(query_token, key_token):
#     """One token as query and one as key, by the table: [head query_pos key_pos]."""
#     sides = {"Q": query_token, "K": key_token}
#     made = []
#     for side, token in sides.items():
#         read = F.layer_norm(
#             w_e[token] + w_pos,
#             [trained.cfg.d_model],
#             trained.weights["blocks.0.ln1.w"],
#             trained.weights["blocks.0.ln1.b"],
#             trained.cfg.layer_norm_eps,
#         )
#         weight, bias = (trained.weights[f"{of_block_0}{name}_{side}"] for name in "Wb")
#         made.append(read @ weight + bias[:, None])
#     queries, keys = made
#     return queries @ keys.mT / math.sqrt(trained.cfg.d_head)
#
#
# fox, the = (int(encode(word)[0, -1]) for word in (" fox", " the"))
# by_table = scores_in_block_0(fox, the)

# %% tags=["active-ipynb"]
# print(f"W_pos has {len(w_pos)} rows")
# for place in (5, 25, 105, 205, 255):
#     one_score = by_table[2, place, place - 5]
#     print(f"head 2: ` fox` at {place}, ` the` at {place - 5}: score {one_score:.2f}")
# for head, of_head in enumerate(by_table):
#     five_apart = of_head.diagonal(-5)
#     lowest, highest = five_apart.min(), five_apart.max()
#     print(f"head {head}: at all places {lowest:.2f} to {highest:.2f}")

# %% [markdown]
# One pair of words, one distance, and a score from 0.3 to 4.8 in head 2. Nothing in GPT-2 says that "five back" is the
# same relation everywhere. If that is useful, the model has to learn it from absolute positions, row by row. (These are
# block 0's scores, where the stream holds no more than the token's vector and the row of `W_pos`.)
#
# ### A pair of numbers as a hand
#
# Rotary positions, *RoPE* for short, add nothing ([Su et al. 2021](https://arxiv.org/abs/2104.09864)). They turn
# queries and keys. Take two numbers of a vector as the hand of a clock that begins at the centre: (1, 0) points right,
# (0, 1) points up. To turn it by an angle (anticlockwise, as in mathematics):
#
# - the new first number is first · cos − second · sin,
# - the new second number is first · sin + second · cos.
#
# At 90° the cosine is 0 and the sine 1, so (1, 0) becomes (0, 1).


# %%
def turned_hand(hand: tuple[float, float], degrees: float) -> tuple[float, float]:
    """The pair of numbers after an anticlockwise turn."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    first, second = hand
    return first * cos - second * sin, first * sin + second * cos


# %% tags=["active-ipynb"]
# for n_quarters in range(5):
#     right, up = turned_hand((1, 0), 90 * n_quarters)
#     print(f"(1, 0) turned by {90 * n_quarters:3}°: ({round(right)}, {round(up)})")

# %% [markdown]
# Now let the position decide the angle, 30° a position, and turn a query (2, 1) and a key (1, 3). Their score is the
# dot product of the two turned pairs.

# %% tags=["active-ipynb"]
# def toy_score(query_pos, key_pos):
#     query = turned_hand((2, 1), 30 * query_pos)
#     key = turned_hand((1, 3), 30 * key_pos)
#     return query[0] * key[0] + query[1] * key[1]
#
#
# for query_pos, key_pos in ((0, 0), (7, 7), (3, 1), (7, 5), (102, 100), (1, 3)):
#     one_score = toy_score(query_pos, key_pos)
#     print(f"query at {query_pos}, key at {key_pos}: {one_score:.3f}")

# %% [markdown]
# Where both are turned by the same angle, the score stays the same: a dot product depends on two lengths and on the
# angle *between* them. Two positions apart, the angle between has changed by 60°, at 3 and 1 as at 102 and 100. So
# **the score depends on how far apart the two are and in which order, and on nothing else about where they stand**.
#
# ### Many hands, of different speeds
#
# One hand is not enough. At 30° a position it is back where it began after 12, and 13 back looks like 1 back.
# A clock has the same trouble, and a cure: a fast hand for the minutes, a slow one for the hours.
#
# A head of `d_head` numbers has d_head / 2 hands. The first, pair 0, turns by 1 *radian* a position (57.3°; a full turn
# is 2π = 6.28 radians). Each further one is slower by the same factor. For d_head = 8 and a `base` of 10,000 the speeds
# are 1, 0.1, 0.01 and 0.001. In general, the speed of pair i is
#
# $$\text{base}^{-2i\,/\,d_\text{head}}$$

# %% [markdown] exercise="rotary_tables" difficulty=3 importance=5 minutes=15
# ## Exercise: write `rotary_tables`
#
# The angles do not depend on the text, so their cosines and sines can be computed once, for all texts.
#
# **What goes in?** `n_ctx`, the number of positions, `d_head`, which is even, and `base`.
#
# **What comes out?** Two tables: the cosines, then the sines. A row of a table is a position, counted from 0, and a
# column is a pair. So both have the shape [n_ctx d_head/2], in float32.
#
# transformers repeats the columns, so that there are d_head of them, and Meta's Llama code keeps one complex number in
# the place of a cosine and a sine. The angles are the same as here, where each has one column.
#
# **Before you code**: which shapes do `torch.arange(n_ctx)` and the speeds need so that their product has a row for
# each position? And what is in row 0 of the two tables?
#
# <details><summary>Answer</summary>
#
# [n_ctx 1] times [d_head/2], or an outer product. Row 0 has angle 0 everywhere: cosines of 1, sines of 0.
#
# </details>


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
# The angle of a pair at a position is a product: position times speed. So make two vectors, the speeds and the
# positions, and then the table of all their products.
#
# `torch.arange(0, d_head, 2)` is 0, 2, 4 …, the 2i of the formula. `cos` and `sin` take radians, which the speeds are
# already.

# %% [markdown] hint="pseudocode"
# ```text
# speeds = base to the power of minus (0, 2, 4, ... below d_head) / d_head
# angles = positions 0 ... n_ctx - 1, as a column, times speeds
# return cosines of angles, sines of angles
# ```

# %% tags=["active-ipynb"]
# test_rotary_tables(rotary_tables)

# %% [markdown]
# ### Fast hands and slow hands
#
# Here are four of the 32 hands that your tables have for d_head = 64 and a base of 10,000: the cosine, which is how far
# to the right a hand points.

# %% tags=["active-ipynb"]
# shown_pairs = (0, 6, 12, 31)
# wide_cos, wide_sin = rotary_tables(64, 64, 10_000.0)

# %% tags=["active-ipynb", "folded"]
# # @title Draws the cosine of four hands at 64 positions
# lines(
#     {f"pair {pair}": wide_cos[None, :, pair] for pair in shown_pairs},
#     [f"pair {pair}" for pair in shown_pairs],
#     [str(position) for position in range(64)],
#     "Four hands of a head with d_head = 64, base 10,000",
#     x_title="position",
#     y_title="cosine of the angle",
# )

# %% tags=["active-ipynb"]
# def speeds_of(d_head, base):
#     """The angle of each pair at position 1, read off your tables: [pair]."""
#     cos, sin = rotary_tables(2, d_head, base)
#     return torch.atan2(sin[1], cos[1])
#
#
# wide_speeds = speeds_of(64, 10_000.0)
# for pair in shown_pairs:
#     turns_in_64 = 64 * wide_speeds[pair] / (2 * math.pi)
#     print(f"pair {pair:2}: {wide_speeds[pair]:.6f} radians a position,", end=" ")
#     print(f"{turns_in_64:.3f} full turns in 64 positions")

# %% [markdown]
# Pair 0 goes round ten times in 64 positions, pair 6 nearly twice. Pair 12 makes a third of a turn, and pair 31, the
# slowest, hardly moves. So fast hands can tell neighbours apart, and slow ones near from far.

# %% tags=["active-ipynb"]
# predict(
#     "slowest_hand",
#     """With base 10,000 and d_head 64: after how many positions has the slowest hand
#     made its first full turn?
#     a) fewer than 2,500
#     b) about 10,000, the base (5,000 to 20,000)
#     c) more than 25,000""",
#     answer="c",
# )

# %% tags=["active-ipynb"]
# print("d_head 128, as in Llama 3 and Qwen 3")
# print("base         slowest hand's full turn   hands with a full turn in 8,192")
# for some_base in (10_000.0, 500_000.0, 1_000_000.0):
#     full_turns = 2 * math.pi / speeds_of(128, some_base)
#     n_around = (full_turns <= 8192).sum()
#     print(f"{some_base:9,.0f} {full_turns[-1]:17,.0f} positions {n_around:20} of 64")
# slowest_turn = (2 * math.pi / speeds_of(64, 10_000.0)[-1]).item()
# print(f"d_head 64, base 10,000: {slowest_turn:,.0f} positions")

# %% tags=["active-ipynb"]
# see("slowest_hand", positions=slowest_turn)

# %% [markdown]
# **What the base does**: it leaves the fastest hand alone and makes the slower ones slower. Su et al. took 10,000.
# Llama 3 raised it to 500,000 for the sake of longer texts
# ([Grattafiori et al. 2024](https://arxiv.org/abs/2407.21783), section 3.2), Qwen 3 has 1,000,000 (`rope_theta` in its
# config.json). With these, fewer hands have been all the way round in a text of 8,192 tokens.
#
# ### Which numbers make a pair?
#
# The formula does not say, and two ways are in use. The paper (equation 34) and Meta's own code take *neighbours*:
# numbers 0 and 1, 2 and 3. GPT-NeoX takes *halves*, as transformers does for most models: number i of the first half of
# d_head, and number i of the second. With the same weights the two give different scores. We take halves.

# %% [markdown] exercise="apply_rotary" difficulty=3 importance=5 minutes=15
# ## Exercise: write `apply_rotary`
#
# **What goes in?** `x`, the queries or the keys of all heads; `tables`, the cosines and sines of `rotary_tables`; and
# `positions`, whole numbers: where in the text each of the `pos` vectors of `x` stands. The tables may have more rows.
#
# **What comes out?** The same shape: in each vector, every pair turned by the angle of its position. A pair is number i
# of the first half of d_head and number i of the second half. All heads and all texts of the batch turn alike. `x`
# itself stays as it was.
#
# Why `positions`, and not 0, 1, 2 …? When a model writes, it computes the newest token alone (chapter 8), whose
# position may be 57. The test also asks for positions with gaps, out of order and repeated, and that gradients
# reach `x`.
#
# **Before you code**: `table[positions]` has the shape [pos pair], and half of `x` has [batch pos head_index pair]. If
# you multiply the two, along which axis of `x` does pos of the table lie?
#
# <details><summary>Answer</summary>
#
# Along head_index: shapes are lined up from the last axis. If there happen to be as many heads as positions, there is
# no error, and each *head* turns by an angle of its own. The table needs an axis of size 1 for the heads.
#
# </details>


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
# It is the turn of the hand, for all pairs at once: the first half of d_head holds the first numbers of all pairs, the
# second half the second ones. `x.chunk(2, dim=-1)` gives you both.
#
# `positions` picks rows: `table[positions]` is [pos pair]. Give it an axis of size 1 where `x` has the heads.

# %% [markdown] hint="pseudocode"
# ```text
# cos, sin = the rows of positions, with an axis of size 1 for the heads: [pos 1 pair]
# first, second = the two halves of x along d_head
# new first  = first times cos minus second times sin
# new second = first times sin plus second times cos
# return both, joined along d_head
# ```

# %% tags=["active-ipynb"]
# test_apply_rotary(apply_rotary)

# %% [markdown]
# ### See it work
#
# One random query and one random key of 48 numbers, as many as a head of the reference model has, are turned by your
# functions to every pair of 24 positions. The second figure has the scores of ` fox` and ` the` in head 2 of the
# reference model, by its table.

# %% tags=["active-ipynb"]
# def turned_to(vectors, positions, base=10_000.0):
#     """Vectors [n d_head], each turned to all positions: [n pos d_head]."""
#     tables = rotary_tables(int(positions.max()) + 1, vectors.shape[-1], base)
#     there = vectors[:, None, None].expand(-1, len(positions), -1, -1)
#     return apply_rotary(there, tables, positions)[:, :, 0]
#
#
# rotary_dice = torch.Generator().manual_seed(0)
# lone_query, lone_key = torch.randn(2, 1, 48, generator=rotary_dice)
# places = torch.arange(256)
# by_turning = turned_to(lone_query, places)[0] @ turned_to(lone_key, places)[0].T
# by_turning = by_turning / math.sqrt(48)

# %% tags=["active-ipynb", "folded"]
# # @title Draws the scores at 24 × 24 positions, by turning
# place_names = [str(place) for place in range(24)]
# heatmap(
#     by_turning[:24, :24],
#     place_names,
#     place_names,
#     "One query and one key, turned to 24 × 24 positions",
#     row_title="query's position",
#     column_title="key's position",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws the same by the table of the reference model
# heatmap(
#     by_table[2, :24, :24],
#     place_names,
#     place_names,
#     "“ fox” asks “ the” at 24 × 24 positions, with a table",
#     row_title="query's position",
#     column_title="key's position",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Measures how much scores differ at one and the same distance
# def share_within_distances(scores):
#     """The share of the scores' variance that is left where distances are equal."""
#     of_distance = [scores.diagonal(-distance) for distance in range(len(scores))]
#     left = torch.cat([some - some.mean() for some in of_distance])
#     return (left.var(correction=0) / torch.cat(of_distance).var(correction=0)).item()
#
#
# pairs_of_tokens = torch.randint(500, 3000, (40, 2), generator=rotary_dice).tolist()
# of_pairs = torch.stack([scores_in_block_0(*tokens) for tokens in pairs_of_tokens])
# shares = torch.tensor(
#     [[share_within_distances(of_head) for of_head in heads] for heads in of_pairs]
# )
# print("share of the variance of scores that is left at one distance")
# print(f"turned: {share_within_distances(by_turning):.6f}")
# for head, of_head in enumerate(shares.T):
#     print(f"table, head {head}, 40 pairs: median {of_head.median():.2f}", end="")
#     print(f" ({of_head.min():.2f} to {of_head.max():.2f})")

# %% [markdown]
# With turning, every diagonal has one colour: along it both positions move on together, and the score stays. The table
# gives no such stripes. Over all 256 positions and 40 pairs of tokens, much of what makes scores differ in block 0 is
# left where the distance is the same: the median is 0.60 to 0.85, by head. With turning nothing is left but rounding.
# (How attention differs is another question: softmax does not see what is added to all scores of a query alike.)
#
# Turning also keeps every length. Where a key stands makes it neither longer nor shorter:

# %% tags=["active-ipynb"]
# key_lengths = turned_to(lone_key, places)[0].norm(dim=-1)
# shortest, longest = key_lengths.min(), key_lengths.max()
# print(f"the key's norm at 256 positions: {shortest:.4f} to {longest:.4f}")

# %% [markdown]
# ### What it is not
#
# - **Nothing is added to the stream.** The turn happens inside attention, in every block anew, to queries and keys.
# - **Values are not turned.** The distance has a say in where a head looks, and none in what it fetches there.
# - **It is not learned.** There is nothing to train in the tables. What the model learns is `W_Q` and `W_K`: which
#   hands it uses, and where they point.
# - **It is not a longer context for free.** You can compute row 100,000. But a query's slow hands and those of a key
#   that far back are at angles to each other that training never showed. Beyond the length of its training LLaMA
#   failed, until more was done ([Chen et al. 2023](https://arxiv.org/abs/2306.15595)).

# %% [markdown]
# ### Must attention decay with distance?
#
# Su et al. (section 3.4.3) show an upper bound on the score that falls with distance, more or less, and count it in
# favour of turning: far words matter less. Is that so for the scores themselves? The next cells take 2,000 random
# queries of 64 numbers. First each meets a key that is *equal* to it, then a random one.

# %% tags=["active-ipynb"]
# predict(
#     "must_decay",
#     """2,000 random queries and random keys, turned. In which share of the pairs is the
#     score lower at distance 64 than at distance 1?
#     a) less than 0.4
#     b) about one half (0.4 to 0.6)
#     c) more than 0.6, since scores decay with distance""",
#     answer="b",
# )

# %% tags=["active-ipynb"]
# many_queries, other_keys = torch.randn(2, 2000, 64, generator=rotary_dice)
# distances = torch.arange(257)
# far_queries = turned_to(many_queries, distances)  # their keys stay at position 0
# on_equal = torch.einsum("npd,nd->np", far_queries, many_queries) / 8  # the root of 64
# on_others = torch.einsum("npd,nd->np", far_queries, other_keys) / 8
# for named, on_keys in (("equal keys", on_equal), ("random keys", on_others)):
#     means = [f"{on_keys[:, far].mean():.2f}" for far in (0, 1, 16, 64, 128, 256)]
#     print(f"{named}: mean score at 0, 1, 16, 64, 128, 256: {' '.join(means)}")
#     lower = (on_keys[:, 64] < on_keys[:, 1]).float().mean()
#     print(f"    lower at 64 than at 1 in {lower:.3f} of the pairs")
# turned_forward = turned_to(many_queries, torch.tensor([64]))[:, 0]
# on_forward = torch.einsum("npd,nd->np", far_queries, turned_forward)
# at_64 = (on_forward.argmax(dim=1) == 64).float().mean()
# print(f"keys turned forward by 64 positions: highest at 64 in {at_64:.3f} of the pairs")
# lower_at_64 = (on_others[:, 64] < on_others[:, 1]).float().mean().item()

# %% tags=["active-ipynb", "folded"]
# # @title Draws the scores by distance
# lines(
#     {
#         "equal, mean of 2,000": on_equal.mean(dim=0)[None, ::4],
#         "equal, two of them": on_equal[:2, ::4],
#         "random, mean of 2,000": on_others.mean(dim=0)[None, ::4],
#         "random, two of them": on_others[:2, ::4],
#     },
#     ["mean", "first", "second"] * 2,
#     [str(distance) for distance in range(0, 257, 4)],
#     "Scores by distance, base 10,000, d_head 64",
#     x_title="distance from query to key",
#     y_title="score",
# )

# %% tags=["active-ipynb"]
# see("must_decay", lower_at_64=lower_at_64)

# %% [markdown]
# - **A key equal to its query** has its highest score at distance 0, where no hand has moved against its fellow. With
#   distance the mean falls, from 8.0 to 3.5 at 64, but unevenly: at 256 it is higher than at 128, and the score of a
#   single query swings up and down on the way.
# - **A random key** has no decay at all: the mean is about 0 at each distance, and at 64 the score is lower than at 1
#   in about half of the pairs.
#
# So turning does not make attention decay with distance. It makes the score *depend* on distance. Turn each query
# forward by 64 positions and call that its key: now each query's score is highest at distance 64 (the last line
# printed). A trained model is free to make such keys.
#
# [Barbero et al. 2024](https://arxiv.org/abs/2410.06205) argue that decay is unlikely to be the main reason why turning
# helps. In a trained model, Gemma 7B, they find that heads which look at a fixed distance use the fastest hands, and
# that the model makes most use of the slowest, which they suspect carry what a token means rather than where it stands.
#
# ### From neighbours to halves
#
# Weights that were trained with neighbours work with halves too, once the columns of `W_Q` and `W_K` are put in another
# order within each head: first numbers 0, 2, 4 …, then 1, 3, 5 …. Both sides of the dot product are reordered alike,
# and a sum stays the same in another order. In the repository of transformers `convert_llama_weights_to_hf.py` does
# this to Meta's Llama; its function is called `permute`. Without it no shape is wrong and no error is raised.

# %% tags=["active-ipynb"]
# def turned_neighbours(x, tables, positions):
#     """As in Meta's code: neighbours as one complex number, times cos + i sin."""
#     pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
#     turns = torch.complex(*tables)[positions][:, None]
#     return torch.view_as_real(pairs * turns).flatten(-2)
#
#
# def scores_of(W_Q, W_K, resid, turn):
#     """The scores of every head: [batch head query_pos key_pos]."""
#     positions = torch.arange(resid.shape[1])
#     tables = rotary_tables(len(positions), W_Q.shape[-1], 10_000.0)
#     queries, keys = (
#         turn(torch.einsum("bpm,hmd->bphd", resid, W), tables, positions)
#         for W in (W_Q, W_K)
#     )
#     return torch.einsum("bqhd,bkhd->bhqk", queries, keys) / math.sqrt(W_Q.shape[-1])

# %% tags=["active-ipynb"]
# toy_resid = torch.randn(2, 40, 32, generator=rotary_dice)
# meta_W_Q, meta_W_K = torch.randn(2, 4, 32, 16, generator=rotary_dice) / 32**0.5
# as_halves = torch.arange(16).view(-1, 2).T.flatten()
# print("new order of a head's columns:", as_halves.tolist())
# by_meta = scores_of(meta_W_Q, meta_W_K, toy_resid, turned_neighbours)
# permuted = meta_W_Q[..., as_halves], meta_W_K[..., as_halves]
# converted = scores_of(*permuted, toy_resid, apply_rotary)
# as_they_are = scores_of(meta_W_Q, meta_W_K, toy_resid, apply_rotary)
# print(f"scores have a spread of {by_meta.std():.2f}")
# print(f"off, with the columns permuted: {(converted - by_meta).abs().max():.4f}")
# print(f"off, with the columns as they are: {(as_they_are - by_meta).std():.2f}")
# assert (converted - by_meta).abs().max() < 1e-4, "more than float noise"

# %% [markdown]
# With the columns permuted the scores are the same to float noise. With the columns left alone they are wrong by about
# as much as they vary. In May 2024 somebody gave HuggingFace's Llama 3 weights to torchtitan, whose code turned
# neighbours, and found that the two do not fit (its issue 335, "RoPE implementation differences").
#
# ### A bug in the wild
#
# The package `rotary-embedding-torch` turned queries with an `offset`, the position of the first of them, and kept what
# it had computed for the next call. Issue 11 of August 2023, "Bug in cache", shows what it forgot. The function below
# is ours, with the same mistake. A model that writes calls it once for a text of eight tokens, then once for each new
# token. Find the mistake and mend it, and go on keeping the rows; the next cell checks.


# %%
KEPT: dict[tuple[int, ...], list[Tensor]] = {}


def turned_from(
    x: Float[Tensor, "batch pos head_index d_head"], offset: int, base: float = 10_000.0
) -> Float[Tensor, "batch pos head_index d_head"]:
    """The queries or keys of positions `offset`, offset + 1, …, turned."""
    n_new, d_head = x.shape[1], x.shape[-1]
    # BEGIN SOLUTION
    kept_as = (n_new, d_head, offset)
    # INSTEAD OF
    # kept_as = (n_new, d_head)
    # END SOLUTION
    if kept_as not in KEPT:
        tables = rotary_tables(offset + n_new, d_head, base)
        KEPT[kept_as] = [table[offset:] for table in tables]
    cos, sin = KEPT[kept_as]
    return apply_rotary(x, (cos, sin), torch.arange(n_new))


# %% tags=["active-ipynb", "folded"]
# # @title Checks your turned_from: twelve positions at once, and one by one
# KEPT.clear()
# twelve = torch.randn(1, 12, 4, 16, generator=rotary_dice)
# at_once = apply_rotary(twelve, rotary_tables(12, 16, 10_000.0), torch.arange(12))
# one_by_one = torch.cat(
#     [
#         turned_from(twelve[:, :8], 0),
#         *(turned_from(twelve[:, [place]], place) for place in range(8, 12)),
#     ],
#     dim=1,
# )
# off_by = (one_by_one - at_once).abs().amax(dim=(0, 2, 3)).tolist()
# for place in range(7, 12):
#     print(f"position {place}: off by {off_by[place]:.4f}")
# wrong_at = [place for place, off in enumerate(off_by) if not off < 1e-4]
# assert not wrong_at, (
#     f"Not mended yet: position {wrong_at[0]} is the first that is off. "
#     "Which rows of the tables does it get, and whose are these?"
# )
# try:
#     four_at_once = turned_from(twelve[:, 8:], 8)
# except IndexError as error:
#     raise AssertionError(
#         "one by one each token is right, but four at once, from position 8 on, "
#         f"stop with an IndexError, {error}: whose rows do they find?"
#     ) from None
# off_by = (four_at_once - at_once[:, 8:]).abs().max()
# assert off_by < 1e-4, "one by one each token is right, but four at once are not"
# n_kept = len(KEPT)
# twelve_again = [turned_from(twelve[:, [place]], place) for place in range(8, 12)]
# assert 0 < n_kept == len(KEPT), "keep the rows: a second call must find them"
# print("✔ Mended: each new token is turned by its own position")

# %% [markdown]
# <details><summary>Answer</summary>
#
# All calls with one new token share the key `(1, 16)`, so each finds the rows of the first such call: every later token
# is turned as if it stood at position 8. What is kept must be looked up by everything that it depends on:
# `kept_as = (n_new, d_head, offset)`. (The `base` too, if it ever changes.)
#
# No shape is wrong, and a text read all at once is right. What shows the mistake is to compare one by one with all at
# once, as with the cache of chapter 8.
#
# </details>
#
# ### In real models
#
# Llama 3, Qwen 3, OLMo 2, Mistral 7B and Gemma turn queries and keys, and have no table of positions to train. In
# transformers keys go into the cache (chapter 8) *turned*, once, because their own positions never change.
#
# The cosines are best computed in float32, even where the model runs in bfloat16, which has no 257: between 256 and 512
# it holds only every second whole number, and beyond that fewer. GPT-NeoX computed them in half precision (issue 1003),
# and so did transformers in mixed precision (until pull request 29285). That is why the test asks for 700 positions.
#
# *Finished* cosines may be rounded: each then loses its last digits, at far positions no more than at near ones.
# transformers does so before it turns queries in half precision, and `model.half()` will do so to the tables of your
# model. Rounded speeds would be another matter, since an error in a speed is multiplied by the position.

# %% [markdown]
# ## Neurons that multiply: SwiGLU
#
# In GPT-2's MLP (chapter 5) each **neuron** reads the vector with a column of `W_in` and gets one number. GELU *bends*
# that number, lets it pass if it is positive and nearly stops it if it is negative, and a row of `W_out` writes what
# passes. A neuron's own number decides how much of it passes.
#
# What can such an MLP not do? Multiply. Take two numbers of the stream, x and y, and ask for x · y. All that a neuron
# knows is one sum such as 2x + 3y, and once this sum is large GELU lets it pass as it is or stops it. So if x and y are
# large and become ten times as large, the MLP's answer becomes at most about ten times as large, and x · y a hundred
# times.
#
# Now let one sum decide how much of *another* passes. **SiLU** is a bend much like GELU: silu(z) = z · σ(z), where the
# **sigmoid** σ(z) = 1 / (1 + e⁻ᶻ) runs from 0 to 1. Give each neuron two columns to read with, put SiLU on the first,
# the **gate**, and multiply the two numbers. Two such neurons multiply exactly, because silu(x) − silu(−x) = x:
#
# $$\text{silu}(x) \cdot y + \text{silu}(-x) \cdot (-y) = x \cdot y$$
#
# For comparison, four neurons with GELU that were chosen to multiply small numbers well:

# %% tags=["active-ipynb"]
# def gated_product(x, y):
#     return F.silu(x) * y + F.silu(-x) * -y
#
#
# def gelu_product(x, y, size=0.1):
#     """Near 0, gelu(z) + gelu(−z) is about z² · √(2/π), and (x+y)² − (x−y)² is 4xy."""
#     bent = [F.gelu(sign * size * (x + y)) for sign in (1, -1)]
#     bent_too = [F.gelu(sign * size * (x - y)) for sign in (1, -1)]
#     return (sum(bent) - sum(bent_too)) / (4 * size**2 * (2 / torch.pi) ** 0.5)

# %% tags=["active-ipynb"]
# print("    x     y      x · y   two gated   four with GELU")
# for one_x, one_y in ((0.5, 1.0), (3.0, 4.0), (-2.0, 5.0), (10.0, 10.0), (100.0, 100.0)):
#     pair = torch.tensor(one_x), torch.tensor(one_y)
#     gated = gated_product(*pair)
#     print(f"{one_x:5} {one_y:5} {one_x * one_y:10.2f} {gated:11.2f}", end=" ")
#     print(f"{gelu_product(*pair):16.2f}")

# %% [markdown]
# The gated neurons are right everywhere. Those with GELU are right near 0 and far too low at 100 · 100. More neurons
# widen the range in which they come close, but never to all numbers.
#
# **What this does not show**: that trained models multiply in this way, or that this is why gates help. An MLP with
# GELU can come as near as you like within any *limited* range, and the numbers of a normalised vector are limited.
#
# ### The two bends

# %% tags=["active-ipynb"]
# bend_inputs = torch.arange(-80, 61) / 20  # from −4 to 3
# two_soft_bends = {"SiLU": F.silu(bend_inputs), "GELU": F.gelu(bend_inputs)}
# for label, bent in two_soft_bends.items():
#     lowest_at = bend_inputs[bent.argmin()]
#     print(f"{label} is lowest at {lowest_at:.2f}, where it is {bent.min():.3f}")
# curves(
#     bend_inputs, two_soft_bends, "SiLU and GELU", x_title="z", y_title="what passes"
# )

# %% [markdown]
# SiLU has GELU's form with σ(z) in place of Φ(z), the share of the normal distribution that lies below z. It dips
# lower and farther from 0. (It is also called *Swish*; hence the name: **Swi**sh-**g**ated **l**inear **u**nit.)
#
# ### A neuron by hand
#
# Let `d_model` be 2 and the vector 2, 3. A neuron has the gate's column 1, 0, the other column 0, 1, and writes with
# the row 1, 10.
#
# 1. The gate reads 2 and becomes silu(2) = 2 · σ(2) = 2 · 0.881 = 1.76.
# 2. The other column reads 3, which stays as it is.
# 3. Their product is 1.76 · 3 = 5.28.
# 4. It is written: 5.28 · 1 and 5.28 · 10, so 5.28 and 52.8.

# %% tags=["active-ipynb"]
# by_hand_gate = F.silu(torch.tensor(2.0))
# print(f"gate {by_hand_gate:.4f}, product {3 * by_hand_gate:.4f}", end=", ")
# print(f"written {3 * by_hand_gate:.2f} and {30 * by_hand_gate:.1f}")
# print(f"gate and input swapped: {2 * F.silu(torch.tensor(3.0)):.4f}")

# %% [markdown]
# The last line shows why it matters which of the two is bent. If you swap them, every shape still fits, and the answer
# is wrong.
#
# In one line, where ⊙ multiplies number by number:
#
# $$\text{out} = \big(\text{silu}(x W_\text{gate}) \odot x W_\text{in}\big)\, W_\text{out}$$
#
# **What it is not.** The gate is not a switch and not a share: silu can be larger than 1, and a little below 0. It is
# not shared between neurons: each of the `d_mlp` neurons has a gate of its own. And there are no biases.

# %% [markdown]
# ### Three matrices for the price of two
#
# A third matrix would make the MLP half as large again. To keep the number of parameters, Shazeer (2020, section 2)
# makes all three narrower, by a factor of 2/3. GPT-2's `d_mlp` is 4 · `d_model`, so SwiGLU's is 8/3 · `d_model`.

# %% tags=["active-ipynb"]
# width = 576
# print(f"GPT-2's MLP: {2 * width * 4 * width:,} weights", end=", ")
# print(f"SwiGLU's: {3 * width * (8 * width // 3):,}")
# two_models = (("SmolLM2-135M", 576, 1536), ("Llama 2 7B", 4096, 11008))
# for label, its_d_model, its_d_mlp in two_models:
#     print(f"{label}: 8/3 of {its_d_model} is {8 * its_d_model / 3:.1f}", end=", ")
#     print(f"its d_mlp {its_d_mlp} = {its_d_mlp // 256} · 256")

# %% [markdown]
# 8/3 of `d_model` is rarely a round number. Meta's code for Llama rounds up to a multiple of 256, a power of 2
# (`multiple_of` in its `model.py`).
#
# The same three matrices have many names. A table for reading other people's code:
#
# | here, and in TransformerLens | `W_gate` | `W_in` | `W_out` |
# |---|---|---|---|
# | transformers (Llama) | `gate_proj` | `up_proj` | `down_proj` |
# | Meta's Llama | `w1` | `w3` | `w2` |
#
# Transformers and Meta keep each matrix the other way round, as `nn.Linear` does: the gate's is [d_mlp d_model].

# %% [markdown] exercise="SwiGLU" difficulty=2 importance=4 minutes=10
# ## Exercise: write `SwiGLU`
#
# **What goes in?** `normalized_resid_mid`: a vector of `d_model` numbers for each position, as `ln2` made it.
#
# **What comes out?** What the MLP writes: a tensor of the same shape.
#
# `__init__` is given. Write `forward`. The test also asks for large numbers: 300 in the gate must not become NaN.
#
# **Before you code**: is it `silu(x @ W_gate) * (x @ W_in)` or `(x @ W_gate) * silu(x @ W_in)`?
#
# <details><summary>Answer</summary>
#
# The first: the gate is what gets bent. If a *fresh* model were trained with the second, it would learn as well, since
# the names of two random matrices mean nothing. A trained model's weights fit only one of them.
#
# </details>


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
# Both `W_gate` and `W_in` read the same vector, and each makes `d_mlp` numbers of it. Bend those of `W_gate` with
# `F.silu`, multiply the two number by number, and bring the product back to `d_model` with `W_out`.
#
# `@` and `*` bind equally tightly, from left to right: put brackets round the product of the two.

# %% [markdown] hint="pseudocode"
# ```text
# gate  = silu of (the vector through W_gate)
# value = the vector through W_in
# return (gate times value, number by number) through W_out
# ```

# %% tags=["active-ipynb"]
# test_swiglu(SwiGLU)

# %% [markdown]
# ### Why does it help?
#
# Shazeer (2020) trained a T5, an encoder and a decoder, with eight kinds of MLP of equal size. All the gated ones,
# even one without any bend, ended with a lower loss than those with ReLU, GELU or Swish alone (Table 1). He does not
# claim to know why: "We offer no explanation as to why these architectures seem to work; we attribute their success, as
# all else, to divine benevolence" (section 4).
#
# Llama, Mistral, Qwen and OLMo have SwiGLU; Gemma has GELU in the gate, which is called GEGLU. Whether a gate helps a
# small GPT on this course's texts is measured at the end of this chapter.

# %% [markdown]
# ## Fewer keys than queries
#
# When a model writes, each new token's queries meet the keys of all tokens before it. Nobody computes these keys again:
# a **cache** keeps them, and the values too (chapter 8). It grows by one key and one value for each head of each block
# with every token, and to write one token, all of it has to be read from memory (chapter 10). How large is it?
#
# Take SmolLM2-135M, a Llama with 30 blocks. Suppose that each of its 9 heads of 64 numbers kept keys and values of its
# own, as in GPT-2. Chapter 10's `kv_cache_bytes` counts 9 heads then; all numbers have 16 bits.

# %% tags=["active-ipynb"]
# (kv_cache_bytes,) = pieces("kv_cache_bytes")
# smol = ModernConfig()
# llama3_8b = ModernConfig(
#     d_model=4096, d_vocab=128256, n_ctx=8192, d_head=128, d_mlp=14336, n_heads=32,
#     n_kv_heads=8, n_layers=32, rotary_base=500_000.0, tied=False,
# )

# %% tags=["active-ipynb"]
# predict(
#     "cache_beside_weights",
#     """SmolLM2-135M reads one text of 8192 tokens, as many as it can. Each of its heads
#     keeps keys and values of its own. How large is the cache, compared with the weights?
#     a) less than a tenth of them
#     b) more than a tenth, and smaller than the weights
#     c) larger than the weights""",
#     answer="c",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Counts the weights and the caches of one text of 8192 tokens
# def weights_of(cfg):
#     """The parameters of a whole model, as this chapter builds it."""
#     attention = 2 * cfg.d_model * (cfg.n_heads + cfg.n_kv_heads) * cfg.d_head
#     block = attention + 3 * cfg.d_model * cfg.d_mlp + 2 * cfg.d_model
#     embeddings = cfg.d_vocab * cfg.d_model * (1 if cfg.tied else 2)
#     return cfg.n_layers * block + embeddings + cfg.d_model
#
#
# cache_gb = {}
# for name, cfg in {"SmolLM2-135M": smol, "Llama 3 8B": llama3_8b}.items():
#     sharing = replace(cfg, n_heads=cfg.n_kv_heads)  # as many heads as keep something
#     cache_gb[name] = [kv_cache_bytes(each, 8192) / 1e9 for each in (cfg, sharing)]
#     alone, grouped = cache_gb[name]
#     print(f"{name:12} weights {2 * weights_of(cfg) / 1e9:6.3f} GB", end=", ")
#     print(f"cache with {cfg.n_heads:2} heads {alone:.3f} GB", end=", ")
#     print(f"with {cfg.n_kv_heads} heads {grouped:.3f} GB")

# %% tags=["active-ipynb"]
# see(
#     "cache_beside_weights",
#     times=cache_gb["SmolLM2-135M"][0] * 1e9 / (2 * weights_of(smol)),
# )

# %% [markdown]
# With 9 heads the cache of *one* text is twice as large as all weights. With the 3 that SmolLM2-135M keeps, it is a
# third of that. Llama 3 8B has 32 heads of queries and 8 of keys and values (Grattafiori et al. 2024, Table 3): 1.1 GB
# in the place of 4.3 for each text, and a server that writes many texts at once has a cache for each.
#
# **Should queries, keys or values be fewer?** A query is used once, at its own position, and then forgotten. Keys and
# values are kept, and read again for every later token. So the saving is in them: let several heads of queries share
# one head of keys and values.
#
# - **Multi-query attention** goes all the way: one head of keys and values for all (Shazeer 2019, section 3).
# - **Grouped-query attention** stops between: each group of heads shares one (Ainslie et al. 2023, section 2.2). With
#   one group it is multi-query attention, with a group for each head it is GPT-2's.
#
# **What is lost?** Ainslie et al. took a finished T5 XXL, grouped its heads, and trained it on for 5 % of its steps
# (Table 1). With all heads apart it had a mean score of 47.2 on their tasks, and took 1.51 seconds a sample. Eight
# groups: 47.1 and 0.28 seconds. One group: 46.6 and 0.24 seconds. So with eight groups nearly all of the score was
# kept, and most of the time saved. That is one model, an encoder with a decoder, and not a law.
#
# ### Which heads share?
#
# Neighbours do. Of SmolLM2's 9 heads of queries, 0, 1 and 2 read keys and values 0, heads 3, 4 and 5 number 1, and the
# rest number 2.

# %% tags=["active-ipynb"]
# kept_heads = torch.arange(smol.n_kv_heads)
# group_size = smol.n_heads // smol.n_kv_heads
# print("repeat_interleave:", kept_heads.repeat_interleave(group_size).tolist())
# print("repeat:           ", kept_heads.repeat(group_size).tolist())
# heatmap(
#     F.one_hot(kept_heads.repeat_interleave(group_size)).T.float(),
#     [f"keys {head}" for head in range(smol.n_kv_heads)],
#     [f"q {head}" for head in range(smol.n_heads)],
#     "Which queries (q) read which keys and values",
# )

# %% [markdown]
# `repeat_interleave` puts the copies of one head next to each other, as in the figure. `repeat` puts copies of all of
# them one after another, so that neighbours read different keys. Shapes agree, no error comes, and with one group, or
# with a group for each head, the two are the same.
#
# A model *trained* in the other order is no worse for it: renumber its heads of queries, and it is in this one. But
# weights that were trained in one order and are run in the other are misread.
#
# **What it is not.** The heads of a group do not share queries, scores or patterns: each has its own `W_Q`, attends
# where it wants, and goes through its own `W_O`. Nor are there fewer FLOPs in the scores: every head of queries still
# meets every key. But fewer keys and values are made and kept.
#
# ### Keys that grow too loud: QK-norm
#
# A score is a dot product, so it grows with the length of the query and of the key. RMSNorm fixes the length of what
# `W_Q` reads, but not of what it makes: if `W_Q` and `W_K` grow in training, the scores grow with both, until softmax
# gives nearly all weight to one key. Dehghani et al. (2023, section 2, ViT-22B) saw this at about 8 billion parameters:
# attention almost one-hot, and the loss diverged.
#
# They cured it by a norm of each query and each key *after* `W_Q` and `W_K`. (Henry et al. 2020 had normalised both to
# length 1, against softmax that saturates.) Qwen 3 does it with RMSNorm, for each head's `d_head` numbers by
# themselves, before they turn, with one scale `q_norm.w` for all heads of queries and one `k_norm.w` for keys. OLMo 2
# takes *one* root mean square over the numbers of all heads. `cfg.qk_norm` is Qwen 3's.
#
# **What it is not**: a score does not become a cosine. With `w` = 1 a query and a key have length √`d_head` each, so
# that their product, divided by √`d_head`, lies between -√`d_head` and √`d_head`: ±8 for a head of 64. Training may
# change `w`. Values have no norm: they make no scores. A later section measures whether it helps a small model.
#
# ### No biases
#
# GPT-2 adds `b_Q`, `b_K`, `b_V` and `b_O` in attention, and `b_in` and `b_out` in the MLP. PaLM left out all biases and
# reports more stable training of large models (Chowdhery et al. 2022, section 2, "No Biases"). Llama has none in
# attention or MLP. Qwen 2 kept those of queries, keys and values; Qwen 3 dropped them and took QK-norm (Yang et al.
# 2025, section 2).

# %% [markdown] exercise="GroupedQueryAttention" difficulty=4 importance=5 minutes=25
# ## Exercise: write `GroupedQueryAttention`
#
# You write two methods, so that a cache can stand between them. `forward` is given: it calls one after the other.
#
# **`project`.** What goes in? A normalised vector for each position, and `positions`, the number of each in the text.
# What comes out? Queries, keys and values, [batch pos head_index d_head]: `n_heads` queries, and `n_kv_heads` keys and
# values. Queries and keys are normalised, where `cfg.qk_norm` says so, and then turned. Values are neither.
#
# **`attend`.** What goes in? The queries of the new positions, and the keys and values of *all* positions so far; the
# new ones are the last of these. What comes out? What attention writes at the new positions, [batch pos d_model].
#
# Keys are kept *turned*: `attend` turns nothing. That is right because a score depends only on how far apart the two
# positions are, and a key's own position never changes.
#
# **Before you code**: 5 positions are in the cache, and 2 new ones come. How many keys does each new query read?
#
# <details><summary>Answer</summary>
#
# The first reads 6, the 5 old ones and its own, and the second 7. So the mask has 2 rows and 7 columns, and hides one
# score: row 0, column 6. A square mask, or one that counts from the upper left corner, hides other scores.
#
# </details>


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
        q, k, v = (
            torch.einsum("bpm,hmd->bphd", normalized_resid_pre, W) for W in weights
        )
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
# It is chapter 4's attention with four changes: fewer heads in `W_K` and `W_V`, a norm and a turn of q and k before
# they meet, keys and values that are repeated for their group, and a mask with more columns than rows.
#
# Write `project` first, for `cfg.qk_norm = False`, and look at the shapes. In `attend`, let the keys have as many heads
# as the queries as soon as you can: from there on, it is as it was.

# %% [markdown] hint="pseudocode"
# ```text
# project:
#   q, k, v = x times W_Q, W_K, W_V             [batch pos head_index d_head]
#   if cfg.qk_norm: q = q_norm(q), k = k_norm(k)
#   q, k    = turned by apply_rotary, with the tables (cos, sin) and positions
#
# attend:
#   k, v    = each head repeated n_heads / n_kv_heads times, copies side by side
#   scores  = q · k / √d_head                   [batch head_index new_pos all_pos]
#   scores  = -inf where the key comes after the query:
#             new query i may read the first n_all - n_new + i + 1 keys
#   pattern = softmax of the scores over the keys
#   z       = pattern times v                   [batch new_pos head_index d_head]
#   answer  = z times W_O, the heads added up   [batch new_pos d_model]
# ```

# %% tags=["active-ipynb"]
# test_grouped_query_attention(GroupedQueryAttention)

# %% [markdown]
# ### As it writes
#
# Write with it: five positions at once, as a prompt is read, then one at a time. Between the calls only keys and values
# are kept. The last lines count them.

# %% tags=["active-ipynb", "nbval-ignore-output"]
# torch.manual_seed(0)
# cached_attn, cached_x = GroupedQueryAttention(smol), torch.randn(1, 12, smol.d_model)
# with torch.no_grad():
#     cached_q, cached_k, cached_v = cached_attn.project(cached_x[:, :5], torch.arange(5))
#     piecewise = [cached_attn.attend(cached_q, cached_k, cached_v)]
#     for next_pos in range(5, 12):
#         next_x, at_pos = cached_x[:, next_pos : next_pos + 1], torch.tensor([next_pos])
#         cached_q, next_k, next_v = cached_attn.project(next_x, at_pos)
#         cached_k = torch.cat([cached_k, next_k], dim=1)
#         cached_v = torch.cat([cached_v, next_v], dim=1)
#         piecewise.append(cached_attn.attend(cached_q, cached_k, cached_v))
#     furthest = (torch.cat(piecewise, dim=1) - cached_attn(cached_x)).abs().max()
# print(f"the largest difference from all at once: {furthest:.1e}")
# print("numbers kept, keys and values:", cached_k.numel() + cached_v.numel())
# print("with as many heads as queries:", 2 * 12 * smol.n_heads * smol.d_head)

# %% [markdown]
# The answers agree but for rounding, and a third of the numbers is kept.
#
# What does QK-norm do? The next cell makes `W_Q` 10 and 100 times as large, and prints the largest score, with either
# sign, of these positions.

# %% tags=["active-ipynb"]
# for qk_norm in (False, True):
#     torch.manual_seed(0)
#     loud_attn = GroupedQueryAttention(replace(smol, qk_norm=qk_norm))
#     print("with QK-norm:   " if qk_norm else "without QK-norm:", end="")
#     for larger in (1, 10, 100):
#         with torch.no_grad():
#             loud_q, loud_k, _ = loud_attn.project(cached_x, torch.arange(12))
#             loud_k = loud_k.repeat_interleave(group_size, dim=2)
#             loudest = torch.einsum("bqhd,bkhd->bhqk", loud_q, loud_k).abs().max()
#             loud_attn.W_Q *= 10  # for the next round
#         print(f" {loudest / smol.d_head**0.5:7.2f} at {larger}", end=",")
#     print()

# %% [markdown]
# Without the norm, scores grow with `W_Q`. With it, they stay as they are.
#
# ### A bug in the wild
#
# In the library torchtune, each layer first repeated keys and values for its queries, and then put them into the cache.
# Issue 38 asked for a smaller cache in November 2023, and pull request 1961 of November 2024 made it. The function
# below is ours, with the first order. What it writes is right. What does it lose? Mend it; the next cell judges.


# %%
def write_next(
    attn: GroupedQueryAttention,
    normalized_resid_pre: Float[Tensor, "batch one d_model"],
    kept: list[tuple[Tensor, Tensor]],
) -> Float[Tensor, "batch one d_model"]:
    """What attention writes at the next position, whose key and value join `kept`."""
    q, k, v = attn.project(normalized_resid_pre, torch.tensor([len(kept)]))
    # BEGIN SOLUTION
    kept.append((k, v))
    keys, values = (torch.cat(each, dim=1) for each in zip(*kept, strict=True))
    return attn.attend(q, keys, values)
    # INSTEAD OF
    # group = attn.cfg.n_heads // attn.cfg.n_kv_heads
    # k, v = (one.repeat_interleave(group, dim=2) for one in (k, v))
    # kept.append((k, v))
    # keys, values = (torch.cat(each, dim=1) for each in zip(*kept, strict=True))
    # q, keys, values = (one.transpose(1, 2) for one in (q, keys, values))
    # z = F.scaled_dot_product_attention(q, keys, values)
    # return torch.einsum("bhqd,hdm->bqm", z, attn.W_O)
    # END SOLUTION


# %% tags=["active-ipynb", "folded"]
# # @title Judges your write_next: what it writes, and what it keeps
# kept_pairs = []
# with torch.no_grad():
#     one_by_one = [
#         write_next(cached_attn, each, kept_pairs) for each in cached_x.split(1, dim=1)
#     ]
#     at_once = cached_attn(cached_x)
# assert torch.allclose(torch.cat(one_by_one, dim=1), at_once, atol=1e-4), (
#     "what it writes is not what the whole layer writes at once"
# )
# amount = sum(one.numel() for pair in kept_pairs for one in pair)
# enough = 2 * 12 * smol.n_kv_heads * smol.d_head
# assert amount == enough, (
#     f"right numbers, but it keeps {amount:,} where {enough:,} are enough: "
#     "do the heads of a group share what is kept?"
# )
# print(f"✔ Mended: the same numbers written, and {amount:,} kept")

# %% [markdown]
# <details><summary>Answer</summary>
#
# It keeps `n_heads` copies of what `n_kv_heads` heads made, so the cache is as large as without groups, three times too
# large here. Keep first, repeat afterwards: your `attend` does that. (It makes the copies anew for each token. They are
# gone again after the call, but they take time and memory while it lasts; kernels such as PyTorch's
# `scaled_dot_product_attention` with `enable_gqa=True` are told of the groups instead.)
#
# No test of answers can see this. What shows it is a count of what is kept.
#
# </details>
#
# **What this means for real models.** Llama 2 grouped the heads of its two largest models, 34B and 70B. Llama 3's 8B,
# 70B and 405B all have 8 heads of keys and values. So the cache of such a model is not counted from `n_heads`: take
# `num_key_value_heads` of its `config.json`. A model with all heads apart need not be trained anew: Ainslie et
# al. replaced each group's keys and values by their mean, and then trained on (section 2.1).
#
# ## You can stop here
#
# All parts are yours: the norm, the turn, the gate, and attention that keeps fewer keys. Two short exercises are left,
# which put them together.
#
# When you come back, select the next cell of code and choose Run > Run All Above Selected Cell. The second sitting
# compares your model with Llamas that another library built, and asks what each change buys.

# %% [markdown]
# ## The block, and the whole model
#
# Every part of GPT-2's block has a successor now. What of the block is left? Its shape: two sublayers, each of which
# reads a normalised copy of the stream and *adds* its answer to it. The lines that you wrote in chapter 7 for GPT-2 are
# also Llama's:
#
# ```text
# resid_mid  = resid_pre + attn(ln1(resid_pre))
# resid_post = resid_mid + mlp(ln2(resid_mid))
# ```
#
# So which models use which of this chapter's parts?
#
# | | norm, and where | positions | MLP | biases | heads of keys | QK-norm | one table |
# |---|---|---|---|---|---|---|---|
# | GPT-2 | LayerNorm, before | a table | GELU | yes | all | no | yes |
# | Llama 2 | RMSNorm, before | rotary | SwiGLU | no | all; 34B, 70B: 8 | no | no |
# | Llama 3 | RMSNorm, before | rotary | SwiGLU | no | 8 | no | 3.2 of 1B, 3B |
# | Qwen 3 | RMSNorm, before | rotary | SwiGLU | no | 8 | each head | up to 4B |
# | OLMo 2 | RMSNorm, after | rotary | SwiGLU | no | all; 32B: 8 | all heads at once | no |
# | Gemma 2 | RMSNorm, before and after | rotary | GEGLU | no | half | no | yes |
#
# "Before" and "after" are said of a sublayer; "heads of keys" tells how many heads of keys and values there are; "one
# table" means *tied*: the table of the embedding is the unembedding too. (GEGLU has a GELU where SwiGLU has silu.) Of
# Qwen 3 the table shows the dense models, from 0.6B to 32B.
#
# <details><summary>Where this table comes from</summary>
#
# GPT-2: Radford et al. 2019, section 2.3, and `src/model.py` of openai/gpt-2. Llama 2: Touvron et al. 2023, *Llama 2*,
# section 2.2. Llama 3: Grattafiori et al. 2024, *The Llama 3 Herd of Models*, section 3.2. Qwen 3: Yang et al. 2025,
# *Qwen3 Technical Report*, section 2. OLMo 2: OLMo team 2024, section 2.1. Gemma 2: Gemma Team 2024, section 2. Where
# the norms stand, and what QK-norm reads, is also in the code of the transformers library: `LlamaDecoderLayer`,
# `Qwen3Attention`, `Olmo2DecoderLayer`, `Olmo2Attention`, `Gemma2DecoderLayer`.
#
# </details>

# %% [markdown]
# ### Who has post-norm after all?
#
# The Transformer of 2017 normalised each sum, `ln1(x + attn(x))`: *post-norm*. GPT-2 moved the norm in front of the
# sublayer, *pre-norm*, and most of its successors did the same. Two in the table differ:
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
# Nothing of the block's shape is new since chapter 7: two sums, and in each a sublayer that reads through a norm. Only
# the classes of the four parts are new.
#
# For each sum ask: what is added to, and a copy of which stream does the sublayer read? The second sum starts from
# `resid_mid`, in both places.

# %% [markdown] hint="pseudocode"
# ```text
# __init__: ln1 and ln2, one norm each; attn, with grouped queries; mlp, with a gate
#           (all made of cfg)
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
# The whole model has one part fewer than GPT-2, the table of positions:
#
# 1. **The start**: each token's vector, from `embed`. Nothing is added for its position, since attention turns its
#    queries and keys.
# 2. **The blocks**, `cfg.n_layers` of them, one after the other.
# 3. **The end**: `ln_final`, an RMSNorm, then the *unembedding*: a product with a matrix [d_model d_vocab] that makes
#    one score, a logit, for each token of the vocabulary. It has no bias.
#
# `cfg.tied` decides which matrix that is. If it is false, the model has a matrix `W_U` of its own. If it is true,
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
# __init__: as many blocks as cfg.n_layers, each a new one, in a list that PyTorch
#           knows; ln_final
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
# A test of the course's own would pass if course and learner misread Llama in the same way. So each of this chapter's
# tests has a judge from outside too. The transformers library built five small models with random weights, three of
# Llama's shape and two of Qwen 3's, and TransformerLens recorded what happens inside them. Here are their logits and
# yours:

# %% tags=["active-ipynb"]
# for recorded in modern_references():
#     yours = ModernTransformer(recorded.cfg)
#     yours.load_state_dict(dict(recorded.weights))
#     theirs = recorded.activations["unembed.hook_out"]
#     with torch.no_grad():
#         gap = (yours(recorded.tokens) - theirs).abs().max()
#     lowest, highest = theirs.min(), theirs.max()
#     print(f"{recorded.name}: logits from {lowest:.1f} to {highest:.1f},", end=" ")
#     print(f"yours differ by {gap:.5f} at most")

# %% [markdown]
# To five places there is no difference. (Random weights have one merit: no scale is 1 and no two rows are alike, so few
# mistakes can hide. In a trained model more of them can, as chapter 7 found.) These texts have six tokens at most. This
# chapter's tests ask separately for what only far positions or a cache would show.
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
# `utils/model_folder/llama.py` does this for a whole folder.

# %% [markdown]
# **A real model speaks with it.** SmolLM2-135M is under the Apache 2.0 licence. Put `config.json`,
# `generation_config.json`, `model.safetensors` and `tokenizer.json` from
# [huggingface.co/HuggingFaceTB/SmolLM2-135M](https://huggingface.co/HuggingFaceTB/SmolLM2-135M) into a folder. Then, in
# a terminal in the course's folder:
#
# ```sh
# python -m my_gpt "Once upon a time" --model a/folder/of/SmolLM2-135M
# ```
#
# Your `ModernTransformer` computes the logits, your `generate` makes the story, and your `bpe_encode` cuts the text.
# Parts that you have not passed yet are borrowed; `my_gpt/README.md` says which. (The course was tried on folders of
# this shape with random weights, not on SmolLM2 itself.)
#
# Other Llamas, Qwen 3 and a Mistral without a sliding window will do too. What your model would compute differently is
# refused, in a sentence that says why: scaled rotary positions, as Llama 3.1 has them; biases, as Qwen 2.5 has them;
# sliding windows; quantised weights. A tokenizer that cuts a text by other rules than GPT-2's is read by the library
# `tokenizers`, and the command says that this part is not yours.

# %% [markdown]
# ## A small model of this kind, trained
#
# Those five models had random weights and have learned nothing. Here is one that has: `utils/modern_model` is a Llama
# of 3.5 million parameters, as many as the reference model has. The course's own code trained it on the same tales, in
# the same tokens, for a quarter of the reference model's steps. Four heads of queries share two heads of keys and
# values. Load its weights into your `ModernTransformer`, and let your `generate` continue a tale with it:

# %% tags=["active-ipynb"]
# [generate] = pieces("generate")
# small = modern_model()
# your_small = ModernTransformer(small.cfg)
# your_small.load_state_dict(dict(small.weights))
# small_end = small.activations["unembed.hook_out"]
# with torch.no_grad():
#     small_gap = (your_small(small.tokens) - small_end).abs().max()
#     print(f"logits up to {small_end.max():.1f},", end=" ")
#     print(f"yours differ by {small_gap:.4f} at most")
#     torch.manual_seed(0)
#     begun = encode("\nOnce upon a time there was a miller who")[0]
#     tale = generate(your_small, begun, 80, temperature=0.7, top_k=50)
# print(wrapped("".join(str_tokens(tale[1:]))))

# %% [markdown]
# It writes words and sentences, and loses the thread from one to the next. In a terminal,
# `python -m my_gpt "Once upon a time" --model utils/modern_model` tells more.
#
# ### Beside it, a GPT-2
#
# What do this chapter's parts change in training? A GPT-2 of the reference model's sizes read the very same batches, in
# the same order, for as many steps and with the same optimiser (AdamW) and rates. Its weights do not come with the
# course, but what was measured of it does (the command and all figures are in `utils/modern_model/README.md`):

# %% tags=["active-ipynb", "folded"]
# # @title Draws the loss of both while they were trained
# both_runs = modern_runs()
# run_names = {"gpt2": "GPT-2's parts", "modern": "this chapter's parts"}
# run_curves = {}
# for name, called in run_names.items():
#     of_run = both_runs[name]
#     print(f"{called:21} {of_run['parameters']:,} parameters", end=", ")
#     print(f"{of_run['processor_seconds']:,.0f} processor seconds", end=", ")
#     print(f"held-out loss {of_run['loss']:.3f} nats a token")
#     n_means, of_each = len(of_run["losses"]), both_runs["stretch"]
#     steps_done = [of_each * (at + 1) for at in range(n_means)]
#     run_curves[called] = [(steps_done, of_run["losses"])]
# loss_curves(run_curves, "Loss of the training batches, means of 25 steps")

# %% [markdown]
# Both have 3.5 million parameters and took about as much time. On held-out tales the model with this chapter's parts
# ends 0.25 nats a token below GPT-2. Its line is below from step 50 on, and after 1,100 steps it is where GPT-2's is
# after 2,000. (The last 625 steps have other batches, with many made-up phrases, and so the lines jump.)
#
# Each model was trained once, at rates that were chosen for GPT-2's parts. That the gap is real is likely all the same:
# the end of this chapter has five seeds of each change on another text, and no two seeds of one model differ by more
# than 0.04 nats there. Which of the parts made it, these two runs can't say.

# %% [markdown]
# ### Which hands does it read?
#
# A head of this model has 48 numbers, and so 24 hands. Its `base` is 10,000. The fastest six, pairs 0 to 5, make a full
# turn in 6 to 43 positions, and the slowest six, pairs 18 to 23, take 6,283 to 42,807. The model never read more than
# 256 tokens at once.
#
# If a hand *stands still*, its pair still adds a product to every score, but the same one at any distance. So stop a
# quarter of the hands, in all heads of all blocks, and the rise of the loss says how much the model needs that these
# hands turn.

# %% tags=["active-ipynb"]
# predict(
#     "hands_needed",
#     """Which quarter of the hands costs the most when it stands still?
#     a) pairs 0 to 5, which turn once in 6 to 43 positions
#     b) pairs 6 to 11, which turn once in 63 to 428
#     c) pairs 18 to 23, which turn once in 6,283 or more""",
#     answer="a",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Stops a quarter of the hands, and measures the loss on 48 passages
# quarters = {
#     f"pairs {first} to {first + 5}": range(first, first + 6) for first in (0, 6, 12, 18)
# }
# quarters["all 24 pairs"] = range(24)
# short_passages = passage_tokens()[:, :128]
#
#
# def with_still_hands(pairs, layers=range(6)):
#     """The small model; in these blocks the hands of these pairs do not turn."""
#     model = ModernTransformer(small.cfg)
#     model.load_state_dict(dict(small.weights))
#     for layer in layers:
#         attn = model.blocks[layer].attn
#         attn.cos[:, list(pairs)], attn.sin[:, list(pairs)] = 1, 0
#     return model
#
#
# def losses_with(model):
#     with torch.no_grad():
#         logits = torch.cat([model(some) for some in short_passages.split(12)])
#     of_each = F.cross_entropy(
#         logits[:, :-1].transpose(1, 2), short_passages[:, 1:], reduction="none"
#     )
#     return OverPassages(of_each.mean(dim=1))
#
#
# all_turn = losses_with(your_small)
# still_costs = {
#     name: losses_with(with_still_hands(pairs)) - all_turn
#     for name, pairs in waiting(quarters.items(), "five models")
# }
# for name, pairs in quarters.items():
#     turn_in = [2 * math.pi * small.cfg.rotary_base ** (i / 24) for i in pairs]
#     print(f"{name:15} a turn in {turn_in[0]:5.0f} to", end=" ")
#     print(f"{turn_in[-1]:6.0f} tokens; still:", end=" ")
#     print(f"{still_costs[name].mean:+.3f} ± {still_costs[name].error:.3f} nats")

# %% tags=["active-ipynb"]
# fastest, second, third, slowest, _ = (costs.mean for costs in still_costs.values())
# see("hands_needed", fastest=fastest, second=second, third=third, slowest=slowest)

# %% [markdown]
# The fast hands are what this model reads. Without their turn the loss rises by 0.86 nats, six times as much as for the
# next quarter. The slowest quarter might as well stand still for good: within the context such a hand turns by 15
# degrees at most. Together the four quarters cost 1.02, and all hands at once 1.19.
#
# **What this does not show**: that slow hands are of no use. In a context of 2,560 tokens the third quarter turns as
# far as the second does here. And a pair that does not turn takes part in the score all the same, by what the tokens
# are.

# %% [markdown]
# ### A head that looks one back
#
# What do fast hands make possible? A head that reads the token before, for one. With turned queries and keys it can
# find that token by the distance alone, and random tokens, which give no other hint, will show it. The next cell lets
# your model read 32 rows of them, finds the head with the most weight on the token before, and stops a quarter of the
# hands of *its block*.

# %% tags=["active-ipynb", "folded"]
# # @title Finds that head, and stops hands in its block alone
# def patterns_in(model, tokens):
#     """Where each head looks: [layer batch head_index query_pos key_pos]."""
#     seen = []
#
#     def note(attn, given):
#         places = torch.arange(given[0].shape[1])
#         q, k, _ = attn.project(given[0], places)
#         k = k.repeat_interleave(model.cfg.n_heads // model.cfg.n_kv_heads, dim=2)
#         scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / model.cfg.d_head**0.5
#         hidden = scores.masked_fill(places[:, None] < places, -torch.inf)
#         seen.append(hidden.softmax(dim=-1))
#
#     listening = [block.attn.register_forward_pre_hook(note) for block in model.blocks]
#     with torch.no_grad():
#         model(tokens)
#     for one in listening:
#         one.remove()
#     return torch.stack(seen)
#
#
# def on_the_one_before(model):
#     """Each head's mean weight on the token before: [layer head_index]."""
#     diagonals = patterns_in(model, random_rows).diagonal(-1, dim1=-2, dim2=-1)
#     return diagonals.mean(dim=(1, -1))
#
#
# rows_dice = torch.Generator().manual_seed(0)
# random_rows = torch.randint(1, small.cfg.d_vocab, (32, 100), generator=rows_dice)
# back_weights = on_the_one_before(your_small)
# back_layer, back_head = divmod(back_weights.argmax().item(), small.cfg.n_heads)
# print(f"head {back_layer}.{back_head} gives the token before {back_weights.max():.2f}")
# for name, pairs in quarters.items():
#     still = on_the_one_before(with_still_hands(pairs, [back_layer]))
#     print(f"{name:15} still: {still[back_layer, back_head]:.2f}")

# %% [markdown]
# Head 2.2 gives half of its weight to the one token before it, and with its fast hands stopped an eighth. The slow half
# of the hands makes no difference. So the head needs fast hands for this, as Barbero et al. found of such heads in
# Gemma 7B. (The best such head of the GPT-2 beside it gives 0.21, by the model's card. One run each.)

# %% [markdown]
# ### Is there a sink?
#
# Chapter 4 found a head of the reference model, 5.2, that parks half of its weight at the first position, an *attention
# sink*, whatever token stands there. Is there one in a model that has no positions to add? Take each head's weight on
# the first token, `<|endoftext|>`, a mean over all later positions of the 48 passages. A head that looks everywhere
# alike would have 0.02. Then put ` the` in its place:

# %% tags=["active-ipynb", "folded"]
# # @title Measures the weight on the first token
# def on_the_first(tokens):
#     """Each head's mean weight on the first token: [layer head_index passage]."""
#     parts = [patterns_in(your_small, some)[..., 1:, 0] for some in tokens.split(12)]
#     return torch.cat([part.mean(dim=-1) for part in parts], dim=1).transpose(1, 2)
#
#
# whole_passages = passage_tokens()
# the_first = torch.full_like(whole_passages[:, :1], encode(" the")[0, 1])
# with_the = torch.cat([the_first, whole_passages[:, 1:]], dim=1)
# of_gpt2_beside = torch.tensor(both_runs["gpt2"]["to_the_first"])
# of_small, of_small_the = (
#     on_the_first(tokens).mean(dim=-1) for tokens in (whole_passages, with_the)
# )
# first_head = divmod(of_small.argmax().item(), small.cfg.n_heads)
# print(f"GPT-2 beside it: all heads {of_gpt2_beside.mean():.3f},", end=" ")
# print(f"the most {of_gpt2_beside.max():.2f}")
# print(f"your model: all heads {of_small.mean():.3f},", end=" ")
# print(f"the most {of_small[first_head]:.2f}, head {first_head[0]}.{first_head[1]}")
# print(f"    with the other token: {of_small_the[first_head]:.2f}")

# %% [markdown]
# There is none. The most that a head gives is 0.08, and it gives that to the token and not to the place: ` the` at the
# same place gets next to nothing. The GPT-2 of the same batches has no sink either. The reference model has, after four
# times as many steps. That fits what Gu et al. (2024) report of small Llamas: a sink appears only after enough
# training. Whether this model would grow one, nobody has tried.

# %% [markdown]
# ## Where have the parameters gone?
#
# SmolLM2-135M is about as large as GPT-2 small. Its stream is narrower, 576 numbers instead of 768, and it has 30
# blocks instead of 12. The hidden layers of its MLPs are 1536 wide, 2.7 times the stream; GPT-2's are 4 times as wide
# as its stream. GPT-2 small has 46 % of its parameters in its MLPs.

# %% tags=["active-ipynb"]
# predict(
#     "mlp_share",
#     """What share of SmolLM2-135M's parameters is in its MLPs?
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
#     """How many parameters each part holds; GPT-2's unembed is embed's table."""
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
# With this chapter's parts you have three rows of the table: Llama 2, Llama 3 and Qwen 3. (From Llama 3.1 on,
# rotary positions are also scaled, and yours are not.) OLMo 2 and Gemma 2 need more. OLMo 2 has its norms elsewhere,
# and its QK-norm reads all heads at once. Gemma 2 has four norms in a block and a GELU in its gate; it also multiplies
# the embedding by √d_model, caps its scores and logits by a tanh, and lets every other block see a window only (Gemma
# Team 2024, section 2, and `modeling_gemma2.py` in transformers).

# %% [markdown]
# ## What does each change buy?
#
# You have all the parts. Is the new model better, and which of its parts make it so? Models such as Llama changed
# several at once, and papers answer for their own sizes. Chapter 9's race can answer for ours, in about a
# minute a run. Its text is tiny Shakespeare, its tokens are characters, and its model has four layers, a `d_model` of
# 128 and a context of 64.
#
# The base is **GPT-2's block**, trained by chapter 9's best short recipe: 580 steps of Muon, an optimiser that makes a
# step of a matrix about equally large in nearly all directions. It ends where nanoGPT's own `train.py` ends, at a
# held-out loss of 1.90, in about a third of the time. Each row below makes one change, `all` makes all six, and
# `all but gqa` leaves grouped queries out.
#
# Three things are held equal:
#
# - **parameters**: SwiGLU brings a third matrix and rotary positions do away with a table. Each model's `d_mlp` is
#   chosen so that it has about as many trained parameters as GPT-2's block, 818,000;
# - **steps**, in one half of the table;
# - **processor time**, in the other half. The **pace** says how many times as long as GPT-2's a step takes, and a
#   slower model gets fewer steps.
#
# `utils/race/changes.py` has the parts, in PyTorch's fused operations like those of the base. With all six changes it
# computes what your `ModernTransformer` computes from the same weights.

# %% [markdown]
# **Five seeds a row.** A seed chooses the windows to train on, so each row is compared with GPT-2's block seed by seed.
# A difference is called *shown* if its mean is more than five standard errors from 0. Chance alone would do that in
# about one row of 130. (The start is drawn from the seed too, but from the first MLP on, two models that differ in
# `d_mlp` begin with other numbers.)
#
# The runs are too long for a cell: `python benchmarks/changes.py muon` made them, and
# `python -m utils race --changes --show` prints the table. There `less GPT-2` is a row's loss minus that of GPT-2's
# block, and `sign` counts the seeds on which this difference has the sign of its mean.

# %% tags=["active-ipynb"]
# predict(
#     "buys_most",
#     """Equal parameters, equal steps. Which of these changes alone lowers the loss most?
#     a) RMSNorm for LayerNorm
#     b) rotary positions for the position table
#     c) SwiGLU for the MLP with GELU
#     d) RMSNorm of each query and key""",
#     answer="b",
# )

# %% tags=["active-ipynb"]
# changed_runs = recorded_changes("muon")["rows"]
# print(changes_table(changed_runs))
# gpt2_mean = mean(losses_of(changed_runs, "gpt2", "equal steps"))
# seeds(
#     {name: losses_of(changed_runs, name, "equal steps") for name in changed_runs},
#     "Held-out loss after 580 steps, one dot for each seed",
#     level=gpt2_mean,
#     level_name="GPT-2's block, mean",
# )

# %% tags=["active-ipynb"]
# bought = {
#     name: -against_gpt2(changed_runs, name, "equal steps").difference
#     for name in ("rmsnorm", "rotary", "swiglu", "qknorm")
# }
# see("buys_most", **bought)

# %% [markdown]
# At equal steps, the first half of the table and the figure:
#
# - **Rotary positions** lower the loss by 0.100 ± 0.007 nats, on all five seeds. No other change alone buys as much.
#   Its seeds lie further apart than those of any other single change, from 1.777 to 1.811. A guess at why it helps:
#   with a table, "the character before this one" has to be learned anew for each of 64 positions; the angles have it
#   once for all of them.
# - **SwiGLU** lowers it by 0.030 ± 0.004, on all five seeds too.
# - **RMSNorm**, **no biases** and **grouped queries** show nothing: -0.001 ± 0.003, -0.001 ± 0.003 and 0.000 ± 0.002.
#   RMSNorm and grouped queries were not made for a lower loss: RMSNorm is to save a little work, and grouped queries
#   are to save half of the cache.
# - **QK-norm** alone ends 0.010 ± 0.003 *above* GPT-2's block, on all five seeds, which is not enough for our rule.
#
# One seed would have told another story. On seed 0 the model without biases ends 0.010 *above* GPT-2's block, and on
# seed 1 as far below.

# %% [markdown]
# ### Together
#
# Do the changes add up? The next cell adds the six single differences, seed by seed, and compares the sum with the row
# that has all six. Then it asks what grouped queries do in company: `all` against `all but gqa`.

# %% tags=["active-ipynb"]
# def by_seed_of(name, rows=changed_runs):
#     """What a row's loss is above GPT-2's, for each seed."""
#     losses = torch.tensor(losses_of(rows, name, "equal steps"))
#     return losses - torch.tensor(losses_of(rows, "gpt2", "equal steps"))
#
#
# def told(what, values):
#     """A line with a mean over seeds and its standard error."""
#     error = values.std() / len(values) ** 0.5
#     print(f"{what:42} {values.mean():+.3f} ± {error:.3f}")
#
#
# sum_of_six = torch.stack([by_seed_of(name) for name in CHANGES]).sum(dim=0)
# told("the six differences, added up", sum_of_six)
# told("all six changes in one model", by_seed_of("all"))
# told("more than the sum", by_seed_of("all") - sum_of_six)
# with_groups, without_groups = by_seed_of("all"), by_seed_of("all but gqa")
# told("grouped queries, beside the other five", with_groups - without_groups)

# %% [markdown]
# Nothing says that they must add up. Together the six buy 0.150 ± 0.006 nats, while their single differences sum to
# 0.122 ± 0.016. Five seeds do not show that the two differ: the gap is 0.028 ± 0.012. On seed 0 alone it is
# larger, and would have made a fine story of parts that help each other.
#
# Grouped queries beside the other five cost 0.003 ± 0.001, which is not shown either. They keep half as many keys and
# values for it.

# %% [markdown]
# ### At equal processor time
#
# A lower loss after as many steps is worth less if each step takes longer. Here each model gets the steps that fit
# into GPT-2's time on this track.

# %% tags=["active-ipynb"]
# seeds(
#     {name: losses_of(changed_runs, name, "equal time") for name in changed_runs},
#     "Held-out loss after equal time, one dot for each seed",
#     level=gpt2_mean,
#     level_name="GPT-2's block, mean",
# )

# %% [markdown]
# The paces of single changes are between 0.99 and 1.06, and that of `all` is 1.17. RMSNorm, which is to save time,
# takes more of it here: its pace is 1.04, and at equal time it ends 0.009 ± 0.003 *above* GPT-2's block (on all five
# seeds, but not shown by our rule). On this processor PyTorch computes LayerNorm in one fused operation and RMSNorm in
# several; other processors and GPUs may differ. Zhang and Sennrich 2019 report up to 41 % less running time
# than with LayerNorm, for whole models.
#
# Rotary positions, at a pace of 1.06, keep 0.088 of their 0.100 nats, and SwiGLU, at 1.01, 0.026 of its 0.030. QK-norm,
# at 1.06, now ends 0.027 ± 0.003 above GPT-2's block, which is shown: with Muon, at learning rates
# that were chosen for GPT-2's block, it costs.
#
# The lowest mean is that of `all but gqa`, with `all` close behind. At equal time `all but gqa` ends at 1.770 ± 0.005,
# which is 0.124 ± 0.006 nats below chapter 9's best short recipe, on all five seeds. Alone, two of its five changes do
# nothing that shows, and one costs.

# %% [markdown]
# ### The same rows with AdamW
#
# All these runs had one optimiser. Would another one tell the same story? Here are the same nine rows and five seeds
# with AdamW, at chapter 9's rate of 3e-3 (`python benchmarks/changes.py adamw`). AdamW needs more steps than Muon:
# after 580 steps it has brought GPT-2's block to a held-out loss of 2.10, and Muon to 1.90. The paces were measured
# anew, with AdamW's steps.

# %% tags=["active-ipynb"]
# predict(
#     "with_adamw",
#     """With Muon, at equal steps, SwiGLU alone ended 0.030 nats below GPT-2's block and
#     QK-norm alone 0.010 above it. Which of these two differences will be the same with
#     AdamW, within 0.02 nats?
#     a) both
#     b) SwiGLU's, but not QK-norm's
#     c) QK-norm's, but not SwiGLU's
#     d) neither""",
#     answer="d",
# )

# %% tags=["active-ipynb"]
# adamw_runs = recorded_changes("adamw")["rows"]
# print(changes_table(adamw_runs))

# %% [markdown]
# The next cell compares the two optimisers, seed by seed: what a change makes of the loss with AdamW, minus what it
# makes of it with Muon. Below 0, the change does more for AdamW.

# %% tags=["active-ipynb"]
# gap = {name: by_seed_of(name, adamw_runs) - by_seed_of(name) for name in changed_runs}
# del gap["gpt2"]
# for name, values in gap.items():
#     told(f"{name}, with AdamW rather than Muon", values)
# see(
#     "with_adamw",
#     swiglu=float(gap["swiglu"].mean()),
#     qknorm=float(gap["qknorm"].mean()),
# )

# %% [markdown]
# **What agrees.** Rotary positions buy most again, 0.113 ± 0.004 nats at equal steps. SwiGLU comes second, on all five
# seeds. RMSNorm, no biases and grouped queries show nothing again. The lowest mean is that of `all but gqa`, at equal
# steps and at equal time.
#
# **What does not.** SwiGLU buys 0.074 ± 0.005, more than twice as much as with Muon. QK-norm, which cost
# something with Muon, now ends 0.045 ± 0.009 *below* GPT-2's block, on all five seeds. That alone is just short of our
# rule, but the gap between the two optimisers, 0.055 ± 0.011, is shown, and so is SwiGLU's, 0.045 ± 0.006. Someone who
# had tried QK-norm with one optimiser alone would have reported either a cost or a gain. Why the two differ, these runs
# do not say.
#
# **Optimiser or architecture?** For GPT-2's block, Muon in AdamW's place takes 0.208 nats off the loss. With AdamW, the
# six changes together take 0.207 off. So in these 580 steps they are worth as much as the better optimiser. Both
# together take off 0.359.
#
# Both optimisers have rates that were chosen for GPT-2's block, and 580 steps are few, for AdamW above all: nanoGPT's
# recipe has AdamW run for 2,000. A longer run may sort the rows differently.

# %% [markdown]
# ### Trained at 64, read at 256
#
# A table of positions ends: GPT-2's model has 64 rows, and position 64 is an error. Rotary positions have no last row.
# The angles for position 200 can be computed, and a score depends only on how far apart two positions are. So a model
# that was trained on windows of 64 can be given windows of 256. Does it make use of them?

# %% tags=["active-ipynb"]
# predict(
#     "longer",
#     """The rotary models were trained on windows of 64 characters and now read windows
#     of 256. Compare the mean loss at positions 224 to 254 with that at 32 to 63.
#     a) lower by more than 0.05: there is more to read
#     b) within 0.05: what is further back does not matter
#     c) higher by more than 0.05: what is further back disturbs""",
#     answer="c",
# )

# %% tags=["active-ipynb"]
# def by_stretch(name):
#     """The mean loss in each stretch of 32 positions, a row for each seed."""
#     runs = changed_runs[name]["equal steps"]["runs"]
#     return torch.tensor([run["by_position"] for run in runs])
#
#
# read_longer = {
#     name: by_stretch(name) for name in ("gpt2", "rotary", "all but gqa", "all")
# }
# # The last position of a window predicts nothing.
# stretches = [f"{first} to {min(first + 31, 254)}" for first in range(0, 256, 32)]
# print(f"{'positions':12}", *(f"{name:>11}" for name in read_longer))
# for place, stretch in enumerate(stretches):
#     means = [
#         f"{losses[:, place].mean():11.3f}" if place < losses.shape[1] else " " * 11
#         for losses in read_longer.values()
#     ]
#     print(f"{stretch:12}", *means)
# lines(
#     {
#         name: F.pad(losses, (0, len(stretches) - losses.shape[1]), value=math.nan)
#         for name, losses in read_longer.items()
#     },
#     [f"{name}, seed {seed}" for name in read_longer for seed in range(5)],
#     stretches,
#     "Held-out loss by position, trained on windows of 64",
#     y_title="loss (nats)",
#     x_title="position in the window",
# )

# %% tags=["active-ipynb"]
# at_position = read_longer["rotary"].mean(dim=0).tolist()
# see("longer", at_32_to_63=at_position[1], at_224_to_254=at_position[-1])

# %% [markdown]
# Up to position 63 each model does better where it has read more, GPT-2's too (its lines end there). Beyond it the
# rotary models go on without an error, and get worse: `rotary` has a mean loss of 1.77 at positions 32 to 63, of 1.83
# just beyond, of 2.32 at 96 to 127, and of 3.05 at the end. From 96 on, every seed is far above its loss at the
# positions it was trained on. Chapter 9's table of counts, which reads one character, pays 2.48.
#
# With all six changes, or with all but grouped queries, the loss rises too, but less in each stretch: to 1.74 and 1.73
# just beyond, to 2.38 and 2.21 at the end. Which of the changes does that, these runs do not say.
#
# What disturbs a rotary model is the text further back, and nothing else. Scores depend on distances alone, so the same
# model, given only the last 64 characters, would guess as well as it does at position 63.
#
# **"No last row" is not "works at any length".** The angles exist, but training never showed the model two characters
# more than 63 apart. Press et al. 2022 (Figure 1) found the same in larger models: rotary positions carry a little
# beyond the trained length, and then the loss rises.
#
# What others do: **position interpolation** (Chen et al. 2023) divides the positions, so that a long window falls into
# the trained range, and trains on for a short while. NTK-aware scaling and **YaRN** (Peng et al. 2023) slow down mainly
# the slow pairs, and leave the fast ones, which tell neighbours apart, nearly as they are.

# %% [markdown]
# ### One change, by you
#
# `changed` puts other parts into your own `Transformer` of chapter 7, by name. The next cell trains it twice, a smaller
# model and 150 steps, without a change and with one. Put other names from the table into the last line: several of
# the six with commas, or `all`.

# %% tags=["active-ipynb", "nbval-ignore-output"]
# your_gpt2, your_batch, your_loss, YourAdamW = pieces(
#     "Transformer", "get_batch", "lm_loss", "AdamW"
# )
# race_track = nanogpts_track()
# half_size = replace(race_track.cfg, d_model=64, d_mlp=256, d_head=16, n_ctx=32)
#
#
# def trained_with(names, steps=150):
#     """The held-out loss on a tenth of the held-out text."""
#     model = changed(your_gpt2, half_size, names, seed=0)
#     optimiser = YourAdamW(model.parameters(), 3e-3, (0.9, 0.99), 1e-8, 0.1)
#     dice = torch.Generator().manual_seed(0)
#     for _ in waiting(range(steps), names):
#         optimiser.zero_grad()
#         batch = your_batch(race_track.data, half_size.n_ctx, 12, dice)
#         your_loss(model, batch).backward()
#         optimiser.step()
#     return whole_loss(model, race_track.held_out[:11000], half_size.n_ctx)
#
#
# for names in ("none", "rotary"):
#     print(f"{names:10} {trained_with(names):.3f}")

# %% [markdown]
# With one seed and a short run, only a large difference says something. The race in a terminal takes the same names,
# with as many seconds of your processor as nanoGPT's recipe would take, and keeps the run:
#
# ```text
# python -m utils race --changes none --optimiser muon
# python -m utils race --changes rotary,swiglu --optimiser muon
# python -m utils race --changes all --optimiser muon
# ```
#
# In a recipe's file it is one more key: `"changes": "rotary,rmsnorm"`. Compare with `none`, which is GPT-2's block in
# the same fused operations. A model with changes is no GPT-2, so `python -m my_gpt` can't read it.

# %% [markdown]
# ### Against nanoGPT, once more
#
# Chapter 9 got to where nanoGPT's `train.py` ends in 0.35 to 0.39 times its processor time. With the five changes of
# `all but gqa`, the same optimiser and rates, fewer steps do
# (`python benchmarks/training.py --nanogpt nanoGPT --short`):
#
# | | steps | seconds | of nanoGPT's time | held-out loss, seeds 0 to 2 |
# |---|---|---|---|---|
# | nanoGPT's `train.py` | 2,000 | 106.1 | 1 | 1.898 |
# | `all but gqa`, Muon | 320 | 24.4 to 24.7 | 0.23 | 1.881, 1.886, 1.868 |
#
# How many steps are enough was chosen on seed 0 alone, by the loss on this same held-out text: of 260, 280, 300 and 320
# the fewest that end there at least 0.01 nats below nanoGPT (1.926, 1.909, 1.894 and 1.881). Seeds 1 and 2
# had no say in it. nanoGPT's recipe stays as its README gives it.

# %% [markdown]
# ### What papers report, at their sizes
#
# - **RMSNorm**: about as good as LayerNorm, in less time (Zhang and Sennrich 2019, abstract). Final loss 1.821,
#   and 1.838 for the baseline (Narang et al. 2021, Table 1).
# - **SwiGLU**: log-perplexity 1.636, with GELU 1.679, at equal parameters (Shazeer 2020, Table 1). Final loss 1.789
#   against the same 1.838 (Narang et al. 2021, Table 1).
# - **Rotary positions**: the loss falls faster than with BERT's position table (Su et al. 2021, Figure 3).
# - **No biases**: "increased training stability for large models" (Chowdhery et al. 2022, PaLM, section 2), without a
#   number.
# - **Grouped queries**: an average score of 47.1, with all heads 47.2; 0.28 seconds a sample in place of 1.51 (Ainslie
#   et al. 2023, Table 1).
# - **QK-norm**: learning rates that are too high do less harm (Wortsman et al. 2023, section 3.1).
#
# Narang et al. tried many variants in one code base and found that most "do not meaningfully improve performance";
# RMSNorm and gates in the MLP are among the few that did. The report on LLaMA (Touvron et al. 2023, section 2.2) says
# where it took RMSNorm, SwiGLU and rotary positions from, and measures none of them.

# %% [markdown]
# **What our table does not show.** It comes from one text of a million characters, models of 0.8 million parameters and
# less than a minute of training. Effects that need size, length or many steps can't appear. QK-norm and missing biases
# are said to keep large models steady; whether a small one needs that was not asked.
#
# The learning rates, the width of the start and the warm-up were chosen for GPT-2's block, on seed 0 and on this
# held-out text (chapter 9). That favours the row `gpt2`, if anything: the best rates for a changed model may be others,
# and nobody looked for them. So what QK-norm costs with Muon, it costs *at these rates*.
#
# **What it means for real models.** Llama's block is a bundle of changes, and many later models have taken it over
# whole. Here rotary positions and the gate bought something alone, and RMSNorm and missing biases nothing that five
# seeds could show. QK-norm alone cost something at equal time with Muon, and with AdamW it ended below GPT-2's block.
# If you build a small model, measure on your own track, with your own optimiser, with seeds and equal time, before you
# copy the bundle.

# %% [markdown]
# ## Check your understanding
#
# **1.** You add 5 to every number of a vector. Which of LayerNorm and RMSNorm gives the same as before? And if you
# multiply every number by 5?
#
# <details><summary>Answer</summary>
#
# Adding 5: only LayerNorm, which takes the mean away. Multiplying by 5: both, apart from eps. RMSNorm keeps the half
# that is about length, and drops the half that is about the mean.
#
# </details>
#
# **2.** A model runs in float16, whose largest number is 65,504. One number of a vector is 300. What does an RMSNorm
# give that computes in float16?
#
# <details><summary>Answer</summary>
#
# Zeros. The square, 90,000, becomes infinite, and so does the mean; whatever is divided by it is 0. No error is raised.
# For this reason the squares are computed in float32, whatever comes in.
#
# </details>
#
# **3.** A text is moved: all its positions are 1000 higher. Which activations of GPT-2 change, and which of a rotary
# model?
#
# <details><summary>Answer</summary>
#
# In GPT-2 nearly all: other rows of the table go into the stream (and beyond row 1023 there are none). In a rotary
# model queries and keys are turned further, but both by as much, so that the scores, and all that follows, are the same
# but for rounding.
#
# </details>
#
# **4.** Why are queries and keys turned, and values not?
#
# <details><summary>Answer</summary>
#
# A query meets a key in a product, and there only the difference of the two turns is left. A value meets nothing that
# would turn it back: what a head writes would depend on the position that it was read at, counted from the beginning.
#
# </details>
#
# **5.** You load Llama's weights as Meta published them into your model. All shapes fit, and it writes nonsense. In the
# first block its scores are right where query and key are at the same position, and wrong elsewhere. What has happened?
#
# <details><summary>Answer</summary>
#
# The pairs. Meta's code turns neighbours, numbers 0 and 1, 2 and 3; yours turns number i with number i + d_head/2. At
# the same position query and key are turned alike, and then their product stays what it was, whichever pairs are
# turned. The cure is to reorder the columns of `W_Q` and `W_K` once, as the script of `transformers` that converts
# Llama's weights does (`permute`).
#
# </details>
#
# **6.** Chapter 4 found that `b_K`, the bias of the keys, changes nothing in GPT-2. Would it change something in a
# rotary model?
#
# <details><summary>Answer</summary>
#
# Yes. Without a turn the bias adds the same to all scores of a query, and softmax does not see it. But a bias that is
# added before the turn is turned with its key: what it adds to a score depends on the distance. Qwen 2.5 has such
# biases, on queries, keys and values.
#
# </details>
#
# **7.** A SwiGLU has three matrices where GPT-2's MLP has two. How wide may it be, so that both have as many weights?
# Check it with SmolLM2's sizes.
#
# <details><summary>Answer</summary>
#
# 3 · d_model · d_mlp = 2 · d_model · 4 d_model, so d_mlp = 8/3 d_model. For 576 that is 1536, which is SmolLM2's. (Not
# all do so: Llama 3 8B has 14,336 for 4096, that is 3.5 times as many.)
#
# </details>
#
# **8.** "The gate says, between 0 and 1, how much is let through." True of SwiGLU?
#
# <details><summary>Answer</summary>
#
# No. That is a gate with a sigmoid, as in Dauphin's GLU. SiLU is x times a sigmoid: it gives 4.97 for 5, so that a
# number may be made larger, and −0.27 for −1, so that its sign may be turned.
#
# </details>
#
# **9.** With 9 heads of queries and 3 of keys, somebody writes `k.repeat(1, 1, 3, 1)` in place of
# `k.repeat_interleave(3, dim=2)`. Which keys does head 5 of the queries read? For which heads is it right all the same?
#
# <details><summary>Answer</summary>
#
# Head 5 % 3 = 2 of the keys, where 5 // 3 = 1 would be due. Right by luck are heads 0, 4 and 8. A model that you train
# yourself does not mind: it learns with whatever heads it has. Weights of somebody else's model do.
#
# </details>
#
# **10.** How many bytes does SmolLM2-135M's cache take for 8192 tokens, with 2 bytes a number? How many would it take
# with 9 heads of keys and values? And what do grouped queries *not* save?
#
# <details><summary>Answer</summary>
#
# A token: 2 (keys and values) · 30 blocks · 3 heads · 64 numbers · 2 bytes = 23,040 bytes. 8192 of them are 189 MB, and
# with 9 heads it would be 566 MB. The scores are not fewer: there is still one for each query head and each pair of
# positions.
#
# </details>
#
# **11.** A model has neither a table of positions nor rotary ones. Is a text a bag of words to it?
#
# <details><summary>Answer</summary>
#
# No, because of the causal mask: the first position sees one token, the tenth sees ten, and from that a model can learn
# where it is. Haviv et al. (2022) trained such models, which did nearly as well. But with *one* block the last
# position can't tell in which order those before it came.
#
# </details>
#
# **12.** You train GPT-2 and a changed model once each. The changed one ends 0.02 nats lower. Name three questions to
# ask before you call it better.
#
# <details><summary>Answer</summary>
#
# How far apart do several seeds of *one* of the two end? Have both as many parameters, and did both get as many
# seconds, or only as many steps? And was the learning rate chosen for one of the two? (Chapter 9.)
#
# </details>

# %% [markdown]
# <details><summary><b>I get this error</b></summary>
#
# - **`NameError: name 'rotary_tables' is not defined`**, or another name: a cell further up has not run since the
#   kernel started. In the menu: Run > Run All Above Selected Cell.
# - **`NotImplementedError: rotary_tables: write this part`**: the part exists and is still a stub.
# - **`'ModernConfig' object has no attribute 'layer_norm_eps'`**: it is `rms_norm_eps` here. HuggingFace's names are
#   others: `num_key_value_heads` is `n_kv_heads`, `intermediate_size` is `d_mlp`, `rope_theta` is `rotary_base`.
# - **`The size of tensor a (9) must match the size of tensor b (3)`**, or `einsum(): subscript h has size 3 for operand
#   1 which does not broadcast with previously seen size 9`: nine heads of queries meet three of keys. Repeat each head
#   of keys and values for its group first.
# - **`Number of heads in key and value must divide the number of heads in ...`**: `scaled_dot_product_attention` with
#   `enable_gqa=True` wants the heads on axis 1: [batch head_index pos d_head].
# - **`The size of tensor a (9) must match the size of tensor b (5) at non-singleton dimension 2`**: the tables are [pos
#   pair], and what is turned has an axis of heads between the two. Give them one, `cos[:, None]`. (Where there happen
#   to be as many heads as positions there is no error, and each *head* is turned by its number.)
# - **`The size of tensor a (4) must match the size of tensor b (2) at non-singleton dimension 3`**: a head has `d_head`
#   numbers and the tables half as many. Turn the two halves one by one, or write the tables twice, side by side.
# - **`index 9 is out of bounds for dimension 0 with size 9`**: a position that the tables don't have: the text is
#   longer than `n_ctx`.
# - **`Tensor must have a last dimension of size 2`**: `view_as_complex` takes pairs on an axis of their own, and with
#   halves the two of a pair are no neighbours: stack the halves on a new last axis first.
# - **`rms_norm(): argument 'normalized_shape' (position 2) must be tuple of ints, not int`**: `(cfg.d_model,)`.
# - **`Missing key(s) in state_dict: "W_U"`**, or `Unexpected key(s)`: one of the two models is tied and the other is
#   not. `"blocks.0.attn.cos"` among the unexpected keys: the tables were saved with the weights; `persistent=False`
#   leaves them out.
# - **A loss of `nan` from the first step on**: a position whose keys are all hidden. With a cache the first new query
#   is at position `n_all - n_new`, so its row of the mask begins further right.
#
# </details>

# %% [markdown]
# ## Where to read more
#
# - Zhang and Sennrich 2019, *Root Mean Square Layer Normalization*,
#   [arXiv:1910.07467](https://arxiv.org/abs/1910.07467): LayerNorm without the mean, and how much time that saves.
# - Su et al. 2021, *RoFormer: Enhanced Transformer with Rotary Position Embedding*,
#   [arXiv:2104.09864](https://arxiv.org/abs/2104.09864): section 3.2 derives the turn from what a score should depend
#   on.
# - Shazeer 2020, *GLU Variants Improve Transformer*, [arXiv:2002.05202](https://arxiv.org/abs/2002.05202): short, and
#   the last sentence of its conclusion is often quoted.
# - Shazeer 2019, *Fast Transformer Decoding: One Write-Head is All You Need*,
#   [arXiv:1911.02150](https://arxiv.org/abs/1911.02150): all heads of queries share one head of keys and values.
#   Ainslie et al. 2023, *GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints*,
#   [arXiv:2305.13245](https://arxiv.org/abs/2305.13245): groups, between that and one each.
# - Henry et al. 2020, *Query-Key Normalization for Transformers*, [arXiv:2010.04245](https://arxiv.org/abs/2010.04245):
#   the idea. Dehghani et al. 2023, *Scaling Vision Transformers to 22 Billion Parameters*,
#   [arXiv:2302.05442](https://arxiv.org/abs/2302.05442): training that fails without it, in a large model.
# - Narang et al. 2021, *Do Transformer Modifications Transfer Across Implementations and Applications?*,
#   [arXiv:2102.11972](https://arxiv.org/abs/2102.11972): many changes, one code, and most of them gain nothing.
# - Press et al. 2022, *Train Short, Test Long*, [arXiv:2108.12409](https://arxiv.org/abs/2108.12409), and Peng et al.
#   2023, *YaRN*, [arXiv:2309.00071](https://arxiv.org/abs/2309.00071): texts longer than those of the training.
# - Wortsman et al. 2023, *Small-scale Proxies for Large-scale Transformer Training Instabilities*,
#   [arXiv:2309.14322](https://arxiv.org/abs/2309.14322): what goes wrong in large models, in small ones, on purpose.
# - Sun et al. 2024, *Massive Activations in Large Language Models*,
#   [arXiv:2402.17762](https://arxiv.org/abs/2402.17762): single numbers in the thousands.
#
# <details><summary>The models</summary>
#
# - Radford et al. 2019, *Language Models are Unsupervised Multitask Learners*: GPT-2, its data in section 2.1 and its
#   block in section 2.3.
# - Chowdhery et al. 2022, *PaLM: Scaling Language Modeling with Pathways*,
#   [arXiv:2204.02311](https://arxiv.org/abs/2204.02311): section 2 has SwiGLU, rotary positions, shared keys and no
#   biases in one model, before Llama.
# - Touvron et al. 2023, *LLaMA: Open and Efficient Foundation Language Models*,
#   [arXiv:2302.13971](https://arxiv.org/abs/2302.13971): section 2.2, the recipe that most others follow. Touvron et
#   al. 2023, *Llama 2: Open Foundation and Fine-Tuned Chat Models*,
#   [arXiv:2307.09288](https://arxiv.org/abs/2307.09288): section 2.2, with groups in the largest ones.
# - Grattafiori et al. 2024, *The Llama 3 Herd of Models*, [arXiv:2407.21783](https://arxiv.org/abs/2407.21783): section
#   3.2, grouped queries and a larger rotary base.
# - OLMo team 2024, *2 OLMo 2 Furious*, [arXiv:2501.00656](https://arxiv.org/abs/2501.00656): norms after the sublayers
#   and QK-norm, with curves of what happens without.
# - Gemma Team 2024, *Gemma 2: Improving Open Language Models at a Practical Size*,
#   [arXiv:2408.00118](https://arxiv.org/abs/2408.00118): section 2, a norm on each side of a sublayer.
# - Allal et al. 2025, *SmolLM2: When Smol Goes Big – Data-Centric Training of a Small Language Model*,
#   [arXiv:2502.02737](https://arxiv.org/abs/2502.02737): how the data was chosen; the small models come towards the
#   end.
# - Yang et al. 2025, *Qwen3 Technical Report*, [arXiv:2505.09388](https://arxiv.org/abs/2505.09388): section 2, QK-norm
#   in, biases out.
# - Haviv et al. 2022, *Transformer Language Models without Positional Encodings Still Learn Positional Information*,
#   [arXiv:2203.16634](https://arxiv.org/abs/2203.16634): what the causal mask alone tells.
# - huggingface/transformers, `models/llama/modeling_llama.py`, `models/qwen3/modeling_qwen3.py` and
#   `models/olmo2/modeling_olmo2.py`: the same file three times, with small differences.
#
# </details>
#
# <details><summary>Longer texts, large numbers, and time</summary>
#
# - Barbero et al. 2024, *Round and Round We Go! What makes Rotary Positional Encodings useful?*,
#   [arXiv:2410.06205](https://arxiv.org/abs/2410.06205): what fast and slow hands do in a trained model.
# - Gu et al. 2024, *When Attention Sink Emerges in Language Models: An Empirical View*,
#   [arXiv:2410.10781](https://arxiv.org/abs/2410.10781): sinks, in small Llamas trained for the purpose.
# - Press et al. 2022, *Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation*,
#   [arXiv:2108.12409](https://arxiv.org/abs/2108.12409): longer texts than in training, by four kinds of positions.
# - Chen et al. 2023, *Extending Context Window of Large Language Models via Positional Interpolation*,
#   [arXiv:2306.15595](https://arxiv.org/abs/2306.15595), and Peng et al. 2023, *YaRN: Efficient Context Window
#   Extension of Large Language Models*, [arXiv:2309.00071](https://arxiv.org/abs/2309.00071): turning more slowly.
# - Sun et al. 2024, *Massive Activations in Large Language Models*,
#   [arXiv:2402.17762](https://arxiv.org/abs/2402.17762): the few huge numbers in a stream, and what they are for.
# - Wortsman et al. 2023, *Small-scale proxies for large-scale Transformer training instabilities*,
#   [arXiv:2309.14322](https://arxiv.org/abs/2309.14322): scores that grow, in small models at high rates.
# - Ivanov et al. 2021, *Data Movement Is All You Need: A Case Study on Optimizing Transformers*,
#   [arXiv:2007.00072](https://arxiv.org/abs/2007.00072): where the time of a layer goes.
# - Dauphin et al. 2017, *Language Modeling with Gated Convolutional Networks*,
#   [arXiv:1612.08083](https://arxiv.org/abs/1612.08083): the gate with a sigmoid, before Transformers.
#
# </details>
