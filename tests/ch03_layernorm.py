"""Chapter 3: what LayerNorm must do, and the ways it goes wrong."""

from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import nn

from utils.checking import (
    Exercise,
    WorkedExample,
    check_agrees,
    check_alone,
    check_form,
    check_gradients,
    check_parameters,
    check_value,
    line,
    random_tensor,
    random_weights,
)
from utils.config import Config
from utils.gpt import SMALL
from utils.reference import reference

layer_norm = Exercise(
    inputs={"residual": "batch pos d_model"},
    output="batch pos d_model",
    parameters={"w": "d_model", "b": "d_model"},
    initial={"w": 1.0, "b": 0.0},
    example=WorkedExample(
        "the chapter's vector 0, 2, 2, 8, with `w` = 1 and `b` = 0",
        (
            Config(d_model=4),
            {"w": torch.ones(4), "b": torch.zeros(4)},
            torch.tensor([[[0.0, 2.0, 2.0, 8.0]]]),
        ),
        {"mean": lambda out: float(out.mean()), "variance": lambda out: float(out.var(unbiased=False))},
    ),
)


@layer_norm.test
def test_layer_norm(LayerNorm):
    """LayerNorm against the reference solution and against every LayerNorm of the reference model."""
    cfg = SMALL
    check_parameters(LayerNorm, cfg)
    weights = random_weights(cfg)
    check_form(LayerNorm, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model, scale=2.0))
    residual = random_tensor(3, 5, cfg.d_model, scale=2.0) + random_tensor(3, 5, 1)
    with line("normalises each vector alone: no position sees another, no sentence sees another"):
        check_alone(LayerNorm, cfg, weights, residual, axis="batch")
        check_alone(LayerNorm, cfg, weights, residual, axis="pos")
    with line("agrees with the reference solution on random weights"):
        for batch, pos in [(3, 5), (1, 1), (2, cfg.n_ctx), (8, 2)]:
            check_agrees(LayerNorm, cfg, random_weights(cfg), random_tensor(batch, pos, cfg.d_model, scale=4.0) + 1)
        for other in (replace(cfg, d_model=11), replace(cfg, d_model=768, n_ctx=8)):
            vectors = random_tensor(2, other.n_ctx, other.d_model, scale=4.0)
            check_agrees(LayerNorm, other, random_weights(other), vectors)
        check_agrees(LayerNorm, cfg, weights, residual, training=False)
    with line("takes eps from `cfg.layer_norm_eps`"):
        for eps in (0.1, 1e-3, 2.0):
            check_agrees(LayerNorm, replace(cfg, layer_norm_eps=eps), weights, residual)
        check_agrees(LayerNorm, replace(cfg, layer_norm_eps=1e-7), weights, residual * 1e-3)
    with line("agrees with the reference model in every layer"):
        for residual_there, want, weights_there in recorded_layer_norms():
            check_value(LayerNorm, reference().cfg, weights_there, residual_there, want=want, tolerance=2e-5)
    with line("handles vectors of very large and very small norm"):
        for scale in (3e3, 1e-3, 1e-4):
            check_agrees(LayerNorm, cfg, weights, residual * scale)
    with line("keeps its digits where the mean is far from 0"):
        check_agrees(LayerNorm, cfg, weights, residual + 1000, tolerance=1e-3)
    with line("passes gradients back to `w`, `b` and `residual`"):
        check_gradients(LayerNorm, cfg, weights, residual)
        check_gradients(LayerNorm, cfg, weights, random_tensor(6, cfg.n_ctx, cfg.d_model))


layer_norm.equivalent("-1 → 2", "The input has three axes, so that the last one is also number 2.")
layer_norm.equivalent(
    "centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w → "
    "centred * self.w / (variance + self.cfg.layer_norm_eps).sqrt()",
    "Only the last digit differs with the order of a multiplication and a division.",
)


def recorded_layer_norms():
    """Input, output and weights of every LayerNorm that TransformerLens recorded in the reference model."""
    model = reference()
    inputs = {"ln_final": f"blocks.{model.cfg.n_layers - 1}.hook_resid_post"}
    for layer in range(model.cfg.n_layers):
        inputs[f"blocks.{layer}.ln1"] = f"blocks.{layer}.hook_resid_pre"
        inputs[f"blocks.{layer}.ln2"] = f"blocks.{layer}.hook_resid_mid"
    for name, residual in inputs.items():
        weights = {part: model.weights[f"{name}.{part}"] for part in ("w", "b")}
        yield model.activations[residual], model.activations[f"{name}.hook_out"], weights


def parts(self, residual, dim: int | tuple[int, ...] = -1):
    """The centred input and its variance, both over `dim`, and eps."""
    centred = residual - residual.mean(dim=dim, keepdim=True)
    return centred, centred.pow(2).mean(dim=dim, keepdim=True), self.cfg.layer_norm_eps


@layer_norm.correct
def torch_layer_norm(self, residual):
    return F.layer_norm(residual, (self.cfg.d_model,), self.w, self.b, self.cfg.layer_norm_eps)


@layer_norm.correct
def einsum_over_d_model(self, residual):
    centred = residual - torch.einsum("bpd->bp", residual)[..., None] / residual.shape[-1]
    variance = torch.einsum("bpd,bpd->bp", centred, centred)[..., None] / residual.shape[-1]
    return torch.addcmul(self.b, self.w, centred / torch.sqrt(variance + self.cfg.layer_norm_eps))


@layer_norm.correct
def var_with_correction_0(self, residual):
    variance, mean = torch.var_mean(residual, dim=2, correction=0, keepdim=True)
    return torch.einsum("bpd,d->bpd", (residual - mean) / (variance + self.cfg.layer_norm_eps) ** 0.5, self.w) + self.b


@layer_norm.correct
def in_double_precision(self, residual):
    centred, variance, eps = parts(self, residual.double())
    return (centred / (variance + eps).sqrt()).float() * self.w + self.b


@layer_norm.misconception(
    "the unbiased variance",
    "`Tensor.var` divides by d_model - 1, GPT-2 by d_model. Pass `unbiased=False`.",
)
def unbiased_variance(self, residual):
    variance = residual.var(dim=-1, keepdim=True) + self.cfg.layer_norm_eps
    return (residual - residual.mean(dim=-1, keepdim=True)) / variance.sqrt() * self.w + self.b


@layer_norm.misconception(
    "eps added outside the square root",
    "GPT-2 takes the root of (variance + eps), so eps goes inside: `(variance + eps).sqrt()`.",
)
def eps_outside_the_root(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance.sqrt() + eps) * self.w + self.b


@layer_norm.also("eps added outside the square root")
def two_roots_added(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance.sqrt() + eps**0.5) * self.w + self.b


@layer_norm.misconception(
    "a variance without eps",
    "Add `self.cfg.layer_norm_eps` to the variance before the root; a tiny number such as 1e-12 is as good as none.",
)
def no_eps(self, residual):
    centred, variance, _ = parts(self, residual)
    return centred / variance.sqrt() * self.w + self.b


@layer_norm.misconception(
    "an eps that is not the config's", "Pass `self.cfg.layer_norm_eps`. Left out, PyTorch takes 1e-5."
)
def fixed_eps(self, residual):
    centred, variance, _ = parts(self, residual)
    return centred / (variance + 1e-5).sqrt() * self.w + self.b


@layer_norm.misconception(
    "dividing by the variance",
    "Divide by the standard deviation: take the square root of (variance + eps) first.",
)
def no_root(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps) * self.w + self.b


@layer_norm.also("dividing by the variance")
def no_root_no_eps(self, residual):
    centred, variance, _ = parts(self, residual)
    return centred / variance * self.w + self.b


@layer_norm.also("dividing by the variance")
def root_of_the_square(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance**2 + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "the root of eps alone",
    "`**` binds before `+`: put brackets round the sum, `(variance + eps) ** 0.5`.",
)
def root_of_eps(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps**0.5) * self.w + self.b


@layer_norm.misconception(
    "the root of the whole quotient",
    "The root belongs to the divisor alone: `centred / (variance + eps).sqrt()`. A negative number has none.",
)
def root_of_the_quotient(self, residual):
    centred, variance, eps = parts(self, residual)
    return (centred / (variance + eps)).sqrt() * self.w + self.b


@layer_norm.misconception(
    "returning `residual` as it came", "Return what you computed: the normalised vector, times `w`, plus `b`."
)
def returned_as_it_came(self, residual):
    return residual


@layer_norm.misconception(
    "dividing without centring first (that is RMSNorm)",
    "GPT-2 subtracts the mean over d_model from the vector before it divides.",
)
def not_centred(self, residual):
    mean_square = residual.pow(2).mean(dim=-1, keepdim=True)
    return residual / (mean_square + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.also("dividing without centring first (that is RMSNorm)")
def rms_norm_without_offset(self, residual):
    mean_square = residual.pow(2).mean(dim=-1, keepdim=True)
    return residual / (mean_square + self.cfg.layer_norm_eps).sqrt() * self.w


@layer_norm.misconception(
    "dividing the vector before its mean was subtracted",
    "The variance is right, but the vector that it divides must be `residual - mean`, not `residual`.",
)
def mean_left_in(self, residual):
    _, variance, eps = parts(self, residual)
    return residual / (variance + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "the variance as mean of squares minus squared mean",
    "True on paper, but float32 loses its digits where the mean is large: centre first, then average the squares.",
)
def mean_of_squares(self, residual):
    mean = residual.mean(-1, keepdim=True)
    variance = (residual**2).mean(-1, keepdim=True) - mean**2
    return (residual - mean) * torch.rsqrt(variance + self.cfg.layer_norm_eps) * self.w + self.b


@layer_norm.misconception(
    "adding the squares up instead of averaging them",
    "With `w` = 1 and `b` = 0 your vectors have variance 1/d_model, not 1. Use `mean` where you have `sum`.",
)
def sum_of_squares(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance * self.cfg.d_model + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "dividing the sum by the number of positions",
    "The mean over d_model divides by `residual.shape[-1]`, or `cfg.d_model`; `residual.shape[1]` counts positions.",
)
def divided_by_positions(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance * self.cfg.d_model / residual.shape[1] + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "dividing the sums by a fixed 4", "That was the example's `d_model`: divide by `self.cfg.d_model`, or use `mean`."
)
def divided_by_four(self, residual):
    centred = residual - residual.sum(dim=-1, keepdim=True) / 4
    variance = centred.pow(2).sum(dim=-1, keepdim=True) / 4
    return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "GPT-2's 768 in the place of the config's d_model",
    "Other models have other sizes, and so do the tests: divide by `self.cfg.d_model`, or use `mean`.",
)
def divided_by_768(self, residual, mean=True, variance=True):
    size = residual.shape[-1]
    centred = residual - residual.sum(dim=-1, keepdim=True) / (768 if mean else size)
    spread = centred.pow(2).sum(dim=-1, keepdim=True) / (768 if variance else size)
    return centred / (spread + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.also("GPT-2's 768 in the place of the config's d_model")
def mean_divided_by_768(self, residual):
    return divided_by_768(self, residual, variance=False)


@layer_norm.also("GPT-2's 768 in the place of the config's d_model")
def variance_divided_by_768(self, residual):
    return divided_by_768(self, residual, mean=False)


@layer_norm.misconception(
    "another answer when nobody trains",
    "That is BatchNorm's habit: LayerNorm does the same in training and after `eval()`, with each vector's own mean.",
)
def normalised_in_training(self, residual):
    if not self.training:
        return residual * self.w + self.b
    return F.layer_norm(residual, self.w.shape, self.w, self.b, self.cfg.layer_norm_eps)


@layer_norm.misconception(
    "dividing by the vector's norm",
    "The norm is √d_model times the standard deviation: it adds the squares up, the variance averages them.",
)
def norm_of_centred(self, residual):
    centred, _, eps = parts(self, residual)
    return centred / (centred.norm(dim=-1, keepdim=True) + eps) * self.w + self.b


@layer_norm.also("dividing by the vector's norm")
def norm_without_eps(self, residual):
    centred, _, _ = parts(self, residual)
    return centred / centred.norm(dim=-1, keepdim=True) * self.w + self.b


@layer_norm.also("dividing by the vector's norm")
def norm_of_the_input(self, residual):
    return residual / residual.norm(dim=-1, keepdim=True) * self.w + self.b


@layer_norm.misconception(
    "subtracting the sum instead of the mean", "The mean is the sum divided by d_model: use `mean`, not `sum`."
)
def sum_subtracted(self, residual):
    centred = residual - residual.sum(dim=-1, keepdim=True)
    variance = centred.pow(2).mean(dim=-1, keepdim=True)
    return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.also("subtracting the sum instead of the mean")
def sum_subtracted_alone(self, residual):
    _, variance, eps = parts(self, residual)
    return (residual - residual.sum(dim=-1, keepdim=True)) / (variance + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "mean and variance in swapped roles",
    "`torch.var_mean` gives the variance first, `torch.std_mean` the standard deviation: `variance, mean = ...`.",
)
def swapped(self, residual):
    mean, variance = torch.var_mean(residual, dim=-1, correction=0, keepdim=True)
    return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.also("mean and variance in swapped roles")
def swapped_unbiased(self, residual):
    mean, variance = torch.var_mean(residual, dim=-1, keepdim=True)
    return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.also("mean and variance in swapped roles")
def swapped_deviation(self, residual):
    mean, deviation = torch.std_mean(residual, dim=-1, correction=0, keepdim=True)
    return (residual - mean) / (deviation + self.cfg.layer_norm_eps) * self.w + self.b


@layer_norm.also("mean and variance in swapped roles")
def swapped_deviation_unbiased(self, residual):
    mean, deviation = torch.std_mean(residual, dim=-1, keepdim=True)
    return (residual - mean) / (deviation + self.cfg.layer_norm_eps) * self.w + self.b


@layer_norm.also("mean and variance in swapped roles")
def swapped_deviation_squared(self, residual):
    mean, deviation = torch.std_mean(residual, dim=-1, correction=0, keepdim=True)
    return (residual - mean) / (deviation**2 + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "multiplying by the standard deviation",
    "The vector is divided by it. (`rsqrt` is already one over the root: multiply by that, or divide by `sqrt`.)",
)
def multiplied(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / torch.rsqrt(variance + eps) * self.w + self.b


@layer_norm.misconception(
    "`Tensor.std`, which divides by d_model - 1, with eps added to it",
    "The Annotated Transformer does so. GPT-2: `var(unbiased=False)`, then add eps, then take the root.",
)
def annotated_transformer(self, residual):
    deviation = residual.std(dim=-1, keepdim=True)
    return self.w * (residual - residual.mean(dim=-1, keepdim=True)) / (deviation + self.cfg.layer_norm_eps) + self.b


@layer_norm.also("`Tensor.std`, which divides by d_model - 1, with eps added to it")
def unbiased_deviation_alone(self, residual):
    deviation = residual.std(dim=-1, keepdim=True)
    return self.w * (residual - residual.mean(dim=-1, keepdim=True)) / deviation + self.b


@layer_norm.misconception(
    "the root of the standard deviation",
    "One root is enough: the standard deviation is the root of the variance. Use `(variance + eps).sqrt()`.",
)
def two_roots(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance.sqrt() + eps).sqrt() * self.w + self.b


@layer_norm.also("the root of the standard deviation")
def two_roots_unbiased(self, residual):
    centred, _, eps = parts(self, residual)
    return centred / (residual.std(dim=-1, keepdim=True) + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "a division that ends before `+ eps`",
    "`/` and `*` bind before `+`: put brackets round all that divides, `centred / (variance + eps).sqrt()`.",
)
def brackets_missing(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / variance.sqrt() + eps * self.w + self.b


@layer_norm.also("a division that ends before `+ eps`")
def brackets_missing_with_root(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / variance + eps**0.5 * self.w + self.b


@layer_norm.misconception(
    "dividing the mean alone",
    "`residual - mean / ...` divides before it subtracts: put brackets round `(residual - mean)`.",
)
def mean_divided(self, residual):
    _, variance, eps = parts(self, residual)
    return residual - residual.mean(dim=-1, keepdim=True) / (variance + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "dividing by `w` as well",
    "The brackets reach too far: `centred / (variance + eps).sqrt() * self.w`, with `w` outside them.",
)
def divided_by_w(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / ((variance + eps).sqrt() * self.w) + self.b


@layer_norm.also("dividing by `w` as well")
def divided_by_w_and_b(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / ((variance + eps).sqrt() * self.w + self.b)


@layer_norm.misconception(
    "scaling by `w + b`", "Without brackets: `normalised * self.w + self.b` scales first, then shifts."
)
def scaled_by_the_sum(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps).sqrt() * (self.w + self.b)


@layer_norm.misconception("`w` and `b` in swapped roles", "`w` scales and `b` shifts: `normalised * self.w + self.b`.")
def swapped_w_and_b(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps).sqrt() * self.b + self.w


@layer_norm.also("`w` and `b` in swapped roles")
def shifted_by_w_then_scaled_by_b(self, residual):
    centred, variance, eps = parts(self, residual)
    return (centred / (variance + eps).sqrt() + self.w) * self.b


@layer_norm.misconception(
    "scaling by `1 + w`", "Here `w` starts at 1 and is the scale itself: `normalised * self.w + self.b`."
)
def one_plus_w(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps).sqrt() * (1 + self.w) + self.b


@layer_norm.misconception("adding `w` instead of multiplying by it", "`w` is a scale: `normalised * self.w + self.b`.")
def w_added(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps).sqrt() + self.w + self.b


@layer_norm.misconception(
    "`w` added in place of `b`", "`w` is the scale alone, the offset is `b`: `normalised * self.w + self.b`."
)
def w_for_b(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps).sqrt() * self.w + self.w


@layer_norm.misconception(
    "applying `w` or `b` twice",
    "`F.layer_norm` with `self.w` and `self.b` has already applied them: return its result.",
)
def w_and_b_twice(self, residual):
    return torch_layer_norm(self, residual) * self.w + self.b


@layer_norm.also("applying `w` or `b` twice")
def w_twice(self, residual):
    return torch_layer_norm(self, residual) * self.w


@layer_norm.also("applying `w` or `b` twice")
def b_twice(self, residual):
    return torch_layer_norm(self, residual) + self.b


@layer_norm.also("applying `w` or `b` twice")
def w_squared(self, residual):
    return (torch_layer_norm(self, residual) - self.b) * self.w + self.b


@layer_norm.misconception("subtracting `b`", "`b` is added: `normalised * self.w + self.b`.")
def b_subtracted(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps).sqrt() * self.w - self.b


@layer_norm.misconception(
    "eps added to something other than the variance",
    "It keeps the root away from 0, so it belongs under it: `(variance + eps).sqrt()`.",
)
def eps_at_the_end(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / variance.sqrt() * self.w + self.b + eps


@layer_norm.misconception(
    "eps added after the division",
    "By then it is too late to keep the root away from 0: put it under the root, `centred / (variance + eps).sqrt()`.",
)
def eps_after_the_division(self, residual):
    centred, variance, eps = parts(self, residual)
    return (centred / variance.sqrt() + eps) * self.w + self.b


@layer_norm.misconception(
    "multiplying the variance by eps", "eps is added: a variance of 0 times eps is still 0. `(variance + eps).sqrt()`."
)
def eps_multiplied(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance * eps).sqrt() * self.w + self.b


@layer_norm.also("eps added to something other than the variance")
def eps_on_the_vector(self, residual):
    centred, variance, eps = parts(self, residual)
    return (centred + eps) / variance.sqrt() * self.w + self.b


@layer_norm.also("eps added to something other than the variance")
def eps_before_squaring(self, residual):
    centred, _, eps = parts(self, residual)
    centred = centred + eps
    return centred / centred.pow(2).mean(dim=-1, keepdim=True).sqrt() * self.w + self.b


@layer_norm.also("a variance without eps")
def at_least_eps(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / variance.clamp(min=eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "eps added twice", "Once, to the variance, is enough: nothing is added to the root, `(variance + eps).sqrt()`."
)
def eps_twice(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / ((variance + eps).sqrt() + eps) * self.w + self.b


@layer_norm.misconception("subtracting eps", "It is added, so that the root never meets 0: `(variance + eps).sqrt()`.")
def eps_subtracted(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance - eps).sqrt() * self.w + self.b


@layer_norm.misconception("squaring eps", "Add `cfg.layer_norm_eps` to the variance as it is.")
def eps_squared(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps**2).sqrt() * self.w + self.b


@layer_norm.also("an eps that is not the config's")
def smaller_fixed_eps(self, residual):
    centred, variance, _ = parts(self, residual)
    return centred / (variance + 1e-6).sqrt() * self.w + self.b


@layer_norm.also("an eps that is not the config's")
def smallest_fixed_eps(self, residual):
    centred, variance, _ = parts(self, residual)
    return centred / (variance + 1e-8).sqrt() * self.w + self.b


@layer_norm.also("an eps that is not the config's")
def larger_fixed_eps(self, residual):
    centred, variance, _ = parts(self, residual)
    return centred / (variance + 1e-3).sqrt() * self.w + self.b


@layer_norm.also("an eps that is not the config's")
def fixed_eps_outside(self, residual):
    centred, variance, _ = parts(self, residual)
    return centred / (variance.sqrt() + 1e-5) * self.w + self.b


@layer_norm.misconception(
    "the mean of the absolute deviations", "The variance is the mean of the *squares*: `centred.pow(2).mean(...)`."
)
def absolute_deviations(self, residual):
    centred, _, eps = parts(self, residual)
    return centred / (centred.abs().mean(dim=-1, keepdim=True) + eps) * self.w + self.b


@layer_norm.misconception(
    "dividing by the range, or by the largest number",
    "Divide by the standard deviation: the root of the mean of the squares, `centred.pow(2).mean(...)`, plus eps.",
)
def over_the_range(self, residual):
    centred, _, eps = parts(self, residual)
    span = residual.amax(dim=-1, keepdim=True) - residual.amin(dim=-1, keepdim=True)
    return centred / (span + eps) * self.w + self.b


@layer_norm.also("dividing by the range, or by the largest number")
def over_the_largest(self, residual):
    centred, _, eps = parts(self, residual)
    return centred / (centred.abs().amax(dim=-1, keepdim=True) + eps) * self.w + self.b


@layer_norm.misconception(
    "squares that are never averaged",
    "Each number is divided by its own size here, so only its sign is left: average the squares over `dim=-1`.",
)
def never_averaged(self, residual):
    centred, _, eps = parts(self, residual)
    return centred / (centred.pow(2) + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "a square where the root belongs", "The standard deviation is the root of the variance: `(variance + eps).sqrt()`."
)
def squared_again(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps) ** 2 * self.w + self.b


@layer_norm.misconception(
    "subtracting the standard deviation", "The centred vector is divided by it: `centred / (variance + eps).sqrt()`."
)
def deviation_subtracted(self, residual):
    centred, variance, eps = parts(self, residual)
    return (centred - (variance + eps).sqrt()) * self.w + self.b


@layer_norm.misconception(
    "a division upside down", "The vector stands above, the root below: `centred / (variance + eps).sqrt()`."
)
def upside_down(self, residual):
    centred, variance, eps = parts(self, residual)
    return (variance + eps).sqrt() / centred * self.w + self.b


@layer_norm.misconception("the mean minus the vector", "The other way round: `residual - mean`.")
def sign_turned(self, residual):
    centred, variance, eps = parts(self, residual)
    return -centred / (variance + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "adding the mean instead of subtracting it", "Centring takes the mean away: `residual - mean`."
)
def mean_added(self, residual):
    _, variance, eps = parts(self, residual)
    return (residual + residual.mean(dim=-1, keepdim=True)) / (variance + eps).sqrt() * self.w + self.b


@layer_norm.also("adding the mean instead of subtracting it")
def mean_added_throughout(self, residual):
    centred = residual + residual.mean(dim=-1, keepdim=True)
    variance = centred.pow(2).mean(dim=-1, keepdim=True)
    return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "subtracting the mean after dividing", "Centre first, then divide: `(residual - mean) / (variance + eps).sqrt()`."
)
def centred_last(self, residual):
    _, variance, eps = parts(self, residual)
    mean = residual.mean(dim=-1, keepdim=True)
    return (residual / (variance + eps).sqrt() - mean) * self.w + self.b


@layer_norm.misconception(
    "a variance of the vector before it was centred",
    "Square `residual - mean`, not `residual`: the variance is measured from the mean.",
)
def squares_of_the_input(self, residual):
    centred, _, eps = parts(self, residual)
    return centred / (residual.pow(2).mean(dim=-1, keepdim=True) + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "squaring the mean instead of averaging the squares",
    "First the squares, then their mean: `centred.pow(2).mean(...)`. The mean of `centred` is 0.",
)
def squared_mean(self, residual):
    centred, _, eps = parts(self, residual)
    return centred / (centred.mean(dim=-1, keepdim=True).pow(2) + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "averaging without squaring",
    "The mean of `centred` is 0: average its squares, `centred.pow(2)` or `centred ** 2`.",
)
def never_squared(self, residual):
    centred, _, eps = parts(self, residual)
    return centred / (centred.mean(dim=-1, keepdim=True) + eps).sqrt() * self.w + self.b


@layer_norm.also("averaging without squaring")
def times_two(self, residual):
    centred, _, eps = parts(self, residual)
    return centred / ((centred * 2).mean(dim=-1, keepdim=True) + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "a mean that is not squared where the variance is computed",
    "E[x²] − E[x]² squares the mean too. Better: centre first, then average the squares.",
)
def mean_not_squared(self, residual):
    mean = residual.mean(-1, keepdim=True)
    variance = residual.pow(2).mean(-1, keepdim=True) - mean
    return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "the squared mean minus the mean of the squares",
    "The other way round, or the variance is negative. Better: centre first, then average the squares.",
)
def variance_negative(self, residual):
    mean = residual.mean(-1, keepdim=True)
    variance = mean**2 - residual.pow(2).mean(-1, keepdim=True)
    return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "scaling by `w` before normalising", "`w` comes last, just before `b`: `normalised * self.w + self.b`."
)
def scaled_first(self, residual):
    return F.layer_norm(residual * self.w, (self.cfg.d_model,), None, self.b, self.cfg.layer_norm_eps)


@layer_norm.misconception(
    "applying `w` and `b` before normalising",
    "Normalising takes most of both away again. They come last: `normalised * self.w + self.b`.",
)
def scaled_and_shifted_first(self, residual):
    return F.layer_norm(residual * self.w + self.b, (self.cfg.d_model,), None, None, self.cfg.layer_norm_eps)


@layer_norm.misconception(
    "multiplying by `b` instead of adding it", "`b` is an offset: `normalised * self.w + self.b`."
)
def b_multiplied(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps).sqrt() * self.w * self.b


@layer_norm.misconception(
    "a matrix product with `w`", "`w` scales each dimension by its own number: write `*`, not `@`."
)
def product_with_w(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps).sqrt() @ self.w + self.b


@layer_norm.misconception("normalising twice", "Once is enough: return after the first `* self.w + self.b`.")
def twice(self, residual):
    once = F.layer_norm(residual, (self.cfg.d_model,), self.w, self.b, self.cfg.layer_norm_eps)
    return F.layer_norm(once, (self.cfg.d_model,), self.w, self.b, self.cfg.layer_norm_eps)


@layer_norm.misconception(
    "scaling between the smallest and the largest number",
    "LayerNorm has no minimum and no maximum: subtract the mean, divide by the root of (variance + eps).",
)
def min_max(self, residual):
    low, high = residual.amin(dim=-1, keepdim=True), residual.amax(dim=-1, keepdim=True)
    return (residual - low) / (high - low + self.cfg.layer_norm_eps) * self.w + self.b


@layer_norm.misconception(
    "a softmax", "It makes shares that add up to 1: subtract the mean, then divide by the root of (variance + eps)."
)
def softmaxed(self, residual):
    return residual.softmax(dim=-1) * self.w + self.b


@layer_norm.misconception(
    "a new nn.LayerNorm in `forward`",
    "Its weight and bias start anew in every call, and so does its eps: use `self.w`, `self.b` and `cfg`'s eps.",
)
def new_layer_norm(self, residual):
    return nn.LayerNorm(self.cfg.d_model)(residual)


@layer_norm.misconception("centring alone", "Divide by the root of (variance + eps) as well.")
def never_divided(self, residual):
    return parts(self, residual)[0] * self.w + self.b


@layer_norm.misconception("leaving out the scale `w`", "The last step is `normalised * self.w + self.b`.")
def no_scale(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps).sqrt() + self.b


@layer_norm.misconception("leaving out the offset `b`", "Add `self.b` once the vector has been scaled by `self.w`.")
def no_offset(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps).sqrt() * self.w


@layer_norm.misconception(
    "leaving out both `w` and `b`",
    "What is returned has neither `self.w` nor `self.b` in it: return `normalised * self.w + self.b`, with the "
    "parameters that `__init__` made.",
)
def no_scale_no_offset(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps).sqrt()


@layer_norm.also("leaving out both `w` and `b`")
def nothing_learned_no_eps(self, residual):
    centred, variance, _ = parts(self, residual)
    return centred / variance.sqrt()


@layer_norm.also("leaving out both `w` and `b`")
def nothing_learned_unbiased(self, residual):
    return parts(self, residual)[0] / residual.std(dim=-1, keepdim=True)


@layer_norm.misconception(
    "adding `b` before scaling by `w`", "`w` would scale the offset too: multiply first, then add."
)
def offset_before_scale(self, residual):
    centred, variance, eps = parts(self, residual)
    return (centred / (variance + eps).sqrt() + self.b) * self.w


@layer_norm.misconception(
    "normalising over the positions",
    "Mean and variance run over `dim=-1`, the d_model axis: each position is handled alone.",
)
def over_positions(self, residual):
    centred, variance, eps = parts(self, residual, dim=1)
    return centred / (variance + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "normalising over the batch",
    "`dim=0` is the batch axis, as in BatchNorm. Use `dim=-1`: no sentence may see another.",
)
def over_the_batch(self, residual):
    centred, variance, eps = parts(self, residual, dim=0)
    return centred / (variance + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "one mean and one variance for the whole tensor",
    "Without `dim=-1` all sentences and positions are averaged together. Give `dim=-1, keepdim=True` to both.",
)
def over_everything(self, residual):
    centred, variance, eps = parts(self, residual, dim=(0, 1, 2))
    return centred / (variance + eps).sqrt() * self.w + self.b


@layer_norm.also("one mean and one variance for the whole tensor")
def over_everything_unbiased(self, residual):
    variance = residual.var() + self.cfg.layer_norm_eps
    return (residual - residual.mean()) / variance.sqrt() * self.w + self.b


@layer_norm.misconception(
    "a mean over the whole tensor",
    "`residual.mean()` mixes sentences and positions: give the mean `dim=-1, keepdim=True` too.",
)
def mean_over_everything(self, residual):
    centred = residual - residual.mean()
    variance = centred.pow(2).mean(dim=-1, keepdim=True)
    return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.also("a mean over the whole tensor")
def mean_alone_over_everything(self, residual):
    _, variance, eps = parts(self, residual)
    return (residual - residual.mean()) / (variance + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "normalising over batch and positions",
    "That is BatchNorm: one mean for each dimension. LayerNorm averages over `dim=-1`, for each vector alone.",
)
def batch_norm(self, residual):
    centred, variance, eps = parts(self, residual, dim=(0, 1))
    return centred / (variance + eps).sqrt() * self.w + self.b


@layer_norm.also("normalising over batch and positions")
def torch_batch_norm(self, residual):
    dimensions_second, eps = residual.transpose(1, 2), self.cfg.layer_norm_eps
    return F.batch_norm(dimensions_second, None, None, self.w, self.b, training=True, eps=eps).transpose(1, 2)


@layer_norm.misconception(
    "a variance over the positions",
    "The mean runs over d_model and the variance over `pos`: give `dim=-1` to both.",
)
def variance_over_positions(self, residual):
    centred, _, eps = parts(self, residual)
    return centred / (residual.var(dim=1, keepdim=True, unbiased=False) + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "one mean and one variance for each sentence",
    "Averaging over `(1, 2)` mixes the positions of a sentence. Average over `dim=-1` alone.",
)
def over_each_sentence(self, residual):
    centred, variance, eps = parts(self, residual, dim=(1, 2))
    return centred / (variance + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "a mean without keepdim",
    "`residual.mean(dim=-1)` drops the d_model axis, so what is left lines up wrongly. Pass `keepdim=True`.",
)
def no_keepdim(self, residual):
    centred = residual - residual.mean(dim=-1)
    variance = centred.pow(2).mean(dim=-1, keepdim=True)
    return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.also("a mean without keepdim")
def no_keepdim_at_all(self, residual):
    variance = residual.var(dim=-1, unbiased=False) + self.cfg.layer_norm_eps
    return (residual - residual.mean(dim=-1)) / variance.sqrt() * self.w + self.b


@layer_norm.misconception(
    "a variance without keepdim",
    "`mean` and `var` drop the d_model axis, so the variance lines up with the wrong one. Write `keepdim=True` out: "
    "the second argument of `var` is `unbiased`.",
)
def variance_without_keepdim(self, residual):
    centred, _, eps = parts(self, residual)
    return centred / (centred.pow(2).mean(dim=-1) + eps).sqrt() * self.w + self.b


@layer_norm.also("a variance without keepdim")
def unbiased_variance_without_keepdim(self, residual):
    centred, _, eps = parts(self, residual)
    return centred / (residual.var(dim=-1) + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "adding the input back",
    "The block adds to the residual stream, LayerNorm does not: return the normalised vector alone.",
)
def residual_added(self, residual):
    centred, variance, eps = parts(self, residual)
    return residual + centred / (variance + eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "centring `residual` in place",
    "`-=` changes the residual stream, which every later layer still needs. Write `centred = residual - ...`.",
)
def in_place(self, residual):
    residual -= residual.mean(dim=-1, keepdim=True)
    variance = residual.pow(2).mean(dim=-1, keepdim=True)
    return residual / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "a mean and variance cut out of the graph",
    "They depend on `residual`, so gradients flow through them too: no `detach()`, `.data` or `torch.no_grad()`.",
)
def detached_statistics(self, residual):
    mean = residual.mean(dim=-1, keepdim=True).detach()
    variance = residual.var(dim=-1, keepdim=True, unbiased=False).detach()
    return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.also("a mean and variance cut out of the graph")
def detached_variance(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps).sqrt().detach() * self.w + self.b


@layer_norm.misconception(
    "working in half precision",
    "float16 keeps three digits. Stay in float32 from the input to the result.",
)
def in_half_precision(self, residual):
    centred, variance, eps = parts(self, residual.half())
    return (centred / (variance + eps).sqrt()).float() * self.w + self.b


@layer_norm.misconception(
    "returning half precision",
    "float32 goes in, float32 comes out: remove `.half()` and `.to(torch.float16)`.",
)
def returns_half(self, residual):
    return layer_norm.variants[0].component.forward(self, residual).half()


@layer_norm.misconception(
    "taking PyTorch's names for the parameters",
    "nn.LayerNorm calls them weight and bias. Here, as in TransformerLens, they are `w` and `b`.",
)
class TorchNames(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(cfg.d_model))
        self.bias = nn.Parameter(torch.zeros(cfg.d_model))


@layer_norm.misconception(
    "keeping `w` and `b` inside nn.LayerNorm",
    "They are then called `weight` and `bias`, with the module's name in front. Assign `self.w` and `self.b`, each an "
    "`nn.Parameter`, and compute with these.",
)
class InsideNnLayerNorm(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.norm = nn.LayerNorm(cfg.d_model)


@layer_norm.misconception(
    "one number for `w` and one for `b`",
    "Each dimension has a scale and an offset of its own: both need `cfg.d_model` numbers.",
)
class OneNumberEach(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.w = nn.Parameter(torch.ones(1))
        self.b = nn.Parameter(torch.zeros(1))


@layer_norm.misconception(
    "starting `w` at zero",
    "With a `w` of zeros the answer is `b`, whatever goes in: start with `torch.ones(cfg.d_model)`.",
)
class ZeroScale(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.w, self.b = nn.Parameter(torch.zeros(cfg.d_model)), nn.Parameter(torch.zeros(cfg.d_model))
