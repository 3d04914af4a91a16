"""How sample_next_token goes wrong: which settings count, and when."""

import math

import torch

from tests.ch08_sampling import sample_next_token
from tests.misconceptions.ch08_sampling.apply_frequency_penalty import (
    divided,
    multiplied_off,
    no_minlength,
    one_hot_sum,
    presence,
    repetition_penalty,
    shares,
)
from tests.misconceptions.ch08_sampling.greedy import drawn
from tests.misconceptions.ch08_sampling.sample_basic import best_n
from tests.misconceptions.ch08_sampling.sample_next_token.order import both_accepted, from_kept, refuse_both, wrong
from tests.misconceptions.ch08_sampling.sample_top_k import (
    equal_chances,
    kept,
    least_likely,
    one_too_few,
    one_too_many,
    zeros_left_out,
)
from tests.misconceptions.ch08_sampling.sample_top_p import (
    crossing_left_out,
    least_likely_first,
    mask_not_moved_back,
    n_nucleus,
    one_after_crossing,
    rest_of_the_sum,
    single_probabilities,
    zeros_beyond_the_nucleus,
)

wrong(
    "greedy where no temperature is given",
    "Where no temperature is given it is 1, and a token is drawn: `temperature: float = 1.0` in the first line.",
    "temperature=1.0 → temperature=0.0",
)
wrong(
    "a penalty that only greedy sees",
    "It is taken off whatever the temperature is: do that first, for all that follows.",
    "logits, freq_penalty) → logits, 0.0 if temperature else freq_penalty)",
)
wrong(
    "no penalty before `top_k`",
    "It comes off the logits before a sampler is chosen: hand `sample_top_k` the penalised ones too.",
    "logits, freq_penalty) → logits, 0.0 if top_k and temperature else freq_penalty)",
)
wrong(
    "no penalty before `top_p`",
    "It comes off the logits before a sampler is chosen: hand `sample_top_p` the penalised ones too.",
    "logits, freq_penalty) → logits, 0.0 if top_p and temperature else freq_penalty)",
)
wrong(
    "no penalty in plain drawing",
    "It comes off the logits before a sampler is chosen: hand `sample_basic` the penalised ones too.",
    "logits, freq_penalty) → logits, 0.0 if temperature and not top_k and not top_p else freq_penalty)",
)
wrong(
    "greedy below a temperature of 1",
    "Only a temperature of 0 is greedy. At 0.5 a token is still drawn, with peaked chances.",
    "temperature == 0 → temperature < 1",
    "temperature == 0 → temperature < 0.3",
    "temperature == 0 → temperature < 0.1",
)
wrong(
    "`top_p` in front of `top_k`",
    "The settings may come by position: in the first line `top_k` comes before `top_p`.",
    "top_k=0, top_p=0.0 → top_p=0.0, top_k=0",
)
wrong(
    "a `top_k` of 1 passed over",
    "Only 0 cuts nothing off; a `top_k` of 1 leaves the likeliest token alone: `if top_k:`.",
    "temperature, top_k → temperature, top_k if top_k > 1 else 0",
)
wrong(
    "`top_k` passed over",
    "Where `top_k` is given, return what `sample_top_k` draws.",
    "temperature, top_k → temperature, 0",
)
wrong(
    "`top_p` passed over",
    "Where `top_p` is given, draw with `sample_top_p`.",
    "temperature, top_k, top_p → temperature, top_k, 0.0",
)


@sample_next_token.misconception(
    "two tokens kept at least",
    "A small `top_p` leaves the likeliest alone, but here two tokens stay: call `sample_top_p(logits, top_p)`, which "
    "keeps at least one.",
)
def two_kept(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    if temperature == 0:
        return int(lower.argmax())
    if top_p:
        return best_n(lower / temperature, n_nucleus(lower / temperature, top_p, 2))
    return from_kept(lower / temperature, top_k, 0.0)


@sample_next_token.misconception(
    "the `top_k` likeliest before the penalty", "The penalty may change which tokens are likeliest: take it off first."
)
def top_k_first(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    if temperature == 0:
        return int(lower.argmax())
    if top_k:
        return drawn((torch.where(kept(logits, top_k).isinf(), -math.inf, lower) / temperature).softmax(-1))
    return from_kept(lower / temperature, 0, top_p)


@sample_next_token.also("the `top_k` likeliest before the penalty")
def top_k_of_a_raw_threshold(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    if temperature == 0:
        return int(lower.argmax())
    lower = lower / temperature
    if top_k:
        return drawn(lower.masked_fill(lower < logits.topk(top_k).values[-1], -math.inf).softmax(-1))
    return from_kept(lower, 0, top_p)


wrong(
    "no temperature where `top_k` is given",
    "Divide first, for every sampler: `top_k` draws from the new logits too.",
    "lower / temperature → lower if top_k else lower / temperature",
)
wrong(
    "a temperature for plain drawing alone",
    "Divide before a sampler is chosen: the cuts draw from the new logits too.",
    "lower / temperature → lower if top_k or top_p else lower / temperature",
)
wrong(
    "a temperature for the cuts alone",
    "Plain drawing needs the division too: call `apply_temperature` before all samplers, without any `if`.",
    "lower / temperature → lower / temperature if top_k or top_p else lower",
)
wrong(
    "the temperature twice",
    "The logits are divided twice: call `apply_temperature` once, for all samplers.",
    "lower / temperature → lower / temperature / temperature",
    "lower / temperature → lower / temperature / (temperature if top_k else 1.0)",
    "lower / temperature → lower / temperature / (temperature if top_p else 1.0)",
)
wrong(
    "probabilities handed to the samplers",
    "The numbers are those of a softmax of a softmax. The samplers take it themselves: hand them logits.",
    "lower / temperature → (lower / temperature).softmax(-1)",
    "lower / temperature → lower / temperature if top_k or top_p else (lower / temperature).softmax(-1)",
    "lower / temperature → (lower / temperature).softmax(-1) if top_k else lower / temperature",
    "lower / temperature → (lower / temperature).softmax(-1) if top_p else lower / temperature",
    "sum(input_ids, logits → sum(input_ids, logits.softmax(-1)",
)


@sample_next_token.misconception(
    "a penalty for being there, however often", "Count: a token that came three times loses three penalties."
)
def presence_next(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = presence(input_ids, logits, freq_penalty)
    return int(lower.argmax()) if temperature == 0 else from_kept(lower / temperature, top_k, top_p)


wrong(
    "multiplying by the temperature",
    "A low temperature makes the distribution more peaked: divide by it.",
    "lower / temperature → lower * temperature",
)
wrong(
    "the temperature left out",
    "The draws are those of a temperature of 1: draw from the logits that `apply_temperature` returns, because it "
    "changes nothing in place.",
    "lower / temperature → lower",
)
wrong(
    "the penalty left out",
    "The draws are those without a penalty: draw from the logits that `apply_frequency_penalty` returns, because it "
    "changes nothing in place.",
    "one_hot_sum(input_ids, logits, freq_penalty) → logits",
)
wrong(
    "neither penalty nor temperature",
    "Both functions return new logits, and change none: `logits = apply_...(...)`, then draw from these.",
    ("one_hot_sum(input_ids, logits, freq_penalty) → logits", "lower / temperature → lower"),
)
wrong(
    "the temperature before the penalty",
    "Then a low temperature weakens the penalty. Take the penalty off the logits as they come, then divide.",
    "lower / temperature → one_hot_sum(input_ids, logits / temperature, freq_penalty)",
)


@sample_next_token.misconception(
    "the drawn token in a tensor",
    "A token is an int, and this is a tensor that holds one: call `int(...)` or `.item()`.",
)
def next_in_a_tensor(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    return torch.tensor(both_accepted(input_ids, logits, temperature, top_k, top_p, freq_penalty))


@sample_next_token.misconception(
    "the text with its new token", "Return the new token alone, an int: the loop that writes adds it to the text."
)
def text_and_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    token = torch.tensor([drawn(logits.softmax(-1))])
    return torch.cat([input_ids, token])


@sample_next_token.misconception(
    "a `top_k` of 0 handed on", "`topk(0)` keeps no token at all: call the top-k sampler only where `top_k` is given."
)
def top_k_of_nothing(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    lower = one_hot_sum(input_ids, logits, freq_penalty) / temperature
    best, tokens = lower.topk(top_k)
    return int(tokens[torch.multinomial(best.softmax(-1), 1)])


@sample_next_token.also("a `top_k` of 0 handed on")
def top_k_of_nothing_below_zero_degrees(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    if temperature == 0:
        return int(lower.argmax())
    best, tokens = (lower / temperature).topk(top_k)
    return int(tokens[torch.multinomial(best.softmax(-1), 1)])


@sample_next_token.misconception(
    "always the likeliest token",
    "Draw, unless the temperature is 0. A `top_k` of 0 and a `top_p` of 0 leave no token out.",
)
def likeliest_next(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    return int(logits.argmax())


@sample_next_token.also("always the likeliest token")
def nucleus_of_nothing(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = one_hot_sum(input_ids, logits, freq_penalty) / temperature
    return best_n(lower, top_k or n_nucleus(lower, top_p, 1))


def with_parts(top_k_sampler=best_n, top_p_sampler=None, penalty=one_hot_sum):
    """The right order, with other parts in it."""

    def next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
        refuse_both(top_k, top_p)
        lower = penalty(input_ids, logits, freq_penalty)
        if temperature == 0:
            return int(lower.argmax())
        lower = lower / temperature
        if top_k:
            return top_k_sampler(lower, top_k)
        return top_p_sampler(lower, top_p) if top_p and top_p_sampler else from_kept(lower, 0, top_p)

    return next_token


for name, advice, parts in (  # of those who write it all in one
    (
        "one token more than `top_k`",
        "`top_k` tokens are left, no more: hand `top_k` on as it is.",
        {"top_k_sampler": one_too_many},
    ),
    (
        "one token fewer than `top_k`",
        "The k-th likeliest is kept: hide what is *lower* than it, and that alone.",
        {"top_k_sampler": one_too_few},
    ),
    (
        "zero for what `top_k` leaves out",
        "exp(0) is 1: give what is not among the `top_k` minus infinity.",
        {"top_k_sampler": zeros_left_out},
    ),
    (
        "`top_k` tokens with equal chances",
        "Draw with the softmax of the `top_k` logits.",
        {"top_k_sampler": equal_chances},
    ),
    (
        "the `top_k` least likely",
        "Keep the likeliest: `topk` without `largest=False`, or the other end of what is sorted.",
        {"top_k_sampler": least_likely},
    ),
    (
        "`top_p` handed to the top-k sampler",
        "`sample_top_k` takes a number of tokens, `sample_top_p` a share: hand `top_k` to the first, `top_p` to the "
        "second.",
        {"top_k_sampler": lambda logits, k: logits.topk(0.0)},
    ),
    (
        "a nucleus without the token that crosses `top_p`",
        "Keep each token for which the sum *before* it is below `top_p`.",
        {"top_p_sampler": crossing_left_out},
    ),
    (
        "a nucleus of one token too many",
        "The token that crosses `top_p` is the last one of the nucleus.",
        {"top_p_sampler": one_after_crossing},
    ),
    (
        "the rest of the sum, 1 - `top_p`",
        "`top_p` is what is kept: hand it on as it is.",
        {"top_p_sampler": rest_of_the_sum},
    ),
    (
        "a mask of sorted tokens laid over unsorted logits",
        "The mask is in the order of the sorted tokens: move it back by their indices.",
        {"top_p_sampler": mask_not_moved_back},
    ),
    (
        "a sum from the least likely upwards",
        "For the nucleus sort from high to low: `descending=True`.",
        {"top_p_sampler": least_likely_first},
    ),
    (
        "zero for what lies beyond the nucleus",
        "exp(0) is 1: what lies beyond the nucleus needs minus infinity.",
        {"top_p_sampler": zeros_beyond_the_nucleus},
    ),
    (
        "single probabilities compared with `top_p`",
        "It is the running sum that has to reach `top_p`, not each token.",
        {"top_p_sampler": single_probabilities},
    ),
    (
        "a penalty that grows with the logit",
        "Take off the penalty times the count, whatever the logit is.",
        {"penalty": multiplied_off},
    ),
    ("logits divided by the penalty", "A logit below 0 would rise if it were divided: subtract.", {"penalty": divided}),
    (
        "the repetition penalty of CTRL",
        "Here nothing is divided or multiplied: the penalty times the count is subtracted.",
        {"penalty": repetition_penalty},
    ),
    (
        "shares in the place of counts",
        "Each time that a token came counts in full, however long the text is.",
        {"penalty": shares},
    ),
    (
        "counts that end at the largest token",
        "Pass `minlength=len(logits)` to `bincount`, or call `apply_frequency_penalty`.",
        {"penalty": no_minlength},
    ),
    (
        "the penalty's arguments in each other's place",
        "`apply_frequency_penalty` takes the tokens first: `(input_ids, logits, freq_penalty)`.",
        {"penalty": lambda tokens, logits, penalty: torch.bincount(logits, minlength=len(tokens))},
    ),
):
    sample_next_token.misconception(name, advice)(with_parts(**parts))

sample_next_token.misconception(
    "the likeliest token alone wherever `top_p` is given",
    "Hand `top_p` on as it is, a share and not a whole number or a percentage, and to `sample_top_p`, not "
    "`sample_top_k`.",
)(with_parts(top_p_sampler=lambda logits, p: int(logits.argmax())))
wrong(
    "a temperature that is never low",
    "Only 0 needs a case of its own, greedy. Divide by every other temperature as it comes, however low it is.",
    ("temperature == 0 → False", "lower / temperature → lower / max(temperature, 0.5)"),
)
