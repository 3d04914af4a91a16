"""How apply_temperature goes wrong, and right answers that look different."""

import math

import torch

from tests.ch08_sampling import apply_temperature


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
    "the same tensor where nothing changes",
    "What you return is to be a new tensor: divide by 1 too, or return `logits.clone()`.",
)
def itself_at_1(logits, temperature):
    return logits if temperature == 1 else logits / temperature


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
    "probabilities divided and scaled up again",
    "Scaling up takes the division back, so that the temperature does nothing. Divide the logits, and return logits.",
)
def probabilities_divided_and_scaled_up(logits, temperature):
    weights = logits.softmax(-1) / temperature
    return weights / weights.sum()


@apply_temperature.also("probabilities divided and scaled up again")
def logarithm_of_what_was_divided_and_scaled_up(logits, temperature):
    return probabilities_divided_and_scaled_up(logits, temperature).log()


@apply_temperature.misconception(
    "log-probabilities",
    "These are log-probabilities. Softmax would not notice; this exercise wants the logits, divided.",
)
def log_probabilities(logits, temperature):
    return (logits / temperature).log_softmax(-1)


@apply_temperature.misconception(
    "logits with their largest subtracted",
    "Softmax would give the same probabilities, but these are other logits: divide them as they come.",
)
def largest_subtracted(logits, temperature):
    return (logits - logits.max()) / temperature


@apply_temperature.misconception(
    "a highest logit that stays where it was",
    "The distribution is right, and the logits are others: each of them is divided, the highest too.",
)
def highest_kept(logits, temperature):
    return logits.max() + (logits - logits.max()) / temperature


@apply_temperature.misconception(
    "subtracting the temperature", "The same number off every logit changes no probability: divide."
)
def subtracted(logits, temperature):
    return logits - temperature


@apply_temperature.misconception("the temperature left out", "Divide the logits by it.")
def no_temperature(logits, temperature):
    return logits.clone()


@apply_temperature.misconception(
    "whole numbers alone",
    "A quotient need not be a whole number: divide with one stroke, `logits / temperature`, and round nothing.",
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
    "dividing by the temperature's square", "Divide once, and by the temperature itself: `logits / temperature`."
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


@apply_temperature.misconception(
    "only low temperatures", "Above 1 the distribution grows flatter: divide by what is given, however high it is."
)
def at_most_one(logits, temperature):
    return logits / min(temperature, 1.0)


@apply_temperature.misconception(
    "one temperature for all",
    "What comes out is the same whatever temperature is handed over: divide by `temperature`.",
)
def always_seven_tenths(logits, temperature):
    return logits / 0.7


@apply_temperature.also("one temperature for all")
def always_eight_tenths(logits, temperature):
    return logits / 0.8


@apply_temperature.also("one temperature for all")
def always_two(logits, temperature):
    return logits / 2.0


@apply_temperature.misconception(
    "a temperature rounded to a whole number", "0.5 and 1.7 are temperatures too: divide by the number as it is given."
)
def whole_temperature(logits, temperature):
    return logits / max(1, int(temperature))


@apply_temperature.also("a temperature rounded to a whole number")
def rounded_temperature(logits, temperature):
    return logits / max(1, round(temperature))


@apply_temperature.misconception(
    "the logarithm of the temperature taken off",
    "That divides the *probabilities*, which changes nothing once they add up to 1. Divide the logits themselves.",
)
def logarithm_off(logits, temperature):
    return logits - math.log(temperature)


@apply_temperature.also("the logarithm of the temperature taken off")
def logarithm_of_divided_probabilities(logits, temperature):
    return (logits.softmax(-1) / temperature).log()


@apply_temperature.misconception(
    "only some of the logits",
    "Not all logits are divided: each of them is, by the same number, whatever its size or sign.",
)
def positive_alone(logits, temperature):
    return torch.where(logits > 0, logits / temperature, logits)


@apply_temperature.also("only some of the logits")
def negative_ones_multiplied(logits, temperature):
    return torch.where(logits > 0, logits / temperature, logits * temperature)


@apply_temperature.also("only some of the logits")
def highest_alone(logits, temperature):
    return torch.where(logits == logits.max(), logits / temperature, logits)


@apply_temperature.misconception(
    "dividing in place", "The caller's logits have other numbers now: return a new tensor, `logits / temperature`."
)
def divided_in_place(logits, temperature):
    logits /= temperature
    return logits


@apply_temperature.correct
def a_copy_at_1(logits, temperature):
    return logits.clone() if temperature == 1 else logits / temperature
