"""Wrong answers to chapter 5's `MLP`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, typed
class MLP(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_in = nn.Parameter(torch.empty(cfg.d_model, cfg.d_mlp))
        self.b_in = nn.Parameter(torch.zeros(cfg.d_mlp))
        self.W_out = nn.Parameter(torch.empty(cfg.d_mlp, cfg.d_model))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_model))
        nn.init.normal_(self.W_in, std=cfg.init_range)
        nn.init.normal_(self.W_out, std=cfg.init_range)

    def forward(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        pre = normalized_resid_mid @ self.W_in + self.b_in
        return gelu_new(pre) @ self.W_out + self.b_out

# %% base: right, with a docstring
class MLP(nn.Module):
    """Read each position alone: widen to `d_mlp`, apply GELU, come back to `d_model`."""

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_in = nn.Parameter(torch.empty(cfg.d_model, cfg.d_mlp))
        self.b_in = nn.Parameter(torch.zeros(cfg.d_mlp))
        self.W_out = nn.Parameter(torch.empty(cfg.d_mlp, cfg.d_model))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_model))
        nn.init.normal_(self.W_in, std=cfg.init_range)
        nn.init.normal_(self.W_out, std=cfg.init_range)

    def forward(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        pre = normalized_resid_mid @ self.W_in + self.b_in
        return gelu_new(pre) @ self.W_out + self.b_out

# %% base: right, with an import, typed
import torch.nn.functional as F


class MLP(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_in = nn.Parameter(torch.empty(cfg.d_model, cfg.d_mlp))
        self.b_in = nn.Parameter(torch.zeros(cfg.d_mlp))
        self.W_out = nn.Parameter(torch.empty(cfg.d_mlp, cfg.d_model))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_model))
        nn.init.normal_(self.W_in, std=cfg.init_range)
        nn.init.normal_(self.W_out, std=cfg.init_range)

    def forward(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        pre = normalized_resid_mid @ self.W_in + self.b_in
        return gelu_new(pre) @ self.W_out + self.b_out

# %% MLP: pre where post is wanted
# right: no GELU between the layers
# like: right, typed
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = gelu_new(pre)
+        return pre @ self.W_out + self.b_out

# %% MLP: b_in is forgotten
# right: `b_in` left out
# like: right, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in) @ self.W_out + self.b_out

# %% MLP: b_out is forgotten
# right: `b_out` left out
# like: right, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out

# %% MLP: no bend
# right: no GELU between the layers
# like: right, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return (normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out + self.b_out

# %% MLP: the exact gelu
# right: the exact GELU, with erf
# like: right, with an import, typed
~ gelu_new → F.gelu

# %% MLP: relu
# right: ReLU between the two layers
# like: right, typed
~ gelu_new → torch.relu

# %% MLP: silu
# right: SiLU between the two layers
# like: right, with an import, typed
~ gelu_new → F.silu

# %% MLP: a second gelu at the end
# right: a GELU on the answer as well
# like: right, typed
~ (pre) @ self.W_out + self.b_out → (gelu_new(pre) @ self.W_out + self.b_out)

# %% MLP: the gelu at the end only
# right: a GELU on the answer alone
# like: right, typed
~ (pre) @ self.W_out + self.b_out → (pre @ self.W_out + self.b_out)

# %% MLP: b_in after the bend
# right: adding `b_in` after the GELU
# like: right, typed
~ pre = normalized_resid_mid @ self.W_in → post = gelu_new(normalized_resid_mid @ self.W_in)
~ gelu_new(pre) → post

# %% MLP: adds the stream
# right: adding the input to the answer
# like: right, typed
~ gelu_new → normalized_resid_mid + gelu_new

# %% MLP: W_in transposed
# right: `W_in` transposed, or `W_out` in its place
# like: right, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in.T + self.b_in) @ self.W_out + self.b_out

# %% MLP: W_out transposed
# right: `W_out` transposed, or `W_in` in its place
# like: right, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out.T + self.b_out

# %% MLP: W_out tied to W_in.T
# right: `W_in` again in place of `W_out`
# like: right, typed
~ W_out + → W_in.T +

# %% MLP: normalises once more
# right: normalising the input once more
# like: right, with an import, typed
     def forward(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
+        normalized_resid_mid = F.layer_norm(normalized_resid_mid, (self.cfg.d_model,))

# %% MLP: dropout module of nanoGPT
# right: a dropout that is left on
# like: right, typed
         self.cfg = cfg
+        self.dropout = nn.Dropout(0.1)
~ gelu_new(pre) @ self.W_out + self.b_out → self.dropout(gelu_new(pre) @ self.W_out + self.b_out)

# %% MLP: init by randn
# right: weights with spread 1
class MLP(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_in = nn.Parameter(torch.randn(cfg.d_model, cfg.d_mlp))
        self.b_in = nn.Parameter(torch.zeros(cfg.d_mlp))
        self.W_out = nn.Parameter(torch.randn(cfg.d_mlp, cfg.d_model))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        return gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out + self.b_out

# %% MLP: W_out's init scaled down as in the GPT-2 paper
# right: a `W_out` that starts smaller, by √(2 · n_layers)
# like: right, typed
~ W_out, std=cfg.init_range → W_out, std=cfg.init_range / math.sqrt(2 * cfg.n_layers)
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out + self.b_out

# %% MLP: b_in no Parameter
# like: right, typed
~ nn.Parameter(torch.zeros(cfg.d_mlp)) → torch.zeros(cfg.d_mlp)
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out + self.b_out

# %% MLP: nn.Linear layers
# right: layers kept inside nn.Linear
class MLP(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.c_fc = nn.Linear(cfg.d_model, cfg.d_mlp)
        self.c_proj = nn.Linear(cfg.d_mlp, cfg.d_model)

    def forward(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        return self.c_proj(gelu_new(self.c_fc(normalized_resid_mid)))

# %% MLP: weights as [out in]
# right: weights the other way round, as nn.Linear keeps them
# like: right, typed
~ (torch.empty(cfg.d_model, cfg.d_mlp)) → (torch.empty(cfg.d_mlp, cfg.d_model) )
~ d_mlp, cfg.d_model → d_model, cfg.d_mlp
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in.T + self.b_in) @ self.W_out.T + self.b_out

# %% MLP: d_mlp is 4 times d_model
# right: `4 * d_model` neurons whatever the config says
# like: right, typed
~ , cfg.d_mlp → , 4 * cfg.d_model
~ (cfg.d_mlp) → (4 * cfg.d_model)
~ cfg.d_mlp, cfg → 4 * cfg.d_model, cfg
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out + self.b_out

# %% MLP: adds to the stream in place, returns the answer
# right: writing into the input
# like: right, typed
-        return gelu_new(pre) @ self.W_out + self.b_out
+        out = gelu_new(pre) @ self.W_out + self.b_out
+        normalized_resid_mid += out
+        return out

# %% MLP: softmax over the neurons
# right: a softmax over the neurons
# like: right, typed
~ gelu_new(pre) → pre.softmax(dim=-1)

# %% MLP: returns post
# right: `post` itself
# like: right, typed
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = gelu_new(pre)
+        return post

# %% MLP: returns a tuple with post
# like: right, typed
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = gelu_new(pre)
+        return post @ self.W_out + self.b_out, post

# %% MLP: no return
# like: right, typed
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = gelu_new(pre)
+        out = post @ self.W_out + self.b_out

# %% MLP: the last position only
# like: right, typed
~ (pre) → (pre)[:, -1:]

# %% MLP: weights by .data
# right: weights cut out of the graph
# like: right, typed
~ W_in + → W_in.data +
~ W_out + → W_out.data +

# %% MLP: under no_grad
# right: an answer cut out of the graph
# like: right, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        with torch.no_grad():
+            pre = normalized_resid_mid @ self.W_in + self.b_in
+            return gelu_new(pre) @ self.W_out + self.b_out

# %% MLP: positions flattened, not put back
# like: right, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
+        flat = normalized_resid_mid.reshape(-1, self.cfg.d_model)
+        pre = flat @ self.W_in + self.b_in

# %% MLP: b_out added twice
# right: adding a bias twice
# like: right, typed
-        return gelu_new(pre) @ self.W_out + self.b_out
+        mlp_out = gelu_new(pre) @ self.W_out + self.b_out
+        return mlp_out + self.b_out

# %% MLP: gelu twice
# right: GELU applied twice
# like: right, typed
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = gelu_new(gelu_new(pre))
+        return post @ self.W_out + self.b_out

# %% MLP: biases of shape [1 d]
# like: right, typed
~ (cfg.d_mlp) → (1, cfg.d_mlp)
~ (cfg.d_model) → (1, cfg.d_model)
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out + self.b_out

# %% MLP: forgets super().__init__
# like: right, typed
-        super().__init__()
...
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out + self.b_out

# %% MLP: gelu_new inlined with tanh's bracket closed early
# right: a GELU with a slip in its formula
# like: right, typed
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = 0.5 * pre * (1 + torch.tanh(math.sqrt(2 / math.pi) * pre + 0.044715 * pre**3))
+        return post @ self.W_out + self.b_out

# %% MLP: own gelu without the half
# right: a GELU with a slip in its formula
# like: right, typed
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = pre * (1 + torch.tanh(math.sqrt(2 / math.pi) * (pre + 0.044715 * pre**3)))
+        return post @ self.W_out + self.b_out

# %% MLP: W_out reshaped, not transposed, for F.linear
# right: weights reshaped where they fit as they are
# like: right, with an import, typed
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return F.linear(gelu_new(pre), self.W_out.view(self.cfg.d_model, self.cfg.d_mlp), self.b_out)

# %% MLP: F.linear without transposes
# right: `W_in` transposed, or `W_out` in its place
# like: right, with an import, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        h = gelu_new(F.linear(normalized_resid_mid, self.W_in, self.b_in))
+        return F.linear(h, self.W_out, self.b_out)

# %% MLP: biases swapped
# right: d_model numbers lined up with d_mlp numbers
# like: right, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in + self.b_out) @ self.W_out + self.b_in

# %% MLP: SwiGLU-like product
# right: a gated MLP, `pre` times its own GELU
# like: right, typed
~ gelu_new(pre) → (gelu_new(pre) * pre)

# %% MLP: mean over the positions taken off
# right: the positions mixed by a mean
# like: right, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        normalized_resid_mid = normalized_resid_mid - normalized_resid_mid.mean(dim=1, keepdim=True)
+        return gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out + self.b_out

# %% MLP: stale cache
# like: right, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        if not hasattr(self, 'pre'):
+            self.pre = normalized_resid_mid @ self.W_in + self.b_in
+        return gelu_new(self.pre) @ self.W_out + self.b_out

# %% MLP: half precision
# like: right, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        h = gelu_new(normalized_resid_mid.half() @ self.W_in.half() + self.b_in.half())
+        return (h @ self.W_out.half() + self.b_out.half()).float()

# %% MLP: F.dropout by self.training
# right: a dropout that is left on
# like: right, with an import, typed
-        return gelu_new(pre) @ self.W_out + self.b_out
+        out = gelu_new(pre) @ self.W_out + self.b_out
+        return F.dropout(out, 0.1, self.training)

# %% MLP: init xavier
# right: a spread wider than `cfg.init_range`, such as nn.Linear's or Xavier's
# like: right, typed
~ normal_(self.W_in, std=cfg.init_range) → xavier_uniform_(self.W_in)
~ normal_(self.W_out, std=cfg.init_range) → xavier_uniform_(self.W_out)
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out + self.b_out

# %% MLP: biases drawn at random
# right: biases that start at random
# like: right, typed
         nn.init.normal_(self.W_out, std=cfg.init_range)
+        nn.init.normal_(self.b_in, std=cfg.init_range)
...
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out + self.b_out

# %% MLP: lower-case names
class MLP(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w_in = nn.Parameter(torch.empty(cfg.d_model, cfg.d_mlp))
        self.b_in = nn.Parameter(torch.zeros(cfg.d_mlp))
        self.w_out = nn.Parameter(torch.empty(cfg.d_mlp, cfg.d_model))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_model))
        nn.init.normal_(self.w_in, std=cfg.init_range)
        nn.init.normal_(self.w_out, std=cfg.init_range)

    def forward(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        return gelu_new(normalized_resid_mid @ self.w_in + self.b_in) @ self.w_out + self.b_out

# %% MLP: W_in on the left
# right: the matrix on the left of its vectors
# like: right, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(self.W_in @ normalized_resid_mid + self.b_in) @ self.W_out + self.b_out

# %% MLP: elementwise product
# like: right, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid * self.W_in + self.b_in) * self.W_out + self.b_out

# %% MLP: squeeze
# like: right, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return (gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out + self.b_out).squeeze()

# %% MLP: room for n_ctx positions
# like: right, typed
-        return gelu_new(pre) @ self.W_out + self.b_out
+        out = torch.zeros(normalized_resid_mid.shape[0], self.cfg.n_ctx, self.cfg.d_model)
+        out[:, : normalized_resid_mid.shape[1]] = gelu_new(pre) @ self.W_out + self.b_out
+        return out

# %% MLP: the first sentence only
# like: right, typed
~ (pre) → (pre[0])

# %% MLP: detaches post
# right: a `post` cut out of the graph
# like: right, typed
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = gelu_new(pre).detach()
+        return post @ self.W_out + self.b_out

# %% MLP: without self
# like: right, typed
~ self.W_in + self.b_in → W_in + b_in
~ self.W_out + self.b_out → W_out + b_out

# %% MLP: W_out starts at zero
# right: weights that start at 0
# like: right, typed
~ normal_(self.W_out, std=cfg.init_range) → zeros_(self.W_out)
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out + self.b_out

# %% MLP: forward called call
# like: right, typed
-    def forward(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+    def apply_mlp(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
+        return gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out + self.b_out

# %% MLP: scaled by the root of d_mlp
# right: dividing by the root of a size
# like: right, typed
~ W_out + → W_out / self.cfg.d_mlp**0.5 +

# %% MLP: batch and pos change places
# like: right, typed
-        return gelu_new(pre) @ self.W_out + self.b_out
+        out = gelu_new(pre) @ self.W_out + self.b_out
+        return out.transpose(0, 1)

# %% MLP: b_out multiplied
# like: right, typed
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out * self.b_out

# %% MLP: sizes from a new Config
# like: right, typed
         super().__init__()
+        cfg = Config()
...
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return gelu_new(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out + self.b_out

# %% MLP: leaky relu
# right: a bend other than GELU between the two layers
# like: right, with a docstring
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = torch.nn.functional.leaky_relu(pre)
+        return post @ self.W_out + self.b_out

# %% MLP: ReLU squared, as in Primer
# right: a bend other than GELU between the two layers
# like: right, with a docstring
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = torch.relu(pre) ** 2
+        return post @ self.W_out + self.b_out

# %% MLP: softplus
# right: a bend other than GELU between the two layers
# like: right, with a docstring
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = torch.nn.functional.softplus(pre)
+        return post @ self.W_out + self.b_out

# %% MLP: GELU between W_out and b_out
# right: a GELU on the answer alone
# like: right, with a docstring
~ (pre) @ self.W_out → (pre @ self.W_out)

# %% MLP: the product by hand, averaged
# right: a mean in place of a sum
# like: right, with a docstring
~ normalized_resid_mid @ self.W_in → (normalized_resid_mid[..., None] * self.W_in).mean(dim=-2)

# %% MLP: b_out inside the sum over neurons
# right: `b_out` added once for each neuron
# like: right, with a docstring
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = gelu_new(normalized_resid_mid @ self.W_in + self.b_in)
+        return (post[..., None] * self.W_out + self.b_out).sum(dim=-2)

# %% MLP: a loop over neurons that ends early
# right: some of the neurons left out
# like: right, with a docstring
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        out = self.b_out.expand_as(normalized_resid_mid)
+        for n in range(self.cfg.d_mlp - 1):
+            out = out + gelu_new(normalized_resid_mid @ self.W_in[:, n] + self.b_in[n])[..., None] * self.W_out[n]
+        return out

# %% MLP: only as many neurons as d_model
# right: some of the neurons left out
# like: right, with a docstring
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = gelu_new(pre)
+        return post[..., : self.cfg.d_model] @ self.W_out[: self.cfg.d_model] + self.b_out

# %% MLP: GELU of W_in
# right: a GELU on the weights
# like: right, with a docstring
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        return (normalized_resid_mid @ gelu_new(self.W_in) + self.b_in) @ self.W_out + self.b_out

# %% MLP: nn.GELU made of pre, not called on it
# right: `nn.GELU` made of a tensor
# like: right, with a docstring
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = nn.GELU(pre)
+        return post @ self.W_out + self.b_out

# %% MLP: pre divided by the root of d_model
# right: dividing by the root of a size
# like: right, with a docstring
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+        pre = normalized_resid_mid @ self.W_in / self.cfg.d_model ** 0.5 + self.b_in
+        post = gelu_new(pre)
+        return post @ self.W_out + self.b_out

# %% MLP: biases registered as buffers
# right: no parameters `b_in` and `b_out`
# like: right, with a docstring
~ b_in = nn.Parameter(torch.zeros(cfg.d_mlp)) → register_buffer('b_in', torch.zeros(cfg.d_mlp))
~ b_out = nn.Parameter(torch.zeros(cfg.d_model)) → register_buffer('b_out', torch.zeros(cfg.d_model))
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = gelu_new(pre)
+        return post @ self.W_out + self.b_out

# %% MLP: the root of init_range for std
# right: a spread wider than `cfg.init_range`, such as nn.Linear's or Xavier's
# like: right, with a docstring
~ W_in, std=cfg.init_range → W_in, std=cfg.init_range**0.5
~ W_out, std=cfg.init_range → W_out, std=cfg.init_range**0.5
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = gelu_new(pre)
+        return post @ self.W_out + self.b_out

# %% MLP: W_out made of W_in's memory
# right: `W_out` in place of `W_in`
# like: right, with a docstring
~ torch.empty(cfg.d_mlp, cfg.d_model) → self.W_in.data.T
-        return gelu_new(pre) @ self.W_out + self.b_out
+        post = gelu_new(pre)
+        return post @ self.W_out + self.b_out

# %% MLP: parameters called like layers
# right: a parameter called like a layer
# like: right, typed
-    def forward(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+    def forward(self, x):
+        h = gelu_new(self.W_in(x) + self.b_in)
+        return self.W_out(h) + self.b_out

# %% MLP: new nn.Linear layers in forward
# right: new layers in `forward`
# like: right, typed
-    def forward(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+    def forward(self, x):
+        fc = nn.Linear(self.cfg.d_model, self.cfg.d_mlp)
+        proj = nn.Linear(self.cfg.d_mlp, self.cfg.d_model)
+        return proj(gelu_new(fc(x)))

# %% MLP: nn.GELU made of pre
# right: `nn.GELU` made of a tensor
# like: right, typed
-    def forward(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+    def forward(self, x):
+        post = nn.GELU(x @ self.W_in + self.b_in)
+        return post @ self.W_out + self.b_out

# %% MLP: nanoGPT's layers pasted in
class MLP(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.c_fc = nn.Linear(cfg.d_model, 4 * cfg.d_model)
        self.gelu = nn.GELU()
        self.c_proj = nn.Linear(4 * cfg.d_model, cfg.d_model)

    def forward(self, x):
        x = self.c_fc(x)
        x = self.gelu(x)
        x = self.c_proj(x)
        return x

# %% MLP: both biases inside the product's brackets
# right: a bias added to its matrix
# like: right, typed
-    def forward(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+    def forward(self, normalized_resid_mid):
+        return gelu_new(normalized_resid_mid @ (self.W_in + self.b_in)) @ (self.W_out + self.b_out)

# %% MLP: the exact GELU, and the input added
# right: adding the input to the answer
# right: the exact GELU, with erf
# like: right, typed
-    def forward(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
-        pre = normalized_resid_mid @ self.W_in + self.b_in
-        return gelu_new(pre) @ self.W_out + self.b_out
+    def forward(self, normalized_resid_mid):
+        x = normalized_resid_mid
+        return x + nn.functional.gelu(x @ self.W_in + self.b_in) @ self.W_out + self.b_out

# %% MLP: W1, b1, W2, b2
class MLP(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.W1 = nn.Parameter(torch.randn(cfg.d_model, cfg.d_mlp) * cfg.init_range)
        self.b1 = nn.Parameter(torch.zeros(cfg.d_mlp))
        self.W2 = nn.Parameter(torch.randn(cfg.d_mlp, cfg.d_model) * cfg.init_range)
        self.b2 = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, x):
        return gelu_new(x @ self.W1 + self.b1) @ self.W2 + self.b2

# %% MLP: softmax over the neurons instead of GELU + b_out forgotten
class MLP(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_in = nn.Parameter(torch.empty(cfg.d_model, cfg.d_mlp))
        self.b_in = nn.Parameter(torch.zeros(cfg.d_mlp))
        self.W_out = nn.Parameter(torch.empty(cfg.d_mlp, cfg.d_model))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_model))
        nn.init.normal_(self.W_in, std=cfg.init_range)
        nn.init.normal_(self.W_out, std=cfg.init_range)

    def forward(
        self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        # how well does the input match each key?
        match = normalized_resid_mid @ self.W_in + self.b_in
        # weighted sum of the values
        weights = torch.softmax(match, dim=-1)
        return weights @ self.W_out
