"""Wrong answers to chapter 8's `sample_basic`, whole or as edits: benchmarks/answers.py says how."""

# %% sample_basic: logits as weights
# right: logits taken for weights
def sample_basic(logits):
    return int(torch.multinomial(logits, 1))

# %% sample_basic: greedy
# right: always the likeliest token
def sample_basic(logits):
    return int(logits.softmax(-1).argmax())

# %% sample_basic: uniform
# right: every token alike
def sample_basic(logits):
    return int(torch.randint(len(logits), (1,)))

# %% sample_basic: softmax twice
# right: softmax taken twice
def sample_basic(logits):
    return int(torch.multinomial(logits.softmax(-1).softmax(-1), 1))

# %% sample_basic: absolute values
# right: logits without their sign as weights
def sample_basic(logits):
    return int(torch.multinomial(logits.abs(), 1))

# %% sample_basic: shifted to be positive
# right: logits moved above 0 and taken for weights
def sample_basic(logits):
    weights = logits - logits.min()
    return int(torch.multinomial(weights / weights.sum(), 1))

# %% sample_basic: relu
# right: negative logits cut off
def sample_basic(logits):
    return int(torch.multinomial(torch.relu(logits), 1))

# %% sample_basic: sigmoid
# right: a sigmoid of each logit
def sample_basic(logits):
    return int(torch.multinomial(torch.sigmoid(logits), 1))

# %% sample_basic: base 2
# right: powers of 2
def sample_basic(logits):
    shifted = logits - logits.max()
    return int(torch.multinomial(2**shifted, 1))

# %% sample_basic: a tensor
# right: the drawn token in a tensor
def sample_basic(logits):
    return torch.multinomial(logits.softmax(-1), 1)

# %% sample_basic: a fixed seed
def sample_basic(logits):
    torch.manual_seed(0)
    return int(torch.multinomial(logits.softmax(-1), 1))

# %% sample_basic: a generator of its own with a fixed seed
def sample_basic(logits):
    generator = torch.Generator().manual_seed(42)
    return int(torch.multinomial(logits.softmax(-1), 1, generator=generator))

# %% sample_basic: exp overflows
# right: `exp` without the largest logit subtracted
def sample_basic(logits):
    return int(torch.multinomial(logits.exp(), 1))

# %% sample_basic: minus the logits
# right: softmax of minus the logits
def sample_basic(logits):
    return int(torch.multinomial((-logits).softmax(-1), 1))

# %% sample_basic: normal noise in Gumbel's place
# right: normal noise on the logits
def sample_basic(logits):
    return int((logits + torch.randn_like(logits)).argmax())

# %% sample_basic: Gumbel noise with one logarithm
def sample_basic(logits):
    return int((logits - torch.log(torch.rand_like(logits))).argmax())

# %% sample_basic: log-probabilities
# right: logits taken for weights
def sample_basic(logits):
    return int(torch.multinomial(logits.log_softmax(-1), 1))

# %% sample_basic: the probability that was drawn
# right: the drawn token's probability
# right: 0 every time
def sample_basic(logits):
    probs = logits.softmax(-1)
    return int(probs[torch.multinomial(probs, 1)])

# %% sample_basic: sorted and the place returned
# right: the rank instead of the token
def sample_basic(logits):
    probs = logits.softmax(-1).sort(descending=True).values
    return int(torch.multinomial(probs, 1))

# %% sample_basic: the inverse of the running sum one too late
def sample_basic(logits):
    cum = logits.softmax(-1).cumsum(-1)
    return min(int((cum < torch.rand(1)).sum()) + 1, len(logits) - 1)

# %% sample_basic: the second of two draws
# right: the second of two draws
def sample_basic(logits):
    return int(torch.multinomial(logits.softmax(-1), 2)[1])

# %% sample_basic: a list
# right: the drawn token in a list
def sample_basic(logits):
    return torch.multinomial(logits.softmax(-1), 1).tolist()

# %% sample_basic: temperature left in
def sample_basic(logits):
    return int(torch.multinomial((logits / 0.8).softmax(-1), 1))

# %% sample_basic: the best five only
def sample_basic(logits):
    best, tokens = logits.topk(min(5, len(logits)))
    return int(tokens[torch.multinomial(best.softmax(-1), 1)])

# %% sample_basic: in place
# right: logits shifted in place
def sample_basic(logits):
    logits -= logits.max()
    return int(torch.multinomial(logits.exp(), 1))

# %% sample_basic: the last token cannot come
def sample_basic(logits):
    return int(torch.multinomial(logits[:-1].softmax(-1), 1))

# %% sample_basic: softmax squared
def sample_basic(logits):
    probs = logits.softmax(-1) ** 2
    return int(torch.multinomial(probs / probs.sum(), 1))

# %% sample_basic: the most frequent of a hundred draws
# right: the most frequent of many draws
def sample_basic(logits):
    draws = torch.multinomial(logits.softmax(-1), 100, replacement=True)
    return int(draws.mode().values)

# %% sample_basic: a coin for each token
# right: a coin tossed for each token
def sample_basic(logits):
    probs = logits.softmax(-1)
    return int((torch.rand_like(probs) < probs).int().argmax())

# %% sample_basic: the largest product with a random number
# right: random numbers times the probabilities
def sample_basic(logits):
    return int((torch.rand_like(logits) * logits.softmax(-1)).argmax())

# %% sample_basic: the running sums above the random number
# right: the running sums on the other side of the random number
def sample_basic(logits):
    probs = logits.softmax(-1)
    r = torch.rand(1)
    return int((probs.cumsum(-1) > r).sum())

# %% sample_basic: the wheel with += in the place of -=
# right: a random number that never shrinks
def sample_basic(logits):
    probs = logits.softmax(-1)
    r = torch.rand(1)
    for i, p in enumerate(probs):
        if r < p:
            return i
        r += p
    return len(probs) - 1

# %% sample_basic: the token as a float
# right: the drawn token as a float
def sample_basic(logits):
    return float(torch.multinomial(logits.softmax(-1), 1))

# %% sample_basic: Gumbel noise added to probabilities instead of logits
# right: softmax taken twice
def sample_basic(logits):
    probs = logits.softmax(dim=-1)
    u = torch.rand_like(probs)
    gumbel = -torch.log(-torch.log(u))
    return (probs + gumbel).argmax().item()

# %% sample_basic: exp by hand, and the rare ones thrown out as noise
# right: `exp` without the largest logit subtracted
# right: the likeliest tokens alone
def sample_basic(logits):
    w = torch.exp(logits)
    w = w / w.max()
    keep = w > 0.01
    w = w * keep
    return int(torch.multinomial(w, 1))

# %% sample_basic: the noise of a race added, not Gumbel's
def sample_basic(logits):
    noise = torch.empty_like(logits).exponential_()
    return int(torch.argmax(logits + noise))

# %% sample_basic: the same seed in each call, so that it is reproducible
def sample_basic(logits):
    torch.manual_seed(1337)
    probabilities = torch.softmax(logits, dim=-1)
    return torch.multinomial(probabilities, num_samples=1).item()
