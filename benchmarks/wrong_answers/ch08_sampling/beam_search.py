"""Wrong answers to chapter 8's `beam_search`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, candidates sorted
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
    return beams

# %% base: right, all beams at once
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
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% base: right, with `longer`
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
        beams = sorted(longer, key=lambda b: b[0], reverse=True)[:num_beams]
    return beams

# %% beam_search: each beam keeps its own best token only
# right: one continuation of each beam
# like: right, candidates sorted
~ min(num_beams, log_probs.shape[-1]) → 1

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
# like: right, candidates sorted
~ log_softmax → softmax

# %% beam_search: probabilities multiplied, the score is one
# right: probabilities for scores
# like: right, candidates sorted
~ 0.0 → 1.0
~ log_softmax → softmax
~ score + → score *

# %% beam_search: raw logits are added up
# right: summed logits
# like: right, all beams at once
~ .log_softmax(dim=-1) →

# %% beam_search: the mean per token
# right: the mean of the log-probabilities
# like: right, candidates sorted
~ return beams → return [(score / max_new_tokens, text) for score, text in beams]

# %% beam_search: worst first
# right: the worst text first
# like: right, candidates sorted
~ return beams → return beams[::-1]

# %% beam_search: the worst are kept
# right: keeping the worst texts
# like: right, candidates sorted
~ , reverse=True →

# %% beam_search: the score of the last token only
# right: the log-probability of the last token alone
# like: right, candidates sorted
~ score + log_prob → log_prob

# %% beam_search: only the best comes back
# right: the best text alone
# like: right, candidates sorted
~ return beams → return beams[0]

# %% beam_search: only the best, in a list
# right: the best text alone
# like: right, all beams at once
-    return [(float(score), text) for score, text in zip(scores, texts)]
+    return [(float(score), text) for score, text in zip(scores, texts)][:1]

# %% beam_search: text and score swapped
# right: texts before scores
# like: right, candidates sorted
~ return beams → return [(text, score) for score, text in beams]

# %% beam_search: texts without scores
# right: texts without their scores
# like: right, candidates sorted
~ return beams → return [text for _, text in beams]

# %% beam_search: scores are tensors
# right: scores as tensors
# like: right, all beams at once
~ float(score) → score

# %% beam_search: the first n_ctx
# right: cropping to the first tokens
# like: right, candidates sorted
~ -model.cfg.n_ctx : → : model.cfg.n_ctx

# %% beam_search: no window
# right: a text that is never cropped
# like: right, all beams at once
~ [:, -n_ctx:] →

# %% beam_search: more beams than tokens
# right: asking for more tokens than there are
# like: right, candidates sorted
-            k = min(num_beams, log_probs.shape[-1])
-            top_log_probs, top_ids = torch.topk(log_probs, k)
+            top_log_probs, top_ids = torch.topk(log_probs, num_beams)

# %% beam_search: batched: more beams than candidates
# right: asking for more tokens than there are
# like: right, all beams at once
~ min(num_beams, len(total)) → num_beams

# %% beam_search: the given text counts in the score
# right: the prompt's log-probability in the score
# like: right, candidates sorted
-    beams = [(0.0, tokens)]
+    given = model(tokens[None, -model.cfg.n_ctx :])[0, :-1].log_softmax(-1)
+    beams = [(float(given.gather(1, tokens[-model.cfg.n_ctx :][1:, None]).sum()), tokens)]

# %% beam_search: as many copies at the start as beams
# right: starting with copies of the prompt
# like: right, candidates sorted
~ [(0.0, tokens)] → [(0.0, tokens)] * num_beams

# %% beam_search: batched: copies at the start
# right: starting with copies of the prompt
# like: right, all beams at once
~ [None] → .repeat(num_beams, 1)
~ (1) → (num_beams)

# %% beam_search: only the new tokens
# right: the new tokens alone
# like: right, candidates sorted
~ return beams → return [(score, text[len(tokens):]) for score, text in beams]

# %% beam_search: one step too few
# right: one token fewer than `max_new_tokens`
# like: right, candidates sorted
~ (max_new_tokens) → (max_new_tokens - 1)

# %% beam_search: one step too many
# right: one token more than `max_new_tokens`
# like: right, all beams at once
~ (max_new_tokens) → (max_new_tokens + 1)

# %% beam_search: logarithm to base 2
# right: logarithms to another base
# like: right, candidates sorted
~ log_softmax(logits, dim=-1) → log2(torch.softmax(logits, dim=-1))

# %% beam_search: log_softmax over the positions
# right: `log_softmax` over the positions
# like: right, candidates sorted
~ , -1 →
~ (logits, dim=-1) → (logits, dim=0)[-1]

# %% beam_search: log_softmax over the beams
# right: `log_softmax` over the beams
# like: right, all beams at once
~ =-1 → =0

# %% beam_search: the first position
# right: the logits of the first position
# like: right, candidates sorted
~ , -1 → , 0

# %% beam_search: the last but one
# right: the logits of the last position but one
# like: right, all beams at once
~ , -1 → , -2

# %% beam_search: draws in place of topk
# right: drawing tokens
# like: right, candidates sorted
-            top_log_probs, top_ids = torch.topk(log_probs, k)
+            top_ids = torch.multinomial(log_probs.exp(), k)
+            top_log_probs = log_probs[top_ids]

# %% beam_search: costs, not scores
# right: costs for scores
# like: right, candidates sorted
~ return beams → return [(-score, text) for score, text in beams]

# %% beam_search: negated, and the smallest kept: positive scores
# right: costs for scores
# like: right, candidates sorted
~ score + → score -
~ , reverse=True →

# %% beam_search: cut down only at the end
# right: no pruning before the end
# like: right, candidates sorted
-        candidates.sort(key=lambda pair: pair[0], reverse=True)
-        beams = candidates[:num_beams]
-    return beams
+        beams = candidates
+    beams.sort(key=lambda pair: pair[0], reverse=True)
+    return beams[:num_beams]

# %% beam_search: never cut down
# right: no pruning before the end
# like: right, candidates sorted
~ [:num_beams] →

# %% beam_search: one beam more
# right: one beam more than `num_beams`
# like: right, candidates sorted
~ :num_beams → : num_beams + 1

# %% beam_search: one beam less
# right: one beam fewer than `num_beams`
# like: right, candidates sorted
~ :num_beams → : max(1, num_beams - 1)

# %% beam_search: rounded scores
# like: right, candidates sorted
~ return beams → return [(round(score, 2), text) for score, text in beams]

# %% beam_search: probabilities come back
# right: probabilities for scores
# like: right, all beams at once
~ (score) → (score.exp())

# %% beam_search: texts keep a batch axis
# right: a batch axis that stays
# like: right, candidates sorted
~ return beams → return [(score, text[None]) for score, text in beams]

# %% beam_search: texts are lists
# right: texts as lists
# like: right, all beams at once
~ (score), text → (score), text.tolist()

# %% beam_search: softmax before log_softmax
# right: `softmax` before `log_softmax`
# like: right, candidates sorted
~ , dim → .softmax(-1), dim

# %% beam_search: one beam for each last token
# right: one text for each last token
# like: right, candidates sorted
-        beams = candidates[:num_beams]
+        beams, ends = [], set()
+        for pair in candidates:
+            if int(pair[1][-1]) not in ends:
+                ends.add(int(pair[1][-1]))
+                beams.append(pair)
+        beams = beams[:num_beams]

# %% beam_search: parent and token swapped
# right: tokens added to the texts of other beams
# like: right, all beams at once
~ // d_vocab, places % d_vocab → % len(texts), places // len(texts)

# %% beam_search: divides by num_beams instead of d_vocab
# right: tokens added to the texts of other beams
# like: right, all beams at once
~ places // d_vocab → (places // num_beams).clamp(max=len(texts) - 1)

# %% beam_search: texts are not those of the parents
# right: tokens added to the texts of other beams
# like: right, all beams at once
~ [parents] → .expand(len(new), -1) if len(texts) == 1 else texts[: len(new)]

# %% beam_search: scores are not the parents' (added by row order)
# right: a score added to that of another beam
# like: right, all beams at once
~ scores, places → more, places
         parents, new = places // d_vocab, places % d_vocab
+        scores = (scores if len(scores) == len(new) else scores.expand(len(new))) + log_probs.flatten()[places]

# %% beam_search: the score of a beam starts at 1
# right: scores that start at 1
# like: right, candidates sorted
~ 0.0 → 1.0

# %% beam_search: exhaustive per step but without the old score in the ranking
# right: ranking by the last token's log-probability
# like: right, candidates sorted
~ ([text, torch.tensor([token_id])]) → ([text, torch.tensor([token_id])]), log_prob
~ [0] → [2]
~ candidates[:num_beams] → [(score, text) for score, text, _ in candidates[:num_beams]]

# %% beam_search: greedy after all: beam 0 only is continued
# right: going on with the best beam alone
# like: right, candidates sorted
~ beams: → beams[:1]:

# %% beam_search: pairs are lists
# right: lists for pairs
# like: right, candidates sorted
~ return beams → return [[score, text] for score, text in beams]

# %% beam_search: a tuple of two lists
# right: two lists
# like: right, all beams at once
~ [(float(score), text) for score, text in zip(scores, texts)] → scores.tolist(), list(texts)

# %% beam_search: a text ends once token 0 was chosen
# like: right, candidates sorted
         for score, text in beams:
+            if len(text) > len(tokens) and text[-1] == 0:
+                candidates.append((score, text))
+                continue

# %% beam_search: the last beam is repeated where there are too few
# like: right, all beams at once
-    return [(float(score), text) for score, text in zip(scores, texts)]
+    found = [(float(score), text) for score, text in zip(scores, texts)]
+    return found + [found[-1]] * (num_beams - len(found))

# %% beam_search: log_softmax of the best alone
# right: a softmax over the best tokens alone
# like: right, with `longer`
-            log_probs = model(text[None, -model.cfg.n_ctx:])[0, -1].log_softmax(-1)
-            best, nxt = log_probs.topk(min(num_beams, len(log_probs)))
+            logits = model(text[None, -model.cfg.n_ctx:])[0, -1]
+            best, nxt = logits.topk(min(num_beams, len(logits)))
+            best = best.log_softmax(-1)

# %% beam_search: log-probabilities are multiplied
# right: multiplied log-probabilities
# like: right, with `longer`
~ 0.0 → 1.0
~ + float → * float

# %% beam_search: the first of an unsorted list
# right: continuations that are not sorted
# like: right, with `longer`
~ sorted(longer, key=lambda b: b[0], reverse=True) → longer

# %% beam_search: the best, in the order of their parents
# right: continuations that are not sorted
# like: right, with `longer`
-        beams = sorted(longer, key=lambda b: b[0], reverse=True)[:num_beams]
+        bar = sorted((s for s, _ in longer), reverse=True)[:num_beams][-1]
+        beams = [b for b in longer if b[0] >= bar][:num_beams]

# %% beam_search: the last list is not cut
# right: no pruning at the end
# like: right, with `longer`
~ beams: → beams[:num_beams]:
~ [:num_beams] →

# %% beam_search: the score grows within a step
# right: a score that runs on from one continuation to the next
# like: right, with `longer`
-                longer.append((score + float(more), torch.cat([text, token[None]])))
+                score = score + float(more)
+                longer.append((score, torch.cat([text, token[None]])))

# %% beam_search: the text grows within a step
# right: a text that runs on from one continuation to the next
# like: right, with `longer`
-                longer.append((score + float(more), torch.cat([text, token[None]])))
+                text = torch.cat([text, token[None]])
+                longer.append((score + float(more), text))

# %% beam_search: the list is begun once
# right: continuations of earlier steps
# like: right, with `longer`
     beams = [(0.0, tokens)]
+    longer = []
     for step in range(max_new_tokens):
-        longer = []

# %% beam_search: never more beams than tokens
# right: never more beams than tokens
# like: right, with `longer`
 def beam_search(model, tokens, max_new_tokens, num_beams):
+    num_beams = min(num_beams, model.cfg.d_vocab)
~ min(num_beams, len(log_probs)) → num_beams

# %% beam_search: the text is cropped, not a copy
# right: cutting the text itself
# like: right, with `longer`
-            log_probs = model(text[None, -model.cfg.n_ctx:])[0, -1].log_softmax(-1)
+            text = text[-model.cfg.n_ctx:]
+            log_probs = model(text[None])[0, -1].log_softmax(-1)

# %% beam_search: a length penalty
# like: right, with `longer`
~ [0] → [0] / len(b[1]) ** 0.6
~ return beams → return [(s / (max_new_tokens ** 0.6), t) for s, t in beams]

# %% beam_search: batched: the parent by num_beams, an error
# right: tokens added to the texts of other beams
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

# %% beam_search: a helper's def lacks the score that it reads
def extend(model, text, k):
    lp = model(text[None, -model.cfg.n_ctx:])[0, -1].log_softmax(-1)
    top = lp.topk(min(k, len(lp)))
    return [(score + float(v), torch.cat([text, i[None]])) for v, i in zip(*top)]

@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        longer = []
        for score, text in beams:
            longer += extend(model, score, text, num_beams)
        beams = sorted(longer, key=lambda b: b[0], reverse=True)[:num_beams]
    return beams

# %% beam_search: pairs turned round, with scores as tensors
# right: texts before scores
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(tokens, 0.0)]
    for _ in range(max_new_tokens):
        cands = []
        for seq, score in beams:
            logp = model(seq[None, -model.cfg.n_ctx:])[0, -1].log_softmax(-1)
            for tok in logp.topk(min(num_beams, len(logp))).indices:
                cands.append((torch.cat([seq, tok[None]]), score + logp[tok]))
        beams = sorted(cands, key=lambda c: c[1], reverse=True)[:num_beams]
    return beams

# %% beam_search: takes what list.sort() gives
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        cands = []
        for score, text in beams:
            lp = model(text[None, -model.cfg.n_ctx:])[0, -1].log_softmax(-1)
            v, i = lp.topk(min(num_beams, len(lp)))
            for a, b in zip(v, i):
                cands.append((score + a.item(), torch.cat([text, b[None]])))
        beams = cands.sort(key=lambda t: t[0], reverse=True)[:num_beams]
    return beams

# %% beam_search: appends each token to the beam's own list
# right: one list for all continuations of a beam
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens.tolist())]
    for _ in range(max_new_tokens):
        cands = []
        for score, text in beams:
            lp = model(torch.tensor([text[-model.cfg.n_ctx:]]))[0, -1].log_softmax(-1)
            v, i = lp.topk(min(num_beams, len(lp)))
            for a, b in zip(v.tolist(), i.tolist()):
                text.append(b)
                cands.append((score + a, text))
        beams = sorted(cands, key=lambda t: t[0], reverse=True)[:num_beams]
    return [(s, torch.tensor(t)) for s, t in beams]

# %% beam_search: takes the tokens 0, 1, 2 for the likeliest
# right: the first tokens of the vocabulary
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        cands = []
        for score, text in beams[:num_beams]:
            lp = model(text[None, -model.cfg.n_ctx:])[0, -1].log_softmax(-1)
            for tok in range(num_beams):
                cands.append((score + lp[tok].item(), torch.cat([text, torch.tensor([tok])])))
        beams = sorted(cands, key=lambda t: t[0], reverse=True)
    return beams[:num_beams]
