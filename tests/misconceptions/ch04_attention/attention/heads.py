"""How Attention goes wrong: which weights and which heads, and how these are put together."""

import math

import einops
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.ch04_attention import BIASES, WEIGHTS, attention
from tests.misconceptions.ch04_attention.attention.scores import (
    attending,
    masked,
    mixed,
    projected,
    root_of_d_head,
    weighed,
    wrong,
    wrong_too,
)

W_V_READ = r"\bW_V\b(?!\s*=|, self\.W_O)"  # beyond `__init__`, which makes it and draws it in a loop
B_K_ADDED = r"\bb_K\b(?!\s*=)"  # it may be there, since softmax does not see it; `__init__` sets it

wrong(
    "queries and keys swapped", "Rows are queries: `q @ k.transpose(-2, -1)`, with q from `W_Q` and `b_Q`.", parts="KQV"
)
wrong("queries made with the keys' weights", "q is made with `W_Q` and `b_Q`.", parts="KKV")
wrong("keys made with the queries' weights", "k is made with `W_K` and `b_K`.", parts="QQV")
wrong(
    "values made with the keys' weights",
    "v is made with `W_V` and `b_V`, and it is v that the pattern blends: `pattern @ v`.",
    not_of=W_V_READ,
    otherwise="What is blended comes from `W_K`. Make v with `W_V` and `b_V`, and blend that: `pattern @ v`.",
    parts="QKK",
)
wrong("values made with the queries' weights", "v comes from `W_V` and `b_V`, not from `W_Q`.", parts="QKQ")
wrong("keys made with the values' weights", "k comes from `W_K` and `b_K`, not from `W_V`.", parts="QVV")
wrong("keys and values swapped", "The scores are q · k, and what is blended is v.", parts="QVK")
wrong("queries and values swapped", "The scores are q · k, and what is blended is `v`, made with `W_V`.", parts="VKQ")
wrong("queries made with the values' weights", "q comes from `W_Q` and `b_Q`, not from `W_V`.", parts="VKV")
for name, parts in (
    ("queries made with the keys' weights", "KKV"),
    ("queries made with the values' weights", "VKV"),
    ("keys made with the queries' weights", "QQV"),
    ("keys made with the values' weights", "QVV"),
    ("values made with the queries' weights", "QKQ"),
    ("values made with the keys' weights", "QKK"),
):
    wrong_too(name, parts=parts, added="QKV")  # the matrix alone is another's
wrong(
    "the bias of another part",
    "`b_Q` goes with `W_Q`, `b_K` with `W_K` and `b_V` with `W_V`: look at the line that was copied.",
    added="KKV",
)
for added in ("VKV", "QKK", "QKQ", "KKK", "QQQ", "VVV", "VKQ", "KKQ", "VKK"):
    wrong_too("the bias of another part", added=added)
wrong("one matrix for queries, keys and values", "Each has its own: `W_Q`, `W_K` and `W_V`.", parts="QQQ")
for part in "KV":
    wrong_too("one matrix for queries, keys and values", parts=part * 3)
for part in "QKV":
    wrong_too("one matrix for queries, keys and values", parts=part * 3, added="QKV")
wrong("queries without `b_Q`", "Add `b_Q` to the queries, [n_heads d_head], before the scores.", biases="KV")
wrong("values without `b_V`", "Add `b_V` to the values, [n_heads d_head], before they are blended.", biases="QK")
wrong(
    "no bias on queries, keys and values",
    "Add `b_Q`, `b_K` and `b_V` to what the matrices give.",
    not_of=B_K_ADDED,
    otherwise="Add `b_Q` to the queries and `b_V` to the values, each [n_heads d_head].",
    biases="",
)
wrong(
    "leaving out `b_O`",
    "Add `b_O` once, when all heads have been added up.",
    mix=lambda self, z: torch.einsum("bhpk,hkd->bpd", z, self.W_O),
)
wrong(
    "no bias at all",
    "GPT-2 has four: `b_Q`, `b_K`, `b_V` before the scores and the blend, `b_O` at the end.",
    not_of=B_K_ADDED,
    otherwise="Add `b_Q` to the queries, `b_V` to the values, and `b_O` at the end.",
    biases="",
    mix=lambda self, z: torch.einsum("bhpk,hkd->bpd", z, self.W_O),
)
wrong(
    "no output bias and no bias of values",
    "Add `b_V` to the values, and `b_O` at the end.",
    biases="QK",
    mix=lambda self, z: torch.einsum("bhpk,hkd->bpd", z, self.W_O),
)
wrong(
    "adding `b_O` once for each head",
    "Add it after the sum over heads, not within it.",
    mix=lambda self, z: (torch.einsum("bhpk,hkd->bhpd", z, self.W_O) + self.b_O).sum(1),
)
wrong(
    "the mean of the heads",
    "What the heads find is added up, not averaged.",
    mix=lambda self, z: torch.einsum("bhpk,hkd->bhpd", z, self.W_O).mean(1) + self.b_O,
)
wrong_too(
    "the mean of the heads",
    mix=lambda self, z: (torch.einsum("bhpk,hkd->bpd", z, self.W_O) + self.b_O) / self.cfg.n_heads,
)
wrong(
    "only the last head",
    "Add up what all heads write. (Inside a loop `=` forgets the heads before: add to a sum, or to a list.)",
    mix=lambda self, z: z[:, -1] @ self.W_O[-1] + self.b_O,
)
wrong(
    "only the first head",
    "Add up what all heads write. (A `return` inside a loop ends it with the first.)",
    mix=lambda self, z: z[:, 0] @ self.W_O[0] + self.b_O,
)


@attention.misconception(
    "each head reading what the head before it wrote",
    "Heads stand side by side: each reads `normalized_resid_pre` as it came in, and what they write is added up.",
)
def heads_in_a_row(self, normalized_resid_pre):
    stream = normalized_resid_pre
    for head in range(self.cfg.n_heads):
        q, k, v = (projected(self, stream, part)[:, head] for part in "QKV")
        scores = masked(q @ k.mT / root_of_d_head(self.cfg))
        stream = weighed(scores) @ v @ self.W_O[head]
    return stream + self.b_O


wrong(
    "one W_O for all heads",
    "Each head has a `W_O` of its own: give z and `W_O` the same axis, head_index.",
    mix=lambda self, z: torch.einsum("bhpk,kd->bpd", z, self.W_O[0]) + self.b_O,
)
wrong(
    "every head through every W_O",
    "Head i goes through W_O[i] alone, and then the heads are added up. In an einsum both have the axis `head_index`.",
    mix=lambda self, z: torch.einsum("bhpk,gkd->bpd", z, self.W_O) + self.b_O,
)


def merged(z: Tensor, axes: tuple[int, int, int, int]) -> Tensor:
    batch, n_heads, pos, d_head = z.shape
    return z.permute(*axes).reshape(batch, pos, n_heads * d_head)


wrong(
    "heads merged before their axis was moved",
    "Joining axes moves none: bring head_index next to d_head first, `z.transpose(1, 2).reshape(batch, pos, -1)`.",
    mix=lambda self, z: merged(z, (0, 1, 2, 3)) @ self.W_O.flatten(0, 1) + self.b_O,
)
wrong(
    "heads merged in the wrong order",
    "W_O is [n_heads d_head d_model]: when both are flattened, head_index comes before d_head.",
    mix=lambda self, z: merged(z, (0, 2, 3, 1)) @ self.W_O.flatten(0, 1) + self.b_O,
)
wrong_too(
    "heads merged in the wrong order",
    mix=lambda self, z: merged(z, (0, 2, 1, 3)) @ self.W_O.transpose(0, 1).flatten(0, 1) + self.b_O,
)
wrong(
    "what the heads found, without `W_O`",
    "Multiply each head's z by its `W_O`, add the heads up, then add `b_O`.",
    mix=lambda self, z: merged(z, (0, 2, 1, 3)),
)
wrong_too("what the heads found, without `W_O`", mix=lambda self, z: z)
wrong(
    "d_model taken for n_heads * d_head",
    "In GPT-2 they are equal, here they are not: the heads side by side are `n_heads * d_head` wide, "
    "`z.transpose(1, 2).reshape(batch, pos, -1)`, and `W_O` leads from there to d_model.",
    mix=lambda self, z: z.transpose(1, 2).reshape(*z.shape[::2], self.cfg.d_model) @ self.W_O.flatten(0, 1) + self.b_O,
)


wrong(
    "a `W_O` reshaped where its axes should change places",
    "`reshape` only cuts. Flattened, `W_O` is [n_heads * d_head d_model], `W_O.flatten(0, 1)`; for `F.linear` add "
    "`.T`.",
    mix=lambda self, z: merged(z, (0, 2, 1, 3)) @ self.W_O.reshape(self.cfg.d_model, -1).T + self.b_O,
)


@attention.misconception(
    "W_Q, W_K and W_V reshaped where their axes should change places",
    "They are [n_heads d_model d_head], and `reshape` only cuts: `W.transpose(1, 2)` makes [n_heads d_head d_model]. "
    "Flattened, `.flatten(0, 1)`, that is what `F.linear` takes.",
)
def reshaped_for_linear(self, normalized_resid_pre, parts="QKV"):
    q, k, v = (
        F.linear(normalized_resid_pre, getattr(self, f"W_{part}").reshape(-1, self.cfg.d_model))
        .unflatten(-1, self.b_Q.shape)
        .add(getattr(self, f"b_{part}"))
        .transpose(1, 2)
        if part in parts
        else projected(self, normalized_resid_pre, part)
        for part in "QKV"
    )
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


def cut_first(weight):
    """[n_heads d_model d_head] cut as [d_model n_heads * d_head] without moving an axis."""
    return weight.reshape(weight.shape[1], -1)


@attention.misconception(
    "W_Q, W_K and W_V flattened before their axes were moved",
    "They are [n_heads d_model d_head]: move d_model to the front before you flatten, `W.transpose(0, 1).flatten(1)`.",
)
def flattened_wrongly(self, normalized_resid_pre, parts="QKV"):
    q, k, v = (
        (normalized_resid_pre @ cut_first(getattr(self, f"W_{part}"))).unflatten(-1, self.b_Q.shape).transpose(1, 2)
        + getattr(self, f"b_{part}")[:, None]
        if part in parts
        else projected(self, normalized_resid_pre, part)
        for part in "QKV"
    )
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


@attention.misconception(
    "heads that are cut across the positions",
    "Positions are cut into pieces: cut the last axis, `view(batch, pos, n_heads, d_head)`, then move the heads "
    "forward, `transpose(1, 2)`.",
)
def split_wrongly(self, normalized_resid_pre, parts="QKV"):
    batch, pos, _ = normalized_resid_pre.shape
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    q, k, v = (
        one.transpose(1, 2).reshape(batch, self.cfg.n_heads, pos, self.cfg.d_head) if part in parts else one
        for part, one in zip("QKV", (q, k, v), strict=True)
    )
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


def with_parts(forward, parts):
    """This `forward` where only some of q, k and v are made so."""
    return lambda self, normalized_resid_pre: forward(self, normalized_resid_pre, parts)


for parts in ("Q", "K", "V", "QK"):  # one line of three that look alike
    attention.also("W_Q, W_K and W_V flattened before their axes were moved")(with_parts(flattened_wrongly, parts))
    attention.also("heads that are cut across the positions")(with_parts(split_wrongly, parts))
    attention.also("W_Q, W_K and W_V reshaped where their axes should change places")(
        with_parts(reshaped_for_linear, parts)
    )


@attention.misconception(
    "heads and d_head in the wrong order",
    "head_index comes first, then d_head: `view(batch, pos, n_heads, d_head)`, and weights flattened so too, "
    "`W.transpose(0, 1).flatten(1)`.",
)
def split_in_the_wrong_order(self, normalized_resid_pre, parts="QKV"):
    q, k, v = (
        projected(self, normalized_resid_pre, part).transpose(1, 2).flatten(2)
        if part in parts
        else projected(self, normalized_resid_pre, part)
        for part in "QKV"
    )
    q, k, v = (
        one.unflatten(-1, (self.cfg.d_head, self.cfg.n_heads)).permute(0, 3, 1, 2) if one.ndim == 3 else one
        for one in (q, k, v)
    )
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


@attention.also("a d_head computed as d_model / n_heads")
def split_by_d_model(self, normalized_resid_pre, flat=False):
    batch, pos, d_model = normalized_resid_pre.shape
    d_head = d_model // self.cfg.n_heads
    q, k, v = (
        normalized_resid_pre @ weight.transpose(0, 1).reshape(d_model, self.cfg.n_heads * d_head if flat else -1)
        + bias.flatten()
        for weight, bias in ((self.W_Q, self.b_Q), (self.W_K, self.b_K), (self.W_V, self.b_V))
    )
    q, k, v = (one.view(batch, pos, self.cfg.n_heads, d_head).transpose(1, 2) for one in (q, k, v))
    return mixed(self, weighed(masked(q @ k.mT / d_head**0.5)) @ v)


@attention.also("a d_head computed as d_model / n_heads")
def flattened_by_d_model(self, normalized_resid_pre):
    return split_by_d_model(self, normalized_resid_pre, flat=True)


@attention.also("d_model taken for n_heads * d_head")
def split_into_d_model(self, normalized_resid_pre):
    weight = torch.cat([w.transpose(0, 1).flatten(1) for w in (self.W_Q, self.W_K, self.W_V)], dim=1)
    bias = torch.cat([b.flatten() for b in (self.b_Q, self.b_K, self.b_V)])
    q, k, v = (normalized_resid_pre @ weight + bias).split(self.cfg.d_model, dim=2)
    q, k, v = (one.unflatten(-1, self.b_Q.shape).transpose(1, 2) for one in (q, k, v))
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


@attention.also("heads and d_head in the wrong order")
def flattened_in_the_wrong_order(self, normalized_resid_pre):
    q, k, v = (
        (normalized_resid_pre @ weight.permute(1, 2, 0).flatten(1)).unflatten(-1, bias.shape).transpose(1, 2)
        + bias[:, None]
        for weight, bias in ((self.W_Q, self.b_Q), (self.W_K, self.b_K), (self.W_V, self.b_V))
    )
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


for parts in ("Q", "K", "V", "QK"):
    attention.also("heads and d_head in the wrong order")(with_parts(split_in_the_wrong_order, parts))


@attention.misconception(
    "a bias without an axis for the positions",
    "[head_index d_head] lines up with the last two axes, pos and d_head: write `b_Q[:, None]`, and the same for the "
    "others.",
)
def bias_on_positions(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part, bias=False) + getattr(self, f"b_{part}") for part in "QKV")
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


@attention.also("a bias without an axis for the positions")
def bias_on_positions_in_einops(self, normalized_resid_pre):
    axes = "batch pos d_model, head_index d_model d_head -> batch head_index pos d_head"
    q = einops.einsum(normalized_resid_pre, self.W_Q, axes) + self.b_Q
    k = einops.einsum(normalized_resid_pre, self.W_K, axes) + self.b_K
    v = einops.einsum(normalized_resid_pre, self.W_V, axes) + self.b_V
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


@attention.also("a bias without an axis for the positions")
def bias_on_positions_in_torch(self, normalized_resid_pre):
    q = torch.einsum("bpm,hmd->bhpd", normalized_resid_pre, self.W_Q) + self.b_Q
    k = torch.einsum("bpm,hmd->bhpd", normalized_resid_pre, self.W_K) + self.b_K
    v = torch.einsum("bpm,hmd->bhpd", normalized_resid_pre, self.W_V) + self.b_V
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


@attention.misconception(
    "a product without an axis for the heads",
    "`@` lines the batch up with n_heads here. Give the stream an axis for the heads, `[:, None]`, or write an einsum "
    "in which each axis has its name.",
)
def multiplied_without_heads(self, normalized_resid_pre):
    q = normalized_resid_pre @ self.W_Q + self.b_Q
    k = normalized_resid_pre @ self.W_K + self.b_K
    v = normalized_resid_pre @ self.W_V + self.b_V
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


@attention.misconception(
    "a parameter called like a layer",
    "`W_Q`, `W_K`, `W_V` and `W_O` are matrices, one for each head, not layers: multiply by them, as in an einsum.",
)
def parameters_called(self, normalized_resid_pre):
    q, k, v = self.W_Q(normalized_resid_pre), self.W_K(normalized_resid_pre), self.W_V(normalized_resid_pre)
    return self.W_O(weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v) + self.b_O


@attention.misconception(
    "the values before the pattern",
    "The pattern comes first: `pattern @ v` sums over the keys, [query_pos key_pos] times [key_pos d_head].",
)
def blended_the_wrong_way(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    return mixed(self, v @ weighed(masked(q @ k.mT / self.cfg.d_head**0.5)))


@attention.misconception(
    "heads that read one another",
    "In each head a query meets the keys of other positions, not those of other heads. `@` and "
    "`F.scaled_dot_product_attention` take pos and d_head last: `q.transpose(1, 2)`, and so for k and v. "
    "What they give has its axes in that order too.",
)
def heads_read_heads(self, normalized_resid_pre, hide=masked):
    q, k, v = (projected(self, normalized_resid_pre, part).transpose(1, 2) for part in "QKV")
    z = weighed(hide(q @ k.mT / self.cfg.d_head**0.5)) @ v
    return mixed(self, z.transpose(1, 2))


@attention.also("heads that read one another")
def heads_read_all_heads(self, normalized_resid_pre):
    return heads_read_heads(self, normalized_resid_pre, hide=torch.clone)


@attention.misconception(
    "heads added up too early",
    "Head i's queries meet head i's keys and blend head i's values: give the axis head_index one name in both, so "
    "that it is kept.",
)
def keys_of_all_heads(self, normalized_resid_pre, keys=True, values=False):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    k = k.sum(1, keepdim=True).expand(k.shape) if keys else k
    v = v.sum(1, keepdim=True).expand(v.shape) if values else v
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


@attention.also("heads added up too early")
def values_of_all_heads(self, normalized_resid_pre):
    return keys_of_all_heads(self, normalized_resid_pre, keys=False, values=True)


@attention.also("heads added up too early")
def keys_and_values_of_all_heads(self, normalized_resid_pre):
    return keys_of_all_heads(self, normalized_resid_pre, values=True)


@attention.misconception(
    "one pattern for all heads",
    "Each head has scores and a pattern of its own: head_index stays, `batch head_index query_pos key_pos`.",
)
def one_pattern(self, normalized_resid_pre, scale=root_of_d_head, weigh=weighed):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    scores = (q @ k.mT / scale(self.cfg)).sum(1, keepdim=True)
    return mixed(self, weigh(masked(scores)).expand(-1, self.cfg.n_heads, -1, -1) @ v)


for scale in (
    lambda cfg: (cfg.n_heads * cfg.d_head) ** 0.5,
    lambda cfg: cfg.d_model**0.5,
    lambda cfg: cfg.n_heads * cfg.d_head**0.5,  # the mean of the scores
):
    attention.also("one pattern for all heads")(
        lambda self, normalized_resid_pre, scale=scale: one_pattern(self, normalized_resid_pre, scale)
    )


@attention.also("one pattern for all heads")
def mean_of_the_patterns(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    pattern = weighed(masked(q @ k.mT / self.cfg.d_head**0.5)).mean(1, keepdim=True)
    return mixed(self, pattern.expand(-1, self.cfg.n_heads, -1, -1) @ v)


@attention.misconception(
    "the bias of one head for all heads",
    "Each head has a row of `b_Q`, `b_K` and `b_V` of its own: add each to its head.",
)
def one_bias_for_all(self, normalized_resid_pre, parts="QKV"):
    q, k, v = (
        projected(self, normalized_resid_pre, part, bias=False)
        + (getattr(self, f"b_{part}")[:1] if part in parts else getattr(self, f"b_{part}"))[:, None]
        for part in "QKV"
    )
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


for parts in ("Q", "V"):
    attention.also("the bias of one head for all heads")(with_parts(one_bias_for_all, parts))


@attention.misconception(
    "one head's part in the place of all",
    "In GPT-2 each head has queries, keys and values of its own: use those of all heads.",
)
def one_head_for_all(self, normalized_resid_pre, parts="K"):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    q, k, v = (
        one[:, :1].expand(one.shape) if part in parts else one for part, one in zip("QKV", (q, k, v), strict=True)
    )
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


for parts in ("Q", "V", "KV", "QK", "QKV"):
    attention.also("one head's part in the place of all")(with_parts(one_head_for_all, parts))


wrong(
    "heads that are not added up",
    "The axis head_index is still there: sum over it, or leave it out after the arrow of `einsum`.",
    mix=lambda self, z: torch.einsum("bhpk,hkd->bhpd", z, self.W_O) + self.b_O,
)
wrong_too("heads that are not added up", mix=lambda self, z: torch.einsum("bhpk,hkd->bphd", z, self.W_O) + self.b_O)


@attention.misconception(
    "adding the input back", "The block adds attention's answer to the residual stream. Return the answer alone."
)
def residual_added(self, normalized_resid_pre):
    return normalized_resid_pre + attending()(self, normalized_resid_pre)


@attention.also("adding the input back")
def residual_added_in_place(self, normalized_resid_pre):
    normalized_resid_pre += attending()(self, normalized_resid_pre)
    return normalized_resid_pre


@attention.misconception(
    "queries and keys brought to one length",
    "The score is the dot product of q and k as they are, divided by the root of `d_head`: normalise neither.",
)
def cosines(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    return mixed(self, weighed(masked(F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT)) @ v)


@attention.also("queries and keys brought to one length")
def cosines_scaled(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    scores = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT / self.cfg.d_head**0.5
    return mixed(self, weighed(masked(scores)) @ v)


@attention.misconception("normalising the input again", "It comes out of `ln1`, already normalised: use it as it is.")
def normalised_again(self, normalized_resid_pre):
    return attending()(self, F.layer_norm(normalized_resid_pre, normalized_resid_pre.shape[-1:]))


@attention.misconception(
    "a pattern cut out of the graph",
    "Queries and keys learn through the pattern, so leave it in the graph: no `detach`.",
)
def pattern_detached(self, normalized_resid_pre):
    return attending(weigh=lambda scores: scores.softmax(-1).detach())(self, normalized_resid_pre)


@attention.misconception("parameters as plain tensors", "Wrap each in `nn.Parameter`, so that it can be trained.")
class PlainTensors(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        for name, axes in (WEIGHTS | BIASES).items():
            setattr(self, name, torch.zeros([getattr(cfg, axis) for axis in axes.split()]))


def made(changes: dict[str, str], start=torch.randn, spread=None, output=lambda cfg: 1.0):
    """An `__init__` with other axes for some parameters; "" leaves one out. `output` multiplies the start of `W_O`."""

    def init(self, cfg):
        nn.Module.__init__(self)
        self.cfg = cfg
        for name, axes in (WEIGHTS | BIASES | changes).items():
            size = [math.prod(getattr(cfg, part) for part in axis.split("*")) for axis in axes.split()]
            value = torch.zeros(size) if name in BIASES else start(size) * (spread or cfg.init_range)
            if name == "W_O":
                value *= output(cfg)
            if axes:
                setattr(self, name, nn.Parameter(value))

    return type("Made", (nn.Module,), {"__init__": init, "forward": attending()})


@attention.misconception(
    "PyTorch's layer in the place of your own",
    "`nn.MultiheadAttention` has parameters of other names, and its heads must divide d_model among them: use those "
    "that the stub's `__init__` makes.",
)
class TorchLayer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.attn = nn.MultiheadAttention(cfg.d_model, cfg.n_heads, batch_first=True)


attention.misconception(
    "one matrix for all heads side by side",
    "Here, as in TransformerLens, each head has a matrix of its own: `W_Q` is [n_heads d_model d_head].",
)(made(dict.fromkeys(("W_Q", "W_K", "W_V"), "d_model n_heads*d_head") | {"W_O": "n_heads*d_head d_model"}))
attention.misconception(
    "a `W_O` in the shape of `W_Q`", "`W_O` leads back from d_head to d_model: [n_heads d_head d_model]."
)(made({"W_O": "n_heads d_model d_head"}))
attention.misconception("no biases among the parameters", "GPT-2 has four: `b_Q`, `b_K`, `b_V` and `b_O`.")(
    made(dict.fromkeys(BIASES, ""))
)
attention.misconception(
    "one output bias for each head", "The heads' results are added up first: `b_O` is [d_model], one for all."
)(made({"b_O": "n_heads d_model"}))
attention.misconception(
    "weights that start at 0",
    "All heads would start alike and get the same gradients: draw them, `nn.init.normal_(weight, std=cfg.init_range)`.",
)(made({}, start=torch.zeros))
attention.misconception(
    "weights that start with spread 1", "Draw them with `std=cfg.init_range`, which is 0.02: randn alone has 1."
)(made({}, spread=1.0))
attention.misconception(
    "a `W_O` that starts smaller, for the number of layers",
    "GPT-2's paper does so, but here every weight starts alike: `nn.init.normal_(self.W_O, std=cfg.init_range)`.",
)(made({}, output=lambda cfg: (2 * cfg.n_layers) ** -0.5))
