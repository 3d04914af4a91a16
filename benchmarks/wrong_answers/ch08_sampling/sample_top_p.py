"""Wrong answers to chapter 8's `sample_top_p`, whole or as edits: benchmarks/answers.py says how."""

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
# like: the place
~ sample_basic(ranked[:n]) → int(tokens[torch.randint(n, (1,))])

# %% sample_top_p: the sorted mask on the unsorted logits
# right: a mask of sorted tokens laid over unsorted logits
# like: masked with 0
-    return int(tokens[sample_basic(ranked.masked_fill(remove, 0.0))])
+    return sample_basic(logits.masked_fill(remove, float("-inf")))

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

# %% sample_top_p: each probability in the place of the sum
# right: single probabilities compared with `top_p`
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    probs, tokens = logits.softmax(-1).sort(descending=True)
    mass, n = 0.0, 0
    for p in probs.tolist():
        if mass >= top_p and n >= min_tokens_to_keep:
            break
        mass = p
        n += 1
    return int(tokens[torch.multinomial(probs[:n], 1)])

# %% sample_top_p: a share of the best probability (min-p)
# right: a share of the best probability
# like: one minus p
~ probs.cumsum(-1) - probs < 1 - top_p → probs >= top_p * probs[0]

# %% sample_top_p: softmax of the probabilities in the draw
# right: softmax taken twice
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    probs, tokens = logits.softmax(-1).sort(descending=True)
    n = max(int((probs.cumsum(-1) - probs < top_p).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(probs[:n])])

# %% sample_top_p: the first sum is not reset after roll
# right: a nucleus without the token that crosses `top_p`
# like: running sums of the logits
~ cumsum(-1) - ranked → softmax(-1).cumsum(-1).roll(1)

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
# like: the place
~ sample_basic(ranked[:n]) → tokens[sample_basic(ranked[:n])]

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
# like: the place
~ sample_basic(ranked[:n]) → int(tokens[torch.multinomial(ranked[:n].clamp(min=1e-6), 1)])

# %% sample_top_p: no default for min_tokens_to_keep
# like: nothing is left at p = 0
~ min_tokens_to_keep=0 → min_tokens_to_keep

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

# %% sample_top_p: roll without the zero at the front
# right: a nucleus without the token that crosses `top_p`
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    vals, toks = logits.sort(descending=True)
    before = vals.softmax(-1).cumsum(-1).roll(1)
    n_kept = max(int((before < top_p).sum()), min_tokens_to_keep)
    return int(toks[sample_basic(vals[:n_kept])])

# %% sample_top_p: softmax twice and the rank returned (two mistakes)
# right: the rank instead of the token
# right: softmax taken twice
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    sorted_probs = logits.softmax(-1).sort(descending=True).values
    n = int(torch.searchsorted(sorted_probs.cumsum(-1), top_p)) + 1
    n = max(n, min_tokens_to_keep)
    return sample_basic(sorted_probs[:n])

# %% sample_top_p: sums above top_p counted
# right: as many tokens as lie beyond `top_p`
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tok = logits.sort(descending=True)
    c = ranked.softmax(-1).cumsum(-1)
    n = int((c > top_p).sum())
    n = max(n, min_tokens_to_keep)
    return int(tok[sample_basic(ranked[:n])])

# %% sample_top_p: a comparison handed to max, and not its sum
def sample_top_p(logits, top_p, min_tokens_to_keep=1):
    ranked, tok = logits.sort(descending=True)
    p = ranked.softmax(-1)
    before = p.cumsum(-1) - p
    n = max(before < top_p, min_tokens_to_keep)
    return int(tok[sample_basic(ranked[:n])])
