"""Wrong answers to chapter 8's `sample_next_token`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError("Both top_k and top_p are given: choose one of the two.")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)

# %% sample_next_token: the temperature before the penalty
# right: the temperature before the penalty
# like: right
-        raise ValueError("Both top_k and top_p are given: choose one of the two.")
-    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
+        raise ValueError("choose one")
~ greedy(logits) → greedy(apply_frequency_penalty(input_ids, logits, freq_penalty))
     logits = apply_temperature(logits, temperature)
+    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)

# %% sample_next_token: greedy before the penalty
# right: greedy before the penalty
# like: right
-        raise ValueError("Both top_k and top_p are given: choose one of the two.")
-    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
+        raise ValueError("choose one")
     if temperature == 0:
         return greedy(logits)
+    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)

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
# like: right
-    if top_k and top_p:
-        raise ValueError("Both top_k and top_p are given: choose one of the two.")
+    assert not (top_k and top_p), "choose one"

# %% sample_next_token: the error only after temperature 0
# right: an error that greedy never reaches
# like: right
-    if top_k and top_p:
-        raise ValueError("Both top_k and top_p are given: choose one of the two.")
...
         return greedy(logits)
+    if top_k and top_p:
+        raise ValueError("choose one")

# %% sample_next_token: "or" in the place of "and"
# like: right
~ and top_p: → or top_p:
~ "Both top_k and top_p are given: choose one of the two." → "choose one"

# %% sample_next_token: the error is returned
# right: a ValueError that is returned
# like: right
-        raise ValueError("Both top_k and top_p are given: choose one of the two.")
+        return ValueError("choose one")

# %% sample_next_token: no penalty
# right: the penalty left out
# like: right
-        raise ValueError("Both top_k and top_p are given: choose one of the two.")
-    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
+        raise ValueError("choose one")

# %% sample_next_token: the tempered logits are thrown away
# right: the temperature left out
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "choose one"
~ logits = apply_temperature → apply_temperature

# %% sample_next_token: the penalised logits are thrown away
# right: the penalty left out
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "choose one"
~ logits = apply_frequency_penalty → apply_frequency_penalty

# %% sample_next_token: temperature 0 not treated
# right: dividing by a temperature of 0
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "choose one"
-    if temperature == 0:
-        return greedy(logits)

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
# like: right
~ 1.0 → 0.7
~ "Both top_k and top_p are given: choose one of the two." → "choose one"

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
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "choose one"
~ return sample_basic → sample_basic

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
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "choose one"
~ == 0 → < 1

# %% sample_next_token: the temperature only for plain drawing
# right: a temperature for plain drawing alone
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "choose one"
-    logits = apply_temperature(logits, temperature)
~ sample_basic(logits) → sample_basic(apply_temperature(logits, temperature))

# %% sample_next_token: the caller's logits are changed
# right: a penalty taken off in place
# like: right
-        raise ValueError("Both top_k and top_p are given: choose one of the two.")
-    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
+        raise ValueError("choose one")
+    for token in input_ids:
+        logits[token] -= freq_penalty
~ apply_temperature(logits, temperature) → logits / temperature

# %% sample_next_token: presence in the place of frequency
# right: a penalty for being there, however often
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "choose one"
~ , logits, freq_penalty → .unique(), logits, freq_penalty

# %% sample_next_token: top_p in sample_top_k's place
# right: `top_k` passed over
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "choose one"
~ sample_top_k → sample_top_p
~ sample_top_p → sample_top_k

# %% sample_next_token: the last token is not penalised
# right: a token of the text that does not count
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "choose one"
~ , logits, freq_penalty → [:-1], logits, freq_penalty

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
# like: right
-        raise ValueError("Both top_k and top_p are given: choose one of the two.")
-    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
+        raise ValueError("choose one")
~ greedy(logits) → greedy(apply_frequency_penalty(input_ids, logits, freq_penalty))

# %% sample_next_token: the temperature twice
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "choose one"
~ sample_basic(logits) → sample_basic(apply_temperature(logits, temperature))

# %% sample_next_token: a negative penalty is ignored
# right: a penalty below 0 passed over
# like: right
-        raise ValueError("Both top_k and top_p are given: choose one of the two.")
-    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
+        raise ValueError("not both")
+    if freq_penalty > 0:
+        logits = apply_frequency_penalty(input_ids, logits, freq_penalty)

# %% sample_next_token: top_p before top_k in the signature
# right: `top_p` in front of `top_k`
# like: right
~ top_k=0, top_p=0.0 → top_p=0.0, top_k=0
~ "Both top_k and top_p are given: choose one of the two." → "not both"

# %% sample_next_token: a top_k of 1 cuts nothing
# right: a `top_k` of 1 passed over
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "not both"
~ top_k: → top_k > 1:

# %% sample_next_token: two tokens kept at least
# right: two tokens kept at least
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "not both"
~ logits, top_p → logits, top_p, 2

# %% sample_next_token: a top_p of 1 by default, and 0 is one that cuts
# like: right
~ top_p=0 → top_p=1
~ and top_p: → and top_p < 1:
~ "Both top_k and top_p are given: choose one of the two." → "not both"
~ if top_p → if top_p < 1

# %% sample_next_token: greedy only where nothing is cut
# right: a temperature of 0 passed over
# like: a temperature of 0 becomes 1
~ choose one → not both
~ temperature: → temperature > 0:
         return sample_top_p(logits, top_p)
+    if temperature == 0:
+        return greedy(logits)

# %% sample_next_token: probabilities to the samplers
# right: probabilities handed to the samplers
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "not both"
-    logits = apply_temperature(logits, temperature)
+    probs = apply_temperature(logits, temperature).softmax(-1)
~ logits, top_k → probs, top_k
~ logits, top_p → probs, top_p
~ sample_basic(logits) → sample_basic(probs)

# %% sample_next_token: minus the penalty
# right: the penalty added
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "not both"
~ logits, freq_penalty → logits, -freq_penalty

# %% sample_next_token: a penalty of 0.5 by default
# right: a penalty of its own where none is given
# like: right
~ freq_penalty=0.0 → freq_penalty=0.5
~ "Both top_k and top_p are given: choose one of the two." → "not both"

# %% sample_next_token: both results dropped
# right: neither penalty nor temperature
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "choose one of top_k and top_p"
~ logits = apply_frequency_penalty → apply_frequency_penalty
~ logits = apply_temperature → apply_temperature

# %% sample_next_token: the temperature for the cuts alone
# right: a temperature for the cuts alone
# like: right
~ ("Both top_k and top_p are given: choose one of the two.") →
-    logits = apply_temperature(logits, temperature)
+    if top_k or top_p:
+        logits = apply_temperature(logits, temperature)

# %% sample_next_token: the penalty over the length of the text
# right: shares in the place of counts
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "not both"
~ logits, freq_penalty → logits, freq_penalty / len(input_ids)

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

# %% sample_next_token: topk's values handed to sample_basic
# right: the rank instead of the token
# like: right
~ ("Both top_k and top_p are given: choose one of the two.") →
~ return sample_top_k(logits, top_k) → logits = logits.topk(top_k).values

# %% sample_next_token: what sample_top_k drew is drawn from once more
# right: a draw from the token that was drawn
# like: right
~ "Both top_k and top_p are given: choose one of the two." → "both"
~ return sample_top_k → logits = sample_top_k
~ if top_p → elif top_p
~ return sample_top_p → logits = sample_top_p

# %% sample_next_token: or in the place of and
# like: right
~ and top_p: → or top_p:
~ "Both top_k and top_p are given: choose one of the two." → "choose one"

# %% sample_next_token: top_p handed to sample_top_k
# like: right
~ and top_p: → > 0 and top_p > 0:
~ "Both top_k and top_p are given: choose one of the two." → "choose one"
~ top_k: → top_k > 0:
~ logits, top_k → logits, k=top_k
~ if top_p → if top_p > 0
~ sample_top_p(logits, top_p) → sample_top_k(logits, k=top_p)

# %% sample_next_token: settings that are not handed on
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    if top_k and top_p:
        raise ValueError()
    if freq_penalty:
        logits = apply_frequency_penalty(input_ids, logits)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits)
    if top_p:
        return sample_top_p(logits)
    return sample_basic(logits)

# %% sample_next_token: no error, and greedy without return (two mistakes)
# right: a draw from the token that was drawn
# right: both `top_k` and `top_p` accepted
def sample_next_token(input_ids, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        greedy(logits)
    else:
        logits = apply_temperature(logits, temperature)
    if top_k:
        logits = sample_top_k(logits, top_k)
    if top_p:
        logits = sample_top_p(logits, top_p)
    return sample_basic(logits)
