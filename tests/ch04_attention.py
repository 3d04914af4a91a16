"""Chapter 4: what softmax, the causal mask and Attention must do, and the ways they go wrong."""

import functools
import math
from dataclasses import replace
from typing import Any

import einops
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from utils.checking import (
    Exercise,
    WorkedExample,
    check_agrees,
    check_alone,
    check_causal,
    check_form,
    check_gradients,
    check_inputs_unchanged,
    check_parameters,
    check_repeatable,
    check_shape,
    check_value,
    line,
    random_tensor,
    random_weights,
)
from utils.config import Config
from utils.gpt import SMALL
from utils.reference import reference

SCORES = "batch head_index query_pos key_pos"
HIDDEN = -800.0  # a score below this gets no weight; the tests' own scores stay above
BIASES = {"b_Q": "n_heads d_head", "b_K": "n_heads d_head", "b_V": "n_heads d_head", "b_O": "d_model"}
WEIGHTS = {**dict.fromkeys(("W_Q", "W_K", "W_V"), "n_heads d_model d_head"), "W_O": "n_heads d_head d_model"}


def hidden_as_infinity(answer: Any) -> Any:
    """The answer with every score that softmax would turn into 0 as minus infinity."""
    if not isinstance(answer, Tensor) or not answer.is_floating_point():
        return answer
    return torch.where(answer <= HIDDEN, -math.inf, answer)


softmax = Exercise(
    inputs={"x": "...", "dim": ""},
    output="...",
    example=WorkedExample(
        "the chapter's scores 0, ln 4, 0",
        (torch.tensor([0.0, math.log(4), 0.0]),),
        {"their sum": lambda weights: float(weights.sum())},
    ),
)
mask = Exercise(inputs={"attn_scores": SCORES}, output=SCORES, view=hidden_as_infinity)


def by_hand() -> tuple[Config, dict[str, Tensor], Tensor]:
    """The chapter's "the fox saw": one head, one-hot input, so that row i of each matrix belongs to token i."""
    doubling = math.sqrt(2) * math.log(2)  # so that one point of q · k doubles a weight
    tables = {
        "W_Q": doubling * torch.tensor([[[0.0, 0], [1, 0], [1, 0]]]),
        "W_K": torch.tensor([[[0.0, 0], [2, 0], [0, 1]]]),
        "W_V": torch.tensor([[[0.0, 0], [30, 0], [0, 30]]]),
        "W_O": torch.eye(2, 3)[None],
    }
    return Config(d_model=3, n_heads=1, d_head=2), {**tables, **_no_biases(3, 1, 2)}, torch.eye(3)[None]


def _no_biases(d_model: int, n_heads: int, d_head: int) -> dict[str, Tensor]:
    return {**{name: torch.zeros(n_heads, d_head) for name in ("b_Q", "b_K", "b_V")}, "b_O": torch.zeros(d_model)}


attention = Exercise(
    inputs={"normalized_resid_pre": "batch pos d_model"},
    output="batch pos d_model",
    parameters=WEIGHTS | BIASES,
    initial=dict.fromkeys(BIASES, 0.0),
    example=WorkedExample(
        'the first three tokens of the example by hand, "the fox saw" (each row: z, then a 0)', by_hand()
    ),
)


@softmax.test
def test_softmax(softmax):
    """softmax against the reference solution: any shape, any axis, any size of score."""
    scores = random_tensor(3, 4, 5, scale=3.0)
    with line("keeps the shape, whatever it is"):
        for shape in ((3, 4, 5), (5,), (2, 3), (2, 3, 4, 4), (1, 1)):
            check_shape(softmax, random_tensor(*shape))
    with line("leaves `x` as it was, and answers the same twice"):
        check_inputs_unchanged(softmax, scores)
        check_repeatable(softmax, scores, before=[(scores[:1, :2],)])
    with line("turns one row of scores into weights that add up to 1"):
        check_agrees(softmax, torch.tensor([0.0, math.log(4), 0.0]))
        check_agrees(softmax, random_tensor(6))
    with line("handles each row of the last axis alone"):
        for one in (scores, random_tensor(2, 3), random_tensor(4, 4), random_tensor(2, 3, 4, 4, scale=2.0)):
            check_agrees(softmax, one)
    with line("sums along `dim` when another axis is named"):
        for dim in (0, 1, -2, 2):
            check_agrees(softmax, scores, dim=dim)
        check_agrees(softmax, scores, 1)
    with line("stays finite where scores are large, and where a whole row is far below 0"):
        for offset in (1000.0, -1000.0):
            check_agrees(softmax, scores + offset, tolerance=1e-3)
        check_agrees(softmax, scores + torch.tensor([0.0, -400.0, -2000.0])[:, None, None], tolerance=1e-3)
        check_agrees(softmax, torch.linspace(-1e3, 1e3, 20).view(4, 5), tolerance=1e-3)
    with line("gives masked scores, which are -inf, the weight 0"):
        check_agrees(softmax, torch.where(torch.ones(5, 5).tril() > 0, random_tensor(5, 5), -math.inf))
        check_agrees(softmax, F.pad(random_tensor(2, 3), (0, 5000), value=-math.inf))  # a grain for each would add up
    with line("passes gradients back to `x`"):
        check_gradients(softmax, scores)
        check_gradients(softmax, scores, dim=1)


LARGEST = "x.amax(dim=dim, keepdim=True).detach()"
NOT_NEEDED = "What is subtracted cancels, so its gradient is 0 with and without detach()."
for largest in (
    "x.amax(dim=dim, keepdim=True)",
    "x.detach().amax(dim=dim, keepdim=True)",
    "x.amax(dim=dim, keepdim=True).detach().detach()",
):
    softmax.equivalent(f"{LARGEST} → {largest}", NOT_NEEDED)


@softmax.correct
def torch_softmax(x, dim=-1):
    return F.softmax(x, dim=dim)


@softmax.correct
def by_logsumexp(x, dim=-1):
    return torch.exp(x - torch.logsumexp(x, dim, keepdim=True))


@softmax.correct
def max_with_values(x, dim=-1):
    weights = torch.exp(x - x.max(dim=dim, keepdim=True).values)
    return weights / torch.sum(weights, dim, keepdim=True)


@softmax.correct
def a_grain_below_the_sum(x, dim=-1):
    weights = torch.exp(x - x.max(dim=dim, keepdim=True)[0])
    return weights / (weights.sum(dim=dim, keepdim=True) + 1e-9)


@softmax.correct
def last_axis_first(x, dim=-1):
    turned = x.movedim(dim, -1)
    weights = torch.exp(turned - torch.amax(turned, -1, keepdim=True))
    return (weights / weights.sum(-1)[..., None]).movedim(-1, dim)


@softmax.misconception(
    "exp without the largest score subtracted",
    "float32 ends at exp(88), and exp(-104) is 0. Subtract the largest score along `dim` first: "
    "`x - x.amax(dim=dim, keepdim=True)`.",
)
def overflowing(x, dim=-1):
    return x.exp() / x.exp().sum(dim=dim, keepdim=True)


@softmax.misconception(
    "subtracting the largest score of the whole tensor",
    "A row far below it underflows to 0/0. Each row needs its own: `x.amax(dim=dim, keepdim=True)`.",
)
def one_maximum(x, dim=-1):
    weights = (x - x.max()).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


@softmax.misconception(
    "subtracting the mean",
    "The largest score may still lie far above the mean and overflow: subtract the maximum, `x.amax(...)`.",
)
def mean_subtracted(x, dim=-1):
    weights = (x - x.mean(dim=dim, keepdim=True)).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


@softmax.misconception(
    "subtracting the smallest score", "That makes all scores positive and `exp` larger still: subtract the largest."
)
def minimum_subtracted(x, dim=-1):
    weights = (x - x.amin(dim=dim, keepdim=True)).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


@softmax.misconception(
    "subtracting a fixed number",
    "Scores may lie anywhere: each row's largest, `x.amax(dim=dim, keepdim=True)`, brings it to 0 wherever it is.",
)
def fixed_number_subtracted(x, dim=-1, number=100.0):
    weights = (x - number).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


for number in (80.0, 88.0, 1000.0):
    softmax.also("subtracting a fixed number")(functools.partial(fixed_number_subtracted, number=number))


@softmax.misconception(
    "subtracting the largest absolute value",
    "Where all scores lie far below 0, that makes them smaller still: subtract the largest score, without `abs()`.",
)
def largest_size_subtracted(x, dim=-1):
    weights = (x - x.abs().amax(dim=dim, keepdim=True)).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


@softmax.misconception(
    "cutting large scores off",
    "All scores beyond the limit get the same weight then. Subtract the largest score in the place of `clamp`.",
)
def clamped(x, dim=-1, **limits):
    weights = x.clamp(**(limits or {"max": 80.0})).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


for limit in (88.0, 50.0, 20.0):
    softmax.also("cutting large scores off")(functools.partial(clamped, max=limit))
    softmax.also("cutting large scores off")(functools.partial(clamped, min=-limit, max=limit))


@softmax.misconception(
    "always the last axis", "`dim` says along which axis the weights add up to 1: pass it to the maximum and the sum."
)
def last_axis(x, dim=-1):
    return torch.softmax(x, -1)


@softmax.misconception(
    "always axis 1", "In a matrix that is the last axis, elsewhere it is another, or none: pass `dim` on."
)
def axis_one(x, dim=-1):
    weights = (x - x.amax(1, keepdim=True)).exp()
    return weights / weights.sum(1, keepdim=True)


@softmax.misconception("another default of `dim`", "Where nothing is said it is the last axis: `dim: int = -1`.")
def first_by_default(x, dim=0):
    return torch.softmax(x, dim)


@softmax.also("another default of `dim`")
def second_by_default(x, dim=1):
    return torch.softmax(x, dim)


@softmax.misconception(
    "an axis put back at the end, whatever `dim` is",
    "It belongs where it was: `unsqueeze(dim)`, or `keepdim=True`, by which it never goes away.",
)
def axis_put_back_at_the_end(x, dim=-1):
    weights = (x - x.amax(dim=dim).unsqueeze(-1)).exp()
    return weights / weights.sum(dim=dim).unsqueeze(-1)


@softmax.misconception(
    "a loop over the first axis",
    "It makes rows of a matrix alone: `amax` and `sum` with `dim` and `keepdim=True` do it for any shape.",
)
def looped(x, dim=-1):
    return torch.stack([(row - row.max()).exp() / (row - row.max()).exp().sum() for row in x])


@softmax.misconception("always the first axis", "Pass `dim`, whose default is -1, to the maximum and to the sum.")
def first_axis(x, dim=-1):
    return torch.softmax(x, 0)


@softmax.also("always the last axis")
def last_axis_by_hand(x, dim=-1):
    weights = (x - x.amax(dim=-1, keepdim=True)).exp()
    return weights / weights.sum(dim=-1, keepdim=True)


@softmax.misconception(
    "a maximum along `dim` but a sum along the last axis", "Both run along the same axis: `sum(dim=dim, keepdim=True)`."
)
def sum_of_the_last_axis(x, dim=-1):
    weights = (x - x.amax(dim=dim, keepdim=True)).exp()
    return weights / weights.sum(dim=-1, keepdim=True)


@softmax.misconception(
    "a maximum of the last axis, whatever `dim` is",
    "On other axes a row far below it underflows: `x.amax(dim=dim, keepdim=True)`.",
)
def maximum_of_the_last_axis(x, dim=-1):
    weights = (x - x.amax(dim=-1, keepdim=True)).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


@softmax.misconception(
    "one softmax over all numbers",
    "The sum without `dim` runs over the whole tensor. Each row has a sum of its own: `sum(dim=dim, keepdim=True)`.",
)
def over_everything(x, dim=-1):
    weights = (x - x.max()).exp()
    return weights / weights.sum()


@softmax.also("one softmax over all numbers")
def summed_over_everything(x, dim=-1):
    weights = (x - x.amax(dim=dim, keepdim=True)).exp()
    return weights / weights.sum()


@softmax.misconception(
    "a sum without keepdim",
    "`sum(dim=dim)` drops the axis, so what is left lines up with another one: pass `keepdim=True`.",
)
def no_keepdim(x, dim=-1):
    weights = (x - x.amax(dim=dim, keepdim=True)).exp()
    return weights / weights.sum(dim=dim)


@softmax.misconception(
    "a maximum without keepdim",
    "`amax(dim=dim)` drops the axis, so what is left lines up with another one: pass `keepdim=True`.",
)
def maximum_without_keepdim(x, dim=-1):
    weights = (x - x.amax(dim=dim)).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


@softmax.also("a sum without keepdim")
def no_keepdim_at_all(x, dim=-1):
    weights = (x - x.amax(dim=dim)).exp()
    return weights / weights.sum(dim=dim)


@softmax.misconception(
    "dividing the scores by their sum", "Take `exp` of the scores first: only then are all weights positive."
)
def no_exp(x, dim=-1):
    return x / x.sum(dim=dim, keepdim=True)


@softmax.also("dividing the scores by their sum")
def no_exp_of_the_shifted(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted / shifted.sum(dim=dim, keepdim=True)


@softmax.misconception(
    "exp of the scores alone", "The weights must add up to 1: divide by their sum along `dim`, with `keepdim=True`."
)
def no_sum(x, dim=-1):
    return (x - x.amax(dim=dim, keepdim=True)).exp()


@softmax.also("exp of the scores alone")
def exp_alone(x, dim=-1):
    return x.exp()


@softmax.also("exp of the scores alone")
def divided_by_the_largest(x, dim=-1):
    weights = (x - x.amax(dim=dim, keepdim=True)).exp()
    return weights / weights.amax(dim=dim, keepdim=True)


@softmax.also("exp of the scores alone")
def divided_by_the_largest_of_unshifted(x, dim=-1):
    return x.exp() / x.exp().amax(dim=dim, keepdim=True)


@softmax.misconception(
    "exp of the whole fraction",
    "Take `exp` of the scores first, then divide: the weights are `exp(shifted) / exp(shifted).sum(...)`.",
)
def exp_of_the_fraction(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return (shifted / shifted.sum(dim=dim, keepdim=True)).exp()


@softmax.also("exp of the whole fraction")
def exp_of_the_unshifted_fraction(x, dim=-1):
    return (x / x.sum(dim=dim, keepdim=True)).exp()


@softmax.also("exp of the whole fraction")
def exp_of_the_half_shifted_fraction(x, dim=-1):
    return ((x - x.amax(dim=dim, keepdim=True)) / x.sum(dim=dim, keepdim=True)).exp()


@softmax.also("exp of the whole fraction")
def exp_of_the_fraction_by_exp(x, dim=-1):
    return (x / x.exp().sum(dim=dim, keepdim=True)).exp()


@softmax.misconception(
    "exp of the sum in the place of the sum of exp",
    "Each score goes through `exp` first: `shifted.exp().sum(dim=dim, keepdim=True)`.",
)
def exp_of_the_sum(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted.exp() / shifted.sum(dim=dim, keepdim=True).exp()


@softmax.also("exp of the sum in the place of the sum of exp")
def exp_of_the_unshifted_sum(x, dim=-1):
    return x.exp() / x.sum(dim=dim, keepdim=True).exp()


@softmax.misconception("powers of 2", "Softmax takes powers of e: `exp`, not `2 **` or `exp2`.")
def base_two(x, dim=-1):
    weights = torch.exp2(x - x.amax(dim=dim, keepdim=True))
    return weights / weights.sum(dim=dim, keepdim=True)


@softmax.misconception("a rounded e", "`exp` knows e to all the digits that float32 has: use it instead of a power.")
def rounded_e(x, dim=-1, e=2.718):
    weights = e ** (x - x.amax(dim=dim, keepdim=True))
    return weights / weights.sum(dim=dim, keepdim=True)


for e in (2.72, 2.7):
    softmax.also("a rounded e")(functools.partial(rounded_e, e=e))


@softmax.misconception(
    "exp of minus the scores",
    "The largest score gets the largest weight: take `exp` of the score minus the largest, not the other way round.",
)
def softmin(x, dim=-1):
    return torch.softmax(-x, dim)


@softmax.also("exp of minus the scores")
def largest_minus_the_score(x, dim=-1):
    weights = (x.amax(dim=dim, keepdim=True) - x).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


@softmax.misconception(
    "dividing by the length of the vector", "Its squares add up to 1 then, not its weights: divide by `sum(...)`."
)
def over_their_length(x, dim=-1):
    weights = (x - x.amax(dim=dim, keepdim=True)).exp()
    return weights / weights.norm(dim=dim, keepdim=True)


@softmax.misconception(
    "scores stretched between 0 and 1", "Their smallest gets nothing then: the weights are `exp` of the scores."
)
def stretched(x, dim=-1):
    above = x - x.amin(dim=dim, keepdim=True)
    stretched = above / above.amax(dim=dim, keepdim=True)
    return stretched / stretched.sum(dim=dim, keepdim=True)


@softmax.misconception(
    "dividing by the mean of exp",
    "The weights add up to 1 along `dim` where they are divided by their sum: `sum(...)`.",
)
def over_their_mean(x, dim=-1):
    return torch.softmax(x, dim) * x.shape[dim]


@softmax.misconception(
    "one more than the sum below the fraction",
    "Then the weights add up to less than 1: divide by their sum along `dim` alone.",
)
def one_more(x, dim=-1):
    weights = (x - x.amax(dim=dim, keepdim=True)).exp()
    return weights / (1 + weights.sum(dim=dim, keepdim=True))


@softmax.misconception(
    "scores scaled by a root within softmax",
    "`Attention` divides by the root of `d_head` before it calls `softmax`: take the scores as they come.",
)
def scaled_within(x, dim=-1):
    return torch.softmax(x / x.shape[dim] ** 0.5, dim)


@softmax.also("scores scaled by a root within softmax")
def scaled_by_the_last_axis(x, dim=-1):
    return torch.softmax(x / x.shape[-1] ** 0.5, dim)


@softmax.misconception("the logarithm of the weights", "That is log-softmax: return the weights themselves.")
def log_weights(x, dim=-1):
    return torch.log_softmax(x, dim)


@softmax.also("the logarithm of the weights")
def log_weights_unshifted(x, dim=-1):
    return x - x.exp().sum(dim=dim, keepdim=True).log()


@softmax.misconception("a sigmoid", "It looks at each score alone, so nothing adds up to 1: divide `exp` by its sum.")
def sigmoid(x, dim=-1):
    return torch.sigmoid(x)


@softmax.misconception(
    "subtracting the maximum after exp", "By then `exp` has overflowed: subtract from the scores, then take `exp`."
)
def subtracted_too_late(x, dim=-1):
    weights = x.exp() - x.exp().amax(dim=dim, keepdim=True)
    return weights / weights.sum(dim=dim, keepdim=True)


@softmax.also("subtracting the maximum after exp")
def maximum_taken_off_the_weights(x, dim=-1):
    weights = x.exp() - x.amax(dim=dim, keepdim=True)
    return weights / weights.sum(dim=dim, keepdim=True)


@softmax.misconception(
    "dividing by the largest score", "Softmax subtracts it: a ratio of weights depends on the difference of scores."
)
def scores_over_the_largest(x, dim=-1):
    return torch.softmax(x / x.amax(dim=dim, keepdim=True), dim)


@softmax.also("dividing by the largest score")
def scores_over_the_largest_by_hand(x, dim=-1):
    weights = (x / x.amax(dim=dim, keepdim=True)).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


@softmax.misconception("subtracting in place", "`x -= ...` changes the caller's tensor: write `shifted = x - ...`.")
def in_place(x, dim=-1):
    x -= x.amax(dim=dim, keepdim=True)
    return x.exp() / x.exp().sum(dim=dim, keepdim=True)


@softmax.misconception(
    "the place of the largest score", "That is argmax, all or nothing: softmax gives every score a share."
)
def hardmax(x, dim=-1):
    return F.one_hot(x.movedim(dim, -1).argmax(-1), x.shape[dim]).movedim(-1, dim).float()


@softmax.also("the place of the largest score")
def place_alone(x, dim=-1):
    return x.argmax(dim=dim)


@softmax.misconception(
    "weights cut out of the graph", "Training must reach the scores: no `detach()`, no `.data`, no `torch.no_grad()`."
)
def detached(x, dim=-1):
    return torch.softmax(x.detach(), dim)


@softmax.misconception(
    "a sum cut out of the graph", "A higher score lowers all the others, through the sum: do not detach it."
)
def detached_sum(x, dim=-1):
    weights = (x - x.amax(dim=dim, keepdim=True).detach()).exp()
    return weights / weights.sum(dim=dim, keepdim=True).detach()


@softmax.misconception(
    "dividing by the number of scores",
    "The weights add up to 1 where they are divided by their sum, `sum(dim=dim, keepdim=True)`, not by their number.",
)
def over_their_number(x, dim=-1):
    return (x - x.amax(dim=dim, keepdim=True)).exp() / x.shape[dim]


@softmax.misconception(
    "a maximum subtracted above the fraction or below it alone",
    "What is subtracted cancels only where `exp` of the same shifted scores stands above and below: give it a name, "
    "and use it twice.",
)
def shifted_above_alone(x, dim=-1):
    return (x - x.amax(dim=dim, keepdim=True)).exp() / x.exp().sum(dim=dim, keepdim=True)


@softmax.also("a maximum subtracted above the fraction or below it alone")
def shifted_below_alone(x, dim=-1):
    return x.exp() / (x - x.amax(dim=dim, keepdim=True)).exp().sum(dim=dim, keepdim=True)


@softmax.misconception(
    "the largest score added",
    "Take it off: `x - x.amax(dim=dim, keepdim=True)`; added, it makes `exp` overflow sooner.",
)
def maximum_added(x, dim=-1):
    weights = (x + x.amax(dim=dim, keepdim=True)).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


@softmax.misconception(
    "softmax taken twice", "The second takes weights for scores and levels them: divide `exp` by its sum once."
)
def twice(x, dim=-1):
    return torch.softmax(torch.softmax(x, dim), dim)


@softmax.misconception(
    "scores multiplied or divided by a number",
    "A temperature is no part of softmax: take `exp` of the scores as they come.",
)
def half_the_scores(x, dim=-1):
    return torch.softmax(x / 2, dim)


@softmax.misconception(
    "1 minus the weights", "The largest score gets the largest weight: return the weights themselves."
)
def one_minus(x, dim=-1):
    return 1 - torch.softmax(x, dim)


@softmax.misconception(
    "zeros in the place of minus infinity",
    "exp of minus infinity is 0, as it should be: leave -inf among the scores, once the largest is subtracted.",
)
def infinity_as_zero(x, dim=-1):
    return torch.softmax(x.masked_fill(x == -math.inf, 0.0), dim)


@softmax.misconception(
    "weights that never get to 0",
    "The weight of minus infinity is 0 itself: no `clamp` of the weights, and nothing added to them.",
)
def no_weight_of_0(x, dim=-1, least=1e-6):
    weights = (x - x.amax(dim=dim, keepdim=True)).exp().clamp(min=least)
    return weights / weights.sum(dim=dim, keepdim=True)


@softmax.also("weights that never get to 0")
def a_grain_for_each(x, dim=-1, grain=1e-6):
    weights = (x - x.amax(dim=dim, keepdim=True)).exp() + grain
    return weights / weights.sum(dim=dim, keepdim=True)


for grain in (1e-8, 1e-7, 1e-5, 1e-4):
    softmax.also("weights that never get to 0")(functools.partial(no_weight_of_0, least=grain))
    softmax.also("weights that never get to 0")(functools.partial(a_grain_for_each, grain=grain))


def positive(scores):
    """Other ways to make scores positive than `exp`."""
    return {
        "squares": scores**2,
        "absolute values": scores.abs(),
        "softplus": F.softplus(scores),
        "positive parts": scores.relu(),
        "sigmoids": scores.sigmoid(),
    }


def made_positive(how):
    """These divided by their sum."""
    return lambda x, dim=-1: positive(x)[how] / positive(x)[how].sum(dim=dim, keepdim=True)


softmax.misconception(
    "another function in the place of exp",
    "A point more of score multiplies a weight by e: the weights are `exp` of the scores, divided by their sum.",
)(made_positive("squares"))
for how in ("absolute values", "softplus", "positive parts", "sigmoids"):
    softmax.also("another function in the place of exp")(made_positive(how))
for factor in (2.0, 10.0, 0.1, 8.0, 1 / 8.0):
    softmax.also("scores multiplied or divided by a number")(
        lambda x, dim=-1, factor=factor: torch.softmax(x * factor, dim)
    )

SHIFTS = {  # what may stand in `exp`
    "nothing": lambda x, dim: x,
    "each row's maximum": lambda x, dim: x - x.amax(dim=dim, keepdim=True),
    "the whole tensor's": lambda x, dim: x - x.max(),
    "the last axis's": lambda x, dim: x - x.amax(dim=-1, keepdim=True),
}
DIVISIONS = {  # of the weights, each with the mistake that it is
    "always the last axis": lambda weights, dim: weights / weights.sum(-1, keepdim=True),
    "always the first axis": lambda weights, dim: weights / weights.sum(0, keepdim=True),
    "always axis 1": lambda weights, dim: weights / weights.sum(1, keepdim=True),
    "one softmax over all numbers": lambda weights, dim: weights / weights.sum(),
    "a sum without keepdim": lambda weights, dim: weights / weights.sum(dim),
    "an axis put back at the end, whatever `dim` is": lambda weights, dim: weights / weights.sum(dim).unsqueeze(-1),
    "dividing by the number of scores": lambda weights, dim: weights / weights.shape[dim],
    "dividing by the length of the vector": lambda weights, dim: weights / weights.norm(dim=dim, keepdim=True),
    "one more than the sum below the fraction": lambda weights, dim: weights / (1 + weights.sum(dim, keepdim=True)),
    "dividing by the mean of exp": lambda weights, dim: weights / weights.mean(dim, keepdim=True),
    "exp of the scores alone": lambda weights, dim: weights / weights.amax(),
}


def put_together(shift, division):
    """A softmax of these two steps."""
    return lambda x, dim=-1: DIVISIONS[division](SHIFTS[shift](x, dim).exp(), dim)


for division in DIVISIONS:
    for shift in SHIFTS:
        if (shift, division) != ("each row's maximum", "always the last axis"):  # that has a name of its own
            softmax.also(division)(put_together(shift, division))
for shift in SHIFTS:
    softmax.also("powers of 2")(lambda x, dim=-1, shift=shift: _of_powers(2 ** SHIFTS[shift](x, dim), dim))


def _of_powers(powers, dim):
    return powers / powers.sum(dim=dim, keepdim=True)


@mask.test
def test_apply_causal_mask(apply_causal_mask):
    """The mask: minus infinity, or any large negative number, where the key comes after the query."""
    scores = random_tensor(2, 3, 5, 5)
    with line(f"keeps the shape [{SCORES}]"):
        for batch, heads, pos in ((2, 3, 5), (1, 3, 5), (2, 1, 1), (3, 2, 9)):
            check_shape(apply_causal_mask, random_tensor(batch, heads, pos, pos))
    with line("hides every key after the query, and changes no other score"):
        for pos in (2, 5, 1, 9, 3):
            check_agrees(apply_causal_mask, random_tensor(2, 3, pos, pos, scale=5.0))
        check_agrees(apply_causal_mask, random_tensor(4, 4, 4, 4))
        check_agrees(apply_causal_mask, torch.zeros(2, 3, 5, 5))
    with line("hides them wherever the scores are: far above 0, far below"):
        for offset in (60.0, -200.0):
            check_agrees(apply_causal_mask, scores + offset, tolerance=1e-4)
    with line("treats every sentence and every head alike, and answers the same twice"):
        check_alone(apply_causal_mask, scores, axis="batch")
        check_alone(apply_causal_mask, scores, axis="head_index")
        check_repeatable(apply_causal_mask, scores, before=[(random_tensor(1, 1, 2, 2),)])
    with line("passes gradients back to the scores that stay"):
        check_gradients(apply_causal_mask, scores, cotangent=random_tensor(2, 3, 5, 5).tril())


ONES = "torch.ones(query_pos, key_pos, dtype=torch.bool, device=attn_scores.device)"
SQUARE = "As many keys as queries: the last two axes have one size."
NO_GRADIENT = "A mask of True and False has no gradient."
mask.equivalent("query_pos, key_pos = attn_scores.shape[-2:] → key_pos, query_pos = attn_scores.shape[-2:]", SQUARE)
mask.equivalent("attn_scores.shape[-2:] → attn_scores.shape[2:]", "The scores have four axes.")
mask.equivalent(f"{ONES} → torch.ones(key_pos, query_pos, dtype=torch.bool, device=attn_scores.device)", SQUARE)
mask.equivalent("query_pos → key_pos", SQUARE)
mask.equivalent("key_pos → query_pos", SQUARE)
mask.equivalent(f"{ONES} → torch.ones(query_pos, key_pos, dtype=torch.bool)", "Tests run on the CPU alone.")
mask.equivalent(f"{ONES}.triu(1) → {ONES}.triu(1).detach()", NO_GRADIENT)
mask.equivalent("in_future → in_future.detach()", NO_GRADIENT)
mask.equivalent(
    "attn_scores.masked_fill(in_future, float('-inf')) → attn_scores.masked_fill_(in_future, float('-inf'))",
    "Masking in place is right too.",
)


def future(scores, diagonal=1):
    """True where the key comes after the query."""
    return torch.ones(scores.shape[-2:]).triu(diagonal).bool()


@mask.correct
def a_large_negative_number(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), -1e9)


@mask.correct
def in_place_with_infinity(attn_scores):
    attn_scores.masked_fill_(future(attn_scores), -math.inf)
    return attn_scores


@mask.correct
def the_smallest_float(attn_scores):
    query_pos, key_pos = (torch.arange(size) for size in attn_scores.shape[-2:])
    return torch.where(query_pos[:, None] >= key_pos, attn_scores, torch.finfo(attn_scores.dtype).min)


@mask.correct
def openai_gpt2(attn_scores):
    allowed = torch.ones_like(attn_scores).tril()
    return attn_scores * allowed - 1e10 * (1 - allowed)


@mask.correct
def infinity_added(attn_scores):
    return attn_scores + torch.full(attn_scores.shape[-2:], -math.inf).triu(1)


@mask.correct
def row_by_row(attn_scores):
    for query_pos in range(attn_scores.shape[-2]):
        attn_scores[..., query_pos, query_pos + 1 :] = -1e5
    return attn_scores


@mask.misconception(
    "hiding the present too",
    "A position may look at itself, so the diagonal stays: `triu(1)`, or `tril()` of what is allowed.",
)
def strict(attn_scores):
    return attn_scores.masked_fill(future(attn_scores, 0), -math.inf)


@mask.misconception(
    "leaving the next token in sight",
    "The first hidden key is the one right after the query: `triu(1)`, or `tril(0)` of what is allowed.",
)
def one_ahead(attn_scores):
    return attn_scores.masked_fill(future(attn_scores, 2), -math.inf)


@mask.misconception(
    "hiding the past",
    "Rows are queries, columns are keys: the future lies right of the diagonal, `triu(1)`.",
)
def upside_down(attn_scores):
    return attn_scores.masked_fill(future(attn_scores).T, -math.inf)


@mask.misconception(
    "hiding what should stay",
    "Hide the future alone: `masked_fill` fills where the mask is True, `torch.where` keeps its second argument there.",
)
def inverted(attn_scores):
    return attn_scores.masked_fill(~future(attn_scores), -math.inf)


@mask.also("hiding what should stay")
def inverted_by_products(attn_scores):
    allowed = (~future(attn_scores)).float()
    return attn_scores * allowed - 1e10 * allowed


@mask.misconception(
    "hiding all but the diagonal", "A query reads the keys before its own too: hide what lies right of the diagonal."
)
def diagonal_alone(attn_scores):
    return attn_scores.masked_fill(~torch.eye(attn_scores.shape[-1]).bool(), -math.inf)


@mask.misconception(
    "hiding the diagonal alone", "That is where a position reads itself: hide what lies right of it, `triu(1)`."
)
def diagonal_hidden(attn_scores):
    return attn_scores.masked_fill(torch.eye(attn_scores.shape[-1]).bool(), -math.inf)


@mask.misconception(
    "hiding the scores below 0", "Whether a score is hidden depends on its place, not on its size: use a triangle."
)
def negative_hidden(attn_scores):
    return attn_scores.masked_fill(attn_scores <= 0, -math.inf)


@mask.misconception(
    "a loop that ends one key early", "`range(a, b)` ends before b: the last key is hidden up to `key_pos` itself."
)
def last_key_left(attn_scores):
    hidden = future(attn_scores)
    hidden[:, -1] = False
    return attn_scores.masked_fill(hidden, -math.inf)


@mask.misconception(
    "a loop that leaves out the first query", "Query 0 has a future too: the loop over the queries starts at 0."
)
def first_query_left(attn_scores):
    hidden = future(attn_scores)
    hidden[0] = False
    return attn_scores.masked_fill(hidden, -math.inf)


@mask.misconception(
    "a mask that picks from the first two axes",
    "`attn_scores[mask]` counts axes from the first: write `attn_scores[..., mask]`, or use `masked_fill`.",
)
def picked_from_the_front(attn_scores):
    attn_scores[future(attn_scores)] = -math.inf
    return attn_scores


@mask.misconception(
    "zeros for what is hidden",
    "exp(0) is 1, so a hidden key would still get weight: fill with `float('-inf')`, or -1e9.",
)
def zeros(attn_scores):
    return attn_scores.tril()


@mask.misconception(
    "a number that is not negative enough",
    "It only works while all scores are far above it: use `float('-inf')`, or -1e9.",
)
def shy(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), -10.0)


def filled_with(number):
    """A mask that writes this number over the future."""
    return lambda attn_scores: attn_scores.masked_fill(future(attn_scores), number)


for number in (-1.0, -2.0, -3.0, -5.0, -20.0, -50.0, -99.0, -100.0, -200.0, -300.0, -500.0, -512.0):
    mask.also("a number that is not negative enough")(filled_with(number))


@mask.also("a number that is not negative enough")
def smallest_score(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), attn_scores.min().item())


@mask.misconception(
    "the smallest positive number", "`finfo.tiny` and `finfo.eps` lie just above 0: `finfo.min` is the lowest."
)
def tiny(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), torch.finfo(attn_scores.dtype).tiny)


@mask.misconception("plus infinity", "The future would get all the weight: fill with minus infinity.")
def plus_infinity(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), math.inf)


@mask.also("plus infinity")
def plus_a_billion(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), 1e9)


for number in (1.0, 100.0, 1e4, 1e5, 1e10, 1e20, torch.finfo(torch.float32).max):
    mask.also("plus infinity")(filled_with(number))


def adding(number, *, region=future, times=1.0):
    """A mask that adds this number to a region of the scores."""
    return lambda attn_scores: attn_scores * times + number * region(attn_scores).float()


mask.also("plus infinity")(adding(1e9))


@mask.misconception(
    "infinity times 0", "That is NaN. Use `masked_fill` or `torch.where`, which need no product, or multiply by -1e9."
)
def infinity_times_zero(attn_scores):
    return attn_scores + future(attn_scores).float() * -math.inf


def strict_future(attn_scores):
    """True on the diagonal too."""
    return future(attn_scores, 0)


def past(attn_scores):
    """True where the key does not come after the query."""
    return ~future(attn_scores)


for region in (past, strict_future):
    mask.also("infinity times 0")(adding(-math.inf, region=region))
mask.also("infinity times 0")(lambda attn_scores: attn_scores - future(attn_scores).float() * math.inf)
mask.also("infinity times 0")(lambda attn_scores: attn_scores + (1 - past(attn_scores).float()) * math.inf)
mask.also("infinity times 0")(
    lambda attn_scores: attn_scores * past(attn_scores) - math.inf * future(attn_scores).float()
)
mask.also("infinity times 0")(lambda attn_scores: attn_scores * (future(attn_scores).float() * -math.inf))


@mask.misconception(
    "scores multiplied by a large number", "A score below 0 turns its sign: replace it, `masked_fill(mask, -1e9)`."
)
def times_a_billion(attn_scores):
    return attn_scores * torch.where(future(attn_scores), -1e9, 1.0)


@mask.misconception(
    "scores multiplied by minus infinity", "A score below 0 becomes plus infinity: replace it, `masked_fill`."
)
def times_minus_infinity(attn_scores):
    return attn_scores * torch.where(future(attn_scores), -math.inf, 1.0)


@mask.misconception("nan for what is hidden", "All that is computed with it becomes nan: fill with `float('-inf')`.")
def filled_with_nan(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), math.nan)


@mask.misconception(
    "the visible scores in a row",
    "Indexing by a mask takes scores out, and the square is lost: `masked_fill` keeps the shape.",
)
def taken_out(attn_scores):
    return attn_scores[..., ~future(attn_scores)]


@mask.misconception(
    "leaving more than the next token in sight",
    "`triu(1)` is the future; a larger number moves the edge further right, and a smaller one hides more.",
)
def two_ahead(attn_scores):
    return attn_scores.masked_fill(future(attn_scores, 3), -math.inf)


@mask.misconception(
    "hiding some of the past too", "`triu(-1)` begins left of the diagonal: the future begins right of it, `triu(1)`."
)
def from_before_the_diagonal(attn_scores):
    return attn_scores.masked_fill(future(attn_scores, -1), -math.inf)


@mask.also("hiding some of the past too")
def from_two_before_the_diagonal(attn_scores):
    return attn_scores.masked_fill(future(attn_scores, -2), -math.inf)


@mask.also("hiding what should stay")
def inverted_one_ahead(attn_scores):
    return attn_scores.masked_fill(~future(attn_scores, 2), -math.inf)


@mask.misconception(
    "hiding the next token alone", "The whole future goes: `triu(1)` holds every diagonal from the first on."
)
def next_alone(attn_scores):
    return attn_scores.masked_fill(future(attn_scores) & ~future(attn_scores, 2), -math.inf)


@mask.misconception(
    "a triangle flipped over", "Its diagonal then runs from the bottom to the right: `triu(1)` is not flipped."
)
def flipped(attn_scores):
    return attn_scores.masked_fill(future(attn_scores).flip(-1), -math.inf)


@mask.also("a triangle flipped over")
def flipped_upside_down(attn_scores):
    return attn_scores.masked_fill(future(attn_scores).flip(-2), -math.inf)


@mask.misconception(
    "hiding every score",
    "No key is left to read. `~` of a triangle of numbers makes -1 and -2, which both count as True: `.bool()` first.",
)
def all_hidden(attn_scores):
    return torch.full_like(attn_scores, -math.inf)


@mask.misconception(
    "scores with queries and keys swapped",
    "Only the future changes: do not transpose the scores, and not the triangle.",
)
def scores_transposed(attn_scores):
    return attn_scores.mT.masked_fill(future(attn_scores), -math.inf)


@mask.also("scores with queries and keys swapped")
def transposed_when_masked(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), -math.inf).mT


@mask.misconception(
    "scores scaled within the mask",
    "`Attention` divides them by the root of `d_head` before: leave what stays as it is.",
)
def scaled_and_masked(attn_scores, scale=8.0):
    return attn_scores.masked_fill(future(attn_scores), -math.inf) / scale


@mask.also("scores scaled within the mask")
def scaled_by_keys(attn_scores):
    return scaled_and_masked(attn_scores, attn_scores.shape[-1] ** 0.5)


@mask.also("scores scaled within the mask")
def scaled_by_heads(attn_scores):
    return scaled_and_masked(attn_scores, attn_scores.shape[1] ** 0.5)


@mask.misconception(
    "a mask of a fixed size", "Texts have other lengths: read the size off the scores, `attn_scores.shape[-1]`."
)
def of_1024_positions(attn_scores, n_ctx=1024):
    return attn_scores.masked_fill(torch.ones(n_ctx, n_ctx).triu(1).bool(), -math.inf)


for n_ctx in (3, 4, 5, 6, 7, 8, 10, 16, 32, 64, 128, 256, 512):
    mask.also("a mask of a fixed size")(functools.partial(of_1024_positions, n_ctx=n_ctx))


@mask.misconception(
    "the scores as they came", "`masked_fill` returns a new tensor: return that one, or use `masked_fill_`."
)
def not_kept(attn_scores):
    attn_scores.masked_fill(future(attn_scores), -math.inf)
    return attn_scores


@mask.misconception(
    "the mask without the scores",
    "Return the scores, with those of the future replaced: `attn_scores.masked_fill(...)`.",
)
def mask_alone(attn_scores):
    return torch.zeros_like(attn_scores).masked_fill(future(attn_scores), -math.inf)


@mask.also("the mask without the scores")
def ones_alone(attn_scores):
    return torch.ones_like(attn_scores).tril()


for values in ((True, False), (False, True), (0.0, 1.0), (-1e9, 0.0), (-math.inf, 1.0)):  # in the future, elsewhere
    for whole in (False, True):

        @mask.also("the mask without the scores")
        def one_of_two(attn_scores, values=values, whole=whole):
            alone = torch.where(future(attn_scores), *values)
            return alone.expand(attn_scores.shape) if whole else alone


@mask.also("the mask without the scores")
def square_alone(attn_scores):
    return torch.zeros(attn_scores.shape[-2:]).masked_fill(future(attn_scores), -math.inf)


@mask.misconception(
    "a triangle of ones added to the scores",
    "One more or less hides nothing: where the future is, minus infinity is due, `masked_fill(mask, float('-inf'))`.",
)
def one_added(attn_scores):
    return attn_scores + future(attn_scores)


@mask.also("a triangle of ones added to the scores")
def one_taken_off(attn_scores):
    return attn_scores - future(attn_scores).float()


@mask.also("a triangle of ones added to the scores")
def one_added_to_what_stays(attn_scores):
    return attn_scores + (~future(attn_scores)).float()


for number, region in ((-1.0, past), (1.0, strict_future), (-1.0, strict_future)):
    mask.also("a triangle of ones added to the scores")(adding(number, region=region))


@mask.misconception(
    "a mask for the first sentence alone",
    "The triangle holds for every sentence of the batch: fill all of `attn_scores`, without an index in front.",
)
def first_sentence(attn_scores):
    return torch.cat([attn_scores[:1].masked_fill(future(attn_scores), -math.inf), attn_scores[1:]])


@mask.misconception(
    "a mask for the first head alone",
    "The triangle holds for every head: the two axes in front are filled whole, `[:, :, query, key]`.",
)
def first_head(attn_scores):
    return torch.cat([attn_scores[:, :1].masked_fill(future(attn_scores), -math.inf), attn_scores[:, 1:]], dim=1)


@mask.misconception(
    "softmax within the mask", "Softmax comes after the mask, in `Attention`: return scores, not weights."
)
def already_weights(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), -math.inf).softmax(-1)


@mask.also("softmax within the mask")
def weights_cut_off(attn_scores):
    return attn_scores.softmax(-1).tril()


@mask.also("softmax within the mask")
def logarithms_of_weights(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), -math.inf).log_softmax(-1)


@mask.also("softmax within the mask")
def weights_not_divided(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), -math.inf).exp()


@mask.also("softmax within the mask")
def weights_of_queries(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), -math.inf).softmax(-2)


@mask.misconception(
    "scores that are hidden for all queries alike",
    "Each query has a future of its own: the mask is a triangle, [query_pos key_pos].",
)
def last_key_hidden(attn_scores):
    hidden = torch.arange(attn_scores.shape[-1]) > 0
    return attn_scores.masked_fill(hidden, -math.inf)


@mask.misconception(
    "the axes of batch and heads in the mask", "The triangle is made of the last two axes: `attn_scores.shape[-2:]`."
)
def first_axes(attn_scores):
    return attn_scores.masked_fill(torch.ones(attn_scores.shape[:2]).triu(1).bool(), -math.inf)


@mask.also("the axes of batch and heads in the mask")
def first_axes_in_place(attn_scores):
    batch, heads = attn_scores.shape[:2]
    hidden = torch.ones(batch, heads).triu(1).bool()
    return attn_scores.masked_fill(hidden[..., None, None], -math.inf)


for first, last in ((1, 2), (0, 1)):  # a square of heads, of sentences

    @mask.also("the axes of batch and heads in the mask")
    def square_of_others(attn_scores, first=first, last=last):
        size = attn_scores.shape[first:last][0]
        return attn_scores.masked_fill(torch.ones(size, size).triu(1).bool(), -math.inf)


@mask.also("the axes of batch and heads in the mask")
def middle_axes(attn_scores):
    return attn_scores.masked_fill(torch.ones(attn_scores.shape[1:3]).triu(1).bool(), -math.inf)


@mask.also("the axes of batch and heads in the mask")
def middle_axes_in_place(attn_scores):
    return attn_scores.masked_fill(torch.ones(attn_scores.shape[1:3]).triu(1).bool()[..., None], -math.inf)


for axis in (0, 1):

    @mask.also("the axes of batch and heads in the mask")
    def loop_over_others(attn_scores, axis=axis):
        for query_pos in range(attn_scores.shape[axis]):
            attn_scores[:, :, query_pos, query_pos + 1 :] = -math.inf
        return attn_scores


@mask.misconception(
    "hiding whole queries",
    "The last axis holds the keys: a triangle [query_pos key_pos] hides some of them for each query.",
)
def last_query_hidden(attn_scores):
    hidden = torch.zeros(attn_scores.shape[-2:]).bool()
    hidden[-1] = True
    return attn_scores.masked_fill(hidden, -math.inf)


@mask.also("scores that are hidden for all queries alike")
def one_key_hidden(attn_scores):
    return attn_scores.masked_fill(torch.arange(attn_scores.shape[-1]) == attn_scores.shape[-1] - 1, -math.inf)


@mask.misconception(
    "hiding every score that is 0",
    "A visible score may be 0 too. Make the triangle of ones, and fill where *that* is 0, or `triu(1)` of ones is 1.",
)
def hidden_where_zero(attn_scores):
    lower = attn_scores.tril()
    return lower.masked_fill(lower == 0, -math.inf)


@mask.misconception(
    "leaving future scores that are 0",
    "`triu` of the scores says nothing where a score is 0: make the triangle of ones.",
)
def zeros_left(attn_scores):
    return attn_scores.masked_fill(attn_scores.triu(1) != 0, -math.inf)


@mask.misconception(
    "scores cut out of the graph", "Training must reach the scores that stay: no `detach()`, no `.data`."
)
def mask_detached(attn_scores):
    return attn_scores.detach().masked_fill(future(attn_scores), -math.inf)


@attention.test
def test_attention(Attention):
    """Attention part by part, then against the reference solution and the reference model."""
    cfg = SMALL
    check_parameters(Attention, cfg)
    weights, resid = random_weights(cfg, scale=0.6), random_tensor(2, 5, cfg.d_model)
    check_form(Attention, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model))
    with line("handles each sentence of the batch alone"):
        check_alone(Attention, cfg, weights, resid, axis="batch")
    with line("values: one position alone, which sees only itself, gets its own `v` from every head"):
        for head in range(cfg.n_heads):
            check_agrees(Attention, cfg, showing(head, weights, cfg), resid[:, :1])
    with line("output: each head goes through its `W_O`, all heads are added, and `b_O` once"):
        check_agrees(Attention, cfg, weights, resid[:, :1])
    with line("keeps heads and positions apart: where all vectors are the same, so are all answers"):
        check_agrees(Attention, cfg, weights, resid[:, :1].expand(-1, 4, -1).contiguous())
    with line("mask: with equal scores, each position gets the mean of the values up to its own"):
        blind = without(weights, "W_Q", "W_K", "b_Q", "b_K")
        for head in range(cfg.n_heads):
            check_agrees(Attention, cfg, showing(head, level(blind, 2.0), cfg), resid)
        check_agrees(Attention, cfg, blind, resid)
    with line("mask: no position sees a later one"):
        check_causal(Attention, cfg, weights, resid)
    with line("scores: each query meets each key, biases included (at `d_head` = 1, where the scale is 1)"):
        thin = replace(cfg, d_head=1)
        thin_weights = random_weights(thin)
        check_agrees(Attention, thin, without(thin_weights, "b_Q", "b_K"), resid)
        check_agrees(Attention, thin, thin_weights, resid)
    with line("scale: every score is divided by the root of `d_head`"):
        for d_head in (2, 4, 16):
            sized = replace(cfg, d_head=d_head)
            check_agrees(Attention, sized, random_weights(sized, scale=0.5), resid)
    with line("agrees with the reference solution on random weights, at every size"):
        for batch, pos in ((3, 5), (1, 1), (2, cfg.n_ctx), (3, 3), (1, 4), (2, 2)):
            check_agrees(Attention, cfg, random_weights(cfg, scale=0.6), random_tensor(batch, pos, cfg.d_model))
        for other in (replace(cfg, n_heads=1), replace(cfg, n_heads=4, d_head=2), replace(cfg, d_model=5, d_head=7)):
            vectors = random_tensor(2, 6, other.d_model)
            check_agrees(Attention, other, random_weights(other, scale=0.6), vectors)
    with line("agrees with it after `eval()` too: what a position may see is the same when nobody trains"):
        check_agrees(Attention, cfg, weights, resid, training=False)
    with line("agrees with the reference model in every layer"):
        for layer in range(reference().cfg.n_layers):
            seen, want, weights_there = recorded(layer)
            check_value(Attention, reference().cfg, weights_there, seen, want=want, tolerance=1e-4)
    with line("stays exact where scores are large"):
        check_agrees(Attention, cfg, weights | {"W_Q": 30 * weights["W_Q"]}, resid, tolerance=1e-3)
        check_agrees(Attention, cfg, weights | {"W_Q": -30 * weights["W_Q"]}, resid, tolerance=1e-3)
        check_agrees(Attention, cfg, level(blind, -200.0), resid)
    with line("passes gradients back to every parameter and to `normalized_resid_pre`"):
        check_gradients(Attention, cfg, random_weights(cfg, scale=0.4), resid)


KEYS = "einops.einsum(normalized_resid_pre, self.W_K, project)"
SAME_FOR_A_ROW = "What is added to every key adds the same to all scores of a query, and softmax does not see it."
for changed in (
    f"{KEYS} + self.b_K[:, None] → {KEYS}",
    f"{KEYS} + self.b_K[:, None] → {KEYS} - self.b_K[:, None]",
    "self.b_K → self.b_Q",
    "self.b_K → self.b_V",
    "self.b_K[:, None] → self.b_K[:, None].detach()",
    "self.b_K → self.b_K.detach()",
):
    attention.equivalent(changed, SAME_FOR_A_ROW)
for bias in ("self.b_Q", "self.b_K", "self.b_V"):
    attention.equivalent(f"{bias}[:, None] → {bias}[:, None, :]", "The last axis need not be named.")
ROOT = "self.cfg.d_head ** 0.5"
attention.equivalent("k.transpose(-2, -1) → k.transpose(-1, -2)", "Two axes change places in either order.")
attention.equivalent("-2 → 2", "k has four axes, so that the last but one is also number 2.")
attention.equivalent("-1 → 3", "k and the scores have four axes, so that the last one is also number 3.")
for divided in (f"q / {ROOT} @ k.transpose(-2, -1)", f"q @ (k.transpose(-2, -1) / {ROOT})"):
    attention.equivalent(
        f"q @ k.transpose(-2, -1) / {ROOT} → {divided}", "One factor of a product, wherever it stands."
    )
attention.equivalent(
    "softmax(apply_causal_mask(attn_scores), dim=-1) → softmax(apply_causal_mask(attn_scores))",
    "The last axis is what `softmax` takes by default.",
)
attention.equivalent("z = pattern @ v → pattern @= v; z = pattern", "The pattern is not needed again.")


def showing(head: int, weights: dict[str, Tensor], cfg: Config) -> dict[str, Tensor]:
    """The weights with a `W_O` that copies what this head found into the first d_head dimensions, and nothing else."""
    copies = torch.zeros(cfg.n_heads, cfg.d_head, cfg.d_model)
    copies[head] = torch.eye(cfg.d_head, cfg.d_model)
    return weights | {"W_O": copies, "b_O": torch.zeros(cfg.d_model)}


def level(weights: dict[str, Tensor], score: float) -> dict[str, Tensor]:
    """The weights with biases by which every query has this score with every key, where nothing else makes scores."""
    side = (abs(score) / weights["b_Q"].shape[-1] ** 0.5) ** 0.5
    return weights | {
        "b_Q": torch.full_like(weights["b_Q"], side),
        "b_K": torch.full_like(weights["b_K"], math.copysign(side, score)),
    }


def without(weights: dict[str, Tensor], *names: str) -> dict[str, Tensor]:
    """The weights, those of these names at 0."""
    return weights | {name: torch.zeros_like(weights[name]) for name in names}


def recorded(layer: int) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
    """What the attention of a layer read and answered in the reference model, and its weights."""
    model, name = reference(), f"blocks.{layer}.attn"
    weights = {part: model.weights[f"{name}.{part}"] for part in WEIGHTS | BIASES}
    return model.activations[f"{name}.hook_in"], model.activations[f"blocks.{layer}.hook_attn_out"], weights


def root_of_d_head(cfg):
    return cfg.d_head**0.5


def masked(scores):
    return scores.masked_fill(future(scores), -math.inf)


def weighed(scores):
    return scores.softmax(dim=-1)


def mixed(self, z):
    return torch.einsum("bhpk,hkd->bpd", z, self.W_O) + self.b_O


def projected(self, resid, part, bias: bool | str = True):
    """`q`, `k` or `v` of every head: [batch head_index pos d_head]; with another's bias, or without one."""
    found = torch.einsum("bpd,hdk->bhpk", resid, getattr(self, f"W_{part}"))
    return found + getattr(self, f"b_{part if bias is True else bias}")[:, None] if bias else found


def attending(*, parts="QKV", biases="QKV", added="", scale=root_of_d_head, hide=masked, weigh=weighed, mix=mixed):
    """A `forward` of which one step is replaced.

    `parts` says which weights make q, k and v, `added` which biases, if not their own; `biases` which there are.
    """

    def forward(self, normalized_resid_pre):
        q, k, v = (
            projected(self, normalized_resid_pre, part, bias in biases and bias)
            for part, bias in zip(parts, added or parts, strict=True)
        )
        pattern = weigh(hide(q @ k.transpose(-1, -2) / scale(self.cfg)))
        return mix(self, pattern @ v)

    return forward


@attention.correct
def loop_over_heads(self, normalized_resid_pre):
    answer = self.b_O.expand(normalized_resid_pre.shape)
    for head in range(self.cfg.n_heads):
        q = normalized_resid_pre @ self.W_Q[head] + self.b_Q[head]
        k = normalized_resid_pre @ self.W_K[head] + self.b_K[head]
        v = normalized_resid_pre @ self.W_V[head] + self.b_V[head]
        scores = (q @ k.mT / math.sqrt(self.cfg.d_head)).masked_fill(future(q @ k.mT), -1e9)
        answer = answer + scores.softmax(-1) @ v @ self.W_O[head]
    return answer


@attention.correct
def positions_before_heads(self, normalized_resid_pre):
    project = "batch pos d_model, head_index d_model d_head -> batch pos head_index d_head"
    q, k, v = (
        einops.einsum(normalized_resid_pre, weight, project) + bias
        for weight, bias in ((self.W_Q, self.b_Q), (self.W_K, self.b_K), (self.W_V, self.b_V))
    )
    scores = einops.einsum(q, k, "batch q head d_head, batch k head d_head -> batch head q k") / self.cfg.d_head**0.5
    scores.masked_fill_(future(scores), -1e5)
    z = einops.einsum(scores.softmax(-1), v, "batch head q k, batch k head d_head -> batch q head d_head")
    return einops.einsum(z, self.W_O, "batch pos head d_head, head d_head d_model -> batch pos d_model") + self.b_O


@attention.correct
def fused_like_c_attn(self, normalized_resid_pre):
    batch, pos, _ = normalized_resid_pre.shape
    weight = torch.cat([w.transpose(0, 1).flatten(1) for w in (self.W_Q, self.W_K, self.W_V)], dim=1)
    bias = torch.cat([b.flatten() for b in (self.b_Q, self.b_K, self.b_V)])
    fused = (normalized_resid_pre @ weight + bias).view(batch, pos, 3, self.cfg.n_heads, self.cfg.d_head)
    q, k, v = fused.permute(2, 0, 3, 1, 4)
    z = weighed(masked(q / self.cfg.d_head**0.5 @ k.mT)) @ v
    return z.transpose(1, 2).reshape(batch, pos, -1) @ self.W_O.flatten(0, 1) + self.b_O


@attention.correct
def scaled_dot_product(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    return mixed(self, F.scaled_dot_product_attention(q, k, v, is_causal=True))


@attention.correct
def one_query_at_a_time(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    rows = []
    for pos in range(normalized_resid_pre.shape[1]):
        scores = k[:, :, : pos + 1] @ q[:, :, pos, :, None] / self.cfg.d_head**0.5
        rows.append((scores.softmax(dim=2) * v[:, :, : pos + 1]).sum(dim=2))
    return mixed(self, torch.stack(rows, dim=2))


@attention.correct
def without_the_bias_of_keys(self, normalized_resid_pre):
    """`b_K` adds the same to all scores of a query, and softmax does not see it."""
    return attending(biases="QV")(self, normalized_resid_pre)


@attention.correct
class FilledByRandn(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        for name, axes in (WEIGHTS | BIASES).items():
            size = [getattr(cfg, axis) for axis in axes.split()]
            value = torch.zeros(size) if name in BIASES else torch.randn(size) * cfg.init_range
            setattr(self, name, nn.Parameter(value))

    forward = attending(hide=in_place_with_infinity)


def wrong(name, advice, **steps):
    """Register an `attending` with these steps under this name."""
    attention.misconception(name, advice)(attending(**steps))


def wrong_too(name, **steps):
    """Register another form of the misconception of this name."""
    attention.also(name)(attending(**steps))


wrong(
    "scores that are not scaled",
    "Divide the scores by the root of `cfg.d_head`, before the mask and softmax.",
    scale=lambda cfg: 1.0,
)
wrong(
    "scores divided by the root of d_model",
    "q and k of one head have `d_head` numbers, so their product is scaled by `cfg.d_head**0.5`.",
    scale=lambda cfg: cfg.d_model**0.5,
)
wrong(
    "scores divided by d_head itself",
    "Divide by its root, `cfg.d_head**0.5`, and once: `F.scaled_dot_product_attention` does it by itself.",
    scale=lambda cfg: cfg.d_head,
)
wrong_too("scores divided by the root of d_model", scale=lambda cfg: (cfg.n_heads * cfg.d_head) ** 0.5)
wrong_too("scores divided by the root of d_model", scale=lambda cfg: (cfg.n_heads * cfg.d_model) ** 0.5)
wrong("scores divided by d_model", "Divide by the root of `d_head`: `cfg.d_head**0.5`.", scale=lambda cfg: cfg.d_model)
wrong(
    "a d_head computed as d_model / n_heads",
    "In GPT-2 they are equal, but `cfg.d_head` is a size of its own, and the tests choose another: read it.",
    scale=lambda cfg: (cfg.d_model / cfg.n_heads) ** 0.5,
)
wrong_too("a d_head computed as d_model / n_heads", scale=lambda cfg: (cfg.d_model // cfg.n_heads) ** 0.5)
wrong(
    "a scale written as a number",
    "8 is the root of GPT-2's d_head of 64, and the tests choose other sizes: `cfg.d_head**0.5`.",
    scale=lambda cfg: 8.0,
)
for number in (64.0, 4.0, 2.0):
    wrong_too("a scale written as a number", scale=lambda cfg, number=number: number)
wrong(
    "scores divided by another power of d_head",
    "It is the square root, `d_head**0.5`. (By the fourth root, `d_head**0.25`, both q and k are divided.)",
    scale=lambda cfg: cfg.d_head**0.25,
)
for power in (1 / 3, 1.5, 2):
    wrong_too("scores divided by another power of d_head", scale=lambda cfg, power=power: cfg.d_head**power)
wrong(
    "scores multiplied by the root of d_head",
    "Divide by it: large scores are to become small.",
    scale=lambda cfg: cfg.d_head**-0.5,
)
wrong(
    "scores divided by the root of n_heads",
    "The sum q · k runs over `d_head` numbers: divide by `cfg.d_head**0.5`.",
    scale=lambda cfg: cfg.n_heads**0.5,
)


@attention.misconception(
    "scores divided by the root of the number of positions",
    "`q.shape[-2]` counts positions. The scale is the root of `cfg.d_head`, whatever the text's length.",
)
def scaled_by_positions(self, normalized_resid_pre):
    pos = normalized_resid_pre.shape[1]
    return attending(scale=lambda cfg: pos**0.5)(self, normalized_resid_pre)


wrong(
    "scaling the weights after softmax",
    "Divide the scores before softmax: afterwards the weights no longer add up to 1.",
    scale=lambda cfg: 1.0,
    weigh=lambda scores: scores.softmax(-1) / 2.0,
)


@attention.also("scaling the weights after softmax")
def scaled_too_late(self, normalized_resid_pre):
    root = self.cfg.d_head**0.5
    weigh = lambda scores: scores.softmax(-1) / root  # noqa: E731
    return attending(scale=lambda cfg: 1.0, weigh=weigh)(self, normalized_resid_pre)


@attention.also("scaling the weights after softmax")
def scaled_before_and_after(self, normalized_resid_pre):
    root = self.cfg.d_head**0.5
    return attending(weigh=lambda scores: scores.softmax(-1) / root)(self, normalized_resid_pre)


@attention.misconception(
    "a query scaled before its bias is added", "Add `b_Q` to the query first, then divide: the bias is scaled too."
)
def bias_after_scale(self, normalized_resid_pre):
    q = projected(self, normalized_resid_pre, "Q", bias=False) / self.cfg.d_head**0.5 + self.b_Q[:, None]
    k, v = projected(self, normalized_resid_pre, "K"), projected(self, normalized_resid_pre, "V")
    return mixed(self, weighed(masked(q @ k.mT)) @ v)


wrong(
    "no mask",
    "Call `apply_causal_mask(attn_scores)` before softmax, and use what it returns. PyTorch's own function masks with "
    "`is_causal=True`.",
    hide=lambda scores: scores,
)
wrong_too("no mask", scale=lambda cfg: 1.0, hide=lambda scores: scores)
wrong_too("no mask", scale=lambda cfg: cfg.d_model**0.5, hide=lambda scores: scores)
wrong(
    "a mask that hides a position from itself",
    "The diagonal stays: the future begins one to the right of it, `triu(1)`.",
    hide=strict,
)
wrong_too("a mask that hides a position from itself", hide=lambda scores: scores.masked_fill(future(scores, 0), -1e9))
wrong_too("a mask that hides a position from itself", hide=lambda scores: scores.masked_fill(future(scores, 0), -1e5))
wrong(
    "a mask that lets the next token through",
    "The first hidden key is the one right after the query: `triu(1)`.",
    hide=one_ahead,
)
wrong(
    "a mask that hides the past",
    "Rows are queries, columns are keys: what lies right of the diagonal is the future, `triu(1)`.",
    hide=upside_down,
)
wrong(
    "a mask turned round",
    "Fill where the future is, and leave the past: `masked_fill` fills where it is True.",
    hide=inverted,
)
wrong_too("a mask turned round", hide=lambda scores: scores.masked_fill(~future(scores), -1e9))
wrong_too("a mask turned round", hide=adding(-1e9, region=past))
wrong(
    "a mask that hides some of the past too",
    "`triu(-1)` begins left of the diagonal: the future begins right of it, `triu(1)`.",
    hide=from_before_the_diagonal,
)
wrong_too("a mask that hides some of the past too", hide=lambda scores: scores.masked_fill(future(scores, -1), -1e9))
wrong(
    "a mask that hides the next token alone",
    "The whole future goes: `triu(1)` holds every diagonal from the first on.",
    hide=next_alone,
)
wrong("a mask on the first head alone", "The triangle holds for every head: fill all of the scores.", hide=first_head)
wrong(
    "a mask on the first sentence alone",
    "The triangle holds for every sentence of the batch: fill all of the scores.",
    hide=first_sentence,
)
wrong(
    "a mask that picks from the first two axes",
    "`scores[mask]` counts axes from the first: write `scores[..., mask]`, or use `masked_fill`.",
    hide=picked_from_the_front,
)
wrong(
    "a mask with the axes of batch and heads",
    "The triangle is made of the last two axes of the scores, [query_pos key_pos].",
    hide=middle_axes_in_place,
)
wrong_too("a mask with the axes of batch and heads", hide=first_axes)
wrong_too("a mask with the axes of batch and heads", hide=middle_axes)
wrong(
    "no score left to read",
    "All are -inf or NaN. 0 · ∞ is NaN: do not multiply by infinity, fill with `masked_fill`. And the mask leaves what "
    "lies on the diagonal and left of it.",
    hide=infinity_times_zero,
)
wrong(
    "a mask that is not negative enough",
    "Fill with `float('-inf')`, or -1e9, so that no weight is left.",
    hide=filled_with(-100.0),
)
for number in (-50.0, -20.0, -10.0, -5.0, -2.0, -1.0):
    wrong_too("a mask that is not negative enough", hide=filled_with(number))
wrong_too("a mask that is not negative enough", hide=smallest_score)
wrong(
    "scores of 0 for the future",
    "A score of 0 still has the weight exp(0) = 1: fill the future with minus infinity.",
    hide=zeros,
)
wrong_too("scores of 0 for the future", scale=lambda cfg: cfg.d_model**0.5, hide=zeros)
wrong(
    "a mask that hides every score that is 0",
    "A visible score may be 0 too: fill where a triangle of ones says so, whatever the scores are.",
    hide=hidden_where_zero,
)
wrong(
    "a triangle of ones added to the scores",
    "One more or less hides nothing: fill the future with minus infinity. (PyTorch's own function adds an `attn_mask` "
    "of numbers; one of True and False hides, where it is False.)",
    hide=one_added_to_what_stays,
)
for number, region in ((-1.0, future), (1.0, future), (-1.0, past)):
    wrong_too("a triangle of ones added to the scores", hide=adding(number, region=region))
wrong(
    "plus infinity or NaN for the future",
    "The future would get all the weight, or every weight be NaN: fill with minus infinity.",
    hide=plus_infinity,
)
wrong_too("plus infinity or NaN for the future", hide=plus_a_billion)
wrong(
    "masking after softmax",
    "Weights that are cut off afterwards are missing from the sum: mask the scores, then take softmax.",
    hide=lambda scores: scores,
    weigh=lambda scores: scores.softmax(-1).tril(),
)
wrong_too("masking after softmax", hide=lambda scores: scores, weigh=lambda scores: masked(scores.softmax(-1)))
wrong_too(
    "masking after softmax",
    hide=lambda scores: scores,
    weigh=lambda scores: scores.softmax(-1).masked_fill(future(scores), -1e9),
)


@attention.misconception(
    "the future in PyTorch's `attn_mask`",
    "There True means that a key may be read, the opposite of `masked_fill`: pass `~mask`, or `is_causal=True`.",
)
def future_alone_read(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    return mixed(self, F.scaled_dot_product_attention(q, k, v, attn_mask=future(q @ k.mT)))


@attention.misconception(
    "a mask in training alone",
    "A later position is hidden whenever the model reads: mask without asking for `self.training`.",
)
def masked_in_training(self, normalized_resid_pre):
    return attending(hide=masked if self.training else torch.clone)(self, normalized_resid_pre)


@attention.misconception(
    "a mask of n_ctx positions that is never cut",
    "A text may be shorter: cut the mask to it, `mask[:pos, :pos]`, with pos from the input's shape.",
)
def never_cut(self, normalized_resid_pre):
    hidden = torch.ones(self.cfg.n_ctx, self.cfg.n_ctx).triu(1).bool()
    return attending(hide=lambda scores: scores.masked_fill(hidden, -math.inf))(self, normalized_resid_pre)


@attention.misconception(
    "a corner of a larger mask that is not the first",
    "Cut rows and columns from the same end, the first: `mask[:pos, :pos]`.",
)
def last_rows(self, normalized_resid_pre, corner=lambda large, pos: large[-pos:, :pos]):
    hidden = corner(torch.ones(self.cfg.n_ctx, self.cfg.n_ctx).triu(1).bool(), normalized_resid_pre.shape[1])
    return attending(hide=lambda scores: scores.masked_fill(hidden, -math.inf))(self, normalized_resid_pre)


@attention.also("a corner of a larger mask that is not the first")
def last_columns(self, normalized_resid_pre):
    return last_rows(self, normalized_resid_pre, corner=lambda large, pos: large[:pos, -pos:])


def masked_by_the_first(self, scores):
    """The scores masked by a triangle as large as the first text that this layer read."""
    if not hasattr(self, "hidden"):
        self.hidden = future(scores)
    return scores.masked_fill(self.hidden, -math.inf)


def masked_by_adding_the_first(self, scores):
    """The scores with such a triangle of minus infinities added."""
    if not hasattr(self, "hidden"):
        self.hidden = torch.zeros(scores.shape[-2:]).masked_fill(future(scores), -math.inf)
    return scores + self.hidden


@attention.misconception(
    "a mask kept from the first call",
    "The next text may be longer or shorter: make the mask anew in each call, as large as the scores.",
)
def kept_mask(self, normalized_resid_pre, hide=masked_by_the_first):
    return attending(hide=functools.partial(hide, self))(self, normalized_resid_pre)


@attention.also("a mask kept from the first call")
def kept_mask_added(self, normalized_resid_pre):
    return kept_mask(self, normalized_resid_pre, masked_by_adding_the_first)


wrong(
    "weights masked after softmax and divided anew",
    "Where the future had all the weight, 0/0 is left. Mask the scores, and softmax divides by the right sum.",
    hide=lambda scores: scores,
    weigh=lambda scores: F.normalize(scores.softmax(-1).tril(), p=1.0, dim=-1, eps=0.0),
)


def divided_anew(scores, eps=1e-9):
    weights = scores.softmax(-1).tril()
    return weights / (weights.sum(-1, keepdim=True) + eps)


wrong_too("weights masked after softmax and divided anew", hide=lambda scores: scores, weigh=divided_anew)
wrong_too(
    "weights masked after softmax and divided anew",
    hide=lambda scores: scores,
    weigh=lambda scores: divided_anew(scores, 1e-8),
)
wrong(
    "softmax over the queries",
    "For each query the weights of its keys add up to 1: `dim=-1`, the key axis.",
    weigh=lambda scores: scores.softmax(-2),
)
wrong(
    "softmax over the heads",
    "Axis 1 is head_index. The weights add up to 1 over the keys: `dim=-1`.",
    weigh=lambda scores: scores.softmax(1),
)
wrong_too("softmax over the heads", hide=a_large_negative_number, weigh=lambda scores: scores.softmax(1))
wrong(
    "softmax over the batch",
    "Axis 0 is the batch. The weights add up to 1 over the keys: `dim=-1`.",
    weigh=lambda scores: scores.softmax(0),
)
wrong_too("softmax over the batch", hide=a_large_negative_number, weigh=lambda scores: scores.softmax(0))
wrong(
    "one softmax over queries and keys",
    "Each query has weights of its own: softmax runs along the last axis alone.",
    weigh=lambda scores: scores.flatten(2).softmax(-1).view(scores.shape),
)
wrong(
    "exp without the largest score subtracted",
    "exp(89) is infinite in float32: use your `softmax`, which subtracts the largest score of a row first.",
    weigh=lambda scores: scores.exp() / scores.exp().sum(-1, keepdim=True),
)
wrong(
    "scores used as weights",
    "Softmax is missing between the mask and the values.",
    hide=lambda scores: scores.tril(),
    weigh=lambda scores: scores,
)
wrong_too("scores used as weights", weigh=lambda scores: scores)
wrong_too(
    "scores used as weights",
    hide=lambda scores: scores.masked_fill(future(scores), -1e9),
    weigh=lambda scores: scores,
)
wrong_too("scores used as weights", hide=lambda scores: scores, weigh=lambda scores: scores)
wrong(
    "values that are not blended",
    "What a position gets is `pattern @ v`: its weights times the values they read.",
    weigh=lambda scores: torch.eye(scores.shape[-1]).expand(scores.shape),
)
MIX = "batch head_index pos d_head, head_index d_head d_model -> batch pos d_model"


@attention.misconception(
    "a pattern that is not applied to the values",
    "The step `z = pattern @ v` is missing: it is z that goes through `W_O`.",
)
def no_values(self, normalized_resid_pre):
    q, k = projected(self, normalized_resid_pre, "Q"), projected(self, normalized_resid_pre, "K")
    pattern = weighed(masked(q @ k.mT / self.cfg.d_head**0.5))
    return einops.einsum(pattern, self.W_O, MIX) + self.b_O


@attention.also("a pattern that is not applied to the values")
def no_values_in_torch(self, normalized_resid_pre):
    q, k = projected(self, normalized_resid_pre, "Q"), projected(self, normalized_resid_pre, "K")
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)))


wrong(
    "the largest score of the whole tensor subtracted",
    "A row far below it underflows to 0/0. Use your `softmax`, which takes each row's own.",
    weigh=lambda scores: (scores - scores.max()).exp() / (scores - scores.max()).exp().sum(-1, keepdim=True),
)
wrong(
    "scores divided by their sum",
    "Take `exp` of the scores first, as your `softmax` does: only then are all weights positive.",
    weigh=lambda scores: scores.tril() / scores.tril().sum(-1, keepdim=True),
)
wrong(
    "powers of 2 in the place of exp",
    "Softmax takes powers of e: use your `softmax`.",
    weigh=lambda scores: weighed(scores * math.log(2)),
)
wrong_too("powers of 2 in the place of exp", weigh=lambda scores: 2**scores / (2**scores).sum(-1, keepdim=True))
wrong(
    "the key with the largest score alone",
    "That is argmax, all or nothing: softmax gives every key a share.",
    weigh=lambda scores: F.one_hot(scores.argmax(-1), scores.shape[-1]).float(),
)
wrong(
    "the logarithm of the weights",
    "That is log-softmax: the pattern holds the weights themselves, `softmax`.",
    weigh=lambda scores: scores.log_softmax(-1),
)
wrong_too("the logarithm of the weights", hide=a_large_negative_number, weigh=lambda scores: scores.log_softmax(-1))
wrong(
    "weights that are exp of the scores alone",
    "Divide by their sum over the keys, as your `softmax` does.",
    weigh=lambda scores: scores.exp(),
)
wrong(
    "softmax taken twice",
    "The first makes weights of the scores; the second takes these for scores and levels them. Once is enough.",
    weigh=lambda scores: scores.softmax(-1).softmax(-1),
)


def turned_round(self, q, k):
    """The scores, with all four axes of the keys turned round."""
    return q @ k.permute(3, 2, 1, 0) / self.cfg.d_head**0.5


@attention.misconception(
    "keys of which the wrong axes change places",
    "Only the last two do, `k.transpose(-2, -1)`. (`k.T` turns all four round, and axis 1 is head_index.)",
)
def all_axes_of_the_keys(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    return mixed(self, weighed(masked(turned_round(self, q, k))) @ v)


@attention.misconception(
    "keys that are not transposed",
    "`@` sums over the last axis of q and the last but one of k, and d_head must be both: `q @ k.transpose(-2, -1)`.",
)
def keys_as_they_are(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    return mixed(self, weighed(masked(q @ k / self.cfg.d_head**0.5)) @ v)


wrong(
    "sigmoid in the place of softmax",
    "A query's weights add up to 1 over its keys: use your `softmax`.",
    weigh=lambda scores: scores.sigmoid(),
)
wrong(
    "a pattern with its axes swapped",
    "Each row of the pattern belongs to a query: `pattern @ v`, not transposed.",
    weigh=lambda scores: scores.softmax(-1).mT,
)
wrong(
    "queries and keys swapped", "Rows are queries: `q @ k.transpose(-2, -1)`, with q from `W_Q` and `b_Q`.", parts="KQV"
)
wrong("queries made with the keys' weights", "q is made with `W_Q` and `b_Q`.", parts="KKV")
wrong("keys made with the queries' weights", "k is made with `W_K` and `b_K`.", parts="QQV")
wrong(
    "values made with the keys' weights",
    "v is made with `W_V` and `b_V`, and it is v that the pattern blends: `pattern @ v`.",
    parts="QKK",
)
wrong("values made with the queries' weights", "v comes from `W_V` and `b_V`, not from `W_Q`.", parts="QKQ")
wrong("keys made with the values' weights", "k comes from `W_K` and `b_K`, not from `W_V`.", parts="QVV")
wrong("keys and values swapped", "The scores are q · k, and what is blended is v.", parts="QVK")
wrong("queries and values swapped", "The scores are q · k, and what is blended is `v`, made with `W_V`.", parts="VKQ")
wrong("queries made with the values' weights", "q comes from `W_Q` and `b_Q`, not from `W_V`.", parts="VKV")
for name, parts in (
    ("queries made with the keys' weights", "KKV"),
    ("queries made with the values' weights", "VKV"),
    ("keys made with the queries' weights", "QQV"),
    ("keys made with the values' weights", "QVV"),
    ("values made with the queries' weights", "QKQ"),
    ("values made with the keys' weights", "QKK"),
):
    wrong_too(name, parts=parts, added="QKV")  # the matrix alone is another's
wrong(
    "the bias of another part",
    "`b_Q` goes with `W_Q`, `b_K` with `W_K` and `b_V` with `W_V`: look at the line that was copied.",
    added="KKV",
)
for added in ("VKV", "QKK", "QKQ", "KKK", "QQQ", "VVV", "VKQ", "KKQ", "VKK"):
    wrong_too("the bias of another part", added=added)
wrong("one matrix for queries, keys and values", "Each has its own: `W_Q`, `W_K` and `W_V`.", parts="QQQ")
for part in "KV":
    wrong_too("one matrix for queries, keys and values", parts=part * 3)
for part in "QKV":
    wrong_too("one matrix for queries, keys and values", parts=part * 3, added="QKV")
wrong("queries without `b_Q`", "Add `b_Q` to the queries, [n_heads d_head], before the scores.", biases="KV")
wrong("values without `b_V`", "Add `b_V` to the values, [n_heads d_head], before they are blended.", biases="QK")
wrong("no bias on queries, keys and values", "Add `b_Q`, `b_K` and `b_V` to what the matrices give.", biases="")
wrong(
    "leaving out `b_O`",
    "Add `b_O` once, when all heads have been added up.",
    mix=lambda self, z: torch.einsum("bhpk,hkd->bpd", z, self.W_O),
)
wrong(
    "no bias at all",
    "GPT-2 has four: `b_Q`, `b_K`, `b_V` before the scores and the blend, `b_O` at the end.",
    biases="",
    mix=lambda self, z: torch.einsum("bhpk,hkd->bpd", z, self.W_O),
)
wrong(
    "no output bias and no bias of values",
    "Add `b_V` to the values, and `b_O` at the end.",
    biases="QK",
    mix=lambda self, z: torch.einsum("bhpk,hkd->bpd", z, self.W_O),
)
wrong(
    "adding `b_O` once for each head",
    "Add it after the sum over heads, not within it.",
    mix=lambda self, z: (torch.einsum("bhpk,hkd->bhpd", z, self.W_O) + self.b_O).sum(1),
)
wrong(
    "the mean of the heads",
    "What the heads find is added up, not averaged.",
    mix=lambda self, z: torch.einsum("bhpk,hkd->bhpd", z, self.W_O).mean(1) + self.b_O,
)
wrong_too(
    "the mean of the heads",
    mix=lambda self, z: (torch.einsum("bhpk,hkd->bpd", z, self.W_O) + self.b_O) / self.cfg.n_heads,
)
wrong(
    "only the last head",
    "Inside a loop `=` forgets the heads before: add each head's result to the sum, or collect them in a list.",
    mix=lambda self, z: z[:, -1] @ self.W_O[-1] + self.b_O,
)
wrong(
    "only the first head",
    "A `return` inside the loop ends it: add up all heads first.",
    mix=lambda self, z: z[:, 0] @ self.W_O[0] + self.b_O,
)
wrong(
    "one W_O for all heads",
    "Each head has a `W_O` of its own: let the index head_index run with z's.",
    mix=lambda self, z: torch.einsum("bhpk,kd->bpd", z, self.W_O[0]) + self.b_O,
)
wrong(
    "every head through every W_O",
    "Head i goes through W_O[i] alone: name the axis `head_index` in both.",
    mix=lambda self, z: torch.einsum("bhpk,gkd->bpd", z, self.W_O) + self.b_O,
)


def merged(z: Tensor, axes: tuple[int, int, int, int]) -> Tensor:
    batch, n_heads, pos, d_head = z.shape
    return z.permute(*axes).reshape(batch, pos, n_heads * d_head)


wrong(
    "heads merged before their axis was moved",
    "`view` and `reshape` only cut: move head_index next to d_head first, `z.transpose(1, 2).reshape(batch, pos, -1)`.",
    mix=lambda self, z: merged(z, (0, 1, 2, 3)) @ self.W_O.flatten(0, 1) + self.b_O,
)
wrong(
    "heads merged in the wrong order",
    "W_O is [n_heads d_head d_model]: when both are flattened, head_index comes before d_head.",
    mix=lambda self, z: merged(z, (0, 2, 3, 1)) @ self.W_O.flatten(0, 1) + self.b_O,
)
wrong_too(
    "heads merged in the wrong order",
    mix=lambda self, z: merged(z, (0, 2, 1, 3)) @ self.W_O.transpose(0, 1).flatten(0, 1) + self.b_O,
)
wrong(
    "what the heads found, without `W_O`",
    "Multiply each head's z by its `W_O`, add the heads up, then add `b_O`.",
    mix=lambda self, z: merged(z, (0, 2, 1, 3)),
)
wrong_too("what the heads found, without `W_O`", mix=lambda self, z: z)
wrong(
    "d_model taken for n_heads * d_head",
    "In GPT-2 they are equal, here they are not: the heads side by side are `n_heads * d_head` wide, "
    "`z.transpose(1, 2).reshape(batch, pos, -1)`, and `W_O` leads from there to d_model.",
    mix=lambda self, z: z.transpose(1, 2).reshape(*z.shape[::2], self.cfg.d_model) @ self.W_O.flatten(0, 1) + self.b_O,
)


wrong(
    "a `W_O` reshaped where its axes should change places",
    "`reshape` only cuts. Flattened it is [n_heads * d_head d_model], `W_O.flatten(0, 1)`; for `F.linear` add `.T`.",
    mix=lambda self, z: merged(z, (0, 2, 1, 3)) @ self.W_O.reshape(self.cfg.d_model, -1).T + self.b_O,
)


@attention.misconception(
    "W_Q, W_K and W_V reshaped where their axes should change places",
    "They are [n_heads d_model d_head], and `reshape` only cuts: `W.transpose(1, 2)` makes [n_heads d_head d_model]. "
    "Flattened, `.flatten(0, 1)`, that is what `F.linear` takes.",
)
def reshaped_for_linear(self, normalized_resid_pre, parts="QKV"):
    q, k, v = (
        F.linear(normalized_resid_pre, getattr(self, f"W_{part}").reshape(-1, self.cfg.d_model))
        .unflatten(-1, self.b_Q.shape)
        .add(getattr(self, f"b_{part}"))
        .transpose(1, 2)
        if part in parts
        else projected(self, normalized_resid_pre, part)
        for part in "QKV"
    )
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


def cut_first(weight):
    """[n_heads d_model d_head] cut as [d_model n_heads * d_head] without moving an axis."""
    return weight.reshape(weight.shape[1], -1)


@attention.misconception(
    "W_Q, W_K and W_V flattened before their axes were moved",
    "They are [n_heads d_model d_head]: move d_model to the front before you flatten, `W.transpose(0, 1).flatten(1)`.",
)
def flattened_wrongly(self, normalized_resid_pre, parts="QKV"):
    q, k, v = (
        (normalized_resid_pre @ cut_first(getattr(self, f"W_{part}"))).unflatten(-1, self.b_Q.shape).transpose(1, 2)
        + getattr(self, f"b_{part}")[:, None]
        if part in parts
        else projected(self, normalized_resid_pre, part)
        for part in "QKV"
    )
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


@attention.misconception(
    "heads split off by `view` alone",
    "`view(batch, n_heads, pos, d_head)` cuts positions to pieces: `view(batch, pos, n_heads, d_head)`, then "
    "`transpose(1, 2)`.",
)
def split_wrongly(self, normalized_resid_pre, parts="QKV"):
    batch, pos, _ = normalized_resid_pre.shape
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    q, k, v = (
        one.transpose(1, 2).reshape(batch, self.cfg.n_heads, pos, self.cfg.d_head) if part in parts else one
        for part, one in zip("QKV", (q, k, v), strict=True)
    )
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


def with_parts(forward, parts):
    """This `forward` where only some of q, k and v are made so."""
    return lambda self, normalized_resid_pre: forward(self, normalized_resid_pre, parts)


for parts in ("Q", "K", "V", "QK"):  # one line of three that look alike
    attention.also("W_Q, W_K and W_V flattened before their axes were moved")(with_parts(flattened_wrongly, parts))
    attention.also("heads split off by `view` alone")(with_parts(split_wrongly, parts))
    attention.also("W_Q, W_K and W_V reshaped where their axes should change places")(
        with_parts(reshaped_for_linear, parts)
    )


@attention.misconception(
    "heads and d_head in the wrong order",
    "head_index comes first, then d_head: `view(batch, pos, n_heads, d_head)`, and weights flattened so too, "
    "`W.transpose(0, 1).flatten(1)`.",
)
def split_in_the_wrong_order(self, normalized_resid_pre, parts="QKV"):
    q, k, v = (
        projected(self, normalized_resid_pre, part).transpose(1, 2).flatten(2)
        if part in parts
        else projected(self, normalized_resid_pre, part)
        for part in "QKV"
    )
    q, k, v = (
        one.unflatten(-1, (self.cfg.d_head, self.cfg.n_heads)).permute(0, 3, 1, 2) if one.ndim == 3 else one
        for one in (q, k, v)
    )
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


@attention.also("a d_head computed as d_model / n_heads")
def split_by_d_model(self, normalized_resid_pre, flat=False):
    batch, pos, d_model = normalized_resid_pre.shape
    d_head = d_model // self.cfg.n_heads
    q, k, v = (
        normalized_resid_pre @ weight.transpose(0, 1).reshape(d_model, self.cfg.n_heads * d_head if flat else -1)
        + bias.flatten()
        for weight, bias in ((self.W_Q, self.b_Q), (self.W_K, self.b_K), (self.W_V, self.b_V))
    )
    q, k, v = (one.view(batch, pos, self.cfg.n_heads, d_head).transpose(1, 2) for one in (q, k, v))
    return mixed(self, weighed(masked(q @ k.mT / d_head**0.5)) @ v)


@attention.also("a d_head computed as d_model / n_heads")
def flattened_by_d_model(self, normalized_resid_pre):
    return split_by_d_model(self, normalized_resid_pre, flat=True)


@attention.also("d_model taken for n_heads * d_head")
def split_into_d_model(self, normalized_resid_pre):
    weight = torch.cat([w.transpose(0, 1).flatten(1) for w in (self.W_Q, self.W_K, self.W_V)], dim=1)
    bias = torch.cat([b.flatten() for b in (self.b_Q, self.b_K, self.b_V)])
    q, k, v = (normalized_resid_pre @ weight + bias).split(self.cfg.d_model, dim=2)
    q, k, v = (one.unflatten(-1, self.b_Q.shape).transpose(1, 2) for one in (q, k, v))
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


@attention.also("heads and d_head in the wrong order")
def flattened_in_the_wrong_order(self, normalized_resid_pre):
    q, k, v = (
        (normalized_resid_pre @ weight.permute(1, 2, 0).flatten(1)).unflatten(-1, bias.shape).transpose(1, 2)
        + bias[:, None]
        for weight, bias in ((self.W_Q, self.b_Q), (self.W_K, self.b_K), (self.W_V, self.b_V))
    )
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


for parts in ("Q", "K", "V", "QK"):
    attention.also("heads and d_head in the wrong order")(with_parts(split_in_the_wrong_order, parts))


@attention.misconception(
    "a bias without an axis for the positions",
    "[head_index d_head] lines up with the last two axes, pos and d_head: write `b_Q[:, None]`, and so for the others.",
)
def bias_on_positions(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part, bias=False) + getattr(self, f"b_{part}") for part in "QKV")
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


@attention.misconception(
    "heads that read one another",
    "`@` takes the last two axes, and here these are head_index and d_head: bring head_index before pos, "
    "`q.transpose(1, 2)`, and so for k and v.",
)
def heads_read_heads(self, normalized_resid_pre, hide=masked):
    q, k, v = (projected(self, normalized_resid_pre, part).transpose(1, 2) for part in "QKV")
    z = weighed(hide(q @ k.mT / self.cfg.d_head**0.5)) @ v
    return mixed(self, z.transpose(1, 2))


@attention.also("heads that read one another")
def heads_read_all_heads(self, normalized_resid_pre):
    return heads_read_heads(self, normalized_resid_pre, hide=torch.clone)


@attention.misconception(
    "heads added up too early",
    "Head i's queries meet head i's keys and blend head i's values: call the axis head_index alike in both, so that it "
    "is kept.",
)
def keys_of_all_heads(self, normalized_resid_pre, keys=True, values=False):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    k = k.sum(1, keepdim=True).expand(k.shape) if keys else k
    v = v.sum(1, keepdim=True).expand(v.shape) if values else v
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


@attention.also("heads added up too early")
def values_of_all_heads(self, normalized_resid_pre):
    return keys_of_all_heads(self, normalized_resid_pre, keys=False, values=True)


@attention.also("heads added up too early")
def keys_and_values_of_all_heads(self, normalized_resid_pre):
    return keys_of_all_heads(self, normalized_resid_pre, values=True)


@attention.misconception(
    "one pattern for all heads",
    "Each head has scores and a pattern of its own: head_index stays, `batch head_index query_pos key_pos`.",
)
def one_pattern(self, normalized_resid_pre, scale=root_of_d_head, weigh=weighed):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    scores = (q @ k.mT / scale(self.cfg)).sum(1, keepdim=True)
    return mixed(self, weigh(masked(scores)).expand(-1, self.cfg.n_heads, -1, -1) @ v)


for scale in (
    lambda cfg: (cfg.n_heads * cfg.d_head) ** 0.5,
    lambda cfg: cfg.d_model**0.5,
    lambda cfg: cfg.n_heads * cfg.d_head**0.5,  # the mean of the scores
):
    attention.also("one pattern for all heads")(
        lambda self, normalized_resid_pre, scale=scale: one_pattern(self, normalized_resid_pre, scale)
    )


@attention.also("one pattern for all heads")
def mean_of_the_patterns(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    pattern = weighed(masked(q @ k.mT / self.cfg.d_head**0.5)).mean(1, keepdim=True)
    return mixed(self, pattern.expand(-1, self.cfg.n_heads, -1, -1) @ v)


@attention.misconception(
    "the bias of one head for all heads", "Each head has a row of `b_Q`, `b_K` and `b_V` of its own: take no `[0]`."
)
def one_bias_for_all(self, normalized_resid_pre, parts="QKV"):
    q, k, v = (
        projected(self, normalized_resid_pre, part, bias=False)
        + (getattr(self, f"b_{part}")[:1] if part in parts else getattr(self, f"b_{part}"))[:, None]
        for part in "QKV"
    )
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


for parts in ("Q", "V"):
    attention.also("the bias of one head for all heads")(with_parts(one_bias_for_all, parts))


@attention.misconception(
    "one head's part in the place of all", "In GPT-2 each head has queries, keys and values of its own: take no `[0]`."
)
def one_head_for_all(self, normalized_resid_pre, parts="K"):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    q, k, v = (
        one[:, :1].expand(one.shape) if part in parts else one for part, one in zip("QKV", (q, k, v), strict=True)
    )
    return mixed(self, weighed(masked(q @ k.mT / self.cfg.d_head**0.5)) @ v)


for parts in ("Q", "V", "KV", "QK", "QKV"):
    attention.also("one head's part in the place of all")(with_parts(one_head_for_all, parts))


wrong(
    "heads that are not added up",
    "The axis head_index is still there: sum over it, or leave it out behind the arrow of `einsum`.",
    mix=lambda self, z: torch.einsum("bhpk,hkd->bhpd", z, self.W_O) + self.b_O,
)
wrong_too("heads that are not added up", mix=lambda self, z: torch.einsum("bhpk,hkd->bphd", z, self.W_O) + self.b_O)


@attention.misconception(
    "adding the input back",
    "The block adds attention's answer to the residual stream. Return the answer alone.",
)
def residual_added(self, normalized_resid_pre):
    return normalized_resid_pre + attending()(self, normalized_resid_pre)


@attention.also("adding the input back")
def residual_added_in_place(self, normalized_resid_pre):
    normalized_resid_pre += attending()(self, normalized_resid_pre)
    return normalized_resid_pre


@attention.misconception(
    "queries and keys brought to one length",
    "The score is the dot product of q and k as they are, divided by the root of `d_head`: normalise neither.",
)
def cosines(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    return mixed(self, weighed(masked(F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT)) @ v)


@attention.also("queries and keys brought to one length")
def cosines_scaled(self, normalized_resid_pre):
    q, k, v = (projected(self, normalized_resid_pre, part) for part in "QKV")
    scores = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT / self.cfg.d_head**0.5
    return mixed(self, weighed(masked(scores)) @ v)


@attention.misconception("normalising the input again", "It comes out of `ln1`, already normalised: use it as it is.")
def normalised_again(self, normalized_resid_pre):
    return attending()(self, F.layer_norm(normalized_resid_pre, normalized_resid_pre.shape[-1:]))


@attention.misconception(
    "a pattern cut out of the graph",
    "Queries and keys learn through the pattern: no `detach()`, no `.data`, no `torch.no_grad()` there.",
)
def pattern_detached(self, normalized_resid_pre):
    return attending(weigh=lambda scores: scores.softmax(-1).detach())(self, normalized_resid_pre)


@attention.misconception("parameters as plain tensors", "Wrap each in `nn.Parameter`, so that it can be trained.")
class PlainTensors(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        for name, axes in (WEIGHTS | BIASES).items():
            setattr(self, name, torch.zeros([getattr(cfg, axis) for axis in axes.split()]))


def made(changes: dict[str, str], start=torch.randn, spread=None, output=lambda cfg: 1.0):
    """An `__init__` with other axes for some parameters; "" leaves one out. `output` multiplies the start of `W_O`."""

    def init(self, cfg):
        nn.Module.__init__(self)
        self.cfg = cfg
        for name, axes in (WEIGHTS | BIASES | changes).items():
            size = [math.prod(getattr(cfg, part) for part in axis.split("*")) for axis in axes.split()]
            value = torch.zeros(size) if name in BIASES else start(size) * (spread or cfg.init_range)
            if name == "W_O":
                value *= output(cfg)
            if axes:
                setattr(self, name, nn.Parameter(value))

    return type("Made", (nn.Module,), {"__init__": init, "forward": attending()})


@attention.misconception(
    "PyTorch's layer in the place of your own",
    "`nn.MultiheadAttention` has parameters of other names, and its heads must share d_model out: use those that the "
    "stub's `__init__` makes.",
)
class TorchLayer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.attn = nn.MultiheadAttention(cfg.d_model, cfg.n_heads, batch_first=True)


attention.misconception(
    "one matrix for all heads side by side",
    "Here, as in TransformerLens, each head has a matrix of its own: `W_Q` is [n_heads d_model d_head].",
)(made(dict.fromkeys(("W_Q", "W_K", "W_V"), "d_model n_heads*d_head") | {"W_O": "n_heads*d_head d_model"}))
attention.misconception(
    "a `W_O` in the shape of `W_Q`", "`W_O` leads back from d_head to d_model: [n_heads d_head d_model]."
)(made({"W_O": "n_heads d_model d_head"}))
attention.misconception("no biases among the parameters", "GPT-2 has four: `b_Q`, `b_K`, `b_V` and `b_O`.")(
    made(dict.fromkeys(BIASES, ""))
)
attention.misconception(
    "one output bias for each head", "The heads' results are added up first: `b_O` is [d_model], one for all."
)(made({"b_O": "n_heads d_model"}))
attention.misconception(
    "weights that start at 0",
    "All heads would start alike and get the same gradients: draw them, `nn.init.normal_(weight, std=cfg.init_range)`.",
)(made({}, start=torch.zeros))
attention.misconception(
    "weights that start with spread 1", "Draw them with `std=cfg.init_range`, which is 0.02: randn alone has 1."
)(made({}, spread=1.0))
attention.misconception(
    "a `W_O` that starts smaller, for the number of layers",
    "GPT-2's paper does so, but here every weight starts alike: `nn.init.normal_(self.W_O, std=cfg.init_range)`.",
)(made({}, output=lambda cfg: (2 * cfg.n_layers) ** -0.5))
