"""How sample_top_k goes wrong, and right answers that look different."""

import math
import random
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.ch08_sampling import sample_top_k
from tests.misconceptions.ch08_sampling.greedy import drawn
from tests.misconceptions.ch08_sampling.sample_basic import best_n


def kept(logits: Tensor, k: int) -> Tensor:
    """The logits, with minus infinity for all but the k highest."""
    return torch.where(logits >= logits.topk(k).values[-1], logits, -math.inf)


@sample_top_k.correct
def masked_below_the_kth(logits, k):
    lower = logits.clone()
    lower[lower < torch.topk(lower, k).values[-1]] = -float("inf")
    return torch.multinomial(F.softmax(lower, dim=-1), num_samples=1).item()


@sample_top_k.correct
def weights_not_scaled_up(logits, k):
    weights, tokens = logits.softmax(-1).topk(k)
    return int(tokens[torch.multinomial(weights, 1)])


@sample_top_k.correct
def all_but_the_lowest_hidden(logits, k):
    lowest = logits.argsort()[: len(logits) - k]
    return int(torch.distributions.Categorical(logits=logits.index_fill(0, lowest, -math.inf)).sample())


@sample_top_k.correct
def above_a_threshold(logits, k):
    threshold = logits.kthvalue(len(logits) - k + 1).values
    noisy = logits - torch.empty_like(logits).exponential_().log()
    return noisy.masked_fill(logits < threshold, -math.inf).argmax().item()


@sample_top_k.correct
def cumulative_sum_of_the_best(logits, k):
    ranked, tokens = logits.sort(descending=True)
    below = ranked[:k].softmax(-1).cumsum(-1)
    return int(tokens[min(int(torch.searchsorted(below, torch.rand(()), right=True)), k - 1)])


@sample_top_k.correct
def pythons_sort(logits, k):
    values = logits.tolist()
    best = sorted(range(len(values)), key=values.__getitem__)[-k:]
    return random.choices(best, [math.exp(values[token] - max(values)) for token in best])[0]


@sample_top_k.correct
def numpys_partition(logits, k):
    values = logits.double().numpy()
    best = np.argpartition(values, -k)[-k:]
    weights = np.exp(values[best] - values.max())
    return int(best[np.random.multinomial(1, weights / weights.sum()).argmax()])


sample_top_k.misconception(
    "the rank instead of the token",
    "What is drawn from sorted logits is a rank: look it up in the indices that `topk` or `sort` gives with them.",
    "tokens[sample_basic(best)] → sample_basic(best)",
)


@sample_top_k.misconception("k equal chances", "Draw with the softmax of the k highest logits.")
def equal_chances(logits, k):
    return int(logits.topk(k).indices[torch.randint(k, ())])


@sample_top_k.misconception(
    "one token too many", "Keep k of them: counted from 0 the k-th stands at k - 1, and it is the last of `topk(k)`."
)
def one_too_many(logits, k):
    return drawn(kept(logits, min(k + 1, len(logits))).softmax(-1))


@sample_top_k.misconception(
    "one token too few", "The k-th likeliest belongs to them: keep what is as high as it or higher, `logits >= kth`."
)
def one_too_few(logits, k):
    return drawn(kept(logits, max(k - 1, 1)).softmax(-1))


sample_top_k.misconception(
    "drawing from all tokens", "Only the k likeliest may come.", lambda logits, k: drawn(logits.softmax(-1))
)
sample_top_k.misconception(
    "always the likeliest token",
    "That is greedy: draw among the k likeliest.",
    lambda logits, k: int(logits.topk(k).indices[0]),
)
sample_top_k.misconception(
    "`k` as a percentage",
    "`k` is how many tokens are kept, not how many of a hundred.",
    lambda logits, k: best_n(logits, int(len(logits) * k / 100)),
)


@sample_top_k.also("`k` as a percentage")
def k_of_a_hundred_or_none(logits, k):
    best, tokens = logits.topk(int(len(logits) * k / 100))
    return int(tokens[drawn(best.softmax(-1))])


sample_top_k.misconception(
    "softmax taken twice",
    "The numbers are those of a softmax of a softmax: hand `sample_basic` logits, of which it takes one; "
    "`multinomial` draws from probabilities as they are.",
    "sample_basic(best) → sample_basic(best.softmax(-1))",
)


@sample_top_k.misconception("zero for the logits that are left out", "exp(0) is 1: use minus infinity.")
def zeros_left_out(logits, k):
    return drawn(torch.where(kept(logits, k).isinf(), 0.0, logits).softmax(-1))


sample_top_k.misconception(
    "a softmax over probabilities that are 0",
    "What is left out still comes, because a 0 counts as `exp(0)` in a softmax, which is 1. Draw from the "
    "probabilities as they are, or give what is left out minus infinity before the softmax.",
    lambda logits, k: drawn(torch.where(kept(logits, k).isinf(), 0.0, logits.softmax(-1)).softmax(-1)),
)


@sample_top_k.misconception(
    "probabilities that are not scaled up",
    "The probabilities of k tokens add up to less than 1, and a random number may lie beyond their sum: divide by it, "
    "or take the softmax of the k logits.",
)
def not_scaled_up(logits, k):
    best, tokens = logits.softmax(-1).topk(k)
    return int(tokens[min(int(torch.searchsorted(best.cumsum(-1), torch.rand(()))), k - 1)])


@sample_top_k.misconception(
    "the best for every draw outside of the k",
    "That gives the likeliest all that the others had. Cut first, then draw among the k: each keeps its share.",
)
def outside_becomes_the_best(logits, k):
    token = drawn(logits.softmax(-1))
    return token if token in logits.topk(k).indices else int(logits.argmax())


@sample_top_k.misconception(
    "equal chances for every draw outside of the k",
    "What the others had is given out evenly, so that unlikely ones gain most. Cut first, then draw among the k.",
)
def outside_becomes_any(logits, k):
    token, best = drawn(logits.softmax(-1)), logits.topk(k).indices
    return token if token in best else int(best[torch.randint(k, ())])


@sample_top_k.misconception(
    "the best of k draws", "`k` says how many tokens there are to draw from. Draw once, and take what is drawn."
)
def best_of_k_draws(logits, k):
    tokens = torch.multinomial(logits.softmax(-1), k)
    return int(tokens[logits[tokens].argmax()])


@sample_top_k.also("the best of k draws")
def best_of_k_draws_with_replacement(logits, k):
    tokens = torch.multinomial(logits.softmax(-1), k, replacement=True)
    return int(tokens[logits[tokens].argmax()])


sample_top_k.misconception(
    "one of k draws from all tokens",
    "`k` says how many tokens there are to draw from, not how often: cut first.",
    lambda logits, k: int(torch.multinomial(logits.softmax(-1), k)[-1]),
    lambda logits, k: int(torch.multinomial(logits.softmax(-1), k)[torch.randint(k, ())]),
)
sample_top_k.misconception(
    "a `k` of 1 as leaving nothing out",
    "With a `k` of 1 the likeliest token is the only one left: cut there too.",
    lambda logits, k: best_n(logits, k if k > 1 else len(logits)),
)
sample_top_k.misconception(
    "the logits farthest from 0",
    "A logit of -9 is an unlikely token: the k highest logits count, not the k farthest from 0.",
    (
        "best, tokens = logits.topk(k) → tokens = logits.abs().topk(k).indices",
        "sample_basic(best) → sample_basic(logits[tokens])",
    ),
)
sample_top_k.misconception(
    "logits taken for weights",
    "Logits may lie below 0, and weights may not: take the softmax of the k logits first.",
    "sample_basic(best) → torch.multinomial(best, 1)",
    "sample_basic(best) → torch.multinomial(best.clamp(min=1e-6), 1)",
    "sample_basic(best) → torch.multinomial(best - best.min() + 1e-6, 1)",
)
sample_top_k.misconception(
    "the drawn token's logit",
    "The place that was drawn is an index into the tokens, which `topk` or `sort` gives as its indices, not into "
    "their logits.",
    "tokens[ → best[",
    "int(tokens[ → float(best[",
)
sample_top_k.misconception(
    "the first of equal logits",
    "Two tokens may have the same logit: look for the place that was drawn among the indices of `topk`, not "
    "for its logit.",
    "tokens[sample_basic(best)] → (logits == best[sample_basic(best)]).int().argmax()",
)


@sample_top_k.misconception(
    "equal logits counted once", "Two tokens with the same logit are two of the k: count tokens, not different logits."
)
def equal_logits_counted_once(logits, k):
    different = logits.unique()
    return drawn(torch.where(logits >= different[-min(k, len(different))], logits, -math.inf).softmax(-1))


sample_top_k.misconception(
    "tokens in another order than their logits",
    "The place that was drawn is one among the values: look it up in the indices that came with them, as they came.",
    "tokens[ → tokens.sort().values[",
    "tokens[ → logits.argsort()[",
    (
        "best, tokens = logits.topk(k) → ranked, tokens = logits.sort()",
        "sample_basic(best) → sample_basic(ranked[-k:])",
    ),
    "tokens[ → tokens.flip(0)[",
)
sample_top_k.misconception(
    "the k likeliest left out",
    "It is the other way round: keep the k highest, and hide what is *lower* than the k-th.",
    lambda logits, k: drawn(logits.masked_fill(logits > logits.topk(k).values[-1], -math.inf).softmax(-1)),
    lambda logits, k: drawn(logits.masked_fill(logits >= logits.topk(k).values[-1], -math.inf).softmax(-1)),
)
sample_top_k.misconception(
    "a mask that is not low enough",
    "Hidden tokens still have a chance: give them `-inf`, or -1e9.",
    lambda logits, k: drawn(torch.where(kept(logits, k).isinf(), -1.0, logits).softmax(-1)),
    lambda logits, k: drawn(torch.where(kept(logits, k).isinf(), logits - 1.0, logits).softmax(-1)),
    lambda logits, k: drawn(torch.where(kept(logits, k).isinf(), -5.0, logits).softmax(-1)),
    lambda logits, k: drawn(torch.where(kept(logits, k).isinf(), -10.0, logits).softmax(-1)),
)
sample_top_k.misconception(
    "the best one left out",
    "The likeliest token never comes, and the one after the k-th does: counted from 0, the k likeliest of a "
    "descending sort are `[:k]`.",
    (
        "best, tokens = logits.topk(k) → tokens = logits.argsort(descending=True)[min(1, len(logits) - 1) : k + 1]",
        "sample_basic(best) → sample_basic(logits[tokens])",
    ),
)


@sample_top_k.misconception(
    "the k least likely tokens",
    "Keep the highest logits, which `topk` finds and `sort` with `descending=True` lists first.",
)
def least_likely(logits, k):
    lowest, tokens = logits.topk(k, largest=False)
    return int(tokens[drawn(lowest.softmax(-1))])


sample_top_k.also(
    "the k least likely tokens",
    (
        "best, tokens = logits.topk(k) → tokens = logits.argsort()[:k]",
        "sample_basic(best) → sample_basic(logits[tokens])",
    ),
)
sample_top_k.misconception(
    "only the `k` least likely hidden",
    "That leaves all the others, not `k` of them. Hide all but the `k` likeliest: in an ascending order these are the "
    "last, so `order[:-k]` is what to hide.",
    lambda logits, k: drawn(logits.index_fill(0, logits.argsort()[:k], -math.inf).softmax(-1)),
)
sample_top_k.misconception(
    "`argsort` taken for ranks",
    "`argsort` lists the tokens in order, and its number at a token is not that token's rank. The first k of a "
    "descending list are the k likeliest: keep `logits[order[:k]]`.",
    lambda logits, k: drawn(logits.masked_fill(logits.argsort(descending=True) >= k, -math.inf).softmax(-1)),
    said_of="sort",
    otherwise="The tokens that are kept are not the k likeliest: `topk(k)` finds those, and says where they are.",
)
sample_top_k.misconception(
    "the first k tokens of the vocabulary",
    "Keep the likeliest tokens, not the first: `topk(k)` finds the k highest logits and their tokens.",
    lambda logits, k: drawn(logits[:k].softmax(-1)),
)


@sample_top_k.misconception(
    "a threshold counted from the other end",
    "Sorted from low to high, the k-th highest is number -k, not k: `logits.sort().values[-k]`.",
)
def threshold_from_below(logits, k):
    threshold = logits.sort().values[min(k, len(logits) - 1)]
    return drawn(logits.masked_fill(logits < threshold, -math.inf).softmax(-1))


@sample_top_k.misconception(
    "`exp` without the largest logit subtracted",
    "Above 88 `exp` is infinite, and below -104 it is 0: use `softmax`, which subtracts the largest logit first.",
)
def bare_exp_of_k(logits, k):
    best, tokens = logits.topk(k)
    return int(tokens[drawn(best.exp())])


sample_top_k.misconception(
    "the drawn token in a tensor",
    "A token is an int, and this is a tensor that holds one: call `int(...)` or `.item()`.",
    "int(tokens[sample_basic(best)]) → tokens[torch.multinomial(best.softmax(-1), 1)]",
    lambda logits, k: torch.multinomial(kept(logits, k).softmax(-1), 1)[0],
)
sample_top_k.misconception(
    "the drawn token in a list",
    "A token is an int: write `.item()`, not `.tolist()`.",
    lambda logits, k: logits.topk(k).indices[torch.multinomial(logits.topk(k).values.softmax(-1), 1)].tolist(),
)


@sample_top_k.misconception(
    "the drawn token as NumPy's integer", "NumPy has its own kind of number: make a Python `int(...)` of it."
)
def k_of_numpy(logits, k):
    best, tokens = logits.topk(k)
    return np.random.choice(tokens.numpy(), p=best.double().softmax(-1).numpy())


sample_top_k.misconception(
    "masking in place",
    "The caller's logits have other numbers now: hide tokens in a copy, `masked_fill` or `logits.clone()`.",
    lambda logits, k: drawn(logits.masked_fill_(kept(logits, k).isinf(), -math.inf).softmax(-1)),
)


def top_k_by_the_cumulative_sum(more: int) -> Any:
    """Somebody else's way of keeping more tokens than k: other draws, the same distribution."""
    return lambda logits, k: cumulative_sum_of_the_best(logits, min(k + more, len(logits)))


OTHER_WAYS = {
    "one token too many": top_k_by_the_cumulative_sum(1),
    "drawing from all tokens": top_k_by_the_cumulative_sum(1000),
}
