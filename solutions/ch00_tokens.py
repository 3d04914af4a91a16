"""Chapter 0: tokens. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 0 · Tokens: from a text to a list of numbers
#
# A model multiplies and adds, so a text has to become numbers before a model can read it. You will write the part that
# does this. First comes `SpaceTokenizer`, which takes whole words, and you will see where it breaks. Then comes
# *byte-pair encoding*, GPT-2's way: `train_bpe` learns tokens from a text, `bpe_encode` cuts another text into them,
# and `bpe_decode` turns them back into text.
#
# You need no other chapter for this one. About 100 minutes, 65 of them for the four exercises. You will be able to
#
# - cut your own text exactly as the reference model's tokenizer does, and put it together again;
# - say what goes into a language model and what comes out;
# - tell which of a model's oddities come from its tokens.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError(
#         "This kernel does not have the course. In Colab, run the cell above this one; "
#         "elsewhere, in the course's folder: make lab"
#     ) from None
#
# start("ch00_tokens")

# %%
from collections import Counter
from itertools import pairwise

import regex

# %% tags=["active-ipynb", "folded"]
# # @title Imports what the chapter needs, its tests included
# import math
#
# import torch
#
# from tests.ch00_tokens import (
#     test_bpe_decode,
#     test_bpe_encode,
#     test_space_tokenizer,
#     test_train_bpe,
# )
# from tests.predictions.ch00_tokens import predict, see
# from utils import passages
# from utils.controls import explore, slider, text_box
# from utils.model_map import model_map
# from utils.passages import over_passages, passage_tokens
# from utils.pictures.pairs import play_merges
# from utils.plotting import lines
# from utils.plotting.tokens import cut_text, expected_next, shown
# from utils.reference import encode, reference
# from utils.reference.byte_pairs import merges, token_ids
# from utils.texts import typed, wrapped
# from utils.transplant import TALE, logits_with, next_token_loss

# %% tags=["active-ipynb"]
# model_map("tokens")

# %% [markdown]
# The map of the model, from left to right; orange marks this chapter. A **token** is a stretch of text. A model has a
# fixed list of them, its **vocabulary**, and a token's **id** is its index in that list. The ids go in at the left, as
# `tokens`.
#
# Our **reference model** is a small GPT-2, trained for this course on 73 children's books, and on some texts made up to
# teach it copying. Its vocabulary has 4096 tokens, and it can read `n_ctx` = 256 of them at once.
#
# <details><summary>How it was trained</summary>
#
# 10,500 steps of 16 rows of 256 tokens. The books, one after the other, are one long list of tokens, and each row is
# cut out of it at a random place: a row may begin in the middle of a sentence, and any token may stand at position 0.
# About 5 % of the rows are one passage of a book, repeated until the row is full; in half of these rows the passage's
# tokens are first put in a random order. In the last 2,500 steps about a quarter of the rows are a few phrases of two
# or three tokens, which come again and again in random order. The way to predict such rows is to copy, and that is
# what they are there to teach (chapter 4). More in `utils/reference_model/README.md`.
#
# </details>
#
# ## A text is a list of numbers already
#
# UTF-8 writes any text as **bytes**, numbers from 0 to 255. Why not use those?

# %% tags=["active-ipynb"]
# for word in ("fox", "café", "лиса", "🦊"):
#     print(f"{word}: {list(word.encode())}")
# print(f"\nThe tale, which was written for this course:\n{wrapped(TALE)}\n")
# print(f"it has {len(TALE.encode())} bytes;", end=" ")
# print(f"the model reads at most {reference().cfg.n_ctx} tokens")

# %% [markdown]
# With bytes nothing is ever unknown, because 256 tokens are enough for any script. But texts get long: a model that
# reads 256 tokens at once would see about three fifths of the tale.
#
# The other extreme is a token for each *word*. Then texts are short. Write that one first.

# %% [markdown] exercise="SpaceTokenizer" difficulty=1 importance=2 minutes=10
# ## Exercise: write `SpaceTokenizer`
#
# **What goes in?** `__init__` takes `vocab`, a list of words that are all different. `encode` takes a text, `decode`
# a list of ids.
#
# **What comes out?** `encode` gives a list of int: for each word its index in `vocab`. A word is what lies between
# white space, as `text.split()` finds it, capitals and full stops included. `decode` gives the words back as one
# string, with a single space between words.
#
# A word that is not in the vocabulary raises `KeyError`, and the error names it.
#
# **Before you code**: "the", "The" and "the,": is that one word or three?
#
# <details><summary>Answer</summary>
#
# Three. Nothing here knows that they are related, and that will hurt.
#
# </details>


# %%
class SpaceTokenizer:
    """Words as tokens: a word's id is its index in the vocabulary."""

    def __init__(self, vocab: list[str]):
        # BEGIN SOLUTION
        self.words = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}
        # END SOLUTION

    def encode(self, text: str) -> list[int]:
        """The id of each word of the text.

        Raises KeyError, naming the word, for one that is not in the vocabulary.
        """
        # BEGIN SOLUTION
        return [self.ids[word] for word in text.split()]
        # END SOLUTION

    def decode(self, ids: list[int]) -> str:
        """The words of these ids, with one space between two."""
        # BEGIN SOLUTION
        return " ".join(self.words[index] for index in ids)
        # END SOLUTION


# %% [markdown] hint="idea"
# Going from an id to a word is indexing a list. Going from a word to its id needs the opposite: a dict made once in
# `__init__`, with the words as keys. A dict also raises the right error by itself, `KeyError` with the key in it.

# %% [markdown] hint="pseudocode"
# ```text
# __init__: keep vocab; ids = a dict from each word to its index
# encode:   for each word of text.split(): ids[word]
# decode:   the words at these ids, joined by " "
# ```

# %% tags=["active-ipynb"]
# test_space_tokenizer(SpaceTokenizer)

# %% [markdown]
# ## Where it breaks
#
# Take all the words of the tale as the vocabulary, then read another passage.

# %% tags=["active-ipynb", "folded"]
# # @title PASSAGE, the text about the map shop
# PASSAGE = (
#     "Behind the station Mrs Quill kept a shop that sold nothing but maps. Some showed "
#     "countries nobody had found yet; others were of rooms, drawn by the mice who lived "
#     "in them. On Fridays she unrolled the largest one across the floor, took off her "
#     "shoes, and walked along its roads until supper. Customers were asked to wait "
#     "quietly by the sea or, if they were in a hurry, to leave their money on a "
#     "mountain. One boy came back with wet feet and a shell."
# )
# print(wrapped(PASSAGE))

# %% tags=["active-ipynb"]
# tale_words = list(dict.fromkeys(TALE.split()))
# by_words = SpaceTokenizer(tale_words)
# print("back and forth:", by_words.decode(by_words.encode("the goose\n\twalked")))
# print("goose occurs as:", [word for word in tale_words if "goose" in word])
# unknown_words = [word for word in PASSAGE.split() if word not in tale_words]
# print(f"unknown: {len(unknown_words)} of the passage's {len(PASSAGE.split())} words,")
# print(f"such as {unknown_words[:6]}")
# try:
#     by_words.encode("the geese walked")
# except KeyError as error:
#     print("the geese walked: KeyError", error)

# %% [markdown]
# Three things went wrong. **Unknown words**: most of the passage's words are not in the vocabulary, and no list holds
# every name, every misspelling, every emoji. **Relatives are strangers**: `goose`, `goose.` and `goose,` are three
# tokens that share nothing, and `geese` is an error. **The text does not come back as it was**: the line break and the
# tab became one space.
#
# What we want lies between bytes and words: common words as one token, rare words as several, and in the worst case
# single bytes, so that nothing is ever unknown.

# %% [markdown]
# ## One line of text, step by step
#
# Finding such tokens sounds like a task for a linguist. Byte-pair encoding only counts: start from single bytes, count
# all pairs of neighbours, make the most frequent pair one token, and count again. (Gage published it in 1994 to
# compress files; Sennrich et al. applied it to words in 2016.)
#
# One rule comes first: no pair crosses from one word to the next. So GPT-2 first cuts the text into **pieces** by a
# fixed pattern: words, numbers, runs of punctuation, white space. A word keeps the one space before it. (Where a script
# has no spaces between words, as in Chinese, a piece may hold several.)

# %%
GPT2_PATTERN = regex.compile(
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
)


def pre_tokenize(text: str) -> list[str]:
    """Cut a text into pieces: words, numbers, runs of punctuation, white space.

    Joined, they are the text again.
    Source: openai/gpt-2 src/encoder.py, Encoder.pat.
    """
    return GPT2_PATTERN.findall(text)


# %% tags=["active-ipynb"]
# hens = "the hen then hid the other hens"
# print(pre_tokenize(hens))
# print(pre_tokenize("It's 1999,  isn't it?"))

# %% [markdown]
# Joined, the pieces are the text again: nothing is lost.
#
# <details><summary>The six parts of the pattern</summary>
#
# They are tried from left to right:
#
# | part | takes |
# |---|---|
# | `'(?:[sdmt]\|ll\|ve\|re)` | English endings: 's, 'd, 'm, 't, 'll, 've, 're |
# | ` ?\p{L}+` | a run of letters of any script, with the one space before it, if there is one |
# | ` ?\p{N}+` | a run of numbers, likewise: digits, but ½ and Ⅷ too |
# | ` ?[^\s\p{L}\p{N}]+` | a run of anything else that is not white space, likewise |
# | `\s+(?!\S)` | white space; if anything follows it, all but the last character |
# | `\s+` | the white space that is left |
#
# `\p{L}` and `\p{N}` are Unicode's classes of letters and numbers; the `regex` module knows them, Python's own `re`
# does not. What the pattern makes of other writing is shown in More experiments.
#
# </details>
#
# Two more helpers are given. `single_bytes` takes a piece apart. `merge_pair` joins a pair of neighbours into one part
# wherever it occurs.


# %%
def single_bytes(piece: str) -> list[bytes]:
    """The bytes of a piece, one by one."""
    return [bytes([byte]) for byte in piece.encode("utf-8")]


def merge_pair(parts: list[bytes], pair: tuple[bytes, bytes]) -> list[bytes]:
    """The parts, the pair joined into one wherever it occurs, from left to right."""
    merged, index = [], 0
    while index < len(parts):
        width = 2 if tuple(parts[index : index + 2]) == pair else 1
        merged.append(b"".join(parts[index : index + width]))
        index += width
    return merged


# %% tags=["active-ipynb"]
# hen_parts = [single_bytes(piece) for piece in pre_tokenize(hens)]
# hen_pairs = Counter(pair for parts in hen_parts for pair in pairwise(parts))
# print("single bytes:   ", hen_pairs.most_common(3))
# hen_parts = [merge_pair(parts, (b"h", b"e")) for parts in hen_parts]
# hen_pairs = Counter(pair for parts in hen_parts for pair in pairwise(parts))
# print("with he merged: ", hen_pairs.most_common(3))

# %% [markdown]
# `b"h"` is how Python writes the byte of the letter h. `h` and `e` are neighbours more often than any other pair, so
# `he` becomes a token. That changes the counts: now `t` and `he` lead, and they make `the`.
#
# After that there is a tie between three pairs. The rule of this course is that **of equally frequent pairs the
# greatest wins**, as Python compares tuples of bytes.

# %% tags=["active-ipynb"]
# hen_parts = [merge_pair(parts, (b"t", b"he")) for parts in hen_parts]
# hen_pairs = Counter(pair for parts in hen_parts for pair in pairwise(parts))
# print(sorted((count, pair) for pair, count in hen_pairs.items())[::-1][:4])

# %% tags=["active-ipynb", "folded"]
# # @title Draws the line after each of its five merges
# by_hand_merges = [
#     (b"h", b"e"),
#     (b"t", b"he"),
#     (b"he", b"n"),
#     (b" ", b"the"),
#     (b" ", b"hen"),
# ]
# by_hand_cuts = {}
# by_hand_tokens = [single_bytes(piece) for piece in pre_tokenize(hens)]
# for step, pair in enumerate([None, *by_hand_merges]):
#     if pair:
#         by_hand_tokens = [merge_pair(parts, pair) for parts in by_hand_tokens]
#     all_tokens = [token for parts in by_hand_tokens for token in parts]
#     by_hand_cuts[f"merges: {step}"] = all_tokens
# cut_text(by_hand_cuts, "One line of text, merge by merge", width=32)

# %% [markdown]
# Each box is a token, a dot is a space. From top to bottom the boxes grow: 31 single bytes become 15 tokens. `·then`
# ends as `·the`, `n`, because its `he` had gone into `the` before (he, n) came up.
#
# **Which pair is greater?** Python compares the first members, byte by byte, and the second ones only if the first are
# equal; of `t` and `the` the longer one is greater. So (he, n) beats (·, the) and (·, he), because h is the byte 104
# and a space is 32. From small to great: space, digits, capitals, small letters, bytes of other scripts.
#
# Any fixed order would do.

# %% [markdown]
# ### What it is not
#
# - **It is not grammar.** `the` inside `other` is a merge like any other.
# - **It does not look at meaning**, only at counts of neighbours.
# - **It is not trained together with the model.** The merges are found once, beforehand, and then they are fixed.

# %% [markdown] exercise="train_bpe" difficulty=3 importance=4 minutes=25
# ## Exercise: write `train_bpe`
#
# **What goes in?** `text`, and `n_merges`: how many merges to find.
#
# **What comes out?** A list of pairs, tuples of two `bytes`, in the order in which they were merged: `n_merges` of
# them, or fewer, perhaps none, if nothing is left to merge.
#
# Use the three helpers. Count *every* neighbouring pair: `aaa` has the pair (a, a) twice. The most frequent pair comes
# first. Of equally frequent ones take the greatest, not the longest: `pair > other` in Python, which compares the first
# members byte by byte, then the second ones. No text is special: `<|endoftext|>` is letters like any others.
#
# **Before you code**: "the" occurs a thousand times in a text. Do you have to take it apart a thousand times?
#
# <details><summary>Answer</summary>
#
# No. The same piece is always cut in the same way. Count how often each different piece occurs, and let each of its
# pairs count that often.
#
# </details>


# %%
def train_bpe(text: str, n_merges: int) -> list[tuple[bytes, bytes]]:
    """The pairs to merge, in order: each time the most frequent one.

    Of equally frequent ones the greatest comes first.
    Source: Sennrich et al. 2016, algorithm 1, on bytes and within pieces as in Radford
    et al. 2019, section 2.2.
    """
    # BEGIN SOLUTION
    counts = Counter(pre_tokenize(text))
    parts_of = {piece: single_bytes(piece) for piece in counts}
    merges = []
    for _ in range(n_merges):
        pair_counts = Counter()
        for piece, parts in parts_of.items():
            for pair in pairwise(parts):
                pair_counts[pair] += counts[piece]
        if not pair_counts:
            break
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        merges.append(best)
        parts_of = {piece: merge_pair(parts, best) for piece, parts in parts_of.items()}
    return merges
    # END SOLUTION


# %% [markdown] hint="idea"
# Do in a loop what the example did step by step. Two things are kept: how often each different piece occurs, which
# never changes, and what each piece is cut into now, which changes with every merge.
#
# A tie is settled by comparing (count, pair) instead of the count alone: `max` takes a `key`.

# %% [markdown] hint="pseudocode"
# ```text
# counts   = how often each piece of pre_tokenize(text) occurs
# parts_of = for each different piece, its single bytes
# repeat n_merges times:
#     pair_counts = for each piece, each neighbouring pair of its parts: add counts[piece]
#     if there is no pair: stop
#     best = the pair with the greatest (count, pair)
#     note best; merge it in the parts of every piece
# return the pairs noted
# ```

# %% tags=["active-ipynb"]
# test_train_bpe(train_bpe)

# %% [markdown]
# ## See it work: what 433 bytes teach
#
# Train on the tale until nothing is left to merge. The control for later is the reference model's own list, `merges()`,
# learned from the 73 books.

# %% tags=["active-ipynb"]
# tale_merges, book_merges = train_bpe(TALE, 1000), merges()
# for source, found in {"the tale": tale_merges, "the books": book_merges}.items():
#     first_ten = [(one + other).decode() for one, other in found[:10]]
#     print(f"{len(found):4} merges of {source}, the first: {first_ten}")

# %% [markdown]
# Does one pair nearly always lead, so that the rule for ties hardly ever decides?

# %% tags=["active-ipynb"]
# predict(
#     "ties",
#     """At how many of the 168 merges of the tale do two or more pairs tie for the most
#     frequent, so that the rule has to decide? A number, ± 20.""",
#     answer="158",
# )

# %% [markdown]
# Now do your merges one at a time. *Merge* fuses the pair in orange and counts all pairs anew; the newest token is
# blue. Do the first ten one by one, and read below the buttons why each pair is next. Then *To the end*. (With the
# keyboard: Tab to the buttons; → merges, ← goes back, End goes to the end.)

# %% tags=["active-ipynb", "folded"]
# # @title Plays your merges on the tale, one by one
# play_merges([single_bytes(piece) for piece in pre_tokenize(TALE)], tale_merges)

# %% tags=["active-ipynb", "folded"]
# # @title Counts the merges that a tie came before
# ties, tale_parts = 0, [single_bytes(piece) for piece in pre_tokenize(TALE)]
# for merged in tale_merges:
#     tale_pairs = Counter(pair for parts in tale_parts for pair in pairwise(parts))
#     ties += list(tale_pairs.values()).count(tale_pairs[merged]) > 1
#     tale_parts = [merge_pair(parts, merged) for parts in tale_parts]
# see("ties", merges_with_a_tie=ties)

# %% [markdown]
# Even the very first merge is decided by the rule: (t, h), (h, e) and (·, t) all occur 16 times. From merge 64 on no
# pair occurs more than once, so the last 105 merges spell out this one text, in whatever order the rule gives.
#
# How much of what was learned is English, then, and how much is this tale? Count how many bytes one token holds: in
# the tale, and in the passage about the map shop, which your merges have never seen.

# %% tags=["active-ipynb"]
# predict(
#     "bytes_of_the_passage",
#     """With all 168 merges a token of the tale holds 4.5 bytes, on average. How many
#     bytes does a token of the passage about the map shop hold? A number, ± 0.5.""",
#     answer="1.6",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Draws how many bytes a token holds, merge by merge
# def cut_with(text, some_merges):
#     """Each merge in turn, over the whole text: the same tokens, but slow."""
#     pieces = [single_bytes(piece) for piece in pre_tokenize(text)]
#     for pair in some_merges:
#         pieces = [merge_pair(parts, pair) for parts in pieces]
#     return [part for parts in pieces for part in parts]
#
#
# steps = [0, 10, 20, 40, 80, 120, 168]
#
#
# def bytes_per_token(text, some_merges):
#     size = len(text.encode())
#     return [size / len(cut_with(text, some_merges[:step])) for step in steps]
#
#
# held = {
#     "the tale, merges of the tale": bytes_per_token(TALE, tale_merges),
#     "the passage, merges of the tale": bytes_per_token(PASSAGE, tale_merges),
#     "the passage, merges of the books": bytes_per_token(PASSAGE, book_merges),
# }
# print("bytes per token after 168 merges:")
# for which, each in held.items():
#     print(f"{which:33}{each[-1]:.2f}")
# lines(
#     {which: torch.tensor([each]) for which, each in held.items()},
#     list(held),
#     [str(step) for step in steps],
#     "How many bytes a token holds",
#     x_title="merges",
#     y_title="bytes per token",
# )

# %% tags=["active-ipynb"]
# see("bytes_of_the_passage", bytes_per_token=held["the passage, merges of the tale"][-1])

# %% [markdown]
# Most of what was learned from the tale is the tale itself. Cut by its own merges (orange diamonds), it ends with each
# piece as one token, and nothing is left to merge; on the passage (blue circles) the same merges do far less, and a
# hundred of them do nothing. The first 168 merges of the books (green squares) do better there: 1.91 bytes per token.
#
# **What this does not show**: why the books do better. They are far more text, and may also be more like the passage.
# Nor does it show that their merges make a better *model*, since it only counts tokens.
#
# <details><summary>What would the books cost you, and why 4096 tokens?</summary>
#
# The books' 14 million bytes have 3.3 million pieces, but only about 34,400 different ones: that is why you count
# pieces first. Each merge then takes the reference solution 0.2 seconds, so 3839 merges would take 13 minutes. The
# `tokenizers` library needs 3 seconds for all of them (measured once, on one machine). What is slow is going through
# all pieces again, to count and to merge. A merge changes only the pieces that hold its pair, so real trainers keep the
# counts and correct only those.
#
# 4096 is 256 bytes, 3839 merges and one special token. GPT-2 has 256 + 50,000 + 1 = 50,257. More merges make shorter
# texts, but a larger table of vectors (chapter 2), and rarer tokens, of which the model sees fewer examples. No
# formula gave these numbers: they were chosen.
#
# </details>

# %% [markdown] exercise="bpe_encode" difficulty=3 importance=4 minutes=20
# ## Exercise: write `bpe_encode`
#
# **What goes in?** A `text`, which may be new, and `merges`, the pairs that `train_bpe` found, in their order.
#
# **What comes out?** The tokens of the text in order: a list of `bytes`. Joined, they are the text's bytes.
#
# In each piece, of all neighbouring pairs that are in `merges`, merge the one that comes *first in `merges`*,
# wherever it occurs in the piece. Then look at the new parts. Stop when none of their pairs is in `merges`. Leave
# `merges` as it is. No text is special: `<|endoftext|>`, if somebody writes it, is letters like any others.
#
# Trying all of `merges` one by one on each piece finds the same tokens, but slowly, and cells further down cut many
# texts.
#
# **Before you code**: the merges are (b, c), (a, b), and the piece is `abc`. Which tokens come out? Is the first of
# them the longest that fits there?
#
# <details><summary>Answer</summary>
#
# `a`, `bc`. The pair (b, c) has the smaller *rank*, its index in `merges`; once `bc` is one part, there is no (a, b)
# any more. Taking the longest match from the left gives `ab`, `c`: a different algorithm, with different tokens.
#
# </details>


# %%
def bpe_encode(text: str, merges: list[tuple[bytes, bytes]]) -> list[bytes]:
    """The tokens of a text, by these merges.

    In each piece, merge what comes first in `merges`, until nothing can be merged.
    Source: openai/gpt-2 src/encoder.py, Encoder.bpe.
    """
    # BEGIN SOLUTION
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pre_tokenize(text):
        parts = single_bytes(piece)
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            parts = merge_pair(parts, min(known, key=lambda pair: ranks[pair]))
        tokens += parts
    return tokens
    # END SOLUTION


# %% [markdown] hint="idea"
# Give each pair its rank: a dict from the pair to its index in `merges` is quicker than searching the list. In a
# piece, find the pairs that have a rank, and take the smallest. `merge_pair` does the merging. The merged part may be
# half of the next pair, so look at the piece again until no pair has a rank.

# %% [markdown] hint="pseudocode"
# ```text
# ranks = each pair of merges with its index
# for each piece of pre_tokenize(text):
#     parts = its single bytes
#     while some neighbouring pair of parts is in ranks:
#         merge the one with the smallest rank
#     add parts to tokens
# return tokens
# ```

# %% tags=["active-ipynb"]
# test_bpe_encode(bpe_encode)

# %% [markdown]
# ## The way back
#
# To be read, tokens have to become a text again. That is the easy direction, with one trap. Here is what `bpe_encode`
# makes of an emoji, with the five merges of the line about the hens:

# %% tags=["active-ipynb"]
# half_characters = bpe_encode("the 🦊", by_hand_merges)
# print(half_characters)

# %% [markdown] exercise="bpe_decode" difficulty=1 importance=3 minutes=10
# ## Exercise: write `bpe_decode`
#
# **What goes in?** `pieces`, a list of `bytes`: the tokens, in order. They may come from a model, so they need not make
# a valid text.
#
# **What comes out?** The text, one `str`. Nothing is put between the tokens, and nothing is taken away.
#
# UTF-8 does not allow every sequence of bytes. What is not UTF-8 becomes U+FFFD, `�`, the *replacement character*, as
# in GPT-2. There are as many of them as `bytes.decode` makes when it is asked to replace.
#
# **Before you code**: the tokens are `b"caf\xc3"` and `b"\xa9"`, the two halves of é. Turn each into a text and join
# these, or the other way round?
#
# <details><summary>Answer</summary>
#
# The other way round. A character of several bytes may be split between two tokens, and neither half is text: decoded
# one by one they give `caf��`. Joined first, they are `café`.
#
# </details>


# %%
def bpe_decode(pieces: list[bytes]) -> str:
    """The text that these tokens make; what is not UTF-8 becomes U+FFFD.

    Source: openai/gpt-2 src/encoder.py, Encoder.decode, with errors="replace".
    """
    # BEGIN SOLUTION
    return b"".join(pieces).decode("utf-8", errors="replace")
    # END SOLUTION


# %% [markdown] hint="idea"
# `b"".join(...)` joins `bytes` as `"".join(...)` joins strings. `bytes` have a method `decode`, the opposite of
# `encode`. It raises `UnicodeDecodeError` at the first byte that does not fit, unless its argument `errors` says what
# to do instead.

# %% [markdown] hint="pseudocode"
# ```text
# join all tokens: one row of bytes
# decode it as UTF-8; errors: replace
# ```

# %% tags=["active-ipynb"]
# test_bpe_decode(bpe_decode)

# %% [markdown]
# ## See it work: the reference model's own tokens
#
# To cut as the reference model does, your functions need only its 3839 merges. `token_ids()` gives the ids of the 256
# bytes and of one token for each merge. The one token left over is `<|endoftext|>`, which is put before every text.
# `encode` is the model's own tokenizer.

# %% tags=["active-ipynb"]
# id_of = token_ids()
# token_of = {number: token for token, number in id_of.items()}
# token_of[encode("")[0, 0].item()] = b"<|endoftext|>"
#
#
# def to_tokens(cut):
#     """The model's input [batch pos]: `<|endoftext|>`, then the id of each token."""
#     ids = torch.tensor([[id_of[token] for token in cut]], dtype=torch.int64)
#     return torch.cat([encode(""), ids], dim=1)

# %% tags=["active-ipynb"]
# for sample in (TALE, PASSAGE, "лиса 狐 🦊 ½ café's\n\n  end"):
#     own_cut = bpe_encode(sample, book_merges)
#     same = torch.equal(to_tokens(own_cut), encode(sample))
#     print(f"{len(sample.encode()):4} bytes, {len(own_cut):4} tokens,", end=" ")
#     print(f"the model's own: {same}")

# %% [markdown]
# On all three, your cut is the model's own. (More experiments shows a text where it is not.) Type a text, and move the
# slider: what does the cut look like when only that many of the merges are known? (Press Enter after typing. Only the
# first 600 characters are shown.)

# %% tags=["active-ipynb"]
# def draw_cut(text, merges_known):
#     text = text[:600]
#     if not text:
#         raise ValueError("There is nothing to cut yet: type a text.")
#     cut = bpe_encode(text, book_merges[:merges_known])
#     return cut_text({"": cut}, f"Bytes: {len(text.encode())}, tokens: {len(cut)}")
#
#
# known = slider(0, len(book_merges), 1000)
# explore(draw_cut, text=text_box(TALE[:227]), merges_known=known)

# %% [markdown]
# At the left end of the slider every letter has a box of its own, at the right end most words are one box; in between,
# only common words are. Now type an emoji: a byte that is not a character by itself is written like `<F0>`.
#
# And the way back? A text survives the round trip. Tokens need not:

# %% tags=["active-ipynb"]
# fox_tokens = bpe_encode("A 🦊!", book_merges)
# for n_come in range(1, len(fox_tokens) + 1):
#     print(f"{n_come} tokens: {bpe_decode(fox_tokens[:n_come])}")
# same_text = bpe_decode(bpe_encode(PASSAGE, book_merges)) == PASSAGE
# print("text → tokens → text, the same:", same_text)
# spelled_out = [b"t", b"he"]
# again = bpe_encode(bpe_decode(spelled_out), book_merges)
# print(f"tokens → text → tokens: {spelled_out}, then {again}")

# %% [markdown]
# While only some of the emoji's four bytes are there, `bpe_decode` shows a �; with the last byte it becomes the fox. So
# a program that shows tokens as they arrive must hold half a character back.

# %% [markdown]
# ## What goes in, what comes out
#
# It is often said that a language model answers with a text. What it takes in is ids, [batch pos]: a row for each text,
# a column for each position. What it gives, for *every* position, is a *probability distribution*: 4096 numbers, which
# say how likely each token is to come *next* after those read so far.
#
# Each row below is a position, with the token read there and the five likeliest next tokens. A frame marks the one
# that did follow. (Of a long text you see the last twelve positions. A line break, ↵, is put before what you type, as
# nearly every text that the model was trained on begins with one.) In the code `logits_with({}, tokens)` asks the
# model; later chapters put parts of yours between the braces.

# %% tags=["active-ipynb"]
# def draw_expected(text):
#     tokens = typed("\n" + text)
#     likely = logits_with({}, tokens)[0].softmax(dim=-1).topk(5)
#     best = [
#         [(token_of[number], chance) for number, chance in zip(*row, strict=True)]
#         for row in zip(likely.indices.tolist(), likely.values.tolist(), strict=True)
#     ]
#     read = [token_of[number] for number in tokens[0].tolist()]
#     return expected_next(read, best, "What was read, and what may come next")
#
#
# explore(draw_expected, text=text_box("Once upon a time there was a little"))

# %% [markdown]
# After `<|endoftext|>` alone the model expects the line break, and after the line break many words can begin a story.
# `Once` leaves little doubt: `·upon` and `·a` are to follow. At the last `·a` nothing stands out, since even the
# likeliest token, `·little`, has only 0.05.
#
# **What it is not.** The model outputs neither text nor a token. It outputs distributions; drawing a token from the
# last one and reading on with it is *sampling* (chapter 8). Strictly speaking, it outputs one score for each token,
# the **logits**, and softmax turns them into probabilities (chapter 6).
#
# <details><summary>What if the line break is missing?</summary>
#
# After `<|endoftext|>` and `Once` alone the model expects another `Once`, 0.56, and gives `·upon` 0.02. What confuses
# it is an `<|endoftext|>` without a line break after it, which it hardly ever saw: put `·the`, `·said` or a full stop
# in its place, and another `Once` has 0.0006 at most.
#
# The loss soon shows nothing of it. At the beginnings of 48 stories and chapters, the missing line break adds 3.6 nats
# to the cost of the first token, but only 0.02 to those from the eleventh to the twentieth (nats: next section).
# Inside the model it shows for longer: to put a constant in place of what layer 1's attention writes costs 0.45 nats
# with the line break and 1.04 without. So all passages of the course begin with it. (Measured when the course was
# made.)
#
# </details>

# %% [markdown]
# ## Same letters, different cut
#
# How a text is cut should not matter, you might think, as long as its letters are all there. But the model is given
# ids, and never letters: ` strawberry` is three numbers to it (More experiments). Take the beginning of a passage, and
# the token that comes next. What does that token cost, as −log(the probability that the model gave), in **nats**, the
# unit of the natural logarithm? One nat more means a probability 2.7 times smaller; 0.03 nats more, one that is 3 %
# smaller. Measure it after the usual cut and after the same letters as single bytes. The baseline reads nothing: it
# bets on each token by how often it occurs in other passages (a *unigram* guess).
#
# One text would prove little. So `over_passages` measures it on two sets of 24 passages, none of them in both, that the
# model was not trained on, each broken off at four places. After each set's mean stands its *standard error*, ±,
# roughly how far a mean of 24 may be off.

# %% tags=["active-ipynb"]
# predict(
#     "as_bytes",
#     """After the usual cut the next token costs less than 4 nats, by counts alone more
#     than 6. How much does it cost after the same letters as single bytes?
#     a) about as much as after the usual cut: it is the same text
#     b) more than after the usual cut, but less than by counts alone
#     c) more than by counts alone""",
#     answer="c",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Prints what the next token costs after each cut
# places = [10, 20, 30, 40]
#
#
# def costs_after(recut):
#     """The next token's nats, on average over four places of each passage."""
#
#     def measure(tokens):
#         each = []
#         for place in places:
#             text = b"".join(token_of[number] for number in tokens[0, 1:place].tolist())
#             logits = logits_with({}, to_tokens(recut(text.decode())))[0, -1]
#             each.append(-logits.log_softmax(dim=-1)[tokens[0, place]])
#         return torch.stack(each).mean()
#
#     return over_passages(measure)
#
#
# def counts(tokens):
#     return tokens[:, 1:].flatten().bincount(minlength=len(token_of))
#
#
# def by_counts(tokens):
#     """The same nats, by the tokens' shares of the other passages, ½ added to each."""
#     others = counts(passage_tokens()) - counts(tokens) + 0.5
#     return -(others / others.sum()).log()[tokens[0, places]].mean()
#
#
# usual_cost = costs_after(lambda text: bpe_encode(text, book_merges))
# byte_cost = costs_after(single_bytes)
# unigram_cost = over_passages(by_counts)
# print("after the usual cut:   ", usual_cost)
# print("after single bytes:    ", byte_cost)
# print("by counts alone:       ", unigram_cost)
# print("bytes, minus by counts:", byte_cost - unigram_cost)

# %% tags=["active-ipynb"]
# see(
#     "as_bytes",
#     usual_cut=usual_cost.mean,
#     single_bytes=byte_cost.mean,
#     counts_alone=unigram_cost.mean,
# )

# %% [markdown]
# **After the same letters as single bytes, this model guesses worse than mere counts do.** The usual cut makes the next
# token about 3 nats cheaper than it is by counts alone; on these passages single bytes make it about 2 nats dearer.
#
# **What this does not show**: that bytes are a bad cut. The model was *trained* with one cut and asked to read
# another. A model trained on bytes can be good (Xue et al. 2022, below).
#
# You meet this whenever you end a prompt with a space. The next word then costs about 11 nats more, because the usual
# cut has that space in the word's first token (More experiments).

# %% [markdown]
# ## Tokens that nobody trained
#
# The vocabulary is fixed before the training, and some of its tokens never occurred there. Row i of the table `W_E` is
# the vector that the model reads for token i (chapter 2). Each row began as small random numbers. Compare the row of
# the first byte of 😀 with all others by their *cosine*, where 1 means the same direction, and by their *norm*, the
# root of the sum of the squares.

# %% tags=["active-ipynb"]
# predict(
#     "never_read",
#     """What are the rows of the tokens that never occurred like, beside all others?
#     a) small, each in a direction of its own, as they began
#     b) small, and all in nearly one direction
#     c) large, and all in nearly one direction""",
#     answer="c",
# )

# %% tags=["active-ipynb"]
# rows = reference().weights["embed.W_E"]
# directions = torch.nn.functional.normalize(rows, dim=-1)
# smile = to_tokens(bpe_encode("😀", book_merges))[0, 1]
# alike = directions @ directions[smile] > 0.99
# norms = rows.norm(dim=-1)
# print(f"{alike.sum()} of {len(rows)} tokens have one direction:", end=" ")
# print(f"norm {norms[alike].mean():.3f} ± {norms[alike].std():.3f};", end=" ")
# print(f"the others: {norms[~alike].mean():.3f} on average")

# %% tags=["active-ipynb", "folded"]
# # @title Which tokens are they?
# alike_tokens = [token_of[number] for number in alike.nonzero()[:, 0].tolist()]
# alone = [token for token in alike_tokens if len(token) == 1]
# print(f"single bytes: {len(alone)},", end=" ")
# print(f"of which from 128 on: {sum(token[0] >= 128 for token in alone)}")
# print("of more than one byte:")
# print(wrapped(" ".join(shown(token) for token in alike_tokens if len(token) > 1)))

# %% tags=["active-ipynb"]
# see(
#     "never_read",
#     in_one_direction=alike.sum(),
#     norm_beside_others=norms[alike].mean() / norms[~alike].mean(),
# )

# %% [markdown]
# 191 tokens, nearly one in twenty, have nearly the same vector. They are exactly those that never occur in the 73
# books (counted when the course was made): 175 single bytes, among them all 128 that are not plain English characters,
# and 16 stepping stones, such as `orothy`, which is always merged further.
#
# 😀 and 🎉 are four of these bytes each, so they should be nearly one word to this model. Put each into the passages,
# and compare the model's guesses two tokens later:

# %% tags=["active-ipynb"]
# def moved_by(one, other):
#     """How much of the probability moves when one word is put in place of the other."""
#
#     def measure(tokens):
#         after = []
#         for word in (one, other):
#             read = [tokens[:, :40], encode(f" {word}")[:, 1:], tokens[:, 40:42]]
#             logits = logits_with({}, torch.cat(read, dim=1))
#             after.append(logits[0, -1].softmax(dim=-1))
#         return (after[0] - after[1]).abs().sum() / 2
#
#     return over_passages(measure)
#
#
# print("how much of the probability moves, two tokens later")
# for one, other in (("😀", "🎉"), ("ж", "ü"), ("no", "yes")):
#     print(f"{other} in place of {one}:", moved_by(one, other))

# %% [markdown]
# The emojis are nearly one word: swapping them moves 0.01 of the probability, while swapping yes and no moves 0.15 to
# 0.2. So are `ж` and `ü`, which share no byte.
#
# How can rows that were never read be large and alike? A guess: the same table is used again at the end, to score the
# *next* token (reading and scoring are *tied*, chapter 6). A token that never comes next is pushed down at every step,
# and all of these were pushed the same way. They do score low whatever was read, which agrees with the guess and does
# not prove it (More experiments).
#
# GPT-2 has such tokens too. The best known is ` SolidGoldMagikarp`, the name of a web user (Land and Bartolo 2024,
# below).

# %% [markdown]
# ## A bug in the wild
#
# GPT-2's merges come in a text file, `merges.txt` (`vocab.bpe` in OpenAI's own code): one pair per line, the first
# merge first. Bytes that can't be printed are written as other characters: a space is `Ġ`. Often, but not always, there
# is a line `#version: 0.2` at the top. The function below was written for files that have it. This is a common bug, and
# it raises no error.
#
# Mend `read_merges` so that it reads both kinds of file. Beware of a second trap: `# #` is a merge.


# %%
def read_merges(file_text: str) -> list[tuple[str, ...]]:
    """The pairs of a merges.txt, with or without its `#version` line."""
    # BEGIN SOLUTION
    lines = [line for line in file_text.splitlines() if not line.startswith("#version")]
    # INSTEAD OF
    # lines = file_text.splitlines()[1:]
    # END SOLUTION
    return [tuple(line.split(" ")) for line in lines]


# %% tags=["active-ipynb"]
# three_merges = "Ġ t\nh e\n# #\n"
# for header in ("#version: 0.2\n", ""):
#     read = read_merges(header + three_merges)
#     lost = f"the first merge is lost, of {(header + three_merges)!r}"
#     assert ("Ġ", "t") in read, lost
#     other = f"got {read} from {(header + three_merges)!r}"
#     assert read == [("Ġ", "t"), ("h", "e"), ("#", "#")], other
# print("✔ read_merges reads both kinds of file")

# %% [markdown]
# <details><summary>Answer</summary>
#
# `[1:]` drops the first line, whatever it is. Skipping every line that starts with `#` loses `# #` and its like
# instead. Ask for the whole word: `if not line.startswith("#version")`.
#
# </details>
#
# One merge of 3839 sounds like a small loss. The lost one is the first, ` t`, and every merge that builds on it goes
# with it. How much does that cost, beside four other merges?
#
# To compare cuts, do not count per token, since a token may hold one byte or ten. Add up −log₂(the probability) over
# all tokens of a text, and divide by its *bytes*: **bits per byte**. A model that finds all 256 bytes equally likely
# pays 8. The reference model, with all its merges, pays 1.3.

# %% tags=["active-ipynb", "folded"]
# # @title Takes out one merge, and those that build on it
# def without(place):
#     """The merges without that one, and how many of them can't be done any more."""
#     kept = book_merges[:place] + book_merges[place + 1 :]
#     lost = [b"".join(book_merges[place])]
#     for one, other in kept[place:]:
#         if one in lost or other in lost:
#             lost.append(one + other)
#     return kept, len(lost) - 1
#
#
# lost_places = [0, 1, 3, 46, 3378]
# lost_tokens = [shown(b"".join(book_merges[place])) for place in lost_places]
# n_built_on = [without(place)[1] for place in lost_places]
# for row in zip(lost_tokens, lost_places, n_built_on, strict=True):
#     print("{:12} place {:4}, and {:3} merges build on it".format(*row))

# %% tags=["active-ipynb"]
# predict(
#     "lost_merge",
#     """Which of these five merges, taken out, cost more than 0.2 bits per byte?
#     Write a line that selects them by their place among the merges, or by how many build
#     on them, such as: (place > 1) & (built_on < 50)""",
#     token=lost_tokens,
#     place=lost_places,
#     built_on=n_built_on,
#     answer="place < 10",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Prints the bits per byte without each of the five
# def bits_per_byte(some_merges):
#     """Of the first 400 bytes of each passage, cut with these merges."""
#
#     def measure(tokens):
#         start = b"".join(token_of[number] for number in tokens[0, 1:].tolist())[:400]
#         recut = to_tokens(bpe_encode(start.decode(errors="ignore"), some_merges))
#         nats = next_token_loss(logits_with({}, recut), recut) * (recut.shape[1] - 1)
#         return nats / math.log(2) / len(start)
#
#     return over_passages(measure)
#
#
# with_all = bits_per_byte(book_merges)
# print("with all:", with_all)
# extra_bits = []
# for token, place in zip(lost_tokens, lost_places, strict=True):
#     extra = bits_per_byte(without(place)[0]) - with_all
#     extra_bits.append(extra.mean)
#     print(f"more without {token}: {extra}")

# %% tags=["active-ipynb"]
# see("lost_merge", bits=extra_bits)

# %% [markdown]
# The silent `[1:]` makes a model look far worse than it is: without ` t` a byte costs more than half as much again. The
# space in ` t` is not the reason, since `he`, which has none, costs more than three quarters of that. Nor is it decided
# by how many merges build on the lost one: `es`, with many, is hardly missed, while ` the`, with few, costs 0.4 bits. A
# guess that fits all five: a merge is worth as much as its tokens, and those built on them, are used. ` daughters`
# occurs in none of the passages, and costs nothing.

# %% [markdown]
# ## Check your understanding
#
# **1.** You decode the four tokens of 🦊 one by one and join the results. What do you see, and why did the same code
# work on English for months?
#
# <details><summary>Answer</summary>
#
# Four times �, one for each token. A letter of plain English is one byte, so no token can end in the middle of it. Join
# the bytes, then decode.
#
# </details>
#
# **2.** A model that reads bytes costs 1.2 nats per *byte*, on average. Someone calls it better than the reference
# model, which costs more than 3 per *token*. What is wrong with that?
#
# <details><summary>Answer</summary>
#
# The units. A token holds several bytes, so guessing it right is harder and worth more. Divide both by the number of
# bytes of the text. The cell below does it for the tale: ours costs 0.79 per byte there, less than 1.2.
#
# </details>

# %% tags=["active-ipynb"]
# tale_tokens = encode(TALE)
# tale_loss = next_token_loss(logits_with({}, tale_tokens), tale_tokens).item()
# a_byte = tale_loss * (tale_tokens.shape[1] - 1) / len(TALE.encode())
# print(f"{tale_loss:.2f} nats per token are {a_byte:.2f} nats per byte")

# %% [markdown]
# **3.** Why does `bpe_encode` need the *order* of the merges, and not only the set of tokens?
#
# <details><summary>Answer</summary>
#
# The same letters can be cut in several ways into tokens of the vocabulary. The model was trained on one of them, the
# one that the ranks give; you saw what another cut costs.
#
# </details>
#
# **4.** Could `train_bpe` ever produce a token such as `of the`, with a space inside?
#
# <details><summary>Answer</summary>
#
# No. The pattern cuts before the space of ` the`, and no merge crosses from piece to piece. Sennrich et al. (2016)
# merged within words already. GPT-2's authors added the other cuts, between letters, numbers and the rest: without them
# they got many versions of `dog`, such as `dog.`, `dog!` and `dog?` (section 2.2 of their paper).
#
# </details>

# %% [markdown]
# <details><summary>I get this error</summary>
#
# - **`NameError: name 'book_merges' is not defined`**, or another name: a cell further up has not run since the kernel
#   started. In the menu: Run > Run All Above Selected Cell.
# - **`NotImplementedError: train_bpe: write this part`** in a cell of the course: it works with your code. Solve that
#   exercise first, and run its cell.
# - **`TypeError: a bytes-like object is required, not 'str'`**, or `sequence item 0: expected a bytes-like object,
#   str found`: a piece is a `str`, its parts are `bytes`. Take it apart with `single_bytes(piece)`.
# - **`TypeError: unhashable type: 'list'`**: a dict's keys can't be lists. A pair is a tuple; `pairwise` gives
#   tuples.
# - **`ValueError: max() arg is an empty sequence`** (or `iterable argument is empty`): no pair is left. Leave the
#   loop before you ask for the greatest.
# - **`UnicodeDecodeError: 'utf-8' codec can't decode byte 0xf0`**: a token holds half a character, or bytes that are
#   not text. Join all tokens first, and tell `decode` what to do with the rest: `errors="replace"`.
# - **It never ends**: in `while`, look at the pairs of the parts *as they are now*, and put the merged parts in place
#   of the old ones.
# - **`RuntimeError: dictionary changed size during iteration`**: make a new dict instead of changing the one that the
#   loop runs over.
# - **`ModuleNotFoundError: No module named 'regex'`**: the kernel is not the course's. Run `make lab` in its folder.
#
# </details>

# %% [markdown]
# ## Where to read more
#
# - Gage 1994, *A New Algorithm for Data Compression*, The C Users Journal 12(2): byte pairs, to make files smaller.
# - Sennrich, Haddow and Birch 2016, *Neural Machine Translation of Rare Words with Subword Units*,
#   [arXiv:1508.07909](https://arxiv.org/abs/1508.07909): algorithm 1 is `train_bpe`, on characters.
# - Radford et al. 2019, *Language Models are Unsupervised Multitask Learners*, section 2.2: on bytes, within pieces.
# - openai/gpt-2, [src/encoder.py](https://github.com/openai/gpt-2/blob/master/src/encoder.py): the pattern, the
#   printable characters, and `bpe`.
# - karpathy/minbpe, [github.com/karpathy/minbpe](https://github.com/karpathy/minbpe): the same, in a series of small
#   modules.
# - Xue et al. 2022, *ByT5: Towards a token-free future with pre-trained byte-to-byte models*,
#   [arXiv:2105.13626](https://arxiv.org/abs/2105.13626): a model that reads bytes.
# - Land and Bartolo 2024, *Fishing for Magikarp: Automatically Detecting Under-trained Tokens in Large Language
#   Models*, [arXiv:2405.05417](https://arxiv.org/abs/2405.05417): tokens that nobody trained, in many models.
# - Chowdhery et al. 2022, *PaLM: Scaling Language Modeling with Pathways*,
#   [arXiv:2204.02311](https://arxiv.org/abs/2204.02311); Touvron et al. 2023, *LLaMA: Open and Efficient Foundation
#   Language Models*, [arXiv:2302.13971](https://arxiv.org/abs/2302.13971), and *Llama 2: Open Foundation and
#   Fine-Tuned Chat Models*, [arXiv:2307.09288](https://arxiv.org/abs/2307.09288): each digit a token.
# - Singh and Strouse 2024, *Tokenization counts: the impact of tokenization on arithmetic in frontier LLMs*,
#   [arXiv:2402.14903](https://arxiv.org/abs/2402.14903): threes from the left and from the right.
# - Lee et al. 2023, *Teaching Arithmetic to Small Transformers*, [arXiv:2307.03381](https://arxiv.org/abs/2307.03381):
#   what the order of the digits does, in small models.
# - Kaushal and Mahowald 2022, *What do tokens know about their characters and how do they know it?*,
#   [arXiv:2206.02608](https://arxiv.org/abs/2206.02608): letters, found in the rows of `W_E`.
# - Yehudai et al. 2024, *When Can Transformers Count to n?*, [arXiv:2407.15160](https://arxiv.org/abs/2407.15160):
#   what counting takes, tokens aside.

# %% [markdown] tags=["folded"]
# ## More experiments

# %% [markdown]
# ### What the pattern makes of other writing

# %% tags=["active-ipynb"]
# for odd in ("IT'S", "it’s", "½ Ⅷ 12", "two  spaces", "लोमड़ी"):
#     print(pre_tokenize(odd))

# %% [markdown]
# The first part of the pattern is made for English, and not for all of it: `IT'S` and the curly `it’s` slip past it.
# The last word, Hindi for *fox*, falls into four pieces, because its vowel signs, and the dot below one letter, are not
# letters to Unicode. Unicode gains letters with nearly every version, so libraries of different years may cut
# differently.
#
# ### A special token, typed as text
#
# `<|endoftext|>` has an id, but no bytes of its own. What if someone types these 13 characters?

# %% tags=["active-ipynb"]
# typed_end = "The end.<|endoftext|>"
# print("your bpe_encode:", bpe_encode(typed_end, book_merges))
# print("the model's own:", encode(typed_end)[0].tolist())

# %% [markdown]
# Your function treats them as text. The model's own tokenizer, like many, looks for special tokens first, and gives
# their id, 0. Neither is wrong, but somebody has to choose. If a chat marks with special tokens who is speaking, a user
# who can type them can speak as someone else. So what users type should be cut the way your function does it.

# %% [markdown]
# ### A space at the end
#
# You type "Once upon a time" and a space, and ask for the next word. What does the space cost?

# %% tags=["active-ipynb", "folded"]
# # @title Asks for the next token, without and with a space
# for prompt in ("\nOnce upon a time", "\nOnce upon a time "):
#     prompt_cut = bpe_encode(prompt, book_merges)
#     chances = logits_with({}, to_tokens(prompt_cut))[0, -1].softmax(dim=-1)
#     top = chances.topk(4)
#     likely = zip(top.indices.tolist(), top.values, strict=True)
#     print(f"after the token {prompt_cut[-1]}:", end=" ")
#     print(", ".join(f"{token_of[number]} {chance:.2f}" for number, chance in likely))
#     for word, beginning in ((b" there", b" t"), (b"there", b"t")):
#         all_of = [id_of[token] for token in id_of if token.startswith(beginning)]
#         print(f"    {word} {chances[id_of[word]]:.1g};", end=" ")
#         print(f"all that begin with {beginning} {chances[all_of].sum():.1g}")
# for word in (" there", " utter"):
#     print(f"the text {word!r} is cut into {bpe_encode(word, book_merges)}")

# %% [markdown]
# Without the space ` there` is likeliest, with 0.44. With it `there` has less than a millionth, and the model goes for
# `ign` and `utter`, 0.18 each. That is one text. Now take the word in the middle of each of the 48 passages: what does
# it cost as it is, and what does it cost if you type its space first?

# %% tags=["active-ipynb", "folded"]
# # @title Prints what the middle word costs, each way
# def middle_word(tokens):
#     """The passage up to its middle word, and that word with its space."""
#     text = b"".join(token_of[number] for number in tokens[0, 1:].tolist())
#     pieces = pre_tokenize(text.decode(errors="replace"))
#     places = [i for i, piece in enumerate(pieces) if piece[1:].islower() and i]
#     middle = min(places, key=lambda place: abs(place - len(pieces) // 2))
#     return "".join(pieces[:middle]), pieces[middle]
#
#
# def word_costs(before, word):
#     """The nats of all tokens of a word, after the text before it."""
#     read, due = bpe_encode(before, book_merges), bpe_encode(word, book_merges)
#     tokens = to_tokens(read + due)
#     logits = logits_with({}, tokens)[0, len(read) : -1]
#     following = tokens[0, len(read) + 1 :, None]
#     return -logits.log_softmax(dim=-1).gather(-1, following).sum()
#
#
# def after_a_typed_space(tokens):
#     before, word = middle_word(tokens)
#     return word_costs(before + " ", word[1:])
#
#
# as_it_comes = over_passages(lambda tokens: word_costs(*middle_word(tokens)))
# space_first = over_passages(after_a_typed_space)
# print("as it is:            ", as_it_comes)
# print("after a typed space: ", space_first)
# print("difference:          ", space_first - as_it_comes)

# %% [markdown]
# A typed space makes the word far more expensive: it costs about 4 nats as it is, and 15 after the space.
#
# The reason is in the cut. A space before a word is part of that word's piece, and ` t` was the very first merge. So in
# no text that this tokenizer cuts does a lone space come before a token that begins with t. All of those together have
# 0.0003 here; without the space, those that begin with ` t` had 0.5. What the model expects instead are tokens that do
# come after a lone space: ` utter` is cut into a space and `utter`.
#
# **What it is not**: "spaces confuse the model". What it expects fits a lone space. Your prompt ends where a text is
# hardly ever cut. Take the space off before the model reads; the next token brings its own. The general cure, for a
# prompt that ends within any token, is called *token healing*: step back to where the last token began, and let only
# tokens follow that begin with what was cut off.

# %% [markdown]
# ### One word, five forms
#
# Take the tokens of the vocabulary that are a space and a word of four or more small letters. How many have a twin:
# without the space, with a capital, in capitals?

# %% tags=["active-ipynb", "folded"]
# # @title Counts how many of these forms are one token
# spaced_words = [
#     token
#     for token in id_of
#     if len(token) > 4 and token[:1] == b" " and token[1:].isalpha() and token.islower()
# ]
# forms = {
#     " word": lambda token: token,
#     "word": lambda token: token[1:],
#     " Word": lambda token: b" " + token[1:].capitalize(),
#     "Word": lambda token: token[1:].capitalize(),
#     " WORD": lambda token: token.upper(),
# }
# for form, rewrite in forms.items():
#     rewritten = [rewrite(token) for token in spaced_words]
#     form_cuts = [bpe_encode(token.decode(), book_merges) for token in rewritten]
#     whole = sum(token in id_of for token in rewritten)
#     mean_count = sum(map(len, form_cuts)) / len(form_cuts)
#     print(f"{form!r:8} one token for {whole:4} of {len(form_cuts)};", end=" ")
#     print(f"{mean_count:.2f} on average")

# %% tags=["active-ipynb"]
# some_texts = ("a goose", "Goose", "GOOSE", "in 1999", "🦊", "лиса")
# cuts = {text: bpe_encode(text, book_merges) for text in some_texts}
# cut_text(cuts, "The reference model's cuts", width=36)

# %% [markdown]
# The vocabulary has 1734 such tokens. (175 are only the beginning of a word, such as ` happ`: in the books more letters
# always follow.) Only 70 have a twin without the space, 100 one with a capital, and none in capitals, where they take
# 5.53 tokens on average. In the figure `·goose` is `·g` and `oose`, `Goose` is `G` and `oose`, `GOOSE` is five letters,
# and 1999 four digits. The fox's emoji takes four tokens, one for each byte, and its Russian name eight.
#
# **What this does not show**: that the five forms are strangers to the *model*. Their vectors may be similar (chapter
# 2), and later layers can put `G` and `oose` together. But all that has to be learned. And the first row says nothing:
# the words were chosen for being one token in that form.
#
# <details><summary>Such oddities in GPT-2's own vocabulary</summary>
#
# Every whole number from 0 to 520 is one of its 50,257 tokens, and `521` is two. With a space before it the first that
# is two is ` 362`; but ` 1999` is one again, and ` 1776` two (counted in its vocabulary when the course was made).
#
# </details>

# %% [markdown]
# ### Why numbers are hard
#
# You add 617 and 523 digit by digit: 7 and 3, then 1 and 2 and what is carried, and so on. For that you need the
# digits, each in its place. Here is what GPT-2 is given, and what others are given. (GPT-2's cut is copied from what
# `python benchmarks/cuts.py` prints. For the other two a pattern is enough.)

# %% tags=["active-ipynb", "folded"]
# # @title Draws two sums, each cut in three ways
# two_sums = " 617 + 523 = 1140; 362 + 1999 = 2361"
# sums_by_gpt2 = " 6|17| +| 5|23| =| 11|40|;| 36|2| +| 1999| =| 23|61"
# sum_cuts = {
#     "GPT-2": sums_by_gpt2.split("|"),
#     "threes": regex.findall(r" ?[+=;]| |\d{1,3}", two_sums),
#     "digits": regex.findall(r" ?[+=;]| |\d", two_sums),
# }
# assert {"".join(parts) for parts in sum_cuts.values()} == {two_sums}
# sum_cuts = {way: [part.encode() for part in parts] for way, parts in sum_cuts.items()}
# cut_text(sum_cuts, "Two sums, cut in three ways", width=40)

# %% [markdown]
# GPT-2 merges digits as it merges letters: what is often together becomes a token. 1999 is one, 617 is `6`, `17`, and
# 1140 is `11`, `40`. So the 1 of 617 is in a token with the 7, and the first two digits of 1140 are in one. Here are
# all numbers of three and four digits, with a space before them:
#
# | GPT-2 cuts | into one token | into two | into three |
# |---|---|---|---|
# | 100 to 999 | 405 | 495: 470 as 1 + 2 digits, 25 as 2 + 1 | none |
# | 1000 to 9999 | 176 | 8610: 4680 as 2 + 2, 3417 as 1 + 3, 513 as 3 + 1 | 214 |
#
# Count from 1000 to 9999, and the cut moves 1379 times on the way. In the numbers below 10,000 the digit 7 is part of
# 283 different tokens. For each of them the model has to learn that there is a 7 in it, and in which place. And without
# the space the cuts are others: then 719 of the 900 numbers of three digits are one token.
#
# The reference model's own tokenizer does not have this trouble. Is it wiser?

# %% tags=["active-ipynb"]
# with_digits = [token for token in id_of if regex.search(rb"\d", token)]
# print(f"tokens with a digit: {[token.decode() for token in with_digits]}")
# all_numbers = [str(number) for number in range(10_000)]
# number_cut = bpe_encode(" ".join(all_numbers), book_merges)
# n_digits = sum(map(len, all_numbers))
# print(f"0 to 9999: {n_digits} digits,", end=" ")
# print(f"{sum(token.isdigit() for token in number_cut)} tokens of digits")

# %% [markdown]
# No. In the books no two digits were ever the most frequent pair. Newer tokenizers do on purpose what came about here
# by chance:
#
# - **each digit a token**: PaLM (Chowdhery et al. 2022, section 2), Llama 1 and 2 (Touvron et al. 2023, *LLaMA*,
#   section 2.1, and *Llama 2*, section 2.2), Qwen 2.5 (`\p{N}` in its pattern, without the `+` of GPT-2's), SmolLM2
#   (`individual_digits` in its `tokenizer.json`);
# - **up to three digits a token**: GPT-4 (`\p{N}{1,3}` in the pattern of `cl100k_base`, tiktoken) and Llama 3 (the same
#   in its `tokenizer.py`).
#
# The second makes numbers shorter, but it counts off the threes from the *left*: 1140 is `114`, `0`, while 617 and 523
# are a token each. So the digits of the answer are in other places of their tokens than those that were added. How
# often does that happen? And how often is there something to carry?

# %% tags=["active-ipynb"]
# addends = torch.arange(100, 1000)
# sums = addends[:, None] + addends
# sums_of_rest = addends[:, None] % 100 + addends % 100
# print("of all pairs of numbers of three digits")
# print(f"{(sums >= 1000).float().mean():.3f} have a sum of four digits")
# print(f"{(sums_of_rest >= 100).float().mean():.3f} carry a 1 into the hundreds")

# %% [markdown]
# So with threes from the left three in five of 810,000 sums are cut in other places than what was added. Singh and
# Strouse (2024, below) gave GPT-3.5 and GPT-4 sums of longer numbers, as they are and with commas that count off the
# threes from the right: with the commas far more came out right. To the larger models it mattered less.
#
# **What it is not**: the only reason. A model writes from the left, and in half of these sums a 1 is carried into the
# hundreds, which it has to know before it writes them. That is so however the digits are cut. Lee et al. (2023, below)
# trained small models that read single *characters*: with the sum written from its last digit, they learned to add from
# far fewer examples.

# %% [markdown]
# ### How many r's are in strawberry?
#
# Large models were known for getting this wrong. Here is what ours is given:

# %% tags=["active-ipynb"]
# for fruit in (" strawberry", "strawberry", " Strawberry"):
#     fruit_cut = bpe_encode(fruit, book_merges)
#     print(f"{fruit!r:14}", fruit_cut, [id_of[token] for token in fruit_cut])

# %% [markdown]
# It gets three or four numbers, and no letters. In GPT-2's vocabulary ` strawberry` is a single token. The id does not
# say that there are three r's in it, as your telephone number does not say how your name is spelled. A model has to
# learn that of each token, and strawberry is no rare case. Take the words of the passages that are written in small
# letters: how many are one token, and how many of those have some letter twice?

# %% tags=["active-ipynb"]
# small_words = sorted(
#     {
#         piece
#         for text in passages.texts()
#         for piece in pre_tokenize(text)
#         if piece[0] == " " and regex.fullmatch(r"[a-z]+", piece[1:])
#     }
# )
# one_token = [word for word in small_words if word.encode() in id_of]
# hide_a_double = [word for word in one_token if len(set(word)) < len(word)]
# print(f"{len(small_words)} words, {len(one_token)} of them one token;", end=" ")
# print(f"{len(hide_a_double)} of these have a letter more than once")

# %% [markdown]
# GPT-2's vocabulary is twelve times as large. Of the same 1,666 words 1,460 are one token in it, 620 of them with a
# letter more than once (`python benchmarks/cuts.py`, with a folder of GPT-2's own files).
#
# Can a model know the letters all the same? Texts can tell it: rhymes, lists in the order of the alphabet, words that
# are spelled out. Look into the vectors that the reference model reads, the rows of `W_E` (chapter 2), for tokens that
# are a space and four or more small letters. A linear map learns from four fifths of the rows to name a letter, the
# first one or the last one, and is asked about the others. (Each fifth is asked in turn.)

# %% tags=["active-ipynb"]
# predict(
#     "letters_in_rows",
#     """Which letter of a token can be told from its row, in a share of the tokens larger
#     by 0.1 than by always naming the commonest letter?
#     a) neither: a row says nothing of spelling
#     b) the first one
#     c) the last one
#     d) both""",
#     answer="c",
# )

# %% tags=["active-ipynb", "folded"]
# # @title Prints how often a linear map names the letter
# letter_words = [
#     token
#     for token in id_of
#     if len(token) > 4 and token[:1] == b" " and token[1:].isalpha() and token.islower()
# ]
# word_rows = reference().weights["embed.W_E"][[id_of[token] for token in letter_words]]
# word_rows = (word_rows - word_rows.mean(dim=0)) / word_rows.std(dim=0)
# word_rows = torch.cat([word_rows, torch.ones(len(word_rows), 1)], dim=1)
# dice = torch.Generator().manual_seed(0)
# swapped_rows = word_rows[torch.randperm(len(word_rows), generator=dice)]
# fifths = [torch.randperm(len(word_rows), generator=dice) % 5 for _ in range(4)]
#
#
# def named_right(from_rows, letters):
#     """The share of the letters that are named right, over four ways to make fifths."""
#     hot, right = torch.nn.functional.one_hot(letters, 26).float(), []
#     for fifth in fifths:
#         fifth = fifth[: len(letters)]
#         for asked in (fifth == number for number in range(5)):
#             known = from_rows[~asked]
#             square = known.T @ known + 1000 * torch.eye(known.shape[1])
#             letter_map = torch.linalg.solve(square, known.T @ hot[~asked])
#             guessed = (from_rows[asked] @ letter_map).argmax(dim=1)
#             right.append(guessed == letters[asked])
#     return torch.cat(right).float().mean().item()
#
#
# def tell_letters(which, place, chosen):
#     """Print the shares of the chosen tokens; how much the rows gain over one letter."""
#     letters = torch.tensor([token[place] - ord("a") for token in letter_words])
#     letters = letters[chosen]
#     commonest = letters.bincount().max().item() / len(letters)
#     shares = [named_right(one[chosen], letters) for one in (word_rows, swapped_rows)]
#     print(f"{which:22} {shares[0]:.2f}; from another's row {shares[1]:.2f};", end=" ")
#     print(f"the commonest letter {commonest:.2f}; gain {shares[0] - commonest:.2f}")
#     return shares[0] - commonest
#
#
# everyone = torch.ones(len(letter_words), dtype=torch.bool)
# endings = (b"ed", b"ing", b"s", b"ly")
# without_ending = torch.tensor([not token.endswith(endings) for token in letter_words])
# print("named right, and the gain over always naming the commonest letter:")
# of_first = tell_letters("the first", 1, everyone)
# of_last = tell_letters("the last", -1, everyone)
# tell_letters("the last but one", -2, everyone)
# print(f"without the {len(everyone) - without_ending.sum()} that end in ed, ing, s, ly:")
# tell_letters("the last", -1, without_ending)

# %% tags=["active-ipynb"]
# see("letters_in_rows", gain_of_first=of_first, gain_of_last=of_last)

# %% [markdown]
# Of the 1734 last letters the map names 0.39 right, where always naming the commonest would be right for 0.16; of the
# first letters it names hardly more than that. **So the row of such a word says something of how it ends, and next to
# nothing of how it begins.** The likely reason is grammar: `-ed`, `-ing`, `-s` and `-ly` are used in ways of their own.
# Without the tokens that end so, the gain is 0.06 instead of 0.23.
#
# **What this does not show**: that the model knows no first letters. Tokens that go on with a word, such as `oose`,
# were not asked, and their rows may say more. Another kind of map might find more, and a larger model has more to find:
# Kaushal and Mahowald (2022, below) trained small networks to tell from a token's vector whether it has a given letter,
# which works better in larger models, and well in GPT-J. They too name grammar as one of the ways by which letters get
# in.
#
# **What it is not**: the only reason why models miscount. Yehudai et al. (2024, below) argue that exact counting, even
# of whole tokens, is hard for a Transformer with more kinds of tokens than numbers in a vector. And it is no fate: a
# model that first writes the word letter by letter has the letters as tokens, in its own text.

# %% [markdown]
# ### Do the tokens that nobody trained score low?
#
# If those 191 tokens were pushed down at every step, their logits should be low whatever was read:

# %% tags=["active-ipynb"]
# def mean_logit(those):
#     return over_passages(lambda tokens: logits_with({}, tokens)[0][:, those].mean())
#
#
# print("mean logit of the 191:   ", mean_logit(alike))
# print("mean logit of the others:", mean_logit(~alike))

# %% [markdown]
# They are low: −12 on average, against −3.4 for all other tokens, as they should be if the guess is right.
