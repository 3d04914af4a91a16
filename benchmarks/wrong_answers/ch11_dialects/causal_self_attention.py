"""Wrong answers to chapter 11's `CausalSelfAttention`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right
class CausalSelfAttention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.c_attn = nn.Linear(cfg.d_model, 3 * cfg.n_heads * cfg.d_head)
        self.c_proj = nn.Linear(cfg.n_heads * cfg.d_head, cfg.d_model)

    def forward(self, x):
        batch, pos, _ = x.shape
        q, k, v = self.c_attn(x).chunk(3, dim=-1)
        q, k, v = (t.view(batch, pos, self.cfg.n_heads, -1).transpose(1, 2) for t in (q, k, v))
        z = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(z.transpose(1, 2).reshape(batch, pos, -1))

# %% CausalSelfAttention: forgets is_causal
# right: no mask
class CausalSelfAttention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.c_attn = nn.Linear(cfg.d_model, 3 * cfg.n_heads * cfg.d_head)
        self.c_proj = nn.Linear(cfg.n_heads * cfg.d_head, cfg.d_model)

    def forward(self, x):
        B, T, C = x.size()
        nh, hs = self.cfg.n_heads, self.cfg.d_head
        q, k, v = self.c_attn(x).split(nh * hs, dim=2)
        k = k.view(B, T, nh, hs).transpose(1, 2)
        q = q.view(B, T, nh, hs).transpose(1, 2)
        v = v.view(B, T, nh, hs).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0)
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, nh * hs))

# %% CausalSelfAttention: nanoGPT's C, where n_heads * d_head is another size
class CausalSelfAttention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.c_attn = nn.Linear(cfg.d_model, 3 * cfg.d_model)
        self.c_proj = nn.Linear(cfg.d_model, cfg.d_model)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        k = k.view(B, T, self.cfg.n_heads, C // self.cfg.n_heads).transpose(1, 2)
        q = q.view(B, T, self.cfg.n_heads, C // self.cfg.n_heads).transpose(1, 2)
        v = v.view(B, T, self.cfg.n_heads, C // self.cfg.n_heads).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))

# %% CausalSelfAttention: no transpose back before the heads are joined
# right: heads merged before their axis was moved
# like: right
-        batch, pos, _ = x.shape
+        B, T, C = x.size()
+        nh, hs = self.cfg.n_heads, self.cfg.d_head
~ batch, pos, self.cfg.n_heads, -1 → B, T, nh, hs
~ z = → y =
~ z.transpose(1, 2).reshape(batch, pos, -1) → y.contiguous().view(B, T, nh * hs)

# %% CausalSelfAttention: a boolean mask of what is hidden
# right: a mask that is True where it should hide
# like: right
-        z = F.scaled_dot_product_attention(q, k, v, is_causal=True)
+        future = torch.triu(torch.ones(pos, pos, dtype=torch.bool), diagonal=1)
+        z = F.scaled_dot_product_attention(q, k, v, attn_mask=future)

# %% CausalSelfAttention: scales the queries first
# right: scores that are scaled twice
# like: right
         q, k, v = (t.view(batch, pos, self.cfg.n_heads, -1).transpose(1, 2) for t in (q, k, v))
+        q = q * self.cfg.d_head ** -0.5

# %% CausalSelfAttention: the heads' view before the split into three
# right: each head's queries, keys and values side by side
# like: right
-        q, k, v = self.c_attn(x).chunk(3, dim=-1)
-        q, k, v = (t.view(batch, pos, self.cfg.n_heads, -1).transpose(1, 2) for t in (q, k, v))
+        qkv = self.c_attn(x).view(batch, pos, self.cfg.n_heads, 3 * self.cfg.d_head).transpose(1, 2)
+        q, k, v = qkv.chunk(3, dim=-1)

# %% CausalSelfAttention: c_proj forgotten
# like: right
~ self.c_proj(z.transpose(1, 2).reshape(batch, pos, -1)) → z.transpose(1, 2).reshape(batch, pos, -1)

# %% CausalSelfAttention: the order k, q, v
# right: keys taken for queries
# like: right
~ q, k, v = self → k, q, v = self

# %% CausalSelfAttention: split(3)
# right: `split` told how many pieces
class CausalSelfAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        inner = cfg.n_heads * cfg.d_head
        self.c_attn = nn.Linear(cfg.d_model, 3 * inner)
        self.c_proj = nn.Linear(inner, cfg.d_model)

    def forward(self, x):
        B, T, C = x.size()
        n_head, hs = self.cfg.n_heads, self.cfg.d_head
        q, k, v = self.c_attn(x).split(3, dim=2)
        k = k.view(B, T, n_head, hs).transpose(1, 2)
        q = q.view(B, T, n_head, hs).transpose(1, 2)
        v = v.view(B, T, n_head, hs).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        y = y.transpose(1, 2).contiguous().view(B, T, n_head * hs)
        return self.c_proj(y)

# %% CausalSelfAttention: ALiBi's distances in the mask
# right: distances added to the scores
# like: split(3)
~ 3, dim → n_head * hs, dim
-        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
+        y = F.scaled_dot_product_attention(q, k, v, attn_mask=(torch.arange(T)[None] - torch.arange(T)[:, None]).float().masked_fill(torch.ones(T, T).triu(1).bool(), float('-inf')))
