"""Wrong answers to chapter 11's `gpt2_numpy` as learners write them, one whole cell each, titled with what went wrong.

Under a title, `# right:` names a misconception that is a true cause; benchmarks/diagnosis.py counts any other as misled.
"""
# fmt: off
# ruff: noqa

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
        scale = 1 / np.sqrt(q.shape[-1])
        q, k, v = (np.array(np.split(t, n_heads, axis=-1)) for t in (q, k, v))
        scores = q @ k.transpose(0, 2, 1) * scale + (1 - np.tri(n)) * -1e10
        z = softmax(scores) @ v
        x = x + np.hstack(list(z)) @ block["attn"]["c_proj"]["w"] + block["attn"]["c_proj"]["b"]
        h = ln(x, **block["ln_2"])
        h = gelu(h @ block["mlp"]["c_fc"]["w"] + block["mlp"]["c_fc"]["b"])
        x = x + h @ block["mlp"]["c_proj"]["w"] + block["mlp"]["c_proj"]["b"]
    return ln(x, **params["ln_f"]) @ params["wte"].T

# %% gpt2_numpy: forgets ln_f
# right: the final LayerNorm left out
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
    return x @ params["wte"].T

# %% gpt2_numpy: overwrites the stream with its normalised self
# right: the normalised stream carried on
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
        x = ln(x, **block["ln_1"])
        q, k, v = np.split(x @ block["attn"]["c_attn"]["w"] + block["attn"]["c_attn"]["b"], 3, axis=-1)
        q, k, v = (np.array(np.split(t, n_heads, axis=-1)) for t in (q, k, v))
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1]) + (1 - np.tri(n)) * -1e10
        x = x + np.hstack(list(softmax(scores) @ v)) @ block["attn"]["c_proj"]["w"] + block["attn"]["c_proj"]["b"]
        h = ln(x, **block["ln_2"])
        h = gelu(h @ block["mlp"]["c_fc"]["w"] + block["mlp"]["c_fc"]["b"])
        x = x + h @ block["mlp"]["c_proj"]["w"] + block["mlp"]["c_proj"]["b"]
    return ln(x, **params["ln_f"]) @ params["wte"].T

# %% gpt2_numpy: reshape for the heads without a transpose
# right: heads split off by `reshape` alone
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
        q, k, v = (t.reshape(n_heads, n, -1) for t in (q, k, v))
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
        scores = np.where(np.tri(n) == 1, scores, -1e10)
        z = (softmax(scores) @ v).transpose(1, 0, 2).reshape(n, -1)
        x = x + z @ block["attn"]["c_proj"]["w"] + block["attn"]["c_proj"]["b"]
        h = ln(x, **block["ln_2"])
        h = gelu(h @ block["mlp"]["c_fc"]["w"] + block["mlp"]["c_fc"]["b"])
        x = x + h @ block["mlp"]["c_proj"]["w"] + block["mlp"]["c_proj"]["b"]
    return ln(x, **params["ln_f"]) @ params["wte"].T

# %% gpt2_numpy: softmax over the wrong axis
# right: softmax over the queries
def gpt2_numpy(input_ids, params, n_heads):
    def softmax(x):
        e = np.exp(x - np.max(x, axis=-2, keepdims=True))
        return e / np.sum(e, axis=-2, keepdims=True)

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

# %% gpt2_numpy: torch in the middle, and a tensor in the end
def gpt2_numpy(input_ids, params, n_heads):
    x = torch.from_numpy(params["wte"][input_ids] + params["wpe"][: len(input_ids)])
    return F.layer_norm(x, x.shape[-1:], torch.from_numpy(params["ln_f"]["g"]), torch.from_numpy(params["ln_f"]["b"])) @ torch.from_numpy(params["wte"]).T

# %% gpt2_numpy: both sums with +=, the first on a view of wpe
# right: the table of positions changed in place
def gpt2_numpy(input_ids, params, n_heads):
    def softmax(x):
        e = np.exp(x - np.max(x, axis=-1, keepdims=True))
        return e / np.sum(e, axis=-1, keepdims=True)

    def gelu(x):
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

    def ln(x, g, b):
        return g * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + b

    n = len(input_ids)
    x = params["wpe"][:n]
    x += params["wte"][input_ids]
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
