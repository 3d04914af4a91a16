"""How Unembed goes wrong, and right answers that look different."""

from dataclasses import replace

import einops
import torch
import torch.nn.functional as F
from torch import nn

from solutions.ch06_unembed import Unembed as ReferenceUnembed
from tests.ch06_unembed import unembed

unembed.equivalent("self.b_U → self.b_U.detach()", "`b_U` is frozen: it gets no gradient either way.")


@unembed.correct
def by_einsum(self, normalized_resid_final):
    pattern = "batch pos d_model, d_model d_vocab -> batch pos d_vocab"
    return einops.einsum(normalized_resid_final, self.W_U, pattern) + self.b_U


@unembed.correct
def by_linear(self, normalized_resid_final):
    return F.linear(normalized_resid_final, self.W_U.T, self.b_U)


@unembed.correct
def by_addmm(self, normalized_resid_final):
    flat = torch.addmm(self.b_U, normalized_resid_final.flatten(0, 1), self.W_U)
    return flat.view(*normalized_resid_final.shape[:2], -1)


@unembed.correct
def one_sentence_at_a_time(self, normalized_resid_final):
    return torch.stack([torch.matmul(sentence, self.W_U) for sentence in normalized_resid_final]) + self.b_U


@unembed.correct
def products_and_sum(self, normalized_resid_final):
    return (normalized_resid_final[..., None] * self.W_U).sum(dim=-2) + self.b_U[None, None]


@unembed.correct
def in_double_precision(self, normalized_resid_final):
    return (normalized_resid_final.double() @ self.W_U.double() + self.b_U.double()).float()


@unembed.correct
class BiasFrozenLater(nn.Module):
    """`b_U` is made like every other parameter and frozen afterwards; `W_U` is drawn with randn."""

    def __init__(self, cfg):
        super().__init__()
        self.W_U = nn.Parameter(torch.randn(cfg.d_model, cfg.d_vocab) * cfg.init_range)
        self.b_U = nn.Parameter(torch.zeros(cfg.d_vocab))
        self.b_U.requires_grad_(False)

    def forward(self, normalized_resid_final):
        return torch.tensordot(normalized_resid_final, self.W_U, dims=1).add(self.b_U)


# Wrong answers.


@unembed.misconception(
    "a `W_U` with its axes swapped", "`W_U` goes from the stream to the vocabulary: [d_model d_vocab], as `W_E.T` is."
)
class SwappedTable(ReferenceUnembed):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.W_U = nn.Parameter(torch.randn(cfg.d_vocab, cfg.d_model) * cfg.init_range)


@unembed.misconception(
    "keeping the matrix inside nn.Linear",
    "Its parameters are then the Linear's `weight` and `bias`. Assign `self.W_U` and `self.b_U` themselves, as given.",
)
class InsideNnLinear(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.linear = nn.Linear(cfg.d_model, cfg.d_vocab)


@unembed.also("keeping the matrix inside nn.Linear")
class InsideNnLinearWithoutBias(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.lm_head = nn.Linear(cfg.d_model, cfg.d_vocab, bias=False)


@unembed.misconception(
    "a vocabulary rounded up",
    "nanoGPT rounds d_vocab up to a multiple of 64, for speed. Here the sizes are as given: `cfg.d_model, cfg.d_vocab` "
    "and `cfg.d_vocab`.",
)
class RoundedUp(ReferenceUnembed):
    def __init__(self, cfg, multiple=64):
        super().__init__(replace(cfg, d_vocab=-(-cfg.d_vocab // multiple) * multiple))


for multiple in (8, 128):

    @unembed.also("a vocabulary rounded up")
    class RoundedUpOtherwise(RoundedUp):
        def __init__(self, cfg, multiple=multiple):
            super().__init__(cfg, multiple)


@unembed.misconception(
    "having no parameter `b_U`",
    "GPT-2 has no such bias, but TransformerLens's weights do, all 0. Keep it as given, so that they load by name: an "
    "nn.Parameter with `requires_grad=False`, not a buffer or a plain tensor.",
)
class NoBiasAtAll(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_U = nn.Parameter(torch.randn(cfg.d_model, cfg.d_vocab) * cfg.init_range)


@unembed.misconception(
    "a bias for each dimension of the stream", "`b_U` is added to the logits: one number for each token, [d_vocab]."
)
class BiasOfTheStream(ReferenceUnembed):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.b_U = nn.Parameter(torch.zeros(cfg.d_model), requires_grad=False)


@unembed.misconception(
    "a `b_U` that learns",
    "GPT-2 has no bias here, so `b_U` must stay 0: `nn.Parameter(torch.zeros(cfg.d_vocab), requires_grad=False)`.",
)
class TrainableBias(ReferenceUnembed):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.b_U.requires_grad_(True)


@unembed.misconception(
    "a `b_U` that starts with random numbers",
    "GPT-2 has no bias here: `b_U` is frozen at 0, `torch.zeros(cfg.d_vocab)`.",
)
class RandomBias(ReferenceUnembed):
    def __init__(self, cfg):
        super().__init__(cfg)
        nn.init.normal_(self.b_U, std=cfg.init_range)


@unembed.misconception(
    "a `W_U` of zeros",
    "All logits would start at 0, and no gradient would reach the stream: start it at random, "
    "`nn.init.normal_(self.W_U, std=cfg.init_range)`.",
)
class ZeroTable(ReferenceUnembed):
    def __init__(self, cfg):
        super().__init__(cfg)
        nn.init.zeros_(self.W_U)


@unembed.misconception(
    "a `W_U` drawn with standard deviation 1",
    "GPT-2's weights start small: `nn.init.normal_(self.W_U, std=cfg.init_range)`.",
)
class UnitTable(ReferenceUnembed):
    def __init__(self, cfg):
        super().__init__(cfg)
        nn.init.normal_(self.W_U)


unembed.misconception(
    "leaving out `b_U`",
    "Add `self.b_U` to the product. It is 0 in GPT-2, but the module has it, and the test gives it other numbers.",
    "W_U + self.b_U → W_U",
)
unembed.misconception(
    "subtracting `b_U`", "It is added: `normalized_resid_final @ self.W_U + self.b_U`.", "W_U + → W_U -"
)
unembed.misconception(
    "multiplying by `b_U` instead of adding it",
    "`b_U` is an offset for each token: add it to the product.",
    "W_U + → W_U *",
)
unembed.misconception(
    "adding `b_U` twice",
    "The result holds `b_U` twice: add it once, by hand or through F.linear or addmm, which add it themselves.",
    "W_U + → W_U + 2 *",
)
unembed.misconception(
    "adding `b_U` to the matrix",
    "`b_U` is added to the product, once for each position: `x @ self.W_U + self.b_U`, where the product comes first.",
    "@ self.W_U + self.b_U → @ (self.W_U + self.b_U)",
)
unembed.misconception(
    "a product with `W_U` transposed",
    "`W_U` is [d_model d_vocab]: `@` takes it as it is, an einsum as `dv`, and F.linear transposed, `self.W_U.T`.",
    "W_U + → W_U.T +",
    lambda self, normalized_resid_final: F.linear(normalized_resid_final, self.W_U, self.b_U),
    lambda self, normalized_resid_final: torch.einsum("bpd,vd->bpv", normalized_resid_final, self.W_U) + self.b_U,
)
unembed.misconception(
    "a `W_U` reshaped where a transpose is meant",
    "`view` and `reshape` only cut the numbers of `W_U` into other rows. `@` takes `self.W_U` as it is, and F.linear "
    "takes `self.W_U.T`.",
    "W_U.T → W_U.reshape(self.cfg.d_vocab, -1)",
    of=by_linear,
)
unembed.misconception(
    "the product in the wrong order",
    "The stream comes first: `normalized_resid_final @ self.W_U`.",
    lambda self, normalized_resid_final: self.W_U @ normalized_resid_final + self.b_U,
    lambda self, normalized_resid_final: self.W_U.T @ normalized_resid_final + self.b_U,
)
unembed.misconception(
    "the stream lined up with d_vocab numbers before the product",
    "Take the matrix product first, with `@` or an einsum and not `*`; only then add `b_U`, to the logits.",
    "@ → *",
)


@unembed.misconception(
    "a row of `W_U` in the place of a token's column",
    "`W_U[token]` is a row, of d_vocab numbers. The vector that a token's score is made with is a column: "
    "`W_U[:, token]`.",
)
def a_row_for_a_column(self, normalized_resid_final):
    scores = []
    for token in range(self.cfg.d_vocab):
        row = self.W_U[token]
        scores.append((normalized_resid_final * row).sum(dim=-1) + self.b_U[token])
    return torch.stack(scores, dim=-1)


@unembed.also("a row of `W_U` in the place of a token's column")
def a_product_with_each_row(self, normalized_resid_final):
    scores = []
    for token in range(self.cfg.d_vocab):
        scores.append(normalized_resid_final @ self.W_U[token])
    return torch.stack(scores, dim=-1) + self.b_U


unembed.misconception(
    "probabilities in place of logits",
    "The scores go out as they are: whoever needs probabilities takes the softmax of them.",
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U + self.b_U).softmax(dim=-1),
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U).softmax(dim=-1),
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U + self.b_U).softmax(dim=1),
)
unembed.misconception(
    "log-probabilities in place of logits",
    "Logits need not be normalised: leave the (log) softmax to the loss, which takes it itself.",
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U + self.b_U).log_softmax(dim=-1),
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U + self.b_U).softmax(dim=-1).log(),
)
unembed.misconception(
    "a sigmoid on each logit",
    "A logit may be any number, but these lie between 0 and 1: return the product plus `b_U`. Turning scores into "
    "probabilities comes later.",
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U + self.b_U).sigmoid(),
)
unembed.misconception(
    "an activation function on the logits",
    "A logit may be negative or large: return the product plus `b_U` as it is.",
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U + self.b_U).relu(),
    lambda self, normalized_resid_final: F.gelu(normalized_resid_final @ self.W_U + self.b_U, approximate="tanh"),
    lambda self, normalized_resid_final: F.gelu(normalized_resid_final @ self.W_U + self.b_U),
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U + self.b_U).tanh(),
)
unembed.misconception(
    "soft-capped logits",
    "Gemma 2 holds its logits within ±30 by a tanh, GPT-2 does not: return the product plus `b_U` as it is.",
    lambda self, normalized_resid_final: 30 * ((normalized_resid_final @ self.W_U + self.b_U) / 30).tanh(),
)
unembed.misconception(
    "the likeliest token in place of its scores",
    "Return all d_vocab scores of each position: choosing one comes later (chapter 8).",
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U + self.b_U).argmax(dim=-1),
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U + self.b_U).amax(dim=-1),
)
unembed.misconception(
    "scores for the last position alone",
    "That is enough to write the next token, but not to train: every position has scores of its own, made of its own "
    "vector.",
    "normalized_resid_final @ → normalized_resid_final[:, -1] @",
    "normalized_resid_final @ → normalized_resid_final[:, [-1]] @",
)


@unembed.also("scores for the last position alone")
def last_position_expanded(self, normalized_resid_final):
    last = normalized_resid_final[:, [-1]] @ self.W_U + self.b_U
    return last.expand(-1, normalized_resid_final.shape[1], -1)


unembed.misconception(
    "scores for all positions but the last",
    "Score every position: it is the loss that leaves the last one out, since nothing follows it.",
    "normalized_resid_final @ → normalized_resid_final[:, :-1] @",
)


@unembed.misconception(
    "scores of the first sentence alone",
    "Each sentence of the batch needs scores made of its own vectors: multiply all of `normalized_resid_final`.",
)
def first_sentence(self, normalized_resid_final):
    return (normalized_resid_final[0] @ self.W_U + self.b_U).expand(len(normalized_resid_final), -1, -1)


unembed.misconception(
    "one vector for the whole text",
    "Each position has scores of its own, made of its own vector: nothing is summed or averaged over `pos`.",
    "normalized_resid_final @ → normalized_resid_final.mean(dim=1) @",
)


@unembed.also("one vector for the whole text")
def averaged_and_spread(self, normalized_resid_final):
    mean = normalized_resid_final.mean(dim=1, keepdim=True)
    return (mean @ self.W_U + self.b_U).expand(-1, normalized_resid_final.shape[1], -1)


unembed.also(
    "one vector for the whole text",
    "normalized_resid_final @ → normalized_resid_final.mean(dim=1, keepdim=True) @",
    "normalized_resid_final @ → normalized_resid_final.sum(dim=1, keepdim=True) @",
    "normalized_resid_final @ → normalized_resid_final.sum(dim=1) @",
)


@unembed.misconception(
    "normalising once more",
    "ln_final has done that, as the name `normalized_resid_final` says: multiply the vectors as they come.",
)
def normalised_again(self, normalized_resid_final):
    return F.layer_norm(normalized_resid_final, normalized_resid_final.shape[-1:]) @ self.W_U + self.b_U


@unembed.also("normalising once more")
def normalised_by_std(self, normalized_resid_final):
    x = normalized_resid_final
    return (x - x.mean(dim=-1, keepdim=True)) / x.std(dim=-1, keepdim=True) @ self.W_U + self.b_U


@unembed.also("normalising once more")
def normalised_by_root_mean_square(self, normalized_resid_final):
    mean_square = normalized_resid_final.square().mean(dim=-1, keepdim=True)
    return normalized_resid_final / mean_square.sqrt() @ self.W_U + self.b_U


@unembed.also("normalising once more")
class WithLayerNorm(ReferenceUnembed):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.ln_final = nn.LayerNorm(cfg.d_model)


@unembed.misconception(
    "cosines in place of products",
    "The norms count: the longer a vector, the farther from 0 its scores. Multiply `normalized_resid_final` and `W_U` "
    "as they are.",
)
def cosines(self, normalized_resid_final):
    return F.normalize(normalized_resid_final, dim=-1) @ F.normalize(self.W_U, dim=0) + self.b_U


unembed.misconception(
    "`W_U`'s columns brought to length 1",
    "A column's length counts: the longer it is, the farther from 0 its token's scores. Multiply by `W_U` as it is.",
    lambda self, normalized_resid_final: normalized_resid_final @ F.normalize(self.W_U, dim=0) + self.b_U,
)
unembed.misconception(
    "residual vectors brought to length 1",
    "A vector's length counts: the longer it is, the farther from 0 its scores. Multiply `normalized_resid_final` as "
    "it is.",
    lambda self, normalized_resid_final: F.normalize(normalized_resid_final, dim=-1) @ self.W_U + self.b_U,
)
unembed.misconception(
    "dividing by the square root of d_model",
    "That is how attention treats its scores. Logits are not scaled: return the product plus `b_U`.",
    "W_U + → W_U / self.cfg.d_model**0.5 +",
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U + self.b_U) / self.cfg.d_model**0.5,
)
unembed.misconception(
    "multiplying by the square root of d_model",
    "The first Transformer (2017) scaled its embeddings so; GPT-2's logits are the product plus `b_U` as it is.",
    "W_U + → W_U * self.cfg.d_model**0.5 +",
)
unembed.misconception(
    "averaging the products instead of adding them up",
    "A logit is the sum of d_model products, as `@` makes it: this is their mean, d_model times smaller.",
    "W_U + → W_U / self.cfg.d_model +",
)


@unembed.misconception(
    "logits with their largest subtracted",
    "Softmax would give the same probabilities, but these are other logits: leave that step to softmax.",
)
def largest_subtracted(self, normalized_resid_final):
    logits = normalized_resid_final @ self.W_U + self.b_U
    return logits - logits.amax(dim=-1, keepdim=True)


@unembed.misconception(
    "logits with their mean subtracted",
    "Softmax would give the same probabilities, but these are other logits: return them uncentred.",
)
def mean_subtracted(self, normalized_resid_final):
    logits = normalized_resid_final @ self.W_U + self.b_U
    return logits - logits.mean(dim=-1, keepdim=True)


@unembed.misconception(
    "logits brought to a fixed size",
    "How far logits lie apart says how sure the model is: return them as they come, with their own spread.",
)
def standardised(self, normalized_resid_final):
    logits = normalized_resid_final @ self.W_U + self.b_U
    return (logits - logits.mean(dim=-1, keepdim=True)) / logits.std(dim=-1, keepdim=True)


@unembed.also("logits brought to a fixed size")
def layer_normalised(self, normalized_resid_final):
    return F.layer_norm(normalized_resid_final @ self.W_U + self.b_U, (self.cfg.d_vocab,))


unembed.also(
    "logits brought to a fixed size",
    lambda self, normalized_resid_final: F.normalize(normalized_resid_final @ self.W_U + self.b_U, dim=-1),
)


@unembed.misconception("scores in order of size", "Each score stays in its token's place: return them unsorted.")
def sorted_scores(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).sort(dim=-1, descending=True).values


unembed.also(
    "scores in order of size",
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U + self.b_U).sort(dim=-1).values,
)
unembed.misconception(
    "logits with the wrong sign",
    "The better a token fits, the higher its score must be, but here it is lower: return `normalized_resid_final @ "
    "self.W_U + self.b_U`.",
    lambda self, normalized_resid_final: -(normalized_resid_final @ self.W_U + self.b_U),
)
unembed.misconception(
    "d_vocab in the middle",
    "The result is [batch pos d_vocab]: a position's scores lie along the last axis.",
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U + self.b_U).transpose(1, 2),
)
unembed.misconception(
    "batch and pos swapped",
    "The result is [batch pos d_vocab]: the sentences along the first axis, the positions along the second, "
    "as they came.",
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U + self.b_U).transpose(0, 1),
)
unembed.misconception(
    "a new nn.Linear in `forward`",
    "Its weights are drawn anew in every call and never trained: use `self.W_U` and `self.b_U`.",
    lambda self, normalized_resid_final: nn.Linear(self.cfg.d_model, self.cfg.d_vocab)(normalized_resid_final),
)
unembed.misconception(
    "returning `normalized_resid_final` as it came",
    "Multiply it by `self.W_U` and return the logits.",
    "@ self.W_U + self.b_U → ",
)
unembed.misconception(
    "returning `W_U`",
    "Multiply `normalized_resid_final` by it: `normalized_resid_final @ self.W_U + self.b_U`.",
    lambda self, normalized_resid_final: self.W_U,
)
unembed.misconception(
    "looking rows up instead of multiplying",
    "`normalized_resid_final` holds vectors, not tokens: multiply them by `self.W_U`.",
    lambda self, normalized_resid_final: self.W_U.T[normalized_resid_final.long()],
    lambda self, normalized_resid_final: self.W_U[normalized_resid_final] + self.b_U,
    lambda self, normalized_resid_final: self.W_U[:, normalized_resid_final] + self.b_U,
    lambda self, normalized_resid_final: F.embedding(normalized_resid_final, self.W_U) + self.b_U,
)
unembed.misconception(
    "a parameter called like a layer",
    "`W_U` is a matrix, not a layer: `normalized_resid_final @ self.W_U + self.b_U`.",
    lambda self, normalized_resid_final: self.W_U(normalized_resid_final) + self.b_U,
)
unembed.misconception(
    "an einsum that names d_model by two letters",
    "Number i of the vector meets row i of `W_U` alone. In an einsum d_model has one letter on both sides of the "
    'comma: `"bpd,dv->bpv"`.',
    lambda self, normalized_resid_final: torch.einsum("bpd,ev->bpv", normalized_resid_final, self.W_U) + self.b_U,
)


@unembed.misconception(
    "distances in place of products",
    "A logit is the dot product of the vector and the token's column: `normalized_resid_final @ self.W_U`.",
)
def distances(self, normalized_resid_final):
    apart = normalized_resid_final[..., None] - self.W_U
    return -apart.square().sum(dim=-2) + self.b_U


unembed.also("distances in place of products", "square().sum → norm", of=distances)


@unembed.misconception(
    "centring the vector first",
    "The vector has lost its mean here. ln_final is done, and its `b` may well have a mean: multiply the vector as it "
    "comes.",
)
def centred(self, normalized_resid_final):
    centred_resid = normalized_resid_final - normalized_resid_final.mean(dim=-1, keepdim=True)
    return centred_resid @ self.W_U + self.b_U


@unembed.misconception(
    "changing `normalized_resid_final` in place",
    "The caller's tensor has other numbers now. `*=`, `x[...] =` and what ends in `_` write into it: make a new one.",
)
def in_place(self, normalized_resid_final):
    normalized_resid_final -= normalized_resid_final.mean(dim=-1, keepdim=True)
    return normalized_resid_final @ self.W_U + self.b_U


unembed.misconception(
    "a `W_U` cut out of the graph",
    "Training must reach `W_U`: multiply by the parameter itself.",
    "W_U + → W_U.detach() +",
)


@unembed.also("a `W_U` cut out of the graph")
class FrozenTable(ReferenceUnembed):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.W_U.requires_grad_(False)


unembed.misconception(
    "a stream cut out of the graph",
    "Gradients must flow back through `normalized_resid_final` to all earlier layers: multiply it as it came.",
    "normalized_resid_final @ → normalized_resid_final.detach() @",
)
unembed.misconception(
    "logits cut out of the graph",
    "Nothing could be trained: return the logits as torch gives them.",
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U + self.b_U).detach(),
)
unembed.misconception(
    "working in half precision",
    "float16 keeps three digits, bfloat16 two: stay in float32 throughout.",
    lambda self, normalized_resid_final: (normalized_resid_final.half() @ self.W_U.half()).float() + self.b_U,
    lambda self, normalized_resid_final: (normalized_resid_final.bfloat16() @ self.W_U.bfloat16()).float() + self.b_U,
)


@unembed.also("working in half precision")
def in_brain_float_with_bias(self, normalized_resid_final):
    return (normalized_resid_final.bfloat16() @ self.W_U.bfloat16() + self.b_U.bfloat16()).float()


unembed.misconception(
    "rounding the logits",
    "The digits count in training: return them as they come, in float32.",
    lambda self, normalized_resid_final: (normalized_resid_final @ self.W_U + self.b_U).round(decimals=2),
)
