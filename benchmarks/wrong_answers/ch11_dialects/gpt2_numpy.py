"""Wrong answers to chapter 11's `gpt2_numpy`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right
def gpt2_numpy(input_ids, params, n_heads):
    def softmax(x):
        e = np.exp(x - np.max(x, axis=-1, keepdims=True))
        return e / np.sum(e, axis=-1, keepdims=True)

    def gelu(x):
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

    def ln(x, g, b):
        return g * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + b

    n = len(input_ids)
    x = params["wte"][input_ids] + params["wpe"][:n]
    for block in params["blocks"]:
        h = ln(x, **block["ln_1"])
        q, k, v = np.split(h @ block["attn"]["c_attn"]["w"] + block["attn"]["c_attn"]["b"], 3, axis=-1)
        q, k, v = (np.array(np.split(t, n_heads, axis=-1)) for t in (q, k, v))
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1]) + (1 - np.tri(n)) * -1e10
        x = x + np.hstack(list(softmax(scores) @ v)) @ block["attn"]["c_proj"]["w"] + block["attn"]["c_proj"]["b"]
        h = ln(x, **block["ln_2"])
        h = gelu(h @ block["mlp"]["c_fc"]["w"] + block["mlp"]["c_fc"]["b"])
        x = x + h @ block["mlp"]["c_proj"]["w"] + block["mlp"]["c_proj"]["b"]
    return ln(x, **params["ln_f"]) @ params["wte"].T

# %% gpt2_numpy: no mask at all
# right: no mask
def gpt2_numpy(input_ids, params, n_heads):
    def softmax(x):
        e = np.exp(x - np.max(x, axis=-1, keepdims=True))
        return e / np.sum(e, axis=-1, keepdims=True)

    def gelu(x):
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

    def ln(x, g, b):
        return g * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + b

    x = params["wte"][input_ids] + params["wpe"][np.arange(len(input_ids))]
    for block in params["blocks"]:
        h = ln(x, **block["ln_1"])
        qkv = h @ block["attn"]["c_attn"]["w"] + block["attn"]["c_attn"]["b"]
        q, k, v = np.split(qkv, 3, axis=-1)
        heads = []
        for qh, kh, vh in zip(np.split(q, n_heads, -1), np.split(k, n_heads, -1), np.split(v, n_heads, -1)):
            heads.append(softmax(qh @ kh.T / np.sqrt(qh.shape[-1])) @ vh)
        x = x + np.hstack(heads) @ block["attn"]["c_proj"]["w"] + block["attn"]["c_proj"]["b"]
        h = ln(x, **block["ln_2"])
        h = gelu(h @ block["mlp"]["c_fc"]["w"] + block["mlp"]["c_fc"]["b"])
        x = x + h @ block["mlp"]["c_proj"]["w"] + block["mlp"]["c_proj"]["b"]
    return ln(x, **params["ln_f"]) @ params["wte"].T

# %% gpt2_numpy: scales by the whole width, before the heads are split
# right: scores divided by the root of d_model
# like: right
         q, k, v = np.split(h @ block["attn"]["c_attn"]["w"] + block["attn"]["c_attn"]["b"], 3, axis=-1)
+        scale = 1 / np.sqrt(q.shape[-1])
         q, k, v = (np.array(np.split(t, n_heads, axis=-1)) for t in (q, k, v))
-        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1]) + (1 - np.tri(n)) * -1e10
-        x = x + np.hstack(list(softmax(scores) @ v)) @ block["attn"]["c_proj"]["w"] + block["attn"]["c_proj"]["b"]
+        scores = q @ k.transpose(0, 2, 1) * scale + (1 - np.tri(n)) * -1e10
+        z = softmax(scores) @ v
+        x = x + np.hstack(list(z)) @ block["attn"]["c_proj"]["w"] + block["attn"]["c_proj"]["b"]

# %% gpt2_numpy: forgets ln_f
# right: the final LayerNorm left out
# like: right
~ ln(x, **params["ln_f"]) → x

# %% gpt2_numpy: overwrites the stream with its normalised self
# right: the normalised stream carried on
# like: right
~ h = ln(x, **block["ln_1"]) → x = ln(x, **block["ln_1"])
~ h @ block["attn"] → x @ block["attn"]

# %% gpt2_numpy: reshape for the heads without a transpose
# right: heads that are cut across the positions
# like: right
-        q, k, v = (np.array(np.split(t, n_heads, axis=-1)) for t in (q, k, v))
-        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1]) + (1 - np.tri(n)) * -1e10
-        x = x + np.hstack(list(softmax(scores) @ v)) @ block["attn"]["c_proj"]["w"] + block["attn"]["c_proj"]["b"]
+        q, k, v = (t.reshape(n_heads, n, -1) for t in (q, k, v))
+        scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
+        scores = np.where(np.tri(n) == 1, scores, -1e10)
+        z = (softmax(scores) @ v).transpose(1, 0, 2).reshape(n, -1)
+        x = x + z @ block["attn"]["c_proj"]["w"] + block["attn"]["c_proj"]["b"]

# %% gpt2_numpy: softmax over the wrong axis
# right: softmax over the queries
# like: right
~ x, axis=-1 → x, axis=-2
~ e, axis=-1 → e, axis=-2

# %% gpt2_numpy: softmax over the heads
# right: softmax over the heads
# like: right
~ x, axis=-1 → x, axis=0
~ e, axis=-1 → e, axis=0

# %% gpt2_numpy: torch in the middle, and a tensor in the end
def gpt2_numpy(input_ids, params, n_heads):
    x = torch.from_numpy(params["wte"][input_ids] + params["wpe"][: len(input_ids)])
    return F.layer_norm(x, x.shape[-1:], torch.from_numpy(params["ln_f"]["g"]), torch.from_numpy(params["ln_f"]["b"])) @ torch.from_numpy(params["wte"]).T

# %% gpt2_numpy: both sums with +=, the first on a view of wpe
# right: the table of positions changed in place
# like: right
-    x = params["wte"][input_ids] + params["wpe"][:n]
+    x = params["wpe"][:n]
+    x += params["wte"][input_ids]

# %% gpt2_numpy: std plus eps
# right: eps outside the root
def gpt2_numpy(input_ids, params, n_heads):
    def ln(x, g, b, eps=1e-5):
        mu = np.mean(x, axis=-1, keepdims=True)
        var = np.var(x, axis=-1, keepdims=True)
        return g * (x - mu) / (np.sqrt(var) + eps) + b

    def linear(x, w, b):
        return x @ w + b

    def gelu(x):
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

    def softmax(x):
        e = np.exp(x - np.max(x, axis=-1, keepdims=True))
        return e / np.sum(e, axis=-1, keepdims=True)

    def attention(q, k, v, mask):
        return softmax(q @ k.T / np.sqrt(q.shape[-1]) + mask) @ v

    def mha(x, c_attn, c_proj):
        x = linear(x, **c_attn)
        qkv = np.split(x, 3, axis=-1)
        qkv_heads = [np.split(part, n_heads, axis=-1) for part in qkv]
        mask = (1 - np.tri(x.shape[0])) * -1e10
        out = [attention(q, k, v, mask) for q, k, v in zip(*qkv_heads)]
        return linear(np.hstack(out), **c_proj)

    def ffn(x, c_fc, c_proj):
        return linear(gelu(linear(x, **c_fc)), **c_proj)

    x = params["wte"][input_ids] + params["wpe"][range(len(input_ids))]
    for block in params["blocks"]:
        x = x + mha(ln(x, **block["ln_1"]), **block["attn"])
        x = x + ffn(ln(x, **block["ln_2"]), **block["mlp"])
    return ln(x, **params["ln_f"]) @ params["wte"].T

# %% gpt2_numpy: the root on x alone
# right: the root of 2/π on x alone
def gpt2_numpy(input_ids, params, n_heads):
    def norm(x, p):
        m = x.mean(-1, keepdims=True)
        v = ((x - m) ** 2).mean(-1, keepdims=True)
        return (x - m) / np.sqrt(v + 1e-5) * p["g"] + p["b"]

    n = len(input_ids)
    seen = np.tri(n, dtype=bool)
    x = params["wte"][input_ids] + params["wpe"][:n]
    for blk in params["blocks"]:
        h = norm(x, blk["ln_1"])
        qkv = h @ blk["attn"]["c_attn"]["w"] + blk["attn"]["c_attn"]["b"]
        q, k, v = qkv.reshape(n, 3, n_heads, -1).transpose(1, 2, 0, 3)
        s = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        s = np.where(seen, s, -np.inf)
        s = np.exp(s - s.max(axis=-1, keepdims=True))
        p = s / s.sum(axis=-1, keepdims=True)
        z = (p @ v).transpose(1, 0, 2).reshape(n, -1)
        x = x + z @ blk["attn"]["c_proj"]["w"] + blk["attn"]["c_proj"]["b"]
        h = norm(x, blk["ln_2"])
        a = h @ blk["mlp"]["c_fc"]["w"] + blk["mlp"]["c_fc"]["b"]
        a = 0.5 * a * (1 + np.tanh(math.sqrt(2 / math.pi) * a + 0.044715 * a**3))
        x = x + a @ blk["mlp"]["c_proj"]["w"] + blk["mlp"]["c_proj"]["b"]
    return norm(x, params["ln_f"]) @ params["wte"].T

# %% gpt2_numpy: picoGPT's mask without 1 -
# right: the mask the other way round
# like: std plus eps
~ (np.sqrt(var) + eps) → np.sqrt(var + eps)
~ (1 - np.tri(x.shape[0])) → np.tri(x.shape[0])
