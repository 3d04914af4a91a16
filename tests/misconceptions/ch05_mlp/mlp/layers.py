"""How MLP goes wrong: the activation, and the biases."""

from functools import partial

import einops
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.ch05_mlp import mlp
from tests.misconceptions.ch05_mlp.gelu_new import (
    brackets_round_the_gate_missing,
    cube_forgotten,
    cube_subtracted,
    cube_without_factor,
    density_at_zero,
    erf_for_tanh,
    erf_of_x,
    factor_cubed,
    factor_tenfold,
    factor_tenth,
    gate_alone,
    half_forgotten,
    half_of_the_one_alone,
    half_twice,
    minus_tanh,
    no_root,
    one_forgotten,
    quick_gelu,
    root_forgotten,
    root_of_the_exact_form,
    root_of_the_product,
    root_of_two_alone,
    root_on_the_cube_alone,
    root_on_x_alone,
    root_outside,
    root_upside_down,
    rounded_root,
    sigmoid_for_tanh,
    sigmoid_without_two,
    square,
    sum_cubed,
    tanh_form,
    tanh_of_x,
    three_times_x,
)
from utils.config import Config


class GivenMLP(nn.Module):
    """The class that the chapter gives, for those who write more than a forward."""

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_in = nn.Parameter(cfg.init_range * torch.randn(cfg.d_model, cfg.d_mlp))
        self.b_in = nn.Parameter(torch.zeros(cfg.d_mlp))
        self.W_out = nn.Parameter(cfg.init_range * torch.randn(cfg.d_mlp, cfg.d_model))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_model))


def pre_of(self, normalized_resid_mid: Tensor) -> Tensor:
    """What the neurons read."""
    return normalized_resid_mid @ self.W_in + self.b_in


def active(x: Tensor) -> Tensor:
    """GPT-2's GELU."""
    return F.gelu(x, approximate="tanh")


@mlp.correct
class ByEinsum(GivenMLP):
    def forward(self, normalized_resid_mid):
        pre = einops.einsum(normalized_resid_mid, self.W_in, "b p m, m h -> b p h") + self.b_in
        return einops.einsum(active(pre), self.W_out, "b p h, h m -> b p m") + self.b_out


@mlp.correct
def by_linear(self, normalized_resid_mid):
    pre = F.linear(normalized_resid_mid, self.W_in.T, self.b_in)
    return F.linear(active(pre), self.W_out.T, self.b_out)


@mlp.correct
def as_rows_by_addmm(self, normalized_resid_mid):
    rows = normalized_resid_mid.flatten(0, 1)
    answer = torch.addmm(self.b_out, active(torch.addmm(self.b_in, rows, self.W_in)), self.W_out)
    return answer.view_as(normalized_resid_mid)


@mlp.correct
def neuron_by_neuron(self, normalized_resid_mid):
    answer = self.b_out.expand_as(normalized_resid_mid)
    for key, offset, value in zip(self.W_in.T, self.b_in, self.W_out, strict=True):
        answer = answer + active(normalized_resid_mid @ key + offset)[..., None] * value
    return answer


@mlp.correct
def sentence_by_sentence(self, normalized_resid_mid):
    return torch.stack([tanh_form(pre_of(self, rows)) @ self.W_out + self.b_out for rows in normalized_resid_mid])


@mlp.correct
def mlp_in_double_precision(self, normalized_resid_mid):
    pre = normalized_resid_mid.double() @ self.W_in.double() + self.b_in
    return (active(pre) @ self.W_out.double() + self.b_out).float()


# Wrong answers.


def in_one_line(self, normalized_resid_mid):
    """A right answer, for changes of it."""
    return active(normalized_resid_mid @ self.W_in + self.b_in) @ self.W_out + self.b_out


wrong, also = partial(mlp.misconception, of=in_one_line), partial(mlp.also, of=in_one_line)
wrong(
    "no GELU between the layers",
    "What `W_in` and `b_in` give goes through `gelu_new` before `W_out` reads it.",
    "active( → (",
)
wrong(
    "the exact GELU, with erf",
    'Call your `gelu_new`. `F.gelu` is the exact form unless told `approximate="tanh"`.',
    "active → F.gelu",
)
wrong("ReLU between the two layers", "GPT-2 has GELU there: call `gelu_new`.", "active → F.relu")
wrong(
    "the sigmoid approximation of GELU",
    "GPT-2's form has a tanh: call `gelu_new`.",
    lambda self, normalized_resid_mid: quick_gelu(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out,
)
wrong(
    "SiLU between the two layers", "Llama's MLP has SiLU there, GPT-2's has GELU: call `gelu_new`.", "active → F.silu"
)
wrong("a tanh between the two layers", "The tanh is only a part of GELU: call `gelu_new`.", "active → torch.tanh")
wrong("a sigmoid between the two layers", "GELU is pre *times* such a gate: call `gelu_new`.", "active → torch.sigmoid")
wrong(
    "a softmax over the neurons",
    "Neurons do not compete: each `pre` goes through `gelu_new` alone.",
    lambda self, normalized_resid_mid: pre_of(self, normalized_resid_mid).softmax(dim=-1) @ self.W_out + self.b_out,
)
wrong(
    "a bend other than GELU between the two layers",
    "It is GPT-2's MLP only with `gelu_new(pre)` there.",
    "active → F.leaky_relu",
)
for bend in (
    F.elu,
    F.selu,
    F.softplus,
    F.mish,
    F.hardswish,
    F.relu6,
    torch.abs,
    torch.exp,
    torch.square,
    lambda pre: F.relu(pre).square(),
    lambda pre: F.leaky_relu(pre, 0.1),
    lambda pre: F.leaky_relu(pre, 0.2),
):
    also("a bend other than GELU between the two layers")(
        lambda self, normalized_resid_mid, bend=bend: bend(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out
    )


@wrong("a gated MLP, `pre` times its own GELU", "GPT-2's MLP has no gate of its own: `gelu_new(pre)` alone.")
def gated(self, normalized_resid_mid):
    pre = pre_of(self, normalized_resid_mid)
    return (pre * active(pre)) @ self.W_out + self.b_out


wrong(
    "a GELU without the cube",
    "`0.044715 * x**3` is missing from it: call `gelu_new(pre)`, once that passes its own test.",
    ("active → tanh_form", "self.b_in → self.b_in, cubic=0.0"),
)
wrong(
    "a GELU with a slip in its formula",
    "The layers are right, the bend is not: let `test_gelu_new`, which names such slips, judge your `gelu_new`. If "
    "GELU is written out in `forward`, call `gelu_new(pre)` there.",
    lambda self, normalized_resid_mid: half_forgotten(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out,
)
for slip in (
    half_twice,
    one_forgotten,
    gate_alone,
    brackets_round_the_gate_missing,
    half_of_the_one_alone,
    minus_tanh,
    cube_forgotten,
    square,
    three_times_x,
    cube_without_factor,
    factor_cubed,
    sum_cubed,
    factor_tenfold,
    factor_tenth,
    cube_subtracted,
    no_root,
    root_forgotten,
    root_of_two_alone,
    root_upside_down,
    root_of_the_product,
    density_at_zero,
    root_of_the_exact_form,
    rounded_root,
    root_on_x_alone,
    root_on_the_cube_alone,
    root_outside,
    tanh_of_x,
    sigmoid_for_tanh,
    sigmoid_without_two,
    erf_for_tanh,
    erf_of_x,
):
    also("a GELU with a slip in its formula")(
        lambda self, normalized_resid_mid, slip=slip: slip(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out
    )
wrong(
    "`b_in` left out",
    "Add it before the GELU: `gelu_new(normalized_resid_mid @ self.W_in + self.b_in)`.",
    " + self.b_in → ",
)
wrong("`b_out` left out", "Add it at the end: `post @ self.W_out + self.b_out`.", " + self.b_out → ")
wrong(
    "both biases left out",
    "Add `self.b_in` after `W_in` and `self.b_out` after `W_out`.",
    (" + self.b_in → ", " + self.b_out → "),
)


@wrong("adding `b_in` after the GELU", "`b_in` belongs to `pre`, which is complete before GELU sees it.")
def b_in_after_gelu(self, normalized_resid_mid):
    return (active(normalized_resid_mid @ self.W_in) + self.b_in) @ self.W_out + self.b_out


wrong(
    "a bias added to its matrix",
    "A bias is added to the product, not to the matrix: `x @ self.W_in + self.b_in`, and likewise with `W_out`.",
    "self.W_in + self.b_in → (self.W_in + self.b_in)",
    "self.W_out + self.b_out → (self.W_out + self.b_out)",
    ("self.W_in + self.b_in → (self.W_in + self.b_in)", "self.W_out + self.b_out → (self.W_out + self.b_out)"),
)
wrong(
    "subtracting `b_in`",
    "Biases are added: `normalized_resid_mid @ self.W_in + self.b_in`.",
    "+ self.b_in → - self.b_in",
)
wrong("subtracting `b_out`", "Biases are added: `post @ self.W_out + self.b_out`.", "+ self.b_out → - self.b_out")
wrong(
    "adding a bias twice",
    "Once is enough: add it by hand, or hand it to F.linear or addmm, which add it themselves.",
    "self.b_out → 2 * self.b_out",
    "self.b_in → self.b_in + self.b_in",
)


@wrong(
    "d_model numbers lined up with d_mlp numbers",
    "`b_in` (d_mlp numbers) is added after `W_in`, `b_out` (d_model numbers) after `W_out`, and the products are `@`, "
    "not `*`.",
)
def biases_swapped(self, normalized_resid_mid):
    pre = normalized_resid_mid @ self.W_in + self.b_out
    return active(pre) @ self.W_out + self.b_in


@also("d_model numbers lined up with d_mlp numbers")
def b_in_for_b_out(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_in


wrong(
    "`b_out` added once for each neuron",
    "What the neurons write is added up first; `b_out` comes on top once: outside the loop or the sum.",
    "self.b_out → self.cfg.d_mlp * self.b_out",
)
wrong(
    "adding the input to the answer",
    "The block adds to the stream. The MLP returns only what it writes.",
    "active → normalized_resid_mid + active",
)
wrong(
    "normalising the input once more",
    "`normalized_resid_mid` has been through `ln2` already: read it as it is.",
    "normalized_resid_mid @ → F.layer_norm(normalized_resid_mid, normalized_resid_mid.shape[-1:]) @",
)
