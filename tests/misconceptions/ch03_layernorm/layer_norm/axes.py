"""How LayerNorm goes wrong: along which axes, and in what form."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.ch03_layernorm import layer_norm
from tests.misconceptions.ch03_layernorm.layer_norm.variance import by_parts

layer_norm.misconception(
    "adding `b` before scaling by `w`",
    "`w` would scale the offset too: multiply first, then add.",
    "centred / (variance + eps).sqrt() * self.w + self.b → (centred / (variance + eps).sqrt() + self.b) * self.w",
    of=by_parts,
)
layer_norm.misconception(
    "normalising over the positions",
    "Mean and variance run over `dim=-1`, the d_model axis: each position is handled alone.",
    "eps = parts(self, residual) → eps = parts(self, residual, dim=1)",
    of=by_parts,
)


@layer_norm.also("normalising over the positions")
def layer_norm_1d(self, residual):
    """As in Karpathy's lectures, where x is [batch d_model] and 1 is its last axis."""
    mean, variance = residual.mean(1, keepdim=True), residual.var(1, keepdim=True)
    return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.also("normalising over the positions")
def layer_norm_1d_with_its_eps(self, residual):
    mean, variance = residual.mean(1, keepdim=True), residual.var(1, keepdim=True)
    return (residual - mean) / (variance + 1e-5).sqrt() * self.w + self.b


layer_norm.misconception(
    "normalising over the batch",
    "`dim=0` is the batch axis, as in BatchNorm. Use `dim=-1`: no sentence may see another.",
    "eps = parts(self, residual) → eps = parts(self, residual, dim=0)",
    of=by_parts,
)


@layer_norm.also("normalising over the batch")
def batch_norm_1d(self, residual):
    """As in Karpathy's lectures."""
    mean, variance = residual.mean(0, keepdim=True), residual.var(0, keepdim=True)
    return (residual - mean) / (variance + 1e-5).sqrt() * self.w + self.b


@layer_norm.also("normalising over the batch")
def batch_norm_1d_biased(self, residual):
    mean, variance = residual.mean(0, keepdim=True), residual.var(0, keepdim=True, unbiased=False)
    return (residual - mean) / (variance + 1e-5).sqrt() * self.w + self.b


layer_norm.misconception(
    "one mean and one variance for the whole tensor",
    "Without `dim=-1` all sentences and positions are averaged together. Give `dim=-1, keepdim=True` to both.",
    "eps = parts(self, residual) → eps = parts(self, residual, dim=(0, 1, 2))",
    of=by_parts,
)


@layer_norm.also("one mean and one variance for the whole tensor")
def over_everything_unbiased(self, residual):
    variance = residual.var() + self.cfg.layer_norm_eps
    return (residual - residual.mean()) / variance.sqrt() * self.w + self.b


@layer_norm.misconception(
    "a mean over the whole tensor",
    "Each vector has a mean of its own, by `dim=-1, keepdim=True`: `residual.mean()` mixes sentences and positions.",
)
def mean_over_everything(self, residual):
    centred = residual - residual.mean()
    variance = centred.pow(2).mean(dim=-1, keepdim=True)
    return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


layer_norm.also("a mean over the whole tensor", "centred / → (residual - residual.mean()) /", of=by_parts)
layer_norm.misconception(
    "normalising over batch and positions",
    "That is BatchNorm: one mean for each dimension. LayerNorm averages over `dim=-1`, for each vector alone.",
    "eps = parts(self, residual) → eps = parts(self, residual, dim=(0, 1))",
    of=by_parts,
)


@layer_norm.also("normalising over batch and positions")
def torch_batch_norm(self, residual):
    dimensions_second, eps = residual.transpose(1, 2), self.cfg.layer_norm_eps
    return F.batch_norm(dimensions_second, None, None, self.w, self.b, training=True, eps=eps).transpose(1, 2)


@layer_norm.also("normalising over batch and positions")
def batch_norm_of_a_flat_tensor(self, residual):
    flat, eps = residual.flatten(0, 1), self.cfg.layer_norm_eps
    return F.batch_norm(flat, None, None, self.w, self.b, training=True, eps=eps).view_as(residual)


layer_norm.misconception(
    "a variance over the positions",
    "The mean runs over d_model and the variance over `pos`: give `dim=-1` to both.",
    "(variance + eps) → (residual.var(dim=1, keepdim=True, unbiased=False) + eps)",
    of=by_parts,
)
layer_norm.misconception(
    "one mean and one variance for each sentence",
    "That mixes the positions of a sentence. Average over `dim=-1` alone, for each vector by itself.",
    "eps = parts(self, residual) → eps = parts(self, residual, dim=(1, 2))",
    of=by_parts,
)


@layer_norm.misconception(
    "a mean without keepdim",
    "`residual.mean(dim=-1)` drops the d_model axis, so the mean lines up with the wrong one. Keep it as an axis of "
    "size 1: `keepdim=True`, or `b p d -> b p 1` in einops.",
)
def no_keepdim(self, residual):
    centred = residual - residual.mean(dim=-1)
    variance = centred.pow(2).mean(dim=-1, keepdim=True)
    return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.also("a mean without keepdim")
def no_keepdim_at_all(self, residual):
    variance = residual.var(dim=-1, unbiased=False) + self.cfg.layer_norm_eps
    return (residual - residual.mean(dim=-1)) / variance.sqrt() * self.w + self.b


layer_norm.misconception(
    "a variance without keepdim",
    "`mean` and `var` drop the d_model axis, so the variance lines up with the wrong one. Write `keepdim=True` by "
    "name, because the second argument of `var` is `unbiased`.",
    "(variance + eps) → (centred.pow(2).mean(dim=-1) + eps)",
    "(variance + eps) → (residual.var(dim=-1) + eps)",
    of=by_parts,
)
layer_norm.misconception(
    "adding the input back",
    "The block adds to the residual stream, LayerNorm does not: return the normalised vector alone.",
    "return centred → return residual + centred",
    of=by_parts,
)


@layer_norm.misconception(
    "centring `residual` in place",
    "Every later layer still needs the caller's `residual` as it was: write `centred = residual - ...`, and neither "
    "into `residual` nor into what shares its memory.",
)
def in_place(self, residual):
    residual -= residual.mean(dim=-1, keepdim=True)
    variance = residual.pow(2).mean(dim=-1, keepdim=True)
    return residual / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


@layer_norm.misconception(
    "a mean and variance cut out of the graph",
    "They depend on `residual`, so gradients must flow through them: no `detach`.",
)
def detached_statistics(self, residual):
    mean = residual.mean(dim=-1, keepdim=True).detach()
    variance = residual.var(dim=-1, keepdim=True, unbiased=False).detach()
    return (residual - mean) / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b


layer_norm.also("a mean and variance cut out of the graph", "sqrt() → sqrt().detach()", of=by_parts)
layer_norm.misconception(
    "working in half precision",
    "float16 keeps three digits. Stay in float32 from the input to the result.",
    (
        "eps = parts(self, residual) → eps = parts(self, residual.half())",
        "centred / (variance + eps).sqrt() → (centred / (variance + eps).sqrt()).float()",
    ),
    of=by_parts,
)
layer_norm.misconception(
    "returning half precision",
    "float32 goes in, float32 comes out: stay in it to the end.",
    lambda self, residual: layer_norm.variants[0].component.forward(self, residual).half(),
)


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
