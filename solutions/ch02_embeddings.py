"""Chapter 2: Embed and PosEmbed. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 2 · Embeddings: a vector for each token, a vector for each position
#
# You will write the two parts that turn token numbers into vectors: `Embed` says *what* each token is, `PosEmbed` says
# *where* it is. At the end a trained model reads with your tables, and you see what happens when it is told the wrong
# positions.
#
# About 50 minutes, 20 of them for the two exercises.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError(
#         "This kernel does not have the course. In Colab, run the cell above this one; "
#         "elsewhere, in the course's folder: make lab"
#     ) from None
#
# start("ch02_embeddings")

# %%
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.config import Config

# %% tags=["active-ipynb", "folded"]
# # @title Imports what the chapter needs, its tests included
# import re
#
# from tests.ch02_embeddings import test_embed, test_pos_embed
# from tests.predictions.ch02_embeddings import predict, see
# from utils.controls import explore, text_box
# from utils.model_map import model_map
# from utils.passages import over_passages, passage_tokens
# from utils.plotting import heatmap, path
# from utils.plotting.embeddings import nearest
# from utils.plotting.neurons import ranking
# from utils.reference import encode, reference, str_tokens
# from utils.transplant import logits_with, next_token_loss, with_weights
# from utils.waiting import waiting

# %% tags=["active-ipynb"]
# model_map("embed", "pos_embed")

# %% [markdown]
# The map of the model, from left to right; orange marks this chapter. A tokenizer has cut a text into **tokens**, words
# or parts of words, each with a number, its *id* (chapter 0). Two tables, one for ids and one for positions, give
# vectors of `d_model` numbers. Their sum is where the **residual stream** begins: one vector for each position, which
# every **block** reads and adds to (chapter 1).
#
# Our **reference model** is a small GPT-2, trained for this course on children's books (chapter 0). It has `d_model` =
# 192, where GPT-2 small has 768.
#
# ## A number that means nothing
#
# Here are a few neighbours in its vocabulary.

# %% tags=["active-ipynb"]
# some_tokens = torch.arange(1496, 1504)
# dict(zip(some_tokens.tolist(), str_tokens(some_tokens), strict=True))

# %% [markdown]
# Token 1503 is not "a bit more" than token 1502: these are like the numbers on football shirts. But a network
# multiplies and adds. Fed the number itself, it would begin by treating token 1500 as twice token 750.
#
# What we want is a *description* of each token, made of many numbers that may mean something. So we keep a table with
# one row of `d_model` numbers for each of the `d_vocab` tokens, and look the row up.

# %% [markdown]
# ## Five tokens, three numbers
#
# Here is such a table, with made-up values, for five tokens and `d_model = 3`. Blue is positive, red is negative; the
# nearer to zero, the fainter.

# %% tags=["active-ipynb"]
# toy_words = ["the", "fox", "saw", "moon", "."]
# toy_table = torch.tensor(
#     [[0.9, 0.1, 0.0], [0.1, 0.8, -0.5], [-0.6, 0.0, 0.7], [0.2, 0.9, 0.3], [0, -0.9, 0]]
# )
# toy_columns = ["dimension 0", "dimension 1", "dimension 2"]
# w_e = "W_E: one row for each token of the vocabulary"
# heatmap(toy_table, toy_words, toy_columns, w_e, show_values=True)

# %% [markdown]
# "the fox saw the moon" is the tokens 0, 1, 2, 0, 3. Indexing the table with them gives one vector for each
# *position*:

# %% tags=["active-ipynb"]
# toy_text = torch.tensor([0, 1, 2, 0, 3])
# toy_labels = [f"position {where}: {toy_words[i]}" for where, i in enumerate(toy_text)]
# looked_up = "toy_table[toy_text]: one vector for each position"
# heatmap(toy_table[toy_text], toy_labels, toy_columns, looked_up, show_values=True)

# %% [markdown]
# The vectors at positions 0 and 3 are the same, because both tokens are "the". That is all that `Embed` does. The
# table is called `W_E`.
#
# ### What it is not
#
# - **Nobody writes these descriptions.** The rows start as small random numbers. Training moves them so that the
#   next token becomes easier to predict.
# - **It is not a new operation: a matrix product does the same.** Write token 3 as a *one-hot* vector, 0, 0, 0, 1, 0,
#   and multiply it by the table: you get its row.
# - **It does not look at the neighbours.** "the" has one row, whatever comes before it.

# %% [markdown] exercise="Embed" difficulty=1 importance=5 minutes=10
# ## Exercise: write `Embed`
#
# **What goes in?** `tokens`: whole numbers from 0 to `d_vocab - 1`, one for each position of each sentence.
#
# **What comes out?** In place of each number a vector of `d_model` numbers.
#
# **Before you code**: `tokens` has the shape [batch pos], the table [d_vocab d_model]. What is the shape of
# `W_E[tokens]`?
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

    def forward(
        self, tokens: Int[Tensor, "batch pos"]
    ) -> Float[Tensor, "batch pos d_model"]:
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
# Nobody told the model what a colour is. Should its row for `red` be any closer to `green` than to `king`?
#
# `with_weights` gives your `Embed` the trained table. Look up three words from each of five families that we chose,
# and compare each pair of vectors by their *cosine*: 1 (full blue) means the same direction, 0 (no colour) a right
# angle. It is the dot product of the two vectors, each first divided by its *norm*, the root of the sum of its squared
# numbers.

# %% tags=["active-ipynb"]
# family_words = "king queen prince mother father sister red white green".split()
# family_words += "ran flew jumped two three four".split()
# family_tokens = torch.stack([encode(" " + word)[0, 1] for word in family_words])
# trained_embed = with_weights(Embed, "embed")
#
#
# def unit(rows):
#     """The same directions, each with norm 1: their products are then cosines."""
#     return rows / rows.norm(dim=-1, keepdim=True)

# %% tags=["active-ipynb"]
# predict(
#     "one_family",
#     """What is the cosine of the rows of two words of one family, such as red and
#     green, on average? A number, ± 0.2.""",
#     answer="0.6",
# )

# %% tags=["active-ipynb"]
# with torch.no_grad():
#     family_units = unit(trained_embed(family_tokens[None])[0])
#     all_tokens = torch.arange(reference().cfg.d_vocab)
#     all_units = unit(trained_embed(all_tokens[None])[0])
# family_cosines = family_units @ family_units.T
# heatmap(family_cosines, family_words, family_words, "Which words point the same way?")

# %% tags=["active-ipynb", "folded"]
# # @title Compares families with tokens that are about as common
# family = torch.arange(15) // 3
# same_family = family[:, None] == family
# different_words = ~torch.eye(15, dtype=torch.bool)
# dice = torch.Generator().manual_seed(0)
# times = passage_tokens()[:, 1:].flatten().bincount(minlength=len(all_units))
#
#
# def by_chance(which):
#     """The mean cosine of 10,000 pairs drawn from these tokens."""
#     units = all_units[which]
#     one, another = units[torch.randint(len(units), (2, 10_000), generator=dice)]
#     return (one * another).sum(dim=-1).mean().item()
#
#
# about_as_common = by_chance((times >= 2) & (times <= 15))
# within = family_cosines[same_family & different_words].mean()
# print(f"two words of one family:               {within:.2f}")
# across = family_cosines[~same_family].mean()
# print(f"two words of different families:       {across:.2f}")
# print(f"two tokens that are about as common:   {about_as_common:.2f}")

# %% tags=["active-ipynb"]
# see("one_family", mean_cosine=within)

# %% [markdown]
# Families have formed although nobody asked for them: the five blue squares on the diagonal. The two families of
# people share a larger, fainter one. Otherwise words of different families are no more alike than any two tokens that
# are about as common. (Why their cosine is above 0: More experiments.)
#
# Which rows are most like that of a word of your own? Type one below, say `river`, and press Enter. The box takes sums
# as well, and starts with the most famous one, `king - man + woman`, which is said to give ` queen`.

# %% tags=["active-ipynb"]
# predict(
#     "king_and_woman",
#     """Of all 4096 rows, which one is most like king - man + woman?
#     a) that of queen
#     b) that of king
#     c) that of woman
#     d) that of another token""",
#     answer="b",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws the rows most like the words that you type
# def token_of(word):
#     ids = encode(" " + word)[0, 1:]
#     if len(ids) > 1:
#         parts = ", ".join(repr(part) for part in str_tokens(ids))
#         message = f"`{word}` is {len(ids)} tokens, {parts}, and a row is for one."
#         raise ValueError(f"Type another word: {message}")
#     return ids[0]
#
#
# def most_like(words):
#     found = re.findall(r"([+-]?)\s*([^\s+-]+)", words)
#     if not found:
#         raise ValueError("Type a word, such as `river`, or `king - man + woman`.")
#     asked = torch.stack([token_of(word) for _, word in found])
#     signs = torch.tensor([-1.0 if sign == "-" else 1.0 for sign, _ in found])
#     with torch.no_grad():
#         total = signs @ trained_embed(asked[None])[0]
#     if not total.any():
#         raise ValueError("That sum is 0, and 0 points nowhere: type another.")
#     best = (all_units @ unit(total)).topk(9)
#     return nearest(
#         best.values,
#         str_tokens(best.indices),
#         torch.isin(best.indices, asked),
#         f"The rows most like {words}",
#         level=about_as_common,
#         level_name="two common tokens",
#     )
#
#
# explore(most_like, words=text_box("king - man + woman"))

# %% tags=["active-ipynb"]
# three_words = torch.stack([token_of(word) for word in ("king", "man", "woman")])
# with torch.no_grad():
#     king_sum = torch.tensor([1.0, -1.0, 1.0]) @ trained_embed(three_words[None])[0]
# most_alike = (all_units @ unit(king_sum)).argmax()
# see("king_and_woman", most_alike=str_tokens(most_alike[None])[0])

# %% [markdown]
# Each bar is a token with its cosine, and `␣` is a space; orange bars are words that you typed. ` queen` is a close
# second. People who report it leave the words of the question out of the search, as Mikolov et al. (below) did. And
# even without man and woman, ` queen` is the token nearest to `king`. Some sums do better: try `he - him + her`.
#
# One reason for the families is probably that the same table also scores the *next* token, so that words which fit the
# same gaps are pushed the same way (More experiments).

# %% [markdown]
# ## A bag of words
#
# Each token now has its description. Does a model need more? Take two sentences:

# %% tags=["active-ipynb"]
# fox_first = encode(" the fox saw the moon")
# moon_first = encode(" the moon saw the fox")
# with torch.no_grad():
#     fox_sum = trained_embed(fox_first).sum(dim=1)
#     moon_sum = trained_embed(moon_first).sum(dim=1)
# print(f"each sentence has {fox_first.shape[1]} tokens,", end=" ")
# print(f"the first being {str_tokens(fox_first[0])[0]}")
# print(f"norm of the difference of the two sums: {(fox_sum - moon_sum).norm():.4f}")

# %% [markdown]
# The sums agree, because both sentences are the same vectors in another order.
#
# **Attention** (chapter 4) is how one position reads from others: it compares vectors and asks how well they match.
# That does not depend on their order. In GPT-2 a position sees only itself and what came before, but to a first layer
# of attention all that came before is still a bag. Later layers can make out some of its order, since what the first
# one wrote at each position depends on what came before that.
#
# GPT-2's cure is a second table. `W_pos` has one row for each *position*, from 0 to `n_ctx - 1`; `n_ctx` is how many
# tokens the model can read at once. The vector of the token and the vector of its position are added.

# %% [markdown]
# ### What it is not
#
# - **It is not sines and cosines.** The first Transformer used fixed waves. GPT-2's table starts as random numbers and
#   is learned.
# - **It does not depend on the tokens.** Position 3 has the same vector in every text. `PosEmbed` takes `tokens` only
#   for their shape.
# - **It does not stretch.** In a longer text the last tokens have no vector for their position. That is why GPT-2
#   cannot read more than 1024 tokens at once.

# %% [markdown] exercise="PosEmbed" difficulty=2 importance=4 minutes=10
# ## Exercise: write `PosEmbed`
#
# **What goes in?** The same `tokens` as before, [batch pos], of which only the shape matters.
#
# **What comes out?** The first `pos` rows of `W_pos`, once for each sentence: the same shape as `Embed` returns, so
# that the two can be added.


# %%
class PosEmbed(nn.Module):
    """Give each position its row of the table `W_pos`, the same in every sentence.

    Source: openai/gpt-2 src/model.py, model() and positions_for(): tf.gather(wpe,
    positions). There wpe starts with a standard deviation of 0.01; here both tables
    start with `init_range` = 0.02, as in HuggingFace's modeling_gpt2.py.
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_pos = nn.Parameter(torch.empty(cfg.n_ctx, cfg.d_model))
        nn.init.normal_(self.W_pos, std=cfg.init_range)

    def forward(
        self, tokens: Int[Tensor, "batch pos"]
    ) -> Float[Tensor, "batch pos d_model"]:
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
# TransformerLens, a library that opens models up, recorded what the reference model's block 0 reads. Your two tables,
# added, should be exactly that.

# %% tags=["active-ipynb"]
# trained_pos_embed = with_weights(PosEmbed, "pos_embed")
# two_texts = reference().tokens
# with torch.no_grad():
#     both_tables = trained_embed(two_texts) + trained_pos_embed(two_texts)
# read_by_block_0 = reference().activations["blocks.0.hook_resid_pre"]
# largest_difference = (both_tables - read_by_block_0).abs().max()
# print(f"largest difference: {largest_difference:.6f}")

# %% [markdown]
# This is what training wrote into `W_pos`: the cosine between the vectors of every fifth position.

# %% tags=["active-ipynb"]
# n_positions = reference().cfg.n_ctx
# with torch.no_grad():
#     no_text = torch.zeros(1, n_positions, dtype=torch.int64)
#     every_row = trained_pos_embed(no_text)[0]

# %% tags=["active-ipynb", "folded"]
# # @title Draws which positions are alike
# some_positions = [str(where) for where in range(0, n_positions, 5)]
# every_fifth = unit(every_row)[::5]
# heatmap(
#     every_fifth @ every_fifth.T,
#     some_positions,
#     some_positions,
#     "Which positions are alike?",
#     row_title="position",
#     column_title="position",
# )

# %% tags=["active-ipynb"]
# from_50 = unit(every_row) @ unit(every_row)[50]
# some_cosines = {where: round(from_50[where].item(), 2) for where in (51, 100, 150, 200)}
# print("cosine with position 50:", some_cosines)
# row_norms = every_row.norm(dim=-1)
# some_norms = {
#     where: round(row_norms[where].item(), 2) for where in (0, 1, 2, 50, 150, 254, 255)
# }
# print("norm of the row:", some_norms)

# %% [markdown]
# Close positions have similar vectors, and the similarity fades with distance. Nothing in `PosEmbed` says which
# position comes next: that was learned.
#
# The edges of the figure are faint, because two rows of `W_pos` stand apart. **Row 0** has by far the largest norm:
# chapter 3 comes back to it. **Row 255** has the smallest, and question 3 below says why.
#
# ## Two numbers for each position
#
# A vector of 192 numbers seems a lot for saying where a token is. Find the two directions in which the rows other than
# 0 and 255 differ most, and draw where each position lies along these. (*Variance* here: the sum of squared
# distances from the mean row.)

# %% tags=["active-ipynb"]
# middle = every_row[1:-1]
# centre = middle.mean(dim=0)
# directions = torch.linalg.svd(middle - centre, full_matrices=False).Vh
# main_directions, next_two = directions[:2], directions[2:4]
# ends = ((middle[[-1, 0]] - centre) * main_directions).sum(dim=-1, keepdim=True)
# main_directions *= ends.sign()  # of a direction and its opposite, always the same one
# in_two = (middle - centre) @ main_directions.T
# variance = (middle - centre).square().sum()
# share = in_two.square().sum() / variance
# share_of_next = ((middle - centre) @ next_two.T).square().sum() / variance
# print(f"share of the variance along these two:    {share:.0%}")
# print(f"share of the variance along the next two: {share_of_next:.0%}")

# %% tags=["active-ipynb", "folded"]
# # @title Draws where each position lies along these two
# path(
#     in_two,
#     [f"{where}" for where in range(1, n_positions - 1)],
#     "The path of the positions, from 1 to 254",
#     x_title="first direction",
#     y_title="second direction",
#     color_title="position",
#     labelled=[0, *range(31, n_positions - 2, 32), n_positions - 3],
# )

# %% [markdown]
# The positions lie along one curve, in order but for near neighbours: from the first ones, dark, at the upper left,
# down to the middle of the text, and up to the last ones, yellow, at the right. So the first direction says how far
# along the text a position is, and the second sets both ends apart from the middle.
#
# <details><summary>And the bend?</summary>
#
# Do not read much into it. Vectors whose similarity fades with distance typically give such a curve (Diaconis, Goel
# and Holmes 2008, *Horseshoes in multidimensional scaling and local kernel methods*,
# [arXiv:0811.1477](https://arxiv.org/abs/0811.1477)). Only positions 1 and 254 lie off it.
#
# </details>
#
# Is the rest of the variance needed? Let the model read passages that it was not trained on, with only these two
# directions left in the rows of that path, with all but these two, and, as a control, with all but the next two.
#
# The number is the model's **loss**, the mean over all next tokens of −log(the probability that it gave), in *nats*,
# the unit of the natural logarithm. 0.03 nats more is a probability 3 % smaller. The passages are two sets of 24, none
# of them in both. `over_passages` prints each set's mean and, behind ±, roughly how far it may be off (its *standard
# error*).

# %% tags=["active-ipynb"]
# def loss_with(position_rows):
#     """The loss on each passage when its tokens get these vectors, in this order."""
#
#     def measure(tokens):
#         tokens = tokens[:, : len(position_rows)]
#         rows = position_rows[None, : tokens.shape[1]]
#         tables = {"embed": trained_embed, "pos_embed": lambda _: rows}
#         return next_token_loss(logits_with(tables, tokens), tokens)
#
#     return over_passages(measure)

# %% tags=["active-ipynb"]
# kept_shares = [round(each.item(), 2) for each in (share, 1 - share, 1 - share_of_next)]
# predict(
#     "needed_directions",
#     """`kept` is the share of the variance that is left: 1 with the rows as they are,
#     0.71 with only those two directions, 0.29 with all but those two, 0.92 with all
#     but the next two. Which of these raise the loss by more than 0.1 nats? Write a
#     line that selects them, such as: (kept > 0.3) & (kept < 0.8)""",
#     version=[
#         "as they are",
#         "only those two",
#         "all but those two",
#         "all but the next two",
#     ],
#     kept=[1.0, *kept_shares],
#     answer="kept < 0.5",
# )

# %% tags=["active-ipynb"]
# only_two, without_two, without_next = (every_row.clone() for _ in range(3))
# only_two[1:-1] = centre + in_two @ main_directions
# without_two[1:-1] -= in_two @ main_directions
# without_next[1:-1] -= (middle - centre) @ next_two.T @ next_two
# as_they_are = loss_with(every_row)
# print("your tables as they are:", as_they_are)
# versions = {
#     "only those two": only_two,
#     "all but those two": without_two,
#     "all but the next two": without_next,
# }
# rises = {label: loss_with(rows) - as_they_are for label, rows in versions.items()}
# for label, rise in rises.items():
#     print(f"how much more with {label:21}{rise}")
# same_chance = torch.tensor(reference().cfg.d_vocab).log()
# print(f"the same chance for each token: {same_chance:.3f}")

# %% tags=["active-ipynb"]
# see("needed_directions", nats=[0.0, *(rise.mean for rise in rises.values())])

# %% [markdown]
# Two directions do the work of all, with row 0 and the mean of the others left as they were. Without these two the loss
# rises more than halfway to that of a model that gives each token the same chance; without the next two it hardly
# changes.

# %% [markdown]
# ## What is order worth?
#
# It is tempting to measure that by giving every token the vector of position 0. The control *shifts* all tokens but
# the first, by 8 positions or by 64: among themselves they keep their order and distances.

# %% tags=["active-ipynb"]
# n_read = 128
# in_order = torch.arange(n_read)
# after_first = in_order.clamp(max=1)  # 0, then 1 for all others

# %% tags=["active-ipynb"]
# predict(
#     "shift_by_64",
#     """Giving every token position 0 takes all order away, and costs about 2 nats. How
#     much does it cost to shift all but the first by 64, which takes no order away?
#     a) hardly anything: less than a tenth of that
#     b) clearly less: between a tenth and a half of that
#     c) more than half of that""",
#     answer="c",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws the loss with the vectors of other positions
# given_positions = {
#     "in order, from 0": in_order,
#     "shifted by 8": in_order + 8 * after_first,
#     "every token at 0": in_order * 0,
#     "shifted by 64": in_order + 64 * after_first,
# }
# position_losses = {
#     label: loss_with(every_row[where]) for label, where in given_positions.items()
# }
# for label, each in position_losses.items():
#     print(f"{label:24}{each}")
# further = position_losses["shifted by 64"] - position_losses["every token at 0"]
# print(f"shifted by 64, minus every token at 0: {further}")
# ranking(
#     list(position_losses),
#     torch.tensor([each.mean for each in position_losses.values()]),
#     "The loss when the passages' tokens get other positions",
#     x_title="loss in nats",
# )

# %% tags=["active-ipynb"]
# read_in_order = position_losses["in order, from 0"]
# cost_of_64 = position_losses["shifted by 64"] - read_in_order
# cost_of_0 = position_losses["every token at 0"] - read_in_order
# see("shift_by_64", share=cost_of_64.mean / cost_of_0.mean)

# %% [markdown]
# Putting every token at position 0 costs 2 nats, which looks like the worth of order. But the larger shift, which loses
# no order, costs most of that too. So these numbers do not measure order, but how the model fares on an input that it
# never met: in training, a token at position 65 always had 65 others before it. A small shift is nearly free, and a
# shuffle may cost less than putting every token at position 0, or more (More experiments).
#
# To learn what `W_pos` is worth, you have to train a second model without it, as Haviv et al. (below) did. Theirs was
# competitive.

# %% [markdown]
# ## A bug in the wild
#
# The code of a 2025 university course on language models numbered its positions as `numbers` does here. A reader
# [reported it](https://github.com/cmu-l3/anlp-fall2025-code/issues/1), and it has since been fixed. Find the mistake
# and mend it. The test of `PosEmbed` checks it; the `PosEmbed` in `my_gpt/` is still your own.


# %%
class CoursePosEmbed(PosEmbed):
    """The `__init__` of your PosEmbed, with the mistake of a course."""

    def forward(
        self, tokens: Int[Tensor, "batch pos"]
    ) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        numbers = torch.arange(tokens.size(1), device=tokens.device).unsqueeze(0)
        # INSTEAD OF
        # numbers = torch.arange(tokens.size(0), device=tokens.device).unsqueeze(1)
        # END SOLUTION
        return self.W_pos[numbers].expand(*tokens.shape, -1)


# %% tags=["active-ipynb"]
# test_pos_embed(CoursePosEmbed)

# %% [markdown]
# <details><summary>Answer</summary>
#
# `tokens.size(0)` is the size of the batch. So there was one number for each *sentence*, and broadcasting gave it to
# every token of that sentence: those of the first were all at position 0, those of the second at position 1. No vector
# said where its token was in the sentence. The fix, from the same thread:
# `torch.arange(tokens.size(1), device=tokens.device).unsqueeze(0)`.
#
# As Haviv et al. show, a model trained without positions still learns, so the loss may not give such a bug away.
#
# </details>

# %% [markdown]
# ## Check your understanding
#
# **1.** "the" occurs twice in a sentence. Are its two vectors the same after `Embed`? And in the residual stream that
# block 0 reads?
#
# <details><summary>Answer</summary>
#
# The same after `Embed`, different in the stream: each had the vector of its own position added.
#
# </details>
#
# **2.** `nn.Embedding(d_vocab, d_model)` and `nn.Linear(d_vocab, d_model, bias=False)` both hold d_vocab × d_model
# numbers. How can the second one do the work of the first?
#
# <details><summary>Answer</summary>
#
# Feed it one-hot vectors: all 0, with a 1 at the token's number. Multiplying by such a vector picks out one row.
# (`nn.Linear` keeps its weight transposed, so there it is a column.) That costs d_vocab multiplications for each number
# that it picks.
#
# </details>
#
# **3.** A model is trained on a batch of 8 sentences of 5 tokens: at each position it predicts the next token. Which
# rows of `W_pos` get a gradient? And what becomes of the others?
#
# <details><summary>Answer</summary>
#
# Rows 0 to 3, each the sum over the 8 sentences. Row 4 gets none: the last position has no next token to predict, and
# no other position sees it, since attention looks only backwards. For the same reason no gradient ever reached row 255
# of the reference model, which was trained on rows of 256 tokens.
#
# A row without a gradient still changes when the optimiser has weight decay, as AdamW does (chapter 9): it shrinks. Row
# 255 is its first random draw, whose norm must have been about 0.02 × √192 = 0.28, shrunk to 0.11.
#
# </details>
#
# **4.** Adding two vectors mixes them. How can the model tell afterwards what came from which? The cell below measures
# how much of `W_E`'s variance lies along the two main directions of `W_pos`.

# %% tags=["active-ipynb"]
# with torch.no_grad():
#     token_rows = trained_embed.W_E - trained_embed.W_E.mean(dim=0)
#     in_these_two = (token_rows @ main_directions.T).square().sum()
#     along_positions = in_these_two / token_rows.square().sum()
# print(f"W_E along the two main directions of W_pos: {along_positions:.1%}")
# print(f"along two random directions, on average:    {2 / token_rows.shape[1]:.1%}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# Nothing forces tokens and positions apart, but there is room, and training has used it: two directions hold 71 % of
# the variance of the positions and 0.5 % of the tokens', half of what two random directions hold. (Of 1000 random
# pairs, none held less than 0.7 %: counted when the course was made.) A weight matrix that reads those two sees the
# position and hardly anything of the token.
#
# </details>
#
# **5.** A common claim: "`n_ctx` decides how much text a model can look at. It has no influence on the number of
# parameters." Is that so? Count at GPT-2 small's sizes, then double the context.

# %% tags=["active-ipynb"]
# both_sizes = Embed(Config()).W_E.numel() + PosEmbed(Config()).W_pos.numel()
# print(f"both tables: {both_sizes / 124_439_808:.0%} of GPT-2 small's parameters")
# for context in (1024, 2048):
#     position_rows = PosEmbed(Config(n_ctx=context)).W_pos
#     print(f"n_ctx {context}: W_pos has {position_rows.numel():,} parameters")

# %% [markdown]
# <details><summary>Answer</summary>
#
# For GPT-2 it is false: `W_pos` has `n_ctx` × `d_model` entries, so twice the context costs 786,432 more parameters.
# The claim has a true core: attention and the MLP have the same weights at any context. And in models with *rotary*
# positions, such as Llama, attention turns its vectors by an angle instead (Su et al. 2021, *RoFormer*,
# [arXiv:2104.09864](https://arxiv.org/abs/2104.09864)). There is no table,
# and the claim is right.
#
# </details>

# %% [markdown]
# <details><summary><b>I get this error</b></summary>
#
# - **`'Parameter' object is not callable`**: round brackets call a function, square ones index: `self.W_E[tokens]`.
# - **`tensors used as indices must be long, int, byte or bool tensors`**: the index has become a float on the way. Use
#   `tokens` as they are.
# - **`index 4096 is out of bounds for dimension 0 with size 4096`**: there is no such row. Tokens end at
#   `d_vocab - 1`, positions at `n_ctx - 1`.
# - **`slice indices must be integers`** or **`only integer tensors of a single element can be converted to an index`**:
#   a slice needs one number. `tokens.shape` has two; the number of positions is `tokens.shape[1]`.
# - **`The expanded size of the tensor (3) must match the existing size (5) at non-singleton dimension 0`**: `expand`
#   counts axes from the right and adds new ones on the left, so it needs all three: `expand(batch, -1, -1)`.
# - **`Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor`**: `repeat` too needs
#   a number for each axis, here `repeat(batch, 1, 1)`.
# - **`not enough values to unpack (expected 2, got 1)`**: `tokens` is one sentence without a batch. Pass
#   `tokens[None]`.
# - **`The expanded size of the tensor (300) must match the existing size (256)`** or **`The size of tensor a (300) must
#   match the size of tensor b (256)`**: the text has more than `n_ctx` tokens. `W_pos[:300]` has only 256 rows.
#
# </details>

# %% [markdown]
# ## Where to read more
#
# - Radford et al. 2018, *Improving Language Understanding by Generative Pre-Training*, section 3.1.
# - openai/gpt-2, [src/model.py](https://github.com/openai/gpt-2/blob/master/src/model.py), `model`: `wte` and `wpe`.
# - Vaswani et al. 2017, *Attention Is All You Need*, [arXiv:1706.03762](https://arxiv.org/abs/1706.03762), section 3.5:
#   the sines and cosines.
# - Mikolov et al. 2013, *Efficient Estimation of Word Representations in Vector Space*,
#   [arXiv:1301.3781](https://arxiv.org/abs/1301.3781).
# - Haviv et al. 2022, *Transformer Language Models without Positional Encodings Still Learn Positional Information*,
#   [arXiv:2203.16634](https://arxiv.org/abs/2203.16634).

# %% [markdown] tags=["folded"]
# ## More experiments

# %% [markdown]
# ### Why two words are not at right angles
#
# Two tokens that occur 2 to 15 times in the passages, as ten of the 15 words do, have a cosine of 0.14 on average.
# Commoner and rarer ones differ:

# %% tags=["active-ipynb"]
# print(f"two of the most common tokens:         {by_chance(times > 15):.2f}")
# print(f"two that never occur in the passages:  {by_chance(times == 0):.2f}")

# %% [markdown]
# Rare tokens lean in one common direction, and the most common ones do not. (Chapter 0 shows the extreme: tokens that
# nobody trained have nearly the same row.)
#
# ### One table, two jobs
#
# The **unembedding** `W_U`, which turns the end of the stream into **logits**, one score for each token (chapter 6),
# is in GPT-2 the same table, transposed. This is *tying*:

# %% tags=["active-ipynb"]
# tied_table = reference().weights["unembed.W_U"]
# print("W_U is W_E transposed:", torch.equal(tied_table, trained_embed.W_E.T))

# %% [markdown]
# So training moves a row for two reasons: to describe the token when it is *read*, and to give it the right score when
# it is to be *predicted*. The second alone pushes words that fit the same gaps ("the ___ ran away") in the same
# direction. Press and Wolf found that a tied table comes out more like the output table of an untied model than like
# its input table (2017, *Using the Output Embedding to Improve Language Models*,
# [arXiv:1608.05859](https://arxiv.org/abs/1608.05859)).
#
# ### Other wrong positions
#
# Row 0 stands apart. So put every token but the first at position 8 instead, and shuffle the positions of all but the
# first in twelve ways.

# %% tags=["active-ipynb", "folded"]
# # @title Draws the loss with one position for all, and shuffled
# def shuffled(seed):
#     """The positions with all but the first in another order."""
#     dice = torch.Generator().manual_seed(seed)
#     others = torch.randperm(n_read - 1, generator=dice) + 1
#     return torch.cat([in_order[:1], others])
#
#
# seeds = waiting(range(12), "shuffles")
# shuffles = [loss_with(every_row[shuffled(seed)]) for seed in seeds]
# shuffles.sort(key=lambda losses: losses.mean)
# position_losses["all but the first at 8"] = loss_with(every_row[8 * after_first])
# position_losses["lowest of 12 shuffles"] = shuffles[0]
# position_losses["highest of 12 shuffles"] = shuffles[-1]
# for label, each in position_losses.items():
#     print(f"{label:24}{each}")
# ranking(
#     list(position_losses),
#     torch.tensor([each.mean for each in position_losses.values()]),
#     "The loss when the passages' tokens get other positions",
#     x_title="loss in nats",
# )

# %% [markdown]
# A shuffle destroys the order, and may cost less or more than putting every token at position 0. Putting all but the
# first at position 8 costs less. Their vectors say no more about the order than at 0, but the model still makes out
# some of it: shuffle the earlier tokens as well, and its guesses get worse. With every token at position 0 they do not
# (measured when the course was made).
#
# Haviv et al. can read the position off a model that has no `W_pos`. They suggest that it counts the tokens that the
# mask lets it see.
