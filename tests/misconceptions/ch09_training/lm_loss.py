"""How lm_loss goes wrong, and right answers that look different."""

import math

import torch
import torch.nn.functional as F

from solutions.ch06_unembed import cross_entropy_loss
from tests.ch09_training import judging


@judging.correct
def by_pytorch(model, tokens):
    logits = model(tokens)
    return F.cross_entropy(logits[:, :-1].reshape(-1, logits.shape[-1]), tokens[:, 1:].reshape(-1))


@judging.correct
def without_the_last_token(model, tokens):
    logits = model(tokens[:, :-1])
    return F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


@judging.correct
def by_hand(model, tokens):
    log_probs = model(tokens).log_softmax(dim=-1)[:, :-1]
    return -log_probs.gather(2, tokens[:, 1:].unsqueeze(2)).mean()


@judging.correct
def a_sum_over_a_count(model, tokens):
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    logits = model(inputs).double()
    right = logits.gather(-1, targets[..., None])[..., 0]
    return ((logits.logsumexp(-1) - right).sum() / targets.numel()).float()


@judging.correct
def by_one_hot(model, tokens):
    logits = model(tokens)[:, :-1, :]
    one_hot = F.one_hot(tokens[:, 1:], logits.size(-1)).to(logits.dtype)
    return torch.mean(torch.logsumexp(logits, -1) - (logits * one_hot).sum(-1))


# Wrong answers.


def surprises(logits, targets):
    """Minus the log-probability of each target."""
    return -logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0]


def shifted(model, tokens):
    """The surprise of every prediction."""
    return surprises(model(tokens)[:, :-1], tokens[:, 1:])


judging.misconception(
    "judging each position by its own token",
    "Position i has read token i already, and would only have to copy it. It predicts token i + 1: "
    "`logits[:, :-1]` against `tokens[:, 1:]`.",
    lambda model, tokens: surprises(model(tokens), tokens).mean(),
    lambda model, tokens: surprises(model(tokens)[:, :-1], tokens[:, :-1]).mean(),
    lambda model, tokens: surprises(model(tokens)[:, 1:], tokens[:, 1:]).mean(),
)
judging.misconception(
    "judging each position by the token after the next",
    "Position i predicts token i + 1: `model(tokens)[:, :-1]` is judged by `tokens[:, 1:]`. (`cross_entropy_loss` "
    "makes that shift itself, of all logits and all tokens.)",
    lambda model, tokens: surprises(model(tokens)[:, :-2], tokens[:, 2:]).mean(),
    lambda model, tokens: cross_entropy_loss(model(tokens)[:, :-1], tokens[:, 1:]),
    lambda model, tokens: cross_entropy_loss(model(tokens[:, :-1]), tokens[:, 1:]),
)
judging.misconception(
    "leaving the last prediction out",
    "The last prediction that has a target is left out: it is all of `model(tokens)[:, :-1]` that `tokens[:, 1:]` "
    "judges. (`cross_entropy_loss` makes that shift itself, of all logits and all tokens.)",
    lambda model, tokens: shifted(model, tokens)[:, :-1].mean(),
    lambda model, tokens: cross_entropy_loss(model(tokens[:, :-1]), tokens[:, :-1]),
)
judging.misconception(
    "leaving the first prediction out",
    "Position 0 predicts the token at position 1, and counts like every other.",
    lambda model, tokens: shifted(model, tokens)[:, 1:].mean(),
)
judging.misconception(
    "a shift in the wrong direction",
    "Position i + 1 is judged by token i, which it has read. Drop the last logits and the first token: `logits[:, "
    ":-1]` and `tokens[:, 1:]`.",
    lambda model, tokens: surprises(model(tokens)[:, 1:], tokens[:, :-1]).mean(),
)
judging.misconception(
    "a model that reads the targets",
    "Each position has read what it is to predict, as when the model is given `tokens[:, 1:]`, and nobody reads the "
    "first token. Give it all of `tokens`.",
    lambda model, tokens: surprises(model(tokens[:, 1:]), tokens[:, 1:]).mean(),
)
judging.misconception(
    "judging the last position by the first token",
    "The last position is judged by the first token, as when `roll` brings that round. Nothing follows the last "
    "position: leave its logits out.",
    lambda model, tokens: surprises(model(tokens), tokens.roll(-1, dims=1)).mean(),
)
judging.misconception(
    "judging across the border of two rows",
    "The last position of a row is judged by the first token of the next: shift each row first, then flatten.",
    lambda model, tokens: F.cross_entropy(model(tokens).flatten(0, 1)[:-1], tokens.flatten()[1:]),
)
judging.misconception(
    "the last position alone",
    "A window of `n_ctx` tokens has `n_ctx - 1` predictions, but this is the loss of one: average over all of them.",
    lambda model, tokens: shifted(model, tokens)[:, -1].mean(),
)
judging.misconception(
    "the first row alone",
    "Every row of the batch counts, but this is the loss of the first: average over the predictions of all.",
    lambda model, tokens: shifted(model, tokens)[0].mean(),
    lambda model, tokens: cross_entropy_loss(model(tokens[:1]), tokens[:1]),
)
judging.misconception(
    "a sum in place of the mean",
    "Take the mean over all predictions, because otherwise a longer window or a larger batch makes larger steps.",
    lambda model, tokens: shifted(model, tokens).sum(),
)
judging.misconception(
    "a sum over the rows",
    "Average over the rows too: `cross_entropy_loss` of the whole batch is the mean of all.",
    lambda model, tokens: shifted(model, tokens).mean(dim=1).sum(),
)
judging.misconception(
    "a sum over the positions",
    "Each row has `pos - 1` predictions: divide by all of them, or use `mean()` without `dim`.",
    lambda model, tokens: shifted(model, tokens).sum(dim=1).mean(),
)
judging.misconception(
    "dividing by the number of tokens",
    "A row of `pos` tokens has `pos - 1` predictions: divide by their number, or let `mean` count.",
    lambda model, tokens: shifted(model, tokens).sum() / tokens.numel(),
)
judging.misconception(
    "dividing the mean once more",
    "Return the mean itself, which is divided by the number of predictions already.",
    lambda model, tokens: shifted(model, tokens).mean() / len(tokens),
    lambda model, tokens: shifted(model, tokens).mean() / tokens.shape[1],
)
judging.misconception(
    "softmax taken twice",
    "The numbers are those of a softmax of a softmax. The loss takes it itself: hand over what the model gives, "
    "as it is.",
    lambda model, tokens: cross_entropy_loss(model(tokens).softmax(dim=-1), tokens),
)
judging.misconception(
    "minus the probability, without a logarithm",
    "The loss is minus the *log*-probability: `log_softmax`, then `gather`.",
    lambda model, tokens: -model(tokens)[:, :-1].softmax(-1).gather(-1, tokens[:, 1:, None]).mean(),
)
judging.misconception(
    "the sign forgotten",
    "A loss has to fall, so it is *minus* the log-probability.",
    lambda model, tokens: -shifted(model, tokens).mean(),
)
judging.misconception(
    "bits in place of nats",
    "The loss is in nats, by the natural logarithm: this one is in bits, 1.44 times as much.",
    lambda model, tokens: shifted(model, tokens).mean() / math.log(2),
)
judging.misconception(
    "perplexity in place of the loss",
    "Perplexity is `exp` of the loss. Train on the loss itself, in nats.",
    lambda model, tokens: shifted(model, tokens).mean().exp(),
)
judging.misconception(
    "a Python number in place of a tensor",
    "A Python number has no graph, so `loss.backward()` has nothing to go back through: return the tensor itself. "
    "(`.item()` and float() make a number of it.)",
    lambda model, tokens: shifted(model, tokens).mean().item(),
)
judging.misconception(
    "a loss cut out of the graph",
    "Training reaches the model through the loss, so leave it in the graph. Whoever only measures can switch "
    "gradients off around the call.",
    lambda model, tokens: shifted(model, tokens).mean().detach(),
)


@judging.also("a loss cut out of the graph")
@torch.no_grad()
def without_gradients(model, tokens):
    return shifted(model, tokens).mean()


judging.also(
    "a loss cut out of the graph",
    lambda model, tokens: cross_entropy_loss(model(tokens).detach(), tokens),
    lambda model, tokens: torch.tensor(shifted(model, tokens).mean().item(), requires_grad=True),
)


@judging.misconception(
    "`backward` inside the loss",
    "`lm_loss` only computes: the loop calls `backward`, and whoever measures the held-out text does not want it.",
)
def backpropagated(model, tokens):
    loss = shifted(model, tokens).mean()
    loss.backward()
    return loss


@judging.also("`backward` inside the loss")
def backpropagated_and_kept(model, tokens):
    loss = shifted(model, tokens).mean()
    loss.backward(retain_graph=True)
    return loss


judging.misconception(
    "the model put into evaluation mode",
    "In training the loss is that of the model as it trains, dropout included: call neither `eval()` nor `train()`.",
    lambda model, tokens: shifted(model.eval(), tokens).mean(),
)


@judging.also("the model put into evaluation mode")
def evaluates_for_a_while(model, tokens):
    model.eval()
    loss = shifted(model, tokens).mean()
    model.train()
    return loss


@judging.also("the model put into evaluation mode")
def evaluates_afterwards(model, tokens):
    loss = shifted(model, tokens).mean()
    model.eval()
    return loss


judging.misconception(
    "the model put into training mode",
    "The same function measures the held-out text, in evaluation mode: call neither `train()` nor `eval()`.",
    lambda model, tokens: shifted(model.train(), tokens).mean(),
)


@judging.misconception(
    "a forward pass for each position",
    "One forward pass gives the logits of every position, and the mask keeps them from seeing what comes later: call "
    "`model(tokens)` once.",
)
def every_beginning(model, tokens):
    losses = []
    for length in range(1, tokens.shape[1]):
        logits = model(tokens[:, :length])[:, -1]
        losses.append(F.cross_entropy(logits, tokens[:, length]))
    return torch.stack(losses).mean()


@judging.misconception(
    "the model called twice", "Keep what `model(tokens)` gives under a name: a second forward pass computes the same."
)
def called_twice(model, tokens):
    d_vocab = model(tokens).shape[-1]
    return F.cross_entropy(model(tokens)[:, :-1].reshape(-1, d_vocab), tokens[:, 1:].reshape(-1))


judging.misconception(
    "a loss for each row",
    "Average over the rows too: `mean()` without `dim` gives one number.",
    lambda model, tokens: shifted(model, tokens).mean(dim=1),
)
judging.misconception(
    "a surprise for each prediction",
    'Return one number, the mean of all: `.mean()`, or `reduction="mean"` of F.cross_entropy.',
    lambda model, tokens: shifted(model, tokens),
)
judging.misconception(
    "the arguments of the loss swapped",
    "Hand over the logits first, then the tokens: `cross_entropy_loss(model(tokens), tokens)`.",
    lambda model, tokens: cross_entropy_loss(tokens, model(tokens)),
)
judging.misconception(
    "the tokens without the model",
    "The loss judges predictions: hand `model(tokens)` over, not the model or the tokens.",
    lambda model, tokens: cross_entropy_loss(model, tokens),
)


@judging.misconception(
    "F.cross_entropy with d_vocab as its last axis",
    "It wants the classes second: flatten batch and positions, `logits[:, :-1].flatten(0, 1)`, or transpose(1, 2).",
)
def classes_last(model, tokens):
    return F.cross_entropy(model(tokens)[:, :-1], tokens[:, 1:])


@judging.misconception(
    "a model called as nanoGPT's or HuggingFace's is",
    "Our model takes the tokens alone and gives the logits alone: no targets, no `labels`, no `.loss`, no `.logits`. "
    "Judge here what it gives, by `cross_entropy_loss`.",
)
def model_with_targets(model, tokens):
    _, loss = model(tokens[:, :-1], tokens[:, 1:])
    return loss


@judging.also("a model called as nanoGPT's or HuggingFace's is")
def model_with_labels(model, tokens):
    return model(tokens, labels=tokens).loss


@judging.also("a model called as nanoGPT's or HuggingFace's is")
def the_logits_of_an_output(model, tokens):
    return cross_entropy_loss(model(tokens).logits, tokens)


judging.misconception(
    "the model asked once for each row",
    "It reads the whole batch at once, and no row sees another: call `model(tokens)` once, outside of any loop.",
    lambda model, tokens: torch.stack([shifted(model, row[None]).mean() for row in tokens]).mean(),
    lambda model, tokens: cross_entropy_loss(torch.cat([model(row) for row in tokens.split(1)]), tokens),
)
