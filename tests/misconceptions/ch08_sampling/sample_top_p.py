"""How sample_top_p goes wrong, and right answers that look different."""

import math
import random
from functools import partial

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.ch08_sampling import sample_top_p
from tests.misconceptions.ch08_sampling.greedy import drawn
from tests.misconceptions.ch08_sampling.sample_basic import best_n


def n_before(logits: Tensor, top_p: float) -> int:
    """How many of the likeliest do not yet reach `top_p` together."""
    return int((logits.softmax(-1).sort(descending=True).values.cumsum(-1) < top_p).sum())


def n_nucleus(logits: Tensor, top_p: float, min_tokens_to_keep: int = 1) -> int:
    return min(max(n_before(logits, top_p) + 1, min_tokens_to_keep), len(logits))


def nucleus_mask(logits: Tensor, top_p: float, min_tokens_to_keep: int = 1) -> Tensor:
    """True for each token of the nucleus."""
    return logits >= logits.topk(n_nucleus(logits, top_p, min_tokens_to_keep)).values[-1]


def nucleus(logits, top_p, min_tokens_to_keep=1):
    sums = logits.softmax(-1).sort(descending=True).values.cumsum(-1)
    return best_n(logits, max(int((sums < top_p).sum()) + 1, min_tokens_to_keep))


def chosen(logits, top_p, min_tokens_to_keep=1):
    best, tokens = logits.topk(n_nucleus(logits, top_p, min_tokens_to_keep))
    return int(tokens[drawn(best.softmax(-1))])


wrong, also = partial(sample_top_p.misconception, of=nucleus), partial(sample_top_p.also, of=nucleus)

sample_top_p.equivalent("-1 → 0", "The logits have one axis.")
sample_top_p.equivalent(
    "int((before < top_p).sum()) → (before < top_p).sum()", "A tensor without axes ends a slice too."
)


@sample_top_p.correct
def huggingface_from_the_top(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = torch.sort(logits, descending=True)
    remove = F.softmax(ranked, dim=-1).cumsum(dim=-1) >= top_p
    remove[1:] = remove[:-1].clone()
    remove[0] = False
    remove[:min_tokens_to_keep] = False
    lower = logits.clone()
    lower[tokens[remove]] = -float("inf")
    return torch.multinomial(F.softmax(lower, dim=-1), 1).item()


@sample_top_p.correct
def huggingface_from_the_bottom(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = torch.sort(logits, descending=False)
    remove = ranked.softmax(dim=-1).cumsum(dim=-1) <= (1 - top_p)
    remove[-min_tokens_to_keep:] = False
    remove = remove.scatter(0, tokens, remove)
    return int(torch.distributions.Categorical(logits=logits.masked_fill(remove, -float("inf"))).sample())


@sample_top_p.correct
def token_after_token(logits, top_p, min_tokens_to_keep=1):
    probabilities = logits.softmax(-1).tolist()
    nucleus, total = [], 0.0
    for token in sorted(range(len(probabilities)), key=lambda token: -probabilities[token]):
        if total >= top_p and len(nucleus) >= min_tokens_to_keep:
            break
        nucleus.append(token)
        total += probabilities[token]
    return random.choices(nucleus, [probabilities[token] for token in nucleus])[0]


@sample_top_p.correct
def searched(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.softmax(-1).sort(descending=True)
    n_kept = max(int(torch.searchsorted(ranked.cumsum(-1), top_p)) + 1, min_tokens_to_keep)
    return tokens[torch.multinomial(ranked[:n_kept], 1)].item()


@sample_top_p.correct
def numpys_nucleus(logits, top_p, min_tokens_to_keep=1):
    weights = logits.double().softmax(-1).numpy()
    tokens = np.argsort(weights)[::-1]
    n_kept = max(int(np.sum(np.cumsum(weights[tokens]) < top_p)) + 1, min_tokens_to_keep)
    best = tokens[:n_kept]
    return int(np.random.choice(best, p=weights[best] / weights[best].sum()))


@sample_top_p.correct
def noise_above_a_threshold(logits, top_p, min_tokens_to_keep=1):
    noisy = logits - torch.empty_like(logits).exponential_().log()
    return int(noisy.masked_fill(~nucleus_mask(logits, top_p, min_tokens_to_keep), -math.inf).argmax())


wrong(
    "masking in place",
    "The caller's logits have other numbers now: hide tokens in a copy, `masked_fill` or `logits.clone()`.",
    lambda logits, *p, **least: drawn(logits.masked_fill_(~nucleus_mask(logits, *p, **least), -math.inf).softmax(-1)),
)
wrong(
    "`min_tokens_to_keep` left out",
    "Where the nucleus is smaller than `min_tokens_to_keep`, keep that many.",
    "max(int((sums < top_p).sum()) + 1, min_tokens_to_keep) → int((sums < top_p).sum()) + 1",
    "min_tokens_to_keep)) → min_tokens_to_keep) if top_p else 1)",
)
wrong(
    "`min_tokens_to_keep` as the most that are kept",
    "It is the least to keep: take the larger of it and the nucleus, `max`.",
    "max(int → min(int",
)
wrong(
    "a nucleus of `min_tokens_to_keep`, whatever `top_p` says",
    "The nucleus never gets larger here: compare sums of *probabilities*, the last of which is 1, with `top_p` as it "
    "is.",
    "max(int((sums < top_p).sum()) + 1, min_tokens_to_keep) → min_tokens_to_keep",
    "sums < top_p → sums < top_p / 100",
)


@sample_top_p.also("a nucleus of `min_tokens_to_keep`, whatever `top_p` says")
def weights_below_the_best_added_up(logits, top_p, min_tokens_to_keep=1):
    weights = (logits - logits.max()).sort(descending=True).values.exp()
    return best_n(logits, max(int((weights.cumsum(-1) - weights < top_p).sum()), min_tokens_to_keep))


wrong(
    "`min_tokens_to_keep` beside the nucleus",
    "It is not added to the nucleus: keep the larger of the two numbers, `max`.",
    "max(int((sums < top_p).sum()) + 1, → (int((sums < top_p).sum()) +",
)


@sample_top_p.misconception(
    "a nucleus that may be empty",
    "No sum is below a `top_p` of 0: keep at least one token, which is the least that is asked for.",
)
def empty_at_zero(logits, top_p, min_tokens_to_keep=0):
    ranked, tokens = logits.sort(descending=True)
    chances = ranked.softmax(-1)
    n_kept = max(int((chances.cumsum(-1) - chances < top_p).sum()), min_tokens_to_keep)
    return int(tokens[drawn(chances[:n_kept])])


wrong(
    "one more than `min_tokens_to_keep`",
    "Where the nucleus is smaller, keep the first `min_tokens_to_keep` and no more: in a mask these are "
    "`[:min_tokens_to_keep]`, after any shift; a loop may end once it has kept that many.",
    "min_tokens_to_keep)) → min_tokens_to_keep + (min_tokens_to_keep > 1)))",
    "min_tokens_to_keep)) → min_tokens_to_keep + 1))",
)


@sample_top_p.misconception(
    "one token marked in the place of the first `min_tokens_to_keep`",
    "The first `min_tokens_to_keep` must all be kept, not just the token of that rank: `keep[:n] = True` marks them, "
    "`keep[n] = True` a single one.",
)
def one_place_marked(logits, top_p, min_tokens_to_keep=1):
    probabilities, tokens = logits.softmax(-1).sort(descending=True)
    keep = probabilities.cumsum(-1) - probabilities < top_p
    keep[min(min_tokens_to_keep, len(logits) - 1)] = True
    return int(tokens[drawn(probabilities * keep)])


wrong(
    "`top_p` at 0 as leaving nothing out",
    "A nucleus of 0 is the likeliest token alone, or `min_tokens_to_keep` of them.",
    "min_tokens_to_keep)) → min_tokens_to_keep) if top_p else len(logits))",
)
wrong(
    "a default of two tokens",
    "Where no number is given it is 1: `min_tokens_to_keep: int = 1` in the first line.",
    "min_tokens_to_keep=1 → min_tokens_to_keep=2",
)


@sample_top_p.misconception(
    "the rest of the sum, 1 - `top_p`", "`top_p` is what is kept: compare the sum from the likeliest down with it."
)
def rest_of_the_sum(logits, top_p, min_tokens_to_keep=1):
    return best_n(logits, n_nucleus(logits, 1 - top_p, min_tokens_to_keep))


@sample_top_p.misconception(
    "single probabilities compared with `top_p`",
    "No token needs to have `top_p` by itself: the running sum, `cumsum(-1)`, is compared with it.",
)
def single_probabilities(logits, top_p, min_tokens_to_keep=1):
    return best_n(logits, max(int((logits.softmax(-1) >= top_p).sum()), min_tokens_to_keep))


also(
    "single probabilities compared with `top_p`",
    "int((sums < top_p).sum()) + 1 → int((logits.softmax(-1) < top_p).sum())",
)


@sample_top_p.also("single probabilities compared with `top_p`")
def each_in_the_place_of_the_sum(logits, top_p, min_tokens_to_keep=1):
    """A loop from the likeliest down, with `=` where `+=` is due: the first reaches `top_p`, or none does."""
    return best_n(logits, min_tokens_to_keep if logits.softmax(-1).max() >= top_p else len(logits))


wrong(
    "a share of the best probability",
    "That is another method, min-p: here the probabilities are added up, until they reach `top_p`.",
    "int((sums < top_p).sum()) + 1 → int((logits.softmax(-1) >= top_p * logits.softmax(-1).max()).sum())",
)


@sample_top_p.also("a share of the best probability")
def share_of_the_best_alone(logits, top_p, min_tokens_to_keep=1):
    chances = logits.softmax(-1)
    return drawn(torch.where(chances >= top_p * chances.max(), chances, 0.0))


wrong(
    "a share of the vocabulary",
    "`top_p` is a share of the *probability*, not of the number of tokens: add probabilities up until they reach it.",
    "int((sums < top_p).sum()) + 1 → int(top_p * len(logits))",
    "int((sums < top_p).sum()) + 1 → math.ceil(top_p * len(logits))",
)


@sample_top_p.misconception(
    "the best for every draw outside of the nucleus",
    "That gives the likeliest all that the others had. Cut first, then draw among the nucleus: each keeps its share.",
)
def outside_the_nucleus_becomes_the_best(logits, top_p, min_tokens_to_keep=1):
    token = drawn(logits.softmax(-1))
    return token if nucleus_mask(logits, top_p, min_tokens_to_keep)[token] else int(logits.argmax())


@sample_top_p.misconception(
    "logits taken for weights", "Logits are not probabilities: take the softmax of those that are kept, then draw."
)
def logits_of_the_nucleus_as_weights(logits, top_p, min_tokens_to_keep=1):
    best, tokens = logits.topk(n_nucleus(logits, top_p, min_tokens_to_keep))
    return int(tokens[drawn(best)])


@sample_top_p.also("logits taken for weights")
def clamped_logits_of_the_nucleus(logits, top_p, min_tokens_to_keep=1):
    best, tokens = logits.topk(n_nucleus(logits, top_p, min_tokens_to_keep))
    return int(tokens[drawn(best.clamp(min=1e-6))])


@sample_top_p.misconception(
    "a nucleus without the token that crosses `top_p`",
    "The tokens before it do not reach `top_p`: keep each token for which the sum *before* it (0 for the first) is "
    "below `top_p`.",
)
def crossing_left_out(logits, top_p, min_tokens_to_keep=1):
    return best_n(logits, max(n_before(logits, top_p + 1e-6), min_tokens_to_keep))  # rounding does not matter at 1


also(
    "a nucleus without the token that crosses `top_p`",
    "max(int((sums < top_p).sum()) + 1, min_tokens_to_keep) → int((sums < top_p + 1e-6).sum())",
)


@sample_top_p.also("a nucleus without the token that crosses `top_p`")
def last_sum_rolled_to_the_front(logits, top_p, min_tokens_to_keep=1):
    before = logits.sort(descending=True).values.softmax(-1).cumsum(-1).roll(1)
    return best_n(logits, max(int((before < top_p).sum()), min_tokens_to_keep))


wrong(
    "as many tokens as lie beyond `top_p`",
    "The sums *above* `top_p` are those of the tokens that are not needed: count the ones below, and add 1.",
    "int((sums < top_p).sum()) + 1 → int((sums > top_p).sum())",
)


@sample_top_p.misconception(
    "a nucleus of one token too many", "The token that crosses `top_p` is the last: the one after it is left out."
)
def one_after_crossing(logits, top_p, min_tokens_to_keep=1):
    return best_n(logits, max(n_before(logits, top_p) + 2, min_tokens_to_keep))


also("a nucleus of one token too many", " + 1 →  + 1 + (top_p > 0)")
wrong(
    "one token more where the sum is exactly `top_p`",
    "With that sum `top_p` is reached. A token is kept where the sum *before* it is below `top_p`, and left out where "
    "that is `top_p` or more.",
    "sums < top_p → sums <= top_p",
)


@sample_top_p.also("one token more where the sum is exactly `top_p`")
def old_huggingface_from_the_top(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = torch.sort(logits, descending=True)
    remove = F.softmax(ranked, dim=-1).cumsum(dim=-1) > top_p
    remove[1:] = remove[:-1].clone()
    remove[:min_tokens_to_keep] = False
    return int(tokens[drawn(ranked.masked_fill(remove, -math.inf).softmax(-1))])


wrong(
    "the sum that lies nearest to `top_p`",
    "The nucleus has to *reach* `top_p`: a sum that is a bit too low is too low.",
    "(sums < top_p).sum() → (sums - top_p).abs().argmin()",
)


@sample_top_p.misconception(
    "a cumulative sum over unsorted probabilities", "The likeliest come first: sort from high to low, then add up."
)
def unsorted_sum(logits, top_p, min_tokens_to_keep=1):
    probabilities = logits.softmax(-1)
    before = probabilities.cumsum(-1) - probabilities
    weights = torch.where(before < top_p, probabilities, 0.0)
    weights[:min_tokens_to_keep] = probabilities[:min_tokens_to_keep]
    return drawn(weights)


@sample_top_p.also("a cumulative sum over unsorted probabilities")
def unsorted_sum_and_the_best(logits, top_p, min_tokens_to_keep=1):
    probabilities = logits.softmax(-1)
    keep = probabilities.cumsum(-1) - probabilities < top_p
    keep[logits.topk(min_tokens_to_keep).indices] = True
    return drawn(probabilities * keep)


@sample_top_p.also("a cumulative sum over unsorted probabilities")
def n_of_an_unsorted_sum(logits, top_p, min_tokens_to_keep=1):
    probabilities = logits.softmax(-1)
    n_kept = int((probabilities.cumsum(-1) - probabilities < top_p).sum())
    return best_n(logits, max(n_kept, min_tokens_to_keep))


@sample_top_p.misconception(
    "a sum from the least likely upwards",
    "The nucleus holds the likeliest tokens: add up from the highest probability down, `descending=True`.",
)
def least_likely_first(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.softmax(-1).sort()
    n_kept = max(int((ranked.cumsum(-1) < top_p).sum()) + 1, min_tokens_to_keep)
    return int(tokens[drawn(ranked[:n_kept])])


sample_top_p.misconception(
    "the least likely tokens",
    "The nucleus begins with the likeliest tokens, which `sort` with `descending=True` lists first.",
    "min_tokens_to_keep)) → min_tokens_to_keep), largest=False)",
    of=chosen,
)
sample_top_p.misconception(
    "the rank instead of the token",
    "What is drawn from sorted logits is a rank: look it up in the indices that `sort` or `topk` gives with them.",
    "tokens[drawn(best.softmax(-1))] → drawn(best.softmax(-1))",
    of=chosen,
)
sample_top_p.misconception(
    "tokens in another order than their logits",
    "The place that was drawn is one among the sorted values: look it up in the indices that came with them.",
    "tokens[drawn → logits.argsort()[drawn",
    "tokens[drawn → tokens.sort().values[drawn",
    of=chosen,
)


@sample_top_p.also("tokens in another order than their logits")
def chances_that_were_not_sorted(logits, top_p, min_tokens_to_keep=1):
    n_kept = n_nucleus(logits, top_p, min_tokens_to_keep)
    return int(logits.topk(n_kept).indices[drawn(logits.softmax(-1)[:n_kept])])


@sample_top_p.misconception(
    "sorted probabilities looked up by token",
    "Once sorted, they are in order of size, not of tokens: take the first n of them, or look the tokens up in the "
    "unsorted ones.",
)
def sorted_chances_by_token(logits, top_p, min_tokens_to_keep=1):
    chances, tokens = logits.softmax(-1).sort(descending=True)
    kept = tokens[: n_nucleus(logits, top_p, min_tokens_to_keep)]
    return int(kept[drawn(chances[kept])])


sample_top_p.misconception(
    "the first of equal logits",
    "Two tokens may have the same logit: look for the place that was drawn in `sort`'s indices, not for its logit.",
    "tokens[drawn(best.softmax(-1))] → (logits == best[drawn(best.softmax(-1))]).int().argmax()",
    of=chosen,
)
wrong(
    "the likeliest alone where no sum reaches `top_p`",
    "Rounded, all the probabilities may add up to a bit less than 1: count the sums that are below `top_p`, and add 1.",
    "(sums < top_p).sum() → (sums >= top_p).int().argmax()",
)


@sample_top_p.misconception(
    "a mask of sorted tokens laid over unsorted logits",
    "The mask is in the order of the sorted tokens, the logits are not: `scatter` it back, or draw from the sorted "
    "logits.",
)
def mask_not_moved_back(logits, top_p, min_tokens_to_keep=1):
    return drawn(logits[: n_nucleus(logits, top_p, min_tokens_to_keep)].softmax(-1))


@sample_top_p.also("a mask of sorted tokens laid over unsorted logits")
def mask_moved_the_wrong_way(logits, top_p, min_tokens_to_keep=1):
    keep = torch.arange(len(logits)) < n_nucleus(logits, top_p, min_tokens_to_keep)
    return drawn(logits.masked_fill(~keep[logits.argsort(descending=True)], -math.inf).softmax(-1))


@sample_top_p.misconception(
    "the nucleus left out",
    "It is the other way round: keep the tokens up to the one that crosses `top_p`, and hide what lies *beyond* it.",
)
def nucleus_hidden(logits, top_p, min_tokens_to_keep=1):
    mask = nucleus_mask(logits, top_p, min_tokens_to_keep)
    return int(logits.argmax()) if mask.all() else drawn(logits.masked_fill(mask, -math.inf).softmax(-1))


@sample_top_p.misconception(
    "a cumulative sum of logits", "`top_p` is a probability: take the softmax before you add up."
)
def logits_added_up(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    before = ranked.cumsum(-1) - ranked
    return int(tokens[drawn(ranked.masked_fill(before >= top_p, -math.inf).softmax(-1))])


@sample_top_p.also("a cumulative sum of logits")
def n_of_the_logits_added_up(logits, top_p, min_tokens_to_keep=1):
    ranked = logits.sort(descending=True).values
    return best_n(logits, max(int((ranked.cumsum(-1) - ranked < top_p).sum()), min_tokens_to_keep))


@sample_top_p.also("a cumulative sum of logits")
def n_of_the_logits_added_up_with_their_own(logits, top_p, min_tokens_to_keep=1):
    ranked = logits.sort(descending=True).values
    return best_n(logits, max(int((ranked.cumsum(-1) < top_p).sum()) + 1, min_tokens_to_keep))


@sample_top_p.misconception(
    "a sum of `exp` that was not divided",
    "`exp` of the logits does not add up to 1: take the softmax, and add up its probabilities.",
)
def weights_added_up(logits, top_p, min_tokens_to_keep=1):
    weights = logits.sort(descending=True).values.exp()
    return best_n(logits, max(int((weights.cumsum(-1) - weights < top_p).sum()), min_tokens_to_keep))


@sample_top_p.misconception(
    "a sum of log-probabilities", "`log_softmax` gives logarithms, all below 0: add up what `softmax` gives."
)
def logarithms_added_up(logits, top_p, min_tokens_to_keep=1):
    ranked = logits.log_softmax(-1).sort(descending=True).values
    return best_n(logits, max(int((ranked.cumsum(-1) - ranked < top_p).sum()), min_tokens_to_keep))


wrong(
    "sums over a second softmax",
    "The softmax of probabilities is nearly flat: add them up as they are.",
    "logits.softmax(-1) → logits.softmax(-1).softmax(-1)",
)
wrong(
    "drawing from all tokens",
    "Leave out what lies beyond `top_p`: only the nucleus may come.",
    lambda logits, top_p, min_tokens_to_keep=1: drawn(logits.softmax(-1)),
    "max(int((sums < top_p).sum()) + 1, min_tokens_to_keep) → len(logits)",
)
wrong(
    "one share for all",
    "The nucleus is the same whatever `top_p` is: compare the sums with what is handed over.",
    "< top_p → < 0.9",
    "< top_p → < 0.95",
)
wrong(
    "always the likeliest token",
    "That is greedy: draw among the nucleus.",
    lambda logits, top_p, min_tokens_to_keep=1: int(logits.argmax()),
)


@sample_top_p.misconception("equal chances in the nucleus", "Draw with the softmax of the logits that are kept.")
def equal_in_the_nucleus(logits, top_p, min_tokens_to_keep=1):
    n_kept = n_nucleus(logits, top_p, min_tokens_to_keep)
    return int(logits.topk(n_kept).indices[torch.randint(n_kept, ())])


@sample_top_p.misconception(
    "running sums taken for weights",
    "The running sum says where to cut, and no more: draw with the probabilities of the tokens that are kept.",
)
def drawn_by_the_sums(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.softmax(-1).sort(descending=True)
    return int(tokens[drawn(ranked.cumsum(-1)[: n_nucleus(logits, top_p, min_tokens_to_keep)])])


sample_top_p.misconception(
    "softmax taken twice",
    "The numbers are those of a softmax of a softmax: hand `sample_basic` logits, of which it takes one; "
    "`multinomial` draws from probabilities as they are.",
    ("logits.topk → logits.softmax(-1).topk", "best.softmax(-1) → (best / best.sum()).softmax(-1)"),
    of=chosen,
)
sample_top_p.misconception(
    "probabilities that are not scaled up",
    "The probabilities of the nucleus add up to less than 1, and a random number may lie beyond their sum: divide by "
    "it, or take the softmax of the logits that are kept.",
    (
        "logits.topk → logits.softmax(-1).topk",
        "drawn(best.softmax(-1)) → min(int(torch.searchsorted(best.cumsum(-1), torch.rand(()))), len(best) - 1)",
    ),
    of=chosen,
)


@sample_top_p.misconception(
    "a random number from 0 to `top_p`",
    "The nucleus holds *more* than `top_p`, so its last token comes too seldom: multiply the random number by what it "
    "holds.",
)
def random_up_to_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.softmax(-1).sort(descending=True)
    place = int((ranked.cumsum(-1) < float(torch.rand(())) * top_p).sum())
    return int(tokens[min(place, len(tokens) - 1)])


@sample_top_p.also("a random number from 0 to `top_p`")
def random_up_to_top_p_or_min(logits, top_p, min_tokens_to_keep=1):
    sums, tokens = logits.softmax(-1).sort(descending=True)[0].cumsum(-1), logits.argsort(descending=True)
    most = sums[min_tokens_to_keep - 1] if n_before(logits, top_p) < min_tokens_to_keep else top_p
    return int(tokens[min(int((sums < torch.rand(()) * most).sum()), len(tokens) - 1)])


@sample_top_p.misconception("zero for the logits that are left out", "exp(0) is 1: use minus infinity.")
def zeros_beyond_the_nucleus(logits, top_p, min_tokens_to_keep=1):
    return drawn(torch.where(nucleus_mask(logits, top_p, min_tokens_to_keep), logits, 0.0).softmax(-1))


sample_top_p.misconception(
    "the drawn token in a tensor",
    "A token is an int, and this is a tensor that holds one: call `int(...)` or `.item()`.",
    "int(tokens[drawn(best.softmax(-1))]) → tokens[torch.multinomial(best.softmax(-1), 1)]",
    of=chosen,
)
sample_top_p.misconception(
    "the drawn token as NumPy's integer",
    "NumPy has its own kind of number: make a Python `int(...)` of it.",
    "int(tokens[drawn(best.softmax(-1))]) → np.random.choice(tokens.numpy(), p=best.double().softmax(-1).numpy())",
    of=chosen,
)
