"""Wrong answers to chapter 2's `PosEmbed`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, with a docstring
class PosEmbed(nn.Module):
    """Give each position its row of the table `W_pos`, the same in every sentence of the batch.

    Source: openai/gpt-2 src/model.py, model() and positions_for(): tf.gather(wpe, positions). There wpe starts with a
    standard deviation of 0.01; here both tables start with `init_range` = 0.02, as in HuggingFace's modeling_gpt2.py.
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_pos = nn.Parameter(torch.empty(cfg.n_ctx, cfg.d_model))
        nn.init.normal_(self.W_pos, std=cfg.init_range)

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_model"]:
        batch, pos = tokens.shape
        return self.W_pos[:pos].expand(batch, -1, -1)

# %% base: right, in short
class PosEmbed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_pos = nn.Parameter(torch.empty(cfg.n_ctx, cfg.d_model))
        nn.init.normal_(self.W_pos, std=cfg.init_range)

    def forward(self, tokens):
        batch, pos = tokens.shape
        return self.W_pos[:pos].expand(batch, -1, -1)

# %% base: right, typed
class PosEmbed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_pos = nn.Parameter(torch.empty(cfg.n_ctx, cfg.d_model))
        nn.init.normal_(self.W_pos, std=cfg.init_range)

    def forward(
        self, tokens: Int[Tensor, "batch pos"]
    ) -> Float[Tensor, "batch pos d_model"]:
        batch, pos = tokens.shape
        return self.W_pos[:pos].expand(batch, -1, -1)

# %% PosEmbed: returns the first rows once, without the batch axis
# right: a result without the batch axis
# like: right, with a docstring
~ batch, pos = tokens.shape → pos = tokens.shape[1]
~ .expand(batch, -1, -1) →

# %% PosEmbed: looks up the tokens instead of the positions
# right: looking up tokens in the table of positions
# like: right, with a docstring
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        return self.W_pos[tokens]

# %% PosEmbed: expands the whole table and does not cut it to pos rows
# right: the whole table
# like: right, in short
~ [:pos] →

# %% PosEmbed: the axis in front has size 1, not batch
# right: a batch axis of size 1
# like: right, with a docstring
~ expand(batch, -1, -1) → unsqueeze(0)

# %% PosEmbed: HuggingFace's position_ids of shape [1 pos], never expanded to the batch
# right: a batch axis of size 1
# like: right, with a docstring
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        seq_length = tokens.size(1)
+        position_ids = torch.arange(0, seq_length, dtype=torch.long, device=tokens.device)
+        position_ids = position_ids.unsqueeze(0)
+        position_embeds = self.W_pos[position_ids]
+        return position_embeds

# %% PosEmbed: nanoGPT's lookup, which leaves out the batch axis
# right: a result without the batch axis
# like: right, in short
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        b, t = tokens.size()
+        pos = torch.arange(0, t, dtype=torch.long)
+        pos_emb = nn.functional.embedding(pos, self.W_pos)  # (t, n_embd)
+        return pos_emb

# %% PosEmbed: takes row number pos instead of the first pos rows
# right: one position for the whole text
# like: right, with a docstring
~ [:pos].expand(batch, -1, -1) → [pos].expand(batch, pos, -1)

# %% PosEmbed: takes the last row that is needed, W_pos[pos - 1], for every position
# right: one position for the whole text
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        row = self.W_pos[pos - 1]
+        return row.repeat(batch, pos, 1)

# %% PosEmbed: unpacks the shape as pos, batch
# right: slicing by the batch size
# like: right, with a docstring
~ batch, pos → pos, batch

# %% PosEmbed: cuts the table to as many rows as there are sentences (shape[0])
# right: slicing by the batch size
# like: right, in short
~ batch, pos = tokens.shape → rows = self.W_pos[:tokens.shape[0]]
~ self.W_pos[:pos].expand(batch, -1, -1) → rows.expand(tokens.shape[0], -1, -1)

# %% PosEmbed: takes len(tokens), the number of sentences, for the number of positions
# right: slicing by the batch size
# like: right, with a docstring
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        n = len(tokens)
+        positions = torch.arange(n)
+        return self.W_pos[positions].repeat(tokens.shape[0], 1, 1)

# %% PosEmbed: counts the positions from 1 and so takes rows 1 to pos
# right: a slice that starts at 1
# right: positions counted from 1
# like: right, with a docstring
~ :pos → 1:pos + 1

# %% PosEmbed: torch.arange starts at 1, so that one position is missing
# right: positions counted from 1
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        idx = torch.arange(1, pos)
+        return self.W_pos[idx].unsqueeze(0).repeat(batch, 1, 1)

# %% PosEmbed: the slice stops one row early
# right: one row too few
# like: right, with a docstring
~ :pos → :pos - 1

# %% PosEmbed: the slice goes one row too far
# right: one row too many
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        # slice end is exclusive so +1
+        rows = self.W_pos[0:pos + 1, :]
+        return rows[None].repeat(batch, 1, 1)

# %% PosEmbed: takes the last pos rows of the table
# right: the last rows of the table
# like: right, with a docstring
~ :pos → -pos:

# %% PosEmbed: numbers the positions from the end of the sentence
# right: positions in reverse
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        order = torch.arange(pos - 1, -1, -1)
+        return self.W_pos[order].expand(batch, pos, self.cfg.d_model)

# %% PosEmbed: slices the columns instead of the rows
# right: slicing the columns
# like: right, with a docstring
~ :pos → :, :pos

# %% PosEmbed: slices the transposed table and so returns [batch pos n_ctx] of columns
# right: slicing the columns
# like: right, in short
~ [:pos] → .T[:pos]

# %% PosEmbed: repeat with two numbers, which lays the sentences end to end
# right: the sentences one under the other in one long table
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        rows = self.W_pos[:pos]
+        return rows.repeat(batch, 1)

# %% PosEmbed: repeats along the position axis too
# like: right, with a docstring
~ expand(batch, -1, -1) → repeat(batch, pos, 1)

# %% PosEmbed: repeats the last axis batch times instead of adding one in front
# right: the sentences side by side
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        x = self.W_pos[:pos]
+        return x.repeat(1, 1, batch)

# %% PosEmbed: repeat_interleave before the view, so that each row comes batch times in a row
# right: each row repeated before the next one comes
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        rows = self.W_pos[:pos].repeat_interleave(batch, dim=0)
+        return rows.view(batch, pos, -1)

# %% PosEmbed: repeats sideways and then views as [batch pos d_model], which mixes sentences and positions
# right: each row repeated before the next one comes
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        wide = self.W_pos[:pos].repeat(1, batch)      # pos, batch*d_model
+        return wide.view(batch, pos, self.cfg.d_model)

# %% PosEmbed: puts the batch axis in the middle: [pos batch d_model]
# right: a batch axis in the second place
# like: right, with a docstring
~ expand(batch, -1, -1) → unsqueeze(1).expand(-1, batch, -1)

# %% PosEmbed: stacks the copies along axis 1: [pos batch d_model]
# right: a batch axis in the second place
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        rows = self.W_pos[:pos]
+        return torch.stack([rows] * batch, dim=1)

# %% PosEmbed: concatenates the copies instead of stacking them
# right: the sentences one under the other in one long table
# like: right, in short
~ self.W_pos[:pos].expand(batch, -1, -1) → torch.cat([self.W_pos[:pos] for _ in range(batch)])

# %% PosEmbed: NumPy's tile with one number, which repeats along the last axis
# right: the sentences side by side
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        # np.tile
+        return torch.tile(self.W_pos[:pos], (batch,))

# %% PosEmbed: broadcasts to the shape of tokens and forgets d_model
# like: right, with a docstring
~ batch, pos = tokens.shape → pos = tokens.shape[-1]
~ self.W_pos[:pos].expand(batch, -1, -1) → torch.broadcast_to(self.W_pos[:pos], tokens.shape)

# %% PosEmbed: expand_as(tokens), which has no d_model axis
# like: right, in short
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        return self.W_pos[: tokens.shape[1]].expand_as(tokens)

# %% PosEmbed: expand with two sizes for three axes
# like: right, with a docstring
~ -1, -1 → pos

# %% PosEmbed: expands to batch in the position's place
# like: right, with a docstring
~ batch, -1 → -1, batch

# %% PosEmbed: forgets to return the result
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        rows = self.W_pos[:pos]
+        out = rows.expand(batch, -1, -1)

# %% PosEmbed: throws the result of expand away and returns the rows as they were
# right: a result without the batch axis
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        rows = self.W_pos[:pos]
+        rows.expand(batch, -1, -1)
+        return rows

# %% PosEmbed: leaves out self. before W_pos
# like: right, with a docstring
~ self.W_pos[:pos] → W_pos[:pos]

# %% PosEmbed: reads self.n_ctx, which was never set
# like: right, in short
         batch, pos = tokens.shape
+        assert pos <= self.n_ctx, "sequence too long"

# %% PosEmbed: the assertion forbids a text of exactly n_ctx tokens
# like: right, with a docstring
         batch, pos = tokens.shape
+        assert pos < self.cfg.n_ctx, f"Cannot forward sequence of length {pos}"

# %% PosEmbed: einops pattern without the new axis b
# like: right, with a docstring
+import einops
+
+
 class PosEmbed(nn.Module):
~ self.W_pos[:pos].expand(batch, -1, -1) → einops.repeat(self.W_pos[:pos], "p d -> p d", b=batch)

# %% PosEmbed: einops pattern that folds the batch into the positions
# right: the sentences one under the other in one long table
from einops import repeat


class PosEmbed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_pos = nn.Parameter(torch.empty(cfg.n_ctx, cfg.d_model))
        nn.init.normal_(self.W_pos, std=cfg.init_range)

    def forward(self, tokens):
        batch, pos = tokens.shape
        return repeat(self.W_pos[:pos], "pos d -> (batch pos) d", batch=batch)

# %% PosEmbed: einops pattern with the batch axis in the middle
# right: a batch axis in the second place
# like: right, with a docstring
+from einops import repeat
+
+
 class PosEmbed(nn.Module):
...
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        batch, seq = tokens.shape
+        return repeat(self.W_pos[:seq], "seq d_model -> seq batch d_model", batch=batch)

# %% PosEmbed: einops.rearrange, which cannot make copies
# like: right, in short
+import einops
+
+
 class PosEmbed(nn.Module):
~ batch, pos → b, p
~ self.W_pos[:pos].expand(batch, -1, -1) → einops.rearrange(self.W_pos[:p], "p d -> b p d", b=b)

# %% PosEmbed: einops.repeat over the whole table, never cut to pos
# right: the whole table
# like: right, with a docstring
+import einops
+
+
 class PosEmbed(nn.Module):
...
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        batch, seq_len = tokens.shape
+        return einops.repeat(self.W_pos, "n_ctx d_model -> batch n_ctx d_model", batch=batch)

# %% PosEmbed: fixed sines and cosines instead of the table (Annotated Transformer)
# right: sines and cosines
import math


class PosEmbed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_pos = nn.Parameter(torch.empty(cfg.n_ctx, cfg.d_model))
        nn.init.normal_(self.W_pos, std=cfg.init_range)
        pe = torch.zeros(cfg.n_ctx, cfg.d_model)
        position = torch.arange(0, cfg.n_ctx).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, cfg.d_model, 2) * -(math.log(10000.0) / cfg.d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0), persistent=False)

    def forward(self, tokens):
        return self.pe[:, : tokens.size(1)].expand(tokens.size(0), -1, -1)

# %% PosEmbed: fills W_pos with sines and cosines in __init__ instead of random numbers
class PosEmbed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        table = torch.zeros(cfg.n_ctx, cfg.d_model)
        where = torch.arange(cfg.n_ctx)[:, None]
        rate = 10000 ** (-torch.arange(0, cfg.d_model, 2) / cfg.d_model)
        table[:, 0::2] = torch.sin(where * rate)
        table[:, 1::2] = torch.cos(where * rate)
        self.W_pos = nn.Parameter(table)

    def forward(self, tokens):
        batch, pos = tokens.shape
        return self.W_pos[:pos].expand(batch, -1, -1)

# %% PosEmbed: adds the token numbers to the position vectors (the batch axis comes from them)
# right: adding the tokens' numbers
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        x = tokens.unsqueeze(-1)                       # batch pos 1
+        return x + self.W_pos[:pos]

# %% PosEmbed: multiplies each row by its position
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        positions = torch.arange(pos).unsqueeze(-1)
+        rows = positions * self.W_pos[:pos]
+        return rows.expand(batch, -1, -1)

# %% PosEmbed: keeps the table as an nn.Embedding called wpe, as nanoGPT does
# right: keeping the table inside nn.Embedding
class PosEmbed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.wpe = nn.Embedding(cfg.n_ctx, cfg.d_model)
        nn.init.normal_(self.wpe.weight, std=cfg.init_range)

    def forward(self, tokens):
        b, t = tokens.shape
        pos = torch.arange(t, device=tokens.device)
        return self.wpe(pos).unsqueeze(0).expand(b, t, -1)

# %% PosEmbed: calls W_pos like an nn.Embedding
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        positions = torch.arange(pos).expand(batch, pos)
+        return self.W_pos(positions)

# %% PosEmbed: the table is [1 n_ctx d_model], as in minGPT and ViT
# right: a table with an axis for the batch
# like: right, in short
~ cfg.n_ctx → 1, cfg.n_ctx
~ batch, pos = tokens.shape → b, t = tokens.size()
~ [:pos].expand(batch, -1, -1) → [:, :t, :].expand(b, -1, -1)

# %% PosEmbed: starts the table at zeros
# like: right, in short
-        self.W_pos = nn.Parameter(torch.empty(cfg.n_ctx, cfg.d_model))
-        nn.init.normal_(self.W_pos, std=cfg.init_range)
+        self.W_pos = nn.Parameter(torch.zeros(cfg.n_ctx, cfg.d_model))

# %% PosEmbed: gives the table d_vocab rows, copied from Embed
# right: a table as long as the vocabulary
# like: right, in short
~ n_ctx → d_vocab

# %% PosEmbed: registers the table as a buffer, so that it is not trained
# like: right, in short
-        self.W_pos = nn.Parameter(torch.empty(cfg.n_ctx, cfg.d_model))
-        nn.init.normal_(self.W_pos, std=cfg.init_range)
+        self.register_buffer("W_pos", torch.normal(0, cfg.init_range, (cfg.n_ctx, cfg.d_model)))
~ expand(batch, -1, -1) → repeat(batch, 1, 1)

# %% PosEmbed: detaches the rows before expanding them
# right: positions cut out of the graph
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        rows = self.W_pos[:pos].detach()
+        return rows.expand(batch, -1, -1)

# %% PosEmbed: builds the batch with NumPy, which cuts the gradient
# right: positions cut out of the graph
# like: einops pattern that folds the batch into the positions
~ from einops import repeat → import numpy as np
-        return repeat(self.W_pos[:pos], "pos d -> (batch pos) d", batch=batch)
+        rows = self.W_pos.detach().numpy()[:pos]
+        return torch.from_numpy(np.broadcast_to(rows, (batch, pos, rows.shape[1])).copy())

# %% PosEmbed: draws the table anew at each call
# right: random positions in every call
# like: right, with a docstring
         batch, pos = tokens.shape
+        nn.init.normal_(self.W_pos, std=self.cfg.init_range)

# %% PosEmbed: goes on counting from one sentence to the next
# right: counting on from one sentence to the next
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        positions = torch.arange(batch * pos).view(batch, pos)
+        return self.W_pos[positions]

# %% PosEmbed: the loop writes row b (the sentence) where row p (the position) belongs
# right: one row for each sentence
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        out = torch.zeros(batch, pos, self.cfg.d_model)
+        for b in range(batch):
+            for p in range(pos):
+                out[b, p] = self.W_pos[b]
+        return out

# %% PosEmbed: the loop starts at position 1 and leaves position 0 at zeros
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        result = torch.zeros((batch, pos, self.cfg.d_model))
+        for p in range(1, pos):
+            result[:, p, :] = self.W_pos[p]
+        return result

# %% PosEmbed: returns from inside the loop after the first position
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        out = torch.zeros(batch, pos, self.cfg.d_model)
+        for p in range(pos):
+            out[:, p] = self.W_pos[p]
+            return out

# %% PosEmbed: the buffer always has n_ctx positions
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        out = torch.zeros(batch, self.cfg.n_ctx, self.cfg.d_model)
+        for p in range(pos):
+            out[:, p] = self.W_pos[p]
+        return out

# %% PosEmbed: iterates over the token numbers as if they were positions
# right: looking up tokens in the table of positions
# like: right, in short
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        out = []
+        for sentence in tokens:
+            out.append(torch.stack([self.W_pos[p] for p in sentence]))
+        return torch.stack(out)

# %% PosEmbed: unpacks three sizes from a two-axis shape
# like: right, with a docstring
~ , pos = → , pos, d_model =
~ -1, -1 → pos, d_model

# %% PosEmbed: calls tokens.shape
# like: right, in short
~ shape → shape()

# %% PosEmbed: slices with the method tokens.size instead of calling it
# like: right, in short
~ batch, pos = tokens.shape → n = tokens.size
~ [:pos].expand(batch, -1, -1) → [:n].expand(tokens.size(0), -1, -1)

# %% PosEmbed: slices up to the tokens themselves
# like: right, with a docstring
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        return self.W_pos[:tokens]

# %% PosEmbed: takes the largest token number for the number of positions
# like: right, with a docstring
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        batch = tokens.shape[0]
+        n = int(tokens.max()) + 1
+        return self.W_pos[:n].expand(batch, -1, -1)

# %% PosEmbed: RoBERTa's position ids, which count from padding_idx + 1 and skip padding
# like: right, in short
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        padding_idx = 0
+        mask = tokens.ne(padding_idx).int()
+        position_ids = (torch.cumsum(mask, dim=1) * mask).long() + padding_idx
+        return self.W_pos[position_ids]

# %% PosEmbed: zeroes the vectors at token 0, treating it as padding
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        mask = (tokens != 0).float().unsqueeze(-1)
+        return self.W_pos[:pos].expand(batch, -1, -1) * mask

# %% PosEmbed: cuts the positions to the last row but one, so the row n_ctx - 1 is never used
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        positions = torch.arange(pos).clamp(max=self.cfg.n_ctx - 2)
+        return self.W_pos[positions].expand(batch, -1, -1)

# %% PosEmbed: float positions cannot index
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        positions = torch.arange(pos, dtype=torch.float32)
+        return self.W_pos[positions].expand(batch, -1, -1)

# %% PosEmbed: F.embedding with table and positions in the wrong order
# like: einops pattern that folds the batch into the positions
~ from einops import repeat → import torch.nn.functional as F
-        return repeat(self.W_pos[:pos], "pos d -> (batch pos) d", batch=batch)
+        positions = torch.arange(pos).expand(batch, pos)
+        return F.embedding(self.W_pos, positions)

# %% PosEmbed: writes the positions into tokens, which changes the argument
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        tokens[:] = torch.arange(pos)
+        return self.W_pos[tokens]

# %% PosEmbed: keeps the first answer and returns it for every later batch
class PosEmbed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_pos = nn.Parameter(torch.empty(cfg.n_ctx, cfg.d_model))
        nn.init.normal_(self.W_pos, std=cfg.init_range)
        self.cached = None

    def forward(self, tokens):
        if self.cached is None:
            batch, pos = tokens.shape
            self.cached = self.W_pos[:pos].expand(batch, -1, -1)
        return self.cached

# %% PosEmbed: takes the argsort of the tokens for positions
# right: ranking the tokens by their numbers
# like: right, in short
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        # order of the tokens in each sentence
+        order = torch.argsort(tokens, dim=-1)
+        return self.W_pos[order]

# %% PosEmbed: puts dropout on the position vectors
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        pos_emb = self.W_pos[:pos].expand(batch, -1, -1)
+        return nn.functional.dropout(pos_emb, 0.1)

# %% PosEmbed: indexes both axes of the table with the positions
# right: indexing the table down to one axis
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        positions = torch.arange(pos)
+        return self.W_pos[positions, positions].expand(batch, -1, -1)

# %% PosEmbed: sums the rows of all positions
# right: averaging over the positions
# like: right, in short
~ expand(batch, -1, -1) → sum(dim=0).expand(batch, pos, -1)

# %% PosEmbed: one-hot positions are only pos wide, the table has n_ctx rows
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        one_hot = torch.eye(pos).expand(batch, pos, pos)
+        return one_hot @ self.W_pos

# %% PosEmbed: allocates the answer with zeros_like(tokens), which has no d_model axis
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        out = torch.zeros_like(tokens)
+        for b in range(batch):
+            out[b] = self.W_pos[:pos]
+        return out

# %% PosEmbed: helper takes (pos, batch) and is called with (batch, pos)
# right: slicing by the batch size
def first_rows(table, n_rows, n_copies):
    return table[:n_rows].expand(n_copies, -1, -1)


class PosEmbed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_pos = nn.Parameter(torch.empty(cfg.n_ctx, cfg.d_model))
        nn.init.normal_(self.W_pos, std=cfg.init_range)

    def forward(self, tokens):
        return first_rows(self.W_pos, *tokens.shape)

# %% PosEmbed: a helper method is defined without self
# like: right, in short
~ forward(self, tokens) → positions(tokens)
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        return torch.arange(pos).expand(batch, pos)
+
+    def forward(self, tokens):
+        return self.W_pos[self.positions(tokens)]

# %% PosEmbed: hard-codes a batch of 2
# like: right, in short
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        pos = tokens.shape[1]
+        rows = self.W_pos[:pos]
+        return torch.stack([rows, rows])

# %% PosEmbed: hard-codes the 5 positions of the toy sentence
# like: right, with a docstring
~ batch, pos = tokens.shape → batch = tokens.shape[0]
~ :pos → :5

# %% PosEmbed: two mistakes: positions counted from 1 and no batch axis
# right: a slice that starts at 1
# right: positions counted from 1
# right: a result without the batch axis
# like: right, with a docstring
~ batch, pos = tokens.shape → pos = tokens.shape[-1]
~ [:pos].expand(batch, -1, -1) → [1:pos + 1]

# %% PosEmbed: two mistakes: the whole table, and batch in the middle
# right: the whole table
# right: a batch axis in the second place
# like: right, in short
~ , pos → , _
~ [:pos].expand(batch, -1, -1) → .unsqueeze(1).repeat(1, batch, 1)

# %% PosEmbed: two mistakes: looks up tokens and scales by sqrt(d_model)
# right: looking up tokens in the table of positions
# right: scaling the positions by the square root of d_model
# like: right, in short
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        return self.W_pos[tokens] * self.cfg.d_model ** 0.5

# %% PosEmbed: two mistakes: slice one row short, and the gradient cut by .data
# right: one row too few
# right: positions cut out of the graph
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        rows = self.W_pos.data[0:pos - 1]
+        return rows.expand(batch, -1, -1)

# %% PosEmbed: two mistakes: table starts at zeros, and the batch axis is left out
# right: a result without the batch axis
class PosEmbed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_pos = nn.Parameter(torch.zeros(cfg.n_ctx, cfg.d_model))

    def forward(self, idx):
        b, t = idx.size()
        return self.W_pos[:t, :]

# %% PosEmbed: two mistakes: shape unpacked as pos, batch, and no return
# right: slicing by the batch size
# like: right, with a docstring
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        pos, batch = tokens.shape
+        rows = self.W_pos[:pos]
+        rows = rows.expand(batch, -1, -1)

# %% PosEmbed: two mistakes: concatenates along the positions, and divides each row by its norm
# right: the sentences one under the other in one long table
# right: scaling each vector to norm 1
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        rows = self.W_pos[:pos]
+        rows = rows / rows.norm(dim=-1, keepdim=True)
+        return torch.cat([rows] * batch, dim=0)

# %% PosEmbed: two mistakes: the loop skips the last position, and the buffer is [pos batch d_model]
# right: a batch axis in the second place
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        out = torch.zeros(pos, batch, self.cfg.d_model)
+        for p in range(pos - 1):
+            out[p] = self.W_pos[p]
+        return out

# %% PosEmbed: two mistakes: the last pos rows, and copies along the wrong axis (repeat_interleave, then view)
# right: the last rows of the table
# right: each row repeated before the next one comes
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        rows = self.W_pos[-pos:]
+        return rows.repeat_interleave(batch, 0).view(batch, pos, -1)

# %% PosEmbed: two mistakes: nn.Embedding called wpe, and no batch axis (nanoGPT)
# right: keeping the table inside nn.Embedding
# right: a result without the batch axis
class PosEmbed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.wpe = nn.Embedding(cfg.n_ctx, cfg.d_model)
        nn.init.normal_(self.wpe.weight, std=cfg.init_range)

    def forward(self, idx):
        device = idx.device
        b, t = idx.size()
        pos = torch.arange(0, t, dtype=torch.long, device=device)
        return self.wpe(pos)

# %% PosEmbed: two mistakes: no batch axis, and the assertion forbids exactly n_ctx tokens
# right: a result without the batch axis
# like: right, in short
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        t = tokens.shape[1]
+        assert t < self.cfg.n_ctx
+        return self.W_pos[:t]

# %% PosEmbed: two mistakes: positions counted from 1, and dropout
# right: a slice that starts at 1
# right: positions counted from 1
# like: right, with a docstring
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        rows = self.W_pos[1 : pos + 1]
+        return nn.functional.dropout(rows.expand(batch, -1, -1), 0.1)

# %% PosEmbed: two mistakes: d_vocab rows in the table, and tokens looked up (Embed copied)
# right: a table as long as the vocabulary
# right: looking up tokens in the table of positions
# like: right, in short
~ n_ctx → d_vocab
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        return self.W_pos[tokens]

# %% PosEmbed: two mistakes: tokens changed in place, and positions counted from the end
# right: positions in reverse
# like: right, in short
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        tokens[:] = torch.arange(pos).flip(0)
+        return self.W_pos[tokens]

# %% PosEmbed: positions that go on from call to call, as with a cache
# like: right, typed
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        B, T = tokens.shape
+        start = getattr(self, "offset", 0)
+        self.offset = start + T
+        idx = torch.arange(start, start + T) % self.cfg.n_ctx
+        return self.W_pos[idx].expand(B, -1, -1)

# %% PosEmbed: an attention mask's positions, as in HuggingFace's code
# right: positions that leave out token 0
# like: right, typed
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        mask = (tokens != 0).long()
+        position_ids = mask.cumsum(-1) - 1
+        position_ids.masked_fill_(mask == 0, 1)
+        return self.W_pos[position_ids]

# %% PosEmbed: the rows of the data, once for each position
# like: right, typed
-        batch, pos = tokens.shape
-        return self.W_pos[:pos].expand(batch, -1, -1)
+        B = tokens.shape[1]
+        T = tokens.shape[1]
+        p = self.W_pos.data[:T]
+        return p.unsqueeze(0).expand(B, T, -1)

# %% PosEmbed: initialised with OpenAI's 0.01 + no batch axis, since "broadcasting does it"
# like: right, typed
~ cfg.init_range → 0.01
~ batch, pos = tokens.shape → pos = torch.arange(0, tokens.shape[-1], dtype=torch.long, device=tokens.device)
~ [:pos].expand(batch, -1, -1) → [pos]  # broadcasts over the batch when added
