"""Chapter 3: LayerNorm. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 3 · LayerNorm: every vector at one length
#
# You will write `LayerNorm`, the smallest part of GPT-2 and the one that comes most often: twice in every block and
# once at the end. That makes 25 in GPT-2 small and 13 in our reference model. When yours passes, the reference model
# will tell a story with your code in all 13 places.
#
# About 40 minutes, of which 15 for the exercise.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError("This kernel does not have the course. In the course's folder, run: make lab") from None
#
# start("ch03_layernorm")

# %%
import torch
from jaxtyping import Float
from torch import Tensor, nn

from utils.config import Config

# %% tags=["active-ipynb"]
# from tests.ch03_layernorm import test_layer_norm
# from utils.plotting import bars, lines
# from utils.reference import reference, str_tokens
# from utils.transplant import layer_norm_names, tell, with_weights

# %% [markdown]
# ## Something grows
#
# The residual stream starts as token vector plus position vector. Then every block *adds* to it, and nothing between
# the blocks ever brings it back to size. What does that do to the vectors?
#
# The reference model is a small GPT-2 trained on fairy tales. Below, each line is one token of a sentence that it
# reads. The height is the length (the Euclidean norm) of that token's vector each time a block is about to read it.

# %% tags=["active-ipynb"]
# model = reference()
# words = str_tokens(model.tokens[0])
# readers = [f"block {layer}" for layer in range(model.cfg.n_layers)] + ["ln_final"]
# names = [f"blocks.{layer}.hook_resid_pre" for layer in range(model.cfg.n_layers)] + ["ln_final.hook_in"]
# stream = torch.stack([model.activations[name][0] for name in names])
# lengths = stream.norm(dim=-1).T
# lines(lengths, words, readers, "The stream grows", x_title="read by", y_title="length of each vector")

# %% [markdown]
# The vectors enter block 0 with a length of about 1 to 2.5, and leave the last block almost thirty times longer. They
# do not grow evenly: on its way, the vector of the first token is for a while nearly five times as long as the others.
#
# Why would a block mind? A block multiplies what it reads by fixed weight matrices, which were trained on inputs of
# one size. Give it a vector twice as long and every number it computes doubles. GELU and softmax bend differently
# out there, so the block does not say the same thing louder: it says something else.
#
# So each sublayer reads a *copy* of the stream in which every vector has been brought to one fixed length.
# Making that copy is all that LayerNorm does.

# %% [markdown]
# ## Four numbers by hand
#
# Take a stream with `d_model = 4`, and one vector of it: 0, 2, 2, 8.
#
# 1. **Slide.** The mean is 3. Subtract it: −3, −1, −1, 5. The mean is now 0.
# 2. **Stretch.** The variance is the mean of the squares: (9 + 1 + 1 + 25) / 4 = 9. Divide by its root, 3:
#    −1, −⅓, −⅓, 1⅔. The variance is now 1.

# %% tags=["active-ipynb"]
# vector = torch.tensor([0.0, 2.0, 2.0, 8.0])
# centred = vector - vector.mean()
# variance = centred.pow(2).mean()
# steps = {"residual": vector, "slid to mean 0": centred, "stretched to variance 1": centred / variance.sqrt()}
# bars(steps, "LayerNorm by hand")

# %% [markdown]
# Variance 1 *is* a fixed length: when the squares of `d_model` numbers have the mean 1, they add up to `d_model`, so
# the vector's length is √d_model. Here that is 2, and in the reference model √192 = 13.9.
#
# Two details turn this into GPT-2's LayerNorm.
#
# **`eps`.** If all numbers of a vector are equal, its variance is 0, and step 2 divides 0 by 0. So a small constant,
# `cfg.layer_norm_eps` = 0.00001, is added to the variance *before* the root is taken.
#
# **`w` and `b`.** One fixed length for all dimensions is a harsh rule. So the model may scale each dimension by a
# learned number, `w`, and then shift it by another, `b`. Both have `d_model` entries. They start at 1 and 0, where
# they do nothing.
#
# With μ for the mean of the vector and σ² for its variance:
#
# $$\text{out} = \frac{\text{residual} - \mu}{\sqrt{\sigma^2 + \text{eps}}} \cdot w + b$$

# %% [markdown]
# ### What it is not
#
# - **It does not mix positions.** Each vector is normalised by its own mean and its own variance. If your answer for
#   one sentence changes when a second one joins the batch, you have written something else (BatchNorm, most likely).
# - **It does not clip.** A number can come out as 5 or as −9. The vector as a whole has the fixed length.
# - **It does not shorten the stream.** It makes a copy for the sublayer to read. The stream itself goes on untouched.
#
# ### Before you code
#
# Is the variance the sum of squares divided by `d_model`, or by `d_model - 1`?
#
# <details><summary>Answer</summary>
#
# By `d_model`, as in the example above. The other one is the *unbiased* estimate, and it is what `Tensor.var` gives
# you unless you say `unbiased=False`. At `d_model = 768` the results differ by 0.07 %: small enough to look right,
# large enough to be wrong in every layer.
#
# </details>

# %% [markdown] exercise="LayerNorm" difficulty=2 importance=5 minutes=15
# ## Exercise: write `LayerNorm`
#
# **What goes in?** `residual`: one vector of length `d_model` for each position of each sentence in the batch.
#
# **What comes out?** The same shape: each vector normalised, scaled by `w`, shifted by `b`.
#
# `__init__` is given. Write `forward`. Any way that is right will pass, PyTorch's own functions included, but you
# will meet the mean and the variance again: write them out once.


# %%
class LayerNorm(nn.Module):
    """Give each residual vector mean 0 and variance 1, then scale it by w and shift it by b.

    Source: openai/gpt-2 src/model.py, norm(); Ba et al. 2016, eq. 4.
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        centred = residual - residual.mean(dim=-1, keepdim=True)
        variance = centred.pow(2).mean(dim=-1, keepdim=True)
        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
        # END SOLUTION


# %% [markdown] hint="idea"
# Do the two steps of the example, slide and stretch, to every vector at once. The numbers of one vector lie along
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
# Your LayerNorm, fresh from `__init__`, on the stream of the first figure. Press **after**: every vector is √192 = 13.9
# long, whichever the token and whoever reads it. Press **before** and look at the scale on the left.

# %% tags=["active-ipynb"]
# with torch.no_grad():
#     normalised_lengths = LayerNorm(model.cfg)(stream).norm(dim=-1).T
#
# lines(
#     lengths, words, readers, "The stream, and what your LayerNorm makes of it", x_title="read by",
#     y_title="length of each vector", instead=("after", normalised_lengths, "length after your LayerNorm"),
# )

# %% [markdown]
# Only the very first column falls short of the others by a hair: those vectors are so short that `eps` is felt.
#
# Now the real test. `with_weights` gives a LayerNorm of yours the trained `w` and `b` of one LayerNorm in the
# reference model. `tell` runs the model with your 13 in place of its own. The same seed, so the same dice.

# %% tags=["active-ipynb"]
# mine = {name: with_weights(LayerNorm, name) for name in layer_norm_names(model.cfg)}
# print("with its own LayerNorms:", tell("Once upon a time", {}, seed=5), "", sep="\n")
# print("with yours:", tell("Once upon a time", mine, seed=5), sep="\n")

# %% [markdown]
# Word for word the same story. And if the sublayers read the stream as it is, with no LayerNorm at all?

# %% tags=["active-ipynb"]
# unnormalised = {name: (lambda residual: residual) for name in mine}
# print(tell("Once upon a time", unnormalised, seed=5))

# %% [markdown]
# The weights are the same ones that told the story above. What they read had the wrong length.

# %% [markdown]
# ## A bug in the wild
#
# This block was published in a GPT tutorial. Every shape is right, and the loss goes down in training.
#
# ```python
# def forward(self, x):
#     x = self.ln_1(x)
#     x = x + self.attn(x)
#     x = self.ln_2(x)
#     x = x + self.mlp(x)
#     return x
# ```
#
# What happens to the residual stream? Find the mistake, then mend the line marked below so that the distance falls
# to 0. (`attn_out` is what attention answered inside the reference model.)

# %% tags=["active-ipynb"]
# resid_pre = model.activations["blocks.3.hook_resid_pre"]
# attn_out = model.activations["blocks.3.hook_attn_out"]
# with torch.no_grad():
#     x = with_weights(LayerNorm, "blocks.3.ln1")(resid_pre)
#
# resid_mid = x + attn_out  # mend this line
#
# distance = (resid_mid - model.activations["blocks.3.hook_resid_mid"]).norm(dim=-1).mean()
# print(f"on average {distance:.0f} away from the real resid_mid")

# %% [markdown]
# <details><summary>Answer</summary>
#
# `x = self.ln_1(x)` throws the stream away and goes on with its normalised copy. What earlier blocks wrote is
# rescaled again and again instead of being kept, and the straight path along which gradients travel is gone. The
# copy needs a name of its own:
#
# ```python
# x = x + self.attn(self.ln_1(x))
# x = x + self.mlp(self.ln_2(x))
# ```
#
# In the cell above: `resid_mid = resid_pre + attn_out`. In this course the copy is called `normalized_resid_pre` and
# the stream `resid_pre`, so the two can't be mixed up.
#
# </details>

# %% [markdown]
# ## Check your understanding
#
# **1.** You multiply `residual` by 10. What happens to the output of LayerNorm?
#
# <details><summary>Answer</summary>
#
# Next to nothing. Mean and standard deviation both grow tenfold, and the factor cancels. Only `eps` notices: it now
# weighs a hundred times less against the variance.
#
# </details>
#
# **2.** Which two facts about a vector can't be found again from its normalised copy?
#
# <details><summary>Answer</summary>
#
# Its mean and its length. Of the `d_model` directions of the stream, no sublayer can ever see the one along which all
# entries are equal: a sublayer that wrote in that direction would be writing for nobody.
#
# </details>
#
# **3.** After the stretch every vector has the same length. So why may the model undo that with `w`?
#
# <details><summary>Answer</summary>
#
# It can't undo it. `w` is the same for every token and every position: it makes some *dimensions* louder for the
# sublayer that follows, but a vector that was long and one that was short still arrive at the same scale.
#
# </details>
#
# **4.** A friend puts `eps` outside: `centred / (variance.sqrt() + eps)`. With eps = 0.00001 and a variance of 1, how
# large is the mistake, and why does the test for it use `layer_norm_eps=0.1`?
#
# <details><summary>Answer</summary>
#
# √1.00001 = 1.000005, the friend has 1.00001: a relative mistake of 0.0005 %, lost among the rounding errors of
# float32. At eps = 0.1 it is √1.1 = 1.049 against 1.1, and 5 % can be seen by anyone. To see a mistake, go where it
# is large.
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
# - Zhang and Sennrich 2019, *Root Mean Square Layer Normalization*,
#   [arXiv:1910.07467](https://arxiv.org/abs/1910.07467): the slide left out. Llama and many models since do it so.
# - openai/gpt-2, [src/model.py](https://github.com/openai/gpt-2/blob/master/src/model.py): `norm`, in eleven lines.
