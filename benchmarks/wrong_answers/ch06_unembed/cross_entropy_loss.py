"""Wrong answers to chapter 6's `cross_entropy_loss`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    log_probs = logits[:, :-1].log_softmax(dim=-1)
    return -log_probs.gather(dim=-1, index=tokens[:, 1:, None]).mean()

# %% cross_entropy_loss: no shift
# right: judging each position by its own token
# like: right
~ [:, :-1] →
~ , 1: → , :

# %% cross_entropy_loss: shifted the wrong way
# right: a shift in the wrong direction
# like: right
~ :-1 → 1:
~ , 1: → , :-1

# %% cross_entropy_loss: sum
# right: a sum in place of the mean
# like: right
~ mean → sum

# %% cross_entropy_loss: minus forgotten
# right: the wrong sign
# like: right
~ -log_probs → log_probs

# %% cross_entropy_loss: log of softmax
# right: the logarithm of a softmax
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    probs = logits[:, :-1].softmax(dim=-1)
    picked = probs.gather(-1, tokens[:, 1:, None])
    return -picked.log().mean()

# %% cross_entropy_loss: probabilities without the log
# right: minus the probability, without a logarithm
# like: right
~ log_probs = logits[:, :-1].log_softmax → probs = logits[:, :-1].softmax
~ -log_probs → -probs

# %% cross_entropy_loss: exp over the sum of exp
# right: `exp` of the logits as they are
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    e = logits[:, :-1].exp()
    probs = e / e.sum(-1, keepdim=True)
    picked = probs.gather(-1, tokens[:, 1:, None])
    return -picked.log().mean()

# %% cross_entropy_loss: sum over positions, mean over batch
# right: dividing by the number of sentences
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    log_probs = logits[:, :-1].log_softmax(dim=-1)
    picked = log_probs.gather(dim=-1, index=tokens[:, 1:, None]).squeeze(-1)
    return -picked.sum(dim=1).mean()

# %% cross_entropy_loss: in bits
# right: bits in place of nats
import math


def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    log_probs = logits[:, :-1].log_softmax(dim=-1)
    return -log_probs.gather(dim=-1, index=tokens[:, 1:, None]).mean() / math.log(2)

# %% cross_entropy_loss: divided by all the tokens
# right: dividing by the number of tokens
# like: right
~ mean → sum() / tokens.numel

# %% cross_entropy_loss: softmax over the positions
# right: a softmax over the positions
# like: right
~ (dim=-1) → (dim=1)

# %% cross_entropy_loss: item at the end
# right: a Python number in place of a tensor
# like: right
~ mean() → mean().item()

# %% cross_entropy_loss: no mean
# right: a surprise for each prediction
# like: right
~ mean() → squeeze(-1)

# %% cross_entropy_loss: perplexity
# right: perplexity
# like: right
-    return -log_probs.gather(dim=-1, index=tokens[:, 1:, None]).mean()
+    return torch.exp(-log_probs.gather(dim=-1, index=tokens[:, 1:, None]).mean())

# %% cross_entropy_loss: F.cross_entropy on three axes
# right: F.cross_entropy with d_vocab as its last axis
import torch.nn.functional as F


def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    return F.cross_entropy(logits[:, :-1], tokens[:, 1:])

# %% cross_entropy_loss: flattened, then shifted
# right: judging across the border of two sentences
import torch.nn.functional as F


def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    flat = logits.flatten(0, 1)
    return F.cross_entropy(flat[:-1], tokens.flatten()[1:])

# %% cross_entropy_loss: rolled, the last position judged by token 0
# right: judging the last position by the first token
# like: flattened, then shifted
~ flat = logits.flatten(0, 1) → targets = tokens.roll(-1, dims=1)
~ flat[:-1], tokens.flatten()[1:] → logits.flatten(0, 1), targets.flatten()

# %% cross_entropy_loss: token 0 ignored as padding
# right: leaving a token out of the mean
# like: F.cross_entropy on three axes
~ , tokens[:, 1:] → .flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=0

# %% cross_entropy_loss: label smoothing
# right: smoothed labels
# like: F.cross_entropy on three axes
~ , tokens[:, 1:] → .flatten(0, 1), tokens[:, 1:].flatten(), label_smoothing=0.1

# %% cross_entropy_loss: view on a cut tensor
# right: `view` on logits that were cut
# like: F.cross_entropy on three axes
~ , tokens[:, 1:] → .view(-1, logits.shape[-1]), tokens[:, 1:].view(-1)

# %% cross_entropy_loss: gather without the axis
# right: `gather` with an index of too few axes
# like: right
~ , None →

# %% cross_entropy_loss: indexed by all targets
# right: every position against every token of the batch
# like: right
~ log_probs.gather(dim=-1, index=tokens[:, 1:, None]) → log_probs[:, :, tokens[:, 1:]]

# %% cross_entropy_loss: the last prediction only
# right: only the last prediction
# like: right
~ :-1 → -2
~ , 1: → , -1

# %% cross_entropy_loss: a small number in the log
# right: a surprise that can't grow past a limit
# like: log of softmax
~ picked.log() → torch.log(picked + 1e-9)

# %% cross_entropy_loss: shifted by two
# right: a shift by two
# like: right
~ :-1 → :-2
~ , 1 → , 2

# %% cross_entropy_loss: softmax before F.cross_entropy
# right: a softmax taken twice
# like: flattened, then shifted
~ flat = logits.flatten(0, 1) → probs = logits[:, :-1].softmax(dim=-1)
~ flat[:-1], tokens.flatten()[1:] → probs.flatten(0, 1), tokens[:, 1:].flatten()

# %% cross_entropy_loss: nll_loss of raw logits
# right: logits in place of log-probabilities
# like: F.cross_entropy on three axes
-    return F.cross_entropy(logits[:, :-1], tokens[:, 1:])
+    return F.nll_loss(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())

# %% cross_entropy_loss: one-hot and a mean over the vocabulary too
# right: a mean over the vocabulary
import torch.nn.functional as F


def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    log_probs = logits[:, :-1].log_softmax(dim=-1)
    one_hot = F.one_hot(tokens[:, 1:], logits.shape[-1])
    return -(log_probs * one_hot).mean()

# %% cross_entropy_loss: the first prediction skipped
# right: leaving out one prediction too many
# like: right
~ :-1 → 1:-1
~ , 1 → , 2

# %% cross_entropy_loss: the largest taken off in place
# right: subtracting from `logits` in place
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    logits -= logits.max(dim=-1, keepdim=True).values
    log_probs = logits[:, :-1] - logits[:, :-1].exp().sum(-1, keepdim=True).log()
    return -log_probs.gather(dim=-1, index=tokens[:, 1:, None]).mean()

# %% cross_entropy_loss: only the first sentence
# right: only one sentence of the batch
# like: right
~ :, : → 0, :
~ :, 1 → 0, 1

# %% cross_entropy_loss: detached
# right: a loss cut out of the graph
# like: right
~ log_softmax → detach().log_softmax

# %% cross_entropy_loss: base 10
# right: the logarithm to base 10
# like: right
~ log_probs = logits[:, :-1].log_softmax(dim=-1) → probs = logits[:, :-1].log_softmax(dim=-1).exp()
~ log_probs.gather(dim=-1, index=tokens[:, 1:, None]) → probs.gather(-1, tokens[:, 1:, None]).log10()

# %% cross_entropy_loss: both lose the first
# right: judging each position by its own token
# like: right
~ :-1 → 1:

# %% cross_entropy_loss: both lose the last
# right: judging each position by its own token
# like: right
~ , 1: → , :-1

# %% cross_entropy_loss: the batch axis cut
# right: cutting the batch instead of the positions
# like: right
~ , : →
~ :, 1: → 1:, :

# %% cross_entropy_loss: gather along the positions
# right: `gather` along the positions
# like: right
~ -1, index → 1, index

# %% cross_entropy_loss: argmax accuracy
# right: an accuracy
# like: right
~ log_probs = logits[:, :-1].log_softmax(dim=-1) → right = logits[:, :-1].argmax(dim=-1) == tokens[:, 1:]
~ -log_probs.gather(dim=-1, index=tokens[:, 1:, None]) → 1 - right.float()

# %% cross_entropy_loss: entropy of the guesses
# right: the model's own entropy
# like: right
~ log_probs.gather(dim=-1, index=tokens[:, 1:, None]) → (log_probs.exp() * log_probs).sum(-1)

# %% cross_entropy_loss: one maximum for the whole batch
# right: one maximum subtracted for the whole batch
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    judged = logits[:, :-1]
    shifted = judged - judged.max()
    log_z = shifted.exp().sum(-1, keepdim=True).log()
    return (log_z - shifted.gather(-1, tokens[:, 1:, None])).mean()

# %% cross_entropy_loss: logits clamped
# right: logits cut off at a limit
# like: right
~ log_softmax → clamp(-100, 100).log_softmax

# %% cross_entropy_loss: NaNs made zero
# right: leaving infinite surprises out of the mean
# like: log of softmax
~ picked = probs.gather(-1, tokens[:, 1:, None]) → losses = -torch.log(probs.gather(-1, tokens[:, 1:, None]))
~ -picked.log() → torch.nan_to_num(losses, posinf=0.0)

# %% cross_entropy_loss: a fresh tensor of a number
# right: a loss cut out of the graph
# like: right
-    return -log_probs.gather(dim=-1, index=tokens[:, 1:, None]).mean()
+    return torch.tensor(-log_probs.gather(dim=-1, index=tokens[:, 1:, None]).mean().item())

# %% cross_entropy_loss: z-loss added
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    log_probs = logits[:, :-1].log_softmax(dim=-1)
    loss = -log_probs.gather(dim=-1, index=tokens[:, 1:, None]).mean()
    return loss + 1e-4 * logits[:, :-1].logsumexp(-1).pow(2).mean()

# %% cross_entropy_loss: reshaped to put d_vocab second
# right: a reshape in place of a transpose
# like: flattened, then shifted
~ flat = logits.flatten(0, 1) → batch, pos, d_vocab = logits.shape
~ flat[:-1], tokens.flatten()[1:] → logits[:, :-1].reshape(batch, d_vocab, pos - 1), tokens[:, 1:]

# %% cross_entropy_loss: returns inside the loop
# right: only the first prediction
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    losses = []
    for p in range(tokens.shape[1] - 1):
        log_probs = logits[:, p].log_softmax(-1)
        losses.append(-log_probs.gather(-1, tokens[:, p + 1, None]))
        return torch.stack(losses).mean()

# %% cross_entropy_loss: the loop ends one early
# like: returns inside the loop
~ - 1 → - 2
-        return torch.stack(losses).mean()
+    return torch.stack(losses).mean()

# %% cross_entropy_loss: shift written into tokens
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    tokens[:, :-1] = tokens[:, 1:].clone()
    log_probs = logits[:, :-1].log_softmax(dim=-1)
    return -log_probs.gather(dim=-1, index=tokens[:, :-1, None]).mean()

# %% cross_entropy_loss: half precision
# like: right
~ log_softmax(dim=-1) → half().log_softmax(dim=-1).float()

# %% cross_entropy_loss: answers in float64
# right: returning double precision
# like: right
~ log_softmax → double().log_softmax

# %% cross_entropy_loss: binary cross-entropy
# right: binary cross-entropy
# like: flattened, then shifted
~ flat = logits.flatten(0, 1) → one_hot = F.one_hot(tokens[:, 1:], logits.shape[-1]).float()
~ cross_entropy(flat[:-1], tokens.flatten()[1:]) → binary_cross_entropy_with_logits(logits[:, :-1], one_hot)

# %% cross_entropy_loss: mean squared error to one-hot
# right: squared distances
# like: flattened, then shifted
~ flat = logits.flatten(0, 1) → one_hot = F.one_hot(tokens[:, 1:], logits.shape[-1]).float()
~ cross_entropy(flat[:-1], tokens.flatten()[1:]) → mse_loss(logits[:, :-1].softmax(-1), one_hot)

# %% cross_entropy_loss: shape [1] is left
# like: right
~ mean() → mean(dim=(0, 1))

# %% cross_entropy_loss: softmax over the batch
# right: a softmax over the batch
# like: right
~ (dim=-1) → (dim=0)

# %% cross_entropy_loss: logsumexp forgotten on one side: sum of exp
# right: the sum of exp without its logarithm
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    judged = logits[:, :-1]
    picked = judged.gather(-1, tokens[:, 1:, None])
    return (judged.exp().sum(-1, keepdim=True) - picked).mean()

# %% cross_entropy_loss: no return
# like: right
~ return → loss =

# %% cross_entropy_loss: probabilities averaged before the log
# right: the logarithm of the mean probability
# like: right
~ log_probs = logits[:, :-1].log_softmax(dim=-1) → probs = logits[:, :-1].softmax(-1)
~ log_probs.gather(dim=-1, index=tokens[:, 1:, None]).mean → probs.gather(-1, tokens[:, 1:, None]).mean().log

# %% cross_entropy_loss: the largest surprise
# right: the largest surprise alone
# like: right
~ mean → min

# %% cross_entropy_loss: ignore_index is the end of text
# right: leaving a token out of the mean
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    return torch.nn.functional.cross_entropy((logits[:, :-1]).flatten(0, 1), (tokens[:, 1:]).flatten(), ignore_index=50256)

# %% cross_entropy_loss: ignores the last token of the vocabulary
# right: leaving a token out of the mean
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    return torch.nn.functional.cross_entropy((logits[:, :-1]).flatten(0, 1), (tokens[:, 1:]).flatten(), ignore_index=logits.shape[-1] - 1)

# %% cross_entropy_loss: tokens rolled the other way
# right: a shift in the wrong direction
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    return torch.nn.functional.cross_entropy((logits).flatten(0, 1), (tokens.roll(1, dims=1)).flatten())

# %% cross_entropy_loss: exp of minus the loss
# right: exp(−loss), a probability
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    return torch.exp(-torch.nn.functional.cross_entropy((logits[:, :-1]).flatten(0, 1), (tokens[:, 1:]).flatten()))

# %% cross_entropy_loss: last sentence only
# right: only one sentence of the batch
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    return torch.nn.functional.cross_entropy(logits[-1, :-1], tokens[-1, 1:])

# %% cross_entropy_loss: a loop that keeps its last loss
# right: only one sentence of the batch
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    for one, its_tokens in zip(logits, tokens, strict=True):
        loss = torch.nn.functional.cross_entropy(one[:-1], its_tokens[1:])
    return loss

# %% cross_entropy_loss: one prediction for each sentence, the first
# right: only the first prediction
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    return torch.nn.functional.cross_entropy(logits[:, 0], tokens[:, 1])

# %% cross_entropy_loss: token numbers as weights
# right: multiplying by the tokens' numbers
# like: right
~ log_probs = logits[:, :-1].log_softmax(dim=-1) → probs = logits[:, :-1].softmax(-1)
~ log_probs.gather(dim=-1, index=tokens[:, 1:, None]) → (probs.log() * tokens[:, 1:, None])

# %% cross_entropy_loss: sigmoid for softmax
# right: a sigmoid in place of the softmax
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    return -logits[:, :-1].sigmoid().log().gather(-1, tokens[:, 1:, None]).mean()

# %% cross_entropy_loss: a hinge loss
# right: a margin between scores
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    x = logits[:, :-1]
    right = x.gather(-1, tokens[:, 1:, None])
    return (1 + x - right).clamp(min=0).mean()

# %% cross_entropy_loss: log of the logits
# right: the logarithm of the logits
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    return -logits[:, :-1].log().gather(-1, tokens[:, 1:, None]).mean()

# %% cross_entropy_loss: works for a batch of one
# right: a batch squeezed away
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    return torch.nn.functional.cross_entropy(logits.squeeze(0)[:-1], tokens.squeeze(0)[1:])

# %% cross_entropy_loss: each surprise clamped at 20
# right: a surprise that can't grow past a limit
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    lp = logits[:, :-1].log_softmax(-1).gather(-1, tokens[:, 1:, None])
    return (-lp).clamp(max=20).mean()

# %% cross_entropy_loss: three indices that do not line up
def cross_entropy_loss(logits, tokens):
    lp = logits[:, :-1].log_softmax(-1)
    B, T, V = lp.shape
    picked = lp[torch.arange(B), torch.arange(T), tokens[:, 1:]]
    return -picked.mean()

# %% cross_entropy_loss: gather's arguments swapped
def cross_entropy_loss(logits, tokens):
    lp = logits[:, :-1].log_softmax(-1)
    return -lp.gather(tokens[:, 1:, None], -1).mean()

# %% cross_entropy_loss: base 2, and a sum over the batch
# right: bits in place of nats
# right: adding up over the batch
def cross_entropy_loss(logits, tokens):
    lp = torch.log2(torch.softmax(logits[:, :-1], dim=-1))
    picked = lp.gather(-1, tokens[:, 1:, None]).squeeze(-1)
    return -picked.mean(dim=1).sum()

# %% cross_entropy_loss: a softmax over positions, and no minus
# right: the wrong sign
# right: a softmax over the positions
def cross_entropy_loss(logits, tokens):
    logprobs = torch.log_softmax(logits, dim=1)[:, :-1]
    return logprobs.gather(2, tokens[:, 1:, None]).mean()

# %% cross_entropy_loss: its own token, by a softmax of exp
# right: judging each position by its own token
# right: `exp` of the logits as they are
def cross_entropy_loss(logits, tokens):
    probs = torch.exp(logits) / torch.sum(torch.exp(logits), dim=-1, keepdim=True)
    picked = torch.gather(probs, 2, tokens.unsqueeze(-1)).squeeze(-1)
    return -torch.log(picked).mean()

# %% cross_entropy_loss: a one-hot without the number of classes
# right: a one-hot that is as long as the largest token asks for
def cross_entropy_loss(logits, tokens):
    oh = nn.functional.one_hot(tokens[:, 1:])
    lp = logits[:, :-1].log_softmax(-1)
    return -(lp * oh).sum(-1).mean()

# %% cross_entropy_loss: a loop that stops one early
def cross_entropy_loss(logits, tokens):
    lp = logits.log_softmax(-1)
    losses = []
    for b in range(logits.size(0)):
        for t in range(logits.size(1) - 2):
            losses.append(-lp[b, t, tokens[b, t + 1]])
    return torch.stack(losses).mean()
