"""How attend_with_cache goes wrong, and right answers that look different."""

import math

import torch
import torch.nn.functional as F

from tests.ch08_sampling import attending


def parts_of(attn, x, keys, values):
    """Queries, all keys and all values, [batch head_index pos d_head]."""
    query, key, value = (
        torch.einsum("bpm,hmd->bhpd", x, weight) + bias[:, None]
        for weight, bias in ((attn.W_Q, attn.b_Q), (attn.W_K, attn.b_K), (attn.W_V, attn.b_V))
    )
    joined = [torch.cat([old.transpose(1, 2), new], dim=2) for old, new in ((keys, key), (values, value))]
    return query, *joined


def writes(attn, z):
    """What the heads' answers, [batch head_index pos d_head], write into the stream."""
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def may_read(n_new, n_all):
    """True where a new position may read."""
    return torch.arange(n_all) <= torch.arange(n_all - n_new, n_all)[:, None]


def stored(tensor):
    return tensor.transpose(1, 2)


@attending.correct
def by_pytorchs_own_attention(attn, normalized_resid_pre, keys, values):
    query, key, value = parts_of(attn, normalized_resid_pre, keys, values)
    allowed = may_read(query.shape[2], key.shape[2])
    z = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed)
    return writes(attn, z), stored(key), stored(value)


@attending.correct
def one_new_position_at_a_time(attn, normalized_resid_pre, keys, values):
    written = []
    for one in normalized_resid_pre.split(1, dim=1):
        query, key, value = parts_of(attn, one, keys, values)
        keys, values = stored(key), stored(value)
        pattern = (query @ key.mT / math.sqrt(key.shape[-1])).softmax(-1)
        written.append(writes(attn, pattern @ value))
    return torch.cat(written, dim=1), keys, values


@attending.correct
def head_by_head(attn, normalized_resid_pre, keys, values):
    x, all_keys, all_values, total = normalized_resid_pre, [], [], attn.b_O
    for head in range(keys.shape[2]):
        query = x @ attn.W_Q[head] + attn.b_Q[head]
        key = torch.cat([keys[:, :, head], x @ attn.W_K[head] + attn.b_K[head]], dim=1)
        value = torch.cat([values[:, :, head], x @ attn.W_V[head] + attn.b_V[head]], dim=1)
        hidden = ~may_read(x.shape[1], key.shape[1])
        scores = (query / key.shape[-1] ** 0.5) @ key.mT + torch.zeros(hidden.shape).masked_fill(hidden, -math.inf)
        total = total + scores.softmax(-1) @ value @ attn.W_O[head]
        all_keys.append(key)
        all_values.append(value)
    return total, torch.stack(all_keys, dim=2), torch.stack(all_values, dim=2)


attending.misconception(
    "the mask of a text without old positions",
    "The first new position is number n_old of the text, not number 0: it reads n_old keys and its own. A mask hides "
    "what is right of these, `triu(n_old + 1)`. `scaled_dot_product_attention` takes a mask of your own as "
    "`attn_mask`, True where a key may be read; its `is_causal=True` counts from 0.",
    "triu(n_all - n_new + 1) → triu(1)",
)


@attending.also("the mask of a text without old positions")
def by_pytorchs_own_causal_mask(attn, normalized_resid_pre, keys, values):
    query, key, value = parts_of(attn, normalized_resid_pre, keys, values)
    z = F.scaled_dot_product_attention(query, key, value, is_causal=True)
    return writes(attn, z), stored(key), stored(value)


@attending.also("the mask of a text without old positions")
def by_pytorchs_own_causal_mask_for_several(attn, normalized_resid_pre, keys, values):
    query, key, value = parts_of(attn, normalized_resid_pre, keys, values)
    z = F.scaled_dot_product_attention(query, key, value, is_causal=query.shape[-2] > 1)
    return writes(attn, z), stored(key), stored(value)


attending.misconception(
    "new positions that read later new ones",
    "Several positions may be new at once, and none of them may read a later one: hide what is right of the diagonal "
    "that begins at column n_old, the number of positions *before* them.",
    "torch.ones → torch.zeros",
    "triu(n_all - n_new + 1) → triu(n_all - n_new + 1) & (n_all == n_new)",  # no mask as soon as anything is old
)
attending.misconception(
    "a position that does not read itself",
    "Each new position reads its own key too: the mask begins one further to the right.",
    "triu(n_all - n_new + 1) → triu(n_all - n_new)",
    ("triu(n_all - n_new + 1) → triu(n_all - n_new)", "-torch.inf → -1e9"),
)
attending.misconception(
    "a position that reads the next one",
    "The mask begins one column too far to the right: hide all that is right of the diagonal that begins at column "
    "n_old.",
    "triu(n_all - n_new + 1) → triu(n_all - n_new + 2)",
)
attending.misconception(
    "the mask the wrong way round",
    "What is hidden is what comes *after* the query: to the right of the diagonal, not to its left.",
    "triu(n_all - n_new + 1) → tril(n_all - n_new - 1)",
)
attending.misconception(
    "a mask over the first columns",
    "The columns of the new positions are the last ones, from n_old on: hide nothing in the columns before them.",
    "triu(n_all - n_new + 1) → triu(1) & (torch.arange(n_all) < n_new)",
)
attending.misconception(
    "old positions that are not read",
    "Only later positions are hidden. Every new one reads all old ones: that is what their keys are kept for.",
    "(later, → (later | (torch.arange(n_all) < n_all - n_new),",
)
attending.misconception(
    "old positions far back that are not read",
    "Every new position reads all old ones, however far back they are: hide later positions alone.",
    "(later, → (later | torch.ones(n_new, n_all, dtype=torch.bool).tril(n_all - n_new - 256),",
)
attending.misconception(
    "new positions that do not read one another",
    "A new position reads all that stand before it, the new ones among them too: hide later positions alone.",
    "(later, → (torch.eye(n_new, n_all).roll(n_all - n_new, 1).logical_not() & (torch.arange(n_all) >= n_all - n_new),",
)
attending.misconception(
    "the old keys left out",
    "The queries meet the keys of *all* positions: put the new keys after the old ones.",
    "[keys, project → [keys[:, :0], project",
)


@attending.also("the old keys left out")
def old_keys_and_values_left_out(attn, normalized_resid_pre, keys, values):
    query, key, value = parts_of(attn, normalized_resid_pre, keys[:, :0], values[:, :0])
    pattern = (query @ key.mT / key.shape[-1] ** 0.5).masked_fill(~may_read(*[query.shape[2]] * 2), -math.inf)
    return writes(attn, pattern.softmax(-1) @ value), stored(key), stored(value)


attending.misconception(
    "new keys and values before the old ones",
    "Positions are in the text's order: the old ones first, then the new ones. The mask counts on it.",
    (
        "keys, project(attn.W_K, attn.b_K) → project(attn.W_K, attn.b_K), keys",
        "values, project(attn.W_V, attn.b_V) → project(attn.W_V, attn.b_V), values",
    ),
)
attending.misconception(
    "new values before the old ones",
    "The values are in the text's order, as the keys are: the old ones first, then the new ones.",
    "values, project(attn.W_V, attn.b_V) → project(attn.W_V, attn.b_V), values",
)
attending.misconception(
    "new keys before the old ones",
    "The keys are in the text's order, as the values are: the old ones first, then the new ones.",
    "keys, project(attn.W_K, attn.b_K) → project(attn.W_K, attn.b_K), keys",
)


@attending.misconception(
    "the keys and values of the new positions alone",
    "What comes out has to go in the next time: return the keys and values of all positions, old and new.",
)
def returning_new_ones(attn, normalized_resid_pre, keys, values):
    query, key, value = parts_of(attn, normalized_resid_pre, keys, values)
    n_old, hidden = keys.shape[1], ~may_read(query.shape[2], key.shape[2])
    pattern = (query @ key.mT / key.shape[-1] ** 0.5).masked_fill(hidden, -math.inf).softmax(-1)
    return writes(attn, pattern @ value), stored(key)[:, n_old:], stored(value)[:, n_old:]


attending.misconception(
    "keys and values that change places in the answer",
    "The answer is in this order: what is written, all keys, all values.",
    "b_O, keys, values → b_O, values, keys",
)
attending.misconception(
    "keys and values with the heads before the positions",
    "They come back as they went in, [batch pos head_index d_head]: `transpose(1, 2)` once more.",
    "b_O, keys, values → b_O, keys.transpose(1, 2), values.transpose(1, 2)",
)
attending.misconception(
    "only what is written",
    "Return three tensors: what attention writes, the keys of all positions, their values.",
    "b_O, keys, values → b_O",
)
attending.misconception(
    "the scores not divided",
    "Divide the scores by the root of d_head, as your `Attention` does.",
    " / keys.shape[-1] ** 0.5 → ",
)
attending.misconception(
    "the scores divided by d_head",
    "Divide the scores by the *root* of d_head.",
    "keys.shape[-1] ** 0.5 → keys.shape[-1]",
)
attending.misconception(
    "the scores divided by the root of d_model",
    "The dot product of a query and a key has d_head terms: divide it by the root of d_head.",
    "keys.shape[-1] → normalized_resid_pre.shape[-1]",
)
attending.misconception(
    "the scores divided by the root of n_heads",
    "The number of heads plays no part in the scale: it is the root of d_head, the number of terms in one dot product.",
    "keys.shape[-1] → keys.shape[-2]",
)
attending.misconception(
    "a softmax over the queries",
    "Each query shares out a weight of 1 over the keys: the softmax runs along the last axis.",
    "softmax(dim=-1) → softmax(dim=-2).nan_to_num()",
)
attending.misconception(
    "hidden keys that keep their share of softmax's sum",
    "Set the *scores* of hidden keys to minus infinity, before the softmax: taken first, it has counted them "
    "in its sum.",
    "scores.masked_fill(later, -torch.inf).softmax(dim=-1) → scores.softmax(dim=-1).masked_fill(later, 0.0)",
)
attending.misconception(
    "hidden scores set to 0",
    "A score of 0 still has a weight, e⁰ = 1 before the division: hide it with minus infinity.",
    "-torch.inf → 0.0",
)
attending.misconception("`b_O` left out", "After the sum over heads `b_O` is added, once.", " + attn.b_O → ")
attending.misconception(
    "`b_O` once for each head",
    "Sum over the heads first, and add `b_O` once: it has no axis of heads.",
    " + attn.b_O →  + len(attn.W_O) * attn.b_O",
)
attending.misconception(
    "heads merged in the wrong order",
    "Each head has its own part of `W_O`: in [batch head_index pos d_head] move the heads after the positions, then "
    "flatten.",
    "z.flatten(2) → z.transpose(1, 2).reshape(*z.shape[:2], -1)",
)


def mixed(tensor):
    """The heads put before the positions by `view` where `transpose` is due."""
    return stored(tensor).reshape(tensor.shape)


def mixing(*which):
    """Attention in which these of queries, keys and values are mixed."""

    def attend_with_cache(attn, normalized_resid_pre, keys, values):
        parts = parts_of(attn, normalized_resid_pre, keys, values)
        query, key, value = (mixed(one) if name in which else one for name, one in zip("QKV", parts, strict=True))
        hidden = ~may_read(query.shape[2], key.shape[2])
        pattern = (query @ key.mT / key.shape[-1] ** 0.5).masked_fill(hidden, -math.inf).softmax(-1)
        return writes(attn, pattern @ value), *map(stored, parts[1:])

    return attend_with_cache


attending.misconception(
    "positions and heads mixed",
    "`view` and `reshape` keep all numbers in their order. To have the heads before the positions, swap the axes: "
    "`transpose(1, 2)`.",
    mixing("Q"),
    mixing("Q", "K"),
    mixing("Q", "K", "V"),
)
attending.misconception(
    "biases of queries, keys or values left out",
    "Each projection has its bias: `b_Q` for the queries, `b_K` for the keys, `b_V` for the values.",
    "project(attn.W_V, attn.b_V) → project(attn.W_V, 0.0)",
    "project(attn.W_Q, attn.b_Q) → project(attn.W_Q, 0.0)",
    "project(attn.W_K, attn.b_K) → project(attn.W_K, 0.0)",
    " + bias → ",
)
attending.misconception(
    "the old values left out",
    "The weights run over all positions, and so do the values that they mix: put the new values after the old ones.",
    "pattern, values) → pattern[..., -n_new:], values[:, -n_new:])",
)
attending.misconception(
    "values made with `W_K`",
    "The values have weights and a bias of their own, `W_V` and `b_V`.",
    "attn.W_V, attn.b_V → attn.W_K, attn.b_K",
)
attending.misconception(
    "keys made with `W_Q`",
    "The keys have weights and a bias of their own, `W_K` and `b_K`.",
    "attn.W_K, attn.b_K → attn.W_Q, attn.b_Q",
)
attending.misconception(
    "old and new put side by side along the heads",
    "Positions are axis 1 of [batch pos head_index d_head]: join old and new along that axis.",
    ("attn.b_K)], dim=1 → attn.b_K)], dim=2", "attn.b_V)], dim=1 → attn.b_V)], dim=2"),
)

attending.equivalent("1 → -3", "Keys and values have four axes, so that axis 1 is also number -3.")
attending.equivalent("keys → values", "Keys and values have the same shape.")
attending.equivalent("-1 → 3", "Keys and scores have four axes, so that the last one is also number 3.")
attending.equivalent("2 → -2", "`z` has four axes, so that number 2 is the last but one.")
attending.equivalent("0 → -3", "`W_O` has three axes, so that number 0 is the third from the end.")
attending.equivalent("1 → -2", "`W_O` has three axes, so that number 1 is the last but one.")
attending.equivalent("scores.shape[-2:] → scores.shape[2:]", "The scores have four axes: the last two are from 2 on.")
attending.equivalent(
    "scores.masked_fill(later, -torch.inf) → scores.masked_fill_(later, -torch.inf)",
    "The scores are the function's own, and nobody reads them again.",
)
