"""Wrong answers to chapter 8's `attend_with_cache` as learners write them, one whole cell each, titled with what went wrong.

Under a title, `# right:` names a misconception that is a true cause; benchmarks/diagnosis.py counts any other as misled.
"""
# fmt: off
# ruff: noqa

# %% attend_with_cache: a mask that forgets the old positions
# right: the mask of a text without old positions
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    x = normalized_resid_pre
    q = torch.einsum("bpm,hmd->bphd", x, attn.W_Q) + attn.b_Q
    new_k = torch.einsum("bpm,hmd->bphd", x, attn.W_K) + attn.b_K
    new_v = torch.einsum("bpm,hmd->bphd", x, attn.W_V) + attn.b_V
    k = torch.cat([keys, new_k], dim=1)
    v = torch.cat([values, new_v], dim=1)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / attn.cfg.d_head ** 0.5
    n_new, n_old = x.shape[1], keys.shape[1]
    mask = torch.triu(torch.ones(n_new, n_old + n_new), diagonal=1).bool()
    pattern = scores.masked_fill(mask, float("-inf")).softmax(-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, v)
    out = torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O
    return out, k, v

# %% attend_with_cache: the mask's diagonal one too far
# right: a position that reads the next one
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    x = normalized_resid_pre
    q = torch.einsum("bpm,hmd->bphd", x, attn.W_Q) + attn.b_Q
    new_k = torch.einsum("bpm,hmd->bphd", x, attn.W_K) + attn.b_K
    new_v = torch.einsum("bpm,hmd->bphd", x, attn.W_V) + attn.b_V
    k = torch.cat([keys, new_k], dim=1)
    v = torch.cat([values, new_v], dim=1)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / attn.cfg.d_head ** 0.5
    n_new, n_old = x.shape[1], keys.shape[1]
    mask = torch.triu(torch.ones(n_new, n_old + n_new), diagonal=n_old + 2).bool()
    pattern = scores.masked_fill(mask, float("-inf")).softmax(-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, v)
    out = torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O
    return out, k, v

# %% attend_with_cache: a mask that hides each position from itself
# right: a position that does not read itself
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    x = normalized_resid_pre
    q = torch.einsum("bpm,hmd->bphd", x, attn.W_Q) + attn.b_Q
    new_k = torch.einsum("bpm,hmd->bphd", x, attn.W_K) + attn.b_K
    new_v = torch.einsum("bpm,hmd->bphd", x, attn.W_V) + attn.b_V
    k = torch.cat([keys, new_k], dim=1)
    v = torch.cat([values, new_v], dim=1)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / attn.cfg.d_head ** 0.5
    n_new, n_old = x.shape[1], keys.shape[1]
    mask = torch.triu(torch.ones(n_new, n_old + n_new), diagonal=n_old).bool()
    pattern = scores.masked_fill(mask, float("-inf")).softmax(-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, v)
    out = torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O
    return out, k, v

# %% attend_with_cache: no mask
# right: new positions that read later new ones
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
    pattern = scores.softmax(-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, v)
    out = torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O
    return out, k, v

# %% attend_with_cache: the new in front of the old
# right: new keys and values before the old ones
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    x = normalized_resid_pre
    q = torch.einsum("bpm,hmd->bphd", x, attn.W_Q) + attn.b_Q
    new_k = torch.einsum("bpm,hmd->bphd", x, attn.W_K) + attn.b_K
    new_v = torch.einsum("bpm,hmd->bphd", x, attn.W_V) + attn.b_V
    k = torch.cat([new_k, keys], dim=1)
    v = torch.cat([new_v, values], dim=1)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / attn.cfg.d_head ** 0.5
    n_new, n_old = x.shape[1], keys.shape[1]
    mask = torch.triu(torch.ones(n_new, n_old + n_new), diagonal=n_old + 1).bool()
    pattern = scores.masked_fill(mask, float("-inf")).softmax(-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, v)
    out = torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O
    return out, k, v

# %% attend_with_cache: the new keys alone returned
# right: the keys and values of the new positions alone
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
    return out, new_k, new_v

# %% attend_with_cache: keys and values in each other's place
# right: keys and values that change places in the answer
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
    return out, v, k

# %% attend_with_cache: joined along the heads
# right: old and new put side by side along the heads
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    x = normalized_resid_pre
    q = torch.einsum("bpm,hmd->bphd", x, attn.W_Q) + attn.b_Q
    new_k = torch.einsum("bpm,hmd->bphd", x, attn.W_K) + attn.b_K
    new_v = torch.einsum("bpm,hmd->bphd", x, attn.W_V) + attn.b_V
    k = torch.cat([keys, new_k], dim=2)
    v = torch.cat([values, new_v], dim=2)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / attn.cfg.d_head ** 0.5
    n_new, n_old = x.shape[1], keys.shape[1]
    mask = torch.triu(torch.ones(n_new, n_old + n_new), diagonal=n_old + 1).bool()
    pattern = scores.masked_fill(mask, float("-inf")).softmax(-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, v)
    out = torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O
    return out, k, v

# %% attend_with_cache: b_O left out
# right: `b_O` left out
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
    out = torch.einsum("bqhd,hdm->bqm", z, attn.W_O)
    return out, k, v

# %% attend_with_cache: scores that are not scaled
# right: the scores not divided
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    x = normalized_resid_pre
    q = torch.einsum("bpm,hmd->bphd", x, attn.W_Q) + attn.b_Q
    new_k = torch.einsum("bpm,hmd->bphd", x, attn.W_K) + attn.b_K
    new_v = torch.einsum("bpm,hmd->bphd", x, attn.W_V) + attn.b_V
    k = torch.cat([keys, new_k], dim=1)
    v = torch.cat([values, new_v], dim=1)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k)
    n_new, n_old = x.shape[1], keys.shape[1]
    mask = torch.triu(torch.ones(n_new, n_old + n_new), diagonal=n_old + 1).bool()
    pattern = scores.masked_fill(mask, float("-inf")).softmax(-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, v)
    out = torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O
    return out, k, v

# %% attend_with_cache: softmax over the queries
# right: a softmax over the queries
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
    pattern = scores.masked_fill(mask, float("-inf")).softmax(-2)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, v)
    out = torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O
    return out, k, v

# %% attend_with_cache: b_V left out
# right: biases of queries, keys or values left out
def attend_with_cache(attn, normalized_resid_pre, keys, values):
    x = normalized_resid_pre
    q = torch.einsum("bpm,hmd->bphd", x, attn.W_Q) + attn.b_Q
    new_k = torch.einsum("bpm,hmd->bphd", x, attn.W_K) + attn.b_K
    new_v = torch.einsum("bpm,hmd->bphd", x, attn.W_V)
    k = torch.cat([keys, new_k], dim=1)
    v = torch.cat([values, new_v], dim=1)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / attn.cfg.d_head ** 0.5
    n_new, n_old = x.shape[1], keys.shape[1]
    mask = torch.triu(torch.ones(n_new, n_old + n_new), diagonal=n_old + 1).bool()
    pattern = scores.masked_fill(mask, float("-inf")).softmax(-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, v)
    out = torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O
    return out, k, v

# %% attend_with_cache: only what attention writes
# right: only what is written
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
    return out

# %% attend_with_cache: the old values left out of the mix
# right: the old values left out
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
    z = torch.einsum("bhqk,bkhd->bqhd", pattern[..., n_old:], new_v)
    out = torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O
    return out, k, v
