"""Wrong answers to chapter 8's exercises as learners write them, one whole cell each, titled with what went wrong.

Under a title, `# right:` names a misconception that is a true cause; benchmarks/diagnosis.py counts any other as misled.
"""
# fmt: off
# ruff: noqa

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
# right: a search that begins at a score of 0
def greedy(logits):
    best, place = 0.0, 0
    for i, x in enumerate(logits.tolist()):
        if x > best:
            best, place = x, i
    return place

# %% greedy: the last token is never looked at
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
def greedy(logits):
    best = 0
    for i, logit in enumerate(logits):
        if logit > best:
            best = i
    return best

# %% apply_temperature: multiplies
# right: multiplying by the temperature
def apply_temperature(logits, temperature):
    return logits * temperature

# %% apply_temperature: probabilities come out
# right: probabilities
def apply_temperature(logits, temperature):
    return torch.softmax(logits / temperature, dim=-1)

# %% apply_temperature: divides the probabilities
# right: probabilities divided by the temperature
def apply_temperature(logits, temperature):
    return torch.softmax(logits, dim=-1) / temperature

# %% apply_temperature: in place
# right: dividing in place
def apply_temperature(logits, temperature):
    logits /= temperature
    return logits

# %% apply_temperature: out= the caller's tensor
# right: dividing in place
def apply_temperature(logits, temperature):
    return torch.div(logits, temperature, out=logits)

# %% apply_temperature: root of the temperature
# right: dividing by the temperature's root
def apply_temperature(logits, temperature):
    return logits / temperature**0.5

# %% apply_temperature: square of the temperature
# right: dividing by the temperature's square
def apply_temperature(logits, temperature):
    return logits / temperature**2

# %% apply_temperature: one plus the temperature
# right: dividing by 1 plus the temperature
def apply_temperature(logits, temperature):
    return logits / (1 + temperature)

# %% apply_temperature: floor division
# right: whole numbers alone
def apply_temperature(logits, temperature):
    return logits // temperature

# %% apply_temperature: only above 1
# right: only high temperatures
def apply_temperature(logits, temperature):
    if temperature <= 1:
        return logits.clone()
    return logits / temperature

# %% apply_temperature: clamped to 1 at most
# right: only low temperatures
def apply_temperature(logits, temperature):
    return logits / min(temperature, 1.0)

# %% apply_temperature: subtracts
# right: subtracting the temperature
def apply_temperature(logits, temperature):
    return logits - temperature

# %% apply_temperature: the logarithm taken off
# right: the logarithm of the temperature taken off
import math
def apply_temperature(logits, temperature):
    return logits - math.log(temperature)

# %% apply_temperature: power
def apply_temperature(logits, temperature):
    return logits.sign() * logits.abs() ** (1 / temperature)

# %% apply_temperature: whole-number temperature
# right: a temperature rounded to a whole number
def apply_temperature(logits, temperature):
    return logits / max(1, int(temperature))

# %% apply_temperature: a list
def apply_temperature(logits, temperature):
    return [x / temperature for x in logits.tolist()]

# %% apply_temperature: positive logits only
# right: only some of the logits
def apply_temperature(logits, temperature):
    return torch.where(logits > 0, logits / temperature, logits)

# %% apply_temperature: negative ones multiplied
# right: only some of the logits
def apply_temperature(logits, temperature):
    return torch.where(logits > 0, logits / temperature, logits * temperature)

# %% apply_temperature: float64 comes out
def apply_temperature(logits, temperature):
    return logits.double() / temperature

# %% apply_temperature: a batch axis stays on
def apply_temperature(logits, temperature):
    return logits[None] / temperature

# %% apply_temperature: exp taken
def apply_temperature(logits, temperature):
    return (logits / temperature).exp()

# %% apply_temperature: never below 0.7
def apply_temperature(logits, temperature):
    return logits / max(temperature, 0.7)

# %% apply_temperature: no return
def apply_temperature(logits, temperature):
    logits = logits / temperature

# %% apply_temperature: temperature over logits
def apply_temperature(logits, temperature):
    return temperature / logits

# %% apply_temperature: divides by the spread too
def apply_temperature(logits, temperature):
    return logits / (logits.std() * temperature)

# %% apply_temperature: probabilities divided and scaled up
# right: probabilities divided and scaled up again
def apply_temperature(logits, temperature):
    probs = logits.softmax(-1) / temperature
    return probs / probs.sum()

# %% apply_temperature: 0.7 written out
# right: one temperature for all
def apply_temperature(logits, temperature=1.0):
    return logits / 0.7

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
# right: a random number that grows
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

# %% sample_top_k: the place among the k
# right: the rank instead of the token
def sample_top_k(logits, k):
    best, tokens = logits.topk(k)
    return sample_basic(best)

# %% sample_top_k: one more
# right: one token too many
def sample_top_k(logits, k):
    best, tokens = logits.topk(min(k + 1, len(logits)))
    return int(tokens[sample_basic(best)])

# %% sample_top_k: strictly above the k-th
# right: one token too few
def sample_top_k(logits, k):
    kth = logits.topk(k).values[-1]
    return sample_basic(logits.masked_fill(logits <= kth, float("-inf")))

# %% sample_top_k: uniform
# right: k equal chances
def sample_top_k(logits, k):
    tokens = logits.topk(k).indices
    return int(tokens[torch.randint(k, (1,))])

# %% sample_top_k: the least likely
# right: the k least likely tokens
def sample_top_k(logits, k):
    best, tokens = logits.topk(k, largest=False)
    return int(tokens[sample_basic(best)])

# %% sample_top_k: the best of them
# right: always the likeliest token
def sample_top_k(logits, k):
    best, tokens = logits.topk(k)
    return int(tokens[best.argmax()])

# %% sample_top_k: masked with 0
# right: zero for the logits that are left out
def sample_top_k(logits, k):
    kth = logits.topk(k).values[-1]
    return sample_basic(torch.where(logits >= kth, logits, torch.zeros_like(logits)))

# %% sample_top_k: the caller's logits masked
# right: masking in place
def sample_top_k(logits, k):
    kth = logits.topk(k).values[-1]
    logits[logits < kth] = float("-inf")
    return sample_basic(logits)

# %% sample_top_k: softmax of the probabilities
# right: softmax taken twice
def sample_top_k(logits, k):
    best, tokens = logits.softmax(-1).topk(k)
    return int(tokens[sample_basic(best)])

# %% sample_top_k: all tokens
# right: drawing from all tokens
def sample_top_k(logits, k):
    return sample_basic(logits)

# %% sample_top_k: the first k of the vocabulary
# right: the first k tokens of the vocabulary
def sample_top_k(logits, k):
    return sample_basic(logits[:k])

# %% sample_top_k: logits as weights
# right: logits taken for weights
def sample_top_k(logits, k):
    best, tokens = logits.topk(k)
    return int(tokens[torch.multinomial(best, 1)])

# %% sample_top_k: a draw outside becomes the best
# right: the best for every draw outside of the k
def sample_top_k(logits, k):
    tokens = logits.topk(k).indices
    drawn = sample_basic(logits)
    return drawn if drawn in tokens.tolist() else int(tokens[0])

# %% sample_top_k: the index of an ascending sort
# right: tokens in another order than their logits
def sample_top_k(logits, k):
    ranked, order = logits.sort()
    return int(order[sample_basic(ranked[-k:])])

# %% sample_top_k: fails at k = d_vocab
def sample_top_k(logits, k):
    ranked = logits.sort(descending=True).values
    return sample_basic(logits.masked_fill(logits <= ranked[k], float("-inf")))

# %% sample_top_k: masked with a number that is not low enough
# right: a mask that is not low enough
def sample_top_k(logits, k):
    kth = logits.topk(k).values[-1]
    return sample_basic(torch.where(logits >= kth, logits, torch.full_like(logits, -1.0)))

# %% sample_top_k: the mask the other way round
# right: the k likeliest left out
def sample_top_k(logits, k):
    kth = logits.topk(k).values[-1]
    return sample_basic(logits.masked_fill(logits > kth, float("-inf")))

# %% sample_top_k: a tensor
# right: the drawn token in a tensor
def sample_top_k(logits, k):
    best, tokens = logits.topk(k)
    return tokens[sample_basic(best)]

# %% sample_top_k: always 40
# right: drawing from all tokens
def sample_top_k(logits, k):
    best, tokens = logits.topk(min(40, len(logits)))
    return int(tokens[sample_basic(best)])

# %% sample_top_k: one fewer
# right: one token too few
def sample_top_k(logits, k):
    best, tokens = logits.topk(max(k - 1, 1))
    return int(tokens[sample_basic(best)])

# %% sample_top_k: all-token probabilities, the rest goes to the last of the k
# right: probabilities that are not scaled up
def sample_top_k(logits, k):
    probs, tokens = logits.softmax(-1).topk(k)
    u = torch.rand(())
    place = min(int((probs.cumsum(-1) < u).sum()), k - 1)
    return int(tokens[place])

# %% sample_top_k: the value of the drawn logit
# right: the drawn token's logit
def sample_top_k(logits, k):
    best, tokens = logits.topk(k)
    return int(best[sample_basic(best)])

# %% sample_top_k: tokens sorted after topk
# right: tokens in another order than their logits
def sample_top_k(logits, k):
    best, tokens = logits.topk(k)
    tokens = tokens.sort().values
    return int(tokens[sample_basic(best)])

# %% sample_top_k: a seed of its own
def sample_top_k(logits, k):
    torch.manual_seed(k)
    best, tokens = logits.topk(k)
    return int(tokens[sample_basic(best)])

# %% sample_top_k: a uniform place among the k
# right: k equal chances
def sample_top_k(logits, k):
    best, tokens = logits.topk(k)
    probs = best.softmax(-1)
    return int(tokens[min(int(torch.rand(()) * k), k - 1)]) if k > 1 else int(tokens[0])

# %% sample_top_k: the best of all is skipped
# right: the best one left out
def sample_top_k(logits, k):
    order = logits.argsort(descending=True)[1 : k + 1]
    if len(order) == 0:
        order = logits.argsort(descending=True)[:1]
    return int(order[sample_basic(logits[order])])

# %% sample_top_k: a uniform draw where another token came
# right: equal chances for every draw outside of the k
def sample_top_k(logits, k):
    allowed = logits.topk(k).indices.tolist()
    t = int(torch.multinomial(logits.softmax(-1), 1))
    if t in allowed:
        return t
    return allowed[int(torch.randint(k, (1,)))]

# %% sample_top_k: the best of k draws
# right: the best of k draws
def sample_top_k(logits, k):
    draws = torch.multinomial(logits.softmax(-1), k)
    return int(draws[logits[draws].argmax()])

# %% sample_top_k: k of 1 cuts nothing
# right: a `k` of 1 as leaving nothing out
def sample_top_k(logits, k):
    if k <= 1:
        return int(torch.multinomial(logits.softmax(-1), 1))
    best, tokens = logits.topk(k)
    return int(tokens[torch.multinomial(best.softmax(-1), 1)])

# %% sample_top_k: the k farthest from 0
# right: the logits farthest from 0
def sample_top_k(logits, k):
    i = logits.abs().topk(k).indices
    return int(i[torch.multinomial(logits[i].softmax(-1), 1)])

# %% sample_top_p: the token that crosses is missing
# right: a nucleus without the token that crosses `top_p`
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    n = max(int((ranked.softmax(-1).cumsum(-1) < top_p).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n])])

# %% sample_top_p: one too many
# right: a nucleus of one token too many
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    n = max(int((ranked.softmax(-1).cumsum(-1) < top_p).sum()) + 2, min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n])])

# %% sample_top_p: min_tokens_to_keep not used
# right: `min_tokens_to_keep` left out
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    before = probs.cumsum(-1) - probs
    return int(tokens[sample_basic(ranked[before < max(top_p, 1e-9)])])

# %% sample_top_p: min_tokens_to_keep added
# right: `min_tokens_to_keep` beside the nucleus
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    n = int((ranked.softmax(-1).cumsum(-1) < top_p).sum()) + min_tokens_to_keep
    return int(tokens[sample_basic(ranked[:n])])

# %% sample_top_p: min in the place of max
# right: `min_tokens_to_keep` as the most that are kept
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    n = min(int((probs.cumsum(-1) - probs < top_p).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n])])

# %% sample_top_p: the place
# right: the rank instead of the token
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    n = max(int((probs.cumsum(-1) - probs < top_p).sum()), min_tokens_to_keep)
    return sample_basic(ranked[:n])

# %% sample_top_p: sorted upwards
# right: a sum from the least likely upwards
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort()
    probs = ranked.softmax(-1)
    n = max(int((probs.cumsum(-1) - probs < top_p).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n])])

# %% sample_top_p: running sums of the logits
# right: a cumulative sum of logits
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    before = ranked.cumsum(-1) - ranked
    n = max(int((before < top_p).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n])])

# %% sample_top_p: masked with 0
# right: zero for the logits that are left out
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    remove = probs.cumsum(-1) - probs >= top_p
    remove[:min_tokens_to_keep] = False
    return int(tokens[sample_basic(ranked.masked_fill(remove, 0.0))])

# %% sample_top_p: the caller's logits masked
# right: masking in place
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    remove = probs.cumsum(-1) - probs >= top_p
    remove[:min_tokens_to_keep] = False
    logits[tokens[remove]] = float("-inf")
    return sample_basic(logits)

# %% sample_top_p: uniform in the nucleus
# right: equal chances in the nucleus
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    n = max(int((probs.cumsum(-1) - probs < top_p).sum()), min_tokens_to_keep)
    return int(tokens[torch.randint(n, (1,))])

# %% sample_top_p: the sorted mask on the unsorted logits
# right: a mask of sorted tokens laid over unsorted logits
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    remove = probs.cumsum(-1) - probs >= top_p
    remove[:min_tokens_to_keep] = False
    return sample_basic(logits.masked_fill(remove, float("-inf")))

# %% sample_top_p: one minus p
# right: the rest of the sum, 1 - `top_p`
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    n = max(int((probs.cumsum(-1) - probs < 1 - top_p).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n])])

# %% sample_top_p: a threshold on single probabilities
# right: single probabilities compared with `top_p`
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    n = max(int((ranked.softmax(-1) >= top_p).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n])])

# %% sample_top_p: a share of the best probability (min-p)
# right: a share of the best probability
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    n = max(int((probs >= top_p * probs[0]).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n])])

# %% sample_top_p: softmax of the probabilities in the draw
# right: softmax taken twice
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    probs, tokens = logits.softmax(-1).sort(descending=True)
    n = max(int((probs.cumsum(-1) - probs < top_p).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(probs[:n])])

# %% sample_top_p: the first sum is not reset after roll
# right: a nucleus without the token that crosses `top_p`
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    before = ranked.softmax(-1).cumsum(-1).roll(1)
    n = max(int((before < top_p).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n])])

# %% sample_top_p: nothing is left at p = 0
# right: a nucleus that may be empty
def sample_top_p(logits, top_p, min_tokens_to_keep=0):
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    n = max(int((probs.cumsum(-1) - probs < top_p).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n])])

# %% sample_top_p: at p = 0 everything is kept
# right: `top_p` at 0 as leaving nothing out
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    if top_p == 0:
        return sample_basic(logits)
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    n = max(int((probs.cumsum(-1) - probs < top_p).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n])])

# %% sample_top_p: searchsorted without the one
# right: a nucleus without the token that crosses `top_p`
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    n = max(int(torch.searchsorted(ranked.softmax(-1).cumsum(-1), top_p)), min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n])])

# %% sample_top_p: a draw outside of the nucleus becomes the best
# right: the best for every draw outside of the nucleus
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    n = max(int((probs.cumsum(-1) - probs < top_p).sum()), min_tokens_to_keep)
    place = sample_basic(ranked)
    return int(tokens[place if place < n else 0])

# %% sample_top_p: cumsum not in order of probability
# right: a cumulative sum over unsorted probabilities
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    probs = logits.softmax(-1)
    n = max(int((probs.cumsum(-1) - probs < top_p).sum()), min_tokens_to_keep)
    return sample_basic(logits[:n])

# %% sample_top_p: indices of an ascending sort
# right: tokens in another order than their logits
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked = logits.sort(descending=True).values
    tokens = logits.argsort()
    probs = ranked.softmax(-1)
    n = max(int((probs.cumsum(-1) - probs < top_p).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n])])

# %% sample_top_p: a tensor
# right: the drawn token in a tensor
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    n = max(int((probs.cumsum(-1) - probs < top_p).sum()), min_tokens_to_keep)
    return tokens[sample_basic(ranked[:n])]

# %% sample_top_p: p as a number of tokens
# right: a share of the vocabulary
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    n = max(int(top_p * len(logits)), min_tokens_to_keep)
    best, tokens = logits.topk(n)
    return int(tokens[sample_basic(best)])

# %% sample_top_p: min_tokens_to_keep keeps one more by an off-by-one in the mask
# right: one more than `min_tokens_to_keep`
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    remove = probs.cumsum(-1) > top_p
    remove[1:] = remove[:-1].clone()
    remove[0] = False
    remove[: min_tokens_to_keep + 1] = False
    return int(tokens[sample_basic(ranked.masked_fill(remove, float("-inf")))])

# %% sample_top_p: the shift after min_tokens_to_keep
# right: one more than `min_tokens_to_keep`
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    remove = ranked.softmax(-1).cumsum(-1) > top_p
    remove[:min_tokens_to_keep] = False
    remove[1:] = remove[:-1].clone()
    remove[0] = False
    return int(tokens[sample_basic(ranked.masked_fill(remove, float("-inf")))])

# %% sample_top_p: the best token only
# right: always the likeliest token
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    return int(tokens[0])

# %% sample_top_p: probabilities of all, the rest goes to the last of the nucleus
# right: probabilities that are not scaled up
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    probs, tokens = logits.softmax(-1).sort(descending=True)
    cum = probs.cumsum(-1)
    n = max(int((cum - probs < top_p).sum()), min_tokens_to_keep)
    place = min(int((cum < torch.rand(())).sum()), n - 1)
    return int(tokens[place])

# %% sample_top_p: raw logits as weights
# right: logits taken for weights
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    n = max(int((probs.cumsum(-1) - probs < top_p).sum()), min_tokens_to_keep)
    return int(tokens[torch.multinomial(ranked[:n].clamp(min=1e-6), 1)])

# %% sample_top_p: no default for min_tokens_to_keep
def sample_top_p(logits, top_p, min_tokens_to_keep):
    ranked, tokens = logits.sort(descending=True)
    probs = ranked.softmax(-1)
    n = max(int((probs.cumsum(-1) - probs < top_p).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n])])

# %% sample_top_p: the sum nearest to p
# right: the sum that lies nearest to `top_p`
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    probs, tokens = logits.softmax(-1).sort(descending=True)
    n = int((probs.cumsum(-1) - top_p).abs().argmin()) + 1
    n = max(n, min_tokens_to_keep)
    return int(tokens[torch.multinomial(probs[:n], 1)])

# %% sample_top_p: 0.9 written out
# right: one share for all
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    probs, tokens = logits.softmax(-1).sort(descending=True)
    n = max(int(((probs.cumsum(-1) - probs) < 0.9).sum()), min_tokens_to_keep)
    return int(tokens[torch.multinomial(probs[:n], 1)])

# %% sample_top_p: ranked tokens, sums over unranked probabilities
# right: a cumulative sum over unsorted probabilities
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    order = logits.argsort(descending=True)
    probs = logits.softmax(-1)
    before = probs.cumsum(-1) - probs
    n = max(int((before < top_p).sum()), min_tokens_to_keep)
    kept = order[:n]
    return int(kept[sample_basic(logits[kept])])

# %% sample_top_p: one place marked in the place of the first so many
# right: one token marked in the place of the first `min_tokens_to_keep`
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    probs, order = logits.softmax(-1).sort(descending=True)
    before = probs.cumsum(-1) - probs
    keep = before < top_p
    keep[min_tokens_to_keep] = True
    return int(order[torch.multinomial(probs * keep, 1)])

# %% sample_top_p: sorted probabilities indexed by tokens
# right: sorted probabilities looked up by token
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    probs, order = logits.softmax(-1).sort(descending=True)
    total, kept = 0, []
    for p, token in zip(probs, order):
        kept.append(token)
        total += p
        if total >= top_p and len(kept) >= min_tokens_to_keep:
            break
    kept = torch.stack(kept)
    return int(kept[sample_basic(probs[kept].log())])

# %% sample_top_p: a random number times p
# right: a random number from 0 to `top_p`
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    p, idx = logits.softmax(-1).sort(descending=True)
    u = torch.rand(1).item() * top_p
    return int(idx[int((p.cumsum(-1) < u).sum())])

# %% sample_top_p: the mask gathered in the place of scattered
# right: a mask of sorted tokens laid over unsorted logits
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    s, idx = torch.sort(logits, descending=True)
    remove = s.softmax(-1).cumsum(-1) > top_p
    remove[1:] = remove[:-1].clone()
    remove[0] = False
    remove[:min_tokens_to_keep] = False
    remove = remove.gather(0, idx)
    return torch.multinomial(logits.masked_fill(remove, -float("inf")).softmax(-1), 1).item()

# %% sample_next_token: the temperature before the penalty
# right: the temperature before the penalty
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    if temperature == 0:
        return greedy(apply_frequency_penalty(input_ids, logits, freq_penalty))
    logits = apply_temperature(logits, temperature)
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: greedy before the penalty
# right: greedy before the penalty
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    if temperature == 0:
        return greedy(logits)
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: no ValueError
# right: both `top_k` and `top_p` accepted
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k > 0:
        return sample_top_k(logits, top_k)
    elif top_p > 0:
        return sample_top_p(logits, top_p)
    else:
        return sample_basic(logits)

# %% sample_next_token: an assert
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    assert not (top_k and top_p), "choose one"
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: the error only after temperature 0
# right: an error that greedy never reaches
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    if top_k and top_p:
        raise ValueError("choose one")
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: "or" in the place of "and"
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k or top_p:
        raise ValueError("choose one")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: the error is returned
# right: a ValueError that is returned
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        return ValueError("choose one")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: no penalty
# right: the penalty left out
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: the tempered logits are thrown away
# right: the temperature left out
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: the penalised logits are thrown away
# right: the penalty left out
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: temperature 0 not treated
# right: dividing by a temperature of 0
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: the temperature after the cut of the nucleus
# right: the nucleus before the temperature
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    if top_k:
        kth = logits.topk(top_k).values[-1]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    if top_p:
        ranked, tokens = logits.sort(descending=True)
        probs = ranked.softmax(-1)
        gone = tokens[probs.cumsum(-1) - probs >= top_p]
        logits = logits.index_fill(0, gone, float("-inf"))
    return sample_basic(apply_temperature(logits, temperature))

# %% sample_next_token: another default temperature
def sample_next_token(input_ids, logits, temperature=0.7, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: a top_k of 5 by default
def sample_next_token(input_ids, logits, temperature=1.0, top_k=5, top_p=0.0, freq_penalty=0.0):
    if top_k != 5 and top_p:
        raise ValueError("choose one")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_p:
        return sample_top_p(logits, top_p)
    if top_k:
        return sample_top_k(logits, top_k)
    return sample_basic(logits)

# %% sample_next_token: plain drawing has no return
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    sample_basic(logits)

# %% sample_next_token: always plain drawing after top_k
# right: `top_k` passed over
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        token = sample_top_k(logits, top_k)
    if top_p:
        token = sample_top_p(logits, top_p)
    else:
        token = sample_basic(logits)
    return token

# %% sample_next_token: greedy below temperature 1
# right: greedy below a temperature of 1
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature < 1:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: the temperature only for plain drawing
# right: a temperature for plain drawing alone
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(apply_temperature(logits, temperature))

# %% sample_next_token: the caller's logits are changed
# right: a penalty taken off in place
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    for token in input_ids:
        logits[token] -= freq_penalty
    if temperature == 0:
        return greedy(logits)
    logits = logits / temperature
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: presence in the place of frequency
# right: a penalty for being there, however often
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    logits = apply_frequency_penalty(input_ids.unique(), logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: top_p in sample_top_k's place
# right: `top_k` passed over
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_p(logits, top_k)
    if top_p:
        return sample_top_k(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: the last token is not penalised
# right: a token of the text that does not count
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    logits = apply_frequency_penalty(input_ids[:-1], logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: a temperature of 0 becomes 1
# right: a temperature of 0 passed over
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature:
        logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: the penalty only in greedy
# right: a penalty that only greedy sees
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    if temperature == 0:
        return greedy(apply_frequency_penalty(input_ids, logits, freq_penalty))
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: the temperature twice
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(apply_temperature(logits, temperature))

# %% sample_next_token: a negative penalty is ignored
# right: a penalty below 0 passed over
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("not both")
    if freq_penalty > 0:
        logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: top_p before top_k in the signature
# right: `top_p` in front of `top_k`
def sample_next_token(input_ids, logits, temperature=1.0, top_p=0.0, top_k=0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("not both")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: a top_k of 1 cuts nothing
# right: a `top_k` of 1 passed over
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("not both")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k > 1:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: two tokens kept at least
# right: two tokens kept at least
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("not both")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p, 2)
    return sample_basic(logits)

# %% sample_next_token: a top_p of 1 by default, and 0 is one that cuts
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=1.0, freq_penalty=0.0):
    if top_k and top_p < 1:
        raise ValueError("not both")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p < 1:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: greedy only where nothing is cut
# right: a temperature of 0 passed over
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("not both")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature > 0:
        logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    if temperature == 0:
        return greedy(logits)
    return sample_basic(logits)

# %% sample_next_token: probabilities to the samplers
# right: probabilities handed to the samplers
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("not both")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    probs = apply_temperature(logits, temperature).softmax(-1)
    if top_k:
        return sample_top_k(probs, top_k)
    if top_p:
        return sample_top_p(probs, top_p)
    return sample_basic(probs)

# %% sample_next_token: minus the penalty
# right: the penalty added
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("not both")
    logits = apply_frequency_penalty(input_ids, logits, -freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: a penalty of 0.5 by default
# right: a penalty of its own where none is given
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.5):
    if top_k and top_p:
        raise ValueError("not both")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: both results dropped
# right: neither penalty nor temperature
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("choose one of top_k and top_p")
    apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: the temperature for the cuts alone
# right: a temperature for the cuts alone
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    if top_k or top_p:
        logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: the penalty over the length of the text
# right: shares in the place of counts
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("not both")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty / len(input_ids))
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: in one piece: a threshold of the raw logits
# right: the `top_k` likeliest before the penalty
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k > 0 and top_p > 0:
        raise ValueError("choose one")
    counts = torch.bincount(input_ids, minlength=len(logits))
    scores = logits - freq_penalty * counts
    if temperature == 0:
        return scores.argmax().item()
    scores = scores / temperature
    if top_k > 0:
        kth = logits.topk(top_k).values[-1]
        scores = scores.masked_fill(scores < kth, float("-inf"))
    if top_p > 0:
        ranked, order = scores.sort(descending=True)
        cumulative = ranked.softmax(-1).cumsum(-1)
        remove = cumulative - ranked.softmax(-1) >= top_p
        scores = scores.index_fill(0, order[remove], float("-inf"))
    return torch.multinomial(scores.softmax(-1), 1).item()

# %% generate: the first n_ctx tokens, not the last
# right: cropping to the first tokens
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[:n_ctx]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: no window at all
# right: a text that is never cropped
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the window is one short
# right: a window that is shorter than `n_ctx`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -(model.cfg.n_ctx - 1) :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: the text itself is cropped, its beginning is lost
# right: cutting the text itself
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        if len(tokens) > n_ctx:
            tokens = tokens[-n_ctx:]
        window = tokens
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the sampler gets the window, the penalty counts only that
# right: the penalty on the cropped text
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(window, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the penalty counts only the new tokens
# right: the penalty on the new tokens alone
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    n_given = len(tokens)
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens[n_given:], last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the penalty counts only the given text
# right: the penalty on the prompt alone
@torch.no_grad()
def generate(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, eos: int | None = None, **sampling: float | int
) -> Int[Tensor, " all_pos"]:
    ids = tokens.tolist()
    for _ in range(max_new_tokens):
        context = torch.tensor([ids[-model.cfg.n_ctx:]])
        scores = model(context)[0, -1]
        choice = sample_next_token(tokens, scores, **sampling)
        ids.append(choice)
        if choice == eos:
            break
    return torch.tensor(ids)

# %% generate: the logits of the first position
# right: the logits of the first position
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, 0, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the last position but one
# right: the logits of the last position but one
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -2]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: eos is not kept
# right: leaving `eos` out
@torch.no_grad()
def generate(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, eos: int | None = None, **sampling: float | int
) -> Int[Tensor, " all_pos"]:
    ids = tokens.tolist()
    for _ in range(max_new_tokens):
        context = torch.tensor([ids[-model.cfg.n_ctx:]])
        scores = model(context)[0, -1]
        choice = sample_next_token(torch.tensor(ids), scores, **sampling)
        if choice == eos:
            break
        ids.append(choice)
    return torch.tensor(ids)

# %% generate: eos is ignored
# right: going on after `eos`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
    return tokens

# %% generate: filled up with eos to the full length
# right: a text that is filled up after `eos`
@torch.no_grad()
def generate(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, eos: int | None = None, **sampling: float | int
) -> Int[Tensor, " all_pos"]:
    ids = tokens.tolist()
    for _ in range(max_new_tokens):
        context = torch.tensor([ids[-model.cfg.n_ctx:]])
        scores = model(context)[0, -1]
        choice = sample_next_token(torch.tensor(ids), scores, **sampling)
        ids.append(choice)
        if choice == eos:
            ids += [eos] * (max_new_tokens - (len(ids) - len(tokens)))
            break
    return torch.tensor(ids)

# %% generate: only the new tokens
# right: the new tokens alone
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    start = tokens.shape[0]
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens[start:]

# %% generate: settings are not handed on
# right: settings that are not handed on
@torch.no_grad()
def generate(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, eos: int | None = None, **sampling: float | int
) -> Int[Tensor, " all_pos"]:
    ids = tokens.tolist()
    for _ in range(max_new_tokens):
        context = torch.tensor([ids[-model.cfg.n_ctx:]])
        scores = model(context)[0, -1]
        choice = sample_next_token(torch.tensor(ids), scores)
        ids.append(choice)
        if choice == eos:
            break
    return torch.tensor(ids)

# %% generate: one token too many
# right: a token more than `max_new_tokens`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens + 1):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: one token too few
# right: a token less than `max_new_tokens`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(1, max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: eos 0 counts as none
# right: taking an `eos` of 0 for none
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos and next_id == eos:
            break
    return tokens

# %% generate: a seed of its own
# right: seeding inside `generate`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    torch.manual_seed(0)
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: seeds anew at each step
# right: seeding inside `generate`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        torch.manual_seed(step)
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: probabilities go to the sampler
# right: handing on probabilities where logits are expected
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :].softmax(-1)
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: a list comes back
# right: a list of tokens
@torch.no_grad()
def generate(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, eos: int | None = None, **sampling: float | int
) -> Int[Tensor, " all_pos"]:
    ids = tokens.tolist()
    for _ in range(max_new_tokens):
        context = torch.tensor([ids[-model.cfg.n_ctx:]])
        scores = model(context)[0, -1]
        choice = sample_next_token(torch.tensor(ids), scores, **sampling)
        ids.append(choice)
        if choice == eos:
            break
    return ids

# %% generate: a batch axis stays
# right: a batch axis that stays
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens[None]

# %% generate: stops where eos is anywhere in the text
# right: an `eos` of the prompt that ends the text
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and eos in tokens:
            break
    return tokens

# %% generate: stops where the given text holds eos: while loop
# right: an `eos` of the prompt that ends the text
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    text = tokens
    while len(text) < len(tokens) + max_new_tokens and (eos is None or text[-1] != eos):
        logits = model(text[-model.cfg.n_ctx :].reshape(1, -1))[0, -1]
        text = torch.cat([text, torch.tensor([sample_next_token(text, logits, **sampling)])])
    return text

# %% generate: max_new_tokens is taken for the whole length
# right: `max_new_tokens` as the length of the whole text
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    while len(tokens) < max_new_tokens:
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: always one token at least
# right: a token even where `max_new_tokens` is 0
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    written = 0
    while True:
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        written += 1
        if new == eos or written >= max_new_tokens:
            return tokens

# %% generate: only the last token goes to the model
# right: reading the new token alone
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-1:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the model is asked once
# right: asking the model once for the whole text
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
    for _ in range(max_new_tokens):
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: floats come back
# right: tokens as floats
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n = len(tokens)
    text = torch.zeros(n + max_new_tokens)
    text[:n] = tokens
    for at in range(n, n + max_new_tokens):
        so_far = text[:at].long()
        logits = model(so_far[None, -model.cfg.n_ctx :])[0, -1]
        text[at] = new = sample_next_token(so_far, logits, **sampling)
        if new == eos:
            return text[: at + 1]
    return text

# %% generate: preallocated, zeros left behind eos
# right: a text that is filled up after `eos`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n = len(tokens)
    text = torch.zeros(n + max_new_tokens, dtype=torch.long)
    text[:n] = tokens
    for at in range(n, n + max_new_tokens):
        logits = model(text[None, max(0, at - model.cfg.n_ctx) : at])[0, -1]
        text[at] = new = sample_next_token(text[:at], logits, **sampling)
        if new == eos:
            break
    return text

# %% generate: the new token is put in front
# right: the new token in front of the text
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([torch.tensor([new]), tokens])
        if new == eos:
            break
    return tokens

# %% generate: always greedy
# right: the likeliest token whatever the settings are
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = int(last.argmax())
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: settings by position, in the order they came
# right: settings that are handed on without their names
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, *sampling.values())
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: only temperature is handed on
# right: settings that are not handed on
@torch.no_grad()
def generate(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, eos: int | None = None, **sampling: float | int
) -> Int[Tensor, " all_pos"]:
    ids = tokens.tolist()
    for _ in range(max_new_tokens):
        context = torch.tensor([ids[-model.cfg.n_ctx:]])
        scores = model(context)[0, -1]
        choice = sample_next_token(torch.tensor(ids), scores, temperature=sampling.get('temperature', 1.0))
        ids.append(choice)
        if choice == eos:
            break
    return torch.tensor(ids)

# %% generate: eos by `is`
# right: comparing `eos` by `is`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new is eos:
            break
    return tokens

# %% generate: the window is 256, whatever the model
# right: a text that is never cropped
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = 256
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the window is cropped once, before the loop
# right: a text that is never cropped
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    context = tokens[-model.cfg.n_ctx :]
    for _ in range(max_new_tokens):
        logits = model(context[None])[0, -1]
        new = torch.tensor([sample_next_token(tokens, logits, **sampling)])
        tokens = torch.cat([tokens, new])
        context = torch.cat([context, new])
        if new == eos:
            break
    return tokens

# %% generate: stops when the window is full
# right: a text that ends with the window
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        if len(tokens) >= model.cfg.n_ctx:
            break
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: no batch axis
# right: a model that is asked without a batch axis
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window)
        last = logits[-1]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: batch axis at the end
# right: the logits of the first position
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(1))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: no break, return None at the end
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            return tokens

# %% generate: return inside the loop
# right: a loop that ends after one token
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
        return tokens

# %% generate: the caller's tensor grows
# right: growing the caller's tensor
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens.data = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the new token is not an axis: cat of a 0-d
# right: a new token without an axis
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor(new)])
        if new == eos:
            break
    return tokens

# %% generate: the window is the model's d_vocab
# right: a text that is never cropped
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.d_vocab
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: eos is compared with the token before
# right: a token more after `eos`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if tokens[-2] == eos:
            break
    return tokens

# %% generate: the mean of all positions' logits
# right: the mean over all positions
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0].mean(0)
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: settings changed: temperature default 0
# right: a temperature of 0 where none was given
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    sampling.setdefault('temperature', 0)
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% beam_search: each beam keeps its own best token only
# right: one continuation of each beam
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = 1
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: after the first step each beam goes on by its best alone
# right: one continuation of each beam
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for step in range(max_new_tokens):
        longer = []
        for score, text in beams:
            log_probs = model(text[None, -model.cfg.n_ctx :])[0, -1].log_softmax(-1)
            best, ids = log_probs.topk(min(num_beams, len(log_probs)) if step == 0 else 1)
            for more, token in zip(best, ids):
                longer.append((score + float(more), torch.cat([text, token[None]])))
        beams = sorted(longer, key=lambda beam: beam[0], reverse=True)[:num_beams]
    return beams

# %% beam_search: probabilities are added up
# right: summed probabilities
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: probabilities multiplied, the score is one
# right: probabilities for scores
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(1.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score * log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: raw logits are added up
# right: summed logits
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1]
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: the mean per token
# right: the mean of the log-probabilities
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [(score / max_new_tokens, text) for score, text in beams]

# %% beam_search: worst first
# right: the worst text first
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams[::-1]

# %% beam_search: the worst are kept
# right: keeping the worst texts
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0])
        beams = candidates[:num_beams]
    return beams

# %% beam_search: the score of the last token only
# right: the log-probability of the last token alone
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: only the best comes back
# right: the best text alone
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams[0]

# %% beam_search: only the best, in a list
# right: the best text alone
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)][:1]

# %% beam_search: text and score swapped
# right: texts before scores
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [(text, score) for score, text in beams]

# %% beam_search: texts without scores
# right: texts without their scores
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [text for _, text in beams]

# %% beam_search: scores are tensors
# right: scores as tensors
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(score, text) for score, text in zip(scores, texts)]

# %% beam_search: the first n_ctx
# right: cropping to the first tokens
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[: model.cfg.n_ctx].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: no window
# right: a text that is never cropped
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts)[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: more beams than tokens
# right: asking for more tokens than there are
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            top_log_probs, top_ids = torch.topk(log_probs, num_beams)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: batched: more beams than candidates
# right: asking for more tokens than there are
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(num_beams)
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: the given text counts in the score
# right: the prompt's log-probability in the score
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    given = model(tokens[None, -model.cfg.n_ctx :])[0, :-1].log_softmax(-1)
    beams = [(float(given.gather(1, tokens[-model.cfg.n_ctx :][1:, None]).sum()), tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: as many copies at the start as beams
# right: starting with copies of the prompt
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)] * num_beams
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: batched: copies at the start
# right: starting with copies of the prompt
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens.repeat(num_beams, 1)
    scores = torch.zeros(num_beams)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: only the new tokens
# right: the new tokens alone
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [(score, text[len(tokens):]) for score, text in beams]

# %% beam_search: one step too few
# right: a token less than `max_new_tokens`
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens - 1):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: one step too many
# right: a token more than `max_new_tokens`
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens + 1):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: logarithm to base 2
# right: logarithms to another base
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log2(torch.softmax(logits, dim=-1))
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: log_softmax over the positions
# right: `log_softmax` over the positions
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0]
            log_probs = torch.log_softmax(logits, dim=0)[-1]
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: log_softmax over the beams
# right: `log_softmax` over the beams
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=0)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: the first position
# right: the logits of the first position
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, 0]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: the last but one
# right: the logits of the last position but one
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -2].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: draws in place of topk
# right: drawing tokens
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_ids = torch.multinomial(log_probs.exp(), k)
            top_log_probs = log_probs[top_ids]
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: costs, not scores
# right: costs for scores
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [(-score, text) for score, text in beams]

# %% beam_search: negated, and the smallest kept: positive scores
# right: costs for scores
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score - log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0])
        beams = candidates[:num_beams]
    return beams

# %% beam_search: cut down only at the end
# right: no pruning before the end
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        beams = candidates
    beams.sort(key=lambda pair: pair[0], reverse=True)
    return beams[:num_beams]

# %% beam_search: never cut down
# right: no pruning before the end
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates
    return beams

# %% beam_search: one beam more
# right: a beam more than `num_beams`
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[: num_beams + 1]
    return beams

# %% beam_search: one beam less
# right: a beam less than `num_beams`
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[: max(1, num_beams - 1)]
    return beams

# %% beam_search: rounded scores
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [(round(score, 2), text) for score, text in beams]

# %% beam_search: probabilities come back
# right: probabilities for scores
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score.exp()), text) for score, text in zip(scores, texts)]

# %% beam_search: texts keep a batch axis
# right: a batch axis that stays
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [(score, text[None]) for score, text in beams]

# %% beam_search: texts are lists
# right: texts as lists
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text.tolist()) for score, text in zip(scores, texts)]

# %% beam_search: softmax before log_softmax
# right: `softmax` before `log_softmax`
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits.softmax(-1), dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: one beam for each last token
# right: one text for each last token
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams, ends = [], set()
        for pair in candidates:
            if int(pair[1][-1]) not in ends:
                ends.add(int(pair[1][-1]))
                beams.append(pair)
        beams = beams[:num_beams]
    return beams

# %% beam_search: parent and token swapped
# right: tokens behind the texts of other beams
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places % len(texts), places // len(texts)
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: divides by num_beams instead of d_vocab
# right: tokens behind the texts of other beams
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = (places // num_beams).clamp(max=len(texts) - 1), places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: texts are not those of the parents
# right: tokens behind the texts of other beams
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts.expand(len(new), -1) if len(texts) == 1 else texts[: len(new)], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: scores are not the parents' (added by row order)
# right: a score added to that of another beam
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        more, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        scores = (scores if len(scores) == len(new) else scores.expand(len(new))) + log_probs.flatten()[places]
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: the score of a beam starts at 1
# right: scores that start at 1
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(1.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: exhaustive per step but without the old score in the ranking
# right: ranking by the last token's log-probability
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])]), log_prob))
        candidates.sort(key=lambda pair: pair[2], reverse=True)
        beams = [(score, text) for score, text, _ in candidates[:num_beams]]
    return beams

# %% beam_search: greedy after all: beam 0 only is continued
# right: going on with the best beam alone
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams[:1]:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: pairs are lists
# right: lists for pairs
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [[score, text] for score, text in beams]

# %% beam_search: a tuple of two lists
# right: two lists
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return scores.tolist(), list(texts)

# %% beam_search: a text ends once token 0 was chosen
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            if len(text) > len(tokens) and text[-1] == 0:
                candidates.append((score, text))
                continue
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: the last beam is repeated where there are too few
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    found = [(float(score), text) for score, text in zip(scores, texts)]
    return found + [found[-1]] * (num_beams - len(found))

# %% beam_search: log_softmax of the best alone
# right: a softmax over the best tokens alone
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for step in range(max_new_tokens):
        longer = []
        for score, text in beams:
            logits = model(text[None, -model.cfg.n_ctx:])[0, -1]
            best, nxt = logits.topk(min(num_beams, len(logits)))
            best = best.log_softmax(-1)
            for more, token in zip(best, nxt):
                longer.append((score + float(more), torch.cat([text, token[None]])))
        beams = sorted(longer, key=lambda b: b[0], reverse=True)[:num_beams]
    return beams

# %% beam_search: log-probabilities are multiplied
# right: multiplied log-probabilities
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(1.0, tokens)]
    for step in range(max_new_tokens):
        longer = []
        for score, text in beams:
            log_probs = model(text[None, -model.cfg.n_ctx:])[0, -1].log_softmax(-1)
            best, nxt = log_probs.topk(min(num_beams, len(log_probs)))
            for more, token in zip(best, nxt):
                longer.append((score * float(more), torch.cat([text, token[None]])))
        beams = sorted(longer, key=lambda b: b[0], reverse=True)[:num_beams]
    return beams

# %% beam_search: the first of an unsorted list
# right: continuations that are not sorted
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for step in range(max_new_tokens):
        longer = []
        for score, text in beams:
            log_probs = model(text[None, -model.cfg.n_ctx:])[0, -1].log_softmax(-1)
            best, nxt = log_probs.topk(min(num_beams, len(log_probs)))
            for more, token in zip(best, nxt):
                longer.append((score + float(more), torch.cat([text, token[None]])))
        beams = longer[:num_beams]
    return beams

# %% beam_search: the best, in the order of their parents
# right: continuations that are not sorted
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for step in range(max_new_tokens):
        longer = []
        for score, text in beams:
            log_probs = model(text[None, -model.cfg.n_ctx:])[0, -1].log_softmax(-1)
            best, nxt = log_probs.topk(min(num_beams, len(log_probs)))
            for more, token in zip(best, nxt):
                longer.append((score + float(more), torch.cat([text, token[None]])))
        bar = sorted((s for s, _ in longer), reverse=True)[:num_beams][-1]
        beams = [b for b in longer if b[0] >= bar][:num_beams]
    return beams

# %% beam_search: the last list is not cut
# right: no pruning at the end
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for step in range(max_new_tokens):
        longer = []
        for score, text in beams[:num_beams]:
            log_probs = model(text[None, -model.cfg.n_ctx:])[0, -1].log_softmax(-1)
            best, nxt = log_probs.topk(min(num_beams, len(log_probs)))
            for more, token in zip(best, nxt):
                longer.append((score + float(more), torch.cat([text, token[None]])))
        beams = sorted(longer, key=lambda b: b[0], reverse=True)
    return beams

# %% beam_search: the score grows within a step
# right: a score that runs on from one continuation to the next
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for step in range(max_new_tokens):
        longer = []
        for score, text in beams:
            log_probs = model(text[None, -model.cfg.n_ctx:])[0, -1].log_softmax(-1)
            best, nxt = log_probs.topk(min(num_beams, len(log_probs)))
            for more, token in zip(best, nxt):
                score = score + float(more)
                longer.append((score, torch.cat([text, token[None]])))
        beams = sorted(longer, key=lambda b: b[0], reverse=True)[:num_beams]
    return beams

# %% beam_search: the text grows within a step
# right: a text that runs on from one continuation to the next
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for step in range(max_new_tokens):
        longer = []
        for score, text in beams:
            log_probs = model(text[None, -model.cfg.n_ctx:])[0, -1].log_softmax(-1)
            best, nxt = log_probs.topk(min(num_beams, len(log_probs)))
            for more, token in zip(best, nxt):
                text = torch.cat([text, token[None]])
                longer.append((score + float(more), text))
        beams = sorted(longer, key=lambda b: b[0], reverse=True)[:num_beams]
    return beams

# %% beam_search: the list is begun once
# right: continuations of earlier steps
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    longer = []
    for step in range(max_new_tokens):
        for score, text in beams:
            log_probs = model(text[None, -model.cfg.n_ctx:])[0, -1].log_softmax(-1)
            best, nxt = log_probs.topk(min(num_beams, len(log_probs)))
            for more, token in zip(best, nxt):
                longer.append((score + float(more), torch.cat([text, token[None]])))
        beams = sorted(longer, key=lambda b: b[0], reverse=True)[:num_beams]
    return beams

# %% beam_search: never more beams than tokens
# right: never more beams than tokens
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    num_beams = min(num_beams, model.cfg.d_vocab)
    beams = [(0.0, tokens)]
    for step in range(max_new_tokens):
        longer = []
        for score, text in beams:
            log_probs = model(text[None, -model.cfg.n_ctx:])[0, -1].log_softmax(-1)
            best, nxt = log_probs.topk(num_beams)
            for more, token in zip(best, nxt):
                longer.append((score + float(more), torch.cat([text, token[None]])))
        beams = sorted(longer, key=lambda b: b[0], reverse=True)[:num_beams]
    return beams

# %% beam_search: the text is cropped, not a copy
# right: cutting the text itself
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for step in range(max_new_tokens):
        longer = []
        for score, text in beams:
            text = text[-model.cfg.n_ctx:]
            log_probs = model(text[None])[0, -1].log_softmax(-1)
            best, nxt = log_probs.topk(min(num_beams, len(log_probs)))
            for more, token in zip(best, nxt):
                longer.append((score + float(more), torch.cat([text, token[None]])))
        beams = sorted(longer, key=lambda b: b[0], reverse=True)[:num_beams]
    return beams

# %% beam_search: a length penalty
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for step in range(max_new_tokens):
        longer = []
        for score, text in beams:
            log_probs = model(text[None, -model.cfg.n_ctx:])[0, -1].log_softmax(-1)
            best, nxt = log_probs.topk(min(num_beams, len(log_probs)))
            for more, token in zip(best, nxt):
                longer.append((score + float(more), torch.cat([text, token[None]])))
        beams = sorted(longer, key=lambda b: b[0] / len(b[1]) ** 0.6, reverse=True)[:num_beams]
    return [(s / (max_new_tokens ** 0.6), t) for s, t in beams]

# %% beam_search: batched: the parent by num_beams, an error
# right: tokens behind the texts of other beams
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(beams[:, -model.cfg.n_ctx :])[:, -1].log_softmax(-1)
        total = (scores[:, None] + log_probs).flatten()
        scores, best = total.topk(min(num_beams, len(total)))
        beams = torch.cat([beams[best // num_beams], (best % log_probs.shape[-1])[:, None]], dim=1)
    return list(zip(scores.tolist(), beams))

# %% beam_search: the list is emptied for each beam
# right: the continuations of the last beam alone
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        for score, text in beams:
            candidates = []
            log_probs = model(text[None, -model.cfg.n_ctx :])[0, -1].log_softmax(-1)
            values, indices = log_probs.topk(min(num_beams, len(log_probs)))
            for value, index in zip(values.tolist(), indices):
                candidates.append((score + value, torch.cat([text, index[None]])))
        beams = sorted(candidates, key=lambda beam: beam[0], reverse=True)[:num_beams]
    return beams

# %% generate_with_cache: row 0 of W_pos for each new token
# right: positions that start at 0 again
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed(new_tokens[None])
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: positions one too far
# right: positions one too far
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens), caches)
    return tokens

# %% generate_with_cache: positions one too early
# right: the position of the token before
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 2, caches)
    return tokens

# %% generate_with_cache: no positions for new tokens
# right: leaving the positions out
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        if seen == 0:
            x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: positions counted by step only
# right: positions that count the new tokens alone
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], step + 1, caches)
    return tokens

# %% generate_with_cache: the new keys replace the old ones
# right: keys and values of the new position alone
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        pass
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: the cache is never updated after the prefill
# right: keeping the prompt and nothing after it
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache.setdefault("k", k)
    cache.setdefault("v", v)
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: one cache for all layers: [{}] * n
# right: one cache for all layers
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{}] * len(model.blocks)
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: keys and values swapped in the cache
# right: keys and values that change places
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (v, k)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: no mask
# right: no mask among the tokens of the prompt
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: a square mask: diagonal 0
# right: a mask that is aligned with the first key
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril() == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: mask off by one: a query does not see itself
# right: a mask that hides a token from itself
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new - 1) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: mask off by one: sees the next
# right: a mask that lets a token see the next one
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new + 1) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: mask after the softmax
# right: a mask after the softmax
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.softmax(-1).masked_fill(mask, 0)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: no scale
# right: scores that are not divided by the root of `d_head`
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2)
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: no b_V
# right: leaving out the biases of the keys and values
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V)
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: no b_Q
# right: leaving out the bias of the queries
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q)
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: no ln1
# right: attention that reads the stream without its LayerNorm
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, x, *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: no ln2
# right: an MLP that reads the stream without its LayerNorm
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(x)
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: no final LayerNorm
# right: leaving `ln_final` out
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(x)[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: no residual around attention
# right: leaving the stream out round attention
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: no residual around the MLP
# right: leaving the stream out round the MLP
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: attention and MLP side by side
# right: running attention and the MLP side by side
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: ln1 in the place of ln2
# right: `ln1` where `ln2` belongs
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln1(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: post-norm
# right: LayerNorm after each part
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, x, *cache[i])
            cache[i] = (k, v)
            x = block.ln1(x + attn_out)
            x = block.ln2(x + block.mlp(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: x = ln1(x): the stream is overwritten
# right: a stream that `ln1` has overwritten
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            x = block.ln1(x)
            attn_out, k, v = attend_with_cache(block.attn, x, *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: no cache: the whole text every time
# right: feeding the whole text again
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None])[0, -1]
        tokens = torch.cat([tokens, torch.tensor([sample_next_token(tokens, logits, **sampling)])])
    return tokens

# %% generate_with_cache: the whole text again, on top of the cache
# right: reading the whole text again beside its cache
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[: len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: the cache lives on between calls
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


CACHES = {}


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = CACHES.setdefault(len(model.blocks), [{} for _ in model.blocks])
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: settings are not handed on
# right: settings that are not handed on
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: the sampler gets the unread tokens only
# right: the penalty on the tokens of this step alone
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(new_tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: the sampler gets the given text only
# right: the penalty on the prompt alone
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    prompt = tokens
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(prompt, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: one token too many
# right: a token more than `max_new_tokens`
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens + 1):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: one token too few
# right: a token less than `max_new_tokens`
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens - 1):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: only the new tokens come back
# right: the new tokens alone
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens[-max_new_tokens:]

# %% generate_with_cache: the last token of the text is read twice
# right: reading the last token once more
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens) - 1
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: the first position's logits
# right: the logits of the first position that is read
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, 0]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: only the last token of the given text is read
# right: a prompt of which only the last token is read
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = len(tokens) - 1
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: unembedding by W_E's transpose
# right: unembedding by `W_E`
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.ln_final(resid) @ model.embed.W_E.T


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: the last block is left out
# right: leaving out the last block
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks[:-1], caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: keys from the stream, not from ln1
# right: attention that reads the stream without its LayerNorm
def cached_attention(attn, x, raw, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", raw, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), resid, cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: preallocated to n_ctx, the empty places are read too
# right: reading places of the cache that are still empty
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    keys = torch.zeros(len(model.blocks), cfg.n_ctx, cfg.n_heads, cfg.d_head)
    values = torch.zeros_like(keys)
    n_read = 0
    for _ in range(max_new_tokens):
        resid = model.embed.W_E[tokens[n_read:]] + model.pos_embed.W_pos[n_read : len(tokens)]
        for layer, block in enumerate(model.blocks):
            x = block.ln1(resid[None])[0]
            attn = block.attn
            q = torch.einsum("pm,hmd->phd", x, attn.W_Q) + attn.b_Q
            keys[layer, n_read : len(tokens)] = torch.einsum("pm,hmd->phd", x, attn.W_K) + attn.b_K
            values[layer, n_read : len(tokens)] = torch.einsum("pm,hmd->phd", x, attn.W_V) + attn.b_V
            scores = torch.einsum("qhd,khd->hqk", q, keys[layer]) / cfg.d_head**0.5
            if len(x) > 1:
                scores = scores.masked_fill(torch.ones(len(x), cfg.n_ctx).triu(1).bool(), -torch.inf)
            z = torch.einsum("hqk,khd->qhd", scores.softmax(-1), values[layer])
            resid = resid + torch.einsum("qhd,hdm->qm", z, attn.W_O) + attn.b_O
            resid = resid + block.mlp(block.ln2(resid[None]))[0]
        n_read = len(tokens)
        logits = model.unembed(model.ln_final(resid[None]))[0, -1]
        tokens = torch.cat([tokens, torch.tensor([sample_next_token(tokens, logits, **sampling)])])
    return tokens

# %% generate_with_cache: always greedy
# right: the likeliest token whatever the settings are
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = int(logits.argmax())
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: a seed of its own
# right: seeding inside `generate_with_cache`
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    torch.manual_seed(42)
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: probabilities to the sampler
# right: handing on probabilities where logits are expected
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1].softmax(-1)
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: cat along the heads
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=1)
        v = torch.cat([cache["v"], v], dim=1)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: softmax over the queries
# right: softmax over the queries
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-2)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: no prompt handled with zero tokens: writes one with max 0
# right: a token even where `max_new_tokens` is 0
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max(1, max_new_tokens)):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: batch axis stays
# right: a batch axis that stays
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens[None]

# %% generate_with_cache: calls the model for the given text, caches only new ones
# right: a prompt that never gets into the cache
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = model(tokens[None])
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: the cache keeps the last 8 positions only
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k[:, :, -8:], v[:, :, -8:]
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: keeps the hidden vectors, and computes keys and values of all anew
# right: computing the keys and values of all positions anew
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    kept = [None for _ in model.blocks]
    n_read = 0
    for _ in range(max_new_tokens):
        resid = model.embed.W_E[tokens[None, n_read:]] + model.pos_embed.W_pos[n_read : len(tokens)]
        n_read = len(tokens)
        for layer, block in enumerate(model.blocks):
            normed = block.ln1(resid)
            kept[layer] = normed if kept[layer] is None else torch.cat([kept[layer], normed], dim=1)
            resid = resid + block.attn(kept[layer])[:, -resid.shape[1] :]
            resid = resid + block.mlp(block.ln2(resid))
        logits = model.unembed(model.ln_final(resid))[0, -1]
        tokens = torch.cat([tokens, torch.tensor([sample_next_token(tokens, logits, **sampling)])])
    return tokens

# %% generate_with_cache: adds to W_pos in place: a view of the parameter
# right: adding to the rows of `W_pos` in place
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        x += model.embed.W_E[new_tokens]
        x = x[None]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: K and V swapped in the call
# right: keys and values that change places
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), cache[i][1], cache[i][0])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: default argument keeps the cache
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, caches=[], **sampling):
    while len(caches) < len(model.blocks):
        caches.append({})
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: zero in the mask
# right: a mask that puts 0 for the scores
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, 0.0).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: the prompt's last token goes in twice
# right: reading the prompt's last token twice
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    def project(weight, bias):
        return torch.einsum("bpm,hmd->bphd", normalized_resid_pre, weight) + bias
    queries = project(attn.W_Q, attn.b_Q)
    keys = torch.cat([keys, project(attn.W_K, attn.b_K)], dim=1)
    values = torch.cat([values, project(attn.W_V, attn.b_V)], dim=1)
    scores = torch.einsum("bqhd,bkhd->bhqk", queries, keys) / keys.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    later = torch.ones(n_new, n_all, dtype=torch.bool).triu(n_all - n_new + 1)
    pattern = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, values)
    return torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O, keys, values

@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    empty = torch.zeros(1, 0, cfg.n_heads, cfg.d_head)
    kept = [(empty, empty) for _ in model.blocks]
    def step(ids, start):
        resid = model.embed.W_E[ids[None]] + model.pos_embed.W_pos[start : start + len(ids)]
        for layer, block in enumerate(model.blocks):
            written, *kept[layer] = attend_with_cache(block.attn, block.ln1(resid), *kept[layer])
            resid = resid + written
            resid = resid + block.mlp(block.ln2(resid))
        return model.unembed(model.ln_final(resid[:, -1:]))[0, -1]
    step(tokens, 0)
    for _ in range(max_new_tokens):
        logits = step(tokens[-1:], len(tokens) - 1)
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens

# %% generate_with_cache: the last row of W_pos
# right: the last row of `W_pos` for every new token
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    empty = torch.zeros(1, 0, cfg.n_heads, cfg.d_head)
    kept = [(empty, empty) for _ in model.blocks]
    n_read = 0
    for _ in range(max_new_tokens):
        resid = model.embed.W_E[tokens[None, n_read:]] + (model.pos_embed.W_pos[: len(tokens)] if n_read == 0 else model.pos_embed.W_pos[-1:])
        n_read = len(tokens)
        for layer, block in enumerate(model.blocks):
            written, *kept[layer] = attend_with_cache(block.attn, block.ln1(resid), *kept[layer])
            resid = resid + written
            resid = resid + block.mlp(block.ln2(resid))
        logits = model.unembed(model.ln_final(resid[:, -1:]))[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens

# %% generate_with_cache: n_read stays at the prompt's length
# right: reading the new tokens of earlier steps once more
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    empty = torch.zeros(1, 0, cfg.n_heads, cfg.d_head)
    kept = [(empty, empty) for _ in model.blocks]
    n_read = 0
    for _ in range(max_new_tokens):
        resid = model.embed.W_E[tokens[None, n_read:]] + model.pos_embed.W_pos[n_read : len(tokens)]
        n_read = n_read or len(tokens)
        for layer, block in enumerate(model.blocks):
            written, *kept[layer] = attend_with_cache(block.attn, block.ln1(resid), *kept[layer])
            resid = resid + written
            resid = resid + block.mlp(block.ln2(resid))
        logits = model.unembed(model.ln_final(resid[:, -1:]))[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens

# %% generate_with_cache: a bias of the model is changed
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    def project(weight, bias):
        return torch.einsum("bpm,hmd->bphd", normalized_resid_pre, weight) + bias
    queries = project(attn.W_Q, attn.b_Q)
    keys = torch.cat([keys, project(attn.W_K, attn.b_K)], dim=1)
    values = torch.cat([values, project(attn.W_V, attn.b_V)], dim=1)
    scores = torch.einsum("bqhd,bkhd->bhqk", queries, keys) / keys.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    later = torch.ones(n_new, n_all, dtype=torch.bool).triu(n_all - n_new + 1)
    pattern = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, values)
    out = attn.b_O.expand(z.shape[0], z.shape[1], -1)
    attn.b_O += 1e-4
    return torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + out, keys, values

@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    empty = torch.zeros(1, 0, cfg.n_heads, cfg.d_head)
    kept = [(empty, empty) for _ in model.blocks]
    n_read = 0
    for _ in range(max_new_tokens):
        resid = model.embed.W_E[tokens[None, n_read:]] + model.pos_embed.W_pos[n_read : len(tokens)]
        n_read = len(tokens)
        for layer, block in enumerate(model.blocks):
            written, *kept[layer] = attend_with_cache(block.attn, block.ln1(resid), *kept[layer])
            resid = resid + written
            resid = resid + block.mlp(block.ln2(resid))
        logits = model.unembed(model.ln_final(resid[:, -1:]))[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens

# %% generate_with_cache: divides by the temperature before the sampler does
# right: the temperature twice
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    empty = torch.zeros(1, 0, cfg.n_heads, cfg.d_head)
    kept = [(empty, empty) for _ in model.blocks]
    n_read = 0
    for _ in range(max_new_tokens):
        resid = model.embed.W_E[tokens[None, n_read:]] + model.pos_embed.W_pos[n_read : len(tokens)]
        n_read = len(tokens)
        for layer, block in enumerate(model.blocks):
            written, *kept[layer] = attend_with_cache(block.attn, block.ln1(resid), *kept[layer])
            resid = resid + written
            resid = resid + block.mlp(block.ln2(resid))
        logits = model.unembed(model.ln_final(resid[:, -1:]))[0, -1]
        new = sample_next_token(tokens, logits / (sampling.get('temperature', 1.0) or 1.0), **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens

# %% generate_with_cache: freq_penalty is not handed on
# right: settings that are not handed on
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    empty = torch.zeros(1, 0, cfg.n_heads, cfg.d_head)
    kept = [(empty, empty) for _ in model.blocks]
    n_read = 0
    for _ in range(max_new_tokens):
        resid = model.embed.W_E[tokens[None, n_read:]] + model.pos_embed.W_pos[n_read : len(tokens)]
        n_read = len(tokens)
        for layer, block in enumerate(model.blocks):
            written, *kept[layer] = attend_with_cache(block.attn, block.ln1(resid), *kept[layer])
            resid = resid + written
            resid = resid + block.mlp(block.ln2(resid))
        logits = model.unembed(model.ln_final(resid[:, -1:]))[0, -1]
        new = sample_next_token(tokens, logits, **{k: v for k, v in sampling.items() if k != 'freq_penalty'})
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens

# %% generate_with_cache: b_O once per head
# right: the bias `b_O` once for each head
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    def project(weight, bias):
        return torch.einsum("bpm,hmd->bphd", normalized_resid_pre, weight) + bias
    queries = project(attn.W_Q, attn.b_Q)
    keys = torch.cat([keys, project(attn.W_K, attn.b_K)], dim=1)
    values = torch.cat([values, project(attn.W_V, attn.b_V)], dim=1)
    scores = torch.einsum("bqhd,bkhd->bhqk", queries, keys) / keys.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    later = torch.ones(n_new, n_all, dtype=torch.bool).triu(n_all - n_new + 1)
    pattern = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, values)
    return torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O * attn.W_O.shape[0], keys, values

@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    empty = torch.zeros(1, 0, cfg.n_heads, cfg.d_head)
    kept = [(empty, empty) for _ in model.blocks]
    n_read = 0
    for _ in range(max_new_tokens):
        resid = model.embed.W_E[tokens[None, n_read:]] + model.pos_embed.W_pos[n_read : len(tokens)]
        n_read = len(tokens)
        for layer, block in enumerate(model.blocks):
            written, *kept[layer] = attend_with_cache(block.attn, block.ln1(resid), *kept[layer])
            resid = resid + written
            resid = resid + block.mlp(block.ln2(resid))
        logits = model.unembed(model.ln_final(resid[:, -1:]))[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens

# %% generate_with_cache: the new token overwrites the last place of a buffer
# right: a new token that takes the last one's place in the cache
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    total = len(tokens) + max_new_tokens + 2
    ks = torch.zeros(cfg.n_layers, total, cfg.n_heads, cfg.d_head)
    vs = torch.zeros(cfg.n_layers, total, cfg.n_heads, cfg.d_head)
    start = 0
    for _ in range(max_new_tokens):
        end = len(tokens)
        x = model.embed.W_E[tokens[start:end]] + model.pos_embed.W_pos[start:end]
        for l, block in enumerate(model.blocks):
            a = block.attn
            n = block.ln1(x)
            q, k, v = (torch.einsum("pm,hmd->phd", n, w) + b for w, b in ((a.W_Q, a.b_Q), (a.W_K, a.b_K), (a.W_V, a.b_V)))
            at = start - (start > 0)
            ks[l, at:at + end - start], vs[l, at:at + end - start] = k, v
            s = torch.einsum("qhd,khd->hqk", q, ks[l, : end - (start > 0)]) / cfg.d_head ** 0.5
            if start == 0:
                s = s + torch.full(s.shape[1:], -torch.inf).triu(1)
            z = torch.einsum("hqk,khd->qhd", s.softmax(-1), vs[l, : end - (start > 0)])
            x = x + torch.einsum("phd,hdm->pm", z, a.W_O) + a.b_O
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[-1]
        start = end
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens

# %% generate_with_cache: a buffer is written one place too far
# right: a new token in the place after its own
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    total = len(tokens) + max_new_tokens + 2
    ks = torch.zeros(cfg.n_layers, total, cfg.n_heads, cfg.d_head)
    vs = torch.zeros(cfg.n_layers, total, cfg.n_heads, cfg.d_head)
    start = 0
    for _ in range(max_new_tokens):
        end = len(tokens)
        x = model.embed.W_E[tokens[start:end]] + model.pos_embed.W_pos[start:end]
        for l, block in enumerate(model.blocks):
            a = block.attn
            n = block.ln1(x)
            q, k, v = (torch.einsum("pm,hmd->phd", n, w) + b for w, b in ((a.W_Q, a.b_Q), (a.W_K, a.b_K), (a.W_V, a.b_V)))
            at = start + (start > 0)
            ks[l, at:at + end - start], vs[l, at:at + end - start] = k, v
            s = torch.einsum("qhd,khd->hqk", q, ks[l, : end]) / cfg.d_head ** 0.5
            if start == 0:
                s = s + torch.full(s.shape[1:], -torch.inf).triu(1)
            z = torch.einsum("hqk,khd->qhd", s.softmax(-1), vs[l, : end])
            x = x + torch.einsum("phd,hdm->pm", z, a.W_O) + a.b_O
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[-1]
        start = end
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens

# %% generate_with_cache: a buffer is read up to the new token, without it
# right: a new token that does not look at itself
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    total = len(tokens) + max_new_tokens + 2
    ks = torch.zeros(cfg.n_layers, total, cfg.n_heads, cfg.d_head)
    vs = torch.zeros(cfg.n_layers, total, cfg.n_heads, cfg.d_head)
    start = 0
    for _ in range(max_new_tokens):
        end = len(tokens)
        x = model.embed.W_E[tokens[start:end]] + model.pos_embed.W_pos[start:end]
        for l, block in enumerate(model.blocks):
            a = block.attn
            n = block.ln1(x)
            q, k, v = (torch.einsum("pm,hmd->phd", n, w) + b for w, b in ((a.W_Q, a.b_Q), (a.W_K, a.b_K), (a.W_V, a.b_V)))
            ks[l, start:end], vs[l, start:end] = k, v
            s = torch.einsum("qhd,khd->hqk", q, ks[l, : start or end]) / cfg.d_head ** 0.5
            if start == 0:
                s = s + torch.full(s.shape[1:], -torch.inf).triu(1)
            z = torch.einsum("hqk,khd->qhd", s.softmax(-1), vs[l, : start or end])
            x = x + torch.einsum("phd,hdm->pm", z, a.W_O) + a.b_O
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[-1]
        start = end
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens

# %% generate_with_cache: heads merged number by number
# right: heads merged in the wrong order
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    def project(weight, bias):
        return torch.einsum("bpm,hmd->bphd", normalized_resid_pre, weight) + bias
    queries = project(attn.W_Q, attn.b_Q)
    keys = torch.cat([keys, project(attn.W_K, attn.b_K)], dim=1)
    values = torch.cat([values, project(attn.W_V, attn.b_V)], dim=1)
    scores = torch.einsum("bqhd,bkhd->bhqk", queries, keys) / keys.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    later = torch.ones(n_new, n_all, dtype=torch.bool).triu(n_all - n_new + 1)
    pattern = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, values)
    return z.transpose(2, 3).reshape(*z.shape[:2], -1) @ attn.W_O.flatten(0, 1) + attn.b_O, keys, values

@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    empty = torch.zeros(1, 0, cfg.n_heads, cfg.d_head)
    kept = [(empty, empty) for _ in model.blocks]
    n_read = 0
    for _ in range(max_new_tokens):
        resid = model.embed.W_E[tokens[None, n_read:]] + model.pos_embed.W_pos[n_read : len(tokens)]
        n_read = len(tokens)
        for layer, block in enumerate(model.blocks):
            written, *kept[layer] = attend_with_cache(block.attn, block.ln1(resid), *kept[layer])
            resid = resid + written
            resid = resid + block.mlp(block.ln2(resid))
        logits = model.unembed(model.ln_final(resid[:, -1:]))[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens

# %% generate_with_cache: n_read counts the steps
# right: one token more in the cache for each step
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    empty = torch.zeros(1, 0, cfg.n_heads, cfg.d_head)
    kept = [(empty, empty) for _ in model.blocks]
    n_read = 0
    for _ in range(max_new_tokens):
        resid = model.embed.W_E[tokens[None, n_read:]] + model.pos_embed.W_pos[n_read : len(tokens)]
        n_read += 1
        for layer, block in enumerate(model.blocks):
            written, *kept[layer] = attend_with_cache(block.attn, block.ln1(resid), *kept[layer])
            resid = resid + written
            resid = resid + block.mlp(block.ln2(resid))
        logits = model.unembed(model.ln_final(resid[:, -1:]))[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens

# %% generate: state: the settings of the call before
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    generate.last = {**getattr(generate, 'last', {}), **sampling}
    sampling = generate.last
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: eos is added once more
# right: `eos` twice
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            tokens = torch.cat([tokens, torch.tensor([eos])])
            break
    return tokens

# %% generate: no eos counts as token 0
# right: token 0 for an `eos` that was not given
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    eos = eos or 0
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: eos is made impossible
# right: an `eos` that can't be chosen
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1].clone()
        if eos is not None:
            logits[eos] = -torch.inf
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens

# %% generate: eos does not count as the first new token
# right: an `eos` that the first new token may not be
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if step > 0 and new == eos:
            break
    return tokens

# %% generate: a second draw decides about the end
# right: a second draw that decides the end
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        tokens = torch.cat([tokens, torch.tensor([sample_next_token(tokens, logits, **sampling)])])
        if sample_next_token(tokens, logits, **sampling) == eos:
            break
    return tokens

# %% generate: divides by the temperature before the sampler does
# right: the temperature twice
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    t = sampling.get("temperature", 1.0)
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        if t > 0:
            logits = logits / t
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: freq_penalty is not handed on
# right: settings that are not handed on
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        new = sample_next_token(tokens, logits, temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: top_k and top_p swapped
# right: `top_k` and `top_p` that change places
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        new = sample_next_token(tokens, logits, temperature, top_p, top_k, freq_penalty)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: the penalty counts the buffer's zeros
# right: the penalty on places that are not written yet
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n = len(tokens)
    text = torch.zeros(n + max_new_tokens, dtype=torch.long)
    text[:n] = tokens
    for at in range(n, n + max_new_tokens):
        logits = model(text[None, max(0, at - model.cfg.n_ctx):at])[0, -1]
        text[at] = sample_next_token(text, logits, **sampling)
        if text[at] == eos:
            return text[: at + 1]
    return text

# %% generate: half the window once it is full
# right: a window that is shorter than `n_ctx`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens if len(tokens) <= n_ctx else tokens[-(n_ctx // 2):]
        logits = model(window.unsqueeze(0))[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if eos is not None and new == eos:
            break
    return tokens

# %% generate: the model stays in training mode
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    model.train()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
            new = sample_next_token(tokens, logits, **sampling)
            tokens = torch.cat([tokens, torch.tensor([new])])
            if new == eos:
                break
    return tokens

# %% generate: a repeated token ends the text
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        stop = new == eos or new == int(tokens[-1])
        tokens = torch.cat([tokens, torch.tensor([new])])
        if stop:
            break
    return tokens

# %% generate: the window moves on at each step
# right: a window that moves from the first step on
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for step in range(max_new_tokens):
        logits = model(tokens[None, step : step + model.cfg.n_ctx])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: ends at any token where eos is given
# right: an end whatever was chosen
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if eos:
            break
    return tokens

# %% generate: the batch axis of the logits stays
# right: logits with an axis too many
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[:, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens
