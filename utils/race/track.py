"""The track: nanoGPT's CPU setting on tiny Shakespeare, and the loss on the whole held-out text.

Source: karpathy/nanoGPT, README ("I only have a macbook") and config/train_shakespeare_char.py.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor, nn

from utils.characters import Characters, shakespeare, split
from utils.config import Config

STEPS, BATCH_SIZE, WARMUP = 2000, 12, 100  # nanoGPT's
LR, LR_END, BETAS, WEIGHT_DECAY = 1e-3, 0.1, (0.9, 0.99), 0.1
AT_ONCE = 64  # windows


@dataclass(frozen=True)
class Track:
    """The text that may be trained on, the text that is asked, and the sizes of the model."""

    letters: Characters
    data: Int[Tensor, " train_pos"]
    held_out: Int[Tensor, " held_out_pos"]
    cfg: Config


def nanogpts_track() -> Track:
    """Four layers, four heads, d_model 128, a context of 64, tiny Shakespeare's characters."""
    text = shakespeare()
    letters = Characters(text)
    data, held_out = split(letters.encode(text))
    cfg = Config(d_model=128, d_vocab=letters.d_vocab, n_ctx=64, d_head=32, d_mlp=512, n_heads=4, n_layers=4)
    return Track(letters, data, held_out, cfg)


@torch.no_grad()
def whole_loss(model: nn.Module, tokens: Int[Tensor, " pos"], n_ctx: int) -> float:
    """The mean loss over every token of a text but the first, each predicted once, in windows one after another.

    A window has `n_ctx` tokens, the last of which is the first of the next one; so each has `n_ctx - 1` predictions.
    `model(tokens)` gives logits.
    """
    was_training = model.training
    model.eval()
    count = n_ctx - 1
    whole = (len(tokens) - 1) // count
    starts = torch.arange(whole)[:, None] * count
    windows = [tokens[starts[some] + torch.arange(n_ctx)] for some in torch.arange(whole).split(AT_ONCE)]
    rest = tokens[whole * count :]
    if len(rest) > 1:
        windows.append(rest[None])
    total = sum(_summed(model(some), some) for some in windows)
    model.train(was_training)
    return total / (len(tokens) - 1)


def _summed(logits: Tensor, tokens: Tensor) -> float:
    predicted = logits[:, :-1].log_softmax(-1)
    return -float(predicted.gather(-1, tokens[:, 1:, None]).double().sum())
