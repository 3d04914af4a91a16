"""Wrong answers to chapter 12's `ModernTransformer`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, typed
class ModernTransformer(nn.Module):
    def __init__(self, cfg: ModernConfig):
        super().__init__()
        self.cfg = cfg
        self.embed = Embed(Config(cfg.d_model, cfg.d_vocab, init_range=cfg.init_range))
        self.blocks = nn.ModuleList([ModernBlock(cfg) for _ in range(cfg.n_layers)])
        self.ln_final = RMSNorm(cfg)
        if not cfg.tied:
            self.W_U = nn.Parameter(torch.empty(cfg.d_model, cfg.d_vocab))
            nn.init.normal_(self.W_U, std=cfg.init_range)

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
        resid = self.embed(tokens)
        for block in self.blocks:
            resid = block(resid)
        resid = self.ln_final(resid)
        if self.cfg.tied:
            return resid @ self.embed.W_E.T
        return resid @ self.W_U

# %% ModernTransformer: always tied
# right: unembedding by `embed.W_E` in a model that is not tied
# like: right, typed
-        if self.cfg.tied:
-            return resid @ self.embed.W_E.T
-        return resid @ self.W_U
+        return resid @ self.embed.W_E.T

# %% ModernTransformer: never tied
# right: unembedding by `W_U` in a tied model
# like: right, typed
-        if self.cfg.tied:
-            return resid @ self.embed.W_E.T
-        return resid @ self.W_U
+        return resid @ self.W_U

# %% ModernTransformer: tied the wrong way round
# right: unembedding by `embed.W_E` in a model that is not tied
# like: right, typed
~ if self.cfg.tied → if not self.cfg.tied

# %% ModernTransformer: W_E is not transposed
# right: `W_E` that is not transposed
# like: right, typed
~ W_E.T → W_E

# %% ModernTransformer: the tied table is detached
# right: a copy of the table as the unembedding
# like: right, typed
~ W_E.T → W_E.detach().T

# %% ModernTransformer: the tied table is copied by its data
# right: a copy of the table as the unembedding
# like: right, typed
~ W_E.T → W_E.data.T

# %% ModernTransformer: W_U is made in any case
# right: a `W_U` in a tied model too
# like: right, typed
-        if not cfg.tied:
-            self.W_U = nn.Parameter(torch.empty(cfg.d_model, cfg.d_vocab))
-            nn.init.normal_(self.W_U, std=cfg.init_range)
+        self.W_U = nn.Parameter(torch.empty(cfg.d_model, cfg.d_vocab))
+        nn.init.normal_(self.W_U, std=cfg.init_range)

# %% ModernTransformer: the embedding times the root of d_model, as in Gemma
# right: multiplying the embedding by √d_model
# like: right, typed
~ = self.embed(tokens) → = self.embed(tokens) * self.cfg.d_model**0.5

# %% ModernTransformer: a table of positions, as in GPT-2
# right: a table of positions
# like: right, typed
         self.ln_final = RMSNorm(cfg)
+        self.W_pos = nn.Parameter(torch.empty(cfg.n_ctx, cfg.d_model))
+        nn.init.normal_(self.W_pos, std=cfg.init_range)
...
-        resid = self.embed(tokens)
+        resid = self.embed(tokens) + self.W_pos[: tokens.shape[1]]

# %% ModernTransformer: no ln_final
# right: leaving `ln_final` out
# like: right, typed
-        resid = self.ln_final(resid)

# %% ModernTransformer: ln_final is neither made nor used
# right: no `ln_final`
# like: right, typed
-        self.ln_final = RMSNorm(cfg)
...
-        resid = self.ln_final(resid)

# %% ModernTransformer: ln_final on the embedding, and not at the end
# right: `ln_final` before the blocks in place of after them
# like: right, typed
-        resid = self.embed(tokens)
+        resid = self.ln_final(self.embed(tokens))
...
-        resid = self.ln_final(resid)

# %% ModernTransformer: W_E reshaped to the size of W_U
# right: a `W_E` that is cut anew in the place of transposing it
# like: right, typed
~ self.embed.W_E.T → self.embed.W_E.view(self.cfg.d_model, -1)

# %% ModernTransformer: forward ends in the middle
# right: a `forward` that returns nothing
# like: right, typed
-        resid = self.ln_final(resid)
-        if self.cfg.tied:
-            return resid @ self.embed.W_E.T
-        return resid @ self.W_U

# %% ModernTransformer: ln_final in the loop
# right: using `ln_final` after every block
# like: right, typed
-        resid = self.ln_final(resid)
+            resid = self.ln_final(resid)

# %% ModernTransformer: x + ln_final(x)
# right: adding what `ln_final` gives to the stream
# like: right, typed
~ self.ln_final(resid) → resid + self.ln_final(resid)

# %% ModernTransformer: the blocks are in a Python list
# right: blocks in a Python list
# like: right, typed
~ nn.ModuleList([ModernBlock(cfg) for _ in range(cfg.n_layers)]) → [ModernBlock(cfg) for _ in range(cfg.n_layers)]

# %% ModernTransformer: one block, n times
# right: one block where each layer needs its own
# like: right, typed
~ [ModernBlock(cfg) for _ in range(cfg.n_layers)] → [ModernBlock(cfg)] * cfg.n_layers

# %% ModernTransformer: block 0 in every layer
# right: block 0 in every layer
# like: right, typed
~ = block( → = self.blocks[0](

# %% ModernTransformer: every block reads the embedding
# right: the last block alone
# like: right, typed
-            resid = block(resid)
-        resid = self.ln_final(resid)
+            out = block(resid)
+        resid = self.ln_final(out)

# %% ModernTransformer: the stream is added to what a block gives
# right: adding the stream to what a block gives
# like: right, typed
~ = block( → = resid + block(

# %% ModernTransformer: the blocks run in reverse
# right: the blocks in reverse
# like: right, typed
~ in self.blocks: → in reversed(self.blocks):

# %% ModernTransformer: the number of blocks is written out
# right: a number of blocks that is not the Config's
# like: right, typed
~ range(cfg.n_layers) → range(30)

# %% ModernTransformer: return inside the loop
# right: the first block alone
# like: right, typed
-        resid = self.ln_final(resid)
-        if self.cfg.tied:
-            return resid @ self.embed.W_E.T
-        return resid @ self.W_U
+            resid = self.ln_final(resid)
+            W_U = self.embed.W_E.T if self.cfg.tied else self.W_U
+            return resid @ W_U

# %% ModernTransformer: a softmax at the end
# right: returning probabilities
# like: right, typed
~ return resid @ self.embed.W_E.T → return (resid @ self.embed.W_E.T).softmax(dim=-1)
~ return resid @ self.W_U → return (resid @ self.W_U).softmax(dim=-1)

# %% ModernTransformer: only the last position, as when a text is told on
# right: returning the logits of the last position alone
# like: right, typed
~ self.ln_final(resid) → self.ln_final(resid)[:, -1:]

# %% ModernTransformer: transformers' names
# right: the parts under other names
# like: right, typed
~ self.blocks = → self.layers =
~ self.ln_final = → self.norm =
~ in self.blocks: → in self.layers:
~ self.ln_final(resid) → self.norm(resid)

# %% ModernTransformer: chapter 7's Unembed
# like: right, typed
-        if not cfg.tied:
-            self.W_U = nn.Parameter(torch.empty(cfg.d_model, cfg.d_vocab))
-            nn.init.normal_(self.W_U, std=cfg.init_range)
+        self.unembed = nn.Linear(cfg.d_model, cfg.d_vocab, bias=False)
+        if cfg.tied:
+            self.unembed.weight = self.embed.W_E
...
-        if self.cfg.tied:
-            return resid @ self.embed.W_E.T
-        return resid @ self.W_U
+        return self.unembed(resid)

# %% ModernTransformer: logits and loss, as in nanoGPT
# like: right, typed
-        if self.cfg.tied:
-            return resid @ self.embed.W_E.T
-        return resid @ self.W_U
+        W_U = self.embed.W_E.T if self.cfg.tied else self.W_U
+        return resid @ W_U, None
