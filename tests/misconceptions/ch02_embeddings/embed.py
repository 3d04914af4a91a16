"""How Embed goes wrong, and right answers that look different."""

import einops
import torch
import torch.nn.functional as F
from torch import nn

from tests.ch02_embeddings import embed


@embed.correct
def functional_embedding(self, tokens):
    return F.embedding(tokens, self.W_E)


@embed.correct
def one_hot_times_table(self, tokens):
    return F.one_hot(tokens, self.cfg.d_vocab).to(self.W_E.dtype) @ self.W_E


@embed.correct
def index_select(self, tokens):
    return self.W_E.index_select(0, tokens.flatten()).view(*tokens.shape, self.cfg.d_model)


@embed.correct
def einsum_with_one_hot(self, tokens):
    one_hot = F.one_hot(tokens, self.cfg.d_vocab).float()
    return einops.einsum(one_hot, self.W_E, "batch pos d_vocab, d_vocab d_model -> batch pos d_model")


@embed.misconception("a table with its axes swapped", "`W_E` has one row for each token: [d_vocab d_model].")
class SwappedTable(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_E = nn.Parameter(torch.empty(cfg.d_model, cfg.d_vocab))


@embed.misconception(
    "keeping the table inside nn.Embedding",
    "Its parameter is then called `weight`, with the module's name in front. Assign `self.W_E = nn.Parameter(...)` and "
    "index that.",
)
class InsideNnEmbedding(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embedding = nn.Embedding(cfg.d_vocab, cfg.d_model)


embed.misconception(
    "scaling by the square root of d_model",
    "The first Transformer (2017) did so, GPT-2 does not: return the rows of `W_E` as they are.",
    "W_E[tokens] → W_E[tokens] * self.cfg.d_model**0.5",
)


@embed.misconception("scaling each vector to norm 1", "GPT-2 adds the rows of `W_E` as they are, however long.")
def unit_length(self, tokens):
    rows = self.W_E[tokens]
    return rows / rows.norm(dim=-1, keepdim=True)


@embed.misconception(
    "looking up positions instead of tokens",
    "The index into `W_E` is the token's number, `self.W_E[tokens]`; its position is PosEmbed's part.",
)
def by_position(self, tokens):
    batch, pos = tokens.shape
    return self.W_E[:pos].expand(batch, -1, -1)


embed.also("looking up positions instead of tokens", "W_E[tokens] → W_E[: tokens.shape[1]]")
embed.misconception(
    "an index shifted by one",
    "Token 0 has row 0 of `W_E`: index with `tokens` as they are.",
    "W_E[tokens] → W_E[tokens - 1]",
    "W_E[tokens] → W_E[tokens + 1]",
    "W_E[tokens] → W_E[(tokens + 1) % self.cfg.d_vocab]",
)
embed.misconception(
    "indexing the columns instead of the rows",
    "`W_E` has one row for each token, [d_vocab d_model]: index its first axis, `self.W_E[tokens]`.",
    "W_E[tokens] → W_E.T[tokens]",
    "W_E[tokens] → W_E[:, tokens]",
    "W_E[tokens] → W_E.gather(1, tokens)",
)
embed.misconception(
    "indexing with lists in place of a tensor",
    "torch takes a list of lists as one index for each axis. Index with the tensor itself: `self.W_E[tokens]`.",
    "W_E[tokens] → W_E[tokens.tolist()]",
)
embed.misconception(
    "returning the whole table",
    "Only the rows of this batch's tokens are wanted: index with `tokens`.",
    "W_E[tokens] → W_E",
)
embed.misconception(
    "picking single numbers of the rows",
    "`gather` takes one number for each index. A row for each token is what plain indexing gives: `self.W_E[tokens]`.",
    lambda self, tokens: torch.gather(self.W_E, 0, tokens),
)
embed.misconception(
    "picking single numbers of the flat table",
    "`torch.take` reads the table as one flat list. A row for each token is what indexing gives: `self.W_E[tokens]`.",
    lambda self, tokens: torch.take(self.W_E, tokens),
)
embed.misconception(
    "returning the tokens themselves",
    "Look them up: the vectors are the rows of `self.W_E`.",
    lambda self, tokens: tokens,
    lambda self, tokens: tokens.float(),
)
embed.misconception(
    "adding the rows twice", "Each token has one row: leave out the sum, or the factor 2.", "return → return 2 *"
)
embed.misconception(
    "embedding the first sentence alone",
    "The other sentences have vectors too: index with all of `tokens`. `self.W_E[tokens]` keeps both axes.",
    lambda self, tokens: self.W_E[tokens[0]].expand(len(tokens), -1, -1),
)
embed.misconception(
    "d_model in the middle",
    "The result is [batch pos d_model]: a token's vector lies along the last axis.",
    "W_E[tokens] → W_E[tokens].transpose(1, 2)",
)
embed.misconception(
    "the tokens' vectors summed or averaged",
    "Every position keeps a vector of its own: no sum or mean over `pos`.",
    "W_E[tokens] → W_E[tokens].sum(dim=1)",
    "W_E[tokens] → W_E[tokens].mean(dim=1)",
)


@embed.also("the tokens' vectors summed or averaged")
def averaged_and_spread(self, tokens):
    rows = self.W_E[tokens]
    return rows.mean(dim=1, keepdim=True).expand_as(rows)


embed.also("the tokens' vectors summed or averaged", "mean → sum", of=averaged_and_spread)
embed.misconception(
    "adding the earlier tokens' vectors",
    "Every position keeps the vector of its own token alone: add nothing up over `pos`.",
    "W_E[tokens] → W_E[tokens].cumsum(dim=1)",
)
embed.misconception(
    "embedding the last token alone",
    "Every position has a vector of its own: index with all of `tokens`.",
    "W_E[tokens] → W_E[tokens[:, -1]]",
)
embed.misconception(
    "adding rows for the positions as well",
    "`Embed` says what the token is. Where it stands is PosEmbed's part, with a table of its own.",
    lambda self, tokens: self.W_E[tokens] + self.W_E[: tokens.shape[1]],
)
embed.misconception(
    "limiting the vectors to a norm of 1",
    "GPT-2 adds the rows of `W_E` as they are, the long ones too. (`max_norm` even rewrites the table itself.)",
    lambda self, tokens: F.embedding(tokens, self.W_E.clone(), max_norm=1.0),
)


@embed.also("limiting the vectors to a norm of 1")
def max_norm_in_place(self, tokens):
    with torch.no_grad():
        self.W_E.copy_(F.embedding(torch.arange(len(self.W_E)), self.W_E.clone(), max_norm=1.0))
    return self.W_E[tokens]


embed.misconception(
    "dividing by the square root of d_model",
    "Attention divides its scores by a root, embeddings are not divided: return the rows of `W_E` as they are.",
    "W_E[tokens] → W_E[tokens] / self.cfg.d_model**0.5",
)
embed.misconception(
    "LayerNorm on the vectors",
    "That comes later, and has a chapter of its own: return the rows of `W_E` as they are.",
    lambda self, tokens: F.layer_norm(self.W_E[tokens], (self.cfg.d_model,)),
)
embed.misconception(
    "an activation function on the vectors",
    "Looking up is enough: return the rows of `W_E` as they are.",
    "W_E[tokens] → W_E[tokens].softmax(dim=-1)",
    "W_E[tokens] → W_E[tokens].tanh()",
    lambda self, tokens: F.gelu(self.W_E[tokens]),
    lambda self, tokens: F.relu(self.W_E[tokens]),
    "W_E[tokens] → W_E[tokens].sigmoid()",
)
embed.misconception(
    "multiplying by the token's number",
    "A token's number is a name, not an amount: use it as an index, `self.W_E[tokens]`.",
    lambda self, tokens: tokens[..., None] * self.W_E[0],
    "return → return tokens[..., None] *",
    lambda self, tokens: torch.einsum("bp,vd->bpd", tokens.float(), self.W_E),
)
embed.misconception(
    "vectors that have moved to other sentences",
    "Every vector stays where its token stands: `self.W_E[tokens]` puts it there, so leave both axes in their order.",
    "W_E[tokens] → W_E[tokens.T].reshape(*tokens.shape, -1)",
)
embed.misconception(
    "a new table in every call",
    "A table made in `forward` forgets everything: use the parameter `self.W_E` that `__init__` made.",
    lambda self, tokens: nn.Embedding(self.cfg.d_vocab, self.cfg.d_model)(tokens),
)
embed.misconception(
    "treating token 0 as padding",
    "In GPT-2 every token is a token, number 0 too: leave `padding_idx` out.",
    lambda self, tokens: F.embedding(tokens, self.W_E, padding_idx=0),
)
embed.misconception(
    "setting the row of token 0 to zero",
    "In GPT-2 every token has a vector, number 0 too: return its row of `W_E` as it is.",
    "W_E[tokens] → W_E[tokens] * (tokens != 0)[..., None]",
)
embed.misconception(
    "rows cut out of the graph",
    "Training must reach `W_E`: index the parameter itself, `self.W_E[tokens]`.",
    "W_E[tokens] → W_E.data[tokens]",
)
embed.misconception(
    "returning half precision",
    "The parameters are float32 and so is the residual stream: return the rows in the dtype that they have.",
    "W_E[tokens] → W_E.half()[tokens]",
)
