"""Chapter 6: what Unembed and cross_entropy_loss must do, and the ways they go wrong."""

import math
from dataclasses import replace

import einops
import torch
import torch.nn.functional as F
from torch import nn

from solutions.ch06_unembed import Unembed as ReferenceUnembed
from utils.checking import (
    Exercise,
    WorkedExample,
    check_agrees,
    check_alone,
    check_form,
    check_gradients,
    check_inputs_unchanged,
    check_parameters,
    check_repeatable,
    check_shape,
    check_value,
    line,
    random_tensor,
    random_tokens,
    random_weights,
)
from utils.config import Config
from utils.gpt import SMALL
from utils.reference import reference

BY_HAND_W_U = torch.tensor([[-1.0, 0.0, 1.0, 0.0], [0.5, 0.5, -0.5, 1.0]])
BY_HAND_LOGITS = math.log(2) * torch.tensor(
    [[[0.0, 2.0, 0.0, 1.0], [0.0, 0.0, 1.0, 2.0], [0.0, 2.0, 0.0, 1.0], [0.0, 1.0, 0.0, 2.0]]]
)
BY_HAND_TOKENS = torch.tensor([[0, 1, 2, 0]])

unembed = Exercise(
    inputs={"normalized_resid_final": "batch pos d_model"},
    output="batch pos d_vocab",
    parameters={"W_U": "d_model d_vocab", "b_U": "d_vocab"},
    initial={"b_U": 0.0},
    given=ReferenceUnembed,
    example=WorkedExample(
        "the chapter's vector 1, 2 and its `W_U`, with `b_U` = 0",
        (
            Config(d_model=2, d_vocab=4),
            {"W_U": BY_HAND_W_U, "b_U": torch.zeros(4)},
            torch.tensor([[[1.0, 2.0]]]),
        ),
        {"sum of the logits": lambda out: float(out.sum())},
    ),
)
cross_entropy = Exercise(
    inputs={"logits": "batch pos d_vocab", "tokens": "batch pos"},
    output="",
    example=WorkedExample(
        'the chapter\'s "the fox saw the", whose three next tokens got 1/2, 1/4 and 1/8',
        (BY_HAND_LOGITS, BY_HAND_TOKENS),
        {"the same in bits": lambda out: float(out) / math.log(2)},
    ),
)


@unembed.test
def test_unembed(Unembed):
    """Unembed against the reference solution and against the reference model's logits."""
    cfg = SMALL
    check_parameters(Unembed, cfg)
    check_form(Unembed, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model))
    weights, resid = random_weights(cfg), random_tensor(3, 5, cfg.d_model)
    with line("scores each vector alone: no position sees another, no sentence sees another"):
        check_alone(Unembed, cfg, weights, resid, axis="batch")
        check_alone(Unembed, cfg, weights, resid, axis="pos")
    with line("agrees with the reference solution on random weights"):
        for batch, pos in [(3, 5), (1, 1), (2, cfg.n_ctx), (8, 2)]:
            check_agrees(Unembed, cfg, random_weights(cfg), random_tensor(batch, pos, cfg.d_model))
        sizes = ({"d_vocab": 300}, {"d_model": 11, "d_vocab": 5}, {"d_vocab": 8}, {"d_model": 1}, {"n_ctx": 5})
        for other in (replace(cfg, **size) for size in sizes):
            check_agrees(Unembed, other, random_weights(other), random_tensor(2, 5, other.d_model))
        check_agrees(Unembed, cfg, weights | {"b_U": 10 * weights["b_U"]}, resid + 1)
    with line("agrees with the reference model's logits"):
        model = reference()
        there = {part: model.weights[f"unembed.{part}"] for part in ("W_U", "b_U")}
        read, want = model.activations["ln_final.hook_out"], model.activations["unembed.hook_out"]
        check_value(Unembed, model.cfg, there, read, want=want, tolerance=2e-5)
    with line("handles vectors of very large and very small norm"):
        for scale in (1e3, 1e-3):
            check_agrees(Unembed, cfg, {**weights, "b_U": weights["b_U"] * scale}, resid * scale)
        check_agrees(
            Unembed, cfg, {name: 1e-3 * value for name, value in weights.items()}, resid * 1e-2, tolerance=1e-8
        )
    with line("passes gradients back to `W_U` and `normalized_resid_final`; `b_U` is frozen"):
        check_gradients(Unembed, cfg, weights, resid)
        check_gradients(Unembed, cfg, weights, random_tensor(6, cfg.n_ctx, cfg.d_model))


@cross_entropy.test
def test_cross_entropy_loss(cross_entropy_loss):
    """cross_entropy_loss against the reference solution, on random logits and on the reference model's."""
    cfg = SMALL
    logits, tokens = random_tensor(3, 5, cfg.d_vocab, scale=2.0), random_tokens(cfg, 3, 5)
    everything = torch.arange(27).view(3, cfg.n_ctx) % cfg.d_vocab
    with line("gives one number: a 0-d float32 tensor"):
        for batch, pos in [(2, 5), (1, 5), (2, 2), (1, 2), (3, cfg.n_ctx)]:
            check_shape(cross_entropy_loss, random_tensor(batch, pos, cfg.d_vocab), random_tokens(cfg, batch, pos))
    with line("leaves `logits` and `tokens` as they were, and answers the same twice"):
        check_inputs_unchanged(cross_entropy_loss, logits, tokens)
        check_inputs_unchanged(cross_entropy_loss, random_tensor(6, 9, cfg.d_vocab), random_tokens(cfg, 6, 9))
        check_repeatable(cross_entropy_loss, logits, tokens, before=[(logits[:1, :3], tokens[:1, :3])])
    with line("judges one prediction, position 0's, by the token at position 1"):
        for target in (7, 0, cfg.d_vocab - 1):
            two = torch.tensor([[3, target]])
            check_agrees(cross_entropy_loss, random_tensor(1, 2, cfg.d_vocab, scale=2.0), two)
    with line("agrees with the reference solution: the mean over every prediction of every sentence"):
        check_agrees(cross_entropy_loss, logits, tokens)
        for some in (everything, everything.flip(1), everything.T.reshape(3, 9)):
            check_agrees(cross_entropy_loss, random_tensor(3, cfg.n_ctx, cfg.d_vocab, scale=2.0), some)
        for batch, pos, d_vocab in [(1, 3, 4), (8, 2, 23), (2, 6, 300), (4, 7, 6), (5, 6, 5), (4, 4, 4)]:
            other = replace(cfg, d_vocab=d_vocab)
            check_agrees(
                cross_entropy_loss, random_tensor(batch, pos, d_vocab, scale=3.0), random_tokens(other, batch, pos)
            )
        ends = torch.tensor([[5, 50256, 7]])  # in GPT-2's own vocabulary, `<|endoftext|>` is judged like any other
        check_agrees(cross_entropy_loss, random_tensor(1, 3, 50257, scale=2.0), ends, tolerance=1e-4)
    with line("agrees with PyTorch on the reference model's logits"):
        model = reference()
        there = model.activations["unembed.hook_out"]
        want = F.cross_entropy(there[:, :-1].flatten(0, 1), model.tokens[:, 1:].flatten())
        check_value(cross_entropy_loss, there, model.tokens, want=want, tolerance=1e-4)  # 4096 roundings, if by hand
    with line("stays finite, and right, at logits up to 10,000"):
        far = random_tensor(2, 5, cfg.d_vocab)
        for shift in (9000, -9000):
            check_agrees(cross_entropy_loss, far + shift, tokens[:2], tolerance=2e-3)
        apart = 300 * torch.arange(10.0).view(2, 5, 1)  # each position on a level of its own
        check_agrees(cross_entropy_loss, far + apart, tokens[:2], tolerance=1e-3)
        for scale in (50.0, 1e3, 2.5e3):
            check_agrees(cross_entropy_loss, random_tensor(3, 5, cfg.d_vocab, scale=scale).clamp(-1e4, 1e4), tokens)
    with line("keeps its digits where the model is all but sure, and right"):
        sure = 12 * F.one_hot(everything.roll(-1, dims=1), cfg.d_vocab).float() + random_tensor(
            3, cfg.n_ctx, cfg.d_vocab
        )
        check_agrees(cross_entropy_loss, sure, everything, tolerance=2e-6)
    with line("passes gradients back to `logits`"):
        check_gradients(cross_entropy_loss, logits, tokens)
        check_gradients(cross_entropy_loss, random_tensor(3, cfg.n_ctx, cfg.d_vocab, scale=3.0), everything)


unembed.equivalent("self.b_U → self.b_U.detach()", "`b_U` is frozen: it gets no gradient either way.")
GATHERED = "gather takes no more positions than its index has, and `tokens[:, 1:]` has one fewer than the logits."
for all_positions in ("logits", "logits[:]", "logits[:, :]"):
    cross_entropy.equivalent(f"logits[:, :-1] → {all_positions}", GATHERED)
cross_entropy.equivalent("-1 → 2", "The logits have three axes, so that the last one is also number 2.")
for detached in ("tokens[:, 1:, None]", "tokens"):
    cross_entropy.equivalent(f"{detached} → {detached}.detach()", "Token numbers are integers, which have no gradient.")


# Unembed: right in other words


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


# Unembed: wrong


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


@unembed.misconception(
    "leaving out `b_U`",
    "Add `self.b_U` to the product. It is 0 in GPT-2, but the module has it, and the test gives it other numbers.",
)
def no_bias(self, normalized_resid_final):
    return normalized_resid_final @ self.W_U


@unembed.misconception("subtracting `b_U`", "It is added: `normalized_resid_final @ self.W_U + self.b_U`.")
def bias_subtracted(self, normalized_resid_final):
    return normalized_resid_final @ self.W_U - self.b_U


@unembed.misconception(
    "multiplying by `b_U` instead of adding it", "`b_U` is an offset for each token: add it to the product."
)
def bias_multiplied(self, normalized_resid_final):
    return normalized_resid_final @ self.W_U * self.b_U


@unembed.misconception("adding `b_U` twice", "Once is enough: F.linear and addmm add the bias that they are given.")
def bias_twice(self, normalized_resid_final):
    return normalized_resid_final @ self.W_U + 2 * self.b_U


@unembed.misconception(
    "adding `b_U` to the matrix",
    "`b_U` is added to the product, once for each position: no brackets round `W_U + b_U`.",
)
def bias_in_the_matrix(self, normalized_resid_final):
    return normalized_resid_final @ (self.W_U + self.b_U)


@unembed.misconception(
    "a product with `W_U` transposed",
    "`W_U` is [d_model d_vocab] already, and `@` sums over its first axis: leave out the `.T` (F.linear wants it).",
)
def transposed_again(self, normalized_resid_final):
    return normalized_resid_final @ self.W_U.T + self.b_U


@unembed.also("a product with `W_U` transposed")
def linear_without_transposing(self, normalized_resid_final):
    return F.linear(normalized_resid_final, self.W_U, self.b_U)


@unembed.also("a product with `W_U` transposed")
def einsum_transposed(self, normalized_resid_final):
    return torch.einsum("bpd,vd->bpv", normalized_resid_final, self.W_U) + self.b_U


@unembed.misconception(
    "a `W_U` reshaped where a transpose is meant",
    "`view` and `reshape` cut rows anew and mix the numbers up. F.linear wants `self.W_U.T`, and `@` takes `self.W_U` "
    "as it is.",
)
def reshaped_for_linear(self, normalized_resid_final):
    return F.linear(normalized_resid_final, self.W_U.reshape(self.cfg.d_vocab, -1), self.b_U)


@unembed.misconception("the product in the wrong order", "The stream comes first: `normalized_resid_final @ self.W_U`.")
def matrix_first(self, normalized_resid_final):
    return self.W_U @ normalized_resid_final + self.b_U


@unembed.also("the product in the wrong order")
def transposed_matrix_first(self, normalized_resid_final):
    return self.W_U.T @ normalized_resid_final + self.b_U


@unembed.misconception(
    "the stream lined up with d_vocab numbers before the product",
    "First the matrix product, `@` or an einsum and not `*`; only then is `b_U` added, to the logits.",
)
def elementwise(self, normalized_resid_final):
    return normalized_resid_final * self.W_U + self.b_U


@unembed.misconception(
    "probabilities in place of logits",
    "The scores go out as they are: whoever needs probabilities takes the softmax of them.",
)
def softmaxed(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).softmax(dim=-1)


@unembed.also("probabilities in place of logits")
def softmaxed_without_bias(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U).softmax(dim=-1)


@unembed.also("probabilities in place of logits")
def softmaxed_over_positions(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).softmax(dim=1)


@unembed.misconception(
    "log-probabilities in place of logits",
    "Logits need not be normalised: leave the (log) softmax to the loss, which takes it itself.",
)
def log_softmaxed(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).log_softmax(dim=-1)


@unembed.also("log-probabilities in place of logits")
def log_of_softmax(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).softmax(dim=-1).log()


@unembed.misconception(
    "a sigmoid on each logit", "A logit may be any number. Turning scores into probabilities comes later: leave it out."
)
def squashed(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).sigmoid()


@unembed.misconception(
    "an activation function on the logits", "A logit may be negative or large: return the product plus `b_U` as it is."
)
def rectified(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).relu()


@unembed.also("an activation function on the logits")
def with_gelu(self, normalized_resid_final):
    return F.gelu(normalized_resid_final @ self.W_U + self.b_U, approximate="tanh")


@unembed.also("an activation function on the logits")
def with_exact_gelu(self, normalized_resid_final):
    return F.gelu(normalized_resid_final @ self.W_U + self.b_U)


@unembed.also("an activation function on the logits")
def with_tanh(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).tanh()


@unembed.misconception(
    "soft-capped logits",
    "Gemma 2 holds its logits within ±30 by a tanh, GPT-2 does not: return the product plus `b_U` as it is.",
)
def soft_capped(self, normalized_resid_final):
    return 30 * ((normalized_resid_final @ self.W_U + self.b_U) / 30).tanh()


@unembed.misconception(
    "the likeliest token in place of its scores",
    "Return all d_vocab scores of each position: choosing one comes later (chapter 8).",
)
def chosen(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).argmax(dim=-1)


@unembed.also("the likeliest token in place of its scores")
def best_score(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).amax(dim=-1)


@unembed.misconception(
    "scores for the last position alone",
    "Enough to write the next token, not to train: score every position, without `[:, -1]`.",
)
def last_position(self, normalized_resid_final):
    return normalized_resid_final[:, -1] @ self.W_U + self.b_U


@unembed.also("scores for the last position alone")
def last_position_kept(self, normalized_resid_final):
    return normalized_resid_final[:, [-1]] @ self.W_U + self.b_U


@unembed.also("scores for the last position alone")
def last_position_expanded(self, normalized_resid_final):
    last = normalized_resid_final[:, [-1]] @ self.W_U + self.b_U
    return last.expand(-1, normalized_resid_final.shape[1], -1)


@unembed.misconception(
    "scores for all positions but the last",
    "Score every position: it is the loss that leaves the last one out, since nothing follows it.",
)
def all_but_the_last(self, normalized_resid_final):
    return normalized_resid_final[:, :-1] @ self.W_U + self.b_U


@unembed.misconception(
    "scores of the first sentence alone", "`[0]` throws the rest of the batch away: score every sentence."
)
def first_sentence(self, normalized_resid_final):
    return (normalized_resid_final[0] @ self.W_U + self.b_U).expand(len(normalized_resid_final), -1, -1)


@unembed.misconception(
    "one vector for the whole text", "Each position has scores of its own: no sum or mean over `pos`."
)
def averaged(self, normalized_resid_final):
    return normalized_resid_final.mean(dim=1) @ self.W_U + self.b_U


@unembed.also("one vector for the whole text")
def averaged_and_spread(self, normalized_resid_final):
    mean = normalized_resid_final.mean(dim=1, keepdim=True)
    return (mean @ self.W_U + self.b_U).expand(-1, normalized_resid_final.shape[1], -1)


@unembed.also("one vector for the whole text")
def summed(self, normalized_resid_final):
    return normalized_resid_final.sum(dim=1) @ self.W_U + self.b_U


@unembed.misconception(
    "normalising once more",
    "ln_final has done that, as the name `normalized_resid_final` says: no LayerNorm in Unembed.",
)
def normalised_again(self, normalized_resid_final):
    return F.layer_norm(normalized_resid_final, normalized_resid_final.shape[-1:]) @ self.W_U + self.b_U


@unembed.also("normalising once more")
class WithLayerNorm(ReferenceUnembed):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.ln_final = nn.LayerNorm(cfg.d_model)


@unembed.misconception(
    "cosines in place of products",
    "The norms count: a longer vector scores higher. Multiply `normalized_resid_final` and `W_U` as they are.",
)
def cosines(self, normalized_resid_final):
    return F.normalize(normalized_resid_final, dim=-1) @ F.normalize(self.W_U, dim=0) + self.b_U


@unembed.also("cosines in place of products")
def unit_columns(self, normalized_resid_final):
    return normalized_resid_final @ F.normalize(self.W_U, dim=0) + self.b_U


@unembed.also("cosines in place of products")
def unit_vectors(self, normalized_resid_final):
    return F.normalize(normalized_resid_final, dim=-1) @ self.W_U + self.b_U


@unembed.misconception(
    "dividing by the square root of d_model",
    "That is how attention treats its scores. Logits are not scaled: return the product plus `b_U`.",
)
def divided(self, normalized_resid_final):
    return normalized_resid_final @ self.W_U / self.cfg.d_model**0.5 + self.b_U


@unembed.also("dividing by the square root of d_model")
def divided_with_bias(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U) / self.cfg.d_model**0.5


@unembed.misconception(
    "multiplying by the square root of d_model",
    "The first Transformer (2017) scaled its embeddings so; GPT-2's logits are the product plus `b_U` as it is.",
)
def scaled(self, normalized_resid_final):
    return normalized_resid_final @ self.W_U * self.cfg.d_model**0.5 + self.b_U


@unembed.misconception(
    "averaging the products instead of adding them up",
    "A logit is the sum of d_model products, as `@` makes it: no `mean`, no division by d_model.",
)
def mean_of_products(self, normalized_resid_final):
    return normalized_resid_final @ self.W_U / self.cfg.d_model + self.b_U


@unembed.misconception(
    "logits with their largest subtracted",
    "Softmax would give the same probabilities, but these are other logits: that step is softmax's own.",
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


@unembed.also("logits brought to a fixed size")
def of_norm_one(self, normalized_resid_final):
    return F.normalize(normalized_resid_final @ self.W_U + self.b_U, dim=-1)


@unembed.misconception(
    "scores in order of size",
    "Each score stays in its token's place: leave out the sorting.",
)
def sorted_scores(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).sort(dim=-1, descending=True).values


@unembed.also("scores in order of size")
def sorted_upwards(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).sort(dim=-1).values


@unembed.misconception(
    "logits with the wrong sign", "The better a token fits, the higher its score: leave out the minus."
)
def negated(self, normalized_resid_final):
    return -(normalized_resid_final @ self.W_U + self.b_U)


@unembed.misconception(
    "d_vocab in the middle", "The result is [batch pos d_vocab]: remove the transpose, or put `v` last in the einsum."
)
def vocabulary_in_the_middle(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).transpose(1, 2)


@unembed.misconception(
    "batch and pos swapped", "The result is [batch pos d_vocab]: write the axes after `->` in the order of the input's."
)
def batch_and_pos_swapped(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).transpose(0, 1)


@unembed.misconception(
    "a new nn.Linear in `forward`",
    "Its weights are drawn anew in every call and never trained: use `self.W_U` and `self.b_U`.",
)
def new_linear(self, normalized_resid_final):
    return nn.Linear(self.cfg.d_model, self.cfg.d_vocab)(normalized_resid_final)


@unembed.misconception(
    "returning `normalized_resid_final` as it came", "Multiply it by `self.W_U` and return the logits."
)
def returned_as_it_came(self, normalized_resid_final):
    return normalized_resid_final


@unembed.misconception(
    "returning `W_U`", "Multiply `normalized_resid_final` by it: `normalized_resid_final @ self.W_U + self.b_U`."
)
def table_returned(self, normalized_resid_final):
    return self.W_U


@unembed.misconception(
    "computing the logits and not returning them", "End with `return`: the logits are what the loss and sampling need."
)
def nothing_returned(self, normalized_resid_final):
    normalized_resid_final @ self.W_U + self.b_U


@unembed.misconception(
    "looking rows up instead of multiplying",
    "`normalized_resid_final` holds vectors, not tokens: multiply them by `self.W_U`.",
)
def looked_up(self, normalized_resid_final):
    return self.W_U.T[normalized_resid_final.long()]


@unembed.misconception(
    "an einsum that names d_model by two letters",
    'What is summed over has one letter on both sides of the comma: `"bpd,dv->bpv"`.',
)
def two_letters(self, normalized_resid_final):
    return torch.einsum("bpd,ev->bpv", normalized_resid_final, self.W_U) + self.b_U


@unembed.misconception(
    "distances in place of products",
    "A logit is the dot product of the vector and the token's column: `normalized_resid_final @ self.W_U`.",
)
def distances(self, normalized_resid_final):
    apart = normalized_resid_final[..., None] - self.W_U
    return -apart.square().sum(dim=-2) + self.b_U


@unembed.also("distances in place of products")
def lengths_of_differences(self, normalized_resid_final):
    apart = normalized_resid_final[..., None] - self.W_U
    return -apart.norm(dim=-2) + self.b_U


@unembed.misconception(
    "centring the vector first", "Subtract nothing: ln_final is done, and its `b` may well have a mean. Multiply."
)
def centred(self, normalized_resid_final):
    centred_resid = normalized_resid_final - normalized_resid_final.mean(dim=-1, keepdim=True)
    return centred_resid @ self.W_U + self.b_U


@unembed.misconception(
    "changing `normalized_resid_final` in place", "`*=` and `-=` change the caller's tensor: assign to a new name."
)
def in_place(self, normalized_resid_final):
    normalized_resid_final -= normalized_resid_final.mean(dim=-1, keepdim=True)
    return normalized_resid_final @ self.W_U + self.b_U


@unembed.misconception(
    "a `W_U` cut out of the graph",
    "Training must reach `W_U`: no `.data`, `detach()`, `torch.no_grad()`, and no `requires_grad=False` on it.",
)
def table_detached(self, normalized_resid_final):
    return normalized_resid_final @ self.W_U.detach() + self.b_U


@unembed.also("a `W_U` cut out of the graph")
class FrozenTable(ReferenceUnembed):
    def __init__(self, cfg):
        super().__init__(cfg)
        self.W_U.requires_grad_(False)


@unembed.misconception(
    "a stream cut out of the graph",
    "Gradients must flow back through `normalized_resid_final` to all earlier layers: no detach(), no `.data`.",
)
def stream_detached(self, normalized_resid_final):
    return normalized_resid_final.detach() @ self.W_U + self.b_U


@unembed.misconception(
    "logits cut out of the graph",
    "Nothing could be trained: no torch.no_grad(), no detach(), no `.data` on the result.",
)
def logits_detached(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).detach()


@unembed.misconception(
    "working in half precision", "float16 keeps three digits, bfloat16 two: stay in float32 throughout."
)
def in_half_precision(self, normalized_resid_final):
    return (normalized_resid_final.half() @ self.W_U.half()).float() + self.b_U


@unembed.also("working in half precision")
def in_brain_float(self, normalized_resid_final):
    return (normalized_resid_final.bfloat16() @ self.W_U.bfloat16()).float() + self.b_U


@unembed.also("working in half precision")
def in_brain_float_with_bias(self, normalized_resid_final):
    return (normalized_resid_final.bfloat16() @ self.W_U.bfloat16() + self.b_U.bfloat16()).float()


@unembed.misconception("rounding the logits", "The digits count in training: return them as they come, in float32.")
def rounded(self, normalized_resid_final):
    return (normalized_resid_final @ self.W_U + self.b_U).round(decimals=2)


# cross_entropy_loss: right in other words


@cross_entropy.correct
def by_pytorch(logits, tokens):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


@cross_entropy.correct
def by_pytorch_with_classes_second(logits, tokens):
    return nn.CrossEntropyLoss()(logits.transpose(1, 2)[..., :-1], tokens[:, 1:])


@cross_entropy.correct
def by_logsumexp(logits, tokens):
    judged = logits[:, :-1, :]
    right = judged.gather(2, tokens[:, 1:].unsqueeze(2)).squeeze(2)
    return (judged.logsumexp(dim=2) - right).mean()


@cross_entropy.correct
def with_the_largest_subtracted(logits, tokens):
    judged = logits[:, :-1] - logits[:, :-1].amax(dim=-1, keepdim=True).detach()
    log_probs = judged - judged.exp().sum(dim=-1, keepdim=True).log()
    return -(log_probs * F.one_hot(tokens[:, 1:], logits.shape[-1])).sum(dim=-1).mean()


@cross_entropy.correct
def by_indexing(logits, tokens):
    batch, pos = tokens.shape
    log_probs = torch.log_softmax(logits, dim=-1)
    rows, columns = torch.arange(batch)[:, None], torch.arange(pos - 1)
    return log_probs[rows, columns, tokens[:, 1:]].neg().mean()


@cross_entropy.correct
def one_prediction_at_a_time(logits, tokens):
    losses = []
    for scores, sentence in zip(logits, tokens, strict=True):
        for where in range(len(sentence) - 1):
            losses.append(torch.logsumexp(scores[where], dim=0) - scores[where, sentence[where + 1]])
    return torch.stack(losses).mean()


@cross_entropy.correct
def sum_over_count(logits, tokens):
    log_probs = logits.log_softmax(-1)[:, :-1].reshape(-1, logits.size(-1))
    targets = tokens[:, 1:].reshape(-1)
    return F.nll_loss(log_probs, targets, reduction="sum") / targets.numel()


@cross_entropy.correct
def in_double(logits, tokens):
    return F.cross_entropy(logits[:, :-1].double().mT, tokens[:, 1:]).float()


@cross_entropy.correct
def bits_turned_into_nats(logits, tokens):
    bits = logits[:, :-1].log_softmax(dim=-1) / math.log(2)
    return -torch.take_along_dim(bits, tokens[:, 1:, None], dim=-1).mean() * math.log(2)


# cross_entropy_loss: wrong


def surprises(log_probs, targets):
    """Minus the log-probability of each target."""
    return -log_probs.gather(-1, targets[..., None])[..., 0]


def shifted(logits, tokens):
    """The log-probabilities that are judged, and the tokens that judge them."""
    return logits[:, :-1].log_softmax(dim=-1), tokens[:, 1:]


@cross_entropy.misconception(
    "judging each position by its own token",
    "Position i has read token i already; it predicts token i + 1: drop the last logits and the first token.",
)
def own_token(logits, tokens):
    return surprises(logits.log_softmax(dim=-1), tokens).mean()


@cross_entropy.also("judging each position by its own token")
def own_token_without_the_last(logits, tokens):
    return surprises(logits[:, :-1].log_softmax(dim=-1), tokens[:, :-1]).mean()


@cross_entropy.also("judging each position by its own token")
def own_token_without_the_first(logits, tokens):
    return surprises(logits[:, 1:].log_softmax(dim=-1), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "a shift in the wrong direction",
    "You judge position i + 1 by token i, which it has read. The logits lose their last, the tokens their first: "
    "`logits[:, :-1]` and `tokens[:, 1:]`.",
)
def shifted_backwards(logits, tokens):
    return surprises(logits[:, 1:].log_softmax(dim=-1), tokens[:, :-1]).mean()


@cross_entropy.also("a shift in the wrong direction")
def flattened_and_shifted_backwards(logits, tokens):
    return F.cross_entropy(logits.flatten(0, 1)[1:], tokens.flatten()[:-1])


@cross_entropy.also("a shift in the wrong direction")
def rolled_backwards(logits, tokens):
    return surprises(logits.log_softmax(dim=-1), tokens.roll(1, dims=1)).mean()


@cross_entropy.misconception(
    "leaving a token out of the mean",
    "Every token that comes is judged, `<|endoftext|>` too: leave out `ignore_index` and masks.",
)
def zero_ignored(logits, tokens):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=0)


for left_out in (1, 2, 3, 50256):
    cross_entropy.also("leaving a token out of the mean")(
        lambda logits, tokens, left_out=left_out: F.cross_entropy(
            logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=left_out
        )
    )


@cross_entropy.also("leaving a token out of the mean")
def last_of_the_vocabulary_ignored(logits, tokens):
    last = logits.shape[-1] - 1
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=last)


@cross_entropy.misconception(
    "a shift by two", "Position i predicts token i + 1, not i + 2: shift once, `logits[:, :-1]` and `tokens[:, 1:]`."
)
def shifted_twice(logits, tokens):
    return surprises(logits[:, :-2].log_softmax(dim=-1), tokens[:, 2:]).mean()


@cross_entropy.misconception(
    "judging the last position by the first token",
    "`roll` brings the first token round to the end. Nothing follows the last position: leave its logits out.",
)
def rolled_round(logits, tokens):
    return surprises(logits.log_softmax(dim=-1), tokens.roll(-1, dims=1)).mean()


@cross_entropy.also("judging the last position by the first token")
def rolled_without_dims(logits, tokens):
    return surprises(logits.log_softmax(dim=-1), tokens.roll(-1)).mean()


@cross_entropy.misconception(
    "judging the last position by a token that is made up",
    "Nothing follows the last position: leave its logits out, `logits[:, :-1]`, and pad nothing.",
)
def padded_with_zero(logits, tokens):
    return surprises(logits.log_softmax(dim=-1), F.pad(tokens[:, 1:], (0, 1))).mean()


@cross_entropy.also("judging the last position by a token that is made up")
def padded_with_the_last(logits, tokens):
    return surprises(logits.log_softmax(dim=-1), torch.cat([tokens[:, 1:], tokens[:, -1:]], dim=1)).mean()


@cross_entropy.misconception(
    "judging across the border of two sentences",
    "Shift first, then flatten: else the last position of one sentence is judged by the first token of the next.",
)
def flattened_first(logits, tokens):
    return F.cross_entropy(logits.flatten(0, 1)[:-1], tokens.flatten()[1:])


@cross_entropy.misconception(
    "cutting the batch instead of the positions",
    "The first axis is the batch. Shift along the second: `logits[:, :-1]` and `tokens[:, 1:]`.",
)
def batch_cut(logits, tokens):
    return surprises(logits[:-1].log_softmax(dim=-1), tokens[1:]).mean()


@cross_entropy.misconception(
    "cutting the vocabulary instead of the positions",
    "`[..., :-1]` drops the last token's score. The positions are the second axis: `logits[:, :-1]`.",
)
def vocabulary_cut(logits, tokens):
    return surprises(logits[..., :-1].log_softmax(dim=-1), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "a sum in place of the mean",
    "The loss is the mean over all predictions: else a longer text would cost more for its length alone.",
)
def summed_up(logits, tokens):
    return surprises(*shifted(logits, tokens)).sum()


@cross_entropy.misconception(
    "dividing by the number of sentences",
    "Each sentence has `pos - 1` predictions: divide by all of them, or use `mean()` without `dim`.",
)
def per_sentence(logits, tokens):
    return surprises(*shifted(logits, tokens)).sum(dim=-1).mean()


@cross_entropy.misconception(
    "adding up over the batch", "Average over the sentences too: `mean()` without `dim` takes all predictions at once."
)
def summed_over_the_batch(logits, tokens):
    return surprises(*shifted(logits, tokens)).mean(dim=-1).sum()


@cross_entropy.misconception(
    "dividing by the number of tokens",
    "A text of `pos` tokens has `pos - 1` predictions: divide by these, or let `mean` count.",
)
def divided_by_tokens(logits, tokens):
    return surprises(*shifted(logits, tokens)).sum() / tokens.numel()


@cross_entropy.misconception(
    "dividing by the length of one sentence",
    "The mean runs over all sentences: divide by `batch * (pos - 1)`, or let `mean` count.",
)
def divided_by_length(logits, tokens):
    return surprises(*shifted(logits, tokens)).sum() / tokens.shape[1]


@cross_entropy.misconception(
    "leaving out one prediction too many",
    "Two tokens make one prediction, and you average none. Drop the last logits and the first token, nothing more.",
)
def last_prediction_dropped(logits, tokens):
    return surprises(logits[:, :-2].log_softmax(dim=-1), tokens[:, 1:-1]).mean()


@cross_entropy.also("leaving out one prediction too many")
def first_prediction_dropped(logits, tokens):
    return surprises(logits[:, 1:-1].log_softmax(dim=-1), tokens[:, 2:]).mean()


@cross_entropy.misconception(
    "a mean over the vocabulary",
    "Only the right token's log-probability counts: pick it, or add up along `d_vocab` before the mean.",
)
def averaged_over_the_vocabulary(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return -(log_probs * F.one_hot(targets, logits.shape[-1])).mean()


@cross_entropy.misconception(
    "the log-probabilities of all tokens",
    "Pick the one of the token that came, with `gather` or by indexing: the others do not count.",
)
def never_picked(logits, tokens):
    return -logits[:, :-1].log_softmax(dim=-1).mean()


@cross_entropy.also("the log-probabilities of all tokens")
def never_picked_nor_cut(logits, tokens):
    return -logits.log_softmax(dim=-1).mean()


@cross_entropy.misconception(
    "every position against every token of the batch",
    "Indexing with a tensor pairs nothing: use `gather(-1, tokens[:, 1:, None])`, or give an index for each axis.",
)
def all_pairs(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return -log_probs[..., targets].mean()


@cross_entropy.misconception(
    "every sentence judged by every sentence",
    "`log_probs[:, positions, tokens[:, 1:]]` pairs each sentence with all: use `gather`, or index the batch axis too, "
    "with `torch.arange(batch)[:, None]`.",
)
def all_sentences(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return -log_probs[:, torch.arange(targets.shape[1]), targets].mean()


@cross_entropy.misconception(
    "multiplying by the tokens' numbers",
    "A token's number is an index, no amount: it says which log-probability to pick, with `gather`.",
)
def times_the_tokens(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return -(log_probs * targets[..., None]).mean()


@cross_entropy.also("multiplying by the tokens' numbers")
def log_of_a_softmax_times_the_tokens(logits, tokens):
    return -(logits[:, :-1].softmax(dim=-1).log() * tokens[:, 1:, None]).mean()


@cross_entropy.also("multiplying by the tokens' numbers")
def summed_times_the_tokens(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return -(log_probs * targets[..., None]).sum(dim=-1).mean()


@cross_entropy.misconception(
    "only the last prediction", "Every position but the last predicts a token that is known: average over them all."
)
def last_prediction(logits, tokens):
    return surprises(logits[:, -2].log_softmax(dim=-1), tokens[:, -1]).mean()


@cross_entropy.misconception(
    "only the first prediction",
    "Position 0 makes one of the `pos - 1` predictions: judge all of them, `logits[:, :-1]` by `tokens[:, 1:]`.",
)
def first_prediction(logits, tokens):
    return surprises(logits[:, 0].log_softmax(dim=-1), tokens[:, 1]).mean()


@cross_entropy.misconception(
    "only the last position, judged by its own token",
    "The last position has read that token: each position but the last is judged by the token after it. Average all.",
)
def last_token_alone(logits, tokens):
    return surprises(logits[:, -1].log_softmax(dim=-1), tokens[:, -1]).mean()


@cross_entropy.misconception(
    "only one sentence of the batch",
    "`logits[0]`, a `return` inside a loop, or a loop that keeps its last result throws the others away: average over "
    "all sentences.",
)
def first_sentence_alone(logits, tokens):
    return surprises(logits[0, :-1].log_softmax(dim=-1), tokens[0, 1:]).mean()


@cross_entropy.also("only one sentence of the batch")
def last_sentence_alone(logits, tokens):
    return surprises(logits[-1, :-1].log_softmax(dim=-1), tokens[-1, 1:]).mean()


@cross_entropy.misconception(
    "a batch squeezed away",
    "Only a batch of one can be squeezed: keep the axis, and shift behind it, `logits[:, :-1]` and `tokens[:, 1:]`.",
)
def squeezed(logits, tokens):
    return F.cross_entropy(logits.squeeze(0)[:-1], tokens.squeeze(0)[1:])


@cross_entropy.also("a batch squeezed away")
def squeezed_everywhere(logits, tokens):
    return F.cross_entropy(logits.squeeze()[:-1], tokens.squeeze()[1:])


@cross_entropy.misconception(
    "smoothed labels", "The whole weight is on the token that came: leave out `label_smoothing`."
)
def smoothed(logits, tokens):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten(), label_smoothing=0.1)


@cross_entropy.misconception(
    "bits in place of nats", "The loss is in nats: take the natural logarithm, `log`, not `log2`."
)
def in_bits(logits, tokens):
    return surprises(*shifted(logits, tokens)).mean() / math.log(2)


@cross_entropy.misconception(
    "the logarithm to base 10", "The loss is in nats: take the natural logarithm, `log`, not `log10`."
)
def to_base_ten(logits, tokens):
    return surprises(*shifted(logits, tokens)).mean() / math.log(10)


@cross_entropy.misconception(
    "the wrong sign", "Logarithms of probabilities are negative, a surprise is positive: take minus the mean."
)
def positive_sign(logits, tokens):
    return -surprises(*shifted(logits, tokens)).mean()


@cross_entropy.misconception(
    "a softmax taken twice",
    "F.cross_entropy and log_softmax take the softmax themselves: hand them the logits, not probabilities.",
)
def softmax_twice(logits, tokens):
    return surprises(*shifted(logits.softmax(dim=-1), tokens)).mean()


@cross_entropy.misconception(
    "logits in place of log-probabilities",
    "A logit is not normalised: subtract the `logsumexp` of its position first. (nll_loss wants log_softmax.)",
)
def raw_logits(logits, tokens):
    return surprises(logits[:, :-1], tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "the logarithm of the logits",
    "Logits may be negative, and are no probabilities: `log_softmax` turns them into log-probabilities.",
)
def log_of_logits(logits, tokens):
    return surprises(logits[:, :-1].log(), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "minus the probability, without a logarithm",
    "The loss is the mean of −log(probability): take the logarithm. (nll_loss wants log_softmax, not softmax.)",
)
def no_logarithm(logits, tokens):
    return surprises(logits[:, :-1].softmax(dim=-1), tokens[:, 1:]).mean()


@cross_entropy.also("minus the probability, without a logarithm")
def one_minus_probability(logits, tokens):
    return 1 + surprises(logits[:, :-1].softmax(dim=-1), tokens[:, 1:]).mean()


@cross_entropy.also("minus the probability, without a logarithm")
def mean_probability(logits, tokens):
    return -surprises(logits[:, :-1].softmax(dim=-1), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "the logarithm of the mean probability",
    "First the logarithm of each probability, then the mean: one miss among good guesses must be felt.",
)
def log_of_the_mean(logits, tokens):
    return (-surprises(logits[:, :-1].softmax(dim=-1), tokens[:, 1:]).mean()).log().neg()


@cross_entropy.misconception(
    "the logarithm of a softmax",
    "A probability below 1e-45 is 0 in float32, and its logarithm −∞. Use `log_softmax`, or the logit minus "
    "`logsumexp`.",
)
def log_of_a_softmax(logits, tokens):
    return surprises(logits[:, :-1].softmax(dim=-1).log(), tokens[:, 1:]).mean()


@cross_entropy.also("the logarithm of a softmax")
def log_of_a_stable_softmax(logits, tokens):
    weights = (logits[:, :-1] - logits[:, :-1].amax(dim=-1, keepdim=True)).exp()
    return surprises((weights / weights.sum(dim=-1, keepdim=True)).log(), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "`exp` of the logits as they are",
    "exp(89) is infinite in float32: subtract the largest logit of the position first, or use `logsumexp`.",
)
def overflowing(logits, tokens):
    log_probs = logits[:, :-1] - logits[:, :-1].exp().sum(dim=-1, keepdim=True).log()
    return surprises(log_probs, tokens[:, 1:]).mean()


@cross_entropy.also("`exp` of the logits as they are")
def overflowing_quotient(logits, tokens):
    weights = logits[:, :-1].exp()
    return surprises((weights / weights.sum(dim=-1, keepdim=True)).log(), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "one maximum subtracted for the whole batch",
    "A position far below it is left with exp(−∞) = 0: subtract each position's own, `amax(dim=-1, keepdim=True)`.",
)
def one_maximum(logits, tokens):
    judged = logits[:, :-1] - logits.max()
    return surprises(judged - judged.exp().sum(dim=-1, keepdim=True).log(), tokens[:, 1:]).mean()


@cross_entropy.also("one maximum subtracted for the whole batch")
def one_maximum_and_a_quotient(logits, tokens):
    weights = (logits - logits.max()).exp()[:, :-1]
    return surprises((weights / weights.sum(dim=-1, keepdim=True)).log(), tokens[:, 1:]).mean()


@cross_entropy.also("one maximum subtracted for the whole batch")
def one_maximum_of_the_judged(logits, tokens):
    judged = logits[:, :-1] - logits[:, :-1].max()
    return surprises(judged - judged.exp().sum(dim=-1, keepdim=True).log(), tokens[:, 1:]).mean()


@cross_entropy.also("one maximum subtracted for the whole batch")
def one_maximum_of_the_judged_and_a_quotient(logits, tokens):
    weights = (logits[:, :-1] - logits[:, :-1].max()).exp()
    return surprises((weights / weights.sum(dim=-1, keepdim=True)).log(), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "leaving infinite surprises out of the mean",
    "What the model held impossible must cost most. Use `log_softmax`: no surprise is infinite then.",
)
def finite_only(logits, tokens):
    each = surprises(logits[:, :-1].softmax(dim=-1).log(), tokens[:, 1:])
    return each[each.isfinite()].mean()


@cross_entropy.also("leaving infinite surprises out of the mean")
def infinite_is_nothing(logits, tokens):
    each = surprises(logits[:, :-1].softmax(dim=-1).log(), tokens[:, 1:])
    return each.nan_to_num(posinf=0.0).mean()


@cross_entropy.misconception(
    "a surprise that can't grow past a limit",
    "A small number added to the softmax, or a clamp, caps it and costs digits. Use `log_softmax`, which never makes a "
    "0, and no guard.",
)
def guarded(logits, tokens):
    return surprises((logits[:, :-1].softmax(dim=-1) + 1e-9).log(), tokens[:, 1:]).mean()


@cross_entropy.also("a surprise that can't grow past a limit")
def clamped(logits, tokens):
    return surprises(logits[:, :-1].softmax(dim=-1).clamp(min=1e-9).log(), tokens[:, 1:]).mean()


def guarded_by(how, eps):
    """The logarithm of a softmax, kept from 0 by another small number."""

    def with_guard(logits, tokens):
        return surprises(how(logits[:, :-1].softmax(dim=-1), eps).log(), tokens[:, 1:]).mean()

    return with_guard


for limit in (10, 20, 50, 100):

    @cross_entropy.also("a surprise that can't grow past a limit")
    def capped(logits, tokens, limit=limit):
        return surprises(*shifted(logits, tokens)).clamp(max=limit).mean()


for small in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12, 1e-15, 1e-20, 1e-30, torch.finfo().tiny, torch.finfo().eps):
    for guard in (torch.add, torch.clamp_min):
        cross_entropy.also("a surprise that can't grow past a limit")(guarded_by(guard, small))


@cross_entropy.misconception(
    "logits cut off at a limit",
    "A clamp changes what the model said. `log_softmax` and `logsumexp` are safe at any size: leave the clamp out.",
)
def cut_off(logits, tokens):
    return surprises(*shifted(logits.clamp(-100, 100), tokens)).mean()


for limit in (50, 88, 1000):
    cross_entropy.also("logits cut off at a limit")(
        lambda logits, tokens, limit=limit: surprises(*shifted(logits.clamp(-limit, limit), tokens)).mean()
    )


@cross_entropy.misconception(
    "a softmax over the positions",
    "The probabilities of one position add up to 1 along `d_vocab`: `dim=-1`, not `dim=1`.",
)
def over_the_positions(logits, tokens):
    return surprises(logits[:, :-1].log_softmax(dim=1), tokens[:, 1:]).mean()


@cross_entropy.also("a softmax over the positions")
def over_all_positions(logits, tokens):
    return surprises(logits.log_softmax(dim=1)[:, :-1], tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "a softmax over the batch", "`dim=0` is the batch: the probabilities add up to 1 along `d_vocab`, `dim=-1`."
)
def over_the_sentences(logits, tokens):
    return surprises(logits[:, :-1].log_softmax(dim=0), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "one softmax over all numbers", "Each position has a distribution of its own: give the sum `dim=-1, keepdim=True`."
)
def over_all_numbers(logits, tokens):
    return surprises(logits[:, :-1] - logits[:, :-1].flatten().logsumexp(0), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "the largest logit in place of the logsumexp",
    "The normaliser is log(sum of exp): the maximum is only the part of it that is subtracted for safety.",
)
def maximum_alone(logits, tokens):
    return surprises(logits[:, :-1] - logits[:, :-1].amax(dim=-1, keepdim=True), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "the maximum subtracted and not added back",
    "logsumexp(x) = max + log(sum of exp(x − max)): subtract the maximum from the right logit too, or add it again.",
)
def maximum_not_added(logits, tokens):
    largest = logits[:, :-1].amax(dim=-1, keepdim=True)
    normaliser = (logits[:, :-1] - largest).exp().sum(dim=-1, keepdim=True).log()
    return surprises(logits[:, :-1] - normaliser, tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "the sum of exp without its logarithm",
    "log(exp(x) / sum) = x − log(sum): take the logarithm of the sum before you subtract it.",
)
def normaliser_without_log(logits, tokens):
    judged = logits[:, :-1] - logits[:, :-1].amax(dim=-1, keepdim=True)
    return surprises(judged - judged.exp().sum(dim=-1, keepdim=True), tokens[:, 1:]).mean()


@cross_entropy.also("the sum of exp without its logarithm")
def normaliser_without_log_or_maximum(logits, tokens):
    judged = logits[:, :-1]
    return surprises(judged - judged.exp().sum(dim=-1, keepdim=True), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "the likeliest token in place of the one that came",
    "The probability to look up is that of `tokens[:, 1:]`, whatever the model would have guessed.",
)
def best_guess(logits, tokens):
    return -logits[:, :-1].log_softmax(dim=-1).amax(dim=-1).mean()


@cross_entropy.also("the likeliest token in place of the one that came")
def best_guess_with_the_last(logits, tokens):
    return -logits.log_softmax(dim=-1).amax(dim=-1).mean()


@cross_entropy.misconception(
    "the model's own entropy",
    "That weighs every token by the model's probability and never looks at `tokens`: pick the token that came.",
)
def entropy(logits, tokens):
    log_probs = logits[:, :-1].log_softmax(dim=-1)
    return -(log_probs.exp() * log_probs).sum(dim=-1).mean()


@cross_entropy.misconception(
    "weighing the surprise by the probability", "Each prediction counts alike: −log(p), not −p · log(p)."
)
def weighted(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return surprises(log_probs * log_probs.exp(), targets).mean()


@cross_entropy.misconception("perplexity", "Perplexity is exp(loss): return the loss itself, without `exp`.")
def perplexity(logits, tokens):
    return surprises(*shifted(logits, tokens)).mean().exp()


@cross_entropy.also("perplexity")
def two_to_the_loss(logits, tokens):
    return 2 ** surprises(*shifted(logits, tokens)).mean()


@cross_entropy.misconception(
    "exp(−loss), a probability",
    "That is how likely a token was held, on average; the loss is minus its logarithm: leave out the `exp`.",
)
def likely_on_average(logits, tokens):
    return (-surprises(*shifted(logits, tokens)).mean()).exp()


@cross_entropy.misconception(
    "the largest surprise alone", "The loss is the mean over all predictions: `.mean()`, not `.max()`."
)
def largest_surprise(logits, tokens):
    return surprises(*shifted(logits, tokens)).max()


@cross_entropy.misconception("the median", "The loss is the mean: rare, large surprises must count.")
def median(logits, tokens):
    return surprises(*shifted(logits, tokens)).flatten().median()


@cross_entropy.also("the median")
def median_of_log_probabilities(logits, tokens):
    return -(-surprises(*shifted(logits, tokens))).median()


@cross_entropy.misconception(
    "squared distances", "Cross-entropy takes −log of the right token's probability; there is nothing to square."
)
def brier(logits, tokens):
    right = F.one_hot(tokens[:, 1:], logits.shape[-1]).float()
    return F.mse_loss(logits[:, :-1].softmax(dim=-1), right)


@cross_entropy.also("squared distances")
def brier_summed(logits, tokens):
    right = F.one_hot(tokens[:, 1:], logits.shape[-1]).float()
    return (logits[:, :-1].softmax(dim=-1) - right).square().sum(dim=-1).mean()


@cross_entropy.also("squared distances")
def squares_of_logits(logits, tokens):
    return F.mse_loss(logits[:, :-1], F.one_hot(tokens[:, 1:], logits.shape[-1]).float())


@cross_entropy.also("squared distances")
def squared_surprises(logits, tokens):
    return surprises(*shifted(logits, tokens)).square().mean()


@cross_entropy.misconception(
    "binary cross-entropy",
    "That asks of each token whether it comes, by itself. Here one of d_vocab comes: one softmax over all of them.",
)
def binary(logits, tokens):
    right = F.one_hot(tokens[:, 1:], logits.shape[-1]).float()
    return F.binary_cross_entropy_with_logits(logits[:, :-1], right)


@cross_entropy.also("binary cross-entropy")
def binary_of_softmax(logits, tokens):
    right = F.one_hot(tokens[:, 1:], logits.shape[-1]).float()
    return F.binary_cross_entropy(logits[:, :-1].softmax(dim=-1), right)


@cross_entropy.misconception(
    "a sigmoid in place of the softmax",
    "The d_vocab probabilities of a position add up to 1, and a sigmoid looks at one logit alone: take `log_softmax`.",
)
def sigmoid_for_softmax(logits, tokens):
    return surprises(F.logsigmoid(logits[:, :-1]), tokens[:, 1:]).mean()


@cross_entropy.also("a sigmoid in place of the softmax")
def log_of_a_sigmoid(logits, tokens):
    return surprises(logits[:, :-1].sigmoid().log(), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "a margin between scores",
    "A margin is done once the right token leads. The loss is −log of its probability, which can always rise.",
)
def margin(logits, tokens):
    judged, targets = logits[:, :-1], tokens[:, 1:, None]
    return (1 + judged - judged.gather(-1, targets)).clamp(min=0).mean()


@cross_entropy.also("a margin between scores")
def pytorch_margin(logits, tokens):
    return F.multi_margin_loss(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


@cross_entropy.misconception(
    "an accuracy", "The share of right guesses has no gradient: take −log of the right token's probability."
)
def accuracy(logits, tokens):
    return (logits[:, :-1].argmax(dim=-1) == tokens[:, 1:]).float().mean()


@cross_entropy.also("an accuracy")
def error_rate(logits, tokens):
    return (logits[:, :-1].argmax(dim=-1) != tokens[:, 1:]).float().mean()


@cross_entropy.misconception(
    "F.cross_entropy with d_vocab as its last axis",
    "It wants the classes second: flatten batch and positions, `logits[:, :-1].flatten(0, 1)`, or transpose(1, 2).",
)
def classes_last(logits, tokens):
    return F.cross_entropy(logits[:, :-1], tokens[:, 1:])


@cross_entropy.also("F.cross_entropy with d_vocab as its last axis")
def classes_last_unshifted(logits, tokens):
    return F.cross_entropy(logits, tokens)


@cross_entropy.also("F.cross_entropy with d_vocab as its last axis")
def nll_classes_last(logits, tokens):
    return F.nll_loss(logits[:, :-1].log_softmax(dim=-1), tokens[:, 1:])


@cross_entropy.misconception(
    "a reshape in place of a transpose",
    "`reshape` cuts the same row of numbers elsewhere, so scores land at other tokens: use `transpose(1, 2)`.",
)
def reshaped(logits, tokens):
    judged = logits[:, :-1]
    return F.cross_entropy(judged.reshape(judged.shape[0], judged.shape[2], judged.shape[1]), tokens[:, 1:])


@cross_entropy.misconception(
    "logits and tokens flattened in different orders",
    "Both go sentence by sentence: flatten `tokens[:, 1:]` without a transpose.",
)
def flattened_otherwise(logits, tokens):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens.T[1:].flatten())


@cross_entropy.misconception(
    "`view` on logits that were cut",
    "A slice is not in one piece of memory, so `view` refuses it: use `reshape` or `flatten(0, 1)`.",
)
def viewed(logits, tokens):
    return F.cross_entropy(logits[:, :-1].view(-1, logits.shape[-1]), tokens[:, 1:].view(-1))


@cross_entropy.also("`view` on logits that were cut")
def viewed_the_tokens(logits, tokens):
    return F.cross_entropy(logits[:, :-1].reshape(-1, logits.shape[-1]), tokens[:, 1:].view(-1))


@cross_entropy.misconception(
    "`gather` with an index of too few axes",
    "`gather` wants an index with as many axes as the logits: `tokens[:, 1:, None]`.",
)
def index_of_two_axes(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return -log_probs.gather(-1, targets).mean()


@cross_entropy.misconception(
    "`gather` along the positions",
    "The token's number is an index into `d_vocab`: gather along `dim=-1`, with `tokens[:, 1:, None]`.",
)
def gathered_along_positions(logits, tokens):
    log_probs, targets = shifted(logits, tokens)
    return -log_probs.gather(1, targets[..., None]).mean()


@cross_entropy.misconception(
    "a surprise for each prediction",
    'Return one number: the mean over all of them, `.mean()`; leave out `reduction="none"`.',
)
def not_averaged(logits, tokens):
    return surprises(*shifted(logits, tokens))


@cross_entropy.also("a surprise for each prediction")
def not_averaged_with_an_axis(logits, tokens):
    return surprises(*shifted(logits, tokens))[..., None]


@cross_entropy.also("a surprise for each prediction")
def not_averaged_flat(logits, tokens):
    return surprises(*shifted(logits, tokens)).flatten()


@cross_entropy.misconception(
    "a loss for each sentence", "Average over the batch too: `mean()` without `dim` gives one number."
)
def one_for_each_sentence(logits, tokens):
    return surprises(*shifted(logits, tokens)).mean(dim=-1)


@cross_entropy.misconception(
    "a loss for each position", "Average over the positions too: `mean()` without `dim` gives one number."
)
def one_for_each_position(logits, tokens):
    return surprises(*shifted(logits, tokens)).mean(dim=0)


@cross_entropy.misconception(
    "a Python number in place of a tensor",
    "`.item()` and float() cut the graph, and nothing could be trained: return the 0-d tensor itself.",
)
def python_number(logits, tokens):
    return surprises(*shifted(logits, tokens)).mean().item()


@cross_entropy.misconception(
    "a loss cut out of the graph",
    "Training needs its gradient: no detach(), `.data`, torch.no_grad(), and no torch.tensor(...) of a number.",
)
def loss_detached(logits, tokens):
    return surprises(*shifted(logits, tokens)).mean().detach()


@cross_entropy.misconception(
    "a normaliser cut out of the graph",
    "The gradient lowers the wrong tokens through the normaliser: no detach() or no_grad() on the logsumexp.",
)
def normaliser_detached(logits, tokens):
    judged = logits[:, :-1]
    return surprises(judged - judged.logsumexp(dim=-1, keepdim=True).detach(), tokens[:, 1:]).mean()


@cross_entropy.misconception(
    "subtracting from `logits` in place", "`-=` changes the caller's logits: assign to a new name."
)
def logits_in_place(logits, tokens):
    logits -= logits.amax(dim=-1, keepdim=True)
    return surprises(*shifted(logits, tokens)).mean()


@cross_entropy.misconception(
    "working in half precision", "float16 keeps three digits, bfloat16 two: stay in float32 throughout."
)
def half_precision(logits, tokens):
    return surprises(*shifted(logits.half(), tokens)).mean().float()


@cross_entropy.also("working in half precision")
def brain_float(logits, tokens):
    return surprises(*shifted(logits.bfloat16(), tokens)).mean().float()


@cross_entropy.misconception(
    "returning double precision",
    "float32 goes in, float32 comes out: remove `.double()`, or come back with `.float()`.",
)
def returns_double(logits, tokens):
    return surprises(*shifted(logits.double(), tokens)).mean()


@cross_entropy.misconception(
    "computing the loss and not returning it", "End with `return`: a function without it gives None."
)
def loss_not_returned(logits, tokens):
    surprises(*shifted(logits, tokens)).mean()


@cross_entropy.also("bits in place of nats")
def in_bits_by_softmax(logits, tokens):
    return surprises(logits[:, :-1].softmax(dim=-1).log2(), tokens[:, 1:]).mean()


@cross_entropy.also("the logarithm to base 10")
def to_base_ten_by_softmax(logits, tokens):
    return surprises(logits[:, :-1].softmax(dim=-1).log10(), tokens[:, 1:]).mean()
