"""Wrong answers to chapter 8's `sample_top_k`, whole or as edits: benchmarks/answers.py says how."""

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

# %% sample_top_k: argsort upwards, first k
# right: the k least likely tokens
def sample_top_k(logits, k):
    order = torch.argsort(logits)[:k]
    return order[sample_basic(logits[order])].item()

# %% sample_top_k: argsort compared with k, as if it gave ranks
# right: `argsort` taken for ranks
def sample_top_k(logits, k):
    ranks = logits.argsort(descending=True)
    masked = logits.masked_fill(ranks >= k, float("-inf"))
    return sample_basic(masked)

# %% sample_top_k: `.index` of topk, and not `.indices`
def sample_top_k(logits, k):
    top = logits.topk(k)
    return int(top.index[sample_basic(top.values)])

# %% sample_top_k: GPT-2's k = 40 written in
def sample_top_k(logits, k=40):
    v, i = torch.topk(logits, 40)
    return int(i[sample_basic(v)])

# %% sample_top_k: a threshold one further down the sorted list
# right: one token too many
def sample_top_k(logits, k):
    probs = logits.softmax(-1)
    kth = probs.sort(descending=True).values[k]
    probs[probs < kth] = 0
    return int(torch.multinomial(probs, 1))
