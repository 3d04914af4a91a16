"""How cross_entropy_loss goes wrong in two ways at once: a card names one, and once that is mended the other."""

import math
from itertools import product

from tests.ch06_unembed import cross_entropy
from tests.misconceptions.ch06_unembed.cross_entropy_loss.pairing import surprises

# Which positions of the logits, and which of the tokens that judge them.
RIGHT = slice(-1), slice(1, None)
PAIRS = {
    "judging each position by its own token": [(slice(None), slice(None)), (slice(-1), slice(-1))],
    "a shift in the wrong direction": [(slice(1, None), slice(-1))],
    "a shift by two": [(slice(-2), slice(2, None))],
}


def log_softmax(judged):
    return judged.log_softmax(dim=-1)


def log_of_a_softmax(judged):
    return judged.softmax(dim=-1).log()


def log_of_a_quotient(judged):
    return (judged.exp() / judged.exp().sum(dim=-1, keepdim=True)).log()


def less_the_log_of_a_sum(judged):
    return judged - judged.exp().sum(dim=-1, keepdim=True).log()


# Right for logits of ordinary size.
UNSAFE = [log_of_a_softmax, log_of_a_quotient, less_the_log_of_a_sum]
LOGARITHMS = {
    "a softmax taken twice": [lambda judged: judged.softmax(dim=-1).log_softmax(dim=-1)],
    "logits in place of log-probabilities": [lambda judged: judged],
    "minus the probability, without a logarithm": [lambda judged: judged.softmax(dim=-1)],
    "a softmax over the positions": [lambda judged: judged.log_softmax(dim=1)],
    "a softmax over the batch": [lambda judged: judged.log_softmax(dim=0)],
    "bits in place of nats": [
        lambda judged: judged.log_softmax(dim=-1) / math.log(2),
        lambda judged: judged.softmax(dim=-1).log2(),
    ],
    "the logarithm to base 10": [
        lambda judged: judged.log_softmax(dim=-1) / math.log(10),
        lambda judged: judged.softmax(dim=-1).log10(),
    ],
    "the wrong sign": [lambda judged, form=form: -form(judged) for form in (log_softmax, *UNSAFE)],
}
WRONG_LOGARITHMS = [one for forms in LOGARITHMS.values() for one in forms]
MEANS = {
    "a sum in place of the mean": lambda each: each.sum(),
    "dividing by the number of sentences": lambda each: each.sum(dim=-1).mean(),
    "adding up over the batch": lambda each: each.mean(dim=-1).sum(),
    "dividing by the number of tokens": lambda each: each.sum() / (each.numel() + len(each)),
    "perplexity": lambda each: each.mean().exp(),
}


def loss_by(pair, logarithm, mean=lambda each: each.mean()):
    """The loss of these pairs of logits and tokens, from their log-probabilities, brought to one number."""
    positions, targets = pair
    return lambda logits, tokens: mean(surprises(logarithm(logits[:, positions]), tokens[:, targets]))


for name, pairs in PAIRS.items():
    for pair, logarithm in product(pairs, [*UNSAFE, *WRONG_LOGARITHMS]):
        cross_entropy.also(name)(loss_by(pair, logarithm))
    for pair, mean in product(pairs, MEANS.values()):
        cross_entropy.also(name)(loss_by(pair, log_softmax, mean))
for (name, mean), logarithm in product(MEANS.items(), UNSAFE):
    cross_entropy.also(name)(loss_by(RIGHT, logarithm, mean))
for name, logarithms in LOGARITHMS.items():
    for logarithm, (of_the_mean, mean) in product(logarithms, MEANS.items()):
        if (name, of_the_mean) != ("the wrong sign", "perplexity"):  # exp(−loss), which has a name
            cross_entropy.also(name)(loss_by(RIGHT, logarithm, mean))


for form in UNSAFE:
    cross_entropy.also("the wrong sign")(loss_by(RIGHT, lambda judged, form=form: -form(judged)))


@cross_entropy.also("the wrong sign")
def positive_sign_over_the_positions(logits, tokens):
    return -surprises(logits.log_softmax(dim=1)[:, :-1], tokens[:, 1:]).mean()


@cross_entropy.also("the wrong sign")
def positive_sign_over_the_judged_positions(logits, tokens):
    return -surprises(logits[:, :-1].log_softmax(dim=1), tokens[:, 1:]).mean()
