"""How sample_basic goes wrong, and right answers that look different."""

import math
import random

import numpy as np
import torch
from torch import Tensor

from tests.ch08_sampling import sample_basic
from tests.misconceptions.ch08_sampling.greedy import drawn

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


sample_basic.misconception(
    "every token alike",
    "Every token comes as often as any other: draw with the probabilities that softmax gives.",
    lambda logits: int(torch.randint(len(logits), ())),
)
sample_basic.misconception(
    "logits taken for weights",
    "Logits may lie below 0, log-probabilities do, and weights may not: take the softmax.",
    "logits.softmax(-1) → logits",
)
sample_basic.misconception(
    "logits moved above 0 and taken for weights",
    "One more logit makes a token e times as likely: take the softmax.",
    "logits.softmax(-1) → logits - logits.min() + 1e-3",
)
sample_basic.misconception(
    "logits without their sign as weights",
    "A logit of -5 is an unlikely token, but here it comes as often as one of 5: take the softmax.",
    "logits.softmax(-1) → logits.abs()",
)
sample_basic.misconception(
    "negative logits cut off",
    "Tokens with a logit below 0 never come, but every token should have a chance: draw with the softmax.",
    "logits.softmax(-1) → logits.clamp(min=0.0) + 1e-9",
)
sample_basic.misconception(
    "softmax taken twice",
    "The numbers are those of a softmax of a softmax: take it once. (`Categorical(logits=...)` takes one itself, and "
    "the largest after Gumbel's noise is one too: both want the logits.)",
    "logits.softmax(-1) → logits.softmax(-1).softmax(-1)",
    lambda logits: int((logits.softmax(-1) - (-torch.rand_like(logits).log()).log()).argmax()),
    lambda logits: int((logits.softmax(-1) - torch.empty_like(logits).exponential_().log()).argmax()),
)
sample_basic.misconception(
    "powers of 2",
    "The weights are powers of 2, and softmax takes powers of e: `exp`.",
    lambda logits: drawn((logits * math.log(2)).softmax(-1)),
)
sample_basic.misconception(
    "softmax of minus the logits",
    "The highest logit is the likeliest token, but here it is the rarest: draw with the softmax of the logits, with "
    "their own sign.",
    "logits.softmax → (-logits).softmax",
)
sample_basic.misconception(
    "minus the log-probabilities as weights",
    "These are largest for what is unlikely: take the softmax of the logits.",
    lambda logits: drawn(-logits.log_softmax(-1)),
)
sample_basic.misconception(
    "a sigmoid of each logit",
    "It looks at each logit alone: take softmax, which weighs them together.",
    lambda logits: drawn(logits.sigmoid()),
)
sample_basic.misconception(
    "the rank instead of the token",
    "What is drawn from sorted probabilities is a place in that order: look up its token.",
    "logits.softmax(-1) → logits.softmax(-1).sort(descending=True).values",
)
sample_basic.misconception(
    "`exp` without the largest logit subtracted",
    "Above 88 `exp` is infinite, and below -104 it is 0: use `softmax`, which subtracts the largest logit first.",
    lambda logits: drawn(logits.exp()),
)
sample_basic.misconception(
    "the drawn token in a tensor",
    "A token is an int, and this is a tensor that holds one: call `int(...)` or `.item()`.",
    "int(torch.multinomial(logits.softmax(-1), 1)) → torch.multinomial(logits.softmax(-1), 1)",
    "int(torch.multinomial(logits.softmax(-1), 1)) → torch.multinomial(logits.softmax(-1), 1)[0]",
)


@sample_basic.misconception(
    "the drawn token's probability",
    "Return the token that was drawn, which is a place in the vocabulary, and not its probability.",
)
def drawn_probability(logits):
    probabilities = logits.softmax(-1)
    return float(probabilities[torch.multinomial(probabilities, 1)])


sample_basic.misconception(
    "0 every time",
    "Return the token, which is the place that was drawn. (`int` of a probability is 0.)",
    lambda logits: int(drawn_probability(logits)),
)
sample_basic.misconception(
    "the drawn token as a float", "A token is a whole number: `int(...)`, not `float(...)`.", "int( → float("
)
sample_basic.misconception(
    "the drawn token in a list",
    "A token is an int: write `.item()` in the place of `.tolist()`.",
    "int(torch.multinomial(logits.softmax(-1), 1)) → torch.multinomial(logits.softmax(-1), 1).tolist()",
)


@sample_basic.misconception(
    "the drawn token as NumPy's integer", "NumPy's functions give their own kind of number: put `int(...)` around."
)
def drawn_by_numpy(logits):
    chances = logits.double().softmax(-1)
    return np.random.multinomial(1, (chances / chances.sum()).numpy()).argmax()


sample_basic.misconception(
    "the second of two draws",
    "Without replacement the second draw never repeats the first: draw one, and take it.",
    "1)) → 2)[1])",
)
sample_basic.misconception(
    "the most frequent of many draws",
    "Of many draws that is nearly always the likeliest token: draw one, and take it.",
    lambda logits: int(torch.multinomial(logits.softmax(-1), 100, replacement=True).mode().values),
    said_of=r"mode\b|bincount|Counter|most_common|unique|histc|\.count\(|one_hot|scatter",
    otherwise="It is nearly always the likeliest token that comes: draw one by the probabilities, with "
    "`torch.multinomial`.",
)


@sample_basic.misconception(
    "the likelier of two draws", "The likelier of two comes too often: draw one, and take it as it is."
)
def likelier_of_two(logits):
    both = torch.multinomial(logits.softmax(-1), 2, replacement=True)
    return int(both[logits[both].argmax()])


@sample_basic.misconception(
    "another draw where a token comes again",
    "A token may come twice in a row: take the first draw, and keep nothing from one call to the next.",
)
def hardly_ever_again(logits, last=[None]):  # noqa: B006 - the mistake
    token = drawn(logits.softmax(-1))
    last[0] = drawn(logits.softmax(-1)) if token == last[0] else token
    return last[0]


sample_basic.misconception(
    "the likeliest tokens alone",
    "What is unlikely one by one is likely together, where the vocabulary is large: cut off and round nothing.",
    lambda logits: best_n(logits, min(50, len(logits))),
)
sample_basic.misconception(
    "a least chance for every token",
    "It lifts all tokens that should hardly ever come, and there are many: draw from the softmax as it is.",
    "logits.softmax(-1) → logits.softmax(-1).clamp(min=1e-4)",
)
sample_basic.misconception(
    "normal noise on the logits",
    "The highest of noisy logits is a draw from softmax only if the noise is Gumbel's, -log(-log(u)).",
    lambda logits: int((logits + torch.randn_like(logits)).argmax()),
    said_of="randn|normal",
)
sample_basic.misconception(
    "uniform noise on the logits",
    "Uniform noise is not Gumbel's: add -log(-log(u)), or draw with `multinomial`.",
    lambda logits: int((logits + torch.rand_like(logits)).argmax()),
    said_of="rand|uniform",
)
sample_basic.misconception(
    "Gumbel's noise with the wrong sign",
    "The noise is -log(-log(u)), and it is added: count the minus signs.",
    lambda logits: int((logits + torch.empty_like(logits).exponential_().log()).argmax()),
    said_of=r"\blog\(|[Gg]umbel",
)
sample_basic.misconception(
    "Gumbel's noise with one logarithm",
    "-log(u) is not yet Gumbel's noise: add -log(-log(u)), with both logarithms.",
    lambda logits: int((logits - torch.rand_like(logits).log()).argmax()),
    said_of=r"\blog\(|[Gg]umbel",
)
sample_basic.misconception(
    "random numbers times the probabilities",
    "The largest product comes too often from the likeliest: draw with `multinomial`, or *divide* the probabilities by "
    "`exponential_()`.",
    lambda logits: int((logits.softmax(-1) * torch.rand_like(logits)).argmax()),
    lambda logits: int((logits.softmax(-1) * torch.empty_like(logits).exponential_()).argmax()),
    said_of="rand|uniform|exponential",
)
sample_basic.misconception(
    "a coin tossed for each token",
    "Several coins may show heads, or none: draw one token among all of them, with `torch.multinomial`.",
    lambda logits: int((torch.rand_like(logits) < logits.softmax(-1)).int().argmax()),
    said_of="rand|bernoulli",
)


@sample_basic.also("a coin tossed for each token")
def coins_one_by_one(logits):
    heads = (token for token, chance in enumerate(logits.softmax(-1).tolist()) if random.random() < chance)
    return next(heads, len(logits) - 1)


sample_basic.misconception(
    "the token after the one drawn",
    "The token that was drawn stands where the running sum first exceeds the random number: return that place, not "
    "the next.",
    lambda logits: 1 + inverse_of_the_cumulative_sum(logits),
)
sample_basic.misconception(
    "the token before the one drawn",
    "The token that was drawn stands where the running sum first exceeds the random number: return that place, not "
    "the one before.",
    lambda logits: inverse_of_the_cumulative_sum(logits) - 1,
)
sample_basic.misconception(
    "the running sums on the other side of the random number",
    "The place that was drawn is how many running sums lie *below* the random number: turn the comparison round.",
    lambda logits: int((logits.softmax(-1).cumsum(-1) > torch.rand(1)).sum()),
)


@sample_basic.misconception(
    "a random number that never shrinks",
    "At each token, either subtract its probability from the random number, or compare that number with the running "
    "sum.",
)
def walk_that_grows(logits):
    left, probabilities = torch.rand(()).item(), logits.softmax(-1).tolist()
    for token, probability in enumerate(probabilities):
        if left < probability:
            return token
        left += probability
    return len(probabilities) - 1


@sample_basic.also("a random number that never shrinks")
def walk_that_stands_still(logits):
    random_number, probabilities = torch.rand(()).item(), logits.softmax(-1).tolist()
    for token, probability in enumerate(probabilities):
        if random_number < probability:
            return token
    return len(probabilities) - 1


sample_basic.misconception(
    "logits shifted in place",
    "The caller's logits have other numbers now: leave them as they are, because `softmax` does the subtraction by "
    "itself.",
    lambda logits: drawn(logits.sub_(logits.max()).exp()),
)


def best_n(logits: Tensor, n_kept: int) -> int:
    """A token drawn from the `n_kept` likeliest."""
    best, tokens = logits.topk(min(max(n_kept, 1), len(logits)))
    return int(tokens[drawn(best.softmax(-1))])


@sample_basic.misconception(
    "calls counted in the place of drawing",
    "Shares as even as these are not drawn: draw each time anew, with `torch.multinomial`, and count nothing.",
)
def golden_steps(logits, calls=[0]):  # noqa: B006 - the mistake
    calls[0] += 1
    below = logits.double().softmax(-1).cumsum(-1)
    return min(int((below <= calls[0] * 0.6180339887498949 % 1).sum()), len(logits) - 1)


sample_basic.misconception(
    "a temperature that is not 1",
    "Draw with the softmax of the logits as they are: multiply or divide them by nothing.",
    "logits.softmax → (1.06 * logits).softmax",
    "logits.softmax → (0.94 * logits).softmax",
)
