"""How cross_entropy_loss goes wrong: axes, and the form of the answer."""

import torch.nn.functional as F

from tests.ch06_unembed import cross_entropy
from tests.misconceptions.ch06_unembed.cross_entropy_loss.pairing import shifted, surprises

cross_entropy.misconception(
    "F.cross_entropy with d_vocab as its last axis",
    "It wants the classes second: flatten batch and positions, `logits[:, :-1].flatten(0, 1)`, or transpose(1, 2).",
    lambda logits, tokens: F.cross_entropy(logits[:, :-1], tokens[:, 1:]),
    lambda logits, tokens: F.cross_entropy(logits, tokens),
    lambda logits, tokens: F.nll_loss(logits[:, :-1].log_softmax(dim=-1), tokens[:, 1:]),
)


@cross_entropy.misconception(
    "a reshape in place of a transpose",
    "Scores land at other tokens, as when a `reshape` cuts the same row of numbers elsewhere: `transpose(1, 2)` moves "
    "the axis.",
)
def reshaped(logits, tokens):
    judged = logits[:, :-1]
    return F.cross_entropy(judged.reshape(judged.shape[0], judged.shape[2], judged.shape[1]), tokens[:, 1:])


cross_entropy.misconception(
    "logits and tokens flattened in different orders",
    "Both go sentence by sentence: `logits[:, :-1].flatten(0, 1)` with `tokens[:, 1:].flatten()`, neither of "
    "them transposed.",
    lambda logits, tokens: F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens.T[1:].flatten()),
    lambda logits, tokens: F.cross_entropy(logits[:, :-1].transpose(0, 1).flatten(0, 1), tokens[:, 1:].flatten()),
)
cross_entropy.misconception(
    "`view` on logits that were cut",
    "A slice is not in one piece of memory, so `view` refuses it: use `reshape` or `flatten(0, 1)`.",
    lambda logits, tokens: F.cross_entropy(logits[:, :-1].view(-1, logits.shape[-1]), tokens[:, 1:].view(-1)),
    lambda logits, tokens: F.cross_entropy(logits[:, :-1].reshape(-1, logits.shape[-1]), tokens[:, 1:].view(-1)),
)


@cross_entropy.misconception(
    "`gather` with an index of too few axes",
    "`gather` wants an index with as many axes as the logits: `tokens[:, 1:, None]`.",
)
def index_of_two_axes(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return -log_probs.gather(-1, targets).mean()


@cross_entropy.misconception(
    "a one-hot that is as long as the largest token asks for",
    "Give `F.one_hot` the size of the vocabulary too: `F.one_hot(tokens[:, 1:], logits.shape[-1])`.",
)
def one_hot_of_its_own_size(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return -(log_probs * F.one_hot(targets)).sum(dim=-1).mean()


@cross_entropy.misconception(
    "`gather` along the positions",
    "The token's number is an index into `d_vocab`: gather along `dim=-1`, with `tokens[:, 1:, None]`.",
)
def gathered_along_positions(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return -log_probs.gather(1, targets[..., None]).mean()


cross_entropy.misconception(
    "a surprise for each prediction",
    'Return one number, the mean over all of them: `.mean()`, or `reduction="mean"` of F.cross_entropy.',
    lambda logits, tokens: surprises(*shifted(logits, tokens)),
    lambda logits, tokens: surprises(*shifted(logits, tokens))[..., None],
    lambda logits, tokens: surprises(*shifted(logits, tokens)).flatten(),
)
cross_entropy.misconception(
    "a loss for each sentence",
    "Average over the batch too: `mean()` without `dim` gives one number.",
    lambda logits, tokens: surprises(*shifted(logits, tokens)).mean(dim=-1),
)
cross_entropy.misconception(
    "a loss for each position",
    "Average over the positions too: `mean()` without `dim` gives one number.",
    lambda logits, tokens: surprises(*shifted(logits, tokens)).mean(dim=0),
)
cross_entropy.misconception(
    "a Python number in place of a tensor",
    "A Python number has no graph, and nothing could be trained: return the 0-d tensor itself. (`.item()` and "
    "float() make a number of it.)",
    lambda logits, tokens: surprises(*shifted(logits, tokens)).mean().item(),
)
cross_entropy.misconception(
    "a loss cut out of the graph",
    "Training needs its gradient: return the mean itself, as torch gives it.",
    lambda logits, tokens: surprises(*shifted(logits, tokens)).mean().detach(),
)


@cross_entropy.misconception(
    "a normaliser cut out of the graph",
    "The gradient lowers the wrong tokens through the normaliser, so leave that in the graph.",
)
def normaliser_detached(logits, tokens):
    judged = logits[:, :-1]
    return surprises(judged - judged.logsumexp(dim=-1, keepdim=True).detach(), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "subtracting from `logits` in place",
    "The caller's logits have other numbers now. `-=`, `x[...] =` and what ends in `_` write into them: make a "
    "new tensor.",
)
def logits_in_place(logits, tokens):
    logits -= logits.amax(dim=-1, keepdim=True)
    return surprises(*shifted(logits, tokens)).mean()


cross_entropy.misconception(
    "working in half precision",
    "float16 keeps three digits, bfloat16 two: stay in float32 throughout.",
    lambda logits, tokens: surprises(*shifted(logits.half(), tokens)).mean().float(),
    lambda logits, tokens: surprises(*shifted(logits.bfloat16(), tokens)).mean().float(),
)
cross_entropy.misconception(
    "returning double precision",
    "float32 goes in, float32 comes out: come back with `.float()`, or stay in float32.",
    lambda logits, tokens: surprises(*shifted(logits.double(), tokens)).mean(),
)
cross_entropy.also(
    "bits in place of nats",
    lambda logits, tokens: surprises(logits[:, :-1].softmax(dim=-1).log2(), tokens[:, 1:]).mean(),
)
cross_entropy.also(
    "the logarithm to base 10",
    lambda logits, tokens: surprises(logits[:, :-1].softmax(dim=-1).log10(), tokens[:, 1:]).mean(),
)
