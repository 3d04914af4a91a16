"""Chapter 5: gelu_new and MLP. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 5 · The MLP: what each position does with what it has read
#
# You will write `gelu_new`, the bend in GPT-2's MLP, and `MLP`, the sublayer that holds most of a block's numbers. Then
# a small GPT-2 runs on your MLPs, and you look inside: which tokens move a neuron, what does it write, and how many
# neurons does a token need?
#
# About 80 minutes, 20 of them for the two exercises. Afterwards you can
#
# - say what an MLP can compute that no single matrix can;
# - tell GPT-2's GELU from the exact one, though the loss can't;
# - read a neuron's key and value, and test whether the name that you give it holds.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError(
#         "This kernel does not have the course. In Colab, run the cell above this one; "
#         "elsewhere, in the course's folder: make lab"
#     ) from None
#
# start("ch05_mlp")

# %%
import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from utils.config import Config

# %% tags=["active-ipynb", "folded"]
# # @title Imports what the chapter needs, its tests included
# from functools import lru_cache
#
# from tests.ch05_mlp import test_gelu_new, test_mlp
# from tests.predictions.ch05_mlp import predict, see
# from utils.controls import explore, number, slider, text_box
# from utils.model_map import model_map
# from utils.passages import OverPassages, passage_tokens, sources
# from utils.plotting import lines
# from utils.plotting.neurons import coloured_text, curves, ranking
# from utils.plotting.stream import grouped_bars
# from utils.reference import encode, reference, str_tokens
# from utils.texts import typed, wrapped
# from utils.transplant import TALE, given_to, logits_with, tell, with_weights
# from utils.waiting import waiting

# %% tags=["active-ipynb"]
# model_map("mlp")

# %% [markdown]
# This is the map of the model; orange marks this chapter. Text comes in as **tokens**, words or pieces of words
# (chapter 0). At each position the model keeps one vector of `d_model` numbers, the **residual stream** (chapter 1),
# which runs through the **blocks**.
#
# In each block attention carries information from earlier positions to later ones (chapter 4). Then the **MLP**
# (multi-layer perceptron) reads the stream through a LayerNorm, `ln2` (chapter 3), and adds its output. At the end the
# model gives **logits**, one score for each token of the vocabulary.
#
# Our **reference model** is a small GPT-2 of six blocks, trained for this course on children's books (and, to teach it
# copying, on made-up rows in which phrases repeat).
#
# ## Most of a block
#
# Attention is the famous part, so one might expect it to have most of the parameters. Count them from the sizes, for
# GPT-2 small and for GPT-3, which has the same parts.

# %% tags=["active-ipynb"]
# def count_mlps(name, cfg):
#     """Print how many of a GPT's parameters are in its MLPs."""
#     attention_numbers = 4 * cfg.d_model**2 + 4 * cfg.d_model
#     mlp_numbers = 2 * cfg.d_model * cfg.d_mlp + cfg.d_mlp + cfg.d_model
#     norm_numbers = 2 * 2 * cfg.d_model
#     in_block = attention_numbers + mlp_numbers + norm_numbers
#     in_tables = (cfg.d_vocab + cfg.n_ctx) * cfg.d_model
#     in_mlps = cfg.n_layers * mlp_numbers
#     in_all = cfg.n_layers * in_block + in_tables + 2 * cfg.d_model
#     print(f"{name:12} of a block {mlp_numbers / in_block:.1%}", end=", ")
#     print(f"of all {in_all:,} parameters {in_mlps / in_all:.1%}")
#
#
# count_mlps("GPT-2 small:", Config())
# gpt3_sizes = {"d_model": 12288, "d_mlp": 49152, "n_layers": 96, "n_ctx": 2048}
# count_mlps("GPT-3:", Config(**gpt3_sizes, n_heads=96, d_head=128))

# %% [markdown]
# Two thirds of a *block* are MLP. Of GPT-2 small as a whole the MLPs are less than half, because the tables of tokens
# and positions count too; beside GPT-3's many wide blocks these tables hardly matter. What are all these numbers for?
#
# ## A question that no matrix can answer
#
# Two signals in the stream are each on (1) or off (0), and a sublayer has to answer: *is exactly one of them on?* Let a
# single linear layer try, two weights and a bias, chosen by least squares.

# %% tags=["active-ipynb"]
# two_signals = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
# exactly_one = torch.tensor([0.0, 1.0, 1.0, 0.0])
# with_ones = torch.cat([two_signals, torch.ones(4, 1)], dim=1)
# best_weights = torch.linalg.lstsq(with_ones, exactly_one[:, None]).solution[:, 0]
# best_guess = with_ones @ best_weights
# for signals, right, guess in zip(two_signals, exactly_one, best_guess, strict=True):
#     print(f"signals {signals.int().tolist()}  right answer {right:.0f}", end="  ")
#     print(f"best linear layer {guess:.1f}")

# %% [markdown]
# It answers ½ every time, because what it adds for one signal does not depend on the other. Adding a second layer would
# not help by itself, even with a thousand numbers in between, because two matrices in a row amount to one matrix, their
# product:

# %% tags=["active-ipynb"]
# matrix_generator = torch.Generator().manual_seed(0)
# first_matrix = torch.randn(2, 1000, generator=matrix_generator)
# second_matrix = torch.randn(1000, 2, generator=matrix_generator)
# in_two_steps = (two_signals @ first_matrix) @ second_matrix
# in_one_step = two_signals @ (first_matrix @ second_matrix)
# same = torch.allclose(in_two_steps, in_one_step, atol=1e-3)
# print("two steps and one give the same:", same)

# %% [markdown]
# Now put a *bend* between the two layers: keep the numbers in between where they are positive, and put 0 where they are
# negative. (That is ReLU, "rectified linear unit".) Two such numbers are enough:

# %% tags=["active-ipynb"]
# def hard_bend(x):
#     return x.clamp(min=0)
#
#
# any_on = hard_bend(two_signals[:, 0] + two_signals[:, 1])
# both_on = hard_bend(two_signals[:, 0] + two_signals[:, 1] - 1)
# for signals, answer in zip(two_signals, any_on - 2 * both_on, strict=True):
#     print(f"signals {signals.int().tolist()}  with a bend {answer:.0f}")

# %% [markdown]
# That is an MLP: a layer, a bend, a layer. Each number in between, such as `both_on`, is a **neuron**. With ReLU it is
# **on** where what it reads is above a threshold (1 for `both_on`), and **off** elsewhere.
#
# We chose these weights ourselves. Would training find them? Train 20 small MLPs on the four rows, each from other
# random weights, for four bends: none, ReLU, a *leaky* ReLU that lets a tenth of each negative number pass, and GELU, a
# softer bend that comes next. A run counts if all four answers are right to within a tenth.

# %% tags=["active-ipynb"]
# predict(
#     "relu_by_training",
#     """Two neurons are enough, as you have seen. In how many of the 20 runs will
#     training with ReLU and two neurons find weights that answer right?
#     a) in at most 7
#     b) in 8 to 14
#     c) in 15 or more""",
#     answer="a",
# )

# %% tags=["active-ipynb", "folded", "nbval-ignore-output"]
# # @title Trains 20 MLPs at once, for each bend and number of neurons
# def trained_right(bend, neurons, runs=20):
#     """How many of these MLPs are right after 500 steps of Adam."""
#     xor_dice = torch.Generator().manual_seed(0)
#     sizes = [(2, neurons), (1, neurons), (neurons, 1), (1, 1)]
#     parameters = []
#     for (rows, columns), reads in zip(sizes, (2, 2, neurons, neurons), strict=True):
#         uniform = torch.rand(runs, rows, columns, generator=xor_dice) * 2 - 1
#         parameters.append(nn.Parameter(uniform / reads**0.5))
#     first_layer, first_bias, second_layer, second_bias = parameters
#     optimiser = torch.optim.Adam(parameters, lr=0.03)
#     for _ in range(500):
#         between = bend(two_signals @ first_layer + first_bias)
#         errors = (between @ second_layer + second_bias)[..., 0] - exactly_one
#         optimiser.zero_grad()
#         errors.pow(2).mean(dim=-1).sum().backward()
#         optimiser.step()
#     return int((errors.abs() < 0.1).all(dim=-1).sum())
#
#
# bends_to_train = {
#     "no bend": lambda x: x,
#     "ReLU": hard_bend,
#     "leaky ReLU": lambda x: nn.functional.leaky_relu(x, 0.1),
#     "GELU": nn.functional.gelu,
# }
# xor_widths = (2, 3, 4, 8, 16)
# print("neurons:  ", *(f"{width:3}" for width in xor_widths))
# runs_right = {}
# for label, bend in waiting(bends_to_train.items(), "training 400 MLPs"):
#     runs_right[label] = [trained_right(bend, width) for width in xor_widths]
#     print(f"{label:10}", *(f"{right:3}" for right in runs_right[label]), " of 20")

# %% tags=["active-ipynb", "nbval-ignore-output"]
# see("relu_by_training", with_two_neurons=runs_right["ReLU"][0])

# %% [markdown]
# Weights that exist need not be found. With many more neurons than it needs, ReLU succeeds nearly always: an answer is
# easier to *find* when there is room to spare, which may be one reason for wide MLPs.
#
# With GELU two neurons are enough in all 20 runs. (Of 600 other starts nearly all succeeded with GELU, half with the
# leaky ReLU, a sixth with ReLU: measured when the course was made.) One reason may be that a ReLU neuron that is off in
# all four rows has no slope and learns nothing, while GELU has a slope there. But the leaky ReLU has one too, so the
# slope can explain only part of it.
#
# **What this does not show**: that GELU makes better GPTs.
#
# GPT-2's MLP has the same two layers, and `d_mlp` neurons, four times `d_model`. (In the reference model that is 768 in
# each of the six blocks, 4608 in all.) Its bend is GELU.
#
# <details><summary>Why four times?</summary>
#
# The number was inherited. Vaswani et al. (2017) use 2048 neurons for 512 dimensions and give no reason; GPT and GPT-2
# kept the ratio. It need not be 4. Kaplan et al. (2020) find that the loss depends only weakly on it as long as the
# number of parameters stays the same. The largest T5 (Raffel et al. 2020) has 64 neurons for each dimension, because
# its chips are most efficient at large matrix products.
#
# </details>
#
# ## The bend: GELU
#
# Think of ReLU as a gate: x times 1 for positive x, x times 0 for negative x. **GELU** (Gaussian error linear unit)
# opens the gate gradually. It is x times Φ(x), the share of the normal distribution that lies below x: close to nothing
# for very negative x, a half at 0, and close to 1 for large x.
#
# GPT-2 does not compute Φ. It uses a formula that comes close, from the same paper (Hendrycks and Gimpel 2016):
#
# $$\text{gelu\_new}(x) = 0.5 \, x \, \Big(1 + \tanh\big(\sqrt{2/\pi} \, (x + 0.044715 \, x^3)\big)\Big)$$
#
# tanh runs from −1 to 1, so 0.5 · (1 + tanh) runs from 0 to 1: the gate. Step by step, for five numbers:

# %% tags=["active-ipynb"]
# print("    x  x + 0.044715 x³  times √(2/π)  the gate  x times the gate")
# for by_hand_x in (-2.0, -1.0, 0.0, 1.0, 2.0):
#     by_hand_sum = by_hand_x + 0.044715 * by_hand_x**3
#     by_hand_scaled = math.sqrt(2 / math.pi) * by_hand_sum
#     by_hand_gate = 0.5 * (1 + math.tanh(by_hand_scaled))
#     by_hand_answer = by_hand_x * by_hand_gate
#     print(f"{by_hand_x:5} {by_hand_sum:16.4f} {by_hand_scaled:13.4f}", end=" ")
#     print(f"{by_hand_gate:9.4f} {by_hand_answer:17.4f}")

# %% tags=["active-ipynb"]
# some_numbers = torch.arange(-80, 81) / 20  # from −4 to 4
# exact = some_numbers * 0.5 * (1 + torch.erf(some_numbers / math.sqrt(2)))
# lowest = some_numbers[exact.argmin()]
# print(f"GELU is lowest at x = {lowest:.2f}, where it is {exact.min():.2f}")
# two_bends = {"ReLU": hard_bend(some_numbers), "GELU": exact}
# curves(some_numbers, two_bends, "A hard bend and a soft one", y_title="what passes")

# %% [markdown]
# GELU (blue, dashed) follows ReLU (orange) far from 0. In between it dips below 0, lowest at x = −0.75. (Put −0.75 in
# the list of the step-by-step cell above, and run it again.)
#
# **What it is not.** It is not a sharp cut: a slightly negative number still passes in part, with its sign. It has no
# upper bound: 50 stays 50. And it handles each number alone.
#
# ## The exact form, and GPT-2's
#
# Φ can be computed exactly, with the error function erf, and that is what `torch.nn.functional.gelu` does unless told
# otherwise. How far apart are the exact form and GPT-2's?

# %% tags=["active-ipynb"]
# precise = some_numbers.double()
# tanh_values = nn.functional.gelu(precise, approximate="tanh")
# forms_apart = {"tanh form − exact": tanh_values - nn.functional.gelu(precise)}
# furthest = forms_apart["tanh form − exact"].abs().max(dim=0)
# where = abs(some_numbers[furthest.indices])
# print(f"at most {furthest.values:.5f} apart, at x = {where:.1f} and its negative")
# tanh_title = "The tanh form minus the exact GELU"
# curves(some_numbers, forms_apart, tanh_title, y_title="difference")

# %% [markdown]
# They are never further apart than half a thousandth. So why does GPT-2 have the tanh form? Hendrycks, GELU's first
# author, was asked in 2020: "I used the tanh approximation simply because the error function erf was slow in tensorflow
# some years ago" (PyTorch's issue 39853, below). It is an accident of history, kept wherever GPT-2's own numbers are
# wanted.
#
# A model trained with one form also runs with the other, and its loss won't tell you (you will measure that below). So
# the test asks for six digits. Hugging Face and TransformerLens call the tanh form `gelu_new`, and so do we.

# %% [markdown] exercise="gelu_new" difficulty=1 importance=3 minutes=8
# ## Exercise: write `gelu_new`
#
# **What goes in?** `x`: a tensor of any shape.
#
# **What comes out?** A new tensor of the same shape: each number times its gate, by the tanh formula above. `x` itself
# stays as it was, and gradients reach it. Very large numbers such as ±10,000 stay finite. float32 gives float32,
# however you compute.
#
# **Before you code**: `math.tanh` or `torch.tanh`? `math.sqrt` or `torch.sqrt`?
#
# <details><summary>Answer</summary>
#
# The functions of `math` take one plain number, those of `torch` a tensor. `x` is a tensor, so `torch.tanh`. 2/π is a
# plain number, so `math.sqrt`.
#
# </details>


# %%
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """GPT-2's GELU: the tanh approximation, not the exact form.

    Source: openai/gpt-2 src/model.py, gelu(); Hendrycks and Gimpel 2016, section 2.
    """
    # BEGIN SOLUTION
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    # END SOLUTION


# %% [markdown] hint="idea"
# The formula is written for one number, but it works for a whole tensor as it is: `+`, `*` and `**` go number by
# number, and so does `torch.tanh`.
#
# Work from the inside out, as in the example by hand. Mind where the brackets of the tanh close.

# %% [markdown] hint="pseudocode"
# ```text
# total = x + 0.044715 times x cubed
# gate  = half of (1 + tanh of (the root of 2/π, times total))
# return x times gate
# ```

# %% tags=["active-ipynb"]
# test_gelu_new(gelu_new)

# %% [markdown]
# ## Two neurons by hand
#
# Take a stream with `d_model = 2` and an MLP with two neurons. It reads the vector (3, 1).
#
# 1. **Read.** In the first layer each neuron has a column of the matrix `W_in`, its *key*, and an entry of the bias
#    `b_in`. Neuron 0 has the key (1, 0) and the bias −2: 1 · 3 + 0 · 1 − 2 = 1. Neuron 1 has (0, 2) and −3: 0 · 3 +
#    2 · 1 − 3 = −1. These results are called `pre`.
# 2. **Bend.** GELU turns 1 and −1 into 0.841 and −0.159, called `post`.
# 3. **Write.** In the second layer each neuron has a row of `W_out`, its *value*: here (0, 10) and (10, 0). The answer
#    is 0.841 · (0, 10) − 0.159 · (10, 0) plus `b_out`, here (0.5, 0).

# %% tags=["active-ipynb"]
# by_hand_in = torch.tensor([3.0, 1.0])
# by_hand_keys = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
# by_hand_b_in = torch.tensor([-2.0, -3.0])
# by_hand_values = torch.tensor([[0.0, 10.0], [10.0, 0.0]])
# by_hand_b_out = torch.tensor([0.5, 0.0])
#
# by_hand_pre = by_hand_in @ by_hand_keys + by_hand_b_in
# by_hand_post = gelu_new(by_hand_pre)
# by_hand_out = by_hand_post @ by_hand_values + by_hand_b_out
# print("pre    ", [f"{number:.3f}" for number in by_hand_pre])
# print("post   ", [f"{number:.3f}" for number in by_hand_post])
# print("answer ", [f"{number:.3f}" for number in by_hand_out])

# %% [markdown]
# The answer is (−1.088, 8.412). Neuron 0's `pre` is positive, and it writes 0.841 times its value. Neuron 1's is
# negative: with ReLU it would be off and write nothing, with GELU it writes −0.159 times its value.
#
# Try it: find a `by_hand_in` that gives neuron 1 a positive `pre`, and neuron 0 a negative one.
#
# <details><summary>Answer</summary>
#
# Any vector whose first number is below 2 and whose second is above 1.5 will do, such as (0, 2): `pre` is then (−2, 1).
#
# </details>
#
# ### What it is not
#
# - **It does not mix positions.** Each vector goes through alone. Anything about earlier tokens is in it only because
#   attention has put it there.
# - **It does not add to the stream.** It returns what is to be added. The block does the adding (chapter 7).
# - **Neurons do not compete.** There is no softmax here: all can have a large `post` at once, or none.

# %% [markdown] exercise="MLP" difficulty=2 importance=5 minutes=12
# ## Exercise: write `MLP`
#
# **What goes in?** `normalized_resid_mid`: one vector of `d_model` numbers for each position, copied from the middle of
# the block (after attention) and normalised by `ln2`.
#
# **What comes out?** A tensor of the same shape: what is to be added to the stream. In between there are `d_mlp`
# numbers for each position. The input stays unchanged, and gradients reach it and every parameter.
#
# `__init__` is given. Write `forward`. In symbols, with the names of the parameters:
#
# $$\text{pre} = x \, W_{in} + b_{in} \qquad \text{post} = \text{gelu\_new}(\text{pre}) \qquad
# \text{out} = \text{post} \, W_{out} + b_{out}$$
#
# **Before you code**: `nn.Linear` keeps its weight as [out in]. Is `W_in` [d_model d_mlp] the same way round?
#
# <details><summary>Answer</summary>
#
# No, the other way round: [in out], as in GPT-2's own code. So `x @ W_in` fits as it is, without a transpose.
#
# </details>


# %%
class MLP(nn.Module):
    """Read each position alone: widen to `d_mlp`, apply GELU, come back to `d_model`.

    Source: openai/gpt-2 src/model.py, mlp().
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_in = nn.Parameter(torch.empty(cfg.d_model, cfg.d_mlp))
        self.b_in = nn.Parameter(torch.zeros(cfg.d_mlp))
        self.W_out = nn.Parameter(torch.empty(cfg.d_mlp, cfg.d_model))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_model))
        nn.init.normal_(self.W_in, std=cfg.init_range)
        nn.init.normal_(self.W_out, std=cfg.init_range)

    def forward(
        self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        pre = normalized_resid_mid @ self.W_in + self.b_in
        return gelu_new(pre) @ self.W_out + self.b_out
        # END SOLUTION


# %% [markdown] hint="idea"
# It is the example with two neurons, for every position of every sentence at once. `@` multiplies along the last axis
# of the input and leaves `batch` and `pos` alone, and a bias of shape [d_mlp] is added at every position automatically.
#
# Call your `gelu_new` for the bend.

# %% [markdown] hint="pseudocode"
# ```text
# pre  = the input times W_in, plus b_in      [batch pos d_mlp]
# post = gelu_new of pre                      [batch pos d_mlp]
# return post times W_out, plus b_out         [batch pos d_model]
# ```

# %% tags=["active-ipynb"]
# test_mlp(MLP)

# %% [markdown]
# ## See it work
#
# `with_weights` makes an `MLP` of yours with the trained weights of one MLP in the reference model. `logits_with` runs
# the model with your six in place of its own, here on a short tale.

# %% tags=["active-ipynb"]
# model = reference()
# mlp_names = [f"blocks.{layer}.mlp" for layer in range(model.cfg.n_layers)]
# mine = {name: with_weights(MLP, name) for name in mlp_names}
# tale_tokens = encode(TALE)
# own_logits = logits_with({}, tale_tokens)
# apart = (logits_with(mine, tale_tokens) - own_logits).abs().max()
# same = apart.item() < 1e-3
# print("with your MLPs every logit is the model's own, to within 0.001:", same)

# %% [markdown]
# So it tells the same story, from the same seed:

# %% tags=["active-ipynb"]
# for whose, mlps in {"its own MLPs": {}, "yours": mine}.items():
#     story = tell("Once upon a time", mlps, seed=5)
#     print(f"with {whose}:", wrapped(story), "", sep="\n")

# %% [markdown]
# And without the MLPs? We ask for the **loss**: the mean over all next tokens of −log(the probability that the model
# gave), in *nats*. A model that finds all tokens equally likely pays 8.32, and this model about 3.5. A cost of 0.1 nats
# means that the true tokens lost 10 % of their probability.
#
# A result on one text may be peculiar to that text. So the model reads the openings of 48 stories and chapters that it
# was not trained on (`passage_tokens`): two sets with no passage in common. We print each mean with its standard error,
# and a "!" behind it where the sets are more than three standard errors apart. The cell also keeps what your MLPs and
# `ln_final` are given on the way, which will show what the neurons look for.

# %% tags=["active-ipynb"]
# corpus = passage_tokens()
# print(f"{corpus.shape[0]} passages of {corpus.shape[1]} tokens. The first three:")
# print(*sources()[:3], sep="\n")
# half = len(corpus) // 2
# two_sets = {"first set": slice(0, half), "second set": slice(half, None)}
#
#
# def final_norm(stream):
#     """ln_final, as the model has it."""
#     w, b = model.weights["ln_final.w"], model.weights["ln_final.b"]
#     return nn.functional.layer_norm(stream, w.shape, w, b, model.cfg.layer_norm_eps)
#
#
# corpus_given = given_to({**mine, "ln_final": final_norm}, corpus)

# %% tags=["active-ipynb"]
# passage_starts = corpus[:, :128]  # the first half of each: quicker
#
#
# def passage_loss(replacements):
#     """The loss on each passage with these parts in place of the model's own."""
#     logits, comes = logits_with(replacements, passage_starts), passage_starts[:, 1:]
#     each = nn.functional.cross_entropy(logits[:, :-1].mT, comes, reduction="none")
#     return OverPassages(each.mean(dim=-1))
#
#
# def brief(cost):
#     """The mean over both sets and its error, with a mark where the sets disagree."""
#     return f"{cost.mean:6.2f} ± {cost.error:.2f}{' ' if cost.agree else '!'}"
#
#
# whole_loss = passage_loss(mine)
# print("with your six MLPs:", whole_loss)

# %% [markdown]
# We remove an MLP in two ways. *Zeroed*, it writes nothing. *Replaced by its mean*, it writes the same vector at every
# position; this is the control, because it removes what the MLP says about *this* token but leaves whatever constant it
# always adds. (Position 0 keeps its MLP: its vector is unlike all others, as chapter 3 shows, and every later position
# can read it.)

# %% tags=["active-ipynb"]
# def after_0(name, answer):
#     """An MLP that answers so from position 1 on, and at position 0 as it always did."""
#
#     def part(vectors):
#         return torch.cat([mine[name](vectors[:, :1]), answer(vectors[:, 1:])], dim=1)
#
#     return part
#
#
# def constant(name):
#     """The MLP's mean answer in these passages, at every position."""
#     with torch.no_grad():
#         mean_answer = mine[name](corpus_given[name][:, 1:128]).mean(dim=(0, 1))
#     return lambda vectors: mean_answer.expand_as(vectors)

# %% tags=["active-ipynb"]
# predict(
#     "five_at_once",
#     """Zero the MLPs of blocks 1 to 5, first one at a time, then all five at once. What
#     do all five cost, compared with the sum of the five single costs?
#     a) less than 0.8 times as much: a model that has lost one can't lose much more
#     b) 0.8 to 1.25 times as much: each adds its own to the stream
#     c) more than 1.25 times as much: the others make up for one that is missing""",
#     answer="c",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws what the passages cost more without MLPs
# ways_out = {
#     "zeroed": {name: after_0(name, torch.zeros_like) for name in mlp_names},
#     "replaced by its mean": {name: after_0(name, constant(name)) for name in mlp_names},
# }
# taken_away = {f"block {layer}": [name] for layer, name in enumerate(mlp_names)}
# taken_away |= {"blocks 1 to 5": mlp_names[1:], "all six": mlp_names}
# without_mlps = [(way, label) for label in taken_away for way in ways_out]
# more = {}
# for way, label in waiting(without_mlps, "reading without MLPs"):
#     parts = {name: ways_out[way][name] for name in taken_away[label]}
#     more[way, label] = passage_loss(parts) - whole_loss
# print(f"{'nats more':15}{'zeroed':>13}{'by its mean':>16}")
# for label in taken_away:
#     both_ways = [more[way, label] for way in ways_out]
#     print(f"{label:15}", *(brief(one) for one in both_ways))
# one_by_one = sum(more["zeroed", label].mean for label in list(taken_away)[1:6])
# print(f"blocks 1 to 5 zeroed one at a time, added up: {one_by_one:.2f}")
# first_six = list(taken_away)[:6]
# lines(
#     {
#         way: torch.tensor([[more[way, label].mean for label in first_six]])
#         for way in ways_out
#     },
#     list(ways_out),
#     first_six,
#     "What the passages cost more without one MLP",
#     y_title="nats more (log scale)",
#     log_y=True,
# )

# %% tags=["active-ipynb"]
# see(
#     "five_at_once",
#     five_at_once=more["zeroed", "blocks 1 to 5"].mean,
#     sum_of_single_costs=one_by_one,
# )

# %% [markdown]
# The later blocks read the first MLP's output in place of the embedding (chapter 1), which is why so much depends on
# it: zeroed alone, it costs about as much as all six. Its mean saves part of what zeros destroy.
#
# The five later MLPs are missed far less. Among them, the later the block, the more its MLP is missed. (The scale of
# the figure is logarithmic.) Here zeros and means cost much the same, except in block 1, where at least half of the
# small cost is the constant's.
#
# **What this does not show**: that blocks 1 to 5 have little to do. Zeroed together they cost nearly twice the sum of
# their single costs, as if some of them stood in for others. And the model was never trained to do without any of them.
#
# ## What is the bend worth?
#
# A bend is needed, but is *this* bend? Keep all trained weights, and change only the function between the two layers.

# %% tags=["active-ipynb"]
# def with_bend(function):
#     """The six MLPs with another function between the layers."""
#
#     def answer_of(mlp):
#         return lambda vectors: (
#             function(vectors @ mlp.W_in + mlp.b_in) @ mlp.W_out + mlp.b_out
#         )
#
#     return {name: answer_of(mine[name]) for name in mlp_names}

# %% tags=["active-ipynb"]
# predict(
#     "relu_instead",
#     """ReLU and GELU are nowhere more than 0.17 apart. With GELU the model loses 3.47
#     nats; equal probabilities lose 8.32. If all six MLPs get ReLU and nothing is trained
#     again, how many nats more will the model lose? (To within a factor of 3.)""",
#     answer="1.2",
# )

# %% tags=["active-ipynb"]
# other_bends = {
#     "your gelu_new": gelu_new,
#     "the exact GELU": nn.functional.gelu,
#     "x · sigmoid(1.702 x)": lambda x: x * torch.sigmoid(1.702 * x),
#     "ReLU": torch.relu,
#     "SiLU, x · sigmoid(x)": nn.functional.silu,
#     "no bend": lambda x: x,
# }
# bent_costs = {}
# for label, other_bend in waiting(other_bends.items(), "reading with other bends"):
#     bent_loss = passage_loss(with_bend(other_bend))
#     cost = bent_costs[label] = bent_loss - whole_loss
#     print(f"{label:24}{bent_loss.mean:7.3f} nats", end=", ")
#     print(f"{round(cost.mean, 3) + 0.0:+.3f} ± {cost.error:.3f}")
# exact_logits = logits_with(with_bend(nn.functional.gelu), tale_tokens)
# change = (exact_logits - own_logits).abs().max()
# print(f"the exact GELU changes a logit of the tale by at most {change:.3f}")

# %% tags=["active-ipynb"]
# see("relu_instead", nats_more=bent_costs["ReLU"].mean)

# %% [markdown]
# **Without the bend the model is worse than one that finds all tokens equally likely.** (A published tutorial makes
# this mistake: you will hunt for it below.)
#
# **The loss can't tell the exact GELU from yours**, although the logits of the tale do move a little. Six digits of
# `gelu_new` do tell them apart.
#
# **ReLU costs over a nat**, and block 0 suffers most (More experiments). Weights belong to the bend that they were
# trained with, or to one very close to it.
#
# **What this does not show**: that GELU is better than ReLU. This model was *trained* with GELU and is only being run
# with other bends. Models trained with ReLU from the start do well; Meta's OPT (Zhang et al. 2022), which is built like
# a GPT, is one.
#
# ## Keys and values
#
# So far the MLP has been one function. But its output is a sum: `b_out` plus, for each neuron, its `post` times its row
# of `W_out`. So an MLP can be read as a memory with one entry for each neuron (Geva et al. 2021). The neuron's column
# of `W_in` is a **key**: it says what the neuron looks for. Its row of `W_out` is a **value**: what the neuron writes
# when it finds it. (Attention's keys and values are computed afresh for each text; an MLP's are weights.) Add up block
# 5's neurons at one position of a text:

# %% tags=["active-ipynb"]
# fox_in, fox_mlp = model.activations["blocks.5.mlp.hook_in"][0, 3], mine["blocks.5.mlp"]
# one_by_one = fox_mlp.b_out.detach().clone()
# with torch.no_grad():
#     for neuron in range(model.cfg.d_mlp):
#         its_key, its_value = fox_mlp.W_in[:, neuron], fox_mlp.W_out[neuron]
#         one_by_one += gelu_new(fox_in @ its_key + fox_mlp.b_in[neuron]) * its_value
#     at_once = fox_mlp(fox_in[None, None])[0, 0]
# close = (one_by_one - at_once).abs().max().item() < 1e-4
# print("768 neurons one by one, and the MLP at once:", close)

# %% tags=["active-ipynb"]
# def post_of(layer, neuron, given=corpus_given):
#     """One neuron's post at every position, by your gelu_new."""
#     name = f"blocks.{layer}.mlp"
#     with torch.no_grad():
#         key, bias = mine[name].W_in[:, neuron], mine[name].b_in[neuron]
#         return gelu_new(given[name] @ key + bias)

# %% [markdown]
# What do these keys look for? Choose a block, and type a neuron's number. The bars are the twelve positions in the
# passages where the neuron's `post` is largest; we say that they *move* it most. The token itself is in brackets, after
# the words before it. (Position 0 is left out again.)

# %% tags=["active-ipynb", "folded"]
# # @title Draws the twelve positions that move a neuron most
# corpus_words = [str_tokens(row) for row in corpus]
#
#
# def in_context(passage, position):
#     words = corpus_words[passage]
#     before = "".join(words[max(1, position - 5) : position])
#     return f"{before}[{words[position]}]".replace("\n", "↵").replace("<", "&lt;")
#
#
# def moved_by(block, neuron):
#     post = post_of(block, neuron)[:, 1:]
#     strongest = post.flatten().topk(12)
#     places = [divmod(index, post.shape[1]) for index in strongest.indices.tolist()]
#     labels = [in_context(passage, position + 1) for passage, position in places]
#     title = f"What moves neuron {neuron} of block {block}"
#     return ranking(labels, strongest.values, title, x_title="post")
#
#
# explore(moved_by, block=slider(0, 5, 5), neuron=number(0, model.cfg.d_mlp - 1, 312))

# %% [markdown]
# Neuron 312 of block 5 is moved by the end of a sentence: eleven full stops, and one with a closing quotation mark.
# Visit neuron 454 of block 1, 439 of block 4 and 397 of block 3 too. Then try a few at random: could you name those?
# (Nothing in these passages moves neuron 379 of block 1: every bar is at 0.)
#
# And here is the neuron on your own text. The stronger the blue, the larger `post`; `·` is a space, `↵` a new line. (An
# emoji is several tokens of one byte each, shown as �.)

# %% tags=["active-ipynb", "folded"]
# # @title Draws how far each token of your text moves a neuron
# @lru_cache(maxsize=8)  # the model reads a text once, whatever the neuron
# def given_on(text):
#     return given_to(mine, typed(text))
#
#
# def on_my_text(text, block, neuron):
#     post = post_of(block, neuron, given_on(text))[0, 1:]
#     limit = max(float(post_of(block, neuron)[:, 1:].max()), 0.2)
#     title = f"How far each token moves neuron {neuron} of block {block}"
#     words = str_tokens(typed(text)[0, 1:])
#     return coloured_text(words, post, title, columns=8, limit=limit)
#
#
# explore(
#     on_my_text,
#     text=text_box(
#         '"Is the river frozen?" asked the goose. It was. So they walked! The girl, '
#         "who was brave, went first."
#     ),
#     block=slider(0, 5, 5),
#     neuron=number(0, model.cfg.d_mlp - 1, 312),
# )

# %% [markdown]
# The three full stops are blue, and so is the exclamation mark. The `?"` hardly moves the neuron. A guess at why: in
# the books that the model learned from, a sentence often goes on after `?"`. Write sentences that put this to the test.

# %% [markdown]
# ## What does it write?
#
# The key tells when the neuron speaks, but not what it says. That is in the value, a vector of the stream. In the last
# block only `ln_final` and the unembedding matrix `W_U` come after it, so we can ask which logits it pushes up:
# multiply the value by the `w` of `ln_final` and by `W_U`. (The division in `ln_final` is left out, because it is the
# same for all tokens; from each push we subtract the mean over all tokens.)
#
# The control is 768 random vectors with the same norm as the neuron's value.

# %% tags=["active-ipynb"]
# unembedding = model.weights["unembed.W_U"] * model.weights["ln_final.w"][:, None]
# unembedding = unembedding - unembedding.mean(dim=0)
#
#
# def pushes(vectors):
#     """How far these vectors raise each logit, beside the mean of all logits."""
#     raised = vectors @ unembedding
#     return raised - raised.mean(dim=-1, keepdim=True)

# %% tags=["active-ipynb", "folded"]
# # @title Draws the tokens that neuron 312 of block 5 pushes up
# value_312 = mine["blocks.5.mlp"].W_out[312].detach()
# dice = torch.Generator().manual_seed(0)
# random_values = torch.randn(768, model.cfg.d_model, generator=dice)
# random_values = nn.functional.normalize(random_values, dim=-1) * value_312.norm()
# largest = pushes(random_values).amax(dim=-1)
# print(f"random vectors: largest push {largest.median():.2f} (median)", end=" ")
# print(f"to {largest.max():.2f} (most)")
# pushed_up = pushes(value_312).topk(8)
# ranking(
#     [repr(token) for token in str_tokens(pushed_up.indices)],
#     pushed_up.values,
#     "What neuron 312 of block 5 pushes up",
#     x_title="push, beside the mean of all tokens",
# )

# %% [markdown]
# The key finds the end of a sentence, and the value pushes up what begins the next one: a new line, " He", " It", "
# And", " Then". So key and value fit together, and none of the random vectors pushes any token as far as this value
# pushes the new line.
#
# But does the model need it? Remove this one neuron wherever it fires, that is, where its `post` is more than half of
# its maximum. The control removes a random vector of the same norm, with the same strength, at the same positions.

# %% tags=["active-ipynb"]
# predict(
#     "new_line",
#     """Where neuron 312 fires, the model often expects a new line. How much of that
#     probability goes away with this one neuron?
#     a) less than a tenth: it is one neuron of 4608
#     b) between a tenth and a half
#     c) more than a half: it is the neuron that finds the ends of sentences""",
#     answer="b",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Takes neuron 312 away, then 100 random vectors, on each set
# post_312 = post_of(5, 312)[:, 1:-1]
# fires_312 = post_312 > post_312.max() / 2
# new_line = encode("\n")[0, 1]
#
#
# def without(vector, rows):
#     """The chance of a new line, and the loss, where 312 fires and writes that less."""
#     there = fires_312[rows]
#     write = post_312[rows][there][:, None] * vector
#     normalised = final_norm(corpus_given["ln_final"][rows, 1:-1][there] - write)
#     logits = normalised @ model.weights["unembed.W_U"] + model.weights["unembed.b_U"]
#     log_chances = logits.log_softmax(dim=-1)
#     losses = -log_chances.gather(-1, corpus[rows, 2:][there][:, None])
#     return torch.stack([log_chances[:, new_line].exp().mean(), losses.mean()])
#
#
# lost = []
# for label, rows in two_sets.items():
#     next_tokens = corpus[rows, 2:][fires_312[rows]]
#     followed = (next_tokens == new_line).float().mean()
#     whole = without(torch.zeros(model.cfg.d_model), rows)
#     less_312 = without(value_312, rows)
#     less_random = torch.stack([without(one, rows) for one in random_values[:100]])
#     lost.append(1 - less_312[0] / whole[0])
#     lower = (less_random[:, 0] <= less_312[0]).sum()
#     costlier = (less_random[:, 1] >= less_312[1]).sum()
#     print(f"{label}: it fires at {len(next_tokens)} positions;", end=" ")
#     print(f"a new line follows {followed:.0%} of them")
#     print(f"  chance of one {whole[0]:.3f}, without 312 {less_312[0]:.3f};", end=" ")
#     print(f"as low in {lower} of 100 controls")
#     print(f"  loss          {whole[1]:.3f}, without 312 {less_312[1]:.3f};", end=" ")
#     print(f"as high in {costlier} of 100 controls")

# %% tags=["active-ipynb"]
# see("new_line", share_lost=torch.stack(lost).mean())

# %% [markdown]
# The value does what the neuron's name suggests. Without the neuron the model expects a new line clearly less often, on
# both sets, and hardly any random vector lowers that probability as much. (The loss is a poor witness here: on the
# first set nearly half of the random vectors raise it as much.)
#
# **What this does not show**: that neurons in general can be named. We picked a clear one. Of all neurons, one or two
# in a hundred earn a one-token name that holds on new text, and a third or more of these names could be luck. Perhaps
# single neurons are even the wrong things to name, because a block has four times as many keys as the stream has
# dimensions. (More experiments has the counts and the overlap.)
#
# ## How many speak at once?
#
# A memory is asked for one entry at a time. Does a position likewise use only a few neurons? At each, keep only the
# neurons that write most there (the size of `post` times the norm of the value), and zero all other neurons, in all six
# MLPs (position 0 keeps its own again).
#
# There are three controls: the *same* neurons for all positions, those that write most on average; *random* ones; and
# random ones *scaled* up to make up for the missing ones (half of the neurons, each writing twice as much).

# %% tags=["active-ipynb"]
# def keeping(count, choose, times=1.0):
#     """The six MLPs with the `count` neurons for which `choose` is largest.
#
#     Each of these writes so many times what it wrote.
#     """
#
#     def answer_of(mlp):
#         def answer(vectors):
#             post = gelu_new(vectors @ mlp.W_in + mlp.b_in)
#             rank = choose(post.abs() * mlp.W_out.norm(dim=-1))
#             kept = rank >= rank.topk(count, dim=-1).values[..., -1:]
#             return times * (post * kept) @ mlp.W_out + mlp.b_out
#
#         return answer
#
#     return {name: after_0(name, answer_of(mine[name])) for name in mlp_names}

# %% tags=["active-ipynb"]
# kept_ways = [way for way in ("own", "same", "random", "scaled") for _ in range(4)]
# predict(
#     "few_neurons",
#     """The table below has 16 rows: `way` is 'own', 'same', 'random' or 'scaled', and
#     `kept` is 16, 64, 192 or 384 of the 768 neurons. Which rows cost less than half a
#     nat? Write a line that selects them, such as: (way == 'same') & (kept > 16)""",
#     way=kept_ways,
#     kept=[16, 64, 192, 384] * 4,
#     answer='(way == "own") & (kept >= 192)',
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws what the passages cost with 16, 64, ... neurons
# kept_generator = torch.Generator().manual_seed(0)
#
#
# def its_own(writes):
#     return writes
#
#
# def the_same(writes):
#     return writes.mean(dim=(0, 1)).expand_as(writes)
#
#
# def at_random(writes):
#     return torch.rand(writes.shape, generator=kept_generator)
#
#
# ways_to_keep = {
#     "each position's own": lambda count: keeping(count, its_own),
#     "the same for all": lambda count: keeping(count, the_same),
#     "random": lambda count: keeping(count, at_random),
#     "random, scaled up": lambda count: keeping(count, at_random, 768 / count),
# }
# kept_counts = [16, 64, 192, 384]
# print(f"nats more, keeping  {''.join(f'{count:9}      ' for count in kept_counts)}")
# kept_losses = {}
# for label, keep in waiting(ways_to_keep.items(), "reading with some neurons"):
#     costs = [passage_loss(keep(count)) - whole_loss for count in kept_counts]
#     print(f"{label:20}", *(brief(cost) for cost in costs))
#     kept_losses[label] = torch.tensor([cost.mean for cost in costs])
# all_at_half = passage_loss(keeping(768, its_own, 0.5)) - whole_loss
# print("all 768, each writing half:", brief(all_at_half))
# curves(
#     torch.tensor(kept_counts, dtype=torch.float32),
#     kept_losses,
#     "The passages with some of the 768 neurons",
#     x_title="neurons kept at each position, in each MLP",
#     y_title="nats more",
#     log_x=True,
# )

# %% tags=["active-ipynb"]
# see("few_neurons", nats=torch.stack(list(kept_losses.values())).flatten())

# %% [markdown]
# **Which neurons matter depends on the position, and it takes dozens to hundreds of them, not a handful.** With half of
# the neurons, each position's own, the model does nearly as well as with all of them. With the same 64 for all
# positions it is about as lost as with 64 random ones.
#
# The random halves prove nothing about choosing, because they also write half as much, and *all* neurons, each writing
# half, cost about as much. The fair control is the random half that writes twice as much: it costs about a nat, many
# times what each position's own half costs.
#
# ## What newer models changed
#
# Most models since about 2023 have a *gated* MLP (Shazeer 2020), in which each neuron has two keys. What one key reads
# goes through a bend, what the other key reads does not, and the results are multiplied.
#
# $$\text{post} = \text{silu}(x \, W_{gate}) \cdot (x \, W_{in}) \qquad \text{out} = \text{post} \, W_{out}$$
#
# So one key sets how far the gate opens, and the other what passes, with its sign. Because there are three matrices
# now, Shazeer gives such an MLP only 8/3 times `d_model` neurons; LLaMA followed, which is where its odd widths come
# from. Shazeer's models predict a little better with it, and he gives no reason: "we attribute their success, as all
# else, to divine benevolence."
#
# ## A bug in the wild
#
# The `forward` below makes the mistake of "Building GPT From First Principles: Code and Intuition" (Towards AI). The
# code is ours, the mistake is the tutorial's. Every shape fits, and nothing complains. Find it, fix it, and let the
# test of your `MLP` judge it. (What the course saves and counts is still your own `MLP`.)


# %%
class TutorialMLP(MLP):
    """The tutorial's forward, with the `__init__` of your MLP."""

    def forward(
        self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        pre = normalized_resid_mid @ self.W_in + self.b_in
        post = gelu_new(pre)
        return post @ self.W_out + self.b_out
        # INSTEAD OF
        # pre = normalized_resid_mid @ self.W_in + self.b_in
        # post = gelu_new(pre)
        # return pre @ self.W_out + self.b_out
        # END SOLUTION


# %% tags=["active-ipynb"]
# test_mlp(TutorialMLP)

# %% [markdown]
# <details><summary>Answer</summary>
#
# `post` is computed and then forgotten: the last line multiplies `pre`. It must be `post @ self.W_out`.
#
# Without the bend the two layers amount to one matrix, and the 768 neurons might as well not be there. With weights
# that were trained with GELU it is the line "no bend" of the table above: 11.04 nats. An editor that greys out unused
# variables would have shown it.
#
# </details>

# %% [markdown]
# ## Check your understanding
#
# **1.** In our model `d_model` is 192. Without the bend, how many numbers would an MLP's two matrices amount to?
#
# <details><summary>Answer</summary>
#
# To 192 × 192 = 36,864, one matrix, instead of 2 × 192 × 768 = 294,912.
#
# </details>
#
# **2.** You shuffle the positions of what the MLP reads. What happens to its output?
#
# <details><summary>Answer</summary>
#
# It is shuffled the same way, and otherwise unchanged. Word order reaches the MLP only through what is *in* the
# vectors: the position vectors of chapter 2, and what attention has brought from earlier positions.
#
# </details>
#
# **3.** A neuron's `pre` is −0.75. What does it write? And at −8?
#
# <details><summary>Answer</summary>
#
# At −0.75 GELU is at its lowest, −0.17: the neuron writes −0.17 times its value, the *opposite* of what it stands for.
# At −8 the gate is shut, and it writes nothing. "Negative means off" is true of ReLU, not of GELU.
#
# </details>
#
# **4.** The twelve strongest positions of a neuron are all " the". May you call it the " the" neuron?
#
# <details><summary>Answer</summary>
#
# Not yet. Twelve positions are only the top of the list. Where else does it fire, at half that strength? Does the name
# hold on other text? How many random keys that fire as often would have looked as good? And even then you know what it
# reads, not what it does: for that, look at its value, and remove the neuron. Bolukbasi et al. (2021) show neurons
# whose strongest examples suggest one meaning in one corpus, and another in the next.
#
# </details>

# %% [markdown]
# <details><summary><b>I get this error</b></summary>
#
# - **`mat1 and mat2 shapes cannot be multiplied`**: a matrix is the wrong way round. `W_in` is [d_model d_mlp] and
#   comes first, `W_out` is [d_mlp d_model] and comes second; neither needs `.T`.
# - **`The size of tensor a (17) must match the size of tensor b (8)`**: a bias is added in the wrong place. `b_in` has
#   `d_mlp` numbers and belongs to `pre`, `b_out` has `d_model` and belongs to the output.
# - **`sqrt(): argument 'input' (position 1) must be Tensor, not float`**: 2/π is a plain number, so `math.sqrt`.
# - **`only one element tensors can be converted to Python scalars`**: `math.tanh` takes one plain number. For a tensor
#   write `torch.tanh`.
# - **`It calls gelu_new, which is still a stub`**: write `gelu_new`, run its cell, then run this one again.
# - **`gelu_new`'s numbers are off by less than 0.0005**: that is the exact GELU. `torch.nn.functional.gelu(x)` needs
#   `approximate="tanh"`.
#
# </details>

# %% [markdown]
# ## Where to read more
#
# - Hendrycks and Gimpel 2016, *Gaussian Error Linear Units*, [arXiv:1606.08415](https://arxiv.org/abs/1606.08415):
#   section 2 has the exact form, the tanh form and the one with the sigmoid. Why tanh: Hendrycks in
#   [pytorch#39853](https://github.com/pytorch/pytorch/issues/39853).
# - Geva, Schuster, Berant, Levy 2021, *Transformer Feed-Forward Layers Are Key-Value Memories*,
#   [arXiv:2012.14913](https://arxiv.org/abs/2012.14913), and Geva et al. 2022,
#   [arXiv:2203.14680](https://arxiv.org/abs/2203.14680): what the values push up.
# - Elhage et al. 2022, *Toy Models of Superposition*, [arXiv:2209.10652](https://arxiv.org/abs/2209.10652): why a
#   neuron may stand for several things at once. Bricken et al. 2023, [*Towards
#   Monosemanticity*](https://transformer-circuits.pub/2023/monosemantic-features/index.html): directions with names.
# - Voita, Ferrando, Nalmpantis 2023, *Neurons in Large Language Models: Dead, N-gram, Positional*,
#   [arXiv:2309.04827](https://arxiv.org/abs/2309.04827): neurons that nothing moves, most of them in early layers.
# - Bolukbasi et al. 2021, *An Interpretability Illusion for BERT*,
#   [arXiv:2104.07143](https://arxiv.org/abs/2104.07143): how strongest examples mislead.
# - Zhang et al. 2022, *OPT: Open Pre-trained Transformer Language Models*,
#   [arXiv:2205.01068](https://arxiv.org/abs/2205.01068): GPTs trained with ReLU.
# - Vaswani et al. 2017, [arXiv:1706.03762](https://arxiv.org/abs/1706.03762); Kaplan et al. 2020,
#   [arXiv:2001.08361](https://arxiv.org/abs/2001.08361), section 3.1; Raffel et al. 2020,
#   [arXiv:1910.10683](https://arxiv.org/abs/1910.10683): how many neurons for each dimension.
# - Shazeer 2020, *GLU Variants Improve Transformer*, [arXiv:2002.05202](https://arxiv.org/abs/2002.05202): the gated
#   MLP that newer models have.
# - openai/gpt-2, [src/model.py](https://github.com/openai/gpt-2/blob/master/src/model.py): `gelu` and `mlp`, in eight
#   lines.

# %% [markdown] tags=["folded"]
# ## More experiments

# %% [markdown]
# ### How many neurons can be named?
#
# Neuron 312 looks clear, and it was picked for that. What about the other 4,607? Here is a count, with the simplest
# kind of name: *this token is " was"*, or *the token before is " was"*, for every frequent token.
#
# 1. A neuron **fires** where its `post` is more than half of its maximum.
# 2. On one set of passages each neuron gets the name that fits its firing best.
# 3. On the **other** set we see how often the name holds where the neuron fires. At 80 % or more, we call the neuron
#    named. Then the two sets change places.
#
# With over a hundred names to choose from, some will fit by luck. A control must be as likely to be lucky as a neuron
# is, so each fires as often as its neuron does in the set that names it, namely where it is strongest. There are two
# kinds of control, drawn twice each way:
#
# - *random keys*;
# - *mixtures* of the block's own 768 keys with random weights: they read what the block reads, but each looks for
#   something that no single neuron of it looks for.

# %% tags=["active-ipynb", "folded"]
# # @title naming(fires, seen, new) names neurons, and tries the names
# tokens_here, tokens_before = corpus[:, 1:, None], corpus[:, :-1, None]
# how_often = corpus.flatten().bincount(minlength=model.cfg.d_vocab)
# often = (how_often[1:] >= 32).nonzero().flatten() + 1
# shown = [repr(token) for token in str_tokens(often)]
# tried = [*shown, *(f"after {token}" for token in shown)]
# holds = torch.cat([tokens_here == often, tokens_before == often], dim=-1).float()
# print(f"{len(tried)} names, such as {tried[20]}, {tried[30]} and {tried[-1]}")
#
#
# def counts_of(fires, rows):
#     """How often name and neuron came together, and how often each by itself."""
#     both = torch.einsum("bpn,bpm->nm", holds[rows], fires[rows])
#     held, fired = holds[rows].sum(dim=(0, 1)), fires[rows].sum(dim=(0, 1))
#     return both, held[:, None].clamp_min(1), fired.clamp_min(1)
#
#
# def firing(strength, seen):
#     """1 where a neuron's strength is over half of its largest in the seen set."""
#     return (strength > strength[seen].amax(dim=(0, 1)) / 2).float()
#
#
# def as_often(strength, fires, seen):
#     """1 where these are strongest: as often in the seen set as the neurons fire."""
#     strongest_first = strength[seen].flatten(0, 1).sort(dim=0, descending=True)
#     times = fires[seen].sum(dim=(0, 1)).long().clamp_min(1)
#     return (strength >= strongest_first.values.gather(0, times[None] - 1)[0]).float()
#
#
# def naming(fires, seen, new):
#     """The best name in the seen set, and how often it holds in the new one."""
#     both, held, fired = counts_of(fires, seen)
#     best = ((both / held) * (both / fired)).argmax(dim=0)
#     both_later, _, fired_later = counts_of(fires, new)
#     right = both_later.gather(0, best[None])[0] / fired_later
#     often_enough = (fired >= 5) & (fired_later >= 5)
#     return best, torch.where(often_enough, right, -1.0)  # -1: too rarely to say

# %% tags=["active-ipynb", "folded"]
# # @title Draws how many neurons can be named, and how many controls
# control_dice = torch.Generator().manual_seed(0)
# first_set, second_set = two_sets.values()
# named_of = {}  # on the first set, tried on the second
# counts = {"neurons": [], "random keys": [], "mixtures of keys": []}
# with torch.no_grad():
#     for name in waiting(mlp_names, "naming the neurons of six blocks"):
#         my_mlp, vectors_in = mine[name], corpus_given[name][:, 1:]
#         post = gelu_new(vectors_in @ my_mlp.W_in + my_mlp.b_in)
#         for seen, new in ((first_set, second_set), (second_set, first_set)):
#             fires = firing(post, seen)
#             found = naming(fires, seen, new)
#             named_of.setdefault(name, found)
#             counts["neurons"].append((found[1] >= 0.8).sum())
#             for _ in range(2):
#                 random_keys = torch.randn(my_mlp.W_in.shape, generator=control_dice)
#                 mixing = torch.randn(768, 768, generator=control_dice)
#                 for kind, keys in (
#                     ("random keys", random_keys),
#                     ("mixtures of keys", my_mlp.W_in @ mixing),
#                 ):
#                     matched = as_often(vectors_in @ keys, fires, seen)
#                     counts[kind].append((naming(matched, seen, new)[1] >= 0.8).sum())
# named = {kind: torch.stack(each).view(6, -1) for kind, each in counts.items()}
# print(f"{'named':18}{'all blocks':>18}{'blocks 1 to 3':>18}{'0, 4 and 5':>18}")
# for label, each in named.items():
#     groups = (each.sum(dim=0), each[1:4].sum(dim=0), each[[0, 4, 5]].sum(dim=0))
#     listed = [", ".join(str(int(one)) for one in group) for group in groups]
#     print(f"{label:18}", *(f"{one:>17}" for one in listed))
# all_right = torch.stack([right for _, right in named_of.values()])
# print(f"{(all_right < 0).sum()} neurons fire too rarely to be judged")
# for layer, (best, right) in enumerate(named_of.values()):
#     clearest = right.argsort(descending=True, stable=True)[:3].tolist()
#     names = [f"{n} is {tried[best[n]]} ({right[n]:.0%})" for n in clearest]
#     print(f"block {layer}:", ", ".join(names))
# best, right = named_of["blocks.5.mlp"]
# print(f"neuron 312 of block 5 is at best {tried[best[312]]} ({right[312]:.0%})")
# grouped_bars(
#     {
#         label: each.float().mean(dim=-1).round(decimals=1)
#         for label, each in named.items()
#     },
#     [f"block {layer}" for layer in range(model.cfg.n_layers)],
#     "How many of 768 can be named (mean over both ways)",
#     y_title="named",
# )

# %% [markdown]
# **More neurons earn a name than chance would explain, and yet many of the names could be luck.** About 70 of the 4,608
# neurons earn one, and 16 to 37 of as many controls. Most of the surplus is in blocks 1 to 3, where neurons earn about
# two to three times as many names as controls. In the first block and the last ones the mixtures of keys earn most of
# what the neurons do. The names themselves are mostly the commonest tokens: a comma, a new line, " the".
#
# **What this does not show**: that the rest mean nothing. 725 neurons fire fewer than five times in one of the sets,
# too rarely to be judged on so little text. And a name of one token is crude: neuron 312, which we named by looking
# ("the end of a sentence"), is not among the named, because its best name, the full stop, holds for 71 %. Nor does a
# name say everything: a neuron may do something else where its `post` is below half of its maximum.
#
# ### More keys than dimensions
#
# It would be tidy if each neuron looked for one thing, and each thing had its own direction in the stream. But a block
# has 768 keys for vectors of 192 numbers, and no more than 192 directions can be at right angles to one another, so the
# keys must overlap. We measure how much by the size of the cosine, 1 for the same direction and 0 for right angles. The
# control is as many random directions.

# %% tags=["active-ipynb"]
# def mean_overlap(keys):
#     """The mean size of the cosine between two different columns."""
#     unit = nn.functional.normalize(keys, dim=0)
#     cosines = (unit.T @ unit).abs()
#     return (cosines.sum() - len(cosines)) / (len(cosines) * (len(cosines) - 1))
#
#
# key_dice = torch.Generator().manual_seed(0)
# random_directions = torch.randn(model.cfg.d_model, 768, generator=key_dice)
# print(f"768 random directions: overlap {mean_overlap(random_directions):.2f}")
# with torch.no_grad():
#     for layer, name in enumerate(mlp_names):
#         overlap = mean_overlap(mine[name].W_in)
#         its_pre = corpus_given[name][:, 1:] @ mine[name].W_in + mine[name].b_in
#         over_0 = (its_pre > 0).float().mean()
#         print(f"block {layer}: overlap {overlap:.2f}, pre over 0 in {over_0:4.0%}")

# %% [markdown]
# In block 0 the keys overlap hardly more than random directions do, in all later blocks clearly more. So whatever
# raises one neuron's `pre` changes that of others a little too.
#
# Why would training want the overlap? The leading guess is **superposition** (Elhage et al. 2022). There are more
# *features* of text worth noting than dimensions to keep them in, and because any two of them seldom occur together, it
# pays to let them overlap and to put up with some confusion. In small models built to study this, training does exactly
# that. If it does so here, single neurons are the wrong things to name; Bricken et al. (2023) name directions instead,
# many more than there are neurons.
#
# **What this does not show**: that the overlap *is* superposition. Keys that all look for one thing overlap too.
#
# ### Neurons that nothing moves
#
# How many neurons never have a `pre` above 0, at any position of a set?

# %% tags=["active-ipynb"]
# with torch.no_grad():
#     for layer, name in enumerate(mlp_names):
#         its_pre = corpus_given[name][:, 1:] @ mine[name].W_in + mine[name].b_in
#         silent = (its_pre <= 0).all(dim=1)  # [passage d_mlp]
#         in_first, in_second = (silent[rows].all(dim=0) for rows in two_sets.values())
#         print(f"block {layer}: {in_first.sum():3} never in the first set,", end=" ")
#         print(f"{(in_first & in_second).sum():3} of them not in the second either")

# %% [markdown]
# In block 1 there are 170 in the first set. Is there too little text to move them, or are they *dead*? In the second
# set 162 of them are silent again, and 127 in all of the held-out text, 186,000 tokens (measured when the course was
# made): most seem dead. Of block 2's 49 only 10 are silent there, so most of these are merely rare. Voita et al. (2023)
# find layers of a large OPT model in which more than 70 % of the neurons never fire.
#
# ### Where does ReLU hurt?
#
# Give ReLU to block 0 alone, then to the five later blocks. And count how many of the numbers that go in are between −1
# and 1, where ReLU and GELU differ most.

# %% tags=["active-ipynb"]
# relu_mlps = with_bend(torch.relu)
# relu_first = {"blocks.0.mlp": relu_mlps.pop("blocks.0.mlp")}
# for label, parts in {"block 0 alone": relu_first, "blocks 1 to 5": relu_mlps}.items():
#     costs_more = passage_loss(parts) - whole_loss
#     print(f"ReLU in {label}: {costs_more.mean:+.3f} ± {costs_more.error:.3f} nats")
# with torch.no_grad():
#     for layer, name in enumerate(mlp_names):
#         its_pre = corpus_given[name][:, 1:] @ mine[name].W_in + mine[name].b_in
#         near = (its_pre.abs() < 1).float().mean()
#         below = (its_pre < -1).float().mean()
#         print(f"block {layer}: {near:.0%} of all pre are between −1 and 1,", end=" ")
#         print(f"{below:.0%} are below")

# %% [markdown]
# It hurts most in block 0: ReLU there costs 0.5 nats, in the five later blocks together 0.2. (In all six it costs far
# more than these added up.) In block 0 by far the most numbers, 74 %, are between −1 and 1; but it is also the block
# whose MLP the model misses most, and this does not show which is the reason.
