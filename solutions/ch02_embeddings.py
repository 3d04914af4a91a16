"""Chapter 2: Embed and PosEmbed. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 2 · Embeddings: a vector for each token, a vector for each place
#
# You will write the two parts that turn a row of token numbers into the first residual stream: `Embed` says *what*
# each token is, `PosEmbed` says *where* it stands. Each is a table and a way to look things up in it. Together they
# hold 32 % of GPT-2 small's parameters.
#
# At the end, the reference model reads with your tables, and you take its sense of place away and see what is left.
#
# About 45 minutes, of which 20 for the two exercises.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError("This kernel does not have the course. In the course's folder, run: make lab") from None
#
# start("ch02_embeddings")

# %%
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.config import Config

# %% tags=["active-ipynb"]
# from tests.ch02_embeddings import test_embed, test_pos_embed
# from utils.plotting import heatmap
# from utils.reference import encode, reference, str_tokens
# from utils.transplant import surprise, with_weights

# %% [markdown]
# ## A number that means nothing
#
# A tokenizer cuts text into tokens and gives each a number. Look at a few neighbours in the vocabulary of our
# reference model, a small GPT-2 trained on fairy tales.

# %% tags=["active-ipynb"]
# some_tokens = torch.arange(1496, 1504)
# dict(zip(some_tokens.tolist(), str_tokens(some_tokens), strict=True))

# %% [markdown]
# Token 1503 is not "a bit more" than token 1502. The numbers are in the order in which the tokenizer happened to
# make the tokens; they are names, like the numbers on football shirts.
#
# A network multiplies and adds, so if you feed it the number itself, it must treat token 1500 as twice token 750.
# What we want instead is a *description* of each token, made of many numbers that may mean something. So we keep a
# table with one row of `d_model` numbers for each token, and look the row up.

# %% [markdown]
# ## Five tokens, three numbers
#
# Here is such a table for a vocabulary of five tokens, with `d_model = 3`. The values are made up; see how `fox` and
# `moon`, both nouns, have been given rows that are somewhat alike.

# %% tags=["active-ipynb"]
# vocabulary = ["the", "fox", "saw", "moon", "."]
# table = torch.tensor([[0.9, 0.1, 0.0], [0.1, 0.8, -0.5], [-0.6, 0.0, 0.7], [0.2, 0.9, 0.3], [0.0, -0.9, 0.0]])
# dimensions = ["d_model 0", "d_model 1", "d_model 2"]
# heatmap(table, vocabulary, dimensions, "W_E: one row for each token of the vocabulary", show_values=True)

# %% [markdown]
# "the fox saw the moon" is the row of tokens 0, 1, 2, 0, 3. Indexing the table with it gives one vector for each
# *position*:

# %% tags=["active-ipynb"]
# tokens = torch.tensor([0, 1, 2, 0, 3])
# positions = [f"pos {pos}: {vocabulary[token]}" for pos, token in enumerate(tokens)]
# heatmap(table[tokens], positions, dimensions, "table[tokens]: one row for each position", show_values=True)

# %% [markdown]
# Rows 0 and 3 are the same, since both are "the". That is all of `Embed`. The table is called `W_E`.
#
# ### What it is not
#
# - **Nobody wrote these descriptions.** The rows start as small random numbers. Training moves a row whenever that
#   move makes the next token easier to guess.
# - **It is not a different kind of thing from a matrix product.** Write token 3 as the vector 0, 0, 0, 1, 0 and
#   multiply it by the table: you get row 3. Looking it up gives the same numbers without the multiplications by 0.
# - **It does not look at the neighbours.** "the" has one row, whatever comes before it. Making sense of context is
#   for the blocks that follow.

# %% [markdown] exercise="Embed" difficulty=1 importance=5 minutes=10
# ## Exercise: write `Embed`
#
# **What goes in?** `tokens`: whole numbers from 0 to `d_vocab - 1`, one for each position of each sentence.
#
# **What comes out?** One vector of length `d_model` in place of each number.
#
# **Before you code**: `tokens` has the shape [batch pos], the table [d_vocab d_model]. What is the shape of
# `table[tokens]`?
#
# <details><summary>Answer</summary>
#
# [batch pos d_model]. Indexing puts a row where each number stood, so `d_vocab` is gone and `d_model` is new.
#
# </details>


# %%
class Embed(nn.Module):
    """Look up each token's row in the table `W_E`.

    Source: openai/gpt-2 src/model.py, model(): tf.gather(wte, X).
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_E = nn.Parameter(torch.empty(cfg.d_vocab, cfg.d_model))
        nn.init.normal_(self.W_E, std=cfg.init_range)

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        return self.W_E[tokens]
        # END SOLUTION


# %% [markdown] hint="idea"
# PyTorch lets you index a tensor with a tensor of whole numbers of any shape. You saw it one screen up, with one
# sentence; a batch of sentences is no different.

# %% [markdown] hint="pseudocode"
# ```text
# return the rows of W_E at tokens
# ```

# %% tags=["active-ipynb"]
# test_embed(Embed)

# %% [markdown]
# ## See it work: what training wrote into the table
#
# Give your `Embed` the trained table of the reference model and look some words up. The figure compares each pair of
# vectors by their cosine: 1 means the same direction, 0 nothing in common.

# %% tags=["active-ipynb"]
# words = "king queen prince mother father sister red white green ran flew jumped two three four".split()
# word_tokens = torch.stack([encode(" " + word)[0, 1] for word in words])
# embed = with_weights(Embed, "embed")
# with torch.no_grad():
#     vectors = embed(word_tokens[None])[0]
# directions = vectors / vectors.norm(dim=-1, keepdim=True)
# heatmap(directions @ directions.T, words, words, "Which words point the same way?")

# %% [markdown]
# Nobody told the model what a colour is, or that two is to three as red is to white. Words that appear in the same
# kinds of places came to have similar rows, because that helps with guessing the next token. The blue squares along
# the diagonal are families of words that the model found by itself.

# %% [markdown]
# ## A bag of words
#
# Now for what `Embed` leaves out. Take two sentences that mean very different things:

# %% tags=["active-ipynb"]
# fox_first, moon_first = encode(" the fox saw the moon"), encode(" the moon saw the fox")
# with torch.no_grad():
#     difference = embed(fox_first).sum(dim=1) - embed(moon_first).sum(dim=1)
# print(f"length of the difference of the sums: {difference.norm():.4f}")

# %% [markdown]
# Both sentences are the same five vectors in another order, so their sums agree. Attention, which comes in chapter 4,
# compares vectors with vectors and asks how well they match. It would find the same matches in both.
#
# GPT-2's cure is a second table. `W_pos` has one row for each *place* in a text, from 0 to `n_ctx - 1`. The vector of
# the token and the vector of its place are added, and that sum is where the residual stream begins.

# %% [markdown]
# ### What it is not
#
# - **It is not sines and cosines.** The first Transformer of 2017 used fixed waves. GPT-2 learns its table from random
#   numbers, like every other weight.
# - **It does not depend on the tokens.** Place 3 has the same vector in every text. `PosEmbed` takes `tokens` only to
#   know how many sentences there are and how long they are.
# - **It does not stretch.** There are `n_ctx` rows. A text longer than that has no vectors for its last places, and
#   that is why GPT-2 cannot read more than 1024 tokens at once.

# %% [markdown] exercise="PosEmbed" difficulty=2 importance=4 minutes=10
# ## Exercise: write `PosEmbed`
#
# **What goes in?** The same `tokens` as before, [batch pos], of which only the shape matters.
#
# **What comes out?** The first `pos` rows of `W_pos`, once for each sentence: the same shape as `Embed` returns, so
# that the two can be added.


# %%
class PosEmbed(nn.Module):
    """Give each position its row of the table `W_pos`, the same in every sentence of the batch.

    Source: openai/gpt-2 src/model.py, model() and positions_for(): tf.gather(wpe, positions).
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_pos = nn.Parameter(torch.empty(cfg.n_ctx, cfg.d_model))
        nn.init.normal_(self.W_pos, std=cfg.init_range)

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        batch, pos = tokens.shape
        return self.W_pos[:pos].expand(batch, -1, -1)
        # END SOLUTION


# %% [markdown] hint="idea"
# A slice gives the first rows. Then that one table, [pos d_model], has to appear once for each sentence, with the
# batch axis in front. `Tensor.expand`, `Tensor.repeat` and `einops.repeat` can all do it.

# %% [markdown] hint="pseudocode"
# ```text
# batch, pos = shape of tokens
# rows = the first pos rows of W_pos
# return rows, once for each of the batch sentences
# ```

# %% tags=["active-ipynb"]
# test_pos_embed(PosEmbed)

# %% [markdown]
# ## See it work: where the residual stream begins
#
# TransformerLens recorded what the reference model's block 0 reads when the model is given two sentences. Your two
# tables, added, should be exactly that.

# %% tags=["active-ipynb"]
# model = reference()
# pos_embed = with_weights(PosEmbed, "pos_embed")
# with torch.no_grad():
#     resid_pre = embed(model.tokens) + pos_embed(model.tokens)
# difference = (resid_pre - model.activations["blocks.0.hook_resid_pre"]).abs().max()
# print(f"largest difference: {difference:.6f}")

# %% [markdown]
# And this is what training wrote into `W_pos`: the cosine between the vectors of the first 48 places.

# %% tags=["active-ipynb"]
# with torch.no_grad():
#     places = pos_embed(torch.zeros(1, 48, dtype=torch.int64))[0]
# directions = places / places.norm(dim=-1, keepdim=True)
# names = [str(place) for place in range(48)]
# heatmap(
#     directions @ directions.T, names, names, "Which places are alike?",
#     row_title="position", column_title="position",
# )

# %% [markdown]
# The blue along the diagonal, which pales towards the corners, says that close places have vectors alike and distant
# ones less so. Nobody told the model that 7 comes after 6; it needed to know, so it worked it out.
#
# How much is that worth? Let the model read a tale that it has never seen, with your tables in place of its own.
# Then tell it that every token stands at place 0. The number is its mean surprise for each next token, in nats: 0
# would be perfect foresight.

# %% tags=["active-ipynb"]
# tale = (
#     "There was once a miller who had three daughters and one grey goose. Every evening the goose walked down to the "
#     "river and came back with a story, and every morning the youngest daughter wrote it down. One winter the river "
#     'froze. "What shall we do for stories now?" asked the girl. "We shall walk on the ice," said the goose, "and '
#     'look for the place where the river keeps them." So they set out together, and the snow fell behind them.'
# )
# always_place_0 = {"embed": embed, "pos_embed": lambda tokens: pos_embed(tokens)[:, :1].expand(*tokens.shape, -1)}
# print(f"with both your tables:        {surprise(tale, {'embed': embed, 'pos_embed': pos_embed}):.2f}")
# print(f"with every token at place 0:  {surprise(tale, always_place_0):.2f}")

# %% [markdown]
# ## A bug in the wild
#
# A published tutorial says:
#
# > The context length decides how much text the model can look at. It has no influence on the number of parameters.
#
# Your own code knows better. Count the parameters of `PosEmbed` at GPT-2 small's sizes, then double the context.

# %% tags=["active-ipynb"]
# for n_ctx in (1024, 2048):
#     table = PosEmbed(Config(n_ctx=n_ctx))
#     print(n_ctx, sum(parameter.numel() for parameter in table.parameters()))

# %% [markdown]
# <details><summary>What is wrong, and why might someone believe it?</summary>
#
# The table has `n_ctx` × `d_model` entries, so twice the context costs 1024 × 768 = 786,432 more parameters. The
# belief has a true core: attention and the MLP, where most parameters are, have the same weights at any length. And
# in models with rotary positions, such as Llama, there is no table, and the sentence is right.
#
# </details>

# %% [markdown]
# ## Check your understanding
#
# **1.** "the" comes twice in a sentence. Are its two vectors the same after `Embed`? And in the residual stream that
# block 0 reads?
#
# <details><summary>Answer</summary>
#
# The same after `Embed`, different in the stream: each had the vector of its own place added.
#
# </details>
#
# **2.** `nn.Embedding(d_vocab, d_model)` and `nn.Linear(d_vocab, d_model, bias=False)` both hold d_vocab × d_model
# numbers. How can the second one do the work of the first?
#
# <details><summary>Answer</summary>
#
# Feed it one-hot vectors: all 0, with a 1 at the token's number. Multiplying by such a vector picks out one row.
# (`nn.Linear` keeps its weight transposed, so there it is a column.) It wastes d_vocab multiplications for each
# number that it picks.
#
# </details>
#
# **3.** A batch holds 8 sentences of 5 tokens. How many rows of `W_pos` get a gradient, and from how many places each?
#
# <details><summary>Answer</summary>
#
# Five rows, and each gets the sum of 8 gradients, one from each sentence. A place beyond the longest text in training
# never gets one: its row stays the random numbers it began with.
#
# </details>
#
# **4.** Adding two vectors mixes them. How can the model tell afterwards what came from which?
#
# <details><summary>Answer</summary>
#
# It is not forced to, but there is room: in 192 dimensions, and more so in 768, there are very many directions at
# nearly right angles, and training can keep the two tables in different ones. A weight matrix that reads one set of
# directions hardly sees the other. That the sum works about as well as putting the two side by side is an
# observation, not a theorem.
#
# </details>

# %% [markdown]
# ## Where to read more
#
# - Radford et al. 2018, *Improving Language Understanding by Generative Pre-Training*, section 3.1: h₀ = U W_e + W_p,
#   learned positions and all.
# - Vaswani et al. 2017, *Attention Is All You Need*, [arXiv:1706.03762](https://arxiv.org/abs/1706.03762), section 3.5:
#   the sines and cosines.
# - Mikolov et al. 2013, *Efficient Estimation of Word Representations in Vector Space*,
#   [arXiv:1301.3781](https://arxiv.org/abs/1301.3781): tables of word vectors before Transformers.
# - Haviv et al. 2022, *Transformer Language Models without Positional Encodings Still Learn Positional Information*,
#   [arXiv:2203.16634](https://arxiv.org/abs/2203.16634): a model trained without `W_pos` can count the tokens behind
#   it, so the order is not lost on it altogether.
# - Su et al. 2021, *RoFormer*, [arXiv:2104.09864](https://arxiv.org/abs/2104.09864): rotary positions, without a table.
# - openai/gpt-2, [src/model.py](https://github.com/openai/gpt-2/blob/master/src/model.py), `model`: `wte` and `wpe`.
