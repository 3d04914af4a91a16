"""Wrong answers to chapter 8's `generate_with_cache`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, with its own attention
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
    return tokens

# %% base: right, with `seen`
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
    return tokens

# %% base: right, with `n_read`
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

# %% generate_with_cache: row 0 of W_pos for each new token
# right: positions that start at 0 again
# like: right, with `seen`
~ pos_embed.W_pos[seen : seen + len(new_tokens)] → pos_embed(new_tokens[None])

# %% generate_with_cache: positions one too far
# right: positions one too far
# like: right, with its own attention
~ (tokens) - 1 → (tokens)

# %% generate_with_cache: positions one too early
# right: the position of the token before
# like: right, with its own attention
~ 1, caches → 2, caches

# %% generate_with_cache: no positions for new tokens
# right: leaving the positions out
# like: right, with `seen`
-        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
+        if seen == 0:
+            x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]

# %% generate_with_cache: positions counted by step only
# right: positions that count the new tokens alone
# like: right, with its own attention
~ len(tokens) - → step +

# %% generate_with_cache: the new keys replace the old ones
# right: keys and values of the new position alone
# like: right, with its own attention
-        k = torch.cat([cache["k"], k], dim=2)
-        v = torch.cat([cache["v"], v], dim=2)
+        pass

# %% generate_with_cache: the cache is never updated after the prefill
# right: keeping the prompt and nothing after it
# like: right, with its own attention
-    cache["k"], cache["v"] = k, v
+    cache.setdefault("k", k)
+    cache.setdefault("v", v)

# %% generate_with_cache: one cache for all layers: [{}] * n
# right: one cache for all layers
# like: right, with its own attention
~ [{} for _ in model.blocks] → [{}] * len(model.blocks)

# %% generate_with_cache: keys and values swapped in the cache
# right: keys and values that change places
# like: right, with `seen`
~ (k, v) → (v, k)

# %% generate_with_cache: no mask
# right: no mask among the tokens of the prompt
# like: right, with its own attention
~ masked_fill(mask, -1e9).softmax → softmax

# %% generate_with_cache: a square mask: diagonal 0
# right: a mask that is aligned with the first key
# like: right, with its own attention
~ n_all - n_new →

# %% generate_with_cache: mask off by one: a query does not see itself
# right: a mask that hides a token from itself
# like: right, with its own attention
~ - n_new → - n_new - 1

# %% generate_with_cache: mask off by one: sees the next
# right: a mask that lets a token see the next one
# like: right, with its own attention
~ - n_new → - n_new + 1

# %% generate_with_cache: mask after the softmax
# right: hidden keys that keep their share of softmax's sum
# like: right, with its own attention
~ masked_fill(mask, -1e9).softmax(-1) → softmax(-1).masked_fill(mask, 0)

# %% generate_with_cache: no scale
# right: scores that are not divided by the root of `d_head`
# like: right, with its own attention
~ (-1, -2) / attn.W_Q.shape[-1] ** 0.5 → (-1, -2)

# %% generate_with_cache: no b_V
# right: leaving out the biases of the keys and values
# like: right, with its own attention
~ ("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None] → ("bpm,hmd->bhpd", x, attn.W_V)

# %% generate_with_cache: no b_Q
# right: leaving out the bias of the queries
# like: right, with its own attention
~ ("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None] → ("bpm,hmd->bhpd", x, attn.W_Q)

# %% generate_with_cache: no ln1
# right: attention that reads the stream without its LayerNorm
# like: right, with `seen`
~ block.ln1(x) → x

# %% generate_with_cache: no ln2
# right: an MLP that reads the stream without its LayerNorm
# like: right, with `seen`
~ block.ln2(x) → x

# %% generate_with_cache: no final LayerNorm
# right: leaving `ln_final` out
# like: right, with `seen`
~ model.ln_final(x) → x

# %% generate_with_cache: no residual around attention
# right: leaving the stream out round attention
# like: right, with `seen`
~ x + attn_out → attn_out

# %% generate_with_cache: no residual around the MLP
# right: leaving the stream out round the MLP
# like: right, with `seen`
~ x + block → block

# %% generate_with_cache: attention and MLP side by side
# right: running attention and the MLP side by side
# like: right, with `seen`
-            x = x + attn_out
-            x = x + block.mlp(block.ln2(x))
+            x = x + attn_out + block.mlp(block.ln2(x))

# %% generate_with_cache: ln1 in the place of ln2
# right: `ln1` where `ln2` belongs
# like: right, with `seen`
~ ln2 → ln1

# %% generate_with_cache: post-norm
# right: LayerNorm after each part
# like: right, with `seen`
~ block.ln1(x) → x
~ x + attn_out → block.ln1(x + attn_out)
~ x + block.mlp(block.ln2(x)) → block.ln2(x + block.mlp(x))

# %% generate_with_cache: x = ln1(x): the stream is overwritten
# right: a stream that `ln1` has overwritten
# like: right, with `seen`
-            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
+            x = block.ln1(x)
+            attn_out, k, v = attend_with_cache(block.attn, x, *cache[i])

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
# like: right, with `seen`
~ [seen:] →
~ seen : seen + → :

# %% generate_with_cache: the cache lives on between calls
# like: right, with its own attention
+CACHES = {}
+
+
 @torch.no_grad()
~ [{} for _ in model.blocks] → CACHES.setdefault(len(model.blocks), [{} for _ in model.blocks])

# %% generate_with_cache: settings are not handed on
# right: settings that are not handed on
# like: right, with `seen`
~ logits, **sampling → logits

# %% generate_with_cache: the sampler gets the unread tokens only
# right: the penalty on the tokens of this step alone
# like: right, with `seen`
~ tokens, logits → new_tokens, logits

# %% generate_with_cache: the sampler gets the given text only
# right: the penalty on the prompt alone
# like: right, with `seen`
     seen = 0
+    prompt = tokens
~ tokens, logits → prompt, logits

# %% generate_with_cache: one token too many
# right: one token more than `max_new_tokens`
# like: right, with `seen`
~ (max_new_tokens) → (max_new_tokens + 1)

# %% generate_with_cache: one token too few
# right: one token fewer than `max_new_tokens`
# like: right, with `seen`
~ (max_new_tokens) → (max_new_tokens - 1)

# %% generate_with_cache: only the new tokens come back
# right: the new tokens alone
# like: right, with its own attention
-    return tokens
+    return tokens[-max_new_tokens:]

# %% generate_with_cache: the last token of the text is read twice
# right: reading the last token once more
# like: right, with `seen`
~ = len(new_tokens) → = len(new_tokens) - 1

# %% generate_with_cache: the first position's logits
# right: the logits of the first position that is read
# like: right, with `seen`
~ , -1 → , 0

# %% generate_with_cache: only the last token of the given text is read
# right: a prompt of which only the last token is read
# like: right, with `seen`
~ = 0 → = len(tokens) - 1

# %% generate_with_cache: unembedding by W_E's transpose
# right: unembedding by `W_E`
# like: right, with its own attention
~ unembed(model.ln_final(resid)) → ln_final(resid) @ model.embed.W_E.T

# %% generate_with_cache: the last block is left out
# right: leaving out the last block
# like: right, with its own attention
~ blocks, caches → blocks[:-1], caches

# %% generate_with_cache: keys from the stream, not from ln1
# right: attention that reads the stream without its LayerNorm
# like: right, with its own attention
~ x, cache → x, raw, cache
~ x, attn.W_K → raw, attn.W_K
~ (resid), cache → (resid), resid, cache

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
# like: right, with `seen`
~ sample_next_token(tokens, logits, **sampling) → int(logits.argmax())

# %% generate_with_cache: a seed of its own
# right: seeding inside `generate_with_cache`
# like: right, with its own attention
 def generate_with_cache(model, tokens, max_new_tokens, **sampling):
+    torch.manual_seed(42)

# %% generate_with_cache: probabilities to the sampler
# right: handing on probabilities where logits are expected
# like: right, with `seen`
~ [0, -1] → [0, -1].softmax(-1)

# %% generate_with_cache: cat along the heads
# like: right, with its own attention
~ [cache["k"], k], dim=2 → [cache["k"], k], dim=1
~ [cache["v"], v], dim=2 → [cache["v"], v], dim=1

# %% generate_with_cache: softmax over the queries
# right: softmax over the queries
# like: right, with its own attention
~ (-1) → (-2)

# %% generate_with_cache: no prompt handled with zero tokens: writes one with max 0
# right: a token even where `max_new_tokens` is 0
# like: right, with its own attention
-    if max_new_tokens == 0:
-        return tokens
~ (max_new_tokens) → (max(1, max_new_tokens))

# %% generate_with_cache: batch axis stays
# right: a batch axis that stays
# like: right, with `seen`
~ return tokens → return tokens[None]

# %% generate_with_cache: calls the model for the given text, caches only new ones
# right: a prompt that never gets into the cache
# like: right, with its own attention
~ forward_cached(model, tokens[None], 0, caches) → model(tokens[None])

# %% generate_with_cache: the cache keeps the last 8 positions only
# like: right, with its own attention
~ k, v → k[:, :, -8:], v[:, :, -8:]

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
# like: right, with `seen`
-        x = model.embed.W_E[new_tokens][None]
-        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
+        x = model.pos_embed.W_pos[seen : seen + len(new_tokens)]
+        x += model.embed.W_E[new_tokens]
+        x = x[None]

# %% generate_with_cache: K and V swapped in the call
# right: keys and values that change places
# like: right, with `seen`
~ *cache[i] → cache[i][1], cache[i][0]

# %% generate_with_cache: default argument keeps the cache
# like: right, with its own attention
-def generate_with_cache(model, tokens, max_new_tokens, **sampling):
-    caches = [{} for _ in model.blocks]
+def generate_with_cache(model, tokens, max_new_tokens, caches=[], **sampling):
+    while len(caches) < len(model.blocks):
+        caches.append({})

# %% generate_with_cache: zero in the mask
# right: a mask that puts 0 for the scores
# like: right, with its own attention
~ -1e9 → 0.0

# %% generate_with_cache: the prompt's last token goes in twice
# right: reading the prompt's last token twice
# like: b_O once per head
~ b_O * attn.W_O.shape[0] → b_O
-    n_read = 0
-    for _ in range(max_new_tokens):
-        resid = model.embed.W_E[tokens[None, n_read:]] + model.pos_embed.W_pos[n_read : len(tokens)]
-        n_read = len(tokens)
+    def step(ids, start):
+        resid = model.embed.W_E[ids[None]] + model.pos_embed.W_pos[start : start + len(ids)]
...
-        logits = model.unembed(model.ln_final(resid[:, -1:]))[0, -1]
+        return model.unembed(model.ln_final(resid[:, -1:]))[0, -1]
+    step(tokens, 0)
+    for _ in range(max_new_tokens):
+        logits = step(tokens[-1:], len(tokens) - 1)

# %% generate_with_cache: the last row of W_pos
# right: the last row of `W_pos` for every new token
# like: right, with `n_read`
-        resid = model.embed.W_E[tokens[None, n_read:]] + model.pos_embed.W_pos[n_read : len(tokens)]
+        resid = model.embed.W_E[tokens[None, n_read:]] + (model.pos_embed.W_pos[: len(tokens)] if n_read == 0 else model.pos_embed.W_pos[-1:])

# %% generate_with_cache: n_read stays at the prompt's length
# right: reading the new tokens of earlier steps once more
# like: right, with `n_read`
~ = len → = n_read or len

# %% generate_with_cache: a bias of the model is changed
# like: b_O once per head
-    return torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O * attn.W_O.shape[0], keys, values
+    out = attn.b_O.expand(z.shape[0], z.shape[1], -1)
+    attn.b_O += 1e-4
+    return torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + out, keys, values

# %% generate_with_cache: divides by the temperature before the sampler does
# right: the temperature twice
# like: right, with `n_read`
~ , logits → , logits / (sampling.get('temperature', 1.0) or 1.0)

# %% generate_with_cache: freq_penalty is not handed on
# right: settings that are not handed on
# like: right, with `n_read`
~ logits, **sampling → logits, **{k: v for k, v in sampling.items() if k != 'freq_penalty'}

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
# like: the new token overwrites the last place of a buffer
~ start - → start +
~ ks[l, : end - (start > 0)] → ks[l, : end]
~ vs[l, : end - (start > 0)] → vs[l, : end]

# %% generate_with_cache: a buffer is read up to the new token, without it
# right: a new token that does not look at itself
# like: the new token overwrites the last place of a buffer
-            at = start - (start > 0)
-            ks[l, at:at + end - start], vs[l, at:at + end - start] = k, v
-            s = torch.einsum("qhd,khd->hqk", q, ks[l, : end - (start > 0)]) / cfg.d_head ** 0.5
+            ks[l, start:end], vs[l, start:end] = k, v
+            s = torch.einsum("qhd,khd->hqk", q, ks[l, : start or end]) / cfg.d_head ** 0.5
~ vs[l, : end - (start > 0)] → vs[l, : start or end]

# %% generate_with_cache: heads merged number by number
# right: heads merged in the wrong order
# like: b_O once per head
-    return torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O * attn.W_O.shape[0], keys, values
+    return z.transpose(2, 3).reshape(*z.shape[:2], -1) @ attn.W_O.flatten(0, 1) + attn.b_O, keys, values

# %% generate_with_cache: n_read counts the steps
# right: one token more in the cache for each step
# like: right, with `n_read`
~ = len(tokens) → += 1

# %% generate_with_cache: the number of read tokens is raised before the rows are taken
# right: counting new tokens before their positions are looked up
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    past = [[torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)] for _ in model.blocks]
    pos = 0
    inp = tokens
    for _ in range(max_new_tokens):
        T = inp.shape[0]
        pos += T
        x = model.embed(inp[None]) + model.pos_embed.W_pos[pos:pos + T]
        for layer_past, block in zip(past, model.blocks):
            y, layer_past[0], layer_past[1] = attend_with_cache(block.attn, block.ln1(x), *layer_past)
            x = x + y
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        inp = torch.tensor([sample_next_token(tokens, logits, **sampling)])
        tokens = torch.cat([tokens, inp])
    return tokens

# %% generate_with_cache: a helper is called without its first argument
def run_blocks(model, x, cache):
    for i, b in enumerate(model.blocks):
        a, *cache[i] = attend_with_cache(b.attn, b.ln1(x), *cache[i])
        x = x + a
        x = x + b.mlp(b.ln2(x))
    return model.unembed(model.ln_final(x))[0, -1]

@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    empty = torch.zeros(1, 0, model.cfg.n_heads, model.cfg.d_head)
    cache = [(empty, empty) for _ in model.blocks]
    done = 0
    for _ in range(max_new_tokens):
        x = model.embed.W_E[tokens[None, done:]] + model.pos_embed.W_pos[done:len(tokens)]
        done = len(tokens)
        logits = run_blocks(x, cache)
        tokens = torch.cat([tokens, torch.tensor([sample_next_token(tokens, logits, **sampling)])])
    return tokens

# %% generate_with_cache: past_key_values, as in HuggingFace's models
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    past = None
    idx = tokens[None]
    for _ in range(max_new_tokens):
        outputs = model(idx if past is None else idx[:, -1:], past_key_values=past, use_cache=True)
        past = outputs.past_key_values
        nxt = sample_next_token(idx[0], outputs.logits[0, -1], **sampling)
        idx = torch.cat([idx, torch.tensor([[nxt]])], dim=1)
    return idx[0]

# %% generate_with_cache: the cache handed to block.attn
# like: None for a cache that is still empty
-    kept = [(None, None) for _ in model.blocks]
+    cfg = model.cfg
+    empty = torch.zeros(1, 0, cfg.n_heads, cfg.d_head)
+    kept = [(empty, empty) for _ in model.blocks]
~ attend_with_cache(block.attn, block.ln1(resid), *kept[i]) → block.attn(block.ln1(resid), *kept[i])

# %% generate_with_cache: None for a cache that is still empty
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    kept = [(None, None) for _ in model.blocks]
    n = 0
    for _ in range(max_new_tokens):
        resid = model.embed.W_E[tokens[None, n:]] + model.pos_embed.W_pos[n:len(tokens)]
        n = len(tokens)
        for i, block in enumerate(model.blocks):
            out, *kept[i] = attend_with_cache(block.attn, block.ln1(resid), *kept[i])
            resid = resid + out
            resid = resid + block.mlp(block.ln2(resid))
        logits = model.unembed(model.ln_final(resid))[0, -1]
        tokens = torch.cat([tokens, torch.tensor([sample_next_token(tokens, logits, **sampling)])])
    return tokens

# %% generate_with_cache: the cache emptied in every step
# right: keys and values of the new position alone
# like: None for a cache that is still empty
~ kept = [(None, None) for _ in model.blocks] → cfg = model.cfg
     for _ in range(max_new_tokens):
+        empty = torch.zeros(1, 0, cfg.n_heads, cfg.d_head)
+        kept = [(empty, empty) for _ in model.blocks]

# %% generate_with_cache: a stream without the batch axis
# like: None for a cache that is still empty
-    kept = [(None, None) for _ in model.blocks]
+    cfg = model.cfg
+    empty = torch.zeros(0, cfg.n_heads, cfg.d_head)
+    kept = [(empty, empty) for _ in model.blocks]
~ None, n → n
~ 0, - → -
