"""Chapter 8: from logits to text. Source of the chapter and of the solution notebook."""
# A model is any nn.Module here, and pyright takes what such a module holds for Tensor | Module.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportAssignmentType=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportIndexIssue=false, reportOperatorIssue=false

# %% [markdown]
# # 8 · Sampling: your own GPT tells stories
#
# For any text, your GPT-2 gives *every* token a probability of coming next. A story needs *one* token, and then the
# next. The rule that picks it is not part of the model, and much depends on it: do you get a loop, babble or a story?
#
# You will write that rule and the loop around it: eleven functions, most of them a few lines long. At the end your own
# GPT tells you a story, several times as fast as at first.
#
# About 210 minutes, 110 of them for the eleven exercises, in two sittings: *choosing*, as far as "You can stop here",
# and *writing fast*, which has three long exercises. Afterwards you can
#
# - say, with numbers, how the likeliest text differs from what people write;
# - work out by hand what temperature, a penalty, top-k and top-p do to a distribution;
# - keep keys and values between tokens, and say what that saves and what it costs.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError(
#         "This kernel does not have the course. In Colab, run the cell above this one; "
#         "elsewhere, in the course's folder: make lab"
#     ) from None
#
# start("ch08_sampling")

# %%
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.config import Config

# %% tags=["active-ipynb", "folded"]
# # @title Imports what the chapter needs, its tests included
# import time
# from functools import lru_cache
#
# from tests.ch08_sampling import (
#     test_apply_frequency_penalty,
#     test_apply_temperature,
#     test_attend_with_cache,
#     test_beam_search,
#     test_generate,
#     test_generate_with_cache,
#     test_greedy,
#     test_sample_basic,
#     test_sample_next_token,
#     test_sample_top_k,
#     test_sample_top_p,
# )
# from tests.predictions.ch08_sampling import predict, see
# from utils.controls import button, explore, slider, text_box
# from utils.model_map import model_map
# from utils.passages import OverPassages, passage_tokens
# from utils.pictures.story import story
# from utils.pieces import pieces
# from utils.plotting import lines
# from utils.plotting.choosing import cut_off
# from utils.plotting.ranked import ranked
# from utils.plotting.sampling import reach, reshaped, side_by_side
# from utils.plotting.stream import grouped_bars
# from utils.reference import encode, reference, str_tokens
# from utils.reference.folders import directory
# from utils.texts import typed, wrapped
# from utils.waiting import waiting

# %% tags=["active-ipynb"]
# Attention, Transformer = pieces("Attention", "Transformer")
# model = reference()
# my_gpt2 = Transformer(model.cfg)
# my_gpt2.load_state_dict(dict(model.weights), strict=True)

# %% [markdown]
# The last cell has printed whose parts it uses: yours where they passed, the course's own where they are missing.
# `my_gpt2` now has the weights of our **reference model**, a small GPT-2 trained for this course on 73 children's
# books.
#
# It read more than the books. About a tenth of its training rows were made up to teach it copying, with the same
# passage or phrases over and over. Keep them in mind where the chapter measures how a model repeats itself.

# %% tags=["active-ipynb"]
# model_map(
#     done=("tokens", "embed", "pos_embed", "ln", "attn", "mlp", "ln_final", "unembed")
# )

# %% [markdown]
# Everything on the map is green, because chapters 0 to 7 built it. Out of it come the **logits**: at every position,
# one score for each token of the vocabulary. **Softmax** turns the scores of one position into probabilities: `exp` of
# each, divided by their sum (chapter 6).
#
# This chapter begins where the map ends, with the logits at the *last* position, which score the token that is not
# there yet. In the shapes below, `pos` counts the positions of a text, and `d_vocab` the tokens of the vocabulary (4096
# here).

# %% [markdown]
# ## Always the likeliest
#
# Which token should the model write? A first idea, called **greedy**: the one with the highest logit.

# %% [markdown] exercise="greedy" difficulty=1 importance=3 minutes=3
# ## Exercise: write `greedy`
#
# **What goes in?** `logits`, one score for each token of the vocabulary.
#
# **What comes out?** The number of the token with the highest logit, as a Python `int`.
#
# **Before you code**: do you need softmax?
#
# <details><summary>Answer</summary>
#
# No. Softmax keeps the order: the highest logit has the highest probability.
#
# </details>


# %%
def greedy(logits: Float[Tensor, " d_vocab"]) -> int:
    """The token with the highest logit."""
    # BEGIN SOLUTION
    return int(logits.argmax())
    # END SOLUTION


# %% [markdown] hint="idea"
# Not how high the highest logit is, but *where* it is: that index is the token's number.

# %% [markdown] hint="pseudocode"
# ```text
# best = where logits are highest
# return it as a Python int
# ```

# %% tags=["active-ipynb"]
# test_greedy(greedy)

# %% [markdown]
# The chapter uses 48 stories that the model has never read, in two sets, so that each can check what the other shows.
# Let `greedy` go on from the first 15 tokens of four of them.

# %% tags=["active-ipynb"]
# begun_length = 17  # <|endoftext|>, a line break and 15 tokens of the story
# beginnings = passage_tokens()[:, :begun_length]
#
#
# @torch.no_grad()
# def continued(begun, new_tokens, choose):
#     """The text and `new_tokens` more, each of them `choose(text so far, logits)`."""
#     for _ in range(new_tokens):
#         last_scores = my_gpt2(begun[None])[0, -1]
#         begun = torch.cat([begun, torch.tensor([choose(begun, last_scores)])])
#     return begun

# %% tags=["active-ipynb", "folded"]
# # @title show: prints a text, with three dots where the model takes over
# def show(told, begun=begun_length):
#     given, new = ("".join(str_tokens(part)) for part in (told[:begun], told[begun:]))
#     text = f"{given.removeprefix('<|endoftext|>').lstrip()} ...{new}"
#     print(wrapped(text.replace("\n", " ")), "", sep="\n")

# %% tags=["active-ipynb"]
# greedy_stories = [
#     continued(begun, 40, lambda text, scores: greedy(scores))
#     for begun in waiting(beginnings[:4], "writing")
# ]
# for told in greedy_stories:
#     show(told)

# %% [markdown]
# All four end in a **loop**: "I am very sorry for him, and I am very sorry for him." Do real stories repeat themselves
# too? Measure, at each new token, the longest run of tokens that ends there and has come before.

# %% tags=["active-ipynb"]
# def said_before(told):
#     """At each token, how long a run that ends there has come before in the text."""
#     tokens, longest, runs = told.tolist(), [], []
#     for here, token in enumerate(tokens):
#         before = [0, *runs]  # one token earlier: the runs that end at each token
#         runs = [before[at] + 1 if tokens[at] == token else 0 for at in range(here)]
#         longest.append(max(runs, default=0))
#     return longest
#
#
# def repeats_after(told, run=8, begun=begun_length):
#     """After how many new tokens a run of `run` tokens has come again; None if never."""
#     where = [at for at, length in enumerate(said_before(told)) if length >= run]
#     return where[0] + 1 - begun if where else None

# %% tags=["active-ipynb", "folded"]
# # @title Draws how long the repeated runs are in four greedy texts and four real ones
# real_texts = passage_tokens()
# real_ends = real_texts[:4, : begun_length + 40]
# runs_by_token = {
#     group: torch.tensor([said_before(told)[begun_length:] for told in texts])
#     for group, texts in {"greedy": greedy_stories, "real texts": real_ends}.items()
# }
# print("greedy: a run of eight has come again after", end=" ")
# print(*(repeats_after(told) for told in greedy_stories), sep=", ", end=" new tokens\n")
# repeating = sum(repeats_after(text, begun=1) is not None for text in real_texts)
# print(f"real texts: {repeating} of {len(real_texts)} have one,", end=" ")
# print(f"in {real_texts.shape[1] - 2} tokens each")
# lines(
#     runs_by_token,
#     [f"text {number + 1}" for _ in runs_by_token for number in range(4)],
#     [str(place + 1) for place in range(40)],
#     "How much of it was said before",
#     x_title="new token",
#     y_title="tokens, up to this one, said before",
# )

# %% [markdown]
# In greedy's texts (diamonds) the run soon grows with every token. The real texts (circles) repeat at most two tokens
# here, and few ever repeat eight. Phrase by phrase the English is good; what fails is the *rule*.

# %% [markdown]
# ## What feeds the loop?
#
# A loop also needs a model that finds a phrase likely because it has just read it. That may be the work of chapter 4's
# **induction head**, "5.2" (layer 5, head 2; [Olsson et al.
# 2022](https://transformer-circuits.pub/2022/in-context-learning-and-induction-heads/index.html)). It reads the token
# that came *after* an earlier copy of the current one.
#
# So repeat 12 tokens of each story five times: five **laps**. How likely does the model find each lap, and how likely
# without the induction head (its `W_O` set to 0) or, as a control, without its neighbour 5.3?

# %% tags=["active-ipynb"]
# def with_heads_off(*heads):
#     """Your GPT-2 with the trained weights; the heads (layer, head) write nothing."""
#     gpt2 = Transformer(model.cfg)
#     gpt2.load_state_dict(dict(model.weights), strict=True)
#     with torch.no_grad():
#         for layer, head in heads:
#             gpt2.blocks[layer].attn.W_O[head] = 0.0
#     return gpt2
#
#
# versions = {
#     "all heads": my_gpt2,
#     "without 5.2": with_heads_off((5, 2)),
#     "without 5.3": with_heads_off((5, 3)),
# }

# %% tags=["active-ipynb"]
# lap_length, laps = 12, 5
#
#
# def with_laps(phrase_start):
#     """A phrase of each story, five times over, after the usual line break."""
#     phrases = passage_tokens()[:, phrase_start : phrase_start + lap_length]
#     return torch.cat([passage_tokens()[:, :2], phrases.repeat(1, laps)], dim=1)
#
#
# @torch.no_grad()
# def chance_by_lap(gpt2, texts):
#     """The mean probability of a token in each lap of each text, [text lap]."""
#     chances = gpt2(texts[:, :-1])[:, 1:].softmax(dim=-1)
#     of_next = chances.gather(dim=-1, index=texts[:, 2:, None])
#     return of_next.reshape(len(texts), laps, lap_length).mean(dim=2)

# %% tags=["active-ipynb"]
# predict(
#     "fifth_lap",
#     """With all heads on, a token of the phrase has a probability of 0.13 on the first
#     lap and 0.64 on the fifth. Without the induction head, what is it on the fifth?
#     a) less than 0.25: without this head, reading the phrase again hardly helps
#     b) from 0.25 to 0.5: other heads do a good part of the work
#     c) more than 0.5: one head of 24 can be spared""",
#     answer="a",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws how likely each lap is, with all heads, without 5.2 and without 5.3
# each_lap = {
#     label: chance_by_lap(gpt2, with_laps(30))
#     for label, gpt2 in waiting(versions.items(), "reading")
# }
# for label, by_lap in each_lap.items():
#     print(f"{label:12}", *(f"{chance:.2f}" for chance in by_lap.mean(dim=0)), end="; ")
#     print(f"the fifth {OverPassages(by_lap[:, -1])}")
# lines(
#     {label: by_lap.mean(dim=0)[None] for label, by_lap in each_lap.items()},
#     list(each_lap),
#     [f"lap {lap + 1}" for lap in range(laps)],
#     "How likely each lap of a repeated phrase is",
#     y_title="mean probability of a token",
# )

# %% tags=["active-ipynb"]
# see("fifth_lap", fifth_lap=each_lap["without 5.2"][:, -1].mean().item())

# %% [markdown]
# Each lap makes the next one likelier (diamonds), and nearly all of that is the induction head's work: without it
# (circles) the line stays flat, while without its neighbour (squares) hardly anything changes. No other head matters
# nearly as much (More experiments). And the model reads its own words as it reads yours: a phrase said once becomes
# likelier to be said again. (Holtzman et al. 2020, figure 4, saw such a rise in GPT-2 too.)
#
# **What this does not show**: that greedy needs this head to loop, since *we* repeated the text. Without it most of
# greedy's texts still loop, only later (More experiments).

# %% [markdown]
# ## Temperature
#
# Before you draw from the whole distribution, here are two ways to *reshape* it. The first is a **temperature**: divide
# every logit by it.
#
# By hand: four tokens share 30 parts of probability, and a token's logit is the logarithm of its parts. Dividing the
# logarithm by 2 takes the square root of the parts, and dividing it by ½ squares them.
#
# | | fox | owl | hen | king |
# |---|---|---|---|---|
# | at temperature 1, of 30 parts | 16 | 9 | 4 | 1 |
# | at 2, of 10 | 4 | 3 | 2 | 1 |
# | at ½, of 354 | 256 | 81 | 16 | 1 |

# %% tags=["active-ipynb"]
# hand_words = ["fox", "owl", "hen", "king"]
# hand_scores = torch.tensor([16.0, 9.0, 4.0, 1.0]).log()
# hand_bars = {
#     f"temperature {degrees:g}": (hand_scores / degrees).softmax(dim=-1)
#     for degrees in (0.5, 1, 2)
# }
# side_by_side(hand_bars, hand_words, "One distribution at three temperatures")

# %% [markdown]
# **What it is not**: a dial for "creativity". It keeps the *order* of the tokens, so greedy loops as before. A high
# temperature also flattens the distribution where the model was sure and right.

# %% [markdown] exercise="apply_temperature" difficulty=1 importance=4 minutes=3
# ## Exercise: write `apply_temperature`
#
# **What goes in?** `logits`, and `temperature`, a number above 0.
#
# **What comes out?** `logits / temperature`, as a new tensor, also at a temperature of 1.
#
# **Before you code**: what if you divide the *probabilities* instead, and rescale them to add up to 1?
#
# <details><summary>Answer</summary>
#
# Nothing changes: the factor cancels. It has to be the logits.
#
# </details>


# %%
def apply_temperature(
    logits: Float[Tensor, " d_vocab"], temperature: float
) -> Float[Tensor, " d_vocab"]:
    """The logits at a temperature above 0.

    Below 1 the distribution grows more peaked, above 1 flatter.
    Source: Ackley, Hinton & Sejnowski 1985, eq. 5, where energies are divided by a
    temperature.
    """
    # BEGIN SOLUTION
    return logits / temperature
    # END SOLUTION


# %% [markdown] hint="idea"
# No loop is needed. `/=` and `/` differ in what happens to the tensor that you were given.

# %% [markdown] hint="pseudocode"
# ```text
# a new tensor: each entry of logits, divided by the same number
# ```

# %% tags=["active-ipynb"]
# test_apply_temperature(apply_temperature)

# %% [markdown]
# After "Once upon a" the model is sure; after "Once upon a time there was a" it is not. How many of the likeliest
# tokens hold 90 % of the probability there, and at every third position of the 48 texts?

# %% tags=["active-ipynb"]
# @lru_cache(maxsize=8)  # the model runs once for each text
# def last_logits(text):
#     """Your model's logits for what comes after a text."""
#     with torch.no_grad():
#         return my_gpt2(encode(text))[0, -1]
#
#
# def how_many_hold(share, some_logits):
#     """How many of the likeliest tokens it takes to hold that share."""
#     ranked_chances = some_logits.softmax(dim=-1).sort(descending=True).values
#     return (ranked_chances.cumsum(dim=-1) < share).sum(dim=-1) + 1
#
#
# sure, unsure = "Once upon a", "Once upon a time there was a"
# some = slice(2, -1, 3)  # every third position, without the start of each text
# with torch.no_grad():
#     text_logits = my_gpt2(passage_tokens())[:, some].flatten(0, 1)

# %% tags=["active-ipynb"]
# predict(
#     "hold_90",
#     """At temperature 1, how many of the 4096 tokens does it take to hold 90 % of the
#     probability? (The median of the positions in the 48 texts, right to within a
#     factor of 3.)""",
#     answer="60",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws how many tokens hold 90 % at each temperature
# temperatures = (0.25, 0.5, 0.75, 1, 1.25, 1.5, 2)
# hold_by_text = {"Once upon a": [], "... there was a": [], "48 texts, median": []}
# for degrees in waiting(temperatures, "counting"):
#     scores_by_text = (last_logits(sure), last_logits(unsure), text_logits)
#     for counts, scores in zip(hold_by_text.values(), scores_by_text, strict=True):
#         counts.append(how_many_hold(0.9, apply_temperature(scores, degrees)).median())
# lines(
#     {label: torch.stack(counts)[None] for label, counts in hold_by_text.items()},
#     list(hold_by_text),
#     [f"{degrees:g}" for degrees in temperatures],
#     "How many of the 4096 tokens hold 90 %",
#     x_title="temperature",
#     y_title="tokens",
#     log_y=True,
# )

# %% tags=["active-ipynb"]
# see("hold_90", tokens=hold_by_text["48 texts, median"][temperatures.index(1)].item())

# %% [markdown]
# Few positions are as sure as "Once upon a", where `·time` (the dot is a space) alone holds 90 %. A low temperature
# leaves next to no choice at most positions, while at 2 even "Once upon a" is nearly as open as the other text.

# %% [markdown]
# ## A penalty for what was said
#
# Temperature can't end greedy's loops. A **frequency penalty** may: it is taken off a token's logit once for each time
# that the token occurs in the text. By hand, with a penalty of 0.5:
#
# | | fox | owl | hen | king |
# |---|---|---|---|---|
# | logits | 3 | 2.5 | 1 | 0 |
# | count in *fox hen fox* | 2 | 0 | 1 | 0 |
# | logits after the penalty | 2 | 2.5 | 0.5 | 0 |
#
# **What it is not**: a penalty on repeated *phrases*. It counts single tokens, so a comma pays as much as a fox. (A
# *presence penalty* is taken off only once, however often the token has occurred.)

# %% [markdown] exercise="apply_frequency_penalty" difficulty=2 importance=3 minutes=7
# ## Exercise: write `apply_frequency_penalty`
#
# **What goes in?** `input_ids`, the tokens of the text so far, at least one; `logits`; and `freq_penalty`, a number
# (below 0 it rewards repetition).
#
# **What comes out?** A new tensor: each token's logit, minus `freq_penalty` times how often it is in `input_ids`.
#
# **Before you code**: why is `new = logits.clone(); new[input_ids] -= freq_penalty` wrong?
#
# <details><summary>Answer</summary>
#
# A token that occurs twice in the index pays only once: PyTorch starts from the *same* old value both times.
#
# </details>


# %%
def apply_frequency_penalty(
    input_ids: Int[Tensor, " pos"],
    logits: Float[Tensor, " d_vocab"],
    freq_penalty: float,
) -> Float[Tensor, " d_vocab"]:
    """Each token's logit, less `freq_penalty` for each time it is in `input_ids`.

    Source: the definition of `frequency_penalty` in the OpenAI API's documentation,
    but there the counts are of the tokens sampled so far, without the prompt's.
    """
    # BEGIN SOLUTION
    counts = torch.bincount(input_ids, minlength=len(logits))
    return logits - freq_penalty * counts
    # END SOLUTION


# %% [markdown] hint="idea"
# You need a count for every token of the vocabulary, even those that have not occurred: see `torch.bincount` and its
# `minlength`.

# %% [markdown] hint="pseudocode"
# ```text
# counts = how often each token of the vocabulary occurs in input_ids
# return logits minus freq_penalty times counts
# ```

# %% tags=["active-ipynb"]
# test_apply_frequency_penalty(apply_frequency_penalty)

# %% [markdown]
# Here are the four beginnings again, greedy with a penalty of 1:

# %% tags=["active-ipynb"]
# def greedy_with_penalty(text, scores):
#     return greedy(apply_frequency_penalty(text, scores, 1.0))
#
#
# penalised_stories = [
#     continued(begun, 40, greedy_with_penalty)
#     for begun in waiting(beginnings[:4], "writing")
# ]
# for told in penalised_stories:
#     show(told)
# print("repeats itself after", [repeats_after(told) for told in penalised_stories])

# %% [markdown]
# None of them repeats itself now. But commas pay too: after four of them `exp` of the comma's logit has been divided
# by e⁴, about 55. After 150 tokens most commas are gone, and yet about half of the texts repeat themselves (More
# experiments).

# %% [markdown]
# ## Draw
#
# The peak alone leads into loops, so draw: `torch.multinomial` spins a wheel that has a sector for each token, and
# `torch.manual_seed` makes the spins repeatable. (Correct functions may use the same random numbers differently, so
# your texts may not be those quoted here.)

# %% [markdown] exercise="sample_basic" difficulty=1 importance=5 minutes=4
# ## Exercise: write `sample_basic`
#
# **What goes in?** `logits`. **What comes out?** One token, as an `int`, drawn with torch's random numbers: the same
# seed gives the same token.
#
# **Before you code**: `torch.multinomial` wants weights that are not negative. What do you give it?
#
# <details><summary>Answer</summary>
#
# The softmax of the logits.
#
# </details>


# %%
def sample_basic(logits: Float[Tensor, " d_vocab"]) -> int:
    """A token, drawn with the probabilities that softmax makes of the logits."""
    # BEGIN SOLUTION
    return int(torch.multinomial(logits.softmax(-1), 1))
    # END SOLUTION


# %% [markdown] hint="idea"
# Softmax, then `torch.multinomial(probabilities, 1)`: it gives a tensor that holds the one number drawn.

# %% [markdown] hint="pseudocode"
# ```text
# probabilities = softmax of the logits
# return one draw from them, as an int
# ```

# %% tags=["active-ipynb"]
# test_sample_basic(sample_basic)

# %% tags=["active-ipynb"]
# torch.manual_seed(3)
# hand_drawn = torch.tensor([sample_basic(hand_scores) for _ in range(3000)])
# due_and_drawn = {
#     "due": hand_scores.softmax(dim=-1),
#     "drawn": hand_drawn.bincount(minlength=4) / 3000,
# }
# side_by_side(due_and_drawn, hand_words, "3000 draws")

# %% tags=["active-ipynb"]
# for seed in waiting(range(2), "writing"):
#     torch.manual_seed(seed)
#     show(continued(beginnings[0], 40, lambda text, scores: sample_basic(scores)))

# %% [markdown]
# Neither text loops. Instead the model babbles: "next day I are chorusing you". The first suspect is the **tail**,
# thousands of tokens with next to no probability each. How much probability lies there over the real texts, and how
# often does the real next token?

# %% tags=["active-ipynb"]
# text_chances = text_logits.softmax(dim=-1)
# came_next = passage_tokens().roll(-1, 1)[:, some].flatten()
# chance_of_next = text_chances.gather(dim=-1, index=came_next[:, None])
# rank_of_next = (text_chances > chance_of_next).sum(dim=-1)  # 0 for the likeliest
# text_held = text_chances.sort(descending=True).values.cumsum(dim=-1)

# %% tags=["active-ipynb"]
# predict(
#     "tail",
#     """Beyond its hundred likeliest tokens the model puts a tenth of the probability.
#     How often does the real next token lie there?
#     a) far less often, in under 7 % of the cases: writers avoid what is unlikely
#     b) about as often as the model says
#     c) far more often, in over 16 %: writers choose rarer words than the model""",
#     answer="b",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws how much lies beyond the 1, 2, 5, ... 2000 likeliest tokens
# first_few = torch.tensor([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000])
# model_beyond = 1 - text_held[:, first_few - 1].mean(dim=0)
# real_beyond = (rank_of_next[:, None] >= first_few).float().mean(dim=0)
# beyond = {
#     "the model's probability": model_beyond[None],
#     "the real next token": real_beyond[None],
# }
# lines(
#     beyond,
#     list(beyond),
#     [str(few) for few in first_few.tolist()],
#     "What lies beyond the likeliest tokens",
#     x_title="beyond so many of the likeliest",
#     y_title="share",
# )

# %% tags=["active-ipynb"]
# see("tail", beyond_a_hundred=real_beyond[first_few == 100].item())

# %% [markdown]
# So the model does not overrate its tail: real texts go there even a little more often than it says.
#
# What differs is *which* token is taken there. A writer has a reason for a rare word, a draw has none, and the model
# then reads it as if it had been meant. (This is our reading: the figure shows only how often.)

# %% [markdown]
# ## The k likeliest
#
# So cut the tail off. **Top-k** (Fan et al. 2018) draws among the k likeliest tokens, in proportion to their
# probabilities. By hand, with k = 2: fox's 16 parts and owl's 9 stay, so fox is drawn with 16/25 = 0.64.

# %% [markdown] exercise="sample_top_k" difficulty=2 importance=3 minutes=6
# ## Exercise: write `sample_top_k`
#
# **What goes in?** `logits`, and `k`, from 1 to the size of the vocabulary.
#
# **What comes out?** One token, as an `int`: its number in the *vocabulary*.
#
# **Before you code**: softmax first and then keep k, or keep k and then softmax?
#
# <details><summary>Answer</summary>
#
# Either, if the k probabilities are then rescaled to add up to 1 (`torch.multinomial` does so by itself): cutting
# others off does not change the ratio of those that stay. Keeping k logits first is shorter.
#
# </details>


# %%
def sample_top_k(logits: Float[Tensor, " d_vocab"], k: int) -> int:
    """One of the `k` most likely tokens, drawn with their probabilities.

    These are scaled up to add up to 1. Tokens that tie for the last of the k
    places may all be kept, or any of them.

    Source: Fan, Lewis & Dauphin 2018, section 5.4.
    """
    # BEGIN SOLUTION
    best, tokens = logits.topk(k)
    return int(tokens[sample_basic(best)])
    # END SOLUTION


# %% [markdown] hint="idea"
# `logits.topk(k)` gives the k largest logits, and which tokens they belong to. Your `sample_basic` of the first is a
# rank from 0 to k − 1. Which token has that rank?

# %% [markdown] hint="pseudocode"
# ```text
# best, tokens = the k largest logits and their numbers in the vocabulary
# rank = sample_basic(best)
# return the token of that rank, as an int
# ```

# %% tags=["active-ipynb"]
# test_sample_top_k(sample_top_k)

# %% [markdown]
# Which k? GPT-2's own samples were made with 40. How much do the likeliest tokens hold after each of the two texts?

# %% tags=["active-ipynb"]
# two_texts = {
#     f"after {each!r}": last_logits(each).softmax(dim=-1) for each in (sure, unsure)
# }
# for label, chances in two_texts.items():
#     print(f"{label:37} the 40 likeliest hold {chances.topk(40).values.sum():.2f}")
# reach(two_texts, "How much the likeliest tokens hold together", k=40, p=0.9)

# %% [markdown]
# No one k fits both. After "Once upon a" (solid) one token holds over 90 %, and k = 40 lets in 39 more. After "there
# was a" (dashed) it cuts most of the probability off. Nor are these rare cases (More experiments).

# %% [markdown]
# ## The nucleus
#
# So fix not how *many* tokens to keep, but how *much* probability. **Top-p** (Holtzman et al. 2020) takes the likeliest
# tokens, one by one, until together they hold p or more: the **nucleus**. The token that brings the sum to p, or past
# it, belongs to it.
#
# By hand: fox, owl, hen and king have 0.533, 0.3, 0.133 and 0.033. For p = 0.8 the nucleus is fox and owl, which hold
# 0.833. For p = 0.5 it is fox alone.

# %% [markdown] exercise="sample_top_p" difficulty=3 importance=5 minutes=12
# ## Exercise: write `sample_top_p`
#
# **What goes in?** `logits`; `top_p`, a share from 0 to 1; and `min_tokens_to_keep`: at least so many of the likeliest
# tokens are kept, even at a `top_p` of 0.
#
# **What comes out?** One token of the nucleus, as an `int`.
#
# **Before you code**: with the four tokens above and p = 0.9, how many are in the nucleus? And which would you keep if
# you took those whose running sum (0.533, 0.833, 0.967, 1) is *below* p?
#
# <details><summary>Answer</summary>
#
# Three: hen's 0.967 crosses 0.9. By running sums below 0.9 you would lose the hen. So look at what the tokens *before*
# each one hold, 0, 0.533, 0.833 and 0.967: where that is below p, the token is in the nucleus.
#
# </details>


# %%
def sample_top_p(
    logits: Float[Tensor, " d_vocab"], top_p: float, min_tokens_to_keep: int = 1
) -> int:
    """One of the fewest most likely tokens that hold `top_p` or more together.

    There are at least `min_tokens_to_keep` of them. They are drawn with their
    probabilities, scaled up to add up to 1.

    Source: Holtzman et al. 2020, eq. 2 and 3.
    """
    # BEGIN SOLUTION
    ranked, tokens = logits.sort(descending=True)
    before = ranked.softmax(-1).cumsum(-1).roll(1)
    before[0] = 0.0  # the probability of all tokens that are more likely
    n_kept = max(int((before < top_p).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n_kept])])
    # END SOLUTION


# %% [markdown] hint="idea"
# `logits.sort(descending=True)` gives the logits from the highest down, and which token each belongs to. Softmax, then
# `cumsum(-1)`, makes running sums. A running sum less the token's own probability is what the tokens *before* it hold.
# Count where that is below `top_p`. The rest is as in top-k.

# %% [markdown] hint="pseudocode"
# ```text
# ranked, tokens = logits from the highest down, and their numbers in the vocabulary
# probabilities = softmax of ranked
# before = running sum of the probabilities, less each one's own
# n_kept = how many of `before` are less than top_p; at least min_tokens_to_keep
# rank = sample_basic(the first n_kept of ranked)
# return the token of that rank, as an int
# ```

# %% tags=["active-ipynb"]
# test_sample_top_p(sample_top_p)

# %% [markdown]
# Call a position **peaked** where 10 tokens or fewer hold 90 %, and **flat** where it takes 400 or more. How often do
# k = 40 and the nucleus of 0.9 keep the real next token?

# %% tags=["active-ipynb"]
# predict(
#     "kept_too_seldom",
#     """The figure has a bar for each kind of position, 'all', 'peaked' or 'flat', and
#     each way, 'k = 40' or 'p = 0.9'. Which bars show that the real next token is kept
#     in less than 85 % of the cases? Write a line that selects them, such as:
#     (way == 'p = 0.9') & (kind != 'all')""",
#     kind=["all", "all", "peaked", "peaked", "flat", "flat"],
#     way=["k = 40", "p = 0.9"] * 3,
#     answer='(way == "k = 40") & (kind != "peaked")',
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws how often k = 40 and p = 0.9 keep the real next token
# n_hold = how_many_hold(0.9, text_logits)
# kinds = {"all": n_hold > 0, "peaked": n_hold <= 10, "flat": n_hold >= 400}
# kept_in = {"k = 40": rank_of_next < 40, "p = 0.9": rank_of_next < n_hold}
# names = []
# for label, here in kinds.items():
#     names.append(f"{label}: {here.sum()} positions")
#     size = n_hold[here].float().mean()
#     held = text_held.gather(1, n_hold[:, None] - 1)[here].mean()
#     print(f"{names[-1]}, a nucleus of {size:.0f} tokens which hold {held:.3f}:")
#     for way, is_kept in kept_in.items():
#         share = is_kept[here].float().mean()
#         error = (share * (1 - share) / here.sum()) ** 0.5  # of a share
#         print(f"    {way} keeps the real next token in {share:.3f} ± {error:.3f}")
# grouped_bars(
#     {
#         way: torch.stack([is_kept[here].float().mean() for here in kinds.values()])
#         for way, is_kept in kept_in.items()
#     },
#     names,
#     "How often the real next token is kept",
#     y_title="share of the positions",
# )

# %% tags=["active-ipynb"]
# kept_shares = [
#     is_kept[here].float().mean().item()
#     for here in kinds.values()
#     for is_kept in kept_in.values()
# ]
# see("kept_too_seldom", kept=kept_shares)

# %% [markdown]
# The nucleus adapts, and k does not: at the flat positions k = 40 (the left bar of each pair) puts half of what a
# writer does out of reach, and at the peaked ones it takes at least thirty tokens that the nucleus leaves out.
#
# **What it is not**: a judge of tokens. It trusts the model's probabilities, and at the flat positions, where it keeps
# a little less than 0.9 of the real tokens, the model may be too sure. (*Min-p*, a newer cut, is in More experiments.)

# %% [markdown]
# ## One function for all
#
# Put them together, in the order of HuggingFace's `transformers`: the penalty, then the temperature, then the draw.
#
# The order matters. At temperature 2 the four tokens have 0.4, 0.3, 0.2 and 0.1, so the nucleus of 0.5 is fox and owl.
# Cut first, and fox is left alone: no temperature brings the owl back.

# %% [markdown] exercise="sample_next_token" difficulty=2 importance=4 minutes=8
# ## Exercise: write `sample_next_token`
#
# **What goes in?** The text so far, the logits, and four settings, whose defaults change nothing.
#
# **What comes out?** The next token, as an `int`. The docstring says what a 0 means: do not hand a `top_k` or `top_p`
# of 0 on to your functions.
#
# **Before you code**: at temperature 0, what would `apply_temperature` do?
#
# <details><summary>Answer</summary>
#
# Divide by 0. So temperature 0 has to be handled separately.
#
# </details>


# %%
def sample_next_token(
    input_ids: Int[Tensor, " pos"],
    logits: Float[Tensor, " d_vocab"],
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 0.0,
    freq_penalty: float = 0.0,
) -> int:
    """The next token: the penalty first, then the temperature, then a draw.

    A temperature of 0 is greedy, after the penalty. A `top_k` of 0 and a `top_p` of 0
    leave nothing out.
    Raises ValueError where both `top_k` and `top_p` are given.
    """
    # BEGIN SOLUTION
    if top_k and top_p:
        raise ValueError("Both top_k and top_p are given: choose one of the two.")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)
    # END SOLUTION


# %% [markdown] hint="idea"
# Call your six functions, each under its condition: the error first, then the penalty, then temperature 0, and so on.

# %% [markdown] hint="pseudocode"
# ```text
# both top_k and top_p given: raise ValueError
# logits = apply_frequency_penalty(...)
# temperature is 0: return greedy(logits)
# logits = apply_temperature(...)
# top_k given: return sample_top_k(...)
# top_p given: return sample_top_p(...)
# return sample_basic(logits)
# ```

# %% tags=["active-ipynb"]
# test_sample_next_token(sample_next_token)

# %% [markdown]
# ## The loop that writes
#
# One token is chosen, then the next, and so on. Three things have to be right:
#
# 1. **The window.** The model can read `n_ctx` positions. If the text is longer, it gets the *last* `n_ctx` tokens.
# 2. **The end.** In training, `<|endoftext|>` was put between two texts. If its number is given as `eos`, the writing
#    stops once that token is chosen, and the token stays in the text. (An `eos` in the given text stops nothing.)
# 3. **The whole text**, not the window, goes to `sample_next_token`: the penalty counts all of it.

# %% [markdown] exercise="generate" difficulty=2 importance=5 minutes=8
# ## Exercise: write `generate`
#
# **What goes in?** `model`; `tokens` [pos], a text without a batch axis; `max_new_tokens`; `eos`, a token or None;
# and the settings for `sample_next_token`, which arrive as a dict, `sampling`.
#
# **What comes out?** The text, followed by what was written, [all_pos]. The model is left as it was, in its mode too:
# if you call `model.eval()`, put back what `model.training` was.
#
# **Before you code**: the model wants [batch pos] and answers [batch pos d_vocab]. Which of its logits do you need?
#
# <details><summary>Answer</summary>
#
# Those of the only row, at the last position: `model(...)[0, -1]`. `tokens[None]` makes the batch of one row.
#
# </details>


# %%
@torch.no_grad()
def generate(
    model: nn.Module,
    tokens: Int[Tensor, " pos"],
    max_new_tokens: int,
    eos: int | None = None,
    **sampling: float | int,
) -> Int[Tensor, " all_pos"]:
    """The text and up to `max_new_tokens` more, each chosen by `sample_next_token`.

    The model reads the last `model.cfg.n_ctx` tokens at most. The text ends after a
    token `eos`, which it keeps.
    """
    # BEGIN SOLUTION
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens
    # END SOLUTION


# %% [markdown] hint="idea"
# You have seen nearly all of it in `continued`, near the beginning. Three things are new: the window (`tokens[-n:]` is
# the last n tokens, or all if there are fewer), the settings (`**sampling` hands them on), and the end.

# %% [markdown] hint="pseudocode"
# ```text
# repeat max_new_tokens times:
#     logits = the model on the last n_ctx tokens, as a batch of one;
#         of its answer the only row, the last position
#     new = what sample_next_token chooses, with all settings of `sampling`
#     tokens = tokens with new at the end
#     new is eos: stop
# return tokens
# ```

# %% tags=["active-ipynb"]
# test_generate(generate)

# %% [markdown]
# One beginning, one seed, four ways to choose:

# %% tags=["active-ipynb"]
# ways = {
#     "greedy": {"temperature": 0},
#     "drawn from all tokens": {},
#     "the nucleus of 0.9": {"top_p": 0.9},
#     "the nucleus of 0.9, temperature 0.8, penalty 0.2": {
#         "top_p": 0.9,
#         "temperature": 0.8,
#         "freq_penalty": 0.2,
#     },
# }
# for way, settings in waiting(ways.items(), "writing"):
#     torch.manual_seed(1)
#     print(f"{way}:")
#     show(generate(my_gpt2, beginnings[2], 40, **settings))

# %% [markdown]
# Greedy goes round in circles, and the other three go on. One text each shows *that* they differ, not which is best:
# another seed draws three other texts.

# %% [markdown]
# ### Be the loop yourself
#
# Here you are `generate`, one token at a time. The bars show what may come next; a stroke marks a token's probability
# by the model alone. Draw one at the bars' odds, or click one (with the keyboard, Tab and the arrow keys).
#
# The picture stores only the continuations that greedy or a draw reaches most often, and says where they end. To begin
# elsewhere, change the last line and run the cell again. (On the front page of the course's site the model itself
# answers, so there you can go on.)

# %% tags=["active-ipynb", "nbval-ignore-output"]
# def scores_after(ids):
#     """The logits of your model after a text [pos]."""
#     with torch.no_grad():
#         return my_gpt2(ids[None, -model.cfg.n_ctx :])[0, -1]
#
#
# all_words = str_tokens(torch.arange(model.cfg.d_vocab))
# story(scores_after, all_words, typed("Once upon a")[0])

# %% [markdown]
# Things to try:
#
# - Click the likeliest token four times, and watch how many tokens are left to draw from.
# - Stay there, and raise the temperature. How many tokens does the nucleus keep, and how many top-k?
# - At temperature 0, keep drawing: that is greedy's way. Stop in the middle and raise the temperature.

# %% [markdown]
# ## You can stop here
#
# *Choosing* is done. The rule that picks a token is yours, and so is the loop around it. They make your Transformer
# write:

# %% tags=["active-ipynb"]
# story_begun = encode("Once upon a time")[0]
# story_settings = {"temperature": 0.6, "freq_penalty": 0.15}
# torch.manual_seed(2)
# told = generate(my_gpt2, story_begun, 100, **story_settings)
# show(told, begun=len(story_begun))

# %% [markdown]
# There is no plot yet, but there are people, and they answer each other. Try other seeds.
#
# Eight of the eleven exercises lie behind you, and what passed is noted: `python -m utils progress`, in a terminal in
# the course's folder, says how far you have come. If you stop, save the notebook. When you come back, run its cells
# from the top, and go on here.
#
# The second sitting, *writing fast*, has three exercises. Two questions are left: is there a better text than greedy's,
# if you search for it? And must each token take longer than the one before?

# %% [markdown]
# ## The likeliest *text*
#
# Greedy takes the likeliest token each time, and that seems to lead to the likeliest text. It need not. By hand, with a
# model that knows only pairs of words:
#
# | after | next word |
# |---|---|
# | the | fox 0.6, owl 0.4 |
# | fox | sat 0.4, ran 0.3, hid 0.3 |
# | owl | saw 0.9, slept 0.1 |
#
# Greedy goes to the fox: *the fox sat* has 0.6 · 0.4 = 0.24. But *the owl saw* has 0.4 · 0.9 = 0.36. What was best for
# one word was not best for two.
#
# Trying all texts is out of the question: of 40 tokens there are 4096⁴⁰. **Beam search** keeps a few, the `num_beams`
# **beams**. At each step it continues every beam with every token, and keeps the best of all these.
#
# Probabilities multiply, so their logarithms add up. A beam's **score** is the sum of the log-probabilities of its new
# tokens: for *the owl saw* ln 0.4 + ln 0.9 = −0.916 − 0.105, about −1.02.

# %% [markdown] exercise="beam_search" difficulty=4 importance=3 minutes=20
# ## Exercise: write `beam_search`
#
# **What goes in?** The model, a text [pos], how many tokens to add, and how many beams to keep.
#
# **What comes out?** A list of pairs (score, text), the best first: `num_beams` of them, or as many as there are.
# Scores are Python floats. Each text is `max_new_tokens` longer; there is no `eos` here. As in `generate`, the model
# reads a text's last `n_ctx` tokens at most, while the text itself is kept whole.
#
# **Before you code**: with two beams and a vocabulary of 4096 there are 8192 continuations at each step. How many of
# them can be among the best two?
#
# <details><summary>Answer</summary>
#
# Of each beam, only its two likeliest: a third would have those two ahead of it. So `topk(num_beams)` of each beam is
# enough, four candidates. (If the vocabulary is smaller than `num_beams`, take all of it.)
#
# </details>


# %%
@torch.no_grad()
def beam_search(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, num_beams: int
) -> list[tuple[float, Int[Tensor, " all_pos"]]]:
    """The `num_beams` likeliest texts found, best first, with summed log-probabilities.

    At every step each text is continued by every token, and the `num_beams` best of
    these are kept.
    """
    # BEGIN SOLUTION
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        longer = []
        for score, text in beams:
            log_probs = model(text[None, -model.cfg.n_ctx :])[0, -1].log_softmax(-1)
            best, next_tokens = log_probs.topk(min(num_beams, len(log_probs)))
            for more, token in zip(best, next_tokens, strict=True):
                longer.append((score + float(more), torch.cat([text, token[None]])))
        beams = sorted(longer, key=lambda beam: beam[0], reverse=True)[:num_beams]
    return beams
    # END SOLUTION


# %% [markdown] hint="idea"
# Begin with one beam: score 0, the text as it is. At each step make a new list: for each beam, and each of its
# `num_beams` likeliest tokens, one entry with the new score and the longer text. Then sort the list by score and keep
# the first `num_beams`.
#
# `log_softmax(-1)` gives log-probabilities. `sorted(pairs, key=lambda pair: pair[0], reverse=True)` sorts by the score
# alone (without `key`, two equal scores would make Python compare the tensors).

# %% [markdown] hint="pseudocode"
# ```text
# beams = one pair: the score 0.0, and the text `tokens`
# repeat max_new_tokens times:
#     longer = []
#     for each (score, text) of beams:
#         log_probs = log_softmax of the model's logits at the last position
#             (of the last n_ctx tokens)
#         for each of the num_beams likeliest tokens, or of all if there are fewer:
#             add (score + its log-probability, text with the token at the end) to longer
#     beams = the num_beams best of longer, by score, best first
# return beams
# ```

# %% tags=["active-ipynb"]
# test_beam_search(beam_search)

# %% tags=["active-ipynb", "folded"]
# # @title PairModel: the table of pairs above, as a model
# pair_words = ["the", "fox", "owl", "sat", "ran", "hid", "saw", "slept"]
# pairs = "the fox 0.6, the owl 0.4, fox sat 0.4, fox ran 0.3, fox hid 0.3, "
# pairs += "owl saw 0.9, owl slept 0.1"
# pair_chances = torch.full((8, 8), 1e-9)
# for pair in pairs.split(", "):
#     this_word, follower, share = pair.split()
#     place = pair_words.index(this_word), pair_words.index(follower)
#     pair_chances[place] = float(share)
#
#
# class PairModel(nn.Module):
#     """A model that looks at the last word only: its logits come from a table."""
#
#     cfg = Config(d_vocab=8, n_ctx=4)
#
#     def forward(self, ids):
#         return pair_chances.log()[ids]

# %% tags=["active-ipynb"]
# for how_many in (1, 2):
#     for score, text in beam_search(PairModel(), torch.tensor([0]), 2, how_many):
#         phrase = " ".join(pair_words[word] for word in text)
#         chance = torch.tensor(score).exp()
#         print(f"num_beams = {how_many}: {phrase}, score {score:.2f}, {chance:.2f}")

# %% [markdown]
# One beam is greedy and goes to the fox; two beams find *the owl saw*. **It is not exhaustive**: had the owl been third
# of three, two beams would have dropped it before *saw* could save it.
#
# And your model? Search with four beams, from every other beginning:

# %% tags=["active-ipynb"]
# def nats_of_new(told, begun=begun_length):
#     """What each new token of a text costs: −log(probability) by your model."""
#     with torch.no_grad():
#         log_chances = my_gpt2(told[None, :-1])[0].log_softmax(dim=-1)
#     return -log_chances.gather(dim=-1, index=told[1:, None])[begun - 1 :, 0]
#
#
# compared = 24  # new tokens
# every_other = beginnings[::2]  # twelve of each set
# searched_stories = [
#     beam_search(my_gpt2, begun, compared, 4)[0][1]
#     for begun in waiting(every_other, "searching")
# ]
# for searched in searched_stories[:3]:
#     show(searched)

# %% [markdown]
# The search works: nearly always the beams find a likelier text than greedy (More experiments). But the texts are no
# better to read: "he was a king, and he was a king". (The third even ends its story and begins another, because nothing
# stops it at `<|endoftext|>`.) So a likelier text need not be a better one.

# %% [markdown]
# ## What is computed again and again
#
# `generate` hands the model the whole text for each new token. Watch the MLP of block 0 while 20 tokens are written
# after a text of 5: how many positions go through it?

# %% tags=["active-ipynb"]
# def positions_read(write, *arguments, **settings):
#     """How many positions go through the MLP of block 0 at each step."""
#     asked = []
#
#     def listen(part, read, given):
#         asked.append(given.shape[:-1].numel())  # also where it takes a text alone
#
#     listener = my_gpt2.blocks[0].mlp.register_forward_hook(listen)
#     try:
#         write(my_gpt2, *arguments, **settings)
#     finally:
#         listener.remove()
#     return asked

# %% tags=["active-ipynb"]
# asked_plain = positions_read(generate, story_begun, 20, temperature=0)
# print("step by step:", *asked_plain)
# print(f"{sum(asked_plain)} in all, for a text of {len(story_begun) + 20} tokens")
# n_old = len(story_begun)
# print(f"with 200 new tokens: {sum(range(n_old, n_old + 200))},", end=" ")
# print(f"for {n_old + 199} different positions")

# %% [markdown]
# At each step the whole text is read again. With 200 new tokens that makes 20,900 positions, although only 204 are
# different (the last token is never read).
#
# Is the same thing computed again? Compare the stream at the first 10 positions of a text, after every block, with the
# same stream when an 11th token follows. As a control, change a token *before* them, at position 0.

# %% tags=["active-ipynb"]
# def streams_of(ids):
#     """The stream after each block, [block pos d_model]."""
#     with torch.no_grad():
#         resid, found = my_gpt2.embed(ids[None]) + my_gpt2.pos_embed(ids[None]), []
#         for block in my_gpt2.blocks:
#             resid = block(resid)
#             found.append(resid[0])
#     return torch.stack(found)

# %% tags=["active-ipynb"]
# ten_tokens = beginnings[0, :10]
# changed_start = ten_tokens.clone()
# changed_start[0] = beginnings[0, 5]
# changes = {
#     "an 11th token after them": streams_of(beginnings[0, :11])[:, :10],
#     "another token at position 0": streams_of(changed_start),
# }
# for change, other in changes.items():
#     largest = (other - streams_of(ten_tokens))[:, 1:].abs().max()
#     print(f"{change:27} largest change at positions 1 to 9: {largest:.2f}")

# %% [markdown]
# The same vectors are computed over and over. Whatever follows, the vectors before it stay as they were in every
# block, because the causal mask (chapter 4) lets no position read a later one. The control, another token *before*
# them, does change them.

# %% [markdown]
# ## Keep the keys and values
#
# A new token needs the old positions for one thing only. Its **query** meets their **keys**, and their **values** are
# mixed (chapter 4). MLP, LayerNorm and unembedding work at each position alone.
#
# So keep each layer's keys and values (this is called the **KV cache**) and send only the *new* positions through the
# model: first all positions of the given text, then one at a time.
#
# **Before you code**: why not keep the queries too?
#
# <details><summary>Answer</summary>
#
# A query is used once, by its own position, to find out what that position writes. Keys and values are used by every
# position that comes later.
#
# </details>

# %% [markdown] exercise="attend_with_cache" difficulty=4 importance=4 minutes=20
# ## Exercise: write `attend_with_cache`
#
# First, the step for one layer. It does what your `Attention` does, but it is given only the vectors of the new
# positions, and the keys and values of the old ones.
#
# **What goes in?** `attn`, the layer, with its `W_Q`, `b_Q`, ..., `b_O`; `normalized_resid_pre`, what `ln1` made of the
# stream at the *new* positions; and the *old* positions' `keys` and `values`, which may be none at all.
#
# **What comes out?** Three tensors: what attention writes at the new positions, and the keys and the values of *all*
# positions, old and then new.
#
# `project` is given: it makes queries, keys or values, [batch new_pos head_index d_head].
#
# **Before you code**: the scores are [batch head_index new_pos all_pos], no longer square. With 3 old positions and 2
# new ones, which of the five may each new one read?
#
# <details><summary>Answer</summary>
#
# The first new one is position 3 of the text and may read 0 to 3. The second is position 4 and may read all five. So
# row 0 of the mask hides column 4, and row 1 hides nothing.
#
# </details>


# %%
def attend_with_cache(
    attn: nn.Module,
    normalized_resid_pre: Float[Tensor, "batch new_pos d_model"],
    keys: Float[Tensor, "batch old_pos head_index d_head"],
    values: Float[Tensor, "batch old_pos head_index d_head"],
) -> tuple[
    Float[Tensor, "batch new_pos d_model"],
    Float[Tensor, "batch all_pos head_index d_head"],
    Float[Tensor, "batch all_pos head_index d_head"],
]:
    """What attention writes at the new positions; keys and values of all so far."""

    def project(weight: Tensor, bias: Tensor) -> Tensor:
        # [batch 1 pos d_model] @ [head d_model d_head]; einsum would copy the weights
        return (normalized_resid_pre[:, None] @ weight).transpose(1, 2) + bias

    # BEGIN SOLUTION
    queries = project(attn.W_Q, attn.b_Q)
    keys = torch.cat([keys, project(attn.W_K, attn.b_K)], dim=1)
    values = torch.cat([values, project(attn.W_V, attn.b_V)], dim=1)
    scores = torch.einsum("bqhd,bkhd->bhqk", queries, keys) / keys.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    # The last row may read every key, each row above it one key fewer.
    later = torch.ones(n_new, n_all, dtype=torch.bool).triu(n_all - n_new + 1)
    pattern = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, values)
    return z.flatten(2) @ attn.W_O.flatten(0, 1) + attn.b_O, keys, values
    # END SOLUTION


# %% [markdown] hint="idea"
# As in `Attention`: queries, keys, values, scores, mask, softmax, values mixed, `W_O`, `b_O`. Two things are new. The
# keys and values of the new positions are appended *after* the old ones, along the axis of positions. And the mask
# depends on how many old ones there are.
#
# `torch.ones(n_new, n_all).triu(1)` keeps, in each row, what is to the right of column 0, 1, 2, ...: right if the first
# query is position 0. Here it is position `n_old`, the number of old keys, so the columns are `n_old`, `n_old + 1`, ...

# %% [markdown] hint="pseudocode"
# ```text
# queries = project with W_Q, b_Q
# keys    = the old keys, then the new ones, along the axis of positions
# values  = likewise
# scores  = dot product of each query with each key, divided by the root of d_head
# later   = True where the key comes after the query:
#           in row 0 right of column n_old, in row 1 right of n_old + 1, ...
# pattern = softmax of the scores, minus infinity where `later`
# z       = the values, mixed by the pattern
# return z through W_O, summed over heads, plus b_O; keys; values
# ```

# %% tags=["active-ipynb"]
# test_attend_with_cache(attend_with_cache)

# %% [markdown]
# Now the whole loop, with your `attend_with_cache` in every layer.

# %% [markdown] exercise="generate_with_cache" difficulty=4 importance=4 minutes=20
# ## Exercise: write `generate_with_cache`
#
# **What goes in, what comes out?** As for `generate`, without `eos`; and the text, with all that is written, fits in
# `n_ctx`. The answer must be the same, token for token, and it is also judged on *work*: the operations of its matrix
# products are counted, and 1.5 times the solution's are allowed. So compute what a position needs once.
#
# You go through the model's parts yourself: `model.embed.W_E`, `model.pos_embed.W_pos`, `model.blocks` (each with
# `ln1`, `attn`, `ln2`, `mlp`), `model.ln_final`, `model.unembed`. From the blocks on, each takes three axes,
# [batch pos d_model]: one new position is [1 1 d_model].
#
# **Before you code**: the text has 12 tokens, and 11 of them have been read. What goes through the model, and which
# row of `W_pos` does it get?
#
# <details><summary>Answer</summary>
#
# One token, the last, and row 11. Call `model.pos_embed` on that one token, and it gets row 0: the model would read
# every new word as if it were the first.
#
# </details>


# %%
@torch.no_grad()
def generate_with_cache(
    model: nn.Module,
    tokens: Int[Tensor, " pos"],
    max_new_tokens: int,
    **sampling: float | int,
) -> Int[Tensor, " all_pos"]:
    """What `generate` gives, while the text fits in `n_ctx`.

    But each position's keys and values are computed once.
    """
    # BEGIN SOLUTION
    cfg: Config = model.cfg
    empty = torch.zeros(1, 0, cfg.n_heads, cfg.d_head)
    kept = [(empty, empty) for _ in model.blocks]
    n_read = 0
    for _ in range(max_new_tokens):
        resid = (
            model.embed.W_E[tokens[None, n_read:]]
            + model.pos_embed.W_pos[n_read : len(tokens)]
        )
        n_read = len(tokens)
        for layer, block in enumerate(model.blocks):
            keys, values = kept[layer]
            written, keys, values = attend_with_cache(
                block.attn, block.ln1(resid), keys, values
            )
            kept[layer] = keys, values
            resid = resid + written
            resid = resid + block.mlp(block.ln2(resid))
        logits = model.unembed(model.ln_final(resid[:, -1:]))[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens
    # END SOLUTION


# %% [markdown] hint="idea"
# Keep two things: how many tokens have been read, and for each layer its keys and values. At the start these are
# tensors without any position in them: `torch.zeros(1, 0, n_heads, d_head)`.
#
# At each step: the vectors of the tokens not read yet, with the rows of `W_pos` for their own positions. Then the
# blocks, as in your `TransformerBlock`, but with `attend_with_cache` in place of `attn`. Then the logits at the last
# position, and the choice, as in `generate`.

# %% [markdown] hint="pseudocode"
# ```text
# kept = for each block: keys and values without a position
# n_read = 0
# repeat max_new_tokens times:
#     resid = rows of W_E of the tokens from n_read on,
#         plus the rows of W_pos from n_read to the text's end
#     n_read = length of the text
#     for each block:
#         written, and the block's new keys and values =
#             attend_with_cache(its attn, ln1(resid), what is kept of it)
#         resid grows by what was written
#         resid = resid + mlp(ln2(resid))
#     logits = unembed(ln_final(the last position of resid))
#     new = what sample_next_token chooses, with all settings of `sampling`
#     tokens = tokens with new at the end
# return tokens
# ```

# %% tags=["active-ipynb"]
# test_generate_with_cache(generate_with_cache, generate)

# %% [markdown]
# Count again. Then measure how long each of 200 tokens takes, from the same seed.

# %% tags=["active-ipynb"]
# asked_cached = positions_read(generate_with_cache, story_begun, 20, temperature=0)
# print("step by step:", *asked_cached)
# print(f"{sum(asked_cached)} in all, where it was {sum(asked_plain)}")

# %% tags=["active-ipynb", "folded", "nbval-ignore-output"]
# # @title Draws the time of each of 200 tokens, with the cache and without
# def told_with_times(write):
#     """A text of 200 new tokens, and how long each took in processor time, in ms."""
#     clock = [time.thread_time()]  # of the processor: what else runs does not count
#     end_of_model = my_gpt2.ln_final.register_forward_hook(
#         lambda *_: clock.append(time.thread_time())
#     )
#     torch.manual_seed(0)
#     try:
#         told = write(my_gpt2, story_begun, 200, top_p=0.9)
#     finally:
#         end_of_model.remove()
#     return told, 1000 * torch.tensor(clock, dtype=torch.float64).diff()
#
#
# both_told, took = {}, {}
# for write in waiting((generate, generate_with_cache), "writing"):
#     both_told[write], took[write.__name__] = told_with_times(write)
#     print(f"{write.__name__:20} {took[write.__name__].sum() / 1000:5.2f} s")
# print("the same text:", torch.equal(*both_told.values()), end="; ")
# plain, cached = (each.sum() for each in took.values())
# print(f"{plain / cached:.1f} times as fast")
# lines(
#     {
#         way: each.reshape(-1, 10).median(dim=1).values[None]
#         for way, each in took.items()
#     },
#     list(took),
#     [str(place) for place in range(10, 201, 10)],
#     "How long a token takes",
#     x_title="new tokens so far",
#     y_title="ms, the median of ten",
# )

# %% [markdown]
# The text is the same, and comes several times as fast (how many depends on the machine: see your output above).
# Without the cache (diamonds) a token takes longer the longer the text is; with it (circles) the last takes about as
# long as the first.
#
# Only a hundredth of the positions is left, so why not a hundred times as fast? Measure how long a position takes.

# %% tags=["active-ipynb", "folded", "nbval-ignore-output"]
# # @title Measures how long 1, 10, 100 and 200 positions take at once
# for width in (1, 10, 100, 200):
#     times = []
#     for _ in range(10):
#         began = time.thread_time()
#         with torch.no_grad():
#             my_gpt2(real_texts[:1, :width])
#         times.append(time.thread_time() - began)
#     print(
#         f"{width:3} positions at once: {1000 * min(times):5.1f} ms, the fastest of ten"
#     )

# %% [markdown]
# Ten positions take far less than ten times as long as one. Our guess at the reason: each step calls the same hundreds
# of PyTorch operations and reads every layer's weights, for one position as for ten.
#
# The price is memory, at each position a key and a value for every head, 4 bytes a number:

# %% tags=["active-ipynb"]
# for name, sizes in {"our model": model.cfg, "GPT-2 small": Config()}.items():
#     each_position = 2 * sizes.n_layers * sizes.n_heads * sizes.d_head
#     whole_window = 4 * each_position * sizes.n_ctx / 1e6
#     print(f"{name:11} keeps {each_position:,} numbers a position,", end=" ")
#     print(f"{whole_window:.1f} MB for {sizes.n_ctx} positions")

# %% [markdown]
# With large models, long texts and many of them at once, the cache can outgrow the weights (Pope et al. 2022).
#
# **What it is not.** It is *not an approximation*: the sums are the same, up to rounding. It is not a memory of earlier
# texts, because every call begins with nothing. And it would not work without the mask: in a model whose positions read
# what comes later, an 11th token would change the first ten.

# %% [markdown]
# ## Is the likeliest text what people write?
#
# Now you can write many texts in each way. The model has learned from what people write, so the text that it finds
# likeliest should be much like theirs. Is it?
#
# Take the real next 24 tokens of the 48 stories, and what your functions write in their place. How much does each token
# cost, on average, in nats: −log(probability) by your model as it is, without temperature or penalty? And do the texts
# repeat themselves: of the 21 runs of four tokens in each text, how many are distinct?

# %% tags=["active-ipynb"]
# predict(
#     "greedy_costs",
#     """A token of the real stories costs 3.5 nats on average. What does a token cost
#     that greedy writes in its place?
#     a) 3 nats or more: the model has learned what people write
#     b) from 2 to 3 nats: a real token is often the likeliest too
#     c) less than 2 nats: people often pass over the likeliest token, greedy never""",
#     answer="c",
# )

# %% tags=["active-ipynb", "folded", "nbval-ignore-output"]
# # @title Writes texts in each way, and draws what a token of them costs
# def share_of_new_runs(told, run=4):
#     """The share of distinct runs among all runs of `run` new tokens."""
#     written = told[begun_length:].tolist()
#     runs = [tuple(written[at : at + run]) for at in range(len(written) - run + 1)]
#     return len(set(runs)) / len(runs)
#
#
# def drawn_texts(**settings):
#     """A text from each of the beginnings."""
#     torch.manual_seed(0)
#     return [
#         generate_with_cache(my_gpt2, begun, compared, **settings)
#         for begun in waiting(beginnings, "writing")
#     ]
#
#
# by_way = {
#     "four beams": searched_stories,
#     "greedy": drawn_texts(temperature=0),
#     "temperature 0.7": drawn_texts(temperature=0.7),
#     "the nucleus of 0.9": drawn_texts(top_p=0.9),
#     "all tokens": drawn_texts(),
#     "the real story": real_texts[:, : begun_length + compared],
# }
# costs_by_way = {
#     way: torch.stack([nats_of_new(told).mean() for told in texts])
#     for way, texts in by_way.items()
# }
# real_costs = costs_by_way["the real story"]
# print("nats in the texts of the first set and of the other; more than the real story")
# for way, costs in costs_by_way.items():
#     means = " and ".join(f"{half.mean():.2f}" for half in costs.chunk(2))
#     new_runs = sum(map(share_of_new_runs, by_way[way])) / len(costs)
#     of_same_stories = real_costs[:: len(real_costs) // len(costs)]
#     above = OverPassages(costs - of_same_stories)
#     print(f"{way:19} {means} nats, {above.mean:+.2f} ± {above.error:.2f}", end="; ")
#     print(f"{new_runs:.2f} of the runs of four are distinct")
# ranked(
#     {way: costs.mean().round(decimals=2) for way, costs in costs_by_way.items()},
#     "What a token costs, by the way it was chosen",
#     x_title="nats a token, the mean of 48 texts (beams: of 24)",
#     digits=3,
# )

# %% tags=["active-ipynb"]
# see("greedy_costs", nats_of_greedy=costs_by_way["greedy"].mean().item())

# %% [markdown]
# It is not. Whatever searches for the likeliest text, as greedy does and the beams even more, writes something far more
# predictable than people do. (A token that costs one nat less has a probability 2.7 times as large.) Texts drawn at
# temperature 0.7 or from the nucleus lie between, and only the draw from all tokens is no more predictable than the
# real story.
#
# Greedy and the beams repeat themselves, too, while in the drawn texts and the real stories nearly all runs of four are
# distinct.
#
# So **people mostly do not write the likeliest token**: under "Draw" you saw two of three real next tokens lie beyond
# the first. Holtzman et al. (2020, figure 2) show something similar for GPT-2.
#
# **What this does not show**: that a text is good if it costs as much as a real one. The babble does. The cost says how
# predictable a text is, not how good.

# %% [markdown]
# ## A bug in the wild
#
# There is a penalty older than yours. CTRL, a language model of 2019, *divided* the logits of all tokens that had
# occurred by a number such as 1.2 (Keskar et al. 2019, section 4.1). HuggingFace's `transformers` did so too, until
# issue 2302 of 24 December 2019 showed what a penalty of 1.5 makes of "The dog": "The dog dog dog dog dog dog dog ...".
#
# The function below is ours, with the same mistake. Find it and mend it, and keep the
# division where it is right.


# %%
def penalise(
    input_ids: Int[Tensor, " pos"], logits: Float[Tensor, " d_vocab"], penalty: float
) -> Float[Tensor, " d_vocab"]:
    """Logits in which each token that occurs in `input_ids` is less likely.

    The higher the penalty, the less likely.
    """
    penalised = logits.clone()
    # BEGIN SOLUTION
    said = penalised[input_ids]
    penalised[input_ids] = torch.where(said > 0, said / penalty, said * penalty)
    # INSTEAD OF
    # said = penalised[input_ids]
    # penalised[input_ids] = said / penalty
    # END SOLUTION
    return penalised


# %% tags=["active-ipynb", "folded"]
# # @title Checks your penalise on 60 tokens of a real story
# bug_ids = real_texts[0, :60]
# with torch.no_grad():
#     bug_scores = my_gpt2(bug_ids[None])[0, -1]
# bug_said = bug_ids.unique()
# bug_after = penalise(bug_ids, bug_scores, 1.2)
# lifted = bug_after[bug_said] > bug_scores[bug_said]
# spared = torch.ones(len(bug_scores), dtype=torch.bool).index_fill(0, bug_said, False)
# same = torch.equal(bug_after[spared], bug_scores[spared])
# assert same, "tokens that never came must stay"
# assert not lifted.any(), (
#     f"{lifted.sum()} of the {len(bug_said)} tokens that came have a higher logit now, "
#     f"such as {str_tokens(bug_said[lifted][:1])[0]!r}. "
#     "What does a division do to a number below 0?"
# )
# unmoved = bug_after[bug_said] == bug_scores[bug_said]
# assert not unmoved.any(), (
#     f"{unmoved.sum()} of the {len(bug_said)} tokens that came pay nothing: "
#     "lower each of them"
# )
# print(f"Mended: each of the {len(bug_said)} tokens that came has a lower logit now.")

# %% [markdown]
# <details><summary>Answer</summary>
#
# A logit may be negative, and −6 divided by 1.2 is −5: *higher* than before. So negative ones are multiplied:
# `torch.where(said > 0, said / penalty, said * penalty)`. That is how `transformers` has done it since (pull request
# 2303).
#
# </details>

# %% tags=["active-ipynb", "folded"]
# # @title Draws what both penalties do, before and after 20 is added to all logits
# n_below = (bug_scores[bug_said] < 0).sum()
# print(f"{n_below} of the {len(bug_said)} tokens had a logit below 0")
# held_after = {"no penalty": [], "divided or multiplied": [], "your penalty": []}
# for shift in (0.0, 20.0):
#     moved = bug_scores + shift
#     penalties = (
#         moved,
#         penalise(bug_ids, moved, 1.2),
#         apply_frequency_penalty(bug_ids, moved, 0.5),
#     )
#     for shares, changed in zip(held_after.values(), penalties, strict=True):
#         shares.append(changed.softmax(dim=-1)[bug_said].sum())
# grouped_bars(
#     {way: torch.stack(shares) for way, shares in held_after.items()},
#     ["logits as they are", "all 20 higher"],
#     "What the tokens that came hold together",
#     y_title="probability",
# )

# %% [markdown]
# Had all logits been divided, 21 of the 46 tokens that had occurred would have been *lifted*.
#
# Even mended, this penalty has a flaw that yours does not have. Add 20 to all logits: softmax gives the same
# probabilities (chapter 6), so nothing should change. But dividing now makes these tokens far less likely than it did
# before, because its result depends on where 0 happens to lie, and for logits that means nothing. Your subtraction
# gives the same both times. (Issue 47595 of 2026 asks `transformers` for a mode without this flaw.)

# %% [markdown]
# ## Check your understanding
#
# **1.** Someone sets `top_k=1` and temperature 2. What do they get?
#
# <details><summary>Answer</summary>
#
# The same as greedy. Temperature keeps the order, so the likeliest token stays the likeliest, and only that one is
# left.
#
# </details>
#
# **2.** With p = 1, does `sample_top_p` cut anything off?
#
# <details><summary>Answer</summary>
#
# On paper, nothing. In float32 the running sum may come to 1, or past it, before the last tokens. The cell below counts
# the tokens that are lost, and adds up what they hold. So in `sample_next_token` a `top_p` of 0, not of 1, stands for
# "cut nothing off".
#
# </details>

# %% tags=["active-ipynb", "nbval-ignore-output"]
# for this_text in (sure, unsure):
#     ranked_chances = last_logits(this_text).softmax(dim=-1).sort(descending=True).values
#     sums_before = ranked_chances.cumsum(dim=-1) - ranked_chances
#     lost = sums_before >= 1
#     print(f"after {this_text!r}: {lost.sum()} tokens lost,", end=" ")
#     print(f"which hold {ranked_chances[lost].sum():.1g}")

# %% [markdown]
# **3.** Why are log-probabilities added up, and not probabilities multiplied?
#
# <details><summary>Answer</summary>
#
# The order of the beams would be the same on paper. But 200 tokens of probability 0.03 have a product of about 10⁻³⁰⁵.
# In float32, which ends near 10⁻⁴⁵, that is 0, and Python's floats reach only a dozen tokens further. The sum is −701.
#
# </details>
#
# **4.** Your text with the cache begins right and then differs from `generate`'s. Where do you look first?
#
# <details><summary>Answer</summary>
#
# If the first new token is right and the second wrong, the given text was probably read correctly and the first
# *single* token was not: look at its row of `W_pos`, at its mask, and at whether its keys replaced the old ones instead
# of following them.
#
# </details>
#
# **5.** Your text is longer than `n_ctx`, so the window slides by one token at each step. Can the keys be kept?
#
# <details><summary>Answer</summary>
#
# No, for two reasons. Each token moves back by one position and gets another row of `W_pos`, so all keys and values
# change. And even if every token kept its row, the dropped token has already fed all the others: their keys and values
# were computed with it there. The cell below measures this second effect: how far the streams of the others move when
# one more token at the front, here the line break, is dropped and all keep their rows. (`<|endoftext|>` is gone before
# and after, as in a window that has begun to slide.) After block 0 it is 1 % of their norm, after block 5 13 %. This
# depends on the token, too. (Models whose positions enter only as distances, such as those with rotary embeddings, are
# spared the first reason, not the second. Whoever keeps the keys all the same works with an approximation.)
#
# </details>

# %% tags=["active-ipynb"]
# @torch.no_grad()
# def streams_from(first):
#     """The stream of the passages after each block, without their first tokens."""
#     resid = my_gpt2.embed(real_texts) + my_gpt2.pos_embed(real_texts)
#     resid, found = resid[:, first:], []
#     for block in my_gpt2.blocks:
#         resid = block(resid)
#         found.append(resid)
#     return found
#
#
# for layer, (kept_all, dropped) in enumerate(
#     zip(streams_from(1), streams_from(2), strict=True)
# ):
#     moved = (kept_all[:, 1:] - dropped).norm(dim=-1) / dropped.norm(dim=-1)
#     print(f"after block {layer}: {moved.mean():.1%} of its norm")

# %% [markdown]
# <details><summary><b>I get this error</b></summary>
#
# - **`multinomial() missing 1 required positional arguments: "num_samples"`**: it wants to know how many to draw:
#   `torch.multinomial(probabilities, 1)`.
# - **`'torch.return_types.topk' object has no attribute ...`**: `topk` gives two tensors, `.values` and `.indices`, as
#   `sort` does.
# - **`probability tensor contains either inf, nan or element < 0`**: `torch.multinomial` got logits instead of
#   probabilities, or the logits were divided by a temperature of 0.
# - **`cannot sample n_sample > prob_dist.size(-1) samples`** or **`invalid multinomial distribution`**: nothing was
#   left to draw from. Did the nucleus lose the token that crosses?
# - **`The size of tensor a (4096) must match the size of tensor b (...)`** in the penalty: `torch.bincount` without
#   `minlength=len(logits)` ends at the largest token in the text.
# - **`expected Tensor as element 1 in argument 0, but got int`** or
#   **`zero-dimensional tensor (at position 1) cannot be concatenated`**: the new token has to be a tensor with an axis,
#   `torch.tensor([new])` or `token[None]`.
# - **`unsupported operand type(s) for /: 'Tensor' and 'dict'`**: the settings went in as one argument. Two stars hand
#   each on under its name: `sample_next_token(tokens, logits, **sampling)`.
# - **`Boolean value of Tensor with more than one value is ambiguous`** in `sorted`: two scores are equal, and Python
#   compares the texts. Sort with `key=lambda beam: beam[0]`.
# - **`not enough values to unpack (expected 2, got 1)`** or an `IndexError` from your model: it wants [batch pos]. Give
#   it `tokens[None]`.
# - **`Sizes of tensors must match except in dimension 1`** in `attend_with_cache`: the old keys are [batch pos
#   head_index d_head], so the new ones must be in that order too.
# - **`index -1 is out of bounds for dimension 1 with size 0`** after 256 tokens, or **`The size of tensor a (300) must
#   match the size of tensor b (256)`**: the text has outgrown `W_pos`. The cached loop works while it fits in `n_ctx`.
# - **`NotImplementedError: attend_with_cache: write this part`** in `generate_with_cache`: the step for one layer comes
#   first.
#
# </details>

# %% [markdown]
# ## Your own GPT tells stories
#
# Everything is in place: your Transformer reads, your sampler draws, your cache makes it quick.

# %% tags=["active-ipynb"]
# torch.manual_seed(23)
# story = generate_with_cache(my_gpt2, story_begun, 150, **story_settings)
# print(wrapped("".join(str_tokens(story)).removeprefix("<|endoftext|>")))

# %% [markdown]
# The sentences hold together, and the scene almost does: a castle, a field, and a White Rabbit who says that the White
# Rabbit is dead. There is no plot.
#
# Now change the beginning, the seed, the settings (the sampling lab in More experiments has them all at once). Seed 0,
# for one, falls into "the Gargoyles, and the Gargoyles, and the Gargoyles". Would a nucleus help it, or a higher
# penalty?
#
# This is a small model that has read little else than children's books. Your *code* is not limited to it: start
# Jupyter with `COURSE_REFERENCE=gpt2`, and the same functions run OpenAI's GPT-2 small.
#
# ## Looking back
#
# You began with text as numbers, and a stream to which every part adds. You wrote the tables at its start, the
# LayerNorm before each reader, attention and the MLP, the scores at its end and the loss that trains them, and put them
# together into GPT-2. Each part was checked against a real model, up to rounding. Now it writes.
#
# Everything that passed is in the folder `my_gpt/`, which is also a program. In a terminal, in the course's folder,
# with the Python that `make lab` installed (on Windows `.venv\Scripts\python`):
#
# ```text
# .venv/bin/python -m my_gpt "Once upon a time"
# ```
#
# It needs nothing else from the course: copy the folder to any machine with PyTorch and safetensors. Its README says
# which parts are yours. `START.ipynb` says, once every exercise has passed, how long the course took you.
#
# ## Where to read more
#
# - Holtzman et al. 2020, *The Curious Case of Neural Text Degeneration*,
#   [arXiv:1904.09751](https://arxiv.org/abs/1904.09751): likely text is dull text, the unreliable tail, the nucleus.
# - Fan, Lewis and Dauphin 2018, *Hierarchical Neural Story Generation*,
#   [arXiv:1805.04833](https://arxiv.org/abs/1805.04833): top-k, for stories.
# - Radford et al. 2019, *Language Models are Unsupervised Multitask Learners*: GPT-2; its samples were drawn from the
#   40 likeliest tokens.
# - Keskar et al. 2019, *CTRL*, [arXiv:1909.05858](https://arxiv.org/abs/1909.05858), and what became of its penalty:
#   huggingface/transformers, [issue 2302](https://github.com/huggingface/transformers/issues/2302)
#   and [issue 47595](https://github.com/huggingface/transformers/issues/47595).
# - Stahlberg and Byrne 2019, *On NMT Search Errors and Model Errors: Cat Got Your Tongue?*,
#   [arXiv:1908.10090](https://arxiv.org/abs/1908.10090): in translation the very likeliest text is often an empty one.
# - Pope et al. 2022, *Efficiently Scaling Transformer Inference*,
#   [arXiv:2211.05102](https://arxiv.org/abs/2211.05102): what the cache costs where models are large.

# %% [markdown] tags=["folded"]
# ## More experiments

# %% [markdown]
# ### One head, or this phrase?
#
# The phrases of "What feeds the loop?" begin at position 30 of each story, and one neighbour is a weak control. So take
# phrases from four other places in the stories, and then switch off each of the 24 heads, one at a time.

# %% tags=["active-ipynb"]
# for phrase_start in (13, 60, 120, 180):
#     for label in ("all heads", "without 5.2"):
#         by_lap = chance_by_lap(versions[label], with_laps(phrase_start)).mean(dim=0)
#         first, fifth = by_lap[0], by_lap[-1]
#         print(f"from {phrase_start:3}, {label:11}: {first:.2f}, then {fifth:.2f}")

# %% tags=["active-ipynb", "folded"]
# # @title Draws the fifth lap with each of the 24 heads off, one at a time
# every_head = [
#     (layer, head)
#     for layer in range(model.cfg.n_layers)
#     for head in range(model.cfg.n_heads)
# ]
# fifth_lap = torch.stack(
#     [
#         chance_by_lap(with_heads_off(head), with_laps(30))[:, -1].mean()
#         for head in waiting(every_head, "switching heads off")
#     ]
# )
# with_all = each_lap["all heads"][:, -1].mean().item()
# print(f"the fifth lap with all heads: {with_all:.2f}; the lowest with one head off:")
# for place in fifth_lap.argsort()[:3].tolist():
#     print("without {}.{}: {:.2f}".format(*every_head[place], fifth_lap[place]))
# grouped_bars(
#     {"": fifth_lap},
#     [f"{layer}.{head}" for layer, head in every_head],
#     "The fifth lap without each of the heads",
#     y_title="mean probability of a token",
#     level=round(with_all, 2),
#     level_name="all heads on",
# ).update_traces(texttemplate=None)

# %% [markdown]
# The place makes no difference: wherever the phrases come from, with the induction head off the fifth lap is hardly
# likelier than the first. And in the figure that head is the one short bar. The next, 1.0, leaves 0.50, and without 2.0
# the fifth lap even rises, to 0.76. (With a head's mean output in place of zeros: 0.16 without 5.2, 0.53 without 1.0.)

# %% [markdown]
# ### One k for all positions?
#
# Are the texts under "The k likeliest" two extreme cases? Take the positions of the real texts, and sort them by how
# many tokens it takes to hold 90 %.

# %% tags=["active-ipynb", "folded"]
# # @title Draws how many tokens hold 90 %, at the positions of the 48 texts
# shares = torch.linspace(0, 1, 21)
# sorted_counts = n_hold.float().quantile(shares)
# counts_and_k = {
#     "tokens that hold 90 %": sorted_counts[None],
#     "k = 40": torch.full_like(sorted_counts, 40)[None],
# }
# lines(
#     counts_and_k,
#     list(counts_and_k),
#     [f"{100 * share:.0f}" for share in shares],
#     "One k for all positions?",
#     x_title="% of the positions, from the most peaked to the flattest",
#     y_title="tokens",
#     log_y=True,
#     digits=2,
# )

# %% [markdown]
# They are not: half of all positions need 59 tokens or more, a tenth need 5 or fewer, another tenth 322 or more. No one
# k fits all.

# %% [markdown]
# ### Beside the likeliest: min-p
#
# There is a third, newer way to cut. **Min-p** ([Nguyen et al. 2024](https://arxiv.org/abs/2407.01082)) keeps each
# token whose probability is at least a given share of the likeliest one's. By hand, with a share of 0.3: fox has 0.533,
# so the threshold is 0.16, and fox and owl stay. At temperature 2 fox has 0.4, the threshold drops to 0.12, and the
# hen, with 0.2, stays too.
#
# Why a third way? The nucleus has to hold its share even where temperature has spread the probability thin. How many
# tokens do nucleus and min-p keep as the temperature rises? To compare like with like, take two settings that keep the
# real next token about equally often at temperature 1.

# %% tags=["active-ipynb", "folded"]
# # @title Draws how many tokens the nucleus and min-p keep, by temperature
# def how_many_near(share, some_logits):
#     """How many tokens have at least that share of the likeliest one's probability."""
#     chances = some_logits.softmax(dim=-1)
#     return (chances >= share * chances.max(dim=-1, keepdim=True).values).sum(dim=-1)
#
#
# cuts = {
#     "the nucleus of 0.85": lambda scores: how_many_hold(0.85, scores),
#     "min-p 0.01": lambda scores: how_many_near(0.01, scores),
#     "min-p 0.1": lambda scores: how_many_near(0.1, scores),
# }
# hotter, kept_by = (1, 1.25, 1.5, 2), {}
# for label, count in waiting(cuts.items(), "counting"):
#     counts = [count(apply_temperature(text_logits, degrees)) for degrees in hotter]
#     kept_by[label] = torch.stack([each.float().mean() for each in counts])[None]
#     print(f"{label:19} keeps the real next token in", end=" ")
#     print(f"{(rank_of_next < counts[0]).float().mean():.2f};", end=" ")
#     print("tokens kept:", *(f"{each:.0f}" for each in kept_by[label][0]))
# lines(
#     kept_by,
#     list(kept_by),
#     [f"{degrees:g}" for degrees in hotter],
#     "How many tokens are kept",
#     x_title="temperature",
#     y_title="tokens, the mean of all positions",
#     log_y=True,
# )

# %% [markdown]
# The nucleus of 0.85 and a min-p of 0.01 keep the real next token in 0.85 of the cases each (± 0.006), with 76 and 66
# tokens. As the temperature rises both keep more, but the nucleus adds more tokens: at 2 min-p keeps 738 where the
# nucleus keeps 1139. With 0.1, a common setting, it keeps only 10 tokens at temperature 1 and 66 at 2. But at
# temperature 1 that cuts the real next token off in 37 of 100 cases (± 0.8).
#
# **What this does not show**: which of the two writes better. Counts of tokens cannot show that. The authors of min-p
# asked people, and concluded that min-p does; others went over [the same data](https://arxiv.org/abs/2506.13681) and
# did not find it.

# %% [markdown]
# ### Beams against greedy
#
# How much likelier are the beams' texts than greedy's, from the same beginnings?

# %% tags=["active-ipynb", "folded"]
# # @title Draws how likely greedy's texts and the beams' are
# greedy_found = by_way["greedy"][::2]
# scores = {
#     way: torch.stack([-nats_of_new(told).sum() for told in texts])
#     for way, texts in {"greedy": greedy_found, "four beams": searched_stories}.items()
# }
# gained = scores["four beams"] - scores["greedy"]
# print(f"the beams are likelier from {(gained > 0).sum()} of {len(gained)} beginnings;")
# for number in (0, int(gained.argmin())):
#     print(f"from story {2 * number + 1}:", end=" ")
#     print(*(f"{way} {each[number]:.1f}" for way, each in scores.items()), sep=", ")
# in_order = scores["greedy"].argsort()
# lines(
#     {way: each[None, in_order] for way, each in scores.items()},
#     list(scores),
#     [str(2 * number + 1) for number in in_order.tolist()],
#     "How likely the 24 new tokens are",
#     x_title="story, from greedy's least likely text to its likeliest",
#     y_title="summed log-probability",
# ).update_traces(mode="markers")

# %% [markdown]
# From 22 of the 24 beginnings the beams (circles) find a likelier text than greedy (diamonds). From the fifteenth story
# they lose by most, because the text that greedy follows was dropped on the way.
#
# **Texts that end.** Your beams all have the same length. With `eos` they would not, and sums of log-probabilities
# favour short texts, because each further token adds something below 0. By hand: two tokens of probability ½ each have
# 2 · ln 0.5 = −1.39. Four tokens of 0.6 each, every one of them likelier, have 4 · ln 0.6 = −2.04, and lose. Divided by
# the number of tokens, the scores are −0.69 and −0.51, and the four win.
#
# So libraries set a beam aside as finished when it chooses `eos`, go on with the others, and in the end compare scores
# divided by the length, or by a power of it ([Wu et al. 2016](https://arxiv.org/abs/1609.08144), section 7). Which
# power to use is one more setting, and no probability tells you.

# %% [markdown]
# ### Loops without the induction head
#
# Does greedy's text still loop without the induction head? With your `attend_with_cache`, all 48 beginnings can be
# continued together, as a batch. Again 5.3 is the control.

# %% tags=["active-ipynb", "folded"]
# # @title greedy_rows: continues many texts at once, by your attend_with_cache
# @torch.no_grad()
# def greedy_rows(gpt2, rows, new_tokens, penalty=0.0):
#     """Texts of one length, continued by their likeliest tokens after the penalty."""
#     nothing = torch.zeros(len(rows), 0, gpt2.cfg.n_heads, gpt2.cfg.d_head)
#     kept, seen = [(nothing, nothing) for _ in gpt2.blocks], 0
#     for _ in waiting(range(new_tokens), "writing"):
#         resid = gpt2.embed.W_E[rows[:, seen:]]
#         resid = resid + gpt2.pos_embed.W_pos[seen : rows.shape[1]]
#         seen = rows.shape[1]
#         for layer, block in enumerate(gpt2.blocks):
#             keys, values = kept[layer]
#             written, keys, values = attend_with_cache(
#                 block.attn, block.ln1(resid), keys, values
#             )
#             kept[layer] = keys, values
#             resid = resid + written
#             resid = resid + block.mlp(block.ln2(resid))
#         row_scores = gpt2.unembed(gpt2.ln_final(resid[:, -1]))
#         best = [
#             greedy(apply_frequency_penalty(text, scores, penalty))
#             for text, scores in zip(rows, row_scores, strict=True)
#         ]
#         rows = torch.cat([rows, torch.tensor(best)[:, None]], dim=1)
#     return rows

# %% tags=["active-ipynb"]
# greedy_texts = {
#     label: greedy_rows(gpt2, beginnings, 80) for label, gpt2 in versions.items()
# }
# for told in greedy_texts["without 5.2"][:3]:
#     show(told)

# %% tags=["active-ipynb", "folded"]
# # @title Draws how many of the texts have begun to loop
# def looping(told_rows):
#     """After each new token, how many of the texts have repeated a run of eight."""
#     counts = [repeats_after(told) or 1000 for told in told_rows]
#     return torch.tensor([sum(count <= now for count in counts) for now in range(1, 81)])
#
#
# looping_by_version = {
#     **{label: looping(told_rows)[None] for label, told_rows in greedy_texts.items()},
#     "real texts": looping(real_texts[:, : begun_length + 80])[None],
# }
# print("by the end, and half of them after; first 24 texts, then the other 24")
# for label, told_rows in {**greedy_texts, "real texts": real_texts}.items():
#     print(f"{label:12}", end="")
#     for half in told_rows[:, : begun_length + 80].chunk(2):
#         counts = looping(half)
#         twelfth = int((counts < 12).sum()) + 1
#         print(f" {counts[-1]:2} of 24,", twelfth if twelfth <= 80 else "never", end=";")
#     print()
# lines(
#     {label: row[:, 4::5] for label, row in looping_by_version.items()},
#     list(looping_by_version),
#     [str(now) for now in range(5, 81, 5)],
#     "How many of 48 texts have repeated a run of eight",
#     x_title="new tokens",
#     y_title="texts",
# )

# %% [markdown]
# It does: without the induction head 39 of 48 texts repeat themselves within 80 tokens (circles), where with all heads
# (diamonds), or without 5.3 (squares), all 48 do. But the loops begin later: half of the texts are in one after 61 and
# 56 tokens in the two sets, where it takes 21 and 30 with all heads. None of the real stories (crosses) repeats a run
# of eight in 80 tokens.
#
# So the induction head makes a loop likelier with every lap, and makes it begin sooner, but it is not the whole reason.
# A guess at the rest: a few tokens are the likeliest again and again, and the same few words lead to the same next one.
# How few? Look at the real texts again.

# %% tags=["active-ipynb"]
# torch.manual_seed(0)
# chosen_by = {
#     "likeliest next tokens": text_logits.argmax(dim=-1),
#     "tokens drawn": torch.multinomial(text_chances, 1)[:, 0],
#     "real next tokens": came_next,
# }
# for which, chosen in chosen_by.items():
#     times = chosen.bincount().sort(descending=True).values
#     print(f"{which:21} {(times > 0).sum()} different;", end=" ")
#     print(f"the ten commonest make {times[:10].sum() / len(chosen):.2f}")

# %% [markdown]
# The model's first choices are 763 different tokens, the real next ones 1253; and ten tokens make 0.41 of the first
# choices, but 0.24 of the real ones. One draw at each position is much like the real text. So it is the rule that uses
# so few tokens, not the model. That fits the guess, but does not prove it.
#
# ### What does the penalty cost?
#
# What happens to the commas? All 48 beginnings, greedy with a penalty of 1, 200 new tokens each. How many commas are in
# the first 50 of them, the next 50, and so on? As a control, the same in the real stories.

# %% tags=["active-ipynb"]
# penalised_texts = greedy_rows(my_gpt2, beginnings, 200, penalty=1.0)
# print("The last 50 tokens of the first text:")
# show(penalised_texts[0][-50:], begun=0)

# %% tags=["active-ipynb", "folded"]
# # @title Draws how many commas each 50 tokens hold
# commas = {}
# for label, told_rows in {"penalty 1": penalised_texts, "real": real_texts}.items():
#     told_rows = told_rows[:, : begun_length + 200]
#     is_comma = torch.tensor(
#         [
#             ["," in word for word in str_tokens(told[begun_length:])]
#             for told in told_rows
#         ]
#     )
#     by_fifty = is_comma.float().reshape(-1, 4, 50).sum(dim=-1).mean(dim=0)
#     commas[label] = by_fifty.round(decimals=2)
#     again = [repeats_after(told) is not None for told in told_rows]
#     first, second = sum(again[:24]), sum(again[24:])
#     print(f"{label:9} {first} and {second} of 24 texts repeat a run of eight")
# grouped_bars(
#     commas,
#     ["1 to 50", "51 to 100", "101 to 150", "151 to 200"],
#     "Commas in each 50 new tokens",
#     y_title="commas, the mean of 48 texts",
# )

# %% [markdown]
# In the first 50 tokens there are about as many commas (the left bars) as in the real stories (the right ones). In the
# last 50 there are 0.48, where the real ones have 2.27: the sentences run on without them.
#
# And the loops? 28 of the 48 texts still repeat a run of eight tokens (18 in one set, 10 in the other); of the real
# ones 3 do. So in the last 50 tokens a penalty of 1 removes four of five commas, and still about half of the texts
# repeat themselves. It counts tokens: it can't tell a loop from a comma.

# %% [markdown]
# ### What each token costs
#
# An average does not say what the single tokens cost. Look at the first beginning.

# %% tags=["active-ipynb", "folded"]
# # @title Draws what each new token costs, from the first beginning
# shown_ways = ("the real story", "all tokens", "greedy", "four beams")
# lines(
#     {way: nats_of_new(by_way[way][0])[None] for way in shown_ways},
#     list(shown_ways),
#     [str(place + 1) for place in range(compared)],
#     "What each new token costs, first beginning",
#     x_title="new token",
#     y_title="nats",
# )

# %% [markdown]
# Greedy (squares) and the beams (crosses) never cost more than 2.6 nats. The real story (diamonds) goes up and down
# between 0.2 and 8.8, and the drawn text (circles) does much the same.

# %% [markdown]
# ### The sampling lab
#
# Here are all the settings at once, with your own functions. The bars follow the controls. The left one of each pair is
# the model's own probability of a next token; the right one is what becomes of it after your `apply_frequency_penalty`,
# your `apply_temperature` and the cut of `k` or `p`. They are ordered from the likeliest down, and a dotted line marks
# where the cut falls.
#
# The button calls your `sample_next_token` 400 times and counts, and lets your `generate_with_cache` go on for 40
# tokens.
#
# With the settings it starts with, `·great` has 0.0525 by the model and 0.115 in the end, `·little` 0.0468 and 0.0997:
# a temperature below 1 moves probability to the peak, and the tokens of the nucleus share what was cut off. 322 of the
# 4096 tokens are left. Each of the two makes up about a tenth of 400 draws. (`·` is a space, `⏎` a line break. `k` = 0
# and `p` = 0 cut nothing; to use `k`, set `p` to 0.)

# %% tags=["active-ipynb"]
# def new_scores(text, temperature, penalty):
#     """The logits after your penalty and your temperature, in that order."""
#     scores = apply_frequency_penalty(encode(text)[0], last_logits(text), penalty)
#     return apply_temperature(scores, temperature) if temperature else scores
#
#
# def how_many_kept(scores, temperature, k, p):
#     """How many of the tokens may be drawn; all of them where k and p are both set."""
#     if temperature == 0:
#         return 1
#     if k and not p:
#         return k
#     if p and not k:
#         return min(int(how_many_hold(p, scores)), len(scores))
#     return len(scores)

# %% tags=["active-ipynb", "folded"]
# # @title Draws the lab: what may be drawn, and what was drawn and written
# shown = 12
#
#
# def what_may_come(text, temperature, k, p, penalty):
#     """The likeliest tokens, their new probabilities, and how many tokens are kept."""
#     typed(text, most=model.cfg.n_ctx - 40)
#     scores, ids = new_scores(text, temperature, penalty).sort(descending=True)
#     kept = how_many_kept(scores, temperature, k, p)
#     chances = torch.zeros(len(scores))
#     chances[:kept] = scores[:kept].softmax(dim=-1)
#     return ids[:shown], chances[:shown], kept
#
#
# def draw_lab(text, temperature, k, p, penalty, seed):
#     ids, chances, kept = what_may_come(text, temperature, k, p, penalty)
#     title = f"{kept} of {model.cfg.d_vocab} tokens may be drawn"
#     if k and p:
#         title = "k and p are both set, so nothing is cut off: set one of them to 0"
#     before = last_logits(text).softmax(dim=-1)[ids]
#     return cut_off(before, chances, str_tokens(ids), title, kept=kept)
#
#
# def draw_and_write(text, temperature, k, p, penalty, seed):
#     ids, chances, _ = what_may_come(text, temperature, k, p, penalty)
#     settings = {"temperature": temperature, "top_k": k, "top_p": p}
#     settings["freq_penalty"] = penalty
#     begun, scores = encode(text)[0], last_logits(text)
#     torch.manual_seed(seed)
#     drawn = [sample_next_token(begun, scores, **settings) for _ in range(400)]
#     share = torch.bincount(torch.tensor(drawn), minlength=len(scores)) / 400
#     torch.manual_seed(seed)
#     told = generate_with_cache(my_gpt2, begun, 40, **settings)
#     return reshaped(
#         {"due": chances, "drawn by you": share[ids]},
#         str_tokens(ids),
#         f"400 draws: {len(set(drawn))} different tokens",
#         text="..." + "".join(str_tokens(told[len(begun) :])),
#     )

# %% tags=["active-ipynb"]
# explore(
#     draw_lab,
#     then=button("Draw 400 times, write 40 tokens", draw_and_write),
#     text=text_box("Once upon a time there was a"),
#     temperature=slider(0.0, 2.0, 0.8, 0.05),
#     k=slider(0, 100, 0),
#     p=slider(0.0, 1.0, 0.9, 0.05),
#     penalty=slider(0.0, 2.0, 0.2, 0.05),
#     seed=slider(0, 20, 2),
# )

# %% [markdown]
# Things to try:
#
# - "The fox and the owl and the fox and the", temperature 0: one bar, `·fox`. Raise the penalty: from which value on is
#   it `·hare`?
# - "Once upon a", p = 0.9, temperature 1, penalty 0: one token may be drawn. Raise the temperature: when does the
#   nucleus open, and how fast?
# - p = 0 and k = 40, with "Once upon a" and with "Once upon a time there was a": how much does the cut raise the bars?
# - Penalty 2, then the button: how long does the story stay readable?
# - Temperature 0: which of the other controls still have an effect?

# %% [markdown]
# ### The same in `model.generate`
#
# HuggingFace's `transformers` has all this in one method. Now you can read its arguments:
#
# | here | in `model.generate` |
# |---|---|
# | `temperature=0` | `do_sample=False` |
# | `temperature`, `top_k`, `top_p` | the same, with `do_sample=True`; one after the other if several are given |
# | no `top_k` | `top_k=0`: without it, 50 is taken |
# | `beam_search` | `num_beams`; the score is divided by the length to the power of `length_penalty`, 1 if not given |
# | `generate_with_cache` | `use_cache=True`, as it is if not given |
# | `eos` | `eos_token_id` |
# | `freq_penalty` | not available; `repetition_penalty` works differently: see "A bug in the wild" |
#
# Is the table right? Give `transformers` the same weights and compare, where nothing is drawn. One trap: in a batch the
# shorter texts are filled up with a *padding* token, which must be hidden from attention. Our texts begin with token 0,
# and if 0 is also the padding token, the method takes our first token for padding. The `attention_mask` says that every
# token counts.

# %% tags=["active-ipynb", "folded"]
# # @title Compares your functions with HuggingFace's model.generate
# def theirs(begun, new_tokens, **settings):
#     """What model.generate makes of a text, as many new tokens as are asked for."""
#     settings = {"do_sample": False, "eos_token_id": None, "pad_token_id": 0} | settings
#     return hf_model.generate(begun[None], max_new_tokens=new_tokens, **settings)
#
#
# for step in waiting(("loading", "comparing"), "transformers"):
#     if step == "loading":
#         from transformers import GPT2LMHeadModel
#         from transformers.utils.logging import disable_progress_bar
#
#         disable_progress_bar()
#         hf_model = GPT2LMHeadModel.from_pretrained(directory(model.name)).float()
#         continue
#     all_count = torch.ones(1, begun_length, dtype=torch.long)
#     agree = {"greedy": 0, "greedy without the mask": 0, "four beams": 0}
#     for begun, found in zip(every_other[:4], searched_stories[:4], strict=True):
#         mine = generate_with_cache(my_gpt2, begun, 40, temperature=0)
#         answer = theirs(begun, 40, attention_mask=all_count)
#         agree["greedy"] += torch.equal(answer[0], mine)
#         agree["greedy without the mask"] += torch.equal(theirs(begun, 40)[0], mine)
#         answer = theirs(begun, compared, attention_mask=all_count, num_beams=4)
#         agree["four beams"] += torch.equal(answer[0], found)
# for way, count in agree.items():
#     print(f"{way:24} the same tokens in {count} of 4 texts")

# %% [markdown]
# Token for token the same, greedy and with beams, in all four texts. Without the mask three of the four greedy texts
# are different, and no error tells you. Texts drawn with a cut agree in *how often* a token comes, not token by token:
# `transformers` sets the logits of the others to −∞ and draws among all tokens, you draw among the few that are left.
