"""Wrong answers to chapter 12's `RMSNorm`, whole or as edits: benchmarks/answers.py says how."""

# %% base: as Meta writes it
class RMSNorm(nn.Module):
    def __init__(self, cfg: ModernConfig):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))

    def forward(self, residual):
        x = residual.float()
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps)
        return x.type_as(residual) * self.w

# %% base: as transformers writes it
class RMSNorm(nn.Module):
    def __init__(self, cfg: ModernConfig):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.variance_epsilon = cfg.rms_norm_eps

    def forward(self, hidden_states):
        input_dtype = hidden_states.dtype
        hidden_states = hidden_states.to(torch.float32)
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
        return self.w * hidden_states.to(input_dtype)

# %% RMSNorm: keeps LayerNorm's slide
# right: subtracting the mean (that is LayerNorm)
# like: as Meta writes it
~ residual.float() → residual.float() - residual.float().mean(-1, keepdim=True)

# %% RMSNorm: F.layer_norm without a bias
# right: subtracting the mean (that is LayerNorm)
# like: as Meta writes it
-        x = residual.float()
-        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps)
-        return x.type_as(residual) * self.w
+        return F.layer_norm(residual, (self.cfg.d_model,), self.w, None, self.cfg.rms_norm_eps)

# %% RMSNorm: var in place of the mean square
# right: dividing by the standard deviation
# like: as transformers writes it
~ hidden_states.pow(2).mean(-1, keepdim=True) → hidden_states.var(-1, keepdim=True, unbiased=False)

# %% RMSNorm: eps outside the root
# right: eps added outside the square root
# like: as Meta writes it
~ x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps) → x / (x.pow(2).mean(-1, keepdim=True).sqrt() + self.cfg.rms_norm_eps)

# %% RMSNorm: no eps
# right: a mean square without eps
# like: as transformers writes it
~  + self.variance_epsilon →

# %% RMSNorm: a fixed eps of 1e-6
# right: an eps that is not the config's
# like: as transformers writes it
~ self.variance_epsilon = cfg.rms_norm_eps → self.variance_epsilon = 1e-6

# %% RMSNorm: PyTorch's own eps
# right: an eps that is not the config's
# like: as Meta writes it
-        x = residual.float()
-        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps)
-        return x.type_as(residual) * self.w
+        return F.rms_norm(residual.float(), (self.cfg.d_model,)).to(residual.dtype) * self.w

# %% RMSNorm: the norm, which is the root of the sum
# right: adding the squares up instead of averaging them
# like: as Meta writes it
~ x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps) → x / torch.sqrt(x.norm(dim=-1, keepdim=True) ** 2 + self.cfg.rms_norm_eps)

# %% RMSNorm: F.normalize
# right: adding the squares up instead of averaging them
# like: as Meta writes it
-        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps)
+        x = F.normalize(x, dim=-1, eps=self.cfg.rms_norm_eps)

# %% RMSNorm: no root
# right: a mean square where its root belongs
# like: as Meta writes it
~ x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps) → x / (x.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps)

# %% RMSNorm: sqrt for rsqrt
# right: multiplying by the root instead of dividing
# like: as Meta writes it
~ rsqrt → sqrt

# %% RMSNorm: the mean of the absolute values
# right: the mean of the absolute values
# like: as Meta writes it
~ x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps) → x / (x.abs().mean(-1, keepdim=True) + self.cfg.rms_norm_eps)

# %% RMSNorm: averages over everything
# right: one mean square for the whole tensor
# like: as Meta writes it
~ mean(-1, keepdim=True) → mean()

# %% RMSNorm: averages over the positions
# right: a mean over the positions
# like: as Meta writes it
~ mean(-1, keepdim=True) → mean(1, keepdim=True)

# %% RMSNorm: axis 2, which is the last one of three
# right: axis 2 instead of the last axis
# like: as Meta writes it
~ mean(-1, keepdim=True) → mean(2, keepdim=True)

# %% RMSNorm: einsum for three axes alone
# right: names for exactly three axes
# like: as Meta writes it
~ x.pow(2).mean(-1, keepdim=True) → torch.einsum("bpd,bpd->bp", x, x)[..., None] / x.shape[-1]

# %% RMSNorm: unpacks three sizes
# right: names for exactly three axes
# like: as Meta writes it
-        x = residual.float()
+        batch, pos, d_model = residual.shape
+        x = residual.float()

# %% RMSNorm: forgets keepdim
# right: a mean without keepdim
# like: as transformers writes it
~ mean(-1, keepdim=True) → mean(-1)

# %% RMSNorm: Gemma's 1 + w
# right: scaling by `1 + w`
# like: as Meta writes it
~ x.type_as(residual) * self.w → (x * (1.0 + self.w.float())).type_as(residual)

# %% RMSNorm: OLMo 2's order, w before the cast
# right: multiplying by `w` before the cast back
# like: as transformers writes it
~ self.w * hidden_states.to(input_dtype) → (self.w * hidden_states).to(input_dtype)

# %% RMSNorm: F.rms_norm with its weight
# right: multiplying by `w` before the cast back
# like: as Meta writes it
-        x = residual.float()
-        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps)
-        return x.type_as(residual) * self.w
+        return F.rms_norm(residual, (self.cfg.d_model,), self.w, self.cfg.rms_norm_eps)

# %% RMSNorm: never leaves half precision
# right: squares in half precision
# like: as Meta writes it
~ residual.float() → residual

# %% RMSNorm: squares first, float32 after
# right: squares in half precision, and a mean in float32
# like: as Meta writes it
-        x = residual.float()
-        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps)
+        mean_square = residual.pow(2).float().mean(-1, keepdim=True)
+        x = residual.float() * torch.rsqrt(mean_square + self.cfg.rms_norm_eps)

# %% RMSNorm: never comes back to half precision
# right: an answer that is never brought back to the dtype of `residual`
# like: as Meta writes it
~ x.type_as(residual) → x

# %% RMSNorm: w on the vector that comes in
# right: scaling by `w` before normalising
# like: as Meta writes it
~ residual.float() → residual.float() * self.w
~ x.type_as(residual) * self.w → x.type_as(residual)

# %% RMSNorm: w starts at zero
# right: starting `w` at zero
# like: as Meta writes it
~ torch.ones → torch.zeros

# %% RMSNorm: PyTorch's module, with its names
# right: keeping `w` inside nn.RMSNorm
# like: as Meta writes it
-        self.w = nn.Parameter(torch.ones(cfg.d_model))
-
-    def forward(self, residual):
-        x = residual.float()
-        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps)
-        return x.type_as(residual) * self.w
+        self.norm = nn.RMSNorm(cfg.d_model, eps=cfg.rms_norm_eps)
+
+    def forward(self, residual):
+        return self.norm(residual)
