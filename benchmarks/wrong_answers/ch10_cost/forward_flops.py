"""Wrong answers to chapter 10's `forward_flops`, whole or as edits: benchmarks/answers.py says how."""

# %% forward_flops: multiply-adds, half of the FLOPs
# right: multiply-and-adds, each counted once
def forward_flops(cfg: Config, seq: int, batch: int = 1) -> int:
    width = cfg.n_heads * cfg.d_head
    tokens = batch * seq
    qkvo = 4 * tokens * cfg.d_model * width
    attn = 2 * batch * seq * seq * width
    mlp = 2 * tokens * cfg.d_model * cfg.d_mlp
    return cfg.n_layers * (qkvo + attn + mlp) + tokens * cfg.d_model * cfg.d_vocab

# %% forward_flops: twice the parameters for each token
# right: 2 · N for each token
def forward_flops(cfg, seq, batch=1):
    n = count_parameters(cfg)
    return 2 * n * batch * seq

# %% forward_flops: the scores are computed, the values are not blended
# right: half of the scores and of the blend, or one of them alone
def forward_flops(cfg, seq, batch=1):
    h = cfg.n_heads
    per_layer = 3 * 2 * seq * cfg.d_model * h * cfg.d_head
    per_layer += 2 * h * seq * cfg.d_head * seq
    per_layer += 2 * seq * h * cfg.d_head * cfg.d_model
    per_layer += 2 * seq * cfg.d_model * cfg.d_mlp * 2
    logits = 2 * seq * cfg.d_model * cfg.d_vocab
    return batch * (cfg.n_layers * per_layer + logits)

# %% forward_flops: the mask halves the scores
# right: only the half of the scores that the mask leaves
def forward_flops(cfg, seq, batch=1):
    d, w = cfg.d_model, cfg.n_heads * cfg.d_head
    pairs = seq * (seq + 1) // 2
    layer = 2 * seq * 4 * d * w + 2 * 2 * pairs * w + 2 * seq * 2 * d * cfg.d_mlp
    return batch * (cfg.n_layers * layer + 2 * seq * d * cfg.d_vocab)

# %% forward_flops: the batch is squared in the scores
# right: texts of a batch that meet each other
def forward_flops(cfg, seq, batch=1):
    n_tok = batch * seq
    width = cfg.n_heads * cfg.d_head
    attn_proj = 8 * n_tok * cfg.d_model * width
    attn_scores = 4 * n_tok * n_tok * width
    mlp = 4 * n_tok * cfg.d_model * cfg.d_mlp
    return cfg.n_layers * (attn_proj + attn_scores + mlp) + 2 * n_tok * cfg.d_model * cfg.d_vocab

# %% forward_flops: an embedding by one-hot vectors
# right: the embedding as a product
def forward_flops(cfg, seq, batch=1):
    def matmul(n, k, m):
        return 2 * n * k * m
    rows = batch * seq
    total = matmul(rows, cfg.d_vocab, cfg.d_model)
    for _ in range(cfg.n_layers):
        total += 3 * matmul(rows, cfg.d_model, cfg.n_heads * cfg.d_head)
        total += 2 * batch * cfg.n_heads * matmul(seq, cfg.d_head, seq)
        total += matmul(rows, cfg.n_heads * cfg.d_head, cfg.d_model)
        total += matmul(rows, cfg.d_model, cfg.d_mlp) + matmul(rows, cfg.d_mlp, cfg.d_model)
    return total + matmul(rows, cfg.d_model, cfg.d_vocab)

# %% forward_flops: the unembedding is forgotten
# right: work without the unembedding
def forward_flops(cfg, seq, batch=1):
    inner = cfg.n_heads * cfg.d_head
    attn = 2 * seq * cfg.d_model * inner * 4 + 2 * 2 * cfg.n_heads * seq ** 2 * cfg.d_head
    mlp = 2 * seq * cfg.d_model * cfg.d_mlp * 2
    return cfg.n_layers * (attn + mlp) * batch

# %% forward_flops: for one head
# right: one head
def forward_flops(cfg, seq, batch=1):
    proj = 4 * 2 * seq * cfg.d_model * cfg.d_head
    attn = 2 * 2 * seq * seq * cfg.d_head
    mlp = 2 * 2 * seq * cfg.d_model * cfg.d_mlp
    return batch * (cfg.n_layers * (proj + attn + mlp) + 2 * seq * cfg.d_model * cfg.d_vocab)

# %% forward_flops: the page's formula, values as wide as the stream
# right: values as wide as the stream
def forward_flops(cfg, seq, batch=1):
    head = 2 * cfg.d_model * cfg.d_head + seq * cfg.d_head + cfg.d_model * cfg.d_model + seq * cfg.d_model
    per_token = cfg.n_layers * (cfg.n_heads * head + 2 * cfg.d_model * cfg.d_mlp) + cfg.d_model * cfg.d_vocab
    return 2 * batch * seq * per_token

# %% forward_flops: two projections short, W_out is forgotten
# right: half of the MLP's work
def forward_flops(cfg, seq, batch=1):
    w = cfg.n_heads * cfg.d_head
    f = 0
    f += 2 * seq * cfg.d_model * w * 3
    f += 2 * seq * seq * w * 2
    f += 2 * seq * w * cfg.d_model
    f += 2 * seq * cfg.d_model * cfg.d_mlp
    f *= cfg.n_layers
    f += 2 * seq * cfg.d_model * cfg.d_vocab
    return f * batch

# %% forward_flops: what PaLM counts for a step of training
# right: the backward pass too
def forward_flops(cfg, seq, batch=1):
    n = count_parameters(cfg) - cfg.n_ctx * cfg.d_model
    return batch * seq * (6 * n + 12 * cfg.n_layers * cfg.n_heads * cfg.d_head * seq)

# %% forward_flops: one operation for a score
# right: one operation for a whole score
def forward_flops(cfg, seq, batch=1):
    inner = cfg.n_heads * cfg.d_head
    qkv = 2 * seq * cfg.d_model * 3 * inner
    scores = 2 * seq * seq * cfg.n_heads
    blend = 2 * seq * seq * cfg.n_heads
    proj = 2 * seq * inner * cfg.d_model
    mlp = 2 * seq * (2 * cfg.d_model * cfg.d_mlp)
    logits = 2 * seq * cfg.d_model * cfg.d_vocab
    return batch * (cfg.n_layers * (qkv + scores + blend + proj + mlp) + logits)

# %% forward_flops: brackets round the logits too
# right: the unembedding in every block
def forward_flops(cfg, seq, batch=1):
    inner = cfg.n_heads * cfg.d_head
    qkv = 2 * seq * cfg.d_model * 3 * inner
    scores = 2 * seq * seq * inner
    blend = 2 * seq * seq * inner
    proj = 2 * seq * inner * cfg.d_model
    mlp = 2 * seq * (2 * cfg.d_model * cfg.d_mlp)
    logits = 2 * seq * cfg.d_model * cfg.d_vocab
    return batch * cfg.n_layers * (qkv + scores + blend + proj + mlp + logits)
