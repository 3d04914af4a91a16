"""How GroupedQueryAttention goes wrong: from scores to weights, for whole texts and with a cache."""

import torch
import torch.nn.functional as F

from tests.ch12_since_gpt2 import grouped_query_attention
from tests.misconceptions.ch12_since_gpt2.grouped_query_attention.right import Given

wrong, also = grouped_query_attention.misconception, grouped_query_attention.also

wrong(
    "scores divided by `d_head` in all, where its root is due",
    "Divide once, by √d_head: `self.cfg.d_head ** 0.5`. (`F.scaled_dot_product_attention` does it itself, unless it "
    "is given a `scale`.)",
    "self.cfg.d_head**0.5 → self.cfg.d_head",
)
wrong(
    "scores divided by half of `d_head`",
    "`** 0.5` is the root, `* 0.5` is half.",
    "self.cfg.d_head**0.5 → (self.cfg.d_head * 0.5)",
)
wrong(
    "scores divided by the root of d_model",
    "A score is a sum of d_head products: divide by the root of `d_head`.",
    "self.cfg.d_head**0.5 → self.cfg.d_model**0.5",
)
wrong(
    "a d_head computed as d_model / n_heads",
    "In a ModernConfig `d_head` is a number of its own: `self.cfg.d_head`.",
    "self.cfg.d_head**0.5 → (self.cfg.d_model / self.cfg.n_heads)**0.5",
    "self.cfg.d_head**0.5 → (self.cfg.d_model // self.cfg.n_heads)**0.5",
)
wrong(
    "a scale that counts heads",
    "Divide by the root of `d_head`: a score is a sum of that many products, and knows nothing of other heads.",
    "self.cfg.d_head**0.5 → self.cfg.n_heads**0.5",
    "self.cfg.d_head**0.5 → self.cfg.n_heads",
    "self.cfg.d_head**0.5 → (self.cfg.n_heads * self.cfg.d_head)**0.5",
    "self.cfg.d_head**0.5 → (group * self.cfg.d_head)**0.5",
    "self.cfg.d_head**0.5 → self.cfg.n_kv_heads**0.5",
)
wrong(
    "a scale that counts positions",
    "Divide by the root of `d_head`: a score is a sum of that many products, however many keys there are.",
    "self.cfg.d_head**0.5 → k.shape[1]**0.5",
    "self.cfg.d_head**0.5 → q.shape[1]**0.5",
)
wrong(
    "scores multiplied by the root of `d_head`",
    "Divide: `/ self.cfg.d_head ** 0.5`, or `* self.cfg.d_head ** -0.5`.",
    " / self.cfg.d_head**0.5 →  * self.cfg.d_head**0.5",
)
wrong("scores that are not scaled", "Divide the scores by the root of `d_head`.", " / self.cfg.d_head**0.5 → ")
wrong(
    "a scale written as a number",
    "√64 is 8 for a head of 64 numbers alone: `self.cfg.d_head ** 0.5`.",
    "self.cfg.d_head**0.5 → 8",
)
wrong(
    "no mask",
    "A position reads itself and those before it: hide the scores of later keys, as -inf, before the softmax.",
    "scores.masked_fill(later, -torch.inf) → scores",
)
wrong(
    "a mask for whole texts alone",
    "The queries are the last of all positions: with n_all keys and n_new queries, query 0 may read n_all - n_new + 1 "
    "keys. A mask hides what is right of these, `triu(n_all - n_new + 1)`; `is_causal=True` counts from 0.",
    "triu(n_all - n_new + 1) → triu(1)",
)


@also("a mask for whole texts alone")
class ByPyTorchsMask(Given):
    def attend(self, q, k, v):
        q, k, v = (one.transpose(1, 2) for one in (q, self.repeated(k), self.repeated(v)))
        z = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.mix(z.transpose(1, 2))


@wrong(
    "a mask for whole texts and for one new position alone",
    "Several new positions may come after old ones: then each reads the old ones, itself, and the new ones before it. "
    "A mask of n_new rows and n_all columns fits them all: `triu(n_all - n_new + 1)`.",
)
class CausalUnlessOne(Given):
    def later(self, q, k):
        ones = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool)
        return ones.triu(1) if q.shape[1] > 1 else torch.zeros_like(ones)


@wrong(
    "a mask for whole texts, and none with a cache",
    "Of several new positions none reads a later one: a mask of n_new rows and n_all columns hides what is right of "
    "each one's own, `triu(n_all - n_new + 1)`.",
)
class UnmaskedWithACache(Given):
    def later(self, q, k):
        ones = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool)
        return ones.triu(1) if q.shape[1] == k.shape[1] else torch.zeros_like(ones)


@wrong(
    "a mask that is square", "With a cache there are more keys than queries: the mask has n_new rows and n_all columns."
)
class Square(Given):
    def later(self, q, k):
        return torch.ones(q.shape[1], q.shape[1], dtype=torch.bool).triu(1)


@wrong(
    "new positions that do not read what is in the cache",
    "Every new query reads all old keys: in a mask of n_new rows and n_all columns these come first, and none of them "
    "is hidden, `triu(n_all - n_new + 1)`.",
)
class OldOnesHidden(Given):
    def later(self, q, k):
        n_new, n_all = q.shape[1], k.shape[1]
        old = torch.ones(n_new, n_all - n_new, dtype=torch.bool)
        return torch.cat([old, torch.ones(n_new, n_new, dtype=torch.bool).triu(1)], dim=1)


wrong(
    "a position that does not read itself",
    "What is hidden begins right of a position's own key: `triu(n_all - n_new + 1)`.",
    "triu(n_all - n_new + 1) → triu(n_all - n_new)",
)
wrong(
    "a position that reads the next one too",
    "The key right of a position's own is hidden already: `triu(n_all - n_new + 1)`.",
    "triu(n_all - n_new + 1) → triu(n_all - n_new + 2)",
)
wrong(
    "a mask that is moved the wrong way where there is a cache",
    "The old keys come first, and every new query reads them: what is hidden begins n_all - n_new columns further "
    "right than without a cache, not further left, `triu(n_all - n_new + 1)`.",
    "triu(n_all - n_new + 1) → triu(n_new - n_all + 1)",
    ("triu(n_all - n_new + 1) → triu(n_new - n_all + 1)", "-torch.inf → -1e9"),
)
wrong(
    "a mask the wrong way round",
    "A row is a query: what is right of its own key comes later, and is hidden. That is the upper triangle, `triu`.",
    "triu(n_all - n_new + 1) → tril(n_all - n_new)",
    "triu(n_all - n_new + 1) → tril(n_all - n_new - 1)",
)
wrong(
    "later scores set to 0, or nearly",
    "exp(0) is 1, and so a score near 0 gets weight: hide later scores by -inf.",
    "masked_fill(later, -torch.inf) → masked_fill(later, 0.0)",
)
wrong(
    "later scores hidden by a number that is not low enough",
    "In the softmax it keeps a share, a larger one the lower the other scores are: hide later scores by -inf.",
    "-torch.inf → -10.0",
    "-torch.inf → -100.0",
)
wrong(
    "hidden keys that keep their share of softmax's sum",
    "The mask comes before the softmax: hide the scores by -inf, and then the weights that are left add up to 1.",
    "scores.masked_fill(later, -torch.inf).softmax(dim=-1) → scores.softmax(dim=-1).masked_fill(later, 0.0)",
)
wrong(
    "softmax over the queries",
    "For each query the weights of its keys add up to 1: `dim=-1`, the key axis.",
    "softmax(dim=-1) → softmax(dim=-2)",
    "softmax(dim=-1) → softmax(dim=2)",
)
wrong(
    "softmax over the heads",
    "Axis 1 is head_index. The weights add up to 1 over the keys: `dim=-1`.",
    "softmax(dim=-1) → softmax(dim=1)",
)
wrong(
    "scores used as weights",
    "Softmax is missing between the mask and the values.",
    "masked_fill(later, -torch.inf).softmax(dim=-1) → masked_fill(later, 0.0)",
)


@wrong("dropout on the weights", "These models are trained without dropout: use the weights as softmax gives them.")
class Dropout(Given):
    def weigh(self, scores):
        return F.dropout(super().weigh(scores), 0.1, self.training)


@wrong(
    "keys that are changed in place",
    "What `attend` is handed is the cache itself, which the next token reads again: `k = k / ...`, not `k /= ...`.",
)
class InPlace(Given):
    def attend(self, q, k, v):
        k /= self.cfg.d_head**0.5
        return super().attend(q, k, v)

    def scores(self, q, k):
        return torch.einsum("bqhd,bkhd->bhqk", q, k)
