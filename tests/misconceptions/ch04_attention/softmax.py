"""How softmax goes wrong, and right answers that look different."""

import functools
import math
import warnings

import torch
import torch.nn.functional as F

from tests.ch04_attention import softmax

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


def in_two_lines(x, dim=-1):
    """A right answer, for changes of it."""
    weights = (x - x.amax(dim=dim, keepdim=True)).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


DIVIDED = (
    r"/|\bdiv(?:ide)?_?\(|reciprocal|\*\* *-"  # by the largest weight, which is 1: the answers are those of no division
)


softmax.misconception(
    "exp without the largest score subtracted",
    "float32 ends at exp(88), and exp(-104) is 0. Subtract the largest score along `dim` first: "
    "`x - x.amax(dim=dim, keepdim=True)`.",
    lambda x, dim=-1: x.exp() / x.exp().sum(dim=dim, keepdim=True),
)
softmax.misconception(
    "subtracting the largest score of the whole tensor",
    "A row far below it underflows to 0/0. Each row needs its own maximum: `x.amax(dim=dim, keepdim=True)`.",
    "amax(dim=dim, keepdim=True).detach → max",
)
softmax.misconception(
    "subtracting the mean",
    "The largest score may still lie far above the mean and overflow: subtract the maximum, `x.amax(...)`.",
    "amax → mean",
    of=in_two_lines,
)
softmax.misconception(
    "subtracting the smallest score",
    "Then no score is below 0, and `exp` overflows where the largest lies far above the smallest: subtract the "
    "largest.",
    "amax → amin",
    of=in_two_lines,
)
softmax.also(
    "subtracting the smallest score",
    "amax(dim=dim, keepdim=True).detach → min",
    "amax(dim=dim, keepdim=True).detach() → amin(dim=-1, keepdim=True)",
)


@softmax.also("subtracting the smallest score")
def minimum_subtracted_from_the_logarithms(x, dim=-1):
    shifted = x - x.amin(dim=dim, keepdim=True)
    return (shifted - shifted.exp().sum(dim=dim, keepdim=True).log()).exp()


@softmax.misconception(
    "subtracting a fixed number",
    "Scores may lie anywhere, so no fixed number fits: subtract each row's largest, `x.amax(dim=dim, keepdim=True)`.",
)
def fixed_number_subtracted(x, dim=-1, number=100.0):
    weights = (x - number).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


for number in (80.0, 88.0, 1000.0):
    softmax.also("subtracting a fixed number")(functools.partial(fixed_number_subtracted, number=number))


softmax.misconception(
    "subtracting the largest absolute value",
    "Where all scores lie far below 0, that makes them smaller still: subtract the largest score, without `abs()`.",
    "x.amax → x.abs().amax",
    of=in_two_lines,
)


@softmax.misconception(
    "cutting large scores off",
    "All scores beyond the limit get the same weight then. Subtract the largest score instead, which cuts none off.",
)
def clamped(x, dim=-1, **limits):
    weights = x.clamp(**(limits or {"max": 80.0})).exp()
    return weights / weights.sum(dim=dim, keepdim=True)


for limit in (88.0, 80.0, 50.0, 20.0):
    if limit != 80.0:  # `clamped`
        softmax.also("cutting large scores off")(functools.partial(clamped, max=limit))
    softmax.also("cutting large scores off")(functools.partial(clamped, min=-limit, max=limit))


softmax.misconception(
    "always the last axis",
    "`dim` says along which axis the weights add up to 1: use it wherever an axis is named.",
    lambda x, dim=-1: torch.softmax(x, -1),
)


@softmax.misconception("always axis 1", "Axis 1 is the last axis of a matrix, but not of other tensors: pass `dim` on.")
def axis_one(x, dim=-1):
    weights = (x - x.amax(1, keepdim=True)).exp()
    return weights / weights.sum(1, keepdim=True)


softmax.misconception(
    "another default of `dim`",
    "A caller who names no axis means the last one: `dim: int = -1`.",
    lambda x, dim=0: torch.softmax(x, dim),
    lambda x, dim=1: torch.softmax(x, dim),
)


@softmax.misconception(
    "an axis put back at the end, whatever `dim` is",
    "Put it back where it was, `unsqueeze(dim)`, or keep it there with `keepdim=True`.",
)
def axis_put_back_at_the_end(x, dim=-1):
    weights = (x - x.amax(dim=dim).unsqueeze(-1)).exp()
    return weights / weights.sum(dim=dim).unsqueeze(-1)


softmax.misconception(
    "a loop over the first axis",
    "The loop is right for the rows of a matrix only: `amax` and `sum` with `dim` and `keepdim=True` do it for any "
    "shape.",
    lambda x, dim=-1: torch.stack([(row - row.max()).exp() / (row - row.max()).exp().sum() for row in x]),
    said_of=r"\bfor\b|\bmap\(|vmap",
    otherwise="The input may have any number of axes: `amax` and `sum` with `dim` and `keepdim=True` do it for each.",
)
softmax.misconception(
    "always the first axis",
    "Pass `dim`, whose default is -1, to the maximum and to the sum.",
    lambda x, dim=-1: torch.softmax(x, 0),
)


@softmax.also("always the last axis")
def last_axis_by_hand(x, dim=-1):
    weights = (x - x.amax(dim=-1, keepdim=True)).exp()
    return weights / weights.sum(dim=-1, keepdim=True)


softmax.misconception(
    "a maximum along `dim` but a sum along the last axis",
    "Both run along the same axis: `sum(dim=dim, keepdim=True)`.",
    "sum(dim=dim, keepdim=True) → sum(dim=-1, keepdim=True)",
    of=in_two_lines,
)
softmax.misconception(
    "a maximum of the last axis, whatever `dim` is",
    "Along another axis a row far below that maximum underflows: `x.amax(dim=dim, keepdim=True)`.",
    "amax(dim=dim, keepdim=True).detach() → amax(dim=-1, keepdim=True)",
)
softmax.misconception(
    "one softmax over all numbers",
    "Each row of scores has a sum of its own, along `dim`: `sum(dim=dim, keepdim=True)`.",
    ("amax(dim=dim, keepdim=True).detach → max", "sum(dim=dim, keepdim=True) → sum()"),
)
softmax.also("one softmax over all numbers", "sum(dim=dim, keepdim=True) → sum()", of=in_two_lines)
softmax.misconception(
    "a sum without keepdim",
    "The sum drops its axis, so the rest lines up with another one: pass `keepdim=True`.",
    "sum(dim=dim, keepdim=True) → sum(dim=dim)",
    of=in_two_lines,
)
softmax.misconception(
    "a maximum without keepdim",
    "Keep its axis, with size 1, or the maximum lines up with another one: `x.amax(dim=dim, keepdim=True)`.",
    "amax(dim=dim, keepdim=True).detach() → amax(dim=dim)",
)


@softmax.also("a sum without keepdim")
def no_keepdim_at_all(x, dim=-1):
    weights = (x - x.amax(dim=dim)).exp()
    return weights / weights.sum(dim=dim)


softmax.misconception(
    "dividing the scores by their sum",
    "Take `exp` of the scores first: only then are all weights positive.",
    lambda x, dim=-1: x / x.sum(dim=dim, keepdim=True),
    "(x - x.amax(dim=dim, keepdim=True)).exp() → x - x.amax(dim=dim, keepdim=True)",
    of=in_two_lines,
)
softmax.misconception(
    "exp of the scores alone",
    "The weights must add up to 1: divide by their sum along `dim`, with `keepdim=True`.",
    lambda x, dim=-1: (x - x.amax(dim=dim, keepdim=True)).exp(),
    lambda x, dim=-1: x.exp(),
    not_of=DIVIDED,
)
softmax.misconception(
    "dividing by the largest weight",
    "The largest weight is 1 then, in every row. The weights must add up to 1: divide by their sum along `dim`.",
    "sum → amax",
    lambda x, dim=-1: x.exp() / x.exp().amax(dim=dim, keepdim=True),
    of=in_two_lines,
    said_of=DIVIDED,
)


@softmax.misconception(
    "exp of the whole fraction",
    "Take `exp` of the scores first, then divide: the weights are `exp(shifted) / exp(shifted).sum(...)`.",
)
def exp_of_the_fraction(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return (shifted / shifted.sum(dim=dim, keepdim=True)).exp()


softmax.also(
    "exp of the whole fraction",
    lambda x, dim=-1: (x / x.sum(dim=dim, keepdim=True)).exp(),
    lambda x, dim=-1: ((x - x.amax(dim=dim, keepdim=True)) / x.sum(dim=dim, keepdim=True)).exp(),
    lambda x, dim=-1: (x / x.exp().sum(dim=dim, keepdim=True)).exp(),
)


@softmax.misconception(
    "exp of the sum in the place of the sum of exp",
    "Each score goes through `exp` first: `shifted.exp().sum(dim=dim, keepdim=True)`.",
)
def exp_of_the_sum(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted.exp() / shifted.sum(dim=dim, keepdim=True).exp()


softmax.also(
    "exp of the sum in the place of the sum of exp", lambda x, dim=-1: x.exp() / x.sum(dim=dim, keepdim=True).exp()
)


@softmax.misconception("powers of 2", "Softmax takes powers of e: `exp`.")
def base_two(x, dim=-1):
    weights = torch.exp2(x - x.amax(dim=dim, keepdim=True))
    return weights / weights.sum(dim=dim, keepdim=True)


@softmax.misconception("a rounded e", "Take the power with `exp`: it knows e to all the digits that float32 has.")
def rounded_e(x, dim=-1, e=2.718):
    weights = e ** (x - x.amax(dim=dim, keepdim=True))
    return weights / weights.sum(dim=dim, keepdim=True)


for e in (2.72, 2.7):
    softmax.also("a rounded e")(functools.partial(rounded_e, e=e))


softmax.misconception(
    "exp of minus the scores",
    "The largest score gets the largest weight: take `exp` of the score minus the largest, not the other way round.",
    lambda x, dim=-1: torch.softmax(-x, dim),
    "x - x.amax(dim=dim, keepdim=True).detach() → x.amax(dim=dim, keepdim=True) - x",
)
softmax.misconception(
    "dividing by the length of the vector",
    "Then the squares of the weights add up to 1, not the weights: divide by `sum(...)`.",
    "sum → norm",
    of=in_two_lines,
)


@softmax.misconception(
    "scores stretched between 0 and 1", "The smallest score gets no weight then: take `exp` of the scores instead."
)
def stretched(x, dim=-1):
    above = x - x.amin(dim=dim, keepdim=True)
    stretched = above / above.amax(dim=dim, keepdim=True)
    return stretched / stretched.sum(dim=dim, keepdim=True)


softmax.misconception(
    "dividing by the mean of exp",
    "The weights add up to 1 along `dim` only if you divide by their sum: `sum(...)`.",
    lambda x, dim=-1: torch.softmax(x, dim) * x.shape[dim],
)
softmax.misconception(
    "one more than the sum below the fraction",
    "Then the weights add up to less than 1: divide by their sum along `dim` alone.",
    "/ weights.sum(dim=dim, keepdim=True) → / (1 + weights.sum(dim=dim, keepdim=True))",
    of=in_two_lines,
)


@softmax.misconception(
    "a small number added to the sum",
    "Where the largest score is subtracted, the sum is at least 1 and never needs it: divide by the sum alone.",
)
def plus_a_thousandth(x, dim=-1):
    weights = (x - x.amax(dim=dim, keepdim=True)).exp()
    return weights / (weights.sum(dim=dim, keepdim=True) + 1e-3)


softmax.also("a small number added to the sum", "1e-3 → 1e-4", of=plus_a_thousandth)


@softmax.also("a small number added to the sum")
def plus_a_thousandth_along_the_last_axis(x, dim=-1):
    weights = (x - x.amax(dim=-1, keepdim=True)).exp()
    return weights / (weights.sum(dim=-1, keepdim=True) + 1e-3)


softmax.misconception(
    "scores scaled by a root within softmax",
    "`Attention` divides by the root of `d_head` before it calls `softmax`: take the scores as they come.",
    lambda x, dim=-1: torch.softmax(x / x.shape[dim] ** 0.5, dim),
    lambda x, dim=-1: torch.softmax(x / x.shape[-1] ** 0.5, dim),
)
softmax.misconception(
    "the logarithm of the weights",
    "That is log-softmax: return the weights themselves.",
    lambda x, dim=-1: torch.log_softmax(x, dim),
    lambda x, dim=-1: x - x.exp().sum(dim=dim, keepdim=True).log(),
)
softmax.misconception(
    "a sigmoid",
    "It looks at each score alone, so nothing adds up to 1: divide `exp` by its sum.",
    lambda x, dim=-1: torch.sigmoid(x),
)


@softmax.misconception(
    "subtracting the maximum after exp", "By then `exp` has overflowed: subtract from the scores, then take `exp`."
)
def subtracted_too_late(x, dim=-1):
    weights = x.exp() - x.exp().amax(dim=dim, keepdim=True)
    return weights / weights.sum(dim=dim, keepdim=True)


softmax.also("subtracting the maximum after exp", "x.exp().amax → x.amax", of=subtracted_too_late)
softmax.misconception(
    "dividing by the largest absolute score",
    "Softmax divides no score: it takes the largest off, `x - x.amax(dim=dim, keepdim=True)`.",
    lambda x, dim=-1: (x / x.abs().amax(dim=dim, keepdim=True)).softmax(dim),
)


@softmax.misconception(
    "rows of 0 in place of NaN",
    "In such rows `exp` overflows, or is 0 for every score: subtract the largest score of each row first, and there "
    "is no NaN left to replace.",
    said_of=r"nan",
    otherwise="A row comes out as 0 where `exp` of its scores overflows, or is 0 for all of them: subtract the largest "
    "score of each row first.",
)
def nan_to_zero(x, dim=-1):
    weights = x.exp()
    return (weights / weights.sum(dim=dim, keepdim=True)).nan_to_num()


softmax.misconception(
    "dividing by the largest score",
    "Softmax subtracts it: a ratio of weights depends on the difference of scores.",
    lambda x, dim=-1: torch.softmax(x / x.amax(dim=dim, keepdim=True), dim),
    "x - x.amax → x / x.amax",
    of=in_two_lines,
)


@softmax.misconception(
    "subtracting in place",
    "The caller's tensor holds the shifted scores now. Give them a tensor of their own, `shifted = x - ...`, and write "
    "neither into `x` nor into what shares its memory.",
)
def in_place(x, dim=-1):
    x -= x.amax(dim=dim, keepdim=True)
    return x.exp() / x.exp().sum(dim=dim, keepdim=True)


softmax.misconception(
    "the weights written over `x`",
    "The caller's tensor holds its scores no longer. Give what you compute a tensor of its own, and write neither into "
    "`x` nor into what shares its memory, such as `x.detach()` or a view.",
    lambda x, dim=-1: x.copy_(torch.softmax(x, dim)),
)


@softmax.also("the weights written over `x`")
def exp_in_place(x, dim=-1):
    x.sub_(x.amax(dim=dim, keepdim=True)).exp_()
    return x / x.sum(dim=dim, keepdim=True)


@softmax.misconception(
    "PyTorch's softmax without `dim`",
    "Hand it the axis too: `torch.softmax(x, dim=dim)`. Without one `F.softmax` takes the first axis of a tensor with "
    "three, and the second of a matrix; `torch.softmax` refuses.",
)
def axis_left_to_torch(x, dim=-1):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return F.softmax(x)


@softmax.also("PyTorch's softmax without `dim`")
def axis_forgotten(x, dim=-1):
    return torch.softmax(x)  # pyright: ignore


softmax.misconception(
    "the place of the largest score",
    "That is argmax, all or nothing: softmax gives every score a share.",
    lambda x, dim=-1: F.one_hot(x.movedim(dim, -1).argmax(-1), x.shape[dim]).movedim(-1, dim).float(),
    lambda x, dim=-1: x.argmax(dim=dim),
)
softmax.misconception(
    "weights cut out of the graph",
    "Training must reach the scores: compute the weights from `x` itself.",
    lambda x, dim=-1: torch.softmax(x.detach(), dim),
)
softmax.misconception(
    "a sum cut out of the graph",
    "A higher score lowers all other weights, through the sum, so gradients must flow through it too.",
    "sum(dim=dim, keepdim=True) → sum(dim=dim, keepdim=True).detach()",
)
softmax.also(
    "a sum cut out of the graph", "sum(dim=dim, keepdim=True) → sum(dim=dim, keepdim=True).detach()", of=in_two_lines
)
softmax.misconception(
    "dividing by the number of scores",
    "The weights add up to 1 only if you divide by their sum, `sum(dim=dim, keepdim=True)`, not by their number.",
    lambda x, dim=-1: (x - x.amax(dim=dim, keepdim=True)).exp() / x.shape[dim],
)
softmax.misconception(
    "a maximum subtracted above the fraction or below it alone",
    "What is subtracted cancels only where `exp` of the same shifted scores stands above and below: give it a name, "
    "and use it twice.",
    lambda x, dim=-1: (x - x.amax(dim=dim, keepdim=True)).exp() / x.exp().sum(dim=dim, keepdim=True),
    lambda x, dim=-1: x.exp() / (x - x.amax(dim=dim, keepdim=True)).exp().sum(dim=dim, keepdim=True),
)
softmax.misconception(
    "the largest score added",
    "Take it off: `x - x.amax(dim=dim, keepdim=True)`; added, it makes `exp` overflow sooner.",
    "x - x.amax → x + x.amax",
    of=in_two_lines,
)
softmax.misconception(
    "softmax taken twice",
    "The second takes weights for scores and levels them: divide `exp` by its sum once.",
    lambda x, dim=-1: torch.softmax(torch.softmax(x, dim), dim),
)
softmax.misconception(
    "scores multiplied or divided by a number",
    "A temperature is no part of softmax: take `exp` of the scores as they come.",
    lambda x, dim=-1: torch.softmax(x / 2, dim),
)
softmax.misconception(
    "1 minus the weights",
    "The largest score gets the largest weight: return the weights themselves.",
    lambda x, dim=-1: 1 - torch.softmax(x, dim),
)
softmax.misconception(
    "zeros in the place of minus infinity",
    "exp of minus infinity is 0, as it should be: leave -inf among the scores, once the largest is subtracted.",
    lambda x, dim=-1: torch.softmax(x.masked_fill(x == -math.inf, 0.0), dim),
)


@softmax.misconception(
    "weights that never get to 0",
    "The weight of minus infinity is exactly 0: don't clamp the weights, and add nothing to them.",
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
    made_positive("squares"),
)
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
    "each row's minimum": lambda x, dim: x - x.amin(dim=dim, keepdim=True),
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
