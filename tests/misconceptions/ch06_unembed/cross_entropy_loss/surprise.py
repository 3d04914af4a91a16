"""How cross_entropy_loss goes wrong: what is made of one prediction."""

import math

import torch
import torch.nn.functional as F

from tests.ch06_unembed import cross_entropy
from tests.misconceptions.ch06_unembed.cross_entropy_loss.pairing import shifted, surprises


@cross_entropy.misconception(
    "smoothed labels",
    "The other tokens get a share of the weight here. Give all of it to the token that came: the surprise is −log of "
    "its probability.",
)
def smoothed(logits, tokens):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), label_smoothing=0.1)


cross_entropy.misconception(
    "bits in place of nats",
    "The loss is in nats, so take the natural logarithm: with base 2 each surprise is 1.44 times as large.",
    lambda logits, tokens: surprises(*shifted(logits, tokens)).mean() / math.log(2),
)
cross_entropy.misconception(
    "the logarithm to base 10",
    "The loss is in nats, so take the natural logarithm: with base 10 each surprise is 0.43 times as large.",
    lambda logits, tokens: surprises(*shifted(logits, tokens)).mean() / math.log(10),
)
cross_entropy.misconception(
    "the wrong sign",
    "Logarithms of probabilities are negative, a surprise is positive: take minus the mean.",
    lambda logits, tokens: -surprises(*shifted(logits, tokens)).mean(),
)
cross_entropy.misconception(
    "a softmax taken twice",
    "The numbers are those of a softmax of a softmax. F.cross_entropy and log_softmax take it themselves: hand "
    "them the logits.",
    lambda logits, tokens: surprises(*shifted(logits.softmax(dim=-1), tokens)).mean(),
)
cross_entropy.misconception(
    "logits in place of log-probabilities",
    "A logit is not normalised: subtract the `logsumexp` of its position first. (nll_loss wants log_softmax.)",
    lambda logits, tokens: surprises(logits[:, :-1], tokens[:, 1:]).mean(),
)
cross_entropy.misconception(
    "the logarithm of the logits",
    "Logits may be negative, and are not probabilities: `log_softmax` turns them into log-probabilities.",
    lambda logits, tokens: surprises(logits[:, :-1].log(), tokens[:, 1:]).mean(),
)
cross_entropy.misconception(
    "minus the probability, without a logarithm",
    "The loss is the mean of −log(probability): take the logarithm. (nll_loss wants log_softmax, not softmax.)",
    lambda logits, tokens: surprises(logits[:, :-1].softmax(dim=-1), tokens[:, 1:]).mean(),
    lambda logits, tokens: 1 + surprises(logits[:, :-1].softmax(dim=-1), tokens[:, 1:]).mean(),
    lambda logits, tokens: -surprises(logits[:, :-1].softmax(dim=-1), tokens[:, 1:]).mean(),
)
cross_entropy.misconception(
    "the logarithm of the mean probability",
    "Take the logarithm of each probability first, then the mean, so that one miss among good guesses is felt.",
    lambda logits, tokens: (-surprises(logits[:, :-1].softmax(dim=-1), tokens[:, 1:]).mean()).log().neg(),
)
cross_entropy.misconception(
    "the logarithm of a softmax",
    "A probability below 1e-45 is 0 in float32, and its logarithm −∞. Use `log_softmax`, or the logit minus "
    "`logsumexp`.",
    lambda logits, tokens: surprises(logits[:, :-1].softmax(dim=-1).log(), tokens[:, 1:]).mean(),
)


@cross_entropy.also("the logarithm of a softmax")
def log_of_a_stable_softmax(logits, tokens):
    weights = (logits[:, :-1] - logits[:, :-1].amax(dim=-1, keepdim=True)).exp()
    return surprises((weights / weights.sum(dim=-1, keepdim=True)).log(), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "`exp` of the logits as they are",
    "exp(89) is infinite in float32: subtract the largest logit of the position first, or use `logsumexp`.",
)
def overflowing(logits, tokens):
    log_probs = logits[:, :-1] - logits[:, :-1].exp().sum(dim=-1, keepdim=True).log()
    return surprises(log_probs, tokens[:, 1:]).mean()


@cross_entropy.also("`exp` of the logits as they are")
def overflowing_quotient(logits, tokens):
    weights = logits[:, :-1].exp()
    return surprises((weights / weights.sum(dim=-1, keepdim=True)).log(), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "one maximum subtracted for the whole batch",
    "At a position far below that maximum `exp` rounds every score to 0: subtract each position's own, `amax(dim=-1, "
    "keepdim=True)`.",
)
def one_maximum(logits, tokens):
    judged = logits[:, :-1] - logits.max()
    return surprises(judged - judged.exp().sum(dim=-1, keepdim=True).log(), tokens[:, 1:]).mean()


@cross_entropy.also("one maximum subtracted for the whole batch")
def one_maximum_and_a_quotient(logits, tokens):
    weights = (logits - logits.max()).exp()[:, :-1]
    return surprises((weights / weights.sum(dim=-1, keepdim=True)).log(), tokens[:, 1:]).mean()


cross_entropy.also("one maximum subtracted for the whole batch", "logits.max → logits[:, :-1].max", of=one_maximum)


@cross_entropy.also("one maximum subtracted for the whole batch")
def one_maximum_of_the_judged_and_a_quotient(logits, tokens):
    weights = (logits[:, :-1] - logits[:, :-1].max()).exp()
    return surprises((weights / weights.sum(dim=-1, keepdim=True)).log(), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "leaving infinite surprises out of the mean",
    "What the model held to be impossible must cost most. Use `log_softmax`: no surprise is infinite then.",
)
def finite_only(logits, tokens):
    each = surprises(logits[:, :-1].softmax(dim=-1).log(), tokens[:, 1:])
    return each[each.isfinite()].mean()


cross_entropy.also(
    "leaving infinite surprises out of the mean",
    "each[each.isfinite()].mean → each.nan_to_num(posinf=0.0).mean",
    of=finite_only,
)
cross_entropy.misconception(
    "a surprise that can't grow past a limit",
    "The surprise of an unlikely token is capped, as by a small number added to the softmax, or a clamp. Leave "
    "it as large as it is: `log_softmax` never takes the logarithm of a 0, and needs no guard.",
    lambda logits, tokens: surprises((logits[:, :-1].softmax(dim=-1) + 1e-9).log(), tokens[:, 1:]).mean(),
    lambda logits, tokens: surprises(logits[:, :-1].softmax(dim=-1).clamp(min=1e-9).log(), tokens[:, 1:]).mean(),
)


def guarded_by(how, eps):
    """The logarithm of a softmax, kept from 0 by another small number."""

    def with_guard(logits, tokens):
        return surprises(how(logits[:, :-1].softmax(dim=-1), eps).log(), tokens[:, 1:]).mean()

    return with_guard


for limit in (10, 20, 50, 100):

    @cross_entropy.also("a surprise that can't grow past a limit")
    def capped(logits, tokens, limit=limit):
        return surprises(*shifted(logits, tokens)).clamp(max=limit).mean()


for small in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12, 1e-15, 1e-20, 1e-30, torch.finfo().tiny, torch.finfo().eps):
    for guard in (torch.add, torch.clamp_min):
        cross_entropy.also("a surprise that can't grow past a limit")(guarded_by(guard, small))


cross_entropy.misconception(
    "logits cut off at a limit",
    "Logits beyond a limit count as if they stood at it, and that changes what the model said. Take them as they "
    "are: `log_softmax` is safe at any size.",
    lambda logits, tokens: surprises(*shifted(logits.clamp(-100, 100), tokens)).mean(),
)


for limit in (50, 88, 1000):
    cross_entropy.also("logits cut off at a limit")(
        lambda logits, tokens, limit=limit: surprises(*shifted(logits.clamp(-limit, limit), tokens)).mean()
    )


cross_entropy.misconception(
    "a softmax over the positions",
    "A position's probabilities must add up to 1 along `d_vocab`, not a token's along the positions: `dim=-1`.",
    lambda logits, tokens: surprises(logits[:, :-1].log_softmax(dim=1), tokens[:, 1:]).mean(),
    lambda logits, tokens: surprises(logits.log_softmax(dim=1)[:, :-1], tokens[:, 1:]).mean(),
)
cross_entropy.misconception(
    "a softmax over the batch",
    "A position's probabilities must add up to 1 along `d_vocab`, `dim=-1`. (Without a `dim`, `F.softmax` of three "
    "axes takes the first, the batch.)",
    lambda logits, tokens: surprises(logits[:, :-1].log_softmax(dim=0), tokens[:, 1:]).mean(),
    lambda logits, tokens: surprises(logits[:, :-1].softmax(dim=0).log(), tokens[:, 1:]).mean(),
)
cross_entropy.misconception(
    "one softmax over all numbers",
    "Each position has a distribution of its own: its probabilities add up to 1 along `d_vocab`, `dim=-1`.",
    lambda logits, tokens: surprises(logits[:, :-1] - logits[:, :-1].flatten().logsumexp(0), tokens[:, 1:]).mean(),
)


@cross_entropy.misconception(
    "the largest logit in place of the logsumexp",
    "The normaliser is log(sum of exp): the maximum is only the part of it that is subtracted for safety.",
)
def maximum_alone(logits, tokens):
    return surprises(logits[:, :-1] - logits[:, :-1].amax(dim=-1, keepdim=True), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "the maximum subtracted and not added back",
    "logsumexp(x) = max + log(sum of exp(x − max)): subtract the maximum from the right logit too, or add it again.",
)
def maximum_not_added(logits, tokens):
    largest = logits[:, :-1].amax(dim=-1, keepdim=True)
    normaliser = (logits[:, :-1] - largest).exp().sum(dim=-1, keepdim=True).log()
    return surprises(logits[:, :-1] - normaliser, tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "the sum of exp without its logarithm",
    "log(exp(x) / sum) = x − log(sum): take the logarithm of the sum before you subtract it.",
)
def normaliser_without_log(logits, tokens):
    judged = logits[:, :-1] - logits[:, :-1].amax(dim=-1, keepdim=True)
    return surprises(judged - judged.exp().sum(dim=-1, keepdim=True), tokens[:, 1:]).mean()


cross_entropy.also(
    "the sum of exp without its logarithm", "- logits[:, :-1].amax(dim=-1, keepdim=True) → ", of=normaliser_without_log
)
cross_entropy.misconception(
    "the likeliest token in place of the one that came",
    "The probability to look up is that of `tokens[:, 1:]`, whatever the model would have guessed.",
    lambda logits, tokens: -logits[:, :-1].log_softmax(dim=-1).amax(dim=-1).mean(),
    lambda logits, tokens: -logits.log_softmax(dim=-1).amax(dim=-1).mean(),
)
cross_entropy.misconception(
    "the model's own entropy",
    "That weighs every token by the model's probability and never looks at `tokens`: pick the token that came.",
    ("-log_probs.gather → -(log_probs.exp() * log_probs).sum", "1, index=tokens[:, 1:, None] → 1"),
)


@cross_entropy.misconception(
    "weighing the surprise by the probability", "Each prediction counts alike: −log(p), not −p · log(p)."
)
def weighted(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return surprises(log_probs * log_probs.exp(), targets).mean()


cross_entropy.misconception(
    "perplexity",
    "Perplexity is a power, exp(loss): return the loss itself, the mean surprise.",
    lambda logits, tokens: surprises(*shifted(logits, tokens)).mean().exp(),
    lambda logits, tokens: 2 ** surprises(*shifted(logits, tokens)).mean(),
)
cross_entropy.misconception(
    "exp(−loss), a probability",
    "That is how likely a token was held to be, on average, and the loss is minus its logarithm: return the mean "
    "surprise itself.",
    lambda logits, tokens: (-surprises(*shifted(logits, tokens)).mean()).exp(),
)
cross_entropy.misconception(
    "the largest surprise alone",
    "The loss is the mean over all predictions, not the largest of them: `.mean()`.",
    lambda logits, tokens: surprises(*shifted(logits, tokens)).max(),
)
cross_entropy.misconception(
    "the median",
    "The loss is the mean: rare, large surprises must count.",
    lambda logits, tokens: surprises(*shifted(logits, tokens)).flatten().median(),
    lambda logits, tokens: -(-surprises(*shifted(logits, tokens))).median(),
)


@cross_entropy.misconception(
    "squared distances", "Cross-entropy takes −log of the right token's probability; there is nothing to square."
)
def brier(logits, tokens):
    right = F.one_hot(tokens[:, 1:], logits.shape[-1]).float()
    return F.mse_loss(logits[:, :-1].softmax(dim=-1), right)


@cross_entropy.also("squared distances")
def brier_summed(logits, tokens):
    right = F.one_hot(tokens[:, 1:], logits.shape[-1]).float()
    return (logits[:, :-1].softmax(dim=-1) - right).square().sum(dim=-1).mean()


cross_entropy.also(
    "squared distances",
    lambda logits, tokens: F.mse_loss(logits[:, :-1], F.one_hot(tokens[:, 1:], logits.shape[-1]).float()),
    lambda logits, tokens: surprises(*shifted(logits, tokens)).square().mean(),
)


@cross_entropy.misconception(
    "binary cross-entropy",
    "That asks of each token by itself whether it comes. Exactly one of d_vocab comes, so only its log-probability "
    "counts, from a softmax over all of them.",
)
def binary(logits, tokens):
    right = F.one_hot(tokens[:, 1:], logits.shape[-1]).float()
    return F.binary_cross_entropy_with_logits(logits[:, :-1], right)


@cross_entropy.also("binary cross-entropy")
def binary_of_softmax(logits, tokens):
    right = F.one_hot(tokens[:, 1:], logits.shape[-1]).float()
    return F.binary_cross_entropy(logits[:, :-1].softmax(dim=-1), right)


cross_entropy.misconception(
    "a sigmoid in place of the softmax",
    "The d_vocab probabilities of a position must add up to 1, but a sigmoid looks at one logit alone: take "
    "`log_softmax`.",
    lambda logits, tokens: surprises(F.logsigmoid(logits[:, :-1]), tokens[:, 1:]).mean(),
    lambda logits, tokens: surprises(logits[:, :-1].sigmoid().log(), tokens[:, 1:]).mean(),
)


@cross_entropy.misconception(
    "a margin between scores",
    "A margin is satisfied once the right token leads. The loss is −log of its probability, which can always rise.",
)
def margin(logits, tokens):
    judged, targets = logits[:, :-1], tokens[:, 1:, None]
    return (1 + judged - judged.gather(-1, targets)).clamp(min=0).mean()


cross_entropy.also(
    "a margin between scores",
    lambda logits, tokens: F.multi_margin_loss(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten()),
)
cross_entropy.misconception(
    "an accuracy",
    "The share of right guesses has no gradient: take −log of the right token's probability.",
    lambda logits, tokens: (logits[:, :-1].argmax(dim=-1) == tokens[:, 1:]).float().mean(),
    lambda logits, tokens: (logits[:, :-1].argmax(dim=-1) != tokens[:, 1:]).float().mean(),
)
