"""A small language model that is handed to a learner's code: its logits are read off a table."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.config import Config


class TableModel(nn.Module):
    """A language model that a test can see through: each token adds its row of the table to all logits from there on.

    It is causal, depends on the whole text, and raises IndexError for a text longer than n_ctx, as GPT-2 does.
    """

    def __init__(self, table: Float[Tensor, "d_vocab d_vocab"], n_ctx: int):
        super().__init__()
        self.cfg = Config(d_vocab=len(table), n_ctx=n_ctx)
        self.table = nn.Parameter(table.detach().clone())

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
        if tokens.ndim != 2:
            raise ValueError(f"the model takes tokens [batch pos], got shape {list(tokens.shape)}")
        if tokens.shape[1] > self.cfg.n_ctx:
            raise IndexError(f"{tokens.shape[1]} tokens are more than n_ctx = {self.cfg.n_ctx}")
        return torch.cumsum(self.table[tokens], dim=1)
