"""Chapter 8: what the samplers, generate, beam search and the cache must do, and the ways they go wrong."""

import math
import random
from collections import Counter
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from utils.checking import (
    Exercise,
    WorkedExample,
    check_agrees,
    check_draws,
    check_inputs_unchanged,
    check_raises,
    check_repeatable,
    check_shape,
    line,
    random_tensor,
)

# Twelve tokens' chances, the likeliest first; the tests mix them. No sum of the first few is near a `top_p` asked for.
CHANCES = (0.50, 0.20, 0.10, 0.06, 0.04, 0.028, 0.02, 0.016, 0.012, 0.010, 0.008, 0.006)
STEEP = (0.60, 0.20, 0.08, 0.04, 0.025, 0.018, 0.013, 0.009, 0.006, 0.004, 0.003, 0.002)
PEAKED = (0.97, 0.01, 0.006, 0.004, 0.003, 0.002, 0.0015, 0.0012, 0.0009, 0.0006, 0.0005, 0.0003)
FLAT = (0.095, 0.093, 0.091, 0.089, 0.087, 0.085, 0.083, 0.081, 0.079, 0.075, 0.073, 0.069)
FIRST = 4  # none of that many likeliest tokens is among the first as many of the vocabulary
LONG, SHORT = 2000, 200  # draws: where shares are compared; where what must never come would come often
OFTEN = 1000  # draws, where shares differ by more
FINE = 6000  # draws, once all is as it should be: a temperature of 1.25 by mistake still shows

greedy = Exercise(
    inputs={"logits": "d_vocab"},
    example=WorkedExample("the logits 1, 3, 2, whose highest stands at token 1", (torch.tensor([1.0, 3.0, 2.0]),)),
)
apply_temperature = Exercise(
    inputs={"logits": "d_vocab", "temperature": ""},
    output="d_vocab",
    example=WorkedExample("the logits 1, 3, 2 at a temperature of 0.5", (torch.tensor([1.0, 3.0, 2.0]), 0.5)),
)
apply_frequency_penalty = Exercise(
    inputs={"input_ids": "pos", "logits": "d_vocab", "freq_penalty": ""},
    output="d_vocab",
    example=WorkedExample(
        "the tokens 2, 0, 2 and the logits 1, 3, 2, with a penalty of 0.5",
        (torch.tensor([2, 0, 2]), torch.tensor([1.0, 3.0, 2.0]), 0.5),
    ),
)
sample_basic = Exercise(inputs={"logits": "d_vocab"})
sample_top_k = Exercise(inputs={"logits": "d_vocab", "k": ""})
sample_top_p = Exercise(inputs={"logits": "d_vocab", "top_p": "", "min_tokens_to_keep": ""})
sample_next_token = Exercise(inputs={"input_ids": "pos", "logits": "d_vocab"})


def mixed(chances: tuple[float, ...], offset: float = 0.0, last: tuple[int, ...] = tuple(range(12))) -> Tensor:
    """The logits of these chances, in an order drawn from the test's seed in which no likely token comes early.

    `last` are the ranks that the last token of the vocabulary may have, 0 for the likeliest.
    """
    order = random_tensor(len(chances)).argsort()
    while (order[:FIRST] < FIRST).any() or int(order[-1]) not in last:
        order = random_tensor(len(chances)).argsort()
    return torch.tensor(chances)[order].log() + offset


def chances_of(logits: Tensor, n_kept: int) -> Tensor:
    """The probability of each token where the `n_kept` likeliest are drawn from."""
    best, tokens = logits.double().topk(n_kept)
    return torch.zeros(len(logits), dtype=torch.double).scatter(0, tokens, best.softmax(-1))


def always(token: Any, d_vocab: int = len(CHANCES)) -> Tensor:
    """The probabilities where one token comes every time."""
    return F.one_hot(torch.as_tensor(int(token)), d_vocab).double()


def drawn(weights: Tensor) -> int:
    """A token, as often as its weight says."""
    return int(torch.multinomial(weights, 1))


@greedy.test
def test_greedy(greedy):
    """The token of the highest logit, wherever it stands and whatever its size. Nothing here is drawn."""
    logits, close = random_tensor(12, scale=3.0), random_tensor(50, scale=0.1)
    with line("gives the token with the highest logit, an int"):
        for size in (12, 5, 50, 7):
            check_agrees(greedy, random_tensor(size, scale=3.0))
        for place in (0, 4, 11):
            check_agrees(greedy, logits.scatter(0, torch.tensor(place), 20.0))
    with line("wherever the logits lie: far from 0, close together, with one or two tokens"):
        for offset in (1000.0, -1000.0, 30.0, -30.0):
            check_agrees(greedy, mixed(CHANCES, offset))
        check_agrees(greedy, close)
        check_agrees(greedy, torch.tensor([20.003, 20.001, 20.004, 20.002]))
        check_agrees(greedy, torch.tensor([-3.0, -250.0, 40.0, -90.0]))
        check_agrees(greedy, torch.tensor([-1.0, 2.0]))
        check_agrees(greedy, torch.tensor([-4.0]))
    with line("leaves `logits` as they were, and answers the same twice"):
        check_inputs_unchanged(greedy, logits)
        check_repeatable(greedy, close, before=[(close.flip(0),)])


@greedy.correct
def through_max(logits):
    return logits.max(dim=-1).indices.item()


@greedy.correct
def last_of_the_sorted(logits):
    return logits.argsort()[-1].item()


@greedy.correct
def a_loop(logits):
    best = 0
    for token, logit in enumerate(logits):
        if logit > logits[best]:
            best = token
    return best


@greedy.correct
def most_probable(logits):
    return int(torch.argmax(F.softmax(logits, dim=0)))


@greedy.correct
def pythons_max(logits):
    values = logits.tolist()
    return values.index(max(values))


@greedy.correct
def numpys_argmax(logits):
    return int(np.argmax(logits.numpy()))


@greedy.misconception(
    "the highest logit itself", "The answer is the token: the place of the highest logit, which `argmax` gives."
)
def the_logit(logits):
    return float(logits.max())


@greedy.also("the highest logit itself")
def the_logit_as_an_int(logits):
    return int(logits.max())


@greedy.misconception("the lowest logit's token", "Greedy takes the highest: `argmax`, or the last of `argsort()`.")
def lowest(logits):
    return int(logits.argmin())


@greedy.also("the lowest logit's token")
def first_of_the_sorted(logits):
    return int(logits.argsort()[0])


@greedy.misconception(
    "the token in a tensor", "`argmax` gives a tensor with no axes. Make an int of it: `int(...)` or `.item()`."
)
def token_in_a_tensor(logits):
    return logits.argmax()


@greedy.misconception("the token in a list", "One token is due, an int: `.item()`, or `int(...)`.")
def token_in_a_list(logits):
    return logits.topk(1).indices.tolist()


@greedy.misconception("the token as a float", "A token is a whole number: `int(logits.argmax())`.")
def token_as_a_float(logits):
    return float(logits.argmax())


@greedy.misconception(
    "a token drawn at random", "Greedy leaves nothing to chance: take the token of the highest logit."
)
def sampled(logits):
    return drawn(logits.softmax(-1))


@greedy.misconception(
    "the logit farthest from 0", "A logit of -9 is an unlikely token, not a likely one: leave out `abs`."
)
def farthest_from_zero(logits):
    return int(logits.abs().argmax())


@greedy.misconception(
    "the place of the best among sorted logits",
    "Sorting moves the best one to the front, so its place there is always 0. Look for it in `logits` as they came.",
)
def place_among_sorted(logits):
    return int(logits.sort(descending=True).values.argmax())


@greedy.misconception(
    "the place of the largest number in `argsort`",
    "`argsort` lists the tokens from the lowest logit to the highest: take its last one, or `argmax` of the logits.",
)
def argmax_of_argsort(logits):
    return int(logits.argsort().argmax())


@greedy.misconception(
    "`exp` of the logits, which overflows",
    "`exp` is infinite above 88 and 0 below -104, so that many tokens tie. The order of the logits is all you need.",
)
def exp_first(logits):
    return int(logits.exp().argmax())


@greedy.misconception(
    "logits changed in place", "`logits -= ...` changes the caller's tensor. `argmax` needs no shift."
)
def shifted_in_place(logits):
    logits -= logits.max()
    return int(logits.argmax())


@apply_temperature.test
def test_apply_temperature(apply_temperature):
    """Every logit divided by the temperature. Nothing here is drawn."""
    logits = random_tensor(12, scale=3.0)
    with line("gives one logit for each token"):
        for size in (12, 5, 2, 1):
            check_shape(apply_temperature, random_tensor(size), 0.7)
    with line("divides every logit by the temperature"):
        for temperature in (0.5, 2.0, 0.1, 1.7, 30.0):
            check_agrees(apply_temperature, logits, temperature)
        check_agrees(apply_temperature, logits + 20.0, 0.7)
        check_agrees(apply_temperature, logits - 20.0, 1.3)
    with line("changes nothing at a temperature of 1"):
        check_agrees(apply_temperature, logits, 1.0)
    with line("leaves `logits` as they were, and answers the same twice"):
        check_inputs_unchanged(apply_temperature, logits, 0.7)
        check_repeatable(apply_temperature, logits, 0.7, before=[(logits.flip(0), 2.0)])


@apply_temperature.correct
def times_the_inverse(logits, temperature):
    return logits * (1 / temperature)


@apply_temperature.correct
def through_div(logits, temperature):
    return torch.div(logits, torch.tensor(temperature))


@apply_temperature.correct
def one_by_one(logits, temperature):
    return torch.tensor([logit / temperature for logit in logits.tolist()])


@apply_temperature.correct
def in_place_on_a_copy(logits, temperature):
    scaled = logits.clone()
    scaled /= temperature
    return scaled


@apply_temperature.misconception(
    "multiplying by the temperature",
    "A low temperature makes the distribution more peaked, so it must make the logits larger: divide.",
)
def multiplied(logits, temperature):
    return logits * temperature


@apply_temperature.misconception(
    "probabilities", "The samplers take the softmax: hand them logits, divided and no more."
)
def softmax_too(logits, temperature):
    return (logits / temperature).softmax(-1)


@apply_temperature.misconception(
    "probabilities divided by the temperature",
    "Scaled up to add up to 1 again, these are what they were: the temperature cancels. Divide the logits.",
)
def probabilities_divided(logits, temperature):
    return logits.softmax(-1) / temperature


@apply_temperature.misconception(
    "log-probabilities",
    "`log_softmax` shifts all logits by one number. Softmax would not notice; this exercise wants the logits, divided.",
)
def log_probabilities(logits, temperature):
    return (logits / temperature).log_softmax(-1)


@apply_temperature.misconception(
    "subtracting the temperature", "The same number off every logit changes no probability: divide."
)
def subtracted(logits, temperature):
    return logits - temperature


@apply_temperature.misconception("the temperature left out", "Divide the logits by it.")
def no_temperature(logits, temperature):
    return logits.clone()


@apply_temperature.misconception(
    "whole numbers alone", "`//` rounds every quotient down: divide with one stroke, `logits / temperature`."
)
def floor_divided(logits, temperature):
    return logits // temperature


@apply_temperature.misconception(
    "`exp` of the logits divided by the temperature", "Divide the logits before any `exp`, and return them as logits."
)
def exp_divided(logits, temperature):
    return logits.exp() / temperature


@apply_temperature.misconception(
    "dividing by the temperature's root",
    "Only the scores of attention are divided by a root. Here divide by the number.",
)
def root(logits, temperature):
    return logits / temperature**0.5


@apply_temperature.misconception(
    "dividing by the temperature's square", "Divide once: a line such as `logits = logits / temperature` ran twice."
)
def twice_divided(logits, temperature):
    return logits / temperature / temperature


@apply_temperature.misconception(
    "dividing by 1 plus the temperature", "A temperature of 1 changes nothing: divide by it."
)
def one_more(logits, temperature):
    return logits / (1 + temperature)


@apply_temperature.misconception(
    "only high temperatures", "Below 1 the distribution grows more peaked: divide whatever the temperature is."
)
def at_least_one(logits, temperature):
    return logits / max(temperature, 1.0)


@apply_temperature.misconception("dividing in place", "`logits /= ...` changes the caller's tensor: return a new one.")
def divided_in_place(logits, temperature):
    logits /= temperature
    return logits


@apply_frequency_penalty.test
def test_apply_frequency_penalty(apply_frequency_penalty):
    """Each logit less the penalty times the token's count, for short texts and long ones. Nothing here is drawn."""
    logits = random_tensor(9, scale=3.0)
    tokens = torch.tensor([3, 1, 3, 7, 3, 1])
    long = torch.cat([tokens, random_tensor(40).abs().mul(9).long() % 8])
    with line("gives one logit for each token"):
        check_shape(apply_frequency_penalty, tokens, logits, 0.7)
        check_shape(apply_frequency_penalty, torch.tensor([0]), logits[:2], 0.7)
    with line("takes `freq_penalty` off a logit for each time that its token stands in `input_ids`"):
        check_agrees(apply_frequency_penalty, tokens, logits, 0.7)
        check_agrees(apply_frequency_penalty, tokens.flip(0), logits - 4.0, 1.3)
        check_agrees(apply_frequency_penalty, long, logits, 0.4)
        check_agrees(apply_frequency_penalty, torch.tensor([8, 0, 8]), logits, 2.0)
        check_agrees(apply_frequency_penalty, torch.tensor([5]), logits, 0.9)
    with line("rewards repetition where the penalty is below 0, and changes nothing where it is 0"):
        check_agrees(apply_frequency_penalty, tokens, logits, -0.6)
        check_agrees(apply_frequency_penalty, tokens, logits, 0.0)
    with line("leaves `input_ids` and `logits` as they were, and answers the same twice"):
        check_inputs_unchanged(apply_frequency_penalty, tokens, logits, 0.7)
        check_repeatable(apply_frequency_penalty, tokens, logits, 0.7, before=[(tokens[1:], logits.flip(0), 0.7)])


@apply_frequency_penalty.correct
def scatter_add(input_ids, logits, freq_penalty):
    return logits.scatter_add(0, input_ids, torch.full(input_ids.shape, -freq_penalty))


@apply_frequency_penalty.correct
def one_hot_sum(input_ids, logits, freq_penalty):
    return logits - freq_penalty * F.one_hot(input_ids, logits.shape[-1]).sum(0)


@apply_frequency_penalty.correct
def token_by_token(input_ids, logits, freq_penalty):
    lower = logits.clone()
    for token in input_ids:
        lower[token] -= freq_penalty
    return lower


@apply_frequency_penalty.correct
def pythons_counter(input_ids, logits, freq_penalty):
    counts = Counter(input_ids.tolist())
    return logits - torch.tensor([freq_penalty * counts[token] for token in range(len(logits))])


@apply_frequency_penalty.correct
def accumulated(input_ids, logits, freq_penalty):
    return logits.index_put((input_ids,), torch.tensor(-freq_penalty), accumulate=True)


@apply_frequency_penalty.correct
def unique_counts(input_ids, logits, freq_penalty):
    lower = logits.clone()
    tokens, counts = input_ids.unique(return_counts=True)
    lower[tokens] -= freq_penalty * counts
    return lower


@apply_frequency_penalty.misconception(
    "a penalty for being there, however often",
    "That is the presence penalty. Count: a token that came three times loses three penalties. "
    "`logits[input_ids] -= ...` changes each token once, even where it is listed three times.",
)
def presence(input_ids, logits, freq_penalty):
    lower = logits.clone()
    lower[input_ids] -= freq_penalty
    return lower


@apply_frequency_penalty.also("a penalty for being there, however often")
def presence_by_clamping(input_ids, logits, freq_penalty):
    return logits - freq_penalty * torch.bincount(input_ids, minlength=len(logits)).clamp(max=1)


@apply_frequency_penalty.misconception(
    "the repetition penalty of CTRL",
    "CTRL divides logits above 0 and multiplies those below by its penalty, once for each token. Here subtract the "
    "penalty times the count.",
)
def repetition_penalty(input_ids, logits, freq_penalty):
    seen = logits[input_ids]
    changed = torch.where(seen < 0, seen * (1 + freq_penalty), seen / (1 + freq_penalty))
    return logits.scatter(0, input_ids, changed)


@apply_frequency_penalty.also("the repetition penalty of CTRL")
def repetition_penalty_as_it_is(input_ids, logits, freq_penalty):
    seen = logits[input_ids]
    return logits.scatter(0, input_ids, torch.where(seen < 0, seen * freq_penalty, seen / freq_penalty))


@apply_frequency_penalty.misconception(
    "dividing the logits", "A logit below 0 would rise if it were divided: subtract the penalty times the count."
)
def divided(input_ids, logits, freq_penalty):
    return logits / (1 + freq_penalty * torch.bincount(input_ids, minlength=len(logits)))


@apply_frequency_penalty.misconception(
    "a penalty that grows with the logit", "Every count takes off the same, `freq_penalty`, whatever the logit is."
)
def multiplied_off(input_ids, logits, freq_penalty):
    return logits * (1 - freq_penalty * torch.bincount(input_ids, minlength=len(logits)))


@apply_frequency_penalty.misconception(
    "the penalty added", "A positive penalty makes repetition less likely: subtract it."
)
def added(input_ids, logits, freq_penalty):
    return logits + freq_penalty * torch.bincount(input_ids, minlength=len(logits))


@apply_frequency_penalty.misconception(
    "a penalty on positions",
    "The first logits are those of the tokens 0, 1, 2, not of the first words of the text: index by the tokens in "
    "`input_ids`.",
)
def on_positions(input_ids, logits, freq_penalty):
    lower = logits.clone()
    lower[: len(input_ids)] -= freq_penalty
    return lower


@apply_frequency_penalty.also("a penalty on positions")
def on_positions_counted(input_ids, logits, freq_penalty):
    lower = logits.clone()
    for position in range(min(len(input_ids), len(logits))):
        lower[position] -= freq_penalty
    return lower


@apply_frequency_penalty.misconception(
    "the tokens' numbers taken for counts", "`input_ids` says which tokens came: count how often each of them did."
)
def ids_as_counts(input_ids, logits, freq_penalty):
    lower = logits.clone()
    lower[: len(input_ids)] -= freq_penalty * input_ids[: len(logits)]
    return lower


@apply_frequency_penalty.misconception(
    "a penalty on the last token alone", "Every token of `input_ids` counts, not only the last one."
)
def last_token_alone(input_ids, logits, freq_penalty):
    lower = logits.clone()
    lower[input_ids[-1]] -= freq_penalty
    return lower


@apply_frequency_penalty.misconception(
    "a penalty on tokens that follow themselves",
    "`unique_consecutive` merges neighbours. A token counts each time that it stands in `input_ids`.",
)
def neighbours_merged(input_ids, logits, freq_penalty):
    return logits - freq_penalty * torch.bincount(input_ids.unique_consecutive(), minlength=len(logits)).clamp(max=2)


@apply_frequency_penalty.misconception(
    "shares in the place of counts",
    "Do not divide by the length of the text: each time that a token came counts in full.",
)
def shares(input_ids, logits, freq_penalty):
    return logits - freq_penalty * torch.bincount(input_ids, minlength=len(logits)) / len(input_ids)


@apply_frequency_penalty.misconception(
    "a power of the penalty", "Multiply the penalty by the count; a power grows far faster, and is 1 for tokens unseen."
)
def power(input_ids, logits, freq_penalty):
    return logits - freq_penalty ** torch.bincount(input_ids, minlength=len(logits))


@apply_frequency_penalty.misconception("the penalties alone", "Subtract them from the logits, and return the logits.")
def penalties_alone(input_ids, logits, freq_penalty):
    return freq_penalty * torch.bincount(input_ids, minlength=len(logits))


@apply_frequency_penalty.misconception(
    "counts that end at the largest token",
    "`bincount` counts up to the largest token in `input_ids`. Pass `minlength=len(logits)` for one count per logit.",
)
def no_minlength(input_ids, logits, freq_penalty):
    return logits - freq_penalty * torch.bincount(input_ids)


@apply_frequency_penalty.misconception(
    "probabilities with a penalty", "The penalty comes off the logits, before any softmax."
)
def off_the_probabilities(input_ids, logits, freq_penalty):
    return logits.softmax(-1) - freq_penalty * torch.bincount(input_ids, minlength=len(logits))


@apply_frequency_penalty.misconception(
    "a penalty taken off in place", "`logits[...] -= ...` changes the caller's tensor: work on `logits.clone()`."
)
def penalty_in_place(input_ids, logits, freq_penalty):
    for token in input_ids:
        logits[token] -= freq_penalty
    return logits


@sample_basic.test
def test_sample_basic(sample_basic):
    """Draws as often as softmax says: 11,002 draws in 6 checks.

    In each check the surprise of every token's share, n · KL(share ‖ p), must stay below ln(2d / 10⁻⁶), with d tokens
    (see `check_draws`). By the exact tails of the binomials, a right answer is refused in less than 4 of 10⁷ tests.
    Measured by benchmarks/draws.py: the solution with 50 seeds, never beyond 0.5 of the limit; every misconception
    rejected with all of 10 seeds, the nearest (powers of 2) at 5.5 times the limit or more.
    """
    logits = mixed(STEEP, 2.0)
    with line("draws each token as often as the softmax of the logits says, an int"):
        check_draws(sample_basic, logits, want=chances_of(logits, 12), times=LONG)
    with line("wherever the logits lie: far from 0, close together, with one or two tokens"):
        for other in (mixed(FLAT, 1000.0), mixed(PEAKED, -1000.0), torch.tensor([-0.5, 1.0])):
            check_draws(sample_basic, other, want=chances_of(other, len(other)), times=OFTEN)
        check_draws(sample_basic, torch.tensor([-4.0]), want=torch.ones(1), times=2)
    with line("leaves `logits` as they were"):
        check_inputs_unchanged(sample_basic, logits, times=2)
    with line(f"keeps to these probabilities in {FINE} more draws"):
        check_draws(sample_basic, logits, want=chances_of(logits, 12), times=FINE)


sample_basic.equivalent("-1 → 0", "The logits have one axis.")


@sample_basic.correct
def categorical(logits):
    return torch.distributions.Categorical(logits=logits, validate_args=False).sample().item()


@sample_basic.correct
def gumbel_noise(logits):
    return int((logits - torch.empty_like(logits).exponential_().log()).argmax())


@sample_basic.correct
def inverse_of_the_cumulative_sum(logits):
    below = logits.softmax(-1).cumsum(-1)
    return min(int(torch.searchsorted(below, torch.rand(()), right=True)), len(logits) - 1)


@sample_basic.correct
def pythons_random(logits):
    weights = (logits - logits.max()).exp().tolist()
    return random.choices(range(len(weights)), weights)[0]


@sample_basic.correct
def numpys_choice(logits):
    weights = (logits.double() - logits.max()).exp().numpy()
    return int(np.random.choice(len(weights), p=weights / weights.sum()))


@sample_basic.correct
def a_race(logits):
    return int((logits.softmax(-1) / torch.empty_like(logits).exponential_()).argmax())


@sample_basic.correct
def a_walk(logits):
    left, probabilities = torch.rand(()).item(), logits.softmax(-1).tolist()
    for token, probability in enumerate(probabilities):
        left -= probability
        if left < 0:
            return token
    return len(probabilities) - 1


@sample_basic.misconception("always the likeliest token", "That is greedy: draw, with `torch.multinomial`.")
def likeliest(logits):
    return int(logits.argmax())


@sample_basic.misconception(
    "every token alike", "Draw with the probabilities that softmax gives, not with `randint` or equal weights."
)
def all_alike(logits):
    return int(torch.randint(len(logits), ()))


@sample_basic.misconception(
    "logits taken for weights", "Logits may lie below 0, and weights may not: take the softmax first."
)
def logits_as_weights(logits):
    return drawn(logits)


@sample_basic.misconception(
    "logits moved above 0 and taken for weights", "One more logit makes a token e times as likely: take the softmax."
)
def moved_above_zero(logits):
    return drawn(logits - logits.min() + 1e-3)


@sample_basic.misconception(
    "logits without their sign as weights", "A logit of -5 is an unlikely token: take the softmax, not `abs`."
)
def without_their_sign(logits):
    return drawn(logits.abs())


@sample_basic.misconception("negative logits cut off", "`relu` and `clamp` are no softmax: every token has a chance.")
def cut_off(logits):
    return drawn(logits.clamp(min=0.0) + 1e-9)


@sample_basic.misconception("softmax taken twice", "The probabilities are drawn from as they are.")
def softmax_twice(logits):
    return drawn(logits.softmax(-1).softmax(-1))


@sample_basic.misconception("powers of 2", "Softmax takes powers of e: `exp`, not `2 **` or `exp2`.")
def base_two(logits):
    return drawn((logits * math.log(2)).softmax(-1))


@sample_basic.misconception(
    "softmax of minus the logits", "The highest logit is the likeliest token: leave out the minus."
)
def unlikely_first(logits):
    return drawn((-logits).softmax(-1))


@sample_basic.misconception("a sigmoid of each logit", "It looks at each logit alone: softmax weighs them together.")
def sigmoid_weights(logits):
    return drawn(logits.sigmoid())


@sample_basic.misconception(
    "the rank instead of the token",
    "What is drawn from sorted probabilities is a place in that order: look up its token.",
)
def rank_drawn(logits):
    return drawn(logits.softmax(-1).sort(descending=True).values)


@sample_basic.misconception(
    "`exp` without the largest logit subtracted",
    "`exp` is infinite above 88 and 0 below -104: use `softmax`, which subtracts the largest logit first.",
)
def bare_exp(logits):
    return drawn(logits.exp())


@sample_basic.misconception(
    "the drawn token in a tensor", "`multinomial` gives a tensor. Make an int of it: `int(...)` or `.item()`."
)
def drawn_tensor(logits):
    return torch.multinomial(logits.softmax(-1), 1)


@sample_basic.also("the drawn token in a tensor")
def drawn_tensor_without_axes(logits):
    return torch.multinomial(logits.softmax(-1), 1)[0]


@sample_basic.misconception(
    "the drawn token's probability", "`multinomial` has drawn the token already: return it, not its probability."
)
def drawn_probability(logits):
    probabilities = logits.softmax(-1)
    return float(probabilities[torch.multinomial(probabilities, 1)])


@sample_basic.misconception(
    "logits shifted in place", "`logits -= ...` changes the caller's tensor. `softmax` does the subtraction by itself."
)
def shifted_before_drawing(logits):
    logits -= logits.max()
    return drawn(logits.exp())


@sample_top_k.test
def test_sample_top_k(sample_top_k):
    """Draws from the k likeliest as often as the softmax over them says: 11,402 draws in 8 checks.

    The statistic is that of `test_sample_basic`; a right answer is refused in less than 3 of 10⁷ tests. Measured by
    benchmarks/draws.py: the solution with 50 seeds, never beyond 0.4 of the limit; every misconception rejected with
    all of 10 seeds, the nearest (probabilities that are not scaled up) at 7.5 times the limit or more.
    """
    logits, two = mixed(CHANCES), torch.tensor([-0.5, 1.0])
    flat, peaked = mixed(FLAT, 1000.0), mixed(PEAKED, -1000.0)
    with line("draws from the `k` likeliest as often as the softmax over them says, an int"):
        check_draws(sample_top_k, logits, 4, want=chances_of(logits, 4), times=LONG)
    with line("with a `k` of 1 takes the likeliest; with as many as there are tokens leaves none out"):
        check_draws(sample_top_k, logits, 1, want=chances_of(logits, 1), times=SHORT)
        check_draws(sample_top_k, flat, 12, want=chances_of(flat, 12), times=OFTEN)
        check_draws(sample_top_k, two, 2, want=chances_of(two, 2), times=SHORT)
        check_draws(sample_top_k, torch.tensor([-4.0]), 1, want=torch.ones(1), times=2)
    with line("wherever the logits lie: far from 0, close together, one above all others"):
        check_draws(sample_top_k, flat, 5, want=chances_of(flat, 5), times=OFTEN)
        check_draws(sample_top_k, peaked, 3, want=chances_of(peaked, 3), times=OFTEN)
    with line("leaves `logits` as they were"):
        check_inputs_unchanged(sample_top_k, logits, 4, times=2)
    with line(f"keeps to these probabilities in {FINE} more draws"):
        check_draws(sample_top_k, logits, 4, want=chances_of(logits, 4), times=FINE)


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


@sample_top_k.misconception(
    "the rank instead of the token", "Drawn from `topk`'s values it is a rank: look it up in `topk`'s indices."
)
def rank_of_the_best(logits, k):
    return drawn(logits.topk(k).values.softmax(-1))


@sample_top_k.misconception("k equal chances", "Draw with the softmax of the k highest logits.")
def equal_chances(logits, k):
    return int(logits.topk(k).indices[torch.randint(k, ())])


@sample_top_k.misconception("one token too many", "`topk(k)` has k of them: compare with its last value.")
def one_too_many(logits, k):
    return drawn(kept(logits, min(k + 1, len(logits))).softmax(-1))


@sample_top_k.misconception(
    "one token too few", "The k-th one belongs to them: hide what is *lower* than it, `logits < kth`, not `<=`."
)
def one_too_few(logits, k):
    return drawn(kept(logits, max(k - 1, 1)).softmax(-1))


@sample_top_k.misconception("drawing from all tokens", "Only the k likeliest may come.")
def all_tokens(logits, k):
    return drawn(logits.softmax(-1))


@sample_top_k.misconception("always the likeliest token", "That is greedy: draw among the k likeliest.")
def likeliest_of_k(logits, k):
    return int(logits.topk(k).indices[0])


@sample_top_k.misconception("softmax taken twice", "The probabilities are drawn from as they are.")
def softmax_twice_of_k(logits, k):
    best, tokens = logits.topk(k)
    return int(tokens[drawn(best.softmax(-1).softmax(-1))])


@sample_top_k.misconception("zero for the logits that are left out", "exp(0) is 1: use minus infinity.")
def zeros_left_out(logits, k):
    return drawn(torch.where(kept(logits, k).isinf(), 0.0, logits).softmax(-1))


@sample_top_k.misconception(
    "a softmax over probabilities that are 0", "`exp(0)` is 1, so these get a chance again: draw without that softmax."
)
def softmax_of_masked_probabilities(logits, k):
    probabilities = logits.softmax(-1)
    return drawn(torch.where(kept(logits, k).isinf(), 0.0, probabilities).softmax(-1))


@sample_top_k.misconception(
    "probabilities that are not scaled up",
    "Those of k tokens add up to less than 1, and a random number may lie beyond their sum: divide by it, or take the "
    "softmax of the k logits.",
)
def not_scaled_up(logits, k):
    best, tokens = logits.softmax(-1).topk(k)
    return int(tokens[min(int(torch.searchsorted(best.cumsum(-1), torch.rand(()))), k - 1)])


@sample_top_k.misconception(
    "the k least likely tokens", "`topk` takes the highest, `argsort()` lists the lowest first: take the other end."
)
def least_likely(logits, k):
    lowest, tokens = logits.topk(k, largest=False)
    return int(tokens[drawn(lowest.softmax(-1))])


@sample_top_k.misconception(
    "the first k tokens of the vocabulary", "The logits are not sorted: `topk(k)` finds the k highest and their tokens."
)
def first_k(logits, k):
    return drawn(logits[:k].softmax(-1))


@sample_top_k.misconception(
    "a threshold counted from the other end",
    "Sorted from low to high, the k-th highest is number -k, not k: `logits.sort().values[-k]`.",
)
def threshold_from_below(logits, k):
    threshold = logits.sort().values[min(k, len(logits) - 1)]
    return drawn(logits.masked_fill(logits < threshold, -math.inf).softmax(-1))


@sample_top_k.misconception(
    "`exp` without the largest logit subtracted",
    "`exp` is infinite above 88 and 0 below -104: use `softmax`, which subtracts the largest logit first.",
)
def bare_exp_of_k(logits, k):
    best, tokens = logits.topk(k)
    return int(tokens[drawn(best.exp())])


@sample_top_k.misconception(
    "the drawn token in a tensor", "What indexing by a drawn place gives is a tensor: `int(...)` or `.item()`."
)
def tensor_of_k(logits, k):
    best, tokens = logits.topk(k)
    return tokens[torch.multinomial(best.softmax(-1), 1)]


@sample_top_k.also("the drawn token in a tensor")
def tensor_of_k_without_axes(logits, k):
    return torch.multinomial(kept(logits, k).softmax(-1), 1)[0]


@sample_top_k.misconception(
    "masking in place", "`logits[...] = ...` and `masked_fill_` change the caller's logits: work on a copy."
)
def masked_in_place(logits, k):
    return drawn(logits.masked_fill_(kept(logits, k).isinf(), -math.inf).softmax(-1))


def top_k_by_the_cumulative_sum(more: int) -> Any:
    """Somebody else's way of keeping more tokens than k: other draws, the same distribution."""
    return lambda logits, k: cumulative_sum_of_the_best(logits, min(k + more, len(logits)))


OTHER_WAYS = {
    "one token too many": top_k_by_the_cumulative_sum(1),
    "drawing from all tokens": top_k_by_the_cumulative_sum(len(CHANCES)),
}


@sample_top_p.test
def test_sample_top_p(sample_top_p):
    """Draws from the nucleus as often as the softmax over it says: 12,002 draws in 11 checks.

    The statistic is that of `test_sample_basic`; a right answer is refused in less than 4 of 10⁷ tests. Measured by
    benchmarks/draws.py: the solution with 20 seeds, never beyond 0.4 of the limit; every misconception rejected with
    all of 5 seeds, the nearest (the token that crosses left out) at 5.4 times the limit or more.
    """
    logits = mixed(CHANCES, 1.7, last=(4, 5, 6))  # which an unsorted sum leaves out
    two, three = torch.tensor([-0.5, 1.0]), torch.tensor([-0.5, 1.0, 0.2])
    flat, peaked = mixed(FLAT, 1000.0), mixed(PEAKED, -1000.0)
    with line("draws from the fewest likeliest that reach `top_p`, the one that crosses it included, an int"):
        check_draws(sample_top_p, logits, 0.88, min_tokens_to_keep=3, want=chances_of(logits, 5), times=LONG)
        check_draws(sample_top_p, logits, 0.6, want=chances_of(logits, 2), times=SHORT)
    with line("keeps `min_tokens_to_keep` of them at least"):
        check_draws(sample_top_p, logits, 0.6, min_tokens_to_keep=4, want=chances_of(logits, 4), times=OFTEN)
    with line("with a small `top_p` takes the likeliest; with a `top_p` of 1 leaves none out"):
        check_draws(sample_top_p, logits, 0.001, want=chances_of(logits, 1), times=SHORT)
        check_draws(sample_top_p, flat, 1.0, want=chances_of(flat, 12), times=OFTEN)
        check_draws(sample_top_p, two, 0.95, want=chances_of(two, 2), times=SHORT)
        check_draws(sample_top_p, three, 0.95, want=chances_of(three, 3), times=SHORT)
        check_draws(sample_top_p, torch.tensor([-4.0]), 0.5, want=torch.ones(1), times=2)
    with line("keeps many where logits lie close together, and one where it stands above all"):
        check_draws(sample_top_p, flat, 0.6, want=chances_of(flat, 7), times=OFTEN)
        check_draws(sample_top_p, peaked, 0.9, want=chances_of(peaked, 1), times=SHORT)
    with line("leaves `logits` as they were"):
        check_inputs_unchanged(sample_top_p, logits, 0.88, times=2)
    with line(f"keeps to the probabilities in {FINE} more draws, from a larger nucleus"):
        check_draws(sample_top_p, logits, 0.97, want=chances_of(logits, 9), times=FINE)


def best_n(logits: Tensor, n_kept: int) -> int:
    """A token drawn from the `n_kept` likeliest."""
    best, tokens = logits.topk(min(max(n_kept, 1), len(logits)))
    return int(tokens[drawn(best.softmax(-1))])


def n_before(logits: Tensor, top_p: float) -> int:
    """How many of the likeliest do not yet reach `top_p` together."""
    return int((logits.softmax(-1).sort(descending=True).values.cumsum(-1) < top_p).sum())


def n_nucleus(logits: Tensor, top_p: float, min_tokens_to_keep: int) -> int:
    return min(max(n_before(logits, top_p) + 1, min_tokens_to_keep), len(logits))


def nucleus_mask(logits: Tensor, top_p: float, min_tokens_to_keep: int) -> Tensor:
    """True for each token of the nucleus."""
    return logits >= logits.topk(n_nucleus(logits, top_p, min_tokens_to_keep)).values[-1]


ROUNDING = "They part only where a sum of probabilities is exactly `top_p`, which rounding decides."
sample_top_p.equivalent("-1 → 0", "The logits have one axis.")
sample_top_p.equivalent("before < top_p → before <= top_p", ROUNDING)
sample_top_p.equivalent(
    "int((before < top_p).sum()) → (before < top_p).sum()", "A tensor without axes ends a slice too."
)
sample_top_p.equivalent(
    "max(int((before < top_p).sum()), min_tokens_to_keep) → max(min_tokens_to_keep, int((before < top_p).sum()))",
    "The larger of the two, whichever comes first.",
)


@sample_top_p.correct
def huggingface_from_the_top(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = torch.sort(logits, descending=True)
    remove = F.softmax(ranked, dim=-1).cumsum(dim=-1) > top_p
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


@sample_top_p.misconception(
    "masking in place", "`logits[...] = ...` and `masked_fill_` change the caller's logits: work on a copy."
)
def nucleus_in_place(logits, top_p, min_tokens_to_keep=1):
    return drawn(logits.masked_fill_(~nucleus_mask(logits, top_p, min_tokens_to_keep), -math.inf).softmax(-1))


@sample_top_p.misconception(
    "`min_tokens_to_keep` left out", "Where the nucleus is smaller than `min_tokens_to_keep`, keep that many."
)
def min_left_out(logits, top_p, min_tokens_to_keep=1):
    return best_n(logits, n_before(logits, top_p) + 1)


@sample_top_p.misconception(
    "`min_tokens_to_keep` as the most that are kept", "It is the least: the larger of it and the nucleus, `max`."
)
def min_as_the_most(logits, top_p, min_tokens_to_keep=1):
    return best_n(logits, min(n_before(logits, top_p) + 1, min_tokens_to_keep))


@sample_top_p.also("`min_tokens_to_keep` as the most that are kept")
def exactly_min(logits, top_p, min_tokens_to_keep=1):
    return best_n(logits, min_tokens_to_keep)


@sample_top_p.misconception(
    "`min_tokens_to_keep` beside the nucleus", "It is no addition: keep the larger of the two numbers, `max`."
)
def min_added(logits, top_p, min_tokens_to_keep=1):
    return best_n(logits, n_before(logits, top_p) + min_tokens_to_keep)


@sample_top_p.misconception(
    "a nucleus without the token that crosses `top_p`",
    "The tokens before it do not reach `top_p`: keep each token for which the sum *before* it is below `top_p`.",
)
def crossing_left_out(logits, top_p, min_tokens_to_keep=1):
    return best_n(logits, max(n_before(logits, top_p), min_tokens_to_keep))


@sample_top_p.misconception(
    "a nucleus of one token too many", "The token that crosses `top_p` is the last: the one after it is left out."
)
def one_after_crossing(logits, top_p, min_tokens_to_keep=1):
    return best_n(logits, max(n_before(logits, top_p) + 2, min_tokens_to_keep))


@sample_top_p.misconception(
    "a cumulative sum over unsorted probabilities",
    "The likeliest come first: sort from high to low, then add up.",
)
def unsorted_sum(logits, top_p, min_tokens_to_keep=1):
    probabilities = logits.softmax(-1)
    before = probabilities.cumsum(-1) - probabilities
    weights = torch.where(before < top_p, probabilities, 0.0)
    weights[:min_tokens_to_keep] = probabilities[:min_tokens_to_keep]
    return drawn(weights)


@sample_top_p.misconception(
    "a sum from the least likely upwards", "`sort` goes from low to high: pass `descending=True`."
)
def least_likely_first(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.softmax(-1).sort()
    n_kept = max(int((ranked.cumsum(-1) < top_p).sum()) + 1, min_tokens_to_keep)
    return int(tokens[drawn(ranked[:n_kept])])


@sample_top_p.misconception(
    "the rank instead of the token", "What is drawn from sorted logits is a rank: look it up in `sort`'s indices."
)
def rank_in_the_nucleus(logits, top_p, min_tokens_to_keep=1):
    return drawn(logits.sort(descending=True).values[: n_nucleus(logits, top_p, min_tokens_to_keep)].softmax(-1))


@sample_top_p.misconception(
    "a mask of sorted tokens laid over unsorted logits",
    "The mask is in the order of the sorted tokens, the logits are not: `scatter` it back, or draw from the sorted.",
)
def mask_not_moved_back(logits, top_p, min_tokens_to_keep=1):
    return drawn(logits[: n_nucleus(logits, top_p, min_tokens_to_keep)].softmax(-1))


@sample_top_p.misconception(
    "a cumulative sum of logits", "`top_p` is a probability: take the softmax before you add up."
)
def logits_added_up(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    before = ranked.cumsum(-1) - ranked
    return int(tokens[drawn(ranked.masked_fill(before >= top_p, -math.inf).softmax(-1))])


@sample_top_p.misconception("drawing from all tokens", "Leave out what lies beyond `top_p`: only the nucleus may come.")
def everything(logits, top_p, min_tokens_to_keep=1):
    return drawn(logits.softmax(-1))


@sample_top_p.misconception("always the likeliest token", "That is greedy: draw among the nucleus.")
def likeliest_of_the_nucleus(logits, top_p, min_tokens_to_keep=1):
    return int(logits.argmax())


@sample_top_p.misconception("equal chances in the nucleus", "Draw with the softmax of the logits that are kept.")
def equal_in_the_nucleus(logits, top_p, min_tokens_to_keep=1):
    n_kept = n_nucleus(logits, top_p, min_tokens_to_keep)
    return int(logits.topk(n_kept).indices[torch.randint(n_kept, ())])


@sample_top_p.misconception("softmax taken twice", "The probabilities are drawn from as they are.")
def softmax_twice_of_p(logits, top_p, min_tokens_to_keep=1):
    best, tokens = logits.softmax(-1).topk(n_nucleus(logits, top_p, min_tokens_to_keep))
    return int(tokens[drawn((best / best.sum()).softmax(-1))])


@sample_top_p.misconception(
    "probabilities that are not scaled up",
    "Those of the nucleus add up to less than 1, and a random number may lie beyond their sum: divide by it, or take "
    "the softmax of the logits that are kept.",
)
def nucleus_not_scaled_up(logits, top_p, min_tokens_to_keep=1):
    best, tokens = logits.softmax(-1).topk(n_nucleus(logits, top_p, min_tokens_to_keep))
    return int(tokens[min(int(torch.searchsorted(best.cumsum(-1), torch.rand(()))), len(best) - 1)])


@sample_top_p.misconception("zero for the logits that are left out", "exp(0) is 1: use minus infinity.")
def zeros_beyond_the_nucleus(logits, top_p, min_tokens_to_keep=1):
    return drawn(torch.where(nucleus_mask(logits, top_p, min_tokens_to_keep), logits, 0.0).softmax(-1))


@sample_top_p.misconception(
    "the drawn token in a tensor", "What indexing by a drawn place gives is a tensor: `int(...)` or `.item()`."
)
def tensor_of_p(logits, top_p, min_tokens_to_keep=1):
    best, tokens = logits.topk(n_nucleus(logits, top_p, min_tokens_to_keep))
    return tokens[torch.multinomial(best.softmax(-1), 1)]


def text_and_logits() -> tuple[Tensor, Tensor, Tensor]:
    """Tokens, logits, and how often each token came: the likeliest three times, so that a penalty takes its lead."""
    logits = mixed(CHANCES)
    by_rank = logits.argsort(descending=True)
    tokens = by_rank[torch.tensor([0, 4, 0, 1, 0, 4])]
    return tokens, logits, torch.bincount(tokens, minlength=len(logits))


@sample_next_token.test
def test_sample_next_token(sample_next_token):
    """The penalty, then the temperature, then a draw, in this order: 6,800 draws in 8 checks.

    The statistic is that of `test_sample_basic`; a right answer is refused in less than 2 of 10⁷ tests. Measured by
    benchmarks/draws.py: the solution with 20 seeds, never beyond 0.3 of the limit; every misconception rejected with
    all of 5 seeds, the nearest (the temperature left out) at 4.5 times the limit or more.
    """
    tokens, logits, counts = text_and_logits()
    lower, steep = logits - 0.8 * counts, mixed(STEEP)
    with line("without settings draws from all tokens, as often as softmax says, an int"):
        check_draws(sample_next_token, tokens, steep, want=chances_of(steep, 12), times=LONG)
    with line("takes the penalty off, then divides by the temperature"):
        settings: dict[str, Any] = {"temperature": 0.5, "freq_penalty": 0.4}
        want = chances_of((logits - 0.4 * counts) / 0.5, 12)
        check_draws(sample_next_token, tokens, logits, **settings, want=want, times=LONG)
    with line("then draws from the `top_k` likeliest"):
        settings = {"temperature": 0.25, "top_k": 3, "freq_penalty": 0.8}
        check_draws(sample_next_token, tokens, logits, **settings, want=chances_of(lower / 0.25, 3), times=OFTEN)
    with line("or from the nucleus of `top_p`"):
        settings = {"temperature": 2.0, "top_p": 0.6, "freq_penalty": 0.8}
        check_draws(sample_next_token, tokens, logits, **settings, want=chances_of(lower / 2.0, 5), times=OFTEN)
    with line("at a temperature of 0 takes the token that is likeliest after the penalty"):
        settings = {"temperature": 0.0, "freq_penalty": 0.8}
        for more in ({}, {"top_k": 3}, {"top_p": 0.6}):
            best = always(lower.argmax())
            check_draws(sample_next_token, tokens, logits, **settings, **more, want=best, times=SHORT)
        check_draws(sample_next_token, tokens, logits, temperature=0.0, want=always(logits.argmax()), times=SHORT)
    with line("raises ValueError where both `top_k` and `top_p` are given"):
        check_raises(sample_next_token, tokens, logits, top_k=1, top_p=0.01, error="ValueError")
    with line("leaves `input_ids` and `logits` as they were"):
        settings = {"temperature": 0.5, "freq_penalty": 0.4, "times": 2}
        check_inputs_unchanged(sample_next_token, tokens, logits, **settings)
        check_inputs_unchanged(sample_next_token, tokens, logits, **settings, top_k=3)
        check_inputs_unchanged(sample_next_token, tokens, logits, **settings, top_p=0.6)


def refuse_both(top_k: int, top_p: float) -> None:
    """The error that is due."""
    if top_k and top_p:
        raise ValueError("top_k and top_p exclude each other")


def from_kept(logits: Tensor, top_k: int, top_p: float) -> int:
    """A token drawn from the top k, the nucleus, or all."""
    return best_n(logits, top_k or (n_nucleus(logits, top_p, 1) if top_p else len(logits)))


sample_next_token.equivalent("temperature == 0 → temperature <= 0", "No temperature lies below 0.")
for change in ("top_k → top_p", "top_p → top_k", "top_k → temperature", "top_p → freq_penalty"):
    sample_next_token.equivalent(change, "Where it passes, only the text of the error is another.")


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
    weights = [math.exp((values[token] - max(values)) / temperature) for token in ranked]
    n_kept, total = top_k or len(ranked), 0.0
    if top_p:
        n_kept = 0
        while total < top_p * sum(weights) and n_kept < len(ranked):
            total += weights[n_kept]
            n_kept += 1
    return random.choices(ranked[:n_kept], weights[:n_kept])[0]


@sample_next_token.misconception(
    "a penalty taken off in place", "`logits[...] -= ...` changes the caller's tensor: return new logits."
)
def penalty_in_place_next(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    lower = penalty_in_place(input_ids, logits, freq_penalty)
    return (
        both_accepted(input_ids[:0], lower, temperature, top_k, top_p) if not (top_k and top_p) else refuse_both(1, 1)
    )


@sample_next_token.misconception(
    "dividing in place", "`logits /= ...` changes the caller's tensor: `logits = logits / temperature` makes a new one."
)
def divided_in_place_next(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    if temperature == 0:
        return int(one_hot_sum(input_ids, logits, freq_penalty).argmax())
    logits /= temperature
    return from_kept(one_hot_sum(input_ids, logits, freq_penalty / temperature), top_k, top_p)


@sample_next_token.misconception(
    "a ValueError that is returned", "An error is raised: `raise ValueError(...)`, not `return` or `print`."
)
def error_returned(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        return str(ValueError("choose one"))
    return both_accepted(input_ids, logits, temperature, top_k, top_p, freq_penalty)


@sample_next_token.misconception(
    "both `top_k` and `top_p` accepted", "One would be left out, or both applied; nobody knows which: raise ValueError."
)
def both_accepted(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    return int(lower.argmax()) if temperature == 0 else from_kept(lower / temperature, top_k, top_p)


@sample_next_token.misconception(
    "greedy before the penalty", "The penalty counts at a temperature of 0 too: take it off first, then call `greedy`."
)
def greedy_first(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    if temperature == 0:
        return int(logits.argmax())
    return from_kept(one_hot_sum(input_ids, logits, freq_penalty) / temperature, top_k, top_p)


@sample_next_token.misconception(
    "a temperature of 0 passed over", "`if temperature:` skips the division at 0, and then a token is drawn: be greedy."
)
def zero_skipped(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    return from_kept(lower / temperature if temperature else lower, top_k, top_p)


@sample_next_token.misconception(
    "dividing by a temperature of 0",
    "The quotients are infinite, and their softmax is NaN: at 0 call `greedy` instead.",
)
def divided_by_zero(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    return from_kept(one_hot_sum(input_ids, logits, freq_penalty) / temperature, top_k, top_p)


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


@sample_next_token.misconception("`top_p` passed over", "Where `top_p` is given, draw with `sample_top_p`.")
def no_top_p(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    return int(lower.argmax()) if temperature == 0 else from_kept(lower / temperature, top_k, 0.0)


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


@sample_next_token.misconception(
    "no temperature where `top_k` is given", "Divide first, for every sampler: `top_k` draws from the new logits too."
)
def top_k_without_temperature(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    if top_k:
        return best_n(lower, top_k)
    return int(lower.argmax()) if temperature == 0 else from_kept(lower / temperature, 0, top_p)


@sample_next_token.misconception(
    "a penalty for being there, however often", "Count: a token that came three times loses three penalties."
)
def presence_next(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = presence(input_ids, logits, freq_penalty)
    return int(lower.argmax()) if temperature == 0 else from_kept(lower / temperature, top_k, top_p)


@sample_next_token.misconception(
    "multiplying by the temperature", "A low temperature makes the distribution more peaked: divide by it."
)
def multiplied_next(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    return int(lower.argmax()) if temperature == 0 else from_kept(lower * temperature, top_k, top_p)


@sample_next_token.misconception(
    "the temperature left out", "`apply_temperature` returns new logits: give them a name, and draw from them."
)
def no_temperature_next(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    lower = one_hot_sum(input_ids, logits, freq_penalty)
    return int(lower.argmax()) if temperature == 0 else from_kept(lower, top_k, top_p)


@sample_next_token.misconception(
    "the penalty left out", "`apply_frequency_penalty` returns new logits: give them a name, and draw from them."
)
def no_penalty(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    return int(logits.argmax()) if temperature == 0 else from_kept(logits / temperature, top_k, top_p)


@sample_next_token.misconception(
    "the temperature before the penalty",
    "Then a low temperature weakens the penalty. Take the penalty off the logits as they come, then divide.",
)
def temperature_first(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    refuse_both(top_k, top_p)
    if temperature == 0:
        return int(one_hot_sum(input_ids, logits, freq_penalty).argmax())
    return from_kept(one_hot_sum(input_ids, logits / temperature, freq_penalty), top_k, top_p)


@sample_next_token.misconception(
    "the drawn token in a tensor", "The samplers answer an int: return what they return, not `torch.tensor(...)` of it."
)
def next_in_a_tensor(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    return torch.tensor(drawn(logits.softmax(-1)))


@sample_next_token.misconception(
    "a `top_k` of 0 handed on", "`topk(0)` keeps no token at all: call the top-k sampler only where `top_k` is given."
)
def top_k_of_nothing(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    lower = one_hot_sum(input_ids, logits, freq_penalty) / temperature
    best, tokens = lower.topk(top_k)
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


# --- text ---
