"""Wrong answers to chapter 2's `Embed`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, in short
class Embed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_E = nn.Parameter(torch.empty(cfg.d_vocab, cfg.d_model))
        nn.init.normal_(self.W_E, std=cfg.init_range)

    def forward(self, tokens):
        return self.W_E[tokens]

# %% base: right, with a docstring
class Embed(nn.Module):
    """Look up each token's row in the table `W_E`.

    Source: openai/gpt-2 src/model.py, model(): tf.gather(wte, X).
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_E = nn.Parameter(torch.empty(cfg.d_vocab, cfg.d_model))
        nn.init.normal_(self.W_E, std=cfg.init_range)

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_model"]:
        return self.W_E[tokens]

# %% Embed: forgets to return the rows it looked up
# like: right, with a docstring
~ return → x =

# %% Embed: calls the parameter like a layer instead of indexing it
# like: right, with a docstring
~ [tokens] → (tokens)

# %% Embed: leaves out self. before W_E
# like: right, with a docstring
~ return self.W_E → return W_E

# %% Embed: looks tokens up along the columns of the table instead of the rows
# right: indexing the columns instead of the rows
# like: right, in short
~ [tokens] → [:, tokens]

# %% Embed: transposes the table before indexing, so it picks columns
# right: indexing the columns instead of the rows
# like: right, with a docstring
-        return self.W_E[tokens]
+        # W_E is stored [d_vocab, d_model], we want d_model vectors
+        table = self.W_E.T
+        return table[tokens]

# %% Embed: one-hot vectors stay int64 and cannot be multiplied by the float table
# like: right, with a docstring
-        return self.W_E[tokens]
+        one_hot = nn.functional.one_hot(tokens, num_classes=self.cfg.d_vocab)
+        return one_hot @ self.W_E

# %% Embed: one_hot without num_classes, so its width depends on the largest token in the batch
# like: right, in short
-        return self.W_E[tokens]
+        # one-hot times matrix is the same as a lookup
+        return torch.nn.functional.one_hot(tokens).float() @ self.W_E

# %% Embed: one-hot vectors of width d_model instead of d_vocab
# like: right, in short
-        return self.W_E[tokens]
+        hot = torch.nn.functional.one_hot(tokens, self.cfg.d_model).float()
+        return hot @ self.W_E

# %% Embed: multiplies the token numbers themselves with the table
# right: multiplying by the token's number
# like: right, in short
~ self.W_E[tokens] → tokens.float() @ self.W_E

# %% Embed: turns the tokens into floats before indexing with them
# like: right, with a docstring
     def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_model"]:
+        tokens = tokens.float()

# %% Embed: multiplies the vectors by sqrt(d_model), as the Annotated Transformer does
# right: scaling by the square root of d_model
import math


class Embed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.d_model = cfg.d_model
        self.W_E = nn.Parameter(torch.empty(cfg.d_vocab, cfg.d_model))
        nn.init.normal_(self.W_E, std=cfg.init_range)

    def forward(self, x):
        return self.W_E[x] * math.sqrt(self.d_model)

# %% Embed: puts dropout on the looked-up vectors, as in GPT-2 training code
# like: right, in short
-        return self.W_E[tokens]
+        x = self.W_E[tokens]
+        return nn.functional.dropout(x, p=0.1)

# %% Embed: sums the vectors of a sentence into one (a bag of words)
# right: the tokens' vectors summed or averaged
# like: right, with a docstring
-        return self.W_E[tokens]
+        vectors = self.W_E[tokens]
+        return vectors.sum(dim=1)

# %% Embed: flattens the tokens and does not bring the batch axis back
# like: right, in short
-        return self.W_E[tokens]
+        flat = tokens.reshape(-1)
+        rows = self.W_E[flat]
+        return rows

# %% Embed: returns only the first sentence (a [0] left over from trying it out)
# right: embedding the first sentence alone
# like: right, with a docstring
~ [tokens] → [tokens][0]

# %% Embed: the loop over sentences starts at 1 and skips the first
# like: right, with a docstring
-        return self.W_E[tokens]
+        batch, pos = tokens.shape
+        out = []
+        for b in range(1, batch):
+            out.append(self.W_E[tokens[b]])
+        return torch.stack(out)

# %% Embed: the inner loop stops one position early and leaves the last position 0
# like: right, in short
-        return self.W_E[tokens]
+        batch, pos = tokens.shape
+        out = torch.zeros(batch, pos, self.cfg.d_model)
+        for b in range(batch):
+            for p in range(pos - 1):
+                out[b, p] = self.W_E[tokens[b, p]]
+        return out

# %% Embed: loops over positions and stacks them first: [pos batch d_model]
# like: right, in short
-        return self.W_E[tokens]
+        columns = [self.W_E[tokens[:, p]] for p in range(tokens.shape[1])]
+        return torch.stack(columns)

# %% Embed: stacks the sentences along axis 1: [pos batch d_model]
# like: right, with a docstring
-        return self.W_E[tokens]
+        sentences = []
+        for sentence in tokens:
+            sentences.append(self.W_E[sentence])
+        return torch.stack(sentences, dim=1)

# %% Embed: concatenates the sentences instead of stacking them
# like: right, in short
~ self.W_E[tokens] → torch.cat([self.W_E[t] for t in tokens], dim=0)

# %% Embed: returns a Python list of tensors
# like: right, with a docstring
~ self.W_E[tokens] → [self.W_E[sentence] for sentence in tokens]

# %% Embed: subtracts 1 from the tokens, as if they were numbered from 1
# right: an index shifted by one
# like: right, with a docstring
-        return self.W_E[tokens]
+        # tokens start from 1, rows from 0
+        return self.W_E[tokens - 1]

# %% Embed: torch.gather with unexpanded indices in place of tf.gather
# right: picking single numbers of the rows
# like: right, with a docstring
~ self.W_E[tokens] → torch.gather(self.W_E, 0, tokens)

# %% Embed: index_select with a 2-d index
# like: right, in short
~ self.W_E[tokens] → torch.index_select(self.W_E, 0, tokens)

# %% Embed: torch.take, which reads single numbers from the flattened table
# right: picking single numbers of the flat table
# like: right, in short
-        return self.W_E[tokens]
+        # like np.take
+        return torch.take(self.W_E, tokens)

# %% Embed: NumPy's take(axis=0) called on a tensor
# like: right, in short
~ [tokens] → .take(tokens, axis=0)

# %% Embed: F.embedding with the table and the tokens in the wrong order
# like: right, in short
+import torch.nn.functional as F
+
+
 class Embed(nn.Module):
~ self.W_E[tokens] → F.embedding(self.W_E, tokens)

# %% Embed: indexes the tokens with the table
# like: right, with a docstring
~ self.W_E[tokens] → tokens[self.W_E]

# %% Embed: reads W_E.data, so no gradient reaches the table
# right: rows cut out of the graph
# like: right, with a docstring
~ [tokens] → .data[tokens]

# %% Embed: looks up inside torch.no_grad()
# right: rows cut out of the graph
class Embed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_E = nn.Parameter(torch.empty(cfg.d_vocab, cfg.d_model))
        nn.init.normal_(self.W_E, std=cfg.init_range)

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_model"]:
        with torch.no_grad():
            embedded = self.W_E[tokens]
        return embedded

# %% Embed: goes through NumPy, which cuts the gradient
# right: rows cut out of the graph
# like: right, in short
-        return self.W_E[tokens]
+        table = self.W_E.detach().numpy()
+        return torch.from_numpy(table[tokens.numpy()])

# %% Embed: calls .numpy() on a tensor that requires grad
# like: right, in short
+import numpy as np
+
+
 class Embed(nn.Module):
~ self.W_E[tokens] → torch.tensor(np.take(self.W_E.numpy(), tokens.numpy(), axis=0))

# %% Embed: rebuilds a tensor with torch.tensor from numbers, which cuts the gradient
# right: rows cut out of the graph
# like: right, in short
-        return self.W_E[tokens]
+        rows = []
+        for sentence in tokens.tolist():
+            rows.append([self.W_E[t].tolist() for t in sentence])
+        return torch.tensor(rows)

# %% Embed: the output buffer has the toy example's 3 columns
# like: right, with a docstring
-        return self.W_E[tokens]
+        batch, pos = tokens.shape
+        out = torch.zeros(batch, pos, 3)
+        for i in range(batch):
+            for j in range(pos):
+                out[i, j] = self.W_E[tokens[i, j]]
+        return out

# %% Embed: reshapes to GPT-2's 768 whatever d_model is
# like: right, in short
-        return self.W_E[tokens]
+        batch, pos = tokens.shape
+        return self.W_E[tokens.flatten()].view(batch, pos, 768)

# %% Embed: replaces W_E by an nn.Embedding called wte, as nanoGPT does
# right: keeping the table inside nn.Embedding
class Embed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.wte = nn.Embedding(cfg.d_vocab, cfg.d_model)
        nn.init.normal_(self.wte.weight, mean=0.0, std=cfg.init_range)

    def forward(self, idx):
        tok_emb = self.wte(idx)  # (b, t, n_embd)
        return tok_emb

# %% Embed: makes W_E an nn.Embedding, so that the parameter is W_E.weight
# right: keeping the table inside nn.Embedding
class Embed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.W_E = nn.Embedding(cfg.d_vocab, cfg.d_model)
        nn.init.normal_(self.W_E.weight, std=cfg.init_range)

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_model"]:
        return self.W_E(tokens)

# %% Embed: makes a fresh random nn.Embedding in every call
# right: a new table in every call
# like: right, with a docstring
-        return self.W_E[tokens]
+        emb = nn.Embedding(self.cfg.d_vocab, self.cfg.d_model)
+        return emb(tokens)

# %% Embed: draws the table anew in forward (the init line was copied down)
# right: a new table in every call
# like: right, in short
     def forward(self, tokens):
+        nn.init.normal_(self.W_E, std=self.cfg.init_range)

# %% Embed: W_E is a plain tensor, not an nn.Parameter
# like: right, in short
-        self.W_E = nn.Parameter(torch.empty(cfg.d_vocab, cfg.d_model))
-        nn.init.normal_(self.W_E, std=cfg.init_range)
+        self.W_E = torch.randn(cfg.d_vocab, cfg.d_model) * cfg.init_range

# %% Embed: creates the table with the two sizes swapped
# right: a table with its axes swapped
# like: right, in short
 class Embed(nn.Module):
+    """Look up each token's row in the table `W_E`."""
+
~ d_vocab, cfg.d_model → d_model, cfg.d_vocab

# %% Embed: passes init_range to normal_ as the mean
# like: right, in short
~ : Config →
-        self.cfg = cfg
~ std= →

# %% Embed: starts the table with a standard deviation of 1
class Embed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_E = nn.Parameter(torch.randn((cfg.d_vocab, cfg.d_model)))

    def forward(self, tokens):
        out = self.W_E[tokens]
        return out

# %% Embed: misspells the attribute as W_e
# like: right, with a docstring
~ W_E[tokens] → W_e[tokens]

# %% Embed: returns the whole table (half-finished, tokens unused)
# right: returning the whole table
# like: right, in short
-        return self.W_E[tokens]
+        batch, pos = tokens.shape
+        W = self.W_E
+        return W

# %% Embed: slices with the tensor of tokens instead of indexing with it
# like: right, with a docstring
~ [tokens] → [:tokens]

# %% Embed: padding_idx=0, so that row 0 gets no gradient
# right: treating token 0 as padding
# like: right, with a docstring
+import torch.nn.functional as F
+
+
 class Embed(nn.Module):
~ self.W_E[tokens] → F.embedding(tokens, self.W_E, padding_idx=0)

# %% Embed: zeroes the vectors of token 0, as Keras's mask_zero would mask them
# right: setting the row of token 0 to zero
# right: treating token 0 as padding
# like: right, in short
-        return self.W_E[tokens]
+        mask = (tokens != 0).unsqueeze(-1)
+        return self.W_E[tokens] * mask

# %% Embed: swaps the last two axes of the result
# right: d_model in the middle
# like: right, with a docstring
-        return self.W_E[tokens]
+        out = self.W_E[tokens]          # batch pos d_model
+        return out.transpose(1, 2)

# %% Embed: the einsum names its output axes as b d p
# right: d_model in the middle
# like: right, in short
-        return self.W_E[tokens]
+        one_hot = nn.functional.one_hot(tokens, self.cfg.d_vocab).to(self.W_E.dtype)
+        return torch.einsum("bpv,vd->bdp", one_hot, self.W_E)

# %% Embed: einsum that pairs the token numbers with the vocabulary axis
# right: multiplying by the token's number
# like: right, in short
~ self.W_E[tokens] → torch.einsum("bp,vd->bpd", tokens.float(), self.W_E)

# %% Embed: squeezes the result, which loses the batch axis of a single sentence
# like: right, in short
~ [tokens] → [tokens].squeeze()

# %% Embed: adds sines of the position to the token vectors
# like: right, with a docstring
-        return self.W_E[tokens]
+        x = self.W_E[tokens]
+        pos = torch.arange(tokens.shape[1]).unsqueeze(-1)
+        return x + torch.sin(pos)

# %% Embed: divides each vector by its norm
# right: scaling each vector to norm 1
# like: right, in short
-        return self.W_E[tokens]
+        rows = self.W_E[tokens]
+        return rows / rows.norm(dim=-1, keepdim=True)

# %% Embed: indexes with the tokens along both axes of the table
# like: right, with a docstring
~ [tokens] → [tokens, tokens]

# %% Embed: returns half precision
# right: returning half precision
# like: right, in short
~ [tokens] → [tokens].half()

# %% Embed: returns a tuple, as HuggingFace modules do
# like: right, in short
-        return self.W_E[tokens]
+        hidden_states = self.W_E[tokens]
+        return (hidden_states,)

# %% Embed: clamps token numbers to d_model - 1 (the wrong size)
# like: right, in short
-        return self.W_E[tokens]
+        # keep the ids in range
+        ids = tokens.clamp(0, self.cfg.d_model - 1)
+        return self.W_E[ids]

# %% Embed: subtracts 1 from the tokens in place, and so looks up the wrong rows and changes the argument
# right: an index shifted by one
# like: right, in short
     def forward(self, tokens):
+        tokens -= 1  # ids are 1..d_vocab

# %% Embed: helper is called with tokens and table swapped
# like: right, in short
+def lookup(table, ids):
+    return table[ids]
+
+
 class Embed(nn.Module):
~ self.W_E[tokens] → lookup(tokens, self.W_E)

# %% Embed: forgets super().__init__() when rewriting __init__
# like: right, in short
-        super().__init__()

# %% Embed: two mistakes: scales by sqrt(d_model) and adds dropout
# right: scaling by the square root of d_model
# like: right, in short
-        return self.W_E[tokens]
+        x = self.W_E[tokens] * self.cfg.d_model ** 0.5
+        return torch.dropout(x, 0.1, True)

# %% Embed: two mistakes: picks columns instead of rows and forgets to return
# right: indexing the columns instead of the rows
# like: right, with a docstring
~ return self.W_E[tokens] → out = self.W_E[:, tokens]

# %% Embed: two mistakes: no gradient (detach) and the batch axis flattened away
# right: rows cut out of the graph
# like: right, in short
-        return self.W_E[tokens]
+        W = self.W_E.detach()
+        return W[tokens.view(-1)]

# %% Embed: two mistakes: starts the table at std 1 and subtracts 1 from the tokens
# right: an index shifted by one
# like: right, in short
~ , std=cfg.init_range →
-        return self.W_E[tokens]
+        idx = tokens - 1
+        return self.W_E[idx]

# %% Embed: two mistakes: one-hot without num_classes and without .float()
# like: right, in short
-        return self.W_E[tokens]
+        import torch.nn.functional as F
+        onehot = F.one_hot(tokens)
+        return onehot @ self.W_E

# %% Embed: two mistakes: sums over the positions and scales by sqrt(d_model)
# right: the tokens' vectors summed or averaged
# right: scaling by the square root of d_model
# like: right, in short
-        return self.W_E[tokens]
+        emb = self.W_E[tokens]
+        return emb.sum(1) * self.cfg.d_model**0.5

# %% Embed: two mistakes: no super().__init__(), and the table's sizes swapped
# right: a table with its axes swapped
# like: right, in short
-        super().__init__()
~ d_vocab, cfg.d_model → d_model, cfg.d_vocab

# %% Embed: two mistakes: wte instead of W_E, and a std of 1 (nn.Embedding's own)
# right: keeping the table inside nn.Embedding
class Embed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.wte = nn.Embedding(cfg.d_vocab, cfg.d_model)

    def forward(self, tokens):
        return self.wte(tokens)

# %% Embed: two mistakes: the loop skips the first sentence and stacks along axis 1
# like: right, with a docstring
-        return self.W_E[tokens]
+        batch, pos = tokens.shape
+        rows = []
+        for i in range(1, batch):
+            rows.append(self.W_E[tokens[i]])
+        return torch.stack(rows, dim=1)

# %% Embed: two mistakes: the last two axes swapped, and no gradient (no_grad)
# right: d_model in the middle
# right: rows cut out of the graph
# like: right, in short
-        return self.W_E[tokens]
+        with torch.no_grad():
+            x = self.W_E[tokens]
+        return x.permute(0, 2, 1)

# %% Embed: a table kept from the first call
class Embed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_E = nn.Parameter(torch.empty(cfg.d_vocab, cfg.d_model))
        nn.init.normal_(self.W_E, std=cfg.init_range)

    def forward(
        self, tokens: Int[Tensor, "batch pos"]
    ) -> Float[Tensor, "batch pos d_model"]:
        if not hasattr(self, "table"):
            self.table = self.W_E.clone()
        return self.table[tokens]

# %% Embed: looked up flat, and cut into the axes the other way round
class Embed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_E = nn.Parameter(torch.empty(cfg.d_vocab, cfg.d_model))
        nn.init.normal_(self.W_E, std=cfg.init_range)

    def forward(
        self, tokens: Int[Tensor, "batch pos"]
    ) -> Float[Tensor, "batch pos d_model"]:
        b, p = tokens.shape
        flat = tokens.reshape(-1)
        e = torch.index_select(self.W_E, 0, flat)
        return e.view(p, b, -1)
