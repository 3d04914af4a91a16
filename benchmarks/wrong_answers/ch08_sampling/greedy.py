"""Wrong answers to chapter 8's `greedy`, whole or as edits: benchmarks/answers.py says how."""

# %% greedy: the lowest logit
# right: the lowest logit's token
def greedy(logits):
    return int(logits.argmin())

# %% greedy: the value, not its place
# right: the highest logit itself
def greedy(logits):
    return int(logits.max())

# %% greedy: a tensor of no dimensions
# right: the token in a tensor
def greedy(logits):
    return logits.argmax()

# %% greedy: the second best
# right: the second best token
def greedy(logits):
    return logits.topk(2).indices[1].item()

# %% greedy: draws
# right: a token drawn at random
def greedy(logits):
    return torch.multinomial(torch.softmax(logits, -1), 1).item()

# %% greedy: the largest by absolute value
# right: the logit farthest from 0
def greedy(logits):
    return int(logits.abs().argmax())

# %% greedy: ascending sort, first entry
# right: the lowest logit's token
def greedy(logits):
    order = torch.argsort(logits)
    return order[0].item()

# %% greedy: the best value of a running maximum that starts at 0
# right: the highest logit missed where all lie below 0
def greedy(logits):
    best, place = 0.0, 0
    for i, x in enumerate(logits.tolist()):
        if x > best:
            best, place = x, i
    return place

# %% greedy: the last token is never looked at
# right: the last logit left out
def greedy(logits):
    best = 0
    for i in range(len(logits) - 1):
        if logits[i] > logits[best]:
            best = i
    return best

# %% greedy: the first token left out, index not corrected
def greedy(logits):
    return int(logits[1:].argmax())

# %% greedy: forbids token 0 in the caller's tensor
# right: the first logit left out
def greedy(logits):
    logits[0] = float("-inf")
    return int(logits.argmax())

# %% greedy: a float
# right: the token as a float
def greedy(logits):
    return float(logits.argmax())

# %% greedy: whole numbers compared
def greedy(logits):
    return int(logits.long().argmax())

# %% greedy: a list of one
# right: the token in a list
def greedy(logits):
    return logits.topk(1).indices.tolist()

# %% greedy: softmax in place on the caller's tensor
def greedy(logits):
    logits -= logits.max()
    probs = logits.exp_()
    return int(probs.argmax())

# %% greedy: exp without subtracting overflows
# right: `exp` of the logits, which overflows
def greedy(logits):
    probs = logits.exp() / logits.exp().sum()
    return int(probs.argmax())

# %% greedy: an answer of NumPy's type
# right: the token as NumPy's integer
import numpy as np
def greedy(logits):
    return np.argmax(logits.detach().numpy())

# %% greedy: last axis of a batch assumed
# right: 0 whatever the logits are
def greedy(logits):
    return int(logits[-1].argmax())

# %% greedy: the softmax in half precision
def greedy(logits):
    return int(torch.softmax(logits, -1).half().argmax())

# %% greedy: max gives two tensors
# right: the highest logit and its place together
def greedy(logits):
    return logits.max(dim=-1)

# %% greedy: an index compared with a logit
# right: a logit compared with an index
# like: the last token is never looked at
~ i in range(len(logits) - 1) → i, logit in enumerate(logits)
~ logits[i] > logits[best] → logit > best

# %% greedy: the height of the peak, not its place
# right: the highest logit itself
def greedy(logits: Float[Tensor, " d_vocab"]) -> int:
    best = torch.max(logits)
    return best

# %% greedy: int of the highest probability
# right: the highest probability
def greedy(logits):
    probs = torch.softmax(logits, dim=-1)
    return int(probs.max())

# %% greedy: sorts upwards and takes the first, as a tensor (two mistakes)
# right: the lowest logit's token
def greedy(logits):
    order = torch.argsort(logits)
    return order[0]

# %% greedy: the best index as a float tensor
# right: the token as a float
# right: the token in a tensor
def greedy(logits):
    return logits.argmax().float()
