"""Wrong answers to chapter 8's `attend_with_cache`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    x = normalized_resid_pre
    q = torch.einsum("bpm,hmd->bphd", x, attn.W_Q) + attn.b_Q
    new_k = torch.einsum("bpm,hmd->bphd", x, attn.W_K) + attn.b_K
    new_v = torch.einsum("bpm,hmd->bphd", x, attn.W_V) + attn.b_V
    k = torch.cat([keys, new_k], dim=1)
    v = torch.cat([values, new_v], dim=1)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / attn.cfg.d_head ** 0.5
    n_new, n_old = x.shape[1], keys.shape[1]
    mask = torch.triu(torch.ones(n_new, n_old + n_new), diagonal=n_old + 1).bool()
    pattern = scores.masked_fill(mask, float("-inf")).softmax(-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, v)
    out = torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O
    return out, k, v

# %% attend_with_cache: a mask that forgets the old positions
# right: the mask of a text without old positions
# like: right
~ n_old + 1 → 1

# %% attend_with_cache: the mask's diagonal one too far
# right: a position that reads the next one
# like: right
~ + 1 → + 2

# %% attend_with_cache: a mask that hides each position from itself
# right: a position that does not read itself
# like: right
~ n_old + 1 → n_old

# %% attend_with_cache: no mask
# right: new positions that read later new ones
# like: right
~ masked_fill(mask, float("-inf")).softmax → softmax

# %% attend_with_cache: the new in front of the old
# right: new keys and values before the old ones
# like: right
~ keys, new_k → new_k, keys
~ values, new_v → new_v, values

# %% attend_with_cache: the new keys alone returned
# right: the keys and values of the new positions alone
# like: right
~ k, v → new_k, new_v

# %% attend_with_cache: keys and values in each other's place
# right: keys and values that change places in the answer
# like: right
~ k, v → v, k

# %% attend_with_cache: joined along the heads
# right: old and new put side by side along the heads
# like: right
~ [keys, new_k], dim=1 → [keys, new_k], dim=2
~ [values, new_v], dim=1 → [values, new_v], dim=2

# %% attend_with_cache: b_O left out
# right: `b_O` left out
# like: right
~ ("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O → ("bqhd,hdm->bqm", z, attn.W_O)

# %% attend_with_cache: scores that are not scaled
# right: the scores not divided
# like: right
~ ("bqhd,bkhd->bhqk", q, k) / attn.cfg.d_head ** 0.5 → ("bqhd,bkhd->bhqk", q, k)

# %% attend_with_cache: softmax over the queries
# right: a softmax over the queries
# like: right
~ (-1) → (-2)

# %% attend_with_cache: b_V left out
# right: biases of queries, keys or values left out
# like: right
~ ("bpm,hmd->bphd", x, attn.W_V) + attn.b_V → ("bpm,hmd->bphd", x, attn.W_V)

# %% attend_with_cache: only what attention writes
# right: only what is written
# like: right
~ , k, v →

# %% attend_with_cache: the old values left out of the mix
# right: the old values left out
# like: right
~ pattern, v → pattern[..., n_old:], new_v

# %% attend_with_cache: no mask as soon as anything is old
# right: new positions that read later new ones
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    def project(weight, bias):
        return torch.einsum("bpm,hmd->bphd", normalized_resid_pre, weight) + bias

    n_old = keys.shape[1]
    q = project(attn.W_Q, attn.b_Q)
    k = torch.cat([keys, project(attn.W_K, attn.b_K)], 1)
    v = torch.cat([values, project(attn.W_V, attn.b_V)], 1)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / attn.W_Q.shape[-1] ** 0.5
    if n_old == 0:
        T = q.shape[1]
        scores = scores.masked_fill(torch.triu(torch.ones(T, T), 1).bool(), -1e9)
    A = scores.softmax(-1)
    z = torch.einsum("bhqk,bkhd->bqhd", A, v)
    out = torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O
    return out, k, v

# %% attend_with_cache: heads before positions in what is kept
# right: keys and values with the heads before the positions
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    def project(weight, bias):
        return torch.einsum("bpm,hmd->bphd", normalized_resid_pre, weight) + bias

    q = project(attn.W_Q, attn.b_Q).transpose(1, 2)
    k = torch.cat([keys, project(attn.W_K, attn.b_K)], dim=1).transpose(1, 2)
    v = torch.cat([values, project(attn.W_V, attn.b_V)], dim=1).transpose(1, 2)
    att = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    i = torch.arange(q.shape[2]).unsqueeze(1) + keys.shape[1]
    j = torch.arange(k.shape[2]).unsqueeze(0)
    att = att.masked_fill(j > i, float("-inf")).softmax(-1)
    y = (att @ v).transpose(1, 2)
    return torch.einsum("bqhd,hdm->bqm", y, attn.W_O) + attn.b_O, k, v

# %% attend_with_cache: a diagonal at n_old, hidden by -1e4
# right: a position that does not read itself
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    def project(weight, bias):
        return torch.einsum("bpm,hmd->bphd", normalized_resid_pre, weight) + bias

    n_old = keys.shape[1]
    queries = project(attn.W_Q, attn.b_Q)
    keys = torch.cat([keys, project(attn.W_K, attn.b_K)], dim=1)
    values = torch.cat([values, project(attn.W_V, attn.b_V)], dim=1)
    scores = torch.einsum("bqhd,bkhd->bhqk", queries, keys) / keys.shape[-1] ** 0.5
    mask = torch.triu(torch.ones(queries.shape[1], keys.shape[1]), diagonal=n_old)
    scores = scores.masked_fill(mask.bool(), -1e4)
    pattern = torch.softmax(scores, dim=-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, values)
    result = torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O
    return result, keys, values

# %% attend_with_cache: view for a transpose of the queries
# right: positions and heads mixed
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    def project(weight, bias):
        return torch.einsum("bpm,hmd->bphd", normalized_resid_pre, weight) + bias
    B, T, _ = normalized_resid_pre.shape
    H, D = attn.W_Q.shape[0], attn.W_Q.shape[2]
    q = project(attn.W_Q, attn.b_Q).view(B, H, T, D)
    k = torch.cat([keys, project(attn.W_K, attn.b_K)], dim=1)
    v = torch.cat([values, project(attn.W_V, attn.b_V)], dim=1)
    att = q @ k.permute(0, 2, 3, 1) / D ** 0.5
    att = att.masked_fill(torch.ones(T, k.shape[1]).triu(k.shape[1] - T + 1).bool(), float("-inf")).softmax(-1)
    y = att @ v.transpose(1, 2)
    return torch.einsum("bhqd,hdm->bqm", y, attn.W_O) + attn.b_O, k, v

# %% attend_with_cache: b_O added before the sum over the heads
# right: `b_O` once for each head
# like: reads d_head from the layer
~ attn.d_head → k.shape[-1]
-    return torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O, k, v
+    out = (torch.einsum("bqhd,hdm->bqhm", z, attn.W_O) + attn.b_O).sum(2)
+    return out, k, v

# %% attend_with_cache: n_old read from the longer keys
# right: new positions that read later new ones
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    def project(weight, bias):
        return torch.einsum("bpm,hmd->bphd", normalized_resid_pre, weight) + bias
    q = project(attn.W_Q, attn.b_Q)
    keys = torch.cat([keys, project(attn.W_K, attn.b_K)], dim=1)
    values = torch.cat([values, project(attn.W_V, attn.b_V)], dim=1)
    n_old = keys.shape[1]
    s = torch.einsum("bqhd,bkhd->bhqk", q, keys) / keys.shape[-1] ** 0.5
    later = torch.ones(q.shape[1], keys.shape[1], dtype=torch.bool).triu(n_old + 1)
    p = s.masked_fill(later, -torch.inf).softmax(-1)
    z = torch.einsum("bhqk,bkhd->bqhd", p, values)
    return torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O, keys, values

# %% attend_with_cache: heads flattened before they are behind the positions
# right: heads merged in the wrong order
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    def project(weight, bias):
        return torch.einsum("bpm,hmd->bphd", normalized_resid_pre, weight) + bias
    q = project(attn.W_Q, attn.b_Q).transpose(1, 2)
    k = torch.cat([keys, project(attn.W_K, attn.b_K)], dim=1)
    v = torch.cat([values, project(attn.W_V, attn.b_V)], dim=1)
    s = q @ k.permute(0, 2, 3, 1) / k.shape[-1] ** 0.5
    m = torch.ones(s.shape[-2:]).triu(keys.shape[1] + 1).bool()
    p = s.masked_fill(m, -torch.inf).softmax(-1)
    z = p @ v.transpose(1, 2)
    B, H, T, D = z.shape
    out = z.reshape(B, T, H * D) @ attn.W_O.reshape(H * D, -1) + attn.b_O
    return out, k, v

# %% attend_with_cache: reads d_head from the layer
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    def project(weight, bias):
        return torch.einsum("bpm,hmd->bphd", normalized_resid_pre, weight) + bias
    q = project(attn.W_Q, attn.b_Q)
    k = torch.cat([keys, project(attn.W_K, attn.b_K)], dim=1)
    v = torch.cat([values, project(attn.W_V, attn.b_V)], dim=1)
    s = torch.einsum("bqhd,bkhd->bhqk", q, k) / attn.d_head ** 0.5
    m = torch.ones_like(s[0, 0]).triu(keys.shape[1] + 1).bool()
    p = s.masked_fill(m, -torch.inf).softmax(-1)
    z = torch.einsum("bhqk,bkhd->bqhd", p, v)
    return torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O, k, v

# %% attend_with_cache: the square mask over the first columns
# right: a mask over the first columns
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    def project(weight, bias):
        return torch.einsum("bpm,hmd->bphd", normalized_resid_pre, weight) + bias
    q = project(attn.W_Q, attn.b_Q)
    k = torch.cat([keys, project(attn.W_K, attn.b_K)], dim=1)
    v = torch.cat([values, project(attn.W_V, attn.b_V)], dim=1)
    s = torch.einsum("bqhd,bkhd->bhqk", q, k) / k.shape[-1] ** 0.5
    n = q.shape[1]
    s[..., :n] = s[..., :n].masked_fill(torch.ones(n, n).triu(1).bool(), float("-inf"))
    p = s.softmax(-1)
    z = torch.einsum("bhqk,bkhd->bqhd", p, v)
    return torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O, k, v

# %% attend_with_cache: scaled_dot_product_attention with is_causal, whose diagonal begins at column 0
# right: the mask of a text without old positions
def attend_with_cache(
    attn: nn.Module,
    normalized_resid_pre: Float[Tensor, "batch new_pos d_model"],
    keys: Float[Tensor, "batch old_pos head_index d_head"],
    values: Float[Tensor, "batch old_pos head_index d_head"],
):
    """What attention writes at the new positions; keys and values of all so far."""

    def project(weight: Tensor, bias: Tensor) -> Tensor:
        return torch.einsum("bpm,hmd->bphd", normalized_resid_pre, weight) + bias

    q = project(attn.W_Q, attn.b_Q)
    keys = torch.cat([keys, project(attn.W_K, attn.b_K)], dim=1)
    values = torch.cat([values, project(attn.W_V, attn.b_V)], dim=1)
    z = nn.functional.scaled_dot_product_attention(
        q.transpose(1, 2),
        keys.transpose(1, 2),
        values.transpose(1, 2),
        is_causal=q.shape[1] > 1,
    )
    out = torch.einsum("bhqd,hdm->bqm", z, attn.W_O) + attn.b_O
    return out, keys, values
