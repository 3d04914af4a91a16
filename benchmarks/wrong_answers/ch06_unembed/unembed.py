"""Wrong answers to chapter 6's `Unembed`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, typed
class Unembed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_U = nn.Parameter(torch.empty(cfg.d_model, cfg.d_vocab))
        self.b_U = nn.Parameter(torch.zeros(cfg.d_vocab), requires_grad=False)
        nn.init.normal_(self.W_U, std=cfg.init_range)

    def forward(self, normalized_resid_final: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_vocab"]:
        return normalized_resid_final @ self.W_U + self.b_U

# %% base: right, with a docstring
class Unembed(nn.Module):
    """Score every token of the vocabulary against each residual vector."""

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_U = nn.Parameter(torch.empty(cfg.d_model, cfg.d_vocab))
        self.b_U = nn.Parameter(torch.zeros(cfg.d_vocab), requires_grad=False)
        nn.init.normal_(self.W_U, std=cfg.init_range)

    def forward(self, normalized_resid_final: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_vocab"]:
        return normalized_resid_final @ self.W_U + self.b_U

# %% base: right, with an import, typed
import torch.nn.functional as F


class Unembed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_U = nn.Parameter(torch.empty(cfg.d_model, cfg.d_vocab))
        self.b_U = nn.Parameter(torch.zeros(cfg.d_vocab), requires_grad=False)
        nn.init.normal_(self.W_U, std=cfg.init_range)

    def forward(self, normalized_resid_final: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_vocab"]:
        return normalized_resid_final @ self.W_U + self.b_U

# %% Unembed: b_U is not added
# right: leaving out `b_U`
# like: right, typed
~ W_U + self.b_U → W_U

# %% Unembed: W_U transposed
# right: a product with `W_U` transposed
# like: right, typed
~ W_U + → W_U.T +

# %% Unembed: softmax at the end
# right: probabilities in place of logits
# like: right, typed
-        return normalized_resid_final @ self.W_U + self.b_U
+        return (normalized_resid_final @ self.W_U + self.b_U).softmax(dim=-1)

# %% Unembed: log_softmax at the end
# right: log-probabilities in place of logits
# like: right, with an import, typed
-        return normalized_resid_final @ self.W_U + self.b_U
+        logits = normalized_resid_final @ self.W_U + self.b_U
+        return F.log_softmax(logits, dim=-1)

# %% Unembed: argmax at the end
# right: the likeliest token in place of its scores
# like: right, typed
-        return normalized_resid_final @ self.W_U + self.b_U
+        return (normalized_resid_final @ self.W_U + self.b_U).argmax(dim=-1)

# %% Unembed: W_U as [d_vocab d_model]
# like: right, typed
~ d_model, cfg.d_vocab → d_vocab, cfg.d_model
~ W_U + → W_U.T +

# %% Unembed: b_U is trained
# right: a `b_U` that learns
# like: right, typed
~ , requires_grad=False →

# %% Unembed: the last position only, as in nanoGPT's generation
# right: scores for the last position alone
# like: right, typed
~ normalized_resid_final @ → normalized_resid_final[:, [-1], :] @

# %% Unembed: normalises once more
# right: normalising once more
# like: right, with an import, typed
     def forward(self, normalized_resid_final: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_vocab"]:
+        normalized_resid_final = F.layer_norm(normalized_resid_final, (self.cfg.d_model,), eps=self.cfg.layer_norm_eps)

# %% Unembed: divided by the root of d_model
# right: dividing by the square root of d_model
# like: right, typed
~ W_U + → W_U / self.cfg.d_model**0.5 +

# %% Unembed: logits centred, as some tools do
# right: logits with their mean subtracted
# like: right, typed
-        return normalized_resid_final @ self.W_U + self.b_U
+        logits = normalized_resid_final @ self.W_U + self.b_U
+        return logits - logits.mean(dim=-1, keepdim=True)

# %% Unembed: nn.Linear head
# right: keeping the matrix inside nn.Linear
class Unembed(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.lm_head = nn.Linear(cfg.d_model, cfg.d_vocab, bias=False)
        nn.init.normal_(self.lm_head.weight, std=cfg.init_range)

    def forward(self, normalized_resid_final: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_vocab"]:
        return self.lm_head(normalized_resid_final)

# %% Unembed: init of 1
# right: a `W_U` drawn with standard deviation 1
# like: right, typed
~ cfg.init_range → 1.0

# %% Unembed: b_U at random
# right: a `b_U` that starts with random numbers
# like: right, typed
~ zeros(cfg.d_vocab) → randn(cfg.d_vocab) * cfg.init_range

# %% Unembed: axes for F.cross_entropy: [batch d_vocab pos]
# right: d_vocab in the middle
# like: right, typed
-        return normalized_resid_final @ self.W_U + self.b_U
+        logits = normalized_resid_final @ self.W_U + self.b_U
+        return logits.transpose(1, 2)

# %% Unembed: flattened as in Karpathy's lecture
# like: right, typed
-        return normalized_resid_final @ self.W_U + self.b_U
+        logits = normalized_resid_final @ self.W_U + self.b_U
+        B, T, C = logits.shape
+        return logits.view(B * T, C)

# %% Unembed: drops the last position
# right: scores for all positions but the last
# like: right, typed
-        return normalized_resid_final @ self.W_U + self.b_U
+        logits = normalized_resid_final @ self.W_U + self.b_U
+        return logits[:, :-1]

# %% Unembed: no return
# like: right, typed
~ return → logits =

# %% Unembed: under no_grad
# right: logits cut out of the graph
# like: right, typed
-        return normalized_resid_final @ self.W_U + self.b_U
+        with torch.no_grad():
+            logits = normalized_resid_final @ self.W_U + self.b_U
+        return logits

# %% Unembed: b_U multiplied
# right: multiplying by `b_U` instead of adding it
# like: right, typed
~ W_U + → W_U *

# %% Unembed: b_U taken away
# right: subtracting `b_U`
# like: right, typed
~ W_U + → W_U -

# %% Unembed: softcap of Gemma
# right: soft-capped logits
# like: right, typed
-        return normalized_resid_final @ self.W_U + self.b_U
+        logits = normalized_resid_final @ self.W_U + self.b_U
+        return 30.0 * torch.tanh(logits / 30.0)

# %% Unembed: relu at the end
# right: an activation function on the logits
# like: right, typed
~ normalized_resid_final @ self.W_U + self.b_U → torch.relu(normalized_resid_final @ self.W_U + self.b_U)

# %% Unembed: b_U left out of the class
# right: having no parameter `b_U`
# like: right, typed
-        self.b_U = nn.Parameter(torch.zeros(cfg.d_vocab), requires_grad=False)
~ W_U + self.b_U → W_U

# %% Unembed: dropout before
# like: right, with an import, typed
~ normalized_resid_final @ → F.dropout(normalized_resid_final, 0.1) @

# %% Unembed: adds in place to the input
# right: changing `normalized_resid_final` in place
# like: right, typed
     def forward(self, normalized_resid_final: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_vocab"]:
+        normalized_resid_final -= normalized_resid_final.mean(dim=-1, keepdim=True)

# %% Unembed: einsum sums over the positions
# right: one vector for the whole text
# like: right, typed
~ normalized_resid_final @ self.W_U → torch.einsum('bpd,dv->bv', normalized_resid_final, self.W_U)

# %% Unembed: weights detached
# right: a `W_U` cut out of the graph
# like: right, typed
~ W_U + → W_U.detach() +

# %% Unembed: W_U on the left
# right: the product in the wrong order
# like: right, typed
~ normalized_resid_final @ self.W_U → self.W_U @ normalized_resid_final

# %% Unembed: elementwise product
# right: the stream lined up with d_vocab numbers before the product
# like: right, typed
~ @ self → * self

# %% Unembed: F.linear without the transpose
# right: a product with `W_U` transposed
# like: right, with an import, typed
~ normalized_resid_final @ self.W_U + self.b_U → F.linear(normalized_resid_final, self.W_U, self.b_U)

# %% Unembed: F.linear with a reshape
# right: a `W_U` reshaped where a transpose is meant
# like: right, with an import, typed
-        return normalized_resid_final @ self.W_U + self.b_U
+        return F.linear(normalized_resid_final, self.W_U.view(self.cfg.d_vocab, self.cfg.d_model), self.b_U)

# %% Unembed: cosine similarity
# right: cosines in place of products
# like: right, with an import, typed
-        return normalized_resid_final @ self.W_U + self.b_U
+        return F.normalize(normalized_resid_final, dim=-1) @ F.normalize(self.W_U, dim=0) + self.b_U

# %% Unembed: vocabulary padded to a multiple of 64
# right: a vocabulary rounded up
# like: right, typed
-        self.W_U = nn.Parameter(torch.empty(cfg.d_model, cfg.d_vocab))
-        self.b_U = nn.Parameter(torch.zeros(cfg.d_vocab), requires_grad=False)
+        d_vocab = (cfg.d_vocab + 63) // 64 * 64
+        self.W_U = nn.Parameter(torch.empty(cfg.d_model, d_vocab))
+        self.b_U = nn.Parameter(torch.zeros(d_vocab), requires_grad=False)

# %% Unembed: GPT-2's 50257 written out
# like: right, typed
~ , cfg.d_vocab → , 50257
~ (cfg.d_vocab) → (50257)

# %% Unembed: the largest logit taken off
# right: logits with their largest subtracted
# like: right, typed
-        return normalized_resid_final @ self.W_U + self.b_U
+        logits = normalized_resid_final @ self.W_U + self.b_U
+        return logits - logits.max(dim=-1, keepdim=True).values

# %% Unembed: nanoGPT's pair
# like: right, typed
-        return normalized_resid_final @ self.W_U + self.b_U
+        logits = normalized_resid_final @ self.W_U + self.b_U
+        loss = None
+        return logits, loss

# %% Unembed: HuggingFace's dict
# like: right, typed
~ normalized_resid_final @ self.W_U + self.b_U → {'logits': normalized_resid_final @ self.W_U + self.b_U}

# %% Unembed: the first sentence only
# like: right, typed
~ normalized_resid_final @ → normalized_resid_final[0] @

# %% Unembed: squeeze
# like: right, typed
~ normalized_resid_final @ self.W_U + self.b_U → (normalized_resid_final @ self.W_U + self.b_U).squeeze()

# %% Unembed: sigmoid
# right: a sigmoid on each logit
# like: right, typed
~ normalized_resid_final @ self.W_U + self.b_U → torch.sigmoid(normalized_resid_final @ self.W_U + self.b_U)

# %% Unembed: half precision
# right: working in half precision
# like: right, typed
~ normalized_resid_final @ self.W_U → (normalized_resid_final.half() @ self.W_U.half()).float()

# %% Unembed: bias before the product
# right: the stream lined up with d_vocab numbers before the product
# like: right, typed
~ normalized_resid_final @ self.W_U + self.b_U → (normalized_resid_final + self.b_U) @ self.W_U

# %% Unembed: a ln_final of its own
# right: normalising once more
# like: right, typed
         self.cfg = cfg
+        self.ln = nn.LayerNorm(cfg.d_model)
~ normalized_resid_final @ → self.ln(normalized_resid_final) @

# %% Unembed: W_U frozen too
# right: a `W_U` cut out of the graph
# like: right, typed
~ (cfg.d_model, cfg.d_vocab) → (cfg.d_model, cfg.d_vocab), requires_grad=False

# %% Unembed: b_U of ones
# like: right, typed
~ zeros → ones

# %% Unembed: b_U a buffer
# right: having no parameter `b_U`
# like: right, typed
-        self.b_U = nn.Parameter(torch.zeros(cfg.d_vocab), requires_grad=False)
+        self.register_buffer('b_U', torch.zeros(cfg.d_vocab))

# %% Unembed: sum of b_U
# like: right, typed
~ + self.b_U → + self.b_U.sum()

# %% Unembed: shifted by one position
# like: right, typed
-        return normalized_resid_final @ self.W_U + self.b_U
+        logits = normalized_resid_final @ self.W_U + self.b_U
+        return logits.roll(1, dims=1)

# %% Unembed: takes the embedding for tying
# like: right, typed
-        self.W_U = nn.Parameter(torch.empty(cfg.d_model, cfg.d_vocab))
+        self.W_E = nn.Parameter(torch.empty(cfg.d_vocab, cfg.d_model))
~ W_U, std → W_E, std
~ W_U + → W_E.T +

# %% Unembed: init kaiming
# like: right, typed
~ normal_(self.W_U, std=cfg.init_range) → kaiming_uniform_(self.W_U)

# %% Unembed: a temperature
# like: right, typed
~ normalized_resid_final @ self.W_U + self.b_U → (normalized_resid_final @ self.W_U + self.b_U) / 0.7

# %% Unembed: W_U without init
# like: right, typed
-        nn.init.normal_(self.W_U, std=cfg.init_range)

# %% Unembed: bfloat16 inside
# right: working in half precision
# like: right, with a docstring
-        return normalized_resid_final @ self.W_U + self.b_U
+        return (normalized_resid_final.bfloat16() @ self.W_U.bfloat16() + self.b_U).float()

# %% Unembed: sorted scores
# right: scores in order of size
# like: right, with a docstring
-        return normalized_resid_final @ self.W_U + self.b_U
+        logits = normalized_resid_final @ self.W_U + self.b_U
+        return logits.sort(dim=-1, descending=True).values

# %% Unembed: an einsum whose letters do not meet
# right: an einsum that names d_model by two letters
# like: right, with a docstring
~ normalized_resid_final @ self.W_U → torch.einsum("bpd,ev->bpv", normalized_resid_final, self.W_U)

# %% Unembed: squared distances to columns
# right: distances in place of products
# like: right, with a docstring
~ normalized_resid_final @ self.W_U → -((normalized_resid_final[..., None] - self.W_U) ** 2).sum(-2)

# %% Unembed: logits of mean 0 and spread 1
# right: logits brought to a fixed size
# like: right, with a docstring
-        return normalized_resid_final @ self.W_U + self.b_U
+        logits = normalized_resid_final @ self.W_U + self.b_U
+        return (logits - logits.mean(-1, keepdim=True)) / logits.std(-1, keepdim=True)

# %% Unembed: logits of norm 1
# right: logits brought to a fixed size
# like: right, with a docstring
-        return normalized_resid_final @ self.W_U + self.b_U
+        logits = normalized_resid_final @ self.W_U + self.b_U
+        return logits / logits.norm(dim=-1, keepdim=True)

# %% Unembed: W_U transposed, on the left
# right: the product in the wrong order
# like: right, with a docstring
~ normalized_resid_final @ self.W_U → self.W_U.T @ normalized_resid_final

# %% Unembed: W_U indexed by the stream
# right: looking rows up instead of multiplying
# like: right, typed
-    def forward(self, normalized_resid_final: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_vocab"]:
-        return normalized_resid_final @ self.W_U + self.b_U
+    def forward(self, x):
+        return self.W_U[x] + self.b_U

# %% Unembed: a loop that keeps its last position
# right: scores for the last position alone
# like: right, typed
-    def forward(self, normalized_resid_final: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_vocab"]:
-        return normalized_resid_final @ self.W_U + self.b_U
+    def forward(self, x):
+        for p in range(x.shape[1]):
+            out = x[:, p] @ self.W_U + self.b_U
+        return out

# %% Unembed: normalised once more, by hand
# right: normalising once more
# like: right, typed
-    def forward(self, normalized_resid_final: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_vocab"]:
-        return normalized_resid_final @ self.W_U + self.b_U
+    def forward(self, normalized_resid_final):
+        x = normalized_resid_final
+        x = (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True)
+        return x @ self.W_U + self.b_U

# %% Unembed: log_softmax, and b_U forgotten
# right: log-probabilities in place of logits
# like: right, typed
-    def forward(self, normalized_resid_final: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_vocab"]:
-        return normalized_resid_final @ self.W_U + self.b_U
+    def forward(self, normalized_resid_final):
+        return (normalized_resid_final @ self.W_U).log_softmax(-1)

# %% Unembed: named weight and bias
class Unembed(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(cfg.d_model, cfg.d_vocab) * cfg.init_range)
        self.bias = nn.Parameter(torch.zeros(cfg.d_vocab), requires_grad=False)

    def forward(self, x):
        return x @ self.weight + self.bias

# %% Unembed: makes W_U [d_vocab d_model], like W_E, so that F.linear fits
# like: right, typed
~ d_model, cfg.d_vocab → d_vocab, cfg.d_model
-    def forward(self, normalized_resid_final: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_vocab"]:
-        return normalized_resid_final @ self.W_U + self.b_U
+    def forward(self, normalized_resid_final):
+        return nn.functional.linear(normalized_resid_final, self.W_U, self.b_U)
