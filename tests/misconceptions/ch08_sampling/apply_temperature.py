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


apply_temperature.misconception(
    "the same tensor where nothing changes",
    "Return a new tensor every time: divide by 1 too, or return `logits.clone()`.",
    "logits / temperature → logits if temperature == 1 else logits / temperature",
)
apply_temperature.misconception(
    "multiplying by the temperature",
    "A low temperature makes the distribution more peaked, so it must make the logits larger: divide.",
    "/ temperature → * temperature",
)
apply_temperature.misconception(
    "probabilities",
    "The samplers take the softmax: hand them logits, divided and no more.",
    "logits / temperature → (logits / temperature).softmax(-1)",
)
apply_temperature.misconception(
    "probabilities divided by the temperature",
    "Once they are scaled to add up to 1 again, the temperature cancels: divide the logits.",
    "logits / temperature → logits.softmax(-1) / temperature",
)


@apply_temperature.misconception(
    "probabilities divided and scaled up again",
    "Scaling up takes the division back, so that the temperature does nothing. Divide the logits, and return logits.",
)
def probabilities_divided_and_scaled_up(logits, temperature):
    weights = logits.softmax(-1) / temperature
    return weights / weights.sum()


apply_temperature.also(
    "probabilities divided and scaled up again",
    lambda logits, temperature: probabilities_divided_and_scaled_up(logits, temperature).log(),
)
apply_temperature.misconception(
    "log-probabilities",
    "These are log-probabilities. Softmax would not notice; this exercise wants the logits, divided.",
    "logits / temperature → (logits / temperature).log_softmax(-1)",
)
apply_temperature.misconception(
    "logits with their largest subtracted",
    "Softmax would give the same probabilities, but these are other logits: divide them as they come.",
    "logits / temperature → (logits - logits.max()) / temperature",
)
apply_temperature.misconception(
    "a highest logit that stays where it was",
    "The distribution is right, but the logits are not: divide every one of them, the highest too.",
    "logits / temperature → logits.max() + (logits - logits.max()) / temperature",
)
apply_temperature.misconception(
    "subtracting the temperature",
    "The same number off every logit changes no probability: divide.",
    "/ temperature → - temperature",
)
apply_temperature.misconception(
    "the temperature left out", "Divide the logits by it.", "logits / temperature → logits.clone()"
)
apply_temperature.misconception(
    "whole numbers alone",
    "A quotient need not be a whole number: divide with one slash, `logits / temperature`, and round nothing.",
    "/ temperature → // temperature",
)
apply_temperature.misconception(
    "`exp` of the logits divided by the temperature",
    "Divide the logits before any `exp`, and return them as logits.",
    "logits / temperature → logits.exp() / temperature",
)
apply_temperature.misconception(
    "dividing by the temperature's root",
    "Only the scores of attention are divided by a root. Here divide by the number.",
    "/ temperature → / temperature**0.5",
)
apply_temperature.misconception(
    "dividing by the temperature's square",
    "Divide once, and by the temperature itself: `logits / temperature`.",
    "/ temperature → / temperature / temperature",
)
apply_temperature.misconception(
    "dividing by 1 plus the temperature",
    "A temperature of 1 must change nothing: divide by it.",
    "/ temperature → / (1 + temperature)",
)
apply_temperature.misconception(
    "only high temperatures",
    "Below 1 the distribution grows more peaked: divide whatever the temperature is.",
    "/ temperature → / max(temperature, 1.0)",
)
apply_temperature.misconception(
    "only low temperatures",
    "Above 1 the distribution grows flatter: divide by what is given, however high it is.",
    "/ temperature → / min(temperature, 1.0)",
)
apply_temperature.misconception(
    "one temperature for all",
    "What comes out is the same whatever temperature is handed over: divide by `temperature`.",
    "/ temperature → / 0.7",
    "/ temperature → / 0.8",
    "/ temperature → / 2.0",
)
apply_temperature.misconception(
    "a temperature rounded to a whole number",
    "0.5 and 1.7 are temperatures too: divide by the number as it is given.",
    "/ temperature → / max(1, int(temperature))",
    "/ temperature → / max(1, round(temperature))",
)
apply_temperature.misconception(
    "the logarithm of the temperature taken off",
    "That divides the *probabilities*, which changes nothing once they add up to 1. Divide the logits themselves.",
    lambda logits, temperature: logits - math.log(temperature),
    "logits / temperature → (logits.softmax(-1) / temperature).log()",
)
apply_temperature.misconception(
    "only some of the logits",
    "Divide every logit by the same number, whatever its size or sign: here only some are divided.",
    "logits / temperature → torch.where(logits > 0, logits / temperature, logits)",
    "logits / temperature → torch.where(logits > 0, logits / temperature, logits * temperature)",
    "logits / temperature → torch.where(logits == logits.max(), logits / temperature, logits)",
)


@apply_temperature.misconception(
    "dividing in place", "The caller's logits have other numbers now: return a new tensor, `logits / temperature`."
)
def divided_in_place(logits, temperature):
    logits /= temperature
    return logits


@apply_temperature.correct
def a_copy_at_1(logits, temperature):
    return logits.clone() if temperature == 1 else logits / temperature
