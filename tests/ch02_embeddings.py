"""Chapter 2: what Embed and PosEmbed must do, and the ways they go wrong."""

from dataclasses import replace

import einops
import torch
import torch.nn.functional as F
from torch import nn

from utils.checking import (
    Exercise,
    check_agrees,
    check_alone,
    check_form,
    check_gradients,
    check_parameters,
    check_value,
    line,
    random_tokens,
    random_weights,
)
from utils.gpt import SMALL
from utils.reference import reference

embed = Exercise(inputs={"tokens": "batch pos"}, output="batch pos d_model", parameters={"W_E": "d_vocab d_model"})
pos_embed = Exercise(inputs={"tokens": "batch pos"}, output="batch pos d_model", parameters={"W_pos": "n_ctx d_model"})


@embed.test
def test_embed(Embed):
    """Embed against the reference solution and against the reference model's embedding."""
    cfg = SMALL
    check_parameters(Embed, cfg)
    weights, tokens = random_weights(cfg), random_tokens(cfg, 3, 5)
    check_form(Embed, cfg, lambda batch, pos: random_tokens(cfg, batch, pos))
    with line("looks up each token alone: its position and its neighbours change nothing"):
        check_alone(Embed, cfg, weights, tokens, axis="batch")
        check_alone(Embed, cfg, weights, tokens, axis="pos")
    with line("agrees with the reference solution on every token of the vocabulary"):
        everything = torch.arange(27).view(3, cfg.n_ctx) % cfg.d_vocab
        for some in (everything, everything.flip(1), tokens, random_tokens(cfg, 8, 2), tokens[:1, :1]):
            check_agrees(Embed, cfg, random_weights(cfg), some)
        for other in (replace(cfg, d_model=11, d_vocab=300), replace(cfg, d_model=3, d_vocab=50257)):
            check_agrees(Embed, other, random_weights(other), random_tokens(other, 2, 7))
    with line("agrees with the reference model's `hook_embed`"):
        model = reference()
        weights_there = {"W_E": model.weights["embed.W_E"]}
        check_value(Embed, model.cfg, weights_there, model.tokens, want=model.activations["hook_embed"], tolerance=1e-5)
    with line("passes gradients back to `W_E`, added up where a token comes twice"):
        check_gradients(Embed, cfg, weights, everything)
        check_gradients(Embed, cfg, weights, tokens)


@pos_embed.test
def test_pos_embed(PosEmbed):
    """PosEmbed against the reference solution and against the reference model's positional embedding."""
    cfg = SMALL
    check_parameters(PosEmbed, cfg)
    weights, tokens = random_weights(cfg), random_tokens(cfg, 3, 5)
    check_form(PosEmbed, cfg, lambda batch, pos: random_tokens(cfg, batch, pos))
    with line("gives every sentence of the batch the same positions"):
        check_alone(PosEmbed, cfg, weights, tokens, axis="batch")
    with line("agrees with the reference solution for texts of every length up to `n_ctx`"):
        for batch, pos in [*((2, pos) for pos in range(1, cfg.n_ctx + 1)), (1, 1), (8, 2), (4, 4)]:
            check_agrees(PosEmbed, cfg, random_weights(cfg), random_tokens(cfg, batch, pos))
        for other in (replace(cfg, d_model=11, n_ctx=40), replace(cfg, d_model=3, n_ctx=1024)):
            check_agrees(PosEmbed, other, random_weights(other), random_tokens(other, 2, other.n_ctx))
    with line("agrees with the reference model's `hook_pos_embed`"):
        model = reference()
        want = model.activations["hook_pos_embed"].expand(*model.tokens.shape, -1)
        check_value(
            PosEmbed, model.cfg, {"W_pos": model.weights["pos_embed.W_pos"]}, model.tokens, want=want, tolerance=1e-5
        )
    with line("passes gradients back to `W_pos`, added up over the batch"):
        check_gradients(PosEmbed, cfg, weights, tokens)
        check_gradients(PosEmbed, cfg, weights, random_tokens(cfg, 2, cfg.n_ctx))


embed.equivalent("tokens → tokens.detach()", "Token numbers are integers, which have no gradient.")


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


@embed.misconception(
    "scaling by the square root of d_model",
    "The first Transformer (2017) did so, GPT-2 does not: return the rows of `W_E` as they are.",
)
def scaled(self, tokens):
    return self.W_E[tokens] * self.cfg.d_model**0.5


@embed.misconception(
    "scaling each vector to norm 1", "GPT-2 adds the rows of `W_E` as they are: leave out the division."
)
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


@embed.also("looking up positions instead of tokens")
def by_position_without_batch(self, tokens):
    return self.W_E[: tokens.shape[1]]


@embed.misconception("an index shifted by one", "Token 0 has row 0 of `W_E`: index with `tokens` as they are.")
def shifted(self, tokens):
    return self.W_E[tokens - 1]


@embed.also("an index shifted by one")
def shifted_up(self, tokens):
    return self.W_E[tokens + 1]


@embed.also("an index shifted by one")
def shifted_round(self, tokens):
    return self.W_E[(tokens + 1) % self.cfg.d_vocab]


@embed.misconception(
    "indexing the columns instead of the rows",
    "`W_E` has one row for each token, [d_vocab d_model]: index its first axis, `self.W_E[tokens]`, without `.T`.",
)
def columns_of_the_table(self, tokens):
    return self.W_E.T[tokens]


@embed.also("indexing the columns instead of the rows")
def columns_first(self, tokens):
    return self.W_E[:, tokens]


@embed.also("indexing the columns instead of the rows")
def columns_by_gather(self, tokens):
    return self.W_E.gather(1, tokens)


@embed.misconception(
    "indexing with lists in place of a tensor",
    "torch takes a list of lists as one index for each axis. Index with the tensor itself: `self.W_E[tokens]`.",
)
def indexed_by_lists(self, tokens):
    return self.W_E[tokens.tolist()]


@embed.misconception(
    "returning the whole table", "Only the rows of this batch's tokens are wanted: index with `tokens`."
)
def whole_embedding_table(self, tokens):
    return self.W_E


@embed.misconception(
    "picking single numbers with gather",
    "`gather` takes one number for each index. A row for each token is what plain indexing gives: `self.W_E[tokens]`.",
)
def gathered(self, tokens):
    return torch.gather(self.W_E, 0, tokens)


@embed.misconception(
    "picking single numbers with take",
    "`torch.take` reads the table as one flat list. A row for each token is what indexing gives: `self.W_E[tokens]`.",
)
def taken(self, tokens):
    return torch.take(self.W_E, tokens)


@embed.misconception("returning the tokens themselves", "Look them up: the vectors are the rows of `self.W_E`.")
def tokens_returned(self, tokens):
    return tokens


@embed.also("returning the tokens themselves")
def tokens_as_numbers(self, tokens):
    return tokens.float()


@embed.misconception("adding the rows twice", "Each token has one row: leave out the sum, or the factor 2.")
def doubled(self, tokens):
    return 2 * self.W_E[tokens]


@embed.misconception(
    "embedding the first sentence alone",
    "`tokens[0]` throws the rest of the batch away. Index with all of `tokens`: W_E[tokens] keeps both axes.",
)
def first_sentence(self, tokens):
    return self.W_E[tokens[0]].expand(len(tokens), -1, -1)


@embed.misconception("d_model in the middle", "The result is [batch pos d_model]: remove the transpose.")
def transposed(self, tokens):
    return self.W_E[tokens].transpose(1, 2)


@embed.misconception(
    "adding the tokens' vectors up",
    "Every position keeps a vector of its own: no sum or mean over `pos`.",
)
def bag_of_words(self, tokens):
    return self.W_E[tokens].sum(dim=1)


@embed.also("adding the tokens' vectors up")
def averaged(self, tokens):
    return self.W_E[tokens].mean(dim=1)


@embed.also("adding the tokens' vectors up")
def averaged_and_spread(self, tokens):
    rows = self.W_E[tokens]
    return rows.mean(dim=1, keepdim=True).expand_as(rows)


@embed.also("adding the tokens' vectors up")
def summed_and_spread(self, tokens):
    rows = self.W_E[tokens]
    return rows.sum(dim=1, keepdim=True).expand_as(rows)


@embed.misconception(
    "adding the earlier tokens' vectors",
    "Every position keeps the vector of its own token alone: no cumsum over `pos`.",
)
def running_sum(self, tokens):
    return self.W_E[tokens].cumsum(dim=1)


@embed.misconception(
    "embedding the last token alone", "`tokens[:, -1]` throws the other positions away: index with all of `tokens`."
)
def last_token(self, tokens):
    return self.W_E[tokens[:, -1]]


@embed.misconception(
    "adding rows for the positions as well",
    "`Embed` says what the token is. Where it stands is PosEmbed's part, with a table of its own.",
)
def positions_added(self, tokens):
    return self.W_E[tokens] + self.W_E[: tokens.shape[1]]


@embed.misconception(
    "limiting the vectors to a norm of 1",
    "`max_norm` rewrites the table itself: leave it out. GPT-2 adds the rows of `W_E` as they are.",
)
def max_norm(self, tokens):
    return F.embedding(tokens, self.W_E.clone(), max_norm=1.0)


@embed.also("limiting the vectors to a norm of 1")
def max_norm_in_place(self, tokens):
    with torch.no_grad():
        self.W_E.copy_(F.embedding(torch.arange(len(self.W_E)), self.W_E.clone(), max_norm=1.0))
    return self.W_E[tokens]


@embed.misconception(
    "dividing by the square root of d_model",
    "Attention divides its scores by a root, embeddings are not divided: return the rows of `W_E` as they are.",
)
def divided(self, tokens):
    return self.W_E[tokens] / self.cfg.d_model**0.5


@embed.misconception(
    "LayerNorm on the vectors", "That comes later, and has a chapter of its own: return the rows of `W_E` as they are."
)
def normalised(self, tokens):
    return F.layer_norm(self.W_E[tokens], (self.cfg.d_model,))


@embed.misconception(
    "an activation function on the vectors", "Looking up is all: return the rows of `W_E` as they are."
)
def softmaxed(self, tokens):
    return self.W_E[tokens].softmax(dim=-1)


@embed.also("an activation function on the vectors")
def squashed(self, tokens):
    return self.W_E[tokens].tanh()


@embed.also("an activation function on the vectors")
def gated(self, tokens):
    return F.gelu(self.W_E[tokens])


@embed.also("an activation function on the vectors")
def rectified(self, tokens):
    return F.relu(self.W_E[tokens])


@embed.also("an activation function on the vectors")
def sigmoid(self, tokens):
    return self.W_E[tokens].sigmoid()


@embed.misconception(
    "multiplying by the token's number",
    "A token's number is a name, not an amount: use it as an index, `self.W_E[tokens]`.",
)
def number_times_row(self, tokens):
    return tokens[..., None] * self.W_E[0]


@embed.also("multiplying by the token's number")
def number_times_its_row(self, tokens):
    return tokens[..., None] * self.W_E[tokens]


@embed.also("multiplying by the token's number")
def number_times_every_row(self, tokens):
    return torch.einsum("bp,vd->bpd", tokens.float(), self.W_E)


@embed.misconception(
    "vectors that have moved to other sentences",
    "`view` and `reshape` only cut the numbers anew, they do not swap axes: `self.W_E[tokens]` needs neither.",
)
def cut_anew(self, tokens):
    return self.W_E[tokens.T].reshape(*tokens.shape, -1)


@embed.misconception(
    "a new table in every call",
    "A table made in `forward` forgets everything: use the parameter `self.W_E` that `__init__` made.",
)
def new_table(self, tokens):
    return nn.Embedding(self.cfg.d_vocab, self.cfg.d_model)(tokens)


@embed.misconception(
    "treating token 0 as padding",
    "In GPT-2 every token is a token, number 0 too: leave `padding_idx` out.",
)
def padded(self, tokens):
    return F.embedding(tokens, self.W_E, padding_idx=0)


@embed.misconception(
    "setting the row of token 0 to zero",
    "In GPT-2 every token has a vector, number 0 too: remove the mask.",
)
def zeroed(self, tokens):
    return self.W_E[tokens] * (tokens != 0)[..., None]


@embed.misconception(
    "rows cut out of the graph",
    "Training must reach `W_E`: no `.data`, `.detach()`, `torch.no_grad()`, `torch.tensor(...)`, `.tolist()` or "
    "`requires_grad=False` on the way.",
)
def detached(self, tokens):
    return self.W_E.data[tokens]


@embed.misconception(
    "returning half precision",
    "The parameters are float32 and so is the residual stream: remove `.half()`.",
)
def half_rows(self, tokens):
    return self.W_E.half()[tokens]


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


@pos_embed.misconception(
    "a result without the batch axis",
    "Every sentence gets its own copy: return what `expand(batch, -1, -1)` or `repeat(batch, 1, 1)` makes of the rows. "
    "It is a new tensor; the rows themselves stay as they are.",
)
def no_batch_axis(self, tokens):
    return self.W_pos[: tokens.shape[1]]


@pos_embed.misconception(
    "a batch axis of size 1",
    "Broadcasting would hide it later; here the result is [batch pos d_model]: repeat or expand it to `batch`.",
)
def batch_of_one(self, tokens):
    return self.W_pos[: tokens.shape[1]][None]


@pos_embed.misconception("the whole table", "A text of `pos` tokens gets the first `pos` rows: `self.W_pos[:pos]`.")
def whole_table(self, tokens):
    return self.W_pos.expand(len(tokens), -1, -1)


@pos_embed.also("the whole table")
def whole_table_without_batch(self, tokens):
    return self.W_pos


@pos_embed.misconception(
    "looking up tokens in the table of positions",
    "The index is the position in the text, 0, 1, 2, ..., whatever token stands there: `self.W_pos[:pos]`.",
)
def by_token(self, tokens):
    return self.W_pos[tokens]


@pos_embed.also("looking up tokens in the table of positions")
def by_token_within_reach(self, tokens):
    return self.W_pos[tokens % self.cfg.n_ctx]


@pos_embed.also("looking up tokens in the table of positions")
def by_token_functional(self, tokens):
    return F.embedding(tokens, self.W_pos)


@pos_embed.misconception(
    "ranking the tokens by their numbers",
    "A position says where a token stands, 0, 1, 2, ... from left to right, whatever its number: `self.W_pos[:pos]`.",
)
def sorted_positions(self, tokens):
    return self.W_pos[tokens.argsort(dim=1)]


@pos_embed.also("ranking the tokens by their numbers")
def ranks(self, tokens):
    return self.W_pos[tokens.argsort(dim=1).argsort(dim=1)]


@pos_embed.misconception("positions counted from 1", "The first token stands at position 0: `self.W_pos[:pos]`.")
def from_one(self, tokens):
    rows = torch.arange(1, tokens.shape[1] + 1) % self.cfg.n_ctx
    return self.W_pos[rows].expand(len(tokens), -1, -1)


@pos_embed.also("positions counted from 1")
def from_one_until_it_ends(self, tokens):
    return self.W_pos[torch.arange(1, tokens.shape[1] + 1)].expand(len(tokens), -1, -1)


@pos_embed.misconception(
    "positions counted from -1", "`arange` and slices start at 0 already: no `- 1`. Slice `self.W_pos[:pos]`."
)
def from_minus_one(self, tokens):
    return self.W_pos[torch.arange(tokens.shape[1]) - 1].expand(len(tokens), -1, -1)


@pos_embed.misconception(
    "a slice that starts at 1",
    "`W_pos[1 : pos + 1]` leaves out position 0 and runs out of rows at `n_ctx`. Slice `[:pos]`.",
)
def slice_from_one(self, tokens):
    return self.W_pos[1 : tokens.shape[1] + 1].expand(len(tokens), -1, -1)


@pos_embed.misconception("the last rows of the table", "`W_pos[-pos:]` counts from the end. Slice `[:pos]`.")
def last_rows(self, tokens):
    return self.W_pos[-tokens.shape[1] :].expand(len(tokens), -1, -1)


@pos_embed.misconception(
    "the rows from `pos` on", "`W_pos[pos:]` leaves out the first `pos` rows, the ones that are wanted: slice `[:pos]`."
)
def rows_from_pos_on(self, tokens):
    return self.W_pos[tokens.shape[1] :].expand(len(tokens), -1, -1)


@pos_embed.also("the rows from `pos` on")
def rows_from_pos_on_alone(self, tokens):
    return self.W_pos[tokens.shape[1] :]


@pos_embed.misconception(
    "scaling each vector to norm 1", "GPT-2 adds the rows of `W_pos` just as training left them: do not divide."
)
def unit_positions(self, tokens):
    return F.normalize(self.W_pos[: tokens.shape[1]], dim=-1).expand(len(tokens), -1, -1)


@pos_embed.misconception(
    "LayerNorm on the vectors", "That comes later, and has a chapter of its own: return the rows of `W_pos` unchanged."
)
def normalised_positions(self, tokens):
    return F.layer_norm(self.W_pos[: tokens.shape[1]], (self.cfg.d_model,)).expand(len(tokens), -1, -1)


@pos_embed.misconception("positions in reverse", "The first token gets row 0: remove the flip.")
def reversed_rows(self, tokens):
    return self.W_pos[: tokens.shape[1]].flip(0).expand(len(tokens), -1, -1)


@pos_embed.misconception(
    "slicing by the batch size",
    "`tokens.shape` is [batch pos]: the number of positions is `tokens.shape[1]`.",
)
def batch_rows(self, tokens):
    return self.W_pos[: tokens.shape[0]].expand(tokens.shape[1], -1, -1)


@pos_embed.also("slicing by the batch size")
def batch_rows_in_front(self, tokens):
    return self.W_pos[: tokens.shape[0]].expand(tokens.shape[0], -1, -1)


@pos_embed.also("slicing by the batch size")
def batch_rows_alone(self, tokens):
    return self.W_pos[: len(tokens)]


@pos_embed.misconception(
    "one row for each sentence",
    "The index runs along `pos`, not along the batch: every sentence gets the rows 0, 1, 2, ..., `self.W_pos[:pos]`.",
)
def by_sentence(self, tokens):
    return self.W_pos[torch.arange(len(tokens))][:, None].expand(*tokens.shape, -1)


@pos_embed.misconception(
    "a batch axis in the second place",
    "The batch comes first, [batch pos d_model]: `unsqueeze(0)`, `stack(..., dim=0)`, `repeat(batch, 1, 1)`.",
)
def batch_second(self, tokens):
    return self.W_pos[: tokens.shape[1]].unsqueeze(1).expand(-1, len(tokens), -1)


@pos_embed.misconception(
    "each row repeated before the next one comes",
    "`repeat_interleave` gives row 0, 0, 1, 1, ...; every sentence needs 0, 1, 2, ...: use `repeat` or `expand`.",
)
def interleaved(self, tokens):
    return self.W_pos[: tokens.shape[1]].repeat_interleave(len(tokens), 0).view(*tokens.shape, -1)


@pos_embed.misconception(
    "the sentences one under the other in one long table",
    "`cat` and `repeat(batch, 1)` join them along `pos`. A new axis in front is wanted: `expand(batch, -1, -1)`.",
)
def one_long_table(self, tokens):
    return self.W_pos[: tokens.shape[1]].repeat(len(tokens), 1)


@pos_embed.also("the sentences one under the other in one long table")
def one_long_table_concatenated(self, tokens):
    return torch.cat([self.W_pos[: tokens.shape[1]]] * len(tokens))


@pos_embed.misconception(
    "the sentences side by side",
    "`tile(batch)`, `repeat(1, batch)` and `cat(..., dim=-1)` make the vectors longer. A new axis in front is wanted: "
    "`expand(batch, -1, -1)`.",
)
def side_by_side(self, tokens):
    return self.W_pos[: tokens.shape[1]].repeat(1, len(tokens))


@pos_embed.misconception(
    "cutting the rows into pieces, one for each sentence",
    "`view` and `reshape` copy nothing: every sentence needs all of the first `pos` rows, `expand(batch, -1, -1)`.",
)
def cut_for_the_batch(self, tokens):
    return self.W_pos[: tokens.shape[1]].reshape(*tokens.shape, -1)


@pos_embed.also("cutting the rows into pieces, one for each sentence")
def cut_from_more_rows(self, tokens):
    return self.W_pos[: tokens.numel()].reshape(*tokens.shape, -1)


@pos_embed.misconception(
    "one position for the whole text", "Each position has a row of its own: slice the first rows, `self.W_pos[:pos]`."
)
def last_position(self, tokens):
    return self.W_pos[tokens.shape[1] - 1].expand(*tokens.shape, -1)


@pos_embed.also("one position for the whole text")
def position_0(self, tokens):
    return self.W_pos[torch.zeros_like(tokens)]


@pos_embed.also("one position for the whole text")
def position_after_the_last(self, tokens):
    return self.W_pos[tokens.shape[1]].expand(*tokens.shape, -1)


@pos_embed.misconception(
    "indexing the table down to one axis",
    "What is expanded needs a row for each position: `self.W_pos[:pos]`. A single number in the brackets gives one "
    "row, two indices with a comma between them give single numbers.",
)
def one_row_expanded(self, tokens):
    return self.W_pos[tokens.shape[1]].expand(len(tokens), -1, -1)


@pos_embed.also("indexing the table down to one axis")
def last_row_expanded(self, tokens):
    return self.W_pos[tokens.shape[1] - 1].expand(len(tokens), -1, -1)


@pos_embed.also("indexing the table down to one axis")
def diagonal_expanded(self, tokens):
    positions = torch.arange(tokens.shape[1])
    return self.W_pos[positions, positions].expand(len(tokens), -1, -1)


@pos_embed.misconception(
    "averaging over the positions", "Each position keeps a row of its own: no mean or sum over `pos`."
)
def averaged_positions(self, tokens):
    return self.W_pos[: tokens.shape[1]].mean(dim=0).expand(*tokens.shape, -1)


@pos_embed.misconception(
    "one row too few", "`range` and slices already leave out the end: the first `pos` rows are `self.W_pos[:pos]`."
)
def one_too_few(self, tokens):
    return self.W_pos[: tokens.shape[1] - 1].expand(len(tokens), -1, -1)


@pos_embed.misconception(
    "one row too many", "Slices leave out the end, and count from 0: the first `pos` rows are `self.W_pos[:pos]`."
)
def one_too_many(self, tokens):
    return self.W_pos[: tokens.shape[1] + 1].expand(len(tokens), -1, -1)


@pos_embed.misconception(
    "slicing the columns", "`W_pos[:, :pos]` cuts d_model. The rows are the first axis: `self.W_pos[:pos]`."
)
def columns(self, tokens):
    return self.W_pos[:, : tokens.shape[1]].expand(len(tokens), -1, -1)


@pos_embed.misconception(
    "adding the tokens' numbers", "Only the shape of `tokens` matters here: what the token is, `Embed` says."
)
def numbers_added(self, tokens):
    return tokens[..., None] + self.W_pos[: tokens.shape[1]]


@pos_embed.also("adding the tokens' numbers")
def numbers_added_without_axis(self, tokens):
    return tokens + self.W_pos[: tokens.shape[1]]


@pos_embed.misconception(
    "multiplying by the tokens' numbers", "Only the shape of `tokens` matters here; leave their values out."
)
def numbers_multiplied(self, tokens):
    return tokens[..., None] * self.W_pos[: tokens.shape[1]]


@pos_embed.misconception(
    "scaling the positions by the square root of d_model", "GPT-2 adds the rows of `W_pos` as they are."
)
def scaled_positions(self, tokens):
    return self.W_pos[: tokens.shape[1]].expand(len(tokens), -1, -1) * self.cfg.d_model**0.5


@pos_embed.misconception(
    "positions that differ from sentence to sentence",
    "Every sentence of the batch gets the same rows: the sentence's number plays no part.",
)
def sentence_number_added(self, tokens):
    return self.W_pos[: tokens.shape[1]] + torch.arange(len(tokens))[:, None, None]


@pos_embed.misconception(
    "random positions in every call",
    "Numbers made in `forward` forget everything: use the parameter `self.W_pos` that `__init__` made.",
)
def random_positions(self, tokens):
    return torch.randn(*tokens.shape, self.cfg.d_model)


@pos_embed.misconception(
    "counting on from one sentence to the next",
    "Every sentence of the batch starts at position 0 again.",
)
def running_count(self, tokens):
    return self.W_pos[torch.arange(tokens.numel()).view(tokens.shape) % self.cfg.n_ctx]


@pos_embed.also("counting on from one sentence to the next")
def running_count_until_it_ends(self, tokens):
    return self.W_pos[torch.arange(tokens.numel()).view(tokens.shape)]


@pos_embed.misconception(
    "sines and cosines",
    "That is the first Transformer (2017). GPT-2 learns its positions: return the rows of `W_pos`.",
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
    "a table as long as the vocabulary",
    "There is one row for each position, not for each token: [n_ctx d_model].",
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


@pos_embed.misconception(
    "positions cut out of the graph",
    "GPT-2's positions are learned: no `.data`, `.detach()`, `torch.no_grad()`, `torch.tensor(...)` or "
    "`requires_grad=False` on the way.",
)
def detached_positions(self, tokens):
    return self.W_pos.detach()[: tokens.shape[1]].expand(len(tokens), -1, -1)


@pos_embed.misconception(
    "returning half precision",
    "The parameters are float32 and so is the residual stream: remove `.half()`.",
)
def half_positions(self, tokens):
    return self.W_pos[: tokens.shape[1]].half().expand(len(tokens), -1, -1)
