"""Chapter 0: tokens. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 0 · Tokens: from a text to a list of numbers
#
# A model multiplies and adds, so a text has to become numbers before it can be read. You will write the part that
# does it: first `SpaceTokenizer`, which takes words, and see where it breaks; then *byte-pair encoding*, the way of
# GPT-2, in two halves: `train_bpe` learns the pieces from a text, `bpe_encode` cuts another text with them.
#
# You need no other chapter for this one. About 75 minutes, of which 55 for the three exercises. You will be able to
#
# - cut any text you type exactly as the reference model's own tokenizer does;
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
# # @title Imports what the chapter needs, its tests among it
# import math
#
# import torch
#
# from tests.ch00_tokens import test_bpe_encode, test_space_tokenizer, test_train_bpe
# from utils.controls import explore, slider, text_box
# from utils.model_map import model_map
# from utils.plotting import lines
# from utils.plotting.stream import grouped_bars
# from utils.plotting.tokens import cut_text, expected_next, shown
# from utils.reference import encode, reference
# from utils.reference.byte_pairs import merges, token_ids
# from utils.texts import typed, wrapped
# from utils.transplant import TALE, logits_with, next_token_loss

# %% tags=["active-ipynb"]
# model_map("tokens")

# %% [markdown]
# The map of the model, from left to right; orange marks this chapter. A **token** is a stretch of text. A model has a
# fixed list of them, its **vocabulary**; a token's **id** is its index there. The ids go in at the left, as `tokens`.
# What happens to them after that is the rest of the course.
#
# Our **reference model** is a small GPT-2, trained for this course on 73 children's books. Its vocabulary has 4096
# tokens, and it can read `n_ctx` = 256 of them at once.
#
# ## A text is a list of numbers already
#
# UTF-8 writes any text as **bytes**, numbers from 0 to 255. Why not take those?

# %% tags=["active-ipynb"]
# for word in ("fox", "café", "лиса", "🦊"):
#     print(f"{word}: {list(word.encode())}")
# print(f"\nThe tale, which was written for this course:\n{wrapped(TALE)}\n")
# print(f"it has {len(TALE.encode())} bytes;", end=" ")
# print(f"the model reads at most {reference().cfg.n_ctx} tokens")

# %% [markdown]
# Nothing is unknown this way: 256 tokens are enough for any script, and the emoji is four of them. But texts get
# long. The tale has 433 bytes, so a model that reads 256 tokens at once would see about three fifths of it.
#
# The other extreme is a token for each *word*. Then texts are short. Write that one first.

# %% [markdown] exercise="SpaceTokenizer" difficulty=1 importance=2 minutes=10
# ## Exercise: write `SpaceTokenizer`
#
# **What goes in?** `__init__` takes `vocab`, a list of words that are all different. `encode` takes a text, `decode`
# a list of ids.
#
# **What comes out?** `encode` gives a list of int: for each word its index in `vocab`. Words are what stands between
# white space, as `text.split()` finds them, capitals and full stops included. `decode` gives the words again as one
# string, with one space between two.
#
# A word that is not in the vocabulary raises `KeyError`, and the error names it.
#
# **Before you code**: "the", "The" and "the," : one word, or three?
#
# <details><summary>Answer</summary>
#
# Three. Nothing here knows that they are related. That is one of the things that will hurt.
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
# Take every word of the tale as the vocabulary. Then read another passage, which was written for this chapter.

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
# print("goose comes as:", [word for word in tale_words if "goose" in word])
# unknown_words = [word for word in PASSAGE.split() if word not in tale_words]
# print(f"unknown: {len(unknown_words)} of the passage's {len(PASSAGE.split())} words,")
# print(f"such as {unknown_words[:6]}")
# try:
#     by_words.encode("the geese walked")
# except KeyError as error:
#     print("the geese walked: KeyError", error)

# %% [markdown]
# Three things went wrong. **Unknown words**: 61 of the passage's 86 are not in the vocabulary, and no list holds
# every name, every misspelling, every emoji. **Relatives are strangers**: `goose` is there three times, with a full
# stop and with a comma, as three tokens that share nothing; and `geese` is an error. **The text is not the same
# again**: the line break and the tab came back as one space.
#
# What we want lies between bytes and words: common words as one token, rare ones as a few pieces, and in the worst
# case single bytes, so that nothing is ever unknown. Byte-pair encoding finds such pieces by counting.

# %% [markdown]
# ## By hand: one line of text
#
# Start from single bytes. Count all pairs of neighbours, make the most frequent pair one token, and count again. That
# is the whole idea. (Gage published it in 1994 to compress files; Sennrich et al. took it to words in 2016.)
#
# One rule comes first: no pair crosses from one word to the next. So GPT-2 first cuts the text into **pieces** by a
# fixed pattern: words, numbers, runs of punctuation, white space. A word keeps the one space before it.

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
# `\p{L}` in the pattern is any letter of any script and `\p{N}` any digit; the `regex` module knows these, Python's
# own `re` does not. Joined, the pieces are the text again: nothing is lost.
#
# Two more helpers are given. `single_bytes` takes a piece apart, `merge_pair` makes each occurrence of a pair one
# part.


# %%
def single_bytes(piece: str) -> list[bytes]:
    """The bytes of a piece, one by one."""
    return [bytes([byte]) for byte in piece.encode("utf-8")]


def merge_pair(parts: list[bytes], pair: tuple[bytes, bytes]) -> list[bytes]:
    """The parts with each occurrence of the pair, from left to right, made one part."""
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
# `b"h"` is how Python writes the byte of the letter h. `h` and `e` are neighbours six times, more than any other
# pair, so `he` becomes a token. That changes the counts: now `t` and `he` come first, four times. They make `the`.
#
# After that there is a tie: three pairs come twice. The rule of this course: **of equally frequent pairs the greater
# one wins**, as Python compares tuples of bytes.

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
# Each box is a token, a dot is a space. From top to bottom the boxes grow: 31 single bytes, then `he`, `the`, `hen`,
# `·the`, `·hen`, and 15 tokens are left. `·then` ends as `·the`, `n`: its `he` had gone into `the` before (he, n)
# came up.
#
# **Which pair is greater?** Python compares the first members, byte by byte; of `t` and `the` the longer one is
# greater. Only if the first members are equal do the second ones count. So (he, n) beats (·, the) and (·, he): h is the
# byte 104, a space is 32. From small to great: space, digits, capitals, small letters, bytes of other scripts.
#
# Any fixed order would do. The `tokenizers` library, which made the reference model's vocabulary, takes the pair with
# the smaller ids instead.

# %% [markdown]
# ### What it is not
#
# - **It is not grammar.** Nobody told it what a syllable or an ending is. `the` inside `other` is a merge like any
#   other.
# - **It does not look at meaning**, only at counts of neighbours.
# - **It is not trained together with the model.** The merges are found once, before; then they are fixed.

# %% [markdown] exercise="train_bpe" difficulty=3 importance=4 minutes=25
# ## Exercise: write `train_bpe`
#
# **What goes in?** `text`, and `n_merges`: how many merges to find.
#
# **What comes out?** A list of pairs, tuples of two `bytes`, in the order in which they were merged. There are fewer
# than `n_merges` if nothing is left to merge.
#
# Use the three helpers. Count *every* neighbouring pair: `aaa` has the pair (a, a) twice. The most frequent pair
# comes first; of equally frequent ones, the greater.
#
# **Before you code**: "the" comes a thousand times in a text. Do you have to take it apart a thousand times?
#
# <details><summary>Answer</summary>
#
# No. The same piece is always cut in the same way. Count how often each different piece comes, and let each of its
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
# Do in a loop what the example did by hand. Two things are kept: how often each different piece comes, which never
# changes, and what each piece is cut into now, which changes with every merge.
#
# A tie is settled by comparing (count, pair) instead of the count alone: `max` takes a `key`.

# %% [markdown] hint="pseudocode"
# ```text
# counts   = how often each piece of pre_tokenize(text) comes
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
# Train on the tale, with as many merges as there are. Then compare: how many bytes of the tale does one token hold?
# And how many of the passage about the map shop, which your merges have never seen? As a control, take equally many
# merges of the reference model, learned from the 73 books: `merges()` has them all.

# %% tags=["active-ipynb"]
# tale_merges, book_merges = train_bpe(TALE, 1000), merges()
# for source, found in {"the tale": tale_merges, "the books": book_merges}.items():
#     first_ten = [(one + other).decode() for one, other in found[:10]]
#     print(f"{len(found):4} merges of {source}, the first: {first_ten}")

# %% tags=["active-ipynb", "folded"]
# # @title Draws how many bytes a token holds, merge by merge
# def cut_with(text, some_merges):
#     """Each merge in turn, the slow way; you will write a better one."""
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

# %% [markdown]
# Orange diamonds, the tale cut by its own merges, climb to 4.51 bytes per token: after 168 merges every piece of it is
# one token, and nothing is left to merge. Blue circles, the passage, reach 1.60. Most of what was learned from the tale
# is the tale itself. Green squares, equally many merges learned from the books, do better on the passage: 1.91.
#
# **What it does not show**: why the books do better. They are far more text, and may also be more like the passage.
# Nor that their merges make a better *model*: fewer tokens are fewer tokens.

# %% [markdown] exercise="bpe_encode" difficulty=3 importance=4 minutes=20
# ## Exercise: write `bpe_encode`
#
# **What goes in?** A `text`, which may be new, and `merges`, the pairs that `train_bpe` found, in their order.
#
# **What comes out?** The tokens of the text in order: a list of `bytes`. Joined, they are the text's bytes.
#
# In each piece, of all neighbouring pairs that are in `merges`, merge the one that comes *first in `merges`*,
# wherever it occurs in the piece. Look again, and stop when no pair is left that `merges` knows. Leave `merges` as it
# is.
#
# **Before you code**: the merges are (b, c), (a, b), and the piece is `abc`. Which tokens come out? Is it the longest
# token that fits at the start?
#
# <details><summary>Answer</summary>
#
# `a`, `bc`. The pair (b, c) has the smaller *rank*, its index in `merges`; after it, there is no (a, b) any more.
# Taking the longest match from the left gives `ab`, `c`: another algorithm, with other tokens.
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
# ## See it work: the reference model's own tokens
#
# Nothing but the 3839 merges of the books is needed to cut as the reference model does. `token_ids()` has the
# vocabulary: the 256 bytes, one token for each merge, and `<|endoftext|>`, which stands before every text and is
# never cut out of one. `encode` is the model's own tokenizer.

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
# Type a text of your own, and move the slider: how does it look when only so many of the merges are known? (Press
# Enter after typing. Only the first 600 characters are shown.)

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
# With 1000 merges the first three sentences of the tale, 227 bytes, are 74 tokens. Short words are whole; `·miller`
# is `·m`, `ill`, `er`. At the left end of the slider every letter is a box, at the right end most words are one. Now
# type an emoji: a byte that is no character by itself is written like `<F0>`.

# %% [markdown]
# ## What goes in, what comes out
#
# **In** goes a row of ids, [batch pos]. **Out** come, for each position, 4096 numbers that say how likely each token
# is to come *next*: a *probability distribution*. Not one answer at the end: one distribution at *every* position,
# each made from the tokens up to there.
#
# Below, each row is a position, with the token read there. To the right are the five likeliest next tokens. A frame
# marks the one that did follow. Of a long text the last twelve positions are shown.

# %% tags=["active-ipynb"]
# def draw_expected(text):
#     tokens = typed(text)
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
# Nothing has been read at position 0 but `<|endoftext|>`, and the model expects a line break, with probability 0.67.
# After `Once` it gives 0.56 to another `Once`, 0.24 to `·once`, and 0.02 to `·upon`, which did follow. After `·upon` it
# is nearly sure: `·a`, 0.93. At `·a`, position 7, nothing stands out, and `·little` has 0.05: many words can follow.
#
# **What it is not.** The model does not output text, and not a token either. It outputs distributions; drawing a
# token from the last one and reading on with it is *sampling* (chapter 8). How the numbers at the end become
# probabilities is chapter 6's matter; they are softmax of the **logits**.

# %% [markdown]
# ## Same text, other cuts
#
# The model is given ids, not letters. Does it matter how a text is cut, if the letters are all there?
#
# To compare cuts, do not count per token, since a token may hold one byte or ten. Add up −log₂(the probability that
# the model gave) over all tokens, and divide by the number of *bytes*: **bits per byte**. Less is better; to give each
# of the 256 bytes the same chance costs 8. Here are the first 250 bytes of both texts.

# %% tags=["active-ipynb"]
# def bits_per_byte(text, some_merges):
#     """What a byte of the text costs the model when it is cut with these merges."""
#     tokens = to_tokens(bpe_encode(text, some_merges))
#     nats_per_token = next_token_loss(logits_with({}, tokens), tokens).item()
#     return nats_per_token * (tokens.shape[1] - 1) / math.log(2) / len(text.encode())

# %% tags=["active-ipynb", "folded"]
# # @title Draws what a byte costs with fewer merges
# fewer = (len(book_merges), 2000, 256, 0)
# costs = {
#     name: torch.tensor([bits_per_byte(text, book_merges[:known]) for known in fewer])
#     for name, text in {"tale": TALE[:250], "passage": PASSAGE[:250]}.items()
# }
# grouped_bars(
#     costs,
#     [f"{known} merges" for known in fewer],
#     "The same text, cut in other ways",
#     y_title="bits per byte",
# )

# %% [markdown]
# Orange is the tale, blue the passage. Cut with all merges, they cost 1.25 and 1.91 bits per byte. The fewer merges,
# the dearer: cut into single bytes, at the right, the same letters cost 7.13 and 7.02. (That is still less than the 12
# bits that each of these tokens would cost if all 4096 had the same chance.)
#
# **What it does not show**: that bytes are a bad cut, or that the model never met single letters. It did, as parts of
# rare words: `e` came as a token of its own about 4480 times (counted in the 73 books when the course was made). It was
# *trained* with one cut and asked to read another. A model trained on bytes can be good (Xue et al. 2022, below).

# %% [markdown]
# ## A space at the end
#
# You type "Once upon a time" and a space, and ask for the next word. What does the space cost?

# %% tags=["active-ipynb", "folded"]
# # @title Asks for the next token, without and with a space
# for prompt in ("Once upon a time", "Once upon a time "):
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
# Without the space ` there` is likeliest, with 0.31. With it `there` has less than a millionth, and the model goes for
# `utter` (0.20) and `er` (0.16).
#
# The reason is in the cut. A space before a word is part of that word's piece, and ` t` was the very first merge. So in
# no text that this tokenizer cuts does a lone space come before a token that begins with t. All of those together have
# 0.0003 here; without the space, those that begin with ` t` had 0.4. What the model expects instead are tokens that do
# come after a lone space: ` utter` is cut into a space and `utter`.
#
# **What it is not**: "spaces confuse the model". What it expects fits a lone space. Your prompt ends where no text of
# its training was cut. Take the space off before the model reads, and put it back afterwards.

# %% [markdown]
# ## One word, five forms
#
# Take the tokens of the vocabulary that are a space and a word in small letters, of four letters or more. How many
# have a twin: without the space, with a capital, in capitals?

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
# The same 1734 words: without their space 70 of them are one token, with a capital 100, in capitals none, and on
# average they take 5.53 tokens then. In the figure `·goose` is `·g` and `oose`, `Goose` is `G` and `oose`, `GOOSE`
# falls into its five letters. Of 1999 each digit is a token. The fox's emoji takes four, one for each byte, and its
# Russian name eight.
#
# **What it does not show**: that the five forms are strangers to the *model*. Their vectors may be similar (chapter
# 2), and later layers can put `G` and `oose` together. But all that has to be learned. And the first row says nothing:
# the words were chosen for being one token in that form.
#
# The 50,257 tokens of the real GPT-2 have such oddities too. Every whole number from 0 to 520 is one token, and 521 is
# two; ` 1999` is one, ` 1776` is two (counted in its vocabulary when the course was made).

# %% [markdown]
# ## Tokens that nobody trained
#
# Some tokens never occurred when the model was trained. What are their vectors like? Row i of the table `W_E` is the
# vector that the model reads for token i (chapter 2). Compare the first byte of 😀 with all others by the *cosine*: 1
# means the same direction.

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
# def expected_after(word):
#     tokens = encode(f"The fox said {word} and the")
#     return logits_with({}, tokens)[0, -1].softmax(dim=-1)
#
#
# for one, other in (("😀", "🎉"), ("ж", "ü"), ("no", "yes")):
#     moved = (expected_after(one) - expected_after(other)).abs().sum() / 2
#     print(f"{other} in place of {one} moves {moved:.3f} of the probability", end=" ")
#     print("after 'The fox said ... and the'")

# %% [markdown]
# 191 tokens, nearly one in twenty, share nearly one vector. They are the ones that never occur in the 73 books (counted
# when the course was made): 175 single bytes, among them all 128 that UTF-8 uses beyond plain English text, and 16
# stepping stones, such as `orothy`, which is always merged further. So for this model 😀 and 🎉 are nearly one word:
# swapping them moves 0.015 of the probability, swapping no and yes 0.255. (The two emoji share two of
# their four bytes. But swapping `ж` and `ü`, which share none, moves only 0.021.)
#
# **What it is not**: "untrained, so still random and small". The norm is 2.036, larger than the mean of the others.
# The table is tied to the unembedding, which scores the *next* token (chapter 6); a token that never comes next is
# pushed down at every step, and all of these were pushed the same way. That is a guess that fits the numbers.
#
# GPT-2 has such tokens too. The best known is ` SolidGoldMagikarp`, the name of a web user; Land and Bartolo (2024,
# below) tell how such tokens are found, in many models.

# %% [markdown]
# ## A bug in the wild
#
# GPT-2's merges come in a text file, `merges.txt`: one pair in each line, the first merge first. Bytes that can't be
# printed are written as other characters: a space is `Ġ`. Often, not always, there is a line `#version: 0.2` on top.
# The reader below is made for files that have it. It is a common bug, and it raises no error.
#
# Mend `read_merges` so that both kinds of file are read. Beware of the second trap: `# #` is a merge.


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
# How much can one merge of 3839 matter? The lost one is the first, ` t`, and every merge that builds on it goes with
# it. As controls, leave out the second, `he`, and a late one that the tale needs too.

# %% tags=["active-ipynb", "folded"]
# # @title Leaves out one merge, and what builds on it
# for left_out in (0, 1, 3378):
#     kept = book_merges[:left_out] + book_merges[left_out + 1 :]
#     lost = [b"".join(book_merges[left_out])]
#     for one, other in kept[left_out:]:
#         if one in lost or other in lost:
#             lost.append(one + other)
#     print(f"without {lost[0]}: {len(bpe_encode(TALE, kept))} tokens,", end=" ")
#     print(f"{bits_per_byte(TALE, kept):.2f} bits per byte")
#     print(f"    comes {TALE.encode().count(lost[0])} times in the tale;", end=" ")
#     print(f"merges that build on it: {len(lost) - 1}")
# print(f"with all: {len(bpe_encode(TALE, book_merges))} tokens,", end=" ")
# print(f"{bits_per_byte(TALE, book_merges):.2f} bits per byte")

# %% [markdown]
# Without ` t` the tale needs 123 tokens in place of 104, and 2.06 bits per byte in place of 1.14. That is what the
# silent `[1:]` does: a model that seems to be worse than it is. The second merge, `he`, is about as dear to lose (124
# tokens, 1.87), so it is no matter of spaces. Number 3378, ` daughters`, costs one token, and 1.20. The first two come
# sixteen times each in the tale, and about 150 merges build on each; ` daughters` comes once, and none builds on it.
#
# <details><summary>Answer</summary>
#
# `[1:]` drops the first line, whatever it is. Skipping every line that starts with `#` loses `# #` and its kin
# instead. Ask for the whole word: `if not line.startswith("#version")`.
#
# </details>

# %% [markdown]
# ## Check your understanding
#
# **1.** A tokenizer with 256 bytes and 3839 merges has how many tokens at most, `<|endoftext|>` included? Why "at
# most"?
#
# <details><summary>Answer</summary>
#
# 256 + 3839 + 1 = 4096. Two merges can make the same token: (a, bc) and (ab, c) are both `abc`. In the reference
# model's vocabulary that never happens.
#
# </details>
#
# **2.** Someone reports a loss of 1.2 nats *per byte* for a model of bytes, and calls it better than the reference
# model, whose loss on its tokens is above 3. What is wrong?
#
# <details><summary>Answer</summary>
#
# The units. A token holds several bytes, so to guess it right is harder and worth more. Divide both by the number of
# bytes of the text. The cell below does it for the tale.
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
# **4.** Could `train_bpe` ever produce a token such as `of the`, two words in one?
#
# <details><summary>Answer</summary>
#
# No. The pattern cuts before the space of ` the`, and no merge crosses from piece to piece. It was GPT-2's authors'
# choice: without such a rule they got many versions of `dog`, such as `dog.`, `dog!` and `dog?` (section 2.2 of their
# paper).
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
# - **It never ends**: in `while`, look at the pairs of the parts *as they are now*, and put the merged parts in the
#   place of the old ones.
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
# - karpathy/minbpe, [github.com/karpathy/minbpe](https://github.com/karpathy/minbpe): the same as a ladder of small
#   modules.
# - Xue et al. 2022, *ByT5: Towards a token-free future with pre-trained byte-to-byte models*,
#   [arXiv:2105.13626](https://arxiv.org/abs/2105.13626): a model that reads bytes.
# - Land and Bartolo 2024, *Fishing for Magikarp: Automatically Detecting Under-trained Tokens in Large Language
#   Models*, [arXiv:2405.05417](https://arxiv.org/abs/2405.05417): tokens that nobody trained, in many models.
