"""How sample_next_token goes wrong: what is done, and in which order."""

import math
import random
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.ch08_sampling import sample_next_token
from tests.misconceptions.ch08_sampling.apply_frequency_penalty import (
    one_hot_sum,
    penalty_in_place,
    pythons_counter,
    scatter_add,
)
from tests.misconceptions.ch08_sampling.greedy import drawn
from tests.misconceptions.ch08_sampling.sample_basic import best_n
from tests.misconceptions.ch08_sampling.sample_top_p import n_nucleus, nucleus_mask


def refuse_both(top_k: int, top_p: float) -> None:
    """The error that is due."""
    if top_k and top_p:
        raise ValueError("top_k and top_p exclude each other")


def from_kept(logits: Tensor, top_k: int, top_p: float) -> int:
    """A token drawn from the top k, the nucleus, or all."""
    return best_n(logits, top_k or (n_nucleus(logits, top_p, 1) if top_p else len(logits)))


def next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    if temperature == 0:
        return int(lower.argmax())
    return from_kept(lower / temperature, top_k, top_p)


wrong, also = partial(sample_next_token.misconception, of=next_token), partial(sample_next_token.also, of=next_token)


@sample_next_token.misconception(
    "the rank instead of the token",
    "What is drawn from `topk`'s values, or from sorted logits, is a rank. `sample_top_k` and `sample_top_p` look its "
    "token up: return what they give.",
)
def rank_of_those_kept(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    if temperature == 0:
        return int(lower.argmax())
    lower = lower / temperature
    if top_k:
        return drawn(lower.topk(top_k).values.softmax(-1))
    return from_kept(lower, 0, top_p)


@sample_next_token.misconception(
    "a draw from the token that was drawn",
    "`sample_top_k` and `sample_top_p` give the token, an int: return it. `sample_basic` is for when neither is asked "
    "for.",
)
def drawn_from_a_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    if temperature == 0:
        return int(lower.argmax())
    lower = lower / temperature
    if top_k or top_p:
        lower = from_kept(lower, top_k, top_p)
    return drawn(lower.softmax(-1))


sample_next_token.equivalent("temperature == 0 → temperature <= 0", "No temperature lies below 0.")


@sample_next_token.correct
def one_mask_for_all(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    assert isinstance(top_k, int)
    if top_k > 0 and top_p > 0:
        raise ValueError
    lower = logits - freq_penalty * F.one_hot(input_ids, len(logits)).sum(0)
    if not temperature:
        return lower.argmax().item()
    lower = lower / temperature
    if top_k:
        lower = lower.masked_fill(lower < lower.topk(top_k).values[-1], -math.inf)
    elif top_p:
        lower = lower.masked_fill(~nucleus_mask(lower, top_p, 1), -math.inf)
    return int(torch.distributions.Categorical(logits=lower).sample())


@sample_next_token.correct
def neutral_settings(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = scatter_add(input_ids, logits, float(freq_penalty)) / max(temperature, 1e-6)
    top_k, top_p = top_k or len(logits), top_p or 1.0
    return best_n(lower, min(top_k, n_nucleus(lower, top_p, 1)))


@sample_next_token.correct
def greedy_as_top_1(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    if temperature == 0:
        return greedy_as_top_1(input_ids, logits, 1.0, 1, 0.0, freq_penalty)
    lower = logits.div(temperature)
    for token in input_ids:
        lower[token] -= freq_penalty / temperature
    return from_kept(lower, top_k, top_p)


@sample_next_token.correct
def noise_at_the_end(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = pythons_counter(input_ids, logits, freq_penalty)
    if temperature > 0:
        n_kept = top_k or (n_nucleus(lower / temperature, top_p, 1) if top_p else len(logits))
        lower = lower.masked_fill(lower < lower.topk(n_kept).values[-1], -math.inf)
        lower = lower - temperature * torch.empty_like(lower).exponential_().log()
    return int(lower.argmax())


@sample_next_token.correct
def pythons_way(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k != 0 and top_p != 0.0:
        raise ValueError("one of the two")
    text, values = input_ids.tolist(), logits.tolist()
    values = [value - freq_penalty * text.count(token) for token, value in enumerate(values)]
    ranked = sorted(range(len(values)), key=values.__getitem__, reverse=True)
    if temperature == 0:
        return ranked[0]
    weights = [math.exp((values[token] - values[ranked[0]]) / temperature) for token in ranked]
    n_kept, total, wanted = top_k or len(ranked), 0.0, top_p * sum(weights)
    if top_p:
        n_kept = 0
        while total < wanted and n_kept < len(ranked):
            total += weights[n_kept]
            n_kept += 1
    return random.choices(ranked[:n_kept], weights[:n_kept])[0]


changed = sample_next_token.changed
RAISES = 'raise ValueError("Both top_k and top_p are given: choose one of the two.")'


@sample_next_token.misconception(
    "a penalty taken off in place",
    "The caller's logits have other numbers now: `apply_frequency_penalty` returns new ones.",
)
def penalty_in_place_next(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    lower = penalty_in_place(input_ids, logits, freq_penalty)
    return (
        both_accepted(input_ids[:0], lower, temperature, top_k, top_p) if not (top_k and top_p) else refuse_both(1, 1)
    )


@sample_next_token.misconception(
    "dividing in place", "The caller's logits have other numbers now: `logits = logits / temperature` makes new ones."
)
def divided_in_place_next(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    if temperature == 0:
        return int(one_hot_sum(input_ids, logits, freq_penalty).argmax())
    logits /= temperature
    return from_kept(one_hot_sum(input_ids, logits, freq_penalty / temperature), top_k, top_p)


sample_next_token.misconception(
    "a ValueError that is returned",
    "Nothing is raised: `raise ValueError(...)` raises an error, `return` and `print` do not.",
)(changed(RAISES, 'return str(ValueError("choose one"))'))
sample_next_token.also("a ValueError that is returned")(changed(RAISES, 'return ValueError("choose one")'))
sample_next_token.also("a ValueError that is returned")(changed(RAISES, "return None"))


@sample_next_token.misconception(
    "both `top_k` and `top_p` accepted", "One would be left out, or both applied; nobody knows which: raise ValueError."
)
def both_accepted(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    return int(lower.argmax()) if temperature == 0 else from_kept(lower / temperature, top_k, top_p)


sample_next_token.misconception(
    "an error for some pairs alone",
    "Refuse `top_k` and `top_p` together whatever they are: the smallest above 0 counts too, and a `top_p` of 1.",
)(changed("if top_k and top_p", "if top_k > 1 and top_p"))
sample_next_token.also("an error for some pairs alone")(changed("if top_k and top_p", "if top_k and top_p > 0.1"))
sample_next_token.also("an error for some pairs alone")(changed("if top_k and top_p", "if top_k and 0 < top_p < 1"))
wrong(
    "greedy before the penalty",
    "The penalty counts at a temperature of 0 too: take it off first, then call `greedy`.",
    "lower.argmax → logits.argmax",
)
wrong(
    "a temperature of 0 passed over",
    "At a temperature of 0 nothing is drawn: be greedy. (An `if temperature:` only skips the division.)",
    ("temperature == 0 → False", "lower / temperature → lower / temperature if temperature else lower"),
    (
        "temperature == 0 → temperature == 0 and not top_k and not top_p",
        "lower / temperature → lower / temperature if temperature else lower",
    ),
)
wrong(
    "a low temperature in the place of 0",
    "A small number keeps the division from failing, but a token is still drawn: at 0 call `greedy`.",
    ("temperature == 0 → False", "lower / temperature → lower / max(temperature, 0.1)"),
    ("temperature == 0 → False", "lower / temperature → lower / max(temperature, 0.05)"),
    ("temperature == 0 → False", "lower / temperature → lower / max(temperature, 0.01)"),
)
wrong(
    "dividing by a temperature of 0",
    "The quotients are infinite, and their softmax is NaN: at 0 return what `greedy` gives, before any division.",
    "temperature == 0 → False",
)


@sample_next_token.also("dividing by a temperature of 0")
def greedy_only_without_filters(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    if top_k or top_p:
        return from_kept(lower / temperature, top_k, top_p)
    return int(lower.argmax()) if temperature == 0 else drawn((lower / temperature).softmax(-1))


@sample_next_token.misconception(
    "the nucleus before the temperature",
    "A high temperature makes the nucleus larger: divide the logits first, then look which tokens reach `top_p`.",
)
def nucleus_first(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    if temperature == 0:
        return int(lower.argmax())
    return best_n(lower / temperature, top_k or (n_nucleus(lower, top_p, 1) if top_p else len(lower)))


@sample_next_token.misconception(
    "an error that greedy never reaches", "Refuse both at once even at a temperature of 0: check them first."
)
def refused_after_greedy(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    if temperature == 0:
        return int(lower.argmax())
    refuse_both(top_k, top_p)
    return from_kept(lower / temperature, top_k, top_p)


wrong(
    "a token of the text that does not count",
    "Hand on all of `input_ids`: the last token pays, and the first one too.",
    "sum(input_ids → sum(input_ids[:-1]",
    "sum(input_ids → sum(input_ids[1:]",
)
wrong(
    "a penalty on the last token alone",
    "Each token of the text pays, but here the last one alone does: hand on the whole text, `input_ids`.",
    "sum(input_ids → sum(input_ids[-1:]",
)
wrong(
    "a penalty on the last tokens alone",
    "Hand on the whole text, however long it is: what came at its beginning pays too.",
    "sum(input_ids → sum(input_ids[-50:]",
)


@sample_next_token.misconception(
    "another draw where a token comes again",
    "A token of the text may come again, and at once: draw one, and take it. Only the penalty makes it less likely.",
)
def hardly_ever_twice_in_a_row(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    token = both_accepted(input_ids, logits, temperature, top_k, top_p, freq_penalty)
    again = token == input_ids[-1]
    return both_accepted(input_ids, logits, temperature, top_k, top_p, freq_penalty) if again else token


@sample_next_token.also("another draw where a token comes again")
def hardly_ever_again_at_all(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    for _ in range(20):
        token = both_accepted(input_ids, logits, temperature, top_k, top_p, freq_penalty)
        if token not in input_ids:
            break
    return token


wrong(
    "the penalty added",
    "A positive penalty makes repetition less likely: hand `freq_penalty` on as it is.",
    "logits, freq_penalty) → logits, -freq_penalty)",
)
wrong(
    "the penalty taken off twice",
    "Each token pays twice for each time that it came: `apply_frequency_penalty` takes it off once.",
    "logits, freq_penalty) → logits, 2 * freq_penalty)",
)
wrong(
    "a penalty below 0 passed over",
    "A negative penalty rewards repetition: hand on whatever it is, above 0 or below.",
    "logits, freq_penalty) → logits, max(freq_penalty, 0.0))",
)
wrong(
    "a penalty of its own where none is given",
    "Where no penalty is given it is 0, so that nothing pays: `freq_penalty: float = 0.0` in the first line.",
    "freq_penalty=0.0 → freq_penalty=0.5",
    "freq_penalty=0.0 → freq_penalty=0.2",
    "freq_penalty=0.0 → freq_penalty=1.0",
)
