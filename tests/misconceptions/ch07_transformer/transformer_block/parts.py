"""How TransformerBlock goes wrong: what is made of the parts."""

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from tests.ch07_transformer import block
from tests.misconceptions.ch07_transformer._given import GivenAttention, GivenBlock, GivenMLP, GivenNorm

wrong, also = partial(block.misconception, of=GivenBlock.forward), partial(block.also, of=GivenBlock.forward)


@wrong(
    "taking attention's answer apart",
    "`self.attn(...)` answers with one tensor [batch pos d_model], where other libraries give a pair: add it as it is.",
)
def attention_unpacked(self, resid_pre):
    attn_out, _ = self.attn(self.ln1(resid_pre))
    resid_mid = resid_pre + attn_out
    return resid_mid + self.mlp(self.ln2(resid_mid))


@also("taking attention's answer apart")
def the_stream_unpacked(self, resid_pre):
    resid_mid, _ = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid + self.mlp(self.ln2(resid_mid))


wrong(
    "attention's answer for the first sentence, added to all of them",
    "Every sentence gets attention's answer for the first. A sublayer answers with one tensor [batch pos d_model], "
    "not a pair: add all of it, without an index such as `[0]`.",
    "self.ln1(resid_pre)) → self.ln1(resid_pre))[0]",
)
wrong(
    "an activation on what a sublayer answers",
    "The MLP has its GELU inside. What `self.attn` and `self.mlp` give is added as it is.",
    'self.mlp(self.ln2(resid_mid)) → F.gelu(self.mlp(self.ln2(resid_mid)), approximate="tanh")',
    "self.ln2(resid_mid)) → self.ln2(resid_mid)).relu()",
    "self.ln1(resid_pre)) → self.ln1(resid_pre)).relu()",
)
wrong(
    "another answer after `eval()`",
    "The answer is the same in training and after `eval()`: there is no dropout here, and nothing depends on "
    "`self.training`.",
    "self.ln2(resid_mid)) → self.ln2(resid_mid)) if self.training else resid_mid",
)
wrong(
    "attention across the sentences",
    "Positions of one sentence read one another, and not those of others: the batch comes first, [batch pos d_model], "
    "so hand `self.attn` the copy with its axes as they are.",
    "self.ln1(resid_pre)) → self.ln1(resid_pre).transpose(0, 1)).transpose(0, 1)",
)


@wrong("calling a sublayer twice", "Each writes once: one sum with attention's answer, then one with the MLP's.")
def attention_called_twice(self, x):
    x = x + self.attn(self.ln1(x))
    x = x + self.attn(self.ln1(x))
    return x + self.mlp(self.ln2(x))


@also("calling a sublayer twice")
def mlp_called_twice(self, x):
    x = x + self.attn(self.ln1(x))
    x = x + self.mlp(self.ln2(x))
    return x + self.mlp(self.ln2(x))


@also("calling a sublayer twice")
def block_called_twice(self, x):
    return GivenBlock.forward(self, GivenBlock.forward(self, x))


@wrong(
    "a loop over the layers inside one block",
    "A block is one layer: attention once, the MLP once. `Transformer` calls `cfg.n_layers` of them in turn.",
)
def as_many_times_as_layers(self, x):
    for _ in range(self.cfg.n_layers):
        x = GivenBlock.forward(self, x)
    return x


@also("a loop over the layers inside one block")
def attention_in_a_loop(self, x):
    for _ in range(self.cfg.n_layers):
        x = x + self.attn(self.ln1(x))
    return x + self.mlp(self.ln2(x))


@also("a loop over the layers inside one block")
def mlp_in_a_loop(self, x):
    x = x + self.attn(self.ln1(x))
    for _ in range(self.cfg.n_layers):
        x = x + self.mlp(self.ln2(x))
    return x


@also("a loop over the layers inside one block")
def as_many_times_as_heads(self, x):
    for _ in range(self.cfg.n_heads):
        x = GivenBlock.forward(self, x)
    return x


@wrong(
    "new parts in `forward`",
    "They are drawn anew in every call and never trained: call the parts that are kept in `self`.",
)
def made_anew(self, x):
    x = x + self.attention(self.cfg)(self.norm(self.cfg)(x))
    return x + self.neurons(self.cfg)(self.norm(self.cfg)(x))


wrong(
    "leaving the MLP out",
    "A block has two sublayers: `return resid_mid + self.mlp(...)`.",
    lambda self, resid_pre: resid_pre + self.attn(self.ln1(resid_pre)),
)
wrong(
    "leaving attention out",
    "A block has two sublayers: first `resid_mid = resid_pre + self.attn(self.ln1(resid_pre))`.",
    lambda self, resid_pre: resid_pre + self.mlp(self.ln2(resid_pre)),
)
wrong(
    "attention in the MLP's place",
    "The second sublayer is the MLP: `self.mlp(self.ln2(resid_mid))`.",
    "self.mlp → self.attn",
)
wrong(
    "the MLP in attention's place",
    "The first sublayer is attention: `self.attn(self.ln1(resid_pre))`.",
    "self.attn → self.mlp",
)
wrong(
    "multiplying where the stream is added to",
    "A sublayer's answer is added: `+`, not `*` or `@`.",
    ("resid_pre + → resid_pre *", "resid_mid + → resid_mid *"),
    "resid_pre + → resid_pre *",
    "resid_mid + → resid_mid *",
)
wrong(
    "subtracting attention's answer",
    "Sublayers write by adding: `resid_pre + self.attn(...)`.",
    "resid_pre + → resid_pre -",
)
wrong(
    "subtracting the MLP's answer",
    "Sublayers write by adding: `resid_mid + self.mlp(...)`.",
    "resid_mid + → resid_mid -",
)
wrong(
    "a LayerNorm on the block's answer",
    "The stream leaves the block as it is; the next LayerNorm belongs to whoever reads it.",
    lambda self, resid_pre: self.ln2(GivenBlock.forward(self, resid_pre)),
)


@wrong(
    "adding to `resid_pre` in place",
    "The caller still holds that tensor: `+=` and `add_` change it. Write `resid_mid = resid_pre + ...`.",
)
def in_place(self, resid_pre):
    resid_pre += self.attn(self.ln1(resid_pre))
    return resid_pre + self.mlp(self.ln2(resid_pre))


@also("adding to `resid_pre` in place")
def in_place_throughout(self, resid_pre):
    resid_pre += self.attn(self.ln1(resid_pre))
    resid_pre += self.mlp(self.ln2(resid_pre))
    return resid_pre


@wrong("returning `resid_pre` as it came", "Return the stream with both answers added.")
def untouched(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    _ = resid_mid + self.mlp(self.ln2(resid_mid))
    return resid_pre


wrong(
    "a sublayer cut out of the graph",
    "Gradients must flow through both sublayers too: no `detach` or `no_grad`.",
    "self.ln1(resid_pre)) → self.ln1(resid_pre)).detach()",
    "self.ln2(resid_mid) → self.ln2(resid_mid.detach())",
)


@also("a sublayer cut out of the graph")
def without_gradients(self, resid_pre):
    with torch.no_grad():
        return GivenBlock.forward(self, resid_pre)


wrong(
    "the stream cut out of the graph",
    "Through the sum gradients reach all that came before: add to the stream itself.",
    "resid_pre + → resid_pre.detach() +",
    "resid_mid + → resid_mid.detach() +",
)


@wrong(
    "one LayerNorm under two names",
    "`ln1` and `ln2` are one LayerNorm, but each needs weights of its own: `self.ln1 = LayerNorm(cfg)`, `self.ln2 = "
    "LayerNorm(cfg)`.",
)
class OneNorm(GivenBlock):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.ln2 = self.ln1


@wrong(
    "a LayerNorm and its sublayer in one `nn.Sequential`",
    "Weights are found by the parts' names: assign `ln1`, `attn`, `ln2` and `mlp` each by itself, and let `forward` "
    "call them.",
)
class Sequences(GivenBlock):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.attn, self.mlp = nn.Sequential(self.ln1, self.attn), nn.Sequential(self.ln2, self.mlp)
        del self.ln1, self.ln2


@wrong(
    "HuggingFace's and nanoGPT's names for the parts",
    "Here, as in TransformerLens, they are `ln1`, `attn`, `ln2`, `mlp`.",
)
class OtherNames(GivenBlock):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.ln_1, self.ln_2 = self.ln1, self.ln2
        del self.ln1, self.ln2


def starting(module: type[nn.Module], start: Callable[[nn.Module], None]) -> type[nn.Module]:
    """The class with other initial values: `start` is called at the end of `__init__`."""

    def init(self, cfg):
        module.__init__(self, cfg)
        start(self)

    return type(module.__name__, (module,), {"__init__": init})


def all_drawn(module):
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.02)


def drawn_by_xavier(module):
    for parameter in module.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)


def silent_at_the_start(module):
    for name, parameter in module.named_parameters():
        if name.endswith(("W_O", "W_out")):
            nn.init.zeros_(parameter)


WRONG_STARTS = {
    "drawing every parameter at random": (
        all_drawn,
        "A LayerNorm's `w` starts at 1, biases start at 0. Each part sees to that when it is made: leave out the loop "
        "over `self.parameters()`.",
    ),
    "Xavier's initial values": (
        drawn_by_xavier,
        "GPT-2's weights start with spread `cfg.init_range`, as each part draws them: leave out `nn.init.xavier_...`.",
    ),
    "sublayers that write nothing at the start": (
        silent_at_the_start,
        "`W_O` and `W_out` start at random like the other weights: leave them as `Attention` and `MLP` make them.",
    ),
}
for wrong_name, (wrong_start, wrong_advice) in WRONG_STARTS.items():
    wrong(wrong_name, wrong_advice)(starting(GivenBlock, wrong_start))


# The parts: what a block or a whole model answers when one of its parts is wrong.


class UnbiasedNorm(GivenNorm):
    def forward(self, residual):
        variance, mean = torch.var_mean(residual, dim=-1, keepdim=True)
        return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


class EpsOutside(GivenNorm):
    def forward(self, residual):
        variance, mean = torch.var_mean(residual, dim=-1, correction=0, keepdim=True)
        return (residual - mean) / (variance.sqrt() + self.cfg.layer_norm_eps) * self.w + self.b


class FixedEps(GivenNorm):
    def forward(self, residual):
        return F.layer_norm(residual, residual.shape[-1:], self.w, self.b)


class RootMeanSquare(GivenNorm):
    def forward(self, residual):
        return F.rms_norm(residual, residual.shape[-1:], self.w, self.cfg.layer_norm_eps) + self.b


class ExactGELU(GivenMLP):
    def activate(self, pre):
        return F.gelu(pre)


class ReLU(GivenMLP):
    def activate(self, pre):
        return pre.relu()


class NoScale(GivenAttention):
    scale = 1.0


class NoMask(GivenAttention):
    mask = False


class ModelScale(GivenAttention):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.scale = cfg.d_model**-0.5


WRONG_PARTS = {
    "a LayerNorm with the unbiased variance": (
        {"norm": UnbiasedNorm},
        "Divide by `d_model`, not `d_model - 1` (ch. 3).",
    ),
    "a LayerNorm with eps outside the root": ({"norm": EpsOutside}, "Take the root of (variance + eps) (ch. 3)."),
    "a LayerNorm with an eps of its own": ({"norm": FixedEps}, "Take eps from `cfg.layer_norm_eps` (ch. 3)."),
    "RMSNorm in LayerNorm's place": ({"norm": RootMeanSquare}, "LayerNorm subtracts the mean first (ch. 3)."),
    "the exact GELU": ({"neurons": ExactGELU}, "GPT-2's GELU is the tanh form (ch. 5): `approximate='tanh'`."),
    "a ReLU in GELU's place": ({"neurons": ReLU}, "The MLP's activation is GPT-2's GELU, `gelu_new` (ch. 5)."),
    "attention scores that are not scaled": ({"attention": NoScale}, "Divide them by the root of `d_head` (ch. 4)."),
    "attention scores divided by the root of d_model": (
        {"attention": ModelScale},
        "A head's vectors have `d_head` dimensions: divide by the root of `d_head` (ch. 4).",
    ),
    "attention without the causal mask": ({"attention": NoMask}, "No position may see a later one (ch. 4)."),
}
for wrong_name, (wrong_parts, wrong_advice) in WRONG_PARTS.items():
    wrong(wrong_name, wrong_advice)(type("GivenBlock", (GivenBlock,), wrong_parts))
