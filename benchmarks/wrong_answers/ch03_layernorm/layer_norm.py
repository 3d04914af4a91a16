"""Wrong answers to chapter 3's `LayerNorm`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, with a docstring
class LayerNorm(nn.Module):
    """Give each residual vector mean 0 and variance 1, then scale it by w and shift it by b.

    Source: openai/gpt-2 src/model.py, norm(); Ba et al. 2016, eq. 4.
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        centred = residual - residual.mean(dim=-1, keepdim=True)
        variance = centred.pow(2).mean(dim=-1, keepdim=True)
        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b

# %% base: right, in short
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual):
        centred = residual - residual.mean(dim=-1, keepdim=True)
        variance = centred.pow(2).mean(dim=-1, keepdim=True)
        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b

# %% base: right, by `var`
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual):
        mean = residual.mean(dim=-1, keepdim=True)
        var = residual.var(dim=-1, keepdim=True, unbiased=False)
        normalized = (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps)
        return normalized * self.w + self.b

# %% LayerNorm: the unbiased variance, which divides by d_model - 1
# right: the unbiased variance
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        mean = residual.mean(dim=-1, keepdim=True)
+        var = residual.var(dim=-1, keepdim=True)
+        return (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps) * self.w + self.b

# %% LayerNorm: forgets keepdim in the mean
# right: a mean without keepdim
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
+        mean = residual.mean(dim=-1)
+        centred = residual - mean

# %% LayerNorm: forgets keepdim in the variance
# right: a variance without keepdim
# like: right, with a docstring
~ (2).mean(dim=-1, keepdim=True) → (2).mean(dim=-1)

# %% LayerNorm: averages over the positions (dim=1) instead of d_model
# right: normalising over the positions
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        mu = residual.mean(dim=1, keepdim=True)
+        var = residual.var(dim=1, keepdim=True, unbiased=False)
+        return (residual - mu) / torch.sqrt(var + self.cfg.layer_norm_eps) * self.w + self.b

# %% LayerNorm: averages over the batch (dim=0)
# right: normalising over the batch
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        centred = residual - residual.mean(dim=0, keepdim=True)
+        variance = (centred ** 2).mean(dim=0, keepdim=True)
+        out = centred / (variance + self.cfg.layer_norm_eps).sqrt()
+        return out * self.w + self.b

# %% LayerNorm: BatchNorm: mean and variance over batch and positions
# right: normalising over batch and positions
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        mean = residual.mean(dim=(0, 1), keepdim=True)
+        variance = ((residual - mean) ** 2).mean(dim=(0, 1), keepdim=True)
+        normed = (residual - mean) / torch.sqrt(variance + self.cfg.layer_norm_eps)
+        return self.w * normed + self.b

# %% LayerNorm: mean and variance over positions and d_model together
# right: one mean and one variance for each sentence
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        mean = residual.mean(dim=[1, 2], keepdim=True)
+        var = residual.var(dim=[1, 2], unbiased=False, keepdim=True)
+        return (residual - mean) * torch.rsqrt(var + self.cfg.layer_norm_eps) * self.w + self.b

# %% LayerNorm: one mean and one variance for the whole tensor (no dim)
# right: one mean and one variance for the whole tensor
# like: right, with a docstring
~ residual.mean(dim=-1, keepdim=True) → residual.mean()
~ (2).mean(dim=-1, keepdim=True) → (2).mean()

# %% LayerNorm: the mean runs over the positions, the variance over d_model
# like: right, in short
~ residual.mean(dim=-1, keepdim=True) → residual.mean(dim=-2, keepdim=True)

# %% LayerNorm: the variance runs over the positions, the mean over d_model
# right: a variance over the positions
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        mean = residual.mean(-1, keepdim=True)
+        centred = residual - mean
+        variance = centred.pow(2).mean(1, keepdim=True)
+        scale = (variance + self.cfg.layer_norm_eps).sqrt()
+        return centred / scale * self.w + self.b

# %% LayerNorm: torch.var_mean with its default correction
# right: the unbiased variance
# like: right, in short
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        var, mean = torch.var_mean(residual, dim=-1, keepdim=True)
+        return (residual - mean) / (var + self.cfg.layer_norm_eps).sqrt() * self.w + self.b

# %% LayerNorm: takes var_mean's answers in the wrong order
# right: mean and variance in swapped roles
# like: var(-1, True): the True is for unbiased, not for keepdim
~ mean = residual.mean(-1, True) → mean, var = torch.var_mean(residual, dim=-1, keepdim=True, correction=0)
~ var = residual.var(-1, True) → normed = (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps)
~ self.w * (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps) → normed * self.w

# %% LayerNorm: divides the sum of squares by d_model - 1 by hand
# right: the unbiased variance
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        d = residual.shape[-1]
+        mean = residual.sum(dim=-1, keepdim=True) / d
+        diff = residual - mean
+        variance = (diff * diff).sum(dim=-1, keepdim=True) / (d - 1)
+        return diff / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b

# %% LayerNorm: adds eps outside the root
# right: eps added outside the square root
# like: right, with a docstring
~ (variance + self.cfg.layer_norm_eps).sqrt() → (variance.sqrt() + self.cfg.layer_norm_eps)

# %% LayerNorm: torch.std with correction=0, and eps added to the standard deviation
# right: eps added outside the square root
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        mu = torch.mean(residual, dim=-1, keepdim=True)
+        sigma = torch.std(residual, dim=-1, keepdim=True, correction=0)
+        return self.w * (residual - mu) / (sigma + self.cfg.layer_norm_eps) + self.b

# %% LayerNorm: leaves eps out
# right: a variance without eps
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        mean = residual.mean(dim=-1, keepdim=True)
+        std = residual.std(dim=-1, keepdim=True, unbiased=False)
+        return (residual - mean) / std * self.w + self.b

# %% LayerNorm: hard-codes eps = 1e-5
# right: an eps that is not the config's
# like: right, with a docstring
     def forward(self, residual: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
+        eps = 1e-5
~ pow(2) → square()
~ (variance + self.cfg.layer_norm_eps).sqrt() → torch.sqrt(variance + eps)

# %% LayerNorm: eps = 1e-12, as in BERT
# right: a variance without eps
# right: an eps that is not the config's
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))
        self.variance_epsilon = 1e-12

    def forward(self, x):
        u = x.mean(-1, keepdim=True)
        s = (x - u).pow(2).mean(-1, keepdim=True)
        x = (x - u) / torch.sqrt(s + self.variance_epsilon)
        return self.w * x + self.b

# %% LayerNorm: adds eps to the centred vector, not to the variance
# right: eps added to something other than the variance
# like: right, in short
~ residual.mean(dim=-1, keepdim=True) → residual.mean(dim=-1, keepdim=True) + self.cfg.layer_norm_eps
~ centred.pow(2).mean(dim=-1, keepdim=True) → residual.var(dim=-1, unbiased=False, keepdim=True)
~ (variance + self.cfg.layer_norm_eps) → variance

# %% LayerNorm: adds eps after the division
# right: eps added after the division
# like: right, with a docstring
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        return (centred / variance.sqrt() + self.cfg.layer_norm_eps) * self.w + self.b

# %% LayerNorm: squares eps before adding it
# right: squaring eps
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        x = residual - residual.mean(-1, keepdim=True)
+        std = torch.sqrt((x ** 2).mean(-1, keepdim=True) + self.cfg.layer_norm_eps ** 2)
+        return x / std * self.w + self.b

# %% LayerNorm: clamps the variance at eps instead of adding it
# right: eps as the least that the variance may be
# like: right, in short
~ (2).mean(dim=-1, keepdim=True) → (2).mean(dim=-1, keepdim=True).clamp(min=self.cfg.layer_norm_eps)
~ (variance + self.cfg.layer_norm_eps) → variance

# %% LayerNorm: subtracts eps from the variance
# right: subtracting eps
# like: right, with a docstring
~ + self.cfg → - self.cfg

# %% LayerNorm: reads cfg.eps, which does not exist
# like: right, with a docstring
~ layer_norm_eps → eps

# %% LayerNorm: copies the pseudocode's bare eps, which is not defined
# like: right, with a docstring
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        variance = (centred**2).mean(dim=-1, keepdim=True)
+        out = centred / torch.sqrt(variance + eps)
+        return out * self.w + self.b

# %% LayerNorm: writes cfg instead of self.cfg in forward
# like: var(-1, True): the True is for unbiased, not for keepdim
~ mean(-1, True) → mean(-1, keepdim=True)
~ var(-1, True) → var(-1, keepdim=True, unbiased=False)
~ torch.sqrt(var + self.cfg.layer_norm_eps) → (var + cfg.layer_norm_eps).sqrt()

# %% LayerNorm: divides by the variance, without the root
# right: dividing by the variance
# like: right, with a docstring
~ .sqrt() →

# %% LayerNorm: ** 0.5 binds to eps alone
# right: the root of eps alone
# like: right, in short
~ centred.pow(2) → (centred ** 2)
~ (variance + self.cfg.layer_norm_eps).sqrt() → (variance + self.cfg.layer_norm_eps ** 0.5)

# %% LayerNorm: takes the root twice (adds eps to the standard deviation, then roots it)
# right: the root of the standard deviation
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        mean = residual.mean(dim=-1, keepdim=True)
+        std = residual.std(dim=-1, keepdim=True, unbiased=False)
+        return (residual - mean) / torch.sqrt(std + self.cfg.layer_norm_eps) * self.w + self.b

# %% LayerNorm: divides by rsqrt, which is already the inverse
# right: multiplying by the standard deviation
# like: right, by `var`
-        var = residual.var(dim=-1, keepdim=True, unbiased=False)
-        normalized = (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps)
-        return normalized * self.w + self.b
+        variance = residual.var(dim=-1, keepdim=True, correction=0)
+        inv = torch.rsqrt(variance + self.cfg.layer_norm_eps)
+        return (residual - mean) / inv * self.w + self.b

# %% LayerNorm: multiplies by the standard deviation instead of dividing
# right: multiplying by the standard deviation
# like: right, with a docstring
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        std = (variance + self.cfg.layer_norm_eps).sqrt()
+        return centred * std * self.w + self.b

# %% LayerNorm: RMSNorm, which leaves out the mean altogether
# right: dividing without centring first (that is RMSNorm)
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.eps = cfg.layer_norm_eps
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        return self._norm(x) * self.w + self.b

# %% LayerNorm: divides the vector itself, not the centred one, by the standard deviation
# right: dividing the vector before its mean was subtracted
# like: right, with a docstring
~ centred / → residual /

# %% LayerNorm: centres, but takes the mean square of the uncentred vector
# right: a variance of the vector before it was centred
# like: right, with a docstring
~ = centred → = residual

# %% LayerNorm: slides but never stretches
# right: centring alone
# like: right, by `var`
-        var = residual.var(dim=-1, keepdim=True, unbiased=False)
-        normalized = (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps)
-        return normalized * self.w + self.b
+        return (residual - mean) * self.w + self.b

# %% LayerNorm: leaves out w and b
# right: leaving out both `w` and `b`
# like: right, with a docstring
~ () * self.w + self.b → ()

# %% LayerNorm: leaves out w
# right: leaving out the scale `w`
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        mu = residual.mean(-1, keepdim=True)
+        var = residual.var(-1, unbiased=False, keepdim=True)
+        return (residual - mu) / (var + self.cfg.layer_norm_eps) ** 0.5 + self.b

# %% LayerNorm: leaves out b
# right: leaving out the offset `b`
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        mean = residual.mean(dim=-1, keepdim=True)
+        var = ((residual - mean) ** 2).mean(dim=-1, keepdim=True)
+        normalised = (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps)
+        return normalised * self.w

# %% LayerNorm: subtracts b
# right: subtracting `b`
# like: right, in short
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        return self.w * centred / (variance + self.cfg.layer_norm_eps).sqrt() - self.b

# %% LayerNorm: adds b before it multiplies by w
# right: adding `b` before scaling by `w`
# like: right, with a docstring
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        normed = centred / (variance + self.cfg.layer_norm_eps).sqrt()
+        return (normed + self.b) * self.w

# %% LayerNorm: swaps w and b
# right: `w` and `b` in swapped roles
# like: right, by `var`
-        var = residual.var(dim=-1, keepdim=True, unbiased=False)
-        normalized = (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps)
-        return normalized * self.w + self.b
+        std = (residual.var(dim=-1, keepdim=True, unbiased=False) + self.cfg.layer_norm_eps).sqrt()
+        gamma, beta = self.b, self.w
+        return gamma * (residual - mean) / std + beta

# %% LayerNorm: divides by w too, because the parentheses after the / take it in
# right: dividing by `w` as well
# like: right, with a docstring
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        return centred / ((variance + self.cfg.layer_norm_eps).sqrt() * self.w) + self.b

# %% LayerNorm: adds 1 to w, as Gemma does
# right: scaling by `1 + w`
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        x = residual - residual.mean(-1, keepdim=True)
+        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.cfg.layer_norm_eps)
+        return x * (1 + self.w) + self.b

# %% LayerNorm: scales and shifts before it normalises
# right: applying `w` and `b` before normalising
# right: scaling by `w` before normalising
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
+        x = residual * self.w + self.b
+        centred = x - x.mean(dim=-1, keepdim=True)
~ () * self.w + self.b → ()

# %% LayerNorm: takes the dot product with w instead of multiplying entry by entry
# right: a matrix product with `w`
# like: right, in short
~ () * → () @

# %% LayerNorm: forgets to return the result
# like: right, with a docstring
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        out = centred / (variance + self.cfg.layer_norm_eps).sqrt()
+        out = out * self.w + self.b

# %% LayerNorm: returns the normalised vector, with w and b put into a variable that is never used
# right: leaving out both `w` and `b`
# like: right, in short
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        normed = centred / (variance + self.cfg.layer_norm_eps).sqrt()
+        out = normed * self.w + self.b
+        return normed

# %% LayerNorm: subtracts the mean in place and so changes the stream
# right: centring `residual` in place
# like: right, with a docstring
~ centred = residual - → residual -=
~ = centred → = residual
~ centred / → residual /

# %% LayerNorm: sub_ and div_ on a second name for the stream (no copy)
# right: centring `residual` in place
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        x = residual
+        x.sub_(x.mean(dim=-1, keepdim=True))
+        x.div_((x.pow(2).mean(dim=-1, keepdim=True) + self.cfg.layer_norm_eps).sqrt())
+        return x * self.w + self.b

# %% LayerNorm: adds the stream back to the answer (a residual connection)
# right: adding the input back
# like: right, with a docstring
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        normed = centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        return residual + normed

# %% LayerNorm: mean and variance under torch.no_grad(), so they are constants for the gradient
# right: a mean and variance cut out of the graph
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        with torch.no_grad():
+            mean = residual.mean(dim=-1, keepdim=True)
+            variance = residual.var(dim=-1, keepdim=True, unbiased=False)
+        return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b

# %% LayerNorm: detaches the standard deviation
# right: a mean and variance cut out of the graph
# like: right, in short
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        std = (centred.pow(2).mean(dim=-1, keepdim=True) + self.cfg.layer_norm_eps).sqrt().detach()
+        return centred / std * self.w + self.b

# %% LayerNorm: uses w.data and b.data, which then get no gradient
# like: right, by `var`
~ (dim=-1, keepdim=True) → (-1, keepdim=True)
~ dim=-1, keepdim=True, unbiased → -1, keepdim=True, unbiased
~ normalized = → y =
~ normalized * self.w + self.b → y * self.w.data + self.b.data

# %% LayerNorm: normalises in NumPy, so that no gradient reaches the stream
# like: F.layer_norm without eps, so that it takes its own 1e-5
~ torch.nn.functional as F → numpy as np
-        return F.layer_norm(residual, self.w.shape, self.w, self.b)
+        x = residual.detach().numpy()
+        mu = x.mean(axis=-1, keepdims=True)
+        sigma2 = x.var(axis=-1, keepdims=True)
+        out = (x - mu) / np.sqrt(sigma2 + np.float32(self.cfg.layer_norm_eps))
+        return torch.from_numpy(out) * self.w + self.b

# %% LayerNorm: NumPy's ddof in torch's var
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        mu = residual.mean(axis=-1, keepdims=True)
+        var = residual.var(axis=-1, ddof=0, keepdims=True)
+        return (residual - mu) / torch.sqrt(var + self.cfg.layer_norm_eps) * self.w + self.b

# %% LayerNorm: var(-1, True): the True is for unbiased, not for keepdim
# right: a variance without keepdim
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual):
        mean = residual.mean(-1, True)
        var = residual.var(-1, True)
        return self.w * (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps) + self.b

# %% LayerNorm: calls torch.sqrt with the Python number eps
# like: right, with a docstring
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        denominator = torch.sqrt(variance) + torch.sqrt(self.cfg.layer_norm_eps)
+        return centred / denominator * self.w + self.b

# %% LayerNorm: math.sqrt on a tensor of many numbers
# like: right, with a docstring
+import math
+
+
 class LayerNorm(nn.Module):
~ (variance + self.cfg.layer_norm_eps).sqrt() → math.sqrt(variance + self.cfg.layer_norm_eps)

# %% LayerNorm: the sum of squares instead of their mean
# right: adding the squares up instead of averaging them
# like: right, with a docstring
~ (2).mean → (2).sum

# %% LayerNorm: divides by the norm of the centred vector plus eps (L2 normalisation)
# right: dividing by the vector's norm
# right: adding the squares up instead of averaging them
# like: var(-1, True): the True is for unbiased, not for keepdim
~ mean = residual.mean(-1, True) → x = residual - residual.mean(dim=-1, keepdim=True)
~ var = residual.var(-1, True) → x = x / (x.norm(dim=-1, keepdim=True) + self.cfg.layer_norm_eps)
~ (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps) → x

# %% LayerNorm: the mean absolute deviation instead of the variance
# right: the mean of the absolute deviations
# like: right, in short
~ variance = centred.pow(2) → spread = centred.abs()
~ (variance + self.cfg.layer_norm_eps).sqrt() → (spread + self.cfg.layer_norm_eps)

# %% LayerNorm: forgets to square, so the variance is the mean of the centred vector
# right: averaging without squaring
# like: right, with a docstring
~ pow(2).mean → mean

# %% LayerNorm: doubles (* 2) instead of squaring (** 2)
# right: averaging without squaring
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        mean = residual.mean(dim=-1, keepdim=True)
+        variance = ((residual - mean) * 2).mean(dim=-1, keepdim=True)
+        return (residual - mean) / torch.sqrt(variance + self.cfg.layer_norm_eps) * self.w + self.b

# %% LayerNorm: writes ^ for a power
# like: right, by `var`
-        var = residual.var(dim=-1, keepdim=True, unbiased=False)
-        normalized = (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps)
-        return normalized * self.w + self.b
+        variance = ((residual - mean) ^ 2).mean(dim=-1, keepdim=True)
+        return (residual - mean) / torch.sqrt(variance + self.cfg.layer_norm_eps) * self.w + self.b

# %% LayerNorm: squares the mean of the centred vector instead of averaging the squares
# right: squaring the mean instead of averaging the squares
# like: right, in short
~ residual.mean(dim=-1, keepdim=True) → residual.mean(-1, keepdim=True)
~ pow(2).mean(dim=-1, keepdim=True) → mean(-1, keepdim=True) ** 2
~ (variance + self.cfg.layer_norm_eps).sqrt() → torch.sqrt(variance + self.cfg.layer_norm_eps)

# %% LayerNorm: variance as E[x]^2 - E[x^2], the difference the wrong way round
# right: the squared mean minus the mean of the squares
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        mean = residual.mean(dim=-1, keepdim=True)
+        mean_sq = (residual * residual).mean(dim=-1, keepdim=True)
+        variance = mean ** 2 - mean_sq
+        return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b

# %% LayerNorm: subtracts the mean, not its square, from E[x^2] (and hides negative results with abs)
# right: a mean that is not squared where the variance is computed
# like: right, by `var`
~ mean = → ex =
~ var = residual.var(dim=-1, keepdim=True, unbiased=False) → ex2 = residual.pow(2).mean(dim=-1, keepdim=True)
~ normalized = (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps) → variance = ex2 - ex
~ normalized * → (residual - ex) / (variance.abs() + self.cfg.layer_norm_eps).sqrt() *

# %% LayerNorm: divides by the number of positions (shape[1]) instead of d_model
# right: dividing the sum by the number of positions
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual):
        n = residual.shape[1]
        mean = residual.sum(-1, keepdim=True) / n
        diff = residual - mean
        var = (diff ** 2).sum(-1, keepdim=True) / n
        return diff / torch.sqrt(var + self.cfg.layer_norm_eps) * self.w + self.b

# %% LayerNorm: divides by 4, the d_model of the worked example
# right: dividing the sums by a fixed 4
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
+        mean = residual.sum(dim=-1, keepdim=True) / 4
+        centred = residual - mean
+        variance = centred.pow(2).sum(dim=-1, keepdim=True) / 4

# %% LayerNorm: takes the median for the mean
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        middle = residual.median(dim=-1, keepdim=True).values
+        x = residual - middle
+        var = x.pow(2).mean(dim=-1, keepdim=True)
+        return x / (var + self.cfg.layer_norm_eps).sqrt() * self.w + self.b

# %% LayerNorm: missing parentheses: only the mean is divided by the standard deviation
# right: dividing the mean alone
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        mean = residual.mean(dim=-1, keepdim=True)
+        variance = (residual - mean).pow(2).mean(dim=-1, keepdim=True)
+        std = (variance + self.cfg.layer_norm_eps).sqrt()
+        return (residual - mean / std) * self.w + self.b

# %% LayerNorm: the loop over positions stops one short and leaves the last at zeros
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual):
        out = torch.zeros_like(residual)
        batch, pos, d_model = residual.shape
        for i in range(batch):
            for j in range(pos - 1):
                v = residual[i, j]
                m = v.mean()
                s = ((v - m) ** 2).mean()
                out[i, j] = (v - m) / torch.sqrt(s + self.cfg.layer_norm_eps) * self.w + self.b
        return out

# %% LayerNorm: the loop takes the mean and variance of a whole sentence
# right: one mean and one variance for each sentence
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        out = []
+        for sentence in residual:
+            mean = sentence.mean()
+            variance = ((sentence - mean) ** 2).mean()
+            normed = (sentence - mean) / (variance + self.cfg.layer_norm_eps).sqrt()
+            out.append(normed * self.w + self.b)
+        return torch.stack(out)

# %% LayerNorm: the loop over sentences stacks them along axis 1
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual):
        rows = []
        for x in residual:
            x = x - x.mean(-1, keepdim=True)
            x = x / (x.pow(2).mean(-1, keepdim=True) + self.cfg.layer_norm_eps).sqrt()
            rows.append(x * self.w + self.b)
        return torch.stack(rows, dim=1)

# %% LayerNorm: uses nn.LayerNorm as a submodule, so w and b are called ln.weight and ln.bias
# right: keeping `w` and `b` inside nn.LayerNorm
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln = nn.LayerNorm(cfg.d_model, eps=cfg.layer_norm_eps)

    def forward(self, residual):
        return self.ln(residual)

# %% LayerNorm: calls the parameters weight and bias, as nanoGPT does
# right: taking PyTorch's names for the parameters
class LayerNorm(nn.Module):
    """ LayerNorm but with an optional bias. PyTorch doesn't support simply bias=False """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.weight = nn.Parameter(torch.ones(cfg.d_model))
        self.bias = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, input):
        return nn.functional.layer_norm(input, self.weight.shape, self.weight, self.bias, self.cfg.layer_norm_eps)

# %% LayerNorm: F.layer_norm without w and b
# right: leaving out both `w` and `b`
import torch.nn.functional as F


class LayerNorm(nn.Module):
    """Give each residual vector mean 0 and variance 1, then scale it by w and shift it by b.

    Source: openai/gpt-2 src/model.py, norm(); Ba et al. 2016, eq. 4.
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        return F.layer_norm(residual, (self.cfg.d_model,), eps=self.cfg.layer_norm_eps)

# %% LayerNorm: F.layer_norm without eps, so that it takes its own 1e-5
# right: an eps that is not the config's
import torch.nn.functional as F


class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual):
        return F.layer_norm(residual, self.w.shape, self.w, self.b)

# %% LayerNorm: F.layer_norm with bias and weight swapped
# right: `w` and `b` in swapped roles
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual):
        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)

# %% LayerNorm: F.layer_norm over the last two axes
# right: one mean and one variance for each sentence
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        normed = nn.functional.layer_norm(residual, residual.shape[1:], eps=self.cfg.layer_norm_eps)
+        return normed * self.w + self.b

# %% LayerNorm: F.layer_norm with a number where it wants a shape
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        return torch.nn.functional.layer_norm(
+            residual, self.cfg.d_model, weight=self.w, bias=self.b, eps=self.cfg.layer_norm_eps
+        )

# %% LayerNorm: nn.LayerNorm made in forward, whose own weights are always 1 and 0
# right: leaving out both `w` and `b`
# right: a new nn.LayerNorm in `forward`
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        ln = nn.LayerNorm(self.cfg.d_model, eps=self.cfg.layer_norm_eps)
+        return ln(residual)

# %% LayerNorm: F.batch_norm with d_model as the channels
# right: normalising over batch and positions
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        x = residual.transpose(1, 2)
+        x = nn.functional.batch_norm(x, None, None, self.w, self.b, training=True, eps=self.cfg.layer_norm_eps)
+        return x.transpose(1, 2)

# %% LayerNorm: F.normalize, which divides by the norm and does not centre
# right: dividing by the vector's norm
# right: dividing without centring first (that is RMSNorm)
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        return nn.functional.normalize(residual, dim=-1, eps=self.cfg.layer_norm_eps) * self.w + self.b

# %% LayerNorm: instance norm: each dimension over the positions of its sentence
# right: normalising over the positions
# like: right, in short
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        x = nn.functional.instance_norm(residual.transpose(1, 2), eps=self.cfg.layer_norm_eps)
+        return x.transpose(1, 2) * self.w + self.b

# %% LayerNorm: min-max scaling to 0..1
# right: scaling between the smallest and the largest number
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        low = residual.min(dim=-1, keepdim=True).values
+        high = residual.max(dim=-1, keepdim=True).values
+        scaled = (residual - low) / (high - low + self.cfg.layer_norm_eps)
+        return scaled * self.w + self.b

# %% LayerNorm: clips the normalised numbers to -1..1
# like: right, with a docstring
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        normed = centred / (variance + self.cfg.layer_norm_eps).sqrt()
+        normed = torch.clamp(normed, -1.0, 1.0)
+        return normed * self.w + self.b

# %% LayerNorm: BatchNorm's running statistics, updated in training and used instead of each vector's own
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config, momentum=0.1):
        super().__init__()
        self.cfg = cfg
        self.momentum = momentum
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))
        self.running_mean = torch.zeros(cfg.d_model)
        self.running_var = torch.ones(cfg.d_model)

    def forward(self, x):
        if self.training:
            with torch.no_grad():
                m, v = x.mean(dim=(0, 1)), x.var(dim=(0, 1), unbiased=False)
                self.running_mean = (1 - self.momentum) * self.running_mean + self.momentum * m
                self.running_var = (1 - self.momentum) * self.running_var + self.momentum * v
        xhat = (x - self.running_mean) / torch.sqrt(self.running_var + self.cfg.layer_norm_eps)
        return self.w * xhat + self.b

# %% LayerNorm: w and b are plain tensors, not nn.Parameters
# like: right, by `var`
~ nn.Parameter(torch.ones(cfg.d_model)) → torch.ones(cfg.d_model)
~ nn.Parameter(torch.zeros(cfg.d_model)) → torch.zeros(cfg.d_model)
-        normalized = (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps)
-        return normalized * self.w + self.b
+        return self.w * (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps) + self.b

# %% LayerNorm: w is one number instead of d_model
# right: one number for `w` and one for `b`
# like: right, in short
~ ones(cfg.d_model) → ones(1)
~ zeros(cfg.d_model) → zeros(1)

# %% LayerNorm: starts w and b both at random
# like: right, in short
~ ones(cfg.d_model) → randn(cfg.d_model) * cfg.init_range
~ zeros(cfg.d_model) → randn(cfg.d_model) * cfg.init_range

# %% LayerNorm: b starts at ones, copied from the line above it
class LayerNorm(nn.Module):
    """Give each residual vector mean 0 and variance 1, then scale it by w and shift it by b."""

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.eps = cfg.layer_norm_eps
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.ones(cfg.d_model))

    def forward(self, residual):
        mean = residual.mean(dim=-1, keepdim=True)
        var = (residual - mean).square().mean(dim=-1, keepdim=True)
        return (residual - mean) * (var + self.eps).rsqrt() * self.w + self.b

# %% LayerNorm: makes new w and b in forward
# right: leaving out both `w` and `b`
# like: right, in short
     def forward(self, residual):
+        w = nn.Parameter(torch.ones(self.cfg.d_model))
+        b = nn.Parameter(torch.zeros(self.cfg.d_model))
~ self.w + self.b → w + b

# %% LayerNorm: leaves out self. before w and b
# like: right, with a docstring
~ self.w + self.b → w + b

# %% LayerNorm: calls w and b by Keras's names gamma and beta
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        mean = residual.mean(-1, keepdim=True)
+        variance = residual.var(-1, keepdim=True, unbiased=False)
+        x_hat = (residual - mean) / torch.sqrt(variance + self.cfg.layer_norm_eps)
+        return self.gamma * x_hat + self.beta

# %% LayerNorm: sqrt without its parentheses (the method, not its result)
# like: right, with a docstring
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        std = (variance + self.cfg.layer_norm_eps).sqrt
+        return centred / std * self.w + self.b

# %% LayerNorm: einops.reduce drops the axis that the subtraction needs
# like: F.layer_norm without w and b
~ torch.nn.functional as F → einops
-        return F.layer_norm(residual, (self.cfg.d_model,), eps=self.cfg.layer_norm_eps)
+        mean = einops.reduce(residual, "b p d -> b p", "mean")
+        centred = residual - mean
+        var = einops.reduce(centred**2, "b p d -> b p", "mean")
+        return centred / (var + self.cfg.layer_norm_eps).sqrt() * self.w + self.b

# %% LayerNorm: einops.reduce over the positions
# right: normalising over the positions
# like: F.layer_norm without eps, so that it takes its own 1e-5
~ torch.nn.functional as F → einops
-        return F.layer_norm(residual, self.w.shape, self.w, self.b)
+        mu = einops.reduce(residual, "batch pos d -> batch 1 d", "mean")
+        var = einops.reduce((residual - mu) ** 2, "batch pos d -> batch 1 d", "mean")
+        return (residual - mu) / torch.sqrt(var + self.cfg.layer_norm_eps) * self.w + self.b

# %% LayerNorm: the einsum for the variance sums and does not divide by d_model
# right: adding the squares up instead of averaging them
# like: right, with a docstring
~ residual.mean(dim=-1, keepdim=True) → residual.mean(-1, keepdim=True)
~ centred.pow(2).mean(dim=-1, keepdim=True) → torch.einsum("bpd,bpd->bp", centred, centred).unsqueeze(-1)

# %% LayerNorm: the einsum sums over d_model when it applies w
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        centred = residual - residual.mean(-1, keepdim=True)
+        normed = centred * (centred.pow(2).mean(-1, keepdim=True) + self.cfg.layer_norm_eps).rsqrt()
+        return torch.einsum("bpd,d->bp", normed, self.w).unsqueeze(-1) + self.b

# %% LayerNorm: brings the lost axis back with unsqueeze(1) instead of unsqueeze(-1)
# like: right, with a docstring
~ centred = residual - residual.mean(dim=-1, keepdim=True) → mean = residual.mean(dim=-1).unsqueeze(1)
~ centred.pow(2).mean(dim=-1, keepdim=True) → residual.var(dim=-1, unbiased=False).unsqueeze(1)
~ centred / → (residual - mean) /

# %% LayerNorm: mean and variance come from the first sentence alone
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        x0 = residual[0]
+        mean = x0.mean(dim=-1, keepdim=True)
+        variance = x0.var(dim=-1, keepdim=True, unbiased=False)
+        return (residual - mean) / torch.sqrt(variance + self.cfg.layer_norm_eps) * self.w + self.b

# %% LayerNorm: returns the first sentence alone (an index left over from looking at it)
# like: right, with a docstring
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        out = centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        return out[0]

# %% LayerNorm: a line left from trying it out replaces the input by random numbers
# like: right, by `var`
     def forward(self, residual):
+        residual = torch.randn(residual.shape)
...
-        normalized = (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps)
-        return normalized * self.w + self.b
+        return (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps) * self.w + self.b

# %% LayerNorm: an early return left in, which gives back the centred vector
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
+        mean = residual.mean(dim=-1, keepdim=True)
+        centred = residual - mean
+        return centred  # check shapes first

# %% LayerNorm: computes in float64 and returns float64
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        x = residual.double()
+        mean = x.mean(dim=-1, keepdim=True)
+        var = x.var(dim=-1, keepdim=True, unbiased=False)
+        return (x - mean) / torch.sqrt(var + self.cfg.layer_norm_eps) * self.w + self.b

# %% LayerNorm: normalises each head's d_head numbers apart
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual):
        batch, pos, d_model = residual.shape
        x = residual.view(batch, pos, -1, self.cfg.d_head)
        x = x - x.mean(dim=-1, keepdim=True)
        x = x / (x.pow(2).mean(dim=-1, keepdim=True) + self.cfg.layer_norm_eps).sqrt()
        return x.view(batch, pos, d_model) * self.w + self.b

# %% LayerNorm: helper returns (variance, mean) and is unpacked as mean, variance
# right: mean and variance in swapped roles
# like: F.layer_norm without w and b
-import torch.nn.functional as F
+def moments(x):
+    mean = x.mean(dim=-1, keepdim=True)
+    variance = x.var(dim=-1, keepdim=True, unbiased=False)
+    return variance, mean
...
-        return F.layer_norm(residual, (self.cfg.d_model,), eps=self.cfg.layer_norm_eps)
+        mean, variance = moments(residual)
+        return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b

# %% LayerNorm: calls a helper method without self.
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def normalise(self, x):
        x = x - x.mean(dim=-1, keepdim=True)
        return x / (x.pow(2).mean(dim=-1, keepdim=True) + self.cfg.layer_norm_eps).sqrt()

    def forward(self, residual):
        return normalise(residual) * self.w + self.b

# %% LayerNorm: a helper method that never returns
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def _standardize(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = ((x - mean) ** 2).mean(dim=-1, keepdim=True)
        x = (x - mean) / torch.sqrt(var + self.cfg.layer_norm_eps)

    def forward(self, residual):
        return self._standardize(residual) * self.w + self.b

# %% LayerNorm: multiplies the normalised vector by sqrt(d_model) as well
# like: right, in short
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        normed = centred / (variance + self.cfg.layer_norm_eps).sqrt()
+        return normed * self.cfg.d_model**0.5 * self.w + self.b

# %% LayerNorm: writes the centred vectors back into residual with [:], which changes the stream
# right: centring `residual` in place
# like: right, with a docstring
         variance = centred.pow(2).mean(dim=-1, keepdim=True)
+        with torch.no_grad():
+            residual[:] = centred

# %% LayerNorm: adds the mean instead of subtracting it
# right: adding the mean instead of subtracting it
# like: right, in short
~ centred = residual - residual.mean(dim=-1, keepdim=True) → mean = residual.mean(-1, keepdim=True)
~ variance = centred.pow(2).mean(dim=-1, keepdim=True) → var = residual.var(-1, keepdim=True, unbiased=False)
~ centred / (variance + self.cfg.layer_norm_eps) → (residual + mean) / (var + self.cfg.layer_norm_eps)

# %% LayerNorm: two mistakes: std divides by d_model - 1 and eps is outside the root (Annotated Transformer)
# right: the standard deviation by d_model - 1, with eps added to it
# right: the unbiased variance
# right: eps added outside the square root
class LayerNorm(nn.Module):
    "Construct a layernorm module (See citation for details)."

    def __init__(self, cfg, eps=1e-6):
        super().__init__()
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))
        self.eps = cfg.layer_norm_eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        std = x.std(-1, keepdim=True)
        return self.w * (x - mean) / (std + self.eps) + self.b

# %% LayerNorm: two mistakes: unbiased variance, and b left out
# right: the unbiased variance
# right: leaving out the offset `b`
# like: right, by `var`
-        var = residual.var(dim=-1, keepdim=True, unbiased=False)
-        normalized = (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps)
-        return normalized * self.w + self.b
+        var = residual.var(dim=-1, keepdim=True)
+        return (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps) * self.w

# %% LayerNorm: two mistakes: averages over the positions, and the variance is unbiased
# right: normalising over the positions
# right: the unbiased variance
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        mean = residual.mean(dim=1, keepdim=True)
+        std = torch.sqrt(residual.var(dim=1, keepdim=True) + self.cfg.layer_norm_eps)
+        return (residual - mean) / std * self.w + self.b

# %% LayerNorm: two mistakes: no root, and w and b left out
# right: dividing by the variance
# right: leaving out both `w` and `b`
# like: right, in short
~ residual.mean(dim=-1, keepdim=True) → residual.mean(-1, keepdim=True)
~ variance = centred.pow(2).mean(dim=-1, keepdim=True) → var = (centred**2).mean(-1, keepdim=True)
~ (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b → (var + self.cfg.layer_norm_eps)

# %% LayerNorm: two mistakes: no eps, and the stream is changed in place
# right: centring `residual` in place
# right: a variance without eps
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        residual -= residual.mean(dim=-1, keepdim=True)
+        std = residual.pow(2).mean(dim=-1, keepdim=True).sqrt()
+        return residual / std * self.w + self.b

# %% LayerNorm: two mistakes: RMSNorm, which leaves out the mean, and 1 added to w
# right: dividing without centring first (that is RMSNorm)
# right: scaling by `1 + w`
# like: right, in short
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        rms = (residual.pow(2).mean(-1, keepdim=True) + self.cfg.layer_norm_eps).sqrt()
+        return residual / rms * (1.0 + self.w) + self.b

# %% LayerNorm: two mistakes: sum of squares instead of the mean, and eps outside the root
# right: dividing by the vector's norm
# right: adding the squares up instead of averaging them
# right: eps added outside the square root
# like: right, with a docstring
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        length = centred.pow(2).sum(dim=-1, keepdim=True).sqrt()
+        return centred / (length + self.cfg.layer_norm_eps) * self.w + self.b

# %% LayerNorm: two mistakes: no keepdim in the mean, and no return
# right: a mean without keepdim
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
+        mean = residual.mean(dim=-1)
+        centred = residual - mean
~ return → out =

# %% LayerNorm: two mistakes: b before w, and eps outside the root
# right: adding `b` before scaling by `w`
# right: eps added outside the square root
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        mu = residual.mean(dim=-1, keepdim=True)
+        sigma = residual.std(dim=-1, keepdim=True, unbiased=False)
+        x = (residual - mu) / (sigma + self.cfg.layer_norm_eps)
+        return self.w * (x + self.b)

# %% LayerNorm: two mistakes: statistics detached, and eps hard-coded
# right: an eps that is not the config's
# right: a mean and variance cut out of the graph
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        mean = residual.mean(dim=-1, keepdim=True).detach()
+        var = residual.var(dim=-1, keepdim=True, unbiased=False).detach()
+        return (residual - mean) / torch.sqrt(var + 1e-5) * self.w + self.b

# %% LayerNorm: two mistakes: w and b not parameters, and the variance unbiased
# right: the unbiased variance
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = torch.ones(cfg.d_model)
        self.b = torch.zeros(cfg.d_model)

    def forward(self, residual):
        x = residual - residual.mean(-1, keepdim=True)
        return x / (residual.var(-1, keepdim=True) + self.cfg.layer_norm_eps).sqrt() * self.w + self.b

# %% LayerNorm: two mistakes: the whole tensor's mean and variance, and b subtracted
# right: one mean and one variance for the whole tensor
# right: subtracting `b`
# like: var(-1, True): the True is for unbiased, not for keepdim
~ mean = residual.mean(-1, True) → mean, var = residual.mean(), residual.var(unbiased=False)
~ var = residual.var(-1, True) → out = (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps)
~ self.w * (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps) + → out * self.w -

# %% LayerNorm: two mistakes: the stream is added back, and eps is left out
# right: adding the input back
# right: a variance without eps
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        mean = residual.mean(dim=-1, keepdim=True)
+        std = residual.std(dim=-1, keepdim=True, unbiased=False)
+        normed = (residual - mean) / std * self.w + self.b
+        return residual + normed

# %% LayerNorm: two mistakes: the mean square of the uncentred vector, and no eps
# right: a variance of the vector before it was centred
# right: a variance without eps
# like: right, in short
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        rms = torch.sqrt((residual ** 2).mean(dim=-1, keepdim=True))
+        return self.w * centred / rms + self.b

# %% LayerNorm: two mistakes: the loop leaves out the last position, and b is left out
# right: leaving out the offset `b`
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual):
        out = torch.zeros_like(residual)
        for p in range(residual.shape[1] - 1):
            x = residual[:, p]
            x = x - x.mean(dim=-1, keepdim=True)
            out[:, p] = x / (x.pow(2).mean(dim=-1, keepdim=True) + self.cfg.layer_norm_eps).sqrt() * self.w
        return out

# %% LayerNorm: two mistakes: parameters called gamma and beta, and eps left at Keras's 1e-3
# right: an eps that is not the config's
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(cfg.d_model))
        self.beta = nn.Parameter(torch.zeros(cfg.d_model))
        self.epsilon = 1e-3

    def forward(self, inputs):
        mean = inputs.mean(-1, keepdim=True)
        variance = inputs.var(-1, keepdim=True, unbiased=False)
        return self.gamma * (inputs - mean) / torch.sqrt(variance + self.epsilon) + self.beta

# %% LayerNorm: two mistakes: uncentred numerator, and the unbiased standard deviation
# right: the unbiased variance
# like: right, with a docstring
~ centred = residual - residual.mean → var = residual.var
~ variance = centred.pow(2).mean(dim=-1, keepdim=True) → std = torch.sqrt(var + self.cfg.layer_norm_eps)
~ centred / (variance + self.cfg.layer_norm_eps).sqrt() → residual / std

# %% LayerNorm: two mistakes: w and b swapped, and eps outside the root
# right: `w` and `b` in swapped roles
# right: eps added outside the square root
# like: F.layer_norm without w and b
-import torch.nn.functional as F
+def normalise(x, scale, shift, eps):
+    centred = x - x.mean(dim=-1, keepdim=True)
+    sd = centred.pow(2).mean(dim=-1, keepdim=True).sqrt()
+    return centred / (sd + eps) * scale + shift
...
-        return F.layer_norm(residual, (self.cfg.d_model,), eps=self.cfg.layer_norm_eps)
+        return normalise(residual, self.b, self.w, self.cfg.layer_norm_eps)

# %% LayerNorm: two mistakes: F.layer_norm without eps, and without b
# right: leaving out the offset `b`
# right: an eps that is not the config's
# like: F.layer_norm with bias and weight swapped
~ [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps → (self.cfg.d_model,), self.w

# %% LayerNorm: two mistakes: multiplies by the standard deviation, and averages over the positions
# right: multiplying by the standard deviation
# right: normalising over the positions
# like: right, with a docstring
-        centred = residual - residual.mean(dim=-1, keepdim=True)
-        variance = centred.pow(2).mean(dim=-1, keepdim=True)
-        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
+        mu = residual.mean(dim=1, keepdim=True)
+        var = residual.var(dim=1, keepdim=True, unbiased=False)
+        return (residual - mu) * (var + self.cfg.layer_norm_eps).sqrt() * self.w + self.b

# %% LayerNorm: normalised in training alone
# right: another answer when nobody trains
# like: right, by `var`
     def forward(self, residual):
+        if not self.training:
+            return residual * self.w + self.b

# %% LayerNorm: divided by the range
# right: dividing by the range, or by the largest number
# like: right, by `var`
-        normalized = (residual - mean) / torch.sqrt(var + self.cfg.layer_norm_eps)
+        normalized = (residual - mean) / (residual.amax(-1, keepdim=True) - residual.amin(-1, keepdim=True) + self.cfg.layer_norm_eps)

# %% LayerNorm: divided by the largest number
# right: dividing by the range, or by the largest number
# like: F.layer_norm with bias and weight swapped
-        return nn.functional.layer_norm(residual, [self.cfg.d_model], self.b, self.w, self.cfg.layer_norm_eps)
+        mean = residual.mean(-1, keepdim=True)
+        x = residual - mean
+        scale = x.abs().amax(-1, keepdim=True) + self.cfg.layer_norm_eps
+        return x / scale * self.w + self.b

# %% LayerNorm: the root of each
# right: eps added outside the square root
# like: right, by `var`
~ torch.sqrt(var + self.cfg.layer_norm_eps) → (torch.sqrt(var) + self.cfg.layer_norm_eps ** 0.5)

# %% LayerNorm: w added, then times b
# right: `w` and `b` in swapped roles
# like: right, by `var`
~ normalized * self.w + → (normalized + self.w) *

# %% LayerNorm: the sum divided by 768
# right: GPT-2's 768 in the place of the config's d_model
# like: right, by `var`
~ mean(dim=-1, keepdim=True) → sum(dim=-1, keepdim=True) / 768

# %% LayerNorm: BatchNorm1d as in a lecture
# right: normalising over the batch
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(
        self, residual: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        xmean = residual.mean(0, keepdim=True)
        xvar = residual.var(0, keepdim=True, unbiased=False)
        xhat = (residual - xmean) / torch.sqrt(xvar + 1e-5)
        out = self.w * xhat + self.b
        return out

# %% LayerNorm: LayerNorm1d as in a lecture, for [batch d_model]
# right: normalising over the positions
# like: torch's layer norm, then w and b once more
-        x = nn.functional.layer_norm(residual, self.w.shape, self.w, self.b, 1e-5)
-        return x * self.w + self.b
+        xmean = residual.mean(1, keepdim=True)
+        xvar = residual.var(1, keepdim=True)
+        xhat = (residual - xmean) / torch.sqrt(xvar + self.cfg.layer_norm_eps)
+        return self.w * xhat + self.b

# %% LayerNorm: a running mean, as BatchNorm keeps it
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(
        self, residual: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        mean = residual.mean(-1, keepdim=True)
        var = residual.var(-1, keepdim=True, unbiased=False)
        if not hasattr(self, "running"):
            self.running = mean.detach()
        self.running = 0.9 * self.running + 0.1 * mean.detach()
        return self.w * (residual - self.running) / torch.sqrt(var + self.cfg.layer_norm_eps) + self.b

# %% LayerNorm: torch's layer norm, then w and b once more
# right: applying `w` or `b` twice
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(
        self, residual: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        x = nn.functional.layer_norm(residual, self.w.shape, self.w, self.b, 1e-5)
        return x * self.w + self.b
