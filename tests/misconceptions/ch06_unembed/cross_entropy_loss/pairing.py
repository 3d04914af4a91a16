"""How cross_entropy_loss goes wrong: which prediction is judged by which token."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from tests.ch06_unembed import cross_entropy

GATHERED = "gather takes no more positions than its index has, and `tokens[:, 1:]` has one fewer than the logits."
for all_positions in ("logits", "logits[:]", "logits[:, :]"):
    cross_entropy.equivalent(f"logits[:, :-1] → {all_positions}", GATHERED)
cross_entropy.equivalent("-1 → 2", "The logits have three axes, so that the last one is also number 2.")


@cross_entropy.correct
def by_pytorch(logits, tokens):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


@cross_entropy.correct
def by_pytorch_with_classes_second(logits, tokens):
    return nn.CrossEntropyLoss()(logits.transpose(1, 2)[..., :-1], tokens[:, 1:])


@cross_entropy.correct
def by_logsumexp(logits, tokens):
    judged = logits[:, :-1, :]
    right = judged.gather(2, tokens[:, 1:].unsqueeze(2)).squeeze(2)
    return (judged.logsumexp(dim=2) - right).mean()


@cross_entropy.correct
def with_the_largest_subtracted(logits, tokens):
    judged = logits[:, :-1] - logits[:, :-1].amax(dim=-1, keepdim=True).detach()
    log_probs = judged - judged.exp().sum(dim=-1, keepdim=True).log()
    return -(log_probs * F.one_hot(tokens[:, 1:], logits.shape[-1])).sum(dim=-1).mean()


@cross_entropy.correct
def by_indexing(logits, tokens):
    batch, pos = tokens.shape
    log_probs = torch.log_softmax(logits, dim=-1)
    rows, columns = torch.arange(batch)[:, None], torch.arange(pos - 1)
    return log_probs[rows, columns, tokens[:, 1:]].neg().mean()


@cross_entropy.correct
def one_prediction_at_a_time(logits, tokens):
    losses = []
    for scores, sentence in zip(logits, tokens, strict=True):
        for where in range(len(sentence) - 1):
            losses.append(torch.logsumexp(scores[where], dim=0) - scores[where, sentence[where + 1]])
    return torch.stack(losses).mean()


@cross_entropy.correct
def sum_over_count(logits, tokens):
    log_probs = logits.log_softmax(-1)[:, :-1].reshape(-1, logits.size(-1))
    targets = tokens[:, 1:].reshape(-1)
    return F.nll_loss(log_probs, targets, reduction="sum") / targets.numel()


@cross_entropy.correct
def in_double(logits, tokens):
    return F.cross_entropy(logits[:, :-1].double().mT, tokens[:, 1:]).float()


@cross_entropy.correct
def bits_turned_into_nats(logits, tokens):
    bits = logits[:, :-1].log_softmax(dim=-1) / math.log(2)
    return -torch.take_along_dim(bits, tokens[:, 1:, None], dim=-1).mean() * math.log(2)


# Wrong answers.


def surprises(log_probs, targets):
    """Minus the log-probability of each target."""
    return -log_probs.gather(-1, targets[..., None])[..., 0]


def shifted(logits, tokens):
    """The log-probabilities that are judged, and the tokens that judge them."""
    return logits[:, :-1].log_softmax(dim=-1), tokens[:, 1:]


cross_entropy.misconception(
    "judging each position by its own token",
    "Position i has read token i already; it predicts token i + 1: drop the last logits and the first token.",
    lambda logits, tokens: surprises(logits.log_softmax(dim=-1), tokens).mean(),
    lambda logits, tokens: surprises(logits[:, :-1].log_softmax(dim=-1), tokens[:, :-1]).mean(),
    lambda logits, tokens: surprises(logits[:, 1:].log_softmax(dim=-1), tokens[:, 1:]).mean(),
)
cross_entropy.misconception(
    "a shift in the wrong direction",
    "Position i + 1 is judged by token i, which it has read. Drop the last logits and the first token: `logits[:, "
    ":-1]` and `tokens[:, 1:]`.",
    lambda logits, tokens: surprises(logits[:, 1:].log_softmax(dim=-1), tokens[:, :-1]).mean(),
    lambda logits, tokens: F.cross_entropy(logits.flatten(0, 1)[1:], tokens.flatten()[:-1]),
    lambda logits, tokens: surprises(logits.log_softmax(dim=-1), tokens.roll(1, dims=1)).mean(),
)
cross_entropy.misconception(
    "leaving a token out of the mean",
    "One token of the vocabulary is never judged here: take the mean over all `batch * (pos - 1)` predictions, "
    "`<|endoftext|>` included.",
    "flatten() → flatten(), ignore_index=0",
    of=by_pytorch,
)


for left_out in (1, 2, 3, 50256):
    cross_entropy.also("leaving a token out of the mean")(
        lambda logits, tokens, left_out=left_out: F.cross_entropy(
            logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=left_out
        )
    )


@cross_entropy.also("leaving a token out of the mean")
def last_of_the_vocabulary_ignored(logits, tokens):
    last = logits.shape[-1] - 1
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=last)


cross_entropy.misconception(
    "a shift by two",
    "Position i predicts token i + 1, not i + 2: judge `logits[:, :-1]` by `tokens[:, 1:]`.",
    lambda logits, tokens: surprises(logits[:, :-2].log_softmax(dim=-1), tokens[:, 2:]).mean(),
)
cross_entropy.misconception(
    "judging the last position by the first token",
    "The last position is judged by the first token, as when `roll` brings that round. Nothing follows the last "
    "position: leave its logits out.",
    lambda logits, tokens: surprises(logits.log_softmax(dim=-1), tokens.roll(-1, dims=1)).mean(),
    lambda logits, tokens: surprises(logits.log_softmax(dim=-1), tokens.roll(-1)).mean(),
)
cross_entropy.misconception(
    "judging the last position by a token that is made up",
    "Nothing follows the last position, yet some token judges it here: leave its logits out, `logits[:, :-1]`.",
    lambda logits, tokens: surprises(logits.log_softmax(dim=-1), F.pad(tokens[:, 1:], (0, 1))).mean(),
)


@cross_entropy.also("judging the last position by a token that is made up")
def padded_with_the_last(logits, tokens):
    return surprises(logits.log_softmax(dim=-1), torch.cat([tokens[:, 1:], tokens[:, -1:]], dim=1)).mean()


cross_entropy.misconception(
    "judging across the border of two sentences",
    "The last position of a sentence is judged by the first token of the next: shift each sentence first, then "
    "flatten.",
    lambda logits, tokens: F.cross_entropy(logits.flatten(0, 1)[:-1], tokens.flatten()[1:]),
)
cross_entropy.misconception(
    "cutting the batch instead of the positions",
    "The first axis is the batch. Shift along the second: `logits[:, :-1]` and `tokens[:, 1:]`.",
    lambda logits, tokens: surprises(logits[:-1].log_softmax(dim=-1), tokens[1:]).mean(),
)
cross_entropy.misconception(
    "cutting the vocabulary instead of the positions",
    "The last axis is the vocabulary: cut there, it lacks a token. The positions are the second axis: "
    "`logits[:, :-1]`.",
    lambda logits, tokens: surprises(logits[..., :-1].log_softmax(dim=-1), tokens[:, 1:]).mean(),
)
cross_entropy.misconception(
    "a sum in place of the mean",
    "The loss is the mean over all predictions, because otherwise a longer text would cost more for its length alone.",
    lambda logits, tokens: surprises(*shifted(logits, tokens)).sum(),
)
cross_entropy.misconception(
    "dividing by the number of sentences",
    "Each sentence has `pos - 1` predictions: divide by all of them, or use `mean()` without `dim`.",
    lambda logits, tokens: surprises(*shifted(logits, tokens)).sum(dim=-1).mean(),
)
cross_entropy.misconception(
    "adding up over the batch",
    "Average over the sentences too: `mean()` without `dim` takes all predictions at once.",
    lambda logits, tokens: surprises(*shifted(logits, tokens)).mean(dim=-1).sum(),
)
cross_entropy.misconception(
    "dividing by the number of tokens",
    "A text of `pos` tokens has `pos - 1` predictions: divide by their number, or let `mean` count.",
    lambda logits, tokens: surprises(*shifted(logits, tokens)).sum() / tokens.numel(),
)
cross_entropy.misconception(
    "dividing by the length of one sentence",
    "The mean runs over all sentences: divide by `batch * (pos - 1)`, or let `mean` count.",
    lambda logits, tokens: surprises(*shifted(logits, tokens)).sum() / tokens.shape[1],
)
cross_entropy.misconception(
    "leaving out one prediction too many",
    "One prediction is missing, so a text of two tokens has none left. Drop the last logits and the first token, "
    "nothing more.",
    lambda logits, tokens: surprises(logits[:, :-2].log_softmax(dim=-1), tokens[:, 1:-1]).mean(),
    lambda logits, tokens: surprises(logits[:, 1:-1].log_softmax(dim=-1), tokens[:, 2:]).mean(),
)


@cross_entropy.misconception(
    "a mean over the vocabulary",
    "Only the right token's log-probability counts: pick it, or add up along `d_vocab` before the mean.",
)
def averaged_over_the_vocabulary(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return -(log_probs * F.one_hot(targets, logits.shape[-1])).mean()


cross_entropy.misconception(
    "the log-probabilities of all tokens",
    "Pick the one of the token that came, with `gather` or by indexing: the others do not count.",
    lambda logits, tokens: -logits[:, :-1].log_softmax(dim=-1).mean(),
    lambda logits, tokens: -logits.log_softmax(dim=-1).mean(),
)


@cross_entropy.misconception(
    "every position against every token of the batch",
    "Each position is judged by every token of the batch. Pair them, by `gather(-1, tokens[:, 1:, None])`, or "
    "give an index for each axis.",
)
def all_pairs(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return -log_probs[..., targets].mean()


@cross_entropy.misconception(
    "every sentence judged by every sentence",
    "Each sentence is judged by the tokens of all: pair it with its own by `gather`, or by an index that names the "
    "batch axis too, `torch.arange(batch)[:, None]`.",
)
def all_sentences(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return -log_probs[:, torch.arange(targets.shape[1]), targets].mean()


@cross_entropy.misconception(
    "multiplying by the tokens' numbers",
    "A token's number is an index, not an amount: it says which log-probability to pick, with `gather`.",
)
def times_the_tokens(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return -(log_probs * targets[..., None]).mean()


cross_entropy.also(
    "multiplying by the tokens' numbers",
    lambda logits, tokens: -(logits[:, :-1].softmax(dim=-1).log() * tokens[:, 1:, None]).mean(),
    "mean → sum(dim=-1).mean",
    of=times_the_tokens,
)


@cross_entropy.misconception(
    "the number of the position in place of the token's",
    "The last index is into `d_vocab`: look up `tokens[b, i + 1]`, the token that came, not the place where it came.",
)
def by_position(logits, tokens):
    n_pos = tokens.shape[1]
    return surprises(logits[:, :-1].log_softmax(dim=-1), torch.arange(1, n_pos).expand(len(tokens), -1)).mean()


cross_entropy.also(
    "the number of the position in place of the token's",
    ("shape[1] → shape[1] - 1", "1, n_pos → n_pos"),
    of=by_position,
)
cross_entropy.misconception(
    "only the last prediction",
    "Every position but the last predicts a token that is known: average over them all.",
    lambda logits, tokens: surprises(logits[:, -2].log_softmax(dim=-1), tokens[:, -1]).mean(),
    lambda logits, tokens: surprises(logits[:, -2].log_softmax(dim=-1), tokens[:, -1]).sum() / tokens[:, 1:].numel(),
    lambda logits, tokens: surprises(logits[:, -2].log_softmax(dim=-1), tokens[:, -1])[-1] / tokens[:, 1:].numel(),
)
cross_entropy.misconception(
    "only the first prediction",
    "Position 0 makes one of the `pos - 1` predictions: judge all of them, `logits[:, :-1]` by `tokens[:, 1:]`.",
    lambda logits, tokens: surprises(logits[:, 0].log_softmax(dim=-1), tokens[:, 1]).mean(),
)
cross_entropy.misconception(
    "only the last position, judged by its own token",
    "The last position has read that token: each position but the last is judged by the token after it. Average all.",
    lambda logits, tokens: surprises(logits[:, -1].log_softmax(dim=-1), tokens[:, -1]).mean(),
)
cross_entropy.misconception(
    "only one sentence of the batch",
    "The loss is that of one sentence: average over the predictions of all sentences.",
    lambda logits, tokens: surprises(logits[0, :-1].log_softmax(dim=-1), tokens[0, 1:]).mean(),
    lambda logits, tokens: surprises(logits[-1, :-1].log_softmax(dim=-1), tokens[-1, 1:]).mean(),
)


@cross_entropy.misconception(
    "every sentence judged by the first one's tokens",
    "Each sentence has tokens of its own: judge row b of the logits by row b of `tokens[:, 1:]`, and not all rows "
    "by the first.",
)
def by_the_first_sentences_tokens(logits, tokens):
    return surprises(logits[:, :-1].log_softmax(dim=-1), tokens[:1, 1:].expand(len(tokens), -1)).mean()


cross_entropy.misconception(
    "a batch squeezed away",
    "A batch may hold a single sentence: its axis stays, and the shift is along the second one, `logits[:, :-1]` "
    "and `tokens[:, 1:]`.",
    lambda logits, tokens: F.cross_entropy(logits.squeeze(0)[:-1], tokens.squeeze(0)[1:]),
    lambda logits, tokens: F.cross_entropy(logits.squeeze()[:-1], tokens.squeeze()[1:]),
)
