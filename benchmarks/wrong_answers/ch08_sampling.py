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
