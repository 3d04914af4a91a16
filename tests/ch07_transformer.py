"""Chapter 7: what TransformerBlock and Transformer must do, and the ways they go wrong."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from utils.checking import (
    Exercise,
    WorkedExample,
    check_agrees,
    check_alone,
    check_causal,
    check_form,
    check_gradients,
    check_parameters,
    check_value,
    line,
    random_tensor,
    random_tokens,
    random_weights,
)
from utils.config import Config
from utils.gpt import SMALL
from utils.reference import reference

NORM = {"w": "d_model", "b": "d_model"}
HEADS = {
    **dict.fromkeys(("W_Q", "W_K", "W_V"), "n_heads d_model d_head"),
    "W_O": "n_heads d_head d_model",
    **dict.fromkeys(("b_Q", "b_K", "b_V"), "n_heads d_head"),
    "b_O": "d_model",
}
MLP = {"W_in": "d_model d_mlp", "b_in": "d_mlp", "W_out": "d_mlp d_model", "b_out": "d_model"}
BLOCK = {
    f"{part}.{name}": axes
    for part, own in {"ln1": NORM, "attn": HEADS, "ln2": NORM, "mlp": MLP}.items()
    for name, axes in own.items()
}
ATTENTION_WRITES, MLP_WRITES = ("attn.W_O", "attn.b_O"), ("mlp.W_out", "mlp.b_out")


def starts(axes: dict[str, str]) -> dict[str, float]:
    """What the parameters that are not drawn at random start with: LayerNorm's weights with 1, biases with 0."""
    own = {name: name.rpartition(".")[2] for name in axes}
    return {name: 1.0 if last == "w" else 0.0 for name, last in own.items() if last[0] != "W"}


def right_spreads(name: str, cfg: Config) -> list[float]:
    """`init_range`; what writes into the stream may start smaller, as in Radford et al. 2019, section 2.3."""
    shrunk = [cfg.n_layers**-0.5, (2 * cfg.n_layers) ** -0.5] if name.endswith(("attn.W_O", "mlp.W_out")) else []
    return [cfg.init_range * factor for factor in (1.0, *shrunk)]


def all_parameters(cfg: Config) -> dict[str, str]:
    """The axes of every parameter of a whole Transformer."""
    names = {"embed.W_E": "d_vocab d_model", "pos_embed.W_pos": "n_ctx d_model"}
    for layer in range(cfg.n_layers):
        names |= {f"blocks.{layer}.{name}": axes for name, axes in BLOCK.items()}
    names |= {f"ln_final.{name}": axes for name, axes in NORM.items()}
    return names | {"unembed.W_U": "d_model d_vocab", "unembed.b_U": "d_vocab"}


class Part(nn.Module):
    """A part of the model with its parameters, which the wrong and right variants below are made of."""

    def __init__(self, cfg: Config, axes: dict[str, str]):
        super().__init__()
        self.cfg = cfg
        for name, sizes in axes.items():
            shape = [getattr(cfg, axis) for axis in sizes.split()]
            start = torch.randn(shape) * cfg.init_range if name[0] == "W" else torch.full(shape, 1.0 * (name == "w"))
            self.register_parameter(name, nn.Parameter(start, requires_grad=name != "b_U"))

    def __getattr__(self, name) -> Any:
        return super().__getattr__(name)


class GivenNorm(Part):
    def __init__(self, cfg):
        super().__init__(cfg, NORM)

    def forward(self, residual):
        return F.layer_norm(residual, residual.shape[-1:], self.w, self.b, self.cfg.layer_norm_eps)


class GivenAttention(Part):
    scale, mask, merge = None, True, "bhpk,hkd->bpd"

    def __init__(self, cfg):
        super().__init__(cfg, HEADS)

    def forward(self, x):
        query, key, value = (
            torch.einsum("bpd,hdk->bhpk", x, weight) + bias[:, None]
            for weight, bias in ((self.W_Q, self.b_Q), (self.W_K, self.b_K), (self.W_V, self.b_V))
        )
        z = F.scaled_dot_product_attention(query, key, value, is_causal=self.mask, scale=self.scale)
        return torch.einsum(self.merge, z, self.W_O) + self.b_O


class GivenMLP(Part):
    def __init__(self, cfg):
        super().__init__(cfg, MLP)

    def activate(self, pre):
        return F.gelu(pre, approximate="tanh")

    def forward(self, x):
        return self.activate(x @ self.W_in + self.b_in) @ self.W_out + self.b_out


class GivenBlock(nn.Module):
    norm, attention, neurons = GivenNorm, GivenAttention, GivenMLP

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.ln1, self.attn = self.norm(cfg), self.attention(cfg)
        self.ln2, self.mlp = self.norm(cfg), self.neurons(cfg)

    def forward(self, resid_pre):
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))


class GivenModel(nn.Module):
    block, norm = GivenBlock, GivenNorm

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.embed, self.pos_embed = Part(cfg, {"W_E": "d_vocab d_model"}), Part(cfg, {"W_pos": "n_ctx d_model"})
        self.blocks = nn.ModuleList(self.block(cfg) for _ in range(cfg.n_layers))
        self.ln_final = self.norm(cfg)
        self.unembed = Part(cfg, {"W_U": "d_model d_vocab", "b_U": "d_vocab"})

    def tokens_in(self, tokens):
        return self.embed.W_E[tokens]

    def positions_in(self, tokens):
        return self.pos_embed.W_pos[: tokens.shape[1]]

    def logits_of(self, resid):
        return resid @ self.unembed.W_U + self.unembed.b_U

    def forward(self, tokens):
        resid = self.tokens_in(tokens) + self.positions_in(tokens)
        for one in self.blocks:
            resid = one(resid)
        return self.logits_of(self.ln_final(resid))


# The block.

block = Exercise(
    inputs={"resid_pre": "batch pos d_model"},
    output="batch pos d_model",
    parameters=BLOCK,
    initial=starts(BLOCK),
    spreads=right_spreads,
    given=GivenBlock,
    example=WorkedExample(
        "the chapter's vector 1, 3, in a block whose attention writes 2, 0 and whose MLP writes 0, 1",
        (
            Config(d_model=2, n_heads=1, d_head=1, d_mlp=1, n_layers=1),
            {
                name: torch.zeros([2 if axis == "d_model" else 1 for axis in axes.split()])
                for name, axes in BLOCK.items()
            }
            | {"attn.b_O": torch.tensor([2.0, 0.0]), "mlp.b_out": torch.tensor([0.0, 1.0])},
            torch.tensor([[[1.0, 3.0]]]),
        ),
    ),
)


@block.test
def test_transformer_block(TransformerBlock):
    """TransformerBlock against the reference solution, sublayer by sublayer, and the reference model's blocks."""
    cfg = SMALL
    check_parameters(TransformerBlock, cfg)
    check_form(TransformerBlock, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model))
    resid, weights = random_tensor(3, 5, cfg.d_model) + random_tensor(3, 5, 1), random_weights(cfg, 0.7)
    no_attention, no_mlp = silenced(weights, *ATTENTION_WRITES), silenced(weights, *MLP_WRITES)
    with line("with sublayers that write their biases alone (`W_O`, `W_out` at 0) it gives `resid_pre + b_O + b_out`"):
        check_agrees(TransformerBlock, cfg, silenced(weights, "attn.W_O", "mlp.W_out"), resid)
    with line("with the MLP silent it adds what attention makes of `ln1(resid_pre)`"):
        check_agrees(TransformerBlock, cfg, no_mlp, resid, tolerance=2e-5)
    with line("with attention silent it adds what the MLP makes of `ln2(resid_pre)`"):
        check_agrees(TransformerBlock, cfg, no_attention, resid, tolerance=2e-5)
    with line("with both, the MLP reads the stream after attention has written"):
        check_agrees(TransformerBlock, cfg, weights, resid, tolerance=2e-5)
    with line("answers the same after `eval()`, which switches dropout off"):
        check_agrees(TransformerBlock, cfg, weights, resid, tolerance=2e-5, training=False)
    with line("agrees with the reference solution at other sizes and settings"):
        for other in (replace(cfg, d_model=11, n_heads=2, d_head=6), replace(cfg, layer_norm_eps=0.1)):
            for batch, pos in ((1, 1), (2, cfg.n_ctx), (6, 2)):
                vectors = random_tensor(batch, pos, other.d_model)
                check_agrees(TransformerBlock, other, random_weights(other, 0.7), vectors, tolerance=2e-5)
    with line("agrees with the reference model in every block"):
        for resid_there, want, weights_there in recorded_blocks():
            check_value(TransformerBlock, reference().cfg, weights_there, resid_there, want=want, tolerance=5e-5)
    with line("handles vectors of very large and very small norm"):
        for scale in (1e3, 1e-3):
            check_agrees(TransformerBlock, cfg, weights, resid * scale, tolerance=5e-5)
    with line("no position sees a later one, no sentence sees another"):
        check_causal(TransformerBlock, cfg, weights, resid)
        check_alone(TransformerBlock, cfg, weights, resid, axis="batch")
    with line("passes gradients back to `resid_pre` and to the parameters of all four parts"):
        check_gradients(TransformerBlock, cfg, weights, resid, tolerance=3e-4)


def silenced(weights, *names):
    """The weights with these at 0: what a sublayer adds is then nothing."""
    return weights | {name: torch.zeros_like(weights[name]) for name in names}


def recorded_blocks():
    """Input, output and weights of every block that TransformerLens recorded in the reference model."""
    model = reference()
    for layer in range(model.cfg.n_layers):
        at = f"blocks.{layer}."
        weights = {name: model.weights[at + name] for name in BLOCK}
        yield model.activations[at + "hook_resid_pre"], model.activations[at + "hook_resid_post"], weights


@block.correct
def in_one_line(self, resid_pre):
    attn_out = self.attn(self.ln1(resid_pre))
    return resid_pre + attn_out + self.mlp(self.ln2(resid_pre + attn_out))


@block.correct
class ShrunkAtTheStart(GivenBlock):
    """What writes into the stream starts smaller, as in Radford et al. 2019 (and nanoGPT)."""

    def __init__(self, cfg):
        super().__init__(cfg)
        for weight in (self.attn.W_O, self.mlp.W_out):
            nn.init.normal_(weight, std=cfg.init_range / math.sqrt(2 * cfg.n_layers))


@block.correct
def with_one_name(self, x):
    x = x + self.attn(self.ln1(x))
    x = x + self.mlp(self.ln2(x))
    return x


@block.correct
def on_a_copy_in_place(self, resid_pre):
    resid = resid_pre.clone()
    resid += self.attn(self.ln1(resid_pre))
    return torch.add(resid, self.mlp(self.ln2(resid)))


@block.correct
def one_sentence_at_a_time(self, resid_pre):
    return torch.cat([GivenBlock.forward(self, sentence[None]) for sentence in resid_pre])


@block.correct
def as_a_loop_over_sublayers(self, resid_pre):
    resid = resid_pre
    for ln, sublayer in ((self.ln1, self.attn), (self.ln2, self.mlp)):
        resid = torch.stack([resid, sublayer(ln(resid))]).sum(dim=0)
    return resid


@block.correct
class HeadsInALoop(GivenBlock):
    """Attention head by head with an explicit mask, LayerNorm and GELU written out, in double precision."""

    def forward(self, resid_pre):
        resid = resid_pre.double()
        normal = self.normalised(resid, self.ln1)
        attn, mlp = self.attn, self.mlp
        future = torch.ones(resid.shape[1], resid.shape[1]).triu(1).bool()
        for head in range(self.cfg.n_heads):
            query, key, value = (
                normal @ getattr(attn, f"W_{one}")[head].double() + getattr(attn, f"b_{one}")[head] for one in "QKV"
            )
            scores = (query @ key.mT / math.sqrt(self.cfg.d_head)).masked_fill(future, -1e9)
            resid = resid + scores.softmax(-1) @ value @ attn.W_O[head].double()
        resid = resid + attn.b_O
        pre = self.normalised(resid, self.ln2) @ mlp.W_in.double() + mlp.b_in
        post = 0.5 * pre * (1 + torch.tanh(math.sqrt(2 / math.pi) * (pre + 0.044715 * pre**3)))
        return (resid + post @ mlp.W_out.double() + mlp.b_out).float()

    def normalised(self, resid, ln):
        variance, mean = torch.var_mean(resid, dim=-1, correction=0, keepdim=True)
        return (resid - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * ln.w + ln.b


@block.misconception(
    "overwriting the stream with its normalised copy",
    "A LayerNorm gives a copy to be read, and here the copy has taken the stream's place, as in `x = self.ln1(x)` or "
    "`x = self.ln2(x)`. Each sublayer reads its copy, the sum keeps the stream: `x + self.attn(self.ln1(x))`.",
)
def stream_overwritten(self, x):
    x = self.ln1(x)
    x = x + self.attn(x)
    x = self.ln2(x)
    return x + self.mlp(x)


@block.also("overwriting the stream with its normalised copy")
def stream_overwritten_once(self, x):
    x = self.ln1(x)
    x = x + self.attn(x)
    return x + self.mlp(self.ln2(x))


@block.also("overwriting the stream with its normalised copy")
def stream_overwritten_later(self, x):
    x = x + self.attn(self.ln1(x))
    x = self.ln2(x)
    return x + self.mlp(x)


@block.misconception(
    "the raw stream in a sublayer and its copy in the sum",
    "The other way round: a sublayer reads the normalised copy, and its answer is added to the stream as it is, "
    "`x + self.attn(self.ln1(x))`.",
)
def copies_added_to(self, x):
    x = self.ln1(x) + self.attn(x)
    return self.ln2(x) + self.mlp(x)


@block.also("the raw stream in a sublayer and its copy in the sum")
def copy_added_to_first(self, x):
    x = self.ln1(x) + self.attn(x)
    return x + self.mlp(self.ln2(x))


@block.also("the raw stream in a sublayer and its copy in the sum")
def copy_added_to_later(self, x):
    x = x + self.attn(self.ln1(x))
    return self.ln2(x) + self.mlp(x)


@block.misconception(
    "adding inside a sublayer's brackets",
    "The sum is outside of them, or the stream is lost: `x + self.attn(self.ln1(x))`, `x + self.mlp(self.ln2(x))`.",
)
def sums_inside(self, x):
    x = self.attn(x + self.ln1(x))
    return self.mlp(x + self.ln2(x))


@block.also("adding inside a sublayer's brackets")
def sum_inside_attention(self, x):
    x = self.attn(x + self.ln1(x))
    return x + self.mlp(self.ln2(x))


@block.also("adding inside a sublayer's brackets")
def sum_inside_the_mlp(self, x):
    x = x + self.attn(self.ln1(x))
    return self.mlp(x + self.ln2(x))


@block.misconception(
    "scaling the sums", "The stream is the plain sum of `resid_pre` and both answers: nothing is divided or weighted."
)
def sums_halved(self, x):
    x = (x + self.attn(self.ln1(x))) / 2
    return (x + self.mlp(self.ln2(x))) / 2


@block.also("scaling the sums")
def last_sum_halved(self, x):
    return GivenBlock.forward(self, x) / 2


@block.also("scaling the sums")
def sums_over_root_two(self, x):
    x = (x + self.attn(self.ln1(x))) / 2**0.5
    return (x + self.mlp(self.ln2(x))) / 2**0.5


@block.also("scaling the sums")
def attention_halved(self, x):
    x = x + self.attn(self.ln1(x)) / 2
    return x + self.mlp(self.ln2(x))


@block.also("scaling the sums")
def answers_halved(self, x):
    x = x + self.attn(self.ln1(x)) / 2
    return x + self.mlp(self.ln2(x)) / 2


@block.misconception(
    "adding the MLP's answer to `resid_pre`",
    "Attention's answer is lost that way: add to `resid_mid`, the stream after attention has written.",
)
def added_to_resid_pre(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_pre + self.mlp(self.ln2(resid_mid))


@block.misconception(
    "using `ln1` twice", "The two LayerNorms have weights of their own: the MLP reads `self.ln2(resid_mid)`."
)
def ln1_twice(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid + self.mlp(self.ln1(resid_mid))


@block.misconception(
    "using `ln2` twice", "The two LayerNorms have weights of their own: attention reads `self.ln1(resid_pre)`."
)
def ln2_twice(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln2(resid_pre))
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.misconception("`ln1` and `ln2` swapped", "`ln1` stands before attention, `ln2` before the MLP.")
def norms_swapped(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln2(resid_pre))
    return resid_mid + self.mlp(self.ln1(resid_mid))


@block.misconception(
    "running both sublayers side by side",
    "GPT-2's MLP comes after attention and reads what it wrote: `self.mlp(self.ln2(resid_mid))`. (GPT-J's blocks are "
    "parallel.)",
)
def parallel(self, resid_pre):
    return resid_pre + self.attn(self.ln1(resid_pre)) + self.mlp(self.ln2(resid_pre))


@block.misconception(
    "one normalised copy for both sublayers",
    "The MLP needs a copy of its own, made after attention has written: `self.ln2(resid_mid)`.",
)
def parallel_with_one_copy(self, resid_pre):
    copy = self.ln1(resid_pre)
    return resid_pre + self.attn(copy) + self.mlp(copy)


@block.misconception(
    "normalising after the sum (post-norm)",
    "That is the Transformer of 2017. GPT-2 normalises what a sublayer reads: `resid_pre + attn(ln1(resid_pre))`.",
)
def post_norm(self, resid_pre):
    resid_mid = self.ln1(resid_pre + self.attn(resid_pre))
    return self.ln2(resid_mid + self.mlp(resid_mid))


@block.also("normalising after the sum (post-norm)")
def post_norm_second(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return self.ln2(resid_mid + self.mlp(resid_mid))


@block.also("normalising after the sum (post-norm)")
def post_norm_first(self, resid_pre):
    resid_mid = self.ln1(resid_pre + self.attn(resid_pre))
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.misconception(
    "normalising the sums as well as what is read (pre-norm and post-norm at once)",
    "What the sublayers read is right. Leave out the LayerNorm round the sum: nothing normalises the stream itself.",
)
def pre_and_post_norm(self, x):
    x = self.ln1(x + self.attn(self.ln1(x)))
    return self.ln2(x + self.mlp(self.ln2(x)))


@block.also("normalising the sums as well as what is read (pre-norm and post-norm at once)")
def pre_and_post_norm_first(self, x):
    x = self.ln1(x + self.attn(self.ln1(x)))
    return x + self.mlp(self.ln2(x))


@block.misconception(
    "normalising what a sublayer writes",
    "LayerNorm stands before the sublayer: `self.attn(self.ln1(resid_pre))`, not `self.ln1(self.attn(resid_pre))`.",
)
def answers_normalised(self, resid_pre):
    resid_mid = resid_pre + self.ln1(self.attn(resid_pre))
    return resid_mid + self.ln2(self.mlp(resid_mid))


@block.also("normalising what a sublayer writes")
def attention_answer_normalised(self, resid_pre):
    resid_mid = resid_pre + self.ln1(self.attn(resid_pre))
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.also("normalising what a sublayer writes")
def attention_normalised_before_and_after(self, resid_pre):
    resid_mid = resid_pre + self.ln1(self.attn(self.ln1(resid_pre)))
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.also("normalising what a sublayer writes")
def attention_normalised_after_by_ln2(self, resid_pre):
    resid_mid = resid_pre + self.ln2(self.attn(self.ln1(resid_pre)))
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.also("normalising what a sublayer writes")
def norms_round_attention(self, resid_pre):
    resid_mid = resid_pre + self.ln2(self.attn(self.ln1(resid_pre)))
    return resid_mid + self.mlp(resid_mid)


@block.also("normalising what a sublayer writes")
def mlp_normalised_before_and_after(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid + self.ln2(self.mlp(self.ln2(resid_mid)))


@block.also("normalising what a sublayer writes")
def mlp_answer_normalised(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid + self.ln2(self.mlp(resid_mid))


@block.misconception(
    "leaving the stream out round attention",
    "Attention's answer is added to the stream, it does not replace it: `resid_mid = resid_pre + self.attn(...)`.",
)
def no_residual_round_attention(self, resid_pre):
    resid_mid = self.attn(self.ln1(resid_pre))
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.misconception(
    "leaving the stream out round the MLP",
    "The MLP's answer is added to the stream, it does not replace it: `return resid_mid + self.mlp(...)`.",
)
def no_residual_round_mlp(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return self.mlp(self.ln2(resid_mid))


@block.misconception(
    "leaving the stream out altogether",
    "Each sublayer's answer is added to what was there: `resid_pre + ...`, then `resid_mid + ...`.",
)
def no_residual(self, resid_pre):
    return self.mlp(self.ln2(self.attn(self.ln1(resid_pre))))


@block.misconception(
    "leaving `resid_pre` out of the last sum",
    "The block gives back the whole stream: `resid_pre`, plus what attention wrote, plus what the MLP wrote.",
)
def answers_alone(self, resid_pre):
    attn_out = self.attn(self.ln1(resid_pre))
    return attn_out + self.mlp(self.ln2(resid_pre + attn_out))


@block.misconception("the MLP before attention", "Attention comes first: `self.attn` with `ln1`, then `self.mlp`.")
def mlp_first(self, resid_pre):
    resid_mid = resid_pre + self.mlp(self.ln2(resid_pre))
    return resid_mid + self.attn(self.ln1(resid_mid))


@block.also("the MLP before attention")
def mlp_first_with_ln1(self, resid_pre):
    resid_mid = resid_pre + self.mlp(self.ln1(resid_pre))
    return resid_mid + self.attn(self.ln2(resid_mid))


@block.misconception(
    "adding the stream twice",
    "`resid_mid` holds `resid_pre` already. Each sum adds one sublayer's answer, and nothing else.",
)
def stream_twice(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_pre + resid_mid + self.mlp(self.ln2(resid_mid))


@block.also("adding the stream twice")
def resid_mid_twice(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    resid_post = resid_mid + self.mlp(self.ln2(resid_mid))
    return resid_mid + resid_post


@block.also("adding the stream twice")
def resid_pre_twice_at_once(self, resid_pre):
    resid_mid = resid_pre + resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.also("adding the stream twice")
def block_round_block(self, resid_pre):
    return resid_pre + GivenBlock.forward(self, resid_pre)


@block.misconception(
    "adding attention's answer twice", "`resid_mid` holds attention's answer already: add the MLP's alone."
)
def attention_twice(self, resid_pre):
    attn_out = self.attn(self.ln1(resid_pre))
    resid_mid = resid_pre + attn_out
    return resid_mid + attn_out + self.mlp(self.ln2(resid_mid))


@block.misconception(
    "attention reading the raw stream", "Attention reads a normalised copy: `self.attn(self.ln1(resid_pre))`."
)
def attention_reads_raw(self, resid_pre):
    resid_mid = resid_pre + self.attn(resid_pre)
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.misconception(
    "the MLP reading the raw stream", "The MLP reads a normalised copy: `self.mlp(self.ln2(resid_mid))`."
)
def mlp_reads_raw(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid + self.mlp(resid_mid)


@block.misconception(
    "no LayerNorm at all", "Each sublayer reads a normalised copy: `self.ln1(resid_pre)`, `self.ln2(resid_mid)`."
)
def both_read_raw(self, resid_pre):
    resid_mid = resid_pre + self.attn(resid_pre)
    return resid_mid + self.mlp(resid_mid)


@block.misconception(
    "an MLP that reads attention's answer alone",
    "The MLP reads the whole stream: `self.ln2(resid_mid)`, where `resid_mid` is `resid_pre` plus attention's answer.",
)
def mlp_reads_attention(self, resid_pre):
    attn_out = self.attn(self.ln1(resid_pre))
    return resid_pre + attn_out + self.mlp(self.ln2(attn_out))


@block.misconception(
    "normalising the copy once more",
    "One LayerNorm for each sublayer: `self.ln1(resid_pre)` for attention, `self.ln2(resid_mid)` for the MLP.",
)
def normalised_again(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid + self.mlp(self.ln2(self.ln1(resid_mid)))


@block.also("normalising the copy once more")
def ln1_of_ln1(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(self.ln1(resid_pre)))
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.also("normalising the copy once more")
def ln2_of_ln2(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid + self.mlp(self.ln2(self.ln2(resid_mid)))


@block.misconception(
    "taking attention's answer apart",
    "`self.attn(...)` answers with one tensor [batch pos d_model], where other libraries give a pair: add it as it is.",
)
def attention_unpacked(self, resid_pre):
    attn_out, _ = self.attn(self.ln1(resid_pre))
    resid_mid = resid_pre + attn_out
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.also("taking attention's answer apart")
def the_stream_unpacked(self, resid_pre):
    resid_mid, _ = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.misconception(
    "attention's answer for the first sentence, added to all of them",
    "A sublayer answers with one tensor [batch pos d_model], no pair: add it as it is. An index such as `[0]`, or a "
    "slice of the batch, leaves its first sentence alone.",
)
def attention_indexed(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))[0]
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.misconception(
    "an activation on what a sublayer answers",
    "The MLP has its GELU inside. What `self.attn` and `self.mlp` give is added as it is.",
)
def gelu_on_the_mlp(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid + F.gelu(self.mlp(self.ln2(resid_mid)), approximate="tanh")


@block.also("an activation on what a sublayer answers")
def relu_on_the_mlp(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid + self.mlp(self.ln2(resid_mid)).relu()


@block.also("an activation on what a sublayer answers")
def relu_on_attention(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre)).relu()
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.misconception(
    "another answer after `eval()`",
    "`eval()` switches dropout off, and there is none here: leave out what depends on `self.training`.",
)
def no_mlp_after_eval(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid + self.mlp(self.ln2(resid_mid)) if self.training else resid_mid


@block.misconception(
    "attention across the sentences",
    "The batch comes first here, [batch pos d_model]: hand `self.attn` the copy as it is, without `transpose`.",
)
def batch_and_pos_swapped(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre).transpose(0, 1)).transpose(0, 1)
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.misconception(
    "calling a sublayer twice", "Each writes once: one sum with attention's answer, then one with the MLP's."
)
def attention_called_twice(self, x):
    x = x + self.attn(self.ln1(x))
    x = x + self.attn(self.ln1(x))
    return x + self.mlp(self.ln2(x))


@block.also("calling a sublayer twice")
def mlp_called_twice(self, x):
    x = x + self.attn(self.ln1(x))
    x = x + self.mlp(self.ln2(x))
    return x + self.mlp(self.ln2(x))


@block.also("calling a sublayer twice")
def block_called_twice(self, x):
    return GivenBlock.forward(self, GivenBlock.forward(self, x))


@block.misconception("leaving the MLP out", "A block has two sublayers: `return resid_mid + self.mlp(...)`.")
def no_mlp(self, resid_pre):
    return resid_pre + self.attn(self.ln1(resid_pre))


@block.misconception(
    "leaving attention out",
    "A block has two sublayers: first `resid_mid = resid_pre + self.attn(self.ln1(resid_pre))`.",
)
def no_attention(self, resid_pre):
    return resid_pre + self.mlp(self.ln2(resid_pre))


@block.misconception("attention in the MLP's place", "The second sublayer is the MLP: `self.mlp(self.ln2(resid_mid))`.")
def attention_again(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid + self.attn(self.ln2(resid_mid))


@block.misconception(
    "the MLP in attention's place", "The first sublayer is attention: `self.attn(self.ln1(resid_pre))`."
)
def mlp_twice(self, resid_pre):
    resid_mid = resid_pre + self.mlp(self.ln1(resid_pre))
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.misconception("multiplying where the stream is added to", "A sublayer's answer is added: `+`, not `*` or `@`.")
def multiplied(self, resid_pre):
    resid_mid = resid_pre * self.attn(self.ln1(resid_pre))
    return resid_mid * self.mlp(self.ln2(resid_mid))


@block.also("multiplying where the stream is added to")
def attention_multiplied(self, resid_pre):
    resid_mid = resid_pre * self.attn(self.ln1(resid_pre))
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.also("multiplying where the stream is added to")
def mlp_multiplied(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid * self.mlp(self.ln2(resid_mid))


@block.misconception("subtracting attention's answer", "Sublayers write by adding: `resid_pre + self.attn(...)`.")
def attention_subtracted(self, resid_pre):
    resid_mid = resid_pre - self.attn(self.ln1(resid_pre))
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.misconception("subtracting the MLP's answer", "Sublayers write by adding: `resid_mid + self.mlp(...)`.")
def mlp_subtracted(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid - self.mlp(self.ln2(resid_mid))


@block.misconception(
    "a LayerNorm on the block's answer",
    "The stream leaves the block as it is; the next LayerNorm belongs to whoever reads it.",
)
def normalised_at_the_end(self, resid_pre):
    return self.ln2(GivenBlock.forward(self, resid_pre))


@block.misconception(
    "adding to `resid_pre` in place",
    "`+=` changes the tensor that the caller still holds. Write `resid_mid = resid_pre + ...`.",
)
def in_place(self, resid_pre):
    resid_pre += self.attn(self.ln1(resid_pre))
    return resid_pre + self.mlp(self.ln2(resid_pre))


@block.also("adding to `resid_pre` in place")
def in_place_throughout(self, resid_pre):
    resid_pre += self.attn(self.ln1(resid_pre))
    resid_pre += self.mlp(self.ln2(resid_pre))
    return resid_pre


@block.misconception("returning `resid_pre` as it came", "Return the stream with both answers added.")
def untouched(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    _ = resid_mid + self.mlp(self.ln2(resid_mid))
    return resid_pre


@block.misconception(
    "a sublayer cut out of the graph",
    "Gradients flow through the stream and through both sublayers: no `detach()`, `.data` or `torch.no_grad()`.",
)
def attention_detached(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre)).detach()
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.also("a sublayer cut out of the graph")
def mlp_detached(self, resid_pre):
    resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
    return resid_mid + self.mlp(self.ln2(resid_mid.detach()))


@block.also("a sublayer cut out of the graph")
def without_gradients(self, resid_pre):
    with torch.no_grad():
        return GivenBlock.forward(self, resid_pre)


@block.also("a sublayer cut out of the graph")
def stream_detached(self, resid_pre):
    resid_mid = resid_pre.detach() + self.attn(self.ln1(resid_pre))
    return resid_mid + self.mlp(self.ln2(resid_mid))


@block.misconception(
    "one LayerNorm under two names",
    "`ln1` and `ln2` each need weights of their own: `self.ln2 = LayerNorm(cfg)`, not `self.ln2 = self.ln1`.",
)
class OneNorm(GivenBlock):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.ln2 = self.ln1


@block.misconception(
    "a LayerNorm and its sublayer in one `nn.Sequential`",
    "Weights are found by the parts' names: assign `ln1`, `attn`, `ln2` and `mlp` each by itself, and let `forward` "
    "call them.",
)
class Sequences(GivenBlock):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.attn, self.mlp = nn.Sequential(self.ln1, self.attn), nn.Sequential(self.ln2, self.mlp)
        del self.ln1, self.ln2


@block.misconception(
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
    block.misconception(wrong_name, wrong_advice)(starting(GivenBlock, wrong_start))


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
    "a LayerNorm with eps outside the root": ({"norm": EpsOutside}, "The root is of (variance + eps) (ch. 3)."),
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
    block.misconception(wrong_name, wrong_advice)(type("GivenBlock", (GivenBlock,), wrong_parts))


# The whole model.

transformer = Exercise(
    inputs={"tokens": "batch pos"},
    output="batch pos d_vocab",
    parameters=all_parameters,
    initial=lambda cfg: starts(all_parameters(cfg)),
    spreads=right_spreads,
    given=GivenModel,
)
SCALE = 0.5


transformer.equivalent("tokens → tokens.detach()", "Token numbers are integers, which have no gradient.")


@transformer.test
def test_transformer(Transformer):
    """Transformer against the reference solution, from the two tables to the logits, and the reference model."""
    cfg = SMALL
    check_parameters(Transformer, replace(cfg, n_layers=3))
    check_form(Transformer, cfg, lambda batch, pos: random_tokens(cfg, batch, pos))
    tokens, weights = random_tokens(cfg, 3, 5), random_weights(cfg, SCALE)
    writers = [f"blocks.{layer}.{name}" for layer in range(2) for name in ATTENTION_WRITES + MLP_WRITES]
    silent = silenced(random_weights(cfg), *writers)
    with line("with silent blocks and `W_pos` at 0: unembeds `ln_final` of each token's vector"):
        check_agrees(Transformer, cfg, silenced(silent, "pos_embed.W_pos"), tokens)
    with line("with silent blocks: adds each position's vector to its token's"):
        check_agrees(Transformer, cfg, silent, tokens)
    with line("with blocks that write their biases alone (`W_O`, `W_out` at 0), these are added to the stream"):
        only_biases = silenced(weights, *(name for name in writers if ".W_" in name))
        check_agrees(Transformer, cfg, only_biases, tokens, tolerance=2e-5)
    with line("with one block: agrees with the reference solution"):
        one = replace(cfg, n_layers=1)
        check_agrees(Transformer, one, random_weights(one, SCALE), tokens, tolerance=2e-5)
    with line("with two blocks and with three: each block once, in order, with its own weights"):
        check_agrees(Transformer, cfg, weights, tokens, tolerance=2e-5)
        three = replace(cfg, n_layers=3)
        check_agrees(Transformer, three, random_weights(three, SCALE), tokens, tolerance=2e-5)
    with line("answers the same after `eval()`, which switches dropout off"):
        check_agrees(Transformer, cfg, weights, tokens, tolerance=2e-5, training=False)
    with line("agrees with the reference solution at other sizes and settings"):
        for other in (replace(cfg, d_model=11, n_heads=2, d_head=6, d_vocab=40), replace(cfg, layer_norm_eps=0.1)):
            for batch, pos in ((1, 1), (2, cfg.n_ctx)):
                some = random_tokens(other, batch, pos)
                check_agrees(Transformer, other, random_weights(other, SCALE), some, tolerance=2e-5)
    with line("agrees with the reference model's logits, with its weights under their own names"):
        model = reference()
        want = model.activations["unembed.hook_out"]
        check_value(Transformer, model.cfg, dict(model.weights), model.tokens, want=want, tolerance=1e-4)
    with line("no position sees a later one, no sentence sees another"):
        check_causal(Transformer, cfg, weights, tokens)
        check_alone(Transformer, cfg, weights, tokens, axis="batch")
    with line("passes gradients back to every parameter but `b_U`"):
        check_gradients(Transformer, cfg, weights, tokens, tolerance=1e-3)


def unpacked(something):
    batch, pos = something.shape
    return batch, pos


def transforming(first=None, blocks=list, each=None, last=None):
    """A `forward` with one part of it replaced."""

    def forward(self, tokens):
        start = first(self, tokens) if first else self.tokens_in(tokens) + self.positions_in(tokens)
        resid = start
        for one in blocks(self.blocks):
            resid = each(self, one, resid, start, tokens) if each else one(resid)
        return last(self, resid, start) if last else self.logits_of(self.ln_final(resid))

    return forward


@transformer.correct
def one_text_at_a_time(self, tokens):
    return torch.cat([GivenModel.forward(self, text[None]) for text in tokens])


@transformer.correct
class BlocksShrunkAtTheStart(GivenModel):
    block = ShrunkAtTheStart


@transformer.correct
def folded_over_the_blocks(self, tokens):
    resid = reduce(lambda resid, one: one(resid), self.blocks, self.positions_in(tokens) + self.tokens_in(tokens))
    return self.logits_of(self.ln_final(resid))


@transformer.correct
class BlocksInASequence(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.blocks = nn.Sequential(*(self.block(cfg) for _ in range(cfg.n_layers)))

    def forward(self, tokens):
        rows = F.one_hot(tokens, self.cfg.d_vocab).float() @ self.embed.W_E
        resid = self.blocks(rows + self.pos_embed.W_pos[None, torch.arange(tokens.shape[-1])])
        return torch.einsum("bpd,dv->bpv", self.ln_final(resid), self.unembed.W_U) + self.unembed.b_U


@transformer.correct
class OneLoopOverEverything(GivenModel):
    """Arithmetic in one `forward`; the parts only hold what the names need."""

    def forward(self, tokens):
        resid = F.embedding(tokens, self.embed.W_E) + self.pos_embed.W_pos.narrow(0, 0, tokens.shape[1])
        for layer in range(self.cfg.n_layers):
            resid = HeadsInALoop.forward(OfBlock(self.blocks[layer]), resid)
        return F.linear(self.ln_final(resid), self.unembed.W_U.T, self.unembed.b_U)


class OfBlock:
    """A block's parts, for a `forward` that is not its own."""

    normalised = HeadsInALoop.normalised

    def __init__(self, one):
        self.cfg, self.ln1, self.attn, self.ln2, self.mlp = one.cfg, one.ln1, one.attn, one.ln2, one.mlp


transformer.misconception(
    "one position for the whole text",
    "Each position has a vector of its own: add all that `self.pos_embed(tokens)` gives for the whole of `tokens`.",
)(transforming(first=lambda self, tokens: self.tokens_in(tokens) + self.positions_in(tokens)[:1]))
transformer.also("one position for the whole text")(
    transforming(first=lambda self, tokens: self.tokens_in(tokens) + self.positions_in(tokens)[-1:])
)


@transformer.also("one position for the whole text")
def one_token_at_a_time(self, tokens):
    return torch.cat([GivenModel.forward(self, tokens[:, [pos]]) for pos in range(tokens.shape[1])], dim=1)


transformer.misconception("leaving the positions out", "Add `self.pos_embed(tokens)` to `self.embed(tokens)`.")(
    transforming(first=lambda self, tokens: self.tokens_in(tokens))
)
transformer.misconception("leaving the tokens out", "Add `self.embed(tokens)` to `self.pos_embed(tokens)`.")(
    transforming(first=lambda self, tokens: self.positions_in(tokens).expand(*tokens.shape, -1))
)
transformer.misconception(
    "multiplying the embedding by √d_model",
    "That is from the Transformer of 2017 (section 3.4). GPT-2 adds the two tables' vectors as they are.",
)(transforming(first=lambda self, tokens: self.tokens_in(tokens) * self.cfg.d_model**0.5 + self.positions_in(tokens)))
transformer.misconception(
    "dividing the embedding by √d_model",
    "The root of a size belongs to attention's scores. Here the two tables' vectors are added as they are.",
)(transforming(first=lambda self, tokens: self.tokens_in(tokens) / self.cfg.d_model**0.5 + self.positions_in(tokens)))
transformer.misconception(
    "multiplying tokens and positions", "The two vectors are added: `self.embed(tokens) + self.pos_embed(tokens)`."
)(transforming(first=lambda self, tokens: self.tokens_in(tokens) * self.positions_in(tokens)))


class NormWrittenOut(GivenNorm):
    def forward(self, residual):
        variance, mean = torch.var_mean(residual, dim=-1, correction=0, keepdim=True)
        return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


def joined(axis):
    def first(self, tokens):
        return torch.cat([self.tokens_in(tokens), self.positions_in(tokens).expand(*tokens.shape, -1)], dim=axis)

    return first


transformer.misconception(
    "joining tokens and positions",
    "The two vectors are added, so that their size stays d_model: `self.embed(tokens) + self.pos_embed(tokens)`, no "
    "`torch.cat`.",
)(transforming(first=joined(-1)))
for joined_axis in (0, 1):
    transformer.also("joining tokens and positions")(transforming(first=joined(joined_axis)))


@transformer.also("joining tokens and positions")
class JoinedWithNormWrittenOut(GivenModel):
    block = type("GivenBlock", (GivenBlock,), {"norm": NormWrittenOut})
    norm = NormWrittenOut
    forward = transforming(first=joined(-1))


transformer.misconception(
    "subtracting the positions", "Write `+` between `self.embed(tokens)` and `self.pos_embed(tokens)`."
)(transforming(first=lambda self, tokens: self.tokens_in(tokens) - self.positions_in(tokens)))
transformer.misconception(
    "positions that start at 1", "The first token's position is 0: its vector is row 0 of `W_pos`."
)(transforming(first=lambda self, tokens: self.tokens_in(tokens) + self.pos_embed.W_pos.roll(-1, 0)[: tokens.shape[1]]))
transformer.misconception(
    "positions from the end of the table",
    "The first token has row 0 of `W_pos`: `self.pos_embed(tokens)` finds the rows, and needs no help.",
)(transforming(first=lambda self, tokens: self.tokens_in(tokens) + self.pos_embed.W_pos[-tokens.shape[1] :]))
transformer.misconception(
    "the whole of `W_pos`",
    "It has `n_ctx` rows, and a text may be shorter: call `self.pos_embed(tokens)`, which takes the first ones.",
)(transforming(first=lambda self, tokens: self.tokens_in(tokens) + self.pos_embed.W_pos))
transformer.misconception(
    "adding the positions after the blocks", "They are added before block 0, so that the blocks can read them."
)(
    transforming(
        first=lambda self, tokens: self.tokens_in(tokens),
        last=lambda self, resid, start: self.logits_of(self.ln_final(resid + self.pos_embed.W_pos[: resid.shape[1]])),
    )
)
transformer.misconception(
    "embed and unembed in each other's place",
    "`self.embed` makes vectors of tokens, at the start; `self.unembed` makes logits of vectors, at the end.",
)(transforming(first=lambda self, tokens: self.logits_of(tokens)))
transformer.misconception(
    "adding the positions twice", "Once is enough: `self.embed(tokens) + self.pos_embed(tokens)`."
)(transforming(first=lambda self, tokens: self.tokens_in(tokens) + 2 * self.positions_in(tokens)))
transformer.also("positions that start at 1")(
    transforming(first=lambda self, tokens: self.tokens_in(tokens) + self.positions_in(tokens).roll(-1, 0))
)
transformer.misconception(
    "adding the positions in every block",
    "They are added once, before the first block; the stream carries them on from there.",
)(transforming(each=lambda self, one, resid, start, tokens: one(resid + self.positions_in(tokens))))
transformer.also("adding the positions in every block")(
    transforming(
        first=lambda self, tokens: self.tokens_in(tokens),
        each=lambda self, one, resid, start, tokens: one(resid + self.positions_in(tokens)),
    )
)
transformer.also("adding the positions in every block")(
    transforming(each=lambda self, one, resid, start, tokens: one(resid) + self.positions_in(tokens))
)
transformer.misconception(
    "a LayerNorm before the first block",
    "`ln_final` comes after the last block alone; block 0 brings its own `ln1`.",
)(transforming(first=lambda self, tokens: self.ln_final(self.tokens_in(tokens) + self.positions_in(tokens))))
transformer.misconception(
    "`ln_final` before the blocks in place of after them",
    "It comes last: `self.unembed(self.ln_final(resid))`, once all the blocks have written.",
)(
    transforming(
        first=lambda self, tokens: self.ln_final(self.tokens_in(tokens) + self.positions_in(tokens)),
        last=lambda self, resid, start: self.logits_of(resid),
    )
)
transformer.misconception(
    "leaving `ln_final` out", "The unembedding reads the stream through the last LayerNorm: `self.ln_final(resid)`."
)(transforming(last=lambda self, resid, start: self.logits_of(resid)))
transformer.misconception(
    "adding what `ln_final` gives to the stream",
    "Nothing is added at the end: the unembedding reads `self.ln_final(resid)` alone.",
)(transforming(last=lambda self, resid, start: self.logits_of(resid + self.ln_final(resid))))
transformer.misconception("using `ln_final` twice", "Once is enough: `self.unembed(self.ln_final(resid))`.")(
    transforming(last=lambda self, resid, start: self.logits_of(self.ln_final(self.ln_final(resid))))
)
transformer.misconception(
    "using `ln_final` after every block", "It comes once, after the loop over the blocks: mind the indentation."
)(
    transforming(
        each=lambda self, one, resid, start, tokens: self.ln_final(one(resid)),
        last=lambda self, resid, start: self.logits_of(resid),
    )
)
transformer.also("using `ln_final` after every block")(
    transforming(each=lambda self, one, resid, start, tokens: self.ln_final(one(resid)))
)
transformer.misconception(
    "`ln_final` before every block",
    "A block brings its own LayerNorms, and is given the stream itself: `block(resid)`. `ln_final` comes at the end.",
)(transforming(each=lambda self, one, resid, start, tokens: one(self.ln_final(resid))))
transformer.misconception(
    "cutting off a token of a text that fills `n_ctx`",
    "`n_ctx` tokens are what the model can read: leave out the cut, or mind its last index.",
)(lambda self, tokens: GivenModel.forward(self, tokens[:, -(self.cfg.n_ctx - 1) :]))
transformer.also("cutting off a token of a text that fills `n_ctx`")(
    lambda self, tokens: GivenModel.forward(self, tokens[:, : self.cfg.n_ctx - 1])
)
transformer.misconception(
    "leaving out the first token", "Each token of the text gets logits: go through with all of `tokens`, no `[:, 1:]`."
)(lambda self, tokens: GivenModel.forward(self, tokens[:, 1:]))
transformer.also("leaving out the first token")(
    transforming(first=lambda self, tokens: (self.tokens_in(tokens) + self.positions_in(tokens))[:, 1:])
)
transformer.misconception(
    "a token put in front of the text",
    "Whoever calls the model puts `<|endoftext|>` there, or does not: read `tokens` as they come.",
)(lambda self, tokens: GivenModel.forward(self, F.pad(tokens, (1, 0))))
for first_token in (0, -1):
    transformer.also("a token put in front of the text")(
        lambda self, tokens, first=first_token: GivenModel.forward(
            self, F.pad(tokens[:, : self.cfg.n_ctx - 1], (1, 0), value=first % self.cfg.d_vocab)
        )[:, 1:]
    )
transformer.misconception(
    "`pos_embed` called on something else than `tokens`",
    "Both tables are called on the same `tokens` [batch pos]: `self.pos_embed(tokens)`.",
)(transforming(first=lambda self, tokens: unpacked(torch.arange(tokens.shape[1]))))
for pos_embed_given in (
    lambda tokens: torch.arange(tokens.shape[1]).shape[1],
    lambda tokens: unpacked(torch.empty(*tokens.shape, 1)),
    lambda tokens: tokens.shape[1].shape,
    lambda tokens: tokens.shape.shape,
):
    transformer.also("`pos_embed` called on something else than `tokens`")(
        transforming(first=lambda self, tokens, given=pos_embed_given: given(tokens))
    )
transformer.misconception(
    "`ln_final` called on the logits", "The other way round: `self.unembed(self.ln_final(resid))`."
)(transforming(last=lambda self, resid, start: self.ln_final(self.logits_of(resid))))


@transformer.also("`ln_final` called on the logits")
class LogitsIntoNormWrittenOut(GivenModel):
    norm = NormWrittenOut
    forward = transforming(last=lambda self, resid, start: self.ln_final(self.logits_of(resid)))


transformer.misconception(
    "a LayerNorm after the unembedding", "First `self.ln_final`, then `self.unembed`: nothing comes after the logits."
)(transforming(last=lambda self, resid, start: F.layer_norm(self.logits_of(resid), [self.cfg.d_vocab])))
transformer.misconception(
    "returning probabilities", "The model gives logits: leave the softmax to the loss and to sampling."
)(transforming(last=lambda self, resid, start: self.logits_of(self.ln_final(resid)).softmax(dim=-1)))
transformer.misconception("returning log-probabilities", "The model gives logits: leave `log_softmax` to the loss.")(
    transforming(last=lambda self, resid, start: self.logits_of(self.ln_final(resid)).log_softmax(dim=-1))
)
transformer.misconception(
    "returning the logits of the last position alone",
    "Every position has a prediction of its own: return all of them, [batch pos d_vocab].",
)(transforming(last=lambda self, resid, start: self.logits_of(self.ln_final(resid))[:, -1]))
transformer.also("returning the logits of the last position alone")(
    transforming(last=lambda self, resid, start: self.logits_of(self.ln_final(resid))[:, -1:])
)
transformer.misconception(
    "pooling the positions", "Every position predicts its own next token: no mean over the positions."
)(transforming(last=lambda self, resid, start: self.logits_of(self.ln_final(resid)).mean(dim=1)))
transformer.misconception(
    "dividing the logits by √d_model",
    "The root of a size belongs to attention's scores: return the logits as they are.",
)(transforming(last=lambda self, resid, start: self.logits_of(self.ln_final(resid)) / self.cfg.d_model**0.5))
transformer.misconception(
    "returning the chosen tokens", "Return the scores themselves, the logits: choosing one is chapter 8."
)(transforming(last=lambda self, resid, start: self.logits_of(self.ln_final(resid)).argmax(dim=-1)))
transformer.misconception(
    "returning the loss", "The model gives the logits of every position. The loss is another function's work (ch. 6)."
)(lambda self, tokens: F.cross_entropy(GivenModel.forward(self, tokens)[:, :-1].flatten(0, 1), tokens[:, 1:].flatten()))
transformer.misconception("returning the stream", "The last step is `self.unembed(...)`, from d_model to d_vocab.")(
    transforming(last=lambda self, resid, start: self.ln_final(resid))
)
transformer.misconception(
    "unembedding by `embed.W_E`",
    "GPT-2 ties the two tables; here, as in TransformerLens, the unembedding has `W_U` and `b_U` of its own: "
    "`self.unembed(...)`.",
)(transforming(last=lambda self, resid, start: self.ln_final(resid) @ self.embed.W_E.T + self.unembed.b_U))
transformer.also("unembedding by `embed.W_E`")(
    transforming(last=lambda self, resid, start: self.ln_final(resid) @ self.embed.W_E.T)
)
transformer.misconception(
    "an unembedding without `b_U`",
    "Call the module, `self.unembed(...)`: it adds `b_U` (zeros in GPT-2's own weights).",
)(transforming(last=lambda self, resid, start: self.ln_final(resid) @ self.unembed.W_U))
transformer.misconception("adding `b_U` twice", "`self.unembed(...)` has added it: return what it gives.")(
    transforming(last=lambda self, resid, start: self.logits_of(self.ln_final(resid)) + self.unembed.b_U)
)
transformer.misconception(
    "another answer after `eval()`",
    "`eval()` switches dropout off, and there is none here: leave out what depends on `self.training`.",
)(lambda self, tokens: GivenModel.forward(self, tokens)[:, 0 if self.training else -1 :])
transformer.misconception(
    "throwing away what the blocks give", "A block returns the new stream, all of it: `resid = block(resid)`."
)(transforming(last=lambda self, resid, start: self.logits_of(self.ln_final(start))))
transformer.misconception(
    "the last block alone", "Each block reads what the one before it gave: `resid = block(resid)`, the same name twice."
)(transforming(each=lambda self, one, resid, start, tokens: one(start)))
transformer.misconception(
    "the first block alone", "Every block comes once: is there a `return` or a `break` inside the loop?"
)(transforming(blocks=lambda blocks: list(blocks)[:1]))
transformer.misconception("leaving the first block out", "The loop starts with block 0.")(
    transforming(blocks=lambda blocks: list(blocks)[1:])
)
transformer.misconception("leaving the last block out", "The loop runs to the last of `cfg.n_layers` blocks.")(
    transforming(blocks=lambda blocks: list(blocks)[:-1])
)
transformer.misconception("going through the blocks twice", "Each block comes once, in order.")(
    transforming(blocks=lambda blocks: [*blocks, *blocks])
)
transformer.misconception("calling every block twice", "Each block is called once: `resid = block(resid)`.")(
    transforming(blocks=lambda blocks: [one for one in blocks for _ in range(2)])
)
transformer.misconception("the blocks in reverse", "Block 0 comes first: `for block in self.blocks`.")(
    transforming(blocks=lambda blocks: list(blocks)[::-1])
)
transformer.misconception(
    "block 0 in every layer", "Each layer has a block of its own: `for block in self.blocks: resid = block(resid)`."
)(transforming(blocks=lambda blocks: [blocks[0]] * len(blocks)))
transformer.misconception(
    "the last block in every layer", "Call the loop's own block: `for block in self.blocks: resid = block(resid)`."
)(transforming(blocks=lambda blocks: [blocks[-1]] * len(blocks)))
transformer.misconception(
    "adding the stream to what a block gives",
    "A block gives back the whole stream, its input included: `resid = block(resid)`. In the block, `resid_mid` holds "
    "`resid_pre` already.",
)(transforming(each=lambda self, one, resid, start, tokens: resid + one(resid)))
transformer.misconception(
    "blocks that all read the embedding",
    "Each block reads what the one before it gave: `resid = block(resid)`.",
)(transforming(each=lambda self, one, resid, start, tokens: resid + one(start)))
transformer.also("blocks that all read the embedding")(
    transforming(each=lambda self, one, resid, start, tokens: resid + one(start) - start)
)
transformer.misconception(
    "adding the embedding again after every block", "It is in the stream already: `resid = block(resid)`."
)(transforming(each=lambda self, one, resid, start, tokens: one(resid) + start))
transformer.misconception(
    "adding the embedding again at the end", "It is in the stream already: `self.ln_final(resid)`."
)(transforming(last=lambda self, resid, start: self.logits_of(self.ln_final(resid + start))))


def summed(start, average):
    """A `forward` in which the unembedding reads the sum, or the mean, of what all blocks give."""

    def forward(self, tokens):
        resid = self.tokens_in(tokens) + self.positions_in(tokens)
        stages = [resid] if start else []
        for one in self.blocks:
            resid = one(resid)
            stages.append(resid)
        total = torch.stack(stages).sum(dim=0)
        return self.logits_of(self.ln_final(total / len(stages) if average else total))

    return forward


transformer.misconception(
    "adding up what all the blocks give",
    "The last block gives the whole stream, what the earlier ones wrote included: `ln_final` reads that alone.",
)(summed(start=True, average=False))
for with_start, as_mean in ((False, False), (True, True), (False, True)):
    transformer.also("adding up what all the blocks give")(summed(with_start, as_mean))


@transformer.misconception(
    "a model cut out of the graph",
    "Gradients flow from the logits back to the tables: no `detach()`, `.data` or `torch.no_grad()`.",
)
def detached(self, tokens):
    with torch.no_grad():
        return GivenModel.forward(self, tokens)


transformer.also("a model cut out of the graph")(
    transforming(each=lambda self, one, resid, start, tokens: one(resid.detach()))
)
transformer.also("a model cut out of the graph")(
    transforming(last=lambda self, resid, start: self.logits_of(self.ln_final(resid.detach())))
)


@transformer.misconception(
    "blocks in a Python list",
    "PyTorch finds modules in an `nn.ModuleList` alone: in a plain list no weights are loaded into them, and no "
    "optimiser would train them.",
)
class PlainList(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        blocks = list(self.blocks)
        del self.blocks
        self.blocks = blocks


@transformer.misconception(
    "one block where each layer needs its own",
    "`[TransformerBlock(cfg)] * n` holds one block n times. Make a new one for each layer: "
    "`TransformerBlock(cfg) for _ in range(cfg.n_layers)`.",
)
class Shared(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        one = self.block(cfg)
        self.blocks = nn.ModuleList([one] * cfg.n_layers)


@transformer.also("one block where each layer needs its own")
class OneBlock(GivenModel):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_layers=1))


@transformer.misconception("a number of blocks that is not the Config's", "Make `cfg.n_layers` blocks.")
class TwoBlocks(GivenModel):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_layers=2))


@transformer.also("a number of blocks that is not the Config's")
class TwelveBlocks(GivenModel):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_layers=12))


@transformer.also("a number of blocks that is not the Config's")
class OneBlockFewer(GivenModel):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_layers=max(cfg.n_layers - 1, 0)))


@transformer.also("a number of blocks that is not the Config's")
class OneBlockMore(GivenModel):
    def __init__(self, cfg):
        super().__init__(replace(cfg, n_layers=cfg.n_layers + 1))


@transformer.misconception(
    "a block's LayerNorm in the place of `ln_final`",
    "The last LayerNorm is the model's own: `self.ln_final = LayerNorm(cfg)`.",
)
def norm_of_a_block(self, tokens):
    return transforming(last=lambda self, resid, start: self.logits_of(self.blocks[-1].ln2(resid)))(self, tokens)


@transformer.also("a block's LayerNorm in the place of `ln_final`")
class NormSharedWithABlock(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.ln_final = self.blocks[-1].ln2


@transformer.misconception(
    "the weights of `embed` and `unembed` tied",
    "Both have a table of their own here: leave `W_U` as `Unembed` makes it.",
)
class Tied(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.unembed.W_U = nn.Parameter(self.embed.W_E.T)
        del self.unembed.W_U


@transformer.also("the weights of `embed` and `unembed` tied")
class TiedByAView(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.unembed.W_U = nn.Parameter(self.embed.W_E.T)  # in whichever order weights are loaded, the last one counts


for wrong_name, (wrong_start, wrong_advice) in WRONG_STARTS.items():
    transformer.misconception(wrong_name, wrong_advice)(starting(GivenModel, wrong_start))


@transformer.misconception(
    "HuggingFace's and nanoGPT's names for the parts",
    "Here, as in TransformerLens, they are `embed`, `pos_embed`, `blocks`, `ln_final`, `unembed`.",
)
class HuggingFaceNames(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.wte, self.wpe, self.h, self.ln_f, self.lm_head = (
            self.embed,
            self.pos_embed,
            self.blocks,
            self.ln_final,
            self.unembed,
        )
        del self.embed, self.pos_embed, self.blocks, self.ln_final, self.unembed


# What is wrong in a block, or in a part, shows in the whole model too.


def model_with(**parts) -> type[nn.Module]:
    """The whole model, right but for its blocks or its LayerNorms."""
    return type("GivenModel", (GivenModel,), parts)


SAME_SEEN_FROM_OUTSIDE = {
    "stream_twice",
    "block_round_block",
    "block_called_twice",
    "untouched",
    "without_gradients",
}  # as a mistake in the model's own loop
of_a_forward = [one for one in block.misconceptions if "forward" in vars(one.component)]
named_so_far = set[str]()
for known in [one for one in of_a_forward if one.component.__name__ not in SAME_SEEN_FROM_OUTSIDE]:
    of_the_block = f"{known.name}, in TransformerBlock"
    if of_the_block in named_so_far:
        transformer.also(of_the_block)(model_with(block=known.component))
    else:
        look_there = f"`test_transformer_block` shows it. {known.advice}"
        transformer.misconception(of_the_block, look_there)(model_with(block=known.component))
    named_so_far.add(of_the_block)


@transformer.misconception(
    "a stream kept from one call to the next",
    "Each call starts anew: give the stream a name without `self`, and let it begin with the two tables' vectors.",
)
class StreamKept(GivenModel):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.kept = 0

    def tokens_in(self, tokens):
        self.kept = self.kept + super().tokens_in(tokens)
        return self.kept

    def logits_of(self, resid):
        self.kept = resid
        return super().logits_of(resid)


for wrong_name, (wrong_parts, wrong_advice) in WRONG_PARTS.items():
    blocks_with = type("GivenBlock", (GivenBlock,), wrong_parts)
    norms = {"norm": wrong_parts["norm"]} if "norm" in wrong_parts else {}
    transformer.misconception(wrong_name, wrong_advice)(model_with(block=blocks_with, **norms))
transformer.also("a LayerNorm with an eps of its own")(model_with(norm=FixedEps))
