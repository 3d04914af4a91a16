"""How LayerNorm goes wrong: the variance, and the eps in it."""

import torch
import torch.nn.functional as F

from tests.ch03_layernorm import layer_norm

AN_EPS = r"eps\b|\d[eE]-\d|\b0?\.0+[1-9]"  # or a number in its place

layer_norm.equivalent("-1 → 2", "The input has three axes, so that the last one is also number 2.")
layer_norm.equivalent(
    "centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w → "
    "centred * self.w / (variance + self.cfg.layer_norm_eps).sqrt()",
    "Only the last digit differs with the order of a multiplication and a division.",
)


def parts(self, residual, dim: int | tuple[int, ...] = -1):
    """The centred input and its variance, both over `dim`, and eps."""
    centred = residual - residual.mean(dim=dim, keepdim=True)
    return centred, centred.pow(2).mean(dim=dim, keepdim=True), self.cfg.layer_norm_eps


def by_parts(self, residual):
    """A right answer, for changes of it."""
    centred, variance, eps = parts(self, residual)
    return centred / (variance + eps).sqrt() * self.w + self.b


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
    said_of=r"\b(?:var|std)(?:_mean)?\(",
    otherwise="The variance is the mean of the squares: their sum is divided by d_model, not by d_model - 1.",
)
def unbiased_variance(self, residual):
    variance = residual.var(dim=-1, keepdim=True) + self.cfg.layer_norm_eps
    return (residual - residual.mean(dim=-1, keepdim=True)) / variance.sqrt() * self.w + self.b


layer_norm.misconception(
    "eps added outside the square root",
    "GPT-2 takes the root of (variance + eps), so eps goes inside: `(variance + eps).sqrt()`.",
    "(variance + eps).sqrt() → (variance.sqrt() + eps)",
    "(variance + eps).sqrt() → (variance.sqrt() + eps**0.5)",
    of=by_parts,
)
layer_norm.misconception(
    "a variance without eps",
    "Add `self.cfg.layer_norm_eps` to the variance before the root; a tiny number such as 1e-12 is as good as none.",
    "(variance + eps).sqrt → variance.sqrt",
    of=by_parts,
    not_of=r"clamp|\bclip|\bmaximum\(|\bmax\(",
)
layer_norm.misconception(
    "an eps that is not the config's",
    "Take `self.cfg.layer_norm_eps`, not a number written out or PyTorch's own 1e-5.",
    "+ eps → + 1e-5",
    of=by_parts,
)
layer_norm.misconception(
    "dividing by the variance",
    "Divide by the standard deviation: take the square root of (variance + eps) first.",
    ".sqrt() → ",
    "(variance + eps).sqrt() → variance",
    "+ eps → **2 + eps",
    of=by_parts,
)
layer_norm.misconception(
    "the root of eps alone",
    "Take the root of the sum: `(variance + eps) ** 0.5`, with brackets, for `**` comes before `+`.",
    "(variance + eps).sqrt() → (variance + eps**0.5)",
    of=by_parts,
)
layer_norm.misconception(
    "the root of the whole quotient",
    "The root belongs to the divisor alone: `centred / (variance + eps).sqrt()`. A negative number has none.",
    "return centred / (variance + eps).sqrt → return (centred / (variance + eps)).sqrt",
    of=by_parts,
)
layer_norm.misconception(
    "returning `residual` as it came",
    "Return what you computed: the normalised vector, times `w`, plus `b`.",
    lambda self, residual: residual,
)


@layer_norm.misconception(
    "dividing without centring first (that is RMSNorm)",
    "GPT-2 subtracts the mean over d_model from the vector before it divides.",
)
def not_centred(self, residual):
    mean_square = residual.pow(2).mean(dim=-1, keepdim=True)
    return residual / (mean_square + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


layer_norm.also("dividing without centring first (that is RMSNorm)", "w + self.b → w", of=not_centred)
layer_norm.misconception(
    "dividing the vector before its mean was subtracted",
    "The variance is right, but the vector that it divides must be `residual - mean`, not `residual`.",
    "centred / → residual /",
    of=by_parts,
)


@layer_norm.misconception(
    "the variance as mean of squares minus squared mean",
    "True on paper, but float32 loses its digits where the mean is large: centre first, then average the squares.",
)
def mean_of_squares(self, residual):
    mean = residual.mean(-1, keepdim=True)
    variance = (residual**2).mean(-1, keepdim=True) - mean**2
    return (residual - mean) * torch.rsqrt(variance + self.cfg.layer_norm_eps) * self.w + self.b


layer_norm.misconception(
    "adding the squares up instead of averaging them",
    "With `w` = 1 and `b` = 0 your vectors have variance 1/d_model, not 1. Divide the sum of the squares by d_model, "
    "as `mean` does.",
    "+ eps → * self.cfg.d_model + eps",
    of=by_parts,
)
layer_norm.misconception(
    "dividing the sum by the number of positions",
    "The mean over d_model divides by `residual.shape[-1]`, or `cfg.d_model`; `residual.shape[1]` counts positions.",
    "+ eps → * self.cfg.d_model / residual.shape[1] + eps",
    of=by_parts,
)


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


layer_norm.also(
    "GPT-2's 768 in the place of the config's d_model",
    lambda self, residual: divided_by_768(self, residual, variance=False),
    lambda self, residual: divided_by_768(self, residual, mean=False),
)


@layer_norm.misconception(
    "another answer when nobody trains",
    "That is BatchNorm's habit: LayerNorm does the same in training and after `eval()`, with each vector's own mean.",
)
def normalised_in_training(self, residual):
    if not self.training:
        return residual * self.w + self.b
    return F.layer_norm(residual, self.w.shape, self.w, self.b, self.cfg.layer_norm_eps)


layer_norm.misconception(
    "dividing by the vector's norm",
    "A norm adds the squares up, where the variance averages them: subtract the mean, then divide by `(variance + "
    "eps).sqrt()`.",
    "(variance + eps).sqrt() → (centred.norm(dim=-1, keepdim=True) + eps)",
    of=by_parts,
)


@layer_norm.also("dividing by the vector's norm")
def norm_without_eps(self, residual):
    centred, _, _ = parts(self, residual)
    return centred / centred.norm(dim=-1, keepdim=True) * self.w + self.b


layer_norm.also(
    "dividing by the vector's norm",
    "centred / (variance + eps).sqrt() → F.normalize(centred, dim=-1, eps=eps)",
    lambda self, residual: residual / residual.norm(dim=-1, keepdim=True) * self.w + self.b,
    of=by_parts,
)
layer_norm.misconception(
    "subtracting the sum instead of the mean",
    "The mean is the sum divided by d_model: use `mean`, not `sum`.",
    "residual.mean → residual.sum",
)
layer_norm.also(
    "subtracting the sum instead of the mean",
    "return centred → return (residual - residual.sum(dim=-1, keepdim=True))",
    of=by_parts,
)


@layer_norm.misconception(
    "mean and variance in swapped roles",
    "The mean is subtracted, and the root is taken of the variance. (`torch.var_mean` and `torch.std_mean` give the "
    "mean second: `variance, mean = ...`.)",
)
def swapped(self, residual):
    mean, variance = torch.var_mean(residual, dim=-1, correction=0, keepdim=True)
    return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


layer_norm.also(
    "mean and variance in swapped roles", "1, correction=0 → 1", ("var_mean → std_mean", ".sqrt() → "), of=swapped
)


@layer_norm.also("mean and variance in swapped roles")
def swapped_deviation_unbiased(self, residual):
    mean, deviation = torch.std_mean(residual, dim=-1, keepdim=True)
    return (residual - mean) / (deviation + self.cfg.layer_norm_eps) * self.w + self.b


layer_norm.also("mean and variance in swapped roles", ("var_mean → std_mean", "variance + → variance**2 +"), of=swapped)
layer_norm.misconception(
    "multiplying by the standard deviation",
    "The vector is divided by it. (`rsqrt` is already one over the root: multiply by that, or divide by `sqrt`.)",
    "(variance + eps).sqrt() → torch.rsqrt(variance + eps)",
    of=by_parts,
)


@layer_norm.misconception(
    "the standard deviation by d_model - 1, with eps added to it",
    "The Annotated Transformer does so. GPT-2 takes `var(unbiased=False)`, then adds eps, then takes the root.",
    said_of=AN_EPS,
)
def annotated_transformer(self, residual):
    deviation = residual.std(dim=-1, keepdim=True)
    return self.w * (residual - residual.mean(dim=-1, keepdim=True)) / (deviation + self.cfg.layer_norm_eps) + self.b


@layer_norm.misconception(
    "the standard deviation by d_model - 1, and no eps",
    "GPT-2 divides by the root of (variance + eps): `var(unbiased=False)`, then add `self.cfg.layer_norm_eps`, then "
    "take the root.",
    not_of=AN_EPS,
)
def unbiased_deviation_alone(self, residual):
    deviation = residual.std(dim=-1, keepdim=True)
    return self.w * (residual - residual.mean(dim=-1, keepdim=True)) / deviation + self.b


layer_norm.misconception(
    "the root of the standard deviation",
    "One root is enough: the standard deviation is the root of the variance. Use `(variance + eps).sqrt()`.",
    "variance + → variance.sqrt() +",
    "variance + → residual.std(dim=-1, keepdim=True) +",
    of=by_parts,
)
layer_norm.misconception(
    "a division that ends before `+ eps`",
    "`/` and `*` bind before `+`: put brackets round all that divides, `centred / (variance + eps).sqrt()`.",
    "(variance + eps).sqrt() → variance.sqrt() + eps",
    "(variance + eps).sqrt() → variance + eps**0.5",
    of=by_parts,
)
