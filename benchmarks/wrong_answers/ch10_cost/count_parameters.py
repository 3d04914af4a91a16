"""Wrong answers to chapter 10's `count_parameters`, whole or as edits: benchmarks/answers.py says how."""

# %% count_parameters: no biases anywhere in the blocks
# right: a count without biases
def count_parameters(cfg: Config, tied: bool = True) -> int:
    d = cfg.d_model
    inner = cfg.n_heads * cfg.d_head
    per_block = 3 * d * inner + inner * d + d * cfg.d_mlp + cfg.d_mlp * d + 4 * d
    total = cfg.d_vocab * d + cfg.n_ctx * d + cfg.n_layers * per_block + 2 * d
    if not tied:
        total += d * cfg.d_vocab
    return total

# %% count_parameters: the unembedding as well, whatever tied says
# right: counting the unembedding although it is tied
def count_parameters(cfg, tied=True):
    embed = cfg.d_vocab * cfg.d_model
    pos = cfg.n_ctx * cfg.d_model
    ln = 2 * cfg.d_model
    attn = 3 * (cfg.n_heads * cfg.d_model * cfg.d_head + cfg.n_heads * cfg.d_head)
    attn += cfg.n_heads * cfg.d_head * cfg.d_model + cfg.d_model
    mlp = cfg.d_model * cfg.d_mlp + cfg.d_mlp + cfg.d_mlp * cfg.d_model + cfg.d_model
    unembed = cfg.d_model * cfg.d_vocab
    return embed + pos + cfg.n_layers * (ln + attn + ln + mlp) + ln + unembed

# %% count_parameters: GPT-2's square matrices
# right: d_model for n_heads * d_head
def count_parameters(cfg, tied=True):
    d = cfg.d_model
    block = 4 * (d * d + d) + 2 * d * cfg.d_mlp + cfg.d_mlp + d + 2 * 2 * d
    n = (cfg.d_vocab + cfg.n_ctx) * d + cfg.n_layers * block + 2 * d
    return n if tied else n + cfg.d_vocab * d

# %% count_parameters: nanoGPT's formula, n_layers 12 d squared
# right: d_model for n_heads * d_head
# right: only the matrices and tables
# right: 4 * d_model for d_mlp
# right: 12 * d_model² for a block
def count_parameters(cfg, tied=True):
    blocks = cfg.n_layers * 12 * cfg.d_model ** 2
    tables = (cfg.d_vocab + cfg.n_ctx) * cfg.d_model
    if tied:
        return blocks + tables
    return blocks + tables + cfg.d_vocab * cfg.d_model

# %% count_parameters: the MLP is outside of the product with n_layers
def count_parameters(cfg, tied=True):
    heads = cfg.n_heads * cfg.d_head
    attn = 4 * cfg.d_model * heads + 3 * heads + cfg.d_model
    mlp = 2 * cfg.d_model * cfg.d_mlp + cfg.d_mlp + cfg.d_model
    total = cfg.n_layers * (attn + 4 * cfg.d_model) + mlp
    total += cfg.d_model * (cfg.d_vocab + cfg.n_ctx + 2)
    if not tied:
        total += cfg.d_model * cfg.d_vocab
    return total

# %% count_parameters: b_in is forgotten
def count_parameters(cfg, tied=True):
    heads = cfg.n_heads * cfg.d_head
    attn = 4 * cfg.d_model * heads + 3 * heads + cfg.d_model
    mlp = 2 * cfg.d_model * cfg.d_mlp + cfg.d_model
    norms = (2 * cfg.n_layers + 1) * 2 * cfg.d_model
    total = cfg.d_model * (cfg.d_vocab + cfg.n_ctx) + norms + cfg.n_layers * (attn + mlp)
    return total + (not tied) * cfg.d_model * cfg.d_vocab

# %% count_parameters: the positions and the last norm are forgotten, two mistakes
# right: a count without the position table
# right: a count without `ln_final`
def count_parameters(cfg, tied=True):
    heads = cfg.n_heads * cfg.d_head
    attn = 4 * cfg.d_model * heads + 3 * heads + cfg.d_model
    mlp = 2 * cfg.d_model * cfg.d_mlp + cfg.d_mlp + cfg.d_model
    total = cfg.d_model * cfg.d_vocab + cfg.n_layers * (attn + mlp + 4 * cfg.d_model)
    return total if tied else total + cfg.d_model * cfg.d_vocab

# %% count_parameters: W_Q, W_K and W_V, and no W_O with its bias
# right: three matrices of attention
def count_parameters(cfg, tied=True):
    qkv = 3 * cfg.n_heads * cfg.d_head * (cfg.d_model + 1)
    mlp = cfg.d_mlp * (cfg.d_model + 1) + cfg.d_model * (cfg.d_mlp + 1)
    block = qkv + mlp + 2 * (2 * cfg.d_model)
    everything = cfg.d_vocab * cfg.d_model + cfg.n_ctx * cfg.d_model + block * cfg.n_layers + 2 * cfg.d_model
    if tied == False:
        everything = everything + cfg.d_vocab * cfg.d_model
    return everything

# %% count_parameters: the frozen b_U is counted where it is untied
# right: a bias in the unembedding
def count_parameters(cfg, tied=True):
    width = cfg.n_heads * cfg.d_head
    n = cfg.d_vocab * cfg.d_model + cfg.n_ctx * cfg.d_model
    for layer in range(cfg.n_layers):
        n += 4 * cfg.d_model
        n += 3 * (cfg.d_model * width + width) + width * cfg.d_model + cfg.d_model
        n += cfg.d_model * cfg.d_mlp + cfg.d_mlp + cfg.d_mlp * cfg.d_model + cfg.d_model
    n += 2 * cfg.d_model
    if not tied:
        n += cfg.d_model * cfg.d_vocab + cfg.d_vocab
    return n

# %% count_parameters: rounded to millions
# right: a count in millions
def count_parameters(cfg, tied=True):
    width = cfg.n_heads * cfg.d_head
    block = 4 * cfg.d_model * width + 3 * width + 2 * cfg.d_model * cfg.d_mlp + cfg.d_mlp + 6 * cfg.d_model
    n = cfg.d_model * (cfg.d_vocab * (1 if tied else 2) + cfg.n_ctx + 2) + cfg.n_layers * block
    return n / 10 ** 6

# %% count_parameters: 12 n_layers d_model², and one table
# right: 12 * d_model² for a block
def count_parameters(cfg, tied=True):
    n = 12 * cfg.n_layers * cfg.d_model**2
    n += cfg.d_vocab * cfg.d_model
    if not tied:
        n += cfg.d_vocab * cfg.d_model
    return n

# %% count_parameters: brackets that end too early
# right: a part of the block outside of the brackets
def count_parameters(cfg, tied=True):
    D, H, K, F, V, C, L = cfg.d_model, cfg.n_heads, cfg.d_head, cfg.d_mlp, cfg.d_vocab, cfg.n_ctx, cfg.n_layers
    attn = 3 * (D * H * K + H * K) + H * K * D + D
    mlp = D * F + F + F * D + D
    ln = 2 * D
    total = V * D + C * D + L * attn + mlp + 2 * ln + ln
    if not tied:
        total += D * V
    return total

# %% count_parameters: b_O as long as the heads, and no b_out
# right: every bias of attention as long as those of the heads
# like: brackets that end too early
~ K * D + D → K * D + H * K
~ F * D + D → F * D
~ attn + mlp + 2 * ln → (attn + mlp + 2 * ln)

# %% count_parameters: HuggingFace's config
def count_parameters(cfg, tied=True):
    h = cfg.n_embd
    block = 12 * h * h + 13 * h
    return cfg.vocab_size * h + cfg.n_positions * h + cfg.n_layer * block + 2 * h + (0 if tied else cfg.vocab_size * h)
