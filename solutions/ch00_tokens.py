"""Chapter 0: tokens. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 0 · Tokens: from a text to a list of integers
#
# Draft.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError("This kernel does not have the course. In the course's folder, run: make lab") from None
#
# start("ch00_tokens")

# %%
from collections import Counter
from itertools import pairwise

import regex

# %% tags=["active-ipynb"]
# from tests.ch00_tokens import test_bpe_encode, test_space_tokenizer, test_train_bpe

# %% [markdown] exercise="SpaceTokenizer" difficulty=1 importance=2 minutes=10
# ## Exercise: write `SpaceTokenizer`
#
# Draft.


# %%
class SpaceTokenizer:
    """Words as tokens: a word's id is its index in the vocabulary."""

    def __init__(self, vocab: list[str]):
        # BEGIN SOLUTION
        self.words = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}
        # END SOLUTION

    def encode(self, text: str) -> list[int]:
        """The id of each word of the text; raises KeyError, naming the word, for one that is not in the vocabulary."""
        # BEGIN SOLUTION
        return [self.ids[word] for word in text.split()]
        # END SOLUTION

    def decode(self, ids: list[int]) -> str:
        """The words of these ids, with one space between two."""
        # BEGIN SOLUTION
        return " ".join(self.words[index] for index in ids)
        # END SOLUTION


# %% [markdown] hint="idea"
# Draft.

# %% [markdown] hint="pseudocode"
# Draft.

# %% tags=["active-ipynb"]
# test_space_tokenizer(SpaceTokenizer)

# %%
GPT2_PATTERN = regex.compile(r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


def pre_tokenize(text: str) -> list[str]:
    """Cut a text into pieces: words, numbers, runs of punctuation, white space. Joined, they are the text again.

    Source: openai/gpt-2 src/encoder.py, Encoder.pat.
    """
    return GPT2_PATTERN.findall(text)


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


# %% [markdown] exercise="train_bpe" difficulty=3 importance=4 minutes=25
# ## Exercise: write `train_bpe`
#
# Draft.


# %%
def train_bpe(text: str, n_merges: int) -> list[tuple[bytes, bytes]]:
    """The pairs to merge, in order: each time the most frequent one, of equally frequent ones the greatest.

    Source: Sennrich et al. 2016, algorithm 1, on bytes and within pieces as in Radford et al. 2019, section 2.2.
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
# Draft.

# %% [markdown] hint="pseudocode"
# Draft.

# %% tags=["active-ipynb"]
# test_train_bpe(train_bpe)

# %% [markdown] exercise="bpe_encode" difficulty=3 importance=4 minutes=20
# ## Exercise: write `bpe_encode`
#
# Draft.


# %%
def bpe_encode(text: str, merges: list[tuple[bytes, bytes]]) -> list[bytes]:
    """The tokens of a text: in each piece, merge what comes first in `merges`, until nothing there can be merged.

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
# Draft.

# %% [markdown] hint="pseudocode"
# Draft.

# %% tags=["active-ipynb"]
# test_bpe_encode(bpe_encode)
