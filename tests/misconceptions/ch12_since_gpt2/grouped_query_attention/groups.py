"""How GroupedQueryAttention goes wrong: which heads share, which matrices there are, and how heads are put together."""

import math
from dataclasses import replace

import torch
from torch import nn

from tests.ch12_since_gpt2 import grouped_query_attention
from tests.misconceptions.ch12_since_gpt2.grouped_query_attention.right import Given

wrong, also = grouped_query_attention.misconception, grouped_query_attention.also

wrong(
    "heads that share keys in turn, and not in groups of neighbours",
    "Head i reads keys and values number i // (n_heads / n_kv_heads): of six heads and two, 0, 1 and 2 read number 0. "
    "Put the copies in that order, 0 0 0 1 1 1, as `repeat_interleave` does (`repeat` and `tile` give 0 1 0 1 0 1). An "
    "axis for the group stands behind that of n_kv_heads.",
    (
        "k.repeat_interleave(group, dim=2) → k.repeat(1, 1, group, 1)",
        "v.repeat_interleave(group, dim=2) → v.repeat(1, 1, group, 1)",
    ),
)


@also("heads that share keys in turn, and not in groups of neighbours")
class GroupBeforeHeads(Given):
    """The axes of a group in the wrong order, in queries that are cut and merged again."""

    def attend(self, q, k, v):
        q = q.unflatten(2, (-1, self.cfg.n_kv_heads))
        scores = torch.einsum("bqgnd,bknd->bgnqk", q, k) / self.cfg.d_head**0.5
        pattern = scores.masked_fill(self.later(q, k), -torch.inf).softmax(-1)
        z = torch.einsum("bgnqk,bknd->bqgnd", pattern, v)
        return z.flatten(2) @ self.W_O.flatten(0, 1)


wrong(
    "keys in groups of neighbours, and values in turn",
    "Values are shared as keys are: head i reads number i // (n_heads / n_kv_heads) of both. Put the copies in that "
    "order, as `repeat_interleave` does and `repeat` does not.",
    "v.repeat_interleave(group, dim=2) → v.repeat(1, 1, group, 1)",
)
wrong(
    "values in groups of neighbours, and keys in turn",
    "Keys are shared as values are: head i reads number i // (n_heads / n_kv_heads) of both. Put the copies in that "
    "order, as `repeat_interleave` does and `repeat` does not.",
    "k.repeat_interleave(group, dim=2) → k.repeat(1, 1, group, 1)",
)


@wrong(
    "groups whose heads come out in another order",
    "Head i of the queries is group i // g, and number i % g of it. Where z's axes for groups and heads are merged, "
    "they must stand as they stood when the queries were cut: [n_kv_heads g], not [g n_kv_heads].",
)
class MergedInAnotherOrder(Given):
    def attend(self, q, k, v):
        q = q.unflatten(2, (self.cfg.n_kv_heads, -1))
        scores = torch.einsum("bqngd,bknd->bngqk", q, k) / self.cfg.d_head**0.5
        pattern = scores.masked_fill(self.later(q, k), -torch.inf).softmax(-1)
        z = torch.einsum("bngqk,bknd->bqgnd", pattern, v)
        return z.flatten(2) @ self.W_O.flatten(0, 1)


wrong(
    "one head of keys and values for all heads of queries",
    "Only multi-query attention has one: with more, head i of the queries reads number i // (n_heads / n_kv_heads).",
    (
        "k.repeat_interleave(group, dim=2) → k[:, :, :1].expand(-1, -1, self.cfg.n_heads, -1)",
        "v.repeat_interleave(group, dim=2) → v[:, :, :1].expand(-1, -1, self.cfg.n_heads, -1)",
    ),
)


wrong(
    "the mean of all heads of keys and values",
    "Each group of queries has keys and values of its own: head i reads number i // (n_heads / n_kv_heads).",
    (
        "k.repeat_interleave(group, dim=2) → k.mean(2, keepdim=True).expand(-1, -1, self.cfg.n_heads, -1)",
        "v.repeat_interleave(group, dim=2) → v.mean(2, keepdim=True).expand(-1, -1, self.cfg.n_heads, -1)",
    ),
)


@wrong(
    "the mean of a group's queries",
    "A group shares keys and values, not queries: each head of queries has scores and a pattern of its own.",
)
class MeanOfQueries(Given):
    def scores(self, q, k):
        grouped = q.unflatten(2, (self.cfg.n_kv_heads, -1)).mean(dim=3)
        return super().scores(self.repeated(grouped), k)


@wrong(
    "the mean of a group's scores",
    "A group shares keys and values, not scores: each head of queries has scores and a pattern of its own.",
)
class MeanOfScores(Given):
    def weigh(self, scores):
        mean = scores.unflatten(1, (self.cfg.n_kv_heads, -1)).mean(2)
        return mean.softmax(-1).repeat_interleave(self.cfg.n_heads // self.cfg.n_kv_heads, dim=1)


@wrong(
    "positions repeated in the place of heads",
    "Keys are [batch pos n_kv_heads d_head] here: the heads are axis 2. In transformers they come before the "
    "positions, and its `repeat_kv` repeats axis 1.",
    "k.repeat_interleave(group, dim=2), v.repeat_interleave(group, dim=2) → "
    "k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)",
)
class RepeatKv(Given):
    """transformers' `repeat_kv` on axes in another order."""

    def repeated(self, x):
        batch, pos, n_kv_heads, d_head = x.shape
        group = self.cfg.n_heads // self.cfg.n_kv_heads
        wide = x[:, :, None].expand(batch, pos, group, n_kv_heads, d_head)
        return wide.reshape(batch, pos * group, n_kv_heads, d_head)


@wrong(
    "a group as large as the number of heads of keys",
    "A group has n_heads / n_kv_heads heads: repeat each head of keys that often, not n_kv_heads times.",
    "self.cfg.n_heads // self.cfg.n_kv_heads → self.cfg.n_kv_heads",
)
class GroupOfKvHeads(Given):
    def repeated(self, x):
        return x.repeat_interleave(self.cfg.n_kv_heads, dim=2)


@also("a group as large as the number of heads of keys")
class GroupOfKvHeadsWithHeadsFirst(GroupOfKvHeads):
    def scores(self, q, k):
        return q.transpose(1, 2) @ k.transpose(1, 2).transpose(-2, -1) / math.sqrt(self.cfg.d_head)


@wrong(
    "a size of the groups that is written out",
    "A group has n_heads / n_kv_heads heads: compute it from `self.cfg`, since another model has other groups.",
    "self.cfg.n_heads // self.cfg.n_kv_heads → 3",
)
class GroupOfThree(Given):
    def repeated(self, x):
        return x.repeat_interleave(3, dim=2)

    def scores(self, q, k):
        return q.transpose(1, 2) @ k.transpose(1, 2).transpose(-2, -1) / math.sqrt(self.cfg.d_head)


@wrong(
    "a group of n_kv_heads // n_heads, which is 0",
    "A group has n_heads // n_kv_heads heads: of six and two, three.",
    "self.cfg.n_heads // self.cfg.n_kv_heads → self.cfg.n_kv_heads // self.cfg.n_heads",
)
class NoHeads(Given):
    def repeated(self, x):
        return x.repeat_interleave(self.cfg.n_kv_heads // self.cfg.n_heads, dim=2)

    def scores(self, q, k):
        return q.transpose(1, 2) @ k.permute(0, 2, 3, 1) / self.cfg.d_head**0.5


@wrong(
    "keys and values that are not repeated",
    "The scores have a row for each head of queries, and there are fewer heads of keys: give each head of queries its "
    "group's keys, as by `repeat_interleave(group, dim=2)`.",
)
class NotRepeated(Given):
    def repeated(self, x):
        return x


@also("keys and values that are not repeated")
class NotRepeatedWithHeadsFirst(NotRepeated):
    def scores(self, q, k):
        return q.transpose(1, 2) @ k.permute(0, 2, 3, 1) / self.cfg.d_head**0.5


@wrong(
    "keys and values that are repeated before a cache keeps them",
    "`project` gives keys and values of n_kv_heads heads: repeated there, they fill a cache as if no head shared "
    "them. Repeat them in `attend`.",
)
class RepeatedTooEarly(Given):
    def project(self, x, positions):
        q, k, v = super().project(x, positions)
        return q, self.repeated(k), self.repeated(v)

    def attend(self, q, k, v):
        pattern = self.weigh(self.scores(q, k).masked_fill(self.later(q, k), -torch.inf))
        return self.mix(torch.einsum("bhqk,bkhd->bqhd", pattern, v))


@wrong(
    "heads before positions in what `project` gives",
    "`project` gives [batch pos head_index d_head]: a cache joins new positions to axis 1. Move the axes in `attend`.",
)
class HeadsFirst(Given):
    def project(self, x, positions):
        return tuple(one.transpose(1, 2) for one in super().project(x, positions))

    def attend(self, q, k, v):
        return super().attend(*(one.transpose(1, 2) for one in (q, k, v)))


def with_parts(queries, keys, values):
    class Mixed(Given):
        def parts(self, x):
            q, k, v = (self.heads_of(x, weight) for weight in self.chosen())
            return *self.normed(q, k), v

        def chosen(self):
            return (getattr(self, f"W_{part}") for part in (queries, keys, values))

    return Mixed


wrong("keys and values swapped", "The scores are q · k, and what is blended is v.", with_parts("Q", "V", "K"))


@also("keys and values swapped")
class ReturnedInAnotherOrder(Given):
    def project(self, x, positions):
        q, k, v = super().project(x, positions)
        return q, v, k


wrong(
    "queries and keys swapped",
    "Rows are queries and columns keys: `q @ k.transpose(-2, -1)`.",
    'torch.einsum("bqhd,bkhd->bhqk", q, k) → torch.einsum("bqhd,bkhd->bhqk", k, q)',
)


@also("queries and keys swapped")
class SwappedWithHeadsFirst(Given):
    def scores(self, q, k):
        return k.transpose(1, 2) @ q.permute(0, 2, 3, 1) / self.cfg.d_head**0.5


wrong("values made with the keys' weights", "v comes from `W_V`.", with_parts("Q", "K", "K"))
wrong("keys made with the values' weights", "k comes from `W_K`.", with_parts("Q", "V", "V"))


def made_by(heads_of, queries, keys, values):
    """The class in which some of the three are made by this function."""

    class Made(Given):
        def parts(self, x):
            ways = ((self.W_Q, queries), (self.W_K, keys), (self.W_V, values))
            q, k, v = (heads_of(x, weight) if so else self.heads_of(x, weight) for weight, so in ways)
            return *self.normed(q, k), v

    return Made


def flattened(x, weight):
    return (x @ weight.reshape(weight.shape[1], -1)).view(*x.shape[:2], len(weight), -1)


def cut_across(x, weight):
    made = torch.einsum("bpm,hmd->bhpd", x, weight)
    return made.reshape(*x.shape[:2], len(weight), -1)


wrong(
    "matrices flattened before their axes were moved",
    "`W_Q`, `W_K` and `W_V` are [head_index d_model d_head]: move d_model to the front before you flatten, "
    "`W.transpose(0, 1).flatten(1)`.",
    made_by(flattened, True, True, True),
    made_by(flattened, True, False, False),
    made_by(flattened, False, True, False),
    made_by(flattened, False, False, True),
)
wrong(
    "heads that are cut across the positions",
    "Move the axis of the heads behind that of the positions, `.transpose(1, 2)`, before you give "
    "[batch head_index pos d_head] any other shape: cutting the same numbers anew moves no axis.",
    made_by(cut_across, True, True, True),
    made_by(cut_across, True, False, False),
    made_by(cut_across, False, True, False),
    made_by(cut_across, False, False, True),
)
wrong(
    "heads merged before their axis was moved",
    "Joining axes moves none: z must be [batch pos head_index d_head] before its last two are flattened.",
    'torch.einsum("bhqk,bkhd->bqhd", pattern, v) → torch.einsum("bhqk,bkhd->bhqd", pattern, v).reshape(q.shape)',
)
wrong(
    "heads merged in the wrong order",
    "W_O is [n_heads d_head d_model]: when both are flattened, head_index comes before d_head.",
    'torch.einsum("bqhd,hdm->bqm", z, self.W_O) → z.transpose(2, 3).flatten(2) @ self.W_O.flatten(0, 1)',
    'torch.einsum("bqhd,hdm->bqm", z, self.W_O) → z.flatten(2) @ self.W_O.transpose(0, 1).flatten(0, 1)',
)
wrong(
    "one W_O for all heads",
    "Each head has a `W_O` of its own: give z and `W_O` the same axis, head_index.",
    'torch.einsum("bqhd,hdm->bqm", z, self.W_O) → torch.einsum("bqhd,dm->bqm", z, self.W_O[0])',
)
wrong(
    "the mean of the heads",
    "What the heads find is added up, not averaged.",
    'torch.einsum("bqhd,hdm->bqm", z, self.W_O) → torch.einsum("bqhd,hdm->bqhm", z, self.W_O).mean(2)',
)
wrong(
    "heads that are not added up",
    "The axis head_index is still there: sum over it, or leave it out after the arrow of `einsum`.",
    'torch.einsum("bqhd,hdm->bqm", z, self.W_O) → torch.einsum("bqhd,hdm->bqhm", z, self.W_O)',
    'torch.einsum("bqhd,hdm->bqm", z, self.W_O) → torch.einsum("bqhd,hdm->bhqm", z, self.W_O)',
)
wrong(
    "what the heads found, without `W_O`",
    "Multiply each head's z by its `W_O`, and add the heads up.",
    'torch.einsum("bqhd,hdm->bqm", z, self.W_O) → z.flatten(2)',
)


@wrong("adding the input back", "The block adds attention's answer to the residual stream. Return the answer alone.")
class ResidualAdded(Given):
    def forward(self, normalized_resid_pre):
        return normalized_resid_pre + super().forward(normalized_resid_pre)


@wrong("normalising the input again", "It comes out of `ln1`, already normalised: use it as it is.")
class NormalisedAgain(Given):
    def parts(self, x):
        return super().parts(x / (x.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps).sqrt())


@wrong("biases", "There are none here: `W_Q`, `W_K`, `W_V` and `W_O` are all, as in Llama.")
class Biases(Given):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.b_Q = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_K = nn.Parameter(torch.zeros(cfg.n_kv_heads, cfg.d_head))
        self.b_V = nn.Parameter(torch.zeros(cfg.n_kv_heads, cfg.d_head))


@wrong(
    "as many heads of keys and values as of queries",
    "`W_K` and `W_V` have n_kv_heads heads: [n_kv_heads d_model d_head].",
)
class AllHeads(Given):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_kv_heads=cfg.n_heads))


@wrong(
    "norms of queries and keys that are always there", "Make `q_norm` and `k_norm` only where `cfg.qk_norm` is True."
)
class NormsAlways(Given):
    def __init__(self, cfg):
        super().__init__(replace(cfg, qk_norm=True))
        self.cfg = cfg
