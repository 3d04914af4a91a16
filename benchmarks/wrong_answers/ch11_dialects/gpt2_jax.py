"""Wrong answers to chapter 11's `gpt2_jax`, whole or as edits: benchmarks/answers.py says how."""

# %% gpt2_jax: vmap over axis 0, which is pos
# right: `vmap` over the positions
# like: writes minus infinity into the scores
~ scores[jnp.triu_indices(len(q), k=1)] = -jnp.inf → mask = jnp.tril(jnp.ones(scores.shape, dtype=bool))
~ (scores) → (jnp.where(mask, scores, -jnp.inf))
~ , in_axes=1, out_axes=1 →

# %% gpt2_jax: writes minus infinity into the scores
# right: an array assigned to in place
def gpt2_jax(input_ids, params, n_heads):
    def ln(x, p):
        return p.gamma * (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) + p.beta

    def head(q, k, v):
        scores = q @ k.T / jnp.sqrt(q.shape[-1])
        scores[jnp.triu_indices(len(q), k=1)] = -jnp.inf
        return jax.nn.softmax(scores) @ v

    n = input_ids.shape[0]
    x = params.W_e[input_ids] + params.W_p[:n]
    for block in params.blocks:
        m, f = block.mha_params, block.ffn_params
        q, k, v = jnp.split(ln(x, block.ln_1_params) @ m.W_qkv + m.b_qkv, 3, axis=-1)
        q, k, v = (t.reshape(n, n_heads, -1) for t in (q, k, v))
        z = jax.vmap(head, in_axes=1, out_axes=1)(q, k, v)
        x = x + z.reshape(n, -1) @ m.W_out + m.b_out
        x = x + jax.nn.gelu(ln(x, block.ln_2_params) @ f.W1 + f.b1) @ f.W2 + f.b2
    return ln(x, params.ln_f) @ params.W_e.T

# %% gpt2_jax: .at[].set() and the result dropped
# right: no mask
# like: writes minus infinity into the scores
~ [jnp.triu_indices(len(q), k=1)] = -jnp.inf → .at[jnp.triu_indices(len(q), k=1)].set(-jnp.inf)

# %% gpt2_jax: np.exp in a softmax of one's own, which can't be compiled
def gpt2_jax(input_ids, params, n_heads):
    def ln(x, p):
        return p.gamma * (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) + p.beta

    def softmax(x):
        e = np.exp(x - np.max(x, axis=-1, keepdims=True))
        return e / np.sum(e, axis=-1, keepdims=True)

    n = len(input_ids)
    mask = np.tri(n, dtype=bool)
    x = params.W_e[input_ids] + params.W_p[:n]
    for block in params.blocks:
        m, f = block.mha_params, block.ffn_params
        q, k, v = jnp.split(ln(x, block.ln_1_params) @ m.W_qkv + m.b_qkv, 3, axis=-1)
        heads = []
        for h in range(n_heads):
            d = q.shape[-1] // n_heads
            part = slice(h * d, (h + 1) * d)
            heads.append(softmax(jnp.where(mask, q[:, part] @ k[:, part].T / d**0.5, -1e10)) @ v[:, part])
        x = x + jnp.hstack(heads) @ m.W_out + m.b_out
        x = x + jax.nn.gelu(ln(x, block.ln_2_params) @ f.W1 + f.b1) @ f.W2 + f.b2
    return ln(x, params.ln_f) @ params.W_e.T

# %% gpt2_jax: the exact GELU
# right: the exact GELU, with erf
# like: writes minus infinity into the scores
~ scores[jnp.triu_indices(len(q), k=1)] = -jnp.inf → mask = jnp.tril(jnp.ones(scores.shape, dtype=bool))
~ (scores) → (jnp.where(mask, scores, -jnp.inf))
-        x = x + jax.nn.gelu(ln(x, block.ln_2_params) @ f.W1 + f.b1) @ f.W2 + f.b2
+        h = ln(x, block.ln_2_params) @ f.W1 + f.b1
+        x = x + (h * jax.scipy.stats.norm.cdf(h)) @ f.W2 + f.b2

# %% gpt2_jax: asks for a value with a Python if
# like: writes minus infinity into the scores
-        scores[jnp.triu_indices(len(q), k=1)] = -jnp.inf
-        return jax.nn.softmax(scores) @ v
+        if scores.max() > 80:
+            scores = scores - scores.max()
+        mask = jnp.tril(jnp.ones(scores.shape, dtype=bool))
+        e = jnp.exp(scores) * mask
+        return e / e.sum(-1, keepdims=True) @ v

# %% gpt2_jax: compiled by a decorator, n_heads among the traced
def gpt2_jax(input_ids, params, n_heads):
    @jax.jit
    def run(ids, params, n_heads):
        n = ids.shape[0]
        x = params.W_e[ids] + params.W_p[:n]
        for block in params.blocks:
            m = block.mha_params
            q, k, v = jnp.split(x @ m.W_qkv + m.b_qkv, 3, axis=-1)
            q = q.reshape(n, n_heads, -1)
        return x @ params.W_e.T
    return run(input_ids, params, n_heads)

# %% gpt2_jax: where, the mask's meaning of masked_fill
# right: the mask the other way round
def gpt2_jax(input_ids, params, n_heads):
    def layer_norm(x, p, eps=1e-5):
        mean = jnp.mean(x, axis=-1, keepdims=True)
        var = jnp.var(x, axis=-1, keepdims=True)
        return p.gamma * (x - mean) / jnp.sqrt(var + eps) + p.beta

    def head(q, k, v):
        scores = q @ k.T / jnp.sqrt(q.shape[-1])
        mask = jnp.tril(jnp.ones((len(q), len(q)), dtype=bool))
        scores = jnp.where(mask, -1e10, scores)
        return jax.nn.softmax(scores, axis=-1) @ v

    def mha(x, p):
        qkv = x @ p.W_qkv + p.b_qkv
        q, k, v = jnp.split(qkv, 3, axis=-1)
        q = q.reshape(len(x), n_heads, -1)
        k = k.reshape(len(x), n_heads, -1)
        v = v.reshape(len(x), n_heads, -1)
        z = jax.vmap(head, in_axes=1, out_axes=1)(q, k, v)
        return z.reshape(len(x), -1) @ p.W_out + p.b_out

    def ffn(x, p):
        return jax.nn.gelu(x @ p.W1 + p.b1) @ p.W2 + p.b2

    x = params.W_e[input_ids] + params.W_p[: len(input_ids)]
    for block in params.blocks:
        x = x + mha(layer_norm(x, block.ln_1_params), block.mha_params)
        x = x + ffn(layer_norm(x, block.ln_2_params), block.ffn_params)
    return layer_norm(x, params.ln_f) @ params.W_e.T

# %% gpt2_jax: W_p[input_ids]
# right: rows of the table of positions picked by the tokens
# like: where, the mask's meaning of masked_fill
~ -1e10, scores → scores, -1e10
~ : len(input_ids) → input_ids

# %% gpt2_jax: an if on the largest score
# right: an `if` that asks for a value
# like: where, the mask's meaning of masked_fill
-        scores = jnp.where(mask, -1e10, scores)
+        scores = jnp.where(mask, scores, -1e10)
+        if scores.max() > 80:
+            scores = scores - scores.max()

# %% gpt2_jax: GELU round the whole MLP
# right: GELU after the MLP's second matrix
# like: where, the mask's meaning of masked_fill
~ -1e10, scores → scores, -1e10
~ (x @ p.W1 + p.b1) @ p.W2 + p.b2 → ((x @ p.W1 + p.b1) @ p.W2 + p.b2)
