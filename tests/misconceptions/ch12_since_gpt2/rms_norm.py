"""How `RMSNorm` goes wrong."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.ch12_since_gpt2 import rms_norm as exercise

W_CAST = r"\bw\.(?:to|type_as|type|half)\("

exercise.equivalent("residual.float() → residual.double()", "float64 is wider still, and differs in the last digit.")
exercise.equivalent("wide → residual", "A half divided by a float32 root is a float32 number too.")

# Right answers that look different.


@exercise.correct
def torch_rms_norm(self, residual):
    normalized = F.rms_norm(residual.float(), (self.cfg.d_model,), eps=self.cfg.rms_norm_eps)
    return normalized.to(residual.dtype) * self.w


@exercise.correct
def as_meta_writes_it(self, residual):
    def norm(x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps)

    return norm(residual.float()).type_as(residual) * self.w


@exercise.correct
def einsum_of_squares(self, residual):
    x = residual.to(torch.float32)
    mean_square = torch.einsum("...d,...d->...", x, x).unsqueeze(-1) / x.shape[-1]
    return self.w * (x / torch.sqrt(mean_square + self.cfg.rms_norm_eps)).to(residual.dtype)


@exercise.correct
def by_the_norm(self, residual):
    x = residual.float()
    rms = (x.norm(dim=-1, keepdim=True) ** 2 / self.cfg.d_model + self.cfg.rms_norm_eps) ** 0.5
    return torch.mul((x / rms).type_as(residual), self.w)


@exercise.correct
def in_double_precision(self, residual):
    x = residual.double()
    mean_square = (x @ x.mT).diagonal(dim1=-2, dim2=-1)[..., None] / x.shape[-1]
    return (x * (mean_square + self.cfg.rms_norm_eps).rsqrt()).to(residual.dtype) * self.w


@exercise.correct
class WithAnInnerModule(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.norm = nn.RMSNorm(cfg.d_model, eps=cfg.rms_norm_eps, elementwise_affine=False)

    def forward(self, residual):
        return self.norm(residual.float()).to(residual.dtype) * self.w


# What is divided by.

exercise.misconception(
    "subtracting the mean (that is LayerNorm)",
    "RMSNorm has no slide: square the numbers as they came, and divide the numbers as they came.",
    "wide = residual.float() → wide = residual.float() - residual.float().mean(dim=-1, keepdim=True)",
    lambda self, residual: (
        F.layer_norm(residual.float(), (self.cfg.d_model,), eps=self.cfg.rms_norm_eps).to(residual.dtype) * self.w
    ),
    lambda self, residual: F.layer_norm(residual, (self.cfg.d_model,), self.w, None, self.cfg.rms_norm_eps),
)
exercise.misconception(
    "dividing by the standard deviation",
    "The variance is measured from the mean, the mean square from 0: average the squares of the numbers as they came.",
    "wide.pow(2).mean(dim=-1, keepdim=True) → wide.var(dim=-1, keepdim=True, unbiased=False)",
    "wide.pow(2).mean(dim=-1, keepdim=True) → wide.var(dim=-1, keepdim=True)",
)
exercise.misconception(
    "dividing the centred vector by the root of the mean square",
    "The root is right, but what it divides must still have its mean: divide the numbers as they came.",
    "normalized = wide → normalized = (wide - wide.mean(dim=-1, keepdim=True))",
)
exercise.misconception(
    "adding the squares up instead of averaging them",
    "That brings each vector to norm 1. Divide the sum of the squares by d_model, as `mean` does.",
    "mean(dim → sum(dim",
    lambda self, residual: F.normalize(residual.float(), dim=-1).to(residual.dtype) * self.w,
    "(mean_square + self.cfg.rms_norm_eps).sqrt() → (wide.norm(dim=-1, keepdim=True) + self.cfg.rms_norm_eps)",
    said_of=r"\bsum\(|\bnorm\(|einsum|\bnormalize\(|vector_norm|@",
    otherwise="What is under the root must be the sum of the squares divided by d_model.",
)
exercise.misconception(
    "dividing the sum of the squares by d_model - 1",
    "The mean of the squares divides their sum by d_model. (d_model - 1 belongs to the unbiased variance.)",
    "mean(dim=-1, keepdim=True) → sum(dim=-1, keepdim=True) / (self.cfg.d_model - 1)",
)
exercise.misconception(
    "dividing the sum of the squares by the number of positions",
    "`residual.shape[1]` counts positions. The mean over d_model divides by `residual.shape[-1]`, or `cfg.d_model`.",
    "mean(dim=-1, keepdim=True) → sum(dim=-1, keepdim=True) / residual.shape[1]",
)
exercise.misconception(
    "dividing the sums by a fixed 4",
    "That was the example's `d_model`: divide by `residual.shape[-1]`, or use `mean`.",
    "mean(dim=-1, keepdim=True) → sum(dim=-1, keepdim=True) / 4",
)
exercise.misconception(
    "a mean square where its root belongs", "Divide by the *root* of (mean square + eps).", ".sqrt() → "
)
exercise.misconception(
    "a square where the root belongs",
    "The root of the mean square: `.sqrt()`, or `** 0.5`, not `** 2`.",
    ".sqrt() → ** 2",
)
exercise.misconception(
    "the mean of the absolute values",
    "RMS is the root of the mean of the *squares*; the mean of the absolute values is another number.",
    "(mean_square + self.cfg.rms_norm_eps).sqrt() → (wide.abs().mean(dim=-1, keepdim=True) + self.cfg.rms_norm_eps)",
    "wide.pow(2).mean(dim=-1, keepdim=True) → wide.abs().mean(dim=-1, keepdim=True).pow(2)",
    "wide.pow(2) → wide.abs()",
)
exercise.misconception(
    "squaring the mean instead of averaging the squares",
    "First the squares, then their mean: `.pow(2).mean(...)`. The square of the mean is another number.",
    "wide.pow(2).mean(dim=-1, keepdim=True) → wide.mean(dim=-1, keepdim=True).pow(2)",
)
exercise.misconception(
    "averaging without squaring",
    "Average the squares, by `.pow(2)`: the mean of the numbers themselves may be negative, and has no root then.",
    "wide.pow(2) → wide",
)
exercise.misconception(
    "squares that are never averaged",
    "Each number is divided by its own size here, so that only its sign is left: average the squares over `dim=-1`.",
    "wide.pow(2).mean(dim=-1, keepdim=True) → wide.pow(2)",
)
exercise.misconception(
    "dividing by the largest number",
    "Divide by the root of the mean of the squares, plus eps under the root.",
    "(mean_square + self.cfg.rms_norm_eps).sqrt() → (wide.abs().amax(dim=-1, keepdim=True) + self.cfg.rms_norm_eps)",
)
exercise.misconception(
    "multiplying by the root instead of dividing",
    "A long vector has to become shorter: divide by the root (or multiply by `torch.rsqrt`, which is 1 over the root).",
    "wide / → wide *",
)
exercise.misconception(
    "the root of the whole quotient",
    "The root belongs to the divisor alone. A negative number has none.",
    "wide / (mean_square + self.cfg.rms_norm_eps).sqrt() → (wide / (mean_square + self.cfg.rms_norm_eps)).sqrt()",
)

# eps.

exercise.misconception(
    "eps added outside the square root",
    "eps goes under the root: `(mean_square + eps).sqrt()`.",
    "(mean_square + self.cfg.rms_norm_eps).sqrt() → (mean_square.sqrt() + self.cfg.rms_norm_eps)",
    "(mean_square + self.cfg.rms_norm_eps).sqrt() → (mean_square.sqrt() + self.cfg.rms_norm_eps**0.5)",
)
exercise.misconception(
    "a mean square without eps",
    "Add `self.cfg.rms_norm_eps` to the mean square before the root; a tiny number such as 1e-12 is as good as none.",
    "(mean_square + self.cfg.rms_norm_eps).sqrt → mean_square.sqrt",
    not_of=r"clamp|\bclip|\bmaximum\(|\bmax\(",
    otherwise="eps is added to every mean square, whatever its size: `(mean_square + eps).sqrt()`.",
)
exercise.misconception(
    "an eps that is not the config's",
    "Take `self.cfg.rms_norm_eps`, not a number written out, and not PyTorch's own.",
    "self.cfg.rms_norm_eps → 1e-5",
    "self.cfg.rms_norm_eps → 1e-6",
    "self.cfg.rms_norm_eps → 1e-8",
    "self.cfg.rms_norm_eps → torch.finfo(torch.float32).eps",
)
exercise.misconception(
    "eps as the least that the mean square may be",
    "eps is not a lower limit: add it to every mean square, `(mean_square + eps).sqrt()`.",
    "(mean_square + self.cfg.rms_norm_eps).sqrt → mean_square.clamp(min=self.cfg.rms_norm_eps).sqrt",
    said_of=r"clamp|\bclip|\bmaximum\(|\bmax\(",
    otherwise="eps is added to every mean square, whatever its size: `(mean_square + eps).sqrt()`.",
)
exercise.misconception(
    "eps added to the numbers, or to the answer",
    "eps keeps the root away from 0, so it belongs under the root: `(mean_square + eps).sqrt()`.",
    ("(mean_square + self.cfg.rms_norm_eps).sqrt → mean_square.sqrt", "wide / → (wide + self.cfg.rms_norm_eps) /"),
    (
        "(mean_square + self.cfg.rms_norm_eps).sqrt → mean_square.sqrt",
        ".to(residual.dtype) * self.w → .to(residual.dtype) * self.w + self.cfg.rms_norm_eps",
    ),
    ("(mean_square + self.cfg.rms_norm_eps).sqrt → mean_square.sqrt", "pow(2) → add(self.cfg.rms_norm_eps).pow(2)"),
)
exercise.misconception(
    "squaring eps",
    "Add `cfg.rms_norm_eps` to the mean square as it is.",
    "self.cfg.rms_norm_eps) → self.cfg.rms_norm_eps**2)",
)
exercise.misconception(
    "subtracting eps", "It is added, so that the root never meets 0.", "mean_square + → mean_square -"
)
exercise.misconception(
    "an eps that is divided by d_model too",
    "The mean comes first, then eps, as it is: added to the sum, it would be divided with it.",
    "mean_square + self.cfg.rms_norm_eps → mean_square + self.cfg.rms_norm_eps / self.cfg.d_model",
)

# Along which axes.

exercise.misconception(
    "a mean over the positions",
    "`dim=1` counts the positions. The numbers of one vector lie along the last axis: `dim=-1`.",
    "mean(dim=-1 → mean(dim=1",
)
exercise.misconception(
    "a mean over the batch",
    "`dim=0` is the batch axis: no sentence may see another. Use `dim=-1`.",
    "mean(dim=-1 → mean(dim=0",
)
exercise.misconception(
    "one mean square for the whole tensor",
    "Without `dim=-1` all sentences and positions are averaged together: each vector has a mean square of its own.",
    "mean(dim=-1, keepdim=True) → mean()",
)
exercise.misconception(
    "one mean square for each sentence",
    "That mixes the positions of a sentence. Average over the last axis alone: `dim=-1`.",
    "mean(dim=-1 → mean(dim=(-2, -1)",
    "mean(dim=-1 → mean(dim=(1, 2)",
)
exercise.misconception(
    "axis 2 instead of the last axis",
    "Axis 2 is the last one only where there are three. With [batch pos head_index d_head] it is the heads: "
    "write `dim=-1`.",
    "mean(dim=-1 → mean(dim=2",
)
exercise.misconception(
    "a mean without keepdim",
    "`mean` drops the axis that it runs over, so the mean square lines up with the wrong one. Pass `keepdim=True`.",
    "mean(dim=-1, keepdim=True) → mean(dim=-1)",
)


@exercise.misconception(
    "names for exactly three axes",
    "It also meets [batch pos head_index d_head]: write `...` for the axes in front, or `dim=-1`.",
    said_of=r"einsum|\breduce\(|rearrange|unpack|\bshape\b|\bsize\(|\bview\(|\breshape\(",
    otherwise="It also meets [batch pos head_index d_head]: nothing may depend on how many axes stand in front.",
)
def three_axes_by_name(self, residual):
    wide = residual.float()
    mean_square = torch.einsum("bpd,bpd->bp", wide, wide)[..., None] / self.cfg.d_model
    return (wide / (mean_square + self.cfg.rms_norm_eps).sqrt()).to(residual.dtype) * self.w


@exercise.also("names for exactly three axes")
def three_sizes(self, residual):
    batch, pos, d_model = residual.shape
    wide = residual.float()
    mean_square = wide.pow(2).sum(dim=-1).view(batch, pos, 1) / d_model
    return (wide / (mean_square + self.cfg.rms_norm_eps).sqrt()).to(residual.dtype) * self.w


# w.

exercise.misconception(
    "leaving out the scale `w`",
    "The last step is a product with `self.w`.",
    ".to(residual.dtype) * self.w → .to(residual.dtype)",
)
exercise.misconception(
    "adding `w` instead of multiplying by it",
    "`w` is a scale: multiply by it.",
    ".to(residual.dtype) * self.w → .to(residual.dtype) + self.w",
)
exercise.misconception(
    "scaling by `1 + w`",
    "That is Gemma's RMSNorm, whose weight starts at 0. Here `w` starts at 1 and is the scale itself.",
    ".to(residual.dtype) * self.w → .to(residual.dtype) * (1 + self.w)",
    "return normalized.to(residual.dtype) * self.w → return (normalized * (1.0 + self.w.float())).to(residual.dtype)",
)
exercise.misconception(
    "scaling by `w` before normalising",
    "`w` comes last: normalising takes most of it away again.",
    (
        "wide = residual.float() → wide = residual.float() * self.w.float()",
        ".to(residual.dtype) * self.w → .to(residual.dtype)",
    ),
    (
        "wide = residual.float() → wide = (residual * self.w).float()",
        ".to(residual.dtype) * self.w → .to(residual.dtype)",
    ),
)
exercise.misconception(
    "dividing by `w` as well",
    "`w` is a factor of the whole, not of the root that divides.",
    ".to(residual.dtype) * self.w → .to(residual.dtype) / self.w",
)
exercise.misconception(
    "applying `w` twice",
    "Once is enough, at the very end. (PyTorch's rms_norm applies the weight that it is given.)",
    ".to(residual.dtype) * self.w → .to(residual.dtype) * self.w * self.w",
    lambda self, residual: (
        F.rms_norm(residual.float(), (self.cfg.d_model,), self.w, self.cfg.rms_norm_eps).to(residual.dtype) * self.w
    ),
)
exercise.misconception(
    "a matrix product with `w`",
    "`w` scales each dimension by its own number: write `*`, not `@`.",
    ".to(residual.dtype) * self.w → .to(residual.dtype) @ self.w",
)
exercise.misconception(
    "returning `residual` as it came",
    "Return what you computed: the normalised vector, times `w`.",
    lambda self, residual: residual,
)
exercise.misconception(
    "scaling by `w` alone",
    "Before that, divide by the root of (mean square + eps).",
    lambda self, residual: residual * self.w,
)
exercise.misconception(
    "adding the input back",
    "The block adds to the residual stream, RMSNorm does not: return the normalised vector alone.",
    "return normalized → return residual + normalized",
)


@exercise.misconception(
    "a division of `residual` in place",
    "Whoever called still needs `residual` as it was: write `residual / ...`, and nothing into `residual` itself.",
)
def in_place(self, residual):
    mean_square = residual.float().pow(2).mean(dim=-1, keepdim=True)
    residual /= (mean_square + self.cfg.rms_norm_eps).sqrt()
    return residual * self.w


exercise.misconception(
    "a root cut out of the graph",
    "It depends on `residual`, so gradients must flow through it: no `detach`, no `no_grad`.",
    "sqrt() → sqrt().detach()",
)

# Half precision.

exercise.misconception(
    "multiplying by `w` before the cast back",
    "Here, as in Llama, the normalised vector is brought back to the dtype of `residual` first, and `w` comes after. "
    "(Gemma and OLMo 2 have the other order. So has PyTorch's `F.rms_norm` if it is given a weight: give it none.)",
    "normalized.to(residual.dtype) * self.w → (normalized * self.w).to(residual.dtype)",
    "normalized.to(residual.dtype) * self.w → (self.w * normalized).to(residual.dtype)",
    lambda self, residual: F.rms_norm(residual, (self.cfg.d_model,), self.w, self.cfg.rms_norm_eps),
    lambda self, residual: F.rms_norm(residual.float(), (self.cfg.d_model,), self.w, self.cfg.rms_norm_eps).to(
        residual.dtype
    ),
    not_of=W_CAST,
    otherwise="`w` is multiplied last, as it is, and nothing is cast after that.",
)
exercise.misconception(
    "bringing `w` to the dtype of `residual`",
    "`w` stays as it is: half precision times float32 is float32, and `w` keeps its digits.",
    ".to(residual.dtype) * self.w → .to(residual.dtype) * self.w.to(residual.dtype)",
    said_of=W_CAST,
    otherwise="The product with `w` is the last step, and nothing is cast there or after it.",
)
exercise.misconception(
    "squares in half precision",
    "float16 ends at 65504, so the square of 256 is infinite, and the vector divided by it 0. Bring `residual` to "
    "float32 first: `residual.float()`.",
    "wide = residual.float() → wide = residual",
    ("residual.float() → residual", "normalized.to(residual.dtype) → normalized"),
    lambda self, residual: (
        residual * torch.rsqrt(residual.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps) * self.w
    ),
)
exercise.misconception(
    "squares in half precision, and a mean in float32",
    "`residual.float()` comes before the squares: an infinite square stays infinite in float32.",
    "wide.pow(2) → residual.pow(2).float()",
    "wide.pow(2) → (residual * residual).float()",
)
exercise.misconception(
    "an answer that is never brought back to the dtype of `residual`",
    "Half precision in, half precision out: `normalized.to(residual.dtype)`, and then the product with `self.w`.",
    "normalized.to(residual.dtype) → normalized",
)
exercise.misconception(
    "a cast to float16, whatever came in",
    "Back to what `residual` had, which may be bfloat16 or float32: `.to(residual.dtype)`, or `.type_as(residual)`.",
    "normalized.to(residual.dtype) → normalized.half()",
)
exercise.misconception(
    "a cast to bfloat16, whatever came in",
    "Back to what `residual` had, which may be float16 or float32: `.to(residual.dtype)`, or `.type_as(residual)`.",
    "normalized.to(residual.dtype) → normalized.bfloat16()",
)

# __init__.


@exercise.misconception(
    "starting `w` at zero",
    "With a `w` of zeros the answer is 0, whatever goes in (Gemma's starts there, because it scales by 1 + w): start "
    "with `torch.ones(cfg.d_model)`.",
)
class ZeroScale(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(cfg.d_model))


@exercise.misconception("a bias that RMSNorm does not have", "Nothing is added at the end: RMSNorm has `w` alone.")
class WithABias(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))


@exercise.misconception(
    "taking PyTorch's name for the parameter",
    "nn.RMSNorm and Llama call it `weight`. Here, as in TransformerLens, it is `w`.",
)
class TorchName(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(cfg.d_model))


@exercise.misconception(
    "keeping `w` inside nn.RMSNorm",
    "It is then called `weight`, with the module's name in front. Assign `self.w`, an `nn.Parameter`, and multiply by "
    "it yourself.",
)
class InsideNnRMSNorm(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.norm = nn.RMSNorm(cfg.d_model)


@exercise.misconception("one number for `w`", "Each dimension has a scale of its own: `w` needs `cfg.d_model` numbers.")
class OneNumber(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.w = nn.Parameter(torch.ones(1))
