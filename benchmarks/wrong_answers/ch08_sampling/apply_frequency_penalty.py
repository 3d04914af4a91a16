"""Wrong answers to chapter 8's `apply_frequency_penalty`, whole or as edits: benchmarks/answers.py says how."""

# %% apply_frequency_penalty: pays once
# right: a penalty for being there, however often
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    new = logits.clone()
    new[input_ids] -= freq_penalty
    return new

# %% apply_frequency_penalty: adds
# right: the penalty added
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    return logits + freq_penalty * torch.bincount(input_ids, minlength=logits.shape[-1])

# %% apply_frequency_penalty: in place
# right: a penalty taken off in place
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    for i in input_ids:
        logits[i] -= freq_penalty
    return logits

# %% apply_frequency_penalty: share in the place of the count
# right: shares in the place of counts
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = torch.bincount(input_ids, minlength=len(logits)) / len(input_ids)
    return logits - freq_penalty * counts

# %% apply_frequency_penalty: no minlength
# right: counts that end at the largest token
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    return logits - freq_penalty * torch.bincount(input_ids)

# %% apply_frequency_penalty: multiplies
# right: a penalty that grows with the logit
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = torch.bincount(input_ids, minlength=len(logits))
    return logits * (1 - freq_penalty * counts)

# %% apply_frequency_penalty: CTRL's
# right: the repetition penalty of CTRL
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    new = logits.clone()
    said = new[input_ids]
    new[input_ids] = torch.where(said > 0, said / freq_penalty, said * freq_penalty)
    return new

# %% apply_frequency_penalty: the first time is free
# right: a first time that costs nothing
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = torch.bincount(input_ids, minlength=len(logits))
    return logits - freq_penalty * (counts - 1).clamp(min=0)

# %% apply_frequency_penalty: the last token is not counted
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = torch.bincount(input_ids[:-1], minlength=len(logits))
    return logits - freq_penalty * counts

# %% apply_frequency_penalty: the first token is not counted
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = torch.bincount(input_ids[1:], minlength=len(logits))
    return logits - freq_penalty * counts

# %% apply_frequency_penalty: a negative penalty is ignored
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    if freq_penalty <= 0:
        return logits.clone()
    counts = torch.bincount(input_ids, minlength=len(logits))
    return logits - freq_penalty * counts

# %% apply_frequency_penalty: probabilities out
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = torch.bincount(input_ids, minlength=len(logits))
    return (logits - freq_penalty * counts).softmax(-1)

# %% apply_frequency_penalty: logarithm of the count
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = torch.bincount(input_ids, minlength=len(logits))
    return logits - freq_penalty * torch.log1p(counts)

# %% apply_frequency_penalty: penalty to the power of the count
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    new = logits.clone()
    for token, n in enumerate(torch.bincount(input_ids, minlength=len(logits)).tolist()):
        if n:
            new[token] -= freq_penalty**n
    return new

# %% apply_frequency_penalty: never below 0
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = torch.bincount(input_ids, minlength=len(logits))
    return (logits - freq_penalty * counts).clamp(min=0)

# %% apply_frequency_penalty: whole numbers taken off
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    new = logits.clone()
    counts = torch.bincount(input_ids, minlength=len(logits))
    return new - (counts * freq_penalty).long()

# %% apply_frequency_penalty: scatter_ in the place of scatter_add_
# right: a penalty for being there, however often
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    off = torch.zeros_like(logits).scatter_(0, input_ids, torch.ones(len(input_ids)))
    return logits - freq_penalty * off

# %% apply_frequency_penalty: the last eight only
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = torch.bincount(input_ids[-8:], minlength=len(logits))
    return logits - freq_penalty * counts

# %% apply_frequency_penalty: tokens that never came pay instead
# right: a penalty on the tokens that never came
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = torch.bincount(input_ids, minlength=len(logits))
    return logits - freq_penalty * (counts == 0)

# %% apply_frequency_penalty: all said tokens pay the length of the text
# right: the length of the text in the place of the count
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    new = logits.clone()
    new[input_ids.unique()] -= freq_penalty * len(input_ids)
    return new

# %% apply_frequency_penalty: the penalty is left out of the product
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = torch.bincount(input_ids, minlength=len(logits))
    return logits - counts

# %% apply_frequency_penalty: index_add_ on the caller's tensor
# right: a penalty taken off in place
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    return logits.index_add_(0, input_ids, torch.full((len(input_ids),), -freq_penalty))

# %% apply_frequency_penalty: the vocabulary of GPT-2 written out
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = torch.bincount(input_ids, minlength=50257)
    return logits - freq_penalty * counts

# %% apply_frequency_penalty: swapped arguments
# right: the first two arguments in each other's place
def apply_frequency_penalty(logits, input_ids, freq_penalty):
    counts = torch.bincount(input_ids, minlength=len(logits))
    return logits - freq_penalty * counts

# %% apply_frequency_penalty: divides by one plus the penalty
# right: dividing the logits
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = torch.bincount(input_ids, minlength=len(logits))
    return logits / (1 + freq_penalty * counts)

# %% apply_frequency_penalty: zip of unique ids and counts the wrong way round
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    new = logits.clone()
    tokens, counts = input_ids.unique(return_counts=True)
    new[counts] -= freq_penalty * tokens
    return new

# %% apply_frequency_penalty: a window of 64 tokens
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = torch.bincount(input_ids[-64:], minlength=len(logits))
    return logits - freq_penalty * counts

# %% apply_frequency_penalty: tokens that came are forbidden
# right: tokens that may not come again
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    out = logits.clone()
    out[input_ids] = float("-inf")
    return out

# %% apply_frequency_penalty: = in the place of -=
# right: logits replaced by the penalty
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    new = logits.clone()
    tokens, counts = torch.unique(input_ids, return_counts=True)
    new[tokens] = counts * freq_penalty
    return new

# %% apply_frequency_penalty: divided by the count
# right: a penalty divided by the count
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = torch.bincount(input_ids, minlength=len(logits))
    return logits - freq_penalty / counts.clamp(min=1)

# %% apply_frequency_penalty: counts of unique at the first tokens
# right: counts at the wrong tokens
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    ids, counts = input_ids.unique(return_counts=True)
    new = logits.clone()
    new[: len(counts)] -= freq_penalty * counts
    return new

# %% apply_frequency_penalty: one_hot without its size
# right: counts that end at the largest token
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = nn.functional.one_hot(input_ids).sum(0)
    return logits - freq_penalty * counts

# %% apply_frequency_penalty: a list of counts times a float
def apply_frequency_penalty(input_ids, logits, freq_penalty):
    counts = [0] * len(logits)
    for t in input_ids:
        counts[t] += 1
    return logits - freq_penalty * counts
