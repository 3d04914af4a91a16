"""Wrong answers to chapter 12's `SwiGLU`, whole or as edits: benchmarks/answers.py says how."""

# %% base: three lines
class SwiGLU(nn.Module):
    def __init__(self, cfg: ModernConfig):
        super().__init__()
        self.cfg = cfg
        self.W_gate = nn.Parameter(torch.empty(cfg.d_model, cfg.d_mlp))
        self.W_in = nn.Parameter(torch.empty(cfg.d_model, cfg.d_mlp))
        self.W_out = nn.Parameter(torch.empty(cfg.d_mlp, cfg.d_model))
        for weight in self.parameters():
            nn.init.normal_(weight, std=cfg.init_range)

    def forward(self, x):
        gate = x @ self.W_gate
        up = x @ self.W_in
        return (F.silu(gate) * up) @ self.W_out

# %% SwiGLU: gate and linear half swapped
# right: gate and linear half swapped: SiLU of what `W_in` reads
# like: three lines
~ F.silu(gate) * up → gate * F.silu(up)

# %% SwiGLU: SiLU on the wrong matrix, in the solution's words
# right: gate and linear half swapped: SiLU of what `W_in` reads
# like: the solution
~ gate = F.silu(normalized_resid_mid @ self.W_gate) → gate = F.silu(normalized_resid_mid @ self.W_in)
~ (gate * (normalized_resid_mid @ self.W_in)) → (gate * (normalized_resid_mid @ self.W_gate))

# %% SwiGLU: a sigmoid, as in GLU
# right: a sigmoid where SiLU belongs (that is GLU)
# like: three lines
~ F.silu(gate) → torch.sigmoid(gate)

# %% SwiGLU: GELU, as in GEGLU
# right: GELU in the gate (that is GEGLU)
# like: three lines
~ F.silu → F.gelu

# %% SwiGLU: GPT-2's GELU
# right: GELU in the gate (that is GEGLU)
# like: three lines
~ F.silu(gate) → F.gelu(gate, approximate="tanh")

# %% SwiGLU: ReLU
# right: ReLU in the gate (that is ReGLU)
# like: three lines
~ F.silu → F.relu

# %% SwiGLU: SiLU on both
# right: SiLU on both halves
# like: three lines
~ * up → * F.silu(up)

# %% SwiGLU: SiLU after the product
# right: SiLU after the product of the two
# like: three lines
~ F.silu(gate) * up → F.silu(gate * up)

# %% SwiGLU: adds the two
# right: adding the two instead of multiplying them
# like: three lines
~ (gate) * up → (gate) + up

# %% SwiGLU: no SiLU
# right: no SiLU at all
# like: three lines
~ F.silu(gate) → gate

# %% SwiGLU: no gate
# right: an MLP without a gate
# like: three lines
~ (F.silu(gate) * up) → F.silu(up)

# %% SwiGLU: the gate alone
# right: the gate alone, without what it is for
# like: three lines
~ (F.silu(gate) * up) → F.silu(gate)

# %% SwiGLU: W_gate for both
# right: `W_gate` read twice, and `W_in` never
# like: three lines
~ up = x @ self.W_in → up = x @ self.W_gate

# %% SwiGLU: W_in for both
# right: `W_in` read twice, and `W_gate` never
# like: three lines
~ gate = x @ self.W_gate → gate = x @ self.W_in

# %% SwiGLU: W_out turned round
# right: `W_out` turned round
# like: three lines
~ @ self.W_out → @ self.W_out.T

# %% SwiGLU: forgets W_out
# right: `W_out` left out
# like: three lines
~  @ self.W_out →

# %% SwiGLU: W_out before the product
# right: a product with `W_out` before the gate
# like: three lines
~ (F.silu(gate) * up) @ self.W_out → F.silu(gate) * (up @ self.W_out)

# %% SwiGLU: one bracket short, so that the gate multiplies what comes in
# right: the gate on what came in
# like: three lines
-        gate = x @ self.W_gate
-        up = x @ self.W_in
-        return (F.silu(gate) * up) @ self.W_out
+        return F.silu(x @ self.W_gate) * x @ self.W_in @ self.W_out

# %% SwiGLU: adds the input back
# right: adding the input back
# like: three lines
~ return (F → return x + (F

# %% SwiGLU: biases as in GPT-2
# right: biases that SwiGLU does not have
# like: three lines
-        for weight in self.parameters():
-            nn.init.normal_(weight, std=cfg.init_range)
+        for weight in self.parameters():
+            nn.init.normal_(weight, std=cfg.init_range)
+        self.b_in = nn.Parameter(torch.zeros(cfg.d_mlp))
+        self.b_out = nn.Parameter(torch.zeros(cfg.d_model))
~ up = x @ self.W_in → up = x @ self.W_in + self.b_in
~ * up) @ self.W_out → * up) @ self.W_out + self.b_out

# %% SwiGLU: Llama's modules and names
# right: Llama's names for the matrices
class SwiGLU(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.gate_proj = nn.Linear(cfg.d_model, cfg.d_mlp, bias=False)
        self.up_proj = nn.Linear(cfg.d_model, cfg.d_mlp, bias=False)
        self.down_proj = nn.Linear(cfg.d_mlp, cfg.d_model, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))

# %% SwiGLU: softmax in the gate
# right: softmax in the gate
# like: three lines
~ F.silu(gate) → gate.softmax(dim=-1)

# %% SwiGLU: exp(x) / (1 + exp(x)) by hand
# right: SiLU as x · exp(x) / (1 + exp(x))
# like: three lines
~ F.silu(gate) → gate * gate.exp() / (1 + gate.exp())

# %% SwiGLU: F.linear without .T
# right: `F.linear` with the matrices as they are
# like: three lines
-        gate = x @ self.W_gate
-        up = x @ self.W_in
-        return (F.silu(gate) * up) @ self.W_out
+        return F.linear(F.silu(F.linear(x, self.W_gate)) * F.linear(x, self.W_in), self.W_out)

# %% SwiGLU: Llama's line as it is pasted
# right: Llama's modules in `forward`
# like: three lines
-        gate = x @ self.W_gate
-        up = x @ self.W_in
-        return (F.silu(gate) * up) @ self.W_out
+        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))

# %% SwiGLU: nn.Linear under the names of the matrices
# right: an nn.Linear in the place of each matrix
class SwiGLU(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_gate = nn.Linear(cfg.d_model, cfg.d_mlp, bias=False)
        self.W_in = nn.Linear(cfg.d_model, cfg.d_mlp, bias=False)
        self.W_out = nn.Linear(cfg.d_mlp, cfg.d_model, bias=False)

    def forward(self, x):
        return self.W_out(F.silu(self.W_gate(x)) * self.W_in(x))
