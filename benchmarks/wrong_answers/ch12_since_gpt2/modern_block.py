"""Wrong answers to chapter 12's `ModernBlock`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, typed
class ModernBlock(nn.Module):
    def __init__(self, cfg: ModernConfig):
        super().__init__()
        self.cfg = cfg
        self.ln1 = RMSNorm(cfg)
        self.attn = GroupedQueryAttention(cfg)
        self.ln2 = RMSNorm(cfg)
        self.mlp = SwiGLU(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% base: right, as in transformers
class ModernBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.attn = GroupedQueryAttention(cfg)
        self.mlp = SwiGLU(cfg)
        self.ln1 = RMSNorm(cfg)
        self.ln2 = RMSNorm(cfg)

    def forward(self, hidden_states):
        residual = hidden_states
        hidden_states = self.ln1(hidden_states)
        hidden_states = self.attn(hidden_states)
        hidden_states = residual + hidden_states

        residual = hidden_states
        hidden_states = self.ln2(hidden_states)
        hidden_states = self.mlp(hidden_states)
        hidden_states = residual + hidden_states
        return hidden_states

# %% ModernBlock: the sublayers run side by side, as in GPT-J
# right: running both sublayers side by side
# like: right, typed
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        return resid_pre + self.attn(self.ln1(resid_pre)) + self.mlp(self.ln2(resid_pre))

# %% ModernBlock: one copy for both, as in PaLM
# right: one normalised copy for both sublayers
# like: right, typed
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        normalized = self.ln1(resid_pre)
+        return resid_pre + self.attn(normalized) + self.mlp(normalized)

# %% ModernBlock: post-norm, as in 2017
# right: normalising after the sum (post-norm)
# like: right, typed
~ resid_pre + self.attn(self.ln1(resid_pre)) → self.ln1(resid_pre + self.attn(resid_pre))
~ resid_mid + self.mlp(self.ln2(resid_mid)) → self.ln2(resid_mid + self.mlp(resid_mid))

# %% ModernBlock: norms behind the sublayers, as in OLMo 2
# right: normalising what a sublayer writes
# like: right, typed
~ self.attn(self.ln1(resid_pre)) → self.ln1(self.attn(resid_pre))
~ self.mlp(self.ln2(resid_mid)) → self.ln2(self.mlp(resid_mid))

# %% ModernBlock: post_attention_layernorm taken at its word
# right: normalising what a sublayer writes
# like: right, typed
~ resid_pre + self.attn(self.ln1(resid_pre)) → resid_pre + self.ln2(self.attn(self.ln1(resid_pre)))
~ self.mlp(self.ln2(resid_mid)) → self.mlp(resid_mid)

# %% ModernBlock: norms on both sides, as in Gemma 2
# right: normalising on both sides of a sublayer
# like: right, typed
~ resid_pre + self.attn(self.ln1(resid_pre)) → resid_pre + self.ln1(self.attn(self.ln1(resid_pre)))
~ resid_mid + self.mlp(self.ln2(resid_mid)) → resid_mid + self.ln2(self.mlp(self.ln2(resid_mid)))

# %% ModernBlock: attention's answer is not added
# right: leaving the stream out round attention
# like: right, typed
~ resid_pre + self → self

# %% ModernBlock: the MLP's answer is not added
# right: leaving the stream out round the MLP
# like: right, typed
~ resid_mid + self → self

# %% ModernBlock: the MLP is added to resid_pre
# right: adding the MLP's answer to `resid_pre`
# like: right, typed
~ resid_mid + → resid_pre +

# %% ModernBlock: ln1 reads for both
# right: using `ln1` twice
# like: right, typed
~ ln2(resid_mid) → ln1(resid_mid)

# %% ModernBlock: one norm is made for both
# right: one norm for both sublayers
# like: right, typed
-        self.ln1 = RMSNorm(cfg)
+        self.ln1 = self.ln2 = RMSNorm(cfg)
         self.attn = GroupedQueryAttention(cfg)
-        self.ln2 = RMSNorm(cfg)

# %% ModernBlock: residual is taken after the norm
# right: overwriting the stream with its normalised copy
# like: right, as in transformers
-        residual = hidden_states
-        hidden_states = self.ln1(hidden_states)
-        hidden_states = self.attn(hidden_states)
+        hidden_states = self.ln1(hidden_states)
+        residual = hidden_states
+        hidden_states = self.attn(hidden_states)

# %% ModernBlock: the second residual is the first one still
# right: adding the MLP's answer to `resid_pre`
# like: right, as in transformers
-
-        residual = hidden_states
         hidden_states = self.ln2(hidden_states)

# %% ModernBlock: no ln2
# right: the MLP reading the raw stream
# like: right, as in transformers
-        hidden_states = self.ln2(hidden_states)

# %% ModernBlock: transformers' names
# right: the parts under other names
# like: right, typed
-        self.ln1 = RMSNorm(cfg)
-        self.attn = GroupedQueryAttention(cfg)
-        self.ln2 = RMSNorm(cfg)
+        self.input_layernorm = RMSNorm(cfg)
+        self.self_attn = GroupedQueryAttention(cfg)
+        self.post_attention_layernorm = RMSNorm(cfg)
...
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        resid_mid = resid_pre + self.self_attn(self.input_layernorm(resid_pre))
+        return resid_mid + self.mlp(self.post_attention_layernorm(resid_mid))

# %% ModernBlock: Meta's code, with Meta's names
# right: the parts under other names
class ModernBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.attention = GroupedQueryAttention(cfg)
        self.feed_forward = SwiGLU(cfg)
        self.attention_norm = RMSNorm(cfg)
        self.ffn_norm = RMSNorm(cfg)

    def forward(self, x):
        h = x + self.attention(self.attention_norm(x))
        out = h + self.feed_forward(self.ffn_norm(h))
        return out

# %% ModernBlock: attention gives a pair
# right: taking attention's answer apart
# like: right, typed
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
+        attn_out, _ = self.attn(self.ln1(resid_pre))
+        resid_mid = resid_pre + attn_out

# %% ModernBlock: += changes the caller's stream
# right: adding to `resid_pre` in place
# like: right, typed
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        resid_pre += self.attn(self.ln1(resid_pre))
+        resid_pre += self.mlp(self.ln2(resid_pre))
+        return resid_pre

# %% ModernBlock: += on a sum of its own, which ln2 has read
# right: changing the stream in place after a norm has read it
# like: right, typed
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        resid_mid += self.mlp(self.ln2(resid_mid))
+        return resid_mid

# %% ModernBlock: PyTorch's norms
# right: PyTorch's `nn.RMSNorm` in the place of yours
# like: right, typed
-        self.ln1 = RMSNorm(cfg)
+        self.ln1 = nn.RMSNorm(cfg.d_model, eps=cfg.rms_norm_eps)
         self.attn = GroupedQueryAttention(cfg)
-        self.ln2 = RMSNorm(cfg)
+        self.ln2 = nn.RMSNorm(cfg.d_model, eps=cfg.rms_norm_eps)

# %% ModernBlock: the parts are given sizes instead of cfg
# like: right, typed
-        self.ln1 = RMSNorm(cfg)
+        self.ln1 = RMSNorm(cfg.d_model)
         self.attn = GroupedQueryAttention(cfg)
-        self.ln2 = RMSNorm(cfg)
+        self.ln2 = RMSNorm(cfg.d_model)

# %% ModernBlock: positions are handed to attention
# like: right, typed
~ self.attn(self.ln1(resid_pre)) → self.attn(self.ln1(resid_pre), torch.arange(resid_pre.shape[1]))

# %% ModernBlock: the block's answer is scaled by the root of 2
# right: scaling the sums
# like: right, typed
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        return (resid_mid + self.mlp(self.ln2(resid_mid))) / 2**0.5
