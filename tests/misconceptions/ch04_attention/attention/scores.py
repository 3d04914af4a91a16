"""How Attention goes wrong: scores, their scale and their mask."""

import functools
import math

import einops
import torch
import torch.nn.functional as F
from torch import nn

from tests.ch04_attention import BIASES, WEIGHTS, attention
from tests.misconceptions.ch04_attention.apply_causal_mask import (
    adding,
    filled_with,
    first_axes,
    first_head,
    first_sentence,
    from_before_the_diagonal,
    future,
    hidden_where_zero,
    in_place_with_infinity,
    infinity_times_zero,
    inverted,
    middle_axes,
    middle_axes_in_place,
    next_alone,
    one_added_to_what_stays,
    one_ahead,
    past,
    picked_from_the_front,
    plus_a_billion,
    plus_infinity,
    smallest_score,
    strict,
    upside_down,
    zeros,
)

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
ROOT = "self.cfg.d_head ** 0.5"
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


def wrong(name, advice, not_of="", otherwise="", **steps):
    """Register an `attending` with these steps under this name, which is not said of every code."""
    attention.misconception(name, advice, not_of=not_of, otherwise=otherwise)(attending(**steps))


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
    "q and k of one head have `d_head` numbers: divide their product by `cfg.d_head**0.5`.",
    scale=lambda cfg: cfg.d_model**0.5,
)
wrong(
    "scores divided by d_head, and not by its root",
    "Divide by `cfg.d_head**0.5` only once: `scaled_scores` and `F.scaled_dot_product_attention` do it themselves.",
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
    not_of=r"/ *\(?(?:[\w.]+\.)?d_head|d_head *\*? *\*? *-? *0?\.5|\bsqrt\(\s*[\w.]*d_head",
    otherwise="Every score is divided by the root of `d_head` and by nothing else: `cfg.d_head**0.5`.",
    scale=lambda cfg: 8.0,
)
for number in (64.0, 4.0, 2.0):
    wrong_too("a scale written as a number", scale=lambda cfg, number=number: number)
wrong(
    "scores divided by another power of d_head",
    "Divide by the square root, `d_head**0.5`. (The fourth root, `d_head**0.25`, is right only if both q and k are "
    "divided by it.)",
    scale=lambda cfg: cfg.d_head**0.25,
)
for power in (1 / 3, 1.5, 2):
    wrong_too("scores divided by another power of d_head", scale=lambda cfg, power=power: cfg.d_head**power)
wrong(
    "scores multiplied by the root of d_head",
    "Divide by it, so that large scores become smaller.",
    scale=lambda cfg: cfg.d_head**-0.5,
)
wrong(
    "scores divided by the root of n_heads",
    "The sum q · k runs over `d_head` numbers: divide by `cfg.d_head**0.5`.",
    scale=lambda cfg: cfg.n_heads**0.5,
)


@attention.misconception(
    "scores divided by the root of the number of positions",
    "How many positions there are plays no part. The scale is the root of `cfg.d_head`, whatever the text's length.",
)
def scaled_by_positions(self, normalized_resid_pre):
    pos = normalized_resid_pre.shape[1]
    return attending(scale=lambda cfg: pos**0.5)(self, normalized_resid_pre)


wrong(
    "scaling after softmax",
    "Divide the scores, before softmax. Dividing the weights or the blend after it only makes the answer smaller.",
    scale=lambda cfg: 1.0,
    weigh=lambda scores: scores.softmax(-1) / 2.0,
)


@attention.also("scaling after softmax")
def scaled_too_late(self, normalized_resid_pre):
    root = self.cfg.d_head**0.5
    weigh = lambda scores: scores.softmax(-1) / root  # noqa: E731
    return attending(scale=lambda cfg: 1.0, weigh=weigh)(self, normalized_resid_pre)


@attention.also("scaling after softmax")
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
    "Fill where the future is, and leave the past: `masked_fill` fills where the mask is True.",
    hide=inverted,
)
wrong_too("a mask turned round", hide=lambda scores: scores.masked_fill(~future(scores), -1e9))
wrong_too("a mask turned round", hide=adding(-1e9, region=past))
wrong(
    "a mask that hides some of the past too",
    "The future begins right of the diagonal, `triu(1)`; `triu(-1)` begins left of it.",
    hide=from_before_the_diagonal,
)
wrong_too("a mask that hides some of the past too", hide=lambda scores: scores.masked_fill(future(scores, -1), -1e9))
wrong(
    "a mask that hides the next token alone",
    "Hide the whole future: `triu(1)` holds every diagonal from the first on.",
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
    "All scores are -inf or NaN. 0 · ∞ is NaN, so fill with `masked_fill` instead of multiplying by infinity, and "
    "leave the diagonal and what lies left of it.",
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
    "hidden keys that keep their share of softmax's sum",
    "Hide the scores, then take softmax: taken first, it has counted the hidden keys in its sum.",
    hide=lambda scores: scores,
    weigh=lambda scores: scores.softmax(-1).tril(),
)
wrong_too(
    "hidden keys that keep their share of softmax's sum",
    hide=lambda scores: scores,
    weigh=lambda scores: masked(scores.softmax(-1)),
)
wrong_too(
    "hidden keys that keep their share of softmax's sum",
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
    "A later position is hidden whenever the model reads: mask whatever `self.training` says.",
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
    "Where the future had all the weight, nothing is left to divide. Mask the scores first, and softmax divides by "
    "the right sum.",
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
