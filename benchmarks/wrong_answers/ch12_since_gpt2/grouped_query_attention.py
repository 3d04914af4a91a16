"""Wrong answers to chapter 12's `GroupedQueryAttention`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, as in transformers
class GroupedQueryAttention(nn.Module):
    def __init__(self, cfg: ModernConfig):
        super().__init__()
        self.cfg = cfg
        self.W_Q = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_model, cfg.d_head))
        self.W_K = nn.Parameter(torch.empty(cfg.n_kv_heads, cfg.d_model, cfg.d_head))
        self.W_V = nn.Parameter(torch.empty(cfg.n_kv_heads, cfg.d_model, cfg.d_head))
        self.W_O = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_head, cfg.d_model))
        for weight in self.parameters():
            nn.init.normal_(weight, std=cfg.init_range)
        if cfg.qk_norm:
            of_a_head = replace(cfg, d_model=cfg.d_head)
            self.q_norm, self.k_norm = RMSNorm(of_a_head), RMSNorm(of_a_head)
        cos, sin = rotary_tables(cfg.n_ctx, cfg.d_head, cfg.rotary_base)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)

    def project(self, normalized_resid_pre, positions):
        q = torch.einsum("bpm,hmd->bphd", normalized_resid_pre, self.W_Q)
        k = torch.einsum("bpm,hmd->bphd", normalized_resid_pre, self.W_K)
        v = torch.einsum("bpm,hmd->bphd", normalized_resid_pre, self.W_V)
        if self.cfg.qk_norm:
            q = self.q_norm(q)
            k = self.k_norm(k)
        q = apply_rotary(q, (self.cos, self.sin), positions)
        k = apply_rotary(k, (self.cos, self.sin), positions)
        return q, k, v

    def attend(self, q, k, v):
        group = self.cfg.n_heads // self.cfg.n_kv_heads
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        k = k.repeat_interleave(group, dim=1)
        v = v.repeat_interleave(group, dim=1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.cfg.d_head)
        n_new, n_all = scores.shape[-2:]
        mask = torch.ones(n_new, n_all).tril(n_all - n_new)
        scores = scores.masked_fill(mask == 0, float("-inf"))
        pattern = F.softmax(scores, dim=-1)
        z = (pattern @ v).transpose(1, 2)
        return torch.einsum("bphd,hdm->bpm", z, self.W_O)

    def forward(self, normalized_resid_pre):
        positions = torch.arange(normalized_resid_pre.shape[1])
        return self.attend(*self.project(normalized_resid_pre, positions))

# %% GroupedQueryAttention: repeat in the place of repeat_interleave
# right: heads that share keys in turn, and not in groups of neighbours
# like: right, as in transformers
-        k = k.repeat_interleave(group, dim=1)
-        v = v.repeat_interleave(group, dim=1)
+        k = k.repeat(1, group, 1, 1)
+        v = v.repeat(1, group, 1, 1)

# %% GroupedQueryAttention: copies joined by cat
# right: heads that share keys in turn, and not in groups of neighbours
# like: right, as in transformers
-        k = k.repeat_interleave(group, dim=1)
-        v = v.repeat_interleave(group, dim=1)
+        k = torch.cat([k] * group, dim=1)
+        v = torch.cat([v] * group, dim=1)

# %% GroupedQueryAttention: the group expanded on the wrong side of the heads
# right: heads that share keys in turn, and not in groups of neighbours
# like: right, as in transformers
-        k = k.repeat_interleave(group, dim=1)
-        v = v.repeat_interleave(group, dim=1)
+        k = k[:, None].expand(-1, group, -1, -1, -1).flatten(1, 2)
+        v = v[:, None].expand(-1, group, -1, -1, -1).flatten(1, 2)

# %% GroupedQueryAttention: only the values by repeat
# right: keys in groups of neighbours, and values in turn
# like: right, as in transformers
~ v.repeat_interleave(group, dim=1) → v.repeat(1, group, 1, 1)

# %% GroupedQueryAttention: queries cut into [group n_kv_heads]
# right: heads that share keys in turn, and not in groups of neighbours
# like: right, as in transformers
-        k = k.repeat_interleave(group, dim=1)
-        v = v.repeat_interleave(group, dim=1)
-        scores = q @ k.transpose(-2, -1) / math.sqrt(self.cfg.d_head)
+        q = q.unflatten(1, (group, self.cfg.n_kv_heads))
+        scores = q @ k[:, None].transpose(-2, -1) / math.sqrt(self.cfg.d_head)
...
-        z = (pattern @ v).transpose(1, 2)
+        z = (pattern @ v[:, None]).flatten(1, 2).transpose(1, 2)

# %% GroupedQueryAttention: repeated n_kv_heads times
# right: a group as large as the number of heads of keys
# like: the solution
~ self.cfg.n_heads // self.cfg.n_kv_heads → self.cfg.n_kv_heads

# %% GroupedQueryAttention: three copies, as SmolLM2 needs
# right: a size of the groups that is written out
# like: right, as in transformers
~ self.cfg.n_heads // self.cfg.n_kv_heads → 3

# %% GroupedQueryAttention: not repeated
# right: keys and values that are not repeated
# like: right, as in transformers
-        k = k.repeat_interleave(group, dim=1)
-        v = v.repeat_interleave(group, dim=1)

# %% GroupedQueryAttention: the axis of transformers' repeat_kv
# right: positions repeated in the place of heads
# like: the solution
~ k.repeat_interleave(group, dim=2), v.repeat_interleave(group, dim=2) → k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)

# %% GroupedQueryAttention: repeated in project
# right: keys and values that are repeated before a cache keeps them
# like: right, as in transformers
-        k = apply_rotary(k, (self.cos, self.sin), positions)
+        k = apply_rotary(k, (self.cos, self.sin), positions)
+        group = self.cfg.n_heads // self.cfg.n_kv_heads
+        k, v = k.repeat_interleave(group, dim=2), v.repeat_interleave(group, dim=2)
...
-        group = self.cfg.n_heads // self.cfg.n_kv_heads
         q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
-        k = k.repeat_interleave(group, dim=1)
-        v = v.repeat_interleave(group, dim=1)

# %% GroupedQueryAttention: heads first in project
# right: heads before positions in what `project` gives
# like: right, as in transformers
-        return q, k, v
+        return q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
...
-        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)

# %% GroupedQueryAttention: values turned too
# right: values that are turned too
# like: right, as in transformers
-        return q, k, v
+        return q, k, apply_rotary(v, (self.cos, self.sin), positions)

# %% GroupedQueryAttention: queries alone turned
# right: queries turned, and keys not
# like: right, as in transformers
-        k = apply_rotary(k, (self.cos, self.sin), positions)

# %% GroupedQueryAttention: what apply_rotary gives is dropped
# right: queries and keys that are not turned
# like: right, as in transformers
-        q = apply_rotary(q, (self.cos, self.sin), positions)
-        k = apply_rotary(k, (self.cos, self.sin), positions)
+        apply_rotary(q, (self.cos, self.sin), positions)
+        apply_rotary(k, (self.cos, self.sin), positions)

# %% GroupedQueryAttention: sines before cosines
# right: a turn the other way
# like: right, as in transformers
~ apply_rotary(q, (self.cos, self.sin) → apply_rotary(q, (self.sin, self.cos)
~ apply_rotary(k, (self.cos, self.sin) → apply_rotary(k, (self.sin, self.cos)

# %% GroupedQueryAttention: positions counted anew
# right: positions that start at 0 in every part
# like: right, as in transformers
-        q = apply_rotary(q, (self.cos, self.sin), positions)
-        k = apply_rotary(k, (self.cos, self.sin), positions)
+        n = normalized_resid_pre.shape[1]
+        q = apply_rotary(q, (self.cos, self.sin), torch.arange(n))
+        k = apply_rotary(k, (self.cos, self.sin), torch.arange(n))

# %% GroupedQueryAttention: a base of 10000
# right: a base that is written out
# like: right, as in transformers
-        q = apply_rotary(q, (self.cos, self.sin), positions)
-        k = apply_rotary(k, (self.cos, self.sin), positions)
+        tables = rotary_tables(self.cfg.n_ctx, self.cfg.d_head, 10000)
+        q = apply_rotary(q, tables, positions)
+        k = apply_rotary(k, tables, positions)

# %% GroupedQueryAttention: Meta's pairs, by complex numbers
# right: pairs of neighbours in the place of halves
# like: right, as in transformers
-        q = apply_rotary(q, (self.cos, self.sin), positions)
-        k = apply_rotary(k, (self.cos, self.sin), positions)
+        freqs_cis = torch.complex(self.cos, self.sin)[positions][:, None]
+        q_ = torch.view_as_complex(q.reshape(*q.shape[:-1], -1, 2).contiguous())
+        k_ = torch.view_as_complex(k.reshape(*k.shape[:-1], -1, 2).contiguous())
+        q = torch.view_as_real(q_ * freqs_cis).flatten(3)
+        k = torch.view_as_real(k_ * freqs_cis).flatten(3)

# %% GroupedQueryAttention: turned in attend, all keys anew for each token
# right: queries and keys that are turned in `attend`
# like: right, as in transformers
-        q = apply_rotary(q, (self.cos, self.sin), positions)
-        k = apply_rotary(k, (self.cos, self.sin), positions)
...
-        group = self.cfg.n_heads // self.cfg.n_kv_heads
+        positions = torch.arange(k.shape[1])
+        q = apply_rotary(q, (self.cos, self.sin), positions[-q.shape[1] :])
+        k = apply_rotary(k, (self.cos, self.sin), positions)
+        group = self.cfg.n_heads // self.cfg.n_kv_heads

# %% GroupedQueryAttention: the keys turned again in attend
# right: keys that are turned once more in `attend`
# like: right, as in transformers
-        group = self.cfg.n_heads // self.cfg.n_kv_heads
+        k = apply_rotary(k, (self.cos, self.sin), torch.arange(k.shape[1]))
+        group = self.cfg.n_heads // self.cfg.n_kv_heads

# %% GroupedQueryAttention: norm after the turn
# right: a norm after the turn
# like: right, as in transformers
-        if self.cfg.qk_norm:
-            q = self.q_norm(q)
-            k = self.k_norm(k)
         q = apply_rotary(q, (self.cos, self.sin), positions)
         k = apply_rotary(k, (self.cos, self.sin), positions)
+        if self.cfg.qk_norm:
+            q = self.q_norm(q)
+            k = self.k_norm(k)

# %% GroupedQueryAttention: qk_norm forgotten
# right: no norm of queries and keys
# like: right, as in transformers
-        if self.cfg.qk_norm:
-            q = self.q_norm(q)
-            k = self.k_norm(k)

# %% GroupedQueryAttention: q_norm for the keys too
# right: one norm for queries and keys
# like: right, as in transformers
~ self.k_norm(k) → self.q_norm(k)

# %% GroupedQueryAttention: values normed too
# right: values that are normalised too
# like: right, as in transformers
-            k = self.k_norm(k)
+            k = self.k_norm(k)
+            v = self.k_norm(v)

# %% GroupedQueryAttention: divides by d_head
# right: scores divided by `d_head` in all, where its root is due
# like: right, as in transformers
~ math.sqrt(self.cfg.d_head) → self.cfg.d_head

# %% GroupedQueryAttention: divides by the root of d_model
# right: scores divided by the root of d_model
# like: right, as in transformers
~ math.sqrt(self.cfg.d_head) → math.sqrt(self.cfg.d_model)

# %% GroupedQueryAttention: d_model // n_heads
# right: a d_head computed as d_model / n_heads
# like: right, as in transformers
~ math.sqrt(self.cfg.d_head) → math.sqrt(self.cfg.d_model // self.cfg.n_heads)

# %% GroupedQueryAttention: no scale
# right: scores that are not scaled
# like: right, as in transformers
~  / math.sqrt(self.cfg.d_head) → 

# %% GroupedQueryAttention: no mask
# right: no mask
# like: right, as in transformers
-        scores = scores.masked_fill(mask == 0, float("-inf"))

# %% GroupedQueryAttention: PyTorch's attention with is_causal
# right: a mask for whole texts alone
# like: right, as in transformers
-        scores = q @ k.transpose(-2, -1) / math.sqrt(self.cfg.d_head)
-        n_new, n_all = scores.shape[-2:]
-        mask = torch.ones(n_new, n_all).tril(n_all - n_new)
-        scores = scores.masked_fill(mask == 0, float("-inf"))
-        pattern = F.softmax(scores, dim=-1)
-        z = (pattern @ v).transpose(1, 2)
+        z = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)

# %% GroupedQueryAttention: is_causal unless there is one query
# right: a mask for whole texts and for one new position alone
# like: right, as in transformers
-        scores = q @ k.transpose(-2, -1) / math.sqrt(self.cfg.d_head)
-        n_new, n_all = scores.shape[-2:]
-        mask = torch.ones(n_new, n_all).tril(n_all - n_new)
-        scores = scores.masked_fill(mask == 0, float("-inf"))
-        pattern = F.softmax(scores, dim=-1)
-        z = (pattern @ v).transpose(1, 2)
+        is_causal = q.shape[2] > 1
+        z = F.scaled_dot_product_attention(q, k, v, is_causal=is_causal).transpose(1, 2)

# %% GroupedQueryAttention: a square mask
# right: a mask that is square
# like: right, as in transformers
~ torch.ones(n_new, n_all).tril(n_all - n_new) → torch.ones(n_new, n_new).tril()

# %% GroupedQueryAttention: tril from the corner
# right: a mask for whole texts alone
# like: right, as in transformers
~ .tril(n_all - n_new) → .tril()

# %% GroupedQueryAttention: tril with the two lengths exchanged
# right: a mask that is moved the wrong way where there is a cache
# like: right, as in transformers
~ .tril(n_all - n_new) → .tril(n_new - n_all)

# %% GroupedQueryAttention: divides by the root of the number of keys
# right: a scale that counts positions
# like: right, as in transformers
~ math.sqrt(self.cfg.d_head) → math.sqrt(k.shape[-2])

# %% GroupedQueryAttention: later scores set to -10
# right: later scores hidden by a number that is not low enough
# like: right, as in transformers
~ float("-inf") → -10.0

# %% GroupedQueryAttention: 1e-9 for -1e9
# right: later scores set to 0, or nearly
# like: right, as in transformers
~ float("-inf") → 1e-9

# %% GroupedQueryAttention: only the keys of the new positions
# right: new positions that do not read what is in the cache
# like: right, as in transformers
-        group = self.cfg.n_heads // self.cfg.n_kv_heads
+        k, v = k[:, -q.shape[1] :], v[:, -q.shape[1] :]
+        group = self.cfg.n_heads // self.cfg.n_kv_heads

# %% GroupedQueryAttention: keys times queries
# right: queries and keys swapped
# like: right, as in transformers
-        scores = q @ k.transpose(-2, -1) / math.sqrt(self.cfg.d_head)
-        n_new, n_all = scores.shape[-2:]
+        scores = k @ q.transpose(-2, -1) / math.sqrt(self.cfg.d_head)
+        n_new, n_all = q.shape[2], k.shape[2]

# %% GroupedQueryAttention: softmax over the queries
# right: softmax over the queries
# like: right, as in transformers
~ F.softmax(scores, dim=-1) → F.softmax(scores, dim=-2)

# %% GroupedQueryAttention: merged without moving the heads
# right: heads merged before their axis was moved
# like: right, as in transformers
-        z = (pattern @ v).transpose(1, 2)
-        return torch.einsum("bphd,hdm->bpm", z, self.W_O)
+        z = (pattern @ v).reshape(q.shape[0], n_new, -1)
+        return z @ self.W_O.flatten(0, 1)

# %% GroupedQueryAttention: the mean of the queries of a group
# right: the mean of a group's queries
# like: right, as in transformers
-        k = k.repeat_interleave(group, dim=1)
-        v = v.repeat_interleave(group, dim=1)
+        q = q.unflatten(1, (self.cfg.n_kv_heads, group)).mean(dim=2)
...
-        z = (pattern @ v).transpose(1, 2)
+        z = (pattern @ v).repeat_interleave(group, dim=1).transpose(1, 2)

# %% GroupedQueryAttention: biases for queries, keys and values
# right: biases
# like: right, as in transformers
         for weight in self.parameters():
             nn.init.normal_(weight, std=cfg.init_range)
+        self.b_Q = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
+        self.b_K = nn.Parameter(torch.zeros(cfg.n_kv_heads, cfg.d_head))
+        self.b_V = nn.Parameter(torch.zeros(cfg.n_kv_heads, cfg.d_head))
