"""Texts going in and out of a chapter's cells: what a learner typed into a control, and what is printed."""

import textwrap

from jaxtyping import Int
from torch import Tensor

from utils.reference import encode, reference

WIDTH = 78  # characters; what is longer, JupyterLab breaks within a word


def typed(text: str, *, most: int | None = None) -> Int[Tensor, "1 pos"]:
    """The tokens of a text that a learner typed, `<|endoftext|>` first.

    Raises ValueError, with what to type, for an empty text and for one of more than `most` tokens, the first included;
    without `most`, for one that the reference model can't read.
    """
    most = reference().cfg.n_ctx if most is None else most
    tokens = encode(text)
    if tokens.shape[1] < 2:
        raise ValueError("There is nothing to show yet: type a text of at least one word.")
    if tokens.shape[1] > most:
        message = f"Type a shorter text: this one has {tokens.shape[1] - 1} tokens, and {most - 1} is the most."
        raise ValueError(message)
    return tokens


def wrapped(text: str, width: int = WIDTH) -> str:
    """The text for `print`, each of its lines broken between words."""
    return "\n".join(textwrap.fill(line, width) for line in text.split("\n"))
