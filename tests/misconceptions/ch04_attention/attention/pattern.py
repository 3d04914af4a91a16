"""How Attention goes wrong: from scores to weights."""

import math

import einops
import torch
import torch.nn.functional as F

from tests.ch04_attention import attention
from tests.misconceptions.ch04_attention.apply_causal_mask import a_large_negative_number, future, in_a_window
from tests.misconceptions.ch04_attention.attention.scores import masked, mixed, projected, weighed, wrong, wrong_too

wrong(
    "softmax over the queries",
    "For each query the weights of its keys add up to 1: `dim=-1`, the key axis.",
    weigh=lambda scores: scores.softmax(-2),
)
wrong(
    "softmax over the heads",
    "Axis 1 is head_index. The weights add up to 1 over the keys: `dim=-1`.",
    weigh=lambda scores: scores.softmax(1),
)
wrong_too("softmax over the heads", hide=a_large_negative_number, weigh=lambda scores: scores.softmax(1))
wrong(
    "softmax over the batch",
    "Axis 0 is the batch. The weights add up to 1 over the keys: `dim=-1`.",
    weigh=lambda scores: scores.softmax(0),
)
wrong_too("softmax over the batch", hide=a_large_negative_number, weigh=lambda scores: scores.softmax(0))
wrong(
    "one softmax over queries and keys",
    "Each query has weights of its own: softmax runs along the last axis alone.",
    weigh=lambda scores: scores.flatten(2).softmax(-1).view(scores.shape),
)
wrong(
    "exp without the largest score subtracted",
    "exp(89) is infinite in float32: use your `softmax`, which subtracts the largest score of a row first.",
    weigh=lambda scores: scores.exp() / scores.exp().sum(-1, keepdim=True),
)
wrong(
    "scores used as weights",
    "Softmax is missing between the mask and the values.",
    hide=lambda scores: scores.tril(),
    weigh=lambda scores: scores,
)
wrong_too("scores used as weights", weigh=lambda scores: scores)
wrong_too(
    "scores used as weights", hide=lambda scores: scores.masked_fill(future(scores), -1e9), weigh=lambda scores: scores
)
wrong_too("scores used as weights", hide=lambda scores: scores, weigh=lambda scores: scores)
wrong(
    "values that are not blended",
    "What a position gets is `pattern @ v`: its weights times the values they read.",
    weigh=lambda scores: torch.eye(scores.shape[-1]).expand(scores.shape),
)


@attention.misconception(
    "scores of each position with itself alone",
    "Query and key have axes of their own, [query_pos key_pos]: in `einsum` give them two names, or write "
    "`q @ k.transpose(-2, -1)`.",
)
def on_the_diagonal(self, normalized_resid_pre):
    """One score for each position, which the mask then takes for a square of heads and positions."""
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    scores = torch.einsum("bhtd,bhtd->bht", q, k) / self.cfg.d_head**0.5
    return mixed(self, weighed(masked(scores))[..., None] * v)


@attention.also("scores of each position with itself alone")
def on_the_diagonal_unmasked(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    scores = (q * k).sum(-1) / self.cfg.d_head**0.5
    return mixed(self, weighed(scores)[..., None] * v)


MIX = "batch head_index pos d_head, head_index d_head d_model -> batch pos d_model"


@attention.misconception(
    "a pattern that is not applied to the values",
    "The step `z = pattern @ v` is missing: it is z that goes through `W_O`.",
)
def no_values(self, normalized_resid_pre):
    q, k = projected(self, normalized_resid_pre, "Q"), projected(self, normalized_resid_pre, "K")
    pattern = weighed(masked(q @ k.mT / self.cfg.d_head**0.5))
    return einops.einsum(pattern, self.W_O, MIX) + self.b_O


@attention.also("a pattern that is not applied to the values")
def no_values_in_torch(self, normalized_resid_pre):
    q, k = projected(self, normalized_resid_pre, "Q"), projected(self, normalized_resid_pre, "K")
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)))


wrong(
    "the largest score of the whole tensor subtracted",
    "A row far below it underflows to 0/0. Use your `softmax`, which subtracts each row's own maximum.",
    weigh=lambda scores: (scores - scores.max()).exp() / (scores - scores.max()).exp().sum(-1, keepdim=True),
)
wrong(
    "scores divided by their sum",
    "Take `exp` of the scores first, as your `softmax` does: only then are all weights positive.",
    weigh=lambda scores: scores.tril() / scores.tril().sum(-1, keepdim=True),
)
wrong(
    "powers of 2 in the place of exp",
    "Softmax takes powers of e: use your `softmax`.",
    weigh=lambda scores: weighed(scores * math.log(2)),
)
wrong_too("powers of 2 in the place of exp", weigh=lambda scores: 2**scores / (2**scores).sum(-1, keepdim=True))
wrong(
    "the key with the largest score alone",
    "That is argmax, all or nothing: softmax gives every key a share.",
    weigh=lambda scores: F.one_hot(scores.argmax(-1), scores.shape[-1]).float(),
)
wrong(
    "the logarithm of the weights",
    "That is log-softmax: the pattern holds the weights themselves, `softmax`.",
    weigh=lambda scores: scores.log_softmax(-1),
)
wrong_too("the logarithm of the weights", hide=a_large_negative_number, weigh=lambda scores: scores.log_softmax(-1))
wrong(
    "weights that are exp of the scores alone",
    "Divide by their sum over the keys, as your `softmax` does.",
    weigh=lambda scores: scores.exp(),
)
wrong(
    "softmax taken twice",
    "The first makes weights of the scores; the second takes these for scores and levels them. Once is enough.",
    weigh=lambda scores: scores.softmax(-1).softmax(-1),
)


def turned_round(self, q, k):
    """The scores, with all four axes of the keys turned round."""
    return q @ k.permute(3, 2, 1, 0) / self.cfg.d_head**0.5


@attention.misconception(
    "keys with the wrong axes swapped",
    "Swap only the last two axes, `k.transpose(-2, -1)`. (`k.T` reverses all four, and axis 1 is head_index.)",
)
def all_axes_of_the_keys(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    return mixed(self, weighed(masked(turned_round(self, q, k))) @ v)


@attention.misconception(
    "keys that are not transposed",
    "`@` sums over the last axis of q and the last but one of k, and d_head must be both: `q @ k.transpose(-2, -1)`.",
)
def keys_as_they_are(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    return mixed(self, weighed(masked(q @ k / self.cfg.d_head**0.5)) @ v)


wrong(
    "sigmoid in the place of softmax",
    "A query's weights add up to 1 over its keys: use your `softmax`.",
    weigh=lambda scores: scores.sigmoid(),
)
wrong(
    "a pattern with its axes swapped",
    "Each row of the pattern belongs to a query: `pattern @ v`, not transposed.",
    weigh=lambda scores: scores.softmax(-1).mT,
)

wrong(
    "hiding what lies far back",
    "A query reads every key up to its own, however far back it is: hide nothing to the left of the diagonal.",
    hide=in_a_window(256),
)
