"""Chapter 1: the residual stream. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 1 · The residual stream: read, and add
#
# Everything in GPT-2 happens around one object. At each position of a text the model keeps one vector; every layer
# reads it, and adds something to it. You will write that down in a few lines, `ResidualStream`, and put the layers of a
# trained model on it. Then you will take its last vectors apart again with `decompose_residual`: who wrote what?
#
# You need no other chapter for this one. About 85 minutes, 25 of them for the two exercises. You will be able to
#
# - say what a position, a layer and the residual stream are, and what adding has to do with depth;
# - split a vector of a trained model into the parts that its layers wrote;
# - tell how *much* a layer writes from how much the model *needs* it.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError(
#         "This kernel does not have the course. In Colab, run the cell above this one; "
#         "elsewhere, in the course's folder: make lab"
#     ) from None
#
# start("ch01_residual_stream")

# %%
import torch
from jaxtyping import Float
from torch import Tensor, nn

# %% tags=["active-ipynb", "folded"]
# # @title Imports what the chapter needs, its tests included
# from functools import lru_cache
#
# from tests.ch01_residual_stream import test_decompose_residual, test_residual_stream
# from tests.predictions.ch01_residual_stream import predict, see
# from utils.controls import explore, menu, text_box
# from utils.model_map import model_map
# from utils.passages import OverPassages, passage_tokens
# from utils.pictures.stream import stream_strip
# from utils.plotting import bars
# from utils.plotting.stream import grouped_bars, writes_by_position
# from utils.reference import boot, encode, reference, str_tokens
# from utils.texts import typed, wrapped
# from utils.transplant import TALE
# from utils.waiting import waiting

# %% tags=["active-ipynb"]
# model_map("stream")

# %% [markdown]
# This is the map of the whole model, with which each chapter starts; orange marks where you are. From left to right:
#
# 1. A text comes in as **tokens**, words or pieces of words, each with a number (chapter 0).
# 2. Two tables turn each token into a **vector**, a list of `d_model` numbers: one says which token it is, the other at
#    which **position** it stands (chapter 2). Their sum is where the thick line begins.
# 3. The thick line is the **residual stream**. It runs through all the **blocks** to the end of the model.
# 4. At its end the vector at each position becomes **logits**: a score for every token that might come next (chapter
#    6).
#
# This chapter is about the line, and about how layers are attached to it. A **layer** is anything that takes the
# vectors and computes new ones. GPT-2's own layers are the two boxes above the line, Attention and MLP (chapters 4 and
# 5). Since a block holds one of each, they are called its **sublayers**.
#
# A sublayer is *beside* the line: it gets a copy of the stream, and its answer comes back through a plus sign. (In
# code, `layer` is often the number of a block, and `n_layers` counts the blocks.)

# %% [markdown]
# ## Have a look at one
#
# Our **reference model** is a small GPT-2, trained for this course on 73 children's books (and, to teach it copying, on
# made-up rows in which phrases repeat). When it read "Once upon a time a fox found a key.", TransformerLens, a library
# that opens models up, recorded every vector on the way. A place where it can look into the running model is called a
# *hook*: `blocks.0.hook_resid_pre` is the stream before block 0. What is its shape, and what is in it at " fox"?

# %% tags=["active-ipynb"]
# model = reference()
# fox_words = str_tokens(model.tokens[0])
# stream_before_block_0 = model.activations["blocks.0.hook_resid_pre"]
# last_block = f"blocks.{model.cfg.n_layers - 1}"
# stream_at_the_end = model.activations[f"{last_block}.hook_resid_post"]
# print("tokens:", fox_words)
# print("shape [batch pos d_model]:", list(stream_before_block_0.shape))
#
# at_fox = (0, fox_words.index(" fox"), slice(8))
# numbers_there = (f"{number:6.2f}" for number in stream_before_block_0[at_fox])
# print("at the start", *numbers_there, "...")
# numbers_there = (f"{number:6.2f}" for number in stream_at_the_end[at_fox])
# print("at the end  ", *numbers_there, "...")

# %% [markdown]
# The model read two texts at once (a *batch*; this is the first), eleven tokens each, and keeps 192 numbers for every
# token; you see eight of those at " fox". The first token, `<|endoftext|>`, is put before every text.
#
# Between start and end lie six blocks with two sublayers each. Nobody gave the numbers a meaning; the model learned to
# use them. But all that one sublayer can tell another passes through these vectors.

# %% [markdown]
# ## Why not pass the answer on?
#
# A deeper model should be a better one, and the obvious way to make a model deep is a chain, in which each layer's
# answer *is* what the next layer gets. Try it on something small: sorting. Eight random numbers go in, and the same
# eight should come out in order. Each layer turns the eight numbers that it reads into 32, and those into eight again.
# `nn.Sequential` makes a chain of such layers. (The 1 in `128, 1, 8` is a position: each row has only one.)

# %% tags=["active-ipynb"]
# def small_layer():
#     return nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8))
#
#
# def sorting_error(sorter, dice):
#     """The mean squared error on 128 rows of eight random numbers."""
#     unsorted = torch.randn(128, 1, 8, generator=dice)
#     return (sorter(unsorted) - unsorted.sort(dim=-1).values).pow(2).mean()

# %% tags=["active-ipynb"]
# many_rows = torch.randn(20_000, 8, generator=torch.Generator().manual_seed(1))
# mean_sorted = many_rows.sort(dim=-1).values.mean(dim=0)
# print("the eight means:", " ".join(f"{number:.1f}" for number in mean_sorted))
#
#
# def means_only(unsorted):
#     """Knows nothing of what came in: always the mean smallest number, and so on."""
#     return mean_sorted.expand_as(unsorted)

# %% [markdown]
# Training is the usual loop. It prints the error that remains, in percent of the error of `means_only`. One run may be
# luck, so each depth is trained from three seeds: other weights at the start, and other numbers to sort.

# %% tags=["active-ipynb", "folded"]
# # @title train_thrice(make, name): 2 and 12 layers, three seeds
# def error_after_training(make, depth, seed, prepare):
#     """The error after 100 steps, in percent."""
#     torch.manual_seed(seed)
#     dice = torch.Generator().manual_seed(seed)
#     small_layers = [small_layer() for _ in range(depth)]
#     prepare(small_layers)
#     sorter = make(small_layers)
#     optimiser = torch.optim.Adam(sorter.parameters(), lr=3e-3)
#     for _ in range(100):
#         optimiser.zero_grad()
#         sorting_error(sorter, dice).backward()
#         optimiser.step()
#     with torch.no_grad():
#         error, means_error = (
#             torch.stack([sorting_error(one, dice) for _ in range(20)]).mean()
#             for one in (sorter, means_only)
#         )
#     return 100 * (error / means_error).item()
#
#
# left_by = {}  # percents of the error, by the sorter's name, depth and seed
#
#
# def train_thrice(make, name, depths=(2, 12), prepare=lambda small_layers: None):
#     """Print what is left of the error."""
#     seeds = (0, 1, 2)
#     runs = [(depth, seed) for depth in depths for seed in seeds]
#     left = left_by[name] = {
#         (depth, seed): error_after_training(make, depth, seed, prepare)
#         for depth, seed in waiting(runs, f"training {name}")
#     }
#     for depth in depths:
#         percents = ", ".join(f"{left[depth, seed]:.0f} %" for seed in seeds)
#         print(f"{depth:2} layers, {name}: {percents}")

# %% tags=["active-ipynb"]
# predict(
#     "deeper_chain",
#     """A chain of 2 layers and one of 12 are trained for 100 steps each. Which sorts
#     better?
#     a) that of 12: its error is smaller by a fifth or more
#     b) both about as well
#     c) that of 2: the error of the other is larger by a quarter or more""",
#     answer="c",
# )

# %% tags=["active-ipynb", "nbval-ignore-output"]
# def chain(layers):
#     return nn.Sequential(*layers)
#
#
# train_thrice(chain, "a chain")

# %% tags=["active-ipynb", "nbval-ignore-output"]
# after_2, after_12 = (
#     sum(left_by["a chain"][depth, seed] for seed in range(3)) / 3 for depth in (2, 12)
# )
# see("deeper_chain", with_2_layers=after_2, with_12_layers=after_12)

# %% [markdown]
# Two layers learn to sort, if only roughly: about a third of the error is left. Twelve layers, after the same training,
# do hardly better than the eight means.
#
# That is odd, because twelve layers could do what two can if only ten of them passed their numbers on unchanged. He et
# al. (2015), who met this in networks that recognise pictures, concluded that "unchanged" has to be made the easy case:
# a layer should compute only what is to be *added*.

# %% [markdown]
# ## A stream of two numbers
#
# How does adding go, step by step? Take a stream with `d_model = 2`, which holds `1, 2` at some position. On it are two
# layers, both made up: the *copier* writes the number in dimension 1 to dimension 0, and the *echo* writes the number
# in dimension 0 to dimension 1.
#
# The copier reads `1, 2` and answers `2, 0`, so the stream becomes `3, 2`. The echo reads *that*, answers `0, 3`, and
# the stream ends as `3, 5`.

# %% tags=["active-ipynb"]
# def copier(pair):
#     return torch.stack([pair[1], torch.tensor(0.0)])
#
#
# def echo(pair):
#     return torch.stack([torch.tensor(0.0), pair[0]])
#
#
# two_numbers = torch.tensor([1.0, 2.0])
# after_copier = two_numbers + copier(two_numbers)
# after_echo = after_copier + echo(after_copier)

# %% tags=["active-ipynb"]
# by_hand_steps = {
#     "comes in": two_numbers,
#     "after the copier": after_copier,
#     "after the echo": after_echo,
# }
# bars(by_hand_steps, "Two layers on a stream")

# %% [markdown]
# Orange is the first number, blue the second. Each layer changes one of them. Two ways to get it wrong give other
# numbers:
#
# - **Passing on** instead of adding: the copier leaves `2, 0`, the echo `0, 2`. What came in is gone for good.
# - **Everyone reads the start**: the echo writes `0, 1` and the stream ends as `3, 3`. The echo never saw the copier.

# %% [markdown]
# ### What it is not
#
# - **The stream is not a layer.** It has no weights and computes nothing. It is what the layers have in common.
# - **It is not one vector for the whole text.** Each position has its own, and adding keeps them apart. Only attention
#   carries anything from one position to another.
# - **It is not overwritten.** No layer can erase what is there; it can at most add the opposite.

# %% [markdown] exercise="ResidualStream" difficulty=2 importance=5 minutes=10
# ## Exercise: write `ResidualStream`
#
# **What goes in?** To `__init__`: a list of layers, in order; it may be empty. To `forward`: `resid` [batch pos
# d_model], the vectors at all positions of all texts in one tensor. A layer takes this whole tensor, as `layer(resid)`,
# all texts and all positions at once, and answers with the same shape. There is nothing to loop over but the layers;
# one that is in the list twice runs twice.
#
# **What comes out?** The stream after the last layer, again the same shape. (`Float[Tensor, "batch pos d_model"]` in
# the code is a note for the reader: a tensor of floats, and the names of its axes.)
#
# Write both methods. In `__init__`, keep the layers in such a way that torch finds their parameters: an optimiser will
# ask for `stream.parameters()`.
#
# **Before you code**: `resid += layer(resid)` is shorter than `resid = resid + layer(resid)`. Is it the same?
#
# <details><summary>Answer</summary>
#
# No. `+=` writes into the tensor that the caller handed over, and the caller's own stream changes with it. It also
# destroys what a layer has read, which torch may need again for the gradient. `resid + ...` makes a new tensor.
#
# </details>


# %%
class ResidualStream(nn.Module):
    """Run a list of layers: each reads the stream, and what it answers is added to it.

    Source: He et al. 2015, eq. 1 (y = F(x) + x); openai/gpt-2 src/model.py, block():
    x = x + a, then x = x + m.
    """

    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        # BEGIN SOLUTION
        self.layers = nn.ModuleList(layers)
        # END SOLUTION

    def forward(
        self, resid: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        for layer in self.layers:
            resid = resid + layer(resid)
        return resid
        # END SOLUTION


# %% [markdown] hint="idea"
# It is what the copier and the echo did above: a layer reads the stream as it is *now*, and its answer is added. Then
# comes the next one. That is a loop in which `resid` gets a new value each time.
#
# A plain Python list hides its modules from torch. `nn.ModuleList` is a list that does not.

# %% [markdown] hint="pseudocode"
# ```text
# __init__:  keep the layers in an nn.ModuleList
#
# forward:   for each layer, in order
#                resid = resid plus what the layer answers to resid
#            return resid
# ```

# %% tags=["active-ipynb"]
# test_residual_stream(ResidualStream)

# %% [markdown]
# ## See it work: depth
#
# The same small layers, the same training, the same random numbers. One thing is different: `chain` is now your
# `ResidualStream`.

# %% tags=["active-ipynb", "nbval-ignore-output"]
# train_thrice(ResidualStream, "on your stream")

# %% [markdown]
# Depth no longer hurts: with twelve layers about as much of the error is left as with two. (So it has not helped here
# either, and with only two layers the chain is a little ahead.)
#
# What went wrong in the chain? Send 1000 different rows of numbers through twelve fresh layers, before any training,
# and see by how much the answers still differ from row to row.

# %% tags=["active-ipynb", "folded"]
# # @title Prints how much is left of what came in, layer by layer
# @torch.no_grad()
# def spread_after(make):
#     """The standard deviation over 1000 rows after layers 1, 2, 4, 8 and 12."""
#     torch.manual_seed(0)
#     small_layers = [small_layer() for _ in range(12)]
#     rows = torch.randn(1000, 1, 8, generator=torch.Generator().manual_seed(2))
#     answers = [make(small_layers[:depth])(rows) for depth in (1, 2, 4, 8, 12)]
#     return [f"{answer.std(dim=0).mean():.1g}" for answer in answers]
#
#
# print("after layers    1, 2, 4, 8, 12")
# print("a chain:       ", ", ".join(spread_after(chain)))
# print("on your stream:", ", ".join(spread_after(ResidualStream)))

# %% [markdown]
# (`9e-09` is a 9 with eight zeros between it and the point.) **The chain loses what came in.** Each fresh layer shrinks
# the differences between the rows to about a fifth, so that after twelve layers all rows give practically the same
# answer, and there is nothing left to sort. On the stream the input is still there at the end.
#
# <details><summary>Are vanishing gradients not the reason?</summary>
#
# They shrink too, on their way back through the same layers. But Adam, the optimiser here, divides each gradient by its
# own size, so a small gradient alone does not stop it. With Adam's own safety margin `eps` at 10⁻³⁰ the chains still
# fail: 81, 100 and 97 % (measured when the course was made). The layers of He et al. kept sizes, so theirs was another
# failure; vanishing gradients, they write, are *unlikely* to be its cause.
#
# </details>
#
# **Is the plus sign itself what helps?** No. Chains that start by passing their numbers on, unchanged or rotated, learn
# as well as your stream does, and a stream fails if its layers start too large (More experiments). What helps is that
# on the way the input is kept, and neither shrinks to nothing nor blows up. On a stream with small weights that comes
# for free, while in a chain somebody has to see to it.

# %% [markdown]
# ## See it work: the whole body of GPT-2
#
# A language model sounds like more than a loop with a plus sign. Put GPT-2's own layers on your stream and see what is
# missing. `Sublayer` wraps one attention or MLP of the reference model, together with the LayerNorm (chapter 3) through
# which it reads: that brings its *copy* of the stream to one scale.

# %% tags=["active-ipynb"]
# class Sublayer(nn.Module):
#     """Reads the stream through its LayerNorm; answers what is to be added."""
#
#     def __init__(self, ln, part):
#         super().__init__()
#         self.ln, self.part = ln, part
#
#     def forward(self, resid):
#         answer = self.part(self.ln(resid))
#         return answer[0] if isinstance(answer, tuple) else answer  # without the pattern

# %% tags=["active-ipynb"]
# bridge = boot()
# sublayers = []
# for block in bridge.blocks:
#     sublayers += [Sublayer(block.ln1, block.attn), Sublayer(block.ln2, block.mlp)]
# with torch.no_grad():
#     stream_by_yours = ResidualStream(sublayers)(stream_before_block_0)
# furthest_off = (stream_by_yours - stream_at_the_end).abs().max()
# print(f"sublayers on your stream: {len(sublayers)}")
# print(f"largest difference to the reference model's last stream: {furthest_off:.3f}")

# %% [markdown]
# Nothing is missing. Your three lines, with the trained parts attached to them, are all that GPT-2 has between
# embeddings and `ln_final`.
#
# To say how good a stream is, turn it into a guess. `guesses` does what the right end of the map does: a last
# LayerNorm, then the unembedding `W_U`. The **loss** is the mean over all next tokens of −log(the probability that the
# model gave), in *nats*, the unit of the natural logarithm. Perfect foresight would cost nothing; knowing nothing, each
# token being equally likely, costs 8.32, the logarithm of 4096. How much is much? One nat more divides the probability
# of the right token by 2.7; a hundredth of a nat takes a hundredth off it.
#
# The model reads a tale that was written for this course. One text is good for looking, but a conclusion needs more, so
# it also reads the beginnings of 48 passages, two sets of 24 that it was not trained on. (± is the *standard error*:
# roughly how far a mean may be off.)

# %% tags=["active-ipynb"]
# def guesses(stream):
#     w, b = model.weights["ln_final.w"], model.weights["ln_final.b"]
#     eps = model.cfg.layer_norm_eps
#     normalised = nn.functional.layer_norm(stream, stream.shape[-1:], w, b, eps)
#     return normalised @ model.weights["unembed.W_U"]
#
#
# @torch.no_grad()
# def losses_of(stream, tokens):
#     """The loss of each text, read off its last stream."""
#     logits = guesses(stream)[:, :-1]
#     each = nn.functional.cross_entropy(logits.mT, tokens[:, 1:], reduction="none")
#     return OverPassages(each.mean(dim=-1))
#
#
# def starting_from(tokens):
#     """Where the stream begins: token vectors plus position vectors."""
#     position_vectors = model.weights["pos_embed.W_pos"][: tokens.shape[1]]
#     return model.weights["embed.W_E"][tokens] + position_vectors

# %% tags=["active-ipynb"]
# tale_tokens, passages = encode(TALE), passage_tokens()[:, :128]
# ways_to_run = {
#     "the twelve on your stream": ResidualStream(sublayers),
#     "the same twelve as a chain": chain(sublayers),
#     "all twelve reading the start": lambda resid: (
#         resid + sum(one(resid) for one in sublayers)
#     ),
# }
# print(wrapped(TALE), "", sep="\n")
# print("nats per token                   the tale   48 passages")
# for label, run in ways_to_run.items():
#     with torch.no_grad():
#         on_tale, on_each = (
#             losses_of(run(starting_from(tokens)), tokens)
#             for tokens in (tale_tokens, passages)
#         )
#     print(f"{label:30} {on_tale.mean:10.2f} {on_each.mean:7.2f} ± {on_each.error:.2f}")

# %% [markdown]
# On your stream the model guesses well. As a chain, the same sublayers do worse than knowing nothing, and they do worse
# still if all of them read the start of the stream, so that none sees what another wrote. So adding is half of it, and
# reading what was added before is the other half, at least for sublayers that were trained that way.

# %% [markdown]
# ## Everything that was added can be told apart
#
# Adding has a consequence that makes this model readable. The last stream is a *sum*: token vector, plus position
# vector, plus what each sublayer wrote. Keep the terms, and you can say of every number at the end who put it there.
#
# TransformerLens keeps them, in a dict from names to tensors, the *cache*. Have a look at the names in it:

# %% tags=["active-ipynb"]
# @lru_cache(maxsize=2)  # so that a text is read once
# @torch.no_grad()
# def cache_of(text):
#     """All that TransformerLens sees in the reference model while it reads the text."""
#     return dict(bridge.run_with_cache(typed(text))[1].items())
#
#
# tale_cache = cache_of(TALE)
# some_names = ["hook_embed", "hook_pos_embed"]
# some_names += ["blocks.0.hook_attn_out", "blocks.0.hook_mlp_out"]
# print("some of the names in tale_cache:")
# for name in some_names:
#     print(f"  {name:24}", list(tale_cache[name].shape))

# %% [markdown]
# <details><summary>Does one of the 192 numbers have a meaning?</summary>
#
# Nothing in the architecture gives it one. Every sublayer reads the stream through a matrix, and writes through
# another. Rotate all the vectors, and these matrices with them, and the model computes the same (except for LayerNorm,
# which singles out the mean of the numbers). The stream is said to have *no privileged basis*: what counts is
# directions, not coordinates. (Training may favour some all the same: in this model a few of the numbers are far larger
# than the rest, see chapter 7.) A few directions together, a *subspace*, can serve two layers as a channel: one writes
# there, the other reads there, and the rest of the stream does not disturb them (Elhage et al. 2021).
#
# </details>
#
# `hook_embed` is the vector of the token, `hook_pos_embed` that of the position. `blocks.0.hook_attn_out` is what block
# 0's attention wrote into the stream, `blocks.0.hook_mlp_out` what the MLP wrote, and so on for every block. (`attn` is
# short for attention.)

# %% [markdown] exercise="decompose_residual" difficulty=2 importance=4 minutes=15
# ## Exercise: write `decompose_residual`
#
# **What goes in?** `cache`, a dict from the names that you saw, such as `blocks.0.hook_attn_out`, to tensors. The ones
# you need all have the shape [batch pos d_model]. The cache may come from any model, so find out from the names how
# many blocks there are; the first is block 0. It holds other names too, more or fewer of them: sums of writes such as
# `blocks.0.hook_resid_post`, scores of attention, `ln_final.hook_out`. Those that you need are always there.
#
# **What comes out?** Two things, in this order.
#
# - One tensor [component batch pos d_model]: the parts on a new first axis, in the order in which the model writes
#   them, whatever the order of the dict.
# - A list of short names for them: `embed`, `pos_embed`, `0_attn_out`, `0_mlp_out`, `1_attn_out`, `1_mlp_out`, and so
#   on.
#
# **Before you code**: how many parts are there in a model of 6 blocks?
#
# <details><summary>Answer</summary>
#
# 14: two embeddings, and two from each of the six blocks.
#
# </details>


# %%
def decompose_residual(
    cache: dict[str, Tensor],
) -> tuple[Float[Tensor, "component batch pos d_model"], list[str]]:
    """Stack all that was written into the stream, in order, and name who wrote it.

    The names are embed, pos_embed, then for each block, such as block 0: 0_attn_out,
    0_mlp_out.
    Source: TransformerLens, ActivationCache.decompose_resid.
    """
    # BEGIN SOLUTION
    parts, names = (
        [cache["hook_embed"], cache["hook_pos_embed"]],
        ["embed", "pos_embed"],
    )
    n_layers = sum(name.endswith("hook_attn_out") for name in cache)
    for layer in range(n_layers):
        parts += [
            cache[f"blocks.{layer}.hook_attn_out"],
            cache[f"blocks.{layer}.hook_mlp_out"],
        ]
        names += [f"{layer}_attn_out", f"{layer}_mlp_out"]
    return torch.stack(parts), names
    # END SOLUTION


# %% [markdown] hint="idea"
# Grow two lists side by side, one of tensors, one of names, and let `torch.stack` make one tensor of the first.
#
# Every block has exactly one name that ends in `hook_attn_out`: count those. Don't sort the names as text, since then
# block 10 comes before block 2.

# %% [markdown] hint="pseudocode"
# ```text
# parts = [hook_embed, hook_pos_embed],  names = ["embed", "pos_embed"]
# n_layers = how many names in the cache end in hook_attn_out
# for layer from 0 to n_layers - 1
#     add that block's hook_attn_out and hook_mlp_out to parts
#     add "{layer}_attn_out" and "{layer}_mlp_out" to names
# return parts stacked, names
# ```

# %% tags=["active-ipynb"]
# test_decompose_residual(decompose_residual)

# %% [markdown]
# ## See it work: who writes, and where?
#
# From a sum one can't usually tell the terms. Here you have kept them. Do the parts of the tale add up?

# %% tags=["active-ipynb"]
# tale_parts, part_names = decompose_residual(tale_cache)
# tale_end = tale_cache[f"{last_block}.hook_resid_post"]
# difference = (tale_parts.sum(dim=0) - tale_end).abs().max()
# print(f"{len(part_names)} parts; largest difference", end=" ")
# print(f"of their sum to the last stream: {difference:.3f}")

# %% [markdown]
# They do. Now type a text, and see who writes how much at each position. Two measures are on the menu:
#
# - **norm**: how long the vector is that the layer wrote;
# - **along the end**: how far it points towards where the stream ends up. These add up, down each column, to the norm
#   of the last stream; what points away from it counts as negative, red.
#
# Try one word three times, and watch `5_attn_out`.

# %% tags=["active-ipynb"]
# def who_writes(text, measure):
#     parts, names = decompose_residual(cache_of(text))
#     parts = parts[:, 0, 1:]  # without position 0
#     shown = parts.norm(dim=-1)
#     if measure == "along the end":
#         end = nn.functional.normalize(parts.sum(dim=0), dim=-1)
#         shown = (parts * end).sum(dim=-1)
#     words = str_tokens(typed(text)[0, 1:])
#     return writes_by_position(shown, names, words, f"Who writes how much? ({measure})")
#
#
# fox_sentence = text_box("Once upon a time a fox found a key.")
# explore(who_writes, text=fox_sentence, measure=menu(["norm", "along the end"]))

# %% tags=["active-ipynb"]
# norms_of_parts = tale_parts[:, 0, 1:].norm(dim=-1)
# towards_end = nn.functional.normalize(tale_end, dim=-1)
# along_end = (tale_parts * towards_end).sum(dim=-1)[:, 0, 1:]
# at_position_0 = tale_parts[:, 0, 0].norm(dim=-1)
# sum_of_norms = norms_of_parts.mean(dim=-1).sum()
# print(f"in the tale the {len(part_names)} norms add up to {sum_of_norms:.0f}")

# %% tags=["active-ipynb"]
# predict(
#     "sum_of_parts",
#     """On average over the tale, the norms of the 14 parts add up to 114. What is the
#     norm of the last stream, which is the sum of the 14 parts?
#     (A number, to within a factor of 1.5.)""",
#     answer="33",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws both measures, on average over the tale
# most = part_names[at_position_0.argmax()]
# print(f"at position 0 the largest norm is {at_position_0.max():.1f}, of {most}")
# mean_norms, mean_along = (
#     each.mean(dim=-1).round(decimals=1) for each in (norms_of_parts, along_end)
# )
# grouped_bars(
#     {"norm": mean_norms, "along the end": mean_along},
#     part_names,
#     "Who writes how much in the tale, from position 1 on",
#     y_title="mean",
# )

# %% tags=["active-ipynb"]
# see("sum_of_parts", norm_of_the_last_stream=tale_end[0, 1:].norm(dim=-1).mean())

# %% [markdown]
# One row of the first figure is strong at every token: `0_mlp_out`, the MLP of the very first block. The two embeddings
# can hardly be seen beside it. (At "Once" `5_attn_out` exceeds it.)
#
# **A long vector need not point towards the end.** Block 5's attention writes nearly as much as the first MLP, but
# hardly a tenth of it lies along the end (blue).
#
# Position 0 is left out of the figure. It always holds `<|endoftext|>`, and late MLPs write so much more there that the
# other squares would be faint. Chapter 3 looks into it.

# %% [markdown]
# ### One position, from top to bottom
#
# Now follow the line at a single position, and see every write as it is added. Choose a token with the pointer, or with
# Tab and the arrow keys; for a text of your own change `strip_text`, and run the cell again.

# %% tags=["active-ipynb"]
# strip_text = "Once upon a time a fox found a key."
# strip_parts, strip_names = decompose_residual(cache_of(strip_text))
# strip_words = str_tokens(typed(strip_text)[0])
# stream_strip(strip_parts[:, 0], strip_names, strip_words, position=6)

# %% [markdown]
# Orange is the norm of what a layer writes, thick blue the norm of the stream after each block. The bars on the right
# show how far each points along the end (blue) or against it (red); these do add up. At `·fox` the stream is hardly
# longer at the end than after block 1, though eight more sublayers write: norms do not add up, vectors do.
#
# Now choose the first token, `<eot>`, short for `<|endoftext|>`. (Its longest bars are cut off; the numbers are right.)
# Along the end, block 5's MLP takes back most of what the MLPs of blocks 3 and 4 had written. Late attentions also
# write against block 1's (More experiments).

# %% [markdown]
# ## Where is the embedding?
#
# The vector that says which token it is has a norm of 1, in a stream of 33. One would think that it drowns in what the
# layers add. Or does some layer hand it on?
#
# The stream lets us ask. After a block, keep only what its MLP wrote, put the *mean* of all the rest, over passages and
# positions, in place of the rest, and let the later blocks go on from there. The mean says nothing about the text; a
# stream that is *all* mean is the baseline. (From here on, whatever we conclude is measured on the 48 passages, from
# position 1 on.)

# %% tags=["active-ipynb"]
# with torch.no_grad():
#     passage_cache = dict(bridge.run_with_cache(passages)[1].items())
# every_part = decompose_residual(passage_cache)[0]
# passage_start = every_part[:2].sum(dim=0)  # embed and pos_embed
#
#
# @torch.no_grad()
# def on_passages(layers, resid):
#     """Each passage's loss when these layers, on your stream, start from `resid`."""
#     return losses_of(ResidualStream(list(layers))(resid), passages)
#
#
# def averaged(part, since=1):
#     """From position 1 on the mean over passages and the positions since this one."""
#     mean = part[:, since:].mean(dim=(0, 1))
#     return torch.cat([part[:, :1], mean.expand_as(part[:, 1:])], dim=1)

# %% tags=["active-ipynb"]
# predict(
#     "one_mlp",
#     """Keep what one block's MLP wrote, and the mean of all the rest. For which blocks
#     does that raise the loss by less than half a nat? Write a line that selects them,
#     such as: block >= 2""",
#     block=[0, 1, 2, 3, 4],
#     answer="block == 0",
# )

# %% tags=["active-ipynb"]
# as_it_is = on_passages(sublayers, passage_start)
# print("as it is:", as_it_is)
# print("nats more                  that MLP and the mean   all mean")
# nats_with_one = []
# for layer in range(model.cfg.n_layers - 1):
#     mlp_out = part_names.index(f"{layer}_mlp_out")
#     stream, its_write = every_part[: mlp_out + 1].sum(dim=0), every_part[mlp_out]
#     with_one, all_mean = (
#         on_passages(sublayers[2 * (layer + 1) :], resid) - as_it_is
#         for resid in (its_write + averaged(stream - its_write), averaged(stream))
#     )
#     nats_with_one.append(with_one.mean)
#     print(f"after block {layer}{with_one.mean:20.2f} ± {with_one.error:.2f}", end="")
#     print(f"{all_mean.mean:20.2f} ± {all_mean.error:.2f}")

# %% tags=["active-ipynb"]
# see("one_mlp", nats=nats_with_one)

# %% [markdown]
# In this model the first MLP alone hands over nearly all that the later blocks need. Behind blocks 1 and 2, the MLP's
# answer is worth hardly more than its mean.
#
# Then is the embedding useless? Take it out of the stream at two moments, before block 0 and after it. "Out" means that
# its mean is put in its place: this is called **mean ablation**.

# %% tags=["active-ipynb"]
# def without(which, from_block, ablate=averaged):
#     """Nats more when a part of the stream is ablated before this block runs."""
#     before = every_part[: 2 + 2 * from_block].sum(dim=0)
#     part = every_part[part_names.index(which)]
#     resid = before - part + ablate(part)
#     return on_passages(sublayers[2 * from_block :], resid) - as_it_is
#
#
# for which, from_block in (("embed", 0), ("embed", 1), ("0_mlp_out", 1)):
#     nats_more = without(which, from_block)
#     print(f"{which:9} from block {from_block} on:", end=" ")
#     print(f"{nats_more.mean:+.2f} ± {nats_more.error:.2f} nats")

# %% [markdown]
# The embedding does not drown; it is read early and handed on. Block 0 can't do without it, but after block 0 hardly
# anybody misses it, because the first MLP has read it and written what later layers use. Without *that* answer they
# lose 3.3 nats. Others found much the same in GPT-2 small, and speak of the first MLP's answer as an *extended* or
# *effective embedding* (for example McDougall et al. 2023).
#
# **What this does not show**: that all models do the same, or why this one does.

# %% [markdown]
# ## Is a long answer an important one?
#
# The first MLP writes the longest answer, and the model can't do without it. So can importance be read off the norms?
# Test that on every sublayer: put the mean in place of what it writes, and let all later layers run.

# %% tags=["active-ipynb"]
# predict(
#     "long_or_needed",
#     """Block 5's attention writes a norm of 17.0 in the tale, block 2's one of 11.3.
#     Without which of these two answers does the loss rise more?
#     a) without block 5's, more than twice as much
#     b) about as much without either, to within a factor of 2
#     c) without block 2's, more than twice as much""",
#     answer="c",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws what the model loses without each answer
# worth = []
# for i in waiting(range(12), "twelve sublayers"):
#     so_far, its_write = every_part[: 3 + i].sum(dim=0), every_part[2 + i]
#     without_it = so_far - its_write + averaged(its_write)
#     worth.append(on_passages(sublayers[i + 1 :], without_it) - as_it_is)
# print("                norm   nats more")
# for name, norm, cost in zip(part_names[2:], mean_norms[2:], worth, strict=True):
#     print(f"{name:12} {norm:7.1f} {cost.mean:8.2f} ± {cost.error:.2f}")
# grouped_bars(
#     {"loss added": torch.tensor([cost.mean for cost in worth]).round(decimals=2)},
#     part_names[2:],
#     "What the model loses when a sublayer's answer is replaced by its mean",
#     y_title="loss added, in nats",
# )

# %% tags=["active-ipynb"]
# see(
#     "long_or_needed",
#     without_block_5s=worth[part_names[2:].index("5_attn_out")].mean,
#     without_block_2s=worth[part_names[2:].index("2_attn_out")].mean,
# )

# %% [markdown]
# Only roughly. Longer answers tend to cost more, but **how much a sublayer writes does not settle how much depends on
# it.** The first MLP's answer is long and needed. The answer of block 2's attention, though, is shorter than that of
# block 5's and costs ten times as much, mostly because of the sublayers that read it later (More experiments). And
# block 0's attention, whose answer is the shortest of all, is missed more than block 1's MLP, which writes several
# times as much.
#
# **What this does not show**: how important a sublayer *is*. The rest of the model was trained with it there, and
# without it reads a stream unlike any that it has met. And where the cost is small, another layer may have stepped in
# (McGrath et al. 2023).

# %% [markdown]
# ## A bug in the wild
#
# The block below has a mistake from the pseudocode in Adi Ganesh's [*GPT in words and
# code*](https://github.com/acganesh/acganesh.github.io/blob/12b0d338bb6b2945fc7c91511d66998ab2ce306e/site/content/posts/transformers.md),
# a blog post of 20 August 2023, rewritten here in this chapter's names. It runs, and every shape fits. Find it and mend
# it; the cell after it checks.


# %%
def tutorial_block(resid: Tensor, attention: nn.Module, mlp: nn.Module) -> Tensor:
    """One block: both sublayers read the stream (through LayerNorms), and add to it."""
    # BEGIN SOLUTION
    resid = resid + attention(resid)
    resid = resid + mlp(resid)
    return resid
    # INSTEAD OF
    # resid = resid + attention(resid)
    # resid = resid = mlp(resid)
    # return resid
    # END SOLUTION


# %% tags=["active-ipynb", "folded"]
# # @title Checks your block against the reference model's
# block_3_pre = model.activations["blocks.3.hook_resid_pre"]
# block_3_real = model.activations["blocks.3.hook_resid_post"]
# with torch.no_grad():
#     block_3 = tutorial_block(block_3_pre, sublayers[6], sublayers[7])
# block_3_away = (block_3 - block_3_real).norm(dim=-1).mean()
# block_3_norm = block_3_real.norm(dim=-1).mean()
# print(f"on average {block_3_away:.1f} away from the real resid_post,", end=" ")
# print(f"whose norm is {block_3_norm:.1f}")
# not_mended = "Not mended yet: what does the stream hold after the line for the MLP?"
# assert block_3_away < 0.01, not_mended

# %% [markdown]
# <details><summary>Answer</summary>
#
# The post has `x = x = FFN(LayerNorm(x))`; FFN, *feed-forward network*, is another name for the MLP. That assigns the
# same thing twice; the second `=` should be a plus. (A slip: further down the post has `x = x + ffn(x)`.) So the MLP's
# answer *replaces* the stream: what the embeddings and all sublayers before it have written is gone. Right:
# `resid = resid + mlp(resid)`.
#
# </details>

# %% [markdown]
# ## Check your understanding
#
# **1.** A layer answers with zeros, whatever it reads. What does it do to a stream? And to a chain?
#
# <details><summary>Answer</summary>
#
# To the stream nothing: what is there goes on unchanged. In a chain it erases everything, and no later layer can bring
# it back. That is why "do nothing" is easy on a stream: a layer only has to keep quiet.
#
# </details>
#
# **2.** Can layer 7 erase what layer 2 wrote?
#
# <details><summary>Answer</summary>
#
# It can write the opposite: the sum is then as if neither had written. For that it must find out from the stream what
# layer 2 wrote. But whoever read the stream in between, layers 3 to 6, has seen it. In our model the attentions of
# blocks 4 and 5 do this in part to that of block 1 (More experiments).
#
# </details>
#
# **3.** The parts of the last stream add up to it exactly. Do the *logits* split up into parts in the same way?
#
# <details><summary>Answer</summary>
#
# Not quite. Between the two is the last LayerNorm. It divides by a number that depends on the whole sum, so a part
# alone has no logits of its own. With that number held fixed, as it was for the whole stream, they do add up, with the
# LayerNorm's bias as one more part: this is called *direct logit attribution*.
#
# </details>
#
# **4.** In the figure "Who writes how much?" one sublayer has a norm of 20 and another has one of 4. A friend says the
# first is five times as important. What do you answer, with numbers from this chapter?
#
# <details><summary>Answer</summary>
#
# Norm is how long a vector is, not how much depends on it. `5_attn_out`, with a norm of 17.0 in the tale, costs 0.20
# nats when its mean replaces it; `2_attn_out`, with 11.3, costs 2.09. And `0_attn_out`, with 0.7, costs 0.12, more than
# `1_mlp_out`, with 3.2: that costs 0.03.
#
# </details>

# %% [markdown]
# <details><summary>I get this error</summary>
#
# - **`NameError: name 'sublayers' is not defined`**, or another name: a cell further up has not run since the kernel
#   started. In the menu: Run > Run All Above Selected Cell.
# - **`RuntimeError: ... has been modified by an inplace operation`**: a `+=` on the stream. torch keeps what a layer
#   has read for the gradient, and you have changed it since. Write `resid = resid + layer(resid)`.
# - **`ValueError: optimizer got an empty parameter list`**: the layers are in a Python list, where torch does not look.
#   Keep them in `nn.ModuleList(layers)`.
# - **`AttributeError: cannot assign module before Module.__init__() call`**: `super().__init__()` must come first.
# - **`KeyError: 'blocks.6.hook_attn_out'`**: one block too many. Six blocks have the numbers 0 to 5.
# - **`KeyError: 'blocks.{layer}.hook_attn_out'`**: the `f` before the quotation mark is missing.
# - **`RuntimeError: stack expects each tensor to be equal size`**: something is in the list that is not a write, such
#   as `attn.hook_pattern`, or the parts come from two different texts.
# - **`TypeError: unsupported operand type(s) for +: 'Tensor' and 'tuple'`**: that layer answers with more than its
#   write, as attention does in many libraries. The write is the first of them.
#
# </details>

# %% [markdown]
# ## Where to read more
#
# - He, Zhang, Ren, Sun 2015, *Deep Residual Learning for Image Recognition*,
#   [arXiv:1512.03385](https://arxiv.org/abs/1512.03385): the plus sign, and the chains that got worse with depth.
# - He, Zhang, Ren, Sun 2015b, *Delving Deep into Rectifiers*, [arXiv:1502.01852](https://arxiv.org/abs/1502.01852): how
#   large the weights should be at the start.
# - Elhage et al. 2021, [*A Mathematical Framework for Transformer
#   Circuits*](https://transformer-circuits.pub/2021/framework/index.html): the residual stream as what all layers read
#   and write, its subspaces, and no privileged basis.
# - Veit, Wilber, Belongie 2016, *Residual Networks Behave Like Ensembles of Relatively Shallow Networks*,
#   [arXiv:1605.06431](https://arxiv.org/abs/1605.06431): layers left out and swapped.
# - Xiong et al. 2020, *On Layer Normalization in the Transformer Architecture*,
#   [arXiv:2002.04745](https://arxiv.org/abs/2002.04745): LayerNorm on the line, and beside it.
# - McDougall et al. 2023, *Copy Suppression: Comprehensively Understanding an Attention Head*,
#   [arXiv:2310.04625](https://arxiv.org/abs/2310.04625): with the first MLP counted as part of the embedding.
# - Lad, Gurnee, Tegmark 2024, *The Remarkable Robustness of LLMs: Stages of Inference?*,
#   [arXiv:2406.19384](https://arxiv.org/abs/2406.19384): the same in language models.
# - McGrath et al. 2023, *The Hydra Effect*, [arXiv:2307.15771](https://arxiv.org/abs/2307.15771): layers that make up
#   for one that is gone; total and direct effects.
# - openai/gpt-2, [src/model.py](https://github.com/openai/gpt-2/blob/master/src/model.py): `block`, two additions.

# %% [markdown] tags=["folded"]
# ## More experiments
#
# What the chapter can do without: doubts, other measures, and blocks in another order.

# %% [markdown]
# ### Is it the plus sign that helps?
#
# Or is it only the size of the weights? Start the weights in other ways, and give the stream the same treatment as the
# chain:
#
# - *sized* (after He et al. 2015b): a layer's answer is about as large as what it reads;
# - *sized, and a share*: what a layer writes is divided by √12, for twelve layers;
# - *unchanged*, without a plus sign: each layer starts as the identity;
# - *rotated*, without one too: each starts as a random rotation, which changes every number but loses nothing.

# %% tags=["active-ipynb", "folded"]
# # @title Four ways to start the weights
# @torch.no_grad()
# def sized(small_layers):
#     for first, _, second in small_layers:
#         nn.init.normal_(first.weight, std=(2 / 8) ** 0.5)
#         nn.init.normal_(second.weight, std=(1 / 32) ** 0.5)
#
#
# @torch.no_grad()
# def sized_shares(small_layers):
#     sized(small_layers)
#     for _, _, second in small_layers:
#         second.weight /= len(small_layers) ** 0.5
#
#
# @torch.no_grad()
# def unchanged(small_layers, matrix=nn.init.eye_):
#     """x = relu(x) - relu(-x): 16 of the 32 neurons carry it, the others stay."""
#     both = torch.cat([torch.eye(8), -torch.eye(8)])
#     for first, _, second in small_layers:
#         first.weight[:16] = both
#         second.weight[:, :16] = matrix(torch.empty(8, 8)) @ both.T
#         first.bias[:16] = 0
#         second.bias[:] = 0
#
#
# def rotated(small_layers):
#     unchanged(small_layers, nn.init.orthogonal_)

# %% tags=["active-ipynb", "nbval-ignore-output"]
# train_thrice(chain, "a chain, sized", (12,), sized)
# train_thrice(ResidualStream, "on your stream, sized", (12,), sized)
# train_thrice(ResidualStream, "on your stream, sized, and a share", (12,), sized_shares)
# train_thrice(chain, "a chain, unchanged", (12,), unchanged)
# train_thrice(chain, "a chain, rotated", (12,), rotated)

# %% [markdown]
# And how much of the input is still there before any training? Fit one linear map that reads the eight numbers off the
# answers of twelve fresh layers, and test it on other rows:

# %% tags=["active-ipynb", "folded"]
# # @title Prints how much of the input a linear map recovers
# @torch.no_grad()
# def recovered(make, prepare, seed):
#     """The share of the input's variance, on rows that the map was not fitted to."""
#     torch.manual_seed(seed)
#     small_layers = [small_layer() for _ in range(12)]
#     prepare(small_layers)
#     rows = torch.randn(2000, 1, 8, generator=torch.Generator().manual_seed(2))
#     answers = make(small_layers)(rows)[:, 0].double()
#     rows, answers = rows[:, 0].double(), answers - answers.mean(dim=0)
#     answers /= answers.std(dim=0)
#     linear_map = torch.linalg.lstsq(answers[:1000], rows[:1000]).solution
#     missed = rows[1000:] - answers[1000:] @ linear_map
#     return 1 - (missed.pow(2).sum() / rows[1000:].pow(2).sum()).item()
#
#
# starts = {
#     "a chain": (chain, lambda small_layers: None),
#     "a chain, sized": (chain, sized),
#     "on your stream, sized": (ResidualStream, sized),
#     "on your stream": (ResidualStream, lambda small_layers: None),
#     "on your stream, sized, and a share": (ResidualStream, sized_shares),
#     "a chain, unchanged": (chain, unchanged),
#     "a chain, rotated": (chain, rotated),
# }
# for name, (make, prepare) in starts.items():
#     shares = (f"{recovered(make, prepare, seed):.0%}" for seed in (0, 1, 2))
#     print(f"{name:35}", ", ".join(shares))

# %% [markdown]
# **The plus sign is not magic.** Two chains without any plus sign do as well as your stream, even the one that starts
# with rotations. A sized chain learns too, but from most seeds less. And *on the stream the same sized weights
# fail*, because each layer adds about as much as is already there, and the sum grows and grows. Shares cure that.
#
# **What the four good starts have in common is that little is lost**: behind their twelve layers a linear map finds
# three quarters of the input or more, behind those of the other three starts less than a third. But that alone is not
# enough: let each layer of the unchanged chain make its numbers half as large again, and the map still finds nearly
# all, but the training fails (measured when the course was made).
#
# GPT-2 takes care of this. Before training, the weights that write into its stream are divided by √N, where N is the
# number of layers that write (Radford et al. 2019, section 2.3). You will meet it again in chapter 7.
#
# <details><summary>Did Transformers always have such a clean stream?</summary>
#
# No. In the first one (Vaswani et al. 2017) a LayerNorm was *on* the line, after each plus sign, so nothing passed
# unchanged. Such models, called *post-LN*, need training to start slowly, with a small learning rate (Xiong et al.
# 2020). GPT-2 moved the LayerNorms off the line, to where each layer reads.
#
# </details>

# %% [markdown]
# ### Do they write against each other?
#
# The norms of the parts add up to several times the norm at the end, so perhaps the layers cancel each other. As a
# baseline, turn each part by a random rotation of its own, the same at every position: its norms stay, what is the same
# everywhere stays the same everywhere, and only its direction is random.

# %% tags=["active-ipynb"]
# parts48 = every_part[:, :, 1:]  # without position 0
#
#
# def turned(parts, seed):
#     """Each part turned by its own random rotation."""
#     dice = torch.Generator().manual_seed(seed)
#     d_model = parts.shape[-1]
#     random_matrices = torch.randn(len(parts), d_model, d_model, generator=dice)
#     return parts @ torch.linalg.qr(random_matrices).Q[:, None]

# %% tags=["active-ipynb", "folded"]
# # @title Prints the norms, and who points against 1_attn_out
# def by_passage(numbers):
#     """The mean over positions, for each passage; prints with its standard error."""
#     return OverPassages(numbers.mean(dim=-1))
#
#
# def cosines_with(early, parts):
#     """The cosine of what this part wrote with what each part wrote."""
#     early_part = parts[part_names.index(early)]
#     return nn.functional.cosine_similarity(early_part, parts, dim=-1)
#
#
# def less_its_mean(parts):
#     return parts - parts.mean(dim=(1, 2), keepdim=True)
#
#
# after_blocks = parts48.cumsum(dim=0)[3::2]
# print("norm after each block:", *(f"{x.norm(dim=-1).mean():.1f}" for x in after_blocks))
# print("sum of all norms:     ", by_passage(parts48.norm(dim=-1).sum(dim=0)))
# print("the last stream:      ", by_passage(after_blocks[-1].norm(dim=-1)))
# baselines = [turned(parts48, seed) for seed in range(6)]
# turned_ends = [each.sum(dim=0).norm(dim=-1).mean().item() for each in baselines]
# print(f"turned at random:      {min(turned_ends):.1f} to {max(turned_ends):.1f}\n")
#
# as_written = cosines_with("1_attn_out", parts48)
# varying = cosines_with("1_attn_out", less_its_mean(parts48))
# by_chance = torch.stack(
#     [cosines_with("1_attn_out", each).mean(dim=(1, 2)) for each in baselines]
# )
# print("cosine with 1_attn_out       as it is   without means   turned at random")
# for i in range(part_names.index("2_attn_out"), len(part_names), 2):
#     whole, changing = by_passage(as_written[i]), by_passage(varying[i])
#     print(f"{part_names[i]:20} {whole.mean:8.2f} ± {whole.error:.2f}", end=" ")
#     print(f"{changing.mean:8.2f} ± {changing.error:.2f}", end=" ")
#     print(f"{by_chance[:, i].min():9.2f} to {by_chance[:, i].max():.2f}")
# direction = nn.functional.normalize(parts48[part_names.index("1_attn_out")], dim=-1)
# held = (after_blocks * direction).sum(dim=-1)
# print("\nwhat the stream holds along 1_attn_out")
# for block in range(1, 6):
#     print(f"after block {block}:", by_passage(held[block]))

# %% [markdown]
# Most of what looks like a battle is geometry, because in 192 dimensions random directions are nearly at right angles:
# turned at random, the same parts end only a little longer (38 to 39 instead of 33).
#
# But the sum hides that **the late attentions write against block 1's**. What blocks 5 and 4 write points against
# `1_attn_out`, with cosines of −0.70 and −0.51, where random turns stay within ±0.1. What the stream holds along
# `1_attn_out` falls from 26 after block 1 to 7 at the end. So late layers do take back much of what an early one wrote.
#
# Much of that is one constant vector against another, which chapter 6 meets again when it reads a guess off after each
# block. When each part has its mean over all passages and positions subtracted, both cosines are still between −0.2 and
# −0.3: weaker, but not by chance.

# %% [markdown]
# ### Zeros, or whose mean?
#
# "Out" can also mean **zero ablation**: zeros in place of the answer, which no reader has ever met. And a mean can be
# taken over other positions.

# %% tags=["active-ipynb"]
# def zeroed(part):
#     """Nothing, from position 1 on."""
#     return torch.cat([part[:, :1], torch.zeros_like(part[:, 1:])], dim=1)

# %% tags=["active-ipynb"]
# for which, from_block in (("embed", 0), ("embed", 1), ("0_mlp_out", 1)):
#     nats_more = without(which, from_block, zeroed)
#     print(f"{which:9} zeroed from block {from_block} on:", end=" ")
#     print(f"{nats_more.mean:+.2f} ± {nats_more.error:.2f} nats")
# nats_more = without("0_mlp_out", 1, lambda part: averaged(part, since=64))
# print(f"the same, by the mean since position 64: {nats_more.mean:+.2f}", end=" ")
# print(f"± {nats_more.error:.2f} nats")

# %% [markdown]
# For the embedding it makes little difference. For the first MLP it does: 5.5 nats with zeros, 3.3 with its mean, 4.4
# with the mean since position 64. So say whose mean it is, because what a layer writes on average changes along a text.
# (A mean that fits better need not cost less: at the positions since 64, too, their own mean costs more.)

# %% [markdown]
# ### Does size matter?
#
# Does it count how *long* a layer's answer is? Make answers smaller or larger, and see who notices:

# %% tags=["active-ipynb"]
# class Scaled(nn.Module):
#     """A layer whose answer is multiplied by a factor."""
#
#     def __init__(self, layer, factor):
#         super().__init__()
#         self.layer, self.factor = layer, factor
#
#     def forward(self, resid):
#         return self.factor * self.layer(resid)

# %% tags=["active-ipynb", "folded"]
# # @title What the passages cost with answers of another size
# def more_with(layers, resid):
#     """Nats more, with the standard error."""
#     more = on_passages(layers, resid) - as_it_is
#     return f"{more.mean + 0.0:.2f} ± {more.error:.2f}".replace("-0.00", "0.00")
#
#
# halved = [Scaled(one, 0.5) for one in sublayers]
# one_halved = []
# for i in waiting(range(12), "twelve halves"):
#     layers = [*sublayers[:i], halved[i], *sublayers[i + 1 :]]
#     one_halved.append((on_passages(layers, passage_start) - as_it_is).mean)
# others_halved = one_halved[:1] + one_halved[2:]
# but_one = [halved[0], sublayers[1], *halved[2:]]
# print("nats more")
# print("the last stream times 10:           ", more_with([], 10 * every_part.sum(dim=0)))
# print("both embeddings and all twelve half:", more_with(halved, passage_start / 2))
# print("all twelve sublayers write half:    ", more_with(halved, passage_start))
# print(f"only the MLP of block 0 does:        {one_halved[1]:.2f}")
# print(f"only one of the other eleven does:   {min(others_halved):.2f}", end=" ")
# print(f"to {max(others_halved):.2f}")
# print("these eleven do, not that MLP:      ", more_with(but_one, passage_start))

# %% [markdown]
# The overall size does not matter. Ten times the last stream changes nothing, since the LayerNorm at the end brings it
# back to one scale. Nor does half of everything, embeddings included, since every sublayer reads through a LayerNorm
# too.
#
# The proportions do matter. If all twelve write half and the embeddings stay, the loss rises by only 0.17 nats. But
# halve the *first MLP's* answer alone, and it rises by 2.66. So what counts is how long an answer is *compared with the
# other answers*, most of all for that MLP.

# %% [markdown]
# ### Who is it for?
#
# A sublayer may write for the end of the model, where the guess is read off, or for a sublayer that comes later. Two
# measurements tell these apart.
#
# - **Total**: ablate its answer where it is written, as in the main text. Every later layer has to do without.
# - **Direct**: let everything run as usual, and ablate its answer only in the *last* stream.

# %% tags=["active-ipynb", "folded"]
# # @title Draws what each sublayer is worth, in total and directly
# def costs_of(i):
#     """Nats more without what sublayer i writes: total by zero and mean, then direct."""
#     its_write, at_the_end = every_part[2 + i], every_part.sum(dim=0)
#     so_far, later = every_part[: 3 + i].sum(dim=0), sublayers[i + 1 :]
#     costs = []
#     for resid, readers in ((so_far, later), (at_the_end, [])):
#         for ablate in (zeroed, averaged):
#             ablated = resid - its_write + ablate(its_write)
#             costs.append(on_passages(readers, ablated) - as_it_is)
#     return costs
#
#
# all_costs = [costs_of(i) for i in waiting(range(12), "twelve sublayers, four ways")]
# write_costs = torch.tensor([[cost.mean for cost in costs] for costs in all_costs])
# its_mean = parts48[2:].mean(dim=(1, 2)).pow(2).sum(dim=-1)
# constant = its_mean / parts48[2:].pow(2).sum(dim=-1).mean(dim=(1, 2))
# print("nats more    total: zero  mean   direct: zero  mean   the same everywhere")
# for i, row in enumerate((write_costs + 0.0).tolist()):
#     print(f"{part_names[2 + i]:12} {row[0]:10.2f} {row[1]:5.2f}", end=" ")
#     print(f"{row[2]:14.2f} {row[3]:5.2f} {constant[i]:12.0%}")
# every_cost = [cost for costs in all_costs for cost in costs]
# print(f"largest standard error: {max(cost.error for cost in every_cost):.2f};", end=" ")
# print(f"both sets agree: {all(cost.agree for cost in every_cost)}")
# _, by_total, _, by_end = write_costs.T.round(decimals=2) + 0.0
# grouped_bars(
#     {"total: all later layers miss it": by_total, "direct: only the end does": by_end},
#     part_names[2:],
#     "What the model loses when a sublayer's answer is replaced by its mean",
#     y_title="loss added, in nats",
# )

# %% [markdown]
# The figure shows the costs by the mean, orange in total and blue directly; the table shows them both ways. At the far
# right total and direct must agree, because nobody reads `5_mlp_out` but the end. At the left they don't. Without block
# 2's attention the loss rises by 2.1 nats in total, but only by 0.15 if the end alone has to do without it, so most of
# its effect goes through later sublayers.
#
# **Zeros can mislead.** Ablated by zeros, block 0's attention (in total) and block 1's (directly) seem to cost much,
# and by the mean very little, because most of what either writes is one vector, the same everywhere (last column: its
# share of the squared norm). It says nothing about the text, but whoever reads it relies on it, and zeros take it away.

# %% [markdown]
# ### Does the order matter?
#
# In a sum the order does not matter: 1 + 2 = 2 + 1. So perhaps the blocks can be shuffled? Put them onto your stream in
# another order, leave one out, or let one run twice.

# %% tags=["active-ipynb"]
# def in_order(*blocks):
#     """The sublayers of these blocks, one after another."""
#     return [sublayers[2 * block + i] for block in blocks for i in (0, 1)]

# %% tags=["active-ipynb"]
# predict(
#     "which_swap",
#     """Swap blocks 3 and 4, or swap blocks 0 and 1. Which swap does more harm?
#     a) the swap of 3 and 4, more than twice as much
#     b) either about as much, to within a factor of 2
#     c) the swap of 0 and 1, more than twice as much""",
#     answer="c",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws the loss in nine orders
# orders = {
#     "in order": (0, 1, 2, 3, 4, 5),
#     "3 twice": (0, 1, 2, 3, 3, 4, 5),
#     "3 ↔ 4": (0, 1, 2, 4, 3, 5),
#     "without 3": (0, 1, 2, 4, 5),
#     "without 5": (0, 1, 2, 3, 4),
#     "2 ↔ 4": (0, 1, 4, 3, 2, 5),
#     "0 ↔ 1": (1, 0, 2, 3, 4, 5),
#     "reversed": (5, 4, 3, 2, 1, 0),
#     "without 0": (1, 2, 3, 4, 5),
# }
# in_these = [on_passages(in_order(*blocks), passage_start) for blocks in orders.values()]
# for name, each in zip(orders, in_these, strict=True):
#     more = each - in_these[0]
#     print(f"{name:10} {each.mean:.2f}, {more.mean:+.2f} ± {more.error:.2f}")
# grouped_bars(
#     {"loss": torch.tensor([each.mean for each in in_these]).round(decimals=1)},
#     list(orders),
#     "Loss with the blocks in another order",
#     y_title="loss in nats",
#     level=8.3,
#     level_name="all tokens equally likely: 8.3",
# )

# %% tags=["active-ipynb"]
# swapped = dict(zip(orders, in_these, strict=True))
# see(
#     "which_swap",
#     nats_of_3_and_4=(swapped["3 ↔ 4"] - in_these[0]).mean,
#     nats_of_0_and_1=(swapped["0 ↔ 1"] - in_these[0]).mean,
# )

# %% [markdown]
# The order matters, but how much depends on where. In the middle blocks 3 and 4 can swap at a price of 0.3 nats. A swap
# of blocks 0 and 1 is about as bad as all six reversed, and without block 0 the model does worse than knowing nothing.
#
# A sum does not depend on the order; the blocks do, since each *reads* what is there when its turn comes. Veit et al.
# (2016) found much the same in networks that recognise pictures, and Lad et al. (2024) in large language models.
#
# **What this does not show**: that middle blocks do the same thing. Swapping blocks 3 and 4 leaves each of them nearly
# all that it usually reads.

# %% [markdown]
# Try your own order, on the tale. The first block to run is on the left.

# %% tags=["active-ipynb", "folded"]
# # @title Draws the loss in the order that you type
# def my_order(order):
#     chosen = order.replace(",", "").replace(" ", "")
#     if not chosen or set(chosen) - set("012345") or len(chosen) > 20:
#         raise ValueError(
#             "Type the blocks, 0 to 5, in the order in which they should run: "
#             "at most 20 numbers, such as 012435."
#         )
#     mine = in_order(*map(int, chosen))
#     tale_start, losses = starting_from(tale_tokens), []
#     for layers in (sublayers, mine):
#         with torch.no_grad():
#             tale_end = ResidualStream(layers)(tale_start)
#         losses.append(losses_of(tale_end, tale_tokens).mean)
#     return grouped_bars(
#         {"loss": torch.tensor(losses).round(decimals=1)},
#         ["in order", " ".join(chosen)],
#         "Loss with the blocks in your order",
#         y_title="loss in nats",
#         level=8.3,
#         level_name="all tokens equally likely: 8.3",
#     )
#
#
# explore(my_order, order=text_box("012435"))
