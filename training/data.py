"""From a text file to batches: a byte-level BPE, the row of tokens, and windows, some rewritten to teach copying."""

from pathlib import Path

import torch
from jaxtyping import Int
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor

from solutions.ch09_training import get_batch
from utils.course.files import write_text

END_OF_TEXT = "<|endoftext|>"


def train_tokenizer(text: str, d_vocab: int) -> Tokenizer:
    """Train a byte-level BPE of `d_vocab` tokens, pre-tokenised by GPT-2's pattern, `<|endoftext|>` being token 0.

    Source: openai/gpt-2 src/encoder.py (bytes and pattern); Sennrich et al. 2016, algorithm 1 (merges).
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=d_vocab,
        special_tokens=[END_OF_TEXT],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(text.split(END_OF_TEXT), trainer)
    return tokenizer


def encode_file(tokenizer: Tokenizer, path: Path) -> Int[Tensor, " n_tokens"]:
    """All of a file as one row of int16 tokens, `<|endoftext|>` first, so that every token of the file is predicted."""
    ids = tokenizer.encode(END_OF_TEXT + path.read_text(encoding="utf-8")).ids
    return torch.tensor(ids, dtype=torch.int16)


def hold_out(text_file: Path, into: Path, share: float = 0.05) -> tuple[Path, Path]:
    """Write a text to `into`: its last `share`, from the start of a line on, as valid.txt, the rest as train.txt."""
    text = text_file.read_text(encoding="utf-8")
    cut = int(len(text) * (1 - share))
    cut = text.rfind("\n", 0, cut) + 1 or cut
    train, valid = into / "train.txt", into / "valid.txt"
    write_text(train, text[:cut])
    write_text(valid, text[cut:])
    return train, valid


def repeat_passages(
    tokens: Int[Tensor, "batch pos"], share: float, generator: torch.Generator
) -> Int[Tensor, "batch pos"]:
    """Turn a random `share` of the rows into one passage over and over, every other one with its words shuffled.

    Copying is then worth learning, and in a shuffled passage nothing but copying helps: this is what makes a model so
    small grow heads that look one token back and heads that look behind an earlier copy (induction heads).
    """
    tokens = tokens.clone()
    batch, pos = tokens.shape
    for row in (torch.rand(batch, generator=generator) < share).nonzero().flatten().tolist():
        length = int(torch.randint(8, pos // 2, (), generator=generator))
        passage = tokens[row, :length]
        if torch.rand((), generator=generator) < 0.5:
            passage = passage[torch.randperm(length, generator=generator)]
        tokens[row] = passage.repeat(pos // length + 1)[:pos]
    return tokens


def shuffle_phrases(
    tokens: Int[Tensor, "batch pos"], share: float, generator: torch.Generator
) -> Int[Tensor, "batch pos"]:
    """Turn a random `share` of the rows into 4 to 24 phrases of two or three of their own tokens, in random order.

    Each phrase comes again and again. What follows a token inside it can then be known only by a head that finds the
    earlier place *directly* behind the same token: a blurred view of the last few tokens, which is enough for a
    repeated passage, is of no use. The lengths differ so that no place means anything: with pairs alone, which always
    began at even places, the model learned to tell even places from odd ones.
    """
    tokens = tokens.clone()
    batch, pos = tokens.shape
    for row in (torch.rand(batch, generator=generator) < share).nonzero().flatten().tolist():
        n_phrases = int(torch.randint(4, 25, (), generator=generator))
        lengths = torch.randint(2, 4, (n_phrases,), generator=generator).tolist()
        phrases = [tokens[row, torch.randint(pos, (length,), generator=generator)] for length in lengths]
        order = torch.randint(n_phrases, (pos // 2 + 1,), generator=generator).tolist()
        tokens[row] = torch.cat([phrases[index] for index in order])[:pos]
    return tokens


def training_batch(
    data: Int[Tensor, " n_tokens"],
    n_ctx: int,
    batch_size: int,
    repeat_share: float,
    phrase_share: float,
    generator: torch.Generator,
) -> Int[Tensor, "batch pos"]:
    """The batch that one training step sees: random windows, a few made of repeated passages, a few of phrases."""
    tokens = get_batch(data, n_ctx, batch_size, generator).long()  # the row is kept in 16 bits
    tokens = repeat_passages(tokens, repeat_share, generator)
    return shuffle_phrases(tokens, phrase_share, generator) if phrase_share else tokens
