"""How PosEmbed goes wrong, and right answers that look different."""

import einops
import torch
import torch.nn.functional as F
from torch import nn

from tests.ch02_embeddings import pos_embed


@pos_embed.correct
def repeated(self, tokens):
    batch, pos = tokens.shape
    return einops.repeat(self.W_pos[:pos], "pos d_model -> batch pos d_model", batch=batch)


@pos_embed.correct
def indexed_by_arange(self, tokens):
    return self.W_pos[torch.arange(tokens.shape[1]).expand_as(tokens)]


@pos_embed.correct
def functional_lookup(self, tokens):
    return F.embedding(torch.ones_like(tokens).cumsum(dim=1) - 1, self.W_pos)


@pos_embed.correct
def stacked(self, tokens):
    return torch.stack([self.W_pos[: tokens.size(-1)] for _ in tokens])


pos_embed.misconception(
    "a result without the batch axis",
    "Every sentence gets its own copy: return what `expand(batch, -1, -1)` or `repeat(batch, 1, 1)` makes of the rows. "
    "It is a new tensor; the rows themselves stay as they are.",
    lambda self, tokens: self.W_pos[: tokens.shape[1]],
)
pos_embed.misconception(
    "a batch axis of size 1",
    "Broadcasting would hide it later; here the result is [batch pos d_model]: repeat or expand it to `batch`.",
    lambda self, tokens: self.W_pos[: tokens.shape[1]][None],
)
pos_embed.misconception(
    "the whole table",
    "A text of `pos` tokens gets the first `pos` rows: `self.W_pos[:pos]`.",
    lambda self, tokens: self.W_pos.expand(len(tokens), -1, -1),
    lambda self, tokens: self.W_pos,
)
pos_embed.misconception(
    "looking up tokens in the table of positions",
    "The index is the position in the text, 0, 1, 2, ..., whatever token stands there: `self.W_pos[:pos]`.",
    lambda self, tokens: self.W_pos[tokens],
    lambda self, tokens: self.W_pos[tokens % self.cfg.n_ctx],
    lambda self, tokens: self.W_pos[tokens.clamp(max=self.cfg.n_ctx - 1)],
    lambda self, tokens: F.embedding(tokens, self.W_pos),
)
pos_embed.misconception(
    "ranking the tokens by their numbers",
    "A position says where a token stands, 0, 1, 2, ... from left to right, whatever its number: `self.W_pos[:pos]`.",
    lambda self, tokens: self.W_pos[tokens.argsort(dim=1)],
    lambda self, tokens: self.W_pos[tokens.argsort(dim=1).argsort(dim=1)],
)


@pos_embed.misconception(
    "positions that leave out token 0",
    "In GPT-2 nothing is padding: every token is one position further on, number 0 too. Return `self.W_pos[:pos]` for "
    "each sentence.",
    said_of=r"!= 0|== 0|> 0|\bne\(|\beq\(|nonzero|bool\(",
    otherwise=(
        "Each sentence gets the first `pos` rows of the table, in their order, whatever its tokens are: "
        "`self.W_pos[:pos]`."
    ),
)
def token_0_as_padding(self, tokens):
    """As in HuggingFace's code, where the mask is handed over."""
    mask = (tokens != 0).long()
    return self.W_pos[(mask.cumsum(-1) - 1).masked_fill(mask == 0, 1)]


pos_embed.also(
    "positions that leave out token 0",
    lambda self, tokens: self.W_pos[((tokens != 0).cumsum(-1) - 1).clamp(min=0)],
    "(mask.cumsum(-1) - 1).masked_fill(mask == 0, 1) → mask.cumsum(-1) * mask",
    of=token_0_as_padding,
)


@pos_embed.misconception("positions counted from 1", "The first token stands at position 0: `self.W_pos[:pos]`.")
def from_one(self, tokens):
    rows = torch.arange(1, tokens.shape[1] + 1) % self.cfg.n_ctx
    return self.W_pos[rows].expand(len(tokens), -1, -1)


pos_embed.also(
    "positions counted from 1",
    lambda self, tokens: self.W_pos[torch.arange(1, tokens.shape[1] + 1)].expand(len(tokens), -1, -1),
)
pos_embed.misconception(
    "positions counted from -1",
    "The first token stands at position 0, the second one at 1: `self.W_pos[:pos]`.",
    lambda self, tokens: self.W_pos[torch.arange(tokens.shape[1]) - 1].expand(len(tokens), -1, -1),
)
pos_embed.misconception(
    "a slice that starts at 1",
    "`W_pos[1 : pos + 1]` leaves out position 0 and runs out of rows at `n_ctx`. Slice `[:pos]`.",
    lambda self, tokens: self.W_pos[1 : tokens.shape[1] + 1].expand(len(tokens), -1, -1),
)
pos_embed.misconception(
    "the last rows of the table",
    "The first token gets row 0: slice from the front, `[:pos]`.",
    lambda self, tokens: self.W_pos[-tokens.shape[1] :].expand(len(tokens), -1, -1),
)
pos_embed.misconception(
    "the rows from `pos` on",
    "`W_pos[pos:]` leaves out the first `pos` rows, the ones that are wanted: slice `[:pos]`.",
    lambda self, tokens: self.W_pos[tokens.shape[1] :].expand(len(tokens), -1, -1),
    lambda self, tokens: self.W_pos[tokens.shape[1] :],
)
pos_embed.misconception(
    "scaling each vector to norm 1",
    "GPT-2 adds the rows of `W_pos` just as training left them, however long.",
    lambda self, tokens: F.normalize(self.W_pos[: tokens.shape[1]], dim=-1).expand(len(tokens), -1, -1),
)


@pos_embed.misconception(
    "LayerNorm on the vectors", "That comes later, and has a chapter of its own: return the rows of `W_pos` unchanged."
)
def normalised_positions(self, tokens):
    return F.layer_norm(self.W_pos[: tokens.shape[1]], (self.cfg.d_model,)).expand(len(tokens), -1, -1)


pos_embed.misconception(
    "positions in reverse",
    "The first token gets row 0, the next one row 1: `self.W_pos[:pos]`.",
    lambda self, tokens: self.W_pos[: tokens.shape[1]].flip(0).expand(len(tokens), -1, -1),
)
pos_embed.misconception(
    "slicing by the batch size",
    "`tokens.shape` is [batch pos]: the number of positions is `tokens.shape[1]`.",
    lambda self, tokens: self.W_pos[: tokens.shape[0]].expand(tokens.shape[1], -1, -1),
    lambda self, tokens: self.W_pos[: tokens.shape[0]].expand(tokens.shape[0], -1, -1),
    lambda self, tokens: self.W_pos[: len(tokens)],
)
pos_embed.misconception(
    "one row for each sentence",
    "The index runs along `pos`, not along the batch: every sentence gets the rows 0, 1, 2, ..., `self.W_pos[:pos]`.",
    lambda self, tokens: self.W_pos[torch.arange(len(tokens))][:, None].expand(*tokens.shape, -1),
)
pos_embed.misconception(
    "a batch axis in the second place",
    "The batch comes first, [batch pos d_model]: `unsqueeze(0)`, `stack(..., dim=0)`, `repeat(batch, 1, 1)`.",
    lambda self, tokens: self.W_pos[: tokens.shape[1]].unsqueeze(1).expand(-1, len(tokens), -1),
)
pos_embed.misconception(
    "each row repeated before the next one comes",
    "Every sentence needs the rows 0, 1, 2, ..., not 0, 0, 1, 1: use `repeat` or `expand`, which give "
    "them in this order. `repeat_interleave` does not.",
    lambda self, tokens: self.W_pos[: tokens.shape[1]].repeat_interleave(len(tokens), 0).view(*tokens.shape, -1),
)
pos_embed.misconception(
    "the sentences one under the other in one long table",
    "`cat` and `repeat(batch, 1)` join them along `pos`. A new axis in front is wanted: `expand(batch, -1, -1)`.",
    lambda self, tokens: self.W_pos[: tokens.shape[1]].repeat(len(tokens), 1),
    lambda self, tokens: torch.cat([self.W_pos[: tokens.shape[1]]] * len(tokens)),
)
pos_embed.misconception(
    "the sentences side by side",
    "`tile(batch)`, `repeat(1, batch)` and `cat(..., dim=-1)` make the vectors longer. A new axis in front is wanted: "
    "`expand(batch, -1, -1)`.",
    lambda self, tokens: self.W_pos[: tokens.shape[1]].repeat(1, len(tokens)),
)
pos_embed.misconception(
    "cutting the rows into pieces, one for each sentence",
    "Every sentence needs all of the first `pos` rows: `expand(batch, -1, -1)` gives them to each.",
    lambda self, tokens: self.W_pos[: tokens.shape[1]].reshape(*tokens.shape, -1),
    lambda self, tokens: self.W_pos[: tokens.numel()].reshape(*tokens.shape, -1),
)
pos_embed.misconception(
    "one position for the whole text",
    "Each position has a row of its own: slice the first rows, `self.W_pos[:pos]`.",
    lambda self, tokens: self.W_pos[tokens.shape[1] - 1].expand(*tokens.shape, -1),
    lambda self, tokens: self.W_pos[torch.zeros_like(tokens)],
    lambda self, tokens: self.W_pos[tokens.shape[1]].expand(*tokens.shape, -1),
)
pos_embed.misconception(
    "indexing the table down to one axis",
    "What is expanded needs a row for each position: `self.W_pos[:pos]`. A single number in the brackets gives one "
    "row, two indices with a comma between them give single numbers.",
    lambda self, tokens: self.W_pos[tokens.shape[1]].expand(len(tokens), -1, -1),
    lambda self, tokens: self.W_pos[tokens.shape[1] - 1].expand(len(tokens), -1, -1),
)


@pos_embed.also("indexing the table down to one axis")
def diagonal_expanded(self, tokens):
    positions = torch.arange(tokens.shape[1])
    return self.W_pos[positions, positions].expand(len(tokens), -1, -1)


pos_embed.misconception(
    "averaging over the positions",
    "Each position keeps a row of its own: no mean or sum over `pos`.",
    lambda self, tokens: self.W_pos[: tokens.shape[1]].mean(dim=0).expand(*tokens.shape, -1),
)
pos_embed.misconception(
    "one row too few",
    "`range` and slices already leave out the end: the first `pos` rows are `self.W_pos[:pos]`.",
    lambda self, tokens: self.W_pos[: tokens.shape[1] - 1].expand(len(tokens), -1, -1),
)
pos_embed.misconception(
    "one row too many",
    "Slices leave out the end, and count from 0: the first `pos` rows are `self.W_pos[:pos]`.",
    lambda self, tokens: self.W_pos[: tokens.shape[1] + 1].expand(len(tokens), -1, -1),
)
pos_embed.misconception(
    "slicing the columns",
    "`W_pos[:, :pos]` cuts d_model. The rows are the first axis: `self.W_pos[:pos]`.",
    lambda self, tokens: self.W_pos[:, : tokens.shape[1]].expand(len(tokens), -1, -1),
)
pos_embed.misconception(
    "adding the tokens' numbers",
    "Only the shape of `tokens` matters here: `Embed` says what a token is.",
    lambda self, tokens: tokens[..., None] + self.W_pos[: tokens.shape[1]],
    lambda self, tokens: tokens + self.W_pos[: tokens.shape[1]],
)
pos_embed.misconception(
    "multiplying by the tokens' numbers",
    "Only the shape of `tokens` matters here; leave their values out.",
    lambda self, tokens: tokens[..., None] * self.W_pos[: tokens.shape[1]],
)
pos_embed.misconception(
    "scaling the positions by the square root of d_model",
    "GPT-2 adds the rows of `W_pos` as they are.",
    lambda self, tokens: self.W_pos[: tokens.shape[1]].expand(len(tokens), -1, -1) * self.cfg.d_model**0.5,
)
pos_embed.misconception(
    "positions that differ from sentence to sentence",
    "Every sentence of the batch gets the same rows: the sentence's number plays no part.",
    lambda self, tokens: self.W_pos[: tokens.shape[1]] + torch.arange(len(tokens))[:, None, None],
)
pos_embed.misconception(
    "random positions in every call",
    "Numbers made in `forward` can't be trained: use the parameter `self.W_pos` that `__init__` made.",
    lambda self, tokens: torch.randn(*tokens.shape, self.cfg.d_model),
)
pos_embed.misconception(
    "counting on from one sentence to the next",
    "Every sentence of the batch starts at position 0 again.",
    lambda self, tokens: self.W_pos[torch.arange(tokens.numel()).view(tokens.shape) % self.cfg.n_ctx],
    lambda self, tokens: self.W_pos[torch.arange(tokens.numel()).view(tokens.shape)],
)


@pos_embed.misconception(
    "sines and cosines", "That is the first Transformer (2017). GPT-2 learns its positions: return the rows of `W_pos`."
)
def sinusoids(self, tokens):
    batch, pos = tokens.shape
    rate = 10000 ** (-torch.arange(0, self.cfg.d_model, 2) / self.cfg.d_model)
    angle = torch.arange(pos)[:, None] * rate
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).expand(batch, -1, -1) + 0 * self.W_pos.sum()


@pos_embed.also("sines and cosines")
def sines_before_cosines(self, tokens):
    batch, pos = tokens.shape
    rate = 10000 ** (-torch.arange(0, self.cfg.d_model, 2) / self.cfg.d_model)
    angle = torch.arange(pos)[:, None] * rate
    return torch.cat([angle.sin(), angle.cos()], dim=-1).expand(batch, -1, -1)


@pos_embed.misconception(
    "a table as long as the vocabulary", "There is one row for each position, not for each token: [n_ctx d_model]."
)
class OneRowAToken(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_pos = nn.Parameter(torch.empty(cfg.d_vocab, cfg.d_model))


@pos_embed.misconception(
    "keeping the table inside nn.Embedding",
    "Its parameter is then called `weight`, with the module's name in front. Assign `self.W_pos = nn.Parameter(...)` "
    "and slice that.",
)
class PositionsInsideNnEmbedding(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embedding = nn.Embedding(cfg.n_ctx, cfg.d_model)


@pos_embed.misconception(
    "a table with an axis for the batch",
    "minGPT keeps [1 n_ctx d_model]. Here the table is [n_ctx d_model], and the batch axis comes in `forward`.",
)
class TableOfOneSentence(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_pos = nn.Parameter(torch.empty(1, cfg.n_ctx, cfg.d_model))


pos_embed.misconception(
    "positions cut out of the graph",
    "GPT-2's positions are learned, so gradients must reach `W_pos`: cut the rows out of the parameter itself.",
    lambda self, tokens: self.W_pos.detach()[: tokens.shape[1]].expand(len(tokens), -1, -1),
)
pos_embed.misconception(
    "returning half precision",
    "The parameters are float32 and so is the residual stream: return the rows in the dtype that they have.",
    lambda self, tokens: self.W_pos[: tokens.shape[1]].half().expand(len(tokens), -1, -1),
)
