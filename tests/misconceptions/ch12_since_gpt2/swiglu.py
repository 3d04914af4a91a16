"""How `SwiGLU` goes wrong."""

import einops
import torch
import torch.nn.functional as F
from torch import nn

from tests.ch12_since_gpt2 import swiglu as exercise

# Right answers that look different.


@exercise.correct
def by_linear(self, normalized_resid_mid):
    gate_pre = F.linear(normalized_resid_mid, self.W_gate.T)
    return F.linear(F.silu(gate_pre) * F.linear(normalized_resid_mid, self.W_in.T), self.W_out.T)


@exercise.correct
def by_einsum(self, normalized_resid_mid):
    gate_pre = torch.einsum("bpm,mh->bph", normalized_resid_mid, self.W_gate)
    linear = einops.einsum(normalized_resid_mid, self.W_in, "batch pos d_model, d_model d_mlp -> batch pos d_mlp")
    return torch.einsum("bph,bph,hm->bpm", linear, gate_pre * gate_pre.sigmoid(), self.W_out)


@exercise.correct
def one_product_for_both(self, normalized_resid_mid):
    gate, linear = (normalized_resid_mid @ torch.cat([self.W_gate, self.W_in], dim=1)).chunk(2, dim=-1)
    return (linear * gate / (1 + torch.exp(-gate.double())).float()) @ self.W_out


@exercise.correct
def as_rows(self, normalized_resid_mid):
    rows = normalized_resid_mid.flatten(0, 1)
    hidden = torch.nn.SiLU()(rows.mm(self.W_gate)).mul(rows.mm(self.W_in))
    return hidden.mm(self.W_out).view_as(normalized_resid_mid)


@exercise.correct
def neuron_by_neuron(self, normalized_resid_mid):
    answer = torch.zeros_like(normalized_resid_mid)
    for gate_key, key, value in zip(self.W_gate.T, self.W_in.T, self.W_out, strict=True):
        post = F.silu(normalized_resid_mid @ gate_key) * (normalized_resid_mid @ key)
        answer = answer + post[..., None] * value
    return answer


# Which matrix does what.

exercise.misconception(
    "gate and linear half swapped: SiLU of what `W_in` reads",
    "SiLU belongs to the product with `W_gate` (`gate_proj`, Meta's `w1`); what `W_in` reads (`up_proj`, `w3`) stays "
    "as it is.",
    (
        "normalized_resid_mid @ self.W_gate → normalized_resid_mid @ self.W_in",
        "(gate * (normalized_resid_mid @ self.W_in)) → (gate * (normalized_resid_mid @ self.W_gate))",
    ),
)
exercise.misconception(
    "`W_gate` read twice, and `W_in` never",
    "The gate multiplies what `W_in` reads: `normalized_resid_mid @ self.W_in`.",
    "(gate * (normalized_resid_mid @ self.W_in)) → (gate * (normalized_resid_mid @ self.W_gate))",
)
exercise.misconception(
    "`W_in` read twice, and `W_gate` never",
    "The gate is made of `normalized_resid_mid @ self.W_gate`.",
    "normalized_resid_mid @ self.W_gate → normalized_resid_mid @ self.W_in",
)
exercise.misconception(
    "a gate on the vector after `W_out`",
    "The gate has `d_mlp` numbers, one for each neuron: multiply by it before `W_out`.",
    lambda self, normalized_resid_mid: (
        F.silu(normalized_resid_mid @ self.W_gate) @ self.W_out * ((normalized_resid_mid @ self.W_in) @ self.W_out)
    ),
)
exercise.misconception(
    "an MLP without a gate",
    "That is GPT-2's MLP with SiLU. Multiply what `W_in` reads by the SiLU of what `W_gate` reads.",
    lambda self, normalized_resid_mid: F.silu(normalized_resid_mid @ self.W_in) @ self.W_out,
    lambda self, normalized_resid_mid: F.gelu(normalized_resid_mid @ self.W_in) @ self.W_out,
    lambda self, normalized_resid_mid: F.gelu(normalized_resid_mid @ self.W_in, approximate="tanh") @ self.W_out,
)
exercise.misconception(
    "the gate alone, without what it is for",
    "Multiply it by `normalized_resid_mid @ self.W_in`, number by number, before `W_out`.",
    "(gate * (normalized_resid_mid @ self.W_in)) → gate",
)
exercise.misconception(
    "no SiLU at all",
    "Without it the product is Shazeer's *bilinear* layer. Apply `F.silu` to `normalized_resid_mid @ self.W_gate`.",
    "F.silu(normalized_resid_mid @ self.W_gate) → normalized_resid_mid @ self.W_gate",
)

# Where the activation stands.

exercise.misconception(
    "SiLU on both halves",
    "Only the gate is bent: what `W_in` reads is multiplied as it is.",
    "(gate * (normalized_resid_mid @ self.W_in)) → (gate * F.silu(normalized_resid_mid @ self.W_in))",
)
exercise.misconception(
    "SiLU after the product of the two",
    "SiLU comes first, on what `W_gate` reads; then the product.",
    (
        "F.silu(normalized_resid_mid @ self.W_gate) → normalized_resid_mid @ self.W_gate",
        "(gate * (normalized_resid_mid @ self.W_in)) → F.silu(gate * (normalized_resid_mid @ self.W_in))",
    ),
)
exercise.misconception(
    "SiLU once more after the product",
    "One SiLU, on the gate, is enough: the product goes to `W_out` as it is.",
    "(gate * (normalized_resid_mid @ self.W_in)) → F.silu(gate * (normalized_resid_mid @ self.W_in))",
)
exercise.misconception(
    "SiLU before `W_gate`",
    "First the product with `W_gate`, then SiLU.",
    "F.silu(normalized_resid_mid @ self.W_gate) → F.silu(normalized_resid_mid) @ self.W_gate",
)
exercise.misconception(
    "SiLU on the answer",
    "What `W_out` writes is returned as it is; SiLU belongs to the gate.",
    (
        "F.silu(normalized_resid_mid @ self.W_gate) → normalized_resid_mid @ self.W_gate",
        "return (gate * (normalized_resid_mid @ self.W_in)) @ self.W_out → "
        "return F.silu((gate * (normalized_resid_mid @ self.W_in)) @ self.W_out)",
    ),
    "return (gate * (normalized_resid_mid @ self.W_in)) @ self.W_out → "
    "return F.silu((gate * (normalized_resid_mid @ self.W_in)) @ self.W_out)",
)

# Another activation.

exercise.misconception(
    "a sigmoid where SiLU belongs (that is GLU)",
    "SiLU is x times its sigmoid. The gate is `F.silu(pre)`, which is `pre * pre.sigmoid()`.",
    "F.silu → torch.sigmoid",
)
exercise.misconception(
    "GELU in the gate (that is GEGLU)",
    "Gemma's gate is that. SwiGLU's is SiLU, x times its sigmoid: `F.silu`.",
    "F.silu → F.gelu",
    "F.silu(normalized_resid_mid @ self.W_gate) → F.gelu(normalized_resid_mid @ self.W_gate, approximate='tanh')",
)
exercise.misconception(
    "ReLU in the gate (that is ReGLU)",
    "ReLU cuts off what is negative; SiLU lets a little of it pass: `F.silu`.",
    "F.silu → F.relu",
)
exercise.misconception(
    "a bend that is not SiLU, and on the wrong half",
    "Apply `F.silu` to the product with `W_gate`, and leave what `W_in` reads as it is.",
    lambda self, normalized_resid_mid: (
        (normalized_resid_mid @ self.W_gate) * torch.sigmoid(normalized_resid_mid @ self.W_in) @ self.W_out
    ),
    lambda self, normalized_resid_mid: (
        (normalized_resid_mid @ self.W_gate) * F.gelu(normalized_resid_mid @ self.W_in) @ self.W_out
    ),
    lambda self, normalized_resid_mid: (
        (normalized_resid_mid @ self.W_gate) * F.relu(normalized_resid_mid @ self.W_in) @ self.W_out
    ),
)
exercise.misconception(
    "a sigmoid on what `W_in` reads",
    "Only the gate is bent, by `F.silu`: what `W_in` reads is multiplied as it is.",
    "(gate * (normalized_resid_mid @ self.W_in)) → (gate * torch.sigmoid(normalized_resid_mid @ self.W_in))",
)
exercise.misconception(
    "tanh in the gate", "tanh ends at 1, while SiLU grows with x: `F.silu`, x times its sigmoid.", "F.silu → torch.tanh"
)
exercise.misconception(
    "a sigmoid of 1.702 x, as in the quick GELU",
    "SiLU is x times the sigmoid of x itself: `F.silu`.",
    "F.silu(normalized_resid_mid @ self.W_gate) → "
    "(normalized_resid_mid @ self.W_gate) * torch.sigmoid(1.702 * (normalized_resid_mid @ self.W_gate))",
)
exercise.misconception(
    "softmax in the gate",
    "A softmax makes shares that add up to 1. Here each number has a gate of its own: `F.silu`.",
    "F.silu(normalized_resid_mid @ self.W_gate) → (normalized_resid_mid @ self.W_gate).softmax(dim=-1)",
)
exercise.misconception(
    "a bend in the gate that is not SiLU",
    "Others only resemble SiLU, which is x times its sigmoid: `F.silu`.",
    "F.silu → F.leaky_relu",
    "F.silu → F.elu",
    "F.silu → F.hardswish",
    "F.silu → F.mish",
    "F.silu → F.softplus",
)
exercise.misconception(
    "a sigmoid with its sign turned",
    "SiLU is x / (1 + exp(−x)), with a minus in the exponent: large numbers pass.",
    "F.silu(normalized_resid_mid @ self.W_gate) → "
    "(normalized_resid_mid @ self.W_gate) * torch.sigmoid(-(normalized_resid_mid @ self.W_gate))",
)
exercise.misconception(
    "SiLU as x · exp(x) / (1 + exp(x))",
    "True on paper, but exp(100) is infinite in float32, and infinite by infinite is NaN: use `F.silu`, or "
    "`x * torch.sigmoid(x)`.",
    "F.silu(normalized_resid_mid @ self.W_gate) → (normalized_resid_mid @ self.W_gate) "
    "* torch.exp(normalized_resid_mid @ self.W_gate) / (1 + torch.exp(normalized_resid_mid @ self.W_gate))",
)

# How the two meet.

exercise.misconception(
    "adding the two instead of multiplying them",
    "A gate multiplies: where it is 0, nothing passes.",
    "gate * ( → gate + (",
)
exercise.misconception(
    "the two side by side instead of their product",
    "`torch.cat` makes twice as many numbers as `W_out` reads: multiply the two, number by number.",
    "(gate * (normalized_resid_mid @ self.W_in)) → torch.cat([gate, normalized_resid_mid @ self.W_in], dim=-1)",
)
exercise.misconception("a matrix product of the two", "Neuron by neuron: `*`, not `@`.", "gate * ( → gate @ (")
exercise.misconception("1 minus the gate", "The gate itself multiplies what `W_in` reads.", "gate * ( → (1 - gate) * (")
exercise.misconception(
    "the gate on what came in",
    "It belongs on what `W_in` reads, `d_mlp` numbers, and not on the vector of `d_model`.",
    "gate * (normalized_resid_mid @ self.W_in) → gate * normalized_resid_mid",
)

# Around it.

exercise.misconception(
    "`W_out` left out",
    "Its product brings the `d_mlp` numbers back to `d_model`: `... @ self.W_out`.",
    " @ self.W_out → ",
)
exercise.misconception(
    "a product with `W_out` before the gate",
    "The gate has `d_mlp` numbers, and `W_out` leaves `d_model`: multiply by the gate first, then by `W_out`.",
    "return (gate * (normalized_resid_mid @ self.W_in)) @ self.W_out → "
    "return gate * ((normalized_resid_mid @ self.W_in) @ self.W_out)",
)
exercise.misconception(
    "`W_out` turned round",
    "`W_out` is [d_mlp d_model], and rows come from the left: `hidden @ self.W_out`, without `.T`.",
    "@ self.W_out → @ self.W_out.T",
)
exercise.misconception(
    "`W_gate` or `W_in` turned round",
    "They are [d_model d_mlp]: `normalized_resid_mid @ self.W_gate`, without `.T`. (nn.Linear keeps its matrix the "
    "other way round.)",
    "@ self.W_gate → @ self.W_gate.T",
    "(normalized_resid_mid @ self.W_in) → (normalized_resid_mid @ self.W_in.T)",
)
exercise.misconception(
    "`F.linear` with the matrices as they are",
    "`F.linear(x, weight)` turns `weight` round, since nn.Linear keeps it as [d_mlp d_model]: write `x @ self.W_gate` "
    "and so on, or hand over `self.W_gate.T`.",
    lambda self, normalized_resid_mid: F.linear(
        F.silu(F.linear(normalized_resid_mid, self.W_gate)) * F.linear(normalized_resid_mid, self.W_in), self.W_out
    ),
    lambda self, normalized_resid_mid: F.silu(F.linear(normalized_resid_mid, self.W_gate)),
    said_of=r"\blinear\(",
)
exercise.misconception(
    "adding the input back",
    "The block adds to the residual stream, the MLP does not: return what `W_out` writes.",
    "return (gate → return normalized_resid_mid + (gate",
)
exercise.misconception(
    "normalising inside the MLP",
    "The block has done that, with `ln2`: `normalized_resid_mid` is read as it comes.",
    "F.silu(normalized_resid_mid @ → F.silu(F.rms_norm(normalized_resid_mid, (self.cfg.d_model,)) @",
    lambda self, normalized_resid_mid: (
        F.silu(F.rms_norm(normalized_resid_mid, (self.cfg.d_model,)) @ self.W_gate)
        * (F.rms_norm(normalized_resid_mid, (self.cfg.d_model,)) @ self.W_in)
        @ self.W_out
    ),
)
exercise.misconception(
    "dropout that the exercise does not have",
    "A call gives the same answer each time: leave dropout out.",
    lambda self, normalized_resid_mid: F.dropout(
        (F.silu(normalized_resid_mid @ self.W_gate) * (normalized_resid_mid @ self.W_in)) @ self.W_out, 0.1
    ),
)
exercise.misconception(
    "a gate cut out of the graph",
    "`W_gate` learns through the gate: no `detach`, no `no_grad`.",
    "F.silu(normalized_resid_mid @ self.W_gate) → F.silu(normalized_resid_mid @ self.W_gate).detach()",
)

# __init__.


class Given(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.W_gate = nn.Parameter(cfg.init_range * torch.randn(cfg.d_model, cfg.d_mlp))
        self.W_in = nn.Parameter(cfg.init_range * torch.randn(cfg.d_model, cfg.d_mlp))
        self.W_out = nn.Parameter(cfg.init_range * torch.randn(cfg.d_mlp, cfg.d_model))


def calling(name):
    """SwiGLU with this module in its `forward`, which its `__init__` has not made."""

    class SwiGLU(Given):
        def forward(self, normalized_resid_mid):
            return getattr(self, name)(normalized_resid_mid)

    return SwiGLU


exercise.misconception(
    "Llama's modules in `forward`",
    "`__init__` makes no modules here, but three matrices: `self.W_gate` (`gate_proj`, Meta's `w1`), `self.W_in` "
    "(`up_proj`, `w3`) and `self.W_out` (`down_proj`, `w2`). A vector meets one by `@`, as in `x @ self.W_gate`.",
    *map(calling, ("gate_proj", "up_proj", "down_proj", "w1", "w3", "w2")),
)


@exercise.misconception("biases that SwiGLU does not have", "The three matrices are all: no `b_in`, no `b_out`.")
class WithBiases(Given):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.b_in, self.b_out = nn.Parameter(torch.zeros(cfg.d_mlp)), nn.Parameter(torch.zeros(cfg.d_model))


@exercise.misconception(
    "Llama's names for the matrices",
    "gate_proj, up_proj and down_proj (Meta: w1, w3 and w2) are called `W_gate`, `W_in` and `W_out` here, each an "
    "nn.Parameter.",
    said_of=r"_proj\b|\bw[123]\b",
)
class LlamasNames(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.gate_proj = nn.Linear(cfg.d_model, cfg.d_mlp, bias=False)
        self.up_proj = nn.Linear(cfg.d_model, cfg.d_mlp, bias=False)
        self.down_proj = nn.Linear(cfg.d_mlp, cfg.d_model, bias=False)


@exercise.misconception(
    "an nn.Linear in the place of each matrix",
    "Its matrix is called `weight`, with the module's name in front, and is kept the other way round. Assign the three "
    "as nn.Parameters: `W_gate` and `W_in` [d_model d_mlp], `W_out` [d_mlp d_model].",
    said_of=r"\bLinear\(",
)
class ThreeLinears(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_gate = nn.Linear(cfg.d_model, cfg.d_mlp, bias=False)
        self.W_in = nn.Linear(cfg.d_model, cfg.d_mlp, bias=False)
        self.W_out = nn.Linear(cfg.d_mlp, cfg.d_model, bias=False)


@exercise.misconception(
    "a `d_mlp` made smaller by 2/3 in `__init__`",
    "`cfg.d_mlp` is the width already, with the 8/3 in it: make the matrices that wide.",
)
class TwoThirdsOfIt(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        d_mlp = int(2 * cfg.d_mlp / 3)
        self.W_gate = nn.Parameter(cfg.init_range * torch.randn(cfg.d_model, d_mlp))
        self.W_in = nn.Parameter(cfg.init_range * torch.randn(cfg.d_model, d_mlp))
        self.W_out = nn.Parameter(cfg.init_range * torch.randn(d_mlp, cfg.d_model))
