"""Chapter 3: LayerNorm. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 3 · LayerNorm: one scale for every vector
#
# You will write `LayerNorm`, the smallest part of GPT-2 and the one that occurs most often: twice in every block and
# once at the end. When yours passes, our reference model will tell a story with your code in place of every LayerNorm.
# Then you take LayerNorm apart to see which step the model needs.
#
# About 45 minutes, 15 of them for the exercise.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError(
#         "This kernel does not have the course. In Colab, run the cell above this one; "
#         "elsewhere, in the course's folder: make lab"
#     ) from None
#
# start("ch03_layernorm")

# %%
import torch
from jaxtyping import Float
from torch import Tensor, nn

from utils.config import Config

# %% tags=["active-ipynb", "folded"]
# # @title Imports what the chapter needs, its tests included
# from functools import lru_cache
#
# from tests.ch03_layernorm import test_layer_norm
# from tests.predictions.ch03_layernorm import predict, see
# from utils.controls import explore, menu, text_box
# from utils.model_map import model_map
# from utils.passages import OverPassages, over_passages, passage_tokens
# from utils.plotting import bars, heatmap, lines
# from utils.plotting.style import numbers
# from utils.reference import boot, encode, reference, str_tokens
# from utils.texts import typed, wrapped
# from utils.transplant import (
#     TALE,
#     given_to,
#     layer_norm_names,
#     logits_with,
#     next_token_loss,
#     scaled_and_shifted,
#     tell,
#     untrained,
#     with_weights,
# )
# from utils.waiting import waiting

# %% tags=["active-ipynb"]
# model_map("ln", "ln_final")

# %% [markdown]
# This is the map of the model; orange marks this chapter. Text comes in as **tokens**, words or pieces of words
# (chapter 0). At each position the model keeps one vector of `d_model` numbers, the **residual stream**. It starts as
# token vector plus position vector (chapter 2) and runs through the **blocks**.
#
# A block has two **sublayers**, attention and an MLP. Each reads a copy of the stream through a LayerNorm, `ln1` or
# `ln2`, and adds its output to the stream. At the end `ln_final` reads the stream for the unembedding, which makes
# **logits**: one score for each token of the vocabulary.
#
# Our **reference model** is a small GPT-2, trained for this course on children's books (and, to teach it copying, on
# some made-up rows in which phrases repeat). Its `d_model` is 192.
#
# ## Something grows
#
# What does all that adding do to the vectors? One would expect each sublayer to lengthen them a little. Below, the
# model reads "Once upon a time a fox found a key." Each line is one token. Its height is the *norm* of the token's
# vector, the root of the sum of its squares, where a LayerNorm is about to read it.

# %% tags=["active-ipynb"]
# model = reference()
# words = str_tokens(model.tokens[0])
# ln_names = layer_norm_names(model.cfg)
# stream_read = torch.stack([model.activations[f"{ln}.hook_in"][0] for ln in ln_names])
# norms_read = stream_read.norm(dim=-1).T

# %% tags=["active-ipynb"]
# predict(
#     "tenfold",
#     """Leave the first token aside. Which LayerNorm is the first to read vectors that
#     are more than ten times as long as those that `ln1` of block 0 reads?
#     a) `ln2` of block 0, behind the first attention
#     b) `ln1` of block 1, behind the first MLP
#     c) a later one, since each sublayer lengthens them a little
#     d) none, since LayerNorm keeps them at one scale""",
#     answer="b",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws the norm that each LayerNorm reads
# readers = [name.removeprefix("blocks.") for name in ln_names]
# lines(
#     {
#         "first token, <|endoftext|>": norms_read[:1],
#         "the other ten tokens": norms_read[1:],
#     },
#     words,
#     readers,
#     "The stream grows",
#     x_title="read by",
#     y_title="norm of each vector",
# )

# %% tags=["active-ipynb"]
# for reader in ("0.ln1", "0.ln2", "1.ln1", "1.ln2", "3.ln1", "5.ln1", "ln_final"):
#     first, *others = norms_read[:, readers.index(reader)].tolist()
#     print(f"{reader:9} first token {first:5.1f},", end=" ")
#     print(f"the others {min(others):4.1f} to {max(others):4.1f}")

# %% tags=["active-ipynb"]
# by_reader = norms_read[1:].mean(dim=0)
# times_as_long = (by_reader / by_reader[0]).tolist()
# see(
#     "tenfold",
#     times_at_0_ln2=times_as_long[1],
#     times_at_1_ln1=times_as_long[2],
#     most_times=max(times_as_long),
# )

# %% [markdown]
# Orange diamonds are the first token, the `<|endoftext|>` that comes before every text; blue circles are the tokens
# after it. `0.ln2` is short for `blocks.0.ln2`, and `hook_in` is what goes into it. The names come from
# TransformerLens, a library for looking inside models.
#
# **The vectors leap more than they grow.** The first MLP makes the blue ones more than ten times as long, block 1's
# attention adds half as much again, and there they stay, more or less. The first token goes its own way, to more than
# four times that norm, before the last MLP brings it back down. (The medians on other texts do the same: measured when
# the course was made.)
#
# So adding can also shrink a vector, but nothing keeps it at a fixed size.

# %% [markdown]
# ## Why would a sublayer mind?
#
# A vector twice as long seems to say the same thing, only louder. But a sublayer multiplies what it reads by fixed
# weight matrices, which were trained on inputs of one scale. Give it a vector twice as long and, biases aside, every
# linear output doubles. Attention multiplies two such outputs to get its *scores*, which quadruple. And softmax, which
# turns scores into weights that add up to 1, works with exponentials:

# %% tags=["active-ipynb"]
# for three_scores in (torch.tensor([0.0, 1.0, 2.0]), torch.tensor([0.0, 4.0, 8.0])):
#     weights = [f"{weight:.2f}" for weight in three_scores.softmax(dim=-1)]
#     print(f"scores {three_scores.int().tolist()}: weights", *weights)

# %% [markdown]
# A blend of all three has become almost nothing but the third. So attention does not just say the same thing louder; it
# says something else.
#
# That is why each sublayer, and the unembedding too, reads a *copy* of the stream in which every vector has been
# brought to one scale. Making that copy is what LayerNorm does.

# %% [markdown]
# ## Four numbers by hand
#
# Take a stream with `d_model = 4`, and one vector of it: `0, 2, 2, 8`.
#
# - **Slide.** The mean is 3. Subtract it, and the vector is `−3, −1, −1, 5`, whose mean is 0.
# - **Stretch.** The variance is the mean of the squares, `(9 + 1 + 1 + 25) / 4 = 9`. Divide by its root, the *standard
#   deviation*, and the vector is `−1, −⅓, −⅓, 1⅔`, whose variance is 1.

# %% tags=["active-ipynb"]
# by_hand_vector = torch.tensor([0.0, 2.0, 2.0, 8.0])
# by_hand_slid = by_hand_vector - by_hand_vector.mean()
# by_hand_variance = by_hand_slid.pow(2).mean()
# by_hand_steps = {
#     "the vector": by_hand_vector,
#     "slid to mean 0": by_hand_slid,
#     "stretched to variance 1": by_hand_slid / by_hand_variance.sqrt(),
# }
# bars(by_hand_steps, "LayerNorm by hand")

# %% [markdown]
# Each colour is one dimension. First the bars slide down together, then they shrink together. Try four other numbers
# in `by_hand_vector`.
#
# A variance of 1 also fixes the norm. When the squares of `d_model` numbers have the mean 1, they add up to `d_model`,
# so the norm is √`d_model`, in the reference model √192 = 13.86.
#
# Two details turn this into GPT-2's LayerNorm.
#
# **`eps`.** If all numbers of a vector are equal (try `5, 5, 5, 5` above), its variance is 0, and the stretch divides 0
# by 0. So a small constant, `cfg.layer_norm_eps` = 0.00001, is added to the variance *before* the root is taken.
#
# **`w` and `b`.** The model may then scale each dimension by a learned number, `w`, and shift it by another, `b`. Both
# have `d_model` entries, at first ones and zeros, which do nothing. So the norm is √`d_model` before `w` and `b`, not
# after.
#
# With μ for the mean of the vector and σ² for its variance:
#
# $$\text{out} = \frac{\text{residual} - \mu}{\sqrt{\sigma^2 + \text{eps}}} \cdot w + b$$

# %% [markdown]
# ### What it is not
#
# - **It does not mix positions.** Each vector is normalised by its own mean and its own variance. If your output for
#   one sentence changes when a second one joins the batch, you have written something else (BatchNorm, most likely).
# - **It does not clip.** Single numbers can still be large, as you will see. It is the vector as a whole that is
#   brought to scale.
# - **It does not change the stream.** It makes a copy for the sublayer to read. The stream itself goes on untouched.

# %% [markdown] exercise="LayerNorm" difficulty=2 importance=5 minutes=15
# ## Exercise: write `LayerNorm`
#
# **What goes in?** `residual`: one vector of `d_model` numbers for each position of each sentence in the batch.
#
# **What comes out?** A tensor of the same shape: each vector normalised, scaled by `w`, shifted by `b`. `residual`
# itself stays as it was.
#
# `__init__` is given. Write `forward`. Any correct way will pass, PyTorch's own functions included, but you will meet
# the mean and the variance again: write them out once.
#
# The test also asks that `eps` comes from `cfg.layer_norm_eps`, that gradients reach `residual`, `w` and `b`, and that
# the numbers stay accurate where vectors are very large or very small or their mean is far from 0 (it tries 1000).
#
# **Before you code**: is the variance the sum of squares divided by `d_model`, or by `d_model - 1`?
#
# <details><summary>Answer</summary>
#
# By `d_model`, as in the example above. The other one is the *unbiased* estimate, and it is what `Tensor.var` and
# `Tensor.std` give you unless you say `unbiased=False`. At `d_model = 768` it changes what LayerNorm returns by 0.07 %.
# No error message tells you, and the loss hardly moves: you will measure it further down.
#
# </details>


# %%
class LayerNorm(nn.Module):
    """Give each residual vector mean 0 and variance 1; then scale by w and shift by b.

    Source: openai/gpt-2 src/model.py, norm(); Ba et al. 2016, eq. 4.
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(
        self, residual: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        centred = residual - residual.mean(dim=-1, keepdim=True)
        variance = centred.pow(2).mean(dim=-1, keepdim=True)
        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
        # END SOLUTION


# %% [markdown] hint="idea"
# Apply the two steps of the example, slide and stretch, to every vector at once. The numbers of one vector lie along
# the last axis, so both means run over `dim=-1`.
#
# `residual.mean(dim=-1)` has the shape [batch pos]. To subtract it from [batch pos d_model] it needs a last axis of
# size 1: that is what `keepdim=True` is for.

# %% [markdown] hint="pseudocode"
# ```text
# centred  = residual minus its mean over d_model
# variance = mean over d_model of centred squared
# out      = centred divided by the root of (variance + eps)
# return out times w plus b
# ```

# %% tags=["active-ipynb"]
# test_layer_norm(LayerNorm)

# %% [markdown]
# ## See it work
#
# Here is your LayerNorm, fresh from `__init__`, on everything that the first figure showed:

# %% tags=["active-ipynb"]
# with torch.no_grad():
#     normalised_stream = LayerNorm(model.cfg)(stream_read)
# norms_after = normalised_stream.norm(dim=-1)
# print(f"norms after your LayerNorm: {norms_after.min():.2f} to {norms_after.max():.2f}")
# least, most = normalised_stream.min(), normalised_stream.max()
# print(f"single numbers in it: {least:.1f} to {most:.1f}")

# %% [markdown]
# All vectors now have one norm, √192, whatever the token and whatever the reader. (`eps` takes a little off: question
# 1.) Single numbers can still be large.
#
# `with_weights` makes a `LayerNorm` of yours with the trained `w` and `b` of one LayerNorm in the reference model.
# `tell` runs the model with yours in place of its own, from the same seed.

# %% tags=["active-ipynb"]
# mine = {name: with_weights(LayerNorm, name) for name in ln_names}
# for whose, layer_norms in {"its own LayerNorms": {}, "yours": mine}.items():
#     story = tell("Once upon a time", layer_norms, seed=5)
#     print(f"with {whose}:", wrapped(story), "", sep="\n")

# %% [markdown]
# The story is the same, word for word. With the trained `w` and `b` the outputs no longer have one norm:

# %% tags=["active-ipynb"]
# with torch.no_grad():
#     for name in ("blocks.0.ln1", "ln_final"):
#         answer_norms = mine[name](stream_read[ln_names.index(name)]).norm(dim=-1)
#         least, most = answer_norms.min(), answer_norms.max()
#         print(f"{name}: norms from {least:.1f} to {most:.1f}")

# %% [markdown]
# ### The stream at another size
#
# Below, the model reads a text of your choice. The stream that reaches each LayerNorm is multiplied by `times` and goes
# through a fresh LayerNorm of yours. The scale on the left is logarithmic.
#
# **Before you choose**: what will factors of 100 and of 0.01 do to the norms after your LayerNorm?

# %% tags=["active-ipynb", "folded"]
# # @title Draws the stream before and after your LayerNorm
# @lru_cache(maxsize=8)  # the model reads a text once, whatever the factor
# def stream_of(text):
#     """What each of your 13 is given while the model reads: [reader pos d_model]."""
#     given = given_to(mine, typed(text, most=40))
#     return torch.stack([given[name][0] for name in ln_names])
#
#
# def before_and_after(text, times):
#     before = times * stream_of(text)
#     with torch.no_grad():
#         after = LayerNorm(model.cfg)(before).norm(dim=-1).T
#     before = torch.tensor(numbers(before.norm(dim=-1).T))  # to three digits
#     text_words = str_tokens(typed(text)[0])
#     return lines(
#         {
#             "first token": before[:1],
#             "the others": before[1:],
#             "after your LayerNorm": after,
#         },
#         [*text_words, *text_words],
#         readers,
#         f"The stream times {times}, before and after your LayerNorm",
#         x_title="read by",
#         y_title="norm of each vector",
#         log_y=True,
#         digits=4,
#     ).update_yaxes(range=[-2.3, 4.5])
#
#
# explore(
#     before_and_after,
#     text=text_box("Once upon a time a fox found a key."),
#     times=menu([0.01, 0.1, 1, 10, 100], 1),
# )

# %% [markdown]
# Orange is the first token, blue the tokens after it, green all of them after your LayerNorm. A large factor leaves the
# green line where it is; a factor of 0.01 bends it down on the left, in block 0 (question 1).

# %% [markdown]
# ## Which part does the work?
#
# LayerNorm slides and stretches, and one would expect a model that was trained with both steps to need both. Leave one
# out (without the slide it is called *RMSNorm*), keep the trained `w` and `b`, and let the model read the beginnings of
# 48 passages, two sets of 24 that it was not trained on.
#
# Softmax turns the logits into probabilities. The **loss** is the mean over all next tokens of −log(the probability
# that the model gave), in *nats*, the unit of the natural logarithm. Perfect foresight would cost nothing; giving all
# 4096 tokens the same probability costs 8.3, the logarithm of 4096. How much is much? A tenth of a nat more takes a
# tenth off the probability of the right token. ± is the *standard error*: roughly how far a mean may be off.

# %% tags=["active-ipynb"]
# def slid(vectors):
#     return vectors - vectors.mean(dim=-1, keepdim=True)
#
#
# first_halves = {
#     "slide and stretch, as you wrote them": LayerNorm(model.cfg),
#     "slide, divide by x.std() + eps": (
#         lambda vectors: slid(vectors) / (vectors.std(dim=-1, keepdim=True) + 1e-6)
#     ),
#     "stretch alone (RMSNorm)": (
#         lambda vectors: nn.functional.rms_norm(vectors, vectors.shape[-1:], eps=1e-5)
#     ),
#     "slide alone": slid,
# }

# %% tags=["active-ipynb"]
# predict(
#     "which_step",
#     """Without which step does the trained model's loss rise by more than 0.1 nats?
#     a) without either: both are needed
#     b) only without the stretch
#     c) only without the slide
#     d) in neither case: `w` and `b` make up for the step""",
#     answer="b",
# )

# %% tags=["active-ipynb"]
# def loss_with(half_of):
#     """Each passage's loss when each LayerNorm's first half is the one of its name."""
#     whole = {name: scaled_and_shifted(name, half_of[name]) for name in ln_names}
#
#     def measure(tokens):
#         return next_token_loss(logits_with(whole, tokens[:, :128]), tokens[:, :128])
#
#     return over_passages(measure)
#
#
# as_you_wrote_it = loss_with(dict.fromkeys(ln_names, LayerNorm(model.cfg)))
# rises = {}
# for label, first_half in first_halves.items():
#     loss = loss_with(dict.fromkeys(ln_names, first_half))
#     more = loss - as_you_wrote_it
#     rises[label] = more.mean
#     print(f"{label:37}{loss.mean:7.4g} nats", end=", ")
#     digits = 4 if more.error < 1 else 0
#     print(f"{more.mean:+.{digits}f} ± {more.error:.{digits}f}", end=", ")
#     print(f"higher on {more.above} of {len(more.values)}")

# %% tags=["active-ipynb"]
# see(
#     "which_step",
#     without_slide=round(rises["stretch alone (RMSNorm)"], 3),
#     without_stretch=rises["slide alone"],
# )

# %% [markdown]
# **The stretch is what matters.** Without it the model does far worse than one that knows nothing. **The slide hardly
# matters here**, because the means are close to zero to begin with:

# %% tags=["active-ipynb"]
# passage_streams = given_to(mine, passage_tokens()[:, :128])
# passage_read = torch.stack([passage_streams[name] for name in ln_names])
# stream_stds = passage_read.std(dim=-1, correction=0)
# shares = OverPassages((passage_read.mean(dim=-1) / stream_stds).abs().mean(dim=(0, 2)))
# print("on average the mean of a vector, as a share of its standard deviation:", end=" ")
# print(f"{shares.mean:.1%} ± {shares.error:.2%}")

# %% [markdown]
# This model learned with the slide in place. Others, such as Llama, learn without it.
#
# **Some mistakes are silent.** The second line of the table is how [The Annotated
# Transformer](https://nlp.seas.harvard.edu/annotated-transformer/) writes its LayerNorm: `x.std`, which divides by
# `d_model - 1`, and `eps` outside the root. The loss moves by less than a thousandth of a nat, so it won't tell you.
#
# **Does each vector need a stretch of its own?** Less than one would think. One constant for all vectors fails, but
# with a second one for position 0 the model works again, at a price of 0.40 nats (More experiments).

# %% [markdown]
# ## Why train with it?
#
# If a trained model can work with constants, why not leave LayerNorm out from the start? Take a fresh GPT-2 of the
# reference model's sizes with random weights, let it read a tale once, and compute the *gradient* of the loss at each
# block's weights: how fast, and in which direction, the loss changes with them.
#
# We try it with your LayerNorm and with none, and for three sizes of random weights. The smallest, with a standard
# deviation of 0.02, is GPT-2's.

# %% tags=["active-ipynb"]
# def gradient_norms(make_ln, init_range):
#     """The norm of the gradient at each block's weights, in a fresh model."""
#     fresh, tale_tokens = untrained(make_ln, init_range=init_range), encode(TALE)
#     next_token_loss(fresh(tale_tokens).logits, tale_tokens).backward()
#     norms = []
#     for block in fresh.transformer.h:
#         weights = [*block.attn.parameters(), *block.mlp.parameters()]
#         norms.append(nn.utils.get_total_norm([weight.grad for weight in weights]))
#     return torch.stack(norms)

# %% tags=["active-ipynb"]
# predict(
#     "gradient_without",
#     """In a model without LayerNorm, make the weights five times as large, 0.1 instead
#     of 0.02. How many times as large does the gradient in block 0 become?
#     a) less than 10 times: about five, as with the weights
#     b) 10 to 1000 times
#     c) more than 1000 times: a factor of five in each of 6 blocks makes 15,625""",
#     answer="b",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws the gradient in each block of a fresh model
# sizes = (0.02, 0.05, 0.1)
# makers = {"without LayerNorm": lambda cfg: nn.Identity(), "with yours": LayerNorm}
# fresh_models = [(label, size) for label in makers for size in sizes]
# gradients = {
#     (label, size): gradient_norms(makers[label], size)
#     for label, size in waiting(fresh_models, "six fresh models")
# }
# for (label, size), their_norms in gradients.items():
#     print(f"{label}, weights of {size:.2f}: {their_norms[0]:.2g} in block 0,", end=" ")
#     print(f"{their_norms[-1]:.2g} in block 5")
# without_ln, with_ln = (
#     torch.stack([gradients[label, size] for size in sizes]) for label in makers
# )
# lines(
#     {"without LayerNorm": without_ln, "with your LayerNorm": with_ln},
#     [f"weights of {size}" for size in sizes * 2],
#     [f"block {layer}" for layer in range(model.cfg.n_layers)],
#     "The gradient in each block, before any training",
#     y_title="norm of the gradient",
#     log_y=True,
#     ends=["0.02", "0.05", "0.1", "", "all three", ""],
# )

# %% tags=["active-ipynb"]
# see("gradient_without", times_as_large=without_ln[-1, 0] / without_ln[0, 0])

# %% [markdown]
# Without LayerNorm (orange diamonds) the size of the weights decides how large the gradient is. With your LayerNorm
# (blue circles) the three lines are close together: from the smallest weights to the largest the gradient about doubles
# at block 0, and grows by about a fifth at block 5. (With five other seeds and texts the factors are 1.6 to 2, and 1.1
# to 1.3: measured when the course was made.)
#
# So LayerNorm makes it matter little how large the weights happen to be. It does not make the *blocks* alike: with it
# the gradient in block 0 is about two to three times that in block 5.
#
# <details><summary>Why do large weights hardly matter?</summary>
#
# Part of the reason is calculus. The gradient at a weight matrix is a product of what the matrix reads and what comes
# back from the loss. For each matrix that reads the stream, LayerNorm keeps the first factor at one norm, however large
# the weights before it are.
#
# </details>
#
# **What this does not show**: that training without LayerNorm must fail. The usual optimiser, AdamW (chapter 9),
# divides each gradient by its own recent size, and residual networks have been trained without any normalisation, from
# carefully sized weights (Zhang, Dauphin and Ma 2019).

# %% [markdown]
# ## A bug in the wild
#
# The block below comes from "nanoGPT-Models", a blog post about Andrej Karpathy's lecture "Let's build GPT" (the
# lecture itself has it right). Every shape fits. What happens to the residual stream? Find the mistake and fix it. The
# cell after it checks.


# %%
def tutorial_block(
    x: Tensor, ln_1: nn.Module, attn: nn.Module, ln_2: nn.Module, mlp: nn.Module
) -> Tensor:
    """One block, pre-norm: each sublayer reads through a LayerNorm, and adds to x."""
    # BEGIN SOLUTION
    x = x + attn(ln_1(x))
    x = x + mlp(ln_2(x))
    # INSTEAD OF
    # x = ln_1(x)
    # x = x + attn(x)
    # x = ln_2(x)
    # x = x + mlp(x)
    # END SOLUTION
    return x


# %% tags=["active-ipynb", "folded"]
# # @title Checks your block against the reference model's
# block_3 = boot().blocks[3]
# block_3_pre = model.activations["blocks.3.hook_resid_pre"]
# block_3_real = model.activations["blocks.3.hook_resid_post"]
# my_ln1, my_ln2 = mine["blocks.3.ln1"], mine["blocks.3.ln2"]
#
#
# def attention(copy):
#     return block_3.attn(copy)[0]  # without its pattern
#
#
# with torch.no_grad():
#     block_3_post = tutorial_block(block_3_pre, my_ln1, attention, my_ln2, block_3.mlp)
# away = (block_3_post - block_3_real).norm(dim=-1).mean()
# print(f"on average {away:.1f} away from the real resid_post,", end=" ")
# print(f"whose norm is {block_3_real.norm(dim=-1).mean():.1f}")
# assert away < 0.01, "Not mended yet: what does `x` hold after the first line?"
# print("✔ the block is mended")

# %% [markdown]
# <details><summary>Answer</summary>
#
# `x = ln_1(x)` throws the stream away and carries on with its normalised copy. What earlier blocks wrote is rescaled
# again and again instead of being kept, and gradients no longer have a direct path back: they must pass through every
# LayerNorm. The copy must not overwrite the stream:
#
# ```python
# x = x + attn(ln_1(x))
# x = x + mlp(ln_2(x))
# ```
#
# In this course the stream is called `resid_pre` and the copy `normalized_resid_pre`.
#
# </details>

# %% [markdown]
# ## Check your understanding
#
# **1.** Why does `times` = 0.01 bend the green line down on the left, while 100 leaves it where it is?
#
# <details><summary>Answer</summary>
#
# Mean and standard deviation grow or shrink with the vector, so the factor cancels. Only `eps` stays the same. The
# vectors that block 0 reads there have norms of about 1.2 (the first token's is 2.5), and so variances of about 1.2² /
# 192 = 0.0075. Times 0.01² that is 0.00000075, less than a tenth of `eps`: now `eps` decides the divisor. With large
# vectors it is negligible beside the variance.
#
# </details>
#
# **2.** Let `eps` be 0, `w` 1 and `b` 0. Which two facts about a vector can't be recovered from its normalised copy?
#
# <details><summary>Answer</summary>
#
# Its mean and its standard deviation. Everything else can: if you knew these two, you could multiply by the standard
# deviation, add the mean, and have the vector back.
#
# Without the mean, one dimension is lost: of the `d_model` dimensions of the stream, `d_model - 1` remain. Nothing that
# reads the stream can see the direction along which all entries are equal, since everything reads through a LayerNorm.
# A sublayer that wrote in that direction would be writing for nobody.
#
# </details>
#
# **3.** LayerNorm brings every vector to one norm. Can the model undo that with `w` and `b`?
#
# <details><summary>Answer</summary>
#
# No, though the norms are no longer equal: you saw 19.4 to 29.0 come out of `ln_final`. `w` and `b` are the same for
# every token and every position, so they make some *dimensions* louder for whatever reads next. If one vector is ten
# times another, both still come out the same (apart from `eps`).
#
# </details>
#
# **4.** A friend puts `eps` outside: `centred / (variance.sqrt() + eps)`. With `eps` = 0.00001 and a variance of 1, how
# large is the error, and why does the test for this mistake use `layer_norm_eps=0.1`?
#
# <details><summary>Answer</summary>
#
# √1.00001 = 1.000005, while the friend has 1.00001: a relative error of 0.0005 %. float32 could show that, since its
# own steps are about 0.00001 %, but a test must allow for rounding errors that add up, and 0.0005 % is below what it
# allows (0.001 %). At `eps` = 0.1 it is √1.1 = 1.049 against 1.1, and 5 % can't hide. To see a mistake, look where it
# is large.
#
# </details>

# %% [markdown]
# **5.** In the first figure the first token's vector outgrows all the others. Is that because it is `<|endoftext|>`, or
# because it is at position 0? Keep one and change the other.

# %% tags=["active-ipynb"]
# predict(
#     "the_first",
#     """Which vectors grow to more than three times the norm of the others?
#     a) those of <|endoftext|>, at position 1 too
#     b) those at position 0, whatever the token
#     c) only those of <|endoftext|> at position 0: it takes both""",
#     answer="b",
# )

# %% tags=["active-ipynb"]
# def norms_at_block_5(tokens, positions):
#     """The norms that blocks.5.ln1 reads when the tokens get the vectors of these."""
#     rows, reader = model.weights["pos_embed.W_pos"][positions], "blocks.5.ln1"
#     parts = {"pos_embed": lambda _: rows[None], reader: mine[reader]}
#     return given_to(parts, tokens)[reader][0].norm(dim=-1)
#
#
# in_order = torch.arange(64)
# readings = {
#     "as it is:": (slice(None), in_order),
#     "without <|endoftext|>:": (slice(2, None), in_order[:-2]),  # nor the line break
#     "every position one further:": (slice(None), in_order + 1),
# }
# print("the means of 48 passages          first token   the others (median)")
# times_the_others = []
# for label, (kept, positions) in readings.items():
#     found = [
#         norms_at_block_5(row[:, :64][:, kept], positions)
#         for row in passage_tokens().split(1)
#     ]
#     first = OverPassages(torch.stack([norms[0] for norms in found]))
#     others = OverPassages(torch.stack([norms[1:].median() for norms in found]))
#     print(f"{label:28}{first.mean:11.0f} ± {first.error:.1f}", end="")
#     print(f"{others.mean:14.0f} ± {others.error:.1f}")
#     times_the_others.append(first.mean / others.mean)

# %% tags=["active-ipynb"]
# see(
#     "the_first",
#     another_token_at_0=times_the_others[1],
#     endoftext_at_1=times_the_others[2],
# )

# %% [markdown]
# <details><summary>Answer</summary>
#
# It is the position, whose vector, row 0 of `W_pos`, is unlike the rest (chapter 2). These numbers do not say *why* the
# model has such a vector. Sun et al. (2024, below) find something similar at the first token of many models and argue
# that attention uses it as a constant bias.
#
# </details>

# %% [markdown]
# <details><summary><b>I get this error</b></summary>
#
# - **`The size of tensor a (8) must match the size of tensor b (5) at non-singleton dimension 2`**: `mean` and `var`
#   drop the axis that they run over. Pass `keepdim=True`.
# - **`'Config' object has no attribute 'eps'`** or **`name 'cfg' is not defined`**: it is `self.cfg.layer_norm_eps`.
# - **`sqrt(): argument 'input' (position 1) must be Tensor, not float`** or **`only one element tensors can be
#   converted to Python scalars`**: `torch.sqrt` takes a tensor, `math.sqrt` a number. `(variance + eps).sqrt()` works.
# - **`"bitwise_xor_cpu" not implemented for 'Float'`**: in Python `^` is not a power. Write `** 2` or `.pow(2)`.
# - **`mean(): could not infer output dtype`**: the example by hand was given whole numbers. Write `5.0`, not `5`.
# - **`var() received an invalid combination of arguments`**: `unbiased=False` and `correction=0` mean the same. Pass
#   only one of them.
# - **`one of the variables needed for gradient computation has been modified by an inplace operation`**: the cause is a
#   `-=` or `/=`. PyTorch keeps `centred` for the gradient of its square. Write `centred = centred / ...`.
# - **Some values are `nan`**: `eps` is missing, and 0 was divided by 0. Or a variance came out below 0 and has no root:
#   "the mean of the squares minus the square of the mean" loses its digits where the mean is large. Centre first.
#
# </details>

# %% [markdown]
# ## Where to read more
#
# - Ba, Kiros, Hinton 2016, *Layer Normalization*, [arXiv:1607.06450](https://arxiv.org/abs/1607.06450): the original;
#   equation 4 is this chapter.
# - Radford et al. 2019, *Language Models are Unsupervised Multitask Learners*, section 2.3: GPT-2 moves LayerNorm to
#   the input of each sublayer and adds one after the last block.
# - Xiong et al. 2020, *On Layer Normalization in the Transformer Architecture*,
#   [arXiv:2002.04745](https://arxiv.org/abs/2002.04745): why that move makes training steadier.
# - Zhang, Dauphin, Ma 2019, *Fixup Initialization: Residual Learning Without Normalization*,
#   [arXiv:1901.09321](https://arxiv.org/abs/1901.09321): training without it, by starting from carefully sized weights.
# - Heimersheim 2024, *You can remove GPT2's LayerNorm by fine-tuning*,
#   [arXiv:2409.13710](https://arxiv.org/abs/2409.13710).
# - Zhang and Sennrich 2019, *Root Mean Square Layer Normalization*,
#   [arXiv:1910.07467](https://arxiv.org/abs/1910.07467): the slide left out.
# - Sun et al. 2024, *Massive Activations in Large Language Models*,
#   [arXiv:2402.17762](https://arxiv.org/abs/2402.17762): first tokens like ours.
# - openai/gpt-2, [src/model.py](https://github.com/openai/gpt-2/blob/master/src/model.py): `norm`, in eleven lines.

# %% [markdown] tags=["folded"]
# ## More experiments
#
# LayerNorm beside its relatives, and a LayerNorm that divides by constants.

# %% [markdown]
# ### Two relatives
#
# *BatchNorm* is older than LayerNorm, *RMSNorm* is younger. Here are all three on the same table of two vectors, A and
# B, with three numbers each. B is A times two. (`w` = 1 and `b` = 0 throughout.)

# %% tags=["active-ipynb"]
# A, B = [1.0, 2.0, 3.0], [2.0, 4.0, 6.0]
# both = torch.tensor([A, B])
# with torch.no_grad():
#     by_layer_norm = LayerNorm(Config(d_model=3))(both[None])[0]
# by_rms_norm = nn.functional.rms_norm(both, (3,))
# by_batch_norm = nn.functional.batch_norm(both, None, None, training=True)

# %% tags=["active-ipynb", "folded"]
# # @title Draws the table after each of the three
# ways = {
#     "as it is": both,
#     "LayerNorm": by_layer_norm,
#     "RMSNorm": by_rms_norm,
#     "BatchNorm": by_batch_norm,
# }
# heatmap(
#     torch.cat(list(ways.values())),
#     [f"{way}: {vector}" for way in ways for vector in "AB"],
#     ["dimension 0", "dimension 1", "dimension 2"],
#     "One table, three ways to normalise it",
#     show_values=True,
# ).update_yaxes(automargin=True)

# %% [markdown]
# Blue is above 0, red below.
#
# - **LayerNorm** turns A and B into the same vector: −1.22, 0, 1.22. It works along each vector, and the factor of two
#   is gone.
# - **RMSNorm** leaves out the slide and divides by the root of the mean square. A and B are the same again, 0.463,
#   0.926 and 1.39, but their mean is not 0.
# - **BatchNorm** works down each *dimension*, across the batch: A becomes −1, −1, −1 and B 1, 1, 1. The pattern within
#   each vector is gone, and what A becomes depends on the B that shares its batch.

# %% [markdown]
# ### Must it be each vector's own scale?
#
# Perhaps the model needs only *some* stretch, the same for all vectors. So let each LayerNorm divide by one constant:
# the mean standard deviation of what it reads at all positions but 0, taken from the two sentences that come with the
# model. In a second version, position 0 has its own constant.

# %% tags=["active-ipynb"]
# def usual_std(name):
#     return model.activations[f"{name}.hook_in"].std(dim=-1, correction=0)
#
#
# def one_constant(name):
#     others = usual_std(name)[:, 1:].mean()
#     return lambda vectors: slid(vectors) / others
#
#
# def two_constants(name):
#     first, others = usual_std(name)[0, 0], usual_std(name)[:, 1:].mean()
#
#     def divided(vectors):
#         return torch.cat([vectors[:, :1] / first, vectors[:, 1:] / others], dim=1)
#
#     return lambda vectors: divided(slid(vectors))

# %% tags=["active-ipynb"]
# for label, constants in {"one": one_constant, "two": two_constants}.items():
#     loss = loss_with({name: constants(name) for name in ln_names})
#     more = loss - as_you_wrote_it
#     print(f"{label} each: {loss.mean:6.4g} nats, {more.mean:+.2f} ± {more.error:.2f}")

# %% [markdown]
# One constant fails outright. With two the model works, at a price of 0.40 nats, which takes a third off the
# probability of the right token.
#
# Only position 0 is treated differently. Here it always holds `<|endoftext|>`, and since attention looks only backwards
# it sees nothing else: its vector is the same in every text. The vectors after it mostly have similar norms at
# each reader anyway. Part of the price is that the constants come from two sentences: taken from the passages
# themselves, they cost only 0.27 nats (measured when the course was made).
#
# Heimersheim (2024) took this further: after some fine-tuning, GPT-2 small does without LayerNorm, at a cost of about
# 0.05 nats.
