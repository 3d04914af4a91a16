"""Chapter 4: what softmax, the causal mask and Attention must do."""

import math
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from judge.checking import (
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


FAR = 300  # positions, more than the reference model's n_ctx: a window of 256 shows


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
    with line(f"hides no key before the query, however far back: at {FAR} positions"):
        check_agrees(apply_causal_mask, random_tensor(1, 1, FAR, FAR))
    with line("hides them wherever the scores are: far above 0, far below"):
        for offset in (60.0, -200.0):
            check_agrees(apply_causal_mask, scores + offset, tolerance=1e-4)
    with line("treats every sentence and every head alike, and answers the same twice"):
        check_alone(apply_causal_mask, scores, axis="batch")
        check_alone(apply_causal_mask, scores, axis="head_index")
        check_repeatable(apply_causal_mask, scores, before=[(random_tensor(1, 1, 2, 2),)])
    with line("passes gradients back to the scores that stay"):
        check_gradients(apply_causal_mask, scores, cotangent=random_tensor(2, 3, 5, 5).tril())


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
    with line(f"reads every key up to its own, however far back: at {FAR} positions"):
        long = replace(cfg, n_ctx=FAR)
        check_agrees(Attention, long, random_weights(long, scale=0.6), random_tensor(1, FAR, cfg.d_model))
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
