"""Wrong answers to chapter 10's `kv_cache_bytes`, whole or as edits: benchmarks/answers.py says how."""

# %% kv_cache_bytes: without the 2 of keys and values
# right: keys alone
def kv_cache_bytes(cfg: Config, seq: int, batch: int = 1, bytes_per_value: int = 2) -> int:
    per_layer = batch * seq * cfg.n_heads * cfg.d_head
    return per_layer * cfg.n_layers * bytes_per_value

# %% kv_cache_bytes: the 2 is taken for the bytes
# right: numbers, not bytes
def kv_cache_bytes(cfg, seq, batch=1, bytes_per_value=2):
    total = 0
    for _ in range(cfg.n_layers):
        total += 2 * seq * cfg.n_heads * cfg.d_head * batch
    return total

# %% kv_cache_bytes: as in the blogs, 2 L d
# right: d_model for n_heads * d_head
def kv_cache_bytes(cfg, seq, batch=1, bytes_per_value=2):
    return 2 * bytes_per_value * cfg.n_layers * cfg.d_model * seq * batch

# %% kv_cache_bytes: allocated for the whole context
# right: n_ctx tokens, however long the text is
def kv_cache_bytes(cfg, seq, batch=1, bytes_per_value=2):
    shape = (2, cfg.n_layers, batch, cfg.n_heads, cfg.n_ctx, cfg.d_head)
    n = 1
    for size in shape:
        n *= size
    return n * bytes_per_value

# %% kv_cache_bytes: one text whatever the batch
# right: ignoring `batch`
def kv_cache_bytes(cfg, seq, batch=1, bytes_per_value=2):
    keys = seq * cfg.n_heads * cfg.d_head
    values = seq * cfg.n_heads * cfg.d_head
    return cfg.n_layers * (keys + values) * bytes_per_value

# %% kv_cache_bytes: the layers are forgotten
# right: one layer
def kv_cache_bytes(cfg, seq, batch=1, bytes_per_value=2):
    kv = batch * seq * cfg.n_heads * cfg.d_head * bytes_per_value
    return kv + kv

# %% kv_cache_bytes: keys are d_head, values d_model
def kv_cache_bytes(cfg, seq, batch=1, bytes_per_value=2):
    key = cfg.n_heads * cfg.d_head
    value = cfg.d_model
    return batch * seq * cfg.n_layers * (key + value) * bytes_per_value

# %% kv_cache_bytes: in float32 by habit
# right: always 4 bytes
def kv_cache_bytes(cfg, seq, batch=1, bytes_per_value=2):
    return torch.zeros(2, 1).element_size() * 2 * cfg.n_layers * batch * seq * cfg.n_heads * cfg.d_head

# %% kv_cache_bytes: queries are kept too
# right: queries too
def kv_cache_bytes(cfg, seq, batch=1, bytes_per_value=2):
    qkv = 3 * cfg.n_heads * cfg.d_head
    return qkv * seq * batch * cfg.n_layers * bytes_per_value
