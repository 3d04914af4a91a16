"""Wrong answers to chapter 7's `TransformerBlock`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, typed
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% base: right, in short
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre):
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: the sublayers run side by side
# right: running both sublayers side by side
# like: right, typed
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        return resid_pre + self.attn(self.ln1(resid_pre)) + self.mlp(self.ln2(resid_pre))

# %% TransformerBlock: the MLP's answer is added to resid_pre
# right: adding the MLP's answer to `resid_pre`
# like: right, typed
~ resid_mid + → resid_pre +

# %% TransformerBlock: attention's answer is not added
# right: leaving the stream out round attention
# like: right, typed
~ resid_pre + self → self

# %% TransformerBlock: the MLP's answer is not added
# right: leaving the stream out round the MLP
# like: right, typed
~ resid_mid + self → self

# %% TransformerBlock: nothing is added
# right: leaving the stream out altogether
# like: right, typed
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        x = self.attn(self.ln1(resid_pre))
+        x = self.mlp(self.ln2(x))
+        return x

# %% TransformerBlock: x = ln(x) overwrites the stream
# right: overwriting the stream with its normalised copy
# like: right, typed
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        x = self.ln1(resid_pre)
+        x = x + self.attn(x)
+        x = self.ln2(x)
+        x = x + self.mlp(x)
+        return x

# %% TransformerBlock: ln1 overwrites the stream, ln2 does not
# right: overwriting the stream with its normalised copy
# like: right, typed
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        x = self.ln1(resid_pre)
+        x = x + self.attn(x)
+        return x + self.mlp(self.ln2(x))

# %% TransformerBlock: ln2 overwrites the stream, ln1 does not
# right: overwriting the stream with its normalised copy
# like: right, typed
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        normed = self.ln2(resid_mid)
+        return normed + self.mlp(normed)

# %% TransformerBlock: post-norm
# right: normalising after the sum (post-norm)
# like: right, typed
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        x = self.ln1(resid_pre + self.attn(resid_pre))
+        x = self.ln2(x + self.mlp(x))
+        return x

# %% TransformerBlock: post-norm around attention only
# right: normalising after the sum (post-norm)
# like: right, typed
~ resid_mid = resid_pre + self.attn(self.ln1(resid_pre)) → x = self.ln1(resid_pre + self.attn(resid_pre))
~ resid_mid + self.mlp(self.ln2(resid_mid)) → x + self.mlp(self.ln2(x))

# %% TransformerBlock: the answers are normalised, not the inputs
# right: normalising what a sublayer writes
# like: right, typed
~ attn(self.ln1(resid_pre)) → ln1(self.attn(resid_pre))
~ mlp(self.ln2(resid_mid)) → ln2(self.mlp(resid_mid))

# %% TransformerBlock: ln1 is used twice
# right: using `ln1` twice
# like: right, typed
~ ln2(resid_mid) → ln1(resid_mid)

# %% TransformerBlock: ln1 and ln2 are swapped
# right: `ln1` and `ln2` swapped
# like: right, typed
~ ln1(resid_pre) → ln2(resid_pre)
~ ln2(resid_mid) → ln1(resid_mid)

# %% TransformerBlock: no ln1
# right: attention reading the raw stream
# like: right, typed
~ self.ln1(resid_pre) → resid_pre

# %% TransformerBlock: no ln2
# right: the MLP reading the raw stream
# like: right, typed
~ self.ln2(resid_mid) → resid_mid

# %% TransformerBlock: no LayerNorms
# right: no LayerNorm at all
# like: right, typed
~ self.ln1(resid_pre) → resid_pre
~ self.ln2(resid_mid) → resid_mid

# %% TransformerBlock: the MLP before attention
# right: the MLP before attention
# like: right, typed
~ resid_mid = resid_pre + self.attn(self.ln1(resid_pre)) → x = resid_pre + self.mlp(self.ln2(resid_pre))
~ resid_mid + self.mlp(self.ln2(resid_mid)) → x + self.attn(self.ln1(x))

# %% TransformerBlock: += changes the caller's stream
# right: adding to `resid_pre` in place
# like: right, typed
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        resid_pre += self.attn(self.ln1(resid_pre))
+        resid_pre += self.mlp(self.ln2(resid_pre))
+        return resid_pre

# %% TransformerBlock: one in-place add, under another name
# right: adding to `resid_pre` in place
# like: right, typed
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        x = resid_pre
+        x += self.attn(self.ln1(x))
+        return x + self.mlp(self.ln2(x))

# %% TransformerBlock: resid_mid is returned
# right: leaving the MLP out
# like: right, typed
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        resid_post = resid_mid + self.mlp(self.ln2(resid_mid))
+        return resid_mid

# %% TransformerBlock: a tuple is returned, as in HuggingFace
# like: right, typed
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        resid_post = resid_mid + self.mlp(self.ln2(resid_mid))
+        return (resid_post,)

# %% TransformerBlock: nothing is returned
# like: right, typed
~ return → resid_post =

# %% TransformerBlock: dropout is left in
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

        self.dropout = nn.Dropout(0.1)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        resid_mid = resid_pre + self.dropout(self.attn(self.ln1(resid_pre)))
        return resid_mid + self.dropout(self.mlp(self.ln2(resid_mid)))

# %% TransformerBlock: torch's LayerNorm, whose parameters are weight and bias
# like: right, typed
~ ln1 = LayerNorm(cfg) → ln1 = nn.LayerNorm(cfg.d_model, eps=cfg.layer_norm_eps)
~ ln2 = LayerNorm(cfg) → ln2 = nn.LayerNorm(cfg.d_model, eps=cfg.layer_norm_eps)

# %% TransformerBlock: HuggingFace's names ln_1 and ln_2
# like: right, typed
~ ln1 = → ln_1 =
~ ln2 = → ln_2 =
~ ln1(resid_pre) → ln_1(resid_pre)
~ ln2(resid_mid) → ln_2(resid_mid)

# %% TransformerBlock: one LayerNorm shared by both
# right: one LayerNorm under two names
# like: right, typed
~ ln2 = LayerNorm(cfg) → ln2 = self.ln1

# %% TransformerBlock: the MLP reads attention's answer alone
# right: an MLP that reads attention's answer alone
# like: right, typed
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        attn_out = self.attn(self.ln1(resid_pre))
+        resid_mid = resid_pre + attn_out
+        return resid_mid + self.mlp(self.ln2(attn_out))

# %% TransformerBlock: the MLP reads ln1's output
# right: one normalised copy for both sublayers
# like: right, typed
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        normed = self.ln1(resid_pre)
+        resid_mid = resid_pre + self.attn(normed)
+        return resid_mid + self.mlp(normed)

# %% TransformerBlock: resid_pre is added twice
# right: adding the stream twice
# like: right, typed
~ resid_mid + → resid_pre + resid_mid +

# %% TransformerBlock: the sums are scaled by the root of a half
# right: scaling the sums
# like: right, typed
~ resid_pre + self.attn(self.ln1(resid_pre)) → (resid_pre + self.attn(self.ln1(resid_pre))) * 0.5**0.5
~ resid_mid + self.mlp(self.ln2(resid_mid)) → (resid_mid + self.mlp(self.ln2(resid_mid))) * 0.5**0.5

# %% TransformerBlock: attention's answer is detached
# right: a sublayer cut out of the graph
# like: right, typed
~ (self.ln1(resid_pre)) → (self.ln1(resid_pre)).detach()

# %% TransformerBlock: no_grad on forward
# right: a sublayer cut out of the graph
# like: right, in short
-    def forward(self, resid_pre):
+    @torch.no_grad()
+    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:

# %% TransformerBlock: a third normalisation at the end
# right: a LayerNorm on the block's answer
# like: right, typed
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        resid_post = resid_mid + self.mlp(self.ln2(resid_mid))
+        return self.ln2(resid_post)

# %% TransformerBlock: an activation after the MLP
# right: an activation on what a sublayer answers
# like: right, typed
~ self.mlp(self.ln2(resid_mid)) → nn.functional.gelu(self.mlp(self.ln2(resid_mid)))

# %% TransformerBlock: the batch axis is squeezed away
# like: right, typed
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        x = resid_pre.squeeze(0)
+        x = resid_pre + self.attn(self.ln1(resid_pre))
+        return (x + self.mlp(self.ln2(x))).squeeze(0)

# %% TransformerBlock: positions first, as torch's MultiheadAttention has them
# right: attention across the sentences
# like: right, typed
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        x = resid_pre.transpose(0, 1)
+        x = x + self.attn(self.ln1(x))
+        x = x + self.mlp(self.ln2(x))
+        return x.transpose(0, 1)

# %% TransformerBlock: an extra learned scale of each answer
# like: dropout is left in
-        self.dropout = nn.Dropout(0.1)
+        self.gamma1 = nn.Parameter(torch.ones(cfg.d_model))
+        self.gamma2 = nn.Parameter(torch.ones(cfg.d_model))
~ dropout(self.attn(self.ln1(resid_pre))) → gamma1 * self.attn(self.ln1(resid_pre))
~ dropout(self.mlp(self.ln2(resid_mid))) → gamma2 * self.mlp(self.ln2(resid_mid))

# %% TransformerBlock: the answers are computed in half precision
# like: right, typed
~ (self.ln1(resid_pre)) → (self.ln1(resid_pre)).to(torch.bfloat16)
~ (self.ln2(resid_mid)) → (self.ln2(resid_mid)).to(torch.bfloat16)

# %% TransformerBlock: W_O and W_out start at zero
# right: sublayers that write nothing at the start
# like: right, in short
-    def forward(self, resid_pre):
+        nn.init.zeros_(self.attn.W_O)
+        nn.init.zeros_(self.mlp.W_out)
+
+    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:

# %% TransformerBlock: the LayerNorms' weights are drawn at random
# right: drawing every parameter at random
# like: right, in short
-    def forward(self, resid_pre):
+        for parameter in self.parameters():
+            nn.init.normal_(parameter, std=cfg.init_range)
+
+    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:

# %% TransformerBlock: the copies are added to and the raw stream is read
# right: the raw stream in a sublayer and its copy in the sum
# like: right, in short
~ resid_mid = resid_pre + self.attn(self.ln1(resid_pre)) → x = self.ln1(resid_pre) + self.attn(resid_pre)
~ resid_mid + self.mlp(self.ln2(resid_mid)) → self.ln2(x) + self.mlp(x)

# %% TransformerBlock: normalised before and after
# right: normalising the sums as well as what is read (pre-norm and post-norm at once)
# like: right, in short
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        x = self.ln1(resid_pre + self.attn(self.ln1(resid_pre)))
+        return self.ln2(x + self.mlp(self.ln2(x)))

# %% TransformerBlock: ln2 on what attention writes, none for the MLP
# right: normalising what a sublayer writes
# like: right, in short
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        x = resid_pre + self.ln2(self.attn(self.ln1(resid_pre)))
+        return x + self.mlp(x)

# %% TransformerBlock: attention's answer is taken for a pair
# right: attention's answer for the first sentence, added to all of them
# like: right, in short
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
+        attn_out = self.attn(self.ln1(resid_pre))[0]
+        resid_mid = resid_pre + attn_out

# %% TransformerBlock: attention reads the first sentence alone
# right: attention's answer for the first sentence, added to all of them
# like: right, in short
~ (resid_pre) → (resid_pre[:1])

# %% TransformerBlock: batch and pos are swapped for attention
# right: attention across the sentences
# like: right, in short
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
+        normed = self.ln1(resid_pre).transpose(0, 1)
+        resid_mid = resid_pre + self.attn(normed).transpose(0, 1)

# %% TransformerBlock: a GELU after the MLP
# right: an activation on what a sublayer answers
# like: right, in short
~ self.mlp(self.ln2(resid_mid)) → nn.functional.gelu(self.mlp(self.ln2(resid_mid)), approximate='tanh')

# %% TransformerBlock: attention twice, then the MLP
# right: calling a sublayer twice
# like: right, in short
         resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
+        resid_mid = resid_mid + self.attn(self.ln1(resid_mid))

# %% TransformerBlock: the mean of stream and answer
# right: scaling the sums
# like: right, in short
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        x = (resid_pre + self.attn(self.ln1(resid_pre))) / 2
+        return (x + self.mlp(self.ln2(x))) / 2

# %% TransformerBlock: attention reads the sum
# right: adding inside a sublayer's brackets
# like: right, in short
~ resid_pre + self.attn(self.ln1(resid_pre)) → self.attn(resid_pre + self.ln1(resid_pre))

# %% TransformerBlock: norm and part in one nn.Sequential
# right: a LayerNorm and its sublayer in one `nn.Sequential`
class TransformerBlock(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.attn = nn.Sequential(LayerNorm(cfg), Attention(cfg))
        self.mlp = nn.Sequential(LayerNorm(cfg), MLP(cfg))

    def forward(self, resid_pre):
        x = resid_pre + self.attn(resid_pre)
        return x + self.mlp(x)

# %% TransformerBlock: no MLP after eval
# right: another answer after `eval()`
# like: right, in short
         resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
+        if not self.training:
+            return resid_mid

# %% TransformerBlock: the classes stand in each other's place
# like: right, in short
~ Attention → MLP
~ MLP → Attention

# %% TransformerBlock: a second Attention is called mlp
# like: right, in short
~ MLP → Attention

# %% TransformerBlock: the class Attention is kept, not made
# like: right, in short
~ Attention(cfg) → Attention

# %% TransformerBlock: attention is given a mask
# like: right, in short
~ (resid_pre) → (resid_pre), mask=None

# %% TransformerBlock: stochastic depth, as in DropPath
# like: right, in short
+import torch
+
 class TransformerBlock(nn.Module):
...
         resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
+        if self.training and torch.rand(()) < 0.5:
+            return resid_mid

# %% TransformerBlock: attention's answer is kept from the first call
# like: right, in short
         self.mlp = MLP(cfg)
+        self.memory = None
...
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
+        if self.memory is None or self.memory.shape != resid_pre.shape:
+            self.memory = self.attn(self.ln1(resid_pre))
+        resid_mid = resid_pre + self.memory

# %% TransformerBlock: a loop over n_layers
# right: a loop over the layers inside one block
# like: right, in short
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+        resid = resid_pre
+        for _ in range(self.cfg.n_layers):
+            resid = resid + self.attn(self.ln1(resid))
+            resid = resid + self.mlp(self.ln2(resid))
+        return resid

# %% TransformerBlock: the norms handed over
# like: right, typed
~ (self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"] → (self, x)
~ resid_mid = resid_pre + self.attn(self.ln1(resid_pre)) → x = x + self.attn(self.ln1)(x)
~ resid_mid + self.mlp(self.ln2(resid_mid)) → x + self.mlp(self.ln2)(x)

# %% TransformerBlock: new parts in forward
# right: new parts in `forward`
# like: right, typed
-    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
-        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
-        return resid_mid + self.mlp(self.ln2(resid_mid))
+    def forward(self, x):
+        x = x + Attention(self.cfg)(LayerNorm(self.cfg)(x))
+        return x + MLP(self.cfg)(LayerNorm(self.cfg)(x))

# %% TransformerBlock: a lecture's names, sa and ffwd
# right: HuggingFace's and nanoGPT's names for the parts
class TransformerBlock(nn.Module):
    """ Transformer block: communication followed by computation """

    def __init__(self, cfg):
        super().__init__()
        self.sa = Attention(cfg)
        self.ffwd = MLP(cfg)
        self.ln1 = LayerNorm(cfg)
        self.ln2 = LayerNorm(cfg)

    def forward(self, x):
        x = x + self.sa(self.ln1(x))
        x = x + self.ffwd(self.ln2(x))
        return x

# %% TransformerBlock: one LayerNorm for both
class TransformerBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.mlp = MLP(cfg)

    def forward(self, x):
        x = x + self.attn(self.ln(x))
        return x + self.mlp(self.ln(x))

# %% TransformerBlock: nn.LayerNorm under nanoGPT's names
class TransformerBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.d_model, eps=config.layer_norm_eps)
        self.attn = Attention(config)
        self.ln_2 = nn.LayerNorm(config.d_model, eps=config.layer_norm_eps)
        self.mlp = MLP(config)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))
