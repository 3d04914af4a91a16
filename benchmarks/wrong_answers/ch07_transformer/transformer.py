"""Wrong answers to chapter 7's `Transformer`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, typed
class Transformer(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.embed = Embed(cfg)
        self.pos_embed = PosEmbed(cfg)
        self.blocks = nn.ModuleList([TransformerBlock(cfg) for _ in range(cfg.n_layers)])
        self.ln_final = LayerNorm(cfg)
        self.unembed = Unembed(cfg)

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
        resid = self.embed(tokens) + self.pos_embed(tokens)
        for block in self.blocks:
            resid = block(resid)
        return self.unembed(self.ln_final(resid))

# %% base: right, in short
class Transformer(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.embed = Embed(cfg)
        self.pos_embed = PosEmbed(cfg)
        self.blocks = nn.ModuleList([TransformerBlock(cfg) for _ in range(cfg.n_layers)])
        self.ln_final = LayerNorm(cfg)
        self.unembed = Unembed(cfg)

    def forward(self, tokens):
        resid = self.embed(tokens) + self.pos_embed(tokens)
        for block in self.blocks:
            resid = block(resid)
        return self.unembed(self.ln_final(resid))

# %% Transformer: the blocks are in a Python list
# right: blocks in a Python list
# like: right, typed
-        self.blocks = nn.ModuleList([TransformerBlock(cfg) for _ in range(cfg.n_layers)])
+        self.blocks = [TransformerBlock(cfg) for _ in range(cfg.n_layers)]

# %% Transformer: one block, n times
# right: one block where each layer needs its own
# like: right, typed
~ [TransformerBlock(cfg) for _ in range(cfg.n_layers)] → [TransformerBlock(cfg)] * cfg.n_layers

# %% Transformer: the number of blocks is written out
# right: a number of blocks that is not the Config's
# like: right, typed
~ cfg.n_layers → 12

# %% Transformer: one block too few
# right: a number of blocks that is not the Config's
# like: right, typed
~ cfg.n_layers → 1, cfg.n_layers

# %% Transformer: block 0 in every layer
# right: block 0 in every layer
# like: right, typed
~ = block → = self.blocks[0]

# %% Transformer: no positions
# right: leaving the positions out
# like: right, typed
~ (tokens) + self.pos_embed(tokens) → (tokens)

# %% Transformer: no token vectors
# right: leaving the tokens out
# like: right, typed
~ embed(tokens) + self.pos_embed → pos_embed

# %% Transformer: no ln_final
# right: leaving `ln_final` out
# like: right, typed
~ self.ln_final(resid) → resid

# %% Transformer: x + ln_final(x)
# right: adding what `ln_final` gives to the stream
# like: right, typed
~ self.ln_final(resid) → resid + self.ln_final(resid)

# %% Transformer: ln_final in every layer
# right: using `ln_final` after every block
# like: right, typed
~ block(resid) → self.ln_final(block(resid))

# %% Transformer: a softmax at the end
# right: returning probabilities
# like: right, typed
~ (self.ln_final(resid)) → (self.ln_final(resid)).softmax(dim=-1)

# %% Transformer: log_softmax at the end
# right: returning log-probabilities
# like: right, typed
~ self.unembed(self.ln_final(resid)) → nn.functional.log_softmax(self.unembed(self.ln_final(resid)), dim=-1)

# %% Transformer: token vectors times the root of d_model
# right: multiplying the embedding by √d_model
# like: right, typed
~ + self → * self.cfg.d_model**0.5 + self

# %% Transformer: positions are added in every layer
# right: adding the positions in every block
# like: right, typed
~ block(resid) → block(resid + self.pos_embed(tokens))

# %% Transformer: the stream is added to what a block gives
# right: adding the stream to what a block gives
# like: right, typed
~ = block → = resid + block

# %% Transformer: every block reads the start
# right: the last block alone
# like: right, typed
~ resid = block → out = block
~ ln_final(resid) → ln_final(out)

# %% Transformer: only the last position
# right: returning the logits of the last position alone
# like: right, typed
~ ln_final(resid) → ln_final(resid[:, -1])

# %% Transformer: only the last position, with its axis
# right: returning the logits of the last position alone
# like: right, typed
~ ln_final(resid) → ln_final(resid[:, [-1], :])

# %% Transformer: W_U is tied to W_E
# right: the weights of `embed` and `unembed` tied
# like: right, typed
         self.unembed = Unembed(cfg)
+        self.unembed.W_U = nn.Parameter(self.embed.W_E.T)

# %% Transformer: the unembedding is W_E transposed
# right: unembedding by `embed.W_E`
# like: right, typed
~ unembed(self.ln_final(resid)) → ln_final(resid) @ self.embed.W_E.T

# %% Transformer: W_E itself as W_U
# right: the weights of `embed` and `unembed` tied
# like: right, typed
         self.unembed = Unembed(cfg)
+        self.unembed.W_U = self.embed.W_E

# %% Transformer: HuggingFace's names
# like: right, typed
~ .embed = → .wte =
~ pos_embed = → wpe =
~ blocks = → h =
~ ln_final = → ln_f =
~ unembed = → lm_head =
~ embed(tokens) + self.pos_embed → wte(tokens) + self.wpe
~ blocks: → h:
~ unembed(self.ln_final(resid)) → lm_head(self.ln_f(resid))

# %% Transformer: layers in place of blocks
# like: right, typed
~ blocks = → layers =
~ blocks: → layers:

# %% Transformer: the blocks run in reverse
# right: the blocks in reverse
# like: right, typed
~ blocks: → blocks[::-1]:

# %% Transformer: the last block never runs
# right: leaving the last block out
# like: right, typed
~ blocks: → blocks[:-1]:

# %% Transformer: return inside the loop
# right: the first block alone
# like: right, typed
-        return self.unembed(self.ln_final(resid))
+            return self.unembed(self.ln_final(resid))

# %% Transformer: dropout on the start
# like: right, in short
-    def forward(self, tokens):
-        resid = self.embed(tokens) + self.pos_embed(tokens)
+        self.dropout = nn.Dropout(0.1)
+
+    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
+        resid = self.dropout(self.embed(tokens) + self.pos_embed(tokens))

# %% Transformer: logits and loss, as in nanoGPT
# like: right, typed
~ (self.ln_final(resid)) → (self.ln_final(resid)), None

# %% Transformer: argmax at the end
# right: returning the chosen tokens
# like: right, typed
~ (self.ln_final(resid)) → (self.ln_final(resid)).argmax(dim=-1)

# %% Transformer: the start is normalised, as in BLOOM
# right: a LayerNorm before the first block
# like: right, typed
~ embed(tokens) + self.pos_embed(tokens) → ln_final(self.embed(tokens) + self.pos_embed(tokens))

# %% Transformer: pos_embed is given positions
# right: `pos_embed` called on something other than `tokens`
# like: right, typed
~ pos_embed(tokens) → pos_embed(torch.arange(tokens.shape[1]))

# %% Transformer: pos_embed is given the stream
# right: `pos_embed` called on something other than `tokens`
# like: right, typed
-        resid = self.embed(tokens) + self.pos_embed(tokens)
+        resid = self.embed(tokens)
+        resid = resid + self.pos_embed(resid)

# %% Transformer: every parameter is drawn from a normal
# right: drawing every parameter at random
# like: right, typed
         self.unembed = Unembed(cfg)
+        for parameter in self.parameters():
+            nn.init.normal_(parameter, std=cfg.init_range)

# %% Transformer: Xavier for all matrices, as in the Annotated Transformer
# right: Xavier's initial values
# like: right, typed
         self.unembed = Unembed(cfg)
+        for parameter in self.parameters():
+            if parameter.dim() > 1:
+                nn.init.xavier_uniform_(parameter)

# %% Transformer: tokens as floats
# like: right, typed
~ (tokens) + → (tokens.float()) +

# %% Transformer: the two vectors are joined, not added
# right: joining tokens and positions
# like: right, typed
-        resid = self.embed(tokens) + self.pos_embed(tokens)
+        resid = torch.cat([self.embed(tokens), self.pos_embed(tokens)], dim=-1)

# %% Transformer: the last token is cut off
# like: right, typed
     def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
+        tokens = tokens[:, :-1]

# %% Transformer: cropped to n_ctx - 1
# right: cutting off a token of a text that fills `n_ctx`
# like: right, typed
     def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
+        tokens = tokens[:, -(self.cfg.n_ctx - 1):]

# %% Transformer: no gradients are kept
# right: a model cut out of the graph
# like: right, in short
-    def forward(self, tokens):
+    @torch.no_grad()
+    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:

# %% Transformer: the logits are divided by the root of d_model
# right: dividing the logits by √d_model
# like: right, typed
~ (self.ln_final(resid)) → (self.ln_final(resid)) / self.cfg.d_model**0.5

# %% Transformer: the blocks as attributes block_0, block_1
# like: right, typed
-        self.blocks = nn.ModuleList([TransformerBlock(cfg) for _ in range(cfg.n_layers)])
+        for i in range(cfg.n_layers):
+            setattr(self, f'block_{i}', TransformerBlock(cfg))
~ block in self.blocks → i in range(self.cfg.n_layers)
~ = block → = getattr(self, f'block_{i}')

# %% Transformer: torch's LayerNorm at the end
# like: right, typed
~ LayerNorm(cfg) → nn.LayerNorm(cfg.d_model, eps=cfg.layer_norm_eps)

# %% Transformer: torch's Linear at the end
# like: right, typed
~ Unembed(cfg) → nn.Linear(cfg.d_model, cfg.d_vocab, bias=False)

# %% Transformer: torch's Embedding at the start
# like: right, typed
~ = Embed(cfg) → = nn.Embedding(cfg.d_vocab, cfg.d_model)

# %% Transformer: the first token is overwritten
# like: right, typed
     def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
+        tokens[:, 0] = 0

# %% Transformer: blocks read the stream through ln_final
# right: `ln_final` before every block
# like: right, typed
~ block(resid) → block(self.ln_final(resid))

# %% Transformer: a Linear that nobody calls is left over
# like: right, typed
         self.unembed = Unembed(cfg)
+        self.head = nn.Linear(cfg.d_model, cfg.d_vocab)

# %% Transformer: the start is multiplied, not added
# right: multiplying tokens and positions
# like: right, typed
~ + self → * self

# %% Transformer: the loop runs over two
# like: right, in short
~ resid = self → x = self
~ block in self.blocks → i in range(2)
~ resid = block(resid) → x = self.blocks[i](x)
~ ln_final(resid) → ln_final(x)

# %% Transformer: every block reads the start, the last one counts
# right: the last block alone
# like: right, in short
~ resid = self → embedded = self
~ block(resid) → block(embedded)

# %% Transformer: a comprehension for the loop
# right: the last block alone
# like: right, in short
-        resid = self.embed(tokens) + self.pos_embed(tokens)
-        for block in self.blocks:
-            resid = block(resid)
-        return self.unembed(self.ln_final(resid))
+        x = self.embed(tokens) + self.pos_embed(tokens)
+        x = [block(x) for block in self.blocks][-1]
+        return self.unembed(self.ln_final(x))

# %% Transformer: the list of blocks is called
# right: calling the list of blocks
# like: right, in short
-        for block in self.blocks:
-            resid = block(resid)
+        resid = self.blocks(resid)

# %% Transformer: the class stands in the list, not made
# like: right, in short
~ TransformerBlock(cfg) → TransformerBlock

# %% Transformer: one block times n, in the brackets
# like: right, in short
~ [TransformerBlock(cfg) for _ in range(cfg.n_layers)] → TransformerBlock(cfg) * cfg.n_layers

# %% Transformer: a comma after the list of blocks
# like: right, in short
-        self.blocks = nn.ModuleList([TransformerBlock(cfg) for _ in range(cfg.n_layers)])
+        self.blocks = nn.ModuleList([TransformerBlock(cfg) for _ in range(cfg.n_layers)]),

# %% Transformer: six blocks written out
# like: right, in short
~ cfg.n_layers → 6

# %% Transformer: the blocks are counted from 1
# like: right, in short
~ resid = self → x = self
~ block in self.blocks → i in range(1, self.cfg.n_layers + 1)
~ resid = block(resid) → x = self.blocks[i](x)
~ ln_final(resid) → ln_final(x)

# %% Transformer: the class Embed is called on the tokens
# like: right, in short
~ = self.embed → = Embed

# %% Transformer: the last block's ln2 at the end
# right: a block's LayerNorm in the place of `ln_final`
# like: right, in short
~ ln_final(resid) → blocks[-1].ln2(resid)

# %% Transformer: ln_final is the last block's ln2
# right: a block's LayerNorm in the place of `ln_final`
# like: right, in short
~ LayerNorm(cfg) → self.blocks[-1].ln2

# %% Transformer: position 0 for all
# right: one position for the whole text
# like: right, in short
-        resid = self.embed(tokens) + self.pos_embed(tokens)
+        x = self.embed(tokens) + self.pos_embed(tokens)[:, :1]
~ resid = block(resid) → x = block(x)
~ ln_final(resid) → ln_final(x)

# %% Transformer: the mean over positions
# right: pooling the positions
# like: right, in short
~ ln_final(resid) → ln_final(resid).mean(dim=1)

# %% Transformer: the sum of what all blocks give
# right: adding up what all the blocks give
# like: right, in short
-        resid = self.embed(tokens) + self.pos_embed(tokens)
+        x = self.embed(tokens) + self.pos_embed(tokens)
+        all_outputs = [x]
         for block in self.blocks:
-            resid = block(resid)
-        return self.unembed(self.ln_final(resid))
+            x = block(x)
+            all_outputs.append(x)
+        return self.unembed(self.ln_final(sum(all_outputs)))

# %% Transformer: ln_final before the blocks
# right: `ln_final` before the blocks in place of after them
# like: right, in short
-        resid = self.embed(tokens) + self.pos_embed(tokens)
+        x = self.ln_final(self.embed(tokens) + self.pos_embed(tokens))
~ resid = block(resid) → x = block(x)
~ self.ln_final(resid) → x

# %% Transformer: positions after the blocks
# right: adding the positions after the blocks
# like: right, in short
~ resid = self.embed(tokens) + self.pos_embed → x = self.embed
-            resid = block(resid)
-        return self.unembed(self.ln_final(resid))
+            x = block(x)
+        x = x + self.pos_embed(tokens)
+        return self.unembed(self.ln_final(x))

# %% Transformer: the first token is dropped
# right: leaving out the first token
# like: right, in short
         resid = self.embed(tokens) + self.pos_embed(tokens)
+        resid = resid[:, 1:]

# %% Transformer: a start token is put in front
# right: a token put in front of the text
# like: right, in short
+import torch
+
 class Transformer(nn.Module):
...
     def forward(self, tokens):
+        tokens = torch.cat([torch.zeros_like(tokens[:, :1]), tokens], dim=1)

# %% Transformer: all of W_pos
# right: the whole of `W_pos`
# like: right, in short
~ pos_embed(tokens) → pos_embed.W_pos

# %% Transformer: embed and unembed are swapped
# right: embed and unembed in each other's place
# like: right, in short
~ = self.embed → = self.unembed
~ return self.unembed → return self.embed

# %% Transformer: the stream is kept between calls
# right: a stream kept from one call to the next
# like: right, in short
         self.unembed = Unembed(cfg)
+        self.x = 0
~ resid = self → self.x = self.x + self
~ resid = block(resid) → self.x = block(self.x)
~ ln_final(resid) → ln_final(self.x)

# %% Transformer: b_U is added again
# right: adding `b_U` twice
# like: right, in short
~ (self.ln_final(resid)) → (self.ln_final(resid)) + self.unembed.b_U

# %% Transformer: only the last position after eval
# right: another answer after `eval()`
# like: right, in short
-        return self.unembed(self.ln_final(resid))
+        resid = self.ln_final(resid)
+        if not self.training:
+            resid = resid[:, -1:]
+        return self.unembed(resid)

# %% Transformer: PyTorch's LayerNorm and Linear
# right: PyTorch's own layers in the place of yours
# like: right, in short
~ LayerNorm(cfg) → nn.LayerNorm(cfg.d_model)
~ Unembed(cfg) → nn.Linear(cfg.d_model, cfg.d_vocab)
~ resid = self → x = self
~ resid = block(resid) → x = block(x)
~ ln_final(resid) → ln_final(x)

# %% Transformer: the logits are not returned
# like: right, in short
~ resid = self → x = self
-            resid = block(resid)
-        return self.unembed(self.ln_final(resid))
+            x = block(x)
+        x = self.ln_final(x)
+        self.unembed(x)

# %% Transformer: parts made of sizes
# like: right, in short
~ = Embed(cfg) → = Embed(cfg.d_vocab, cfg.d_model)
~ PosEmbed(cfg) → PosEmbed(cfg.n_ctx, cfg.d_model)
~ LayerNorm(cfg) → LayerNorm(cfg.d_model)
~ Unembed(cfg) → Unembed(cfg.d_model, cfg.d_vocab)
~ resid = self → x = self
~ resid = block(resid) → x = block(x)
~ ln_final(resid) → ln_final(x)

# %% Transformer: a lecture's names, nn.Embedding and nn.Linear
# right: PyTorch's own layers in the place of yours
class Transformer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.token_embedding_table = nn.Embedding(cfg.d_vocab, cfg.d_model)
        self.position_embedding_table = nn.Embedding(cfg.n_ctx, cfg.d_model)
        self.blocks = nn.Sequential(*[TransformerBlock(cfg) for _ in range(cfg.n_layers)])
        self.ln_f = nn.LayerNorm(cfg.d_model)
        self.lm_head = nn.Linear(cfg.d_model, cfg.d_vocab)

    def forward(self, idx):
        import torch
        B, T = idx.shape
        tok_emb = self.token_embedding_table(idx)
        pos_emb = self.position_embedding_table(torch.arange(T))
        x = tok_emb + pos_emb
        x = self.blocks(x)
        x = self.ln_f(x)
        return self.lm_head(x)

# %% Transformer: weights tied, and the embedding's table read at the end
# right: the weights of `embed` and `unembed` tied
# right: unembedding by `embed.W_E`
# like: right, in short
         self.unembed = Unembed(cfg)
+        self.unembed.W_U = nn.Parameter(self.embed.W_E.T)
~ resid = self → x = self
-            resid = block(resid)
-        return self.unembed(self.ln_final(resid))
+            x = block(x)
+        x = self.ln_final(x)
+        return x @ self.embed.W_E.T

# %% Transformer: ln_final after every block, and a softmax
# like: right, in short
~ resid = self → x = self
~ resid = block(resid) → x = self.ln_final(block(x))
~ (self.ln_final(resid)) → (x).softmax(-1)

# %% Transformer: nanoGPT's class as it is, with its Config's names
class Transformer(nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.vocab_size is not None
        assert config.block_size is not None
        self.config = config
        self.transformer = nn.ModuleDict(dict(
            wte=nn.Embedding(config.vocab_size, config.n_embd),
            wpe=nn.Embedding(config.block_size, config.n_embd),
            h=nn.ModuleList([TransformerBlock(config) for _ in range(config.n_layer)]),
            ln_f=nn.LayerNorm(config.n_embd),
        ))
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)

    def forward(self, idx):
        x = self.transformer.wte(idx)
        return self.lm_head(x)

# %% Transformer: nanoGPT's names, for the course's parts and two of PyTorch's
# right: HuggingFace's and nanoGPT's names for the parts
# right: PyTorch's own layers in the place of yours
class Transformer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.wte = Embed(cfg)
        self.wpe = PosEmbed(cfg)
        self.h = nn.ModuleList([TransformerBlock(cfg) for _ in range(cfg.n_layers)])
        self.ln_f = nn.LayerNorm(cfg.d_model)
        self.lm_head = nn.Linear(cfg.d_model, cfg.d_vocab, bias=False)

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(tokens)
        for b in self.h:
            x = b(x)
        return self.lm_head(self.ln_f(x))

# %% Transformer: each block under a name of its own, by setattr
class Transformer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.embed = Embed(cfg)
        self.pos_embed = PosEmbed(cfg)
        for i in range(cfg.n_layers):
            setattr(self, f"block{i}", TransformerBlock(cfg))
        self.ln_f = LayerNorm(cfg)
        self.unembed = Unembed(cfg)

    def forward(self, tokens):
        x = self.embed(tokens) + self.pos_embed(tokens)
        for i in range(self.cfg.n_layers):
            x = getattr(self, f"block{i}")(x)
        return self.unembed(self.ln_f(x))
