"""How LayerNorm goes wrong: what is done to a vector, and in which order."""

import torch.nn.functional as F
from torch import nn

from tests.ch03_layernorm import layer_norm
from tests.misconceptions.ch03_layernorm.layer_norm.variance import by_parts, parts, torch_layer_norm

layer_norm.misconception(
    "dividing the mean alone",
    "`residual - mean / ...` divides before it subtracts: put brackets round `(residual - mean)`.",
    "centred / → residual - residual.mean(dim=-1, keepdim=True) /",
    of=by_parts,
)
layer_norm.misconception(
    "dividing by `w` as well",
    "`w` is a factor, outside the brackets of what divides: `centred / (variance + eps).sqrt() * self.w`.",
    "(variance + eps).sqrt() * self.w → ((variance + eps).sqrt() * self.w)",
    of=by_parts,
)


@layer_norm.also("dividing by `w` as well")
def divided_by_w_and_b(self, residual):
    centred, variance, eps = parts(self, residual)
    return centred / ((variance + eps).sqrt() * self.w + self.b)


layer_norm.misconception(
    "scaling by `w + b`",
    "Leave out the brackets: `normalised * self.w + self.b` scales first, then shifts.",
    "* self.w + self.b → * (self.w + self.b)",
    of=by_parts,
)
layer_norm.misconception(
    "`w` and `b` in swapped roles",
    "`w` scales and `b` shifts: `normalised * self.w + self.b`.",
    "w + self.b → b + self.w",
    of=by_parts,
)


@layer_norm.also("`w` and `b` in swapped roles")
def shifted_by_w_then_scaled_by_b(self, residual):
    centred, variance, eps = parts(self, residual)
    return (centred / (variance + eps).sqrt() + self.w) * self.b


layer_norm.misconception(
    "scaling by `1 + w`",
    "Here `w` starts at 1 and is the scale itself: `normalised * self.w + self.b`.",
    "* self.w → * (1 + self.w)",
    of=by_parts,
)
layer_norm.misconception(
    "adding `w` instead of multiplying by it",
    "`w` is a scale: `normalised * self.w + self.b`.",
    "sqrt() * → sqrt() +",
    of=by_parts,
)
layer_norm.misconception(
    "`w` added in place of `b`",
    "`w` is the scale alone, the offset is `b`: `normalised * self.w + self.b`.",
    "self.b → self.w",
    of=by_parts,
)


@layer_norm.misconception(
    "applying `w` or `b` twice",
    "`F.layer_norm` applies what it is given: hand it both `self.w` and `self.b` and return its result, or neither, "
    "and apply both after it.",
    said_of=r"layer_norm\(|nn\.LayerNorm\(",
    otherwise="Each belongs there once, the scale first, then the offset: `normalised * self.w + self.b`.",
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


@layer_norm.also("applying `w` or `b` twice")
def w_and_b_twice_with_the_usual_eps(self, residual):
    return F.layer_norm(residual, (self.cfg.d_model,), self.w, self.b) * self.w + self.b


layer_norm.misconception(
    "subtracting `b`", "`b` is added: `normalised * self.w + self.b`.", "self.w + → self.w -", of=by_parts
)
layer_norm.misconception(
    "eps added to something other than the variance",
    "eps keeps the root away from 0, so it belongs under the root: `(variance + eps).sqrt()`.",
    ("(variance + eps).sqrt → variance.sqrt", "self.b → self.b + eps"),
    of=by_parts,
)
layer_norm.misconception(
    "eps added after the division",
    "By then it is too late to keep the root away from 0: put it under the root, `centred / (variance + eps).sqrt()`.",
    "return centred / (variance + eps).sqrt() → return (centred / variance.sqrt() + eps)",
    of=by_parts,
)
layer_norm.misconception(
    "multiplying the variance by eps",
    "eps is added: a variance of 0 times eps is still 0. `(variance + eps).sqrt()`.",
    "+ eps → * eps",
    of=by_parts,
)
layer_norm.also(
    "eps added to something other than the variance",
    "return centred / (variance + eps).sqrt → return (centred + eps) / variance.sqrt",
    of=by_parts,
)


@layer_norm.also("eps added to something other than the variance")
def eps_before_squaring(self, residual):
    centred, _, eps = parts(self, residual)
    centred = centred + eps
    return centred / centred.pow(2).mean(dim=-1, keepdim=True).sqrt() * self.w + self.b


layer_norm.misconception(
    "eps as the least that the variance may be",
    "eps is not a lower limit: add it to every variance, `(variance + self.cfg.layer_norm_eps).sqrt()`.",
    "(variance + eps).sqrt → variance.clamp(min=eps).sqrt",
    of=by_parts,
    said_of=r"clamp|\bclip|\bmaximum\(|\bmax\(",
)
layer_norm.misconception(
    "eps added twice",
    "Add eps once, to the variance, and nothing to the root: `(variance + eps).sqrt()`.",
    "(variance + eps).sqrt() → ((variance + eps).sqrt() + eps)",
    of=by_parts,
)
layer_norm.misconception(
    "subtracting eps",
    "It is added, so that the root never meets 0: `(variance + eps).sqrt()`.",
    "+ eps → - eps",
    of=by_parts,
)
layer_norm.misconception(
    "squaring eps", "Add `cfg.layer_norm_eps` to the variance as it is.", "+ eps → + eps**2", of=by_parts
)
layer_norm.also(
    "an eps that is not the config's",
    "+ eps → + 1e-6",
    "+ eps → + 1e-8",
    "+ eps → + 1e-3",
    "(variance + eps).sqrt() → (variance.sqrt() + 1e-5)",
    of=by_parts,
)
layer_norm.misconception(
    "the mean of the absolute deviations",
    "The variance is the mean of the *squares*: `centred.pow(2).mean(...)`.",
    "(variance + eps).sqrt() → (centred.abs().mean(dim=-1, keepdim=True) + eps)",
    of=by_parts,
)


@layer_norm.misconception(
    "dividing by the range, or by the largest number",
    "Divide by the standard deviation: the root of the mean of the squares, `centred.pow(2).mean(...)`, plus eps.",
)
def over_the_range(self, residual):
    centred, _, eps = parts(self, residual)
    span = residual.amax(dim=-1, keepdim=True) - residual.amin(dim=-1, keepdim=True)
    return centred / (span + eps) * self.w + self.b


layer_norm.also(
    "dividing by the range, or by the largest number",
    "(variance + eps).sqrt() → (centred.abs().amax(dim=-1, keepdim=True) + eps)",
    of=by_parts,
)
layer_norm.misconception(
    "squares that are never averaged",
    "Each number is divided by its own size here, so only its sign is left: average the squares over `dim=-1`.",
    "variance + → centred.pow(2) +",
    of=by_parts,
)
layer_norm.misconception(
    "a square where the root belongs",
    "The standard deviation is the root of the variance: `(variance + eps).sqrt()`.",
    ".sqrt() → ** 2",
    of=by_parts,
)
layer_norm.misconception(
    "subtracting the standard deviation",
    "The centred vector is divided by it: `centred / (variance + eps).sqrt()`.",
    "return centred / (variance + eps).sqrt() → return (centred - (variance + eps).sqrt())",
    of=by_parts,
)
layer_norm.misconception(
    "a division upside down",
    "The vector stands above, the root below: `centred / (variance + eps).sqrt()`.",
    "return centred / (variance + eps).sqrt() → return (variance + eps).sqrt() / centred",
    of=by_parts,
)
layer_norm.misconception(
    "the mean minus the vector", "Subtract the other way round: `residual - mean`.", "return → return -", of=by_parts
)
layer_norm.misconception(
    "adding the mean instead of subtracting it",
    "Centring takes the mean away: `residual - mean`.",
    "return centred → return (residual + residual.mean(dim=-1, keepdim=True))",
    of=by_parts,
)
layer_norm.also("adding the mean instead of subtracting it", "residual - → residual +")


@layer_norm.misconception(
    "subtracting the mean after dividing", "Centre first, then divide: `(residual - mean) / (variance + eps).sqrt()`."
)
def centred_last(self, residual):
    _, variance, eps = parts(self, residual)
    mean = residual.mean(dim=-1, keepdim=True)
    return (residual / (variance + eps).sqrt() - mean) * self.w + self.b


layer_norm.misconception(
    "a variance of the vector before it was centred",
    "Square `residual - mean`, not `residual`: the variance is measured from the mean.",
    "variance + → residual.pow(2).mean(dim=-1, keepdim=True) +",
    of=by_parts,
)
layer_norm.misconception(
    "squaring the mean instead of averaging the squares",
    "First the squares, then their mean: `centred.pow(2).mean(...)`. The mean of `centred` is 0.",
    "variance + → centred.mean(dim=-1, keepdim=True).pow(2) +",
    of=by_parts,
)
layer_norm.misconception(
    "averaging without squaring",
    "The mean of `centred` is 0: average its squares, `centred.pow(2)` or `centred ** 2`.",
    "variance + → centred.mean(dim=-1, keepdim=True) +",
    "(variance + eps).sqrt → ((centred * 2).mean(dim=-1, keepdim=True) + eps).sqrt",
    of=by_parts,
)


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


layer_norm.misconception(
    "scaling by `w` before normalising",
    "`w` comes last, just before `b`: `normalised * self.w + self.b`.",
    ", (self.cfg.d_model,), self.w → * self.w, (self.cfg.d_model,), None",
    of=torch_layer_norm,
)
layer_norm.misconception(
    "applying `w` and `b` before normalising",
    "Normalising takes most of both away again. They come last: `normalised * self.w + self.b`.",
    ", (self.cfg.d_model,), self.w, self.b → * self.w + self.b, (self.cfg.d_model,), None, None",
    of=torch_layer_norm,
)
layer_norm.misconception(
    "multiplying by `b` instead of adding it",
    "`b` is an offset: `normalised * self.w + self.b`.",
    "self.w + → self.w *",
    of=by_parts,
)
layer_norm.misconception(
    "a matrix product with `w`",
    "`w` scales each dimension by its own number: write `*`, not `@`.",
    "sqrt() * → sqrt() @",
    of=by_parts,
)


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


layer_norm.misconception(
    "a softmax",
    "A softmax makes shares that add up to 1. Subtract the mean, then divide by the root of (variance + eps).",
    lambda self, residual: residual.softmax(dim=-1) * self.w + self.b,
)
layer_norm.misconception(
    "a new nn.LayerNorm in `forward`",
    "Its weight and bias start anew in every call, and its eps is not the config's: use `self.w`, `self.b` and "
    "`cfg`'s eps.",
    lambda self, residual: nn.LayerNorm(self.cfg.d_model)(residual),
    said_of=r"\bLayerNorm\(",
    otherwise="`self.w`, `self.b` and `cfg`'s eps have no part in the answer, whose eps is 1e-5: use all three.",
)
layer_norm.misconception(
    "centring alone",
    "Divide by the root of (variance + eps) as well.",
    lambda self, residual: parts(self, residual)[0] * self.w + self.b,
)
layer_norm.misconception(
    "leaving out the scale `w`",
    "The last step is `normalised * self.w + self.b`.",
    "sqrt() * self.w → sqrt()",
    of=by_parts,
)
layer_norm.misconception(
    "leaving out the offset `b`",
    "Add `self.b` once the vector has been scaled by `self.w`.",
    "w + self.b → w",
    of=by_parts,
)
layer_norm.misconception(
    "leaving out both `w` and `b`",
    "What is returned has neither `self.w` nor `self.b` in it: return `normalised * self.w + self.b`, with the "
    "parameters that `__init__` made.",
    "sqrt() * self.w + self.b → sqrt()",
    "(variance + eps).sqrt() * self.w + self.b → variance.sqrt()",
    lambda self, residual: parts(self, residual)[0] / residual.std(dim=-1, keepdim=True),
    of=by_parts,
)
