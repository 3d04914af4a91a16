"""How GroupedQueryAttention goes wrong: what turns and by how much, and what is normalised."""

import torch
import torch.nn.functional as F

from tests.ch12_since_gpt2 import grouped_query_attention
from tests.misconceptions.ch12_since_gpt2.grouped_query_attention.right import Given

wrong = grouped_query_attention.misconception

wrong(
    "values that are turned too",
    "Only queries and keys are turned: a score needs to know how far apart they are. Values are blended as they are.",
    "positions), v → positions), apply_rotary(v, tables, positions)",
)
wrong(
    "queries turned, and keys not",
    "Turn the keys too, each by its own position: with queries alone, a score depends on where the query stands, and "
    "not on how far apart they are.",
    "apply_rotary(k, tables, positions) → k",
)
wrong(
    "keys turned, and queries not",
    "Turn the queries too, each by its own position: with keys alone, a score depends on where the key stands, and not "
    "on how far apart they are.",
    "apply_rotary(q, tables, positions) → q",
)
wrong(
    "queries and keys that are not turned",
    "Without a turn attention knows no positions: hand q and k to `apply_rotary` with the tables and `positions`.",
    ("apply_rotary(q, tables, positions) → q", "apply_rotary(k, tables, positions) → k"),
)


@wrong(
    "a turn the other way",
    "Pair (a, b) becomes (a cos − b sin, a sin + b cos): `apply_rotary` does it when its tables are "
    "`(self.cos, self.sin)`, in this order.",
    "tables = self.cos, self.sin → tables = self.sin, self.cos",
)
class Backwards(Given):
    def turn(self, x, positions):
        cos, sin = self.cos[positions][:, None], -self.sin[positions][:, None]
        first, second = x.chunk(2, dim=-1)
        return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


@wrong(
    "pairs of neighbours in the place of halves",
    "Here, as in transformers, number i of the first half and number i of the second are a pair: your `apply_rotary` "
    "turns these. In Meta's code neighbours are a pair, 0 and 1, 2 and 3.",
)
class Neighbours(Given):
    def turn(self, x, positions):
        cos, sin = self.cos[positions][:, None], self.sin[positions][:, None]
        first, second = x[..., ::2], x[..., 1::2]
        return torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1).flatten(-2)


@wrong(
    "a turn before the vectors are cut into heads",
    "Each head of d_head numbers is turned by itself: [batch pos head_index d_head] goes into `apply_rotary`.",
)
class TurnedBeforeCut(Given):
    def turn(self, x, positions):
        n_heads, d_head = x.shape[2:]
        angles = positions[:, None] * self.speeds(n_heads * d_head, self.cfg.rotary_base)
        first, second = x.flatten(2).chunk(2, dim=-1)
        turned = first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()
        return torch.cat(turned, dim=-1).view(x.shape)


@wrong(
    "a base that is written out",
    "The tables of `__init__` are made with `cfg.rotary_base`: use `self.cos` and `self.sin`.",
    "tables = self.cos, self.sin → tables = rotary_tables(self.cfg.n_ctx, self.cfg.d_head, 10_000.0)",
)
class WrittenOut(Given):
    def speeds(self, d_head, base):
        return super().speeds(d_head, 10_000.0)


wrong(
    "positions that start at 0 in every part",
    "`project` is handed the positions of its part of the text: new tokens go on counting. Look the angles up at "
    "`positions`, not at 0, 1, 2, ...",
    (
        "apply_rotary(q, tables, positions) → apply_rotary(q, tables, torch.arange(q.shape[1]))",
        "apply_rotary(k, tables, positions) → apply_rotary(k, tables, torch.arange(q.shape[1]))",
    ),
)
wrong(
    "queries whose positions start at 0 in every part",
    "Queries and keys stand at the same positions: look both up at `positions`.",
    "apply_rotary(q, tables, positions) → apply_rotary(q, tables, torch.arange(q.shape[1]))",
)
wrong(
    "keys whose positions start at 0 in every part",
    "Keys stand where their queries stand: look both up at `positions`.",
    "apply_rotary(k, tables, positions) → apply_rotary(k, tables, torch.arange(q.shape[1]))",
)
wrong(
    "positions that start at 1",
    "The first position is 0, and is not turned; the tables end at n_ctx - 1.",
    (
        "apply_rotary(q, tables, positions) → apply_rotary(q, tables, positions + 1)",
        "apply_rotary(k, tables, positions) → apply_rotary(k, tables, positions + 1)",
    ),
)


@wrong(
    "keys that are turned once more in `attend`",
    "`project` has turned queries and keys already: `attend` takes them as they are.",
)
class TurnedTwice(Given):
    def attend(self, q, k, v):
        n_all, n_new = k.shape[1], q.shape[1]
        q = self.turn(q, torch.arange(n_all - n_new, n_all))
        return super().attend(q, self.turn(k, torch.arange(n_all)), v)


@grouped_query_attention.also("keys that are turned once more in `attend`")
class KeysAloneTurnedTwice(Given):
    def attend(self, q, k, v):
        return super().attend(q, self.turn(k, torch.arange(k.shape[1])), v)


@wrong(
    "queries and keys that are turned in `attend`",
    "`attend` is not told where a key stands. Turn queries and keys in `project`, by `positions`, so that a cache "
    "keeps keys turned.",
)
class TurnedLate(Given):
    def project(self, x, positions):
        return self.parts(x)

    def attend(self, q, k, v):
        n_all, n_new = k.shape[1], q.shape[1]
        q = self.turn(q, torch.arange(n_all - n_new, n_all))
        return super().attend(q, self.turn(k, torch.arange(n_all)), v)


wrong(
    "a norm after the turn",
    "In Qwen 3 and here, queries and keys are normalised first and turned then. In the other order `w` scales numbers "
    "that the turn has mixed.",
    (
        "q, k = self.q_norm(q), self.k_norm(k) → pass",
        "apply_rotary(q, tables, positions), apply_rotary(k, tables, positions), v → "
        "*(norm(apply_rotary(x, tables, positions)) for x, norm in ((q, getattr(self, 'q_norm', nn.Identity())), "
        "(k, getattr(self, 'k_norm', nn.Identity())))), v",
    ),
)
wrong(
    "values that are normalised too",
    "QK-norm is for what makes scores: queries and keys. Values keep their length.",
    "q, k = self.q_norm(q), self.k_norm(k) → q, k, v = self.q_norm(q), self.k_norm(k), self.k_norm(v)",
)
wrong(
    "no norm of queries and keys",
    "Where `self.cfg.qk_norm` is True, q goes through `self.q_norm` and k through `self.k_norm`, before they turn.",
    "q, k = self.q_norm(q), self.k_norm(k) → pass",
)
wrong("a norm of the queries alone", "Keys have a norm too: `self.k_norm`.", "self.k_norm(k) → k")
wrong("a norm of the keys alone", "Queries have a norm too: `self.q_norm`.", "self.q_norm(q) → q")
wrong(
    "one norm for queries and keys",
    "Queries and keys have a scale each: `self.q_norm(q)` and `self.k_norm(k)`.",
    "self.k_norm(k) → self.q_norm(k)",
    "self.q_norm(q) → self.k_norm(q)",
    "self.q_norm(q), self.k_norm(k) → self.k_norm(q), self.q_norm(k)",
)


@wrong(
    "a norm over all heads at once",
    "Here, as in Qwen 3, each head's d_head numbers are normalised by themselves. (OLMo 2 normalises those of all "
    "heads at once, with a scale for each.)",
)
class OverAllHeads(Given):
    def normed(self, q, k):
        if not self.cfg.qk_norm:
            return q, k
        return (norm.normalized(one, dim=(-2, -1)) * norm.w for norm, one in ((self.q_norm, q), (self.k_norm, k)))


@wrong(
    "queries and keys of length 1",
    "RMSNorm divides by the root of the *mean* square, and then scales by `w`: use `self.q_norm` and `self.k_norm`.",
)
class Cosines(Given):
    def normed(self, q, k):
        return (F.normalize(q, dim=-1), F.normalize(k, dim=-1)) if self.cfg.qk_norm else (q, k)


@wrong("a norm without its scale", "RMSNorm multiplies by `w` at the end: use `self.q_norm` and `self.k_norm`.")
class Unscaled(Given):
    def normed(self, q, k):
        return (self.q_norm.normalized(q), self.k_norm.normalized(k)) if self.cfg.qk_norm else (q, k)


@wrong(
    "a norm whether or not the settings ask for it",
    "Queries and keys are normalised only where `self.cfg.qk_norm` is True.",
)
class AlwaysNormed(Given):
    def normed(self, q, k):
        return super().normed(q, k) if self.cfg.qk_norm else tuple(F.rms_norm(x, x.shape[-1:]) for x in (q, k))


class NormedWhereThereIsNoNorm(Given):
    def normed(self, q, k):
        return self.q_norm(q), self.k_norm(k)


grouped_query_attention.also(
    "a norm whether or not the settings ask for it",
    # the error names the class
    type("GroupedQueryAttention", (NormedWhereThereIsNoNorm,), {}),
)
