"""Wrong answers to chapter 4's `Attention`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, by the given parts
class Attention(nn.Module):
    """Let each position read from itself and the positions before it, with `n_heads` heads side by side.

    Source: openai/gpt-2 src/model.py, attn(); Vaswani et al. 2017, eq. 1 and section 3.2.2.
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        heads_in = (cfg.n_heads, cfg.d_model, cfg.d_head)
        self.W_Q = nn.Parameter(torch.empty(heads_in))
        self.W_K = nn.Parameter(torch.empty(heads_in))
        self.W_V = nn.Parameter(torch.empty(heads_in))
        self.W_O = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_head, cfg.d_model))
        self.b_Q = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_K = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_V = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_O = nn.Parameter(torch.zeros(cfg.d_model))
        for weight in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.normal_(weight, std=cfg.init_range)

    def forward(self, normalized_resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        q = project_heads(normalized_resid_pre, self.W_Q, self.b_Q)
        k = project_heads(normalized_resid_pre, self.W_K, self.b_K)
        v = project_heads(normalized_resid_pre, self.W_V, self.b_V)
        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
        z = pattern @ v
        return mix_heads(z, self.W_O, self.b_O)

# %% base: right, by einsum
class Attention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        heads_in = (cfg.n_heads, cfg.d_model, cfg.d_head)
        self.W_Q = nn.Parameter(torch.empty(heads_in))
        self.W_K = nn.Parameter(torch.empty(heads_in))
        self.W_V = nn.Parameter(torch.empty(heads_in))
        self.W_O = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_head, cfg.d_model))
        self.b_Q = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_K = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_V = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_O = nn.Parameter(torch.zeros(cfg.d_model))
        for weight in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.normal_(weight, std=cfg.init_range)

    def forward(self, normalized_resid_pre):
        x = normalized_resid_pre
        q = torch.einsum("bpm,hmd->bphd", x, self.W_Q) + self.b_Q
        k = torch.einsum("bpm,hmd->bphd", x, self.W_K) + self.b_K
        v = torch.einsum("bpm,hmd->bphd", x, self.W_V) + self.b_V
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k)
        scores = scores / self.cfg.d_head ** 0.5
        n = scores.shape[-1]
        mask = torch.triu(torch.ones(n, n, device=x.device), diagonal=1).bool()
        scores = scores.masked_fill(mask, float("-inf"))
        pattern = torch.softmax(scores, dim=-1)
        z = torch.einsum("bhqk,bkhd->bqhd", pattern, v)
        out = torch.einsum("bqhd,hdm->bqm", z, self.W_O)
        return out + self.b_O

# %% Attention: divides by the root of d_model
# right: scores divided by the root of d_model
# like: right, by the given parts
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
+        attn_scores = q @ k.transpose(-2, -1) / self.cfg.d_model**0.5
+        pattern = softmax(apply_causal_mask(attn_scores), dim=-1)

# %% Attention: divides by d_head
# right: scores divided by d_head, and not by its root
# like: right, by the given parts
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
+        attn_scores = q @ k.transpose(-2, -1) / self.cfg.d_head
+        pattern = softmax(apply_causal_mask(attn_scores), dim=-1)

# %% Attention: no scale
# right: scores that are not scaled
class Attention(nn.Module):
    """Let each position read from itself and the positions before it, with `n_heads` heads side by side.

    Source: openai/gpt-2 src/model.py, attn(); Vaswani et al. 2017, eq. 1 and section 3.2.2.
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        heads_in = (cfg.n_heads, cfg.d_model, cfg.d_head)
        self.W_Q = nn.Parameter(torch.empty(heads_in))
        self.W_K = nn.Parameter(torch.empty(heads_in))
        self.W_V = nn.Parameter(torch.empty(heads_in))
        self.W_O = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_head, cfg.d_model))
        self.b_Q = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_K = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_V = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_O = nn.Parameter(torch.zeros(cfg.d_model))
        for weight in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.normal_(weight, std=cfg.init_range)

    def forward(self, normalized_resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        q = einops.einsum(normalized_resid_pre, self.W_Q, "b p d, h d k -> b p h k") + self.b_Q
        k = einops.einsum(normalized_resid_pre, self.W_K, "b p d, h d k -> b p h k") + self.b_K
        v = einops.einsum(normalized_resid_pre, self.W_V, "b p d, h d k -> b p h k") + self.b_V
        scores = einops.einsum(q, k, "b q h d, b k h d -> b h q k")
        pattern = softmax(apply_causal_mask(scores))
        z = einops.einsum(pattern, v, "b h q k, b k h d -> b q h d")
        return einops.einsum(z, self.W_O, "b q h d, h d m -> b q m") + self.b_O

# %% Attention: d_head taken to be d_model // n_heads
# right: a d_head computed as d_model / n_heads
# like: right, by the given parts
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
-        z = pattern @ v
+        head_size = self.cfg.d_model // self.cfg.n_heads
+        attn_scores = q @ k.transpose(-2, -1) / head_size**0.5
+        z = softmax(apply_causal_mask(attn_scores), dim=-1) @ v

# %% Attention: divides by 8, GPT-2's root of d_head
# right: a scale written as a number
# like: right, by the given parts
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
-        z = pattern @ v
+        attn_scores = q @ k.transpose(-2, -1) / 8
+        z = softmax(apply_causal_mask(attn_scores), dim=-1) @ v

# %% Attention: no mask
# right: no mask
# like: right, by the given parts
~ apply_causal_mask(scaled_scores(q, k)) → scaled_scores(q, k)

# %% Attention: mask after softmax by tril
# right: hidden keys that keep their share of softmax's sum
# like: right, by the given parts
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
+        pattern = softmax(scaled_scores(q, k), dim=-1)
+        pattern = torch.tril(pattern)

# %% Attention: apply_causal_mask after softmax
# right: hidden keys that keep their share of softmax's sum
# like: right, by the given parts
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
+        pattern = apply_causal_mask(softmax(scaled_scores(q, k), dim=-1))

# %% Attention: what the mask returns is dropped
# right: no mask
# like: right, by the given parts
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
+        attn_scores = scaled_scores(q, k)
+        apply_causal_mask(attn_scores)
+        pattern = softmax(attn_scores, dim=-1)

# %% Attention: softmax over the queries
# right: softmax over the queries
# like: right, by the given parts
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
+        attn_scores = apply_causal_mask(scaled_scores(q, k))
+        pattern = softmax(attn_scores, dim=-2)

# %% Attention: softmax over the heads
# right: softmax over the heads
# like: right, by the given parts
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
+        attn_scores = apply_causal_mask(scaled_scores(q, k))
+        pattern = softmax(attn_scores, dim=1)

# %% Attention: softmax twice
# right: softmax taken twice
# like: right, by the given parts
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
+        attn_scores = apply_causal_mask(scaled_scores(q, k))
+        pattern = softmax(softmax(attn_scores, dim=-1), dim=-1)

# %% Attention: no b_O
# right: leaving out `b_O`
# like: right, by the given parts
~ mix_heads(z, self.W_O, self.b_O) → einops.einsum(z, self.W_O, "b h p k, h k d -> b p d")

# %% Attention: b_O once per head
# right: adding `b_O` once for each head
# like: right, by the given parts
-        return mix_heads(z, self.W_O, self.b_O)
+        out = einops.einsum(z, self.W_O, "b h p k, h k d -> b h p d") + self.b_O
+        return out.sum(dim=1)

# %% Attention: mean over the heads
# right: the mean of the heads
# like: right, by the given parts
-        return mix_heads(z, self.W_O, self.b_O)
+        out = einops.einsum(z, self.W_O, "b h p k, h k d -> b h p d")
+        return out.mean(dim=1) + self.b_O

# %% Attention: copy and paste: keys from W_Q
# right: keys made with the queries' weights
# like: right, by the given parts
~ W_K, self.b_K → W_Q, self.b_K

# %% Attention: copy and paste: values with b_K
# right: the bias of another part
# like: right, by the given parts
~ , self.b_V → , self.b_K

# %% Attention: values with no bias
# right: values without `b_V`
# like: no scale
-        scores = einops.einsum(q, k, "b q h d, b k h d -> b h q k")
+
+        v = einops.einsum(normalized_resid_pre, self.W_V, "b p d, h d k -> b p h k")
+        scores = einops.einsum(q, k, "b q h d, b k h d -> b h q k") / self.cfg.d_head**0.5

# %% Attention: keys mixed, not values
# right: values made with the keys' weights
# like: right, by the given parts
~ @ v → @ k

# %% Attention: queries and keys swapped in the scores
# right: queries and keys swapped
# like: right, by the given parts
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
+        attn_scores = k @ q.transpose(-2, -1) / self.cfg.d_head**0.5
+        pattern = softmax(apply_causal_mask(attn_scores), dim=-1)

# %% Attention: pattern transposed before the values
# right: a pattern with its axes swapped
# like: right, by the given parts
~ pattern @ → pattern.transpose(-2, -1) @

# %% Attention: einsum sums z over the queries
# right: a pattern with its axes swapped
# like: no scale
~ (q, k, "b q h d, b k h d -> b h q k") → (q, k, "b q h d, b k h d -> b h q k") / self.cfg.d_head**0.5
~ k h d -> b q → q h d -> b k

# %% Attention: heads merged without transpose
# right: heads merged before their axis was moved
# like: right, by the given parts
-        return mix_heads(z, self.W_O, self.b_O)
+        batch, heads, pos, d_head = z.shape
+        z = z.reshape(batch, pos, heads * d_head)
+        return z @ self.W_O.reshape(heads * d_head, -1) + self.b_O

# %% Attention: the residual stream added
# right: adding the input back
# like: right, by the given parts
~ mix_heads → normalized_resid_pre + mix_heads

# %% Attention: dropout as in nanoGPT
# like: right, by the given parts
             nn.init.normal_(weight, std=cfg.init_range)
+        self.dropout = nn.Dropout(0.1)
...
         pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
+        pattern = self.dropout(pattern)

# %% Attention: one c_attn and c_proj as in nanoGPT
class Attention(nn.Module):
    """Let each position read from itself and the positions before it, with `n_heads` heads side by side.

    Source: openai/gpt-2 src/model.py, attn(); Vaswani et al. 2017, eq. 1 and section 3.2.2.
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.c_attn = nn.Linear(cfg.d_model, 3 * cfg.n_heads * cfg.d_head)
        self.c_proj = nn.Linear(cfg.n_heads * cfg.d_head, cfg.d_model)

    def forward(self, normalized_resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        batch, pos, _ = normalized_resid_pre.shape
        qkv = self.c_attn(normalized_resid_pre)
        q, k, v = qkv.view(batch, pos, 3, self.cfg.n_heads, self.cfg.d_head).permute(2, 0, 3, 1, 4)
        z = softmax(apply_causal_mask(q @ k.transpose(-2, -1) / self.cfg.d_head**0.5)) @ v
        return self.c_proj(z.transpose(1, 2).reshape(batch, pos, -1))

# %% Attention: weights drawn with randn
# right: weights that start with spread 1
# like: right, by the given parts
~ , std=cfg.init_range →

# %% Attention: returns the pattern too
# like: right, by the given parts
~ (z, self.W_O, self.b_O) → (z, self.W_O, self.b_O), pattern

# %% Attention: no return
# like: right, by the given parts
~ return → out =

# %% Attention: return within the loop over heads
# right: only the first head
# like: right, by the given parts
-        q = project_heads(normalized_resid_pre, self.W_Q, self.b_Q)
-        k = project_heads(normalized_resid_pre, self.W_K, self.b_K)
-        v = project_heads(normalized_resid_pre, self.W_V, self.b_V)
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
-        z = pattern @ v
-        return mix_heads(z, self.W_O, self.b_O)
+        out = self.b_O
+        for head in range(self.cfg.n_heads):
+            q = normalized_resid_pre @ self.W_Q[head] + self.b_Q[head]
+            k = normalized_resid_pre @ self.W_K[head] + self.b_K[head]
+            v = normalized_resid_pre @ self.W_V[head] + self.b_V[head]
+            scores = q @ k.transpose(-2, -1) / self.cfg.d_head**0.5
+            pattern = softmax(apply_causal_mask(scores[:, None]))[:, 0]
+            out = out + pattern @ v @ self.W_O[head]
+            return out

# %% Attention: loop over heads assigns, does not add
# right: only the last head
# like: right, by the given parts
-        q = project_heads(normalized_resid_pre, self.W_Q, self.b_Q)
-        k = project_heads(normalized_resid_pre, self.W_K, self.b_K)
-        v = project_heads(normalized_resid_pre, self.W_V, self.b_V)
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
-        z = pattern @ v
-        return mix_heads(z, self.W_O, self.b_O)
+        for head in range(self.cfg.n_heads):
+            q = normalized_resid_pre @ self.W_Q[head] + self.b_Q[head]
+            k = normalized_resid_pre @ self.W_K[head] + self.b_K[head]
+            v = normalized_resid_pre @ self.W_V[head] + self.b_V[head]
+            scores = q @ k.transpose(-2, -1) / self.cfg.d_head**0.5
+            pattern = softmax(apply_causal_mask(scores[:, None]))[:, 0]
+            out = pattern @ v @ self.W_O[head]
+        return out + self.b_O

# %% Attention: bias without an axis for positions
# right: a bias without an axis for the positions
# like: right, by the given parts
~ q = project_heads(normalized_resid_pre, self.W_Q, self.b_Q) → x = normalized_resid_pre[:, None]
~ k = project_heads(normalized_resid_pre, self.W_K, self.b_K) → q = x @ self.W_Q + self.b_Q
~ v = project_heads(normalized_resid_pre, self.W_V, self.b_V) → k = x @ self.W_K + self.b_K
~ pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1) → v = x @ self.W_V + self.b_V
~ z = pattern @ v → pattern = softmax(apply_causal_mask(scaled_scores(q, k)))
~ z, self → pattern @ v, self

# %% Attention: k.T on four axes
# right: keys with the wrong axes swapped
# like: right, by the given parts
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
+        attn_scores = q @ k.T / self.cfg.d_head**0.5
+        pattern = softmax(apply_causal_mask(attn_scores), dim=-1)

# %% Attention: mask of n_ctx never cut
# right: a mask of n_ctx positions that is never cut
# like: right, by the given parts
             nn.init.normal_(weight, std=cfg.init_range)
+        self.register_buffer("mask", torch.tril(torch.ones(cfg.n_ctx, cfg.n_ctx)), persistent=False)
...
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
-        z = pattern @ v
+        attn_scores = scaled_scores(q, k)
+        attn_scores = attn_scores.masked_fill(self.mask == 0, float("-inf"))
+        z = softmax(attn_scores) @ v

# %% Attention: scores times tril
# right: scores of 0 for the future
# like: right, by the given parts
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
-        z = pattern @ v
+        attn_scores = scaled_scores(q, k)
+        attn_scores = attn_scores * torch.tril(torch.ones_like(attn_scores))
+        z = softmax(attn_scores) @ v

# %% Attention: masks only in training
# right: a mask in training alone
# like: right, by the given parts
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
-        z = pattern @ v
+        attn_scores = scaled_scores(q, k)
+        if self.training:
+            attn_scores = apply_causal_mask(attn_scores)
+        z = softmax(attn_scores) @ v

# %% Attention: LayerNorm once more
# right: normalising the input again
# like: right, by the given parts
-        q = project_heads(normalized_resid_pre, self.W_Q, self.b_Q)
-        k = project_heads(normalized_resid_pre, self.W_K, self.b_K)
-        v = project_heads(normalized_resid_pre, self.W_V, self.b_V)
+        x = nn.functional.layer_norm(normalized_resid_pre, (self.cfg.d_model,))
+        q = project_heads(x, self.W_Q, self.b_Q)
+        k = project_heads(x, self.W_K, self.b_K)
+        v = project_heads(x, self.W_V, self.b_V)

# %% Attention: keeps the keys and values of the last call
# like: right, by the given parts
             nn.init.normal_(weight, std=cfg.init_range)
+        self.cache = None
...
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
+        if self.cache is not None and self.cache[0].shape[0] == k.shape[0]:
+            k = torch.cat([self.cache[0], k], dim=2)
+            v = torch.cat([self.cache[1], v], dim=2)
+        self.cache = (k.detach(), v.detach())
+        pattern = softmax(apply_causal_mask(scaled_scores(q, k)))

# %% Attention: scaled_dot_product_attention without is_causal
# right: no mask
# like: right, by the given parts
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
-        z = pattern @ v
+        z = nn.functional.scaled_dot_product_attention(q, k, v)

# %% Attention: scaled twice: by hand and by PyTorch
# right: scores divided by d_head, and not by its root
# like: right, by the given parts
~ pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1) → q = q / self.cfg.d_head**0.5
~ pattern @ v → nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

# %% Attention: every head goes through W_O of head 0
# right: one W_O for all heads
# like: right, by the given parts
-        return mix_heads(z, self.W_O, self.b_O)
+        out = einops.einsum(z, self.W_O[0], "b h p k, k d -> b p d")
+        return out + self.b_O

# %% Attention: forgets the values: pattern through W_O
# right: a pattern that is not applied to the values
# like: right, by the given parts
-        z = pattern @ v
-        return mix_heads(z, self.W_O, self.b_O)
+        return mix_heads(pattern, self.W_O, self.b_O)

# %% Attention: matrices are [d_head d_model]
# like: right, by the given parts
~ d_model, cfg.d_head → d_head, cfg.d_model
-        q = project_heads(normalized_resid_pre, self.W_Q, self.b_Q)
-        k = project_heads(normalized_resid_pre, self.W_K, self.b_K)
-        v = project_heads(normalized_resid_pre, self.W_V, self.b_V)
-        pattern = softmax(apply_causal_mask(scaled_scores(q, k)), dim=-1)
-        z = pattern @ v
+        q = einops.einsum(normalized_resid_pre, self.W_Q, "b p d, h k d -> b h p k") + self.b_Q[:, None]
+        k = einops.einsum(normalized_resid_pre, self.W_K, "b p d, h k d -> b h p k") + self.b_K[:, None]
+        v = einops.einsum(normalized_resid_pre, self.W_V, "b p d, h k d -> b h p k") + self.b_V[:, None]
+        z = softmax(apply_causal_mask(scaled_scores(q, k))) @ v

# %% Attention: softmax over the heads where the mask writes -1e9
# right: softmax over the heads
import math
import torch.nn.functional as F

class Attention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        heads_in = (cfg.n_heads, cfg.d_model, cfg.d_head)
        self.W_Q = nn.Parameter(torch.empty(heads_in))
        self.W_K = nn.Parameter(torch.empty(heads_in))
        self.W_V = nn.Parameter(torch.empty(heads_in))
        self.W_O = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_head, cfg.d_model))
        self.b_Q = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_K = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_V = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_O = nn.Parameter(torch.zeros(cfg.d_model))
        for weight in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.normal_(weight, std=cfg.init_range)

    def forward(self, normalized_resid_pre):
        batch, seq_len, _ = normalized_resid_pre.shape
        x = normalized_resid_pre.unsqueeze(1)
        q = x @ self.W_Q + self.b_Q.unsqueeze(1)
        k = x @ self.W_K + self.b_K.unsqueeze(1)
        v = x @ self.W_V + self.b_V.unsqueeze(1)
        attn_scores = (q @ k.transpose(-2, -1)) / math.sqrt(self.cfg.d_head)
        causal = torch.tril(torch.ones(seq_len, seq_len))
        attn_scores = attn_scores.masked_fill(causal == 0, -1e9)
        attn = F.softmax(attn_scores, dim=1)
        z = attn @ v
        result = (z @ self.W_O).sum(dim=1)
        return result + self.b_O

# %% Attention: softmax over the batch where the mask writes -1e9
# right: softmax over the batch
# like: softmax over the heads where the mask writes -1e9
~ , dim=1 → , dim=0

# %% Attention: log_softmax for softmax
# right: the logarithm of the weights
# like: right, by einsum
~ softmax → log_softmax

# %% Attention: True for the future in PyTorch's attn_mask
# right: the future in PyTorch's `attn_mask`
class Attention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        heads_in = (cfg.n_heads, cfg.d_model, cfg.d_head)
        self.W_Q = nn.Parameter(torch.empty(heads_in))
        self.W_K = nn.Parameter(torch.empty(heads_in))
        self.W_V = nn.Parameter(torch.empty(heads_in))
        self.W_O = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_head, cfg.d_model))
        self.b_Q = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_K = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_V = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_O = nn.Parameter(torch.zeros(cfg.d_model))
        for weight in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.normal_(weight, std=cfg.init_range)

    def forward(self, normalized_resid_pre):
        def heads(w, b):
            return torch.einsum("bpm,hmd->bhpd", normalized_resid_pre, w) + b[None, :, None, :]
        q, k, v = heads(self.W_Q, self.b_Q), heads(self.W_K, self.b_K), heads(self.W_V, self.b_V)
        z = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(q.shape[-2], q.shape[-2]).triu(1).bool())
        return torch.einsum("bhpd,hdm->bpm", z, self.W_O) + self.b_O

# %% Attention: a triangle of ones as PyTorch's attn_mask
# right: a triangle of ones added to the scores
# like: True for the future in PyTorch's attn_mask
~ triu(1).bool → tril

# %% Attention: W_O reshaped and transposed
# right: a `W_O` reshaped where its axes should change places
class Attention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        heads_in = (cfg.n_heads, cfg.d_model, cfg.d_head)
        self.W_Q = nn.Parameter(torch.empty(heads_in))
        self.W_K = nn.Parameter(torch.empty(heads_in))
        self.W_V = nn.Parameter(torch.empty(heads_in))
        self.W_O = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_head, cfg.d_model))
        self.b_Q = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_K = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_V = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_O = nn.Parameter(torch.zeros(cfg.d_model))
        for weight in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.normal_(weight, std=cfg.init_range)

    def forward(self, normalized_resid_pre):
        B, T, C = normalized_resid_pre.size()
        H, D = self.cfg.n_heads, self.cfg.d_head
        w = torch.cat([W.permute(1, 0, 2).reshape(C, H * D) for W in (self.W_Q, self.W_K, self.W_V)], dim=1)
        b = torch.cat([self.b_Q.flatten(), self.b_K.flatten(), self.b_V.flatten()])
        q, k, v = (normalized_resid_pre @ w + b).split(H * D, dim=2)
        q = q.view(B, T, H, D).transpose(1, 2)
        k = k.view(B, T, H, D).transpose(1, 2)
        v = v.view(B, T, H, D).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / D ** 0.5)
        att = att.masked_fill(torch.tril(torch.ones(T, T)).view(1, 1, T, T) == 0, float("-inf"))
        att = nn.functional.softmax(att, dim=-1)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, H * D)
        return y @ self.W_O.reshape(C, H * D).T + self.b_O

# %% Attention: W_Q reshaped and transposed
# right: W_Q, W_K and W_V reshaped where their axes should change places
# like: softmax over the heads where the mask writes -1e9
~ W_Q + → W_Q.reshape(self.cfg.n_heads, self.cfg.d_head, self.cfg.d_model).transpose(1, 2) +
~ , dim= → , dim=-

# %% Attention: the fourth root on q alone
# right: scores divided by another power of d_head
def softmax(x, dim=-1):
    e = (x - x.amax(dim=dim, keepdim=True)).exp()
    return e / e.sum(dim=dim, keepdim=True)


def apply_causal_mask(attn_scores):
    n = attn_scores.shape[-1]
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    return attn_scores.masked_fill(future, float("-inf"))


def project_heads(x, weight, bias):
    return einops.einsum(x, weight, "batch pos d_model, head d_model d_head -> batch head pos d_head") + bias[:, None]


def scaled_scores(q, k):
    return (q / q.shape[-1] ** 0.25) @ k.transpose(-2, -1)


def mix_heads(z, weight, bias):
    return einops.einsum(z, weight, "batch head pos d_head, head d_head d_model -> batch pos d_model") + bias


class Attention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        heads_in = (cfg.n_heads, cfg.d_model, cfg.d_head)
        self.W_Q = nn.Parameter(torch.empty(heads_in))
        self.W_K = nn.Parameter(torch.empty(heads_in))
        self.W_V = nn.Parameter(torch.empty(heads_in))
        self.W_O = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_head, cfg.d_model))
        self.b_Q = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_K = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_V = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_O = nn.Parameter(torch.zeros(cfg.d_model))
        for weight in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.normal_(weight, std=cfg.init_range)

    def forward(self, normalized_resid_pre):
        q = project_heads(normalized_resid_pre, self.W_Q, self.b_Q)
        k = project_heads(normalized_resid_pre, self.W_K, self.b_K)
        v = project_heads(normalized_resid_pre, self.W_V, self.b_V)
        attn_scores = scaled_scores(q, k)
        attn_scores = apply_causal_mask(attn_scores)
        pattern = softmax(attn_scores)
        z = pattern @ v
        return mix_heads(z, self.W_O, self.b_O)

# %% Attention: ** 2 for ** 0.5
# right: scores divided by another power of d_head
# like: right, by einsum
~ 0.5 → 2

# %% Attention: the mask of the first text kept
# right: a mask kept from the first call
# like: right, by einsum
-        mask = torch.triu(torch.ones(n, n, device=x.device), diagonal=1).bool()
-        scores = scores.masked_fill(mask, float("-inf"))
+        if not hasattr(self, 'mask'):
+            self.mask = torch.triu(torch.ones(n, n, device=x.device), diagonal=1).bool()
+        scores = scores.masked_fill(self.mask[:n, :n], float("-inf"))

# %% Attention: W_O starts smaller by the root of twice the layers
# right: a `W_O` that starts smaller, for the number of layers
# like: right, by einsum
             nn.init.normal_(weight, std=cfg.init_range)
+        self.W_O.data /= (2 * cfg.n_layers) ** 0.5

# %% Attention: heads joined to d_model as in nanoGPT
# right: d_model taken for n_heads * d_head
# like: W_O reshaped and transposed
~ T, H * D → T, C
~ (C, H * D).T → (C, C)

# %% Attention: d_head is d_model // n_heads in every view
# right: a d_head computed as d_model / n_heads
# like: W_O reshaped and transposed
~ self.cfg.d_head → C // self.cfg.n_heads
~ (C, H * D).T → (H * D, C)

# %% Attention: the heads side by side make one pattern
# right: one pattern for all heads
# like: right, by einsum
~ torch.einsum("bqhd,bkhd->bhqk", q, k) → (q.flatten(2) @ k.flatten(2).mT).unsqueeze(1)
~ bhqk,bkhd → bxqk,bkhd

# %% Attention: the mean of all heads' patterns
# right: one pattern for all heads
# like: right, by einsum
         pattern = torch.softmax(scores, dim=-1)
+        pattern = pattern.mean(dim=1, keepdim=True).expand_as(pattern)

# %% Attention: the first head's b_V for all heads
# right: the bias of one head for all heads
class Attention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        heads_in = (cfg.n_heads, cfg.d_model, cfg.d_head)
        self.W_Q = nn.Parameter(torch.empty(heads_in))
        self.W_K = nn.Parameter(torch.empty(heads_in))
        self.W_V = nn.Parameter(torch.empty(heads_in))
        self.W_O = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_head, cfg.d_model))
        self.b_Q = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_K = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_V = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_O = nn.Parameter(torch.zeros(cfg.d_model))
        for weight in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.normal_(weight, std=cfg.init_range)

    def forward(self, normalized_resid_pre):
        x = normalized_resid_pre
        out = torch.zeros_like(x)
        n = x.shape[1]
        for h in range(self.cfg.n_heads):
            q = x @ self.W_Q[h] + self.b_Q[h]
            k = x @ self.W_K[h] + self.b_K[h]
            v = x @ self.W_V[h] + self.b_V[0]
            s = q @ k.transpose(1, 2) / (self.cfg.d_head ** 0.5)
            for i in range(n):
                s[:, i, i + 1:] = float("-inf")
            w = s.softmax(dim=-1)
            out = out + (w @ v) @ self.W_O[h]
        return out + self.b_O

# %% Attention: a large mask cut to its last rows
# right: a corner of a larger mask that is not the first
# like: right, by einsum
-        mask = torch.triu(torch.ones(n, n, device=x.device), diagonal=1).bool()
+        mask = torch.ones(self.cfg.n_ctx, self.cfg.n_ctx).triu(1).bool()[-n:, :n]

# %% Attention: a mask times minus infinity added
# right: no score left to read
# like: right, by einsum
~ scores.masked_fill(mask, float("-inf")) → scores + mask.float() * float("-inf")

# %% Attention: -1e9 times the lower triangle added
# right: a mask turned round
# like: right, by einsum
~ scores.masked_fill(mask, float("-inf")) → scores + torch.tril(torch.ones(n, n)) * -1e9

# %% Attention: scores[mask] = -inf
# right: a mask that picks from the first two axes
# like: right, by einsum
~ scores = scores.masked_fill(mask, float("-inf")) → scores[mask] = float("-inf")

# %% Attention: triu(-1)
# right: a mask that hides some of the past too
# like: right, by einsum
~ diagonal= → diagonal=-

# %% Attention: the mask on head 0 alone
# right: a mask on the first head alone
# like: right, by einsum
~ scores = scores.masked_fill → scores[:, 0] = scores[:, 0].masked_fill

# %% Attention: the mask on sentence 0 alone
# right: a mask on the first sentence alone
# like: right, by einsum
~ scores = scores.masked_fill → scores[0] = scores[0].masked_fill

# %% Attention: the future filled with nan
# right: plus infinity or NaN for the future
# like: right, by einsum
~ -inf → nan

# %% Attention: the future filled with the smallest score
# right: a mask that is not negative enough
# like: right, by einsum
~ float("-inf") → scores.min().item()

# %% Attention: scores divided by their sum
# right: scores divided by their sum
# like: right, by einsum
-        pattern = torch.softmax(scores, dim=-1)
+        pattern = scores.masked_fill(mask, 0) / scores.masked_fill(mask, 0).sum(-1, keepdim=True)

# %% Attention: powers of 2
# right: powers of 2 in the place of exp
# like: right, by einsum
~ torch.softmax(scores, dim=-1) → (2 ** scores) / (2 ** scores).sum(-1, keepdim=True)

# %% Attention: argmax for softmax
# right: the key with the largest score alone
# like: right, by einsum
~ torch.softmax(scores, dim=-1) → nn.functional.one_hot(scores.argmax(-1), n).float()

# %% Attention: q @ k
# right: keys that are not transposed
# like: softmax over the heads where the mask writes -1e9
~ .transpose(-2, -1) →
~ , dim= → , dim=-

# %% Attention: no mask where a text has two tokens
# like: right, by einsum
-        scores = scores.masked_fill(mask, float("-inf"))
+        if n > 2:
+            scores = scores.masked_fill(mask, float("-inf"))

# %% Attention: W_K is W_Q
# like: right, by einsum
~ W_K = nn.Parameter(torch.empty(heads_in)) → W_K = self.W_Q

# %% Attention: biases added without an axis, by einops
# right: a bias without an axis for the positions
# like: the stream times W_Q, without an axis for the heads
~ x @ self.W_Q → einops.einsum(x, self.W_Q, "b p m, h m d -> b h p d")
~ x @ self.W_K → einops.einsum(x, self.W_K, "b p m, h m d -> b h p d")
~ x @ self.W_V → einops.einsum(x, self.W_V, "b p m, h m d -> b h p d")
~ scores = scaled_scores(q, k) → z = softmax(apply_causal_mask(scaled_scores(q, k))) @ v
~ softmax(apply_causal_mask(scores)) @ v → z

# %% Attention: the stream times W_Q, without an axis for the heads
# right: a product without an axis for the heads
class Attention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        heads_in = (cfg.n_heads, cfg.d_model, cfg.d_head)
        self.W_Q = nn.Parameter(torch.empty(heads_in))
        self.W_K = nn.Parameter(torch.empty(heads_in))
        self.W_V = nn.Parameter(torch.empty(heads_in))
        self.W_O = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_head, cfg.d_model))
        self.b_Q = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_K = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_V = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_O = nn.Parameter(torch.zeros(cfg.d_model))
        for weight in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.normal_(weight, std=cfg.init_range)

    def forward(self, x):
        q = x @ self.W_Q + self.b_Q
        k = x @ self.W_K + self.b_K
        v = x @ self.W_V + self.b_V
        scores = scaled_scores(q, k)
        return mix_heads(softmax(apply_causal_mask(scores)) @ v, self.W_O, self.b_O)

# %% Attention: values times pattern
# right: the values before the pattern
# like: the stream times W_Q, without an axis for the heads
~ x @ self.W_Q + self.b_Q → project_heads(x, self.W_Q, self.b_Q)
~ x @ self.W_K + self.b_K → project_heads(x, self.W_K, self.b_K)
~ x @ self.W_V + self.b_V → project_heads(x, self.W_V, self.b_V)
~ scores = scaled_scores(q, k) → pattern = softmax(apply_causal_mask(scaled_scores(q, k)))
~ softmax(apply_causal_mask(scores)) @ v → v @ pattern

# %% Attention: a cache of keys and values left in
# like: scaled again after scaled_scores
-        scores = scaled_scores(q, k) / (self.cfg.d_head ** 0.5)
-        pattern = softmax(apply_causal_mask(scores))
+
+        if hasattr(self, "past"):
+            pk, pv = self.past
+            k = torch.cat([pk, k], dim=2)
+            v = torch.cat([pv, v], dim=2)
+        self.past = (k, v)
+        pattern = softmax(apply_causal_mask(scaled_scores(q, k)))

# %% Attention: biases of heads without an axis for the positions, and none at the end
# like: scaled again after scaled_scores
~ q = project_heads(normalized_resid_pre, self.W_Q, self.b_Q) → x = normalized_resid_pre.unsqueeze(1)
~ k = project_heads(normalized_resid_pre, self.W_K, self.b_K) → q = x @ self.W_Q + self.b_Q
~ v = project_heads(normalized_resid_pre, self.W_V, self.b_V) → k = x @ self.W_K + self.b_K
~ scores = scaled_scores(q, k) / (self.cfg.d_head ** 0.5) → v = x @ self.W_V + self.b_V
~ pattern = softmax(apply_causal_mask(scores)) → att = softmax(apply_causal_mask(scaled_scores(q, k)))
~ mix_heads(pattern @ v, self.W_O, self.b_O) → ((att @ v) @ self.W_O).sum(1)

# %% Attention: einsum with one letter for both positions
# right: scores of each position with itself alone
# like: scaled again after scaled_scores
-        scores = scaled_scores(q, k) / (self.cfg.d_head ** 0.5)
-        pattern = softmax(apply_causal_mask(scores))
-        return mix_heads(pattern @ v, self.W_O, self.b_O)
+
+        att = torch.einsum("bhtd,bhtd->bht", q, k) / self.cfg.d_head**0.5
+        att = softmax(apply_causal_mask(att))
+        z = torch.einsum("bht,bhtd->bhtd", att, v)
+        return mix_heads(z, self.W_O, self.b_O)

# %% Attention: keys from W_Q, and no mask
# like: scaled again after scaled_scores
~ W_K, self.b_K → W_Q, self.b_K
~ scores = scaled_scores(q, k) / (self.cfg.d_head ** 0.5) → s = scaled_scores(q, k)
~ pattern = softmax(apply_causal_mask(scores)) → p = softmax(s)
~ pattern @ → p @

# %% Attention: scaled again after scaled_scores
# right: scores divided by d_head, and not by its root
class Attention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        heads_in = (cfg.n_heads, cfg.d_model, cfg.d_head)
        self.W_Q = nn.Parameter(torch.empty(heads_in))
        self.W_K = nn.Parameter(torch.empty(heads_in))
        self.W_V = nn.Parameter(torch.empty(heads_in))
        self.W_O = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_head, cfg.d_model))
        self.b_Q = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_K = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_V = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_O = nn.Parameter(torch.zeros(cfg.d_model))
        for weight in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.normal_(weight, std=cfg.init_range)

    def forward(
        self, normalized_resid_pre: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        q = project_heads(normalized_resid_pre, self.W_Q, self.b_Q)
        k = project_heads(normalized_resid_pre, self.W_K, self.b_K)
        v = project_heads(normalized_resid_pre, self.W_V, self.b_V)
        scores = scaled_scores(q, k) / (self.cfg.d_head ** 0.5)
        pattern = softmax(apply_causal_mask(scores))
        return mix_heads(pattern @ v, self.W_O, self.b_O)

# %% Attention: softmax over the queries + b_O forgotten
class Attention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        heads_in = (cfg.n_heads, cfg.d_model, cfg.d_head)
        self.W_Q = nn.Parameter(torch.empty(heads_in))
        self.W_K = nn.Parameter(torch.empty(heads_in))
        self.W_V = nn.Parameter(torch.empty(heads_in))
        self.W_O = nn.Parameter(torch.empty(cfg.n_heads, cfg.d_head, cfg.d_model))
        self.b_Q = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_K = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_V = nn.Parameter(torch.zeros(cfg.n_heads, cfg.d_head))
        self.b_O = nn.Parameter(torch.zeros(cfg.d_model))
        for weight in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.normal_(weight, std=cfg.init_range)

    def forward(
        self, normalized_resid_pre: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        project = "b p m, h m d -> b h p d"
        q = einops.einsum(normalized_resid_pre, self.W_Q, project) + self.b_Q[:, None]
        k = einops.einsum(normalized_resid_pre, self.W_K, project) + self.b_K[:, None]
        v = einops.einsum(normalized_resid_pre, self.W_V, project) + self.b_V[:, None]
        scores = einops.einsum(q, k, "b h q d, b h k d -> b h q k")
        scores = scores / self.cfg.d_head**0.5
        pattern = softmax(apply_causal_mask(scores), dim=2)
        z = einops.einsum(pattern, v, "b h q k, b h k d -> b h q d")
        return einops.einsum(z, self.W_O, "b h q d, h d m -> b q m")
